/*
 * Programmatic dependent launches: one that may come before the launch that it
 * depends on, its primary, has ended.
 *
 * Models: it comes when every block of the primary has executed PREEXIT (any
 * of its warps) or has ended.  A warp of it that executes ACQBULK goes on when
 * the primary has ended and its writes are seen by the chip, which takes what a
 * fence of the GPU does.  It ends no sooner than its primary.
 * (PTX ISA, griddepcontrol; NVIDIA, CUDA C++ Programming Guide, Programmatic
 * Dependent Launch and Synchronization)
 */
#ifndef TEG_SIM_ENGINE_DEPENDENT_H
#define TEG_SIM_ENGINE_DEPENDENT_H

#include "sim/engine/sm.h"

/* The warp's block lets launches come that depend on its own. */
void sim_dependent_let(struct sim_sm *sm, const struct sim_warp *w,
                       uint64_t now);
/* The warp waits for its launch's primary: returns whether it stays until that
 * has ended. */
int sim_dependent_wait(struct sim_warp *w);

/* Cycles between the primary's end and who waits for it: no window of cycles
 * may be longer. */
uint64_t sim_dependent_latency(const struct teg_gpu *gpu);
/* The cycle in which the last block of `primary` has let others come, or has
 * ended; SIM_NEVER: so far not all have. */
uint64_t sim_dependent_release(const struct sim_grid *primary,
                               const struct sim_sm *sm, uint32_t sms);
/* The primary of `grid` has ended in cycle `now`. */
void sim_dependent_settle(struct sim_grid *grid, struct sim_sm *sm,
                          uint32_t sms, uint64_t now);

#endif
