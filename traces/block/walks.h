/*
 * Blocks whose warps walk the program alike: the same instructions with the same
 * lanes, wherever in memory.  What is found out of one that goes by its walks alone
 * is known of the others, and what is made of its walks can be put in front of
 * their records.
 */
#ifndef TEG_TRACES_BLOCK_WALKS_H
#define TEG_TRACES_BLOCK_WALKS_H

#include "traces/block/block.h"

/* Whether the blocks, both of one launch, have as many warps which do so; of blocks
 * that come from different writers it may be overlooked. */
int teg_block_walk_alike(const struct teg_block *a, const struct teg_block *b);

/* Makes a block of `program` with the position and the records of `from` whose
 * warps walk as those of `walker` do: they must have records of the same
 * instructions, for the same lanes, in the same order.  `*block` is the
 * caller's. */
teg_status teg_block_walk_as(const struct teg_block *walker,
                             const struct teg_block *from,
                             const struct teg_program *program,
                             struct teg_block **block, struct teg_diag *d);

#endif
