/* Clusters of blocks: where they get their places, and their barrier. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/teg.h"
#include "tests/help_suite.h"
#include "traces/sketch/sketch.h"

enum {
    LATENCY = 50,
    ISSUES_MAX = 4096,
    BLOCKS_MAX = 64,
};

static struct heard {
    struct sim_issue issue[ISSUES_MAX];
    char name[ISSUES_MAX][16];
    uint32_t issues;
    const struct teg_program *program;
    uint32_t sm[BLOCKS_MAX]; /* of each block */
    uint64_t end[BLOCKS_MAX], start[BLOCKS_MAX];
} heard;

static void on_start(void *self, const struct teg_gpu *gpu,
                     const struct teg_program *program, uint32_t sms)
{
    (void)self;
    (void)gpu;
    (void)sms;
    heard.program = program;
}

static void on_issue(void *self, const struct sim_issue *e)
{
    const char *text =
        teg_program_text(heard.program, &heard.program->inst[e->inst]);

    (void)self;
    ck_assert_uint_lt(heard.issues, ISSUES_MAX);
    strncpy(heard.name[heard.issues], text, 15);
    heard.issue[heard.issues++] = *e;
}

static void on_block_start(void *self, uint64_t cycle, uint32_t sm,
                           uint64_t block, uint32_t warps)
{
    (void)self;
    (void)warps;
    heard.sm[block] = sm;
    heard.start[block] = cycle;
}

static void on_block_end(void *self, uint64_t cycle, uint32_t sm,
                         uint64_t block)
{
    (void)self;
    (void)sm;
    heard.end[block] = cycle;
}

static teg_status run(const char *sketch_text, uint32_t sms, uint32_t gpcs,
                      uint32_t blocks_max, struct teg_diag *d)
{
    const struct sim_listener listener = {.on_start = on_start,
                                          .on_issue = on_issue,
                                          .on_block_start = on_block_start,
                                          .on_block_end = on_block_end};
    struct teg_simulation_options options = {.listener = &listener,
                                             .listener_count = 1};
    struct teg_sketch *sketch;
    struct teg_launch launch;
    struct teg_gpu *gpu;
    struct teg_statistics *s = calloc(1, sizeof *s);
    teg_status status;

    memset(&heard, 0, sizeof heard);
    ck_assert(teg_gpu_load("config/h100.cfg", &gpu, d) == TEG_OK);
    gpu->chip.sms = sms;
    gpu->chip.gpcs = gpcs;
    gpu->sm.blocks_max = blocks_max;
    gpu->sm.cluster_barrier_latency = LATENCY;
    gpu->chip.dispatch_warp_interval = 0; /* a block's warps come together */
    ck_assert_msg(teg_sketch_parse("test", sketch_text, strlen(sketch_text),
                                   NULL, &sketch, d) == TEG_OK,
                  "%s", d->what);
    ck_assert(teg_sketch_launch(sketch, &launch, d) == TEG_OK);
    status = teg_simulate(&launch, gpu, &options, s, d);
    launch.close(launch.self);
    teg_sketch_close(sketch);
    teg_gpu_free(gpu);
    free(s);
    return status;
}

static void run_well(const char *sketch, uint32_t sms, uint32_t gpcs,
                     uint32_t blocks_max)
{
    struct teg_diag d;

    ck_assert_msg(run(sketch, sms, gpcs, blocks_max, &d) == TEG_OK, "%s",
                  d.what);
}

/* The last cycle in which an instruction of that name issued, and the first. */
static uint64_t last_of(const char *name)
{
    uint64_t last = 0;

    for (uint32_t i = 0; i < heard.issues; i++) {
        if (strncmp(heard.name[i], name, strlen(name)) == 0 &&
            heard.issue[i].cycle > last)
            last = heard.issue[i].cycle;
    }
    return last;
}

static uint64_t first_of(const char *name)
{
    uint64_t first = UINT64_MAX;

    for (uint32_t i = 0; i < heard.issues; i++) {
        if (strncmp(heard.name[i], name, strlen(name)) == 0 &&
            heard.issue[i].cycle < first)
            first = heard.issue[i].cycle;
    }
    return first;
}

/* One block in three comes much later than the others. */
#define HEAD(cluster) "sketch 1\nisa sm_90\nblock 64\n" cluster
#define LATE          "if ctaid % 3 == 1\nloop 100\nFADD R2, R2, R3\nend\nend\n"
#define MEET \
    "UCGABAR_ARV\nFMUL R4, R5, R6\nUCGABAR_WAIT\nMUFU.RCP R7, R8\nEXIT\n"

