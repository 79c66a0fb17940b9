/*
 * Roofline, the three-component model, Ryoo's metrics and the extended
 * MWP-CWP: pure functions against numbers of J. Lai, PhD thesis, 2013, chapter
 * 1, and each as a row of the registry.
 */
#include <string.h>

#include "sim/models/extended.h"
#include "sim/models/model.h"
#include "sim/models/roofline.h"
#include "sim/models/ryoo.h"
#include "sim/models/three_component.h"
#include "tests/help_csv.h"
#include "tests/help_launch.h"
#include "tests/help_suite.h"

static struct teg_gpu gpu;
static struct teg_statistics s;
static struct teg_estimate e;
static struct teg_diag diag;

/* 10 SMs at 1 GHz, a unit of 32 lanes each; 100 GB/s.  100 warps of 50
 * blocks: 10 multiply-adds, 10 additions of integers and one load of 128 bytes
 * each. */
static void setup(void)
{
    memset(&gpu, 0, sizeof gpu);
    gpu.chip.sm_clock_mhz = 1000;
    gpu.chip.sms = 10;
    gpu.chip.sms_per_cluster = 1;
    gpu.sm.schedulers = 1;
    gpu.sm.issue_period = 1;
    gpu.unit_count = 1;
    gpu.unit[0].count = 1;
    gpu.operand_unit = gpu.tag_unit = TEG_NO_UNIT;
    for (enum teg_op_class c = 0; c < TEG_CLASSES; c++)
        gpu.timing[c] = (struct teg_timing){1, {0, 0}, 20, 1, 1};
    gpu.dram.latency = 400;
    gpu.dram.bandwidth_gbs = 100;
    gpu.shared.banks = gpu.shared.group = 32;
    gpu.shared.bank_bytes = 4;
    gpu.shared.pass_interval = 2;
    s = (struct teg_statistics){
        .block = {64, 1, 1},
        .blocks = 50,
        .warps = 100,
        .warp_instructions = 2100,
        .occupancy = {.blocks_per_sm = 5},
        .sms = 10,
        .memory = {.global_requests = 100,
                   .access_groups = 100,
                   .transactions = 100,
                   .bytes = 12800},
    };
    s.class_[CLASS_FMAD].issued = 1000;
    s.class_[CLASS_FMAD].lanes = 32000;
    s.class_[CLASS_IADD].issued = 1000;
    s.class_[CLASS_LDG].issued = 100;
}

static void run(const char *name)
{
    const struct teg_model *m = teg_model_find(name);

    ck_assert_ptr_nonnull(m);
    m->estimate(&s, &gpu, &e);
    ck_assert_str_eq(e.model, name);
}

static double term(const char *name)
{
    for (uint32_t i = 0; i < e.term_count; i++) {
        if (strcmp(e.term[i].name, name) == 0)
            return e.term[i].value;
    }
    ck_abort_msg("no term '%s'", name);
}

/* ---- roofline ---- */

/* Computed from Table 1.1: peaks over bandwidths */
START_TEST(ridges_are_those_of_the_three_chips)
{
    ck_assert_double_eq_tol(roofline_ridge(933, 141.7), 6.58, 0.005);
    ck_assert_double_eq_tol(roofline_ridge(1581, 192.4), 8.22, 0.005);
    ck_assert_double_eq_tol(roofline_ridge(3090, 192.26), 16.07, 0.005);
}
END_TEST

START_TEST(the_roof_bends_at_the_ridge)
{
    double ridge = roofline_ridge(1000, 100);

    ck_assert_double_eq(roofline(1000, 100, ridge), 1000);
    ck_assert_double_eq(roofline(1000, 100, 2 * ridge), 1000);
    ck_assert_double_eq(roofline(1000, 100, ridge / 2), 500);
}
END_TEST

