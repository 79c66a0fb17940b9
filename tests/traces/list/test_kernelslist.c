/* kernelslist.g, in a directory of its own. */
#include "traces/list/kernelslist.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/help_dump.h"

static char directory[64];

static const char kernel[] =
    "-kernel name = %s\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n"
    "-shmem = 0\n-nregs = 9\n-binary version = 80\n"
    "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 1\n"
    "0000 ffffffff 0 EXIT 0 0\n#END_TB\n";

static const char *path_of(const char *name)
{
    static char path[256];

    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static void write_file(const char *name, const char *text)
{
    FILE *f = fopen(path_of(name), "w");

    ck_assert_ptr_nonnull(f);
    ck_assert_int_ge(fputs(text, f), 0);
    fclose(f);
}

static void write_kernel(const char *name)
{
    char text[512];

    snprintf(text, sizeof text, kernel, name);
    write_file(name, text);
}

static void setup(void)
{
    strcpy(directory, "/tmp/teg-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    write_kernel("kernel-1.traceg");
    write_kernel("other.trace");
}

static void teardown(void)
{
    static const char *const names[] = {"kernel-1.traceg", "other.trace",
                                        "list"};

    for (size_t i = 0; i < 3; i++)
        unlink(path_of(names[i]));
    rmdir(directory);
}

static struct teg_trace *open_list(const char *text)
{
    struct teg_trace *trace;
    struct teg_diag d = {0};

    write_file("list", text);
    ck_assert_msg(teg_trace_open(path_of("list"), NULL, &trace, &d) == TEG_OK,
                  "%s: %s", d.where, d.what);
    ck_assert_int_eq(teg_trace_format(trace), TRACE_LIST);
    return trace;
}

START_TEST(a_list_opens_its_kernels_beside_it)
{
    struct teg_trace *trace =
        open_list("MemcpyHtoD,0x00007f00,4000\nkernel-1.traceg\r\n\n"
                  "what is this\n  other.trace  \nMemcpyHtoD,0x1,60\n"
                  "MemcpyDtoH,0x1,60\n");
    struct teg_launch launch;
    struct help_totals totals;

    ck_assert_uint_eq(teg_trace_kernels(trace), 2);
    ck_assert_str_eq(teg_trace_kernel_label(trace, 0), "kernel-1.traceg");
    ck_assert_str_eq(teg_trace_kernel_label(trace, 1), "other.trace");
    for (int again = 0; again < 2; again++) {
        ck_assert_int_eq(teg_trace_launch(trace, 1, &launch, NULL), TEG_OK);
        ck_assert_str_eq(launch.kernel->name, "other.trace");
        ck_assert_int_eq(help_walk(&launch, &totals, NULL), TEG_OK);
        ck_assert_uint_eq(totals.insts, 1);
        launch.close(launch.self);
    }
    ck_assert_str_eq(help_note(teg_trace_notes(trace), "memory-copies"),
                     "3 copies to the device, 4120 bytes, take no time");
    ck_assert_int_eq(teg_trace_launch(trace, 2, &launch, NULL), TEG_UNKNOWN);
    teg_trace_close(trace);
}
END_TEST

START_TEST(a_missing_kernel_fails_only_when_it_is_opened)
{
    struct teg_trace *trace = open_list("kernel-1.traceg\nkernel-9.traceg\n");
    struct teg_launch launch;
    struct teg_diag d = {0};

    ck_assert_uint_eq(teg_trace_kernels(trace), 2);
    ck_assert_uint_eq(teg_notes_count(teg_trace_notes(trace), "kernel-missing"),
                      1);
    ck_assert_int_eq(teg_trace_launch(trace, 0, &launch, &d), TEG_OK);
    launch.close(launch.self);
    ck_assert_int_eq(teg_trace_launch(trace, 1, &launch, &d), TEG_IO);
    ck_assert_ptr_nonnull(strstr(d.where, "kernel-9.traceg"));
    teg_trace_close(trace);
}
END_TEST

START_TEST(a_list_in_a_list_is_an_error)
{
    struct teg_trace *trace = open_list("list\n");
    struct teg_launch launch;
    struct teg_diag d = {0};

    ck_assert_int_eq(teg_trace_launch(trace, 0, &launch, &d), TEG_FORMAT);
    ck_assert_str_eq(d.what, "expected a kernel's trace, found another list");
    teg_trace_close(trace);
}
END_TEST

START_TEST(a_list_without_kernels_is_an_error)
{
    struct teg_trace *trace;
    struct teg_diag d = {0};

    write_file("list", "MemcpyHtoD,0x00007f00,4000\n");
    ck_assert_int_eq(teg_trace_open(path_of("list"), NULL, &trace, &d),
                     TEG_FORMAT);
    ck_assert_ptr_nonnull(strstr(d.what, "at least one kernel"));
}
END_TEST

START_TEST(a_text_that_names_nothing_is_no_list)
{
    static const char *const texts[] = {"hello\n", "kernel \"axpy\"\n",
                                        "Memcpy is slow\n", "\0kernel-1\n", ""};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        ck_assert(!teg_kernelslist_recognise(
            path_of("list"), (const uint8_t *)texts[i], strlen(texts[i])));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("traces/kernelslist");
    TCase *tcase = tcase_create("list");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_list_opens_its_kernels_beside_it);
    tcase_add_test(tcase, a_missing_kernel_fails_only_when_it_is_opened);
    tcase_add_test(tcase, a_list_in_a_list_is_an_error);
    tcase_add_test(tcase, a_list_without_kernels_is_an_error);
    tcase_add_test(tcase, a_text_that_names_nothing_is_no_list);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
