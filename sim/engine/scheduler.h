/*
 * A scheduler of an SM: its warps by index, and its choice in a cycle.
 *
 * It need not look before the earliest cycle in which a waiting warp is ready,
 * a unit that refuses one is free, or a barrier opens.
 */
#ifndef TEG_SIM_ENGINE_SCHEDULER_H
#define TEG_SIM_ENGINE_SCHEDULER_H

#include "sim/engine/op.h"
#include "sim/engine/policy.h"

struct sim_sm;

/* What every visit looks at comes first: of the arrays it needs the beginnings
 * only, as many as there are warps and kinds of ports. */
struct sim_scheduler {
    uint64_t ready, waiting, alive; /* warps by index, a bit each */
    uint64_t refused;               /* ready, but a unit takes nothing */
    uint64_t next_ready;            /* earliest ready_at of the waiting */
    uint64_t reads_until; /* operands are being read: issues nothing before */
    uint64_t bank_free[SIM_BANKS_MAX]; /* all reads of a bank done */
    uint64_t wake;
    int last; /* index issued last, SIM_NO_WARP before the first */
    uint64_t ready_at[SIM_WARPS_MAX];
    uint64_t refused_since[SIM_WARPS_MAX];
    uint64_t blocked[SIM_WARPS_MAX]; /* cycles refused before, since ready */
    uint64_t age[SIM_WARPS_MAX];
    uint64_t free_from[SIM_WARPS_MAX]; /* first slot after the last issue */
    uint64_t by_ports[SIM_PORTS_MAX];  /* ready, by what they need */
};

/* Lets scheduler `number` issue from at most one warp in cycle `now`, which is
 * not before its wake; sets when to come back. */
void sim_scheduler_visit(struct sim_sm *sm, uint32_t number, uint64_t now);

#endif
