/*
 * Products of tensor memory: one warp issues them, the SM's tensor cores make
 * them one after the other while it goes on, and an mbarrier hears of the end.
 *
 * Models: a product holds the cores for its multiply-adds, or longer, while its
 * factors come from shared memory; it is done its latency later.  The 128 lanes
 * of tensor memory work in step: fewer rows take as long.
 * Leaves out: how many may wait; what else shared memory does meanwhile; the
 * cores of the other SM of a pair, which are taken to be as free as these.
 */
#ifndef TEG_SIM_ENGINE_TCGEN_H
#define TEG_SIM_ENGINE_TCGEN_H

#include <stdint.h>

struct sim_op;
struct sim_sm;
struct sim_times;
struct sim_values;

/* Issues a product with these values; its unit begins with it in cycle
 * `start`. */
void sim_tcgen_issue(struct sim_sm *sm, const struct sim_op *op,
                     const struct sim_values *v, uint64_t start,
                     struct sim_times *t);

#endif
