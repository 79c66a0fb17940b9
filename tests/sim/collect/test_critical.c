/* Chains worked out by hand, and sums that hold for any kernel. */
#include "sim/collect/critical.h"

#include <string.h>

#include "sim/teg.h"
#include "tests/help_gpu.h"
#include "tests/help_launch.h"
#include "tests/help_suite.h"

static struct teg_gpu gpu;
static struct help_launch launch;
static struct critical found;

static void setup(void)
{
    help_gpu_plain(&gpu);
    memset(&launch, 0, sizeof launch);
}

/* Replays `warps` warps of one block and looks at warp 0. */
static void run(const struct help_step *step, uint32_t steps, uint32_t warps)
{
    static struct teg_statistics s;
    static struct help_warp warp[64];
    struct pc_trace t;
    struct sim_listener listener;
    struct teg_simulation_options options = {.listener = &listener,
                                             .listener_count = 1};
    struct teg_launch l;
    struct teg_diag d;

    for (uint32_t i = 0; i < warps; i++)
        warp[i] = (struct help_warp){step, steps};
    launch.warp = warp;
    launch.blocks = 1;
    launch.warps_per_block = warps;
    launch.kernel.block[0] = 32 * warps;
    launch.kernel.block[1] = launch.kernel.block[2] = 1;
    launch.kernel.registers = 16;
    pc_trace_init(&t, &(struct pc_trace_choice){.points_max = 10000});
    listener = pc_trace_listener(&t);
    help_launch_open(&launch, &l);
    ck_assert_msg(teg_simulate(&l, &gpu, &options, &s, &d) == TEG_OK, "%s",
                  d.what);
    ck_assert(critical_find(&found, &t, &d) == TEG_OK);
    pc_trace_release(&t);
    help_launch_release(&launch);
}

static struct help_step plain(uint32_t inst)
{
    return (struct help_step){inst, UINT32_MAX, 0, 0, NULL};
}

/* Issues 0, 1, 10: the last waits 8 cycles for the first, whose 10 cycles are
 * critical; the one between is not in the sequence. */
START_TEST(an_operand_leads_to_its_writer)
{
    struct teg_program *p = &launch.kernel.program;
    struct help_step step[3];

    setup();
    step[0] = plain(help_arith(p, CLASS_FADD, 1, 2, 3, 255));
    step[1] = plain(help_arith(p, CLASS_FADD, 7, 8, 9, 255));
    step[2] = plain(help_arith(p, CLASS_FADD, 4, 1, 2, 255));
    run(step, 3, 1);
    ck_assert_uint_eq(found.instructions, 2);
    ck_assert_uint_eq(found.first, 0);
    ck_assert_uint_eq(found.done, 20);
    ck_assert_uint_eq(found.steps, 2);
    ck_assert_uint_eq(found.step[0].inst, 0);
    ck_assert_uint_eq(found.step[0].reason, STALL_WAIT);
    ck_assert_uint_eq(found.step[0].cycles, 10);
    ck_assert_uint_eq(found.step[1].inst, 2);
    ck_assert_uint_eq(found.step[1].reason, TEG_STALLS);
    ck_assert_uint_eq(found.step[1].cycles, 10);
    critical_release(&found);
}
END_TEST

/* Without dependences each follows the one before, a cycle later; the last
 * one's 10 cycles come on top of its own. */
START_TEST(others_follow_the_one_before)
{
    struct teg_program *p = &launch.kernel.program;
    struct help_step step[5];

    setup();
    for (uint16_t i = 0; i < 5; i++)
        step[i] = plain(help_arith(p, CLASS_FADD, i, 9, 9, 255));
    run(step, 5, 1);
    ck_assert_uint_eq(found.instructions, 5);
    ck_assert_uint_eq(found.done, 4 + 10);
    ck_assert_uint_eq(found.step[0].inst, 4);
    ck_assert_uint_eq(found.step[0].cycles, 1 + 10);
    critical_release(&found);
}
END_TEST

START_TEST(steps_sum_up_to_the_warps_time)
{
    struct teg_program *p = &launch.kernel.program;
    static struct help_step step[300];
    uint64_t random = 5 + (uint64_t)_i, cycles = 0, times = 0;

    setup();
    for (uint32_t i = 0; i < 10; i++)
        help_arith(p, CLASS_FADD, (uint16_t)help_below(&random, 5),
                   (uint16_t)help_below(&random, 5),
                   (uint16_t)help_below(&random, 5), 255);
    help_memory(p, CLASS_LDG, SPACE_GLOBAL, INST_LOAD, 4, 3, 255);
    for (uint32_t i = 0; i < 300; i++)
        step[i] = plain(help_below(&random, 11));
    run(step, 300, 1 + help_below(&random, 8));
    for (uint32_t i = 0; i < found.steps; i++) {
        cycles += found.step[i].cycles;
        times += found.step[i].times;
        ck_assert(i == 0 || found.step[i].cycles <= found.step[i - 1].cycles);
    }
    ck_assert_uint_eq(cycles, found.done - found.first);
    ck_assert_uint_eq(times, found.instructions);
    critical_release(&found);
}
END_TEST

/* An operand that came in the cycle in which the wait began was there.  The second
 * arrives in cycle 11 and is issued in 20; the first is done in 11, then in
 * 12. */
START_TEST(an_operand_that_was_there_leads_nowhere)
{
    struct teg_program program = {0};
    struct pc_point point[2] = {
        {.cycle = 0, .done = 11, .inst = 0, .reason = TEG_STALLS},
        {.cycle = 20,
         .done = 30,
         .inst = 1,
         .stalled = 9,
         .reason = STALL_WAIT}};
    struct pc_trace t = {.program = &program, .point = point, .points = 2};
    struct teg_diag d;

    help_arith(&program, CLASS_FADD, 1, 2, 3, 255);
    help_arith(&program, CLASS_FADD, 4, 1, 2, 255);
    ck_assert(critical_find(&found, &t, &d) == TEG_OK);
    /* the 20 cycles are the second's own, as of one that follows the first */
    ck_assert_uint_eq(found.step[0].inst, 1);
    ck_assert_uint_eq(found.step[0].cycles, 20);
    critical_release(&found);
    point[0].done = 12;
    ck_assert(critical_find(&found, &t, &d) == TEG_OK);
    ck_assert_uint_eq(found.step[0].inst, 0);
    ck_assert_uint_eq(found.step[0].cycles, 20);
    critical_release(&found);
    teg_program_release(&program);
}
END_TEST

HELP_MAIN("sim/collect/critical", 20, {an_operand_leads_to_its_writer, 0},
          {others_follow_the_one_before, 0},
          {steps_sum_up_to_the_warps_time, HELP_ROUNDS(20)},
          {an_operand_that_was_there_leads_nowhere, 0})
