/*
 * L2: slices chosen by address, and, on chips whose L2 is two halves, the copies
 * that each half keeps of the other's lines.
 *
 * Models: a slice is held for the time its bytes take, longer for less than a
 * line, shorter for what it has just served, longer for sectors written in part
 * and for the steps of atomics; lines are written back when evicted, or when
 * more of their set are dirty than may be, which whoever needs the frame or
 * writes waits for; what is missing comes from DRAM, in aligned pieces.  With
 * halves a line belongs to the half of its slice, even or odd.  A load from the
 * other side asks the slice beside it on its own side, which keeps a copy of
 * whatever was read there, among its own lines; what that has not comes over a
 * link.  ("Each L2 partition caches data for memory accesses from SMs in the GPCs
 * directly connected to the partition", A100 whitepaper; gpu-benches' latency over
 * footprint on A100 has a step at half of L2 and one at its end.)
 * With l2.far_passes_near what goes to the other half takes time on both sides,
 * as it is counted on both by hardware (lts__t_sectors on an H200: 1.5 of each
 * sector stored, 2 of a sector read once by each half).
 * Leaves out: stale copies, for stores and atomics go to where the line belongs;
 * what these take of the link.
 */
#ifndef TEG_SIM_MEMORY_L2_H
#define TEG_SIM_MEMORY_L2_H

#include "sim/memory/cache.h"
#include "sim/memory/divisor.h"
#include "sim/memory/dram.h"
#include "sim/memory/line.h"
#include "sim/memory/lrc.h"
#include "sim/memory/passed.h"
#include "sim/memory/slices.h"

enum {
    SIM_HALVES = 2
};

/* Where a line lies: the set, of those of all slices. */
struct sim_l2_place {
    uint32_t slice, set;
};

/* What a slice was asked for last. */
struct sim_l2_load {
    uint64_t line;
    uint32_t sectors; /* 0: it was no load, or nothing yet */
};

struct sim_l2 {
    const struct teg_gpu *gpu; /* borrowed; outlives it */
    struct sim_dram *dram;     /* borrowed; outlives it */
    struct sim_queue *slice;   /* owned, [l2.slices] */
    struct sim_cache *cache;   /* owned; NULL: the chip has no L2 */
    struct sim_l2_load *last;  /* owned, [l2.slices] */
    struct sim_queue far_link;
    struct sim_lrc lrc; /* asked if l2.join_lines */
    uint32_t slices;
    struct sim_slices place;
    struct sim_divisor by_sets;
    int halves;                     /* it has two */
    uint64_t lines;                 /* that it holds */
    uint64_t sets;                  /* of a slice */
    uint32_t most_dirty;            /* ways of a set */
    uint32_t latency[SIM_HALVES];   /* near, far */
    int32_t dram_apart[SIM_HALVES]; /* from dram.latency */
    uint64_t rate, far_rate;
    uint64_t request_ticks[SIM_SECTORS + 1]; /* of a slice, by sectors */
    uint64_t repeat_ticks;  /* at most, of a load like the last */
    uint64_t fill_ticks;    /* of a sector that DRAM brings */
    uint64_t partial_ticks; /* besides, of a sector written in part */
    uint64_t atomic_ticks[ATOMIC_STEPS]; /* of a step */
    uint64_t update_ticks[2];            /* of a sector: of integers, floats */
    uint64_t atomic_lines; /* of which one slice carries out all atomics */
    uint64_t *atomic_held; /* owned, [l2.slices]: ticks of all steps */
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

/* SM `sm` asks the line for `sectors` without a clock: it reads, writes, or, both, has
 * them updated where they are. */
void sim_l2_pass(struct sim_l2 *l2, uint32_t sm, uint64_t line,
                 uint32_t sectors, int writes, int reads, struct sim_passed *p);

/* The line at `address` is about to be taken through L2, which there must be:
 * returns where it lies. */
struct sim_l2_place sim_l2_expect(const struct sim_l2 *l2, uint64_t address);
/* Takes `sectors` of the line at `address`, which lies there, through L2 and on
 * to DRAM for what it lacks. */
void sim_l2_visit(struct sim_l2 *l2, uint32_t sm, struct sim_way *w,
                  uint64_t address, struct sim_l2_place place, uint32_t sectors,
                  struct sim_request *r);

#endif
