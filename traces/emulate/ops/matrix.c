/*
 * Matrix products: HMMA, IMMA, BMMA, DMMA, and what moves 8 x 8 tiles between
 * lanes and shared memory.
 *
 * Which lane holds which element follows one rule for all shapes (PTX ISA,
 * "Matrix Fragments for mma"): with `each` elements in a 32-bit register (of
 * DMMA: 64), lane l = 4 g + t holds
 *     A, register r: row g + 8 (r mod 2), columns each (t + 4 (r / 2)) ...
 *        of the shapes with 8 rows: row g, columns each (t + 4 r) ...
 *     B, register r: column g, rows each (t + 4 r) ...
 *     C and D: row g (and g + 8), columns 2 t and 2 t + 1
 *
 * Products of halves, bfloat16 and tf32 and their sums with C are formed in
 * double precision and rounded once to nearest; the hardware truncates terms to
 * a common exponent first, so its last bits may differ (Fasi, Higham, Mikaitis,
 * Pranesh 2021).  Integer products are exact.
 * Leaves out: sparse products (.SP) and Volta's HMMA.884.
 */
#include <math.h>

#include "traces/emulate/core/half.h"
#include "traces/emulate/ops/memory.h"

enum {
    ROWS_MAX = 16,
    COLUMNS = 8,
    DEPTH_MAX = 64, /* elements of a row of A, but for bits */
    BITS_DEPTH_WORDS = 8,
};

struct shape {
    unsigned rows, depth, each; /* elements in a register */
};

/* Row of A, or of C and D, that register pair `upper` of a lane belongs to. */
static unsigned row_of(unsigned lane, unsigned upper)
{
    return lane / 4 + 8 * upper;
}

/* Where the registers of A lie: [r] to row and first column. */
static void element_of_a(const struct shape *s, unsigned lane, unsigned r,
                         unsigned *row, unsigned *column)
{
    unsigned across = s->rows == 16 ? r / 2 : r;

    *row = row_of(lane, s->rows == 16 ? r % 2 : 0);
    *column = s->each * (lane % 4 + 4 * across);
}

static unsigned registers_of_a(const struct shape *s)
{
    return s->depth / s->each / 4 * (s->rows / 8);
}

static unsigned registers_of_b(const struct shape *s)
{
    return s->depth / s->each / 4;
}

static int is_negated(const struct emu_operand *o)
{
    return o != NULL && (o->flags & SASS_NEGATE) != 0;
}

/* ---- floats ------------------------------------------------------------------ */

enum element {
    HALF,
    BF16,
    TF32
};

static double element_of(uint32_t word, enum element type, unsigned i)
{
    switch (type) {
    case HALF:
        return (double)half_value(word >> 16 * i & 0xffff);
    case BF16:
        return (double)bf16_value(word >> 16 * i & 0xffff);
    default: /* the lower bits do not count */
        return (double)float_of(word & 0xffffe000);
    }
}

static void gather_floats(const struct emu_warp *w, const struct emu_op *op,
                          const struct shape *s, enum element type,
                          double a[ROWS_MAX][DEPTH_MAX],
                          double b[DEPTH_MAX][COLUMNS])
{
    double sign_a = is_negated(op->a) ? -1 : 1;
    double sign_b = is_negated(op->b) ? -1 : 1;

    for (unsigned r = 0; r < registers_of_a(s); r++) {
        const uint32_t *from = emu_row(w, op->a, r);

        for (unsigned l = 0; l < EMU_LANES; l++) {
            unsigned row, column;

            element_of_a(s, l, r, &row, &column);
            for (unsigned i = 0; i < s->each; i++)
                a[row][column + i] = sign_a * element_of(from[l], type, i);
        }
    }
    for (unsigned r = 0; r < registers_of_b(s); r++) {
        const uint32_t *from = emu_row(w, op->b, r);

        for (unsigned l = 0; l < EMU_LANES; l++) {
            unsigned row = s->each * (l % 4 + 4 * r);

            for (unsigned i = 0; i < s->each; i++)
                b[row + i][l / 4] = sign_b * element_of(from[l], type, i);
        }
    }
}

static void multiply_floats(const struct shape *s,
                            double a[ROWS_MAX][DEPTH_MAX],
                            double b[DEPTH_MAX][COLUMNS],
                            double c[ROWS_MAX][COLUMNS])
{
    for (unsigned m = 0; m < s->rows; m++) {
        for (unsigned k = 0; k < s->depth; k++) {
            for (unsigned n = 0; n < COLUMNS; n++)
                c[m][n] += a[m][k] * b[k][n];
        }
    }
}

