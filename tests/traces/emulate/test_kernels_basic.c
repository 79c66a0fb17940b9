/* k01 .. k15 of tests/fixtures/kernels/ against the same in C, bit by bit but
 * where a function is approximate. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help_kernel.h"
#include "tests/help_suite.h"

#define SM help_generation[_i]

static void fill(float *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = help_draw_float() * 4 - 2;
}

static void fill_ints(int *x, int n, unsigned range)
{
    for (int i = 0; i < n; i++)
        x[i] = (int)(help_draw() % range);
}

static void *copy(const void *p, size_t bytes)
{
    return memcpy(malloc(bytes), p, bytes);
}

START_TEST(vecadd)
{
    enum {
        N = 1000
    };
    struct help_kernel k;
    float *a, *b, *c;

    help_kernel_open(&k, SM, "k01_vecadd", "vecadd");
    a = help_buffer(&k, 4 * N);
    b = help_buffer(&k, 4 * N);
    c = help_buffer(&k, 4 * N);
    help_int(&k, N);
    fill(a, N);
    fill(b, N);
    help_run_kernel(&k, 4, 1, 256, 1);
    for (int i = 0; i < N; i++)
        ck_assert(c[i] == a[i] + b[i]);
    help_kernel_close(&k);
}
END_TEST

START_TEST(saxpy)
{
    enum {
        N = 1000
    };
    struct help_kernel k;
    float *x, *y, *before;

    help_kernel_open(&k, SM, "k02_saxpy", "saxpy");
    help_int(&k, N);
    help_float(&k, 1.7f);
    x = help_buffer(&k, 4 * N);
    y = help_buffer(&k, 4 * N);
    fill(x, N);
    fill(y, N);
    before = copy(y, 4 * N);
    help_run_kernel(&k, 2, 1, 96, 1);
    for (int i = 0; i < N; i++)
        ck_assert(y[i] == fmaf(1.7f, x[i], before[i]));
    free(before);
    help_kernel_close(&k);
}
END_TEST

static void matmul(struct help_kernel *k, unsigned tile)
{
    enum {
        M = 37,
        N = 45,
        K = 29
    };
    float *a = help_buffer(k, 4 * M * K), *b = help_buffer(k, 4 * K * N);
    float *c = help_buffer(k, 4 * M * N);

    help_int(k, M);
    help_int(k, N);
    help_int(k, K);
    fill(a, M * K);
    fill(b, K * N);
    help_run_kernel(k, (N + tile - 1) / tile, (M + tile - 1) / tile, tile,
                    tile);
    for (int m = 0; m < M; m++) {
        for (int n = 0; n < N; n++) {
            float sum = 0;

            for (int i = 0; i < K; i++)
                sum = fmaf(a[m * K + i], b[i * N + n], sum);
            ck_assert(c[m * N + n] == sum);
        }
    }
    help_kernel_close(k);
}

START_TEST(matmul_naive)
{
    struct help_kernel k;

    help_kernel_open(&k, SM, "k03_matmul_naive", "matmul_naive");
    matmul(&k, 8);
}
END_TEST

START_TEST(matmul_tiled)
{
    struct help_kernel k;

    help_kernel_open(&k, SM, "k04_matmul_tiled", "matmul_tiled");
    matmul(&k, 16);
}
END_TEST

START_TEST(transpose)
{
    enum {
        W = 70,
        H = 45
    };
    struct help_kernel k;
    float *in, *out;

    help_kernel_open(&k, SM, "k05_transpose", "transpose");
    in = help_buffer(&k, 4 * W * H);
    out = help_buffer(&k, 4 * W * H);
    help_int(&k, W);
    help_int(&k, H);
    fill(in, W * H);
    help_run_kernel(&k, 3, 2, 32, 8);
    for (int y = 0; y < H; y++) {
        for (int x = 0; x < W; x++)
            ck_assert(out[x * H + y] == in[y * W + x]);
    }
    help_kernel_close(&k);
}
END_TEST

START_TEST(reduce)
{
    enum {
        N = 5000
    };
    struct help_kernel k;
    int *in, *out, sum = 0, most = INT32_MIN;
    float *fin, *fout, fsum = 0;

    help_kernel_open(&k, SM, "k06_reduce", "reduce_i");
    in = help_buffer(&k, 4 * N);
    out = help_buffer(&k, 4);
    help_int(&k, N);
    for (int i = 0; i < N; i++)
        sum = (int)((unsigned)sum + (unsigned)(in[i] = (int)help_draw()));
    help_run_kernel(&k, 5, 1, 192, 1);
    ck_assert_int_eq(*out, sum);
    help_kernel_close(&k);

    help_kernel_open(&k, SM, "k06_reduce", "reduce_f");
    fin = help_buffer(&k, 4 * N);
    fout = help_buffer(&k, 4);
    help_int(&k, N);
    for (int i = 0; i < N; i++)
        fsum += fin[i] = (float)(help_draw() % 100);
    help_run_kernel(&k, 5, 1, 192, 1);
    ck_assert(*fout == fsum);
    help_kernel_close(&k);

    help_kernel_open(&k, SM, "k06_reduce", "reduce_max");
    in = help_buffer(&k, 4 * N);
    out = help_buffer(&k, 4);
    help_int(&k, N);
    *out = INT32_MIN;
    for (int i = 0; i < N; i++) {
        in[i] = (int)help_draw();
        most = in[i] > most ? in[i] : most;
    }
    help_run_kernel(&k, 40, 1, 128, 1);
    ck_assert_int_eq(*out, most);
    help_kernel_close(&k);
}
END_TEST

START_TEST(histogram)
{
    enum {
        N = 3000
    };
    struct help_kernel k;
    uint8_t *in;
    uint32_t *bins, want[256] = {0};

    help_kernel_open(&k, SM, "k07_histogram", "histogram");
    in = help_buffer(&k, N);
    bins = help_buffer(&k, sizeof want);
    help_int(&k, N);
    for (int i = 0; i < N; i++)
        want[in[i] = (uint8_t)(help_draw() % 50 * 5)]++;
    help_run_kernel(&k, 3, 1, 128, 1);
    ck_assert_mem_eq(bins, want, sizeof want);
    help_kernel_close(&k);
}
END_TEST

START_TEST(scan)
{
    enum {
        N = 250
    };
    struct help_kernel k;
    int *in, *out, sum = 0;

    help_kernel_open(&k, SM, "k08_scan", "scan_block");
    in = help_buffer(&k, 4 * N);
    out = help_buffer(&k, 4 * N);
    help_int(&k, N);
    fill_ints(in, N, 1000);
    k.facts.dynamic_shared = 1024;
    help_run_kernel(&k, 1, 1, 256, 1);
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(out[i], sum += in[i]);
    help_kernel_close(&k);

    help_kernel_open(&k, SM, "k08_scan", "scan_warp");
    in = help_buffer(&k, 4 * N);
    out = help_buffer(&k, 4 * N);
    help_int(&k, N);
    fill_ints(in, N, 1000);
    help_run_kernel(&k, 4, 1, 64, 1);
    for (int i = 0; i < N; i++) {
        sum = i % 32 == 0 ? in[i] : sum + in[i];
        ck_assert_int_eq(out[i], sum);
    }
    help_kernel_close(&k);
}
END_TEST

START_TEST(stencil)
{
    enum {
        W = 50,
        H = 30,
        N = W * H
    };
    static const float coefficient[] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};
    struct help_kernel k;
    float *in, *out;
    int *index, *found;

    help_kernel_open(&k, SM, "k09_stencil", "stencil2d");
    in = help_buffer(&k, 4 * N);
    out = help_buffer(&k, 4 * N);
    help_int(&k, W);
    help_int(&k, H);
    fill(in, N);
    help_run_kernel(&k, 4, 4, 16, 8);
    for (int y = 0; y < H; y++) {
        for (int x = 0; x < W; x++) {
            int i = y * W + x;
            float want = in[i];

            if (x > 0 && y > 0 && x < W - 1 && y < H - 1)
                want =
                    0.25f * ((in[i - 1] + in[i + 1]) + (in[i - W] + in[i + W]));
            ck_assert(out[i] == want);
        }
    }
    help_kernel_close(&k);

    help_kernel_open(&k, SM, "k09_stencil", "stencil1d_const");
    in = help_buffer(&k, 4 * N);
    out = help_buffer(&k, 4 * N);
    help_int(&k, N);
    fill(in, N);
    help_run_kernel(&k, 12, 1, 128, 1);
    for (int i = 2; i < N - 2; i++) {
        float sum = 0;

        for (int j = 0; j < 5; j++)
            sum = fmaf(coefficient[j], in[i + j - 2], sum);
        ck_assert(out[i] == sum);
    }
    help_kernel_close(&k);

    /* the table is all zeros: nobody set it */
    help_kernel_open(&k, SM, "k09_stencil", "const_lookup");
    index = help_buffer(&k, 4 * N);
    found = help_buffer(&k, 4 * N);
    help_int(&k, N);
    fill_ints(index, N, 1000);
    memset(found, 1, 4 * N);
    help_run_kernel(&k, 12, 1, 128, 1);
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(found[i], 0);
    help_kernel_close(&k);
}
END_TEST

