/*
 * The instruction caches of an SM: one of each scheduler (L0), one behind them.
 *
 * Models: a warp that comes to another line of the program has its next
 * instruction when its scheduler's cache has that line; what misses comes from
 * the cache behind after one latency, else after a longer one; some of the
 * lines that follow are fetched along, as a stream buffer does, so that code
 * without jumps waits for less than that.  Warps wait for a line under way
 * together.
 *
 * Unless they are to be cold, the caches are as an earlier launch of the
 * kernel left them: a program that fits the first is there, one that fits the
 * second is there, and of a longer one only its end is, which goes while its
 * beginning comes.  Programs of launches that run beside each other share the
 * caches, but what an earlier launch left is of each as if it were alone.
 * Leaves out: bandwidth other than of lines under way at a time, instruction
 * buffers of more than a line, branch prediction, constants in the same
 * caches, and that SMs of a GPC share the second.
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

/* Whether each scheduler's cache has kept the program, whose highest pc is
 * `last`, from an earlier launch: then nobody waits for an instruction and no
 * cache is needed. */
int sim_fetch_keeps(const struct teg_gpu *gpu, uint64_t last);

/* The program of number `code` is known up to its instruction at `last`, its
 * highest pc. */
teg_status sim_fetch_reach(struct sim_fetch *fetch, uint32_t code,
                           uint64_t last, struct teg_diag *d);

/* The line of an instruction of program `code`. */
uint64_t sim_fetch_line(const struct sim_fetch *fetch, uint32_t code,
                        uint64_t pc);
/* A warp of `scheduler` comes to `line` in cycle `now`: the cycle its
 * instruction is there, `now` or later. */
uint64_t sim_fetch_at(struct sim_fetch *fetch, uint32_t scheduler,
                      uint64_t line, uint64_t now);

#endif
