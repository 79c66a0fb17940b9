/* Control instructions of the emulator: jumps, calls, and who waits for whom. */
#ifndef TEG_TRACES_EMULATE_CORE_CONTROL_H
#define TEG_TRACES_EMULATE_CORE_CONTROL_H

#include "traces/emulate/core/warp.h"

enum emu_control {
    CONTROL_NONE,
    CONTROL_BRA,
    CONTROL_CALL,
    CONTROL_CALL_ABS,
    CONTROL_JUMP, /* to a register: BRX, RET, CALL */
    CONTROL_JUMP_ABS,
    CONTROL_EXIT,
    CONTROL_BSSY,
    CONTROL_BSYNC,
    CONTROL_BREAK,
    CONTROL_PART,
    CONTROL_WARPSYNC,
    CONTROL_BAR,
    CONTROL_POLL,  /* other warps may be what it waits for */
    CONTROL_YIELD, /* so may they here, and lanes of its own */
    CONTROL_SLEEP, /* the same */
    CONTROL_CLUSTER_ARRIVE,
    CONTROL_CLUSTER_WAIT,
    CONTROL_PRODUCTS, /* of a warp group, all four of whose warps take part */
    /* No jumps, but where blocks meet (share.h): */
    CONTROL_FETCH, /* the warp stands here until it is the next */
    CONTROL_LOOK,  /* the same, in front of a load that polls */
    CONTROL_SWAP,  /* the same, in front of a swap that is tried again */
    CONTROL_ASK,   /* other blocks may be what it waits for */
};

/* The kind of control instruction of that name, 0 if it is none. */
uint8_t emu_control_of(const char *name);

/* Executes one of any kind but BRA, BSSY and the last four; the lanes' pcs stand behind it
 * already.  Returns the lanes it did something for, which is what a trace
 * shows. */
uint32_t emu_control_run(struct emu_warp *w, const struct emu_op *op,
                         uint32_t mask);

#endif