static float tree_sum(float part[32])
{
    for (int d = 16; d > 0; d /= 2) {
        for (int l = 0; l + d < 32; l++)
            part[l] += part[l + d];
    }
    return part[0];
}

START_TEST(spmv)
{
    enum {
        ROWS = 60,
        EACH = 70
    };
    static const char *const names[] = {"spmv_scalar", "spmv_vector"};

    for (int which = 0; which < 2; which++) {
        struct help_kernel k;
        int *ptr, *column;
        float *value, *x, *y;

        help_kernel_open(&k, SM, "k10_spmv", names[which]);
        help_int(&k, ROWS);
        ptr = help_buffer(&k, 4 * (ROWS + 1));
        column = help_buffer(&k, 4 * ROWS * EACH);
        value = help_buffer(&k, 4 * ROWS * EACH);
        x = help_buffer(&k, 4 * ROWS);
        y = help_buffer(&k, 4 * ROWS);
        for (int r = 0; r < ROWS; r++)
            ptr[r + 1] = ptr[r] + (int)(help_draw() % EACH);
        fill_ints(column, ptr[ROWS], ROWS);
        fill(value, ptr[ROWS]);
        fill(x, ROWS);
        help_run_kernel(&k, which ? 30 : 1, 1, 64, 1);
        for (int r = 0; r < ROWS; r++) {
            float part[32] = {0};

            for (int i = ptr[r]; i < ptr[r + 1]; i++) {
                int l = which ? (i - ptr[r]) % 32 : 0;

                part[l] = fmaf(value[i], x[column[i]], part[l]);
            }
            ck_assert(y[r] == tree_sum(part));
        }
        help_kernel_close(&k);
    }
}
END_TEST

