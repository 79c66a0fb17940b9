#include "tests/help_counters.h"

#include <string.h>

#define MEMBER(m, join, sample, items, stride)                           \
    {                                                                    \
#m, join, sample, sizeof(((struct teg_statistics *)NULL)->m), 1, \
            items, stride, offsetof(struct teg_statistics, m)            \
    }
#define ALONE(m, join, sample) MEMBER(m, join, sample, 1, 0)
#define CLASS(m, join, sample)                     \
    MEMBER(class_[0].m, join, sample, TEG_CLASSES, \
           sizeof(struct teg_class_statistics))
#define UNIT(m, join, sample)                      \
    MEMBER(unit[0].m, join, sample, TEG_MAX_UNITS, \
           sizeof(struct teg_unit_statistics))
#define BINS(m)                                            \
    {                                                      \
#m, '+', '=', 8, TEG_TIMELINE_BINS, TEG_MAX_UNITS, \
            sizeof(struct teg_unit_statistics),            \
            offsetof(struct teg_statistics, unit[0].m)     \
    }

static const struct help_counter list[] = {
    ALONE(blocks, '=', '='),
    ALONE(warps, '=', '='),
    ALONE(warp_instructions, '+', '!'),
    ALONE(thread_instructions, '+', '*'),
    ALONE(barriers, '+', '*'),
    ALONE(unknown_instructions, '+', '*'),
    ALONE(unaddressed_constants, '+', '*'),
    ALONE(unaddressed_textures, '+', '*'),
    ALONE(unknown_opcodes, '=', '='),
    MEMBER(dependence[0], '+', '=', TEG_DEPENDENCE_MAX, 8),
    CLASS(issued, '+', '*'),
    CLASS(lanes, '+', '*'),
    ALONE(memory.global_requests, '+', '*'),
    ALONE(memory.global_loads, '+', '*'),
    ALONE(memory.global_stores, '+', '*'),
    ALONE(memory.global_atomics, '+', '*'),
    ALONE(memory.coalesced_requests, '+', '*'),
    ALONE(memory.coalesced_transactions, '+', '*'),
    ALONE(memory.uncoalesced_transactions, '+', '*'),
    ALONE(memory.transactions, '+', '*'),
    ALONE(memory.bytes, '+', '*'),
    ALONE(memory.useful_bytes, '+', '*'),
    ALONE(memory.load_bytes, '+', '*'),
    ALONE(memory.store_bytes, '+', '*'),
    ALONE(memory.texture_requests, '+', '*'),
    ALONE(memory.texture_sectors, '+', '*'),
    ALONE(memory.texture_hits, '+', '*'),
    ALONE(memory.shared_requests, '+', '*'),
    ALONE(memory.shared_passes, '+', '*'),
    ALONE(memory.shared_groups, '+', '*'),
    ALONE(memory.constant_requests, '+', '*'),
    ALONE(memory.constant_addresses, '+', '*'),
    ALONE(memory.constant_lookups, '+', '*'),
    ALONE(memory.constant_l1_hits, '+', '*'),
    ALONE(memory.constant_l15_hits, '+', '*'),
    ALONE(memory.l1_sectors, '+', '*'),
    ALONE(memory.l1_hits, '+', '*'),
    ALONE(memory.l2_sectors, '+', '*'),
    ALONE(memory.l2_hits, '+', '*'),
    ALONE(memory.l2_repeated, '+', '*'),
    ALONE(memory.l2_joined, '+', '*'),
    ALONE(memory.lines_out, '+', '*'),
    ALONE(memory.dram_bytes, '+', '*'),
    ALONE(memory.atomic_lanes, '+', '*'),
    ALONE(memory.atomic_conflicts, '+', '*'),
    ALONE(memory.atomic_steps, '+', '*'),
    ALONE(memory.atomic_float_steps, '+', '*'),
    ALONE(memory.atomic_slice_cycles, '=', '*'),
    ALONE(memory.atomic_words, '=', '='),
    ALONE(memory.atomic_word_most, '=', '*'),
    ALONE(memory.shared_atomics, '+', '*'),
    ALONE(memory.shared_atomic_conflicts, '+', '*'),
    ALONE(memory.shared_atomic_passes, '+', '*'),
    ALONE(memory.remote_requests, '+', '*'),
    ALONE(memory.remote_bytes, '+', '*'),
    ALONE(memory.independent_loads, '+', '*'),
    ALONE(memory.access_groups, '+', '*'),
    ALONE(sms, '=', '='),
    ALONE(active_sms, '=', '='),
    ALONE(cycles, '=', '='),
    ALONE(resident_warp_cycles, '+', '!'),
    ALONE(unmet_waits, '=', '='),
    ALONE(channel_bytes_max, '=', '*'),
    ALONE(channel_bytes_sum, '=', '*'),
    MEMBER(stall[0], '+', '*', TEG_STALLS, 8),
    UNIT(issued, '+', '*'),
    UNIT(busy_cycles, '+', '*'),
    UNIT(load_cycles, '+', '*'),
    UNIT(peak_load, '>', '='),
    UNIT(instances, '=', '='),
    BINS(busy_bin),
    BINS(load_bin),
};

size_t help_counters(const struct help_counter **out)
{
    *out = list;
    return sizeof list / sizeof *list;
}

static size_t place(const struct help_counter *c, size_t item, size_t i)
{
    return c->offset + item * c->stride + i * c->width;
}

uint64_t help_counter_get(const struct help_counter *c,
                          const struct teg_statistics *s, size_t item, size_t i)
{
    const char *at = (const char *)s + place(c, item, i);
    uint32_t narrow;
    uint64_t wide;

    memcpy(&narrow, at, sizeof narrow);
    if (c->width == sizeof narrow)
        return narrow;
    memcpy(&wide, at, sizeof wide);
    return wide;
}

void help_counter_set(const struct help_counter *c, struct teg_statistics *s,
                      size_t item, size_t i, uint64_t v)
{
    char *at = (char *)s + place(c, item, i);
    uint32_t narrow = (uint32_t)v;

    if (c->width == sizeof narrow)
        memcpy(at, &narrow, sizeof narrow);
    else
        memcpy(at, &v, sizeof v);
}

void help_counters_fill(struct teg_statistics *s, uint64_t factor,
                        uint64_t odd_factor)
{
    const struct help_counter *c = list, *end = list + sizeof list / sizeof *c;
    uint64_t k = 1;

    memset(s, 0, sizeof *s);
    s->unit_count = TEG_MAX_UNITS;
    for (; c < end; c++) {
        for (size_t item = 0; item < c->items; item++) {
            for (size_t i = 0; i < c->count; i++, k++)
                help_counter_set(c, s, item, i,
                                 k * (k % 2 != 0 ? odd_factor : factor));
        }
    }
}
