/* L2: slices, halves, lines under way, atomics.  40 cycles to L2, 100 to
 * DRAM; cycles are worked out by hand. */
#include "sim/memory/l2.h"

#include <string.h>

#include "tests/help_suite.h"
#include "tests/sim/memory/help_memory.h"

static struct teg_gpu gpu;
static struct sim_memory *memory;

static uint64_t load(uint32_t sm, uint64_t line, uint64_t now)
{
    return help_memory_line(memory, sm, line, HELP_LOAD, now);
}

/* Two slices of 8 sets of 4 lines, each a half: even lines belong to that of SMs
 * 0 to 7, odd ones to that of 8 to 15.  70 cycles to the far half; of the 30
 * more, a way to DRAM has none or all, so 85 and 115. */
static void setup_halves(void)
{
    help_memory_gpu(&gpu);
    gpu.l2.slices = 2;
    gpu.l2.far_latency = 70;
}

/* Of a line of the other half stays a copy, on this side only. */
START_TEST(lines_of_the_other_half_are_far_until_there_is_a_copy)
{
    setup_halves();
    memory = help_memory_open(&gpu, 16);
    ck_assert_uint_eq(load(0, 0, 0), 85);
    ck_assert_uint_eq(load(0, 0, 1000), 40);
    ck_assert_uint_eq(load(0, 1, 2000), 115);
    ck_assert_uint_eq(load(0, 1, 3000), 40);
    ck_assert_uint_eq(load(7, 1, 4000), 40);
    ck_assert_uint_eq(load(8, 1, 5000), 40);
    ck_assert_uint_eq(load(8, 0, 6000), 70);
    ck_assert_uint_eq(load(15, 0, 7000), 40);
    sim_memory_free(memory);
}
END_TEST

/* Lines 16 apart, odd or even, are of one set: four copies drive out the line
 * that is there, which has to come from DRAM then. */
START_TEST(copies_are_among_a_half_s_own_lines)
{
    setup_halves();
    memory = help_memory_open(&gpu, 16);
    load(0, 0, 0);
    for (uint64_t i = 0; i < 3; i++)
        load(0, 1 + 16 * i, 1000 + 1000 * i);
    ck_assert_uint_eq(load(0, 0, 5000), 40);
    load(0, 1 + 16 * 3, 6000);
    /* the oldest, line 1, had to go; the other half still has it */
    ck_assert_uint_eq(load(0, 1, 7000), 70);
    for (uint64_t i = 1; i < 4; i++)
        load(0, 1 + 16 * i, 7000 + 1000 * i);
    ck_assert_uint_eq(load(0, 0, 12000), 85);
    sim_memory_free(memory);
}
END_TEST

/* Three SMs to each half in turn: 0 to 2 and 6 to 8 share what they read. */
START_TEST(sms_go_to_the_halves_in_turn)
{
    static const int near[] = {1, 1, 1, 0, 0, 0, 1, 1, 1, 0};

    for (uint32_t sm = 0; sm < sizeof near / sizeof near[0]; sm++) {
        setup_halves();
        gpu.l2.half_sms = 3;
        memory = help_memory_open(&gpu, 16);
        ck_assert_uint_eq(load(0, 0, 0), 85);
        ck_assert_uint_eq(load(sm, 0, 1000), near[sm] ? 40 : 70);
        sim_memory_free(memory);
    }
}
END_TEST

/* Stretches of two lines to each half in turn. */
START_TEST(stretches_go_to_the_halves_in_turn)
{
    static const uint64_t first[] = {85, 85, 115, 115, 85, 85, 115, 115};

    setup_halves();
    gpu.l2.half_bytes = 256;
    memory = help_memory_open(&gpu, 16);
    for (uint64_t line = 0; line < sizeof first / sizeof first[0]; line++)
        ck_assert_uint_eq(load(0, line, 1000 * line), first[line]);
    ck_assert_uint_eq(load(8, 2, 9000), 40);
    sim_memory_free(memory);
}
END_TEST

/* With a hash one of each two stretches belongs to either half, and sometimes it
 * is the first, sometimes the second; every slice has as many lines as others, and
 * numbers them without a gap. */