START_TEST(nbody)
{
    enum {
        N = 100
    };
    struct help_kernel k;
    float(*at)[4], (*got)[4];

    help_kernel_open(&k, SM, "k11_nbody", "nbody");
    at = help_buffer(&k, 16 * N);
    got = help_buffer(&k, 16 * N);
    help_int(&k, N);
    help_float(&k, 0.01f);
    fill(&at[0][0], 4 * N);
    k.facts.dynamic_shared = 16 * 64;
    help_run_kernel(&k, 2, 1, 64, 1);
    for (int i = 0; i < N; i++) {
        double sum[3] = {0}, size = 0;

        for (int j = 0; j < N; j++) {
            double d[3], r2 = (double)0.01f, f;

            for (int c = 0; c < 3; c++) {
                d[c] = (double)at[j][c] - (double)at[i][c];
                r2 += d[c] * d[c];
            }
            f = (double)at[j][3] / (r2 * sqrt(r2));
            for (int c = 0; c < 3; c++) {
                sum[c] += d[c] * f;
                size += fabs(d[c] * f);
            }
        }
        for (int c = 0; c < 3; c++)
            ck_assert_double_eq_tol((double)got[i][c], sum[c], 1e-5 * size);
    }
    help_kernel_close(&k);
}
END_TEST

