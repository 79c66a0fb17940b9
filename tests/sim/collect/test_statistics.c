/* Sums that must come out, and timelines that stay small. */
#include "sim/collect/statistics.h"

#include <stdlib.h>
#include <string.h>

#include "sim/teg.h"
#include "tests/help_gpu.h"
#include "tests/help_launch.h"
#include "tests/help_suite.h"

static struct teg_gpu gpu;
static struct help_launch launch;
static struct teg_statistics s;

static void run(const struct help_step *step, uint32_t steps, uint32_t warps,
                uint32_t blocks)
{
    static struct help_warp warp[1024];
    struct teg_launch l;
    struct teg_diag d;

    for (uint32_t i = 0; i < warps * blocks; i++)
        warp[i] = (struct help_warp){step, steps};
    launch.warp = warp;
    launch.blocks = blocks;
    launch.warps_per_block = warps;
    launch.kernel.block[0] = 32 * warps;
    launch.kernel.block[1] = launch.kernel.block[2] = 1;
    launch.kernel.grid[0] = blocks;
    launch.kernel.grid[1] = launch.kernel.grid[2] = 1;
    launch.kernel.registers = 16;
    help_launch_open(&launch, &l);
    ck_assert_msg(teg_simulate(&l, &gpu, NULL, &s, &d) == TEG_OK, "%s", d.what);
}

static uint64_t sum_bins(const uint64_t *bin)
{
    uint64_t sum = 0;

    for (int i = 0; i < TEG_TIMELINE_BINS; i++)
        sum += bin[i];
    return sum;
}

static void many(uint32_t inst, uint32_t n, uint32_t warps, uint32_t blocks)
{
    static struct help_step step[20000];

    for (uint32_t i = 0; i < n; i++)
        step[i] = (struct help_step){inst, UINT32_MAX, 0, 0, NULL};
    run(step, n, warps, blocks);
}

static void setup(void)
{
    help_gpu_plain(&gpu);
    help_launch_release(&launch);
    memset(&launch, 0, sizeof launch);
}

START_TEST(issued_and_stalled_make_up_the_resident_cycles)
{
    uint64_t stalled = 0;

    setup();
    gpu.chip.sms = 3;
    gpu.sm.schedulers = 2;
    help_arith(&launch.kernel.program, CLASS_FADD, 1, 1, 2, 255);
    many(0, 50, 4, 20);
    for (int r = 0; r < TEG_STALLS; r++)
        stalled += s.stall[r];
    ck_assert_uint_eq(s.warp_instructions, 50 * 4 * 20);
    ck_assert_uint_eq(s.warp_instructions + stalled, s.resident_warp_cycles);
    ck_assert_uint_eq(s.blocks, 20);
    ck_assert_uint_eq(s.warps, 80);
    ck_assert_uint_eq(s.active_sms, 3);
    ck_assert_uint_eq(s.thread_instructions, 32 * s.warp_instructions);
}
END_TEST

/* A stream of 24-cycle instructions, one every 4 cycles: 6 in flight.  (Lai
 * 2013, 3.5; A15) */
START_TEST(a_saturated_unit_holds_latency_over_interval)
{
    setup();
    for (enum teg_op_class c = 0; c < TEG_CLASSES; c++)
        gpu.timing[c] = (struct teg_timing){1, {0, 0}, 24, 4, 8};
    help_arith(&launch.kernel.program, CLASS_FADD, 1, 2, 3, 255);
    many(0, 1000, 2, 1);
    ck_assert_uint_eq(s.unit[0].peak_load, 6);
    ck_assert_uint_eq(s.unit[0].busy_cycles, 4 * 2000);
    ck_assert_uint_eq(s.unit[0].load_cycles, 24 * 2000);
    ck_assert_uint_eq(s.cycles, 1999 * 4 + 24);
}
END_TEST

