/* Atomics and memory of tests/fixtures/kernels/ against the same in C. */
#include <string.h>

#include "tests/help_kernel.h"
#include "tests/help_suite.h"
#include "traces/emulate/core/half.h"

#define SM help_generation[_i]

/* ---- atomics: every instruction for lane after lane ------------------------------ */

START_TEST(atomics_shared)
{
    struct help_kernel k;
    int *out, s[16], r[32] = {0};
    float *fo;
    double *dd;
    uint64_t l[4] = {0};

    help_kernel_open(&k, SM, "k22_atomics", "atom_shared");
    out = help_buffer(&k, 128);
    fo = help_buffer(&k, 128);
    dd = help_buffer(&k, 256);
    help_run_kernel(&k, 1, 1, 32, 1);
    for (int i = 0; i < 16; i++)
        s[i] = i;
    for (int t = 0; t < 32; t++) {
        unsigned inc = (unsigned)s[9], dec = (unsigned)s[10];

        r[t] = s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6] + s[7] + s[8] +
               s[9] + s[10] + t /* f[0] */ + t /* d[0] */ + (int)l[0] +
               (int)l[1] + (int)l[2] + (int)l[3];
        s[0] += t;
        s[1] -= t;
        s[2] = t < s[2] ? t : s[2];
        s[3] = t > s[3] ? t : s[3];
        s[4] &= t;
        s[5] |= t;
        s[6] ^= t;
        s[7] = t;
        s[8] = s[8] == t ? 1 : s[8];
        s[9] = inc >= 5 ? 0 : (int)inc + 1;
        s[10] = dec == 0 || dec > 5 ? 5 : (int)dec - 1;
        l[0]++;
        l[1] = l[1] == 0 ? 7 : l[1];
        l[2] = 3;
        l[3] = (uint64_t)t > l[3] ? (uint64_t)t : l[3];
        s[11]++;
        s[12] = t > s[12] ? t : s[12];
    }
    for (int t = 0; t < 32; t++) {
        ck_assert_int_eq(out[t], r[t] + s[t & 15]);
        ck_assert(fo[t] == 32 && dd[t] == 64);
    }
    help_kernel_close(&k);
}
END_TEST

START_TEST(atomics_global)
{
    struct help_kernel k;
    int *g, *ret, h[16] = {0}, want[32];
    uint32_t *u, v[8] = {0};
    uint64_t *l, m[8] = {0};
    float *f;
    double *d;
    uint16_t *half;

    help_kernel_open(&k, SM, "k22_atomics", "atom_global");
    g = help_buffer(&k, 64);
    u = help_buffer(&k, 32);
    l = help_buffer(&k, 64);
    f = help_buffer(&k, 32);
    d = help_buffer(&k, 64);
    half = help_buffer(&k, 4 * 40);
    ret = help_buffer(&k, 128);
    for (int i = 0; i < 16; i++)
        g[i] = h[i] = i * 5;
    for (int i = 0; i < 8; i++) {
        u[i] = v[i] = (uint32_t)i + 3;
        l[i] = m[i] = (uint64_t)i << 3;
    }
    help_run_kernel(&k, 1, 1, 32, 1);
    for (int t = 0; t < 32; t++) {
        uint32_t x = (uint32_t)t;

        want[t] = h[0] + h[1] + h[2] + h[3] + h[4] + h[5] + h[6] + h[7] + h[8] +
                  (int)v[0] + (int)v[1] + (int)v[2] + (int)v[3] + (int)m[0] +
                  (int)m[1] + (int)m[2] + (int)m[3] + t + t + (t ? 2 : 0);
        h[0] += t;
        h[1] -= t;
        h[2] = t < h[2] ? t : h[2];
        h[3] = t > h[3] ? t : h[3];
        h[4] &= t;
        h[5] |= t;
        h[6] ^= t;
        h[7] = t;
        h[8] = h[8] == t ? t + 1 : h[8];
        v[0] = v[0] >= 17 ? 0 : v[0] + 1;
        v[1] = v[1] == 0 || v[1] > 19 ? 19 : v[1] - 1;
        v[2] = x < v[2] ? x : v[2];
        v[3] = x > v[3] ? x : v[3];
        m[0] += x;
        m[1] = m[1] == x ? 5 : m[1];
        m[2] = 9;
        m[3] = x > m[3] ? x : m[3];
    }
    ck_assert_mem_eq(g, h, sizeof h);
    ck_assert_mem_eq(u, v, sizeof v);
    ck_assert_mem_eq(l, m, sizeof m);
    ck_assert_mem_eq(ret, want, sizeof want);
    ck_assert(f[0] == 32 && d[0] == 32 && f[1] == 2 && half[0] == 0);
    help_kernel_close(&k);
}
END_TEST

