#include "sim/engine/engine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "isa/base/array.h"
#include "sim/engine/cga.h"
#include "sim/engine/deadlock.h"
#include "sim/engine/dependent.h"
#include "sim/engine/dispatch.h"
#include "sim/engine/ears.h"
#include "sim/engine/results.h"
#include "sim/engine/sm.h"
#include "sim/engine/threads.h"

/*
 * The clock runs in windows of cycles.  In a window each SM runs by itself and
 * leaves what it asks of the memory that SMs share in its pending list; then that
 * memory serves all in the order of issue; then SMs take note of the results;
 * then blocks that have ended make room for others.  This is exact as long as
 * nothing that comes of it can matter before the window's end:
 *   - results of shared memory take a lookahead of cycles, and so do the warps
 *     of a new block to start: no window is longer;
 *   - what is left takes note of an order between SMs (chip_runs_ahead).
 * Otherwise windows are of one cycle and memory is asked at once.
 */
enum {
    PROGRESS_CYCLES = 4096,
    WINDOW_MIN = 8, /* cycles: shorter ones are not worth the entries */
    WINDOW_MAX = 512,
    AHEAD = 2, /* pending entries */
    /* Posts of a window that processor caches hold, bytes. */
    POSTS_MANY = 1 << 20,
};

struct sim_engine {
    const struct sim_engine_setup *setup; /* borrowed */
    const struct sim_engine_news *news;   /* borrowed; may be NULL */
    struct sim_chip chip;
    struct sim_grid **coming; /* owned, as are they, [comings]: later */
    uint32_t comings;
    size_t coming_capacity;
    uint32_t launches;            /* so far */
    uint32_t unbegun;             /* that have come, without a block so far */
    uint32_t awaiting;            /* of those coming: for what they depend on */
    int is_open;                  /* others may come that are not known yet */
    uint64_t due;                 /* blocks may be handed out in that cycle */
    uint64_t told;                /* of the progress */
    struct sim_sm *sm;            /* owned, [sms] */
    struct sim_dispatch dispatch; /* its grids are owned */
    struct sim_cgas cgas;
    uint64_t ended;       /* blocks */
    uint64_t unmet_waits; /* for what no block writes: board.h */
    int may_run_ahead;
    uint64_t window;             /* cycles, at most; for the host's sake */
    uint64_t until;              /* end of the window */
    struct sim_threads *threads; /* owned */
    struct open_issue {
        uint32_t sm, offset; /* in its pending list */
    } * open; /* owned, [open_count]: open entries in the order of issue */
    uint32_t open_count, open_capacity;
    uint64_t windows; /* in which SMs ran ahead, so far */
};

static void count_hot_words(struct sim_engine *r,
                            struct sim_engine_outcome *outcome)
{
    struct sim_hot_words *hot = r->chip.hot;

    if (hot == NULL)
        return;
    for (uint32_t i = 1; i < r->setup->sms; i++)
        sim_hot_words_join(&hot[0], &hot[i]);
    sim_hot_words_count(&hot[0], &outcome->atomic_words,
                        &outcome->atomic_word_most);
}

/* ---- what was felt --------------------------------------------------------- */

/* Of a kind of ports it is not known which of its units refused.  Behind a queue and
 * at the data stage (stage.h) an instruction waits without being refused, and of two
 * units one stands in for the other. */
static uint32_t units_felt(const struct sim_engine *r)
{
    const struct sim_port_kinds *kinds = &r->chip.ports;
    const struct teg_gpu *gpu = r->setup->gpu;
    uint64_t refused[SIM_PORT_WORDS] = {0};
    uint32_t felt = 1u << gpu->timing[CLASS_LDS].unit[0];

    for (uint32_t i = 0; i < r->setup->sms; i++) {
        for (uint32_t s = 0; s < sim_sm_schedulers(&r->sm[i]); s++) {
            for (uint32_t w = 0; w < SIM_PORT_WORDS; w++)
                refused[w] |= r->sm[i].scheduler[s].refused[w];
        }
    }
    for (uint32_t k = 0; k < kinds->count; k++) {
        const struct sim_ports *p = &kinds->at[k];
        int is_felt = p->unit_count > 1 || (refused[k / 64] >> k % 64 & 1) != 0;

        for (uint32_t u = 0; u < p->unit_count; u++)
            felt |= is_felt ? 1u << p->unit[u] : 0;
        if (is_felt && p->second != TEG_NO_UNIT)
            felt |= 1u << p->second;
    }
    for (uint32_t u = 0; u < gpu->unit_count; u++)
        felt |= gpu->unit[u].queue != 0 ? 1u << u : 0;
    return felt;
}

