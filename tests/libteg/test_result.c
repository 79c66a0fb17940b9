/* Results, models and the emulator as users of the library have them. */
#include "include/teg/teg.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* ---- results ---------------------------------------------------------------- */

static double value_of(const struct teg_result *result, const char *name)
{
    double value;

    ck_assert_msg(teg_result_value(result, name, &value, &d) == TEG_OK, "%s",
                  d.what);
    return value;
}

START_TEST(a_result_counts_what_the_launch_does)
{
    struct teg_replay *replay = help_replay(NULL);
    struct teg_result *result;
    uint64_t issued = 0, stalled = 0;

    ck_assert_int_eq(teg_replay_run(replay, gpu, &result, &d), TEG_OK);
    /* 60 blocks of 4 warps, 20 times 3 instructions and an exit */
    ck_assert_uint_eq(teg_result_warp_instructions(result), 60 * 4 * 61);
    ck_assert_double_eq(value_of(result, "warp_instructions"), 60 * 4 * 61);
    ck_assert_double_eq(value_of(result, "blocks"), 60);
    ck_assert_double_eq(value_of(result, "global_loads"), 60 * 4 * 20);
    ck_assert_double_eq(value_of(result, "useful_bytes"), 60 * 4 * 20 * 128.0);
    ck_assert_double_eq(value_of(result, "barriers"), 60 * 4 * 20);
    ck_assert(isnan(value_of(result, "shared_conflict_degree")));
    ck_assert_double_eq(value_of(result, "cycles"),
                        (double)teg_result_cycles(result));
    ck_assert_double_eq(teg_result_time_us(result),
                        value_of(result, "cycles") / 1380);
    for (uint32_t i = 0; i < teg_result_units(result); i++) {
        double busy = (double)teg_result_unit_busy_cycles(result, i);
        double active = teg_result_unit_active(result, i);

        issued += teg_result_unit_issued(result, i);
        /* one on each of 80 SMs, or on each of their schedulers */
        ck_assert(active <= 1);
        ck_assert_double_le(active * (double)teg_result_cycles(result) * 80,
                            busy * 1.000001);
    }
    for (uint32_t i = 0; i < teg_result_stalls(result); i++)
        stalled += teg_result_stall_warp_cycles(result, i);
    ck_assert_uint_eq(issued, 60 * 4 * 61);
    ck_assert_double_eq(value_of(result, "resident_warp_cycles"),
                        (double)(issued + stalled));
    ck_assert_int_eq(teg_result_sampled(result), 0);
    ck_assert_double_eq(teg_result_simulated_share(result), 1);
    teg_result_free(result);
    teg_replay_free(replay);
}
END_TEST

START_TEST(numbers_beyond_an_end_are_harmless)
{
    struct teg_replay *replay = help_replay("N=1");
    struct teg_result *result;

    ck_assert_int_eq(teg_replay_walk(replay, gpu, &result, &d), TEG_OK);
    ck_assert_ptr_null(teg_counter_name(teg_counter_count()));
    ck_assert_ptr_null(teg_counter_unit(teg_counter_count()));
    ck_assert_ptr_null(teg_counter_help(teg_counter_count()));
    ck_assert_double_eq(teg_result_counter(result, teg_counter_count()), 0);
    ck_assert_ptr_null(teg_result_unit_name(result, 100));
    ck_assert_uint_eq(teg_result_unit_issued(result, 100), 0);
    ck_assert_ptr_null(teg_result_stall_name(result, 100));
    ck_assert_uint_eq(teg_result_stall_warp_cycles(result, 100), 0);
    ck_assert_ptr_null(teg_result_note(result, 0));
    ck_assert_ptr_null(teg_whatif_name(teg_whatif_count()));
    ck_assert_ptr_null(teg_model_name(teg_model_count()));
    teg_result_free(result);
    teg_replay_free(replay);
}
END_TEST

START_TEST(counters_have_names_units_and_help)
{
    for (uint32_t i = 0; i < teg_counter_count(); i++) {
        ck_assert_str_ne(teg_counter_name(i), "");
        ck_assert_ptr_nonnull(teg_counter_unit(i));
        ck_assert_str_ne(teg_counter_help(i), "");
        for (uint32_t k = 0; k < i; k++)
            ck_assert_str_ne(teg_counter_name(i), teg_counter_name(k));
    }
}
END_TEST

