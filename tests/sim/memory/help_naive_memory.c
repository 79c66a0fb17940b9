#include "tests/sim/memory/help_naive_parts.h"

#include "sim/memory/merge.h"

#include <stdlib.h>
#include <string.h>

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
        sm->page = naive_one_more(sm->page, sm->pages, sizeof *sm->page);
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
    m->region = naive_one_more(m->region, m->regions, sizeof *m->region);
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
        at += naive_nearest(gpu->tlb.miss_latency * TICKS);
    if (WALKS_WITH_THE_PAGE && sm->last_page == page + 1)
        walked = sm->last_walk;
    else if (gpu->tlb.walk_latency != 0)
        walked = walk(t->m, t->address / gpu->tlb.walk_bytes, at);
    sm->last_page = page + 1;
    sm->last_walk = walked;
    /* Plain stores do not wait for it. */
    if (!t->request->is_store || t->request->is_atomic)
        t->at = naive_later(at, walked);
}

/* ---- a request ------------------------------------------------------------ */

static struct cluster *cluster_of(struct naive_memory *m, uint32_t sm)
{
    uint32_t each = m->gpu->chip.sms_per_cluster;

    if (m->gpu->chip.cluster_numbering == CLUSTER_NUMBERING_STRIDED)
        return &m->cluster[sm % ((m->gpu->chip.sms - 1) / each + 1)];
    return &m->cluster[sm / each];
}

/* What a warp stores to one of the last sectors that it has stored in part, without
 * a load in between, is not sent: leaves what is. */
static void merge(struct trip *t)
{
    struct sim_stored *warp = t->request->stored;
    uint32_t most = t->m->gpu->l1.merged_sectors;

    for (uint64_t s = 0; s < SECTORS && most != 0 && warp != NULL; s++) {
        uint64_t sector = t->address / LINE_BYTES * SECTORS + s;
        uint64_t n = warp->count, oldest = n > most ? n - most : 0;

        if (!t->parts[s])
            continue;
        while (n > oldest && warp->sector[(n - 1) % most] != sector)
            n--;
        if (n > oldest) {
            t->wanted[s] = t->partial[s] = t->torn[s] = 0;
            t->bytes = naive_count(t->wanted) * TEG_SECTOR_BYTES;
        } else {
            warp->sector[warp->count % most] = sector;
            warp->count++;
        }
    }
}

/* Are textures looked up elsewhere than loads? */
static int has_own(const struct trip *t)
{
    return t->request->space == SPACE_TEXTURE &&
           t->m->gpu->texture.l1_bytes != 0;
}

static uint64_t first_latency(const struct trip *t)
{
    const struct teg_gpu *gpu = t->m->gpu;

    return has_own(t) ? gpu->timing[CLASS_TEX].latency : gpu->l1.latency;
}

/* Where it is known what a line written takes, it has a way of its own. */
static int way_out(const struct trip *t)
{
    return t->m->gpu->memory.store_interval > 0 &&
           (t->request->is_store || t->request->is_atomic);
}

/* The pipeline is taken from when the transaction leaves the SM; what it
 * waits there comes on top of what its translation takes. */
static void go_beyond_l1(struct trip *t)
{
    const struct teg_gpu *gpu = t->m->gpu;
    uint64_t leaves = t->at, out = 0, ticks;
    double rate = gpu->memory.cluster_bytes_per_cycle;
    double least = gpu->memory.request_interval;
    int posted = t->request->is_store && !t->request->is_atomic;

    if (posted && !t->request->is_bulk)
        merge(t);
    if (naive_count(t->wanted) == 0) {
        t->latency = first_latency(t);
        return;
    }
    t->goes_out = 1;
    if (!t->request->is_bulk && gpu->memory.warp_bytes_per_cycle != 0)
        rate = gpu->memory.warp_bytes_per_cycle;
    if (t->request->is_bulk && gpu->memory.copy_out_bytes_per_cycle != 0 &&
        (t->request->is_store || t->request->is_atomic))
        rate = gpu->memory.copy_out_bytes_per_cycle;
    if (!t->request->is_bulk &&
        (t->request->is_store || t->request->is_atomic) &&
        gpu->memory.store_interval > least)
        least = gpu->memory.store_interval;
    if (t->request->is_bulk && gpu->memory.copy_line_interval > least)
        least = gpu->memory.copy_line_interval;
    ticks = naive_later(naive_time_of(t->bytes, naive_byte_time(rate)),
                        naive_nearest(least * TICKS));
    for (uint64_t n = 1; !t->request->is_bulk && n <= t->packets; n++)
        ticks = naive_later(
            ticks, n * naive_nearest(gpu->memory.store_interval * TICKS));

    if (gpu->tlb.entries != 0)
        translate(t);
    if (way_out(t))
        out = naive_take(&cluster_of(t->m, t->sm)->out_from, leaves, ticks);
    else
        t->at +=
            naive_take(&cluster_of(t->m, t->sm)->free_from, leaves, ticks) -
            leaves;
    if (gpu->l2.bytes != 0)
        naive_go_to_l2(t);
    else if (t->request->is_store && !t->request->is_atomic)
        naive_store_to_dram(t);
    else
        naive_go_to_dram(t, t->bytes);
    t->at = naive_later(t->at, out);
}

