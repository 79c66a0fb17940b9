/*
 * The throughput model against vectors computed from the equations
 * (tests/golden/throughput-vectors.csv), the pictures of Hong 2012, chapter V,
 * and what follows from its equations.
 */
#include "sim/models/throughput.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/models/throughput_model.h"
#include "tests/help_csv.h"
#include "tests/help_launch.h"
#include "tests/help_suite.h"

static struct throughput_inputs in;
static struct throughput_result r;

static void evaluate(void)
{
    struct teg_diag d;

    ck_assert_msg(throughput(&in.device, &in.kernel, &r, &d) == TEG_OK,
                  "%s: %s", d.where, d.what);
}

/* ---- golden vectors ---- */

static void read_inputs(const struct help_csv *csv)
{
    struct throughput_device *dev = &in.device;
    struct throughput_kernel *k = &in.kernel;

    model_inputs_init(&in, throughput_inputs_kind.parameter,
                      throughput_inputs_kind.count);
#define READ(field, column) field = help_csv_number(csv, column)
    READ(dev->clock_ghz, "clock_ghz");
    READ(dev->active_cores, "active_cores");
    READ(dev->fp_units, "fp_units");
    READ(dev->vec_units, "vec_units");
    READ(dev->vec_width, "vec_width");
    READ(dev->fma, "fma");
    READ(dev->mem_bw_gbs, "mem_bw_gbs");
    READ(dev->dram_lat, "dram_lat");
    READ(dev->departure_delay, "departure_delay");
    READ(dev->inst_latency, "inst_latency");
    READ(k->fp, "fp");
    READ(k->fp_fused, "fp_fused");
    READ(k->fp_vec, "fp_vec");
    READ(k->fp_vec_fused, "fp_vec_fused");
    READ(k->int_insts, "int");
    READ(k->br_misc, "br_misc");
    READ(k->mem, "mem");
    READ(k->mstr, "mstr");
    READ(k->ilp, "ilp");
    READ(k->dep, "dep");
    READ(k->bytes_per_warp, "bytes_per_warp");
    READ(k->n, "N");
    READ(k->eff_mem, "eff_mem");
#undef READ
    dev->cpu = strcmp(help_csv(csv, "kind"), "CPU") == 0;
}

/* What the model predicts besides the vectors' columns. */
static int has_column(const char *field)
{
    static const char *const without[] = {
        "hidden_memory", "perf_l1", "perf_high_dram", "perf_dram",
        "cycles",        "eff_mem", "bw_bound"};

    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        if (strcmp(field, without[i]) == 0)
            return 0;
    }
    return 1;
}

