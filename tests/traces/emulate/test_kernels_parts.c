/* k50 of tests/fixtures/kernels/: votes of tiles, packed halves, minima of
 * doubles, 128-bit atomics and mbarriers of sm_80, against the same in C. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help_kernel.h"
#include "tests/help_launch.h"
#include "tests/help_suite.h"

#define SM   help_generation[_i]
#define FILE "k50_parts"

/* A tile of 8 lanes votes alone, also where another does not. */
START_TEST(a_tile_votes_for_itself)
{
    struct help_kernel k;
    int *in;
    unsigned *out;

    help_kernel_open(&k, SM, FILE, "tiles");
    in = help_buffer(&k, 32 * sizeof *in);
    out = help_buffer(&k, 64 * sizeof *out);
    for (int i = 0; i < 32; i++)
        in[i] = i == 3 || i == 9 || i >= 24;
    help_run_kernel(&k, 1, 1, 32, 1);
    for (int i = 0; i < 32; i++) {
        unsigned votes = 0;

        for (int l = 0; l < 8; l++)
            votes |= (unsigned)in[i / 8 * 8 + l] << l;
        ck_assert_uint_eq(out[i], votes | (unsigned)(votes != 0) << 8 |
                                      (unsigned)(votes == 255) << 9);
        ck_assert_uint_eq(out[32 + i], i / 8 % 2 == 0 ? ~votes & 255 : 0);
    }
    help_kernel_close(&k);
}
END_TEST

/* Every lane names those below it, so no two name the same; they have come
 * together and go on together. */
START_TEST(lanes_of_other_masks_go_on_together)
{
    struct help_kernel k;
    int *in;
    unsigned *out, all = 0;

    if (SM >= 90)
        return;
    help_kernel_open(&k, SM, FILE, "lanes_below");
    in = help_buffer(&k, 32 * sizeof *in);
    out = help_buffer(&k, 64 * sizeof *out);
    for (int i = 0; i < 32; i++) {
        in[i] = i % 3 == 0;
        all |= (unsigned)in[i] << i;
    }
    help_run_kernel(&k, 1, 1, 32, 1);
    for (int i = 0; i < 32; i++) {
        ck_assert_uint_eq(out[i], all & ((1u << i) - 1));
        ck_assert_uint_eq(out[32 + i], out[31 - i]);
    }
    help_kernel_close(&k);
}
END_TEST

/* Counted once for a store, and only where values differ; the highest lane's
 * stays.  (5 ways to run: help_run_kernel) */
START_TEST(stores_of_a_warp_to_one_place_are_counted)
{
    enum {
        THREADS = 64,
        GRID = 4
    };
    static const struct {
        int lanes, differ, counts;
    } row[] = {{1, 1, 0}, {2, 0, 0}, {2, 1, 1}};

    for (int r = 0; r < 3; r++) {
        uint64_t undefined[EMU_UNDEFINED] = {0};
        struct help_kernel k;
        int *out;

        help_kernel_open(&k, SM, FILE, "stores_meet");
        out = help_buffer(&k, GRID * THREADS * sizeof *out);
        help_int(&k, row[r].lanes);
        help_int(&k, row[r].differ);
        k.facts.undefined = undefined;
        help_run_kernel(&k, GRID, 1, THREADS, 1);
        ck_assert_uint_eq(undefined[EMU_CLASHING_STORES],
                          (unsigned)row[r].counts * GRID * THREADS / 32 * 5);
        for (int i = 0; row[r].counts && i < THREADS / 2; i++)
            ck_assert_int_eq(out[i], i % 16 == 2 ? 2 * i : 2 * i + 1);
        help_kernel_close(&k);
    }
}
END_TEST

/* The word behind the last three of shared memory is 0. */
START_TEST(shared_memory_ends_with_sixteen_bytes)
{
    static const int want[] = {20, 25, 30, 0};
    struct help_kernel k;
    int *out;

    help_kernel_open(&k, SM, FILE, "three_of_four");
    ck_assert_uint_eq(k.code->shared_bytes % 16, 12);
    out = help_buffer(&k, 7 * sizeof want);
    help_run_kernel(&k, 2, 1, 7, 1);
    for (int i = 0; i < 28; i++)
        ck_assert_int_eq(out[i], want[i % 4]);
    help_kernel_close(&k);
}
END_TEST

