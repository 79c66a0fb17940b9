/* GPU descriptions as users of the library have them. */
#include "include/teg/teg.h"

#include <check.h>
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

START_TEST(a_value_reads_back_as_it_was_set)
{
    static const char *const set[][2] = {
        {"sm.schedulers", "2"},        {"chip.sm_clock_mhz", "1234.5"},
        {"sm.policy", "oldest"},       {"timing.fmad.latency", "17"},
        {"timing.fmad.interval", "3"}, {"unit.fp32.count", "2"},
        {"m_factor.fmad", "1.5"},      {"power_unit.fp.watts", "12.5"},
        {"power_use.fmad", "reg fds"},
    };
    char value[64];

    for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
        ck_assert_msg(teg_gpu_set(gpu, set[i][0], set[i][1], &d) == TEG_OK,
                      "%s", d.what);
        ck_assert_msg(teg_gpu_get(gpu, set[i][0], value, sizeof value, &d) ==
                          TEG_OK,
                      "%s: %s", d.where, d.what);
        ck_assert_str_eq(value, set[i][1]);
    }
}
END_TEST

START_TEST(every_fact_is_read_by_its_key)
{
    char value[64];

    ck_assert_uint_gt(teg_gpu_facts(gpu), 100);
    for (uint32_t i = 0; i < teg_gpu_facts(gpu); i++) {
        const char *key = teg_gpu_fact_key(gpu, i);

        ck_assert_int_eq(teg_gpu_get(gpu, key, value, sizeof value, &d),
                         TEG_OK);
        if (strncmp(key, "m_factor", 8) != 0)
            ck_assert_str_eq(value, teg_gpu_fact_value(gpu, i));
    }
    ck_assert_str_eq(teg_gpu_fact_key(gpu, 100000), "");
}
END_TEST

START_TEST(a_wrong_key_names_the_nearest)
{
    double number;
    char value[64];

    ck_assert_int_eq(teg_gpu_set(gpu, "sm.warp_max", "8", &d), TEG_UNKNOWN);
    ck_assert_ptr_nonnull(strstr(d.what, "sm.warps_max"));
    ck_assert_int_eq(teg_gpu_get(gpu, "sm.warp_max", value, 64, &d),
                     TEG_UNKNOWN);
    ck_assert_ptr_nonnull(strstr(d.what, "sm.warps_max"));
    ck_assert_int_eq(teg_gpu_number(gpu, "sm.policy", &number, &d), TEG_CONFIG);
    ck_assert_int_eq(teg_gpu_number(gpu, "chip.sms", &number, &d), TEG_OK);
    ck_assert_double_eq(number, 80);
    ck_assert_int_eq(teg_gpu_get(gpu, "unit.fp32.counts", value, 64, &d),
                     TEG_UNKNOWN);
    ck_assert_int_eq(teg_gpu_get(gpu, "timing.nothing.latency", value, 64, &d),
                     TEG_UNKNOWN);
}
END_TEST

START_TEST(descriptions_are_found_by_name_and_architecture)
{
    struct teg_gpu *other;
    struct teg_gpu_list *list;

    ck_assert_int_eq(teg_gpu_open("v1o0", "nowhere:config", &other, &d),
                     TEG_UNKNOWN);
    ck_assert_ptr_null(other);
    ck_assert_ptr_nonnull(strstr(d.what, "did you mean 'v100'"));
    ck_assert_int_eq(teg_gpu_open("v100", "nowhere", &other, &d), TEG_UNKNOWN);
    ck_assert_int_eq(teg_gpu_open("config/nothing.cfg", NULL, &other, &d),
                     TEG_IO);
    ck_assert_int_eq(teg_gpu_open("config/a100.cfg", NULL, &other, &d), TEG_OK);
    ck_assert_str_eq(teg_gpu_name(other), "a100");
    teg_gpu_free(other);
    ck_assert_int_eq(teg_gpu_open_for(70, "config", &other, &d), TEG_OK);
    ck_assert_str_eq(teg_gpu_name(other), "v100");
    teg_gpu_free(other);
    ck_assert_int_eq(teg_gpu_open_for(110, "config", &other, &d), TEG_UNKNOWN);
    ck_assert_int_eq(teg_gpu_list_new("config:config", &list, &d), TEG_OK);
    ck_assert_uint_gt(teg_gpu_list_count(list), 20);
    for (uint32_t i = 1; i < teg_gpu_list_count(list); i++)
        ck_assert_int_lt(
            strcmp(teg_gpu_list_name(list, i - 1), teg_gpu_list_name(list, i)),
            0);
    ck_assert_str_eq(teg_gpu_list_path(list, 0), "config/8800gt.cfg");
    ck_assert_ptr_null(teg_gpu_list_name(list, 1000));
    teg_gpu_list_free(list);
}
END_TEST

/* A copy of v100.cfg that finds its family. */
static void describe(const char *directory, const char *name)
{
    char command[256];

    snprintf(command, sizeof command,
             "sed \"s,family = \\\"family,family = \\\"$PWD/config/family,\" "
             "config/v100.cfg > %s/%s",
             directory, name);
    ck_assert_int_eq(system(command), 0);
}

START_TEST(the_first_directory_decides_what_stands_for_an_architecture)
{
    char directory[] = "/tmp/test_libteg.XXXXXX", path[64];
    struct teg_gpu_list *list;
    struct teg_gpu *other;

    ck_assert_ptr_nonnull(mkdtemp(directory));
    snprintf(path, sizeof path, "%s:config", directory);
    describe(directory, "zz.cfg");
    ck_assert_msg(teg_gpu_open_for(70, path, &other, &d) == TEG_OK, "%s: %s",
                  d.where, d.what);
    teg_gpu_free(other);
    ck_assert_int_eq(teg_gpu_open_for(70, "nowhere:config", &other, &d),
                     TEG_OK);
    teg_gpu_free(other);
    describe(directory, "yy.cfg");
    ck_assert_int_eq(teg_gpu_open_for(70, path, &other, &d), TEG_CONFIG);
    ck_assert_ptr_null(other);
    ck_assert_ptr_nonnull(strstr(d.where, "zz.cfg"));
    ck_assert_ptr_nonnull(strstr(d.what, "yy.cfg already"));
    ck_assert_int_eq(teg_gpu_open_for(80, path, &other, &d), TEG_OK);
    teg_gpu_free(other);
    ck_assert_int_eq(teg_gpu_list_new(directory, &list, &d), TEG_OK);
    for (uint32_t i = 0; i < teg_gpu_list_count(list); i++)
        unlink(teg_gpu_list_path(list, i));
    teg_gpu_list_free(list);
    rmdir(directory);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("libteg gpu");
    TCase *rules = tcase_create("rules");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(rules, setup, teardown);
    tcase_set_timeout(rules, 60);
    tcase_add_test(rules, a_value_reads_back_as_it_was_set);
    tcase_add_test(rules, every_fact_is_read_by_its_key);
    tcase_add_test(rules, a_wrong_key_names_the_nearest);
    tcase_add_test(rules, descriptions_are_found_by_name_and_architecture);
    tcase_add_test(rules,
                   the_first_directory_decides_what_stands_for_an_architecture);
    suite_add_tcase(suite, rules);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
