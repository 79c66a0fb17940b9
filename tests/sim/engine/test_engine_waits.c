/* Who issues, and what the others wait for: policies, names of stalls, control
 * codes. */
#include "sim/engine/op.h"
#include "tests/sim/engine/runs.h"

/* Three warps with two instructions each issue in that order of slots. */
static void expect_order(enum teg_policy policy, uint32_t inst,
                         const uint32_t *order)
{
    gpu.sm.policy = policy;
    run_many(inst, 2, 3);
    for (uint32_t k = 0; k < 6; k++)
        ck_assert_uint_eq(heard.issue[k].slot, order[k]);
}

/* Who goes first after a tie, by policy: warps 0 1 2 with two independent
 * instructions each, one issue a cycle. */
START_TEST(policies_choose_as_they_are_called)
{
    static const struct {
        enum teg_policy policy;
        uint32_t order[6];
    } expect[] = {
        {POLICY_LRR, {0, 1, 2, 0, 1, 2}},
        {POLICY_STRICT, {0, 1, 2, 0, 1, 2}},
        {POLICY_GTO, {0, 0, 1, 1, 2, 2}},
        {POLICY_GTY, {2, 2, 1, 1, 0, 0}},
        {POLICY_OLDEST, {0, 0, 1, 1, 2, 2}},
        {POLICY_LRI, {0, 1, 2, 0, 1, 2}},
        {POLICY_GLRI, {0, 0, 1, 1, 2, 2}},
        {POLICY_BLRI, {0, 1, 2, 0, 1, 2}},
        {POLICY_GBLRI, {0, 0, 1, 1, 2, 2}},
    };

    setup();
    for (size_t i = 0; i < sizeof expect / sizeof expect[0]; i++) {
        setup();
        expect_order(expect[i].policy, independent(CLASS_FADD),
                     expect[i].order);
    }
}
END_TEST

/* The same with a unit that takes an instruction every other cycle: who goes
 * on whenever it can has the unit to itself, who only does without a gap
 * has not. */
START_TEST(greed_without_a_gap_is_fair)
{
    static const struct {
        enum teg_policy policy;
        uint32_t order[6];
    } expect[] = {
        {POLICY_GTO, {0, 0, 1, 1, 2, 2}},   {POLICY_GTY, {2, 2, 1, 1, 0, 0}},
        {POLICY_LRI, {0, 1, 2, 0, 1, 2}},   {POLICY_GLRI, {0, 1, 2, 0, 1, 2}},
        {POLICY_GBLRI, {0, 0, 1, 1, 2, 2}},
    };

    for (size_t i = 0; i < sizeof expect / sizeof expect[0]; i++) {
        setup();
        set_timing(CLASS_FADD, 10, 2, 1);
        expect_order(expect[i].policy, independent(CLASS_FADD),
                     expect[i].order);
    }
}
END_TEST

/* Two blocks of two warps with two instructions each: who asks for the oldest
 * block is fair within it only. */
START_TEST(the_oldest_block_goes_first)
{
    static const struct {
        enum teg_policy policy;
        uint32_t order[8];
    } expect[] = {
        {POLICY_LRI, {0, 1, 2, 3, 0, 1, 2, 3}},
        {POLICY_BLRI, {0, 1, 0, 1, 2, 3, 2, 3}},
        {POLICY_GBLRI, {0, 0, 1, 1, 2, 2, 3, 3}},
        {POLICY_OLDEST, {0, 0, 1, 1, 2, 2, 3, 3}},
    };

    for (size_t i = 0; i < sizeof expect / sizeof expect[0]; i++) {
        struct help_step step[2];
        struct help_warp warp[4];

        setup();
        gpu.chip.sms = 1;
        gpu.sm.policy = expect[i].policy;
        for (uint32_t k = 0; k < 2; k++)
            step[k] = (struct help_step){independent(CLASS_FADD), UINT32_MAX, 0,
                                         0, NULL};
        for (uint32_t w = 0; w < 4; w++)
            warp[w] = (struct help_warp){step, 2};
        launch.warp = warp;
        launch.blocks = 2;
        launch.warps_per_block = 2;
        ck_assert_msg(run_on(2) == TEG_OK, "%s", diag.what);
        ck_assert_uint_eq(heard.issues, 8);
        for (uint32_t k = 0; k < 8; k++)
            ck_assert_uint_eq(heard.issue[k].slot, expect[i].order[k]);
    }
}
END_TEST

