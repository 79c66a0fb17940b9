/*
 * Upper bound of a kernel's speed from its instruction mix.
 *
 * Models: every resource (issue slots, each unit, shared memory, links,
 * caches, DRAM) has a throughput; a kernel takes at least as long as its work
 * on the busiest one, whatever the schedule.
 * Leaves out: every latency, dependence and barrier, uneven blocks.
 *
 * Generalises J. Lai, PhD thesis, 2013, chapter 4, as its 4.4.5 asks for.
 */
#ifndef TEG_SIM_MODELS_BOUND_H
#define TEG_SIM_MODELS_BOUND_H

#include "sim/models/model.h"

enum bound_kind {
    BOUND_ISSUE,
    BOUND_UNIT,         /* initiation intervals */
    BOUND_PAIR,         /* of two units that some classes may choose between */
    BOUND_TRANSACTIONS, /* of global memory in the load/store unit */
    BOUND_SHARED,       /* passes of shared memory */
    BOUND_DATA,         /* shared and global, where one unit moves both */
    BOUND_ATOMICS,      /* one after the other in slices of L2 */
    BOUND_LINK,         /* of an SM to L2 or memory */
    BOUND_L2,
    BOUND_DRAM,
    BOUND_KINDS
};

struct bound_resource {
    enum bound_kind kind;
    char name[40];     /* "unit fp32", "dram" */
    double cycles;     /* of the whole kernel, all its work */
    double arithmetic; /* of its floating-point arithmetic alone; for DRAM the
                          same traffic */
};

enum {
    BOUND_RESOURCES_MAX = 2 * TEG_MAX_UNITS + 8
};

struct bound {
    struct bound_resource resource[BOUND_RESOURCES_MAX]; /* longest first */
    uint32_t count;
    double cycles; /* of resource[0] */
    /* The same if only its floating-point arithmetic and its DRAM traffic
     * remained; NAN without arithmetic. */
    double arithmetic_cycles;
};

/* TEG_LIMIT if the statistics hold no instructions. */
teg_status bound_find(struct bound *b, const struct teg_statistics *s,
                      const struct teg_gpu *gpu, struct teg_diag *d);

/* The row's function. */
void bound_estimate(const struct teg_statistics *s, const struct teg_gpu *gpu,
                    struct teg_estimate *e);

#endif
