/* Cycles of warps on the nominal machine, counted by hand. */
#include "traces/study/nominal.h"

#include <check.h>
#include <stdlib.h>

#include "tests/help_suite.h"

static struct teg_nominal n;

/* Of `op_class`, from register `src` to register `dst`; 0: none. */
static struct teg_inst inst(enum teg_op_class op_class, uint16_t dst,
                            uint16_t src)
{
    return (struct teg_inst){
        .op_class = (uint8_t)op_class,
        .dst_count = dst != 0,
        .src_count = src != 0,
        .dst = {{dst, 1}},
        .src = {{src, 1}},
    };
}

static void warp(const struct teg_inst *list, uint32_t count)
{
    teg_nominal_begin(&n);
    for (uint32_t i = 0; i < count; i++)
        teg_nominal_step(&n, &list[i],
                         (struct teg_nominal_access){NOMINAL_MEMORY, 0});
    teg_nominal_end(&n);
}

static void takes(const struct teg_inst *list, uint32_t count, double cycles)
{
    n = (struct teg_nominal){0};
    warp(list, count);
    ck_assert_double_eq(teg_nominal_mean(&n), cycles);
}

START_TEST(what_depends_on_nothing_takes_a_cycle_each)
{
    struct teg_inst list[] = {inst(CLASS_IADD, 1, 0), inst(CLASS_LDG, 2, 0),
                              inst(CLASS_FADD, 3, 0), inst(CLASS_STG, 0, 0)};

    takes(list, 4, 4);
}
END_TEST

/* The second issues at 5, 25 and 400, and takes a cycle. */
START_TEST(a_result_is_waited_for_by_its_kind)
{
    static const struct {
        enum teg_op_class op_class;
        double cycles;
    } rows[] = {
        {CLASS_IADD, 6}, {CLASS_SFU, 26}, {CLASS_LDS, 26}, {CLASS_LDG, 401}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct teg_inst list[] = {inst(rows[i].op_class, 1, 0),
                                  inst(CLASS_FADD, 2, 1)};

        takes(list, 2, rows[i].cycles);
    }
}
END_TEST

/* Two loads, then both values: the second load's, at 401. */
START_TEST(loads_beside_each_other_are_waited_for_together)
{
    struct teg_inst list[] = {inst(CLASS_LDG, 1, 0), inst(CLASS_LDG, 2, 0),
                              inst(CLASS_FADD, 3, 1), inst(CLASS_FADD, 4, 2)};

    takes(list, 4, 402);
}
END_TEST

/* All registers of a pair count. */
START_TEST(a_register_of_several_is_waited_for)
{
    struct teg_inst list[] = {inst(CLASS_LDG, 10, 0), inst(CLASS_FADD, 3, 9)};

    takes(list, 2, 2);
    list[1].src[0].count = 2;
    takes(list, 2, 401);
    list[1].src[0].count = 1;
    list[0].dst[0] = (struct teg_regs){8, 2};
    takes(list, 2, 401);
}
END_TEST

/* A load that nobody has waited for is over when the next warp begins. */
START_TEST(warps_do_not_wait_for_each_other)
{
    struct teg_inst load = inst(CLASS_LDG, 1, 0), use = inst(CLASS_FADD, 2, 1);
    struct teg_inst both[] = {load, use};

    n = (struct teg_nominal){0};
    warp(&load, 1);
    warp(&use, 1);
    ck_assert_uint_eq(n.longest, 1);
    warp(both, 2);
    ck_assert_uint_eq(n.longest, 401);
    ck_assert_double_eq(teg_nominal_mean(&n), 403 / 3.0);
}
END_TEST

