#include "isa/base/nearest.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static size_t between(const char *typed, const char *known)
{
    struct teg_nearest n;

    teg_nearest_init(&n, typed);
    teg_nearest_offer(&n, known);
    ck_assert_str_eq(n.best, known);
    return n.distance;
}

START_TEST(a_change_of_one_character_counts_one)
{
    ck_assert_uint_eq(between("warps", "warps"), 0);
    ck_assert_uint_eq(between("wraps", "warps"), 1); /* swapped */
    ck_assert_uint_eq(between("warp5", "warps"), 1); /* replaced */
    ck_assert_uint_eq(between("warpss", "warps"), 1);
    ck_assert_uint_eq(between("wrps", "warps"), 1);
    ck_assert_uint_eq(between("kitten", "sitting"), 3);
    ck_assert_uint_eq(between("", "warps"), 5);
}
END_TEST

START_TEST(case_and_dashes_do_not_count)
{
    ck_assert_uint_eq(between("NO_Barriers", "no-barriers"), 0);
}
END_TEST

START_TEST(an_abbreviation_counts_one_and_a_part_two)
{
    ck_assert_uint_eq(between("unlim", "unlimited-bandwidth"), 1);
    ck_assert_uint_eq(between("band", "unlimited-bandwidth"), 2);
    ck_assert_uint_eq(between("dth", "unlimited-bandwidth"), 2);
}
END_TEST

START_TEST(the_closest_wins_and_ties_go_to_the_first)
{
    static const char *const known[] = {"fadd", "fmul", "fmad", "dadd"};
    struct teg_nearest n;

    teg_nearest_init(&n, "fmuk");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        teg_nearest_offer(&n, known[i]);
    ck_assert_str_eq(n.best, "fmul");
    teg_nearest_init(&n, "xadd");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        teg_nearest_offer(&n, known[i]);
    ck_assert_str_eq(n.best, "fadd");
}
END_TEST

START_TEST(names_of_any_length_are_compared)
{
    char a[300], b[300];

    memset(a, 'a', sizeof a);
    memset(b, 'b', sizeof b);
    a[sizeof a - 1] = b[sizeof b - 1] = '\0';
    ck_assert_uint_eq(between(a, a), 0);
    ck_assert_uint_gt(between(a, b), 10);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("nearest");
    TCase *rules = tcase_create("rules");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_test(rules, a_change_of_one_character_counts_one);
    tcase_add_test(rules, case_and_dashes_do_not_count);
    tcase_add_test(rules, an_abbreviation_counts_one_and_a_part_two);
    tcase_add_test(rules, the_closest_wins_and_ties_go_to_the_first);
    tcase_add_test(rules, names_of_any_length_are_compared);
    suite_add_tcase(suite, rules);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
