/*
 * Tensor memory (sm_100) under a reference: products of all kinds, shapes,
 * layouts and swizzles, of one block and of a pair, element by element as the
 * PTX ISA has them (descriptors, canonical layouts as CuTe's shapes and strides,
 * data path layouts A, B, D and F), sums exact; loads and stores of all shapes by
 * the strides of CUTLASS's copy traits.  All 128 lanes of 512 columns are
 * compared, so what is written elsewhere is found too.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help_launch.h"
#include "tests/help_suite.h"
#include "tests/traces/emulate/help_single.h"
#include "tests/traces/emulate/help_words.h"
#include "traces/emulate/core/half.h"
#include "traces/emulate/core/tensor_memory.h"

enum {
    MEMORY = 65536,
    A_AT = 0,
    B_AT = 32768,
    LANES = EMU_TENSOR_LANES,
    COLUMNS = EMU_TENSOR_COLUMNS,
    /* uniform registers */
    UR_E = 4,
    UR_D = 6,
    UR_A = 8,
    UR_B = 10,
    UR_SCALES = 12,
    TRIALS = HELP_ROUNDS(200),
};

static struct help_single *h;
static struct emu_block block[2];
static struct emu_tensor_memory *tensor[2], *before[2];
static uint8_t memory[2][MEMORY + 16];
static uint64_t state;
static uint32_t sm; /* generation */

static void setup(void)
{
    sm = 100;
    h = help_single_new();
    ck_assert_ptr_nonnull(h);
    for (int i = 0; i < 2; i++) {
        tensor[i] = calloc(1, sizeof *tensor[i]);
        before[i] = calloc(1, sizeof *before[i]);
        ck_assert(tensor[i] != NULL && before[i] != NULL);
        block[i] = h->block;
        block[i].cc = sm;
        block[i].tensor = tensor[i];
        block[i].shared = memory[i];
        block[i].shared_bytes = MEMORY;
        block[i].cluster = block;
        block[i].cluster_blocks = 2;
        block[i].rank = (uint32_t)i;
    }
    h->warp.block = &block[0];
}

static void teardown(void)
{
    for (int i = 0; i < 2; i++) {
        free(tensor[i]);
        free(before[i]);
    }
    help_single_free(h);
}

static void set_uniform(unsigned number, uint32_t value)
{
    for (int l = 0; l < EMU_LANES; l++)
        h->warp.r[EMU_UNIFORM_ROW + number][l] = value;
}

static teg_status run(uint64_t low, uint64_t high)
{
    const uint64_t word[2] = {low, high};
    struct emu_fixed fixed = {0};

    ck_assert(help_single_prepare(h, word, sm, 0));
    h->block.cc = sm;
    ck_assert(emu_fixed_init(&fixed, &h->op, 1, &block[0], &h->d) == TEG_OK);
    block[0].status = TEG_OK;
    h->op.exec(&h->warp, &h->op, EMU_ALL);
    emu_fixed_release(&fixed);
    return block[0].status;
}

/* ---- numbers -------------------------------------------------------------------- */

/* Codes that are drawn have exponents from `least` on, `some` of them, so that
 * sums are exact in double precision. */
static const struct format {
    const char *name;
    unsigned bits, exponent, fraction, least, some;
    unsigned side; /* bits that one has in shared memory, with those unused */
} formats[] = {
    {"f16", 16, 5, 10, 10, 10, 16},  {"bf16", 16, 8, 7, 120, 14, 16},
    {"tf32", 32, 8, 23, 122, 8, 32}, {"e4m3", 8, 4, 3, 0, 15, 8},
    {"e5m2", 8, 5, 2, 10, 10, 8},    {"e2m3", 6, 2, 3, 0, 4, 8},
    {"e3m2", 6, 3, 2, 0, 8, 8},      {"e2m1", 4, 2, 1, 0, 4, 8},
    {"mx4", 4, 2, 1, 0, 4, 4},       {"s8", 8, 0, 0, 0, 0, 8},
    {"u8", 8, 0, 0, 0, 0, 8},
};

enum {
    F16,
    BF16,
    TF32,
    E4M3,
    E5M2,
    E2M3,
    E3M2,
    E2M1,
    MX4,
    S8,
    U8
};

static uint32_t draw(const struct format *f)
{
    uint32_t fraction = help_below(&state, 1u << (f->fraction % 24));
    uint32_t exponent, sign = help_below(&state, 2);

    if (f->exponent == 0)
        return help_below(&state, 256);
    exponent = f->least + help_below(&state, f->some);
    if (f == &formats[TF32])
        fraction &= ~0x1fffu;
    return sign << (f->exponent + f->fraction) | exponent << f->fraction |
           fraction;
}

static double value_of(const struct format *f, uint32_t code)
{
    uint32_t e = code >> f->fraction & ((1u << f->exponent) - 1);
    uint32_t m = code & (uint32_t)((UINT64_C(1) << f->fraction) - 1);
    int bias;
    double size;

    if (f == &formats[S8])
        return (double)(int)(code ^ 128) - 128;
    if (f == &formats[U8])
        return code;
    bias = (1 << (f->exponent - 1)) - 1;
    size = e == 0 ? ldexp(m, 1 - bias - (int)f->fraction)
                  : ldexp(m + (1u << f->fraction),
                          (int)e - bias - (int)f->fraction);
    return code >> (f->exponent + f->fraction) & 1 ? -size : size;
}

/* ---- factors in shared memory ------------------------------------------------------ */

static const struct swizzle {
    unsigned code, width; /* in 16 bytes */
} swizzles[] = {{0, 1}, {6, 2}, {4, 4}, {2, 8}};

struct tile {
    const struct format *f;
    unsigned swizzle; /* index */
    int turned;
    uint32_t start, leading, stride; /* bytes */
};

static uint32_t random_offset(uint32_t least)
{
    return (least + 127) / 128 * 128 * (1 + help_below(&state, 2));
}

