#include "tests/sim/memory/help_naive_memory.h"

#include <stdlib.h>
#include <string.h>

/*
 * Where sim/memory does otherwise than the documents say, or than a memory
 * can.  1: so does this one, for results are to stay as they are; whoever
 * corrects one there sets it to 0 here.
 */
enum {
    /* What L2 has of a line that is under way is not waited for by a load that
     * also misses some of it.  Beyond a cycle's rounding it shows only where
     * the two go to different channels (dram.spread). */
    PART_OF_A_LINE_IS_NOT_AWAITED = 1,
    /* A region is only looked up when its SM changes the page, so one that is
     * smaller than a page is walked to by its page's first touch alone. */
    WALKS_WITH_THE_PAGE = 1,
    /* What finds in L1 a line that its own request has sent for has no bytes
     * outstanding. */
    OWN_LINES_ARE_NOT_OUTSTANDING = 1,
};

enum {
    TICKS = 1024,       /* of a cycle */
    BYTE_PARTS = 65536, /* of a tick, in which a byte's time is counted */
    LINE_BYTES = 128,
    SECTORS = 4, /* of a line */
    HALVES = 2,
};

struct line {
    uint64_t number, set;
    uint64_t used;    /* stamp */
    uint64_t arrives; /* cycle */
    uint64_t sender;  /* number of the last request that sent for some of it */
    int held[SECTORS], written[SECTORS];
};

/* The lines of a cache, in the order in which their places were taken. */
struct cache {
    struct line *line; /* owned, [lines] */
    size_t lines;
    uint64_t sets, ways;
};

struct page {
    uint64_t number, used;
};

struct sm {
    struct cache l1, texels; /* the second only where textures have their own */
    struct page *page;       /* owned, [pages]: whose translation it keeps */
    size_t pages;
    uint64_t last_page; /* number + 1; 0: none yet */
    uint64_t
        last_walk; /* tick at which that page's region had been walked to */
};

struct region {
    uint64_t number, ready; /* tick */
};

struct outstanding {
    uint64_t done; /* cycle */
    uint32_t bytes;
};

struct cluster {
    uint64_t free_from;              /* tick */
    struct outstanding *outstanding; /* owned, [count] */
    size_t count;
};

struct slice {
    uint64_t free_from; /* tick */
    uint64_t atomics;   /* ticks they took */
    struct cache cache;
};

struct channel {
    uint64_t free_from;        /* tick */
    uint64_t moved, unwritten; /* bytes */
    int read_last;
};

struct naive_memory {
    const struct teg_gpu *gpu; /* borrowed */
    uint32_t sms;
    uint64_t stamp;          /* counts uses */
    uint64_t request;        /* counts requests */
    uint64_t spread;         /* counts what went to a channel */
    struct sm *sm;           /* owned, [sms] */
    struct cluster *cluster; /* owned, [sms]: more than there are */
    struct slice *slice;     /* owned, [l2.slices] */
    uint64_t link_free_from; /* tick: between the halves of L2 */
    struct channel *channel; /* owned, [dram.channels] */
    struct region *region;   /* owned, [regions]: walked to */
    size_t regions;
};

/* A transaction on its way. */
struct trip {
    struct naive_memory *m;
    uint32_t sm;
    struct sim_request *request; /* whose */
    uint64_t address;
    int wanted[SECTORS]; /* still */
    uint32_t partial;    /* sectors written in part */
    uint32_t bytes;      /* beyond L1 */
    uint32_t steps;      /* of an atomic in its slice */
    uint64_t at;         /* tick it has come to, without latencies */
    uint64_t latency;    /* cycles, of the furthest place it was at */
    uint64_t arrival;    /* cycle before which it is not done */
};

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* `list` of `count` elements with room for one more. */
static void *one_more(void *list, size_t count, size_t size)
{
    void *longer = realloc(list, (count + 1) * size);

    if (longer == NULL)
        abort();
    return longer;
}

static void *zeroed(size_t count, size_t size)
{
    void *list = calloc(count, size);

    if (list == NULL)
        abort();
    return list;
}

/* ---- time ----------------------------------------------------------------- */

static uint64_t nearest(double x)
{
    return (uint64_t)(x + 0.5);
}

