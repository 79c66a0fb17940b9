/* L1 before L2 and DRAM: 10, 40 and 100 cycles.  Worked out by hand. */
#include "sim/memory/l1.h"

#include "tests/help_suite.h"
#include "tests/sim/memory/help_memory.h"

static struct teg_gpu gpu;
static struct sim_memory *memory;

/* 8 lines of L1, each with a set of its own. */
static void setup(void)
{
    help_memory_gpu(&gpu);
    gpu.l1.bytes = 128 * 8;
    gpu.l1.latency = 10;
    gpu.l1.ways = 1;
}

static uint64_t load(uint64_t line, uint64_t now)
{
    return help_memory_line(memory, 0, line, HELP_LOAD, now);
}

/* What shared memory leaves: 4 lines instead of 8. */
START_TEST(l1_has_what_shared_memory_leaves)
{
    struct teg_diag d;

    for (uint32_t kept = 8; kept >= 4; kept -= 4) {
        setup();
        ck_assert(sim_memory_new(&gpu, 1, kept * 128, &memory, &d) == TEG_OK);
        ck_assert_uint_eq(load(0, 0), 100);
        ck_assert_uint_eq(load(4, 1000), 100);
        ck_assert_uint_eq(load(0, 2000), kept == 8 ? 10 : 40);
        sim_memory_free(memory);
    }
}
END_TEST

/* Every eighth line is of one set of eight, with the hash of a set of its own;
 * lines side by side fill the sets wherever they begin. */
START_TEST(the_hash_spreads_rows)
{
    setup();
    gpu.l1.hash = 1;
    memory = help_memory_open(&gpu, 1);
    for (uint64_t i = 0; i < 8; i++)
        load(8 * i, 1000 * i);
    for (uint64_t i = 0; i < 8; i++)
        ck_assert_uint_eq(load(8 * i, 8000 + 1000 * i), 10);
    for (uint64_t i = 16; i < 24; i++)
        load(i, 1000 * i);
    for (uint64_t i = 16; i < 24; i++)
        ck_assert_uint_eq(load(i, 8000 + 1000 * i), 10);
    sim_memory_free(memory);
}
END_TEST

START_TEST(each_sm_has_its_own)
{
    setup();
    memory = help_memory_open(&gpu, 2);
    ck_assert_uint_eq(load(0, 0), 100);
    ck_assert_uint_eq(load(0, 1000), 10);
    ck_assert_uint_eq(help_memory_line(memory, 1, 0, HELP_LOAD, 2000), 40);
    sim_memory_free(memory);
}
END_TEST

/* Neither does a store enter a line, nor does it stop at one; what the line
 * holds stays. */
START_TEST(stores_go_through)
{
    struct sim_plan store = help_memory_plan(0, 15, HELP_STORE);

    setup();
    memory = help_memory_open(&gpu, 1);
    sim_memory_issue(memory, 0, 0, &store, 0);
    ck_assert_uint_eq(store.request.l1_sectors, 0);
    ck_assert_uint_eq(store.request.l2_sectors, 4);
    ck_assert_uint_eq(load(0, 1000), 40);
    store = help_memory_plan(0, 15, HELP_STORE);
    sim_memory_issue(memory, 0, 2000, &store, 0);
    ck_assert_uint_eq(store.request.l2_sectors, 4);
    ck_assert_uint_eq(load(0, 3000), 10);
    sim_memory_free(memory);
}
END_TEST

/* Atomics, and loads that say so, neither look nor leave anything there. */
START_TEST(some_pass_it_by)
{
    struct sim_plan past = help_memory_plan(0, 15, HELP_LOAD);

    setup();
    memory = help_memory_open(&gpu, 1);
    ck_assert_uint_eq(sim_memory_issue(memory, 0, 0, &past, INST_BYPASS_L1),
                      100);
    ck_assert_uint_eq(past.request.l1_sectors, 0);
    ck_assert_uint_eq(help_memory_line(memory, 0, 0, HELP_ATOMIC, 1000), 40);
    ck_assert_uint_eq(load(0, 2000), 40);
    ck_assert_uint_eq(help_memory_line(memory, 0, 0, HELP_ATOMIC, 3000), 40);
    ck_assert_uint_eq(sim_memory_issue(memory, 0, 4000, &past, INST_BYPASS_L1),
                      4040);
    sim_memory_free(memory);
}
END_TEST

