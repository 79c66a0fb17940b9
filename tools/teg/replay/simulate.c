#include "tools/teg/replay/simulate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/memory/memory.h"
#include "tools/teg/replay/recalls.h"

/* A line on a terminal, from the second second on, ten times a second. */
struct progress {
    const char *label;
    double start, shown_at;
    uint64_t blocks; /* of the whole grid; a trace may hold fewer */
    bool terminal, shown;
};

/* " 1:05 left", "" while nothing can be said. */
static const char *time_left(const struct progress *p, uint64_t blocks,
                             char out[32])
{
    double spent = job_clock() - p->start, left;

    out[0] = '\0';
    if (blocks == 0 || p->blocks <= blocks)
        return out;
    left = spent * (double)(p->blocks - blocks) / (double)blocks;
    if (left < 360000)
        snprintf(out, 32, ", %d:%02d left", (int)left / 60, (int)left % 60);
    return out;
}

static void progress_show(struct progress *p, uint64_t blocks, uint64_t cycle)
{
    enum {
        WIDTH = 24
    };
    double share = p->blocks > 0 ? (double)blocks / (double)p->blocks : 0;
    int filled = share < 1 ? (int)(share * WIDTH) : WIDTH;
    char bar[WIDTH + 1], left[32];

    for (int i = 0; i < WIDTH; i++)
        bar[i] = i < filled ? '#' : '.';
    bar[WIDTH] = '\0';
    fprintf(stderr, "\r%.20s [%s] cycle %" PRIu64 ", %.3g blocks/s%s\033[K",
            p->label, bar, cycle, (double)blocks / (job_clock() - p->start),
            time_left(p, blocks, left));
    p->shown = true;
}

static int on_progress(void *self, uint64_t blocks, uint64_t cycle)
{
    struct progress *p = self;
    double now = p->terminal ? job_clock() : 0;

    if (p->terminal && now > p->start + 1 && now > p->shown_at + 0.1) {
        progress_show(p, blocks, cycle);
        p->shown_at = now;
    }
    return interrupted();
}

static void progress_end(const struct progress *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
}

static int apply_what_ifs(struct replay *r, const char *names)
{
    struct teg_diag d;

    if (teg_whatif_apply(names, r->gpu, &r->launch, &d) == TEG_OK)
        return EXIT_DONE;
    if (d.status != TEG_UNKNOWN)
        return say_fault(&d);
    say("what-if", "%s", d.what);
    return EXIT_USAGE;
}

static teg_status open_launch(const struct job *job, uint32_t kernel,
                              const struct replay_options *options,
                              struct teg_launch *launch, struct teg_diag *d)
{
    return options->store != NULL
               ? teg_store_launch(options->store, launch, d)
               : teg_trace_launch(job->trace, kernel, launch, d);
}

static int prepare(struct replay *r, const struct job *job, uint32_t kernel,
                   const struct replay_options *options)
{
    struct teg_launch as_is;
    struct teg_diag d;
    int status = EXIT_DONE;

    r->s = calloc(1, sizeof *r->s);
    if (r->s == NULL)
        return say_memory();
    if (teg_gpu_copy(job->gpu, &r->gpu, &d) != TEG_OK ||
        open_launch(job, kernel, options, &r->launch, &d) != TEG_OK)
        return say_fault(&d);
    if (options->what_ifs == NULL)
        return EXIT_DONE;
    as_is = r->launch;
    for (uint32_t i = 0; status == EXIT_DONE && i < options->what_ifs->count;
         i++)
        status = apply_what_ifs(r, options->what_ifs->item[i]);
    r->changed = r->launch.next != as_is.next || r->launch.self != as_is.self;
    return status;
}

/* The engine knows blocks, not files: say whose they are. */
static int say_replay_fault(const struct job *job, uint32_t kernel,
                            const struct teg_diag *d)
{
    char where[512];

    if (d->status != TEG_DEADLOCK && d->status != TEG_LIMIT)
        return say_fault(d);
    snprintf(where, sizeof where, "%.256s: kernel %u%s%.128s", job->path,
             kernel + 1, d->where[0] != '\0' ? ": " : "", d->where);
    say(where, "%s", d->what);
    return EXIT_FAULT;
}

/* ---- simulation ----------------------------------------------------------- */

struct again {
    const struct job *job;
    const struct replay_options *options;
    uint32_t kernel;
    struct teg_gpu *scratch; /* owned; what-ifs change a GPU again */
    /* The last one opened, owned: what is said of it points into it. */
    struct teg_launch last;
};

static void close_launch(struct teg_launch *launch)
{
    if (launch->close != NULL)
        launch->close(launch->self);
    *launch = (struct teg_launch){0};
}

