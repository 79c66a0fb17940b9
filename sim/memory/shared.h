/*
 * Passes of shared memory.
 *
 * Models: banks are bank_bytes wide, successive words in successive banks.  A
 * group of lanes needs as many passes as its busiest bank has different words
 * (Lai 2013, 3.2.3.3).  Lanes that ask for more than one word are served in
 * smaller groups where the whole warp is the group (compute capability 2.0
 * on: 64-bit per half warp, 128-bit per quarter), and word after word where
 * it is the half warp.  Where the chip packs pairs, a load whose lanes n and
 * n ^ 1 all want the same, or n and n ^ 2, goes by groups twice as large.
 * Atomics that want one word: sim/memory/atomic.h.
 */
#ifndef TEG_SIM_MEMORY_SHARED_H
#define TEG_SIM_MEMORY_SHARED_H

#include "sim/memory/plan.h"

/* Adds the passes and groups to the plan's request.  `known` may be NULL. */
void sim_shared_passes(struct sim_plan *plan, const struct teg_gpu *gpu,
                       const struct teg_inst *inst, const struct teg_access *a,
                       struct sim_known *known);

#endif
