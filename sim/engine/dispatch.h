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
    const struct sim_engine_setup *setup; /* borrowed, as are the next four */
    struct sim_grid *grid;
    struct sim_chip *chip;
    struct sim_sm *sm; /* [setup->sms] */
    struct sim_cgas *cgas;
    uint64_t hand_out_from; /* fraction of a cycle the next may be handed out */
    uint32_t next_sm;       /* to look at first */
};

void sim_dispatch_init(struct sim_dispatch *p,
                       const struct sim_engine_setup *setup,
                       struct sim_grid *grid, struct sim_chip *chip,
                       struct sim_sm *sm, struct sim_cgas *cgas);

/* Hands out blocks in cycle `now` as long as there is room. */
teg_status sim_dispatch(struct sim_dispatch *p, uint64_t now,
                        struct teg_diag *d);

#endif
