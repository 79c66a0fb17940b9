/*
 * What tensor products cost on the chips described.  Rates against the
 * vendor's peaks at the clocks those are given for; intervals and latencies
 * against rates and measurements, worked out in the comments.
 */
#include <stdio.h>
#include <string.h>

#include "config/tensor.h"
#include "tests/help_suite.h"

static struct teg_gpu *chip(const char *name)
{
    struct teg_gpu *gpu;
    struct teg_diag d;
    char path[64];

    snprintf(path, sizeof path, "config/%s.cfg", name);
    ck_assert_msg(teg_gpu_load(path, &gpu, &d) == TEG_OK, "%s", d.what);
    return gpu;
}

static struct teg_inst product(enum teg_op_class c, const char *opcode,
                               int registers)
{
    struct teg_inst inst = {.op_class = (uint8_t)c};

    inst.tensor = teg_tensor_parse(opcode, strlen(opcode));
    ck_assert_msg(inst.tensor.m != 0, "%s", opcode);
    inst.tensor.flags |= registers ? TENSOR_REGISTERS : 0;
    return inst;
}

static double instances(const struct teg_gpu *gpu, enum teg_op_class c)
{
    const struct teg_unit *u = &gpu->unit[gpu->timing[c].unit[0]];

    return u->count * (u->scope == UNIT_SCOPE_SM ? 1.0 : gpu->sm.schedulers);
}

