#include "sim/engine/mbarrier.h"

#include <stdlib.h>

#include "sim/engine/counter.h"
#include "sim/engine/lsu.h"
#include "sim/engine/results.h"
#include "sim/engine/sm.h"
#include "sim/engine/values.h"

enum {
    PARITY_NONE = 2, /* the phase asked for had not ended: nobody waits */
    FIRST = 16,
};

static struct sim_mbarrier *find(struct sim_resident *b, uint64_t address)
{
    for (uint32_t i = 0; i < b->mbarriers.count; i++) {
        if (b->mbarriers.at[i].address == address)
            return &b->mbarriers.at[i];
    }
    return NULL;
}

/* NULL out of memory. */
static struct sim_mbarrier *find_or_add(struct sim_sm *sm,
                                        struct sim_resident *b,
                                        uint64_t address)
{
    struct sim_mbarriers *all = &b->mbarriers;
    struct sim_mbarrier *found = find(b, address);

    if (found != NULL)
        return found;
    if (all->count == all->capacity) {
        uint32_t capacity = all->capacity != 0 ? 2 * all->capacity : FIRST;
        struct sim_mbarrier *at = realloc(all->at, capacity * sizeof *at);

        if (at == NULL) {
            sm->pending.failed = 1;
            return NULL;
        }
        all->at = at;
        all->capacity = capacity;
    }
    return &all->at[all->count++];
}

/* ---- phases -------------------------------------------------------------- */

/* The answer takes its time from the question on, which is the latency of the
 * test's result, or from the end of the phase if that comes later. */
static void hold_until_told(struct sim_warp *w, uint64_t end)
{
    uint64_t answer = end > w->phase_asked_at ? w->phase_answer : 0;

    sim_warp_hold(w, STALL_LONG, end + answer);
}

/* Lets those go on who wait for a phase that has ended and whose end is
 * known. */
static void wake(struct sim_sm *sm, struct sim_resident *b,
                 const struct sim_mbarrier *m)
{
    uint32_t index = (uint32_t)(m - b->mbarriers.at);

    if (m->last.open != 0)
        return;
    for (uint64_t rest = b->slots; rest != 0; rest &= rest - 1) {
        struct sim_warp *w = &sm->warp[__builtin_ctzll(rest)];

        if (w->parked != SIM_PARKED_PHASE || w->waits_at != index ||
            w->waits_phase >= m->ended)
            continue;
        w->parked = SIM_NOT_PARKED;
        hold_until_told(w, m->last.at);
        sim_sm_await(sm, w);
    }
}

/* Ends the phase if nothing more is to come. */
static void may_end(struct sim_sm *sm, struct sim_resident *b,
                    struct sim_mbarrier *m)
{
    if (m->left > 0 || m->bytes != 0)
        return;
    m->left = m->count;
    m->last = m->now;
    m->now = (struct sim_phase){0};
    m->ended++;
    wake(sm, b, m);
}

static void contribute(struct sim_sm *sm, struct sim_resident *b,
                       struct sim_mbarrier *m, int64_t arrivals, int64_t bytes,
                       uint64_t done)
{
    m->left -= arrivals;
    m->bytes += bytes;
    m->now.at = teg_max(m->now.at, done);
    may_end(sm, b, m);
}

/* ---- what warps do ------------------------------------------------------- */

void sim_mbarrier_init(struct sim_sm *sm, const struct sim_warp *w,
                       const struct sim_values *v)
{
    uint64_t address = sim_value_first(v, 0);
    int64_t count = (int64_t)sim_value_first(v, 1);
    struct sim_mbarrier *m =
        find_or_add(sm, &sm->resident[w->resident], address);

    if (m != NULL)
        *m = (struct sim_mbarrier){
            .address = address, .count = count, .left = count};
}

static void hear(struct sim_sm *sm, struct sim_resident *b,
                 const struct sim_news *news, uint64_t done)
{
    struct sim_mbarrier *m = find(b, news->address);

    if (m == NULL)
        return;
    m->count -= news->leaving;
    contribute(sm, b, m, news->arrivals, news->bytes, done);
}

/* The same at mbarriers of other blocks: of products of tensor memory, of which
 * it is known when they are done.  Blocks: see isa/inst/values.def. */
static void follow_elsewhere(struct sim_sm *sm, const struct sim_warp *w,
                             const struct sim_op *op,
                             const struct sim_values *v,
                             const struct sim_times *t)
{
    struct sim_resident *b = &sm->resident[w->resident];
    uint64_t joined = w->counter[op->joined], at = sim_value_first(v, 0);
    uint64_t blocks = at >> SIM_BLOCKS_AT;
    struct sim_news news = {.arrivals = (int64_t)sim_value_first(v, 1),
                            .bytes = (int64_t)sim_value_first(v, 2)};
    struct sim_times times = *t;

    if (!sim_counter_is_open(joined))
        times.done = teg_max(t->done, sim_counter_cycle(joined));
    if (blocks == 0) {
        news.address = at;
        sim_outbox_send(sm, b, &news, &times);
    }
    news.address = at & UINT32_MAX;
    if (blocks & 1) /* no network lies between */
        sim_mbarrier_come(sm, b, &news, times.done, 0);
    for (blocks &= ~UINT64_C(1); blocks != 0; blocks &= blocks - 1) {
        news.address = (at & UINT32_MAX) +
                       ((uint64_t)__builtin_ctzll(blocks) << SIM_BEHIND_BIT);
        sim_outbox_send(sm, b, &news, &times);
    }
}

