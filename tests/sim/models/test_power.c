/*
 * The pure power model against vectors computed from the equations
 * (tests/golden/power-vectors.csv, core-sweep-vectors.csv), the numbers that
 * the source prints, and what must hold of any power model.
 */
#include "sim/models/power.h"

#include <math.h>
#include <string.h>

#include "sim/models/mwp_cwp.h"
#include "sim/models/thermal.h"
#include "tests/help_csv.h"
#include "tests/help_launch.h"
#include "tests/help_suite.h"

static struct power_machine machine;
static struct power_launch launch;
static struct power_counts counts;
static struct power_result result;

/* As the columns of the vectors are called; in the order of
 * power_units.def. */
static const struct {
    const char *column;
    double *count;
} units[TEG_POWER_UNITS] = {
    {"FP", &counts.dac_fp},       {"REG", &counts.dac_reg},
    {"ALU", &counts.dac_alu},     {"SFU", &counts.dac_sfu},
    {"INT", &counts.dac_int},     {"FDS", &counts.dac_fds},
    {"SHM", &counts.dac_shm},     {"TEX", &counts.dac_tex},
    {"CONST", &counts.dac_const}, {"GMEM", &counts.dac_gmem},
    {"LMEM", &counts.dac_lmem},   {"L1", &counts.dac_l1},
    {"L2", &counts.dac_l2},
};

/* Twelve digits stand there. */
static void expect_cell(const struct help_csv *t, const char *column,
                        double found)
{
    help_close(found, help_csv_number(t, column), t->cell[0], column);
}

static void set_unit(enum teg_power_unit_id u, double watts, const char *curve)
{
    machine.unit[u].given = 1;
    machine.unit[u].max_watts = watts;
    ck_assert(teg_power_curve_parse(curve, &machine.unit[u].curve));
}

/* Hong 2012, Table 8. */
static void set_gtx280(void)
{
    machine = (struct power_machine){.sms = 30,
                                     .clock_ghz = 1.3,
                                     .idle_watts = 83,
                                     .const_sm_watts = 0.813,
                                     .issue_norm = 4,
                                     .core_beta = 1.1,
                                     .scaling = CORE_SCALING_LOG};
    set_unit(POWER_FP, 0.2, "log");
    set_unit(POWER_REG, 0.3, "log");
    set_unit(POWER_ALU, 0.2, "identity");
    set_unit(POWER_SFU, 0.5, "identity");
    set_unit(POWER_INT, 0.25, "log");
    set_unit(POWER_FDS, 0.5, "log");
    set_unit(POWER_SHM, 1, "identity");
    set_unit(POWER_TEX, 0.9, "log");
    set_unit(POWER_CONST, 0.4, "log");
    set_unit(POWER_GMEM, 52, "log");
    set_unit(POWER_LMEM, 52, "log");
}

/* Hong 2012, Table 11. */
static void set_gtx580(void)
{
    static const struct {
        enum teg_power_unit_id unit;
        double watts;
    } table[] = {
        {POWER_FP, 1.1},  {POWER_INT, 1.1}, {POWER_REG, 0.8}, {POWER_FDS, 0.6},
        {POWER_SHM, 1.4}, {POWER_CONST, 1}, {POWER_GMEM, 28}, {POWER_L1, 1.6},
        {POWER_L2, 12},   {POWER_SFU, 0.6}, {POWER_TEX, 0.9},
    };

    machine = (struct power_machine){.sms = 16,
                                     .clock_ghz = 1.54,
                                     .idle_watts = 27,
                                     .activation_watts = 64,
                                     .core_beta = 1.1,
                                     .issue_norm = 1,
                                     .scaling = CORE_SCALING_LINEAR};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        set_unit(table[i].unit, table[i].watts, "identity");
}

static void evaluate(void)
{
    struct teg_diag d;

    ck_assert_msg(power(&machine, &launch, &counts, &result, &d) == TEG_OK,
                  "%s: %s", d.where, d.what);
}

/* ---- golden vectors ----------------------------------------------------- */

