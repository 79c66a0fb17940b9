#include "sim/engine/scheduler.h"

#include <assert.h>

#include "sim/engine/issue.h"
#include "sim/engine/lsu.h"
#include "sim/engine/sm.h"
#include "sim/engine/warpgroup.h"

/* The scheduler's warps, of which the i-th is that many times `*step` on. */
static struct sim_warp *warps_of(const struct sim_sm *sm, uint32_t number,
                                 uint32_t *step)
{
    *step = sm->chip->gpu->sm.schedulers;
    return sm->warp + number;
}

/* `by` counts modulo 64. */
static uint64_t rotate_up(uint64_t bits, uint64_t by)
{
    return bits << by % 64 | bits >> (64 - by % 64) % 64;
}

/* Whether nothing but its unit is in the way of a warp whose time has come: a
 * constant operand is looked for then, once.  (Huerta 2025, 5.1: the operand's
 * tag is part of being eligible) */
static int has_operand(struct sim_sm *sm, uint32_t number, struct sim_warp *w,
                       uint64_t now)
{
    uint64_t at;

    if ((sm->scheduler[number].asking >> w->index & 1) == 0 || w->asked)
        return 1;
    w->asked = 1;
    w->asked_at = now;
    at = sim_constants_operand(sm->constants, w->grid->number, number,
                               sim_warp_op(w)->constant, now, &w->constants);
    if (at <= now)
        return 1;
    sim_warp_hold(w, STALL_IMC_MISS, at);
    return 0;
}

/* Entries of due[] for the cycles from due_from up to `now`. */
static uint64_t entries_until(const struct sim_scheduler *s, uint64_t now)
{
    assert(now >= s->due_from);
    if (now - s->due_from >= SIM_DUE_CYCLES - 1)
        return UINT64_MAX;
    return rotate_up((2ull << (now - s->due_from)) - 1, s->due_from);
}

/* The far whose time is near now are so by cycle. */
static void bring_near(struct sim_scheduler *s)
{
    uint64_t far = s->far;

    s->waiting &= ~far;
    s->far = 0;
    s->next_far = SIM_NEVER;
    for (; far != 0; far &= far - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(far);

        sim_scheduler_await(s, i, s->turn[i].ready_at);
    }
}

/* The waiting that are ready by `now`, who wait no longer. */
static uint64_t take_due(struct sim_scheduler *s, uint64_t now)
{
    uint64_t entries = entries_until(s, now) & s->due_cycles, due = 0;

    s->due_cycles &= ~entries;
    for (; entries != 0; entries &= entries - 1) {
        uint64_t *at = &s->due[__builtin_ctzll(entries)];

        due |= *at;
        *at = 0;
    }
    s->due_from = now;
    if (s->next_far < now + SIM_DUE_CYCLES) {
        bring_near(s);
        entries = 1ull << now % SIM_DUE_CYCLES;
        due |= s->due[now % SIM_DUE_CYCLES];
        s->due[now % SIM_DUE_CYCLES] = 0;
        s->due_cycles &= ~entries;
    }
    s->waiting &= ~due;
    return due;
}

/* Some entries may have been left by all who were in them; when the far come is
 * forgotten with the last of them, for it may have been SIM_OPEN, which never is. */
static uint64_t next_due(const struct sim_scheduler *s)
{
    uint64_t cycles = rotate_up(s->due_cycles, -s->due_from);

    if (cycles != 0)
        return s->due_from + (uint64_t)__builtin_ctzll(cycles);
    return s->far != 0 ? s->next_far : SIM_NEVER;
}

/* Cycles that the ports have been closed, up to `now`. */
static uint64_t closed_by(const struct sim_scheduler *s,
                          const struct sim_kind *k, uint64_t now)
{
    return k->closed + (k->closed_from != 0 && now >= k->closed_from
                            ? sim_scheduler_clock(s, now) - k->closed_since
                            : 0);
}

static void join_ready(struct sim_scheduler *s, uint32_t i, uint64_t now)
{
    uint32_t ports = s->ports[i];
    struct sim_kind *k = &s->kind[ports];
    struct sim_turn *t = &s->turn[i];

    s->ready |= 1ull << i;
    k->ready |= 1ull << i;
    s->wanted[ports / 64] |= 1ull << ports % 64;
    if (!s->heard)
        return;
    t->closed_before = closed_by(s, k, now);
    t->reading_before = sim_scheduler_reading(s, t->ready_at);
}

/* Moves the waiting whose time has come to the ready. */
static void collect_ready(struct sim_sm *sm, uint32_t number, uint64_t now)
{
    struct sim_scheduler *s = &sm->scheduler[number];
    uint32_t step;
    struct sim_warp *warp = warps_of(sm, number, &step);

    if (s->next_ready > now)
        return;
    for (uint64_t rest = take_due(s, now); rest != 0; rest &= rest - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(rest);
        struct sim_warp *w = &warp[i * step];

        if (has_operand(sm, number, w, now))
            join_ready(s, i, now);
        else
            sim_scheduler_await(s, i, sim_warp_ready_at(w, sm->chip));
    }
    s->next_ready = next_due(s);
}

