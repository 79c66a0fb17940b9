/* The score played, as it is and as it might be. */
#include "tools/teg/program/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Kernels of a trace that says nothing of streams run one after the other. */
static int make_score(struct timed *p)
{
    const uint32_t kernels = teg_trace_kernels(p->job.trace);
    struct teg_diag d = {0};
    uint32_t stream;
    size_t steps;
    const struct teg_step *step = teg_trace_steps(p->job.trace, &steps);
    teg_status status = teg_score_stream(&p->own, 0, 0, &stream, &d);

    for (size_t i = 0; status == TEG_OK && i < (steps != 0 ? steps : kernels);
         i++) {
        struct teg_score_entry e = {.kind = TEG_SCORE_LAUNCH,
                                    .async = 1,
                                    .number = (uint32_t)i,
                                    .times = 1,
                                    .us = -1,
                                    .place = (uint32_t)i};

        if (steps == 0) {
            e.times = teg_trace_kernel_launches(p->job.trace, (uint32_t)i);
        } else if (step[i].launches != 0) {
            e.number = step[i].kernel;
            e.times = step[i].launches;
        } else if (step[i].rests) {
            e.kind = TEG_SCORE_SYNCHRONIZE;
        } else {
            e.kind = TEG_SCORE_COPY_TO_DEVICE;
            e.bytes = step[i].bytes;
            e.async = 0;
        }
        status = teg_score_add(&p->own, e, &d);
    }
    p->score = &p->own;
    return status == TEG_OK ? EXIT_DONE : say_fault(&d);
}

/* The first launch of a kernel finds other caches than later ones. */
static void choose_states(const struct timed *p, struct sim_program *tasks,
                          uint8_t *seen)
{
    memset(seen, 0, p->kernels);
    for (uint32_t i = 0; i < tasks->tasks; i++) {
        struct sim_program_task *t = &tasks->task[i];

        if (t->kind != SIM_TASK_LAUNCH)
            continue;
        t->kernel = 2 * t->kernel + seen[t->kernel];
        seen[t->kernel / 2] = !p->measured;
    }
}

/* As it is said on the command line; what-ifs change it. */
static struct sim_program_options plain(const struct timed *p)
{
    struct sim_program_options options = sim_program_plain();

    options.source = p->together ? &p->source : NULL;
    return options;
}

/* A launch that nobody is beside takes no longer than it does alone, nor than
 * it has taken beside others: it may have found in L2 what these have left. */
static void take_times(const struct timed *p, struct sim_program *tasks)
{
    for (uint32_t i = 0; i < tasks->tasks; i++) {
        struct sim_program_task *t = &tasks->task[i];
        const struct sim_program_task *was = &p->tasks.task[i];

        if (t->kind == SIM_TASK_LAUNCH && t->us < 0)
            t->us = fmin(p->alone[t->kernel].us, was->end - was->start);
    }
}

static int play(const struct timed *p,
                const struct sim_program_options *options,
                struct sim_program *tasks, struct sim_program_result *result)
{
    uint8_t *seen = malloc(p->kernels + 1);
    struct teg_diag d = {0};
    teg_status status;

    if (seen == NULL)
        return say_memory();
    status = sim_program_init(tasks, p->score, p->job.gpu, options, &d);
    if (status == TEG_OK) {
        choose_states(p, tasks, seen);
        for (uint32_t i = 0; p->together && i < tasks->tasks; i++)
            tasks->task[i].l1_bytes = p->l1_bytes[i];
        if (p->together && options->infinite_chip)
            take_times(p, tasks);
        status = sim_program_play(tasks, p->score, p->alone, p->job.gpu,
                                  options, result, &d);
        if (status != TEG_OK)
            sim_program_release(tasks);
    }
    free(seen);
    if (status != TEG_OK && d.where[0] == '\0')
        snprintf(d.where, sizeof d.where, "%.300s", p->title);
    return status == TEG_OK ? EXIT_DONE : say_fault(&d);
}

