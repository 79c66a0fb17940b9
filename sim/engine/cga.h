/*
 * Thread block clusters, which SASS calls CGAs: blocks that get their places
 * together, on SMs of one group (GPC), and have a barrier in common.
 *
 * Models: a warp that waits at the cluster's barrier goes on when all warps of
 * the cluster have arrived in this phase, the barrier's latency after the last
 * of them.  Who has ended is not waited for.  Lanes of a warp that arrive apart
 * from others are part of its first arrival.
 * Leaves out: that a cluster keeps its places until its last block has ended.
 */
#ifndef TEG_SIM_ENGINE_CGA_H
#define TEG_SIM_ENGINE_CGA_H

#include "sim/engine/sm.h"

#define SIM_NO_CGA UINT32_MAX /* a block by itself */

/* The clusters that have blocks on the chip. */
struct sim_cgas {
    struct sim_cga {
        uint32_t blocks; /* with a place; 0: this entry is free */
        struct sim_cga_block {
            uint32_t sm, resident;
        } block[SIM_CGA_MAX];
        uint32_t size;
        struct sim_cga_place {
            struct sim_sm *sm; /* borrowed */
            uint32_t resident;
        } place[SIM_CGA_MAX]; /* by rank, of those that have left too */
    } * cga;                  /* owned, [count] */
    uint32_t count, capacity;
};

/* Zeroed is empty. */
void sim_cgas_release(struct sim_cgas *c);
/* A cluster without blocks; its number. */
teg_status sim_cgas_add(struct sim_cgas *c, uint32_t *number,
                        struct teg_diag *d);
/* The block placed last on `sm` is of the cluster `number`, and its `rank`-th
 * of `size`. */
void sim_cga_join(struct sim_cgas *c, uint32_t number, uint32_t rank,
                  uint32_t size, struct sim_sm *sm, uint32_t resident);
/* The SM of the block that is so many ranks behind `b`, which is of a
 * cluster. */
uint32_t sim_cga_sm(const struct sim_cgas *c, const struct sim_resident *b,
                    uint32_t behind);

/* The same, and its place there; returns 0 if it has left or `b` is of no
 * cluster. */
int sim_cga_find(const struct sim_cgas *c, const struct sim_resident *b,
                 uint32_t behind, struct sim_sm **sm, uint32_t *resident);

/* The warp has come to its cluster's barrier: without waiting, or to wait.
 * Returns whether it has to. */
void sim_cga_arrive(struct sim_sm *sm, struct sim_warp *w, uint32_t lanes,
                    uint64_t now);
int sim_cga_wait(struct sim_sm *sm, struct sim_warp *w);
/* The warp has ended. */
void sim_cga_leave(struct sim_sm *sm, const struct sim_warp *w, uint64_t now);

/* Between windows: opens the barriers of which all warps have arrived, and
 * forgets blocks that have left.  What a window holds comes too late to matter
 * in it if it is no longer than the barrier's latency. */
void sim_cgas_settle(struct sim_cgas *c, struct sim_sm *sm);

#endif