static void read_vector(const struct help_csv *t)
{
    if (strcmp(help_csv(t, "gpu"), "GTX280") == 0)
        set_gtx280();
    else
        set_gtx580();
    machine.issue_norm = help_csv_number(t, "issue_norm");
    launch = (struct power_launch){
        .threads_per_block = help_csv_number(t, "threads_per_block"),
        .blocks = help_csv_number(t, "blocks"),
        .active_sms = help_csv_number(t, "active_sms"),
        .exec_cycles = help_csv_number(t, "exec_cycles"),
    };
    counts.mem_insts = help_csv_number(t, "mem_insts");
    counts.nonmem_insts = help_csv_number(t, "nonmem_insts");
    for (int u = 0; u < TEG_POWER_UNITS; u++) {
        char column[32];

        snprintf(column, sizeof column, "dac_%s", units[u].column);
        *units[u].count = help_csv_number(t, column);
    }
}

static void check_temperature(const struct help_csv *t)
{
    /* Hong 2012, Table 9 and 3.2.7. */
    const struct thermal_machine m = {.idle_temp =
                                          help_csv_number(t, "idle_temp"),
                                      .mu = 0.12,
                                      .lambda = 5.5,
                                      .rho = 21.505,
                                      .rc_rise = 35,
                                      .rc_decay = 60,
                                      .sigma = 10. / 22};
    const struct thermal_run run = {.runtime_power_0 = result.runtime_power_0,
                                    .mem_intensity = result.mem_intensity,
                                    .start_temp = m.idle_temp,
                                    .t_s = help_csv_number(t, "t_s")};
    struct thermal_result r;
    struct teg_diag d;

    ck_assert_int_eq(thermal(&m, &run, &r, &d), TEG_OK);
    expect_cell(t, "mem_intensity", result.mem_intensity);
    expect_cell(t, "delta_temp_max", r.delta_temp_max);
    expect_cell(t, "max_temp", r.max_temp);
    expect_cell(t, "temp_t", r.temp_t);
    expect_cell(t, "runtime_power_t", r.runtime_power_t);
    expect_cell(t, "gpu_power_t", r.runtime_power_t + result.idle_power);
}

static void check_vector(const struct help_csv *t)
{
    expect_cell(t, "warps_per_sm", result.warps_per_sm);
    expect_cell(t, "sm_component_sum", result.sm_component_sum);
    expect_cell(t, "max_sm", result.max_sm);
    expect_cell(t, "rp_memory", result.rp_memory);
    expect_cell(t, "core_scale", result.core_scale);
    expect_cell(t, "runtime_power_0", result.runtime_power_0);
    expect_cell(t, "idle_power", result.idle_power);
    expect_cell(t, "gpu_power_0", result.gpu_power_0);
    for (int u = 0; u < TEG_POWER_UNITS; u++) {
        char column[32];

        snprintf(column, sizeof column, "ar_%s", units[u].column);
        expect_cell(t, column, result.rate[u]);
        snprintf(column, sizeof column, "rp_%s", units[u].column);
        expect_cell(t, column, result.watts[u]);
    }
    if (*help_csv(t, "temp_t") != '\0')
        check_temperature(t);
}

START_TEST(golden_vectors_agree_to_nine_digits)
{
    static struct help_csv t;
    int rows = 0;

    help_csv_open(&t, "tests/golden/power-vectors.csv");
    while (help_csv_next(&t)) {
        rows++;
        read_vector(&t);
        evaluate();
        check_vector(&t);
    }
    ck_assert_int_eq(rows, 13);
}
END_TEST

