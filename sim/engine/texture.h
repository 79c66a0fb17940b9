/*
 * Texture units: a warp's access to a texture or surface whose texels the trace
 * has.
 *
 * Models: the units take a quad of lanes in texture.quad_interval cycles, more
 * where the sample is of more texels than four or of wide channels
 * (sim/memory/texels.h), and the lines that are touched leave one after the
 * other as those of a load.  They are looked up in L1, or in a cache of their
 * own where the chip has one, and what misses goes the way of loads; the way
 * through the unit, which the class's latency says of a hit, comes on top.
 * Stores to surfaces are written through.
 * Leaves out: the stage of tags, which the unit shares with loads (tag_unit);
 * a limit of bytes outstanding (memory.in_flight_bytes).
 */
#ifndef TEG_SIM_ENGINE_TEXTURE_H
#define TEG_SIM_ENGINE_TEXTURE_H

#include "sim/engine/lsu.h"
#include "sim/engine/values.h"

/* Issues the access of the warp in `slot`, whose values are `v`; its unit
 * begins with it in cycle `start`.  Returns the plan whose request tells what
 * became of it, as far as is known. */
struct sim_plan *sim_texture_issue(struct sim_sm *sm, uint32_t slot,
                                   const struct sim_values *v, uint64_t start,
                                   struct sim_times *t);

#endif
