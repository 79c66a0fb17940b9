/*
 * The data stage of an SM: all that goes to or comes from its shared memory.
 *
 * Models: one stage, the unit of timing.lds, which moves a word of every bank
 * in a pass.  Loads and stores take it as their unit (units.h); so do the
 * factors that a warp group's product reads in shared memory, a quarter with
 * each of its warps, behind whatever had asked before.  Lines of bulk and
 * tensor copies go in between, at the pace at which L2 serves an SM when all
 * ask, from the issue of the copy on.
 * Leaves out: when a copy's lines come, which is later; stages of other SMs,
 * for which this one's stands: a multicast passes it once for every block that
 * it is for, as theirs do for this one.
 */
#ifndef TEG_SIM_ENGINE_STAGE_H
#define TEG_SIM_ENGINE_STAGE_H

#include <stdint.h>

struct sim_sm;

struct sim_stage {
    uint64_t copies; /* 1/SIM_FRACTION cycle: of lines that are to go */
    uint32_t rest;   /* likewise, less than a cycle, of what has gone */
};

/* The instance of the unit that the scheduler's loads take. */
uint32_t sim_stage_instance(const struct sim_sm *sm, uint32_t scheduler);

/* Takes an instance of the stage for so many 1/SIM_FRACTION cycles, in cycle
 * `start` or when it is free; returns from when on it is again. */
uint64_t sim_stage_take(struct sim_sm *sm, uint32_t instance, uint64_t start,
                        uint64_t parts);

/* A copy of so many bytes to or from shared memory has been issued. */
void sim_stage_copy(struct sim_sm *sm, uint64_t bytes);

#endif
