/*
 * GPU descriptions: what the loader takes, what it refuses and where.
 *
 * Runs from the top of the tree; descriptions of its own go to a temporary
 * folder.
 */
#include "tests/config/description.h"

/* libconfig 1.5 loses a string of 64 bytes when a syntax error follows it
 * directly; the leak sanitizer asks here. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(
    void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libconfig.so";
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

START_TEST(units_have_scope_count_capacity_and_queue)
{
    struct teg_gpu *gpu = load(write_changed(
        18, "units = ( { name = \"a\"; scope = \"sm\"; count = 2; "
            "capacity = 3; source = " SOURCE "; }, { name = \"u\"; "
            "scope = \"scheduler\"; count = 1; queue = 4; source = " SOURCE
            "; } ); tag_unit = \"a\";"));

    ck_assert_uint_eq(gpu->unit_count, 2);
    ck_assert_uint_eq(gpu->tag_unit, 0);
    ck_assert_uint_eq(gpu->unit[0].queue, 0);
    ck_assert_uint_eq(gpu->unit[1].queue, 4);
    ck_assert_str_eq(fact_of(gpu, "unit.a")->value, "2 per SM, capacity 3");
    ck_assert_str_eq(fact_of(gpu, "unit.u")->value,
                     "1 per scheduler, capacity 0, queue 4");
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
        {APPENDED, "tag_unit = \"w\";", APPENDED, "unknown unit 'w'"},
        {APPENDED, "m_factor: { imull = (2, " SOURCE "); };", APPENDED,
         "did you mean 'imul'"},
        /* syntax: libconfig's own words */
        {6, "warps_max = (32, " SOURCE ";", 6, "syntax error"},
        {6, "warps_max = (32, \"I test);", 7, "found a string"},
        {6, "warps_max = (32, " SOURCE "); warps_max = (32, " SOURCE ");", 6,
         "duplicate"},
        {APPENDED, "sm: { };", APPENDED, "duplicate"},
        /* groups */
        {APPENDED, "l1 = 3;", APPENDED, "expected a group"},
        {APPENDED, "m_factor = 3;", APPENDED, "expected a group"},
        {APPENDED, "m_factor: { imul = (-2, " SOURCE "); };", APPENDED,
         "0 to 1000000"},
        {APPENDED, "m_factor: { imul = 2; };", APPENDED, "expected ( factor"},
        {APPENDED, "l2: { half_sms = (0, " SOURCE "); };", APPENDED,
         "whole number, 1 to 1024 SMs"},
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
        {19, "tag_unit = \"u\"; timing: { iadd = (\"u\", 4, 2, 1, " SOURCE ");",
         "another unit than tag_unit"},
        {18,
         "units = ( { name = \"u\"; scope = \"sm\"; count = 1; queue = 2; "
         "source = " SOURCE "; } ); operand_unit = \"u\";",
         "no queue in front of the operand_unit"},
        {18,
         "units = ( { name = \"u\"; scope = \"sm\"; count = 1; queue = 2; "
         "capacity = 3; source = " SOURCE "; } );",
         "expected a queue or a capacity"},
        {APPENDED, "shared: { operand_latency = (74, " SOURCE "); };",
         "operand_unit"},
        {17,
         "latency = (400, " SOURCE "); interleave_bytes = (257, " SOURCE
         "); };",
         "power of two"},
        {APPENDED,
         "l2: { bytes = (6291456, " SOURCE "); slices = (5, " SOURCE "); };",
         "multiple of 10240 bytes"},
        {APPENDED,
         "l2: { bytes = (20480, " SOURCE "); slices = (5, " SOURCE
         "); piece_bytes = (1024, " SOURCE "); };",
         "share evenly, found 5"},
        {APPENDED,
         "l2: { bytes = (6291456, " SOURCE "); slices = (16, " SOURCE
         "); piece_bytes = (192, " SOURCE "); };",
         "a line in each"},
        {APPENDED,
         "l2: { bytes = (6291456, " SOURCE "); slices = (16, " SOURCE
         "); piece_bytes = (2048, " SOURCE "); latency = (200, " SOURCE
         "); far_latency = (300, " SOURCE "); };",
         "expected 0, for l2.far_latency"},
        {APPENDED, "l2: { half_bytes = (4160, " SOURCE "); };",
         "l2.half_bytes: expected a multiple of the 128 bytes of a line"},
        {APPENDED, "l2: { atomic_bytes = (384, " SOURCE "); };",
         "l2.atomic_bytes: expected a power of two, found 384"},
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
        {APPENDED, "tensor: { latency_128 = (18, " SOURCE "); };", "found 18"},
        {APPENDED,
         "tensor: { latency_128 = (26, " SOURCE "); latency_256 = (25, " SOURCE
         "); };",
         "no more than its 25 cycles"},
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
        {APPENDED,
         "constant: { l1_bytes = (2048, " SOURCE "); line_bytes = (96, " SOURCE
         "); };",
         "power of two"},
        {APPENDED, "constant: { l1_bytes = (640, " SOURCE "); };",
         "multiple of a set's 256 bytes, found 640"},
        {APPENDED, "constant: { l1_bytes = (2048, " SOURCE "); };",
         "expected constant.l15_bytes behind it"},
        {APPENDED,
         "constant: { l1_bytes = (2048, " SOURCE "); l15_bytes = (640, " SOURCE
         "); };",
         "multiple of a set's 1024 bytes, found 640"},
        {APPENDED,
         "constant: { l1_bytes = (2048, " SOURCE "); l15_bytes = (8192, " SOURCE
         "); l15_latency = (1, " SOURCE "); };",
         "cycles of timing.ldc, found 1"},
        {APPENDED,
         "constant: { l1_bytes = (2048, " SOURCE "); l15_bytes = (8192, " SOURCE
         "); l15_latency = (9000, " SOURCE "); };",
         "at most the 0 cycles of constant.miss_latency, found 9000"},
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
    snprintf(family + used, sizeof family - used,
             "compared = \"one kernel\";\ndefault_for = (99, " SOURCE ");\n");
    write_file("base.cfg", family);
    gpu = load(path_of("base.cfg"));
    ck_assert_str_eq(gpu->compared, "one kernel");
    ck_assert_uint_eq(gpu->default_for, 99);
    teg_gpu_free(gpu);
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
    /* what the base alone was compared with and stands for */
    ck_assert_str_eq(gpu->compared, "");
    ck_assert_uint_eq(gpu->default_for, 0);
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

int main(void)
{
    const struct help_test tests[] = {
        {required_values_suffice, 0},
        {class_without_a_row_takes_its_fallbacks_timing, 0},
        {facts_name_value_source_and_line, 0},
        {optional_parts_are_read, 0},
        {units_have_scope_count_capacity_and_queue, 0},
        {faulty_values_are_refused_at_their_line, 0},
        {faulty_units_are_refused_at_their_line, 0},
        {faulty_carveouts_are_refused_at_their_line, 0},
        {missing_values_are_named, 0},
        {contradictions_are_refused_at_the_line_of_the_value, 0},
        {files_that_cannot_be_read_are_refused, 0},
        {included_files_count_as_their_own, 0},
        {chip_overrides_its_family, 0},
        {cut_descriptions_never_crash, 0},
        {flipped_descriptions_never_crash, 0},
    };

    return run_in_folder("gpu", tests, sizeof tests / sizeof *tests);
}
