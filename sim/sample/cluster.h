/*
 * Launches that are alike are simulated once: which of a list stand for which.
 *
 * Launches are taken in order.  One that is the same to the engine as a launch
 * simulated before it (equal digest of its portrait) is represented by that,
 * exactly.  One that runs the same program in blocks of the same shape and
 * whose every part lies close to those of a launch simulated before is
 * represented by the one that is closest; else it is simulated itself.
 * ("Leader" clustering; inter-launch sampling as in TBPoint, Huang et al.,
 * IPDPS 2014, which clusters by relative distances of such features.)
 *
 *   cycles = cycles of the representative x sqrt(a b), a and b as below
 *
 * The bound.  Let every part of the launch be between a and b times that of
 * its representative, a <= 1 <= b.  If time grows with every part, and no
 * faster than all of them together, the launch takes between a and b times as
 * long (not a times if a > 1: latencies stay what they are).  So the
 * estimate in their middle, sqrt(a b), is off by at most sqrt(b/a) - 1.  To
 * that comes a slack for what no part shows: where in memory the launch is,
 * which decides about channels, slices and sets of the caches, and the order
 * in which blocks of different length come.  (docs/sweep.md says how the slack
 * was found, and on which lists it was checked.)  A part that hardly
 * occurs may change by much and matter little, so 1/400 of the instructions is
 * added to both sides of the ratio of each total: what one instruction in 400
 * does takes less time than the bound's slack unless it is all that the chip
 * waits for.  The grid counts as the waves it takes and the blocks of the SM
 * that has most.
 */
#ifndef TEG_SIM_SAMPLE_CLUSTER_H
#define TEG_SIM_SAMPLE_CLUSTER_H

#include "sim/sample/portrait.h"
#include "sim/teg.h"

/* Of the cycles, for two launches that differ in no part: of any; what comes
 * to it where lanes use next to nothing of the sectors they move; and what
 * comes to it where a single warp is far longer than most, so that the launch
 * takes as long as that warp's accesses happen to. */
#define TEG_CLUSTER_SLACK     0.03
#define TEG_CLUSTER_SCATTERED 0.06
#define TEG_CLUSTER_LONELY    0.5
/* Largest bound at which a launch is represented, unless asked otherwise. */
#define TEG_CLUSTER_ERROR 0.05

struct teg_cluster_options {
    /* The bound holds on each of these chips. */
    const struct teg_gpu *const *gpu; /* [gpus], borrowed */
    uint32_t gpus;
    /* What the chips have room for may change: only launches of as many
     * blocks are alike. */
    int same_blocks;
    double error_most; /* 0: only launches that are the same */
};

/* By which launch one is represented. */
struct teg_represented {
    uint32_t by;        /* its number; the launch's own: it is simulated */
    int identical;      /* the same to the engine: exact */
    double similarity;  /* the part that differs most: 1 is alike, 0 is not */
    double scale;       /* of the representative's cycles */
    double error_bound; /* of the cycles, relative */
    uint32_t members;   /* launches of its cluster, the representative too */
};

/* Fills `out` [count].  A NULL portrait is of a launch that could not be read
 * or has nothing in common with any: simulated itself. */
void teg_clusters_find(const struct teg_portrait *const *portrait,
                       uint32_t count,
                       const struct teg_cluster_options *options,
                       struct teg_represented *out);

/* Of `m` represented by `r`; false if they are not of one kernel. */
int teg_cluster_compare(const struct teg_portrait *r,
                        const struct teg_portrait *m,
                        const struct teg_cluster_options *options,
                        struct teg_represented *out);

/* The statistics of a launch with `portrait` and the facts of `kernel`, from
 * those of its representative. */
void teg_cluster_statistics(const struct teg_statistics *of,
                            const struct teg_represented *r,
                            const struct teg_portrait *portrait,
                            const struct teg_kernel *kernel,
                            struct teg_statistics *s);

#endif
