/*
 * A PC trace: where chosen warps were in which cycle.  (Lai 2013, 3.5)
 *
 * One point per issued instruction of the warps asked for, in the order of
 * issue.  Bounded: what comes after `points_max` points is only counted.
 */
#ifndef TEG_SIM_COLLECT_PC_TRACE_H
#define TEG_SIM_COLLECT_PC_TRACE_H

#include "sim/events.h"

/* Ranges include both ends. */
struct pc_trace_choice {
    uint64_t block_first, block_last; /* running numbers in the launch */
    uint32_t warp_first, warp_last;   /* as the trace numbers them */
    size_t points_max;
    /* Or by place: warp_first and warp_last are warp slots of SM `sm`, of
     * whatever block, and only what waits, issues or completes in the cycles
     * from cycle_first to cycle_last counts. */
    int by_slot;
    uint32_t sm;
    uint64_t cycle_first, cycle_last;
};

struct pc_point {
    uint64_t cycle; /* issued */
    uint64_t done;  /* its result is usable */
    uint64_t block;
    uint64_t pc;
    uint32_t sm, warp, slot, inst, mask;
    uint32_t stalled; /* cycles since the warp's issue before, less this one */
    uint8_t reason;   /* enum teg_stall: what held it longest; TEG_STALLS if
                          nothing did */
    uint32_t stall[TEG_STALLS];
};

struct pc_trace {
    struct pc_trace_choice choice;
    const struct teg_program *program; /* borrowed, once started */
    struct pc_point *point;            /* owned */
    size_t points, capacity;
    uint64_t dropped; /* beyond points_max */
    int failed;       /* memory ran out: points are missing */
};

void pc_trace_init(struct pc_trace *t, const struct pc_trace_choice *choice);
void pc_trace_release(struct pc_trace *t);
struct sim_listener pc_trace_listener(struct pc_trace *t);

#endif
