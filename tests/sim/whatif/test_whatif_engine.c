/*
 * What-ifs on the engine: the bottleneck each one removes is gone from the
 * stalls and counters of a kernel that has them all, and its cycles fall.
 */
#include "sim/engine/engine.h"
#include "sim/teg.h"
#include "tests/help_launch.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCKS = 4,
    WARPS = 4, /* of a block */
    ROUNDS = 6,
    STEPS_MAX = 10 * ROUNDS + 1,
    CHANNELS = 4,
    INTERLEAVE = 256,
};

static const uint32_t FULL = 0xffffffffu, ODD = 0xaaaaaaaau;

/* What the listener adds up. */
struct sums {
    uint64_t stall[TEG_STALLS];
    uint64_t insts, transactions, dram_bytes, passes, groups;
    struct sim_engine_outcome outcome;
};

static struct teg_gpu gpu;
static struct help_launch source;
static struct help_step step[BLOCKS * WARPS][STEPS_MAX];
static struct help_warp warp[BLOCKS * WARPS];
static struct sums base;

static void on_issue(void *self, const struct sim_issue *issue)
{
    struct sums *sums = self;

    sums->insts++;
    for (int i = 0; i < TEG_STALLS; i++)
        sums->stall[i] += issue->stall[i];
    if (issue->request == NULL)
        return;
    sums->transactions += issue->request->transactions;
    sums->dram_bytes += issue->request->dram_bytes;
    sums->passes += issue->request->passes;
    sums->groups += issue->request->groups;
}

/* ---- a small chip and a kernel full of bottlenecks ---- */

static void set_gpu(void)
{
    memset(&gpu, 0, sizeof gpu);
    gpu.chip.compute_capability = 70;
    gpu.chip.sm_clock_mhz = 1000;
    gpu.chip.sms = 2;
    gpu.chip.sms_per_cluster = 1;
    gpu.sm.schedulers = 1;
    gpu.sm.issue_period = 1;
    gpu.sm.warps_max = 8;
    gpu.sm.threads_max = 256;
    gpu.sm.blocks_max = 2;
    gpu.sm.barrier_latency = 4;
    gpu.shared.banks = 32;
    gpu.shared.bank_bytes = 4;
    gpu.shared.group = 32;
    gpu.shared.pass_interval = 2;
    gpu.shared.conflict_latency = 2;
    gpu.memory.coalescing = COALESCING_SECTORS;
    gpu.memory.transaction_interval = 1;
    gpu.l2.slices = 1;
    gpu.dram.channels = CHANNELS;
    gpu.dram.interleave_bytes = INTERLEAVE;
    gpu.dram.bandwidth_gbs = 16;
    gpu.dram.latency = 400;
    gpu.operand_unit = gpu.tag_unit = TEG_NO_UNIT;
    gpu.unit_count = 2;
    gpu.unit[0] = (struct teg_unit){"sp", UNIT_SCOPE_SCHEDULER, 1, 0, 0};
    gpu.unit[1] = (struct teg_unit){"lsu", UNIT_SCOPE_SM, 1, 0, 0};
    for (enum teg_op_class c = 0; c < TEG_CLASSES; c++) {
        int memory = teg_op_class_facts(c)->kind == RESULT_LONG;

        gpu.timing[c] =
            (struct teg_timing){1, {memory || c == CLASS_LDS}, 20, 8, 12};
    }
    gpu.timing[CLASS_LDG].latency = 400;
    gpu.timing[CLASS_LDS].latency = 30;
}

static void add_step(uint32_t w, uint32_t inst, uint32_t mask, uint64_t base_,
                     int32_t stride)
{
    step[w][warp[w].steps++] =
        (struct help_step){inst, mask, base_, stride, NULL};
}

static void fill_warp(uint32_t w, uint32_t load, uint32_t shared, uint32_t add,
                      uint32_t sync, uint32_t exit_)
{
    warp[w] = (struct help_warp){step[w], 0};
    for (uint64_t round = 0; round < ROUNDS; round++) {
        /* all lanes in one channel, each in a line of its own */
        add_step(w, load, FULL, (w * ROUNDS + round) << 20,
                 CHANNELS * INTERLEAVE);
        add_step(w, add, FULL, 0, 0);
        /* 32 lanes in one bank */
        add_step(w, shared, FULL, 0, 128);
        add_step(w, add, FULL, 0, 0);
        /* both sides of a branch */
        for (int i = 0; i < 2; i++) {
            add_step(w, add, ODD, 0, 0);
            add_step(w, add, ~ODD, 0, 0);
        }
        /* warps arrive one after the other */
        for (uint32_t i = 0; i < w % WARPS && round == 0; i++)
            add_step(w, add, FULL, 0, 0);
        add_step(w, sync, FULL, 0, 0);
    }
    add_step(w, exit_, FULL, 0, 0);
}

