/*
 * What the thesis TEG comes from states about the GTX 280, on its real
 * description: the checklist's A1 to A15.  Expected numbers are the text's
 * (Lai 2013; Table 3.1 and sections 3.2.1 to 3.2.3) or follow from them by the
 * calculation beside them.
 */
#include "sim/teg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help_suite.h"

enum {
    ISSUES_MAX = 65536,
    PARAMETERS_MAX = 4,
    /* Table 3.1's rows, as latency.sketch and throughput.sketch number them */
    ROW_FADD = 3,
    ROW_FMUL = 4,
    ROWS = 9
};

static const struct {
    const char *name;
    uint32_t execution, multiple_warps, same_warp;
} table_3_1[ROWS] = {
    {"integer add", 24, 4, 8},    {"integer multiply", 24, 4, 8},
    {"integer mad", 24, 4, 8},    {"float add", 24, 4, 8},
    {"float multiply", 24, 2, 8}, {"float mad", 24, 4, 8},
    {"double add", 48, 32, 32},   {"double multiply", 48, 32, 32},
    {"double fma", 48, 32, 32},
};

/* The first SM's. */
struct heard {
    struct sim_issue issue[ISSUES_MAX];
    struct sim_request request[ISSUES_MAX];
    uint32_t issues;
};

static struct heard heard;
static struct teg_statistics statistics;

static void on_issue(void *self, const struct sim_issue *e)
{
    struct heard *h = self;

    if (e->sm != 0)
        return;
    ck_assert_uint_lt(h->issues, ISSUES_MAX);
    h->issue[h->issues] = *e;
    if (e->request != NULL)
        h->request[h->issues] = *e->request;
    h->issues++;
}

static struct teg_gpu *gtx280(void)
{
    struct teg_gpu *gpu;
    struct teg_diag d;

    ck_assert_msg(teg_gpu_load("config/gtx280.cfg", &gpu, &d) == TEG_OK,
                  "%s: %s", d.where, d.what);
    return gpu;
}

static void simulate(struct teg_trace *trace)
{
    struct sim_listener listener = {.self = &heard, .on_issue = on_issue};
    struct teg_simulation_options options = {.listener = &listener,
                                             .listener_count = 1};
    struct teg_gpu *gpu = gtx280();
    struct teg_launch launch;
    struct teg_diag d;

    heard.issues = 0;
    ck_assert_int_eq(teg_trace_launch(trace, 0, &launch, &d), TEG_OK);
    ck_assert_msg(teg_simulate(&launch, gpu, &options, &statistics, &d) ==
                      TEG_OK,
                  "%s: %s", d.where, d.what);
    launch.close(launch.self);
    teg_trace_close(trace);
    teg_gpu_free(gpu);
}

/* Runs a bundled sketch with "NAME=VALUE NAME=VALUE". */
static void run(const char *sketch, const char *parameters)
{
    char path[128], text[128];
    const char *set[PARAMETERS_MAX];
    struct teg_trace_options options = {.set = set};
    struct teg_trace *trace;
    struct teg_diag d;

    snprintf(path, sizeof path, "tests/kernels/gt200/%s.sketch", sketch);
    snprintf(text, sizeof text, "%s", parameters);
    for (char *p = strtok(text, " "); p != NULL; p = strtok(NULL, " "))
        set[options.set_count++] = p;
    ck_assert_msg(teg_trace_open(path, &options, &trace, &d) == TEG_OK,
                  "%s: %s", d.where, d.what);
    simulate(trace);
}

static void run_for(const char *sketch, const char *format, uint32_t a,
                    uint32_t b)
{
    char parameters[128];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(parameters, sizeof parameters, format, a, b);
#pragma GCC diagnostic pop
    run(sketch, parameters);
}

