/* sim/sample: a part of a long launch stands for the whole. */
#include "tests/help_gpu.h"
#include "tests/help_suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/collect/by_pc.h"
#include "sim/sample/led.h"
#include "sim/sample/sample.h"
#include "traces/store.h"

static struct teg_diag d;
static struct teg_gpu gpu;
static struct teg_statistics full, part;
static struct teg_sample sample;
static struct teg_trace *trace;
static struct teg_store *store;

/* 40 SMs of four single-warp blocks; memory with a limit that is shared. */
static void setup(uint32_t blocks, const char *body)
{
    char text[1024];

    help_gpu_plain(&gpu);
    gpu.chip.sms = 40;
    gpu.sm.blocks_max = 4;
    gpu.dram.bandwidth_gbs = 40 * gpu.chip.sm_clock_mhz / 1000;
    gpu.dram.channels = 8;
    snprintf(text, sizeof text,
             "sketch 1\nisa sm_70\ngrid %u\nblock 32\nregisters 16\n%sEXIT\n",
             blocks, body);
    ck_assert_msg(
        teg_trace_open_memory("test", (const uint8_t *)text, strlen(text), NULL,
                              &trace, &d) == TEG_OK &&
            teg_store_new(trace, 0, TEG_STORE_BUDGET, &store, &d) == TEG_OK,
        "%s: %s", d.where, d.what);
}

static teg_status open_launch(void *self, struct teg_launch *launch,
                              struct teg_diag *diag)
{
    return teg_store_launch(self, launch, diag);
}

static void simulate_both(uint64_t instructions_min)
{
    struct teg_sample_facts *facts = NULL;
    struct teg_launch launch;

    ck_assert_msg(teg_sample_simulate(open_launch, store, &gpu, NULL,
                                      instructions_min, &facts, &part, &sample,
                                      &d) == TEG_OK,
                  "%s: %s", d.where, d.what);
    ck_assert(teg_store_launch(store, &launch, &d) == TEG_OK);
    ck_assert(teg_simulate(&launch, &gpu, NULL, &full, &d) == TEG_OK);
    teg_sample_facts_free(facts);
    teg_store_free(store);
    teg_trace_close(trace);
}

static double error(void)
{
    return fabs((double)part.cycles / (double)full.cycles - 1);
}

static const char *const bodies[] = {
    /* arithmetic */
    "loop i 6\nFFMA R4, R4, R5, R6\nend\n",
    /* memory, streaming */
    "loop i 4\nLDG.E R4, [R2 : 0x10000000 + 4*gtid + 0x1000000*i]\n"
    "FADD R5, R5, R4\nend\n",
};

START_TEST(a_part_gives_the_cycles_within_two_percent)
{
    setup(160 * 30, bodies[_i]);
    simulate_both(0);
    ck_assert_int_eq(sample.used, 1);
    ck_assert_double_eq_tol(sample.waves, 30, 1e-9);
    ck_assert_uint_eq(sample.blocks, 4800);
    ck_assert_uint_eq(sample.instructions, full.warp_instructions);
    ck_assert_double_lt((double)sample.instructions_simulated,
                        0.05 * (double)sample.instructions);
    ck_assert_double_lt(error(), 0.02);
    ck_assert_double_le(error(), sample.error_bound);
}
END_TEST

/* Of many waves the first are simulated on all SMs. */
START_TEST(the_first_of_many_waves_are_enough)
{
    setup(160 * 140, bodies[1]);
    simulate_both(0);
    ck_assert_int_eq(sample.used, 1);
    ck_assert_uint_eq(sample.sms_simulated, 40);
    ck_assert_uint_eq(sample.instructions, full.warp_instructions);
    ck_assert_double_lt((double)sample.instructions_simulated,
                        0.05 * (double)sample.instructions);
    ck_assert_double_lt(error(), 0.02);
    ck_assert_double_le(error(), sample.error_bound);
}
END_TEST

/* What is written gathers in batches, which nobody waits for in the first waves:
 * their pace would have DRAM move twenty-four times what it can. */
