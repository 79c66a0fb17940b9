/*
 * "The next instruction of this warp": all the engine sees of a trace.
 *
 * A launch hands out thread blocks one after the other, in the order in which
 * they are dispatched; a block holds its warps' instruction streams in a
 * compact form (traces/block/block.h) that cursors walk.  Memory is what the
 * blocks handed out and not yet freed take.
 */
#ifndef TEG_TRACES_BLOCK_CURSOR_H
#define TEG_TRACES_BLOCK_CURSOR_H

#include "traces/base/kernel.h"

struct teg_block;

/* A source of blocks.  Whoever opens it fills it; a test can put an array
 * behind it. */
struct teg_launch {
    struct teg_kernel *kernel; /* borrowed from the source; its program may
                                  grow with each block handed out */
    void *self;
    /* Hands out the next block, NULL after the last.  The block is the
     * caller's, to be freed with teg_block_free. */
    teg_status (*next)(void *self, struct teg_block **block,
                       struct teg_diag *d);
    void (*close)(void *self); /* may be NULL */
};

void teg_block_free(struct teg_block *block);

/* Hands every block of the launch to `visit` and frees it, up to the first
 * failure.  Without `visit` the blocks only come and go, which runs those of
 * an emulated kernel. */
teg_status teg_launch_walk(struct teg_launch *launch,
                           teg_status (*visit)(void *self,
                                               struct teg_block *block,
                                               struct teg_diag *d),
                           void *self, struct teg_diag *d);

/* Position in the grid, as in the trace. */
const uint32_t *teg_block_position(const struct teg_block *block);
/* Streams in the block.  Their warps' numbers need not be 0, 1, 2 ... */
uint32_t teg_block_warps(const struct teg_block *block);
uint32_t teg_block_warp_id(const struct teg_block *block, uint32_t stream);
/* Instructions in a stream. */
uint64_t teg_block_warp_insts(const struct teg_block *block, uint32_t stream);

/* How the addresses of a warp's lanes follow from each other. */
enum teg_shape {
    SHAPE_LINE, /* base + stride * lane */
    SHAPE_GRID, /* base + stride * (lane mod group) + pitch * (lane / group) */
    SHAPE_LIST, /* one by one */
};

/* The addresses of one execution of a memory instruction. */
struct teg_access {
    enum teg_shape shape;
    uint32_t mask; /* active lanes, never 0 */
    uint64_t base; /* LINE, GRID: address of lane 0, active or not */
    int32_t stride, pitch;
    uint32_t group_log2;      /* GRID: 1..4 */
    uint64_t lane[TEG_LANES]; /* LIST only: of the active lanes */
};

/* Address of `lane`, which must be active. */
static inline uint64_t teg_access_lane(const struct teg_access *a,
                                       uint32_t lane)
{
    uint32_t group;

    switch (a->shape) {
    case SHAPE_LINE:
        return a->base + (uint64_t)((int64_t)a->stride * lane);
    case SHAPE_GRID:
        group = 1u << a->group_log2;
        return a->base + (uint64_t)((int64_t)a->stride * (lane & (group - 1))) +
               (uint64_t)((int64_t)a->pitch * (lane >> a->group_log2));
    case SHAPE_LIST:
        break;
    }
    return a->lane[lane];
}

struct teg_predictor;

struct teg_cursor {
    /* The current instruction, valid after teg_cursor_next returned 1. */
    uint32_t inst; /* index into the program */
    uint32_t mask; /* active lanes; may be 0: predicated off */
    /* Private. */
    uint32_t run_left;
    uint32_t records_left; /* of the current instruction */
    const uint8_t *path, *path_end;
    const uint8_t *address;
    const struct teg_block *block;
    struct teg_predictor *predictor;
};

/* Places `c` before the first instruction of `stream`.  One cursor per stream
 * at a time: it uses state inside the block. */
void teg_cursor_init(struct teg_cursor *c, struct teg_block *block,
                     uint32_t stream);
/* Steps to the next instruction; returns 0 at the end. */
int teg_cursor_next(struct teg_cursor *c);
/* Decodes the addresses of the current instruction; returns 0 if it has none
 * (not a memory instruction, or no lane active).  Once per instruction. */
int teg_cursor_access(struct teg_cursor *c, struct teg_access *access);
/* Decodes the next of its further values (isa/inst/values.def), passing over
 * its addresses; returns 0 after the last. */
int teg_cursor_value(struct teg_cursor *c, struct teg_access *value);

#endif
