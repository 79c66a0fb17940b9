#include "sim/teg.h"
#include "tests/help_launch.h"
#include "traces/block/block.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t FULL = 0xffffffffu, HALF = 0x0000ffffu;

enum {
    LDG_LATENCY = 400,
    IADD_LATENCY = 24,
    LDS_LATENCY = 38,
};

static struct teg_gpu gpu;
static struct help_launch source;
static struct teg_launch launch;
static struct teg_diag diag;
static struct {
    uint32_t add, load, sync, branch, exit;
} inst;

/* ---- a kernel: arithmetic, a load, a barrier, a predicate, an exit ---- */

static void add_program(struct teg_program *p)
{
    struct teg_inst branch = {.op_class = CLASS_BRANCH,
                              .flags = INST_BRANCH | INST_READS_P,
                              .src_count = 1,
                              .src = {{TEG_REG_P, 1}},
                              .control = {.known = 1,
                                          .stall = 12,
                                          .write_barrier = 7,
                                          .read_barrier = 7,
                                          .wait_mask = 5}};

    inst.add = help_arith(p, CLASS_IADD, 4, 5, 6, 255);
    inst.load = help_memory(p, CLASS_LDG, SPACE_GLOBAL, INST_LOAD, 4, 5, 2);
    inst.sync = help_barrier(p);
    ck_assert_int_eq(teg_program_add(p, &branch, "BRA", &inst.branch, &diag),
                     TEG_OK);
    inst.exit = help_exit(p);
}

static void setup(void)
{
    memset(&gpu, 0, sizeof gpu);
    gpu.unit_count = 2;
    gpu.unit[0] = (struct teg_unit){"sp", UNIT_SCOPE_SCHEDULER, 1, 0, 0};
    gpu.unit[1] = (struct teg_unit){"lsu", UNIT_SCOPE_SM, 3, 0, 0};
    for (enum teg_op_class c = 0; c < TEG_CLASSES; c++)
        gpu.timing[c] = (struct teg_timing){1, {0, 0}, IADD_LATENCY, 4, 8};
    gpu.timing[CLASS_LDG].latency = LDG_LATENCY;
    gpu.timing[CLASS_LDS].latency = LDS_LATENCY;
    gpu.dram.bandwidth_gbs = 100;
    gpu.dram.latency = LDG_LATENCY;
    gpu.memory.transaction_interval = 4;
    gpu.memory.transaction_latency = 6;
    gpu.memory.in_flight_bytes = 4096;
    gpu.memory.cluster_bytes_per_cycle = 32;
    gpu.l2.bytes_per_cycle = 64;
    gpu.l2.atomic_interval = 2;
    gpu.sm.dependences = DEPENDENCES_CONTROL;
    memset(&source, 0, sizeof source);
    source.kernel.grid[0] = 1;
    source.kernel.block[0] = 32;
    add_program(&source.kernel.program);
}

static void close_source(void *self)
{
    int *closed = (int *)self;

    (*closed)++;
}

static void teardown(void)
{
    if (launch.close != NULL)
        launch.close(launch.self);
    launch = (struct teg_launch){0};
    help_launch_release(&source);
}

static void apply(const char *name)
{
    ck_assert_msg(teg_whatif_apply(name, &gpu, &launch, &diag) == TEG_OK,
                  "%s: %s: %s", name, diag.where, diag.what);
}

/* Opens the source with one block of these warps and applies `name`. */
static void open_with(const char *name, const struct help_warp *warps,
                      uint32_t count)
{
    source.warp = warps;
    source.blocks = 1;
    source.warps_per_block = count;
    help_launch_open(&source, &launch);
    apply(name);
}

static const struct teg_inst *changed(uint32_t index)
{
    return &launch.kernel->program.inst[index];
}

/* ---- descriptions ---- */

START_TEST(every_name_is_known_and_unique)
{
    uint32_t count;
    const struct teg_whatif *w = teg_whatifs(&count);

    ck_assert_uint_eq(count, 34);
    for (uint32_t i = 0; i < count; i++) {
        ck_assert_uint_gt(strlen(w[i].help), 10);
        for (uint32_t j = 0; j < i; j++)
            ck_assert_str_ne(w[i].name, w[j].name);
        open_with(w[i].name, NULL, 0);
        if (launch.close != NULL)
            launch.close(launch.self);
    }
    launch = (struct teg_launch){0};
}
END_TEST

