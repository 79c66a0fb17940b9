/* The block-linear layout against its inverse: from a place in memory, digit by
 * digit, to what lies there. */
#include <check.h>
#include <stdlib.h>

#include "tests/help_launch.h"
#include "tests/help_suite.h"
#include "traces/emulate/core/tiling.h"

struct place {
    uint64_t x, y, z;
};

/* Takes the lowest digit of base `n` of `*offset`. */
static uint64_t digit(uint64_t *offset, uint64_t n)
{
    uint64_t d = *offset % n;

    *offset /= n;
    return d;
}

/* What lies `offset` bytes into an array with rows of `gobs` GOBs: 16 bytes, the
 * second row, the second half of 32 bytes, pairs of rows, the second 32 bytes;
 * GOBs downwards, slabs, blocks to the right, blocks downwards, slabs of blocks. */
static struct place lies_at(uint64_t offset, uint64_t gobs, uint64_t high,
                            uint64_t rows_of_blocks, uint64_t deep)
{
    struct place p = {0};

    p.x = digit(&offset, 16);
    p.y = digit(&offset, 2);
    p.x += 16 * digit(&offset, 2);
    p.y += 2 * digit(&offset, 4);
    p.x += 32 * digit(&offset, 2);
    p.y += 8 * digit(&offset, high);
    p.z = digit(&offset, deep);
    p.x += 64 * digit(&offset, gobs);
    p.y += 8 * high * digit(&offset, rows_of_blocks);
    p.z += deep * offset;
    return p;
}

/* Bytes of a row, rows, planes; what the block is then. */
static const struct array {
    uint32_t bytes, height, depth, high, deep;
} arrays[] = {
    {64, 8, 1, 1, 1},     {1, 1, 1, 1, 1},     {65, 9, 1, 2, 1},
    {400, 17, 1, 4, 1},   {4096, 64, 1, 8, 1}, {100, 65, 1, 16, 1},
    {256, 300, 1, 16, 1}, {52, 7, 5, 1, 8},    {64, 16, 2, 2, 2},
    {128, 33, 40, 4, 16}, {70, 9, 40, 2, 32},
};

START_TEST(every_byte_lies_where_its_digits_say)
{
    const struct array *a = &arrays[_i];
    struct emu_tiling t = emu_tiling_of(a->bytes, a->height, a->depth);
    uint64_t gobs = (a->bytes + 63) / 64;
    uint64_t rows = (a->height + 8 * a->high - 1) / (8 * a->high);

    ck_assert_uint_eq(1u << t.height, a->high);
    ck_assert_uint_eq(1u << t.depth, a->deep);
    ck_assert_uint_eq(t.layer, gobs * 64 * rows * 8 * a->high * a->deep *
                                   ((a->depth + a->deep - 1) / a->deep));
    for (uint64_t offset = 0; offset < t.layer; offset++) {
        struct place p = lies_at(offset, gobs, a->high, rows, a->deep);

        ck_assert_uint_eq(emu_tiling_offset(&t, p.x, p.y, p.z), offset);
    }
}
END_TEST

HELP_MAIN("traces/tiling", 60,
          {every_byte_lies_where_its_digits_say,
           sizeof arrays / sizeof arrays[0]})
