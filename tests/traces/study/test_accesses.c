/* Passes and sectors of accesses, counted by hand. */
#include <check.h>
#include <stdlib.h>

#include "traces/study/accesses.h"

static struct teg_accesses counted;

static const struct teg_access *line(uint64_t base, int32_t stride,
                                     uint32_t mask)
{
    static struct teg_access a;

    a = (struct teg_access){
        .shape = SHAPE_LINE, .mask = mask, .base = base, .stride = stride};
    counted = (struct teg_accesses){0};
    return &a;
}

static void shared(int32_t stride, uint32_t mask, uint32_t width,
                   uint64_t passes, uint64_t least)
{
    const struct teg_access *a = line(256, stride, mask);

    teg_accesses_shared(&counted, a, width);
    ck_assert_uint_eq(counted.passes, passes);
    ck_assert_uint_eq(counted.passes_least, least);
}

static void global(uint64_t base, int32_t stride, uint32_t mask, uint32_t width,
                   uint64_t sectors, uint64_t least)
{
    const struct teg_access *a = line(base, stride, mask);

    teg_accesses_global(&counted, a, width);
    ck_assert_uint_eq(counted.sectors, sectors);
    ck_assert_uint_eq(counted.sectors_least, least);
}

START_TEST(words_of_one_bank_take_turns)
{
    shared(4, UINT32_MAX, 4, 1, 1);
    shared(8, UINT32_MAX, 4, 2, 1);
    shared(128, UINT32_MAX, 4, 32, 1);
    shared(132, UINT32_MAX, 4, 1, 1); /* rows padded by a word */
    shared(128, 0xff, 4, 8, 1);
}
END_TEST

static void turns(int32_t stride, uint32_t mask, uint64_t expected)
{
    const struct teg_access *a = line(256, stride, mask);

    teg_accesses_atomic(&counted, a);
    ck_assert_uint_eq(counted.atomic_turns, expected);
}

START_TEST(atomics_on_one_word_take_turns)
{
    turns(4, UINT32_MAX, 1);
    turns(0, UINT32_MAX, 32);
    turns(0, 0x111, 3);
    turns(2, UINT32_MAX, 2); /* halves of a word */
    turns(128, UINT32_MAX, 1);
    turns(0, 0, 0);
}
END_TEST

START_TEST(one_word_for_all_is_one_pass)
{
    shared(0, UINT32_MAX, 4, 1, 1);
    shared(1, UINT32_MAX, 1, 1, 1); /* four lanes to a word */
}
END_TEST

START_TEST(wide_accesses_go_by_as_many_lanes_as_fill_the_banks)
{
    shared(8, UINT32_MAX, 8, 2, 2);
    shared(16, UINT32_MAX, 16, 4, 4);
    shared(16, 0xff, 16, 1, 1);
    shared(128, UINT32_MAX, 16, 32, 4); /* eight lanes on four banks */
}
END_TEST

START_TEST(sectors_are_those_of_the_lanes)
{
    global(0, 4, UINT32_MAX, 4, 4, 4);
    global(4, 4, UINT32_MAX, 4, 5, 4); /* over the edge */
    global(0, 32, UINT32_MAX, 4, 32, 4);
    global(0, 0, UINT32_MAX, 4, 1, 1);
    global(0, 16, UINT32_MAX, 16, 16, 16);
    global(0, 128, 1, 4, 1, 1);
    global(30, 64, 3, 4, 4, 1); /* two words that lie in two each */
}
END_TEST

START_TEST(degrees_are_ratios_and_1_of_nothing)
{
    struct teg_accesses none = {0}, some = {6, 3, 10, 4, 0};

    ck_assert_double_eq(teg_accesses_conflict_degree(&none), 1);
    ck_assert_double_eq(teg_accesses_sector_degree(&none), 1);
    ck_assert_double_eq(teg_accesses_conflict_degree(&some), 2);
    ck_assert_double_eq(teg_accesses_sector_degree(&some), 2.5);
}
END_TEST

START_TEST(what_has_no_known_width_is_left_out)
{
    shared(4, UINT32_MAX, 0, 0, 0);
    global(0, 4, UINT32_MAX, 0, 0, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("traces/study/accesses");
    TCase *rules = tcase_create("rules");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_test(rules, words_of_one_bank_take_turns);
    tcase_add_test(rules, atomics_on_one_word_take_turns);
    tcase_add_test(rules, one_word_for_all_is_one_pass);
    tcase_add_test(rules, wide_accesses_go_by_as_many_lanes_as_fill_the_banks);
    tcase_add_test(rules, sectors_are_those_of_the_lanes);
    tcase_add_test(rules, degrees_are_ratios_and_1_of_nothing);
    tcase_add_test(rules, what_has_no_known_width_is_left_out);
    suite_add_tcase(suite, rules);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
