/*
 * Lanes of an atomic that want the same word.
 *
 * Models: an operation on a word of memory has to be over before the next one
 * on it begins.  In shared memory lanes that want one word take a pass each
 * (Jia et al. 2019: 2 cycles for each further lane; native since Maxwell).  A
 * slice of L2 updates a sector after the other, and a word once for each lane; or
 * some words of a transaction at once and one word once in a step (Feng
 * et al., RoCC: four units to a slice on V100 and A100).
 * An atomic is sent to L2 a sector after the other, and a sector again for each
 * further lane at its busiest word.
 * Leaves out: atomics of chips that coalesce half warps, which have no L2; what
 * their results take on the way back.
 */
#ifndef TEG_SIM_MEMORY_ATOMIC_H
#define TEG_SIM_MEMORY_ATOMIC_H

#include "sim/memory/plan.h"

enum {
    SIM_ATOMIC_WORD_BYTES = 4,
};

/* Fills the plan's places, and the lanes of its request that conflict. */
void sim_atomic_places(struct sim_plan *plan, const struct teg_inst *inst,
                       const struct teg_access *a);

/* Whether lanes that want one word take a pass of shared memory each. */
int sim_atomic_serializes(const struct teg_gpu *gpu,
                          const struct teg_inst *inst);

/* Passes of the lanes of `mask` for an atomic that serializes; each wants
 * `words` of shared memory's.  The mask is not 0. */
uint32_t sim_atomic_passes(const struct teg_gpu *gpu,
                           const struct teg_access *a, uint32_t mask,
                           uint32_t words);

/* For how long an atomic of so many updates and steps holds its slice, and, in
 * `*first`, of that the first thing it does there, which its latency has. */
static inline uint64_t sim_atomic_held(uint32_t updates, uint32_t steps,
                                       uint64_t update, uint64_t step,
                                       uint64_t *first)
{
    uint64_t all = updates * update + steps * step;

    *first = updates != 0 ? update : step;
    return teg_max(all, *first);
}

/* Fills updates, steps and packets of the plan's transactions, to which its
 * places belong. */
void sim_atomic_steps(struct sim_plan *plan, const struct teg_gpu *gpu,
                      const struct teg_inst *inst);

/* Those of the plan's transaction `i`, of whose line a reduction of elements of
 * `bytes` wants the bytes from `from` up to `to`, one element each. */
void sim_atomic_line_steps(struct sim_plan *plan, const struct teg_gpu *gpu,
                           uint32_t i, uint64_t from, uint64_t to,
                           uint32_t bytes);

#endif
