/* Expressions of sketches: the values C would give them. */
#include "traces/sketch/eval.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help_sketch.h"

#define HEAD HELP_SKETCH_HEAD

/* The address of the one load of `text`, by lane. */
static void addresses(const char *text, uint64_t lane[TEG_LANES])
{
    struct teg_sketch *s;
    struct teg_launch launch;
    struct teg_block *block;
    struct teg_cursor c;
    struct teg_access access;
    struct teg_diag d;

    ck_assert_msg(teg_sketch_parse("test", text, strlen(text), NULL, &s, &d) ==
                      TEG_OK,
                  "%s: %s: %s", text, d.where, d.what);
    ck_assert_int_eq(teg_sketch_launch(s, &launch, &d), TEG_OK);
    ck_assert_msg(launch.next(launch.self, &block, &d) == TEG_OK, "%s: %s",
                  text, d.what);
    teg_cursor_init(&c, block, 0);
    ck_assert(teg_cursor_next(&c));
    ck_assert(teg_cursor_access(&c, &access));
    ck_assert_uint_eq(access.mask, 0xffffffff);
    for (uint32_t i = 0; i < TEG_LANES; i++)
        lane[i] = teg_access_lane(&access, i);
    teg_block_free(block);
    launch.close(launch.self);
    teg_sketch_close(s);
}

/* The compiler of this test computes what is expected.  `x` is the lane, or
 * the constant 21 where folding is tested. */
#define EXPRESSIONS(X)                        \
    X(x + 3 * x - 7)                          \
    X((x + 3) * (x - 7))                      \
    X(100 - x - 3)                            \
    X(1000 / (x + 1) % 7)                     \
    X(-x / 3 + -x % 3)                        \
    X(x << 3 >> 1)                            \
    X(-8 * x >> 2)                            \
    X(x - x + 3 << x)                         \
    X(x << x)                                 \
    X(5 * x * (x - 2))                        \
    X(x & 5 | x ^ 12)                         \
    X(~x & 0xff)                              \
    X(!x + !!x * 2)                           \
    X(x < 7)                                  \
    X(x <= 7)                                 \
    X(x > 7)                                  \
    X(x >= 7)                                 \
    X(x == 7)                                 \
    X(x != 7)                                 \
    X(x & 1 && x & 4)                         \
    X(x & 1 || x & 4 || 0)                    \
    X(x < 9 ? x * 4 : x < 20 ? 1000 + x : -x) \
    X((x < 9) + (x < 20) << 4)                \
    X(1 | 2 ^ 3 & 4 == 4)                     \
    X(x *x *x - x * 2 + 1)                    \
    X(0x7fffffffffffffff - x)                 \
    X(2 * -(-x))

static const char *const ROWS[] = {
#define ROW(expression) #expression,
    EXPRESSIONS(ROW)
#undef ROW
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wparentheses"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wlogical-op-parentheses"
#pragma GCC diagnostic ignored "-Wbitwise-op-parentheses"
#pragma GCC diagnostic ignored "-Wshift-op-parentheses"
#endif
static int64_t value_of(int row, int64_t x)
{
    const int64_t values[] = {
#define VALUE(expression) (expression),
        EXPRESSIONS(VALUE)
#undef VALUE
    };

    return values[row];
}
#pragma GCC diagnostic pop

START_TEST(operators_bind_and_compute_as_in_c)
{
    char text[400];
    uint64_t lane[TEG_LANES];

    snprintf(text, sizeof text, HEAD "let x = lane\nLDG R1, [%s]", ROWS[_i]);
    addresses(text, lane);
    for (int64_t x = 0; x < TEG_LANES; x++)
        ck_assert_msg((int64_t)lane[x] == value_of(_i, x),
                      "%s at %" PRId64 ": expected %" PRId64 ", found %" PRId64,
                      ROWS[_i], x, value_of(_i, x), (int64_t)lane[x]);
}
END_TEST

START_TEST(constants_fold_to_what_lanes_compute)
{
    char text[400];
    uint64_t lane[TEG_LANES];

    snprintf(text, sizeof text, HEAD "let x = 21\nLDG R1, [%s]", ROWS[_i]);
    addresses(text, lane);
    for (uint32_t i = 0; i < TEG_LANES; i++)
        ck_assert_int_eq((int64_t)lane[i], value_of(_i, 21));
}
END_TEST

START_TEST(functions_give_their_values)
{
    static const struct {
        const char *text;
        int64_t at_3, at_30;
    } FUNCTIONS[] = {
        {"min(x, 10)", 3, 10},         {"max(x, 10)", 10, 30},
        {"abs(x - 10)", 7, 20},        {"log2(x)", 1, 4},
        {"min(max(x, 5), 20)", 5, 20},
    };
    char text[400];
    uint64_t lane[TEG_LANES];

    for (size_t i = 0; i < sizeof FUNCTIONS / sizeof *FUNCTIONS; i++) {
        snprintf(text, sizeof text, HEAD "let x = max(lane, 1)\nLDG R1, [%s]",
                 FUNCTIONS[i].text);
        addresses(text, lane);
        ck_assert_int_eq((int64_t)lane[3], FUNCTIONS[i].at_3);
        ck_assert_int_eq((int64_t)lane[30], FUNCTIONS[i].at_30);
    }
}
END_TEST

/* splitmix64's published first outputs for the seed 0: 0xe220a8397b1dcdaf,
 * and with the state two steps on, 0x6e789e6aa1b965f4. */
START_TEST(rand_is_splitmix64_halved)
{
    uint64_t lane[TEG_LANES];

    addresses(HEAD "LDG R1, [rand(0)]", lane);
    ck_assert_uint_eq(lane[5], 0xe220a8397b1dcdafu >> 1);
    addresses(HEAD "LDG R1, [rand(0, 1)]", lane);
    ck_assert_uint_eq(lane[5], 0x6e789e6aa1b965f4u >> 1);
    addresses(HEAD "LDG R1, [rand(lane)]", lane);
    ck_assert_uint_eq(lane[0], 0xe220a8397b1dcdafu >> 1);
    ck_assert_uint_ne(lane[1], lane[2]);
}
END_TEST

START_TEST(what_a_condition_excludes_need_not_have_a_value)
{
    static const char *const TEXTS[] = {
        "lane ? 64 / lane : 64",
        "lane != 0 && 64 / lane ? 64 / lane : 64",
        "lane == 0 || 64 / lane == 0 ? 64 / max(lane, 1) : 64 / lane",
        "0 ? 1 / 0 : lane > 0 ? 64 / lane : 64",
    };
    char text[400];
    uint64_t lane[TEG_LANES];

    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        snprintf(text, sizeof text, HEAD "LDG R1, [%s]", TEXTS[i]);
        addresses(text, lane);
        for (uint32_t l = 0; l < TEG_LANES; l++)
            ck_assert_uint_eq(lane[l], 64 / (l != 0 ? l : 1));
    }
}
END_TEST

