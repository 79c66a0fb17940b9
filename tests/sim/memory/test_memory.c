/* The memory system by itself: which level serves a request, and what waits
 * for what.  Cycles are worked out by hand. */
#include "sim/memory/memory.h"

#include <stdlib.h>

#include "tests/help_gpu.h"
#include "tests/help_suite.h"

static struct teg_gpu gpu;
static struct sim_memory *memory;

static void open_memory(uint32_t sms)
{
    struct teg_diag d;

    ck_assert(sim_memory_new(&gpu, sms, 0, &memory, &d) == TEG_OK);
}

static uint64_t access_in_part(uint32_t sm, uint64_t line, int store,
                               uint32_t partial, uint64_t now)
{
    struct sim_plan plan = {
        .request = {.space = SPACE_GLOBAL,
                    .is_store = (uint8_t)store,
                    .bytes = 128,
                    .transactions = 1},
        .count = 1,
        .groups = 1,
        .transaction = {{line * 128, 128, 15, (uint8_t)partial}},
    };

    return sim_memory_issue(memory, sm, now, &plan, 0) - now;
}

/* One line by one transaction, issued in cycle `now`; how long it takes. */
static uint64_t access_line(uint32_t sm, uint64_t line, int store, uint64_t now)
{
    return access_in_part(sm, line, store, 0, now);
}

static void setup(void)
{
    help_gpu_plain(&gpu);
    gpu.chip.sms = 16;
    gpu.l2.bytes = 128 * 4 * 16;
    gpu.l2.latency = 40;
    gpu.dram.latency = 100;
}

/* Two halves of 4 lines each before an L2 of 64: four lines stay near, the
 * fifth pushes one out, which then comes from the far half. */
START_TEST(what_a_half_does_not_hold_comes_from_the_other)
{
    uint32_t far = 0;

    setup();
    gpu.l2.near_bytes = 128 * 4;
    gpu.l2.far_latency = 70;
    open_memory(16);
    for (uint64_t line = 0; line < 4; line++) {
        ck_assert_uint_eq(access_line(0, line, 0, 1000 * line), 100);
        ck_assert_uint_eq(access_line(0, line, 0, 1000 * line + 500), 40);
    }
    for (uint64_t line = 0; line < 4; line++)
        ck_assert_uint_eq(access_line(0, line, 0, 10000 + 1000 * line), 40);
    ck_assert_uint_eq(access_line(0, 4, 0, 20000), 100);
    ck_assert_uint_eq(access_line(0, 0, 0, 21000), 70);
    /* SM 8 is on the other side, where nothing has been read yet */
    ck_assert_uint_eq(access_line(8, 4, 0, 22000), 70);
    ck_assert_uint_eq(access_line(8, 4, 0, 23000), 40);
    ck_assert_uint_eq(access_line(7, 4, 0, 24000), 40);
    for (uint64_t line = 0; line < 5; line++)
        far += access_line(0, line, 0, 30000 + 1000 * line) == 70;
    ck_assert_uint_ge(far, 1);
    sim_memory_free(memory);
}
END_TEST

/* Three SMs to each half in turn: 0 to 2 and 6 to 8 share what they read. */
START_TEST(sms_go_to_the_halves_in_turn)
{
    static const int near[] = {1, 1, 1, 0, 0, 0, 1, 1, 1, 0};

    for (uint32_t sm = 0; sm < sizeof near / sizeof near[0]; sm++) {
        setup();
        gpu.l2.near_bytes = 128 * 4;
        gpu.l2.half_sms = 3;
        gpu.l2.far_latency = 70;
        open_memory(16);
        ck_assert_uint_eq(access_line(0, 0, 0, 0), 100);
        ck_assert_uint_eq(access_line(sm, 0, 0, 1000), near[sm] ? 40 : 70);
        sim_memory_free(memory);
    }
}
END_TEST