START_TEST(waves_that_dram_cannot_keep_up_with_say_nothing)
{
    setup(160 * 200, "loop i 4\n"
                     "STG.E [R2 : 0x10000000 + 4*gtid + 0x1000000*i], R4\n"
                     "end\n");
    gpu.l2.bytes = 64 * 1024;
    gpu.l2.slices = 8;
    gpu.l2.ways = 16;
    gpu.l2.latency = 100;
    gpu.dram.write_batch_bytes = 16384;
    simulate_both(0);
    ck_assert(!sample.used || error() <= sample.error_bound);
}
END_TEST

/* The last leaders' followers are still asking when all leaders are done. */
static int close_to(uint64_t a, uint64_t b)
{
    return fabs((double)a / (double)b - 1) < 0.02;
}

START_TEST(totals_are_those_of_the_whole_launch)
{
    setup(160 * 30, bodies[1]);
    simulate_both(0);
    ck_assert_uint_eq(part.blocks, full.blocks);
    ck_assert_uint_eq(part.warps, full.warps);
    ck_assert_uint_eq(part.warp_instructions, full.warp_instructions);
    ck_assert_uint_eq(part.memory.global_requests, full.memory.global_requests);
    ck_assert(close_to(part.memory.dram_bytes, full.memory.dram_bytes));
    ck_assert(close_to(part.channel_bytes_sum, full.channel_bytes_sum));
    ck_assert_uint_eq(part.unit[0].issued, full.unit[0].issued);
    ck_assert_uint_eq(part.unit[0].instances, full.unit[0].instances);
    ck_assert_uint_eq(part.sms, 40);
}
END_TEST

/* 20.25 waves of equal blocks take 21. */
START_TEST(an_unfinished_last_wave_counts_as_one)
{
    setup(160 * 20 + 40, bodies[0]);
    simulate_both(0);
    ck_assert_int_eq(sample.used, 1);
    ck_assert_double_lt(error(), 0.02);
}
END_TEST

START_TEST(few_waves_are_left_to_the_full_simulation)
{
    setup(160 * 20 - 1, bodies[0]);
    simulate_both(0);
    ck_assert_int_eq(sample.used, 0);
    ck_assert_uint_eq(sample.instructions_simulated, 0);
}
END_TEST

START_TEST(few_instructions_are_left_to_the_full_simulation)
{
    setup(160 * 30, bodies[0]);
    simulate_both(full.warp_instructions + 1000000);
    ck_assert_int_eq(sample.used, 0);
}
END_TEST

/* The second half of the grid does twice the work of the first: both kinds
 * of blocks are sampled, and their mix is the grid's. */
START_TEST(kinds_of_blocks_are_told_apart)
{
    setup(160 * 40,
          "loop i 4 + 4*(ctaid.x / 3200)\nFFMA R4, R4, R5, R6\nend\n");
    simulate_both(0);
    ck_assert_int_eq(sample.used, 1);
    ck_assert_uint_eq(sample.kinds, 2);
    ck_assert_double_le(error(), sample.error_bound);
}
END_TEST

/* Followers that have more to ask than their leaders, or less, ask it all the
 * same. */
START_TEST(unlike_blocks_ask_for_what_they_ask)
{
    setup(160 * 30, "loop i 1 + (ctaid.x * 7) % 12\n"
                    "LDG.E R4, [R2 : 0x10000000 + 4*gtid + 0x1000000*i]\n"
                    "FADD R5, R5, R4\nend\n");
    gpu.l2.bytes = 65536;
    gpu.l2.latency = 50;
    simulate_both(0);
    ck_assert_uint_eq(sample.kinds, 12);
    ck_assert_uint_eq(sample.sms_simulated, 1);
    ck_assert(close_to(part.memory.dram_bytes, full.memory.dram_bytes));
    ck_assert(close_to(part.memory.l2_sectors, full.memory.l2_sectors));
    ck_assert_double_le(error(), sample.error_bound);
}
END_TEST

/* The last block is longer by so many rounds, and no sample has it: the bound
 * does, or all is simulated. */
