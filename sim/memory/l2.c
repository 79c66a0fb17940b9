#include "sim/memory/l2.h"

#include <stdlib.h>

#include "sim/memory/atomic.h"

#define INLINE inline __attribute__((always_inline))

/* What a way takes to the slices of its own half, and to the other's.  That of
 * DRAM is a mean over memory, half of which lies behind either.  */
static void set_latencies(struct sim_l2 *l2)
{
    const struct teg_gpu *gpu = l2->gpu;
    uint32_t near = gpu->l2.latency, apart = teg_gpu_halves_apart(gpu);

    l2->latency[0] = near;
    l2->latency[1] = near + apart;
    l2->dram_apart[0] = -(int32_t)(apart / 2);
    l2->dram_apart[1] = (int32_t)(apart / 2);
}

/* What a slice takes for a request by its sectors: a line its bytes, one sector
 * its price, and what that is beyond its bytes goes down in between. */
static void set_request_ticks(struct sim_l2 *l2)
{
    uint64_t price = sim_ticks_of(l2->gpu->l2.sector_interval);
    uint64_t one = sim_bytes_ticks(l2->rate, TEG_SECTOR_BYTES);
    uint64_t besides = price > one ? price - one : 0;

    l2->repeat_ticks = l2->gpu->l2.repeat_interval > 0
                           ? sim_ticks_of(l2->gpu->l2.repeat_interval)
                           : UINT64_MAX;
    l2->request_ticks[0] = 0;
    for (uint32_t n = 1; n <= SIM_SECTORS; n++)
        l2->request_ticks[n] =
            sim_bytes_ticks(l2->rate, (uint64_t)n * TEG_SECTOR_BYTES) +
            besides * (SIM_SECTORS - n) / (SIM_SECTORS - 1);
}

int sim_l2_init(struct sim_l2 *l2, const struct teg_gpu *gpu,
                struct sim_dram *dram)
{
    uint32_t slices = gpu->l2.slices;

    *l2 = (struct sim_l2){
        .gpu = gpu,
        .dram = dram,
        .slice = calloc(slices, sizeof *l2->slice),
        .atomic_held = calloc(slices, sizeof *l2->atomic_held),
        .last = calloc(slices, sizeof *l2->last),
        .slices = slices,
        .place = sim_slices_of(gpu),
        .halves = gpu->l2.far_latency != 0,
        .rate = sim_rate_of(gpu->l2.bytes_per_cycle / slices),
        .far_rate = sim_rate_of(gpu->l2.far_bytes_per_cycle),
        .fill_ticks = sim_ticks_of(gpu->l2.fill_interval),
        .partial_ticks = sim_ticks_of(gpu->l2.partial_interval),
    };
    for (int of = 0; of < ATOMIC_STEPS; of++)
        l2->atomic_ticks[of] = sim_ticks_of(
            teg_gpu_atomic_interval(gpu, (enum teg_atomic_steps)of));
    for (int is_float = 0; is_float < 2; is_float++)
        l2->update_ticks[is_float] =
            sim_ticks_of(teg_gpu_atomic_update(gpu, is_float));
    l2->atomic_lines = teg_max(gpu->l2.atomic_bytes / TEG_LINE_BYTES, 1);
    set_request_ticks(l2);
    set_latencies(l2);
    if (!sim_lrc_init(&l2->lrc, gpu) || l2->slice == NULL ||
        l2->atomic_held == NULL || l2->last == NULL)
        return 0;
    if (gpu->l2.bytes == 0)
        return 1;
    l2->sets = gpu->l2.bytes / TEG_LINE_BYTES / gpu->l2.ways / slices;
    l2->by_sets = sim_divisor_of(l2->sets);
    l2->lines = l2->sets * gpu->l2.ways * slices;
    l2->most_dirty = (uint32_t)(gpu->l2.dirty_share * gpu->l2.ways + 1e-9);
    l2->most_dirty += l2->most_dirty == 0;
    l2->cache = sim_cache_new((uint32_t)l2->sets * slices, gpu->l2.ways);
    return l2->cache != NULL;
}

void sim_l2_release(struct sim_l2 *l2)
{
    free(l2->slice);
    free(l2->atomic_held);
    free(l2->last);
    sim_lrc_release(&l2->lrc);
    sim_cache_free(l2->cache);
    *l2 = (struct sim_l2){0};
}

static inline struct sim_l2_place place_of(const struct sim_l2 *l2,
                                           uint64_t line)
{
    struct sim_slice_line at = sim_slice_of(&l2->place, line);

    return (struct sim_l2_place){
        .slice = (uint32_t)at.slice,
        .set = (uint32_t)(at.slice * l2->sets +
                          sim_remainder(at.number, &l2->by_sets))};
}

