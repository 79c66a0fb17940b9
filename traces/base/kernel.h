/* One kernel launch: what is known of it besides its blocks' instructions. */
#ifndef TEG_TRACES_BASE_KERNEL_H
#define TEG_TRACES_BASE_KERNEL_H

#include "isa/base/notes.h"
#include "isa/inst/inst.h"

enum {
    TEG_WINDOW_BYTES = 1 << 24, /* of a space among generic addresses */
};

struct teg_kernel {
    char *name;            /* owned; "" if unknown */
    uint32_t grid[3];      /* blocks */
    uint32_t block[3];     /* threads */
    uint32_t cluster[3];   /* blocks that are launched together, one after the
                                other in the trace; 0: each by itself */
    uint32_t registers;    /* per thread; 0 = unknown */
    uint32_t shared_bytes; /* per block, static and dynamic */
    uint32_t carveout;     /* how much of an SM's shared memory the launch prefers
                                set aside for it, in percent and one more;
                                0: says nothing */
    uint32_t isa;          /* ten times the compute capability the code was
                                compiled for; 0 = unknown */
    uint64_t shared_base;  /* generic addresses from here on, for 16 MB, are
                                shared memory; 0 = none.  In a cluster the next
                                16 MB are that of the block of the next rank,
                                and so on, the first behind the last */
    uint64_t local_base;   /* the same for local memory */
    struct teg_program program;
    struct teg_notes notes; /* what the reader remarked; grows while read */
};

static inline uint64_t teg_kernel_blocks(const struct teg_kernel *k)
{
    return (uint64_t)k->grid[0] * k->grid[1] * k->grid[2];
}

/* Number of the block that stands at `at` in a grid: along x first. */
static inline uint64_t teg_grid_number(const uint32_t grid[3],
                                       const uint32_t at[3])
{
    return at[0] + (uint64_t)grid[0] * (at[1] + (uint64_t)grid[1] * at[2]);
}

/* Blocks of a cluster; 0 or 1: each by itself. */
static inline uint64_t teg_kernel_cluster(const struct teg_kernel *k)
{
    return (uint64_t)k->cluster[0] * k->cluster[1] * k->cluster[2];
}

static inline uint32_t teg_kernel_threads_per_block(const struct teg_kernel *k)
{
    return k->block[0] * k->block[1] * k->block[2];
}

static inline uint32_t teg_kernel_warps_per_block(const struct teg_kernel *k)
{
    return (teg_kernel_threads_per_block(k) + TEG_LANES - 1) / TEG_LANES;
}

/* Where a generic address lies among the shared memories of the cluster, each
 * of TEG_WINDOW_BYTES, its own first; UINT64_MAX: elsewhere. */
static inline uint64_t teg_kernel_in_shared(const struct teg_kernel *k,
                                            uint64_t address)
{
    uint64_t blocks = teg_kernel_cluster(k) > 1 ? teg_kernel_cluster(k) : 1;
    uint64_t at = address - k->shared_base;

    return k->shared_base != 0 && at < blocks * TEG_WINDOW_BYTES ? at
                                                                 : UINT64_MAX;
}

void teg_kernel_release(struct teg_kernel *k);

#endif