/* Runs a sketch of one warp whose body is `body`. */
static void run_body(const char *body)
{
    static char text[4096];
    struct teg_trace *trace;
    struct teg_diag d;
    int n = snprintf(text, sizeof text,
                     "sketch 1\nisa gt200\ngrid 1\nblock 32\nshared 1024\n%s",
                     body);

    ck_assert_msg(teg_trace_open_memory("body.sketch", (const uint8_t *)text,
                                        (size_t)n, NULL, &trace, &d) == TEG_OK,
                  "%s: %s", d.where, d.what);
    simulate(trace);
}

/* Cycles from the first to the last issue of class `c`. */
static uint64_t between_first_and_last(enum teg_op_class c)
{
    uint64_t first = UINT64_MAX, last = 0;

    for (uint32_t i = 0; i < heard.issues; i++) {
        if (heard.issue[i].op_class != c)
            continue;
        if (first == UINT64_MAX)
            first = heard.issue[i].cycle;
        last = heard.issue[i].cycle;
    }
    return last - first;
}

/* Mean cycles between issues of all warps together. */
static double mean_gap(void)
{
    ck_assert_uint_gt(heard.issues, 1);
    return (double)(heard.issue[heard.issues - 1].cycle -
                    heard.issue[0].cycle) /
           (heard.issues - 1);
}

/* ---- A1 to A6, A14, A15: arithmetic -------------------------------------- */

/* 28 for clock(), 20 intervals of 24, 8 behind the last: 516; measured 514. */
START_TEST(chain_of_21_adds_takes_516_cycles_between_the_clocks)
{
    uint64_t cycles;

    run("fadd_chain", "");
    cycles = between_first_and_last(CLASS_S2R);
    ck_assert_uint_eq(cycles, 516);
    ck_assert_uint_eq((cycles - 28 - 8) / 20, 24);
}
END_TEST

START_TEST(execution_latency_of_each_row_of_table_3_1)
{
    run_for("latency", "ROW=%u N=%u", (uint32_t)_i, 21);
    ck_assert_msg(between_first_and_last(CLASS_S2R) ==
                      28 + 20 * table_3_1[_i].execution +
                          table_3_1[_i].same_warp,
                  "%s", table_3_1[_i].name);
}
END_TEST

START_TEST(same_warp_issue_latency_of_each_row_of_table_3_1)
{
    run_for("throughput", "ROW=%u WARPS=%u", (uint32_t)_i, 1);
    for (uint32_t i = 1; i < heard.issues; i++)
        ck_assert_uint_eq(heard.issue[i].cycle - heard.issue[i - 1].cycle,
                          table_3_1[_i].same_warp);
}
END_TEST

START_TEST(multiple_warp_issue_latency_of_each_row_of_table_3_1)
{
    run_for("throughput", "ROW=%u WARPS=%u", (uint32_t)_i, 8);
    ck_assert_double_eq_tol(mean_gap(), table_3_1[_i].multiple_warps, 0.02);
}
END_TEST

START_TEST(two_warps_fill_the_sp_with_adds_and_four_sp_and_sfu_with_multiplies)
{
    run_for("throughput", "ROW=%u WARPS=%u", ROW_FADD, 2);
    ck_assert_double_eq_tol(mean_gap(), 4, 0.02);
    run_for("throughput", "ROW=%u WARPS=%u", ROW_FMUL, 4);
    ck_assert_double_eq_tol(mean_gap(), 2, 0.02);
}
END_TEST

/* 24 cycles shared by the warps, but no less than the SP's 4. */
START_TEST(chains_of_six_warps_fill_the_sp)
{
    static const struct {
        uint32_t warps;
        double gap;
    } expect[] = {{1, 24}, {2, 12}, {4, 6}, {6, 4}, {8, 4}};

    run_for("latency", "WARPS=%u N=%u", expect[_i].warps, 400);
    ck_assert_double_eq_tol(mean_gap(), expect[_i].gap, 0.01 * expect[_i].gap);
}
END_TEST

