/* What instructions that access memory share. */
#ifndef TEG_TRACES_EMULATE_OPS_MEMORY_H
#define TEG_TRACES_EMULATE_OPS_MEMORY_H

#include "traces/emulate/core/access.h"
#include "traces/emulate/core/operand.h"

/* Bytes of size code 75:73. */
static inline unsigned emu_access_bytes(unsigned size)
{
    static const unsigned bytes[] = {1, 1, 2, 2, 4, 8, 16, 16};

    return bytes[size & 7];
}

/* Where the timing model sees local memory: words of a warp's lanes side by
 * side, as the hardware lays them out.  Lanes that reach for several words each
 * take as many lines, here one behind the other: which word is in which makes
 * no difference.  (KTT's Coulomb sums on an RTX 2080 Ti move as many sectors
 * with STL.64 as with twice as many STL) */
static inline uint64_t emu_local_trace_address(const struct emu_warp *w,
                                               int lane, uint64_t offset,
                                               unsigned bytes)
{
    uint64_t wide = bytes > 4 ? bytes : 4;

    return EMU_LOCAL_WINDOW +
           (uint64_t)w->number * EMU_LANES * w->block->local_bytes +
           offset / wide * (wide * EMU_LANES) + wide * (uint64_t)lane +
           offset % wide;
}

/* What the trace sees of the addresses; of one's that are not traced others
 * may see what it writes (told.h). */
static inline void emu_note_addresses(struct emu_warp *w,
                                      const struct emu_op *op,
                                      enum emu_space space,
                                      const uint64_t at[EMU_LANES],
                                      unsigned bytes)
{
    if (w->trace == NULL && !op->tells)
        return;
    w->stride = 0;
    if (space == EMU_LOCAL)
        LANES w->address[l] = emu_local_trace_address(w, l, at[l], bytes);
    else if (space == EMU_GENERIC && w->block->cluster_blocks > 1)
        LANES w->address[l] =
            emu_in_shared_window(op, at[l])
                ? EMU_SHARED_WINDOW + emu_cluster_offset(w->block, at[l])
                : at[l];
    else
        memcpy(w->address, at, sizeof w->address);
}

/* Addresses of the lanes, not of local memory, noted for the trace. */
static inline void emu_lanes_at(struct emu_warp *w, const struct emu_op *op,
                                const struct emu_operand *m,
                                enum emu_space space, uint64_t at[EMU_LANES])
{
    emu_addresses(w, m, at);
    emu_note_addresses(w, op, space, at, 0);
}

/* The register that is stored: B, or C where the form has it there. */
static inline const struct emu_operand *emu_stored(const struct emu_op *op)
{
    return op->b != NULL ? op->b : op->c;
}

#endif
