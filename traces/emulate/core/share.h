/*
 * Blocks that meet: who takes the next piece of work that a counter deals out,
 * who comes first to what blocks write for each other, and whose swap of a word
 * fails.
 *
 * A block (a cluster) has a place while it runs; there are as many as the GPU
 * holds at once, and who ends leaves his to the next of the grid.  A warp stands in
 * front of each instruction that takes work (CONTROL_FETCH), and where code polls
 * in front of each access past L1 (there and CONTROL_LOOK), and in front of a swap
 * of global memory that is tried again (CONTROL_SWAP), until nobody else could
 * come to one earlier: each of the others stands, waits or has ended, and those who
 * stand have later clocks.  A clock (emu_clock) counts instructions, and what a
 * load that polls or such a swap takes, so pieces go to whoever is done first if
 * every instruction takes as long, and who looks for what another writes finds what
 * that one has come to; between two such points a cluster runs by itself.  Without any, and without
 * loops of more than 512 rounds, that is one cluster after the other, in grid order.
 *
 * Leaves out: what a GPU's memory and units take, warps of an SM that slow each other
 * down; what plain stores write and plain loads poll for.
 */
#ifndef TEG_TRACES_EMULATE_CORE_SHARE_H
#define TEG_TRACES_EMULATE_CORE_SHARE_H

#include "traces/emulate/core/warp.h"

/* No place has anything to do. */
#define EMU_NO_PLACE UINT32_MAX

struct emu_place {
    enum emu_place_state {
        PLACE_FREE,
        PLACE_RUNS,
        PLACE_WAITS /* asked in vain; is asked again after a while */
    } state;
    uint64_t clock;            /* when it has something to do */
    struct emu_warp *earliest; /* of it; NULL: none, or it has just begun */
    uint64_t number;           /* of its cluster in the grid */
};

struct emu_share {
    struct emu_gang *gang;   /* borrowed; its blocks stand by place and rank */
    struct emu_place *place; /* owned, [places] */
    uint32_t places, cluster_blocks;
    uint32_t *queue; /* owned, [queued]: those that do not wait, a heap */
    uint32_t queued;
    uint32_t turns; /* of places that went on, since all were asked */
    int ran;        /* one did anything, since then */
};

teg_status emu_share_init(struct emu_share *s, struct emu_gang *gang,
                          uint32_t places, uint32_t cluster_blocks,
                          struct teg_diag *d);
void emu_share_release(struct emu_share *s);

/* The place whose turn it is, the earliest; EMU_NO_PLACE: nobody gets on.  What it
 * does with it is one of the next two, or nothing any more. */
uint32_t emu_share_next(struct emu_share *s);
/* A cluster begins there, of that number, whose blocks the caller has placed. */
void emu_share_begin(struct emu_share *s, uint32_t place, uint64_t number);
/* Gives its cluster a turn, with a fetch first if it stands there.  Returns whether
 * it has ended, and the place is free; a fault is its block's status. */
int emu_share_run(struct emu_share *s, uint32_t place);

static inline struct emu_block *emu_share_block(const struct emu_share *s,
                                                uint32_t place)
{
    return &s->gang->block[(size_t)place * s->cluster_blocks];
}

#endif