START_TEST(a_ranking_tries_all_each_and_every_unit_doubled)
{
    char name[TEG_WHATIF_NAME_SIZE];
    const char *names = teg_whatif_trial(&gpu, 0, name), *one;
    uint32_t count, i = 0;
    const struct teg_whatif *w = teg_whatifs(&count);
    size_t length;

    ck_assert_uint_eq(teg_whatif_trials(&gpu), 1 + count + 2);
    ck_assert_str_eq(name, "all");
    for (; (one = teg_whatif_next(&names, &length)) != NULL; i++) {
        ck_assert_uint_eq(strlen(w[i].name), length);
        ck_assert_mem_eq(w[i].name, one, length);
        ck_assert_str_eq(teg_whatif_trial(&gpu, i + 1, name), w[i].name);
    }
    /* The first of another program, which "all" leaves alone. */
    ck_assert_uint_lt(i, count);
    ck_assert_str_eq(w[i].name, "half-instructions");
    ck_assert_ptr_eq(teg_whatif_trial(&gpu, count + 2, name), name);
    ck_assert_str_eq(name, "double:lsu");
}
END_TEST

START_TEST(no_bank_conflicts_makes_banks_ideal)
{
    apply("no-bank-conflicts");
    ck_assert_uint_eq(gpu.shared.broadcast, BROADCAST_IDEAL);
}
END_TEST

START_TEST(coalesced_packs_accesses)
{
    apply("coalesced");
    ck_assert_uint_eq(gpu.memory.coalescing, COALESCING_IDEAL);
}
END_TEST

START_TEST(no_register_conflicts_takes_the_banks_away)
{
    gpu.sm.register_banks = REGISTER_BANKS_KEPLER;
    apply("no-register-conflicts");
    ck_assert_int_eq(gpu.sm.register_banks, REGISTER_BANKS_NONE);
}
END_TEST

START_TEST(no_constant_conflicts_serves_all_addresses_at_once)
{
    gpu.constant.distinct_interval = 2;
    apply("no-constant-conflicts");
    ck_assert(gpu.constant.distinct_interval <= 0);
}
END_TEST

START_TEST(no_channel_skew_takes_channels_in_turn)
{
    apply("no-channel-skew");
    ck_assert_uint_eq(gpu.dram.spread, 1);
}
END_TEST

START_TEST(no_instruction_misses_needs_no_caches)
{
    apply("no-instruction-misses");
    ck_assert_uint_eq(gpu.fetch.l0_bytes, 0);
}
END_TEST

START_TEST(no_constant_misses_needs_no_caches)
{
    gpu.constant.l1_bytes = 2048;
    apply("no-constant-misses");
    ck_assert_uint_eq(gpu.constant.l1_bytes, 0);
}
END_TEST

START_TEST(no_memory_latency_keeps_bandwidth)
{
    apply("no-memory-latency");
    ck_assert_uint_eq(gpu.dram.latency, IADD_LATENCY);
    ck_assert_uint_eq(gpu.l2.latency, IADD_LATENCY);
    ck_assert_uint_eq(gpu.l1.latency, IADD_LATENCY);
    ck_assert_uint_eq(gpu.timing[CLASS_LDG].latency, IADD_LATENCY);
    ck_assert_uint_eq(gpu.timing[CLASS_LDS].latency, LDS_LATENCY);
    ck_assert_double_eq(gpu.memory.transaction_latency, 0);
    ck_assert_double_eq(gpu.memory.transaction_interval, 4);
    ck_assert_double_eq(gpu.dram.bandwidth_gbs, 100);
    ck_assert_double_eq(gpu.l2.bytes_per_cycle, 64);
}
END_TEST

START_TEST(more_loads_wait_a_quarter_of_the_time)
{
    gpu.l1.latency = 4 * IADD_LATENCY + 1;
    gpu.l2.latency = IADD_LATENCY + 1;
    gpu.dram.delay_ns = 40;
    apply("more-loads");
    ck_assert_double_eq(gpu.dram.delay_ns, 10);
    ck_assert_uint_eq(gpu.dram.latency, (LDG_LATENCY + 3) / 4);
    ck_assert_uint_eq(gpu.timing[CLASS_LDG].latency, (LDG_LATENCY + 3) / 4);
    ck_assert_uint_eq(gpu.l1.latency, IADD_LATENCY + 1);
    /* No load is faster than an addition. */
    ck_assert_uint_eq(gpu.l2.latency, IADD_LATENCY);
    ck_assert_uint_eq(gpu.l2.far_latency, 0);
    ck_assert_uint_eq(gpu.timing[CLASS_LDS].latency, LDS_LATENCY);
    ck_assert_double_eq(gpu.memory.transaction_latency, 1.5);
    ck_assert_double_eq(gpu.memory.transaction_interval, 4);
    ck_assert_double_eq(gpu.dram.bandwidth_gbs, 100);
    ck_assert_double_eq(gpu.l2.bytes_per_cycle, 64);
}
END_TEST