/* The kernel of core-sweep-vectors.csv on `sms` SMs, as its head tells. */
static void sweep_kernel(double sms, struct mwp_cwp_result *timing)
{
    /* Hong 2012, Tables 2 and 5 */
    const struct mwp_cwp_machine m = {.clock_ghz = 1.3,
                                      .mem_bw_gbs = 141.7,
                                      .mem_ld = 450,
                                      .dep_del_uncoal = 40,
                                      .dep_del_coal = 4,
                                      .issue_cycles = 4};
    const struct mwp_cwp_launch l = {.active_sms = sms,
                                     .threads_per_block = 512,
                                     .blocks = sms,
                                     .active_blocks_per_sm = 1};
    double computation = 40000 * 30 / sms, memory = 10000 * 30 / sms;
    const struct mwp_cwp_stats s = {.comp_insts = computation,
                                    .coal_mem_insts = memory,
                                    .m_factor = 1,
                                    .uncoal_per_mw = 1,
                                    .load_bytes_per_warp = 128};
    struct teg_diag d;

    ck_assert_int_eq(mwp_cwp(&m, &l, &s, NULL, timing, &d), TEG_OK);
    launch = (struct power_launch){.threads_per_block = 512,
                                   .blocks = sms,
                                   .active_sms = sms,
                                   .exec_cycles = timing->exec_cycles_app};
    counts = (struct power_counts){.dac_fp = computation / 2,
                                   .dac_int = computation / 4,
                                   .dac_alu = computation / 4,
                                   .dac_reg = computation + memory,
                                   .dac_fds = computation + memory,
                                   .dac_gmem = memory,
                                   .mem_insts = memory,
                                   .nonmem_insts = computation};
}

static void expect_point(const struct help_csv *t, const struct power_point *p)
{
    expect_cell(t, "exec_cycles", p->exec_cycles);
    expect_cell(t, "time_s", p->time_s);
    expect_cell(t, "warp_gips", p->warp_gips);
    expect_cell(t, "runtime_power_w", p->runtime_power_w);
    expect_cell(t, "gpu_power_w", p->gpu_power_w);
    expect_cell(t, "gips_per_w", p->gips_per_w);
    expect_cell(t, "energy_total_j", p->energy_total_j);
    expect_cell(t, "energy_runtime_j", p->energy_runtime_j);
    expect_cell(t, "energy_powergated_j", p->energy_powergated_j);
}

static void sweep(struct power_point point[30])
{
    set_gtx280();
    for (int i = 0; i < 30; i++) {
        struct mwp_cwp_result timing;

        sweep_kernel(i + 1, &timing);
        evaluate();
        power_point_fill(&point[i], &launch, &result);
    }
    power_gate(point, 30);
}

START_TEST(golden_sweep_over_active_sms_agrees_to_nine_digits)
{
    static struct help_csv t;
    int rows = 0;
    struct power_point point[30];

    sweep(point);
    help_csv_open(&t, "tests/golden/core-sweep-vectors.csv");
    while (help_csv_next(&t)) {
        rows++;
        struct mwp_cwp_result timing;

        sweep_kernel(rows, &timing);
        expect_cell(&t, "case", timing.case_number);
        expect_cell(&t, "mwp", timing.mwp);
        expect_cell(&t, "cwp", timing.cwp);
        expect_cell(&t, "mwp_peak_bw", timing.mwp_peak_bw);
        expect_point(&t, &point[rows - 1]);
    }
    ck_assert_int_eq(rows, 30);
}
END_TEST

/* Case 1 ends where bandwidth begins to limit; more SMs only cost power. */
START_TEST(the_sweep_is_best_where_bandwidth_saturates)
{
    struct power_point point[30];

    sweep(point);
    ck_assert_double_eq(
        point[power_best(point, 30, POWER_GOAL_ENERGY)].active_sms, 25);
    ck_assert_double_eq(
        point[power_best(point, 30, POWER_GOAL_RUNTIME)].active_sms, 25);
    ck_assert_double_eq(
        point[power_best(point, 30, POWER_GOAL_GATED)].active_sms, 25);
    ck_assert_double_eq(
        point[power_best(point, 30, POWER_GOAL_TIME)].active_sms, 30);
}
END_TEST

