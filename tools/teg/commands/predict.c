/*
 * teg predict: time and power of a launch on every trained GPU, from its
 * portable features and a forest.
 *
 *     matmul (kernel 1): 1,024 blocks of 64 threads, 2,467,840 instructions
 *       gpu         predicted            one deviation    error  when left out
 *       a100        time      15.2 us   12.1 .. 19.0       24 %   its kernel
 *       outside the training data: blocks 1,024 (1 .. 512)
 */
#include "tools/teg/cli/gpu_path.h"
#include "tools/teg/report/report.h"

#include "sim/learn/forest.h"
#include "traces/study/features.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BUNDLED "portable.forest"

struct predict {
    struct job job;
    const char *model;
    bool timing;
    char path[TEG_GPU_PATH_SIZE]; /* of the forest */
    struct teg_forest *forest;    /* owned */
    /* Of each of the forest's features: which of a trace's it is. */
    enum teg_feature source[TEG_FOREST_FEATURES_MAX];
};

/* One launch and what the models say. */
struct prediction {
    const struct predict *self;      /* borrowed */
    const struct teg_kernel *kernel; /* borrowed */
    uint32_t number;
    struct teg_features features;
    float x[TEG_FOREST_FEATURES_MAX];
};

/* ---- the forest ---------------------------------------------------------------- */

static int match_features(struct predict *self)
{
    for (uint32_t i = 0; i < teg_forest_features(self->forest); i++) {
        const char *name = teg_forest_feature(self->forest, i);

        self->source[i] = teg_feature_find(name);
        if (self->source[i] == TEG_FEATURES) {
            say(self->path,
                "the forest was trained on '%s', which is no feature of a "
                "trace",
                name);
            return EXIT_FAULT;
        }
    }
    return EXIT_DONE;
}

static bool is_chosen(const struct predict *self, uint32_t model)
{
    return self->job.gpu_name == NULL ||
           strcmp(teg_forest_model(self->forest, model)->gpu,
                  self->job.gpu_name) == 0;
}

static int check_gpu(const struct predict *self)
{
    struct teg_nearest nearest;
    char hint[96];

    if (self->job.gpu_name == NULL)
        return EXIT_DONE;
    teg_nearest_init(&nearest, self->job.gpu_name);
    for (uint32_t m = 0; m < teg_forest_models(self->forest); m++) {
        if (is_chosen(self, m))
            return EXIT_DONE;
        teg_nearest_offer(&nearest, teg_forest_model(self->forest, m)->gpu);
    }
    return say_usage("predict", "%s has no GPU '%s'%s", self->path,
                     self->job.gpu_name, did_you_mean(&nearest, "", hint));
}

static int open_forest(struct predict *self)
{
    struct teg_diag d;
    int status = EXIT_DONE;

    if (self->model != NULL)
        snprintf(self->path, sizeof self->path, "%s", self->model);
    else
        status = gpu_path_find(BUNDLED, self->job.config_dir, self->path);
    if (status != EXIT_DONE)
        return status;
    if (teg_forest_open(self->path, &self->forest, &d) != TEG_OK)
        return say_fault(&d);
    status = match_features(self);
    return status == EXIT_DONE ? check_gpu(self) : status;
}

/* ---- one launch ------------------------------------------------------------------ */

/* A feature the trace does not have takes its usual value. */
static void fill(const struct predict *self, struct prediction *p)
{
    for (uint32_t i = 0; i < teg_forest_features(self->forest); i++) {
        enum teg_feature f = self->source[i];

        p->x[i] =
            (float)(p->features.known[f] ? p->features.value[f]
                                         : teg_forest_usual(self->forest, i));
    }
}

/* True if `model` saw nothing as small or as large; the range in `*least`,
 * `*greatest`. */
static bool is_outside(const struct predict *self, const struct prediction *p,
                       uint32_t model, uint32_t i, double *least,
                       double *greatest)
{
    teg_forest_range(self->forest, model, i, least, greatest);
    return (double)p->x[i] < *least || (double)p->x[i] > *greatest;
}

/* True if the trees' spread reaches what the training targets end at: they
 * cannot say less or more, the launch may.  Over an estimate they can. */
