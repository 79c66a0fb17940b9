/*
 * Products of a warp group (sm_90a): 64 rows of A by N columns of B, which lie
 * in shared memory as descriptors say, A perhaps in registers.
 *
 * Models: each warp forms its 16 rows when it comes to the instruction; until
 * the group's wait, which is for all four warps, nobody may change what it
 * reads, so that is what the hardware gives.  Descriptors, layouts and swizzles
 * are those of NVIDIA's PTX ISA ("Matrix Descriptor Format", "Canonical
 * Layouts"), registers of its "Register Fragments" for wgmma: those of mma, for
 * every 8 columns.  Of a sparse product A has the half of its columns that count;
 * metadata in a register say for each warp's rows which (sparse.h).
 * Sums are formed in double precision and rounded once; the hardware cuts the
 * terms to a common exponent, of 8-bit floats to fewer bits.  Integers are
 * exact.
 * Leaves out: patterns of a swizzle that do not begin where their size says (base
 * offset), columns of a sparse product's B longer than theirs.
 */
#include <math.h>

#include "traces/emulate/core/half.h"
#include "traces/emulate/core/operand.h"
#include "traces/emulate/ops/products.h"
#include "traces/emulate/ops/sparse.h"
#include "traces/emulate/ops/tile.h"

enum {
    ROWS = 16, /* of a warp */
    COLUMNS = EMU_PRODUCT_COLUMNS,
    COLUMNS_MAX = 256,
    DEPTH_MAX = 256, /* of bits; 64 of others */
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
    BIT,
};

struct product {
    unsigned columns, depth; /* N, K */
    enum element a, b;
    int is_sparse;
};

static const uint8_t bits[] = {
    [HALF] = 16, [BF16] = 16,  [TF32] = 32,    [E4M3] = 8,
    [E5M2] = 8,  [SIGNED] = 8, [UNSIGNED] = 8, [BIT] = 1};

/* Elements of a chunk. */
static uint32_t each_of(const struct product *p)
{
    return 8 * CHUNK / bits[p->a];
}

/* Columns of A that are there. */
static unsigned stored_depth(const struct product *p)
{
    return p->is_sparse ? p->depth / 2 : p->depth;
}

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
    case UNSIGNED:
        return (double)(uint8_t)v;
    default:
        return (double)(v & 1);
    }
}

#ifdef __AVX2__
/* The `i`-th eight elements of a chunk in 16 bits each: as they are, or in the
 * upper byte; integers and E5M2, which is the upper byte of a half, as what they
 * mean. */
static inline __m128i codes_of(const uint8_t *chunk, enum element type,
                               unsigned i)
{
    __m128i all = _mm_loadu_si128((const __m128i *)chunk), upper;

    if (bits[type] == 16)
        return all;
    upper = i == 0 ? _mm_unpacklo_epi8(_mm_setzero_si128(), all)
                   : _mm_unpackhi_epi8(_mm_setzero_si128(), all);
    return type == SIGNED     ? _mm_srai_epi16(upper, 8)
           : type == UNSIGNED ? _mm_srli_epi16(upper, 8)
                              : upper;
}

/* E4M3 with a half's exponent, which is by 8 too small then. */
static inline __m256 e4m3_of(__m128i codes)
{
    const __m128i size = _mm_set1_epi16(0x7f00);
    __m128i is_nan = _mm_cmpeq_epi16(_mm_and_si128(codes, size), size);
    __m128i half = _mm_or_si128(_mm_andnot_si128(_mm_set1_epi16(0x7fff), codes),
                                _mm_srli_epi16(_mm_and_si128(codes, size), 1));

    half = _mm_or_si128(half, _mm_and_si128(is_nan, _mm_set1_epi16(0x7fff)));
    return _mm256_mul_ps(_mm256_cvtph_ps(half), _mm256_set1_ps(0x1p8f));
}