START_TEST(double_adds_take_32_cycles_with_any_number_of_warps)
{
    static const uint32_t warps[] = {1, 2, 8};

    run_for("dadd_stream", "WARPS=%u N=%u", warps[_i], 128);
    ck_assert_double_eq_tol(mean_gap(), 32, 1e-9);
}
END_TEST

START_TEST(masked_arithmetic_takes_as_long_as_unmasked)
{
    uint64_t whole;

    run_body("repeat i 40\nFADD R4, R4, R2\nDADD R6, R8, R6\nend\n");
    whole = statistics.cycles;
    run_body("repeat i 40\n@{lane == 3} FADD R4, R4, R2\n"
             "@{lane < 20} DADD R6, R8, R6\nend\n");
    ck_assert_uint_eq(statistics.cycles, whole);
}
END_TEST

/* 24 cycles at one issue in 4. */
START_TEST(saturated_sp_holds_six_instructions)
{
    uint32_t most = 0;

    run_for("throughput", "ROW=%u WARPS=%u", ROW_FADD, 2);
    for (uint32_t i = 0; i < heard.issues; i++) {
        uint32_t load = 0;

        for (uint32_t j = 0; j <= i; j++)
            load += heard.issue[j].done > heard.issue[i].cycle;
        if (load > most)
            most = load;
    }
    ck_assert_uint_eq(most, 6);
}
END_TEST

/* ---- A7 to A10, A13: global memory --------------------------------------- */

START_TEST(one_warp_issues_a_load_every_60_cycles)
{
    run("gld_stream", "");
    for (uint32_t i = 1; i < heard.issues; i++)
        ck_assert_uint_eq(heard.issue[i].cycle - heard.issue[i - 1].cycle, 60);
}
END_TEST

/* 60 cycles shared by the warps, but no less than the unit's 4. */
START_TEST(warps_share_the_gap_between_loads)
{
    static const struct {
        uint32_t warps;
        double gap;
    } expect[] = {{2, 30}, {4, 15}, {5, 12}};

    run_for("gld_stream", "WARPS=%u N=%u", expect[_i].warps, 128);
    ck_assert_double_eq_tol(mean_gap(), expect[_i].gap, 0.01 * expect[_i].gap);
}
END_TEST

START_TEST(loads_are_never_closer_than_four_cycles)
{
    run("gld_stream", "WARPS=16 N=16");
    for (uint32_t i = 1; i < heard.issues; i++)
        ck_assert_uint_ge(heard.issue[i].cycle - heard.issue[i - 1].cycle, 4);
    ck_assert_uint_eq(heard.issue[15].cycle - heard.issue[0].cycle, 15 * 4);
}
END_TEST

/* Eq. 3.2 in bytes: 18 warps of doubles, 37 of floats, no more. */
START_TEST(eighteen_double_transactions_of_a_warp_may_be_under_way)
{
    struct teg_gpu *gpu = gtx280();

    ck_assert_uint_eq(gpu->memory.in_flight_bytes / (32 * 8), 18);
    ck_assert_uint_eq(gpu->memory.in_flight_bytes / (32 * 4), 37);
    teg_gpu_free(gpu);
}
END_TEST

/* A tenth of 141.7 GB/s is 10.93 bytes a cycle; 18 of 256 bytes in 440
 * cycles are 10.47: a load every 24.4 cycles of a TPC.  Blocks 0, 10 and 20 are
 * of one TPC. */
START_TEST(a_tpc_completes_a_double_load_in_about_24_4_cycles)
{
    double loads = 3 * 16 * 32;

    run("double_gld_stream", "EVERY=10");
    ck_assert_double_eq_tol(((double)statistics.cycles - 440) / loads,
                            440.0 / 18, 0.01 * 440 / 18);
}
END_TEST

