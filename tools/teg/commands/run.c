/* teg run: replays the kernels of a trace and reports on each. */
#include "tools/teg/pool/pool.h"
#include "tools/teg/replay/clusters.h"
#include "tools/teg/report/report.h"
#include "tools/teg/report/series.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

struct run {
    struct job job;
    uint32_t sms, warps_per_sm, jobs;
    struct opt_list what_ifs;
    bool strict, timing, by_pc, ranking, why, models, sample, exact;
    uint32_t dependences; /* index into dependences_names */
    const char *pc_trace, *pc_warps, *timeline; /* as given, or NULL */
    const char *similar;
    struct pc_trace_choice pc_choice;
    struct carried carried;    /* --caches carry: what ran so far left */
    struct clusters clusters;  /* of the chosen kernels, by their places */
    struct replay **simulated; /* owned, [kernel_count]: those that others of
                                  their cluster are made of */
};

static const char *const dependences_names[] = {"as-described", "scoreboard",
                                                "control", NULL};

static const char *const measured_by_names[] = {"none", "ncu", "nsys", "events",
                                                NULL};

/* A start that nobody has measured is not 0. */
static int check_start(const struct run *run)
{
    enum teg_measured_by by = (enum teg_measured_by)run->job.measured_by;

    if (by == TEG_MEASURED_BY_NOBODY || teg_start_us(run->job.gpu, by, 0) > 0)
        return EXIT_DONE;
    say("--as-measured",
        "%s does not say what %s adds to a launch: --set start.%s=...",
        run->job.gpu->name, measured_by_names[by],
        by == TEG_MEASURED_BY_NCU    ? "ncu_cycles"
        : by == TEG_MEASURED_BY_NSYS ? "nsys_us"
                                     : "events_us");
    return EXIT_USAGE;
}

static int set_dependences(const struct run *run)
{
    struct teg_diag d;

    if (run->dependences == 0 ||
        teg_gpu_set(run->job.gpu, "sm.dependences",
                    dependences_names[run->dependences], &d) == TEG_OK)
        return EXIT_DONE;
    return say_fault(&d);
}

static void print_timing(const struct replay *r)
{
    struct rusage usage;
    double rate =
        r->seconds > 0 ? (double)r->s->warp_instructions / r->seconds : 0;

    getrusage(RUSAGE_SELF, &usage);
    fprintf(stderr,
            "timing: %.3f s, %" PRIu64 " warp instructions, %.1f k/s, "
            "%.1f MB peak\n",
            r->seconds, r->s->warp_instructions, rate / 1000,
            (double)usage.ru_maxrss / 1024);
}

static int check_strict(const struct result *result)
{
    char text[256], name[TEG_NAME_MAX];

    if (!result_unknown_opcodes(result, text, sizeof text))
        return EXIT_DONE;
    say(kernel_title(result->replay->s->name, name), "%s (--strict)", text);
    return EXIT_FAULT;
}

/* What listens to a replay besides the statistics. */
struct ears {
    struct pc_trace pc_trace;
    struct by_pc by_pc;
    struct sim_listener listener[2];
    uint32_t listeners;
};

static bool wants_places(const struct run *run)
{
    return run->by_pc || run->ranking || run->why;
}

static void ears_init(struct ears *e, const struct run *run)
{
    *e = (struct ears){0};
    pc_trace_init(&e->pc_trace, &run->pc_choice);
    by_pc_init(&e->by_pc);
    if (run->pc_trace != NULL)
        e->listener[e->listeners++] = pc_trace_listener(&e->pc_trace);
    if (wants_places(run))
        e->listener[e->listeners++] = by_pc_listener(&e->by_pc);
}

static void ears_release(struct ears *e)
{
    pc_trace_release(&e->pc_trace);
    by_pc_release(&e->by_pc);
}

/* What looks at single cycles needs the whole launch. */
static bool needs_all(const struct run *run)
{
    return run->pc_trace != NULL || run->timeline != NULL;
}

/* What is said of single instructions is said of the launch's own. */
static bool needs_each(const struct run *run)
{
    return wants_places(run) || needs_all(run);
}

static enum sampling choose_sampling(const struct run *run)
{
    if (run->exact || needs_all(run))
        return SAMPLING_NEVER;
    return run->sample ? SAMPLING_LONG : SAMPLING_BY_SIZE;
}

