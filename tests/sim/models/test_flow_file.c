/*
 * Data-flow files: the Lattice QCD instance against Table 2.4 of J. Lai, PhD
 * thesis, 2013, expressions, and files that are wrong.
 */
#include "sim/models/flow_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/help_csv.h"
#include "tests/help_suite.h"

/* libconfig 1.5 loses memory when a parse fails inside a string that it could
 * not finish; the leak sanitizer asks here. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(
    void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libconfig.so";
}

#define LATTICE "docs/examples/lattice-qcd.flow"

static struct dataflow d;
static struct dataflow_result r;
static struct teg_diag diag;

static struct flow_file *open_file(const char *path)
{
    struct flow_file *f;
    teg_status status = flow_file_open(path, &f, &diag);

    ck_assert_msg(status == TEG_OK, "%s: %s", diag.where, diag.what);
    return f;
}

static void describe(struct flow_file *f, const struct flow_machine *m)
{
    teg_status status = flow_file_describe(f, m, &d, &diag);

    ck_assert_msg(status == TEG_OK, "%s: %s", diag.where, diag.what);
}

/* "01011" is P1..P5 */
static uint32_t set_of(const char *combo)
{
    uint32_t set = 0;

    for (uint32_t i = 0; i < 5; i++)
        set |= (uint32_t)(combo[i] == '1') << i;
    return set;
}

START_TEST(the_lattice_file_gives_the_table)
{
    static struct help_csv csv;
    struct flow_file *f = open_file(LATTICE);
    struct flow_machine m;
    int rows = 0;

    ck_assert_int_eq(flow_file_machine(f, &m, &diag), TEG_OK);
    ck_assert_int_eq(flow_file_set(f, "beta=0.0625", &diag), TEG_OK);
    describe(f, &m);
    help_csv_open(&csv, "tests/golden/lattice-qcd.csv");
    while (help_csv_next(&csv)) {
        const char *combo = help_csv(&csv, "combo");

        dataflow_evaluate(&d, set_of(combo), &r);
        help_close(r.bytes[0],
                   help_csv_number(&csv, "bytes") +
                       help_csv_number(&csv, "alpha") * 0.125 +
                       help_csv_number(&csv, "beta") * 0.0625,
                   combo, "bytes");
        rows++;
    }
    ck_assert_int_eq(rows, 32);
    flow_file_free(f);
}
END_TEST

/* 35.2 Gflop/s on Cell; with 8 GB/s to other nodes 44 (2.4.1.1, 2.4.2). */
START_TEST(the_lattice_file_gives_the_worked_results)
{
    struct flow_file *f = open_file(LATTICE);
    struct flow_machine m;

    ck_assert_int_eq(flow_file_machine(f, &m, &diag), TEG_OK);
    describe(f, &m);
    ck_assert_uint_eq(d.links, 1); /* io_gbs is 0 */
    dataflow_evaluate(&d, set_of("01111"), &r);
    help_close(r.potential, 35.2, "Cell 01111", "P");
    dataflow_evaluate(&d, set_of("00001"), &r);
    ck_assert(isnan(r.potential)); /* beta is unknown */
    ck_assert_str_eq(d.pattern[0].why, "no arithmetic to spare");
    for (uint32_t p = 1; p < d.patterns; p++)
        ck_assert(d.pattern[p].feasible);

    m = (struct flow_machine){.name = "gtx280",
                              .title = "",
                              .peak_double = 77.76,
                              .dram_gbs = 140,
                              .thread_bytes = 704,
                              .spare_arithmetic = 1};
    ck_assert_int_eq(flow_file_set(f, "io_gbs=8", &diag), TEG_OK);
    describe(f, &m);
    dataflow_evaluate(&d, set_of("10000"), &r);
    help_close(r.potential, 44, "multi-node", "P");
    ck_assert_str_eq(d.link[r.bottleneck].name, "io");
    ck_assert(d.pattern[0].feasible && !d.pattern[1].feasible &&
              !d.pattern[2].feasible &&
              !d.pattern[3].feasible && !d.pattern[4].feasible);
    ck_assert_str_eq(d.pattern[2].why,
                     "needs 768 bytes a thread on the chip, has 704 "
                     "(256 threads)");
    flow_file_free(f);
}
END_TEST