START_TEST(every_place_of_a_half_has_one_line)
{
    enum {
        SLICES = 6,
        LINES = SLICES * 512
    };
    static uint8_t seen[SLICES][LINES / SLICES];
    uint32_t first = 0;

    setup_halves();
    gpu.l2.slices = SLICES;
    gpu.l2.half_bytes = 512;
    gpu.dram.hash = 1;
    memset(seen, 0, sizeof seen);
    for (uint64_t line = 0; line < LINES; line++) {
        struct sim_slices slices = sim_slices_of(&gpu);
        struct sim_slice_line at = sim_slice_of(&slices, line);
        struct sim_slice_line other = sim_slice_of(&slices, line ^ 4);

        ck_assert_uint_lt(at.slice, SLICES);
        ck_assert_uint_lt(at.number, LINES / SLICES);
        ck_assert_uint_eq(seen[at.slice][at.number]++, 0);
        ck_assert_uint_ne(at.slice % 2, other.slice % 2);
        first += line % 8 == 0 && at.slice % 2 == 0;
    }
    ck_assert_uint_gt(first, LINES / 8 / 3);
    ck_assert_uint_lt(first, LINES / 8 * 2 / 3);
}
END_TEST

/* The link between the halves: 32 bytes a cycle, so a line takes 4. */
START_TEST(halves_share_a_link)
{
    setup_halves();
    gpu.l2.far_bytes_per_cycle = 32;
    memory = help_memory_open(&gpu, 16);
    for (uint64_t line = 0; line < 6; line += 2)
        load(0, line, 0);
    ck_assert_uint_eq(load(8, 0, 1000), 70);
    ck_assert_uint_eq(load(8, 2, 1000), 74);
    ck_assert_uint_eq(load(8, 4, 1008), 70);
    ck_assert_uint_eq(load(0, 0, 2000), 40);
    ck_assert_uint_eq(load(0, 2, 2000), 40);
    sim_memory_free(memory);
}
END_TEST

/* What comes from the far half is near when it is there, and who asks for it
 * meanwhile waits. */
START_TEST(a_line_on_its_way_from_the_far_half_is_waited_for)
{
    setup_halves();
    memory = help_memory_open(&gpu, 16);
    load(0, 0, 0);
    ck_assert_uint_eq(load(8, 0, 1000), 70);
    ck_assert_uint_eq(load(8, 0, 1010), 60);
    ck_assert_uint_eq(load(8, 0, 1031), 40);
    sim_memory_free(memory);
}
END_TEST

/* A slice of 32 bytes a cycle takes a line in 4 cycles; one of which a store
 * fills two sectors in part takes their price besides.  A load fills nothing. */
START_TEST(sectors_written_in_part_have_a_price)
{
    struct sim_plan plan = help_memory_plan(0, 15, HELP_STORE);

    help_memory_gpu(&gpu);
    gpu.l2.bytes_per_cycle = 32;
    gpu.l2.partial_interval = 3;
    memory = help_memory_open(&gpu, 1);
    load(0, 0, 0);
    sim_memory_issue(memory, 0, 1000, &plan, 0);
    ck_assert_uint_eq(load(0, 0, 1000), 4 + 40);
    plan.transaction[0].partial = 5;
    sim_memory_issue(memory, 0, 2000, &plan, 0);
    ck_assert_uint_eq(load(0, 0, 2000), 4 + 2 * 3 + 40);
    plan = help_memory_plan(0, 15, HELP_LOAD);
    plan.transaction[0].partial = 5;
    sim_memory_issue(memory, 0, 3000, &plan, 0);
    ck_assert_uint_eq(load(0, 0, 3000), 4 + 40);
    sim_memory_free(memory);
}
END_TEST

/* A slice of 32 bytes a cycle takes a line in 4 cycles, whatever the price of a
 * sector alone; of what that is beyond its bytes two sectors have two thirds,
 * three one.  A price below that of its bytes is none. */
START_TEST(less_than_a_line_has_a_price)
{
    static const struct {
        double price;
        uint32_t sectors, cycles;
    } row[] = {{4, 15, 4},  {4, 1, 4},   {4, 8, 4},  {4, 3, 4},
               {4, 7, 4},   {10, 15, 4}, {10, 7, 6}, {10, 6, 8},
               {10, 4, 10}, {0.5, 1, 1}, {0, 3, 2}};

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct sim_plan plan = help_memory_plan(0, row[i].sectors, HELP_STORE);

        help_memory_gpu(&gpu);
        gpu.l2.bytes_per_cycle = 32;
        gpu.l2.sector_interval = row[i].price;
        memory = help_memory_open(&gpu, 1);
        load(0, 0, 0);
        sim_memory_issue(memory, 0, 1000, &plan, 0);
        ck_assert_uint_eq(load(0, 0, 1000), row[i].cycles + 40);
        sim_memory_free(memory);
    }
}
END_TEST