static uint64_t whole_cycles(uint64_t tick)
{
    return tick / TICKS + (tick % TICKS != 0);
}

/* Parts of a tick that a byte takes; 0 where there is no limit. */
static uint64_t byte_time(double bytes_per_cycle)
{
    return bytes_per_cycle > 0
               ? nearest((double)TICKS * BYTE_PARTS / bytes_per_cycle)
               : 0;
}

/* Ticks. */
static uint64_t time_of(uint64_t bytes, uint64_t byte_time)
{
    return bytes * byte_time / BYTE_PARTS;
}

/* Waits at `at` until the place is free, and takes it; returns when. */
static uint64_t take(uint64_t *free_from, uint64_t at, uint64_t ticks)
{
    uint64_t from = later(*free_from, at);

    *free_from = from + ticks;
    return from;
}

/* Slice, channel or set of a near half: the number modulo the places, turned
 * by what the number of the row of places gives. */
static uint64_t place_of(const struct teg_gpu *gpu, uint64_t number,
                         uint64_t places)
{
    uint64_t row = number / places, column = number % places;

    if (!gpu->dram.hash)
        return column;
    row = (row ^ row / 8589934592) * 18397679294719823053u;
    row = row ^ row / 8589934592;
    return (column + row % places) % places;
}

/* ---- caches --------------------------------------------------------------- */

static struct line *find(struct cache *c, uint64_t number)
{
    for (size_t i = 0; i < c->lines; i++) {
        if (c->line[i].number == number)
            return &c->line[i];
    }
    return NULL;
}

/* A place for a line; the one whose last use is longest ago makes room, and
 * is copied to `gone`. */
static struct line *place_in(struct cache *c, uint64_t set, struct line *gone)
{
    struct line *oldest = NULL;
    uint64_t held = 0;

    for (size_t i = 0; i < c->lines; i++) {
        struct line *line = &c->line[i];

        if (line->set != set)
            continue;
        held++;
        if (oldest == NULL || line->used < oldest->used)
            oldest = line;
    }
    if (held == c->ways) {
        *gone = *oldest;
        return oldest;
    }
    c->line = one_more(c->line, c->lines, sizeof *c->line);
    return &c->line[c->lines++];
}

/* The line, entered if it is not there; `gone` made room, or is all zeros. */
static struct line *find_or_enter(struct naive_memory *m, struct cache *c,
                                  uint64_t set, uint64_t number,
                                  struct line *gone)
{
    struct line *line = find(c, number);

    memset(gone, 0, sizeof *gone);
    if (line == NULL) {
        line = place_in(c, set, gone);
        memset(line, 0, sizeof *line);
        line->number = number;
        line->set = set;
    }
    line->used = ++m->stamp;
    return line;
}

static uint32_t count(const int sectors[SECTORS])
{
    uint32_t n = 0;

    for (int s = 0; s < SECTORS; s++)
        n += sectors[s] != 0;
    return n;
}

/* Leaves of what is wanted what the line does not hold, and has it hold that
 * from now on; returns the hits. */
static uint32_t look(struct line *line, int wanted[SECTORS])
{
    uint32_t hits = 0;

    for (int s = 0; s < SECTORS; s++) {
        if (!wanted[s])
            continue;
        hits += line->held[s] != 0;
        wanted[s] = !line->held[s];
        line->held[s] = 1;
    }
    return hits;
}

/* What the trip fetched for the line arrives; the line with the last of it. */
static void fill(struct line *line, const struct trip *t)
{
    uint64_t cycle = whole_cycles(t->at) + t->latency;

    line->arrives = later(line->arrives, later(cycle, t->arrival));
}

/* ---- DRAM ----------------------------------------------------------------- */

static struct channel *channel_of(struct naive_memory *m, uint64_t address)
{
    const struct teg_gpu *gpu = m->gpu;

    if (gpu->dram.spread)
        return &m->channel[m->spread++ % gpu->dram.channels];
    return &m->channel[place_of(gpu, address / gpu->dram.interleave_bytes,
                                gpu->dram.channels)];
}

static uint64_t dram_time(const struct teg_gpu *gpu, uint64_t bytes)
{
    double gbs = gpu->dram.reached_gbs != 0 ? gpu->dram.reached_gbs
                                            : gpu->dram.bandwidth_gbs;

    return time_of(bytes, byte_time(gbs * 1000 / gpu->chip.sm_clock_mhz /
                                    gpu->dram.channels));
}

