/*
 * Blocks that run at once: clusters (sm_90) and cooperative grids, kernels of
 * tests/fixtures/kernels/ against plain C.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "isa/inst/values.h"
#include "tests/help_kernel.h"
#include "tests/help_suite.h"

#define SM help_generation[_i]

static void set3(uint32_t to[3], uint32_t x, uint32_t y, uint32_t z)
{
    to[0] = x;
    to[1] = y;
    to[2] = z;
}

/* ---- clusters ---------------------------------------------------------------- */

START_TEST(a_histogram_spread_over_a_cluster)
{
    enum {
        COUNT = 3000
    };
    const uint32_t cluster = 1u << HELP_CASE; /* 1 to 16 blocks */
    struct help_kernel k;
    uint32_t *in, *out, want[256] = {0};

    help_kernel_open(&k, HELP_CLUSTERED, "k32_cluster", "histogram");
    in = help_buffer(&k, COUNT * sizeof *in);
    help_int(&k, COUNT);
    out = help_buffer(&k, sizeof want);
    for (int i = 0; i < COUNT; i++) {
        in[i] = help_draw() >> (help_draw() & 3 ? 8 : 24);
        want[in[i] & 255]++;
    }
    set3(k.facts.cluster, cluster, 1, 1);
    k.facts.dynamic_shared = 256 / cluster * 4;
    help_run_kernel(&k, 32, 1, 64, 1);
    ck_assert_mem_eq(out, want, sizeof want);
    help_kernel_close(&k);
}
END_TEST

/* The kernel says its cluster: 2 x 3 blocks. */
START_TEST(registers_of_a_cluster)
{
    struct help_kernel k;
    uint32_t *out;

    help_kernel_open(&k, HELP_CLUSTERED, "k32_cluster", "registers");
    out = help_buffer(&k, 6 * 6 * 2 * 64);
    k.facts.grid[2] = 2;
    help_run_kernel(&k, 6, 6, 1, 1);
    for (uint32_t z = 0; z < 2; z++) {
        for (uint32_t y = 0; y < 6; y++) {
            for (uint32_t x = 0; x < 6; x++) {
                const uint32_t rank = x % 2 + 2 * (y % 3);
                const uint32_t want[16] = {x % 2, y % 3, 0,     2,     3, 1,
                                           rank,  6,     x / 2, y / 3, z, 3,
                                           2,     2,     1,     rank};

                ck_assert_mem_eq(out + 16 * (x + 6 * (y + 6 * z)), want,
                                 sizeof want);
            }
        }
    }
    help_kernel_close(&k);
}
END_TEST

START_TEST(rounds_of_passing_on)
{
    enum {
        BLOCKS = 10,
        CLUSTER = 5,
        ROUNDS = 7
    };
    struct help_kernel k;
    int *in, *out, v[BLOCKS * 64];

    help_kernel_open(&k, HELP_CLUSTERED, "k32_cluster", "ring");
    in = help_buffer(&k, sizeof v);
    out = help_buffer(&k, 3 * sizeof v);
    help_int(&k, ROUNDS);
    for (int i = 0; i < BLOCKS * 64; i++)
        in[i] = (int)(help_draw() & 0xffff);
    set3(k.facts.cluster, CLUSTER, 1, 1);
    help_run_kernel(&k, BLOCKS, 1, 64, 1);
    for (int b = 0; b < BLOCKS; b++) {
        int base = b / CLUSTER * CLUSTER, rank = b % CLUSTER, sum = 0;
        int from = base + (rank + CLUSTER - ROUNDS % CLUSTER) % CLUSTER;

        for (int r = 0; r < ROUNDS; r++)
            sum = sum * 3 + (rank + 1) % CLUSTER;
        for (int t = 0; t < 64; t++) {
            const int *o = out + (b * 64 + t) * 3;

            ck_assert_int_eq(o[0], in[from * 64 + t] + ROUNDS);
            ck_assert_int_eq(o[1], sum);
            ck_assert_int_eq(o[2], ROUNDS); /* of the cluster, not its own */
        }
    }
    help_kernel_close(&k);
}
END_TEST

