/* How many are in flight at once, against all of them looked through. */
#include "sim/collect/in_flight.h"

#include "tests/help_launch.h"
#include "tests/help_suite.h"

enum {
    ISSUES = 3000
};

/* In units with ends of every kind: at once, soon, at the edge of soon, later,
 * much later, in the order of issue and out of it.  Every other one asks each
 * time how many they are, not how many at most so far. */
START_TEST(as_many_as_a_list_of_all_says)
{
    static uint64_t done[ISSUES];
    struct in_flight f = {0};
    uint64_t state = (uint64_t)_i, now = help_below(&state, 1000);
    uint32_t longest = 1 + help_below(&state, 2000);
    uint32_t most = 0, expected = 0;

    for (uint32_t i = 0; i < ISSUES; i++) {
        uint32_t in_flight = 1;

        now += help_below(&state, help_below(&state, 4) != 0 ? 3 : 2 * longest);
        done[i] = now + help_below(&state, longest);
        if (help_below(&state, 50) == 0)
            done[i] = now + IN_FLIGHT_SOON - 1 + help_below(&state, 3);
        for (uint32_t j = 0; j < i; j++)
            in_flight += done[j] > now;
        if (_i % 2 != 0)
            most = expected = 0;
        if (in_flight > expected)
            expected = in_flight;
        ck_assert(in_flight_enter(&f, now, done[i], &most));
        ck_assert_uint_eq(most, expected);
    }
    in_flight_release(&f);
}
END_TEST

/* Another who counts the most may have seen less so far. */
START_TEST(the_most_may_be_asked_for_by_another)
{
    struct in_flight f = {0};
    uint32_t most = 0, of_another = 0;

    ck_assert(in_flight_enter(&f, 0, 10, &most));
    ck_assert(in_flight_enter(&f, 0, 1000, &most));
    ck_assert(in_flight_enter(&f, 9, 12, &most));
    ck_assert_uint_eq(most, 3);
    ck_assert(in_flight_enter(&f, 10, 12, &of_another));
    ck_assert_uint_eq(of_another, 3);
    ck_assert(in_flight_enter(&f, 999, 1001, &of_another));
    ck_assert(in_flight_enter(&f, 1000, 1001, &of_another));
    ck_assert_uint_eq(of_another, 3);
    in_flight_release(&f);
}
END_TEST

HELP_MAIN("sim/collect/in_flight", 30,
          {as_many_as_a_list_of_all_says, HELP_ROUNDS(40)},
          {the_most_may_be_asked_for_by_another, 0})
