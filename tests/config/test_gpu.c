/*
 * GPU descriptions: what the loader takes, what it refuses and where.
 *
 * Runs from the top of the tree; descriptions of its own go to a temporary
 * folder.
 */
#include "config/gpu.h"

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SOURCE "\"I test\""

/* libconfig 1.5 loses a string of 64 bytes when a syntax error follows it
 * directly; the leak sanitizer asks here. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(
    void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libconfig.so";
}

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

static const char *path_of(const char *file)
{
    static char path[512];

    snprintf(path, sizeof path, "%s/%s", folder, file);
    return path;
}

static const char *write_file(const char *file, const char *text)
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
static const char *write_changed(unsigned line, const char *text)
{
    char all[8192];
    size_t used = 0;

    for (unsigned i = 1; i <= LINES + (line == APPENDED); i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s\n",
                                 i == line ? text : minimal[i - 1]);
    return write_file("t.cfg", all);
}

static struct teg_gpu *load(const char *path)
{
    struct teg_gpu *gpu;
    struct teg_diag d = {0};

    ck_assert_msg(teg_gpu_load(path, &gpu, &d) == TEG_OK, "%s: %s", d.where,
                  d.what);
    return gpu;
}

/* The description with that change must fail at `at` (0: in no line) with
 * `what` in its sentence. */