static uint64_t reading_cycles(const struct sim_engine *r)
{
    uint64_t cycles = 0;

    for (uint32_t i = 0; i < r->setup->sms; i++) {
        for (uint32_t s = 0; s < sim_sm_schedulers(&r->sm[i]); s++)
            cycles += sim_scheduler_reading(&r->sm[i].scheduler[s], SIM_NEVER);
    }
    return cycles;
}

/* ---- launches ------------------------------------------------------------- */

static void grid_free(struct sim_grid *g)
{
    if (g == NULL)
        return;
    sim_grid_release(g);
    free(g);
}

static uint64_t next_coming(const struct sim_engine *r)
{
    uint64_t from = r->due;

    for (uint32_t i = 0; i < r->comings; i++) {
        if (!r->coming[i]->awaits)
            from = teg_min(from, r->coming[i]->from);
    }
    return from;
}

/* Those that depend on others may come once these let them. */
static void release_dependents(struct sim_engine *r)
{
    for (uint32_t i = 0; r->awaiting != 0 && i < r->comings; i++) {
        struct sim_grid *g = r->coming[i];
        uint64_t released;

        if (!g->awaits)
            continue;
        released = sim_dependent_release(g->primary, r->sm, r->setup->sms);
        if (released == SIM_NEVER)
            continue;
        g->awaits = 0;
        r->awaiting--;
        g->from = teg_max(g->from, released + teg_max(g->gap, 1));
    }
}

/* Nobody waits any longer for `primary`, which has ended. */
static void settle_dependents(struct sim_engine *r,
                              const struct sim_grid *primary, uint64_t now)
{
    for (uint32_t i = 0; i < r->comings; i++) {
        if (r->coming[i]->primary == primary)
            sim_dependent_settle(r->coming[i], r->sm, r->setup->sms, now);
    }
    for (uint32_t i = 0; i < r->dispatch.count; i++) {
        if (r->dispatch.come[i]->primary == primary)
            sim_dependent_settle(r->dispatch.come[i], r->sm, r->setup->sms,
                                 now);
    }
}

/* Lets those come whose time it is; returns how many in `*come`. */
static teg_status let_come(struct sim_engine *r, uint64_t now, uint32_t *come,
                           struct teg_diag *d)
{
    uint32_t kept = 0;

    *come = 0;
    for (uint32_t i = 0; i < r->comings; i++) {
        struct sim_grid *g = r->coming[i];

        r->coming[i] = NULL;
        r->coming[kept] = g;
        if (g->awaits || g->from > now) {
            kept++;
            continue;
        }
        TRY(sim_dispatch_add(&r->dispatch, g, d));
        g->released = now;
        r->coming[kept] = NULL;
        ++*come;
    }
    r->comings = kept;
    r->unbegun += *come;
    return TEG_OK;
}

static void finish_grid(struct sim_grid *g, uint64_t cycles)
{
    if (g == NULL)
        return;
    sim_ears_join(&g->ears);
    sim_announce_finish(g->ears.listener, g->ears.listeners, cycles);
}

/* Tells of those that have begun; returns how many. */
static uint32_t tell_begun(struct sim_engine *r, uint64_t now)
{
    uint32_t begun = 0;

    for (uint32_t i = 0; i < r->dispatch.count; i++) {
        struct sim_grid *g = r->dispatch.come[i];

        if (g->has_begun || (g->handed_out == 0 && !sim_grid_has_ended(g)))
            continue;
        g->has_begun = 1;
        r->unbegun--;
        begun++;
        if (r->news != NULL && r->news->begun != NULL)
            r->news->begun(r->news->self, g->number, now);
    }
    return begun;
}

/* The last of the dispatcher's that has ended, or its count. */
static uint32_t find_ended(const struct sim_engine *r)
{
    for (uint32_t i = r->dispatch.count; i-- > 0;) {
        const struct sim_grid *g = r->dispatch.come[i];

        if (g->has_begun && sim_grid_has_ended(g) && g->primary == NULL)
            return i;
    }
    return r->dispatch.count;
}

