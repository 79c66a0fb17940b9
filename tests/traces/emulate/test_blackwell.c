/* What Blackwell has and no generation before (k53, k54), against C: products laid out
 * element by element as the PTX ISA's figures say, not register by register as
 * the emulator has them.  Factors and scales are so small that sums are exact. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help_kernel.h"
#include "tests/help_suite.h"

enum {
    SM = 120,
    LANES = 32
};

/* Two families, of which one has instructions for pairs. */
static const unsigned pair_generation[] = {100, 120};

/* ---- numbers ------------------------------------------------------------------- */

struct format {
    int exponent, fraction, shift; /* in its byte */
    uint32_t mask; /* codes that the tests draw: neither NaN nor large */
};

static const struct format e4m3 = {4, 3, 0, 0xbf}, e5m2 = {5, 2, 0, 0xbf};
static const struct format e2m3 = {2, 3, 0, 0x3f}, e3m2 = {3, 2, 0, 0x3f};
static const struct format e2m1 = {2, 1, 2, 0x0f}, packed = {2, 1, 0, 0x0f};

static double value_of(const struct format *f, uint32_t code)
{
    int e = (int)(code >> f->fraction) & ((1 << f->exponent) - 1);
    int low = (int)code & ((1 << f->fraction) - 1);
    int bias = (1 << (f->exponent - 1)) - 1;
    double size = e == 0 ? low * pow(2, 1 - bias - f->fraction)
                         : (1 + low * pow(2, -f->fraction)) * pow(2, e - bias);

    return code >> (f->exponent + f->fraction) & 1 ? -size : size;
}

/* ---- products ------------------------------------------------------------------ */

static const struct product {
    const char *kernel;
    const struct format *a, *b;
    int blocks; /* scales of a row, 0: none */
    int is_e4m3;
    int byte_a, pair_a, byte_b, lane_b;
} products[] = {
    {"e4m3_e5m2", &e4m3, &e5m2, 0, 0, 0, 0, 0, 0},
    {"e5m2_e3m2", &e5m2, &e3m2, 0, 0, 0, 0, 0, 0},
    {"e2m3_e2m1", &e2m3, &e2m1, 0, 0, 0, 0, 0, 0},
    {"e3m2_e2m3", &e3m2, &e2m3, 0, 0, 0, 0, 0, 0},
    {"e2m1_e4m3", &e2m1, &e4m3, 0, 0, 0, 0, 0, 0},
    {"mx_e4m3_e5m2", &e4m3, &e5m2, 1, 0, 0, 0, 0, 0},
    {"mx_e3m2_e2m1", &e3m2, &e2m1, 1, 0, 2, 1, 3, 2},
    {"mx_e2m1_e2m3", &e2m1, &e2m3, 1, 0, 1, 0, 2, 3},
    {"mx4", &packed, &packed, 2, 0, 0, 0, 2, 1},
    {"mx4_lanes", &packed, &packed, 2, 0, 2, 1, 0, 3},
    {"nv4", &packed, &packed, 4, 1, 0, 0, 0, 0},
    {"nv4_lanes", &packed, &packed, 4, 1, 0, 1, 0, 2},
};

/* Element i of a lane's registers, i from 0 on along them. */
static double element(const struct format *f, const uint32_t *reg, int i)
{
    int each = f == &packed ? 8 : 4, bits = 32 / each;
    uint32_t code = reg[i / each] >> (bits * (i % each) + f->shift);

    return value_of(f, code & ((2u << (f->exponent + f->fraction)) - 1));
}

static double scale(const struct product *p, uint32_t word, int byte)
{
    uint32_t code = word >> 8 * byte & 255;

    return p->is_e4m3 ? value_of(&e4m3, code) : pow(2, (int)code - 127);
}

static uint32_t draw_factors(const struct format *f)
{
    uint32_t word = 0;

    for (int i = 0; i < 32; i += f == &packed ? 4 : 8)
        word |= (help_draw() & f->mask) << (i + f->shift);
    return word;
}

static uint32_t draw_scales(const struct product *p)
{
    uint32_t word = 0;

    for (int i = 0; i < 32; i += 8)
        word |= (p->is_e4m3 ? 0x30 + help_draw() % 24 : 125 + help_draw() % 5)
                << i;
    return word;
}

