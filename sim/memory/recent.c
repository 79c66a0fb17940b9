#include "sim/memory/recent.h"

#include "isa/base/minmax.h"
#include "sim/memory/line.h"

/* The places that are taken are the first ones, or all. */
static int is_there(uint64_t *row, uint32_t room, uint64_t *count,
                    uint64_t number)
{
    uint64_t taken = teg_min(*count, (uint64_t)room);

    for (uint64_t i = 0; i < taken; i++)
        if (row[i] == number)
            return 1;
    row[(*count)++ % room] = number;
    return 0;
}

uint32_t sim_recent_sectors(uint64_t *row, uint32_t room, uint64_t *count,
                            uint64_t address, uint32_t sectors)
{
    uint32_t there = 0;

    for (uint32_t s = 0; room != 0 && sectors >> s != 0; s++)
        if ((sectors >> s & 1) &&
            is_there(row, room, count, address / TEG_SECTOR_BYTES + s))
            there |= 1u << s;
    return there;
}