START_TEST(atomics_reducing)
{
    struct help_kernel k;
    int *g;
    uint64_t *l;
    float *f;
    double *d;
    uint16_t *h;

    help_kernel_open(&k, SM, "k22_atomics", "red_global");
    g = help_buffer(&k, 256);
    help_buffer(&k, 256);
    l = help_buffer(&k, 512);
    f = help_buffer(&k, 128);
    d = help_buffer(&k, 256);
    h = help_buffer(&k, 128);
    h[0] = (uint16_t)half_bits(1);
    h[1] = (uint16_t)half_bits(0.25);
    help_run_kernel(&k, 1, 1, 32, 1);
    for (int t = 0; t < 32; t++) {
        ck_assert(f[t] == 1 && d[t] == 1);
        ck_assert_uint_eq(l[t], (uint64_t)t);
    }
    /* all loads of h[0] come first */
    for (int t = 1; t < 32; t++)
        ck_assert(half_value(h[2 * t]) == 1 &&
                  half_value(h[2 * t + 1]) == 0.25f);
    ck_assert(half_value(h[0]) == 2 && half_value(h[1]) == 0.5f);
    ck_assert_int_ge(g[9], 3 * 32);
    help_kernel_close(&k);
}
END_TEST

/* Two lanes add to the same words; all sums are exact. */
static const struct vectors {
    const char *kernel;
    int words;
    uint32_t (*bits)(double value);
    float (*value)(uint32_t bits);
} vectors[] = {
    {"halves_4", 2, half_bits, half_value},
    {"halves_8", 4, half_bits, half_value},
    {"bfloats_4", 2, bf16_bits, bf16_value},
    {"bfloats_8", 4, bf16_bits, bf16_value},
    {"floats_2", 2, NULL, NULL},
    {"floats_4", 4, NULL, NULL},
};

static void add_to(uint32_t *to, uint32_t v, const struct vectors *f)
{
    uint32_t sum = 0;

    for (int i = 0; f->bits != NULL && i < 2; i++)
        sum |= f->bits((double)f->value(*to >> 16 * i & 0xffff) +
                       (double)f->value(v >> 16 * i & 0xffff))
               << 16 * i;
    if (f->bits == NULL) {
        float a, b;

        memcpy(&a, to, sizeof a);
        memcpy(&b, &v, sizeof b);
        a += b;
        memcpy(&sum, &a, sizeof sum);
    }
    *to = sum;
}

static uint32_t drawn(const struct vectors *f)
{
    float x = (float)((int)(help_draw() % 61) - 30);
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    if (f->bits != NULL)
        bits = f->bits((double)x) << 16 | f->bits(3 - (double)x);
    return bits;
}

START_TEST(atomics_of_vectors)
{
    const struct vectors *f = &vectors[HELP_CASE];
    struct help_kernel k;
    uint32_t *to, *v, want[16 * 4];

    help_kernel_open(&k, HELP_CLUSTERED, "k36_vector_atomics", f->kernel);
    to = help_buffer(&k, sizeof want);
    v = help_buffer(&k, 2 * sizeof want);
    for (int i = 0; i < 64; i++)
        want[i] = to[i] = drawn(f);
    for (int i = 0; i < 128; i++)
        v[i] = drawn(f);
    for (int t = 0; t < 32; t++) {
        for (int i = 0; i < f->words; i++)
            add_to(&want[t / 2 * 4 + i], v[t * 4 + i], f);
    }
    help_run_kernel(&k, 1, 1, 32, 1);
    ck_assert_mem_eq(to, want, sizeof want);
    help_kernel_close(&k);
}
END_TEST

