/* The engine's rules, each on both sides of its gate, with cycles worked out
 * by hand. */
#include "sim/engine/engine.h"

#include <stdlib.h>
#include <string.h>

#include "tests/help_gpu.h"
#include "tests/help_launch.h"
#include "tests/help_suite.h"

enum {
    ISSUES_MAX = 4096
};

struct heard {
    struct sim_issue issue[ISSUES_MAX];
    uint32_t issues;
};

static struct teg_gpu gpu;
static struct heard heard;
static struct help_launch launch;
static struct sim_engine_outcome outcome;
static struct teg_diag diag;

static void setup(void)
{
    help_gpu_plain(&gpu);
    memset(&launch, 0, sizeof launch);
    heard.issues = 0;
}

static void on_issue(void *self, const struct sim_issue *e)
{
    struct heard *h = self;

    ck_assert_uint_lt(h->issues, ISSUES_MAX);
    h->issue[h->issues++] = *e;
}

static teg_status run_on(uint32_t blocks_per_sm)
{
    struct teg_launch l;
    struct sim_listener listener = {.self = &heard, .on_issue = on_issue};
    struct sim_engine_setup s = {.gpu = &gpu,
                                 .sms = gpu.chip.sms,
                                 .blocks_per_sm = blocks_per_sm,
                                 .listener = &listener,
                                 .listeners = 1};
    teg_status status;

    heard.issues = 0;
    help_launch_open(&launch, &l);
    status = sim_engine_run(&l, &s, &outcome, &diag);
    help_launch_release(&launch);
    return status;
}

/* One block of `warps` warps that all do the same. */
static uint64_t run_steps(const struct help_step *step, uint32_t steps,
                          uint32_t warps)
{
    struct help_warp warp[64];

    for (uint32_t w = 0; w < warps; w++)
        warp[w] = (struct help_warp){step, steps};
    launch.warp = warp;
    launch.blocks = 1;
    launch.warps_per_block = warps;
    ck_assert_msg(run_on(1) == TEG_OK, "%s", diag.what);
    return outcome.cycles;
}

/* `n` times `inst`. */
static uint64_t run_many(uint32_t inst, uint32_t n, uint32_t warps)
{
    static struct help_step step[2048];

    for (uint32_t i = 0; i < n; i++)
        step[i] = (struct help_step){inst, UINT32_MAX, 0, 0, NULL};
    return run_steps(step, n, warps);
}

static void set_timing(enum teg_op_class c, uint32_t latency, uint32_t interval,
                       uint32_t same_warp)
{
    gpu.timing[c] =
        (struct teg_timing){1, {0, 0}, latency, interval, same_warp};
}

/* Table 3.1 of Lai 2013: 24, 4, 8, a pick every 2 cycles. */
static void like_gt200(void)
{
    gpu.sm.issue_period = 2;
    set_timing(CLASS_FADD, 24, 4, 8);
    set_timing(CLASS_DADD, 48, 32, 32);
}

static uint32_t chained(enum teg_op_class c)
{
    return help_arith(&launch.kernel.program, c, 1, 1, 2, 255);
}

static uint32_t independent(enum teg_op_class c)
{
    return help_arith(&launch.kernel.program, c, 1, 2, 3, 255);
}

/* Lai 2013, 3.2.2.1: dependent FADDs are 24 cycles apart; from 6 warps on the
 * unit's interval of 4 decides.  (acceptance A5) */
START_TEST(dependent_chains_hide_behind_each_other)
{
    static const struct {
        uint32_t warps;
        uint64_t per_inst;
    } expect[] = {{1, 24}, {2, 12}, {4, 6}, {6, 4}, {12, 4}};

    setup();
    for (size_t i = 0; i < sizeof expect / sizeof expect[0]; i++) {
        uint64_t cycles, n = 240;

        setup();
        like_gt200();
        cycles = run_many(chained(CLASS_FADD), (uint32_t)n, expect[i].warps);
        ck_assert_double_eq_tol((double)cycles / (double)(n * expect[i].warps),
                                (double)expect[i].per_inst, 0.11);
    }
}
END_TEST

