/* Warp groups: who waits for whom before products, and in which order the
 * products of two groups go. */
#include "tests/sim/engine/runs.h"

enum {
    WARPS = 8,
    STEPS = 64,
    INTERVAL = 8,
};

static struct block {
    struct help_step step[WARPS][STEPS];
    struct help_warp warp[WARPS];
    uint32_t arrive, product, add, sync, exit;
} block;

static void begin(void)
{
    const struct teg_inst product = {
        .op_class = CLASS_GMMA, .dst_count = 1, .dst = {{8, 4}}};
    struct teg_program *p = &launch.kernel.program;

    setup();
    gpu.sm.schedulers = 4;
    gpu.unit[0].scope = UNIT_SCOPE_SCHEDULER;
    set_timing(CLASS_GMMA, 50, INTERVAL, 1);
    memset(&block, 0, sizeof block);
    block.arrive = help_inst(p, (struct teg_inst){.op_class = CLASS_MEMBAR},
                             "WARPGROUP.ARRIVE");
    block.product = help_inst(p, product, "HGMMA.64x8x16.F32 R8, gdesc[UR4]");
    block.add = help_arith(p, CLASS_IADD, 1, 255, 255, 255);
    block.sync = help_barrier(p);
    block.exit = help_exit(p);
}

static void put(uint32_t warp, uint32_t inst, uint32_t times)
{
    struct help_warp *w = &block.warp[warp];

    for (uint32_t i = 0; i < times; i++) {
        ck_assert_uint_lt(w->steps, STEPS);
        block.step[warp][w->steps++] =
            (struct help_step){inst, UINT32_MAX, 0, 0, NULL};
    }
}

static teg_status run_block(uint32_t warps)
{
    for (uint32_t w = 0; w < WARPS; w++)
        block.warp[w].step = block.step[w];
    launch.warp = block.warp;
    launch.blocks = 1;
    launch.warps_per_block = warps;
    return run_on(1);
}

/* The warp's `n`-th issue of the instruction, from 0. */
static const struct sim_issue *issue_of(uint32_t warp, uint32_t inst,
                                        uint32_t n)
{
    for (uint32_t i = 0; i < heard.issues; i++) {
        const struct sim_issue *e = &heard.issue[i];

        if (e->stream == warp && e->inst == inst && n-- == 0)
            return e;
    }
    ck_abort_msg("warp %u has no such issue", warp);
}

/* Warp 3 comes last; of the other group nobody waits for it. */
START_TEST(a_group_goes_on_with_its_last_warp)
{
    uint64_t last;

    begin();
    for (uint32_t w = 0; w < WARPS; w++) {
        put(w, block.add, w == 3 ? 9 : 0);
        put(w, block.arrive, 1);
        put(w, block.add, 1);
    }
    ck_assert(run_block(WARPS) == TEG_OK);
    last = issue_of(3, block.arrive, 0)->cycle;
    ck_assert_uint_ge(last, 9);
    for (uint32_t w = 0; w < 3; w++) {
        const struct sim_issue *next = issue_of(w, block.add, 0);

        ck_assert_uint_eq(next->cycle, last + 1);
        ck_assert_uint_eq(next->stall[STALL_GMMA], last + 1 - next->arrived);
    }
    for (uint32_t w = 4; w < WARPS; w++)
        ck_assert_uint_lt(issue_of(w, block.add, 0)->cycle, last);
}
END_TEST

/* Warps that have ended are not waited for, nor those that a block lacks. */
START_TEST(who_has_ended_is_not_waited_for)
{
    begin();
    put(0, block.arrive, 1);
    put(0, block.product, 1);
    put(1, block.add, 4);
    put(1, block.exit, 1);
    ck_assert(run_block(2) == TEG_OK);
    ck_assert_uint_eq(issue_of(0, block.product, 0)->cycle, 5);
}
END_TEST

/* Warp 3 is late with the first group's second product.  Where its others have
 * issued theirs the tensor cores would take the other group's; these come behind
 * warp 3, as their units are free. */
START_TEST(products_go_in_one_order)
{
    static const uint64_t cycle[2][2][4] = {
        {{0, 0, 0, 0}, {8, 8, 8, 47}},
        {{48, 48, 48, 55}, {56, 56, 56, 63}},
    };

    begin();
    for (uint32_t w = 0; w < WARPS; w++) {
        put(w, block.product, 1);
        put(w, block.add, w == 3 ? 39 : 0);
        put(w, block.product, 1);
    }
    gpu.sm.policy = POLICY_GTO;
    ck_assert(run_block(WARPS) == TEG_OK);
    for (uint32_t w = 0; w < WARPS; w++) {
        for (uint32_t n = 0; n < 2; n++)
            ck_assert_uint_eq(issue_of(w, block.product, n)->cycle,
                              cycle[w / 4][n][w % 4]);
    }
    ck_assert_uint_eq(issue_of(4, block.product, 0)->stall[STALL_MATH_THROTTLE],
                      46);
}
END_TEST

START_TEST(a_product_without_its_group_is_told)
{
    begin();
    for (uint32_t w = 0; w < 4; w++) {
        put(w, block.product, w == 2 ? 2 : 0);
        put(w, block.sync, 1);
        put(w, block.exit, 1);
    }
    ck_assert(run_block(4) == TEG_DEADLOCK);
    ck_assert_str_eq(diag.where, "block 0,0,0");
    ck_assert_ptr_nonnull(strstr(diag.what, "deadlock: warp 0 waits before"));
    ck_assert_ptr_nonnull(strstr(diag.what, "of all four warps"));
}
END_TEST

START_TEST(an_arrival_without_its_group_is_told)
{
    begin();
    for (uint32_t w = 0; w < 4; w++) {
        put(w, block.arrive, w == 2);
        put(w, block.sync, 1);
        put(w, block.exit, 1);
    }
    ck_assert(run_block(4) == TEG_DEADLOCK);
    ck_assert_str_eq(diag.where, "block 0,0,0");
    ck_assert_ptr_nonnull(strstr(diag.what, "deadlock: warp 2 waits before"));
    ck_assert_ptr_nonnull(strstr(diag.what, "of all four warps"));
}
END_TEST

HELP_MAIN("sim/engine/warpgroup", 30, {a_group_goes_on_with_its_last_warp, 0},
          {who_has_ended_is_not_waited_for, 0}, {products_go_in_one_order, 0},
          {a_product_without_its_group_is_told, 0},
          {an_arrival_without_its_group_is_told, 0})
