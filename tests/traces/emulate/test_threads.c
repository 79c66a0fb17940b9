/* Blocks on several threads: results, traces and faults are those of one. */
#include <stdlib.h>
#include <string.h>

#include "tests/help_kernel.h"
#include "tests/help_suite.h"

static const unsigned many[] = {2, 5, 16};

/* A sum of `n` floats to come in *in by so many blocks of so many threads;
 * returns where it goes. */
static float *open_sum(struct help_kernel *k, int n, uint32_t blocks,
                       uint32_t threads, float **in)
{
    float *out;

    help_kernel_open(k, 80, "k06_reduce", "reduce_f");
    *in = help_buffer(k, 4 * (size_t)n);
    out = help_buffer(k, 4);
    help_int(k, n);
    k->facts.grid[0] = blocks;
    k->facts.block[0] = threads;
    return out;
}

/* Sums of floats depend on the order of the blocks in every bit. */
START_TEST(order_of_atomics)
{
    enum {
        N = 20000
    };
    struct help_kernel k;
    float *in, *out, want;

    out = open_sum(&k, N, 50, 64, &in);
    for (int i = 0; i < N; i++)
        in[i] = help_draw_float() * (i % 7 == 0 ? 1e4f : 1e-3f);
    ck_assert(help_try_kernel(&k) == TEG_OK);
    want = *out;
    k.facts.jobs = many[_i];
    for (int round = 0; round < 3; round++) {
        *out = 0;
        ck_assert(help_try_kernel(&k) == TEG_OK);
        ck_assert(memcmp(out, &want, 4) == 0);
    }
    help_kernel_close(&k);
}
END_TEST

/* Blocks that touch thousands of pages and do little with each are not run
 * ahead; what they add is the same. */
START_TEST(pages_all_over)
{
    enum {
        BLOCKS = 32,
        THREADS = 8, /* of all blocks a page each time round */
        N = 2500 * BLOCKS * THREADS
    };
    struct help_kernel k;
    float *in, *out, want;

    out = open_sum(&k, N, BLOCKS, THREADS, &in);
    for (int i = 0; i < N; i++)
        in[i] = help_draw_float();
    ck_assert(help_try_kernel(&k) == TEG_OK);
    want = *out;
    k.facts.jobs = many[_i];
    *out = 0;
    ck_assert(help_try_kernel(&k) == TEG_OK);
    ck_assert(memcmp(out, &want, 4) == 0);
    help_kernel_close(&k);
}
END_TEST

/* What a block gets back from an atomic is what those before it left. */
START_TEST(answers_of_atomics)
{
    static const size_t bytes[] = {64, 32, 64, 32, 64, 160, 128};
    struct help_kernel k;
    uint8_t want[7][160];

    help_kernel_open(&k, 75, "k22_atomics", "atom_global");
    for (int i = 0; i < 7; i++)
        help_buffer(&k, bytes[i]);
    k.facts.grid[0] = 30;
    k.facts.block[0] = 32;
    ck_assert(help_try_kernel(&k) == TEG_OK);
    for (int i = 0; i < 7; i++) {
        memcpy(want[i], k.buffer[i].data, bytes[i]);
        memset(k.buffer[i].data, 0, bytes[i]);
    }
    k.facts.jobs = many[_i];
    ck_assert(help_try_kernel(&k) == TEG_OK);
    for (int i = 0; i < 7; i++)
        ck_assert_mem_eq(k.buffer[i].data, want[i], bytes[i]);
    help_kernel_close(&k);
}
END_TEST

/* A block that spins for what one before it does looks again in its turn. */
START_TEST(locks)
{
    struct help_kernel k;
    int *data;

    help_kernel_open(&k, 86, "k24_control", "spinlock");
    help_buffer(&k, 4);
    data = help_buffer(&k, 4);
    k.facts.grid[0] = 10;
    k.facts.block[0] = 16;
    k.facts.jobs = many[_i];
    ck_assert(help_try_kernel(&k) == TEG_OK);
    ck_assert_int_eq(*data, 10 * 16);
    help_kernel_close(&k);
}
END_TEST

/* Accesses next to each other in one page are no conflict, and the first
 * block that fails is the one that is named. */
START_TEST(faults)
{
    struct help_kernel k;
    struct teg_diag first;

    help_kernel_open(&k, 90, "k01_vecadd", "vecadd");
    for (int i = 0; i < 3; i++)
        help_buffer(&k, 1000);
    help_int(&k, 100000);
    k.facts.grid[0] = 40;
    k.facts.block[0] = 64;
    ck_assert(help_try_kernel(&k) == TEG_LIMIT);
    first = k.d;
    ck_assert_ptr_nonnull(strstr(first.where, "block 3,0,0 warp 1 lane 26"));
    k.facts.jobs = many[_i];
    ck_assert(help_try_kernel(&k) == TEG_LIMIT);
    ck_assert_str_eq(k.d.where, first.where);
    ck_assert_str_eq(k.d.what, first.what);
    help_kernel_close(&k);
}
END_TEST

HELP_MAIN("traces/emulate/workers", 60, {order_of_atomics, 3},
          {pages_all_over, 3}, {answers_of_atomics, 3}, {locks, 3}, {faults, 3})