START_TEST(worst_scatter_makes_16_transactions_of_a_half_warp)
{
    run("scatter", "BLOCKS=1 WARPS=1");
    for (uint32_t i = 0; i < heard.issues; i++) {
        const struct sim_request *r = &heard.request[i];

        if (heard.issue[i].op_class != CLASS_LDG)
            continue;
        ck_assert_uint_eq(r->transactions, 2 * 16);
        ck_assert_uint_eq(r->bytes, 2 * 16 * 32);
        /* 87.5 % wasted */
        ck_assert_uint_eq(r->bytes - r->useful_bytes, r->bytes / 8 * 7);
    }
}
END_TEST

/* By hand from the rule of the CUDA programming guide 2.x, 5.1.2.1. */
START_TEST(half_warps_coalesce_into_segments)
{
    static const struct {
        uint32_t transactions, bytes;
    } expect[] = {{2, 2 * 64},  {2, 2 * 64}, {3, 128 + 64 + 32},
                  {2, 2 * 128}, {2, 2 * 32}, {32, 32 * 32}};

    run_for("coalesce", "PATTERN=%u N=%u", (uint32_t)_i, 1);
    ck_assert_uint_eq(heard.request[0].transactions, expect[_i].transactions);
    ck_assert_uint_eq(heard.request[0].bytes, expect[_i].bytes);
}
END_TEST

/* A coalesced load keeps the unit for 4 cycles, each further transaction 4
 * more; one warp is kept as long, if that is more than its 60. */
START_TEST(uncoalesced_load_keeps_its_warp_for_its_transactions)
{
    run("coalesce", "PATTERN=5 N=2");
    ck_assert_uint_eq(heard.issue[0].busy, 31 * 4);
    ck_assert_uint_eq(heard.issue[1].cycle - heard.issue[0].cycle, 31 * 4);
    run("coalesce", "PATTERN=0 N=2");
    ck_assert_uint_eq(heard.issue[0].busy, 4);
}
END_TEST

/* A channel moves an eighth of 141.7 GB/s: 13.67 bytes a cycle.  (3.2.3.5) */
START_TEST(skewed_accesses_have_one_channel_s_bandwidth)
{
    double bytes = 30 * 8 * 16 * 128;

    run("skew", "SKEW=1");
    ck_assert_uint_eq(statistics.channel_bytes_max,
                      statistics.channel_bytes_sum);
    ck_assert_double_eq_tol((double)statistics.cycles - 440,
                            bytes / (141700.0 / 1296 / 8),
                            0.01 * (double)statistics.cycles);
    run("skew", "SKEW=0");
    ck_assert_uint_eq(statistics.channel_bytes_max,
                      statistics.channel_bytes_sum / 8);
}
END_TEST

static double skew_of(const char *sketch, const char *parameters)
{
    run(sketch, parameters);
    return 8 * (double)statistics.channel_bytes_max /
           (double)statistics.channel_bytes_sum;
}

/* Tiles that change places are written to one channel after the other, each of
 * which has as much in the end.  (Ruetsch and Micikevicius 2009) */
START_TEST(camping_is_skew_though_all_channels_get_the_same)
{
    double camps = skew_of("../ladders/transpose", "STEP=7 W=512");
    double even = skew_of("../ladders/transpose", "STEP=6 W=512");

    ck_assert_double_gt(camps, 2);
    ck_assert_double_lt(even, 1.25);
}
END_TEST

/* ---- A11, A12: shared memory --------------------------------------------- */

/* 74 without, 266 with a 16-way conflict, linearly in between, rounded to
 * issue slots of 2 cycles. */
START_TEST(shared_operand_takes_longer_by_its_conflict_degree)
{
    double degree = _i + 1, expected = 74 + (266 - 74) * (degree - 1) / 15;

    run_for("fadd_shared", "WAYS=%u N=%u", (uint32_t)_i + 1, 21);
    for (uint32_t i = 3; i < 23; i++) {
        uint64_t gap = heard.issue[i].cycle - heard.issue[i - 1].cycle;

        ck_assert_double_eq_tol((double)gap, expected, 2);
        if (_i == 0 || _i == 15)
            ck_assert_double_eq((double)gap, expected);
    }
}
END_TEST