/* Takes away those that have ended; returns how many. */
static uint32_t let_end(struct sim_engine *r, uint64_t now)
{
    uint32_t ended = 0, i;

    release_dependents(r);
    while ((i = find_ended(r)) < r->dispatch.count) {
        struct sim_grid *g = r->dispatch.come[i];

        sim_dispatch_remove(&r->dispatch, i);
        settle_dependents(r, g, now);
        finish_grid(g, g->cycles);
        ended++;
        if (r->news != NULL && r->news->ended != NULL)
            r->news->ended(r->news->self, g->number, now);
        grid_free(g);
    }
    return ended;
}

/* Whether no block waits for room, and no other will. */
static int is_over(const struct sim_engine *r)
{
    if (r->is_open || r->comings != 0)
        return 0;
    for (uint32_t i = 0; i < r->dispatch.count; i++) {
        if (!sim_grid_is_over(r->dispatch.come[i]))
            return 0;
    }
    return 1;
}

static int has_clusters(const struct sim_engine *r)
{
    for (uint32_t i = 0; i < r->dispatch.count; i++) {
        if (r->dispatch.come[i]->cluster > 1)
            return 1;
    }
    return 0;
}

/* ---- what happens next ------------------------------------------------------ */

static uint64_t earliest_wake(const struct sim_engine *r)
{
    uint64_t now = next_coming(r);

    for (uint32_t i = 0; i < r->setup->sms; i++) {
        const struct sim_sm *sm = &r->sm[i];

        if (sm->wake < now)
            now = sm->wake;
        if (sm->next_block_end < now)
            now = sm->next_block_end;
    }
    return now;
}

static teg_status report_deadlock(const struct sim_engine *r,
                                  struct teg_diag *d)
{
    for (uint32_t i = 0; i < r->setup->sms; i++) {
        if (r->sm[i].blocks != 0)
            return sim_deadlock(r->sm, r->setup->sms, d);
    }
    if (r->dispatch.come[0]->cluster > 1)
        return teg_fail(d, TEG_LIMIT, "",
                        "expected room for a cluster of %u blocks in one of "
                        "%u groups of SMs, of %u SMs that are simulated with "
                        "%u blocks each, found none",
                        r->dispatch.come[0]->waiting, r->setup->gpu->chip.gpcs,
                        r->setup->sms, r->dispatch.come[0]->blocks_per_sm);
    return teg_fail(d, TEG_DEADLOCK, "", "a block waits, but no SM has room");
}

static uint64_t next_event(const struct sim_engine *r)
{
    uint64_t next = next_coming(r);

    for (uint32_t i = 0; i < r->setup->sms; i++) {
        if (r->sm[i].next_block_end < next)
            next = r->sm[i].next_block_end;
    }
    return next;
}

/* Before `until`, one cycle after the other, removes the blocks that end, lets
 * launches come and fills places, until a launch begins or ends: then in cycle
 * `*stopped`. */
static teg_status replace_blocks(struct sim_engine *r, uint64_t until,
                                 uint64_t *stopped, struct teg_diag *d)
{
    for (uint64_t now = next_event(r); now < until; now = next_event(r)) {
        uint32_t ended = 0, come;

        for (uint32_t i = 0; i < r->setup->sms; i++)
            ended += sim_sm_retire(&r->sm[i], now);
        r->ended += ended;
        TRY(let_come(r, now, &come, d));
        if (let_end(r, now) != 0) {
            r->due = *stopped = now;
            return TEG_OK;
        }
        if (ended + come != 0 || r->due <= now)
            TRY(sim_dispatch(&r->dispatch, now, d));
        r->due = SIM_NEVER;
        if (r->unbegun != 0 && tell_begun(r, now) != 0) {
            r->due = let_end(r, now) != 0 ? now : SIM_NEVER;
            *stopped = now;
            return TEG_OK;
        }
    }
    return TEG_OK;
}

/* ---- windows ------------------------------------------------------------- */

/* Whether all that SMs share can wait for its turn: a limit on what a cluster
 * has in flight is asked before issuing, a unit's places are held until results
 * are there. */
static int chip_runs_ahead(const struct teg_gpu *gpu)
{
    for (uint32_t u = 0; u < gpu->unit_count; u++) {
        if (gpu->unit[u].capacity != 0)
            return 0;
    }
    return gpu->memory.in_flight_bytes == 0;
}

