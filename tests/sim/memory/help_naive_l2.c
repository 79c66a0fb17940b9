/* L2 and DRAM of the naive memory. */
#include "sim/memory/dram.h"
#include "tests/sim/memory/help_naive_parts.h"

#include <math.h>
#include <string.h>

#include "isa/base/mix.h"

/* ---- DRAM ----------------------------------------------------------------- */

static struct channel *channel_of(struct naive_memory *m, uint64_t address)
{
    const struct teg_gpu *gpu = m->gpu;

    if (gpu->dram.spread)
        return &m->channel[m->spread++ % gpu->dram.channels];
    if (gpu->dram.of_slices && gpu->l2.bytes != 0) {
        uint64_t slice = naive_home_of(gpu, address / LINE_BYTES).slice;

        return &m->channel[slice * gpu->dram.channels / gpu->l2.slices];
    }
    return &m->channel[naive_place_of(gpu->dram.hash,
                                      address / gpu->dram.interleave_bytes,
                                      gpu->dram.channels)];
}

static uint64_t dram_time(const struct teg_gpu *gpu, uint64_t bytes)
{
    double gbs = gpu->dram.reached_gbs != 0 ? gpu->dram.reached_gbs
                                            : gpu->dram.bandwidth_gbs;

    return naive_time_of(bytes,
                         naive_byte_time(gbs * 1000 / gpu->chip.sm_clock_mhz /
                                         gpu->dram.channels));
}

static uint64_t opening_time(const struct teg_gpu *gpu, uint64_t rows)
{
    return rows * naive_nearest(gpu->dram.row_ns * gpu->chip.sm_clock_mhz /
                                1000 * TICKS);
}

/* Bytes that a channel has moved since they were counted. */
static uint64_t uncounted(const struct channel *c)
{
    return c->moved - c->counted;
}

uint64_t naive_busiest(const struct naive_memory *m)
{
    uint64_t most = 0;

    for (uint32_t i = 0; i < m->gpu->dram.channels; i++)
        most = naive_later(most, uncounted(&m->channel[i]));
    return most;
}

static void moves(struct naive_memory *m, struct channel *c, uint64_t bytes)
{
    c->moved += bytes;
    m->uncounted += bytes;
    if (m->uncounted / m->gpu->dram.channels < SIM_SKEW_BYTES)
        return;
    m->busiest += naive_busiest(m);
    m->uncounted = 0;
    for (uint32_t i = 0; i < m->gpu->dram.channels; i++)
        m->channel[i].counted = m->channel[i].moved;
}

static int rows_cost(const struct teg_gpu *gpu)
{
    return gpu->dram.row_bytes != 0 && opening_time(gpu, 1) != 0;
}

/* Whether the row with the address is not in its place, of so many; it is then. */
static int is_closed(const struct teg_gpu *gpu, uint64_t *place,
                     uint64_t places, uint64_t address)
{
    uint64_t row = address / gpu->dram.row_bytes / gpu->dram.channels + 1;
    uint64_t folded = 0, was;

    for (int shift = 0; shift < 16; shift += 4)
        folded ^= row >> shift;
    was = place[folded % places];
    place[folded % places] = row;
    return was != row;
}

/* Whether a read has to open its row: neither its bank has it nor is it one of the
 * latest reads'. */
static int opens(const struct teg_gpu *gpu, struct channel *c, uint64_t address)
{
    uint64_t row = address / gpu->dram.row_bytes / gpu->dram.channels + 1;
    int closed = is_closed(gpu, c->open, gpu->dram.banks, address);

    for (uint64_t back = 1; back <= gpu->dram.queue && back <= c->asks; back++)
        closed &= c->asked[(c->asks - back) % SIM_DRAM_QUEUE_MAX] != row;
    c->asked[c->asks++ % SIM_DRAM_QUEUE_MAX] = row;
    return closed;
}

/* The bytes' way through the channel: their time of the bus, and their row's. */
static void pass(struct trip *t, struct channel *c, uint64_t bytes)
{
    const struct teg_gpu *gpu = t->m->gpu;
    uint64_t there = naive_take(&c->free_from, t->at, dram_time(gpu, bytes));

    if (rows_cost(gpu) && opens(gpu, c, t->address))
        there = naive_later(
            there, naive_take(&c->opens_from, t->at, opening_time(gpu, 1)));
    t->at = there;
}

