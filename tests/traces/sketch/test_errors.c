/* Mistakes in sketches: each gives its line, what was expected and found. */
#include "traces/sketch/sketch.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help_sketch.h"

#define HEAD HELP_SKETCH_HEAD

/* `line` counts from the first one behind HEAD, or of the text itself if that
 * is below 0; `what` is part of the sentence. */
static const struct {
    const char *text;
    int line;
    const char *what;
} MISTAKES[] = {
    {"", -1, "expected sketch 1"},
    {"kernel \"x\"", -1, "expected sketch 1 as the first statement"},
    {"sketch 2\n", -1, "expected version 1"},
    {"sketch 1\nblock 32\nNOP", -3, "expected isa before the first"},
    {"sketch 1\nisa sm_70\nNOP", -3, "expected block before the first"},
    {"sketch 1\nisa sm_7x", -2, "expected sm_10 to sm_130"},
    {"sketch 1\nisa 70", -2, "expected gt200, volta"},
    {"sketch 1\nblock 1024 2", -2, "expected at most 1024 threads"},
    {"sketch 1\nblock 0", -2, "expected 1 to 1024 for the block, found 0"},
    {"sketch 1\nblock 1 2 3 4", -2, "expected the end of the line, found '4'"},
    {"sketch 1\ngrid 1 65536", -2, "expected 1 to 65535 for the grid"},
    {"sketch 1\nlet a = ntid", -2, "expected the launch shape"},
    {"sketch 1\ngrid 1\ngrid 2", -3, "expected grid once"},
    {"sketch 1\nkernel x", -2, "expected the kernel's name in quotes"},
    {"sketch 1\nkernel \"x", -2, "expected \" to end the string"},
    {"sketch 1\nregisters 256", -2, "expected 1 to 255"},
    {"sketch 1\ncluster 17", -2,
     "expected 1 to 16 for the blocks of a cluster"},
    {"sketch 1\nisa sm_90\nblock 32\ngrid 5\ncluster 2\nNOP", -6,
     "expected a grid that clusters divide along x"},
    {"sketch 1\n/* open\n\n", -2, "expected */ to end the comment"},
    {"sketch 1\nisa sm_70\nblock 1\n", -4, "at least one instruction"},
    {HEAD "NOP\ngrid 2", 2, "expected grid before the first instruction"},
    {HEAD "lop k 10", 1, "found 'lop' (nearest: loop)"},
    {HEAD "end", 1, "no loop, if or repeat is open"},
    {HEAD "else", 1, "no loop, if or repeat is open"},
    {HEAD "NOP\nloop k 10\nNOP\n\n", 2, "expected end for this loop"},
    {HEAD "repeat 2\nNOP", 1, "expected end for this repeat"},
    {HEAD "if lane\nNOP\nelse\nNOP", 1, "expected end for this if"},
    {HEAD "if lane\nelse\nelse\nend", 3, "no loop, if or repeat is open"},
    {HEAD "loop\nend", 1, "expected an expression, found the end of the line"},
    {HEAD "loop k in 0 10\nend", 1, "expected .. of the range"},
    {HEAD "loop k in 0..9 step 0\nend", 1, "a step other than 0"},
    {HEAD "loop k in 0..9 step tid\nend", 1, "expected a constant for a step"},
    {HEAD "loop k 2\nloop k 2\nend\nend", 2, "which line 6 defines"},
    {HEAD "repeat tid\nend", 1, "expected a constant for repeat"},
    {HEAD "let tid = 3", 1, "a name that is not taken"},
    {HEAD "let min = 3", 1, "a name that is not taken"},
    {HEAD "let R3 = 3", 1, "a name that is not taken"},
    {HEAD "let a.b = 3", 1, "without dots"},
    {HEAD "let a = 3\nlet a = 4", 2, "which line 6 defines"},
    {HEAD "let a 3", 1, "expected = behind the name"},
    {HEAD "loop 2\nlet b = 1\nend\nLDG R1, [b]", 4, "unknown name 'b'"},
    {HEAD "loop 2\nparam b = 1\nend", 2, "expected param outside"},
    {HEAD "LDG R1, [4*tidd]", 1, "unknown name 'tidd' (nearest: tid)"},
    {HEAD "let base = 1\nLDG R1, [bse]", 2, "(nearest: base)"},
    {HEAD "LDG R1, [4*]", 1, "expected an expression, found ']'"},
    {HEAD "LDG R1, [4*(tid]", 1, "expected ) behind the expression"},
    {HEAD "LDG R1, [1 ? 2]", 1, "expected : of the ?"},
    {HEAD "LDG R1, [min(1)]", 1, "expected a second argument"},
    {HEAD "LDG R1, [min(1,2,3)]", 1, "expected ) behind the last argument"},
    {HEAD "LDG R1, [1.5]", 1, "expected an expression, found '1.5'"},
    {HEAD "LDG R1, [99999999999999999999]", 1, "at most 64 bits"},
    {HEAD "LDG R1, [0xg]", 1, "found '0xg'"},
    {HEAD "LDG R1, [R2]", 1, "expected an address for LDG"},
    {HEAD "LDG R1, [R2 4]", 1, "expected ] or : before the address"},
    {HEAD "LDG R1", 1, "expected an address for LDG"},
    {HEAD "FADD R1, R2, [4]", 1, "expected no address expression for FADD"},
    {HEAD "LDG R1, [1], [2]", 1, "expected at most one address"},
    {HEAD "FADD R1, R300, R2", 1, "register that exists"},
    {HEAD "FADD R1, P9, R2", 1, "found 'P9'"},
    {HEAD "LDG R1, [R256 : 1]", 1, "found 'R256'"},
    {HEAD "@P8 NOP", 1, "found 'P8'"},
    {HEAD "FADD R1, Rx, R2", 1, "expected an operand (register"},
    {HEAD "FADD R1 R2", 1, "expected a comma or the end of the line"},
    {HEAD "FADD R1,", 1, "expected an operand, found the end of the line"},
    {HEAD "FADD R1, q[3], R2", 1, "before ["},
    {HEAD "FADD R{255}, R1, R2", 1, "expected 0 to 254"},
    {HEAD "FADD R{lane}, R1, R2", 1, "expected a constant"},
    {HEAD "FADD R{1, R1, R2", 1, "expected } behind the register's number"},
    {HEAD "@{lane FADD R1, R1, R2", 1, "expected } behind the guard"},
    {HEAD "@lane < 3", 1, "expected an opcode in capitals"},
    {HEAD "NOP {stall=16}", 1, "expected 0 to 15 for stall, found 16"},
    {HEAD "NOP {wait=6}", 1, "expected 0 to 5"},
    {HEAD "NOP {halt}", 1, "expected stall, wait, wr, rd, yield"},
    {HEAD "NOP {stall=1", 1, "expected stall, wait, wr, rd, yield or }"},
    {HEAD "NOP $", 1, "expected an operand"},
    {HEAD "NOP \x01", 1, "found the byte 0x01"},
    {HEAD "let a = 1\nrequire a > 1 && a < 9", 2, "expected a > 1 && a < 9"},
    {HEAD "let a = 7 / 0\nrepeat a", 2, "division by zero"},
    /* found when a warp gets there */
    {HEAD "NOP\nLDG R1, [64 / (lane - 5)]", 2,
     "expected a divisor other than 0, found 0 in lane 5 in block (0,0,0) "
     "warp 0"},
    {HEAD "loop k 100\nLDG R1, [1 << k]\nend", 2,
     "expected a shift by 0 to 63, found 64"},
    {HEAD "@{log2(tid - 4)} NOP", 1, "a positive number under log2, found -4"},
    {HEAD "if 3 % ctaid\nend\nNOP", 1, "expected a divisor other than 0"},
    {HEAD "loop k 1000000000000\nNOP\nend", 1,
     "found a loop of 1000000000000 rounds"},
    {HEAD "loop k 60\nloop j 60\nend\nend\nNOP", 2,
     "at most 1000 steps in a warp, found more in block"},
};