/* Takes note that the ports take nothing in cycle `now`, or do again. */
static void note_closed(struct sim_scheduler *s, uint32_t ports, int closed,
                        uint64_t now)
{
    struct sim_kind *k = &s->kind[ports];

    if (closed == (k->closed_from != 0))
        return;
    if (s->heard) {
        k->closed = closed_by(s, k, now);
        k->closed_since = sim_scheduler_clock(s, now);
    }
    k->closed_from = closed ? now + 1 : 0;
    if (closed)
        s->refused[ports / 64] |= 1ull << ports % 64;
}

/* The ready warps whose units take nothing now; `*open` is the first cycle one
 * of them does.  Takes note of when they no longer do, or do again. */
static inline uint64_t find_refused(struct sim_sm *sm, uint32_t number,
                                    uint64_t now, uint64_t *open)
{
    struct sim_scheduler *s = &sm->scheduler[number];
    uint64_t refused = 0;

    for (uint32_t word = 0; word < SIM_PORT_WORDS; word++) {
        for (uint64_t rest = s->wanted[word]; rest != 0; rest &= rest - 1) {
            uint32_t p = word * 64 + (uint32_t)__builtin_ctzll(rest);
            uint64_t ready =
                sim_units_of_ports(&sm->units, p, number, now).ready;

            note_closed(s, p, ready > now, now);
            if (ready <= now)
                continue;
            refused |= s->kind[p].ready;
            *open = teg_min(*open, ready);
        }
    }
    return refused;
}

/* When the warp's next instruction is taken by what lies behind its unit: the
 * memory pipeline, or the tensor cores of all schedulers. */
static uint64_t ready_behind(struct sim_sm *sm, uint32_t number, int i,
                             uint64_t now)
{
    uint32_t slot = (uint32_t)i * sm->chip->gpu->sm.schedulers + number;
    const struct sim_warp *w = &sm->warp[slot];

    if (sm->products_from != 0 && sim_warp_op(w)->multiplies)
        return sim_warpgroup_product_at(sm, w);
    return sm->chip->may_refuse ? sim_lsu_ready_at(sm, slot, now) : now;
}

/* The one of the candidates that the policy picks, or SIM_NO_WARP.  Who is
 * alone is picked by all that do not take turns. */
static int prefer(struct sim_sm *sm, uint32_t number, uint64_t candidates,
                  uint64_t now)
{
    const struct sim_chip *chip = sm->chip;
    struct sim_scheduler *s = &sm->scheduler[number];

    if ((candidates & (candidates - 1)) == 0 && !chip->takes_turns)
        return __builtin_ctzll(candidates);
    s->choice.candidates = candidates;
    s->choice.now = now;
    if (chip->takes_turns)
        s->choice.turn = now / chip->period;
    return chip->policy(&s->choice);
}

/* Picks one of the ready that are not refused, or SIM_NO_WARP.  Returns in
 * `*denied` those who were refused behind their units when they were picked, in
 * `*left` who was not asked. */
static int choose(struct sim_sm *sm, uint32_t number, uint64_t now,
                  uint64_t refused, uint64_t *open, uint64_t *denied,
                  uint64_t *left)
{
    uint64_t candidates = sm->scheduler[number].ready & ~refused;
    int i, chosen = SIM_NO_WARP;

    while (candidates != 0 && chosen == SIM_NO_WARP &&
           (i = prefer(sm, number, candidates, now)) != SIM_NO_WARP) {
        uint64_t at = ready_behind(sm, number, i, now);

        candidates &= ~(1ull << i);
        if (at <= now) {
            chosen = i;
        } else {
            *denied |= 1ull << i;
            *open = teg_min(*open, at);
        }
    }
    *left = candidates;
    return chosen;
}

/* Takes note of who is denied from now on, and charges those who no longer
 * are with the cycles they were. */
static void set_denied(struct sim_scheduler *s, uint64_t denied, uint64_t now)
{
    for (uint64_t rest = s->denied & ~denied; rest != 0; rest &= rest - 1) {
        int i = __builtin_ctzll(rest);

        s->turn[i].blocked += sim_scheduler_clock(s, now) - s->denied_since[i];
    }
    for (uint64_t rest = denied & ~s->denied; rest != 0; rest &= rest - 1)
        s->denied_since[__builtin_ctzll(rest)] = sim_scheduler_clock(s, now);
    s->denied = denied;
}

