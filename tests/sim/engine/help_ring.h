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
    uint32_t cluster_arrive, cluster_wait;
    /* The rest is the ring's own: instructions, rounds, values. */
    uint32_t init, arrive, test, load, store, copy, sync, pass;
    uint32_t send;
    struct help_ring_round {
        uint32_t copies, kind[3], lanes;
        uint64_t bytes[3], to_all; /* by the first block to each */
        int twice;                 /* of which each hears of two */
    } round[3]; /* of the cluster whose blocks are being made */
    uint32_t rounds;
    uint32_t load_box, store_box, reduce_box;
    uint32_t add, follow; /* as send; as arrive, behind copies */
    uint32_t product, commit; /* of tensor memory; as follow, behind these */
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

/* The same of the block of that rank in a cluster of `blocks`, in the order of
 * ranks: each fills the next one's buffer, which tells it that it is empty, and
 * at times the first fills all.  `warps` are 2 at least. */
void help_ring_cluster_block(struct help_ring *r, uint32_t warps, uint32_t rank,
                             uint32_t blocks,
                             struct help_step (*step)[HELP_RING_STEPS],
                             uint32_t *count);

#endif
