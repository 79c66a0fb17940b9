/*
 * Lines and sectors: what a tag stands for and what moves at a time.
 *
 * Constants and no keys of a description: all chips described that have a
 * cache, Fermi and later, keep 128 bytes under a tag in L1 and L2 alike and
 * fetch 32 of them at a time (CUDA C Programming Guide, compute capability
 * 2.x: lines of 128 bytes, transactions of L2 of 32).  Masks of four sectors
 * and of 32 words are built on it.
 */
#ifndef TEG_SIM_MEMORY_LINE_H
#define TEG_SIM_MEMORY_LINE_H

#include <stdint.h>

enum {
    SIM_LINE_BYTES = 128,
    SIM_SECTOR_BYTES = 32,
    SIM_SECTORS = SIM_LINE_BYTES / SIM_SECTOR_BYTES,
    SIM_ALL_SECTORS = (1 << SIM_SECTORS) - 1,
};

/* Of a mask of a line's sectors. */
static inline uint32_t sim_count_sectors(uint32_t sectors)
{
    static const uint8_t bits[1 << SIM_SECTORS] = {0, 1, 1, 2, 1, 2, 2, 3,
                                                   1, 2, 2, 3, 2, 3, 3, 4};

    return bits[sectors & SIM_ALL_SECTORS];
}

static inline uint32_t sim_sectors_bytes(uint32_t sectors)
{
    return sim_count_sectors(sectors) * SIM_SECTOR_BYTES;
}

#endif
