/* k20, k22, k25 .. k31 of tests/fixtures/kernels/ against the same in C. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help_kernel.h"
#include "tests/help_suite.h"
#include "traces/emulate/core/half.h"

#define SM help_generation[_i]

/* ---- conversions -------------------------------------------------------------- */

static double to_range(double d, double least, double most)
{
    return isnan(d) ? 0 : d < least ? least : d > most ? most : d;
}

static int32_t to_int(double d)
{
    return (int32_t)to_range(d, -2147483648.0, 2147483647.0);
}

static uint32_t to_unsigned(double d)
{
    return (uint32_t)to_range(d, 0, 4294967295.0);
}

static int64_t to_long(double d)
{
    if (isnan(d))
        return INT64_MIN;
    return d >= 0x1p63 ? INT64_MAX : d < -0x1p63 ? INT64_MIN : (int64_t)d;
}

static uint32_t bits(float f)
{
    uint32_t b;

    memcpy(&b, &f, 4);
    return b;
}

/* Rounded to zero: to nearest, then back if that went away from it. */
static float to_zero(double d)
{
    float f = (float)d;

    return fabs((double)f) > fabs(d) ? nextafterf(f, 0) : f;
}

START_TEST(convert)
{
    enum {
        N = 96
    };
    static const float odd[] = {0,     -0.0f,  0.5f,  1.5f,   2.5f,     -0.5f,
                                1e10f, -1e10f, 3e38f, 1e-40f, 65535.5f, 127.5f};
    struct help_kernel k;
    float *f, *g;
    int *a, *o;
    double *d, *e;

    help_kernel_open(&k, SM, "k20_convert", "convert");
    f = help_buffer(&k, 4 * N);
    a = help_buffer(&k, 4 * N);
    d = help_buffer(&k, 8 * N);
    o = help_buffer(&k, 96 * N);
    g = help_buffer(&k, 64 * N);
    e = help_buffer(&k, 64 * N);
    help_int(&k, N);
    for (int i = 0; i < N; i++) {
        f[i] = i < 12 ? odd[i] : (help_draw_float() - 0.5f) * 1e5f;
        a[i] = (int)help_draw() >> i % 32;
        d[i] = ((double)help_draw_float() - 0.5) * pow(10, i % 12) +
               (double)help_draw_float() * 1e-9;
    }
    help_run_kernel(&k, 1, 1, 96, 1);
    for (int i = 0; i < N; i++) {
        float x = f[i], *q = g + 16 * i;
        double z = d[i], *r = e + 8 * i, xd = (double)x;
        int n = a[i], *p = o + 24 * i;
        uint32_t u = (uint32_t)n;
        int64_t l = to_long(trunc(xd));

        ck_assert_int_eq(p[0], to_int(nearbyint(xd)));
        ck_assert_int_eq(p[1], to_int(trunc(xd)));
        ck_assert_int_eq(p[2], to_int(ceil(xd)));
        ck_assert_int_eq(p[3], to_int(floor(xd)));
        ck_assert_uint_eq((uint32_t)p[4], to_unsigned(nearbyint(xd)));
        ck_assert_uint_eq((uint32_t)p[5], to_unsigned(trunc(xd)));
        ck_assert_int_eq(p[6], (int)l);
        ck_assert_int_eq(p[7], (int)(l >> 32));
        ck_assert_int_eq(p[8], to_int(nearbyint(z)));
        ck_assert_int_eq(p[9], to_int(trunc(z)));
        ck_assert_uint_eq((uint32_t)p[10], to_unsigned(trunc(z)));
        l = to_long(nearbyint(z));
        ck_assert_int_eq(p[11], (int)l ^ (int)(l >> 32));
        ck_assert_uint_eq((uint32_t)p[14], bits(nearbyintf(x)));
        ck_assert_uint_eq((uint32_t)p[15], bits(floorf(x)));
        ck_assert_uint_eq((uint32_t)p[16], bits(ceilf(x)));
        ck_assert_uint_eq((uint32_t)p[17], bits(truncf(x)));
        ck_assert_int_eq(p[19], (int16_t)n);
        ck_assert_int_eq(p[20], (uint8_t)n);
        if (fabsf(x) < 60000)
            ck_assert_int_eq(p[21], (int)half_value(half_bits(xd)));
        ck_assert_int_eq(p[22], (int16_t)half_bits((int16_t)n));
        if (fabsf(x) < 1e9f)
            ck_assert_int_eq(p[23], (int)roundf(x));
        ck_assert(q[0] == (float)n && q[1] == (float)u);
        ck_assert(q[2] == to_zero((double)n));
        ck_assert(q[3] == (float)(int8_t)n);
        ck_assert(q[4] == (float)(uint8_t)(n >> 8));
        ck_assert(q[5] == (float)(uint16_t)(n >> 16));
        ck_assert(q[6] == (float)z && q[7] == to_zero(z));
        ck_assert(q[8] == (float)(int64_t)z);
        ck_assert(q[9] == (float)((uint64_t)(int64_t)n << 20));
        ck_assert(q[10] == (x < 0 ? 0 : x > 1 ? 1 : x));
        ck_assert(q[11] == fabsf(x) + -x);
        ck_assert(q[12] == fminf(x, q[0]) && q[13] == fmaxf(x, 1));
        ck_assert(q[14] == copysignf(x, q[6]) && q[15] == fmodf(x, 3));
        ck_assert(r[0] == n && r[1] == u && r[2] == xd);
        ck_assert(r[3] == (double)((int64_t)n * 3));
        ck_assert(r[4] == (double)(uint64_t)(int64_t)n);
        ck_assert(r[5] == nearbyint(z) && r[6] == floor(z));
        ck_assert(r[7] == trunc(z));
    }
    help_kernel_close(&k);
}
END_TEST