START_TEST(a_trace_stands_under_its_roof)
{
    setup();
    run("roofline");
    ck_assert(e.applicable);
    ck_assert_double_eq(term("Flops"), 64000);
    help_close(term("Intensity"), 5, "trace", "Intensity");
    help_close(term("P_peak"), 640, "trace", "P_peak"); /* 2 x 32 x 10 */
    help_close(term("Ridge"), 6.4, "trace", "Ridge");
    help_close(term("P_upper"), 500, "trace", "P_upper");
    help_close(e.cycles, 128, "trace", "cycles"); /* 12800 B / 100 */
    ck_assert_ptr_nonnull(strstr(e.limiter, "memory bandwidth"));
    s.simulated = 1;
    s.memory.dram_bytes = 6400; /* above the ridge */
    run("roofline");
    help_close(e.cycles, 100, "cached", "cycles");
    ck_assert_ptr_nonnull(strstr(e.limiter, "peak arithmetic"));
}
END_TEST

/* (Lai 2013, Table 1.1; Braun 2020, Table 3) */
START_TEST(the_peak_is_the_stated_one)
{
    static const struct {
        const char *gpu;
        double peak, issued; /* Gflop/s */
    } rows[] = {{"gtx280", 933, 622},
                {"gtx580", 1581, 1581},
                {"gtx680", 3090, 2060},
                {"k20", 3524, 2350}}; /* printed: 3.5 TF */
    struct teg_gpu *chip;
    char path[64];

    setup();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        snprintf(path, sizeof path, "config/%s.cfg", rows[i].gpu);
        ck_assert_int_eq(teg_gpu_load(path, &chip, &diag), TEG_OK);
        roofline_model.estimate(&s, chip, &e);
        ck_assert_double_eq_tol(term("P_peak"), rows[i].peak, 4);
        ck_assert_double_eq_tol(term("P_issued"), rows[i].issued, 1);
        ck_assert_double_eq_tol(term("P_no_FMA"), rows[i].issued / 2, 1);
        teg_gpu_free(chip);
    }
}
END_TEST

START_TEST(doubles_have_their_own_peak)
{
    setup();
    gpu.timing[CLASS_DFMA].interval = 8;
    s.class_[CLASS_DFMA] = s.class_[CLASS_FMAD];
    s.class_[CLASS_FMAD] = (struct teg_class_statistics){0};
    run("roofline");
    help_close(term("P_peak"), 80, "doubles", "P_peak");
}
END_TEST

/* 100 warps' products of 4096 operations, each 8 cycles of the unit: with one
 * unit an SM, 512 operations a cycle and SM. */
START_TEST(tensor_products_have_the_peak_of_their_shapes)
{
    setup();
    s.class_[CLASS_HMMA] = (struct teg_class_statistics){
        .issued = 100, .lanes = 3200, .operations = 409600, .unit_cycles = 800};
    run("roofline");
    ck_assert(e.applicable);
    ck_assert_double_eq(term("Flops"), 64000 + 409600);
    help_close(term("P_peak"), 512 * gpu.chip.sms * gpu.chip.sm_clock_mhz / 1e3,
               "tensor", "P_peak");
    for (uint32_t i = 0; i < e.term_count; i++)
        ck_assert_str_ne(e.term[i].name, "P_no_FMA");
    /* Fewer operations than the lanes': their peak. */
    s.class_[CLASS_HMMA].operations = 1000;
    run("roofline");
    help_close(term("P_peak"), 640, "lanes", "P_peak");
}
END_TEST

START_TEST(what_roofline_cannot_count_it_refuses)
{
    setup();
    s.class_[CLASS_HMMA].issued = 1;
    run("roofline");
    ck_assert(e.applicable);
    s.tensor_uncounted = 1;
    run("roofline");
    ck_assert(!e.applicable);
    ck_assert_ptr_nonnull(strstr(e.why, "tensor"));
    setup();
    s.class_[CLASS_FMAD].lanes = 0;
    run("roofline");
    ck_assert(e.applicable); /* a copy is limited by bandwidth */
    help_close(e.cycles, 128, "copy", "cycles");
    s.memory = (struct teg_memory_statistics){0};
    run("roofline");
    ck_assert(!e.applicable);
    run("data-flow");
    ck_assert(!e.applicable);
}
END_TEST