/* Opens the launch as `prepare` does, in place of the last one. */
static teg_status open_again(void *self, struct teg_launch *launch,
                             struct teg_diag *d)
{
    struct again *a = self;
    const struct opt_list *what_ifs = a->options->what_ifs;
    teg_status status;

    close_launch(&a->last);
    status = open_launch(a->job, a->kernel, a->options, &a->last, d);
    if (status != TEG_OK)
        return status;
    for (uint32_t i = 0;
         status == TEG_OK && what_ifs != NULL && i < what_ifs->count; i++) {
        teg_gpu_free(a->scratch);
        a->scratch = NULL;
        status = teg_gpu_copy(a->job->gpu, &a->scratch, d);
        if (status == TEG_OK)
            status =
                teg_whatif_apply(what_ifs->item[i], a->scratch, &a->last, d);
    }
    if (status != TEG_OK)
        close_launch(&a->last);
    *launch = a->last;
    launch->close = NULL;
    return status;
}

/* The replay has the launch open, at its first block unless that is `done`. */
static teg_status open_at_last(struct again *a, struct replay *r, bool done,
                               struct teg_diag *d)
{
    struct teg_launch launch;
    teg_status status = done ? TEG_OK : open_again(a, &launch, d);

    r->launch = a->last;
    teg_gpu_free(a->scratch);
    return status;
}

/* Where what a sample knows of the blocks belongs: those of a changed launch serve
 * nobody else. */
static struct teg_sample_facts **facts_of(struct replay *r,
                                          const struct replay_options *options,
                                          struct teg_sample_facts **changed)
{
    return r->changed               ? changed
           : options->facts != NULL ? options->facts
                                    : &r->facts;
}

/* Of a launch that is long enough only a part: `r->sample` says so. */
static teg_status simulate_part(struct replay *r, const struct job *job,
                                uint32_t kernel,
                                const struct replay_options *options,
                                const struct teg_simulation_options *simulation,
                                struct teg_diag *d)
{
    struct again again = {.job = job, .options = options, .kernel = kernel};
    struct teg_sample_facts *changed = NULL;
    teg_status status, opened;

    if (options->sampling == SAMPLING_NEVER)
        return TEG_OK;
    close_launch(&r->launch);
    status = teg_sample_simulate(open_again, &again, r->gpu, simulation,
                                 sampling_instructions_min(options->sampling),
                                 facts_of(r, options, &changed), r->s,
                                 &r->sample, d);
    teg_sample_facts_free(changed);
    opened =
        open_at_last(&again, r, r->sample.used, status == TEG_OK ? d : NULL);
    return status != TEG_OK ? status : opened;
}

uint64_t sampling_instructions_min(enum sampling sampling)
{
    return sampling == SAMPLING_LONG    ? 0
           : sampling == SAMPLING_OFTEN ? TEG_SAMPLE_INSTRUCTIONS_MIN / 10
                                        : TEG_SAMPLE_INSTRUCTIONS_MIN;
}

static bool warms_up(const struct job *job,
                     const struct replay_options *options)
{
    const struct opt_list *what_ifs = options->what_ifs;
    bool warms = job->caches == CACHES_WARM;

    for (uint32_t i = 0; what_ifs != NULL && i < what_ifs->count; i++)
        warms |= teg_whatif_warms(what_ifs->item[i]) != 0;
    return warms;
}

/* The launch once before it counts; `*warm` is what it leaves. */
static teg_status warm_up(struct replay *r, const struct job *job,
                          uint32_t kernel, const struct replay_options *options,
                          const struct teg_simulation_options *simulation,
                          struct sim_memory **warm, struct teg_diag *d)
{
    struct again again = {.job = job, .options = options, .kernel = kernel};
    struct teg_sample_facts *changed = NULL;
    teg_status status, opened;

    if (!warms_up(job, options))
        return TEG_OK;
    r->caches = CACHES_WARM;
    /* Where L1 has everything nobody looks at what a launch has left. */
    if (options->warm != NULL || r->gpu->l1.always_hits)
        return TEG_OK;
    close_launch(&r->launch);
    status = teg_warm_up(open_again, &again, r->gpu, simulation,
                         options->sampling == SAMPLING_NEVER
                             ? TEG_SAMPLE_NEVER
                             : sampling_instructions_min(options->sampling),
                         facts_of(r, options, &changed), r->s, warm, d);
    teg_sample_facts_free(changed);
    opened = open_at_last(&again, r, false, status == TEG_OK ? d : NULL);
    return status != TEG_OK ? status : opened;
}

/* What the launch before has left, and where to leave it in turn. */
static void set_caches(struct teg_simulation_options *simulation,
                       const struct job *job, const struct replay *r,
                       const struct replay_options *options,
                       const struct sim_memory *warm, struct sim_memory **after)
{
    if (warm == NULL && r->caches == CACHES_WARM)
        warm = options->warm;
    if (warm != NULL)
        simulation->before = warm;
    if (job->caches == CACHES_CARRY || options->keep_after)
        simulation->after = after;
}