START_TEST(lanes_come_to_the_clusters_barrier_apart)
{
    struct help_kernel k;
    int *out;

    help_kernel_open(&k, HELP_CLUSTERED, "k32_cluster", "parted");
    out = help_buffer(&k, 4 * 64 * 4);
    set3(k.facts.cluster, 2, 1, 1);
    help_run_kernel(&k, 4, 1, 64, 1);
    for (int b = 0; b < 4; b++) {
        for (int t = 0; t < 64; t++) {
            int from = 63 - t, rank = b % 2 ^ 1;
            int want = 100 * rank + from;

            if (from < 48 && from % 2 == 0)
                want += 1000;
            ck_assert_int_eq(out[b * 64 + t], t < 48 ? want : 0);
        }
    }
    help_kernel_close(&k);
}
END_TEST

START_TEST(copies_and_arrivals_from_other_blocks)
{
    enum {
        BLOCKS = 8
    };
    struct help_kernel k;
    float *g, *out, *back;

    help_kernel_open(&k, 90, "k32_cluster", "multicast");
    g = help_buffer(&k, BLOCKS * 64 * sizeof *g);
    out = help_buffer(&k, BLOCKS * 72 * sizeof *out);
    back = help_buffer(&k, BLOCKS * 64 * sizeof *back);
    for (int i = 0; i < BLOCKS * 64; i++)
        g[i] = (float)(help_draw() & 0xff);
    help_run_kernel(&k, BLOCKS, 1, 64, 1);
    for (int b = 0; b < BLOCKS; b++) {
        int first = b / 4 * 4, before = (b + 3) % 4;
        const float note[8] = {10.0f * (float)before,
                               0,
                               7,
                               (float)before,
                               (float)before + 1,
                               (float)before + 2,
                               (float)before + 1,
                               (float)before + 2};

        for (int t = 0; t < 64; t++) {
            float sum = 0;

            for (int i = 0; i < 4; i++)
                sum += g[(first + i) * 64 + t];
            ck_assert(out[b * 72 + t] == sum);
            ck_assert(back[b * 64 + t] == sum);
        }
        for (int t = 0; t < 8; t++)
            ck_assert(out[b * 72 + 64 + t] == note[t]);
    }
    help_kernel_close(&k);
}
END_TEST

/* A kernel of the shared collection, whose last line both blocks write. */
START_TEST(cluster_sum)
{
    struct help_kernel k;
    int *in, *out;

    help_kernel_open(&k, HELP_CLUSTERED, "k29_sm90", "cluster_sum");
    k.ordered = 1; /* both blocks write the same */
    in = help_buffer(&k, 128 * sizeof *in);
    out = help_buffer(&k, 128 * sizeof *out);
    for (int i = 0; i < 128; i++)
        in[i] = (int)(help_draw() & 0xffff);
    help_run_kernel(&k, 2, 1, 64, 1);
    for (int t = 0; t < 64; t++) {
        ck_assert(out[t] == in[0] + 64 + 2 || out[t] == in[64] + 64 + 2);
        ck_assert_int_eq(out[64 + t], in[t] + in[64 + t]);
    }
    help_kernel_close(&k);
}
END_TEST

static const struct {
    const char *what, *where;
} mistakes[] = {
    {"comes to the cluster's barrier again", "block 0,0,0 warp 0 lane 0"},
    {"waits at the cluster's barrier without having come there", ""},
    {"out of bounds: there is no block 2 in a cluster of 2", "lane 0 pc"},
    {"out of bounds: block 1 of the cluster has ended", "block 0,0,0"},
    {"4 bytes at 0x4400 of shared memory of block 0 of the cluster are out of "
     "bounds",
     "block 1,0,0"},
    {"more than 100000 instructions in one warp", "block 1,0,0"},
};

