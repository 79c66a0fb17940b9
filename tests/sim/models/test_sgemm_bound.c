/*
 * The SGEMM bound against what J. Lai, PhD thesis, 2013, chapter 4, publishes:
 * percentages, register budget, tables of mixes and of register banks.
 */
#include "sim/models/sgemm_bound.h"

#include <stdlib.h>
#include <string.h>

#include "tests/help_csv.h"
#include "tests/help_suite.h"

static struct sgemm_result r;
static struct teg_diag d;

static struct sgemm_machine machine(const char *name)
{
    const struct sgemm_published *p = sgemm_published(name);

    ck_assert_ptr_nonnull(p);
    return p->machine;
}

static enum sgemm_load load_of(int bits)
{
    return bits == 32 ? SGEMM_LDS : bits == 64 ? SGEMM_LDS64 : SGEMM_LDS128;
}

START_TEST(published_percentages_come_out)
{
    static struct help_csv csv;
    int rows = 0;

    help_csv_open(&csv, "tests/golden/sgemm-bound.csv");
    while (help_csv_next(&csv)) {
        struct sgemm_machine m = machine(help_csv(&csv, "gpu"));
        enum sgemm_load load = load_of(atoi(help_csv(&csv, "bits")));
        double *const mix[] = {&m.mix_lds, &m.mix_lds64, &m.mix_lds128};

        *mix[load] = help_csv_number(&csv, "mix");
        ck_assert_msg(sgemm_search(&m, load, &r, &d) == TEG_OK, "%s", d.what);
        ck_assert_double_eq_tol(r.percent, help_csv_number(&csv, "percent"),
                                help_csv_number(&csv, "tolerance"));
        ck_assert_double_eq(r.b_r, help_csv_number(&csv, "b_r"));
        ck_assert_double_eq(r.t_b, help_csv_number(&csv, "t_b"));
        ck_assert_double_eq(r.l, help_csv_number(&csv, "l"));
        ck_assert_double_eq(r.r_t, help_csv_number(&csv, "r_t"));
        ck_assert_double_eq(r.t_sm, help_csv_number(&csv, "t_sm"));
        ck_assert_double_lt(r.p_sm, r.p_mem); /* both are SM-bound: 4.3.5 */
        rows++;
    }
    ck_assert_int_eq(rows, 6);
}
END_TEST

START_TEST(the_best_width_is_the_published_one)
{
    struct sgemm_machine m = machine("gtx580");

    ck_assert_int_eq(sgemm_search(&m, SGEMM_LOADS, &r, &d), TEG_OK);
    ck_assert_double_eq(r.width, 64);
    m = machine("gtx680");
    ck_assert_int_eq(sgemm_search(&m, SGEMM_LOADS, &r, &d), TEG_OK);
    ck_assert_double_eq(r.width, 128);
}
END_TEST

/* 36 + 12 + 8 + 7 = 63 (4.4.2) */
START_TEST(the_fermi_kernel_has_sixty_three_registers)
{
    struct sgemm_machine m = machine("gtx580");

    ck_assert_int_eq(sgemm_evaluate(&m, 256, 6, 16, SGEMM_LDS64, &r, &d),
                     TEG_OK);
    ck_assert_double_eq(r.prefetch, 12);
    ck_assert_double_eq(r.r_t, 63);
    ck_assert_double_eq(r.blk, 2);
    ck_assert_double_eq(r.shared, 24576);
    m.r_max = 62;
    ck_assert_int_eq(sgemm_evaluate(&m, 256, 6, 16, SGEMM_LDS64, &r, &d),
                     TEG_LIMIT);
    ck_assert_str_eq(d.where, "R_T");
}
END_TEST

START_TEST(kepler_fills_its_shared_memory_exactly)
{
    struct sgemm_machine m = machine("gtx680");

    ck_assert_int_eq(sgemm_evaluate(&m, 256, 6, 16, SGEMM_LDS64, &r, &d),
                     TEG_OK);
    ck_assert_double_eq(r.shared, 49152);
    ck_assert_double_eq(r.t_sm, 1024);
    ck_assert_int_eq(sgemm_evaluate(&m, 1024, 6, 16, SGEMM_LDS64, &r, &d),
                     TEG_OK);
    ck_assert_double_eq(r.shared, 24576);
    m.sh_sm = 49151;
    ck_assert_int_eq(sgemm_evaluate(&m, 256, 6, 16, SGEMM_LDS64, &r, &d),
                     TEG_OK);
    ck_assert_double_eq(r.blk, 3);
}
END_TEST

