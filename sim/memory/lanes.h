/*
 * Masks of a warp's lanes.
 */
#ifndef TEG_SIM_MEMORY_LANES_H
#define TEG_SIM_MEMORY_LANES_H

#include "traces/block/cursor.h"

enum {
    SIM_LANE_BYTES = 32, /* of the widest plain access: LDG.256, STG.256 of
                            Blackwell */
};

/* Of a mask that is not 0. */
static inline uint32_t sim_first_lane(uint32_t mask)
{
    return (uint32_t)__builtin_ctz(mask);
}

static inline uint32_t sim_count_lanes(uint32_t mask)
{
    return mask == UINT32_MAX ? TEG_LANES : (uint32_t)__builtin_popcount(mask);
}

#endif
