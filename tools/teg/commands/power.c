/*
 * teg power TRACE: power, energy, temperature and the best number of SMs.
 * teg power -g GPU --set KEY=VALUE,...: the same of counts given by hand.
 * teg power --split, --efficiency KEY=VALUE,...: a CPU and a GPU together.
 *
 * Cycles come from a replay or from an analytical model; power_report.h shows
 * the report.
 */
#include "sim/models/efficiency.h"
#include "tools/teg/power/hetero.h"
#include "tools/teg/power/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Warp instructions that a sweep replays without being asked: seconds. */
static const double sweep_unasked_max = 10e6;

static const char from_replay[] = "simulated";

struct power_run {
    struct job job;
    struct opt_list set, split, efficiency;
    const char *cycles, *sweep, *after, *time_to; /* as given, or NULL */
    uint32_t cores, goal;
    double to_celsius; /* NAN: nobody asked */
    struct settings settings;
    struct output out;
    json_t *kernels; /* owned; what JSON gathers */
    double celsius;  /* of the chip before the next kernel; NAN: idle */
    double energy_j, seconds; /* of all kernels so far */
};

/* ---- one kernel -------------------------------------------------------------- */

struct measured {
    struct replay replay;
    struct power_inputs in;
    const char *from;
};

static int set_inputs(const struct power_run *run, struct power_inputs *in)
{
    uint32_t count;
    const struct teg_parameter *p = power_parameters(&count);

    return settings_apply(&run->settings, in, p, count, "power", "set");
}

/* Without a clock, for models. */
static int walk(struct replay *r, const struct job *job, uint32_t kernel)
{
    struct teg_diag d;

    *r = (struct replay){.launches =
                             teg_trace_kernel_launches(job->trace, kernel)};
    r->s = calloc(1, sizeof *r->s);
    if (r->s == NULL)
        return say_memory();
    if (teg_gpu_copy(job->gpu, &r->gpu, &d) != TEG_OK ||
        teg_trace_launch(job->trace, kernel, &r->launch, &d) != TEG_OK ||
        teg_profile(&r->launch, r->gpu, r->s, &d) != TEG_OK)
        return say_fault(&d);
    return EXIT_DONE;
}

/* Says which of `run`'s SMs a walked launch would use. */
static uint32_t sms_to_use(const struct power_run *run,
                           const struct teg_statistics *s)
{
    uint32_t sms = run->job.gpu->chip.sms;

    if (run->cores != 0 && run->cores < sms)
        sms = run->cores;
    return s->blocks < sms ? (uint32_t)s->blocks : sms;
}

static int take_predicted(const struct power_run *run, struct measured *m)
{
    const struct teg_model *model = teg_model_find(m->from);
    uint32_t sms = sms_to_use(run, m->replay.s);
    struct teg_diag d;

    if (power_predict_cycles(model, m->replay.s, m->replay.gpu, sms,
                             &m->in.launch.exec_cycles, &d) != TEG_OK)
        return say_fault(&d);
    m->in.launch.active_sms = sms;
    return EXIT_DONE;
}

static int replay_on(const struct power_run *run, uint32_t kernel, uint32_t sms,
                     struct replay *replay)
{
    char label[48];
    const struct replay_options options = {.sms = sms, .label = label};

    snprintf(label, sizeof label, "kernel %u", kernel + 1);
    if (sms != 0)
        snprintf(label, sizeof label, "%u, %u SMs", kernel + 1, sms);
    return replay_init(replay, &run->job, kernel, &options);
}

/* Fills `m->in` from `m->replay`. */
static int take_counts(const struct power_run *run, struct measured *m)
{
    struct teg_diag d;

    power_inputs_init(&m->in);
    if (power_inputs_machine(&m->in, m->replay.gpu, &d) != TEG_OK ||
        power_inputs_measure(&m->in, m->replay.s, m->replay.gpu, &d) != TEG_OK)
        return say_fault(&d);
    m->in.run.start_temp = run->celsius;
    return EXIT_DONE;
}