static int total_of(const struct timed *p,
                    const struct sim_program_options *options, double *us)
{
    struct sim_program tasks;
    struct sim_program_result result;
    int status = play(p, options, &tasks, &result);

    if (status != EXIT_DONE)
        return status;
    *us = result.us;
    sim_program_release(&tasks);
    return EXIT_DONE;
}

/* ---- what-ifs ------------------------------------------------------------- */

static int try(struct timed *p, const char *name,
               const struct sim_program_options *options)
{
    struct timed_whatif *w = &p->whatif[p->whatifs];

    if (p->whatifs == TIMED_WHATIFS_MAX)
        return EXIT_DONE;
    snprintf(w->name, sizeof w->name, "%s", name);
    p->whatifs++;
    return total_of(p, options, &w->us);
}

/* The kernel of the trace whose name is that, as the source has it or by its
 * symbol. */
static bool find_kernel(const struct timed *p, const char *name, size_t length,
                        uint32_t *kernel)
{
    for (uint32_t i = 0; i < p->kernels; i += 2) {
        char title[TEG_NAME_MAX];
        const char *symbol = p->kernel[i].name;

        if (symbol == NULL)
            continue;
        kernel_title(symbol, title);
        *kernel = i / 2;
        if ((strlen(symbol) == length && memcmp(symbol, name, length) == 0) ||
            (strlen(title) == length && memcmp(title, name, length) == 0))
            return true;
    }
    return false;
}

static int try_fused(struct timed *p, const char *names)
{
    struct sim_program_options options = plain(p);
    const char *comma = strchr(names, ',');
    char name[160];

    options.serial = p->serial;
    if (comma == NULL ||
        !find_kernel(p, names, (size_t)(comma - names), &options.fused[0]) ||
        !find_kernel(p, comma + 1, strlen(comma + 1), &options.fused[1]))
        return say_usage("program",
                         "--fused: expected A,B, two kernels of the program, "
                         "found '%s'",
                         names);
    snprintf(name, sizeof name, "fused:%.150s", names);
    return try(p, name, &options);
}

static int try_all(struct timed *p)
{
    struct sim_program_options options = plain(p);
    int status = EXIT_DONE;

    options.no_gaps = 1;
    status = try(p, "no-launch-gaps", &options);
    options = plain(p);
    options.one_graph = 1;
    if (status == EXIT_DONE)
        status = try(p, "graph", &options);
    options = plain(p);
    options.infinite_streams = 1;
    if (status == EXIT_DONE)
        status = try(p, "infinite-streams", &options);
    for (uint32_t i = 0;
         status == EXIT_DONE && p->fused != NULL && i < p->fused->count; i++)
        status = try_fused(p, p->fused->item[i]);
    return status;
}

/* The kernels that take most of the critical path, without each. */
static int try_without(struct timed *p)
{
    enum {
        MOST = 8
    };
    struct sim_program_options options = plain(p);
    int status = EXIT_DONE;

    for (uint32_t i = 0; i < p->kernels; i++)
        p->kernel[i].without_us = -1;
    options.serial = p->serial;
    options.without_copies = 1;
    status = total_of(p, &options, &p->copies_without_us);
    options.without_copies = 0;
    for (int n = 0; n < MOST && status == EXIT_DONE; n++) {
        struct timed_kernel *most = NULL;

        for (uint32_t i = 0; i < p->kernels; i++) {
            struct timed_kernel *k = &p->kernel[i];

            if (k->path_us > 0 && k->without_us < 0 &&
                (most == NULL || k->path_us > most->path_us))
                most = k;
        }
        if (most == NULL)
            break;
        options.without = (uint32_t)(most - p->kernel);
        status = total_of(p, &options, &most->without_us);
    }
    return status;
}

