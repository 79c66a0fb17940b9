/*
 * Counters of a warp: one for each register, some for each of the compiler's
 * dependence barriers, one for what has joined groups of each kind.  A counter
 * holds when what was counted up last is there, and the stall that waiting for
 * it is charged to, in one number.
 *
 * Who waits until a few only are left needs more than the last: a history is
 * a row of counters, the newest that were counted up, newest first, behind one
 * counter for all those before them.
 *
 * Where the SM runs ahead of shared memory the cycle may still be open: one of
 * SIM_OPEN and more, later than all others, that names the pending entry
 * (pending.h) it depends on.
 */
#ifndef TEG_SIM_ENGINE_COUNTER_H
#define TEG_SIM_ENGINE_COUNTER_H

#include "sim/events.h"

enum {
    SIM_COUNTER_STALL_BITS = 5,
    SIM_HISTORY = TEG_GROUP_OPEN_MAX,       /* of which one may wait for the
                                               oldest */
    SIM_HISTORY_COUNTERS = SIM_HISTORY + 1, /* with the one before them */
};

#define SIM_OPEN (1ull << 56)

_Static_assert(TEG_STALL_WAITS <= 1 << SIM_COUNTER_STALL_BITS,
               "a stall fits beside the cycle");

static inline uint64_t sim_counter(uint64_t cycle, enum teg_stall stall)
{
    return cycle << SIM_COUNTER_STALL_BITS | stall;
}

static inline uint64_t sim_counter_cycle(uint64_t counter)
{
    return counter >> SIM_COUNTER_STALL_BITS;
}

static inline enum teg_stall sim_counter_stall(uint64_t counter)
{
    return (enum teg_stall)(counter & ((1u << SIM_COUNTER_STALL_BITS) - 1));
}

/* The counter of what the pending entry at `offset` will say. */
static inline uint64_t sim_counter_open(uint32_t offset, enum teg_stall stall)
{
    return sim_counter(SIM_OPEN + offset, stall);
}

static inline int sim_counter_is_open(uint64_t counter)
{
    return sim_counter_cycle(counter) >= SIM_OPEN;
}

static inline uint32_t sim_counter_offset(uint64_t counter)
{
    return (uint32_t)(sim_counter_cycle(counter) - SIM_OPEN);
}

#endif
