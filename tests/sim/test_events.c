/* The table of stalls, as pictures and collectors count on it. */
#include "sim/events.h"

#include <string.h>

#include "tests/help_suite.h"

START_TEST(every_reason_has_its_own_letter_and_label)
{
    for (int r = 0; r < TEG_STALLS; r++) {
        for (int other = 0; other < r; other++) {
            ck_assert_int_ne(teg_stall_facts(r)->letter,
                             teg_stall_facts(other)->letter);
            ck_assert_str_ne(teg_stall_label(r), teg_stall_label(other));
        }
        /* what an issue and a busy unit are drawn with */
        ck_assert_ptr_null(strchr("#=E .", teg_stall_facts(r)->letter));
    }
}
END_TEST

START_TEST(waits_for_results_are_those_that_have_a_producer)
{
    for (int r = 0; r < TEG_STALLS; r++)
        ck_assert_int_eq(teg_stall_is_result(r),
                         r == STALL_LONG || r == STALL_SHORT ||
                             r == STALL_WAIT || r == STALL_GMMA);
}
END_TEST

HELP_MAIN("sim/events", 10, {every_reason_has_its_own_letter_and_label, 0},
          {waits_for_results_are_those_that_have_a_producer, 0})