/* However long the kernel, the same bins; and nothing gets lost in them. */
START_TEST(timelines_keep_every_cycle_in_bounded_bins)
{
    static const uint32_t lengths[] = {1, 10, 100, 1000, 20000};

    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        setup();
        for (enum teg_op_class c = 0; c < TEG_CLASSES; c++)
            gpu.timing[c] = (struct teg_timing){1, {0, 0}, 7, 3, 5};
        help_arith(&launch.kernel.program, CLASS_FADD, 1, 2, 3, 255);
        many(0, lengths[i], 2, 1);
        ck_assert_uint_eq(sum_bins(s.unit[0].busy_bin), s.unit[0].busy_cycles);
        ck_assert_uint_eq(sum_bins(s.unit[0].load_bin), s.unit[0].load_cycles);
        ck_assert_uint_ge(s.timeline_bin_cycles * TEG_TIMELINE_BINS, s.cycles);
        ck_assert(s.timeline_bin_cycles == 1 ||
                  s.timeline_bin_cycles * TEG_TIMELINE_BINS / 2 < s.cycles + 7);
        for (int b = 0; b < TEG_TIMELINE_BINS; b++)
            ck_assert_uint_le(s.unit[0].busy_bin[b], s.timeline_bin_cycles);
    }
}
END_TEST

/* Three loads of 8 lines, which take half a cycle each in the unit of lines,
 * issue in cycles 0, 4 and 8 into a queue of 4.  The load/store unit is taken
 * for 10 cycles by each, from 0, 10 and 20 on. */
START_TEST(units_are_busy_when_they_begin_and_not_when_warps_issue)
{
    struct help_step step[3];

    setup();
    gpu.unit_count = 2;
    gpu.unit[0].queue = 4;
    gpu.unit[1] = (struct teg_unit){"tags", UNIT_SCOPE_SM, 1, 0, 0};
    gpu.tag_unit = 1;
    gpu.memory.transaction_interval = 0.5;
    gpu.timing[CLASS_LDG] = (struct teg_timing){1, {0, 0}, 5, 10, 1};
    help_memory(&launch.kernel.program, CLASS_LDG, SPACE_GLOBAL, INST_LOAD, 4,
                1, 255);
    for (int i = 0; i < 3; i++)
        step[i] = (struct help_step){0, 0xff, 0x1000, 128, NULL};
    run(step, 3, 1, 1);
    ck_assert_uint_eq(s.unit[0].busy_cycles, 30);
    ck_assert_uint_eq(s.unit[1].busy_cycles, 12);
    for (int b = 0; b < 40; b++) {
        ck_assert_uint_eq(s.unit[0].busy_bin[b], b < 30);
        ck_assert_uint_eq(s.unit[1].busy_bin[b], b < 12);
    }
}
END_TEST

/* Load, load, use of the first, load: the second is independent of the
 * first; the third is not, if the second was used. (Hong 2012, 2.6.3) */
START_TEST(loads_are_independent_until_the_last_one_is_read)
{
    struct help_step step[5] = {{0, UINT32_MAX, 0, 4, NULL},
                                {1, UINT32_MAX, 0, 4, NULL},
                                {2, UINT32_MAX, 0, 0, NULL},
                                {0, UINT32_MAX, 0, 4, NULL},
                                {3, UINT32_MAX, 0, 0, NULL}};

    setup();
    help_memory(&launch.kernel.program, CLASS_LDG, SPACE_GLOBAL, INST_LOAD, 4,
                1, 255);
    help_memory(&launch.kernel.program, CLASS_LDG, SPACE_GLOBAL, INST_LOAD, 4,
                2, 255);
    help_arith(&launch.kernel.program, CLASS_FADD, 3, 2, 255, 255);
    help_exit(&launch.kernel.program);
    run(step, 5, 2, 2);
    ck_assert_uint_eq(s.memory.global_loads, 12);
    ck_assert_uint_eq(s.memory.independent_loads, 4);
    ck_assert_uint_eq(s.memory.coalesced_requests, 12);
    ck_assert_uint_eq(s.memory.useful_bytes, 12 * 128);
}
END_TEST

/* Two loads, a use of the second, then a store: the first group is two loads,
 * the store is one of its own; and the same when the use is of the first.
 * (Hong 2012, 5.3.7 and Figure 99) */