static void go_to_dram(struct trip *t, uint32_t bytes)
{
    struct channel *c = channel_of(t->m, t->address);

    t->request->dram_bytes += bytes;
    c->moved += bytes;
    c->read_last = 1;
    t->at = take(&c->free_from, t->at, dram_time(t->m->gpu, bytes));
    t->latency = t->m->gpu->dram.latency;
}

/* The trip takes the place of a line with `bytes` to be written back. */
static void write_back(struct trip *t, uint64_t line, uint32_t bytes)
{
    const struct teg_gpu *gpu = t->m->gpu;
    struct channel *c = channel_of(t->m, line * LINE_BYTES);
    uint64_t ticks;

    t->request->dram_bytes += bytes;
    c->moved += bytes;
    c->unwritten += bytes;
    if (c->unwritten < gpu->dram.write_batch_bytes)
        return;
    ticks = dram_time(gpu, c->unwritten);
    if (c->read_last)
        ticks += nearest(gpu->dram.turnaround * TICKS);
    c->unwritten = 0;
    c->read_last = 0;
    t->at = take(&c->free_from, t->at, ticks);
}

/* ---- L2 ------------------------------------------------------------------- */

/* The number of the line's slice. */
static uint64_t home_of(const struct trip *t)
{
    const struct teg_gpu *gpu = t->m->gpu;

    return place_of(gpu, t->address / LINE_BYTES, gpu->l2.slices);
}

/* Even slices are one half of L2, odd ones the other; SMs go by groups. */
static int is_far(const struct trip *t)
{
    const struct teg_gpu *gpu = t->m->gpu;

    return gpu->l2.far_latency != 0 &&
           home_of(t) % HALVES != t->sm / gpu->l2.half_sms % HALVES;
}

static uint64_t latency_to_dram(const struct trip *t)
{
    const struct teg_gpu *gpu = t->m->gpu;
    uint64_t half_way = 0;

    if (gpu->l2.far_latency != 0)
        half_way = (gpu->l2.far_latency - gpu->l2.latency) / 2;
    return is_far(t) ? gpu->dram.latency + half_way
                     : gpu->dram.latency - half_way;
}

static void look_in_slice(struct trip *t, struct slice *slice)
{
    const struct sim_request *r = t->request;
    uint64_t number = t->address / LINE_BYTES;
    uint32_t asked = count(t->wanted), hits, missing;
    uint64_t set = number / t->m->gpu->l2.slices % slice->cache.sets;
    struct line gone;
    struct line *line = find_or_enter(t->m, &slice->cache, set, number, &gone);

    for (int s = 0; s < SECTORS; s++)
        line->written[s] |= t->wanted[s] && (r->is_store || r->is_atomic);
    hits = look(line, t->wanted);
    missing = asked - hits;
    t->request->l2_sectors += asked;
    t->request->l2_hits += hits;
    if (count(gone.written) != 0)
        write_back(t, gone.number, count(gone.written) * TEG_SECTOR_BYTES);
    if (r->is_store && !r->is_atomic)
        missing = 0; /* it brings them with it */
    if (hits != 0 && (missing == 0 || !PART_OF_A_LINE_IS_NOT_AWAITED))
        t->arrival = later(t->arrival, line->arrives);
    if (missing != 0) {
        go_to_dram(t, missing * TEG_SECTOR_BYTES);
        t->latency = latency_to_dram(t);
        fill(line, t);
    }
}

static void look_for_copy(struct trip *t, struct slice *slice)
{
    const struct teg_gpu *gpu = t->m->gpu;
    uint64_t home = home_of(t);
    struct cache *copies =
        &t->m->slice[home % HALVES == 0 ? home + 1 : home - 1].cache;
    uint64_t number = t->address / LINE_BYTES;
    uint64_t set = number / gpu->l2.slices % copies->sets;
    struct line gone;
    struct line *line = find_or_enter(t->m, copies, set, number, &gone);
    uint32_t hits = look(line, t->wanted);

    if (count(gone.written) != 0)
        write_back(t, gone.number, count(gone.written) * TEG_SECTOR_BYTES);
    t->request->l2_sectors += hits;
    t->request->l2_hits += hits;
    if (hits != 0)
        t->arrival = later(t->arrival, line->arrives);
    if (count(t->wanted) == 0)
        return;
    t->at = take(&t->m->link_free_from, t->at,
                 time_of(count(t->wanted) * TEG_SECTOR_BYTES,
                         byte_time(gpu->l2.far_bytes_per_cycle)));
    t->latency = gpu->l2.far_latency;
    look_in_slice(t, slice);
    fill(line, t);
}

