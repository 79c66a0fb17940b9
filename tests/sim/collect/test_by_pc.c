/* Rows that sum up to the kernel's statistics, and producers by hand. */
#include "sim/collect/by_pc.h"

#include <stdlib.h>
#include <string.h>

#include "sim/teg.h"
#include "tests/help_gpu.h"
#include "tests/help_launch.h"
#include "tests/help_suite.h"

static struct teg_gpu gpu;
static struct help_launch launch;
static struct teg_statistics s;
static struct by_pc rows;

static void simulate(const struct help_warp *warp, uint32_t blocks,
                     uint32_t warps)
{
    struct sim_listener listener;
    struct teg_simulation_options options = {.listener = &listener,
                                             .listener_count = 1};
    struct teg_launch l;
    struct teg_diag d;

    launch.warp = warp;
    launch.blocks = blocks;
    launch.warps_per_block = warps;
    launch.kernel.block[0] = 32 * warps;
    launch.kernel.block[1] = launch.kernel.block[2] = 1;
    launch.kernel.registers = 16;
    by_pc_init(&rows);
    listener = by_pc_listener(&rows);
    help_launch_open(&launch, &l);
    ck_assert_msg(teg_simulate(&l, &gpu, &options, &s, &d) == TEG_OK, "%s",
                  d.what);
    ck_assert_int_eq(rows.failed, 0);
}

static void setup(void)
{
    help_gpu_plain(&gpu);
    memset(&launch, 0, sizeof launch);
}

static void teardown(void)
{
    by_pc_release(&rows);
    help_launch_release(&launch);
}

static struct help_step all(uint32_t inst)
{
    return (struct help_step){inst, UINT32_MAX, 0x1000, 4, NULL};
}

/* The plain chip's results take 10 cycles: the second add issues in cycle 10,
 * 9 cycles after it could have. */
START_TEST(a_wait_is_charged_to_who_wrote_the_operand)
{
    struct teg_program *p = &launch.kernel.program;
    struct help_step step[3];
    const struct help_warp warp = {step, 3};
    struct by_pc_producer producer;

    setup();
    step[0] = all(help_arith(p, CLASS_FADD, 1, 2, 3, 255));
    step[1] = all(help_arith(p, CLASS_FADD, 4, 1, 2, 255));
    step[2] = all(help_exit(p));
    simulate(&warp, 1, 1);
    ck_assert_uint_eq(rows.count, 3);
    producer = by_pc_longest(&rows.row[1]);
    ck_assert_uint_eq(rows.row[1].stall[STALL_WAIT], 9);
    ck_assert_uint_eq(producer.cycles, 9);
    ck_assert_uint_eq(producer.inst, 0);
    ck_assert_uint_eq(by_pc_longest(&rows.row[0]).cycles, 0);
    ck_assert_uint_eq(by_pc_longest(&rows.row[2]).cycles, 0);
    teardown();
}
END_TEST

/* A load and an add both feed the last instruction; the load comes last. */
START_TEST(of_two_operands_the_later_one_is_waited_for)
{
    struct teg_program *p = &launch.kernel.program;
    struct help_step step[4];
    const struct help_warp warp = {step, 4};
    struct by_pc_producer producer;

    setup();
    step[0] =
        all(help_memory(p, CLASS_LDG, SPACE_GLOBAL, INST_LOAD, 4, 5, 255));
    step[1] = all(help_arith(p, CLASS_FADD, 1, 2, 3, 255));
    step[2] = all(help_arith(p, CLASS_FADD, 6, 1, 5, 255));
    step[3] = all(help_exit(p));
    simulate(&warp, 1, 1);
    producer = by_pc_longest(&rows.row[2]);
    ck_assert_uint_eq(producer.inst, 0);
    ck_assert_uint_ge(producer.cycles, 90);
    ck_assert_uint_eq(producer.cycles, by_pc_stalled(&rows.row[2]));
    ck_assert_uint_eq(rows.row[0].requests, 1);
    /* 32 lanes of 4 bytes in a row: 128 bytes, all of them wanted */
    ck_assert_uint_eq(rows.row[0].useful_bytes, 128);
    teardown();
}
END_TEST

/* A register written by the warp that had the slot before is nobody's. */
START_TEST(producers_do_not_outlive_their_warp)
{
    struct teg_program *p = &launch.kernel.program;
    struct help_step first[2], second[2];
    struct help_warp warp[2] = {{first, 2}, {second, 2}};

    setup();
    gpu.sm.warps_max = 1;
    gpu.sm.blocks_max = 1;
    first[0] = all(help_arith(p, CLASS_FADD, 1, 2, 3, 255));
    second[0] = all(help_arith(p, CLASS_FADD, 4, 1, 2, 255));
    first[1] = second[1] = all(help_exit(p));
    simulate(warp, 2, 1);
    ck_assert_uint_eq(rows.row[1].issued, 1);
    ck_assert_uint_eq(by_pc_longest(&rows.row[1]).cycles, 0);
    teardown();
}
END_TEST

