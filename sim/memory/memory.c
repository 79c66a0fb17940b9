#include "sim/memory/memory.h"

#include <stdlib.h>

#include "sim/memory/levels.h"
#include "sim/memory/line.h"
#include "sim/memory/merge.h"
#include "sim/memory/recent.h"

void sim_memory_free(struct sim_memory *m)
{
    if (m == NULL)
        return;
    sim_l1_release(&m->l1);
    sim_parts_release(&m->parts);
    sim_returns_release(&m->returns);
    sim_translation_release(&m->translation);
    sim_clusters_release(&m->clusters);
    sim_l2_release(&m->l2);
    sim_dram_release(&m->dram);
    sim_network_release(&m->network);
    free(m);
}

teg_status sim_memory_new(const struct teg_gpu *gpu, uint32_t sms,
                          uint32_t l1_bytes, struct sim_memory **memory,
                          struct teg_diag *d)
{
    struct sim_memory *m = calloc(1, sizeof *m);

    *memory = NULL;
    if (m == NULL)
        return teg_fail_memory(d);
    m->gpu = gpu;
    m->writes_resting = gpu->l2.writes_resting;
    m->transaction_ticks = sim_ticks_of(gpu->memory.transaction_interval);
    m->transaction_latency_ticks =
        sim_ticks_of(gpu->memory.transaction_latency);
    if (!sim_l1_init(&m->l1, gpu, sms, l1_bytes) ||
        !sim_parts_init(&m->parts, gpu, sms) ||
        !sim_returns_init(&m->returns, gpu, sms) ||
        !sim_translation_init(&m->translation, gpu, sms) ||
        !sim_clusters_init(&m->clusters, gpu, sms) ||
        !sim_network_init(&m->network, gpu, sms) ||
        !sim_dram_init(&m->dram, gpu) || !sim_l2_init(&m->l2, gpu, &m->dram)) {
        sim_memory_free(m);
        return teg_fail_memory(d);
    }
    *memory = m;
    return TEG_OK;
}

teg_status sim_memory_carry(struct sim_memory *m,
                            const struct sim_memory *before, struct teg_diag *d)
{
    if (m->dram.channels != before->dram.channels ||
        !sim_l2_carry(&m->l2, &before->l2))
        return teg_fail(d, TEG_LIMIT, "",
                        "expected the L2 and the channels of the launch "
                        "before, found others");
    sim_dram_carry(&m->dram, &before->dram);
    return sim_translation_carry(&m->translation, &before->translation)
               ? TEG_OK
               : teg_fail_memory(d);
}

teg_status sim_memory_new_behind(const struct sim_memory *before,
                                 const struct teg_gpu *gpu,
                                 struct sim_memory **memory, struct teg_diag *d)
{
    teg_status status;

    TRY(sim_memory_new(gpu, gpu->chip.sms, 0, memory, d));
    status = before != NULL ? sim_memory_carry(*memory, before, d) : TEG_OK;
    if (status != TEG_OK) {
        sim_memory_free(*memory);
        *memory = NULL;
    }
    return status;
}

void sim_memory_write(struct sim_memory *m, uint64_t address, uint64_t bytes)
{
    sim_l2_write(&m->l2, address, bytes);
}

void sim_memory_rest(struct sim_memory *m)
{
    if (m->writes_resting && m->l2.cache != NULL)
        sim_cache_clean_all(m->l2.cache);
}

void sim_memory_expect(const struct sim_memory *m, const struct sim_plan *plan)
{
    for (uint32_t i = 0; m->l2.cache != NULL && i < plan->count; i++)
        sim_l2_expect(&m->l2, plan->transaction[i].address);
}

void sim_memory_pass(struct sim_memory *m, uint32_t sm,
                     const struct sim_plan *plan, struct sim_passed *p)
{
    const struct sim_request *r = &plan->request;

    if (r->space != SPACE_GLOBAL && r->space != SPACE_LOCAL)
        return;
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct sim_transaction *t = &plan->transaction[i];

        sim_translation_pass(&m->translation, sm, t->address, p);
        sim_l2_pass(&m->l2, sm, t->address / TEG_LINE_BYTES, t->sectors,
                    r->is_store || r->is_atomic, !r->is_store || r->is_atomic,
                    p);
    }
}