/* One warp alone issues every 8 cycles, two or more every 4. (A2, A3) */
START_TEST(one_warp_waits_its_same_warp_interval)
{
    setup();
    like_gt200();
    ck_assert_uint_eq(run_many(independent(CLASS_FADD), 100, 1), 99 * 8 + 24);
    ck_assert_uint_eq(heard.issue[1].cycle, 8);
    ck_assert_uint_eq(heard.issue[1].stall[STALL_SAME_WARP], 7);
    setup();
    like_gt200();
    ck_assert_uint_eq(run_many(independent(CLASS_FADD), 100, 2), 199 * 4 + 24);
}
END_TEST

/* 32 cycles an instruction, however many warps. (A6) */
START_TEST(double_precision_is_bound_by_its_unit)
{
    setup();
    for (uint32_t warps = 1; warps <= 16; warps *= 4) {
        setup();
        like_gt200();
        ck_assert_uint_eq(run_many(independent(CLASS_DADD), 20, warps),
                          (20 * warps - 1) * 32 + 48);
    }
}
END_TEST

/* Float multiply goes to SP or SFU, 4 cycles each: 2 together. (A4) */
START_TEST(two_units_share_a_class)
{
    setup();
    like_gt200();
    gpu.unit_count = 2;
    gpu.unit[1] = (struct teg_unit){"sfu", UNIT_SCOPE_SM, 1, 0};
    gpu.timing[CLASS_FMUL] = (struct teg_timing){2, {0, 1}, 24, 4, 8};
    ck_assert_uint_eq(run_many(independent(CLASS_FMUL), 100, 4), 399 * 2 + 24);
    ck_assert_uint_eq(heard.issue[0].unit, 0);
    ck_assert_uint_eq(heard.issue[1].unit, 1);
}
END_TEST

START_TEST(second_issue_waits_the_initiation_interval)
{
    setup();
    set_timing(CLASS_FADD, 10, 5, 1);
    run_many(independent(CLASS_FADD), 1, 2);
    ck_assert_uint_eq(heard.issue[0].cycle, 0);
    ck_assert_uint_eq(heard.issue[1].cycle, 5);
    /* cycle 0 went to warp 0; from then on the unit is why */
    ck_assert_uint_eq(heard.issue[1].stall[STALL_NOT_SELECTED], 1);
    ck_assert_uint_eq(heard.issue[1].stall[STALL_MATH_THROTTLE], 4);
}
END_TEST

START_TEST(a_unit_with_a_capacity_holds_no_more)
{
    setup();
    set_timing(CLASS_FADD, 30, 1, 1);
    gpu.unit[0].capacity = 2;
    run_many(independent(CLASS_FADD), 1, 3);
    ck_assert_uint_eq(heard.issue[1].cycle, 1);
    ck_assert_uint_eq(heard.issue[2].cycle, 30);
}
END_TEST

START_TEST(each_scheduler_has_its_own_units)
{
    setup();
    gpu.sm.schedulers = 2;
    gpu.unit[0].scope = UNIT_SCOPE_SCHEDULER;
    set_timing(CLASS_FADD, 10, 4, 1);
    run_many(independent(CLASS_FADD), 1, 4);
    ck_assert_uint_eq(heard.issue[0].cycle, 0);
    ck_assert_uint_eq(heard.issue[1].cycle, 0);
    ck_assert_uint_eq(heard.issue[1].scheduler, 1);
    ck_assert_uint_eq(heard.issue[2].cycle, 4);
}
END_TEST

/* Only sources gate: writing a register that is under way does not wait.
 * (Lai 2013, Listing 3.3: the closing S2R overwrites R4) */
START_TEST(a_destination_waits_for_nobody)
{
    struct help_step step[2] = {{0, UINT32_MAX, 0, 0, NULL},
                                {1, UINT32_MAX, 0, 0, NULL}};

    setup();
    help_arith(&launch.kernel.program, CLASS_FADD, 4, 2, 3, 255);
    help_arith(&launch.kernel.program, CLASS_S2R, 4, 255, 255, 255);
    run_steps(step, 2, 1);
    ck_assert_uint_eq(heard.issue[1].cycle, 1);
}
END_TEST

/* Active lanes do not matter to arithmetic. (A14) */
START_TEST(masked_arithmetic_takes_as_long)
{
    struct help_step full[3], some[3];
    uint64_t cycles;

    setup();
    for (int i = 0; i < 3; i++) {
        full[i] = (struct help_step){0, UINT32_MAX, 0, 0, NULL};
        some[i] = (struct help_step){0, 1, 0, 0, NULL};
    }
    chained(CLASS_FADD);
    cycles = run_steps(full, 3, 2);
    setup();
    chained(CLASS_FADD);
    ck_assert_uint_eq(run_steps(some, 3, 2), cycles);
}
END_TEST

