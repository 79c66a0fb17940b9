#include "tools/teg/commands/bound_flow.h"

#include "sim/models/dataflow.h"
#include "sim/models/flow_file.h"
#include "tools/teg/cli/color.h"
#include "tools/teg/cli/settings.h"
#include "tools/teg/report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAME_COLUMN = 18, /* of the patterns of a set, where they fit */
    NAMES_MAX = 256,
};

/* An algorithm on a machine, ranked. */
struct flow_report {
    const struct job *job; /* borrowed */
    const char *bound;     /* "lattice-qcd", "data-flow" */
    const char *machine, *title;
    const struct flow_parameter *parameter; /* borrowed, [parameters] */
    uint32_t parameters;
    struct dataflow d;
    struct dataflow_result *r; /* owned, [count] */
    uint32_t count;
};

static const char *set_name(const struct dataflow *d, uint32_t set,
                            char out[NAMES_MAX])
{
    size_t used = 0;

    snprintf(out, NAMES_MAX, "none");
    for (uint32_t p = 0; p < d->patterns && used < NAMES_MAX; p++) {
        if (set >> p & 1)
            used += (size_t)snprintf(out + used, NAMES_MAX - used, "%s%s",
                                     used > 0 ? " " : "", d->pattern[p].name);
    }
    return out;
}

static bool is_feasible(const struct dataflow *d, uint32_t set)
{
    for (uint32_t p = 0; p < d->patterns; p++) {
        if ((set >> p & 1) != 0 && !d->pattern[p].feasible)
            return false;
    }
    return true;
}

static const char *limiter_name(const struct dataflow *d,
                                const struct dataflow_result *r)
{
    if (isnan(r->potential))
        return "";
    return r->bottleneck == DATAFLOW_PEAK ? "peak arithmetic"
                                          : d->link[r->bottleneck].name;
}

/* ---- text ------------------------------------------------------------------- */

static void print_pattern(FILE *f, const struct dataflow_pattern *p)
{
    char text[512];

    snprintf(text, sizeof text, "%.100s: %.120s%s%.200s", p->name, p->help,
             p->feasible ? "" : " - not here: ", p->feasible ? "" : p->why);
    fputs("  ", f);
    print_wrapped(f, text, 2, 6);
}

static void print_head(FILE *f, const struct flow_report *report)
{
    const struct dataflow *d = &report->d;

    fprintf(f, "%s%s%s\n  on %s: %s\n", tint(f, TINT_STRONG), d->name,
            tint(f, TINT_OFF), report->machine, report->title);
    fprintf(f, "  %.6g operations per %s; peak %.4g Gflop/s\n", d->ops, d->unit,
            d->peak_gflops);
    for (uint32_t l = 0; l < d->links; l++)
        fprintf(f, "%s%s %.4g GB/s", l == 0 ? "  " : ", ", d->link[l].name,
                d->link[l].bandwidth_gbs * d->link[l].efficiency);
    fputc('\n', f);
    for (uint32_t i = 0; i < report->parameters; i++) {
        const struct flow_parameter *p = &report->parameter[i];

        if (isnan(p->value))
            fprintf(f, "  %s unknown: %s\n", p->name, p->help);
        else
            fprintf(f, "  %s = %g: %s\n", p->name, p->value, p->help);
    }
    for (uint32_t p = 0; p < d->patterns; p++)
        print_pattern(f, &d->pattern[p]);
}

/* The bytes over the link that limits, or over the first. */
static void print_set(FILE *f, const struct dataflow *d,
                      const struct dataflow_result *r)
{
    char name[NAMES_MAX];
    int link = r->bottleneck >= 0 ? r->bottleneck : 0;

    fprintf(f, "  %-*s ", NAME_COLUMN, set_name(d, r->set, name));
    if (isnan(r->potential))
        fprintf(f, "%9s %8s %9s %7s  parameter unknown\n", "n/a", "n/a", "n/a",
                "n/a");
    else
        fprintf(f, "%9.4g %8.4g %9.4g %5.1f %%  %s%s\n", r->bytes[link],
                r->ratio[link], r->potential,
                100 * r->potential / d->peak_gflops, limiter_name(d, r),
                is_feasible(d, r->set) ? "" : "; not here");
}

