/*
 * A launch that is replayed again and again: its blocks are read and checked
 * once and then handed out from memory.
 *
 *     struct teg_cache *cache;
 *
 *     teg_cache_new(trace, kernel, TEG_CACHE_BUDGET, &cache, &d);
 *     for each replay {
 *         teg_cache_launch(cache, &launch, &d);
 *         ... teg_simulate(&launch, ...) ...
 *         launch.close(launch.self);
 *     }
 *     teg_cache_free(cache);
 *
 * A launch whose blocks take more than the budget is not kept: every replay
 * then reads the trace again, with the same result.
 */
#ifndef TEG_TRACES_STORE_H
#define TEG_TRACES_STORE_H

#include "traces/trace.h"

/* Bytes of opened blocks one cache may hold: some ten million warp
 * instructions of regular code. */
#define TEG_CACHE_BUDGET ((uint64_t)256 << 20)

struct teg_cache;

/* Reads launch `kernel` of `trace`, which is borrowed until the end.  Fails as
 * the trace's reader does. */
teg_status teg_cache_new(struct teg_trace *trace, uint32_t kernel,
                         uint64_t budget, struct teg_cache **cache,
                         struct teg_diag *d);
/* NULL is harmless. */
void teg_cache_free(struct teg_cache *cache);

/* Whether the blocks are in memory. */
int teg_cache_holds(const struct teg_cache *cache);
/* Opens the launch at its first block.  One at a time: the launch before must
 * have been closed.  The kernel's facts (registers, shared_bytes ...) may be
 * changed by the caller; they are the trace's again in the next launch. */
teg_status teg_cache_launch(struct teg_cache *cache, struct teg_launch *launch,
                            struct teg_diag *d);

#endif