START_TEST(a_group_of_accesses_ends_at_the_first_use_of_any)
{
    struct help_step step[5] = {{0, UINT32_MAX, 0, 4, NULL},
                                {1, UINT32_MAX, 0, 4, NULL},
                                {2, UINT32_MAX, 0, 0, NULL},
                                {3, UINT32_MAX, 0, 4, NULL},
                                {4, UINT32_MAX, 0, 0, NULL}};

    for (uint16_t used = 1; used <= 2; used++) {
        setup();
        help_memory(&launch.kernel.program, CLASS_LDG, SPACE_GLOBAL, INST_LOAD,
                    4, 1, 255);
        help_memory(&launch.kernel.program, CLASS_LDG, SPACE_GLOBAL, INST_LOAD,
                    4, 2, 255);
        help_arith(&launch.kernel.program, CLASS_FADD, 3, used, 255, 255);
        help_memory(&launch.kernel.program, CLASS_STG, SPACE_GLOBAL, INST_STORE,
                    4, 3, 255);
        help_exit(&launch.kernel.program);
        run(step, 5, 2, 2);
        ck_assert_uint_eq(s.memory.global_requests, 4 * 3);
        ck_assert_uint_eq(s.memory.access_groups, 4 * 2);
    }
}
END_TEST

/* R1 from nowhere; R2 needs R1, one before; R3 needs R1, two before; the exit
 * needs nothing.  The wait for a load is no dependence of this kind. */
START_TEST(dependences_count_by_their_distance)
{
    struct help_step step[5] = {{0, UINT32_MAX, 0, 0, NULL},
                                {1, UINT32_MAX, 0, 0, NULL},
                                {2, UINT32_MAX, 0, 0, NULL},
                                {3, UINT32_MAX, 0, 4, NULL},
                                {4, UINT32_MAX, 0, 0, NULL}};

    setup();
    help_arith(&launch.kernel.program, CLASS_FADD, 1, 255, 255, 255);
    help_arith(&launch.kernel.program, CLASS_FADD, 2, 1, 255, 255);
    help_arith(&launch.kernel.program, CLASS_FADD, 3, 1, 255, 255);
    help_memory(&launch.kernel.program, CLASS_LDG, SPACE_GLOBAL, INST_LOAD, 4,
                4, 255);
    help_arith(&launch.kernel.program, CLASS_FADD, 5, 4, 255, 255);
    run(step, 5, 2, 3);
    ck_assert_uint_eq(s.dependence[0], 6 * 3);
    ck_assert_uint_eq(s.dependence[1], 6);
    ck_assert_uint_eq(s.dependence[2], 6);
}
END_TEST

/* Walking gives the same counts as simulating. */
START_TEST(a_walk_counts_what_a_simulation_counts)
{
    struct help_step step[3] = {{0, UINT32_MAX, 0, 128, NULL},
                                {1, 0xff, 0, 4, NULL},
                                {2, UINT32_MAX, 0, 0, NULL}};
    static struct teg_statistics walked;
    struct teg_launch l;
    struct teg_diag d;

    setup();
    help_memory(&launch.kernel.program, CLASS_LDG, SPACE_GLOBAL, INST_LOAD, 4,
                1, 255);
    help_memory(&launch.kernel.program, CLASS_STS, SPACE_SHARED, INST_STORE, 4,
                1, 255);
    help_exit(&launch.kernel.program);
    run(step, 3, 2, 3);
    help_launch_open(&launch, &l);
    ck_assert(teg_profile(&l, &gpu, &walked, &d) == TEG_OK);
    ck_assert(!walked.simulated);
    ck_assert_uint_eq(walked.cycles, 0);
    ck_assert_uint_eq(walked.warp_instructions, s.warp_instructions);
    ck_assert_mem_eq(walked.class_, s.class_, sizeof s.class_);
    ck_assert_uint_eq(walked.memory.transactions, s.memory.transactions);
    ck_assert_uint_eq(walked.memory.transactions, 6 * 32);
    ck_assert_uint_eq(walked.memory.shared_passes, s.memory.shared_passes);
    ck_assert_uint_eq(walked.memory.bytes, s.memory.bytes);
    ck_assert_mem_eq(&walked.occupancy, &s.occupancy, sizeof s.occupancy);
}
END_TEST

/* 2 x 16 x 8 x 16 each at 256 a cycle; doubles have no rate, and a third
 * instruction has no shape. */