/* On failure, too, `m->replay` is to be released. */
static int measure(const struct power_run *run, struct measured *m,
                   uint32_t kernel)
{
    int status;

    *m = (struct measured){.from = run->cycles};
    status = run->cycles == from_replay
                 ? replay_on(run, kernel, run->cores, &m->replay)
                 : walk(&m->replay, &run->job, kernel);
    if (status == EXIT_DONE)
        status = take_counts(run, m);
    if (status == EXIT_DONE && run->cycles != from_replay)
        status = take_predicted(run, m);
    if (settings_has(&run->settings, "exec_cycles"))
        m->from = "given";
    if (status == EXIT_DONE)
        status = set_inputs(run, &m->in);
    return status;
}

/* ---- number of SMs ----------------------------------------------------------- */

static int add_point(struct power_curve *c, const struct power_inputs *in)
{
    struct power_estimate e;
    struct teg_diag d;

    if (power_evaluate(in, &e, &d) != TEG_OK)
        return say_usage("power", "--set: %s: %s", d.where, d.what);
    power_point_fill(&c->point[c->count++], &in->launch, &e.power);
    return EXIT_DONE;
}

static int replay_point(const struct power_run *run, struct power_curve *c,
                        uint32_t kernel, uint32_t sms)
{
    struct measured m = {.from = from_replay};
    int status = replay_on(run, kernel, sms, &m.replay);

    if (status != EXIT_DONE && status != EXIT_INTERRUPTED)
        return status;
    if (status == EXIT_DONE)
        status = take_counts(run, &m);
    if (status == EXIT_DONE)
        status = set_inputs(run, &m.in);
    if (status == EXIT_DONE)
        status = add_point(c, &m.in);
    replay_release(&m.replay);
    return status;
}

/* Returns 0, and says why in the curve, if the model does not apply. */
static int predict_point(struct power_curve *c, const struct measured *m,
                         const struct teg_model *model, uint32_t sms,
                         int *status)
{
    struct power_inputs in = m->in;
    struct teg_diag d;

    if (power_predict_cycles(model, m->replay.s, m->replay.gpu, sms,
                             &in.launch.exec_cycles, &d) != TEG_OK) {
        snprintf(c->why, sizeof c->why, "%.60s: %.130s", d.where, d.what);
        return 0;
    }
    in.launch.active_sms = sms;
    *status = add_point(c, &in);
    return 1;
}

static int sweep(const struct power_run *run, struct power_curve *c,
                 const struct measured *m, uint32_t kernel, uint32_t most)
{
    const struct teg_model *model = teg_model_find(c->from);
    int status = EXIT_DONE;

    c->point = calloc(most, sizeof *c->point);
    if (c->point == NULL)
        return say_memory();
    for (uint32_t sms = 1; status == EXIT_DONE && sms <= most; sms++) {
        if (model == NULL) {
            status = replay_point(run, c, kernel, sms);
        } else if (!predict_point(c, m, model, sms, &status)) {
            c->count = 0;
            break;
        }
    }
    return status;
}

/* What the sweep's cycles come from; NULL, and why, for no sweep. */
static const char *sweep_source(const struct power_run *run,
                                struct power_curve *c, const struct measured *m,
                                uint32_t most)
{
    double replayed = (double)m->replay.s->warp_instructions * most;

    if (settings_has(&run->settings, "exec_cycles") ||
        settings_has(&run->settings, "active_sms")) {
        snprintf(c->why, sizeof c->why, "cycles or SMs were given by hand");
        return NULL;
    }
    if (strcmp(run->sweep, "off") == 0) {
        snprintf(c->why, sizeof c->why, "--sweep off");
        return NULL;
    }
    if (strcmp(run->sweep, "auto") != 0)
        return run->sweep;
    if (run->cycles != from_replay)
        return run->cycles;
    return replayed <= sweep_unasked_max ? from_replay : "mwp-cwp";
}