static bool is_at_edge(const struct teg_forest_model *m,
                       const struct teg_forest_estimate *e)
{
    const double rounding = 1e-9; /* of a logarithm and its exponential */

    if (m->is_over)
        return false;
    return e->low <= m->target_min * (1 + rounding) ||
           e->high >= m->target_max * (1 - rounding);
}

static json_t *outside_json(const struct predict *self,
                            const struct prediction *p, uint32_t model)
{
    json_t *list = json_array();
    double least, greatest;

    for (uint32_t i = 0; i < teg_forest_features(self->forest); i++) {
        if (is_outside(self, p, model, i, &least, &greatest))
            json_array_append_new(list,
                                  json_pack("{s:s, s:f, s:f, s:f}", "feature",
                                            teg_forest_feature(self->forest, i),
                                            "value", (double)p->x[i], "least",
                                            least, "greatest", greatest));
    }
    return list;
}

static json_t *unknown_json(const struct predict *self,
                            const struct prediction *p)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < teg_forest_features(self->forest); i++) {
        if (!p->features.known[self->source[i]])
            json_array_append_new(
                list, json_text(teg_forest_feature(self->forest, i)));
    }
    return list;
}

static json_t *estimate_json(const struct predict *self,
                             const struct prediction *p, uint32_t model)
{
    const struct teg_forest_model *m = teg_forest_model(self->forest, model);
    struct teg_forest_estimate e;

    teg_forest_evaluate(self->forest, model, p->x, &e);
    return json_pack("{s:s, s:s, s:s, s:f, s:f, s:f, s:o, s:i, s:I, s:o, s:o, "
                     "s:o, s:f, s:f, s:b}",
                     "gpu", m->gpu, "target", m->target, "unit", m->unit,
                     "value", e.value, "low", e.low, "high", e.high, "over",
                     m->is_over ? json_real(e.over) : json_null(), "trees",
                     (int)m->trees, "samples", (json_int_t)m->samples,
                     "sample_out_percent", number_json(m->sample_out_percent),
                     "kernel_out_percent", number_json(m->kernel_out_percent),
                     "outside", outside_json(self, p, model), "target_least",
                     m->target_min, "target_greatest", m->target_max, "at_edge",
                     is_at_edge(m, &e));
}

/* What makes a launch slower than another of the same features: of these the
 * forest says one number for all. */
static const struct unseen {
    enum teg_feature feature;
    const char *accesses, *beyond;
} unseen[] = {
    {FEATURE_conflict_degree, "shared memory take",
     "times the passes that they need"},
    {FEATURE_sector_degree, "global memory move",
     "times the sectors that their bytes fill"},
};

#define UNSEEN_MIN 1.25 /* times: what costs a fifth of the time at most */

static bool knows(const struct predict *self, enum teg_feature f)
{
    for (uint32_t i = 0; i < teg_forest_features(self->forest); i++) {
        if (self->source[i] == f)
            return true;
    }
    return false;
}

static bool is_unseen(const struct prediction *p, const struct unseen *u)
{
    return !knows(p->self, u->feature) &&
           p->features.value[u->feature] >= UNSEEN_MIN;
}

static json_t *unseen_json(const struct prediction *p)
{
    json_t *list = json_array();

    for (size_t i = 0; i < sizeof unseen / sizeof unseen[0]; i++) {
        if (is_unseen(p, &unseen[i]))
            json_array_append_new(
                list, json_text(teg_feature_facts(unseen[i].feature)->name));
    }
    return list;
}

static json_t *values(const void *part)
{
    const struct prediction *p = part;
    const struct predict *self = p->self;
    json_t *list = json_array();

    for (uint32_t m = 0; m < teg_forest_models(self->forest); m++) {
        if (is_chosen(self, m))
            json_array_append_new(list, estimate_json(self, p, m));
    }
    return json_pack("{s:s, s:i, s:o, s:o, s:o}", "name", p->kernel->name,
                     "number", (int)p->number, "unknown", unknown_json(self, p),
                     "unseen", unseen_json(p), "predictions", list);
}

static json_t *whole(const void *part, json_t *kernels)
{
    const struct predict *self = part;

    return json_pack("{s:o, s:{s:o, s:s}, s:O}", "teg", teg_json(), "model",
                     "file", json_text(self->path), "trained_on",
                     teg_forest_trained_on(self->forest), "kernels", kernels);
}

