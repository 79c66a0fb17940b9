/*
 * The members of struct teg_statistics that are counters, written down once
 * more, without sim/collect/counters.def: what joining parts and scaling a
 * sample must do to each.
 */
#ifndef TEG_TESTS_HELP_COUNTERS_H
#define TEG_TESTS_HELP_COUNTERS_H

#include "sim/collect/statistics.h"

#include <stddef.h>

struct help_counter {
    const char *name;
    char join;   /* '+', '>' the larger, '=' the first one's */
    char sample; /* '*' times the factor, '=' as it is, '!' set otherwise */
    size_t width, count; /* bytes of a value; values that lie together */
    size_t items, stride, offset;
};

/* Returns how many there are. */
size_t help_counters(const struct help_counter **list);
uint64_t help_counter_get(const struct help_counter *c,
                          const struct teg_statistics *s, size_t item,
                          size_t i);
void help_counter_set(const struct help_counter *c, struct teg_statistics *s,
                      size_t item, size_t i, uint64_t v);
/* Another number for each: `k` times `factor` of the kth value of all; every
 * second one is `odd_factor` times.  Clears the rest of `s`; all units are
 * there. */
void help_counters_fill(struct teg_statistics *s, uint64_t factor,
                        uint64_t odd_factor);

#endif