/* What it has left is for the next of the list, or for others of the launch. */
static void pass_on_caches(struct replay *r, const struct job *job,
                           const struct replay_options *options,
                           struct carried *carried, struct sim_memory *after)
{
    if (options->keep_before)
        r->before = carried->memory;
    else
        sim_memory_free(carried->memory);
    carried->memory = job->caches == CACHES_CARRY ? after : NULL;
    if (job->caches == CACHES_CARRY)
        return;
    if (r->sample.used || r->caches == CACHES_WARM)
        sim_memory_free(after);
    else
        r->after = after;
}

static int simulate(struct replay *r, const struct job *job, uint32_t kernel,
                    const struct replay_options *options,
                    struct carried *carried)
{
    struct progress progress = {.label = options->label,
                                .start = job->started,
                                .blocks = teg_kernel_blocks(r->launch.kernel),
                                .terminal = options->label != NULL &&
                                            isatty(STDERR_FILENO) == 1};
    struct sim_memory *warm = NULL, *after = NULL;
    struct teg_simulation_options simulation = {
        .before = options->before != NULL ? options->before : carried->memory,
        .sms = options->sms,
        .warps_per_sm = options->warps_per_sm,
        .threads = options->threads,
        .listener = options->listener,
        .listener_count = options->listeners,
        .cycles_only = options->cycles_only,
        .progress = on_progress,
        .progress_self = &progress,
    };
    double started = job_clock();
    struct teg_diag d;
    teg_status status =
        warm_up(r, job, kernel, options, &simulation, &warm, &d);

    set_caches(&simulation, job, r, options, warm, &after);
    if (status == TEG_OK)
        status = simulate_part(r, job, kernel, options, &simulation, &d);
    if (status == TEG_OK && !r->sample.used)
        status = teg_simulate(&r->launch, r->gpu, &simulation, r->s, &d);
    sim_memory_free(warm);
    pass_on_caches(r, job, options, carried, after);
    progress_end(&progress);
    r->seconds = job_clock() - started;
    r->incomplete = status == TEG_INTERRUPTED;
    return status == TEG_OK ? EXIT_DONE : say_replay_fault(job, kernel, &d);
}

/* One launch, in caches as they are. */
static int replay_one(struct replay *r, const struct job *job, uint32_t kernel,
                      const struct replay_options *options,
                      struct carried *carried)
{
    int status;

    *r = (struct replay){.launches =
                             teg_trace_kernel_launches(job->trace, kernel)};
    status = prepare(r, job, kernel, options);
    if (status == EXIT_DONE)
        status = simulate(r, job, kernel, options, carried);
    if (status != EXIT_DONE && status != EXIT_INTERRUPTED)
        replay_release(r);
    return status;
}

/* A launch of which nothing but the result is asked. */
static bool is_plain(const struct job *job,
                     const struct replay_options *options)
{
    return job->recalls && options->sms == 0 && options->warps_per_sm == 0 &&
           options->listeners == 0 && options->before == NULL &&
           (options->what_ifs == NULL || options->what_ifs->count == 0);
}

/* An earlier launch stands for it, which leaves `after` in caches. */
static int recall(struct replay *r, const struct job *job, uint32_t kernel,
                  const struct replay_options *options, struct carried *carried,
                  const struct teg_recalled *found)
{
    int status;

    *r = (struct replay){.recalled = true};
    status = prepare(r, job, kernel, options);
    if (status == EXIT_DONE) {
        recalls_fill(carried->recalls, found->number, r);
        pass_on_caches(r, job, options, carried, found->after);
    } else {
        sim_memory_free(found->after);
        replay_release(r);
    }
    return status;
}

/* One launch, unless an earlier one stands for it. */
static int recall_or_replay(struct replay *r, const struct job *job,
                            uint32_t kernel,
                            const struct replay_options *options,
                            struct carried *carried)
{
    struct teg_recalled found;
    int status;

    if (carried->recalls == NULL)
        carried->recalls = recalls_new(job);
    if (carried->recalls == NULL)
        return EXIT_FAULT;
    if (!recalls_may(carried->recalls, kernel))
        return replay_one(r, job, kernel, options, carried);
    status = recalls_ask(carried->recalls, kernel, carried->memory, &found);
    if (status != EXIT_DONE)
        return status;
    if (found.number != TEG_RECALL_NONE)
        return recall(r, job, kernel, options, carried, &found);
    status = replay_one(r, job, kernel, options, carried);
    if (status != EXIT_DONE)
        return status;
    status = recalls_add(carried->recalls, kernel, &found, r);
    if (status != EXIT_DONE)
        replay_release(r);
    return status;
}