START_TEST(without_conflicts_an_atomic_takes_its_time)
{
    gpu.memory.atomic_conflicts = 1;
    gpu.shared.atomic_interval = 2;
    apply("no-atomic-conflicts");
    ck_assert_uint_eq(gpu.memory.atomic_conflicts, 0);
    ck_assert_double_eq(gpu.shared.atomic_interval, 2);
    ck_assert_double_eq(gpu.l2.atomic_interval, 2);
}
END_TEST

START_TEST(free_atomics_take_the_time_of_stores)
{
    gpu.memory.atomic_conflicts = 1;
    gpu.shared.atomic_interval = 2;
    gpu.l2.atomic_float_interval = 3;
    apply("free-atomics");
    ck_assert_uint_eq(gpu.memory.atomic_conflicts, 0);
    ck_assert_double_eq(gpu.shared.atomic_interval, 0);
    ck_assert_double_eq(gpu.l2.atomic_interval, 0);
    ck_assert_double_eq(gpu.l2.atomic_float_interval, 0);
    ck_assert_double_eq(gpu.l2.bytes_per_cycle, 64);
}
END_TEST

START_TEST(no_fences_waits_in_no_scope)
{
    gpu.fence.block_latency = gpu.fence.gpu_latency = 10;
    gpu.fence.system_latency = 20;
    open_with("no-fences", NULL, 0);
    ck_assert_uint_eq(gpu.fence.block_latency, 0);
    ck_assert_uint_eq(gpu.fence.gpu_latency, 0);
    ck_assert_uint_eq(gpu.fence.system_latency, 0);
}
END_TEST

START_TEST(no_tail_asks_for_whole_waves)
{
    apply("no-tail");
    ck_assert_uint_eq(gpu.chip.whole_waves, 1);
}
END_TEST

START_TEST(no_dispatch_hands_blocks_out_at_once)
{
    gpu.chip.dispatch_interval = 1.5;
    gpu.chip.dispatch_latency = 300;
    gpu.chip.dispatch_warp_interval = 7;
    apply("no-dispatch");
    ck_assert_double_eq(gpu.chip.dispatch_interval, 0);
    ck_assert_uint_eq(gpu.chip.dispatch_latency, 0);
    ck_assert_uint_eq(gpu.chip.dispatch_warp_interval, 0);
}
END_TEST

/* 255 registers and 48 KB allow 2 warps, 2 blocks; the warps allow 64. */
START_TEST(full_occupancy_is_limited_by_warps)
{
    const struct teg_block_asks small = {32, 255, 49152, 0 + 1},
                                large = {1024, 255, 98304, 0};
    struct teg_occupancy o;

    gpu.sm.schedulers = 4;
    gpu.sm.warps_max = 64;
    gpu.sm.threads_max = 2048;
    gpu.sm.threads_per_block_max = 1024;
    gpu.sm.blocks_max = 16;
    gpu.sm.registers = 65536;
    gpu.sm.registers_per_thread_max = 255;
    gpu.sm.register_scope = REGISTER_SCOPE_WARP;
    gpu.sm.register_unit = 256;
    gpu.sm.warp_unit = 1;
    gpu.sm.shared_bytes = 98304;
    gpu.sm.shared_unit = 256;
    apply("full-occupancy");
    ck_assert_int_eq(teg_occupancy(&gpu, &small, &o, &diag), TEG_OK);
    ck_assert_uint_eq(o.warps_per_sm, 64);
    ck_assert_int_eq(teg_occupancy(&gpu, &large, &o, &diag), TEG_OK);
    ck_assert_uint_eq(o.warps_per_sm, 64);
}
END_TEST

