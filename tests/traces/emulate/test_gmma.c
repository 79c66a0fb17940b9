/*
 * Products of a warp group: kernels of tests/fixtures/kernels/k35_gmma.cu
 * (sm_90a) against plain products of matrices.  Elements are small numbers, so
 * that every sum is exact and no order of summing shows.  Which lane has the
 * metadata of which chunk is as CUTLASS's ELayout_64x16, 64x32 and 64x64 say
 * (cute/atom/mma_traits_sm90_gmma_sparse.hpp).
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help_kernel.h"
#include "tests/help_suite.h"

enum {
    ROWS = 64,
    THREADS = 128
};

enum element {
    HALF,
    BF16,
    TF32,
    E4M3,
    E5M2,
    S8,
    U8
};

/* A small number and its bits in the format. */
static double draw(enum element type, uint32_t *bits)
{
    int v = (int)(help_draw() % 17) - 8; /* -8 to 8: three bits do */
    int size = v < 0 ? -v : v, exponent = 0;
    float f = (float)v;
    uint32_t word, sign;

    memcpy(&word, &f, sizeof word);
    sign = word >> 31;
    while (size >> (exponent + 1) != 0)
        exponent++;
    switch (type) {
    case HALF:
        *bits = v == 0 ? 0
                       : sign << 15 | (uint32_t)(exponent + 15) << 10 |
                             (word >> 13 & 0x3ff);
        break;
    case BF16:
        *bits = word >> 16;
        break;
    case TF32:
        *bits = word | (help_draw() & 0x1fff); /* which do not count */
        break;
    case E4M3:
        *bits = v == 0 ? 0
                       : sign << 7 | (uint32_t)(exponent + 7) << 3 |
                             (word >> 20 & 7);
        break;
    case E5M2: /* two bits behind the point: no 5 or 7 */
        v = v / 2 * 2;
        f = (float)v;
        memcpy(&word, &f, sizeof word);
        for (exponent = 0; abs(v) >> (exponent + 1) != 0;)
            exponent++;
        *bits = v == 0 ? 0
                       : sign << 7 | (uint32_t)(exponent + 15) << 2 |
                             (word >> 21 & 3);
        break;
    case S8:
        v = (int)(help_draw() & 255) - 128;
        *bits = (uint8_t)v;
        break;
    case U8:
        v = (int)(help_draw() & 255);
        *bits = (uint8_t)v;
        break;
    }
    return v;
}

/* A matrix, row after row, as numbers and in the kernel's memory. */
static void fill(uint8_t *to, double *value, size_t count, enum element type)
{
    static const size_t bytes[] = {2, 2, 4, 1, 1, 1, 1};

    for (size_t i = 0; i < count; i++) {
        uint32_t bits;

        value[i] = draw(type, &bits);
        memcpy(to + i * bytes[type], &bits, bytes[type]);
    }
}

/* Where element (row, column) of D is: thread, and its register. */
static size_t fragment(int row, int column, int registers)
{
    int thread = row / 16 * 32 + row % 8 * 4 + column % 8 / 2;
    int reg = column / 8 * 4 + row % 16 / 8 * 2 + column % 2;

    return (size_t)(thread * registers + reg);
}

static double dot(const double *a, const double *b, int depth, int row,
                  int column)
{
    double sum = 0;

    for (int k = 0; k < depth; k++)
        sum += a[row * depth + k] * b[column * depth + k];
    return sum;
}

/* ---- layouts ------------------------------------------------------------------- */

static const char *const layouts[] = {
    "halves_plain", "halves_plain_mn", "halves_32",  "halves_32_mn",
    "halves_64",    "halves_64_mn",    "halves_128", "halves_128_mn",
};