/* Offsets between the parts of a tile of `rows` by 32 bytes so that none are on
 * top of each other. */
static struct tile random_tile(const struct format *f, uint32_t start,
                               int turned, unsigned rows)
{
    struct tile t = {f, help_below(&state, 4), turned, start, 0, 0};
    unsigned each = 128 / f->side, width = swizzles[t.swizzle].width;
    uint32_t core = 128 * width, chunks = (rows + each - 1) / each;

    if (!turned && width == 1) {
        t.stride = core;
        t.leading = random_offset(rows / 8 * core);
    } else if (!turned) {
        t.stride = core;
        t.leading = 16 * help_below(&state, 4); /* says nothing */
    } else if (width == 1) {
        t.stride = core;
        t.leading = random_offset(chunks * core);
    } else {
        t.leading = core;
        t.stride = random_offset((chunks + width - 1) / width * core);
    }
    return t;
}

static uint64_t descriptor_of(const struct tile *t)
{
    return t->start >> 4 | (uint64_t)(t->leading >> 4) << 16 |
           (uint64_t)(t->stride >> 4) << 32 | UINT64_C(1) << 46 |
           (uint64_t)swizzles[t->swizzle].code << 61;
}

/* The byte with element (row, k), and the bit in it, by CuTe's shapes and
 * strides of the canonical layouts in elements of 16 bytes. */
static uint32_t place_of(const struct tile *t, unsigned row, unsigned k,
                         unsigned *bit)
{
    unsigned each = 128 / t->f->side, s = swizzles[t->swizzle].width;
    uint32_t at, inside, mask = s - 1;

    if (!t->turned) { /* ((8,m),(T,2)):((sT,SBO),(1,s == 1 ? LBO : T)) */
        at = row % 8 * s * 16 + row / 8 * t->stride +
             k / each * (s == 1 ? t->leading : 16);
        inside = k % each;
    } else { /* ((T,s,m),(8,k)):((1,T,LBO),(sT,SBO)), the other way round of 1 */
        at = row / each % s * 16 +
             row / each / s * (s == 1 ? t->stride : t->leading) +
             k % 8 * s * 16 + k / 8 * (s == 1 ? t->leading : t->stride);
        inside = row % each;
    }
    at += t->start;
    at ^= (at & mask << 7) >> 3; /* Swizzle<log2 s, 4, 3> */
    *bit = inside * t->f->bits;
    return at + *bit / 8;
}

static void put_code(const struct tile *t, uint8_t *shared, unsigned row,
                     unsigned k, uint32_t code)
{
    unsigned bit;
    uint32_t at = place_of(t, row, k, &bit);

    for (unsigned i = 0; i < t->f->bits; i++) {
        unsigned b = bit % 8 + i;

        shared[at + b / 8] = (uint8_t)((shared[at + b / 8] & ~(1u << b % 8)) |
                                       (code >> i & 1) << b % 8);
    }
}

/* ---- products ---------------------------------------------------------------------- */

struct kind {
    uint64_t low, high; /* of the word */
    int a[5], b[5];     /* formats, up to -1 */
    int code_of[11];    /* in the descriptor */
    unsigned depth;
    unsigned scales; /* of a row */
    int has_halves;  /* sums of 16 bits */
};

/* Words as ptxas 13.0 makes them of tcgen05.mma with these registers. */
static const struct kind kinds[] = {
    {0x00ff040a080075ea,
     0x0001d80008000006,
     {F16, BF16, -1},
     {F16, BF16, -1},
     {[F16] = 0, [BF16] = 1},
     16,
     0,
     1},
    {0x00ff040a080075ea,
     0x0001d80008000006,
     {TF32, -1},
     {TF32, -1},
     {[TF32] = 2},
     8,
     0,
     0},
    {0x00ff040a080075ea,
     0x0001d80008000306,
     {E4M3, E5M2, E2M3, E3M2, E2M1},
     {E4M3, E5M2, E2M3, E3M2, E2M1},
     {[E4M3] = 0, [E5M2] = 1, [E2M3] = 3, [E3M2] = 4, [E2M1] = 5},
     32,
     0,
     1},
    {0x00ff040a080075ea,
     0x0001d80008000106,
     {S8, U8, -1},
     {S8, U8, -1},
     {[U8] = 0, [S8] = 1},
     32,
     0,
     0},
    {0x000c040a08007dea,
     0x0001d80008000306,
     {E4M3, E5M2, E2M3, E3M2, E2M1},
     {E4M3, E5M2, E2M3, E3M2, E2M1},
     {[E4M3] = 0, [E5M2] = 1, [E2M3] = 3, [E3M2] = 4, [E2M1] = 5},
     32,
     1,
     0},
    {0xc00c040a080075ea,
     0x0001d80008000006,
     {MX4, -1},
     {MX4, -1},
     {[MX4] = 1},
     64,
     2,
     0},
    {0x800c040a080075ea,
     0x0001d80008000006,
     {MX4, -1},
     {MX4, -1},
     {[MX4] = 1},
     64,
     4,
     0},
};

struct product {
    const struct kind *kind;
    const struct format *a, *b;
    unsigned m, n, rows; /* rows: of a block */
    int pair, halves, integers, adds, negates, saturates, from_tensor;
    unsigned d; /* column */
    struct tile tile_a, tile_b;
    uint32_t desc;
    unsigned column_a, scale_a, scale_b, first_a, first_b;
    int e4m3;
    int stationary, sparse;
    unsigned depth, keeps, hints, metadata, selector;
    double value_a[2][128][128], value_b[256][128];
};

static const struct format *pick(const int list[5])
{
    unsigned count = 0;

    while (count < 5 && list[count] >= 0)
        count++;
    return &formats[list[help_below(&state, count)]];
}

static int may_turn(const struct format *f)
{
    return f->bits >= 8 && f != &formats[TF32] && help_below(&state, 2);
}