START_TEST(a_lonely_long_block_is_known)
{
    static const struct {
        const char *body;
        int used;
    } cases[] = {
        {"loop i 6 + 12*(ctaid.x/4799)\nFFMA R4, R4, R5, R6\nend\n", 1},
        {"loop i 6 + 3000*(ctaid.x/4799)\nFFMA R4, R4, R5, R6\nend\n", 0},
    };

    setup(160 * 30, cases[_i].body);
    simulate_both(0);
    ck_assert_int_eq(sample.used, cases[_i].used);
    ck_assert_double_le(_i == 0 ? 0.02 : 0.5, sample.error_bound);
    if (sample.used)
        ck_assert_double_le(error(), sample.error_bound);
}
END_TEST

/* A leading SM with room for one, which is too few, two or three blocks. */
START_TEST(a_wave_may_be_two_leaders)
{
    setup(40u * (unsigned)(_i + 1) * 30, bodies[1]);
    gpu.sm.blocks_max = (uint32_t)_i + 1;
    gpu.l2.bytes = 65536;
    simulate_both(0);
    ck_assert_int_eq(sample.used, _i != 0);
    if (_i != 0)
        ck_assert_double_le(error(), sample.error_bound);
}
END_TEST

/* 120 SMs and blocks of which twenty neighbours read the same line in each of so
 * many rounds. */
static void setup_neighbours(uint32_t rounds)
{
    char body[160];

    snprintf(body, sizeof body,
             "loop i %u\nLDG.E R4, [R2 : 0x10000000 + 4*tid.x + "
             "128*(ctaid.x/20) + 0x1000000*i]\nFADD R5, R5, R4\nend\n",
             rounds);
    setup(480 * 25, body);
    gpu.chip.sms = 120;
    gpu.chip.dispatch_interval = 1;
    gpu.dram.bandwidth_gbs *= 4;
    gpu.l2.bytes = 1048576;
    gpu.l2.latency = 50;
}

/* Twenty neighbours read the same lines, and the first of them brings them
 * in, leader or not. */
START_TEST(neighbours_find_what_neighbours_brought)
{
    setup_neighbours(4);
    simulate_both(0);
    ck_assert_int_eq(sample.used, 1);
    ck_assert(close_to(part.memory.dram_bytes, full.memory.dram_bytes));
    ck_assert(close_to(part.memory.l2_hits, full.memory.l2_hits));
    ck_assert_double_le(error(), sample.error_bound);
}
END_TEST

/* Twenty neighbours read the same lines, a long way off, and none of them is
 * the first to ask more often than its share: leaders are not, either. */
START_TEST(leaders_are_first_as_often_as_others)
{
    setup_neighbours(12);
    gpu.dram.latency = 600;
    gpu.l2.latency = 100;
    simulate_both(0);
    ck_assert_int_eq(sample.used, 1);
    ck_assert_double_lt(error(), 0.04);
    ck_assert_double_le(error(), sample.error_bound);
}
END_TEST

/* What neighbours join on its way is not looked up in L2, and counts as found:
 * the leaders, who ask first, wait for DRAM more often than those that join. */
START_TEST(neighbours_join_what_neighbours_read)
{
    setup_neighbours(4);
    gpu.chip.gpcs = 6;
    gpu.chip.sms_per_tpc = 2;
    gpu.l2.join_lines = 64;
    simulate_both(0);
    ck_assert_int_eq(sample.used, 1);
    ck_assert_uint_gt(full.memory.l2_joined, full.memory.l2_sectors / 4);
    ck_assert_uint_gt(part.memory.l2_joined, part.memory.l2_sectors / 4);
    ck_assert(close_to(part.memory.l2_joined + part.memory.l2_sectors,
                       full.memory.l2_joined + full.memory.l2_sectors));
    ck_assert_double_le(error(), sample.error_bound);
}
END_TEST