/* ---- functions ------------------------------------------------------------------------ */

/* Tolerances: relative to the value, from the CUDA C++ Programming Guide's
 * tables of maximum errors, in units of 2^-23, intrinsics absolute. */
START_TEST(fmath)
{
    enum {
        N = 200,
        COUNT = 24
    };
    struct help_kernel k;
    float *a, *b, *o;

    help_kernel_open(&k, SM, "k25_math", "fmath");
    a = help_buffer(&k, 4 * N);
    b = help_buffer(&k, 4 * N);
    o = help_buffer(&k, 4 * N * COUNT);
    help_int(&k, N);
    for (int i = 0; i < N; i++) {
        a[i] = help_draw_float() * 3 + 0.01f;
        b[i] = help_draw_float() * 4 - 2 + 0.001f;
    }
    help_run_kernel(&k, 2, 1, 128, 1);
    for (int i = 0; i < N; i++) {
        double x = (double)a[i], y = (double)b[i];
        const struct {
            double want, units;
        } want[COUNT] = {
            {sin(x), 2},   {cos(x), 2},      {tan(x), 4},      {exp(x), 2},
            {log(x), 3},   {pow(x, y), 8},   {atan2(x, y), 3}, {tanh(x), 2},
            {x / y, 0.5},  {1 / x, 0.5},     {sqrt(x), 0.5},   {cbrt(x), 1},
            {sin(x), -16}, {cos(x), -16},    {exp(x), 8},      {log(x), -16},
            {x / y, 4},    {1 / sqrt(x), 2}, {sqrt(x), 1},     {exp2(x), 2},
            {log2(x), 3},  {hypot(x, y), 3}, {8 * x, 0},       {3, 0},
        };

        for (int j = 0; j < COUNT; j++) {
            double units = want[j].units;
            double size = units < 0 ? 1 : fabs(want[j].want);

            ck_assert_msg(fabs((double)o[COUNT * i + j] - want[j].want) <=
                              (fabs(units) + 0.01) * 0x1p-23 * (size + 1e-3),
                          "%d of %a, %a: expected %a, found %a", j, x, y,
                          want[j].want, (double)o[COUNT * i + j]);
        }
        ck_assert(o[COUNT * i + 8] == a[i] / b[i]);
        ck_assert(o[COUNT * i + 10] == sqrtf(a[i]));
    }
    help_kernel_close(&k);
}
END_TEST

