/*
 * Banks of L1: what a load that L1 may answer holds the load/store unit for.
 *
 * Models: the data of L1 lie in the same banks as shared memory: a load needs
 * as many passes as its busiest bank has different words, in however many
 * lines they are.  (gpu-benches' strides on an A40: 2, 4, 8, 16 and 32 cycles
 * for strides of 2, 4, 8, 16 and 32 floats, 8 for 24, 16 for 48)  Each bank of
 * tags looks up a line a cycle.
 * Leaves out: stores and what passes L1 by, which nobody has measured.
 */
#ifndef TEG_SIM_MEMORY_L1_BANKS_H
#define TEG_SIM_MEMORY_L1_BANKS_H

#include "sim/memory/plan.h"

enum {
    SIM_L1_BANK_BYTES = 4,
};

/* Fills what L1's banks make of the coalesced load.  `known` may be NULL. */
void sim_l1_banks(struct sim_plan *plan, const struct teg_gpu *gpu,
                  const struct teg_inst *inst, const struct teg_access *a,
                  struct sim_known *known);

#endif