START_TEST(rule_63_comes_next_to_the_sweep)
{
    struct mwp_cwp_result t;
    struct power_cores cores;

    sweep_kernel(30, &t);
    cores = power_cores_rule(t.mwp, t.cwp, t.n, t.mwp_peak_bw, 141.7,
                             t.bw_per_warp_gbs, 30, POWER_CORES_RESOLVED);
    ck_assert_int_eq(cores.bandwidth_limited, 1);
    ck_assert_double_eq_tol(cores.exact, 24.16, 0.005);
    ck_assert_uint_eq(cores.advised, 24);
    /* "or" would advise all SMs to whoever waits for memory: CWP is N */
    cores = power_cores_rule(t.mwp, t.cwp, t.n, t.mwp_peak_bw, 141.7,
                             t.bw_per_warp_gbs, 30, POWER_CORES_LITERAL);
    ck_assert_int_eq(cores.bandwidth_limited, 0);
    ck_assert_uint_eq(cores.advised, 30);
}
END_TEST

/* Hong 2012, 3.5.4: MWP_peak_BW 10.8 on 30 SMs; with N = 16 the published
 * advice of 20 SMs. */
START_TEST(rule_63_gives_the_published_twenty)
{
    struct power_cores cores =
        power_cores_rule(10.8, 16, 16, 10.8, 324, 1, 30, POWER_CORES_RESOLVED);

    ck_assert_double_eq(cores.exact, 20.25);
    ck_assert_uint_eq(cores.advised, 20);
}
END_TEST

START_TEST(rule_63_advises_all_where_bandwidth_does_not_limit)
{
    /* MWP and CWP are N; MWP > CWP; MWP below MWP_peak_BW; no memory */
    static const double list[][4] = {{16, 16, 16, 20},
                                     {10, 5, 16, 10},
                                     {8, 12, 16, 10},
                                     {(double)NAN, 1, 16, (double)NAN}};

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        struct power_cores cores =
            power_cores_rule(list[i][0], list[i][1], list[i][2], list[i][3],
                             100, 1, 14, POWER_CORES_RESOLVED);

        ck_assert_int_eq(cores.bandwidth_limited, 0);
        ck_assert_uint_eq(cores.advised, 14);
    }
    /* clamped to what there is */
    ck_assert_uint_eq(
        power_cores_rule(2, 16, 16, 2, 0.5, 1, 14, POWER_CORES_RESOLVED)
            .advised,
        1);
}
END_TEST

/* ---- printed and derived numbers ---------------------------------------- */

START_TEST(logarithm_over_active_sms_has_its_derived_factors)
{
    static const double list[][2] = {
        {1, 0.145093},  {5, 0.412180},  {10, 0.609239}, {15, 0.744293},
        {20, 0.847161}, {25, 0.930270}, {30, 1}};

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        ck_assert_double_eq_tol(
            power_core_scale(CORE_SCALING_LOG, 1.1, list[i][0], 30), list[i][1],
            5e-7);
    ck_assert_double_eq(power_core_scale(CORE_SCALING_LINEAR, 1.1, 4, 16),
                        0.25);
    /* log10(0.33) is below 0: one SM gives no power back */
    ck_assert_double_eq(power_core_scale(CORE_SCALING_LOG, 0, 1, 30), 0);
}
END_TEST

START_TEST(spec_linear_has_its_derived_values)
{
    static const double list[][2] = {
        {1, 1.001375}, {0.5, 0.906760}, {0.1, 0.687072}, {0.01, 0.372769}};
    struct teg_power_curve curve;

    ck_assert(teg_power_curve_parse("log", &curve));
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        ck_assert_double_eq_tol(power_effective_rate(&curve, list[i][0]),
                                list[i][1], 5e-7);
    /* zero at 6.516e-4 and below, 0 included */
    ck_assert_double_eq_tol(power_effective_rate(&curve, 6.516e-4), 0, 2e-5);
    ck_assert_double_eq(power_effective_rate(&curve, 6e-4), 0);
    ck_assert_double_eq(power_effective_rate(&curve, 0), 0);
}
END_TEST

