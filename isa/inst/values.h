/* What cannot be timed where a trace lacks values (values.def). */
#ifndef TEG_ISA_INST_VALUES_H
#define TEG_ISA_INST_VALUES_H

#include "isa/base/notes.h"
#include "isa/inst/inst.h"

/* Blocks of a launch that wait for each other do so by stores and atomics that
 * pass L1 by (strong operations of PTX's memory model) and loads that do: is it
 * any of them? */
static inline int teg_values_pass_l1(const struct teg_inst *inst)
{
    return (inst->flags & INST_BYPASS_L1) != 0 &&
           (inst->space == SPACE_GLOBAL || inst->space == SPACE_GENERIC);
}

/* One of the former, which VALUES_AWAITED counts? */
static inline int teg_values_tells(const struct teg_inst *inst)
{
    return (inst->flags & (INST_STORE | INST_ATOMIC)) != 0 &&
           teg_values_pass_l1(inst);
}

/* One of the latter? */
static inline int teg_values_may_await(const struct teg_inst *inst)
{
    return (inst->flags & (INST_STORE | INST_ATOMIC)) == 0 &&
           (inst->flags & INST_LOAD) != 0 && teg_values_pass_l1(inst) &&
           inst->values == VALUES_NONE;
}

enum { /* of a VALUES_AWAITED: from this bit on... */
    TEG_AWAITED_WARP = 26,
    TEG_AWAITED_BLOCK = 32, /* ...its number + 1 */
};

/* What the `n`-th of the warp's stores and atomics past L1, counted from 1, is
 * called there. */
static inline uint64_t teg_awaited(uint64_t block, uint32_t warp, uint32_t n)
{
    return (block + 1) << TEG_AWAITED_BLOCK |
           (uint64_t)warp << TEG_AWAITED_WARP |
           (n & ((1u << TEG_AWAITED_WARP) - 1));
}

/* Do blocks of the program's launches wait for each other, as far as a trace
 * tells? */
int teg_program_awaits(const struct teg_program *program);

/* Notes what is left out if executions of the instruction of that text should
 * have values and have none. */
void teg_values_note(struct teg_notes *notes, const struct teg_inst *inst,
                     const char *text, const char *where);

#endif