/* SMs that run ahead leave their followers' requests to the window's end. */
START_TEST(host_threads_change_nothing)
{
    static struct teg_statistics s[2];
    struct teg_sample of[2];

    setup(160 * 25, bodies[1]);
    gpu.chip.sms = 120;
    gpu.chip.dispatch_latency = 60;
    for (int i = 0; i < 2; i++) {
        const struct teg_simulation_options options = {.threads =
                                                           i == 0 ? 1 : 3};
        struct teg_launch launch;

        ck_assert(teg_store_launch(store, &launch, &d) == TEG_OK);
        memset(&of[i], 0, sizeof of[i]);
        ck_assert(sample_led(&launch, &gpu, 120, 4, &options, &s[i], &of[i],
                             &d) == TEG_OK);
        ck_assert_uint_eq(of[i].sms_simulated, 5);
    }
    teg_store_free(store);
    teg_trace_close(trace);
    ck_assert_int_eq(memcmp(&s[0], &s[1], sizeof s[0]), 0);
    ck_assert_int_eq(memcmp(&of[0], &of[1], sizeof of[0]), 0);
}
END_TEST

/* A launch that breaks off at its `left`th block from now. */
struct broken {
    struct teg_launch from;
    uint32_t left;
};

static teg_status next_or_break(void *self, struct teg_block **block,
                                struct teg_diag *diag)
{
    struct broken *b = self;

    *block = NULL;
    if (b->left-- == 0)
        return teg_fail(diag, TEG_FORMAT, "block", "broken off");
    return b->from.next(b->from.self, block, diag);
}

START_TEST(a_launch_that_breaks_off_is_told)
{
    static const uint32_t at[] = {0, 1, 30, 41, 500, 4000, 4799};
    static const struct teg_simulation_options none = {0};
    struct broken b = {.left = at[_i]};

    setup(160 * 30, bodies[1]);
    ck_assert(teg_store_launch(store, &b.from, &d) == TEG_OK);
    struct teg_launch launch = {
        .kernel = b.from.kernel, .self = &b, .next = next_or_break};

    ck_assert(sample_led(&launch, &gpu, 40, 4, &none, &part, &sample, &d) ==
              TEG_FORMAT);
    ck_assert_str_eq(d.what, "broken off");
    teg_store_free(store);
    teg_trace_close(trace);
}
END_TEST

static teg_status next_or_end(void *self, struct teg_block **block,
                              struct teg_diag *diag)
{
    struct broken *b = self;

    *block = NULL;
    return b->left-- == 0 ? TEG_OK : b->from.next(b->from.self, block, diag);
}

static struct broken short_of;

static teg_status open_short(void *self, struct teg_launch *launch,
                             struct teg_diag *diag)
{
    short_of.left = *(const uint32_t *)self;
    TRY(teg_store_launch(store, &short_of.from, diag));
    *launch = (struct teg_launch){
        .kernel = short_of.from.kernel, .self = &short_of, .next = next_or_end};
    return TEG_OK;
}

/* What counts is how many blocks the trace holds, not its grid. */
START_TEST(a_part_of_a_grid_is_no_long_launch)
{
    static const uint32_t blocks[] = {0, 1, 700, 3199, 3200};
    struct teg_sample_facts *facts = NULL;
    uint32_t left = blocks[_i];

    setup(160 * (_i % 2 ? 30 : 140), bodies[1]);
    ck_assert(teg_sample_simulate(open_short, &left, &gpu, NULL, 0, &facts,
                                  &part, &sample, &d) == TEG_OK);
    ck_assert_int_eq(sample.used, left == 3200);
    teg_sample_facts_free(facts);
    teg_store_free(store);
    teg_trace_close(trace);
}
END_TEST

/* Under 5 % of the SMs, in whole clusters if that is one at least. */
START_TEST(few_sms_lead)
{
    static const struct {
        uint32_t sms, cluster, leading;
    } rows[] = {{1, 1, 0},  {2, 1, 1},   {40, 1, 1},  {80, 1, 3},
                {30, 3, 1}, {132, 2, 6}, {144, 6, 6}, {80, 3, 3}};

    help_gpu_plain(&gpu);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        gpu.chip.sms_per_cluster = rows[i].cluster;
        ck_assert_uint_eq(sample_leading_sms(&gpu, rows[i].sms),
                          rows[i].leading);
    }
}
END_TEST

