/* The front: formats are recognised by content, and the real traces hold what
 * a second, independent scan of their text counts. */
#include "traces/trace.h"

#include "traces/base/input.h"
#include "traces/tegt/tegt.h"

#include <check.h>
#include <dirent.h>
#include <inttypes.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "tests/help_dump.h"
#include "tests/help_tracez.h"

#define HEADER                                                       \
    "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n" \
    "-shmem = 0\n-nregs = 9\n-binary version = 80\n\n#traces format = x\n\n"
#define GROUPED                                                     \
    HEADER "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 1\n" \
           "0000 ffffffff 0 EXIT 0 0\n#END_TB\n"
#define SKETCH \
    "# a remark\nsketch 1\nkernel \"k\"\nisa sm_70\ngrid 3\nblock 32\nEXIT\n"
#define RAW HEADER "0 0 0 0 0000 ffffffff 0 EXIT 0 0\n"

/* ---- recognising --------------------------------------------------------- */

static enum teg_trace_format format_of(const void *bytes, size_t size)
{
    struct teg_trace *trace;
    struct teg_diag d = {0};
    enum teg_trace_format format;

    ck_assert_msg(teg_trace_open_memory("misleading.tegt", bytes, size, NULL,
                                        &trace, &d) == TEG_OK,
                  "%s: %s", d.where, d.what);
    format = teg_trace_format(trace);
    teg_trace_close(trace);
    return format;
}

START_TEST(formats_are_recognised_by_content)
{
    static const char *const exit_line[] = {"0000 ffffffff 0 EXIT 0 0\n"};
    static const struct help_tracez_warp warp = {0, exit_line, 1, 1};
    struct teg_buffer tracez = {0};
    uint8_t packed[4096];
    size_t n;

    ck_assert_int_eq(format_of(GROUPED, strlen(GROUPED)), TRACE_NVBIT_TEXT);
    ck_assert_int_eq(format_of(RAW, strlen(RAW)), TRACE_NVBIT_RAW);
    ck_assert_int_eq(format_of(SKETCH, strlen(SKETCH)), TRACE_SKETCH);
    help_tracez(&tracez, HEADER, NULL, &warp, 1);
    ck_assert_int_eq(format_of(tracez.data, tracez.size), TRACE_TRACEZ);
    teg_buffer_release(&tracez);
    n = ZSTD_compress(packed, sizeof packed, RAW, strlen(RAW), 1);
    ck_assert_int_eq(format_of(packed, n), TRACE_NVBIT_RAW);
    n = 0;
    ck_assert_int_eq(lzma_easy_buffer_encode(
                         1, LZMA_CHECK_CRC32, NULL, (const uint8_t *)GROUPED,
                         strlen(GROUPED), packed, &n, sizeof packed),
                     LZMA_OK);
    ck_assert_int_eq(format_of(packed, n), TRACE_NVBIT_TEXT);
}
END_TEST

START_TEST(a_tegt_is_recognised_and_reads_the_same)
{
    char path[] = "/tmp/teg-test-XXXXXX";
    int fd = mkstemp(path);
    struct teg_trace *trace;
    struct teg_launch launch;
    struct teg_tegt_writer *writer;
    struct teg_diag d = {0};
    struct help_totals totals;

    ck_assert_int_ge(fd, 0);
    close(fd);
    ck_assert_int_eq(teg_trace_open_memory("t", (const uint8_t *)GROUPED,
                                           strlen(GROUPED), NULL, &trace, NULL),
                     TEG_OK);
    ck_assert_int_eq(teg_trace_launch(trace, 0, &launch, NULL), TEG_OK);
    ck_assert_int_eq(teg_tegt_writer_new(path, &writer, &d), TEG_OK);
    ck_assert_int_eq(teg_tegt_writer_launch(writer, &launch, &d), TEG_OK);
    ck_assert_int_eq(teg_tegt_writer_finish(writer, &d), TEG_OK);
    launch.close(launch.self);
    teg_trace_close(trace);

    ck_assert_int_eq(teg_trace_open(path, NULL, &trace, NULL), TEG_OK);
    ck_assert_int_eq(teg_trace_format(trace), TRACE_TEGT);
    ck_assert_uint_eq(teg_trace_kernels(trace), 1);
    ck_assert_str_eq(teg_trace_kernel_label(trace, 0), "k");
    ck_assert_int_eq(teg_trace_launch(trace, 0, &launch, NULL), TEG_OK);
    ck_assert_int_eq(help_walk(&launch, &totals, NULL), TEG_OK);
    ck_assert_uint_eq(totals.insts, 1);
    if (launch.close != NULL)
        launch.close(launch.self);
    teg_trace_close(trace);
    unlink(path);
}
END_TEST

