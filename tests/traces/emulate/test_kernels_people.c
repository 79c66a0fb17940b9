/* tests/fixtures/kernels/p01_people.cu, kernels as people write them, against
 * the same in C. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help_kernel.h"
#include "tests/help_suite.h"

#define SM help_generation[_i]

static void open(struct help_kernel *k, unsigned sm, const char *name)
{
    help_kernel_open(k, sm, "p01_people", name);
}

/* expf is within 2 ulp. */
START_TEST(softmax)
{
    enum {
        ROWS = 4,
        N = 100
    };
    struct help_kernel k;
    float *in, *out;

    open(&k, SM, "softmax");
    in = help_buffer(&k, 4 * ROWS * N);
    out = help_buffer(&k, 4 * ROWS * N);
    help_int(&k, N);
    for (int i = 0; i < ROWS * N; i++)
        in[i] = help_draw_float() * 10;
    help_run_kernel(&k, ROWS, 1, 64, 1);
    for (int r = 0; r < ROWS; r++) {
        double sum = 0;

        for (int i = 0; i < N; i++)
            sum += exp((double)in[r * N + i]);
        for (int i = 0; i < N; i++) {
            double want = exp((double)in[r * N + i]) / sum;

            ck_assert_double_eq_tol((double)out[r * N + i], want, want * 3e-6);
        }
    }
    help_kernel_close(&k);
}
END_TEST

START_TEST(layernorm)
{
    enum {
        ROWS = 3,
        N = 77
    };
    struct help_kernel k;
    float *in, *gain, *out;

    open(&k, SM, "layernorm");
    in = help_buffer(&k, 4 * ROWS * N);
    gain = help_buffer(&k, 4 * N);
    out = help_buffer(&k, 4 * ROWS * N);
    help_int(&k, N);
    for (int i = 0; i < ROWS * N; i++)
        in[i] = help_draw_float() * 10;
    for (int i = 0; i < N; i++)
        gain[i] = help_draw_float();
    help_run_kernel(&k, ROWS, 1, 32, 1);
    for (int r = 0; r < ROWS; r++) {
        double mean = 0, squares = 0;

        for (int i = 0; i < N; i++)
            mean += (double)in[r * N + i] / N;
        for (int i = 0; i < N; i++)
            squares += pow((double)in[r * N + i] - mean, 2);
        for (int i = 0; i < N; i++)
            ck_assert_double_eq_tol((double)out[r * N + i],
                                    ((double)in[r * N + i] - mean) /
                                        sqrt(squares / N + 1e-5) *
                                        (double)gain[i],
                                    1e-5);
    }
    help_kernel_close(&k);
}
END_TEST

START_TEST(life)
{
    enum {
        W = 40,
        H = 21
    };
    struct help_kernel k;
    uint8_t *in, *out;

    open(&k, SM, "life");
    in = help_buffer(&k, W * H);
    out = help_buffer(&k, W * H);
    help_int(&k, W);
    help_int(&k, H);
    for (int i = 0; i < W * H; i++)
        in[i] = help_draw() % 3 == 0;
    help_run_kernel(&k, 3, 3, 16, 8);
    for (int y = 0; y < H; y++) {
        for (int x = 0; x < W; x++) {
            int n = -in[y * W + x];

            for (int i = 0; i < 9; i++)
                n += in[(y + i / 3 - 1 + H) % H * W + (x + i % 3 - 1 + W) % W];
            ck_assert_uint_eq(out[y * W + x],
                              n == 3 || (n == 2 && in[y * W + x]));
        }
    }
    help_kernel_close(&k);
}
END_TEST

