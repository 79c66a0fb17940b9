/* Replays and sweeps as users of the library have them. */
#include "include/teg/teg.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "tests/help_library.h"

static struct teg_diag d;
static struct teg_gpu *gpu;

static void setup(void)
{
    gpu = help_v100();
}

static void teardown(void)
{
    teg_gpu_free(gpu);
}

/* ---- replays ---------------------------------------------------------------- */

START_TEST(a_replay_outlives_its_trace_and_tells_of_the_launch)
{
    struct teg_replay *replay = help_replay("N=7");
    uint32_t shape[3];

    ck_assert_str_eq(teg_replay_kernel(replay), "k");
    teg_replay_grid(replay, shape);
    ck_assert_uint_eq(shape[0], 7);
    teg_replay_block(replay, shape);
    ck_assert_uint_eq(shape[0], 128);
    ck_assert_uint_eq(teg_replay_registers(replay), 32);
    ck_assert_uint_eq(teg_replay_shared_bytes(replay), 0);
    ck_assert_uint_eq(teg_replay_isa(replay), 70);
    ck_assert_uint_eq(teg_replay_launches(replay), 1);
    ck_assert_uint_gt(help_cycles(replay, gpu), 0);
    teg_replay_free(replay);
}
END_TEST

START_TEST(a_launch_that_is_not_there_is_refused)
{
    struct teg_replay *replay;
    struct teg_trace *trace;

    ck_assert_int_eq(teg_trace_open(HELP_MATMUL, NULL, &trace, &d), TEG_OK);
    ck_assert_str_eq(teg_trace_format_text(trace), "sketch");
    ck_assert_int_eq(teg_replay_new(trace, 1, &replay, &d), TEG_UNKNOWN);
    ck_assert_ptr_null(replay);
    teg_trace_close(trace);
    ck_assert_int_eq(teg_trace_open("nothing", NULL, &trace, &d), TEG_IO);
    ck_assert_ptr_null(trace);
    ck_assert_str_eq(d.where, "nothing");
    ck_assert_str_eq(teg_status_name(d.status), "io");
}
END_TEST

START_TEST(every_replay_gives_the_same)
{
    struct teg_replay *replay = help_replay(NULL);
    uint64_t cycles = help_cycles(replay, gpu);

    ck_assert_uint_eq(help_cycles(replay, gpu), cycles); /* from memory */
    teg_replay_set_threads(replay, 3);
    ck_assert_uint_eq(help_cycles(replay, gpu), cycles);
    teg_replay_free(replay);
}
END_TEST

START_TEST(fewer_SMs_or_warps_take_longer)
{
    struct teg_replay *replay = help_replay(NULL);
    uint64_t cycles = help_cycles(replay, gpu), fewer_sms, fewer_warps;

    teg_replay_set_sms(replay, 2);
    fewer_sms = help_cycles(replay, gpu);
    ck_assert_uint_gt(fewer_sms, cycles);
    teg_replay_set_warps(replay, 8);
    fewer_warps = help_cycles(replay, gpu);
    ck_assert_uint_gt(fewer_warps, fewer_sms);
    teg_replay_set_warps(replay, 0);
    teg_replay_set_sms(replay, 0);
    ck_assert_uint_eq(help_cycles(replay, gpu), cycles);
    teg_replay_free(replay);
}
END_TEST

START_TEST(what_ifs_stay_until_they_are_cleared)
{
    struct teg_replay *replay = help_replay(NULL);
    uint64_t cycles = help_cycles(replay, gpu), without;
    struct teg_result *result;

    ck_assert_int_eq(
        teg_replay_add_what_ifs(replay, " no-barriers , no-memory-latency", &d),
        TEG_OK);
    without = help_cycles(replay, gpu);
    ck_assert_uint_lt(without, cycles);
    ck_assert_uint_eq(help_cycles(replay, gpu), without);
    ck_assert_int_eq(teg_replay_add_what_ifs(replay, "no-barrier", &d), TEG_OK);
    ck_assert_int_eq(teg_replay_run(replay, gpu, &result, &d), TEG_UNKNOWN);
    ck_assert_ptr_null(result);
    ck_assert_ptr_nonnull(strstr(d.what, "no-barriers"));
    teg_replay_clear_what_ifs(replay);
    ck_assert_uint_eq(help_cycles(replay, gpu), cycles);
    teg_replay_free(replay);
}
END_TEST