static void refuse(unsigned line, const char *text, unsigned at,
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

static const struct teg_fact *fact_of(const struct teg_gpu *gpu,
                                      const char *key)
{
    for (uint32_t i = 0; i < gpu->fact_count; i++) {
        if (strcmp(gpu->fact[i].key, key) == 0)
            return &gpu->fact[i];
    }
    ck_abort_msg("no fact %s", key);
}

START_TEST(required_values_suffice)
{
    struct teg_gpu *gpu = load(write_changed(0, ""));

    ck_assert_str_eq(gpu->name, "t");
    ck_assert_str_eq(gpu->title, "Test");
    ck_assert_uint_eq(gpu->default_for, 0);
    ck_assert_uint_eq(gpu->chip.sms, 4);
    ck_assert_double_eq(gpu->chip.sm_clock_mhz, 1000);
    ck_assert_uint_eq(gpu->chip.sms_per_cluster, 1);
    ck_assert_uint_eq(gpu->sm.policy, POLICY_LRR);
    ck_assert_uint_eq(gpu->memory.coalescing, COALESCING_SECTORS);
    ck_assert_uint_eq(gpu->operand_unit, TEG_NO_UNIT);
    ck_assert_uint_eq(gpu->unit_count, 1);
    ck_assert_double_eq(gpu->m_factor[CLASS_IMUL], 1);
    teg_gpu_free(gpu);
}
END_TEST

START_TEST(class_without_a_row_takes_its_fallbacks_timing)
{
    struct teg_gpu *gpu = load(write_changed(0, ""));

    ck_assert_uint_eq(gpu->timing[CLASS_IADD].latency, 4);
    ck_assert_uint_eq(gpu->timing[CLASS_DFMA].latency, 8);
    /* imad -> imul -> iadd; dmma -> hmma -> fadd -> iadd */
    ck_assert_uint_eq(gpu->timing[CLASS_IMAD].latency, 4);
    ck_assert_uint_eq(gpu->timing[CLASS_DMMA].interval, 2);
    /* convert64 -> convert -> sfu; red -> stg -> ldg */
    ck_assert_uint_eq(gpu->timing[CLASS_CONVERT64].latency, 16);
    ck_assert_uint_eq(gpu->timing[CLASS_RED].interval, 2);
    for (enum teg_op_class c = 0; c < TEG_CLASSES; c++) {
        ck_assert_uint_eq(gpu->timing[c].unit_count, 1);
        ck_assert_uint_eq(gpu->timing[c].unit[0], 0);
        ck_assert_uint_eq(gpu->timing[c].same_warp, 1);
    }
    teg_gpu_free(gpu);
}
END_TEST

START_TEST(facts_name_value_source_and_line)
{
    struct teg_gpu *gpu = load(
        write_changed(6, "warps_max = ( 48 , \"M Somebody09 Table 2\" );"));
    const struct teg_fact *f = fact_of(gpu, "sm.warps_max");

    ck_assert_str_eq(gpu->fact[0].key, "chip.compute_capability");
    ck_assert_str_eq(f->value, "48");
    ck_assert_str_eq(f->unit, "warps");
    ck_assert_str_eq(f->source, "M Somebody09 Table 2");
    ck_assert_str_eq(f->where, "t.cfg:6");
    f = fact_of(gpu, "sm.policy");
    ck_assert_str_eq(f->value, "lrr");
    ck_assert_str_eq(f->source, "");
    ck_assert_str_eq(f->where, "");
    ck_assert_str_eq(fact_of(gpu, "timing.iadd")->value, "u 4 2 1");
    ck_assert_str_eq(fact_of(gpu, "timing.iadd")->where, "t.cfg:19");
    ck_assert_str_eq(fact_of(gpu, "timing.mov")->value, "u 4 2 1 as iadd");
    ck_assert_str_eq(fact_of(gpu, "timing.mov")->source, "");
    ck_assert_str_eq(fact_of(gpu, "unit.u")->where, "t.cfg:18");
    teg_gpu_free(gpu);
}
END_TEST

START_TEST(optional_parts_are_read)
{
    struct teg_gpu *gpu = load(write_changed(
        APPENDED,
        "default_for = (70, " SOURCE ");\n"
        "operand_unit = \"u\";\n"
        "m_factor: { imul = (4.3, " SOURCE "); dfma = (2, " SOURCE "); };\n"
        "memory: { coalescing = (\"cc12\", " SOURCE ");\n"
        "transaction_interval = (2.5, " SOURCE "); };\n"
        "shared: { pass_interval = (2, " SOURCE "); };"));

    ck_assert_uint_eq(gpu->default_for, 70);
    ck_assert_uint_eq(gpu->operand_unit, 0);
    ck_assert_double_eq(gpu->m_factor[CLASS_IMUL], 4.3);
    ck_assert_double_eq(gpu->m_factor[CLASS_DFMA], 2);
    ck_assert_double_eq(gpu->m_factor[CLASS_IMAD], 1);
    ck_assert_uint_eq(gpu->memory.coalescing, COALESCING_CC12);
    ck_assert_double_eq(gpu->memory.transaction_interval, 2.5);
    ck_assert_double_eq(gpu->shared.pass_interval, 2);
    teg_gpu_free(gpu);
}
END_TEST

START_TEST(units_have_scope_count_and_capacity)
{
    struct teg_gpu *gpu = load(write_changed(
        18, "units = ( { name = \"a\"; scope = \"sm\"; count = 2; "
            "capacity = 3; source = " SOURCE "; }, { name = \"u\"; "
            "scope = \"scheduler\"; count = 1; source = " SOURCE "; } );"));

    ck_assert_uint_eq(gpu->unit_count, 2);
    ck_assert_uint_eq(gpu->unit[0].count, 2);
    ck_assert_uint_eq(gpu->unit[0].capacity, 3);
    ck_assert_uint_eq(gpu->unit[0].scope, UNIT_SCOPE_SM);
    ck_assert_uint_eq(gpu->unit[1].scope, UNIT_SCOPE_SCHEDULER);
    ck_assert_uint_eq(gpu->timing[CLASS_IADD].unit[0], 1);
    teg_gpu_free(gpu);
}
END_TEST

START_TEST(faulty_values_are_refused_at_their_line)
{
    static const struct {
        unsigned line;
        const char *text;
        unsigned at;
        const char *what;
    } list[] = {
        /* forms */
        {6, "warps_max = 32;", 6, "expected ( value"},
        {6, "warps_max = (32);", 6, "expected ( value"},
        {6, "warps_max = (32, " SOURCE ", 1);", 6, "expected ( value"},
        {6, "warps_max = [32, 33];", 6, "expected ( value"},
        {6, "warps_max = {};", 6, "expected ( value"},
        /* sources */
        {6, "warps_max = (32, \"\");", 6, "1 to 191 characters"},
        {6, "warps_max = (32, \"X foo\");", 6, "class of evidence"},
        {6, "warps_max = (32, \"Mfoo\");", 6, "class of evidence"},
        {6, "warps_max = (32, \"M \");", 6, "class of evidence"},
        {6, "warps_max = (32, 33);", 6, "expected a string"},
        /* types and ranges */
        {6, "warps_max = (\"32\", " SOURCE ");", 6, "whole number"},
        {6, "warps_max = (32.0, " SOURCE ");", 6, "whole number"},
        {6, "warps_max = (true, " SOURCE ");", 6, "whole number"},
        {6, "warps_max = (65, " SOURCE ");", 6, "1 to 64 warps, found 65"},
        {6, "warps_max = (0, " SOURCE ");", 6, "found 0"},
        {6, "warps_max = (-1, " SOURCE ");", 6, "found -1"},
        {6, "warps_max = (4294967328, " SOURCE ");", 6, "below 2^31"},
        {6, "warps_max = (0x100000020, " SOURCE ");", 6, "below 2^28"},
        {6, "warps_max = (4294967328L, " SOURCE ");", 6, "1 to 64"},
        {3, "sm_clock_mhz = (0.5, " SOURCE ");", 3, "1 to 10000 MHz"},
        {3, "sm_clock_mhz = (1e400, " SOURCE ");", 3, "1 to 10000 MHz"},
        {17, "latency = (-440, " SOURCE "); };", 17, "found -440"},
        {12,
         "register_unit = (256, " SOURCE "); policy = (\"fifo\", " SOURCE ");",
         12, "\"lrr\", \"strict\""},
        {12, "register_unit = (256, " SOURCE "); policy = (1, " SOURCE ");", 12,
         "expected one of"},
        /* names */
        {6, "warp_max = (32, " SOURCE ");", 6, "did you mean 'warps_max'"},
        {APPENDED, "smm: { };", APPENDED, "did you mean 'sm'"},
        {APPENDED, "foo = 1;", APPENDED, "unknown key 'foo'"},
        {APPENDED, "timing2: { };", APPENDED, "did you mean 'timing'"},
        {20,
         "dadd = (\"u\", 8, 4, 1, " SOURCE "); fad = (\"u\", 8, 4, 1, " SOURCE
         ");",
         20, "did you mean 'fadd'"},
        {20, "dadd = (\"v\", 8, 4, 1, " SOURCE ");", 20,
         "unknown unit 'v'; did you mean 'u'"},
        {APPENDED, "operand_unit = \"w\";", APPENDED, "unknown unit 'w'"},
        {APPENDED, "m_factor: { imull = (2, " SOURCE "); };", APPENDED,
         "did you mean 'imul'"},
        /* syntax: libconfig's own words */
        {6, "warps_max = (32, " SOURCE ";", 6, "syntax error"},
        {6, "warps_max = (32, \"I test);", 23, "closing quote"},
        {6, "warps_max = (32, " SOURCE "); warps_max = (32, " SOURCE ");", 6,
         "duplicate"},
        {APPENDED, "sm: { };", APPENDED, "duplicate"},
        /* groups */
        {APPENDED, "l1 = 3;", APPENDED, "expected a group"},
        {APPENDED, "m_factor = 3;", APPENDED, "expected a group"},
        {APPENDED, "m_factor: { imul = (-2, " SOURCE "); };", APPENDED,
         "0 to 1000000"},
        {APPENDED, "m_factor: { imul = 2; };", APPENDED, "expected ( factor"},
        {APPENDED, "default_for = 70;", APPENDED, "expected ( compute"},
        {APPENDED, "default_for = (7.0, " SOURCE ");", APPENDED, "10 to 999"},
        {APPENDED, "operand_unit = \"u u\";", APPENDED, "expected a unit"},
        {APPENDED, "operand_unit = 3;", APPENDED, "expected a string"},
        {1, "name = 3; title = \"Test\";", 1, "expected a string"},
        {1, "name = \"\"; title = \"Test\";", 1, "1 to 31 characters"},
        {1, "name = \"0123456789012345678901234567890123\";", 1,
         "1 to 31 characters, found 34"},
        /* timing */
        {20, "dadd = (\"u\", 8, 4, " SOURCE ");", 20, "expected ( \"units\""},
        {20, "dadd = (\"u\", -8, 4, 1, " SOURCE ");", 20, "found -8"},
        {20, "dadd = (\"u\", 8, -4, 1, " SOURCE ");", 20, "found -4"},
        {20, "dadd = (\"u\", 8, 4, 0, " SOURCE ");", 20, "1 to 10000"},
        {20, "dadd = (\"u\", 8.5, 4, 1, " SOURCE ");", 20, "found 8.5"},
        {20, "dadd = (\"u\", 8, 4, 1, \"foo\");", 20, "class of evidence"},
        {20, "dadd = (\"u v w\", 8, 4, 1, " SOURCE ");", 20, "one or two"},
        {20, "dadd = (\" \", 8, 4, 1, " SOURCE ");", 20, "expected a unit"},
        {20, "dadd = (\"u u\", 8, 4, 1, " SOURCE ");", 20, "twice"},
        {20, "dadd = (3, 8, 4, 1, " SOURCE ");", 20, "expected a string"},
        {23, "ldg = 3; };", 23, "expected ( \"units\""},
    };

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        refuse(list[i].line, list[i].text, list[i].at, list[i].what);
}
END_TEST

START_TEST(faulty_units_are_refused_at_their_line)
{
    static const struct {
        const char *text, *what;
    } list[] = {
        {"units = 3;", "expected a list"},
        {"units = ( 3 );", "expected a group"},
        {"units = ( );", "missing units"},
        {"units = ( { name = \"u\"; scope = \"sm\"; count = 1; } );",
         "expected 'source'"},
        {"units = ( { scope = \"sm\"; count = 1; source = " SOURCE "; } );",
         "expected 'name'"},
        {"units = ( { name = \"u\"; count = 1; source = " SOURCE "; } );",
         "expected 'scope'"},
        {"units = ( { name = \"u\"; scope = \"sm\"; source = " SOURCE "; } );",
         "expected 'count'"},
        {"units = ( { name = \"u\"; scope = \"SM\"; count = 1; source = " SOURCE
         "; } );",
         "\"sm\" or \"scheduler\", found \"SM\""},
        {"units = ( { name = \"u\"; scope = \"sm\"; count = 0; source = " SOURCE
         "; } );",
         "1 to 64, found 0"},
        {"units = ( { name = \"u\"; scope = \"sm\"; count = 1; capacity = -1; "
         "source = " SOURCE "; } );",
         "0 to 4096, found -1"},
        {"units = ( { name = \"u v\"; scope = \"sm\"; count = 1; source "
         "= " SOURCE "; } );",
         "lower-case letters"},
        {"units = ( { name = \"u\"; scope = \"sm\"; counts = 1; source "
         "= " SOURCE "; } );",
         "did you mean 'count'"},
        {"units = ( { name = \"u\"; scope = \"sm\"; count = 1; source = " SOURCE
         "; }, { name = \"u\"; scope = \"sm\"; count = 1; source = " SOURCE
         "; } );",
         "'u' is given twice"},
    };

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        refuse(18, list[i].text, strstr(list[i].what, "missing") ? 0 : 18,
               list[i].what);
}
END_TEST

START_TEST(faulty_carveouts_are_refused_at_their_line)
{
    static const char *const list[] = {
        "0 8 8", "8 0",  "-1",    "8,16",
        "x",     "1025", "8 16k", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17"};

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        char text[160];

        snprintf(text, sizeof text, "carveouts = (\"%s\", " SOURCE ");",
                 list[i]);
        refuse(APPENDED, text, APPENDED, "rising numbers of kilobytes");
    }
}
END_TEST

START_TEST(missing_values_are_named)
{
    refuse(6, "", 0, "missing sm.warps_max");
    refuse(1, "title = \"Test\";", 0, "missing name");
    refuse(20, "", 0, "missing timing.dadd");
    refuse(18, "", 0, "missing units");
}
END_TEST

START_TEST(contradictions_are_refused_at_the_line_of_the_value)
{
    static const struct {
        unsigned line;
        const char *text, *what;
    } list[] = {
        {7, "threads_max = (1056, " SOURCE ");", "at most 1024 threads"},
        {9, "threads_per_block_max = (2048, " SOURCE ");", "1024 threads"},
        {6, "warps_max = (33, " SOURCE ");", "multiple of the 4 schedulers"},
        {10, "registers = (16385, " SOURCE ");", "multiple of the 4"},
        {14,
         "shared_unit = (256, " SOURCE "); shared_reserved = (16385, " SOURCE
         "); };",
         "16384 bytes of an SM"},
        {4, "sms = (4, " SOURCE "); sms_per_cluster = (5, " SOURCE "); };",
         "the 4 SMs"},
        {APPENDED, "shared: { group = (24, " SOURCE "); };", "16 or 32 lanes"},
        {APPENDED, "shared: { banks = (24, " SOURCE "); };", "power of two"},
        {APPENDED, "shared: { bank_bytes = (3, " SOURCE "); };",
         "power of two"},
        {APPENDED, "shared: { operand_latency = (74, " SOURCE "); };",
         "operand_unit"},
        {17,
         "latency = (400, " SOURCE "); interleave_bytes = (257, " SOURCE
         "); };",
         "power of two"},
        {APPENDED,
         "l2: { bytes = (6291456, " SOURCE "); slices = (5, " SOURCE "); };",
         "multiple of 10240 bytes"},
        {APPENDED, "l1: { bytes = (1000, " SOURCE "); };",
         "multiple of 512 bytes"},
        {APPENDED, "l1: { line_bytes = (64, " SOURCE "); };",
         "unknown field 'line_bytes'"},
        {APPENDED,
         "l2: { bytes = (2048, " SOURCE "); latency = (401, " SOURCE "); };",
         "400 cycles of DRAM"},
        {APPENDED, "l1: { unified_bytes = (65536, " SOURCE "); };",
         "expected carveouts"},
        {APPENDED,
         "carveouts = (\"0 8\", " SOURCE
         "); l1: { unified_bytes = (65536, " SOURCE "); };",
         "holds the 16384 bytes"},
        {APPENDED,
         "carveouts = (\"8 64\", " SOURCE
         "); l1: { unified_bytes = (65536, " SOURCE "); };",
         "more than the largest of carveouts"},
        {APPENDED,
         "carveouts = (\"8 16\", " SOURCE
         "); l1: { unified_bytes = (32768, " SOURCE
         "); carveout_bytes = (32768, " SOURCE "); };",
         "less than the 32768"},
        {APPENDED, "l1: { banks = (24, " SOURCE "); };", "power of two"},
        {APPENDED, "l1: { tag_banks = (3, " SOURCE "); };", "power of two"},
        {APPENDED,
         "tlb: { entries = (16, " SOURCE "); page_bytes = (5000, " SOURCE
         "); };",
         "power of two"},
        {APPENDED,
         "fetch: { l0_bytes = (512, " SOURCE "); line_bytes = (96, " SOURCE
         "); };",
         "power of two"},
        {APPENDED, "fetch: { l0_bytes = (640, " SOURCE "); };",
         "multiples of a set's 512 bytes"},
        {APPENDED,
         "fetch: { l0_bytes = (512, " SOURCE "); l1_latency = (30, " SOURCE
         "); };",
         "at most the 0 cycles of fetch.miss_latency"},
    };

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        refuse(list[i].line, list[i].text, list[i].line, list[i].what);
}
END_TEST

START_TEST(files_that_cannot_be_read_are_refused)
{
    struct teg_gpu *gpu;
    struct teg_diag d;

    ck_assert_int_eq(teg_gpu_load(path_of("none.cfg"), &gpu, &d), TEG_IO);
    ck_assert_ptr_nonnull(strstr(d.what, "No such file"));
    ck_assert_int_eq(teg_gpu_load(folder, &gpu, &d), TEG_IO);
    ck_assert_ptr_null(gpu);
    ck_assert_int_eq(teg_gpu_load("/dev/zero", &gpu, &d), TEG_CONFIG);
    ck_assert_int_eq(teg_gpu_load("/dev/null", &gpu, &d), TEG_CONFIG);
}
END_TEST

START_TEST(included_files_count_as_their_own)
{
    struct teg_gpu *gpu;
    struct teg_diag d;
    char where[300];

    write_file("shared.inc", "\nshared: { group = (16, " SOURCE "); };\n");
    write_changed(APPENDED, "@include \"shared.inc\"");
    gpu = load(path_of("t.cfg"));
    ck_assert_uint_eq(gpu->shared.group, 16);
    ck_assert_str_eq(fact_of(gpu, "shared.group")->where, "shared.inc:2");
    teg_gpu_free(gpu);

    write_file("shared.inc", "\nshared: { group = (99, " SOURCE "); };\n");
    ck_assert_int_eq(teg_gpu_load(path_of("t.cfg"), &gpu, &d), TEG_CONFIG);
    snprintf(where, sizeof where, "%s/shared.inc:2", folder);
    ck_assert_str_eq(d.where, where);

    write_file("shared.inc",
               "\n\nshared: { group = (16000000000, \"I x\"); };");
    ck_assert_int_eq(teg_gpu_load(path_of("t.cfg"), &gpu, &d), TEG_CONFIG);
    snprintf(where, sizeof where, "%s/shared.inc:3", folder);
    ck_assert_str_eq(d.where, where);

    write_changed(APPENDED, "@include \"none.inc\"");
    ck_assert_int_eq(teg_gpu_load(path_of("t.cfg"), &gpu, &d), TEG_IO);
    /* libconfig itself would end the process here */
    write_changed(APPENDED, "@include \".\"");
    ck_assert_int_eq(teg_gpu_load(path_of("t.cfg"), &gpu, &d), TEG_IO);
    write_changed(APPENDED, "@include \"t.cfg\"");
    ck_assert_int_eq(teg_gpu_load(path_of("t.cfg"), &gpu, &d), TEG_CONFIG);
    ck_assert_ptr_nonnull(strstr(d.what, "nested"));
}
END_TEST

START_TEST(chip_overrides_its_family)
{
    char family[8192];
    size_t used = 0;
    struct teg_gpu *gpu;
    struct teg_diag d;

    for (unsigned i = 0; i < LINES; i++)
        used += (size_t)snprintf(family + used, sizeof family - used, "%s\n",
                                 minimal[i]);
    write_file("base.cfg", family);
    write_file(
        "chip.cfg",
        "family = \"base.cfg\";\n"
        "name = \"chip\";\n"
        "sm: { warps_max = (48, \"V chip\"); };\n"
        "units = ( { name = \"u\"; scope = \"sm\"; count = 2; source = " SOURCE
        "; }, { name = \"v\"; scope = \"sm\"; count = 1; source "
        "= " SOURCE "; } );\n"
        "timing: { dadd = (\"v u\", 48, 32, 32, " SOURCE "); };\n");
    gpu = load(path_of("chip.cfg"));
    ck_assert_str_eq(gpu->name, "chip");
    ck_assert_str_eq(gpu->title, "Test");
    ck_assert_uint_eq(gpu->sm.warps_max, 48);
    ck_assert_str_eq(fact_of(gpu, "sm.warps_max")->where, "chip.cfg:3");
    ck_assert_str_eq(fact_of(gpu, "sm.registers")->where, "base.cfg:10");
    ck_assert_uint_eq(gpu->unit_count, 2);
    ck_assert_uint_eq(gpu->unit[0].count, 2);
    ck_assert_uint_eq(gpu->timing[CLASS_DADD].unit_count, 2);
    ck_assert_uint_eq(gpu->timing[CLASS_DADD].unit[0], 1);
    ck_assert_uint_eq(gpu->timing[CLASS_DADD].unit[1], 0);
    /* dmul has no row in either file: it follows the chip's dadd */
    ck_assert_uint_eq(gpu->timing[CLASS_DMUL].latency, 48);
    teg_gpu_free(gpu);

    write_file("chip.cfg", "family = \"chip.cfg\";\nname = \"chip\";\n");
    ck_assert_int_eq(teg_gpu_load(path_of("chip.cfg"), &gpu, &d), TEG_CONFIG);
    ck_assert_ptr_nonnull(strstr(d.what, "families"));
    write_file("chip.cfg", "family = \"none.cfg\";\n");
    ck_assert_int_eq(teg_gpu_load(path_of("chip.cfg"), &gpu, &d), TEG_IO);
    write_file("chip.cfg", "\nfamily = 3;\n");
    ck_assert_int_eq(teg_gpu_load(path_of("chip.cfg"), &gpu, &d), TEG_CONFIG);
    ck_assert_ptr_nonnull(strstr(d.where, "chip.cfg:2"));
}
END_TEST

/* Every cut of a description either loads or says where it is broken. */
START_TEST(cut_descriptions_never_crash)
{
    char text[8192], part[8192];
    size_t used = 0;

    for (unsigned i = 0; i < LINES; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s\n",
                                 minimal[i]);
    for (size_t n = 0; n + 2 < used; n++) {
        struct teg_gpu *gpu;
        struct teg_diag d = {0};

        memcpy(part, text, n);
        part[n] = '\0';
        ck_assert_msg(teg_gpu_load(write_file("cut.cfg", part), &gpu, &d) ==
                          TEG_CONFIG,
                      "cut at %zu", n);
        ck_assert(d.what[0] != '\0');
        ck_assert_ptr_nonnull(strstr(d.where, "cut.cfg"));
    }
}
END_TEST

START_TEST(flipped_descriptions_never_crash)
{
    char text[8192];
    size_t used = 0;

    for (unsigned i = 0; i < LINES; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s\n",
                                 minimal[i]);
    for (size_t n = 0; n < used; n++) {
        struct teg_gpu *gpu;
        struct teg_diag d = {0};
        char was = text[n];

        text[n] = (char)(was ^ (1 << n % 7));
        if (text[n] == '\0')
            text[n] = '~';
        if (teg_gpu_load(write_file("flip.cfg", text), &gpu, &d) == TEG_OK)
            teg_gpu_free(gpu);
        else
            ck_assert(d.what[0] != '\0');
        text[n] = was;
    }
}
END_TEST

START_TEST(set_changes_one_value)
{
    struct teg_gpu *gpu = load(write_changed(0, ""));
    struct teg_diag d;

    ck_assert_int_eq(teg_gpu_set(gpu, "sm.warps_max", "48", &d), TEG_OK);
    ck_assert_uint_eq(gpu->sm.warps_max, 48);
    ck_assert_str_eq(fact_of(gpu, "sm.warps_max")->value, "48");
    ck_assert_int_eq(teg_gpu_set(gpu, "chip.sm_clock_mhz", "1.5e3", &d),
                     TEG_OK);
    ck_assert_double_eq(gpu->chip.sm_clock_mhz, 1500);
    ck_assert_int_eq(teg_gpu_set(gpu, "sm.policy", "gto", &d), TEG_OK);
    ck_assert_uint_eq(gpu->sm.policy, POLICY_GTO);
    ck_assert_int_eq(teg_gpu_set(gpu, "timing.fadd.latency", "6", &d), TEG_OK);
    ck_assert_uint_eq(gpu->timing[CLASS_FADD].latency, 6);
    ck_assert_str_eq(fact_of(gpu, "timing.fadd")->value, "u 6 2 1");
    ck_assert_int_eq(teg_gpu_set(gpu, "timing.fadd.interval", "3", &d), TEG_OK);
    ck_assert_uint_eq(gpu->timing[CLASS_FADD].interval, 3);
    ck_assert_int_eq(teg_gpu_set(gpu, "timing.fadd.same_warp", "5", &d),
                     TEG_OK);
    ck_assert_uint_eq(gpu->timing[CLASS_FADD].same_warp, 5);
    ck_assert_int_eq(teg_gpu_set(gpu, "unit.u.count", "2", &d), TEG_OK);
    ck_assert_uint_eq(gpu->unit[0].count, 2);
    ck_assert_int_eq(teg_gpu_set(gpu, "m_factor.imul", "4.3", &d), TEG_OK);
    ck_assert_double_eq(gpu->m_factor[CLASS_IMUL], 4.3);
    ck_assert_int_eq(teg_gpu_set(gpu, "power_unit.fp.watts", "1.25", &d),
                     TEG_OK);
    ck_assert_int_eq(teg_gpu_set(gpu, "power_unit.fp.access", "log 1 2", &d),
                     TEG_OK);
    ck_assert_int_eq(gpu->power_unit[POWER_FP].given, 1);
    ck_assert_double_eq(gpu->power_unit[POWER_FP].max_watts, 1.25);
    ck_assert_double_eq(gpu->power_unit[POWER_FP].curve.b, 2);
    ck_assert_int_eq(teg_gpu_set(gpu, "power_use.lds", "shm fds", &d), TEG_OK);
    ck_assert_uint_eq(gpu->power_use[CLASS_LDS],
                      1u << POWER_SHM | 1u << POWER_FDS);
    teg_gpu_free(gpu);
}
END_TEST

START_TEST(set_refuses_what_the_loader_refuses)
{
    static const struct {
        const char *key, *value;
        teg_status status;
        const char *what;
    } list[] = {
        {"sm.warps_max", "65", TEG_CONFIG, "1 to 64 warps"},
        {"sm.warps_max", "", TEG_CONFIG, "found ''"},
        {"sm.warps_max", "3.5", TEG_CONFIG, "whole number"},
        {"sm.warps_max", "32x", TEG_CONFIG, "found '32x'"},
        {"sm.warps_max", "nan", TEG_CONFIG, "found 'nan'"},
        {"dram.latency", "-1", TEG_CONFIG, "found '-1'"},
        {"chip.sm_clock_mhz", "inf", TEG_CONFIG, "found 'inf'"},
        {"sm.policy", "fifo", TEG_CONFIG, "expected one of"},
        {"timing.fadd.same_warp", "0", TEG_CONFIG, "1 to 10000"},
        {"timing.fadd.latency", "-2", TEG_CONFIG, "found '-2'"},
        {"m_factor.imul", "-1", TEG_CONFIG, "factor"},
        {"unit.u.count", "0", TEG_CONFIG, "1 to 64"},
        {"sm.warp_max", "32", TEG_UNKNOWN, "sm.warps_max"},
        {"timing.fad.latency", "3", TEG_UNKNOWN, "fadd"},
        {"timing.fadd.latenci", "3", TEG_UNKNOWN, "latency"},
        {"timing.fadd", "3", TEG_UNKNOWN, "expected a key"},
        {"unit.w.count", "3", TEG_UNKNOWN, "u"},
        {"", "3", TEG_UNKNOWN, "expected a key"},
        {"power_unit.fp.watts", "-1", TEG_CONFIG, "watts, 0 to 10000"},
        {"power_unit.fp.watts", "nan", TEG_CONFIG, "found 'nan'"},
        {"power_unit.fp.access", "steep", TEG_CONFIG, "identity"},
        {"power_unit.fp.watt", "1", TEG_UNKNOWN, "watts"},
        {"power_unit.fpu.watts", "1", TEG_UNKNOWN, "fp"},
        {"power_use.lds", "shm fdx", TEG_CONFIG, "components"},
        {"power_use.ldx", "shm", TEG_UNKNOWN, "lds"},
        {"power.idle_watts", "-3", TEG_CONFIG, "0 to 10000"},
    };
    struct teg_gpu *gpu = load(write_changed(0, ""));

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        struct teg_diag d = {0};

        ck_assert_msg(teg_gpu_set(gpu, list[i].key, list[i].value, &d) ==
                          list[i].status,
                      "%s %s", list[i].key, list[i].value);
        ck_assert_msg(strstr(d.what, list[i].what) != NULL, "%s", d.what);
        ck_assert_str_eq(d.where, list[i].key);
    }
    ck_assert_uint_eq(gpu->sm.warps_max, 32);
    teg_gpu_free(gpu);
}
END_TEST

