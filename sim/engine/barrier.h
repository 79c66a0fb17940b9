/*
 * The barrier of a block.
 *
 * Models: a warp at it waits until all warps of its block that have not ended
 * have arrived, then the barrier's latency.  Warps that have executed EXIT do
 * not count; one whose stream ends without is waited for, in vain.
 * Leaves out: named barriers, which are all one.
 */
#ifndef TEG_SIM_ENGINE_BARRIER_H
#define TEG_SIM_ENGINE_BARRIER_H

#include "sim/engine/sm.h"

/* The warp has come to its block's barrier. */
void sim_barrier_arrive(struct sim_sm *sm, struct sim_warp *w, uint64_t now);
/* A warp of `b` has ended: those who wait may have waited for it only. */
void sim_barrier_leave(struct sim_sm *sm, struct sim_resident *b, uint64_t now);

#endif