static void set_kernel(void)
{
    struct teg_program *p = &source.kernel.program;
    uint32_t load, shared, add, sync, exit_;

    memset(&source, 0, sizeof source);
    source.kernel.grid[0] = BLOCKS;
    source.kernel.grid[1] = source.kernel.grid[2] = 1;
    source.kernel.block[0] = WARPS * TEG_LANES;
    source.kernel.block[1] = source.kernel.block[2] = 1;
    load = help_memory(p, CLASS_LDG, SPACE_GLOBAL, INST_LOAD, 4, 4, 2);
    shared = help_memory(p, CLASS_LDS, SPACE_SHARED, INST_LOAD, 4, 5, 4);
    add = help_arith(p, CLASS_IADD, 5, 4, 5, 255);
    sync = help_barrier(p);
    exit_ = help_exit(p);
    for (uint32_t w = 0; w < BLOCKS * WARPS; w++)
        fill_warp(w, load, shared, add, sync, exit_);
    source.warp = warp;
    source.blocks = BLOCKS;
    source.warps_per_block = WARPS;
}

static struct sums run_with(const char *what_if)
{
    struct sums sums = {0};
    const struct sim_listener listener = {.self = &sums, .on_issue = on_issue};
    struct teg_gpu changed = gpu;
    const struct sim_engine_setup setup = {.gpu = &changed,
                                           .sms = gpu.chip.sms,
                                           .blocks_per_sm = 2,
                                           .listener = &listener,
                                           .listeners = 1};
    struct teg_launch launch;
    struct teg_diag d;

    help_launch_open(&source, &launch);
    if (what_if != NULL)
        ck_assert_int_eq(teg_whatif_apply(what_if, &changed, &launch, &d),
                         TEG_OK);
    ck_assert_msg(sim_engine_run(&launch, &setup, &sums.outcome, &d) == TEG_OK,
                  "%s: %s", d.where, d.what);
    if (launch.close != NULL)
        launch.close(launch.self);
    return sums;
}

static void setup(void)
{
    set_gpu();
    set_kernel();
    base = run_with(NULL);
}

static void teardown(void)
{
    help_launch_release(&source);
}

static void expect_faster(const struct sums *sums)
{
    ck_assert_uint_lt(sums->outcome.cycles, base.outcome.cycles);
}

/* ---- rules ---- */

START_TEST(the_kernel_has_every_bottleneck)
{
    ck_assert_uint_gt(base.stall[STALL_BARRIER], 0);
    ck_assert_uint_gt(base.stall[STALL_SAME_WARP], 0);
    ck_assert_uint_gt(base.stall[STALL_LONG], 0);
    ck_assert_uint_gt(base.stall[STALL_SHORT], 0);
    ck_assert_uint_gt(base.stall[STALL_WAIT], 0);
    ck_assert_uint_gt(base.passes, base.groups);
    ck_assert_uint_eq(base.transactions, BLOCKS * WARPS * ROUNDS * TEG_LANES);
    ck_assert_uint_eq(base.outcome.channel_bytes_max,
                      base.outcome.channel_bytes_sum);
}
END_TEST

START_TEST(no_barriers_leaves_no_barrier_stall)
{
    struct sums sums = run_with("no-barriers");

    ck_assert_uint_eq(sums.stall[STALL_BARRIER], 0);
    ck_assert_uint_eq(sums.insts, base.insts);
    ck_assert_uint_le(sums.outcome.cycles, base.outcome.cycles);
}
END_TEST

START_TEST(no_dependences_leaves_no_wait_for_results)
{
    struct sums sums = run_with("no-dependences");

    ck_assert_uint_eq(sums.stall[STALL_LONG], 0);
    ck_assert_uint_eq(sums.stall[STALL_SHORT], 0);
    ck_assert_uint_eq(sums.stall[STALL_WAIT], 0);
    ck_assert_uint_eq(sums.transactions, base.transactions);
    expect_faster(&sums);
}
END_TEST

START_TEST(no_same_warp_gap_leaves_no_gap)
{
    struct sums sums = run_with("no-same-warp-gap");

    ck_assert_uint_eq(sums.stall[STALL_SAME_WARP], 0);
    ck_assert_uint_gt(sums.stall[STALL_LONG], 0);
}
END_TEST

START_TEST(no_bank_conflicts_needs_one_pass_a_group)
{
    struct sums sums = run_with("no-bank-conflicts");

    ck_assert_uint_eq(sums.passes, sums.groups);
    ck_assert_uint_eq(sums.groups, base.groups);
    expect_faster(&sums);
}
END_TEST

START_TEST(coalesced_packs_the_bytes_wanted)
{
    struct sums sums = run_with("coalesced");

    /* 32 lanes x 4 bytes fill one line of 128 */
    ck_assert_uint_eq(sums.transactions, BLOCKS * WARPS * ROUNDS);
    ck_assert_uint_lt(sums.dram_bytes, base.dram_bytes);
    expect_faster(&sums);
}
END_TEST

