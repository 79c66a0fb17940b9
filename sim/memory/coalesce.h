/*
 * Coalescing of a global or local access: the lanes' addresses become
 * transactions by the rule of the compute capability.
 *
 * Models: the rules that enum teg_coalescing names, from the CUDA programming
 * guides.
 * Leaves out: time; what the memory system makes of the transactions.
 */
#ifndef TEG_SIM_MEMORY_COALESCE_H
#define TEG_SIM_MEMORY_COALESCE_H

#include "sim/memory/plan.h"

/* Fills the plan's transactions, and what its request says of them.  `known` may
 * be NULL. */
void sim_coalesce(struct sim_plan *plan, const struct teg_gpu *gpu,
                  const struct teg_inst *inst, const struct teg_access *a,
                  struct sim_known *known);

#endif
