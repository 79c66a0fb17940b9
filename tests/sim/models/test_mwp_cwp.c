/*
 * The pure MWP-CWP function against vectors computed from the equations in
 * exact arithmetic (tests/golden/mwp-cwp-vectors.csv, 12 digits), the worked
 * example of Hong & Kim 2009, section 3.6, and the pictures of both sources.
 */
#include "sim/models/mwp_cwp.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VECTORS "tests/golden/mwp-cwp-vectors.csv"

enum {
    COLUMNS_MAX = 80,
    LINE_MAX_BYTES = 4096,
    VECTOR_ROWS = 48,
};

static struct mwp_cwp_machine machine;
static struct mwp_cwp_launch launch;
static struct mwp_cwp_stats stats;
static struct mwp_cwp_options options;
static struct mwp_cwp_result result;

static const struct {
    const char *name;
    double *value;
} inputs[] =
    {
#define MACHINE(field, rule, fallback, unit, help) {#field, &machine.field},
#define LAUNCH(field, rule, fallback, unit, help)  {#field, &launch.field},
#define STATS(field, rule, fallback, unit, help)   {#field, &stats.field},
#include "sim/models/mwp_cwp.def"
},
  outputs[] = {
#define RESULT(field, column, symbol, unit, equation, help) \
    {column, &result.field},
#include "sim/models/mwp_cwp.def"
};

enum {
    INPUTS = sizeof inputs / sizeof *inputs
};
enum {
    OUTPUTS = sizeof outputs / sizeof *outputs
};

/* ---- golden vectors ---- */

struct row {
    char line[LINE_MAX_BYTES];
    char *cell[COLUMNS_MAX];
    int cells;
};

/* Next line that is no comment, cut at its commas. */
static int row_next(struct row *row, FILE *file)
{
    char *at = row->line;

    do {
        if (fgets(row->line, sizeof row->line, file) == NULL)
            return 0;
    } while (row->line[0] == '#');
    row->line[strcspn(row->line, "\r\n")] = '\0';
    row->cells = 0;
    while (row->cells < COLUMNS_MAX) {
        row->cell[row->cells++] = at;
        at = strchr(at, ',');
        if (at == NULL)
            break;
        *at++ = '\0';
    }
    return 1;
}

static const char *cell(const struct row *head, const struct row *row,
                        const char *name)
{
    for (int i = 0; i < head->cells; i++) {
        if (strcmp(head->cell[i], name) == 0)
            return row->cell[i];
    }
    ck_abort_msg("no column '%s' in " VECTORS, name);
}

static void read_inputs(const struct row *head, const struct row *row)
{
    const char *npw = cell(head, row, "npw_mode");

    for (int i = 0; i < INPUTS; i++)
        *inputs[i].value = strtod(cell(head, row, inputs[i].name), NULL);
    options = (struct mwp_cwp_options){
        .eqset = strcmp(cell(head, row, "eqset"), "isca") == 0 ? MWP_CWP_ISCA
                                                               : MWP_CWP_THESIS,
        .cond = strcmp(cell(head, row, "cond"), "literal") == 0
                    ? MWP_CWP_LITERAL
                    : MWP_CWP_RESOLVED,
        .npw = strcmp(npw, "printed") == 0     ? MWP_CWP_NPW_PRINTED
               : strcmp(npw, "corrected") == 0 ? MWP_CWP_NPW_CORRECTED
                                               : MWP_CWP_NPW_OFF,
    };
}

static void expect_close(double found, double expected, double tolerance,
                         const char *id, const char *name)
{
    ck_assert_msg(fabs(found - expected) <= tolerance * fabs(expected),
                  "%s %s: expected %.12g, found %.12g", id, name, expected,
                  found);
}

static void check_output(const char *id, const char *name, const char *text,
                         double found)
{
    if (*text == '\0')
        ck_assert_msg(isnan(found), "%s %s: expected undefined, found %g", id,
                      name, found);
    else
        expect_close(found, strtod(text, NULL), 1e-9, id, name);
}

