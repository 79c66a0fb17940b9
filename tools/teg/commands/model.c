/*
 * teg model TRACE: what the analytical models say, without a replay.
 * teg model --model NAME --set KEY=VALUE,...: one of them with hand-given
 * parameters.
 *
 *     $ teg model matmul.tegt -g gtx280
 *     matmul on gtx280: GeForce GTX 280, 30 SMs, 1296 MHz
 *       ...
 *       model              cycles        time  limited by
 *       mwp-cwp           120,000    92.59 us  memory bandwidth
 *           move fewer bytes: keep what is used again ...
 *       ...
 *
 *       mwp-cwp: memory and computation warp parallelism
 *         N                        24  warps
 *         ...
 */
#include "sim/models/mwp_cwp_model.h"
#include "tools/teg/cli/settings.h"
#include "tools/teg/report/report.h"
#include "tools/teg/report/vliw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Stored as the enumerators of mwp_cwp.h, in their order. */
static const char *const eqset_names[] = {"thesis", "isca", NULL};
static const char *const cond_names[] = {"resolved", "literal", NULL};
static const char *const npw_names[] = {"off", "printed", "corrected", NULL};
static const char *const rep_names[] = {"exact", "ceil", NULL};

/* Devices of the throughput model by name. */
static const struct {
    const char *name, *title, *settings;
} devices[] = {
#define MODEL_DEVICE(name, title, settings) {name, title, settings},
#include "sim/models/devices.def"
#undef MODEL_DEVICE
};

enum {
    DEVICES = sizeof devices / sizeof *devices
};

struct model_run {
    struct job job;
    struct opt_list set;
    const char *device; /* NULL: none by name */
    const char *model;  /* NULL: all of them */
    uint32_t eqset, cond, npw, rep;
    struct settings settings;
};

/* ---- models and their inputs ------------------------------------------- */

static bool is_chosen(const struct model_run *run, const struct teg_model *m)
{
    return run->model == NULL || strcmp(run->model, m->name) == 0;
}

static int check_model(const struct model_run *run)
{
    struct teg_nearest nearest;
    uint32_t count;
    const struct teg_model *const *models = teg_models(&count);
    char hint[96];

    if (run->model == NULL || teg_model_find(run->model) != NULL)
        return EXIT_DONE;
    teg_nearest_init(&nearest, run->model);
    for (uint32_t i = 0; i < count; i++)
        teg_nearest_offer(&nearest, models[i]->name);
    return say_usage("model", "--model: unknown model '%s'%s", run->model,
                     did_you_mean(&nearest, "", hint));
}

static bool takes(const struct teg_model *m, const char *key)
{
    for (uint32_t i = 0; m->inputs != NULL && i < m->inputs->count; i++) {
        if (strcmp(m->inputs->parameter[i].name, key) == 0)
            return true;
    }
    return false;
}

/* A key must be known to one of the chosen models. */
static int check_key(const struct model_run *run, const char *key)
{
    struct teg_nearest nearest;
    uint32_t count;
    const struct teg_model *const *models = teg_models(&count);
    char hint[96];

    teg_nearest_init(&nearest, key);
    for (uint32_t i = 0; i < count; i++) {
        const struct teg_model_inputs *in = models[i]->inputs;

        if (!is_chosen(run, models[i]))
            continue;
        if (takes(models[i], key))
            return EXIT_DONE;
        for (uint32_t k = 0; in != NULL && k < in->count; k++)
            teg_nearest_offer(&nearest, in->parameter[k].name);
    }
    return say_usage("model", "--set: unknown parameter '%s'%s", key,
                     did_you_mean(&nearest, "", hint));
}

static int check_settings(const struct model_run *run)
{
    int status = EXIT_DONE;

    for (uint32_t i = 0; status == EXIT_DONE && i < run->settings.count; i++) {
        if (run->settings.value[i] != NULL)
            status = check_key(run, run->settings.text[i]);
    }
    return status;
}

/* Sets what the model knows; `*applied` counts. */
static int apply_settings(const struct model_run *run,
                          const struct teg_model *m, void *inputs,
                          uint32_t *applied)
{
    const struct settings *s = &run->settings;

    *applied = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        struct teg_diag d;

        if (s->value[i] == NULL || !takes(m, s->text[i]))
            continue;
        if (model_inputs_set(inputs, m->inputs->parameter, m->inputs->count,
                             s->text[i], s->value[i], &d) != TEG_OK)
            return say_usage("model", "--set: %s%s%s", d.where,
                             d.where[0] != '\0' ? ": " : "", d.what);
        ++*applied;
    }
    return EXIT_DONE;
}