START_TEST(a_block_that_fits_nowhere_names_its_launch)
{
    struct teg_replay *replay = help_replay(NULL);
    struct teg_result *result;

    ck_assert_int_eq(teg_gpu_set(gpu, "sm.threads_per_block_max", "64", &d),
                     TEG_OK);
    ck_assert_int_eq(teg_replay_run(replay, gpu, &result, &d), TEG_LIMIT);
    ck_assert_ptr_null(result);
    ck_assert_ptr_eq(strstr(d.where, "k: kernel 1"), d.where);
    ck_assert_int_eq(teg_gpu_set(gpu, "sm.warps_max", "1", &d), TEG_OK);
    ck_assert_int_eq(teg_replay_run(replay, gpu, &result, NULL), TEG_CONFIG);
    teg_replay_free(replay);
}
END_TEST

static int never_again(void *self, uint64_t blocks, uint64_t cycle)
{
    uint64_t *at = (uint64_t *)self;

    (void)blocks;
    *at = cycle;
    return 1;
}

START_TEST(progress_ends_a_replay)
{
    struct teg_result *result;
    struct teg_replay *replay;
    struct teg_trace *trace;
    uint64_t at = 0;

    ck_assert_int_eq(teg_trace_open(HELP_MATMUL, NULL, &trace, &d), TEG_OK);
    ck_assert_int_eq(teg_replay_new(trace, 0, &replay, &d), TEG_OK);
    teg_replay_set_sms(replay, 1);
    teg_replay_set_progress(replay, never_again, &at);
    ck_assert_int_eq(teg_replay_run(replay, gpu, &result, &d), TEG_INTERRUPTED);
    ck_assert_ptr_nonnull(result);
    ck_assert_uint_gt(at, 0);
    ck_assert_int_eq(teg_result_incomplete(result), 1);
    ck_assert_uint_gt(teg_result_warp_instructions(result), 0);
    teg_result_free(result);
    teg_replay_free(replay);
    teg_trace_close(trace);
}
END_TEST

START_TEST(a_part_stands_for_a_long_launch)
{
    struct teg_replay *replay = help_replay("N=40000");
    struct teg_result *result;

    teg_replay_set_sampling(replay, TEG_SAMPLING_LONG);
    ck_assert_msg(teg_replay_run(replay, gpu, &result, &d) == TEG_OK, "%s",
                  d.what);
    ck_assert_int_eq(teg_result_sampled(result), 1);
    ck_assert_double_gt(teg_result_error_bound(result), 0);
    ck_assert_double_gt(teg_result_simulated_share(result), 0);
    ck_assert_double_lt(teg_result_simulated_share(result), 0.5);
    teg_result_free(result);
    teg_replay_free(replay);
}
END_TEST

/* ---- sweeps ----------------------------------------------------------------- */

enum {
    POINTS = 10
};

static const char *const points[POINTS] = {
    "",
    "sm.warps_max=8",
    "no-barriers",
    "no-barriers, double:fp32 ,dram.latency=300",
    "sm.warp_max=8",
    "launch.registers=255",
    "launch.sms=2",
    "launch.warps=0",
    "launch.shared_bytes=49152",
    "launch.warps=8",
};

struct seen {
    uint64_t cycles[POINTS];
    teg_status status[POINTS];
    uint32_t blocks_per_sm[POINTS];
    char what[POINTS][512];
    int calls, calls_max;
};

static int see(void *self, uint32_t point, const struct teg_result *result,
               const struct teg_diag *fault)
{
    struct seen *s = self;

    ck_assert_int_eq(s->status[point], TEG_OK);
    ck_assert_uint_eq(s->cycles[point], 0);
    if (result != NULL) {
        s->cycles[point] = teg_result_cycles(result);
        s->blocks_per_sm[point] = teg_result_blocks_per_sm(result);
    } else {
        s->status[point] = fault->status;
        snprintf(s->what[point], sizeof s->what[point], "%s", fault->what);
    }
    return ++s->calls == s->calls_max;
}

START_TEST(points_are_replayed_by_any_number_of_workers)
{
    struct teg_replay *replay = help_replay("N=200");
    static struct seen seen[2];

    ck_assert_int_eq(
        teg_replay_sweep(replay, gpu, points, POINTS, 1, see, &seen[0], &d),
        TEG_OK);
    ck_assert_int_eq(seen[0].calls, POINTS);
    ck_assert_int_eq(
        teg_replay_sweep(replay, gpu, points, POINTS, 3, see, &seen[1], &d),
        TEG_OK);
    ck_assert_int_eq(memcmp(&seen[0], &seen[1], sizeof seen[0]), 0);
    ck_assert_uint_eq(help_cycles(replay, gpu), seen[0].cycles[0]);
    teg_replay_free(replay);
}
END_TEST

