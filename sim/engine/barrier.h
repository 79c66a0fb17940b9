/*
 * The named barriers of a block.
 *
 * Models: a warp at a barrier waits until as many threads have come as it
 * counts, or all warps of its block that have not ended, then the barrier's
 * latency.  Warps that have executed EXIT do not count; one whose stream ends
 * without is waited for, in vain.  Which barrier and how many threads are the
 * execution's values; without them it is barrier 0 and all.
 * (PTX ISA, "bar", "barrier")
 * Leaves out: whose trace has no such values, where all are one.
 */
#ifndef TEG_SIM_ENGINE_BARRIER_H
#define TEG_SIM_ENGINE_BARRIER_H

#include <stdint.h>

struct sim_sm;
struct sim_resident;
struct sim_values;
struct sim_warp;

enum {
    SIM_NAMED_BARRIERS = 16
};

struct sim_barrier {
    uint32_t warps, threads; /* that have come */
    uint32_t wanted;         /* threads; 0: all warps */
};

/* The warp has come to a barrier in cycle `now`, with these values or NULL, and
 * stands in front of its next instruction: it waits there. */
void sim_barrier_arrive(struct sim_sm *sm, struct sim_warp *w,
                        const struct sim_values *v, uint64_t now);
/* It has come, and does not wait. */
void sim_barrier_pass(struct sim_sm *sm, const struct sim_warp *w,
                      const struct sim_values *v, uint64_t now);
/* A warp of `b` has ended: those who wait may have waited for it only. */
void sim_barrier_leave(struct sim_sm *sm, struct sim_resident *b, uint64_t now);

#endif