/* A shape and types that the PTX ISA lists for the kind. */
static void draw_product(struct product *p)
{
    const struct kind *k = &kinds[help_below(&state, 7)];
    int scaled = k->scales != 0, integers = k->a[0] == S8;

    memset(p, 0, sizeof *p);
    p->kind = k;
    p->a = pick(k->a);
    p->b = pick(k->b);
    p->stationary = !scaled && help_below(&state, 4) == 0;
    p->sparse = help_below(&state, 3) == 0;
    p->depth = k->depth * (p->sparse ? 2 : 1);
    p->pair = !p->stationary && help_below(&state, 3) == 0;
    p->m = p->pair ? 256 >> (scaled ? 0 : help_below(&state, 2))
                   : 128 >> (scaled ? 0 : help_below(&state, 2));
    p->n = 16 * (1 + help_below(&state, help_below(&state, 4) ? 4 : 16));
    if (p->pair && p->n % 32 != 0)
        p->n += 16;
    if (p->sparse)
        p->m = p->pair ? 256 : 128;
    if (scaled && p->pair && !p->sparse)
        p->m = 128 << help_below(&state, 2);
    if (p->stationary) {
        p->m = 32 << help_below(&state, 3);
        p->n = 64 << help_below(&state, p->sparse ? 2 : 3);
    }
    p->rows = p->pair ? p->m / 2 : p->m;
    p->integers = integers;
    p->halves = k->has_halves && p->a != &formats[BF16] &&
                p->b != &formats[BF16] && help_below(&state, 3) == 0;
    p->adds = help_below(&state, 2) != 0;
    p->negates = !integers ? (int)help_below(&state, 4) : 0;
    p->saturates = integers && help_below(&state, 2);
    p->from_tensor = !(p->stationary && p->m < 128) && k->scales != 2 &&
                     k->scales != 4 && help_below(&state, 3) == 0;
    p->tile_a =
        random_tile(p->a, A_AT, may_turn(p->a) && !p->from_tensor, p->rows);
    p->tile_b =
        random_tile(p->b, B_AT, may_turn(p->b), p->pair ? p->n / 2 : p->n);
    /* Which columns of 64 bytes a swizzle of 32 makes no text says. */
    while (p->sparse && !p->tile_b.turned &&
           swizzles[p->tile_b.swizzle].width == 2)
        p->tile_b = random_tile(p->b, B_AT, 0, p->pair ? p->n / 2 : p->n);
    p->metadata = 330;
    p->selector =
        p->sparse && k->low == kinds[0].low && k->high == kinds[0].high
            ? help_below(&state, 2)
            : 0;
    p->keeps = k->high == kinds[0].high && !scaled && help_below(&state, 3) == 0
                   ? help_below(&state, 16)
                   : 0;
    p->hints = help_below(&state, 4);
    if (p->stationary)
        p->hints |= help_below(&state, 16) << 2;
    p->d = help_below(&state, 4);
    p->column_a = 300;
    p->scale_a = 340;
    p->scale_b = 350;
    p->first_a = k->scales == 1   ? help_below(&state, 4)
                 : k->scales == 2 ? 2 * help_below(&state, 2)
                                  : 0;
    p->first_b = k->scales == 1   ? help_below(&state, 4)
                 : k->scales == 2 ? 2 * help_below(&state, 2)
                                  : 0;
    p->e4m3 = k->scales == 4 && help_below(&state, 2);
    p->desc = (uint32_t)k->code_of[p->a - formats] << 7 |
              (uint32_t)k->code_of[p->b - formats] << 10 |
              (uint32_t)p->negates << 13 | (uint32_t)p->tile_a.turned << 15 |
              (uint32_t)p->tile_b.turned << 16 | p->n >> 3 << 17 |
              p->m >> 4 << 24;
    if (scaled)
        p->desc |= p->first_b << 4 | (uint32_t)!p->e4m3 << 23 |
                   p->first_a << 29 | (uint32_t)p->sparse << 2;
    else
        p->desc |= (p->integers ? 2u
                    : p->halves ? 0u
                                : 1u)
                       << 4 |
                   (uint32_t)p->saturates << 3 | (uint32_t)p->sparse << 2 |
                   p->selector;
}

/* A scale of `row` for the k-th element, which every subpartition has. */
static double scale_of(const struct product *p, int b, unsigned column,
                       unsigned row, unsigned first, unsigned k)
{
    unsigned byte = first + k * p->kind->scales / p->depth;
    unsigned half = p->n / 2;
    uint32_t word = before[b]->cell[row % 32][column + row / 32];

    /* columns whose halves stand one below the other */
    if (column == p->scale_b && p->pair && p->m == 128)
        word = before[b]->cell[row % half % 32 + 64 * (row / half)]
                              [column + row % half / 32];
    uint32_t code = word >> 8 * byte & 255;

    return p->e4m3 ? value_of(&formats[E4M3], code) : ldexp(1, (int)code - 127);
}

static void fill_scales(const struct product *p, int b, unsigned column,
                        unsigned rows)
{
    for (unsigned row = 0; row < rows; row++) {
        uint32_t word = 0;

        for (unsigned i = 0; i < 4; i++)
            word |= (p->e4m3 ? 0x28 + help_below(&state, 32)
                             : 124 + help_below(&state, 7))
                    << 8 * i;
        for (unsigned part = 0; part < 4; part++)
            tensor[b]->cell[32 * part + row % 32][column + row / 32] =
                part < 2 || column == p->scale_a ? word : word ^ 0x01010101;
    }
}

static unsigned lane_of(const struct product *p, unsigned row)
{
    return !p->pair && !p->stationary && p->m == 64 ? row / 16 * 32 + row % 16
                                                    : row;
}

/* Parts of the columns one below the other: layouts B, E and G. */
static unsigned stacks_of(const struct product *p)
{
    return p->stationary ? 128 / p->m : p->pair && p->m == 128 ? 2 : 1;
}