START_TEST(all_rates_at_one_draw_the_derived_5_063_watts)
{
    set_gtx280();
    for (int u = 0; u < TEG_POWER_UNITS; u++) {
        if (machine.unit[u].curve.kind == CURVE_LOG)
            ck_assert(
                teg_power_curve_parse("log 0.1365 1", &machine.unit[u].curve));
        *units[u].count = 1000;
    }
    launch = (struct power_launch){.threads_per_block = 32,
                                   .blocks = 30,
                                   .active_sms = 30,
                                   .exec_cycles = 4000};
    evaluate();
    ck_assert_double_eq_tol(result.sm_component_sum, 5.063, 1e-12);
    ck_assert_double_eq_tol(result.max_sm, 151.89, 1e-9);
}
END_TEST

START_TEST(a_table_is_straight_between_its_points_and_level_outside)
{
    struct teg_power_curve c;

    ck_assert(teg_power_curve_parse("table 0.1:0.5 0.3:0.9 1:1", &c));
    ck_assert_double_eq(power_effective_rate(&c, 0), 0.5);
    ck_assert_double_eq(power_effective_rate(&c, 0.1), 0.5);
    ck_assert_double_eq_tol(power_effective_rate(&c, 0.2), 0.7, 1e-15);
    ck_assert_double_eq_tol(power_effective_rate(&c, 0.65), 0.95, 1e-15);
    ck_assert_double_eq(power_effective_rate(&c, 3), 1);
}
END_TEST

/* ---- what must hold always ---------------------------------------------- */

static uint64_t random_state;

static double draw(double from, double to)
{
    return from + (to - from) * help_below(&random_state, 1000001) / 1e6;
}

static void draw_curve(struct teg_power_curve *curve)
{
    static const char *const curves[] = {"identity", "log", "log 0.3 0.8",
                                         "table 0:0 0.1:0.6 1:1"};

    ck_assert(
        teg_power_curve_parse(curves[help_below(&random_state, 4)], curve));
}

static void draw_inputs(void)
{
    machine = (struct power_machine){.sms = floor(draw(1, 133)),
                                     .clock_ghz = draw(0.5, 2),
                                     .idle_watts = draw(0, 100),
                                     .activation_watts = draw(0, 70),
                                     .const_sm_watts = draw(0, 1),
                                     .issue_norm = draw(0.25, 4),
                                     .core_beta = draw(1, 5),
                                     .scaling = help_below(&random_state, 2)
                                                    ? CORE_SCALING_LOG
                                                    : CORE_SCALING_LINEAR};
    launch =
        (struct power_launch){.threads_per_block = 32 * floor(draw(1, 33)),
                              .blocks = floor(draw(1, 1000)),
                              .active_sms = floor(draw(1, machine.sms + 1)),
                              .exec_cycles = draw(1e4, 1e7)};
    launch.active_sms = fmin(launch.active_sms, machine.sms);
    for (int u = 0; u < TEG_POWER_UNITS; u++) {
        machine.unit[u].given = help_below(&random_state, 5) != 0;
        machine.unit[u].max_watts = draw(0, 50);
        draw_curve(&machine.unit[u].curve);
        *units[u].count = help_below(&random_state, 4) ? draw(0, 1000) : 0;
    }
    counts.mem_insts = draw(0, 10);
    counts.nonmem_insts = draw(1, 100);
}

enum {
    DRAWS = 2000
};

START_TEST(more_accesses_never_draw_less)
{
    random_state = 7;
    for (int i = 0; i < DRAWS; i++) {
        uint32_t u = help_below(&random_state, TEG_POWER_UNITS);
        double before;

        draw_inputs();
        evaluate();
        before = result.gpu_power_0;
        *units[u].count += draw(0, 500);
        evaluate();
        ck_assert_double_ge(result.gpu_power_0, before);
    }
}
END_TEST