/* A slice takes 4 cycles for a line, but 0.5 for a load of no other sectors than
 * its last load, with nothing in between: the last of eight waits for 3.5. */
START_TEST(a_load_repeated_is_cheaper)
{
    struct sim_plan store = help_memory_plan(0, 1, HELP_STORE);
    struct sim_plan two = help_memory_plan(0, 3, HELP_LOAD);

    help_memory_gpu(&gpu);
    gpu.l2.slices = 1;
    gpu.l2.bytes_per_cycle = 32;
    gpu.l2.repeat_interval = 0.5;
    memory = help_memory_open(&gpu, 1);
    load(0, 0, 0);
    for (int i = 0; i < 7; i++)
        load(0, 0, 1000);
    ck_assert_uint_eq(load(0, 0, 1000), 4 + 40);
    sim_memory_issue(memory, 0, 2000, &two, 0);
    sim_memory_issue(memory, 0, 2000, &two, 0);
    sim_memory_issue(memory, 0, 2000, &store, 0); /* 0.5 + 0.5 + 1 */
    ck_assert_uint_eq(load(0, 0, 2000), 2 + 40);
    ck_assert_uint_eq(load(0, 0, 2000), 6 + 40);
    load(0, 1, 3000);
    sim_memory_issue(memory, 0, 4000, &two, 0);  /* 2: another line's */
    ck_assert_uint_eq(load(0, 0, 4000), 2 + 40); /* 4: more than the two */
    ck_assert_uint_eq(load(0, 0, 4000), 6 + 40);
    sim_memory_free(memory);
}
END_TEST

/* Four SMs, two of a group. */
static void setup_groups(void)
{
    help_memory_gpu(&gpu);
    gpu.chip.sms = 4;
    gpu.chip.gpcs = 2;
    gpu.chip.sms_per_tpc = 1;
}

static uint64_t copy(uint32_t sm, uint64_t line, uint64_t now)
{
    struct sim_plan plan = help_memory_plan(line, 15, HELP_LOAD);

    plan.request.is_bulk = 1;
    return sim_memory_issue(memory, sm, now, &plan, 0) - now;
}

/* Of two groups of two SMs.  A slice takes 4 cycles for a line: what a neighbor
 * copies meanwhile costs it nothing, what another group does, or asks for when
 * the first has its line, 4. */
START_TEST(neighbors_copy_together)
{
    struct sim_plan some = help_memory_plan(7, 3, HELP_LOAD);
    struct sim_plan all = help_memory_plan(7, 15, HELP_LOAD);

    some.request.is_bulk = all.request.is_bulk = 1;
    setup_groups();
    gpu.l2.slices = 1;
    gpu.l2.bytes_per_cycle = 32;
    gpu.l2.join_lines = 8;
    memory = help_memory_open(&gpu, 4);
    ck_assert_uint_eq(copy(0, 5, 0), 100);
    ck_assert_uint_eq(copy(1, 5, 10), 90); /* with the first's */
    ck_assert_uint_eq(copy(1, 5, 99), 40); /* no sooner than a hit */
    ck_assert_uint_eq(copy(2, 5, 1000), 40);
    ck_assert_uint_eq(copy(3, 5, 1000), 40);
    ck_assert_uint_eq(copy(3, 6, 1000), 4 + 100); /* one use before it */
    ck_assert_uint_eq(copy(1, 5, 2000), 40);
    ck_assert_uint_eq(copy(2, 5, 2000), 4 + 40); /* the other group */
    ck_assert_uint_eq(copy(0, 5, 2040), 40);     /* it is over: alone */
    ck_assert_uint_eq(copy(0, 6, 2040), 4 + 40);
    ck_assert_uint_eq(load(0, 5, 2500), 40); /* loads as copies */
    ck_assert_uint_eq(load(1, 5, 2500), 40);
    /* Two sectors of four are not all. */
    ck_assert_uint_eq(sim_memory_issue(memory, 0, 3000, &some, 0), 3100);
    ck_assert_uint_eq(sim_memory_issue(memory, 1, 3000, &all, 0), 3102);
    ck_assert_uint_eq(sim_memory_issue(memory, 0, 3000, &some, 0), 3102);
    ck_assert_uint_eq(some.request.l2_joined, 2);
    ck_assert_uint_eq(some.request.l2_sectors, 2); /* the first time */
    sim_memory_free(memory);
}
END_TEST