/* Programs ask for them, and for their numbers. */
START_TEST(names_of_counters_stay)
{
    static const char *const names[] = {"cycles",
                                        "time_us",
                                        "ipc",
                                        "blocks",
                                        "warps",
                                        "warp_instructions",
                                        "thread_instructions",
                                        "unknown_instructions",
                                        "barriers",
                                        "sms_simulated",
                                        "sms_active",
                                        "resident_warp_cycles",
                                        "global_requests",
                                        "global_loads",
                                        "global_stores",
                                        "global_atomics",
                                        "transactions",
                                        "transactions_per_request",
                                        "bytes",
                                        "useful_bytes",
                                        "load_bytes",
                                        "store_bytes",
                                        "shared_requests",
                                        "shared_passes",
                                        "shared_conflict_degree",
                                        "l1_sectors",
                                        "l1_hits",
                                        "l1_hit_percent",
                                        "l2_sectors",
                                        "l2_hits",
                                        "l2_hit_percent",
                                        "dram_bytes",
                                        "channel_skew",
                                        "atomic_lanes",
                                        "atomic_conflicts",
                                        "atomic_steps",
                                        "atomic_words",
                                        "atomic_word_most",
                                        "shared_atomics",
                                        "shared_atomic_conflicts",
                                        "shared_atomic_passes"};
    const uint32_t count = sizeof names / sizeof *names;

    ck_assert_uint_ge(teg_counter_count(), count);
    for (uint32_t i = 0; i < count; i++)
        ck_assert_str_eq(teg_counter_name(i), names[i]);
    ck_assert_str_eq(teg_counter_unit(0), "cycles"); /* a counted one */
    ck_assert_str_eq(teg_counter_unit(1), "us");     /* one that is formed */
    ck_assert_str_eq(teg_counter_unit(2), "");
}
END_TEST

START_TEST(a_walk_counts_without_a_clock)
{
    struct teg_replay *replay = help_replay(NULL);
    struct teg_result *result;
    double value;

    ck_assert_int_eq(teg_replay_walk(replay, gpu, &result, &d), TEG_OK);
    ck_assert_double_eq(value_of(result, "warp_instructions"), 60 * 4 * 61);
    ck_assert_uint_eq(teg_result_cycles(result), 0);
    ck_assert(isnan(value_of(result, "cycles")));
    ck_assert(isnan(teg_result_unit_active(result, 0)));
    ck_assert_int_eq(teg_result_value(result, "cycle", &value, &d),
                     TEG_UNKNOWN);
    ck_assert_ptr_nonnull(strstr(d.what, "did you mean 'cycles'"));
    teg_result_free(result);
    ck_assert_uint_gt(help_cycles(replay, gpu), 0); /* the walk is no setting */
    teg_replay_free(replay);
}
END_TEST

START_TEST(remarks_are_told)
{
    static const char text[] =
        "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n"
        "-shmem = 0\n-nregs = 9\n-binary version = 80\n\n#traces format = x\n"
        "\n#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 2\n"
        "0000 ffffffff 0 EXIT 0 0\n#END_TB\n";
    const struct teg_note *note;
    struct teg_result *result;
    struct teg_replay *replay;
    struct teg_trace *trace;

    ck_assert_int_eq(teg_trace_open_memory("k", (const uint8_t *)text,
                                           strlen(text), NULL, &trace, &d),
                     TEG_OK);
    ck_assert_ptr_null(teg_trace_note(trace, 0));
    ck_assert_int_eq(teg_replay_new(trace, 0, &replay, &d), TEG_OK);
    ck_assert_int_eq(teg_replay_run(replay, gpu, &result, &d), TEG_OK);
    note = teg_result_note(result, 0);
    ck_assert_ptr_nonnull(note);
    ck_assert_str_eq(teg_note_kind(note), "insts-count");
    ck_assert_uint_eq(teg_note_count(note), 1);
    ck_assert_str_ne(teg_note_where(note), "");
    ck_assert_str_ne(teg_note_what(note), "");
    teg_result_free(result);
    teg_replay_free(replay);
    teg_trace_close(trace);
}
END_TEST

