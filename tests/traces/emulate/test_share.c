/* k58 of tests/fixtures/kernels/: blocks that share the work of a counter. */
#include <stdlib.h>
#include <string.h>

#include "tests/help_kernel.h"
#include "tests/help_suite.h"
#include "traces/block/block.h"

#define SM   help_generation[_i]
#define FILE "k58_shared_work"

enum {
    TILES = 96,
    BLOCKS = 6,
    LONGEST = 900,
    THREADS_MAX = 256,
};

/* Tiles of a kernel, and who had which. */
struct queue {
    struct help_kernel k;
    int *next, *length, *who, *out;
    int threads; /* of a tile */
};

static void equal(int length[TILES])
{
    for (int i = 0; i < TILES; i++)
        length[i] = 100;
}

static void unequal(int length[TILES])
{
    for (int i = 0; i < TILES; i++)
        length[i] = i % 7 == 0 ? LONGEST : 20 + (int)(help_draw() % 100);
}

static void open_queue(struct queue *q, unsigned sm, const char *kernel,
                       void (*fill)(int length[TILES]), int threads)
{
    help_kernel_open(&q->k, sm, FILE, kernel);
    q->next = help_buffer(&q->k, sizeof *q->next);
    q->length = help_buffer(&q->k, TILES * sizeof *q->length);
    q->who = help_buffer(&q->k, TILES * sizeof *q->who);
    q->out = help_buffer(&q->k, TILES * THREADS_MAX * sizeof *q->out);
    q->threads = threads;
    fill(q->length);
    q->k.ordered = 1;
}

static int tile_of(const int *length, int i, int seed)
{
    unsigned sum = (unsigned)seed;

    for (int k = 0; k < length[i]; k++)
        sum = sum * 5 + (unsigned)k;
    return (int)sum;
}

/* Every tile has been done, by one of `takers`. */
static void expect_done(const struct queue *q, int takers)
{
    for (int i = 0; i < TILES; i++) {
        ck_assert_int_ge(q->who[i], 0);
        ck_assert_int_lt(q->who[i], takers);
        for (int t = 0; t < q->threads; t++)
            ck_assert_int_eq(q->out[i * q->threads + t],
                             tile_of(q->length, i, t));
    }
}

/* Nobody has done a tile more than who has done the least by one of the
 * longest. */
static void expect_shares(const struct queue *q, int takers, int longest)
{
    int *done = calloc((size_t)takers, sizeof *done), least, most;

    for (int i = 0; i < TILES; i++)
        done[q->who[i]] += q->length[i];
    least = most = done[0];
    for (int i = 1; i < takers; i++) {
        least = done[i] < least ? done[i] : least;
        most = done[i] > most ? done[i] : most;
    }
    ck_assert_msg(most - least <= longest + longest / 2,
                  "%s: from %d to %d, the longest is %d", q->k.code->name,
                  least, most, longest);
    free(done);
}

/* ---- shares --------------------------------------------------------------------- */

static void share(unsigned sm, const char *kernel,
                  void (*fill)(int length[TILES]), int longest)
{
    int by_warps = strcmp(kernel, "warps") == 0;
    int takers = by_warps ? BLOCKS * 2 : BLOCKS;
    struct queue q;

    open_queue(&q, sm, kernel, fill, by_warps ? 32 : 64);
    help_int(&q.k, TILES);
    help_run_kernel(&q.k, BLOCKS, 1, 64, 1);
    help_expect_turns(&q.k,
                      "its 6 blocks, 6 at once, shared the work of a counter");
    expect_done(&q, takers);
    expect_shares(&q, takers, longest);
    help_kernel_close(&q.k);
}

START_TEST(blocks_share_equal_tiles)
{
    share(SM, "tiles", equal, 100);
}
END_TEST

START_TEST(blocks_share_unequal_tiles)
{
    share(SM, "tiles", unequal, LONGEST);
}
END_TEST

START_TEST(warps_share_tiles)
{
    share(SM, "warps", equal, 100);
    share(SM, "warps", unequal, LONGEST);
}
END_TEST

/* The first tile is as long as many of the others. */
static void one_long(int length[TILES])
{
    for (int i = 0; i < TILES; i++)
        length[i] = i == 0 ? 40 * LONGEST : 1;
}

/* Of two blocks the second does what comes meanwhile; where tiles are taken
 * `ahead` of the work, but for those that the first has taken by then. */
static void take_meanwhile(unsigned sm, const char *kernel, int threads,
                           int block, int ahead)
{
    struct queue q;

    open_queue(&q, sm, kernel, one_long, threads);
    help_int(&q.k, TILES);
    help_run_kernel(&q.k, 2, 1, (uint32_t)block, 1);
    expect_done(&q, 2);
    ck_assert_int_eq(q.who[0], 0);
    for (int i = 1; i < TILES; i++)
        ahead -= q.who[i] == 0;
    ck_assert_int_eq(ahead, 0);
    help_kernel_close(&q.k);
}