/* ---- three components ---- */

/* 1.3.3.1: GT200, 30 SMs at 1.296 GHz: eight units, one double unit */
START_TEST(instruction_throughputs_are_those_of_gt200)
{
    help_close(pipeline_throughput(8, 1.296e9, 30), 9.72e9, "SP", "T_I");
    help_close(pipeline_throughput(1, 1.296e9, 30), 1.215e9, "DPU", "T_I");
}
END_TEST

START_TEST(tables_are_interpolated_and_end_flat)
{
    struct throughput_table t = {{{4, 10}, {8, 30}, {16, 40}}, 3};

    ck_assert_double_eq(throughput_table_at(&t, 1), 10);
    ck_assert_double_eq(throughput_table_at(&t, 6), 20);
    ck_assert_double_eq(throughput_table_at(&t, 8), 30);
    ck_assert_double_eq(throughput_table_at(&t, 12), 35);
    ck_assert_double_eq(throughput_table_at(&t, 99), 40);
}
END_TEST

START_TEST(the_slowest_component_takes_all_the_time)
{
    struct three_component_inputs in = {.shared_transactions = 300,
                                        .global_transactions = 500,
                                        .shared = {{{1, 3}}, 1},
                                        .global = {{{1, 2}}, 1},
                                        .warps = 4};
    struct three_component_result r;

    for (int c = 0; c < TEG_CLASSES; c++)
        in.rate[c] = 10;
    in.count[CLASS_FMAD] = 800;
    in.count[CLASS_SFU] = 100;
    in.rate[CLASS_SFU] = 1;
    three_component(&in, &r);
    ck_assert_double_eq(r.time[COMPONENT_PIPELINE], 180);
    ck_assert_double_eq(r.time[COMPONENT_SHARED], 100);
    ck_assert_double_eq(r.time[COMPONENT_GLOBAL], 250);
    ck_assert_double_eq(r.total, 250);
    ck_assert_int_eq(r.bottleneck, COMPONENT_GLOBAL);
    ck_assert_int_eq(r.second, COMPONENT_PIPELINE);
    help_close(r.ratio_to_second, 250.0 / 180, "three", "ratio");
    in.global_transactions = in.shared_transactions = 0;
    three_component(&in, &r);
    ck_assert_int_eq(r.bottleneck, COMPONENT_PIPELINE);
    ck_assert(isnan(r.ratio_to_second));
}
END_TEST

static double with_tables(const char *const set[][2], uint32_t count,
                          const char *name)
{
    const struct teg_model_inputs *in =
        teg_model_find("three-component")->inputs;
    double inputs[64];
    struct teg_diag d;

    ck_assert_uint_le(in->size, sizeof inputs);
    ck_assert_int_eq(in->measure(inputs, NULL, NULL, &d), TEG_OK);
    for (uint32_t i = 0; i < count; i++)
        ck_assert_int_eq(model_inputs_set(inputs, in->parameter, in->count,
                                          set[i][0], set[i][1], &d),
                         TEG_OK);
    in->evaluate(inputs, &e);
    return e.applicable ? (name != NULL ? term(name) : e.cycles) : nan("");
}

START_TEST(benchmarked_throughputs_take_the_place_of_littles_law)
{
    static const char *const set[][2] = {
        {"active_warps", "6"},    {"shared_passes", "200"},
        {"shared_at_8", "30"},    {"shared_at_4", "10"},
        {"shared_one", "1"},      {"global_bytes", "600"},
        {"global_one", "2"},      {"global_peak", "100"},
        {"pipeline_cycles", "7"},
    };

    /* Half way from 10 to 30 with 6 warps; 6 x 2 bytes a cycle. */
    ck_assert_double_eq(with_tables(set, 9, "T_shared"), 10);
    ck_assert_double_eq(with_tables(set, 9, "T_global"), 50);
    ck_assert_double_eq(with_tables(set, 9, "T_pipeline"), 7);
    ck_assert_double_eq(with_tables(set, 9, NULL), 50);
    /* Passes at no speed. */
    ck_assert(isnan(with_tables(set, 2, NULL)));
    ck_assert_ptr_nonnull(strstr(e.why, "shared_at_1"));
}
END_TEST