/* Rows of A, columns of B from all lanes' elements. */
static void place(const struct product *p, const uint32_t *in, int depth,
                  double a[16][64], double b[64][8])
{
    int quarter = depth / 8; /* elements side by side in a lane */

    for (int lane = 0; lane < LANES; lane++) {
        const uint32_t *reg = in + 8 * lane;
        int group = lane / 4, in_group = lane % 4;

        for (int i = 0; i < 4 * quarter; i++) {
            int row = group + (i / quarter % 2 != 0 ? 8 : 0);
            int column = quarter * in_group + i % quarter +
                         (i >= 2 * quarter ? depth / 2 : 0);

            a[row][column] = element(p->a, reg, i);
        }
        for (int i = 0; i < 2 * quarter; i++)
            b[quarter * in_group + i % quarter + (i >= quarter ? depth / 2 : 0)]
             [group] = element(p->b, reg + 4, i);
    }
}

START_TEST(products_of_narrow_floats)
{
    const struct product *p = &products[_i];
    int depth = p->a == &packed ? 64 : 32;
    double a[16][64], b[64][8];
    struct help_kernel k;
    uint32_t *in;
    float *c, *out;

    help_draw_seed((uint32_t)_i + 1);
    help_kernel_open(&k, SM, "k53_blackwell", p->kernel);
    in = help_buffer(&k, LANES * 8 * sizeof *in);
    c = help_buffer(&k, LANES * 4 * sizeof *c);
    out = help_buffer(&k, LANES * 4 * sizeof *out);
    for (int i = 0; i < LANES * 8; i++)
        in[i] = i % 8 < 4   ? draw_factors(p->a)
                : i % 8 < 6 ? draw_factors(p->b)
                            : draw_scales(p);
    for (int i = 0; i < LANES * 4; i++)
        c[i] = (float)((int)(help_draw() % 257) - 128) / 16;
    place(p, in, depth, a, b);
    help_run_kernel(&k, 1, 1, LANES, 1);
    for (int i = 0; i < LANES * 4; i++) {
        int lane = i / 4, row = lane / 4 + (i % 4 >= 2 ? 8 : 0);
        int column = 2 * (lane % 4) + i % 2;
        double sum = (double)c[i];

        for (int x = 0; x < depth; x++) {
            double factor = 1;
            int block = p->blocks != 0 ? x * p->blocks / depth : 0;

            if (p->blocks != 0)
                factor =
                    scale(p,
                          in[8 * (row % 8 * 4 + 2 * p->pair_a + row / 8) + 6],
                          p->byte_a + block) *
                    scale(p, in[8 * (column * 4 + p->lane_b) + 7],
                          p->byte_b + block);
            sum += a[row][x] * b[x][column] * factor;
        }
        ck_assert_msg(out[i] == (float)sum, "%s %d: %g instead of %g",
                      p->kernel, i, (double)out[i], sum);
    }
    help_kernel_close(&k);
}
END_TEST

/* ---- tiles, integers, clusters --------------------------------------------------- */

static uint32_t number_of(const uint8_t *row, int i, int bits)
{
    uint32_t v = 0;

    for (int k = 0; k < bits; k++)
        v |= (uint32_t)(row[(i * bits + k) / 8] >> (i * bits + k) % 8 & 1) << k;
    return v;
}

START_TEST(narrow_numbers_are_spread_into_bytes)
{
    struct help_kernel k;
    uint8_t *rows, *out[2];

    help_draw_seed(7);
    help_kernel_open(&k, SM, "k53_blackwell", "spread");
    rows = help_buffer(&k, LANES * 16);
    out[0] = help_buffer(&k, LANES * 16);
    out[1] = help_buffer(&k, LANES * 16);
    for (int i = 0; i < LANES * 16; i++)
        rows[i] = (uint8_t)help_draw();
    help_run_kernel(&k, 1, 1, LANES, 1);
    for (int i = 0; i < LANES * 16; i++) {
        int lane = i / 16, tile = i % 16 / 4, column = 4 * (lane % 4) + i % 4;
        const uint8_t *row = rows + 16 * (8 * tile + lane / 4);

        ck_assert_uint_eq(out[0][i], number_of(row, column, 4));
        ck_assert_uint_eq(out[1][i], number_of(row, column, 6));
    }
    help_kernel_close(&k);
}
END_TEST

