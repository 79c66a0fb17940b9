/*
 * Several launches beside each other on one chip, instruction by instruction:
 * what teg_simulate is for one.
 *
 *     teg_together_room(launch->kernel, gpu, &l1_bytes, d)      of each
 *     teg_together_new(&setup, &together, d)
 *     teg_together_add(together, &launch, d)                    as they come
 *     teg_together_advance(together, until, &now, d)            and so on
 *
 * Launches share SMs, L2 and DRAM as sim/engine/engine.h says.  What each finds
 * in L2 is what those before and beside it have left.
 */
#ifndef TEG_SIM_TOGETHER_H
#define TEG_SIM_TOGETHER_H

#include "sim/engine/engine.h"
#include "sim/teg.h"

struct teg_together;

struct teg_together_setup {
    const struct teg_gpu *gpu; /* borrowed */
    uint32_t l1_bytes; /* of L1, whatever runs: the least that any leaves */
    /* What L2 and TLBs have from another chip; borrowed while this one is made,
     * or NULL. */
    const struct sim_memory *before;
    uint32_t threads;            /* of the host, at most; 0 is 1 */
    struct sim_engine_news news; /* launches are numbered as they were added */
    int (*progress)(void *self, uint64_t blocks_done, uint64_t cycle);
    void *progress_self;
};

struct teg_together_launch {
    struct teg_launch *launch; /* borrowed, until it has ended */
    uint32_t code;             /* launches of one program have the same */
    int32_t priority;          /* the higher goes first */
    uint64_t from;             /* cycle, not before now */
    /* What it depends on programmatically, and how many cycles after that lets
     * it it comes; SIM_NO_LAUNCH: nothing. */
    uint32_t primary;
    uint64_t gap;
    /* Filled when it has ended, time counted from when its first block got its
     * place; borrowed.  NULL: nobody wants it, which is quicker. */
    struct teg_statistics *statistics;
    /* One more who hears it, in cycles of the chip; borrowed, or NULL. */
    const struct sim_listener *listener;
};

/* Lowers `*l1_bytes` to what shared memory leaves while `kernel` runs; begin
 * with UINT32_MAX.  TEG_LIMIT if a block fits no SM. */
teg_status teg_together_room(const struct teg_kernel *kernel,
                             const struct teg_gpu *gpu, uint32_t *l1_bytes,
                             struct teg_diag *d);
teg_status teg_together_new(const struct teg_together_setup *setup,
                            struct teg_together **together, struct teg_diag *d);
void teg_together_free(struct teg_together *together); /* NULL: nothing */
teg_status teg_together_add(struct teg_together *together,
                            const struct teg_together_launch *launch,
                            struct teg_diag *d);
/* Lets time go on to cycle `until` (UINT64_MAX: as long as anything happens),
 * or to the first in which a launch begins or ends: `*now`. */
teg_status teg_together_advance(struct teg_together *together, uint64_t until,
                                uint64_t *now, struct teg_diag *d);
/* A copy or a set has written that: it lies in L2, dirty. */
void teg_together_write(struct teg_together *together, uint64_t address,
                        uint64_t bytes);
/* Copies take that share (0 to 1) of the DRAM's bandwidth from now on; what the
 * SMs have asked for before the end of their window has what there was. */
void teg_together_copies(struct teg_together *together, double share);
/* What the launches have left. */
const struct sim_memory *teg_together_memory(
    const struct teg_together *together);
/* The chip, at the end. */
void teg_together_finish(struct teg_together *together,
                         struct sim_engine_outcome *outcome);

#endif