/* Data sheets and whitepapers, without sparsity. */
START_TEST(rates_are_the_vendors_peaks)
{
    static const struct {
        const char *gpu;
        enum teg_tensor_type type;
        double mhz, tera; /* the clock that goes with the peak */
    } list[] = {
        {"v100", TENSOR_F16_F32, 1530, 125},
        {"t4", TENSOR_F16_F32, 1590, 65},
        {"t4", TENSOR_S8, 1590, 130},
        {"t4", TENSOR_S4, 1590, 260},
        {"rtx2080ti", TENSOR_F16, 1545, 107.6},
        {"rtx2080ti", TENSOR_F16_F32, 1545, 53.8},
        {"rtx2080ti", TENSOR_S8, 1545, 215.2},
        {"a100", TENSOR_F16, 1410, 312},
        {"a100", TENSOR_F16_F32, 1410, 312},
        {"a100", TENSOR_TF32, 1410, 156},
        {"a100", TENSOR_F64, 1410, 19.5},
        {"a100", TENSOR_S8, 1410, 624},
        {"a100", TENSOR_S4, 1410, 1248},
        {"a100", TENSOR_B1, 1410, 4992},
        {"a100_80", TENSOR_F16_F32, 1410, 312},
        {"rtx3070", TENSOR_F16, 1725, 81.3},
        {"rtx3070", TENSOR_F16_F32, 1725, 40.6},
        {"rtx3070", TENSOR_TF32, 1725, 20.3},
        {"rtx3070", TENSOR_S8, 1725, 162.6},
        {"rtx3070", TENSOR_S4, 1725, 325.2},
        {"a40", TENSOR_F16_F32, 1740, 149.7},
        {"a40", TENSOR_TF32, 1740, 74.8},
        {"a40", TENSOR_S8, 1740, 299.3},
        {"a6000", TENSOR_F16_F32, 1800, 154.8},
        {"rtx4090", TENSOR_F16, 2520, 330.3},
        {"rtx4090", TENSOR_F16_F32, 2520, 165.2},
        {"rtx4090", TENSOR_TF32, 2520, 82.6},
        {"rtx4090", TENSOR_F8, 2520, 660.6},
        {"rtx4090", TENSOR_F8_F32, 2520, 330.3},
        {"rtx4090", TENSOR_S8, 2520, 660.6},
        {"rtx4090", TENSOR_S4, 2520, 1321.2},
        {"h100", TENSOR_F16_F32, 1830, 989.4},
        {"h100", TENSOR_TF32, 1830, 494.7},
        {"h100", TENSOR_F8_F32, 1830, 1978.9},
        {"h100", TENSOR_S8, 1830, 1978.9},
        {"h100", TENSOR_F64, 1980, 67},
        {"h100pcie", TENSOR_F16_F32, 1620, 756},
        {"h100pcie", TENSOR_F8_F32, 1620, 1513},
        {"h200", TENSOR_F16_F32, 1830, 989.4},
        {"gh200", TENSOR_F16_F32, 1830, 989.4},
        {"h100nvl", TENSOR_F16_F32, 1545, 835.5},
        {"rtx3090", TENSOR_F16_F32, 1695, 71},
        {"a4000", TENSOR_F16_F32, 1560, 76.7},
        {"a10", TENSOR_F16_F32, 1695, 125},
        {"a30", TENSOR_F16_F32, 1440, 165},
        {"rtx3080", TENSOR_F16_F32, 1710, 59.5},
        {"rtx4080", TENSOR_F16_F32, 2505, 97.5},
        {"rtx4080", TENSOR_F8, 2505, 389.9},
        {"l4", TENSOR_F16_F32, 2040, 121},
        {"l4", TENSOR_F8_F32, 2040, 242},
        {"l40", TENSOR_F16_F32, 2490, 181},
        {"l40", TENSOR_F8_F32, 2490, 362},
        {"l40s", TENSOR_F16_F32, 2490, 362},
        {"l40s", TENSOR_F8_F32, 2490, 733},
        {"orin", TENSOR_S8, 1300, 85},
        {"titanrtx", TENSOR_F16_F32, 1770, 130.5},
        {"rtx2060", TENSOR_F16, 1680, 51.6},
        {"rtx2060super", TENSOR_F16, 1650, 57.4},
        {"rtx2070", TENSOR_F16, 1620, 59.7},
        {"rtx2080", TENSOR_F16, 1710, 80.5},
        {"rtx2080super", TENSOR_F16, 1815, 89.2},
        {"rtx3060", TENSOR_F16, 1777, 51},
        {"rtx3060ti", TENSOR_F16, 1665, 64.8},
        {"rtx3070ti", TENSOR_F16, 1770, 87},
        {"rtx3080ti", TENSOR_F16, 1665, 136},
        {"rtx3090ti", TENSOR_F16, 1860, 160},
        {"a5000", TENSOR_F16_F32, 1695, 111.1},
        {"a10g", TENSOR_F16_F32, 1710, 70},
        {"rtx4060", TENSOR_F8, 2460, 121},
        {"rtx4060ti", TENSOR_F8, 2535, 176.5},
        {"rtx4070super", TENSOR_F8, 2475, 284},
        {"rtx4070ti", TENSOR_F8, 2610, 320.5},
        {"rtx4070tisuper", TENSOR_F8, 2610, 353},
        {"rtx4080super", TENSOR_F8, 2550, 418},
        {"rtx6000ada", TENSOR_F8_F32, 2505, 728.5},
        {"l20", TENSOR_F16_F32, 2520, 119.5},
        {"l20", TENSOR_S8, 2520, 239},
        {"rtx5060", TENSOR_F4_SCALED, 2497, 307},
        {"rtx5060ti", TENSOR_F4_SCALED, 2572, 379.5},
        {"rtx5070", TENSOR_F4_SCALED, 2512, 494},
        {"rtxpro6000", TENSOR_F16_F32, 2617, 503.8},
        {"rtx5080", TENSOR_F16_F32, 2617, 112.6},
        {"rtx5080", TENSOR_F4_SCALED, 2617, 900.4},
        {"rtx5090", TENSOR_F16, 2407, 419},
        {"rtx5090", TENSOR_F16_F32, 2407, 209.5},
        {"rtx5090", TENSOR_TF32, 2407, 104.8},
        {"rtx5090", TENSOR_F8, 2407, 838},
        {"rtx5090", TENSOR_F8_F32, 2407, 419},
        {"rtx5090", TENSOR_F4_SCALED, 2407, 1676},
        {"rtx5090", TENSOR_S8, 2407, 838},
        {"b200", TENSOR_F16_F32, 1855, 2250},
        {"b200", TENSOR_F8_F32, 1855, 4500},
        {"b200", TENSOR_F4_SCALED, 1855, 9000},
        {"b200", TENSOR_F64, 1965, 37},
    };

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        struct teg_gpu *gpu = chip(list[i].gpu);
        enum teg_op_class c =
            list[i].type == TENSOR_F64 ? CLASS_DMMA : CLASS_HMMA;
        double tera = 2 * tensor_rate(gpu, list[i].type) * instances(gpu, c) *
                      gpu->chip.sms * list[i].mhz / 1e6;

        if (gpu->tensor.clock_mhz != 0 && list[i].type != TENSOR_F64)
            ck_assert_double_eq(gpu->tensor.clock_mhz, list[i].mhz);
        ck_assert_msg(tera > 0.985 * list[i].tera &&
                          tera < 1.015 * list[i].tera,
                      "%s %s: %g of %g", list[i].gpu,
                      teg_tensor_help(list[i].type), tera, list[i].tera);
        teg_gpu_free(gpu);
    }
}
END_TEST