/* The features beyond what the model was trained on: "blocks regs". */
static json_t *outside_cell(const struct predict *self,
                            const struct prediction *p, uint32_t model)
{
    char text[TEG_FOREST_FEATURES_MAX * 32] = "";
    double least, greatest;
    size_t used = 0;

    for (uint32_t i = 0; i < teg_forest_features(self->forest); i++) {
        if (is_outside(self, p, model, i, &least, &greatest) &&
            used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
                                     used > 0 ? " " : "",
                                     teg_forest_feature(self->forest, i));
    }
    return json_text(text);
}

static json_t *row_json(const struct prediction *p, uint32_t model)
{
    const struct predict *self = p->self;
    const struct teg_forest_model *m = teg_forest_model(self->forest, model);
    struct teg_forest_estimate e;
    json_t *row = json_object();

    teg_forest_evaluate(self->forest, model, p->x, &e);
    json_object_set_new(row, "number", json_integer(p->number));
    json_object_set_new(row, "kernel", json_text(p->kernel->name));
    json_object_set_new(row, "gpu", json_text(m->gpu));
    json_object_set_new(row, "target", json_text(m->target));
    json_object_set_new(row, "unit", json_text(m->unit));
    json_object_set_new(row, "value", json_sprintf("%.9g", e.value));
    json_object_set_new(row, "low", json_sprintf("%.9g", e.low));
    json_object_set_new(row, "high", json_sprintf("%.9g", e.high));
    json_object_set_new(row, "outside", outside_cell(self, p, model));
    return row;
}

/* A row is a model. */
static json_t *rows(const void *part)
{
    const struct prediction *p = part;
    json_t *array = json_array();

    for (uint32_t m = 0; m < teg_forest_models(p->self->forest); m++) {
        if (is_chosen(p->self, m))
            json_array_append_new(array, row_json(p, m));
    }
    return array;
}

/* "24 %", or "n/a" if it was not measured. */
static const char *percent(double v, char out[16])
{
    snprintf(out, 16, isnan(v) ? "n/a" : "%.0f %%", v);
    return out;
}

static void print_estimate(FILE *f, const struct teg_forest_model *m,
                           const struct teg_forest_estimate *e)
{
    char sample[16], kernel[16];

    fprintf(f, "  %-13s %-6s %9.4g %-3s %9.4g .. %-9.4g %8s %8s\n", m->gpu,
            m->target, e->value, m->unit, e->low, e->high,
            percent(m->sample_out_percent, sample),
            percent(m->kernel_out_percent, kernel));
}

/* True if a chosen model learned over an estimate. */
static bool is_over(const struct predict *self)
{
    for (uint32_t m = 0; m < teg_forest_models(self->forest); m++) {
        if (is_chosen(self, m) && teg_forest_model(self->forest, m)->is_over)
            return true;
    }
    return false;
}

/* A feature is named once, with the widest range any chosen model has. */
static void print_outside(const struct predict *self, FILE *f,
                          const struct prediction *p)
{
    bool any = false;

    for (uint32_t i = 0; i < teg_forest_features(self->forest); i++) {
        double low = (double)INFINITY, high = -low, least, greatest;
        bool outside = false;

        for (uint32_t m = 0; m < teg_forest_models(self->forest); m++) {
            if (!is_chosen(self, m))
                continue;
            outside |= is_outside(self, p, m, i, &least, &greatest);
            low = least < low ? least : low;
            high = greatest > high ? greatest : high;
        }
        if (!outside)
            continue;
        fprintf(f, "%s %s %.6g (%.6g .. %.6g)",
                any ? "," : "  outside the training data:",
                teg_forest_feature(self->forest, i), (double)p->x[i], low,
                high);
        any = true;
    }
    if (any)
        fprintf(f, "\n  %s: expect a larger error\n",
                is_over(self) ? "there the time grows as a sum of features does"
                              : "trees do not extrapolate");
}