/* ---- files that a test writes ------------------------------------------------ */

static char path[] = "/tmp/teg-test-XXXXXX";

static void set_up(void)
{
    int fd = mkstemp(path);

    ck_assert_int_ge(fd, 0);
    close(fd);
}

static void tear_down(void)
{
    unlink(path);
}

static void write_bytes(const char *text, size_t size)
{
    FILE *f = fopen(path, "wb");

    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(text, 1, size, f), size);
    ck_assert_int_eq(fclose(f), 0);
}

static const struct flow_machine plain = {
    .name = "plain", .title = "", .peak_single = 1000, .dram_gbs = 100};

static double bytes_of(const char *uses)
{
    char text[256];
    struct flow_file *f;
    double bytes;

    snprintf(text, sizeof text,
             "name = \"x\"; ops = 1;\nparameters: ( { name = \"n\"; value = 3; "
             "} );\ndata: ( { name = \"a\"; bytes = 4; uses = %s; } );\n",
             uses);
    write_bytes(text, strlen(text));
    f = open_file(path);
    describe(f, &plain);
    bytes = d.flow[0].bytes;
    flow_file_free(f);
    return bytes;
}

START_TEST(numbers_may_be_expressions)
{
    ck_assert_double_eq(bytes_of("5"), 20);
    ck_assert_double_eq(bytes_of("2.5"), 10);
    ck_assert_double_eq(bytes_of("\"n\""), 12);
    ck_assert_double_eq(bytes_of("\"1 + n*n\""), 40);
    ck_assert_double_eq(bytes_of("\"(1 + n)*n\""), 48);
    ck_assert_double_eq(bytes_of("\"7 - n - 2\""), 8); /* from the left */
    ck_assert_double_eq(bytes_of("\"12/n/2\""), 8);
    ck_assert_double_eq(bytes_of("\"-(-n)\""), 12);
    ck_assert_double_eq(bytes_of("\"8/16\""), 2);
}
END_TEST

static const struct {
    const char *text, *where, *what;
} faults[] = {
    {"name = \"x\"; ops = 1;", "", "expected 'data'"},
    {"ops = 1;\ndata: ( { name = \"a\"; bytes = 4; } );", "",
     "expected 'name'"},
    {"name = \"x\";\nops = 0;\ndata: ( { name = \"a\"; bytes = 4; } );", ":2",
     "expected more than 0 operations"},
    {"name = \"x\"; ops = 1;\ndata: ( { name = \"a\"; byts = 4; } );", ":2",
     "unknown key 'byts'; did you mean 'bytes'?"},
    {"name = \"x\"; ops = 1;\ndata: ( { name = \"a\"; bytes = -4; } );", ":2",
     "bytes: expected at least 0, found -4"},
    {"name = \"x\"; ops = 1;\ndata: ( { name = \"a\"; bytes = \"4*\"; } );",
     ":2", "found an end"},
    {"name = \"x\"; ops = 1;\ndata: ( { name = \"a\"; bytes = \"(4\"; } );",
     ":2", "found no ')'"},
    {"name = \"x\"; ops = 1;\ndata: ( { name = \"a\"; bytes = \"1/0\"; } );",
     ":2", "bytes: expected at least 0, found inf"},
    {"name = \"x\"; ops = 1;\ndata: ( { name = \"a\"; bytes = 4; "
     "link = \"wire\"; } );",
     ":2", "found 'wire'"},
    {"name = \"x\"; ops = 1;\ndata: ( { name = \"a\"; bytes = 4; } );\n"
     "patterns: ( { name = \"p\"; edits: ( { data = \"b\"; factor = 0; } ); } "
     ");",
     ":3", "data: nothing is called 'b'"},
    {"name = \"x\"; ops = 1;\ndata: ( { name = \"a\"; bytes = 4; } );\n"
     "patterns: ( { name = \"p\"; } );",
     ":3", "p: expected 'edits'"},
    {"name = \"x\"; ops = 1; precision = \"triple\";\n"
     "data: ( { name = \"a\"; bytes = 4; } );",
     ":1", "found 'triple'"},
    {"name = \"x\"; ops = 1;\ndata: ( { name = \"a\"; bytes = 4; parts: "
     "( { name = \"b\"; share = 0.5; } ); } );",
     ":2", "and one part without"},
    {"name = \"x\"; ops = 1;\ndata = 3;", ":2", "data: expected a list"},
};