START_TEST(sobel)
{
    enum {
        W = 33,
        H = 20
    };
    static const int sx[] = {-1, 0, 1, -2, 0, 2, -1, 0, 1};
    static const int sy[] = {-1, -2, -1, 0, 0, 0, 1, 2, 1};
    struct help_kernel k;
    uint8_t *in;
    int *out;

    open(&k, SM, "sobel");
    in = help_buffer(&k, W * H);
    out = help_buffer(&k, 4 * W * H);
    help_int(&k, W);
    help_int(&k, H);
    for (int i = 0; i < W * H; i++)
        in[i] = (uint8_t)help_draw() / 4;
    help_run_kernel(&k, 3, 3, 16, 8);
    for (int y = 1; y < H - 1; y++) {
        for (int x = 1; x < W - 1; x++) {
            int gx = 0, gy = 0, both;

            for (int i = 0; i < 9; i++) {
                int p = in[(y + i / 3 - 1) * W + x + i % 3 - 1];

                gx += sx[i] * p;
                gy += sy[i] * p;
            }
            both = abs(gx) + abs(gy);
            ck_assert_int_eq(out[y * W + x], both > 255 ? 255 : both);
        }
    }
    help_kernel_close(&k);
}
END_TEST

START_TEST(kmeans)
{
    enum {
        N = 300,
        K = 7,
        DIMS = 3
    };
    struct help_kernel k;
    float *point, *center;
    int *member, *size, count[K] = {0};

    open(&k, SM, "kmeans_assign");
    point = help_buffer(&k, 4 * N * DIMS);
    center = help_buffer(&k, 4 * K * DIMS);
    member = help_buffer(&k, 4 * N);
    size = help_buffer(&k, 4 * K);
    help_int(&k, N);
    help_int(&k, K);
    help_int(&k, DIMS);
    for (int i = 0; i < N * DIMS; i++)
        point[i] = help_draw_float();
    for (int i = 0; i < K * DIMS; i++)
        center[i] = help_draw_float();
    help_run_kernel(&k, 3, 1, 128, 1);
    for (int i = 0; i < N; i++) {
        float least = 3.4e38f;
        int best = 0;

        for (int c = 0; c < K; c++) {
            float d2 = 0;

            for (int j = 0; j < DIMS; j++) {
                float d = point[i * DIMS + j] - center[c * DIMS + j];

                d2 = fmaf(d, d, d2);
            }
            if (d2 < least) {
                least = d2;
                best = c;
            }
        }
        ck_assert_int_eq(member[i], best);
        count[best]++;
    }
    ck_assert_mem_eq(size, count, sizeof count);
    help_kernel_close(&k);
}
END_TEST

START_TEST(bfs)
{
    enum {
        N = 200,
        EDGES = 3 * N
    };
    struct help_kernel k;
    int *begin, *edge, *distance, *changed, want[N], some = 0;

    open(&k, SM, "bfs_level");
    begin = help_buffer(&k, 4 * (N + 1));
    edge = help_buffer(&k, 4 * EDGES);
    distance = help_buffer(&k, 4 * N);
    help_int(&k, 2);
    changed = help_buffer(&k, 4);
    help_int(&k, N);
    for (int i = 0; i <= N; i++)
        begin[i] = 3 * i;
    for (int i = 0; i < EDGES; i++)
        edge[i] = (int)(help_draw() % N);
    for (int i = 0; i < N; i++)
        distance[i] = i % 5 == 0 ? 2 : i % 7 == 0 ? 1 : -1;
    memcpy(want, distance, sizeof want);
    for (int v = 0; v < N; v++) {
        for (int e = begin[v]; e < begin[v + 1] && distance[v] == 2; e++) {
            some |= want[edge[e]] == -1;
            want[edge[e]] = want[edge[e]] == -1 ? 3 : want[edge[e]];
        }
    }
    help_run_kernel(&k, 2, 1, 128, 1);
    ck_assert_mem_eq(distance, want, sizeof want);
    ck_assert_int_eq(*changed, some);
    help_kernel_close(&k);
}
END_TEST

