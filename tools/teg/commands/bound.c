/*
 * teg bound sgemm -g GPU: the upper bound of a single-precision matrix
 * product, with the blocking factors that reach it.
 * teg bound FILE.flow, lattice-qcd: the same of an algorithm, from the bytes it
 * must move (bound_flow.h).
 * teg bound TRACE -g GPU: how far a kernel is from what its instruction mix
 * allows.
 *
 *     $ teg bound sgemm -g gtx580
 *     SGEMM on gtx580: GeForce GTX 580 (GF110)
 *       ...
 *       bound      1304 Gflop/s = 82.5 % of 1581, limited by the SMs
 *       blocking   B_R 6, T_B 256, L 16, LDS.64
 *       registers  63 of 63: 36 C, 12 prefetch, 8 A and B, 7 indices
 */
#include "sim/models/bound.h"
#include "sim/models/sgemm_bound.h"
#include "tools/teg/cli/settings.h"
#include "tools/teg/commands/bound_flow.h"
#include "tools/teg/report/report.h"

#include <math.h>
#include <string.h>

struct bound_run {
    struct job job;
    struct opt_list set;
    struct settings settings; /* `set`, cut apart; not of a TRACE */
};

static json_t *terms_json(const struct teg_term_facts *terms, uint32_t count,
                          const double *value)
{
    json_t *o = json_object();

    for (uint32_t i = 0; i < count; i++)
        json_object_set_new(o, terms[i].name, number_json(value[i]));
    return o;
}

/* Keys with a dot belong to the GPU description, the others to the bound. */
static int split_set(struct bound_run *run)
{
    return settings_split(&run->settings, &run->set, "bound", "set",
                          &run->job.set);
}

/* ---- SGEMM ---------------------------------------------------------------- */

static const char *const load_names[SGEMM_LOADS] = {"LDS", "LDS.64", "LDS.128"};

struct sgemm_report {
    const char *name, *title, *source;
    struct sgemm_machine machine;
    struct sgemm_result best, of_load[SGEMM_LOADS];
    bool fits[SGEMM_LOADS];
};

static int sgemm_set(const struct bound_run *run, struct sgemm_machine *m)
{
    return settings_apply(&run->settings, m, sgemm_inputs_kind.parameter,
                          sgemm_inputs_kind.count, "bound", "set");
}

/* A chip with published throughputs needs no description. */
static int sgemm_open(struct bound_run *run, struct sgemm_report *report)
{
    const struct sgemm_published *p;
    int status;

    if (run->job.gpu_name == NULL)
        return say_usage("bound", "sgemm: expected --gpu, found nothing");
    p = sgemm_published(run->job.gpu_name);
    if (p != NULL && run->job.set.count == 0) {
        report->name = p->name;
        report->title = p->title;
        report->source = p->source;
        report->machine = p->machine;
        return EXIT_DONE;
    }
    status = job_open_gpu(&run->job);
    if (status != EXIT_DONE)
        return status;
    report->name = run->job.gpu->name;
    report->title = run->job.gpu->title;
    report->source = "the GPU description; no throughput of a mix is measured";
    sgemm_machine_of(&report->machine, run->job.gpu);
    return EXIT_DONE;
}

static int sgemm_find(struct sgemm_report *report)
{
    struct teg_diag d;

    if (sgemm_search(&report->machine, SGEMM_LOADS, &report->best, &d) !=
        TEG_OK)
        return say_usage("bound", "sgemm: %s%s%s", d.where,
                         d.where[0] != '\0' ? ": " : "", d.what);
    for (enum sgemm_load x = SGEMM_LDS; x < SGEMM_LOADS; x++)
        report->fits[x] = sgemm_search(&report->machine, x, &report->of_load[x],
                                       NULL) == TEG_OK;
    return EXIT_DONE;
}

static const char *load_name(const struct sgemm_result *r)
{
    return load_names[r->width < 64 ? 0 : r->width < 128 ? 1 : 2];
}

static void print_best(FILE *f, const struct sgemm_machine *m,
                       const struct sgemm_result *r)
{
    char a[28], b[28];

    fprintf(f,
            "\n  bound      %.4g Gflop/s = %.1f %% of %.4g, limited by the "
            "%s\n",
            r->p, r->percent, m->p_theoretical,
            r->p_mem < r->p_sm ? "memory bandwidth" : "SMs");
    fprintf(f, "  blocking   B_R %.0f, T_B %.0f, L %.0f, %s\n", r->b_r, r->t_b,
            r->l, load_name(r));
    fprintf(f,
            "  registers  %.0f of %.0f a thread: %.0f C, %.0f prefetch, %.0f A "
            "and B, %.0f indices\n",
            r->r_t, m->r_max, r->b_r * r->b_r, r->prefetch,
            r->b_r + r->width / 32, m->r_index);
    fprintf(f,
            "  residence  %.0f blocks = %.0f threads, %s of %s bytes of shared "
            "memory\n",
            r->blk, r->t_sm, with_commas((uint64_t)r->shared, a),
            with_commas((uint64_t)m->sh_sm, b));
}