/* What a lane gets back are the sums of the lanes before it. */
START_TEST(answers_of_vectors)
{
    struct help_kernel k;
    float *to, *v, *old, sum[4] = {0};

    help_kernel_open(&k, HELP_CLUSTERED, "k36_vector_atomics", "answers");
    to = help_buffer(&k, sizeof sum);
    v = help_buffer(&k, 32 * sizeof sum);
    old = help_buffer(&k, 32 * sizeof sum);
    for (int i = 0; i < 128; i++)
        v[i] = (float)(i * i % 97);
    help_run_kernel(&k, 1, 1, 32, 1);
    for (int i = 0; i < 128; i++) {
        ck_assert(old[i] == sum[i % 4]);
        sum[i % 4] += v[i];
    }
    ck_assert_mem_eq(to, sum, sizeof sum);
    help_kernel_close(&k);
}
END_TEST

/* On the shared array the lanes' elements are found in a[32 ...]. */
START_TEST(atomics_generic)
{
    for (int select = 0; select < 2; select++) {
        struct help_kernel k;
        int *a, want[64] = {0}, *p;
        float *most;

        help_kernel_open(&k, SM, "k22_atomics", "atom_generic");
        a = help_buffer(&k, 256);
        help_int(&k, select);
        most = help_buffer(&k, 4);
        help_float(&k, 2.5f);
        *most = 1;
        help_run_kernel(&k, 1, 1, 32, 1);
        p = select ? want : want + 32;
        for (int t = 0; t < 32; t++)
            p[t] = 1;
        p[1] = 3;
        p[2] = 3; /* what lane 31 got back */
        p[3] = p[31] + 1;
        p[5] = 2;
        ck_assert_mem_eq(a, want, sizeof want);
        ck_assert(*most == 2.5f);
        help_kernel_close(&k);
    }
}
END_TEST

/* ---- memory -------------------------------------------------------------------------------- */

START_TEST(widths)
{
    struct help_kernel k;
    uint8_t *u8, *ob;
    int16_t *s16, *os;
    int32_t(*v4)[4], (*v2)[2], (*o4)[4], (*o2)[2];
    double(*d2)[2], (*od)[2];
    int8_t(*c4)[4];

    help_kernel_open(&k, SM, "k26_memory", "mem_widths");
    u8 = help_buffer(&k, 80);
    s16 = help_buffer(&k, 128);
    v4 = help_buffer(&k, 1024);
    v2 = help_buffer(&k, 512);
    d2 = help_buffer(&k, 1024);
    c4 = help_buffer(&k, 256);
    o4 = help_buffer(&k, 1024);
    o2 = help_buffer(&k, 512);
    od = help_buffer(&k, 1024);
    os = help_buffer(&k, 256);
    ob = help_buffer(&k, 64);
    for (uint32_t i = 0; i < 6; i++) {
        for (size_t j = 0; j < k.buffer[i].bytes && i != 4; j++)
            k.buffer[i].data[j] = (uint8_t)help_draw();
    }
    for (int i = 0; i < 128; i++)
        d2[i / 2][i % 2] = i;
    help_run_kernel(&k, 1, 1, 64, 1);
    for (int t = 0; t < 64; t++) {
        ck_assert_uint_eq(ob[t], (uint8_t)(u8[t] + 1));
        ck_assert_int_eq(os[t], (int16_t)(s16[t] - 1));
        ck_assert_int_eq(os[t + 64], (int8_t)u8[t + 5]);
        ck_assert_uint_eq((uint32_t)o4[t][0], (uint32_t)v4[t][0] +
                                                  (uint32_t)v2[t][0] +
                                                  (uint32_t)c4[t][0]);
        ck_assert_uint_eq((uint32_t)o4[t][1],
                          (uint32_t)v4[t][1] ^
                              ((uint32_t)v2[t][1] + (uint32_t)c4[t][3]));
        ck_assert_int_eq(o4[t][2], v4[t][2]);
        ck_assert_int_eq(o4[t][3], v4[t][3]);
        ck_assert_int_eq(o2[t][0], v4[t][3]);
        ck_assert_int_eq(o2[t][1], v2[t][0]);
        ck_assert(od[t][0] == d2[t][1] && od[t][1] == d2[t][0]);
    }
    help_kernel_close(&k);
}
END_TEST