/* Sectors of a line read in cycle 1000 that join. */
static uint32_t joined(uint32_t sm, uint64_t line)
{
    struct sim_plan plan = help_memory_plan(line, 15, HELP_LOAD);

    sim_memory_issue(memory, sm, 1000, &plan, 0);
    return plan.request.l2_joined;
}

/* Of two lines that are known the third makes the group forget the first, which
 * is then read again; not the other group. */
START_TEST(what_others_read_last_can_be_joined)
{
    setup_groups();
    gpu.l2.join_lines = 2;
    memory = help_memory_open(&gpu, 4);
    ck_assert_uint_eq(joined(2, 1), 0);
    ck_assert_uint_eq(joined(0, 1), 0);
    ck_assert_uint_eq(joined(0, 2), 0);
    ck_assert_uint_eq(joined(1, 1), 4);
    ck_assert_uint_eq(joined(0, 3), 0);
    ck_assert_uint_eq(joined(1, 2), 4);
    ck_assert_uint_eq(joined(1, 1), 0);
    ck_assert_uint_eq(joined(3, 1), 4);
    sim_memory_free(memory);
}
END_TEST

/* One atomic of `steps` at a line that L2 has; how long it takes. */
static uint64_t atomic(uint32_t steps, int is_float, uint64_t now)
{
    struct sim_plan plan = help_memory_plan(0, 1, HELP_ATOMIC);

    plan.request.is_float = is_float != 0;
    plan.request.atomic_conflicts = is_float == 2;
    plan.transaction[0].steps = (uint8_t)steps;
    return sim_memory_issue(memory, 0, now, &plan, 0) - now;
}

/* The first is in the latency; each takes 3 cycles of its slice, 5 with
 * floating-point numbers, 7 where lanes add those to one word, and the next request waits for all of them. */
START_TEST(steps_of_an_atomic_follow_one_another)
{
    help_memory_gpu(&gpu);
    gpu.l2.atomic_interval = 3;
    gpu.l2.atomic_float_interval = 5;
    memory = help_memory_open(&gpu, 1);
    load(0, 0, 0);
    ck_assert_uint_eq(atomic(1, 0, 1000), 40);
    ck_assert_uint_eq(atomic(8, 0, 2000), 40 + 7 * 3);
    ck_assert_uint_eq(load(0, 0, 2000), 8 * 3 + 40);
    ck_assert_uint_eq(atomic(8, 1, 3000), 40 + 7 * 5);
    ck_assert_uint_eq(load(0, 0, 3000), 8 * 5 + 40);
    ck_assert_uint_eq(atomic(1, 0, 4000), 40);
    ck_assert_uint_eq(atomic(1, 1, 4000), 3 + 40);
    ck_assert_uint_eq(atomic(8, 2, 5000), 40 + 7 * 5);
    gpu.l2.atomic_float_word_interval = 7;
    sim_memory_free(memory);
    memory = help_memory_open(&gpu, 1);
    load(0, 0, 0);
    ck_assert_uint_eq(atomic(8, 2, 5000), 40 + 7 * 7);
    sim_memory_free(memory);
    gpu.l2.atomic_float_interval = 0;
    memory = help_memory_open(&gpu, 1);
    load(0, 0, 0);
    ck_assert_uint_eq(atomic(8, 1, 1000), 40 + 7 * 3);
    sim_memory_free(memory);
}
END_TEST

/* Two slices share 64 bytes a cycle: a line takes its own 4 cycles, and lines
 * 0 and 2 are of the same. */
START_TEST(slices_take_lines_in_turn)
{
    help_memory_gpu(&gpu);
    gpu.l2.slices = 2;
    gpu.l2.bytes_per_cycle = 64;
    memory = help_memory_open(&gpu, 1);
    for (uint64_t line = 0; line < 3; line++)
        load(0, line, 0);
    ck_assert_uint_eq(load(0, 0, 1000), 40);
    ck_assert_uint_eq(load(0, 1, 1000), 40);
    ck_assert_uint_eq(load(0, 2, 1000), 44);
    ck_assert_uint_eq(load(0, 0, 1000), 48);
    ck_assert_uint_eq(load(0, 1, 1003), 41);
    sim_memory_free(memory);
}
END_TEST

/* Which of the lines 0 to 15 wait 4 cycles behind line `first`: those of its
 * slice, a bit each. */
