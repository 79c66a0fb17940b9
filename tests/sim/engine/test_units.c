/* Queues in front of units, and the unit that looks up lines: both sides of
 * each gate, from the rules of docs/simulator.md. */
#include "sim/engine/units.h"

#include "tests/sim/engine/runs.h"

/* A load/store unit that takes `interval` cycles for each instruction, behind
 * queues of `queue` for each scheduler. */
static void unit_behind_queues(uint32_t interval, uint32_t queue)
{
    setup();
    gpu.unit[0].queue = queue;
    set_timing(CLASS_LDS, 20, interval, 1);
    gpu.memory.transaction_interval = 0;
    help_memory(&launch.kernel.program, CLASS_LDS, SPACE_SHARED, INST_LOAD, 4,
                1, 255);
}

/* The unit begins with one every 10 cycles; 2 wait, so the fourth goes when the
 * second begins. */
START_TEST(a_queue_holds_what_its_unit_has_not_begun)
{
    static const uint64_t issue[] = {0, 1, 2, 10, 20};

    unit_behind_queues(10, 2);
    run_many(0, 5, 1);
    for (uint32_t i = 0; i < 5; i++) {
        ck_assert_uint_eq(heard.issue[i].cycle, issue[i]);
        ck_assert_uint_eq(heard.issue[i].queued, 10 * i - issue[i]);
        ck_assert_uint_eq(heard.issue[i].busy, 10);
        ck_assert_uint_eq(heard.issue[i].done, 10 * i + 20);
    }
    ck_assert_uint_eq(heard.issue[3].stall[STALL_MIO_THROTTLE], 7);
}
END_TEST

START_TEST(without_a_queue_the_warp_waits)
{
    unit_behind_queues(10, 0);
    run_many(0, 3, 1);
    ck_assert_uint_eq(heard.issue[1].cycle, 10);
    ck_assert_uint_eq(heard.issue[1].queued, 0);
    ck_assert_uint_eq(heard.issue[2].cycle, 20);
}
END_TEST

/* Each scheduler fills its own; the unit takes them in the order of issue. */
START_TEST(each_scheduler_has_its_own_queue)
{
    unit_behind_queues(10, 1);
    gpu.sm.schedulers = 2;
    run_many(0, 2, 2);
    ck_assert_uint_eq(heard.issues, 4);
    for (uint32_t i = 0; i < 4; i++)
        ck_assert_uint_eq(heard.issue[i].cycle + heard.issue[i].queued, 10 * i);
    ck_assert_uint_eq(heard.issue[0].cycle, 0);
    ck_assert_uint_eq(heard.issue[1].cycle, 0);
    ck_assert_uint_eq(heard.issue[2].cycle, 1);
    ck_assert_uint_eq(heard.issue[3].cycle, 10);
}
END_TEST

/* What frees the operands' barrier is the end of its turn in the unit. */
START_TEST(operands_are_read_when_the_unit_has_taken_them)
{
    struct help_step step[3] = {{0, UINT32_MAX, 0, 0, NULL},
                                {1, UINT32_MAX, 0, 0, NULL},
                                {2, UINT32_MAX, 0, 0, NULL}};
    struct teg_program *p = &launch.kernel.program;

    unit_behind_queues(10, 4);
    gpu.sm.dependences = DEPENDENCES_CONTROL;
    help_memory(p, CLASS_LDS, SPACE_SHARED, INST_LOAD, 4, 2, 255);
    help_arith(p, CLASS_FADD, 1, 2, 3, 255);
    gpu.unit_count = 2;
    gpu.unit[1] = (struct teg_unit){"alu", UNIT_SCOPE_SM, 1, 0, 0};
    gpu.timing[CLASS_FADD].unit[0] = 1;
    for (uint32_t i = 0; i < 3; i++)
        p->inst[i].control = (struct teg_control){
            .known = 1,
            .stall = 1,
            .write_barrier = 7,
            .read_barrier = i == 1 ? 0 : 7,
            .wait_mask = i == 2 ? 1 : 0,
        };
    run_steps(step, 3, 1);
    ck_assert_uint_eq(heard.issue[1].cycle, 1);
    ck_assert_uint_eq(heard.issue[2].cycle, 20);
}
END_TEST

/* A load of 8 lines holds the unit of lines for 8 cycles from its issue on, the
 * load/store unit for one: shared loads pass, global ones wait. */
