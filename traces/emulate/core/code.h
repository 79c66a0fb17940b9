/*
 * The code of a launch: the kernel's, from pc 0, and behind it that of the
 * functions the linker keeps in sections of their own (nvcc -rdc=true, -G), at
 * addresses that are the same for every kernel of the cubin, so that a pointer
 * to one in memory is good for all.
 */
#ifndef TEG_TRACES_EMULATE_CORE_CODE_H
#define TEG_TRACES_EMULATE_CORE_CODE_H

#include "traces/emulate/core/module.h"

struct emu_code {
    uint8_t *bytes;    /* owned: addresses are put in */
    uint32_t insts;    /* of all */
    uint32_t own;      /* of the kernel, which come first */
    uint32_t *section; /* owned, [insts]: index of the cubin's kernel */
    uint64_t *pc;      /* owned, [insts] */
    uint32_t *first;   /* owned, [the cubin's kernels]: of the section, or
                          UINT32_MAX */
};

/* The kernel's code alone if nothing in it calls an address.  TEG_LIMIT: a
 * function has constants of its own, or all is too much. */
teg_status emu_code_init(struct emu_code *c, const struct emu_module *m,
                         uint32_t kernel, struct teg_diag *d);
void emu_code_release(struct emu_code *c);

/* Address of a symbol of the module for code of `kernel`; 0: there is none. */
uint64_t emu_code_address(const struct emu_module *m, uint32_t symbol,
                          uint32_t kernel);

#endif
