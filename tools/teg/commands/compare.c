/*
 * teg compare: what a profiler measured on hardware, beside what teg says.
 *
 *     saxpy, launch 1 on v100
 *
 *     metric                                       measured          teg   ratio
 *     gpu__time_duration.sum          us              12.30        11.81    0.96
 *     lts__t_sector_hit_rate.pct      %               41.02        60.11    1.47 *
 *
 * Kernels are joined by name, as a symbol or as in the source, and the n-th
 * launch of one with the n-th launch of the other.
 */
#include "tools/teg/cli/color.h"
#include "tools/teg/compare/hardware.h"
#include "tools/teg/compare/metrics.h"
#include "tools/teg/compare/names.h"
#include "tools/teg/formats/flat.h"
#include "tools/teg/report/report.h"
#include "tools/teg/report/stored.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    TOLERANCE_PERCENT = 20 /* unless --tolerance says otherwise */
};

/* A metric of a launch, on both sides. */
struct pair {
    const struct measured_launch *launch; /* borrowed */
    struct metric metric;
    double measured, teg;
    bool differs;
};

/* A launch of the result, or several that are alike. */
struct simulated {
    const char *kernel, *gpu; /* borrowed from the result */
    json_t *numbers;          /* owned: its row */
    uint32_t first, launches; /* which of its kernel's launches, from 1 */
};

struct compare {
    struct job job;
    uint32_t tolerance;          /* percent */
    struct hardware measured;    /* what the CSV has */
    json_t *result;              /* owned */
    struct simulated *simulated; /* owned, [simulated_count] */
    uint32_t simulated_count;
    struct pair *pair; /* owned, [pairs] */
    uint32_t pairs, differing;
    uint32_t joined;       /* launches that both have */
    uint32_t alone;        /* launches that only the measurements have */
    json_t *unknown;       /* owned: names of metrics that teg has not */
    double log_sum, error; /* of times, over `timed` */
    uint32_t timed;
};

/* ---- the two sides --------------------------------------------------------------- */

static int get_results(struct compare *c, const char *path)
{
    json_t *kernels;
    int status;

    if (stored_is_result(path)) {
        status = stored_load(path, &c->result);
    } else {
        static const uint32_t by[] = {[MEASURED_PLAIN] = TEG_MEASURED_BY_NOBODY,
                                      [MEASURED_NCU] = TEG_MEASURED_BY_NCU,
                                      [MEASURED_NSYS] = TEG_MEASURED_BY_NSYS};

        c->job.measured_by = by[c->measured.by];
        status = job_open_trace(&c->job, path);
        if (status == EXIT_DONE)
            status = job_open_gpu(&c->job);
        /* A start that nobody has measured is left out. */
        if (status == EXIT_DONE &&
            c->job.measured_by != TEG_MEASURED_BY_NOBODY &&
            teg_start_us(c->job.gpu, (enum teg_measured_by)c->job.measured_by,
                         0) <= 0)
            c->job.measured_by = TEG_MEASURED_BY_NOBODY;
        if (status == EXIT_DONE)
            status = stored_replay(&c->job, &kernels);
        if (status == EXIT_DONE)
            c->result = json_pack("{s:o}", "kernels", kernels);
    }
    return status;
}

static const char *text_of(json_t *o, const char *group, const char *key)
{
    const char *text =
        json_string_value(json_object_get(json_object_get(o, group), key));

    return text != NULL ? text : "";
}

static void add_simulated(struct compare *c, json_t *kernel)
{
    struct simulated *s = &c->simulated[c->simulated_count];
    const json_int_t launches = json_integer_value(
        json_object_get(json_object_get(kernel, "kernel"), "launches"));

    *s = (struct simulated){.kernel = text_of(kernel, "kernel", "name"),
                            .gpu = text_of(kernel, "gpu", "name"),
                            .numbers = flat_row(kernel, NULL),
                            .first = 1,
                            .launches = launches > 0 ? (uint32_t)launches : 1};
    for (uint32_t i = 0; i < c->simulated_count; i++) {
        if (strcmp(c->simulated[i].kernel, s->kernel) == 0)
            s->first = c->simulated[i].first + c->simulated[i].launches;
    }
    c->simulated_count++;
}

static int list_simulated(struct compare *c)
{
    json_t *kernels = json_object_get(c->result, "kernels");
    const size_t count = kernels != NULL ? json_array_size(kernels) : 1;

    c->simulated = calloc(count + 1, sizeof *c->simulated);
    if (c->simulated == NULL)
        return say_memory();
    if (kernels == NULL)
        add_simulated(c, c->result);
    for (size_t i = 0; kernels != NULL && i < count; i++)
        add_simulated(c, json_array_get(kernels, i));
    return check_json();
}

/* ---- joining --------------------------------------------------------------------- */