/* What the last of `times` instructions that do `access` gives is used. */
static void is_used(enum teg_op_class op_class,
                    struct teg_nominal_access access, uint32_t times,
                    double cycles)
{
    struct teg_inst first = inst(op_class, 1, 0), use = inst(CLASS_FADD, 2, 1);

    n = (struct teg_nominal){0};
    teg_nominal_begin(&n);
    for (uint32_t i = 0; i < times; i++)
        teg_nominal_step(&n, &first, access);
    teg_nominal_step(&n, &use, (struct teg_nominal_access){NOMINAL_MEMORY, 0});
    teg_nominal_end(&n);
    ck_assert_double_eq(teg_nominal_mean(&n), cycles);
}

/* A load's result by where it is from; an addition's does not care. */
START_TEST(a_source_counts_for_loads)
{
    static const double cycles[] = {
        [NOMINAL_SM] = 26, [NOMINAL_CACHE] = 36, [NOMINAL_MEMORY] = 401};

    for (int s = NOMINAL_SM; s <= NOMINAL_MEMORY; s++) {
        enum teg_nominal_source source = (enum teg_nominal_source)s;

        is_used(CLASS_LDG, (struct teg_nominal_access){source, 1}, 1,
                cycles[s]);
        is_used(CLASS_IADD, (struct teg_nominal_access){source, 0}, 1, 6);
    }
}
END_TEST

/* 16 passes, and again: the second access begins 16 cycles after the first, and
 * its result comes 15 and 25 later; what uses it takes a cycle. */
START_TEST(accesses_go_one_after_the_other)
{
    struct teg_nominal_access conflict = {NOMINAL_SM, 16};

    is_used(CLASS_LDS, conflict, 1, 25 + 15 + 1);
    is_used(CLASS_LDS, conflict, 2, 16 + 25 + 15 + 1);
}
END_TEST

/* The bytes of a line, from its second access on, and not the next warp. */
START_TEST(a_warp_has_the_lines_it_was_at)
{
    int had = 0;

    n = (struct teg_nominal){0};
    teg_nominal_begin(&n);
    ck_assert_int_eq(teg_nominal_has(&n, 0), 0);
    ck_assert_int_eq(teg_nominal_has(&n, 0), 1);
    ck_assert_int_eq(teg_nominal_has(&n, 127), 1);
    ck_assert_int_eq(teg_nominal_has(&n, 128), 0);
    /* half as many as there is room for mostly stay, ten times as many do not */
    for (uint64_t i = 0; i < TEG_NOMINAL_LINES / 2; i++)
        teg_nominal_has(&n, 4096 * i);
    for (uint64_t i = 0; i < TEG_NOMINAL_LINES / 2; i++)
        had += teg_nominal_has(&n, 4096 * i);
    ck_assert_int_ge(had, TEG_NOMINAL_LINES / 3);
    for (uint64_t i = 0; i < 10 * TEG_NOMINAL_LINES; i++)
        teg_nominal_has(&n, 1 << 30 | 128 * i);
    had = 0;
    for (uint64_t i = 0; i < TEG_NOMINAL_LINES / 2; i++)
        had += teg_nominal_has(&n, 4096 * i);
    ck_assert_int_eq(had, 0);
    teg_nominal_end(&n);
    teg_nominal_begin(&n);
    ck_assert_int_eq(teg_nominal_has(&n, 4096), 0);
}
END_TEST

START_TEST(no_warp_takes_nothing)
{
    n = (struct teg_nominal){0};
    ck_assert_double_eq(teg_nominal_mean(&n), 0);
}
END_TEST

HELP_MAIN("nominal", 10, {what_depends_on_nothing_takes_a_cycle_each, 0},
          {a_result_is_waited_for_by_its_kind, 0},
          {loads_beside_each_other_are_waited_for_together, 0},
          {a_register_of_several_is_waited_for, 0},
          {warps_do_not_wait_for_each_other, 0}, {a_source_counts_for_loads, 0},
          {accesses_go_one_after_the_other, 0},
          {a_warp_has_the_lines_it_was_at, 0}, {no_warp_takes_nothing, 0})
