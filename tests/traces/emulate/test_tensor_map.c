/*
 * Tensor maps: the driver's rules, the object, the argument's text.
 */
#include <check.h>
#include <stddef.h>
#include <string.h>

#include "tests/help_kernel.h"
#include "tests/help_suite.h"
#include "tests/traces/emulate/help_map.h"
#include "traces/emulate/core/map_argument.h"
#include "traces/emulate/core/tensor_map.h"

/* The driver's rules, on both sides of each limit: fields of a map of two
 * dimensions that keeps them all, one of them changed. */
#define FIELD(name)                        \
    offsetof(struct emu_tensor_map, name), \
        sizeof((struct emu_tensor_map *)0)->name

START_TEST(rules_of_a_map)
{
    static const struct {
        size_t at, bytes;
        uint64_t value;
        int keeps;
    } rows[] = {
        {FIELD(address), 32, 1},
        {FIELD(address), 40, 0},
        {FIELD(rank), 0, 0},
        {FIELD(rank), 1, 1},
        {FIELD(rank), 6, 0},
        {FIELD(type), EMU_MAP_TYPES, 0},
        {FIELD(interleave), 1, 0}, /* of two dimensions */
        {FIELD(interleave), 3, 0},
        {FIELD(swizzle), 4, 1},
        {FIELD(swizzle), 6, 1},
        {FIELD(swizzle), 7, 0},
        {FIELD(swizzle), 3, 1},
        {FIELD(swizzle), 2, 0}, /* a row has 128 bytes */
        {FIELD(box[1]), 256, 1},
        {FIELD(box[1]), 257, 0},
        {FIELD(box[1]), 0, 0},
        {FIELD(box[0]), 256, 1},
        {FIELD(box[0]), 264, 0},
        {FIELD(box[0]), 4, 0}, /* 8 bytes */
        {FIELD(box[0]), 8, 1},
        {FIELD(size[1]), UINT64_C(1) << 32, 1},
        {FIELD(size[1]), (UINT64_C(1) << 32) + 1, 0},
        {FIELD(size[0]), 0, 0},
        {FIELD(stride[1]), (UINT64_C(1) << 40) - 16, 1},
        {FIELD(stride[1]), UINT64_C(1) << 40, 0},
        {FIELD(stride[1]), 120, 0},
        {FIELD(step[1]), 8, 1},
        {FIELD(step[1]), 9, 0},
        {FIELD(step[1]), 0, 0},
        {FIELD(fills_nan), 1, 1},
        {FIELD(fills_nan), 2, 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct emu_tensor_map m = help_map;
        struct teg_diag d = {0};

        memcpy((uint8_t *)&m + rows[i].at, &rows[i].value, rows[i].bytes);
        ck_assert_msg((emu_map_check(&m, &d) == TEG_OK) == rows[i].keeps,
                      "row %zu: %s", i, d.what);
        if (!rows[i].keeps)
            ck_assert(strstr(d.what, "expected") == d.what);
    }
}
END_TEST

/* Rules that several fields have together. */
START_TEST(rules_of_interleaved_and_filled_maps)
{
    const struct emu_tensor_map good = {.address = 32,
                                        .rank = 3,
                                        .type = MAP_F16,
                                        .size = {16, 8, 8},
                                        .stride = {2, 64, 512},
                                        .box = {16, 8, 8},
                                        .step = {1, 1, 1},
                                        .interleave = 2,
                                        .swizzle = 1};
    struct emu_tensor_map m = good;

    ck_assert(emu_map_check(&m, NULL) == TEG_OK);
    m.address = 16;
    ck_assert(emu_map_check(&m, NULL) != TEG_OK);
    m = good;
    m.stride[1] = 48;
    ck_assert(emu_map_check(&m, NULL) != TEG_OK);
    m = good;
    m.swizzle = 3;
    ck_assert(emu_map_check(&m, NULL) != TEG_OK);
    m = good;
    m.interleave = 1;
    m.swizzle = 3;
    m.address = 16;
    m.stride[1] = 48;
    ck_assert(emu_map_check(&m, NULL) == TEG_OK);
    m = help_map;
    m.type = MAP_U16;
    ck_assert(emu_map_check(&m, NULL) == TEG_OK);
    m.fills_nan = 1;
    ck_assert(emu_map_check(&m, NULL) != TEG_OK);
}
END_TEST

START_TEST(rules_of_packed_maps)
{
    static const struct {
        uint32_t type, size, box, swizzle, step;
        uint64_t address, stride;
        int keeps;
    } rows[] = {
        {MAP_U4_16, 200, 64, 0, 1, 16, 112, 1},
        {MAP_U4_16, 201, 64, 0, 1, 16, 112, 0}, /* half a byte */
        {MAP_U4_16, 200, 48, 0, 1, 16, 112, 0}, /* a row of 24 bytes */
        {MAP_U4_16, 200, 256, 3, 1, 16, 112, 1},
        {MAP_U4_16, 200, 256, 2, 1, 16, 112, 0}, /* of 128 in 64 */
        {MAP_U4_16, 200, 64, 0, 2, 16, 112, 0},
        {MAP_U4_16_8, 256, 128, 3, 1, 32, 128, 1},
        {MAP_U4_16_8, 256, 128, 0, 1, 32, 128, 1},
        {MAP_U4_16_8, 256, 128, 2, 1, 32, 128, 0},
        {MAP_U4_16_8, 256, 64, 0, 1, 32, 128, 0},
        {MAP_U4_16_8, 192, 128, 0, 1, 32, 96, 0},
        {MAP_U4_16_8, 256, 128, 0, 1, 16, 128, 0},
        {MAP_U4_16_8, 256, 128, 0, 1, 32, 144, 0},
        {MAP_U6_16_4, 256, 128, 3, 1, 64, 192, 1},
        {MAP_U6_16_4, 256, 128, 1, 1, 64, 192, 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct emu_tensor_map m = help_map, again;
        uint8_t object[EMU_MAP_BYTES];
        struct teg_diag d = {0};

        memset(&m, 0, sizeof m);
        m.rank = 2;
        m.type = rows[i].type;
        m.swizzle = rows[i].swizzle;
        m.address = rows[i].address;
        m.size[0] = rows[i].size;
        m.size[1] = 9;
        m.box[0] = rows[i].box;
        m.box[1] = 3;
        m.step[0] = rows[i].step;
        m.step[1] = 1;
        m.stride[0] = emu_map_element(&m);
        m.stride[1] = rows[i].stride;
        ck_assert_msg((emu_map_check(&m, &d) == TEG_OK) == rows[i].keeps,
                      "%zu: %s", i, d.what);
        emu_map_write(&m, object);
        ck_assert_int_eq(emu_map_read(&again, object, &d) == TEG_OK,
                         rows[i].keeps);
        if (rows[i].keeps)
            ck_assert_mem_eq(&again, &m, sizeof again);
    }
}
END_TEST

START_TEST(an_object_keeps_every_field)
{
    for (uint32_t i = 0; i < 500; i++) {
        struct emu_tensor_map m = help_map, again;
        uint8_t object[EMU_MAP_BYTES];
        struct teg_diag d = {0};

        memset(&m, 0, sizeof m);
        m.rank = 1 + i % EMU_MAP_RANKS;
        m.type = i % MAP_U4_16;
        m.swizzle = i / 2 % EMU_SWIZZLES;
        m.fills_nan = emu_map_is_float(m.type) && i % 3 == 0;
        m.address = ((uint64_t)help_draw() << 16 | help_draw()) & ~15ull;
        for (uint32_t k = 0; k < m.rank; k++) {
            m.size[k] = (uint64_t)help_draw() + 1;
            m.box[k] = k == 0 ? 16 / emu_map_element(&m)
                                    << i % (m.swizzle < 3 ? m.swizzle + 1 : 4)
                              : 1 + help_draw() % 256;
            m.step[k] = 1 + help_draw() % 8;
            if (k != 0)
                m.stride[k] =
                    ((uint64_t)help_draw() % 256 << 32 | help_draw()) & ~15ull;
        }
        m.stride[0] = emu_map_element(&m);
        emu_map_write(&m, object);
        ck_assert_msg(emu_map_read(&again, object, &d) == TEG_OK, "%s", d.what);
        ck_assert_mem_eq(&again, &m, sizeof again);
    }
}
END_TEST

/* ---- the argument's text ----------------------------------------------------------- */

START_TEST(arguments_that_are_maps)
{
    static const char *const wrong[] = {
        "map:",
        "map:f16",
        "map:f16:64x64",
        "map:f16:64x64:64",
        "map:f16:64x64:64x8",
        "map:q16:64x64:64x8:zeros",
        "map:f16:64x64:64x8:swizzle=16:zeros",
        "map:f16:64x64:64x8:stride=128x1:zeros",
        "map:f16:64x64:64x8:step=1:zeros",
        "map:f16:64x64:64x8x1:zeros",
        "map:f16:1x1x1x1x1x1:8:zeros",
        "map:f16:64x64:64x8:arg=x",
        "map:f16:64x64:64x257:zeros",
        "map:f16:60x64:8x8:zeros", /* rows of 120 bytes */
    };
    struct emu_map_argument a;
    struct teg_diag d;

    ck_assert(emu_map_argument_parse(
                  &a,
                  "map:bf16:64x32x3:16x8x1:swizzle=32:stride=256x8192:"
                  "step=1x2x1:nan:file=/a:b",
                  &d) == TEG_OK);
    ck_assert_uint_eq(a.map.type, MAP_BF16);
    ck_assert_uint_eq(a.map.rank, 3);
    ck_assert_uint_eq(a.map.size[1], 32);
    ck_assert_uint_eq(a.map.box[0], 16);
    ck_assert_uint_eq(a.map.step[1], 2);
    ck_assert_uint_eq(a.map.stride[2], 8192);
    ck_assert_uint_eq(a.map.swizzle, 1);
    ck_assert_uint_eq(a.map.fills_nan, 1);
    ck_assert_uint_eq(a.bytes, 2 * 8192 + 31 * 256 + 64 * 2);
    ck_assert_str_eq(a.buffer.fill, "file=/a:b");
    ck_assert(emu_map_argument_parse(&a, "map:s32:64x4:64x4:arg=2", &d) ==
              TEG_OK);
    ck_assert_int_eq(a.has_own, 0);
    ck_assert_uint_eq(a.argument, 2);
    ck_assert_uint_eq(a.map.stride[1], 256);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        ck_assert_msg(emu_map_argument_parse(&a, wrong[i], &d) != TEG_OK, "%s",
                      wrong[i]);
}
END_TEST

HELP_MAIN("traces/tensor map", 60, {rules_of_a_map, 0},
          {rules_of_interleaved_and_filled_maps, 0}, {rules_of_packed_maps, 0},
          {an_object_keeps_every_field, 0}, {arguments_that_are_maps, 0})
