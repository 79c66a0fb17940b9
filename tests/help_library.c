#include "tests/help_library.h"

#include <check.h>
#include <string.h>

/* 60 blocks that load, add and meet at a barrier. */
#define SKETCH                                                        \
    "sketch 1\nkernel \"k\"\nisa sm_70\nparam N = 60\ngrid N\n"       \
    "block 128\nregisters 32\n"                                       \
    "let at = 0x10000000 + 512 * ctaid + 4 * tid.x\n"                 \
    "repeat i 20\n    LDG.E R4, [R2 : at]\n    FFMA R5, R4, R4, R5\n" \
    "    BAR.SYNC 0x0\nend\nEXIT\n"

struct teg_gpu *help_v100(void)
{
    struct teg_gpu *gpu;
    struct teg_diag d;

    ck_assert_msg(teg_gpu_open("v100", "config", &gpu, &d) == TEG_OK, "%s",
                  d.what);
    return gpu;
}

struct teg_replay *help_replay(const char *param)
{
    struct teg_diag d;
    struct teg_trace_options *options;
    struct teg_replay *replay;
    struct teg_trace *trace;

    ck_assert_int_eq(teg_trace_options_new(&options, &d), TEG_OK);
    if (param != NULL)
        ck_assert_int_eq(teg_trace_options_param(options, param, &d), TEG_OK);
    ck_assert_msg(teg_trace_open_memory("k", (const uint8_t *)SKETCH,
                                        strlen(SKETCH), options, &trace,
                                        &d) == TEG_OK,
                  "%s: %s", d.where, d.what);
    teg_trace_options_free(options);
    ck_assert_msg(teg_replay_new(trace, 0, &replay, &d) == TEG_OK, "%s: %s",
                  d.where, d.what);
    teg_trace_close(trace);
    return replay;
}

uint64_t help_cycles(struct teg_replay *replay, const struct teg_gpu *gpu)
{
    struct teg_diag d;
    struct teg_result *result;
    uint64_t cycles;

    ck_assert_msg(teg_replay_run(replay, gpu, &result, &d) == TEG_OK, "%s: %s",
                  d.where, d.what);
    cycles = teg_result_cycles(result);
    teg_result_free(result);
    return cycles;
}