START_TEST(copy_is_independent)
{
    struct teg_gpu *gpu = load(write_changed(0, "")), *copy;
    struct teg_diag d;

    ck_assert_int_eq(teg_gpu_copy(gpu, &copy, &d), TEG_OK);
    ck_assert_int_eq(teg_gpu_set(copy, "sm.warps_max", "48", &d), TEG_OK);
    ck_assert_uint_eq(gpu->sm.warps_max, 32);
    ck_assert_str_eq(fact_of(gpu, "sm.warps_max")->value, "32");
    teg_gpu_free(gpu);
    ck_assert_str_eq(fact_of(copy, "sm.warps_max")->value, "48");
    teg_gpu_free(copy);
    teg_gpu_free(NULL);
}
END_TEST

/* ---- the descriptions that teg brings ----------------------------------- */

START_TEST(every_description_loads_and_bears_its_files_name)
{
    DIR *directory = opendir("config");
    const struct dirent *e;
    uint32_t seen[64], count = 0;

    ck_assert_ptr_nonnull(directory);
    while ((e = readdir(directory)) != NULL) {
        size_t length = strlen(e->d_name);
        char path[300];
        struct teg_gpu *gpu;

        if (length < 5 || strcmp(e->d_name + length - 4, ".cfg") != 0)
            continue;
        snprintf(path, sizeof path, "config/%s", e->d_name);
        gpu = load(path);
        ck_assert_uint_eq(strlen(gpu->name), length - 4);
        ck_assert(strncmp(gpu->name, e->d_name, length - 4) == 0);
        ck_assert(gpu->title[0] != '\0');
        /* at most one GPU stands for a compute capability */
        for (uint32_t i = 0; gpu->default_for != 0 && i < count; i++)
            ck_assert_uint_ne(seen[i], gpu->default_for);
        if (gpu->default_for != 0) {
            ck_assert_uint_eq(gpu->default_for, gpu->chip.compute_capability);
            seen[count++] = gpu->default_for;
        }
        teg_gpu_free(gpu);
    }
    closedir(directory);
    /* 10, 11, 13, 20, 30, 35, 60, 61, 70, 75, 80, 86, 89, 90 */
    ck_assert_uint_ge(count, 14);
}
END_TEST

