/*
 * Matrix products: HMMA, QMMA, OMMA, IMMA, BMMA, DMMA.
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
 *
 * Of a product with scales (.SF) each block of 16, 32 or all columns of a row of
 * A, and of rows of a column of B, has one, which is multiplied in before.
 *
 * Of a sparse product (.SP) A has the half of its columns that count, laid out
 * as above; metadata say which (sparse.h).
 * Leaves out: Volta's HMMA.884.
 */
#include <math.h>

#include "traces/emulate/core/half.h"
#include "traces/emulate/ops/halves.h"
#include "traces/emulate/ops/integers.h"
#include "traces/emulate/ops/products.h"
#include "traces/emulate/ops/sparse.h"

enum {
    ROWS_MAX = EMU_SPARSE_ROWS,
    COLUMNS = EMU_PRODUCT_COLUMNS,
    DEPTH_MAX = 64, /* elements of a row of A, but for bits */
    BITS_DEPTH_WORDS = 8,
};

struct shape {
    unsigned rows, depth, each; /* elements in a register */
    int is_sparse;
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

/* Columns of A in registers. */
static unsigned stored_depth(const struct shape *s)
{
    return s->is_sparse ? s->depth / 2 : s->depth;
}

static unsigned registers_of_a(const struct shape *s)
{
    return stored_depth(s) / s->each / 4 * (s->rows / 8);
}

static unsigned registers_of_b(const struct shape *s)
{
    return s->depth / s->each / 4;
}

static int is_negated(const struct emu_operand *o)
{
    return o != NULL && (o->flags & SASS_NEGATE) != 0;
}

/* ---- elements ---------------------------------------------------------------- */

enum element {
    HALF,
    BF16,
    TF32,
    E4M3,
    E5M2,
    E2M3, /* in bytes: of 6 bits the lower, of 4 the middle ones */
    E3M2,
    E2M1,
    E2M1_PACKED, /* two in a byte */
    U8,          /* integers: from here on as IMMA has them */
    S8,
    U4,
    S4,
};

static int32_t integer_of(uint32_t word, enum element type, unsigned i)
{
    unsigned bits = type < U4 ? 8 : 4;
    uint32_t v = word >> bits * i & ((1u << bits) - 1);

    return (type == S8 || type == S4) && v >> (bits - 1)
               ? (int32_t)v - (1 << bits)
               : (int32_t)v;
}

static double element_of(uint32_t word, enum element type, unsigned i)
{
    switch (type) {
    case HALF:
        return (double)half_value(word >> 16 * i & 0xffff);
    case BF16:
        return (double)bf16_value(word >> 16 * i & 0xffff);
    case TF32: /* the lower bits do not count */
        return (double)float_of(word & 0xffffe000);
    case E4M3:
        return (double)e4m3_value(word >> 8 * i & 0xff);
    case E5M2:
        return (double)e5m2_value(word >> 8 * i & 0xff);
    case E2M3:
        return small_float_value(word >> 8 * i & 0x3f, 2, 3);
    case E3M2:
        return small_float_value(word >> 8 * i & 0x3f, 3, 2);
    case E2M1:
        return small_float_value(word >> (8 * i + 2) & 0xf, 2, 1);
    case E2M1_PACKED:
        return small_float_value(word >> 4 * i & 0xf, 2, 1);
    default:
        return integer_of(word, type, i);
    }
}

/* The elements of a register, which of four lanes each follow each other in one
 * of eight rows of A. */
static void rows_of_a(const uint32_t from[EMU_LANES], enum element type,
                      unsigned each, double (*row)[DEPTH_MAX], unsigned column)
{
    if (type == HALF) {
        for (unsigned m = 0; m < 8; m++)
            emu_halves(&from[4 * m], &row[m][column]);
        return;
    }
    for (unsigned l = 0; l < EMU_LANES; l++) {
        for (unsigned i = 0; i < each; i++)
            row[l / 4][column + l % 4 * each + i] =
                element_of(from[l], type, i);
    }
}

/* Element i of the registers of eight lanes, which stand beside each other in a
 * row of B. */
static void elements_across(const uint32_t word[8], enum element type,
                            unsigned i, double out[8])
{
    for (unsigned n = 0; n < 8; n++)
        out[n] = element_of(word[n], type, i);
}

#ifdef __AVX2__
/* The rows of B that a register holds, of halves: lane 4 n + t has two of
 * column n. */
static void halves_of_b(const uint32_t from[EMU_LANES], double out[][COLUMNS])
{
    __m256i word[4];

    emu_words_of_b(from, word);
    for (unsigned t = 0; t < 4; t++) {
        __m256i both = emu_two_rows(word[t]);

        emu_eight_halves(_mm256_castsi256_si128(both), out[2 * t]);
        emu_eight_halves(_mm256_extracti128_si256(both, 1), out[2 * t + 1]);
    }
}
#endif

/* The rows of B that a register holds. */
static void rows_of_b(const uint32_t from[EMU_LANES], enum element type,
                      unsigned each, double out[][COLUMNS])
{
    uint32_t word[COLUMNS];

#ifdef __AVX2__
    if (type == HALF) {
        halves_of_b(from, out);
        return;
    }
#endif
    for (unsigned t = 0; t < 4; t++) {
        for (unsigned n = 0; n < COLUMNS; n++)
            word[n] = from[4 * n + t];
        for (unsigned i = 0; i < each; i++)
            elements_across(word, type, i, out[each * t + i]);
    }
}

/* Signs of both go with B: only products of the two are summed. */
static void gather(const struct emu_warp *w, const struct emu_op *op,
                   const struct shape *s, enum element type_a,
                   enum element type_b, double a[ROWS_MAX][DEPTH_MAX],
                   double b[][COLUMNS])
{
    int is_minus = is_negated(op->a) != is_negated(op->b);

    for (unsigned r = 0; r < registers_of_b(s); r++)
        rows_of_b(emu_row(w, op->b, r), type_b, s->each, &b[4 * s->each * r]);
    for (unsigned r = 0; r < registers_of_a(s); r++) {
        unsigned first, column;

        element_of_a(s, 0, r, &first, &column);
        rows_of_a(emu_row(w, op->a, r), type_a, s->each, &a[first], column);
    }
    for (unsigned k = 0; is_minus && k < s->depth; k++) {
        for (unsigned n = 0; n < COLUMNS; n++)
            b[k][n] = -b[k][n];
    }
}

/* 0 after a fault. */
static int multiply(struct emu_warp *w, const struct emu_op *op,
                    const struct shape *s, double a[ROWS_MAX][DEPTH_MAX],
                    double b[][COLUMNS], double c[ROWS_MAX][COLUMNS])
{
    const struct emu_rows of_a = {a[0], DEPTH_MAX}, of_b = {b[0], COLUMNS};
    const struct emu_rows of_c = {c[0], COLUMNS};
    uint8_t column[EMU_SPARSE_ROWS][EMU_SPARSE_STORED];

    if (s->is_sparse)
        return emu_sparse_columns(w, op, s->depth, s->each, column) &&
               emu_sparse_multiply(w, op, column, stored_depth(s), of_a, of_b,
                                   of_c);
    emu_multiply(s->rows, s->depth, of_a, of_b, of_c);
    return 1;
}

/* ---- floats ------------------------------------------------------------------ */

static void read_c(const struct emu_warp *w, const struct emu_op *op,
                   unsigned rows, int single, double c[ROWS_MAX][COLUMNS])
{
    for (unsigned upper = 0; upper < rows / 8; upper++) {
        const uint32_t *first = emu_row(w, op->c, single ? 2 * upper : upper);
        double *to = c[8 * upper];

        if (single) {
            emu_singles_of(first, emu_row(w, op->c, 2 * upper + 1), to);
            continue;
        }
        for (unsigned l = 0; l < EMU_LANES; l++) {
            to[2 * l] = (double)half_value(first[l] & 0xffff);
            to[2 * l + 1] = (double)half_value(first[l] >> 16);
        }
    }
}

static void write_d(struct emu_warp *w, const struct emu_op *op, uint32_t mask,
                    unsigned rows, int single, double c[ROWS_MAX][COLUMNS])
{
    for (unsigned upper = 0; upper < rows / 8; upper++) {
        uint32_t out[2][EMU_LANES];
        const double *from = c[8 * upper];

        if (single)
            emu_singles_from(from, out[0], out[1]);
        for (unsigned l = 0; !single && l < EMU_LANES; l++)
            out[0][l] = half_bits(from[2 * l]) | half_bits(from[2 * l + 1])
                                                     << 16;
        emu_write(w, op->d, single ? 2 * upper : upper, mask, out[0]);
        if (single)
            emu_write(w, op->d, 2 * upper + 1, mask, out[1]);
    }
}

/* D = A B + C of the types and the shape; `single`: C and D are. */
static void float_product(struct emu_warp *w, const struct emu_op *op,
                          uint32_t mask, const struct shape *s,
                          enum element type_a, enum element type_b, int single)
{
    double a[ROWS_MAX][DEPTH_MAX], b[DEPTH_MAX][COLUMNS];
    double c[ROWS_MAX][COLUMNS];