/* Single precision: a register each of columns 2 t and 2 t + 1, row by row. */
static void read_c(const struct emu_warp *w, const struct emu_op *op,
                   unsigned rows, int single, double c[ROWS_MAX][COLUMNS])
{
    for (unsigned upper = 0; upper < rows / 8; upper++) {
        const uint32_t *first = emu_row(w, op->c, single ? 2 * upper : upper);
        const uint32_t *second = single ? emu_row(w, op->c, 2 * upper + 1) : 0;

        for (unsigned l = 0; l < EMU_LANES; l++) {
            double *to = &c[row_of(l, upper)][2 * (l % 4)];

            to[0] = single ? (double)float_of(first[l])
                           : (double)half_value(first[l] & 0xffff);
            to[1] = single ? (double)float_of(second[l])
                           : (double)half_value(first[l] >> 16);
        }
    }
}

static void write_d(struct emu_warp *w, const struct emu_op *op, uint32_t mask,
                    unsigned rows, int single, double c[ROWS_MAX][COLUMNS])
{
    for (unsigned upper = 0; upper < rows / 8; upper++) {
        uint32_t out[2][EMU_LANES];

        for (unsigned l = 0; l < EMU_LANES; l++) {
            const double *from = &c[row_of(l, upper)][2 * (l % 4)];

            if (single) {
                out[0][l] = float_bits((float)from[0]);
                out[1][l] = float_bits((float)from[1]);
            } else {
                out[0][l] = half_bits(from[0]) | half_bits(from[1]) << 16;
            }
        }
        emu_write(w, op->d, single ? 2 * upper : upper, mask, out[0]);
        if (single)
            emu_write(w, op->d, 2 * upper + 1, mask, out[1]);
    }
}

EXEC(hmma)
{
    static const unsigned depths[] = {8, 16, 4, 32};
    static const enum element types[] = {HALF, BF16, TF32, HALF};
    double a[ROWS_MAX][DEPTH_MAX], b[DEPTH_MAX][COLUMNS];
    double c[ROWS_MAX][COLUMNS];
    unsigned code = (unsigned)emu_bit(op, 78) << 1 | (unsigned)emu_bit(op, 75);
    int single = emu_bit(op, 76);
    enum element type = op->cc < 80 ? HALF : types[emu_bits(op, 83, 82)];
    struct shape s = {16, depths[code], type == TF32 ? 1 : 2};

    if (emu_bits(op, 11, 0) != 0x23c) {
        emu_fault(w, op, -1, TEG_LIMIT, "Volta's products are not emulated");
        return;
    }
    if (code == 3 || (op->cc >= 80 && emu_bit(op, 73))) {
        emu_fault(w, op, -1, TEG_LIMIT, "sparse products are not emulated");
        return;
    }
    /* What PTX has: 1684 of tf32 alone, 16816 of all others, sums of halves of
     * halves; saturated ones (77, before sm_80) are none. */
    if ((code == 2 && type != TF32) || (code == 1 && type == TF32) ||
        (!single && type != HALF) || (op->cc < 80 && emu_bit(op, 77))) {
        emu_refuse(w, op);
        return;
    }
    gather_floats(w, op, &s, type, a, b);
    read_c(w, op, s.rows, single, c);
    multiply_floats(&s, a, b, c);
    write_d(w, op, mask, s.rows, single, c);
}

/* ---- double precision ---------------------------------------------------------- */

static double double_at(const struct emu_warp *w, const struct emu_operand *o,
                        unsigned n, unsigned lane)
{
    uint64_t bits = (uint64_t)emu_row(w, o, 2 * n + 1)[lane] << 32 |
                    emu_row(w, o, 2 * n)[lane];
    double d;

    memcpy(&d, &bits, sizeof d);
    d = o != NULL && o->flags & SASS_ABSOLUTE ? fabs(d) : d;
    return is_negated(o) ? -d : d;
}

static void write_double(struct emu_warp *w, const struct emu_op *op,
                         uint32_t mask, unsigned n,
                         const double value[EMU_LANES])
{
    uint64_t bits[EMU_LANES];
    uint32_t low[EMU_LANES], high[EMU_LANES];

    memcpy(bits, value, sizeof bits);
    LANES
    {
        low[l] = (uint32_t)bits[l];
        high[l] = (uint32_t)(bits[l] >> 32);
    }
    emu_write(w, op->d, 2 * n, mask, low);
    emu_write(w, op->d, 2 * n + 1, mask, high);
}

