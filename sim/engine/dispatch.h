/*
 * Which block gets its place when, and on which SM.
 *
 * Models: blocks are handed out in the order of the trace, one every
 * chip.dispatch_interval cycles, each to the next SM in turn that has room, so
 * a grid spreads over the chip before it stacks.  The blocks of a cluster wait
 * until the SMs of one group (chip.gpcs) have room for all of them; groups too
 * are asked in turn.  (NVIDIA, CUDA C++ Programming Guide, Thread Block
 * Clusters: co-scheduled on a GPU processing cluster)
 */
#ifndef TEG_SIM_ENGINE_DISPATCH_H
#define TEG_SIM_ENGINE_DISPATCH_H

#include "sim/engine/cga.h"
#include "sim/engine/engine.h"

struct sim_dispatch {
    const struct sim_engine_setup *setup; /* borrowed, as are the next three */
    struct teg_launch *launch;
    struct sim_chip *chip;
    struct sim_sm *sm; /* [setup->sms] */
    struct sim_cgas *cgas;
    uint32_t cluster; /* blocks of one, at most; 1: each by itself */
    struct teg_block *next[SIM_CGA_MAX]; /* owned, [waiting]: read, not placed
                                            yet; of one cluster */
    uint32_t waiting;
    struct teg_block *ahead; /* owned: the first of the next cluster */
    int exhausted;           /* no further block */
    uint64_t handed_out;     /* blocks */
    uint64_t hand_out_from; /* fraction of a cycle the next may be handed out */
    uint32_t next_sm;       /* to look at first */
};

/* Room for the launch's clusters, if it has any. */
teg_status sim_dispatch_init(struct sim_dispatch *p,
                             const struct sim_engine_setup *setup,
                             struct teg_launch *launch, struct sim_chip *chip,
                             struct sim_sm *sm, struct sim_cgas *cgas,
                             struct teg_diag *d);
void sim_dispatch_release(struct sim_dispatch *p);

/* Hands out blocks in cycle `now` as long as there is room. */
teg_status sim_dispatch(struct sim_dispatch *p, uint64_t now,
                        struct teg_diag *d);

/* No block waits for room, and no other will. */
static inline int sim_dispatch_is_over(const struct sim_dispatch *p)
{
    return p->exhausted && p->waiting == 0;
}

#endif
