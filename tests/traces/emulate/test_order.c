/* k52 of tests/fixtures/kernels/: warps of a block that take turns. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help_kernel.h"
#include "tests/help_suite.h"

#define SM   help_generation[_i]
#define FILE "k52_order"

enum {
    WARPS = 8,
    COLUMNS = 32,
    TIMES = 20,
    BLOCKS = 3,
    SEEDS = 4
};

static const struct emu_order by_steps = {.turns = EMU_BY_STEPS};

static struct emu_order by_seed(uint64_t seed)
{
    return (struct emu_order){.turns = EMU_BY_SEED, .seed = seed};
}

/* What eight warps leave in `x` that add the same sums to the same elements,
 * `passes` of them one after the other. */
static void expect_columns(unsigned sm, struct emu_order order, int passes)
{
    struct help_kernel k;
    float *x, *a, *y;

    help_kernel_open(&k, sm, FILE, "columns");
    x = help_buffer(&k, COLUMNS * sizeof *x);
    a = help_buffer(&k, COLUMNS * COLUMNS * sizeof *a);
    y = help_buffer(&k, COLUMNS * sizeof *y);
    help_int(&k, COLUMNS);
    for (int i = 0; i < COLUMNS * COLUMNS; i++)
        a[i] = help_draw_float();
    for (int i = 0; i < COLUMNS; i++)
        y[i] = help_draw_float();
    k.facts.order = order;
    k.ordered = 1;
    help_run_kernel(&k, 1, 1, 32, WARPS);
    for (int i = 0; i < COLUMNS; i++) {
        float want = 0;

        for (int p = 0; p < passes; p++) {
            for (int j = 0; j < COLUMNS; j++)
                want = fmaf(a[i * COLUMNS + j], y[j], want);
        }
        ck_assert(x[i] == want);
    }
    help_kernel_close(&k);
}

START_TEST(warps_side_by_side_store_the_same)
{
    expect_columns(SM, (struct emu_order){0}, WARPS);
    expect_columns(SM, by_steps, 1);
}
END_TEST

/* Which warp came when, of the blocks one after the other. */
static void take_turns(unsigned sm, struct emu_order order,
                       int log[BLOCKS * WARPS * TIMES])
{
    struct help_kernel k;
    int *out, count[BLOCKS][WARPS] = {{0}};

    help_kernel_open(&k, sm, FILE, "turns");
    out = help_buffer(&k, BLOCKS * WARPS * TIMES * sizeof *out);
    help_buffer(&k, BLOCKS * sizeof *out);
    help_int(&k, TIMES);
    k.facts.order = order;
    k.ordered = 1;
    help_run_kernel(&k, BLOCKS, 1, 32 * WARPS, 1);
    memcpy(log, out, BLOCKS * WARPS * TIMES * sizeof *out);
    for (int i = 0; i < BLOCKS * WARPS * TIMES; i++) {
        ck_assert_uint_lt((unsigned)log[i], WARPS);
        count[i / (WARPS * TIMES)][log[i]]++;
    }
    for (int i = 0; i < BLOCKS * WARPS; i++)
        ck_assert_int_eq(count[i / WARPS][i % WARPS], TIMES);
    help_kernel_close(&k);
}

START_TEST(a_warp_goes_on_to_a_barrier)
{
    int log[BLOCKS * WARPS * TIMES];

    take_turns(SM, (struct emu_order){0}, log);
    for (int i = 0; i < BLOCKS * WARPS * TIMES; i++)
        ck_assert_int_eq(log[i], i / TIMES % WARPS);
}
END_TEST

START_TEST(warps_take_turns_by_steps)
{
    int log[BLOCKS * WARPS * TIMES];

    take_turns(SM, by_steps, log);
    for (int i = 0; i < BLOCKS * WARPS * TIMES; i++)
        ck_assert_int_eq(log[i], i % WARPS);
}
END_TEST

/* help_run_kernel says that threads and vectors change nothing. */
START_TEST(a_seed_is_an_order)
{
    static int log[SEEDS][BLOCKS * WARPS * TIMES];
    int again[BLOCKS * WARPS * TIMES];

    for (int s = 0; s < SEEDS; s++) {
        take_turns(SM, by_seed((uint64_t)s), log[s]);
        take_turns(SM, by_seed((uint64_t)s), again);
        ck_assert_mem_eq(log[s], again, sizeof again);
        for (int other = 0; other < s; other++)
            ck_assert_mem_ne(log[s], log[other], sizeof again);
        for (int b = 1; b < BLOCKS; b++)
            ck_assert_mem_ne(log[s], log[s] + b * WARPS * TIMES,
                             WARPS * TIMES * sizeof(int));
    }
}
END_TEST