/* Fused multiply-adds in the order of the columns of A. */
EXEC(dmma)
{
    static const struct shape shapes[] = {{8, 4, 1}, {16, 4, 1}, {16, 8, 1}};
    double a[ROWS_MAX][DEPTH_MAX], b[DEPTH_MAX][COLUMNS];
    unsigned code = op->cc >= 90 ? emu_bits(op, 77, 76) : 0;
    struct shape s;

    if (code > 2 || emu_bits(op, 79, 78) != 0) {
        emu_refuse(w, op);
        return;
    }
    s = shapes[code];
    for (unsigned l = 0; l < EMU_LANES; l++) {
        for (unsigned r = 0; r < registers_of_a(&s); r++) {
            unsigned row, column;

            element_of_a(&s, l, r, &row, &column);
            a[row][column] = double_at(w, op->a, r, l);
        }
        for (unsigned r = 0; r < registers_of_b(&s); r++)
            b[l % 4 + 4 * r][l / 4] = double_at(w, op->b, r, l);
    }
    for (unsigned n = 0; n < s.rows / 4; n++) {
        double out[EMU_LANES];

        for (unsigned l = 0; l < EMU_LANES; l++) {
            unsigned row = row_of(l, n / 2), column = 2 * (l % 4) + n % 2;
            double sum = double_at(w, op->c, n, l);

            for (unsigned k = 0; k < s.depth; k++)
                sum = fma(a[row][k], b[k][column], sum);
            out[l] = sum;
        }
        write_double(w, op, mask, n, out);
    }
}

/* ---- integers and bits ------------------------------------------------------------ */

/* Types 0 U8, 1 S8, 2 U4, 3 S4. */
static int32_t integer_of(uint32_t word, unsigned type, unsigned i)
{
    unsigned bits = type < 2 ? 8 : 4;
    uint32_t v = word >> bits * i & ((1u << bits) - 1);

    return type & 1 && v >> (bits - 1) ? (int32_t)v - (1 << bits) : (int32_t)v;
}

static int32_t saturated(int64_t v)
{
    return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : (int32_t)v;
}

/* Adds the sums to C, wrapping or saturating, and writes D. */
static void write_integers(struct emu_warp *w, const struct emu_op *op,
                           uint32_t mask, unsigned rows, int saturates,
                           int64_t sum[ROWS_MAX][COLUMNS])
{
    uint32_t out[4][EMU_LANES];

    for (unsigned n = 0; n < rows / 4; n++) {
        const uint32_t *c = emu_row(w, op->c, n);

        for (unsigned l = 0; l < EMU_LANES; l++) {
            int64_t v = sum[row_of(l, n / 2)][2 * (l % 4) + n % 2];

            v += (int32_t)c[l];
            out[n][l] = saturates ? (uint32_t)saturated(v) : (uint32_t)v;
        }
    }
    for (unsigned n = 0; n < rows / 4; n++)
        emu_write(w, op->d, n, mask, out[n]);
}

EXEC(imma)
{
    static const struct shape shapes[] = {{8, 16, 4},  {0, 0, 0},   {8, 32, 8},
                                          {0, 0, 0},   {16, 16, 4}, {16, 32, 4},
                                          {16, 64, 8}, {0, 0, 0}};
    int32_t a[ROWS_MAX][DEPTH_MAX], b[DEPTH_MAX][COLUMNS];
    int64_t sum[ROWS_MAX][COLUMNS] = {{0}};
    unsigned type_a =
        (unsigned)emu_bit(op, 83) << 1 | (unsigned)emu_bit(op, 76);
    unsigned type_b =
        (unsigned)emu_bit(op, 84) << 1 | (unsigned)emu_bit(op, 78);
    unsigned code = (unsigned)emu_bit(op, 85) << 1 | (unsigned)emu_bit(op, 75);
    struct shape s;

    if (op->cc >= 80)
        code |= (unsigned)emu_bit(op, 86) << 2;
    s = shapes[code];
    /* 4-bit shapes are of 4-bit numbers, both of them, and so with 8 bits. */
    if (s.rows == 0 || (op->cc >= 80 && emu_bit(op, 72)) ||
        (type_a < 2) != (s.each == 4) || (type_b < 2) != (s.each == 4)) {
        emu_refuse(w, op);
        return;
    }
    for (unsigned l = 0; l < EMU_LANES; l++) {
        for (unsigned r = 0; r < registers_of_a(&s); r++) {
            unsigned row, column;

            element_of_a(&s, l, r, &row, &column);
            for (unsigned i = 0; i < s.each; i++)
                a[row][column + i] =
                    integer_of(emu_row(w, op->a, r)[l], type_a, i);
        }
        for (unsigned r = 0; r < registers_of_b(&s); r++) {
            for (unsigned i = 0; i < s.each; i++)
                b[s.each * (l % 4 + 4 * r) + i][l / 4] =
                    integer_of(emu_row(w, op->b, r)[l], type_b, i);
        }
    }
    for (unsigned m = 0; m < s.rows; m++) {
        for (unsigned k = 0; k < s.depth; k++) {
            for (unsigned n = 0; n < COLUMNS; n++)
                sum[m][n] += a[m][k] * b[k][n];
        }
    }
    write_integers(w, op, mask, s.rows, emu_bit(op, 82), sum);
}