/* Where the other half has its copy: in the slice beside it. */
static struct sim_l2_place beside(const struct sim_l2 *l2,
                                  struct sim_l2_place place)
{
    uint32_t sets = (uint32_t)l2->sets;

    return (struct sim_l2_place){.slice = place.slice ^ 1,
                                 .set = place.slice % SIM_HALVES != 0
                                            ? place.set - sets
                                            : place.set + sets};
}

/* ---- a transaction -------------------------------------------------------- */

/* Ticks of a request of `sectors` of a line, which it then was asked for last. */
static uint64_t request_ticks(struct sim_l2 *l2, uint64_t slice, uint64_t line,
                              uint32_t sectors, struct sim_request *r)
{
    struct sim_l2_load *last = &l2->last[slice];
    uint64_t ticks = l2->request_ticks[sim_count_sectors(sectors)];
    int is_load = !r->is_store && !r->is_atomic;

    if (sectors == 0)
        return 0;
    if (is_load && last->line == line && (sectors & ~last->sectors) == 0) {
        if (l2->repeat_ticks < ticks)
            r->l2_repeated += sim_count_sectors(sectors);
        return teg_min(ticks, l2->repeat_ticks);
    }
    *last = (struct sim_l2_load){line, is_load ? sectors : 0};
    return ticks;
}

/* Which slice's time a request for a line takes, that is in `slice`. */
static INLINE uint64_t busy_slice(const struct sim_l2 *l2, uint64_t line,
                                  uint64_t slice, const struct sim_request *r)
{
    if (!r->is_atomic || l2->atomic_lines == 1)
        return slice;
    return place_of(l2, line - line % l2->atomic_lines).slice;
}

/* Takes the time of `sectors` at a slice. */
static INLINE void use_slice(struct sim_l2 *l2, struct sim_way *w,
                             uint64_t slice, uint64_t line, uint32_t sectors,
                             struct sim_request *r)
{
    uint64_t ticks = request_ticks(l2, slice, line, sectors, r);
    uint64_t held = 0, first = 0;

    ticks += sim_count_sectors(w->partial) * l2->partial_ticks;
    if (r->is_atomic)
        held =
            sim_atomic_held(w->updates, w->steps, l2->update_ticks[r->is_float],
                            l2->atomic_ticks[sim_request_steps(r)], &first);
    /* Who carries them out moves their words, not sectors. */
    if (r->is_atomic && (w->updates != 0 || l2->atomic_lines > 1))
        ticks = 0;
    ticks = teg_max(ticks, held);
    w->waited += sim_queue_wait(&l2->slice[slice], sim_way_at(w), ticks);
    w->waited += held - first;
    l2->atomic_held[slice] += held;
}

static uint32_t in_pairs(uint32_t sectors)
{
    return (sim_count_sectors(sectors) + 1) / 2 * 2 * TEG_SECTOR_BYTES;
}

/* Writes sectors of a line back to DRAM, where pairs of sectors move and a torn
 * one is read before. */
static void write_back(struct sim_l2 *l2, struct sim_way *w, uint64_t line,
                       uint32_t sectors, uint32_t torn, struct sim_request *r)
{
    uint32_t bytes = l2->gpu->l2.completes_sectors
                         ? in_pairs(sectors) + in_pairs(torn)
                         : sim_sectors_bytes(sectors);

    sim_dram_write(l2->dram, w, line * TEG_LINE_BYTES, bytes, r);
}

/* What goes on to the other half, or comes from there, takes time of a second
 * slice, from tick `at` on, when it came to the first: it waits for that which
 * is later free. */
static INLINE void pass_slice(struct sim_l2 *l2, struct sim_way *w, uint64_t at,
                              uint64_t slice, uint32_t sectors)
{
    uint64_t wait = sim_queue_wait(
        &l2->slice[slice], at, l2->request_ticks[sim_count_sectors(sectors)]);

    w->waited = teg_max(w->waited, at + wait - w->start);
}

/* Looks a line up in a set, of its own slice or the one that has the other
 * half's copies; what has to go for it is written back, and what may not stay
 * dirty beside it. */
