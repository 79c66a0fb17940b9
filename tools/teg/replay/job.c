#include "tools/teg/replay/job.h"

#include "config/start.h"
#include "tools/teg/cli/gpu_path.h"
#include "tools/teg/cli/inputs.h"

#include <ctype.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* "sm_86", "86" and "8.6" are all 86. */
static int parse_isa(const char *text, uint32_t *isa)
{
    const char *at = strncmp(text, "sm_", 3) == 0 ? text + 3 : text;
    uint32_t v = 0;

    for (; *at != '\0' && v < 1000; at++) {
        if (isdigit((unsigned char)*at))
            v = 10 * v + (uint32_t)(*at - '0');
        else if (*at != '.')
            break;
    }
    if (*at != '\0' || v < 10 || v > 999) {
        say("--isa", "expected an architecture like sm_70, found '%s'", text);
        return EXIT_USAGE;
    }
    *isa = v;
    return EXIT_DONE;
}

/* "3" or "2-5", counted from 1; false if it is neither. */
static bool parse_range(const char *text, uint32_t *first, uint32_t *last)
{
    char *end;
    unsigned long a, b;

    if (!isdigit((unsigned char)text[0]))
        return false;
    a = b = strtoul(text, &end, 10);
    if (*end == '-' && isdigit((unsigned char)end[1]))
        b = strtoul(end + 1, &end, 10);
    if (*end != '\0')
        return false;
    *first = a > UINT32_MAX ? UINT32_MAX : (uint32_t)a;
    *last = b > UINT32_MAX ? UINT32_MAX : (uint32_t)b;
    return true;
}

/* Calls for each launch are made in order, so the choice stays sorted. */
static void choose(struct job *job, uint32_t launch)
{
    job->kernel[job->kernel_count++] = launch;
}

static int choose_range(struct job *job, uint32_t first, uint32_t last)
{
    uint32_t count = teg_trace_kernels(job->trace);

    if (first < 1 || last < first || last > count) {
        say(job->path, "--kernel %s: the trace holds kernels 1 to %u",
            job->kernel_choice, count);
        return EXIT_USAGE;
    }
    for (uint32_t i = first; i <= last; i++)
        choose(job, i - 1);
    return EXIT_DONE;
}

static bool name_matches(const char *name, const char *choice,
                         const regex_t *regex)
{
    char readable[TEG_NAME_MAX];

    return teg_name_matches(name, choice) ||
           regexec(regex, name, 0, NULL, 0) == 0 ||
           regexec(regex, teg_name_readable(name, NAME_FULL, readable), 0, NULL,
                   0) == 0;
}

static int choose_by_name(struct job *job, const regex_t *regex)
{
    uint32_t count = teg_trace_kernels(job->trace);

    for (uint32_t i = 0; i < count; i++) {
        struct teg_launch launch;
        struct teg_diag d;

        if (teg_trace_launch(job->trace, i, &launch, &d) != TEG_OK)
            return say_fault(&d);
        if (name_matches(launch.kernel->name, job->kernel_choice, regex))
            choose(job, i);
        if (launch.close != NULL)
            launch.close(launch.self);
    }
    if (job->kernel_count == 0) {
        say(job->path, "no kernel's name matches '%s'; `teg info` lists them",
            job->kernel_choice);
        return EXIT_FAULT;
    }
    return EXIT_DONE;
}

static int choose_by_regex(struct job *job)
{
    regex_t regex;
    char why[128];
    int error = regcomp(&regex, job->kernel_choice, REG_EXTENDED | REG_NOSUB);
    int status;

    if (error != 0) {
        regerror(error, &regex, why, sizeof why);
        say("--kernel", "'%s' is no regular expression: %s", job->kernel_choice,
            why);
        return EXIT_USAGE;
    }
    status = choose_by_name(job, &regex);
    regfree(&regex);
    return status;
}

static int choose_kernels(struct job *job)
{
    uint32_t count = teg_trace_kernels(job->trace);
    uint32_t first, last;

    job->kernel = calloc(count, sizeof *job->kernel);
    if (job->kernel == NULL)
        return say_memory();
    if (job->kernel_choice == NULL)
        return choose_range(job, 1, count);
    if (parse_range(job->kernel_choice, &first, &last))
        return choose_range(job, first, last);
    return choose_by_regex(job);
}