/* A masked load asks for less, a load without an active lane for nothing. */
START_TEST(masked_loads_move_less)
{
    struct help_step step[2] = {{0, 1, 0x1000, 128, NULL},
                                {0, 0, 0x1000, 128, NULL}};

    setup();
    help_memory(&launch.kernel.program, CLASS_LDG, SPACE_GLOBAL, INST_LOAD, 4,
                1, 255);
    set_timing(CLASS_LDG, 10, 1, 1);
    run_steps(step, 2, 1);
    ck_assert_uint_eq(heard.issue[0].done - heard.issue[0].cycle, 100);
    ck_assert_uint_eq(heard.issue[1].done - heard.issue[1].cycle, 10);
    ck_assert_ptr_null(heard.issue[1].request);
}
END_TEST

/* FADD with a shared operand: 74 cycles, 266 with a 16-way conflict, and the
 * unit is taken for 2 cycles per pass. (Lai 2013, 3.2.3.3; A11, A12) */
START_TEST(shared_operands_degrade_with_their_conflicts)
{
    setup();
    for (int ways = 0; ways <= 16; ways = ways == 0 ? 1 : ways * 2) {
        struct help_step step = {0, UINT32_MAX, 0, 4 * ways, NULL};
        uint64_t degree = ways == 0 ? 1 : (uint64_t)ways;

        setup();
        like_gt200();
        gpu.shared.banks = gpu.shared.group = 16;
        gpu.shared.broadcast = BROADCAST_ONE;
        gpu.shared.pass_interval = 2;
        gpu.shared.conflict_latency = 6.4;
        gpu.shared.operand_latency = 74;
        help_memory(&launch.kernel.program, CLASS_FADD, SPACE_SHARED,
                    INST_OPERAND, 4, 1, 255);
        run_steps(&step, 1, 2);
        /* 74 + (266 - 74) (d - 1) / 15, to the cycle */
        ck_assert_uint_eq(heard.issue[0].done,
                          74 + (uint64_t)(12.8 * (double)(degree - 1) + 0.5));
        ck_assert_uint_eq(heard.issue[1].cycle, 4 * degree);
    }
}
END_TEST

/* Eq. 3.2 of Lai 2013 as bytes: 18 double-precision requests outstanding. */
START_TEST(a_cluster_holds_so_many_bytes)
{
    struct help_step step[20];

    setup();
    for (uint64_t i = 0; i < 20; i++)
        step[i] = (struct help_step){0, UINT32_MAX, 256 * i, 8, NULL};
    help_memory(&launch.kernel.program, CLASS_LDG, SPACE_GLOBAL, INST_LOAD, 8,
                1, 255);
    gpu.memory.in_flight_bytes = 4810;
    gpu.memory.coalescing = COALESCING_CC12;
    gpu.memory.transaction_interval = 0;
    gpu.dram.latency = 440;
    run_steps(step, 20, 1);
    ck_assert_uint_eq(heard.issue[17].cycle, 17);
    ck_assert_uint_eq(heard.issue[18].cycle, 440);
    ck_assert_uint_eq(heard.issue[18].stall[STALL_LG_THROTTLE], 440 - 18);
}
END_TEST

/* Requests to one of two channels take twice as long as to both. */
START_TEST(channel_skew_shows)
{
    uint64_t cycles[2];

    setup();
    for (int skewed = 0; skewed < 2; skewed++) {
        static struct help_step step[256];

        setup();
        for (uint64_t i = 0; i < 256; i++)
            step[i] = (struct help_step){0, UINT32_MAX,
                                         (skewed ? 512 : 256) * i, 4, NULL};
        help_memory(&launch.kernel.program, CLASS_LDG, SPACE_GLOBAL, INST_LOAD,
                    4, 1, 255);
        gpu.dram.channels = 2;
        gpu.dram.bandwidth_gbs = 16; /* 16 bytes a cycle */
        cycles[skewed] = run_steps(step, 256, 1);
    }
    /* 256 x 128 bytes at 16, at 8 bytes a cycle; the last one's latency */
    ck_assert_uint_le(cycles[0], 256 * 128 / 16 + 110);
    ck_assert_uint_ge(cycles[0], 256 * 128 / 16);
    ck_assert_uint_le(cycles[1], 256 * 128 / 8 + 110);
    ck_assert_uint_ge(cycles[1], 256 * 128 / 8);
}
END_TEST