static int find_curve(const struct power_run *run, struct power_report *r,
                      const struct measured *m, uint32_t kernel)
{
    const struct teg_statistics *s = m->replay.s;
    uint32_t sms = run->job.gpu->chip.sms;
    uint32_t most = s->blocks < sms ? (uint32_t)s->blocks : sms;
    struct power_curve *c = &r->curve;
    struct teg_diag d;
    int status;

    c->goal = run->goal;
    c->from = sweep_source(run, c, m, most);
    if (c->from == NULL)
        return EXIT_DONE;
    status = sweep(run, c, m, kernel, most);
    if (status != EXIT_DONE || c->count == 0)
        return status;
    power_gate(c->point, c->count);
    for (enum power_goal g = 0; g < POWER_GOALS; g++)
        c->best[g] = power_best(c->point, c->count, g);
    c->has_rule = power_rule_cores(s, m->replay.gpu, POWER_CORES_RESOLVED,
                                   &c->rule, &d) == TEG_OK;
    if (run->job.gpu->chip.sms_per_cluster > 1) {
        r->sms = (uint32_t)c->point[c->best[c->goal]].active_sms;
        if (power_place(run->job.gpu, r->sms, r->sm, &r->tpcs, &d) != TEG_OK)
            r->sms = 0;
    }
    return EXIT_DONE;
}

/* ---- reports ------------------------------------------------------------------ */

/* The kernel leaves the chip as warm as it made it. */
static void account(struct power_run *run, const struct power_report *r)
{
    if (r->e.has_thermal)
        run->celsius = r->e.thermal.temp_t;
    run->energy_j += r->e.energy_j;
    run->seconds += r->e.run.t_s;
}

/* Identical launches follow each other: for that time, unless told how long,
 * the kernel runs. */
static teg_status evaluate(const struct power_report *r,
                           struct power_inputs *in, struct power_estimate *e,
                           struct teg_diag *d)
{
    uint32_t launches =
        r->result != NULL ? replay_launches(r->result->replay) : 1;

    TRY(power_evaluate(in, e, d));
    if (launches == 1 || !isnan(in->run.t_s))
        return TEG_OK;
    in->run.t_s = launches * e->power.time_s;
    return power_evaluate(in, e, d);
}

static int fill_report(const struct power_run *run, struct power_report *r,
                       struct power_inputs *in)
{
    struct teg_diag d;

    r->gpu = run->job.gpu;
    r->launch = in->launch;
    r->machine = in->machine;
    r->thermal = in->thermal;
    r->to_celsius = run->to_celsius;
    if (evaluate(r, in, &r->e, &d) != TEG_OK)
        return say_usage("power", "--set: %s: %s", d.where, d.what);
    if (!isnan(r->to_celsius) && !r->e.has_thermal) {
        say(r->gpu->name, "the description has no thermal section, which "
                          "--time-to needs");
        return EXIT_FAULT;
    }
    if (!isnan(r->to_celsius))
        r->to_seconds =
            thermal_seconds_to(&in->thermal, r->e.run.start_temp,
                               r->e.thermal.max_temp, r->to_celsius);
    return EXIT_DONE;
}

static void add_report(struct power_run *run, const struct power_report *r)
{
    if (run->job.format == FORMAT_JSON) {
        json_array_append_new(run->kernels, power_json(r));
        return;
    }
    if (run->job.format == FORMAT_CSV) {
        power_rows(run->kernels, r);
        return;
    }
    if (run->seconds > 0)
        fputc('\n', run->out.file);
    power_text(run->out.file, r);
}

static int power_kernel(struct power_run *run, uint32_t kernel)
{
    struct power_report *r = calloc(1, sizeof *r);
    struct measured m;
    int status;

    if (r == NULL)
        return say_memory();
    status = measure(run, &m, kernel);
    if (status == EXIT_DONE) {
        struct result result = {.replay = &m.replay, .number = kernel + 1};

        r->result = &result;
        r->cycles_from = m.from;
        status = fill_report(run, r, &m.in);
        if (status == EXIT_DONE)
            status = find_curve(run, r, &m, kernel);
        if (status == EXIT_DONE) {
            add_report(run, r);
            account(run, r);
        }
    }
    replay_release(&m.replay);
    free(r->curve.point);
    free(r);
    return status;
}

static json_t *total_json(const struct power_run *run)
{
    return json_pack("{s:i, s:f, s:f, s:o, s:o}", "kernels",
                     (int)run->job.kernel_count, "seconds", run->seconds,
                     "energy_j", run->energy_j, "mean_gpu_watts",
                     json_ratio(run->energy_j, run->seconds), "celsius",
                     number_json(run->celsius));
}