    gather(w, op, s, type_a, type_b, a, b);
    read_c(w, op, s->rows, single, c);
    if (multiply(w, op, s, a, b, c))
        write_d(w, op, mask, s->rows, single, c);
}

/* Whether it was done the short way. */
static int product_of_halves(struct emu_warp *w, const struct emu_op *op,
                             uint32_t mask, const struct shape *s,
                             enum element type, int single)
{
#ifdef __AVX2__
    static void (*const products[][2])(
        unsigned depth, const uint32_t *const a[4], const uint32_t *const b[2],
        const uint32_t *const c[4], uint32_t d[4][EMU_LANES]) = {
        [HALF] = {emu_product_to_halves, emu_product_of_halves},
        [BF16] = {NULL, emu_product_of_bf16},
        [TF32] = {NULL, emu_product_of_tf32}};
    const uint32_t *a[4], *b[2], *c[4];
    unsigned sums = single ? 4 : 2; /* registers */
    uint32_t d[4][EMU_LANES];

    if (s->is_sparse || is_negated(op->a) != is_negated(op->b) ||
        !__builtin_cpu_supports("avx512f"))
        return 0;
    for (unsigned r = 0; r < 4; r++) {
        a[r] = emu_row(w, op->a, r < registers_of_a(s) ? r : 0);
        c[r] = emu_row(w, op->c, r < sums ? r : 0);
    }
    for (unsigned r = 0; r < 2; r++)
        b[r] = emu_row(w, op->b, r < registers_of_b(s) ? r : 0);
    products[type][single](s->depth, a, b, c, d);
    for (unsigned r = 0; r < sums; r++)
        emu_write(w, op->d, r, mask, d[r]);
    return 1;
#else
    (void)w;
    (void)op;
    (void)mask;
    (void)s;
    (void)type;
    (void)single;
    return 0;
#endif
}

/* A uniform predicate, which nothing published explains. */
static int has_predicate(const struct emu_op *op)
{
    return op->cc >= 80 && emu_bits(op, 90, 87) != 0;
}

EXEC(hmma)
{
    static const unsigned depths[] = {8, 16, 4, 32};
    static const enum element types[] = {HALF, BF16, TF32, HALF};
    unsigned code = (unsigned)emu_bit(op, 78) << 1 | (unsigned)emu_bit(op, 75);
    int single = emu_bit(op, 76);
    enum element type = op->cc < 80 ? HALF : types[emu_bits(op, 83, 82)];
    struct shape s = {16, depths[code], type == TF32 ? 1 : 2,
                      op->cc >= 80 && emu_bit(op, 73)};
    /* What PTX has: k of 4 (dense), 8 and 16 (sparse) of tf32, of 8 (dense), 16
     * and 32 (sparse) of the others; k of 8 is of all that are dense. */
    unsigned least = (type == TF32 ? 4u : 8u) << s.is_sparse;
    unsigned most = (type == TF32 ? 8u : 16u) << s.is_sparse;

    if (emu_bits(op, 11, 0) != 0x23c) {
        emu_fault(w, op, -1, TEG_LIMIT, "Volta's products are not emulated");
        return;
    }
    /* Sums of halves are of halves; saturated ones (77, before sm_80) are none
     * of PTX. */
    if (s.depth < least || s.depth > most || (!single && type != HALF) ||
        (op->cc < 80 && emu_bit(op, 77)) || has_predicate(op)) {
        emu_refuse(w, op);
        return;
    }
    if (!product_of_halves(w, op, mask, &s, type, single))
        float_product(w, op, mask, &s, type, type, single);
}

/* ---- with scales ---------------------------------------------------------------- */

/* The scales of a product: A's and B's registers, how many of a row's, and
 * which lanes and bytes have them. */
struct scales {
    unsigned of_row;
    int is_e4m3; /* else powers of two */
    const uint32_t *a, *b;
    unsigned byte_a, pair_a, byte_b, lane_b;
};

static const uint32_t *register_row(const struct emu_warp *w, unsigned number)
{
    return number < TEG_SASS_RZ ? w->r[number] : emu_zeros[0];
}

/* Bits of the uniform register as ptxas 13.0 packs {byte-id, thread-id} of both
 * scales; of a sparse product (80) A's are in the register behind the
 * metadata. */
static struct scales scales_of(const struct emu_warp *w,
                               const struct emu_op *op, unsigned of_row,
                               int is_e4m3)
{
    unsigned from = emu_bits(op, 77, 73) << 3 | emu_bits(op, 62, 60);
    uint32_t chosen =
        from < EMU_NO_UNIFORM ? w->r[EMU_UNIFORM_ROW + from][0] : 0;

    return (struct scales){
        .of_row = of_row,
        .is_e4m3 = is_e4m3,
        .a = register_row(w, emu_bits(op, 47, 40) + (unsigned)emu_bit(op, 80)),
        .b = register_row(w, emu_bits(op, 59, 52)),
        .byte_a = chosen & 3,
        .pair_a = chosen >> 2 & 1,
        .byte_b = chosen >> 3 & 3,
        .lane_b = chosen >> 5 & 3,
    };
}

static double scale_of(const struct scales *s, uint32_t word, unsigned byte)
{
    return scale_value(word >> 8 * (byte & 3) & 0xff, s->is_e4m3);
}

/* Of row m of A the lanes 4 (m mod 8) + 2 pair + m / 8 have them, of column n of
 * B the lanes 4 n + lane; of a sparse A half of each block's columns are there.
 * (PTX ISA, mma with .block_scale) */
static void apply_scales(const struct scales *s, const struct shape *shape,
                         double a[ROWS_MAX][DEPTH_MAX], double b[][COLUMNS])
{
    unsigned stored = stored_depth(shape);

    for (unsigned k = 0; k < stored; k++) {
        unsigned block = k / (stored / s->of_row);

        for (unsigned m = 0; m < ROWS_MAX; m++)
            a[m][k] *= scale_of(s, s->a[4 * (m % 8) + 2 * s->pair_a + m / 8],
                                s->byte_a + block);
    }
    for (unsigned k = 0; k < shape->depth; k++) {
        unsigned block = k / (shape->depth / s->of_row);

        for (unsigned n = 0; n < COLUMNS; n++)
            b[k][n] *= scale_of(s, s->b[4 * n + s->lane_b], s->byte_b + block);
    }
}

static void scaled_product(struct emu_warp *w, const struct emu_op *op,
                           uint32_t mask, const struct shape *s,
                           enum element type_a, enum element type_b,
                           const struct scales *scales)
{
    double a[ROWS_MAX][DEPTH_MAX], b[2 * DEPTH_MAX][COLUMNS];
    double c[ROWS_MAX][COLUMNS];

    gather(w, op, s, type_a, type_b, a, b);
    apply_scales(scales, s, a, b);
    read_c(w, op, s->rows, 1, c);
    if (multiply(w, op, s, a, b, c))
        write_d(w, op, mask, s->rows, 1, c);
}

/* Types by the three bits of A's or B's, as sm_120 has them; 0: none. */
static enum element type_of_a(const struct emu_op *op)
{
    static const enum element types[8] = {E4M3, E5M2, E2M3, E2M1, 0, E3M2};

