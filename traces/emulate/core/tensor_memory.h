/*
 * Tensor memory of sm_100 to sm_110: 128 lanes of 512 columns of 32 bits, which
 * products of tcgen05 add into.  Columns are given out in units of 32, by code
 * that the compiler makes of tcgen05.alloc: it takes free ones of the SM's set
 * (UTCATOMSWS) and keeps books in the system's part of shared memory.  An
 * address has the lane in its upper half, the column in the lower.
 *
 * Every block has an SM to itself here: it never waits for another's columns.
 */
#ifndef TEG_TRACES_EMULATE_CORE_TENSOR_MEMORY_H
#define TEG_TRACES_EMULATE_CORE_TENSOR_MEMORY_H

#include "traces/emulate/core/warp.h"

enum {
    EMU_TENSOR_LANES = 128,
    EMU_TENSOR_COLUMNS = 512,
    EMU_TENSOR_UNIT = 32, /* columns */
    EMU_TENSOR_UNITS = EMU_TENSOR_COLUMNS / EMU_TENSOR_UNIT,
};

struct emu_tensor_memory {
    uint32_t taken; /* units, a bit each */
    /* Of those, who took them: for the fault of not returning them. */
    const struct emu_op *taken_by[EMU_TENSOR_UNITS]; /* borrowed */
    uint32_t taken_by_warp[EMU_TENSOR_UNITS];
    uint32_t cell[EMU_TENSOR_LANES][EMU_TENSOR_COLUMNS];
};

static inline uint32_t emu_tensor_lane(uint32_t at)
{
    return at >> 16;
}

static inline uint32_t emu_tensor_column(uint32_t at)
{
    return at & 0xffff;
}

/* Whether the operation of that name needs tensor memory. */
int emu_tensor_names(const char *name);
/* The block begins: nothing is allocated, and the system's books say so. */
void emu_tensor_begin(struct emu_block *b);

/* The block has ended: a fault of whoever took columns that were not returned,
 * which PTX asks for. */
void emu_tensor_end(struct emu_block *b);

/* The other block of the pair that the warp's block is in; NULL after a fault:
 * the cluster has an odd number of blocks, or there is none. */
struct emu_block *emu_tensor_peer(struct emu_warp *w, const struct emu_op *op);

/* 1, or a fault and 0: not all of these lanes and columns of the block's tensor
 * memory exist and are allocated. */
int emu_tensor_check(struct emu_warp *w, const struct emu_op *op,
                     const struct emu_block *b, uint32_t lane, uint32_t lanes,
                     uint32_t column, uint32_t columns);

#endif