/* Arrivals of lanes at one mbarrier, when what they follow is done. */
static void follow(struct sim_sm *sm, const struct sim_warp *w,
                   const struct sim_op *op, const struct sim_values *v,
                   const struct sim_times *t)
{
    struct sim_resident *b = &sm->resident[w->resident];
    uint64_t joined = w->counter[op->joined];
    int open = sim_counter_is_open(joined);
    struct sim_news news = {.address = sim_value_first(v, 0)};
    struct sim_mbarrier_note note;

    if (news.address >> SIM_BEHIND_BIT != 0) {
        follow_elsewhere(sm, w, op, v, t);
        return;
    }
    for (uint32_t rest = v->mask; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);

        news.arrivals += (int64_t)sim_value(v, 1, lane);
        news.bytes += (int64_t)sim_value(v, 2, lane);
    }
    note = sim_mbarrier_come(sm, b, &news,
                             teg_max(t->done, sim_counter_cycle(joined)), open);
    if (open)
        sim_results_follow(sm, w, op->joined, note, t->done);
}

void sim_mbarrier_arrive(struct sim_sm *sm, const struct sim_warp *w,
                         const struct sim_op *op, const struct sim_values *v,
                         const struct sim_times *t)
{
    struct sim_resident *b = &sm->resident[w->resident];

    if (op->follows) {
        follow(sm, w, op, v, t);
        return;
    }

    for (uint32_t rest = v->mask; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint64_t arrivals = sim_value(v, 1, lane);
        const struct sim_news news = {
            .address = sim_value(v, 0, lane),
            .arrivals = (int64_t)(arrivals & UINT32_MAX),
            .leaving = (int64_t)(arrivals >> 32),
            .bytes = (int64_t)sim_value(v, 2, lane),
        };

        if (sim_behind(news.address) != 0)
            sim_outbox_send(sm, b, &news, t);
        else
            hear(sm, b, &news, t->done);
    }
}

void sim_mbarrier_sent(struct sim_sm *sm, const struct sim_warp *w,
                       const struct sim_values *v, const struct sim_times *t)
{
    const struct sim_resident *b = &sm->resident[w->resident];
    struct sim_news news = {0};

    /* Lanes one behind the other that tell one mbarrier tell it together. */
    for (uint32_t rest = v->mask; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);

        if (news.bytes != 0 && news.address != sim_value(v, 2, lane)) {
            sim_outbox_send(sm, b, &news, t);
            news.bytes = 0;
        }
        news.address = sim_value(v, 2, lane);
        news.bytes -= (int64_t)sim_value(v, 1, lane);
    }
    sim_outbox_send(sm, b, &news, t);
}

void sim_mbarrier_hear(struct sim_sm *sm, struct sim_resident *b,
                       const struct sim_letter *letter)
{
    hear(sm, b, &letter->news, teg_max(letter->done, letter->floor));
    for (uint32_t s = 0; s < sm->chip->gpu->sm.schedulers; s++)
        sm->wake = teg_min(sm->wake, sm->scheduler[s].wake);
}

struct sim_mbarrier_note sim_mbarrier_come(struct sim_sm *sm,
                                           struct sim_resident *b,
                                           const struct sim_news *news,
                                           uint64_t done, int open)
{
    struct sim_mbarrier *m = find(b, news->address);
    struct sim_mbarrier_note note = {SIM_NO_MBARRIER, 0};

    if (m == NULL)
        return note;
    if (open) {
        note.mbarrier = (uint32_t)(m - b->mbarriers.at);
        note.phase = m->ended;
        m->now.open++;
        done = 0;
    }
    contribute(sm, b, m, news->arrivals, news->bytes, done);
    return note;
}

void sim_mbarrier_settle(struct sim_sm *sm, struct sim_resident *b,
                         struct sim_mbarrier_note note, uint64_t done)
{
    struct sim_mbarrier *m;
    struct sim_phase *phase;

    if (note.mbarrier == SIM_NO_MBARRIER)
        return;
    m = &b->mbarriers.at[note.mbarrier];
    phase = note.phase == m->ended ? &m->now : &m->last;
    phase->open--;
    phase->at = teg_max(phase->at, done);
    wake(sm, b, m);
}

int sim_mbarrier_ask(struct sim_sm *sm, struct sim_warp *w,
                     const struct sim_op *op, const struct sim_values *v,
                     uint64_t now)
{
    struct sim_resident *b = &sm->resident[w->resident];
    uint64_t parity = sim_value_first(v, 1);
    const struct sim_mbarrier *m = find(b, sim_value_first(v, 0));
    int has_ended;

    if (m == NULL || parity == PARITY_NONE)
        return 1;
    w->phase_asked_at = now;
    w->phase_answer = op->latency;
    has_ended = (m->ended & 1) != parity;
    if (has_ended && m->last.open == 0) {
        hold_until_told(w, m->last.at);
        return 1;
    }
    w->parked = SIM_PARKED_PHASE;
    w->waits_at = (uint32_t)(m - b->mbarriers.at);
    w->waits_phase = has_ended ? m->ended - 1 : m->ended;
    return 0;
}
