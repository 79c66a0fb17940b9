/* Blocks that wait for what others write to memory.  Worked out by hand. */
#include "isa/inst/values.h"
#include "tests/sim/engine/runs.h"

enum {
    BLOCKS = 3,
    STEPS = 40,
    WORK = 30, /* cycles each */
};

static uint32_t store, load, alu, exit_;
static struct help_step step[BLOCKS][STEPS];
static struct help_warp warp[BLOCKS];
static uint64_t value[BLOCKS][TEG_LANES + 1];

static void setup_program(uint32_t blocks)
{
    struct teg_program *p = &launch.kernel.program;
    struct teg_inst awaits = {.op_class = CLASS_LDG,
                              .space = SPACE_GLOBAL,
                              .flags = INST_LOAD | INST_BYPASS_L1,
                              .width = 4,
                              .values = VALUES_AWAITED};

    setup();
    gpu.chip.sms = BLOCKS;
    set_timing(CLASS_FADD, WORK, 1, 1);
    store = help_memory(p, CLASS_STG, SPACE_GLOBAL, INST_STORE | INST_BYPASS_L1,
                        4, 0, 1);
    load = help_inst(p, awaits, "LDG.E.STRONG.GPU");
    alu = chained(CLASS_FADD);
    exit_ = help_exit(p);
    memset(warp, 0, sizeof warp);
    for (uint32_t b = 0; b < blocks; b++)
        warp[b].step = step[b];
    launch.warp = warp;
    launch.blocks = blocks;
    launch.warps_per_block = 1;
}

static void put(uint32_t b, uint32_t inst, uint32_t mask)
{
    step[b][warp[b].steps++] =
        (struct help_step){.inst = inst, .mask = mask, .base = 4096};
}

/* Block `b` sees the `n`-th store of block `of`. */
static void put_load(uint32_t b, uint64_t of, uint32_t n)
{
    value[b][TEG_LANES] = teg_awaited(of, 0, n);
    put(b, load, UINT32_MAX);
    step[b][warp[b].steps - 1].lane = value[b];
}

/* The last issue of `inst` by block `b`. */
static const struct sim_issue *issue_of(uint32_t b, uint32_t inst)
{
    const struct sim_issue *last = NULL;

    for (uint32_t i = 0; i < heard.issues; i++) {
        if (heard.issue[i].block == b && heard.issue[i].inst == inst)
            last = &heard.issue[i];
    }
    ck_assert_ptr_nonnull(last);
    return last;
}

static void run_blocks(void)
{
    ck_assert_msg(run_on(1) == TEG_OK, "%s", diag.what);
}

/* Block 0 works and stores twice; block 1 waits for the second store, and block
 * 2 for what block 1 then stores. */
START_TEST(a_load_waits_for_the_store_it_sees)
{
    uint64_t way;

    setup_program(3);
    way = gpu.dram.latency;
    for (int i = 0; i < 10; i++)
        put(0, alu, UINT32_MAX);
    put(0, store, UINT32_MAX);
    put(0, alu, UINT32_MAX);
    put(0, alu, UINT32_MAX);
    put(0, store, UINT32_MAX);
    put_load(1, 0, 2);
    put(1, store, UINT32_MAX);
    put_load(2, 1, 1);
    put(2, alu, UINT32_MAX);
    for (uint32_t b = 0; b < 3; b++)
        put(b, exit_, UINT32_MAX);
    run_blocks();
    ck_assert_uint_gt(way, 1);
    ck_assert_uint_ge(issue_of(0, store)->cycle, 11 * WORK);
    ck_assert_uint_eq(issue_of(1, store)->cycle,
                      issue_of(0, store)->cycle + way);
    ck_assert_uint_eq(issue_of(2, alu)->cycle, issue_of(1, store)->cycle + way);
    ck_assert_uint_eq(issue_of(1, store)->stall[STALL_LONG],
                      issue_of(1, store)->cycle - issue_of(1, store)->arrived);
}
END_TEST

/* What was seen long ago, or by nobody, holds nothing up; stores without lanes
 * are counted and tell nothing. */
START_TEST(what_is_there_holds_nothing_up)
{
    uint64_t alone = 0;

    for (int awaits = 0; awaits < 2; awaits++) {
        setup_program(2);
        put(0, store, 0);
        put(0, store, UINT32_MAX);
        put(0, exit_, UINT32_MAX);
        for (int i = 0; i < 20; i++)
            put(1, alu, UINT32_MAX);
        put_load(1, 0, 2);
        if (!awaits)
            value[1][TEG_LANES] = 0;
        put(1, alu, UINT32_MAX);
        put(1, exit_, UINT32_MAX);
        run_blocks();
        if (awaits)
            ck_assert_uint_eq(issue_of(1, exit_)->cycle, alone);
        alone = issue_of(1, exit_)->cycle;
    }
}
END_TEST

/* A warp that has ended has told all; whom nobody tells goes on at the end. */
START_TEST(nobody_waits_for_ever)
{
    static const uint64_t of[] = {0, 77};

    for (int i = 0; i < 2; i++) {
        setup_program(2);
        for (int k = 0; k < 20; k++)
            put(0, alu, UINT32_MAX);
        put(0, exit_, UINT32_MAX);
        put_load(1, of[i], 7);
        put(1, alu, UINT32_MAX);
        put(1, exit_, UINT32_MAX);
        run_blocks();
        ck_assert_uint_eq(outcome.unmet_waits, of[i] != 0);
        ck_assert_uint_ge(issue_of(1, alu)->cycle,
                          issue_of(0, exit_)->cycle +
                              (i == 0) * gpu.dram.latency);
    }
}
END_TEST

/* SMs run ahead where nobody listens to what they issue. */
static teg_status run_ahead(void)
{
    struct sim_engine_setup s = {
        .gpu = &gpu, .sms = gpu.chip.sms, .blocks_per_sm = 1};
    struct teg_launch l;
    teg_status status;

    help_launch_open(&launch, &l);
    status = sim_engine_run(&l, &s, &outcome, &diag);
    help_launch_release(&launch);
    return status;
}

/* Everybody waits for what nobody tells, and before that has waited for a load
 * whose end was open while its SM ran ahead: that wait is over, not what comes
 * next.  (The clock once went to the cycle that stands for open ends.) */
START_TEST(an_open_end_that_is_over_wakes_nobody)
{
    setup_program(2);
    uint32_t plain = help_memory(&launch.kernel.program, CLASS_LDG,
                                 SPACE_GLOBAL, INST_LOAD, 4, 1, 4);

    for (uint32_t b = 0; b < 2; b++) {
        put(b, plain, UINT32_MAX);
        put(b, alu, UINT32_MAX);
        put_load(b, 77, 7);
        put(b, plain, UINT32_MAX);
        put(b, alu, UINT32_MAX);
        put(b, exit_, UINT32_MAX);
    }
    gpu.dram.latency = 40; /* near: its cycle is kept apart from far ones */
    ck_assert_msg(run_ahead() == TEG_OK, "%s", diag.what);
    ck_assert_uint_eq(outcome.unmet_waits, 2);
    ck_assert_uint_lt(outcome.cycles, 5000);
}
END_TEST

HELP_MAIN("sim/engine/board", 30, {an_open_end_that_is_over_wakes_nobody, 0},
          {a_load_waits_for_the_store_it_sees, 0},
          {what_is_there_holds_nothing_up, 0}, {nobody_waits_for_ever, 0})
