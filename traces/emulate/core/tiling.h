/*
 * Where the texels of an array lie.  CUDA arrays are opaque; that they are
 * block-linear, and how, is in NVIDIA's open documents (Linux, drm_fourcc.h,
 * DRM_FORMAT_MOD_NVIDIA_BLOCK_LINEAR_2D; Tegra X1 TRM; Mesa's nouveau for the
 * size of blocks):
 *
 *   GOB    64 bytes x 8 rows, 512 bytes one behind the other; in it pieces of
 *          16 bytes x 2 rows are a sector of 32 bytes, and four of these, two
 *          by two, a line of 128
 *   block  GOBs one above the other, 2^height of them, then 2^depth such slabs
 *          of a volume one behind the other
 *   array  blocks row by row; layer behind layer
 *
 * The emulator's own memory keeps rows one behind the other, which no program
 * can see; this is for traces.
 */
#ifndef TEG_TRACES_EMULATE_CORE_TILING_H
#define TEG_TRACES_EMULATE_CORE_TILING_H

#include <stdint.h>

struct emu_tiling {
    uint8_t is_tiled;      /* 0: rows lie one behind the other */
    uint8_t height, depth; /* of a block, log2: GOBs, slabs */
    uint64_t row;          /* bytes of a row of blocks */
    uint64_t slab;         /* bytes of a slab of blocks: all rows of them */
    uint64_t layer;        /* bytes of a layer, or of the whole volume */
};

/* Of an array of rows of `bytes`, `height` rows, `depth` planes (1: none). */
struct emu_tiling emu_tiling_of(uint64_t bytes, uint32_t height,
                                uint32_t depth);

/* Bytes from the first of the layer to byte `x` of row `y` of plane `z`. */
uint64_t emu_tiling_offset(const struct emu_tiling *t, uint64_t x, uint64_t y,
                           uint64_t z);

#endif
