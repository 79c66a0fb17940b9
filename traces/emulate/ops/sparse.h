/*
 * Metadata of sparse products (mma.sp, and each warp's rows of wgmma.sp): which
 * columns of A are stored.
 *
 * Of every chunk of a row half are there, in their order in the registers:
 *     tf32            1 of 2 columns, named by 0100 (the first) or 1110
 *     16 and 8 bits   2 of 4, named by two bits each
 *     4 bits          2 pairs of 4, named likewise
 * so a chunk has four bits of metadata, the first in the lowest.  They come
 * from lanes 4 g .. 4 g + 3 for rows g and g + 8: of tf32 and 16-bit numbers a
 * lane has both rows' (the lower half is row g's) four chunks, of others eight
 * chunks of one row.  Who of the four lanes, if not all, the selector says.
 * (PTX ISA, "Sparse matrix storage" and "Matrix Fragments for sparse mma")
 */
#ifndef TEG_TRACES_EMULATE_OPS_SPARSE_H
#define TEG_TRACES_EMULATE_OPS_SPARSE_H

#include "traces/emulate/core/operand.h"
#include "traces/emulate/ops/products.h"

enum {
    EMU_SPARSE_ROWS = 16,
    EMU_SPARSE_STORED = 64,   /* columns, at most */
    EMU_SPARSE_NOWHERE = 255, /* a column that the metadata do not tell */
};

/* Bits of metadata for one chunk of one row. */
static inline uint32_t emu_sparse_bits(const uint32_t *word, unsigned selector,
                                       int both_rows, unsigned chunks,
                                       unsigned row, unsigned chunk)
{
    unsigned lane = row % 8 * 4, each = both_rows ? 4 : 8;
    unsigned lanes = chunks / each * (both_rows ? 1 : 2); /* of a group's */

    lane += lanes * selector + chunk / each * (both_rows ? 1 : 2);
    if (both_rows)
        return word[lane] >> (row / 8 * 16 + chunk % each * 4) & 15;
    return word[lane + row / 8] >> chunk % each * 4 & 15;
}

/* Which columns the stored elements of a chunk of `wide` columns are, the first of
 * which is `first`.  Bits that name one column twice, as those of chunks of zeros
 * do, leave the last ones nowhere; so do those that name them not in their order,
 * if that is asked for. */
static inline void emu_sparse_chunk(uint32_t bits, unsigned wide, unsigned first,
                                    int in_order, uint8_t *column)
{
    unsigned one = bits & 3, two = bits >> 2, pair = wide / 4;
    int is_known = in_order ? one < two : one != two;

    if (wide == 2) {
        column[0] = (uint8_t)(bits == 4    ? first
                              : bits == 14 ? first + 1
                                           : EMU_SPARSE_NOWHERE);
        return;
    }
    for (unsigned i = 0; i < pair; i++) {
        column[i] = (uint8_t)(first + pair * one + i);
        column[pair + i] = (uint8_t)(is_known ? first + pair * two + i
                                              : EMU_SPARSE_NOWHERE);
    }
}

/* Columns of B's `depth` rows that A's stored elements meet, `each` of which
 * are in a register.  Returns 0 after a fault: the selector names lanes that
 * the shape has not. */
static inline int emu_sparse_columns(
    struct emu_warp *w, const struct emu_op *op, unsigned depth, unsigned each,
    uint8_t column[EMU_SPARSE_ROWS][EMU_SPARSE_STORED])
{
    unsigned wide = each == 1 ? 2 : each == 8 ? 8 : 4; /* columns of a chunk */
    unsigned chunks = depth / wide, selector = emu_bits(op, 49, 48);
    int both_rows = each <= 2;
    unsigned lanes = chunks / (both_rows ? 4 : 8) * (both_rows ? 1 : 2);
    unsigned reg = emu_bits(op, 47, 40);
    const uint32_t *word = reg == TEG_SASS_RZ ? emu_zeros[0] : w->r[reg];

    if (selector >= 4 / lanes) {
        emu_refuse(w, op);
        return 0;
    }
    for (unsigned row = 0; row < EMU_SPARSE_ROWS; row++) {
        for (unsigned c = 0; c < chunks; c++)
            emu_sparse_chunk(emu_sparse_bits(word, selector, both_rows, chunks,
                                             row, c),
                             wide, wide * c, 0, &column[row][wide / 2 * c]);
    }
    return 1;
}

/* Adds to 16 rows of eight sums the products of A's `stored` columns and the rows
 * of B that `column` says.  What is not stored meets nothing, not even an
 * infinity.  Returns 0 after a fault. */
static inline int emu_sparse_multiply(
    struct emu_warp *w, const struct emu_op *op,
    uint8_t column[EMU_SPARSE_ROWS][EMU_SPARSE_STORED], unsigned stored,
    struct emu_rows a, struct emu_rows b, struct emu_rows c)
{
    for (unsigned m = 0; m < EMU_SPARSE_ROWS; m++) {
        for (unsigned k = 0; k < stored; k++) {
            double factor = a.at[m * a.stride + k];
            const double *from = &b.at[column[m][k] * b.stride];

            if (column[m][k] != EMU_SPARSE_NOWHERE) {
                for (unsigned n = 0; n < EMU_PRODUCT_COLUMNS; n++)
                    c.at[m * c.stride + n] += factor * from[n];
            } else if (factor != 0) {
                emu_fault(w, op, -1, TEG_FORMAT,
                          "the metadata of row %u give a number that is not 0 "
                          "no column of its own",
                          m);
                return 0;
            }
        }
    }
    return 1;
}

#endif