/* Models whose prediction lies where their training targets end. */
static void print_edges(const struct predict *self, FILE *f,
                        const struct prediction *p)
{
    const char *before = "  at the edge of the training data: ";

    for (uint32_t i = 0; i < teg_forest_models(self->forest); i++) {
        const struct teg_forest_model *m = teg_forest_model(self->forest, i);
        struct teg_forest_estimate e;

        if (!is_chosen(self, i))
            continue;
        teg_forest_evaluate(self->forest, i, p->x, &e);
        if (!is_at_edge(m, &e))
            continue;
        fprintf(f, "%s%s %s (%.4g .. %.4g %s)", before, m->gpu, m->target,
                m->target_min, m->target_max, m->unit);
        before = ", ";
    }
    if (before[0] == ',')
        fputc('\n', f);
}

static void print_unknown(const struct predict *self, FILE *f,
                          const struct prediction *p)
{
    for (uint32_t i = 0; i < teg_forest_features(self->forest); i++) {
        if (!p->features.known[self->source[i]])
            fprintf(f, "  the trace does not say %s: taken as %.6g\n",
                    teg_forest_feature(self->forest, i), (double)p->x[i]);
    }
}

static void print_unseen(FILE *f, const struct prediction *p)
{
    bool any = false;

    for (size_t i = 0; i < sizeof unseen / sizeof unseen[0]; i++) {
        if (!is_unseen(p, &unseen[i]))
            continue;
        fprintf(f, "  accesses to %s %.3g %s\n", unseen[i].accesses,
                p->features.value[unseen[i].feature], unseen[i].beyond);
        any = true;
    }
    if (any)
        fputs(
            "  the forest does not know that: the launch takes longer than is "
            "said, and one\n  without it is no better here; teg run ranks "
            "them\n",
            f);
}

static int text(FILE *f, const void *part)
{
    const struct prediction *p = part;
    const struct predict *self = p->self;
    char a[28], b[28], c[28], name[TEG_NAME_MAX];

    fprintf(f,
            "%s (kernel %" PRIu32 "): %s block%s of %s threads, %s "
            "instructions of threads\n",
            kernel_title(p->kernel->name, name), p->number,
            with_commas(teg_kernel_blocks(p->kernel), a),
            teg_kernel_blocks(p->kernel) == 1 ? "" : "s",
            with_commas(teg_kernel_threads_per_block(p->kernel), b),
            with_commas((uint64_t)p->features.value[FEATURE_instructions], c));
    fprintf(f, "  %-13s %-6s %13s %22s %8s %8s\n", "gpu", "", "predicted",
            "one deviation", "sample", "kernel");
    for (uint32_t m = 0; m < teg_forest_models(self->forest); m++) {
        struct teg_forest_estimate e;

        if (!is_chosen(self, m))
            continue;
        teg_forest_evaluate(self->forest, m, p->x, &e);
        print_estimate(f, teg_forest_model(self->forest, m), &e);
    }
    print_outside(self, f, p);
    print_edges(self, f, p);
    print_unknown(self, f, p);
    print_unseen(f, p);
    fputc('\n', f);
    return EXIT_DONE;
}

/* Microseconds that the chosen models take together, the mean of many. */
static void say_timing(const struct predict *self, const struct prediction *p,
                       double features_s)
{
    enum {
        TIMES = 1000
    };
    struct teg_forest_estimate e;
    double began = job_clock();
    uint32_t models = 0;

    for (uint32_t m = 0; m < teg_forest_models(self->forest); m++) {
        if (!is_chosen(self, m))
            continue;
        models++;
        for (int i = 0; i < TIMES; i++)
            teg_forest_evaluate(self->forest, m, p->x, &e);
    }
    say("timing", "features in %.3f ms, a prediction in %.4f ms (%u models)",
        1e3 * features_s, 1e3 * (job_clock() - began) / TIMES / models, models);
}

static int one_launch(const struct predict *self, struct writer *w,
                      uint32_t kernel)
{
    struct prediction p = {.self = self, .number = kernel + 1};
    double began = job_clock();
    struct teg_launch launch;
    struct teg_diag d;
    int status;

    if (teg_trace_launch(self->job.trace, kernel, &launch, &d) != TEG_OK)
        return say_fault(&d);
    p.kernel = launch.kernel;
    if (teg_features_collect(&launch, &p.features, &d) == TEG_OK) {
        fill(self, &p);
        if (p.features.bulk > 0)
            say(self->path,
                "%s: %" PRIu64 " bulk copies count no bytes: the launch takes "
                "longer than is said",
                p.kernel->name, p.features.bulk);
        if (self->timing)
            say_timing(self, &p, job_clock() - began);
        status = writer_add(w, &p);
    } else {
        status = say_fault(&d);
    }
    if (launch.close != NULL)
        launch.close(launch.self);
    return status;
}

