/*
 * The descriptions that teg brings: all load, and the chips of the texts have
 * the texts' values.  Runs from the top of the tree.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/gpu.h"
#include "tests/help_suite.h"

static struct teg_gpu *load(const char *path)
{
    struct teg_gpu *gpu;
    struct teg_diag d = {0};

    ck_assert_msg(teg_gpu_load(path, &gpu, &d) == TEG_OK, "%s: %s", d.where,
                  d.what);
    return gpu;
}

START_TEST(every_description_loads_and_bears_its_files_name)
{
    DIR *directory = opendir("config");
    const struct dirent *e;
    uint32_t seen[64], count = 0;

    ck_assert_ptr_nonnull(directory);
    while ((e = readdir(directory)) != NULL) {
        size_t length = strlen(e->d_name);
        char path[300];
        struct teg_gpu *gpu;

        if (length < 5 || strcmp(e->d_name + length - 4, ".cfg") != 0)
            continue;
        snprintf(path, sizeof path, "config/%s", e->d_name);
        gpu = load(path);
        ck_assert_uint_eq(strlen(gpu->name), length - 4);
        ck_assert(strncmp(gpu->name, e->d_name, length - 4) == 0);
        ck_assert(gpu->title[0] != '\0');
        /* at most one GPU stands for a compute capability */
        for (uint32_t i = 0; gpu->default_for != 0 && i < count; i++)
            ck_assert_uint_ne(seen[i], gpu->default_for);
        if (gpu->default_for != 0) {
            ck_assert_uint_eq(gpu->default_for, gpu->chip.compute_capability);
            seen[count++] = gpu->default_for;
        }
        teg_gpu_free(gpu);
    }
    closedir(directory);
    /* 10, 11, 13, 20, 30, 35, 60, 61, 70, 75, 80, 86, 89, 90 */
    ck_assert_uint_ge(count, 14);
}
END_TEST

START_TEST(gtx280_is_the_chip_of_lai13)
{
    struct teg_gpu *gpu = load("config/gtx280.cfg");
    /* Table 3.1; same-warp of SHL from the 28 cycles of clock() */
    static const struct {
        enum teg_op_class c;
        uint32_t latency, interval, same_warp;
    } table[] = {
        {CLASS_IADD, 24, 4, 8},   {CLASS_IMUL16, 24, 4, 8},
        {CLASS_IMAD16, 24, 4, 8}, {CLASS_FADD, 24, 4, 8},
        {CLASS_FMUL, 24, 4, 8},   {CLASS_FMAD, 24, 4, 8},
        {CLASS_DADD, 48, 32, 32}, {CLASS_DMUL, 48, 32, 32},
        {CLASS_DFMA, 48, 32, 32}, {CLASS_SHIFT, 24, 4, 4},
    };

    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const struct teg_timing *t = &gpu->timing[table[i].c];

        ck_assert_uint_eq(t->latency, table[i].latency);
        ck_assert_uint_eq(t->interval, table[i].interval);
        ck_assert_uint_eq(t->same_warp, table[i].same_warp);
    }
    ck_assert_uint_eq(gpu->timing[CLASS_FMUL].unit_count, 2);
    ck_assert_uint_eq(gpu->timing[CLASS_S2R].latency, 24);
    ck_assert_uint_eq(gpu->timing[CLASS_LDS].latency, 38);
    ck_assert_uint_eq(gpu->timing[CLASS_LDG].interval, 4);
    ck_assert_uint_eq(gpu->timing[CLASS_LDG].same_warp, 60);
    ck_assert_uint_eq(gpu->sm.issue_period, 2);
    ck_assert_uint_eq(gpu->chip.sms / gpu->chip.sms_per_cluster, 10);
    ck_assert_str_eq(gpu->unit[gpu->operand_unit].name, "shared");
    /* 74 cycles without a conflict, 266 with 16 in both half warps */
    ck_assert_double_eq_tol(gpu->shared.operand_latency +
                                gpu->shared.conflict_latency * (32 - 2),
                            266, 1e-9);
    teg_gpu_free(gpu);
}
END_TEST