/* Chains whose links are two cycles apart: two warps would do, and who asks for
 * the oldest has the third wait, but greed finds nobody ready to go on with. */
START_TEST(greed_for_a_block_is_fair_within_it)
{
    static const struct {
        enum teg_policy policy;
        uint32_t order[6];
    } expect[] = {
        {POLICY_GTO, {0, 1, 0, 1, 2, 2}},
        {POLICY_GBLRI, {0, 1, 2, 0, 1, 2}},
    };

    for (size_t i = 0; i < sizeof expect / sizeof expect[0]; i++) {
        setup();
        set_timing(CLASS_FADD, 2, 1, 1);
        expect_order(expect[i].policy, chained(CLASS_FADD), expect[i].order);
    }
}
END_TEST

/* FFMA of three even registers, one whose first is even, an instruction behind
 * it: none, one or two cycles are lost by how many more of the second's are
 * even (Huerta 2025, Listing 2), and each bank's turn is waited for where
 * operands have one slot to be read. */
START_TEST(operands_are_read_within_a_window)
{
    static const struct {
        uint32_t window;
        uint16_t third, fourth;
        uint64_t cycle[3];
    } rows[] = {
        {3, 21, 23, {0, 1, 2}}, {3, 18, 21, {0, 1, 3}}, {3, 18, 20, {0, 1, 4}},
        {2, 21, 23, {0, 2, 3}}, {2, 18, 20, {0, 2, 5}}, {1, 18, 20, {0, 3, 6}},
        {1, 21, 23, {0, 3, 5}},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct help_step step[3] = {{0, UINT32_MAX, 0, 0, NULL},
                                    {1, UINT32_MAX, 0, 0, NULL},
                                    {2, UINT32_MAX, 0, 0, NULL}};
        struct teg_program *p = &launch.kernel.program;

        setup();
        gpu.sm.register_banks = REGISTER_BANKS_PARITY;
        gpu.sm.register_window = rows[i].window;
        help_arith(p, CLASS_FADD, 1, 10, 12, 14);
        help_arith(p, CLASS_FADD, 2, 16, rows[i].third, rows[i].fourth);
        help_arith(p, CLASS_FADD, 3, 30, 255, 255);
        run_steps(step, 3, 1);
        /* Nothing else keeps the warp from the next cycle. */
        for (uint32_t k = 1; k < 3; k++)
            ck_assert_uint_eq(heard.issue[k].stall[STALL_REGISTERS],
                              rows[i].cycle[k] - rows[i].cycle[k - 1] - 1);
        for (uint32_t k = 0; k < 3; k++)
            ck_assert_msg(heard.issue[k].cycle == rows[i].cycle[k],
                          "row %zu: %u issues at %lu", i, k,
                          (unsigned long)heard.issue[k].cycle);
    }
}
END_TEST

/* Strict turns pass by a warp that is not ready; loose ones do not. */
START_TEST(strict_round_robin_wastes_the_slot)
{
    setup();
    gpu.sm.policy = POLICY_STRICT;
    set_timing(CLASS_FADD, 3, 1, 1);
    run_many(chained(CLASS_FADD), 2, 2);
    /* turns alternate 0 1 0 1 0 1; results take 3 */
    ck_assert_uint_eq(heard.issue[0].cycle, 0);
    ck_assert_uint_eq(heard.issue[1].cycle, 1);
    ck_assert_uint_eq(heard.issue[2].cycle, 4);
    ck_assert_uint_eq(heard.issue[2].stall[STALL_NOT_SELECTED], 1);
}
END_TEST

