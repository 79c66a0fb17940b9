/* Matrix products of tests/fixtures/kernels/ (k17, k28) against the same in C:
 * operands are small integers, so every sum is exact whatever its order. */
#include <stdlib.h>
#include <string.h>

#include "tests/help_kernel.h"
#include "tests/help_suite.h"
#include "traces/emulate/core/half.h"

static uint16_t small_half(int *value)
{
    *value = (int)(help_draw() % 9) - 4;
    return (uint16_t)half_bits(*value);
}

START_TEST(wmma_f32)
{
    enum {
        M = 32,
        N = 48,
        K = 64
    };
    static int a[M][K], b[N][K];
    struct help_kernel k;
    uint16_t *pa, *pb;
    float *c;

    help_kernel_open(&k, help_generation[_i], "k17_wmma", "wmma_f32");
    pa = help_buffer(&k, sizeof *pa * M * K);
    pb = help_buffer(&k, sizeof *pb * N * K);
    c = help_buffer(&k, sizeof *c * M * N);
    help_int(&k, M);
    help_int(&k, N);
    help_int(&k, K);
    for (int i = 0; i < M * K; i++)
        pa[i] = small_half(&a[i / K][i % K]);
    for (int i = 0; i < N * K; i++)
        pb[i] = small_half(&b[i / K][i % K]);
    help_run_kernel(&k, 1, 3, 64, 1);
    for (int m = 0; m < M; m++) {
        for (int n = 0; n < N; n++) {
            int sum = 0;

            for (int i = 0; i < K; i++)
                sum += a[m][i] * b[n][i];
            ck_assert(c[m * N + n] == (float)sum);
        }
    }
    help_kernel_close(&k);
}
END_TEST

START_TEST(wmma_f16_shared)
{
    static int a[16][16], b[16][16];
    struct help_kernel k;
    uint16_t *pa, *pb, *c;

    help_kernel_open(&k, help_generation[_i], "k17_wmma", "wmma_f16_shared");
    pa = help_buffer(&k, 512);
    pb = help_buffer(&k, 512);
    c = help_buffer(&k, 512);
    for (int i = 0; i < 256; i++) {
        pa[i] = small_half(&a[i / 16][i % 16]);
        pb[i] = small_half(&b[i / 16][i % 16]);
    }
    help_run_kernel(&k, 1, 1, 32, 1);
    for (int m = 0; m < 16; m++) {
        for (int n = 0; n < 16; n++) {
            int sum = 0;

            for (int i = 0; i < 16; i++)
                sum += a[m][i] * b[i][n];
            ck_assert_uint_eq(c[m * 16 + n], half_bits(sum));
        }
    }
    help_kernel_close(&k);
}
END_TEST

START_TEST(wmma_s8)
{
    struct help_kernel k;
    int8_t *a, *b;
    int *c;

    help_kernel_open(&k, help_generation[_i], "k17_wmma", "wmma_s8");
    a = help_buffer(&k, 256);
    b = help_buffer(&k, 256);
    c = help_buffer(&k, 1024);
    for (int i = 0; i < 256; i++) {
        a[i] = (int8_t)help_draw();
        b[i] = (int8_t)help_draw();
    }
    help_run_kernel(&k, 1, 1, 32, 1);
    for (int m = 0; m < 16; m++) {
        for (int n = 0; n < 16; n++) {
            int sum = 0;

            for (int i = 0; i < 16; i++)
                sum += a[m * 16 + i] * b[n * 16 + i];
            ck_assert_int_eq(c[m * 16 + n], sum);
        }
    }
    help_kernel_close(&k);
}
END_TEST

/*
 * k28 hands registers to the instruction as they are, so the fragments' layout
 * (PTX ISA, "Matrix Fragments for mma.m16n8k16" and its like) is written down
 * here a second time, element by element as the tables there have it.
 */
typedef double value_of(uint32_t word, int i);

static double as_half(uint32_t word, int i)
{
    return (double)half_value(word >> 16 * i & 0xffff);
}

static double as_bf16(uint32_t word, int i)
{
    return (double)bf16_value(word >> 16 * i & 0xffff);
}

static double as_tf32(uint32_t word, int i)
{
    (void)i;
    return (double)float_of(word & 0xffffe000);
}

