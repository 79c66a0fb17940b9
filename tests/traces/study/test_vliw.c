/* The microbenchmarks of (Zhang et al. 2011, IV.C), packed. */
#include "traces/study/vliw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help_launch.h"
#include "tests/help_suite.h"

enum {
    ITERATIONS = 30, /* 3000 there */
    ALL = -1
};

static struct help_launch h;
static struct teg_vliw v;
static struct teg_diag diag;

static void setup(void)
{
    h = (struct help_launch){0};
    h.kernel.name = strdup("k");
    for (int i = 0; i < 3; i++)
        h.kernel.grid[i] = h.kernel.block[i] = 1;
    h.kernel.block[0] = 32;
    h.blocks = h.warps_per_block = 1;
}

static void collect(const struct help_step *step, uint32_t steps)
{
    struct help_warp warp = {step, steps};
    struct teg_launch launch;

    h.warp = &warp;
    help_launch_open(&h, &launch);
    ck_assert_int_eq(teg_vliw_collect(&launch, &v, &diag), TEG_OK);
    help_launch_release(&h);
}

/* Fig. 9: `used` independent additions d1.sk = d2.sk + c, then as many on
 * their results; the fifth is on another variable; a branch ends the body. */
static void loop(int used)
{
    struct help_step step[ITERATIONS * 11];
    uint32_t inst[11], branch, steps = 0;

    setup();
    for (int k = 0; k < used; k++)
        inst[k] = help_arith(&h.kernel.program, CLASS_FADD, (uint16_t)(10 + k),
                             (uint16_t)(20 + k), 255, 255);
    for (int k = 0; k < used; k++)
        inst[used + k] =
            help_arith(&h.kernel.program, CLASS_FADD, (uint16_t)(20 + k),
                       (uint16_t)(10 + k), 255, 255);
    branch = help_arith(&h.kernel.program, CLASS_BRANCH, 255, 255, 255, 255);
    for (int i = 0; i < ITERATIONS; i++) {
        for (int k = 0; k < 2 * used; k++)
            step[steps++] =
                (struct help_step){.inst = inst[k], .mask = (uint32_t)ALL};
        step[steps++] =
            (struct help_step){.inst = branch, .mask = (uint32_t)ALL};
    }
    collect(step, steps);
}

/* 20, 40, 60, 80 and 100 %: one more slot each (IV.C). */
START_TEST(each_further_component_fills_one_more_slot)
{
    int used = _i + 1;

    loop(used);
    ck_assert_uint_eq(v.bundles, 2 * ITERATIONS);
    ck_assert_uint_eq(v.clauses, ITERATIONS);
    ck_assert_uint_eq(v.filled[used], 2 * ITERATIONS);
    ck_assert_double_eq_tol(teg_vliw_packing(&v), 0.2 * used, 1e-12);
}
END_TEST

/* Linear from 20 to 80 %, then a step of q / p times as much (S7). */
START_TEST(power_rises_linearly_and_then_by_the_cost_of_t)
{
    struct teg_vliw_power p = {.base_watts = 100, .slot_watts = 3};
    double watts[5];

    for (int ratio = 2; ratio <= 3; ratio++) {
        p.t_ratio = ratio;
        for (int used = 1; used <= 5; used++) {
            loop(used);
            watts[used - 1] = teg_vliw_watts(&v, &p);
        }
        for (int i = 1; i < 4; i++)
            ck_assert_double_eq_tol(watts[i] - watts[i - 1], 3, 1e-12);
        ck_assert_double_eq_tol(watts[4] - watts[3], 3 * ratio, 1e-12);
    }
}
END_TEST

/* The reduction of IV.C (Fig. 12): packed to 80 instead of 100 % it draws less
 * power for longer, and with a base of four ALUs' worth the energy is the same:
 * 5/4 of the bundles at (4 + 4) instead of (4 + 4 + 2). */
START_TEST(less_packing_trades_power_for_time_at_equal_energy)
{
    const struct teg_vliw_power p = {
        .base_watts = 12, .slot_watts = 3, .t_ratio = 2};
    double watts[2], bundles[2];

    for (int i = 0; i < 2; i++) {
        loop(4 + i);
        watts[i] = teg_vliw_watts(&v, &p);
        bundles[i] = (double)v.bundles / (double)v.operations;
    }
    ck_assert_double_lt(watts[0], watts[1]);
    ck_assert_double_gt(bundles[0], bundles[1]);
    ck_assert_double_eq_tol(watts[0] * bundles[0], watts[1] * bundles[1],
                            1e-12);
}
END_TEST

/* Five of them need five bundles, with an ALU operation beside each. */
START_TEST(special_functions_go_to_t_only)
{
    struct help_step step[10];

    setup();
    for (int k = 0; k < 5; k++) {
        step[k] = (struct help_step){
            .inst = help_arith(&h.kernel.program, CLASS_SFU, (uint16_t)(10 + k),
                               1, 255, 255),
            .mask = (uint32_t)ALL};
        step[5 + k] = (struct help_step){
            .inst = help_arith(&h.kernel.program, CLASS_FADD,
                               (uint16_t)(20 + k), 1, 255, 255),
            .mask = (uint32_t)ALL};
    }
    collect(step, 10);
    ck_assert_uint_eq(v.bundles, 5);
    ck_assert_uint_eq(v.t_slots, 5);
    ck_assert_uint_eq(v.alu_slots, 5);
    ck_assert_uint_eq(v.filled[5], 1); /* four additions beside the first */
}
END_TEST

