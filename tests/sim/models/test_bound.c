/* A bound is never above the simulated cycles, and names what binds. */
#include "sim/models/bound.h"

#include <stdlib.h>
#include <string.h>

#include "sim/teg.h"
#include "tests/help_csv.h"
#include "tests/help_gpu.h"
#include "tests/help_launch.h"
#include "tests/help_suite.h"

static struct teg_gpu gpu;
static struct teg_statistics s;
static struct bound b;
static struct teg_diag d;

/* 2 SMs of two units: "a" takes an instruction in 2 cycles, "b" in 4. */
static void setup(void)
{
    help_gpu_plain(&gpu);
    gpu.chip.sms = 2;
    gpu.unit_count = 2;
    gpu.unit[1] = gpu.unit[0];
    strcpy(gpu.unit[0].name, "a");
    strcpy(gpu.unit[1].name, "b");
    for (enum teg_op_class c = 0; c < TEG_CLASSES; c++)
        gpu.timing[c] = (struct teg_timing){1, {0, 0}, 10, 2, 1};
    gpu.timing[CLASS_SFU] = (struct teg_timing){1, {1, 0}, 10, 4, 1};
    gpu.timing[CLASS_FMUL] = (struct teg_timing){2, {0, 1}, 10, 2, 1};
    s = (struct teg_statistics){.blocks = 4, .warps = 4, .sms = 2};
}

static void issue(enum teg_op_class c, uint64_t count)
{
    s.class_[c].issued += count;
    s.warp_instructions += count;
}

static void find(void)
{
    ck_assert_msg(bound_find(&b, &s, &gpu, &d) == TEG_OK, "%s", d.what);
}

START_TEST(the_busiest_unit_binds)
{
    setup();
    issue(CLASS_IADD, 100); /* 100 x 2 / 2 SMs */
    issue(CLASS_SFU, 60);   /*  60 x 4 / 2 SMs */
    find();
    ck_assert_double_eq(b.cycles, 120);
    ck_assert_str_eq(b.resource[0].name, "unit b");
    issue(CLASS_IADD, 30);
    find();
    ck_assert_double_eq(b.cycles, 130);
    ck_assert_str_eq(b.resource[0].name, "unit a");
}
END_TEST

static double cycles_of(enum bound_kind kind)
{
    for (uint32_t i = 0; i < b.count; i++) {
        if (b.resource[i].kind == kind)
            return b.resource[i].cycles;
    }
    return 0;
}

/* 100 passes and 25,600 bytes at 128 a cycle are 300 cycles in one stage, of
 * each of 2 SMs 150; two units move them side by side. */
START_TEST(shared_and_global_data_add_up_in_one_unit)
{
    setup();
    issue(CLASS_LDS, 1);
    s.memory.shared_passes = 100;
    s.memory.useful_bytes = 25600;
    gpu.memory.lane_bytes_per_cycle = 128;
    find();
    ck_assert_double_eq(cycles_of(BOUND_DATA), 150);
    ck_assert_double_eq(cycles_of(BOUND_SHARED), 50);
    gpu.timing[CLASS_LDS].unit[0] = 1;
    find();
    ck_assert_double_eq(cycles_of(BOUND_DATA), 0);
    ck_assert_double_eq(cycles_of(BOUND_SHARED), 50);
}
END_TEST

/* 100 lines in four banks of tags are 25 cycles at least, however long a line
 * takes where they are counted one by one. */
START_TEST(lines_may_be_looked_up_side_by_side)
{
    setup();
    issue(CLASS_LDG, 1);
    s.memory.transactions = 100;
    gpu.memory.transaction_interval = 0.5;
    find();
    ck_assert_double_eq(cycles_of(BOUND_TRANSACTIONS), 25);
    gpu.l1.tag_banks = 4;
    find();
    ck_assert_double_eq(cycles_of(BOUND_TRANSACTIONS), 12.5);
    gpu.tag_unit = 1;
    gpu.unit[1].count = 2;
    find();
    ck_assert_double_eq(cycles_of(BOUND_TRANSACTIONS), 6.25);
}
END_TEST

/* Of tensor products each takes the unit for what its shape says. */
START_TEST(tensor_products_bind_by_their_shapes)
{
    setup();
    issue(CLASS_HMMA, 100);
    find();
    ck_assert_double_eq(b.cycles, 100); /* x 2 / 2 SMs */
    s.class_[CLASS_HMMA].unit_cycles = 100 * 7;
    find();
    ck_assert_double_eq(b.cycles, 350);
    ck_assert_double_eq(b.arithmetic_cycles, 350);
}
END_TEST

START_TEST(a_choice_of_units_is_bounded_by_both_together)
{
    setup();
    issue(CLASS_FMUL, 100); /* 100 x 2 / 2 units / 2 SMs */
    find();
    ck_assert_double_eq(b.cycles, 50);
    issue(CLASS_IADD, 100); /* a: 100, both: (200 + 200) / 2 / 2 = 100 */
    find();
    ck_assert_double_eq(b.cycles, 100);
    issue(CLASS_SFU, 10); /* both: (200 + 200 + 40) / 4 */
    find();
    ck_assert_double_eq(b.cycles, 110);
    ck_assert_str_eq(b.resource[0].name, "units a and b");
}
END_TEST

START_TEST(issue_binds_where_units_are_many)
{
    setup();
    gpu.unit[0].count = 4;
    gpu.sm.issue_period = 2;
    issue(CLASS_IADD, 100); /* one every 2 cycles */
    find();
    ck_assert_double_eq(b.cycles, 100);
    ck_assert_str_eq(b.resource[0].name, "issue");
}
END_TEST

START_TEST(few_blocks_use_few_sms)
{
    setup();
    s.blocks = 1;
    issue(CLASS_IADD, 100);
    find();
    ck_assert_double_eq(b.cycles, 200);
}
END_TEST

