/*
 * How factors of large products lie in shared memory: rows (of A, or columns of
 * B) by K, in chunks of 16 bytes that a swizzle may change the places of.  (PTX
 * ISA, "Matrix Descriptor" and "Canonical Layouts" of wgmma and tcgen05)
 */
#ifndef TEG_TRACES_EMULATE_OPS_TILE_H
#define TEG_TRACES_EMULATE_OPS_TILE_H

#include <stdint.h>

enum {
    EMU_TILE_CHUNK = 16, /* bytes that stay together */
    EMU_TILE_LINE = 8,   /* rows of a core matrix */
};

struct emu_tile {
    uint32_t start, leading, stride; /* bytes */
    unsigned swizzle;  /* chunks of a line that change places: 1 to 8 */
    int is_transposed; /* elements of one K are side by side */
    int by_pairs;      /* of 32 bytes: lines are of four K (tcgen05 alone) */
};

/* Offset in shared memory of the chunk with element (row, k), the first of it;
 * `each` elements are a chunk. */
static inline uint32_t emu_tile_chunk(const struct emu_tile *t, uint32_t row,
                                      uint32_t k, uint32_t each)
{
    uint32_t line = EMU_TILE_CHUNK * t->swizzle, at;
    uint32_t lines = t->by_pairs ? EMU_TILE_LINE / 2 : EMU_TILE_LINE;

    if (!t->is_transposed) {
        at = row % EMU_TILE_LINE * line + row / EMU_TILE_LINE * t->stride;
        at += k / each * (t->swizzle == 1 ? t->leading : EMU_TILE_CHUNK);
    } else {
        uint32_t chunk = row / each;

        at = k % lines * line + chunk % t->swizzle * EMU_TILE_CHUNK;
        at += chunk / t->swizzle * (t->swizzle == 1 ? t->stride : t->leading);
        at += k / lines * (t->swizzle == 1 ? t->leading : t->stride);
    }
    at += t->start;
    return t->by_pairs ? at ^ (at >> 7 & 3) << 5
                       : at ^ (at >> 7 & (t->swizzle - 1)) << 4;
}

#endif
