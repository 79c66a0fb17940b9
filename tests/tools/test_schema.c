/*
 * docs/schema.json against what the commands print.  A checker for the words
 * of JSON Schema that stand there; stricter than the standard in one thing: a
 * member that the schema does not list is a fault, so that none is forgotten.
 */
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/collect/counters.h"
#include "tests/help_suite.h"

static json_t *schema;
static char fault[512];

/* ---- the checker ------------------------------------------------------------------ */

static int wrong(const char *path, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static int wrong(const char *path, const char *format, ...)
{
    int used = snprintf(fault, sizeof fault, "%s: ", path);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(fault + used, sizeof fault - (size_t)used, format, arguments);
    va_end(arguments);
    return 0;
}

static const char *type_of(const json_t *v)
{
    static const char *const names[] = {
        [JSON_OBJECT] = "object", [JSON_ARRAY] = "array",
        [JSON_STRING] = "string", [JSON_INTEGER] = "integer",
        [JSON_REAL] = "number",   [JSON_TRUE] = "boolean",
        [JSON_FALSE] = "boolean", [JSON_NULL] = "null",
    };

    return names[json_typeof(v)];
}

static int type_matches(const json_t *v, const json_t *type)
{
    const char *name = json_string_value(type);

    return strcmp(type_of(v), name) == 0 ||
           (json_is_integer(v) && strcmp(name, "number") == 0);
}

static int check_type(const json_t *v, const json_t *type, const char *path)
{
    size_t i;
    json_t *one;

    if (json_is_string(type) && type_matches(v, type))
        return 1;
    json_array_foreach(type, i, one)
    {
        if (type_matches(v, one))
            return 1;
    }
    return wrong(path, "is %s", type_of(v));
}

static int matches(const json_t *v, json_t *s, const char *path);

static int check_object(json_t *v, json_t *s, const char *path)
{
    json_t *properties = json_object_get(s, "properties"), *member, *name;
    json_t *others = json_object_get(s, "additionalProperties");
    char longer[256];
    const char *key;
    size_t i;

    json_array_foreach(json_object_get(s, "required"), i, name)
    {
        if (json_object_get(v, json_string_value(name)) == NULL)
            return wrong(path, "lacks '%s'", json_string_value(name));
    }
    json_object_foreach(v, key, member)
    {
        json_t *sub = json_object_get(properties, key);

        if (sub == NULL)
            sub = others;
        if (sub == NULL)
            return wrong(path, "'%s' is not in the schema", key);
        snprintf(longer, sizeof longer, "%.180s.%.60s", path, key);
        if (!json_is_true(sub) && !matches(member, sub, longer))
            return 0;
    }
    return 1;
}

static int check_array(json_t *v, json_t *s, const char *path)
{
    json_t *least = json_object_get(s, "minItems");
    json_t *most = json_object_get(s, "maxItems");
    json_t *items = json_object_get(s, "items"), *item;
    size_t i;

    if ((least != NULL &&
         (json_int_t)json_array_size(v) < json_integer_value(least)) ||
        (most != NULL &&
         (json_int_t)json_array_size(v) > json_integer_value(most)))
        return wrong(path, "has %zu items", json_array_size(v));
    json_array_foreach(v, i, item)
    {
        char longer[256];

        snprintf(longer, sizeof longer, "%.230s[%zu]", path, i);
        if (items != NULL && !matches(item, items, longer))
            return 0;
    }
    return 1;
}

/* "#/$defs/name" */
static json_t *definition(const char *ref)
{
    json_t *d = NULL;

    if (strncmp(ref, "#/$defs/", 8) == 0)
        d = json_object_get(json_object_get(schema, "$defs"), ref + 8);
    ck_assert_msg(d != NULL, "the schema has no %s", ref);
    return d;
}

static int matches_any(json_t *v, json_t *any, const char *path)
{
    size_t i;
    json_t *one;

    json_array_foreach(any, i, one)
    {
        if (matches(v, one, path))
            return 1;
    }
    return 0; /* the fault of the last */
}

static int matches(const json_t *value, json_t *s, const char *path)
{
    json_t *v = (json_t *)(size_t)value;
    json_t *ref = json_object_get(s, "$ref"), *type;
    json_t *any = json_object_get(s, "anyOf");

    if (any != NULL)
        return matches_any(v, any, path);
    if (ref != NULL)
        return matches(v, definition(json_string_value(ref)), path);
    type = json_object_get(s, "type");
    if (type != NULL && !check_type(v, type, path))
        return 0;
    if (json_is_object(v))
        return check_object(v, s, path);
    return json_is_array(v) ? check_array(v, s, path) : 1;
}

/* ---- files ------------------------------------------------------------------------ */

static char directory[] = "/tmp/teg-test-XXXXXX";

static void write_text(const char *name, const char *text)
{
    char path[128];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", directory, name);
    f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    ck_assert_int_eq(fclose(f), 0);
}

/* `$D` in `arguments` is the directory. */
static FILE *teg(const char *arguments, const char *tail)
{
    const char *build = getenv("BUILD");
    char command[640];
    FILE *f;

    snprintf(command, sizeof command, "D=%s; %s/teg %s%s 2>/dev/null",
             directory, build != NULL ? build : "build/release", arguments,
             tail);
    f = popen(command, "r");
    ck_assert_ptr_nonnull(f);
    return f;
}

static void set_up(void)
{
    json_error_t error;

    schema = json_load_file("docs/schema.json", 0, &error);
    ck_assert_msg(schema != NULL, "docs/schema.json: line %d: %s", error.line,
                  error.text);
    ck_assert_ptr_nonnull(mkdtemp(directory));
    write_text("measured.csv", "kernel,Duration (us),cycles,hw\ntwo,5,900,1\n");
    write_text("two.sketch", "sketch 1\nkernel \"two\"\nisa sm_70\ngrid 2\n"
                             "block 64\nLDG R4, [R2 : 4*gtid]\n"
                             "FADD R5, R4, R4\nSTG [R2 : 4*gtid], R5\nEXIT\n");
    write_text("kernelslist.g", "two.tegt\ntwo.tegt\n");
    write_text("kernels.json",
               "{\"kernels\": [{\"trace\": \"two.sketch\"}, "
               "{\"trace\": \"two.sketch\", \"launches\": 3}]}");
    pclose(teg("convert $D/two.sketch $D/two.tegt", ""));
}

static void tear_down(void)
{
    static const char *const names[] = {
        "two.sketch",   "two.tegt",   "measured.csv", "kernelslist.g",
        "kernels.json", "index.html", "kernel-1.html"};
    char path[128];

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, names[i]);
        unlink(path);
    }
    rmdir(directory);
    json_decref(schema);
}