static struct mwp_cwp_options options_of(const struct model_run *run)
{
    return (struct mwp_cwp_options){
        .eqset = run->eqset,
        .cond = run->cond,
        .npw = run->npw,
        .rep = run->rep,
    };
}

static void evaluate(const struct model_run *run, const struct teg_model *m,
                     const void *inputs, struct teg_estimate *e)
{
    struct mwp_cwp_options options = options_of(run);

    /* The only one with options besides its inputs. */
    if (m == &mwp_cwp_model)
        mwp_cwp_evaluate(inputs, &options, e);
    else
        m->inputs->evaluate(inputs, e);
}

/* `s` and `gpu` NULL: everything is given by hand.  What a description or a
 * trace lacks may be given too. */
static int estimate_inputs(const struct model_run *run,
                           const struct teg_model *m,
                           const struct teg_statistics *s,
                           const struct teg_gpu *gpu, struct teg_estimate *e)
{
    void *inputs = calloc(1, m->inputs->size);
    teg_status measured = TEG_OK;
    struct teg_diag d;
    uint32_t applied;
    int status;

    if (inputs == NULL)
        return say_memory();
    model_inputs_init(inputs, m->inputs->parameter, m->inputs->count);
    if (gpu != NULL)
        measured = m->inputs->measure(inputs, s, gpu, &d);
    status = apply_settings(run, m, inputs, &applied);
    if (status == EXIT_DONE && measured != TEG_OK && applied == 0) {
        *e = (struct teg_estimate){.model = m->name};
        teg_estimate_refuse(e, &d);
    } else if (status == EXIT_DONE) {
        evaluate(run, m, inputs, e);
    }
    free(inputs);
    return status;
}

/* ---- output ------------------------------------------------------------ */

static void print_terms(FILE *f, const struct teg_estimate *e)
{
    const struct teg_model *m = teg_model_find(e->model);

    if (e->term_count == 0)
        return;
    fprintf(f, "\n  %s: %s\n", e->model, m != NULL ? m->title : "");
    for (uint32_t i = 0; i < e->term_count; i++)
        fprintf(f, "    %-24s %14.8g%s%s\n", e->term[i].name, e->term[i].value,
                e->term[i].unit[0] != '\0' ? "  " : "", e->term[i].unit);
}

static void print_line(FILE *f, const struct teg_estimate *e, double clock_mhz)
{
    char cycles[28];

    if (!e->applicable || isnan(e->cycles))
        fprintf(f, "  %-16s %14s %14s  ", e->model, "n/a", "n/a");
    else
        fprintf(f, "  %-16s %14s %11.4g us  ", e->model,
                with_commas((uint64_t)(e->cycles + 0.5), cycles),
                e->cycles / clock_mhz);
    fprintf(f, "%s\n", e->applicable ? e->limiter : e->why);
    if (e->applicable && e->advice[0] != '\0') {
        fputs("      ", f);
        print_wrapped(f, e->advice, 6, 6);
    }
}

/* What they leave out that matters most. */
static void print_caches(FILE *f)
{
    fputs("\n  ", f);
    print_wrapped(f,
                  "None of these knows caches: without a replay all bytes that "
                  "transactions move are DRAM's. teg run --models has bound, "
                  "roofline, data-flow and throughput with what a replay left "
                  "to DRAM; mwp-cwp, mwp-cwp-extended and three-component "
                  "never know it.",
                  2, 2);
}

static void print_estimates(FILE *f, const struct teg_estimate *e,
                            uint32_t count, double clock_mhz, bool of_trace)
{
    fprintf(f, "\n  %-16s %14s %14s  %s\n", "model", "cycles", "time",
            "limited by");
    for (uint32_t i = 0; i < count; i++)
        print_line(f, &e[i], clock_mhz);
    if (of_trace)
        print_caches(f);
    for (uint32_t i = 0; i < count; i++)
        print_terms(f, &e[i]);
}

static json_t *estimates_json(const struct teg_estimate *e, uint32_t count)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(array, model_json(&e[i], 0));
    return array;
}

/* What models say of a kernel. */
struct estimates {
    struct teg_estimate *e; /* borrowed, [count] */
    uint32_t count;
    double clock_mhz;
    const struct result *result; /* NULL: parameters were given by hand */
};

