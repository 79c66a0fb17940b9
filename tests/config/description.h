/*
 * Descriptions written for a test: a minimal one with a line changed, in a
 * temporary folder.
 */
#ifndef TEG_TESTS_CONFIG_DESCRIPTION_H
#define TEG_TESTS_CONFIG_DESCRIPTION_H

#include "config/gpu.h"

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/help_suite.h"

#define SOURCE "\"I test\""

/* A description with nothing but what is required, one line per field so that
 * tests can count. */
static const char *const minimal[] = {
    /* 1 */ "name = \"t\"; title = \"Test\";",
    /* 2 */ "chip: { compute_capability = (70, " SOURCE ");",
    /* 3 */ "sm_clock_mhz = (1000, " SOURCE ");",
    /* 4 */ "sms = (4, " SOURCE "); };",
    /* 5 */ "sm: { schedulers = (4, " SOURCE ");",
    /* 6 */ "warps_max = (32, " SOURCE ");",
    /* 7 */ "threads_max = (1024, " SOURCE ");",
    /* 8 */ "blocks_max = (8, " SOURCE ");",
    /* 9 */ "threads_per_block_max = (512, " SOURCE ");",
    /* 10 */ "registers = (16384, " SOURCE ");",
    /* 11 */ "registers_per_thread_max = (255, " SOURCE ");",
    /* 12 */ "register_unit = (256, " SOURCE ");",
    /* 13 */ "shared_bytes = (16384, " SOURCE ");",
    /* 14 */ "shared_unit = (256, " SOURCE "); };",
    /* 15 */ "dram: { channels = (8, " SOURCE ");",
    /* 16 */ "bandwidth_gbs = (100, " SOURCE ");",
    /* 17 */ "latency = (400, " SOURCE "); };",
    /* 18 */
    "units = ( { name = \"u\"; scope = \"sm\"; count = 1; source = " SOURCE
    "; } );",
    /* 19 */ "timing: { iadd = (\"u\", 4, 2, 1, " SOURCE ");",
    /* 20 */ "dadd = (\"u\", 8, 4, 1, " SOURCE ");",
    /* 21 */ "sfu = (\"u\", 16, 8, 1, " SOURCE ");",
    /* 22 */ "lds = (\"u\", 20, 2, 1, " SOURCE ");",
    /* 23 */ "ldg = (\"u\", 4, 2, 1, " SOURCE "); };",
};

enum {
    LINES = sizeof minimal / sizeof minimal[0],
    APPENDED = LINES + 1, /* the line after the last */
};

static char folder[] = "/tmp/teg-gpu-XXXXXX";

static inline const char *path_of(const char *file)
{
    static char path[512];

    snprintf(path, sizeof path, "%s/%s", folder, file);
    return path;
}

static inline const char *write_file(const char *file, const char *text)
{
    const char *path = path_of(file);
    FILE *f = fopen(path, "wb");

    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    fclose(f);
    return path;
}

/* Writes the minimal description with line `line` (1-based; 0: none) replaced
 * by `text`, or `text` behind it all if `line` is APPENDED. */
static inline const char *write_changed(unsigned line, const char *text)
{
    char all[8192];
    size_t used = 0;

    for (unsigned i = 1; i <= LINES + (line == APPENDED); i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s\n",
                                 i == line ? text : minimal[i - 1]);
    return write_file("t.cfg", all);
}

static inline struct teg_gpu *load(const char *path)
{
    struct teg_gpu *gpu;
    struct teg_diag d = {0};

    ck_assert_msg(teg_gpu_load(path, &gpu, &d) == TEG_OK, "%s: %s", d.where,
                  d.what);
    return gpu;
}

/* The description with that change must fail at `at` (0: in no line) with
 * `what` in its sentence. */
static inline void refuse(unsigned line, const char *text, unsigned at,
                          const char *what)
{
    const char *path = write_changed(line, text);
    struct teg_gpu *gpu = (struct teg_gpu *)1;
    struct teg_diag d = {0};
    char where[600];

    ck_assert_msg(teg_gpu_load(path, &gpu, &d) == TEG_CONFIG, "accepted: %s",
                  text);
    ck_assert_ptr_null(gpu);
    ck_assert_int_eq(d.status, TEG_CONFIG);
    if (at != 0)
        snprintf(where, sizeof where, "t.cfg:%u", at);
    else
        snprintf(where, sizeof where, "%s", path);
    ck_assert_msg(strstr(d.where, where) != NULL &&
                      strlen(strstr(d.where, where)) == strlen(where),
                  "%s: where is %s, expected %s (%s)", text, d.where, where,
                  d.what);
    ck_assert_msg(strstr(d.what, what) != NULL, "%s: %s", d.what, what);
}

static inline const struct teg_fact *fact_of(const struct teg_gpu *gpu,
                                             const char *key)
{
    for (uint32_t i = 0; i < gpu->fact_count; i++) {
        if (strcmp(gpu->fact[i].key, key) == 0)
            return &gpu->fact[i];
    }
    ck_abort_msg("no fact %s", key);
}

static inline void make_folder(void)
{
    if (mkdtemp(folder) == NULL)
        abort();
}

static inline void remove_folder(void)
{
    DIR *directory = opendir(folder);
    const struct dirent *e;

    while (directory != NULL && (e = readdir(directory)) != NULL) {
        if (e->d_name[0] != '.')
            remove(path_of(e->d_name));
    }
    if (directory != NULL)
        closedir(directory);
    rmdir(folder);
}

/* Runs the tests, of descriptions in a folder of their own. */
static inline int run_in_folder(const char *suite,
                                const struct help_test *tests, int count)
{
    int status;

    make_folder();
    status = help_run(suite, tests, count, 120);
    remove_folder();
    return status;
}

#endif