static void go_to_l2(struct trip *t)
{
    const struct teg_gpu *gpu = t->m->gpu;
    const struct sim_request *r = t->request;
    struct slice *slice = &t->m->slice[home_of(t)];
    uint64_t each = byte_time(gpu->l2.bytes_per_cycle / gpu->l2.slices);
    uint64_t again = nearest((double)each * gpu->l2.partial_write);
    uint64_t ticks = time_of(count(t->wanted) * TEG_SECTOR_BYTES, each) +
                     time_of(t->partial * TEG_SECTOR_BYTES, again);
    uint64_t step = 0;

    if (r->is_atomic && r->is_float && gpu->l2.atomic_float_interval > 0)
        step = nearest(gpu->l2.atomic_float_interval * TICKS);
    else if (r->is_atomic)
        step = nearest(gpu->l2.atomic_interval * TICKS);
    t->at = take(&slice->free_from, t->at, later(ticks, t->steps * step));
    t->at += (t->steps - 1) * step;
    slice->atomics += t->steps * step;
    t->latency = gpu->l2.latency;
    if (is_far(t) && (r->is_store || r->is_atomic))
        t->latency = gpu->l2.far_latency;
    if (is_far(t) && !r->is_store && !r->is_atomic)
        look_for_copy(t, slice);
    else
        look_in_slice(t, slice);
}

/* ---- translation ---------------------------------------------------------- */

/* Whether the SM had kept the page's translation; it does from now on. */
static int knows_page(struct naive_memory *m, struct sm *sm, uint64_t number)
{
    struct page *oldest = NULL;

    for (size_t i = 0; i < sm->pages; i++) {
        struct page *page = &sm->page[i];

        if (page->number == number) {
            page->used = ++m->stamp;
            return 1;
        }
        if (oldest == NULL || page->used < oldest->used)
            oldest = page;
    }
    if (sm->pages < m->gpu->tlb.entries) {
        sm->page = one_more(sm->page, sm->pages, sizeof *sm->page);
        oldest = &sm->page[sm->pages++];
    }
    *oldest = (struct page){number, ++m->stamp};
    return 0;
}

/* The tick at which the region's translations are there; `at` is when the
 * first who touches it asks for them. */
static uint64_t walk(struct naive_memory *m, uint64_t number, uint64_t at)
{
    for (size_t i = 0; i < m->regions; i++) {
        if (m->region[i].number == number)
            return m->region[i].ready;
    }
    m->region = one_more(m->region, m->regions, sizeof *m->region);
    m->region[m->regions].number = number;
    m->region[m->regions].ready =
        at + (uint64_t)m->gpu->tlb.walk_latency * TICKS;
    return m->region[m->regions++].ready;
}

static void translate(struct trip *t)
{
    const struct teg_gpu *gpu = t->m->gpu;
    struct sm *sm = &t->m->sm[t->sm];
    uint64_t page = t->address / gpu->tlb.page_bytes;
    uint64_t at = t->at, walked = 0;

    if (!knows_page(t->m, sm, page))
        at += nearest(gpu->tlb.miss_latency * TICKS);
    if (WALKS_WITH_THE_PAGE && sm->last_page == page + 1)
        walked = sm->last_walk;
    else if (gpu->tlb.walk_latency != 0)
        walked = walk(t->m, t->address / gpu->tlb.walk_bytes, at);
    sm->last_page = page + 1;
    sm->last_walk = walked;
    /* Plain stores do not wait for it. */
    if (!t->request->is_store || t->request->is_atomic)
        t->at = later(at, walked);
}

/* ---- a request ------------------------------------------------------------ */

static struct cluster *cluster_of(struct naive_memory *m, uint32_t sm)
{
    return &m->cluster[sm / m->gpu->chip.sms_per_cluster];
}