static json_t *row_json(const struct estimates *all,
                        const struct teg_estimate *e)
{
    const struct result *r = all->result;
    json_t *row = json_object();

    json_object_set_new(row, "kernel",
                        json_text(r != NULL ? r->replay->s->name : ""));
    json_object_set_new(row, "number", json_integer(r != NULL ? r->number : 0));
    json_object_set_new(row, "model", json_text(e->model));
    json_object_set_new(row, "cycles",
                        number_json(e->applicable ? e->cycles : (double)NAN));
    json_object_set_new(
        row, "time_us",
        number_json(e->applicable ? e->cycles / all->clock_mhz : (double)NAN));
    json_object_set_new(row, "limiter", json_text(e->limiter));
    json_object_set_new(row, "advice", json_text(e->advice));
    json_object_set_new(row, "why", json_text(e->why));
    return row;
}

/* A row is a model, terms are left to JSON. */
static json_t *rows(const void *part)
{
    const struct estimates *all = part;
    json_t *array = json_array();

    for (uint32_t i = 0; i < all->count; i++)
        json_array_append_new(array, row_json(all, &all->e[i]));
    return array;
}

static json_t *values(const void *part)
{
    const struct estimates *all = part;
    json_t *o = json_object();

    json_object_set_new(o, "teg", teg_json());
    if (all->result != NULL) {
        json_object_set_new(o, "gpu", gpu_json(all->result->replay->gpu));
        json_object_set_new(o, "kernel", kernel_json(all->result));
    }
    json_object_set_new(o, "models", estimates_json(all->e, all->count));
    return o;
}

static int text(FILE *f, const void *part)
{
    const struct estimates *all = part;

    if (all->result != NULL)
        text_head(f, all->result);
    else
        fputs("parameters given by hand\n", f);
    print_estimates(f, all->e, all->count, all->clock_mhz, all->result != NULL);
    return EXIT_DONE;
}

static const char row_columns[] =
    "kernel,number,model,cycles,time_us,limiter,advice,why";

static json_t *whole(const void *self, json_t *kernels)
{
    const struct model_run *run = self;

    return kernels_json(kernels, run->job.kernel_count, NULL);
}

/* ---- with a trace ------------------------------------------------------ */

static int estimate_all(const struct model_run *run, struct result *r)
{
    const struct teg_statistics *s = r->replay->s;
    const struct teg_gpu *gpu = r->replay->gpu;
    uint32_t count;
    const struct teg_model *const *models = teg_models(&count);
    int status = EXIT_DONE;

    r->estimate = calloc(count + 1, sizeof *r->estimate);
    if (r->estimate == NULL)
        return say_memory();
    for (uint32_t i = 0; status == EXIT_DONE && i < count; i++) {
        struct teg_estimate *e = &r->estimate[r->estimate_count];

        if (!is_chosen(run, models[i]))
            continue;
        if (models[i]->inputs != NULL)
            status = estimate_inputs(run, models[i], s, gpu, e);
        else
            models[i]->estimate(s, gpu, e);
        r->estimate_count++;
    }
    return status;
}

/* `walk` holds the launch and zeroed statistics. */
static int model_launch(const struct model_run *run, struct writer *w,
                        struct replay *walk, uint32_t kernel)
{
    struct result result = {.replay = walk, .number = kernel + 1};
    struct teg_diag d;
    int status;

    if (teg_profile(&walk->launch, walk->gpu, walk->s, &d) != TEG_OK)
        return say_fault(&d);
    status = estimate_all(run, &result);
    if (status == EXIT_DONE)
        status = writer_add(
            w, &(struct estimates){.e = result.estimate,
                                   .count = result.estimate_count,
                                   .clock_mhz = walk->gpu->chip.sm_clock_mhz,
                                   .result = &result});
    free(result.estimate);
    return status;
}

static int model_kernel(const struct model_run *run, struct writer *w,
                        uint32_t kernel)
{
    struct replay walk = {
        .gpu = run->job.gpu,
        .launches = teg_trace_kernel_launches(run->job.trace, kernel)};
    struct teg_diag d;
    int status;

    if (teg_trace_launch(run->job.trace, kernel, &walk.launch, &d) != TEG_OK)
        return say_fault(&d);
    walk.s = calloc(1, sizeof *walk.s);
    status =
        walk.s != NULL ? model_launch(run, w, &walk, kernel) : say_memory();
    free(walk.s);
    if (walk.launch.close != NULL)
        walk.launch.close(walk.launch.self);
    return status;
}

