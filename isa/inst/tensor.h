/*
 * The shape of a tensor product, as its opcode says it.
 *
 * D (m x n) = A (m x k) B (k x n) + C.  A warp's product (HMMA.16816.F32) is
 * the warp's own; one of a warp group (HGMMA.64x128x16.F32) is issued by four
 * warps, each of which makes the 16 rows of its sub-core.
 */
#ifndef TEG_ISA_INST_TENSOR_H
#define TEG_ISA_INST_TENSOR_H

#include <stddef.h>
#include <stdint.h>

enum teg_tensor_type {
#define TENSOR(NAME, key, bits, help) TENSOR_##NAME,
#include "isa/inst/tensor_type.def"
#undef TENSOR
    TEG_TENSOR_TYPES
};

enum teg_tensor_flag {
    TENSOR_SPARSE = 1 << 0,    /* of four factors of A along k two are zero */
    TENSOR_GROUP = 1 << 1,     /* of a warp group */
    TENSOR_REGISTERS = 1 << 2, /* a warp group's A is in registers, not in
                                  shared memory */
};

struct teg_tensor {
    uint16_t m, n, k; /* 0: no tensor product, or not of a known shape */
    uint8_t type;     /* enum teg_tensor_type */
    uint8_t flags;    /* enum teg_tensor_flag */
    uint8_t products; /* of that shape in the instruction ... */
    uint8_t steps;    /* ... which does one of so many equal steps of them */
};

/* Reads "HMMA.SP.16832.F32" of `length` characters; of all but the products
 * of tensor cores, and of those whose shape or types are not known, m is 0. */
struct teg_tensor teg_tensor_parse(const char *opcode, size_t length);

/* Multiply-adds of one warp's instruction, of zeros of a sparse A, too. */
uint64_t teg_tensor_multiply_adds(const struct teg_tensor *t);

/* Bits of a factor of that type. */
uint32_t teg_tensor_bits(enum teg_tensor_type type);
const char *teg_tensor_help(enum teg_tensor_type type);

#endif