START_TEST(needleman)
{
    enum {
        N = 50,
        D = 41
    };
    struct help_kernel k;
    char *a, *b;
    int *table, before[(N + 1) * (N + 1)];

    open(&k, SM, "needleman");
    a = help_buffer(&k, N);
    b = help_buffer(&k, N);
    table = help_buffer(&k, sizeof before);
    help_int(&k, N);
    help_int(&k, D);
    for (int i = 0; i < N; i++) {
        a[i] = "ACGT"[help_draw() % 4];
        b[i] = "ACGT"[help_draw() % 4];
    }
    for (int i = 0; i < (N + 1) * (N + 1); i++)
        before[i] = table[i] = (int)(help_draw() % 100);
    help_run_kernel(&k, 1, 1, 64, 1);
    for (int i = 0; i <= N; i++) {
        for (int j = 0; j <= N; j++) {
            const int *at = before + i * (N + 1) + j;
            int want = *at;

            if (i > 0 && j > 0 && i + j == D) {
                int gap = (at[-1] > at[-N - 1] ? at[-1] : at[-N - 1]) - 1;

                want = at[-N - 2] + (a[i - 1] == b[j - 1] ? 2 : -1);
                want = want > gap ? want : gap;
            }
            ck_assert_int_eq(table[i * (N + 1) + j], want);
        }
    }
    help_kernel_close(&k);
}
END_TEST

START_TEST(gemv)
{
    enum {
        ROWS = 21,
        COLUMNS = 75
    };
    struct help_kernel k;
    double *a, *x, *y;

    open(&k, SM, "gemv");
    a = help_buffer(&k, 8 * ROWS * COLUMNS);
    x = help_buffer(&k, 8 * COLUMNS);
    y = help_buffer(&k, 8 * ROWS);
    help_int(&k, ROWS);
    help_int(&k, COLUMNS);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        a[i] = (double)help_draw_float() - 0.3;
    for (int i = 0; i < COLUMNS; i++)
        x[i] = (double)help_draw_float();
    help_run_kernel(&k, 6, 1, 128, 1);
    for (int r = 0; r < ROWS; r++) {
        double part[32] = {0};

        for (int i = 0; i < COLUMNS; i++)
            part[i % 32] = fma(a[r * COLUMNS + i], x[i], part[i % 32]);
        for (int d = 16; d > 0; d /= 2) {
            for (int l = 0; l + d < 32; l++)
                part[l] += part[l + d];
        }
        ck_assert(y[r] == part[0]);
    }
    help_kernel_close(&k);
}
END_TEST

START_TEST(sgemm_regs)
{
    enum {
        N = 64
    };
    struct help_kernel k;
    float *a, *b, *c;

    open(&k, SM, "sgemm_regs");
    a = help_buffer(&k, 4 * N * N);
    b = help_buffer(&k, 4 * N * N);
    c = help_buffer(&k, 4 * N * N);
    help_int(&k, N);
    for (int i = 0; i < N * N; i++) {
        a[i] = help_draw_float();
        b[i] = help_draw_float();
    }
    help_run_kernel(&k, 2, 2, 8, 8);
    for (int i = 0; i < N * N; i++) {
        float sum = 0;

        for (int j = 0; j < N; j++)
            sum = fmaf(a[i / N * N + j], b[j * N + i % N], sum);
        ck_assert(c[i] == sum);
    }
    help_kernel_close(&k);
}
END_TEST

START_TEST(crc32)
{
    enum {
        N = 40,
        BYTES = 33
    };
    struct help_kernel k;
    uint8_t *data;
    uint32_t *out;

    open(&k, SM, "crc32");
    data = help_buffer(&k, N * BYTES);
    out = help_buffer(&k, 4 * N);
    help_int(&k, BYTES);
    help_int(&k, N);
    for (int i = 0; i < N * BYTES; i++)
        data[i] = (uint8_t)help_draw();
    memcpy(data, "123456789", 9);
    help_run_kernel(&k, 1, 1, 64, 1);
    for (int i = 0; i < N; i++) {
        uint32_t crc = UINT32_MAX;

        for (int j = 0; j < BYTES; j++) {
            crc ^= data[i * BYTES + j];
            for (int b = 0; b < 8; b++)
                crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
        }
        ck_assert_uint_eq(out[i], ~crc);
    }
    help_kernel_close(&k);
}
END_TEST

