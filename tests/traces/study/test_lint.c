/* What the linter finds, each kind in a trace that has it and in one that
 * does not. */
#include "traces/study/lint.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help_dump.h"

static char text[1 << 18], *at;
static struct teg_notes found;
static struct teg_diag diag;

static void put(const char *more)
{
    size_t n = strlen(more);

    ck_assert_uint_lt((size_t)(at - text) + n, sizeof text);
    memcpy(at, more, n + 1);
    at += n;
}

static void header(const char *grid, const char *block, const char *shared,
                   const char *registers, const char *isa)
{
    char lines[512];

    snprintf(lines, sizeof lines,
             "-kernel name = kern\n-grid dim = (%s)\n-block dim = (%s)\n"
             "-shmem = %s\n-nregs = %s\n-binary version = %s\n",
             grid, block, shared, registers, isa);
    put(lines);
}

static void begin(const char *position)
{
    put("#BEGIN_TB\nthread block = ");
    put(position);
    put("\n");
}

static void warp(const char *number)
{
    put("warp = ");
    put(number);
    put("\n");
}

static void lines(const char *line, int times)
{
    for (int i = 0; i < times; i++)
        put(line);
}

#define MOV_LINE  "0000 ffffffff 1 R1 MOV 0 0\n"
#define BAR_LINE  "0010 ffffffff 0 BAR.SYNC 0 0\n"
#define EXIT_LINE "0100 ffffffff 0 EXIT 0 0\n"
#define END       "#END_TB\n"

static void setup(void)
{
    at = text;
    text[0] = '\0';
    found = (struct teg_notes){0};
    diag = (struct teg_diag){0};
}

static void teardown(void)
{
    teg_notes_release(&found);
}

static teg_status lint(uint32_t gpu_cc)
{
    struct teg_trace *trace;
    struct teg_launch launch;
    teg_status status;

    ck_assert_int_eq(teg_trace_open_memory("t", (const uint8_t *)text,
                                           strlen(text), NULL, &trace, &diag),
                     TEG_OK);
    ck_assert_int_eq(teg_trace_launch(trace, 0, &launch, &diag), TEG_OK);
    status = teg_lint_launch(&launch, gpu_cc, &found, &diag);
    launch.close(launch.self);
    teg_trace_close(trace);
    return status;
}

static const struct teg_note *note(const char *kind)
{
    for (size_t i = 0; i < found.count; i++) {
        if (strcmp(found.note[i].kind, kind) == 0)
            return &found.note[i];
    }
    ck_abort_msg("expected a finding '%s'", kind);
}

static void expect_only(const char *kind, uint64_t count, const char *what)
{
    const struct teg_note *n;

    ck_assert_int_eq(lint(0), TEG_OK);
    for (size_t i = 0; i < found.count; i++)
        ck_assert_str_eq(found.note[i].kind, kind);
    n = note(kind);
    ck_assert_uint_eq(n->count, count);
    ck_assert_msg(strstr(n->what, what) != NULL, "%s", n->what);
}

START_TEST(a_good_trace_has_no_findings)
{
    header("2,1,1", "64,1,1", "0", "16", "80");
    for (int b = 0; b < 2; b++) {
        begin(b ? "1,0,0" : "0,0,0");
        for (int w = 0; w < 2; w++) {
            warp(w ? "1" : "0");
            put("insts = 5\n");
            put(MOV_LINE BAR_LINE
                "0020 ffffffff 1 R4 LDG.E 1 R2 4 1 0x7000 4\n"
                "0030 0000ffff 0 EXIT 0 0\n0100 ffff0000 0 EXIT 0 0\n");
        }
        put(END);
    }
    ck_assert_int_eq(lint(86), TEG_OK);
    ck_assert_uint_eq(found.count, 0);
}
END_TEST

