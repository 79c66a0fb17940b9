/* DRAM behind L2: channels, batches of writes, turns.  Cycles are worked out
 * by hand: 16 GB/s at 1000 MHz are 16 bytes a cycle, 8 cycles a line. */
#include "sim/memory/dram.h"

#include "tests/help_suite.h"
#include "tests/sim/memory/help_memory.h"

static struct teg_gpu gpu;
static struct sim_memory *memory;

static void setup(void)
{
    help_memory_gpu(&gpu);
    gpu.chip.sm_clock_mhz = 1000;
    gpu.dram.bandwidth_gbs = 16;
}

static uint64_t load(uint64_t line, uint64_t now)
{
    return help_memory_line(memory, 0, line, HELP_LOAD, now);
}

static uint64_t store(uint64_t line, uint64_t now)
{
    return help_memory_line(memory, 0, line, HELP_STORE, now);
}

/* All of L2 is dirty, so each line stored from then on pushes one out. */
static void open_dirty(void)
{
    memory = help_memory_open(&gpu, 1);
    for (uint64_t line = 0; line < 64; line++)
        ck_assert_uint_eq(store(line, 1000), 0);
}

/* 64 lines of L2 full of stores; each further one pushes a dirty line out,
 * and waits until the channel takes it. */
START_TEST(a_store_waits_for_the_line_it_pushes_out)
{
    setup();
    open_dirty();
    ck_assert_uint_eq(store(64, 2000), 0);
    ck_assert_uint_eq(store(65, 2000), 8);
    ck_assert_uint_eq(store(66, 2000), 16);
    ck_assert_uint_eq(store(67, 2023), 1);
    ck_assert_uint_eq(store(68, 3000), 0);
    sim_memory_free(memory);
}
END_TEST

/* Batches of two lines: the first line waits for company, the second sends
 * both, 16 cycles, and 10 for changing the direction where there was a read
 * since the last batch. */
START_TEST(writes_gather_before_the_channel_turns)
{
    setup();
    gpu.dram.turnaround = 10;
    gpu.dram.write_batch_bytes = 256;
    open_dirty();
    ck_assert_uint_eq(store(64, 2000), 0);
    ck_assert_uint_eq(load(65, 2000), 100 + 16);
    ck_assert_uint_eq(load(66, 2000), 100 + 16 + 8);
    ck_assert_uint_eq(load(67, 3000), 100 + 26);
    sim_memory_free(memory);
}
END_TEST

/* Batches one after the other wait for their bytes only, also behind the one
 * that turned the channel. */
START_TEST(a_channel_that_only_writes_does_not_turn)
{
    setup();
    gpu.dram.turnaround = 10;
    gpu.dram.write_batch_bytes = 256;
    open_dirty();
    store(64, 2000);
    ck_assert_uint_eq(store(65, 2000), 0);
    store(66, 2000);
    ck_assert_uint_eq(store(67, 2000), 16);
    store(68, 2000);
    ck_assert_uint_eq(store(69, 2000), 32);
    /* a read, and the first line of a batch, pushed out for it */
    ck_assert_uint_eq(load(16 * 1000, 5000), 100);
    ck_assert_uint_eq(store(70, 6000), 0);
    store(71, 6000);
    ck_assert_uint_eq(store(72, 6000), 26);
    store(73, 6000);
    ck_assert_uint_eq(store(74, 6000), 42);
    sim_memory_free(memory);
}
END_TEST

static void setup_rows(uint32_t bytes)
{
    setup();
    gpu.dram.row_bytes = bytes;
    gpu.dram.banks = 2;
    gpu.dram.row_ns = 50;
}