/* Of this kernel alone; an interrupt leaves those that were measured. */
static int rank(const struct run *run, const struct replay *replay,
                const struct by_pc *by_pc, uint32_t kernel, struct whatif *w)
{
    const struct evidence evidence = {
        .s = replay->s,
        .gpu = replay->gpu,
        .part = replay->sample.used,
        .by_pc = by_pc,
    };
    struct trials first = {.only = !run->ranking};
    int status;

    if ((!run->ranking && !run->why) || replay->incomplete)
        return EXIT_DONE;
    status = verdict_trials(&evidence, &first);
    if (status != EXIT_DONE)
        return status;
    w->job = run->job;
    w->sms = run->sms;
    w->warps_per_sm = run->warps_per_sm;
    w->always = &run->what_ifs;
    w->first = &first;
    whatif_follow(w, replay, choose_sampling(run));
    status = whatif_measure_one(w, kernel, replay->before);
    w->first = NULL;
    return status;
}

static int report_replay(const struct run *run, struct report *report,
                         const struct replay *replay, const struct ears *ears,
                         uint32_t kernel, const struct whatif *ranking)
{
    struct result result = {
        .number = kernel + 1,
        .what_ifs = &run->what_ifs,
        .by_pc = run->by_pc ? &ears->by_pc : NULL,
        .places = wants_places(run) ? &ears->by_pc : NULL,
        .ranking = ranking->toggle != NULL ? ranking : NULL,
        .ranked = run->ranking,
        .modeled = run->models,
        /* Remarks on the whole trace go with its first kernel. */
        .trace_notes =
            report->total.kernels == 0 ? teg_trace_notes(run->job.trace) : NULL,
    };
    int status =
        ears->by_pc.failed ? say_memory() : result_init(&result, replay);

    if (status == EXIT_DONE && run->strict)
        status = check_strict(&result);
    if (status == EXIT_DONE)
        status = report_add(report, &result);
    result_release(&result);
    return status;
}

static int write_series(const struct run *run, const struct replay *replay,
                        const struct pc_trace *pc_trace)
{
    int status = EXIT_DONE;

    if (run->pc_trace != NULL)
        status = write_pc_trace(run->pc_trace, pc_trace);
    if (status == EXIT_DONE && run->timeline != NULL)
        status = write_timeline(run->timeline, replay);
    return status;
}

/* Whether the kernel is the first of several that are simulated once. */
static bool stands_for_more(const struct run *run, uint32_t place)
{
    return clusters_by(&run->clusters, place) == place &&
           clusters_members(&run->clusters, place) > 1;
}

/* Keeps the replay for the rest of its cluster, or ends it. */
static int keep_replay(struct run *run, struct replay *replay, uint32_t place)
{
    struct replay *kept;

    if (!stands_for_more(run, place) || replay->incomplete) {
        replay_release(replay);
        return EXIT_DONE;
    }
    kept = malloc(sizeof *kept);
    if (kept == NULL) {
        replay_release(replay);
        return say_memory();
    }
    replay_close_launch(replay);
    *kept = *replay;
    run->simulated[place] = kept;
    return EXIT_DONE;
}

/* A kernel that another one was simulated for. */
static int represent(const struct run *run, struct report *report,
                     uint32_t place)
{
    uint32_t by = clusters_by(&run->clusters, place);
    uint32_t kernel = run->job.kernel[place];
    struct replay replay = {
        .launches = teg_trace_kernel_launches(run->job.trace, kernel)};
    const struct ears ears = {0};
    const struct whatif none = {0};
    struct teg_launch launch;
    struct teg_diag d;
    int status;

    if (teg_trace_launch(run->job.trace, kernel, &launch, &d) != TEG_OK)
        return say_fault(&d);
    status =
        replay_represent(&replay, run->simulated[by], &run->clusters, place,
                         run->job.path, run->job.kernel[by] + 1, &launch);
    if (status == EXIT_DONE)
        replay_add_start(&replay, &run->job, kernel);
    if (status == EXIT_DONE)
        status = report_replay(run, report, &replay, &ears, kernel, &none);
    replay_release(&replay);
    return status;
}

