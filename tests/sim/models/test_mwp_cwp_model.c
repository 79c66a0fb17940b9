/*
 * MWP-CWP in the registry: inputs from statistics laid out by hand for the
 * worked example of Hong & Kim 2009 (Table 2), so that the result is known.
 */
#include "sim/models/mwp_cwp_model.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCKS = 80,
    WARPS = 320, /* 4 in each of the 80 blocks */
};

static struct teg_gpu gpu;
static struct teg_statistics statistics;
static struct mwp_cwp_inputs inputs;
static struct teg_estimate estimate;
static struct teg_diag diag;

static void set_machine(void)
{
    strcpy(gpu.name, "example");
    gpu.chip.sm_clock_mhz = 1000;
    gpu.chip.sms = 16;
    gpu.dram.bandwidth_gbs = 80;
    gpu.mwp_cwp.mem_ld = 420;
    gpu.mwp_cwp.departure_del_uncoal = 10;
    gpu.mwp_cwp.departure_del_coal = 4;
    gpu.mwp_cwp.uncoal_per_mw = 32;
    gpu.mwp_cwp.issue_cycles = 4;
    for (enum teg_op_class c = 0; c < TEG_CLASSES; c++)
        gpu.m_factor[c] = 1;
}

static void setup(void)
{
    uint64_t requests = 6 * WARPS;

    set_machine();
    statistics = (struct teg_statistics){
        .grid = {BLOCKS, 1, 1},
        .block = {16, 8, 1},
        .blocks = BLOCKS,
        .warps = WARPS,
        .warp_instructions = 33 * WARPS,
        .barriers = 6 * WARPS,
        .memory = {.global_requests = requests,
                   .uncoalesced_transactions = 32 * requests,
                   .transactions = 32 * requests,
                   .useful_bytes = 128 * requests,
                   .independent_loads = 3 * WARPS},
        .occupancy = {.blocks_per_sm = 5, .warps_per_sm = 20},
        .sms = 16,
    };
    statistics.class_[CLASS_FMAD].issued = 27 * WARPS;
    statistics.class_[CLASS_LDG].issued = requests;
}

static void measure(void)
{
    ck_assert_msg(mwp_cwp_inputs_measure(&inputs, &statistics, &gpu, &diag) ==
                      TEG_OK,
                  "%s: %s", diag.where, diag.what);
}

static void run_model(void)
{
    uint32_t count;
    const struct teg_model *const *models = teg_models(&count);

    ck_assert_uint_ge(count, 1);
    ck_assert_str_eq(models[0]->name, "mwp-cwp");
    models[0]->estimate(&statistics, &gpu, &estimate);
}

static double term(const char *name)
{
    for (uint32_t i = 0; i < estimate.term_count; i++) {
        if (strcmp(estimate.term[i].name, name) == 0)
            return estimate.term[i].value;
    }
    ck_abort_msg("no term '%s'", name);
}

static void expect_refused(const char *why)
{
    run_model();
    ck_assert(!estimate.applicable);
    ck_assert_str_eq(estimate.model, "mwp-cwp");
    ck_assert_msg(strstr(estimate.why, why) != NULL, "'%s' in '%s'", why,
                  estimate.why);
}

START_TEST(statistics_of_the_worked_example_give_its_cycles)
{
    run_model();
    ck_assert(estimate.applicable);
    ck_assert_double_eq_tol(estimate.cycles, 50728.1875, 1e-8);
    ck_assert_double_eq(term("N"), 20);
    ck_assert_double_eq_tol(term("MWP"), 2.28125, 1e-12);
    ck_assert_double_eq(term("CWP"), 20);
    ck_assert_double_eq(term("Case"), 2);
    ck_assert_double_eq_tol(term("Exec_cycles_app"), 38428.1875, 1e-8);
    ck_assert_double_eq_tol(term("Synch_cost"), 12300, 1e-8);
    ck_assert_double_eq_tol(term("CPI"), 58.2245265152, 1e-9);
    ck_assert_double_eq(term("Issue_bound"), 132 * 20);
    ck_assert_str_eq(estimate.limiter,
                     "transactions of uncoalesced accesses (MWP 2.28 by "
                     "departure delay)");
    ck_assert_ptr_nonnull(strstr(estimate.advice, "coalesce"));
    /* 12300 of 50728 cycles */
    ck_assert_ptr_nonnull(strstr(estimate.advice, "24 %"));
}
END_TEST

