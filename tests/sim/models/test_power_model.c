/*
 * Where the power model's inputs come from: descriptions, statistics, the
 * analytical models' cycles.  Runs from the top of the tree.
 */
#include "sim/models/power_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help_gpu.h"
#include "tests/help_suite.h"

static struct teg_statistics *s; /* owned */
static struct teg_gpu *gpu;      /* owned */
static struct power_inputs in;
static struct teg_diag d;

static void open_gpu(const char *path)
{
    ck_assert_msg(teg_gpu_load(path, &gpu, &d) == TEG_OK, "%s: %s", d.where,
                  d.what);
    s = calloc(1, sizeof *s);
    ck_assert_ptr_nonnull(s);
}

static void close_gpu(void)
{
    teg_gpu_free(gpu);
    free(s);
}

static void issue(enum teg_op_class c, uint64_t count)
{
    s->class_[c].issued += count;
    s->warp_instructions += count;
}

/* 60 blocks of 4 warps on 30 SMs, simulated in 9600 cycles: of a warp 40
 * floating-point, 20 integer, 10 moves, 4 loads, 2 shared stores, a barrier,
 * an exit. */
static void fill_statistics(void)
{
    s->grid[0] = 60;
    s->grid[1] = s->grid[2] = s->block[1] = s->block[2] = 1;
    s->block[0] = 128;
    s->registers = 16;
    s->blocks = 60;
    s->warps = 240;
    s->sms = s->active_sms = 30;
    s->simulated = 1;
    s->cycles = 9600;
    s->occupancy.blocks_per_sm = 2;
    s->occupancy.warps_per_sm = 8;
    issue(CLASS_FMAD, 240 * 40);
    issue(CLASS_IADD, 240 * 20);
    issue(CLASS_MOV, 240 * 10);
    issue(CLASS_LDG, 240 * 4);
    issue(CLASS_STS, 240 * 2);
    issue(CLASS_BARRIER, 240);
    issue(CLASS_EXIT, 240);
    s->memory.global_requests = s->memory.global_loads = 240 * 4;
    s->memory.coalesced_requests = 240 * 4;
    s->memory.transactions = 240 * 8;
    s->memory.useful_bytes = s->memory.bytes = 240 * 4 * 128;
    s->memory.shared_requests = 240 * 2;
    s->barriers = 240;
}

static void measure(void)
{
    power_inputs_init(&in);
    ck_assert_msg(power_inputs_machine(&in, gpu, &d) == TEG_OK, "%s: %s",
                  d.where, d.what);
    ck_assert_int_eq(power_inputs_measure(&in, s, gpu, &d), TEG_OK);
}

static struct power_estimate evaluate(void)
{
    struct power_estimate e;

    ck_assert_msg(power_evaluate(&in, &e, &d) == TEG_OK, "%s: %s", d.where,
                  d.what);
    return e;
}

START_TEST(counts_are_accesses_per_warp)
{
    struct power_estimate e;

    open_gpu("config/gtx280.cfg");
    fill_statistics();
    measure();
    e = evaluate();
    ck_assert_double_eq(e.counts.dac_fp, 40);
    ck_assert_double_eq(e.counts.dac_int, 20);
    ck_assert_double_eq(e.counts.dac_alu, 10);
    ck_assert_double_eq(e.counts.dac_gmem, 4);
    ck_assert_double_eq(e.counts.dac_shm, 2);
    ck_assert_double_eq(e.counts.dac_reg, 76);
    ck_assert_double_eq(e.counts.dac_fds, 78);
    ck_assert_double_eq(e.counts.dac_l1, 0);
    ck_assert_double_eq(e.counts.dac_l2, 0);
    ck_assert_double_eq(e.counts.mem_insts, 4);
    ck_assert_double_eq(e.counts.nonmem_insts, 74);
    /* 8 warps on each SM, 9600 cycles / 4 */
    ck_assert_double_eq(e.power.warps_per_sm, 8);
    ck_assert_double_eq_tol(e.power.rate[POWER_FP], 40 * 8 / 2400., 1e-12);
    /* (48) with all SMs: their sum and the memory, by hand */
    ck_assert_double_eq_tol(
        e.power.runtime_power_0,
        30 * (0.2 * (0.1365 * log(40 * 8 / 2400.) + 1.001375) +
              0.3 * (0.1365 * log(76 * 8 / 2400.) + 1.001375) +
              0.2 * 10 * 8 / 2400. +
              0.25 * (0.1365 * log(20 * 8 / 2400.) + 1.001375) +
              0.5 * (0.1365 * log(78 * 8 / 2400.) + 1.001375) +
              1 * 2 * 8 / 2400. + 0.813) +
            52 * (0.1365 * log(4 * 8 / 2400.) + 1.001375),
        1e-9);
    ck_assert_double_eq_tol(e.power.time_s, 9600 / 1.296e9, 1e-15);
    close_gpu();
}
END_TEST