/* Rows of four lines; the first and the third share a bank. */
START_TEST(a_bank_keeps_the_row_it_opened_last)
{
    setup_rows(512);
    memory = help_memory_open(&gpu, 1);
    ck_assert_uint_eq(load(0, 0), 100);
    ck_assert_uint_eq(load(4, 0), 150);
    ck_assert_uint_eq(load(1, 0), 116); /* open: the bus alone */
    ck_assert_uint_eq(load(8, 1000), 100);
    ck_assert_uint_eq(load(2, 1000), 150);
    ck_assert_uint_eq(load(5, 1000), 116);
    ck_assert_uint_eq(load(9, 2000), 100);
    ck_assert_uint_eq(load(3, 2000), 150);
    sim_memory_free(memory);
}
END_TEST

/* Of two reads that the controller holds the older one's row is still to be met,
 * though its bank has another; of three reads ago it is not. */
START_TEST(a_read_meets_the_rows_of_those_before_it)
{
    setup_rows(512);
    gpu.dram.queue = 2;
    memory = help_memory_open(&gpu, 1);
    ck_assert_uint_eq(load(0, 0), 100);
    ck_assert_uint_eq(load(8, 1000), 100); /* the bank of the first */
    ck_assert_uint_eq(load(1, 1000), 108); /* the bus alone */
    ck_assert_uint_eq(load(4, 2000), 100);
    ck_assert_uint_eq(load(16, 3000), 100); /* the first's, and eighth's bank */
    ck_assert_uint_eq(load(2, 3000), 150);  /* three reads ago */
    sim_memory_free(memory);
}
END_TEST

/* Four lines a batch.  The second batch waits until the first has moved, 32
 * cycles, and until its rows have been opened. */
START_TEST(a_batch_opens_each_of_its_rows_once)
{
    static const struct {
        uint32_t row_bytes;
        uint64_t waits;
    } cases[] = {{0, 32}, {512, 50}, {256, 100}, {128, 200}};

    for (unsigned i = 0; i < 4; i++) {
        setup_rows(cases[i].row_bytes);
        gpu.dram.write_batch_bytes = 512;
        open_dirty();
        for (uint64_t line = 64; line < 71; line++)
            ck_assert_uint_eq(store(line, 2000), 0);
        ck_assert_uint_eq(store(71, 2000), cases[i].waits);
        sim_memory_free(memory);
    }
}
END_TEST

/* One row has both batches, and each opens it: the third waits for both. */
START_TEST(the_next_batch_opens_its_rows_again)
{
    setup_rows(1024);
    gpu.dram.write_batch_bytes = 512;
    open_dirty();
    for (uint64_t line = 64; line < 75; line++)
        store(line, 2000);
    ck_assert_uint_eq(store(75, 2000), 100);
    sim_memory_free(memory);
}
END_TEST

/* A chip like it, but for its rows, goes on with what is gathered. */
START_TEST(a_batch_outlives_its_rows)
{
    struct sim_memory *before;
    struct teg_diag d;

    setup_rows(128);
    gpu.dram.write_batch_bytes = 512;
    open_dirty();
    store(64, 2000);
    store(65, 2000);
    before = memory;
    gpu.dram.row_ns = 0;
    memory = help_memory_open(&gpu, 1);
    ck_assert(sim_memory_carry(memory, before, &d) == TEG_OK);
    sim_memory_free(before);
    for (uint64_t line = 66; line < 71; line++)
        ck_assert_uint_eq(store(line, 3000), 0);
    ck_assert_uint_eq(store(71, 3000), 32);
    sim_memory_free(memory);
}
END_TEST

/* 8 of 16 GB/s: a line takes 16 cycles instead of 8. */
START_TEST(what_is_reached_counts_not_the_peak)
{
    setup();
    gpu.dram.reached_gbs = 8;
    memory = help_memory_open(&gpu, 1);
    ck_assert_uint_eq(load(0, 0), 100);
    ck_assert_uint_eq(load(1, 0), 116);
    sim_memory_free(memory);
}
END_TEST

/* Two channels have half the rate each, and 256 bytes in turn: lines 0, 1, 4
 * are of the first, 2 of the second. */
