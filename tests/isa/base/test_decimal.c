/* Numbers as text: what printf makes of them is the oracle. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "isa/base/decimal.h"
#include "tests/help_suite.h"

static void check(double value)
{
    char out[TEG_DECIMAL_SIZE], expected[TEG_DECIMAL_SIZE];

    snprintf(expected, sizeof expected, "%.1f", value);
    ck_assert_uint_eq(teg_decimal_tenths(out, value), strlen(expected));
    ck_assert_str_eq(out, expected);
    snprintf(expected, sizeof expected, "%.4g", value);
    ck_assert_uint_eq(teg_decimal_short(out, value), strlen(expected));
    ck_assert_str_eq(out, expected);
}

/* And its neighbors. */
static void check_about(double value)
{
    check(value);
    check(nextafter(value, HUGE_VAL));
    check(nextafter(value, -HUGE_VAL));
}

START_TEST(edges_are_as_printf_has_them)
{
    static const double edges[] = {
        0,        -0.0,   1,      -1,      0.05,   0.15,   0.25,    0.35,
        9999.5,   10000,  0.1,    0.01,    0.001,  0.0001, 0.00001, 1000,
        999.95,   99.995, 0.9996, 0.99995, 1e12,   1e15,   1e300,   5e-324,
        999949.9, 9998.5, 9999,   1234567, 0.0125, 0.3125};

    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        check_about(edges[i]);
    check(HUGE_VAL);
    check(-HUGE_VAL);
}
END_TEST

/* What lies in the middle between two texts, and beside it. */
START_TEST(middles_go_to_the_even_one)
{
    for (double power = 1; power <= 1e8; power *= 10) {
        for (uint32_t n = 1; n < 20000; n += 37)
            check_about((n + 0.5) / power);
    }
    for (uint32_t n = 0; n < HELP_ROUNDS(100000); n++)
        check(n / 16.0);
}
END_TEST

START_TEST(any_number_is_as_printf_has_it)
{
    uint64_t state = 22;

    for (int i = 0; i < HELP_ROUNDS(200000); i++) {
        double value;

        state = state * 6364136223846793005u + 1442695040888963407u;
        check(ldexp((double)(state >> 11), (int)(state % 50) - 80));
        memcpy(&value, &state, sizeof value);
        if (!isnan(value))
            check(value);
    }
}
END_TEST

HELP_MAIN("decimal", 20, {edges_are_as_printf_has_them, 0},
          {middles_go_to_the_even_one, 0}, {any_number_is_as_printf_has_it, 0})