/* The pipeline is taken from when the transaction leaves the SM; what it
 * waits there comes on top of what its translation takes. */
static void go_beyond_l1(struct trip *t)
{
    const struct teg_gpu *gpu = t->m->gpu;
    uint64_t leaves = t->at;
    uint64_t ticks =
        later(time_of(t->bytes, byte_time(gpu->memory.cluster_bytes_per_cycle)),
              nearest(gpu->memory.request_interval * TICKS));

    if (gpu->tlb.entries != 0)
        translate(t);
    t->at += take(&cluster_of(t->m, t->sm)->free_from, leaves, ticks) - leaves;
    if (gpu->l2.bytes != 0)
        go_to_l2(t);
    else
        go_to_dram(t, t->bytes);
}

/* Are textures looked up elsewhere than loads? */
static int has_own(const struct trip *t)
{
    return t->request->space == SPACE_TEXTURE &&
           t->m->gpu->texture.l1_bytes != 0;
}

static struct cache *first_cache(struct trip *t)
{
    return has_own(t) ? &t->m->sm[t->sm].texels : &t->m->sm[t->sm].l1;
}

static void load_through_l1(struct trip *t)
{
    struct naive_memory *m = t->m;
    struct cache *l1 = first_cache(t);
    uint64_t number = t->address / LINE_BYTES;
    struct line gone;
    struct line *line = find_or_enter(m, l1, number % l1->sets, number, &gone);
    uint32_t asked = count(t->wanted);
    uint32_t hits = look(line, t->wanted);

    t->request->l1_sectors += asked;
    t->request->l1_hits += hits;
    if (hits != 0)
        t->arrival = line->arrives;
    if (hits == asked) {
        t->latency =
            has_own(t) ? m->gpu->timing[CLASS_TEX].latency : m->gpu->l1.latency;
        if (OWN_LINES_ARE_NOT_OUTSTANDING && line->sender == m->request)
            t->bytes = 0;
        return;
    }
    t->bytes = (asked - hits) * TEG_SECTOR_BYTES;
    line->sender = m->request;
    go_beyond_l1(t);
    fill(line, t);
}

/* A store changes nothing in L1 but when its line was used last. */
static void store_through_l1(struct trip *t)
{
    struct line *line = find(first_cache(t), t->address / LINE_BYTES);

    if (line != NULL)
        line->used = ++t->m->stamp;
    t->bytes = count(t->wanted) * TEG_SECTOR_BYTES;
    go_beyond_l1(t);
}

static void go(struct trip *t, uint32_t inst_flags)
{
    const struct teg_gpu *gpu = t->m->gpu;
    struct sim_request *r = t->request;

    if (gpu->l1.always_hits) {
        r->l1_sectors += count(t->wanted);
        r->l1_hits += count(t->wanted);
        t->latency = gpu->l1.latency;
    } else if ((gpu->l1.bytes == 0 && !has_own(t)) ||
               (inst_flags & INST_BYPASS_L1) || r->is_atomic) {
        go_beyond_l1(t);
    } else if (r->is_store) {
        store_through_l1(t);
    } else {
        load_through_l1(t);
    }
}

static void set_out(struct trip *t, const struct sim_transaction *planned)
{
    int posted = t->request->is_store && !t->request->is_atomic;

    t->address = planned->address;
    t->bytes = planned->bytes;
    t->steps = planned->steps > 1 ? planned->steps : 1;
    for (int s = 0; s < SECTORS; s++) {
        t->wanted[s] = planned->sectors == 0 || (planned->sectors >> s & 1);
        t->partial += posted && (planned->partial >> s & 1);
    }
}

uint64_t naive_memory_issue(struct naive_memory *m, uint32_t sm, uint64_t now,
                            struct sim_plan *plan, uint32_t inst_flags)
{
    struct sim_request *r = &plan->request;
    uint64_t turn = nearest(m->gpu->memory.transaction_interval * TICKS);
    uint64_t further = nearest(m->gpu->memory.transaction_latency * TICKS);
    uint64_t accepted = now * TICKS, done = now * TICKS;

