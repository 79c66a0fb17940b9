#include "sim/engine/announce.h"

#include <assert.h>

static_assert(SIM_FRACTION == 256, "what struct sim_issue says");

void sim_announce_issue(struct sim_sm *sm, uint32_t slot,
                        const struct sim_op *op, uint8_t unit, uint64_t now,
                        const struct sim_times *t, const struct sim_plan *plan)
{
    struct sim_issue e;
    struct sim_pending *pending;

    if (!t->open && !sim_ears_hear(&sm->warp[slot].grid->ears))
        return;
    sim_issue_fill(sm, slot, op, unit, now, t->start, t->busy, t->done, &e);
    e.operations = t->operations;
    if (t->works != 0) {
        e.interval = e.busy = (uint32_t)t->works;
        e.queued = (uint32_t)(t->works_from - now);
    }
    if (sm->chip->gpu->tag_unit != TEG_NO_UNIT)
        e.lines = (uint32_t)t->lines;
    if (plan != NULL)
        e.request = &plan->request;
    if (!t->open && sm->pending.used == 0) {
        sim_announce(sm, sm->warp[slot].grid, &e);
        return;
    }
    pending = sim_pending_add(&sm->pending, &e, t->open ? sm->misses : NULL);
    if (pending != NULL && t->open) {
        pending->floor = t->floor;
        pending->extra = t->extra;
        pending->joined = t->joined;
    }
}
