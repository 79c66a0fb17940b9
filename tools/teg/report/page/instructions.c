#include "tools/teg/report/page/sections.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/teg/report/instructions.h"

static void print_instruction(FILE *f, const struct page *p, uint32_t index)
{
    const struct by_pc *b = p->result->by_pc;
    const struct by_pc_row *row = &b->row[index];
    const struct teg_inst *inst = &b->program->inst[index];
    struct by_pc_producer producer = by_pc_longest(row);
    uint64_t stalled = by_pc_stalled(row);
    char text[PAGE_TEXT_MAX + 1], stalls[256] = "";
    int most = 0;

    for (int r = 0; r < TEG_STALLS; r++) {
        if (row->stall[r] > row->stall[most])
            most = r;
    }
    for (int r = 0; r < TEG_STALLS; r++) {
        size_t used = strlen(stalls);

        if (row->stall[r] != 0)
            snprintf(stalls + used, sizeof stalls - used, "%s%s %.1f %%",
                     used != 0 ? ", " : "", teg_stall_label(r),
                     100 * (double)row->stall[r] / (double)stalled);
    }
    snprintf(text, sizeof text, "%s", teg_program_text(b->program, inst));
    fprintf(f,
            "<tr><td class=\"n mono\" data-v=\"%" PRIu64 "\">%04" PRIx64
            "</td><td class=\"mono\">",
            inst->pc, inst->pc);
    html_text(f, text);
    fputs("</td>", f);
    html_position_cell(f, b->program, inst);
    html_count_cell(f, row->issued);
    html_count_cell(f, stalled);
    html_percent_cell(f, (double)stalled,
                      (double)p->result->replay->s->resident_warp_cycles);
    fprintf(f, "<td title=\"%s\">%s</td>", stalls,
            stalled != 0 ? teg_stall_label(most) : "");
    if (producer.cycles != 0)
        fprintf(
            f, "<td class=\"n mono\" data-v=\"%" PRIu64 "\">%04" PRIx64 "</td>",
            b->program->inst[producer.inst].pc,
            b->program->inst[producer.inst].pc);
    else
        html_number_cell(f, -1, "");
    html_ratio_cell(f, (double)row->lanes, (double)row->issued);
    html_ratio_cell(f, (double)row->transactions, (double)row->requests);
    html_ratio_cell(f, (double)row->passes, (double)row->groups);
    fputs("</tr>\n", f);
}

int page_instructions(FILE *f, const struct page *p)
{
    const struct by_pc *b = p->result->by_pc;
    struct by_pc_rank *order = calloc(b->count + 1u, sizeof *order);
    uint32_t count;

    if (order == NULL)
        return say_memory();
    count = by_pc_rank(b, order);
    html_heading(f, "Instructions, most stalled first");
    fprintf(f,
            "<p><input id=\"filter\" hidden placeholder=\"filter: ldg "
            "long_scoreboard\" aria-label=\"filter\"></p>\n<div "
            "class=\"scroll box\"><table class=\"sort\" "
            "id=\"instructions\">"
            "<thead><tr><th class=\"n\">pc<th>instruction<th "
            "class=\"n\">line<th class=\"n\">issued<th class=\"n\" "
            "aria-sort=\"descending\">stalled<th class=\"n\">of time<th>most "
            "of it<th class=\"n\">waits for<th class=\"n\">lanes<th "
            "class=\"n\">transactions<th "
            "class=\"n\">conflict</tr></thead><tbody>\n");
    for (uint32_t i = 0; i < count && i < PAGE_ROWS_MAX; i++)
        print_instruction(f, p, order[i].index);
    fputs("</tbody></table></div>\n", f);
    if (count > PAGE_ROWS_MAX)
        fprintf(f,
                "<p class=\"dim\">%u less stalled instructions are left out; "
                "teg run --by-pc -f csv has all.</p>\n",
                count - PAGE_ROWS_MAX);
    fputs("<p class=\"dim\">stalled: cycles its warps waited before it, summed "
          "over warps. waits for: the instruction whose result was waited for "
          "longest. transactions: a request. conflict: passes a group of "
          "lanes.</p>\n",
          f);
    free(order);
    return EXIT_DONE;
}

void page_critical(FILE *f, const struct critical_sequence *q)
{
    enum {
        STEPS_MAX = 40
    };
    const struct critical *c = &q->critical;
    const struct teg_program *program = q->points.program;
    char a[28], b[28], d[28];

    html_heading(f, "Critical sequence");
    fprintf(f,
            "<p class=\"dim\">Warp %" PRIu32 " of block %" PRIu64
            " on SM %" PRIu32
            " is done last, in cycle %s. What it could not do without: %s of "
            "its instructions, %s cycles.</p>\n<div class=\"scroll box\"><table "
            "class=\"sort\"><thead><tr><th class=\"n\">pc<th>instruction<th "
            "class=\"n\">line<th class=\"n\">times<th class=\"n\">cycles<th "
            "class=\"n\">of it<th>held "
            "by</tr></thead><tbody>\n",
            q->slowest.warp, q->slowest.block, q->slowest.sm,
            with_commas(c->done, a), with_commas(c->instructions, b),
            with_commas(c->done - c->first, d));
    for (uint32_t i = 0; i < c->steps && i < STEPS_MAX; i++) {
        const struct critical_step *step = &c->step[i];
        const struct teg_inst *inst = &program->inst[step->inst];
        char text[PAGE_TEXT_MAX + 1];

        snprintf(text, sizeof text, "%s", teg_program_text(program, inst));
        fprintf(f,
                "<tr><td class=\"n mono\" data-v=\"%" PRIu64 "\">%04" PRIx64
                "</td><td class=\"mono\">",
                inst->pc, inst->pc);
        html_text(f, text);
        fputs("</td>", f);
        html_position_cell(f, program, inst);
        html_count_cell(f, step->times);
        html_count_cell(f, step->cycles);
        html_percent_cell(f, (double)step->cycles,
                          (double)(c->done - c->first));
        html_text_cell(f, critical_reason(step));
        fputs("</tr>\n", f);
    }
    fputs("</tbody></table></div>\n", f);
    if (c->steps > STEPS_MAX)
        fprintf(
            f,
            "<p class=\"dim\">and %u others; teg timeline --critical -f csv "
            "has all.</p>\n",
            c->steps - STEPS_MAX);
}
