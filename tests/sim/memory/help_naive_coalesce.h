/*
 * What a warp's memory instruction asks for, once more: docs/simulator.md's
 * rules of coalescing and of banks, byte by byte and word by word, whatever
 * the shape of the addresses.
 */
#ifndef TEG_TESTS_SIM_MEMORY_HELP_NAIVE_COALESCE_H
#define TEG_TESTS_SIM_MEMORY_HELP_NAIVE_COALESCE_H

#include "sim/memory/coalesce.h"

/* This is sim_plan_make. */
void naive_plan_make(struct sim_plan *plan, const struct teg_gpu *gpu,
                     const struct teg_inst *inst, const struct teg_access *a,
                     const struct sim_windows *windows);

#endif
