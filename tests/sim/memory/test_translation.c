/* Translation behind L1: what an SM keeps, and the walk of a region.  100
 * cycles to DRAM, 40 to L2. */
#include "sim/memory/translation.h"

#include "tests/help_suite.h"
#include "tests/sim/memory/help_memory.h"

static struct teg_gpu gpu;
static struct sim_memory *memory;

static void setup(void)
{
    help_memory_gpu(&gpu);
    gpu.tlb.entries = 2;
    gpu.tlb.page_bytes = 4096; /* 32 lines */
}

static uint64_t load(uint32_t sm, uint64_t line, uint64_t now)
{
    return help_memory_line(memory, sm, line, HELP_LOAD, now);
}

/* Two translations of pages of 4096 bytes are kept by each SM, and the one of
 * longest ago goes. */
START_TEST(a_page_not_touched_of_late_is_looked_up)
{
    setup();
    gpu.tlb.miss_latency = 9;
    memory = help_memory_open(&gpu, 2);
    ck_assert_uint_eq(load(0, 0, 0), 109);
    ck_assert_uint_eq(load(0, 1, 1000), 100);
    ck_assert_uint_eq(load(0, 32, 2000), 109);
    ck_assert_uint_eq(load(0, 0, 3000), 40);
    ck_assert_uint_eq(load(0, 64, 4000), 109);
    ck_assert_uint_eq(load(0, 0, 5000), 40);
    ck_assert_uint_eq(load(0, 32, 6000), 49);
    /* another SM keeps its own */
    ck_assert_uint_eq(load(1, 0, 7000), 49);
    sim_memory_free(memory);
}
END_TEST

/* Whoever touches a page first waits, and all who come meanwhile. */
START_TEST(the_first_touch_of_a_region_walks)
{
    setup();
    gpu.tlb.walk_latency = 50;
    gpu.tlb.walk_bytes = 4096;
    memory = help_memory_open(&gpu, 2);
    ck_assert_uint_eq(load(0, 0, 0), 150);
    ck_assert_uint_eq(load(0, 1, 20), 130);
    ck_assert_uint_eq(load(1, 2, 49), 101);
    ck_assert_uint_eq(load(1, 3, 50), 100);
    for (uint64_t page = 1; page < 200; page++)
        ck_assert_uint_eq(load(1, 32 * page, 1000 * page), 150);
    for (uint64_t page = 0; page < 200; page++)
        ck_assert_uint_eq(load(0, 32 * page + 4, 999999), 100);
    /* a store is let go, but fetches the translation */
    ck_assert_uint_eq(
        help_memory_line(memory, 0, 32 * 300, HELP_STORE, 2000000), 0);
    ck_assert_uint_eq(load(0, 32 * 300, 2000020), 30 + 40);
    /* an atomic is not */
    ck_assert_uint_eq(
        help_memory_line(memory, 0, 32 * 301, HELP_ATOMIC, 3000000), 150);
    sim_memory_free(memory);
}
END_TEST

/* The walk begins when the SM has found that it does not know the page. */
START_TEST(a_walk_follows_the_miss)
{
    setup();
    gpu.tlb.miss_latency = 9;
    gpu.tlb.walk_latency = 50;
    gpu.tlb.walk_bytes = 8192;
    memory = help_memory_open(&gpu, 1);
    ck_assert_uint_eq(load(0, 0, 0), 159);
    /* the region's other page: looked up, but walked to */
    ck_assert_uint_eq(load(0, 32, 20), 39 + 100);
    ck_assert_uint_eq(load(0, 33, 1000), 100);
    sim_memory_free(memory);
}
END_TEST

/* 200 regions are walked to, more than the table begins with: who comes 10
 * cycles before a walk ends waits 10, for each.  (Stores begin the walks, for
 * they do not hold a channel until the end of theirs.) */
START_TEST(walks_under_way_are_kept_as_the_table_grows)
{
    setup();
    gpu.tlb.walk_latency = 1000;
    gpu.tlb.walk_bytes = 4096;
    gpu.l2.bytes = 0;
    gpu.dram.channels = 256; /* one for each region */
    gpu.dram.interleave_bytes = 4096;
    memory = help_memory_open(&gpu, 2);
    for (uint64_t page = 0; page < 200; page++)
        ck_assert_uint_eq(
            help_memory_line(memory, 0, 32 * page, HELP_STORE, page), 0);
    for (uint64_t page = 0; page < 200; page++)
        ck_assert_uint_eq(load(1, 32 * page + 4, page + 990), 110);
    sim_memory_free(memory);
}
END_TEST

HELP_MAIN("sim/memory/translation", 30,
          {a_page_not_touched_of_late_is_looked_up, 0},
          {the_first_touch_of_a_region_walks, 0}, {a_walk_follows_the_miss, 0},
          {walks_under_way_are_kept_as_the_table_grows, 0})