START_TEST(unlimited_bandwidth_keeps_latency)
{
    gpu.l2.far_bytes_per_cycle = 32;
    gpu.l2.atomic_float_interval = 3;
    apply("unlimited-bandwidth");
    ck_assert_double_eq(gpu.l2.far_bytes_per_cycle, 0);
    ck_assert_double_eq(gpu.dram.bandwidth_gbs, 0);
    ck_assert_double_eq(gpu.l2.bytes_per_cycle, 0);
    ck_assert_double_eq(gpu.l2.atomic_interval, 0);
    ck_assert_double_eq(gpu.l2.atomic_float_interval, 0);
    ck_assert_double_eq(gpu.memory.cluster_bytes_per_cycle, 0);
    ck_assert_uint_eq(gpu.memory.in_flight_bytes, 0);
    ck_assert_double_eq(gpu.memory.transaction_interval, 4);
    ck_assert_uint_eq(gpu.dram.latency, LDG_LATENCY);
}
END_TEST

START_TEST(perfect_cache_is_as_fast_as_shared_memory_without_l1)
{
    apply("perfect-cache");
    ck_assert_uint_eq(gpu.l1.always_hits, 1);
    ck_assert_uint_eq(gpu.l1.latency, LDS_LATENCY);
    ck_assert_uint_eq(gpu.memory.in_flight_bytes, 0);
    /* What the class itself takes at least would hide the hit. */
    ck_assert_uint_eq(gpu.timing[CLASS_LDG].latency, LDS_LATENCY);
    ck_assert_uint_eq(gpu.timing[CLASS_STG].latency, IADD_LATENCY);
}
END_TEST

START_TEST(perfect_cache_keeps_the_latency_of_an_l1)
{
    gpu.l1.latency = 80;
    apply("perfect-cache");
    ck_assert_uint_eq(gpu.l1.latency, 80);
}
END_TEST

START_TEST(double_doubles_one_unit)
{
    apply("double:lsu");
    ck_assert_uint_eq(gpu.unit[0].count, 1);
    ck_assert_uint_eq(gpu.unit[1].count, 6);
}
END_TEST

static void expect_unknown(const char *name, const char *nearest)
{
    struct teg_gpu before = gpu;

    ck_assert_int_eq(teg_whatif_apply(name, &gpu, &launch, &diag), TEG_UNKNOWN);
    ck_assert_ptr_nonnull(strstr(diag.what, name));
    ck_assert_ptr_nonnull(strstr(diag.what, nearest));
    ck_assert_mem_eq(&before, &gpu, sizeof gpu);
}

START_TEST(an_unknown_name_gets_the_nearest)
{
    expect_unknown("no-bariers", "'no-barriers'");
    expect_unknown("double:lus", "'double:lsu'");
    expect_unknown("lsu", "'double:lsu'");
    expect_unknown("double:", "'double:sp'");
}
END_TEST

/* A list of any length applies as its names would one after the other; empty
 * ones are none. */
START_TEST(names_joined_by_commas_all_apply)
{
    static const char names[] =
        ",no-memory-latency,unlimited-bandwidth,,no-channel-skew,coalesced,"
        "no-bank-conflicts,perfect-cache,no-same-warp-gap,"
        "no-instruction-misses,no-dependences,double:sp,double:lsu,double:lsu,"
        "double:lsu,";
    const char *rest = names, *name;
    struct teg_gpu as_it_is = gpu, joined;
    uint32_t count = 0;
    size_t length;

    help_launch_open(&source, &launch);
    apply(names);
    joined = gpu;
    gpu = as_it_is;
    launch.close(launch.self);
    help_launch_open(&source, &launch);
    while ((name = teg_whatif_next(&rest, &length)) != NULL) {
        char one[64];

        snprintf(one, sizeof one, "%.*s", (int)length, name);
        apply(one);
        count++;
    }
    ck_assert_uint_eq(count, 13);
    ck_assert_uint_eq(gpu.unit[1].count, 24);
    ck_assert_mem_eq(&joined, &gpu, sizeof gpu);
}
END_TEST

/* Nothing of it is cut off, and nothing of the list around it said. */
START_TEST(a_long_name_is_said_in_full)
{
    char names[400], name[200];

    snprintf(name, sizeof name, "'no-%0180d'", 1);
    snprintf(names, sizeof names, "double:sp,%.*s,double:lsu",
             (int)strlen(name) - 2, name + 1);
    ck_assert_int_eq(teg_whatif_apply(names, &gpu, &launch, &diag),
                     TEG_UNKNOWN);
    ck_assert_ptr_nonnull(strstr(diag.what, name));
    ck_assert_uint_eq(gpu.unit[0].count, 2);
    ck_assert_uint_eq(gpu.unit[1].count, 3);
}
END_TEST

