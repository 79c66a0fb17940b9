/*
 * What an instruction leaves in its warp's counters: when its result is there,
 * for the registers it writes, the dependence barriers it sets and the group
 * it joins or commits; and what was open, once memory has said when.
 */
#ifndef TEG_SIM_ENGINE_RESULTS_H
#define TEG_SIM_ENGINE_RESULTS_H

#include "sim/engine/counter.h"
#include "sim/engine/lsu.h"
#include "sim/engine/sm.h"

/* Finds until when `op` of warp `w`, about to issue, holds what counts it: of
 * one that commits a group, until what has joined it is done, too. */
void sim_results_gather(struct sim_sm *sm, const struct sim_warp *w,
                        const struct sim_op *op, struct sim_times *t);

/* The registers that `op` of warp `w` writes are there in cycle `done`. */
static inline void sim_results_write_registers(struct sim_warp *w,
                                               const struct sim_op *op,
                                               uint64_t done)
{
    const uint16_t *at = w->grid->ops.counter + op->counters;

    for (uint16_t i = 0; i < op->dst_count; i++)
        w->counter[at[i]] = sim_counter(done, (enum teg_stall)op->result);
}

/* `op` of warp `w` issues.  If its end is open, its entry is the
 * pending list's last. */
void sim_results_write(struct sim_sm *sm, struct sim_warp *w,
                       const struct sim_op *op, const struct sim_times *t);

/* Takes note of the results that were pending, announces what was and empties
 * the list. */
void sim_results_settle(struct sim_sm *sm);

/* An mbarrier of the warp's block hears, as noted, when all that has joined by
 * now and this counter counts is done, and cycle `done` is there.  Requires
 * that the counter is open. */
void sim_results_follow(struct sim_sm *sm, const struct sim_warp *w,
                        uint16_t counter, struct sim_mbarrier_note note,
                        uint64_t done);

#endif
