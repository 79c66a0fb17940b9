/* teg program: a program's score played on a chip. */
#include "tools/teg/program/program.h"

#include <stdlib.h>

enum {
    ROWS = 24,
};

/* What was measured has no code that would tell the GPU. */
static int import(struct timed *p)
{
    int status;

    if (p->job.gpu_name == NULL)
        return say_usage("program",
                         "%s: choose the GPU it was measured on "
                         "with -g",
                         p->title);
    p->measured = true;
    status = job_open_gpu(&p->job);
    return status == EXIT_DONE ? timed_import(p, p->title) : status;
}

static int simulate(struct timed *p)
{
    int status;

    p->job.recalls = !p->exact;
    status = job_open_trace(&p->job, p->title);

    if (status == EXIT_DONE)
        status = job_open_gpu(&p->job);
    return status == EXIT_DONE ? timed_simulate(p) : status;
}

static int run(struct timed *p)
{
    int status = timed_is_measured(p->title) ? import(p) : simulate(p);

    if (status == EXIT_DONE)
        status = timed_play(p);
    /* A page on standard output is all that is there. */
    if (status == EXIT_DONE &&
        (p->job.out != NULL ||
         (!output_is_standard(p->page) && !output_is_standard(p->timeline))))
        status = timed_write(p);
    if (status == EXIT_DONE && p->timeline != NULL)
        status = timed_write_timeline(p);
    if (status == EXIT_DONE && p->page != NULL)
        status = timed_write_page(p);
    timed_release(p);
    job_release(&p->job);
    return status;
}

int cmd_program(int argc, char **argv)
{
    struct timed p = {.job.caches = CACHES_UNSAID, .rows = ROWS};
    struct opt_list fused = {0};
    const struct opt options[] = {
        JOB_GPU_OPTIONS(p.job),
        CACHES_OPTION(p.job.caches, CACHES_BY_LIST),
        {"serial", 0, OPT_FLAG, &p.serial, NULL,
         "play one thing after the other: no launch or copy beside another",
         NULL},
        {"fused", 0, OPT_LIST, &fused, "A,B",
         "what if launches of kernel B right behind one of A in its stream "
         "were part of that",
         NULL},
        {"no-ranking", 0, OPT_FLAG, &p.no_ranking, NULL,
         "leave out what the total would be without each", NULL},
        {"rows", 0, OPT_COUNT, &p.rows, "N",
         "launches and copies that the text lists (default: 24)", NULL},
        {"exact", 0, OPT_FLAG, &p.exact, NULL,
         "simulate long kernels (20 million warp instructions or more) in "
         "full, launches that differ in nothing but where their buffers are "
         "each, and launches beside each other together, however many "
         "(default: up to 2 million warp instructions in all)",
         NULL},
        {"estimate", 0, OPT_FLAG, &p.estimate, NULL,
         "never simulate launches together: estimate how they get on beside "
         "each other from what each needs alone",
         NULL},
        {"timeline", 0, OPT_OUTPUT, &p.timeline, "FILE",
         "also write a time line of streams, host, copies and SMs for "
         "ui.perfetto.dev",
         NULL},
        {"html", 0, OPT_OUTPUT, &p.page, "FILE",
         "also write a page with the time line, the critical path, what-ifs "
         "and what waited for what",
         NULL},
        {"jobs", 'j', OPT_COUNT, &p.jobs, "N",
         "host threads (default: one per core)", NULL},
        JOB_FORMAT_OPTION(p.job),
        JOB_OUTPUT_OPTIONS(p.job),
        {0}};
    const struct usage usage = {
        .command = "program",
        .operands = "TRACE|REPORT",
        .summary =
            "Plays a program in time: the launches, copies, events and graphs "
            "that a kernels.json of `teg exec` has, on the streams of a chip. "
            "Says how long the program takes, when each launch and copy runs "
            "and what it waited for, what is on the critical path, and what "
            "would make it shorter. Of what nsys exports of a real run "
            "(REPORT: a "
            ".sqlite of `nsys export --type sqlite`, or a .csv of `nsys stats "
            "-f csv -r cuda_gpu_trace`) the same, with the times that were "
            "measured.",
        .options = options,
        .operands_min = 1,
        .operands_max = 1,
        .examples = "  teg program app.teg/kernels.json -g a100\n"
                    "  teg program report.sqlite -g a100\n"
                    "  teg program app.teg/kernels.json --timeline app.json\n"};
    struct operands operands;
    int status;

    p.fused = &fused;
    if (!options_parse(&usage, argc, argv, &operands, &status))
        return status;
    catch_interrupt();
    p.title = operands.item[0];
    return run(&p);
}