START_TEST(a_barrier_waits_for_the_last_and_then_its_latency)
{
    struct help_step slow[4] = {{0, UINT32_MAX, 0, 0, NULL},
                                {0, UINT32_MAX, 0, 0, NULL},
                                {1, UINT32_MAX, 0, 0, NULL},
                                {2, UINT32_MAX, 0, 0, NULL}};
    struct help_warp warp[2] = {{slow, 4}, {slow + 2, 2}};

    setup();
    chained(CLASS_FADD);
    help_barrier(&launch.kernel.program);
    help_exit(&launch.kernel.program);
    gpu.sm.barrier_latency = 7;
    launch.warp = warp;
    launch.blocks = 1;
    launch.warps_per_block = 2;
    ck_assert(run_on(1) == TEG_OK);
    /* warp 0: 0, 10, BAR at 11; warp 1: BAR at 1; both on at 18 */
    for (uint32_t i = 0; i < heard.issues; i++) {
        const struct sim_issue *e = &heard.issue[i];

        if (e->inst != 2)
            continue;
        ck_assert_uint_ge(e->cycle, 18);
        ck_assert_uint_le(e->cycle, 19);
        ck_assert_uint_eq(e->stall[STALL_BARRIER], e->stream == 0 ? 6 : 18 - 2);
    }
}
END_TEST

/* Warps that have left do not hold the others up. */
START_TEST(an_exit_counts_at_the_barrier)
{
    struct help_step on[2] = {{0, UINT32_MAX, 0, 0, NULL},
                              {1, UINT32_MAX, 0, 0, NULL}};
    struct help_warp warp[2] = {{on, 2}, {on + 1, 1}};

    setup();
    help_barrier(&launch.kernel.program);
    help_exit(&launch.kernel.program);
    launch.warp = warp;
    launch.blocks = 1;
    launch.warps_per_block = 2;
    ck_assert(run_on(1) == TEG_OK);
}
END_TEST

START_TEST(a_barrier_that_is_never_reached_is_named)
{
    struct help_step on[3] = {{0, UINT32_MAX, 0, 0, NULL},
                              {1, UINT32_MAX, 0, 0, NULL},
                              {2, UINT32_MAX, 0, 0, NULL}};
    struct help_warp warp[2] = {{on, 3}, {on, 1}};

    setup();
    chained(CLASS_FADD);
    help_barrier(&launch.kernel.program);
    help_exit(&launch.kernel.program);
    launch.warp = warp;
    launch.blocks = 1;
    launch.warps_per_block = 2;
    ck_assert(run_on(1) == TEG_DEADLOCK);
    ck_assert_str_eq(diag.where, "block 0,0,0");
    ck_assert_ptr_nonnull(strstr(diag.what, "warp 0 waits"));
    ck_assert_ptr_nonnull(strstr(diag.what, "pc 0x10"));
    ck_assert_ptr_nonnull(strstr(diag.what, "warp 1 ends at pc 0x0"));
}
END_TEST

START_TEST(a_block_with_more_warps_than_slots_is_refused)
{
    struct help_step step = {0, UINT32_MAX, 0, 0, NULL};
    struct help_warp warp[5] = {
        {&step, 1}, {&step, 1}, {&step, 1}, {&step, 1}, {&step, 1}};

    setup();
    chained(CLASS_FADD);
    gpu.sm.warps_max = 4;
    launch.warp = warp;
    launch.blocks = 1;
    launch.warps_per_block = 5;
    ck_assert(run_on(8) == TEG_LIMIT);
    ck_assert_str_eq(diag.where, "block 0,0,0");
}
END_TEST

/* Five blocks, two at a time: the third starts when the first is done. */
START_TEST(blocks_wait_for_a_place)
{
    struct help_step step = {0, UINT32_MAX, 0, 0, NULL};
    struct help_warp warp[5] = {
        {&step, 1}, {&step, 1}, {&step, 1}, {&step, 1}, {&step, 1}};

    setup();
    chained(CLASS_FADD);
    launch.warp = warp;
    launch.blocks = 5;
    launch.warps_per_block = 1;
    ck_assert(run_on(2) == TEG_OK);
    ck_assert_uint_eq(heard.issue[0].cycle, 0);
    ck_assert_uint_eq(heard.issue[1].cycle, 1);
    ck_assert_uint_eq(heard.issue[2].cycle, 10);
    ck_assert_uint_eq(heard.issue[4].cycle, 20);
    ck_assert_uint_eq(outcome.cycles, 30);
}
END_TEST

