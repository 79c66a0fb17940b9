/* k16 and k18 .. k30 of tests/fixtures/kernels/ against the same in C. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help_kernel.h"
#include "tests/help_suite.h"
#include "traces/emulate/core/half.h"

#define SM help_generation[_i]

static double h2d(uint16_t h)
{
    return (double)half_value(h);
}

static uint16_t d2h(double d)
{
    return (uint16_t)half_bits(d);
}

static uint16_t any_half(void)
{
    return d2h(((double)help_draw_float() - 0.5) * 8);
}

/* ---- halves ---------------------------------------------------------------- */

START_TEST(half2_saxpy)
{
    enum {
        N = 300
    };
    struct help_kernel k;
    uint16_t a[2] = {0x3e00, 0xb800}, *x, *y, before[2 * N];

    help_kernel_open(&k, SM, "k16_half2", "half2_saxpy");
    help_int(&k, N);
    help_value(&k, a, 4);
    x = help_buffer(&k, 4 * N);
    y = help_buffer(&k, 4 * N);
    for (int i = 0; i < 2 * N; i++) {
        x[i] = any_half();
        before[i] = y[i] = any_half();
    }
    help_run_kernel(&k, 3, 1, 128, 1);
    for (int i = 0; i < 2 * N; i++)
        ck_assert_uint_eq(y[i],
                          d2h(fma(h2d(a[i % 2]), h2d(x[i]), h2d(before[i]))));
    help_kernel_close(&k);
}
END_TEST

static uint16_t add(uint16_t a, uint16_t b)
{
    return d2h(h2d(a) + h2d(b));
}

static uint16_t mul(uint16_t a, uint16_t b)
{
    return d2h(h2d(a) * h2d(b));
}

static uint16_t lesser(uint16_t a, uint16_t b)
{
    return h2d(a) < h2d(b) ? a : b;
}

static void check_half(uint16_t got, double want, double tolerance)
{
    ck_assert_double_eq_tol(h2d(got), want, fabs(want) * tolerance + 1e-7);
}

/* One thread: more would write each other's results. */
START_TEST(half_misc)
{
    for (int round = 0; round < 20; round++) {
        struct help_kernel k;
        uint16_t *a, *b, *o, x, y, r, t[2], g, h;
        float *f;
        int *c, count;
        double sat;

        help_kernel_open(&k, SM, "k16_half2", "half_misc");
        a = help_buffer(&k, 2);
        b = help_buffer(&k, 2);
        o = help_buffer(&k, 32);
        f = help_buffer(&k, 8);
        c = help_buffer(&k, 4);
        help_int(&k, 1);
        help_draw_seed((uint32_t)round + 5);
        x = *a = any_half() & 0x7fff;
        y = *b = any_half();
        f[0] = help_draw_float() * 3;
        help_run_kernel(&k, 1, 1, 1, 1);
        /* p = {x, y}, q = {y, x}, r = p + q, s = p * -q, t = r - s */
        r = add(x, y);
        t[0] = d2h(h2d(x) * h2d(y) + h2d(r)); /* which the compiler fuses */
        t[1] = d2h(h2d(y) * h2d(x) + h2d(add(y, x)));
        sat = h2d(x) * h2d(y) + h2d(add(y, x));
        ck_assert_uint_eq(o[0], add(x, y));
        ck_assert_uint_eq(o[1], mul(x, y));
        ck_assert_uint_eq(o[2], t[0]);
        ck_assert_uint_eq(o[3], d2h(sat < 0 ? 0 : sat > 1 ? 1 : sat));
        ck_assert(f[0] == half_value(x) * 2);
        ck_assert(f[1] == half_value(d2h((double)(f[0] + 1))));
        count = (h2d(x) < h2d(y)) + 2 * (x == y) + 4 * (h2d(x) > h2d(y)) +
                (int)nearbyint(h2d(x));
        ck_assert_int_eq(*c, count);
        ck_assert_uint_eq(o[5], d2h(count));
        g = lesser(x, y);
        h = h2d(add(y, x)) > h2d(t[1]) ? add(y, x) : t[1];
        ck_assert_uint_eq(o[6], add(g, h));
        check_half(o[7], sqrt(h2d(x)), 1e-3);
        check_half(o[8], exp(h2d(y)), 2e-3);
        check_half(o[9], 1 / h2d(x), 1e-3);
        help_kernel_close(&k);
    }
}
END_TEST

static double b2d(uint32_t word, int i)
{
    return (double)bf16_value(word >> 16 * i & 0xffff);
}

