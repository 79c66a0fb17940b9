/*
 * A launch on the chip: its instructions as the engine needs them, who listens
 * to it, and its blocks up to where they get their places.
 */
#ifndef TEG_SIM_ENGINE_GRID_H
#define TEG_SIM_ENGINE_GRID_H

#include "sim/engine/ears.h"
#include "sim/engine/op.h"
#include "sim/memory/plan.h"
#include "traces/block/cursor.h"

struct sim_grid {
    struct teg_launch *launch; /* borrowed */
    struct sim_ops ops;        /* of its program */
    struct sim_windows windows;
    struct sim_ears ears; /* of who hears it */
    uint32_t cluster;     /* blocks of one, at most; 1: each by itself */
    struct teg_block *next[SIM_CGA_MAX]; /* owned, [waiting]: read, not placed
                                            yet; of one cluster */
    uint32_t waiting;
    struct teg_block *ahead; /* owned: the first of the next cluster */
    int exhausted;           /* no further block */
    uint64_t handed_out;     /* blocks */
};

/* `*g` is zeroed; `launch`, `gpu` and `ports` are borrowed. */
teg_status sim_grid_init(struct sim_grid *g, struct teg_launch *launch,
                         const struct teg_gpu *gpu,
                         struct sim_port_kinds *ports, struct teg_diag *d);
void sim_grid_release(struct sim_grid *g);

/* Reads the blocks of the next cluster unless they are waiting; takes in what
 * the program has grown by. */
teg_status sim_grid_read(struct sim_grid *g, struct teg_diag *d);
/* The largest block that waits has as many warps. */
uint32_t sim_grid_warps(const struct sim_grid *g);
/* Of the block in its cluster, as %cluster_ctarank counts: along x first. */
uint32_t sim_grid_rank(const struct sim_grid *g, const struct teg_block *block);

/* No block waits for room, and no other will. */
static inline int sim_grid_is_over(const struct sim_grid *g)
{
    return g->exhausted && g->waiting == 0;
}

#endif
