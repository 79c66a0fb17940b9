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

/* All but what only instructions that are not plain have. */
static inline void sim_issue_fill(const struct sim_sm *sm, uint32_t slot,
                                  const struct sim_op *op, uint8_t unit,
                                  uint64_t now, uint64_t start, uint64_t busy,
                                  uint64_t done, struct sim_issue *e)
{
    const struct sim_warp *w = &sm->warp[slot];
    const struct sim_scheduler *s = &sm->scheduler[w->scheduler];

    e->cycle = now;
    e->done = done;
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
    e->others = 0;
    e->interval = op->interval;
    e->queued = (uint32_t)(start - now);
    e->busy = (uint32_t)busy;
    e->operations = 0;
    e->lines = 0;
    e->factors = op->factors;
    e->constants = w->constants;
    e->request = NULL;
    if (!sim_ears_hear(&w->grid->ears))
        return;
    sim_warp_account(w, op, s->turn[w->index].blocked,
                     sim_scheduler_reading(s, now) -
                         s->turn[w->index].reading_before,
                     now, e->stall);
}

/* Announces that the warp in `slot` issues its next instruction on `unit`, or
 * leaves that pending if its end is open, or behind one of which it is.
 * `plan`: its request, or NULL. */
void sim_announce_issue(struct sim_sm *sm, uint32_t slot,
                        const struct sim_op *op, uint8_t unit, uint64_t now,
                        const struct sim_times *t, const struct sim_plan *plan);
/* Leaves a plain instruction (op.h) pending behind an open one, briefly; and announces
 * it then. */
void sim_announce_later(struct sim_sm *sm, uint32_t slot,
                        const struct sim_op *op, uint8_t unit, uint64_t now,
                        uint64_t start, uint64_t done);
void sim_announce_brief(const struct sim_sm *sm, const struct sim_brief *b);
/* Likewise of an instruction that is plain. */
static inline void sim_announce_plain(struct sim_sm *sm, uint32_t slot,
                                      const struct sim_op *op, uint8_t unit,
                                      uint64_t now, uint64_t start,
                                      uint64_t done)
{
    const struct sim_warp *w = &sm->warp[slot];
    struct sim_issue e;

    if (!sim_ears_hear(&w->grid->ears))
        return;
    if (sm->pending.used != 0 && w->constants.lookups == 0) {
        sim_announce_later(sm, slot, op, unit, now, start, done);
        return;
    }
    sim_issue_fill(sm, slot, op, unit, now, start, op->interval, done, &e);
    if (sm->pending.used == 0)
        sim_announce(sm, w->grid, &e);
    else
        sim_pending_add(&sm->pending, &e, NULL);
}

#endif