START_TEST(all_wait_for_the_last_of_the_cluster)
{
    run_well(HEAD("grid 3\ncluster 3\n") LATE MEET, 6, 1, 4);
    ck_assert_uint_eq(first_of("MUFU"), last_of("UCGABAR_ARV") + LATENCY);
    /* Coming there holds nobody. */
    ck_assert_uint_lt(first_of("FMUL"), last_of("UCGABAR_ARV"));
    /* Alone, nobody waits for another block. */
    run_well(HEAD("grid 3\n") LATE MEET, 6, 1, 4);
    ck_assert_uint_lt(first_of("MUFU"), last_of("UCGABAR_ARV"));
    ck_assert_uint_eq(first_of("MUFU"), first_of("UCGABAR_ARV") + LATENCY);
}
END_TEST

START_TEST(who_has_ended_is_not_waited_for)
{
    run_well(HEAD("grid 3\ncluster 3\n") "if ctaid % 3 == 1\nEXIT\nend\n" MEET,
             6, 1, 4);
    ck_assert_uint_eq(first_of("MUFU"), last_of("UCGABAR_ARV") + LATENCY);
}
END_TEST

START_TEST(rounds_follow_each_other)
{
    run_well(
        HEAD("grid 3\ncluster 3\n") "loop 5\n" LATE
                                    "UCGABAR_ARV\nUCGABAR_WAIT\nend\nEXIT\n",
        6, 1, 4);
    ck_assert_uint_ge(last_of("EXIT"), 5 * LATENCY + 500);
}
END_TEST

/* 8 SMs in two groups: a cluster of 3 goes to one of them, and the second
 * cluster to the other, though the first has an SM left. */
START_TEST(a_cluster_has_its_places_in_one_group)
{
    run_well(HEAD("grid 6\ncluster 3\n") MEET, 8, 2, 1);
    for (int b = 0; b < 6; b += 3) {
        ck_assert_uint_eq(heard.sm[b] / 4, heard.sm[b + 1] / 4);
        ck_assert_uint_eq(heard.sm[b] / 4, heard.sm[b + 2] / 4);
    }
    ck_assert_uint_ne(heard.sm[0] / 4, heard.sm[3] / 4);
    ck_assert_uint_eq(heard.start[5] / 100, 0);
    run_well(HEAD("grid 6\n") MEET, 8, 2, 1);
    for (uint32_t b = 0; b < 6; b++)
        ck_assert_uint_eq(heard.sm[b], b);
}
END_TEST

/* 4 SMs with a place each: the second cluster of 3 waits until all of the first
 * has gone, though there is an SM left, where a block alone would start. */
START_TEST(a_cluster_waits_for_room_for_all)
{
    run_well(HEAD("grid 6\ncluster 3\n") LATE "EXIT\n", 4, 1, 1);
    for (uint32_t b = 3; b < 6; b++)
        ck_assert_uint_ge(heard.start[b], heard.end[0]);
    ck_assert_uint_eq(heard.start[3] / 10, heard.start[5] / 10);
    run_well(HEAD("grid 6\n") LATE "EXIT\n", 4, 1, 1);
    ck_assert_uint_eq(heard.start[3] / 10, 0);
}
END_TEST

START_TEST(a_cluster_that_fits_nowhere_is_refused)
{
    struct teg_diag d;

    ck_assert_int_eq(run(HEAD("grid 6\ncluster 3\n") MEET, 4, 2, 1, &d),
                     TEG_LIMIT);
    ck_assert_ptr_nonnull(strstr(
        d.what, "expected room for a cluster of 3 blocks in one of 2 groups"));
    ck_assert_int_eq(run(HEAD("grid 6\ncluster 3\n") MEET, 4, 2, 2, &d),
                     TEG_OK);
}
END_TEST

HELP_MAIN("sim/engine/cga", 30, {all_wait_for_the_last_of_the_cluster, 0},
          {who_has_ended_is_not_waited_for, 0}, {rounds_follow_each_other, 0},
          {a_cluster_has_its_places_in_one_group, 0},
          {a_cluster_waits_for_room_for_all, 0},
          {a_cluster_that_fits_nowhere_is_refused, 0})
