/*
 * What a launch asks of a chip, found by a walk through its trace without a
 * clock: to tell which launches of a list are alike (sim/sample/cluster.h).
 *
 * Two launches of equal digest are the same to the engine: the same facts of
 * the kernel, the same program, the same instructions, masks, addresses and
 * values of every warp in the same order.  Launches of equal `kernel` run the same
 * program in blocks of the same shape; what they did is compared by parts.
 *
 * Leaves out: where in memory accesses are, but for lines shared by blocks.
 */
#ifndef TEG_SIM_SAMPLE_PORTRAIT_H
#define TEG_SIM_SAMPLE_PORTRAIT_H

#include "config/occupancy.h"
#include "traces/block/cursor.h"

enum teg_portrait_part {
#define PART(name, kind, of, help) PORTRAIT_##name,
#include "sim/sample/portrait.def"
#undef PART
    PORTRAIT_CLASSES, /* the first class; then one part for each */
    PORTRAIT_PARTS = PORTRAIT_CLASSES + TEG_CLASSES
};

enum teg_portrait_kind {
    PORTRAIT_TOTAL,
    PORTRAIT_PEAK
};

struct teg_portrait {
    uint64_t digest; /* of all that the engine sees */
    uint64_t kernel; /* of the name, block, registers, shared memory, code */
    uint64_t blocks;
    uint64_t warps, thread_instructions;
    /* For the occupancy. */
    struct teg_block_asks asks; /* of an SM */
    double part[PORTRAIT_PARTS];
};

enum teg_portrait_kind teg_portrait_kind(enum teg_portrait_part part);

/* What is known before the walk: launches of which this differs have nothing
 * in common.  Of the name, block, registers, shared memory, architecture. */
uint64_t teg_portrait_outline(const struct teg_kernel *kernel);

/* Walks all blocks of `launch`, which it leaves open and at its end.
 * `progress` as in struct teg_simulation_options, or NULL. */
teg_status teg_portrait_take(struct teg_launch *launch,
                             int (*progress)(void *self, uint64_t blocks,
                                             uint64_t cycle),
                             void *self, struct teg_portrait *portrait,
                             struct teg_diag *d);

#endif
