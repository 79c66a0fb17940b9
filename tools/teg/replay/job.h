/*
 * What most commands work on: a trace, the kernels chosen from it, a GPU and
 * a place for the result.
 *
 *     struct job job = {0};
 *     const struct opt options[] = {JOB_GPU_OPTIONS(job),
 *                                   JOB_TRACE_OPTIONS(job),
 *                                   JOB_OUTPUT_OPTIONS(job), {0}};
 *     ... options_parse ...
 *     status = job_open_trace(&job, operands.item[0]);
 *     if (status == EXIT_DONE)
 *         status = job_open_gpu(&job);
 *     for (uint32_t i = 0; status == EXIT_DONE && i < job.kernel_count; i++)
 *         ... teg_trace_launch(job.trace, job.kernel[i], &launch, &d) ...
 *     job_release(&job);
 */
#ifndef TEG_TOOLS_TEG_REPLAY_JOB_H
#define TEG_TOOLS_TEG_REPLAY_JOB_H

#include "tools/teg/cli/options.h"
#include "tools/teg/cli/teg.h"
#include "tools/teg/formats/writer.h"
#include "tools/teg/replay/caches.h"
#include "tools/teg/replay/steps.h"

struct job {
    /* As given on the command line; borrowed. */
    const char *gpu_name;
    const char *config_dir;
    const char *clock; /* MHz; NULL: the description's */
    const char *kernel_choice;
    const char *isa;
    uint32_t registers;
    struct opt_list param;
    struct opt_list set;
    uint32_t format;      /* index into format_names */
    uint32_t caches;      /* enum caches; a command without --caches is cold */
    uint32_t measured_by; /* enum teg_measured_by */
    bool recalls; /* with carry a launch may stand for later ones (recalls.h) */
    const char *out; /* NULL: standard output */

    /* Opened. */
    double started;          /* job_clock() then: progress shows after that */
    const char *path;        /* of the trace, borrowed */
    struct teg_trace *trace; /* owned */
    struct teg_gpu *gpu;     /* owned */
    uint32_t *kernel;        /* owned, [kernel_count]: the launches chosen */
    uint32_t kernel_count;
    /* With --caches carry all that the trace's program ran, and the step that
     * each chosen launch is: a kernel may be chosen twice then. */
    struct step *steps; /* owned, [step_count]; NULL: not asked for */
    uint32_t *step;     /* owned, [kernel_count] */
    uint32_t step_count;
};

/* clang-format off */
#define JOB_GPU_OPTIONS(job)                                                   \
    {"gpu", 'g', OPT_TEXT, &(job).gpu_name, "GPU",                             \
     "a name that `teg gpus` lists, or a .cfg file; default: the one that "    \
     "stands for the trace's architecture", NULL},                             \
    {"config-dir", 0, OPT_TEXT, &(job).config_dir, "DIR",                      \
     "look for GPU descriptions here first", NULL},                            \
    {"clock", 0, OPT_TEXT, &(job).clock, "MHZ",                                \
     "the SMs' clock, where it is not the description's (docs/usage.md, GPUs)", NULL},  \
    {"set", 0, OPT_LIST, &(job).set, "KEY=VALUE",                              \
     "change a value of the GPU description (`teg gpus --keys`)", NULL}

#define JOB_TRACE_OPTIONS(job)                                                 \
    {"kernel", 'k', OPT_TEXT, &(job).kernel_choice, "WHICH",                   \
     "only these kernels: a number from 1, a range like 2-5, a name (symbol "   \
     "or as in the source), or a regular expression", NULL},                   \
    {"isa", 0, OPT_TEXT, &(job).isa, "sm_XX",                                  \
     "architecture of the code, where the trace is wrong", NULL},              \
    {"registers", 0, OPT_COUNT, &(job).registers, "N",                         \
     "registers per thread, where the trace is wrong", NULL},                  \
    {"param", 'p', OPT_LIST, &(job).param, "NAME=VALUE",                       \
     "a parameter of a kernel sketch", NULL}

#define JOB_OUTPUT_OPTIONS(job)                                                \
    {"output", 'o', OPT_OUTPUT, &(job).out, "FILE",                              \
     "write the result there instead, complete or not at all", NULL}

#define JOB_FORMAT_OPTION(job)                                                 \
    {"format", 'f', OPT_CHOICE, &(job).format, "FORMAT", format_help,          \
     format_names}
/* clang-format on */

/* Seconds of a clock that only goes forward. */
double job_clock(void);

/* Each says what is wrong and returns an exit status. */
int job_open_trace(struct job *job, const char *path);
/* Loads the GPU and applies --clock and --set.  Without -g takes the description that
 * stands for the trace's architecture and names it; needs the trace then. */
int job_open_gpu(struct job *job);
/* Whether one kernel is chosen; of two launches of it that find different
 * caches the later one. */
bool job_is_single(struct job *job);
void job_release(struct job *job);

#endif