/* The kernel that a profiler calls so: the symbol that is most like it; NULL:
 * none is, or the best are several. */
static const char *find_kernel(const struct compare *c, const char *printed)
{
    const char *found = NULL;
    int best = 0;

    for (uint32_t i = 0; i < c->simulated_count; i++) {
        const char *symbol = c->simulated[i].kernel;
        const int likeness = name_likeness(symbol, printed);

        if (likeness > best) {
            best = likeness;
            found = symbol;
        } else if (likeness == best && found != NULL &&
                   strcmp(found, symbol) != 0) {
            found = NULL;
        }
    }
    return found;
}

/* The simulated launch that a measured one is, or the first of those that it
 * is the mean of; NULL: none. */
static const struct simulated *find_simulated(
    const struct compare *c, const struct measured_launch *launch)
{
    const char *kernel = find_kernel(c, launch->kernel);

    for (uint32_t i = 0; kernel != NULL && i < c->simulated_count; i++) {
        const struct simulated *s = &c->simulated[i];

        if (strcmp(s->kernel, kernel) == 0 &&
            (launch->mean || (launch->number >= s->first &&
                              launch->number - s->first < s->launches)))
            return s;
    }
    return NULL;
}

/* Of a mean over launches, the mean of theirs. */
static bool teg_value(const struct compare *c,
                      const struct measured_launch *launch,
                      const struct simulated *s, const struct metric *m,
                      double *v)
{
    double sum = 0;
    uint64_t count = 0;

    if (!launch->mean)
        return metric_teg(m, s->numbers, v);
    for (uint32_t i = 0; i < c->simulated_count; i++) {
        const struct simulated *one = &c->simulated[i];

        if (strcmp(one->kernel, s->kernel) == 0 &&
            metric_teg(m, one->numbers, v)) {
            sum += *v * one->launches;
            count += one->launches;
        }
    }
    *v = count != 0 ? sum / (double)count : 0;
    return count != 0;
}

/* Any number of the result may stand under its own name. */
static bool find_metric(struct metric *m, const struct measured_value *v,
                        json_t *numbers)
{
    if (metric_find(m, v->name, v->unit))
        return true;
    if (v->unit[0] != '\0' ||
        !json_is_number(json_object_get(numbers, v->name)) ||
        strlen(v->name) >= METRIC_NAME_MAX)
        return false;
    *m = (struct metric){.label = "",
                         .unit = "",
                         .base = "",
                         .but = "",
                         .factor = 1,
                         .scale = 1};
    snprintf(m->vendor, sizeof m->vendor, "%s", v->name);
    snprintf(m->number, sizeof m->number, "%s", v->name);
    return true;
}

static bool differ(const struct compare *c, double measured, double teg)
{
    const double larger = fmax(fabs(measured), fabs(teg));

    return fabs(measured - teg) > larger * c->tolerance / 100.0 &&
           larger > 1e-9;
}

static void add_time(struct compare *c, const struct pair *p)
{
    if (strstr(p->metric.number, "time_us") == NULL || p->measured <= 0 ||
        p->teg <= 0)
        return;
    c->log_sum += log(p->teg / p->measured);
    c->error += fabs(p->teg / p->measured - 1);
    c->timed++;
}

static void add_pair(struct compare *c, const struct measured_value *v,
                     const struct simulated *s)
{
    struct pair *p = &c->pair[c->pairs];

    *p = (struct pair){.launch = &c->measured.launch[v->launch]};
    if (!find_metric(&p->metric, v, s->numbers) ||
        !teg_value(c, p->launch, s, &p->metric, &p->teg)) {
        json_object_set_new(c->unknown, v->name, json_true());
        return;
    }
    p->measured = v->value * p->metric.scale;
    p->differs = differ(c, p->measured, p->teg);
    c->differing += p->differs;
    add_time(c, p);
    c->pairs++;
}

static int join(struct compare *c, const char *path)
{
    const struct hardware *m = &c->measured;
    const struct simulated **of;

    c->pair = calloc((size_t)m->values + 1, sizeof *c->pair);
    of = calloc(m->launches, sizeof(struct simulated *));
    c->unknown = json_object();
    if (c->pair == NULL || of == NULL || c->unknown == NULL) {
        free(of);
        return say_memory();
    }
    for (uint32_t i = 0; i < m->launches; i++) {
        of[i] = find_simulated(c, &m->launch[i]);
        c->joined += of[i] != NULL;
    }
    c->alone = m->launches - c->joined;
    for (uint32_t i = 0; i < m->values; i++) {
        if (of[m->value[i].launch] != NULL)
            add_pair(c, &m->value[i], of[m->value[i].launch]);
    }
    free(of);
    if (c->joined == 0) {
        char theirs[TEG_NAME_MAX], ours[TEG_NAME_MAX];

        say(path, "no launch of it is in the result: it has %s, the result %s",
            kernel_title(m->launch[0].kernel, theirs),
            kernel_title(c->simulated[0].kernel, ours));
        return EXIT_FAULT;
    }
    if (c->pairs == 0) {
        say(path, "none of its metrics is one that teg has: %s%s",
            m->values != 0 ? m->value[0].name : "no cell is a number",
            m->values > 1 ? ", ..." : "");
        return EXIT_FAULT;
    }
    return check_json();
}