/* Two products of 64 x 32 x 16, the first without what the sum was. */
START_TEST(layouts_and_swizzles)
{
    static double a[ROWS * 16], b[32 * 16];
    struct help_kernel k;
    uint8_t *to_a, *to_b;
    float *out;

    help_kernel_open(&k, 90, "k35_gmma", layouts[_i]);
    to_a = help_buffer(&k, sizeof(uint16_t) * ROWS * 16);
    to_b = help_buffer(&k, sizeof(uint16_t) * 32 * 16);
    out = help_buffer(&k, sizeof *out * ROWS * 32);
    fill(to_a, a, ROWS * 16, HALF);
    fill(to_b, b, 32 * 16, HALF);
    help_run_kernel(&k, 1, 1, THREADS, 1);
    for (int row = 0; row < ROWS; row++) {
        for (int n = 0; n < 32; n++)
            ck_assert_double_eq((double)out[fragment(row, n, 16)],
                                2 * dot(a, b, 16, row, n));
    }
    help_kernel_close(&k);
}
END_TEST

/* A warp that has come to its products may not say that the tiles are free before
 * the three others of its group have come, too. */
START_TEST(one_thread_tells_for_its_group)
{
    static double a[ROWS * 16], b[32 * 16];
    struct help_kernel k;
    uint8_t *to_a, *to_b;
    float *out;

    help_kernel_open(&k, 90, "k35_gmma", "one_tells");
    to_a = help_buffer(&k, sizeof(uint16_t) * ROWS * 16);
    to_b = help_buffer(&k, sizeof(uint16_t) * 32 * 16);
    out = help_buffer(&k, sizeof *out * ROWS * 32);
    fill(to_a, a, ROWS * 16, HALF);
    fill(to_b, b, 32 * 16, HALF);
    help_run_kernel(&k, 1, 1, THREADS + 32, 1);
    for (int row = 0; row < ROWS; row++) {
        for (int n = 0; n < 32; n++)
            ck_assert_double_eq((double)out[fragment(row, n, 16)],
                                dot(a, b, 16, row, n));
    }
    help_kernel_close(&k);
}
END_TEST

/* ---- formats --------------------------------------------------------------------- */

static const struct format {
    const char *kernel;
    enum element a, b;
    int depth, sign, is_integer;
} formats[] = {
    {"bfloats", BF16, BF16, 16, 1, 0},
    {"negatives", HALF, HALF, 16, -1, 0},
    {"negatives_b", HALF, HALF, 16, -1, 0},
    {"tfloats", TF32, TF32, 8, 1, 0},
    {"e4m3_e5m2", E4M3, E5M2, 32, 1, 0},
    {"e5m2_e4m3", E5M2, E4M3, 32, 1, 0},
    {"s8_u8", S8, U8, 32, 1, 1},
    {"u8_s8", U8, S8, 32, 1, 1},
    {"s8_s8_sat", S8, S8, 32, 1, 2}, /* saturates */
};

/* What is added to, of 64 x 8: floats, integers (1), or integers near their ends
 * (2). */
static void draw_sums(void *out, double c[ROWS * 8], int is_integer)
{
    for (int i = 0; i < ROWS * 8; i++) {
        int v = (int)(help_draw() % 2001) - 1000;
        float x = (float)v;

        if (is_integer == 2)
            v = i % 2 ? INT32_MAX - 1000 : INT32_MIN + 1000;
        c[i] = v;
        memcpy((uint8_t *)out + 4 * i, is_integer ? (void *)&v : &x, 4);
    }
}

static double sum_at(const void *out, size_t at, int is_integer)
{
    int32_t whole;
    float real;

    memcpy(&whole, (const uint8_t *)out + 4 * at, 4);
    memcpy(&real, (const uint8_t *)out + 4 * at, 4);
    return is_integer ? whole : (double)real;
}