START_TEST(golden_vectors_agree_to_nine_digits)
{
    static struct row head, row;
    FILE *file = fopen(VECTORS, "r");
    int rows = 0;

    ck_assert_msg(file != NULL, "cannot open " VECTORS);
    ck_assert(row_next(&head, file));
    while (row_next(&row, file)) {
        const char *id = row.cell[0];
        struct teg_diag d;

        ck_assert_int_eq(row.cells, head.cells);
        read_inputs(&head, &row);
        ck_assert_msg(
            mwp_cwp(&machine, &launch, &stats, &options, &result, &d) == TEG_OK,
            "%s: %s: %s", id, d.where, d.what);
        for (int i = 0; i < OUTPUTS; i++) {
            if (strcmp(outputs[i].name, "issue_bound") != 0)
                check_output(id, outputs[i].name,
                             cell(&head, &row, outputs[i].name),
                             *outputs[i].value);
        }
        ck_assert_str_eq(mwp_cwp_limiter_name(result.limiter),
                         cell(&head, &row, "mwp_limiter"));
        rows++;
    }
    fclose(file);
    ck_assert_int_eq(rows, VECTOR_ROWS);
}
END_TEST

/* ---- worked example (Hong & Kim 2009, 3.6 and Table 2) ---- */

static void set_example(void)
{
    machine = (struct mwp_cwp_machine){.clock_ghz = 1,
                                       .mem_bw_gbs = 80,
                                       .mem_ld = 420,
                                       .dep_del_uncoal = 10,
                                       .dep_del_coal = 4,
                                       .issue_cycles = 4};
    launch = (struct mwp_cwp_launch){.active_sms = 16,
                                     .threads_per_block = 128,
                                     .blocks = 80,
                                     .active_blocks_per_sm = 5};
    stats = (struct mwp_cwp_stats){.comp_insts = 27,
                                   .uncoal_mem_insts = 6,
                                   .synch_insts = 6,
                                   .m_factor = 1,
                                   .uncoal_per_mw = 32,
                                   .load_bytes_per_warp = 128};
    options = (struct mwp_cwp_options){0};
}

static void setup(void)
{
    set_example();
}

static void evaluate(void)
{
    struct teg_diag d;

    ck_assert_msg(mwp_cwp(&machine, &launch, &stats, &options, &result, &d) ==
                      TEG_OK,
                  "%s: %s", d.where, d.what);
}

/* Hong 2012, Table 6: as long as 4.2, 4.3, 30 and 35 others. */
START_TEST(long_operations_count_as_many_as_they_take)
{
    double *const kind[] = {&stats.fdiv_insts, &stats.imul_insts,
                            &stats.idiv_insts, &stats.imod_insts};
    const double factor[] = {4.2, 4.3, 30, 35};

    /* 27 + 6 instructions, of which two are such. */
    *kind[_i] = 2;
    evaluate();
    ck_assert_double_eq_tol(result.comp_cycles, 4 * (31 + 2 * factor[_i]),
                            1e-9);
}
END_TEST

START_TEST(worked_example_comes_out_as_published)
{
    evaluate();
    ck_assert_double_eq(result.n, 20);
    ck_assert_double_eq(result.departure_delay, 320);
    ck_assert_double_eq(result.mem_l, 730);
    ck_assert_double_eq(result.comp_cycles, 132);
    ck_assert_double_eq(result.mem_cycles, 4380);
    ck_assert_double_eq(result.cwp, 20);
    ck_assert_double_eq(result.rep, 1);
    ck_assert_double_eq(result.case_number, 2);
    /* Printed with two decimals. */
    ck_assert_double_eq_tol(result.mwp, 2.28, 0.005);
    ck_assert_double_eq_tol(result.cwp_full, 34.18, 0.005);
    /* Within what rounding MWP to 2.28 and BW_per_warp to 0.175 costs. */
    expect_close(result.mwp_peak_bw, 28.57, 2e-3, "example", "MWP_peak_BW");
    expect_close(result.exec_cycles_app, 38450, 1e-3, "example", "app");
    expect_close(result.synch_cost, 12288, 1e-3, "example", "synch");
    expect_close(result.exec_cycles_with_synch, 50738, 1e-3, "example", "all");
    ck_assert_int_eq(result.limiter, MWP_CWP_LIMITER_WITHOUT_BW);
}
END_TEST

START_TEST(worked_example_is_the_same_in_both_equation_sets)
{
    evaluate();
    ck_assert_double_eq_tol(result.exec_cycles_with_synch, 50728.1875, 1e-8);
    options.eqset = MWP_CWP_ISCA;
    evaluate();
    ck_assert_double_eq_tol(result.exec_cycles_with_synch, 50728.1875, 1e-8);
}
END_TEST