START_TEST(tensor_products_count_by_their_shape)
{
    struct help_step step[3] = {{0, UINT32_MAX, 0, 0, NULL},
                                {1, UINT32_MAX, 0, 0, NULL},
                                {2, UINT32_MAX, 0, 0, NULL}};
    struct teg_program *p = &launch.kernel.program;
    static struct teg_statistics walked;
    struct teg_launch l;
    struct teg_diag d;

    setup();
    gpu.tensor.f16_f32 = 256;
    help_arith(p, CLASS_HMMA, 1, 2, 3, 255);
    help_arith(p, CLASS_DMMA, 1, 2, 3, 255);
    help_arith(p, CLASS_IMMA, 1, 2, 3, 255);
    p->inst[0].tensor = (struct teg_tensor){16, 8, 16, TENSOR_F16_F32, 0, 1, 1};
    p->inst[1].tensor = (struct teg_tensor){8, 8, 4, TENSOR_F64, 0, 1, 1};
    run(step, 3, 2, 3);
    ck_assert_uint_eq(s.tensor_operations, 6 * (4096 + 512));
    ck_assert_uint_eq(s.class_[CLASS_HMMA].operations, 6 * 4096);
    ck_assert_uint_eq(s.class_[CLASS_DMMA].operations, 6 * 512);
    ck_assert_uint_eq(s.class_[CLASS_IMMA].operations, 0);
    ck_assert_uint_eq(s.class_[CLASS_HMMA].unit_cycles, 6 * 8);
    ck_assert_uint_eq(s.class_[CLASS_DMMA].unit_cycles, 6 * 1);
    ck_assert_uint_eq(s.tensor_untimed, 6 * 2);
    ck_assert_uint_eq(s.tensor_uncounted, 6);
    help_launch_open(&launch, &l);
    ck_assert(teg_profile(&l, &gpu, &walked, &d) == TEG_OK);
    ck_assert_mem_eq(walked.class_, s.class_, sizeof s.class_);
    ck_assert_uint_eq(walked.tensor_operations, s.tensor_operations);
}
END_TEST

/* Kepler's banks, as Table 4.1 of Lai 2013 has them: R1, R3 and R9 are in odd 0,
 * R4 in even 1, R5 in odd 1. */
START_TEST(registers_of_one_bank_are_counted)
{
    struct help_step step[3] = {{0, UINT32_MAX, 0, 0, NULL},
                                {1, UINT32_MAX, 0, 0, NULL},
                                {2, UINT32_MAX, 0, 0, NULL}};
    struct teg_program *p = &launch.kernel.program;

    setup();
    gpu.sm.register_banks = REGISTER_BANKS_KEPLER;
    help_arith(p, CLASS_FMAD, 0, 1, 4, 5);
    help_arith(p, CLASS_FMAD, 0, 1, 3, 5);
    help_arith(p, CLASS_FMAD, 0, 1, 3, 9);
    run(step, 3, 2, 3);
    ck_assert_uint_eq(s.register_conflicts_2, 6);
    ck_assert_uint_eq(s.register_conflicts_3, 6);
    gpu.sm.register_banks = REGISTER_BANKS_NONE;
}
END_TEST

/* One SM's instruction is heard by the whole; the other's, which ends a lot
 * later and meets another in its unit, by a part. */
