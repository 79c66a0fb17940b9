/*
 * Tables of source lines written by hand, by section 6.2 of DWARF 2 to 4, read
 * for a cubin of one function, which needs no relocations.
 */
#include "isa/binary/dwarf.h"

#include <stdlib.h>
#include <string.h>

#include "tests/help_suite.h"

struct table {
    uint8_t bytes[512];
    size_t size;
};

static void put(struct table *t, const void *bytes, size_t n)
{
    ck_assert_uint_le(t->size + n, sizeof t->bytes);
    memcpy(t->bytes + t->size, bytes, n);
    t->size += n;
}

static void put32(struct table *t, size_t at, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        t->bytes[at + (size_t)i] = (uint8_t)(v >> (8 * i));
}

/* A unit of that version with line base -5, line range 14, opcode base 10,
 * instructions of 4 bytes, the files "dir/a.cu" and "/b.h", that program. */
static void put_unit(struct table *t, uint8_t version, const void *program,
                     size_t n)
{
    static const uint8_t operands[] = {0, 1, 1, 1, 1, 0, 0, 0, 1};
    static const char names[] = "dir\0\0"      /* directories */
                                "a.cu\0\1\0\0" /* files */
                                "/b.h\0\1\0\0"
                                "";
    const uint8_t fields[] = {1, (uint8_t)-5, 14, 10};
    const uint8_t start[] = {0, 0, 0, 0, version, 0, 0, 0, 0, 0, 4, 1};
    size_t unit = t->size;

    put(t, start, version >= 4 ? 12 : 11);
    put(t, fields, sizeof fields);
    put(t, operands, sizeof operands);
    put(t, names, sizeof names);
    put32(t, unit + 6, (uint32_t)(t->size - unit - 10));
    put(t, program, n);
    put32(t, unit, (uint32_t)(t->size - unit - 4));
}

static teg_status read(struct teg_lines *l, const struct table *t,
                       struct teg_diag *d)
{
    char path[] = "t";
    struct teg_cubin c = {.path = path, .kernel_count = 1};
    /* Of its own size, so that a byte too far is found. */
    uint8_t *copy = malloc(t->size + (t->size == 0));
    teg_status status;

    ck_assert_ptr_nonnull(copy);
    memcpy(copy, t->bytes, t->size);
    c.file = copy;
    c.lines_table = (struct teg_cubin_bytes){copy, t->size};
    *l = (struct teg_lines){0};
    status = teg_dwarf_lines(l, &c, d);
    free(copy);
    return status;
}

static void expect_line(const struct teg_lines *l, uint64_t pc,
                        const char *file, uint32_t line)
{
    const struct teg_line *at = teg_lines_at(l, 0, pc);

    if (line == 0) {
        ck_assert_ptr_null(at);
        return;
    }
    ck_assert_msg(at != NULL, "0x%x", (unsigned)pc);
    ck_assert_str_eq(l->file[at->file], file);
    ck_assert_uint_eq(at->line, line);
}

/* Every opcode once; the comments follow address and line. */
static const uint8_t program[] = {
    0,
    9,
    2,
    0x10,
    0,
    0,
    0,
    0,
    0,
    0,
    0, /* set address: 0x10 */
    3,
    9,
    1, /* line 10, copy: a row at 0x10 */
    2,
    4,
    3,
    0x7d,
    1, /* 0x20, line 7 */
    8,
    1, /* + (255 - 10) / 14 = 17 of 4 bytes: 0x64 */
    9,
    0x9c,
    1,
    1,                   /* + 0x19c, not in instructions: 0x200 */
    10 + 5 + 3 + 14 * 4, /* special: + 4 of 4 bytes, + 3: 0x210, line 10 */
    5,
    7,
    6,
    7, /* column, statement, block: nothing */
    4,
    2,
    3,
    0xe4,
    0,
    1, /* file 2, line 110 at 0x210: the last one counts */
    0,
    3,
    0x90,
    4,
    0, /* inlined for the row of number 4 (0x200) */
    2,
    4,
    1, /* 0x220 */
    0,
    2,
    0x77,
    9, /* unknown, passed over */
    0,
    3,
    0x90,
    0x63,
    0, /* a row there is not: no call */
    2,
    4,
    3,
    1,
    1, /* 0x230, line 111 */
    2,
    0x80,
    1,
    0,
    1,
    1, /* + 128 of 4 bytes, end: 0x430 */
    0,
    9,
    2,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0, /* another sequence at 0 */
    1,
    2,
    4,
    0,
    1,
    1, /* line 1, ends at 0x10 */
};