START_TEST(shared_operands_of_arithmetic_access_shared_memory)
{
    open_gpu("config/gtx280.cfg");
    fill_statistics();
    s->memory.shared_requests = 240 * 12;
    measure();
    ck_assert_double_eq(in.counts.dac_shm, 12);
    close_gpu();
}
END_TEST

START_TEST(caches_keep_accesses_from_what_lies_behind)
{
    struct power_estimate e;

    open_gpu("config/gtx580.cfg");
    fill_statistics();
    s->sms = s->active_sms = 16;
    s->memory.l1_sectors = 1000;
    s->memory.l1_hits = 250;
    s->memory.l2_sectors = 3000;
    s->memory.l2_hits = 1000;
    measure();
    e = evaluate();
    /* 4 look into L1, 3 miss it, 2 of them miss L2 */
    ck_assert_double_eq_tol(e.counts.dac_l1, 4, 1e-12);
    ck_assert_double_eq_tol(e.counts.dac_l2, 3, 1e-12);
    ck_assert_double_eq_tol(e.counts.dac_gmem, 2, 1e-12);
    ck_assert_double_eq(e.counts.mem_insts, 4);
    /* a hit ratio given by hand counts instead */
    ck_assert_int_eq(power_inputs_set(&in, "l2_hit", "1", &d), TEG_OK);
    e = evaluate();
    ck_assert_double_eq_tol(e.counts.dac_gmem, 0, 1e-12);
    /* and so does a count */
    ck_assert_int_eq(power_inputs_set(&in, "dac_gmem", "7", &d), TEG_OK);
    e = evaluate();
    ck_assert_double_eq(e.counts.dac_gmem, 7);
    ck_assert_int_eq(power_inputs_set(&in, "l1_hit", "1.5", &d), TEG_OK);
    ck_assert_int_eq(power_evaluate(&in, &e, &d), TEG_LIMIT);
    ck_assert_str_eq(d.where, "l1_hit");
    close_gpu();
}
END_TEST

START_TEST(a_description_may_say_what_a_class_accesses)
{
    open_gpu("config/gtx280.cfg");
    fill_statistics();
    ck_assert_int_eq(teg_gpu_set(gpu, "power_use.fmad", "int fds", &d), TEG_OK);
    measure();
    ck_assert_double_eq(in.counts.dac_fp, 0);
    ck_assert_double_eq(in.counts.dac_int, 60);
    ck_assert_int_eq(teg_gpu_set(gpu, "power.table7", "printed", &d), TEG_OK);
    measure();
    /* without the 40 of fmad and the 2 shared stores */
    ck_assert_double_eq(in.counts.dac_reg, 34);
    close_gpu();
}
END_TEST

START_TEST(a_description_without_the_section_names_what_it_lacks)
{
    struct power_inputs of;
    struct teg_gpu *plain = calloc(1, sizeof *plain);

    ck_assert_ptr_nonnull(plain);
    help_gpu_plain(plain);
    power_inputs_init(&of);
    ck_assert_int_eq(power_inputs_machine(&of, plain, &d), TEG_LIMIT);
    ck_assert_str_eq(d.where, "test");
    ck_assert_ptr_nonnull(strstr(d.what, "power.idle_watts"));
    ck_assert_ptr_nonnull(strstr(d.what, "power.issue_norm"));
    ck_assert_ptr_nonnull(strstr(d.what, "power_unit"));
    plain->power.idle_watts = 10;
    plain->power.issue_norm = 1;
    ck_assert_int_eq(power_inputs_machine(&of, plain, &d), TEG_LIMIT);
    ck_assert_ptr_null(strstr(d.what, "issue_norm"));
    plain->power_unit[POWER_FDS].given = 1;
    ck_assert_int_eq(power_inputs_machine(&of, plain, &d), TEG_OK);
    free(plain);
}
END_TEST

START_TEST(no_thermal_section_leaves_temperature_open)
{
    struct power_estimate e;

    open_gpu("config/gtx580.cfg");
    fill_statistics();
    s->sms = s->active_sms = 16;
    measure();
    ck_assert_int_eq(power_inputs_set(&in, "t_s", "10", &d), TEG_OK);
    e = evaluate();
    ck_assert_int_eq(e.has_thermal, 0);
    ck_assert_double_eq_tol(e.energy_j, 10 * e.power.gpu_power_0, 1e-9);
    close_gpu();
}
END_TEST