static int model_kernels(const struct model_run *run)
{
    static const struct view view = {
        .text = text,
        .spaced = true,
        .values = values,
        .whole = whole,
        .rows = rows,
        .columns = row_columns,
    };
    struct writer w;
    int status = writer_open(&w, &view, run, run->job.format, run->job.out);

    if (status != EXIT_DONE)
        return status;
    for (uint32_t i = 0; status == EXIT_DONE && i < run->job.kernel_count; i++)
        status = model_kernel(run, &w, run->job.kernel[i]);
    return writer_end(&w, status);
}

static int model_trace(struct model_run *run, const char *path)
{
    int status = job_open_trace(&run->job, path);

    if (status == EXIT_DONE)
        status = job_open_gpu(&run->job);
    if (status == EXIT_DONE)
        status = model_kernels(run);
    return status;
}

/* ---- without a trace ---------------------------------------------------- */

static int report_by_hand(const struct model_run *run, struct teg_estimate *e,
                          double clock_mhz)
{
    static const struct view view = {
        .text = text,
        .values = values,
        .rows = rows,
    };
    const struct estimates one = {.e = e, .count = 1, .clock_mhz = clock_mhz};

    return view_write(&view, &one, run->job.format, run->job.out);
}

/* All models count cycles of a clock that they call this. */
static double clock_of(const struct teg_estimate *e)
{
    for (uint32_t i = 0; i < e->term_count; i++) {
        if (strcmp(e->term[i].name, "clock_ghz") == 0)
            return e->term[i].value * 1000;
    }
    return nan("");
}

static int model_by_hand(struct model_run *run)
{
    const struct teg_model *m =
        teg_model_find(run->model != NULL ? run->model : "mwp-cwp");
    struct teg_estimate e;
    int status = EXIT_DONE;

    if (m->inputs == NULL)
        return say_usage("model", "--model %s: expected TRACE, found nothing",
                         m->name);
    if (run->job.gpu_name != NULL)
        status = job_open_gpu(&run->job);
    if (status == EXIT_DONE)
        status = estimate_inputs(run, m, NULL, run->job.gpu, &e);
    if (status != EXIT_DONE)
        return status;
    if (!e.applicable)
        return say_usage("model", "--set: %s", e.why);
    return report_by_hand(run, &e, clock_of(&e));
}

/* ---- the command -------------------------------------------------------- */

/* The end of --help. */
static void list_parameters(char *out, size_t size)
{
    uint32_t count;
    const struct teg_model *const *models = teg_models(&count);
    size_t used = (size_t)snprintf(
        out, size,
        "  teg model kernel.tegt -g gtx280\n"
        "  teg model --set clock_ghz=1,mem_bw_gbs=80,mem_ld=420 \\\n"
        "      --set dep_del_uncoal=10,dep_del_coal=4,active_sms=16 \\\n"
        "      --set threads_per_block=128,blocks=80,active_blocks_per_sm=5 "
        "\\\n"
        "      --set comp_insts=27,uncoal_mem_insts=6,synch_insts=6\n"
        "  teg model --device e5645x2 --set fp=400,mem=1,dep=2\n"
        "\nDevices:\n");

    for (uint32_t i = 0; i < DEVICES && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "  %-22s %s\n",
                                 devices[i].name, devices[i].title);

    for (uint32_t m = 0; m < count; m++) {
        const struct teg_model_inputs *in = models[m]->inputs;

        if (in == NULL || used >= size)
            continue;
        used += (size_t)snprintf(out + used, size - used,
                                 "\nParameters of %s:\n", models[m]->name);
        for (uint32_t i = 0; i < in->count && used < size; i++) {
            const struct teg_parameter *p = &in->parameter[i];

            used +=
                (size_t)snprintf(out + used, size - used, "  %-22s %-13s %s",
                                 p->name, p->unit, p->help);
            if (used < size && !isnan(p->fallback))
                used += (size_t)snprintf(out + used, size - used,
                                         " (default %g)", p->fallback);
            if (used < size)
                used += (size_t)snprintf(out + used, size - used, "\n");
        }
    }
}