/* Names are known whole, neither by how they begin nor with more behind. */
START_TEST(a_part_of_a_name_is_none)
{
    static const char name[] = "double:lsu";

    ck_assert(teg_whatif_known("coalesced,x", 9, &gpu));
    ck_assert(!teg_whatif_known("coalesced,x", 8, &gpu));
    ck_assert(!teg_whatif_known("coalesced,x", 11, &gpu));
    for (size_t length = 0; length < strlen(name); length++)
        ck_assert(!teg_whatif_known(name, length, &gpu));
    ck_assert(teg_whatif_known(name, strlen(name), &gpu));
    ck_assert(!teg_whatif_known("double:mio", 10, &gpu));
}
END_TEST

START_TEST(a_line_follows_a_name_that_can_be_limited)
{
    static const char *const good[] = {"coalesced@a.cu:1", "without@b/a.cu:9",
                                       "no-barriers@C:a.cu:4294967290"};
    static const char *const bad[] = {
        "coalesced@",   "coalesced@a.cu",     "coalesced@a.cu:",
        "coalesced@:1", "coalesced@a.cu:0",   "coalesced@a.cu:1x",
        "without",      "warm-caches@a.cu:1", "coalesced@a.cu:99999999999",
        "@a.cu:1"};

    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        ck_assert(teg_whatif_known(good[i], strlen(good[i]), &gpu));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(!teg_whatif_known(bad[i], strlen(bad[i]), &gpu), "%s",
                      bad[i]);
}
END_TEST

START_TEST(a_changed_description_leaves_the_launch_alone)
{
    struct teg_launch before;

    source.blocks = 0;
    help_launch_open(&source, &launch);
    before = launch;
    apply("coalesced");
    ck_assert_mem_eq(&before, &launch, sizeof before);
}
END_TEST

/* ---- programs ---- */

START_TEST(no_barriers_idles_barriers_and_nothing_else)
{
    open_with("no-barriers", NULL, 0);
    ck_assert_uint_eq(changed(inst.sync)->op_class, CLASS_NOP);
    ck_assert_uint_eq(changed(inst.sync)->flags & INST_BARRIER, 0);
    ck_assert_uint_eq(changed(inst.add)->src_count, 2);
    ck_assert_uint_eq(changed(inst.load)->op_class, CLASS_LDG);
    ck_assert_uint_eq(changed(inst.exit)->flags, INST_EXIT);
    /* The original is as it was. */
    ck_assert_uint_eq(source.kernel.program.inst[inst.sync].op_class,
                      CLASS_BARRIER);
}
END_TEST

START_TEST(no_dependences_clears_registers_and_control_codes)
{
    open_with("no-dependences", NULL, 0);
    for (uint32_t i = 0; i < launch.kernel->program.count; i++) {
        ck_assert_uint_eq(changed(i)->src_count, 0);
        ck_assert_uint_eq(changed(i)->dst_count, 0);
        ck_assert_uint_eq(changed(i)->control.known, 0);
        ck_assert_uint_eq(changed(i)->flags & (INST_READS_P | INST_SETS_P), 0);
    }
    ck_assert_uint_eq(changed(inst.sync)->flags, INST_BARRIER);
    ck_assert_uint_eq(gpu.sm.dependences, DEPENDENCES_SCOREBOARD);
    ck_assert_uint_eq(gpu.timing[CLASS_IADD].same_warp, 8);
}
END_TEST

START_TEST(no_same_warp_gap_keeps_the_dependences_of_registers)
{
    open_with("no-same-warp-gap", NULL, 0);
    ck_assert_uint_eq(gpu.timing[CLASS_IADD].same_warp, 1);
    ck_assert_uint_eq(gpu.timing[CLASS_LDG].same_warp, 1);
    ck_assert_uint_eq(gpu.sm.dependences, DEPENDENCES_SCOREBOARD);
    ck_assert_uint_eq(changed(inst.branch)->control.known, 0);
    ck_assert_uint_eq(changed(inst.branch)->src_count, 1);
}
END_TEST