static struct cache *first_cache(struct trip *t)
{
    return has_own(t) ? &t->m->sm[t->sm].texels : &t->m->sm[t->sm].l1;
}

/* A line that another launch has brought is not found. */
static uint64_t own_line(const struct trip *t)
{
    return t->address / LINE_BYTES + ((uint64_t)t->m->launch << 50);
}

static void load_through_l1(struct trip *t)
{
    struct naive_memory *m = t->m;
    struct cache *l1 = first_cache(t);
    uint64_t number = t->address / LINE_BYTES;
    struct line gone;
    struct line *line = naive_find_or_enter(
        m, l1, naive_set_of(!has_own(t) && m->gpu->l1.hash, number, l1->sets),
        own_line(t), &gone);
    uint32_t asked = naive_count(t->wanted);
    uint32_t hits = naive_look(line, t->wanted);

    t->request->l1_sectors += asked;
    t->request->l1_hits += hits;
    if (hits != 0)
        t->arrival = line->arrives;
    if (hits == asked) {
        t->latency = first_latency(t);
        if (OWN_LINES_ARE_NOT_OUTSTANDING && line->sender == m->request)
            t->bytes = 0;
        return;
    }
    t->bytes = (asked - hits) * TEG_SECTOR_BYTES;
    line->sender = m->request;
    go_beyond_l1(t);
    naive_fill(line, t);
}

/* A store changes nothing in L1 but when its line was used last. */
static void store_through_l1(struct trip *t)
{
    struct line *line = naive_find(first_cache(t), own_line(t));

    if (line != NULL)
        line->used = ++t->m->stamp;
    t->bytes = naive_count(t->wanted) * TEG_SECTOR_BYTES;
    go_beyond_l1(t);
}