/* A listener that cannot be split wants everything in order. */
static int can_be_split(const struct sim_listener *listener, uint32_t listeners)
{
    for (uint32_t i = 0; i < listeners; i++) {
        if (listener[i].on_issue != NULL && listener[i].split == NULL)
            return 0;
    }
    return 1;
}

/* Likewise, of launches that depend on others. */
static uint64_t dependent_lookahead(const struct sim_engine *r)
{
    uint64_t cycles = SIM_NEVER;

    for (uint32_t i = 0; r->awaiting != 0 && i < r->comings; i++) {
        if (r->coming[i]->awaits)
            cycles = teg_min(cycles, teg_max(r->coming[i]->gap, 1));
    }
    for (uint32_t i = 0; i < r->dispatch.count; i++) {
        if (r->dispatch.come[i]->primary != NULL)
            cycles = teg_min(cycles, sim_dependent_latency(r->setup->gpu));
    }
    return cycles;
}

/* Cycles in which nothing that SMs share can matter to another SM. */
static uint64_t lookahead(const struct sim_engine *r)
{
    const struct teg_gpu *gpu = r->setup->gpu;
    uint64_t cycles =
        teg_min(sim_memory_lookahead(gpu), dependent_lookahead(r));

    for (uint32_t i = 0; i < r->dispatch.count; i++)
        cycles = teg_min(cycles, r->dispatch.come[i]->ops.store_latency_min);

    /* A cluster's warps go on that much after the last of them has come; what
     * one asks of another's shared memory takes that long. */
    if (has_clusters(r))
        cycles = teg_min(cycles, teg_max(gpu->sm.cluster_barrier_latency, 1));
    if (has_clusters(r))
        cycles = teg_min(cycles, teg_max(gpu->shared.remote_latency, 1));
    /* A block's warps start that much after the cycle in which it gets its
     * place, the one after a window's first at the earliest; but they are
     * counted at once where warps take turns. */
    if (!is_over(r) && r->chip.takes_turns)
        cycles = 1;
    if (!is_over(r))
        cycles = teg_min(cycles, (uint64_t)gpu->chip.dispatch_latency + 1);
    return cycles;
}

static void set_window(struct sim_engine *r, uint64_t now)
{
    uint64_t cycles = r->may_run_ahead ? teg_min(lookahead(r), r->window) : 1;

    r->chip.runs_ahead = cycles >= WINDOW_MIN;
    r->until = now + (r->chip.runs_ahead ? cycles : 1);
}

static void run_sm(void *self, uint32_t sm, uint32_t hand)
{
    struct sim_engine *r = self;

    r->sm[sm].hand = hand;
    sim_sm_run(&r->sm[sm], r->until);
}

static void settle_sm(void *self, uint32_t sm, uint32_t hand)
{
    struct sim_engine *r = self;

    r->sm[sm].hand = hand;
    sim_results_settle(&r->sm[sm]);
}

/* Puts the open entries of the window, that began at `from`, into the order of
 * issue: by cycle, by SM, and as the SM issued them. */
static teg_status order_pending(struct sim_engine *r, uint64_t from,
                                struct teg_diag *d)
{
    uint32_t first[WINDOW_MAX + 1] = {0};
    uint32_t count = 0;

    for (uint32_t i = 0; i < r->setup->sms; i++) {
        const struct sim_pending_list *o = &r->sm[i].pending;
        uint32_t at = o->first_open;

        count += o->opened;
        for (; at != SIM_NO_PENDING; at = sim_pending_at(o, at)->next_open)
            first[sim_pending_at(o, at)->issue.cycle - from + 1]++;
    }
    if (count > r->open_capacity) {
        struct open_issue *open = realloc(r->open, 2 * count * sizeof *open);

        if (open == NULL)
            return teg_fail_memory(d);
        r->open = open;
        r->open_capacity = 2 * count;
    }
    for (uint32_t i = 1; i <= WINDOW_MAX; i++)
        first[i] += first[i - 1];
    for (uint32_t i = 0; i < r->setup->sms; i++) {
        const struct sim_pending_list *o = &r->sm[i].pending;
        uint32_t at = o->first_open;

        for (; at != SIM_NO_PENDING; at = sim_pending_at(o, at)->next_open)
            r->open[first[sim_pending_at(o, at)->issue.cycle - from]++] =
                (struct open_issue){i, at};
    }
    r->open_count = count;
    return TEG_OK;
}