START_TEST(golden_vectors_agree_to_nine_digits)
{
    static struct help_csv csv;
    int rows = 0;

    help_csv_open(&csv, "tests/golden/throughput-vectors.csv");
    while (help_csv_next(&csv)) {
        const char *id = csv.cell[0];

        read_inputs(&csv);
        evaluate();
#define RESULT(field, symbol, unit, equation, help) \
    if (has_column(#field))                         \
        help_close(r.field, help_csv_number(&csv, #field), id, #field);
#include "sim/models/throughput.def"
        ck_assert_str_eq(throughput_limiter_name(r.limiter),
                         help_csv(&csv, "mwp_limiter"));
        rows++;
    }
    ck_assert_int_eq(rows, 28);
}
END_TEST

/* ---- pictures and derived facts ---- */

/* `mem` accesses and `insts` other instructions of a warp that runs with
 * n - 1 others on one core. */
static void set_kernel(double insts, double mem, double n)
{
    model_inputs_init(&in, throughput_inputs_kind.parameter,
                      throughput_inputs_kind.count);
    in.device.clock_ghz = 1;
    in.device.active_cores = 1;
    in.device.fp_units = 32;
    in.device.mem_bw_gbs = HUGE_VAL;
    in.device.dram_lat = 400;
    in.device.departure_delay = 0;
    in.device.inst_latency = 1;
    in.kernel.fp = insts;
    in.kernel.mem = mem;
    in.kernel.n = n;
}

START_TEST(two_warps_of_strength_two_ask_for_four)
{
    set_kernel(1, 2, 2); /* Figure 100 */
    in.kernel.mstr = 2;
    evaluate();
    ck_assert_double_eq(r.mwp_app, 4);
}
END_TEST

START_TEST(overlap_is_never_above_the_number_of_warps)
{
    set_kernel(1, 2, 2); /* Figure 101: MWP_App 4, MWP_BW 3, N 2 */
    in.kernel.mstr = 2;
    in.device.mem_bw_gbs = 3 * 128.0 / 400;
    evaluate();
    help_close(r.mwp_bw, 3, "Figure 101", "MWP_BW");
    ck_assert_double_eq(r.mwp, 2);
    ck_assert_double_gt(r.mwp_app, r.mwp_bw); /* saturated all the same */
    ck_assert_double_eq(r.category, 3);
}
END_TEST

START_TEST(a_clock_may_be_a_third_when_two_of_four_warps_are_there)
{
    set_kernel(99, 1, 2); /* Figure 130: MWP_App_InfiN = 400 / 100 */
    evaluate();
    ck_assert_double_eq(r.mwp_app_infin, 4);
    ck_assert_double_eq(r.core_reduction_factor, 3);
    in.kernel.n = 1;
    evaluate();
    ck_assert(isnan(r.core_reduction_factor));
}
END_TEST

START_TEST(without_idle_cycles_the_number_of_warps_does_not_count)
{
    set_kernel(400, 1, 4);
    evaluate();
    ck_assert_double_eq(r.idle_mem_cycles, 0);
    help_close(r.eff_ratio, r.eff_ratio_comp_only, "N cancels", "EffRatio");
}
END_TEST

START_TEST(full_overlap_leaves_one_latency_whatever_n)
{
    for (double n = 10; n < 40; n += 7) {
        set_kernel(99, 1, n);
        evaluate();
        ck_assert_double_eq(r.mwp, r.mwp_app_infin);
        help_close(r.idle_mem_cycles, 400 - 100, "N", "IdleMemCycles");
    }
    set_kernel(99, 1, 1);
    evaluate();
    help_close(r.idle_mem_cycles, 300, "N = 1", "IdleMemCycles");
}
END_TEST

START_TEST(a_starved_device_earns_no_cycles_back)
{
    set_kernel(99, 1, 8);
    in.device.mem_bw_gbs = 0.1 * 128.0 / 400;
    evaluate();
    help_close(r.mwp, 0.1, "starved", "MWP");
    help_close(r.mem_n, 400 * 8 / 0.1, "starved", "Mem_N");
    ck_assert_double_eq(r.n_suggested_exact, 1);
}
END_TEST

/* Figures 114 and 115 as they stand, each on its own. */
static int condition_holds(int category)
{
    int short_proc = r.mwp_proc < r.mwp_app, short_bw = r.mwp_bw < r.mwp_app;
    int slight = r.mwp_bw >= 0.85 * r.mwp_app;
    int row[] = {short_proc && short_bw, short_proc && !short_bw,
                 !short_proc && !slight, !short_proc && slight && short_bw,
                 !short_proc && !short_bw};
    int few = in.kernel.n < r.mwp_app_infin;

    return few == (category <= 5) && row[(category - 1) % 5];
}

START_TEST(every_kernel_has_exactly_one_category)
{
    uint64_t state = 7;
    int seen[11] = {0};

    for (int i = 0; i < 20000; i++) {
        int found = 0;

        set_kernel(1 + help_below(&state, 300), 1 + help_below(&state, 20),
                   1 + help_below(&state, 48));
        in.kernel.mstr = 1 + help_below(&state, 3);
        in.device.departure_delay = 1 + help_below(&state, 100);
        in.device.mem_bw_gbs = 1 + help_below(&state, 20);
        evaluate();
        for (int c = 1; c <= 10; c++)
            found += condition_holds(c);
        ck_assert_int_eq(found, 1);
        ck_assert(condition_holds((int)r.category));
        seen[(int)r.category]++;
    }
    for (int c = 1; c <= 10; c++) {
        ck_assert_msg(seen[c] > 0, "category %d never met", c);
        ck_assert(throughput_category(c)->finding[0] != '\0');
        ck_assert(throughput_category(c)->advice[0] != '\0');
    }
}
END_TEST

START_TEST(suggested_numbers_end_the_saturation)
{
    uint64_t state = 11;

    for (int i = 0; i < 2000; i++) {
        set_kernel(1 + help_below(&state, 300), 1 + help_below(&state, 20),
                   1 + help_below(&state, 48));
        in.kernel.mstr = 1 + help_below(&state, 3);
        in.device.active_cores = 16;
        in.device.mem_bw_gbs = 10 + help_below(&state, 100);
        evaluate();
        in.kernel.n = r.n_suggested_exact;
        evaluate();
        if (r.mwp_bw >= in.kernel.mstr) /* else one warp is too many */
            ck_assert_double_le(r.mwp_app, r.mwp_bw);
    }
}
END_TEST

START_TEST(the_lines_bound_the_estimate)
{
    set_kernel(20, 2, 16);
    in.device.l1_lat = 30;
    in.device.l2_lat = 200;
    in.device.mem_bw_gbs = 10;
    in.kernel.eff_mem = 200;
    in.kernel.dram_share = 0.3;
    evaluate();
    ck_assert_double_ge(r.perf_l1, r.perf);
    ck_assert_double_ge(r.perf, r.perf_dram);
    ck_assert_double_ge(r.perf_high_dram, r.perf_dram);
    ck_assert_double_ge(r.perf_l1, r.perf_high_dram);
    in.device.l1_lat = in.device.l2_lat = 0;
    evaluate();
    ck_assert(isnan(r.perf_l1)); /* no cache, no such line */
    ck_assert(isnan(r.perf_high_dram));
    ck_assert(isfinite(r.perf_dram));
}
END_TEST

START_TEST(warps_hide_dependences_where_they_may)
{
    set_kernel(100, 0, 4);
    in.device.inst_latency = 20;
    in.kernel.dep = 1;
    evaluate();
    ck_assert_double_eq(r.dep_effect, 20);
    in.kernel.dep_hidden = 1;
    evaluate();
    ck_assert_double_eq(r.dep_effect, 5);
    in.device.slot_cycles = 4; /* eight lanes: 20 / (4 x 1 x 4) */
    evaluate();
    ck_assert_double_eq(r.dep_effect, 1.25);
}
END_TEST

START_TEST(cycles_are_those_of_all_warps_of_a_core)
{
    set_kernel(100, 0, 4);
    evaluate();
    ck_assert(isnan(r.cycles)); /* how many there are is not said */
    in.kernel.warps_per_core = 40;
    evaluate();
    ck_assert_double_eq(r.cycles, 100 * 40);
    /* Periods of 100 and 400 cycles, 4 warps, 10 rounds: 99 others and the
     * access, 400 x 4 / 4 + 100 x 3 = 700 a round */
    set_kernel(99, 1, 4);
    in.kernel.warps_per_core = 40;
    evaluate();
    ck_assert_double_eq(r.cycles, 700 * 10);
}
END_TEST

START_TEST(impossible_values_are_refused_by_name)
{
    struct teg_diag d;

    set_kernel(1, 1, 0.5);
    ck_assert_int_eq(throughput(&in.device, &in.kernel, &r, &d), TEG_LIMIT);
    ck_assert_str_eq(d.where, "n");
    set_kernel(0, 0, 1);
    ck_assert_int_eq(throughput(&in.device, &in.kernel, &r, &d), TEG_LIMIT);
    set_kernel(1, 0, 1);
    in.device.dram_lat = nan("");
    ck_assert_int_eq(throughput(&in.device, &in.kernel, &r, &d), TEG_LIMIT);
    ck_assert_str_eq(d.where, "dram_lat");
    set_kernel(1, 0, 1);
    in.kernel.dram_share = 1.5;
    ck_assert_int_eq(throughput(&in.device, &in.kernel, &r, &d), TEG_LIMIT);
    ck_assert_str_eq(d.where, "dram_share");
}
END_TEST

/* ---- from a trace ---- */

static struct teg_gpu gpu;
static struct teg_statistics s;
static struct teg_estimate e;

/* Eight lanes at 1 GHz; 40 warps of 10 blocks on 2 SMs, each with 10
 * multiply-adds and two loads of one group. */
static void set_trace(void)
{
    memset(&gpu, 0, sizeof gpu);
    gpu.chip.sm_clock_mhz = 1000;
    gpu.chip.sms = 2;
    gpu.sm.schedulers = 1;
    gpu.sm.issue_period = 1;
    gpu.unit_count = 1;
    gpu.unit[0].count = 1;
    for (enum teg_op_class c = 0; c < TEG_CLASSES; c++)
        gpu.timing[c] = (struct teg_timing){1, {0, 0}, 20, 4, 1};
    gpu.dram.latency = 400;
    s = (struct teg_statistics){
        .blocks = 10,
        .warps = 40,
        .warp_instructions = 480,
        .occupancy = {.blocks_per_sm = 2},
        .sms = 2,
        .memory = {.global_requests = 80,
                   .access_groups = 40,
                   .transactions = 80,
                   .bytes = 80 * 128},
    };
    s.class_[CLASS_FMAD].issued = 400;
    s.class_[CLASS_LDG].issued = 80;
    s.dependence[1] = 240;
    s.dependence[2] = 240;
}

START_TEST(a_trace_fills_every_input)
{
    struct teg_diag d;

    set_trace();
    ck_assert_int_eq(throughput_measure(&in, &s, &gpu, &d), TEG_OK);
    ck_assert_double_eq(in.device.fp_units, 8);
    ck_assert_double_eq(in.device.slot_cycles, 4);
    ck_assert_double_eq(in.device.active_cores, 2);
    ck_assert_double_eq(in.kernel.fp_fused, 10);
    ck_assert_double_eq(in.kernel.mem, 2);
    ck_assert_double_eq(in.kernel.br_misc, 0);
    ck_assert_double_eq(in.kernel.mstr, 2);
    ck_assert_double_eq(in.kernel.n, 8);
    ck_assert_double_eq(in.kernel.warps_per_core, 20);
    ck_assert_double_eq(in.kernel.cost, 1);
    /* half at 1, half at 2: 1 / mean(1, 1/2) */
    help_close(in.kernel.dep, 4.0 / 3, "trace", "dep");
    throughput_estimate(&s, &gpu, &e);
    ck_assert(e.applicable);
    /* One period: 12 x 4 = 48 cycles, and 400 until the first of its two
     * accesses and 4 more until the second is there; MWP_App_InfiN 8.42, all
     * 8 warps overlap: max(48 x 8, 404 + 48 x 7) = 740 for 8 of 20 warps */
    help_close(e.cycles, 740 * 20.0 / 8, "trace", "cycles");
}
END_TEST

/* 80 accesses of 128 bytes at 8 bytes a cycle */
START_TEST(no_estimate_is_faster_than_its_bytes)
{
    set_trace();
    gpu.dram.bandwidth_gbs = 8;
    s.memory.access_groups = 1;
    throughput_estimate(&s, &gpu, &e);
    help_close(e.cycles, 80 * 128 / 8, "trace", "cycles");
    ck_assert_ptr_nonnull(strstr(e.limiter, "memory bandwidth, groups of 80"));
}
END_TEST

START_TEST(hit_ratios_of_a_replay_shorten_the_wait)
{
    struct teg_diag d;

    set_trace();
    gpu.l1.bytes = gpu.l2.bytes = 1024;
    gpu.l1.latency = 40;
    gpu.l2.latency = 200;
    s.simulated = 1;
    s.memory.l1_sectors = 100;
    s.memory.l1_hits = 50;
    s.memory.l2_sectors = 50;
    s.memory.l2_hits = 25;
    s.memory.dram_bytes = 20 * 128;
    ck_assert_int_eq(throughput_measure(&in, &s, &gpu, &d), TEG_OK);
    /* half 40, a quarter 200, a quarter 400; and 4 for the second access */
    help_close(in.kernel.eff_mem, 174, "trace", "eff_mem");
    ck_assert_double_eq(in.kernel.dram_share, 0.25);
}
END_TEST

START_TEST(every_term_fits_the_estimate_and_is_explained)
{
    set_trace();
    throughput_estimate(&s, &gpu, &e);
    ck_assert_uint_lt(e.term_count, TEG_MODEL_TERMS_MAX);
    ck_assert_uint_lt(THROUGHPUT_INPUTS + THROUGHPUT_TERMS,
                      TEG_MODEL_TERMS_MAX);
    ck_assert_uint_eq(THROUGHPUT_INPUTS * sizeof(double), sizeof in);
    s.warps = 0;
    throughput_estimate(&s, &gpu, &e);
    ck_assert(!e.applicable);
    ck_assert_str_eq(e.why, "the trace has no warps");
}
END_TEST

HELP_MAIN("sim/models/throughput", 60, {golden_vectors_agree_to_nine_digits, 0},
          {two_warps_of_strength_two_ask_for_four, 0},
          {overlap_is_never_above_the_number_of_warps, 0},
          {a_clock_may_be_a_third_when_two_of_four_warps_are_there, 0},
          {without_idle_cycles_the_number_of_warps_does_not_count, 0},
          {full_overlap_leaves_one_latency_whatever_n, 0},
          {a_starved_device_earns_no_cycles_back, 0},
          {every_kernel_has_exactly_one_category, 0},
          {suggested_numbers_end_the_saturation, 0},
          {the_lines_bound_the_estimate, 0},
          {warps_hide_dependences_where_they_may, 0},
          {cycles_are_those_of_all_warps_of_a_core, 0},
          {impossible_values_are_refused_by_name, 0},
          {a_trace_fills_every_input, 0},
          {no_estimate_is_faster_than_its_bytes, 0},
          {hit_ratios_of_a_replay_shorten_the_wait, 0},
          {every_term_fits_the_estimate_and_is_explained, 0})
