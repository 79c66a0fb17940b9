/*
 * The blocks of a launch, run by as many threads as asked and handed out in
 * order, with the results of one thread: gang after gang, each a box of the
 * grid; that is grid order where a gang is one block.  Threads run gangs ahead
 * of their turn on views of memory (view.h), and what a gang did counts only if
 * it would have done the same in its turn.  Otherwise it runs again, in its
 * turn; where that happens to most gangs, running ahead ends.  Where blocks
 * meet, all that run at once are in one gang, a cluster on each of its places.
 */
#ifndef TEG_TRACES_EMULATE_CORE_WORKERS_H
#define TEG_TRACES_EMULATE_CORE_WORKERS_H

#include "traces/block/cursor.h"
#include "traces/emulate/core/warp.h"

struct emu_workers;

/* How the blocks of a launch are run. */
struct emu_work {
    const struct emu_block *like; /* what all blocks have in common; borrowed */
    const struct teg_kernel *kernel; /* borrowed */
    struct emu_order order;
    uint32_t gang[3];    /* blocks that run at once; divides the grid */
    uint32_t cluster[3]; /* divides the gang */
    uint64_t from, to;   /* in grid order: of these a trace is wanted */
    unsigned jobs;       /* threads, at least 1 */
    /* Threads are started after the first gang, and only if the others are
     * more thread instructions than that; 0: at once. */
    uint64_t alone_up_to;
    uint32_t places;  /* not 0: as many gangs, clusters, run at once and share
                         work (share.h), by one thread */
    int clears_local; /* local memory begins as zeros */
    int awaits;       /* blocks tell each other: told.h, by one thread */
};

/* A block that has had its turn. */
struct emu_result {
    struct teg_block *traced; /* NULL: not wanted; whoever takes it owns it */
    uint64_t warp_insts, thread_insts, undefined[EMU_UNDEFINED];
    int called; /* its gang, or one before, printed, allocated or freed */
};

teg_status emu_workers_new(struct emu_workers **c, const struct emu_work *work,
                           struct teg_diag *d);
void emu_workers_free(struct emu_workers *c);

/* Returns 1 and the next block's result, 0 after the last, -1 after a fault,
 * with `*status` and `d` filled. */
int emu_workers_next(struct emu_workers *c, struct emu_result *result,
                     teg_status *status, struct teg_diag *d);

#endif