START_TEST(a_mistake_is_told_with_its_line)
{
    const char *text = MISTAKES[_i].text;
    int line = MISTAKES[_i].line < 0
                   ? -MISTAKES[_i].line
                   : MISTAKES[_i].line + HELP_SKETCH_HEAD_LINES;
    struct teg_diag d = {0};
    char where[40];

    ck_assert_int_ne(help_sketch_try(text, strlen(text), 1, 1000, &d), TEG_OK);
    snprintf(where, sizeof where, "test:%d", line);
    ck_assert_msg(strcmp(d.where, where) == 0, "%s: expected %s, found %s (%s)",
                  text, where, d.where, d.what);
    ck_assert_msg(strstr(d.what, MISTAKES[_i].what) != NULL,
                  "%s: expected '%s', found '%s'", text, MISTAKES[_i].what,
                  d.what);
    ck_assert(strstr(d.what, "expected ") == d.what);
}
END_TEST

static void expect_override(const char *set, const char *what)
{
    const char *text = HEAD "param ITER = 3\nloop ITER\nNOP\nend";
    struct teg_sketch_options options = {.set = &set, .set_count = 1};
    struct teg_sketch *s = NULL;
    struct teg_diag d;

    ck_assert_int_ne(
        teg_sketch_parse("test", text, strlen(text), &options, &s, &d), TEG_OK);
    ck_assert_ptr_null(s);
    ck_assert_msg(strstr(d.what, what) != NULL, "%s", d.what);
}