START_TEST(bf16_misc)
{
    if (SM < 80)
        return;
    for (int round = 0; round < 20; round++) {
        struct help_kernel k;
        uint32_t *x, *y, before[3], want[3] = {0};
        float *f, in[5];

        help_kernel_open(&k, SM, "k16_half2", "bf16_misc");
        x = help_buffer(&k, 8);
        y = help_buffer(&k, 12);
        f = help_buffer(&k, 20);
        help_int(&k, 1);
        help_draw_seed((uint32_t)round + 9);
        for (int i = 0; i < 2; i++)
            x[i] = bf16_bits((double)help_draw_float() * 4 - 2) |
                   bf16_bits((double)help_draw_float() * 4 - 2) << 16;
        for (int i = 0; i < 3; i++)
            before[i] = y[i] = bf16_bits((double)help_draw_float() * 4 - 2);
        for (int i = 0; i < 5; i++)
            in[i] = f[i] = help_draw_float();
        help_run_kernel(&k, 1, 1, 1, 1);
        for (int i = 0; i < 2; i++) {
            uint32_t product = bf16_bits(b2d(x[0], i) * b2d(x[1], i));
            double greater = fmax(b2d(product, 0), b2d(before[2], i));

            want[0] |=
                bf16_bits(fma(b2d(x[0], i), b2d(x[0], i), b2d(before[0], i)))
                << 16 * i;
            want[1] |= bf16_bits((double)in[3 + i]) << 16 * i;
            want[2] |= bf16_bits(greater) << 16 * i;
        }
        ck_assert_mem_eq(y, want, sizeof want);
        ck_assert((double)f[0] == b2d(x[0], 0));
        ck_assert((double)f[1] ==
                  b2d(bf16_bits(b2d(x[0], 0) + b2d(want[0], 0)), 0));
        help_kernel_close(&k);
    }
}
END_TEST

/* ---- asynchronous copies ------------------------------------------------------- */

START_TEST(cp_async)
{
    enum {
        TILES = 3,
        N = TILES * 1024
    };
    struct help_kernel k;
    float *in, *out;

    help_kernel_open(&k, SM, "k18_cp_async", "cp_async_pipe");
    in = help_buffer(&k, 4 * N);
    out = help_buffer(&k, 4 * N);
    help_int(&k, TILES);
    for (int i = 0; i < N; i++)
        in[i] = help_draw_float();
    help_run_kernel(&k, 1, 1, 256, 1);
    for (int i = 0; i < N; i++)
        ck_assert(out[i] == fmaf(in[i], 2, 1));
    help_kernel_close(&k);

    help_kernel_open(&k, SM, "k18_cp_async", "cp_async_small");
    in = help_buffer(&k, 1024);
    out = help_buffer(&k, 1024);
    help_int(&k, 100);
    for (int i = 0; i < 256; i++)
        in[i] = help_draw_float();
    help_run_kernel(&k, 1, 1, 256, 1);
    for (int i = 0; i < 256; i++)
        ck_assert(out[i] == ((i ^ 1) < 100 ? in[i ^ 1] : 0));
    help_kernel_close(&k);
}
END_TEST

/* For 32 copies of 16 bytes from `in`, in `bytes` how many of each are asked for. */
static void open_filled(struct help_kernel *k, unsigned sm, size_t in_bytes,
                        uint8_t **in, int **bytes, uint8_t **out)
{
    help_kernel_open(k, sm, "k18_cp_async", "cp_async_filled");
    *in = help_buffer(k, in_bytes);
    *bytes = help_buffer(k, 32 * sizeof **bytes);
    *out = help_buffer(k, 64 * 16);
}

/* What a copy has no source for is zeros, whatever lay there. */
START_TEST(copies_fill_up_with_zeros)
{
    struct help_kernel k;
    uint8_t *in, *out;
    int *bytes;

    if (SM < 80)
        return;
    open_filled(&k, SM, 32 * 16, &in, &bytes, &out);
    for (int i = 0; i < 32 * 16; i++)
        in[i] = (uint8_t)(1 + i % 251);
    for (int i = 0; i < 32; i++)
        bytes[i] = i % 17;
    help_run_kernel(&k, 1, 1, 32, 1);
    for (int i = 0; i < 32 * 16; i++) {
        int from = i / 16 ^ 1, at = 16 * from + i % 16;

        ck_assert_uint_eq(out[i], i % 16 < from % 17 ? in[at] : 0);
        ck_assert_uint_eq(out[32 * 16 + i], from % 3 != 0 ? in[at] : 0);
    }
    help_kernel_close(&k);
}
END_TEST