static unsigned ballot_of(unsigned mask, unsigned every)
{
    unsigned votes = 0;

    for (unsigned l = 0; l < 32; l += every)
        votes |= mask & 1u << l;
    return votes;
}

static void expect_votes(const unsigned *out, const unsigned *masks)
{
    for (int i = 0; i < 32; i++)
        ck_assert_uint_eq(out[i], ballot_of(masks[i], 3));
}

/* Both arms use the same barrier before lanes of one are waited for in the
 * other. */
START_TEST(arms_of_a_branch_meet_for_themselves)
{
    struct help_kernel k;
    unsigned *masks, *out;

    help_kernel_open(&k, SM, FILE, "arms");
    masks = help_buffer(&k, 32 * sizeof *masks);
    help_buffer(&k, 8);
    out = help_buffer(&k, 32 * sizeof *out);
    for (int i = 0; i < 32; i++)
        masks[i] = i < 16 ? 0xffff : 0xffff0000;
    help_run_kernel(&k, 1, 1, 32, 1);
    expect_votes(out, masks);
    help_kernel_close(&k);
}
END_TEST

/* However long a lane waits for another warp, a vote or barrier of its own waits
 * for it. */
START_TEST(a_warp_waits_for_a_lane_that_waits)
{
    for (int n = 10; n <= HELP_ROUNDS(100000); n *= 100) {
        struct help_kernel k;
        unsigned *out;

        help_kernel_open(&k, SM, FILE, "one_waits");
        help_buffer(&k, 8);
        out = help_buffer(&k, 128 * sizeof *out);
        help_int(&k, n);
        k.ordered = 1;
        help_run_kernel(&k, 1, 1, 64, 1);
        for (unsigned i = 0; i < 32; i++) {
            ck_assert_uint_eq(out[i], ballot_of(~0u, 3));
            ck_assert_uint_eq(out[32 + i], 31 - i);
        }
        help_kernel_close(&k);
    }
}
END_TEST

START_TEST(lanes_that_vote_tell_those_who_wait)
{
    for (int first = 0; first < 2; first++) {
        struct help_kernel k;
        unsigned *masks, *out;

        help_kernel_open(&k, SM, FILE, "half_tells");
        masks = help_buffer(&k, 32 * sizeof *masks);
        help_buffer(&k, 4);
        out = help_buffer(&k, 32 * sizeof *out);
        help_int(&k, first);
        for (int i = 0; i < 32; i++)
            masks[i] = i < 16 ? 0xffff : 0xffff0000;
        k.ordered = 1;
        help_run_kernel(&k, 1, 1, 32, 1);
        expect_votes(out, masks);
        help_kernel_close(&k);
    }
}
END_TEST

START_TEST(warps_wait_for_each_other_by_memory_alone)
{
    struct help_kernel k;
    int *out;

    help_kernel_open(&k, SM, FILE, "relay");
    help_buffer(&k, 4);
    out = help_buffer(&k, 256 * sizeof *out);
    k.ordered = 1;
    help_run_kernel(&k, 1, 1, 256, 1);
    for (int i = 0; i < 256; i++)
        ck_assert_int_eq(out[i], 7 - i / 32);
    help_kernel_close(&k);
}
END_TEST

static unsigned halves(unsigned low, unsigned high)
{
    return (low & 0xffff) | high << 16;
}

static int clamped(int v)
{
    return v < -32768 ? -32768 : v > 32767 ? 32767 : v;
}

/* Both halves' results of one pair of words; (CUDA Math API, SIMD intrinsics) */
static void pack(unsigned a, unsigned b, unsigned want[8])
{
    unsigned v[8][2];

    for (int h = 0; h < 2; h++) {
        unsigned x = a >> 16 * h & 0xffff, y = b >> 16 * h & 0xffff;
        int sx = (int16_t)x, sy = (int16_t)y, sum = (int16_t)(sx + sy);

        v[0][h] = (unsigned)(sx >= sy ? sx : sy);
        v[1][h] = sx >= sy;
        v[2][h] = x <= y ? x : y;
        v[3][h] = x <= y;
        v[4][h] = x - y;
        v[5][h] = (unsigned)clamped(sx - sy);
        v[6][h] = (unsigned)abs(sx - sy);
        v[7][h] = (unsigned)(sum > 1 ? sum : 1);
    }
    for (int i = 0; i < 8; i++)
        want[i] =
            i == 1 || i == 3 ? 2 * v[i][1] + v[i][0] : halves(v[i][0], v[i][1]);
}

