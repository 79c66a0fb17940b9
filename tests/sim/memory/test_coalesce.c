/* Transactions, counted by hand from the rules of the programming guides and
 * of Lai 2013, 3.2.3. */
#include "sim/memory/coalesce.h"

#include <string.h>

#include "tests/help_gpu.h"
#include "tests/help_launch.h"
#include "tests/help_suite.h"

static struct teg_access line(uint64_t base, int32_t stride)
{
    return (struct teg_access){.shape = SHAPE_LINE,
                               .mask = UINT32_MAX,
                               .base = base,
                               .stride = stride};
}

static struct teg_inst global(uint16_t width)
{
    return (struct teg_inst){
        .space = SPACE_GLOBAL, .width = width, .flags = INST_LOAD};
}

static struct sim_plan plan(enum teg_coalescing rule, struct teg_inst inst,
                            struct teg_access a)
{
    static const struct sim_windows none = {0};
    struct sim_plan p;
    struct teg_gpu gpu;

    help_gpu_plain(&gpu);
    gpu.memory.coalescing = rule;
    sim_plan_make(&p, &gpu, &inst, &a, &none);
    return p;
}

static void expect(enum teg_coalescing rule, uint16_t width,
                   struct teg_access a, uint32_t count, uint32_t bytes)
{
    struct sim_plan p = plan(rule, global(width), a);

    ck_assert_uint_eq(p.count, count);
    ck_assert_uint_eq(p.request.transactions, count);
    ck_assert_uint_eq(p.request.bytes, bytes);
}

/* Residents have local memory of their own, whatever the trace calls it; what
 * is global is everybody's. */
START_TEST(residents_share_no_local_memory)
{
    struct teg_inst inst = {
        .space = SPACE_LOCAL, .width = 4, .flags = INST_LOAD};
    struct sim_plan first = plan(COALESCING_LINES, inst, line(0x1000, 4));
    struct sim_plan here = first, there = first, again = first;
    struct sim_plan everywhere =
        plan(COALESCING_LINES, global(4), line(0x1000, 4));

    ck_assert_uint_eq(first.count, 1);
    sim_plan_place(&here, 3, 1);
    sim_plan_place(&there, 3, 2);
    sim_plan_place(&again, 3, 1);
    ck_assert_uint_ne(here.transaction[0].address,
                      there.transaction[0].address);
    ck_assert_uint_eq(here.transaction[0].address,
                      again.transaction[0].address);
    sim_plan_place(&first, 4, 1);
    ck_assert_uint_ne(here.transaction[0].address,
                      first.transaction[0].address);
    sim_plan_place(&everywhere, 3, 1);
    ck_assert_uint_eq(everywhere.transaction[0].address, 0x1000);
}
END_TEST

/* Thread k takes element k of an aligned row: one transaction a half warp. */
START_TEST(cc10_takes_rows_in_order)
{
    expect(COALESCING_CC10, 4, line(0x1000, 4), 2, 128);
    expect(COALESCING_CC10, 8, line(0x1000, 8), 2, 256);
    expect(COALESCING_CC10, 16, line(0x1000, 16), 4, 512);
}
END_TEST

/* ... and 32 transactions of 32 bytes otherwise, however near the miss. */
START_TEST(cc10_serialises_everything_else)
{
    expect(COALESCING_CC10, 4, line(0x1004, 4), 32, 1024);
    expect(COALESCING_CC10, 4, line(0x1000, 8), 32, 1024);
    expect(COALESCING_CC10, 1, line(0x1000, 1), 32, 1024);
}
END_TEST

START_TEST(cc10_lets_idle_threads_be)
{
    struct teg_access a = line(0x1000, 4);

    a.mask = 0x0000fff0;
    expect(COALESCING_CC10, 4, a, 1, 64);
}
END_TEST

START_TEST(cc12_makes_segments_and_shrinks_them)
{
    expect(COALESCING_CC12, 4, line(0x1000, 4), 2, 128);
    /* 64 bytes that straddle two segments: 4 bytes short of the first's end */
    expect(COALESCING_CC12, 8, line(0x1000, 8), 2, 256);
    expect(COALESCING_CC12, 1, line(0x1000, 1), 2, 64);
    expect(COALESCING_CC12, 2, line(0x1000, 2), 2, 64);
    /* every second word: 16 threads in 128 bytes */
    expect(COALESCING_CC12, 4, line(0x1000, 8), 2, 256);
}
END_TEST

/* The guide's example: a half warp of words beginning 32 bytes before a
 * 128-byte border takes 32 bytes from one segment and 32 from the next. */
START_TEST(cc12_splits_at_a_segment_border)
{
    struct teg_access a = line(0x1060, 4);

    a.mask = 0xffff;
    expect(COALESCING_CC12, 4, a, 2, 64);
}
END_TEST