/* Entries lie where their SM left them: the host fetches one while it serves
 * another. */
static void expect_pending(const struct sim_pending_list *list, uint32_t offset)
{
    const struct sim_pending *p = sim_pending_at(list, offset);

    __builtin_prefetch(&p->request);
    __builtin_prefetch(&p->result, 1);
    __builtin_prefetch(&p->misses.miss[0]);
}

static void serve_pending(struct sim_engine *r)
{
    for (uint32_t i = 0; i < r->open_count; i++) {
        const struct open_issue *t = &r->open[i];
        struct sim_pending *p =
            sim_pending_at(&r->sm[t->sm].pending, t->offset);

        if (i + AHEAD < r->open_count)
            expect_pending(&r->sm[t[AHEAD].sm].pending, t[AHEAD].offset);
        p->result = sim_memory_end(r->chip.memory, &p->misses, &p->request);
    }
}

/* Windows whose pending entries no cache of the host holds are too long. */
static void adapt_window(struct sim_engine *r)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < r->setup->sms; i++)
        bytes += r->sm[i].pending.used;
    if (bytes > POSTS_MANY && r->window > 2 * WINDOW_MIN)
        r->window /= 2;
    else if (bytes < POSTS_MANY / 4 && r->window < WINDOW_MAX)
        r->window *= 2;
}

static teg_status check_pending(const struct sim_engine *r, struct teg_diag *d)
{
    for (uint32_t i = 0; i < r->setup->sms; i++) {
        if (r->sm[i].pending.failed)
            return teg_fail_memory(d);
    }
    return TEG_OK;
}

/* The SMs in a window that begins at `now`. */
static teg_status run_window(struct sim_engine *r, uint64_t now,
                             struct teg_diag *d)
{
    if (!r->chip.runs_ahead) {
        for (uint32_t i = 0; i < r->setup->sms; i++)
            sim_sm_run(&r->sm[i], r->until);
        return TEG_OK;
    }
    r->windows++;
    sim_threads_share(r->threads, run_sm, r);
    TRY(check_pending(r, d));
    TRY(order_pending(r, now, d));
    if (r->open_count != 0) {
        serve_pending(r);
        adapt_window(r);
        sim_threads_share(r->threads, settle_sm, r);
    }
    return TEG_OK;
}

/* What waits for the end of a window, that blocks of a cluster have told each
 * other. */
static void meet_clusters(struct sim_engine *r)
{
    if (has_clusters(r))
        sim_outbox_deliver(r->sm, r->setup->sms);
    sim_cgas_settle(&r->cgas, r->sm);
}

static teg_status tell_progress(struct sim_engine *r, uint64_t now,
                                struct teg_diag *d)
{
    const struct sim_engine_setup *setup = r->setup;

    if (setup->progress == NULL || now - r->told < PROGRESS_CYCLES)
        return TEG_OK;
    r->told = now;
    if (setup->progress(setup->progress_self, r->ended, now))
        return teg_fail(d, TEG_INTERRUPTED, "",
                        "interrupted in cycle %" PRIu64 " after %" PRIu64
                        " blocks",
                        now, r->ended);
    return TEG_OK;
}

/* The next window that begins before `until`. */
static teg_status go_on(struct sim_engine *r, uint64_t until, uint64_t *stopped,
                        int *idle, struct teg_diag *d)
{
    uint64_t now = earliest_wake(r);

    *idle = now >= until;
    if (now == SIM_NEVER && r->dispatch.count != 0) {
        r->unmet_waits += sim_board_give_up(r->sm, r->setup->sms, r->until);
        now = earliest_wake(r);
        *idle = now >= until;
    }
    if (now == SIM_NEVER && r->dispatch.count != 0)
        return report_deadlock(r, d);
    if (*idle)
        return TEG_OK;
    TRY(replace_blocks(r, now + 1, stopped, d));
    if (*stopped != SIM_NEVER)
        return TEG_OK;
    set_window(r, now);
    TRY(run_window(r, now, d));
    meet_clusters(r);
    return sim_board_put_up(r->sm, r->setup->sms) ? TEG_OK : teg_fail_memory(d);
}

