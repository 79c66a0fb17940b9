/* Shared memory of other blocks of a cluster: what crosses the network between
 * their SMs, and when it is there. */
#include <check.h>

#include "sim/memory/remote.h"
#include "tests/help_gpu.h"
#include "tests/help_suite.h"
#include "tests/sim/memory/help_memory.h"

enum {
    BASE = 0x10000,
    LATENCY = 100,
    LANES = 32,
    BLOCKS = 4,
};

static struct teg_gpu chip(void)
{
    struct teg_gpu gpu;

    help_gpu_plain(&gpu);
    gpu.chip.sms = BLOCKS;
    gpu.shared.remote_latency = LATENCY;
    gpu.shared.remote_bytes_per_cycle = 16;
    gpu.shared.atomic_interval = 2;
    return gpu;
}

static const struct teg_inst load = {
    .space = SPACE_GENERIC, .flags = INST_LOAD, .width = 4};
static const struct teg_inst store = {
    .space = SPACE_GENERIC, .flags = INST_STORE, .width = 4};
static const struct teg_inst add = {
    .space = SPACE_GENERIC, .flags = INST_ATOMIC, .width = 4};

/* All lanes, `stride` apart, of the block so many ranks behind. */
static struct teg_access line(uint32_t behind, int32_t stride)
{
    return (struct teg_access){
        .shape = SHAPE_LINE,
        .mask = UINT32_MAX,
        .base = BASE + (uint64_t)behind * TEG_WINDOW_BYTES,
        .stride = stride,
    };
}

static struct sim_plan plan_of(const struct teg_inst *inst,
                               const struct teg_access *a)
{
    const struct sim_windows windows = {BASE, 0, BLOCKS};
    struct teg_gpu gpu = chip();
    struct sim_plan plan;

    sim_plan_make(&plan, &gpu, inst, a, &windows);
    return plan;
}

START_TEST(segments_of_32_bytes_cross)
{
    static const struct {
        int32_t stride;
        uint32_t bytes;
    } rows[] = {{4, 128}, {0, 32}, {8, 256}, {32, 1024}, {128, 1024}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct teg_access a = line(1, rows[i].stride);
        struct sim_plan p = plan_of(&load, &a);

        ck_assert_uint_eq(p.request.space, SPACE_SHARED);
        ck_assert_uint_eq(p.count, 0);
        ck_assert_uint_eq(p.remotes, 1);
        ck_assert_uint_eq(p.remote[0].behind, 1);
        ck_assert_uint_eq(p.remote[0].bytes, rows[i].bytes);
        ck_assert_uint_eq(p.request.remote_bytes, rows[i].bytes);
        ck_assert_uint_eq(p.request.groups, 0);
    }
}
END_TEST

/* Lane l goes to the block l % 4 behind: a quarter stays, in banks of its
 * own. */
START_TEST(lanes_go_to_the_blocks_they_name)
{
    struct teg_access a = line(0, TEG_WINDOW_BYTES);
    struct sim_plan p;

    a.shape = SHAPE_LIST;
    for (uint64_t l = 0; l < LANES; l++)
        a.lane[l] = BASE + l % BLOCKS * TEG_WINDOW_BYTES + 4 * l;
    p = plan_of(&load, &a);
    ck_assert_uint_eq(p.request.passes, 1);
    ck_assert_uint_eq(p.remotes, 3);
    for (uint32_t i = 0; i < 3; i++) {
        ck_assert_uint_eq(p.remote[i].behind, i + 1);
        ck_assert_uint_eq(p.remote[i].bytes, 128);
    }
}
END_TEST

/* 16 bytes a cycle: what comes second waits for 8 cycles of 128 bytes. */
static uint64_t issue(struct sim_memory *m, uint32_t sm, uint64_t now,
                      const struct teg_inst *inst, uint32_t to, int32_t stride)
{
    struct teg_access a = line(1, stride);
    struct sim_plan p = plan_of(inst, &a);

    p.remote[0].behind = to;
    return sim_memory_issue(m, sm, now, &p, inst->flags);
}

START_TEST(who_waits_for_which_port)
{
    struct teg_gpu gpu = chip();
    struct sim_memory *m = help_memory_open(&gpu, BLOCKS);

    ck_assert_uint_eq(issue(m, 0, 10, &load, 1, 4), 10 + LATENCY);
    /* From another SM to the first, whose port in is taken. */
    ck_assert_uint_eq(issue(m, 0, 10, &load, 2, 4), 10 + 8 + LATENCY);
    /* From the first to another, whose port out is taken. */
    ck_assert_uint_eq(issue(m, 3, 10, &load, 1, 4), 10 + 8 + LATENCY);
    /* The other way is free. */
    ck_assert_uint_eq(issue(m, 1, 10, &load, 0, 4), 10 + LATENCY);
    /* When all has gone through, nobody waits: both ports are taken until 26. */
    ck_assert_uint_eq(issue(m, 0, 25, &load, 1, 4), 26 + LATENCY);
    sim_memory_free(m);
}
END_TEST

/* A store goes out of its own port and is accepted when the other one takes
 * it. */
START_TEST(stores_go_the_other_way)
{
    struct teg_gpu gpu = chip();
    struct sim_memory *m = help_memory_open(&gpu, BLOCKS);

    ck_assert_uint_eq(issue(m, 0, 10, &store, 1, 4), 10);
    ck_assert_uint_eq(issue(m, 0, 10, &store, 2, 4), 18);
    ck_assert_uint_eq(issue(m, 3, 10, &store, 1, 4), 18);
    /* A load takes the ports that no store has. */
    ck_assert_uint_eq(issue(m, 0, 10, &load, 1, 4), 10 + LATENCY);
    sim_memory_free(m);
}
END_TEST

/* 32 lanes at a word: 32 passes of 2 cycles there, 31 of them on top of the
 * latency; a second atomic waits for all 32. */
START_TEST(atomics_take_passes_there)
{
    struct teg_gpu gpu = chip();
    struct sim_memory *m = help_memory_open(&gpu, BLOCKS);

    ck_assert_uint_eq(issue(m, 0, 10, &add, 1, 4), 10 + LATENCY);
    ck_assert_uint_eq(issue(m, 2, 20, &add, 3, 0), 20 + LATENCY + 62);
    ck_assert_uint_eq(issue(m, 0, 20, &add, 3, 4), 20 + 64 + LATENCY);
    sim_memory_free(m);
}
END_TEST

HELP_MAIN("sim/memory/remote", 30, {segments_of_32_bytes_cross, 0},
          {lanes_go_to_the_blocks_they_name, 0}, {who_waits_for_which_port, 0},
          {stores_go_the_other_way, 0}, {atomics_take_passes_there, 0})
