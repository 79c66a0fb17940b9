/*
 * Which block gets its place when, and on which SM.
 *
 * Models: blocks are handed out in the order of the trace, one every
 * chip.dispatch_interval cycles, each to the next SM in turn that has room, so
 * a grid spreads over the chip before it stacks.  The blocks of a cluster wait
 * until the SMs of one group (chip.gpcs) have room for all of them; groups too
 * are asked in turn.  Of several launches one goes first: that of the highest
 * priority, else the one that came first; blocks of the next get places when
 * it has none left that waits.  No more than launch.grids_max launches have
 * blocks on the chip.  (Amert et al., RTSS 2017; Gilman and Walls, SC 2020;
 * NVIDIA, CUDA C++ Programming Guide, Thread Block
 * Clusters: co-scheduled on a GPU processing cluster)
 */
#ifndef TEG_SIM_ENGINE_DISPATCH_H
#define TEG_SIM_ENGINE_DISPATCH_H

#include "sim/engine/cga.h"
#include "sim/engine/engine.h"

struct sim_dispatch {
    const struct sim_engine_setup *setup; /* borrowed, as are the next three */
    struct sim_chip *chip;
    struct sim_sm *sm; /* [setup->sms] */
    struct sim_cgas *cgas;
    struct sim_grid **come; /* owned, [count]; borrowed grids: that have come
                               and not ended, the first to go first */
    uint32_t count;
    size_t capacity;
    struct sim_grid *grid;  /* whose turn it is */
    uint64_t hand_out_from; /* fraction of a cycle the next may be handed out */
    uint32_t next_sm;       /* to look at first */
};

void sim_dispatch_release(struct sim_dispatch *p);

/* From now on the grid's blocks may have places. */
teg_status sim_dispatch_add(struct sim_dispatch *p, struct sim_grid *grid,
                            struct teg_diag *d);
/* p->come[at] has ended. */
void sim_dispatch_remove(struct sim_dispatch *p, uint32_t at);

/* Hands out blocks in cycle `now` as long as there is room. */
teg_status sim_dispatch(struct sim_dispatch *p, uint64_t now,
                        struct teg_diag *d);

#endif