struct cost {
    const char *gpu;
    enum teg_op_class op_class;
    const char *opcode;
    int registers; /* A of a warp group */
    uint32_t interval, latency;
};

static const struct cost costs[] = {
    /* 256 and 512 multiply-adds at 128; the class's latency of 5 */
    {"v100", CLASS_HMMA, "HMMA.884.F32.F32.STEP0", 0, 2, 5},
    {"v100", CLASS_HMMA, "HMMA.884.F16.F16.STEP0", 0, 4, 5},
    /* 1024 at 128, GeForce with sums of 32 bits at 64 */
    {"t4", CLASS_HMMA, "HMMA.1688.F32", 0, 8, 14},
    {"rtx2080ti", CLASS_HMMA, "HMMA.1688.F16", 0, 8, 14},
    {"rtx2080ti", CLASS_HMMA, "HMMA.1688.F32", 0, 16, 16},
    {"t4", CLASS_IMMA, "IMMA.8816.S8.S8", 0, 4, 10},
    {"t4", CLASS_IMMA, "IMMA.8832.S4.S4", 0, 4, 10},
    {"t4", CLASS_IMMA, "BMMA.88128.XOR.POPC", 0, 4, 10},
    /* bits along k: 16 x 8 = 128, 16 x 16 = 256 */
    {"a100", CLASS_HMMA, "HMMA.1688.F32", 0, 4, 18},
    {"a100", CLASS_HMMA, "HMMA.16816.F32", 0, 8, 25},
    {"a100", CLASS_HMMA, "HMMA.1684.F32.TF32", 0, 4, 18},
    {"a100", CLASS_HMMA, "HMMA.1688.F32.TF32", 0, 8, 25},
    {"a100", CLASS_IMMA, "IMMA.16816.S8.S8", 0, 4, 18},
    {"a100", CLASS_IMMA, "IMMA.16832.S8.S8", 0, 8, 25},
    {"a100", CLASS_IMMA, "IMMA.16864.S4.S4", 0, 8, 25},
    {"a100", CLASS_IMMA, "BMMA.168256.AND.POPC", 0, 8, 25},
    /* 1024 at 512 would be 2; half of the peak is reached */
    {"a100", CLASS_IMMA, "IMMA.8816.S8.S8", 0, 4, 18},
    /* as the dense product of half of k, but the small one not under 6 */
    {"a100", CLASS_HMMA, "HMMA.SP.16832.F32", 0, 8, 25},
    {"a100", CLASS_HMMA, "HMMA.SP.16816.F32", 0, 6, 18},
    {"a100", CLASS_IMMA, "IMMA.SP.16864.S8.S8", 0, 8, 25},
    /* 256 at 16; doubles keep their class's latency */
    {"a100", CLASS_DMMA, "DMMA.884", 0, 16, 26},
    /* 256 at 2 for the whole SM */
    {"rtx3070", CLASS_DMMA, "DMMA.884", 0, 128, 128},
    /* 2048 at 64; no shorter latency than interval */
    {"rtx3070", CLASS_HMMA, "HMMA.16816.F32", 0, 32, 32},
    {"rtx3070", CLASS_HMMA, "HMMA.16816.F16", 0, 16, 25},
    {"rtx3070", CLASS_HMMA, "HMMA.1688.F32", 0, 16, 18},
    {"rtx3070", CLASS_HMMA, "HMMA.SP.16816.F16", 0, 8, 18},
    {"a6000", CLASS_HMMA, "HMMA.16816.F32", 0, 16, 25},
    {"rtx4090", CLASS_HMMA, "HMMA.16816.F32", 0, 32, 32},
    {"rtx4090", CLASS_HMMA, "QMMA.16832.F32.E4M3.E4M3", 0, 32, 32},
    {"rtx4090", CLASS_HMMA, "QMMA.16832.F16.E4M3.E4M3", 0, 16, 25},
    /* 4096 at 128 and 256, 8192 at 512 */
    {"rtx5090", CLASS_HMMA, "QMMA.16832.F32.E3M2.E2M1", 0, 32, 32},
    {"rtx5090", CLASS_HMMA, "QMMA.SF.16832.F32.E4M3.E4M3.E8", 0, 16, 30},
    {"rtx5090", CLASS_HMMA, "OMMA.SF.16864.F32.E2M1.E2M1.E8", 0, 16, 30},
    /* six registers of A and B; with zeros eight, of 2 and 4 + 4 */
    {"h100", CLASS_HMMA, "HMMA.16816.F32", 0, 6, 24},
    {"h100", CLASS_HMMA, "HMMA.16816.F16", 0, 6, 24},
    {"h100", CLASS_HMMA, "HMMA.1688.F32", 0, 4, 18},
    {"h100", CLASS_IMMA, "IMMA.16832.S8.S8", 0, 6, 24},
    {"h100", CLASS_HMMA, "HMMA.SP.16832.F32", 0, 8, 24},
    {"h100", CLASS_DMMA, "DMMA.8x8x4", 0, 8, 24},
    /* 2048 at 32 are 64; three quarters of them before the last 256 bits */
    {"h100", CLASS_DMMA, "DMMA.16x8x16", 0, 64, 72},
    /* N / 2 or, with A of 2048 and B of 32 N bytes in shared memory of 128
     * bytes a cycle, (2048 + 32 N) / 128 */
    {"h100", CLASS_GMMA, "HGMMA.64x8x16.F32", 0, 18, 82},
    {"h100", CLASS_GMMA, "HGMMA.64x16x16.F32", 0, 20, 84},
    {"h100", CLASS_GMMA, "HGMMA.64x32x16.F32", 0, 24, 88},
    {"h100", CLASS_GMMA, "HGMMA.64x64x16.F32", 0, 32, 96},
    {"h100", CLASS_GMMA, "HGMMA.64x128x16.F32", 0, 64, 128},
    {"h100", CLASS_GMMA, "HGMMA.64x256x16.F16", 0, 128, 192},
    {"h100", CLASS_GMMA, "HGMMA.64x256x8.F32.TF32", 0, 128, 192},
    {"h100", CLASS_GMMA, "QGMMA.64x256x32.F32.E4M3.E4M3", 0, 128, 192},
    {"h100", CLASS_GMMA, "IGMMA.64x256x32.S8.S8", 0, 128, 192},
    {"h100", CLASS_GMMA, "HGMMA.64x8x16.F32", 1, 4, 68},
    {"h100", CLASS_GMMA, "HGMMA.64x64x16.F32", 1, 32, 96},
    /* half of A, all of B: (2048 + 64 x 256) / 128 */
    {"h100", CLASS_GMMA, "HGMMA.SP.64x256x32.F32", 0, 144, 208},
    {"h100", CLASS_GMMA, "HGMMA.SP.64x256x32.F32", 1, 128, 192},
    /* no rate: INT4 is emulated there */
    {"h100", CLASS_IMMA, "IMMA.16864.S4.S4", 0, 8, 24},
};

