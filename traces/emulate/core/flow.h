/*
 * Control flow of the emulator: divergence, barriers, and running the warps of
 * a gang of blocks in turn.
 */
#ifndef TEG_TRACES_EMULATE_CORE_FLOW_H
#define TEG_TRACES_EMULATE_CORE_FLOW_H

#include "traces/emulate/core/warp.h"

/* Runs the blocks of a gang at once, from their first instruction.  The status
 * of the block that failed, if one did. */
teg_status emu_gang_run(struct emu_gang *g);

/* The same in parts, for a gang whose clusters begin and end on their own
 * (share.h). */

/* From its first instruction, at that time. */
void emu_block_begin(struct emu_block *b, uint64_t clock);
/* Runs the blocks of a cluster, by its first, warps in turn: until nobody gets on
 * who does not stand in front of a fetch, or one spins, perhaps for what another
 * cluster does.  Returns whether one ran at all; a block's status tells of a
 * fault. */
int emu_cluster_run(struct emu_block *first);
/* The block has ended, or nobody gets on any more, which is a fault. */
teg_status emu_block_end(struct emu_block *b);

#endif