/* What is not asked for need not be there: 13 bytes, the last a buffer has. */
START_TEST(copies_read_what_they_ask_for)
{
    struct help_kernel k;
    uint8_t *in, *out;
    int *bytes;

    if (SM < 80)
        return;
    open_filled(&k, SM, 30 * 16 + 13, &in, &bytes, &out);
    emu_device_make_strict(k.device);
    memset(in, 7, 30 * 16 + 13);
    bytes[29] = 4;
    bytes[30] = 13;
    help_run_kernel(&k, 1, 1, 31, 1);
    ck_assert(out[28 * 16 + 3] == 7 && out[28 * 16 + 4] == 0);
    bytes[30] = 14;
    ck_assert(help_try_kernel(&k) != TEG_OK);
    help_kernel_close(&k);
}
END_TEST

/* ---- integers -------------------------------------------------------------------- */

static uint32_t bytes_of(uint32_t x, uint32_t y, uint32_t selector)
{
    uint64_t all = (uint64_t)y << 32 | x;
    uint32_t out = 0;

    for (int i = 0; i < 4; i++) {
        uint32_t s = selector >> 4 * i & 15, byte = all >> 8 * (s & 7) & 255;

        if (s & 8)
            byte = byte & 128 ? 255 : 0;
        out |= byte << 8 * i;
    }
    return out;
}

static uint32_t reversed(uint32_t x)
{
    uint32_t out = 0;

    for (int i = 0; i < 32; i++)
        out |= (x >> i & 1) << (31 - i);
    return out;
}

static void int_misc_want(uint32_t x, uint32_t y, uint32_t p[36])
{
    int32_t sx = (int32_t)x, sy = (int32_t)y;
    uint64_t xy = (uint64_t)y << 32 | x;
    int64_t dot = 7;
    uint32_t udot = 9, apart = 0, most = 0, sum = 0;

    for (int i = 0; i < 4; i++) {
        uint32_t a = x >> 8 * i & 255, b = y >> 8 * i & 255;

        dot += (int8_t)a * (int8_t)b;
        udot += a * b;
        apart |= (a > b ? a - b : b - a) << 8 * i;
    }
    for (int i = 0; i < 2; i++) {
        int16_t a = (int16_t)(x >> 16 * i), b = (int16_t)(y >> 16 * i);

        most |= (uint32_t)(uint16_t)(a > b ? a : b) << 16 * i;
        sum |= (uint32_t)(uint16_t)(a + b) << 16 * i;
    }
    p[0] = (uint32_t)__builtin_popcount(x);
    p[1] = x ? (uint32_t)__builtin_clz(x) : 32;
    p[2] = reversed(x);
    p[3] = (uint32_t)__builtin_ffs(sx);
    p[4] = bytes_of(x, y, 0x5140);
    p[5] = (uint32_t)(xy << (y & 31) >> 32);
    p[6] = (uint32_t)(xy >> (y & 31));
    p[7] = (uint32_t)dot;
    p[8] = udot;
    p[9] = (uint32_t)((int64_t)sx * sy >> 32);
    p[10] = (uint32_t)((uint64_t)x * y >> 32);
    p[11] = x / (y | 1);
    p[12] = x % (y | 1);
    p[13] = (uint32_t)(int32_t)((int64_t)sx / (sy | 1));
    p[14] = (uint32_t)(int32_t)((int64_t)sx % (sy | 1));
    p[15] = sx < 0 ? -x : x;
    p[16] = sx < sy ? x : y;
    p[17] = x > y ? x : y;
    p[18] = (sx > sy ? x - y : y - x) + 5;
    p[19] = sum;
    p[20] = (uint32_t)(((int64_t)sx + sy) >> 1);
    p[21] = (uint32_t)((int64_t)((int32_t)(x << 8) >> 8) *
                       ((int32_t)(y << 8) >> 8));
    p[22] = (uint32_t)(sx >> (y & 31));
    p[23] = x >> (y & 31);
    p[24] = x << (y & 31);
    p[25] = x >> 5 & 0x7f;
    p[26] = (uint32_t)((int32_t)(x << 9) >> 20);
    p[27] = (x & y) ^ (~x | 0x0f0f0f0f);
    p[28] = (uint32_t)(sx / 7);
    p[29] = x % 10;
    p[30] = bytes_of(x, y, y & 0x7777);
    p[31] = (x == y) + 2u * (sx < sy) + 4u * (x < y) + 8u * (sx != 3);
    p[32] = apart;
    p[33] = most;
    p[34] = (sx > 0 ? y : x + 1) * 3 + 17;
    p[35] = x * 33;
}

static const uint32_t corners[] = {
    0, 1, 2, 3, 0x7fffffff, 0x80000000, 0xffffffff, 0x8000, 0xffff};

