/*
 * teg diff: what changed between two results, two traces on one GPU, or one
 * trace on two GPUs.
 *
 *     a  saxpy on v100
 *     b  saxpy on a100
 *     bound by: latency -> dram
 *
 *     what                                          a           b    change
 *     cycles                                    1,234       1,111   -10.0 %
 *     stalls.barrier.warp_cycles                   10          20  +100.0 %
 *
 * A result's numbers have the names of the CSV's columns (docs/json.md), and
 * so have the conditions of --fail-if.
 */
#include "tools/teg/cli/color.h"
#include "tools/teg/commands/diff_page.h"
#include "tools/teg/report/report.h"
#include "tools/teg/report/stored.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    METRIC_NAME_MAX = sizeof((struct metric *)0)->name,
    ROWS_MAX = 4096
};

struct diff {
    struct job job;
    const char *against; /* the other GPU, or NULL */
    struct opt_list fail_if;
    bool all;
    const char *page;      /* NULL: none */
    json_t *a, *b;         /* owned */
    struct metric *metric; /* owned, [metrics] */
    uint32_t metrics;
    json_t *failed; /* owned: conditions that hold */
};

/* ---- the two results ----------------------------------------------------------- */

static int replay_result(const struct job *job, json_t **out)
{
    json_t *results = NULL;
    int status;

    if (job->kernel_count != 1) {
        say(job->path,
            "expected one kernel, found %" PRIu32 ": choose with --kernel",
            job->kernel_count);
        return EXIT_USAGE;
    }
    status = stored_replay(job, &results);
    if (status == EXIT_DONE)
        *out = json_incref(json_array_get(results, 0));
    json_decref(results);
    return status;
}

/* A result from the file at `path`: stored, or simulated on `gpu`. */
static int get_result(const struct diff *diff, const char *path,
                      const char *gpu, json_t **result)
{
    struct job job = diff->job;
    int status;

    if (stored_is_result(path))
        return stored_load(path, result);
    job.gpu_name = gpu;
    status = job_open_trace(&job, path);
    if (status == EXIT_DONE)
        status = job_open_gpu(&job);
    if (status == EXIT_DONE)
        status = replay_result(&job, result);
    job_release(&job);
    return status;
}

/* ---- metrics --------------------------------------------------------------------- */

/* What says nothing about the run, or the same as another number. */
static const char *const left_out[] = {"teg",
                                       "gpu",
                                       "notes",
                                       "terms",
                                       "what_if",
                                       "grid",
                                       "block",
                                       "isa",
                                       "instances",
                                       "busy_cycles",
                                       "instructions",
                                       "number",
                                       "ratio_to_simulated",
                                       "compute_capability"};

static bool is_left_out(const char *key)
{
    for (size_t i = 0; i < sizeof left_out / sizeof left_out[0]; i++) {
        if (strcmp(left_out[i], key) == 0)
            return true;
    }
    return false;
}

static struct metric *find_metric(const struct diff *diff, const char *name)
{
    for (uint32_t i = 0; i < diff->metrics; i++) {
        if (strcmp(diff->metric[i].name, name) == 0)
            return &diff->metric[i];
    }
    return NULL;
}

static void put(struct diff *diff, const char *name, double v, bool second)
{
    struct metric *m = find_metric(diff, name);

    if (m == NULL) {
        if (diff->metrics == ROWS_MAX)
            return;
        m = &diff->metric[diff->metrics++];
        snprintf(m->name, sizeof m->name, "%s", name);
        m->a = m->b = (double)NAN;
    }
    if (second)
        m->b = v;
    else
        m->a = v;
}