/* The bits of metadata that the k-th column of a row begins with, in the place of
 * CuTe's shapes and strides, lanes first: of tf32 ((8,2,8),(8,2)) :
 * ((1,1024,16),(128,8)) two bits each, of 16 bits ((8,2,8),(16,2)) :
 * ((1,2048,16),(128,8)), of 8 bits (128,64) : (1,128), of packed 4 bits half a bit
 * each (128,128) : (1,128).  (CUTLASS, tmem_e_frg) */
static void put_metadata(const struct product *p, int b, unsigned row,
                         unsigned k, uint32_t bits)
{
    unsigned at, bit, each = 2; /* half bits */

    if (p->a == &formats[TF32]) {
        at = row % 8 + row / 8 % 2 * 1024 + row / 16 * 16 + k % 8 * 128 +
             k / 8 * 8;
        each = 4;
    } else if (p->kind->low == kinds[0].low && p->kind->high == kinds[0].high) {
        at = row % 8 + row / 8 % 2 * 2048 + row / 16 * 16 + k % 16 * 128 +
             k / 16 * 8;
    } else {
        at = row + k * 128;
        each = p->a == &formats[MX4] ? 1 : 2;
    }
    bit = at / 128 * each / 2;
    for (unsigned copy = 0; copy < stacks_of(p); copy++) {
        uint32_t *cell = &tensor[b]->cell[at % 128 + copy * p->m]
                                         [p->metadata + p->selector + bit / 32];

        *cell = (*cell & ~(15u << bit % 32)) | bits << bit % 32;
    }
}

/* Where stored element `i` of a row belongs; its chunk's bits are put with its
 * first. */
static unsigned column_of(const struct product *p, int b, unsigned row,
                          unsigned i)
{
    static const uint8_t pairs[] = {4, 8, 12, 9, 13, 14}; /* low < high */
    static uint32_t bits;

    if (!p->sparse)
        return i;
    if (p->a == &formats[TF32]) {
        bits = help_below(&state, 2) ? 14 : 4;
        put_metadata(p, b, row, 2 * i, bits);
        return 2 * i + (bits == 14);
    }
    if (p->a == &formats[MX4]) { /* two of four pairs */
        if (i % 4 == 0) {
            bits = pairs[help_below(&state, 6)];
            put_metadata(p, b, row, 2 * i, bits);
        }
        return i / 4 * 8 + 2 * (i % 4 < 2 ? bits & 3 : bits >> 2) + i % 2;
    }
    if (i % 2 == 0) {
        bits = pairs[help_below(&state, 6)];
        put_metadata(p, b, row, 2 * i, bits);
    }
    return i / 2 * 4 + (i % 2 ? bits >> 2 : bits & 3);
}

static void fill_a(struct product *p, int b)
{
    unsigned width = p->a->side < 8 ? 8 : p->a->side, each = 32 / width;

    for (unsigned row = 0; row < p->rows; row++) {
        memset(p->value_a[b][row], 0, sizeof p->value_a[b][row]);
        for (unsigned k = 0; k < p->kind->depth; k++) {
            uint32_t code = draw(p->a);
            uint32_t *cell =
                &tensor[b]->cell[lane_of(p, row)][p->column_a + k / each];
            /* of 4 bits the middle ones of a byte */
            uint32_t there = p->a == &formats[E2M1] ? code << 2 : code;

            p->value_a[b][row][column_of(p, b, row, k)] = value_of(p->a, code);
            if (!p->from_tensor) {
                put_code(&p->tile_a, memory[b], row, k, code);
                continue;
            }
            *cell &=
                ~(uint32_t)(((UINT64_C(1) << width) - 1) << width * (k % each));
            *cell |= there << width * (k % each);
            if (stacks_of(p) == 2) /* both copies */
                tensor[b]->cell[row + 64][p->column_a + k / each] = *cell;
        }
    }
}

static void fill(struct product *p)
{
    unsigned own = p->pair ? p->n / 2 : p->n;

    for (int b = 0; b < 2; b++) {
        tensor[b]->taken = 0xffff;
        for (unsigned i = 0; i < LANES * COLUMNS; i++) {
            uint32_t v = help_below(&state, 1u << 24) | 1;
            uint32_t half = draw(&formats[F16]);

            tensor[b]->cell[i / COLUMNS][i % COLUMNS] =
                p->integers ? (i % 3 ? v << 8 : v)
                : p->halves ? half | v << 16
                            : 0x3f000000u + (v & 0x83ffffff) * 2;
        }
        for (unsigned i = 0; i < MEMORY; i++)
            memory[b][i] = (uint8_t)help_below(&state, 256);
        fill_a(p, b);
        for (unsigned n = 0; n < own; n++) {
            for (unsigned k = 0; k < p->depth; k++) {
                uint32_t code = draw(p->b);

                put_code(&p->tile_b, memory[b], n, k, code);
                if (b == 0 || p->pair)
                    p->value_b[(unsigned)b * own + n][k] = value_of(p->b, code);
            }
        }
        if (p->kind->scales != 0) {
            fill_scales(p, b, p->scale_a, 128);
            fill_scales(p, b, p->scale_b, 256);
        }
        *before[b] = *tensor[b];
    }
}

static double sum_of(const struct product *p, int b, unsigned row, unsigned n)
{
    double sum = 0;

    for (unsigned k = 0; k < p->depth; k++) {
        double each = p->value_a[b][row][k] * p->value_b[n][k];

        if (p->kind->scales != 0)
            each *= scale_of(p, b, p->scale_a, row, p->first_a, k) *
                    scale_of(p, b, p->scale_b, n, p->first_b, k);
        sum += p->negates == 1 || p->negates == 2 ? -each : each;
    }
    return sum;
}