START_TEST(mistakes_with_clusters)
{
    struct help_kernel k;

    help_kernel_open(&k, HELP_CLUSTERED, "k32_cluster", "wrong");
    help_int(&k, HELP_CASE);
    help_buffer(&k, 128);
    set3(k.facts.cluster, 2, 1, 1);
    k.facts.grid[0] = 2;
    k.facts.block[0] = 32;
    k.facts.limit.insts = 100000;
    ck_assert(help_try_kernel(&k) != TEG_OK);
    ck_assert_msg(strstr(k.d.what, mistakes[HELP_CASE].what) != NULL, "%s",
                  k.d.what);
    ck_assert_msg(strstr(k.d.where, mistakes[HELP_CASE].where) != NULL, "%s",
                  k.d.where);
    help_kernel_close(&k);
}
END_TEST

/* Row 3 of the mistakes, on a device that does not mind; row 2 is none. */
START_TEST(a_loose_device_outlives_its_blocks)
{
    for (int row = 2; row < 4; row++) {
        struct help_kernel k;

        help_kernel_open(&k, HELP_CLUSTERED, "k32_cluster", "wrong");
        emu_device_loosen(k.device);
        help_int(&k, row);
        help_buffer(&k, 128);
        set3(k.facts.cluster, 2, 1, 1);
        k.facts.grid[0] = 2;
        k.facts.block[0] = 32;
        ck_assert_int_eq(help_try_kernel(&k) == TEG_OK, row == 3);
        help_kernel_close(&k);
    }
}
END_TEST