static bool is_chosen(const struct job *job, uint32_t kernel)
{
    for (uint32_t i = 0; i < job->kernel_count; i++) {
        if (job->kernel[i] == kernel)
            return true;
    }
    return false;
}

/* The steps of chosen kernels take the kernels' places. */
static int choose_steps(struct job *job)
{
    uint32_t count = steps_of(job->trace, &job->steps);
    uint32_t *kernel = calloc(count, sizeof *kernel), chosen = 0;

    job->step_count = count;
    job->step = calloc(count, sizeof *job->step);
    if (count == 0 || kernel == NULL || job->step == NULL) {
        free(kernel);
        return say_memory();
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!is_chosen(job, job->steps[i].kernel))
            continue;
        kernel[chosen] = job->steps[i].kernel;
        job->step[chosen++] = i;
    }
    free(job->kernel);
    job->kernel = kernel;
    job->kernel_count = chosen;
    return EXIT_DONE;
}

/* A list of `teg exec` says all that its program did. */
static void settle_caches(struct job *job)
{
    size_t steps;

    if (job->caches != CACHES_UNSAID)
        return;
    teg_trace_steps(job->trace, &steps);
    job->caches = teg_trace_format(job->trace) == TRACE_JSON && steps != 0 &&
                          job->measured_by != TEG_MEASURED_BY_NCU
                      ? CACHES_CARRY
                      : CACHES_COLD;
}

double job_clock(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What a list names is read later on. */
static int add_inputs(const struct teg_trace *trace)
{
    uint32_t count = teg_trace_is_list(trace) ? teg_trace_kernels(trace) : 0;
    int status = inputs_add(teg_trace_path(trace)); /* a folder's list */

    for (uint32_t i = 0; status == EXIT_DONE && i < count; i++)
        status = inputs_add(teg_trace_kernel_path(trace, i));
    return status;
}

int job_open_trace(struct job *job, const char *path)
{
    struct teg_trace_options options = {.registers = job->registers,
                                        .spill_directory = getenv("TMPDIR"),
                                        .set = job->param.item,
                                        .set_count = job->param.count};
    struct teg_diag d;
    int status;

    job->path = path;
    job->started = job_clock();
    if (job->isa != NULL) {
        status = parse_isa(job->isa, &options.isa);
        if (status != EXIT_DONE)
            return status;
    }
    if (teg_trace_open(path, &options, &job->trace, &d) != TEG_OK)
        return say_fault(&d);
    settle_caches(job);
    status = add_inputs(job->trace);
    if (status == EXIT_DONE)
        status = choose_kernels(job);
    return status == EXIT_DONE && job->caches == CACHES_CARRY
               ? choose_steps(job)
               : status;
}

static int open_default(struct job *job)
{
    struct teg_launch launch;
    struct teg_diag d;
    uint32_t isa;

    if (teg_trace_launch(job->trace, job->kernel[0], &launch, &d) != TEG_OK)
        return say_fault(&d);
    isa = launch.kernel->isa;
    if (launch.close != NULL)
        launch.close(launch.self);
    return gpu_open_default(isa, job->config_dir, &job->gpu);
}

int job_open_gpu(struct job *job)
{
    int status = job->gpu_name != NULL
                     ? gpu_open(job->gpu_name, job->config_dir, &job->gpu)
                     : open_default(job);

    return status == EXIT_DONE ? gpu_change(job->gpu, job->clock, &job->set)
                               : status;
}

bool job_is_single(struct job *job)
{
    if (job->kernel_count == 2 && job->steps != NULL &&
        job->kernel[0] == job->kernel[1]) {
        job->step[0] = job->step[1];
        job->kernel_count = 1;
    }
    return job->kernel_count == 1;
}

void job_release(struct job *job)
{
    free(job->kernel);
    free(job->steps);
    free(job->step);
    if (job->trace != NULL)
        teg_trace_close(job->trace);
    teg_gpu_free(job->gpu);
    *job = (struct job){0};
}