static uint32_t bits_of_sum(const struct product *p, double sum)
{
    if (p->integers && p->saturates)
        return (uint32_t)(int32_t)(sum > INT32_MAX   ? INT32_MAX
                                   : sum < INT32_MIN ? INT32_MIN
                                                     : sum);
    if (p->integers)
        return (uint32_t)(int64_t)sum;
    return p->halves ? half_bits(sum) : bits_of((float)sum);
}

/* The cell of an element: layouts A, D, B, E and G (parts of the columns one below
 * the other) and F (sixteen rows a subpartition). */
static uint32_t *cell_of(struct emu_tensor_memory *t, const struct product *p,
                         unsigned row, unsigned n)
{
    unsigned stacks = stacks_of(p), part = p->n / stacks;

    if (stacks > 1)
        return &t->cell[row + n / part * (128 / stacks)][p->d + n % part];
    return &t->cell[lane_of(p, row)][p->d + n];
}

static void expect(const struct product *p, struct emu_tensor_memory *want[2])
{
    for (int b = 0; b < (p->pair ? 2 : 1); b++) {
        for (unsigned row = 0; row < p->rows; row++) {
            for (unsigned n = 0; n < p->n; n++) {
                uint32_t *cell = cell_of(want[b], p, row, n);
                double sum = sum_of(p, b, row, n);

                if (p->adds)
                    sum += ldexp(1, -(int)p->keeps) *
                           (p->integers ? (double)(int32_t)*cell
                            : p->halves ? (double)half_value(*cell & 0xffff)
                                        : (double)float_of(*cell));
                *cell = bits_of_sum(p, sum);
            }
        }
    }
}

static void set_registers(const struct product *p)
{
    uint64_t a = descriptor_of(&p->tile_a), b = descriptor_of(&p->tile_b);

    set_uniform(UR_E, p->sparse ? p->metadata : 0);
    set_uniform(UR_E + 1, p->desc);
    set_uniform(UR_D, p->d);
    set_uniform(UR_A, p->from_tensor ? p->column_a : (uint32_t)a);
    set_uniform(UR_A + 1, (uint32_t)(a >> 32));
    set_uniform(UR_B, (uint32_t)b);
    set_uniform(UR_B + 1, (uint32_t)(b >> 32));
    set_uniform(UR_SCALES, p->scale_a);
    set_uniform(UR_SCALES + 1, p->scale_b);
    h->warp.up[0] = (uint8_t)p->adds;
}

START_TEST(products_are_those_of_the_reference)
{
    static struct product p;

    setup();
    state = 1000 + (uint64_t)_i;
    for (int i = 0; i < TRIALS / 20; i++) {
        uint64_t low, high;

        draw_product(&p);
        fill(&p);
        set_registers(&p);
        low = p.kind->low ^ (!p.from_tensor        ? 0
                             : p.kind->scales == 1 ? 0x200
                                                   : 0xc00);
        high = p.kind->high | (uint64_t)p.pair << 21 |
               (uint64_t)p.stationary << 19 | p.keeps << 11 |
               (p.hints & 1) << 20 | (uint64_t)(p.hints >> 1 & 1) << 22 |
               (uint64_t)(p.hints >> 2) << 15;
        ck_assert_msg(run(low, high) == TEG_OK, "%s: %s x %s, %u x %u%s%s%s",
                      h->d.what, p.a->name, p.b->name, p.m, p.n,
                      p.pair ? " by a pair" : "", p.sparse ? " sparse" : "",
                      p.stationary ? " stationary" : "");
        expect(&p, before);
        for (int b = 0; b < 2; b++) {
            for (unsigned c = 0; c < LANES * COLUMNS; c++) {
                uint32_t got = tensor[b]->cell[c / COLUMNS][c % COLUMNS];
                uint32_t want = before[b]->cell[c / COLUMNS][c % COLUMNS];

                ck_assert_msg(
                    got == want,
                    "%s x %s%s, %u x %u%s%s%s, desc %08x%s: block %d lane %u "
                    "column %u: %08x, not %08x",
                    p.a->name, p.b->name, p.from_tensor ? " from tensor" : "",
                    p.m, p.n, p.pair ? " by a pair" : "",
                    p.sparse ? " sparse" : "",
                    p.stationary ? " stationary" : "", p.desc,
                    p.adds ? " added" : "", b, c / COLUMNS, c % COLUMNS, got,
                    want);
            }
        }
    }
    teardown();
}
END_TEST

/* ---- loads and stores ------------------------------------------------------------ */

/* Where bits of a lane's registers lie, in a row of so many bits times the
 * repetitions: strides of threads, and of a register's bits, in bits; "rows" are
 * 16 or 32.  (CUTLASS, copy_traits_sm100.hpp) */
static const struct moves {
    unsigned code;  /* 87, 82:81 */
    unsigned width; /* bits of a row of x1 */
    struct {
        unsigned count, stride, rows; /* of threads: stride + rows rows */
    } thread[3];
    unsigned registers; /* of x1 */
    struct {
        unsigned stride, rows;
    } reg[4]; /* of these, from the first */
    unsigned lanes_from, lanes;
} moves[] = {
    {1,
     256,
     {{4, 64, 0}, {8, 0, 1}},
     4,
     {{0, 0}, {32, 0}, {0, 8}, {32, 8}},
     0,
     32},
    {0, 128, {{4, 32, 0}, {8, 0, 1}}, 2, {{0, 0}, {0, 8}}, 0, 32},
    {3, 64, {{2, 0, 8}, {2, 32, 0}, {8, 0, 1}}, 1, {{0, 0}}, 0, 32},
    {2, 32, {{32, 0, 1}}, 1, {{0, 0}}, 0, 32},
    {4, 32, {{16, 0, 1}}, 1, {{0, 0}}, 0, 16},
    {5, 32, {{16, 0, 1}}, 1, {{0, 0}}, 16, 16},
};