START_TEST(arithmetic_alone_is_bounded_too)
{
    setup();
    issue(CLASS_IADD, 100);
    issue(CLASS_FADD, 50);
    find();
    ck_assert_double_eq(b.cycles, 150);
    ck_assert_double_eq(b.arithmetic_cycles, 50);
    setup();
    issue(CLASS_IADD, 100);
    find();
    ck_assert(isnan(b.arithmetic_cycles)); /* not 0 */
}
END_TEST

START_TEST(dram_binds_by_its_bandwidth)
{
    setup();
    issue(CLASS_LDG, 10);
    gpu.chip.sm_clock_mhz = 1000;
    gpu.dram.bandwidth_gbs = 4; /* 4 bytes a cycle */
    s.memory.bytes = 1280;
    find();
    ck_assert_double_eq(b.cycles, 320);
    ck_assert_str_eq(b.resource[0].name, "dram");
    gpu.l2.bytes = 4096; /* a walk does not know what a cache keeps */
    find();
    ck_assert_double_eq(b.cycles, 10);
    s.simulated = 1;
    s.memory.dram_bytes = 640;
    find();
    ck_assert_double_eq(b.cycles, 160);
    s.cycles = 150; /* the rest was written back after the kernel's end */
    find();
    ck_assert_double_eq(b.cycles, 150);
}
END_TEST

/* Anything goes: the simulation is never faster.  Every second launch has no
 * reductions; then at most a warp's last request of 63 is under way when it
 * ends, and even with that the bound is within a 32nd. */
START_TEST(no_simulation_beats_its_bound)
{
    static struct help_step step[64];
    static struct help_warp warp[64];
    uint64_t state = 99 + (uint64_t)_i;

    for (int round = 0; round < HELP_ROUNDS(60); round++) {
        struct help_launch launch = {0};
        struct teg_program *p = &launch.kernel.program;
        struct teg_launch l;
        uint32_t warps = 1 + help_below(&state, 4);

        help_gpu_random(&gpu, &state);
        help_arith(p, CLASS_FADD, 1, 2, 3, 255);
        help_arith(p, CLASS_IMUL, 4, 1, 3, 255);
        help_memory(p, CLASS_LDG, SPACE_GLOBAL, INST_LOAD, 4, 1, 255);
        help_memory(p, CLASS_LDS, SPACE_SHARED, INST_LOAD, 4, 1, 255);
        help_memory(p, CLASS_RED, SPACE_GLOBAL, INST_ATOMIC, 4, 1, 255);
        help_memory(p, CLASS_ATOMS, SPACE_SHARED, INST_ATOMIC, 4, 1, 255);
        help_arith(p, CLASS_FADD, 5, 4, 3, 255);
        for (int i = 0; i < 64; i++)
            step[i] = (struct help_step){help_below(&state, 4), UINT32_MAX,
                                         4096 * help_below(&state, 16),
                                         4 * (int)help_below(&state, 33), NULL};
        for (int i = 0; round % 2 && i < 64; i += 3)
            step[i].inst = 4 + i % 2;
        step[63].inst = 6;
        for (int i = 0; i < 64; i++)
            warp[i] = (struct help_warp){step, 64};
        launch.warp = warp;
        launch.warps_per_block = warps;
        launch.blocks = 1 + help_below(&state, 12);
        launch.kernel.block[0] = 32 * warps;
        launch.kernel.block[1] = launch.kernel.block[2] = 1;
        launch.kernel.grid[0] = launch.blocks;
        launch.kernel.grid[1] = launch.kernel.grid[2] = 1;
        launch.kernel.shared_bytes = 0;
        help_launch_open(&launch, &l);
        if (teg_simulate(&l, &gpu, NULL, &s, &d) == TEG_OK) {
            uint64_t cycles = s.cycles;

            find();
            /* memory counts whole 1024ths of a cycle, rounded down */
            ck_assert_msg(b.cycles <= (double)cycles * (1 + 1.0 / 1024),
                          "round %d: %g by %s, simulated %llu", round, b.cycles,
                          b.resource[0].name, (unsigned long long)cycles);
            s.cycles = 0; /* with what is under way */
            find();
            ck_assert_msg(round % 2 || b.cycles <= (double)cycles * 33 / 32,
                          "round %d: %g by %s, simulated %llu", round, b.cycles,
                          b.resource[0].name, (unsigned long long)cycles);
        }
        help_launch_release(&launch);
    }
}
END_TEST

START_TEST(as_a_model_it_names_the_limit)
{
    struct teg_estimate e;

    setup();
    bound_estimate(&s, &gpu, &e);
    ck_assert(!e.applicable);
    ck_assert_str_eq(e.why, "the trace has no instructions");
    issue(CLASS_SFU, 60);
    bound_estimate(&s, &gpu, &e);
    ck_assert(e.applicable);
    ck_assert_double_eq(e.cycles, 120);
    ck_assert_str_eq(e.limiter, "at least: unit b");
    ck_assert(e.advice[0] != '\0');
}
END_TEST

HELP_MAIN("sim/models/bound", 60, {the_busiest_unit_binds, 0},
          {shared_and_global_data_add_up_in_one_unit, 0},
          {lines_may_be_looked_up_side_by_side, 0},
          {tensor_products_bind_by_their_shapes, 0},
          {a_choice_of_units_is_bounded_by_both_together, 0},
          {issue_binds_where_units_are_many, 0}, {few_blocks_use_few_sms, 0},
          {arithmetic_alone_is_bounded_too, 0},
          {dram_binds_by_its_bandwidth, 0}, {no_simulation_beats_its_bound, 16},
          {as_a_model_it_names_the_limit, 0})