static void total_text(const struct power_run *run)
{
    char time[24];

    fprintf(run->out.file,
            "\ntotal of %u kernels\n  energy      %12.4g J  in %s: %.1f W on "
            "average\n",
            run->job.kernel_count, run->energy_j,
            seconds_text(run->seconds, time), run->energy_j / run->seconds);
    if (!isnan(run->celsius))
        fprintf(run->out.file, "  temperature %12.1f C  at the end\n",
                run->celsius);
}

static int finish_data(struct power_run *run)
{
    if (run->job.format == FORMAT_CSV)
        return output_csv(run->job.out, "kernel,number,cycles_from",
                          json_incref(run->kernels));
    return output_json(
        run->job.out,
        kernels_json(run->kernels, run->job.kernel_count, total_json(run)));
}

static int finish_text(struct power_run *run)
{
    if (run->job.kernel_count > 1)
        total_text(run);
    return output_close(&run->out);
}

static int power_kernels(struct power_run *run)
{
    bool text = run->job.format == FORMAT_TEXT;
    int status = EXIT_DONE;

    run->kernels = json_array();
    if (text)
        status = output_open(&run->out, run->job.out);
    for (uint32_t i = 0; status == EXIT_DONE && i < run->job.kernel_count; i++)
        status = power_kernel(run, run->job.kernel[i]);
    if (status == EXIT_DONE)
        status = text ? finish_text(run) : finish_data(run);
    else if (text)
        output_abandon(&run->out);
    json_decref(run->kernels);
    return status;
}

/* A description that lacks the section must not wait for a long trace. */
static int check_machine(const struct power_run *run)
{
    struct power_inputs in;
    struct teg_diag d;

    power_inputs_init(&in);
    if (power_inputs_machine(&in, run->job.gpu, &d) == TEG_OK)
        return EXIT_DONE;
    say(d.where, "%s; docs/power.md says what belongs there", d.what);
    return EXIT_FAULT;
}

static int power_trace(struct power_run *run, const char *path)
{
    int status = job_open_trace(&run->job, path);

    if (status == EXIT_DONE)
        status = job_open_gpu(&run->job);
    if (status == EXIT_DONE)
        status = check_machine(run);
    if (status == EXIT_DONE)
        status = power_kernels(run);
    return status;
}

/* ---- without a trace ------------------------------------------------------------ */

static int report_by_hand(struct power_run *run, const struct power_report *r)
{
    int status;

    if (run->job.format == FORMAT_JSON)
        return output_json(run->job.out, power_json(r));
    if (run->job.format == FORMAT_CSV) {
        json_t *rows = json_array();

        power_rows(rows, r);
        return output_csv(run->job.out, "kernel,number,cycles_from", rows);
    }
    status = output_open(&run->out, run->job.out);
    if (status != EXIT_DONE)
        return status;
    power_text(run->out.file, r);
    return output_close(&run->out);
}

static int power_by_hand(struct power_run *run)
{
    struct power_report *r;
    struct power_inputs in;
    int status;

    if (run->job.gpu_name == NULL)
        return say_usage("power", "expected TRACE, or -g and --set");
    status = job_open_gpu(&run->job);
    if (status == EXIT_DONE)
        status = check_machine(run);
    if (status != EXIT_DONE)
        return status;
    power_inputs_init(&in);
    power_inputs_machine(&in, run->job.gpu, NULL);
    status = set_inputs(run, &in);
    if (status != EXIT_DONE)
        return status;
    r = calloc(1, sizeof *r);
    if (r == NULL)
        return say_memory();
    r->cycles_from = "given";
    snprintf(r->curve.why, sizeof r->curve.why, "needs a trace");
    status = fill_report(run, r, &in);
    if (status == EXIT_DONE)
        status = report_by_hand(run, r);
    free(r);
    return status;
}

/* ---- the command ------------------------------------------------------------------ */