START_TEST(all_inputs_and_terms_fit_the_estimate)
{
    run_model();
    ck_assert_double_eq(term("clock_ghz"), 1); /* the first */
    ck_assert_double_eq(term("ind_mem_req"), 3);
    ck_assert_uint_lt(estimate.term_count, TEG_MODEL_TERMS_MAX);
}
END_TEST

START_TEST(counts_are_records_over_warps)
{
    statistics.memory.coalesced_requests = 2 * WARPS;
    statistics.memory.coalesced_transactions = 4 * WARPS;
    measure();
    ck_assert_double_eq(inputs.stats.comp_insts, 27);
    ck_assert_double_eq(inputs.stats.coal_mem_insts, 2);
    ck_assert_double_eq(inputs.stats.uncoal_mem_insts, 4);
    ck_assert_double_eq(inputs.stats.synch_insts, 6);
    ck_assert_double_eq(inputs.stats.ind_mem_req, 3);
    ck_assert_double_eq(inputs.stats.load_bytes_per_warp, 128);
    ck_assert_double_eq(inputs.launch.threads_per_block, 128);
    ck_assert_double_eq(inputs.launch.active_sms, 16);
    ck_assert_double_eq(inputs.machine.clock_ghz, 1);
}
END_TEST

START_TEST(transactions_come_from_the_trace_where_the_description_has_none)
{
    gpu.mwp_cwp.uncoal_per_mw = 0;
    statistics.memory.uncoalesced_transactions = 15 * 6 * WARPS;
    measure();
    ck_assert_double_eq(inputs.stats.uncoal_per_mw, 15);
    statistics.memory.coalesced_requests = 6 * WARPS;
    measure();
    ck_assert_double_eq(inputs.stats.uncoal_per_mw, 1);
    gpu.mwp_cwp.uncoal_per_mw = 32;
    measure();
    ck_assert_double_eq(inputs.stats.uncoal_per_mw, 32);
}
END_TEST

START_TEST(factor_is_the_mean_over_all_instructions)
{
    gpu.m_factor[CLASS_IMUL] = 4.3;
    gpu.m_factor[CLASS_LDG] = 9; /* memory counts 1 whatever this says */
    statistics.class_[CLASS_FMAD].issued = 17 * WARPS;
    statistics.class_[CLASS_IMUL].issued = 10 * WARPS;
    measure();
    /* (17 + 10 x 4.3 + 6) / 33 = 2 */
    ck_assert_double_eq_tol(inputs.stats.m_factor, 2, 1e-12);
}
END_TEST

START_TEST(a_small_grid_has_no_more_warps_than_it_holds)
{
    /* 20 blocks on 16 SMs: at most ceil(20 / 16) = 2 on one. */
    statistics.blocks = 20;
    measure();
    ck_assert_double_eq(inputs.launch.active_sms, 16);
    ck_assert_double_eq(inputs.launch.active_blocks_per_sm, 2);
    /* 7 blocks: one each on 7 SMs */
    statistics.blocks = 7;
    measure();
    ck_assert_double_eq(inputs.launch.active_sms, 7);
    ck_assert_double_eq(inputs.launch.active_blocks_per_sm, 1);
}
END_TEST

START_TEST(an_unknown_block_size_is_that_of_its_warps)
{
    statistics.block[0] = 0;
    measure();
    ck_assert_double_eq(inputs.launch.threads_per_block, 128);
}
END_TEST

START_TEST(without_bandwidth_in_the_description_there_is_no_limit)
{
    gpu.dram.bandwidth_gbs = 0; /* what-if unlimited-bandwidth */
    run_model();
    ck_assert(estimate.applicable);
    ck_assert_double_eq_tol(estimate.cycles, 50728.1875, 1e-8);
    for (uint32_t i = 0; i < estimate.term_count; i++)
        ck_assert_msg(isfinite(estimate.term[i].value), "%s",
                      estimate.term[i].name);
}
END_TEST

