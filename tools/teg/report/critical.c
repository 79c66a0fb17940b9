#include "tools/teg/report/critical.h"

#include <inttypes.h>
#include <string.h>

#include "tools/teg/cli/color.h"
#include "tools/teg/report/instructions.h"
#include "tools/teg/report/report.h"

enum {
    POINTS_MAX = 2 << 20,
    ROWS_MAX = 30,
    TEXT_WIDTH = 30
};

const char *critical_reason(const struct critical_step *step)
{
    return step->reason < TEG_STALLS ? teg_stall_label(step->reason) : "-";
}

static void print_step(FILE *f, const struct critical_sequence *q,
                       const struct critical_step *step)
{
    const struct teg_program *program = q->points.program;
    const struct teg_inst *inst = &program->inst[step->inst];
    uint64_t whole = q->critical.done - q->critical.first;
    char text[64], times[28], cycles[28], position[24];
    size_t length = strlen(source_position(program, inst, position));

    snprintf(text, sizeof text, "0x%03" PRIx64 " %.50s", inst->pc,
             teg_program_text(program, inst));
    /* The text gives way to where it comes from. */
    if (length != 0 && strlen(text) + 1 + length > TEXT_WIDTH)
        text[TEXT_WIDTH - 1 - length] = '\0';
    if (length != 0)
        snprintf(text + strlen(text), sizeof text - strlen(text), " %s",
                 position);
    fprintf(f, "%-*.*s %8s %11s %6.1f %% %s\n", TEXT_WIDTH, TEXT_WIDTH, text,
            with_commas(step->times, times), with_commas(step->cycles, cycles),
            whole != 0 ? 100 * (double)step->cycles / (double)whole : 0,
            critical_reason(step));
}

static int print_text(FILE *f, const void *part)
{
    const struct critical_sequence *q = part;
    const struct critical *c = &q->critical;
    char a[28], b[28], source[24], name[TEG_NAME_MAX];

    fprintf(f,
            "%.40s on %s:\nwarp %" PRIu32 " of block %" PRIu64 " on SM %" PRIu32
            " is done last, in cycle %s\n",
            kernel_title(q->replay.s->name, name), q->replay.gpu->name,
            q->slowest.warp, q->slowest.block, q->slowest.sm,
            with_commas(c->done, a));
    fprintf(f,
            "its critical sequence: %s of its %zu instructions, %s cycles\n\n",
            with_commas(c->instructions, a), q->points.points,
            with_commas(c->done - c->first, b));
    fprintf(f, "%sinstruction %-*s %8s %11s %8s %s%s\n", tint(f, TINT_STRONG),
            TEXT_WIDTH - (int)strlen("instruction "),
            source_column(q->points.program, source), "times", "cycles",
            "of it", "held by", tint(f, TINT_OFF));
    for (uint32_t i = 0; i < c->steps && i < ROWS_MAX; i++)
        print_step(f, q, &c->step[i]);
    if (c->steps > ROWS_MAX)
        fprintf(f, "and %u others\n", c->steps - ROWS_MAX);
    return EXIT_DONE;
}

static json_t *step_json(const struct critical_sequence *q,
                         const struct critical_step *step)
{
    const struct teg_program *program = q->points.program;
    const struct teg_inst *inst = &program->inst[step->inst];

    return json_pack(
        "{s:I, s:s, s:o, s:o, s:I, s:I, s:s?}", "pc", (json_int_t)inst->pc,
        "text", teg_program_text(program, inst), "line", line_json(inst),
        "file", file_json(program, inst), "times", (json_int_t)step->times,
        "cycles", (json_int_t)step->cycles, "reason",
        step->reason < TEG_STALLS ? teg_stall_label(step->reason) : NULL);
}

static json_t *steps_json(const struct critical_sequence *q)
{
    const struct critical *c = &q->critical;
    json_t *steps = json_array();

    for (uint32_t i = 0; i < c->steps; i++)
        json_array_append_new(steps, step_json(q, &c->step[i]));
    return steps;
}

static json_t *values(const void *part)
{
    const struct critical_sequence *q = part;
    const struct critical *c = &q->critical;

    return json_pack("{s:o, s:o, s:s, s:i, s:I, s:i, s:I, s:I, s:I, s:o}",
                     "teg", teg_json(), "gpu", gpu_json(q->replay.gpu),
                     "kernel", q->replay.s->name, "sm", (int)q->slowest.sm,
                     "block", (json_int_t)q->slowest.block, "warp",
                     (int)q->slowest.warp, "first_cycle", (json_int_t)c->first,
                     "done", (json_int_t)c->done, "instructions",
                     (json_int_t)c->instructions, "steps", steps_json(q));
}

static int find(struct critical_sequence *q)
{
    struct teg_diag d;

    if (q->points.failed)
        return say_memory();
    if (q->points.points == 0 || q->points.dropped != 0) {
        say("critical", "the warp has %" PRIu64 " instructions, too many",
            q->points.points + q->points.dropped);
        return EXIT_FAULT;
    }
    return critical_find(&q->critical, &q->points, &d) == TEG_OK
               ? EXIT_DONE
               : say_fault(&d);
}

static int replay_with(const struct job *job, const struct opt_list *what_ifs,
                       const char *label, const struct sim_listener *listener,
                       struct replay *r)
{
    const struct replay_options options = {.what_ifs = what_ifs,
                                           .label = label,
                                           .listener = listener,
                                           .listeners = 1};
    int status = replay_init(r, job, job->kernel[0], &options);

    /* Half a kernel has no last warp. */
    if (status == EXIT_INTERRUPTED)
        replay_release(r);
    return status;
}

int critical_measure(struct critical_sequence *q, const struct job *job,
                     const struct opt_list *what_ifs)
{
    struct sim_listener listener = slowest_warp_listener(&q->slowest);
    int status;

    *q = (struct critical_sequence){0};
    status = replay_with(job, what_ifs, "slowest warp", &listener, &q->replay);
    if (status != EXIT_DONE)
        return status;
    replay_release(&q->replay);
    pc_trace_init(&q->points,
                  &(struct pc_trace_choice){.block_first = q->slowest.block,
                                            .block_last = q->slowest.block,
                                            .warp_first = q->slowest.warp,
                                            .warp_last = q->slowest.warp,
                                            .points_max = POINTS_MAX});
    listener = pc_trace_listener(&q->points);
    status =
        replay_with(job, what_ifs, "its instructions", &listener, &q->replay);
    if (status == EXIT_DONE) {
        status = find(q);
        if (status != EXIT_DONE)
            replay_release(&q->replay);
    }
    if (status != EXIT_DONE)
        pc_trace_release(&q->points);
    return status;
}

void critical_sequence_release(struct critical_sequence *q)
{
    critical_release(&q->critical);
    pc_trace_release(&q->points);
    replay_release(&q->replay);
}

int report_critical(const struct job *job, const struct opt_list *what_ifs)
{
    static const struct view view = {
        .text = print_text,
        .values = values,
        .table = "steps",
        .columns = "pc,text,line,file,times,cycles,reason",
    };
    struct critical_sequence q;
    int status = critical_measure(&q, job, what_ifs);

    if (status != EXIT_DONE)
        return status;
    status = view_write(&view, &q, job->format, job->out);
    critical_sequence_release(&q);
    return status;
}