/* "simulated", one of `others` or the name of a model. */
static int check_source(const char *option, const char **name,
                        const char *const *others)
{
    struct teg_nearest nearest;
    uint32_t count;
    const struct teg_model *models = teg_models(&count);
    char hint[96];

    if (strcmp(*name, from_replay) == 0) {
        *name = from_replay;
        return EXIT_DONE;
    }
    teg_nearest_init(&nearest, *name);
    teg_nearest_offer(&nearest, from_replay);
    for (; *others != NULL; others++) {
        if (strcmp(*name, *others) == 0)
            return EXIT_DONE;
        teg_nearest_offer(&nearest, *others);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(*name, models[i].name) == 0)
            return EXIT_DONE;
        teg_nearest_offer(&nearest, models[i].name);
    }
    return say_usage("power",
                     "--%s: expected 'simulated' or a model, found '%s'%s",
                     option, *name, did_you_mean(&nearest, "", hint));
}

static int check_number(const char *option, const char *text, double *value)
{
    char *end;

    if (text == NULL)
        return EXIT_DONE;
    *value = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(*value) || *value < 0)
        return say_usage("power",
                         "--%s: expected a number of at least 0, found '%s'",
                         option, text);
    return EXIT_DONE;
}

/* --after is a short name of t_s. */
static int check_after(struct power_run *run)
{
    static const char key[] = "t_s=";
    double seconds;
    int status = check_number("after", run->after, &seconds);
    char text[64];
    struct opt_list one = {.item = {text}, .count = 1};

    if (status != EXIT_DONE || run->after == NULL)
        return status;
    snprintf(text, sizeof text, "%s%.17g", key, seconds);
    return settings_split(&run->settings, &one, "power", "after", NULL);
}

static int check_options(struct power_run *run)
{
    static const char *const none[] = {NULL};
    static const char *const sweeps[] = {"auto", "off", NULL};
    struct power_inputs in;
    int status = check_source("cycles", &run->cycles, none);

    if (status == EXIT_DONE)
        status = check_source("sweep", &run->sweep, sweeps);
    if (status == EXIT_DONE)
        status = check_number("time-to", run->time_to, &run->to_celsius);
    if (status == EXIT_DONE)
        status = settings_split(&run->settings, &run->set, "power", "set",
                                &run->job.set);
    if (status == EXIT_DONE)
        status = check_after(run);
    /* A misspelt name must not wait for a long trace. */
    power_inputs_init(&in);
    return status == EXIT_DONE ? set_inputs(run, &in) : status;
}

static int hetero(struct power_run *run, const struct opt_list *list,
                  const char *option,
                  int (*report)(const struct job *, const struct settings *))
{
    struct settings *s = calloc(1, sizeof *s);
    int status;

    if (s == NULL)
        return say_memory();
    status = settings_split(s, list, "power", option, NULL);
    if (status == EXIT_DONE)
        status = report(&run->job, s);
    free(s);
    return status;
}

static int power_command(struct power_run *run, const struct operands *operands)
{
    int status = EXIT_DONE;

    if (run->split.count > 0 && run->efficiency.count > 0)
        return say_usage("power", "--split and --efficiency exclude each "
                                  "other");
    if (operands->count > 0 && run->split.count + run->efficiency.count > 0)
        return say_usage("power", "--split and --efficiency take no TRACE");
    if (run->split.count > 0)
        return hetero(run, &run->split, "split", hetero_split);
    if (run->efficiency.count > 0)
        return hetero(run, &run->efficiency, "efficiency", hetero_efficiency);
    status = check_options(run);
    if (status != EXIT_DONE)
        return status;
    return operands->count > 0 ? power_trace(run, operands->item[0])
                               : power_by_hand(run);
}

static size_t list_rows(char *out, size_t size, size_t used, const char *title,
                        const struct teg_parameter *p, uint32_t count)
{
    used += (size_t)snprintf(out + used, size - used, "\n%s:\n", title);
    for (uint32_t i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "  %-18s %-13s %s\n",
                                 p[i].name, p[i].unit, p[i].help);
    return used < size ? used : size - 1;
}

