/*
 * The reference engine: one cycle at a time, every warp asked in every cycle,
 * nothing reserved, nothing skipped, nothing remembered that could be looked
 * up again.  Its memory and its rules for addresses are as naive
 * (tests/sim/memory); it shares with the real engine only the caches of
 * instructions and where a resident's local memory lies, which have tests of
 * their own.
 */
#ifndef TEG_TESTS_SIM_ENGINE_HELP_NAIVE_H
#define TEG_TESTS_SIM_ENGINE_HELP_NAIVE_H

#include "sim/events.h"
#include "traces/block/cursor.h"

/* What became of the n-th instruction of a warp. */
struct naive_issue {
    uint64_t cycle;
    uint32_t inst, sm;
};

enum {
    NAIVE_ISSUES_MAX = 64,
    NAIVE_WARPS_MAX = 96,
    NAIVE_LAUNCHES_MAX = 4,
};

struct naive_warp {
    struct naive_issue issue[NAIVE_ISSUES_MAX];
    uint32_t issues;
    uint64_t stall[TEG_STALLS];
};

struct naive_result {
    uint64_t cycles;
    uint64_t resident; /* warp-cycles of the chip, whoever's warps */
    uint64_t begun[NAIVE_LAUNCHES_MAX], ended[NAIVE_LAUNCHES_MAX];
    /* by launch.first_warp + block x warps_per_block + stream */
    struct naive_warp warp[NAIVE_WARPS_MAX];
};

struct naive_memory;

/* A launch of several. */
struct naive_launch {
    struct teg_launch *launch;
    uint32_t blocks_per_sm, warps_per_block;
    uint32_t registers, shared_bytes; /* of a block */
    uint32_t code;                    /* of its program */
    uint32_t first_warp;              /* in the result */
    int32_t priority;
    uint64_t from; /* cycle; of one behind another, cycles after its end, or,
                      of an early one, after all its blocks let it */
    int after;     /* which; -1: none */
    int early;     /* it depends on that programmatically */
};

/* Runs the launches; returns 0 if they did not end within `limit` cycles.
 * `*memory` is what the launch before left, NULL: all is cold; and afterwards
 * what these leave, the caller's to free. */
int naive_run(const struct naive_launch *launch, uint32_t launches,
              const struct teg_gpu *gpu, uint64_t limit,
              struct naive_memory **memory, struct naive_result *result);

#endif