START_TEST(formats_of_elements)
{
    const struct format *f = &formats[_i];
    static double a[ROWS * 32], b[8 * 32], c[ROWS * 8];
    struct help_kernel k;
    uint8_t *to_a, *to_b;
    void *out;

    help_kernel_open(&k, 90, "k35_gmma", f->kernel);
    to_a = help_buffer(&k, ROWS * 32);
    to_b = help_buffer(&k, 8 * 32);
    out = help_buffer(&k, 4 * ROWS * 8);
    fill(to_a, a, (size_t)(ROWS * f->depth), f->a);
    fill(to_b, b, (size_t)(8 * f->depth), f->b);
    draw_sums(out, c, f->is_integer);
    help_run_kernel(&k, 1, 1, THREADS, 1);
    for (int row = 0; row < ROWS; row++) {
        for (int n = 0; n < 8; n++) {
            size_t at = fragment(row, n, 4);
            double want = c[at] + f->sign * dot(a, b, f->depth, row, n);

            if (f->is_integer == 2)
                want = fmin(fmax(want, INT32_MIN), INT32_MAX);
            ck_assert_double_eq(sum_at(out, at, f->is_integer), want);
        }
    }
    help_kernel_close(&k);
}
END_TEST

/* The code of N is not that of floats. */
START_TEST(integers_of_48_columns)
{
    static double a[ROWS * 32], b[48 * 32];
    struct help_kernel k;
    uint8_t *to_a, *to_b;
    int32_t *out;

    help_kernel_open(&k, 90, "k35_gmma", "s8_s8_wide");
    to_a = help_buffer(&k, ROWS * 32);
    to_b = help_buffer(&k, 48 * 32);
    out = help_buffer(&k, sizeof *out * ROWS * 48);
    fill(to_a, a, ROWS * 32, S8);
    fill(to_b, b, 48 * 32, S8);
    for (int i = 0; i < ROWS * 48; i++)
        out[i] = 7 * i;
    help_run_kernel(&k, 1, 1, THREADS, 1);
    for (int row = 0; row < ROWS; row++) {
        for (int n = 0; n < 48; n++) {
            size_t at = fragment(row, n, 24);

            ck_assert_double_eq(out[at],
                                7.0 * (double)at + dot(a, b, 32, row, n));
        }
    }
    help_kernel_close(&k);
}
END_TEST

START_TEST(a_in_registers)
{
    static double a[ROWS * 16], b[8 * 16];
    struct help_kernel k;
    uint8_t *to_a, *to_b;
    float *out;

    help_kernel_open(&k, 90, "k35_gmma", "from_registers");
    to_a = help_buffer(&k, sizeof(uint16_t) * ROWS * 16);
    to_b = help_buffer(&k, sizeof(uint16_t) * 8 * 16);
    out = help_buffer(&k, sizeof *out * ROWS * 8);
    fill(to_a, a, ROWS * 16, HALF);
    fill(to_b, b, 8 * 16, HALF);
    help_run_kernel(&k, 1, 1, THREADS, 1);
    for (int row = 0; row < ROWS; row++) {
        for (int n = 0; n < 8; n++)
            ck_assert_double_eq((double)out[fragment(row, n, 4)],
                                -dot(a, b, 16, row, n));
    }
    help_kernel_close(&k);
}
END_TEST

/* Sums are as halves, two in a register; up to 1024 they are exact. */
START_TEST(sums_as_halves)
{
    static double a[ROWS * 16], b[8 * 16];
    struct help_kernel k;
    uint8_t *to_a, *to_b;
    uint16_t *out;

    help_kernel_open(&k, 90, "k35_gmma", "half_sums");
    to_a = help_buffer(&k, sizeof(uint16_t) * ROWS * 16);
    to_b = help_buffer(&k, sizeof(uint16_t) * 8 * 16);
    out = help_buffer(&k, sizeof *out * ROWS * 8);
    fill(to_a, a, ROWS * 16, HALF);
    fill(to_b, b, 8 * 16, HALF);
    for (int i = 0; i < ROWS * 8; i++)
        out[i] = 0x3c00; /* 1 */
    help_run_kernel(&k, 1, 1, THREADS, 1);
    for (int row = 0; row < ROWS; row++) {
        for (int n = 0; n < 8; n++) {
            double want = 1 + dot(a, b, 16, row, n), size = fabs(want);
            uint16_t found = out[fragment(row, n, 4)];
            double value = found & 0x7fff ? ldexp(1024 + (found & 0x3ff),
                                                  (found >> 10 & 31) - 25)
                                          : 0;

            ck_assert_double_le(size, 1024 + 1);
            ck_assert_double_eq(found >> 15 ? -value : value, want);
        }
    }
    help_kernel_close(&k);
}
END_TEST

