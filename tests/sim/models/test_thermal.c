/*
 * Temperature over time and the choice of SMs, against what the source
 * prints (Hong 2012, 3.2.7, 3.5.2 and chapter IV).  The golden vectors'
 * temperature columns are checked in test_power.c.
 */
#include "sim/models/thermal.h"

#include <math.h>
#include <string.h>

#include "tests/help_launch.h"
#include "tests/help_suite.h"

/* Hong 2012, Table 9 */
static const struct thermal_machine gtx280 = {.idle_temp = 57,
                                              .mu = 0.12,
                                              .lambda = 5.5,
                                              .rho = 21.505,
                                              .rc_rise = 35,
                                              .rc_decay = 60,
                                              .sigma = 10. / 22};

static struct thermal_result run(const struct thermal_machine *m, double watts,
                                 double intensity, double start, double seconds)
{
    const struct thermal_run in = {watts, intensity, start, seconds};
    struct thermal_result r;
    struct teg_diag d;

    ck_assert_msg(thermal(m, &in, &r, &d) == TEG_OK, "%s: %s", d.where, d.what);
    return r;
}

/* The INT benchmark ends at 68 degrees and draws 5 W more: with 45.8 W of
 * run-time power (53) says so if it is a rise.  SVM ends at 78 with 10 W
 * more: 115.7 W, intensity 819/10871. */
START_TEST(saturated_temperatures_are_the_published_ones)
{
    struct thermal_result integer = run(&gtx280, 45.8, 0, 57, 600);
    struct thermal_result svm = run(&gtx280, 115.7, 819. / 10871, 57, 600);

    ck_assert_double_eq_tol(integer.max_temp, 68, 0.01);
    ck_assert_double_eq_tol(integer.temp_t, 68, 0.01);
    ck_assert_double_eq_tol(integer.runtime_power_t - 45.8, 5, 0.01);
    ck_assert_double_eq_tol(svm.max_temp, 78, 0.01);
    ck_assert_double_eq_tol(svm.runtime_power_steady - 115.7, 9.5, 0.05);
}
END_TEST

/* (49), (50) */
START_TEST(rise_and_decay_are_the_printed_exponentials)
{
    for (double t = 0; t <= 300; t += 7) {
        ck_assert_double_eq_tol(thermal_at(&gtx280, 57, 75, t),
                                57 + 18 * (1 - exp(-t / 35)), 1e-12);
        ck_assert_double_eq_tol(thermal_at(&gtx280, 75, 57, t),
                                57 + 18 * exp(-t / 60), 1e-12);
    }
    ck_assert_double_eq(thermal_at(&gtx280, 60, 60, 5), 60);
}
END_TEST

START_TEST(static_power_grows_with_temperature)
{
    struct thermal_result before = run(&gtx280, 80, 0.1, 40, 0);

    for (double start = 41; start < 110; start++) {
        struct thermal_result r = run(&gtx280, 80, 0.1, start, 0);

        ck_assert_double_gt(r.runtime_power_t, before.runtime_power_t);
        before = r;
    }
    ck_assert_double_eq(run(&gtx280, 80, 0.1, 57, 0).runtime_power_t, 80);
}
END_TEST

START_TEST(a_cold_chip_never_cools_while_it_runs)
{
    double before = 57;

    for (double t = 0; t < 1000; t += 3) {
        struct thermal_result r = run(&gtx280, 80, 0.1, 57, t);

        ck_assert_double_ge(r.temp_t, before);
        ck_assert_double_le(r.temp_t, r.max_temp);
        before = r.temp_t;
    }
}
END_TEST

/* Trapezoids over a thousand steps, an independent integral. */
START_TEST(static_energy_is_the_integral_of_static_power)
{
    static const double starts[] = {57, 50, 70, 95};

    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        double seconds = 40, sum = 0;
        int steps = 1000;

        for (int k = 0; k < steps; k++) {
            double a = seconds * k / steps, b = seconds * (k + 1) / steps;

            sum += (run(&gtx280, 80, 0.1, starts[i], a).runtime_power_t +
                    run(&gtx280, 80, 0.1, starts[i], b).runtime_power_t - 160) /
                   2 * (b - a);
        }
        ck_assert_double_eq_tol(
            run(&gtx280, 80, 0.1, starts[i], seconds).static_energy_j, sum,
            1e-3);
    }
}
END_TEST