static double as_s8(uint32_t word, int i)
{
    return (int8_t)(word >> 8 * i);
}

static double as_u8(uint32_t word, int i)
{
    return (uint8_t)(word >> 8 * i);
}

static double as_s4(uint32_t word, int i)
{
    return (int)(word >> 4 * i & 15) - 16 * (int)(word >> (4 * i + 3) & 1);
}

static double as_u4(uint32_t word, int i)
{
    return word >> 4 * i & 15;
}

/* One product of m x 8 x k.  `a`, `b`: registers of each lane, `ra` and `rb`
 * of them `step_a` and `step_b` apart; `c`: [m][8] */
struct product {
    int m, k, each;
    value_of *of_a, *of_b;
};

static void product(const struct product *p, const uint32_t *a, int step_a,
                    const uint32_t *b, int step_b, double c[16][8])
{
    for (int row = 0; row < p->m; row++) {
        for (int column = 0; column < 8; column++) {
            for (int k = 0; k < p->k; k++) {
                /* groupID, threadID_in_group, register and place in it */
                int ta = k / p->each % 4, half = k / (4 * p->each);
                int ra = p->m == 16 ? 2 * half + row / 8 : half;
                uint32_t wa = a[(row % 8 * 4 + ta) * step_a + ra];
                uint32_t wb = b[(column * 4 + ta) * step_b + half];

                c[row][column] +=
                    p->of_a(wa, k % p->each) * p->of_b(wb, k % p->each);
            }
        }
    }
}

static void read_c(double c[16][8], const double *lanes)
{
    for (int l = 0; l < 32; l++) {
        for (int i = 0; i < 4; i++)
            c[l / 4 + i / 2 * 8][l % 4 * 2 + i % 2] = lanes[4 * l + i];
    }
}

/* Halves whose bits also are small bfloat16 and tf32. */
static uint32_t two_smalls(void)
{
    int v;
    uint32_t low = small_half(&v);

    return low | (uint32_t)small_half(&v) << 16;
}

START_TEST(mma_floats)
{
    static const struct product newer[] = {
        {16, 16, 2, as_half, as_half}, {16, 16, 2, as_bf16, as_bf16},
        {16, 8, 1, as_tf32, as_tf32},  {16, 4, 1, as_tf32, as_tf32},
        {16, 8, 2, as_bf16, as_bf16},
    };
    static const struct product last = {16, 8, 2, as_half, as_half};
    unsigned sm = help_generation[_i];
    struct help_kernel k;
    uint32_t *a, *b;
    float *c;
    double want[16][8], lanes[128], halves[16][8] = {{0}};

    help_kernel_open(&k, sm, "k28_mma", "mma_16816");
    a = help_buffer(&k, 512);
    b = help_buffer(&k, 256);
    c = help_buffer(&k, 1024);
    for (int i = 0; i < 128; i++)
        a[i] = two_smalls();
    for (int i = 0; i < 64; i++)
        b[i] = two_smalls();
    for (int i = 0; i < 128; i++)
        lanes[i] = (double)(c[i] = (float)(i % 7));
    read_c(want, lanes);
    for (int i = 0; i < 5 && sm >= 80; i++) {
        product(&newer[i], a, 4, b, 2, want);
        /* what each product leaves is a float again */
        for (int e = 0; e < 128; e++)
            want[e / 8][e % 8] = (double)(float)want[e / 8][e % 8];
    }
    product(&last, a, 4, b, 2, want);
    help_run_kernel(&k, 1, 1, 32, 1);
    for (int l = 0; l < 32; l++) {
        for (int i = 0; i < 4; i++) {
            double w = want[l / 4 + i / 2 * 8][l % 4 * 2 + i % 2];

            ck_assert_double_eq_tol((double)c[4 * l + i], w,
                                    1e-6 * (w < 0 ? -w : w) + 1e-6);
        }
    }
    /* the one of halves: D = A B + C of h0, h1 = a[t], a[t + 32] */
    for (int l = 0; l < 32; l++) {
        for (int i = 0; i < 4; i++)
            lanes[4 * l + i] = as_half(a[l + i / 2 * 32], i % 2);
    }
    read_c(halves, lanes);
    product(&last, a, 4, b, 2, halves);
    for (int l = 0; l < 32; l++) {
        uint32_t h[2], got = float_bits(c[4 * l + 128]);

        for (int i = 0; i < 2; i++)
            h[i] = half_bits(halves[l / 4 + 8 * i][l % 4 * 2]) |
                   half_bits(halves[l / 4 + 8 * i][l % 4 * 2 + 1]) << 16;
        memcpy(&got, &c[4 * l + 128], 4);
        ck_assert_uint_eq(got, h[0] ^ h[1]);
    }
    help_kernel_close(&k);
}
END_TEST