START_TEST(what_is_wrong_is_named)
{
    struct flow_file *f;

    write_bytes(faults[_i].text, strlen(faults[_i].text));
    ck_assert_int_ne(flow_file_open(path, &f, &diag), TEG_OK);
    ck_assert_ptr_null(f);
    ck_assert_msg(strstr(diag.what, faults[_i].what) != NULL, "'%s' lacks '%s'",
                  diag.what, faults[_i].what);
    ck_assert_msg(strcmp(diag.where + strlen(path), faults[_i].where) == 0,
                  "'%s' is not at '%s'", diag.where, faults[_i].where);
}
END_TEST

/* Cut anywhere, or with a flipped bit, a file is refused or understood. */
START_TEST(damaged_files_do_no_harm)
{
    static char text[8192], damaged[8192];
    FILE *in = fopen("docs/examples/matmul.flow", "rb");
    size_t size;
    int refused = 0;

    ck_assert_ptr_nonnull(in);
    size = fread(text, 1, sizeof text, in);
    fclose(in);
    for (size_t cut = 0; cut < size; cut += 3) {
        struct flow_file *f;

        write_bytes(text, cut);
        refused += flow_file_open(path, &f, &diag) != TEG_OK;
        flow_file_free(f);
    }
    ck_assert_int_gt(refused, (int)size / 5);
    for (size_t bit = 0; bit < 8 * size; bit += 7) {
        struct flow_file *f;

        memcpy(damaged, text, size);
        damaged[bit / 8] ^= (char)(1 << bit % 8);
        write_bytes(damaged, size);
        if (flow_file_open(path, &f, &diag) == TEG_OK)
            flow_file_describe(f, &plain, &d, &diag);
        flow_file_free(f);
    }
}
END_TEST

START_TEST(parentheses_have_an_end)
{
    static char text[4096];
    struct flow_file *f;
    size_t used = (size_t)sprintf(
        text, "name = \"x\"; data: ( { name = \"a\"; bytes = 4; } "
              ");\nops = \"");

    memset(text + used, '(', 2000);
    strcpy(text + used + 2000, "\";\n");
    write_bytes(text, strlen(text));
    ck_assert_int_eq(flow_file_open(path, &f, &diag), TEG_FORMAT);
    ck_assert_ptr_nonnull(strstr(diag.what, "too many parentheses"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sim/models/flow_file");
    TCase *tc = tcase_create("flow_file");
    SRunner *runner;
    int failed;

    tcase_add_unchecked_fixture(tc, set_up, tear_down);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, the_lattice_file_gives_the_table);
    tcase_add_test(tc, the_lattice_file_gives_the_worked_results);
    tcase_add_test(tc, numbers_may_be_expressions);
    tcase_add_loop_test(tc, what_is_wrong_is_named, 0,
                        (int)(sizeof faults / sizeof *faults));
    tcase_add_test(tc, damaged_files_do_no_harm);
    tcase_add_test(tc, parentheses_have_an_end);
    suite_add_tcase(suite, tc);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