START_TEST(models_estimate_what_was_replayed)
{
    struct teg_replay *replay = help_replay(NULL);
    struct teg_result *result;
    struct teg_estimate *e;

    ck_assert_int_eq(teg_replay_run(replay, gpu, &result, &d), TEG_OK);
    for (uint32_t i = 0; i < teg_model_count(); i++) {
        ck_assert_str_ne(teg_model_title(i), "");
        ck_assert_int_eq(teg_result_estimate(result, teg_model_name(i), &e, &d),
                         TEG_OK);
        ck_assert_int_eq(teg_estimate_applies(e), 1);
        ck_assert_uint_gt(teg_estimate_terms(e), 0);
        ck_assert_str_ne(teg_estimate_term_name(e, 0), "");
        ck_assert_ptr_null(teg_estimate_term_name(e, teg_estimate_terms(e)));
        teg_estimate_free(e);
    }
    ck_assert_int_eq(teg_result_estimate(result, "rooflines", &e, &d),
                     TEG_UNKNOWN);
    ck_assert_ptr_null(e);
    ck_assert_ptr_nonnull(strstr(d.what, "did you mean 'roofline'"));
    teg_result_free(result);
    teg_replay_free(replay);
}
END_TEST

/* ---- the emulator ----------------------------------------------------------- */

START_TEST(a_kernel_is_run_and_its_trace_replayed)
{
    char path[] = "/tmp/test_libteg.XXXXXX";
    struct teg_emulation *e;
    struct teg_replay *replay;
    struct teg_trace *trace;
    int fd = mkstemp(path);

    ck_assert_int_ge(fd, 0);
    close(fd);
    ck_assert_int_eq(
        teg_emulation_new("tests/fixtures/run.sm_80.cubin", "saxpy", &e, &d),
        TEG_OK);
    teg_emulation_set_grid(e, 2, 1, 1);
    teg_emulation_set_block(e, 64, 1, 1);
    ck_assert_int_eq(teg_emulation_add_argument(e, "i32:100", &d), TEG_OK);
    ck_assert_int_ne(teg_emulation_write(e, path, &d), TEG_OK);
    ck_assert_str_ne(d.what, "");
    teg_emulation_add_argument(e, "f32:2", &d);
    teg_emulation_add_argument(e, "buf:f32:100:iota", &d);
    teg_emulation_add_argument(e, "buf:f32:100:zeros", &d);
    ck_assert_msg(teg_emulation_write(e, path, &d) == TEG_OK, "%s", d.what);
    teg_emulation_set_grid(e, 0, 1, 1);
    ck_assert_int_eq(teg_emulation_write(e, path, &d), TEG_LIMIT);
    teg_emulation_free(e);
    ck_assert_int_eq(teg_trace_open(path, NULL, &trace, &d), TEG_OK);
    ck_assert_str_eq(teg_trace_kernel_label(trace, 0), "saxpy");
    ck_assert_int_eq(teg_replay_new(trace, 0, &replay, &d), TEG_OK);
    ck_assert_uint_gt(help_cycles(replay, gpu), 0);
    teg_replay_free(replay);
    teg_trace_close(trace);
    unlink(path);
}
END_TEST

START_TEST(a_kernel_that_is_not_there_is_refused)
{
    static const char cubin[] = "tests/fixtures/run.sm_80.cubin";
    struct teg_emulation *e;

    ck_assert_int_eq(teg_emulation_new(cubin, "nothing", &e, &d), TEG_UNKNOWN);
    ck_assert_ptr_null(e);
    ck_assert_int_eq(teg_emulation_new(cubin, NULL, &e, &d), TEG_UNKNOWN);
    ck_assert_int_eq(teg_emulation_new(HELP_MATMUL, NULL, &e, &d), TEG_FORMAT);
}
END_TEST

/* The text that the build and packages read, and the numbers programs test. */
START_TEST(the_version_is_one)
{
    char text[32];

    snprintf(text, sizeof text, "%d.%d.%d", TEG_VERSION_MAJOR,
             TEG_VERSION_MINOR, TEG_VERSION_PATCH);
    ck_assert_str_eq(TEG_VERSION, text);
    ck_assert_str_eq(teg_version(), text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("libteg result");
    TCase *rules = tcase_create("rules");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(rules, setup, teardown);
    tcase_set_timeout(rules, 60);
    tcase_add_test(rules, the_version_is_one);
    tcase_add_test(rules, a_result_counts_what_the_launch_does);
    tcase_add_test(rules, numbers_beyond_an_end_are_harmless);
    tcase_add_test(rules, counters_have_names_units_and_help);
    tcase_add_test(rules, names_of_counters_stay);
    tcase_add_test(rules, a_walk_counts_without_a_clock);
    tcase_add_test(rules, remarks_are_told);
    tcase_add_test(rules, models_estimate_what_was_replayed);
    tcase_add_test(rules, a_kernel_is_run_and_its_trace_replayed);
    tcase_add_test(rules, a_kernel_that_is_not_there_is_refused);
    suite_add_tcase(suite, rules);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
