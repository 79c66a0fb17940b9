/*
 * The SMs as several launches have them, and how fast each then goes on: two
 * ways to say so, which whoever plays a program need not tell apart.
 *
 * Estimated (estimate.c) models: blocks take warps, registers, shared memory and
 * a place of an SM and keep them for as long as the block lasts.  A launch's
 * blocks go in turn to SMs that have room; those of the next launch come when
 * all of the one before have a place, of a launch with a higher priority first
 * (Amert et al. 2017, Gilman and Walls 2020).  All blocks of a launch progress
 * alike: those of a launch that has fewer places than alone faster, as far as
 * what they contend for lets them; what all launches want of a resource beyond
 * what there is, is shared so that none gets less than another that wants as
 * much.  A programmatic dependent launch comes when the one before has ended.
 * Leaves out: what SMs do not share evenly; caches; the clusters' groups.
 *
 * Exact (exact.c): the engine has all launches at once (sim/together.h).  Takes
 * as long as to simulate them.
 */
#ifndef TEG_SIM_PROGRAM_FLOOR_H
#define TEG_SIM_PROGRAM_FLOOR_H

#include "sim/program/program.h"

struct sim_floor_news {
    void *self;
    /* `after`: the task whose blocks made room, or let it come. */
    void (*started)(void *self, uint32_t task, double now, uint32_t after);
    void (*ended)(void *self, uint32_t task, double now);
    struct sim_program_watch watch;
};

struct sim_floor_launch {
    uint32_t task, number; /* of its kernel, as sim_program_play has them */
    const struct sim_program_kernel *kernel; /* borrowed while it is offered */
    double us;                               /* alone */
    int32_t priority;                        /* the lower goes first */
    uint32_t primary;  /* task it depends on programmatically, or NONE */
    uint32_t l1_bytes; /* as sim_program_task has it */
};

struct sim_floor {
    const struct sim_floor_kind *kind;
};

/* What a floor of either kind does. */
struct sim_floor_kind {
    void (*free)(struct sim_floor *floor);
    /* From `now` on it is to run. */
    teg_status (*add)(struct sim_floor *floor,
                      const struct sim_floor_launch *launch, double now,
                      struct teg_diag *d);
    /* Copies take that share of the DRAM from now on. */
    void (*copies)(struct sim_floor *floor, double share);
    /* A copy has written that. */
    void (*written)(struct sim_floor *floor, uint64_t address, uint64_t bytes);
    /* When something changes next, not after `limit`, before which nobody adds
     * anything. */
    teg_status (*next)(struct sim_floor *floor, double limit, double *at,
                       struct teg_diag *d);
    /* Lets time go on to `now`, not beyond that, and tells what ends and
     * starts. */
    teg_status (*advance)(struct sim_floor *floor, double now,
                          struct teg_diag *d);
};

teg_status sim_floor_estimated(const struct teg_gpu *gpu, int infinite,
                               const struct sim_floor_news *news,
                               struct sim_floor **floor, struct teg_diag *d);
/* `source` is borrowed.  [kernels] of its launches may come. */
teg_status sim_floor_exact(const struct teg_gpu *gpu,
                           const struct sim_program_source *source,
                           const struct sim_floor_news *news,
                           struct sim_floor **floor, struct teg_diag *d);

#endif
