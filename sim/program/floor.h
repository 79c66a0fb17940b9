/*
 * The SMs as several launches have them, and how fast each then goes on.
 *
 * Models: blocks take warps, registers, shared memory and a place of an SM and
 * keep them for as long as the block lasts.  A launch's blocks go in turn to
 * SMs that have room; those of the next launch come when all of the one before
 * have a place, of a launch with a higher priority first (Amert et al. 2017,
 * Gilman and Walls 2020).  All blocks of a launch progress alike: those of a launch that has fewer
 * places than alone faster, as far as what they contend for lets them; what
 * all launches want of a resource beyond what there is, is shared so that none
 * gets less than another that wants as much.
 * Leaves out: what SMs do not share evenly; caches; the clusters' groups.
 */
#ifndef TEG_SIM_PROGRAM_FLOOR_H
#define TEG_SIM_PROGRAM_FLOOR_H

#include "sim/program/program.h"

struct sim_floor;

struct sim_floor_news {
    void *self;
    void (*started)(void *self, uint32_t task, double now, uint32_t after);
    void (*ended)(void *self, uint32_t task, double now);
};

teg_status sim_floor_new(const struct teg_gpu *gpu, int infinite,
                         const struct sim_floor_news *news,
                         struct sim_floor **floor, struct teg_diag *d);
void sim_floor_free(struct sim_floor *floor);
/* From `now` on `task` is to run, which alone takes `us`. */
teg_status sim_floor_add(struct sim_floor *floor, uint32_t task,
                         const struct sim_program_kernel *kernel, double us,
                         int32_t priority, double now, struct teg_diag *d);
/* Copies take that share of the DRAM from now on. */
void sim_floor_copies(struct sim_floor *floor, double share);
/* When something changes next, INFINITY: never. */
double sim_floor_next(const struct sim_floor *floor);
/* Lets time go on to `now`, not beyond sim_floor_next, and tells what ends and
 * starts. */
teg_status sim_floor_advance(struct sim_floor *floor, double now,
                             struct teg_diag *d);

#endif