/* (Lai 2013, Eq. 3.2) C_mem = B * latency / (TPCs * 32 * size * clock) */
START_TEST(gtx280_holds_18_double_and_37_single_transactions)
{
    struct teg_gpu *gpu = load("config/gtx280.cfg");
    double bytes =
        gpu->dram.bandwidth_gbs * 1e3 * gpu->dram.latency /
        (gpu->chip.sm_clock_mhz * gpu->chip.sms / gpu->chip.sms_per_cluster);

    ck_assert_uint_eq(gpu->memory.in_flight_bytes, (uint32_t)bytes);
    ck_assert_uint_eq(gpu->memory.in_flight_bytes / (32 * 8), 18);
    ck_assert_uint_eq(gpu->memory.in_flight_bytes / (32 * 4), 37);
    teg_gpu_free(gpu);
}
END_TEST

START_TEST(v100_has_the_units_of_volta)
{
    struct teg_gpu *gpu = load("config/v100.cfg");
    double gflops = 2.0 * 32 / gpu->timing[CLASS_FMAD].interval *
                    gpu->sm.schedulers * gpu->chip.sms *
                    gpu->chip.sm_clock_mhz / 1e3;

    /* 64 lanes x 80 SMs x 2 operations x 1.38 GHz */
    ck_assert_double_eq_tol(gflops, 14131.2, 0.1);
    ck_assert_uint_eq(gpu->timing[CLASS_FADD].latency, 4);
    ck_assert_uint_eq(gpu->timing[CLASS_DADD].latency, 8);
    ck_assert_uint_eq(gpu->l1.latency, 28);
    ck_assert_uint_eq(gpu->l2.latency, 212);
    ck_assert_uint_eq(gpu->dram.latency, 425);
    ck_assert_uint_eq(gpu->dram.channels, 32);
    ck_assert_uint_eq(gpu->default_for, 70);
    teg_gpu_free(gpu);
}
END_TEST

/* (Hong 2012, Tables 2 and 5) */
START_TEST(mwp_cwp_parameters_are_those_of_hong12)
{
    static const struct {
        const char *path;
        uint32_t sms;
        double mem_ld, uncoal, coal, per_mw, bandwidth;
    } list[] = {
        {"config/8800gtx.cfg", 16, 420, 10, 4, 32, 86.4},
        {"config/fx5600.cfg", 16, 420, 10, 4, 32, 76.8},
        {"config/8800gt.cfg", 14, 420, 10, 4, 32, 57.6},
        {"config/gtx280.cfg", 30, 450, 40, 4, 0, 141.7},
    };

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        struct teg_gpu *gpu = load(list[i].path);

        ck_assert_uint_eq(gpu->chip.sms, list[i].sms);
        ck_assert_double_eq(gpu->mwp_cwp.mem_ld, list[i].mem_ld);
        ck_assert_double_eq(gpu->mwp_cwp.departure_del_uncoal, list[i].uncoal);
        ck_assert_double_eq(gpu->mwp_cwp.departure_del_coal, list[i].coal);
        ck_assert_double_eq(gpu->mwp_cwp.uncoal_per_mw, list[i].per_mw);
        ck_assert_double_eq(gpu->mwp_cwp.issue_cycles, 4);
        ck_assert_double_eq(gpu->dram.bandwidth_gbs, list[i].bandwidth);
        ck_assert_double_eq(gpu->m_factor[CLASS_IMUL], 4.3);
        teg_gpu_free(gpu);
    }
}
END_TEST

