/*
 * Division by a number that stays the same: a multiplication and two shifts
 * instead of what takes tens of cycles, and exact for every dividend.
 * (Granlund and Montgomery 1994, Figure 4.1)
 */
#ifndef TEG_SIM_MEMORY_DIVISOR_H
#define TEG_SIM_MEMORY_DIVISOR_H

#include <stdint.h>

__extension__ typedef unsigned __int128 sim_wide;

struct sim_divisor {
    uint64_t by, factor;
    uint8_t first, second; /* shifts */
};

/* `by` is at least 1; less is taken as 1. */
static inline struct sim_divisor sim_divisor_of(uint64_t by)
{
    struct sim_divisor d = {.by = by != 0 ? by : 1};
    unsigned bits = d.by > 1 ? 64 - (unsigned)__builtin_clzll(d.by - 1) : 0;
    sim_wide above = ((sim_wide)1 << bits) - d.by;

    d.factor = (uint64_t)((above << 64) / d.by) + 1;
    d.first = bits != 0;
    d.second = (uint8_t)(bits != 0 ? bits - 1 : 0);
    return d;
}

static inline uint64_t sim_quotient(uint64_t n, const struct sim_divisor *d)
{
    uint64_t high = (uint64_t)((sim_wide)d->factor * n >> 64);

    return (high + ((n - high) >> d->first)) >> d->second;
}

static inline uint64_t sim_remainder(uint64_t n, const struct sim_divisor *d)
{
    return n - sim_quotient(n, d) * d->by;
}

#endif
