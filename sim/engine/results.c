#include "sim/engine/results.h"

#include <stdlib.h>
#include <string.h>

#include "sim/engine/announce.h"
#include "sim/engine/counter.h"

/* ---- at issue ------------------------------------------------------------ */

/* Of the entry's program: its warp keeps its place at least as long. */
static const struct sim_ops *ops_of(const struct sim_sm *sm,
                                    const struct sim_pending *p)
{
    return &sm->warp[p->issue.slot].grid->ops;
}

/* What the open entry that `value` names has noted of the counter. */
static struct sim_held *held_at(struct sim_sm *sm, uint64_t value,
                                uint16_t counter)
{
    struct sim_pending *p =
        sim_pending_at(&sm->pending, sim_counter_offset(value));
    const struct sim_ops *ops = ops_of(sm, p);
    const struct sim_hold *hold = ops->hold + ops->op[p->issue.inst].holds;
    uint32_t i = 0;

    while (hold[i].counter != counter)
        i++;
    return &p->held[i];
}

/* A barrier, and what joins groups, counts every instruction that holds it: the
 * last one done counts.  Behind the entry that stands for it are those that
 * held it before. */
static void hold_counter(struct sim_sm *sm, uint64_t *counters,
                         uint16_t counter, uint64_t value)
{
    uint64_t *held = &counters[counter];
    struct sim_held *entry;

    if (!sim_counter_is_open(value) && !sim_counter_is_open(*held)) {
        *held = teg_max(*held, value);
        return;
    }
    entry = held_at(sm, sim_counter_is_open(value) ? value : *held, counter);
    if (!sim_counter_is_open(value)) {
        entry->until = teg_max(entry->until, value);
        return;
    }
    if (sim_counter_is_open(*held))
        entry->holder = sim_counter_offset(*held);
    else
        entry->until = *held;
    *held = value;
}

/* The oldest of a history joins those before it. */
static void push_history(struct sim_sm *sm, uint64_t *counters, uint16_t first,
                         uint64_t value)
{
    uint64_t *entry = &counters[first + 1];

    hold_counter(sm, counters, first, entry[SIM_HISTORY - 1]);
    memmove(entry + 1, entry, (SIM_HISTORY - 1) * sizeof *entry);
    entry[0] = value;
}

/* Who commits a group in which something is still open is open until that is
 * done, though memory has nothing to say of it itself. */
void sim_results_gather(struct sim_sm *sm, const struct sim_warp *w,
                        const struct sim_op *op, struct sim_times *t)
{
    uint64_t joined = op->commits ? w->counter[op->joined] : 0;

    t->joined = SIM_NO_PENDING;
    if (!sim_counter_is_open(joined)) {
        t->held = teg_max(t->done, sim_counter_cycle(joined));
        return;
    }
    t->joined = sim_counter_offset(joined);
    t->floor = t->done;
    t->extra = 0;
    t->open = 1;
    t->done = t->held = SIM_OPEN + sm->pending.used;
    sm->misses->count = 0;
    sm->misses->queued = 0;
    sm->misses->settled = (struct sim_request_ends){0};
}

void sim_results_write(struct sim_sm *sm, struct sim_warp *w,
                       const struct sim_op *op, const struct sim_times *t)
{
    const struct sim_ops *ops = &w->grid->ops;
    const uint16_t *at = ops->counter + op->counters + op->dst_count;
    const struct sim_hold *hold = ops->hold + op->holds;

    sim_results_write_registers(w, op, t->done);
    for (uint8_t i = 0; i < op->hold_count; i++, hold++) {
        uint64_t held = sim_counter(t->held, hold->stall);

        if (hold->is_history)
            push_history(sm, w->counter, hold->counter, held);
        else
            hold_counter(sm, w->counter, hold->counter, held);
    }
    /* The operands have been read when the unit has taken the instruction. */
    if (op->read_count != 0)
        hold_counter(sm, w->counter, *at,
                     sim_counter(t->start + t->busy, op->result));
}

/* ---- later --------------------------------------------------------------- */

/* Whoever of a counter's row still says `stood` learns of `value`. */
static void replace(uint64_t *counter, uint32_t count, uint64_t stood,
                    uint64_t value)
{
    for (uint32_t i = 0; i < count; i++) {
        if (counter[i] == stood)
            counter[i] = value;
    }
}

/* What counts an open instruction is held until that and all that it counted
 * before are done. */
static void write_held(struct sim_sm *sm, struct sim_pending *p,
                       uint32_t offset, const struct sim_hold *hold,
                       uint64_t until)
{
    uint64_t *counter = &sm->warp[p->issue.slot].counter[hold->counter];
    const struct sim_ops *ops = ops_of(sm, p);
    struct sim_held *held =
        &p->held[hold - (ops->hold + ops->op[p->issue.inst].holds)];
    uint64_t stood = sim_counter_open(offset, hold->stall);
    uint64_t done = sim_counter(until, hold->stall);

    held->until = teg_max(held->until, done);
    if (held->holder != SIM_NO_PENDING)
        held->until =
            teg_max(held->until,
                    held_at(sm, sim_counter_open(held->holder, hold->stall),
                            hold->counter)
                        ->until);
    if (hold->is_history)
        replace(counter + 1, SIM_HISTORY, stood, done);
    replace(counter, 1, stood, held->until);
}

/* What is to be had of an open instruction goes where its entry stood for it:
 * not to registers that others have written since. */