static const struct {
    const char *definition, *arguments;
} commands[] = {
    {"result", "run $D/two.sketch -g v100 -f json"},
    {"result", "run $D/two.sketch -g v100 --by-pc -f json"},
    {"result", "run $D/two.sketch -g v100 --ranking -f json"},
    {"result", "run $D/two.sketch -g a100 --what-if coalesced -f json"},
    {"result", "run tests/kernels/gt200/fadd_chain.sketch -g gtx280 -f json"},
    {"result", "run tests/kernels/gt200/matmul_abt.sketch -g gtx280 --sms 2 "
               "--by-pc -f json"},
    {"result", "run tests/kernels/sm70/reduction.sketch -g t4 -f json"},
    {"results", "run $D/kernels.json -g v100 -f json"},
    {"results", "run $D/kernelslist.g -g v100 -f json"},
    {"whatif", "whatif $D/two.sketch -g v100 -f json"},
    {"profile", "profile $D/kernels.json -g v100 -o $D -f json"},
    {"program", "program $D/kernels.json -g v100 -f json"},
    {"timeline", "timeline $D/two.sketch -g v100 -f json"},
    {"timeline", "timeline $D/two.sketch -g v100 --cycles 0:99 -f json"},
    {"critical", "timeline $D/two.sketch -g v100 --critical -f json"},
    {"compare", "compare $D/two.sketch $D/measured.csv -g v100 -f json"},
    {"diff", "diff $D/two.sketch -g v100 --against t4 -f json"},
    {"diff", "diff $D/two.sketch $D/two.sketch -g v100 --all -f json "
             "--fail-if 'cycles>1'"},
    {"info", "info $D/two.sketch -f json"},
    {"info", "info $D/kernelslist.g -f json"},
    {"info_code", "info tests/fixtures/run.sm_80.cubin -g a100 -f json"},
    {"info_code", "info tests/fixtures/block.fatbin -f json"},
    {"info_code", "info tests/fixtures/lines.sm_75.nvdisasm.sass -f json"},
    {"check", "check $D/two.sketch -g v100 -f json"},
    {"features", "features $D/two.sketch --all -f json"},
    {"vliw", "model $D/two.sketch --vliw -f json"},
    {"predict", "predict $D/two.sketch -m tests/golden/small.forest -f json"},
    {"check", "check $D/two.sketch -g a100 -f json"},
    {"gpus", "gpus -f json"},
    {"gpu_values", "gpus gtx280 -f json"},
    {"gpu_values", "gpus v100 -f json"},
    {"model", "model $D/two.sketch -g v100 -f json"},
    {"models", "model $D/kernelslist.g -g v100 -f json"},
    {"model_by_hand",
     "model -g gtx280 --set threads_per_block=128,blocks=80 "
     "--set active_blocks_per_sm=5,comp_insts=27,active_sms=30 "
     "--set uncoal_mem_insts=6,synch_insts=6 -f json"},
    {"power", "power $D/two.sketch -g gtx280 -f json"},
    {"power", "power $D/two.sketch -g gtx580 --sweep off -f json"},
    {"power", "power -g gtx280 --set exec_cycles=1000,active_sms=30 "
              "--set threads_per_block=128,blocks=80 -f json"},
    {"powers", "power $D/kernelslist.g -g gtx280 -f json"},
    {"powers", "power $D/kernelslist.g -g gtx580 -f json"},
    {"power_split", "power --split perf_cpu_gflops=50,perf_gpu_gflops=500 "
                    "-f json"},
    {"power_efficiency", "power --efficiency c_g=30 -f json"},
    {"power_placement", "power -g 8800gt --placement 0-7,0-1 -f json"},
    {"bound", "bound $D/two.sketch -g v100 -f json"},
    {"bounds", "bound $D/kernelslist.g -g v100 -f json"},
    {"bound_sgemm", "bound sgemm -g gtx680 -f json"},
    {"bound_sgemm", "bound sgemm -g v100 -f json"},
    {"bound_flow", "bound lattice-qcd -g cell -f json"},
    {"bound_flow", "bound docs/examples/lattice-qcd.flow -f json"},
    {"bound_flow", "bound docs/examples/matmul.flow -g a100 -f json"},
    {"sweep_row", "sweep $D/two.sketch -g v100 --vary sm.warps_max=16 -f json"},
    {"sweep_row", "sweep tests/kernels/sm70/stream.sketch -g v100 -f json"},
};