START_TEST(shapes_cost_what_rates_and_measurements_say)
{
    const struct cost *c = &costs[_i];
    struct teg_gpu *gpu = chip(c->gpu);
    struct teg_inst inst = product(c->op_class, c->opcode, c->registers);
    struct teg_timing t = tensor_timing(gpu, &inst);

    ck_assert_msg(t.interval == c->interval && t.latency == c->latency,
                  "%s on %s: interval %u, latency %u", c->opcode, c->gpu,
                  t.interval, t.latency);
    ck_assert_uint_eq(t.unit[0], gpu->timing[c->op_class].unit[0]);
    teg_gpu_free(gpu);
}
END_TEST

START_TEST(without_a_shape_or_a_rate_the_class_holds)
{
    struct teg_gpu *gpu = chip("h100");
    struct teg_inst inst = product(CLASS_IMMA, "IMMA.16864.S4.S4", 0);

    ck_assert(!tensor_is_timed(gpu, &inst));
    gpu->tensor.s4 = 1;
    ck_assert(tensor_is_timed(gpu, &inst));
    ck_assert_uint_eq(tensor_timing(gpu, &inst).interval, 8192);
    inst.tensor.m = 0;
    ck_assert(!tensor_is_timed(gpu, &inst));
    ck_assert_uint_eq(tensor_timing(gpu, &inst).interval,
                      gpu->timing[CLASS_IMMA].interval);
    teg_gpu_free(gpu);
}
END_TEST

HELP_MAIN("config/tensor", 30, {rates_are_the_vendors_peaks, 0},
          {shapes_cost_what_rates_and_measurements_say,
           sizeof costs / sizeof costs[0]},
          {without_a_shape_or_a_rate_the_class_holds, 0})
