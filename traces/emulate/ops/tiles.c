/*
 * What moves 8 x 8 tiles of 16-bit elements, and from sm_100 on of bytes,
 * between lanes (MOVM), and between them and shared memory (LDSM, STSM).  A lane
 * l = 4 g + t holds columns 2 t and 2 t + 1 of row g.  (PTX ISA, ldmatrix)
 */
#include <string.h>

#include "traces/emulate/ops/memory.h"

enum {
    U4_TO_8_M832 = 1 << 3 | 1, /* 79:75 of MOVM */
};

/* From sm_100 on there are tiles of other shapes and types. */
static int is_other(struct emu_warp *w, const struct emu_op *op, unsigned hi,
                    unsigned lo)
{
    if (op->cc < 100 || emu_bits(op, hi, lo) == 0)
        return 0;
    emu_refuse(w, op);
    return 1;
}

/* An 8 x 8 tile of 16-bit elements, of which a lane holds two of a row, is
 * turned over. */
static void turn(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    const uint32_t *a = emu_row(w, op->a, 0);
    uint16_t tile[8][8];
    uint32_t out[EMU_LANES];

    if (is_other(w, op, 79, 75))
        return;
    for (unsigned l = 0; l < EMU_LANES; l++) {
        tile[l / 4][2 * (l % 4)] = (uint16_t)a[l];
        tile[l / 4][2 * (l % 4) + 1] = (uint16_t)(a[l] >> 16);
    }
    for (unsigned l = 0; l < EMU_LANES; l++)
        out[l] = tile[2 * (l % 4)][l / 4] |
                 (uint32_t)tile[2 * (l % 4) + 1][l / 4] << 16;
    emu_write(w, op->d, 0, mask, out);
}

/* 8 x 32 numbers of 4 bits, of which lane l = 4 g + t holds columns 8 t ... of
 * row g, as bytes: columns 4 t ... and 16 + 4 t ... in two registers, as products
 * have them.  (As ptxas 13.0 makes products of 4-bit integers of those of 8) */
static void widen(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    const uint32_t *a = emu_row(w, op->a, 0);
    uint32_t out[2][EMU_LANES] = {{0}};

    for (unsigned l = 0; l < EMU_LANES; l++) {
        for (unsigned i = 0; i < 8; i++) {
            unsigned column = 4 * (l % 4) + 16 * (i / 4) + i % 4;
            uint32_t v = a[l / 4 * 4 + column / 8] >> 4 * (column % 8) & 15;

            out[i / 4][l] |= v << 8 * (i % 4);
        }
    }
    emu_write(w, op->d, 0, mask, out[0]);
    emu_write(w, op->d, 1, mask, out[1]);
}

EXEC(movm)
{
    if (op->cc >= 100 && emu_bits(op, 79, 75) == U4_TO_8_M832) {
        widen(w, op, mask);
        return;
    }
    turn(w, op, mask);
}

/* Forms of LDSM from sm_100 on: 80:78 and 77:75. */
enum {
    M816 = 2,
    MT1616 = 4,
    U4_TO_8 = 5,
    U6_TO_8 = 6,
    BYTES = 7,
    MT168 = 2, /* of STSM, 79:78 */
};

/* Rows of sixteen numbers of 4 or 6 bits become bytes. */
static void unpack(uint8_t row[16], unsigned bits)
{
    uint64_t word[2];
    uint8_t out[16];

    memcpy(word, row, sizeof word);
    for (unsigned i = 0; i < 16; i++) {
        unsigned at = i * bits, rest = at % 64;
        uint64_t v = word[at / 64] >> rest;

        if (rest + bits > 64)
            v |= word[1] << (64 - rest);
        out[i] = (uint8_t)(v & ((1u << bits) - 1));
    }
    memcpy(row, out, sizeof out);
}

/* One or two 16x16 matrices of bytes, turned over: lane l = 4 g + t gets of the
 * four rows at which lanes 16 m + 4 t ... point columns g and, in a second
 * register, g + 8.  (PTX ISA, ldmatrix .m16n16; CUTLASS's copy traits) */
static void load_columns(struct emu_warp *w, const struct emu_op *op,
                         uint32_t mask, unsigned type)
{
    unsigned count = 1u << emu_bits(op, 73, 72);
    uint64_t at[EMU_LANES];
    uint8_t row[EMU_LANES][16];

    if (count > 2 || type < U4_TO_8) {
        emu_refuse(w, op);
        return;
    }
    emu_lanes_at(w, op, op->m, EMU_SHARED, at);
    for (unsigned l = 0; l < 16 * count; l++) {
        const void *from =
            emu_access_at(w, op, (int)l, EMU_SHARED, at[l], 16, EMU_UPDATE);

        if (from == NULL)
            return;
        memcpy(row[l], from, 16);
        if (type != BYTES)
            unpack(row[l], type == U4_TO_8 ? 4 : 6);
    }
    for (unsigned r = 0; r < 2 * count; r++) {
        uint32_t out[EMU_LANES] = {0};

        for (unsigned l = 0; l < EMU_LANES; l++) {
            for (unsigned i = 0; i < 4; i++)
                out[l] |=
                    (uint32_t)row[r / 2 * 16 + l % 4 * 4 + i][l / 4 + r % 2 * 8]
                    << 8 * i;
        }
        emu_write(w, op->d, r, mask, out);
    }
}

