#include "tools/teg/report/report.h"

#include "tools/teg/report/instructions.h"

#include <stdlib.h>

int result_init(struct result *r, const struct replay *replay)
{
    const struct teg_model *const *models = teg_models(&r->estimate_count);
    const struct evidence evidence = {
        .s = replay->s,
        .gpu = replay->gpu,
        .part = replay->sample.used || replay->represented.used,
        .by_pc = r->places,
        .ranking = r->ranking,
    };

    r->replay = replay;
    r->estimate = calloc(r->estimate_count + 1, sizeof *r->estimate);
    r->findings = malloc(sizeof *r->findings);
    if (r->estimate == NULL || r->findings == NULL)
        return say_memory();
    for (uint32_t i = 0; i < r->estimate_count; i++) {
        r->estimate[i].model = models[i]->name;
        models[i]->estimate(replay->s, replay->gpu, &r->estimate[i]);
    }
    return verdict_init(&r->verdict, r->findings, &evidence);
}

void result_release(struct result *r)
{
    free(r->estimate);
    free(r->findings);
    *r = (struct result){0};
}

double replay_error_bound(const struct replay *r)
{
    if (r->represented.used)
        return r->represented.error_bound;
    return r->sample.used ? r->sample.error_bound : 0;
}

/* Of one launch. */
static uint64_t simulated_instructions(const struct replay *r)
{
    if (r->represented.used)
        return 0;
    return r->sample.used ? r->sample.instructions_simulated
                          : r->s->warp_instructions;
}

static int print_result(FILE *f, const void *part)
{
    return text_result(f, part);
}

static int print_totals(FILE *f, const void *self)
{
    const struct report *report = self;

    text_totals(f, &report->total);
    return EXIT_DONE;
}

static json_t *values(const void *part)
{
    return result_json(part);
}

static json_t *whole(const void *self, json_t *kernels)
{
    const struct report *report = self;

    return kernels_json(kernels, report->expected, totals_json(&report->total));
}

static json_t *rows(const void *part)
{
    json_t *object = result_json(part);
    json_t *cells = object != NULL ? result_cells(object) : NULL;

    json_decref(object);
    return cells != NULL ? json_pack("[o]", cells) : NULL;
}

static json_t *rows_by_pc(const void *part)
{
    const struct result *r = part;

    return instructions_rows(r->by_pc, r->number);
}

static const struct view by_kernel = {
    .text = print_result,
    .foot = print_totals,
    .spaced = true,
    .values = values,
    .whole = whole,
    .rows = rows,
};

static const struct view by_instruction = {
    .text = print_result,
    .foot = print_totals,
    .spaced = true,
    .values = values,
    .whole = whole,
    .rows = rows_by_pc,
    .streamed = true,
};

int report_open(struct report *report, uint32_t format, const char *path,
                uint32_t expected, bool by_pc)
{
    *report = (struct report){.expected = expected};
    return writer_open(&report->writer, by_pc ? &by_instruction : &by_kernel,
                       report, format, path);
}

int report_add(struct report *report, const struct result *result)
{
    const struct teg_statistics *s = result->replay->s;
    struct totals *total = &report->total;
    uint32_t launches = replay_launches(result->replay);

    total->kernels++;
    total->launches += launches;
    total->cycles += launches * s->cycles;
    total->warp_instructions += launches * s->warp_instructions;
    total->time_us +=
        launches * (double)s->cycles / result->replay->gpu->chip.sm_clock_mhz;
    if (result->replay->measured_by != TEG_MEASURED_BY_NOBODY)
        total->as_measured_us +=
            launches * replay_as_measured_us(result->replay);
    total->represented_kernels += result->replay->represented.used;
    total->simulated_instructions += simulated_instructions(result->replay);
    total->error_cycles +=
        launches * replay_error_bound(result->replay) * (double)s->cycles;
    total->incomplete |= result->replay->incomplete;
    return writer_add(&report->writer, result);
}

int report_end(struct report *report, int status)
{
    return writer_end(&report->writer, status);
}
