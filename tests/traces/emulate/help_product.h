/*
 * D = A B + C of m x 8 x k, one element after the other, from the tables and
 * figures of the PTX ISA ("Matrix Fragments for mma", "Matrix Fragments for
 * sparse mma"), in exact arithmetic.  It goes by an instruction's text, so it
 * serves SASS and PTX, and shares nothing with the emulator.
 */
#ifndef TEG_TESTS_TRACES_EMULATE_HELP_PRODUCT_H
#define TEG_TESTS_TRACES_EMULATE_HELP_PRODUCT_H

#include <stdint.h>

#include "tests/traces/emulate/help_exact.h"

enum {
    PRODUCT_LANES = 32,
    PRODUCT_WORDS = 8, /* registers of an operand, at most */
    PRODUCT_NAME = 8
};

struct product {
    int m, k;
    char a[PRODUCT_NAME], b[PRODUCT_NAME]; /* "F16", "S4", "XOR" (bits) ... */
    char d[PRODUCT_NAME];                  /* "F16", "F32", "F64", "S32" */
    int is_sparse, selector, saturates;
    int negates_a, negates_b;
    int scales; /* of a row of A, a column of B; 0: none */
    int scale_is_e4m3;
    int byte_a, pair_a, byte_b, lane_b; /* which lanes and bytes have them */
};

/* Reads "HMMA.SP.16832.F32.BF16", "QMMA.SF.16832.F32.E4M3.E2M1.E8" and their
 * like.  Returns 0 if the text is of no
 * product that PTX has. */
int product_of(const char *opcode, struct product *p);

/* An element of the type ("BF16", "E4M3", "S8") and its bits, 0: no such type. */
struct exact product_value(const char *type, uint64_t bits);
unsigned product_type_bits(const char *type);
/* 32 bits of an integer, or the nearest there is. */
uint32_t product_integer(struct exact v, int saturates);

/* Bits of an element of A. */
unsigned product_bits(const struct product *p);
/* Registers of A, B, C (as D) and the metadata (1). */
unsigned product_registers(const struct product *p, char operand);

/* A register of metadata that PTX allows. */
uint32_t product_metadata(const struct product *p, uint64_t random);
/* The stored element that is column `column` of a row of A; -1: that is a zero.
 * `e` is the register of metadata. */
int product_stored(const struct product *p, const uint32_t e[PRODUCT_LANES],
                   int row, int column);

struct product_operands {
    uint32_t a[PRODUCT_WORDS][PRODUCT_LANES], b[PRODUCT_WORDS][PRODUCT_LANES],
        c[PRODUCT_WORDS][PRODUCT_LANES], e[PRODUCT_LANES],
        scale_a[PRODUCT_LANES], scale_b[PRODUCT_LANES];
};

/* D's registers. */
void product_result(const struct product *p, const struct product_operands *in,
                    uint32_t d[PRODUCT_WORDS][PRODUCT_LANES]);

#endif