START_TEST(who_has_a_long_tile_takes_no_other)
{
    take_meanwhile(SM, "tiles", 64, 64, 0);
    take_meanwhile(SM, "warps", 32, 32, 0);
}
END_TEST

/* Two stages, and the first is free when the tile's number has been read. */
START_TEST(who_takes_tiles_for_others_waits_for_them)
{
    take_meanwhile(HELP_CLUSTERED, "ahead", 64, 96, 2);
}
END_TEST

/* Who comes when the work is done has none. */
START_TEST(blocks_without_a_place_come_later)
{
    struct queue q;

    open_queue(&q, SM, "tiles", unequal, 64);
    help_int(&q.k, TILES);
    q.k.facts.held_blocks = 2;
    help_run_kernel(&q.k, BLOCKS, 1, 64, 1);
    help_expect_turns(&q.k, "its 6 blocks, 2 at once,");
    expect_done(&q, 2);
    expect_shares(&q, 2, LONGEST);
    ck_assert_int_eq(*q.next, TILES + BLOCKS);
    help_kernel_close(&q.k);
}
END_TEST

START_TEST(blocks_apart_leave_all_to_the_first)
{
    struct queue q;

    open_queue(&q, SM, "tiles", equal, 64);
    help_int(&q.k, TILES);
    ck_assert(emu_order_parse(&q.k.facts.order, "blocks"));
    help_run_kernel(&q.k, BLOCKS, 1, 64, 1);
    help_expect_turns(&q.k, NULL);
    expect_done(&q, 1);
    help_kernel_close(&q.k);
}
END_TEST

/* Side by side whatever waits, up to 32,768 warps; then as without an order. */
START_TEST(an_order_by_grid_has_its_limit)
{
    struct queue q;

    open_queue(&q, SM, "tiles", equal, 64);
    help_int(&q.k, TILES);
    ck_assert(emu_order_parse(&q.k.facts.order, "grid"));
    q.k.facts.held_blocks = 4;
    q.k.facts.block[0] = 64;
    q.k.facts.grid[0] = EMU_TURNS_MAX / 2;
    help_expect_turns(&q.k, "its 16384 blocks were emulated side by side");
    q.k.facts.grid[0]++;
    help_expect_turns(&q.k, "its 16385 blocks, 4 at once,");
    ck_assert(help_try_kernel(&q.k) == TEG_OK);
    expect_done(&q, 4);
    expect_shares(&q, 4, 100);
    help_kernel_close(&q.k);
}
END_TEST

/* ---- blocks that wait for each other as well --------------------------------- */

START_TEST(a_cooperative_grid_shares_and_meets)
{
    struct queue q;
    int *sums;

    open_queue(&q, SM, "meets", unequal, 64);
    sums = help_buffer(&q.k, BLOCKS * 64 * sizeof *sums);
    help_int(&q.k, TILES);
    q.k.facts.cooperative = 1;
    help_run_kernel(&q.k, BLOCKS, 1, 64, 1);
    expect_done(&q, BLOCKS);
    expect_shares(&q, BLOCKS, LONGEST);
    for (int t = 0; t < BLOCKS * 64; t++) {
        unsigned sum = 0;

        for (int i = 0; i < TILES; i++)
            sum += (unsigned)q.out[i * 64 + t % 64];
        ck_assert_int_eq(sums[t], (int)sum);
    }
    help_kernel_close(&q.k);
}
END_TEST

START_TEST(tiles_wait_for_those_before_them)
{
    struct help_kernel k;
    int *length, *who, *sum, want = 0, takers = 0;

    help_kernel_open(&k, SM, FILE, "chain");
    help_buffer(&k, sizeof(int));
    length = help_buffer(&k, TILES * sizeof(int));
    who = help_buffer(&k, TILES * sizeof(int));
    help_buffer(&k, TILES * sizeof(int));
    sum = help_buffer(&k, TILES * sizeof(int));
    help_int(&k, TILES);
    unequal(length);
    k.ordered = 1;
    help_run_kernel(&k, BLOCKS, 1, 1, 1);
    for (int i = 0; i < TILES; i++) {
        want = (int)((unsigned)want + (unsigned)tile_of(length, i, 0));
        ck_assert_int_eq(sum[i], want);
        takers |= 1 << who[i];
    }
    ck_assert_int_eq(takers, (1 << BLOCKS) - 1);
    help_kernel_close(&k);
}
END_TEST