START_TEST(what_a_command_prints_is_in_the_schema)
{
    char ref[64];
    json_error_t error;
    FILE *f = teg(commands[_i].arguments, "");
    json_t *v = json_loadf(f, JSON_DISABLE_EOF_CHECK, &error);

    pclose(f);
    ck_assert_msg(v != NULL, "%s: %s", commands[_i].arguments, error.text);
    snprintf(ref, sizeof ref, "#/$defs/%s", commands[_i].definition);
    ck_assert_msg(matches(v, definition(ref), ""), "%s: %s",
                  commands[_i].arguments, fault);
    json_decref(v);
}
END_TEST

/* A checker that finds nothing would be no check. */
START_TEST(the_checker_finds_faults)
{
    json_error_t error;
    FILE *f = teg("run $D/two.sketch -g v100 -f json", "");
    json_t *v = json_loadf(f, 0, &error), *s = definition("#/$defs/result");

    pclose(f);
    ck_assert_ptr_nonnull(v);
    ck_assert(matches(v, s, ""));
    json_object_set_new(v, "surprise", json_integer(1));
    ck_assert(!matches(v, s, ""));
    ck_assert_str_eq(fault, ": 'surprise' is not in the schema");
    json_object_del(v, "surprise");
    json_object_set_new(v, "cycles", json_string("many"));
    ck_assert(!matches(v, s, ""));
    ck_assert_str_eq(fault, ".cycles: is string");
    json_object_del(v, "cycles");
    ck_assert(!matches(v, s, ""));
    ck_assert_str_eq(fault, ": lacks 'cycles'");
    json_object_set_new(v, "cycles", json_integer(1));
    json_array_append_new(json_object_get(json_object_get(v, "kernel"), "grid"),
                          json_integer(1));
    ck_assert(!matches(v, s, ""));
    ck_assert_str_eq(fault, ".kernel.grid: has 4 items");
    json_decref(v);
}
END_TEST

