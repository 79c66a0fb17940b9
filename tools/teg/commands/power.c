/*
 * teg power TRACE: power, energy, temperature and the best number of SMs.
 * teg power -g GPU --set KEY=VALUE,...: the same of counts given by hand.
 * teg power --split, --efficiency KEY=VALUE,...: a CPU and a GPU together.
 * teg power -g GPU --placement SMS: the TPCs that sets of SMs open.
 *
 * Cycles come from a replay or from an analytical model; power/report.h shows
 * the report.
 */
#include "sim/models/efficiency.h"
#include "tools/teg/power/hetero.h"
#include "tools/teg/power/measure.h"
#include "tools/teg/power/placement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct power_run {
    struct power_request ask;
    struct opt_list set, split, efficiency, placement;
    const char *after, *time_to; /* as given, or NULL */
    double energy_j, seconds;    /* of all kernels so far */
};

/* ---- reports ------------------------------------------------------------------ */

/* The kernel leaves the chip as warm as it made it. */
static void account(struct power_run *run, const struct power_report *r)
{
    if (r->e.has_thermal)
        run->ask.celsius = r->e.thermal.temp_t;
    run->energy_j += r->e.energy_j;
    run->seconds += r->e.run.t_s;
}

/* What it draws on a chip that cannot run it is an estimate of an estimate. */
static void say_generation(const struct replay *r)
{
    char text[256], name[TEG_NAME_MAX];

    if (remark_generation(r->gpu, r->launch.kernel, text, sizeof text))
        say(kernel_title(r->s->name, name), "%s", text);
}

static int power_kernel(struct power_run *run, struct writer *w,
                        uint32_t kernel)
{
    struct power_report *r = calloc(1, sizeof *r);
    struct power_measured m;
    int status;

    if (r == NULL)
        return say_memory();
    status = power_measure(&run->ask, &m, kernel);
    if (status == EXIT_DONE) {
        struct result result = {.replay = &m.replay, .number = kernel + 1};

        r->result = &result;
        r->cycles_from = m.from;
        say_generation(&m.replay);
        status = power_fill(&run->ask, r, &m.in);
        if (status == EXIT_DONE)
            status = power_find_curve(&run->ask, r, &m, kernel);
        if (status == EXIT_DONE)
            status = writer_add(w, r);
        if (status == EXIT_DONE)
            account(run, r);
    }
    replay_release(&m.replay);
    free(r->curve.point);
    free(r);
    return status;
}

static json_t *total_json(const struct power_run *run)
{
    return json_pack("{s:i, s:f, s:f, s:o, s:o}", "kernels",
                     (int)run->ask.job.kernel_count, "seconds", run->seconds,
                     "energy_j", run->energy_j, "mean_gpu_watts",
                     json_ratio(run->energy_j, run->seconds), "celsius",
                     number_json(run->ask.celsius));
}

static int total_text(FILE *f, const void *self)
{
    const struct power_run *run = self;
    char time[24];

    if (run->ask.job.kernel_count == 1)
        return EXIT_DONE;
    fprintf(f,
            "\ntotal of %u kernels\n  energy      %12.4g J  in %s: %.1f W on "
            "average\n",
            run->ask.job.kernel_count, run->energy_j,
            seconds_text(run->seconds, time), run->energy_j / run->seconds);
    if (!isnan(run->ask.celsius))
        fprintf(f, "  temperature %12.1f C  at the end\n", run->ask.celsius);
    return EXIT_DONE;
}

static json_t *whole(const void *self, json_t *kernels)
{
    const struct power_run *run = self;

    return kernels_json(kernels, run->ask.job.kernel_count, total_json(run));
}

static int text(FILE *f, const void *part)
{
    power_text(f, part);
    return EXIT_DONE;
}

static json_t *values(const void *part)
{
    return power_json(part);
}

static json_t *rows(const void *part)
{
    return power_rows(part);
}

static int power_kernels(struct power_run *run)
{
    static const struct view view = {
        .text = text,
        .foot = total_text,
        .spaced = true,
        .values = values,
        .whole = whole,
        .rows = rows,
        .columns = "kernel,number,cycles_from",
    };
    const struct job *job = &run->ask.job;
    struct writer w;
    int status = writer_open(&w, &view, run, job->format, job->out);

    if (status != EXIT_DONE)
        return status;
    for (uint32_t i = 0; status == EXIT_DONE && i < job->kernel_count; i++)
        status = power_kernel(run, &w, job->kernel[i]);
    return writer_end(&w, status);
}

/* A description that lacks the section must not wait for a long trace. */
static int check_machine(const struct power_run *run)
{
    struct power_inputs in;
    struct teg_diag d;

    power_inputs_init(&in);
    if (power_inputs_machine(&in, run->ask.job.gpu, &d) == TEG_OK)
        return EXIT_DONE;
    say(d.where, "%s; docs/power.md says what belongs there", d.what);
    return EXIT_FAULT;
}

static int power_trace(struct power_run *run, const char *path)
{
    int status = job_open_trace(&run->ask.job, path);

    if (status == EXIT_DONE)
        status = job_open_gpu(&run->ask.job);
    if (status == EXIT_DONE)
        status = check_machine(run);
    if (status == EXIT_DONE)
        status = power_kernels(run);
    return status;
}

/* ---- without a trace ------------------------------------------------------------ */

static const struct view by_hand = {
    .text = text,
    .values = values,
    .rows = rows,
};

