#include "sim/memory/memory.h"

#include <stdlib.h>

#include "sim/memory/cache.h"

/* Reservations are kept in ticks, so that 13.67 bytes a cycle stay that. */
enum {
    TICKS = 1024, /* per cycle */
    RATE_BITS = 16,
    LINE_BYTES = 128,
    ALL_SECTORS = 15,
    HALVES = 2,
    FIRST_PAGES = 64,
    HALF_SMS = 8, /* SMs that go to one half in turn (Accel-Sim issue 558) */
};

/* A resource that moves bytes one after the other. */
struct queue {
    uint64_t free_from; /* tick */
};

/* A DRAM channel: what it has still to write it gathers. */
struct channel {
    struct queue bus;
    uint64_t moved;     /* bytes */
    uint32_t unwritten; /* bytes */
    int reading;        /* what it did last */
};

/* Bytes outstanding of one cluster, the earliest to be done on top. */
struct outstanding {
    uint64_t done;
    uint32_t bytes;
};

struct cluster {
    struct queue port;
    struct outstanding *heap; /* owned */
    uint32_t count, capacity;
    uint64_t bytes;
};

/* Regions touched since the kernel began, and when their translations came:
 * open addressing. */
struct pages {
    uint64_t *page;         /* owned, [capacity]: number + 1; 0 = free */
    uint64_t *ready;        /* owned, [capacity]: tick */
    size_t count, capacity; /* a power of two */
};

struct sim_memory {
    const struct teg_gpu *gpu; /* borrowed */
    uint32_t sms, clusters;
    struct sim_cache **l1;  /* owned, [sms]; NULL without */
    struct sim_cache **tlb; /* owned, [sms]; NULL without */
    struct {
        uint64_t page, ready; /* number + 1; tick */
    } * last_page;            /* owned, [sms]: looked up last */
    struct pages walked;
    struct sim_cache *l2;           /* NULL without */
    struct sim_cache *near[HALVES]; /* NULL without */
    struct queue far_link;
    struct cluster *cluster;
    struct queue *slice;                  /* owned, [l2.slices] */
    struct channel *channel;              /* owned, [dram.channels] */
    uint64_t l1_sets, l2_sets, near_sets; /* of an SM; of a slice; of a half */
    /* ticks per byte, times 2^RATE_BITS; 0 = no limit */
    uint64_t cluster_rate, slice_rate, partial_rate, far_rate, channel_rate;
    uint64_t transaction_ticks, transaction_latency_ticks, atomic_ticks;
    uint64_t turnaround_ticks, translation_ticks;
    uint64_t spread;                       /* what-if: next channel in turn */
    const struct sim_followers *followers; /* borrowed; NULL without */
    struct sim_follower_request follower;  /* the one whose turn it is */
};

static uint64_t rate_of(double bytes_per_cycle)
{
    if (bytes_per_cycle <= 0)
        return 0;
    return (uint64_t)(TICKS * (double)(1 << RATE_BITS) / bytes_per_cycle + 0.5);
}

static uint64_t ticks_of(double cycles)
{
    return (uint64_t)(cycles * TICKS + 0.5);
}

