/* Runs of the engine on a plain GPU, and the issues heard. */
#ifndef TEG_TESTS_SIM_ENGINE_RUNS_H
#define TEG_TESTS_SIM_ENGINE_RUNS_H

#include "sim/engine/engine.h"

#include <stdlib.h>
#include <string.h>

#include "tests/help_gpu.h"
#include "tests/help_launch.h"
#include "tests/help_suite.h"

enum {
    ISSUES_MAX = 4096
};

struct heard {
    struct sim_issue issue[ISSUES_MAX];
    uint64_t l1_hits; /* of all requests, which end with the run */
    uint32_t issues;
};

static struct teg_gpu gpu;
static struct heard heard;
static struct help_launch launch;
static struct sim_engine_outcome outcome;
static struct teg_diag diag;

static inline void setup(void)
{
    help_gpu_plain(&gpu);
    memset(&launch, 0, sizeof launch);
    heard.issues = 0;
}

static inline void on_issue(void *self, const struct sim_issue *e)
{
    struct heard *h = self;

    ck_assert_uint_lt(h->issues, ISSUES_MAX);
    if (e->request != NULL)
        h->l1_hits += e->request->l1_hits;
    h->issue[h->issues++] = *e;
}

static inline teg_status run_on(uint32_t blocks_per_sm)
{
    struct teg_launch l;
    struct sim_listener listener = {.self = &heard, .on_issue = on_issue};
    struct sim_engine_setup s = {.gpu = &gpu,
                                 .sms = gpu.chip.sms,
                                 .blocks_per_sm = blocks_per_sm,
                                 .listener = &listener,
                                 .listeners = 1};
    teg_status status;

    heard.issues = 0;
    heard.l1_hits = 0;
    help_launch_open(&launch, &l);
    status = sim_engine_run(&l, &s, &outcome, &diag);
    help_launch_release(&launch);
    return status;
}

/* One block of `warps` warps that all do the same. */
static inline uint64_t run_steps(const struct help_step *step, uint32_t steps,
                                 uint32_t warps)
{
    struct help_warp warp[64];

    for (uint32_t w = 0; w < warps; w++)
        warp[w] = (struct help_warp){step, steps};
    launch.warp = warp;
    launch.blocks = 1;
    launch.warps_per_block = warps;
    ck_assert_msg(run_on(1) == TEG_OK, "%s", diag.what);
    return outcome.cycles;
}

/* `n` times `inst`. */
static inline uint64_t run_many(uint32_t inst, uint32_t n, uint32_t warps)
{
    static struct help_step step[2048];

    for (uint32_t i = 0; i < n; i++)
        step[i] = (struct help_step){inst, UINT32_MAX, 0, 0, NULL};
    return run_steps(step, n, warps);
}

static inline void set_timing(enum teg_op_class c, uint32_t latency,
                              uint32_t interval, uint32_t same_warp)
{
    gpu.timing[c] =
        (struct teg_timing){1, {0, 0}, latency, interval, same_warp};
}

/* Table 3.1 of Lai 2013: 24, 4, 8, a pick every 2 cycles. */
static inline void like_gt200(void)
{
    gpu.sm.issue_period = 2;
    set_timing(CLASS_FADD, 24, 4, 8);
    set_timing(CLASS_DADD, 48, 32, 32);
}

static inline uint32_t chained(enum teg_op_class c)
{
    return help_arith(&launch.kernel.program, c, 1, 1, 2, 255);
}

static inline uint32_t independent(enum teg_op_class c)
{
    return help_arith(&launch.kernel.program, c, 1, 2, 3, 255);
}

#endif
