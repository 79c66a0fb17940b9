/*
 * What a launch's listeners hear of an SM: each instruction, in the order of
 * issue.
 */
#ifndef TEG_SIM_ENGINE_ANNOUNCE_H
#define TEG_SIM_ENGINE_ANNOUNCE_H

#include "sim/engine/lsu.h"
#include "sim/engine/sm.h"

static inline void sim_announce(const struct sim_sm *sm,
                                const struct sim_grid *grid,
                                const struct sim_issue *e)
{
    const struct sim_listener *ear = sim_ears_of(&grid->ears, sm->hand);

    for (uint32_t i = 0; i < grid->ears.listeners; i++) {
        if (ear[i].on_issue != NULL)
            ear[i].on_issue(ear[i].self, e);
    }
}

/* Announces that the warp in `slot` issues its next instruction on `unit`, or
 * leaves that pending if its end is open, or behind one of which it is.
 * `plan`: its request, or NULL. */
void sim_announce_issue(struct sim_sm *sm, uint32_t slot, uint8_t unit,
                        uint64_t now, const struct sim_times *t,
                        const struct sim_plan *plan);
/* Likewise of an instruction that is plain (op.h). */
void sim_announce_plain(struct sim_sm *sm, uint32_t slot, uint8_t unit,
                        uint64_t now, const struct sim_times *t);

#endif