static void expect_halves(unsigned sm, struct emu_order order)
{
    struct help_kernel k;
    unsigned *out, *in, n = 37;

    help_kernel_open(&k, sm, FILE, "halves");
    out = help_buffer(&k, 32 * WARPS * sizeof *out);
    in = help_buffer(&k, (n + WARPS) * sizeof *in);
    help_int(&k, (int)n);
    for (unsigned i = 0; i < n + WARPS; i++)
        in[i] = help_draw();
    k.facts.order = order;
    k.ordered = 1;
    help_run_kernel(&k, 1, 1, 32 * WARPS, 1);
    for (unsigned t = 0; t < 32 * WARPS; t++) {
        unsigned sum = t;

        for (unsigned i = 0; t % 2 != 0 && i < n + t / 32; i++)
            sum = sum * 5 + in[i];
        for (unsigned i = n; t % 2 == 0 && i > 0; i--)
            sum = sum * 3 + in[i - 1];
        ck_assert_uint_eq(out[t], sum);
    }
    help_kernel_close(&k);
}

static void expect_hurried(unsigned sm, struct emu_order order)
{
    struct help_kernel k;
    unsigned *out, *in, n = 100, sum = 0;

    help_kernel_open(&k, sm, FILE, "hurried");
    out = help_buffer(&k, 32 * WARPS * sizeof *out);
    in = help_buffer(&k, n * sizeof *in);
    help_int(&k, (int)n);
    for (unsigned i = 0; i < n; i++)
        in[i] = help_draw();
    for (unsigned i = 0; i < n; i++)
        sum = sum * 5 + in[i] + in[0];
    k.facts.order = order;
    k.ordered = 1;
    help_run_kernel(&k, 1, 1, 32 * WARPS, 1);
    for (unsigned t = 0; t < 32 * WARPS; t++)
        ck_assert_uint_eq(out[t], sum + t);
    help_kernel_close(&k);
}

/* As on a GPU, though no barrier says so. */
START_TEST(what_is_read_behind_a_barrier_is_read_before_it_is_overwritten)
{
    expect_hurried(SM, (struct emu_order){0});
    expect_hurried(SM, by_steps);
}
END_TEST

/* A warp that pauses goes on where it was. */
START_TEST(lanes_that_parted_keep_what_they_have)
{
    expect_halves(SM, by_steps);
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        expect_halves(SM, by_seed(seed));
}
END_TEST

START_TEST(an_endless_loop_ends_in_any_order)
{
    static const char *const orders[] = {"steps", "0", "77"};

    for (unsigned i = 0; i < 3; i++) {
        struct help_kernel k;

        help_kernel_open(&k, SM, FILE, "turns");
        help_buffer(&k, 4096);
        help_buffer(&k, 4);
        help_int(&k, 1000);
        k.facts.block[0] = 32;
        k.facts.limit.insts = 500;
        ck_assert(emu_order_parse(&k.facts.order, orders[i]));
        ck_assert_int_eq(help_try_kernel(&k), TEG_LIMIT);
        ck_assert_ptr_nonnull(strstr(k.d.what, "more than 500 instructions"));
        help_kernel_close(&k);
    }
}
END_TEST

/* Warp instructions of four warps whose threads all add to one float and one
 * double of shared memory, which compare and swap until they succeed. */
static uint64_t instructions_of_sums(unsigned sm, struct emu_order order)
{
    struct help_kernel k;
    uint64_t insts = 0;
    float *sum;
    double *sums;

    help_kernel_open(&k, sm, "k22_atomics", "atom_shared");
    help_buffer(&k, 512);
    sum = help_buffer(&k, 512);
    sums = help_buffer(&k, 1024);
    k.facts.order = order;
    k.facts.warp_insts = &insts;
    k.ordered = 1;
    help_run_kernel(&k, 1, 1, 128, 1);
    for (int t = 0; t < 128; t++) {
        ck_assert(sum[t] == 128);
        ck_assert(sums[t] == 256);
    }
    help_kernel_close(&k);
    return insts;
}

