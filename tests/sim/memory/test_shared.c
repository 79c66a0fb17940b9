/* Conflict groups and passes of shared memory, counted by hand from the rules
 * of the programming guides and of Lai 2013, 3.2.3. */
#include "sim/memory/shared.h"

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

static struct teg_inst shared(uint16_t width)
{
    return (struct teg_inst){
        .space = SPACE_SHARED, .width = width, .flags = INST_LOAD};
}

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
    struct sim_windows windows = {0, 0, 1};
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

/* Of a load of `width` bytes at lane[i] on a chip that packs pairs. */
static uint32_t packed(uint16_t width, const uint64_t lane[TEG_LANES],
                       uint32_t mask, const struct teg_inst *inst)
{
    static const struct sim_windows none = {0};
    struct teg_access a = {.shape = SHAPE_LIST, .mask = mask};
    struct sim_plan p;
    struct teg_gpu gpu;
    struct teg_inst load = inst != NULL ? *inst : shared(width);

    help_gpu_plain(&gpu);
    gpu.shared.packs_pairs = 1;
    for (int l = 0; l < TEG_LANES; l++)
        a.lane[l] = lane[l];
    sim_plan_make(&p, &gpu, &load, &a, &none);
    return p.request.passes;
}

/* Developer forum 373160 (A10 and H100, counted) and 77228 (the rule). */
START_TEST(two_registers_come_back_at_once_where_pairs_of_lanes_share)
{
    struct teg_inst store = shared(16), matrix = shared(16);
    uint64_t same[TEG_LANES], halves[TEG_LANES], apart16[TEG_LANES],
        line16[TEG_LANES], by1[TEG_LANES], by2[TEG_LANES], by4[TEG_LANES],
        sparse[TEG_LANES];

    store.flags = INST_STORE;
    matrix.op_class = CLASS_LDSM;
    for (uint64_t l = 0; l < TEG_LANES; l++) {
        same[l] = 64;
        halves[l] = l / 16 * 32;
        apart16[l] = l % 16 * 32;
        line16[l] = 16 * l;
        by1[l] = l / 2 * 16;
        by2[l] = (l / 4 * 2 + l % 2) * 16;
        by4[l] = (l / 8 * 4 + l % 4) * 16;
        sparse[l] = l / 4 * 16 + l % 4 * 4096;
    }
    ck_assert_uint_eq(packed(16, halves, UINT32_MAX, NULL), 2);
    ck_assert_uint_eq(packed(16, apart16, UINT32_MAX, NULL), 8);
    ck_assert_uint_eq(packed(16, line16, UINT32_MAX, NULL), 4);
    ck_assert_uint_eq(packed(16, same, UINT32_MAX, NULL), 2);
    ck_assert_uint_eq(packed(16, by1, UINT32_MAX, NULL), 2);
    ck_assert_uint_eq(packed(16, by2, UINT32_MAX, NULL), 2);
    ck_assert_uint_eq(packed(16, by4, UINT32_MAX, NULL), 4);
    ck_assert_uint_eq(packed(8, same, UINT32_MAX, NULL), 1);
    ck_assert_uint_eq(packed(8, by1, UINT32_MAX, NULL), 2); /* 256 bytes */
    ck_assert_uint_eq(packed(8, by4, UINT32_MAX, NULL), 2);
    ck_assert_uint_eq(packed(4, same, UINT32_MAX, NULL), 1);
    /* lanes that are not there ask for nothing else */
    ck_assert_uint_eq(packed(16, sparse, 0x11111111, NULL), 2);
    by1[9] += 16;
    ck_assert_uint_eq(packed(16, by1, UINT32_MAX, NULL), 4);
    ck_assert_uint_eq(packed(16, by1, ~(1u << 9), NULL), 2);
    /* what does not come back, or in another way */
    ck_assert_uint_eq(packed(16, same, UINT32_MAX, &store), 4);
    ck_assert_uint_eq(packed(16, same, UINT32_MAX, &matrix), 4);
}
END_TEST

HELP_MAIN("sim/memory/shared", 30,
          {half_warps_conflict_by_the_power_of_two_in_their_stride, 0},
          {one_address_for_all_is_no_conflict, 0},
          {only_one_word_is_broadcast_on_old_chips, 0},
          {whole_warps_conflict_over_32_banks, 0},
          {wide_accesses_take_more_groups, 0},
          {fermi_takes_128_bits_in_twice_the_passes, 0},
          {two_registers_come_back_at_once_where_pairs_of_lanes_share, 0},
          {shapes_conflict_as_their_addresses_do, 0},
          {idle_groups_cost_nothing, 0})
