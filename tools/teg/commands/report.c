/* teg report: one self-contained web page about a kernel, and files for
 * viewers of timelines. */
#include "tools/teg/report/page/make.h"

#include <inttypes.h>

static int check(struct page_request *r)
{
    if (!job_is_single(&r->job)) {
        say(r->job.path,
            "expected one kernel, found %" PRIu32 ": choose with --kernel",
            r->job.kernel_count);
        return EXIT_USAGE;
    }
    return window_parse(&r->window, r->job.gpu, r->job.gpu->sm.warps_max);
}

int cmd_report(int argc, char **argv)
{
    struct dygraphs library = {0};
    struct page_request r = {.library = &library, .job.caches = CACHES_UNSAID};
    const struct opt options[] = {
        JOB_GPU_OPTIONS(r.job),
        JOB_TRACE_OPTIONS(r.job),
        WINDOW_OPTIONS(r.window, "all"),
        {"perfetto", 0, OPT_OUTPUT, &r.perfetto, "FILE.json[.gz]",
         "units and warps over time for ui.perfetto.dev", NULL},
        {"konata", 0, OPT_OUTPUT, &r.konata, "FILE",
         "the warps' instructions as a pipeline log for Konata", NULL},
        {"what-if", 0, OPT_LIST, &r.what_ifs, "NAME[,NAME]",
         "as if this bottleneck were gone", NULL},
        CACHES_OPTION(r.job.caches, CACHES_BY_LIST),
        {"jobs", 'j', OPT_COUNT, &r.rank.jobs, "N",
         "host threads, and workers for --ranking (default: one per core)",
         NULL},
        {"ranking", 0, OPT_FLAG, &r.ranking, NULL,
         "with the ranking of `teg whatif`; replays the kernel once for each",
         NULL},
        {"critical", 0, OPT_FLAG, &r.critical, NULL,
         "with the critical sequence of the warp that is done last; replays "
         "the kernel twice more",
         NULL},
        {"dygraphs", 0, OPT_TEXT, &library.directory, "DIR",
         "where dygraph.min.js and .css are (default: " DYGRAPHS ")", NULL},
        JOB_OUTPUT_OPTIONS(r.job),
        {0}};
    const struct usage usage = {
        .command = "report",
        .operands = "TRACE",
        .summary =
            "Replays a kernel and writes a web page about it: one file that "
            "needs no network. Charts zoom.",
        .options = options,
        .operands_min = 1,
        .operands_max = 1,
        .examples = "  teg report kernel.tegt -g v100 -o kernel.html\n"
                    "  teg report kernel.tegt -g v100 --perfetto "
                    "kernel.json.gz --cycles 0:20000\n"};
    struct operands operands;
    struct job job;
    int status;

    if (!options_parse(&usage, argc, argv, &operands, &status))
        return status;
    catch_interrupt();
    status = job_open_trace(&r.job, operands.item[0]);
    if (status == EXIT_DONE)
        status = job_open_gpu(&r.job);
    if (status == EXIT_DONE)
        status = check(&r);
    if (status == EXIT_DONE)
        status = page_make(&r);
    job = r.job;
    page_release(&r);
    dygraphs_release(&library);
    job_release(&job);
    return status;
}