START_TEST(halves_do_not_touch_each_other)
{
    enum {
        N = 256
    };
    static const uint16_t edge[] = {0, 1, 0x7fff, 0x8000, 0xffff, 2};
    uint64_t random = 17;
    struct help_kernel k;
    unsigned *in, *out;

    help_kernel_open(&k, SM, FILE, "packed");
    in = help_buffer(&k, 2 * N * sizeof *in);
    out = help_buffer(&k, 8 * N * sizeof *out);
    for (int i = 0; i < 2 * N; i++)
        in[i] = i % 3 == 0 ? halves(edge[help_below(&random, 6)],
                                    edge[help_below(&random, 6)])
                           : (unsigned)help_random(&random);
    for (int i = 0; i < 16; i++)
        in[2 * i + 1] = in[2 * i] ^ (i % 2 != 0 ? 0xffff0000 : 0);
    help_run_kernel(&k, 2, 1, N / 2, 1);
    for (int i = 0; i < N; i++) {
        unsigned want[8];

        pack(in[2 * i], in[2 * i + 1], want);
        for (int n = 0; n < 8; n++)
            ck_assert_msg(out[n * N + i] == want[n],
                          "%d of %08x, %08x: %08x, expected %08x", n, in[2 * i],
                          in[2 * i + 1], out[n * N + i], want[n]);
    }
    help_kernel_close(&k);
}
END_TEST

static int same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* A number wins over NaN; -0 comes before +0. */
START_TEST(minima_of_doubles_pass_over_nan)
{
    static const double odd[] = {0,        -0.0,      1,           -1,
                                 HUGE_VAL, -HUGE_VAL, (double)NAN, 2};
    struct help_kernel k;
    double *in, *out;

    help_kernel_open(&k, SM, FILE, "doubles");
    in = help_buffer(&k, 128 * sizeof *in);
    out = help_buffer(&k, 128 * sizeof *out);
    for (int i = 0; i < 64; i++) {
        in[2 * i] = odd[i / 8];
        in[2 * i + 1] = odd[i % 8];
    }
    help_run_kernel(&k, 1, 1, 64, 1);
    for (int i = 0; i < 64; i++) {
        double a = in[2 * i], b = in[2 * i + 1];
        double least = isnan(a) ? b : isnan(b) ? a : a < b ? a : b;
        double most = isnan(a) ? b : isnan(b) ? a : a > b ? a : b;

        if (a == 0 && b == 0) {
            least = signbit(a) ? a : b;
            most = signbit(a) ? b : a;
        }
        if (isnan(a) && isnan(b)) {
            ck_assert(isnan(out[i]) && isnan(out[64 + i]));
            continue;
        }
        ck_assert_msg(same(out[i], least) && same(out[64 + i], most),
                      "%g, %g: %g, %g", a, b, out[i], out[64 + i]);
    }
    help_kernel_close(&k);
}
END_TEST

/* In the system's part of shared memory, not at the kernel's own. */
START_TEST(tiles_of_two_warps_meet)
{
    struct help_kernel k;
    int *out;

    if (SM < 80)
        return; /* they have no such memory */
    help_kernel_open(&k, SM, FILE, "large_tiles");
    out = help_buffer(&k, 256 * sizeof *out);
    help_run_kernel(&k, 1, 1, 256, 1);
    for (int i = 0; i < 256; i++) {
        int rounds = i / 64 % 2 != 0 ? 2 : 5;

        ck_assert_int_eq(out[i], rounds * (i ^ 63) + rounds * (rounds - 1) / 2);
    }
    help_kernel_close(&k);
}
END_TEST

