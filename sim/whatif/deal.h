/*
 * A block's streams in segments, each up to a barrier, whose instructions are
 * dealt out anew: among the block's warps (even-warps), or in pieces among
 * blocks (more-blocks).  Barriers and ends stay where they are.
 */
#ifndef TEG_SIM_WHATIF_DEAL_H
#define TEG_SIM_WHATIF_DEAL_H

#include "sim/whatif/stream_change.h"

struct deal;

/* Whether warps of such a program meet elsewhere, at mbarriers or at what another
 * block writes: dealt out anew, some would wait for ever. */
int deal_meets_elsewhere(const struct teg_program *program);
/* What is in the segments of `block`, of `program`; both are borrowed.  The
 * caller frees `*deal`, NULL on failure. */
teg_status deal_new(struct teg_block *block, const struct teg_program *program,
                    struct deal **deal, struct teg_diag *d);
void deal_free(struct deal *deal); /* NULL: nothing */

/* Writes piece `piece` of `pieces` of every segment of every warp. */
void deal_piece(const struct deal *deal, uint32_t piece, uint32_t pieces,
                struct teg_block_builder *b);

#endif
