#include "sim/engine/results.h"

#include "sim/engine/announce.h"
#include "sim/engine/counter.h"

/* ---- at issue ------------------------------------------------------------ */

/* A barrier counts every instruction that set it: the last one done counts.
 * Behind the entry that stands for it are those that held it before. */
static void hold_barrier(struct sim_sm *sm, uint64_t *held, uint64_t value)
{
    struct sim_pending *pending;

    if (!sim_counter_is_open(value) && !sim_counter_is_open(*held)) {
        *held = teg_max(*held, value);
        return;
    }
    pending = sim_pending_at(
        &sm->pending,
        sim_counter_offset(sim_counter_is_open(value) ? value : *held));
    if (!sim_counter_is_open(value)) {
        pending->held = teg_max(pending->held, value);
        return;
    }
    if (sim_counter_is_open(*held))
        pending->holder = sim_counter_offset(*held);
    else
        pending->held = *held;
    *held = value;
}

void sim_results_write(struct sim_sm *sm, struct sim_warp *w,
                       const struct sim_op *op, const struct sim_times *t)
{
    const uint16_t *at = sm->chip->ops.counter + op->counters;
    uint64_t done = sim_counter(t->done, op->result);

    for (uint16_t i = 0; i < op->dst_count; i++)
        w->counter[*at++] = done;
    if (op->done_count != 0)
        hold_barrier(sm, &w->counter[*at++], done);
    /* The operands have been read when the unit has taken the instruction. */
    if (op->read_count != 0)
        hold_barrier(sm, &w->counter[*at],
                     sim_counter(t->start + t->busy, op->result));
}

/* ---- later --------------------------------------------------------------- */

/* What is to be had of an open instruction goes where its entry stood for it:
 * not to registers that others have written since. */
static void write_open(struct sim_sm *sm, struct sim_pending *p,
                       uint32_t offset)
{
    const struct sim_op *op = &sm->chip->ops.op[p->issue.inst];
    const uint16_t *at = sm->chip->ops.counter + op->counters;
    uint64_t *counter = sm->warp[p->issue.slot].counter;
    uint64_t stood = sim_counter_open(offset, op->result);
    uint64_t done = sim_counter(p->issue.done, op->result);

    for (uint16_t i = 0; i < op->dst_count; i++, at++) {
        if (counter[*at] == stood)
            counter[*at] = done;
    }
    if (op->done_count == 0)
        return;
    p->held = teg_max(p->held, done);
    if (p->holder != SIM_NO_PENDING)
        p->held =
            teg_max(p->held, sim_pending_at(&sm->pending, p->holder)->held);
    if (counter[*at] == stood)
        counter[*at] = p->held;
}

static void close_pending(struct sim_sm *sm, struct sim_pending *p,
                          uint32_t offset)
{
    struct sim_resident *b = &sm->resident[sm->warp[p->issue.slot].resident];

    p->issue.done = sim_times_end(p->result, p->floor, p->extra);
    write_open(sm, p, offset);
    sm->cycles = teg_max(sm->cycles, p->issue.done);
    b->open--;
    sim_sm_block_done(sm, b, p->issue.done);
}

/* Warps that found a counter open look again. */
static void look_again(struct sim_sm *sm)
{
    uint32_t schedulers = sm->chip->gpu->sm.schedulers;

    for (uint32_t s = 0; s < schedulers; s++) {
        for (uint64_t rest = sm->scheduler[s].alive; rest != 0;
             rest &= rest - 1) {
            uint32_t slot = (uint32_t)__builtin_ctzll(rest) * schedulers + s;
            struct sim_warp *w = &sm->warp[slot];

            if (!w->waits_for_open)
                continue;
            sim_warp_find_waits(w, &sm->chip->ops);
            if (!w->parked)
                sim_sm_await(sm, w);
        }
        sm->wake = teg_min(sm->wake, sm->scheduler[s].wake);
    }
}

void sim_results_settle(struct sim_sm *sm)
{
    struct sim_pending_list *o = &sm->pending;

    if (o->used == 0)
        return;
    for (uint32_t offset = 0; offset < o->used;) {
        struct sim_pending *p = sim_pending_at(o, offset);

        if (p->open)
            close_pending(sm, p, offset);
        p->issue.request = p->has_request ? &p->request : NULL;
        sim_announce(sm, &p->issue);
        offset += p->bytes;
    }
    sim_pending_clear(o);
    look_again(sm);
}
