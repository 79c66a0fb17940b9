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

#endif
