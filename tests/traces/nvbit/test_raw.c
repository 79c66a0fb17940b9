/* Raw NVBit text: interleaved lines grouped, in memory and through a
 * temporary file. */
#include "traces/nvbit/raw.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/help_dump.h"
#include "tests/help_launch.h"

#define HEADER                                                       \
    "-kernel name = k\n-grid dim = (2,2,1)\n-block dim = (64,1,1)\n" \
    "-shmem = 0\n-nregs = 9\n-binary version = 80\n"                 \
    "#traces format = threadblock_x ...\n\n"

/* The dump of `text` with `budget` bytes in memory; the caller frees. */
static char *dump(const char *text, size_t budget, struct teg_notes *notes)
{
    struct teg_source source = {"t", (const uint8_t *)text, strlen(text)};
    struct teg_launch launch;
    struct teg_diag d = {0};
    teg_status status;
    char *out;

    ck_assert_msg(nvbit_raw_launch(&source, NULL, budget, &launch, &d) ==
                      TEG_OK,
                  "%s: %s", d.where, d.what);
    out = help_dump_launch(&launch, &status, &d);
    ck_assert_msg(out != NULL, "%s: %s", d.where, d.what);
    for (size_t i = 0; notes != NULL && i < launch.kernel->notes.count; i++)
        teg_notes_add(notes, launch.kernel->notes.note[i].kind, "", "%s",
                      launch.kernel->notes.note[i].what);
    launch.close(launch.self);
    return out;
}

START_TEST(blocks_come_in_grid_order_and_warps_in_theirs)
{
    char *out = dump(HEADER "0 1 0 1 0000 ffffffff 1 R1 MOV 0 0 \n"
                            "1 0 0 0 0000 ffffffff 1 R1 MOV 0 0 \n"
                            "0 1 0 0 0000 ffffffff 1 R1 MOV 0 0 \n"
                            "1 0 0 0 0010 00000003 1 R4 LDG.E 1 R2 4 1 0x40 8\n"
                            "\n"
                            "0 0 0 0 0000 ffffffff 1 R1 MOV 0 0 \n"
                            "1 0 0 0 0020 ffffffff 0 EXIT 0 0 \n"
                            "0 1 0 1 0020 ffffffff 0 EXIT 0 0 \n",
                     1 << 20, NULL);

    ck_assert_str_eq(out, "block 0,0,0\nwarp 0\n0000 ffffffff MOV R1\n"
                          "block 1,0,0\nwarp 0\n0000 ffffffff MOV R1\n"
                          "0010 00000003 LDG.E R4, R2 @ 40 48\n"
                          "0020 ffffffff EXIT\n"
                          "block 0,1,0\nwarp 0\n0000 ffffffff MOV R1\n"
                          "warp 1\n0000 ffffffff MOV R1\n"
                          "0020 ffffffff EXIT\n");
    free(out);
}
END_TEST

START_TEST(lines_of_all_versions_begin_with_block_and_warp)
{
    static const char *const middle[] = {"", " 77", " 0 0 0 0 0 0 0",
                                         " 0 0 0 0 0 0 0 77"};

    for (size_t i = 0; i < 4; i++) {
        char text[1024];
        char *out;

        snprintf(text, sizeof text,
                 "%s1 0 0 1%s 0000 ffffffff 1 R1 MOV 0 0 0 0 NoVal\n"
                 "1 0 0 0%s 0000 ffffffff 0 EXIT 0 0 0 0 NoVal",
                 HEADER, middle[i], middle[i]);
        out = dump(text, 1 << 20, NULL);
        ck_assert_str_eq(out, "block 1,0,0\nwarp 0\n0000 ffffffff EXIT\n"
                              "warp 1\n0000 ffffffff MOV R1\n");
        free(out);
    }
}
END_TEST

/* Interleaves 300 warps of random instructions; with a budget of one slab it
 * must go through the temporary file and come back the same. */
START_TEST(what_is_spilled_comes_back)
{
    enum {
        LINES = 60000,
        WARPS = 150,
        BYTES = LINES * 96
    };
    char *text = malloc(BYTES), *at = text, *whole, *spilled;
    uint64_t state = 5;

    ck_assert_ptr_nonnull(text);
    at += sprintf(at, "-grid dim = (300,1,1)\n-block dim = (64,1,1)\n"
                      "-shmem = 0\n-nregs = 9\n-binary version = 80\n");
    for (int i = 0; i < LINES; i++) {
        uint32_t kind = help_below(&state, 3);

        at += sprintf(at, "%u 0 0 %u ", help_below(&state, WARPS),
                      help_below(&state, 2));
        if (kind == 0)
            at += sprintf(at, "%04x ffffffff 1 R1 MOV 0 0\n",
                          help_below(&state, 40) * 16);
        else if (kind == 1)
            at += sprintf(at, "%04x %08x 1 R1 FADD 1 R3 0\n",
                          help_below(&state, 40) * 16,
                          (uint32_t)help_random(&state));
        else
            at += sprintf(at, "1000 0000f000 1 R1 LDG.E 1 R2 4 1 0x%x %d\n",
                          (uint32_t)help_random(&state),
                          (int)help_below(&state, 99) - 50);
    }
    whole = dump(text, (size_t)1 << 28, NULL);
    spilled = dump(text, 1 << 14, NULL);
    ck_assert_str_eq(whole, spilled);
    ck_assert_ptr_nonnull(strstr(whole, "block 149,0,0"));
    free(whole);
    free(spilled);
    free(text);
}
END_TEST

