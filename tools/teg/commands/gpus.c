/*
 * teg gpus: the known GPU descriptions.
 * teg gpus NAME: every value of one with its unit, where it stands and the
 * class and source of its evidence.
 * teg gpus --keys: the manual of a description, from config/params.def.
 * teg gpus --from-measurements FILE: drafts one from tools/measure's JSON.
 */
#include "config/param.h"
#include "tools/teg/cli/gpu_path.h"
#include "tools/teg/gpu_draft/draft.h"
#include "tools/teg/report/report.h"

#include <stdlib.h>
#include <string.h>

/* "1..64" or "lrr, strict, gto". */
static const char *range_text(const struct param *p, char *out, size_t size)
{
    if (p->kind != PARAM_CHOICE)
        snprintf(out, size, "%.10g..%.10g", p->min, p->max);
    for (uint32_t i = 0, used = 0; i < p->choice_count && used < size; i++)
        used += (uint32_t)snprintf(out + used, size - used, "%s%s",
                                   i == 0 ? "" : ", ", p->choice[i]);
    return out;
}

static const char *fallback_text(const struct param *p, char out[64])
{
    if (p->fallback < 0)
        snprintf(out, 64, "required");
    else if (p->kind == PARAM_CHOICE)
        snprintf(out, 64, "default %s", p->choice[(uint32_t)p->fallback]);
    else
        snprintf(out, 64, "default %.10g", p->fallback);
    return out;
}

static void print_keys(void)
{
    uint32_t count;
    const struct param *p = params(&count);

    for (uint32_t i = 0; i < count; i++) {
        char range[160], fallback[64];

        printf("%s: %s\n    %s%s%s; %s\n", p[i].key, p[i].help,
               range_text(&p[i], range, sizeof range),
               p[i].unit[0] != '\0' ? " " : "", p[i].unit,
               fallback_text(&p[i], fallback));
    }
}

static void print_fact(FILE *f, const struct teg_fact *fact)
{
    fprintf(f, "%-30s %-20s %-8s %s%s%s\n", fact->key, fact->value, fact->unit,
            fact->source[0] != '\0' ? fact->source : "default",
            fact->where[0] != '\0' ? "  " : "", fact->where);
}

static json_t *fact_json(const struct teg_fact *f)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s}", "key", f->key, "value",
                     f->value, "unit", f->unit, "source", f->source, "where",
                     f->where);
}

static json_t *facts_json(const struct teg_gpu *gpu)
{
    json_t *values = json_array();

    for (uint32_t i = 0; i < gpu->fact_count; i++)
        json_array_append_new(values, fact_json(&gpu->fact[i]));
    return values;
}

static json_t *one_values(const void *part)
{
    const struct teg_gpu *gpu = part;
    json_t *object = gpu_json(gpu);

    json_object_set_new(object, "values", facts_json(gpu));
    return object;
}

static int one_text(FILE *f, const void *part)
{
    const struct teg_gpu *gpu = part;

    fprintf(f, "%s: %s\n\n", gpu->name, gpu->title);
    for (uint32_t i = 0; i < gpu->fact_count; i++)
        print_fact(f, &gpu->fact[i]);
    return EXIT_DONE;
}

static int show_one(const struct job *job, const char *name)
{
    static const struct view view = {
        .text = one_text,
        .values = one_values,
        .table = "values",
        .columns = "key,value,unit,source,where",
    };
    struct teg_gpu *gpu = NULL;
    int status = gpu_open(name, job->config_dir, &gpu);

    if (status == EXIT_DONE)
        status = view_write(&view, gpu, job->format, NULL);
    teg_gpu_free(gpu);
    return status;
}

static int list_text(FILE *f, const void *part)
{
    const struct teg_gpu *gpu = part;

    fprintf(f, "%-12s sm_%-4u %4u SMs %7.0f MHz  %s\n", gpu->name,
            gpu->chip.compute_capability, gpu->chip.sms, gpu->chip.sm_clock_mhz,
            gpu->title);
    return EXIT_DONE;
}

static json_t *list_values(const void *part)
{
    return gpu_json(part);
}

static json_t *list_whole(const void *self, json_t *gpus)
{
    (void)self;
    return json_incref(gpus);
}

/* One that cannot be loaded does not keep the others back. */
static int list_one(struct writer *w, const char *path)
{
    struct teg_gpu *gpu = NULL;
    struct teg_diag d;
    int status;

    if (teg_gpu_load(path, &gpu, &d) != TEG_OK)
        return say_fault(&d);
    status = writer_add(w, gpu);
    teg_gpu_free(gpu);
    return status;
}

static int show_all(const struct job *job)
{
    static const struct view view = {
        .text = list_text,
        .values = list_values,
        .whole = list_whole,
        .table = "",
        .columns = "name,title,compute_capability,clock_mhz,sms",
    };
    struct writer w;
    struct teg_gpu_list list;
    int written, status = gpu_list_find_all(&list, job->config_dir);

    if (status != EXIT_DONE)
        return status;
    written = writer_open(&w, &view, NULL, job->format, NULL);
    for (size_t i = 0; written == EXIT_DONE && i < list.count; i++) {
        int one = list_one(&w, list.entry[i].path);

        status = one != EXIT_DONE ? one : status;
    }
    if (list.count == 0) {
        say("", "no GPU descriptions found; set TEG_CONFIG_PATH");
        status = EXIT_FAULT;
    }
    teg_gpu_list_release(&list);
    if (written == EXIT_DONE)
        written = writer_end(&w, EXIT_DONE);
    return written != EXIT_DONE ? written : status;
}

int cmd_gpus(int argc, char **argv)
{
    const char *measurements = NULL;
    struct job job = {0};
    bool keys = false;
    const struct opt options[] = {
        {"keys", 0, OPT_FLAG, &keys, NULL,
         "print what a description may say, with units and ranges", NULL},
        {"config-dir", 0, OPT_TEXT, &job.config_dir, "DIR",
         "look for GPU descriptions here first", NULL},
        {"from-measurements", 0, OPT_TEXT, &measurements, "FILE",
         "draft a description from what tools/measure printed", NULL},
        {"output", 'o', OPT_OUTPUT, &job.out, "FILE",
         "write the draft there and see whether it loads", NULL},
        JOB_FORMAT_OPTION(job),
        {0}};
    const struct usage usage = {
        .command = "gpus",
        .operands = "[NAME]",
        .summary = "Lists the known GPU descriptions, or every value of one "
                   "with its unit and its source.",
        .options = options,
        .operands_max = 1,
        .examples = "  teg gpus\n  teg gpus v100\n"
                    "  teg gpus --from-measurements m.json -o mychip.cfg\n"};
    struct operands operands;
    int status;

    if (!options_parse(&usage, argc, argv, &operands, &status))
        return status;
    if (keys) {
        print_keys();
        return EXIT_DONE;
    }
    if (measurements != NULL && operands.count > 0)
        return say_usage("gpus", "--from-measurements takes no NAME");
    if (measurements != NULL)
        return draft_write(measurements, job.config_dir, job.out);
    if (job.out != NULL)
        return say_usage("gpus", "--output needs --from-measurements");
    return operands.count > 0 ? show_one(&job, operands.item[0])
                              : show_all(&job);
}
