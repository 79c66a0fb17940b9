/*
 * A block's streams in segments, each up to a barrier, whose instructions are
 * dealt out anew: among the block's warps (even-warps), or in pieces among
 * blocks (more-blocks).  Barriers and ends stay where they are.
 */
#ifndef TEG_SIM_WHATIF_DEAL_H
#define TEG_SIM_WHATIF_DEAL_H

#include "sim/whatif/stream_change.h"

/* Writes piece `piece` of `pieces` of every segment of every warp. */
teg_status deal_piece(struct teg_block *from, const struct teg_program *program,
                      uint32_t piece, uint32_t pieces,
                      struct teg_block_builder *b, struct teg_diag *d);

#endif