/* 128 and 512 bytes of the lanes' own at 64 a cycle: the unit is taken for 2
 * and 8 cycles, though tags are looked up four in a cycle. */
START_TEST(lanes_bytes_take_their_time)
{
    struct help_step step[3] = {{0, UINT32_MAX, 0x1000, 4, NULL},
                                {1, UINT32_MAX, 0x1000, 16, NULL},
                                {0, UINT32_MAX, 0x1000, 0, NULL}};

    setup();
    set_timing(CLASS_LDG, 1, 1, 1);
    gpu.memory.transaction_interval = 0.25;
    gpu.memory.lane_bytes_per_cycle = 64;
    help_memory(&launch.kernel.program, CLASS_LDG, SPACE_GLOBAL, INST_LOAD, 4,
                1, 255);
    help_memory(&launch.kernel.program, CLASS_LDG, SPACE_GLOBAL, INST_LOAD, 16,
                4, 255);
    run_steps(step, 3, 1);
    ck_assert_uint_eq(heard.issue[1].cycle - heard.issue[0].cycle, 2);
    ck_assert_uint_eq(heard.issue[2].cycle - heard.issue[1].cycle, 8);
}
END_TEST

/* A branch to elsewhere, and one to the next instruction, which is none. */
START_TEST(a_taken_branch_fetches_elsewhere)
{
    struct teg_program *p = &launch.kernel.program;
    struct help_step step[4] = {{0, UINT32_MAX, 0, 0, NULL},
                                {1, UINT32_MAX, 0, 0, NULL},
                                {0, UINT32_MAX, 0, 0, NULL},
                                {2, UINT32_MAX, 0, 0, NULL}};

    setup();
    set_timing(CLASS_BRANCH, 1, 1, 5);
    gpu.sm.taken_interval = 12;
    help_arith(p, CLASS_BRANCH, 255, 255, 255, 255);
    help_arith(p, CLASS_MOV, 1, 2, 255, 255);
    help_arith(p, CLASS_MOV, 3, 4, 255, 255);
    run_steps(step, 4, 1);
    ck_assert_uint_eq(heard.issue[1].cycle - heard.issue[0].cycle, 5);
    ck_assert_uint_eq(heard.issue[2].cycle - heard.issue[1].cycle, 1);
    ck_assert_uint_eq(heard.issue[3].cycle - heard.issue[2].cycle, 12);
}
END_TEST

/* Two rounds of a loop of eight lines of two instructions: the scheduler's
 * cache of four lines keeps none of them, one of eight all. */
START_TEST(code_that_does_not_fit_comes_anew_each_round)
{
    enum {
        INSTS = 16,
        LINE = 16,
    };
    struct teg_program *p = &launch.kernel.program;
    struct help_step step[2 * INSTS];

    for (uint32_t lines = 4; lines <= 8; lines += 4) {
        uint64_t waited = 0;

        setup();
        set_timing(CLASS_MOV, 1, 1, 1);
        gpu.fetch.line_bytes = LINE;
        gpu.fetch.ways = lines;
        gpu.fetch.l0_bytes = lines * LINE;
        gpu.fetch.l1_bytes = 64 * LINE;
        gpu.fetch.l1_latency = 30;
        gpu.fetch.miss_latency = 200;
        for (uint32_t i = 0; i < 2 * INSTS; i++) {
            if (i < INSTS)
                help_arith(p, CLASS_MOV, 1, 255, 255, 255);
            step[i] = (struct help_step){i % INSTS, UINT32_MAX, 0, 0, NULL};
        }
        run_steps(step, 2 * INSTS, 1);
        /* the first round, its first line aside, which the start hides */
        for (uint32_t i = 1; i < INSTS; i++)
            waited += heard.issue[i].stall[STALL_NO_INSTRUCTION];
        ck_assert_uint_eq(waited, 199 + 6 * 199);
        waited = 0;
        for (uint32_t i = INSTS; i < 2 * INSTS; i++)
            waited += heard.issue[i].stall[STALL_NO_INSTRUCTION];
        ck_assert_uint_eq(waited, lines == 4 ? 8 * 29 : 0);
    }
}
END_TEST

