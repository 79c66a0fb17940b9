/*
 * A resource that moves bytes one after the other, and its arithmetic.
 *
 * Models: who comes takes it from when it is free, or from when he comes, for
 * as long as his bytes take.  Time is in ticks, a fraction of a cycle, so that
 * 13.67 bytes a cycle stay that; rates are ticks per byte in fixed point, so
 * that sums are the same on every machine.
 * Leaves out: any order but that of asking.
 */
#ifndef TEG_SIM_MEMORY_QUEUE_H
#define TEG_SIM_MEMORY_QUEUE_H

#include "isa/base/minmax.h"

enum {
    SIM_TICKS = 1024,   /* per cycle */
    SIM_RATE_BITS = 16, /* of a rate's fraction */
};

struct sim_queue {
    uint64_t free_from; /* tick */
};

/* Ticks per byte, times 2^SIM_RATE_BITS; 0, no limit, if nothing is given. */
static inline uint64_t sim_rate_of(double bytes_per_cycle)
{
    if (bytes_per_cycle <= 0)
        return 0;
    return (uint64_t)(SIM_TICKS * (double)(1 << SIM_RATE_BITS) /
                          bytes_per_cycle +
                      0.5);
}

static inline uint64_t sim_bytes_ticks(uint64_t rate, uint64_t bytes)
{
    return bytes * rate >> SIM_RATE_BITS;
}

static inline uint64_t sim_ticks_of(double cycles)
{
    return (uint64_t)(cycles * SIM_TICKS + 0.5);
}

/* The first cycle at or after a tick. */
static inline uint64_t sim_cycles_up(uint64_t ticks)
{
    return (ticks + SIM_TICKS - 1) / SIM_TICKS;
}

/* Reserves `q` for `ticks` from tick `at`; returns how long it had to wait. */
static inline uint64_t sim_queue_wait(struct sim_queue *q, uint64_t at,
                                      uint64_t ticks)
{
    uint64_t start = teg_max(at, q->free_from);

    q->free_from = start + ticks;
    return start - at;
}

#endif
