/*
 * CPU and GPU together, against vectors computed from the equations
 * (tests/golden/hetero-split-vectors.csv, appendix-a-vectors.csv) and the
 * printed table of splits (Hong 2012, Figure 147).
 */
#include "sim/models/efficiency.h"

#include <math.h>
#include <string.h>

#include "tests/help_csv.h"
#include "tests/help_launch.h"
#include "tests/help_suite.h"

/* Twelve digits stand there. */
static void expect_cell(const struct help_csv *t, const char *column,
                        double found)
{
    help_close(found, help_csv_number(t, column), t->cell[0], column);
}

static struct efficiency_split_result split(const struct efficiency_split *in)
{
    struct efficiency_split_result r;
    struct teg_diag d;

    ck_assert_msg(efficiency_split(in, &r, &d) == TEG_OK, "%s: %s", d.where,
                  d.what);
    return r;
}

static struct efficiency_mix_result mix(const struct efficiency_mix *in,
                                        int idle_draws)
{
    struct efficiency_mix_result r;
    struct teg_diag d;

    ck_assert_msg(efficiency_mix(in, idle_draws, &r, &d) == TEG_OK, "%s: %s",
                  d.where, d.what);
    return r;
}

START_TEST(golden_splits_agree_to_nine_digits)
{
    static struct help_csv t;
    int rows = 0;

    help_csv_open(&t, "tests/golden/hetero-split-vectors.csv");
    while (help_csv_next(&t)) {
        rows++;
        struct efficiency_split in = {
#define SPLIT(field, rule, fallback, unit, help) help_csv_number(&t, #field),
#include "sim/models/efficiency.def"
        };
        struct efficiency_split_result r = split(&in);

#define SPLIT_RESULT(field, unit, equation, help) \
    expect_cell(&t, #field, r.field);
#include "sim/models/efficiency.def"
    }
    ck_assert_int_eq(rows, 7);
}
END_TEST

START_TEST(golden_mixes_agree_to_nine_digits)
{
    static struct help_csv t;
    int rows = 0;

    help_csv_open(&t, "tests/golden/appendix-a-vectors.csv");
    while (help_csv_next(&t)) {
        rows++;
        const struct efficiency_mix in = {
            .gpu_share = help_csv_number(&t, "gpu_share"),
            .c_o = help_csv_number(&t, "Co"),
            .zeta_o = help_csv_number(&t, "zeta_o"),
            .f_o = help_csv_number(&t, "Fo"),
            .phi_o = help_csv_number(&t, "phi_o"),
            .lambda_o = help_csv_number(&t, "lambda_o"),
            .b_o = help_csv_number(&t, "Bo"),
            .c_c = help_csv_number(&t, "Cc"),
            .zeta_c = help_csv_number(&t, "zeta_c"),
            .f_c = help_csv_number(&t, "Fc"),
            .phi_c = help_csv_number(&t, "phi_c"),
            .lambda_c = help_csv_number(&t, "lambda_c"),
            .c_g = help_csv_number(&t, "Cg"),
            .zeta_g = help_csv_number(&t, "zeta_g"),
            .f_g = help_csv_number(&t, "Fg"),
            .phi_g = help_csv_number(&t, "phi_g"),
            .lambda_g = help_csv_number(&t, "lambda_g"),
        };
        struct efficiency_mix_result r = mix(&in, 0);

        expect_cell(&t, "t_cpu", r.t_cpu);
        expect_cell(&t, "t_gpu", r.t_gpu);
        expect_cell(&t, "t_total", r.t_total);
        expect_cell(&t, "power", r.power);
        expect_cell(&t, "speedup_S", r.speedup_s);
        expect_cell(&t, "energy_eff_E", r.energy_efficiency_e);
    }
    ck_assert_int_eq(rows, 22);
}
END_TEST

/* Hong 2012, Figure 147: CPU shares in percent, found by hand and by the
 * model. */
static const double figure147[][2] = {
    {4.44, 3.58},   {3.28, 8.11},   {52.72, 15.78}, {56.30, 16.24},
    {39.29, 15.66}, {16.76, 12.64}, {11.04, 11.44}, {10.03, 8.95},
    {17.50, 22.51}, {12.43, 14.24}, {11.47, 10.24}, {4.85, 8.26},
    {4.02, 6.43},   {4.04, 5.70},
};

/* "within 17 %" (5.9): the mean relative error of the GPU's share, from the
 * shares of devices as fast as the model's. */
START_TEST(published_splits_are_17_percent_from_the_manual_ones)
{
    enum {
        ROWS = sizeof figure147 / sizeof figure147[0]
    };
    double sum = 0;

    for (int i = 0; i < ROWS; i++) {
        double cpu = figure147[i][1], manual = 100 - figure147[i][0];
        struct efficiency_split_result r =
            split(&(struct efficiency_split){.perf_cpu_gflops = cpu,
                                             .perf_gpu_gflops = 100 - cpu,
                                             .work_gflop = 1000});

        ck_assert_double_eq_tol(100 * r.cpu_share, cpu, 1e-9);
        sum += fabs(100 * (1 - r.cpu_share) - manual) / manual;
    }
    ck_assert_double_eq_tol(100 * sum / ROWS, 17.04, 0.005);
}
END_TEST

/* Any other share takes at least as long. */
START_TEST(no_other_share_is_faster)
{
    uint64_t state = 3;

    for (int i = 0; i < 500; i++) {
        const struct efficiency_split in = {
            .perf_cpu_gflops = 1 + help_below(&state, 1000),
            .perf_gpu_gflops = 1 + help_below(&state, 1000),
            .work_gflop = 1 + help_below(&state, 1000),
            .bytes_gb = help_below(&state, 20),
            .link_gbs = 1 + help_below(&state, 20),
            .fixed_s = help_below(&state, 20) / 10.,
        };
        double best = split(&in).t_total_s;

        for (int k = 0; k <= 100; k++) {
            double cpu = k / 100. * in.work_gflop / in.perf_cpu_gflops;
            double gpu = (1 - k / 100.) * (in.work_gflop / in.perf_gpu_gflops +
                                           in.bytes_gb / in.link_gbs) +
                         (k < 100 ? in.fixed_s : 0);

            ck_assert_double_ge(fmax(cpu, gpu), best * (1 - 1e-12));
        }
    }
}
END_TEST

START_TEST(efficiency_is_speed_up_over_the_growth_of_power)
{
    struct efficiency_mix in = {.c_o = 4,
                                .zeta_o = 1,
                                .f_o = 2,
                                .phi_o = 2,
                                .lambda_o = 1,
                                .b_o = 100,
                                .c_c = 4,
                                .zeta_c = 1,
                                .f_c = 2,
                                .phi_c = 2,
                                .lambda_c = 1,
                                .c_g = 16,
                                .zeta_g = 1,
                                .f_g = 1,
                                .phi_g = 1,
                                .lambda_g = 4,
                                .gpu_share = 1};

    /* 132 W of the CPU alone; the GPU alone draws 164 W, both 196 W: [T] 114
     * adds the term of the idle CPU too */
    ck_assert_double_eq(mix(&in, 0).power, 164);
    ck_assert_double_eq(mix(&in, 1).power, 196);
    ck_assert_double_eq_tol(mix(&in, 1).energy_efficiency_e, 132. / 196 * 4,
                            1e-12);
}
END_TEST

START_TEST(an_impossible_value_is_rejected_by_name)
{
    struct efficiency_split s = {100, 100, 100, 1, 5, 0};
    struct efficiency_mix m;
    struct efficiency_split_result sr;
    struct efficiency_mix_result mr;
    struct teg_diag d;
    uint32_t count;
    const struct teg_parameter *rows = efficiency_mix_inputs(&count);

    s.perf_cpu_gflops = -1;
    ck_assert_int_eq(efficiency_split(&s, &sr, &d), TEG_LIMIT);
    ck_assert_str_eq(d.where, "perf_cpu_gflops");
    s.perf_cpu_gflops = 100;
    s.link_gbs = 0;
    ck_assert_int_eq(efficiency_split(&s, &sr, &d), TEG_LIMIT);
    ck_assert_str_eq(d.where, "link_gbs");
    model_inputs_init(&m, rows, count);
    m.gpu_share = 1.5;
    ck_assert_int_eq(efficiency_mix(&m, 0, &mr, &d), TEG_LIMIT);
    ck_assert_str_eq(d.where, "gpu_share");
    model_inputs_init(&m, rows, count);
    m.lambda_o = m.lambda_c = m.lambda_g = 0;
    ck_assert_int_eq(efficiency_mix(&m, 0, &mr, &d), TEG_LIMIT);
    ck_assert_str_eq(d.where, "b_o");
}
END_TEST

START_TEST(inputs_are_set_by_name)
{
    struct efficiency_split s;
    struct teg_diag d;
    uint32_t count;
    const struct teg_parameter *rows = efficiency_split_inputs(&count);

    model_inputs_init(&s, rows, count);
    ck_assert(isnan(s.perf_cpu_gflops));
    ck_assert_int_eq(model_inputs_set(&s, rows, count, "bytes_gb", "2.5", &d),
                     TEG_OK);
    ck_assert_double_eq(s.bytes_gb, 2.5);
    ck_assert_int_eq(model_inputs_set(&s, rows, count, "byte_gb", "2", &d),
                     TEG_UNKNOWN);
    ck_assert_ptr_nonnull(strstr(d.what, "'bytes_gb'"));
    ck_assert_int_eq(model_inputs_set(&s, rows, count, "bytes_gb", "2x", &d),
                     TEG_FORMAT);
    ck_assert_int_eq(model_inputs_check(&s, rows, count, &d), TEG_LIMIT);
    ck_assert_str_eq(d.where, "perf_cpu_gflops");
    ck_assert_ptr_nonnull(strstr(d.what, "found none"));
}
END_TEST

HELP_MAIN("efficiency", 30, {golden_splits_agree_to_nine_digits, 0},
          {golden_mixes_agree_to_nine_digits, 0},
          {published_splits_are_17_percent_from_the_manual_ones, 0},
          {no_other_share_is_faster, 0},
          {efficiency_is_speed_up_over_the_growth_of_power, 0},
          {an_impossible_value_is_rejected_by_name, 0},
          {inputs_are_set_by_name, 0})