/* (Hong 2012, Tables 8, 9 and 11) */
START_TEST(power_parameters_are_those_of_hong12)
{
    static const struct {
        enum teg_power_unit_id unit;
        double gtx280;
        enum teg_power_curve_kind curve;
        double gtx580;
    } list[] = {
        {POWER_FP, 0.2, CURVE_LOG, 1.1},
        {POWER_REG, 0.3, CURVE_LOG, 0.8},
        {POWER_ALU, 0.2, CURVE_IDENTITY, -1},
        {POWER_SFU, 0.5, CURVE_IDENTITY, 0.6},
        {POWER_INT, 0.25, CURVE_LOG, 1.1},
        {POWER_FDS, 0.5, CURVE_LOG, 0.6},
        {POWER_SHM, 1, CURVE_IDENTITY, 1.4},
        {POWER_TEX, 0.9, CURVE_LOG, 0.9},
        {POWER_CONST, 0.4, CURVE_LOG, 1.0},
        {POWER_GMEM, 52, CURVE_LOG, 28},
        {POWER_LMEM, 52, CURVE_LOG, -1},
        {POWER_L1, -1, CURVE_IDENTITY, 1.6},
        {POWER_L2, -1, CURVE_IDENTITY, 12},
    };
    struct teg_gpu *tesla = load("config/gtx280.cfg");
    struct teg_gpu *fermi = load("config/gtx580.cfg");

    ck_assert_uint_eq(sizeof list / sizeof list[0], TEG_POWER_UNITS);
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        const struct teg_power_unit *a = &tesla->power_unit[list[i].unit];
        const struct teg_power_unit *b = &fermi->power_unit[list[i].unit];

        ck_assert_int_eq(a->given, list[i].gtx280 >= 0);
        ck_assert_int_eq(b->given, list[i].gtx580 >= 0);
        if (a->given) {
            ck_assert_double_eq(a->max_watts, list[i].gtx280);
            ck_assert_int_eq(a->curve.kind, list[i].curve);
        }
        if (b->given) {
            ck_assert_double_eq(b->max_watts, list[i].gtx580);
            ck_assert_int_eq(b->curve.kind, CURVE_IDENTITY);
        }
    }
    ck_assert_double_eq(tesla->power_unit[POWER_FP].curve.a, 0.1365);
    ck_assert_double_eq(tesla->power_unit[POWER_FP].curve.b, 1.001375);
    ck_assert_double_eq(tesla->power.idle_watts, 83);
    ck_assert_double_eq(tesla->power.const_sm_watts, 0.813);
    ck_assert_uint_eq(tesla->power.core_scaling, CORE_SCALING_LOG);
    ck_assert_double_eq(tesla->thermal.sigma, 10. / 22);
    ck_assert_double_eq(tesla->thermal.rho, 21.505);
    ck_assert_double_eq(fermi->power.idle_watts, 27);
    ck_assert_double_eq(fermi->power.activation_watts, 64);
    ck_assert_uint_eq(fermi->power.core_scaling, CORE_SCALING_LINEAR);
    ck_assert_double_eq(fermi->thermal.rc_rise, 0);
    teg_gpu_free(tesla);
    teg_gpu_free(fermi);
}
END_TEST

/* (Hong 2012, Table 7): its register-file row omits st_shared and fma. */
START_TEST(every_class_accesses_components)
{
    for (enum teg_op_class c = 0; c < TEG_CLASSES; c++) {
        uint32_t decided = teg_power_use_default(c, 0);
        uint32_t printed = teg_power_use_default(c, 1);
        int omitted = c == CLASS_STS || c == CLASS_DFMA;

        ck_assert_msg(decided & 1u << POWER_FDS, "%s",
                      teg_op_class_facts(c)->key);
        ck_assert_uint_eq(decided & ~printed, omitted ? 1u << POWER_REG : 0);
        ck_assert_uint_eq(printed & ~decided, 0);
    }
    ck_assert_uint_eq(teg_power_use_default(CLASS_LDG, 0),
                      1u << POWER_GMEM | 1u << POWER_REG | 1u << POWER_FDS);
    ck_assert_uint_eq(teg_power_use_default(CLASS_FMAD, 0),
                      1u << POWER_FP | 1u << POWER_REG | 1u << POWER_FDS);
    ck_assert_uint_eq(teg_power_use_default(CLASS_BARRIER, 0), 1u << POWER_FDS);
    ck_assert_uint_eq(teg_power_use_parse("fds nothing"), 0);
    ck_assert_uint_eq(teg_power_use_parse(""), 0);
}
END_TEST

