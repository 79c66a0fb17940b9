#include "traces/emulate/core/tiling.h"

enum {
    GOB_WIDTH = 64, /* bytes */
    GOB_ROWS = 8,
    GOB_BYTES = GOB_WIDTH * GOB_ROWS,
    HEIGHT_MAX = 4,        /* log2 of GOBs */
    VOLUME_HEIGHT_MAX = 2, /* likewise, of an array with planes */
    DEPTH_MAX = 5,         /* log2 of slabs */
    TALL_DEPTH_MAX = 4,    /* likewise, where a block is as high as it may */
};

static uint64_t round_up(uint64_t n, uint64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

/* The least power of two, as its logarithm, that holds `n` units of `unit`;
 * `most` at most. */
static uint8_t log2_of(uint32_t n, uint32_t unit, uint8_t most)
{
    uint8_t log2 = 0;

    while (log2 < most && (uint64_t)unit << log2 < n)
        log2++;
    return log2;
}

struct emu_tiling emu_tiling_of(uint64_t bytes, uint32_t height, uint32_t depth)
{
    int is_volume = depth > 1;
    struct emu_tiling t = {
        .is_tiled = 1,
        .height = log2_of(height, GOB_ROWS,
                          is_volume ? VOLUME_HEIGHT_MAX : HEIGHT_MAX),
    };
    uint64_t block;

    if (is_volume)
        t.depth =
            log2_of(depth, 1,
                    t.height == VOLUME_HEIGHT_MAX ? TALL_DEPTH_MAX : DEPTH_MAX);
    block = (uint64_t)GOB_BYTES << t.height << t.depth;
    t.row = round_up(bytes, GOB_WIDTH) / GOB_WIDTH * block;
    t.slab =
        round_up(height, (uint64_t)GOB_ROWS << t.height) / GOB_ROWS >> t.height;
    t.slab *= t.row;
    t.layer = (round_up(depth, 1u << t.depth) >> t.depth) * t.slab;
    return t;
}

/* Of a byte in its GOB: halves of 32 bytes, pairs of rows, halves of 16, the
 * row of the pair. */
static uint64_t in_gob(uint64_t x, uint64_t y)
{
    return (x / 32 % 2) * 256 + (y / 2 % 4) * 64 + (x / 16 % 2) * 32 +
           (y % 2) * 16 + x % 16;
}

uint64_t emu_tiling_offset(const struct emu_tiling *t, uint64_t x, uint64_t y,
                           uint64_t z)
{
    uint64_t gobs = UINT64_C(1) << t->height, slabs = UINT64_C(1) << t->depth;
    uint64_t gob_row = y / GOB_ROWS, slab_bytes = GOB_BYTES * gobs;

    return z / slabs * t->slab + gob_row / gobs * t->row +
           x / GOB_WIDTH * (slab_bytes * slabs) + z % slabs * slab_bytes +
           gob_row % gobs * GOB_BYTES + in_gob(x, y);
}