/* Step `step` of the job, whose turn it is. */
static int replay_step(struct replay *r, const struct job *job, uint32_t step,
                       const struct replay_options *options,
                       struct carried *carried)
{
    const struct step *s = &job->steps[step];
    int status = carried_skip(carried, job, step);

    if (status == EXIT_DONE)
        status = is_plain(job, options)
                     ? recall_or_replay(r, job, s->kernel, options, carried)
                     : replay_one(r, job, s->kernel, options, carried);
    if (status == EXIT_DONE || status == EXIT_INTERRUPTED) {
        r->caches = CACHES_CARRY;
        r->launches = s->launches;
        r->later = s->later;
    }
    carried->next = step + 1;
    return status;
}

/* What ran before step `step`, heard by nobody; an interrupt leaves `r` with
 * the one that it ended. */
static int catch_up(struct replay *r, const struct job *job, uint32_t step,
                    const struct replay_options *options,
                    struct carried *carried)
{
    struct replay_options quiet = *options;
    int status = EXIT_DONE;

    quiet.listener = NULL;
    quiet.listeners = 0;
    quiet.store = NULL;
    quiet.facts = NULL;
    quiet.keep_before = quiet.keep_after = false;
    while (status == EXIT_DONE && carried->next < step) {
        status = replay_step(r, job, carried->next, &quiet, carried);
        if (status == EXIT_DONE)
            replay_release(r);
    }
    return status;
}

void replay_add_start(struct replay *r, const struct job *job, uint32_t kernel)
{
    uint32_t launches = replay_launches(r);
    bool begins = kernel == 0 && !r->later;

    r->measured_by = (enum teg_measured_by)job->measured_by;
    r->start_us = (teg_start_us(r->gpu, r->measured_by, begins) +
                   (launches - 1) * teg_start_us(r->gpu, r->measured_by, 0)) /
                  launches;
}

int replay_init(struct replay *r, const struct job *job, uint32_t kernel,
                const struct replay_options *options)
{
    struct carried own = {0};
    struct carried *carried =
        options->carried != NULL ? options->carried : &own;
    int status;

    if (job->steps == NULL) {
        status = replay_one(r, job, kernel, options, carried);
    } else {
        uint32_t step = job->step[options->place];

        status = catch_up(r, job, step, options, carried);
        if (status == EXIT_DONE)
            status = replay_step(r, job, step, options, carried);
    }
    carried_release(&own);
    if (status == EXIT_DONE || status == EXIT_INTERRUPTED)
        replay_add_start(r, job, kernel);
    return status;
}

static int visit_one(const struct job *job,
                     const struct replay_options *options, replay_visit visit,
                     void *self)
{
    uint32_t kernel = job->kernel[options->place];
    struct replay r;
    int status = replay_init(&r, job, kernel, options), visited = EXIT_DONE;

    if (status == EXIT_DONE)
        visited = visit(self, &r, kernel);
    if (status == EXIT_DONE || status == EXIT_INTERRUPTED)
        replay_release(&r);
    return visited != EXIT_DONE ? visited : status;
}

int replay_each(const struct job *job, const struct replay_options *options,
                replay_visit visit, void *self)
{
    struct carried carried = {0};
    struct replay_options one = *options;
    char label[32];
    int status = EXIT_DONE;

    one.carried = &carried;
    one.label = label;
    for (uint32_t i = 0; status == EXIT_DONE && i < job->kernel_count; i++) {
        snprintf(label, sizeof label, "%u of %u", i + 1, job->kernel_count);
        one.place = i;
        status = visit_one(job, &one, visit, self);
    }
    carried_release(&carried);
    return status;
}

double replay_as_measured_us(const struct replay *r)
{
    return r->start_us + (double)r->s->cycles / r->gpu->chip.sm_clock_mhz;
}

uint32_t replay_launches(const struct replay *r)
{
    return r->launches != 0 ? r->launches : 1;
}

void replay_recalled_text(uint64_t recalled, uint64_t launches, char *out,
                          size_t size)
{
    out[0] = '\0';
    if (recalled != 0)
        snprintf(out, size,
                 "%" PRIu64 " of %" PRIu64 " launches differ from earlier ones "
                 "in nothing but where their buffers are, find as much of them "
                 "in L2 and take what those do (--exact simulates each)",
                 recalled, launches);
}

void replay_close_launch(struct replay *r)
{
    close_launch(&r->launch);
}

void replay_forget_caches(struct replay *r)
{
    sim_memory_free(r->before);
    sim_memory_free(r->after);
    r->before = r->after = NULL;
}

void replay_release(struct replay *r)
{
    close_launch(&r->launch);
    replay_forget_caches(r);
    teg_sample_facts_free(r->facts);
    teg_gpu_free(r->gpu);
    free(r->s);
    *r = (struct replay){0};
}