/* Lai 2013, 3.2.3.4: 16 transactions of 32 bytes for a half warp, 87.5 % of
 * the bandwidth wasted. */
START_TEST(cc12_worst_case_wastes_seven_eighths)
{
    struct sim_plan p = plan(COALESCING_CC12, global(4), line(0x1000, 4096));

    ck_assert_uint_eq(p.count, 32);
    ck_assert_uint_eq(p.request.bytes, 32 * 32);
    ck_assert_double_eq(1.0 - (double)p.request.useful_bytes / p.request.bytes,
                        0.875);
    ck_assert(!p.request.coalesced);
}
END_TEST

START_TEST(lines_fetches_whole_lines)
{
    expect(COALESCING_LINES, 4, line(0x1000, 4), 1, 128);
    expect(COALESCING_LINES, 4, line(0x1040, 4), 2, 256);
    expect(COALESCING_LINES, 4, line(0x1000, 128), 32, 4096);
}
END_TEST

START_TEST(sectors_fetches_what_is_wanted)
{
    expect(COALESCING_SECTORS, 4, line(0x1000, 4), 1, 128);
    expect(COALESCING_SECTORS, 4, line(0x1010, 4), 2, 160);
    expect(COALESCING_SECTORS, 4, line(0x1000, 128), 32, 1024);
    expect(COALESCING_SECTORS, 4, line(0x1000, -4), 2, 160);
    expect(COALESCING_SECTORS, 16, line(0x1000, 16), 4, 512);
    expect(COALESCING_SECTORS, 1, line(0x1000, 1), 1, 32);
    expect(COALESCING_SECTORS, 4, line(0x1000, 0), 1, 32);
}
END_TEST

/* 32 words from the fifth of a line on: half of the first sector and of the
 * last, which is in the next line. */
START_TEST(sectors_wanted_in_part_are_told_apart)
{
    struct teg_access every_second = line(0x1000, 8), last = line(0x1000, 4);
    struct sim_plan p = plan(COALESCING_SECTORS, global(4), line(0x1010, 4));

    ck_assert_uint_eq(p.transaction[0].partial, 1);
    ck_assert_uint_eq(p.transaction[1].sectors, 1);
    ck_assert_uint_eq(p.transaction[1].partial, 1);
    p = plan(COALESCING_SECTORS, global(4), line(0x1000, 4));
    ck_assert_uint_eq(p.transaction[0].partial, 0);
    p = plan(COALESCING_SECTORS, global(4), every_second);
    ck_assert_uint_eq(p.transaction[0].partial, 15);
    p = plan(COALESCING_SECTORS, global(8), every_second);
    ck_assert_uint_eq(p.transaction[0].partial, 0);
    last.mask = 1u << 31;
    p = plan(COALESCING_SECTORS, global(4), last);
    ck_assert_uint_eq(p.transaction[0].sectors, 8);
    ck_assert_uint_eq(p.transaction[0].partial, 8);
    p = plan(COALESCING_LINES, global(4), last);
    ck_assert_uint_eq(p.transaction[0].partial, 0);
}
END_TEST

START_TEST(scattered_lanes_find_their_lines_again)
{
    struct teg_access a = {.shape = SHAPE_LIST, .mask = UINT32_MAX};

    /* lines 0 1 2 3 0 1 2 3 ..., sector = lane / 8 */
    for (uint32_t l = 0; l < 32; l++)
        a.lane[l] = 128 * (l % 4) + 32 * (l / 8);
    expect(COALESCING_SECTORS, 4, a, 4, 512);
}
END_TEST

START_TEST(ideal_packs_the_bytes)
{
    expect(COALESCING_IDEAL, 4, line(0x1000, 4096), 1, 128);
    expect(COALESCING_IDEAL, 16, line(0x1230, 4096), 4, 512);
}
END_TEST

START_TEST(ideal_never_moves_more_than_is_wanted)
{
    expect(COALESCING_IDEAL, 4, line(0x1000, 0), 1, 32);
    expect(COALESCING_IDEAL, 8, line(0x1000, 4), 2, 160);
    expect(COALESCING_IDEAL, 1, line(0x1000, 1), 1, 32);
}
END_TEST

/* 32 threads walk along rows of a line each: 32 requests, each packed into
 * one line, and after them every line has been read once. */
START_TEST(ideal_reads_what_was_read)
{
    int reads[32] = {0};

    for (uint32_t word = 0; word < 32; word++) {
        struct sim_plan p = plan(COALESCING_IDEAL, global(4),
                                 line(0x1000 + 4 * word, TEG_LINE_BYTES));

        ck_assert_uint_eq(p.count, 1);
        ck_assert_uint_eq(p.transaction[0].sectors, 15);
        reads[(p.transaction[0].address - 0x1000) / TEG_LINE_BYTES]++;
    }
    for (uint32_t i = 0; i < 32; i++)
        ck_assert_int_eq(reads[i], 1);
}
END_TEST