/* The link between the halves: 32 bytes a cycle, so a line takes 4. */
START_TEST(halves_share_a_link)
{
    setup();
    gpu.l2.near_bytes = 128 * 4;
    gpu.l2.far_latency = 70;
    gpu.l2.far_bytes_per_cycle = 32;
    open_memory(16);
    for (uint64_t line = 0; line < 3; line++)
        access_line(8, line, 0, 0);
    ck_assert_uint_eq(access_line(0, 0, 0, 1000), 70);
    ck_assert_uint_eq(access_line(0, 1, 0, 1000), 74);
    ck_assert_uint_eq(access_line(0, 2, 0, 1008), 70);
    sim_memory_free(memory);
}
END_TEST

/* A slice of 32 bytes a cycle takes a line in 4 cycles; one of which a store
 * fills two sectors in part is two sectors more.  A load fills nothing. */
START_TEST(sectors_written_in_part_are_read_besides)
{
    setup();
    gpu.l2.bytes_per_cycle = 32;
    gpu.l2.partial_write = 1;
    open_memory(1);
    access_line(0, 0, 0, 0);
    access_line(0, 0, 1, 1000);
    ck_assert_uint_eq(access_line(0, 0, 0, 1000), 4 + 40);
    access_in_part(0, 0, 1, 5, 2000);
    ck_assert_uint_eq(access_line(0, 0, 0, 2000), 6 + 40);
    access_in_part(0, 0, 0, 5, 3000);
    ck_assert_uint_eq(access_line(0, 0, 0, 3000), 4 + 40);
    sim_memory_free(memory);
}
END_TEST

/* 64 lines of L2 full of stores; each further one pushes a dirty line out,
 * and waits until the channel takes it: 16 bytes a cycle, 8 a line. */
START_TEST(a_store_waits_for_the_line_it_pushes_out)
{
    setup();
    gpu.chip.sm_clock_mhz = 1000;
    gpu.dram.bandwidth_gbs = 16;
    open_memory(1);
    for (uint64_t line = 0; line < 64; line++)
        ck_assert_uint_eq(access_line(0, line, 1, 1000), 0);
    ck_assert_uint_eq(access_line(0, 64, 1, 2000), 0);
    ck_assert_uint_eq(access_line(0, 65, 1, 2000), 8);
    ck_assert_uint_eq(access_line(0, 66, 1, 2000), 16);
    ck_assert_uint_eq(access_line(0, 67, 1, 2023), 1);
    ck_assert_uint_eq(access_line(0, 68, 1, 3000), 0);
    sim_memory_free(memory);
}
END_TEST

/* Batches of two lines: the first line waits for company, the second sends
 * both, 16 cycles, and 10 for changing the direction where there was a read
 * since the last batch. */
START_TEST(writes_gather_before_the_channel_turns)
{
    setup();
    gpu.chip.sm_clock_mhz = 1000;
    gpu.dram.bandwidth_gbs = 16;
    gpu.dram.turnaround = 10;
    gpu.dram.write_batch_bytes = 256;
    open_memory(1);
    for (uint64_t line = 0; line < 64; line++)
        access_line(0, line, 1, 1000);
    ck_assert_uint_eq(access_line(0, 64, 1, 2000), 0);
    ck_assert_uint_eq(access_line(0, 65, 0, 2000), 100 + 16);
    ck_assert_uint_eq(access_line(0, 66, 0, 2000), 100 + 16 + 8);
    ck_assert_uint_eq(access_line(0, 67, 0, 3000), 100 + 26);
    sim_memory_free(memory);
}
END_TEST

/* 8 of 16 GB/s: a line takes 16 cycles instead of 8. */
START_TEST(what_is_reached_counts_not_the_peak)
{
    setup();
    gpu.chip.sm_clock_mhz = 1000;
    gpu.dram.bandwidth_gbs = 16;
    gpu.dram.reached_gbs = 8;
    open_memory(1);
    ck_assert_uint_eq(access_line(0, 0, 0, 0), 100);
    ck_assert_uint_eq(access_line(0, 1, 0, 0), 116);
    sim_memory_free(memory);
}
END_TEST