START_TEST(gtx280_is_the_chip_of_lai13)
{
    struct teg_gpu *gpu = load("config/gtx280.cfg");
    /* Table 3.1; same-warp of SHL from the 28 cycles of clock() */
    static const struct {
        enum teg_op_class c;
        uint32_t latency, interval, same_warp;
    } table[] = {
        {CLASS_IADD, 24, 4, 8},   {CLASS_IMUL16, 24, 4, 8},
        {CLASS_IMAD16, 24, 4, 8}, {CLASS_FADD, 24, 4, 8},
        {CLASS_FMUL, 24, 4, 8},   {CLASS_FMAD, 24, 4, 8},
        {CLASS_DADD, 48, 32, 32}, {CLASS_DMUL, 48, 32, 32},
        {CLASS_DFMA, 48, 32, 32}, {CLASS_SHIFT, 24, 4, 4},
    };

    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const struct teg_timing *t = &gpu->timing[table[i].c];

        ck_assert_uint_eq(t->latency, table[i].latency);
        ck_assert_uint_eq(t->interval, table[i].interval);
        ck_assert_uint_eq(t->same_warp, table[i].same_warp);
    }
    ck_assert_uint_eq(gpu->timing[CLASS_FMUL].unit_count, 2);
    ck_assert_uint_eq(gpu->timing[CLASS_S2R].latency, 24);
    ck_assert_uint_eq(gpu->timing[CLASS_LDS].latency, 38);
    ck_assert_uint_eq(gpu->timing[CLASS_LDG].interval, 4);
    ck_assert_uint_eq(gpu->timing[CLASS_LDG].same_warp, 60);
    ck_assert_uint_eq(gpu->sm.issue_period, 2);
    ck_assert_uint_eq(gpu->chip.sms / gpu->chip.sms_per_cluster, 10);
    ck_assert_str_eq(gpu->unit[gpu->operand_unit].name, "shared");
    /* 74 cycles without a conflict, 266 with 16 in both half warps */
    ck_assert_double_eq_tol(gpu->shared.operand_latency +
                                gpu->shared.conflict_latency * (32 - 2),
                            266, 1e-9);
    teg_gpu_free(gpu);
}
END_TEST