START_TEST(what_parts_hear_is_joined)
{
    struct teg_program *p = &launch.kernel.program;
    const struct sim_request request = {
        .space = SPACE_GLOBAL, .transactions = 3, .bytes = 96};
    struct sim_issue e = {.cycle = 6,
                          .done = 9,
                          .arrived = 1,
                          .mask = 0xff,
                          .op_class = CLASS_FADD,
                          .busy = 2,
                          .stall = {[STALL_BARRIER] = 5},
                          .request = &request};
    struct collect_statistics *c;
    struct sim_listener whole;
    struct teg_diag d;
    void *part;

    setup();
    help_arith(p, CLASS_FADD, 1, 2, 3, 255);
    ck_assert(collect_statistics_new(&s, &c, &d) == TEG_OK);
    whole = collect_statistics_listener(c);
    whole.on_start(whole.self, &gpu, p, 2);
    whole.on_block_start(whole.self, 0, 0, 0, 1);
    whole.on_block_start(whole.self, 0, 1, 1, 1);
    part = whole.split(whole.self);
    whole.on_issue(whole.self, &e);
    e.sm = 1;
    e.done = 2006;
    whole.on_issue(part, &e);
    whole.on_issue(part, &e);
    whole.join(whole.self, part);
    whole.on_finish(whole.self, 2006);
    ck_assert(collect_statistics_check(c, &d) == TEG_OK);
    ck_assert_uint_eq(s.warp_instructions, 3);
    ck_assert_uint_eq(s.thread_instructions, 24);
    ck_assert_uint_eq(s.class_[CLASS_FADD].lanes, 24);
    ck_assert_uint_eq(s.stall[STALL_BARRIER], 15);
    ck_assert_uint_eq(s.resident_warp_cycles, 18);
    ck_assert_uint_eq(s.dependence[0], 3);
    ck_assert_uint_eq(s.memory.transactions, 9);
    ck_assert_uint_eq(s.memory.load_bytes, 288);
    ck_assert_uint_eq(s.unit[0].peak_load, 2);
    ck_assert_uint_eq(s.unit[0].load_cycles, 4003);
    ck_assert_uint_eq(s.timeline_bin_cycles, 4);
    ck_assert_uint_eq(sum_bins(s.unit[0].busy_bin), 6);
    ck_assert_uint_eq(sum_bins(s.unit[0].load_bin), 4003);
    collect_statistics_free(c);
}
END_TEST

START_TEST(fewer_warps_may_be_asked_for)
{
    struct teg_simulation_options options = {.warps_per_sm = 4};
    struct teg_launch l;
    struct teg_diag d;

    setup();
    help_arith(&launch.kernel.program, CLASS_FADD, 1, 2, 3, 255);
    many(0, 10, 2, 8);
    ck_assert_uint_eq(s.occupancy.warps_per_sm, 16);
    ck_assert_int_eq(s.occupancy.limit, OCCUPANCY_GRID);
    help_launch_open(&launch, &l);
    ck_assert(teg_simulate(&l, &gpu, &options, &s, &d) == TEG_OK);
    ck_assert_uint_eq(s.occupancy.warps_per_sm, 4);
    options.warps_per_sm = 1;
    help_launch_open(&launch, &l);
    ck_assert(teg_simulate(&l, &gpu, &options, &s, &d) == TEG_LIMIT);
}
END_TEST

/* Each block's only load is the first of its warp, though the warp before in
 * the slot left one that nobody read. */
START_TEST(a_load_does_not_outlive_its_block)
{
    struct help_step step[2] = {{0, UINT32_MAX, 0, 4, NULL},
                                {1, UINT32_MAX, 0, 0, NULL}};

    setup();
    gpu.sm.blocks_max = 1;
    help_memory(&launch.kernel.program, CLASS_LDG, SPACE_GLOBAL, INST_LOAD, 4,
                1, 255);
    help_exit(&launch.kernel.program);
    run(step, 2, 1, 3);
    ck_assert_uint_eq(s.memory.global_loads, 3);
    ck_assert_uint_eq(s.memory.independent_loads, 0);
    ck_assert_uint_eq(s.memory.access_groups, 3);
}
END_TEST

HELP_MAIN("sim/collect/statistics", 60,
          {issued_and_stalled_make_up_the_resident_cycles, 0},
          {a_saturated_unit_holds_latency_over_interval, 0},
          {timelines_keep_every_cycle_in_bounded_bins, 0},
          {units_are_busy_when_they_begin_and_not_when_warps_issue, 0},
          {loads_are_independent_until_the_last_one_is_read, 0},
          {a_group_of_accesses_ends_at_the_first_use_of_any, 0},
          {dependences_count_by_their_distance, 0},
          {a_walk_counts_what_a_simulation_counts, 0},
          {tensor_products_count_by_their_shape, 0},
          {registers_of_one_bank_are_counted, 0},
          {what_parts_hear_is_joined, 0}, {fewer_warps_may_be_asked_for, 0},
          {a_load_does_not_outlive_its_block, 0})