/* ---- output ----------------------------------------------------------------------- */

static json_t *pair_json(const struct compare *c, const struct pair *p)
{
    char name[TEG_NAME_MAX];

    (void)c;
    return json_pack(
        "{s:o, s:o, s:s, s:s, s:s, s:o, s:o, s:o, s:b, s:s}", "kernel",
        json_text(kernel_title(p->launch->kernel, name)), "launch",
        p->launch->mean ? json_null() : json_integer(p->launch->number),
        "metric", p->metric.vendor, "label", p->metric.label, "unit",
        p->metric.unit, "measured", number_json(p->measured), "simulated",
        number_json(p->teg), "ratio", json_ratio(p->teg, p->measured),
        "differs", p->differs, "but", p->metric.but);
}

static json_t *names_json(json_t *set)
{
    json_t *names = json_array(), *value;
    const char *name;

    json_object_foreach(set, name, value)
        json_array_append_new(names, json_text(name));
    return names;
}

static json_t *compare_values(const void *part)
{
    const struct compare *c = part;
    json_t *metrics = json_array();

    for (uint32_t i = 0; i < c->pairs; i++)
        json_array_append_new(metrics, pair_json(c, &c->pair[i]));
    return json_pack(
        "{s:o, s:s, s:i, s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:o}", "teg",
        teg_json(), "gpu", c->simulated[0].gpu, "tolerance_percent",
        (int)c->tolerance, "launches", (int)c->joined, "launches_alone",
        (int)c->alone, "compared", (int)c->pairs, "differing",
        (int)c->differing, "time_ratio",
        c->timed != 0 ? number_json(exp(c->log_sum / c->timed)) : json_null(),
        "time_error_percent",
        c->timed != 0 ? number_json(100 * c->error / c->timed) : json_null(),
        "metrics", metrics, "not_compared", names_json(c->unknown));
}

static const char *number_text(double v, char out[32])
{
    const bool whole = fabs(v - floor(v)) < 1e-9;

    if (fabs(v) >= 1e15)
        snprintf(out, 32, "%.4g", v);
    else if (v < 0 || (v < 1000 && !whole))
        snprintf(out, 32, "%.2f", v);
    else
        return with_commas((uint64_t)(v + 0.5), out);
    return out;
}

static void print_pair(FILE *f, const struct pair *p)
{
    char measured[32], teg[32], ratio[24] = "-";

    if (p->measured > 0 || p->measured < 0)
        snprintf(ratio, sizeof ratio, "%.2f", p->teg / p->measured);
    fprintf(f, "  %-36.36s %-8.8s %11s %11s %s%6s%s%s\n",
            p->metric.label[0] != '\0' ? p->metric.label : p->metric.vendor,
            p->metric.unit, number_text(p->measured, measured),
            number_text(p->teg, teg), p->differs ? tint(f, TINT_NOTICE) : "",
            ratio, p->differs ? " *" : "", p->differs ? tint(f, TINT_OFF) : "");
    if (p->metric.label[0] != '\0')
        fprintf(f, "%s    %s%s\n", tint(f, TINT_DIM), p->metric.vendor,
                tint(f, TINT_OFF));
    else if (strlen(p->metric.vendor) > 36)
        fprintf(f, "%s    %s%s\n", tint(f, TINT_DIM), p->metric.vendor,
                tint(f, TINT_OFF));
}

static void print_launch(FILE *f, const struct measured_launch *l,
                         const char *gpu)
{
    char name[TEG_NAME_MAX];

    fprintf(f, "%s%.60s%s", tint(f, TINT_STRONG), kernel_title(l->kernel, name),
            tint(f, TINT_OFF));
    if (l->mean)
        fprintf(f, ", mean of its launches on %s\n", gpu);
    else
        fprintf(f, ", launch %" PRIu32 " on %s\n", l->number, gpu);
    fprintf(f, "  %-36s %-8s %11s %11s %6s\n", "metric", "unit", "measured",
            "teg", "ratio");
}