START_TEST(a_warm_chip_draws_more)
{
    struct power_estimate cold, warm;

    open_gpu("config/gtx280.cfg");
    fill_statistics();
    measure();
    cold = evaluate();
    ck_assert_int_eq(cold.has_thermal, 1);
    ck_assert_double_eq(cold.run.start_temp, 57);
    ck_assert_double_eq(cold.run.t_s, cold.power.time_s);
    ck_assert_int_eq(power_inputs_set(&in, "start_temp", "70", &d), TEG_OK);
    warm = evaluate();
    ck_assert_double_gt(warm.energy_j, cold.energy_j);
    ck_assert_double_gt(warm.thermal.runtime_power_t,
                        cold.thermal.runtime_power_t);
    ck_assert_double_eq(warm.power.energy_total_j, cold.power.energy_total_j);
    close_gpu();
}
END_TEST

/* Two rounds of 2 blocks on 15 SMs take MWP-CWP twice the cycles of one, as
 * long as bandwidth does not limit: [T] 20. */
START_TEST(a_models_cycles_follow_the_number_of_sms)
{
    const struct teg_model *model = teg_model_find("mwp-cwp");
    double all, half, one;

    open_gpu("config/gtx280.cfg");
    fill_statistics();
    ck_assert_int_eq(power_predict_cycles(model, s, gpu, 30, &all, &d), TEG_OK);
    ck_assert_int_eq(power_predict_cycles(model, s, gpu, 15, &half, &d),
                     TEG_OK);
    ck_assert_int_eq(power_predict_cycles(model, s, gpu, 1, &one, &d), TEG_OK);
    ck_assert_double_gt(half, all);
    ck_assert_double_gt(one, 5 * half);
    /* the originals are as they were */
    ck_assert_uint_eq(gpu->chip.sms, 30);
    ck_assert_uint_eq(s->sms, 30);
    close_gpu();
}
END_TEST

START_TEST(a_model_that_does_not_apply_says_why)
{
    double cycles;

    open_gpu("config/gtx280.cfg");
    fill_statistics();
    gpu->mwp_cwp.mem_ld = 0;
    ck_assert_int_eq(power_predict_cycles(teg_model_find("mwp-cwp"), s, gpu, 30,
                                          &cycles, &d),
                     TEG_LIMIT);
    ck_assert_str_eq(d.where, "mwp-cwp");
    ck_assert_ptr_nonnull(strstr(d.what, "mwp_cwp"));
    close_gpu();
}
END_TEST

START_TEST(a_trace_without_warps_is_refused)
{
    open_gpu("config/gtx280.cfg");
    power_inputs_init(&in);
    ck_assert_int_eq(power_inputs_measure(&in, s, gpu, &d), TEG_LIMIT);
    ck_assert_ptr_nonnull(strstr(d.what, "no warps"));
    close_gpu();
}
END_TEST

START_TEST(placement_follows_the_clusters)
{
    uint32_t sm[64], tpcs;
    static const uint32_t strided[] = {0, 1, 7, 8};

    open_gpu("config/8800gt.cfg");
    ck_assert_int_eq(power_place(gpu, 4, sm, &tpcs, &d), TEG_OK);
    ck_assert_uint_eq(tpcs, 2);
    ck_assert_mem_eq(sm, strided, sizeof strided);
    close_gpu();
    open_gpu("config/gtx280.cfg");
    ck_assert_int_eq(power_place(gpu, 20, sm, &tpcs, &d), TEG_OK);
    ck_assert_uint_eq(tpcs, 7);
    /* 0 to 6, 10 to 16 and 20 to 25 */
    ck_assert_uint_eq(sm[7], 10);
    ck_assert_uint_eq(sm[19], 25);
    close_gpu();
}
END_TEST

HELP_MAIN("power_model", 30, {counts_are_accesses_per_warp, 0},
          {shared_operands_of_arithmetic_access_shared_memory, 0},
          {caches_keep_accesses_from_what_lies_behind, 0},
          {a_description_may_say_what_a_class_accesses, 0},
          {a_description_without_the_section_names_what_it_lacks, 0},
          {no_thermal_section_leaves_temperature_open, 0},
          {a_warm_chip_draws_more, 0},
          {a_models_cycles_follow_the_number_of_sms, 0},
          {a_model_that_does_not_apply_says_why, 0},
          {a_trace_without_warps_is_refused, 0},
          {placement_follows_the_clusters, 0})