START_TEST(half_warp_reading_one_word_has_no_conflict)
{
    run_body("repeat i 10\nFADD32 R2, g[A1 : 64], R2\nend\n");
    for (uint32_t i = 1; i < heard.issues; i++)
        ck_assert_uint_eq(heard.issue[i].cycle - heard.issue[i - 1].cycle, 74);
}
END_TEST

/* Without a conflict the next instruction of the warp goes 8 cycles later,
 * whether or not it needs the result; with one when that is there (one warp of
 * Tables 3.2 and 3.3: docs/accuracy.md). */
START_TEST(conflict_stops_its_warp_until_it_is_served)
{
    run_body("FADD32 R2, g[A1 : 4*lane], R2\nFADD32 R3, R4, R4\n");
    ck_assert_uint_eq(heard.issue[1].cycle, 8);
    run_body("FADD32 R2, g[A1 : 64*(lane%16)], R2\nFADD32 R3, R4, R4\n");
    ck_assert_uint_eq(heard.issue[1].cycle, 266);
}
END_TEST

/* 3.2.2.4: a load from shared memory takes 38 cycles. */
START_TEST(move_from_shared_memory_is_a_load)
{
    run_body("MOV R2, g[A1 : 4*lane]\nFADD32 R3, R2, R4\n");
    ck_assert_uint_eq(heard.issue[1].cycle, 38);
}
END_TEST

/* A conflicting instruction holds the SP for its passes, 2 cycles for each
 * of 32: what 16 warps of Table 3.2 lose, 960 cycles a step, is 16 * (64 -
 * 4). */
START_TEST(conflicts_of_many_warps_take_64_cycles_each)
{
    uint64_t cycles;

    run("matmul_abt", "CONFLICT=0 WARPS=8 BLOCKS=60");
    cycles = statistics.cycles;
    run("matmul_abt", "CONFLICT=1 WARPS=8 BLOCKS=60");
    ck_assert_double_eq_tol((double)(statistics.cycles - cycles) / 160,
                            16 * (64 - 4), 0.05 * 960);
}
END_TEST

HELP_MAIN("gt200", 30,
          {chain_of_21_adds_takes_516_cycles_between_the_clocks, 0},
          {execution_latency_of_each_row_of_table_3_1, ROWS},
          {same_warp_issue_latency_of_each_row_of_table_3_1, ROWS},
          {multiple_warp_issue_latency_of_each_row_of_table_3_1, ROWS},
          {two_warps_fill_the_sp_with_adds_and_four_sp_and_sfu_with_multiplies,
           0},
          {chains_of_six_warps_fill_the_sp, 5},
          {double_adds_take_32_cycles_with_any_number_of_warps, 3},
          {masked_arithmetic_takes_as_long_as_unmasked, 0},
          {saturated_sp_holds_six_instructions, 0},
          {one_warp_issues_a_load_every_60_cycles, 0},
          {warps_share_the_gap_between_loads, 3},
          {loads_are_never_closer_than_four_cycles, 0},
          {eighteen_double_transactions_of_a_warp_may_be_under_way, 0},
          {a_tpc_completes_a_double_load_in_about_24_4_cycles, 0},
          {worst_scatter_makes_16_transactions_of_a_half_warp, 0},
          {half_warps_coalesce_into_segments, 6},
          {uncoalesced_load_keeps_its_warp_for_its_transactions, 0},
          {skewed_accesses_have_one_channel_s_bandwidth, 0},
          {camping_is_skew_though_all_channels_get_the_same, 0},
          {shared_operand_takes_longer_by_its_conflict_degree, 16},
          {half_warp_reading_one_word_has_no_conflict, 0},
          {conflict_stops_its_warp_until_it_is_served, 0},
          {move_from_shared_memory_is_a_load, 0},
          {conflicts_of_many_warps_take_64_cycles_each, 0})
