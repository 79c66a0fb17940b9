/*
 * What a warp's access to a texture or surface asks of memory: the lines of the
 * texels that its lanes touch, and how long it keeps the texture units.
 *
 * Models: lanes go through the units by fours (quads), one bilinear sample a
 * lane and cycle of a unit; a sample of eight texels is two, one of a texel wider
 * than texture.texel_bytes several, texture.wide_filter if it is filtered.
 * Leaves out: what lines of one quad, or banks, cost beyond the lines of the
 * request; anisotropy; compressed formats.
 */
#ifndef TEG_SIM_MEMORY_TEXELS_H
#define TEG_SIM_MEMORY_TEXELS_H

#include "sim/memory/plan.h"

/* Works out the access with these values (VALUES_TEXELS), of at least one
 * active lane; request.passes: passes of quads through a unit per lane. */
void sim_plan_texels(struct sim_plan *plan, const struct teg_gpu *gpu,
                     uint32_t inst_flags, uint32_t mask,
                     const struct teg_access *value);

#endif