static void print_remarks(FILE *f, const struct compare *c)
{
    const size_t unknown = json_object_size(c->unknown);
    const char *name;
    json_t *value;
    size_t told = 0;

    for (uint32_t i = 0; i < c->pairs; i++) {
        const struct metric *m = &c->pair[i].metric;
        bool told_before = m->but[0] == '\0' || !c->pair[i].differs;

        for (uint32_t k = 0; k < i && !told_before; k++)
            told_before = c->pair[k].differs &&
                          strcmp(c->pair[k].metric.vendor, m->vendor) == 0;
        if (told_before)
            continue;
        fprintf(f, "  ");
        print_wrapped(f, m->vendor, 2, 4);
        fprintf(f, "    ");
        print_wrapped(f, m->but, 4, 4);
    }
    if (c->alone != 0)
        fprintf(f, "%" PRIu32 " measured launch%s no counterpart\n", c->alone,
                c->alone == 1 ? " has" : "es have");
    if (unknown == 0)
        return;
    fprintf(f, "not compared, teg has no such number:");
    json_object_foreach(c->unknown, name, value)
    {
        char text[TEG_NAME_MAX];

        if (told++ < 3)
            fprintf(f, "%s %.60s", told > 1 ? "," : "", path_title(name, text));
    }
    fprintf(f, unknown > 3 ? " and %zu more (-f json)\n" : "\n", unknown - 3);
}

static int print_text(FILE *f, const void *part)
{
    const struct compare *c = part;

    for (uint32_t i = 0; i < c->pairs; i++) {
        if (i == 0 || c->pair[i].launch != c->pair[i - 1].launch) {
            fprintf(f, "%s", i != 0 ? "\n" : "");
            print_launch(f, c->pair[i].launch, c->simulated[0].gpu);
        }
        print_pair(f, &c->pair[i]);
    }
    fprintf(f,
            "\n%" PRIu32 " of %" PRIu32
            " numbers differ (*) by more than %" PRIu32
            " %% of the larger, %" PRIu32 " launch%s\n",
            c->differing, c->pairs, c->tolerance, c->joined,
            c->joined == 1 ? "" : "es");
    if (c->timed > 1)
        fprintf(f,
                "times: geometric mean of teg / measured %.3f, mean error "
                "%.1f %%\n",
                exp(c->log_sum / c->timed), 100 * c->error / c->timed);
    print_remarks(f, c);
    return EXIT_DONE;
}

/* ---- the command -------------------------------------------------------------------- */

static int run(struct compare *c, const char *path, const char *csv)
{
    static const struct view view = {
        .text = print_text,
        .values = compare_values,
        .table = "metrics",
        .columns = "kernel,launch,metric,label,unit,measured,simulated,ratio,"
                   "differs,but",
    };
    int status = hardware_read(&c->measured, csv);

    if (status != EXIT_DONE)
        return status;
    status = get_results(c, path);
    if (status == EXIT_DONE)
        status = list_simulated(c);
    if (status == EXIT_DONE)
        status = join(c, csv);
    if (status == EXIT_DONE)
        status = view_write(&view, c, c->job.format, c->job.out);
    return status;
}

static void release(struct compare *c)
{
    hardware_release(&c->measured);
    for (uint32_t i = 0; i < c->simulated_count; i++)
        json_decref(c->simulated[i].numbers);
    free(c->simulated);
    free(c->pair);
    json_decref(c->unknown);
    json_decref(c->result);
    job_release(&c->job);
}

int cmd_compare(int argc, char **argv)
{
    struct compare compare = {.tolerance = TOLERANCE_PERCENT,
                              .job.caches = CACHES_UNSAID};
    const struct opt options[] = {
        JOB_GPU_OPTIONS(compare.job),
        JOB_TRACE_OPTIONS(compare.job),
        CACHES_OPTION(compare.job.caches, CACHES_BY_LIST),
        {"tolerance", 0, OPT_COUNT, &compare.tolerance, "PERCENT",
         "numbers further apart than this share of the larger differ "
         "(default: 20)",
         NULL},
        JOB_FORMAT_OPTION(compare.job),
        JOB_OUTPUT_OPTIONS(compare.job),
        {0}};
    const struct usage usage = {
        .command = "compare",
        .operands = "TRACE|RESULT MEASURED.csv",
        .summary =
            "Puts what a profiler measured on hardware beside what teg says: "
            "counters and times that Nsight Compute (ncu --csv, any page) or "
            "nsys stats (-f csv) export, or any table with a column of "
            "kernels. Joined are kernels by name and their launches in order. "
            "RESULT is what `teg run -f json` wrote; a trace is replayed.",
        .options = options,
        .operands_min = 2,
        .operands_max = 2,
        .examples = "  teg compare kernel.tegt ncu.csv -g a100\n"
                    "  teg compare result.json nsys.csv -f markdown\n"};
    struct operands operands;
    int status;

    if (!options_parse(&usage, argc, argv, &operands, &status))
        return status;
    catch_interrupt();
    status = run(&compare, operands.item[0], operands.item[1]);
    release(&compare);
    return status;
}