static void place_in_row(const struct moves *m, unsigned l, unsigned r,
                         unsigned *row, unsigned *bit)
{
    unsigned again = r / m->registers, inside = r % m->registers;

    *row = m->reg[inside].rows;
    *bit = m->reg[inside].stride + again * m->width;
    for (int i = 0; i < 3 && m->thread[i].count != 0; i++) {
        *row += l % m->thread[i].count * m->thread[i].rows;
        *bit += l % m->thread[i].count * m->thread[i].stride;
        l /= m->thread[i].count;
    }
}

/* Bit `bit` of a row that is 32 bits wide, or 16 of 32 if halves are packed. */
static uint32_t word_at(const struct emu_tensor_memory *t, unsigned lane,
                        unsigned column, unsigned bit, int packs)
{
    const uint32_t *cell = t->cell[lane] + column;

    return packs ? (cell[bit / 16] & 0xffff) | cell[bit / 16 + 1] << 16
                 : cell[bit / 32];
}

START_TEST(loads_and_stores_are_those_of_the_reference)
{
    setup();
    state = 1000 + (uint64_t)_i;
    for (int i = 0; i < TRIALS; i++) {
        const struct moves *m = &moves[help_below(&state, 6)];
        unsigned times = help_below(&state, m->registers == 4   ? 6
                                            : m->registers == 2 ? 7
                                                                : 8);
        int packs = help_below(&state, 4) == 0 && times < 6,
            stores = help_below(&state, 2) != 0;
        unsigned count = m->registers << times, lane;
        unsigned columns = (m->width / 32 << times) * (packs ? 2 : 1);
        unsigned column = help_below(&state, COLUMNS - columns + 1);
        uint64_t high;

        h->warp.number = help_below(&state, 8);
        lane = h->warp.number % 4 * 32 +
               (m->code != 2 ? 16 * help_below(&state, 2) : 0);
        tensor[0]->taken = 0xffff;
        for (unsigned c = 0; c < LANES * COLUMNS; c++)
            tensor[0]->cell[c / COLUMNS][c % COLUMNS] =
                (uint32_t)(c * 2654435761u);
        for (unsigned r = 0; r < 200; r++)
            for (unsigned l = 0; l < 32; l++)
                h->warp.r[r][l] = (uint32_t)((r * 32 + l) * 40503u + 7);
        *before[0] = *tensor[0];
        /* lanes go round */
        set_uniform(UR_E,
                    (lane + help_below(&state, 2) * LANES) << 16 | column);
        high = (uint64_t)(m->code >> 2) << 23 | (uint64_t)(m->code & 3) << 17 |
               (uint64_t)times << 19 | (uint64_t)packs << 16 |
               UINT64_C(0x000e220008000000) | (stores ? UR_E : 0);
        ck_assert_msg(run(stores ? 0x00000010000079ed : 0x00000004001079ee,
                          high) == TEG_OK,
                      "%s", h->d.what);
        for (unsigned r = 0; r < count; r++) {
            for (unsigned l = m->lanes_from; l < m->lanes_from + m->lanes;
                 l++) {
                unsigned row, bit;
                uint32_t want = (uint32_t)(((16 + r) * 32 + l) * 40503u + 7);
                uint32_t got;

                place_in_row(m, l - m->lanes_from, r, &row, &bit);
                got = word_at(stores ? tensor[0] : before[0], lane + row,
                              column, bit, packs);
                ck_assert_msg(stores ? got == want
                                     : got == h->warp.r[16 + r][l],
                              "shape %u x%u%s, %s: lane %u register %u",
                              m->code, 1u << times, packs ? " packed" : "",
                              stores ? "store" : "load", l, r);
            }
        }
    }
    teardown();
}
END_TEST

/* ---- loads that reduce (sm_103, sm_110) ------------------------------------------ */

/* Integers, or floats with NaN of several payloads, zeros and infinities among
 * them. */
static uint32_t draw_extreme(int floats)
{
    static const uint32_t special[] = {0,          0x80000000, 0x7f800000,
                                       0xff800000, 0x7fc12345, 0xffffffff,
                                       0x00000001, 0x80000001};

    if (help_below(&state, floats ? 3 : 8) == 0)
        return special[help_below(&state, 8)];
    return help_below(&state, 65536) << 16 | help_below(&state, 65536);
}

/* The place of a number among all: more is greater, of floats with a zero that
 * has a sign below the other. */
static int64_t place_among(uint32_t v, unsigned type)
{
    if (type == 0)
        return v;
    if (type == 1)
        return (int32_t)v;
    return v >> 31 ? -1 - (int64_t)(v & 0x7fffffff) : (int64_t)v;
}

static uint32_t extreme_of(const uint32_t *cell, unsigned count, unsigned type,
                           unsigned how, int nan)
{
    uint32_t best = 0x7fffffff;
    int some = 0, nans = 0;

    for (unsigned c = 0; c < count; c++) {
        uint32_t v = how & 1 ? cell[c] & 0x7fffffff : cell[c];
        int64_t place = place_among(v, type);

        if (type == 2 && isnan(float_of(v))) {
            nans++;
            continue;
        }
        if (!some || (how & 2 ? place < place_among(best, type)
                              : place > place_among(best, type)))
            best = v;
        some = 1;
    }
    return nan && nans != 0 ? 0x7fffffff : best;
}