START_TEST(few_warps_do_not_reach_the_bandwidth)
{
    setup();
    run("three-component");
    /* 10 warps on each of 10 SMs, 128 bytes in 400 cycles: 32 of 100 */
    help_close(term("Throughput_global"), 32, "few", "throughput");
    help_close(e.cycles, 400, "few", "cycles");
    ck_assert_double_eq(term("T_pipeline"), 200);
    gpu.dram.latency = 40; /* 320 of 100 */
    run("three-component");
    help_close(e.cycles, 200, "pipeline", "cycles");
    ck_assert_str_eq(e.limiter, "the instruction pipeline");
    s.memory.shared_passes = 2500; /* 2 cycles on 10 SMs */
    gpu.timing[CLASS_LDS].latency = 1;
    run("three-component");
    help_close(e.cycles, 500, "shared", "cycles");
    ck_assert_str_eq(e.limiter, "shared memory");
}
END_TEST

/* ---- Ryoo ---- */

START_TEST(efficiency_and_utilization_follow_their_equations)
{
    help_close(ryoo_efficiency(100, 4096), 1 / 409600.0, "1.5", "efficiency");
    /* 20 instructions a region; (8 - 1) / 2 + 2 x 8 other warps */
    help_close(ryoo_utilization(100, 5, 8, 3), 20 * 19.5, "1.6", "utilization");
    ck_assert_double_eq(ryoo_utilization(100, 5, 1, 1), 0);
}
END_TEST

START_TEST(only_points_that_none_dominates_are_kept)
{
    static const struct ryoo_point point[] = {{1, 10}, {2, 8}, {2, 7},
                                              {3, 1},  {1, 9}, {2, 8}};
    static const uint8_t expected[] = {1, 1, 0, 1, 0, 1};
    uint8_t keep[6];

    ck_assert_uint_eq(ryoo_pareto(point, 6, keep), 4);
    ck_assert_mem_eq(keep, expected, sizeof keep);
}
END_TEST

START_TEST(pruning_keeps_the_best_of_any_weighting)
{
    struct ryoo_point point[100];
    uint8_t keep[100];
    uint64_t state = 5;

    for (int i = 0; i < 100; i++)
        point[i] = (struct ryoo_point){help_below(&state, 1000),
                                       help_below(&state, 1000)};
    ck_assert_uint_gt(ryoo_pareto(point, 100, keep), 0);
    for (int w = 1; w < 50; w++) {
        double best = 0, kept = 0;

        for (int i = 0; i < 100; i++) {
            double value = point[i].efficiency + w * point[i].utilization;

            best = fmax(best, value);
            kept = keep[i] ? fmax(kept, value) : kept;
        }
        ck_assert_double_eq(best, kept);
    }
}
END_TEST

START_TEST(a_trace_is_a_point)
{
    struct ryoo_point p;

    setup();
    s.barriers = 100;
    run("ryoo");
    ck_assert(e.applicable);
    ck_assert(isnan(e.cycles)); /* it predicts no time */
    p = ryoo_measure(&s, &gpu);
    /* 21 instructions, 3200 threads; regions 1 + 2; 2 warps, 5 blocks */
    help_close(p.efficiency, 1 / (21.0 * 3200), "trace", "efficiency");
    help_close(p.utilization, 7 * (0.5 + 4 * 2), "trace", "utilization");
}
END_TEST

/* ---- extended MWP-CWP ---- */

START_TEST(overlap_is_between_nothing_and_all_memory_time)
{
    ck_assert_double_eq(extended_exec(100, 60, 0), 160); /* 1.3 */
    ck_assert_double_eq(extended_exec(100, 60, 25), 135);
    ck_assert_double_eq(extended_exec(100, 60, 60), 100);
    ck_assert_double_eq(extended_exec(100, 60, 80), 100);
    ck_assert_double_eq(extended_exec(100, 60, -1), 160);
}
END_TEST