START_TEST(dfuncs)
{
    enum {
        N = 100
    };
    struct help_kernel k;
    double *a, *o;

    help_kernel_open(&k, SM, "k25_math", "dfuncs");
    a = help_buffer(&k, 8 * N);
    o = help_buffer(&k, 32 * N);
    help_int(&k, N);
    for (int i = 0; i < N; i++)
        a[i] = (double)help_draw_float() * 5 + 0.01;
    help_run_kernel(&k, 1, 1, 128, 1);
    for (int i = 0; i < N; i++) {
        double x = a[i];
        const double want[] = {exp(x), log(x), sin(x), 1 / sqrt(x)};

        for (int j = 0; j < 4; j++)
            ck_assert_double_eq_tol(o[4 * i + j], want[j],
                                    2 * 0x1p-52 * fabs(want[j]) + 1e-17);
    }
    help_kernel_close(&k);
}
END_TEST

/* ---- barriers, special registers ------------------------------------------------------------- */

START_TEST(barriers)
{
    struct help_kernel k;
    int *in, *out, count = 0, all = 1, any = 0;

    help_kernel_open(&k, SM, "k27_barrier", "barriers");
    in = help_buffer(&k, 256);
    out = help_buffer(&k, 512);
    for (int i = 0; i < 64; i++)
        in[i] = i < 2 ? 64 : (int)(help_draw() % 4);
    for (int i = 0; i < 64; i++) {
        count += in[i] > 0;
        all &= in[i] > 1;
        any |= in[i] > 2;
    }
    help_run_kernel(&k, 1, 1, 64, 1);
    for (int t = 0; t < 64; t++) {
        ck_assert_int_eq(out[t], count + all * 100 + any * 1000);
        ck_assert_int_eq(out[t + 64], in[(t + 1) & 63]);
    }
    help_kernel_close(&k);
}
END_TEST

START_TEST(special_registers)
{
    struct help_kernel k;
    uint32_t *o;

    help_kernel_open(&k, SM, "k27_barrier", "sregs");
    o = help_buffer(&k, 160 * 64);
    help_buffer(&k, 24);
    help_run_kernel(&k, 1, 1, 64, 1);
    for (uint32_t t = 0; t < 64; t++) {
        const uint32_t *p = o + 40 * t, lane = t % 32;
        const uint32_t want[] = {t, 0, 0, 64, 1, 1,    0,
                                 0, 0, 1, 1,  1, lane, t / 32};

        ck_assert_mem_eq(p, want, sizeof want);
        ck_assert_uint_eq(p[14], SM == 75                ? 32
                                 : SM == 86 || SM == 120 ? 48
                                                         : 64);
        ck_assert_uint_eq(p[15], 0); /* %smid, of one SM */
        ck_assert_uint_eq(p[16], 1);
        ck_assert_uint_eq(p[17], 1u << lane);
        ck_assert_uint_eq(p[18], (2u << lane) - 1);
        ck_assert_uint_eq(p[19], (1u << lane) - 1);
        ck_assert_uint_eq(p[20], ~((1u << lane) - 1));
        ck_assert_uint_eq(p[21], ~((2u << lane) - 1));
    }
    help_kernel_close(&k);
}
END_TEST

START_TEST(traps)
{
    struct help_kernel k;
    int *p;

    help_kernel_open(&k, SM, "k27_barrier", "misc_ctl");
    p = help_buffer(&k, 128);
    help_int(&k, 5);
    help_run_kernel(&k, 1, 1, 32, 1);
    ck_assert_int_eq(p[31], 5);
    k.argument = 1;
    help_int(&k, 77);
    ck_assert(help_try_kernel(&k) != TEG_OK);
    ck_assert_ptr_nonnull(strstr(k.d.what, "BPT.TRAP"));
    ck_assert_ptr_nonnull(strstr(k.d.what, "traps itself"));
    help_kernel_close(&k);
}
END_TEST