static int64_t draw_wide(void)
{
    static const int64_t edges[] = {0,   -1,         5,          6,
                                    -5,  -6,         INT64_MAX,  INT64_MIN,
                                    -16, 0xffffffef, 0xfffffff0, -17};
    uint32_t which = help_draw() % 24;
    uint64_t high = help_draw();

    return which < 12 ? edges[which] : (int64_t)(high << 32 | help_draw());
}

START_TEST(integers_of_64_bits)
{
    const int64_t c = _i == 0 ? -12 : INT64_C(0x123456780);
    struct help_kernel k;
    int64_t *a, *b, *out;

    help_draw_seed((uint32_t)_i + 11);
    help_kernel_open(&k, SM, "k53_blackwell", "wide");
    a = help_buffer(&k, LANES * sizeof *a);
    b = help_buffer(&k, LANES * sizeof *b);
    out = help_buffer(&k, LANES * 16 * sizeof *out);
    help_value(&k, &c, sizeof c);
    for (int i = 0; i < LANES; i++) {
        a[i] = draw_wide();
        b[i] = i % 4 == 0 ? a[i] : draw_wide();
    }
    help_run_kernel(&k, 1, 1, LANES, 1);
    for (int i = 0; i < LANES; i++) {
        int64_t x = a[i], y = b[i];
        uint64_t u = (uint64_t)x, v = (uint64_t)y, w = (uint64_t)c;
        const int64_t want[] = {
            (int64_t)(u + v),
            (int64_t)(u - w),
            (int64_t)(0 - u),
            x < y ? x : y,
            x > c ? x : c,
            (int64_t)(u < v ? u : v),
            (int64_t)(u > w ? u : w),
            (x < y) + 2 * (x <= c) + 4 * (u > 0xfffffffffffffff0) +
                8 * (u < 0xfffffff0) + 16 * (x == y) + 32 * (x < -5),
            x > 5 ? y : c,
            (int64_t)(u + 0x123456789abc),
            x != 0 ? y : 0x7fffffff0,
            (int64_t)(w + u - v + 7)};

        ck_assert_mem_eq(out + 16 * i, want, sizeof want);
    }
    help_kernel_close(&k);
}
END_TEST

START_TEST(sums_that_are_cut_and_bytes)
{
    struct help_kernel k;
    uint32_t *a, *b;
    int32_t *out;

    help_draw_seed(13);
    help_kernel_open(&k, SM, "k53_blackwell", "bytes");
    a = help_buffer(&k, LANES * sizeof *a);
    b = help_buffer(&k, LANES * sizeof *b);
    out = help_buffer(&k, LANES * 4 * sizeof *out);
    for (int i = 0; i < LANES; i++) {
        a[i] = help_draw() ^ (i % 2 != 0 ? 0x80808080 : 0);
        b[i] = i % 3 == 0 ? a[i] : help_draw();
    }
    help_run_kernel(&k, 1, 1, LANES, 1);
    for (int i = 0; i < LANES; i++) {
        int64_t sum = (int64_t)(int32_t)a[i] + (int32_t)b[i];
        uint32_t apart = 0, total = 0, size = 0;

        for (int n = 0; n < 32; n += 8) {
            int x = (int)(a[i] >> n & 255), y = (int)(b[i] >> n & 255);
            int s = abs((int8_t)x);

            apart |= (uint32_t)abs(x - y) << n;
            total += (uint32_t)abs(x - y);
            size |= (uint32_t)(s > 127 ? 127 : s) << n;
        }
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
        ck_assert_int_eq(out[4 * i], sum);
        ck_assert_uint_eq((uint32_t)out[4 * i + 1], apart);
        ck_assert_uint_eq((uint32_t)out[4 * i + 2], total);
        ck_assert_uint_eq((uint32_t)out[4 * i + 3], size);
    }
    help_kernel_close(&k);
}
END_TEST

START_TEST(clusters_are_counted_in_uniform_floats)
{
    struct help_kernel k;
    uint32_t *out;

    help_kernel_open(&k, SM, "k53_blackwell", "clusters");
    out = help_buffer(&k, 10 * sizeof *out);
    help_run_kernel(&k, 10, 1, 32, 1);
    for (uint32_t i = 0; i < 10; i++)
        ck_assert_uint_eq(out[i], i / 2 << 16 | i % 2 << 8 | 5);
    help_kernel_close(&k);
}
END_TEST

