/* Binary NVBit traces, made by the tests' own writer. */
#include "traces/nvbit/tracez.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/help_dump.h"
#include "tests/help_tracez.h"

static const char header[] =
    "-kernel name = k\n-grid dim = (3,1,1)\n-block dim = (64,1,1)\n"
    "-shmem = 0\n-nregs = 9\n-binary version = 80\n"
    "-accelsim tracer version = 6\n\n#traces format = lies\n";

static const char *const first[] = {
    "0000 ffffffff 1 R1 MOV 0 0 0 0 NoVal\n"
    "0010 00000003 1 R4 LDG.E 1 R2 4 1 0x7000 4 0 0 NoVal\n",
    "0020 ffffffff 0 EXIT 0 0 0 0 NoVal\n",
};
static const char *const second[] = {"0020 ffffffff 0 EXIT 0 0 0 0 NoVal"};

static const struct help_tracez_warp warps[] = {
    {2, first, 2, 3},
    {2, second, 1, 1},
    {0, second, 1, 1},
    {0, NULL, 0, 0},
};

static const char expected[] =
    "block 2,0,0\nwarp 0\n0000 ffffffff MOV R1\n"
    "0010 00000003 LDG.E R4, R2 @ 7000 7004\n0020 ffffffff EXIT\n"
    "warp 1\n0020 ffffffff EXIT\n"
    "block 0,0,0\nwarp 0\n0020 ffffffff EXIT\n";

static struct teg_buffer file;

static void setup(void)
{
    file = (struct teg_buffer){0};
}

static void teardown(void)
{
    teg_buffer_release(&file);
}

static void expect_dump(struct teg_notes *notes)
{
    teg_status status;
    struct teg_diag d = {0};
    char *dump =
        help_dump_memory("t", file.data, file.size, NULL, notes, &status, &d);

    ck_assert_msg(dump != NULL, "%s: %s", d.where, d.what);
    ck_assert_str_eq(dump, expected);
    free(dump);
}

START_TEST(blocks_come_in_the_order_of_the_index)
{
    struct teg_notes notes = {0};

    help_tracez(&file, header, NULL, warps, 4);
    ck_assert(tracez_recognise(file.data, file.size));
    expect_dump(&notes);
    ck_assert_uint_eq(teg_notes_count(&notes, "empty-warp"), 1);
    ck_assert_str_eq(help_note(&notes, "partial-grid"),
                     "expected the 3 blocks of the grid, found 2");
    ck_assert_uint_eq(notes.count, 2);
    teg_notes_release(&notes);
}
END_TEST

START_TEST(a_dictionary_is_used)
{
    help_tracez(&file, header,
                "0010 00000003 1 R4 LDG.E 1 R2 4 1 0x7000 4 0 0 NoVal\n"
                "0020 ffffffff 0 EXIT 0 0 0 0 NoVal\n",
                warps, 4);
    expect_dump(NULL);
}
END_TEST

START_TEST(the_same_comes_from_a_file)
{
    char path[] = "/tmp/teg-test-XXXXXX";
    int fd = mkstemp(path);
    struct teg_trace *trace;
    struct teg_launch launch;
    teg_status status;
    char *dump;

    help_tracez(&file, header, NULL, warps, 4);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, file.data, file.size), (ssize_t)file.size);
    close(fd);
    ck_assert_int_eq(teg_trace_open(path, NULL, &trace, NULL), TEG_OK);
    ck_assert_int_eq(teg_trace_format(trace), TRACE_TRACEZ);
    ck_assert_int_eq(teg_trace_launch(trace, 0, &launch, NULL), TEG_OK);
    dump = help_dump_launch(&launch, &status, NULL);
    ck_assert_ptr_nonnull(dump);
    ck_assert_str_eq(dump, expected);
    free(dump);
    launch.close(launch.self);
    teg_trace_close(trace);
    unlink(path);
}
END_TEST