START_TEST(no_channel_skew_fills_channels_evenly)
{
    struct sums sums = run_with("no-channel-skew");

    ck_assert_uint_eq(sums.outcome.channel_bytes_sum,
                      base.outcome.channel_bytes_sum);
    ck_assert_uint_eq(sums.outcome.channel_bytes_max * CHANNELS,
                      sums.outcome.channel_bytes_sum);
    expect_faster(&sums);
}
END_TEST

START_TEST(no_memory_latency_moves_the_same_bytes)
{
    struct sums sums = run_with("no-memory-latency");

    ck_assert_uint_eq(sums.dram_bytes, base.dram_bytes);
    ck_assert_uint_lt(sums.stall[STALL_LONG], base.stall[STALL_LONG]);
    expect_faster(&sums);
}
END_TEST

START_TEST(unlimited_bandwidth_leaves_the_latency)
{
    struct sums sums = run_with("unlimited-bandwidth");

    expect_faster(&sums);
    /* each round of a warp still waits for its load */
    ck_assert_uint_ge(sums.outcome.cycles, ROUNDS * gpu.dram.latency);
}
END_TEST

START_TEST(perfect_cache_moves_nothing_beyond_l1)
{
    struct sums sums = run_with("perfect-cache");

    ck_assert_uint_eq(sums.dram_bytes, 0);
    ck_assert_uint_eq(sums.outcome.channel_bytes_sum, 0);
    ck_assert_uint_lt(sums.stall[STALL_LONG], base.stall[STALL_LONG]);
    expect_faster(&sums);
}
END_TEST

START_TEST(no_divergence_halves_the_diverged_arithmetic)
{
    struct sums sums = run_with("no-divergence");

    ck_assert_uint_eq(sums.insts, base.insts - BLOCKS * WARPS * ROUNDS * 2);
    ck_assert_uint_eq(sums.transactions, base.transactions);
    ck_assert_uint_eq(sums.groups, base.groups);
}
END_TEST

START_TEST(double_takes_twice_as_many_at_once)
{
    struct sums sums;

    /* Without a limit at DRAM the load/store unit decides: 32 transactions
     * and 32 passes of 2 cycles keep it 96 cycles in each round of each of
     * the 8 warps of an SM. */
    gpu.dram.bandwidth_gbs = 0;
    base = run_with(NULL);
    ck_assert_uint_ge(base.outcome.cycles, 96 * ROUNDS * 8);
    sums = run_with("double:lsu");
    expect_faster(&sums);
    gpu.unit[1].count = 2;
    ck_assert_uint_eq(sums.outcome.cycles, run_with(NULL).outcome.cycles);
}
END_TEST

START_TEST(everything_at_once_is_fastest)
{
    uint32_t count;
    const struct teg_whatif *w = teg_whatifs(&count);
    struct teg_gpu before = gpu;
    struct teg_launch launch;
    struct sim_engine_outcome outcome;
    struct teg_diag d;
    const struct sim_engine_setup all = {
        .gpu = &gpu, .sms = gpu.chip.sms, .blocks_per_sm = 2};

    help_launch_open(&source, &launch);
    for (uint32_t i = 0; i < count; i++)
        ck_assert_int_eq(teg_whatif_apply(w[i].name, &gpu, &launch, &d),
                         TEG_OK);
    ck_assert_int_eq(sim_engine_run(&launch, &all, &outcome, &d), TEG_OK);
    launch.close(launch.self);
    gpu = before;
    for (uint32_t i = 0; i < count; i++)
        ck_assert_uint_lt(outcome.cycles, run_with(w[i].name).outcome.cycles);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("whatif_engine");
    TCase *rules = tcase_create("rules");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(rules, setup, teardown);
    tcase_add_test(rules, the_kernel_has_every_bottleneck);
    tcase_add_test(rules, no_barriers_leaves_no_barrier_stall);
    tcase_add_test(rules, no_dependences_leaves_no_wait_for_results);
    tcase_add_test(rules, no_same_warp_gap_leaves_no_gap);
    tcase_add_test(rules, no_bank_conflicts_needs_one_pass_a_group);
    tcase_add_test(rules, coalesced_packs_the_bytes_wanted);
    tcase_add_test(rules, no_channel_skew_fills_channels_evenly);
    tcase_add_test(rules, no_memory_latency_moves_the_same_bytes);
    tcase_add_test(rules, unlimited_bandwidth_leaves_the_latency);
    tcase_add_test(rules, perfect_cache_moves_nothing_beyond_l1);
    tcase_add_test(rules, no_divergence_halves_the_diverged_arithmetic);
    tcase_add_test(rules, double_takes_twice_as_many_at_once);
    tcase_add_test(rules, everything_at_once_is_fastest);
    suite_add_tcase(suite, rules);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
