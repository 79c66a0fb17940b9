/* Instruction caches: what is there, what comes, and when. */
#include "sim/engine/fetch.h"

#include "tests/help_gpu.h"
#include "tests/help_suite.h"

enum {
    LINE = 128,
    NEAR = 30,
    FAR = 200,
};

static struct teg_gpu gpu;
static struct sim_fetch *fetch;

/* Caches of four and sixteen lines, in sets of two. */
static void open_caches(uint32_t lines_ahead)
{
    struct teg_diag d;

    help_gpu_plain(&gpu);
    gpu.sm.schedulers = 2;
    gpu.fetch.line_bytes = LINE;
    gpu.fetch.ways = 2;
    gpu.fetch.l0_bytes = 4 * LINE;
    gpu.fetch.l1_bytes = 16 * LINE;
    gpu.fetch.l1_latency = NEAR;
    gpu.fetch.miss_latency = FAR;
    gpu.fetch.lines_ahead = lines_ahead;
    gpu.fetch.cold = 1;
    ck_assert(sim_fetch_new(&gpu, &fetch, &d) == TEG_OK);
    ck_assert_ptr_nonnull(fetch);
}

static void close_caches(void)
{
    sim_fetch_free(fetch);
    fetch = NULL;
}

START_TEST(without_l0_there_is_nothing)
{
    struct teg_diag d;

    help_gpu_plain(&gpu);
    ck_assert(sim_fetch_new(&gpu, &fetch, &d) == TEG_OK);
    ck_assert_ptr_null(fetch);
}
END_TEST

START_TEST(a_line_comes_once_from_far_then_from_near_then_at_once)
{
    open_caches(0);
    ck_assert_uint_eq(sim_fetch_line(fetch, 0, 3 * LINE - 1), 2);
    ck_assert_uint_eq(sim_fetch_at(fetch, 0, 2, 1000), 1000 + FAR);
    /* under way: all wait for the same arrival */
    ck_assert_uint_eq(sim_fetch_at(fetch, 0, 2, 1010), 1000 + FAR);
    ck_assert_uint_eq(sim_fetch_at(fetch, 0, 2, 1000 + FAR), 1000 + FAR);
    /* the other scheduler finds it in the SM's cache, from when it is there */
    ck_assert_uint_eq(sim_fetch_at(fetch, 1, 2, 1100), 1000 + FAR);
    ck_assert_uint_eq(sim_fetch_at(fetch, 1, 4, 3000), 3000 + FAR);
    ck_assert_uint_eq(sim_fetch_at(fetch, 0, 4, 4000), 4000 + NEAR);
    close_caches();
}
END_TEST

START_TEST(what_was_used_longest_ago_goes)
{
    open_caches(0);
    /* lines 0, 2, 4 share a set of two */
    sim_fetch_at(fetch, 0, 0, 0);
    sim_fetch_at(fetch, 0, 2, 1000);
    sim_fetch_at(fetch, 0, 0, 2000);
    sim_fetch_at(fetch, 0, 4, 3000);
    ck_assert_uint_eq(sim_fetch_at(fetch, 0, 0, 4000), 4000);
    ck_assert_uint_eq(sim_fetch_at(fetch, 0, 2, 5000), 5000 + NEAR);
    close_caches();
}
END_TEST

START_TEST(lines_that_follow_come_along)
{
    open_caches(2);
    ck_assert_uint_eq(sim_fetch_at(fetch, 0, 8, 0), FAR);
    ck_assert_uint_eq(sim_fetch_at(fetch, 0, 9, 1000), 1000);
    ck_assert_uint_eq(sim_fetch_at(fetch, 0, 10, 2000), 2000);
    /* asked for when line 9 and 10 were used */
    ck_assert_uint_eq(sim_fetch_at(fetch, 0, 11, 3000), 3000);
    ck_assert_uint_eq(sim_fetch_at(fetch, 0, 12, 3010), 3010);
    ck_assert_uint_eq(sim_fetch_at(fetch, 0, 13, 3011), 3000 + FAR);
    close_caches();
}
END_TEST