/* Every kind of answer that the schema names is held against one. */
START_TEST(every_answer_of_the_schema_is_checked)
{
    size_t i;
    json_t *one;

    json_array_foreach(json_object_get(schema, "anyOf"), i, one)
    {
        const char *ref = json_string_value(json_object_get(one, "$ref"));
        size_t used = 0;

        definition(ref);
        for (size_t c = 0; c < sizeof commands / sizeof *commands; c++)
            used +=
                strcmp(ref + strlen("#/$defs/"), commands[c].definition) == 0;
        ck_assert_msg(used > 0, "no command is held against %s", ref);
    }
    ck_assert_int_gt(json_array_size(json_object_get(schema, "anyOf")), 20);
}
END_TEST

/* ---- teg explain knows every name --------------------------------------------- */

/* What `teg explain` lists, as the keys of an object. */
static json_t *explained(void)
{
    FILE *f = teg("explain", "");
    json_t *known = json_object();
    char line[256];

    while (fgets(line, sizeof line, f) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "  ", 2) == 0)
            json_object_set_new(known, line + 2, json_true());
    }
    pclose(f);
    ck_assert_uint_gt(json_object_size(known), 500);
    return known;
}

static void check_known(json_t *known, const char *name, const char *where)
{
    ck_assert_msg(json_object_get(known, name) != NULL,
                  "teg explain lacks '%s' of %s: a name in JSON is a row of "
                  "tools/teg/report/json_words.def, a counter one of "
                  "sim/collect/counters.def, a term one of its model's .def",
                  name, where);
}

static void check_schema_names(json_t *known, json_t *s, const char *where)
{
    const char *key;
    json_t *member;
    size_t i;

    json_object_foreach(json_object_get(s, "properties"), key, member)
    {
        check_known(known, key, where);
        check_schema_names(known, member, where);
    }
    json_array_foreach(json_object_get(s, "anyOf"), i, member)
        check_schema_names(known, member, where);
    member = json_object_get(s, "items");
    if (member != NULL)
        check_schema_names(known, member, where);
    member = json_object_get(s, "additionalProperties");
    if (json_is_object(member))
        check_schema_names(known, member, where);
}

START_TEST(every_name_in_json_is_explained)
{
    json_t *known = explained(), *s;
    const char *name;

    json_object_foreach(json_object_get(schema, "$defs"), name, s)
        check_schema_names(known, s, name);
    json_decref(known);
}
END_TEST

/* Objects whose members are terms, units or reasons of the kernel. */
static size_t check_terms(json_t *known, json_t *v, const char *where)
{
    static const char *const of_terms[] = {"terms", "machine", "split"};
    const char *key, *term;
    json_t *member, *value;
    size_t i, found = 0;

    json_array_foreach(v, i, member) found += check_terms(known, member, where);
    json_object_foreach(v, key, member)
    {
        found += check_terms(known, member, where);
        if (strcmp(key, "units") == 0) {
            json_array_foreach(member, i, value) check_known(
                known, json_string_value(json_object_get(value, "name")),
                where);
        }
        for (size_t k = 0; k < 3; k++) {
            if (strcmp(key, of_terms[k]) != 0)
                continue;
            json_object_foreach(member, term, value)
            {
                check_known(known, term, where);
                found++;
            }
        }
    }
    return found;
}

START_TEST(every_term_that_a_model_prints_is_explained)
{
    json_t *known = explained();
    size_t found = 0;

    for (size_t c = 0; c < sizeof commands / sizeof *commands; c++) {
        FILE *f = teg(commands[c].arguments, "");
        json_t *v = json_loadf(f, JSON_DISABLE_EOF_CHECK, NULL);

        pclose(f);
        found += check_terms(known, v, commands[c].arguments);
        json_decref(v);
    }
    ck_assert_uint_gt(found, 500);
    json_decref(known);
}
END_TEST

/* ---- counters ----------------------------------------------------------------- */

/* The schema of the object that the kind's counters are printed in. */
static json_t *schema_of(enum teg_counter_kind kind)
{
    static const char *const refs[] = {
        [COUNTER_KERNEL] = "#/$defs/kernel",
        [COUNTER_MEMORY] = "#/$defs/memory",
        [COUNTER_RUN] = "#/$defs/result",
        [COUNTER_PER_CLASS] = NULL, /* none is printed */
        [COUNTER_PER_STALL] = "#/$defs/stalls",
        [COUNTER_PER_UNIT] = "#/$defs/units",
    };
    json_t *s = definition(refs[kind]), *items = json_object_get(s, "items");

    return items != NULL ? items : s;
}