START_TEST(no_memory_access_is_limited_by_issue)
{
    statistics.memory = (struct teg_memory_statistics){0};
    statistics.barriers = 0;
    run_model();
    ck_assert(estimate.applicable);
    /* 33 instructions x 4 cycles x 20 warps */
    ck_assert_double_eq(estimate.cycles, 33 * 4 * 20);
    ck_assert_str_eq(estimate.limiter, "issuing instructions");
    for (uint32_t i = 0; i < estimate.term_count; i++)
        ck_assert_str_ne(estimate.term[i].name, "MWP");
}
END_TEST

START_TEST(limiters_are_told_apart)
{
    /* All coalesced: departure delay 4, Case 2, MWP_peak_BW = 16.6 */
    statistics.memory.coalesced_requests = 6 * WARPS;
    statistics.warp_instructions = 10 * WARPS;
    gpu.dram.bandwidth_gbs = 20;
    statistics.barriers = 0;
    run_model();
    ck_assert_ptr_nonnull(strstr(estimate.limiter, "memory bandwidth"));
    ck_assert_ptr_nonnull(strstr(estimate.limiter, "by bandwidth"));
    gpu.dram.bandwidth_gbs = 1000;
    gpu.mwp_cwp.departure_del_coal = 100;
    run_model();
    ck_assert_ptr_nonnull(strstr(estimate.limiter, "rate of memory"));
    gpu.mwp_cwp.departure_del_coal = 4;
    statistics.occupancy.blocks_per_sm = 1;
    run_model();
    ck_assert_ptr_nonnull(strstr(estimate.limiter, "too few warps"));
    statistics.barriers = 10000 * WARPS;
    run_model();
    ck_assert_ptr_nonnull(strstr(estimate.limiter, "barriers"));
}
END_TEST

START_TEST(an_estimate_below_the_issue_bound_says_so)
{
    struct mwp_cwp_options literal = {.cond = MWP_CWP_LITERAL};

    measure();
    inputs.stats.comp_insts = 20000;
    mwp_cwp_evaluate(&inputs, &literal, &estimate);
    ck_assert(estimate.applicable);
    ck_assert_ptr_nonnull(strstr(estimate.advice, "issue bound"));
    mwp_cwp_evaluate(&inputs, NULL, &estimate);
    ck_assert_ptr_null(strstr(estimate.advice, "issue bound"));
}
END_TEST

START_TEST(a_missing_group_leaves_the_rest_for_a_person)
{
    gpu.mwp_cwp.mem_ld = 0;
    ck_assert_int_eq(mwp_cwp_inputs_measure(&inputs, &statistics, &gpu, &diag),
                     TEG_LIMIT);
    ck_assert(isnan(inputs.machine.mem_ld));
    ck_assert(isnan(inputs.machine.dep_del_uncoal));
    ck_assert(isnan(inputs.machine.dep_del_coal));
    ck_assert_double_eq(inputs.machine.mem_bw_gbs, 80);
    ck_assert_double_eq(inputs.launch.active_blocks_per_sm, 5);
    ck_assert_double_eq(inputs.stats.comp_insts, 27);
}
END_TEST

START_TEST(what_is_missing_is_said)
{
    gpu.mwp_cwp.mem_ld = 0;
    expect_refused("example: the description has no mwp_cwp group");
    set_machine();
    statistics.warps = 0;
    expect_refused("no warps");
    setup();
    statistics.occupancy.blocks_per_sm = 0;
    expect_refused("active_blocks_per_sm");
}
END_TEST

/* ---- parameters given by a person ---- */

static teg_status set(const char *key, const char *value)
{
    return mwp_cwp_inputs_set(&inputs, key, value, &diag);
}

