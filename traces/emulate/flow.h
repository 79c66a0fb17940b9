/*
 * Control flow of the emulator: divergence, barriers, and running the warps of
 * a block in turn.
 */
#ifndef TEG_TRACES_EMULATE_FLOW_H
#define TEG_TRACES_EMULATE_FLOW_H

#include "traces/emulate/warp.h"

/* The kind of control instruction of that name, 0 if it is none. */
uint8_t emu_flow_control(const char *name);

/* Runs a block from its first instruction; `b->status` tells how it went. */
void emu_block_run(struct emu_block *b);

#endif
