/* teg timeline: what warps and units of one SM did over time
 * (report/scene.h), or which instructions bound the kernel. */
#include "tools/teg/report/critical.h"
#include "tools/teg/report/scene.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    POINTS_MAX = 1 << 20
};

struct timeline_run {
    struct job job;
    struct opt_list what_ifs;
    bool critical;
    const char *sub_text; /* of --sub-core, as given, or NULL */
    struct scene scene;
};

static int write_scene(struct timeline_run *run, const struct replay *r)
{
    if (run->scene.window.to > r->s->cycles)
        run->scene.window.to = r->s->cycles;
    if (run->scene.window.from >= run->scene.window.to) {
        say(run->job.path,
            "--cycles begins in cycle %" PRIu64 ", the kernel ends in %" PRIu64,
            run->scene.window.from, r->s->cycles);
        return EXIT_FAULT;
    }
    run->scene.gpu = run->job.gpu;
    run->scene.replay = r;
    return scene_write(&run->scene, run->job.format, run->job.out);
}

enum {
    EARS = 3 /* besides the sub-cores */
};

static int replay_scene(struct timeline_run *run, struct sim_listener *listener)
{
    const struct replay_options options = {.what_ifs = &run->what_ifs,
                                           .label = "timeline",
                                           .listener = listener,
                                           .listeners =
                                               EARS + run->scene.sub_cores};
    struct replay r;
    int status, written;

    status = replay_init(&r, &run->job, run->job.kernel[0], &options);
    if (status != EXIT_DONE && status != EXIT_INTERRUPTED)
        return status;
    written = run->scene.points.failed ? say_memory() : write_scene(run, &r);
    replay_release(&r);
    return written != EXIT_DONE ? written : status;
}

static struct sim_listener listen(const struct scene *v, struct timeline *t,
                                  uint32_t sm, uint32_t scheduler)
{
    timeline_init(t, sm);
    t->choice.scheduler = scheduler;
    t->choice.from = v->window.from;
    t->choice.to = v->window.to;
    return timeline_listener(t);
}

static int show(struct timeline_run *run)
{
    struct scene *v = &run->scene;
    struct pc_trace_choice choice = window_choice(&v->window, POINTS_MAX);
    struct sim_listener *listener =
        calloc(EARS + v->sub_cores, sizeof *listener);
    int status = EXIT_DONE;

    v->chip = calloc(1, sizeof *v->chip);
    v->one = calloc(1, sizeof *v->one);
    v->sub = calloc(v->sub_cores, sizeof *v->sub);
    pc_trace_init(&v->points, &choice);
    if (listener == NULL || v->chip == NULL || v->one == NULL || v->sub == NULL)
        status = say_memory();
    if (status == EXIT_DONE) {
        listener[0] = listen(v, v->chip, TIMELINE_ALL, TIMELINE_ALL);
        listener[1] = listen(v, v->one, v->window.sm, TIMELINE_ALL);
        listener[2] = pc_trace_listener(&v->points);
        for (uint32_t i = 0; i < v->sub_cores; i++)
            listener[EARS + i] = listen(v, &v->sub[i], v->window.sm, i);
        v->near = run->sub_text != NULL ? &v->sub[atoi(run->sub_text)] : v->one;
        status = replay_scene(run, listener);
    }
    pc_trace_release(&v->points);
    free(listener);
    free(v->chip);
    free(v->one);
    free(v->sub);
    return status;
}

static int check_sub_core(struct timeline_run *run)
{
    const char *text = run->sub_text;
    uint64_t first, last;

    run->scene.sub_cores = run->job.gpu->sm.schedulers;
    if (text == NULL ||
        (range_parse(text, text + strlen(text), &first, &last) &&
         first == last && first < run->scene.sub_cores))
        return EXIT_DONE;
    say("--sub-core", "expected a sub-core from 0 to %" PRIu32 ", found '%s'",
        run->scene.sub_cores - 1, text);
    return EXIT_USAGE;
}

static int check_one_kernel(const struct job *job)
{
    if (job->kernel_count == 1)
        return EXIT_DONE;
    say(job->path,
        "expected one kernel, found %" PRIu32 ": choose with --kernel",
        job->kernel_count);
    return EXIT_USAGE;
}

int cmd_timeline(int argc, char **argv)
{
    struct timeline_run run = {0};
    const struct opt options[] = {
        JOB_GPU_OPTIONS(run.job),
        JOB_TRACE_OPTIONS(run.job),
        WINDOW_OPTIONS(run.scene.window, "0-3"),
        {"sub-core", 0, OPT_TEXT, &run.sub_text, "N",
         "states and units of this sub-core (scheduler) of the SM; json and "
         "csv have all of them",
         NULL},
        {"critical", 0, OPT_FLAG, &run.critical, NULL,
         "instead: the chain of instructions that bounds the warp which is "
         "done last",
         NULL},
        {"what-if", 0, OPT_LIST, &run.what_ifs, "NAME[,NAME]",
         "as if this bottleneck were gone", NULL},
        JOB_FORMAT_OPTION(run.job),
        JOB_OUTPUT_OPTIONS(run.job),
        {0}};
    const struct usage usage = {
        .command = "timeline",
        .operands = "TRACE",
        .summary = "Shows what the warps and units of one SM did over time: "
                   "a letter for what a warp did for most of a column, a digit "
                   "for tenths of the warps' time or of a unit's. With "
                   "--cycles, also each instruction of the warps.",
        .options = options,
        .operands_min = 1,
        .operands_max = 1,
        .examples = "  teg timeline kernel.tegt -g v100\n"
                    "  teg timeline kernel.tegt -g v100 --sm 3 --warp 0-7 "
                    "--cycles 1000:1048\n"};
    struct operands operands;
    int status;

    if (!options_parse(&usage, argc, argv, &operands, &status))
        return status;
    catch_interrupt();
    status = job_open_trace(&run.job, operands.item[0]);
    if (status == EXIT_DONE)
        status = job_open_gpu(&run.job);
    if (status == EXIT_DONE)
        status = check_one_kernel(&run.job);
    if (status == EXIT_DONE)
        status = window_parse(&run.scene.window, run.job.gpu, 4);
    if (status == EXIT_DONE)
        status = check_sub_core(&run);
    if (status == EXIT_DONE)
        status = run.critical ? report_critical(&run.job, &run.what_ifs)
                              : show(&run);
    job_release(&run.job);
    return status;
}