static uint32_t lines_behind(uint64_t first)
{
    uint32_t behind = 0;

    for (uint64_t line = 0; line < 16; line++) {
        memory = help_memory_open(&gpu, 1);
        for (uint64_t i = 0; i < 16; i++)
            load(0, i, 0);
        load(0, first, 10000);
        if (load(0, line, 10000) != 40)
            behind |= 1u << line;
        sim_memory_free(memory);
    }
    return behind;
}

/* Pieces of four lines go round two channels of two slices; their lines take
 * turns at these.  With a hash line 2 of a piece, whose digits are 1 and 0, is in
 * the slice of line 1. */
START_TEST(pieces_go_round_channels)
{
    help_memory_gpu(&gpu);
    gpu.l2.slices = 4;
    gpu.l2.bytes_per_cycle = 128;
    gpu.l2.piece_bytes = 512;
    gpu.dram.channels = 2;
    ck_assert_uint_eq(lines_behind(0), 0x0505);
    ck_assert_uint_eq(lines_behind(1), 0x0a0a);
    ck_assert_uint_eq(lines_behind(4), 0x5050);
    gpu.dram.hash = 1;
    ck_assert_uint_eq(lines_behind(0) & 0xf, 0x9);
    ck_assert_uint_eq(lines_behind(1) & 0xf, 0x6);
}
END_TEST

/* What comes beside an atomic of four sectors waits for four updates, and where a
 * slice carries out atomics for the line beside its own, that line's too. */
START_TEST(updates_hold_the_slice_of_atomics)
{
    struct sim_plan plan = help_memory_plan(0, 1, HELP_ATOMIC);

    help_memory_gpu(&gpu);
    gpu.l2.slices = 4;
    gpu.l2.atomic_interval = 3;
    gpu.l2.atomic_sector_interval = 7;
    gpu.l2.atomic_bytes = 256;
    plan.transaction[0].updates = 4;
    plan.transaction[0].steps = 2;
    memory = help_memory_open(&gpu, 1);
    for (uint64_t line = 0; line < 3; line++)
        load(0, line, 0);
    ck_assert_uint_eq(sim_memory_issue(memory, 0, 1000, &plan, 0),
                      1000 + 40 + 3 * 7 + 2 * 3);
    plan.transaction[0].address = 128;
    ck_assert_uint_eq(sim_memory_issue(memory, 0, 1000, &plan, 0),
                      1000 + 4 * 7 + 2 * 3 + 40 + 3 * 7 + 2 * 3);
    plan.transaction[0].address = 256;
    ck_assert_uint_eq(sim_memory_issue(memory, 0, 1000, &plan, 0),
                      1000 + 40 + 3 * 7 + 2 * 3);
    sim_memory_free(memory);
}
END_TEST

/* An atomic of one word takes what a request of one sector does, or, in pieces
 * of more than a line, its step. */
START_TEST(atomics_in_pieces_take_no_price_of_a_sector)
{
    for (uint32_t lines = 1; lines <= 2; lines++) {
        struct sim_plan plan = help_memory_plan(0, 1, HELP_ATOMIC);

        help_memory_gpu(&gpu);
        gpu.l2.sector_interval = 20;
        gpu.l2.atomic_interval = 3;
        gpu.l2.atomic_bytes = lines * TEG_LINE_BYTES;
        plan.transaction[0].steps = 1;
        memory = help_memory_open(&gpu, 1);
        load(0, 0, 0);
        sim_memory_issue(memory, 0, 1000, &plan, 0);
        ck_assert_uint_eq(load(0, 0, 1000), 40 + (lines == 1 ? 20 : 3));
        sim_memory_free(memory);
    }
}
END_TEST

/* As many lines as L2 has, read twice: sixteen sets of four. */
static void expect_all_stay(void)
{
    memory = help_memory_open(&gpu, 1);
    for (uint64_t line = 0; line < 64; line++)
        ck_assert_uint_eq(load(0, line, 0), 100);
    for (uint64_t line = 0; line < 64; line++)
        ck_assert_uint_eq(load(0, line, 1000), 40);
    sim_memory_free(memory);
}

/* A footprint of L2's size stays, whatever the pieces. */
START_TEST(a_footprint_in_pieces_stays)
{
    for (uint32_t hash = 0; hash <= 1; hash++) {
        help_memory_gpu(&gpu);
        gpu.l2.slices = 4;
        gpu.l2.piece_bytes = 1024;
        gpu.dram.channels = 2;
        gpu.dram.hash = hash;
        expect_all_stay();
    }
}
END_TEST