static int run_kernel(struct run *run, struct report *report, uint32_t place)
{
    uint32_t kernel = run->job.kernel[place];
    char label[32];
    struct ears ears;
    struct replay_options options = {
        .sms = run->sms,
        .warps_per_sm = run->warps_per_sm,
        .threads = run->jobs != 0 ? run->jobs : pool_cores(),
        .what_ifs = &run->what_ifs,
        .label = label,
        .listener = ears.listener,
        .sampling = choose_sampling(run),
        .place = place,
        .carried = &run->carried,
        .keep_before = run->ranking || run->why,
        .keep_after = run->ranking || run->why,
    };
    struct replay replay;
    struct whatif ranking = {0};
    int status, reported;

    ears_init(&ears, run);
    options.listeners = ears.listeners;
    snprintf(label, sizeof label, "kernel %u", kernel + 1);
    status = replay_init(&replay, &run->job, kernel, &options);
    if (status != EXIT_DONE && status != EXIT_INTERRUPTED) {
        ears_release(&ears);
        return status;
    }
    if (wants_places(run))
        by_pc_scale(&ears.by_pc, teg_sample_scale(&replay.sample));
    replay.cluster_kernels = clusters_members(&run->clusters, place);
    if (run->timing)
        print_timing(&replay);
    if (status == EXIT_DONE)
        status = rank(run, &replay, &ears.by_pc, kernel, &ranking);
    replay_forget_caches(&replay);
    reported =
        status == EXIT_DONE || status == EXIT_INTERRUPTED
            ? report_replay(run, report, &replay, &ears, kernel, &ranking)
            : status;
    free(ranking.toggle);
    if (reported == EXIT_DONE)
        reported = write_series(run, &replay, &ears.pc_trace);
    ears_release(&ears);
    if (reported == EXIT_DONE)
        reported = keep_replay(run, &replay, place);
    else
        replay_release(&replay);
    return reported != EXIT_DONE ? reported : status;
}

static teg_status open_chosen(void *self, uint32_t place,
                              struct teg_launch *launch, struct teg_diag *d)
{
    const struct run *run = self;

    return teg_trace_launch(run->job.trace, run->job.kernel[place], launch, d);
}

/* Which of the chosen kernels are simulated. */
static int find_clusters(struct run *run)
{
    const struct teg_gpu *gpu = run->job.gpu;
    const struct cluster_request request = {
        .count = run->job.kernel_count,
        .open = open_chosen,
        .self = run,
        .gpu = &gpu,
        .gpus = 1,
        /* fewer places than the chip has */
        .same_blocks = run->sms != 0 || run->warps_per_sm != 0,
        /* With carry two launches find different caches. */
        .sampling = run->job.caches == CACHES_CARRY || needs_each(run)
                        ? SAMPLING_NEVER
                        : choose_sampling(run),
        .similar = run->similar,
        .workers = run->jobs != 0 ? run->jobs : pool_cores(),
        .label = run->job.path,
    };

    run->simulated = calloc(run->job.kernel_count, sizeof(struct replay *));
    return run->simulated != NULL ? clusters_find(&run->clusters, &request)
                                  : say_memory();
}

static void release_clusters(struct run *run)
{
    for (uint32_t i = 0; run->simulated != NULL && i < run->job.kernel_count;
         i++) {
        if (run->simulated[i] != NULL)
            replay_release(run->simulated[i]);
        free(run->simulated[i]);
    }
    free(run->simulated);
    clusters_release(&run->clusters);
}

/* An interrupted run still reports what there is. */
static int run_all(struct run *run)
{
    const struct job *job = &run->job;
    struct report report;
    int status = report_open(&report, job->format, job->out, job->kernel_count,
                             run->by_pc);
    int ended;

    if (status != EXIT_DONE)
        return status;
    for (uint32_t i = 0; status == EXIT_DONE && i < job->kernel_count; i++)
        status = clusters_by(&run->clusters, i) == i
                     ? run_kernel(run, &report, i)
                     : represent(run, &report, i);
    ended =
        report_end(&report, status == EXIT_INTERRUPTED ? EXIT_DONE : status);
    return ended != EXIT_DONE ? ended : status;
}

/* A series is of one kernel. */
static int check_series(struct run *run)
{
    if ((run->pc_trace == NULL && run->timeline == NULL) ||
        job_is_single(&run->job))
        return EXIT_DONE;
    say(run->job.path,
        "expected one kernel for --pc-trace and --timeline, found %" PRIu32
        ": choose with --kernel",
        run->job.kernel_count);
    return EXIT_USAGE;
}

