/*
 * The instruction caches of an SM: one of each scheduler (L0), one behind them.
 *
 * Models: a warp that comes to another line of the program has its next
 * instruction when its scheduler's cache has that line; what misses comes from
 * the SM's cache after one latency, else after a longer one; some of the lines
 * that follow are fetched along, as a stream buffer does, so that code without
 * jumps hardly waits.  Warps wait for a line under way together.
 * Leaves out: bandwidth, instruction buffers of more than a line, branch
 * prediction, and that constants share the SM's cache on some chips.
 */
#ifndef TEG_SIM_ENGINE_FETCH_H
#define TEG_SIM_ENGINE_FETCH_H

#include "config/gpu.h"

struct sim_fetch;

/* The caches of one SM of `gpu` (borrowed); `*fetch` is NULL if the
 * description has none. */
teg_status sim_fetch_new(const struct teg_gpu *gpu, struct sim_fetch **fetch,
                         struct teg_diag *d);
void sim_fetch_free(struct sim_fetch *fetch);

/* The program line of an instruction. */
uint64_t sim_fetch_line(const struct sim_fetch *fetch, uint64_t pc);
/* A warp of `scheduler` comes to `line` in cycle `now`: the cycle its
 * instruction is there, `now` or later. */
uint64_t sim_fetch_at(struct sim_fetch *fetch, uint32_t scheduler,
                      uint64_t line, uint64_t now);

#endif
