/* kernels.json, in a directory of its own. */
#include "traces/list/kernelsjson.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/help_dump.h"
#include "tests/help_suite.h"

static const char sketch[] = "sketch 1\nkernel \"one\"\nisa sm_70\ngrid 2\n"
                             "block 32\nFADD R5, R4, R4\nEXIT\n";
static char directory[] = "/tmp/teg-test-XXXXXX";
static char path[64];

static const char *path_of(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static void write_bytes(const char *name, const char *bytes, size_t size)
{
    FILE *f = fopen(path_of(name), "wb");

    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(bytes, 1, size, f), size);
    fclose(f);
}

static void setup(void)
{
    strcpy(directory, "/tmp/teg-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    write_bytes("a.sketch", sketch, strlen(sketch));
}

static void teardown(void)
{
    unlink(path_of("a.sketch"));
    unlink(path_of("list"));
    rmdir(directory);
}

static teg_status open_list(const char *text, struct teg_trace **trace,
                            struct teg_diag *d)
{
    write_bytes("list", text, strlen(text));
    return teg_trace_open(path_of("list"), NULL, trace, d);
}

START_TEST(a_list_says_its_launches)
{
    struct teg_trace *trace;
    struct teg_launch launch;
    struct help_totals totals;
    struct teg_diag d = {0};

    ck_assert_msg(
        open_list(" \n{\"teg\": {\"schema\": 1, \"more\": []}, \"kernels\": [\n"
                  "{\"trace\": \"a.sketch\", \"name\": \"one\", \"launch\": 4,"
                  " \"grid\": [2,1,1], \"unheard\": {\"of\": null}},\n"
                  "{\"launches\": 4294967295, \"trace\": \"./a.sketch\"}]}\n",
                  &trace, &d) == TEG_OK,
        "%s: %s", d.where, d.what);
    ck_assert_int_eq(teg_trace_format(trace), TRACE_JSON);
    ck_assert(teg_trace_is_list(trace));
    ck_assert_uint_eq(teg_trace_kernels(trace), 2);
    ck_assert_uint_eq(teg_trace_kernel_launches(trace, 0), 1);
    ck_assert_uint_eq(teg_trace_kernel_launches(trace, 1), UINT32_MAX);
    ck_assert_str_eq(teg_trace_kernel_label(trace, 1), "./a.sketch");
    ck_assert_int_eq(teg_trace_launch(trace, 1, &launch, &d), TEG_OK);
    ck_assert_str_eq(launch.kernel->name, "one");
    ck_assert_int_eq(help_walk(&launch, &totals, &d), TEG_OK);
    ck_assert_uint_eq(totals.insts, 4);
    launch.close(launch.self);
    teg_trace_close(trace);
}
END_TEST

#define NEW \
    "{\"teg\": {\"schema\": 3}, \"kernels\": [{\"trace\": \"a.sketch\"}], "
#define ONE \
    "{\"teg\": {\"schema\": 2}, \"kernels\": [{\"trace\": \"a.sketch\"}], "

START_TEST(an_order_says_what_ran_when)
{
    static const struct teg_step wanted[] = {
        {.address = 0x7f0000000000, .bytes = 4096},
        {.kernel = 1, .launches = 2},
        {.address = 16, .bytes = 1},
        {.kernel = 0, .launches = 1},
        {.address = 32, .bytes = 8},
        {.kernel = 1, .launches = 1},
    };
    const struct teg_step *step;
    struct teg_trace *trace;
    struct teg_diag d = {0};
    size_t count;

    ck_assert_msg(
        open_list("{\"teg\": {\"schema\": 2}, \"kernels\": ["
                  "{\"trace\": \"a.sketch\"}, "
                  "{\"trace\": \"./a.sketch\", \"launches\": 3}],"
                  "\"order\": [{\"what\": \"host-to-device\", \"address\": "
                  "\"0x7f0000000000\", \"bytes\": 4096},"
                  "{\"kernel\": 1, \"launches\": 2},"
                  "{\"what\": \"free\", \"address\": \"0x10\", \"bytes\": 2},"
                  "{\"untraced\": 7}, {\"what\": \"unheard of\"},"
                  "{\"what\": \"set\", \"address\": \"0x10\", \"bytes\": 1},"
                  "{\"kernel\": 0, \"launches\": 1},"
                  "{\"what\": \"device-to-device\", \"address\": \"0x20\", "
                  "\"bytes\": 8}, {\"kernel\": 1, \"launches\": 1}]}",
                  &trace, &d) == TEG_OK,
        "%s: %s", d.where, d.what);
    step = teg_trace_steps(trace, &count);
    ck_assert_uint_eq(count, sizeof wanted / sizeof wanted[0]);
    for (size_t i = 0; i < count; i++) {
        ck_assert_uint_eq(step[i].kernel, wanted[i].kernel);
        ck_assert_uint_eq(step[i].launches, wanted[i].launches);
        ck_assert_uint_eq(step[i].address, wanted[i].address);
        ck_assert_uint_eq(step[i].bytes, wanted[i].bytes);
    }
    teg_trace_close(trace);
}
END_TEST

/* A list by hand need not count what its order says. */
START_TEST(a_score_has_streams_events_and_graphs)
{
    static const struct teg_step wanted[] = {
        {.kernel = 0, .launches = 1}, {.address = 16, .bytes = 8},
        {.kernel = 0, .launches = 2}, {.address = 16, .bytes = 8},
        {.kernel = 0, .launches = 2}, {.rests = 1},
    };
    const struct teg_score *s;
    const struct teg_step *step;
    struct teg_trace *trace;
    struct teg_diag d = {0};
    size_t count;

    ck_assert_msg(
        open_list(NEW
                  "\"streams\": [{\"stream\": 9, \"priority\": -2, "
                  "\"nonblocking\": true}],"
                  "\"graphs\": [{\"nodes\": [{\"what\": \"set\", \"address\": "
                  "\"0x10\", \"bytes\": 8, \"after\": []}, {\"kernel\": 0, "
                  "\"launches\": 2, \"after\": [0]}]}],"
                  "\"order\": [{\"kernel\": 0, \"stream\": 9, \"host_us\": "
                  "2.5}, {\"what\": \"record\", \"event\": 3, \"stream\": 9},"
                  "{\"what\": \"wait\", \"event\": 3},"
                  "{\"what\": \"graph\", \"graph\": 0, \"launches\": 2},"
                  "{\"what\": \"device-to-host\", \"address\": \"0x10\", "
                  "\"bytes\": 8, \"pinned\": true, \"async\": true},"
                  "{\"what\": \"synchronize\"}, {\"untraced\": 5}]}",
                  &trace, &d) == TEG_OK,
        "%s: %s", d.where, d.what);
    ck_assert_uint_eq(teg_trace_kernel_launches(trace, 0), 5);
    step = teg_trace_steps(trace, &count);
    ck_assert_uint_eq(count, sizeof wanted / sizeof wanted[0]);
    for (size_t i = 0; i < count; i++) {
        ck_assert_uint_eq(step[i].launches, wanted[i].launches);
        ck_assert_uint_eq(step[i].address, wanted[i].address);
        ck_assert_uint_eq(step[i].bytes, wanted[i].bytes);
        ck_assert_int_eq(step[i].rests, wanted[i].rests);
    }
    s = teg_trace_score(trace);
    ck_assert_uint_eq(s->entries, 7);
    ck_assert_uint_eq(s->streams, 2);
    ck_assert_uint_eq(s->untraced, 5);
    ck_assert_int_eq(s->stream[1].priority, -2);
    ck_assert_uint_eq(s->stream[1].nonblocking, 1);
    ck_assert_uint_eq(s->entry[0].stream, 1);
    ck_assert_double_eq(s->entry[0].host_us, 2.5);
    ck_assert_uint_eq(s->entry[1].kind, TEG_SCORE_RECORD);
    ck_assert_uint_eq(s->entry[1].number, 3);
    ck_assert_uint_eq(s->entry[2].kind, TEG_SCORE_WAIT);
    ck_assert_uint_eq(s->entry[2].stream, 0);
    ck_assert_uint_eq(s->entry[3].times, 2);
    ck_assert_uint_eq(s->entry[4].pinned, 1);
    ck_assert_uint_eq(s->entry[4].async, 1);
    ck_assert_uint_eq(s->entry[5].stream, TEG_SCORE_NONE);
    ck_assert_uint_eq(s->graph[0].node[1].afters, 1);
    ck_assert_uint_eq(s->graph[0].edge[s->graph[0].node[1].after], 0);
    teg_trace_close(trace);
}
END_TEST

static const struct {
    const char *text, *where, *what;
} faults[] = {
    {"{", "list:1", "expected JSON: "},
    {"{\"kernels\": [{\"trace\": \"a.sketch\", \"alike\": 0}]}",
     "list: kernels[0]",
     "expected for \"alike\" the number of an earlier entry"},
    {"{\"kernels\": [{\"trace\": \"a.sketch\"}, {\"trace\": \"a.sketch\", "
     "\"alike\": 0}, {\"trace\": \"a.sketch\", \"alike\": 1}]}",
     "list: kernels[2]",
     "expected for \"alike\" the number of an earlier entry"},
    {"{\"kernels\": [\n{\"trace\": \"a.sketch\"},\n", "list:3",
     "expected JSON: "},
    {"{\"kernels\": [{\"trace\": \"a.sketch\"}]} x", "list:1",
     "expected JSON: "},
    {"{}", "list", "\"kernels\", found none there"},
    {"{\"kernels\": 3}", "list", "found a number there"},
    {"{\"kernels\": []}", "list", "expected at least one kernel"},
    {"{\"teg\": {\"schema\": 4}, \"kernels\": [{\"trace\": \"a.sketch\"}]}",
     "list", "found schema 4"},
    {ONE "\"order\": 3}", "list", "an array for \"order\", found a number"},
    {ONE "\"order\": [3]}", "list: order[0]", "expected an object"},
    {ONE "\"order\": [{\"kernel\": 1, \"launches\": 1}]}", "list: order[0]",
     "the place of an entry"},
    {ONE "\"order\": [{\"kernel\": -1, \"launches\": 1}]}", "list: order[0]",
     "the place of an entry"},
    {ONE "\"order\": [{\"kernel\": \"0\", \"launches\": 1}]}", "list: order[0]",
     "the place of an entry"},
    {ONE "\"order\": [{\"kernel\": 0}]}", "list: order[0]",
     "\"launches\" from 1"},
    {ONE "\"order\": [{\"kernel\": 0, \"launches\": 2}]}", "list: kernels[0]",
     "as many launches as in \"order\", 2, found 1"},
    {ONE "\"order\": []}", "list: kernels[0]", "0, found 1"},
    {ONE "\"order\": [{\"what\": \"set\", \"bytes\": 4}]}", "list: order[0]",
     "\"address\" as a string"},
    {ONE "\"order\": [{\"what\": \"set\", \"address\": \"0x\", \"bytes\": "
         "4}]}",
     "list: order[0]", "\"address\" as a string"},
    {ONE "\"order\": [{\"what\": \"set\", \"address\": \"0x1g\", \"bytes\": "
         "4}]}",
     "list: order[0]", "\"address\" as a string"},
    {ONE "\"order\": [{\"what\": \"set\", \"address\": \"0x10\"}]}",
     "list: order[0]", "\"bytes\" of at least 1"},
    {ONE "\"order\": [{\"what\": \"set\", \"address\": "
         "\"0xfffffffffffffff0\", \"bytes\": 16}]}",
     "list: order[0]", "the end of the address space"},
    {NEW "\"order\": [{\"kernel\": 0}, {\"what\": \"unheard of\"}]}",
     "list: order[1]", "one of these for \"what\": host-to-device"},
    {NEW "\"order\": [{\"kernel\": 0, \"stream\": -1}]}", "list: order[0]",
     "expected \"stream\" from 0"},
    {NEW "\"order\": [{\"kernel\": 0, \"async\": 1}]}", "list: order[0]",
     "true or false for \"async\""},
    {NEW "\"order\": [{\"kernel\": 0, \"host_us\": -1}]}", "list: order[0]",
     "\"host_us\" in microseconds"},
    {NEW "\"order\": [{\"kernel\": 0}, {\"what\": \"wait\", \"event\": 7}]}",
     "list: order[1]", "waits for event 7, which nothing records"},
    {NEW "\"order\": [{\"kernel\": 0}, {\"what\": \"synchronize\", "
         "\"event\": 7}]}",
     "list: order[1]", "waits for event 7, which nothing records"},
    {NEW "\"order\": [{\"kernel\": 0}, {\"what\": \"record\"}]}",
     "list: order[1]", "expected \"event\""},
    {NEW "\"order\": [{\"kernel\": 0}, {\"what\": \"graph\", \"graph\": "
         "0}]}",
     "list: order[1]", "one of 0 \"graphs\""},
    {NEW "\"order\": [{\"what\": \"allocate\", \"address\": \"0x100\", "
         "\"bytes\": 16}, {\"what\": \"set\", \"address\": \"0x108\", "
         "\"bytes\": 8}, {\"what\": \"host-to-device\", \"address\": "
         "\"0x108\", \"bytes\": 9}]}",
     "list: order[2]",
     "the buffer of 16 bytes of order[0], found 9 bytes from "
     "its byte 8"},
    {NEW "\"graphs\": [{\"nodes\": [{\"kernel\": 0, \"after\": [1]}, "
         "{\"what\": \"nothing\", \"after\": [2]}, {\"what\": \"nothing\", "
         "\"after\": [0]}]}], \"order\": []}",
     "list: graphs[0].nodes[", "form a circle"},
    {NEW "\"graphs\": [{\"nodes\": [{\"kernel\": 0, \"after\": [1]}]}], "
         "\"order\": []}",
     "list: graphs[0].nodes[0]", "expected other nodes, from 0 to 0"},
    {NEW "\"graphs\": [{\"nodes\": [{\"what\": \"synchronize\"}]}], "
         "\"order\": []}",
     "list: graphs[0].nodes[0]", "another operation of the device"},
    {NEW "\"graphs\": [{}], \"order\": []}", "list: graphs[0]",
     "an array \"nodes\""},
    {NEW "\"streams\": [{}], \"order\": []}", "list: streams[0]",
     "expected an object with \"stream\""},
    {"{\"teg\": {\"schema\": \"1\"}, \"kernels\": []}", "list",
     "found a string"},
    {"{\"kernels\": [7]}", "list: kernels[0]",
     "expected an object with \"trace\", found a number"},
    {"{\"kernels\": [{\"trace\": \"a.sketch\"}, {\"name\": \"x\"}]}",
     "list: kernels[1]", "a file's name for \"trace\", found none"},
    {"{\"kernels\": [{\"trace\": [\"a.sketch\"]}]}", "list: kernels[0]",
     "for \"trace\", found an array"},
    {"{\"kernels\": [{\"trace\": \"\"}]}", "list: kernels[0]", "an empty one"},
    {"{\"kernels\": [{\"trace\": \"b.sketch\"}]}", "list: kernels[0]",
     "expected the file 'b.sketch' beside the list"},
    {"{\"kernels\": [{\"trace\": \"a.sketch\", \"launches\": -3}]}",
     "list: kernels[0]", "from 1 to 4294967295, found -3"},
    {"{\"kernels\": [{\"trace\": \"a.sketch\", \"launches\": 0}]}",
     "list: kernels[0]", "found 0"},
    {"{\"kernels\": [{\"trace\": \"a.sketch\", \"launches\": 4294967296}]}",
     "list: kernels[0]", "found 4294967296"},
    {"{\"kernels\": [{\"trace\": \"a.sketch\", \"launches\": 1.5}]}",
     "list: kernels[0]", "found a fraction"},
    {"{\"kernels\": [{\"trace\": \"a.sketch\", \"launches\": \"3\"}]}",
     "list: kernels[0]", "found a string"},
    {"{\"kernels\": [{\"trace\": \"a.sketch\", \"launches\": "
     "99999999999999999999}]}",
     "list:1", "expected JSON: "},
};

START_TEST(a_fault_names_the_entry)
{
    struct teg_trace *trace;
    struct teg_diag d = {0};

    ck_assert_msg(open_list(faults[_i].text, &trace, &d) != TEG_OK, "%s",
                  faults[_i].text);
    ck_assert_msg(strstr(d.where, faults[_i].where) != NULL, "%s: %s: %s",
                  faults[_i].text, d.where, d.what);
    ck_assert_msg(strstr(d.what, faults[_i].what) != NULL, "%s: %s: %s",
                  faults[_i].text, d.where, d.what);
}
END_TEST

START_TEST(a_list_in_a_list_is_an_error)
{
    struct teg_trace *trace;
    struct teg_launch launch;
    struct teg_diag d = {0};

    ck_assert_int_eq(
        open_list("{\"kernels\": [{\"trace\": \"list\"}]}", &trace, &d),
        TEG_OK);
    ck_assert_int_eq(teg_trace_launch(trace, 0, &launch, &d), TEG_FORMAT);
    ck_assert_str_eq(d.what, "expected a kernel's trace, found another list");
    teg_trace_close(trace);
}
END_TEST

START_TEST(damage_is_an_error_or_harmless)
{
    static const char text[] =
        "{\"teg\":{\"schema\":2},\"kernels\":[{\"trace\":\"a\",\"name\":\"k\","
        "\"launch\":0,\"launches\":2,\"grid\":[1,1,1]}],\"order\":[{\"what\":"
        "\"set\",\"address\":\"0x9\",\"bytes\":8},{\"kernel\":0,\"launches\":"
        "2}]}";
    static const char score[] =
        "{\"teg\":{\"schema\":3},\"kernels\":[{\"trace\":\"a\"}],\"streams\":"
        "[{\"stream\":1}],\"graphs\":[{\"nodes\":[{\"kernel\":0},{\"kernel\":"
        "0,\"after\":[0]}]}],\"order\":[{\"what\":\"record\",\"event\":1},"
        "{\"what\":\"graph\",\"graph\":0,\"stream\":1}]}";

    help_damage(text, strlen(text));
    help_damage(score, strlen(score));
}
END_TEST

/* Lists are claimed by their first bytes alone. */
START_TEST(what_begins_an_object_is_recognised)
{
    static const struct {
        const char *text;
        int is;
    } texts[] = {{"{", 1},     {"  {\n\t\"x\"", 1}, {"{}", 1},
                 {"{ foo", 0}, {"[]", 0},           {"", 0}};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        ck_assert_int_eq(
            teg_kernelsjson_recognise((const uint8_t *)texts[i].text,
                                      strlen(texts[i].text)),
            texts[i].is);
}
END_TEST

/* 200,000 entries: nothing is quadratic. */
START_TEST(a_huge_list_opens)
{
    enum {
        COUNT = 200000
    };
    static const char entry[] = "{\"trace\":\"a.sketch\"},";
    struct teg_trace *trace;
    struct teg_diag d = {0};
    FILE *f = fopen(path_of("list"), "w");

    ck_assert_ptr_nonnull(f);
    fputs("{\"kernels\":[", f);
    for (int i = 0; i < COUNT; i++)
        fputs(entry, f);
    fputs("{\"trace\":\"a.sketch\"}]}", f);
    fclose(f);
    ck_assert_int_eq(teg_trace_open(path_of("list"), NULL, &trace, &d), TEG_OK);
    ck_assert_uint_eq(teg_trace_kernels(trace), COUNT + 1);
    teg_trace_close(trace);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("traces/kernelsjson");
    TCase *tcase = tcase_create("list");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, a_list_says_its_launches);
    tcase_add_loop_test(tcase, a_fault_names_the_entry, 0,
                        (int)(sizeof faults / sizeof faults[0]));
    tcase_add_test(tcase, an_order_says_what_ran_when);
    tcase_add_test(tcase, a_score_has_streams_events_and_graphs);
    tcase_add_test(tcase, a_list_in_a_list_is_an_error);
    tcase_add_test(tcase, damage_is_an_error_or_harmless);
    tcase_add_test(tcase, what_begins_an_object_is_recognised);
    tcase_add_test(tcase, a_huge_list_opens);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