static void write_open(struct sim_sm *sm, struct sim_pending *p,
                       uint32_t offset)
{
    const struct sim_ops *ops = ops_of(sm, p);
    const struct sim_op *op = &ops->op[p->issue.inst];
    const uint16_t *at = ops->counter + op->counters;
    uint64_t *counter = sm->warp[p->issue.slot].counter;
    uint64_t stood = sim_counter_open(offset, op->result);
    uint64_t done = sim_counter(p->issue.done, op->result);
    uint64_t until = p->issue.done;

    for (uint16_t i = 0; i < op->dst_count; i++, at++)
        replace(&counter[*at], 1, stood, done);
    if (p->joined != SIM_NO_PENDING)
        until = teg_max(
            until,
            sim_counter_cycle(
                held_at(sm, sim_counter_open(p->joined, op->result), op->joined)
                    ->until));
    for (uint8_t i = 0; i < op->hold_count; i++)
        write_held(sm, p, offset, &ops->hold[op->holds + i], until);
}

/* Until when its block has to stay for it. */
static uint64_t kept_until(const struct sim_pending *p)
{
    const struct sim_request *r = &p->request;

    return p->head.has_request && r->is_store && !r->is_atomic && !r->is_bulk
               ? sim_times_end(r->kept_until, p->floor, p->extra)
               : p->issue.done;
}

static void close_pending(struct sim_sm *sm, struct sim_pending *p,
                          uint32_t offset)
{
    struct sim_resident *b = &sm->resident[sm->warp[p->issue.slot].resident];

    p->issue.done = sim_times_end(p->result, p->floor, p->extra);
    write_open(sm, p, offset);
    sim_mbarrier_settle(sm, b, p->note, p->issue.done);
    sm->cycles = teg_max(sm->cycles, p->issue.done);
    b->open--;
    b->left = teg_max(b->left, p->issue.done);
    sim_sm_block_done(sm, b, kept_until(p));
}

/* Warps that found a counter open look again. */
static void look_again(struct sim_sm *sm)
{
    uint32_t schedulers = sm->chip->gpu->sm.schedulers;

    for (uint32_t s = 0; s < schedulers; s++) {
        for (uint64_t rest = sm->scheduler[s].choice.alive; rest != 0;
             rest &= rest - 1) {
            uint32_t slot = (uint32_t)__builtin_ctzll(rest) * schedulers + s;
            struct sim_warp *w = &sm->warp[slot];

            if (!w->waits_for_open)
                continue;
            sim_warp_find_waits(w, sim_warp_op(w));
            if (!w->parked)
                sim_sm_await(sm, w);
        }
        sm->wake = teg_min(sm->wake, sm->scheduler[s].wake);
    }
}

/* ---- who follows copies -------------------------------------------------- */

void sim_results_follow(struct sim_sm *sm, const struct sim_warp *w,
                        uint16_t counter, struct sim_mbarrier_note note,
                        uint64_t done)
{
    struct sim_follows *all = &sm->follows;

    if (all->count == all->capacity) {
        uint32_t capacity = 2 * all->capacity + 16;
        struct sim_follow *at = realloc(all->at, capacity * sizeof *at);

        if (at == NULL) {
            sm->pending.failed = 1;
            return;
        }
        all->at = at;
        all->capacity = capacity;
    }
    all->at[all->count++] = (struct sim_follow){
        .joined = w->counter[counter],
        .done = done,
        .counter = counter,
        .resident = w->resident,
        .note = note,
    };
}

/* All that they follow has been settled. */
static void settle_follows(struct sim_sm *sm)
{
    for (uint32_t i = 0; i < sm->follows.count; i++) {
        const struct sim_follow *f = &sm->follows.at[i];
        uint64_t until =
            sim_counter_cycle(held_at(sm, f->joined, f->counter)->until);

        sim_mbarrier_settle(sm, &sm->resident[f->resident], f->note,
                            teg_max(f->done, until));
    }
    sm->follows.count = 0;
}

/* The pieces of a bulk copy that come before its last. */
struct pieces {
    struct sim_request request;
    uint64_t result;
};

static void add_piece(struct pieces *sum, const struct sim_pending *p)
{
    sim_request_add(&sum->request, &p->request);
    sum->result = teg_max(sum->result, p->result);
}

static void join_pieces(struct sim_pending *p, struct pieces *sum)
{
    if (sum->result == 0)
        return;
    sim_request_add(&p->request, &sum->request);
    p->result = teg_max(p->result, sum->result);
    *sum = (struct pieces){0};
}

static void settle(struct sim_sm *sm, struct sim_pending *p, uint32_t offset)
{
    if (p->head.open)
        close_pending(sm, p, offset);
    p->issue.request = p->head.has_request ? &p->request : NULL;
    sim_announce(sm, sm->warp[p->issue.slot].grid, &p->issue);
}

void sim_results_settle(struct sim_sm *sm)
{
    struct sim_pending_list *o = &sm->pending;
    struct pieces pieces = {0};

    if (o->used == 0)
        return;
    for (uint32_t offset = 0; offset < o->used;) {
        struct sim_pending *p = sim_pending_at(o, offset);

        if (p->head.is_brief) {
            sim_announce_brief(sm, (const struct sim_brief *)(const void *)p);
        } else if (p->head.is_part) {
            add_piece(&pieces, p);
        } else {
            join_pieces(p, &pieces);
            settle(sm, p, offset);
        }
        offset += p->head.bytes;
    }
    settle_follows(sm);
    sim_outbox_close(sm);
    sim_board_close(sm);
    sim_pending_clear(o);
    look_again(sm);
}