START_TEST(blackscholes)
{
    enum {
        N = 500
    };
    struct help_kernel k;
    float *s, *x, *t, *call, *put;

    help_kernel_open(&k, SM, "k12_blackscholes", "blackscholes");
    s = help_buffer(&k, 4 * N);
    x = help_buffer(&k, 4 * N);
    t = help_buffer(&k, 4 * N);
    call = help_buffer(&k, 4 * N);
    put = help_buffer(&k, 4 * N);
    help_float(&k, 0.02f);
    help_float(&k, 0.3f);
    help_int(&k, N);
    for (int i = 0; i < N; i++) {
        s[i] = 5 + 25 * help_draw_float();
        x[i] = 1 + 99 * help_draw_float();
        t[i] = 0.25f + 9.75f * help_draw_float();
    }
    help_run_kernel(&k, 4, 1, 128, 1);
    for (int i = 0; i < N; i++) {
        double r = (double)0.02f, v = (double)0.3f;
        double S = (double)s[i], X = (double)x[i], T = (double)t[i];
        double d1 = (log(S / X) + (r + v * v / 2) * T) / (v * sqrt(T));
        double d2 = d1 - v * sqrt(T), e = exp(-r * T);
        double n1 = erfc(-d1 / sqrt(2)) / 2, n2 = erfc(-d2 / sqrt(2)) / 2;

        ck_assert_double_eq_tol((double)call[i], S * n1 - X * e * n2, 1e-4);
        ck_assert_double_eq_tol((double)put[i], X * e * (1 - n2) - S * (1 - n1),
                                1e-4);
    }
    help_kernel_close(&k);
}
END_TEST

START_TEST(mandelbrot)
{
    enum {
        W = 40,
        H = 30,
        MOST = 100
    };
    struct help_kernel k;
    int *out;

    help_kernel_open(&k, SM, "k13_mandelbrot", "mandelbrot");
    out = help_buffer(&k, 4 * W * H);
    help_int(&k, W);
    help_int(&k, H);
    help_int(&k, MOST);
    help_float(&k, -2);
    help_float(&k, -1.2f);
    help_float(&k, 0.075f);
    help_float(&k, 0.08f);
    help_run_kernel(&k, 3, 4, 16, 8);
    for (int i = 0; i < W * H; i++) {
        float cx = fmaf((float)(i % W), 0.075f, -2.0f), x = 0, y = 0;
        float cy = fmaf((float)(i / W), 0.08f, -1.2f);
        int n = 0;

        for (; n < MOST; n++) {
            float xx = x * x, yy = y * y, two_x = 2 * x;

            if (xx + yy > 4)
                break;
            x = xx - yy;
            x = x + cx;
            y = fmaf(two_x, y, cy);
        }
        ck_assert_int_eq(out[i], n);
    }
    help_kernel_close(&k);
}
END_TEST

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

START_TEST(bitonic)
{
    enum {
        N = 200,
        M = 256
    };
    struct help_kernel k;
    uint32_t *d, *want;
    int *e, *before;

    help_kernel_open(&k, SM, "k14_bitonic", "bitonic_block");
    d = help_buffer(&k, 4 * N);
    help_int(&k, N);
    for (int i = 0; i < N; i++)
        d[i] = help_draw();
    want = copy(d, 4 * N);
    qsort(want, N, 4, by_value);
    k.facts.dynamic_shared = 4 * M;
    help_run_kernel(&k, 1, 1, M / 2, 1);
    ck_assert_mem_eq(d, want, 4 * N);
    free(want);
    help_kernel_close(&k);

    help_kernel_open(&k, SM, "k14_bitonic", "bitonic_step");
    e = help_buffer(&k, 4 * M);
    help_int(&k, 8);
    help_int(&k, 32);
    fill_ints(e, M, 1000);
    before = copy(e, 4 * M);
    help_run_kernel(&k, 2, 1, 128, 1);
    for (int i = 0; i < M; i++) {
        int p = i ^ 8, low = i < p ? i : p, up = (low & 32) == 0;
        int a = before[low], b = before[low ^ 8];
        int swap = up ? a > b : a < b;

        ck_assert_int_eq(e[i], (i == low) != swap ? a : b);
    }
    free(before);
    help_kernel_close(&k);
}
END_TEST