/* Members by key, items by their name, reason or place. */
static void flatten(struct diff *diff, const char *path, json_t *value,
                    bool second)
{
    char longer[METRIC_NAME_MAX];
    const char *key, *dot = path[0] != '\0' ? "." : "";
    json_t *member;
    size_t i;

    if (json_is_number(value))
        put(diff, path, json_number_value(value), second);
    json_object_foreach(value, key, member)
    {
        if (is_left_out(key))
            continue;
        snprintf(longer, sizeof longer, "%s%s%s", path, dot, key);
        flatten(diff, longer, member, second);
    }
    json_array_foreach(value, i, member)
    {
        json_t *named = json_object_get(member, "name");

        if (named == NULL)
            named = json_object_get(member, "reason");
        if (json_is_string(named))
            snprintf(longer, sizeof longer, "%s%s%s", path, dot,
                     json_string_value(named));
        else
            snprintf(longer, sizeof longer, "%s%s%zu", path, dot, i + 1);
        flatten(diff, longer, member, second);
    }
}

static bool same(double x, double y)
{
    return (isnan(x) && isnan(y)) || (x <= y && x >= y);
}

static double percent_of(const struct metric *m)
{
    return m->a > 0 || m->a < 0 ? 100 * (m->b - m->a) / fabs(m->a)
                                : (double)NAN;
}

/* ---- conditions -------------------------------------------------------------------- */

struct condition {
    char name[METRIC_NAME_MAX];
    bool above, relative, percent;
    double limit;
};

/* "cycles>+2%": a change in percent; "cycles>+100": a change; "cycles>1000": a
 * value of the second. */
static int parse_condition(const char *text, struct condition *c)
{
    size_t length = strcspn(text, "<>");
    const char *number = text + length + 1;
    char *end;

    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    snprintf(c->name, sizeof c->name, "%.*s", (int)length, text);
    if (length > 0 && length < sizeof c->name && number[-1] != '\0') {
        c->above = number[-1] == '>';
        while (isspace((unsigned char)*number))
            number++;
        c->relative = *number == '+' || *number == '-';
        c->limit = strtod(number, &end);
        c->percent = *end == '%';
        if (end != number && end[c->percent] == '\0' && isfinite(c->limit) &&
            (c->relative || !c->percent))
            return EXIT_DONE;
    }
    say("--fail-if", "expected NAME>+N%%, NAME>+N or NAME>N (or <), found '%s'",
        text);
    return EXIT_USAGE;
}

static int check_condition(struct diff *diff, const char *text)
{
    struct condition c;
    struct metric *m;
    double v;
    int status = parse_condition(text, &c);

    if (status != EXIT_DONE)
        return status;
    m = find_metric(diff, c.name);
    if (m == NULL) {
        struct teg_nearest nearest;
        char hint[96];

        teg_nearest_init(&nearest, c.name);
        for (uint32_t i = 0; i < diff->metrics; i++)
            teg_nearest_offer(&nearest, diff->metric[i].name);
        say("--fail-if", "no number is called '%s'%s", c.name,
            did_you_mean(&nearest, "", hint));
        return EXIT_USAGE;
    }
    v = c.percent ? percent_of(m) : c.relative ? m->b - m->a : m->b;
    /* From nothing to something is more than any percentage. */
    if (c.percent && isnan(v) && !same(m->a, m->b) && !isnan(m->b))
        v = m->b > 0 ? HUGE_VAL : -HUGE_VAL;
    if (c.above ? v > c.limit : v < c.limit) {
        json_array_append_new(diff->failed, json_text(text));
        say("--fail-if", "%s: %s went from %.10g to %.10g", text, c.name, m->a,
            m->b);
    }
    return EXIT_DONE;
}

/* ---- output ------------------------------------------------------------------------ */

static const char *text_at(json_t *value, const char *group, const char *key)
{
    const char *text =
        json_string_value(json_object_get(json_object_get(value, group), key));

    return text != NULL ? text : "?";
}

static json_t *side_json(json_t *result)
{
    return json_pack("{s:s, s:s, s:s}", "kernel",
                     text_at(result, "kernel", "name"), "gpu",
                     text_at(result, "gpu", "name"), "bound",
                     text_at(result, "verdict", "bound"));
}