/* The end of --help. */
static void list_parameters(char *out, size_t size)
{
    uint32_t count;
    const struct teg_parameter *p = power_parameters(&count);
    size_t used = (size_t)snprintf(
        out, size,
        "  teg power kernel.tegt -g gtx280\n"
        "  teg power kernel.tegt -g gtx280 --cores 20 --after 60\n"
        "  teg power kernel.tegt -g gtx280 --cycles mwp-cwp --time-to 70\n"
        "  teg power --split perf_cpu_gflops=50,perf_gpu_gflops=500 \\\n"
        "      --split work_gflop=1000,bytes_gb=4,link_gbs=5\n");

    used = list_rows(out, size, used, "Parameters of --set", p, count);
    p = efficiency_split_inputs(&count);
    used = list_rows(out, size, used, "Parameters of --split", p, count);
    p = efficiency_mix_inputs(&count);
    list_rows(out, size, used, "Parameters of --efficiency", p, count);
}

static const char *const goal_names[POWER_GOALS + 1] = {
    "energy", "runtime_energy", "gated_energy", "edp", "time", NULL};

int cmd_power(int argc, char **argv)
{
    struct power_run *run = calloc(1, sizeof *run);
    char examples[8192];

    if (run == NULL)
        return say_memory();
    run->cycles = from_replay;
    run->sweep = "auto";
    run->to_celsius = run->celsius = nan("");
    const struct opt options[] = {
        {"gpu", 'g', OPT_TEXT, &run->job.gpu_name, "GPU",
         "a name that `teg gpus` lists, or a .cfg file; default: the one that "
         "stands for the trace's architecture",
         NULL},
        {"config-dir", 0, OPT_TEXT, &run->job.config_dir, "DIR",
         "look for GPU descriptions here first", NULL},
        {"set", 0, OPT_LIST, &run->set, "KEY=VALUE[,KEY=VALUE]",
         "give a parameter (below) by hand, or change a value of the GPU "
         "description (`teg gpus --keys`)",
         NULL},
        {"cores", 0, OPT_COUNT, &run->cores, "N", "use only N SMs", NULL},
        {"cycles", 0, OPT_TEXT, &run->cycles, "SOURCE",
         "simulated (default), or the analytical model whose cycles to take "
         "instead of a replay",
         NULL},
        {"sweep", 0, OPT_TEXT, &run->sweep, "SOURCE",
         "cycles over the number of SMs: simulated, a model, off, or auto "
         "(default: simulated if it takes seconds, else mwp-cwp)",
         NULL},
        {"goal", 0, OPT_CHOICE, &run->goal, "GOAL",
         "what the best number of SMs has least of: energy (default), "
         "runtime_energy (above idle), gated_energy, edp or time",
         goal_names},
        {"after", 0, OPT_TEXT, &run->after, "SECONDS",
         "repeat the kernel for so long: temperature, power and energy then",
         NULL},
        {"time-to", 0, OPT_TEXT, &run->time_to, "CELSIUS",
         "say when the chip reaches that temperature", NULL},
        {"split", 0, OPT_LIST, &run->split, "KEY=VALUE[,KEY=VALUE]",
         "instead: the share of a CPU and a GPU of some work", NULL},
        {"efficiency", 0, OPT_LIST, &run->efficiency, "KEY=VALUE[,KEY=VALUE]",
         "instead: speed-up and energy efficiency of a CPU with a GPU", NULL},
        JOB_TRACE_OPTIONS(run->job),
        JOB_FORMAT_OPTION(run->job),
        JOB_OUTPUT_OPTIONS(run->job),
        {0}};
    const struct usage usage = {
        .command = "power",
        .operands = "[TRACE]",
        .summary = "Replays TRACE and says what power each component of the "
                   "GPU draws, the energy and temperature, and how many SMs "
                   "cost least. Without TRACE, of counts given by hand. "
                   "docs/power.md has the equations.",
        .options = options,
        .operands_max = 1,
        .examples = examples};
    struct operands operands;
    int status;

    list_parameters(examples, sizeof examples);
    if (options_parse(&usage, argc, argv, &operands, &status)) {
        catch_interrupt();
        status = power_command(run, &operands);
        job_release(&run->job);
    }
    free(run);
    return status;
}