START_TEST(more_active_sms_at_the_same_rates_never_draw_less)
{
    random_state = 8;
    for (int i = 0; i < DRAWS; i++) {
        double before, sms;

        draw_inputs();
        evaluate();
        before = result.gpu_power_0;
        sms = fmin(machine.sms, launch.active_sms + floor(draw(0, 5)));
        /* rates stay: the work grows with the SMs */
        launch.blocks *= sms / launch.active_sms;
        launch.active_sms = sms;
        evaluate();
        ck_assert_double_ge(result.gpu_power_0, before * (1 - 1e-12));
    }
}
END_TEST

START_TEST(energy_is_power_times_time)
{
    random_state = 9;
    for (int i = 0; i < DRAWS; i++) {
        double seconds;

        draw_inputs();
        evaluate();
        seconds = launch.exec_cycles / machine.clock_ghz / 1e9;
        ck_assert_double_eq_tol(result.energy_total_j,
                                result.gpu_power_0 * seconds,
                                1e-12 * result.energy_total_j);
        ck_assert_double_eq_tol(result.energy_total_j,
                                result.energy_runtime_j +
                                    machine.idle_watts * seconds,
                                1e-12 * result.energy_total_j);
        ck_assert_double_eq_tol(result.edp_js, result.energy_total_j * seconds,
                                1e-12 * result.edp_js);
    }
}
END_TEST

START_TEST(shares_sum_to_the_run_time_power)
{
    random_state = 10;
    for (int i = 0; i < DRAWS; i++) {
        double sum;

        draw_inputs();
        evaluate();
        sum = result.activation_power + result.const_sm_share;
        for (int u = 0; u < TEG_POWER_UNITS; u++)
            sum += result.share[u];
        ck_assert_double_eq_tol(sum, result.runtime_power_0,
                                1e-12 * result.runtime_power_0);
    }
}
END_TEST

/* Power over the SMs is concave and not below 0 at none, so gating, which is
 * linear and meets it at all SMs, lies below it. */
START_TEST(gated_power_is_never_above_the_ungated)
{
    random_state = 11;
    for (int i = 0; i < 200; i++) {
        struct power_point point[140];
        uint32_t sms, n;
        double blocks;

        draw_inputs();
        sms = (uint32_t)machine.sms;
        blocks = launch.blocks;
        for (n = 0; n < sms; n++) {
            launch.active_sms = n + 1;
            launch.blocks = blocks * (n + 1); /* the same rates */
            evaluate();
            power_point_fill(&point[n], &launch, &result);
        }
        power_gate(point, sms);
        for (n = 0; n < sms; n++)
            ck_assert_double_le(point[n].gated_power_w,
                                point[n].gpu_power_w * (1 + 1e-12));
        ck_assert_double_eq_tol(point[sms - 1].gated_power_w,
                                point[sms - 1].gpu_power_w, 1e-9);
    }
}
END_TEST

START_TEST(the_best_point_is_the_least_of_all)
{
    random_state = 12;
    for (int i = 0; i < 200; i++) {
        struct power_point point[60];
        uint32_t count = 1 + help_below(&random_state, 60);

        for (uint32_t n = 0; n < count; n++)
            point[n] =
                (struct power_point){.active_sms = count - n,
                                     .time_s = floor(draw(1, 9)),
                                     .edp_js = floor(draw(1, 9)),
                                     .energy_total_j = floor(draw(1, 9)),
                                     .energy_runtime_j = floor(draw(1, 9)),
                                     .energy_powergated_j = floor(draw(1, 9))};
        for (enum power_goal g = 0; g < POWER_GOALS; g++) {
            uint32_t best = power_best(point, count, g);

            for (uint32_t n = 0; n < count; n++) {
                double value = power_goal_value(&point[n], g);
                double least = power_goal_value(&point[best], g);

                ck_assert_double_ge(value, least);
                if (value <= least)
                    ck_assert_double_ge(point[n].active_sms,
                                        point[best].active_sms);
            }
        }
    }
}
END_TEST

