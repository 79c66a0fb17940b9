/*
 * Opcode tables: from a mnemonic as listings and traces print it to its
 * operation class, memory space and register widths.
 *
 * One table serves all generations (opcode.def); a row holds for a range of
 * compute capabilities.  Look-up takes the longest row name that is the text
 * or a prefix of it ending before a '.', so "IMAD.WIDE.U32" finds "IMAD.WIDE"
 * and "IMAD.MOV.U32" finds "IMAD.MOV".
 */
#ifndef TEG_ISA_INST_OPCODE_H
#define TEG_ISA_INST_OPCODE_H

#include "isa/inst/inst.h"

/*
 * Registers as a trace or a listing names them, before widening, in the order
 * in which they are printed; numbers follow enum teg_register.  The zero
 * register (where teg_register_parse says -1) should be listed as
 * TEG_OPERAND_ZERO: it carries no dependence, but keeps the places of the
 * others, which is how a pair is told from a single register.
 */
enum {
    TEG_OPERAND_ZERO = 255
};

struct teg_operands {
    uint16_t dst[16], src[16];
    uint8_t dst_count, src_count;
};

/*
 * Fills class, space, width, flags, dst and src of `inst` from an opcode with
 * its modifiers ("LDG.E.128.SYS").  `cc` is ten times the compute capability
 * (13, 70, 86).  Registers a multi-word operand covers are added where the
 * trace lists only the first; predicates and uniform registers a trace does
 * not list are stood in for by TEG_REG_ANY_P and TEG_REG_ANY_UR
 * (docs/dependences.md says by which rules).  An unknown mnemonic gets
 * CLASS_IADD, or the class its first letters suggest, and INST_UNKNOWN.
 */
void teg_inst_from_opcode(struct teg_inst *inst, const char *opcode,
                          uint32_t cc, const struct teg_operands *operands);

/* The class of an instruction's text that its opcode's row names, TEG_CLASSES if
 * no row does. */
enum teg_op_class teg_text_class(const char *text, uint32_t cc);

/* The register number for "R12", "UR4", "P0", "UP1", "A1", "C0"; -1 for RZ,
 * PT, URZ, UPT and R255, which carry no dependence; -2 if it is none. */
int teg_register_parse(const char *text, size_t length);

/* Writes the name of register `number` ("R12"); returns `out`. */
const char *teg_register_name(uint16_t number, char out[8]);

#endif