/* One warp after the other fails only by its own lanes: 32 rounds of each.  Side
 * by side each swap fails those of the other warps that come between. */
START_TEST(warps_of_a_block_fail_each_others_swaps)
{
    struct emu_order apart = {.apart = 1};
    uint64_t alone = instructions_of_sums(SM, apart),
             beside = instructions_of_sums(SM, (struct emu_order){0});

    ck_assert_uint_gt(beside, alone + alone / 4);
    ck_assert_uint_eq(beside, instructions_of_sums(SM, by_steps));
}
END_TEST

/* What 16 blocks of a warp that raise one word of global memory once did. */
struct raised {
    uint64_t insts, apart; /* swaps that were not in turn */
};

static struct raised raise_by_swaps(unsigned sm, struct emu_order order)
{
    struct help_kernel k;
    struct raised r = {0};
    uint64_t undefined[EMU_UNDEFINED] = {0};
    float *most;

    help_kernel_open(&k, sm, "k22_atomics", "atom_generic");
    help_buffer(&k, 256);
    help_int(&k, 0);
    most = help_buffer(&k, 4);
    help_float(&k, 2.5f);
    *most = 1;
    k.facts.order = order;
    k.facts.warp_insts = &r.insts;
    k.facts.undefined = undefined;
    k.ordered = 1;
    help_run_kernel(&k, 16, 1, 32, 1);
    ck_assert(*most == 2.5f);
    help_kernel_close(&k);
    r.apart = undefined[EMU_SWAPS_APART];
    return r;
}

/* One block after the other only the first has anything to do; side by side all
 * have read the word before the first swaps it, and try.  Who may not stand in front
 * of his swap has read it as well, and says so. */
START_TEST(blocks_fail_each_others_swaps)
{
    struct raised alone = raise_by_swaps(SM, (struct emu_order){.apart = 1}),
                  beside = raise_by_swaps(SM, (struct emu_order){0}),
                  once = raise_by_swaps(SM, (struct emu_order){.swaps_max = 1});

    ck_assert_uint_gt(beside.insts, alone.insts);
    ck_assert_uint_eq(once.insts, beside.insts);
    ck_assert_uint_eq(alone.apart, 0);
    ck_assert_uint_eq(beside.apart, 0);
    ck_assert_uint_gt(once.apart, 0);
    ck_assert_uint_eq(once.apart % 15, 0);
}
END_TEST

START_TEST(an_order_is_a_word_or_a_number)
{
    static const char *const bad[] = {
        "",   "step", "stepss", "grids",
        "-1", "1.5",  "0x10",   "12345678901234567890"};
    struct emu_order order;

    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++)
        ck_assert_msg(!emu_order_parse(&order, bad[i]), "%s", bad[i]);
    ck_assert(emu_order_parse(&order, "steps"));
    ck_assert_int_eq(order.turns, EMU_BY_STEPS);
    ck_assert_int_eq(order.grid, 0);
    ck_assert(emu_order_parse(&order, "grid"));
    ck_assert_int_eq(order.turns, EMU_BY_STEPS);
    ck_assert_int_eq(order.grid, 1);
    ck_assert(emu_order_parse(&order, "blocks"));
    ck_assert_int_eq(order.turns, EMU_TO_BARRIERS);
    ck_assert_int_eq(order.apart, 1);
    ck_assert(emu_order_parse(&order, "1234567890123456789"));
    ck_assert_int_eq(order.turns, EMU_BY_SEED);
    ck_assert_uint_eq(order.seed, UINT64_C(1234567890123456789));
}
END_TEST

HELP_MAIN("emulate order", 120,
          {warps_side_by_side_store_the_same, HELP_GENERATIONS},
          {a_warp_goes_on_to_a_barrier, HELP_GENERATIONS},
          {warps_take_turns_by_steps, HELP_GENERATIONS},
          {a_seed_is_an_order, HELP_GENERATIONS},
          {what_is_read_behind_a_barrier_is_read_before_it_is_overwritten,
           HELP_GENERATIONS},
          {lanes_that_parted_keep_what_they_have, HELP_GENERATIONS},
          {an_endless_loop_ends_in_any_order, HELP_GENERATIONS},
          {warps_of_a_block_fail_each_others_swaps, HELP_GENERATIONS},
          {blocks_fail_each_others_swaps, HELP_GENERATIONS},
          {an_order_is_a_word_or_a_number, 0})
