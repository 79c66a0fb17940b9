/*
 * The counters of struct teg_statistics as a table: what is said of each in
 * counters.def, and its values in any statistics.
 *
 *     uint32_t count;
 *     const struct teg_counter *c = teg_counters(&count);
 *
 *     for (uint32_t i = 0; i < count; i++)
 *         for (uint32_t item = 0; item < teg_counter_items(&c[i], s); item++)
 *             ... teg_counter_get(&c[i], s, item, 0) ...
 */
#ifndef TEG_SIM_COLLECT_COUNTERS_H
#define TEG_SIM_COLLECT_COUNTERS_H

#include "sim/collect/statistics.h"

/* Kinds of rows. */
enum teg_counter_kind {
    COUNTER_KERNEL,
    COUNTER_MEMORY,
    COUNTER_RUN,
    COUNTER_PER_CLASS,
    COUNTER_PER_STALL,
    COUNTER_PER_UNIT,
};

enum teg_counter_join {
    COUNTER_JOIN_SUM,
    COUNTER_JOIN_MOST,
    COUNTER_JOIN_KEPT,
};

enum teg_counter_sampled {
    COUNTER_SAMPLED_SCALED,
    COUNTER_SAMPLED_KEPT,
    COUNTER_SAMPLED_SET,
};

struct teg_counter {
    const char *name; /* of the member */
    const char *json; /* "": not printed */
    const char *measure, *help;
    enum teg_counter_kind kind;
    enum teg_counter_join join;
    enum teg_counter_sampled sampled;
    uint32_t count; /* values in an item: 1, or of an array */
    uint32_t items; /* at most: classes, reasons, units; else 1 */
    /* Private: bytes. */
    size_t offset, stride, width;
};

/* Rows by kind and member: teg_counters(&count)[COUNTER_ROW_MEMORY_bytes]. */
enum teg_counter_row {
#define KERNEL(type, field, ...)    COUNTER_ROW_KERNEL_##field,
#define MEMORY(type, field, ...)    COUNTER_ROW_MEMORY_##field,
#define RUN(type, field, ...)       COUNTER_ROW_RUN_##field,
#define PER_CLASS(type, field, ...) COUNTER_ROW_PER_CLASS_##field,
#define PER_STALL(type, field, ...) COUNTER_ROW_PER_STALL_##field,
#define PER_UNIT(type, field, ...)  COUNTER_ROW_PER_UNIT_##field,
#include "sim/collect/counters.def"
};

const struct teg_counter *teg_counters(uint32_t *count);
/* Where it is printed: an object of docs/json.md. */
const char *teg_counter_kind_name(enum teg_counter_kind kind);

/* Items that `s` has: of its units, not all there may be. */
uint32_t teg_counter_items(const struct teg_counter *c,
                           const struct teg_statistics *s);
/* Value `i` of item `item`, below c->count and c->items. */
uint64_t teg_counter_get(const struct teg_counter *c,
                         const struct teg_statistics *s, uint32_t item,
                         uint32_t i);
void teg_counter_set(const struct teg_counter *c, struct teg_statistics *s,
                     uint32_t item, uint32_t i, uint64_t v);

/* Adds what a part of the same launch heard, as the rows say; both have bins
 * of one width. */
void teg_statistics_join(struct teg_statistics *to,
                         const struct teg_statistics *part);

#endif