START_TEST(a_program_moves_address_and_line)
{
    uint8_t version = (uint8_t)(2 + _i);
    struct table t = {.size = 0};
    const struct teg_line *at;
    struct teg_lines l;
    struct teg_diag d;

    put_unit(&t, version, program, sizeof program);
    ck_assert_msg(read(&l, &t, &d) == TEG_OK, "%s: %s", d.where, d.what);
    expect_line(&l, 0x00, "dir/a.cu", 1);
    expect_line(&l, 0x0c, "dir/a.cu", 1);
    expect_line(&l, 0x10, "dir/a.cu", 10);
    expect_line(&l, 0x1f, "dir/a.cu", 10);
    expect_line(&l, 0x20, "dir/a.cu", 7);
    expect_line(&l, 0x63, "dir/a.cu", 7);
    expect_line(&l, 0x64, "dir/a.cu", 7);
    expect_line(&l, 0x200, "dir/a.cu", 7);
    expect_line(&l, 0x210, "/b.h", 110);
    expect_line(&l, 0x220, "/b.h", 110);
    expect_line(&l, 0x42f, "/b.h", 111);
    expect_line(&l, 0x430, NULL, 0);
    ck_assert_uint_eq(teg_lines_at(&l, 0, 0x210)->call, 0);
    at = teg_lines_at(&l, 0, 0x220);
    ck_assert_uint_eq(at->call, 1);
    ck_assert_uint_eq(l.call[0].line, 7);
    ck_assert_str_eq(l.file[l.call[0].file], "dir/a.cu");
    ck_assert_uint_eq(l.call[0].outer, 0);
    ck_assert_uint_eq(teg_lines_at(&l, 0, 0x230)->call, 0);
    teg_lines_release(&l);
}
END_TEST

START_TEST(units_follow_each_other_and_other_versions_are_passed_over)
{
    static const uint8_t first[] = {1, 2, 4, 0, 1, 1};
    static const uint8_t second[] = {0, 9, 2, 0x10, 0, 0, 0, 0, 0, 0,
                                     0, 3, 5, 1,    2, 4, 0, 1, 1};
    static const uint8_t strange[] = {4, 0, 0, 0, 5, 0, 1, 2};
    struct table t = {.size = 0};
    struct teg_lines l;
    struct teg_diag d;

    put_unit(&t, 2, first, sizeof first);
    put(&t, strange, sizeof strange);
    put_unit(&t, 3, second, sizeof second);
    ck_assert_int_eq(read(&l, &t, &d), TEG_OK);
    expect_line(&l, 0x0f, "dir/a.cu", 1);
    expect_line(&l, 0x10, "dir/a.cu", 6);
    expect_line(&l, 0x20, NULL, 0);
    teg_lines_release(&l);
}
END_TEST

START_TEST(a_table_cut_anywhere_is_refused)
{
    struct table t = {.size = 0};
    struct teg_lines l;
    struct teg_diag d;

    put_unit(&t, 2, program, sizeof program);
    for (size_t whole = t.size--; t.size > 0; t.size--) {
        ck_assert_int_eq(read(&l, &t, &d), TEG_FORMAT);
        ck_assert_uint_lt(t.size, whole);
        ck_assert_int_eq(strncmp(d.where, "t+0x", 4), 0);
        teg_lines_release(&l);
    }
}
END_TEST

START_TEST(a_flipped_bit_never_crashes)
{
    struct table t = {.size = 0};
    struct teg_lines l;
    struct teg_diag d;

    put_unit(&t, 4, program, sizeof program);
    for (size_t bit = 0; bit < 8 * t.size; bit++) {
        t.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        if (read(&l, &t, &d) == TEG_OK)
            teg_lines_at(&l, 0, 0x200);
        t.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        teg_lines_release(&l);
    }
}
END_TEST

HELP_MAIN("dwarf", 30, {a_program_moves_address_and_line, 3},
          {units_follow_each_other_and_other_versions_are_passed_over, 0},
          {a_table_cut_anywhere_is_refused, 0},
          {a_flipped_bit_never_crashes, 0})