/* Every stall's name, where it is the only one there can be. */
START_TEST(waits_are_named_after_the_producer)
{
    static const struct {
        enum teg_op_class class_;
        enum teg_space space;
        enum teg_stall stall;
    } expect[] = {
        {CLASS_FADD, SPACE_NONE, STALL_WAIT},
        {CLASS_SFU, SPACE_NONE, STALL_SHORT},
        {CLASS_LDS, SPACE_SHARED, STALL_SHORT},
        {CLASS_LDG, SPACE_GLOBAL, STALL_LONG},
        {CLASS_LDL, SPACE_LOCAL, STALL_LONG},
        {CLASS_TEX, SPACE_TEXTURE, STALL_LONG},
        {CLASS_SURFACE, SPACE_TEXTURE, STALL_LONG},
        {CLASS_IMMA, SPACE_NONE, STALL_WAIT},
    };

    setup();
    for (size_t i = 0; i < sizeof expect / sizeof expect[0]; i++) {
        struct help_step step[2] = {{0, UINT32_MAX, 0, 4, NULL},
                                    {1, UINT32_MAX, 0, 0, NULL}};
        const struct sim_issue *e = &heard.issue[1];

        setup();
        if (expect[i].space == SPACE_NONE)
            help_arith(&launch.kernel.program, expect[i].class_, 1, 2, 255,
                       255);
        else
            help_memory(&launch.kernel.program, expect[i].class_,
                        expect[i].space, INST_LOAD, 4, 1, 2);
        help_arith(&launch.kernel.program, CLASS_IADD, 3, 1, 255, 255);
        run_steps(step, 2, 1);
        ck_assert_uint_eq(e->stall[expect[i].stall], e->cycle - e->arrived);
        ck_assert_uint_gt(e->cycle, 8);
    }
}
END_TEST

/* The second of two warps is refused by the unit that the first has taken: by
 * where it goes, and for what goes nowhere by what its result is called. */
START_TEST(refusals_are_named_after_where_it_goes)
{
    static const struct {
        enum teg_op_class class_;
        enum teg_space space;
        enum teg_stall stall;
    } expect[] = {
        {CLASS_LDG, SPACE_GLOBAL, STALL_LG_THROTTLE},
        {CLASS_LDL, SPACE_LOCAL, STALL_LG_THROTTLE},
        {CLASS_LD, SPACE_GENERIC, STALL_LG_THROTTLE},
        {CLASS_TEX, SPACE_TEXTURE, STALL_TEX_THROTTLE},
        {CLASS_LDS, SPACE_SHARED, STALL_MIO_THROTTLE},
        {CLASS_SFU, SPACE_NONE, STALL_MIO_THROTTLE},
        {CLASS_IMMA, SPACE_NONE, STALL_MATH_THROTTLE},
    };

    setup();
    for (size_t i = 0; i < sizeof expect / sizeof expect[0]; i++) {
        struct help_step step = {0, UINT32_MAX, 0, 4, NULL};
        const struct sim_issue *e = &heard.issue[1];

        setup();
        set_timing(expect[i].class_, 10, 7, 1);
        if (expect[i].space == SPACE_NONE)
            help_arith(&launch.kernel.program, expect[i].class_, 1, 2, 255,
                       255);
        else
            help_memory(&launch.kernel.program, expect[i].class_,
                        expect[i].space, INST_LOAD, 4, 1, 2);
        run_steps(&step, 1, 2);
        ck_assert_uint_eq(e->cycle, 7);
        /* cycle 0 went to the first */
        ck_assert_uint_eq(e->stall[expect[i].stall], 6);
    }
}
END_TEST

/* LDG sets barrier 0; the next waits its stall count of 3, not for the load;
 * the third waits for barrier 0.  By scoreboard the second waits, since it
 * reads what the load writes. */
START_TEST(control_codes_say_what_is_waited_for)
{
    struct help_step step[3] = {{0, UINT32_MAX, 0, 4, NULL},
                                {1, UINT32_MAX, 0, 0, NULL},
                                {2, UINT32_MAX, 0, 0, NULL}};

    for (uint32_t mode = 0; mode < 2; mode++) {
        struct teg_program *p = &launch.kernel.program;

        setup();
        gpu.sm.dependences = mode;
        help_memory(p, CLASS_LDG, SPACE_GLOBAL, INST_LOAD, 4, 1, 255);
        help_arith(p, CLASS_IADD, 3, 1, 255, 255);
        help_arith(p, CLASS_IADD, 4, 5, 255, 255);
        p->inst[0].control = (struct teg_control){1, 3, 0, 0, 7, 0};
        p->inst[1].control = (struct teg_control){1, 1, 0, 7, 7, 0};
        p->inst[2].control = (struct teg_control){1, 1, 0, 7, 7, 1};
        run_steps(step, 3, 1);
        if (mode == DEPENDENCES_CONTROL) {
            ck_assert_uint_eq(heard.issue[1].cycle, 3);
            ck_assert_uint_eq(heard.issue[1].stall[STALL_WAIT], 2);
            ck_assert_uint_eq(heard.issue[2].cycle, 100);
            ck_assert_uint_eq(heard.issue[2].stall[STALL_LONG], 100 - 4);
        } else {
            ck_assert_uint_eq(heard.issue[1].cycle, 100);
            ck_assert_uint_eq(heard.issue[2].cycle, 101);
        }
    }
}
END_TEST