teg_status sim_engine_advance(struct sim_engine *r, uint64_t until,
                              uint64_t *reached, struct teg_diag *d)
{
    uint64_t stopped = SIM_NEVER;
    int idle = 0;

    while (!idle) {
        /* SMs have run up to r->until; so far nobody has left. */
        uint64_t from = r->until;

        release_dependents(r);
        TRY(replace_blocks(r, teg_min(from, until), &stopped, d));
        if (stopped != SIM_NEVER || from > until)
            break;
        TRY(go_on(r, until, &stopped, &idle, d));
        if (stopped != SIM_NEVER)
            break;
        TRY(tell_progress(r, from, d));
    }
    *reached = teg_min(stopped, until);
    return sim_memory_failed(r->chip.memory) ? teg_fail_memory(d) : TEG_OK;
}

/* ---- a run --------------------------------------------------------------- */

static teg_status make_chip(struct sim_engine *r, struct teg_diag *d)
{
    const struct sim_engine_setup *setup = r->setup;
    uint32_t hands;

    sim_chip_init(&r->chip, setup->gpu);
    r->chip.cgas = &r->cgas;
    r->chip.heard = r->news != NULL || setup->listeners != 0;
    TRY(sim_memory_new(setup->gpu, setup->sms, setup->l1_bytes, &r->chip.memory,
                       d));
    r->chip.finds_cold = setup->before == NULL;
    if (setup->before != NULL)
        TRY(sim_memory_carry(r->chip.memory, setup->before, d));
    if (setup->lead != NULL)
        sim_memory_lead(r->chip.memory, setup->lead->followers);
    r->sm = calloc(setup->sms, sizeof *r->sm);
    if (r->sm == NULL)
        return teg_fail_memory(d);
    for (uint32_t i = 0; i < setup->sms; i++)
        sim_sm_init(&r->sm[i], &r->chip, i);
    r->dispatch = (struct sim_dispatch){
        .setup = setup,
        .chip = &r->chip,
        .sm = r->sm,
        .cgas = &r->cgas,
    };
    r->may_run_ahead = chip_runs_ahead(setup->gpu) &&
                       can_be_split(setup->listener, setup->listeners);
    r->window = WINDOW_MAX;
    hands = r->may_run_ahead && setup->threads > 1 ? setup->threads : 1;
    TRY(sim_threads_new(hands < setup->sms ? hands : setup->sms, setup->sms,
                        &r->threads, d));
    r->chip.known =
        calloc(sim_threads_hands(r->threads), sizeof *r->chip.known);
    return r->chip.known != NULL ? TEG_OK : teg_fail_memory(d);
}

teg_status sim_engine_new(const struct sim_engine_setup *setup,
                          const struct sim_engine_news *news,
                          struct sim_engine **engine, struct teg_diag *d)
{
    struct sim_engine *r = calloc(1, sizeof *r);

    *engine = r;
    if (r == NULL)
        return teg_fail_memory(d);
    r->setup = setup;
    r->news = news;
    r->is_open = 1;
    r->due = SIM_NEVER;
    r->until = 1; /* who comes in cycle 0 does so before anything happens */
    return make_chip(r, d);
}

void sim_engine_free(struct sim_engine *r)
{
    if (r == NULL)
        return;
    for (uint32_t i = 0; r->sm != NULL && i < r->setup->sms; i++)
        sim_sm_release(&r->sm[i]);
    free(r->sm);
    sim_threads_free(r->threads);
    free(r->open);
    for (uint32_t i = 0; i < r->dispatch.count; i++)
        grid_free(r->dispatch.come[i]);
    for (uint32_t i = 0; i < r->comings; i++)
        grid_free(r->coming[i]);
    free(r->coming);
    sim_dispatch_release(&r->dispatch);
    sim_cgas_release(&r->cgas);
    sim_memory_free(r->chip.memory);
    free(r->chip.hot);
    free(r->chip.known);
    free(r);
}

/* The launch of that number, if it has not ended. */
static const struct sim_grid *find_grid(const struct sim_engine *r,
                                        uint32_t number)
{
    for (uint32_t i = 0; i < r->comings; i++) {
        if (r->coming[i]->number == number)
            return r->coming[i];
    }
    for (uint32_t i = 0; i < r->dispatch.count; i++) {
        if (r->dispatch.come[i]->number == number)
            return r->dispatch.come[i];
    }
    return NULL;
}