enum {
    STEPS = 60,
    WARPS = 24
};

static void random_steps(struct help_step *step, uint64_t *random)
{
    struct teg_program *p = &launch.kernel.program;

    for (uint32_t i = 0; i < 12; i++)
        help_arith(p, i % 3 == 0 ? CLASS_FMUL : CLASS_FADD,
                   (uint16_t)help_below(random, 6),
                   (uint16_t)help_below(random, 6),
                   (uint16_t)help_below(random, 6), 255);
    help_memory(p, CLASS_LDG, SPACE_GLOBAL, INST_LOAD, 4, 5, 2);
    help_memory(p, CLASS_LDS, SPACE_SHARED, INST_LOAD, 4, 4, 3);
    help_memory(p, CLASS_STG, SPACE_GLOBAL, INST_STORE, 4, 1, 2);
    for (uint32_t i = 0; i < STEPS; i++)
        step[i] = (struct help_step){help_below(random, 15),
                                     (uint32_t)help_random(random),
                                     0x100 * help_below(random, 64),
                                     4 * (int32_t)help_below(random, 40), NULL};
}

START_TEST(rows_sum_up_to_the_kernels_statistics)
{
    static struct help_step step[STEPS];
    struct help_warp warp[WARPS];
    uint64_t random = 77 + (uint64_t)_i, stalled = 0;
    struct by_pc_row sum = {0};

    setup();
    help_gpu_random(&gpu, &random);
    gpu.sm.warps_max = 16;
    gpu.sm.threads_max = 512;
    gpu.sm.threads_per_block_max = 512;
    gpu.sm.registers = 65536;
    gpu.sm.registers_per_thread_max = 255;
    random_steps(step, &random);
    for (int w = 0; w < WARPS; w++)
        warp[w] = (struct help_warp){step, STEPS};
    simulate(warp, 8, 3);
    for (uint32_t i = 0; i < rows.count; i++) {
        const struct by_pc_row *r = &rows.row[i];
        uint64_t waited =
            r->stall[STALL_LONG] + r->stall[STALL_SHORT] + r->stall[STALL_WAIT];
        uint64_t charged = 0;

        for (uint32_t k = 0; k < r->producers; k++)
            charged += r->producer[k].cycles;
        ck_assert_uint_eq(charged, waited);
        sum.issued += r->issued;
        sum.lanes += r->lanes;
        sum.requests += r->requests;
#define REQUEST(type, field, ...) sum.field += r->field;
#include "sim/collect/counters.def"
        sum.shared_requests += r->shared_requests;
        sum.passes += r->passes;
        sum.groups += r->groups;
        sum.constant_requests += r->constant_requests;
        sum.constant_addresses += r->constant_addresses;
        for (int k = 0; k < TEG_STALLS; k++)
            sum.stall[k] += r->stall[k];
    }
    ck_assert_uint_eq(sum.issued, s.warp_instructions);
    ck_assert_uint_eq(sum.issued, 8 * 3 * STEPS);
    ck_assert_uint_eq(sum.lanes, s.thread_instructions);
    ck_assert_uint_eq(sum.requests, s.memory.global_requests);
    ck_assert_uint_eq(sum.transactions, s.memory.transactions);
    ck_assert_uint_eq(sum.bytes, s.memory.bytes);
    ck_assert_uint_eq(sum.useful_bytes, s.memory.useful_bytes);
    ck_assert_uint_eq(sum.l1_sectors, s.memory.l1_sectors);
    ck_assert_uint_eq(sum.l1_hits, s.memory.l1_hits);
    ck_assert_uint_eq(sum.l2_sectors, s.memory.l2_sectors);
    ck_assert_uint_eq(sum.l2_hits, s.memory.l2_hits);
    ck_assert_uint_eq(sum.dram_bytes, s.memory.dram_bytes);
    ck_assert_uint_eq(sum.shared_requests, s.memory.shared_requests);
    ck_assert_uint_eq(sum.passes, s.memory.shared_passes);
    ck_assert_uint_eq(sum.groups, s.memory.shared_groups);
    ck_assert_uint_eq(sum.constant_requests, s.memory.constant_requests);
    ck_assert_uint_eq(sum.constant_addresses, s.memory.constant_addresses);
    for (int k = 0; k < TEG_STALLS; k++) {
        ck_assert_uint_eq(sum.stall[k], s.stall[k]);
        stalled += sum.stall[k];
    }
    ck_assert_uint_eq(sum.issued + stalled, s.resident_warp_cycles);
    teardown();
}
END_TEST

