/* Transactions and conflicts, counted by hand from the rules of the
 * programming guides and of Lai 2013, 3.2.3. */
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

static struct teg_inst shared(uint16_t width)
{
    return (struct teg_inst){
        .space = SPACE_SHARED, .width = width, .flags = INST_LOAD};
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
    expect(COALESCING_IDEAL, 16, line(0x1234, 4096), 4, 512);
}
END_TEST

/* ---- shared memory -------------------------------------------------------- */

static uint32_t passes(uint32_t banks, uint32_t group, uint32_t broadcast,
                       uint16_t width, struct teg_access a, uint32_t *groups)
{
    static const struct sim_windows none = {0};
    struct sim_plan p;
    struct teg_gpu gpu;
    struct teg_inst inst = shared(width);

    help_gpu_plain(&gpu);
    gpu.shared.banks = banks;
    gpu.shared.group = group;
    gpu.shared.broadcast = broadcast;
    sim_plan_make(&p, &gpu, &inst, &a, &none);
    *groups = p.request.groups;
    return p.request.passes;
}

/* A stride of d words over 16 banks: d lanes meet in a bank if d is a power
 * of two. */
START_TEST(half_warps_conflict_by_the_power_of_two_in_their_stride)
{
    static const uint32_t degree[17] = {0, 1, 2, 1, 4, 1, 2, 1, 8,
                                        1, 2, 1, 4, 1, 2, 1, 16};
    uint32_t groups;

    for (int d = 1; d <= 16; d++) {
        ck_assert_uint_eq(
            passes(16, 16, BROADCAST_ONE, 4, line(0, 4 * d), &groups),
            2 * degree[d]);
        ck_assert_uint_eq(groups, 2);
    }
}
END_TEST

START_TEST(one_address_for_all_is_no_conflict)
{
    uint32_t groups;

    ck_assert_uint_eq(passes(16, 16, BROADCAST_ONE, 4, line(64, 0), &groups),
                      2);
    ck_assert_uint_eq(passes(32, 32, BROADCAST_ANY, 4, line(64, 0), &groups),
                      1);
}
END_TEST

/* Pairs of lanes ask for the same word, words all in different banks: any
 * broadcast serves them at once; with one broadcast word a pass, the second
 * of each pair waits. */
START_TEST(only_one_word_is_broadcast_on_old_chips)
{
    struct teg_access a = {.shape = SHAPE_LIST, .mask = 0xffff};
    uint32_t groups;

    for (uint32_t l = 0; l < 16; l++)
        a.lane[l] = 4 * (l / 2);
    ck_assert_uint_eq(passes(16, 16, BROADCAST_ANY, 4, a, &groups), 1);
    ck_assert_uint_eq(passes(16, 16, BROADCAST_ONE, 4, a, &groups), 2);
}
END_TEST

START_TEST(whole_warps_conflict_over_32_banks)
{
    uint32_t groups;

    for (int d = 1; d <= 32; d *= 2)
        ck_assert_uint_eq(
            passes(32, 32, BROADCAST_ANY, 4, line(0, 4 * d), &groups),
            (uint32_t)d);
}
END_TEST

/* 64-bit accesses go half warp by half warp, 128-bit quarter by quarter, each
 * without a conflict when packed. */
START_TEST(wide_accesses_take_more_groups)
{
    uint32_t groups;

    ck_assert_uint_eq(passes(32, 32, BROADCAST_ANY, 8, line(0, 8), &groups), 2);
    ck_assert_uint_eq(groups, 2);
    ck_assert_uint_eq(passes(32, 32, BROADCAST_ANY, 16, line(0, 16), &groups),
                      4);
    ck_assert_uint_eq(groups, 4);
    /* on 16 banks a 64-bit access is a two-way conflict */
    ck_assert_uint_eq(passes(16, 16, BROADCAST_ONE, 8, line(0, 8), &groups), 4);
    ck_assert_uint_eq(groups, 2);
}
END_TEST

