/*
 * Where a lane's access to memory lies: from an address of the kernel to bytes
 * of the host, checked.
 */
#ifndef TEG_TRACES_EMULATE_CORE_ACCESS_H
#define TEG_TRACES_EMULATE_CORE_ACCESS_H

#include "traces/emulate/core/warp.h"

enum emu_space {
    EMU_GLOBAL,
    EMU_SHARED,
    EMU_LOCAL,
    EMU_GENERIC,
};

/* Host pointer of a lane's access; a fault and NULL if there is none. */
void *emu_access_at(struct emu_warp *w, const struct emu_op *op, int lane,
                    enum emu_space space, uint64_t at, unsigned bytes,
                    enum emu_use use);

static inline uint32_t emu_thread_of(const struct emu_warp *w, int lane)
{
    return w->number * EMU_LANES + (uint32_t)lane;
}

static inline uint8_t *emu_within(uint8_t *data, uint64_t size, uint64_t offset,
                                  uint64_t bytes)
{
    return offset <= size && size - offset >= bytes ? data + offset : NULL;
}

/* Host pointer of `bytes` of global memory, NULL if they are in no buffer. */
static inline uint8_t *emu_global_at(struct emu_block *b,
                                     const struct emu_op *op, uint64_t at,
                                     uint64_t bytes, enum emu_use use)
{
    struct emu_span *s = &b->near[op->inst % EMU_NEAR];

    if (b->view != NULL)
        return emu_view_at(b->view, at, bytes, use);

    if (at - s->address >= s->readable && !emu_device_span(b->device, at, s))
        return NULL;
    s->usage->read |= use != EMU_WRITE;
    s->usage->written |= use != EMU_READ;
    if (s->usage->page != NULL)
        s->usage->page[(at - s->address) / EMU_PAGE] |=
            (use != EMU_WRITE ? EMU_PAGE_READ : 0) |
            (use != EMU_READ ? EMU_PAGE_WRITTEN : 0);
    return emu_within(s->data, use == EMU_READ ? s->readable : s->writable,
                      at - s->address, bytes);
}

/* ---- shared memory ---------------------------------------------------------
 *
 * An address of sm_90 has the rank of a block of the cluster above its offset.
 * Generic instructions reach every block of the cluster, those for shared
 * memory their own, and there code may leave its rank out.
 */

/* Where it ends for that use.  ptxas reads three words as four, the last ones
 * too, which a GPU, that gives shared memory out in larger pieces, has; behind
 * them are zeros. */
static inline uint64_t emu_shared_end(const struct emu_block *b,
                                      enum emu_use use)
{
    return use == EMU_READ ? (b->shared_bytes + EMU_WIDEST - 1) &
                                 ~(uint64_t)(EMU_WIDEST - 1)
                           : b->shared_bytes;
}

static inline int emu_in_shared_window(const struct emu_op *op, uint64_t at)
{
    return at - EMU_SHARED_WINDOW <
           (op->cc < 90 ? EMU_WINDOW_BYTES : EMU_CLUSTER_BYTES);
}

static inline uint64_t emu_shared_offset(uint64_t at)
{
    return at & (EMU_WINDOW_BYTES - 1);
}

/* Which block of the cluster the lane's shared address is of, as traces have it
 * (traces/base/kernel.h): how many ranks behind its own. */
static inline uint64_t emu_rank_behind(const struct emu_block *b, uint64_t at)
{
    uint32_t rank = (uint32_t)at >> EMU_RANK_BIT;

    return (rank + b->cluster_blocks - b->rank) % b->cluster_blocks;
}

static inline uint64_t emu_cluster_offset(const struct emu_block *b,
                                          uint64_t at)
{
    return emu_rank_behind(b, at) << EMU_RANK_BIT | emu_shared_offset(at);
}

static inline int emu_is_own(const struct emu_block *b, uint64_t at)
{
    uint64_t rank = (uint32_t)at >> EMU_RANK_BIT;

    return rank == 0 || rank == b->rank;
}

#endif