/* A read barrier opens when the unit has taken the operands, long before the
 * result is there. */
START_TEST(a_read_barrier_opens_early)
{
    struct help_step step[2] = {{0, UINT32_MAX, 0, 4, NULL},
                                {1, UINT32_MAX, 0, 0, NULL}};
    struct teg_program *p = &launch.kernel.program;

    setup();
    gpu.sm.dependences = DEPENDENCES_CONTROL;
    set_timing(CLASS_STG, 30, 6, 1);
    help_memory(p, CLASS_STG, SPACE_GLOBAL, INST_STORE, 4, 1, 255);
    help_arith(p, CLASS_IADD, 1, 5, 255, 255);
    p->inst[0].control = (struct teg_control){1, 1, 0, 7, 2, 0};
    p->inst[1].control = (struct teg_control){1, 1, 0, 7, 7, 4};
    run_steps(step, 2, 1);
    ck_assert_uint_eq(heard.issue[1].cycle, 6);
}
END_TEST

/* ---- groups -------------------------------------------------------------- */

/* Runs the texts, an instruction each, in one warp; loads take 100 cycles.
 * Those that set a dependence barrier (0) are commits where `commits`, else
 * copies. */
static void run_texts(const char *const *text, uint32_t count, int mode,
                      int commits)
{
    static struct help_step step[128];

    setup();
    gpu.sm.dependences = (enum teg_dependences)mode;
    for (uint32_t i = 0; i < count; i++) {
        struct teg_inst inst = {.op_class = CLASS_MEMBAR};

        if (strncmp(text[i], "LDGSTS", 6) == 0)
            inst = (struct teg_inst){.op_class = CLASS_LDGSTS,
                                     .space = SPACE_GLOBAL,
                                     .width = 4,
                                     .flags = INST_LOAD};
        inst.control = (struct teg_control){
            .known = 1, .stall = 1, .write_barrier = 7, .read_barrier = 7};
        if (commits ? strncmp(text[i], "LDGDEPBAR", 9) == 0
                    : inst.op_class == CLASS_LDGSTS)
            inst.control.write_barrier = 0;
        step[i] = (struct help_step){
            help_inst(&launch.kernel.program, inst, text[i]), UINT32_MAX,
            /* a line each, far from the others */
            i * 65536, 4, NULL};
    }
    run_steps(step, count, 1);
}

/* Copies go in cycles 0 and 2 and are there 100 later.  The first DEPBAR
 * leaves one group open, the second none; nobody waits for the third copy,
 * which no group has. */
START_TEST(copies_are_waited_for_group_by_group)
{
    static const char *const text[] = {
        "LDGSTS.E [R1], [R2]", "LDGDEPBAR",           "LDGSTS.E [R1], [R2]",
        "LDGDEPBAR",           "LDGSTS.E [R1], [R2]", "DEPBAR.LE SB0, 0x2",
        "DEPBAR.LE SB0, 0x1",  "DEPBAR.LE SB0, 0x0",  "DEPBAR.LE SB0, 0x0"};
    static const uint64_t cycle[] = {0, 1, 2, 3, 4, 5, 100, 102, 103};

    for (int mode = 0; mode < 2; mode++) {
        run_texts(text, 9, mode, 1);
        for (int i = 0; i < 9; i++)
            ck_assert_uint_eq(heard.issue[i].cycle, cycle[i]);
        ck_assert_uint_eq(heard.issue[6].stall[STALL_LONG], 100 - 6);
        ck_assert_uint_eq(heard.issue[7].stall[STALL_LONG], 1);
        /* The commit itself is over at once. */
        ck_assert_uint_lt(heard.issue[1].done, 100);
    }
}
END_TEST