void sim_memory_leave(struct sim_memory *m, double share)
{
    sim_dram_leave(&m->dram, share);
}

uint64_t sim_memory_ready_at(struct sim_memory *m, uint32_t sm, uint64_t now,
                             uint32_t bytes)
{
    return sim_clusters_ready_at(&m->clusters, sm, now, bytes);
}

/* ---- what the SM's own L1 settles ----------------------------------------- */

static void note_end(struct sim_request_ends *ends, uint64_t accepted,
                     uint64_t tick)
{
    ends->done = teg_max(ends->done, tick);
    ends->accepted = teg_max(ends->accepted, accepted);
}

/* A transaction that left the load/store unit at `accepted` is done at
 * `tick`. */
static void settle(struct sim_memory *m, uint32_t sm,
                   struct sim_request_ends *ends, uint32_t transaction,
                   uint64_t accepted, uint64_t tick, uint32_t bytes)
{
    tick += transaction * m->transaction_latency_ticks;
    note_end(ends, accepted, tick);
    sim_clusters_remember(&m->clusters, sm, sim_cycles_up(tick), bytes);
}

/* What the transaction writes in part that joins none before. */
static void set_partial(struct sim_memory *m, uint32_t sm, uint32_t partial,
                        struct sim_miss *miss)
{
    if (partial == 0)
        return;
    miss->partial =
        (uint8_t)sim_parts_alone(&m->parts, sm, miss->address, partial);
    if (miss->partial == 0)
        miss->flags |= SIM_MISS_JOINED;
}

/* What joins the warp's own stores is not sent; returns whether that is all. */
static int merge(const struct sim_memory *m, uint32_t parts,
                 const struct sim_request *r, struct sim_miss *miss)
{
    uint32_t joined;

    if (r->is_bulk || r->stored == NULL)
        return 0;
    joined = sim_recent_sectors(r->stored->sector, m->gpu->l1.merged_sectors,
                                &r->stored->count, miss->address, parts);
    if (joined == 0)
        return 0;
    if (miss->partial != 0 && (miss->partial & ~joined) == 0)
        miss->flags |= SIM_MISS_JOINED;
    miss->sectors &= (uint8_t)~joined;
    miss->partial &= (uint8_t)~joined;
    miss->torn &= (uint8_t)~joined;
    miss->bytes = sim_sectors_bytes(miss->sectors);
    miss->flags |= SIM_MISS_MERGED;
    if (miss->sectors == 0)
        miss->ready = 0; /* a line on its way to L1 is none of its business */
    return miss->sectors == 0;
}

/* Transaction `i` begins; returns whether its L1 has settled it. */
static int begin_transaction(struct sim_memory *m, struct sim_plan *plan,
                             uint32_t i, int bypass, uint32_t l1_set,
                             struct sim_misses *e)
{
    const struct sim_transaction *t = &plan->transaction[i];
    struct sim_request *r = &plan->request;
    struct sim_miss *miss = &e->miss[e->count];
    int posted = r->is_store && !r->is_atomic;
    uint64_t start;

    *miss = (struct sim_miss){
        .address = t->address,
        .bytes = t->bytes,
        .sectors = (uint8_t)(t->sectors != 0 ? t->sectors : SIM_ALL_SECTORS),
        .transaction = (uint8_t)i,
        .turn = (uint8_t)sim_turn_of(plan, i),
        .updates = t->updates,
        .steps = t->steps,
        .packets = t->packets,
    };
    if (posted) {
        miss->torn = t->partial;
        set_partial(m, e->sm, t->partial, miss);
    }
    if (!sim_l1_settles(&m->l1, e->sm, e->of.launch, bypass, l1_set, r, miss) &&
        !(posted && merge(m, t->parts, r, miss)))
        return 0;
    start = sim_start_of(m, e->now, miss->turn);
    settle(m, e->sm, &e->settled, i, start,
           teg_max(start + sim_l1_latency(&m->l1, r) * SIM_TICKS,
                   miss->ready * SIM_TICKS),
           miss->bytes);
    return 1;
}