START_TEST(no_options_are_the_defaults)
{
    struct mwp_cwp_result other;

    evaluate();
    ck_assert_int_eq(mwp_cwp(&machine, &launch, &stats, NULL, &other, NULL),
                     TEG_OK);
    ck_assert_double_eq(other.exec_cycles_with_synch,
                        result.exec_cycles_with_synch);
}
END_TEST

/* ---- pictures: computation period 1, waiting period 3, one SM ---- */

/* `n` one-warp blocks of `periods` periods on a machine whose departure delay
 * makes MWP_Without_BW_full `mwp`.  One instruction, the access itself, takes
 * a whole computation period. */
static void set_picture(double n, double periods, double mwp)
{
    machine = (struct mwp_cwp_machine){.clock_ghz = 1,
                                       .mem_bw_gbs = HUGE_VAL,
                                       .mem_ld = 3,
                                       .dep_del_coal = 3 / mwp,
                                       .issue_cycles = 1};
    launch = (struct mwp_cwp_launch){.active_sms = 1,
                                     .threads_per_block = 32,
                                     .blocks = n,
                                     .active_blocks_per_sm = n};
    stats = (struct mwp_cwp_stats){.coal_mem_insts = periods,
                                   .m_factor = 1,
                                   .uncoal_per_mw = 1,
                                   .load_bytes_per_warp = 128};
    options = (struct mwp_cwp_options){.eqset = MWP_CWP_ISCA};
}

START_TEST(eight_warps_hide_all_but_one_waiting_period)
{
    set_picture(8, 1, 8); /* [I] Figure 6a: 8C + 1M */
    evaluate();
    ck_assert_double_eq(result.cwp_full, 4);
    ck_assert_double_eq(result.case_number, 3);
    ck_assert_double_eq_tol(result.exec_cycles_app, 11, 1e-12);
}
END_TEST

START_TEST(four_warps_with_two_periods_hide_all_but_one)
{
    set_picture(4, 2, 8); /* [I] Figure 6b: 4 warps, 2 periods: 8C + 1M */
    evaluate();
    /* MWP = N = CWP: Case 1; Mem + Comp + C x (MWP - 1) = 6 + 2 + 3 */
    ck_assert_double_eq(result.case_number, 1);
    ck_assert_double_eq_tol(result.exec_cycles_app, 11, 1e-12);
}
END_TEST

START_TEST(a_single_warp_is_serial)
{
    set_picture(1, 2, 8); /* [I] Figure 8a: Mem_cycles + Comp_cycles */
    evaluate();
    ck_assert_double_eq(result.case_number, 1);
    ck_assert_double_eq_tol(result.exec_cycles_app, 2 * 3 + 2 * 1, 1e-12);
}
END_TEST

START_TEST(two_warps_overlap_as_equation_four_says)
{
    set_picture(2, 2, 2); /* [I] Figure 8b: Mem + Comp + C x (2 - 1) */
    evaluate();
    ck_assert_double_eq_tol(result.exec_cycles_app, 6 + 2 + 1, 1e-12);
}
END_TEST

START_TEST(two_of_eight_warps_wait_at_a_time)
{
    set_picture(8, 1, 2); /* [I] Figure 5a: 4M + 1C with the final form */
    evaluate();
    ck_assert_double_eq(result.case_number, 2);
    ck_assert_double_eq_tol(result.exec_cycles_app, 4 * 3 + 1, 1e-12);
}
END_TEST

START_TEST(independent_requests_act_like_more_warps)
{
    set_picture(2, 2, 8); /* [T] Figure 26b: 4C + 1M */
    stats.ind_mem_req = 1;
    options.npw = MWP_CWP_NPW_CORRECTED;
    evaluate();
    ck_assert_double_eq(result.npw, 4);
    ck_assert_double_eq(result.mwp, 4);
    ck_assert_int_eq(result.limiter, MWP_CWP_LIMITER_NPW);
    ck_assert_double_eq_tol(result.exec_cycles_app, 4 + 3, 1e-12);
}
END_TEST

START_TEST(no_independent_request_leaves_n)
{
    set_picture(2, 2, 8);
    options.npw = MWP_CWP_NPW_CORRECTED;
    evaluate();
    ck_assert_double_eq(result.npw, 2);
}
END_TEST

/* ---- special cases ---- */