/* A group is done when it and all before it are: the second has no copy. */
START_TEST(a_group_is_not_done_before_those_before_it)
{
    static const char *const text[] = {"LDGSTS.E [R1], [R2]", "LDGDEPBAR",
                                       "LDGDEPBAR", "LDGDEPBAR",
                                       "DEPBAR.LE SB0, 0x1"};

    for (int mode = 0; mode < 2; mode++) {
        run_texts(text, 5, mode, 1);
        ck_assert_uint_eq(heard.issue[4].cycle, 100);
    }
}
END_TEST

/* Legal in PTX: there are no more groups than may stay open, or none. */
START_TEST(a_depbar_without_groups_waits_for_nothing)
{
    static const char *const text[] = {
        "LDGSTS.E [R1], [R2]", "DEPBAR.LE SB0, 0x0", "DEPBAR.LE SB3, 0x1",
        "DEPBAR {4,1}", "DEPBAR.LE SB0, 0x0, {5}"};

    for (int mode = 0; mode < 2; mode++) {
        run_texts(text, 5, mode, 1);
        ck_assert_uint_eq(heard.issue[4].cycle, 4);
    }
}
END_TEST

/* More groups than a DEPBAR can let stay open. */
START_TEST(groups_too_old_to_be_told_apart_are_waited_for)
{
    const char *text[66];

    for (int extra = 0; extra < 2; extra++) {
        uint32_t n = 0;

        text[n++] = "LDGSTS.E [R1], [R2]";
        while (n < 64 + (uint32_t)extra)
            text[n++] = "LDGDEPBAR";
        text[n++] = "DEPBAR.LE SB0, 0x3f";
        run_texts(text, n, DEPENDENCES_SCOREBOARD, 1);
        ck_assert_uint_eq(heard.issue[n - 1].cycle, extra ? 100 : n - 1);
    }
}
END_TEST

/* With control codes a DEPBAR waits for whatever sets its barrier, here loads,
 * and for those of its list. */
START_TEST(a_depbar_waits_for_barriers_that_others_set)
{
    static const char *const counts[] = {
        "LDGSTS.E [R1], [R2]", "LDGSTS.E [R1], [R2]", "DEPBAR.LE SB0, 0x1"};
    static const char *const lists[] = {"LDGSTS.E [R1], [R2]",
                                        "LDGSTS.E [R1], [R2]",
                                        "DEPBAR.LE SB4, 0x0, {3,0}"};
    static const char *const alone[] = {"LDGSTS.E [R1], [R2]",
                                        "LDGSTS.E [R1], [R2]", "DEPBAR {0}"};

    run_texts(counts, 3, DEPENDENCES_CONTROL, 0);
    ck_assert_uint_eq(heard.issue[2].cycle, 100);
    run_texts(lists, 3, DEPENDENCES_CONTROL, 0);
    ck_assert_uint_eq(heard.issue[2].cycle, 101);
    run_texts(alone, 3, DEPENDENCES_CONTROL, 0);
    ck_assert_uint_eq(heard.issue[2].cycle, 101);
    /* By scoreboard nothing depends on them. */
    run_texts(counts, 3, DEPENDENCES_SCOREBOARD, 0);
    ck_assert_uint_eq(heard.issue[2].cycle, 2);
}
END_TEST

/* ---- products of warp groups ---------------------------------------------- */

static struct teg_inst product_of(uint16_t reg, int control)
{
    struct teg_inst inst = {.op_class = CLASS_GMMA,
                            .dst_count = 1,
                            .dst = {{reg, 4}},
                            .src_count = 1,
                            .src = {{reg, 4}}};

    inst.control = (struct teg_control){(uint8_t)control, 1, 0, 7, 7, 0};
    return inst;
}

/* Products that take 50 cycles follow each other through their accumulator at
 * the rate of their unit.  One group of two, one of one: the first DEPBAR waits
 * for the second product of 8, the other for the third of 16. */