START_TEST(a_point_is_what_its_words_say)
{
    struct teg_replay *replay = help_replay("N=200");
    static struct seen seen;

    ck_assert_int_eq(
        teg_replay_sweep(replay, gpu, points, POINTS, 2, see, &seen, &d),
        TEG_OK);
    ck_assert_int_eq(seen.status[4], TEG_UNKNOWN);
    ck_assert_ptr_nonnull(strstr(seen.what[4], "sm.warps_max"));
    ck_assert_int_eq(seen.status[7], TEG_CONFIG);
    ck_assert_str_eq(seen.what[7],
                     "expected a whole number, 1 to 64, found '0'");
    /* 8 warps are 2 blocks; 255 registers of 128 threads twice 65536 */
    ck_assert_uint_eq(seen.blocks_per_sm[1], 2);
    ck_assert_uint_eq(seen.blocks_per_sm[5], 2);
    ck_assert_uint_eq(seen.blocks_per_sm[8], 2);
    ck_assert_uint_eq(seen.blocks_per_sm[9], 2);
    ck_assert_int_eq(teg_replay_add_what_ifs(replay, "no-barriers", &d),
                     TEG_OK);
    ck_assert_uint_eq(help_cycles(replay, gpu), seen.cycles[2]);
    ck_assert_int_eq(teg_replay_add_what_ifs(replay, "double:fp32", &d),
                     TEG_OK);
    teg_gpu_set(gpu, "dram.latency", "300", &d);
    ck_assert_uint_eq(help_cycles(replay, gpu), seen.cycles[3]);
    ck_assert_uint_lt(seen.cycles[3], seen.cycles[2]);
    teg_replay_free(replay);
    teardown();
    setup();
    replay = help_replay("N=200");
    teg_replay_set_sms(replay, 2);
    ck_assert_uint_eq(help_cycles(replay, gpu), seen.cycles[6]);
    teg_replay_free(replay);
}
END_TEST

START_TEST(a_sweep_ends_when_it_is_told_to)
{
    struct teg_replay *replay = help_replay(NULL);
    static struct seen seen = {.calls_max = 2};

    ck_assert_int_eq(
        teg_replay_sweep(replay, gpu, points, POINTS, 2, see, &seen, &d),
        TEG_INTERRUPTED);
    ck_assert_int_eq(seen.calls, 2);
    teg_replay_free(replay);
}
END_TEST

/* Where it stands in the list that is ranked: "all", the fixed ones, units. */
static uint32_t place_of(const char *name)
{
    uint32_t i = 0;

    if (strcmp(name, "all") == 0)
        return 0;
    while (i < teg_whatif_count() && strcmp(name, teg_whatif_name(i)) != 0)
        i++;
    return 1 + i;
}

START_TEST(a_ranking_has_every_what_if_by_gain)
{
    struct teg_replay *replay = help_replay("N=200");
    struct teg_ranking *ranking;
    uint32_t count;

    ck_assert_int_eq(teg_replay_rank(replay, gpu, 2, &ranking, &d), TEG_OK);
    ck_assert_uint_eq(teg_ranking_baseline(ranking), help_cycles(replay, gpu));
    count = teg_ranking_count(ranking);
    ck_assert_uint_gt(count, teg_whatif_count() + 1);
    for (uint32_t i = 0; i < count; i++) {
        ck_assert_uint_gt(teg_ranking_cycles(ranking, i), 0);
        if (i > 0)
            ck_assert_uint_le(teg_ranking_cycles(ranking, i - 1),
                              teg_ranking_cycles(ranking, i));
        /* of those that gain the same the first listed */
        if (i > 0 && teg_ranking_cycles(ranking, i - 1) ==
                         teg_ranking_cycles(ranking, i))
            ck_assert_uint_le(place_of(teg_ranking_name(ranking, i - 1)),
                              place_of(teg_ranking_name(ranking, i)));
        if (strcmp(teg_ranking_name(ranking, i), "all") == 0)
            continue;
        teg_replay_clear_what_ifs(replay);
        teg_replay_add_what_ifs(replay, teg_ranking_name(ranking, i), &d);
        ck_assert_uint_eq(teg_ranking_cycles(ranking, i),
                          help_cycles(replay, gpu));
    }
    ck_assert_ptr_null(teg_ranking_name(ranking, count));
    teg_ranking_free(ranking);
    teg_replay_add_what_ifs(replay, "nonsense", &d);
    ck_assert_int_eq(teg_replay_rank(replay, gpu, 2, &ranking, &d),
                     TEG_UNKNOWN);
    ck_assert_ptr_null(ranking);
    teg_replay_free(replay);
}
END_TEST