/* ---- all launches ------------------------------------------------------------------ */

/* What is in a feature's name that tells variants of a kernel apart. */
static bool knows_accesses(const struct teg_forest *forest)
{
    for (uint32_t i = 0; i < teg_forest_features(forest); i++) {
        if (strstr(teg_forest_feature(forest, i), "conflict") != NULL ||
            strstr(teg_forest_feature(forest, i), "transactions") != NULL)
            return true;
    }
    return false;
}

/* Before any number: what it was learned from, and what it cannot tell. */
static int head(FILE *f, const void *part)
{
    const struct predict *self = part;
    char path[TEG_NAME_MAX];

    fprintf(f, "%s\n  ", path_title(self->path, path));
    print_wrapped(f, teg_forest_trained_on(self->forest), 2, 2);
    if (!knows_accesses(self->forest)) {
        fputs("  ", f);
        print_wrapped(f,
                      "Bank conflicts and coalescing are none of its features: "
                      "variants of a kernel that differ by them it does not "
                      "rank; teg run does.",
                      2, 2);
    }
    fputc('\n', f);
    return EXIT_DONE;
}

static int foot(FILE *f, const void *part)
{
    (void)part;
    fprintf(f, "sample, kernel: mean error of the model when a sample, or all "
               "samples of a\nkernel, were left out of its training.\n");
    return EXIT_DONE;
}

static int predict(const struct predict *self)
{
    static const struct view view = {
        .head = head,
        .text = text,
        .foot = foot,
        .values = values,
        .whole = whole,
        .full_digits = true,
        .rows = rows,
        .streamed = true,
        .row_end = "\n",
    };
    struct writer w;
    int status = writer_open(&w, &view, self, self->job.format, self->job.out);

    if (status != EXIT_DONE)
        return status;
    for (uint32_t i = 0; status == EXIT_DONE && i < self->job.kernel_count; i++)
        status = interrupted() ? EXIT_INTERRUPTED
                               : one_launch(self, &w, self->job.kernel[i]);
    return writer_end(&w, status);
}

int cmd_predict(int argc, char **argv)
{
    struct predict *self = calloc(1, sizeof *self);
    struct operands operands;
    int status;

    if (self == NULL)
        return say_memory();
    const struct opt options[] = {
        {"gpu", 'g', OPT_TEXT, &self->job.gpu_name, "GPU",
         "only this one of the forest's GPUs", NULL},
        {"model", 'm', OPT_TEXT, &self->model, "FILE",
         "another forest than the bundled one (tools/learn/train makes them)",
         NULL},
        {"config-dir", 0, OPT_TEXT, &self->job.config_dir, "DIR",
         "look for the bundled forest here first", NULL},
        {"timing", 0, OPT_FLAG, &self->timing, NULL,
         "say on standard error how long a prediction takes", NULL},
        JOB_TRACE_OPTIONS(self->job),
        JOB_FORMAT_OPTION(self->job),
        JOB_OUTPUT_OPTIONS(self->job),
        {0}};
    const struct usage usage = {
        .command = "predict",
        .operands = "TRACE",
        .summary = "Predicts time and power of each launch on every GPU that a "
                   "forest was trained for, from its portable features, and "
                   "says where they lie outside the training data.",
        .options = options,
        .operands_min = 1,
        .operands_max = 1,
        .examples = "  teg predict kernel.tegt\n"
                    "  teg predict kernel.tegt -g a100 --model mine.forest\n"};

    if (options_parse(&usage, argc, argv, &operands, &status)) {
        catch_interrupt();
        status = open_forest(self);
        if (status == EXIT_DONE)
            status = job_open_trace(&self->job, operands.item[0]);
        if (status == EXIT_DONE)
            status = predict(self);
        job_release(&self->job);
        teg_forest_free(self->forest);
    }
    free(self);
    return status;
}