START_TEST(a_wrong_parameter_is_told)
{
    expect_override("ITR=4", "found 'ITR=4' (nearest: ITER)");
    expect_override("ITER", "found 'ITER'");
    expect_override("ITER=", "expected ITER=NUMBER");
    expect_override("ITER=1x", "expected ITER=NUMBER");
    expect_override("ITER=1 2", "expected ITER=NUMBER");
    expect_override("ITER=\"", "expected ITER=NUMBER");
}
END_TEST

START_TEST(a_missing_file_is_told)
{
    struct teg_sketch *s;
    struct teg_diag d;

    ck_assert_int_eq(teg_sketch_open("/nonexistent/x.sketch", NULL, &s, &d),
                     TEG_IO);
    ck_assert_str_eq(d.where, "/nonexistent/x.sketch");
    ck_assert_ptr_nonnull(strstr(d.what, "cannot open"));
}
END_TEST

/* `times` times `piece` between `before` and `after`. */
static teg_status try_many(const char *before, const char *piece, size_t times,
                           const char *after, struct teg_diag *d)
{
    size_t length = strlen(piece), at = strlen(before);
    size_t size = at + times * length + strlen(after);
    char *text = malloc(size + 1);
    teg_status status;

    ck_assert_ptr_nonnull(text);
    memcpy(text, before, at);
    for (size_t i = 0; i < times; i++, at += length)
        memcpy(text + at, piece, length);
    strcpy(text + at, after);
    status = help_sketch_try(text, size, 1, 100000, d);
    free(text);
    return status;
}

START_TEST(nesting_and_size_are_bounded)
{
    struct teg_diag d;

    ck_assert_int_eq(try_many(HEAD "LDG R1, [", "(", 100000, "", &d),
                     TEG_FORMAT);
    ck_assert_int_eq(try_many(HEAD "LDG R1, [", "-", 100000, "1]", &d),
                     TEG_FORMAT);
    ck_assert_int_eq(try_many(HEAD "LDG R1, [", "1?2:", 100000, "1]", &d),
                     TEG_FORMAT);
    ck_assert_int_eq(try_many(HEAD "LDG R1, [tid", "+tid", 100000, "]", &d),
                     TEG_LIMIT);
    ck_assert_int_eq(try_many(HEAD, "loop 1\n", 100000, "", &d), TEG_FORMAT);
    ck_assert_int_eq(try_many(HEAD, "if lane\n", 100000, "", &d), TEG_FORMAT);
    ck_assert_int_eq(
        try_many(HEAD "if lane\n", "else if lane\n", 100000, "", &d),
        TEG_FORMAT);
    ck_assert_int_eq(try_many(HEAD, "repeat 2\n", 100000, "", &d), TEG_FORMAT);
    ck_assert_int_eq(try_many(HEAD, "NOP\n", 262145, "", &d), TEG_LIMIT);
    ck_assert_int_eq(try_many("sketch 1\n#", "x", 5 << 20, "", &d), TEG_LIMIT);
    ck_assert_int_eq(try_many(HEAD "NOP R", "1", 64, "", &d), TEG_LIMIT);
}
END_TEST

START_TEST(a_deep_but_allowed_text_is_read)
{
    struct teg_diag d;
    teg_status status;

    status = try_many(HEAD "LDG R1, [tid", "+tid", 150, "]", &d);
    ck_assert_msg(status == TEG_OK, "%s", d.what);
    status = try_many(HEAD, "NOP\n", 50000, "", &d);
    ck_assert_msg(status == TEG_OK, "%s", d.what);
}
END_TEST