/* All 64 lines side by side stay, in one slice or in four: sets are dealt so
 * that none is left empty. */
START_TEST(a_footprint_of_its_size_stays)
{
    for (uint32_t slices = 1; slices <= 4; slices *= 4) {
        help_memory_gpu(&gpu);
        gpu.l2.slices = slices;
        expect_all_stay();
    }
}
END_TEST

START_TEST(a_line_under_way_is_waited_for)
{
    help_memory_gpu(&gpu);
    memory = help_memory_open(&gpu, 1);
    ck_assert_uint_eq(load(0, 0, 0), 100);
    ck_assert_uint_eq(load(0, 0, 59), 41);
    ck_assert_uint_eq(load(0, 0, 60), 40);
    ck_assert_uint_eq(load(0, 0, 61), 40);
    sim_memory_free(memory);
}
END_TEST

/* A slice is held 9 cycles by an atomic, or for its bytes if they take
 * longer: 16 cycles of 8 bytes. */
START_TEST(atomics_hold_their_slice)
{
    for (uint32_t rate = 0; rate <= 8; rate += 8) {
        uint64_t held = rate == 0 ? 9 : 16;

        help_memory_gpu(&gpu);
        gpu.l2.atomic_interval = 9;
        gpu.l2.bytes_per_cycle = rate;
        memory = help_memory_open(&gpu, 1);
        ck_assert_uint_eq(help_memory_line(memory, 0, 0, HELP_ATOMIC, 0), 100);
        ck_assert_uint_eq(help_memory_line(memory, 0, 0, HELP_ATOMIC, 1000),
                          40);
        ck_assert_uint_eq(help_memory_line(memory, 0, 0, HELP_ATOMIC, 1000),
                          40 + held);
        ck_assert_uint_eq(load(0, 0, 1000), 40 + 2 * held);
        sim_memory_free(memory);
    }
}
END_TEST

/* Issues `sectors` of line `line` and says what became of them. */
static struct sim_request ask(uint64_t line, uint32_t sectors,
                              enum help_access access, uint64_t now)
{
    struct sim_plan plan = help_memory_plan(line, sectors, access);

    sim_memory_issue(memory, 0, now, &plan, 0);
    return plan.request;
}

static void expect(struct sim_request r, uint32_t sectors, uint32_t hits,
                   uint32_t dram_bytes)
{
    ck_assert_uint_eq(r.l2_sectors, sectors);
    ck_assert_uint_eq(r.l2_hits, hits);
    ck_assert_uint_eq(r.dram_bytes, dram_bytes);
}

/* A load and an atomic fetch the sectors that are missing, a store brings its
 * own; both of the latter leave them dirty, and 16 lines on in the same set of
 * four, dirty sectors go to DRAM. */
START_TEST(only_what_is_missing_is_fetched_and_what_is_dirty_written)
{
    help_memory_gpu(&gpu);
    memory = help_memory_open(&gpu, 1);
    expect(ask(0, 2, HELP_LOAD, 0), 1, 0, 32);
    expect(ask(0, 15, HELP_LOAD, 1000), 4, 1, 96);
    expect(ask(0, 15, HELP_LOAD, 2000), 4, 4, 0);
    expect(ask(16, 7, HELP_STORE, 3000), 3, 0, 0);
    expect(ask(16, 15, HELP_LOAD, 4000), 4, 3, 32);
    expect(ask(32, 3, HELP_ATOMIC, 5000), 2, 0, 64);
    expect(ask(48, 1, HELP_LOAD, 6000), 1, 0, 32);
    /* pushes line 0 out, which is clean, then 16 and 32, which are not */
    expect(ask(64, 1, HELP_LOAD, 7000), 1, 0, 32);
    expect(ask(80, 1, HELP_LOAD, 8000), 1, 0, 32 + 96);
    expect(ask(96, 1, HELP_LOAD, 9000), 1, 0, 32 + 64);
    sim_memory_free(memory);
}
END_TEST

/* Stores and atomics go where the line belongs: they neither look for a copy
 * nor leave one.  What a copy has counts as found. */
