#include "sim/engine/scheduler.h"

#include "sim/engine/issue.h"
#include "sim/engine/lsu.h"
#include "sim/engine/sm.h"

/* The scheduler's warps, of which the i-th is that many times `*step` on. */
static struct sim_warp *warps_of(const struct sim_sm *sm, uint32_t number,
                                 uint32_t *step)
{
    *step = sm->chip->gpu->sm.schedulers;
    return sm->warp + number;
}

static uint8_t ports_of(const struct sim_sm *sm, const struct sim_warp *w)
{
    return sim_warp_op(w, &sm->chip->ops)->ports;
}

/* Whether nothing but its unit is in the way of a warp whose time has come: a
 * constant operand is looked for then, once.  (Huerta 2025, 5.1: the operand's
 * tag is part of being eligible) */
static int has_operand(struct sim_sm *sm, uint32_t number, struct sim_warp *w,
                       uint64_t now)
{
    const struct sim_op *op = sim_warp_op(w, &sm->chip->ops);
    uint64_t at;

    if (op->constant_use != SIM_CONSTANT_OPERAND || w->asked)
        return 1;
    w->asked = 1;
    w->asked_at = now;
    at = sim_constants_operand(sm->constants, number, op->constant, now,
                               &w->constants);
    if (at <= now)
        return 1;
    w->until[STALL_IMC_MISS] = at;
    return 0;
}

/* Moves the waiting whose time has come to the ready. */
static void collect_ready(struct sim_sm *sm, uint32_t number, uint64_t now)
{
    struct sim_scheduler *s = &sm->scheduler[number];
    uint64_t next = SIM_NEVER, come = 0;
    uint32_t step;
    struct sim_warp *warp = warps_of(sm, number, &step);

    if (s->next_ready > now)
        return;
    for (uint64_t rest = s->waiting; rest != 0; rest &= rest - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(rest);

        if (s->ready_at[i] <= now &&
            !has_operand(sm, number, &warp[i * step], now))
            s->ready_at[i] = sim_warp_ready_at(&warp[i * step], sm->chip);
        if (s->ready_at[i] > now) {
            next = teg_min(next, s->ready_at[i]);
            continue;
        }
        come |= 1ull << i;
        s->by_ports[ports_of(sm, &warp[i * step])] |= 1ull << i;
    }
    s->ready |= come;
    s->waiting &= ~come;
    s->next_ready = next;
}

/* The ready warps whose units take nothing now; `*open` is the first cycle one
 * of them does. */
static uint64_t find_refused(const struct sim_sm *sm, uint32_t number,
                             uint64_t now, uint64_t *open)
{
    const struct sim_scheduler *s = &sm->scheduler[number];
    const struct sim_ops *ops = &sm->chip->ops;
    uint64_t refused = 0;

    for (uint32_t p = 0; p < ops->ports_count; p++) {
        uint64_t ready;

        if (s->by_ports[p] == 0)
            continue;
        ready = sim_units_choose(&sm->units, &ops->ports[p], number, now).ready;
        if (ready > now) {
            refused |= s->by_ports[p];
            *open = teg_min(*open, ready);
        }
    }
    return refused;
}

/* When the memory pipeline takes the warp's next instruction. */
static uint64_t memory_ready_at(struct sim_sm *sm, uint32_t number, int i,
                                uint64_t now)
{
    if (!sm->chip->may_refuse)
        return now;
    return sim_lsu_ready_at(
        sm, (uint32_t)i * sm->chip->gpu->sm.schedulers + number, now);
}

/* Picks one of the ready that are not refused, or SIM_NO_WARP.  Those whom the
 * memory pipeline refuses when they are picked join the refused.  Returns in
 * `*left` who was not asked. */
static int choose(struct sim_sm *sm, uint32_t number, uint64_t now,
                  uint64_t *refused, uint64_t *open, uint64_t *left)
{
    const struct sim_scheduler *s = &sm->scheduler[number];
    struct sim_choice choice = {
        .candidates = s->ready & ~*refused,
        .alive = s->alive,
        .turn =
            sm->chip->takes_turns ? now / sm->chip->gpu->sm.issue_period : 0,
        .last = s->last,
        .age = s->age,
        .free_from = s->free_from,
        .now = now,
    };
    int i, chosen = SIM_NO_WARP;

    while (choice.candidates != 0 && chosen == SIM_NO_WARP &&
           (i = sm->chip->policy(&choice)) != SIM_NO_WARP) {
        uint64_t at = memory_ready_at(sm, number, i, now);

        choice.candidates &= ~(1ull << i);
        if (at <= now) {
            chosen = i;
        } else {
            *refused |= 1ull << i;
            *open = teg_min(*open, at);
        }
    }
    *left = choice.candidates;
    return chosen;
}

/* Takes note of who is refused from now on, and charges those who no longer
 * are with the cycles they were. */
static void set_refused(struct sim_scheduler *s, uint64_t refused, uint64_t now)
{
    for (uint64_t rest = s->refused & ~refused; rest != 0; rest &= rest - 1) {
        int i = __builtin_ctzll(rest);

        s->blocked[i] += now - s->refused_since[i];
    }
    for (uint64_t rest = refused & ~s->refused; rest != 0; rest &= rest - 1)
        s->refused_since[__builtin_ctzll(rest)] = now;
    s->refused = refused;
}

static void issue(struct sim_sm *sm, uint32_t number, int i, uint64_t now)
{
    struct sim_scheduler *s = &sm->scheduler[number];
    uint32_t slot = (uint32_t)i * sm->chip->gpu->sm.schedulers + number;

    s->ready &= ~(1ull << i);
    s->by_ports[ports_of(sm, &sm->warp[slot])] &= ~(1ull << i);
    sim_issue(sm, slot, now);
}

/* A warp is refused by its units whether or not it would have been chosen, and
 * by the memory pipeline when it is. */
void sim_scheduler_visit(struct sim_sm *sm, uint32_t number, uint64_t now)
{
    struct sim_scheduler *s = &sm->scheduler[number];
    uint64_t refused, left, open = SIM_NEVER;
    int chosen;

    collect_ready(sm, number, now);
    refused = find_refused(sm, number, now, &open);
    chosen = choose(sm, number, now, &refused, &open, &left);
    set_refused(s, refused, now);
    s->wake = sim_slot_from(sm->chip, open);
    if (chosen != SIM_NO_WARP)
        issue(sm, number, chosen, now);
    if (left != 0 || (sm->chip->takes_turns && s->ready != 0))
        s->wake = teg_min(s->wake, now + sm->chip->gpu->sm.issue_period);
    s->wake = teg_max(teg_min(s->wake, s->next_ready), s->reads_until);
}