/* (Lai 2013, Eq. 3.2) C_mem = B * latency / (TPCs * 32 * size * clock) */
START_TEST(gtx280_holds_18_double_and_37_single_transactions)
{
    struct teg_gpu *gpu = load("config/gtx280.cfg");
    double bytes =
        gpu->dram.bandwidth_gbs * 1e3 * gpu->dram.latency /
        (gpu->chip.sm_clock_mhz * gpu->chip.sms / gpu->chip.sms_per_cluster);

    ck_assert_uint_eq(gpu->memory.in_flight_bytes, (uint32_t)bytes);
    ck_assert_uint_eq(gpu->memory.in_flight_bytes / (32 * 8), 18);
    ck_assert_uint_eq(gpu->memory.in_flight_bytes / (32 * 4), 37);
    teg_gpu_free(gpu);
}
END_TEST

START_TEST(v100_has_the_units_of_volta)
{
    struct teg_gpu *gpu = load("config/v100.cfg");
    double gflops = 2.0 * 32 / gpu->timing[CLASS_FMAD].interval *
                    gpu->sm.schedulers * gpu->chip.sms *
                    gpu->chip.sm_clock_mhz / 1e3;

    /* 64 lanes x 80 SMs x 2 operations x 1.38 GHz */
    ck_assert_double_eq_tol(gflops, 14131.2, 0.1);
    ck_assert_uint_eq(gpu->timing[CLASS_FADD].latency, 4);
    ck_assert_uint_eq(gpu->timing[CLASS_DADD].latency, 8);
    ck_assert_uint_eq(gpu->l1.latency, 28);
    ck_assert_uint_eq(gpu->l2.latency, 212);
    ck_assert_uint_eq(gpu->dram.latency, 425);
    ck_assert_uint_eq(gpu->dram.channels, 32);
    ck_assert_uint_eq(gpu->default_for, 70);
    teg_gpu_free(gpu);
}
END_TEST