/* What the best feasible set says, in a line. */
static void print_advice(FILE *f, const struct flow_report *report)
{
    const struct dataflow *d = &report->d;

    for (uint32_t i = 0; i < report->count; i++) {
        const struct dataflow_result *r = &report->r[i];
        char name[NAMES_MAX], text[2 * NAMES_MAX];
        size_t used;

        if (isnan(r->potential) || !is_feasible(d, r->set))
            continue;
        snprintf(text, sizeof text, "by %s%s%s", limiter_name(d, r),
                 r->set != 0 ? ", with " : "",
                 r->set != 0 ? set_name(d, r->set, name) : "");
        used = strlen(text);
        if (isfinite(r->gap) && r->gap >= 1.005)
            snprintf(text + used, sizeof text - used,
                     "; the next limit is %.3g times as high", r->gap);
        fprintf(f, "\n  at most %s%.4g Gflop/s%s,", tint(f, TINT_STRONG),
                r->potential, tint(f, TINT_OFF));
        print_wrapped(f, text, 28, 6);
        return;
    }
}

static int text(FILE *f, const void *part)
{
    const struct flow_report *report = part;

    print_head(f, report);
    fprintf(f, "\n%s  %-*s %9s %8s %9s %7s  %s%s\n", tint(f, TINT_STRONG),
            NAME_COLUMN, "patterns", "bytes", "flop/B", "Gflop/s", "of peak",
            "limited by", tint(f, TINT_OFF));
    for (uint32_t i = 0; i < report->count; i++)
        print_set(f, &report->d, &report->r[i]);
    print_advice(f, report);
    return EXIT_DONE;
}

/* ---- values --------------------------------------------------------------------- */

/* `bytes` and `ratio` are those of the first link. */
static json_t *set_json(const struct dataflow *d,
                        const struct dataflow_result *r)
{
    char name[NAMES_MAX];

    return json_pack(
        "{s:s, s:o, s:o, s:o, s:s, s:o, s:b}", "patterns",
        set_name(d, r->set, name), "bytes", number_json(r->bytes[0]), "ratio",
        number_json(r->ratio[0]), "gflops", number_json(r->potential),
        "limiter", limiter_name(d, r), "gap", number_json(r->gap), "feasible",
        is_feasible(d, r->set));
}

static json_t *sets_json(const struct flow_report *report)
{
    const struct dataflow *d = &report->d;
    json_t *sets = json_array();

    for (uint32_t i = 0; i < report->count; i++) {
        const struct dataflow_result *r = &report->r[i];
        json_t *links = json_array(), *set = set_json(d, r);

        for (uint32_t l = 0; l < d->links; l++)
            json_array_append_new(links,
                                  json_pack("{s:s, s:o, s:o, s:o}", "name",
                                            d->link[l].name, "bytes",
                                            number_json(r->bytes[l]), "ratio",
                                            number_json(r->ratio[l]), "gflops",
                                            number_json(r->gflops[l])));
        json_object_set_new(set, "links", links);
        if (d->has_cores) {
            json_object_set_new(set, "core_bytes", number_json(r->core_bytes));
            json_object_set_new(set, "core_ratio", number_json(r->core_ratio));
        }
        json_array_append_new(sets, set);
    }
    return sets;
}

static json_t *links_json(const struct dataflow *d)
{
    json_t *links = json_array();

    for (uint32_t l = 0; l < d->links; l++)
        json_array_append_new(
            links, json_pack("{s:s, s:f, s:f}", "name", d->link[l].name, "gbs",
                             d->link[l].bandwidth_gbs, "efficiency",
                             d->link[l].efficiency));
    return links;
}

static json_t *patterns_json(const struct dataflow *d)
{
    json_t *patterns = json_array();

    for (uint32_t p = 0; p < d->patterns; p++)
        json_array_append_new(
            patterns,
            json_pack("{s:s, s:s, s:b, s:s}", "name", d->pattern[p].name,
                      "help", d->pattern[p].help, "feasible",
                      d->pattern[p].feasible, "why",
                      d->pattern[p].feasible ? "" : d->pattern[p].why));
    return patterns;
}