static json_t *changes_json(const struct diff *diff)
{
    json_t *changes = json_array();

    for (uint32_t i = 0; i < diff->metrics; i++) {
        const struct metric *m = &diff->metric[i];

        if (diff->all || !same(m->a, m->b))
            json_array_append_new(changes,
                                  json_pack("{s:s, s:o, s:o, s:o, s:o}", "name",
                                            m->name, "a", number_json(m->a),
                                            "b", number_json(m->b), "change",
                                            number_json(m->b - m->a), "percent",
                                            number_json(percent_of(m))));
    }
    return changes;
}

static json_t *values(const void *part)
{
    const struct diff *diff = part;

    return json_pack("{s:o, s:o, s:o, s:o, s:O}", "teg", teg_json(), "a",
                     side_json(diff->a), "b", side_json(diff->b), "changes",
                     changes_json(diff), "failed", diff->failed);
}

static const char *value_text(double v, char out[28])
{
    if (isnan(v))
        snprintf(out, 28, "n/a");
    else if (v >= 0 && v < 1e15 && same(v, floor(v)))
        with_commas((uint64_t)v, out);
    else
        snprintf(out, 28, "%.4g", v);
    return out;
}

/* Of time one knows which way is better. */
static const char *tint_of(FILE *f, const struct metric *m)
{
    const char *last = strrchr(m->name, '.');

    last = last != NULL ? last + 1 : m->name;
    if ((strcmp(last, "cycles") != 0 && strcmp(last, "time_us") != 0) ||
        strncmp(m->name, "models.", 7) == 0 || same(m->a, m->b))
        return "";
    return tint(f, m->b < m->a ? TINT_GOOD : TINT_BAD);
}

static void print_metric(FILE *f, const struct metric *m)
{
    char a[28], b[28], change[24] = "-";
    double percent = percent_of(m);

    if (same(m->a, m->b))
        snprintf(change, sizeof change, "same");
    else if (isfinite(percent))
        snprintf(change, sizeof change, "%+.1f %%", percent);
    fprintf(f, "%-38.38s %14s %14s %s%10s%s\n", m->name, value_text(m->a, a),
            value_text(m->b, b), tint_of(f, m), change, tint(f, TINT_OFF));
}

static bool is_headline(const char *name)
{
    static const char *const names[] = {"cycles",        "time_us",
                                        "ipc",           "total.cycles",
                                        "total.time_us", "total.ipc"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i], name) == 0)
            return true;
    }
    return false;
}

static int print_text(FILE *f, const void *part)
{
    const struct diff *diff = part;
    const char *a = text_at(diff->a, "verdict", "bound");
    const char *b = text_at(diff->b, "verdict", "bound");
    uint32_t alike = 0;
    char name[2][TEG_NAME_MAX];

    fprintf(f, "a  %.50s on %s\nb  %.50s on %s\nbound by: %s%s%s\n\n",
            kernel_title(text_at(diff->a, "kernel", "name"), name[0]),
            text_at(diff->a, "gpu", "name"),
            kernel_title(text_at(diff->b, "kernel", "name"), name[1]),
            text_at(diff->b, "gpu", "name"), a, strcmp(a, b) != 0 ? " -> " : "",
            strcmp(a, b) != 0 ? b : "");
    fprintf(f, "%s%-38s %14s %14s %10s%s\n", tint(f, TINT_STRONG), "what", "a",
            "b", "change", tint(f, TINT_OFF));
    for (uint32_t i = 0; i < diff->metrics; i++) {
        if (is_headline(diff->metric[i].name))
            print_metric(f, &diff->metric[i]);
    }
    for (uint32_t i = 0; i < diff->metrics; i++) {
        const struct metric *m = &diff->metric[i];

        if (is_headline(m->name))
            continue;
        if (diff->all || !same(m->a, m->b))
            print_metric(f, m);
        else
            alike++;
    }
    if (alike != 0)
        fprintf(f, "%u other numbers are the same\n", alike);
    return EXIT_DONE;
}