static uint64_t cycles_up(uint64_t ticks)
{
    return (ticks + TICKS - 1) / TICKS;
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void sim_memory_free(struct sim_memory *m)
{
    if (m == NULL)
        return;
    for (uint32_t i = 0; m->l1 != NULL && i < m->sms; i++)
        sim_cache_free(m->l1[i]);
    for (uint32_t i = 0; m->tlb != NULL && i < m->sms; i++)
        sim_cache_free(m->tlb[i]);
    for (uint32_t i = 0; m->cluster != NULL && i < m->clusters; i++)
        free(m->cluster[i].heap);
    free(m->l1);
    free(m->tlb);
    free(m->last_page);
    free(m->walked.page);
    free(m->walked.ready);
    sim_cache_free(m->l2);
    for (uint32_t i = 0; i < HALVES; i++)
        sim_cache_free(m->near[i]);
    free(m->cluster);
    free(m->slice);
    free(m->channel);
    free(m);
}

/* One for each SM; NULL out of memory. */
static struct sim_cache **make_of_sms(const struct sim_memory *m, uint64_t sets,
                                      uint32_t ways)
{
    struct sim_cache **cache = calloc(m->sms, sizeof *cache);

    for (uint32_t i = 0; cache != NULL && i < m->sms; i++) {
        cache[i] = sim_cache_new((uint32_t)sets, ways);
        if (cache[i] != NULL)
            continue;
        while (i-- != 0)
            sim_cache_free(cache[i]);
        free(cache);
        return NULL;
    }
    return cache;
}

static int make_caches(struct sim_memory *m, uint32_t l1_bytes)
{
    const struct teg_gpu *gpu = m->gpu;

    if (gpu->l1.bytes != 0 && !gpu->l1.always_hits) {
        m->l1_sets = (l1_bytes != 0 ? l1_bytes : gpu->l1.bytes) / LINE_BYTES /
                     gpu->l1.ways;
        m->l1_sets = max_u64(m->l1_sets, 1);
        m->l1 = make_of_sms(m, m->l1_sets, gpu->l1.ways);
        if (m->l1 == NULL)
            return 0;
    }
    if (gpu->tlb.entries != 0) {
        m->tlb = make_of_sms(m, 1, gpu->tlb.entries);
        m->last_page = calloc(m->sms, sizeof *m->last_page);
        if (m->tlb == NULL || m->last_page == NULL)
            return 0;
    }
    if (gpu->l2.bytes != 0) {
        m->l2_sets = gpu->l2.bytes / LINE_BYTES / gpu->l2.ways / gpu->l2.slices;
        m->l2 =
            sim_cache_new((uint32_t)m->l2_sets * gpu->l2.slices, gpu->l2.ways);
        if (m->l2 == NULL)
            return 0;
    }
    for (uint32_t i = 0; gpu->l2.near_bytes != 0 && i < HALVES; i++) {
        m->near_sets = gpu->l2.near_bytes / LINE_BYTES / gpu->l2.ways;
        m->near[i] = sim_cache_new((uint32_t)m->near_sets, gpu->l2.ways);
        if (m->near[i] == NULL)
            return 0;
    }
    return 1;
}

teg_status sim_memory_new(const struct teg_gpu *gpu, uint32_t sms,
                          uint32_t l1_bytes, struct sim_memory **memory,
                          struct teg_diag *d)
{
    struct sim_memory *m = calloc(1, sizeof *m);
    double gbs = gpu->dram.reached_gbs != 0 ? gpu->dram.reached_gbs
                                            : gpu->dram.bandwidth_gbs;
    double cycle_bytes = gbs * 1e3 / gpu->chip.sm_clock_mhz;

    *memory = NULL;
    if (m == NULL)
        return teg_fail_memory(d);
    m->gpu = gpu;
    m->sms = sms;
    m->clusters =
        (sms + gpu->chip.sms_per_cluster - 1) / gpu->chip.sms_per_cluster;
    m->cluster_rate = rate_of(gpu->memory.cluster_bytes_per_cycle);
    m->slice_rate = rate_of(gpu->l2.bytes_per_cycle / gpu->l2.slices);
    m->partial_rate =
        (uint64_t)((double)m->slice_rate * gpu->l2.partial_write + 0.5);
    m->far_rate = rate_of(gpu->l2.far_bytes_per_cycle);
    m->translation_ticks = ticks_of(gpu->tlb.miss_latency);
    m->turnaround_ticks = ticks_of(gpu->dram.turnaround);
    m->channel_rate = rate_of(cycle_bytes / gpu->dram.channels);
    m->transaction_ticks = ticks_of(gpu->memory.transaction_interval);
    m->transaction_latency_ticks = ticks_of(gpu->memory.transaction_latency);
    m->atomic_ticks = ticks_of(gpu->l2.atomic_interval);
    m->cluster = calloc(m->clusters, sizeof *m->cluster);
    m->slice = calloc(gpu->l2.slices, sizeof *m->slice);
    m->channel = calloc(gpu->dram.channels, sizeof *m->channel);
    if (m->cluster == NULL || m->slice == NULL || m->channel == NULL ||
        !make_caches(m, l1_bytes)) {
        sim_memory_free(m);
        return teg_fail_memory(d);
    }
    *memory = m;
    return TEG_OK;
}

/* ---- outstanding bytes of a cluster -------------------------------------- */

static void sift_down(struct outstanding *heap, uint32_t count, uint32_t i)
{
    struct outstanding moved = heap[i];

    for (uint32_t child = 2 * i + 1; child < count; child = 2 * i + 1) {
        if (child + 1 < count && heap[child + 1].done < heap[child].done)
            child++;
        if (heap[child].done >= moved.done)
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = moved;
}

static void retire(struct cluster *c, uint64_t now)
{
    while (c->count != 0 && c->heap[0].done <= now) {
        c->bytes -= c->heap[0].bytes;
        c->heap[0] = c->heap[--c->count];
        if (c->count != 0)
            sift_down(c->heap, c->count, 0);
    }
}

/* Out of memory forgets the request: the limit is then a little wider, which
 * the caller cannot act on any better. */
static void remember(struct cluster *c, uint64_t done, uint32_t bytes)
{
    uint32_t i;

    if (c->count == c->capacity) {
        uint32_t capacity = c->capacity * 2 + 64;
        struct outstanding *heap = realloc(c->heap, capacity * sizeof *heap);

        if (heap == NULL)
            return;
        c->heap = heap;
        c->capacity = capacity;
    }
    for (i = c->count++; i != 0 && c->heap[(i - 1) / 2].done > done;
         i = (i - 1) / 2)
        c->heap[i] = c->heap[(i - 1) / 2];
    c->heap[i] = (struct outstanding){done, bytes};
    c->bytes += bytes;
}

uint64_t sim_memory_ready_at(struct sim_memory *m, uint32_t sm, uint64_t now,
                             uint32_t bytes)
{
    struct cluster *c = &m->cluster[sm / m->gpu->chip.sms_per_cluster];

    if (m->gpu->memory.in_flight_bytes == 0)
        return now;
    retire(c, now);
    /* A request larger than the limit goes alone. */
    if (c->count == 0 || c->bytes + bytes <= m->gpu->memory.in_flight_bytes)
        return now;
    return c->heap[0].done;
}

/* ---- the way of one transaction ------------------------------------------ */

/* Reserves `q` for `ticks` from tick `at`; returns how long it had to wait. */
static uint64_t wait_in(struct queue *q, uint64_t at, uint64_t ticks)
{
    uint64_t start = max_u64(at, q->free_from);

    q->free_from = start + ticks;
    return start - at;
}

static uint64_t bytes_ticks(uint64_t rate, uint64_t bytes)
{
    return bytes * rate >> RATE_BITS;
}

/* A fixed mixing of the bits, so that strides spread over slices. */
static uint64_t fold(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdu;
    x ^= x >> 33;
    return x;
}

/* With the hash each aligned run of as many numbers as places is turned by an
 * amount that the upper bits give: a footprint without gaps fills all places
 * alike, as it does on hardware up to the last kilobytes of a cache, and a
 * stride still spreads. */
static uint64_t place_of(const struct sim_memory *m, uint64_t number,
                         uint64_t places)
{
    uint64_t turned = m->gpu->dram.hash ? fold(number / places) % places : 0;

    return (number % places + turned) % places;
}

static struct channel *channel_of(struct sim_memory *m, uint64_t address)
{
    uint32_t channels = m->gpu->dram.channels;

    if (m->gpu->dram.spread)
        return &m->channel[m->spread++ % channels];
    return &m->channel[place_of(m, address / m->gpu->dram.interleave_bytes,
                                channels)];
}

/* Moves `bytes` through the address's channel; returns the waiting. */
static uint64_t read_dram(struct sim_memory *m, uint64_t address,
                          uint32_t bytes, uint64_t at)
{
    struct channel *c = channel_of(m, address);

    c->moved += bytes;
    c->reading = 1;
    return wait_in(&c->bus, at, bytes_ticks(m->channel_rate, bytes));
}

/* Hands `bytes` to the address's channel, which writes when it has gathered a
 * batch, since changing the direction costs it time; returns the waiting,
 * which whoever needs the place of an evicted line has to bear. */
static uint64_t write_dram(struct sim_memory *m, uint64_t address,
                           uint32_t bytes, uint64_t at)
{
    struct channel *c = channel_of(m, address);
    uint64_t ticks;

    c->moved += bytes;
    c->unwritten += bytes;
    if (c->unwritten < m->gpu->dram.write_batch_bytes)
        return 0;
    ticks = bytes_ticks(m->channel_rate, c->unwritten);
    if (c->reading)
        ticks += m->turnaround_ticks;
    c->reading = 0;
    c->unwritten = 0;
    return wait_in(&c->bus, at, ticks);
}

struct way {
    uint64_t start;    /* tick the transaction leaves the load/store unit */
    uint64_t waited;   /* ticks */
    uint64_t latency;  /* cycles, unloaded, of the level that served it */
    uint64_t at_least; /* cycle: a line under way arrives */
    uint32_t partial;  /* sectors written in part */
};

static uint32_t count_sectors(uint32_t sectors)
{
    static const uint8_t bits[16] = {0, 1, 1, 2, 1, 2, 2, 3,
                                     1, 2, 2, 3, 2, 3, 3, 4};

    return bits[sectors & ALL_SECTORS];
}

static void visit_dram(struct sim_memory *m, struct way *w, uint64_t address,
                       uint32_t bytes, struct sim_request *r)
{
    r->dram_bytes += bytes;
    w->waited += read_dram(m, address, bytes, w->start + w->waited);
    w->latency = m->gpu->dram.latency;
}

/* Takes the time of `sectors` at the line's slice; returns the slice. */
static uint64_t use_slice(struct sim_memory *m, struct way *w, uint64_t line,
                          uint32_t sectors, int is_atomic)
{
    uint64_t slice = place_of(m, line, m->gpu->l2.slices);
    uint32_t bytes = count_sectors(sectors) * SIM_SECTOR_BYTES;
    uint64_t ticks = bytes_ticks(m->slice_rate, bytes);

    ticks += bytes_ticks(m->partial_rate,
                         count_sectors(w->partial) * SIM_SECTOR_BYTES);
    if (is_atomic)
        ticks = max_u64(ticks, m->atomic_ticks);
    w->waited += wait_in(&m->slice[slice], w->start + w->waited, ticks);
    w->latency = m->gpu->l2.latency;
    return slice;
}

/* Looks the line up in L2, and goes on to DRAM for what is missing. */
static void search_l2(struct sim_memory *m, struct way *w, uint64_t address,
                      uint64_t slice, uint32_t sectors, struct sim_request *r)
{
    const struct teg_gpu *gpu = m->gpu;
    uint64_t line = address / LINE_BYTES;
    uint32_t set, missing;
    struct sim_cache_result found;

    set = (uint32_t)(slice * m->l2_sets + line / gpu->l2.slices % m->l2_sets);
    found = sim_cache_access(m->l2, set, line, sectors, 1,
                             r->is_store || r->is_atomic);
    missing = sectors & ~found.hits;
    r->l2_sectors += count_sectors(sectors);
    r->l2_hits += count_sectors(found.hits);
    if (found.evicted != 0) {
        uint32_t dirty = count_sectors(found.evicted) * SIM_SECTOR_BYTES;

        r->dram_bytes += dirty;
        w->waited += write_dram(m, found.evicted_line * LINE_BYTES, dirty,
                                w->start + w->waited);
    }
    /* A plain store brings its sectors with it. */
    if (missing != 0 && (!r->is_store || r->is_atomic)) {
        visit_dram(m, w, address, count_sectors(missing) * SIM_SECTOR_BYTES, r);
        sim_cache_fill(m->l2, found.place,
                       cycles_up(w->start + w->waited) + w->latency);
    } else if (found.hits != 0) {
        w->at_least = max_u64(w->at_least, found.ready);
    }
}

/* A load asks the half of L2 on its SM's side first, which keeps what its SMs
 * have read wherever in L2 it belongs; what is missing comes from the other
 * half.  (gpu-benches' latency and bandwidth over footprint on A100 and H100
 * have a miss at half of L2 and one at its end.)  Stores and atomics go to
 * where the line belongs and leave stale copies out of account. */
static void visit_near(struct sim_memory *m, uint32_t sm, struct way *w,
                       uint64_t address, uint64_t slice, uint32_t sectors,
                       struct sim_request *r)
{
    struct sim_cache *near = m->near[sm / HALF_SMS % HALVES];
    uint64_t line = address / LINE_BYTES;
    struct sim_cache_result found = sim_cache_access(
        near, (uint32_t)place_of(m, line, m->near_sets), line, sectors, 1, 0);
    uint32_t missing = sectors & ~found.hits;
    uint32_t bytes = count_sectors(missing) * SIM_SECTOR_BYTES;

    r->l2_sectors += count_sectors(found.hits);
    r->l2_hits += count_sectors(found.hits);
    if (found.hits != 0)
        w->at_least = max_u64(w->at_least, found.ready);
    if (missing == 0)
        return;
    w->waited += wait_in(&m->far_link, w->start + w->waited,
                         bytes_ticks(m->far_rate, bytes));
    w->latency = max_u64(w->latency, m->gpu->l2.far_latency);
    search_l2(m, w, address, slice, missing, r);
    sim_cache_fill(near, found.place,
                   cycles_up(w->start + w->waited) + w->latency);
}

static void visit_l2(struct sim_memory *m, uint32_t sm, struct way *w,
                     uint64_t address, uint32_t sectors, struct sim_request *r)
{
    uint64_t slice =
        use_slice(m, w, address / LINE_BYTES, sectors, r->is_atomic);

    if (m->near[0] != NULL && !r->is_store && !r->is_atomic)
        visit_near(m, sm, w, address, slice, sectors, r);
    else
        search_l2(m, w, address, slice, sectors, r);
}

static size_t page_slot(const struct pages *p, uint64_t page)
{
    size_t i = fold(page) & (p->capacity - 1);

    while (p->page[i] != 0 && p->page[i] != page + 1)
        i = (i + 1) & (p->capacity - 1);
    return i;
}

static int pages_grow(struct pages *p)
{
    size_t capacity = p->capacity != 0 ? 2 * p->capacity : FIRST_PAGES;
    struct pages grown = {calloc(capacity, sizeof *p->page),
                          malloc(capacity * sizeof *p->ready), p->count,
                          capacity};

    if (grown.page == NULL || grown.ready == NULL) {
        free(grown.page);
        free(grown.ready);
        return 0;
    }
    for (size_t i = 0; i < p->capacity; i++) {
        size_t to = p->page[i] != 0 ? page_slot(&grown, p->page[i] - 1) : 0;

        if (p->page[i] == 0)
            continue;
        grown.page[to] = p->page[i];
        grown.ready[to] = p->ready[i];
    }
    free(p->page);
    free(p->ready);
    *p = grown;
    return 1;
}

/* The tick at which the translations of the address's region are on the chip,
 * which the first touch fetches.  Out of memory takes every touch for a later one, which the
 * caller cannot act on any better. */
static uint64_t region_ready(struct sim_memory *m, uint64_t address,
                             uint64_t at)
{
    uint64_t page;
    struct pages *p = &m->walked;
    size_t i;

    if (m->gpu->tlb.walk_latency == 0)
        return 0;
    page = address / m->gpu->tlb.walk_bytes;
    if (2 * p->count >= p->capacity && !pages_grow(p))
        return 0;
    i = page_slot(p, page);
    if (p->page[i] == 0) {
        p->page[i] = page + 1;
        p->ready[i] = at + (uint64_t)m->gpu->tlb.walk_latency * TICKS;
        p->count++;
    }
    return p->ready[i];
}

/* Stores are let go before they have their translation: kernels that end in
 * one take no longer for it (M sarchlab: FFMA loops on an H100 PCIe).
 *
 * Behind L1 addresses are physical: a page that the SM has not touched of late
 * has to be looked up first, and a region that nobody has touched to be
 * walked to.
 * (gpu-benches' latency over footprint N rises beyond 32 MB as 1 - 32 / N on
 * V100, A40 and A100: 16 pages of 2 MB) */
static void translate(struct sim_memory *m, uint32_t sm, struct way *w,
                      uint64_t address, int posted)
{
    uint64_t page = address / m->gpu->tlb.page_bytes;
    uint64_t at = w->start + w->waited;

    if (m->last_page[sm].page != page + 1) {
        m->last_page[sm].page = page + 1;
        if (sim_cache_access(m->tlb[sm], 0, page, 1, 1, 0).hits == 0)
            at += m->translation_ticks;
        m->last_page[sm].ready = region_ready(m, address, at);
    }
    if (!posted)
        w->waited = max_u64(at, m->last_page[sm].ready) - w->start;
}

/* What SMs share: L2, and DRAM behind it. */
static void visit_shared(struct sim_memory *m, uint32_t sm, struct way *w,
                         uint64_t address, uint32_t sectors, uint32_t bytes,
                         struct sim_request *r)
{
    if (m->l2 != NULL)
        visit_l2(m, sm, w, address, sectors, r);
    else
        visit_dram(m, w, address, bytes, r);
}

static void visit_beyond_l1(struct sim_memory *m, uint32_t sm, struct way *w,
                            uint64_t address, uint32_t sectors, uint32_t bytes,
                            struct sim_request *r)
{
    struct cluster *c = &m->cluster[sm / m->gpu->chip.sms_per_cluster];

    if (m->tlb != NULL)
        translate(m, sm, w, address, r->is_store && !r->is_atomic);
    w->waited +=
        wait_in(&c->port, w->start, bytes_ticks(m->cluster_rate, bytes));
    visit_shared(m, sm, w, address, sectors, bytes, r);
}

/* ---- a request ------------------------------------------------------------ */

enum {
    MISS_L1 = 1,      /* L1 has been looked up and keeps what comes */
    MISS_HIT = 2,     /* it had some of the sectors */
    MISS_AWAITED = 4, /* which come with a fill not known yet */
    MISS_ENTERED = 8, /* it took another line's place */
};

static uint64_t start_of(const struct sim_memory *m, uint64_t now,
                         uint32_t turn)
{
    return now * TICKS + turn * m->transaction_ticks;
}

/* The turn in which transaction `i` leaves: those that coalesced go together. */
static uint32_t turn_of(const struct sim_plan *plan, uint32_t i)
{
    return i < plan->groups ? 0 : i - plan->groups + 1;
}

/* A transaction that left the load/store unit at `start` is done. */
static void settle(struct sim_memory *m, uint32_t sm,
                   struct sim_request_ends *ends, uint32_t transaction,
                   uint64_t accepted, uint64_t tick, uint32_t bytes)
{
    tick += transaction * m->transaction_latency_ticks;
    ends->done = max_u64(ends->done, tick);
    ends->accepted = max_u64(ends->accepted, accepted);
    if (m->gpu->memory.in_flight_bytes != 0)
        remember(&m->cluster[sm / m->gpu->chip.sms_per_cluster],
                 cycles_up(tick), bytes);
}

/* Looks a load's or store's transaction up in the SM's L1; returns whether
 * that settles it. */
static int look_up(struct sim_memory *m, struct sim_misses *e,
                   const struct sim_transaction *t, struct sim_request *r,
                   struct sim_miss *miss)
{
    uint64_t line = t->address / LINE_BYTES, start;
    int loads = !r->is_store;
    uint32_t missing = miss->sectors;
    struct sim_cache_result found =
        sim_cache_access(m->l1[e->sm], (uint32_t)(line % m->l1_sets), line,
                         miss->sectors, loads, 0);

    if (loads) {
        missing &= ~found.hits;
        r->l1_sectors += count_sectors(miss->sectors);
        r->l1_hits += count_sectors(found.hits);
    }
    if (missing == 0 && !found.awaited) {
        start = start_of(m, e->now, miss->turn);
        settle(m, e->sm, &e->settled, miss->transaction, start,
               max_u64(start + m->gpu->l1.latency * (uint64_t)TICKS,
                       found.ready * TICKS),
               t->bytes);
        return 1;
    }
    miss->sectors = (uint8_t)missing;
    miss->bytes = count_sectors(missing) * SIM_SECTOR_BYTES;
    if (!loads)
        return 0;
    miss->ready = found.ready;
    miss->place = found.place;
    miss->flags = (uint8_t)(MISS_L1 | (found.hits != 0 ? MISS_HIT : 0) |
                            (found.awaited ? MISS_AWAITED : 0) |
                            (found.entered ? MISS_ENTERED : 0));
    if (missing != 0)
        sim_cache_await(m->l1[e->sm], found.place);
    return 0;
}

void sim_memory_begin(struct sim_memory *m, uint32_t sm, uint64_t now,
                      struct sim_plan *plan, uint32_t inst_flags,
                      struct sim_misses *e)
{
    struct sim_request *r = &plan->request;
    int bypass = (inst_flags & INST_BYPASS_L1) != 0 || r->is_atomic;

    e->now = now;
    e->settled = (struct sim_request_ends){now * TICKS, now * TICKS};
    e->sm = sm;
    e->number = m->followers != NULL
                    ? m->followers->begin(m->followers->self, &e->of)
                    : 0;
    e->transactions = plan->count;
    e->count = 0;
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct sim_transaction *t = &plan->transaction[i];
        struct sim_miss *miss = &e->miss[e->count];
        uint64_t start;

        *miss = (struct sim_miss){
            .address = t->address,
            .bytes = t->bytes,
            .sectors = (uint8_t)(t->sectors != 0 ? t->sectors : ALL_SECTORS),
            .partial = (uint8_t)(r->is_store && !r->is_atomic ? t->partial : 0),
            .transaction = (uint8_t)i,
            .turn = (uint8_t)turn_of(plan, i),
        };
        if (m->gpu->l1.always_hits) {
            r->l1_sectors += count_sectors(miss->sectors);
            r->l1_hits += count_sectors(miss->sectors);
            start = start_of(m, e->now, miss->turn);
            settle(m, e->sm, &e->settled, i, start,
                   start + m->gpu->l1.latency * (uint64_t)TICKS, t->bytes);
        } else if (m->l1 == NULL || bypass || !look_up(m, e, t, r, miss)) {
            e->count++;
        }
    }
}

/* Takes one miss's transaction through what SMs share; returns the tick it is
 * done. */
static uint64_t take_miss(struct sim_memory *m, uint32_t sm, struct way *w,
                          const struct sim_miss *miss, struct sim_request *r)
{
    struct sim_cache *l1 = miss->flags & MISS_L1 ? m->l1[sm] : NULL;
    uint64_t at_least = 0;

    if (miss->flags & MISS_HIT)
        at_least = miss->flags & MISS_AWAITED ? sim_cache_ready(l1, miss->place)
                                              : miss->ready;
    w->at_least = at_least;
    w->latency = m->gpu->l1.latency;
    if (miss->sectors != 0) {
        if (miss->flags & MISS_ENTERED)
            sim_cache_forget(l1, miss->place);
        visit_beyond_l1(m, sm, w, miss->address, miss->sectors, miss->bytes, r);
        if (l1 != NULL)
            sim_cache_fill(l1, miss->place,
                           cycles_up(w->start + w->waited) + w->latency);
    }
    return max_u64(w->start + w->waited + w->latency * TICKS,
                   w->at_least * TICKS);
}

static uint64_t end_misses(struct sim_memory *m, const struct sim_misses *e,
                           struct sim_request *r)
{
    struct sim_request_ends ends = e->settled;

    for (uint32_t i = 0; i < e->count; i++) {
        const struct sim_miss *miss = &e->miss[i];
        struct way w = {.start = start_of(m, e->now, miss->turn),
                        .partial = miss->partial};
        uint64_t tick = take_miss(m, e->sm, &w, miss, r);

        settle(m, e->sm, &ends, miss->transaction, w.start + w.waited, tick,
               miss->bytes);
    }
    return cycles_up(r->is_store && !r->is_atomic ? ends.accepted : ends.done);
}

/* ---- followers ------------------------------------------------------------ */

/* The leader's miss for the transaction that stands where transaction `i` of
 * `count` does; NULL if its L1 settled that.  `*at` is where to look first. */
static const struct sim_miss *miss_beside(const struct sim_misses *leader,
                                          uint32_t i, uint32_t count,
                                          uint32_t *at)
{
    uint32_t wanted = i * leader->transactions / count;

    while (*at < leader->count && leader->miss[*at].transaction < wanted)
        (*at)++;
    return *at < leader->count && leader->miss[*at].transaction == wanted
               ? &leader->miss[*at]
               : NULL;
}

/* A follower has a TLB of its own, that finds what its leader's does. */
static void await_region(struct sim_memory *m, struct way *w, uint64_t address,
                         int posted)
{
    uint64_t ready = region_ready(m, address, w->start);

    if (!posted && ready > w->start)
        w->waited = ready - w->start;
}

static void follow(struct sim_memory *m, struct sim_follower_request *f)
{
    struct sim_plan *plan = &f->plan;
    int posted = plan->request.is_store && !plan->request.is_atomic;
    uint32_t at = 0;

    for (uint32_t t = 0; t < plan->count; t++) {
        const struct sim_transaction *own = &plan->transaction[t];
        const struct sim_miss *miss =
            miss_beside(f->leader, t, plan->count, &at);
        uint32_t sectors = own->sectors != 0 ? own->sectors : ALL_SECTORS;
        struct way w = {.start = start_of(m, f->cycle, turn_of(plan, t)),
                        .partial = posted ? own->partial : 0};

        if (miss == NULL)
            continue;
        if (miss->flags & MISS_HIT)
            sectors &= miss->sectors;
        if (m->tlb != NULL)
            await_region(m, &w, own->address, posted);
        visit_shared(m, f->sm, &w, own->address, sectors,
                     own->sectors != 0
                         ? count_sectors(sectors) * SIM_SECTOR_BYTES
                         : own->bytes,
                     &plan->request);
    }
    m->followers->served(m->followers->self, &plan->request);
}

void sim_memory_lead(struct sim_memory *m,
                     const struct sim_followers *followers)
{
    m->followers = followers;
}

uint64_t sim_memory_end(struct sim_memory *m, const struct sim_misses *e,
                        struct sim_request *r)
{
    const struct sim_followers *f = m->followers;

    if (f != NULL && e->count != 0) {
        f->lead(f->self, e);
        while (f->next(f->self, e->now, &m->follower))
            follow(m, &m->follower);
    }
    return end_misses(m, e, r);
}

uint64_t sim_memory_issue(struct sim_memory *m, uint32_t sm, uint64_t now,
                          struct sim_plan *plan, uint32_t inst_flags)
{
    struct sim_misses e;

    e.of = (struct sim_request_of){0};
    sim_memory_begin(m, sm, now, plan, inst_flags, &e);
    return sim_memory_end(m, &e, &plan->request);
}

uint32_t sim_memory_lookahead(const struct teg_gpu *gpu)
{
    if (gpu->l2.bytes != 0 && gpu->l2.latency < gpu->dram.latency)
        return gpu->l2.latency;
    return gpu->dram.latency;
}

void sim_memory_channel_bytes(const struct sim_memory *m, uint64_t *most,
                              uint64_t *sum)
{
    *most = *sum = 0;
    for (uint32_t i = 0; i < m->gpu->dram.channels; i++) {
        *sum += m->channel[i].moved;
        *most = max_u64(*most, m->channel[i].moved);
    }
}