START_TEST(the_worked_example_can_be_typed_in)
{
    static const char *const typed[][2] = {
        {"clock_ghz", "1"},
        {"mem_bw_gbs", "80"},
        {"active_sms", "16"},
        {"mem_ld", "420"},
        {"dep_del_uncoal", "10"},
        {"dep_del_coal", "4"},
        {"threads_per_block", "128"},
        {"blocks", "80"},
        {"active_blocks_per_sm", "5"},
        {"comp_insts", "27"},
        {"uncoal_mem_insts", "6"},
        {"synch_insts", "6"},
    };

    mwp_cwp_inputs_init(&inputs);
    for (size_t i = 0; i < sizeof typed / sizeof *typed; i++)
        ck_assert_int_eq(set(typed[i][0], typed[i][1]), TEG_OK);
    mwp_cwp_evaluate(&inputs, NULL, &estimate);
    ck_assert_double_eq_tol(estimate.cycles, 50728.1875, 1e-8);
}
END_TEST

START_TEST(a_missing_parameter_is_named)
{
    mwp_cwp_inputs_init(&inputs);
    mwp_cwp_evaluate(&inputs, NULL, &estimate);
    ck_assert(!estimate.applicable);
    ck_assert_str_eq(estimate.why,
                     "clock_ghz: expected a number above 0, found none");
}
END_TEST

START_TEST(an_unknown_parameter_gets_the_nearest)
{
    mwp_cwp_inputs_init(&inputs);
    ck_assert_int_eq(set("thread_per_block", "1"), TEG_UNKNOWN);
    ck_assert_ptr_nonnull(strstr(diag.what, "'threads_per_block'"));
    ck_assert_int_eq(set("mem_ld", "many"), TEG_FORMAT);
    ck_assert_int_eq(set("mem_ld", ""), TEG_FORMAT);
    ck_assert_int_eq(set("mem_ld", "4x"), TEG_FORMAT);
    ck_assert_int_eq(set("mem_ld", "nan"), TEG_FORMAT);
    ck_assert(isnan(inputs.machine.mem_ld));
}
END_TEST

START_TEST(every_parameter_reaches_its_own_field)
{
    uint32_t count;
    const struct teg_parameter *p = mwp_cwp_parameters(&count);

    ck_assert_uint_eq(count * sizeof(double), sizeof inputs);
    mwp_cwp_inputs_init(&inputs);
    for (uint32_t i = 0; i < count; i++) {
        char text[16];

        snprintf(text, sizeof text, "%u", i + 100);
        ck_assert_int_eq(set(p[i].name, text), TEG_OK);
    }
    for (uint32_t i = 0; i < count; i++)
        ck_assert_double_eq(((const double *)(const void *)&inputs)[i],
                            i + 100);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("mwp_cwp_model");
    TCase *rules = tcase_create("rules");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(rules, setup, NULL);
    tcase_add_test(rules, statistics_of_the_worked_example_give_its_cycles);
    tcase_add_test(rules, all_inputs_and_terms_fit_the_estimate);
    tcase_add_test(rules, counts_are_records_over_warps);
    tcase_add_test(
        rules, transactions_come_from_the_trace_where_the_description_has_none);
    tcase_add_test(rules, factor_is_the_mean_over_all_instructions);
    tcase_add_test(rules, a_small_grid_has_no_more_warps_than_it_holds);
    tcase_add_test(rules, an_unknown_block_size_is_that_of_its_warps);
    tcase_add_test(rules,
                   without_bandwidth_in_the_description_there_is_no_limit);
    tcase_add_test(rules, no_memory_access_is_limited_by_issue);
    tcase_add_test(rules, limiters_are_told_apart);
    tcase_add_test(rules, an_estimate_below_the_issue_bound_says_so);
    tcase_add_test(rules, a_missing_group_leaves_the_rest_for_a_person);
    tcase_add_test(rules, what_is_missing_is_said);
    tcase_add_test(rules, the_worked_example_can_be_typed_in);
    tcase_add_test(rules, a_missing_parameter_is_named);
    tcase_add_test(rules, an_unknown_parameter_gets_the_nearest);
    tcase_add_test(rules, every_parameter_reaches_its_own_field);
    suite_add_tcase(suite, rules);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