START_TEST(the_same_launch_gives_the_same_sample)
{
    static struct teg_statistics again;
    struct teg_sample_facts *facts = NULL;
    struct teg_sample second;

    setup(160 * 25, bodies[1]);
    /* found, then known */
    for (int i = 0; i < 2; i++)
        ck_assert(teg_sample_simulate(open_launch, store, &gpu, NULL, 0, &facts,
                                      &again, &second, &d) == TEG_OK);
    teg_sample_facts_free(facts);
    simulate_both(0);
    ck_assert_int_eq(memcmp(&again, &part, sizeof part), 0);
    ck_assert_int_eq(memcmp(&second, &sample, sizeof sample), 0);
}
END_TEST

/* Of both ways: a few SMs, and the first waves of many. */
START_TEST(listeners_hear_the_part_and_it_stands_for_the_whole)
{
    struct teg_sample_facts *facts = NULL;
    struct teg_launch launch;
    struct by_pc some, all;
    struct sim_listener ear = by_pc_listener(&some);
    struct teg_simulation_options options = {.listener = &ear,
                                             .listener_count = 1};
    uint64_t issued = 0;

    setup(160 * (_i == 0 ? 30 : 140), bodies[1]);
    by_pc_init(&some);
    by_pc_init(&all);
    ck_assert(teg_sample_simulate(open_launch, store, &gpu, &options, 0, &facts,
                                  &part, &sample, &d) == TEG_OK);
    ck_assert_int_eq(sample.used, 1);
    for (uint32_t i = 0; i < some.count; i++)
        issued += some.row[i].issued;
    ck_assert_uint_eq(issued, sample.instructions_simulated);
    by_pc_scale(&some, teg_sample_scale(&sample));
    ear = by_pc_listener(&all);
    ck_assert(teg_store_launch(store, &launch, &d) == TEG_OK);
    ck_assert(teg_simulate(&launch, &gpu, &options, &full, &d) == TEG_OK);
    ck_assert_uint_eq(some.count, all.count);
    for (uint32_t i = 0; i < all.count; i++) {
        ck_assert(close_to(some.row[i].issued, all.row[i].issued));
        ck_assert(close_to(some.row[i].lanes, all.row[i].lanes));
        ck_assert(all.row[i].bytes == 0 ||
                  close_to(some.row[i].bytes, all.row[i].bytes));
        ck_assert(by_pc_stalled(&all.row[i]) < full.resident_warp_cycles / 20 ||
                  fabs((double)by_pc_stalled(&some.row[i]) /
                           (double)by_pc_stalled(&all.row[i]) -
                       1) < 0.05);
    }
    by_pc_release(&some);
    by_pc_release(&all);
    teg_sample_facts_free(facts);
    teg_store_free(store);
    teg_trace_close(trace);
}
END_TEST

HELP_MAIN("sim/sample", 60, {a_part_gives_the_cycles_within_two_percent, 2},
          {the_first_of_many_waves_are_enough, 0},
          {waves_that_dram_cannot_keep_up_with_say_nothing, 0},
          {totals_are_those_of_the_whole_launch, 0},
          {an_unfinished_last_wave_counts_as_one, 0},
          {few_waves_are_left_to_the_full_simulation, 0},
          {few_instructions_are_left_to_the_full_simulation, 0},
          {kinds_of_blocks_are_told_apart, 0},
          {unlike_blocks_ask_for_what_they_ask, 0},
          {a_lonely_long_block_is_known, 2}, {a_wave_may_be_two_leaders, 3},
          {neighbours_find_what_neighbours_brought, 0},
          {neighbours_join_what_neighbours_read, 0},
          {leaders_are_first_as_often_as_others, 0},
          {host_threads_change_nothing, 0},
          {a_launch_that_breaks_off_is_told, 7},
          {a_part_of_a_grid_is_no_long_launch, 5}, {few_sms_lead, 0},
          {the_same_launch_gives_the_same_sample, 0},
          {listeners_hear_the_part_and_it_stands_for_the_whole, 2})