START_TEST(lines_hold_up_global_accesses_alone)
{
    struct help_step step[2] = {{0, 0xff, 0x1000, 128, NULL},
                                {0, UINT32_MAX, 0, 4, NULL}};

    for (uint32_t global = 0; global < 2; global++) {
        setup();
        gpu.unit_count = 2;
        gpu.unit[1] = (struct teg_unit){"tags", UNIT_SCOPE_SM, 1, 0, 0};
        gpu.tag_unit = 1;
        set_timing(CLASS_LDG, 5, 1, 1);
        set_timing(CLASS_LDS, 5, 1, 1);
        help_memory(&launch.kernel.program, CLASS_LDG, SPACE_GLOBAL, INST_LOAD,
                    4, 1, 255);
        help_memory(&launch.kernel.program, CLASS_LDS, SPACE_SHARED, INST_LOAD,
                    4, 2, 255);
        step[1].inst = !global;
        run_steps(step, 2, 1);
        ck_assert_uint_eq(heard.issue[0].busy, 1);
        ck_assert_uint_eq(heard.issue[0].lines, 8);
        ck_assert_uint_eq(heard.issue[1].cycle, global ? 8 : 1);
        ck_assert_uint_eq(heard.issue[1].stall[STALL_LG_THROTTLE],
                          global ? 7 : 0);
    }
}
END_TEST

/* The passes of shared memory and of L1 are of one data stage: what takes N
 * cycles alone and M alone takes N + M together. */
START_TEST(shared_and_global_loads_share_the_data_stage)
{
    static struct help_step step[400];

    setup();
    gpu.unit[0].queue = 4;
    gpu.l1.bytes = 4096;
    gpu.l1.latency = 30;
    gpu.l1.banks = 32;
    set_timing(CLASS_LDG, 5, 1, 1);
    set_timing(CLASS_LDS, 25, 1, 1);
    help_memory(&launch.kernel.program, CLASS_LDG, SPACE_GLOBAL, INST_LOAD, 4,
                1, 255);
    help_memory(&launch.kernel.program, CLASS_LDS, SPACE_SHARED, INST_LOAD, 4,
                2, 255);
    /* strides of 2 words: 2 passes either way */
    for (uint32_t i = 0; i < 400; i++)
        step[i] = (struct help_step){i % 2, UINT32_MAX, 0x1000, 8, NULL};
    run_steps(step, 400, 1);
    for (uint32_t i = 100; i < 400; i++)
        ck_assert_uint_eq(heard.issue[i].cycle - heard.issue[i - 1].cycle, 2);
}
END_TEST

/* Two cycles a pass, but no more than one for each word of a lane. */
START_TEST(lanes_one_by_one_bound_passes_through_l1)
{
    static const struct {
        uint32_t mask;
        uint16_t width;
        int32_t stride;
        uint64_t busy;
    } row[] = {
        {UINT32_MAX, 4, 4, 1},    /* a pass, no conflict */
        {UINT32_MAX, 4, 8, 4},    /* 2 */
        {UINT32_MAX, 4, 64, 32},  /* 16 */
        {UINT32_MAX, 4, 128, 32}, /* 32 */
        {0xff, 4, 128, 8},        /* 8 */
        {0xff, 8, 128, 16},       /* 8 of two words */
    };

    for (uint32_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct help_step step = {0, row[i].mask, 0x1000, row[i].stride, NULL};

        setup();
        gpu.l1.bytes = 4096;
        gpu.l1.latency = 30;
        gpu.l1.banks = 32;
        gpu.l1.bank_interval = 2;
        gpu.l1.lane_interval = 1;
        gpu.memory.transaction_interval = 0;
        set_timing(CLASS_LDG, 5, 1, 1);
        help_memory(&launch.kernel.program, CLASS_LDG, SPACE_GLOBAL, INST_LOAD,
                    row[i].width, 1, 255);
        run_steps(&step, 1, 1);
        ck_assert_uint_eq(heard.issue[0].busy, row[i].busy);
    }
}
END_TEST

HELP_MAIN("sim/engine/units", 30,
          {a_queue_holds_what_its_unit_has_not_begun, 0},
          {without_a_queue_the_warp_waits, 0},
          {each_scheduler_has_its_own_queue, 0},
          {operands_are_read_when_the_unit_has_taken_them, 0},
          {lines_hold_up_global_accesses_alone, 0},
          {shared_and_global_loads_share_the_data_stage, 0},
          {lanes_one_by_one_bound_passes_through_l1, 0})