START_TEST(always_hits_asks_nobody_else)
{
    static const enum help_access list[] = {HELP_LOAD, HELP_STORE, HELP_ATOMIC};

    setup();
    gpu.l1.bytes = 0;
    gpu.l1.always_hits = 1;
    memory = help_memory_open(&gpu, 1);
    for (int i = 0; i < 3; i++) {
        struct sim_plan plan = help_memory_plan(7, 3, list[i]);

        ck_assert_uint_eq(sim_memory_issue(memory, 0, 50, &plan, 0),
                          list[i] == HELP_STORE ? 50 : 60);
        ck_assert_uint_eq(plan.request.l1_sectors, 2);
        ck_assert_uint_eq(plan.request.l1_hits, 2);
        ck_assert_uint_eq(plan.request.l2_sectors, 0);
        ck_assert_uint_eq(plan.request.dram_bytes, 0);
    }
    sim_memory_free(memory);
}
END_TEST

/* Only the sectors that are missing go on, and what L1 has of a line that is
 * under way comes with it. */
START_TEST(hits_and_misses_of_a_line_are_told_apart)
{
    struct sim_plan some = help_memory_plan(0, 3, HELP_LOAD);
    struct sim_plan all = help_memory_plan(0, 15, HELP_LOAD);

    setup();
    memory = help_memory_open(&gpu, 1);
    ck_assert_uint_eq(sim_memory_issue(memory, 0, 0, &some, 0), 100);
    ck_assert_uint_eq(some.request.l1_hits, 0);
    ck_assert_uint_eq(sim_memory_issue(memory, 0, 1000, &all, 0), 1100);
    ck_assert_uint_eq(all.request.l1_sectors, 4);
    ck_assert_uint_eq(all.request.l1_hits, 2);
    ck_assert_uint_eq(all.request.l2_sectors, 2);
    ck_assert_uint_eq(all.request.dram_bytes, 64);
    ck_assert_uint_eq(load(0, 1050), 50);
    ck_assert_uint_eq(load(0, 1095), 10);
    sim_memory_free(memory);
}
END_TEST

/* Two requests that begin before either ends, as on several host threads: the
 * second finds a line whose fill is not known yet, a third one drives it out. */
START_TEST(requests_begun_together_end_in_their_order)
{
    struct sim_plan plan[3] = {help_memory_plan(0, 15, HELP_LOAD),
                               help_memory_plan(0, 15, HELP_LOAD),
                               help_memory_plan(8, 15, HELP_LOAD)};
    static struct sim_misses e[3];

    setup();
    memory = help_memory_open(&gpu, 1);
    for (uint32_t i = 0; i < 3; i++)
        sim_memory_begin(memory, 0, 10 * i, &plan[i], 0, &e[i]);
    ck_assert_uint_eq(e[1].count, 1);
    ck_assert_uint_eq(sim_memory_end(memory, &e[0], &plan[0].request), 100);
    ck_assert_uint_eq(sim_memory_end(memory, &e[1], &plan[1].request), 100);
    ck_assert_uint_eq(plan[1].request.l1_hits, 4);
    ck_assert_uint_eq(plan[1].request.l2_sectors, 0);
    ck_assert_uint_eq(sim_memory_end(memory, &e[2], &plan[2].request), 120);
    ck_assert_uint_eq(load(8, 60), 60);
    sim_memory_free(memory);
}
END_TEST

/* Of a line that took another's frame nobody waits for what that one waited
 * for: line 8 is in L2 before line 0 is back from DRAM. */
START_TEST(a_line_waits_for_its_own_fill_only)
{
    setup();
    memory = help_memory_open(&gpu, 1);
    ck_assert_uint_eq(load(8, 0), 100);
    ck_assert_uint_eq(load(0, 1000), 100);
    ck_assert_uint_eq(load(8, 1010), 40);
    ck_assert_uint_eq(load(8, 1060), 10);
    sim_memory_free(memory);
}
END_TEST

/* Begun while line 0 is asked for, line 8 takes its frame and comes from L2
 * before it: nobody who finds it waits for line 0. */
START_TEST(a_line_forgets_what_the_one_before_it_waited_for)
{
    struct sim_plan plan[2] = {help_memory_plan(0, 15, HELP_LOAD),
                               help_memory_plan(8, 15, HELP_LOAD)};
    static struct sim_misses e[2];
    struct sim_plan near = plan[1];

    setup();
    memory = help_memory_open(&gpu, 1);
    sim_memory_issue(memory, 0, 0, &near, INST_BYPASS_L1);
    for (uint32_t i = 0; i < 2; i++)
        sim_memory_begin(memory, 0, 1000 + i, &plan[i], 0, &e[i]);
    ck_assert_uint_eq(sim_memory_end(memory, &e[0], &plan[0].request), 1100);
    ck_assert_uint_eq(sim_memory_end(memory, &e[1], &plan[1].request), 1041);
    ck_assert_uint_eq(load(8, 1050), 10);
    sim_memory_free(memory);
}
END_TEST