/* 8x8 matrices of 16-bit elements: lanes 8m .. 8m+7 point at the rows of
 * matrix m; a lane gets two elements of each. */
EXEC(ldsm)
{
    unsigned count = 1u << emu_bits(op, 73, 72);
    int transposed = emu_bit(op, 78);
    unsigned type = op->cc >= 100 ? emu_bits(op, 77, 75) : 0;
    unsigned form = op->cc >= 100 ? emu_bits(op, 80, 78) : 0;
    int unpacks = form == M816 && (type == U4_TO_8 || type == U6_TO_8);
    uint64_t at[EMU_LANES];

    if (form == MT1616) {
        load_columns(w, op, mask, type);
        return;
    }
    if (!unpacks && (type != 0 || form > 1)) {
        emu_refuse(w, op);
        return;
    }
    emu_lanes_at(w, op, op->m, EMU_SHARED, at);
    for (unsigned m = 0; m < count; m++) {
        uint16_t element[8][8];
        uint32_t out[EMU_LANES];

        for (unsigned row = 0; row < 8; row++) {
            const void *from =
                emu_access_at(w, op, (int)(8 * m + row), EMU_SHARED,
                              at[8 * m + row], 16, EMU_UPDATE);

            if (from == NULL)
                return;
            memcpy(element[row], from, 16);
            if (unpacks)
                unpack((uint8_t *)element[row], type == U4_TO_8 ? 4 : 6);
        }
        for (unsigned l = 0; l < EMU_LANES; l++) {
            unsigned x = l / 4, y = 2 * (l % 4);
            uint32_t low = transposed ? element[y][x] : element[x][y];
            uint32_t high = transposed ? element[y + 1][x] : element[x][y + 1];

            out[l] = high << 16 | low;
        }
        emu_write(w, op->d, m, mask, out);
    }
}

/* 16x8 matrices of bytes, turned over: of lane l = 4 g + t bytes 0 and 1 go to
 * column g of rows 2 t and 2 t + 1, bytes 2 and 3 to column g + 8; lanes 8 m ...
 * point at the rows of matrix m.  (PTX ISA, stmatrix .m16n8; CUTLASS's copy
 * traits) */
static void store_columns(struct emu_warp *w, const struct emu_op *op)
{
    unsigned count = 1u << emu_bits(op, 73, 72);
    uint64_t at[EMU_LANES];

    emu_lanes_at(w, op, op->m, EMU_SHARED, at);
    for (unsigned m = 0; m < count; m++) {
        const uint32_t *value = emu_row(w, emu_stored(op), m);

        for (unsigned row = 0; row < 8; row++) {
            uint8_t *to = emu_access_at(w, op, (int)(8 * m + row), EMU_SHARED,
                                        at[8 * m + row], 16, EMU_UPDATE);

            if (to == NULL)
                return;
            for (unsigned c = 0; c < 16; c++)
                to[c] = (uint8_t)(value[c % 8 * 4 + row / 2] >>
                                  8 * (row % 2 + c / 8 * 2));
        }
    }
}

/* The reverse of LDSM. */
EXEC(stsm)
{
    unsigned count = 1u << emu_bits(op, 73, 72);
    int transposed = emu_bit(op, 78);
    uint64_t at[EMU_LANES];

    if (op->cc >= 100 && emu_bit(op, 75) && emu_bits(op, 79, 78) == MT168 &&
        count <= 4) {
        store_columns(w, op);
        return;
    }
    if (is_other(w, op, 75, 75) || is_other(w, op, 79, 79))
        return;
    emu_lanes_at(w, op, op->m, EMU_SHARED, at);
    for (unsigned m = 0; m < count; m++) {
        const uint32_t *value = emu_row(w, emu_stored(op), m);
        uint16_t element[8][8];

        for (unsigned l = 0; l < EMU_LANES; l++) {
            unsigned x = l / 4, y = 2 * (l % 4);

            for (unsigned i = 0; i < 2; i++)
                *(transposed ? &element[y + i][x] : &element[x][y + i]) =
                    (uint16_t)(value[l] >> 16 * i);
        }
        for (unsigned row = 0; row < 8; row++) {
            void *to = emu_access_at(w, op, (int)(8 * m + row), EMU_SHARED,
                                     at[8 * m + row], 16, EMU_UPDATE);

            if (to == NULL)
                return;
            memcpy(to, element[row], 16);
        }
    }
    (void)mask;
}

const struct emu_row_of EMU_TABLE(tiles)[] = {
    {"MOVM", movm},
    {"LDSM", ldsm},
    {"STSM", stsm},
    {0},
};