    m->request++;
    for (uint32_t i = 0; i < plan->count; i++) {
        struct trip t = {.m = m, .sm = sm, .request = r, .at = now * TICKS};
        struct cluster *c = cluster_of(m, sm);
        uint64_t end;

        if (i >= plan->groups)
            t.at += (i - plan->groups + 1) * turn;
        set_out(&t, &plan->transaction[i]);
        go(&t, inst_flags);
        end = later(t.at + t.latency * TICKS, t.arrival * TICKS) + i * further;
        accepted = later(accepted, t.at);
        done = later(done, end);
        c->outstanding =
            one_more(c->outstanding, c->count, sizeof *c->outstanding);
        c->outstanding[c->count++] =
            (struct outstanding){whole_cycles(end), t.bytes};
    }
    return whole_cycles(r->is_store && !r->is_atomic ? accepted : done);
}

/* The leader's miss for transaction `i`; NULL if its L1 had all of that. */
static const struct sim_miss *miss_of(const struct sim_misses *misses,
                                      uint32_t i)
{
    for (uint32_t k = 0; k < misses->count; k++) {
        if (misses->miss[k].transaction == i)
            return &misses->miss[k];
    }
    return NULL;
}

/* Beyond its L1, which finds what the leader's does, a follower only waits for
 * walks; it has no pipeline of a cluster. */
static void follow(struct trip *t)
{
    const struct teg_gpu *gpu = t->m->gpu;
    int posted = t->request->is_store && !t->request->is_atomic;

    if (gpu->tlb.entries != 0 && gpu->tlb.walk_latency != 0) {
        uint64_t ready = walk(t->m, t->address / gpu->tlb.walk_bytes, t->at);

        t->at = posted ? t->at : later(t->at, ready);
    }
    if (gpu->l2.bytes != 0)
        go_to_l2(t);
    else
        go_to_dram(t, t->bytes);
}

void naive_memory_follow(struct naive_memory *m, uint32_t sm, uint64_t cycle,
                         struct sim_plan *plan, const struct sim_plan *leader,
                         const struct sim_misses *misses)
{
    uint64_t turn = nearest(m->gpu->memory.transaction_interval * TICKS);

    for (uint32_t i = 0; i < plan->count; i++) {
        const struct sim_transaction *own = &plan->transaction[i];
        uint32_t beside = i * leader->count / plan->count, all, left;
        const struct sim_miss *miss = miss_of(misses, beside);
        struct trip t = {
            .m = m, .sm = sm, .request = &plan->request, .at = cycle * TICKS};

        if (miss == NULL)
            continue;
        all = leader->transaction[beside].sectors;
        left = miss->sectors == (all != 0 ? all : 15) ? 15 : miss->sectors;
        if (i >= plan->groups)
            t.at += (i - plan->groups + 1) * turn;
        set_out(&t, own);
        for (int s = 0; s < SECTORS; s++)
            t.wanted[s] = t.wanted[s] && (left >> s & 1);
        if (own->sectors != 0)
            t.bytes = count(t.wanted) * TEG_SECTOR_BYTES;
        follow(&t);
    }
}

uint64_t naive_memory_ready_at(struct naive_memory *m, uint32_t sm,
                               uint64_t now, uint32_t bytes)
{
    struct cluster *c = cluster_of(m, sm);
    uint64_t sum = bytes, first = UINT64_MAX;
    size_t left = 0;

    for (size_t i = 0; i < c->count; i++) {
        struct outstanding o = c->outstanding[i];

        if (o.done <= now)
            continue;
        sum += o.bytes;
        first = o.done < first ? o.done : first;
        c->outstanding[left++] = o;
    }
    c->count = left;
    /* What is larger than the limit goes alone. */
    if (m->gpu->memory.in_flight_bytes == 0 || left == 0 ||
        sum <= m->gpu->memory.in_flight_bytes)
        return now;
    return first;
}

/* ---- all of it ------------------------------------------------------------ */