/* The quantile of an exponential distribution that the 512 bytes with the address
 * have, without the mean; what the rounding of all of them leaves is dealt out,
 * a cycle each from the first on. */
static int64_t chance(const struct teg_gpu *gpu, uint64_t address)
{
    enum {
        QUANTILES = 64
    };
    double mean = gpu->dram.delay_ns * gpu->chip.sm_clock_mhz / 1000;
    double room = gpu->dram.latency;
    int64_t mine = (int64_t)(teg_mix(address / 512) % QUANTILES), sum = 0;
    int64_t of_mine = 0, left;

    if (gpu->l2.bytes != 0)
        room -= gpu->l2.latency;
    if (gpu->l2.bytes != 0 && gpu->l2.far_latency != 0)
        room -= (gpu->l2.far_latency - gpu->l2.latency) / 2.0;
    if (mean > room)
        mean = room;
    if (mean < 0)
        mean = 0;
    for (int64_t i = 0; i < QUANTILES; i++) {
        double below = ((double)i + 0.5) / QUANTILES;
        int64_t beyond = (int64_t)lround(-mean * (log(below) + 1));

        sum += beyond;
        if (i == mine)
            of_mine = beyond;
    }
    left = sum < 0 ? -sum : sum;
    left = left / QUANTILES + (mine < left % QUANTILES);
    return sum < 0 ? of_mine + left : of_mine - left;
}

void naive_go_to_dram(struct trip *t, uint32_t bytes)
{
    struct channel *c = channel_of(t->m, t->address);

    t->request->dram_bytes += bytes;
    moves(t->m, c, bytes);
    c->read_last = 1;
    pass(t, c, bytes);
    t->latency =
        t->m->gpu->dram.latency + (uint64_t)chance(t->m->gpu, t->address);
}

void naive_store_to_dram(struct trip *t)
{
    const struct teg_gpu *gpu = t->m->gpu;
    struct channel *c = channel_of(t->m, t->address);
    uint64_t each = naive_byte_time(gpu->dram.store_bytes_per_cycle);

    t->request->dram_bytes += t->bytes;
    moves(t->m, c, t->bytes);
    t->at = naive_take(&c->taken_until, t->at, naive_time_of(t->bytes, each));
    pass(t, c, t->bytes);
    t->latency = gpu->dram.latency;
}

/* Two sectors go together, whichever of the line. */
static uint32_t in_pairs(uint32_t sectors)
{
    return (sectors + 1) / 2 * 2;
}

/* The trip takes the place of a line that is to be written back; what stores have
 * not written of its sectors is read before. */
static void write_back(struct trip *t, const struct line *gone)
{
    const struct teg_gpu *gpu = t->m->gpu;
    struct channel *c = channel_of(t->m, gone->number * LINE_BYTES);
    uint32_t bytes =
        TEG_SECTOR_BYTES * (gpu->l2.completes_sectors
                                ? in_pairs(naive_count(gone->written)) +
                                      in_pairs(naive_count(gone->torn))
                                : naive_count(gone->written));
    uint64_t ticks, begins = t->at;

    t->request->dram_bytes += bytes;
    moves(t->m, c, bytes);
    c->unwritten += bytes;
    if (rows_cost(gpu))
        c->unopened += is_closed(gpu, c->batched, SIM_BATCH_ROWS,
                                 gone->number * LINE_BYTES);
    if (c->unwritten < gpu->dram.write_batch_bytes)
        return;
    ticks = dram_time(gpu, c->unwritten);
    if (c->read_last)
        ticks += naive_nearest(gpu->dram.turnaround * TICKS);
    c->unwritten = 0;
    c->read_last = 0;
    t->at = naive_take(&c->free_from, begins, ticks);
    if (c->unopened != 0) {
        t->at = naive_later(t->at, naive_take(&c->opens_from, begins,
                                              opening_time(gpu, c->unopened)));
        c->unopened = 0;
        memset(c->batched, 0, sizeof c->batched);
    }
}

/* ---- L2 ------------------------------------------------------------------- */