static inline void numbers_of(__m128i codes, enum element type, double out[8])
{
    __m256 v = type == E4M3 ? e4m3_of(codes)
               : type == SIGNED || type == UNSIGNED
                   ? _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(codes))
               : type == BF16 ? _mm256_castsi256_ps(_mm256_slli_epi32(
                                    _mm256_cvtepu16_epi32(codes), 16))
                              : _mm256_cvtph_ps(codes);

    _mm256_storeu_pd(out, _mm256_cvtps_pd(_mm256_castps256_ps128(v)));
    _mm256_storeu_pd(out + 4, _mm256_cvtps_pd(_mm256_extractf128_ps(v, 1)));
}

/* Eight rows of eight to eight columns. */
static inline void turn(__m128i v[8])
{
    __m128i x[8], y[8];

    for (unsigned i = 0; i < 4; i++) {
        x[2 * i] = _mm_unpacklo_epi16(v[2 * i], v[2 * i + 1]);
        x[2 * i + 1] = _mm_unpackhi_epi16(v[2 * i], v[2 * i + 1]);
    }
    for (unsigned i = 0; i < 8; i += 4) {
        for (unsigned k = 0; k < 2; k++) {
            y[i + 2 * k] = _mm_unpacklo_epi32(x[i + k], x[i + k + 2]);
            y[i + 2 * k + 1] = _mm_unpackhi_epi32(x[i + k], x[i + k + 2]);
        }
    }
    for (unsigned i = 0; i < 4; i++) {
        v[2 * i] = _mm_unpacklo_epi64(y[i], y[i + 4]);
        v[2 * i + 1] = _mm_unpackhi_epi64(y[i], y[i + 4]);
    }
}
#endif

/* Whether vector code above knows the type. */
static inline int is_vector(enum element type)
{
#ifdef __AVX2__
    return type != TF32 && type != BIT;
#else
    (void)type;
    return 0;
#endif
}

/* The elements of a word of 32 bits. */
static void values_of_word(uint32_t word, enum element type, double out[])
{
    unsigned wide = bits[type];

    for (unsigned i = 0; i < 32 / wide; i++)
        out[i] = value_of(
            wide < 32 ? word >> wide * i & ((1u << wide) - 1) : word, type);
}

