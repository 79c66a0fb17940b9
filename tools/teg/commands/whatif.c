/*
 * teg whatif: replays a trace once as it is and once with each bottleneck
 * gone, the most promising first, and ranks them by what they cost
 * (report/ranking.h).  Several kernels count together: their cycles are summed.
 */
#include "tools/teg/report/ranking.h"

#include <stdlib.h>

#include "tools/teg/replay/simulate.h"
#include "tools/teg/report/verdict.h"

static int promising(const struct replay *replay, struct trials *t)
{
    const struct evidence evidence = {.s = replay->s, .gpu = replay->gpu};

    return verdict_trials(&evidence, t);
}

static int whatif(struct whatif *w)
{
    int status, written;

    w->promising = promising;
    w->live = true;
    status = whatif_measure(w);

    if (status != EXIT_DONE && status != EXIT_INTERRUPTED)
        return status;
    written = ranking_write(w);
    return written != EXIT_DONE ? written : status;
}

int cmd_whatif(int argc, char **argv)
{
    struct whatif w = {0};
    bool exact = false;
    const struct opt options[] = {
        JOB_GPU_OPTIONS(w.job),
        JOB_TRACE_OPTIONS(w.job),
        {"sms", 0, OPT_COUNT, &w.sms, "N",
         "simulate only N SMs, which then run the whole grid", NULL},
        {"warps", 0, OPT_COUNT, &w.warps_per_sm, "N",
         "at most N resident warps per SM", NULL},
        CACHES_OPTION(w.job.caches, "cold"),
        {"at", 0, OPT_TEXT, &w.at, "FILE:LINE",
         "only what-ifs of this source line's instructions", NULL},
        {"exact", 0, OPT_FLAG, &exact, NULL,
         "simulate every kernel in full; without it of those of 20 waves of "
         "blocks and 2 million warp instructions or more only a part",
         NULL},
        {"jobs", 'j', OPT_COUNT, &w.jobs, "N",
         "worker processes (default: one per core)", NULL},
        JOB_FORMAT_OPTION(w.job),
        JOB_OUTPUT_OPTIONS(w.job),
        {0}};
    const struct usage usage = {
        .command = "whatif",
        .operands = "TRACE",
        .summary = "Replays TRACE as it is, then with each bottleneck gone, "
                   "with twice as many of each unit, and with all bottlenecks "
                   "gone together, and ranks them by the cycles they cost.",
        .options = options,
        .operands_min = 1,
        .operands_max = 1,
        .examples = "  teg whatif kernel.tegt -g v100\n"
                    "  teg whatif kernel.tegt --at transpose.cu:25\n"};
    struct operands operands;
    int status;

    if (!options_parse(&usage, argc, argv, &operands, &status))
        return status;
    w.sampling = exact ? SAMPLING_NEVER : SAMPLING_OFTEN;
    catch_interrupt();
    status = job_open_trace(&w.job, operands.item[0]);
    if (status == EXIT_DONE)
        status = job_open_gpu(&w.job);
    if (status == EXIT_DONE)
        status = whatif(&w);
    free(w.toggle);
    job_release(&w.job);
    return status;
}