/* The number of the line's slice. */
static uint64_t home_of(const struct trip *t)
{
    return naive_home_of(t->m->gpu, t->address / LINE_BYTES).slice;
}

/* That of the slice which carries out its line's atomics. */
static uint64_t atomic_home_of(const struct trip *t)
{
    uint64_t together = t->m->gpu->l2.atomic_bytes / LINE_BYTES;
    uint64_t number = t->address / LINE_BYTES;

    together += together == 0;
    return naive_home_of(t->m->gpu, number / together * together).slice;
}

/* Even slices are one half of L2, odd ones the other; SMs go by groups. */
static int is_far(const struct trip *t)
{
    const struct teg_gpu *gpu = t->m->gpu;

    return gpu->l2.far_latency != 0 &&
           home_of(t) % HALVES != t->sm / gpu->l2.half_sms % HALVES;
}

static uint64_t half_way(const struct trip *t)
{
    const struct teg_gpu *gpu = t->m->gpu;

    if (gpu->l2.far_latency == 0)
        return 0;
    return (gpu->l2.far_latency - gpu->l2.latency) / 2;
}

/* What has been written of the set's lines may not stay beside each other if it
 * is too many of them: the one used longest ago is written to DRAM. */
static void write_ahead(struct trip *t, struct cache *c, uint64_t set)
{
    struct line gone;

    if (naive_cleaned(t->m, c, set, &gone))
        write_back(t, &gone);
}

/* A sector that is fetched brings what is not there of its aligned piece. */
static uint32_t fetched_along(const struct trip *t, struct line *line)
{
    uint32_t piece = t->m->gpu->l2.fetch_bytes / TEG_SECTOR_BYTES, along = 0;

    for (uint32_t s = 0; s < SECTORS; s++) {
        uint32_t first = s - s % piece, asked = 0;

        for (uint32_t i = first; i < first + piece; i++)
            asked += t->wanted[i] != 0;
        if (asked == 0 || line->held[s])
            continue;
        line->held[s] = 1;
        along++;
    }
    return along;
}

static void look_in_slice(struct trip *t, struct slice *slice)
{
    const struct sim_request *r = t->request;
    uint64_t number = t->address / LINE_BYTES;
    uint32_t asked = naive_count(t->wanted), hits, missing;
    uint64_t set = naive_home_of(t->m->gpu, number).line % slice->cache.sets;
    struct line gone;
    struct line *line =
        naive_find_or_enter(t->m, &slice->cache, set, number, &gone);

    for (int s = 0; s < SECTORS; s++) {
        line->written[s] |= t->wanted[s] && (r->is_store || r->is_atomic);
        /* The second part of a sector is taken to be the rest of it. */
        if (t->wanted[s] && r->is_store && !r->is_atomic)
            line->torn[s] = t->torn[s] && !line->held[s];
    }
    hits = naive_look(line, t->wanted);
    missing = asked - hits;
    t->request->l2_sectors += asked;
    t->request->l2_hits += hits;
    if (naive_count(gone.written) != 0)
        write_back(t, &gone);
    write_ahead(t, &slice->cache, set);
    if (r->is_store && !r->is_atomic)
        missing = 0; /* it brings them with it */
    if (hits != 0 && (missing == 0 || !PART_OF_A_LINE_IS_NOT_AWAITED))
        t->arrival = naive_later(t->arrival, line->arrives);
    if (missing != 0) {
        uint64_t each = naive_nearest(t->m->gpu->l2.fill_interval * TICKS);

        missing += fetched_along(t, line);
        slice->free_from += missing * each;
        naive_go_to_dram(t, missing * TEG_SECTOR_BYTES);
        t->latency += is_far(t) ? half_way(t) : -half_way(t);
        naive_fill(line, t);
    }
}

/* The bytes' time; what one sector takes more than its bytes, two have two
 * thirds of, three one. */
static uint64_t time_of_request(const struct teg_gpu *gpu, uint32_t sectors,
                                uint64_t each)
{
    uint64_t one = naive_time_of(TEG_SECTOR_BYTES, each);
    uint64_t price = naive_nearest(gpu->l2.sector_interval * TICKS);
    uint64_t more = price < one ? 0 : price - one;

    switch (sectors) {
    case 0:
        return 0; /* nothing is asked for */
    case 1:
        return one + more;
    case 2:
        return naive_time_of(2 * TEG_SECTOR_BYTES, each) + 2 * more / 3;
    case 3:
        return naive_time_of(3 * TEG_SECTOR_BYTES, each) + more / 3;
    default:
        return naive_time_of(4 * TEG_SECTOR_BYTES, each);
    }
}

