/* How many blocks of a launch an SM can hold, and what forbids one more. */
#ifndef TEG_CONFIG_OCCUPANCY_H
#define TEG_CONFIG_OCCUPANCY_H

#include "config/gpu.h"

enum teg_occupancy_limit {
    OCCUPANCY_BLOCKS, /* resident blocks of an SM */
    OCCUPANCY_WARPS,  /* resident warps or threads */
    OCCUPANCY_REGISTERS,
    OCCUPANCY_SHARED,
    OCCUPANCY_GRID, /* fewer blocks than places */
    TEG_OCCUPANCY_LIMITS
};

struct teg_occupancy {
    uint32_t places;        /* blocks that fit an SM by its resources */
    uint32_t blocks_per_sm; /* as many, or what a small grid has for it */
    uint32_t warps_per_sm;  /* blocks_per_sm x warps of a block */
    enum teg_occupancy_limit limit;
    /* Of the memory that L1 and shared memory divide: what is set aside for
     * shared memory (0 where they do not), and what L1 has left. */
    uint32_t carveout_bytes, l1_bytes;
};

/* What a launch asks of an SM for each of its blocks. */
struct teg_block_asks {
    uint32_t threads;
    uint32_t registers; /* per thread; 0: unknown, does not limit */
    uint32_t shared_bytes;
    uint32_t carveout; /* of an SM's shared memory, in percent and one more, how
                            much the launch prefers set aside; 0: says nothing */
};

/* What a block takes of an SM, as it is set aside. */
struct teg_block_needs {
    uint32_t warps, registers, shared_bytes;
};

const char *teg_occupancy_limit_name(enum teg_occupancy_limit limit);

/*
 * TEG_LIMIT if not even one block fits.
 * (The rules of the vendor's occupancy calculator: registers rounded per block
 * on compute capability 1.x; per warp, over the sub-partitions of the register
 * file, from 2.0 on.  The carve-out is the least that does not take a block
 * away: what the driver chooses unless told otherwise.  A launch that says how
 * much it prefers has the least that holds as much, and one block; more blocks
 * than that holds are not resident.)
 */
teg_status teg_occupancy(const struct teg_gpu *gpu,
                         const struct teg_block_asks *asks,
                         struct teg_occupancy *occupancy, struct teg_diag *d);

void teg_block_needs(const struct teg_gpu *gpu, uint32_t threads,
                     uint32_t registers, uint32_t shared_bytes,
                     struct teg_block_needs *needs);
/* Lowers them to what lets `places` blocks be on an SM: where the rules count
 * otherwise than block by block, as many are there alone. */
void teg_block_needs_fit(const struct teg_gpu *gpu, uint32_t places,
                         struct teg_block_needs *needs);

#endif