/* The elements of a chunk. */
static void values_of(const uint8_t *chunk, enum element type, double out[])
{
#ifdef __AVX2__
    for (unsigned i = 0; is_vector(type) && i < 16u / bits[type]; i++)
        numbers_of(codes_of(chunk, type, i), type, out + 8 * i);
#endif
    for (unsigned i = 0; !is_vector(type) && i < CHUNK; i += 4) {
        uint32_t word;

        memcpy(&word, chunk + i, sizeof word);
        values_of_word(word, type, out + 8 * i / bits[type]);
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

/* The chunk with element (row, k); NULL after a fault. */
static const uint8_t *chunk_at(struct emu_warp *w, const struct emu_op *op,
                               const struct emu_tile *t, uint32_t row,
                               uint32_t k, uint32_t each)
{
    const struct emu_block *b = w->block;
    uint32_t at = emu_tile_chunk(t, row, k, each);

    if (at % CHUNK == 0 && at + CHUNK <= b->shared_bytes)
        return b->shared + at;
    return emu_generic(
        w, op, -1, EMU_SHARED_WINDOW + at + ((uint64_t)b->rank << EMU_RANK_BIT),
        CHUNK, EMU_READ);
}

/* The warp's rows of A, one behind the other; 0 after a fault. */
static int read_a(struct emu_warp *w, const struct emu_op *op,
                  const struct emu_tile *t, const struct product *p, double a[])
{
    uint32_t each = each_of(p), first = ROWS * (w->number % 4);
    uint32_t depth = stored_depth(p);
    uint32_t row_step = t->is_transposed ? each : 1;
    uint32_t k_step = t->is_transposed ? 1 : each;

    for (uint32_t row = 0; row < ROWS; row += row_step) {
        for (uint32_t k = 0; k < depth; k += k_step) {
            const uint8_t *chunk = chunk_at(w, op, t, first + row, k, each);
            double value[8 * CHUNK];

            if (chunk == NULL)
                return 0;
            if (!t->is_transposed) {
                values_of(chunk, p->a, &a[row * depth + k]);
                continue;
            }
            values_of(chunk, p->a, value);
            for (uint32_t i = 0; i < each; i++)
                a[(row + i) * depth + k] = value[i];
        }
    }
    return 1;
}

/* Elements of eight columns, [k] of them side by side, from a chunk of each. */
static void turn_chunks(const uint8_t *const chunk[COLUMNS],
                        const struct product *p, double to[][COLUMNS])
{
#ifdef __AVX2__
    for (unsigned i = 0; is_vector(p->b) && i < 16u / bits[p->b]; i++) {
        __m128i codes[COLUMNS];

        for (unsigned n = 0; n < COLUMNS; n++)
            codes[n] = codes_of(chunk[n], p->b, i);
        turn(codes);
        for (unsigned k = 0; k < COLUMNS; k++)
            numbers_of(codes[k], p->b, to[8 * i + k]);
    }
#endif
    for (unsigned n = 0; !is_vector(p->b) && n < COLUMNS; n++) {
        double value[8 * CHUNK];

        values_of(chunk[n], p->b, value);
        for (unsigned k = 0; k < each_of(p); k++)
            to[k][n] = value[k];
    }
}

/* Eight columns of B from the `n`-th on; 0 after a fault. */
static int read_b(struct emu_warp *w, const struct emu_op *op,
                  const struct emu_tile *t, const struct product *p, uint32_t n,
                  double b[][COLUMNS])
{
    uint32_t each = each_of(p);

    for (uint32_t k = 0; k < p->depth; k += t->is_transposed ? 1 : each) {
        const uint8_t *chunk[COLUMNS];

        for (uint32_t i = 0; i < (t->is_transposed ? 1 : COLUMNS); i++) {
            chunk[i] = chunk_at(w, op, t, n + i, k, each);
            if (chunk[i] == NULL)
                return 0;
        }
        if (t->is_transposed)
            values_of(chunk[0], p->b, b[k]);
        else
            turn_chunks(chunk, p, &b[k]);
    }
    return 1;
}

/* A of four registers: row g and g + 8, the lane's elements of the first half of
 * K and of the second. */
static void read_registers(const struct emu_warp *w, unsigned reg,
                           const struct product *p, double a[])
{
    unsigned each = 32 / bits[p->a], depth = stored_depth(p);

    for (unsigned r = 0; r < 4; r++) {
        for (unsigned l = 0; l < EMU_LANES; l++) {
            unsigned row = l / 4 + 8 * (r % 2);

            values_of_word(reg + r < TEG_SASS_RZ ? w->r[reg + r][l] : 0, p->a,
                           &a[row * depth + each * (l % 4 + 4 * (r / 2))]);
        }
    }
}

/* ---- accumulators ------------------------------------------------------------------- */

/* How C and D are: single precision, halves or integers. */
enum sums {
    SINGLES,
    HALVES,
    INTEGERS,
};

/* Beyond 32 bits the sum is cut, or with `saturates` the nearest. */
static uint32_t integer_of(double sum, int saturates)
{
    if (saturates)
        return (uint32_t)(int32_t)fmin(fmax(sum, INT32_MIN), INT32_MAX);
    return (uint32_t)(int64_t)sum;
}

/* Eight rows by eight columns: lane l = 4 g + t has numbers 2 t and 2 t + 1 of row
 * g, in a register of each, or as halves in one. */
static void read_c(uint32_t (*reg)[EMU_LANES], enum sums how,
                   double to[8 * COLUMNS])
{
    if (how == SINGLES)
        emu_singles_of(reg[0], reg[1], to);
    for (unsigned l = 0; l < EMU_LANES && how != SINGLES; l++) {
        to[2 * l] = how == HALVES ? (double)half_value(reg[0][l] & 0xffff)
                                  : (double)(int32_t)reg[0][l];
        to[2 * l + 1] = how == HALVES ? (double)half_value(reg[0][l] >> 16)
                                      : (double)(int32_t)reg[1][l];
    }
}

static void write_d(uint32_t (*reg)[EMU_LANES], enum sums how, int saturates,
                    const double from[8 * COLUMNS])
{
    if (how == SINGLES)
        emu_singles_from(from, reg[0], reg[1]);
    for (unsigned l = 0; l < EMU_LANES && how == HALVES; l++)
        reg[0][l] = half_bits(from[2 * l]) | half_bits(from[2 * l + 1]) << 16;
    for (unsigned l = 0; l < EMU_LANES && how == INTEGERS; l++) {
        reg[0][l] = integer_of(from[2 * l], saturates);
        reg[1][l] = integer_of(from[2 * l + 1], saturates);
    }
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

    if (p->a >= SIGNED)
        return !turns && !negates;
    if (is_half && (p->a == BF16 || p->a == TF32))
        return 0;
    return !turns || bits[p->a] == 16;
}

/* Adds eight columns' products to those of C that the registers from `c` on hold
 * (NULL: none), into those from `d` on. */
static void sum_up(double product[ROWS][COLUMNS], int sign, enum sums how,
                   int saturates, uint32_t (*c)[EMU_LANES],
                   uint32_t (*d)[EMU_LANES])
{
    for (unsigned upper = 0; upper < 2; upper++) {
        unsigned reg = how == HALVES ? upper : 2 * upper;
        double before[8 * COLUMNS], *now = product[8 * upper];

        if (c != NULL)
            read_c(&c[reg], how, before);
        for (unsigned i = 0; i < 8 * COLUMNS; i++)
            now[i] *= sign;
        for (unsigned i = 0; i < 8 * COLUMNS && c != NULL; i++)
            now[i] += before[i];
        write_d(&d[reg], how, saturates, now);
    }
}

/* Where the factors are: A's rows and for a sparse one their columns, B's tile. */
struct factors {
    double a[ROWS * DEPTH_MAX];
    uint8_t column[EMU_SPARSE_ROWS][EMU_SPARSE_STORED];
    struct emu_tile b;
};

/* 0 after a fault. */
static int find_factors(struct emu_warp *w, const struct emu_op *op,
                        const struct product *p, int from_registers,
                        struct factors *f)
{
    unsigned uniform =
        from_registers ? emu_bits(op, 37, 32) : emu_bits(op, 29, 24);
    struct emu_tile tile;

    if (from_registers)
        read_registers(w, emu_bits(op, 31, 24), p, f->a);
    else if (!tile_of(w, op, uniform, emu_bit(op, 61), &tile) ||
             !read_a(w, op, &tile, p, f->a))
        return 0;
    if (!tile_of(w, op, uniform + 2, emu_bit(op, 62), &f->b))
        return 0;
    if (!p->is_sparse)
        return 1;
    if (!f->b.is_transposed && f->b.swizzle == 2) {
        emu_fault(w, op, -1, TEG_LIMIT,
                  "columns of 64 bytes with a swizzle of 32 are not emulated");
        return 0;
    }
    return emu_sparse_columns(w, op, p->depth, 32 / bits[p->a], f->column);
}

/* The warp's rows by eight columns of B from the `n`-th on; 0 after a fault. */
static int multiply_columns(struct emu_warp *w, const struct emu_op *op,
                            const struct product *p, struct factors *f,
                            uint32_t n, double product[ROWS][COLUMNS])
{
    double b[DEPTH_MAX][COLUMNS];
    const struct emu_rows of_a = {f->a, stored_depth(p)};
    const struct emu_rows of_b = {b[0], COLUMNS}, of_c = {product[0], COLUMNS};

    if (!read_b(w, op, &f->b, p, n, b))
        return 0;
    if (p->is_sparse)
        return emu_sparse_multiply(w, op, f->column, stored_depth(p), of_a,
                                   of_b, of_c);
    emu_multiply(ROWS, p->depth, of_a, of_b, of_c);
    return 1;
}

static void multiply(struct emu_warp *w, const struct emu_op *op, uint32_t mask,
                     const struct product *p)
{
    int from_registers = emu_bits(op, 11, 8) == 0xd;
    enum sums how = p->a >= SIGNED     ? INTEGERS
                    : !emu_bit(op, 75) ? HALVES
                                       : SINGLES;
    unsigned d = emu_bits(op, 23, 16), c = emu_bits(op, 71, 64);
    unsigned each = how == HALVES ? 2 : 4; /* registers of eight columns */
    unsigned registers = p->columns / COLUMNS * each;
    int has_c = adds(w, op) && c != TEG_SASS_RZ;
    int sign = emu_bit(op, 72) != emu_bit(op, 63) ? -1 : 1;
    struct factors f;

    if (!is_of_ptx(op, p, from_registers, how == HALVES)) {
        emu_refuse(w, op);
        return;
    }
    if (mask != EMU_ALL || d + registers > TEG_SASS_RZ ||
        (has_c && c + registers > TEG_SASS_RZ)) {
        emu_fault(w, op, -1, TEG_LIMIT,
                  mask != EMU_ALL ? "expected all lanes of the warp"
                                  : "the accumulators leave the registers");
        return;
    }
    if (!find_factors(w, op, p, from_registers, &f))
        return;
    for (unsigned n = 0; n < p->columns / COLUMNS; n++) {
        double product[ROWS][COLUMNS] = {{0}};

        if (!multiply_columns(w, op, p, &f, COLUMNS * n, product))
            return;
        sum_up(product, sign, how, emu_bit(op, 75),
               has_c ? &w->r[c + each * n] : NULL, &w->r[d + each * n]);
    }
    w->products += emu_bits(op, 86, 84) != NO_GROUP;
}

static unsigned columns_of(const struct emu_op *op)
{
    return 8 * (emu_bits(op, 57, 53) + 1);
}

/* Sparse ones are twice as deep. */
static int is_sparse(const struct emu_op *op)
{
    return emu_bit(op, 73);
}

EXEC(hgmma)
{
    static const enum element types[4] = {HALF, BF16, TF32, TF32};
    /* K by its code, of TF32 last, of dense products and of sparse ones */
    static const uint8_t depths[2][2] = {{0, 1}, {2, 0}};
    enum element type = types[emu_bits(op, 77, 76)];
    const struct product p = {columns_of(op),
                              (type == TF32 ? 8u : 16u) << is_sparse(op), type,
                              type, is_sparse(op)};

    if (emu_bits(op, 59, 58) != depths[p.is_sparse][type == TF32])
        emu_refuse(w, op);
    else
        multiply(w, op, mask, &p);
}

EXEC(igmma)
{
    /* N by its accumulator: its code is not that of floats */
    const struct product p = {2u * op->d->count, 32u << is_sparse(op),
                              emu_bit(op, 76) ? SIGNED : UNSIGNED,
                              emu_bit(op, 82) ? SIGNED : UNSIGNED,
                              is_sparse(op)};

    if (p.columns > COLUMNS_MAX ||
        emu_bits(op, 58, 53) % 3 != (unsigned)p.is_sparse)
        emu_refuse(w, op);
    else
        multiply(w, op, mask, &p);
}

EXEC(qgmma)
{
    const struct product p = {columns_of(op), 32u << is_sparse(op),
                              emu_bit(op, 76) ? E5M2 : E4M3,
                              emu_bit(op, 77) ? E5M2 : E4M3, is_sparse(op)};

    multiply(w, op, mask, &p);
}

/* Ones that two bits have in common are counted. */
EXEC(bgmma)
{
    const struct product p = {2u * op->d->count, 256, BIT, BIT, 0};

    if (p.columns > COLUMNS_MAX)
        emu_refuse(w, op);
    else
        multiply(w, op, mask, &p);
}

/* More registers are there at once. */
EXEC(usetmaxreg)
{
    emu_write_predicate(w, op->u, mask, EMU_ALL);
}

const struct emu_row_of EMU_TABLE(gmma)[] = {
    {"BGMMA", bgmma}, {"HGMMA", hgmma},           {"IGMMA", igmma},
    {"QGMMA", qgmma}, {"USETMAXREG", usetmaxreg}, {0},
};