static uint32_t shifted(uint32_t s)
{
    s ^= s << 13;
    s ^= s >> 17;
    return s ^ s << 5;
}

START_TEST(pi)
{
    enum {
        POINTS = 50
    };
    struct help_kernel k;
    uint32_t *inside, count = 0;

    open(&k, SM, "pi");
    inside = help_buffer(&k, 4);
    help_int(&k, 12345);
    help_int(&k, POINTS);
    help_run_kernel(&k, 2, 1, 64, 1);
    for (uint32_t t = 0; t < 128; t++) {
        uint32_t s = 12345 + 747796405u * t;

        for (int i = 0; i < POINTS; i++) {
            float x, y, yy;

            s = shifted(s);
            x = (float)(s >> 8) / 16777216;
            s = shifted(s);
            y = (float)(s >> 8) / 16777216;
            yy = y * y;
            count += fmaf(x, x, yy) < 1;
        }
    }
    ck_assert_uint_eq(*inside, count);
    help_kernel_close(&k);
}
END_TEST

START_TEST(radix_count)
{
    enum {
        N = 500,
        BLOCKS = 4
    };
    struct help_kernel k;
    uint32_t *key, *count, want[BLOCKS * 16] = {0};

    open(&k, SM, "radix_count");
    key = help_buffer(&k, 4 * N);
    count = help_buffer(&k, sizeof want);
    help_int(&k, 8);
    help_int(&k, N);
    for (int i = 0; i < N; i++) {
        key[i] = help_draw();
        want[i / 128 * 16 + (key[i] >> 8 & 15)]++;
    }
    help_run_kernel(&k, BLOCKS, 1, 128, 1);
    ck_assert_mem_eq(count, want, sizeof want);
    help_kernel_close(&k);
}
END_TEST

START_TEST(hotspot)
{
    enum {
        W = 37,
        H = 19
    };
    struct help_kernel k;
    float *in, *power, *out;

    open(&k, SM, "hotspot");
    in = help_buffer(&k, 4 * W * H);
    power = help_buffer(&k, 4 * W * H);
    out = help_buffer(&k, 4 * W * H);
    help_int(&k, W);
    help_int(&k, H);
    help_float(&k, 0.1f);
    for (int i = 0; i < W * H; i++) {
        in[i] = help_draw_float() * 100;
        power[i] = help_draw_float();
    }
    help_run_kernel(&k, 3, 3, 16, 8);
    for (int y = 0; y < H; y++) {
        for (int x = 0; x < W; x++) {
            int i = y * W + x;
            float l = in[x > 0 ? i - 1 : i], r = in[x < W - 1 ? i + 1 : i];
            float u = in[y > 0 ? i - W : i], d = in[y < H - 1 ? i + W : i];
            float lr = l + r, ud = u + d, sum = lr + ud;
            float heated = in[i] + power[i];

            ck_assert(out[i] == fmaf(0.1f, fmaf(-4, in[i], sum), heated));
        }
    }
    help_kernel_close(&k);
}
END_TEST

HELP_MAIN("traces/kernels_people", 60, {softmax, HELP_GENERATIONS},
          {layernorm, HELP_GENERATIONS}, {life, HELP_GENERATIONS},
          {sobel, HELP_GENERATIONS}, {kmeans, HELP_GENERATIONS},
          {bfs, HELP_GENERATIONS}, {needleman, HELP_GENERATIONS},
          {gemv, HELP_GENERATIONS}, {sgemm_regs, HELP_GENERATIONS},
          {crc32, HELP_GENERATIONS}, {pi, HELP_GENERATIONS},
          {radix_count, HELP_GENERATIONS}, {hotspot, HELP_GENERATIONS})
