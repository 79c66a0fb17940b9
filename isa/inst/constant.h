/*
 * Constants that an instruction names itself: c[bank][byte], as an operand of
 * arithmetic or of a constant load.
 */
#ifndef TEG_ISA_INST_CONSTANT_H
#define TEG_ISA_INST_CONSTANT_H

#include <stdint.h>

/* Whether the text ("FADD R1, R2, c[0x0][0x160]") names a constant at a known
 * place; `*address` is then where traces say it is: bank << 32 | byte of the
 * bank.  One that a register indexes ("c[0x3][R4]"), or whose bank a register
 * names ("cx[UR4][0x0]"), has no known place. */
int teg_text_constant(const char *text, uint64_t *address);

static inline uint32_t teg_constant_bank(uint64_t address)
{
    return (uint32_t)(address >> 32);
}

#endif