/* Returns the ports that it took. */
static uint32_t issue(struct sim_sm *sm, uint32_t number, int i, uint64_t now)
{
    struct sim_scheduler *s = &sm->scheduler[number];
    uint32_t slot = (uint32_t)i * sm->chip->gpu->sm.schedulers + number;
    uint32_t ports = s->ports[i];
    struct sim_kind *k = &s->kind[ports];

    s->ready &= ~(1ull << i);
    k->ready &= ~(1ull << i);
    if (k->ready == 0)
        s->wanted[ports / 64] &= ~(1ull << ports % 64);
    s->turn[i].blocked += k->closed - s->turn[i].closed_before;
    sim_issue(sm, slot, now);
    return ports;
}

/* Whoever becomes ready before `open`, until when all ports that are closed
 * stay so, and needs one of them, is refused from then on: it joins the ready
 * beforehand, so that nobody has to look when it does. */
static void join_refused(struct sim_scheduler *s, uint64_t open)
{
    uint64_t entries = entries_until(s, open - 1) & s->due_cycles;

    for (; entries != 0; entries &= entries - 1) {
        unsigned entry = (unsigned)__builtin_ctzll(entries);
        uint64_t joins = 0;

        for (uint64_t rest = s->due[entry] & ~s->asking; rest != 0;
             rest &= rest - 1) {
            uint32_t i = (uint32_t)__builtin_ctzll(rest);

            if (s->kind[s->ports[i]].closed_from == 0)
                continue;
            joins |= 1ull << i;
            join_ready(s, i, teg_max(s->turn[i].ready_at, s->reads_until));
        }
        s->early |= joins;
        s->waiting &= ~joins;
        s->due[entry] &= ~joins;
        if (s->due[entry] == 0)
            s->due_cycles &= ~(1ull << entry);
    }
    s->next_ready = next_due(s);
}

/* Operands of what has just been issued are being read before some become ready
 * who have joined beforehand, or when they do: nobody refuses anybody so long. */
static void delay_early(struct sim_scheduler *s, uint64_t now)
{
    for (uint64_t rest = s->early &= s->ready; rest != 0; rest &= rest - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(rest);
        struct sim_turn *t = &s->turn[i];

        if (t->ready_at <= now) {
            s->early &= ~(1ull << i);
            continue;
        }
        t->reading_before = sim_scheduler_reading(s, t->ready_at);
        t->closed_before = closed_by(s, &s->kind[s->ports[i]],
                                     teg_max(t->ready_at, s->reads_until));
    }
}

/* When to look again, with nobody else to come, after an issue that took ports
 * `taken` and left others ready that they were open to (`left`): in the next
 * slot in which no operands are in the way, unless what they need takes nothing
 * then.  Units are only ever taken for longer, so who is refused then is until
 * the first of them opens; those refused before are until `open`. */
static uint64_t look_again_at(struct sim_sm *sm, uint32_t number,
                              uint32_t taken, uint64_t left, uint64_t open,
                              uint64_t now)
{
    const struct sim_chip *chip = sm->chip;
    struct sim_scheduler *s = &sm->scheduler[number];
    uint64_t next = teg_max(now + chip->period, s->reads_until);

    if ((left & ~s->kind[taken].ready) != 0) {
        uint64_t refused = find_refused(sm, number, next, &open);

        return (s->ready & ~refused) != 0 ? next : sim_slot_from(chip, open);
    }
    open = teg_min(open,
                   sim_units_of_ports(&sm->units, taken, number, next).ready);
    if (open <= next)
        return next;
    note_closed(s, taken, 1, next);
    return sim_slot_from(chip, open);
}

/* A warp is refused by its units whether or not it would have been chosen, and
 * by what lies behind them when it is. */
void sim_scheduler_visit(struct sim_sm *sm, uint32_t number, uint64_t now)
{
    struct sim_scheduler *s = &sm->scheduler[number];
    uint64_t refused, left, denied = 0, open = SIM_NEVER, again;
    uint32_t taken = 0;
    int chosen, each_slot;

    collect_ready(sm, number, now);
    refused = find_refused(sm, number, now, &open);
    chosen = choose(sm, number, now, refused, &open, &denied, &left);
    if (s->heard && (s->denied | denied) != 0)
        set_denied(s, denied, now);
    each_slot = sm->chip->each_slot || denied != 0;
    again = sim_slot_from(sm->chip, open);
    if (chosen != SIM_NO_WARP)
        taken = issue(sm, number, chosen, now);
    if (sm->products_from > now) /* its issue may have let the denied go on */
        again = teg_min(again, sm->products_from);
    if (s->heard && s->early != 0 && s->reads_until > now)
        delay_early(s, now);
    if (each_slot && (left != 0 || (sm->chip->takes_turns && s->ready != 0)))
        again = teg_min(again, now + sm->chip->period);
    else if (left != 0)
        again = look_again_at(sm, number, taken, left, open, now);
    if (!each_slot && s->next_ready < again && again != SIM_NEVER &&
        again > now + sm->chip->period)
        join_refused(s, again);
    s->wake = teg_max(teg_min(again, s->next_ready), s->reads_until);
}
