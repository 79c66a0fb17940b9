/* GPU descriptions made in a test, without a file. */
#ifndef TEG_TESTS_HELP_GPU_H
#define TEG_TESTS_HELP_GPU_H

#include "config/gpu.h"

/* One SM, one scheduler, one unit "alu" that takes an instruction a cycle;
 * every class: latency 10, interval 1, same warp 1.  No caches, one channel
 * without a limit, memory latency 100. */
void help_gpu_plain(struct teg_gpu *gpu);
/* Anything a description may say, small enough to be quick. */
void help_gpu_random(struct teg_gpu *gpu, uint64_t *state);

#endif
