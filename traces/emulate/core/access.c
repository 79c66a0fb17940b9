#include "traces/emulate/core/access.h"

/* `bytes` of another block of the cluster; a fault and NULL if there are none.
 * Where an end comes first depends on the order, so touching an ended block is
 * an error, as on the hardware, unless the device is loose. */
static void *in_cluster(struct emu_warp *w, const struct emu_op *op, int lane,
                        uint64_t at, unsigned bytes)
{
    uint32_t rank = (uint32_t)at >> EMU_RANK_BIT;
    struct emu_block *b = w->block;
    void *found;

    if (rank >= b->cluster_blocks) {
        emu_fault(w, op, lane, TEG_LIMIT,
                  "0x%llx of shared memory is out of bounds: there is no block "
                  "%u in a cluster of %u",
                  (unsigned long long)(uint32_t)at, rank, b->cluster_blocks);
        return NULL;
    }
    b = b->cluster + rank;
    if (b->alive == 0 && !emu_device_is_loose(b->device)) {
        emu_fault(w, op, lane, TEG_LIMIT,
                  "%u bytes at 0x%llx of shared memory are out of bounds: "
                  "block %u of the cluster has ended",
                  bytes, (unsigned long long)(uint32_t)at, rank);
        return NULL;
    }
    found =
        emu_within(b->shared, b->shared_bytes, emu_shared_offset(at), bytes);
    if (found == NULL)
        emu_fault(w, op, lane, TEG_LIMIT,
                  "%u bytes at 0x%llx of shared memory of block %u of the "
                  "cluster are out of bounds",
                  bytes, (unsigned long long)emu_shared_offset(at), rank);
    return found;
}

/* Parameters by a generic pointer (__grid_constant__), which only reads. */
static void *in_params(const struct emu_block *b, uint64_t offset,
                       unsigned bytes)
{
    if (b->bank[0].size - offset < bytes)
        return NULL;
    return (void *)(uintptr_t)(b->bank[0].data + offset);
}

void *emu_access_at(struct emu_warp *w, const struct emu_op *op, int lane,
                    enum emu_space space, uint64_t at, unsigned bytes,
                    enum emu_use use)
{
    struct emu_block *b = w->block;
    void *found;

    if (space == EMU_GENERIC) {
        space = EMU_GLOBAL;
        if (emu_in_shared_window(op, at)) {
            space = EMU_SHARED;
            at -= EMU_SHARED_WINDOW;
            if (at % bytes == 0 && at >> EMU_RANK_BIT != b->rank)
                return in_cluster(w, op, lane, at, bytes);
        } else if (at - EMU_LOCAL_WINDOW < EMU_WINDOW_BYTES) {
            space = EMU_LOCAL;
            at -= EMU_LOCAL_WINDOW;
        }
    }
    if (at % bytes != 0) {
        emu_fault(w, op, lane, TEG_LIMIT,
                  "expected an address that is a multiple of %u, found 0x%llx",
                  bytes, (unsigned long long)at);
        return NULL;
    }
    if (space == EMU_SHARED) {
        found = emu_is_own(b, at)
                    ? emu_within(b->shared, emu_shared_end(b, use),
                                 emu_shared_offset(at), bytes)
                    : NULL;
        if (emu_is_own(b, at))
            at = emu_shared_offset(at);
    } else if (space == EMU_LOCAL) {
        found = emu_within(b->local + emu_thread_of(w, lane) * b->local_bytes,
                           b->local_bytes, at, bytes);
    } else if (at - EMU_PARAM_WINDOW < b->bank[0].size) {
        found =
            use == EMU_READ ? in_params(b, at - EMU_PARAM_WINDOW, bytes) : NULL;
    } else {
        found = emu_global_at(b, op, at, bytes, use);
    }
    if (found == NULL) {
        static const char *const names[] = {"global", "shared", "local"};

        emu_fault(w, op, lane, TEG_LIMIT,
                  "%u bytes at 0x%llx of %s memory are out of bounds", bytes,
                  (unsigned long long)at, names[space]);
    }
    return found;
}

void *emu_generic(struct emu_warp *w, const struct emu_op *op, int lane,
                  uint64_t at, unsigned bytes, enum emu_use use)
{
    return emu_access_at(w, op, lane, EMU_GENERIC, at, bytes, use);
}

void *emu_global(struct emu_warp *w, const struct emu_op *op, int lane,
                 uint64_t at, unsigned bytes, enum emu_use use)
{
    return emu_access_at(w, op, lane, EMU_GLOBAL, at, bytes, use);
}
