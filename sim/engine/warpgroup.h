/*
 * Warp groups: four warps of a block, by number, that multiply together.
 *
 * Models: a warp that arrives for products waits until all warps of its group
 * have that have not ended, so these are never further apart than the products
 * between two arrivals; and the four tensor cores take products in one order:
 * what one warp of a group has begun its others issue before any warp, of this
 * group or another, issues the next.
 * (PTX ISA: wgmma is of all four warps, and one thread may tell that its group
 * has read a tile.  The four tensor cores share the reads of B, which for each
 * alone would take longer than the product.  How they keep together is inferred.)
 * Leaves out: what meeting costs beyond the last one's arrival; a product begins
 * in each warp's tensor core for itself.
 */
#ifndef TEG_SIM_ENGINE_WARPGROUP_H
#define TEG_SIM_ENGINE_WARPGROUP_H

#include <stdint.h>

struct sim_sm;
struct sim_warp;

/* The warp has arrived in cycle `now` and stands in front of its next
 * instruction: it waits there, unless it is the last of its group. */
void sim_warpgroup_arrive(struct sim_sm *sm, struct sim_warp *w, uint64_t now);
/* The warp has ended: others may have waited for it only. */
void sim_warpgroup_leave(struct sim_sm *sm, const struct sim_warp *w,
                         uint64_t now);

/* From when on the tensor cores take a product of the warp; SIM_NEVER while they
 * have to take others' before, who then wake its scheduler. */
uint64_t sim_warpgroup_product_at(const struct sim_sm *sm,
                                  const struct sim_warp *w);
/* The warp issues a product in cycle `now`. */
void sim_warpgroup_multiply(struct sim_sm *sm, const struct sim_warp *w,
                            uint64_t now);

#endif
