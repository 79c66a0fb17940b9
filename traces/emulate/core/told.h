/*
 * What blocks of a launch tell each other through memory: which store or atomic
 * past L1 a load past L1 sees, for the trace (VALUES_AWAITED).
 *
 * Leaves out: what plain stores write and plain loads read (a program that
 * waits so has no promise that it ends), and warps of one block, which have
 * barriers.
 */
#ifndef TEG_TRACES_EMULATE_CORE_TOLD_H
#define TEG_TRACES_EMULATE_CORE_TOLD_H

#include "isa/base/number_map.h"
#include "traces/emulate/core/warp.h"

struct emu_told {
    /* By word of 4 bytes, its number + 1: which of `name` began the last row of
     * writes there by one block; where an access begins, not how far it goes. */
    struct teg_number_map last;
    uint64_t *name; /* owned, [count]: stores and atomics, as VALUES_AWAITED has
                       them, in the order in which they were executed */
    size_t count, capacity;
    int failed; /* out of memory */
};

void emu_told_release(struct emu_told *told);

/* Marks those of the kernel's instructions that tell and may await, if there
 * are both; returns whether. */
int emu_told_find(struct emu_op *op, struct teg_inst *inst, uint32_t insts);

/* The instruction so marked has made its access, for the lanes of `mask`. */
void emu_told_note(struct emu_warp *w, const struct emu_op *op, uint32_t mask);

#endif
