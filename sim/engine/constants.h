/*
 * The caches of constants of an SM: one of each scheduler for operands
 * (c[bank][byte]), one of the SM for constant loads, one behind both (L1.5).
 *
 * Models: who wants a line that the first cache has not gets it from the L1.5
 * after one latency, else from L2 after a longer one; a line under way is
 * waited for together.  Two caches that operands and loads keep apart: Huerta
 * 2025, 5.4; one L1 of an SM for loads: MT4G.  Caches are cold when a kernel
 * starts, beside whose constants others' lie, but for bank 0 where the description says that the launch brings it
 * along.  Where L2 is cold too and the description says so, nothing is brought,
 * and an SM's first miss of a line comes from DRAM.
 * Leaves out: that what misses takes L2's and DRAM's time, for it is some lines
 * of an SM; that a scheduler waits a few cycles for a line before it turns to
 * another warp; that instructions share the L1.5 on some chips.
 */
#ifndef TEG_SIM_ENGINE_CONSTANTS_H
#define TEG_SIM_ENGINE_CONSTANTS_H

#include "sim/events.h"

struct sim_constants;

/* The caches of one SM of `gpu` (borrowed), which a launch finds as it finds L2,
 * `cold` or not; `*constants` is NULL if the description has none. */
teg_status sim_constants_new(const struct teg_gpu *gpu, int cold,
                             struct sim_constants **constants,
                             struct teg_diag *d);
void sim_constants_free(struct sim_constants *c);

/* A warp of `launch` and `scheduler` wants the operand at `address` (bank << 32 | byte) in
 * cycle `now`: the cycle it is there, `now` or later.  Counts in `f`. */
uint64_t sim_constants_operand(struct sim_constants *c, uint32_t launch,
                               uint32_t scheduler, uint64_t address,
                               uint64_t now, struct sim_constant_finds *f);
/* A constant load of `launch` whose unit begins with it in cycle `start` wants the `count`
 * addresses: how many cycles later its result is than it would be if all of
 * them were there. */
uint64_t sim_constants_load(struct sim_constants *c, uint32_t launch,
                            const uint64_t *address, uint32_t count,
                            uint64_t start, struct sim_constant_finds *f);

#endif
