/* Who issued when, SM by SM. */
#include "sim/collect/sm_load.h"

#include <string.h>

#include "sim/teg.h"
#include "tests/help_gpu.h"
#include "tests/help_launch.h"
#include "tests/help_suite.h"

static struct teg_gpu gpu;
static struct help_launch launch;
static struct teg_statistics s;
static struct sm_load load;

/* `steps` dependent adds of latency 10 in a warp of each block. */
static void run(uint32_t steps, uint32_t blocks)
{
    static struct help_step step[20000];
    static struct help_warp warp[64];
    struct sim_listener listener = sm_load_listener(&load);
    struct teg_simulation_options options = {.listener = &listener,
                                             .listener_count = 1};
    struct teg_launch l;
    struct teg_diag d;

    help_arith(&launch.kernel.program, CLASS_FADD, 1, 1, 2, 255);
    for (uint32_t i = 0; i < steps; i++)
        step[i] = (struct help_step){0, UINT32_MAX, 0, 0, NULL};
    for (uint32_t i = 0; i < blocks; i++)
        warp[i] = (struct help_warp){step, steps};
    launch.warp = warp;
    launch.blocks = blocks;
    launch.warps_per_block = 1;
    launch.kernel.block[0] = 32;
    launch.kernel.block[1] = launch.kernel.block[2] = 1;
    launch.kernel.registers = 16;
    help_launch_open(&launch, &l);
    ck_assert_msg(teg_simulate(&l, &gpu, &options, &s, &d) == TEG_OK, "%s",
                  d.what);
    help_launch_release(&launch);
    ck_assert(!load.failed);
}

static void setup(uint32_t sms)
{
    help_gpu_plain(&gpu);
    gpu.chip.sms = sms;
    memset(&launch, 0, sizeof launch);
    sm_load_init(&load);
}

static uint64_t sum_of(uint32_t sm)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < SM_LOAD_BINS; i++)
        n += sm_load_at(&load, sm, i);
    return n;
}

START_TEST(every_issue_is_in_a_bin_of_its_sm)
{
    static const uint32_t steps[] = {1, 12, 13, 14, 3000, 20000};
    uint64_t cycles = 0;

    setup(3);
    run(steps[_i], 2);
    ck_assert_uint_eq(load.sms, 3);
    ck_assert_uint_eq(sum_of(0), steps[_i]);
    ck_assert_uint_eq(sum_of(1), steps[_i]);
    ck_assert_uint_eq(sum_of(2), 0);
    ck_assert_uint_eq(load.end, s.cycles);
    ck_assert_uint_le(sm_load_bins(&load), SM_LOAD_BINS);
    for (uint32_t i = 0; i < sm_load_bins(&load); i++)
        cycles += sm_load_width(&load, i);
    ck_assert_uint_eq(cycles, s.cycles);
    sm_load_release(&load);
}
END_TEST

/* Adds issue in cycles 0, 10, ... 120, the last result is there in 130: beyond
 * 128 bins of one cycle, so a bin has two, and cycle 120 is in the 61st. */
START_TEST(neighbours_are_added_when_the_kernel_goes_on)
{
    setup(1);
    run(13, 1);
    ck_assert_uint_eq(s.cycles, 130);
    ck_assert_uint_eq(load.bin_cycles, 2);
    ck_assert_uint_eq(sm_load_bins(&load), 65);
    for (uint32_t i = 0; i < 65; i++)
        ck_assert_uint_eq(sm_load_at(&load, 0, i), i % 5 == 0 && i <= 60);
    sm_load_release(&load);
}
END_TEST

HELP_MAIN("sim/collect/sm_load", 20, {every_issue_is_in_a_bin_of_its_sm, 6},
          {neighbours_are_added_when_the_kernel_goes_on, 0})
