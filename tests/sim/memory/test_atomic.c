/* Atomics whose lanes want the same words: passes and steps counted by hand
 * from the rules of sim/memory/atomic.h. */
#include "sim/memory/atomic.h"

#include "isa/inst/atomic.h"
#include "tests/help_gpu.h"
#include "tests/help_launch.h"
#include "tests/help_suite.h"

static struct teg_gpu gpu;
static struct teg_inst inst;

static void setup(enum teg_space space, uint16_t width)
{
    help_gpu_plain(&gpu);
    gpu.shared.atomic_interval = 2;
    gpu.l2.atomic_units = 4;
    inst = (struct teg_inst){.space = (uint8_t)space,
                             .width = width,
                             .flags = INST_ATOMIC,
                             .atomic = ATOMIC_INTEGER};
}

/* `same` neighbors want one element, the next ones that `apart` bytes on. */
static struct sim_plan plan_of(uint32_t same, uint32_t apart)
{
    static const struct sim_windows none = {0};
    struct teg_access a = {.shape = SHAPE_LIST, .mask = UINT32_MAX};
    struct sim_plan plan;

    for (uint32_t l = 0; l < TEG_LANES; l++)
        a.lane[l] = l / same * apart;
    sim_plan_make(&plan, &gpu, &inst, &a, &none);
    return plan;
}

static uint32_t passes(uint32_t same, uint32_t apart)
{
    return plan_of(same, apart).request.passes;
}

START_TEST(each_lane_takes_a_pass_of_its_word)
{
    setup(SPACE_SHARED, 4);
    for (uint32_t same = 1; same <= 32; same *= 2)
        ck_assert_uint_eq(passes(same, 4), same);
    gpu.memory.atomic_conflicts = 0;
    ck_assert_uint_eq(passes(32, 4), 1);
    gpu.memory.atomic_conflicts = 1;
    gpu.shared.atomic_interval = 0;
    ck_assert_uint_eq(passes(32, 4), 1);
}
END_TEST

/* 128 bytes apart are words of one bank. */
START_TEST(words_of_a_bank_conflict_besides)
{
    setup(SPACE_SHARED, 4);
    ck_assert_uint_eq(passes(1, 128), 32);
    ck_assert_uint_eq(passes(8, 128), 32);
    ck_assert_uint_eq(passes(8, 64), 16);
    gpu.shared.broadcast = BROADCAST_IDEAL;
    ck_assert_uint_eq(passes(1, 128), 1);
    ck_assert_uint_eq(passes(8, 128), 8);
}
END_TEST

START_TEST(lanes_that_are_counted_share_a_pass)
{
    setup(SPACE_SHARED, 4);
    inst.atomic = ATOMIC_COUNT;
    ck_assert_uint_eq(passes(32, 4), 1);
    ck_assert_uint_eq(passes(1, 128), 32);
    ck_assert_uint_eq(plan_of(32, 4).request.atomic_conflicts, 0);
}
END_TEST

/* 64 bits go by half warps, in two banks each. */
START_TEST(wide_elements_take_a_pass_for_each_lane_too)
{
    setup(SPACE_SHARED, 8);
    ck_assert_uint_eq(passes(1, 8), 2);
    ck_assert_uint_eq(passes(4, 8), 8);
    ck_assert_uint_eq(passes(32, 8), 32);
}
END_TEST

static uint32_t steps(uint32_t same, uint32_t apart)
{
    struct sim_plan plan = plan_of(same, apart);
    uint32_t sum = 0;

    for (uint32_t i = 0; i < plan.count; i++)
        sum += plan.transaction[i].steps;
    ck_assert_uint_eq(plan.request.atomic_steps, sum);
    return sum;
}

/* Four words at once (RoCC, Fig. 13: four are as fast as any number), each by
 * one lane. */
START_TEST(a_slice_updates_four_words_in_a_step)
{
    static const uint32_t words[] = {1, 2, 4, 8, 16, 32};
    static const uint32_t expected[] = {32, 16, 8, 8, 8, 8};

    setup(SPACE_GLOBAL, 4);
    for (uint32_t i = 0; i < 6; i++) {
        ck_assert_uint_eq(steps(32 / words[i], 4), expected[i]);
        ck_assert_uint_eq(plan_of(32 / words[i], 4).request.atomic_conflicts,
                          32 - words[i]);
    }
    gpu.l2.atomic_units = 0;
    ck_assert_uint_eq(steps(1, 4), 1);
    ck_assert_uint_eq(steps(8, 4), 8);
}
END_TEST

START_TEST(wide_elements_are_several_words)
{
    setup(SPACE_GLOBAL, 8);
    /* 16 lanes of two words in each of two lines */
    ck_assert_uint_eq(steps(1, 8), 2 * 8);
    ck_assert_uint_eq(steps(32, 8), 32);
    inst.width = 16;
    ck_assert_uint_eq(steps(1, 16), 4 * 8);
}
END_TEST

START_TEST(each_line_has_steps_of_its_own)
{
    setup(SPACE_GLOBAL, 4);
    ck_assert_uint_eq(steps(1, 128), 32);
    ck_assert_uint_eq(steps(8, 128), 4 * 8);
    gpu.memory.atomic_conflicts = 0;
    ck_assert_uint_eq(steps(8, 128), 4);
}
END_TEST