START_TEST(kernel_facts_and_texts_are_the_originals)
{
    source.kernel.registers = 17;
    open_with("no-barriers", NULL, 0);
    ck_assert_uint_eq(launch.kernel->registers, 17);
    ck_assert_uint_eq(launch.kernel->program.count, 5);
    ck_assert_uint_eq(launch.kernel->program.record_count, 1);
    ck_assert_str_eq(
        teg_program_text(&launch.kernel->program, changed(inst.branch)), "BRA");
}
END_TEST

/* A source whose program grows with the block it hands out. */
static teg_status (*next_before)(void *, struct teg_block **,
                                 struct teg_diag *);

static teg_status next_and_grow(void *self, struct teg_block **block,
                                struct teg_diag *d)
{
    help_barrier(&source.kernel.program);
    return next_before(self, block, d);
}

START_TEST(a_program_that_grows_is_followed)
{
    struct teg_block *block;

    source.blocks = 0;
    help_launch_open(&source, &launch);
    next_before = launch.next;
    launch.next = next_and_grow;
    apply("no-barriers");
    ck_assert_uint_eq(launch.kernel->program.count, 5);
    ck_assert_int_eq(launch.next(launch.self, &block, &diag), TEG_OK);
    ck_assert_ptr_null(block);
    ck_assert_uint_eq(launch.kernel->program.count, 6);
    ck_assert_uint_eq(changed(5)->op_class, CLASS_NOP);
}
END_TEST

START_TEST(closing_closes_the_original_once)
{
    int closed = 0;

    help_launch_open(&source, &launch);
    launch.self = &closed;
    launch.close = close_source;
    apply("no-barriers");
    apply("no-divergence");
    launch.close(launch.self);
    launch = (struct teg_launch){0};
    ck_assert_int_eq(closed, 1);
}
END_TEST

/* ---- streams ---- */

/* Takes the only block of `launch`. */
static struct teg_block *take_block(void)
{
    struct teg_block *block;

    ck_assert_msg(launch.next(launch.self, &block, &diag) == TEG_OK, "%s: %s",
                  diag.where, diag.what);
    ck_assert_ptr_nonnull(block);
    return block;
}

static void expect_stream(struct teg_block *block, uint32_t stream,
                          const struct help_step *step, uint32_t steps)
{
    struct teg_cursor cursor;

    teg_cursor_init(&cursor, block, stream);
    for (uint32_t i = 0; i < steps; i++) {
        struct teg_access access;

        ck_assert_msg(teg_cursor_next(&cursor), "stream ends at %u", i);
        ck_assert_uint_eq(cursor.inst, step[i].inst);
        ck_assert_uint_eq(cursor.mask, step[i].mask);
        if (!teg_cursor_access(&cursor, &access))
            continue;
        for (uint32_t l = 0; l < TEG_LANES; l++) {
            if (step[i].mask >> l & 1)
                ck_assert_uint_eq(teg_access_lane(&access, l),
                                  step[i].base + step[i].stride * (uint64_t)l);
        }
    }
    ck_assert(!teg_cursor_next(&cursor));
}

#define STEPS(array) (sizeof(array) / sizeof *(array))

START_TEST(program_changes_hand_blocks_on)
{
    const struct help_step step[] = {{.inst = inst.add, .mask = FULL},
                                     {inst.load, FULL, 4096, 4, NULL},
                                     {.inst = inst.sync, .mask = FULL},
                                     {inst.load, HALF, 8192, 8, NULL},
                                     {.inst = inst.exit, .mask = FULL}};
    const struct help_warp warp = {step, STEPS(step)};
    struct teg_block *block;

    open_with("no-barriers", &warp, 1);
    block = take_block();
    expect_stream(block, 0, step, STEPS(step));
    teg_block_free(block);
}
END_TEST

START_TEST(no_spills_drops_local_accesses_only)
{
    uint32_t spill = help_memory(&source.kernel.program, CLASS_LDL, SPACE_LOCAL,
                                 INST_LOAD, 6, 5, 2);
    const struct help_step step[] = {{.inst = inst.add, .mask = FULL},
                                     {spill, FULL, 512, 4, NULL},
                                     {inst.load, HALF, 4096, 4, NULL},
                                     {spill, HALF, 1024, 4, NULL},
                                     {.inst = inst.exit, .mask = FULL}};
    const struct help_step left[] = {step[0], step[2], step[4]};
    const struct help_warp warp = {step, STEPS(step)};
    struct teg_block *block;

    open_with("no-spills", &warp, 1);
    block = take_block();
    expect_stream(block, 0, left, STEPS(left));
    teg_block_free(block);
}
END_TEST