START_TEST(no_memory_instruction_costs_the_issue_bound)
{
    stats.uncoal_mem_insts = 0;
    for (int cond = MWP_CWP_RESOLVED; cond <= MWP_CWP_LITERAL; cond++) {
        options.cond = cond;
        evaluate();
        /* 4 cycles x 27 instructions x 20 warps x 1 */
        ck_assert_double_eq(result.exec_cycles_with_synch, 4 * 27 * 20);
        ck_assert_double_eq(result.cpi_app, 4);
        ck_assert_double_eq(result.cwp, 1);
        ck_assert_double_eq(result.case_number, 3);
        ck_assert_int_eq(result.limiter, MWP_CWP_LIMITER_NONE);
    }
}
END_TEST

START_TEST(no_memory_instruction_ignores_independent_requests)
{
    stats.uncoal_mem_insts = 0;
    options.npw = MWP_CWP_NPW_PRINTED;
    evaluate();
    ck_assert_double_eq(result.exec_cycles_app, 4 * 27 * 20);
}
END_TEST

START_TEST(a_starved_machine_earns_no_cycles_back)
{
    /* MWP_peak_BW = 1.4 / (128/730 x 16) = 0.499: periods beyond one are 0,
     * 4380 x 20 / MWP remains. */
    machine.mem_bw_gbs = 1.4;
    evaluate();
    ck_assert_int_eq(result.limiter, MWP_CWP_LIMITER_PEAK_BW);
    ck_assert_double_lt(result.mwp, 1);
    expect_close(result.exec_cycles_app, 4380 * 20 / result.mwp, 1e-12,
                 "starved", "app");
    ck_assert_double_eq(result.synch_cost, 0);
}
END_TEST

START_TEST(unlimited_bandwidth_never_limits)
{
    machine.mem_bw_gbs = HUGE_VAL;
    evaluate();
    ck_assert_double_eq_tol(result.mwp, 2.28125, 1e-12);
    ck_assert_double_eq_tol(result.exec_cycles_with_synch, 50728.1875, 1e-8);
}
END_TEST

START_TEST(repetitions_are_exact_or_rounded_up)
{
    launch.blocks = 100; /* 100 / (16 x 5) = 1.25 */
    evaluate();
    ck_assert_double_eq(result.rep, 1.25);
    options.rep = MWP_CWP_REP_CEIL;
    evaluate();
    ck_assert_double_eq(result.rep, 2);
}
END_TEST

START_TEST(literal_and_resolved_part_only_where_computation_dominates)
{
    double resolved;

    evaluate();
    resolved = result.exec_cycles_app;
    options.cond = MWP_CWP_LITERAL;
    evaluate();
    ck_assert_double_eq(result.exec_cycles_app, resolved);
    stats.comp_insts = 20000; /* Comp_cycles 80024 > Mem_cycles 4380 */
    evaluate();
    ck_assert_double_eq(result.case_number, 2);
    ck_assert_double_lt(result.exec_cycles_app, result.issue_bound);
    options.cond = MWP_CWP_RESOLVED;
    evaluate();
    ck_assert_double_eq(result.case_number, 3);
    ck_assert_double_ge(result.exec_cycles_app, result.issue_bound);
}
END_TEST

START_TEST(dominating_computation_is_case_three_even_where_mwp_is_smaller)
{
    /* Comp_cycles 4 x 300 = 1200 > Mem_cycles 730: CWP 1.61.  BW_per_warp
     * is 128/730 GB/s on each of 16 SMs, so this bandwidth makes MWP 1.2. */
    stats.uncoal_mem_insts = 1;
    stats.comp_insts = 299;
    machine.mem_bw_gbs = 1.2 * 16 * 128 / 730;
    evaluate();
    ck_assert_double_eq_tol(result.mwp, 1.2, 1e-12);
    ck_assert_double_lt(result.mwp, result.cwp);
    ck_assert_double_eq(result.case_number, 3);
    ck_assert_double_eq_tol(result.exec_cycles_app, 730 + 1200 * 20, 1e-9);
    options.cond = MWP_CWP_LITERAL;
    evaluate();
    ck_assert_double_eq(result.case_number, 2);
}
END_TEST

START_TEST(synchronization_counts_the_warps_of_a_block)
{
    /* Coalesced: MWP_peak_BW = 80 / (128/424 x 16) = 16.56 > 4 warps. */
    stats.coal_mem_insts = 6;
    stats.uncoal_mem_insts = 0;
    evaluate();
    ck_assert_double_eq(result.npwb, 4);
    /* departure delay 4, (4 - 1), 6 barriers, 5 blocks */
    ck_assert_double_eq(result.synch_cost, 4 * 3 * 6 * 5);
    options.eqset = MWP_CWP_ISCA;
    evaluate();
    ck_assert_double_eq(result.npwb, result.mwp);
}
END_TEST