START_TEST(generic_addresses_go_where_their_window_says)
{
    struct sim_windows windows = {0x7f0000000000, 0x7e0000000000, 1};
    struct teg_inst inst = {
        .space = SPACE_GENERIC, .width = 4, .flags = INST_LOAD};
    struct teg_access a = line(0x7f0000000100, 4);

    ck_assert_int_eq(sim_resolve_space(&inst, &a, &windows), SPACE_SHARED);
    a.base = 0x7e0000000100;
    ck_assert_int_eq(sim_resolve_space(&inst, &a, &windows), SPACE_LOCAL);
    a.base = 0x7f0000fffffc;
    ck_assert_int_eq(sim_resolve_space(&inst, &a, &windows), SPACE_SHARED);
    a.base = 0x7e0000fffffc;
    ck_assert_int_eq(sim_resolve_space(&inst, &a, &windows), SPACE_LOCAL);
    a.base = 0x7f0001000000;
    ck_assert_int_eq(sim_resolve_space(&inst, &a, &windows), SPACE_GLOBAL);
}
END_TEST

/* Any rule, any addresses: every byte asked for lies in a transaction. */
START_TEST(no_rule_forgets_a_lane)
{
    static const enum teg_coalescing rules[] = {
        COALESCING_CC10, COALESCING_CC12, COALESCING_LINES, COALESCING_SECTORS};
    uint64_t state = 7 + (uint64_t)_i;

    for (int round = 0; round < 500; round++) {
        struct teg_access a = {.shape = SHAPE_LIST};
        uint16_t width = (uint16_t)(1u << help_below(&state, 5));
        struct sim_plan p;

        a.mask = (uint32_t)help_random(&state) | 1;
        for (uint32_t l = 0; l < 32; l++)
            a.lane[l] = (uint64_t)width *
                        help_below(&state, help_below(&state, 2) ? 64 : 4096);
        p = plan(rules[_i], global(width), a);
        for (uint32_t l = 0; l < 32; l++) {
            int found = (a.mask >> l & 1) == 0;

            for (uint32_t t = 0; t < p.count; t++) {
                const struct sim_transaction *x = &p.transaction[t];
                uint64_t at = a.lane[l] - x->address;

                found |= x->sectors != 0
                             ? at < 128 && (x->sectors >> at / 32 & 1)
                             : at < x->bytes;
            }
            ck_assert(found);
        }
    }
}
END_TEST

/* Loads that pass L1 by take sectors, on Fermi, too. */
START_TEST(past_l1_lines_are_fetched_by_sectors)
{
    struct teg_inst past = global(4);
    struct sim_plan p;

    past.flags |= INST_BYPASS_L1;
    p = plan(COALESCING_LINES, past, line(0x1000, 128));
    ck_assert_uint_eq(p.count, 32);
    ck_assert_uint_eq(p.request.bytes, 32 * 32);
    ck_assert_uint_eq(p.transaction[0].sectors, 1);
}
END_TEST

/* So do stores to global memory, which leave the rest of a sector as it was;
 * those to local memory stay in L1. */
START_TEST(stores_move_sectors_where_loads_move_lines)
{
    struct teg_inst store = global(4);
    struct sim_plan p;

    store.flags = INST_STORE;
    p = plan(COALESCING_LINES, store, line(0x1000, 128));
    ck_assert_uint_eq(p.request.bytes, 32 * 32);
    ck_assert_uint_eq(p.transaction[0].partial, 1);
    store.space = SPACE_LOCAL;
    p = plan(COALESCING_LINES, store, line(0x1000, 128));
    ck_assert_uint_eq(p.request.bytes, 32 * 128);
}
END_TEST

/* Lines 5, 3 and 5 again: what does not rise is searched for. */
START_TEST(lines_out_of_order_are_found_again)
{
    struct teg_access a = {.shape = SHAPE_LIST, .mask = 0xf};

    a.lane[0] = 128 * 5;
    a.lane[1] = 128 * 3;
    a.lane[2] = 128 * 5 + 32;
    a.lane[3] = 128 * 7;
    expect(COALESCING_SECTORS, 4, a, 3, 4 * 32);
}
END_TEST

