/*
 * Products of a warp group (sm_90a): 64 rows of A by N columns of B, which lie
 * in shared memory as descriptors say, A perhaps in registers.
 *
 * Models: each warp forms its 16 rows when it comes to the instruction; until
 * the group's wait, which is for all four warps, nobody may change what it
 * reads, so that is what the hardware gives.  Descriptors, layouts and swizzles
 * are those of NVIDIA's PTX ISA ("Matrix Descriptor Format", "Canonical
 * Layouts"), registers of its "Register Fragments" for wgmma: those of mma, for
 * every 8 columns.
 * Sums are formed in double precision and rounded once; the hardware cuts the
 * terms to a common exponent, of 8-bit floats to fewer bits.  Integers are
 * exact.
 * Leaves out: products of bits, sparse ones, patterns of a swizzle that do not
 * begin where their size says (base offset).
 */
#include <math.h>

#include "traces/emulate/core/half.h"
#include "traces/emulate/core/operand.h"
#include "traces/emulate/ops/products.h"
#include "traces/emulate/ops/tile.h"

enum {
    ROWS = 16, /* of a warp */
    COLUMNS_MAX = 256,
    DEPTH_MAX = 32,
    CHUNK = EMU_TILE_CHUNK,
    NO_GROUP = 7, /* its gsb: more products belong to it */
};

enum element {
    HALF,
    BF16,
    TF32,
    E4M3,
    E5M2,
    SIGNED,
    UNSIGNED,
};

struct product {
    unsigned columns, depth; /* N, K */
    unsigned bytes;          /* of an element */
    enum element a, b;
};

/* ---- elements ------------------------------------------------------------------ */

static double value_of(uint32_t v, enum element type)
{
    switch (type) {
    case HALF:
        return (double)half_value(v);
    case BF16:
        return (double)bf16_value(v);
    case TF32: /* the lower bits do not count */
        return (double)float_of(v & 0xffffe000);
    case E4M3:
        return (double)e4m3_value(v);
    case E5M2:
        return (double)e5m2_value(v);
    case SIGNED:
        return (double)(int8_t)v;
    default:
        return (double)(uint8_t)v;
    }
}

/* The elements of a chunk. */
static void values_of(const uint8_t *chunk, unsigned bytes, enum element type,
                      double out[CHUNK])
{
    if (type == HALF) {
        emu_halves(chunk, out);
        return;
    }
    for (unsigned i = 0; i < CHUNK / bytes; i++) {
        uint32_t v = 0;

        for (unsigned byte = 0; byte < bytes; byte++)
            v |= (uint32_t)chunk[i * bytes + byte] << 8 * byte;
        out[i] = value_of(v, type);
    }
}

/* ---- tiles in shared memory -------------------------------------------------------- */

static int tile_of(struct emu_warp *w, const struct emu_op *op,
                   unsigned uniform, int is_transposed, struct emu_tile *t)
{
    static const uint8_t swizzles[4] = {1, 8, 4, 2};
    uint32_t low = w->r[EMU_UNIFORM_ROW + (uniform & 63)][0];
    uint32_t high = w->r[EMU_UNIFORM_ROW + ((uniform + 1) & 63)][0];

    t->start = (low & 0x3fff) << 4;
    t->leading = (low >> 16 & 0x3fff) << 4;
    t->stride = (high & 0x3fff) << 4;
    t->swizzle = swizzles[high >> 30];
    t->is_transposed = is_transposed;
    t->by_pairs = 0;
    if ((high >> 17 & 7) == 0)
        return 1;
    emu_fault(w, op, -1, TEG_LIMIT,
              "a descriptor with a base offset is not emulated");
    return 0;
}

/* Where elements go: rows and K by so many numbers. */
struct place {
    double *at;
    size_t row, k;
};

/* Elements (first, 0) to (first + rows - 1, depth - 1); 0 after a fault. */
static int read_tile(struct emu_warp *w, const struct emu_op *op,
                     const struct emu_tile *t, const struct product *p,
                     enum element type, uint32_t first, uint32_t rows,
                     struct place out)
{
    uint32_t each = CHUNK / p->bytes;
    uint32_t row_step = t->is_transposed ? each : 1;
    uint32_t k_step = t->is_transposed ? 1 : each;
    size_t step = t->is_transposed ? out.row : out.k;