/* ---- pairs of floats, and floats with halves (k54) ----------------------------- */

/* Each rounds once, as C does. */
START_TEST(pairs_are_crossed_doubled_and_turned)
{
    const float u = 1.75f, v = -2.25f, e = 1.4426950408889634f;
    struct help_kernel k;
    float(*a)[2], (*b)[2], (*out)[2];

    help_draw_seed((uint32_t)_i + 21);
    help_kernel_open(&k, pair_generation[_i], "k54_pairs", "pairs");
    a = help_buffer(&k, LANES * sizeof *a);
    b = help_buffer(&k, LANES * sizeof *b);
    out = help_buffer(&k, LANES * 18 * sizeof *out);
    help_float(&k, u);
    help_float(&k, v);
    for (int i = 0; i < LANES * 2; i++) {
        a[i / 2][i % 2] = help_draw_float() - 0.5f;
        b[i / 2][i % 2] = help_draw_float() * 3 - 1;
    }
    help_run_kernel(&k, 1, 1, LANES, 1);
    for (int i = 0; i < LANES; i++) {
        float x = a[i][0], y = a[i][1], p = b[i][0], q = b[i][1];
        const float want[18][2] = {
            {-x * p, y * q},
            {x * p, -y * q},
            {-x * q, -y * p},
            {y * p, x * q},
            {x * q, y * q},
            {x * e, y * e},
            {y * u, x * u},
            {x * u, -y * v},
            {x - p, y + q},
            {y + q, x + q},
            {x + 0.75f, y + 0.75f},
            {x + u, -y + v},
            {fmaf(x, p, y), fmaf(y, p, x)},
            {fmaf(x, p, y), fmaf(-y, q, y)},
            {fmaf(x, q, -x), fmaf(y, p, y)},
            {fmaf(x, u, p), fmaf(y, u, q)},
            {fmaf(x, p, -0.5f), fmaf(y, q, -0.5f)},
            {fmaf(y, 3, p), fmaf(x, 3, -q)},
        };

        for (int n = 0; n < 18; n++) {
            ck_assert_int_eq(memcmp(out[32 * n + i], want[n], sizeof *want), 0);
        }
    }
    help_kernel_close(&k);
}
END_TEST

static double half_of(uint32_t code)
{
    static const struct format half = {5, 10, 0, 0};

    return value_of(&half, code);
}

static double bfloat_of(uint32_t code)
{
    static const struct format bfloat = {8, 7, 0, 0};

    return value_of(&bfloat, code);
}

/* Sums and products of these are exact in double precision. */
START_TEST(floats_take_halves)
{
    struct help_kernel k;
    uint32_t *a;
    float *b, *out;

    help_draw_seed((uint32_t)_i + 31);
    help_kernel_open(&k, pair_generation[_i], "k54_pairs", "halves");
    a = help_buffer(&k, LANES * sizeof *a);
    b = help_buffer(&k, LANES * sizeof *b);
    out = help_buffer(&k, LANES * 8 * sizeof *out);
    for (int i = 0; i < LANES; i++) {
        /* exponents near 1 for both formats */
        a[i] = (help_draw() & 0x83ff83ff) | 0x3c003c00;
        b[i] = help_draw_float() - 0.5f;
    }
    help_run_kernel(&k, 1, 1, LANES, 1);
    for (int i = 0; i < LANES; i++) {
        uint32_t low = a[i] & 0xffff, high = a[i] >> 16;
        double x = (double)b[i];
        const double want[] = {
            x + half_of(low),
            x + half_of(high),
            x + bfloat_of(high),
            half_of(low) - x,
            bfloat_of(low) - x,
            half_of(low) * half_of(high) + x,
            half_of(high) * half_of(high) + x,
            bfloat_of(low) * bfloat_of(high) + x,
        };

        for (int n = 0; n < 8; n++)
            ck_assert(out[32 * n + i] == (float)want[n]);
    }
    help_kernel_close(&k);
}
END_TEST

/* ---- who asks for the work of blocks that have not begun (k56) ----------------- */