static struct sim_miss remote_miss(const struct sim_remote *remote)
{
    return (struct sim_miss){
        .address = remote->behind,
        .bytes = remote->bytes,
        .flags =
            (uint16_t)(SIM_MISS_REMOTE | (remote->sent ? SIM_MISS_SENT : 0)),
        .passes = (uint16_t)remote->passes,
        .groups = (uint16_t)remote->groups,
    };
}

/* A load takes its place among those of its SM.  Behind one whose end is not
 * known yet its own is not either. */
static void line_up(struct sim_memory *m, const struct sim_request *r,
                    struct sim_misses *e)
{
    e->queued = 0;
    if (!sim_returns_hold(&m->returns, m->gpu, r))
        return;
    e->queued = e->count != 0 || m->returns.open[e->sm] != 0;
    m->returns.open[e->sm] += e->queued;
    if (!e->queued)
        e->settled.done = sim_returns_pass(&m->returns, e->sm, e->settled.done);
}

void sim_memory_begin(struct sim_memory *m, uint32_t sm, uint64_t now,
                      struct sim_plan *plan, uint32_t inst_flags,
                      struct sim_misses *e)
{
    int bypass = (inst_flags & INST_BYPASS_L1) != 0 || plan->request.is_atomic;
    uint32_t l1_set[SIM_TRANSACTIONS_MAX];

    e->now = now;
    e->settled = (struct sim_request_ends){now * SIM_TICKS, now * SIM_TICKS};
    e->sm = sm;
    e->number = m->followers != NULL
                    ? m->followers->begin(m->followers->self, &e->of)
                    : 0;
    e->transactions = plan->count;
    e->count = 0;
    for (uint32_t i = 0; i < plan->count; i++)
        l1_set[i] = bypass ? 0
                           : sim_l1_expect(&m->l1, sm, &plan->request,
                                           plan->transaction[i].address);
    for (uint32_t i = 0; i < plan->count; i++)
        e->count += !begin_transaction(m, plan, i, bypass, l1_set[i], e);
    for (uint32_t i = 0; i < plan->remotes; i++)
        e->miss[e->count++] = remote_miss(&plan->remote[i]);
    line_up(m, &plan->request, e);
}

/* ---- what goes on to what SMs share --------------------------------------- */

static void visit_beyond_l1(struct sim_memory *m, uint32_t sm,
                            struct sim_way *w, const struct sim_miss *miss,
                            struct sim_l2_place place, struct sim_request *r)
{
    enum sim_sender sender = sim_sender_of(r);
    uint64_t aside;

    if (m->translation.tlb != NULL)
        sim_translation_await(&m->translation, sm, w, miss->address,
                              r->is_store && !r->is_atomic);
    aside = sim_clusters_pass(&m->clusters, sm, w, miss->bytes, sender);
    if (sender == SENDER_WARP_OUT)
        r->lines_out += w->packets != 0 ? w->packets : 1;
    sim_visit_shared(m, sm, w, miss->address, place, miss->sectors, miss->bytes,
                     r);
    w->waited = teg_max(w->waited, aside);
}

/* Takes one miss's transaction its way; returns the tick it is done. */
static uint64_t take_miss(struct sim_memory *m, uint32_t sm, struct sim_way *w,
                          const struct sim_miss *miss,
                          struct sim_l2_place place, struct sim_request *r)
{
    w->at_least = sim_l1_ready(&m->l1, sm, miss);
    w->latency = sim_l1_latency(&m->l1, r);
    if (miss->sectors != 0) {
        visit_beyond_l1(m, sm, w, miss, place, r);
        sim_l1_fill(&m->l1, sm, miss, sim_way_arrival(w));
    }
    return teg_max(sim_way_at(w) + w->latency * SIM_TICKS,
                   w->at_least * SIM_TICKS);
}