int cmd_run(int argc, char **argv)
{
    struct run run = {.job.caches = CACHES_UNSAID};
    const struct opt options[] = {
        JOB_GPU_OPTIONS(run.job),
        JOB_TRACE_OPTIONS(run.job),
        {"sms", 0, OPT_COUNT, &run.sms, "N",
         "simulate only N SMs, which then run the whole grid", NULL},
        {"jobs", 'j', OPT_COUNT, &run.jobs, "N",
         "host threads (default: one per core); results do not depend on it",
         NULL},
        {"warps", 0, OPT_COUNT, &run.warps_per_sm, "N",
         "at most N resident warps per SM", NULL},
        {"what-if", 0, OPT_LIST, &run.what_ifs, "NAME[,NAME]",
         "as if this bottleneck were gone (`teg explain` lists them)", NULL},
        {"dependences", 0, OPT_CHOICE, &run.dependences, "HOW",
         "as-described (default), scoreboard, or control: by the compiler's "
         "codes, on the instructions for which the trace has them",
         dependences_names},
        {"sample", 0, OPT_FLAG, &run.sample, NULL,
         "simulate only a part of every kernel of 20 waves of blocks or more "
         "and say how far off the cycles may be (default: of those of 20 "
         "million warp instructions or more)",
         NULL},
        CACHES_OPTION(run.job.caches, CACHES_BY_LIST),
        {"as-measured", 0, OPT_CHOICE, &run.job.measured_by, "BY",
         "also the time that ncu, nsys or events would show: with the start of "
         "a launch, as the GPU description has it (none: default)",
         measured_by_names},
        CLUSTER_OPTION(run.similar),
        {"exact", 0, OPT_FLAG, &run.exact, NULL,
         "simulate every kernel, in full; --pc-trace and --timeline do so as "
         "well, and --by-pc, --why and --ranking simulate every kernel",
         NULL},
        {"strict", 0, OPT_FLAG, &run.strict, NULL,
         "an unknown opcode is an error", NULL},
        {"timing", 0, OPT_FLAG, &run.timing, NULL,
         "say on standard error how long the simulation took", NULL},
        {"why", 0, OPT_FLAG, &run.why, NULL,
         "with what to change, first what gains most: where it is and what the "
         "simulator measured that it gains; replays the kernel some ten times",
         NULL},
        {"models", 0, OPT_FLAG, &run.models, NULL,
         "with what the analytical models say (json and csv have it always)",
         NULL},
        {"ranking", 0, OPT_FLAG, &run.ranking, NULL,
         "with the three what-ifs that gain most (json: all of them); replays "
         "the kernel once for each",
         NULL},
        {"by-pc", 0, OPT_FLAG, &run.by_pc, NULL,
         "what each instruction cost, and for whose result it waited", NULL},
        {"pc-trace", 0, OPT_OUTPUT, &run.pc_trace, "FILE",
         "write where the warps were in which cycle, as CSV", NULL},
        {"pc-warps", 0, OPT_TEXT, &run.pc_warps, "[BLOCK:]WARP",
         "of these only, numbers or ranges (default: all of block 0)", NULL},
        {"timeline", 0, OPT_OUTPUT, &run.timeline, "FILE",
         "write the load of every unit over time, as CSV", NULL},
        JOB_FORMAT_OPTION(run.job),
        JOB_OUTPUT_OPTIONS(run.job),
        {0}};
    const struct usage usage = {
        .command = "run",
        .operands = "TRACE",
        .summary = "Replays the kernels of TRACE on a GPU and reports cycles, "
                   "the load of each unit, what the warps waited for, memory "
                   "traffic, and what the analytical models say.",
        .options = options,
        .operands_min = 1,
        .operands_max = 1,
        .examples = "  teg run kernel.tegt -g v100\n"
                    "  teg run kernelslist.g -g v100 --kernel 2-4 -f json\n"
                    "  teg run kernel.tegt -g v100 --why\n"
                    "  teg run kernel.tegt -g v100 --what-if coalesced\n"};
    struct operands operands;
    int status;

    if (!options_parse(&usage, argc, argv, &operands, &status))
        return status;
    if (run.sample && (run.exact || needs_all(&run)))
        return say_usage(
            "run", "--sample excludes --exact, --pc-trace and --timeline");
    if (run.similar != NULL && (run.exact || needs_each(&run)))
        return say_usage(
            "run", "--similar excludes --exact, --by-pc, --why, --ranking, "
                   "--pc-trace and --timeline");
    if (run.job.caches == CACHES_UNSAID && run.similar != NULL)
        run.job.caches = CACHES_COLD;
    if (run.job.caches == CACHES_CARRY && run.similar != NULL)
        return say_usage("run", "--caches carry excludes --similar");
    status = pc_choice_parse(run.pc_warps, &run.pc_choice);
    if (status == EXIT_DONE)
        status = similar_parse(run.similar, &(double){0});
    if (status != EXIT_DONE)
        return status;
    catch_interrupt();
    status = job_open_trace(&run.job, operands.item[0]);
    if (status == EXIT_DONE)
        status = job_open_gpu(&run.job);
    if (status == EXIT_DONE)
        status = set_dependences(&run);
    if (status == EXIT_DONE)
        status = check_start(&run);
    if (status == EXIT_DONE)
        status = check_series(&run);
    if (status == EXIT_DONE)
        status = find_clusters(&run);
    if (status == EXIT_DONE)
        status = run_all(&run);
    release_clusters(&run);
    carried_release(&run.carried);
    job_release(&run.job);
    return status;
}
