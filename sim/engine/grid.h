/*
 * A launch on the chip: its instructions as the engine needs them, who listens
 * to it, and its blocks up to where they get their places.
 */
#ifndef TEG_SIM_ENGINE_GRID_H
#define TEG_SIM_ENGINE_GRID_H

#include "config/occupancy.h"
#include "sim/engine/board.h"
#include "sim/engine/ears.h"
#include "sim/engine/op.h"
#include "sim/memory/plan.h"
#include "traces/block/cursor.h"

struct sim_grid {
    struct teg_launch *launch; /* borrowed */
    uint32_t number;           /* of the launches on the chip */
    uint32_t code;             /* those of one program have the same */
    struct sim_ops ops;        /* of its program */
    struct sim_windows windows;
    struct sim_board board; /* of what its blocks tell each other */
    struct sim_ears ears; /* of who hears it */
    uint32_t cluster;     /* blocks of one, at most; 1: each by itself */
    struct teg_block *next[SIM_CGA_MAX]; /* owned, [waiting]: read, not placed
                                            yet; of one cluster */
    uint32_t waiting;
    struct teg_block *ahead; /* owned: the first of the next cluster */
    int exhausted;           /* no further block */
    uint64_t handed_out;     /* blocks */
    /* Where they may be: what each takes of an SM, and how many are there. */
    uint32_t blocks_per_sm; /* at most */
    struct teg_block_needs needs;
    uint32_t *on_sm; /* owned, [SMs] */
    /* When: from which cycle on, and before whose. */
    uint64_t from;
    int32_t priority; /* the higher goes first, then who has come first */
    int has_come, has_begun;
    /* Programmatic dependence (dependent.h): what it depends on, until that has
     * ended; cycles behind its release that this one comes, while `awaits`
     * that; from when its writes are seen. */
    const struct sim_grid *primary; /* borrowed; NULL: none */
    uint64_t gap, primary_seen;
    int awaits;
    uint64_t released; /* cycle in which the last of the blocks that have left
                          let others come */
    uint64_t ended;  /* blocks */
    uint64_t cycles; /* until what has ended was done */
};

/* `*g` is zeroed; `launch`, `gpu` and `ports` are borrowed. */
teg_status sim_grid_init(struct sim_grid *g, struct teg_launch *launch,
                         const struct teg_gpu *gpu, uint32_t sms,
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

/* All its blocks have left. */
static inline int sim_grid_has_ended(const struct sim_grid *g)
{
    return sim_grid_is_over(g) && g->ended == g->handed_out;
}

#endif