/* (Hong 2012, Tables 2 and 5) */
START_TEST(mwp_cwp_parameters_are_those_of_hong12)
{
    static const struct {
        const char *path;
        uint32_t sms;
        double mem_ld, uncoal, coal, per_mw, bandwidth;
    } list[] = {
        {"config/8800gtx.cfg", 16, 420, 10, 4, 32, 86.4},
        {"config/fx5600.cfg", 16, 420, 10, 4, 32, 76.8},
        {"config/8800gt.cfg", 14, 420, 10, 4, 32, 57.6},
        {"config/gtx280.cfg", 30, 450, 40, 4, 0, 141.7},
    };

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        struct teg_gpu *gpu = load(list[i].path);

        ck_assert_uint_eq(gpu->chip.sms, list[i].sms);
        ck_assert_double_eq(gpu->mwp_cwp.mem_ld, list[i].mem_ld);
        ck_assert_double_eq(gpu->mwp_cwp.departure_del_uncoal, list[i].uncoal);
        ck_assert_double_eq(gpu->mwp_cwp.departure_del_coal, list[i].coal);
        ck_assert_double_eq(gpu->mwp_cwp.uncoal_per_mw, list[i].per_mw);
        ck_assert_double_eq(gpu->mwp_cwp.issue_cycles, 4);
        ck_assert_double_eq(gpu->dram.bandwidth_gbs, list[i].bandwidth);
        ck_assert_double_eq(gpu->m_factor[CLASS_IMUL], 4.3);
        teg_gpu_free(gpu);
    }
}
END_TEST