START_TEST(copies_of_copies_are_bounded)
{
    struct teg_diag d;
    const char *text = HEAD "repeat 262144\nrepeat 262144\nNOP\nend\nend";

    ck_assert_int_eq(help_sketch_try(text, strlen(text), 1, 1000, &d),
                     TEG_LIMIT);
    text = HEAD "repeat 100000\nrepeat 100000\nend\nend\nNOP";
    ck_assert_int_eq(help_sketch_try(text, strlen(text), 1, 1000, &d),
                     TEG_LIMIT);
}
END_TEST

/* Doubling names: evaluated naively, 2^60 additions. */
START_TEST(shared_expressions_are_computed_once)
{
    char text[4000] = HEAD "let a0 = tid*tid\n";
    struct teg_diag d;

    for (int i = 1; i <= 60; i++)
        sprintf(text + strlen(text), "let a%d = a%d + a%d\n", i, i - 1, i - 1);
    strcat(text, "LDG R1, [a60]\nLDG R1, [lane % 7 ? a60 / tid : a59]");
    ck_assert_int_eq(help_sketch_try(text, strlen(text), 1, 1000, &d), TEG_OK);
}
END_TEST

static const char SAMPLE[] =
    "# sample\nsketch 1\nkernel \"s\"\nisa sm_70\ngrid 3 2\nblock 40 2\n"
    "registers 32\nshared 2048\nparam N = 4\nlet a = 0x1000 + N\n"
    "require N > 1\n"
    "S2R R0, SR_TID.X; {stall=2 wait=0,1 wr=3 yield}\n"
    "@P0 {tid < 33} LDG.E.64 R4, [R2.64+0x10 : a + 8*gtid]\n"
    "loop k in 0..lane/8 step 1\n  STS [R1 : 4*(tid % 16 + k)], R4\n"
    "  @!P1 {k + 1 < N} BRA `(.L_1)\nend\n"
    "if lane % 2 == 0 && warp < 2\n  FFMA R1, -R2, |R3|, c[0x0][0x160]\n"
    "else if min(lane, 3) ? 1 : 64 / (lane + 1)\n  repeat i 3\n"
    "    FADD R{4+i}, R1, 1.5e3\n  end\nend\n@{rand(tid) & 1} EXIT\n"
    "BAR.SYNC 0x0\nEXIT\n";

START_TEST(a_cut_sketch_is_refused_or_read)
{
    struct teg_diag d;

    for (size_t size = 0; size < sizeof SAMPLE; size++) {
        char *exact = malloc(size + 1); /* so that a sanitizer sees its end */
        teg_status status;

        memcpy(exact, SAMPLE, size);
        exact = realloc(exact, size != 0 ? size : 1);
        d = (struct teg_diag){0};
        status = help_sketch_try(exact, size, 2, 10000, &d);
        ck_assert(status == TEG_OK || d.what[0] != '\0');
        teg_sketch_recognise((const uint8_t *)exact, size);
        free(exact);
    }
}
END_TEST

START_TEST(a_sketch_with_a_flipped_bit_is_refused_or_read)
{
    char text[sizeof SAMPLE];
    struct teg_diag d;

    for (size_t bit = 0; bit < 8 * (sizeof SAMPLE - 1); bit++) {
        teg_status status;

        memcpy(text, SAMPLE, sizeof text);
        text[bit / 8] = (char)(text[bit / 8] ^ 1 << bit % 8);
        d = (struct teg_diag){0};
        status = help_sketch_try(text, sizeof text - 1, 2, 10000, &d);
        ck_assert(status == TEG_OK || d.what[0] != '\0');
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sketch_errors");
    TCase *mistakes = tcase_create("mistakes");
    TCase *damage = tcase_create("damage");
    SRunner *runner;
    int failed;

    tcase_add_loop_test(mistakes, a_mistake_is_told_with_its_line, 0,
                        sizeof MISTAKES / sizeof *MISTAKES);
    tcase_add_test(mistakes, a_wrong_parameter_is_told);
    tcase_add_test(mistakes, a_missing_file_is_told);
    suite_add_tcase(suite, mistakes);

    tcase_add_test(damage, nesting_and_size_are_bounded);
    tcase_add_test(damage, a_deep_but_allowed_text_is_read);
    tcase_add_test(damage, copies_of_copies_are_bounded);
    tcase_add_test(damage, shared_expressions_are_computed_once);
    tcase_add_test(damage, a_cut_sketch_is_refused_or_read);
    tcase_add_test(damage, a_sketch_with_a_flipped_bit_is_refused_or_read);
    tcase_set_timeout(damage, 120);
    suite_add_tcase(suite, damage);

    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
