/*
 * A launch that is replayed again and again: its blocks are read and checked
 * once and then handed out from memory.
 *
 *     struct teg_store *store;
 *
 *     teg_store_new(trace, kernel, TEG_STORE_BUDGET, &store, &d);
 *     for each replay {
 *         teg_store_launch(store, &launch, &d);
 *         ... teg_simulate(&launch, ...) ...
 *         launch.close(launch.self);
 *     }
 *     teg_store_free(store);
 *
 * A launch whose blocks take more than the budget is not kept: every replay
 * then reads the trace again, with the same result.
 */
#ifndef TEG_TRACES_STORE_H
#define TEG_TRACES_STORE_H

#include "traces/trace.h"

/* Bytes of opened blocks one store may hold: some ten million warp
 * instructions of regular code. */
#define TEG_STORE_BUDGET ((uint64_t)256 << 20)

struct teg_store;

/* Reads launch `kernel` of `trace`, which is borrowed until the end.  Fails as
 * the trace's reader does. */
teg_status teg_store_new(struct teg_trace *trace, uint32_t kernel,
                         uint64_t budget, struct teg_store **store,
                         struct teg_diag *d);
/* NULL is harmless. */
void teg_store_free(struct teg_store *store);

/* Whether the blocks are in memory. */
int teg_store_holds(const struct teg_store *store);
/* Opens the launch at its first block.  One at a time: the launch before must
 * have been closed.  The kernel's facts (registers, shared_bytes ...) may be
 * changed by the caller; they are the trace's again in the next launch. */
teg_status teg_store_launch(struct teg_store *store, struct teg_launch *launch,
                            struct teg_diag *d);

#endif
