/*
 * The L2 request coalescer: reads of neighboring SMs that are one.
 *
 * Models: of the lines that SMs of a group (GPC) have read the last
 * `l2.join_lines` are known; while one of these is on its way, a read of no other
 * sectors of it by any SM of the group joins that: it takes no slice's time, is
 * looked up nowhere and has its data with the first one's, at a hit's latency at
 * least.  Loads of warps and bulk or tensor copies alike.  (NVIDIA, Nsight Compute
 * guide, `lrc`: processes requests for L2 and tries to coalesce reads before
 * forwarding them.  Its table of GPU memory errors: from H100 on.  How many lines:
 * tools/measure, H200, 1 MB that all SMs read; what else says so, and how near
 * it comes, is in docs/simulator.md)
 * Leaves out: that SMs drift apart, whose reads then find nothing to join; what it
 * does for writes.
 */
#ifndef TEG_SIM_MEMORY_LRC_H
#define TEG_SIM_MEMORY_LRC_H

#include "config/gpu.h"
#include "isa/base/number_map.h"

struct sim_lrc_read {
    uint64_t key; /* line and group; 0: none */
    uint64_t ready;
    uint32_t sectors;
};

struct sim_lrc {
    const struct teg_gpu *gpu;   /* borrowed; outlives it */
    struct sim_lrc_read *read;   /* owned, [gpcs][join_lines], in turn */
    uint32_t *next;              /* owned, [gpcs]: whose place is taken next */
    struct teg_number_map place; /* a key's last in `read`, or what it was */
};

/* Returns 0 out of memory. */
int sim_lrc_init(struct sim_lrc *lrc, const struct teg_gpu *gpu);
void sim_lrc_release(struct sim_lrc *lrc);

/* A read of `sectors` of the line of that number by an SM of `group`
 * (teg_gpu_group_of), at tick `at`: does it join one?  `*ready` is then the cycle at which that one's data come. */
int sim_lrc_join(const struct sim_lrc *lrc, uint32_t group, uint64_t line,
                 uint32_t sectors, uint64_t at, uint64_t *ready);
/* It has gone on alone and comes back in cycle `ready`.  Out of memory forgets
 * it: a read less is joined, which the caller cannot act on any better. */
void sim_lrc_enter(struct sim_lrc *lrc, uint32_t group, uint64_t line,
                   uint32_t sectors, uint64_t ready);

#endif