/* L2 has a line only when DRAM's data is there, in cycle 100, and an L1 that
 * asked for it meanwhile has it then, not L2's 40 cycles later. */
START_TEST(what_l2_waits_for_is_in_no_l1_before)
{
    setup();
    memory = help_memory_open(&gpu, 2);
    ck_assert_uint_eq(load(0, 0), 100);
    ck_assert_uint_eq(help_memory_line(memory, 1, 0, HELP_LOAD, 20), 80);
    ck_assert_uint_eq(help_memory_line(memory, 1, 0, HELP_LOAD, 61), 39);
    ck_assert_uint_eq(help_memory_line(memory, 1, 0, HELP_LOAD, 91), 10);
    sim_memory_free(memory);
}
END_TEST

/* Line 0 is in L1, line 8 in L2, line 1 in neither.  Whoever asks behind line 1
 * has it when that is there; another SM, an atomic and a store do not wait. */
START_TEST(loads_come_back_in_the_order_of_issue)
{
    for (gpu.l1.in_order = 0; gpu.l1.in_order < 2; gpu.l1.in_order++) {
        uint32_t in_order = gpu.l1.in_order;
        struct sim_plan store = help_memory_plan(9, 15, HELP_STORE);

        setup();
        gpu.l1.in_order = in_order;
        memory = help_memory_open(&gpu, 2);
        load(0, 0);
        help_memory_line(memory, 1, 8, HELP_LOAD, 0);
        ck_assert_uint_eq(load(1, 1000), 100);
        ck_assert_uint_eq(load(0, 1020), in_order ? 80 : 10);
        ck_assert_uint_eq(load(8, 1030), in_order ? 70 : 40);
        ck_assert_uint_eq(help_memory_line(memory, 1, 8, HELP_LOAD, 1040), 10);
        ck_assert_uint_eq(help_memory_line(memory, 0, 8, HELP_ATOMIC, 1040),
                          40);
        ck_assert_uint_eq(sim_memory_issue(memory, 0, 1041, &store, 0), 1041);
        ck_assert_uint_eq(load(8, 1100), 10);
        sim_memory_free(memory);
    }
    gpu.l1.in_order = 0;
}
END_TEST

/* A hit behind a load whose end is not known is not settled by its L1. */
START_TEST(a_hit_behind_an_open_load_is_open)
{
    struct sim_plan plan[3] = {help_memory_plan(0, 15, HELP_LOAD),
                               help_memory_plan(1, 15, HELP_LOAD),
                               help_memory_plan(0, 15, HELP_LOAD)};
    static struct sim_misses e[3];

    setup();
    gpu.l1.in_order = 1;
    memory = help_memory_open(&gpu, 1);
    load(0, 0);
    for (uint32_t i = 0; i < 3; i++) {
        sim_memory_begin(memory, 0, 1000 + i, &plan[i], 0, &e[i]);
        ck_assert_int_eq(sim_misses_open(&e[i]), i != 0);
    }
    ck_assert_uint_eq(e[2].count, 0);
    for (uint32_t i = 0; i < 3; i++)
        ck_assert_uint_eq(sim_memory_end(memory, &e[i], &plan[i].request),
                          i == 0 ? 1010 : 1101);
    sim_memory_free(memory);
    gpu.l1.in_order = 0;
}
END_TEST

HELP_MAIN("sim/memory/l1", 30, {loads_come_back_in_the_order_of_issue, 0},
          {a_hit_behind_an_open_load_is_open, 0},
          {what_l2_waits_for_is_in_no_l1_before, 0},
          {l1_has_what_shared_memory_leaves, 0}, {the_hash_spreads_rows, 0},
          {each_sm_has_its_own, 0}, {stores_go_through, 0},
          {some_pass_it_by, 0}, {always_hits_asks_nobody_else, 0},
          {hits_and_misses_of_a_line_are_told_apart, 0},
          {requests_begun_together_end_in_their_order, 0},
          {a_line_waits_for_its_own_fill_only, 0},
          {a_line_forgets_what_the_one_before_it_waited_for, 0})
