#include "sim/engine/engine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/engine/cga.h"
#include "sim/engine/deadlock.h"
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

struct run {
    const struct sim_engine_setup *setup;
    struct sim_chip chip;
    struct sim_grid grid;
    struct sim_sm *sm; /* owned, [sms] */
    struct sim_dispatch dispatch;
    struct sim_cgas cgas;
    uint64_t ended; /* blocks */
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

static void count_hot_words(struct run *r, struct sim_engine_outcome *outcome)
{
    struct sim_hot_words *hot = r->chip.hot;

    if (hot == NULL)
        return;
    for (uint32_t i = 1; i < r->setup->sms; i++)
        sim_hot_words_join(&hot[0], &hot[i]);
    sim_hot_words_count(&hot[0], &outcome->atomic_words,
                        &outcome->atomic_word_most);
}

static uint64_t earliest_wake(const struct run *r)
{
    uint64_t now = SIM_NEVER;

    for (uint32_t i = 0; i < r->setup->sms; i++) {
        const struct sim_sm *sm = &r->sm[i];

        if (sm->wake < now)
            now = sm->wake;
        if (sm->next_block_end < now)
            now = sm->next_block_end;
    }
    return now;
}

static teg_status report_deadlock(const struct run *r, struct teg_diag *d)
{
    for (uint32_t i = 0; i < r->setup->sms; i++) {
        if (r->sm[i].blocks != 0)
            return sim_deadlock(r->sm, r->setup->sms, d);
    }
    if (r->grid.cluster > 1)
        return teg_fail(d, TEG_LIMIT, "",
                        "expected room for a cluster of %u blocks in one of "
                        "%u groups of SMs, of %u SMs that are simulated with "
                        "%u blocks each, found none",
                        r->grid.waiting, r->setup->gpu->chip.gpcs,
                        r->setup->sms, r->setup->blocks_per_sm);
    return teg_fail(d, TEG_DEADLOCK, "", "a block waits, but no SM has room");
}

static uint64_t earliest_block_end(const struct run *r)
{
    uint64_t end = SIM_NEVER;

    for (uint32_t i = 0; i < r->setup->sms; i++) {
        if (r->sm[i].next_block_end < end)
            end = r->sm[i].next_block_end;
    }
    return end;
}

/* Removes the blocks that end before `until`, one cycle after the other, and
 * fills their places. */
static teg_status replace_blocks(struct run *r, uint64_t until,
                                 struct teg_diag *d)
{
    for (uint64_t now = earliest_block_end(r); now < until;
         now = earliest_block_end(r)) {
        uint32_t ended = 0;

        for (uint32_t i = 0; i < r->setup->sms; i++)
            ended += sim_sm_retire(&r->sm[i], now);
        r->ended += ended;
        if (ended != 0)
            TRY(sim_dispatch(&r->dispatch, now, d));
    }
    return TEG_OK;
}

/* ---- windows ------------------------------------------------------------- */

/* Whether all that SMs share can wait for its turn: a limit on what a cluster
 * has in flight is asked before issuing, a unit's places are held until results
 * are there, and a listener that cannot be split wants everything in order. */
static int chip_runs_ahead(const struct sim_engine_setup *setup)
{
    const struct teg_gpu *gpu = setup->gpu;

    for (uint32_t u = 0; u < gpu->unit_count; u++) {
        if (gpu->unit[u].capacity != 0)
            return 0;
    }
    for (uint32_t i = 0; i < setup->listeners; i++) {
        if (setup->listener[i].on_issue != NULL &&
            setup->listener[i].split == NULL)
            return 0;
    }
    return gpu->memory.in_flight_bytes == 0;
}

/* Cycles in which nothing that SMs share can matter to another SM. */
static uint64_t lookahead(const struct run *r)
{
    const struct teg_gpu *gpu = r->setup->gpu;
    uint64_t cycles =
        teg_min(sim_memory_lookahead(gpu), r->grid.ops.store_latency_min);

    /* A cluster's warps go on that much after the last of them has come; what
     * one asks of another's shared memory takes that long. */
    if (r->grid.cluster > 1)
        cycles = teg_min(cycles, teg_max(gpu->sm.cluster_barrier_latency, 1));
    if (r->grid.cluster > 1)
        cycles = teg_min(cycles, teg_max(gpu->shared.remote_latency, 1));
    /* A block's warps start that much after the cycle in which it gets its
     * place, the one after a window's first at the earliest; but they are
     * counted at once where warps take turns. */
    if (!sim_grid_is_over(&r->grid) && r->chip.takes_turns)
        cycles = 1;
    if (!sim_grid_is_over(&r->grid))
        cycles = teg_min(cycles, (uint64_t)gpu->chip.dispatch_latency + 1);
    return cycles;
}

static void set_window(struct run *r, uint64_t now)
{
    uint64_t cycles = r->may_run_ahead ? teg_min(lookahead(r), r->window) : 1;

    r->chip.runs_ahead = cycles >= WINDOW_MIN;
    r->until = now + (r->chip.runs_ahead ? cycles : 1);
}

static void run_sm(void *self, uint32_t sm, uint32_t hand)
{
    struct run *r = self;

    r->sm[sm].hand = hand;
    sim_sm_run(&r->sm[sm], r->until);
}

static void settle_sm(void *self, uint32_t sm, uint32_t hand)
{
    struct run *r = self;

    r->sm[sm].hand = hand;
    sim_results_settle(&r->sm[sm]);
}

/* Puts the open entries of the window, that began at `from`, into the order of
 * issue: by cycle, by SM, and as the SM issued them. */
static teg_status order_pending(struct run *r, uint64_t from,
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

static void serve_pending(struct run *r)
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
static void adapt_window(struct run *r)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < r->setup->sms; i++)
        bytes += r->sm[i].pending.used;
    if (bytes > POSTS_MANY && r->window > 2 * WINDOW_MIN)
        r->window /= 2;
    else if (bytes < POSTS_MANY / 4 && r->window < WINDOW_MAX)
        r->window *= 2;
}