/* Of a line that is there only the last of those that follow is asked for:
 * what of the others has gone since stays away. */
START_TEST(a_line_that_is_there_brings_one_along)
{
    open_caches(2);
    sim_fetch_at(fetch, 0, 0, 0);    /* sets: 0 2 / 1 */
    sim_fetch_at(fetch, 0, 9, 1000); /* and 10, 11: 10 2 / 9 11 */
    sim_fetch_at(fetch, 0, 2, 2000); /* and 4, not 3: 4 2 / 9 11 */
    ck_assert_uint_eq(sim_fetch_at(fetch, 0, 9, 3000), 3000);
    close_caches();
}
END_TEST

START_TEST(without_an_sm_cache_all_comes_from_far)
{
    struct teg_diag d;

    open_caches(0);
    close_caches();
    gpu.fetch.l1_bytes = 0;
    ck_assert(sim_fetch_new(&gpu, &fetch, &d) == TEG_OK);
    sim_fetch_at(fetch, 0, 7, 0);
    ck_assert_uint_eq(sim_fetch_at(fetch, 1, 7, 1000), 1000 + FAR);
    close_caches();
}
END_TEST

static void reach(uint32_t code, uint64_t last)
{
    struct teg_diag d;

    ck_assert(sim_fetch_reach(fetch, code, last, &d) == TEG_OK);
}

/* Of two programs each finds its own lines, and what was left of it. */
START_TEST(programs_share_caches_but_no_lines)
{
    open_caches(0);
    gpu.fetch.cold = 0;
    reach(0, 17 * LINE);
    reach(1, 2 * LINE);
    ck_assert_uint_eq(sim_fetch_at(fetch, 0, sim_fetch_line(fetch, 0, 0), 1000),
                      1000 + FAR);
    ck_assert_uint_eq(sim_fetch_at(fetch, 0, sim_fetch_line(fetch, 1, 0), 1010),
                      1010);
    reach(1, 17 * LINE);
    ck_assert_uint_eq(sim_fetch_at(fetch, 0, sim_fetch_line(fetch, 1, 0), 2000),
                      2000 + FAR);
    close_caches();
}
END_TEST

/* Warm caches: four lines are in the first, sixteen in the second, one more is
 * a line too many. */
START_TEST(an_earlier_launch_leaves_what_fits)
{
    open_caches(0);
    ck_assert(!sim_fetch_keeps(&gpu, 0)); /* but not of cold ones */
    gpu.fetch.cold = 0;
    ck_assert(sim_fetch_keeps(&gpu, 4 * LINE - 1));
    ck_assert(!sim_fetch_keeps(&gpu, 4 * LINE));
    reach(0, 4 * LINE);
    ck_assert_uint_eq(sim_fetch_at(fetch, 0, 0, 1000), 1000 + NEAR);
    ck_assert_uint_eq(sim_fetch_at(fetch, 0, 0, 2000), 2000);
    reach(0, 16 * LINE - 1);
    ck_assert_uint_eq(sim_fetch_at(fetch, 0, 15, 3000), 3000 + NEAR);
    reach(0, 16 * LINE);
    ck_assert_uint_eq(sim_fetch_at(fetch, 0, 14, 4000), 4000 + FAR);
    close_caches();
}
END_TEST

HELP_MAIN("sim/engine/fetch", 30, {without_l0_there_is_nothing, 0},
          {a_line_comes_once_from_far_then_from_near_then_at_once, 0},
          {what_was_used_longest_ago_goes, 0},
          {lines_that_follow_come_along, 0},
          {a_line_that_is_there_brings_one_along, 0},
          {without_an_sm_cache_all_comes_from_far, 0},
          {an_earlier_launch_leaves_what_fits, 0},
          {programs_share_caches_but_no_lines, 0})