START_TEST(only_loads_ask_for_copies)
{
    setup_halves();
    memory = help_memory_open(&gpu, 16);
    expect(ask(1, 15, HELP_STORE, 0), 4, 0, 0);
    ck_assert_uint_eq(load(0, 1, 1000), 70);
    ck_assert_uint_eq(load(0, 1, 1500), 40);
    ck_assert_uint_eq(help_memory_line(memory, 0, 1, HELP_ATOMIC, 2000), 70);
    ck_assert_uint_eq(help_memory_line(memory, 8, 1, HELP_ATOMIC, 2500), 40);
    ck_assert_uint_eq(help_memory_line(memory, 0, 3, HELP_ATOMIC, 3000), 115);
    ck_assert_uint_eq(load(0, 3, 4000), 70);
    expect(ask(1, 15, HELP_LOAD, 5000), 4, 4, 0);
    expect(ask(5, 3, HELP_LOAD, 6000), 2, 0, 64);
    expect(ask(5, 15, HELP_LOAD, 7000), 4, 2, 64);
    sim_memory_free(memory);
}
END_TEST

/* Line 0 has been written and makes room for the fourth copy of its set. */
START_TEST(what_a_copy_drives_out_is_written_back)
{
    setup_halves();
    memory = help_memory_open(&gpu, 16);
    expect(ask(0, 15, HELP_STORE, 0), 4, 0, 0);
    for (uint64_t i = 0; i < 3; i++)
        expect(ask(1 + 16 * i, 15, HELP_LOAD, 1000 + 1000 * i), 4, 0, 128);
    expect(ask(1 + 16 * 3, 15, HELP_LOAD, 5000), 4, 0, 128 + 128);
    expect(ask(1 + 16 * 4, 15, HELP_LOAD, 6000), 4, 0, 128);
    sim_memory_free(memory);
}
END_TEST

/* An atomic, which its opcode may call a store as well, writes no sector in
 * part. */
START_TEST(atomics_are_whole)
{
    struct sim_plan plan = help_memory_plan(0, 15, HELP_ATOMIC);

    help_memory_gpu(&gpu);
    gpu.l2.bytes_per_cycle = 32;
    gpu.l2.partial_interval = 1;
    plan.transaction[0].partial = 15;
    plan.request.is_store = 1;
    memory = help_memory_open(&gpu, 1);
    sim_memory_issue(memory, 0, 0, &plan, 0);
    ck_assert_uint_eq(sim_memory_issue(memory, 0, 1000, &plan, 0), 1040);
    ck_assert_uint_eq(load(0, 0, 1000), 44);
    sim_memory_free(memory);
}
END_TEST

/* One of line `line`'s sectors; what DRAM moved for it. */
static uint32_t moved(uint64_t line, uint32_t sectors, enum help_access access,
                      uint64_t now)
{
    struct sim_plan plan = help_memory_plan(line, sectors, access);

    sim_memory_issue(memory, 0, now, &plan, 0);
    return plan.request.dram_bytes;
}

/* A load brings the aligned pieces that have what it lacks, less what is there;
 * a store brings nothing. */
START_TEST(dram_is_read_by_pieces)
{
    static const struct {
        uint32_t piece, sectors, bytes, again, more;
    } row[] = {{32, 1, 32, 2, 32},  {64, 1, 64, 2, 0},   {64, 1, 64, 4, 64},
               {64, 8, 64, 3, 64},  {64, 6, 128, 15, 0}, {128, 4, 128, 15, 0},
               {64, 3, 64, 15, 64}, {128, 15, 128, 1, 0}};

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        help_memory_gpu(&gpu);
        gpu.l2.fetch_bytes = row[i].piece;
        memory = help_memory_open(&gpu, 1);
        ck_assert_uint_eq(moved(0, row[i].sectors, HELP_LOAD, 0), row[i].bytes);
        ck_assert_uint_eq(moved(0, row[i].again, HELP_LOAD, 1000), row[i].more);
        ck_assert_uint_eq(moved(1, 1, HELP_STORE, 2000), 0);
        ck_assert_uint_eq(moved(1, 2, HELP_LOAD, 3000),
                          row[i].piece - (row[i].piece == 32 ? 0 : 32));
        sim_memory_free(memory);
    }
}
END_TEST

/* Of a set's four ways half may be dirty: the third line written has the first
 * written to DRAM, but that stays; what is read meanwhile changes nothing.  A
 * share too small for one way leaves one. */