/* ---- sparse products, bits ----------------------------------------------------------- */

static const struct sparse {
    const char *kernel;
    enum element a, b;
    int depth, sign, selector, is_integer;
} sparse[] = {
    {"sparse_halves_0", HALF, HALF, 32, 1, 0, 0},
    {"sparse_halves_1", HALF, HALF, 32, 1, 1, 0},
    {"sparse_halves_mn", HALF, HALF, 32, -1, 0, 0},
    {"sparse_bfloats", BF16, BF16, 32, 1, 1, 0},
    {"sparse_tfloats_0", TF32, TF32, 16, 1, 0, 0},
    {"sparse_tfloats_1", TF32, TF32, 16, 1, 1, 0},
    {"sparse_e4m3_e5m2", E4M3, E5M2, 64, 1, 0, 0},
    {"sparse_s8_u8", S8, U8, 64, 1, 0, 1},
    {"sparse_registers", HALF, HALF, 32, 1, 0, 0},
};

/* Where the four bits of a chunk of a row are: thread, and the lowest bit. */
static void place_of_metadata(const struct sparse *f, int row, int chunk,
                              int *thread, int *bit)
{
    int first = row / 16 * 32 + row % 8 * 4, upper = row % 16 / 8;

    if (f->depth == 64) {
        *thread = first + upper + chunk / 8 * 2;
        *bit = chunk % 8 * 4;
    } else {
        *thread = first + 2 * f->selector + chunk / 4;
        *bit = upper * 16 + chunk % 4 * 4;
    }
}

/* Draws which columns of a row's chunk are stored, and lays them out in full. */
static void draw_chunk(const struct sparse *f, const double *stored, int row,
                       int chunk, double *full, uint32_t *meta)
{
    static const uint32_t pairs[6] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe};
    int thread, bit, wide = f->a == TF32 ? 2 : 4;
    const double *from = &stored[row * f->depth / 2 + chunk * wide / 2];
    double *to = &full[row * f->depth + chunk * wide];
    uint32_t bits =
        f->a == TF32 ? (help_draw() % 2 ? 14 : 4) : pairs[help_draw() % 6];

    if (f->a == TF32) {
        to[bits == 14] = from[0];
    } else {
        to[bits & 3] = from[0];
        to[bits >> 2] = from[1];
    }
    place_of_metadata(f, row, chunk, &thread, &bit);
    meta[thread] = (meta[thread] & ~(15u << bit)) | bits << bit;
}

START_TEST(sparse_products)
{
    const struct sparse *f = &sparse[_i];
    double stored[ROWS * 32], a[ROWS * 64] = {0}, b[8 * 64], c[ROWS * 8];
    struct help_kernel k;
    uint8_t *to_a, *to_b;
    uint32_t *meta;
    void *out;

    help_kernel_open(&k, 90, "k35_gmma", f->kernel);
    to_a = help_buffer(&k, ROWS * 32);
    to_b = help_buffer(&k, 8 * 64);
    out = help_buffer(&k, 4 * ROWS * 8);
    meta = help_buffer(&k, sizeof *meta * THREADS);
    fill(to_a, stored, (size_t)(ROWS * f->depth / 2), f->a);
    fill(to_b, b, (size_t)(8 * f->depth), f->b);
    for (int i = 0; i < THREADS; i++)
        meta[i] = help_draw(); /* what the selector leaves out does not count */
    for (int row = 0; row < ROWS; row++) {
        for (int i = 0; i < f->depth / (f->a == TF32 ? 2 : 4); i++)
            draw_chunk(f, stored, row, i, a, meta);
    }
    draw_sums(out, c, f->is_integer);
    help_run_kernel(&k, 1, 1, THREADS, 1);
    for (int row = 0; row < ROWS; row++) {
        for (int n = 0; n < 8; n++) {
            size_t at = fragment(row, n, 4);

            ck_assert_double_eq(sum_at(out, at, f->is_integer),
                                c[at] + f->sign * dot(a, b, f->depth, row, n));
        }
    }
    help_kernel_close(&k);
}
END_TEST

