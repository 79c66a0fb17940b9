/*
 * A line under one tag and its sectors: masks of four bits, as the constants
 * of config/gpu.h have it.
 */
#ifndef TEG_SIM_MEMORY_LINE_H
#define TEG_SIM_MEMORY_LINE_H

#include "config/gpu.h"

enum {
    SIM_SECTORS = TEG_LINE_BYTES / TEG_SECTOR_BYTES,
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
    return sim_count_sectors(sectors) * TEG_SECTOR_BYTES;
}

/* Sectors of a line that its bytes [from, to) touch; `whole`: that they fill. */
static inline uint32_t sim_line_sectors(uint64_t from, uint64_t to, int whole)
{
    uint64_t first, last;

    if (whole) {
        first = (from + TEG_SECTOR_BYTES - 1) / TEG_SECTOR_BYTES;
        last = to / TEG_SECTOR_BYTES;
    } else {
        first = from / TEG_SECTOR_BYTES;
        last = (to + TEG_SECTOR_BYTES - 1) / TEG_SECTOR_BYTES;
    }
    return last > first ? ((1u << last) - 1) & ~((1u << first) - 1) : 0;
}

/* The sectors of all aligned pieces of `bytes`, 32, 64 or 128, that have one of
 * `sectors`. */
static inline uint32_t sim_whole_pieces(uint32_t sectors, uint32_t bytes)
{
    if (bytes > TEG_SECTOR_BYTES)
        sectors |= (sectors & 5) << 1 | (sectors & 10) >> 1;
    if (bytes > 2 * TEG_SECTOR_BYTES)
        sectors |= (sectors & 3) << 2 | (sectors & 12) >> 2;
    return sectors;
}

#endif