START_TEST(time_to_a_temperature_is_the_inverse_of_the_curve)
{
    for (double temp = 58; temp < 75; temp++) {
        double up = thermal_seconds_to(&gtx280, 57, 75, temp);
        double down = thermal_seconds_to(&gtx280, 75, 57, temp);

        ck_assert_double_eq_tol(thermal_at(&gtx280, 57, 75, up), temp, 1e-9);
        ck_assert_double_eq_tol(thermal_at(&gtx280, 75, 57, down), temp, 1e-9);
    }
    ck_assert_double_eq(thermal_seconds_to(&gtx280, 57, 75, 50), 0);
    ck_assert_double_eq(thermal_seconds_to(&gtx280, 57, 75, 57), 0);
    ck_assert_double_eq(thermal_seconds_to(&gtx280, 57, 57, 57), 0);
    ck_assert(isinf(thermal_seconds_to(&gtx280, 57, 75, 75)));
    ck_assert(isinf(thermal_seconds_to(&gtx280, 57, 75, 80)));
    ck_assert(isinf(thermal_seconds_to(&gtx280, 75, 57, 50)));
}
END_TEST

START_TEST(an_impossible_value_is_rejected_by_name)
{
    struct thermal_machine m = gtx280;
    struct thermal_run in = {80, 0.1, 57, 10};
    const struct {
        double *field, value;
        const char *name;
    } list[] = {
        {&m.idle_temp, -1, "idle_temp"},
        {&m.mu, -1, "mu"},
        {&m.lambda, -1, "lambda"},
        {&m.rho, -1, "rho"},
        {&m.rc_rise, 0, "rc_rise"},
        {&m.rc_decay, 0, "rc_decay"},
        {&m.sigma, -1, "sigma"},
        {&in.runtime_power_0, -1, "runtime_power_0"},
        {&in.mem_intensity, -1, "mem_intensity"},
        {&in.start_temp, (double)NAN, "start_temp"},
        {&in.t_s, -1, "t_s"},
    };

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        double good = *list[i].field;
        struct thermal_result r;
        struct teg_diag d;

        *list[i].field = list[i].value;
        ck_assert_msg(thermal(&m, &in, &r, &d) == TEG_LIMIT, "%s was accepted",
                      list[i].name);
        ck_assert_str_eq(d.where, list[i].name);
        *list[i].field = good;
    }
}
END_TEST

/* ---- which SMs ---------------------------------------------------------- */

/* 8800GT: SM i and SM i + 7 are in TPC i.  (Hong 2012, 4.5.2) */
static const uint32_t gt_tpc[14] = {0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6};
static const struct thermal_topology gt = {14, 7, gt_tpc, NULL};

/* Hong 2012, Table 12: SMs, watts, estimated TPCs. */
static const struct {
    uint32_t sm[4];
    double watts;
    uint32_t tpcs;
} table12[] = {
    {{0, 7, 1, 8}, 253.68, 2},     {{4, 11, 6, 13}, 253.77, 2},
    {{2, 9, 5, 12}, 254.44, 2},    {{4, 11, 0, 1}, 256.36, 3},
    {{3, 10, 5, 6}, 257.23, 3},    {{6, 7, 8, 9}, 261.04, 4},
    {{10, 11, 12, 13}, 261.66, 4}, {{2, 3, 4, 5}, 261.77, 4},
    {{0, 1, 2, 3}, 262.53, 4},
};

enum {
    ROWS12 = sizeof table12 / sizeof table12[0]
};

START_TEST(pairs_of_8800gt_give_the_published_tpcs)
{
    for (int i = 0; i < ROWS12; i++)
        ck_assert_uint_eq(thermal_tpcs_of(&gt, table12[i].sm, 4),
                          table12[i].tpcs);
}
END_TEST

START_TEST(measured_power_ranks_as_the_number_of_tpcs)
{
    for (int i = 0; i < ROWS12; i++) {
        for (int j = 0; j < ROWS12; j++) {
            if (table12[i].tpcs < table12[j].tpcs)
                ck_assert_double_lt(table12[i].watts, table12[j].watts);
        }
    }
}
END_TEST

START_TEST(few_tpcs_are_opened_first)
{
    static const uint32_t four[] = {0, 1, 7, 8};
    uint32_t sm[14], tpcs;
    struct teg_diag d;

    ck_assert_int_eq(thermal_pick_sms(&gt, 4, sm, &tpcs, &d), TEG_OK);
    ck_assert_uint_eq(tpcs, 2);
    ck_assert_mem_eq(sm, four, sizeof four);
    for (uint32_t k = 1; k <= 14; k++) {
        ck_assert_int_eq(thermal_pick_sms(&gt, k, sm, &tpcs, &d), TEG_OK);
        ck_assert_uint_eq(tpcs, (k + 1) / 2);
        ck_assert_uint_eq(thermal_tpcs_of(&gt, sm, k), tpcs);
        for (uint32_t i = 1; i < k; i++)
            ck_assert_uint_lt(sm[i - 1], sm[i]);
    }
}
END_TEST