/* What the trip still wants takes its time of the slice, too, from `came` on. */
static void pass_slice(struct trip *t, uint64_t came, struct slice *slice)
{
    const struct teg_gpu *gpu = t->m->gpu;
    uint64_t each = naive_byte_time(gpu->l2.bytes_per_cycle / gpu->l2.slices);

    t->at = naive_later(
        t->at, naive_take(&slice->free_from, came,
                          time_of_request(gpu, naive_count(t->wanted), each)));
}

/* The slice of the other half that has the copies. */
static struct slice *beside(const struct trip *t)
{
    uint64_t home = home_of(t);

    return &t->m->slice[home % HALVES == 0 ? home + 1 : home - 1];
}

static void look_for_copy(struct trip *t, uint64_t came, struct slice *slice)
{
    const struct teg_gpu *gpu = t->m->gpu;
    struct cache *copies = &beside(t)->cache;
    uint64_t number = t->address / LINE_BYTES;
    uint64_t set = naive_home_of(gpu, number).line % copies->sets;
    struct line gone;
    struct line *line = naive_find_or_enter(t->m, copies, set, number, &gone);
    uint32_t hits = naive_look(line, t->wanted);

    if (naive_count(gone.written) != 0)
        write_back(t, &gone);
    t->request->l2_sectors += hits;
    t->request->l2_hits += hits;
    if (hits != 0)
        t->arrival = naive_later(t->arrival, line->arrives);
    if (naive_count(t->wanted) == 0)
        return;
    if (gpu->l2.far_passes_near)
        pass_slice(t, came, slice);
    t->at =
        naive_take(&t->m->link_free_from, t->at,
                   naive_time_of(naive_count(t->wanted) * TEG_SECTOR_BYTES,
                                 naive_byte_time(gpu->l2.far_bytes_per_cycle)));
    t->latency = gpu->l2.far_latency;
    look_in_slice(t, slice);
    naive_fill(line, t);
}

/* Does the trip load only what its slice has loaded for the one before it?
 * Notes what the next is compared with. */
static int repeats(const struct trip *t, struct slice *slice)
{
    const struct sim_request *r = t->request;
    int loads = !r->is_store && !r->is_atomic, same = loads;

    if (naive_count(t->wanted) == 0)
        return 0;
    same &= slice->loaded == t->address / LINE_BYTES;
    for (int s = 0; s < SECTORS; s++)
        same &= !t->wanted[s] || slice->again[s];
    for (int s = 0; s < SECTORS && !same; s++)
        slice->again[s] = loads && t->wanted[s];
    slice->loaded = t->address / LINE_BYTES;
    return same;
}

uint32_t naive_group(const struct naive_memory *m, uint32_t sm)
{
    uint32_t group = 0, groups = m->gpu->chip.gpcs;
    uint32_t each = m->gpu->chip.sms_per_tpc, tpcs = 0;

    for (uint32_t s = 0; s < m->gpu->chip.sms; s += each)
        tpcs++;
    /* Group g begins with TPC g * tpcs / groups, rounded up. */
    while (group + 1 < groups &&
           ((group + 1) * tpcs + groups - 1) / groups * each <= sm)
        group++;
    return group;
}

/* The read of the same sectors that is still on its way to a neighbor, if it is
 * among the last of the group; a list from the last to the first. */
static const struct read *read_by_neighbor(const struct trip *t)
{
    const struct naive_memory *m = t->m;
    uint32_t of_group = 0;

    for (size_t i = m->reads; i-- > 0;) {
        const struct read *read = &m->read[i];
        int has_all = 1;

        if (read->group != naive_group(m, t->sm))
            continue;
        if (of_group++ == m->gpu->l2.join_lines)
            return NULL;
        if (read->number != t->address / LINE_BYTES)
            continue;
        for (int s = 0; s < SECTORS; s++)
            has_all &= !t->wanted[s] || read->wanted[s];
        return has_all && read->arrives * TICKS > t->at ? read : NULL;
    }
    return NULL;
}