START_TEST(loads_that_reduce_give_the_least_or_greatest)
{
    static const unsigned shapes[] = {2, 4, 5}; /* 87, 82:81 */

    setup();
    sm = 103;
    state = 5000 + (uint64_t)_i;
    for (int i = 0; i < TRIALS; i++) {
        unsigned shape = shapes[help_below(&state, 3)];
        unsigned times = 1 + help_below(&state, 7),
                 type = help_below(&state, 3);
        unsigned how = help_below(&state, 2) << 1, lane;
        unsigned column = help_below(&state, COLUMNS - (1u << times) + 1);
        int nan = type == 2 && help_below(&state, 2) != 0;

        if (type == 2)
            how |= help_below(&state, 2);
        h->warp.number = help_below(&state, 8);
        lane = h->warp.number % 4 * 32 +
               (shape != 2 ? 16 * help_below(&state, 2) : 0);
        tensor[0]->taken = 0xffff;
        for (unsigned c = 0; c < LANES * COLUMNS; c++)
            tensor[0]->cell[c / COLUMNS][c % COLUMNS] = draw_extreme(type == 2);
        for (unsigned r = 0; r < 200; r++)
            for (unsigned l = 0; l < 32; l++)
                h->warp.r[r][l] = r * 32 + l;
        set_uniform(UR_E, lane << 16 | column);
        ck_assert_msg(
            run(0x00000004081075ee,
                UINT64_C(0x000e220008000000) | (uint64_t)(shape >> 2) << 23 |
                    (uint64_t)(shape & 3) << 17 | (uint64_t)times << 19 |
                    (uint64_t)nan << 4 | (uint64_t)how << 2 | type) == TEG_OK,
            "%s", h->d.what);
        for (unsigned l = 0; l < 32; l++) {
            int takes_part = shape == 2 || (shape == 4) == (l < 16);
            const uint32_t *cell =
                tensor[0]->cell[lane + (shape == 2 ? l : l % 16)] + column;
            uint32_t want = takes_part
                                ? extreme_of(cell, 1u << times, type, how, nan)
                                : 8 * 32 + l;

            ck_assert_msg(h->warp.r[8][l] == want,
                          "shape %u x%u, type %u, %u%s: lane %u: %08x, not "
                          "%08x",
                          shape, 1u << times, type, how, nan ? " with NaN" : "",
                          l, h->warp.r[8][l], want);
            for (unsigned r = 0; r < 1u << times; r++)
                ck_assert_uint_eq(h->warp.r[16 + r][l],
                                  takes_part ? cell[r] : (16 + r) * 32 + l);
        }
    }
    /* Which of two results is written last no text says; absolute values are
     * of floats. */
    set_uniform(UR_E, h->warp.number % 4 << 21);
    ck_assert(run(0x00000004111075ee, UINT64_C(0x000e2200080c0002)) != TEG_OK);
    ck_assert(strstr(h->d.what, "R17 is one of") != NULL);
    ck_assert(run(0x00000004081075ee, UINT64_C(0x000e2200080c0005)) != TEG_OK);
    ck_assert(strstr(h->d.what, "not emulated") != NULL);
    teardown();
}
END_TEST

/* ---- copies from shared memory ------------------------------------------------------- */

/* 64-bit places of rows and their copies by shapes and strides of CUTLASS's copy
 * traits: lanes of the row modes, then of the broadcast. */
static const struct copies {
    unsigned code; /* 88, 84:83 */
    struct {
        unsigned count, lanes;
    } row[2], again; /* rows: the first mode fastest */
    unsigned bytes;
} copies[] = {
    {0, {{128, 1}, {1, 0}}, {1, 0}, 32},  /* 128dp256bit */
    {2, {{4, 32}, {1, 0}}, {1, 0}, 32},   /* 4dp256bit: lanes 32 apart */
    {3, {{128, 1}, {1, 0}}, {1, 0}, 16},  /* 128dp128bit */
    {4, {{64, 1}, {1, 0}}, {2, 64}, 16},  /* 2x64dp128bit, warps 02 13 */
    {5, {{32, 1}, {2, 64}}, {2, 32}, 16}, /* 2x64dp128bit, warps 01 23 */
    {6, {{32, 1}, {1, 0}}, {4, 32}, 16},  /* 4x32dp128bit */
};

START_TEST(copies_are_those_of_the_reference)
{
    static const struct format byte = {"byte", 8, 0, 8, 0, 0, 8};

    setup();
    state = 3000 + (uint64_t)_i;
    for (int i = 0; i < TRIALS; i++) {
        const struct copies *c = &copies[help_below(&state, 6)];
        unsigned rows = c->row[0].count * c->row[1].count;
        struct tile t =
            random_tile(&byte, 1024 * help_below(&state, 8), 0, 128);
        unsigned column = help_below(&state, COLUMNS - c->bytes / 4 + 1);
        unsigned lane = c->code == 2 ? help_below(&state, 32) : 0;
        int pair = help_below(&state, 2) != 0;
        uint64_t desc = descriptor_of(&t);

        for (int b = 0; b < 2; b++) {
            tensor[b]->taken = 0xffff;
            for (unsigned k = 0; k < MEMORY; k++)
                memory[b][k] = (uint8_t)help_below(&state, 256);
            for (unsigned k = 0; k < LANES * COLUMNS; k++)
                tensor[b]->cell[k / COLUMNS][k % COLUMNS] =
                    (uint32_t)(k * 2654435761u);
            *before[b] = *tensor[b];
            for (unsigned k = 0; k < rows * c->bytes * (pair || b == 0); k++) {
                unsigned row = k / c->bytes, n = k % c->bytes, bit;
                unsigned at = row % c->row[0].count * c->row[0].lanes +
                              row / c->row[0].count * c->row[1].lanes + lane;

                for (unsigned r = 0; r < c->again.count; r++) {
                    uint8_t *to =
                        (uint8_t *)(before[b]->cell[at + r * c->again.lanes] +
                                    column);

                    to[n] = memory[b][place_of(&t, row, n, &bit)];
                }
            }
        }
        set_uniform(UR_E, lane << 16 | column);
        set_uniform(UR_A, (uint32_t)desc);
        set_uniform(UR_A + 1, (uint32_t)(desc >> 32));
        ck_assert_msg(
            run(0x00000008040079e7, UINT64_C(0x0035d80008000000) |
                                        (uint64_t)(c->code >> 2) << 24 |
                                        (uint64_t)(c->code & 3) << 19 |
                                        (uint64_t)pair << 21) == TEG_OK,
            "%s", h->d.what);
        for (int b = 0; b < 2; b++)
            ck_assert_msg(memcmp(tensor[b]->cell, before[b]->cell,
                                 sizeof tensor[b]->cell) == 0,
                          "shape %u, block %d of %d", c->code, b, 1 + pair);
    }
    teardown();
}
END_TEST