/* Fermi: 16 cycles for LDS.128 where 8 carry the bytes (Lai 2013, 4.3.1). */
START_TEST(fermi_takes_128_bits_in_twice_the_passes)
{
    struct teg_inst inst = {.space = SPACE_SHARED, .flags = INST_LOAD};
    struct teg_access a = line(0, 16);
    struct sim_windows windows = {0, 0};
    struct sim_plan plan;
    struct teg_gpu gpu;

    help_gpu_plain(&gpu);
    gpu.shared.passes_128 = 2;
    inst.width = 16;
    sim_plan_make(&plan, &gpu, &inst, &a, &windows);
    ck_assert_uint_eq(plan.request.passes, 8);
    ck_assert_uint_eq(plan.request.groups, 4);
    inst.width = 8;
    a = line(0, 8);
    sim_plan_make(&plan, &gpu, &inst, &a, &windows);
    ck_assert_uint_eq(plan.request.passes, 2);
}
END_TEST

/* Every shape against the same addresses one by one: the short cuts for
 * regular ones must change nothing. */
START_TEST(shapes_conflict_as_their_addresses_do)
{
    static const int32_t steps[] = {0, 4, 4, 8, 64, 128, -4, 12};
    uint64_t state = 11;

    for (int round = 0; round < 20000; round++) {
        struct teg_access a = {.shape = help_below(&state, 2) ? SHAPE_GRID
                                                              : SHAPE_LINE};
        struct teg_access list = {.shape = SHAPE_LIST};
        uint32_t broadcast =
            help_below(&state, 2) ? BROADCAST_ANY : BROADCAST_ONE;
        uint32_t banks = broadcast == BROADCAST_ANY ? 32 : 16;
        uint16_t width = (uint16_t)(4u << help_below(&state, 2));
        uint32_t groups[2];

        a.mask = list.mask = help_below(&state, 2)
                                 ? UINT32_MAX
                                 : (uint32_t)help_random(&state) | 1;
        a.base =
            4096 + 4 * help_below(&state, 64) + (help_below(&state, 4) == 0);
        a.stride = steps[help_below(&state, 8)];
        a.pitch = 4 * (int32_t)help_below(&state, 70) - 40;
        a.group_log2 = 1 + help_below(&state, 4);
        for (uint32_t l = 0; l < 32; l++)
            list.lane[l] = teg_access_lane(&a, l);
        ck_assert_uint_eq(
            passes(banks, banks, broadcast, width, a, &groups[0]),
            passes(banks, banks, broadcast, width, list, &groups[1]));
        ck_assert_uint_eq(groups[0], groups[1]);
    }
}
END_TEST

START_TEST(idle_groups_cost_nothing)
{
    struct teg_access a = line(0, 64);
    uint32_t groups;

    a.mask = 0x0000ffff;
    ck_assert_uint_eq(passes(16, 16, BROADCAST_ONE, 4, a, &groups), 16);
    ck_assert_uint_eq(groups, 1);
    ck_assert_uint_eq(passes(32, 32, BROADCAST_IDEAL, 4, a, &groups), 1);
}
END_TEST