START_TEST(no_divergence_keeps_a_full_warp_as_it_is)
{
    const struct help_step step[] = {{.inst = inst.add, .mask = FULL},
                                     {inst.load, FULL, 4096, 4, NULL},
                                     {.inst = inst.branch, .mask = FULL},
                                     {.inst = inst.add, .mask = FULL},
                                     {.inst = inst.exit, .mask = FULL}};
    const struct help_warp warp = {step, STEPS(step)};
    struct teg_block *block;

    open_with("no-divergence", &warp, 1);
    block = take_block();
    expect_stream(block, 0, step, STEPS(step));
    teg_block_free(block);
}
END_TEST

START_TEST(no_divergence_packs_halves_into_full_warps)
{
    /* Five half-filled adds hold 80 lanes: two full warps, 16 left over. */
    const struct help_step step[] = {
        {.inst = inst.add, .mask = HALF},  {.inst = inst.branch, .mask = ~HALF},
        {inst.load, HALF, 4096, 4, NULL},  {.inst = inst.add, .mask = HALF},
        {.inst = inst.sync, .mask = HALF}, {.inst = inst.add, .mask = ~HALF},
        {.inst = inst.add, .mask = HALF},  {.inst = inst.exit, .mask = HALF},
        {.inst = inst.exit, .mask = ~HALF}};
    const struct help_step packed[] = {{.inst = inst.branch, .mask = FULL},
                                       {inst.load, HALF, 4096, 4, NULL},
                                       {.inst = inst.sync, .mask = HALF},
                                       {.inst = inst.add, .mask = FULL},
                                       {.inst = inst.exit, .mask = HALF},
                                       {.inst = inst.exit, .mask = ~HALF}};
    const struct help_warp warp = {step, STEPS(step)};
    struct teg_block *block;

    open_with("no-divergence", &warp, 1);
    block = take_block();
    expect_stream(block, 0, packed, STEPS(packed));
    teg_block_free(block);
}
END_TEST

START_TEST(no_divergence_measures_a_warp_by_its_own_lanes)
{
    /* The second warp of a block of 48 threads has 16 lanes: it is full. */
    const struct help_step full[] = {{.inst = inst.add, .mask = FULL},
                                     {.inst = inst.exit, .mask = FULL}};
    const struct help_step partial[] = {{.inst = inst.add, .mask = HALF},
                                        {.inst = inst.add, .mask = HALF},
                                        {.inst = inst.exit, .mask = HALF}};
    const struct help_warp warps[] = {{full, STEPS(full)},
                                      {partial, STEPS(partial)}};
    struct teg_block *block;

    open_with("no-divergence", warps, 2);
    block = take_block();
    ck_assert_uint_eq(teg_block_warps(block), 2);
    ck_assert_uint_eq(teg_block_warp_id(block, 1), 1);
    expect_stream(block, 0, full, STEPS(full));
    expect_stream(block, 1, partial, STEPS(partial));
    teg_block_free(block);
}
END_TEST

START_TEST(no_divergence_drops_what_no_lane_executes)
{
    const struct help_step step[] = {{.inst = inst.add, .mask = 0},
                                     {.inst = inst.load, .mask = 0},
                                     {.inst = inst.exit, .mask = FULL}};
    const struct help_warp warps[] = {{step, STEPS(step)}, {step, 2}};
    struct teg_block *block;

    open_with("no-divergence", warps, 2);
    block = take_block();
    expect_stream(block, 0, step + 1, 2);
    expect_stream(block, 1, step + 1, 1); /* no lane ever */
    teg_block_free(block);
}
END_TEST

START_TEST(no_divergence_conserves_the_lanes_of_random_warps)
{
    struct help_step step[200];
    const struct help_warp warp = {step, 200};
    uint64_t state = 7, lanes = 0, packed = 0;
    struct teg_block *block;
    struct teg_cursor cursor;

    for (uint32_t i = 0; i < 200; i++) {
        step[i] = (struct help_step){
            .inst = inst.add,
            .mask = i == 0 ? FULL : (uint32_t)help_random(&state)};
        lanes += (uint32_t)__builtin_popcount(step[i].mask);
    }
    open_with("no-divergence", &warp, 1);
    block = take_block();
    teg_cursor_init(&cursor, block, 0);
    while (teg_cursor_next(&cursor))
        packed += (uint32_t)__builtin_popcount(cursor.mask);
    ck_assert_uint_le(packed, lanes);
    ck_assert_uint_lt(lanes - packed, TEG_LANES);
    teg_block_free(block);
}
END_TEST

