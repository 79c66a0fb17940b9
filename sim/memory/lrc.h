/*
 * The L2 request coalescer: copies of neighboring SMs that are one.
 *
 * Models: while a bulk or tensor copy has a line on its way to an SM, such
 * reads of no other sectors of it by SMs of the same group (GPC) join that: they
 * take no slice's time and are looked up nowhere, and their data are there with
 * it, but no sooner than a hit of L2 would be.  ("Processes incoming requests
 * for L2 and tries to coalesce read requests before forwarding them to the L2
 * cache", Nsight Compute's guide; NVIDIA's table of memory errors has it from
 * H100 on.  On a B200 copies of one tile by all blocks of a cluster fill shared
 * memory as fast as a multicast: SemiAnalysis26.  That groups are GPCs and what
 * the window is are inferred)
 * Leaves out: loads, which do not show it (gpu-benches' bandwidth of 1 MB that
 * all SMs read is L2's own); how much it can hold; what it does for writes.
 */
#ifndef TEG_SIM_MEMORY_LRC_H
#define TEG_SIM_MEMORY_LRC_H

#include "config/gpu.h"
#include "isa/base/number_map.h"

struct sim_lrc {
    const struct teg_gpu *gpu;    /* borrowed; outlives it */
    struct teg_number_map coming; /* cycle and sectors, by line and group */
    size_t most;                  /* entries, before those over are dropped */
};

void sim_lrc_init(struct sim_lrc *lrc, const struct teg_gpu *gpu);
void sim_lrc_release(struct sim_lrc *lrc);

/* A read of `sectors` of the line of that number by SM `sm`, at tick `at`: does it
 * join one?  `*ready` is then the cycle at which that one's data come. */
int sim_lrc_join(const struct sim_lrc *lrc, uint32_t sm, uint64_t line,
                 uint32_t sectors, uint64_t at, uint64_t *ready);
/* It has left its SM at tick `from`, gone on alone and comes back in cycle
 * `ready`.  Out of memory forgets it: a read less is joined, which the caller
 * cannot act on any better. */
void sim_lrc_enter(struct sim_lrc *lrc, uint32_t sm, uint64_t line,
                   uint32_t sectors, uint64_t ready, uint64_t from);

#endif
