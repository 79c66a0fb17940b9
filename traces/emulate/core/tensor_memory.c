#include "traces/emulate/core/tensor_memory.h"

#include <string.h>

enum {
    /* What ptxas 13.0 keeps at this place of the system's shared memory: a
     * barrier between the blocks of a pair, the parity of the phase that the
     * block waits for there next, units that are taken, first units of
     * allocations, and whether the block may allocate no more. */
    BOOKS = 0x40,
    BARRIER = BOOKS + 8,
    PARITY = BOOKS + 16,
};

/* A barrier of one arrival (ops/mbarrier.h). */
#define BARRIER_OF_ONE (UINT64_C(0xfffff) << 43 | UINT64_C(0xfffff) << 1)

int emu_tensor_names(const char *name)
{
    return strcmp(name, "LDTM") == 0 || strcmp(name, "STTM") == 0 ||
           strncmp(name, "UTC", 3) == 0;
}

/* Of a pair the even block allocates first; the odd one waits to be told where.
 * So the code's first waits say; what sets the books up is not in a cubin. */
void emu_tensor_begin(struct emu_block *b)
{
    uint64_t barrier = BARRIER_OF_ONE;
    uint32_t parity = b->rank % 2 == 0;

    if (b->tensor->taken != 0)
        memset(b->tensor, 0, sizeof *b->tensor);
    if (b->shared_bytes < PARITY + sizeof parity)
        return;
    memcpy(b->shared + BARRIER, &barrier, sizeof barrier);
    memcpy(b->shared + PARITY, &parity, sizeof parity);
}

void emu_tensor_end(struct emu_block *b)
{
    const struct emu_tensor_memory *t = b->tensor;
    uint32_t first, units = 0;

    if (t == NULL || t->taken == 0)
        return;
    first = (uint32_t)__builtin_ctz(t->taken);
    while (first + units < EMU_TENSOR_UNITS && t->taken >> (first + units) & 1)
        units++;
    emu_fault(&b->warp[t->taken_by_warp[first]], t->taken_by[first], -1,
              TEG_LIMIT,
              "columns %u to %u of tensor memory are allocated here and not "
              "freed when the block ends",
              first * EMU_TENSOR_UNIT, (first + units) * EMU_TENSOR_UNIT - 1);
}

struct emu_block *emu_tensor_peer(struct emu_warp *w, const struct emu_op *op)
{
    struct emu_block *b = w->block;
    uint32_t peer = b->rank ^ 1;

    if (peer < b->cluster_blocks)
        return b->cluster + peer;
    emu_fault(w, op, -1, TEG_LIMIT,
              "block %u of a cluster of %u has no other to make a pair with",
              b->rank, b->cluster_blocks);
    return NULL;
}

int emu_tensor_check(struct emu_warp *w, const struct emu_op *op,
                     const struct emu_block *b, uint32_t lane, uint32_t lanes,
                     uint32_t column, uint32_t columns)
{
    uint32_t first = column / EMU_TENSOR_UNIT;

    if (lane + lanes > EMU_TENSOR_LANES || column >= EMU_TENSOR_COLUMNS ||
        column + columns > EMU_TENSOR_COLUMNS) {
        emu_fault(
            w, op, -1, TEG_LIMIT,
            "lanes %u to %u, columns %u to %u: tensor memory has %d lanes "
            "of %d columns",
            lane, lane + lanes - 1, column, column + columns - 1,
            EMU_TENSOR_LANES, EMU_TENSOR_COLUMNS);
        return 0;
    }
    for (uint32_t u = first; u * EMU_TENSOR_UNIT < column + columns; u++) {
        if (b->tensor->taken >> u & 1)
            continue;
        emu_fault(w, op, -1, TEG_LIMIT,
                  "columns %u to %u of tensor memory: column %u is not "
                  "allocated%s",
                  column, column + columns - 1,
                  u == first ? column : u * EMU_TENSOR_UNIT,
                  b == w->block ? "" : " in the other block of the pair");
        return 0;
    }
    return 1;
}
