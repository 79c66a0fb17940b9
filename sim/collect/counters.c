#include "sim/collect/counters.h"

#include <stddef.h>
#include <string.h>

/* A row of member `m` of the statistics, in each of `items_max` items that lie
 * `stride_bytes` apart. */
#define COUNTER(of, type, field, m, join_, sampled_, measure_, json_, help_, \
                items_max, stride_bytes)                                     \
    {.name = #field,                                                         \
     .json = json_,                                                          \
     .measure = measure_,                                                    \
     .help = help_,                                                          \
     .kind = COUNTER_##of,                                                   \
     .join = COUNTER_JOIN_##join_,                                           \
     .sampled = COUNTER_SAMPLED_##sampled_,                                  \
     .count = sizeof(((struct teg_statistics *)NULL)->m) / sizeof(type),     \
     .items = items_max,                                                     \
     .offset = offsetof(struct teg_statistics, m),                           \
     .stride = stride_bytes,                                                 \
     .width = sizeof(type)},

static const struct teg_counter counters[] = {
#define KERNEL(type, field, shape, join, sampled, measure, json, help)         \
    COUNTER(KERNEL, type, field, field, join, sampled, measure, json, help, 1, \
            0)
#define MEMORY(type, field, shape, join, sampled, measure, json, help)       \
    COUNTER(MEMORY, type, field, memory.field, join, sampled, measure, json, \
            help, 1, 0)
#define RUN(type, field, shape, join, sampled, measure, json, help) \
    COUNTER(RUN, type, field, field, join, sampled, measure, json, help, 1, 0)
#define PER_CLASS(type, field, shape, join, sampled, measure, json, help)    \
    COUNTER(PER_CLASS, type, field, class_[0].field, join, sampled, measure, \
            json, help, TEG_CLASSES, sizeof(struct teg_class_statistics))
#define PER_STALL(type, field, shape, join, sampled, measure, json, help)   \
    COUNTER(PER_STALL, type, field, field[0], join, sampled, measure, json, \
            help, TEG_STALLS, sizeof(type))
#define PER_UNIT(type, field, shape, join, sampled, measure, json, help)  \
    COUNTER(PER_UNIT, type, field, unit[0].field, join, sampled, measure, \
            json, help, TEG_MAX_UNITS, sizeof(struct teg_unit_statistics))
#include "sim/collect/counters.def"
};

const struct teg_counter *teg_counters(uint32_t *count)
{
    *count = sizeof counters / sizeof *counters;
    return counters;
}

const char *teg_counter_kind_name(enum teg_counter_kind kind)
{
    static const char *const names[] = {
        [COUNTER_KERNEL] = "kernel",    [COUNTER_MEMORY] = "memory",
        [COUNTER_RUN] = "run",          [COUNTER_PER_CLASS] = "classes",
        [COUNTER_PER_STALL] = "stalls", [COUNTER_PER_UNIT] = "units",
    };

    return names[kind];
}

uint32_t teg_counter_items(const struct teg_counter *c,
                           const struct teg_statistics *s)
{
    return c->kind == COUNTER_PER_UNIT ? s->unit_count : c->items;
}

static size_t offset_of(const struct teg_counter *c, uint32_t item, uint32_t i)
{
    return c->offset + item * c->stride + i * c->width;
}

uint64_t teg_counter_get(const struct teg_counter *c,
                         const struct teg_statistics *s, uint32_t item,
                         uint32_t i)
{
    const char *from = (const char *)s + offset_of(c, item, i);
    uint32_t narrow;
    uint64_t wide;

    if (c->width == sizeof wide) {
        memcpy(&wide, from, sizeof wide);
        return wide;
    }
    memcpy(&narrow, from, sizeof narrow);
    return narrow;
}

void teg_counter_set(const struct teg_counter *c, struct teg_statistics *s,
                     uint32_t item, uint32_t i, uint64_t v)
{
    char *to = (char *)s + offset_of(c, item, i);
    uint32_t narrow = (uint32_t)v;

    if (c->width == sizeof v)
        memcpy(to, &v, sizeof v);
    else
        memcpy(to, &narrow, sizeof narrow);
}

static void join_value(const struct teg_counter *c, struct teg_statistics *to,
                       const struct teg_statistics *part, uint32_t item,
                       uint32_t i)
{
    uint64_t a = teg_counter_get(c, to, item, i);
    uint64_t b = teg_counter_get(c, part, item, i);

    if (c->join == COUNTER_JOIN_SUM)
        teg_counter_set(c, to, item, i, a + b);
    else if (b > a)
        teg_counter_set(c, to, item, i, b);
}

void teg_statistics_join(struct teg_statistics *to,
                         const struct teg_statistics *part)
{
    uint32_t count;
    const struct teg_counter *c = teg_counters(&count);

    for (const struct teg_counter *end = c + count; c < end; c++) {
        uint32_t items =
            c->join != COUNTER_JOIN_KEPT ? teg_counter_items(c, to) : 0;

        for (uint32_t item = 0; item < items; item++) {
            for (uint32_t i = 0; i < c->count; i++)
                join_value(c, to, part, item, i);
        }
    }
}
