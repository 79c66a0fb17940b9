#include "sim/memory/coalesce.h"

#include <assert.h>

#include "isa/inst/nearby.h"
#include "sim/memory/lanes.h"
#include "sim/memory/line.h"
#include "sim/memory/wanted.h"

enum {
    HALF = TEG_LANES / 2,
    FIRST_OF_WHOLE_WARPS = 20, /* compute capability that coalesces those */
};

static void add(struct sim_plan *plan, uint64_t address, uint32_t bytes,
                uint32_t sectors)
{
    assert(plan->count < SIM_TRANSACTIONS_MAX);
    plan->transaction[plan->count++] =
        (struct sim_transaction){.address = address,
                                 .bytes = (uint16_t)bytes,
                                 .sectors = (uint8_t)sectors};
    plan->request.bytes += bytes;
}

/* Compute capability 1.0 and 1.1: a half warp is one access only if thread k
 * takes element k of a row aligned to 16 elements; else one transaction of
 * at least 32 bytes per active thread.  (CUDA programming guide 1.x) */
static int in_order(const struct teg_access *a, uint32_t mask, uint32_t first,
                    uint32_t width, uint64_t *base)
{
    uint32_t lane = sim_first_lane(mask);

    if (width != 4 && width != 8 && width != 16)
        return 0;
    *base = teg_access_lane(a, lane) - (uint64_t)(lane - first) * width;
    if (*base % (HALF * width) != 0)
        return 0;
    for (; mask != 0; mask &= mask - 1) {
        lane = sim_first_lane(mask);
        if (teg_access_lane(a, lane) !=
            *base + (uint64_t)(lane - first) * width)
            return 0;
    }
    return 1;
}

static void coalesce_cc10(struct sim_plan *plan, const struct teg_inst *inst,
                          const struct teg_access *a)
{
    uint32_t width = inst->width != 0 ? inst->width : 4;
    uint32_t alone = width > TEG_SECTOR_BYTES ? width : TEG_SECTOR_BYTES;

    for (uint32_t first = 0; first < TEG_LANES; first += HALF) {
        uint32_t mask = a->mask & 0xffffu << first;
        uint64_t base;

        if (mask == 0)
            continue;
        if (in_order(a, mask, first, width, &base)) {
            for (uint32_t at = 0; at < HALF * width; at += TEG_LINE_BYTES)
                add(plan, base + at,
                    HALF * width < TEG_LINE_BYTES ? HALF * width
                                                  : TEG_LINE_BYTES,
                    0);
            continue;
        }
        for (; mask != 0; mask &= mask - 1) {
            uint64_t address = teg_access_lane(a, sim_first_lane(mask));

            add(plan, address - address % alone, alone, 0);
        }
    }
}

/* Compute capability 1.2 and 1.3: the segment of the lowest active thread
 * (32, 64 or 128 bytes for elements of 1, 2 or more) takes all threads whose
 * elements lie in it, then shrinks to the half that is used, twice at most;
 * and so on for the rest.  (CUDA programming guide 2.x, 5.1.2.1) */
static void one_segment(struct sim_plan *plan, const struct teg_access *a,
                        uint32_t width, uint32_t *mask)
{
    uint64_t lowest = UINT64_MAX, highest = 0, start;
    uint64_t address = teg_access_lane(a, sim_first_lane(*mask));
    uint32_t size = width == 1 ? 32 : width == 2 ? 64 : 128;
    uint32_t taken = 0;

    start = address - address % size;
    for (uint32_t rest = *mask; rest != 0; rest &= rest - 1) {
        uint32_t lane = sim_first_lane(rest);

        address = teg_access_lane(a, lane);
        if (address - start >= size)
            continue;
        taken |= 1u << lane;
        if (address < lowest)
            lowest = address;
        if (address + width - 1 > highest)
            highest = address + width - 1;
    }
    while (size > 32 && lowest / (size / 2) == highest / (size / 2)) {
        size /= 2;
        start = lowest - lowest % size;
    }
    add(plan, start, size, 0);
    *mask &= ~taken;
}

static void coalesce_cc12(struct sim_plan *plan, const struct teg_inst *inst,
                          const struct teg_access *a)
{
    uint32_t width = inst->width != 0 ? inst->width : 4;

    for (uint32_t first = 0; first < TEG_LANES; first += HALF) {
        uint32_t mask = a->mask & 0xffffu << first;

        while (mask != 0)
            one_segment(plan, a, width, &mask);
    }
}

/* Lanes one behind the other without a gap: so many side by side, from a
 * multiple of them on. */
static uint32_t packed(const struct teg_access *a, uint32_t width)
{
    if (a->mask != UINT32_MAX || a->stride != (int32_t)width ||
        a->shape == SHAPE_LIST)
        return 1;
    return a->shape == SHAPE_LINE ? TEG_LANES : 1u << a->group_log2;
}

/* An element is aligned to its size, so a lane crosses a line only in a damaged
 * trace. */