START_TEST(products_follow_each_other_and_are_waited_for_by_group)
{
    static const uint64_t cycle[] = {0, 8, 16, 58, 66};
    static const char *const text[] = {
        "HGMMA.64x8x16.F32 R4, gdesc[UR4], R4",
        "HGMMA.64x8x16.F32 R4, gdesc[UR4], R4, gsb0",
        "HGMMA.64x8x16.F32 R8, gdesc[UR4], R8, gsb0",
        "WARPGROUP.DEPBAR.LE gsb0, 0x1", "WARPGROUP.DEPBAR.LE gsb0, 0x0"};

    for (int mode = 0; mode < 2; mode++) {
        struct help_step step[5];

        setup();
        gpu.sm.dependences = (enum teg_dependences)mode;
        set_timing(CLASS_GMMA, 50, 8, 1);
        for (int i = 0; i < 5; i++) {
            struct teg_inst inst = product_of(i == 2 ? 8 : 4, mode);

            if (i > 2)
                inst = (struct teg_inst){.op_class = CLASS_MEMBAR,
                                         .control = inst.control};
            step[i] = (struct help_step){
                help_inst(&launch.kernel.program, inst, text[i]), UINT32_MAX, 0,
                0, NULL};
        }
        run_steps(step, 5, 1);
        for (int i = 0; i < 5; i++)
            ck_assert_uint_eq(heard.issue[i].cycle, cycle[i]);
        ck_assert_uint_eq(heard.issue[3].stall[STALL_GMMA], 58 - 17);
    }
}
END_TEST

/* By scoreboard nobody but products takes an accumulator before it is there,
 * and a product waits for what others make. */
START_TEST(accumulators_in_flight_are_not_ready)
{
    struct help_step step[3] = {{0, UINT32_MAX, 0, 0, NULL},
                                {1, UINT32_MAX, 0, 0, NULL},
                                {2, UINT32_MAX, 0, 0, NULL}};

    setup();
    set_timing(CLASS_GMMA, 50, 8, 1);
    set_timing(CLASS_MOV, 20, 1, 1);
    help_arith(&launch.kernel.program, CLASS_MOV, 4, 255, 255, 255);
    help_inst(&launch.kernel.program, product_of(4, 0), "HGMMA R4, R4");
    help_arith(&launch.kernel.program, CLASS_IADD, 1, 4, 255, 255);
    run_steps(step, 3, 1);
    ck_assert_uint_eq(heard.issue[1].cycle, 20);
    ck_assert_uint_eq(heard.issue[2].cycle, 70);
    ck_assert_uint_eq(heard.issue[2].stall[STALL_GMMA], 70 - 21);
}
END_TEST

/* ---- fences --------------------------------------------------------------- */

static uint64_t cycle_behind_fence(const char *fence, uint32_t mask)
{
    struct help_step step[3] = {{0, UINT32_MAX, 0, 4, NULL},
                                {1, mask, 0, 0, NULL},
                                {2, UINT32_MAX, 0, 0, NULL}};
    struct teg_inst inst = {.op_class = CLASS_MEMBAR};

    setup();
    gpu.fence.block_latency = 10;
    gpu.fence.gpu_latency = 30;
    gpu.fence.system_latency = 300;
    help_memory(&launch.kernel.program, CLASS_LDG, SPACE_GLOBAL, INST_LOAD, 4,
                1, 255);
    help_inst(&launch.kernel.program, inst, fence);
    help_arith(&launch.kernel.program, CLASS_IADD, 2, 255, 255, 255);
    run_steps(step, 3, 1);
    return heard.issue[2].cycle;
}

/* The load is done in cycle 100; then the fence is issued. */
START_TEST(a_fence_waits_for_accesses_then_as_its_scope_takes)
{
    ck_assert_uint_eq(cycle_behind_fence("MEMBAR.SC.CTA", UINT32_MAX), 110);
    ck_assert_uint_eq(heard.issue[1].cycle, 100);
    ck_assert_uint_eq(heard.issue[1].stall[STALL_MEMBAR], 99);
    ck_assert_uint_eq(heard.issue[2].stall[STALL_MEMBAR], 9);
    ck_assert_uint_eq(cycle_behind_fence("MEMBAR.ALL.GPU", UINT32_MAX), 130);
    ck_assert_uint_eq(cycle_behind_fence("@P0 MEMBAR.GL", UINT32_MAX), 130);
    ck_assert_uint_eq(cycle_behind_fence("MEMBAR.SC.SYS", UINT32_MAX), 400);
    ck_assert_uint_eq(cycle_behind_fence("MEMBAR.SC.VC", UINT32_MAX), 400);
    /* No lane comes to it, or it is none. */
    ck_assert_uint_eq(cycle_behind_fence("MEMBAR.SC.SYS", 0), 2);
    ck_assert_uint_eq(cycle_behind_fence("ERRBAR", UINT32_MAX), 2);
}
END_TEST