/* What a device says comes first: --set may say otherwise. */
static int split_device(struct model_run *run)
{
    struct opt_list list = {.count = 1};
    struct teg_nearest nearest;
    char hint[96];

    if (run->device == NULL)
        return EXIT_DONE;
    if (run->model == NULL)
        run->model = "throughput";
    teg_nearest_init(&nearest, run->device);
    for (uint32_t i = 0; i < DEVICES; i++) {
        list.item[0] = devices[i].settings;
        if (strcmp(devices[i].name, run->device) == 0)
            return settings_split(&run->settings, &list, "model", "device",
                                  NULL);
        teg_nearest_offer(&nearest, devices[i].name);
    }
    return say_usage("model", "--device: unknown device '%s'%s", run->device,
                     did_you_mean(&nearest, "", hint));
}

static int model(struct model_run *run, const struct operands *operands)
{
    int status;

    /* Times of a trace are in its GPU's clock. */
    if (run->device != NULL && operands->count > 0)
        return say_usage("model", "--device takes no TRACE: give its counts "
                                  "with --set");
    status = split_device(run);
    if (status == EXIT_DONE)
        status = settings_split(&run->settings, &run->set, "model", "set",
                                &run->job.set);

    /* A misspelt name must not wait for a long trace. */
    if (status == EXIT_DONE)
        status = check_model(run);
    if (status == EXIT_DONE)
        status = check_settings(run);
    if (status != EXIT_DONE)
        return status;
    if (operands->count > 0)
        return model_trace(run, operands->item[0]);
    if (!settings_has(&run->settings, NULL))
        return say_usage("model", "expected TRACE or --set, found nothing");
    return model_by_hand(run);
}

int cmd_model(int argc, char **argv)
{
    struct model_run run = {0};
    bool vliw = false;
    char examples[16384];
    const struct opt options[] = {
        {"gpu", 'g', OPT_TEXT, &run.job.gpu_name, "GPU",
         "a name that `teg gpus` lists, or a .cfg file; default: the one that "
         "stands for the trace's architecture",
         NULL},
        {"config-dir", 0, OPT_TEXT, &run.job.config_dir, "DIR",
         "look for GPU descriptions here first", NULL},
        {"set", 0, OPT_LIST, &run.set, "KEY=VALUE[,KEY=VALUE]",
         "give a parameter of a model (below) by hand, or change a value of "
         "the GPU description (`teg gpus --keys`)",
         NULL},
        {"device", 0, OPT_TEXT, &run.device, "NAME",
         "without TRACE: give the throughput model what it needs of a device "
         "(below)",
         NULL},
        {"model", 'm', OPT_TEXT, &run.model, "NAME",
         "only this one; without TRACE mwp-cwp unless said otherwise", NULL},
        {"eqset", 0, OPT_CHOICE, &run.eqset, "SET",
         "thesis (default) or isca: whose latency of a coalesced access and "
         "cost of barriers",
         eqset_names},
        {"cond", 0, OPT_CHOICE, &run.cond, "COND",
         "resolved (default) or literal: the conditions of the three cases as "
         "the sources' text or as their equations have them",
         cond_names},
        {"npw", 0, OPT_CHOICE, &run.npw, "MODE",
         "off (default), printed or corrected: independent accesses of a warp "
         "count as more warps",
         npw_names},
        {"rep", 0, OPT_CHOICE, &run.rep, "MODE",
         "exact (default) or ceil: rounds of blocks", rep_names},
        {"vliw", 0, OPT_FLAG, &vliw, NULL,
         "instead, how TRACE would fill a five-slot VLIW core, and the path of "
         "its stores; --set base_watts=, slot_watts=, t_ratio=, simds=, "
         "processors=, clock_mhz=, fast_gbs=, complete_gbs=",
         NULL},
        JOB_TRACE_OPTIONS(run.job),
        JOB_FORMAT_OPTION(run.job),
        JOB_OUTPUT_OPTIONS(run.job),
        {0}};
    const struct usage usage = {
        .command = "model",
        .operands = "[TRACE]",
        .summary = "Says what the analytical models expect of the kernels of "
                   "TRACE, from its instruction counts alone; or, without "
                   "TRACE, of parameters given by hand. docs/models.md has "
                   "the equations.",
        .options = options,
        .operands_max = 1,
        .examples = examples};
    struct operands operands;
    int status;

    list_parameters(examples, sizeof examples);
    if (!options_parse(&usage, argc, argv, &operands, &status))
        return status;
    if (vliw && operands.count == 0)
        return say_usage("model", "--vliw needs a TRACE");
    status = vliw ? vliw_report(&run.job, operands.item[0], &run.set)
                  : model(&run, &operands);
    job_release(&run.job);
    return status;
}