START_TEST(generic_addresses_go_where_their_window_says)
{
    struct sim_windows windows = {0x7f0000000000, 0x7e0000000000};
    struct teg_inst inst = {
        .space = SPACE_GENERIC, .width = 4, .flags = INST_LOAD};
    struct teg_access a = line(0x7f0000000100, 4);

    ck_assert_int_eq(sim_resolve_space(&inst, &a, &windows), SPACE_SHARED);
    a.base = 0x7e0000000100;
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

/* Cycles a warp's load of floats takes an A40's L1 at some strides (floats;
 * gpu-benches), which is the busiest bank of 32, word by word. */
START_TEST(l1_conflicts_over_32_banks)
{
    static const struct {
        int32_t stride;
        uint32_t passes;
    } rows[] = {{0, 1}, {1, 1},   {2, 2},  {3, 1},   {4, 4},   {8, 8},
                {9, 1}, {16, 16}, {24, 8}, {32, 32}, {48, 16}, {64, 32}};
    static const struct sim_windows none = {0};
    struct teg_inst load = global(4), wide = global(8);
    struct teg_gpu gpu;
    struct sim_plan p;

    help_gpu_plain(&gpu);
    gpu.l1.bytes = 4096;
    gpu.l1.banks = 32;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct teg_access a = line(0x1000, 4 * rows[i].stride);

        for (int listed = 0; listed < 2; listed++) {
            sim_plan_make(&p, &gpu, &load, &a, &none);
            ck_assert_uint_eq(p.request.l1_passes, rows[i].passes);
            for (uint32_t l = 0; l < TEG_LANES; l++)
                a.lane[l] = 0x1000 + 4ull * (uint32_t)rows[i].stride * l;
            a.shape = SHAPE_LIST;
        }
    }
    /* 256 bytes side by side are two rows of banks */
    for (int32_t stride = 8; stride <= 16; stride += 8) {
        struct teg_access a = line(0x1000, stride);

        sim_plan_make(&p, &gpu, &wide, &a, &none);
        ck_assert_uint_eq(p.request.l1_passes, (uint32_t)stride / 4);
    }
    /* what does not read L1 has none */
    load.flags |= INST_BYPASS_L1;
    sim_plan_make(&p, &gpu, &load, &(struct teg_access){.mask = 1}, &none);
    ck_assert_uint_eq(p.request.l1_passes, 0);
}
END_TEST

/* The busiest of four banks of tags: l1tex's wavefronts of tags on an A40 for
 * strides in floats (gpu-benches), which are means over eight places. */
START_TEST(l1_looks_up_a_line_per_bank)
{
    static const struct {
        int32_t stride;
        double measured;
    } rows[] = {{4, 1.89}, {8, 2.83}, {12, 3.57}, {16, 4.67}, {20, 5.3},
                {24, 6.2}, {32, 8.3}, {36, 8.9},  {48, 10.4}, {64, 8.0}};
    static const struct sim_windows none = {0};
    struct teg_inst load = global(4);
    struct teg_gpu gpu;

    help_gpu_plain(&gpu);
    gpu.l1.bytes = 4096;
    gpu.l1.tag_banks = 4;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double sum = 0;

        for (uint64_t place = 0; place < 16; place++) {
            uint64_t warp = place / 8 * 32 * (uint64_t)rows[i].stride;
            struct teg_access a =
                line(4 * (warp + place % 8 * 4), 4 * rows[i].stride);
            struct sim_plan p;

            sim_plan_make(&p, &gpu, &load, &a, &none);
            sum += p.request.l1_lines;
        }
        ck_assert_double_eq_tol(sum / 16 / rows[i].measured, 1, 0.06);
    }
}
END_TEST

HELP_MAIN("sim/memory/coalesce", 30, {residents_share_no_local_memory, 0},
          {cc10_takes_rows_in_order, 0}, {cc10_serialises_everything_else, 0},
          {cc10_lets_idle_threads_be, 0},
          {cc12_makes_segments_and_shrinks_them, 0},
          {cc12_splits_at_a_segment_border, 0},
          {cc12_worst_case_wastes_seven_eighths, 0},
          {lines_fetches_whole_lines, 0}, {sectors_fetches_what_is_wanted, 0},
          {sectors_wanted_in_part_are_told_apart, 0},
          {scattered_lanes_find_their_lines_again, 0},
          {ideal_packs_the_bytes, 0},
          {half_warps_conflict_by_the_power_of_two_in_their_stride, 0},
          {one_address_for_all_is_no_conflict, 0},
          {only_one_word_is_broadcast_on_old_chips, 0},
          {whole_warps_conflict_over_32_banks, 0},
          {wide_accesses_take_more_groups, 0},
          {fermi_takes_128_bits_in_twice_the_passes, 0},
          {shapes_conflict_as_their_addresses_do, 0},
          {l1_conflicts_over_32_banks, 0}, {l1_looks_up_a_line_per_bank, 0},
          {idle_groups_cost_nothing, 0},
          {generic_addresses_go_where_their_window_says, 0},
          {no_rule_forgets_a_lane, 4})