    for (uint32_t row = 0; row < rows; row += row_step) {
        for (uint32_t k = 0; k < p->depth; k += k_step) {
            uint32_t at = emu_tile_chunk(t, first + row, k, each);
            const uint8_t *chunk =
                emu_generic(w, op, -1,
                            EMU_SHARED_WINDOW + at +
                                ((uint64_t)w->block->rank << EMU_RANK_BIT),
                            CHUNK, EMU_READ);
            double *to = out.at + row * out.row + k * out.k, value[CHUNK];

            if (chunk == NULL)
                return 0;
            values_of(chunk, p->bytes, type, value);
            for (uint32_t i = 0; i < each; i++)
                to[i * step] = value[i];
        }
    }
    return 1;
}

/* A of four registers: row g and g + 8, the lane's elements of the first half of
 * K and of the second. */
static void read_registers(const struct emu_warp *w, unsigned reg,
                           const struct product *p, double a[][DEPTH_MAX])
{
    unsigned each = 4 / p->bytes, bits = 8 * p->bytes;

    for (unsigned r = 0; r < 4; r++) {
        for (unsigned l = 0; l < EMU_LANES; l++) {
            uint32_t word = reg + r < TEG_SASS_RZ ? w->r[reg + r][l] : 0;

            for (unsigned i = 0; i < each; i++) {
                uint32_t v = word >> bits * i;

                if (bits < 32)
                    v &= (1u << bits) - 1;
                a[l / 4 + 8 * (r % 2)][each * (l % 4 + 4 * (r / 2)) + i] =
                    value_of(v, p->a);
            }
        }
    }
}

/* ---- accumulators ------------------------------------------------------------------- */

/* Where D has (row, column): the register behind the first, and the lane. */
static void element_of_d(unsigned row, unsigned column, unsigned *reg,
                         unsigned *lane)
{
    *reg = 4 * (column / 8) + 2 * (row / 8) + column % 2;
    *lane = 4 * (row % 8) + column % 8 / 2;
}

static double read_c(const struct emu_warp *w, unsigned first, unsigned reg,
                     unsigned lane, int is_integer, int is_half)
{
    uint32_t word;

    if (is_half)
        return (double)half_value(
            w->r[first + reg / 2][lane] >> 16 * (reg % 2) & 0xffff);
    word = w->r[first + reg][lane];
    return is_integer ? (double)(int32_t)word : (double)float_of(word);
}

/* Beyond 32 bits the sum is cut, or with `saturates` the nearest. */
static uint32_t integer_of(double sum, int saturates)
{
    if (saturates)
        return (uint32_t)(int32_t)fmin(fmax(sum, INT32_MIN), INT32_MAX);
    return (uint32_t)(int64_t)sum;
}

static void write_d(struct emu_warp *w, unsigned first, unsigned reg,
                    unsigned lane, double sum, int is_half)
{
    uint32_t *word = &w->r[first + reg / 2][lane];
    unsigned shift = 16 * (reg % 2);

    if (is_half)
        *word = (*word & ~(0xffffu << shift)) | half_bits(sum) << shift;
    else
        w->r[first + reg][lane] =
            isnan(sum) ? 0x7fffffff : float_bits((float)sum);
}

/* ---- the instructions ------------------------------------------------------------------ */

/* Whether C counts: a uniform predicate, stored inverted. */
static int adds(const struct emu_warp *w, const struct emu_op *op)
{
    unsigned p = emu_bits(op, 89, 87) ^ TEG_SASS_PT;
    int value = p == TEG_SASS_PT || w->up[p];

    return emu_bit(op, 90) ? !value : value;
}

/* Whether PTX has it: tiles of 16-bit elements alone are turned over (61, of A in
 * shared memory, and 62), floats alone negated (72, 63), and sums of halves are
 * of halves and of 8-bit floats. */
static int is_of_ptx(const struct emu_op *op, const struct product *p,
                     int from_registers, int is_half)
{
    int turns = emu_bit(op, 62) || (!from_registers && emu_bit(op, 61));
    int negates = emu_bit(op, 72) || emu_bit(op, 63);

    if (p->a == SIGNED || p->a == UNSIGNED)
        return !turns && !negates;
    if (is_half && (p->a == BF16 || p->a == TF32))
        return 0;
    return !turns || p->bytes == 2;
}

static void sum_up(const struct product *p, double a[][DEPTH_MAX],
                   double b[][COLUMNS_MAX], double sums[][COLUMNS_MAX])
{
    memset(sums, 0, ROWS * sizeof sums[0]);
    for (unsigned n = 0; n < p->columns; n += EMU_PRODUCT_COLUMNS)
        emu_multiply(ROWS, p->depth, (struct emu_rows){a[0], DEPTH_MAX},
                     (struct emu_rows){&b[0][n], COLUMNS_MAX},
                     (struct emu_rows){&sums[0][n], COLUMNS_MAX});
}