/* One transaction a half warp, or no more than the bytes need. */
START_TEST(coalesced_is_what_its_bytes_need)
{
    static const struct {
        enum teg_coalescing rule;
        uint16_t width;
        uint64_t base;
        int32_t stride;
        uint8_t coalesced;
    } rows[] = {
        {COALESCING_CC10, 4, 0x1000, 4, 1},    /* 2 */
        {COALESCING_CC10, 16, 0x1000, 16, 1},  /* 4 */
        {COALESCING_CC10, 4, 0x1004, 4, 0},    /* 32 */
        {COALESCING_CC12, 4, 0x1000, 4, 1},    /* 2 */
        {COALESCING_CC12, 4, 0x1060, 4, 0},    /* 3 */
        {COALESCING_LINES, 4, 0x1000, 4, 1},   /* 1 */
        {COALESCING_LINES, 4, 0x1040, 4, 0},   /* 2 */
        {COALESCING_SECTORS, 8, 0x1000, 8, 1}, /* 2 */
        {COALESCING_SECTORS, 4, 0x1000, 8, 0}, /* 2 */
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sim_plan p = plan(rows[i].rule, global(rows[i].width),
                                 line(rows[i].base, rows[i].stride));

        ck_assert_uint_eq(p.request.coalesced, rows[i].coalesced);
    }
}
END_TEST

/* Half warps go on their own up to compute capability 1.3, by whatever rule of
 * those chips; what an empty half asks for is no turn. */
START_TEST(half_warps_are_groups_of_old_chips)
{
    static const struct sim_windows none = {0};
    static const struct {
        enum teg_coalescing rule;
        uint32_t capability, mask, groups;
    } rows[] = {
        {COALESCING_CC10, 10, UINT32_MAX, 2},
        {COALESCING_CC12, 13, UINT32_MAX, 2},
        {COALESCING_CC12, 13, 0x10000, 1},
        {COALESCING_IDEAL, 13, UINT32_MAX, 2},
        {COALESCING_IDEAL, 13, 0x1, 1},
        {COALESCING_IDEAL, 20, UINT32_MAX, 1},
        {COALESCING_LINES, 20, UINT32_MAX, 1},
        {COALESCING_SECTORS, 70, UINT32_MAX, 1},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct teg_access a = line(0x1000, 4);
        struct teg_inst inst = global(4);
        struct sim_plan p;
        struct teg_gpu gpu;

        help_gpu_plain(&gpu);
        gpu.memory.coalescing = rows[i].rule;
        gpu.chip.compute_capability = rows[i].capability;
        a.mask = rows[i].mask;
        sim_plan_make(&p, &gpu, &inst, &a, &none);
        ck_assert_uint_eq(p.groups, rows[i].groups);
    }
}
END_TEST

/* No two of 32 places of 16 SMs have a line in common. */
START_TEST(every_place_has_local_memory_of_its_own)
{
    struct teg_inst inst = {
        .space = SPACE_LOCAL, .width = 4, .flags = INST_LOAD};
    struct sim_plan first = plan(COALESCING_LINES, inst, line(0x1000, 4));
    uint64_t address[16 * 32];
    uint32_t n = 0;

    for (uint32_t sm = 0; sm < 16; sm++) {
        for (uint32_t place = 0; place < 32; place++) {
            struct sim_plan own = first;

            sim_plan_place(&own, sm, place);
            address[n++] = own.transaction[0].address;
            for (uint32_t i = 0; i + 1 < n; i++)
                ck_assert_uint_ne(address[i], address[n - 1]);
        }
    }
}
END_TEST

/* A few lanes side by side want less than a line, and have it in one. */
START_TEST(part_of_a_line_is_coalesced)
{
    struct teg_access a = line(0x1000, 4);

    a.mask = 0xff;
    ck_assert(plan(COALESCING_SECTORS, global(4), a).request.coalesced);
    a.stride = 32;
    ck_assert(!plan(COALESCING_SECTORS, global(4), a).request.coalesced);
}
END_TEST

HELP_MAIN(
    "sim/memory/coalesce", 30, {residents_share_no_local_memory, 0},
    {cc10_takes_rows_in_order, 0}, {cc10_serialises_everything_else, 0},
    {cc10_lets_idle_threads_be, 0}, {cc12_makes_segments_and_shrinks_them, 0},
    {cc12_splits_at_a_segment_border, 0},
    {cc12_worst_case_wastes_seven_eighths, 0}, {lines_fetches_whole_lines, 0},
    {sectors_fetches_what_is_wanted, 0},
    {sectors_wanted_in_part_are_told_apart, 0},
    {scattered_lanes_find_their_lines_again, 0}, {ideal_packs_the_bytes, 0},
    {ideal_never_moves_more_than_is_wanted, 0}, {ideal_reads_what_was_read, 0},
    {generic_addresses_go_where_their_window_says, 0},
    {no_rule_forgets_a_lane, 4}, {past_l1_lines_are_fetched_by_sectors, 0},
    {stores_move_sectors_where_loads_move_lines, 0},
    {lines_out_of_order_are_found_again, 0},
    {coalesced_is_what_its_bytes_need, 0},
    {half_warps_are_groups_of_old_chips, 0},
    {every_place_has_local_memory_of_its_own, 0},
    {part_of_a_line_is_coalesced, 0})
