/* traces/store: replays from memory are replays of the trace. */
#include "tests/help_gpu.h"
#include "tests/help_suite.h"

#include <stdlib.h>
#include <string.h>

#include "sim/teg.h"
#include "traces/store.h"

static const char text[] = "sketch 1\nisa sm_70\ngrid 40\nblock 64\n"
                           "registers 32\n"
                           "loop i 5\n"
                           "LDG.E R4, [R2 : 0x10000000 + 4*gtid + 4096*i]\n"
                           "FFMA R4, R4, R5, R6\n"
                           "end\n"
                           "STG.E [R2 : 0x20000000 + 4*gtid], R4\n"
                           "EXIT\n";

static struct teg_diag d;
static struct teg_trace *trace;
static struct teg_gpu gpu;

static void setup(void)
{
    help_gpu_plain(&gpu);
    ck_assert_msg(teg_trace_open_memory("test", (const uint8_t *)text,
                                        strlen(text), NULL, &trace,
                                        &d) == TEG_OK,
                  "%s: %s", d.where, d.what);
}

static void replay(struct teg_launch *launch, struct teg_statistics *s)
{
    ck_assert_msg(teg_simulate(launch, &gpu, NULL, s, &d) == TEG_OK, "%s: %s",
                  d.where, d.what);
    if (launch->close != NULL)
        launch->close(launch->self);
}

/* Replays from a store of that budget three times, against the trace. */
static void compare(uint64_t budget, int held)
{
    static struct teg_statistics direct, stored;
    struct teg_launch launch;
    struct teg_store *store;

    setup();
    ck_assert(teg_trace_launch(trace, 0, &launch, &d) == TEG_OK);
    replay(&launch, &direct);
    ck_assert(teg_store_new(trace, 0, budget, &store, &d) == TEG_OK);
    ck_assert_int_eq(teg_store_holds(store), held);
    for (int i = 0; i < 3; i++) {
        ck_assert(teg_store_launch(store, &launch, &d) == TEG_OK);
        replay(&launch, &stored);
        ck_assert_uint_gt(stored.cycles, 0);
        ck_assert_uint_eq(stored.blocks, 40);
        ck_assert_int_eq(memcmp(&direct, &stored, sizeof direct), 0);
    }
    teg_store_free(store);
    teg_trace_close(trace);
}

START_TEST(replays_from_memory_are_those_of_the_trace)
{
    compare(TEG_STORE_BUDGET, 1);
}
END_TEST

START_TEST(a_launch_beyond_the_budget_is_read_each_time)
{
    compare(2000, 0);
    compare(0, 0);
}
END_TEST

START_TEST(changed_facts_are_the_traces_again_in_the_next_launch)
{
    struct teg_launch launch;
    struct teg_store *store;

    setup();
    ck_assert(teg_store_new(trace, 0, TEG_STORE_BUDGET, &store, &d) == TEG_OK);
    for (int i = 0; i < 2; i++) {
        ck_assert(teg_store_launch(store, &launch, &d) == TEG_OK);
        ck_assert_uint_eq(launch.kernel->registers, 32);
        launch.kernel->registers = 99;
    }
    teg_store_free(store);
    teg_trace_close(trace);
}
END_TEST

START_TEST(a_launch_that_stopped_half_way_starts_over)
{
    struct teg_launch launch;
    struct teg_store *store;

    setup();
    ck_assert(teg_store_new(trace, 0, TEG_STORE_BUDGET, &store, &d) == TEG_OK);
    for (int i = 0; i < 2; i++) {
        struct teg_block *block;

        ck_assert(teg_store_launch(store, &launch, &d) == TEG_OK);
        for (uint32_t x = 0; x < 3; x++) {
            ck_assert(launch.next(launch.self, &block, &d) == TEG_OK);
            ck_assert_uint_eq(teg_block_position(block)[0], x);
            teg_block_free(block);
        }
    }
    teg_store_free(store);
    teg_trace_close(trace);
}
END_TEST

START_TEST(an_unknown_kernel_is_refused)
{
    struct teg_store *store;

    setup();
    ck_assert(teg_store_new(trace, 7, TEG_STORE_BUDGET, &store, &d) ==
              TEG_UNKNOWN);
    ck_assert_ptr_null(store);
    teg_trace_close(trace);
}
END_TEST

HELP_MAIN("traces/store", 30, {replays_from_memory_are_those_of_the_trace, 0},
          {a_launch_beyond_the_budget_is_read_each_time, 0},
          {changed_facts_are_the_traces_again_in_the_next_launch, 0},
          {a_launch_that_stopped_half_way_starts_over, 0},
          {an_unknown_kernel_is_refused, 0})
