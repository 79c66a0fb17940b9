/*
 * L2: slices chosen by address, and, on chips whose L2 is two halves, what
 * each half keeps near its SMs.
 *
 * Models: a slice is held for the time its bytes take, longer for sectors
 * written in part and for the steps of atomics; lines are written back when evicted, which
 * whoever needs the frame waits for; what is missing comes from DRAM.  A load
 * asks the half on its SM's side first, which keeps what its SMs have read
 * wherever in L2 it belongs; what is missing there comes from the other half
 * over a link.  (gpu-benches' latency and bandwidth over footprint on A100 and
 * H100 have a miss at half of L2 and one at its end.)
 * Leaves out: the time of a half's own slices apart from those of L2; stale
 * copies: stores and atomics go to where the line belongs.
 */
#ifndef TEG_SIM_MEMORY_L2_H
#define TEG_SIM_MEMORY_L2_H

#include "sim/memory/cache.h"
#include "sim/memory/dram.h"

enum {
    SIM_HALVES = 2
};

struct sim_l2 {
    const struct teg_gpu *gpu;          /* borrowed; outlives it */
    struct sim_dram *dram;              /* borrowed; outlives it */
    struct sim_queue *slice;            /* owned, [l2.slices] */
    struct sim_cache *cache;            /* owned; NULL: the chip has no L2 */
    struct sim_cache *near[SIM_HALVES]; /* owned; NULL: no halves */
    struct sim_queue far_link;
    uint32_t slices, hash;
    uint64_t lines;           /* that it holds */
    uint64_t sets, near_sets; /* of a slice; of a half */
    uint64_t rate, partial_rate, far_rate;
    uint64_t atomic_ticks[2]; /* of a step: of integers, of floats */
    uint64_t *atomic_held;    /* owned, [l2.slices]: ticks of all steps */
};

/* Returns 0 out of memory; release it then, too. */
int sim_l2_init(struct sim_l2 *l2, const struct teg_gpu *gpu,
                struct sim_dram *dram);
void sim_l2_release(struct sim_l2 *l2);

/* It holds from now on what `before` does.  Returns 0, and changes nothing, if
 * they are not alike. */
int sim_l2_carry(struct sim_l2 *l2, const struct sim_l2 *before);
/* A copy or a memory set between kernels has written `bytes` from `address`
 * on. */
void sim_l2_write(struct sim_l2 *l2, uint64_t address, uint64_t bytes);

/* Takes `sectors` of the line at `address` through L2, which there must be,
 * and on to DRAM for what it lacks. */
void sim_l2_visit(struct sim_l2 *l2, uint32_t sm, struct sim_way *w,
                  uint64_t address, uint32_t sectors, struct sim_request *r);

#endif