/* ---- rejections ---- */

static const struct {
    double *field, value;
    const char *name;
} impossible[] = {
    {&machine.clock_ghz, 0, "clock_ghz"},
    {&machine.mem_bw_gbs, 0, "mem_bw_gbs"},
    {&machine.mem_ld, 0, "mem_ld"},
    {&machine.mem_ld, HUGE_VAL, "mem_ld"},
    {&machine.dep_del_uncoal, -1, "dep_del_uncoal"},
    {&machine.issue_cycles, 0, "issue_cycles"},
    {&launch.active_sms, 0, "active_sms"},
    {&launch.threads_per_block, 0, "threads_per_block"},
    {&launch.blocks, 0, "blocks"},
    {&launch.active_blocks_per_sm, -2, "active_blocks_per_sm"},
    {&stats.comp_insts, -1, "comp_insts"},
    {&stats.uncoal_mem_insts, -1, "uncoal_mem_insts"},
    {&stats.coal_mem_insts, -1, "coal_mem_insts"},
    {&stats.synch_insts, -1, "synch_insts"},
    {&stats.m_factor, 0, "m_factor"},
    {&stats.uncoal_per_mw, 0.5, "uncoal_per_mw"},
    {&stats.load_bytes_per_warp, 0, "load_bytes_per_warp"},
    {&stats.ind_mem_req, -1, "ind_mem_req"},
};

static void expect_rejected(const char *name)
{
    struct teg_diag d;

    ck_assert_msg(mwp_cwp(&machine, &launch, &stats, &options, &result, &d) ==
                      TEG_LIMIT,
                  "%s was accepted", name);
    ck_assert_str_eq(d.where, name);
    ck_assert_ptr_nonnull(strstr(d.what, "expected"));
}

START_TEST(an_impossible_value_is_rejected_by_name)
{
    *impossible[_i].field = impossible[_i].value;
    expect_rejected(impossible[_i].name);
    *impossible[_i].field = nan("");
    expect_rejected(impossible[_i].name);
}
END_TEST

START_TEST(a_kernel_without_instructions_is_rejected)
{
    stats.comp_insts = stats.uncoal_mem_insts = 0;
    expect_rejected("comp_insts");
}
END_TEST

START_TEST(independent_requests_stay_below_all_requests)
{
    options.npw = MWP_CWP_NPW_CORRECTED;
    stats.ind_mem_req = 6;
    expect_rejected("ind_mem_req");
    stats.ind_mem_req = 5.9;
    evaluate();
    options.npw = MWP_CWP_NPW_PRINTED;
    stats.ind_mem_req = 0;
    expect_rejected("ind_mem_req");
}
END_TEST

/* ---- property ---- */

/* xorshift64: repeatable inputs. */
static uint64_t draw_state;

static double draw(double from, double to)
{
    draw_state ^= draw_state << 13;
    draw_state ^= draw_state >> 7;
    draw_state ^= draw_state << 17;
    return from +
           (to - from) * ((double)(draw_state >> 11) / 9007199254740992.);
}

static void draw_inputs(void)
{
    machine = (struct mwp_cwp_machine){.clock_ghz = draw(0.5, 2),
                                       .mem_bw_gbs = draw(20, 300),
                                       .mem_ld = draw(200, 800),
                                       .dep_del_uncoal = draw(1, 50),
                                       .dep_del_coal = draw(1, 10),
                                       .issue_cycles = draw(1, 4)};
    launch = (struct mwp_cwp_launch){.active_sms = floor(draw(1, 31)),
                                     .threads_per_block = floor(draw(1, 513)),
                                     .blocks = floor(draw(1, 1000)),
                                     .active_blocks_per_sm = floor(draw(1, 9))};
    stats = (struct mwp_cwp_stats){.comp_insts = draw(0, 200),
                                   .coal_mem_insts = draw(1, 30),
                                   .uncoal_mem_insts = draw(1, 30),
                                   .m_factor = 1,
                                   .uncoal_per_mw = draw(1, 32),
                                   .load_bytes_per_warp = draw(32, 512)};
}

/* d/dMWP of Case 2 is -Mem_cycles x N / MWP^2 + Comp_p, not positive for
 * MWP <= N wherever Mem_cycles >= Comp_cycles and there are two accesses. */