/* Warp-cycles of a result: issued and stalled. */
static uint64_t warp_cycles(const struct teg_result *r)
{
    uint64_t sum = teg_result_warp_instructions(r);

    for (uint32_t i = 0; i < teg_result_stalls(r); i++)
        sum += teg_result_stall_warp_cycles(r, i);
    return sum;
}

START_TEST(launches_beside_each_other_have_results_of_their_own)
{
    struct teg_replay *a = help_replay("N=200"), *b = help_replay("N=60");
    uint64_t alone = help_cycles(a, gpu), begun[2] = {9, 9};
    struct teg_beside beside[2] = {{a, 0, 0, &begun[0]}, {b, 50, 0, &begun[1]}};
    struct teg_result *result[2];
    double resident;

    ck_assert_int_eq(teg_replay_together(beside, 1, gpu, result, &d), TEG_OK);
    ck_assert_uint_eq(teg_result_cycles(result[0]), alone);
    teg_result_free(result[0]);
    ck_assert_int_eq(teg_replay_together(beside, 2, gpu, result, &d), TEG_OK);
    ck_assert_uint_eq(begun[0], 0);
    ck_assert_uint_ge(begun[1], 50);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(
            teg_result_value(result[i], "resident_warp_cycles", &resident, &d),
            TEG_OK);
        ck_assert_uint_eq(warp_cycles(result[i]), (uint64_t)resident);
        teg_result_free(result[i]);
    }
    /* Who has priority gets its places before who came as early. */
    beside[1].from = 0;
    beside[1].priority = 1;
    ck_assert_int_eq(teg_replay_together(beside, 2, gpu, result, &d), TEG_OK);
    ck_assert_uint_eq(begun[1], 0);
    teg_result_free(result[0]);
    teg_result_free(result[1]);
    teg_replay_free(a);
    teg_replay_free(b);
}
END_TEST

START_TEST(what_cannot_be_beside_another_is_refused)
{
    struct teg_replay *a = help_replay("N=6"), *b = help_replay("N=6");
    const struct teg_beside twice[2] = {{a, 0, 0, NULL}, {a, 0, 0, NULL}};
    const struct teg_beside both[2] = {{a, 0, 0, NULL}, {b, 0, 0, NULL}};
    struct teg_result *result[2];

    ck_assert_int_eq(teg_replay_together(twice, 2, gpu, result, &d), TEG_LIMIT);
    ck_assert_str_eq(d.what, "expected a replay of its own for each launch, "
                             "found that of launch 0 for launch 1");
    ck_assert_ptr_null(result[0]);
    teg_replay_set_warps(b, 4);
    ck_assert_int_eq(teg_replay_together(both, 2, gpu, result, &d), TEG_LIMIT);
    ck_assert_str_eq(d.where, "k");
    teg_replay_free(a);
    teg_replay_free(b);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("libteg replay");
    TCase *rules = tcase_create("rules");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(rules, setup, teardown);
    tcase_set_timeout(rules, 60);
    tcase_add_test(rules, a_replay_outlives_its_trace_and_tells_of_the_launch);
    tcase_add_test(rules, a_launch_that_is_not_there_is_refused);
    tcase_add_test(rules, every_replay_gives_the_same);
    tcase_add_test(rules, fewer_SMs_or_warps_take_longer);
    tcase_add_test(rules, what_ifs_stay_until_they_are_cleared);
    tcase_add_test(rules, a_block_that_fits_nowhere_names_its_launch);
    tcase_add_test(rules, progress_ends_a_replay);
    tcase_add_test(rules, a_part_stands_for_a_long_launch);
    tcase_add_test(rules, points_are_replayed_by_any_number_of_workers);
    tcase_add_test(rules, a_point_is_what_its_words_say);
    tcase_add_test(rules, a_sweep_ends_when_it_is_told_to);
    tcase_add_test(rules, a_ranking_has_every_what_if_by_gain);
    tcase_add_test(rules, launches_beside_each_other_have_results_of_their_own);
    tcase_add_test(rules, what_cannot_be_beside_another_is_refused);
    suite_add_tcase(suite, rules);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