struct naive_memory *naive_memory_new(const struct teg_gpu *gpu, uint32_t sms,
                                      uint32_t l1_bytes)
{
    struct naive_memory *m = zeroed(1, sizeof *m);
    uint64_t lines = (l1_bytes != 0 ? l1_bytes : gpu->l1.bytes) / LINE_BYTES;

    m->gpu = gpu;
    m->sms = sms;
    m->sm = zeroed(sms, sizeof *m->sm);
    m->cluster = zeroed(sms, sizeof *m->cluster);
    m->slice = zeroed(gpu->l2.slices, sizeof *m->slice);
    m->channel = zeroed(gpu->dram.channels, sizeof *m->channel);
    for (uint32_t i = 0; i < sms; i++) {
        m->sm[i].l1.ways = gpu->l1.ways;
        m->sm[i].l1.sets = later(lines / gpu->l1.ways, 1);
        m->sm[i].texels.ways = gpu->texture.l1_ways;
        m->sm[i].texels.sets =
            gpu->texture.l1_bytes / LINE_BYTES / gpu->texture.l1_ways;
    }
    for (uint32_t i = 0; i < gpu->l2.slices; i++) {
        m->slice[i].cache.ways = gpu->l2.ways;
        m->slice[i].cache.sets =
            gpu->l2.bytes / LINE_BYTES / gpu->l2.ways / gpu->l2.slices;
    }
    return m;
}

/* All lines of the cache are there. */
static void settle(struct cache *c)
{
    for (size_t i = 0; i < c->lines; i++)
        c->line[i].arrives = 0;
}

/* L1 is empty and nothing is under way; L2, translations and what channels
 * have gathered stay. */
void naive_memory_next_kernel(struct naive_memory *m, uint32_t l1_bytes)
{
    uint64_t lines = (l1_bytes != 0 ? l1_bytes : m->gpu->l1.bytes) / LINE_BYTES;

    for (uint32_t i = 0; i < m->sms; i++) {
        m->sm[i].l1.lines = m->sm[i].texels.lines = 0;
        m->sm[i].l1.sets = later(lines / m->gpu->l1.ways, 1);
        m->sm[i].last_walk = 0;
        m->cluster[i].free_from = 0;
        m->cluster[i].count = 0;
    }
    for (uint32_t i = 0; i < m->gpu->l2.slices; i++) {
        m->slice[i].free_from = 0;
        m->slice[i].atomics = 0;
        settle(&m->slice[i].cache);
    }
    for (uint32_t i = 0; i < m->gpu->dram.channels; i++) {
        m->channel[i].free_from = 0;
        m->channel[i].moved = 0;
    }
    for (size_t i = 0; i < m->regions; i++)
        m->region[i].ready = 0;
    m->link_free_from = 0;
    m->spread = 0;
}

/* Byte by byte. */
void naive_memory_write(struct naive_memory *m, uint64_t address,
                        uint64_t bytes)
{
    for (uint64_t a = address; m->gpu->l2.bytes != 0 && a < address + bytes;
         a++) {
        uint64_t number = a / LINE_BYTES;
        struct cache *c =
            &m->slice[place_of(m->gpu, number, m->gpu->l2.slices)].cache;
        struct line gone;
        struct line *line = find_or_enter(
            m, c, number / m->gpu->l2.slices % c->sets, number, &gone);

        line->held[a % LINE_BYTES / TEG_SECTOR_BYTES] = 1;
        line->written[a % LINE_BYTES / TEG_SECTOR_BYTES] = 1;
    }
}

void naive_memory_free(struct naive_memory *m)
{
    for (uint32_t i = 0; i < m->sms; i++) {
        free(m->sm[i].l1.line);
        free(m->sm[i].texels.line);
        free(m->sm[i].page);
        free(m->cluster[i].outstanding);
    }
    for (uint32_t i = 0; i < m->gpu->l2.slices; i++)
        free(m->slice[i].cache.line);
    free(m->sm);
    free(m->cluster);
    free(m->slice);
    free(m->channel);
    free(m->region);
    free(m);
}

void naive_memory_channel_bytes(const struct naive_memory *m, uint64_t *most,
                                uint64_t *sum)
{
    *most = *sum = 0;
    for (uint32_t i = 0; i < m->gpu->dram.channels; i++) {
        *most = later(*most, m->channel[i].moved);
        *sum += m->channel[i].moved;
    }
}

uint64_t naive_memory_atomic_cycles(const struct naive_memory *m)
{
    uint64_t most = 0;

    for (uint32_t i = 0; i < m->gpu->l2.slices; i++)
        most = later(most, m->slice[i].atomics / TICKS);
    return most;
}