START_TEST(what_is_no_trace_is_one_clear_error)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *what;
    } bad[] = {
        {"", 0, "expected a trace, found an empty file"},
        {"\x89PNG\r\n", 6, "begins with the bytes 89 50 4e 47 0d 0a"},
        {"hello\n", 6, "begins with the bytes 68 65 6c 6c 6f 0a"},
        {"\x1f\x8bxxxxxxxxxxxxxxxxx", 19, "expected gzip data"},
    };

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct teg_trace *trace;
        struct teg_diag d = {0};

        ck_assert_int_eq(teg_trace_open_memory("f",
                                               (const uint8_t *)bad[i].bytes,
                                               bad[i].size, NULL, &trace, &d),
                         TEG_FORMAT);
        ck_assert_ptr_null(trace);
        ck_assert_str_eq(d.where, bad[i].size == 19 ? "f+0x4" : "f");
        ck_assert_msg(strstr(d.what, bad[i].what) != NULL, "%s", d.what);
    }
}
END_TEST

START_TEST(a_compressed_tracez_says_what_to_do)
{
    static const char *const exit_line[] = {"0000 ffffffff 0 EXIT 0 0\n"};
    static const struct help_tracez_warp warp = {0, exit_line, 1, 1};
    struct teg_buffer tracez = {0};
    uint8_t packed[4096];
    struct teg_trace *trace;
    struct teg_diag d = {0};
    size_t n;

    help_tracez(&tracez, HEADER, NULL, &warp, 1);
    n = ZSTD_compress(packed, sizeof packed, tracez.data, tracez.size, 1);
    ck_assert_int_eq(teg_trace_open_memory("f", packed, n, NULL, &trace, &d),
                     TEG_FORMAT);
    ck_assert_str_eq(d.what, "expected a tracez file as it is, found one "
                             "compressed with zstd: decompress it first");
    teg_buffer_release(&tracez);
}
END_TEST

/* ---- the real traces ----------------------------------------------------------- */

/* Instructions and addresses of a text, by the simplest reading of each line
 * that can be had: split at blanks. */
struct scan {
    uint64_t insts, accesses, address_sum;
    int whole; /* the last block has its end mark, or there are none */
};

static int is_mask(const char *word)
{
    return word != NULL && strlen(word) == 8 &&
           strspn(word, "0123456789abcdef") == 8;
}

static void scan_addresses(struct scan *scan, char **word, uint32_t mask)
{
    int mode = atoi(word[0]), lanes = __builtin_popcount(mask);
    uint64_t base = strtoull(word[1], NULL, 16);

    scan->accesses++;
    for (int i = 0; i < lanes; i++) {
        if (mode == 0)
            base = strtoull(word[1 + i], NULL, 16);
        scan->address_sum += base;
        if (mode == 1)
            base += (uint64_t)strtoll(word[2], NULL, 10);
        else if (mode == 2 && i + 1 < lanes)
            base += (uint64_t)strtoll(word[2 + i], NULL, 10);
    }
}

static void scan_line(struct scan *scan, char *line)
{
    enum {
        WORDS = 128
    };
    char *word[WORDS + 1] = {NULL};
    int words = 0, at = 1;

    for (char *w = strtok(line, " "); w != NULL && words < WORDS;
         w = strtok(NULL, " "))
        word[words++] = w;
    while (at < words && !is_mask(word[at]))
        at++;
    if (at + 1 >= words)
        return;
    {
        uint32_t mask = (uint32_t)strtoul(word[at], NULL, 16);
        int opcode = at + 2 + atoi(word[at + 1]);
        int width =
            opcode + 2 + (opcode + 1 < words ? atoi(word[opcode + 1]) : 0);

        if (width >= words)
            return;
        scan->insts++;
        if (mask != 0 && atoi(word[width]) != 0)
            scan_addresses(scan, word + width + 1, mask);
    }
}