START_TEST(channels_take_addresses_in_turn)
{
    uint64_t most, sum;

    setup();
    gpu.dram.channels = 2;
    memory = help_memory_open(&gpu, 1);
    ck_assert_uint_eq(load(0, 0), 100);
    ck_assert_uint_eq(load(1, 0), 116);
    ck_assert_uint_eq(load(2, 0), 100);
    ck_assert_uint_eq(load(4, 0), 132);
    sim_memory_channel_bytes(memory, &most, &sum);
    ck_assert_uint_eq(most, 3 * 128);
    ck_assert_uint_eq(sum, 4 * 128);
    sim_memory_free(memory);
}
END_TEST

/* Bytes of the busiest of four channels and of all, of 64 lines `stride`
 * apart. */
static void walk(uint64_t stride, uint64_t *most, uint64_t *sum)
{
    memory = help_memory_open(&gpu, 1);
    for (uint64_t i = 0; i < 64; i++)
        load(stride * i, 0);
    sim_memory_channel_bytes(memory, most, sum);
    sim_memory_free(memory);
}

/* A stride of all channels' lines hits one of them; the hash spreads it, and
 * leaves a footprint without gaps even. */
START_TEST(the_hash_spreads_strides_and_evens_footprints)
{
    uint64_t most, sum;

    setup();
    gpu.dram.channels = 4;
    walk(8, &most, &sum);
    ck_assert_uint_eq(most, sum);
    gpu.dram.hash = 1;
    walk(8, &most, &sum);
    ck_assert_uint_eq(sum, 64 * 128);
    ck_assert_uint_lt(most, sum / 2);
    walk(1, &most, &sum);
    ck_assert_uint_eq(most, sum / 4);
}
END_TEST

/* Two channels with two slices of L2 each. */
static void setup_slices_of_channels(void)
{
    setup();
    gpu.dram.channels = 2;
    gpu.dram.interleave_bytes = 128;
    gpu.l2.slices = 4;
    gpu.dram.of_slices = 1;
}

/* With slices of their own two channels split four slices, whatever the
 * interleaving: lines 0 and 1 are the first one's, 2 and 3 the second one's. */
START_TEST(a_channel_has_slices_of_its_own)
{
    setup_slices_of_channels();
    memory = help_memory_open(&gpu, 1);
    ck_assert_uint_eq(load(0, 0), 100);
    ck_assert_uint_eq(load(1, 0), 116);
    ck_assert_uint_eq(load(2, 0), 100);
    ck_assert_uint_eq(load(7, 0), 116);
    sim_memory_free(memory);
}
END_TEST

/* Pieces of L2 go round the channels, whose slices they are: lines 0 to 3 are
 * the first one's, 4 to 7 the second one's. */
START_TEST(a_channel_has_pieces_of_its_own)
{
    setup_slices_of_channels();
    gpu.l2.piece_bytes = 512;
    memory = help_memory_open(&gpu, 1);
    ck_assert_uint_eq(load(0, 0), 100);
    ck_assert_uint_eq(load(3, 0), 116);
    ck_assert_uint_eq(load(4, 0), 100);
    ck_assert_uint_eq(load(8, 0), 132);
    sim_memory_free(memory);
}
END_TEST

/* What-if: whatever the address, the next channel. */
START_TEST(spread_transactions_take_channels_in_turn)
{
    setup();
    gpu.l2.bytes = 0;
    gpu.dram.channels = 2;
    gpu.dram.spread = 1;
    memory = help_memory_open(&gpu, 1);
    ck_assert_uint_eq(load(0, 0), 100);
    ck_assert_uint_eq(load(0, 0), 100);
    ck_assert_uint_eq(load(0, 0), 116);
    ck_assert_uint_eq(load(0, 0), 116);
    sim_memory_free(memory);
}
END_TEST

/* Without L2 a line of 8 cycles of the bus takes 32 to get in; loads go by, and
 * another channel takes its own. */