START_TEST(int_misc)
{
    enum {
        N = 200
    };
    struct help_kernel k;
    uint32_t *a, *b, *o, want[36];

    help_kernel_open(&k, SM, "k19_int_misc", "int_misc");
    a = help_buffer(&k, 4 * N);
    b = help_buffer(&k, 4 * N);
    o = help_buffer(&k, 160 * N);
    help_int(&k, N);
    for (int i = 0; i < N; i++) {
        a[i] = i < 81 ? corners[i / 9] : help_draw();
        b[i] = i < 81 ? corners[i % 9] : help_draw() >> i % 32;
    }
    help_run_kernel(&k, 2, 1, 128, 1);
    for (int i = 0; i < N; i++) {
        int_misc_want(a[i], b[i], want);
        for (int j = 0; j < 36; j++) {
            /* selectors of more than 3 bits are a matter of their own */
            ck_assert_msg(o[40 * i + j] == want[j],
                          "%d of 0x%x, 0x%x: expected 0x%x, found 0x%x", j,
                          a[i], b[i], want[j], o[40 * i + j]);
        }
    }
    help_kernel_close(&k);
}
END_TEST

static uint64_t upper_product(uint64_t x, uint64_t y)
{
    uint64_t xl = (uint32_t)x, xh = x >> 32, yl = (uint32_t)y, yh = y >> 32;
    uint64_t middle = xh * yl + (xl * yl >> 32);

    return xh * yh + (middle >> 32) + ((xl * yh + (uint32_t)middle) >> 32);
}

static void int64_misc_want(uint64_t x, uint64_t y, uint64_t p[16])
{
    int64_t sx = (int64_t)x, sy = (int64_t)y;
    uint64_t brev =
        (uint64_t)reversed((uint32_t)x) << 32 | reversed((uint32_t)(x >> 32));

    p[0] = x * y;
    p[1] = upper_product(x, y);
    p[2] = p[1] - (sx < 0 ? y : 0) - (sy < 0 ? x : 0);
    p[3] = x / (y | 1);
    p[4] = x % (y | 1);
    p[5] = sx == INT64_MIN && (sy | 1) == -1 ? x : (uint64_t)(sx / (sy | 1));
    p[6] = x << (y & 63);
    p[7] = x >> (y & 63);
    p[8] = (uint64_t)(sx >> (y & 63));
    p[9] = x + y;
    p[10] = x - y;
    p[11] = (x < y) + 2u * (sx < sy) + 4u * (x == y);
    p[12] = (uint64_t)__builtin_popcountll(x);
    p[13] = x ? (uint64_t)__builtin_clzll(x) : 64;
    p[14] = brev;
    p[15] = (uint64_t)(sx < sy ? sx : sy) + (x > y ? x : y) + (sx < 0 ? -x : x);
}

START_TEST(int64_misc)
{
    enum {
        N = 200
    };
    struct help_kernel k;
    uint64_t *a, *b, *o, want[16];

    help_kernel_open(&k, SM, "k19_int_misc", "int64_misc");
    a = help_buffer(&k, 8 * N);
    b = help_buffer(&k, 8 * N);
    o = help_buffer(&k, 128 * N);
    help_int(&k, N);
    for (int i = 0; i < N; i++) {
        a[i] = (uint64_t)help_draw() << 32 | help_draw();
        b[i] = ((uint64_t)help_draw() << 32 | help_draw()) >> i % 64;
        if (i < 81) {
            a[i] = (uint64_t)(int64_t)(int32_t)corners[i / 9];
            b[i] = (uint64_t)corners[i % 9] << 16;
        }
    }
    help_run_kernel(&k, 2, 1, 128, 1);
    for (int i = 0; i < N; i++) {
        int64_misc_want(a[i], b[i], want);
        for (int j = 0; j < 16; j++)
            ck_assert_msg(o[16 * i + j] == want[j],
                          "%d of 0x%llx, 0x%llx: expected 0x%llx, found 0x%llx",
                          j, (unsigned long long)a[i], (unsigned long long)b[i],
                          (unsigned long long)want[j],
                          (unsigned long long)o[16 * i + j]);
    }
    help_kernel_close(&k);
}
END_TEST

HELP_MAIN("traces/kernels_more", 60, {half2_saxpy, HELP_GENERATIONS},
          {half_misc, HELP_GENERATIONS}, {bf16_misc, HELP_GENERATIONS},
          {cp_async, HELP_GENERATIONS},
          {copies_fill_up_with_zeros, HELP_GENERATIONS},
          {copies_read_what_they_ask_for, HELP_GENERATIONS},
          {int_misc, HELP_GENERATIONS}, {int64_misc, HELP_GENERATIONS})
