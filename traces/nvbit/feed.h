/*
 * From parsed instructions to thread blocks: what all NVBit readers share.
 *
 * Keeps what the file holds and notes what looks wrong: warps without
 * instructions (left out), instructions of lanes that have exited (kept),
 * blocks outside the grid, warps outside the block.  An LDGSTS that the
 * tracer wrote twice, once for each of its two addresses, becomes one
 * instruction with the global address.
 */
#ifndef TEG_TRACES_NVBIT_FEED_H
#define TEG_TRACES_NVBIT_FEED_H

#include "traces/block/block.h"
#include "traces/nvbit/groups.h"
#include "traces/nvbit/line.h"

enum {
    NVBIT_WARPS_MAX = 1024
}; /* of one block; hardware has 32 */

struct nvbit_feed {
    struct teg_kernel *kernel;         /* borrowed */
    const char *path;                  /* borrowed */
    struct teg_block_builder *builder; /* owned */
    uint32_t position[3];
    uint64_t blocks; /* handed out */
    uint32_t streams;
    uint32_t warp_seen[NVBIT_WARPS_MAX / 32];
    uint32_t warp_last; /* highest number in this block */

    uint32_t warp;
    int warp_empty;
    uint32_t exited;            /* lanes of this warp */
    struct nvbit_groups groups; /* of this warp */
    teg_status failed;          /* to learn of them; why: in `diag` */
    struct teg_diag diag;
    int held; /* `pending` is an LDGSTS that may come twice */
    struct nvbit_inst pending;
};

teg_status nvbit_feed_init(struct nvbit_feed *f, struct teg_kernel *kernel,
                           const char *path, struct teg_diag *d);
void nvbit_feed_release(struct nvbit_feed *f);

void nvbit_feed_block(struct nvbit_feed *f, const uint32_t position[3]);
/* `line` is for diagnostics and notes, here and below. */
teg_status nvbit_feed_warp(struct nvbit_feed *f, uint32_t warp, uint64_t line,
                           struct teg_diag *d);
void nvbit_feed_inst(struct nvbit_feed *f, const struct nvbit_inst *inst,
                     uint64_t line);
/* Ends the block; `*block` is NULL if no warp of it had an instruction. */
teg_status nvbit_feed_end(struct nvbit_feed *f, uint64_t line,
                          struct teg_block **block, struct teg_diag *d);
/* After the last block: notes what is missing of the grid; a trace without
 * any block is an error. */
teg_status nvbit_feed_finish(struct nvbit_feed *f, struct teg_diag *d);

#endif
