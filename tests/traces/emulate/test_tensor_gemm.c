/*
 * A product of matrices by a warp group whose tiles come through tensor maps,
 * and by asynchronous copies, k38_gemm_tensor_map.cu (sm_90a), and by a ring that
 * one warp fills for tensor memory (sm_100a) or warps' own products (sm_120a),
 * k55_gemm_tensor_memory.cu, against a plain product.  Elements are small whole numbers, so that every sum is exact.
 */
#include <check.h>
#include <string.h>

#include "tests/help_kernel.h"
#include "tests/help_suite.h"
#include "traces/emulate/core/tensor_map.h"

enum {
    ROWS = 128,
    COLUMNS = 192,
    DEPTH = 320, /* more tiles than the ring has stages */
    SIDE = 64,
    SHARED = 66560,
};

/* 0 to 7 as a half. */
static uint16_t half_of(uint32_t v)
{
    static const uint16_t half[] = {0,      0x3c00, 0x4000, 0x4200,
                                    0x4400, 0x4500, 0x4600, 0x4700};

    return half[v];
}

static void fill(uint16_t *halves, uint8_t *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        numbers[i] = (uint8_t)(help_draw() >> 29);
        halves[i] = half_of(numbers[i]);
    }
}

static uint16_t *give_map(struct help_kernel *k, uint32_t rows, uint32_t box)
{
    struct emu_tensor_map m = {.rank = 2,
                               .type = MAP_F16,
                               .size = {DEPTH, rows},
                               .stride = {2, DEPTH * 2},
                               .box = {SIDE, box},
                               .step = {1, 1},
                               .swizzle = 3};
    uint8_t object[EMU_MAP_BYTES];

    ck_assert(emu_device_alloc(k->device, rows * DEPTH * 2, &m.address,
                               &k->d) == TEG_OK);
    emu_map_write(&m, object);
    help_value(k, object, sizeof object);
    return emu_device_at(k->device, m.address, rows * DEPTH * 2);
}

static uint8_t a[ROWS * DEPTH], b[COLUMNS * DEPTH];

static void check_product(const float *c)
{
    for (uint32_t i = 0; i < ROWS; i++) {
        for (uint32_t j = 0; j < COLUMNS; j++) {
            int sum = 0;

            for (uint32_t n = 0; n < DEPTH; n++)
                sum += a[i * DEPTH + n] * b[j * DEPTH + n];
            ck_assert(c[i * COLUMNS + j] == (float)sum);
        }
    }
}

START_TEST(a_product_through_a_ring_of_tiles)
{
    struct help_kernel k;
    uint16_t *a_halves, *b_halves;
    float *c;

    help_kernel_open(&k, 90, "k38_gemm_tensor_map",
                     _i == 0 ? "gemm_map" : "gemm_async");
    a_halves =
        _i == 0 ? give_map(&k, ROWS, SIDE) : help_buffer(&k, sizeof a * 2);
    b_halves =
        _i == 0 ? give_map(&k, COLUMNS, SIDE) : help_buffer(&k, sizeof b * 2);
    fill(a_halves, a, sizeof a);
    fill(b_halves, b, sizeof b);
    c = help_buffer(&k, ROWS * COLUMNS * sizeof *c);
    help_int(&k, COLUMNS);
    help_int(&k, DEPTH);
    k.facts.dynamic_shared = SHARED;
    help_run_kernel(&k, COLUMNS / SIDE, ROWS / SIDE, 128, 1);
    check_product(c);
    help_kernel_close(&k);
}
END_TEST

/* Rings of one to four stages, each for both generations. */
START_TEST(a_product_by_warps_with_a_task_each)
{
    struct help_kernel k;
    uint16_t *a_halves, *b_halves;
    float *c;

    help_kernel_open(&k, _i % 2 ? 120 : 100, "k55_gemm_tensor_memory", "gemm");
    a_halves = give_map(&k, ROWS, ROWS);
    b_halves = give_map(&k, COLUMNS, SIDE);
    fill(a_halves, a, sizeof a);
    fill(b_halves, b, sizeof b);
    c = help_buffer(&k, ROWS * COLUMNS * sizeof *c);
    help_int(&k, COLUMNS);
    help_int(&k, DEPTH);
    help_int(&k, 1 + _i / 2);
    k.facts.dynamic_shared = 1024 + 24576 * (1 + (uint32_t)_i / 2);
    help_run_kernel(&k, COLUMNS / SIDE, 1, 160, 1);
    check_product(c);
    help_kernel_close(&k);
}
END_TEST

HELP_MAIN("traces/tensor gemm", 60, {a_product_through_a_ring_of_tiles, 2},
          {a_product_by_warps_with_a_task_each, 8})
