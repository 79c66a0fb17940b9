/*
 * What-ifs that change the GPU description.  Each works on a copy and cannot
 * fail.
 */
#ifndef TEG_SIM_WHATIF_GPU_CHANGE_H
#define TEG_SIM_WHATIF_GPU_CHANGE_H

#include "config/gpu.h"

typedef void gpu_change(struct teg_gpu *gpu);

gpu_change gpu_change_no_bank_conflicts;
/* Neither shared memory nor L2 has lanes of a request wait for each other's
 * word.  Requests of other warps still follow one another. */
gpu_change gpu_change_no_atomic_conflicts;
/* The same, and a word is updated as fast as it is stored. */
gpu_change gpu_change_free_atomics;
gpu_change gpu_change_no_constant_conflicts;
gpu_change gpu_change_no_register_conflicts;
gpu_change gpu_change_coalesced;
gpu_change gpu_change_no_channel_skew;
gpu_change gpu_change_no_instruction_misses;
gpu_change gpu_change_no_constant_misses;
/* L1, L2 and DRAM answer in a quarter of the time, as if a warp had four times
 * as many loads in flight.  What units and channels can move stays. */
gpu_change gpu_change_more_loads;
/* L1, L2 and DRAM answer after an integer add's latency, further transactions
 * of a request included.  What units and channels can move stays. */
gpu_change gpu_change_no_memory_latency;
/* Cluster pipeline, L2 slices and DRAM channels take any number of bytes at
 * once.  The load/store unit is still held per transaction. */
gpu_change gpu_change_unlimited_bandwidth;
/* On a chip without L1 the cache is as fast as its shared memory.  Nothing
 * leaves the SM, so nothing is outstanding either. */
gpu_change gpu_change_perfect_cache;
/* The chip's warps and threads are what limits an SM.  L1 keeps its part of the
 * memory that it shares with shared memory. */
gpu_change gpu_change_full_occupancy;
gpu_change gpu_change_no_tail;
gpu_change gpu_change_no_dispatch;
gpu_change gpu_change_no_fences;
/* Registers are tracked in hardware: for streams whose control codes, which
 * carry dependences too, were taken away. */
gpu_change gpu_change_register_tracking;
gpu_change gpu_change_no_same_warp_gap;

/* Twice as many instances of unit number `unit`. */
void gpu_change_double_unit(struct teg_gpu *gpu, uint32_t unit);

#endif