static void scan_file(const char *path, struct scan *scan)
{
    struct teg_source source = {.path = path};
    struct teg_input *in;
    char *line;
    size_t length;

    *scan = (struct scan){.whole = 1};
    ck_assert_int_eq(teg_input_open(&source, &in, NULL), TEG_OK);
    for (;;) {
        ck_assert_int_eq(teg_input_line(in, &line, &length, NULL), TEG_OK);
        if (line == NULL)
            break;
        if (strncmp(line, "#BEGIN", 6) == 0)
            scan->whole = 0;
        else if (strncmp(line, "#END", 4) == 0)
            scan->whole = 1;
        if (strchr("#-", line[0]) == NULL && strchr(line, '=') == NULL)
            scan_line(scan, line);
    }
    teg_input_close(in);
}

static void compare_with_scan(const char *path)
{
    struct scan scan;
    struct teg_trace *trace;
    struct teg_launch launch;
    struct help_totals totals;
    struct teg_diag d = {0};
    teg_status status;

    scan_file(path, &scan);
    ck_assert_msg(teg_trace_open(path, NULL, &trace, &d) == TEG_OK, "%s: %s",
                  d.where, d.what);
    ck_assert_int_eq(teg_trace_launch(trace, 0, &launch, &d), TEG_OK);
    status = help_walk(&launch, &totals, &d);
    if (scan.whole) {
        ck_assert_msg(status == TEG_OK, "%s: %s", d.where, d.what);
        ck_assert_msg(totals.insts == scan.insts,
                      "%s: %" PRIu64 " instructions, scan %" PRIu64, path,
                      totals.insts, scan.insts);
        ck_assert_msg(totals.accesses == scan.accesses &&
                          totals.address_sum == scan.address_sum,
                      "%s: addresses differ", path);
    } else {
        ck_assert_msg(status == TEG_FORMAT, "%s is cut, yet read", path);
        ck_assert_ptr_nonnull(strstr(d.what, "found the end of the file"));
        ck_assert_uint_le(totals.insts, scan.insts);
    }
    launch.close(launch.self);
    teg_trace_close(trace);
}

static void compare_list(const char *path)
{
    struct teg_trace *trace;

    ck_assert_int_eq(teg_trace_open(path, NULL, &trace, NULL), TEG_OK);
    ck_assert_int_eq(teg_trace_format(trace), TRACE_LIST);
    ck_assert_uint_eq(teg_notes_count(teg_trace_notes(trace), "kernel-missing"),
                      0);
    for (uint32_t i = 0; i < teg_trace_kernels(trace); i++) {
        struct teg_launch launch;
        struct help_totals totals;

        ck_assert_int_eq(teg_trace_launch(trace, i, &launch, NULL), TEG_OK);
        ck_assert_int_eq(help_walk(&launch, &totals, NULL), TEG_OK);
        ck_assert_uint_ne(totals.insts, 0);
        launch.close(launch.self);
    }
    teg_trace_close(trace);
}

/* Returns how many traces it compared. */
static int compare_folder(const char *folder)
{
    DIR *directory = opendir(folder);
    struct dirent *entry;
    int compared = 0;

    if (directory == NULL)
        return 0;
    while ((entry = readdir(directory)) != NULL) {
        char path[1024];
        struct stat facts;

        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] == '.' || stat(path, &facts) != 0)
            continue;
        if (S_ISDIR(facts.st_mode)) {
            compared += compare_folder(path);
        } else if (strstr(entry->d_name, ".trace") != NULL) {
            compare_with_scan(path);
            compared++;
        } else if (strcmp(entry->d_name, "kernelslist.g") == 0) {
            compare_list(path);
            compared++;
        }
    }
    closedir(directory);
    return compared;
}

START_TEST(real_traces_hold_what_a_second_scan_counts)
{
    if (compare_folder("../shared/traces") == 0)
        printf("skipped: ../shared/traces is not there\n");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("traces/trace");
    TCase *tcase = tcase_create("trace");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_set_timeout(tcase, 300);
    tcase_add_test(tcase, formats_are_recognised_by_content);
    tcase_add_test(tcase, a_tegt_is_recognised_and_reads_the_same);
    tcase_add_test(tcase, what_is_no_trace_is_one_clear_error);
    tcase_add_test(tcase, a_compressed_tracez_says_what_to_do);
    tcase_add_test(tcase, real_traces_hold_what_a_second_scan_counts);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