START_TEST(every_item_is_done_once)
{
    static const char *const kernels[] = {"alone", "pairs", "sixteen"};
    enum {
        BLOCKS = 32,
        COUNT = BLOCKS * LANES
    };
    struct help_kernel k;
    uint32_t *in, *out, *items;

    help_kernel_open(&k, pair_generation[_i % 2], "k56_next_work",
                     kernels[_i / 2]);
    in = help_buffer(&k, COUNT * sizeof *in);
    out = help_buffer(&k, COUNT * sizeof *out);
    items = help_buffer(&k, sizeof *items);
    for (uint32_t i = 0; i < COUNT; i++)
        in[i] = help_draw();
    help_run_kernel(&k, BLOCKS, 1, LANES, 1);
    ck_assert_uint_eq(*items, BLOCKS);
    for (uint32_t i = 0; i < COUNT; i++)
        ck_assert_uint_eq(out[i], in[i] * 3 + i / LANES);
    help_kernel_close(&k);
}
END_TEST

/* ---- copies of some bytes of every sixteen, stores of zeros (k60) ---------------- */

static void open_masked(struct help_kernel *k, uint32_t sm, size_t room,
                        uint8_t **in, uint8_t **out, uint16_t mask,
                        uint32_t bytes)
{
    help_kernel_open(k, sm, "k60_bulk", "masked");
    *in = help_buffer(k, 512);
    *out = help_buffer(k, room);
    help_int(k, mask);
    help_int(k, (int)bytes);
    for (int i = 0; i < 512; i++)
        (*in)[i] = (uint8_t)help_draw();
    memset(*out, 0xaa, room);
    k->facts.block[0] = LANES;
}

START_TEST(masked_bytes_are_left_alone)
{
    struct help_kernel k;
    uint16_t mask = (uint16_t)help_draw();
    uint32_t bytes = 16 * (1 + help_draw() % 32);
    uint8_t *in, *out;

    open_masked(&k, pair_generation[_i], 512, &in, &out, mask, bytes);
    ck_assert(help_try_kernel(&k) == TEG_OK);
    for (uint32_t i = 0; i < 512; i++) {
        int copied = i < bytes && (mask >> i % 16 & 1) != 0;

        ck_assert_uint_eq(out[i], copied ? in[i] : 0xaa);
    }
    help_kernel_close(&k);
}
END_TEST

/* What the mask leaves out may lie behind the end of a buffer, nothing else. */
START_TEST(masked_bytes_are_nowhere)
{
    struct help_kernel k;
    uint8_t *in, *out;

    open_masked(&k, pair_generation[_i], 44, &in, &out, 0x0fff, 48);
    ck_assert(help_try_kernel(&k) == TEG_OK);
    ck_assert_mem_eq(out + 32, in + 32, 12);
    help_kernel_close(&k);
    open_masked(&k, pair_generation[_i], 44, &in, &out, 0x1fff, 48);
    ck_assert(help_try_kernel(&k) == TEG_LIMIT);
    help_kernel_close(&k);
}
END_TEST

START_TEST(zeros_are_where_they_are_stored)
{
    struct help_kernel k;
    uint32_t *words, *out;
    uint32_t at = 8 * (help_draw() % 32), bytes = 8 * (help_draw() % 33);

    help_kernel_open(&k, pair_generation[_i], "k60_bulk", "zeros");
    words = help_buffer(&k, 8);
    out = help_buffer(&k, 512);
    words[0] = at;
    words[1] = bytes;
    k.facts.block[0] = LANES;
    ck_assert(help_try_kernel(&k) == TEG_OK);
    for (uint32_t i = 0; i < 128; i++)
        ck_assert_uint_eq(out[i], 4 * i - at < bytes ? 0 : i % 4 + 1);
    words[0] = 256;
    words[1] = 264; /* behind the end */
    ck_assert(help_try_kernel(&k) == TEG_LIMIT);
    help_kernel_close(&k);
}
END_TEST

HELP_MAIN("traces/blackwell", 60,
          {products_of_narrow_floats, sizeof products / sizeof products[0]},
          {narrow_numbers_are_spread_into_bytes, 0}, {integers_of_64_bits, 2},
          {sums_that_are_cut_and_bytes, 0},
          {clusters_are_counted_in_uniform_floats, 0},
          {pairs_are_crossed_doubled_and_turned, 2}, {floats_take_halves, 2},
          {every_item_is_done_once, 6}, {masked_bytes_are_left_alone, 2},
          {masked_bytes_are_nowhere, 2}, {zeros_are_where_they_are_stored, 2})