START_TEST(a_count_that_lies_is_noted)
{
    static const struct help_tracez_warp one[] = {{0, second, 1, 9}};
    struct teg_notes notes = {0};
    teg_status status;
    char *dump;

    help_tracez(&file, header, NULL, one, 1);
    dump = help_dump_memory("t", file.data, file.size, NULL, &notes, &status,
                            NULL);
    ck_assert_ptr_nonnull(dump);
    free(dump);
    ck_assert_str_eq(help_note(&notes, "insts-count"),
                     "expected 9 instructions as declared, found 1");
    teg_notes_release(&notes);
}
END_TEST

static void expect_error(const char *what)
{
    struct teg_diag d = {0};

    ck_assert_int_ne(help_walk_memory("t", file.data, file.size, &d), TEG_OK);
    ck_assert_msg(strstr(d.what, what) != NULL, "%s", d.what);
}

static void set_u32(size_t at, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        file.data[at + i] = (uint8_t)(v >> 8 * i);
}

/* Places of the fields that say how long something is. */
START_TEST(lengths_that_lie_are_errors)
{
    size_t h = sizeof header; /* with its NUL */
    size_t data = h + 8, index;

    help_tracez(&file, header, NULL, warps, 4);
    index = file.data[file.size - 8] | (size_t)file.data[file.size - 7] << 8;

    set_u32(h, 0x7fffffff); /* dictionary */
    expect_error("expected a dictionary of at most");
    set_u32(h, 60000);
    expect_error("expected 60000 bytes before");
    set_u32(h, 0);
    set_u32(data + 4, 3); /* sub-chunks of the first warp */
    expect_error("expected 2 sub-chunks as the index says, found 3");
    set_u32(data + 4, 1);
    expect_error("expected 2 sub-chunks as the index says, found 1");
    set_u32(data + 4, 2);
    set_u32(data + 8, 0xffffffff); /* bytes of the first sub-chunk */
    expect_error("expected a sub-chunk of at most");
    set_u32(data + 8, 5000);
    expect_error("expected 5000 bytes before");
    teardown();
    setup();
    help_tracez(&file, header, NULL, warps, 4);
    set_u32(index, 0xffffffff); /* blocks */
    expect_error("expected an index of 4294967295 blocks");
    set_u32(index, 2);
    set_u32(index + 4 + 40, 2000000); /* warps of the first block */
    expect_error("expected at most 1024 warps");
    set_u32(index + 4 + 40, 2);
    set_u32(index + 4 + 44 + 4, 0xfffffff); /* sub-chunks of its first warp */
    expect_error("expected the counts of 268435455 sub-chunks");
    set_u32(index + 4 + 44 + 4, 2);
    set_u32(file.size - 8, 0x7fffffff); /* the index itself */
    expect_error("expected the offset of an index inside the file");
}
END_TEST

START_TEST(a_line_that_is_none_names_block_and_warp)
{
    static const char *const bad[] = {"0000 ffffffff 1 R1 MOV 0 0\nhello\n"};
    static const struct help_tracez_warp one[] = {{7, bad, 1, 2}};
    struct teg_diag d = {0};

    help_tracez(&file, header, NULL, one, 1);
    ck_assert_int_eq(help_walk_memory("t", file.data, file.size, &d),
                     TEG_FORMAT);
    ck_assert_str_eq(d.where, "t block (7,0,0) warp 0:2");
}
END_TEST

START_TEST(damage_anywhere_ends_in_an_error_or_in_a_trace)
{
    help_tracez(&file, header, _i ? "0020 ffffffff 0 EXIT 0 0\n" : NULL, warps,
                4);
    help_damage(file.data, file.size);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("traces/tracez");
    TCase *tcase = tcase_create("tracez");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, blocks_come_in_the_order_of_the_index);
    tcase_add_test(tcase, a_dictionary_is_used);
    tcase_add_test(tcase, the_same_comes_from_a_file);
    tcase_add_test(tcase, a_count_that_lies_is_noted);
    tcase_add_test(tcase, lengths_that_lie_are_errors);
    tcase_add_test(tcase, a_line_that_is_none_names_block_and_warp);
    tcase_add_loop_test(tcase, damage_anywhere_ends_in_an_error_or_in_a_trace,
                        0, 2);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