static void note_read(struct naive_memory *m, const struct trip *t,
                      const int wanted[SECTORS])
{
    struct read *read;

    m->read = naive_one_more(m->read, m->reads, sizeof *m->read);
    read = &m->read[m->reads++];
    *read =
        (struct read){.number = t->address / LINE_BYTES,
                      .group = naive_group(m, t->sm),
                      .arrives = naive_later(
                          naive_whole_cycles(t->at) + t->latency, t->arrival)};
    memcpy(read->wanted, wanted, sizeof read->wanted);
}

static void ask_slice(struct trip *t);

void naive_go_to_l2(struct trip *t)
{
    const struct sim_request *r = t->request;
    const struct read *read;
    int wanted[SECTORS];

    if (t->m->gpu->l2.join_lines == 0 || r->is_store || r->is_atomic) {
        ask_slice(t);
        return;
    }
    read = read_by_neighbor(t);
    if (read != NULL) {
        t->latency = t->m->gpu->l2.latency;
        t->arrival = naive_later(t->arrival, read->arrives);
        t->request->l2_joined += naive_count(t->wanted);
        return;
    }
    memcpy(wanted, t->wanted, sizeof wanted);
    ask_slice(t);
    note_read(t->m, t, wanted);
}

/* What a slice takes to update a sector, where it goes by sectors. */
static uint64_t update_ticks(const struct teg_gpu *gpu, int is_float)
{
    double cycles = gpu->l2.atomic_sector_interval;

    if (cycles > 0 && is_float && gpu->l2.atomic_float_interval > cycles)
        cycles = gpu->l2.atomic_float_interval;
    return naive_nearest(cycles * TICKS);
}

static void ask_slice(struct trip *t)
{
    const struct teg_gpu *gpu = t->m->gpu;
    const struct sim_request *r = t->request;
    struct slice *slice = &t->m->slice[home_of(t)], *home = slice;
    int loads = !r->is_store && !r->is_atomic;
    int passes = is_far(t) && gpu->l2.far_passes_near;
    uint64_t each = naive_byte_time(gpu->l2.bytes_per_cycle / gpu->l2.slices);
    uint64_t besides = naive_nearest(gpu->l2.partial_interval * TICKS);
    uint64_t ticks = time_of_request(gpu, naive_count(t->wanted), each) +
                     naive_count(t->partial) * besides;
    uint64_t step = 0, update, held, came = t->at;

    if (passes && loads)
        slice = beside(t);
    if (r->is_atomic)
        slice = &t->m->slice[atomic_home_of(t)];
    if (repeats(t, slice) && gpu->l2.repeat_interval > 0 &&
        ticks > naive_nearest(gpu->l2.repeat_interval * TICKS))
        ticks = naive_nearest(gpu->l2.repeat_interval * TICKS);
    if (r->is_atomic && r->is_float && r->atomic_conflicts != 0 &&
        gpu->l2.atomic_float_word_interval > 0)
        step = naive_nearest(gpu->l2.atomic_float_word_interval * TICKS);
    else if (r->is_atomic && r->is_float && gpu->l2.atomic_float_interval > 0)
        step = naive_nearest(gpu->l2.atomic_float_interval * TICKS);
    else if (r->is_atomic)
        step = naive_nearest(gpu->l2.atomic_interval * TICKS);
    update = r->is_atomic ? update_ticks(gpu, r->is_float) : 0;
    if (t->updates == 0 && t->steps == 0)
        t->steps = 1;
    held = t->updates * update + t->steps * step;
    if (r->is_atomic && (t->updates != 0 || gpu->l2.atomic_bytes > 128))
        ticks = 0;
    t->at = naive_take(&slice->free_from, t->at, naive_later(ticks, held));
    t->at += held - (t->updates != 0 ? update : step);
    if (passes && !loads)
        pass_slice(t, came, beside(t));
    slice->atomics += held;
    t->latency = gpu->l2.latency;
    if (is_far(t) && !loads)
        t->latency = gpu->l2.far_latency;
    if (is_far(t) && loads)
        look_for_copy(t, came, home);
    else
        look_in_slice(t, home);
}