static struct extended_inputs inputs;
static struct extended_result r;

/* 10 warps, 20 in all, of 50 instructions of 20 cycles, 5 of them accesses of
 * 400 cycles */
static void extend(void)
{
    inputs = (struct extended_inputs){.insts = 50,
                                      .mem_insts = 5,
                                      .warps_per_core = 20,
                                      .n = 10,
                                      .inst_lat = 20,
                                      .slot_cycles = 4,
                                      .ilp = 1,
                                      .mlp = 1,
                                      .amat = 400,
                                      .mwp_without_bw = 100,
                                      .mwp_peak_bw = 6};
}

START_TEST(times_are_work_over_parallelism)
{
    extend();
    ck_assert_int_eq(extended(&inputs, &r, &diag), TEG_OK);
    ck_assert_double_eq(r.itilp, 5); /* of 10: the units hold no more */
    ck_assert_double_eq(r.w_parallel, 50 * 20 * 4);
    /* (2000 + 200) / 200 = 11, at most 10 warps; MWP 10, of which 9 wait */
    ck_assert_double_eq(r.cwp, 10);
    ck_assert_double_eq(r.mwp_cp, 9);
    ck_assert_double_eq(r.itmlp, 6);
    help_close(r.t_mem, 5 * 20 * 400 / 6.0, "extended", "T_mem");
    ck_assert_double_eq(r.f_overlap, 0.9);
    help_close(r.t_exec, 4000 + 40000 / 6.0 - 3600, "extended", "T_exec");
    ck_assert_double_ge(r.t_exec, r.t_least);
    ck_assert_double_le(r.t_exec, r.t_most);
}
END_TEST

START_TEST(serial_work_is_added)
{
    extend();
    inputs.mem_insts = 0;
    inputs.o_sync = 1;
    inputs.o_sfu = 20;
    inputs.o_div = 300;
    inputs.o_bank = 4000;
    ck_assert_int_eq(extended(&inputs, &r, &diag), TEG_OK);
    ck_assert_double_eq(r.t_exec, 4000 + 4321);
    ck_assert(isnan(r.itmlp)); /* not 0 */
}
END_TEST

START_TEST(few_warps_leave_latency_bare)
{
    extend();
    inputs.mem_insts = 0;
    inputs.n = 2;
    ck_assert_int_eq(extended(&inputs, &r, &diag), TEG_OK);
    ck_assert_double_eq(r.w_parallel, 50 * 20 * 20 / 2.0);
    inputs.n = 0;
    ck_assert_int_eq(extended(&inputs, &r, &diag), TEG_LIMIT);
    ck_assert_str_eq(diag.where, "n");
}
END_TEST

/* ---- all of them ---- */

START_TEST(every_model_says_something_or_why_not)
{
    uint32_t count;
    const struct teg_model *const *m = teg_models(&count);

    for (uint32_t i = 0; i < count; i++) {
        setup();
        run(m[i]->name);
        if (e.applicable)
            ck_assert(e.limiter[0] != '\0' && e.advice[0] != '\0');
        else
            ck_assert(e.why[0] != '\0');
        s = (struct teg_statistics){0};
        run(m[i]->name);
        ck_assert_msg(!e.applicable && e.why[0] != '\0', "%s", m[i]->name);
        ck_assert(isnan(e.cycles)); /* never 0 */
    }
    ck_assert_ptr_null(teg_model_find("mwp"));
}
END_TEST

static int is_explained(const struct teg_model *m, const struct teg_term *t)
{
    for (uint32_t i = 0; i < m->term_count; i++) {
        if (strcmp(m->terms[i].name, t->name) == 0)
            return strcmp(m->terms[i].unit, t->unit) == 0;
    }
    for (uint32_t i = 0; m->inputs != NULL && i < m->inputs->count; i++) {
        if (strcmp(m->inputs->parameter[i].name, t->name) == 0)
            return strcmp(m->inputs->parameter[i].unit, t->unit) == 0;
    }
    return 0;
}