static teg_status make_grid(struct sim_engine *r,
                            const struct sim_engine_launch *l,
                            struct sim_grid *g, struct teg_diag *d)
{
    g->number = r->launches++;
    g->code = l->code;
    g->blocks_per_sm = l->blocks_per_sm;
    g->needs = l->needs;
    g->priority = l->priority;
    g->from = l->from;
    g->gap = l->gap;
    g->primary = find_grid(r, l->primary);
    g->awaits = g->primary != NULL;
    r->awaiting += g->primary != NULL;
    TRY(sim_grid_init(g, l->launch, r->setup->gpu, r->setup->sms,
                      &r->chip.ports, d));
    sim_announce_start(l->listener, l->listeners, r->setup->gpu,
                       &l->launch->kernel->program, r->setup->sms);
    return sim_ears_split(&g->ears, l->listener, l->listeners,
                          sim_threads_hands(r->threads), d);
}

teg_status sim_engine_add(struct sim_engine *r,
                          const struct sim_engine_launch *l, struct teg_diag *d)
{
    struct sim_grid *g, **coming;

    coming = teg_array_room(r->coming, r->comings, &r->coming_capacity,
                            sizeof *coming);
    if (coming == NULL)
        return teg_fail_memory(d);
    r->coming = coming;
    g = calloc(1, sizeof *g);
    if (g == NULL)
        return teg_fail_memory(d);
    r->coming[r->comings++] = g;
    r->may_run_ahead &= can_be_split(l->listener, l->listeners);
    return make_grid(r, l, g, d);
}

struct sim_memory *sim_engine_memory(struct sim_engine *r)
{
    return r->chip.memory;
}

static uint64_t latest_completion(const struct sim_engine *r)
{
    uint64_t cycles = 0;

    for (uint32_t i = 0; i < r->setup->sms; i++) {
        if (r->sm[i].cycles > cycles)
            cycles = r->sm[i].cycles;
    }
    return cycles;
}

void sim_engine_finish(struct sim_engine *r, struct sim_engine_outcome *outcome)
{
    outcome->cycles = latest_completion(r);
    outcome->blocks = r->ended;
    outcome->windows = r->windows;
    outcome->unmet_waits = r->unmet_waits;
    outcome->units_felt = units_felt(r);
    outcome->reading_cycles = reading_cycles(r);
    sim_memory_channel_bytes(r->chip.memory, &outcome->channel_bytes_max,
                             &outcome->channel_bytes_sum);
    outcome->atomic_slice_cycles = sim_memory_atomic_cycles(r->chip.memory);
    count_hot_words(r, outcome);
    for (uint32_t i = 0; i < r->dispatch.count; i++)
        finish_grid(r->dispatch.come[i], outcome->cycles);
    for (uint32_t i = 0; i < r->comings; i++)
        finish_grid(r->coming[i], outcome->cycles);
}

static teg_status run_alone(struct sim_engine *r, struct teg_launch *launch,
                            struct teg_diag *d)
{
    const struct sim_engine_launch alone = {
        .launch = launch,
        .listener = r->setup->listener,
        .listeners = r->setup->listeners,
        .blocks_per_sm = r->setup->blocks_per_sm,
        .primary = SIM_NO_LAUNCH,
    };
    uint64_t now;

    TRY(sim_engine_add(r, &alone, d));
    r->is_open = 0;
    do {
        TRY(sim_engine_advance(r, SIM_NEVER, &now, d));
    } while (now != SIM_NEVER);
    return TEG_OK;
}

teg_status sim_engine_run(struct teg_launch *launch,
                          const struct sim_engine_setup *setup,
                          struct sim_engine_outcome *outcome,
                          struct teg_diag *d)
{
    struct sim_engine *r;
    teg_status status = sim_engine_new(setup, NULL, &r, d);

    *outcome = (struct sim_engine_outcome){0};
    if (status == TEG_OK) {
        status = run_alone(r, launch, d);
        sim_engine_finish(r, outcome);
    }
    if (status == TEG_OK && setup->after != NULL) {
        sim_memory_free(*setup->after);
        *setup->after = r->chip.memory;
        r->chip.memory = NULL;
    }
    sim_engine_free(r);
    return status;
}
