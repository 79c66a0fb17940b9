#include "tools/teg/report/report.h"

#include <stdlib.h>

static const struct report_writer *const writers[] = {
    [FORMAT_TEXT] = &text_writer,
    [FORMAT_JSON] = &json_writer,
    [FORMAT_CSV] = &csv_writer,
};

int result_init(struct result *r, const struct replay *replay)
{
    const struct teg_model *models = teg_models(&r->estimate_count);

    r->replay = replay;
    r->estimate = calloc(r->estimate_count + 1, sizeof *r->estimate);
    if (r->estimate == NULL)
        return say_memory();
    for (uint32_t i = 0; i < r->estimate_count; i++) {
        r->estimate[i].model = models[i].name;
        models[i].estimate(replay->s, replay->gpu, &r->estimate[i]);
    }
    verdict_init(&r->verdict, replay->s, replay->gpu);
    return EXIT_DONE;
}

void result_release(struct result *r)
{
    free(r->estimate);
    *r = (struct result){0};
}

static const char *unknown_class(const struct teg_program *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->inst[i].flags & INST_UNKNOWN)
            return teg_op_class_facts(p->inst[i].op_class)->key;
    }
    return teg_op_class_facts(CLASS_IADD)->key;
}

bool result_unknown_opcodes(const struct result *r, char *out, size_t size)
{
    const struct teg_statistics *s = r->replay->s;

    if (s->unknown_instructions == 0)
        return false;
    snprintf(out, size,
             "%u unknown opcode%s (%s%s), %.2g %% of warp instructions, "
             "timed as %s",
             s->unknown_opcodes, s->unknown_opcodes == 1 ? "" : "s",
             s->unknown_first, s->unknown_opcodes == 1 ? "" : " ...",
             100 * (double)s->unknown_instructions /
                 (double)s->warp_instructions,
             unknown_class(&r->replay->launch.kernel->program));
    return true;
}

static bool has_control_codes(const struct teg_program *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->inst[i].control.known)
            return true;
    }
    return false;
}

bool result_generation(const struct result *r, char *out, size_t size)
{
    const struct teg_gpu *gpu = r->replay->gpu;
    const struct teg_kernel *k = r->replay->launch.kernel;
    uint32_t cc = gpu->chip.compute_capability, isa = k->isa;
    bool control = gpu->sm.dependences == DEPENDENCES_CONTROL &&
                   has_control_codes(&k->program);

    /* A chip runs the code of its major generation that is not newer. */
    if (isa == 0 || (isa / 10 == cc / 10 && isa <= cc))
        return false;
    snprintf(out, size,
             "code for sm_%u on a chip of sm_%u: instructions take the time of "
             "their class on that chip, dependences are kept by %s",
             isa, cc,
             control ? "the code's own control codes" : "a scoreboard");
    return true;
}

int report_open(struct report *report, enum format format, const char *path,
                uint32_t expected)
{
    *report = (struct report){.writer = writers[format], .expected = expected};
    return output_open(&report->out, path);
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
    total->represented_kernels += result->replay->represented.used;
    total->simulated_instructions += simulated_instructions(result->replay);
    total->error_cycles +=
        launches * replay_error_bound(result->replay) * (double)s->cycles;
    total->incomplete |= result->replay->incomplete;
    return report->writer->kernel(report, result);
}

int report_close(struct report *report)
{
    int status = EXIT_DONE;

    if (report->writer->finish != NULL)
        status = report->writer->finish(report);
    json_decref(report->kernels);
    report->kernels = NULL;
    if (status != EXIT_DONE) {
        output_abandon(&report->out);
        return status;
    }
    return output_close(&report->out);
}

void report_abandon(struct report *report)
{
    json_decref(report->kernels);
    report->kernels = NULL;
    output_abandon(&report->out);
}