START_TEST(no_more_of_a_set_than_its_share_is_dirty)
{
    help_memory_gpu(&gpu);
    gpu.l2.dirty_share = 0.5;
    memory = help_memory_open(&gpu, 1);
    ck_assert_uint_eq(moved(0, 7, HELP_STORE, 0), 0);
    ck_assert_uint_eq(moved(16, 1, HELP_STORE, 1000), 0);
    ck_assert_uint_eq(moved(0, 8, HELP_STORE, 2000), 0);
    ck_assert_uint_eq(moved(48, 15, HELP_LOAD, 3000), 128);
    ck_assert_uint_eq(moved(32, 15, HELP_STORE, 4000), 32); /* of line 16 */
    ck_assert_uint_eq(moved(16, 1, HELP_LOAD, 5000), 0);
    ck_assert_uint_eq(moved(16, 1, HELP_STORE, 6000), 128); /* of line 0 */
    ck_assert_uint_eq(moved(1, 15, HELP_STORE, 7000), 0);
    sim_memory_free(memory);

    gpu.l2.dirty_share = 0;
    memory = help_memory_open(&gpu, 1);
    ck_assert_uint_eq(moved(0, 15, HELP_STORE, 0), 0);
    ck_assert_uint_eq(moved(16, 1, HELP_STORE, 1000), 128);
    sim_memory_free(memory);
}
END_TEST

/* While nothing runs L2 writes what is dirty, and keeps it, on chips that do:
 * who drives it out afterwards has nothing to write. */
START_TEST(what_is_dirty_is_written_at_rest)
{
    for (uint32_t writes = 0; writes < 2; writes++) {
        help_memory_gpu(&gpu);
        gpu.l2.writes_resting = writes;
        memory = help_memory_open(&gpu, 1);
        ck_assert_uint_eq(moved(0, 15, HELP_STORE, 0), 0);
        sim_memory_rest(memory);
        ck_assert_uint_eq(moved(0, 15, HELP_LOAD, 1000), 0);
        for (uint32_t line = 16; line < 64; line += 16)
            ck_assert_uint_eq(moved(line, 15, HELP_LOAD, 2000), 128);
        ck_assert_uint_eq(moved(64, 15, HELP_LOAD, 5000), writes ? 128 : 256);
        sim_memory_free(memory);
    }
}
END_TEST

/* Who runs ahead may not pass what DRAM behind the near half brings, which is
 * half of the way between the halves earlier than its mean. */
START_TEST(nothing_comes_before_the_nearest_dram)
{
    struct teg_gpu chip = {0};

    chip.dram.latency = 110;
    ck_assert_uint_eq(sim_memory_lookahead(&chip), 110);
    chip.chip.sm_clock_mhz = 1000;
    chip.dram.delay_ns = 20;
    ck_assert_uint_eq(sim_memory_lookahead(&chip), 90);
    chip.l2.bytes = 1 << 20;
    chip.l2.latency = 100;
    ck_assert_uint_eq(sim_memory_lookahead(&chip), 100);
    chip.l2.far_latency = 160;
    ck_assert_uint_eq(sim_memory_lookahead(&chip), 80);
}
END_TEST

HELP_MAIN("sim/memory/l2", 30, {dram_is_read_by_pieces, 0},
          {nothing_comes_before_the_nearest_dram, 0},
          {what_is_dirty_is_written_at_rest, 0},
          {no_more_of_a_set_than_its_share_is_dirty, 0},
          {lines_of_the_other_half_are_far_until_there_is_a_copy, 0},
          {copies_are_among_a_half_s_own_lines, 0},
          {sms_go_to_the_halves_in_turn, 0},
          {stretches_go_to_the_halves_in_turn, 0},
          {every_place_of_a_half_has_one_line, 0}, {halves_share_a_link, 0},
          {a_line_on_its_way_from_the_far_half_is_waited_for, 0},
          {sectors_written_in_part_have_a_price, 0},
          {less_than_a_line_has_a_price, 0}, {a_load_repeated_is_cheaper, 0},
          {neighbors_copy_together, 0},
          {what_others_read_last_can_be_joined, 0},
          {steps_of_an_atomic_follow_one_another, 0},
          {updates_hold_the_slice_of_atomics, 0},
          {atomics_in_pieces_take_no_price_of_a_sector, 0},
          {slices_take_lines_in_turn, 0}, {pieces_go_round_channels, 0},
          {a_footprint_in_pieces_stays, 0}, {a_footprint_of_its_size_stays, 0},
          {a_line_under_way_is_waited_for, 0}, {atomics_hold_their_slice, 0},
          {only_what_is_missing_is_fetched_and_what_is_dirty_written, 0},
          {only_loads_ask_for_copies, 0},
          {what_a_copy_drives_out_is_written_back, 0}, {atomics_are_whole, 0})
