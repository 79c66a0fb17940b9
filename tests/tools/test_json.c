/*
 * The JSON of teg's commands, as a program that reads it sees it: names of
 * docs/json.md, types, and sums that must come out.
 */
#include <check.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    BLOCKS = 2,
    WARPS = 2,
    INSTS = 6
};

static char directory[] = "/tmp/teg-test-XXXXXX";
static char trace[64], list[64];

static void write_trace(const char *path)
{
    FILE *f = fopen(path, "w");

    ck_assert_ptr_nonnull(f);
    fputs("-kernel name = saxpy\n-kernel id = 1\n-grid dim = (2,1,1)\n"
          "-block dim = (64,1,1)\n-shmem = 0\n-nregs = 16\n"
          "-binary version = 70\n-cuda stream id = 0\n"
          "-shmem base_addr = 0x00007f0000000000\n"
          "-local mem base_addr = 0x00007f1000000000\n"
          "-nvbit version = 1.5.5\n-accelsim tracer version = 5\n"
          "-enable lineinfo = 0\n\n#traces format = PC mask dest_num\n\n",
          f);
    for (unsigned b = 0; b < BLOCKS; b++) {
        fprintf(f, "#BEGIN_TB\n\nthread block = %u,0,0\n\n", b);
        for (unsigned w = 0; w < WARPS; w++) {
            unsigned at = 0x10000000 + 256 * b + 128 * w;

            fprintf(f, "warp = %u\ninsts = %d\n", w, INSTS);
            fprintf(f, "0000 ffffffff 1 R0 S2R 0 0 0\n");
            fprintf(f, "0010 ffffffff 1 R4 LDG.E 1 R2 4 1 0x%x 4 0\n", at);
            fprintf(f, "0020 ffffffff 1 R5 LDG.E 1 R8 4 1 0x%x 4 0\n",
                    at + 0x100000);
            fprintf(f, "0030 ffffffff 1 R5 FFMA 3 R4 R6 R5 0 0\n");
            fprintf(f, "0040 ffffffff 0 STG.E 2 R8 R5 4 1 0x%x 4 0\n",
                    at + 0x100000);
            fprintf(f, "0050 ffffffff 0 EXIT 0 0 0\n\n");
        }
        fprintf(f, "#END_TB\n\n");
    }
    ck_assert_int_eq(fclose(f), 0);
}

static void set_up(void)
{
    FILE *f;

    ck_assert_ptr_nonnull(mkdtemp(directory));
    snprintf(trace, sizeof trace, "%s/kernel-1.traceg", directory);
    snprintf(list, sizeof list, "%s/kernelslist.g", directory);
    write_trace(trace);
    f = fopen(list, "w");
    ck_assert_ptr_nonnull(f);
    fputs("kernel-1.traceg\nkernel-1.traceg\n", f);
    ck_assert_int_eq(fclose(f), 0);
}

static void tear_down(void)
{
    unlink(trace);
    unlink(list);
    rmdir(directory);
}

/* What `teg <arguments>` prints, as JSON. */
static json_t *teg(const char *arguments, const char *path)
{
    const char *build = getenv("BUILD");
    char command[512];
    json_error_t error;
    json_t *value;
    FILE *f;

    snprintf(command, sizeof command, "%s/teg %s '%s'",
             build != NULL ? build : "build/release", arguments, path);
    f = popen(command, "r");
    ck_assert_ptr_nonnull(f);
    value = json_loadf(f, 0, &error);
    ck_assert_msg(value != NULL, "%s: line %d: %s", command, error.line,
                  error.text);
    ck_assert_int_eq(pclose(f), 0);
    return value;
}

/* The member at "a.b.c"; fails if there is none. */
static json_t *at(json_t *value, const char *path)
{
    char copy[128];
    char *rest = copy;

    snprintf(copy, sizeof copy, "%s", path);
    while (rest != NULL) {
        char *key = rest;

        rest = strchr(rest, '.');
        if (rest != NULL)
            *rest++ = '\0';
        value = json_object_get(value, key);
        ck_assert_msg(value != NULL, "no '%s' of %s", key, path);
    }
    return value;
}