static int is_required(json_t *s, const char *name)
{
    size_t i;
    json_t *one;

    json_array_foreach(json_object_get(s, "required"), i, one)
    {
        if (strcmp(json_string_value(one), name) == 0)
            return 1;
    }
    return 0;
}

/* `text` has it in code quotes, alone or as a member of something. */
static int has_name(const char *text, const char *name)
{
    char alone[80], member[80];

    snprintf(alone, sizeof alone, "`%s`", name);
    snprintf(member, sizeof member, ".%s`", name);
    return strstr(text, alone) != NULL || strstr(text, member) != NULL;
}

static int is_explained(const struct teg_counter *c)
{
    char arguments[80], line[400], first[160];
    int found = 0;
    FILE *f;

    snprintf(arguments, sizeof arguments, "explain %s", c->json);
    snprintf(first, sizeof first, "%s (counter; in JSON: %s)\n", c->json,
             teg_counter_kind_name(c->kind));
    f = teg(arguments, "");
    while (fgets(line, sizeof line, f) != NULL)
        found |= strcmp(line, first) == 0;
    return pclose(f) == 0 && found;
}

static char *read_all(const char *path)
{
    static char text[1 << 16];
    FILE *f = fopen(path, "r");
    size_t size;

    ck_assert_ptr_nonnull(f);
    size = fread(text, 1, sizeof text - 1, f);
    ck_assert_uint_lt(size, sizeof text - 1);
    fclose(f);
    text[size] = '\0';
    return text;
}

/* A counter with a name is in the schema, always there, an integer; in
 * docs/json.md; and explained. */
START_TEST(every_counter_that_is_printed_has_its_places)
{
    const char *page = read_all("docs/json.md");
    uint32_t count, printed = 0;
    const struct teg_counter *c = teg_counters(&count);

    for (uint32_t i = 0; i < count; i++) {
        json_t *s, *type;

        if (c[i].json[0] == '\0')
            continue;
        s = schema_of(c[i].kind);
        type = json_object_get(
            json_object_get(json_object_get(s, "properties"), c[i].json),
            "type");
        ck_assert_msg(type != NULL &&
                          strcmp(json_string_value(type), "integer") == 0 &&
                          is_required(s, c[i].json),
                      "%s is no required integer of the schema", c[i].json);
        ck_assert_msg(has_name(page, c[i].json), "%s is not in docs/json.md",
                      c[i].json);
        ck_assert_msg(is_explained(&c[i]), "teg explain lacks %s", c[i].json);
        printed++;
    }
    ck_assert_uint_gt(printed, 20);
}
END_TEST

/* The other way round: no number of these objects is counted elsewhere. */
START_TEST(every_count_of_memory_stalls_and_units_is_a_counter)
{
    static const enum teg_counter_kind kinds[] = {
        COUNTER_MEMORY, COUNTER_PER_STALL, COUNTER_PER_UNIT};
    uint32_t count;
    const struct teg_counter *c = teg_counters(&count);

    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const char *name;
        json_t *member, *s = schema_of(kinds[k]);

        json_object_foreach(json_object_get(s, "properties"), name, member)
        {
            json_t *type = json_object_get(member, "type");
            uint32_t rows = 0;

            for (uint32_t i = 0; i < count; i++)
                rows += c[i].kind == kinds[k] && strcmp(c[i].json, name) == 0;
            ck_assert_msg(rows ==
                              (json_is_string(type) &&
                               strcmp(json_string_value(type), "integer") == 0),
                          "%s of the schema has %u rows", name, rows);
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tools/schema");
    TCase *tc = tcase_create("schema");
    SRunner *runner;
    int failed;

    tcase_add_unchecked_fixture(tc, set_up, tear_down);
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, what_a_command_prints_is_in_the_schema, 0,
                        (int)(sizeof commands / sizeof commands[0]));
    tcase_add_test(tc, the_checker_finds_faults);
    tcase_add_test(tc, every_answer_of_the_schema_is_checked);
    tcase_add_test(tc, every_name_in_json_is_explained);
    tcase_add_test(tc, every_term_that_a_model_prints_is_explained);
    tcase_add_test(tc, every_counter_that_is_printed_has_its_places);
    tcase_add_test(tc, every_count_of_memory_stalls_and_units_is_a_counter);
    suite_add_tcase(suite, tc);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