START_TEST(a_channel_takes_stores_no_faster_than_it_can)
{
    setup();
    gpu.l2.bytes = 0;
    gpu.dram.channels = 2;
    gpu.dram.bandwidth_gbs = 32;
    gpu.dram.store_bytes_per_cycle = 4;
    memory = help_memory_open(&gpu, 1);
    ck_assert_uint_eq(store(0, 1000), 0);
    ck_assert_uint_eq(store(1, 1000), 32);
    ck_assert_uint_eq(store(2, 1000), 0);
    ck_assert_uint_eq(load(4, 1040), 100);
    ck_assert_uint_eq(store(5, 1000), 64);
    sim_memory_free(memory);
}
END_TEST

/* Lines 0 to 63 and 128 on are of one channel, 64 to 127 of the other; each
 * takes its channel 16 cycles.  A load waits 16 for the line before, 16 for the
 * one that it pushes out; the last one waits 8 for what it pushes out, and
 * finds its own channel free. */
START_TEST(a_line_goes_back_to_its_own_channel)
{
    setup();
    gpu.dram.channels = 2;
    gpu.dram.interleave_bytes = 64 * 128;
    open_dirty();
    ck_assert_uint_eq(store(64, 2000), 0);
    ck_assert_uint_eq(load(128 + 1, 2000), 100 + 16 + 16);
    ck_assert_uint_eq(load(64 + 2, 2040), 100 + 8);
    sim_memory_free(memory);
}
END_TEST

/* Reads of 512 bytes side by side wait alike, 20 cycles in the mean of many of 100,
 * three times that one time in twenty, the same each time; none comes before what L2
 * has, in 40, however long the mean. */
START_TEST(what_a_read_waits_for_by_chance_has_a_mean)
{
    enum {
        READS = 4096
    };
    uint64_t sum = 0, late = 0;

    setup();
    gpu.dram.delay_ns = 20;
    memory = help_memory_open(&gpu, 1);
    for (uint64_t i = 0; i < READS; i++) {
        uint64_t cycles = load(4 * i, 1000 * i);

        ck_assert_uint_ge(cycles, 100 - sim_dram_sooner(&gpu));
        ck_assert_uint_eq(load(4 * i + 3, 1000 * i + 500), cycles);
        sum += cycles;
        late += cycles >= 80 + 60;
    }
    ck_assert_uint_le(sum, 101 * READS);
    ck_assert_uint_ge(sum, 99 * READS);
    ck_assert_uint_gt(late, READS / 30);
    ck_assert_uint_lt(late, READS / 15);
    sim_memory_free(memory);

    gpu.dram.delay_ns = 500;
    ck_assert_uint_eq(sim_dram_sooner(&gpu), 60);
    memory = help_memory_open(&gpu, 1);
    for (uint64_t i = 0; i < 64; i++)
        ck_assert_uint_ge(load(4 * i, 1000 * i), 40);
    sim_memory_free(memory);
}
END_TEST

HELP_MAIN("sim/memory/dram", 30,
          {what_a_read_waits_for_by_chance_has_a_mean, 0},
          {a_store_waits_for_the_line_it_pushes_out, 0},
          {writes_gather_before_the_channel_turns, 0},
          {a_channel_that_only_writes_does_not_turn, 0},
          {what_is_reached_counts_not_the_peak, 0},
          {a_bank_keeps_the_row_it_opened_last, 0},
          {a_read_meets_the_rows_of_those_before_it, 0},
          {a_batch_opens_each_of_its_rows_once, 0},
          {the_next_batch_opens_its_rows_again, 0},
          {a_batch_outlives_its_rows, 0}, {channels_take_addresses_in_turn, 0},
          {the_hash_spreads_strides_and_evens_footprints, 0},
          {a_channel_has_slices_of_its_own, 0},
          {a_channel_has_pieces_of_its_own, 0},
          {spread_transactions_take_channels_in_turn, 0},
          {a_channel_takes_stores_no_faster_than_it_can, 0},
          {a_line_goes_back_to_its_own_channel, 0})