START_TEST(clusters_that_cannot_be)
{
    static const struct {
        unsigned sm;
        const char *kernel;
        uint32_t grid, cluster[3];
        const char *what;
    } rows[] = {
        {90, "histogram", 6, {4, 1, 1}, "a grid that clusters of 4x1x1"},
        {90, "histogram", 32, {32, 1, 1}, "a cluster of 1 to 16 blocks"},
        {80, "sm90_only", 2, {2, 1, 1}, "sm_80 has no clusters"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct help_kernel k;

        help_kernel_open(&k, rows[i].sm, "k32_cluster", rows[i].kernel);
        k.facts.grid[0] = rows[i].grid;
        memcpy(k.facts.cluster, rows[i].cluster, sizeof k.facts.cluster);
        ck_assert(help_try_kernel(&k) == TEG_LIMIT);
        ck_assert_msg(strstr(k.d.what, rows[i].what) != NULL, "%s", k.d.what);
        help_kernel_close(&k);
    }
}
END_TEST

/* Cluster after cluster, by rank; those outside [from, to) are left out. */
START_TEST(blocks_come_cluster_after_cluster)
{
    static const uint32_t want[] = {0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11};
    struct help_kernel k;
    struct teg_launch launch;
    struct teg_block *block;

    help_kernel_open(&k, HELP_CLUSTERED, "k32_cluster", "ring");
    help_buffer(&k, 12 * 64 * 4);
    help_buffer(&k, 12 * 64 * 12);
    help_int(&k, 1);
    set3(k.facts.grid, 6, 2, 1);
    set3(k.facts.block, 64, 1, 1);
    set3(k.facts.cluster, 2, 2, 1);
    k.facts.from = 2;
    k.facts.to = 9;
    k.facts.jobs = 1 + 2 * (unsigned)HELP_CASE;
    ck_assert(emu_launch(&k.cubin, k.code, k.device, &k.facts, &launch, &k.d) ==
              TEG_OK);
    for (int i = 0; i < 12; i++) {
        if (want[i] < 2 || want[i] >= 9)
            continue;
        ck_assert(launch.next(launch.self, &block, &k.d) == TEG_OK);
        ck_assert_ptr_nonnull(block);
        ck_assert_uint_eq(teg_block_position(block)[0] +
                              6 * teg_block_position(block)[1],
                          want[i]);
        ck_assert_uint_eq(teg_block_warps(block), 2);
        teg_block_free(block);
    }
    ck_assert(launch.next(launch.self, &block, &k.d) == TEG_OK);
    ck_assert_ptr_null(block);
    launch.close(launch.self);
    help_kernel_close(&k);
}
END_TEST

/* ---- cooperative grids ----------------------------------------------------------- */

START_TEST(rounds_of_a_stencil)
{
    enum {
        COUNT = 777,
        ROUNDS = 9
    };
    struct help_kernel k;
    float *a, *b, want[2][COUNT];
    uint64_t insts = 0;

    help_kernel_open(&k, SM, "k33_grid", "jacobi");
    a = help_buffer(&k, COUNT * sizeof *a);
    b = help_buffer(&k, COUNT * sizeof *b);
    help_int(&k, COUNT);
    help_int(&k, ROUNDS);
    for (int i = 0; i < COUNT; i++)
        want[0][i] = a[i] = (float)(help_draw() & 0xff);
    for (int r = 0; r < ROUNDS; r++) {
        const float *from = want[r & 1];

        for (int i = 0; i < COUNT; i++)
            want[~r & 1][i] = .25f * from[i == 0 ? COUNT - 1 : i - 1] +
                              .5f * from[i] +
                              .25f * from[i == COUNT - 1 ? 0 : i + 1];
    }
    k.facts.cooperative = 1;
    k.facts.warp_insts = &insts;
    help_run_kernel(&k, 6, 1, 96, 1);
    ck_assert_mem_eq(a, want[0], sizeof want[0]);
    ck_assert_mem_eq(b, want[1], sizeof want[1]);
    /* Four runs; waiting warps give way instead of spinning: a round takes a
     * warp about 60 instructions, 100 on sm_75. */
    ck_assert_uint_lt(insts, 4 * 18 * ROUNDS * 120);
    help_kernel_close(&k);
}
END_TEST

START_TEST(shares_of_a_sum)
{
    struct help_kernel k;
    int *in, *out, sum = 0;

    help_kernel_open(&k, SM, "k33_grid", "shares");
    in = help_buffer(&k, 640 * sizeof *in);
    help_buffer(&k, 10 * sizeof *in);
    out = help_buffer(&k, 640 * sizeof *in);
    for (int i = 0; i < 640; i++)
        sum += in[i] = (int)(help_draw() & 0xfff);
    k.facts.cooperative = 1;
    help_run_kernel(&k, 5, 2, 64, 1);
    /* Blocks of a second row take the first row's elements. */
    sum = 0;
    for (int i = 0; i < 320; i++)
        sum += in[i];
    for (int i = 0; i < 320; i++)
        ck_assert_int_eq(out[i], in[i] * 1000 / sum);
    help_kernel_close(&k);
}
END_TEST

/* With and without __nanosleep in the loop. */
START_TEST(blocks_that_wait_for_later_ones)
{
    enum {
        BLOCKS = 9,
        THREADS = 40
    };
    struct help_kernel k;
    int *flag, *out, want = 1;

    for (int pause = 0; pause < 2; pause++) {
        help_kernel_open(&k, SM, "k33_grid", "backwards");
        flag = help_buffer(&k, BLOCKS * sizeof *flag);
        out = help_buffer(&k, BLOCKS * (THREADS + 1) * sizeof *out);
        help_int(&k, pause);
        k.facts.cooperative = 1;
        help_run_kernel(&k, BLOCKS, 1, THREADS, 1);
        want = 1;
        for (int b = BLOCKS - 1; b >= 0; b--) {
            if (b < BLOCKS - 1)
                want = want * 2 + b;
            ck_assert_int_eq(out[b], want);
            ck_assert_int_eq(flag[b], 1);
            for (int t = 0; t < THREADS; t++)
                ck_assert_int_eq(out[BLOCKS + b * THREADS + t], want + t);
        }
        help_kernel_close(&k);
    }
}
END_TEST

/* In a trace, what the last poll of each has seen: the flag of the next one, its
 * only store past L1. */
START_TEST(a_trace_has_whom_they_wait_for)
{
    enum {
        BLOCKS = 4
    };
    struct help_kernel k;
    struct teg_launch launch;

    help_kernel_open(&k, SM, "k33_grid", "backwards");
    help_buffer(&k, BLOCKS * sizeof(int));
    help_buffer(&k, 33 * BLOCKS * sizeof(int));
    help_int(&k, 0);
    k.facts.from = 0;
    k.facts.grid[0] = BLOCKS;
    k.facts.block[0] = 32;
    k.facts.cooperative = 1;
    ck_assert(emu_launch(&k.cubin, k.code, k.device, &k.facts, &launch, &k.d) ==
              TEG_OK);
    for (uint32_t b = 0; b < BLOCKS; b++) {
        struct teg_block *block;
        struct teg_cursor c;
        uint64_t seen = 0;

        ck_assert(launch.next(launch.self, &block, &k.d) == TEG_OK);
        teg_cursor_init(&c, block, 0);
        while (teg_cursor_next(&c)) {
            struct teg_access a;

            if (launch.kernel->program.inst[c.inst].values != VALUES_AWAITED ||
                c.mask == 0)
                continue;
            ck_assert(teg_cursor_value(&c, &a));
            seen = teg_access_lane(&a, 0);
        }
        ck_assert_uint_eq(seen, b < BLOCKS - 1 ? teg_awaited(b + 1, 0, 1) : 0);
        teg_block_free(block);
    }
    launch.close(launch.self);
    help_kernel_close(&k);
}
END_TEST

START_TEST(a_block_that_does_not_come)
{
    struct help_kernel k;

    help_kernel_open(&k, SM, "k33_grid", "missing");
    help_buffer(&k, 8);
    k.facts.grid[0] = 3;
    k.facts.block[0] = 64;
    k.facts.limit.insts = 10000;
    k.facts.cooperative = 1;
    ck_assert(help_try_kernel(&k) == TEG_DEADLOCK);
    ck_assert_ptr_nonnull(strstr(k.d.what, "waits for what no thread does"));
    ck_assert_msg(strstr(k.d.what, "; other warps: ") &&
                      strstr(k.d.what, " at a barrier (pc 0x"),
                  "%s", k.d.what);
    /* Without a cooperative launch there is nowhere to meet. */
    k.facts.cooperative = 0;
    ck_assert(help_try_kernel(&k) == TEG_LIMIT);
    ck_assert_ptr_nonnull(strstr(k.d.what, "traps itself"));
    k.facts.cooperative = 1;
    k.facts.grid[0] = 20000;
    ck_assert(help_try_kernel(&k) == TEG_LIMIT);
    ck_assert_ptr_nonnull(strstr(k.d.what, "32768 warps"));
    help_kernel_close(&k);
}
END_TEST

HELP_MAIN("traces/gangs", 60, {a_histogram_spread_over_a_cluster, 10},
          {registers_of_a_cluster, 2}, {rounds_of_passing_on, 2},
          {lanes_come_to_the_clusters_barrier_apart, 2},
          {copies_and_arrivals_from_other_blocks, 0}, {cluster_sum, 2},
          {mistakes_with_clusters, 12}, {clusters_that_cannot_be, 0},
          {a_loose_device_outlives_its_blocks, 2},
          {blocks_come_cluster_after_cluster, 4},
          {rounds_of_a_stencil, HELP_GENERATIONS},
          {shares_of_a_sum, HELP_GENERATIONS},
          {blocks_that_wait_for_later_ones, HELP_GENERATIONS},
          {a_trace_has_whom_they_wait_for, HELP_GENERATIONS},
          {a_block_that_does_not_come, HELP_GENERATIONS})