START_TEST(dgemm)
{
    enum {
        M = 20,
        N = 35,
        K = 18
    };
    struct help_kernel k;
    double *a, *b, *c, *before;

    help_kernel_open(&k, SM, "k15_dgemm", "dgemm");
    help_int(&k, M);
    help_int(&k, N);
    help_int(&k, K);
    help_double(&k, 1.5);
    a = help_buffer(&k, 8 * M * K);
    b = help_buffer(&k, 8 * K * N);
    help_double(&k, -0.3);
    c = help_buffer(&k, 8 * M * N);
    for (int i = 0; i < M * K; i++)
        a[i] = (double)help_draw_float() - 0.5;
    for (int i = 0; i < K * N; i++)
        b[i] = (double)help_draw_float() * 3;
    for (int i = 0; i < M * N; i++)
        c[i] = (double)help_draw_float();
    before = copy(c, 8 * M * N);
    help_run_kernel(&k, 3, 2, 16, 16);
    for (int m = 0; m < M; m++) {
        for (int n = 0; n < N; n++) {
            double sum = 0, scaled = -0.3 * before[m * N + n];

            for (int i = 0; i < K; i++)
                sum = fma(a[m * K + i], b[i * N + n], sum);
            ck_assert(c[m * N + n] == fma(1.5, sum, scaled));
        }
    }
    free(before);
    help_kernel_close(&k);
}
END_TEST

/* Element 0 of the first output is written by every thread: the last of the
 * lowest lanes wins here, and is left out. */
START_TEST(dmath)
{
    enum {
        N = 64
    };
    struct help_kernel k;
    double *a, *b, *o;
    int64_t *l;
    float *f;

    help_kernel_open(&k, SM, "k15_dgemm", "dmath");
    a = help_buffer(&k, 8 * N);
    b = help_buffer(&k, 8 * N);
    o = help_buffer(&k, 48 * N);
    l = help_buffer(&k, 8 * N);
    f = help_buffer(&k, 4 * N);
    help_int(&k, N);
    for (int i = 0; i < N; i++) {
        a[i] = ((double)help_draw_float() - 0.5) * 1e4;
        b[i] = ((double)help_draw_float() - 0.5) * pow(10, i % 9);
    }
    help_run_kernel(&k, 2, 1, 32, 1);
    for (int i = 0; i < N; i++) {
        double x = a[i], y = b[i];
        uint32_t whole = (uint32_t)(int)x;

        if (i != 0)
            ck_assert(o[6 * i] == x / y);
        ck_assert(o[6 * i + 1] == sqrt(fabs(x)));
        ck_assert(o[6 * i + 2] == 1 / y);
        ck_assert(o[6 * i + 3] == fmin(x, y) + fmax(-x, y));
        ck_assert(o[6 * i + 4] == floor(x) - ceil(y) + trunc(x) + nearbyint(y));
        ck_assert(o[6 * i + 5] == (x < y ? x * 3 : -y + 2.5));
        ck_assert_int_eq(l[i], (int64_t)x + (int64_t)(int)y + (int64_t)whole);
        ck_assert(f[i] == (float)x + (float)i + (float)l[i] + (float)i);
    }
    help_kernel_close(&k);
}
END_TEST

HELP_MAIN("traces/kernels_basic", 60, {vecadd, HELP_GENERATIONS},
          {saxpy, HELP_GENERATIONS}, {matmul_naive, HELP_GENERATIONS},
          {matmul_tiled, HELP_GENERATIONS}, {transpose, HELP_GENERATIONS},
          {reduce, HELP_GENERATIONS}, {histogram, HELP_GENERATIONS},
          {scan, HELP_GENERATIONS}, {stencil, HELP_GENERATIONS},
          {spmv, HELP_GENERATIONS}, {nbody, HELP_GENERATIONS},
          {blackscholes, HELP_GENERATIONS}, {mandelbrot, HELP_GENERATIONS},
          {bitonic, HELP_GENERATIONS}, {dgemm, HELP_GENERATIONS},
          {dmath, HELP_GENERATIONS})
