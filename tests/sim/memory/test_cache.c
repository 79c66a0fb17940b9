/* The cache against one that keeps its lines in a list in order of use. */
#include "sim/memory/cache.h"

#include <string.h>

#include "tests/help_launch.h"
#include "tests/help_suite.h"

enum {
    SETS = 3,
    WAYS = 5
};

/* Most recently used first. */
struct slow_set {
    struct {
        uint64_t line;
        uint32_t valid, dirty;
    } way[WAYS];
    int count;
};

struct slow_result {
    uint32_t hits, evicted;
    uint64_t evicted_line;
};

static struct slow_result slow_access(struct slow_set *s, uint64_t line,
                                      uint32_t sectors, int allocate, int dirty)
{
    struct slow_result r = {0};
    int at = 0;

    while (at < s->count && s->way[at].line != line)
        at++;
    if (at == s->count) {
        if (!allocate)
            return r;
        if (s->count == WAYS) {
            at = WAYS - 1;
            r.evicted = s->way[at].dirty;
            r.evicted_line = s->way[at].line;
        } else {
            s->count++;
        }
        s->way[at].line = line;
        s->way[at].valid = s->way[at].dirty = 0;
    } else {
        r.hits = s->way[at].valid & sectors;
    }
    if (allocate)
        s->way[at].valid |= sectors;
    if (dirty)
        s->way[at].dirty |= sectors & s->way[at].valid;
    for (; at > 0; at--) {
        struct slow_set copy = *s;

        s->way[at] = copy.way[at - 1];
        s->way[at - 1] = copy.way[at];
    }
    return r;
}

START_TEST(a_cache_evicts_what_was_used_longest_ago)
{
    struct sim_cache *c = sim_cache_new(SETS, WAYS);
    struct slow_set slow[SETS] = {0};
    uint64_t state = 5;

    ck_assert_ptr_nonnull(c);
    for (int i = 0; i < 200000; i++) {
        uint32_t set = help_below(&state, SETS);
        uint64_t line = help_below(&state, 9);
        uint32_t sectors = 1 + help_below(&state, 15);
        int allocate = help_below(&state, 5) != 0;
        int dirty = help_below(&state, 3) == 0;
        struct sim_cache_result a =
            sim_cache_access(c, set, line, sectors, allocate, dirty);
        struct slow_result b =
            slow_access(&slow[set], line, sectors, allocate, dirty);

        ck_assert_uint_eq(a.hits, b.hits);
        ck_assert_uint_eq(a.evicted, b.evicted);
        if (b.evicted != 0)
            ck_assert_uint_eq(a.evicted_line, b.evicted_line);
    }
    sim_cache_free(c);
}
END_TEST

START_TEST(a_line_under_way_says_when_it_arrives)
{
    struct sim_cache *c = sim_cache_new(1, 1);
    struct sim_cache_result r = sim_cache_access(c, 0, 7, 3, 1, 0);

    sim_cache_fill(c, r.frame, 100);
    r = sim_cache_access(c, 0, 7, 1, 1, 0);
    ck_assert_uint_eq(r.hits, 1);
    ck_assert_uint_eq(r.ready, 100);
    /* another line in its frame begins anew */
    r = sim_cache_access(c, 0, 8, 1, 1, 0);
    ck_assert_uint_eq(r.hits, 0);
    r = sim_cache_access(c, 0, 8, 1, 1, 0);
    ck_assert_uint_eq(r.ready, 0);
    sim_cache_free(c);
}
END_TEST

/* Fills in the order of accesses that have all been made before. */
START_TEST(fills_may_become_known_later)
{
    struct sim_cache *c = sim_cache_new(1, 1);
    struct sim_cache_result first = sim_cache_access(c, 0, 7, 1, 1, 0);
    struct sim_cache_result hit, other;

    ck_assert(first.entered && !first.awaited);
    sim_cache_await(c, first.frame);
    hit = sim_cache_access(c, 0, 7, 1, 1, 0);
    ck_assert(hit.hits == 1 && hit.awaited && !hit.entered);
    other = sim_cache_access(c, 0, 8, 1, 1, 0);
    ck_assert(other.entered && other.hits == 0);
    sim_cache_await(c, other.frame);

    sim_cache_forget(c, first.frame);
    sim_cache_fill(c, first.frame, 500);
    ck_assert_uint_eq(sim_cache_ready(c, hit.frame), 500);
    sim_cache_forget(c, other.frame);
    sim_cache_fill(c, other.frame, 300);
    hit = sim_cache_access(c, 0, 8, 1, 1, 0);
    ck_assert_uint_eq(hit.ready, 300);
    ck_assert(!hit.awaited);
    sim_cache_free(c);
}
END_TEST

/* Sectors of a line that come by different ways: the last one counts.  A line
 * that enters a frame for which a fill is to come does not know when. */
START_TEST(the_last_fill_of_a_line_counts)
{
    struct sim_cache *c = sim_cache_new(1, 1);
    struct sim_cache_result r = sim_cache_access(c, 0, 7, 1, 1, 0);

    sim_cache_fill(c, r.frame, 100);
    sim_cache_access(c, 0, 7, 2, 1, 0);
    sim_cache_fill(c, r.frame, 50);
    r = sim_cache_access(c, 0, 7, 3, 1, 0);
    ck_assert_uint_eq(r.hits, 3);
    ck_assert_uint_eq(r.ready, 100);

    sim_cache_await(c, r.frame);
    sim_cache_access(c, 0, 8, 1, 1, 0);
    r = sim_cache_access(c, 0, 8, 1, 1, 0);
    ck_assert(r.hits == 1 && r.awaited);
    sim_cache_free(c);
}
END_TEST

/* Sectors of one line come apart; it is ready with the last of them. */
START_TEST(a_line_is_ready_with_its_last_sector)
{
    struct sim_cache *c = sim_cache_new(1, 1);
    struct sim_cache_result r = sim_cache_access(c, 0, 7, 1, 1, 0);

    sim_cache_fill(c, r.frame, 100);
    r = sim_cache_access(c, 0, 7, 2, 1, 0);
    sim_cache_fill(c, r.frame, 200);
    ck_assert_uint_eq(sim_cache_ready(c, r.frame), 200);
    sim_cache_fill(c, r.frame, 150);
    ck_assert_uint_eq(sim_cache_ready(c, r.frame), 200);
    sim_cache_free(c);
}
END_TEST

HELP_MAIN("sim/memory/cache", 30, {a_cache_evicts_what_was_used_longest_ago, 0},
          {a_line_under_way_says_when_it_arrives, 0},
          {fills_may_become_known_later, 0},
          {the_last_fill_of_a_line_counts, 0},
          {a_line_is_ready_with_its_last_sector, 0})