/* Two translations of pages of 4096 bytes are kept by each SM, and the one of
 * longest ago goes. */
START_TEST(a_page_not_touched_of_late_is_looked_up)
{
    setup();
    gpu.tlb.entries = 2;
    gpu.tlb.page_bytes = 4096;
    gpu.tlb.miss_latency = 9;
    open_memory(2);
    ck_assert_uint_eq(access_line(0, 0, 0, 0), 109);
    ck_assert_uint_eq(access_line(0, 1, 0, 1000), 100);
    ck_assert_uint_eq(access_line(0, 32, 0, 2000), 109);
    ck_assert_uint_eq(access_line(0, 0, 0, 3000), 40);
    ck_assert_uint_eq(access_line(0, 64, 0, 4000), 109);
    ck_assert_uint_eq(access_line(0, 0, 0, 5000), 40);
    ck_assert_uint_eq(access_line(0, 32, 0, 6000), 49);
    /* another SM keeps its own */
    ck_assert_uint_eq(access_line(1, 0, 0, 7000), 49);
    sim_memory_free(memory);
}
END_TEST

/* Whoever touches a page first waits, and all who come meanwhile. */
START_TEST(the_first_touch_of_a_region_walks)
{
    setup();
    gpu.tlb.entries = 2;
    gpu.tlb.page_bytes = 4096;
    gpu.tlb.walk_latency = 50;
    gpu.tlb.walk_bytes = 4096;
    open_memory(2);
    ck_assert_uint_eq(access_line(0, 0, 0, 0), 150);
    ck_assert_uint_eq(access_line(0, 1, 0, 20), 130);
    ck_assert_uint_eq(access_line(1, 2, 0, 49), 101);
    ck_assert_uint_eq(access_line(1, 3, 0, 50), 100);
    for (uint64_t page = 1; page < 200; page++)
        ck_assert_uint_eq(access_line(1, 32 * page, 0, 1000 * page), 150);
    for (uint64_t page = 0; page < 200; page++)
        ck_assert_uint_eq(access_line(0, 32 * page + 4, 0, 999999), 100);
    /* a store is let go, but fetches the translation */
    ck_assert_uint_eq(access_line(0, 32 * 300, 1, 2000000), 0);
    ck_assert_uint_eq(access_line(0, 32 * 300, 0, 2000020), 30 + 40);
    sim_memory_free(memory);
}
END_TEST

/* What shared memory leaves: 4 lines instead of 8. */
START_TEST(l1_has_what_shared_memory_leaves)
{
    struct teg_diag d;

    for (uint32_t kept = 8; kept >= 4; kept -= 4) {
        setup();
        gpu.l1.bytes = 128 * 8;
        gpu.l1.latency = 10;
        gpu.l1.ways = 1;
        ck_assert(sim_memory_new(&gpu, 1, kept * 128, &memory, &d) == TEG_OK);
        ck_assert_uint_eq(access_line(0, 0, 0, 0), 100);
        ck_assert_uint_eq(access_line(0, 4, 0, 1000), 100);
        ck_assert_uint_eq(access_line(0, 0, 0, 2000), kept == 8 ? 10 : 40);
        sim_memory_free(memory);
    }
}
END_TEST

HELP_MAIN("sim/memory", 30, {what_a_half_does_not_hold_comes_from_the_other, 0},
          {sms_go_to_the_halves_in_turn, 0}, {halves_share_a_link, 0},
          {sectors_written_in_part_are_read_besides, 0},
          {a_store_waits_for_the_line_it_pushes_out, 0},
          {writes_gather_before_the_channel_turns, 0},
          {what_is_reached_counts_not_the_peak, 0},
          {a_page_not_touched_of_late_is_looked_up, 0},
          {the_first_touch_of_a_region_walks, 0},
          {l1_has_what_shared_memory_leaves, 0})