/* ---- sleep ----------------------------------------------------------------- */

static uint64_t cycle_behind_sleep(const char *text, enum teg_values values,
                                   uint32_t mask)
{
    static uint64_t lane[2 * TEG_LANES], *ns = lane + TEG_LANES;
    struct help_step step[2] = {{0, mask, 0, 0, lane},
                                {1, UINT32_MAX, 0, 0, NULL}};
    struct teg_inst inst = {.op_class = CLASS_NOP, .values = (uint8_t)values};

    setup();
    gpu.chip.sm_clock_mhz = 1500;
    for (uint64_t l = 0; l < TEG_LANES; l++)
        ns[l] = 100 + l;
    ns[31] = UINT64_MAX;
    help_inst(&launch.kernel.program, inst, text);
    help_arith(&launch.kernel.program, CLASS_IADD, 2, 255, 255, 255);
    run_steps(step, 2, 1);
    ck_assert_uint_eq(heard.issue[0].cycle, 0);
    return heard.issue[1].cycle;
}

START_TEST(a_warp_sleeps_for_its_time_and_no_longer_than_a_millisecond)
{
    /* 450 ns at 1500 MHz; 3 ns are 4.5 cycles */
    ck_assert_uint_eq(
        cycle_behind_sleep("NANOSLEEP 0x1c2", VALUES_NONE, UINT32_MAX), 675);
    ck_assert_uint_eq(heard.issue[1].stall[STALL_SLEEPING], 674);
    ck_assert_uint_eq(cycle_behind_sleep("NANOSLEEP 3", VALUES_NONE, 1), 5);
    /* Of lanes with times of their own, with the longest. */
    ck_assert_uint_eq(cycle_behind_sleep("NANOSLEEP R4", VALUES_SLEEP, 0x11),
                      156);
    ck_assert_uint_eq(
        cycle_behind_sleep("NANOSLEEP R4", VALUES_SLEEP, UINT32_MAX), 1500000);
    ck_assert_uint_eq(cycle_behind_sleep("NANOSLEEP R4", VALUES_SLEEP, 0), 1);
    ck_assert_uint_eq(cycle_behind_sleep("NANOSLEEP 0x1c2", VALUES_NONE, 0), 1);
    ck_assert_uint_eq(heard.issue[1].stall[STALL_SLEEPING], 0);
}
END_TEST

/* ---- fences for copies and products ------------------------------------------ */

static uint64_t cycle_behind_proxy_fence(const char *fence,
                                         enum teg_space space, uint32_t latency)
{
    struct help_step step[3] = {{0, UINT32_MAX, 0, 4, NULL},
                                {1, UINT32_MAX, 0, 0, NULL},
                                {2, UINT32_MAX, 0, 0, NULL}};
    struct teg_inst inst = {.op_class = CLASS_MEMBAR};

    setup();
    gpu.fence.async_latency = latency;
    help_memory(&launch.kernel.program,
                space == SPACE_SHARED ? CLASS_LDS : CLASS_LDG, space, INST_LOAD,
                4, 1, 255);
    help_inst(&launch.kernel.program, inst, fence);
    help_arith(&launch.kernel.program, CLASS_IADD, 2, 255, 255, 255);
    run_steps(step, 3, 1);
    return heard.issue[2].cycle;
}

/* The one for copies and products waits for accesses to shared memory alone. */
START_TEST(a_proxy_fence_waits_for_shared_memory)
{
    uint64_t done;

    ck_assert_uint_eq(
        cycle_behind_proxy_fence("FENCE.VIEW.ASYNC.S", SPACE_GLOBAL, 7), 8);
    cycle_behind_proxy_fence("FENCE.VIEW.ASYNC.S", SPACE_SHARED, 7);
    done = heard.issue[1].cycle;
    ck_assert_uint_gt(done, 8);
    ck_assert_uint_eq(heard.issue[2].cycle, done + 7);
    ck_assert_uint_eq(heard.issue[1].stall[STALL_MEMBAR], done - 1);
    ck_assert_uint_eq(
        cycle_behind_proxy_fence("FENCE.VIEW.ASYNC.S", SPACE_SHARED, 0), 2);
    ck_assert_uint_eq(
        cycle_behind_proxy_fence("FENCE.VIEW.ASYNC.G", SPACE_SHARED, 7), 2);
    ck_assert_uint_eq(
        cycle_behind_proxy_fence("FENCE.VIEW.ASYNC.T", SPACE_SHARED, 7), 2);
}
END_TEST