START_TEST(a_directory_that_is_missing_fails_the_spilling)
{
    struct teg_trace_options options = {.spill_directory = "/no/such/place"};
    static char text[200000];
    char *at = text;
    struct teg_source source = {"t", (const uint8_t *)text, 0};
    struct teg_launch launch;
    struct help_totals totals;
    struct teg_diag d = {0};

    at += sprintf(at, HEADER);
    for (int i = 0; i < 4000; i++)
        at += sprintf(at, "0 0 0 %d %04x ffffffff 1 R1 MOV 0 0\n", i % 2,
                      i * 7 % 64);
    source.size = strlen(text);
    ck_assert_int_eq(nvbit_raw_launch(&source, &options, 1024, &launch, &d),
                     TEG_OK);
    ck_assert_int_eq(help_walk(&launch, &totals, &d), TEG_IO);
    ck_assert_str_eq(d.where, "/no/such/place");
    launch.close(launch.self);
}
END_TEST

START_TEST(dimensions_the_header_lacks_come_from_the_lines)
{
    static const char text[] = "-kernel name = k\n"
                               "4 1 0 2 0000 ffffffff 0 EXIT 0 0\n"
                               "0 0 3 0 0000 ffffffff 0 EXIT 0 0\n";
    struct teg_source source = {"t", (const uint8_t *)text, strlen(text)};
    struct teg_launch launch;

    ck_assert_int_eq(nvbit_raw_launch(&source, NULL, 1 << 20, &launch, NULL),
                     TEG_OK);
    ck_assert_uint_eq(launch.kernel->grid[0], 5);
    ck_assert_uint_eq(launch.kernel->grid[1], 2);
    ck_assert_uint_eq(launch.kernel->grid[2], 4);
    ck_assert_uint_eq(launch.kernel->block[0], 96);
    launch.close(launch.self);
}
END_TEST

START_TEST(a_warp_with_both_lines_of_an_ldgsts_executes_it_once)
{
    struct teg_notes notes = {0};
    char *out =
        dump(HEADER "0 0 0 0 0010 00000001 0 LDGSTS.E 2 R9 R10 4 1 0x80 0\n"
                    "1 0 0 0 0010 00000001 0 LDGSTS.E 2 R9 R10 4 1 0x40 0\n"
                    "1 0 0 0 0010 00000001 0 LDGSTS.E 2 R9 R10 4 1 0x7f40 0\n"
                    "0 0 0 0 0010 00000001 0 LDGSTS.E 2 R9 R10 4 1 0x7f80 0\n",
             1 << 20, &notes);

    ck_assert_str_eq(
        out, "block 0,0,0\nwarp 0\n0010 00000001 LDGSTS.E R9, R10 @ 7f80\n"
             "block 1,0,0\nwarp 0\n0010 00000001 LDGSTS.E R9, R10 @ 7f40\n");
    ck_assert_uint_eq(teg_notes_count(&notes, "ldgsts-twice"), 1);
    ck_assert_str_eq(help_note(&notes, "partial-grid"),
                     "expected the 4 blocks of the grid, found 2");
    free(out);
    teg_notes_release(&notes);
}
END_TEST

static void expect_error(const char *text, const char *where, const char *what)
{
    struct teg_diag d = {0};

    ck_assert_int_eq(help_walk_memory("t", text, strlen(text), &d), TEG_FORMAT);
    ck_assert_str_eq(d.where, where);
    ck_assert_msg(strstr(d.what, what) != NULL, "%s", d.what);
}

START_TEST(damaged_lines_are_errors)
{
    expect_error(HEADER "0 0 0 0 0000 ffffffff 0 EXIT 0 0\n"
                        "0000 ffffffff 0 EXIT 0 0\n",
                 "t:10", "expected block and warp 'x y z warp'");
    expect_error(HEADER "0 0 0 0 0000 ffffffff 0 EXIT 0 0\n"
                        "0 0 0 0 0000 ffffffff 0 EX",
                 "t:10", "expected the rest of the instruction");
    expect_error(HEADER "0 0 0 0 0000 ffffffff 0 EXIT 0 0\nhello\n", "t:10",
                 "expected an instruction");
    expect_error(HEADER "0 0 0 5000 0000 ffffffff 0 EXIT 0 0\n", "t",
                 "expected a warp number below 1024 in block (0,0,0), found "
                 "5000");
}
END_TEST

START_TEST(damage_anywhere_ends_in_an_error_or_in_a_trace)
{
    static const char text[] =
        HEADER "0 1 0 1 77 0000 ffffffff 1 R1 MOV 0 0 \n"
               "1 0 0 0 77 0000 ffffffff 1 R1 MOV 0 0 \n"
               "0 1 0 0 77 0000 ffffffff 1 R1 MOV 0 0 \n"
               "1 0 0 0 78 0010 00000003 1 R4 LDG.E 1 R2 4 2 0x40 8\n"
               "0 1 0 1 79 0020 ffffffff 0 EXIT 0 0 \n";

    help_damage(text, strlen(text));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("traces/nvbit_raw");
    TCase *tcase = tcase_create("raw");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, blocks_come_in_grid_order_and_warps_in_theirs);
    tcase_add_test(tcase, lines_of_all_versions_begin_with_block_and_warp);
    tcase_add_test(tcase, what_is_spilled_comes_back);
    tcase_add_test(tcase, a_directory_that_is_missing_fails_the_spilling);
    tcase_add_test(tcase, dimensions_the_header_lacks_come_from_the_lines);
    tcase_add_test(tcase, a_warp_with_both_lines_of_an_ldgsts_executes_it_once);
    tcase_add_test(tcase, damaged_lines_are_errors);
    tcase_add_test(tcase, damage_anywhere_ends_in_an_error_or_in_a_trace);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