START_TEST(a_dependent_launch_goes_on)
{
    struct help_kernel k;
    int *out;

    if (SM < 90)
        return;
    help_kernel_open(&k, SM, FILE, "dependent");
    out = help_buffer(&k, 32 * sizeof *out);
    help_run_kernel(&k, 1, 1, 32, 1);
    ck_assert_int_eq(out[31], 1);
    help_kernel_close(&k);
}
END_TEST

START_TEST(threads_meet_at_an_mbarrier_and_leave_it)
{
    enum {
        N = 128
    };
    struct help_kernel k;
    int *out;

    if (SM < 80)
        return;
    help_kernel_open(&k, SM, FILE, "phases");
    k.ordered = 1; /* who still has to come */
    out = help_buffer(&k, 2 * N * sizeof *out);
    help_run_kernel(&k, 1, 1, N, 1);
    for (int i = 0; i < N; i++) {
        int sum = 6 * (i ^ 33);

        ck_assert_int_eq(out[i], i % 2 != 0 ? sum : sum + 100 * (i ^ 66));
        ck_assert_int_le(out[N + i], N / 2); /* who is left has not all come */
        ck_assert_int_eq(out[N + i] > 0, i % 2 == 0);
    }
    help_kernel_close(&k);
}
END_TEST

START_TEST(an_mbarrier_hears_of_copies)
{
    struct help_kernel k;
    int *in, *out;

    if (SM < 80 || SM >= 90)
        return;
    help_kernel_open(&k, SM, FILE, "copied");
    in = help_buffer(&k, 64 * 16);
    out = help_buffer(&k, 64 * 16);
    for (int i = 0; i < 256; i++)
        in[i] = 3 * i;
    help_run_kernel(&k, 1, 1, 64, 1);
    for (int i = 0; i < 256; i++)
        ck_assert_int_eq(out[i], in[(i / 4 ^ 63) * 4 + i % 4]);
    help_kernel_close(&k);
}
END_TEST

START_TEST(sixteen_bytes_are_compared_and_exchanged)
{
    static const uint64_t want[8] = {7, 9, 7, 9, 2, 3, 9, 7};
    struct help_kernel k;
    uint64_t *m, *out, seen = 0;

    if (SM < 90)
        return;
    help_kernel_open(&k, SM, FILE, "counter");
    m = help_buffer(&k, 16);
    out = help_buffer(&k, 40 * sizeof *out);
    help_run_kernel(&k, 1, 1, 32, 1);
    ck_assert_uint_eq(m[0], 31 * 32 / 2);
    ck_assert_uint_eq(m[1], 32);
    for (int i = 0; i < 32; i++)
        seen |= UINT64_C(1) << out[i];
    ck_assert_uint_eq(seen, UINT32_MAX); /* each had its turn */
    ck_assert(memcmp(out + 32, want, sizeof want) == 0);
    help_kernel_close(&k);
}
END_TEST

HELP_MAIN("emulate kernels parts", 60,
          {a_tile_votes_for_itself, HELP_GENERATIONS},
          {lanes_of_other_masks_go_on_together, HELP_GENERATIONS},
          {arms_of_a_branch_meet_for_themselves, HELP_GENERATIONS},
          {a_warp_waits_for_a_lane_that_waits, HELP_GENERATIONS},
          {lanes_that_vote_tell_those_who_wait, HELP_GENERATIONS},
          {warps_wait_for_each_other_by_memory_alone, HELP_GENERATIONS},
          {stores_of_a_warp_to_one_place_are_counted, HELP_GENERATIONS},
          {shared_memory_ends_with_sixteen_bytes, HELP_GENERATIONS},
          {halves_do_not_touch_each_other, HELP_GENERATIONS},
          {minima_of_doubles_pass_over_nan, HELP_GENERATIONS},
          {tiles_of_two_warps_meet, HELP_GENERATIONS},
          {a_dependent_launch_goes_on, HELP_GENERATIONS},
          {threads_meet_at_an_mbarrier_and_leave_it, HELP_GENERATIONS},
          {an_mbarrier_hears_of_copies, HELP_GENERATIONS},
          {sixteen_bytes_are_compared_and_exchanged, HELP_GENERATIONS})
