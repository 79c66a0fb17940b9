/* Points for the chosen warps, all of them, and no more than asked for. */
#include "sim/collect/pc_trace.h"

#include <string.h>

#include "sim/teg.h"
#include "tests/help_gpu.h"
#include "tests/help_launch.h"
#include "tests/help_suite.h"

static struct help_launch launch;

/* Three blocks of four warps, two dependent adds and an exit each. */
static void run(struct pc_trace *t, struct pc_trace_choice choice)
{
    static const struct help_step step[3] = {{0, UINT32_MAX, 0, 0, NULL},
                                             {0, 0xff, 0, 0, NULL},
                                             {1, UINT32_MAX, 0, 0, NULL}};
    static struct help_warp warp[12];
    static struct teg_statistics s;
    struct sim_listener listener = pc_trace_listener(t);
    struct teg_simulation_options options = {.listener = &listener,
                                             .listener_count = 1};
    struct teg_launch l;
    struct teg_gpu gpu;
    struct teg_diag d;

    for (int i = 0; i < 12; i++)
        warp[i] = (struct help_warp){step, 3};
    launch =
        (struct help_launch){.warp = warp, .blocks = 3, .warps_per_block = 4};
    launch.kernel.block[0] = 128;
    launch.kernel.block[1] = launch.kernel.block[2] = 1;
    launch.kernel.registers = 16;
    help_arith(&launch.kernel.program, CLASS_FADD, 1, 1, 2, 255);
    help_exit(&launch.kernel.program);
    help_gpu_plain(&gpu);
    pc_trace_init(t, &choice);
    help_launch_open(&launch, &l);
    ck_assert_msg(teg_simulate(&l, &gpu, &options, &s, &d) == TEG_OK, "%s",
                  d.what);
}

START_TEST(chosen_warps_leave_every_step)
{
    struct pc_trace t;

    run(&t, (struct pc_trace_choice){.block_first = 1,
                                     .block_last = 1,
                                     .warp_first = 2,
                                     .warp_last = 3,
                                     .points_max = 100});
    ck_assert_uint_eq(t.points, 6);
    ck_assert_uint_eq(t.dropped, 0);
    for (size_t i = 0; i < t.points; i++) {
        ck_assert_uint_eq(t.point[i].block, 1);
        ck_assert_uint_ge(t.point[i].warp, 2);
        ck_assert_uint_ge(t.point[i].cycle, i != 0 ? t.point[i - 1].cycle : 0);
        ck_assert_uint_eq(t.point[i].pc, 8 * t.point[i].inst);
    }
    /* the second add waits 10 cycles for the first, then its turn: 12 warps
     * share one issue a cycle */
    ck_assert_uint_eq(t.point[2].cycle - t.point[0].cycle, 12);
    ck_assert_uint_eq(t.point[2].reason, STALL_WAIT);
    ck_assert_uint_eq(t.point[2].mask, 0xff);
    ck_assert_uint_eq(t.point[2].done, t.point[2].cycle + 10);
    pc_trace_release(&t);
    help_launch_release(&launch);
}
END_TEST

START_TEST(points_beyond_the_bound_are_counted)
{
    struct pc_trace t;

    run(&t, (struct pc_trace_choice){
                .block_last = 2, .warp_last = 3, .points_max = 5});
    ck_assert_uint_eq(t.points, 5);
    ck_assert_uint_eq(t.dropped, 36 - 5);
    pc_trace_release(&t);
    help_launch_release(&launch);
}
END_TEST

/* Slots 1 and 2 issue their first add in cycles 1 and 2, done in 11 and 12;
 * the window sees those and the next, issued in 13 and 14. */
START_TEST(a_window_shows_what_reaches_into_it)
{
    struct pc_trace t;

    run(&t, (struct pc_trace_choice){.warp_first = 1,
                                     .warp_last = 2,
                                     .points_max = 100,
                                     .by_slot = 1,
                                     .cycle_first = 5,
                                     .cycle_last = 8});
    ck_assert_uint_eq(t.points, 4);
    for (size_t i = 0; i < t.points; i++) {
        uint64_t stalled = 0;

        ck_assert_uint_eq(t.point[i].slot, 1 + i % 2);
        for (int r = 0; r < TEG_STALLS; r++)
            stalled += t.point[i].stall[r];
        ck_assert_uint_eq(stalled, t.point[i].stalled);
    }
    ck_assert_uint_eq(t.point[2].cycle, 13);
    pc_trace_release(&t);
    help_launch_release(&launch);
}
END_TEST

/* Slot 1's second add arrives in cycle 2 and is issued in 13: it is in a
 * window that ends in cycle 2, not in one that ends in 1. */
START_TEST(a_window_ends_behind_its_last_cycle)
{
    for (uint64_t last = 1; last <= 2; last++) {
        struct pc_trace t;

        run(&t, (struct pc_trace_choice){.warp_first = 1,
                                         .warp_last = 1,
                                         .points_max = 100,
                                         .by_slot = 1,
                                         .cycle_first = 0,
                                         .cycle_last = last});
        ck_assert_uint_eq(t.points, last);
        pc_trace_release(&t);
        help_launch_release(&launch);
    }
}
END_TEST

HELP_MAIN("sim/collect/pc_trace", 10, {chosen_warps_leave_every_step, 0},
          {a_window_shows_what_reaches_into_it, 0},
          {points_beyond_the_bound_are_counted, 0},
          {a_window_ends_behind_its_last_cycle, 0})