static void multiply(struct emu_warp *w, const struct emu_op *op, uint32_t mask,
                     const struct product *p)
{
    int from_registers = emu_bits(op, 11, 8) == 0xd;
    int is_integer = p->a == SIGNED || p->a == UNSIGNED;
    int is_half = !is_integer && !emu_bit(op, 75);
    unsigned uniform =
        from_registers ? emu_bits(op, 37, 32) : emu_bits(op, 29, 24);
    unsigned d = emu_bits(op, 23, 16), c = emu_bits(op, 71, 64);
    int has_c = adds(w, op) && c != TEG_SASS_RZ;
    int sign = emu_bit(op, 72) != emu_bit(op, 63) ? -1 : 1;
    struct emu_tile tile;
    double a[ROWS][DEPTH_MAX], b[DEPTH_MAX][COLUMNS_MAX];
    double sums[ROWS][COLUMNS_MAX];

    if (!is_of_ptx(op, p, from_registers, is_half)) {
        emu_refuse(w, op);
        return;
    }
    if (mask != EMU_ALL || d + p->columns / (is_half ? 4 : 2) > TEG_SASS_RZ ||
        (has_c && c + p->columns / (is_half ? 4 : 2) > TEG_SASS_RZ)) {
        emu_fault(w, op, -1, TEG_LIMIT,
                  mask != EMU_ALL ? "expected all lanes of the warp"
                                  : "the accumulators leave the registers");
        return;
    }
    if (from_registers) {
        read_registers(w, emu_bits(op, 31, 24), p, a);
    } else if (!tile_of(w, op, uniform, emu_bit(op, 61), &tile) ||
               !read_tile(w, op, &tile, p, p->a, ROWS * (w->number % 4), ROWS,
                          (struct place){a[0], DEPTH_MAX, 1})) {
        return;
    }
    if (!tile_of(w, op, uniform + 2, emu_bit(op, 62), &tile) ||
        !read_tile(w, op, &tile, p, p->b, 0, p->columns,
                   (struct place){b[0], 1, COLUMNS_MAX}))
        return;
    sum_up(p, a, b, sums);
    w->products += emu_bits(op, 86, 84) != NO_GROUP;
    for (unsigned row = 0; row < ROWS; row++) {
        for (unsigned n = 0; n < p->columns; n++) {
            unsigned reg, lane;
            double sum = sign * sums[row][n];

            element_of_d(row, n, &reg, &lane);
            if (has_c)
                sum += read_c(w, c, reg, lane, is_integer, is_half);
            if (is_integer)
                w->r[d + reg][lane] = integer_of(sum, emu_bit(op, 75));
            else
                write_d(w, d, reg, lane, sum, is_half);
        }
    }
}

static unsigned columns_of(const struct emu_op *op)
{
    return 8 * (emu_bits(op, 57, 53) + 1);
}

EXEC(hgmma)
{
    static const enum element types[4] = {HALF, BF16, TF32, TF32};
    enum element type = types[emu_bits(op, 77, 76)];
    const struct product p = {columns_of(op), type == TF32 ? 8 : 16,
                              type == TF32 ? 4 : 2, type, type};

    if (emu_bit(op, 58) != (type == TF32))
        emu_refuse(w, op);
    else
        multiply(w, op, mask, &p);
}

EXEC(igmma)
{
    /* N by its accumulator: its code is not that of floats */
    const struct product p = {2u * op->d->count, 32, 1,
                              emu_bit(op, 76) ? SIGNED : UNSIGNED,
                              emu_bit(op, 82) ? SIGNED : UNSIGNED};

    if (p.columns > COLUMNS_MAX || emu_bits(op, 58, 53) % 3 != 0)
        emu_refuse(w, op);
    else
        multiply(w, op, mask, &p);
}

EXEC(qgmma)
{
    const struct product p = {columns_of(op), 32, 1,
                              emu_bit(op, 76) ? E5M2 : E4M3,
                              emu_bit(op, 77) ? E5M2 : E4M3};

    multiply(w, op, mask, &p);
}

/* More registers are there at once. */
EXEC(usetmaxreg)
{
    emu_write_predicate(w, op->u, mask, EMU_ALL);
}

const struct emu_row_of EMU_TABLE(gmma)[] = {
    {"HGMMA", hgmma},
    {"IGMMA", igmma},
    {"QGMMA", qgmma},
    {"USETMAXREG", usetmaxreg},
    {0},
};