START_TEST(cache_operators)
{
    struct help_kernel k;
    int *whole, *a, *o;

    help_kernel_open(&k, SM, "k26_memory", "mem_cache");
    whole = help_buffer_at(&k, 4 * 100100, 16);
    o = help_buffer(&k, 4 * 256);
    a = whole + 4;
    for (int i = 0; i < 100100; i++)
        whole[i] = i * 3;
    help_run_kernel(&k, 1, 1, 32, 1);
    for (int t = 0; t < 32; t++) {
        int sum = 0;

        for (int i = 0; i < 6; i++)
            sum += a[t + 32 * i];
        ck_assert_int_eq(o[t], t < 2 ? a[0] : sum);
        for (int i = 1; i < 5; i++)
            ck_assert_int_eq(o[t + 32 * i], t);
        ck_assert_int_eq(o[t + 160], a[t]);
        ck_assert_int_eq(o[t + 192], a[t - 4] + a[t + 100000]);
    }
    help_kernel_close(&k);
}
END_TEST

START_TEST(generic_pointers)
{
    for (int which = 0; which < 3; which++) {
        struct help_kernel k;
        int *g, *o, s[64], q;

        help_kernel_open(&k, SM, "k26_memory", "mem_generic");
        g = help_buffer(&k, 64);
        help_int(&k, which);
        o = help_buffer(&k, 512);
        for (int i = 0; i < 16; i++)
            g[i] = 100 + i;
        help_run_kernel(&k, 1, 1, 64, 1);
        for (int i = 0; i < 64; i++)
            s[i] = which;
        q = which == 0 ? 100 : which == 1 ? 1 : which * which;
        s[2] = which == 1 ? q + 1 : s[2];
        for (int t = 0; t < 32; t++)
            ck_assert_int_eq(o[t],
                             q + which * which +
                                 (which == 1 && (t ^ 1) == 2 ? 2 : which) +
                                 (which == 1 ? 2 : 0) + (which == 2 ? 4 : 0));
        help_kernel_close(&k);
    }
}
END_TEST

START_TEST(shared_widths)
{
    struct help_kernel k;
    int(*o)[4], before[64][4];

    help_kernel_open(&k, SM, "k26_memory", "mem_shared_widths");
    o = help_buffer(&k, 1024);
    help_int(&k, 5);
    for (int i = 0; i < 256; i++)
        before[i / 4][i % 4] = o[i / 4][i % 4] = i;
    help_run_kernel(&k, 1, 1, 64, 1);
    for (int t = 0; t < 64; t++) {
        int at = (t + 5) & 63;

        ck_assert_int_eq(o[t][0], before[at][0] + at);
        ck_assert_int_eq(o[t][1], before[at][1] + (t ^ 1) * 3);
        ck_assert_int_eq(o[t][2], before[at][2] + (t ^ 3) / 2);
        ck_assert_int_eq(o[t][3], before[at][3] + (t ^ 2) * 3 + (t ^ 5));
    }
    help_kernel_close(&k);
}
END_TEST

HELP_MAIN("traces/kernels_memory", 60, {atomics_shared, HELP_GENERATIONS},
          {atomics_global, HELP_GENERATIONS},
          {atomics_reducing, HELP_GENERATIONS},
          {atomics_of_vectors, 2 * sizeof vectors / sizeof vectors[0]},
          {answers_of_vectors, 2}, {atomics_generic, HELP_GENERATIONS},
          {widths, HELP_GENERATIONS}, {cache_operators, HELP_GENERATIONS},
          {generic_pointers, HELP_GENERATIONS},
          {shared_widths, HELP_GENERATIONS})