/* What a thread instruction of each kind costs per SM and cycle, from the
 * lanes that NVIDIA's programming guides give. */
START_TEST(rates_follow_the_lanes)
{
    static const struct {
        const char *path;
        enum teg_op_class c;
        double lanes; /* per SM */
    } list[] = {
        {"config/fx5600.cfg", CLASS_FMAD, 8},
        {"config/gtx580.cfg", CLASS_FMAD, 32},
        {"config/gtx580.cfg", CLASS_SFU, 4},
        {"config/gtx1080ti.cfg", CLASS_FMAD, 128},
        {"config/gtx1080ti.cfg", CLASS_DFMA, 4},
        {"config/v100.cfg", CLASS_FMAD, 64},
        {"config/v100.cfg", CLASS_DFMA, 32},
        {"config/v100.cfg", CLASS_SFU, 16},
        {"config/t4.cfg", CLASS_FMAD, 64},
        {"config/t4.cfg", CLASS_DFMA, 2},
        {"config/rtx2080ti.cfg", CLASS_SFU, 16},
        {"config/a100.cfg", CLASS_FMAD, 64},
        {"config/a100.cfg", CLASS_DFMA, 32},
        {"config/h100pcie.cfg", CLASS_FMAD, 128},
        {"config/h100pcie.cfg", CLASS_DFMA, 64},
        /* 192 lanes, of which 132 can be issued to (Lai 2013, Table 4.1) */
        {"config/gtx680.cfg", CLASS_FMAD, 128},
        {"config/gtx680.cfg", CLASS_IMAD, 32},
        {"config/gtx680.cfg", CLASS_LDS, 32},
        {"config/gtx680.cfg", CLASS_DFMA, 8},
        {"config/k20.cfg", CLASS_DFMA, 64},
        {"config/p100.cfg", CLASS_FMAD, 64},
        {"config/p100.cfg", CLASS_DFMA, 32},
        {"config/titanxp.cfg", CLASS_DFMA, 4},
        {"config/gtx1650.cfg", CLASS_FMAD, 64},
        {"config/rtx2070super.cfg", CLASS_IADD, 64},
        {"config/rtx3070.cfg", CLASS_FMAD, 128},
        {"config/rtx3070.cfg", CLASS_IADD, 64},
        /* two lanes, of which programs reach 16 of 18 cycles (gpuFLOPBench) */
        {"config/a6000.cfg", CLASS_DFMA, 32.0 / 18},
        {"config/rtx4090.cfg", CLASS_FMAD, 128},
        {"config/rtx4090.cfg", CLASS_SFU, 16},
        {"config/h200.cfg", CLASS_DFMA, 64},
    };

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        struct teg_gpu *gpu = load(list[i].path);
        const struct teg_timing *t = &gpu->timing[list[i].c];
        double sets = 0;

        for (uint32_t k = 0; k < t->unit_count; k++) {
            const struct teg_unit *u = &gpu->unit[t->unit[k]];

            sets +=
                u->count *
                (u->scope == UNIT_SCOPE_SM ? 1 : (double)gpu->sm.schedulers);
        }
        ck_assert_msg(32.0 / t->interval * sets == list[i].lanes, "%s %s",
                      list[i].path, teg_op_class_facts(list[i].c)->key);
        teg_gpu_free(gpu);
    }
}
END_TEST

HELP_MAIN("config/chips", 120,
          {every_description_loads_and_bears_its_files_name, 1},
          {gtx280_is_the_chip_of_lai13, 1},
          {gtx280_holds_18_double_and_37_single_transactions, 1},
          {v100_has_the_units_of_volta, 1},
          {mwp_cwp_parameters_are_those_of_hong12, 1},
          {power_parameters_are_those_of_hong12, 1},
          {every_class_accesses_components, 1}, {rates_follow_the_lanes, 1})