static void go(struct trip *t, uint32_t inst_flags)
{
    const struct teg_gpu *gpu = t->m->gpu;
    struct sim_request *r = t->request;

    if (gpu->l1.always_hits) {
        r->l1_sectors += naive_count(t->wanted);
        r->l1_hits += naive_count(t->wanted);
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
    t->updates = planned->updates;
    t->steps = planned->steps;
    t->packets = planned->packets;
    for (int s = 0; s < SECTORS; s++) {
        t->wanted[s] = planned->sectors == 0 || (planned->sectors >> s & 1);
        t->parts[s] = posted && (planned->parts >> s & 1);
        t->torn[s] = posted && (planned->partial >> s & 1);
        t->partial[s] = t->torn[s];
    }
}

/* What is written in part joins what its SM has just written in part. */
static void join_parts(struct trip *t)
{
    struct sm *sm = &t->m->sm[t->sm];

    for (uint64_t s = 0; s < SECTORS; s++) {
        uint64_t sector = t->address / LINE_BYTES * SECTORS + s, back = 1;
        uint64_t most = t->m->gpu->l2.partial_joined;

        if (!t->partial[s] || most == 0)
            continue;
        while (back <= most && back <= sm->parts &&
               sm->part[(sm->parts - back) % 256] != sector)
            back++;
        if (back <= most && back <= sm->parts)
            t->partial[s] = 0;
        else
            sm->part[sm->parts++ % 256] = sector;
    }
}

/* Loads leave L1 one behind the other. */
static uint64_t come_back(struct naive_memory *m, uint32_t sm,
                          const struct sim_request *r, uint64_t done)
{
    int elsewhere = r->space == SPACE_TEXTURE && m->gpu->texture.l1_bytes != 0;

    if (!m->gpu->l1.in_order || r->is_atomic || r->is_copy || elsewhere)
        return done;
    m->sm[sm].returned = naive_later(m->sm[sm].returned, done);
    return m->sm[sm].returned;
}

/* When what came at that tick found one of the places that lines stored have
 * to wait for L2, each until its line is there. */
static uint64_t place_of(struct cluster *c, const struct trip *t, uint64_t came)
{
    const struct sim_request *r = t->request;
    size_t places = t->m->gpu->memory.store_lines;
    uint64_t free_from = 0;

    if (!r->is_store || r->is_atomic || r->is_bulk || !t->goes_out ||
        places == 0)
        return t->at;
    if (c->lefts >= places)
        free_from = c->left[c->lefts - places];
    c->left = naive_one_more(c->left, c->lefts, sizeof *c->left);
    c->left[c->lefts++] = t->at;
    came = naive_later(came, free_from);
    return came < t->at ? came : t->at;
}

uint64_t naive_memory_issue(struct naive_memory *m, uint32_t sm, uint64_t now,
                            struct sim_plan *plan, uint32_t inst_flags)
{
    struct sim_request *r = &plan->request;
    uint64_t turn = naive_nearest(m->gpu->memory.transaction_interval * TICKS);
    uint64_t further =
        naive_nearest(m->gpu->memory.transaction_latency * TICKS);
    uint64_t accepted = now * TICKS, done = now * TICKS, kept = now * TICKS;

    m->request++;
    for (uint32_t i = 0; i < plan->count; i++) {
        struct trip t = {.m = m, .sm = sm, .request = r, .at = now * TICKS};
        struct cluster *c = cluster_of(m, sm);
        uint64_t end, came;

        if (i >= plan->groups)
            t.at += (i - plan->groups + 1) * turn;
        set_out(&t, &plan->transaction[i]);
        join_parts(&t);
        came = t.at;
        go(&t, inst_flags);
        kept = naive_later(kept, place_of(c, &t, came));
        end = naive_later(t.at + t.latency * TICKS, t.arrival * TICKS) +
              i * further;
        accepted = naive_later(accepted, t.at);
        done = naive_later(done, end);
        c->outstanding =
            naive_one_more(c->outstanding, c->count, sizeof *c->outstanding);
        c->outstanding[c->count++] =
            (struct outstanding){naive_whole_cycles(end), t.bytes};
    }
    r->kept_until = naive_whole_cycles(kept);
    if (r->is_store && !r->is_atomic)
        return naive_whole_cycles(accepted);
    return naive_whole_cycles(come_back(m, sm, r, done));
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

        t->at = posted ? t->at : naive_later(t->at, ready);
    }
    if (gpu->l2.bytes != 0)
        naive_go_to_l2(t);
    else if (t->request->is_store && !t->request->is_atomic)
        naive_store_to_dram(t);
    else
        naive_go_to_dram(t, t->bytes);
}

