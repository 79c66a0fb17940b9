/*
 * Which sectors are among the last that a row was asked for: of an SM's stores
 * (parts.h), of a warp's (merge.h).  A sector that is there takes no new place.
 */
#ifndef TEG_SIM_MEMORY_RECENT_H
#define TEG_SIM_MEMORY_RECENT_H

#include <stdint.h>

/* Of the line at `address` those of `sectors` that are among the last `room`,
 * which `row` has and `*count` of which have ever come; the others come. */
uint32_t sim_recent_sectors(uint64_t *row, uint32_t room, uint64_t *count,
                            uint64_t address, uint32_t sectors);

#endif