static void print_loads(FILE *f, const struct sgemm_report *report)
{
    fprintf(f, "\n  %-8s %4s %5s %4s %4s %5s %11s %10s %9s %9s %7s\n", "loads",
            "B_R", "T_B", "L", "R_T", "T_SM", "FFMA share", "mix /cycle",
            "P_SM", "P_mem", "of peak");
    for (enum sgemm_load x = SGEMM_LDS; x < SGEMM_LOADS; x++) {
        const struct sgemm_result *r = &report->of_load[x];

        if (report->fits[x])
            fprintf(f,
                    "  %-8s %4.0f %5.0f %4.0f %4.0f %5.0f %9.1f %% %10.1f "
                    "%9.0f %9.0f %5.1f %%\n",
                    load_names[x], r->b_r, r->t_b, r->l, r->r_t, r->t_sm,
                    100 * r->fraction, r->mix_tp, r->p_sm, r->p_mem,
                    r->percent);
        else
            fprintf(f, "  %-8s n/a: no blocking factors fit\n", load_names[x]);
    }
}

static int sgemm_text(FILE *f, const void *part)
{
    const struct sgemm_report *report = part;

    fprintf(f, "SGEMM on %s: %s\n  parameters from %s\n", report->name,
            report->title, report->source);
    print_best(f, &report->machine, &report->best);
    print_loads(f, report);
    return EXIT_DONE;
}

static json_t *sgemm_result_json(const struct sgemm_result *r)
{
    const double value[SGEMM_TERMS] = {
#define RESULT(field, symbol, unit, equation, help) r->field,
#include "sim/models/sgemm_bound.def"
    };

    return terms_json(sgemm_terms, SGEMM_TERMS, value);
}

/* A row is a width of loads; one that does not fit has no numbers. */
static json_t *sgemm_rows(const void *part)
{
    const struct sgemm_report *report = part;
    json_t *rows = json_array();

    for (enum sgemm_load x = SGEMM_LDS; x < SGEMM_LOADS; x++) {
        const struct sgemm_result none = {0};
        json_t *terms =
            sgemm_result_json(report->fits[x] ? &report->of_load[x] : &none);
        json_t *row =
            json_pack("{s:s, s:s}", "gpu", report->name, "load", load_names[x]);
        const char *name;
        json_t *value;

        json_object_foreach(terms, name, value) json_object_set_new(
            row, name, report->fits[x] ? json_incref(value) : json_null());
        json_decref(terms);
        json_array_append_new(rows, row);
    }
    return rows;
}

static json_t *sgemm_machine_json(const struct sgemm_machine *m)
{
    json_t *o = json_object();

    for (uint32_t i = 0; i < sgemm_inputs_kind.count; i++) {
        const struct teg_parameter *p = &sgemm_inputs_kind.parameter[i];

        json_object_set_new(o, p->name, number_json(model_input(m, p)));
    }
    return o;
}

static json_t *sgemm_values(const void *part)
{
    const struct sgemm_report *report = part;
    json_t *loads = json_object();

    for (enum sgemm_load x = SGEMM_LDS; x < SGEMM_LOADS; x++)
        json_object_set_new(loads, load_names[x],
                            report->fits[x]
                                ? sgemm_result_json(&report->of_load[x])
                                : json_null());
    return json_pack(
        "{s:o, s:s, s:s, s:s, s:s, s:f, s:s, s:o, s:o, s:o}", "teg", teg_json(),
        "bound", "sgemm", "gpu", report->name, "title", report->title, "source",
        report->source, "percent", report->best.percent, "load",
        load_name(&report->best), "best", sgemm_result_json(&report->best),
        "loads", loads, "machine", sgemm_machine_json(&report->machine));
}