static int power_by_hand(struct power_run *run)
{
    struct power_report *r;
    struct power_inputs in;
    int status;

    if (run->ask.job.gpu_name == NULL)
        return say_usage("power", "expected TRACE, or -g and --set");
    status = job_open_gpu(&run->ask.job);
    if (status == EXIT_DONE)
        status = check_machine(run);
    if (status != EXIT_DONE)
        return status;
    power_inputs_init(&in);
    power_inputs_machine(&in, run->ask.job.gpu, NULL);
    status = power_set_inputs(&run->ask, &in);
    if (status != EXIT_DONE)
        return status;
    r = calloc(1, sizeof *r);
    if (r == NULL)
        return say_memory();
    r->cycles_from = "given";
    snprintf(r->curve.why, sizeof r->curve.why, "needs a trace");
    status = power_fill(&run->ask, r, &in);
    if (status == EXIT_DONE)
        status = view_write(&by_hand, r, run->ask.job.format, run->ask.job.out);
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
    const struct teg_model *const *models = teg_models(&count);
    char hint[96];

    if (strcmp(*name, power_from_replay) == 0) {
        *name = power_from_replay;
        return EXIT_DONE;
    }
    teg_nearest_init(&nearest, *name);
    teg_nearest_offer(&nearest, power_from_replay);
    for (; *others != NULL; others++) {
        if (strcmp(*name, *others) == 0)
            return EXIT_DONE;
        teg_nearest_offer(&nearest, *others);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(*name, models[i]->name) == 0)
            return EXIT_DONE;
        teg_nearest_offer(&nearest, models[i]->name);
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
    return settings_split(&run->ask.settings, &one, "power", "after", NULL);
}

static int check_options(struct power_run *run)
{
    static const char *const none[] = {NULL};
    static const char *const sweeps[] = {"auto", "off", NULL};
    struct power_inputs in;
    int status = check_source("cycles", &run->ask.cycles, none);

    if (status == EXIT_DONE)
        status = check_source("sweep", &run->ask.sweep, sweeps);
    if (status == EXIT_DONE)
        status = check_number("time-to", run->time_to, &run->ask.to_celsius);
    if (status == EXIT_DONE)
        status = settings_split(&run->ask.settings, &run->set, "power", "set",
                                &run->ask.job.set);
    if (status == EXIT_DONE)
        status = check_after(run);
    /* A misspelt name must not wait for a long trace. */
    power_inputs_init(&in);
    return status == EXIT_DONE ? power_set_inputs(&run->ask, &in) : status;
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
        status = report(&run->ask.job, s);
    free(s);
    return status;
}

static int power_placement(struct power_run *run)
{
    int status;

    if (run->ask.job.gpu_name == NULL)
        return say_usage("power", "--placement: expected a GPU, -g");
    status = job_open_gpu(&run->ask.job);
    return status == EXIT_DONE ? placement(&run->ask.job, &run->placement)
                               : status;
}

static int power_command(struct power_run *run, const struct operands *operands)
{
    int status = EXIT_DONE;

    if (run->split.count > 0 && run->efficiency.count > 0)
        return say_usage("power", "--split and --efficiency exclude each "
                                  "other");
    if (operands->count > 0 && run->split.count + run->efficiency.count > 0)
        return say_usage("power", "--split and --efficiency take no TRACE");
    if (operands->count > 0 && run->placement.count > 0)
        return say_usage("power", "--placement takes no TRACE");
    if (run->placement.count > 0)
        return power_placement(run);
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
        "      --split work_gflop=1000,bytes_gb=4,link_gbs=5\n"
        "  teg power -g 8800gt --placement 0-7-1-8,0-1-2-3\n");

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
    run->ask.cycles = power_from_replay;
    run->ask.sweep = "auto";
    run->ask.to_celsius = run->ask.celsius = nan("");
    const struct opt options[] = {
        {"gpu", 'g', OPT_TEXT, &run->ask.job.gpu_name, "GPU",
         "a name that `teg gpus` lists, or a .cfg file; default: the one that "
         "stands for the trace's architecture",
         NULL},
        {"config-dir", 0, OPT_TEXT, &run->ask.job.config_dir, "DIR",
         "look for GPU descriptions here first", NULL},
        {"set", 0, OPT_LIST, &run->set, "KEY=VALUE[,KEY=VALUE]",
         "give a parameter (below) by hand, or change a value of the GPU "
         "description (`teg gpus --keys`)",
         NULL},
        {"cores", 0, OPT_COUNT, &run->ask.cores, "N", "use only N SMs", NULL},
        {"cycles", 0, OPT_TEXT, &run->ask.cycles, "SOURCE",
         "simulated (default), or the analytical model whose cycles to take "
         "instead of a replay",
         NULL},
        {"sweep", 0, OPT_TEXT, &run->ask.sweep, "SOURCE",
         "cycles over the number of SMs: simulated, a model, off, or auto "
         "(default: simulated if it takes seconds, else mwp-cwp)",
         NULL},
        {"goal", 0, OPT_CHOICE, &run->ask.goal, "GOAL",
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
        {"placement", 0, OPT_LIST, &run->placement, "SM-SM-...[,SM-SM-...]",
         "instead: how many TPCs such sets of SMs open on -g GPU", NULL},
        JOB_TRACE_OPTIONS(run->ask.job),
        JOB_FORMAT_OPTION(run->ask.job),
        JOB_OUTPUT_OPTIONS(run->ask.job),
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
        job_release(&run->ask.job);
    }
    free(run);
    return status;
}