/* r1 = r0; r0 = r2: the second may share the bundle, for both read first. */
START_TEST(what_is_only_read_may_be_overwritten_in_its_bundle)
{
    struct help_step step[3];

    setup();
    step[0].inst = help_arith(&h.kernel.program, CLASS_MOV, 1, 0, 255, 255);
    step[1].inst = help_arith(&h.kernel.program, CLASS_MOV, 0, 2, 255, 255);
    step[2].inst = help_arith(&h.kernel.program, CLASS_MOV, 0, 3, 255, 255);
    for (int i = 0; i < 3; i++)
        step[i] =
            (struct help_step){.inst = step[i].inst, .mask = (uint32_t)ALL};
    collect(step, 3);
    ck_assert_uint_eq(v.bundles, 2); /* two writes of r0 are not in one */
    ck_assert_uint_eq(v.filled[2], 1);
}
END_TEST

START_TEST(a_memory_instruction_ends_the_clause)
{
    struct help_step step[3];
    uint32_t a, load;

    setup();
    a = help_arith(&h.kernel.program, CLASS_FADD, 1, 2, 255, 255);
    load = help_memory(&h.kernel.program, CLASS_LDG, SPACE_GLOBAL, INST_LOAD, 4,
                       3, 255);
    step[0] = (struct help_step){.inst = a, .mask = (uint32_t)ALL};
    step[1] = (struct help_step){
        .inst = load, .mask = (uint32_t)ALL, .base = 256, .stride = 4};
    step[2] = step[0];
    collect(step, 3);
    ck_assert_uint_eq(v.clauses, 2);
    ck_assert_uint_eq(v.bundles, 2);
    ck_assert_uint_eq(v.fetches, 1);
}
END_TEST

/* S8: 8, 16, 32 bits, atomic: complete, complete, fast, complete. */
START_TEST(narrow_and_atomic_stores_take_the_complete_path)
{
    static const struct {
        uint16_t width, flags;
        int is_fast;
    } stores[] = {
        {1, INST_STORE, 0},
        {2, INST_STORE, 0},
        {4, INST_STORE, 1},
        {4, INST_ATOMIC, 0},
    };
    struct help_step step;

    setup();
    step = (struct help_step){
        .inst = help_memory(&h.kernel.program, CLASS_STG, SPACE_GLOBAL,
                            stores[_i].flags, stores[_i].width, 3, 255),
        .mask = 0xff,
        .base = 4096,
        .stride = 4};
    collect(&step, 1);
    ck_assert_uint_eq(v.writes, 1);
    ck_assert_uint_eq(v.fast_bytes, stores[_i].is_fast ? 32 : 0);
    ck_assert_uint_eq(v.complete_bytes,
                      stores[_i].is_fast ? 0 : 8u * stores[_i].width);
}
END_TEST

/* 300 dependent additions: 128 bundles, 128, 44. */
START_TEST(a_clause_holds_so_many_bundles)
{
    struct help_step step[300];
    uint32_t a;

    setup();
    a = help_arith(&h.kernel.program, CLASS_FADD, 1, 1, 255, 255);
    for (int i = 0; i < 300; i++)
        step[i] = (struct help_step){.inst = a, .mask = (uint32_t)ALL};
    collect(step, 300);
    ck_assert_uint_eq(v.bundles, 300);
    ck_assert_uint_eq(v.clauses, 3);
    ck_assert_double_eq_tol(teg_vliw_packing(&v), 0.2, 1e-12);
}
END_TEST

START_TEST(stores_take_the_time_of_their_paths)
{
    struct teg_vliw_machine m = teg_vliw_hd5870;

    v = (struct teg_vliw){
        .bundles = 85, .fast_bytes = 6000, .complete_bytes = 3000};
    /* 85 x 32 threads, 320 x 850 a microsecond */
    ck_assert_double_eq_tol(teg_vliw_bundles_us(&v, &m), 0.01, 1e-12);
    m.fast_gbs = 2;
    ck_assert(isnan(teg_vliw_stores_us(&v, &m)));
    m.complete_gbs = 1;
    ck_assert_double_eq_tol(teg_vliw_stores_us(&v, &m), 6, 1e-12);
}
END_TEST

HELP_MAIN("vliw", 10, {each_further_component_fills_one_more_slot, 5},
          {power_rises_linearly_and_then_by_the_cost_of_t, 0},
          {less_packing_trades_power_for_time_at_equal_energy, 0},
          {special_functions_go_to_t_only, 0},
          {what_is_only_read_may_be_overwritten_in_its_bundle, 0},
          {a_memory_instruction_ends_the_clause, 0},
          {narrow_and_atomic_stores_take_the_complete_path, 4},
          {a_clause_holds_so_many_bundles, 0},
          {stores_take_the_time_of_their_paths, 0})