/* A block every 1.25 cycles: rounded up one by one, not added up. */
START_TEST(blocks_are_handed_out_in_fractions_of_a_cycle)
{
    static const uint64_t at[5] = {0, 2, 3, 4, 5};
    struct help_step step = {0, UINT32_MAX, 0, 0, NULL};
    struct help_warp warp[5] = {
        {&step, 1}, {&step, 1}, {&step, 1}, {&step, 1}, {&step, 1}};

    setup();
    chained(CLASS_FADD);
    gpu.chip.dispatch_interval = 1.25;
    launch.warp = warp;
    launch.blocks = 5;
    launch.warps_per_block = 1;
    ck_assert(run_on(8) == TEG_OK);
    for (uint32_t i = 0; i < 5; i++)
        ck_assert_uint_eq(heard.issue[i].arrived, at[i]);
}
END_TEST

START_TEST(the_grid_spreads_over_the_chip_before_it_stacks)
{
    struct help_step step = {0, UINT32_MAX, 0, 0, NULL};
    struct help_warp warp[6] = {{&step, 1}, {&step, 1}, {&step, 1},
                                {&step, 1}, {&step, 1}, {&step, 1}};

    setup();
    chained(CLASS_FADD);
    gpu.chip.sms = 3;
    gpu.chip.dispatch_interval = 2;
    gpu.chip.dispatch_latency = 5;
    launch.warp = warp;
    launch.blocks = 6;
    launch.warps_per_block = 1;
    ck_assert(run_on(8) == TEG_OK);
    for (uint32_t i = 0; i < 6; i++) {
        ck_assert_uint_eq(heard.issue[i].sm, heard.issue[i].block % 3);
        ck_assert_uint_eq(heard.issue[i].arrived, 2 * heard.issue[i].block);
        ck_assert_uint_ge(heard.issue[i].stall[STALL_DISPATCH], 5);
    }
}
END_TEST

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
    };

    setup();
    for (size_t i = 0; i < sizeof expect / sizeof expect[0]; i++) {
        setup();
        gpu.sm.policy = expect[i].policy;
        run_many(independent(CLASS_FADD), 2, 3);
        for (uint32_t k = 0; k < 6; k++)
            ck_assert_uint_eq(heard.issue[k].slot, expect[i].order[k]);
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
        {CLASS_TEX, SPACE_TEXTURE, STALL_LG_THROTTLE},
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

HELP_MAIN("sim/engine", 60, {control_codes_say_what_is_waited_for, 0},
          {a_read_barrier_opens_early, 0},
          {dependent_chains_hide_behind_each_other, 0},
          {one_warp_waits_its_same_warp_interval, 0},
          {double_precision_is_bound_by_its_unit, 0},
          {two_units_share_a_class, 0},
          {second_issue_waits_the_initiation_interval, 0},
          {a_unit_with_a_capacity_holds_no_more, 0},
          {each_scheduler_has_its_own_units, 0},
          {a_destination_waits_for_nobody, 0},
          {masked_arithmetic_takes_as_long, 0}, {masked_loads_move_less, 0},
          {shared_operands_degrade_with_their_conflicts, 0},
          {a_cluster_holds_so_many_bytes, 0}, {channel_skew_shows, 0},
          {a_barrier_waits_for_the_last_and_then_its_latency, 0},
          {an_exit_counts_at_the_barrier, 0},
          {a_barrier_that_is_never_reached_is_named, 0},
          {a_block_with_more_warps_than_slots_is_refused, 0},
          {blocks_wait_for_a_place, 0},
          {the_grid_spreads_over_the_chip_before_it_stacks, 0},
          {a_taken_branch_fetches_elsewhere, 0},
          {lanes_bytes_take_their_time, 0},
          {code_that_does_not_fit_comes_anew_each_round, 0},
          {blocks_are_handed_out_in_fractions_of_a_cycle, 0},
          {policies_choose_as_they_are_called, 0},
          {strict_round_robin_wastes_the_slot, 0},
          {waits_are_named_after_the_producer, 0},
          {refusals_are_named_after_where_it_goes, 0})