START_TEST(a_result_has_every_stable_name)
{
    static const struct {
        const char *path;
        json_type type;
    } names[] = {
        {"teg.version", JSON_STRING},
        {"teg.schema", JSON_INTEGER},
        {"gpu.name", JSON_STRING},
        {"gpu.clock_mhz", JSON_REAL},
        {"gpu.sms", JSON_INTEGER},
        {"kernel.name", JSON_STRING},
        {"kernel.grid", JSON_ARRAY},
        {"kernel.block", JSON_ARRAY},
        {"kernel.registers", JSON_INTEGER},
        {"kernel.shared_bytes", JSON_INTEGER},
        {"kernel.warps", JSON_INTEGER},
        {"kernel.warp_instructions", JSON_INTEGER},
        {"occupancy.blocks_per_sm", JSON_INTEGER},
        {"occupancy.warps_per_sm", JSON_INTEGER},
        {"occupancy.limiter", JSON_STRING},
        {"cycles", JSON_INTEGER},
        {"time_us", JSON_REAL},
        {"ipc", JSON_REAL},
        {"units", JSON_ARRAY},
        {"stalls", JSON_ARRAY},
        {"memory.global_requests", JSON_INTEGER},
        {"memory.transactions", JSON_INTEGER},
        {"memory.transactions_per_request", JSON_REAL},
        {"memory.bytes", JSON_INTEGER},
        {"memory.shared_requests", JSON_INTEGER},
        {"memory.shared_conflict_degree", JSON_NULL}, /* no shared request */
        {"memory.dram_bytes", JSON_INTEGER},
        {"memory.channel_skew", JSON_REAL},
        {"models", JSON_ARRAY},
    };
    json_t *r = teg("run -g v100 -f json", trace);

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        ck_assert_msg(json_typeof(at(r, names[i].path)) == names[i].type,
                      "%s has another type", names[i].path);
    at(r, "memory.l1_hit_percent");
    at(r, "memory.l2_hit_percent");
    json_decref(r);
}
END_TEST

START_TEST(counts_are_those_of_the_trace)
{
    json_t *r = teg("run -g v100 -f json", trace);

    ck_assert_int_eq(json_integer_value(at(r, "kernel.warps")), BLOCKS * WARPS);
    ck_assert_int_eq(json_integer_value(at(r, "kernel.warp_instructions")),
                     BLOCKS * WARPS * INSTS);
    /* two loads and a store of every warp */
    ck_assert_int_eq(json_integer_value(at(r, "memory.global_requests")),
                     BLOCKS * WARPS * 3);
    json_decref(r);
}
END_TEST

START_TEST(issues_and_stalls_are_all_of_the_warps_time)
{
    json_t *r = teg("run -g v100 -f json", trace);
    json_t *stalls = at(r, "stalls");
    json_int_t sum = json_integer_value(at(r, "kernel.warp_instructions"));
    size_t i;
    json_t *stall;

    json_array_foreach(stalls, i, stall) sum +=
        json_integer_value(at(stall, "warp_cycles"));
    ck_assert_int_gt(json_array_size(stalls), 0);
    ck_assert_int_eq(sum, json_integer_value(at(r, "resident_warp_cycles")));
    json_decref(r);
}
END_TEST

START_TEST(units_issue_every_instruction)
{
    static const char *const names[] = {
        "issued", "busy_cycles", "active_percent", "mean_load", "peak_load"};
    json_t *r = teg("run -g v100 -f json", trace);
    json_int_t issued = 0;
    size_t i;
    json_t *unit;

    json_array_foreach(at(r, "units"), i, unit)
    {
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
            at(unit, names[k]);
        issued += json_integer_value(at(unit, "issued"));
    }
    ck_assert_int_eq(issued, BLOCKS * WARPS * INSTS);
    json_decref(r);
}
END_TEST

START_TEST(models_stand_beside_the_simulated_cycles)
{
    json_t *r = teg("run -g v100 -f json", trace);
    size_t i;
    json_t *model;

    ck_assert_int_gt(json_array_size(at(r, "models")), 0);
    json_array_foreach(at(r, "models"), i, model)
    {
        json_t *cycles = at(model, "cycles");

        ck_assert(json_is_string(at(model, "name")));
        ck_assert(json_is_object(at(model, "terms")));
        /* not applicable is null, never 0 */
        ck_assert_int_eq(json_is_null(cycles),
                         json_is_null(at(model, "ratio_to_simulated")));
        ck_assert(json_is_null(cycles) || json_real_value(cycles) > 0);
    }
    json_decref(r);
}
END_TEST