START_TEST(more_bandwidth_never_costs_cycles_inside_case_two)
{
    int seen = 0;

    draw_state = 0x9e3779b97f4a7c15u;
    options = (struct mwp_cwp_options){0};
    for (int i = 0; i < 20000; i++) {
        double cycles;

        draw_inputs();
        evaluate();
        if (result.case_number != 2 ||
            result.limiter != MWP_CWP_LIMITER_PEAK_BW || result.mwp < 1)
            continue;
        cycles = result.exec_cycles_app;
        machine.mem_bw_gbs *= draw(1, 1.5);
        evaluate();
        if (result.case_number != 2)
            continue;
        ck_assert_double_le(result.exec_cycles_app, cycles * (1 + 1e-12));
        seen++;
    }
    ck_assert_int_gt(seen, 500);
}
END_TEST

/* The exception: with one access, Mem_cycles 404, Comp_cycles 400 and N = 3,
 * 404 x 3 / MWP + 400 x (MWP - 1) is 993.3 at MWP 1.8 and 1001.5 at 1.95. */
START_TEST(with_a_single_access_a_larger_mwp_can_cost_cycles)
{
    launch.threads_per_block = 32;
    launch.active_blocks_per_sm = 3;
    launch.blocks = 3 * launch.active_sms;
    machine.mem_ld = 400;
    stats = (struct mwp_cwp_stats){.comp_insts = 99,
                                   .coal_mem_insts = 1,
                                   .m_factor = 1,
                                   .uncoal_per_mw = 1,
                                   .load_bytes_per_warp = 404};
    /* BW_per_warp = 1 GB/s, so MWP_peak_BW = mem_bw_gbs / 16 */
    machine.mem_bw_gbs = 1.8 * 16;
    evaluate();
    ck_assert_double_eq(result.case_number, 2);
    ck_assert_double_eq_tol(result.exec_cycles_app, 404 * 3 / 1.8 + 400 * .8,
                            1e-9);
    machine.mem_bw_gbs = 1.95 * 16;
    evaluate();
    ck_assert_double_eq(result.case_number, 2);
    ck_assert_double_eq_tol(result.exec_cycles_app, 404 * 3 / 1.95 + 400 * .95,
                            1e-9);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("mwp_cwp");
    TCase *rules = tcase_create("rules");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(rules, setup, NULL);
    tcase_add_test(rules, golden_vectors_agree_to_nine_digits);
    tcase_add_loop_test(rules, long_operations_count_as_many_as_they_take, 0,
                        4);
    tcase_add_test(rules, worked_example_comes_out_as_published);
    tcase_add_test(rules, worked_example_is_the_same_in_both_equation_sets);
    tcase_add_test(rules, no_options_are_the_defaults);
    tcase_add_test(rules, eight_warps_hide_all_but_one_waiting_period);
    tcase_add_test(rules, four_warps_with_two_periods_hide_all_but_one);
    tcase_add_test(rules, a_single_warp_is_serial);
    tcase_add_test(rules, two_warps_overlap_as_equation_four_says);
    tcase_add_test(rules, two_of_eight_warps_wait_at_a_time);
    tcase_add_test(rules, independent_requests_act_like_more_warps);
    tcase_add_test(rules, no_independent_request_leaves_n);
    tcase_add_test(rules, no_memory_instruction_costs_the_issue_bound);
    tcase_add_test(rules, no_memory_instruction_ignores_independent_requests);
    tcase_add_test(rules, a_starved_machine_earns_no_cycles_back);
    tcase_add_test(rules, unlimited_bandwidth_never_limits);
    tcase_add_test(rules, repetitions_are_exact_or_rounded_up);
    tcase_add_test(rules,
                   literal_and_resolved_part_only_where_computation_dominates);
    tcase_add_test(
        rules, dominating_computation_is_case_three_even_where_mwp_is_smaller);
    tcase_add_test(rules, synchronization_counts_the_warps_of_a_block);
    tcase_add_loop_test(rules, an_impossible_value_is_rejected_by_name, 0,
                        sizeof impossible / sizeof *impossible);
    tcase_add_test(rules, a_kernel_without_instructions_is_rejected);
    tcase_add_test(rules, independent_requests_stay_below_all_requests);
    tcase_add_test(rules, more_bandwidth_never_costs_cycles_inside_case_two);
    tcase_add_test(rules, with_a_single_access_a_larger_mwp_can_cost_cycles);
    suite_add_tcase(suite, rules);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
