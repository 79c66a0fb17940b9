/*
 * The critical sequence of one warp: the chain of its instructions that leads,
 * without a gap, from its first issue to its last result.
 *
 * Backwards from the instruction that is done last: one that waited for an
 * operand follows the instruction that wrote it, and the time between the two
 * issues is the writer's; any other follows the one issued before it, and the
 * time between is its own, for the reason that held it longest.  The steps'
 * cycles sum up to the time from the first issue to the last result.
 */
#ifndef TEG_SIM_COLLECT_CRITICAL_H
#define TEG_SIM_COLLECT_CRITICAL_H

#include "sim/collect/pc_trace.h"

/* Steps of one instruction for one reason, together. */
struct critical_step {
    uint32_t inst;  /* whose time it is; index into the program */
    uint8_t reason; /* enum teg_stall; TEG_STALLS: nothing held it */
    uint64_t times;
    uint64_t cycles;
};

struct critical {
    struct critical_step *step; /* owned, [steps], most cycles first */
    uint32_t steps;
    uint64_t instructions; /* in the sequence */
    uint64_t first, done;  /* cycles of the first issue and last result */
};

/* `t` holds all points of one warp, at least one, and no other's. */
teg_status critical_find(struct critical *c, const struct pc_trace *t,
                         struct teg_diag *d);
void critical_release(struct critical *c);

/* The warp that is done last; ties to the first announced. */
struct slowest_warp {
    uint64_t done, block;
    uint32_t sm, warp;
};

struct sim_listener slowest_warp_listener(struct slowest_warp *s);

#endif