START_TEST(then_the_tpcs_far_apart)
{
    /* in a row, the fifth and the last near each other */
    static const double row[7][2] = {{0, 0}, {1, 0}, {2, 0},  {3, 0},
                                     {4, 0}, {5, 0}, {5.5, 0}};
    const struct thermal_topology placed = {14, 7, gt_tpc, row};
    static const uint32_t ends[] = {0, 6, 7, 13};
    uint32_t sm[14], tpcs;
    struct teg_diag d;

    ck_assert_int_eq(thermal_pick_sms(&placed, 4, sm, &tpcs, &d), TEG_OK);
    ck_assert_uint_eq(tpcs, 2);
    ck_assert_mem_eq(sm, ends, sizeof ends);
    /* three TPCs: 0, 3, 6 are 2.5 apart at least, 0, 2, 5 only 2 */
    ck_assert_int_eq(thermal_pick_sms(&placed, 6, sm, &tpcs, &d), TEG_OK);
    ck_assert_uint_eq(gt_tpc[sm[0]] + gt_tpc[sm[1]] + gt_tpc[sm[2]], 9);
    ck_assert_uint_eq(sm[1], 3);
}
END_TEST

/* All sets of SMs of a small chip are tried. */
START_TEST(no_set_of_sms_uses_fewer_tpcs)
{
    uint64_t state = 5;

    for (int round = 0; round < 60; round++) {
        uint32_t tpc[9], sms = 1 + help_below(&state, 9);
        uint32_t tpcs = 1 + help_below(&state, sms);
        const struct thermal_topology t = {sms, tpcs, tpc, NULL};

        for (uint32_t i = 0; i < sms; i++)
            tpc[i] = help_below(&state, tpcs);
        for (uint32_t set = 1; set < 1u << sms; set++) {
            uint32_t all[9], picked[9], k = 0, used;
            struct teg_diag d;

            for (uint32_t i = 0; i < sms; i++) {
                if (set >> i & 1)
                    all[k++] = i;
            }
            ck_assert_int_eq(thermal_pick_sms(&t, k, picked, &used, &d),
                             TEG_OK);
            ck_assert_uint_le(used, thermal_tpcs_of(&t, all, k));
            ck_assert_uint_eq(used, thermal_tpcs_of(&t, picked, k));
        }
    }
}
END_TEST

START_TEST(impossible_choices_are_refused)
{
    static const uint32_t beyond[2] = {0, 5};
    const struct thermal_topology bad = {2, 2, beyond, NULL};
    uint32_t sm[14], tpcs;
    struct teg_diag d;

    ck_assert_int_eq(thermal_pick_sms(&gt, 0, sm, &tpcs, &d), TEG_LIMIT);
    ck_assert_int_eq(thermal_pick_sms(&gt, 15, sm, &tpcs, &d), TEG_LIMIT);
    ck_assert_ptr_nonnull(strstr(d.what, "1 to 14"));
    ck_assert_int_eq(thermal_pick_sms(&bad, 1, sm, &tpcs, &d), TEG_LIMIT);
}
END_TEST

/* In a square both diagonals are as long: the lowest-numbered TPCs. */
START_TEST(of_equal_distances_the_lowest_tpcs_are_taken)
{
    static const double square[4][2] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};
    static const uint32_t tpc[4] = {0, 1, 2, 3};
    const struct thermal_topology placed = {4, 4, tpc, square};
    uint32_t sm[4], tpcs;
    struct teg_diag d;

    ck_assert_int_eq(thermal_pick_sms(&placed, 2, sm, &tpcs, &d), TEG_OK);
    ck_assert_uint_eq(sm[0], 0);
    ck_assert_uint_eq(sm[1], 3);
}
END_TEST

HELP_MAIN("thermal", 30, {saturated_temperatures_are_the_published_ones, 0},
          {rise_and_decay_are_the_printed_exponentials, 0},
          {static_power_grows_with_temperature, 0},
          {a_cold_chip_never_cools_while_it_runs, 0},
          {static_energy_is_the_integral_of_static_power, 0},
          {time_to_a_temperature_is_the_inverse_of_the_curve, 0},
          {an_impossible_value_is_rejected_by_name, 0},
          {pairs_of_8800gt_give_the_published_tpcs, 0},
          {measured_power_ranks_as_the_number_of_tpcs, 0},
          {few_tpcs_are_opened_first, 0}, {then_the_tpcs_far_apart, 0},
          {no_set_of_sms_uses_fewer_tpcs, 0},
          {impossible_choices_are_refused, 0},
          {of_equal_distances_the_lowest_tpcs_are_taken, 0})