static json_t *values(const void *part)
{
    const struct flow_report *report = part;
    const struct dataflow *d = &report->d;
    json_t *parameters = json_object();

    for (uint32_t i = 0; i < report->parameters; i++)
        json_object_set_new(parameters, report->parameter[i].name,
                            number_json(report->parameter[i].value));
    return json_pack("{s:o, s:s, s:s, s:s, s:s, s:f, s:f, s:o, s:o, s:o, s:o}",
                     "teg", teg_json(), "bound", report->bound, "algorithm",
                     d->name, "gpu", report->machine, "unit", d->unit,
                     "peak_gflops", d->peak_gflops, "ops", d->ops, "parameters",
                     parameters, "links", links_json(d), "patterns",
                     patterns_json(d), "sets", sets_json(report));
}

/* Ranks and writes. */
static int write_report(struct flow_report *report)
{
    static const struct view view = {
        .text = text,
        .values = values,
        .table = "sets",
        .columns = "patterns",
    };
    int status;

    report->r = calloc((size_t)1 << report->d.patterns, sizeof *report->r);
    if (report->r == NULL)
        return say_memory();
    report->count = dataflow_rank(&report->d, 0, report->r);
    status = view_write(&view, report, report->job->format, report->job->out);
    free(report->r);
    return status;
}

/* ---- an algorithm in a file ------------------------------------------------------ */

/* Keys with a dot are the description's. */
static int set_parameters(struct job *job, const struct opt_list *set,
                          struct settings *settings, struct flow_file *f)
{
    int status = settings_split(settings, set, "bound", "set", &job->set);

    for (uint32_t i = 0; status == EXIT_DONE && i < settings->count; i++) {
        char text[2 * SETTING_BYTES];
        struct teg_diag d;

        if (settings->value[i] == NULL)
            continue;
        snprintf(text, sizeof text, "%s=%s", settings->text[i],
                 settings->value[i]);
        if (flow_file_set(f, text, &d) != TEG_OK)
            return say_usage("bound", "--set: %s%s%s", d.where,
                             d.where[0] != '\0' ? ": " : "", d.what);
    }
    return status;
}

static int choose_machine(struct job *job, const struct flow_file *f,
                          struct flow_machine *m)
{
    struct teg_diag d;
    int status;

    if (job->gpu_name != NULL) {
        status = job_open_gpu(job);
        if (status == EXIT_DONE)
            flow_machine_of(m, job->gpu);
        return status;
    }
    if (flow_file_machine(f, m, &d) == TEG_OK)
        return EXIT_DONE;
    if (d.status == TEG_UNKNOWN)
        return say_usage("bound", "%s: expected --gpu, found nothing", d.where);
    return say_fault(&d);
}

static int report_flow(struct job *job, const struct opt_list *set,
                       struct flow_file *f)
{
    struct settings *settings = calloc(1, sizeof *settings);
    struct flow_report *report = calloc(1, sizeof *report);
    struct flow_machine m;
    struct teg_diag d;
    int status = settings != NULL && report != NULL ? EXIT_DONE : say_memory();

    if (status == EXIT_DONE)
        status = set_parameters(job, set, settings, f);
    if (status == EXIT_DONE)
        status = choose_machine(job, f, &m);
    if (status == EXIT_DONE &&
        flow_file_describe(f, &m, &report->d, &d) != TEG_OK)
        status = say_fault(&d);
    if (status == EXIT_DONE) {
        report->job = job;
        report->bound = "data-flow";
        report->machine = m.name;
        report->title = m.title;
        report->parameter = flow_file_parameters(f, &report->parameters);
        status = write_report(report);
    }
    free(settings);
    free(report);
    return status;
}

int bound_flow(struct job *job, const struct opt_list *set, const char *path)
{
    struct flow_file *f;
    struct teg_diag d;
    int status;

    if (flow_file_open(path, &f, &d) != TEG_OK)
        return say_fault(&d);
    status = report_flow(job, set, f);
    flow_file_free(f);
    return status;
}

/* ---- Lattice QCD ------------------------------------------------------------------- */

