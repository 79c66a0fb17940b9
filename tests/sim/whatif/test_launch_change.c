/* What of a launch a sweep changes. */
#include "sim/whatif/launch_change.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "tests/help_suite.h"

static struct teg_diag d;

START_TEST(only_what_is_given_changes)
{
    struct launch_change c = {0};
    struct teg_kernel kernel = {.registers = 9, .shared_bytes = 100};
    struct teg_launch launch = {.kernel = &kernel};
    struct teg_simulation_options o = {.sms = 3, .warps_per_sm = 5};

    launch_change_apply(&c, &launch);
    launch_change_limit(&c, &o);
    ck_assert_uint_eq(kernel.registers, 9);
    ck_assert_uint_eq(kernel.shared_bytes, 100);
    ck_assert_uint_eq(o.sms, 3);
    ck_assert_uint_eq(o.warps_per_sm, 5);
    ck_assert_int_eq(launch_change_set(&c, "launch.registers", "17", &d),
                     TEG_OK);
    ck_assert_int_eq(launch_change_set(&c, "launch.shared_bytes", "0", &d),
                     TEG_OK);
    launch_change_apply(&c, &launch);
    launch_change_limit(&c, &o);
    ck_assert_uint_eq(kernel.registers, 17);
    ck_assert_uint_eq(kernel.shared_bytes, 0);
    ck_assert_uint_eq(o.sms, 3);
    ck_assert_int_eq(launch_change_set(&c, "launch.warps", "64", &d), TEG_OK);
    ck_assert_int_eq(launch_change_set(&c, "launch.sms", "1", &d), TEG_OK);
    launch_change_limit(&c, &o);
    ck_assert_uint_eq(o.warps_per_sm, 64);
    ck_assert_uint_eq(o.sms, 1);
}
END_TEST

START_TEST(a_value_out_of_range_names_the_range)
{
    static const char *const wrong[][2] = {
        {"launch.registers", "0"}, {"launch.registers", "1025"},
        {"launch.warps", "65"},    {"launch.sms", "-1"},
        {"launch.sms", " 1"},      {"launch.shared_bytes", "1048577"},
        {"launch.warps", "8x"},    {"launch.warps", "18446744073709551617"},
    };
    struct launch_change c = {0};

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_int_eq(launch_change_set(&c, wrong[i][0], wrong[i][1], &d),
                         TEG_CONFIG);
        ck_assert_str_eq(d.where, wrong[i][0]);
        ck_assert_ptr_nonnull(strstr(d.what, wrong[i][1]));
    }
    for (int i = 0; i < LAUNCH_KEYS; i++)
        ck_assert(!c.given[i]);
    ck_assert_str_eq(d.what, "expected a whole number, 1 to 64, found "
                             "'18446744073709551617'");
    ck_assert_int_eq(launch_change_set(&c, "launch.warp", "1", &d),
                     TEG_UNKNOWN);
    ck_assert_ptr_nonnull(strstr(d.what, "did you mean 'launch.warps'"));
}
END_TEST

HELP_MAIN("launch change", 10, {only_what_is_given_changes, 0},
          {a_value_out_of_range_names_the_range, 0})