/* ---- the uniform datapath ------------------------------------------------------------------------ */

struct p {
    int a, b, c, d;
    int64_t l;
    uint32_t u;
    float f;
    int arr[8];
};

static const struct p some = {6,  3,    2,   5,
                              77, 1234, 2.5, {1, -2, 3, -4, 5, -6, 7, -8}};

static uint32_t reversed(uint32_t x)
{
    uint32_t out = 0;

    for (int i = 0; i < 32; i++)
        out |= (x >> i & 1) << (31 - i);
    return out;
}

START_TEST(uniform)
{
    struct help_kernel k;
    int *in, *out, s = 0;
    uint32_t index;
    int64_t l = some.l * 3;

    help_kernel_open(&k, SM, "k30_uniform", "uniform");
    help_value(&k, &some, sizeof some);
    in = help_buffer(&k, 4096);
    out = help_buffer(&k, 4 * 100);
    for (int i = 0; i < 1024; i++)
        in[i] = i * i % 1000;
    help_run_kernel(&k, 1, 1, 64, 1);
    for (int i = 0; i < some.a; i++) {
        s += in[(i * some.b + some.c) >> (some.d & 7) & 1023];
        if (((uint32_t)i ^ some.u) % 4 == 1)
            s ^= some.arr[i & 7];
    }
    index = (uint32_t)__builtin_popcount(some.u) +
            (uint32_t)__builtin_clz((uint32_t)some.d) + reversed(some.u);
    if (some.u > 100 && some.a < 7 && (some.l & 1))
        l = -l;
    l = (int64_t)((uint64_t)l << (some.a & 31));
    for (int t = 0; t < 64; t++) {
        uint32_t want = (uint32_t)s + (uint32_t)l + (uint32_t)(l >> 32) +
                        (uint32_t)(int)(some.f * (float)s) + 6 + some.u % 7 +
                        (uint32_t)((some.a & some.b) ^ some.c) + 0;

        ck_assert_uint_eq((uint32_t)out[t + (int)(index & 15)], want);
    }
    help_kernel_close(&k);
}
END_TEST

START_TEST(uniform_block)
{
    enum {
        N = 8,
        BLOCKS = 5
    };
    struct help_kernel k;
    int *in, *out;

    help_kernel_open(&k, SM, "k30_uniform", "uniform_block");
    in = help_buffer(&k, 4 * 64);
    out = help_buffer(&k, 4 * BLOCKS * 32);
    help_int(&k, N);
    for (int i = 0; i < 64; i++)
        in[i] = i * 7 + 1;
    help_run_kernel(&k, BLOCKS, 1, 32, 1);
    for (int b = 0; b < BLOCKS; b++) {
        int sum = 0;

        for (int i = 0; i < N; i += 4) {
            sum += in[b * N + i];
            sum ^= 0;
            sum += in[i + BLOCKS];
        }
        sum += b == 3 ? in[N] : -in[N + 1];
        for (int t = 0; t < 32; t++)
            ck_assert_int_eq(out[32 * b + t], sum);
    }
    help_kernel_close(&k);
}
END_TEST

START_TEST(many_parameters)
{
    struct help_kernel k;
    const int8_t a = -3, g = 9;
    const int16_t b = -300;
    const int64_t d = 1 << 20;
    const int v[3] = {11, 12, 13};
    int *o, want[18] = {-3, -300, 7,  1 << 20, 2, -6, 9, 11, 12,
                        13, -8,   77, 2,       3, 1,  1, 1,  1};

    help_kernel_open(&k, SM, "k30_uniform", "params_many");
    help_value(&k, &a, 1);
    help_value(&k, &b, 2);
    help_int(&k, 7);
    help_value(&k, &d, 8);
    help_float(&k, 2.9f);
    help_double(&k, -6.5);
    help_value(&k, &g, 1);
    o = help_buffer(&k, sizeof want);
    help_value(&k, v, 12);
    help_value(&k, &some, sizeof some);
    help_run_kernel(&k, 1, 1, 2, 3);
    ck_assert_mem_eq(o, want, sizeof want);
    help_kernel_close(&k);
}
END_TEST