void naive_memory_follow(struct naive_memory *m, uint32_t sm, uint64_t cycle,
                         struct sim_plan *plan, const struct sim_plan *leader,
                         const struct sim_misses *misses)
{
    uint64_t turn = naive_nearest(m->gpu->memory.transaction_interval * TICKS);

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
        if (leader->request.is_store && !leader->request.is_atomic &&
            leader->transaction[beside].partial != 0 && miss->partial == 0)
            memset(t.partial, 0, sizeof t.partial);
        for (int s = 0; s < SECTORS; s++)
            t.wanted[s] = t.wanted[s] && (left >> s & 1);
        for (int s = 0; s < SECTORS; s++)
            t.partial[s] = t.partial[s] && t.wanted[s];
        for (int s = 0; s < SECTORS; s++)
            t.torn[s] = t.torn[s] && t.wanted[s];
        if (own->sectors != 0)
            t.bytes = naive_count(t.wanted) * TEG_SECTOR_BYTES;
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
    struct naive_memory *m = naive_zeroed(1, sizeof *m);
    uint64_t lines = (l1_bytes != 0 ? l1_bytes : gpu->l1.bytes) / LINE_BYTES;

    m->gpu = gpu;
    m->sms = sms;
    m->sm = naive_zeroed(sms, sizeof *m->sm);
    m->cluster = naive_zeroed(sms, sizeof *m->cluster);
    m->slice = naive_zeroed(gpu->l2.slices, sizeof *m->slice);
    m->channel = naive_zeroed(gpu->dram.channels, sizeof *m->channel);
    for (uint32_t i = 0; i < sms; i++) {
        m->sm[i].l1.ways = gpu->l1.ways;
        m->sm[i].l1.sets = naive_later(lines / gpu->l1.ways, 1);
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
void naive_memory_turn_to(struct naive_memory *m, uint32_t launch)
{
    m->launch = launch;
}

void naive_memory_next_kernel(struct naive_memory *m, uint32_t l1_bytes)
{
    uint64_t lines = (l1_bytes != 0 ? l1_bytes : m->gpu->l1.bytes) / LINE_BYTES;

    for (uint32_t i = 0; i < m->sms; i++) {
        m->sm[i].l1.lines = m->sm[i].texels.lines = 0;
        m->sm[i].l1.sets = naive_later(lines / m->gpu->l1.ways, 1);
        m->sm[i].last_walk = 0;
        m->sm[i].parts = 0;
        m->sm[i].returned = 0;
        m->cluster[i].free_from = m->cluster[i].out_from = 0;
        m->cluster[i].count = m->cluster[i].lefts = 0;
    }
    for (uint32_t i = 0; i < m->gpu->l2.slices; i++) {
        m->slice[i].free_from = 0;
        memset(m->slice[i].again, 0, sizeof m->slice[i].again);
        m->slice[i].atomics = 0;
        settle(&m->slice[i].cache);
    }
    for (uint32_t i = 0; i < m->gpu->dram.channels; i++) {
        m->channel[i].free_from = 0;
        m->channel[i].taken_until = 0;
        m->channel[i].opens_from = 0;
        memset(m->channel[i].open, 0, sizeof m->channel[i].open);
        memset(m->channel[i].batched, 0, sizeof m->channel[i].batched);
        m->channel[i].asks = 0;
        m->channel[i].moved = m->channel[i].counted = 0;
    }
    for (size_t i = 0; i < m->regions; i++)
        m->region[i].ready = 0;
    m->reads = 0;
    m->link_free_from = 0;
    m->spread = 0;
    m->busiest = m->uncounted = 0;
}

/* Byte by byte. */
void naive_memory_write(struct naive_memory *m, uint64_t address,
                        uint64_t bytes)
{
    for (uint64_t a = address; m->gpu->l2.bytes != 0 && a < address + bytes;
         a++) {
        uint64_t number = a / LINE_BYTES;
        struct home home = naive_home_of(m->gpu, number);
        struct cache *c = &m->slice[home.slice].cache;
        struct line gone;
        struct line *line =
            naive_find_or_enter(m, c, home.line % c->sets, number, &gone);

        line->held[a % LINE_BYTES / TEG_SECTOR_BYTES] = 1;
        line->written[a % LINE_BYTES / TEG_SECTOR_BYTES] = 1;
        naive_cleaned(m, c, line->set, &gone);
    }
}

void naive_memory_rest(struct naive_memory *m)
{
    for (uint32_t i = 0; m->gpu->l2.writes_resting && i < m->gpu->l2.slices;
         i++) {
        struct cache *c = &m->slice[i].cache;

        for (size_t l = 0; m->gpu->l2.bytes != 0 && l < c->lines; l++) {
            memset(c->line[l].written, 0, sizeof c->line[l].written);
            memset(c->line[l].torn, 0, sizeof c->line[l].torn);
        }
    }
}

void naive_memory_free(struct naive_memory *m)
{
    for (uint32_t i = 0; i < m->sms; i++) {
        free(m->sm[i].l1.line);
        free(m->sm[i].texels.line);
        free(m->sm[i].page);
        free(m->cluster[i].outstanding);
        free(m->cluster[i].left);
    }
    for (uint32_t i = 0; i < m->gpu->l2.slices; i++)
        free(m->slice[i].cache.line);
    free(m->sm);
    free(m->cluster);
    free(m->slice);
    free(m->channel);
    free(m->region);
    free(m->read);
    free(m);
}

void naive_memory_channel_bytes(const struct naive_memory *m, uint64_t *most,
                                uint64_t *sum)
{
    *most = m->busiest + naive_busiest(m);
    *sum = 0;
    for (uint32_t i = 0; i < m->gpu->dram.channels; i++)
        *sum += m->channel[i].moved;
}

uint64_t naive_memory_atomic_cycles(const struct naive_memory *m)
{
    uint64_t most = 0;

    for (uint32_t i = 0; i < m->gpu->l2.slices; i++)
        most = naive_later(most, m->slice[i].atomics / TICKS);
    return most;
}
