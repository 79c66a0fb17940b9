/*
 * Products of a warp group: kernels of tests/fixtures/kernels/k35_gmma.cu
 * (sm_90a) against plain products of matrices.  Elements are small numbers, so
 * that every sum is exact and no order of summing shows.
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
    for (int i = 0; i < ROWS * 8; i++) {
        int v = (int)(help_draw() % 2001) - 1000;
        float x = (float)v;

        if (f->is_integer == 2)
            v = i % 2 ? INT32_MAX - 1000 : INT32_MIN + 1000;
        c[i] = v;
        memcpy((uint8_t *)out + 4 * i, f->is_integer ? (void *)&v : &x, 4);
    }
    help_run_kernel(&k, 1, 1, THREADS, 1);
    for (int row = 0; row < ROWS; row++) {
        for (int n = 0; n < 8; n++) {
            size_t at = fragment(row, n, 4);
            double want = c[at] + f->sign * dot(a, b, f->depth, row, n);
            int32_t whole;
            float real;

            memcpy(&whole, (uint8_t *)out + 4 * at, 4);
            memcpy(&real, (uint8_t *)out + 4 * at, 4);
            if (f->is_integer == 2)
                want = fmin(fmax(want, INT32_MIN), INT32_MAX);
            ck_assert_double_eq(f->is_integer ? whole : (double)real, want);
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
          {a_tile_that_is_not_there, 0})
