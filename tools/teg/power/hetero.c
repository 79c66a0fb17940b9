#include "tools/teg/power/hetero.h"

#include "sim/models/efficiency.h"
#include "tools/teg/power/report.h"

/* ---- split ---------------------------------------------------------------- */

static json_t *split_json(const struct efficiency_split_result *r)
{
    json_t *o = json_object();

#define SPLIT_RESULT(field, unit, equation, help) \
    json_object_set_new(o, #field, number_json(r->field));
#include "sim/models/efficiency.def"
    return o;
}

static json_t *split_values(const void *part)
{
    return json_pack("{s:o, s:o}", "teg", teg_json(), "split",
                     split_json(part));
}

static int split_text(FILE *f, const void *part)
{
    const struct efficiency_split_result *r = part;
    char cpu[24], gpu[24], total[24];

    fprintf(f,
            "  CPU         %12.2f %%  %s\n  GPU         %12.2f %%  %s, "
            "transfer included\n"
            "  together    %14s  %.4g times as fast as the CPU alone\n",
            100 * r->cpu_share, seconds_text(r->t_cpu_s, cpu),
            100 * (1 - r->cpu_share), seconds_text(r->t_gpu_s, gpu),
            seconds_text(r->t_total_s, total), r->speedup_vs_cpu_only);
    if (!(r->cpu_share < 1))
        fputs("  do not use the GPU at all: its fixed cost or the transfer is "
              "more than it saves\n",
              f);
    return EXIT_DONE;
}

int hetero_split(const struct job *job, const struct settings *s)
{
    static const struct view view = {
        .text = split_text,
        .values = split_values,
        .table = "split",
    };
    struct efficiency_split in;
    struct efficiency_split_result r;
    struct teg_diag d;
    uint32_t count;
    const struct teg_parameter *p = efficiency_split_inputs(&count);
    int status;

    model_inputs_init(&in, p, count);
    status = settings_apply(s, &in, p, count, "power", "split");
    if (status != EXIT_DONE)
        return status;
    if (efficiency_split(&in, &r, &d) != TEG_OK)
        return say_usage("power", "--split: %s: %s", d.where, d.what);
    return view_write(&view, &r, job->format, job->out);
}

/* ---- energy efficiency ------------------------------------------------------ */

enum {
    SHARES = 11
};

struct mix_point {
    double gpu_share;
    struct efficiency_mix_result r;
};

struct mix {
    struct mix_point point[SHARES];
    uint32_t count;
};

static json_t *mix_json(const struct mix_point *p)
{
    json_t *o = json_object();

    json_object_set_new(o, "gpu_share", number_json(p->gpu_share));
#define MIX_RESULT(field, unit, equation, help) \
    json_object_set_new(o, #field, number_json(p->r.field));
#include "sim/models/efficiency.def"
    return o;
}

static json_t *mix_values(const void *part)
{
    const struct mix *mix = part;
    json_t *array = json_array();

    for (uint32_t i = 0; i < mix->count; i++)
        json_array_append_new(array, mix_json(&mix->point[i]));
    return json_pack("{s:o, s:o}", "teg", teg_json(), "efficiency", array);
}

static int mix_text(FILE *f, const void *part)
{
    const struct mix *mix = part;
    const struct mix_point *point = mix->point;
    uint32_t best = 0;

    fprintf(f, "  %9s %10s %10s %10s %10s %12s\n", "GPU share", "t CPU",
            "t GPU", "power", "speed-up", "efficiency");
    for (uint32_t i = 0; i < mix->count; i++) {
        const struct efficiency_mix_result *r = &point[i].r;

        fprintf(f, "  %7.0f %% %10.4g %10.4g %10.4g %10.4g %12.4g\n",
                100 * point[i].gpu_share, r->t_cpu, r->t_gpu, r->power,
                r->speedup_s, r->energy_efficiency_e);
        if (r->energy_efficiency_e > point[best].r.energy_efficiency_e)
            best = i;
    }
    if (mix->count > 1)
        fprintf(f,
                "  best        %.0f %% to the GPU: %.4g times the "
                "energy efficiency of the CPU alone\n",
                100 * point[best].gpu_share, point[best].r.energy_efficiency_e);
    return EXIT_DONE;
}

int hetero_efficiency(const struct job *job, const struct settings *s)
{
    static const struct view view = {
        .text = mix_text,
        .values = mix_values,
        .table = "efficiency",
    };
    struct mix mix = {.count = settings_has(s, "gpu_share") ? 1 : SHARES};
    struct efficiency_mix in;
    uint32_t rows;
    const struct teg_parameter *p = efficiency_mix_inputs(&rows);
    int status;

    model_inputs_init(&in, p, rows);
    status = settings_apply(s, &in, p, rows, "power", "efficiency");
    if (status != EXIT_DONE)
        return status;
    for (uint32_t i = 0; i < mix.count; i++) {
        struct teg_diag d;

        if (mix.count > 1)
            in.gpu_share = i / (double)(SHARES - 1);
        mix.point[i].gpu_share = in.gpu_share;
        if (efficiency_mix(&in, 0, &mix.point[i].r, &d) != TEG_OK)
            return say_usage("power", "--efficiency: %s: %s", d.where, d.what);
    }
    return view_write(&view, &mix, job->format, job->out);
}