START_TEST(changes_of_the_stream_add_up)
{
    const struct help_step step[] = {{.inst = inst.sync, .mask = HALF},
                                     {.inst = inst.sync, .mask = HALF},
                                     {.inst = inst.exit, .mask = FULL}};
    const struct help_warp warp = {step, STEPS(step)};
    const struct help_step packed[] = {{.inst = inst.sync, .mask = FULL},
                                       {.inst = inst.exit, .mask = FULL}};
    struct teg_block *block;

    /* Barriers that idle may be packed like any arithmetic. */
    open_with("no-barriers", &warp, 1);
    apply("no-divergence");
    block = take_block();
    expect_stream(block, 0, packed, STEPS(packed));
    ck_assert_uint_eq(changed(inst.sync)->op_class, CLASS_NOP);
    teg_block_free(block);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("whatif");
    TCase *rules = tcase_create("rules");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(rules, setup, teardown);
    tcase_add_test(rules, every_name_is_known_and_unique);
    tcase_add_test(rules, a_ranking_tries_all_each_and_every_unit_doubled);
    tcase_add_test(rules, no_bank_conflicts_makes_banks_ideal);
    tcase_add_test(rules, no_register_conflicts_takes_the_banks_away);
    tcase_add_test(rules, coalesced_packs_accesses);
    tcase_add_test(rules, no_constant_conflicts_serves_all_addresses_at_once);
    tcase_add_test(rules, no_channel_skew_takes_channels_in_turn);
    tcase_add_test(rules, no_instruction_misses_needs_no_caches);
    tcase_add_test(rules, no_constant_misses_needs_no_caches);
    tcase_add_test(rules, no_memory_latency_keeps_bandwidth);
    tcase_add_test(rules, more_loads_wait_a_quarter_of_the_time);
    tcase_add_test(rules, without_conflicts_an_atomic_takes_its_time);
    tcase_add_test(rules, free_atomics_take_the_time_of_stores);
    tcase_add_test(rules, no_fences_waits_in_no_scope);
    tcase_add_test(rules, no_tail_asks_for_whole_waves);
    tcase_add_test(rules, no_dispatch_hands_blocks_out_at_once);
    tcase_add_test(rules, full_occupancy_is_limited_by_warps);
    tcase_add_test(rules, unlimited_bandwidth_keeps_latency);
    tcase_add_test(rules, perfect_cache_is_as_fast_as_shared_memory_without_l1);
    tcase_add_test(rules, perfect_cache_keeps_the_latency_of_an_l1);
    tcase_add_test(rules, double_doubles_one_unit);
    tcase_add_test(rules, an_unknown_name_gets_the_nearest);
    tcase_add_test(rules, names_joined_by_commas_all_apply);
    tcase_add_test(rules, a_long_name_is_said_in_full);
    tcase_add_test(rules, a_part_of_a_name_is_none);
    tcase_add_test(rules, a_line_follows_a_name_that_can_be_limited);
    tcase_add_test(rules, a_changed_description_leaves_the_launch_alone);
    tcase_add_test(rules, no_barriers_idles_barriers_and_nothing_else);
    tcase_add_test(rules, no_dependences_clears_registers_and_control_codes);
    tcase_add_test(rules, no_same_warp_gap_keeps_the_dependences_of_registers);
    tcase_add_test(rules, kernel_facts_and_texts_are_the_originals);
    tcase_add_test(rules, a_program_that_grows_is_followed);
    tcase_add_test(rules, closing_closes_the_original_once);
    tcase_add_test(rules, program_changes_hand_blocks_on);
    tcase_add_test(rules, no_divergence_keeps_a_full_warp_as_it_is);
    tcase_add_test(rules, no_divergence_packs_halves_into_full_warps);
    tcase_add_test(rules, no_divergence_measures_a_warp_by_its_own_lanes);
    tcase_add_test(rules, no_divergence_drops_what_no_lane_executes);
    tcase_add_test(rules, no_divergence_conserves_the_lanes_of_random_warps);
    tcase_add_test(rules, no_spills_drops_local_accesses_only);
    tcase_add_test(rules, changes_of_the_stream_add_up);
    suite_add_tcase(suite, rules);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
