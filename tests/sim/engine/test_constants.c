/* Caches of constants: who has which line, what comes, and when. */
#include "sim/engine/constants.h"

#include "tests/help_gpu.h"
#include "tests/help_suite.h"

enum {
    LINE = 64,
    FAR_LINE = 256,
    HIT = 10, /* a load's */
    NEAR = 30,
    FAR = 200,
    DRAM = 300, /* more than L2 */
};

#define BANK(n) ((uint64_t)(n) << 32)

static struct teg_gpu gpu;
static struct sim_constants *constants;
static struct sim_constant_finds finds;

/* First caches of four lines and one of sixteen behind, in sets of two. */
static void open_as(int cold)
{
    struct teg_diag d;

    help_gpu_plain(&gpu);
    gpu.sm.schedulers = 2;
    gpu.timing[CLASS_LDC].latency = HIT;
    gpu.constant.l1_bytes = 4 * LINE;
    gpu.constant.line_bytes = LINE;
    gpu.constant.ways = 2;
    gpu.constant.l15_bytes = 16 * FAR_LINE;
    gpu.constant.l15_line_bytes = FAR_LINE;
    gpu.constant.l15_ways = 2;
    gpu.constant.l15_latency = NEAR;
    gpu.constant.miss_latency = FAR;
    gpu.constant.cold_from_dram = 1;
    gpu.l2.latency = 100;
    gpu.dram.latency = 100 + DRAM;
    ck_assert(teg_gpu_check(&gpu, &d) == TEG_OK);
    ck_assert(sim_constants_new(&gpu, cold, &constants, &d) == TEG_OK);
    ck_assert_ptr_nonnull(constants);
    finds = (struct sim_constant_finds){0};
}

static void open_caches(void)
{
    open_as(0);
}

static void close_caches(void)
{
    sim_constants_free(constants);
    constants = NULL;
}

static uint64_t operand(uint32_t scheduler, uint64_t address, uint64_t now)
{
    return sim_constants_operand(constants, 0, scheduler, address, now, &finds);
}

static uint64_t load(uint64_t address, uint64_t start)
{
    return sim_constants_load(constants, 0, &address, 1, start, &finds);
}

static void found(uint32_t lookups, uint32_t hits, uint32_t l15_hits)
{
    ck_assert_uint_eq(finds.lookups, lookups);
    ck_assert_uint_eq(finds.hits, hits);
    ck_assert_uint_eq(finds.l15_hits, l15_hits);
}

START_TEST(without_a_first_cache_there_is_nothing)
{
    struct teg_diag d;

    help_gpu_plain(&gpu);
    ck_assert(sim_constants_new(&gpu, 0, &constants, &d) == TEG_OK);
    ck_assert_ptr_null(constants);
}
END_TEST

START_TEST(a_line_comes_once_from_far_then_from_near_then_at_once)
{
    open_caches();
    ck_assert_uint_eq(operand(0, BANK(3) + 63, 1000), 1000 + FAR);
    /* under way: all wait for the same arrival */
    ck_assert_uint_eq(operand(0, BANK(3) + 0, 1010), 1000 + FAR);
    ck_assert_uint_eq(operand(0, BANK(3) + 0, 1000 + FAR), 1000 + FAR);
    found(3, 2, 0);
    /* the next line is of the same one behind, where it is FAR - NEAR after
     * it was asked for */
    ck_assert_uint_eq(operand(0, BANK(3) + 64, 1020), 1000 + FAR);
    ck_assert_uint_eq(operand(0, BANK(3) + 192, 2000), 2000 + NEAR);
    ck_assert_uint_eq(operand(0, BANK(3) + 256, 3000), 3000 + FAR);
    found(6, 2, 2);
    close_caches();
}
END_TEST

START_TEST(schedulers_and_loads_have_first_caches_of_their_own)
{
    open_caches();
    operand(0, BANK(3), 0);
    ck_assert_uint_eq(operand(1, BANK(3), 1000), 1000 + NEAR);
    /* a load's way is as long, but part of it is in its latency */
    ck_assert_uint_eq(load(BANK(3), 2000), NEAR - HIT);
    ck_assert_uint_eq(load(BANK(3), 3000), 0);
    ck_assert_uint_eq(load(BANK(3) + 4096, 4000), FAR - HIT);
    close_caches();
}
END_TEST

