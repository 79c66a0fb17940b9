/*
 * What a thread's other stores write beside a store, as far as the program
 * tells: stores of a straight run of instructions through the same register,
 * which differ in their offsets alone, none elsewhere in between.
 */
#ifndef TEG_ISA_INST_NEARBY_H
#define TEG_ISA_INST_NEARBY_H

#include "isa/inst/inst.h"

enum {
    TEG_NEARBY_BYTES = 32, /* on either side that are looked at: a sector */
};

/* Bit i: byte i - TEG_NEARBY_BYTES from where the store begins is written.  Sets
 * `nearby` of the stores of a program that will not grow. */
void teg_program_find_nearby(struct teg_program *p);

#endif
