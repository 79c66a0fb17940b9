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
    e.others = t->others;
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

void sim_announce_later(struct sim_sm *sm, uint32_t slot,
                        const struct sim_op *op, uint8_t unit, uint64_t now,
                        uint64_t start, uint64_t done)
{
    const struct sim_warp *w = &sm->warp[slot];
    const struct sim_scheduler *s = &sm->scheduler[w->scheduler];
    struct sim_brief *b = sim_pending_begin_brief(&sm->pending);
    struct sim_stalled *end;

    if (b == NULL)
        return;
    b->cycle = now;
    b->inst = w->cursor.inst;
    b->mask = w->cursor.mask;
    b->since = (uint32_t)(now - w->arrived);
    b->later = (uint32_t)(done - now);
    b->queued = (uint32_t)(start - now);
    b->slot = (uint8_t)slot;
    b->unit = unit;
    end = b->stall;
    sim_warp_split(w, op, s->turn[w->index].blocked,
                   sim_scheduler_reading(s, now) -
                       s->turn[w->index].reading_before,
                   now, NULL, &end);
    sim_pending_end_brief(&sm->pending, b, end);
}

/* Its warp has the slot at least as long, and its block its place. */
void sim_announce_brief(const struct sim_sm *sm, const struct sim_brief *b)
{
    const struct sim_warp *w = &sm->warp[b->slot];
    const struct sim_op *op = &w->grid->ops.op[b->inst];
    struct sim_issue e = {
        .cycle = b->cycle,
        .done = b->cycle + b->later,
        .arrived = b->cycle - b->since,
        .sm = sm->number,
        .scheduler = w->scheduler,
        .slot = b->slot,
        .block = sm->resident[w->resident].number,
        .stream = w->stream,
        .warp_id = w->warp_id,
        .inst = b->inst,
        .mask = b->mask,
        .op_class = op->op_class,
        .unit = b->unit,
        .interval = op->interval,
        .queued = b->queued,
        .busy = op->interval,
        .factors = op->factors,
    };

    for (uint16_t i = 0; i < b->stalls; i++)
        e.stall[b->stall[i].reason] = b->stall[i].cycles;
    sim_announce(sm, w->grid, &e);
}