/* Shares of the half spinors at boundaries, and the I/O link. */
struct lattice_inputs {
    double alpha, beta, io_gbs, io_efficiency;
};

static const struct teg_parameter lattice_parameters[] = {
    {"alpha", "", "share of the half spinors at processor boundaries",
     MODEL_RULE_SHARE, 0.125, offsetof(struct lattice_inputs, alpha)},
    {"beta", "", "share of the half spinors at core boundaries",
     MODEL_RULE_SHARE, MODEL_REQUIRED, offsetof(struct lattice_inputs, beta)},
    {"io_gbs", "GB/s", "link to other nodes; 0: one node", MODEL_RULE_COUNT, 0,
     offsetof(struct lattice_inputs, io_gbs)},
    {"io_efficiency", "", "share of it that carries data", MODEL_RULE_SHARE,
     0.8, offsetof(struct lattice_inputs, io_efficiency)},
};

enum {
    LATTICE_PARAMETERS = sizeof lattice_parameters / sizeof *lattice_parameters
};

/* Any GPU: its double precision, and what its chip has room and paths for.
 * Eight half spinors of 96 bytes must stay on it for P3 (2.4.2), and a site's
 * eight gauge matrices of 144 for P2. */
static void lattice_of_gpu(struct lattice_machine *m, const struct teg_gpu *gpu)
{
    struct flow_machine any;

    flow_machine_of(&any, gpu);
    *m = (struct lattice_machine){
        .name = gpu->name,
        .title = gpu->title,
        .peak_gflops = any.peak_double,
        .memory_gbs = any.dram_gbs,
        .why_not = {NULL, any.thread_bytes >= 8 * 144 ? NULL : LATTICE_NO_GAUGE,
                    any.thread_bytes >= 8 * 96 ? NULL : LATTICE_NO_SPINORS,
                    LATTICE_NO_IO, any.core_path ? NULL : LATTICE_NO_PATH},
    };
}

static int lattice_open(struct job *job, struct lattice_machine *machine)
{
    const struct lattice_machine *m;
    int status;

    if (job->gpu_name == NULL)
        return say_usage("bound", "lattice-qcd: expected --gpu, found nothing");
    m = lattice_machine(job->gpu_name);
    if (m != NULL && job->set.count == 0) {
        *machine = *m;
        return EXIT_DONE;
    }
    status = job_open_gpu(job);
    if (status == EXIT_DONE)
        lattice_of_gpu(machine, job->gpu);
    return status;
}

static int report_lattice(struct job *job, const struct opt_list *set,
                          struct settings *settings, struct flow_report *report)
{
    struct flow_parameter shown[LATTICE_PARAMETERS];
    struct lattice_inputs in;
    struct lattice_machine machine;
    int status = settings_split(settings, set, "bound", "set", &job->set);

    model_inputs_init(&in, lattice_parameters, LATTICE_PARAMETERS);
    if (status == EXIT_DONE)
        status = settings_apply(settings, &in, lattice_parameters,
                                LATTICE_PARAMETERS, "bound", "set");
    if (status == EXIT_DONE)
        status = lattice_open(job, &machine);
    if (status != EXIT_DONE)
        return status;
    machine.io_gbs = in.io_gbs;
    machine.io_efficiency = in.io_efficiency;
    lattice_qcd(&report->d, &machine, in.alpha, in.beta);
    for (uint32_t i = 0; i < LATTICE_PARAMETERS; i++)
        shown[i] = (struct flow_parameter){
            lattice_parameters[i].name, lattice_parameters[i].help,
            model_input(&in, &lattice_parameters[i])};
    report->job = job;
    report->bound = "lattice-qcd";
    report->machine = machine.name;
    report->title = machine.title;
    report->parameter = shown;
    report->parameters = LATTICE_PARAMETERS;
    return write_report(report);
}

int bound_lattice(struct job *job, const struct opt_list *set)
{
    struct settings *settings = calloc(1, sizeof *settings);
    struct flow_report *report = calloc(1, sizeof *report);
    int status = settings != NULL && report != NULL
                     ? report_lattice(job, set, settings, report)
                     : say_memory();

    free(settings);
    free(report);
    return status;
}
