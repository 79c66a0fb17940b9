/* Series over time: bounded, complete, and placed in the right cycles. */
#include "sim/collect/timeline.h"

#include <string.h>

#include "sim/teg.h"
#include "tests/help_gpu.h"
#include "tests/help_launch.h"
#include "tests/help_suite.h"

static struct teg_gpu gpu;
static struct help_launch launch;
static struct teg_statistics s;
static struct timeline chip, sm;

/* `steps` times instruction 0, in each of `warps` warps of each block. */
static void run(uint32_t steps, uint32_t warps, uint32_t blocks)
{
    static struct help_step step[20000];
    static struct help_warp warp[64];
    struct sim_listener listener[2] = {timeline_listener(&chip),
                                       timeline_listener(&sm)};
    struct teg_simulation_options options = {
        .listener = listener, .listener_count = chip.parts == NULL ? 2 : 1};
    struct teg_launch l;
    struct teg_diag d;

    for (uint32_t i = 0; i < steps; i++)
        step[i] = (struct help_step){0, UINT32_MAX, 0, 0, NULL};
    for (uint32_t i = 0; i < warps * blocks; i++)
        warp[i] = (struct help_warp){step, steps};
    launch.warp = warp;
    launch.blocks = blocks;
    launch.warps_per_block = warps;
    launch.kernel.block[0] = 32 * warps;
    launch.kernel.block[1] = launch.kernel.block[2] = 1;
    launch.kernel.registers = 16;
    help_launch_open(&launch, &l);
    ck_assert_msg(teg_simulate(&l, &gpu, &options, &s, &d) == TEG_OK, "%s",
                  d.what);
    help_launch_release(&launch);
}

static void setup(void)
{
    help_gpu_plain(&gpu);
    memset(&launch, 0, sizeof launch);
    timeline_init(&chip, TIMELINE_ALL);
    timeline_init(&sm, 0);
    help_arith(&launch.kernel.program, CLASS_FADD, 1, 1, 2, 255);
}

static uint64_t sum(const uint64_t *bin)
{
    uint64_t n = 0;

    for (int i = 0; i < TEG_TIMELINE_BINS; i++)
        n += bin[i];
    return n;
}

START_TEST(bins_hold_every_cycle_of_the_statistics)
{
    static const uint32_t steps[] = {1, 7, 100, 3000, 20000};
    uint64_t resident;

    setup();
    gpu.chip.sms = 2;
    if (_i % 2 == 0)
        timeline_add_part(&chip, &sm);
    run(steps[_i], 4, 4);
    ck_assert_uint_eq(chip.bin_cycles, sm.bin_cycles);
    ck_assert_uint_eq(sum(chip.issued), s.warp_instructions);
    resident = sum(chip.issued);
    for (int r = 0; r < TEG_STALLS; r++) {
        ck_assert_uint_eq(sum(chip.stall[r]), s.stall[r]);
        resident += sum(chip.stall[r]);
    }
    ck_assert_uint_eq(resident, s.resident_warp_cycles);
    ck_assert_uint_eq(sum(chip.busy[0]), s.unit[0].busy_cycles);
    ck_assert_uint_eq(sum(chip.load[0]), s.unit[0].load_cycles);
    ck_assert_uint_eq(sum(sm.issued), s.warp_instructions / 2);
    ck_assert_uint_eq(chip.end, s.cycles);
    ck_assert_uint_eq(chip.instances[0], 2 * sm.instances[0]);
}
END_TEST

/* Dependent adds of latency 10: issue in cycles 0, 10, 20 and 30, and nine
 * cycles of waiting between them. */
START_TEST(a_window_begins_and_ends_where_it_says)
{
    setup();
    sm.choice.from = 10;
    sm.choice.to = 25;
    run(4, 1, 1);
    ck_assert_uint_eq(sm.bin_cycles, 1);
    ck_assert_uint_eq(timeline_bins(&sm), 15);
    for (uint32_t i = 0; i < 15; i++) {
        ck_assert_uint_eq(sm.issued[i], i == 0 || i == 10);
        ck_assert_uint_eq(sm.stall[STALL_WAIT][i], i != 0 && i != 10);
        ck_assert_uint_eq(sm.load[0][i], 1);
    }
    ck_assert_uint_eq(sum(sm.issued), 2);
}
END_TEST

START_TEST(the_last_bin_is_as_wide_as_what_is_left)
{
    uint64_t cycles = 0;

    setup();
    run(3000, 1, 1);
    ck_assert_uint_gt(chip.bin_cycles, 1);
    for (uint32_t i = 0; i < timeline_bins(&chip); i++)
        cycles += timeline_width(&chip, i);
    ck_assert_uint_eq(cycles, s.cycles);
}
END_TEST

/* Three instructions of 10 cycles wait in a queue, lines of theirs are looked up
 * one at a time from issue on. */
START_TEST(units_are_busy_from_where_they_begin)
{
    setup();
    gpu.unit_count = 2;
    gpu.unit[0].queue = 4;
    gpu.unit[1] = (struct teg_unit){"tags", UNIT_SCOPE_SM, 1, 0, 0};
    gpu.tag_unit = 1;
    gpu.timing[CLASS_LDG] = (struct teg_timing){1, {0, 0}, 5, 10, 1};
    teg_program_release(&launch.kernel.program);
    help_memory(&launch.kernel.program, CLASS_LDG, SPACE_GLOBAL, INST_LOAD, 4,
                1, 255);
    run(3, 1, 1);
    ck_assert_uint_eq(sum(chip.busy[1]), 3);
    for (int b = 0; b < 40; b++) {
        ck_assert_uint_eq(chip.busy[0][b], b < 30);
        ck_assert_uint_eq(chip.busy[1][b], b < 3);
    }
}
END_TEST

START_TEST(schedulers_share_out_the_sm)
{
    uint64_t whole;

    setup();
    gpu.sm.schedulers = 2;
    sm.choice.scheduler = 1;
    run(10, 3, 1);
    whole = sum(chip.issued);
    ck_assert_uint_eq(whole, 30);
    ck_assert_uint_eq(sum(sm.issued), 10); /* of slots 0, 1, 2 it has 1 */
}
END_TEST

HELP_MAIN("sim/collect/timeline", 20,
          {bins_hold_every_cycle_of_the_statistics, 5},
          {a_window_begins_and_ends_where_it_says, 0},
          {the_last_bin_is_as_wide_as_what_is_left, 0},
          {units_are_busy_from_where_they_begin, 0},
          {schedulers_share_out_the_sm, 0})