/* Fig. 4.3, computed: percent of multiply-adds by B_R and width */
START_TEST(shares_of_multiply_adds_are_those_of_the_figure)
{
    static const double share[7][3] = {{33.3, 50.0, 66.7}, {50.0, 66.7, 80.0},
                                       {60.0, 75.0, 85.7}, {66.7, 80.0, 88.9},
                                       {71.4, 83.3, 90.9}, {75.0, 85.7, 92.3},
                                       {77.8, 87.5, 93.3}};
    struct sgemm_machine m = machine("gtx580");

    m.r_max = 255;
    for (uint32_t b = 1; b <= 7; b++) {
        for (enum sgemm_load x = SGEMM_LDS; x < SGEMM_LOADS; x++) {
            uint32_t step = sgemm_stride_step(256, b);

            ck_assert_int_eq(sgemm_evaluate(&m, 256, b, step, x, &r, &d),
                             TEG_OK);
            ck_assert_double_eq_tol(100 * r.fraction, share[b - 1][x], 0.1);
        }
    }
}
END_TEST

START_TEST(seven_by_seven_fits_no_block)
{
    struct sgemm_machine m = machine("gtx580");

    /* Odd: L is a multiple of the root, prefetch at least 14 */
    for (uint32_t root = 8; root <= 32; root += 8) {
        uint32_t step = sgemm_stride_step(root * root, 7);

        ck_assert_uint_eq(step, root);
        ck_assert_int_eq(
            sgemm_evaluate(&m, root * root, 7, step, SGEMM_LDS, &r, &d),
            TEG_LIMIT);
        ck_assert_double_ge(r.r_t, 71);
    }
    ck_assert_uint_eq(sgemm_stride_step(256, 6), 8);
    ck_assert_int_eq(sgemm_evaluate(&m, 256, 6, 12, SGEMM_LDS, &r, &d),
                     TEG_LIMIT);
    ck_assert_str_eq(d.where, "L");
}
END_TEST

START_TEST(the_memory_side_grows_with_the_block)
{
    struct sgemm_machine m = machine("gtx580");

    ck_assert_int_eq(sgemm_evaluate(&m, 256, 6, 16, SGEMM_LDS64, &r, &d),
                     TEG_OK);
    ck_assert_double_eq(r.b_sh, 96);
    help_close(r.p_mem / m.bandwidth_gbs, 24, "256", "flop/B");
    m.r_sm = 65536;
    m.threads_sm = 1024;
    ck_assert_int_eq(sgemm_evaluate(&m, 1024, 6, 16, SGEMM_LDS64, &r, &d),
                     TEG_OK);
    ck_assert_double_eq(r.b_sh, 192);
    help_close(r.p_mem / m.bandwidth_gbs, 48, "1024", "flop/B");
    m.bandwidth_gbs = 10;
    ck_assert_int_eq(sgemm_evaluate(&m, 256, 6, 16, SGEMM_LDS64, &r, &d),
                     TEG_OK);
    help_close(r.p, 240, "starved", "P_potential");
}
END_TEST

/* 4.3.2, 4.3.5: no measurement is above the ideal mix; and the ideal's own
 * bounds, 75.0 / 85.7 / 75.0 % and 63.5 % */
START_TEST(the_ideal_mix_is_above_every_measurement)
{
    static const double fermi[] = {75.0, 85.7, 75.0};

    for (int i = 0; i < 2; i++) {
        struct sgemm_machine m = machine(i == 0 ? "gtx580" : "gtx680");
        const double mix[] = {m.mix_lds, m.mix_lds64, m.mix_lds128};

        for (enum sgemm_load x = SGEMM_LDS; x < SGEMM_LOADS; x++) {
            ck_assert_int_eq(sgemm_evaluate(&m, 256, 6, 8, x, &r, &d), TEG_OK);
            ck_assert_double_ge(r.ideal_tp, mix[x]);
            if (i == 0)
                ck_assert_double_eq_tol(100 * r.fraction * r.ideal_tp / m.sp_tp,
                                        fermi[x], 0.05);
        }
        if (i == 1)
            ck_assert_double_eq_tol(100 * r.fraction * r.ideal_tp / m.sp_tp,
                                    63.5, 0.05);
    }
}
END_TEST