START_TEST(unknown_opcodes_are_named_and_counted)
{
    header("1,1,1", "32,1,1", "0", "16", "80");
    begin("0,0,0");
    warp("0");
    put("insts = 7\n");
    lines("0000 ffffffff 1 R1 QQFOO.X 0 0\n", 2);
    lines("0010 ffffffff 1 R1 QQBAR 0 0\n", 3);
    lines("0020 ffffffff 1 R2 QQFOO.X 1 R1 0\n", 1);
    put(EXIT_LINE END);
    expect_only("unknown-opcode", 6,
                "2 opcodes are in no table: QQFOO.X 3 times, QQBAR 3 times");
}
END_TEST

START_TEST(a_warp_that_does_not_exit_is_found)
{
    header("1,1,1", "64,1,1", "0", "16", "80");
    begin("0,0,0");
    warp("0");
    put("insts = 2\n" MOV_LINE EXIT_LINE);
    warp("1");
    put("insts = 2\n" MOV_LINE "0100 0fffffff 0 EXIT 0 0\n" END);
    expect_only("no-exit", 1, "found lanes 0xf0000000 still running");
    ck_assert_str_eq(note("no-exit")->where, "block (0,0,0) warp 1");
}
END_TEST

START_TEST(instructions_after_exit_are_found_once)
{
    header("1,1,1", "32,1,1", "0", "16", "80");
    begin("0,0,0");
    warp("0");
    put("insts = 4\n" EXIT_LINE);
    lines("0110 00000003 0 NOP 0 0\n", 3);
    put(END);
    expect_only("after-exit", 3, "found NOP at pc 0x110");
}
END_TEST

START_TEST(addresses_of_zero_are_found_in_global_memory_only)
{
    header("1,1,1", "32,1,1", "0", "16", "80");
    begin("0,0,0");
    warp("0");
    put("insts = 4\n"
        "0010 0000000f 1 R4 LDS 1 R2 4 1 0x0 0\n"
        "0020 0000000f 1 R4 LDG.E 1 R2 4 0 0x7000 0x0 0x0 0x700c\n"
        "0030 00000000 1 R4 LDG.E 1 R2 4 1 0x0 0\n" EXIT_LINE END);
    expect_only("zero-address", 1,
                "lane 1 of the LDG.E R4, R2 at pc 0x20 goes to address 0");
}
END_TEST

START_TEST(barriers_that_differ_between_warps_are_found)
{
    header("1,1,1", "64,1,1", "0", "16", "80");
    begin("0,0,0");
    warp("0");
    put("insts = 3\n" BAR_LINE BAR_LINE EXIT_LINE);
    warp("1");
    put("insts = 2\n" BAR_LINE EXIT_LINE END);
    expect_only("barrier-count", 1, "found 1 to 2");
}
END_TEST

START_TEST(copies_in_no_group_are_found)
{
    header("1,1,1", "64,1,1", "0", "16", "80");
    begin("0,0,0");
    warp("0");
    put("insts = 4\n0010 ffffffff 0 LDGSTS.E 1 R2 4 1 0x1000 4\n"
        "0020 ffffffff 0 LDGDEPBAR 0 0\n0030 ffffffff 0 DEPBAR.LE 0 "
        "0\n" EXIT_LINE);
    warp("1");
    put("insts = 3\n0010 ffffffff 0 LDGSTS.E 1 R2 4 1 0x1000 4\n"
        "0030 ffffffff 0 DEPBAR.LE 0 0\n" EXIT_LINE END);
    ck_assert_int_eq(lint(0), TEG_OK);
    ck_assert_uint_eq(note("uncommitted")->count, 1);
    ck_assert_str_eq(note("uncommitted")->where, "block (0,0,0) warp 1");
    ck_assert_ptr_nonnull(strstr(note("uncommitted")->what, "at pc 0x30"));
}
END_TEST

