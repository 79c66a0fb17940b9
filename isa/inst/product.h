/*
 * A product of tensor memory as traces have it: its shape is not in the text of
 * the instruction but in a register that it names.  One SM's part of it: the
 * rows of A that the SM has, all columns of B.
 *
 * The value: rows in bits 15:0, columns in 31:16, depth in 47:32, the type
 * (isa/inst/tensor_type.def) in 55:48, 56: of a pair of SMs, 57: A is in tensor
 * memory.
 */
#ifndef TEG_ISA_INST_PRODUCT_H
#define TEG_ISA_INST_PRODUCT_H

#include <stdint.h>

struct teg_product {
    uint16_t rows, columns, depth;
    uint8_t type;               /* enum teg_tensor_type, perhaps none of it */
    uint8_t pair;               /* each SM has half of the columns of B */
    uint8_t a_in_tensor_memory; /* else in shared memory, as B is */
};

static inline uint64_t teg_product_value(const struct teg_product *p)
{
    return p->rows | (uint64_t)p->columns << 16 | (uint64_t)p->depth << 32 |
           (uint64_t)p->type << 48 | (uint64_t)(p->pair != 0) << 56 |
           (uint64_t)(p->a_in_tensor_memory != 0) << 57;
}

static inline struct teg_product teg_product_of(uint64_t value)
{
    return (struct teg_product){
        .rows = (uint16_t)value,
        .columns = (uint16_t)(value >> 16),
        .depth = (uint16_t)(value >> 32),
        .type = (uint8_t)(value >> 48),
        .pair = value >> 56 & 1,
        .a_in_tensor_memory = value >> 57 & 1,
    };
}

/* Of all blocks that take part, two a multiply-add. */
static inline uint64_t teg_product_operations(const struct teg_product *p)
{
    return UINT64_C(2) * p->rows * p->columns * p->depth * (p->pair ? 2 : 1);
}

#endif