static INLINE struct sim_cache_result look_up(struct sim_l2 *l2,
                                              struct sim_way *w, uint32_t set,
                                              uint64_t line, uint32_t sectors,
                                              int dirty, struct sim_request *r)
{
    uint32_t cleaned, torn;
    struct sim_cache_result found =
        sim_cache_access(l2->cache, set, line, sectors, 1, dirty);
    uint64_t other;

    if (l2->gpu->l2.completes_sectors && dirty && !r->is_atomic)
        sim_cache_tear(l2->cache, found.frame, sectors, w->torn, found.hits);
    if (found.evicted != 0)
        write_back(l2, w, found.evicted_line, found.evicted, found.evicted_torn,
                   r);
    cleaned = sim_cache_clean(l2->cache, set, l2->most_dirty, &other, &torn);
    if (cleaned != 0)
        write_back(l2, w, other, cleaned, torn, r);
    return found;
}

/* What DRAM brings takes time of the slice as well; at once, for a queue has no
 * gaps to leave until it is there. */
static INLINE void fill_slice(struct sim_l2 *l2, uint32_t slice,
                              uint32_t sectors)
{
    l2->slice[slice].free_from += sim_count_sectors(sectors) * l2->fill_ticks;
}

/* Asks the slice to which the line belongs, and DRAM for what is missing
 * there; `far`: it is in the other half. */
static INLINE void search(struct sim_l2 *l2, struct sim_way *w,
                          uint64_t address, struct sim_l2_place place,
                          uint32_t sectors, int far, struct sim_request *r)
{
    struct sim_cache_result found;
    uint32_t missing;

    w->latency = l2->latency[far];
    found = look_up(l2, w, place.set, address / TEG_LINE_BYTES, sectors,
                    r->is_store || r->is_atomic, r);
    missing = sectors & ~found.hits;
    r->l2_sectors += sim_count_sectors(sectors);
    r->l2_hits += sim_count_sectors(found.hits);
    /* A plain store brings its sectors with it. */
    if (missing != 0 && (!r->is_store || r->is_atomic)) {
        missing |=
            sim_cache_add(l2->cache, found.frame,
                          sim_whole_pieces(missing, l2->gpu->l2.fetch_bytes));
        fill_slice(l2, place.slice, missing);
        sim_dram_read(l2->dram, w, address, sim_sectors_bytes(missing), r);
        w->latency += (uint64_t)(int64_t)l2->dram_apart[far];
        sim_cache_fill(l2->cache, found.frame, sim_way_arrival(w));
    } else if (found.hits != 0) {
        w->at_least = teg_max(w->at_least, found.ready);
    }
}

/* A load of a line of the other half, whose copies on this side are in the
 * slice beside its own; it came to L2 at tick `came`. */
static void search_copies(struct sim_l2 *l2, struct sim_way *w,
                          uint64_t address, struct sim_l2_place place,
                          uint32_t sectors, uint64_t came,
                          struct sim_request *r)
{
    uint64_t line = address / TEG_LINE_BYTES;
    struct sim_cache_result found;
    uint32_t missing;

    w->latency = l2->latency[0];
    found = look_up(l2, w, beside(l2, place).set, line, sectors, 0, r);
    missing = sectors & ~found.hits;
    r->l2_sectors += sim_count_sectors(found.hits);
    r->l2_hits += sim_count_sectors(found.hits);
    if (found.hits != 0)
        w->at_least = teg_max(w->at_least, found.ready);
    if (missing == 0)
        return;
    if (l2->gpu->l2.far_passes_near)
        pass_slice(l2, w, came, place.slice, missing);
    w->waited += sim_queue_wait(
        &l2->far_link, sim_way_at(w),
        sim_bytes_ticks(l2->far_rate, sim_sectors_bytes(missing)));
    search(l2, w, address, place, missing, 1, r);
    sim_cache_fill(l2->cache, found.frame, sim_way_arrival(w));
}

struct sim_l2_place sim_l2_expect(const struct sim_l2 *l2, uint64_t address)
{
    struct sim_l2_place place = place_of(l2, address / TEG_LINE_BYTES);

    sim_cache_expect(l2->cache, place.set);
    return place;
}

static int is_far(const struct sim_l2 *l2, uint32_t sm, uint64_t slice)
{
    return l2->halves &&
           sm / l2->gpu->l2.half_sms % SIM_HALVES != slice % SIM_HALVES;
}

static INLINE void ask(struct sim_l2 *l2, uint32_t sm, struct sim_way *w,
                       uint64_t address, struct sim_l2_place place,
                       uint32_t sectors, struct sim_request *r)
{
    uint64_t line = address / TEG_LINE_BYTES, slice = place.slice;
    int far = is_far(l2, sm, slice);
    int passes = far && l2->gpu->l2.far_passes_near;
    uint64_t came = sim_way_at(w);

    if (far && !r->is_store && !r->is_atomic) {
        use_slice(l2, w, passes ? slice ^ 1 : slice, line, sectors, r);
        search_copies(l2, w, address, place, sectors, came, r);
        return;
    }
    use_slice(l2, w, busy_slice(l2, line, slice, r), line, sectors, r);
    if (passes)
        pass_slice(l2, w, came, slice ^ 1, sectors);
    search(l2, w, address, place, sectors, far, r);
}