/* ---- what may not be ----------------------------------------------------------------- */

static void fails(const char *what, uint64_t low, uint64_t high)
{
    ck_assert(run(low, high) != TEG_OK);
    ck_assert_msg(strstr(h->d.what, what) != NULL, "%s", h->d.what);
}

START_TEST(faults_say_what_is_wrong)
{
    static struct product p;
    const uint64_t load = 0x00000004001079ee, load_high = 0x000e220008040000;

    setup();
    state = 1000;
    do
        draw_product(&p);
    while (p.kind != &kinds[0] || p.from_tensor || p.pair || p.stationary);
    fill(&p);
    set_registers(&p);
    tensor[0]->taken = 0xfffe;
    fails("is not allocated", p.kind->low, p.kind->high);
    tensor[0]->taken = 0xffff;
    p.desc &= ~7u;
    set_uniform(UR_E + 1, (p.desc & 0xe0ffffff) | 4 << 24 | 4);
    fails("sparse", p.kind->low, p.kind->high);
    set_uniform(UR_E, 330);
    for (unsigned l = 0; l < LANES; l++)
        tensor[0]->cell[l][330] = 0x44444404;
    set_uniform(UR_E + 1, (p.desc & 0xe0ffffff) | 8 << 24 | 4);
    fails("names no two columns", p.kind->low, p.kind->high);
    set_uniform(UR_E, 331);
    fails("metadata at lane 0, column 331", p.kind->low, p.kind->high);
    set_uniform(UR_E, 0);
    set_uniform(UR_E + 1, p.desc & 0xff81ffff);
    fails("none of a product", p.kind->low, p.kind->high);
    set_registers(&p);
    set_uniform(UR_D, 500);
    fails("tensor memory has", p.kind->low, p.kind->high);
    set_registers(&p);
    set_uniform(UR_B + 1, 0);
    fails("no descriptor", p.kind->low, p.kind->high);
    block[0].cluster_blocks = 1;
    set_registers(&p);
    set_uniform(UR_E + 1, (p.desc & 0xe0ffffff) | 8 << 24);
    fails("make a pair", p.kind->low, p.kind->high | UINT64_C(1) << 21);
    block[0].cluster_blocks = 2;
    h->warp.number = 1;
    set_uniform(UR_E, 0);
    fails("this warp has lanes 32 to 63", load, load_high);
    set_uniform(UR_E, 32 << 16 | 512);
    fails("tensor memory has", load, load_high);
    tensor[0]->taken = 0;
    set_uniform(UR_E, 32 << 16);
    fails("column 0 is not allocated", load, load_high);
    teardown();
}
END_TEST

/* What a compressor leaves of a chunk of zeros: bits of 0. */
START_TEST(zeros_need_no_columns)
{
    static struct product p;

    setup();
    state = 78;
    do
        draw_product(&p);
    while (!p.sparse || p.a != &formats[F16] || p.pair || p.stationary ||
           p.from_tensor);
    fill(&p);
    for (unsigned row = 0; row < p.rows; row++) {
        put_metadata(&p, 0, row, 8, 0);
        put_code(&p.tile_a, memory[0], row, 4, 0);
        put_code(&p.tile_a, memory[0], row, 5, row % 2 ? 0 : 0x8000);
        for (unsigned k = 8; k < 12; k++)
            p.value_a[0][row][k] = 0;
    }
    *before[0] = *tensor[0];
    set_registers(&p);
    ck_assert_msg(run(p.kind->low, p.kind->high) == TEG_OK, "%s", h->d.what);
    expect(&p, before);
    for (unsigned row = 0; row < p.rows; row++)
        ck_assert_uint_eq(*cell_of(tensor[0], &p, row, 3),
                          *cell_of(before[0], &p, row, 3));
    put_code(&p.tile_a, memory[0], 9, 5, 0x3c00);
    fails("metadata 0x0 of row 9, columns 8 to 11, names no two columns",
          p.kind->low, p.kind->high);
    teardown();
}
END_TEST

/* An infinity of B spoils the rows that have stored its column, and no other. */
START_TEST(what_is_not_stored_meets_nothing)
{
    static struct product p;
    unsigned spoiled = 0;

    setup();
    state = 77;
    do
        draw_product(&p);
    while (!p.sparse || p.a != &formats[F16] || p.pair || p.stationary ||
           p.halves || p.from_tensor || p.b != &formats[F16]);
    p.adds = 0;
    fill(&p);
    put_code(&p.tile_b, memory[0], 0, 5, 0x7c00);
    p.value_b[0][5] = 0;
    set_registers(&p);
    ck_assert(run(p.kind->low, p.kind->high) == TEG_OK);
    for (unsigned row = 0; row < p.rows; row++) {
        float sum = float_of(*cell_of(tensor[0], &p, row, 0));

        spoiled += p.value_a[0][row][5] != 0;
        if (p.value_a[0][row][5] != 0)
            ck_assert(isinf(sum));
        else
            ck_assert_double_eq((double)sum,
                                (double)(float)sum_of(&p, 0, row, 0));
    }
    ck_assert(spoiled > 0 && spoiled < p.rows);
    teardown();
}
END_TEST

HELP_MAIN("traces/emulate/ops/tcgen", 60,
          {products_are_those_of_the_reference, 5},
          {loads_and_stores_are_those_of_the_reference, 3},
          {loads_that_reduce_give_the_least_or_greatest, 3},
          {copies_are_those_of_the_reference, 2},
          {what_is_not_stored_meets_nothing, 0}, {zeros_need_no_columns, 0},
          {faults_say_what_is_wrong, 0})
