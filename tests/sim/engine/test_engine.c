/* The engine's rules, each on both sides of its gate, with cycles worked out
 * by hand. */
#include "tests/sim/engine/runs.h"

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
    gpu.unit[1] = (struct teg_unit){"sfu", UNIT_SCOPE_SM, 1, 0, 0};
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

/* Two schedulers, a warp each, and a unit that takes an instruction every 4
 * cycles: neither has more of it than the other. */
START_TEST(a_shared_unit_goes_round_the_schedulers)
{
    setup();
    gpu.sm.schedulers = 2;
    gpu.unit[0].scope = UNIT_SCOPE_SM;
    set_timing(CLASS_FADD, 10, 4, 1);
    run_many(independent(CLASS_FADD), 4, 2);
    for (uint32_t k = 0; k < 8; k++) {
        ck_assert_uint_eq(heard.issue[k].cycle, 4 * k);
        ck_assert_uint_eq(heard.issue[k].scheduler, k % 2);
    }
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

/* Goes on with the next instruction behind one of the class, and elsewhere. */
static void run_to_next_and_elsewhere(enum teg_op_class c)
{
    struct teg_program *p = &launch.kernel.program;
    struct help_step step[4] = {{0, UINT32_MAX, 0, 0, NULL},
                                {1, UINT32_MAX, 0, 0, NULL},
                                {0, UINT32_MAX, 0, 0, NULL},
                                {2, UINT32_MAX, 0, 0, NULL}};

    set_timing(c, 1, 1, 5);
    gpu.sm.taken_interval = 12;
    help_arith(p, c, 255, 255, 255, 255);
    help_arith(p, CLASS_MOV, 1, 2, 255, 255);
    help_arith(p, CLASS_MOV, 3, 4, 255, 255);
    run_steps(step, 4, 1);
}

/* A branch to elsewhere, and one to the next instruction, which is none. */
START_TEST(a_taken_branch_fetches_elsewhere)
{
    setup();
    run_to_next_and_elsewhere(CLASS_BRANCH);
    ck_assert_uint_eq(heard.issue[1].cycle - heard.issue[0].cycle, 5);
    ck_assert_uint_eq(heard.issue[2].cycle - heard.issue[1].cycle, 1);
    ck_assert_uint_eq(heard.issue[3].cycle - heard.issue[2].cycle, 12);
    /* its own interval first, then where it goes on */
    ck_assert_uint_eq(heard.issue[3].stall[STALL_SAME_WARP], 4);
    ck_assert_uint_eq(heard.issue[3].stall[STALL_BRANCHING], 7);
    ck_assert_uint_eq(heard.issue[1].stall[STALL_BRANCHING], 0);
}
END_TEST

/* Where lanes meet costs what it says wherever the warp goes on, and no less
 * than a jump if it goes elsewhere. */
START_TEST(lanes_that_meet_wait)
{
    setup();
    gpu.sm.converge_interval = 9;
    run_to_next_and_elsewhere(CLASS_CONVERGE);
    ck_assert_uint_eq(heard.issue[1].cycle - heard.issue[0].cycle, 9);
    ck_assert_uint_eq(heard.issue[1].stall[STALL_BRANCHING], 4);
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
        gpu.fetch.cold = 1;
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

/* One after another, by their place in the block. */
START_TEST(warps_of_a_block_begin_in_turn)
{
    struct help_step step = {0, UINT32_MAX, 0, 0, NULL};
    struct help_warp warp[4] = {{&step, 1}, {&step, 1}, {&step, 1}, {&step, 1}};

    setup();
    chained(CLASS_FADD);
    gpu.chip.dispatch_latency = 5;
    gpu.chip.dispatch_warp_interval = 30;
    launch.warp = warp;
    launch.blocks = 2;
    launch.warps_per_block = 2;
    ck_assert(run_on(8) == TEG_OK);
    for (uint32_t i = 0; i < 4; i++) {
        uint64_t from = heard.issue[i].warp_id % 2 == 0 ? 5 : 35;

        ck_assert_uint_ge(heard.issue[i].cycle, from);
        ck_assert_uint_lt(heard.issue[i].cycle, from + 10);
        ck_assert_uint_ge(heard.issue[i].stall[STALL_DISPATCH], from);
    }
}
END_TEST

/* Whoever finds both units free takes the first, though the second has been
 * free for longer. */
START_TEST(the_first_unit_that_is_free_is_taken)
{
    setup();
    gpu.unit_count = 2;
    gpu.unit[1] = (struct teg_unit){"sfu", UNIT_SCOPE_SM, 1, 0, 0};
    gpu.timing[CLASS_FMUL] = (struct teg_timing){2, {0, 1}, 10, 4, 8};
    run_many(independent(CLASS_FMUL), 2, 1);
    ck_assert_uint_eq(heard.issue[1].cycle, 8);
    ck_assert_uint_eq(heard.issue[1].unit, 0);
}
END_TEST

/* Two adders, but one port for operands in shared memory: the second of two
 * warps waits until the first has read its own. */
START_TEST(shared_operands_wait_for_their_unit)
{
    struct help_step step = {0, UINT32_MAX, 0, 4, NULL};

    for (int port = 0; port < 2; port++) {
        setup();
        gpu.unit[0].count = 2;
        gpu.unit_count = 2;
        gpu.unit[1] = (struct teg_unit){"lsu", UNIT_SCOPE_SM, 1, 0, 0};
        if (port)
            gpu.operand_unit = 1;
        set_timing(CLASS_FADD, 10, 5, 1);
        help_memory(&launch.kernel.program, CLASS_FADD, SPACE_SHARED,
                    INST_OPERAND, 4, 1, 255);
        run_steps(&step, 1, 2);
        ck_assert_uint_eq(heard.issue[1].cycle, port ? 5 : 1);
    }
}
END_TEST

/* 17 lanes ask for 68 bytes: at 64 a cycle a second one begins. */
START_TEST(a_cycle_of_lanes_bytes_that_begins_is_taken)
{
    struct help_step step[2] = {{0, 0x1ffff, 0x1000, 4, NULL},
                                {0, 0xffff, 0x1000, 4, NULL}};

    setup();
    set_timing(CLASS_LDG, 1, 1, 1);
    gpu.memory.transaction_interval = 0.25;
    gpu.memory.lane_bytes_per_cycle = 64;
    help_memory(&launch.kernel.program, CLASS_LDG, SPACE_GLOBAL, INST_LOAD, 4,
                1, 255);
    run_steps(step, 2, 1);
    ck_assert_uint_eq(heard.issue[0].busy, 2);
    ck_assert_uint_eq(heard.issue[1].busy, 1);
}
END_TEST

/* Two set barrier 0, and the one that sets it last is done first: who waits
 * for it waits for both. */
START_TEST(a_barrier_opens_when_all_who_set_it_are_done)
{
    struct help_step step[3] = {{0, UINT32_MAX, 0, 0, NULL},
                                {1, UINT32_MAX, 0, 0, NULL},
                                {2, UINT32_MAX, 0, 0, NULL}};
    struct teg_program *p = &launch.kernel.program;

    setup();
    gpu.sm.dependences = DEPENDENCES_CONTROL;
    set_timing(CLASS_SFU, 40, 1, 1);
    set_timing(CLASS_SFU_TRIG, 10, 1, 1);
    help_arith(p, CLASS_SFU, 3, 1, 255, 255);
    help_arith(p, CLASS_SFU_TRIG, 4, 1, 255, 255);
    help_arith(p, CLASS_IADD, 5, 6, 255, 255);
    p->inst[0].control = (struct teg_control){1, 1, 0, 0, 7, 0};
    p->inst[1].control = (struct teg_control){1, 1, 0, 0, 7, 0};
    p->inst[2].control = (struct teg_control){1, 1, 0, 7, 7, 1};
    run_steps(step, 3, 1);
    ck_assert_uint_eq(heard.issue[1].cycle, 1);
    ck_assert_uint_eq(heard.issue[2].cycle, 40);
}
END_TEST

HELP_MAIN("sim/engine", 60, {dependent_chains_hide_behind_each_other, 0},
          {one_warp_waits_its_same_warp_interval, 0},
          {double_precision_is_bound_by_its_unit, 0},
          {two_units_share_a_class, 0},
          {second_issue_waits_the_initiation_interval, 0},
          {a_unit_with_a_capacity_holds_no_more, 0},
          {each_scheduler_has_its_own_units, 0},
          {a_shared_unit_goes_round_the_schedulers, 0},
          {a_destination_waits_for_nobody, 0},
          {masked_arithmetic_takes_as_long, 0}, {masked_loads_move_less, 0},
          {shared_operands_degrade_with_their_conflicts, 0},
          {a_cluster_holds_so_many_bytes, 0}, {channel_skew_shows, 0},
          {a_barrier_waits_for_the_last_and_then_its_latency, 0},
          {an_exit_counts_at_the_barrier, 0},
          {a_barrier_that_is_never_reached_is_named, 0},
          {a_block_with_more_warps_than_slots_is_refused, 0},
          {blocks_wait_for_a_place, 0}, {lanes_bytes_take_their_time, 0},
          {a_taken_branch_fetches_elsewhere, 0}, {lanes_that_meet_wait, 0},
          {code_that_does_not_fit_comes_anew_each_round, 0},
          {blocks_are_handed_out_in_fractions_of_a_cycle, 0},
          {the_grid_spreads_over_the_chip_before_it_stacks, 0},
          {warps_of_a_block_begin_in_turn, 0},
          {the_first_unit_that_is_free_is_taken, 0},
          {shared_operands_wait_for_their_unit, 0},
          {a_cycle_of_lanes_bytes_that_begins_is_taken, 0},
          {a_barrier_opens_when_all_who_set_it_are_done, 0})