static void count(struct timed *p)
{
    for (uint32_t i = 0; i < p->tasks.tasks; i++) {
        const struct sim_program_task *t = &p->tasks.task[i];

        if (t->kind != SIM_TASK_LAUNCH)
            continue;
        p->kernel[t->kernel].launches++;
        p->kernel[t->kernel].us += t->end - t->start;
    }
}

/* Whether two launches are on the chip at a time, or would be if there were
 * room. */
static bool overlap(const struct sim_program *tasks)
{
    double end = -1;

    for (uint32_t i = 0; i < tasks->tasks; i++) {
        const struct sim_program_task *t = &tasks->task[i];

        if (t->kind == SIM_TASK_LAUNCH && t->dependent == 1)
            return true;
    }
    /* Tasks are in the order of calls: one that began earlier may come later. */
    for (uint32_t i = 0; i < tasks->tasks; i++) {
        const struct sim_program_task *t = &tasks->task[i];

        if (t->kind != SIM_TASK_LAUNCH || t->end <= t->start)
            continue;
        if (t->ready < end)
            return true;
        end = fmax(end, t->end);
    }
    return false;
}

static uint64_t instructions(const struct timed *p)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < p->tasks.tasks; i++) {
        const struct sim_program_task *t = &p->tasks.task[i];

        if (t->kind == SIM_TASK_LAUNCH)
            sum += p->kernel[t->kernel].instructions;
    }
    return sum;
}

/* Launches beside each other are simulated together where that is asked for or
 * takes little time.  A play with what each needs alone has said whether there
 * are any. */
static bool wants_together(const struct timed *p)
{
    return !p->measured && !p->estimate && !p->serial &&
           p->job.caches != CACHES_WARM &&
           (p->exact || instructions(p) <= TIMED_TOGETHER_MAX) &&
           overlap(&p->tasks);
}

/* The play that everything else is held against. */
static int play_first(struct timed *p)
{
    struct sim_program_options options = plain(p);
    int status;

    options.serial = p->serial;
    if (p->timeline != NULL || p->page != NULL)
        options.watch = timed_places_watch(&p->on);
    p->on.sms = p->job.gpu->chip.sms;
    status = play(p, &options, &p->tasks, &p->result);
    if (status != EXIT_DONE || p->together || !wants_together(p))
        return status;
    p->l1_bytes = timed_divide(p);
    if (p->l1_bytes == NULL)
        return say_memory();
    p->together = true;
    p->source = timed_launches(p);
    sim_program_release(&p->tasks);
    timed_places_release(&p->on);
    return play_first(p);
}

int timed_play(struct timed *p)
{
    struct sim_program_options options;
    int status = EXIT_DONE;

    p->score = p->measured ? &p->own : teg_trace_score(p->job.trace);
    if (p->score == NULL)
        status = make_score(p);
    if (status == EXIT_DONE)
        status = play_first(p);
    if (status != EXIT_DONE)
        return status;
    count(p);
    timed_places_sort(&p->on);
    timed_find_path(p);
    options = plain(p);
    options.serial = 1;
    status = total_of(p, &options, &p->serial_us);
    options.serial = 0;
    options.infinite_chip = 1;
    if (status == EXIT_DONE)
        status = total_of(p, &options, &p->least_us);
    /* Dependent launches that come early are not part of that. */
    if (p->together)
        p->least_us = fmin(p->least_us, p->result.us);
    if (status == EXIT_DONE && !p->no_ranking)
        status = try_without(p);
    return status == EXIT_DONE && !p->no_ranking ? try_all(p) : status;
}

void timed_release(struct timed *p)
{
    for (uint32_t i = 0; p->kernel != NULL && i < p->kernels; i++)
        free(p->kernel[i].name);
    free(p->kernel);
    free(p->alone);
    free(p->l1_bytes);
    timed_launches_release(p);
    timed_places_release(&p->on);
    sim_program_release(&p->tasks);
    teg_score_release(&p->own);
}