/* A program may grow while it runs: the first fence is in its second block. */
START_TEST(accesses_of_code_seen_before_count_too)
{
    struct teg_inst fence = {.op_class = CLASS_MEMBAR};
    struct sim_port_kinds ports = {0};
    struct sim_ops ops;

    setup();
    gpu.fence.gpu_latency = 30;
    help_memory(&launch.kernel.program, CLASS_STG, SPACE_GLOBAL, INST_STORE, 4,
                1, 255);
    sim_ops_init(&ops, &gpu, &launch.kernel.program, &ports);
    ck_assert_int_eq(sim_ops_update(&ops, &diag), TEG_OK);
    ck_assert_uint_eq(ops.op[0].hold_count, 0);
    help_inst(&launch.kernel.program, fence, "MEMBAR.SC.GPU");
    ck_assert_int_eq(sim_ops_update(&ops, &diag), TEG_OK);
    ck_assert_uint_eq(ops.op[0].hold_count, 1);
    ck_assert_uint_eq(ops.op[1].wait_count, 1);
    ck_assert_uint_eq(ops.hold[ops.op[0].holds].counter,
                      ops.wait[ops.op[1].waits].counter);
    sim_ops_release(&ops);
    teg_kernel_release(&launch.kernel);
}
END_TEST

/* Stall counts of 0, 1 and 2, each without the yield bit and with it. */
START_TEST(who_yields_leaves_the_next_cycle_to_others)
{
    static const uint32_t waits[6] = {1, 46, 1, 2, 2, 2};
    struct help_step step[7];
    struct teg_program *p = &launch.kernel.program;

    setup();
    gpu.sm.dependences = DEPENDENCES_CONTROL;
    gpu.sm.yield_interval = 2;
    gpu.sm.pause_interval = 46;
    for (uint32_t i = 0; i < 7; i++) {
        help_arith(p, CLASS_IADD, (uint16_t)(i + 1), 8, 255, 255);
        p->inst[i].control = (struct teg_control){
            1, (uint8_t)(i / 2), (uint8_t)(i % 2), 7, 7, 0};
        step[i] = (struct help_step){i, UINT32_MAX, 0, 0, NULL};
    }
    run_steps(step, 7, 1);
    for (uint32_t i = 0; i < 6; i++) {
        ck_assert_uint_eq(heard.issue[i + 1].cycle - heard.issue[i].cycle,
                          waits[i]);
        ck_assert_uint_eq(heard.issue[i + 1].stall[STALL_WAIT], waits[i] - 1);
    }
}
END_TEST

HELP_MAIN("sim/engine waits", 60, {policies_choose_as_they_are_called, 0},
          {greed_without_a_gap_is_fair, 0},
          {greed_for_a_block_is_fair_within_it, 0},
          {the_oldest_block_goes_first, 0},
          {operands_are_read_within_a_window, 0},
          {strict_round_robin_wastes_the_slot, 0},
          {waits_are_named_after_the_producer, 0},
          {refusals_are_named_after_where_it_goes, 0},
          {control_codes_say_what_is_waited_for, 0},
          {who_yields_leaves_the_next_cycle_to_others, 0},
          {a_read_barrier_opens_early, 0},
          {copies_are_waited_for_group_by_group, 0},
          {a_group_is_not_done_before_those_before_it, 0},
          {a_depbar_without_groups_waits_for_nothing, 0},
          {groups_too_old_to_be_told_apart_are_waited_for, 0},
          {a_depbar_waits_for_barriers_that_others_set, 0},
          {products_follow_each_other_and_are_waited_for_by_group, 0},
          {accumulators_in_flight_are_not_ready, 0},
          {a_fence_waits_for_accesses_then_as_its_scope_takes, 0},
          {a_warp_sleeps_for_its_time_and_no_longer_than_a_millisecond, 0},
          {a_proxy_fence_waits_for_shared_memory, 0},
          {accesses_of_code_seen_before_count_too, 0})
