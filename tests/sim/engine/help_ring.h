/*
 * Random kernels of producers and consumers: one warp fills a buffer of shared
 * memory by bulk copies, others wait for it, use it and say that it is empty,
 * by two mbarriers and now and then a named barrier.
 */
#ifndef TEG_TESTS_SIM_ENGINE_HELP_RING_H
#define TEG_TESTS_SIM_ENGINE_HELP_RING_H

#include "tests/help_launch.h"

enum {
    HELP_RING_STEPS = 64,
    HELP_RING_VALUES = 8192,
};

struct help_ring {
    uint64_t *state; /* of the random numbers */
    /* Any other step, between those of the ring. */
    struct help_step (*filler)(void *self);
    void *self;
    uint32_t block_barrier; /* instruction */
    /* The rest is the ring's own: instructions, rounds, values. */
    uint32_t init, arrive, test, load, store, copy, sync, pass;
    uint64_t value[HELP_RING_VALUES][TEG_LANES + TEG_VALUES_MAX];
    uint32_t values;
};

/* Adds the ring's instructions. */
void help_ring_program(struct help_ring *r, struct teg_program *p);
/* Fills the steps of each warp of a block, up to their EXITs; returns in
 * `count` how many. */
void help_ring_block(struct help_ring *r, uint32_t warps,
                     struct help_step (*step)[HELP_RING_STEPS],
                     uint32_t *count);

#endif