static void add_bits(int m, int k, int both, const uint32_t *a, int step_a,
                     const uint32_t *b, int step_b, double c[16][8])
{
    for (int row = 0; row < m; row++) {
        for (int column = 0; column < 8; column++) {
            for (int word = 0; word < k / 32; word++) {
                int ra = m == 16 ? 2 * (word / 4) + row / 8 : word / 4;
                uint32_t wa = a[(row % 8 * 4 + word % 4) * step_a + ra];
                uint32_t wb = b[(column * 4 + word % 4) * step_b + word / 4];

                c[row][column] += __builtin_popcount(both ? wa & wb : wa ^ wb);
            }
        }
    }
}

START_TEST(mma_integers)
{
    static const struct product small[] = {{8, 16, 4, as_s8, as_s8},
                                           {8, 16, 4, as_u8, as_s8},
                                           {8, 32, 8, as_s4, as_u4}};
    static const struct product large[] = {{16, 16, 4, as_s8, as_s8},
                                           {16, 32, 4, as_s8, as_u8},
                                           {16, 64, 8, as_s4, as_s4}};
    unsigned sm = help_generation[_i];
    struct help_kernel k;
    uint32_t *a, *b;
    int *c;
    double want[16][8], lanes[128];

    help_kernel_open(&k, sm, "k28_mma", "mma_int");
    a = help_buffer(&k, 512);
    b = help_buffer(&k, 256);
    c = help_buffer(&k, 512);
    for (int i = 0; i < 128; i++)
        a[i] = help_draw();
    for (int i = 0; i < 64; i++)
        b[i] = help_draw();
    for (int i = 0; i < 128; i++)
        lanes[i] = c[i] = i * 3 - 40;
    read_c(want, lanes);
    for (int i = 0; i < 3; i++)
        product(&small[i], a, 1, b, 1, want);
    add_bits(8, 128, 0, a, 1, b, 1, want);
    if (sm >= 80) {
        product(&large[0], a, 2, b, 1, want);
        product(&large[1], a, 4, b, 2, want);
        product(&large[2], a, 4, b, 2, want);
        add_bits(16, 256, 1, a, 4, b, 2, want);
    }
    help_run_kernel(&k, 1, 1, 32, 1);
    for (int l = 0; l < 32; l++) {
        for (int i = 0; i < 4; i++)
            ck_assert_int_eq(c[4 * l + i],
                             (int)want[l / 4 + i / 2 * 8][l % 4 * 2 + i % 2]);
    }
    help_kernel_close(&k);
}
END_TEST

/* 1 and half of its last bit, and far behind that nothing, something or something
 * less: rounded once. */
START_TEST(sums_of_halves_are_rounded_once)
{
    enum {
        ONE = 0x3c00,
        TO_2_5 = 0x2800, /* 2^-5 */
        TO_2_6 = 0x2400,
        TO_2_20 = 0x0010,
        MINUS = 0x8000
    };
    static const uint32_t far[3] = {0, TO_2_20, MINUS | TO_2_20};
    static const uint32_t want[3] = {ONE, ONE + 1, ONE};
    struct help_kernel k;
    uint32_t *a, *b, *c;

    help_kernel_open(&k, help_generation[_i], "k28_mma", "mma_to_halves");
    a = help_buffer(&k, 64 * sizeof *a);
    b = help_buffer(&k, 32 * sizeof *b);
    c = help_buffer(&k, 64 * sizeof *c);
    for (int i = 0; i < 64; i++) {
        a[i] = i % 8 < 2 ? TO_2_20 << 16 | TO_2_5 : 0;
        c[i] = ONE << 16 | ONE;
    }
    for (int n = 0; n < 8; n++)
        b[4 * n] = far[n % 3] << 16 | TO_2_6;
    help_run_kernel(&k, 1, 1, 32, 1);
    for (int i = 0; i < 64; i++) {
        int n = 2 * (i / 2 % 4);

        ck_assert_uint_eq(c[i], want[(n + 1) % 3] << 16 | want[n % 3]);
    }
    help_kernel_close(&k);
}
END_TEST