/* One SM's instruction is heard by the whole, the other's by a part. */
START_TEST(what_parts_hear_is_added)
{
    const struct sim_request a = {.space = SPACE_GLOBAL,
                                  .transactions = 1,
                                  .bytes = 20,
                                  .useful_bytes = 300,
                                  .l1_sectors = 4000,
                                  .l1_hits = 50000,
                                  .l2_sectors = 600000,
                                  .l2_hits = 7000000,
                                  .dram_bytes = 80000000};
    const struct sim_request b = {.space = SPACE_GLOBAL,
                                  .transactions = 2,
                                  .bytes = 30,
                                  .useful_bytes = 400,
                                  .l1_sectors = 5000,
                                  .l1_hits = 60000,
                                  .l2_sectors = 700000,
                                  .l2_hits = 8000000,
                                  .dram_bytes = 90000000};
    const struct sim_request shared = {
        .space = SPACE_SHARED, .passes = 7, .groups = 3};
    struct teg_program *p = &launch.kernel.program;
    struct sim_issue e = {.mask = 0xff, .stall = {[STALL_BARRIER] = 5}};
    struct sim_listener whole;
    const struct by_pc_row *row;
    void *part;

    setup();
    help_arith(p, CLASS_FADD, 1, 2, 3, 255);
    by_pc_init(&rows);
    whole = by_pc_listener(&rows);
    whole.on_start(whole.self, &gpu, p, 2);
    part = whole.split(whole.self);
    e.request = &a;
    whole.on_issue(whole.self, &e);
    e.sm = 1;
    e.request = &b;
    whole.on_issue(part, &e);
    e.request = &shared;
    whole.on_issue(part, &e);
    whole.join(whole.self, part);
    whole.on_finish(whole.self, 10);
    ck_assert_int_eq(rows.failed, 0);
    row = &rows.row[0];
    ck_assert_uint_eq(row->issued, 3);
    ck_assert_uint_eq(row->lanes, 24);
    ck_assert_uint_eq(row->stall[STALL_BARRIER], 15);
    ck_assert_uint_eq(row->requests, 2);
    ck_assert_uint_eq(row->transactions, 3);
    ck_assert_uint_eq(row->bytes, 50);
    ck_assert_uint_eq(row->useful_bytes, 700);
    ck_assert_uint_eq(row->l1_sectors, 9000);
    ck_assert_uint_eq(row->l1_hits, 110000);
    ck_assert_uint_eq(row->l2_sectors, 1300000);
    ck_assert_uint_eq(row->l2_hits, 15000000);
    ck_assert_uint_eq(row->dram_bytes, 170000000);
    ck_assert_uint_eq(row->shared_requests, 1);
    ck_assert_uint_eq(row->passes, 7);
    ck_assert_uint_eq(row->groups, 3);
    teardown();
}
END_TEST

START_TEST(the_most_stalled_come_first_and_the_unissued_last)
{
    struct teg_program *p = &launch.kernel.program;
    struct help_step step[3];
    const struct help_warp warp = {step, 3};
    struct by_pc_rank order[4];

    setup();
    help_arith(p, CLASS_FADD, 9, 9, 9, 255); /* never executed */
    step[0] = all(help_arith(p, CLASS_FADD, 1, 2, 3, 255));
    step[1] = all(help_arith(p, CLASS_FADD, 4, 1, 2, 255));
    step[2] = all(help_exit(p));
    simulate(&warp, 1, 1);
    ck_assert_uint_eq(rows.count, 4);
    ck_assert_uint_eq(by_pc_rank(&rows, order), 3);
    ck_assert_uint_eq(order[0].index, 2);
    ck_assert_uint_eq(order[1].index, 1);
    ck_assert_uint_eq(order[2].index, 3);
    ck_assert_uint_eq(order[3].index, 0);
    teardown();
}
END_TEST

HELP_MAIN("sim/collect/by_pc", 20,
          {a_wait_is_charged_to_who_wrote_the_operand, 0},
          {of_two_operands_the_later_one_is_waited_for, 0},
          {producers_do_not_outlive_their_warp, 0},
          {rows_sum_up_to_the_kernels_statistics, HELP_ROUNDS(30)},
          {what_parts_hear_is_added, 0},
          {the_most_stalled_come_first_and_the_unissued_last, 0})