static int bound_sgemm(struct bound_run *run)
{
    static const struct view view = {
        .text = sgemm_text,
        .values = sgemm_values,
        .rows = sgemm_rows,
        .columns = "gpu,load",
    };
    struct sgemm_report report;
    struct sgemm_machine scratch;
    int status = split_set(run);

    /* Misspelt names are found before anything is opened. */
    if (status == EXIT_DONE)
        status = sgemm_set(run, &scratch);
    if (status == EXIT_DONE)
        status = sgemm_open(run, &report);
    if (status == EXIT_DONE)
        status = sgemm_set(run, &report.machine);
    if (status == EXIT_DONE)
        status = sgemm_find(&report);
    if (status != EXIT_DONE)
        return status;
    return view_write(&view, &report, run->job.format, run->job.out);
}

/* ---- a trace --------------------------------------------------------------- */

struct kernel_bound {
    struct result result;
    struct bound b;
};

static void print_bound(FILE *f, const struct bound *b,
                        const struct teg_statistics *s)
{
    double cycles = (double)s->cycles;
    char simulated[28], least[28];

    fprintf(f, "\n  cycles    %14s  simulated\n",
            with_commas(s->cycles, simulated));
    fprintf(f, "  at least  %14s  by %s\n",
            with_commas((uint64_t)ceil(b->cycles), least), b->resource[0].name);
    fprintf(f, "\n  %.0f %% of what this instruction mix allows",
            100 * b->cycles / cycles);
    if (isnan(b->arithmetic_cycles))
        fputs("; of its arithmetic: n/a, it has no floating-point "
              "instruction\n",
              f);
    else
        fprintf(f,
                ",\n  %.0f %% of what its floating-point arithmetic and DRAM "
                "traffic allow\n",
                100 * b->arithmetic_cycles / cycles);
    fprintf(f, "\n  %-28s %14s %8s %14s\n", "resource", "cycles at least",
            "busy", "arithmetic");
    for (uint32_t i = 0; i < b->count; i++)
        fprintf(f, "  %-28s %15.0f %6.1f %% %14.0f\n", b->resource[i].name,
                b->resource[i].cycles, 100 * b->resource[i].cycles / cycles,
                b->resource[i].arithmetic);
}

static json_t *resource_json(const struct bound *b, uint32_t i)
{
    return json_pack("{s:s, s:f, s:f}", "name", b->resource[i].name, "cycles",
                     b->resource[i].cycles, "arithmetic",
                     b->resource[i].arithmetic);
}

/* A row is a resource. */
static json_t *kernel_rows(const void *part)
{
    const struct kernel_bound *k = part;
    const struct teg_statistics *s = k->result.replay->s;
    json_t *rows = json_array();

    for (uint32_t i = 0; i < k->b.count; i++) {
        json_t *row = json_pack("{s:s, s:i, s:I}", "kernel", s->name, "number",
                                (int)k->result.number, "simulated",
                                (json_int_t)s->cycles);
        json_t *resource = resource_json(&k->b, i);

        json_object_update(row, resource);
        json_decref(resource);
        json_array_append_new(rows, row);
    }
    return rows;
}

static json_t *bound_json(const struct bound *b, const struct teg_statistics *s)
{
    json_t *resources = json_array();

    for (uint32_t i = 0; i < b->count; i++)
        json_array_append_new(resources, resource_json(b, i));
    return json_pack(
        "{s:f, s:s, s:o, s:o, s:o, s:o}", "cycles", b->cycles, "limiter",
        b->resource[0].name, "of_bound_percent",
        json_ratio(100 * b->cycles, (double)s->cycles), "arithmetic_cycles",
        number_json(b->arithmetic_cycles), "of_arithmetic_percent",
        isnan(b->arithmetic_cycles)
            ? json_null()
            : json_ratio(100 * b->arithmetic_cycles, (double)s->cycles),
        "resources", resources);
}

static json_t *kernel_values(const void *part)
{
    const struct kernel_bound *k = part;
    const struct replay *replay = k->result.replay;

    return json_pack("{s:o, s:o, s:o, s:I, s:o}", "teg", teg_json(), "gpu",
                     gpu_json(replay->gpu), "kernel", kernel_json(&k->result),
                     "cycles", (json_int_t)replay->s->cycles, "bound",
                     bound_json(&k->b, replay->s));
}

static json_t *kernels_whole(const void *self, json_t *kernels)
{
    const struct bound_run *run = self;

    return kernels_json(kernels, run->job.kernel_count, NULL);
}

static int kernel_text(FILE *f, const void *part)
{
    const struct kernel_bound *k = part;

    text_head(f, &k->result);
    print_bound(f, &k->b, k->result.replay->s);
    return EXIT_DONE;
}