static teg_status check_pending(const struct run *r, struct teg_diag *d)
{
    for (uint32_t i = 0; i < r->setup->sms; i++) {
        if (r->sm[i].pending.failed)
            return teg_fail_memory(d);
    }
    return TEG_OK;
}

/* The SMs in a window that begins at `now`. */
static teg_status run_window(struct run *r, uint64_t now, struct teg_diag *d)
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

static teg_status run_clock(struct run *r, struct teg_diag *d)
{
    const struct sim_engine_setup *setup = r->setup;
    uint64_t now = 0, told = 0;

    TRY(sim_dispatch(&r->dispatch, 0, d));
    for (now = earliest_wake(r); now != SIM_NEVER; now = earliest_wake(r)) {
        TRY(replace_blocks(r, now + 1, d));
        set_window(r, now);
        TRY(run_window(r, now, d));
        if (r->grid.cluster > 1)
            sim_outbox_deliver(r->sm, setup->sms);
        sim_cgas_settle(&r->cgas, r->sm);
        TRY(replace_blocks(r, r->until, d));
        if (setup->progress == NULL || now - told < PROGRESS_CYCLES)
            continue;
        told = now;
        if (setup->progress(setup->progress_self, r->ended, now))
            return teg_fail(d, TEG_INTERRUPTED, "",
                            "interrupted in cycle %" PRIu64 " after %" PRIu64
                            " blocks",
                            now, r->ended);
    }
    if (sim_memory_failed(r->chip.memory))
        return teg_fail_memory(d);
    if (r->ended != r->grid.handed_out || !sim_grid_is_over(&r->grid))
        return report_deadlock(r, d);
    return TEG_OK;
}

/* ---- a run --------------------------------------------------------------- */

static teg_status make_chip(struct run *r, struct teg_launch *launch,
                            struct teg_diag *d)
{
    const struct sim_engine_setup *setup = r->setup;
    uint32_t hands;

    sim_chip_init(&r->chip, setup->gpu);
    r->chip.cgas = &r->cgas;
    TRY(sim_memory_new(setup->gpu, setup->sms, setup->l1_bytes, &r->chip.memory,
                       d));
    if (setup->before != NULL)
        TRY(sim_memory_carry(r->chip.memory, setup->before, d));
    if (setup->lead != NULL)
        sim_memory_lead(r->chip.memory, setup->lead->followers);
    r->sm = calloc(setup->sms, sizeof *r->sm);
    if (r->sm == NULL)
        return teg_fail_memory(d);
    for (uint32_t i = 0; i < setup->sms; i++)
        TRY(sim_sm_init(&r->sm[i], &r->chip, i, d));
    TRY(sim_grid_init(&r->grid, launch, setup->gpu, &r->chip.ports, d));
    sim_dispatch_init(&r->dispatch, setup, &r->grid, &r->chip, r->sm, &r->cgas);
    r->may_run_ahead = chip_runs_ahead(setup);
    r->window = WINDOW_MAX;
    hands = r->may_run_ahead && setup->threads > 1 ? setup->threads : 1;
    return sim_threads_new(hands < setup->sms ? hands : setup->sms, setup->sms,
                           &r->threads, d);
}

static uint64_t latest_completion(const struct run *r)
{
    uint64_t cycles = 0;

    for (uint32_t i = 0; i < r->setup->sms; i++) {
        if (r->sm[i].cycles > cycles)
            cycles = r->sm[i].cycles;
    }
    return cycles;
}

static void clear(struct run *r)
{
    for (uint32_t i = 0; r->sm != NULL && i < r->setup->sms; i++)
        sim_sm_release(&r->sm[i]);
    free(r->sm);
    sim_threads_free(r->threads);
    free(r->open);
    sim_grid_release(&r->grid);
    sim_cgas_release(&r->cgas);
    sim_memory_free(r->chip.memory);
    free(r->chip.hot);
}

teg_status sim_engine_run(struct teg_launch *launch,
                          const struct sim_engine_setup *setup,
                          struct sim_engine_outcome *outcome,
                          struct teg_diag *d)
{
    struct run r = {.setup = setup};
    teg_status status = make_chip(&r, launch, d);

    *outcome = (struct sim_engine_outcome){0};
    if (status == TEG_OK) {
        sim_announce_start(setup->listener, setup->listeners, setup->gpu,
                           &launch->kernel->program, setup->sms);
        status = sim_ears_split(&r.grid.ears, setup->listener, setup->listeners,
                                sim_threads_hands(r.threads), d);
        if (status == TEG_OK)
            status = run_clock(&r, d);
        sim_ears_join(&r.grid.ears);
        outcome->cycles = latest_completion(&r);
        outcome->blocks = r.ended;
        outcome->windows = r.windows;
        sim_memory_channel_bytes(r.chip.memory, &outcome->channel_bytes_max,
                                 &outcome->channel_bytes_sum);
        outcome->atomic_slice_cycles = sim_memory_atomic_cycles(r.chip.memory);
        count_hot_words(&r, outcome);
        sim_announce_finish(setup->listener, setup->listeners, outcome->cycles);
    }
    if (status == TEG_OK && setup->after != NULL) {
        sim_memory_free(*setup->after);
        *setup->after = r.chip.memory;
        r.chip.memory = NULL;
    }
    clear(&r);
    return status;
}
