/*
 * What a trace has of an instruction besides addresses: which values
 * (isa/inst/values.def), and where the executing function leaves them.
 */
#ifndef TEG_TRACES_EMULATE_CORE_VALUES_H
#define TEG_TRACES_EMULATE_CORE_VALUES_H

#include "traces/emulate/core/operand.h"

/* Sets what values executions of `op` have, and which way a bulk copy goes.
 */
void emu_values_set(const struct emu_op *op, struct teg_inst *inst);

/* Value `v` of lane `l` of the instruction being executed. */
static inline void emu_value(struct emu_warp *w, unsigned v, int l,
                             uint64_t value)
{
    w->value[v][l] = value;
}

/* The same of all lanes. */
static inline void emu_value_all(struct emu_warp *w, unsigned v, uint64_t value)
{
    for (int l = 0; l < EMU_LANES; l++)
        w->value[v][l] = value;
}

#endif