static int report_bound(struct writer *w, const struct replay *replay,
                        uint32_t kernel)
{
    struct kernel_bound k = {
        .result = {.replay = replay, .number = kernel + 1}};
    struct teg_diag d;

    if (bound_find(&k.b, replay->s, replay->gpu, &d) != TEG_OK)
        return say_fault(&d);
    return writer_add(w, &k);
}

static int bound_kernel(const struct bound_run *run, struct writer *w,
                        uint32_t kernel)
{
    const struct replay_options options = {.label = "bound"};
    struct replay replay;
    int status = replay_init(&replay, &run->job, kernel, &options);

    /* Half a kernel is at no percentage of anything. */
    if (status == EXIT_DONE)
        status = report_bound(w, &replay, kernel);
    if (status == EXIT_DONE || status == EXIT_INTERRUPTED)
        replay_release(&replay);
    return status;
}

static int bound_kernels(const struct bound_run *run)
{
    static const struct view view = {
        .text = kernel_text,
        .spaced = true,
        .values = kernel_values,
        .whole = kernels_whole,
        .rows = kernel_rows,
        .columns = "kernel,number,simulated,name,cycles,arithmetic",
    };
    struct writer w;
    int status = writer_open(&w, &view, run, run->job.format, run->job.out);

    if (status != EXIT_DONE)
        return status;
    for (uint32_t i = 0; status == EXIT_DONE && i < run->job.kernel_count; i++)
        status = bound_kernel(run, &w, run->job.kernel[i]);
    return writer_end(&w, status);
}

static int bound_trace(struct bound_run *run, const char *path)
{
    int status;

    run->job.set = run->set;
    catch_interrupt();
    status = job_open_trace(&run->job, path);
    if (status == EXIT_DONE)
        status = job_open_gpu(&run->job);
    if (status == EXIT_DONE)
        status = bound_kernels(run);
    return status;
}

/* Named so, because it is read as text: a sketch is text, too. */
static bool is_flow(const char *path)
{
    static const char tail[] = ".flow";
    size_t length = strlen(path);

    return length >= sizeof tail &&
           strcmp(path + length - (sizeof tail - 1), tail) == 0;
}

/* ---- the command ------------------------------------------------------------ */

int cmd_bound(int argc, char **argv)
{
    struct bound_run run = {0};
    const struct opt options[] = {
        {"gpu", 'g', OPT_TEXT, &run.job.gpu_name, "GPU",
         "a name that `teg gpus` lists, or a .cfg file; sgemm knows gtx580 and "
         "gtx680 from published measurements",
         NULL},
        {"config-dir", 0, OPT_TEXT, &run.job.config_dir, "DIR",
         "look for GPU descriptions here first", NULL},
        {"set", 0, OPT_LIST, &run.set, "KEY=VALUE",
         "change a value of the GPU description (`teg gpus --keys`), a "
         "parameter of sgemm (`teg explain`), of a FILE.flow, or alpha, beta, "
         "io_gbs, io_efficiency of lattice-qcd",
         NULL},
        JOB_TRACE_OPTIONS(run.job),
        JOB_FORMAT_OPTION(run.job),
        JOB_OUTPUT_OPTIONS(run.job),
        {0}};
    const struct usage usage = {
        .command = "bound",
        .operands = "sgemm | lattice-qcd | FILE.flow | TRACE",
        .summary = "Says what the hardware allows at most: for a "
                   "single-precision matrix product the best blocking factors "
                   "and the throughput they reach; for an algorithm described "
                   "in FILE.flow (docs/flow.md), or Lattice QCD's "
                   "Hopping_Matrix, the throughput that each way to move less "
                   "data allows; for the kernels of TRACE "
                   "how long their instructions take at least on each "
                   "resource, and how near the simulation is to that.",
        .options = options,
        .operands_min = 1,
        .operands_max = 1,
        .examples = "  teg bound sgemm -g gtx580\n"
                    "  teg bound sgemm -g gtx680 --set r_max=255\n"
                    "  teg bound lattice-qcd -g cell --set beta=0.1\n"
                    "  teg bound docs/examples/matmul.flow -g a100\n"
                    "  teg bound kernel.tegt -g v100\n"};
    struct operands operands;
    int status;

    if (!options_parse(&usage, argc, argv, &operands, &status))
        return status;
    if (strcmp(operands.item[0], "sgemm") == 0)
        status = bound_sgemm(&run);
    else if (strcmp(operands.item[0], "lattice-qcd") == 0)
        status = bound_lattice(&run.job, &run.set);
    else if (is_flow(operands.item[0]))
        status = bound_flow(&run.job, &run.set, operands.item[0]);
    else
        status = bound_trace(&run, operands.item[0]);
    job_release(&run.job);
    return status;
}