/* (Hong 2012, Tables 8, 9 and 11) */
START_TEST(power_parameters_are_those_of_hong12)
{
    static const struct {
        enum teg_power_unit_id unit;
        double gtx280;
        enum teg_power_curve_kind curve;
        double gtx580;
    } list[] = {
        {POWER_FP, 0.2, CURVE_LOG, 1.1},
        {POWER_REG, 0.3, CURVE_LOG, 0.8},
        {POWER_ALU, 0.2, CURVE_IDENTITY, -1},
        {POWER_SFU, 0.5, CURVE_IDENTITY, 0.6},
        {POWER_INT, 0.25, CURVE_LOG, 1.1},
        {POWER_FDS, 0.5, CURVE_LOG, 0.6},
        {POWER_SHM, 1, CURVE_IDENTITY, 1.4},
        {POWER_TEX, 0.9, CURVE_LOG, 0.9},
        {POWER_CONST, 0.4, CURVE_LOG, 1.0},
        {POWER_GMEM, 52, CURVE_LOG, 28},
        {POWER_LMEM, 52, CURVE_LOG, -1},
        {POWER_L1, -1, CURVE_IDENTITY, 1.6},
        {POWER_L2, -1, CURVE_IDENTITY, 12},
    };
    struct teg_gpu *tesla = load("config/gtx280.cfg");
    struct teg_gpu *fermi = load("config/gtx580.cfg");

    ck_assert_uint_eq(sizeof list / sizeof list[0], TEG_POWER_UNITS);
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        const struct teg_power_unit *a = &tesla->power_unit[list[i].unit];
        const struct teg_power_unit *b = &fermi->power_unit[list[i].unit];

        ck_assert_int_eq(a->given, list[i].gtx280 >= 0);
        ck_assert_int_eq(b->given, list[i].gtx580 >= 0);
        if (a->given) {
            ck_assert_double_eq(a->max_watts, list[i].gtx280);
            ck_assert_int_eq(a->curve.kind, list[i].curve);
        }
        if (b->given) {
            ck_assert_double_eq(b->max_watts, list[i].gtx580);
            ck_assert_int_eq(b->curve.kind, CURVE_IDENTITY);
        }
    }
    ck_assert_double_eq(tesla->power_unit[POWER_FP].curve.a, 0.1365);
    ck_assert_double_eq(tesla->power_unit[POWER_FP].curve.b, 1.001375);
    ck_assert_double_eq(tesla->power.idle_watts, 83);
    ck_assert_double_eq(tesla->power.const_sm_watts, 0.813);
    ck_assert_uint_eq(tesla->power.core_scaling, CORE_SCALING_LOG);
    ck_assert_double_eq(tesla->thermal.sigma, 10. / 22);
    ck_assert_double_eq(tesla->thermal.rho, 21.505);
    ck_assert_double_eq(fermi->power.idle_watts, 27);
    ck_assert_double_eq(fermi->power.activation_watts, 64);
    ck_assert_uint_eq(fermi->power.core_scaling, CORE_SCALING_LINEAR);
    ck_assert_double_eq(fermi->thermal.rc_rise, 0);
    teg_gpu_free(tesla);
    teg_gpu_free(fermi);
}
END_TEST

START_TEST(power_sections_are_read)
{
    struct teg_gpu *gpu = load(write_changed(
        APPENDED, "power: { idle_watts = (20.5, " SOURCE ");\n"
                  "core_scaling = (\"log\", " SOURCE "); };\n"
                  "power_unit: { fp = (1.5, \"log 0.2 0.9\", " SOURCE ");\n"
                  "l2 = (12, \"table 0:0 0.5:0.75 1:1\", " SOURCE "); };\n"
                  "power_use: { vote = (\"fds\", " SOURCE "); };"));

    ck_assert_double_eq(gpu->power.idle_watts, 20.5);
    ck_assert_uint_eq(gpu->power.core_scaling, CORE_SCALING_LOG);
    ck_assert_double_eq(gpu->power_unit[POWER_FP].max_watts, 1.5);
    ck_assert_double_eq(gpu->power_unit[POWER_FP].curve.a, 0.2);
    ck_assert_double_eq(gpu->power_unit[POWER_FP].curve.b, 0.9);
    ck_assert_int_eq(gpu->power_unit[POWER_L2].curve.kind, CURVE_TABLE);
    ck_assert_uint_eq(gpu->power_unit[POWER_L2].curve.points, 3);
    ck_assert_double_eq(gpu->power_unit[POWER_L2].curve.y[1], 0.75);
    ck_assert_int_eq(gpu->power_unit[POWER_INT].given, 0);
    ck_assert_uint_eq(gpu->power_use[CLASS_VOTE], 1u << POWER_FDS);
    ck_assert_uint_eq(gpu->power_use[CLASS_IADD], 0);
    ck_assert_str_eq(fact_of(gpu, "power_unit.fp")->value, "1.5 log 0.2 0.9");
    ck_assert_str_eq(fact_of(gpu, "power_use.vote")->value, "fds");
    teg_gpu_free(gpu);
}
END_TEST

START_TEST(faulty_power_sections_are_refused)
{
    static const char *const curves[] = {
        "",
        "linear",
        "log 0.1",
        "log 0 1",
        "log 1 2 3",
        "log x y",
        "table",
        "table 0:1",
        "table 0:1 0:2",
        "table 0:1 1:0.5",
        "table -1:0 1:1",
        "table 0-0 1:1",
        "identity 2",
        "table 0:0 1:1 2:1 3:1 4:1 5:1 6:1 7:1 8:1",
        "log nan 1"};
    struct teg_power_curve curve = {.a = 42};

    refuse(APPENDED, "power_unit: { fpu = (1, \"log\", " SOURCE "); };",
           APPENDED, "did you mean 'fp'?");
    refuse(APPENDED, "power_unit: { fp = (-1, \"log\", " SOURCE "); };",
           APPENDED, "expected watts, 0 to 10000, found -1");
    refuse(APPENDED, "power_unit: { fp = (1, \"cubic\", " SOURCE "); };",
           APPENDED, "found \"cubic\"");
    refuse(APPENDED, "power_unit: { fp = (1, " SOURCE "); };", APPENDED,
           "access function");
    refuse(APPENDED, "power_unit: { fp = (1, \"log\", \"none\"); };", APPENDED,
           "class of evidence");
    refuse(APPENDED, "power_use: { vote = (\"fdx\", " SOURCE "); };", APPENDED,
           "found \"fdx\"");
    refuse(APPENDED, "power_use: { votes = (\"fds\", " SOURCE "); };", APPENDED,
           "did you mean 'vote'?");
    refuse(APPENDED, "power: { idle_wats = (1, " SOURCE "); };", APPENDED,
           "did you mean 'idle_watts'?");
    for (size_t i = 0; i < sizeof curves / sizeof curves[0]; i++)
        ck_assert_msg(!teg_power_curve_parse(curves[i], &curve), "accepted: %s",
                      curves[i]);
    ck_assert_double_eq(curve.a, 42);
}
END_TEST

