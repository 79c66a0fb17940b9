/*
 * The code of a kernel, decoded: what of a launch depends on nothing but its
 * module.  A module keeps it from a launch of the kernel to the next, for a
 * program may launch a small one thousands of times.
 */
#ifndef TEG_TRACES_EMULATE_CORE_PREPARED_H
#define TEG_TRACES_EMULATE_CORE_PREPARED_H

#include "isa/base/notes.h"
#include "traces/emulate/core/code.h"
#include "traces/emulate/core/warp.h"

struct emu_prepared {
    struct emu_code linked;
    struct emu_op *op;            /* owned, [linked.insts] */
    struct teg_program program;   /* what a trace says of them */
    struct teg_notes notes;       /* on it */
    uint32_t registers, uniforms; /* rows that they name */
    int has_tensor_memory;
    int awaits;  /* blocks tell each other: told.h */
    int fetches; /* code takes work from a counter: share.h */
    int polls;   /* code waits for what other blocks write: the same */
    int swaps;   /* code tries again to swap words of global memory: the same */
    int retries; /* on shared memory: warps of a block fail each other's swaps */
    int plain;   /* for machines without vectors */
    int is_whole;
};

/* Fills `p` with the code of that kernel of the module's cubin: what the last
 * launch gave back, or decoded.  It is given back or released also after a
 * failure. */
teg_status emu_prepared_take(struct emu_prepared *p, const struct emu_module *m,
                             uint32_t kernel, int plain, struct teg_diag *d);
/* To the module, for the next launch, if there is room for it. */
void emu_prepared_give(struct emu_prepared *p, const struct emu_module *m,
                       uint32_t kernel);
void emu_prepared_release(struct emu_prepared *p);
/* Releases all that the module keeps. */
void emu_prepared_forget(struct emu_module *m);

#endif
