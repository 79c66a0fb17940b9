/*
 * The levels of the memory system, for those who take requests through them:
 * memory.c the stepped SMs', followers.c the others'.
 */
#ifndef TEG_SIM_MEMORY_LEVELS_H
#define TEG_SIM_MEMORY_LEVELS_H

#include "sim/memory/cluster.h"
#include "sim/memory/dram.h"
#include "sim/memory/l1.h"
#include "sim/memory/l2.h"
#include "sim/memory/memory.h"
#include "sim/memory/parts.h"
#include "sim/memory/remote.h"
#include "sim/memory/returns.h"
#include "sim/memory/translation.h"

struct sim_memory {
    const struct teg_gpu *gpu; /* borrowed */
    int writes_resting; /* the gpu's, which may be gone between kernels */
    struct sim_l1 l1;
    struct sim_parts parts;
    struct sim_returns returns;
    struct sim_translation translation;
    struct sim_clusters clusters;
    struct sim_l2 l2;
    struct sim_dram dram;
    struct sim_network network;
    uint64_t transaction_ticks, transaction_latency_ticks;
    const struct sim_followers *followers; /* borrowed; NULL without */
    struct sim_follower_request follower;  /* the one whose turn it is */
};

/* The turn in which transaction `i` leaves: those that coalesced go
 * together. */
static inline uint32_t sim_turn_of(const struct sim_plan *plan, uint32_t i)
{
    return i < plan->groups ? 0 : i - plan->groups + 1;
}

/* The tick at which what issued in cycle `now` leaves in that turn. */
static inline uint64_t sim_start_of(const struct sim_memory *m, uint64_t now,
                                    uint32_t turn)
{
    return now * SIM_TICKS + turn * m->transaction_ticks;
}

/* A transaction is about to go there: returns where in L2 its line lies, if
 * there is one. */
static inline struct sim_l2_place sim_expect_shared(const struct sim_memory *m,
                                                    uint64_t address)
{
    return m->l2.cache != NULL ? sim_l2_expect(&m->l2, address)
                               : (struct sim_l2_place){0};
}

/* Takes a transaction through what SMs share: L2, and DRAM behind it. */
static inline void sim_visit_shared(struct sim_memory *m, uint32_t sm,
                                    struct sim_way *w, uint64_t address,
                                    struct sim_l2_place place, uint32_t sectors,
                                    uint32_t bytes, struct sim_request *r)
{
    if (m->l2.cache != NULL)
        sim_l2_visit(&m->l2, sm, w, address, place, sectors, r);
    else if (r->is_store && !r->is_atomic)
        sim_dram_store(&m->dram, w, address, bytes, r);
    else
        sim_dram_read(&m->dram, w, address, bytes, r);
}

/* Takes what others have asked for before `leader` ends through what SMs
 * share, and `leader`'s followers note what they are to ask for. */
void sim_followers_serve(struct sim_memory *m, const struct sim_misses *leader);

#endif