/* ---- the command ------------------------------------------------------------------- */

static int compare(struct diff *diff)
{
    static const struct view view = {
        .text = print_text,
        .values = values,
        .table = "changes",
        .columns = "name,a,b,change,percent",
    };
    int status = EXIT_DONE;

    diff->metric = calloc(ROWS_MAX, sizeof *diff->metric);
    diff->failed = json_array();
    if (diff->metric == NULL || diff->failed == NULL)
        return say_memory();
    flatten(diff, "", diff->a, false);
    flatten(diff, "", diff->b, true);
    for (uint32_t i = 0; status == EXIT_DONE && i < diff->fail_if.count; i++)
        status = check_condition(diff, diff->fail_if.item[i]);
    if (status != EXIT_DONE)
        return status;
    /* A page on standard output is all that is there. */
    if (diff->job.out != NULL || !output_is_standard(diff->page))
        status = view_write(&view, diff, diff->job.format, diff->job.out);
    if (status == EXIT_DONE && diff->page != NULL)
        status = diff_page_write(
            &(struct diff_page){diff->a, diff->b, diff->metric, diff->metrics},
            diff->page);
    if (status == EXIT_DONE && json_array_size(diff->failed) != 0)
        status = EXIT_FAULT;
    return status;
}

static int run(struct diff *diff, const struct operands *operands)
{
    const char *first = operands->item[0];
    const char *second = operands->count > 1 ? operands->item[1] : first;
    int status;

    if (operands->count == 1 && diff->against == NULL)
        return say_usage("diff", "expected two files, or one and --against");
    status = get_result(diff, first, diff->job.gpu_name, &diff->a);
    if (status == EXIT_DONE)
        status = get_result(diff, second,
                            diff->against != NULL ? diff->against
                                                  : diff->job.gpu_name,
                            &diff->b);
    if (status == EXIT_DONE)
        status = compare(diff);
    json_decref(diff->a);
    json_decref(diff->b);
    json_decref(diff->failed);
    free(diff->metric);
    return status;
}

int cmd_diff(int argc, char **argv)
{
    struct diff diff = {0};
    const struct opt options[] = {
        JOB_GPU_OPTIONS(diff.job),
        {"against", 0, OPT_TEXT, &diff.against, "GPU",
         "the GPU for the second; with one TRACE, compare two GPUs", NULL},
        JOB_TRACE_OPTIONS(diff.job),
        {"fail-if", 0, OPT_LIST, &diff.fail_if, "NAME>+N%",
         "exit with status 1 if so; NAME>+N is a difference, NAME>N the "
         "second's value; < as well; may be repeated",
         NULL},
        {"html", 0, OPT_OUTPUT, &diff.page, "FILE",
         "write what changed as a web page, too", NULL},
        {"all", 0, OPT_FLAG, &diff.all, NULL, "also what is the same in both",
         NULL},
        JOB_FORMAT_OPTION(diff.job),
        JOB_OUTPUT_OPTIONS(diff.job),
        {0}};
    const struct usage usage = {
        .command = "diff",
        .operands = "A [B]",
        .summary = "Says what changed from A to B in cycles, stalls, units and "
                   "memory. Each is a result of `teg run -f json` or a trace, "
                   "which is replayed.",
        .options = options,
        .operands_min = 1,
        .operands_max = 2,
        .examples = "  teg diff before.json after.json --fail-if 'cycles>+2%'\n"
                    "  teg diff before.json after.json --html change.html\n"
                    "  teg diff before.tegt after.tegt -g v100\n"
                    "  teg diff kernel.tegt -g v100 --against a100\n"};
    struct operands operands;
    int status;

    if (!options_parse(&usage, argc, argv, &operands, &status))
        return status;
    catch_interrupt();
    return run(&diff, &operands);
}