/* The tick at which a store has found a place on its way out of the SM. */
static uint64_t keep(struct sim_memory *m, uint32_t sm, const struct sim_way *w,
                     const struct sim_request *r)
{
    return r->is_bulk
               ? sim_way_at(w)
               : sim_clusters_keep(&m->clusters, sm, w->start, sim_way_at(w));
}

uint64_t sim_memory_end(struct sim_memory *m, const struct sim_misses *e,
                        struct sim_request *r)
{
    struct sim_request_ends ends = e->settled;
    struct sim_l2_place place = {0}, next = {0};
    int posted = r->is_store && !r->is_atomic;
    uint64_t kept = e->settled.accepted;

    if (m->followers != NULL && e->count != 0)
        sim_followers_serve(m, e);
    if (e->count != 0)
        next = sim_expect_shared(m, e->miss[0].address);
    for (uint32_t i = 0; i < e->count; i++) {
        const struct sim_miss *miss = &e->miss[i];
        struct sim_way w = {.start = sim_start_of(m, e->now, miss->turn),
                            .partial = miss->partial,
                            .torn = miss->torn,
                            .updates = miss->updates,
                            .steps = miss->steps,
                            .packets = miss->packets};
        uint64_t tick;

        place = next;
        if (i + 1 < e->count)
            next = sim_expect_shared(m, e->miss[i + 1].address);
        if (miss->flags & SIM_MISS_REMOTE) {
            tick = sim_network_pass(&m->network, e->sm, &w, miss, r);
            note_end(&ends, sim_way_at(&w), tick);
            kept = teg_max(kept, sim_way_at(&w));
            continue;
        }
        tick = take_miss(m, e->sm, &w, miss, place, r);
        settle(m, e->sm, &ends, miss->transaction, sim_way_at(&w), tick,
               miss->bytes);
        if (posted)
            kept = teg_max(kept, keep(m, e->sm, &w, r));
    }
    if (m->followers != NULL && e->count != 0)
        m->followers->led(m->followers->self, r);
    if (e->queued) {
        m->returns.open[e->sm]--;
        ends.done = sim_returns_pass(&m->returns, e->sm, ends.done);
    }
    r->kept_until = sim_cycles_up(posted ? kept : ends.done);
    return sim_cycles_up(posted ? ends.accepted : ends.done);
}

uint64_t sim_memory_issue(struct sim_memory *m, uint32_t sm, uint64_t now,
                          struct sim_plan *plan, uint32_t inst_flags)
{
    struct sim_misses e;

    e.of = (struct sim_request_of){0};
    sim_memory_begin(m, sm, now, plan, inst_flags, &e);
    return sim_memory_end(m, &e, &plan->request);
}

uint32_t sim_memory_first_way(const struct teg_gpu *gpu)
{
    if (gpu->l2.bytes != 0 && gpu->l2.latency < gpu->dram.latency)
        return gpu->l2.latency;
    return gpu->dram.latency;
}

uint32_t sim_memory_lookahead(const struct teg_gpu *gpu)
{
    /* DRAM behind the near half is nearer than its mean, and may be sooner. */
    uint32_t nearest = gpu->dram.latency - teg_gpu_halves_apart(gpu) / 2;

    return (uint32_t)teg_min(sim_memory_first_way(gpu),
                             nearest - sim_dram_sooner(gpu));
}

void sim_memory_channel_bytes(const struct sim_memory *m, uint64_t *most,
                              uint64_t *sum)
{
    sim_dram_bytes(&m->dram, most, sum);
}

int sim_memory_failed(const struct sim_memory *m)
{
    return m->translation.failed;
}

uint64_t sim_memory_atomic_cycles(const struct sim_memory *m)
{
    uint64_t most = 0;

    for (uint32_t i = 0; i < m->gpu->l2.slices; i++)
        most = teg_max(most, m->l2.atomic_held[i]);
    return most / SIM_TICKS;
}