/* (Hong 2012, Table 7): its register-file row omits st_shared and fma. */
START_TEST(every_class_accesses_components)
{
    for (enum teg_op_class c = 0; c < TEG_CLASSES; c++) {
        uint32_t decided = teg_power_use_default(c, 0);
        uint32_t printed = teg_power_use_default(c, 1);
        int omitted = c == CLASS_STS || c == CLASS_DFMA;

        ck_assert_msg(decided & 1u << POWER_FDS, "%s",
                      teg_op_class_facts(c)->key);
        ck_assert_uint_eq(decided & ~printed, omitted ? 1u << POWER_REG : 0);
        ck_assert_uint_eq(printed & ~decided, 0);
    }
    ck_assert_uint_eq(teg_power_use_default(CLASS_LDG, 0),
                      1u << POWER_GMEM | 1u << POWER_REG | 1u << POWER_FDS);
    ck_assert_uint_eq(teg_power_use_default(CLASS_FMAD, 0),
                      1u << POWER_FP | 1u << POWER_REG | 1u << POWER_FDS);
    ck_assert_uint_eq(teg_power_use_default(CLASS_BARRIER, 0), 1u << POWER_FDS);
    ck_assert_uint_eq(teg_power_use_parse("fds nothing"), 0);
    ck_assert_uint_eq(teg_power_use_parse(""), 0);
}
END_TEST

/* What a thread instruction of each kind costs per SM and cycle, from the
 * lanes that NVIDIA's programming guides give. */
START_TEST(rates_follow_the_lanes)
{
    static const struct {
        const char *path;
        enum teg_op_class c;
        double lanes; /* per SM */
    } list[] = {
        {"config/fx5600.cfg", CLASS_FMAD, 8},
        {"config/gtx580.cfg", CLASS_FMAD, 32},
        {"config/gtx580.cfg", CLASS_SFU, 4},
        {"config/gtx1080ti.cfg", CLASS_FMAD, 128},
        {"config/gtx1080ti.cfg", CLASS_DFMA, 4},
        {"config/v100.cfg", CLASS_FMAD, 64},
        {"config/v100.cfg", CLASS_DFMA, 32},
        {"config/v100.cfg", CLASS_SFU, 16},
        {"config/t4.cfg", CLASS_FMAD, 64},
        {"config/t4.cfg", CLASS_DFMA, 2},
        {"config/rtx2080ti.cfg", CLASS_SFU, 16},
        {"config/a100.cfg", CLASS_FMAD, 64},
        {"config/a100.cfg", CLASS_DFMA, 32},
        {"config/h100pcie.cfg", CLASS_FMAD, 128},
        {"config/h100pcie.cfg", CLASS_DFMA, 64},
        /* 192 lanes, of which 132 can be issued to (Lai 2013, Table 4.1) */
        {"config/gtx680.cfg", CLASS_FMAD, 128},
        {"config/gtx680.cfg", CLASS_IMAD, 32},
        {"config/gtx680.cfg", CLASS_LDS, 32},
        {"config/gtx680.cfg", CLASS_DFMA, 8},
        {"config/k20.cfg", CLASS_DFMA, 64},
        {"config/p100.cfg", CLASS_FMAD, 64},
        {"config/p100.cfg", CLASS_DFMA, 32},
        {"config/titanxp.cfg", CLASS_DFMA, 4},
        {"config/gtx1650.cfg", CLASS_FMAD, 64},
        {"config/rtx2070super.cfg", CLASS_IADD, 64},
        {"config/rtx3070.cfg", CLASS_FMAD, 128},
        {"config/rtx3070.cfg", CLASS_IADD, 64},
        {"config/a6000.cfg", CLASS_DFMA, 2},
        {"config/rtx4090.cfg", CLASS_FMAD, 128},
        {"config/rtx4090.cfg", CLASS_SFU, 16},
        {"config/h200.cfg", CLASS_DFMA, 64},
    };

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        struct teg_gpu *gpu = load(list[i].path);
        const struct teg_timing *t = &gpu->timing[list[i].c];
        double sets = 0;

        for (uint32_t k = 0; k < t->unit_count; k++) {
            const struct teg_unit *u = &gpu->unit[t->unit[k]];

            sets +=
                u->count *
                (u->scope == UNIT_SCOPE_SM ? 1 : (double)gpu->sm.schedulers);
        }
        ck_assert_msg(32.0 / t->interval * sets == list[i].lanes, "%s %s",
                      list[i].path, teg_op_class_facts(list[i].c)->key);
        teg_gpu_free(gpu);
    }
}
END_TEST

static void make_folder(void)
{
    if (mkdtemp(folder) == NULL)
        abort();
}

static void remove_folder(void)
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

int main(void)
{
    const TTest *const tests[] = {
        required_values_suffice,
        class_without_a_row_takes_its_fallbacks_timing,
        facts_name_value_source_and_line,
        optional_parts_are_read,
        units_have_scope_count_and_capacity,
        faulty_values_are_refused_at_their_line,
        faulty_units_are_refused_at_their_line,
        faulty_carveouts_are_refused_at_their_line,
        missing_values_are_named,
        contradictions_are_refused_at_the_line_of_the_value,
        files_that_cannot_be_read_are_refused,
        included_files_count_as_their_own,
        chip_overrides_its_family,
        cut_descriptions_never_crash,
        flipped_descriptions_never_crash,
        set_changes_one_value,
        set_refuses_what_the_loader_refuses,
        copy_is_independent,
        every_description_loads_and_bears_its_files_name,
        gtx280_is_the_chip_of_lai13,
        gtx280_holds_18_double_and_37_single_transactions,
        v100_has_the_units_of_volta,
        mwp_cwp_parameters_are_those_of_hong12,
        power_parameters_are_those_of_hong12,
        power_sections_are_read,
        faulty_power_sections_are_refused,
        every_class_accesses_components,
        rates_follow_the_lanes,
    };
    Suite *suite = suite_create("gpu");
    TCase *tcase = tcase_create("gpu");
    SRunner *runner;
    int failed;

    make_folder();
    tcase_set_timeout(tcase, 120);
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    remove_folder();
    return failed ? 1 : 0;
}