static uint32_t lane_bytes(const struct teg_inst *inst)
{
    uint32_t width = inst->width != 0 ? inst->width : 4;

    return width < SIM_LANE_BYTES ? width : SIM_LANE_BYTES;
}

/* The words that lanes want, line by line. */
static void want(struct sim_wanted *w, struct sim_plan *plan,
                 const struct teg_inst *inst, const struct teg_access *a)
{
    uint32_t width = lane_bytes(inst), lanes = packed(a, width);

    sim_wanted_begin(w, plan);
    if (lanes > 1) {
        for (uint32_t lane = 0; lane < TEG_LANES; lane += lanes)
            sim_wanted_bytes(w, teg_access_lane(a, lane),
                             (uint64_t)width * lanes);
    } else {
        for (uint32_t rest = a->mask; rest != 0; rest &= rest - 1)
            sim_wanted_bytes(w, teg_access_lane(a, sim_first_lane(rest)),
                             width);
    }
}

/* What a thread's other stores write beside this one, they and it fill
 * together. */
static void fill(struct sim_wanted *w, const struct teg_inst *inst,
                 const struct teg_access *a)
{
    uint32_t partial = 0;

    for (uint32_t i = 0; i < w->plan->count; i++)
        partial |= w->plan->transaction[i].partial;
    for (uint32_t rest = partial != 0 ? a->mask : 0; rest != 0;
         rest &= rest - 1) {
        uint64_t from =
            teg_access_lane(a, sim_first_lane(rest)) - TEG_NEARBY_BYTES;

        for (uint64_t bytes = inst->nearby; bytes != 0;) {
            uint64_t i = (uint64_t)__builtin_ctzll(bytes);
            uint64_t word_end =
                i + SIM_WORD_BYTES - (from + i) % SIM_WORD_BYTES;

            sim_wanted_fill(w, from + i);
            bytes &= word_end < 64 ? UINT64_MAX << word_end : 0;
        }
    }
    for (uint32_t i = 0; partial != 0 && i < w->plan->count; i++)
        w->plan->transaction[i].partial &=
            (uint8_t)sim_sectors_with(~w->words[i]);
}

/* Volta and later: distinct lines, of each the sectors that are wanted. */
static void coalesce_sectors(struct sim_plan *plan, const struct teg_inst *inst,
                             const struct teg_access *a)
{
    struct sim_wanted w;

    want(&w, plan, inst, a);
    sim_wanted_end(&w);
    for (uint32_t i = 0; i < plan->count; i++)
        plan->transaction[i].parts = plan->transaction[i].partial;
    if (inst->nearby != 0)
        fill(&w, inst, a);
}

/* Takes the lines of a pattern that has come before from what is known. */
static void take_known(struct sim_plan *plan, const struct sim_known_lines *k,
                       uint64_t from)
{
    for (uint32_t i = 0; i < k->count; i++) {
        plan->transaction[i] = k->line[i];
        plan->transaction[i].address += from;
        plan->request.bytes += k->line[i].bytes;
    }
    plan->count = k->count;
}

static void keep_known(struct sim_known_lines *k, const struct sim_plan *plan,
                       uint64_t from)
{
    if (plan->count > SIM_KNOWN_LINES) {
        k->key = (struct sim_known_key){0};
        return;
    }
    k->count = plan->count;
    for (uint32_t i = 0; i < plan->count; i++) {
        k->line[i] = plan->transaction[i];
        k->line[i].address -= from;
    }
}

/* The same; what whole warps side by side want is as soon worked out. */
static void coalesce_as_known(struct sim_plan *plan,
                              const struct teg_inst *inst,
                              const struct teg_access *a,
                              struct sim_known *known)
{
    uint64_t from = a->base - a->base % TEG_LINE_BYTES;
    struct sim_known_lines *lines;
    int is_known;

    if (known == NULL || a->shape == SHAPE_LIST || inst->nearby != 0 ||
        packed(a, inst->width) == TEG_LANES) {
        coalesce_sectors(plan, inst, a);
        return;
    }
    lines = sim_known_lines_of(known,
                               sim_known_key_of(SIM_KNOWN_COALESCED, a,
                                                inst->width, TEG_LINE_BYTES, 0),
                               &is_known);
    if (is_known) {
        take_known(plan, lines, from);
        return;
    }
    coalesce_sectors(plan, inst, a);
    keep_known(lines, plan, from);
}

/* Fermi with L1: whole lines of what is read through it; global stores go past
 * it, by sectors (CUDA programming guide, cc 2.x). */
static void coalesce_lines(struct sim_plan *plan, const struct teg_inst *inst,
                           const struct teg_access *a)
{
    coalesce_sectors(plan, inst, a);
    if (inst->flags & INST_BYPASS_L1 ||
        (inst->space != SPACE_LOCAL && !(inst->flags & INST_LOAD)))
        return;
    plan->request.bytes = plan->count * TEG_LINE_BYTES;
    for (uint32_t i = 0; i < plan->count; i++) {
        plan->transaction[i].bytes = TEG_LINE_BYTES;
        plan->transaction[i].sectors = SIM_ALL_SECTORS;
        plan->transaction[i].parts = plan->transaction[i].partial = 0;
    }
}