START_TEST(more_registers_raise_the_blocking_factor_and_the_bound)
{
    struct sgemm_machine m = machine("gtx680");
    double before;

    ck_assert_int_eq(sgemm_search(&m, SGEMM_LDS64, &r, &d), TEG_OK);
    before = r.p;
    m.r_max = 255; /* GK110 */
    ck_assert_int_eq(sgemm_search(&m, SGEMM_LDS64, &r, &d), TEG_OK);
    ck_assert_double_gt(r.b_r, 6);
    ck_assert_double_gt(r.p, before);
}
END_TEST

START_TEST(senseless_machines_are_refused)
{
    struct sgemm_machine m = machine("gtx680");

    m.sp_tp = 0;
    ck_assert_int_eq(sgemm_search(&m, SGEMM_LOADS, &r, &d), TEG_LIMIT);
    ck_assert_str_eq(d.where, "sp_tp");
    m = machine("gtx680");
    m.r_max = 9;
    ck_assert_int_eq(sgemm_search(&m, SGEMM_LOADS, &r, &d), TEG_LIMIT);
    ck_assert_ptr_nonnull(strstr(d.what, "no blocking factors"));
    ck_assert_ptr_null(sgemm_published("gtx68"));
}
END_TEST

/* Fig. 4.3's shares at B_R 4: 16 of 16 + 2 x 4 x 0.5; F_T as it is given. */
START_TEST(blocking_factor_and_throughput_may_be_given)
{
    struct sgemm_machine m = machine("gtx580");

    m.only_b_r = 4;
    ck_assert_int_eq(sgemm_search(&m, SGEMM_LDS64, &r, &d), TEG_OK);
    ck_assert_double_eq(r.b_r, 4);
    ck_assert_double_eq_tol(r.fraction, 0.8, 1e-12);
    m.given_f_t = 0.9;
    ck_assert_int_eq(sgemm_search(&m, SGEMM_LDS64, &r, &d), TEG_OK);
    ck_assert_double_eq_tol(r.percent, 100 * 0.8 * 0.9, 1e-9);
    m.only_b_r = 7; /* does not fit 63 registers */
    ck_assert_int_eq(sgemm_search(&m, SGEMM_LDS64, &r, &d), TEG_LIMIT);
}
END_TEST

/* ---- register banks ---- */

START_TEST(bank_conflicts_are_those_of_table_four_one)
{
    static const struct {
        uint32_t source[3], count, ways;
    } row[] = {
        {{1, 0}, 2, 1},    {{1, 2}, 2, 1},    {{1, 3}, 2, 2},
        {{1, 4, 0}, 3, 1}, {{1, 4, 5}, 3, 1}, {{1, 3, 5}, 3, 2},
        {{1, 3, 9}, 3, 3}, {{8, 9, 5}, 3, 1}, {{2, 2, 10}, 3, 2},
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        ck_assert_uint_eq(kepler_register_ways(row[i].source, row[i].count),
                          row[i].ways);
}
END_TEST

START_TEST(the_accumulators_fill_the_banks_evenly)
{
    int in_bank[4] = {0};

    for (uint32_t reg = 26; reg <= 61; reg++)
        in_bank[kepler_register_bank(reg)]++;
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(in_bank[i], 9);
}
END_TEST

HELP_MAIN("sim/models/sgemm_bound", 60, {published_percentages_come_out, 0},
          {the_best_width_is_the_published_one, 0},
          {the_fermi_kernel_has_sixty_three_registers, 0},
          {kepler_fills_its_shared_memory_exactly, 0},
          {shares_of_multiply_adds_are_those_of_the_figure, 0},
          {seven_by_seven_fits_no_block, 0},
          {the_memory_side_grows_with_the_block, 0},
          {the_ideal_mix_is_above_every_measurement, 0},
          {more_registers_raise_the_blocking_factor_and_the_bound, 0},
          {senseless_machines_are_refused, 0},
          {blocking_factor_and_throughput_may_be_given, 0},
          {bank_conflicts_are_those_of_table_four_one, 0},
          {the_accumulators_fill_the_banks_evenly, 0})