/* Bits: AND or XOR of a row of A and a column of B, ones counted. */
EXEC(bmma)
{
    static const struct shape shapes[] = {
        {8, 128, 32}, {16, 128, 32}, {16, 256, 32}, {0, 0, 0}};
    uint32_t a[ROWS_MAX][BITS_DEPTH_WORDS], b[COLUMNS][BITS_DEPTH_WORDS];
    int64_t sum[ROWS_MAX][COLUMNS];
    struct shape s = shapes[emu_bits(op, 76, 75)];
    int both = emu_bit(op, 78);

    if (s.rows == 0) {
        emu_refuse(w, op);
        return;
    }
    for (unsigned l = 0; l < EMU_LANES; l++) {
        for (unsigned r = 0; r < registers_of_a(&s); r++) {
            unsigned row, column;

            element_of_a(&s, l, r, &row, &column);
            a[row][column / 32] = emu_row(w, op->a, r)[l];
        }
        for (unsigned r = 0; r < registers_of_b(&s); r++)
            b[l / 4][l % 4 + 4 * r] = emu_row(w, op->b, r)[l];
    }
    for (unsigned m = 0; m < s.rows; m++) {
        for (unsigned n = 0; n < COLUMNS; n++) {
            sum[m][n] = 0;
            for (unsigned k = 0; k < s.depth / 32; k++)
                sum[m][n] += __builtin_popcount(both ? a[m][k] & b[n][k]
                                                     : a[m][k] ^ b[n][k]);
        }
    }
    write_integers(w, op, mask, s.rows, 0, sum);
}

/* ---- tiles ------------------------------------------------------------------------- */

/* An 8 x 8 tile of 16-bit elements, of which a lane holds two of a row, is
 * turned over. */
EXEC(movm)
{
    const uint32_t *a = emu_row(w, op->a, 0);
    uint16_t tile[8][8];
    uint32_t out[EMU_LANES];

    for (unsigned l = 0; l < EMU_LANES; l++) {
        tile[l / 4][2 * (l % 4)] = (uint16_t)a[l];
        tile[l / 4][2 * (l % 4) + 1] = (uint16_t)(a[l] >> 16);
    }
    for (unsigned l = 0; l < EMU_LANES; l++)
        out[l] = tile[2 * (l % 4)][l / 4] |
                 (uint32_t)tile[2 * (l % 4) + 1][l / 4] << 16;
    emu_write(w, op->d, 0, mask, out);
}

/* 8x8 matrices of 16-bit elements: lanes 8m .. 8m+7 point at the rows of
 * matrix m; a lane gets two elements of each. */
EXEC(ldsm)
{
    unsigned count = 1u << emu_bits(op, 73, 72);
    int transposed = emu_bit(op, 78);
    uint64_t at[EMU_LANES];

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

/* The reverse of LDSM. */
EXEC(stsm)
{
    unsigned count = 1u << emu_bits(op, 73, 72);
    int transposed = emu_bit(op, 78);
    uint64_t at[EMU_LANES];

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

const struct emu_row_of EMU_TABLE(matrix)[] = {
    {"HMMA", hmma}, {"IMMA", imma}, {"BMMA", bmma}, {"DMMA", dmma},
    {"MOVM", movm}, {"LDSM", ldsm}, {"STSM", stsm}, {0},
};