START_TEST(every_term_is_explained_with_its_unit)
{
    uint32_t count;
    const struct teg_model *const *m = teg_models(&count);

    for (uint32_t i = 0; i < count; i++) {
        setup();
        gpu.mwp_cwp.mem_ld = 400;
        gpu.mwp_cwp.departure_del_coal = 4;
        gpu.mwp_cwp.issue_cycles = 1;
        for (enum teg_op_class c = 0; c < TEG_CLASSES; c++)
            gpu.m_factor[c] = 1;
        s.memory.coalesced_requests = 100;
        s.memory.useful_bytes = 12800;
        run(m[i]->name);
        ck_assert_msg(e.applicable, "%s: %s", m[i]->name, e.why);
        ck_assert_uint_gt(e.term_count, 0);
        ck_assert_uint_lt(e.term_count, TEG_MODEL_TERMS_MAX);
        for (uint32_t t = 0; t < e.term_count; t++)
            ck_assert_msg(is_explained(m[i], &e.term[t]), "%s: %s", m[i]->name,
                          e.term[t].name);
        for (uint32_t t = 0; t < m[i]->term_count; t++)
            ck_assert_msg(m[i]->terms[t].name != NULL &&
                              m[i]->terms[t].help[0] != '\0',
                          "%s: row %u", m[i]->name, t);
    }
}
END_TEST

/* 16 bytes a cycle for each of 10 clusters of one SM, at 1 GHz. */
START_TEST(every_cluster_has_a_link)
{
    setup();
    gpu.memory.cluster_bytes_per_cycle = 16;
    run("roofline");
    help_close(term("B_link"), 160, "trace", "B_link");
}
END_TEST

/* A packed instruction is taken for a multiplication and an addition, or for
 * two of either: two operations a lane. */
START_TEST(packed_halves_are_two_operations)
{
    setup();
    s.class_[CLASS_FMAD].lanes = 0;
    s.class_[CLASS_HALF].lanes = 1000;
    run("roofline");
    ck_assert_double_eq(term("Flops"), 2000);
}
END_TEST

/* 100 requests of 128 bytes, half of whose sectors L1 had. */
START_TEST(what_l1_answered_crosses_no_link)
{
    setup();
    run("data-flow");
    ck_assert_double_eq(term("B_SM_link"), 12800);
    s.simulated = 1;
    s.memory.l1_hits = 200;
    run("data-flow");
    ck_assert_double_eq(term("B_SM_link"), 6400);
}
END_TEST

HELP_MAIN("sim/models/small", 60, {ridges_are_those_of_the_three_chips, 0},
          {the_roof_bends_at_the_ridge, 0}, {a_trace_stands_under_its_roof, 0},
          {the_peak_is_the_stated_one, 0}, {doubles_have_their_own_peak, 0},
          {tensor_products_have_the_peak_of_their_shapes, 0},
          {what_roofline_cannot_count_it_refuses, 0},
          {instruction_throughputs_are_those_of_gt200, 0},
          {tables_are_interpolated_and_end_flat, 0},
          {the_slowest_component_takes_all_the_time, 0},
          {few_warps_do_not_reach_the_bandwidth, 0},
          {benchmarked_throughputs_take_the_place_of_littles_law, 0},
          {efficiency_and_utilization_follow_their_equations, 0},
          {only_points_that_none_dominates_are_kept, 0},
          {pruning_keeps_the_best_of_any_weighting, 0}, {a_trace_is_a_point, 0},
          {overlap_is_between_nothing_and_all_memory_time, 0},
          {times_are_work_over_parallelism, 0}, {serial_work_is_added, 0},
          {few_warps_leave_latency_bare, 0},
          {every_model_says_something_or_why_not, 0},
          {every_term_is_explained_with_its_unit, 0},
          {every_cluster_has_a_link, 0}, {packed_halves_are_two_operations, 0},
          {what_l1_answered_crosses_no_link, 0})