START_TEST(clusters_share_tiles)
{
    const uint32_t cluster = 1u << HELP_CASE;
    struct queue q;

    open_queue(&q, HELP_CLUSTERED, "clusters", unequal, (int)cluster * 32);
    help_int(&q.k, TILES);
    q.k.facts.cluster[0] = cluster;
    q.k.facts.cluster[1] = q.k.facts.cluster[2] = 1;
    q.k.facts.held_blocks = cluster * 4 + cluster / 2; /* 4 clusters */
    help_run_kernel(&q.k, cluster * BLOCKS, 1, 32, 1);
    expect_done(&q, 4);
    /* What a tile takes besides its length counts as well. */
    expect_shares(&q, 4, 2 * LONGEST);
    help_kernel_close(&q.k);
}
END_TEST

/* Who takes the tiles has little else to do: his time is that of those he waits
 * for. */
START_TEST(tiles_are_taken_ahead)
{
    struct queue q;

    open_queue(&q, HELP_CLUSTERED, "ahead", HELP_CASE ? unequal : equal, 64);
    help_int(&q.k, TILES);
    help_run_kernel(&q.k, BLOCKS, 1, 96, 1);
    expect_done(&q, BLOCKS);
    expect_shares(&q, BLOCKS, HELP_CASE ? 2 * LONGEST : 200);
    help_kernel_close(&q.k);
}
END_TEST

/* ---- faults ----------------------------------------------------------------------- */

START_TEST(work_without_an_end_ends_with_its_place)
{
    struct queue q;

    open_queue(&q, SM, "warps", one_long, 32);
    help_int(&q.k, INT32_MAX);
    q.k.facts.grid[0] = 3;
    q.k.facts.block[0] = 64;
    q.k.facts.limit.insts = 5000;
    ck_assert_int_eq(help_try_kernel(&q.k), TEG_LIMIT);
    ck_assert_ptr_nonnull(strstr(q.k.d.what, "more than 5000 instructions"));
    help_kernel_close(&q.k);
}
END_TEST

/* A launch that is closed before all its blocks have been handed out. */
START_TEST(blocks_that_nobody_takes_are_released)
{
    struct teg_launch launch;
    struct teg_block *block;
    struct queue q;

    open_queue(&q, SM, "tiles", equal, 64);
    help_int(&q.k, TILES);
    q.k.facts.from = 0;
    q.k.facts.grid[0] = BLOCKS;
    q.k.facts.block[0] = 64;
    ck_assert(emu_launch(&q.k.cubin, q.k.code, q.k.device, &q.k.facts, &launch,
                         &q.k.d) == TEG_OK);
    ck_assert(launch.next(launch.self, &block, &q.k.d) == TEG_OK);
    ck_assert_ptr_nonnull(block);
    teg_block_free(block);
    launch.close(launch.self);
    help_kernel_close(&q.k);
}
END_TEST

/* ---- what is no work ------------------------------------------------------------ */

START_TEST(counts_are_no_work)
{
    enum {
        COUNT = 1000
    };
    struct help_kernel k;
    int *bin, *out;

    help_kernel_open(&k, SM, FILE, "counts");
    bin = help_buffer(&k, 8 * sizeof *bin);
    help_buffer(&k, sizeof *bin);
    out = help_buffer(&k, COUNT * sizeof *out);
    help_int(&k, COUNT);
    k.ordered = 1;
    help_run_kernel(&k, BLOCKS, 1, 64, 1);
    help_expect_turns(&k, NULL);
    for (int i = 0; i < 8; i++)
        ck_assert_int_eq(bin[i], COUNT / 8);
    for (int i = 1; i < COUNT; i++)
        ck_assert_int_ge(out[i], out[i - 1]);
    help_kernel_close(&k);
}
END_TEST

HELP_MAIN("emulate shared work", 120,
          {blocks_share_equal_tiles, HELP_GENERATIONS},
          {blocks_share_unequal_tiles, HELP_GENERATIONS},
          {warps_share_tiles, HELP_GENERATIONS},
          {who_has_a_long_tile_takes_no_other, HELP_GENERATIONS},
          {who_takes_tiles_for_others_waits_for_them, 2},
          {blocks_without_a_place_come_later, HELP_GENERATIONS},
          {blocks_apart_leave_all_to_the_first, HELP_GENERATIONS},
          {an_order_by_grid_has_its_limit, HELP_ROUNDS(HELP_GENERATIONS)},
          {a_cooperative_grid_shares_and_meets, HELP_GENERATIONS},
          {tiles_wait_for_those_before_them, HELP_GENERATIONS},
          {clusters_share_tiles, 2 * 3}, {tiles_are_taken_ahead, 2 * 2},
          {work_without_an_end_ends_with_its_place, HELP_GENERATIONS},
          {blocks_that_nobody_takes_are_released, HELP_GENERATIONS},
          {counts_are_no_work, HELP_GENERATIONS})