START_TEST(another_generation_is_found)
{
    static const struct {
        const char *isa;
        uint32_t gpu_cc;
        int differs;
    } cases[] = {
        {"80", 86, 0}, {"86", 86, 0}, {"86", 80, 1},
        {"70", 80, 1}, {"90", 70, 1}, {"75", 0, 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        at = text;
        header("1,1,1", "32,1,1", "0", "16", cases[i].isa);
        begin("0,0,0");
        warp("0");
        put("insts = 1\n" EXIT_LINE END);
        ck_assert_int_eq(lint(cases[i].gpu_cc), TEG_OK);
        ck_assert_int_eq(teg_notes_count(&found, "generation") != 0,
                         cases[i].differs);
        teardown();
    }
}
END_TEST

/* CUDA C++ Programming Guide: a Turing block has at most 64 KiB of shared
 * memory, a Volta one 96 KiB; a register file has 65536. */
START_TEST(resources_beyond_the_chip_are_found)
{
    header("1,1,1", "1024,1,1", "65537", "65", "75");
    begin("0,0,0");
    warp("0");
    put("insts = 1\n" EXIT_LINE END);
    ck_assert_int_eq(lint(0), TEG_OK);
    ck_assert_str_eq(note("beyond-shared")->what,
                     "expected at most 65536 bytes of shared memory, found "
                     "65537");
    ck_assert_str_eq(note("beyond-registers")->what,
                     "expected at most 65536 registers in a block, found 65 x "
                     "1024");
    ck_assert_int_eq(teg_lint_severity("beyond-shared"), SEVERITY_ERROR);
    teardown();
    ck_assert_int_eq(lint(70), TEG_OK);
    ck_assert_uint_eq(teg_notes_count(&found, "beyond-shared"), 0);
}
END_TEST

/* Two warps wait for a flag, one of them `polls` times. */
static void spin(int polls, const char *load)
{
    header("1,1,1", "64,1,1", "0", "16", "80");
    begin("0,0,0");
    warp("0");
    for (int i = 0; i < 2; i++)
        put(load);
    put(EXIT_LINE);
    warp("1");
    for (int i = 0; i < polls; i++)
        put(load);
    put(EXIT_LINE END);
}

START_TEST(polling_an_address_is_a_suspected_spin_loop)
{
    spin(100, "0020 00000001 1 R4 LDG.E.STRONG.GPU 1 R2 4 1 0x7000 0\n");
    ck_assert_int_eq(lint(0), TEG_OK);
    ck_assert_ptr_nonnull(strstr(note("spin-loop")->what,
                                 "executed 2 to 100 times by a warp, up to 99 "
                                 "times at an unchanged address"));
    ck_assert_str_eq(note("spin-loop")->where, "block (0,0,0) warp 1");
}
END_TEST

START_TEST(a_few_reads_of_the_same_address_are_no_spin_loop)
{
    spin(20, "0020 00000001 1 R4 LDG.E 1 R2 4 1 0x7000 0\n");
    ck_assert_int_eq(lint(0), TEG_OK);
    ck_assert_uint_eq(teg_notes_count(&found, "spin-loop"), 0);
}
END_TEST

START_TEST(loops_of_wildly_different_length_are_told)
{
    spin(300, "0030 ffffffff 0 BRA 0 0\n");
    ck_assert_int_eq(lint(0), TEG_OK);
    ck_assert_str_eq(note("uneven-loop")->what,
                     "BRA at pc 0x30 is executed 2 to 300 times by a warp");
    ck_assert_int_eq(teg_lint_severity("uneven-loop"), SEVERITY_INFO);
}
END_TEST

START_TEST(blocks_missing_repeated_or_outside_are_found)
{
    header("2,2,1", "32,1,1", "0", "16", "80");
    begin("1,1,0");
    warp("0");
    put("insts = 1\n" EXIT_LINE END);
    begin("1,1,0");
    warp("0");
    put("insts = 1\n" EXIT_LINE END);
    begin("2,0,0");
    warp("1");
    put("insts = 1\n" EXIT_LINE END);
    ck_assert_int_eq(lint(0), TEG_OK);
    ck_assert_str_eq(note("block-repeated")->where, "block (1,1,0) warp 0");
    ck_assert_str_eq(note("block-outside-grid")->where, "block (2,0,0) warp 0");
    ck_assert_str_eq(note("warp-outside-block")->where, "block (2,0,0) warp 1");
    ck_assert_str_eq(note("partial-grid")->what,
                     "expected the 4 blocks of the grid, found 3");
    ck_assert_str_eq(note("partial-grid")->where, "kern");
}
END_TEST

START_TEST(the_readers_notes_are_taken_over)
{
    header("1,1,1", "32,1,1", "0", "0", "80");
    begin("0,0,0");
    warp("0");
    put("insts = 9\n" EXIT_LINE);
    warp("0");
    put("insts = 0\n" END);
    ck_assert_int_eq(lint(0), TEG_OK);
    ck_assert_uint_eq(note("insts-count")->count, 1);
    ck_assert_uint_eq(note("header-registers")->count, 1);
    ck_assert_uint_eq(note("empty-warp")->count, 1);
}
END_TEST

START_TEST(findings_before_damage_are_kept)
{
    header("2,1,1", "32,1,1", "0", "16", "80");
    begin("0,0,0");
    warp("0");
    put("insts = 1\n0000 ffffffff 1 R1 QQFOO 0 0\n" END);
    begin("1,0,0");
    warp("0");
    put("insts = 3\n" EXIT_LINE);
    ck_assert_int_eq(lint(0), TEG_FORMAT);
    ck_assert_ptr_nonnull(strstr(diag.what, "expected 2 more instructions"));
    ck_assert_uint_eq(note("unknown-opcode")->count, 1);
    ck_assert_uint_eq(teg_notes_count(&found, "partial-grid"), 0);
}
END_TEST

START_TEST(a_kind_in_no_table_is_a_warning)
{
    ck_assert_int_eq(teg_lint_severity("no-such-kind"), SEVERITY_WARNING);
    ck_assert_str_eq(teg_lint_help("no-such-kind"), "");
    ck_assert_str_eq(teg_severity_name(SEVERITY_INFO), "info");
}
END_TEST

/* Lane after lane reads what all want, as loops over lanes do. */
START_TEST(lanes_that_read_in_turn_do_not_poll)
{
    header("1,1,1", "64,1,1", "0", "16", "80");
    begin("0,0,0");
    for (int w = 0; w < 2; w++) {
        warp(w ? "1" : "0");
        for (int i = 0; i < (w ? 100 : 2); i++)
            put(i % 2 ? "0020 00000001 1 R4 LDG.E 1 R2 4 1 0x7000 0\n"
                      : "0020 00000002 1 R4 LDG.E 1 R2 4 1 0x7000 0\n");
        put(EXIT_LINE);
    }
    put(END);
    ck_assert_int_eq(lint(0), TEG_OK);
    ck_assert_uint_eq(teg_notes_count(&found, "spin-loop"), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("traces/lint");
    TCase *tcase = tcase_create("lint");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_good_trace_has_no_findings);
    tcase_add_test(tcase, unknown_opcodes_are_named_and_counted);
    tcase_add_test(tcase, a_warp_that_does_not_exit_is_found);
    tcase_add_test(tcase, instructions_after_exit_are_found_once);
    tcase_add_test(tcase, addresses_of_zero_are_found_in_global_memory_only);
    tcase_add_test(tcase, barriers_that_differ_between_warps_are_found);
    tcase_add_test(tcase, copies_in_no_group_are_found);
    tcase_add_test(tcase, another_generation_is_found);
    tcase_add_test(tcase, resources_beyond_the_chip_are_found);
    tcase_add_test(tcase, polling_an_address_is_a_suspected_spin_loop);
    tcase_add_test(tcase, a_few_reads_of_the_same_address_are_no_spin_loop);
    tcase_add_test(tcase, loops_of_wildly_different_length_are_told);
    tcase_add_test(tcase, blocks_missing_repeated_or_outside_are_found);
    tcase_add_test(tcase, the_readers_notes_are_taken_over);
    tcase_add_test(tcase, findings_before_damage_are_kept);
    tcase_add_test(tcase, a_kind_in_no_table_is_a_warning);
    tcase_add_test(tcase, lanes_that_read_in_turn_do_not_poll);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