/* 0.1 + 0.2 is more than 0.3 by rounding alone. */
START_TEST(rounding_does_not_choose)
{
    const struct power_point point[] = {
        {.active_sms = 1, .energy_total_j = 0.1 + 0.2},
        {.active_sms = 2, .energy_total_j = 0.3},
        {.active_sms = 3, .energy_total_j = 0.3001},
    };

    ck_assert_uint_eq(power_best(point, 3, POWER_GOAL_ENERGY), 0);
    ck_assert_uint_eq(power_best(point + 1, 2, POWER_GOAL_ENERGY), 0);
}
END_TEST

/* ---- rejections --------------------------------------------------------- */

static const struct {
    double *field, value;
    const char *name;
} impossible[] = {
    {&machine.sms, 0, "sms"},
    {&machine.clock_ghz, 0, "clock_ghz"},
    {&machine.idle_watts, -1, "idle_watts"},
    {&machine.activation_watts, -1, "activation_watts"},
    {&machine.const_sm_watts, -0.1, "const_sm_watts"},
    {&machine.issue_norm, 0, "issue_norm"},
    {&machine.core_beta, 10, "core_beta"},
    {&launch.threads_per_block, 0, "threads_per_block"},
    {&launch.blocks, -3, "blocks"},
    {&launch.active_sms, 0, "active_sms"},
    {&launch.active_sms, 31, "active_sms"},
    {&launch.exec_cycles, 0, "exec_cycles"},
    {&launch.exec_cycles, HUGE_VAL, "exec_cycles"},
    {&counts.dac_fp, -1, "dac_fp"},
    {&counts.dac_l2, -1e-9, "dac_l2"},
    {&counts.dac_gmem, (double)NAN, "dac_gmem"},
    {&counts.mem_insts, -1, "mem_insts"},
    {&counts.nonmem_insts, -1, "nonmem_insts"},
};

START_TEST(an_impossible_value_is_rejected_by_name)
{
    struct mwp_cwp_result timing;
    struct teg_diag d;

    set_gtx280();
    sweep_kernel(30, &timing);
    evaluate();
    *impossible[_i].field = impossible[_i].value;
    ck_assert_msg(power(&machine, &launch, &counts, &result, &d) == TEG_LIMIT,
                  "%s was accepted", impossible[_i].name);
    ck_assert_str_eq(d.where, impossible[_i].name);
    ck_assert_ptr_nonnull(strstr(d.what, "expected"));
}
END_TEST

START_TEST(a_rate_above_one_is_reported_as_it_is)
{
    set_gtx280();
    counts = (struct power_counts){.dac_fds = 1000};
    launch = (struct power_launch){.threads_per_block = 32,
                                   .blocks = 30,
                                   .active_sms = 30,
                                   .exec_cycles = 2000};
    evaluate();
    ck_assert_double_eq(result.rate[POWER_FDS], 2);
    ck_assert_double_gt(result.effective[POWER_FDS], 1.001375);
}
END_TEST

HELP_MAIN("power", 60, {golden_vectors_agree_to_nine_digits, 0},
          {golden_sweep_over_active_sms_agrees_to_nine_digits, 0},
          {the_sweep_is_best_where_bandwidth_saturates, 0},
          {rule_63_comes_next_to_the_sweep, 0},
          {rule_63_gives_the_published_twenty, 0},
          {rule_63_advises_all_where_bandwidth_does_not_limit, 0},
          {logarithm_over_active_sms_has_its_derived_factors, 0},
          {spec_linear_has_its_derived_values, 0},
          {all_rates_at_one_draw_the_derived_5_063_watts, 0},
          {a_table_is_straight_between_its_points_and_level_outside, 0},
          {more_accesses_never_draw_less, 0},
          {more_active_sms_at_the_same_rates_never_draw_less, 0},
          {energy_is_power_times_time, 0},
          {shares_sum_to_the_run_time_power, 0},
          {gated_power_is_never_above_the_ungated, 0},
          {the_best_point_is_the_least_of_all, 0},
          {rounding_does_not_choose, 0},
          {an_impossible_value_is_rejected_by_name,
           sizeof impossible / sizeof impossible[0]},
          {a_rate_above_one_is_reported_as_it_is, 0})