/* Different bytes that lanes want. */
static uint32_t bytes_wanted(const struct sim_wanted *w,
                             const struct teg_inst *inst,
                             const struct teg_access *a)
{
    uint32_t lanes = sim_count_lanes(a->mask) * lane_bytes(inst);
    uint32_t words = 0;

    for (uint32_t i = 0; i < w->plan->count; i++)
        words += sim_count_lanes(w->words[i]) * SIM_WORD_BYTES;
    return words < lanes ? words : lanes;
}

/* What-if: the bytes wanted, packed into as few of the lines as they fill.
 * Requests that want other words of the same lines, as those of a thread that
 * walks along a row, take other lines of them, by where in its line the first
 * lane's word is: together they still read all that is read. */
static void coalesce_ideal(struct sim_plan *plan, const struct teg_inst *inst,
                           const struct teg_access *a)
{
    uint64_t first = teg_access_lane(a, sim_first_lane(a->mask));
    uint64_t line[SIM_TRANSACTIONS_MAX];
    uint32_t sectors_of[SIM_TRANSACTIONS_MAX], lines, at, left;
    struct sim_wanted w;

    want(&w, plan, inst, a);
    left = bytes_wanted(&w, inst, a);
    lines = plan->count;
    for (uint32_t i = 0; i < lines; i++) {
        line[i] = plan->transaction[i].address;
        sectors_of[i] = sim_sectors_with(w.words[i]);
    }
    at = (uint32_t)(first % TEG_LINE_BYTES) / lane_bytes(inst) *
         ((left + TEG_LINE_BYTES - 1) / TEG_LINE_BYTES);
    for (plan->count = 0; left != 0; at++) {
        uint32_t bytes = left < TEG_LINE_BYTES ? left : TEG_LINE_BYTES;
        uint32_t sectors = (bytes + TEG_SECTOR_BYTES - 1) / TEG_SECTOR_BYTES;
        uint32_t from = sim_first_lane(sectors_of[at % lines]);

        if (from + sectors > TEG_LINE_BYTES / TEG_SECTOR_BYTES)
            from = TEG_LINE_BYTES / TEG_SECTOR_BYTES - sectors;
        add(plan, line[at % lines], sectors * TEG_SECTOR_BYTES,
            ((1u << sectors) - 1) << from);
        left -= bytes;
    }
}

typedef void (*coalescing_rule)(struct sim_plan *plan,
                                const struct teg_inst *inst,
                                const struct teg_access *a);

static const coalescing_rule coalescing_rules[] = {
    [COALESCING_CC10] = coalesce_cc10,
    [COALESCING_CC12] = coalesce_cc12,
    [COALESCING_LINES] = coalesce_lines,
    [COALESCING_SECTORS] = coalesce_sectors,
    [COALESCING_IDEAL] = coalesce_ideal,
};

/* Half warps are looked at one by one up to compute capability 1.3. */
static uint32_t coalescing_groups(const struct teg_gpu *gpu, uint32_t mask)
{
    uint32_t rule = gpu->memory.coalescing;
    int ideal_of_old = rule == COALESCING_IDEAL &&
                       gpu->chip.compute_capability < FIRST_OF_WHOLE_WARPS;

    if (rule != COALESCING_CC10 && rule != COALESCING_CC12 && !ideal_of_old)
        return 1;
    return (uint32_t)((mask & 0xffff) != 0) + (mask >> HALF != 0);
}

/* "Coalesced" in the sense of the analytical models: no more transactions
 * than one per half warp (where half warps coalesce) or than the bytes of a
 * full warp need.  (Hong 2012, 2.1.3) */
static int is_coalesced(const struct sim_plan *plan, const struct teg_gpu *gpu)
{
    uint32_t lines =
        (plan->request.useful_bytes + TEG_LINE_BYTES - 1) / TEG_LINE_BYTES;

    if (gpu->memory.coalescing == COALESCING_CC10 ||
        gpu->memory.coalescing == COALESCING_CC12)
        return plan->count <= plan->groups || plan->count <= lines;
    return plan->count <= lines;
}

void sim_coalesce(struct sim_plan *plan, const struct teg_gpu *gpu,
                  const struct teg_inst *inst, const struct teg_access *a,
                  struct sim_known *known)
{
    plan->request.useful_bytes = sim_count_lanes(a->mask) * inst->width;
    if (gpu->memory.coalescing == COALESCING_SECTORS)
        coalesce_as_known(plan, inst, a, known);
    else
        coalescing_rules[gpu->memory.coalescing](plan, inst, a);
    plan->request.transactions = plan->count;
    plan->groups = coalescing_groups(gpu, a->mask);
    plan->request.coalesced = (uint8_t)is_coalesced(plan, gpu);
}
