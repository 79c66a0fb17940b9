/*
 * A product of matrices by a warp group whose tiles come through tensor maps,
 * and by asynchronous copies, k38_gemm_tensor_map.cu (sm_90a), against a plain
 * product.  Elements are small whole numbers, so that every sum is exact.
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

static uint16_t *give_map(struct help_kernel *k, uint32_t rows)
{
    struct emu_tensor_map m = {.rank = 2,
                               .type = MAP_F16,
                               .size = {DEPTH, rows},
                               .stride = {2, DEPTH * 2},
                               .box = {SIDE, SIDE},
                               .step = {1, 1},
                               .swizzle = 3};
    uint8_t object[EMU_MAP_BYTES];

    ck_assert(emu_device_alloc(k->device, rows * DEPTH * 2, &m.address,
                               &k->d) == TEG_OK);
    emu_map_write(&m, object);
    help_value(k, object, sizeof object);
    return emu_device_at(k->device, m.address, rows * DEPTH * 2);
}

START_TEST(a_product_through_a_ring_of_tiles)
{
    static uint8_t a[ROWS * DEPTH], b[COLUMNS * DEPTH];
    struct help_kernel k;
    uint16_t *a_halves, *b_halves;
    float *c;

    help_kernel_open(&k, 90, "k38_gemm_tensor_map",
                     _i == 0 ? "gemm_map" : "gemm_async");
    a_halves = _i == 0 ? give_map(&k, ROWS) : help_buffer(&k, sizeof a * 2);
    b_halves = _i == 0 ? give_map(&k, COLUMNS) : help_buffer(&k, sizeof b * 2);
    fill(a_halves, a, sizeof a);
    fill(b_halves, b, sizeof b);
    c = help_buffer(&k, ROWS * COLUMNS * sizeof *c);
    help_int(&k, COLUMNS);
    help_int(&k, DEPTH);
    k.facts.dynamic_shared = SHARED;
    help_run_kernel(&k, COLUMNS / SIDE, ROWS / SIDE, 128, 1);
    for (uint32_t i = 0; i < ROWS; i++) {
        for (uint32_t j = 0; j < COLUMNS; j++) {
            int sum = 0;

            for (uint32_t n = 0; n < DEPTH; n++)
                sum += a[i * DEPTH + n] * b[j * DEPTH + n];
            ck_assert(c[i * COLUMNS + j] == (float)sum);
        }
    }
    help_kernel_close(&k);
}
END_TEST

HELP_MAIN("traces/tensor gemm", 60, {a_product_through_a_ring_of_tiles, 2})