START_TEST(mma_doubles)
{
    struct help_kernel k;
    double *a, *b, *c, before[64];

    if (help_generation[_i] < 80)
        return;
    help_kernel_open(&k, help_generation[_i], "k28_mma", "mma_f64");
    a = help_buffer(&k, 256);
    b = help_buffer(&k, 256);
    c = help_buffer(&k, 512);
    for (int i = 0; i < 32; i++) {
        a[i] = (double)(int)(help_draw() % 100) - 50;
        b[i] = (double)(int)(help_draw() % 100) - 50;
    }
    for (int i = 0; i < 64; i++)
        before[i] = c[i] = i;
    help_run_kernel(&k, 1, 1, 32, 1);
    for (int l = 0; l < 32; l++) {
        for (int i = 0; i < 2; i++) {
            int row = l / 4, column = l % 4 * 2 + i;
            double sum = before[2 * l + i];

            for (int e = 0; e < 4; e++)
                sum += a[4 * row + e] * b[4 * column + e];
            ck_assert(c[2 * l + i] == sum);
        }
    }
    help_kernel_close(&k);
}
END_TEST

/* Row `r` of tile `m`: 16 bytes at the address lane 8 m + r gives. */
static uint16_t tile_element(const uint32_t *s, int lane, int more, int column)
{
    uint32_t word = s[4 * lane + more / 4 + column / 2];

    return (uint16_t)(word >> 16 * (column % 2));
}

static uint32_t fragment(const uint32_t *s, int tile, int more, int lane,
                         int transposed)
{
    int g = lane / 4, t = lane % 4 * 2;

    if (!transposed)
        return tile_element(s, 8 * tile + g, more, t) |
               (uint32_t)tile_element(s, 8 * tile + g, more, t + 1) << 16;
    return tile_element(s, 8 * tile + t, more, g) |
           (uint32_t)tile_element(s, 8 * tile + t + 1, more, g) << 16;
}

START_TEST(tiles)
{
    unsigned sm = help_generation[_i];
    struct help_kernel k;
    uint32_t *a, *o, w[32];

    help_kernel_open(&k, sm, "k28_mma", "ldsm");
    a = help_buffer(&k, 4096);
    o = help_buffer(&k, 1024);
    for (int i = 0; i < 1024; i++)
        a[i] = help_draw();
    help_run_kernel(&k, 1, 1, 32, 1);
    for (int l = 0; l < 32; l++) {
        for (int m = 0; m < 4; m++)
            ck_assert_uint_eq(o[32 * m + l], fragment(a, m, 0, l, 0) ^
                                                 fragment(a, m, 0, l, 1));
        w[l] = fragment(a, 0, 0, l, 0);
        ck_assert_uint_eq(o[128 + l], w[l] ^ fragment(a, 0, 16, l, 1) ^
                                          fragment(a, 1, 16, l, 1));
    }
    for (int l = 0; l < 32; l++) {
        int g = l / 4, t = l % 4 * 2;
        uint32_t low = w[4 * t + g / 2] >> 16 * (g % 2) & 0xffff;
        uint32_t high = w[4 * (t + 1) + g / 2] >> 16 * (g % 2) & 0xffff;

        ck_assert_uint_eq(o[160 + l], low | high << 16);
    }
    /* stored as they were loaded: nothing changes */
    for (int l = 0; l < 32 && sm >= 90; l++)
        ck_assert_uint_eq(o[192 + l], a[l]);
    help_kernel_close(&k);
}
END_TEST

HELP_MAIN("traces/kernels_matrix", 60, {wmma_f32, HELP_GENERATIONS},
          {wmma_f16_shared, HELP_GENERATIONS}, {wmma_s8, HELP_GENERATIONS},
          {mma_floats, HELP_GENERATIONS}, {mma_integers, HELP_GENERATIONS},
          {sums_of_halves_are_rounded_once, HELP_GENERATIONS},
          {mma_doubles, HELP_GENERATIONS}, {tiles, HELP_GENERATIONS})