START_TEST(a_chip_without_caches_has_no_hit_rate)
{
    json_t *r = teg("run -g gtx280 -f json", trace);

    ck_assert(json_is_null(at(r, "memory.l1_hit_percent")));
    ck_assert(json_is_null(at(r, "memory.l2_hit_percent")));
    json_decref(r);
}
END_TEST

START_TEST(a_list_has_kernels_and_their_total)
{
    json_t *r = teg("run -g v100 -f json", list);
    json_t *kernels = at(r, "kernels");
    json_int_t sum = 0;
    size_t i;
    json_t *kernel;

    ck_assert_int_eq(json_array_size(kernels), 2);
    json_array_foreach(kernels, i, kernel) sum +=
        json_integer_value(at(kernel, "cycles"));
    ck_assert_int_eq(json_integer_value(at(r, "total.cycles")), sum);
    ck_assert_int_eq(json_integer_value(at(r, "total.kernels")), 2);
    ck_assert_int_eq(json_integer_value(at(r, "total.warp_instructions")),
                     2 * BLOCKS * WARPS * INSTS);
    json_decref(r);
}
END_TEST

START_TEST(what_ifs_are_ranked_by_gain)
{
    json_t *r = teg("whatif -g v100 -f json", trace);
    json_int_t baseline = json_integer_value(at(r, "baseline_cycles"));
    json_int_t last = 0;
    size_t i;
    json_t *toggle;

    ck_assert_int_gt(baseline, 0);
    ck_assert_int_gt(json_array_size(at(r, "toggles")), 10);
    json_array_foreach(at(r, "toggles"), i, toggle)
    {
        json_int_t cycles = json_integer_value(at(toggle, "cycles"));

        ck_assert(json_is_string(at(toggle, "name")));
        ck_assert_int_ge(cycles, last);
        ck_assert_double_eq_tol(json_real_value(at(toggle, "speedup")),
                                (double)baseline / (double)cycles, 1e-6);
        last = cycles;
    }
    json_decref(r);
}
END_TEST

START_TEST(info_counts_without_a_clock)
{
    json_t *r = teg("info -f json", trace);
    json_t *kernel = json_array_get(at(r, "kernels"), 0);

    ck_assert_int_eq(json_integer_value(at(kernel, "warp_instructions")),
                     BLOCKS * WARPS * INSTS);
    ck_assert_int_eq(json_integer_value(at(kernel, "classes.ldg")),
                     BLOCKS * WARPS * 2);
    ck_assert_int_eq(json_integer_value(at(kernel, "static_instructions")),
                     INSTS);
    json_decref(r);
}
END_TEST

START_TEST(gpus_tell_where_each_value_comes_from)
{
    json_t *r = teg("gpus -f json", "gtx280");
    size_t i;
    json_t *value;

    ck_assert_str_eq(json_string_value(at(r, "name")), "gtx280");
    ck_assert_int_gt(json_array_size(at(r, "values")), 20);
    json_array_foreach(at(r, "values"), i, value)
    {
        at(value, "key");
        at(value, "source");
    }
    json_decref(r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("json");
    TCase *tc = tcase_create("json");
    SRunner *runner;
    int failed;

    tcase_add_unchecked_fixture(tc, set_up, tear_down);
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, a_result_has_every_stable_name);
    tcase_add_test(tc, counts_are_those_of_the_trace);
    tcase_add_test(tc, issues_and_stalls_are_all_of_the_warps_time);
    tcase_add_test(tc, units_issue_every_instruction);
    tcase_add_test(tc, models_stand_beside_the_simulated_cycles);
    tcase_add_test(tc, a_chip_without_caches_has_no_hit_rate);
    tcase_add_test(tc, a_list_has_kernels_and_their_total);
    tcase_add_test(tc, what_ifs_are_ranked_by_gain);
    tcase_add_test(tc, info_counts_without_a_clock);
    tcase_add_test(tc, gpus_tell_where_each_value_comes_from);
    suite_add_tcase(suite, tc);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