/* Side by side the lanes' words are one line, but they are not more words. */
START_TEST(coalesced_ideally_lanes_still_wait_for_their_word)
{
    setup(SPACE_GLOBAL, 4);
    gpu.memory.coalescing = COALESCING_IDEAL;
    ck_assert_uint_eq(steps(1, 128), 8);
    ck_assert_uint_eq(steps(32, 4), 32);
    gpu.memory.atomic_conflicts = 0;
    ck_assert_uint_eq(steps(32, 4), 1);
}
END_TEST

static void expect_updates(uint32_t same, uint32_t apart, uint32_t updates,
                           uint32_t further)
{
    struct sim_plan plan = plan_of(same, apart);

    ck_assert_uint_eq(plan.transaction[0].updates, updates);
    ck_assert_uint_eq(plan.transaction[0].steps, further);
    ck_assert_uint_eq(plan.request.most_updates, updates);
    ck_assert_uint_eq(plan.request.most_steps, further);
    ck_assert_uint_eq(plan.request.atomic_steps,
                      plan.count * (updates + further));
}

/* Sector after sector, while words wait for their further lanes; a sector alone
 * is a step for each. */
START_TEST(a_slice_updates_sector_after_sector)
{
    setup(SPACE_GLOBAL, 4);
    gpu.l2.atomic_sector_interval = 1;
    expect_updates(1, 4, 4, 0);
    expect_updates(2, 4, 2, 0);
    expect_updates(4, 4, 0, 4);
    expect_updates(32, 4, 0, 32);
    expect_updates(1, 128, 0, 1);
    expect_updates(8, 32, 4, 4);
    gpu.memory.atomic_conflicts = 0;
    expect_updates(8, 32, 4, 0);
}
END_TEST

/* RoCC's four floats at once: four words are as fast as any number. */
START_TEST(floats_of_a_sector_take_turns)
{
    setup(SPACE_GLOBAL, 4);
    gpu.l2.atomic_sector_interval = 1;
    inst.atomic = ATOMIC_FLOAT;
    expect_updates(1, 4, 8, 0);
    expect_updates(4, 4, 8, 0);
    expect_updates(8, 4, 8, 0);
    expect_updates(16, 4, 8, 8);
    expect_updates(32, 4, 8, 24);
    inst.width = 8;
    expect_updates(1, 8, 8, 0);
    inst.atomic = ATOMIC_DOUBLE;
    expect_updates(1, 8, 4, 0);
    gpu.l2.atomic_doubles = 1;
    expect_updates(1, 8, 16, 0);
}
END_TEST

/* Four sectors of a line, two of vectors at once. */
START_TEST(vectors_are_updated_some_sectors_at_once)
{
    setup(SPACE_GLOBAL, 16);
    gpu.l2.atomic_sector_interval = 1;
    gpu.l2.atomic_vector_sectors = 1;
    expect_updates(1, 16, 4, 0);
    gpu.l2.atomic_vector_sectors = 2;
    expect_updates(1, 16, 2, 0);
    gpu.l2.atomic_vector_sectors = 3;
    expect_updates(1, 16, 2, 0);
    inst.width = 8;
    expect_updates(1, 8, 4, 0);
}
END_TEST

static uint32_t packets(uint32_t same, uint32_t apart)
{
    return plan_of(same, apart).transaction[0].packets;
}

/* A sector each, and again for those that come to a word of it behind others; one
 * where atomics cost nothing. */
START_TEST(an_atomic_is_sent_by_sectors)
{
    setup(SPACE_GLOBAL, 4);
    gpu.l2.atomic_interval = 1;
    ck_assert_uint_eq(packets(1, 4), 4);
    ck_assert_uint_eq(packets(1, 128), 1);
    ck_assert_uint_eq(packets(32, 4), 32);
    ck_assert_uint_eq(packets(8, 4), 8);
    ck_assert_uint_eq(packets(8, 32), 32);
    gpu.memory.atomic_conflicts = 0;
    ck_assert_uint_eq(packets(32, 4), 1);
    gpu.memory.atomic_conflicts = 1;
    gpu.memory.coalescing = COALESCING_IDEAL;
    ck_assert_uint_eq(packets(1, 128), 4);
    ck_assert_uint_eq(packets(32, 4), 35);
    gpu.l2.atomic_interval = 0;
    ck_assert_uint_eq(packets(32, 4), 1);
}
END_TEST

HELP_MAIN("sim/memory/atomic", 4, {each_lane_takes_a_pass_of_its_word, 0},
          {words_of_a_bank_conflict_besides, 0},
          {lanes_that_are_counted_share_a_pass, 0},
          {wide_elements_take_a_pass_for_each_lane_too, 0},
          {a_slice_updates_four_words_in_a_step, 0},
          {wide_elements_are_several_words, 0},
          {each_line_has_steps_of_its_own, 0},
          {coalesced_ideally_lanes_still_wait_for_their_word, 0},
          {a_slice_updates_sector_after_sector, 0},
          {floats_of_a_sector_take_turns, 0},
          {vectors_are_updated_some_sectors_at_once, 0},
          {an_atomic_is_sent_by_sectors, 0})
