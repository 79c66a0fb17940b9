/*
 * The way of one transaction through the levels.  Each level that it visits
 * adds its waiting and says what latency it has; the last one's counts, for
 * a latency is the whole way from issue to use (docs/gpu-description.md).
 */
#ifndef TEG_SIM_MEMORY_WAY_H
#define TEG_SIM_MEMORY_WAY_H

#include "sim/memory/queue.h"

struct sim_way {
    uint64_t start;    /* tick the transaction leaves the load/store unit */
    uint64_t waited;   /* ticks */
    uint64_t latency;  /* cycles, unloaded, of the level that served it */
    uint64_t at_least; /* cycle: a line under way arrives */
    uint32_t partial;  /* sectors written in part that join none */
    uint32_t torn;     /* those whose rest nobody stores, as far as known */
    uint32_t updates, steps; /* of an atomic in its slice */
    uint32_t packets;        /* on its way out of the SM; 0: one */
};

/* The tick it has come to. */
static inline uint64_t sim_way_at(const struct sim_way *w)
{
    return w->start + w->waited;
}

/* The cycle its data is where it was asked for, by what it has met so far. */
static inline uint64_t sim_way_arrival(const struct sim_way *w)
{
    return teg_max(sim_cycles_up(sim_way_at(w)) + w->latency, w->at_least);
}

#endif
