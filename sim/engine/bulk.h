/*
 * Bulk copies between global and shared memory.
 *
 * Models: one thread starts a copy, which then is its unit's affair: its lines
 * leave one after the other, `memory.transaction_interval` apart as those of
 * the load/store unit do, past L1, and the copy is done when the last is.  An
 * mbarrier hears of a copy's bytes when it is done.  (PTX ISA, cp.async.bulk;
 * the pace is inferred: nobody has published that of the unit)
 * A copy to several blocks of a cluster is read once.  One from shared memory to
 * another block's crosses the network between SMs (sim/memory/remote.h).
 * Leaves out: what the unit's end of shared memory does to others' banks; what
 * carries a copy to several blocks; copies inside a block's own shared memory
 * take their latency only.
 */
#ifndef TEG_SIM_ENGINE_BULK_H
#define TEG_SIM_ENGINE_BULK_H

#include "sim/engine/lsu.h"
#include "sim/engine/values.h"

/* The global memory that a copy with these values moves, of that kind (enum
 * teg_values); returns 0 if there is none. */
int sim_bulk_box(const struct sim_values *v, uint8_t values,
                 struct sim_box *box);

/* Issues the copy of the warp in `slot` in cycle `now`, which its unit begins
 * with in cycle `start`; returns the plan whose request
 * tells what became of it, as far as is known, or NULL if it moves nothing. */
struct sim_plan *sim_bulk_issue(struct sim_sm *sm, uint32_t slot,
                                const struct sim_values *v, uint64_t now,
                                uint64_t start, struct sim_times *t);

/* After it has been announced: lets its mbarrier know. */
void sim_bulk_tell(struct sim_sm *sm, const struct sim_warp *w,
                   const struct sim_values *v, const struct sim_times *t);

#endif