    return types[emu_bits(op, 82, 82) << 2 | emu_bits(op, 83, 83) << 1 |
                 emu_bits(op, 78, 78)];
}

static enum element type_of_b(const struct emu_op *op)
{
    static const enum element types[8] = {E4M3, E5M2, 0, E3M2, E2M3, E2M1};

    return types[emu_bits(op, 85, 85) << 2 | emu_bits(op, 84, 84) << 1 |
                 emu_bits(op, 79, 79)];
}

/* Of 8-, 6- and 4-bit floats in bytes, on sm_120; 0x47a has scales. */
static void qmma_120(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    static const unsigned depths[] = {16, 32, 64, 0};
    int is_scaled = emu_bits(op, 11, 0) == 0x47a;
    int is_sparse = emu_bit(op, 80);
    struct shape s = {
        16, is_scaled ? is_sparse ? 64 : 32 : depths[emu_bits(op, 76, 75)], 4,
        is_sparse};
    enum element type_a = type_of_a(op), type_b = type_of_b(op);
    struct scales scales = scales_of(w, op, 1, 0);

    /* Of PTX products of k of 16 are of 8-bit floats alone. */
    if (s.depth == 0 || s.is_sparse != (s.depth == 64) || type_a == 0 ||
        type_b == 0 || (s.depth == 16 && (type_a > E5M2 || type_b > E5M2)) ||
        (!is_scaled && has_predicate(op))) {
        emu_refuse(w, op);
        return;
    }
    if (is_scaled)
        scaled_product(w, op, mask, &s, type_a, type_b, &scales);
    else
        float_product(w, op, mask, &s, type_a, type_b, emu_bit(op, 77));
}

/* Of 8-bit floats (sm_89; sm_90 has none and makes halves of them). */
EXEC(qmma)
{
    static const unsigned depths[] = {16, 32, 64, 0};
    struct shape s = {16, depths[emu_bits(op, 76, 75)], 4, emu_bit(op, 80)};

    if (op->cc >= 120) {
        qmma_120(w, op, mask);
        return;
    }
    if (s.depth == 0 || s.is_sparse != (s.depth == 64) || has_predicate(op)) {
        emu_refuse(w, op);
        return;
    }
    float_product(w, op, mask, &s, emu_bit(op, 78) ? E5M2 : E4M3,
                  emu_bit(op, 79) ? E5M2 : E4M3, emu_bit(op, 77));
}

/* Of 4-bit floats with two or four scales a row. */
EXEC(omma)
{
    int is_sparse = emu_bit(op, 80);
    struct shape s = {16, is_sparse ? 128 : 64, 8, is_sparse};
    struct scales scales =
        scales_of(w, op, emu_bit(op, 83) ? 2 : 4, emu_bit(op, 82));

    if (emu_bits(op, 79, 78) != 0) { /* E0M3: not of PTX */
        emu_refuse(w, op);
        return;
    }
    scaled_product(w, op, mask, &s, E2M1_PACKED, E2M1_PACKED, &scales);
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
    static const struct shape shapes[] = {
        {8, 4, 1, 0}, {16, 4, 1, 0}, {16, 8, 1, 0}};
    double a[ROWS_MAX][DEPTH_MAX], b[DEPTH_MAX][COLUMNS];
    unsigned code = op->cc >= 90 ? emu_bits(op, 77, 76) : 0;
    struct shape s;

    if (code > 2 || emu_bits(op, 79, 78) != 0 || has_predicate(op)) {
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

/* A's rows by B's columns, in integers, for what is not sparse. */
static void integer_product(const struct emu_warp *w, const struct emu_op *op,
                            const struct shape *s, enum element type_a,
                            enum element type_b, int64_t sum[ROWS_MAX][COLUMNS])
{
    int32_t a[ROWS_MAX][DEPTH_MAX], b[DEPTH_MAX][COLUMNS];

    for (unsigned l = 0; l < EMU_LANES; l++) {
        for (unsigned r = 0; r < registers_of_a(s); r++) {
            unsigned row, column;

            element_of_a(s, l, r, &row, &column);
            for (unsigned i = 0; i < s->each; i++)
                a[row][column + i] =
                    integer_of(emu_row(w, op->a, r)[l], type_a, i);
        }
        for (unsigned r = 0; r < registers_of_b(s); r++) {
            for (unsigned i = 0; i < s->each; i++)
                b[s->each * (l % 4 + 4 * r) + i][l / 4] =
                    integer_of(emu_row(w, op->b, r)[l], type_b, i);
        }
    }
    for (unsigned m = 0; m < s->rows; m++) {
        for (unsigned k = 0; k < s->depth; k++) {
            for (unsigned n = 0; n < COLUMNS; n++)
                sum[m][n] += a[m][k] * b[k][n];
        }
    }
}

/* Whether it was done the short way. */
static int product_of_integers(struct emu_warp *w, const struct emu_op *op,
                               uint32_t mask, const struct shape *s,
                               enum element type_a, enum element type_b)
{
#ifdef __AVX2__
    const uint32_t *a[4] = {0}, *b[2] = {0}, *c[4] = {0};
    uint32_t d[4][EMU_LANES];

    if (s->is_sparse || registers_of_a(s) > 4 || registers_of_b(s) > 2)
        return 0;
    for (unsigned r = 0; r < registers_of_a(s); r++)
        a[r] = emu_row(w, op->a, r);
    for (unsigned r = 0; r < registers_of_b(s); r++)
        b[r] = emu_row(w, op->b, r);
    for (unsigned r = 0; r < s->rows / 4; r++)
        c[r] = emu_row(w, op->c, r);
    emu_product_of_integers(s->rows, registers_of_b(s), type_a < U4 ? 8 : 4,
                            type_a == S8 || type_a == S4,
                            type_b == S8 || type_b == S4, emu_bit(op, 82), a, b,
                            c, d);
    for (unsigned r = 0; r < s->rows / 4; r++)
        emu_write(w, op->d, r, mask, d[r]);
    return 1;
#else
    (void)w;
    (void)op;
    (void)mask;
    (void)s;
    (void)type_a;
    (void)type_b;
    return 0;
#endif
}

/* The same by a sparse A; doubles hold these sums exactly. */
static int sparse_product(struct emu_warp *w, const struct emu_op *op,
                          const struct shape *s, enum element type_a,
                          enum element type_b, int64_t sum[ROWS_MAX][COLUMNS])
{
    double a[ROWS_MAX][DEPTH_MAX], b[2 * DEPTH_MAX][COLUMNS];
    double c[ROWS_MAX][COLUMNS] = {{0}};

    gather(w, op, s, type_a, type_b, a, b);
    if (!multiply(w, op, s, a, b, c))
        return 0;
    for (unsigned m = 0; m < s->rows; m++) {
        for (unsigned n = 0; n < COLUMNS; n++)
            sum[m][n] = (int64_t)c[m][n];
    }
    return 1;
}

/* The shapes of 8-bit (0) and 4-bit numbers (1), dense (0) and sparse, by
 * their code.  (PTX ISA, mma and mma.sp) */
static const uint8_t imma_depths[2][2][8] = {
    {{16, 0, 0, 0, 16, 32, 0, 0}, {0, 0, 0, 0, 0, 32, 64, 0}},
    {{0, 0, 32, 0, 0, 32, 64, 0}, {0, 0, 0, 0, 0, 0, 64, 128}},
};

EXEC(imma)
{
    int64_t sum[ROWS_MAX][COLUMNS];
    unsigned type_a =
        (unsigned)emu_bit(op, 83) << 1 | (unsigned)emu_bit(op, 76);
    unsigned type_b =
        (unsigned)emu_bit(op, 84) << 1 | (unsigned)emu_bit(op, 78);
    unsigned code = (unsigned)emu_bit(op, 85) << 1 | (unsigned)emu_bit(op, 75);
    unsigned narrow = type_a >> 1;
    struct shape s = {0, 0, narrow ? 8 : 4, op->cc >= 80 && emu_bit(op, 72)};

    if (op->cc >= 80)
        code |= (unsigned)emu_bit(op, 86) << 2;
    s.rows = code < 4 ? 8 : 16;
    s.depth = imma_depths[narrow][s.is_sparse][code];
    if (s.depth == 0 || type_b >> 1 != narrow || has_predicate(op)) {
        emu_refuse(w, op);
        return;
    }
    if (product_of_integers(w, op, mask, &s, U8 + type_a, U8 + type_b))
        return;
    memset(sum, 0, sizeof sum);
    if (!s.is_sparse)
        integer_product(w, op, &s, U8 + type_a, U8 + type_b, sum);
    else if (!sparse_product(w, op, &s, U8 + type_a, U8 + type_b, sum))
        return;
    write_integers(w, op, mask, s.rows, emu_bit(op, 82), sum);
}

/* Bits: AND or XOR of a row of A and a column of B, ones counted. */
EXEC(bmma)
{
    static const struct shape shapes[] = {
        {8, 128, 32, 0}, {16, 128, 32, 0}, {16, 256, 32, 0}, {0, 0, 0, 0}};
    uint32_t a[ROWS_MAX][BITS_DEPTH_WORDS], b[COLUMNS][BITS_DEPTH_WORDS];
    int64_t sum[ROWS_MAX][COLUMNS];
    struct shape s = shapes[emu_bits(op, 76, 75)];
    int both = emu_bit(op, 78);

    if (s.rows == 0 || has_predicate(op)) {
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

const struct emu_row_of EMU_TABLE(matrix)[] = {
    {"HMMA", hmma},
    {"QMMA", qmma},
    {"OMMA", omma},
    {"IMMA", imma},
    {"BMMA", bmma},
    {"DMMA", dmma},
    {0},
};
