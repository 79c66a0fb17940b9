#include "sim/engine/announce.h"

#include <assert.h>

static_assert(SIM_FRACTION == 256, "what struct sim_issue says");

/* All but what only instructions that are not plain have. */
static inline void fill(const struct sim_sm *sm, uint32_t slot, uint8_t unit,
                        uint64_t now, const struct sim_times *t,
                        struct sim_issue *e)
{
    const struct sim_warp *w = &sm->warp[slot];
    const struct sim_op *op = sim_warp_op(w);

    e->cycle = now;
    e->done = t->done;
    e->arrived = w->arrived;
    e->sm = sm->number;
    e->scheduler = w->scheduler;
    e->slot = slot;
    e->block = sm->resident[w->resident].number;
    e->stream = w->stream;
    e->warp_id = w->warp_id;
    e->inst = w->cursor.inst;
    e->mask = w->cursor.mask;
    e->op_class = op->op_class;
    e->unit = unit;
    e->interval = op->interval;
    e->queued = (uint32_t)(t->start - now);
    e->busy = (uint32_t)t->busy;
    e->operations = 0;
    e->lines = 0;
    e->factors = op->factors;
    e->constants = w->constants;
    e->request = NULL;
    sim_warp_account(w, op, sm->scheduler[w->scheduler].blocked[w->index], now,
                     e->stall);
}

void sim_announce_issue(struct sim_sm *sm, uint32_t slot, uint8_t unit,
                        uint64_t now, const struct sim_times *t,
                        const struct sim_plan *plan)
{
    struct sim_issue e;
    struct sim_pending *pending;

    fill(sm, slot, unit, now, t, &e);
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

void sim_announce_plain(struct sim_sm *sm, uint32_t slot, uint8_t unit,
                        uint64_t now, const struct sim_times *t)
{
    struct sim_issue e;

    fill(sm, slot, unit, now, t, &e);
    if (sm->pending.used == 0)
        sim_announce(sm, sm->warp[slot].grid, &e);
    else
        sim_pending_add(&sm->pending, &e, NULL);
}