/* A read that may join another SM's. */
static void read_together(struct sim_l2 *l2, uint32_t sm, struct sim_way *w,
                          uint64_t address, struct sim_l2_place place,
                          uint32_t sectors, struct sim_request *r)
{
    uint64_t line = address / TEG_LINE_BYTES, ready;
    uint32_t group = teg_gpu_group_of(l2->gpu, sm);

    if (sim_lrc_join(&l2->lrc, group, line, sectors, sim_way_at(w), &ready)) {
        w->latency = l2->latency[0];
        w->at_least = teg_max(w->at_least, ready);
        r->l2_joined += sim_count_sectors(sectors);
        return;
    }
    ask(l2, sm, w, address, place, sectors, r);
    sim_lrc_enter(&l2->lrc, group, line, sectors, sim_way_arrival(w));
}

void sim_l2_visit(struct sim_l2 *l2, uint32_t sm, struct sim_way *w,
                  uint64_t address, struct sim_l2_place place, uint32_t sectors,
                  struct sim_request *r)
{
    if (l2->gpu->l2.join_lines != 0 && !r->is_store && !r->is_atomic)
        read_together(l2, sm, w, address, place, sectors, r);
    else
        ask(l2, sm, w, address, place, sectors, r);
}

/* ---- between kernels ------------------------------------------------------ */

int sim_l2_carry(struct sim_l2 *l2, const struct sim_l2 *before)
{
    if (l2->cache == NULL || before->cache == NULL)
        return l2->cache == before->cache;
    if (l2->sets != before->sets || !sim_cache_alike(l2->cache, before->cache))
        return 0;
    sim_cache_carry(l2->cache, before->cache);
    return 1;
}

/* What of the line's sectors the set had not, and has now. */
static uint32_t pass_set(struct sim_l2 *l2, uint32_t set, uint64_t line,
                         uint32_t sectors, int writes, int fetches,
                         struct sim_passed *p)
{
    struct sim_cache_result found =
        sim_cache_access(l2->cache, set, line, sectors, 1, writes);
    uint32_t missing = sectors & ~found.hits, torn;
    uint64_t cleaned;

    if (missing != 0 && fetches) {
        uint32_t more =
            sim_cache_add(l2->cache, found.frame,
                          sim_whole_pieces(missing, l2->gpu->l2.fetch_bytes));

        p->read += sim_count_sectors(missing | more);
    }
    p->written += sim_count_sectors(found.evicted);
    if (writes)
        p->written += sim_count_sectors(
            sim_cache_clean(l2->cache, set, l2->most_dirty, &cleaned, &torn));
    return missing;
}

void sim_l2_pass(struct sim_l2 *l2, uint32_t sm, uint64_t line,
                 uint32_t sectors, int writes, int reads, struct sim_passed *p)
{
    struct sim_l2_place place;

    if (l2->cache == NULL)
        return;
    place = place_of(l2, line);
    p->asked += sim_count_sectors(sectors);
    if (!writes && is_far(l2, sm, place.slice)) {
        sectors = pass_set(l2, beside(l2, place).set, line, sectors, 0, 0, p);
        p->far += sim_count_sectors(sectors);
    }
    if (sectors != 0)
        pass_set(l2, place.set, line, sectors, writes, reads, p);
}

/* What had to go has been written when the next kernel begins.  Lines one after
 * the other fill all sets alike, so only as many as L2 holds, and a row of
 * slices at either end, can be there afterwards. */
void sim_l2_write(struct sim_l2 *l2, uint64_t address, uint64_t bytes)
{
    uint64_t to = address + bytes, line = address / TEG_LINE_BYTES, last, most;

    if (l2->cache == NULL || bytes == 0)
        return;
    last = (to - 1) / TEG_LINE_BYTES;
    most = l2->lines + 2 * (uint64_t)l2->slices;
    if (last - line > most)
        line = last - most;
    for (; line <= last; line++) {
        uint64_t begin = line * TEG_LINE_BYTES;
        uint64_t from = address > begin ? address - begin : 0;
        uint32_t sectors = sim_line_sectors(
            from, teg_min(to - begin, (uint64_t)TEG_LINE_BYTES), 0);

        struct sim_passed ignored = {0};

        sim_l2_pass(l2, 0, line, sectors, 1, 0, &ignored);
    }
}