/* ---- Hopper ---------------------------------------------------------------------------------------- */

START_TEST(hopper)
{
    struct help_kernel k;
    float *g, *o;
    int *p;

    help_kernel_open(&k, HELP_CLUSTERED, "k29_sm90", "mbar");
    g = help_buffer(&k, 1024);
    o = help_buffer(&k, 1024);
    for (int i = 0; i < 256; i++)
        g[i] = (float)i;
    help_run_kernel(&k, 1, 1, 256, 1);
    ck_assert_mem_eq(o, g, 1024);
    help_kernel_close(&k);

    help_kernel_open(&k, HELP_CLUSTERED, "k29_sm90", "elect");
    p = help_buffer(&k, 128);
    help_run_kernel(&k, 1, 1, 32, 1);
    for (int i = 0; i < 32; i++)
        ck_assert_int_eq(p[i], i == 0);
    help_kernel_close(&k);
}
END_TEST

/* What is not emulated says so, with its name. */
START_TEST(refusals)
{
    struct help_kernel k;

    help_kernel_open(&k, SM, "k31_texture", "tex");
    help_value(&k, &(uint64_t){1}, 8);
    help_value(&k, &(uint64_t){1}, 8);
    help_buffer(&k, 128);
    ck_assert(help_try_kernel(&k) == TEG_LIMIT);
    ck_assert_ptr_nonnull(strstr(k.d.what, "0x1 is no "));
    help_kernel_close(&k);
}
END_TEST

/* A word that is no instruction ends the kernel that comes to it, not one that
 * jumps over it. */
START_TEST(unknown_words)
{
    struct help_kernel k;
    struct teg_cubin_kernel *changed;
    uint8_t code[4096];
    struct teg_cubin_bytes was;

    help_kernel_open(&k, SM, "k01_vecadd", "vecadd");
    for (int i = 0; i < 3; i++)
        help_buffer(&k, 400);
    help_int(&k, 100);
    k.facts.block[0] = 100;
    changed = &k.cubin.kernel[k.code - k.cubin.kernel];
    was = changed->code;
    ck_assert_uint_le(was.size, sizeof code);
    memcpy(code, was.data, was.size);
    changed->code.data = code;
    ck_assert(help_try_kernel(&k) == TEG_OK);
    memset(code + was.size - 16, 0xff, 16);
    ck_assert(help_try_kernel(&k) == TEG_OK);
    memset(code + 0x30, 0xff, 16);
    code[0x31] = 0x7f; /* the guard is PT */
    ck_assert(help_try_kernel(&k) == TEG_LIMIT);
    ck_assert_str_eq(k.d.where, "kernel vecadd block 0,0,0 warp 0 pc 0x30");
    ck_assert_ptr_nonnull(strstr(k.d.what, "not emulated"));
    changed->code = was;
    help_kernel_close(&k);
}
END_TEST

HELP_MAIN("traces/kernels_rest", 60, {convert, HELP_GENERATIONS},
          {fmath, HELP_GENERATIONS}, {dfuncs, HELP_GENERATIONS},
          {barriers, HELP_GENERATIONS}, {special_registers, HELP_GENERATIONS},
          {traps, HELP_GENERATIONS}, {uniform, HELP_GENERATIONS},
          {uniform_block, HELP_GENERATIONS},
          {many_parameters, HELP_GENERATIONS}, {hopper, 2},
          {refusals, HELP_GENERATIONS}, {unknown_words, HELP_GENERATIONS})
