/* Files for viewers, read back: complete, in order, and bounded. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/help_suite.h"

/* 8 blocks of 8 warps on one SM. */
#define KERNEL                                                      \
    "tests/kernels/sm70/matmul.sketch -p BLOCKS=8 -p K=16 -g v100 " \
    "--set chip.sms=1 "

static char directory[] = "/tmp/teg-test-XXXXXX";
static char path[64];

static void teg(const char *arguments)
{
    const char *build = getenv("BUILD");
    char command[512];

    if (path[0] == '\0') {
        ck_assert_ptr_nonnull(mkdtemp(directory));
        snprintf(path, sizeof path, "%s/out", directory);
    }
    snprintf(command, sizeof command, "%s/teg %s%s 2>%s.err",
             build != NULL ? build : "build/release", arguments, path, path);
    ck_assert_msg(system(command) == 0, "%s", command);
}

static void clean(void)
{
    char other[80];

    unlink(path);
    snprintf(other, sizeof other, "%s.err", path);
    unlink(other);
    rmdir(directory);
}

static json_int_t number(json_t *o, const char *key)
{
    ck_assert_msg(json_is_integer(json_object_get(o, key)), "no '%s'", key);
    return json_integer_value(json_object_get(o, key));
}

static json_int_t cycles_and_instructions(json_int_t *instructions)
{
    json_error_t error;
    json_t *r;
    json_int_t cycles;

    teg("run " KERNEL "-f json -o ");
    r = json_load_file(path, 0, &error);
    ck_assert_ptr_nonnull(r);
    cycles = number(r, "cycles");
    *instructions = number(json_object_get(r, "kernel"), "warp_instructions");
    json_decref(r);
    return cycles;
}

START_TEST(perfetto_slices_follow_one_another_in_each_warp)
{
    json_int_t instructions, end[64] = {0}, issued = 0, counters = 0, of_sm = 0;
    json_int_t cycles = cycles_and_instructions(&instructions);
    json_error_t error;
    json_t *r, *e;
    size_t i;

    teg("report " KERNEL "--perfetto ");
    r = json_load_file(path, 0, &error);
    ck_assert_msg(r != NULL, "line %d: %s", error.line, error.text);
    json_array_foreach(json_object_get(r, "traceEvents"), i, e)
    {
        const char *kind = json_string_value(json_object_get(e, "ph"));

        if (strcmp(kind, "C") == 0)
            counters++;
        if (strcmp(kind, "C") == 0 &&
            strcmp(json_string_value(json_object_get(e, "name")), "SM 0") == 0)
            of_sm++;
        if (strcmp(kind, "X") == 0) {
            json_int_t ts = number(e, "ts"), tid = number(e, "tid");

            ck_assert_int_lt(tid, 64);
            ck_assert_int_ge(ts, end[tid]);
            end[tid] = ts + number(e, "dur");
            ck_assert_int_le(end[tid], cycles);
            issued += json_object_get(e, "args") != NULL;
        }
    }
    ck_assert_int_eq(issued, instructions);
    ck_assert_int_gt(counters, 20);
    ck_assert_int_gt(of_sm, 5);
    json_decref(r);
    clean();
}
END_TEST

START_TEST(konata_retires_every_instruction_it_begins)
{
    json_int_t instructions, cycles = cycles_and_instructions(&instructions);
    long begun = 0, retired = 0, cycle = 0;
    char line[256];
    FILE *f;

    teg("report " KERNEL "--konata ");
    f = fopen(path, "r");
    ck_assert_ptr_nonnull(f);
    ck_assert_ptr_nonnull(fgets(line, sizeof line, f));
    ck_assert_str_eq(line, "Kanata\t0004\n");
    while (fgets(line, sizeof line, f) != NULL) {
        char kind[8];
        long a;

        ck_assert_int_eq(sscanf(line, "%7s %ld", kind, &a), 2);
        ck_assert_ptr_nonnull(strchr("CILSR", kind[0]));
        if (strcmp(kind, "C") == 0) {
            ck_assert_int_gt(a, 0);
            cycle += a;
        }
        begun += strcmp(kind, "I") == 0;
        retired += strcmp(kind, "R") == 0;
    }
    fclose(f);
    ck_assert_int_eq(begun, instructions);
    ck_assert_int_eq(retired, instructions);
    ck_assert_int_le(cycle, cycles);
    clean();
}
END_TEST

/* gzip's magic number, and what is inside is what stands there plainly. */
START_TEST(a_name_in_gz_is_compressed)
{
    unsigned char magic[2];
    char command[512];
    FILE *f;

    teg("report " KERNEL "--perfetto ");
    snprintf(command, sizeof command,
             "%s/teg report " KERNEL "--perfetto %s.gz && gzip -dc %s.gz | cmp "
             "- %s",
             getenv("BUILD") != NULL ? getenv("BUILD") : "build/release", path,
             path, path);
    ck_assert_int_eq(system(command), 0);
    snprintf(command, sizeof command, "%s.gz", path);
    f = fopen(command, "rb");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fread(magic, 1, 2, f), 2);
    ck_assert_uint_eq(magic[0], 0x1f);
    ck_assert_uint_eq(magic[1], 0x8b);
    fclose(f);
    unlink(command);
    clean();
}
END_TEST

/* 200,000 of the kernel's instructions, and a remark that there are more. */
START_TEST(more_than_a_viewer_takes_is_cut_with_a_remark)
{
    char line[256] = "", other[80];
    FILE *f;

    teg("report tests/kernels/sm70/matmul.sketch -g v100 --set chip.sms=1 -p "
        "BLOCKS=40 --konata ");
    snprintf(other, sizeof other, "%s.err", path);
    f = fopen(other, "r");
    ck_assert_ptr_nonnull(f);
    ck_assert_ptr_nonnull(fgets(line, sizeof line, f));
    fclose(f);
    /* 40 blocks of 8 warps of 763 instructions */
    ck_assert_ptr_nonnull(strstr(line, "first 200000 instructions"));
    ck_assert_ptr_nonnull(strstr(line, "44160 more were left out"));
    clean();
}
END_TEST

HELP_MAIN("tools/viewers", 60,
          {perfetto_slices_follow_one_another_in_each_warp, 0},
          {konata_retires_every_instruction_it_begins, 0},
          {a_name_in_gz_is_compressed, 0},
          {more_than_a_viewer_takes_is_cut_with_a_remark, 0})