/* A number that is not 0 and a chunk that names one column twice. */
START_TEST(metadata_that_name_a_column_twice)
{
    struct help_kernel k;
    uint16_t *a;
    uint32_t *meta;

    help_kernel_open(&k, 90, "k35_gmma", "sparse_halves_0");
    a = help_buffer(&k, ROWS * 32);
    help_buffer(&k, 8 * 64);
    help_buffer(&k, 4 * ROWS * 8);
    meta = help_buffer(&k, sizeof *meta * THREADS);
    for (int i = 0; i < THREADS; i++)
        meta[i] = 0x44444444;
    for (int i = 0; i < ROWS * 16; i++)
        a[i] = 0x3c00;
    meta[5 * 4] = 0x44444445; /* row 5, columns 0 to 3 */
    k.facts.block[0] = THREADS;
    ck_assert(help_try_kernel(&k) == TEG_FORMAT);
    ck_assert_ptr_nonnull(strstr(k.d.what, "HGMMA.SP.64x8x32.F32"));
    ck_assert_ptr_nonnull(strstr(k.d.what, "the metadata of row 5 give"));
    help_kernel_close(&k);
}
END_TEST

static const char *const of_bits[] = {"bit_tiles", "bit_registers"};

START_TEST(ones_that_bits_have_in_common)
{
    struct help_kernel k;
    uint32_t *a, *b;
    int32_t *out;

    help_kernel_open(&k, 90, "k35_gmma", of_bits[_i]);
    a = help_buffer(&k, ROWS * 32);
    b = help_buffer(&k, 8 * 32);
    out = help_buffer(&k, sizeof *out * ROWS * 8);
    for (int i = 0; i < ROWS * 8; i++)
        a[i] = help_draw();
    for (int i = 0; i < 8 * 8; i++)
        b[i] = help_draw();
    for (int i = 0; i < ROWS * 8; i++)
        out[i] = 3 * i;
    help_run_kernel(&k, 1, 1, THREADS, 1);
    for (int row = 0; row < ROWS; row++) {
        for (int n = 0; n < 8; n++) {
            size_t at = fragment(row, n, 4);
            int want = 3 * (int)at;

            for (int i = 0; i < 8; i++)
                want += __builtin_popcount(a[8 * row + i] & b[8 * n + i]);
            ck_assert_int_eq(out[at], want);
        }
    }
    help_kernel_close(&k);
}
END_TEST

START_TEST(a_tile_that_is_not_there)
{
    struct help_kernel k;

    help_kernel_open(&k, 90, "k35_gmma", "beyond");
    help_buffer(&k, 4 * THREADS);
    k.facts.block[0] = THREADS;
    ck_assert(help_try_kernel(&k) == TEG_LIMIT);
    ck_assert_ptr_nonnull(strstr(k.d.what, "HGMMA.64x8x16.F32 R24, gdesc["));
    ck_assert_ptr_nonnull(
        strstr(k.d.what, "16 bytes at 0x3f000 of shared memory"));
    help_kernel_close(&k);
}
END_TEST

HELP_MAIN("traces/gmma", 60, {layouts_and_swizzles, 8},
          {one_thread_tells_for_its_group, 0},
          {formats_of_elements, sizeof formats / sizeof formats[0]},
          {integers_of_48_columns, 0}, {a_in_registers, 0}, {sums_as_halves, 0},
          {sparse_products, sizeof sparse / sizeof sparse[0]},
          {metadata_that_name_a_column_twice, 0},
          {ones_that_bits_have_in_common, sizeof of_bits / sizeof of_bits[0]},
          {a_tile_that_is_not_there, 0})