START_TEST(banks_are_different_constants)
{
    open_caches();
    load(BANK(3), 0);
    ck_assert_uint_eq(load(BANK(4), 1000), FAR - HIT);
    close_caches();
}
END_TEST

START_TEST(what_was_used_longest_ago_goes)
{
    open_caches();
    /* lines 0, 2, 4 share a set of two */
    load(0, 0);
    load(2 * LINE, 1000);
    load(0, 2000);
    load(4 * LINE, 3000);
    ck_assert_uint_eq(load(0, 4000), 0);
    ck_assert_uint_eq(load(2 * LINE, 5000), NEAR - HIT);
    close_caches();
}
END_TEST

START_TEST(a_load_waits_for_the_last_of_its_lines)
{
    uint64_t address[3] = {BANK(3), BANK(3) + 4, BANK(3) + FAR_LINE};

    open_caches();
    load(BANK(3), 0);
    ck_assert_uint_eq(
        sim_constants_load(constants, 0, address, 3, 1000, &finds), FAR - HIT);
    ck_assert_uint_eq(
        sim_constants_load(constants, 0, address, 3, 2000, &finds), 0);
    found(7, 5, 0);
    close_caches();
}
END_TEST

START_TEST(a_launch_may_bring_its_own_bank_along)
{
    open_caches();
    gpu.constant.brings_bank0 = 1;
    ck_assert_uint_eq(operand(0, 0x160, 0), NEAR);
    ck_assert_uint_eq(operand(0, 0x160, NEAR), NEAR);
    ck_assert_uint_eq(operand(0, BANK(1) + 0x160, 100), 100 + FAR);
    found(3, 1, 1);
    close_caches();
}
END_TEST

/* Whatever the launch would have brought. */
START_TEST(what_is_cold_comes_from_dram_once)
{
    open_as(1);
    gpu.constant.brings_bank0 = 1;
    ck_assert_uint_eq(operand(0, 0x160, 0), FAR + DRAM);
    ck_assert_uint_eq(operand(0, 0x1ff, 10), FAR + DRAM); /* under way */
    ck_assert_uint_eq(operand(1, 0x160, 1000), 1000 + NEAR);
    ck_assert_uint_eq(operand(0, BANK(3) + 0x160, 2000), 2000 + FAR + DRAM);
    /* Eighteen lines of a set: the first has to come again, from L2. */
    for (uint64_t i = 1; i < 18; i++)
        operand(0, BANK(3) + 0x160 + i * 8 * FAR_LINE, 3000 * i);
    ck_assert_uint_eq(operand(0, BANK(3) + 0x160, 90000), 90000 + FAR);
    close_caches();
}
END_TEST

START_TEST(without_the_parameter_cold_is_as_warm)
{
    struct teg_diag d;

    open_as(1);
    close_caches();
    gpu.constant.cold_from_dram = 0;
    gpu.constant.brings_bank0 = 1;
    ck_assert(sim_constants_new(&gpu, 1, &constants, &d) == TEG_OK);
    ck_assert_uint_eq(operand(0, 0x160, 0), NEAR);
    ck_assert_uint_eq(operand(0, BANK(3), 100), 100 + FAR);
    close_caches();
}
END_TEST

HELP_MAIN("sim/engine/constants", 30, {what_is_cold_comes_from_dram_once, 0},
          {without_the_parameter_cold_is_as_warm, 0},
          {without_a_first_cache_there_is_nothing, 0},
          {a_line_comes_once_from_far_then_from_near_then_at_once, 0},
          {schedulers_and_loads_have_first_caches_of_their_own, 0},
          {banks_are_different_constants, 0},
          {what_was_used_longest_ago_goes, 0},
          {a_load_waits_for_the_last_of_its_lines, 0},
          {a_launch_may_bring_its_own_bank_along, 0})