START_TEST(inactive_lanes_need_no_value)
{
    char *found = help_sketch_expand(
        HEAD "let q = 96 / (lane - 3)\nif lane == 3\nNOP\nelse\n"
             "@{lane < 3} LDG R1, [q]\n@{lane > 29} LDG R1, [q]\n"
             "@{lane != 3 && lane < 5} LDG R1, [q]\nend");

    ck_assert_str_eq(found, "0,0,0 w0: 0/8 1/7@ffffffffffffffe0,"
                            "ffffffffffffffd0,ffffffffffffffa0 "
                            "2/c0000000@3 3/17@ffffffffffffffe0,"
                            "ffffffffffffffd0,ffffffffffffffa0,60");
    free(found);
}
END_TEST

START_TEST(shared_values_follow_the_counters_they_depend_on)
{
    /* v is used at both depths; a stale value would repeat an address. */
    char *found = help_sketch_expand(
        "sketch 1\nisa sm_70\ngrid 2\nblock 3\nlet v = tid*tid + ctaid\n"
        "loop i 2\nlet w = v + 16*i\nLDG R1, [w]\nloop j 2\n"
        "LDG R1, [w + v + 256*j]\nend\nend");

    ck_assert_str_eq(found, "0,0,0 w0: 0/7@0,1,4 1/7@0,2,8 1/7@100,102,108 "
                            "0/7@10,11,14 1/7@10,12,18 1/7@110,112,118 "
                            "1,0,0 w0: 0/7@1,2,5 1/7@2,4,a 1/7@102,104,10a "
                            "0/7@11,12,15 1/7@12,14,1a 1/7@112,114,11a");
    free(found);
}
END_TEST

START_TEST(equal_expressions_are_one_node)
{
    struct sketch_exprs e = {0};
    struct sketch_origin at = {.name = "test", .line = 1};
    uint32_t tid, four, first, second;
    struct teg_diag d;

    ck_assert_int_eq(sketch_exprs_variable(&e, VARIABLE_TID, &tid, &d), TEG_OK);
    ck_assert_int_eq(sketch_exprs_const(&e, 4, &four, &d), TEG_OK);
    sketch_exprs_binary(&e, at, OP_MUL, tid, four, &first, &d);
    sketch_exprs_binary(&e, at, OP_MUL, tid, four, &second, &d);
    ck_assert_uint_eq(first, second);
    ck_assert_uint_eq(e.count, 3);
    sketch_exprs_binary(&e, at, OP_SUB, tid, four, &second, &d);
    ck_assert_uint_ne(first, second);
    sketch_exprs_release(&e);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sketch_expr");
    TCase *values = tcase_create("values");
    SRunner *runner;
    int failed, rows = sizeof ROWS / sizeof *ROWS;

    tcase_add_loop_test(values, operators_bind_and_compute_as_in_c, 0, rows);
    tcase_add_loop_test(values, constants_fold_to_what_lanes_compute, 0, rows);
    tcase_add_test(values, functions_give_their_values);
    tcase_add_test(values, rand_is_splitmix64_halved);
    tcase_add_test(values, what_a_condition_excludes_need_not_have_a_value);
    tcase_add_test(values, inactive_lanes_need_no_value);
    tcase_add_test(values, shared_values_follow_the_counters_they_depend_on);
    tcase_add_test(values, equal_expressions_are_one_node);
    suite_add_tcase(suite, values);

    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
