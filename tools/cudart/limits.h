/* What the GPU's description allows a launch. */
#ifndef TEG_TOOLS_CUDART_LIMITS_H
#define TEG_TOOLS_CUDART_LIMITS_H

#include "tools/cudart/registry.h"

/* Bytes of shared memory that a block gets without and with asking. */
uint32_t shared_default(const struct teg_gpu *gpu);
uint32_t shared_most(const struct teg_gpu *gpu);
/* Bytes that a launch of it may have beside what the kernel has itself: what
 * was asked for, or what is there without asking. */
uint32_t dynamic_shared_most(const struct runtime *r, const struct function *f);

/* Numbers of enum cudaFuncCache. */
enum cache_preference {
    CACHE_NONE,
    CACHE_SHARED,
    CACHE_L1,
    CACHE_EQUAL,
    CACHE_PREFERENCES
};
/* How much of an SM's shared memory launches of it prefer set aside, as of a
 * struct teg_kernel: what the kernel's attribute says, else its preference,
 * else the device's. */
uint32_t carveout_of(const struct runtime *r, const struct function *f);
/* Blocks of `threads` that an SM holds; 0 if none fits, or may be launched.  `carveout`: of the
 * launch; 0: carveout_of. */
uint32_t blocks_per_sm(const struct runtime *r, const struct function *f,
                       uint32_t threads, size_t dynamic, uint32_t carveout);
/* Threads that a block of it may have at most: by the GPU, by what the kernel
 * was compiled for and by its registers. */
uint32_t threads_most(const struct runtime *r, const struct function *f);
/* Blocks that a cluster of the kernel may have at most; 0: the GPU has none. */
uint32_t cluster_most(const struct runtime *r, const struct function *f);

/* Whether the GPU has clusters. */
int has_clusters(const struct teg_gpu *gpu);

#endif
