#include "tools/teg/report/page/sections.h"

#include <inttypes.h>

static void print_instruction_name(FILE *f, const struct by_pc *b,
                                   uint32_t index)
{
    const struct teg_inst *inst = &b->program->inst[index];
    char text[PAGE_TEXT_MAX + 1];

    snprintf(text, sizeof text, "%s", teg_program_text(b->program, inst));
    fprintf(f, "%04" PRIx64 " <code>", inst->pc);
    html_text(f, text);
    fputs("</code>", f);
    if (inst->line != 0) {
        fputs(" (", f);
        html_position(f, b->program, inst);
        fputc(')', f);
    }
}

/* The instruction before which the warps waited longest, and for what. */
static void print_where(FILE *f, const struct result *r)
{
    const struct by_pc *b = r->by_pc;
    uint32_t most = by_pc_most_stalled(b);
    struct by_pc_producer producer;
    uint64_t stalled;

    if (most == b->count)
        return;
    stalled = by_pc_stalled(&b->row[most]);
    fputs("<p>Most waiting: before ", f);
    print_instruction_name(f, b, most);
    fprintf(f, ", %.0f %% of the warps' time",
            100 * (double)stalled / (double)r->replay->s->resident_warp_cycles);
    producer = by_pc_longest(&b->row[most]);
    if (producer.cycles != 0) {
        fputs(", mostly for the result of ", f);
        print_instruction_name(f, b, producer.inst);
    }
    fputs("</p>\n", f);
}

void page_summary(FILE *f, const struct page *p)
{
    const struct result *r = p->result;
    const struct teg_statistics *s = r->replay->s;
    const struct teg_gpu *gpu = r->replay->gpu;
    double slots = issue_slots(s, gpu);
    double ipc =
        s->cycles > 0 ? (double)s->warp_instructions / (double)s->cycles : 0;
    char a[256], b[64], c[28], name[TEG_NAME_MAX];

    fputs("<h1>", f);
    html_text(f, kernel_title(s->name, name));
    fputs("</h1>\n<p class=\"dim\">", f);
    html_text(f, gpu->title);
    snprintf(a, sizeof a,
             ", %u SMs, %.0f MHz · grid %ux%ux%u, block %ux%ux%u · simulated",
             gpu->chip.sms, gpu->chip.sm_clock_mhz, s->grid[0], s->grid[1],
             s->grid[2], s->block[0], s->block[1], s->block[2]);
    html_text(f, a);
    compared_text(gpu, a, sizeof a);
    fputs("<br>", f);
    html_text(f, "Compared ");
    html_text(f, a);
    fputs("</p>\n", f);
    if (r->replay->incomplete)
        fputs("<p class=\"verdict warn\">Incomplete: the simulation was "
              "interrupted; this is the part that was simulated.</p>\n",
              f);
    fputs("<div class=\"verdict\">Bound by ", f);
    html_text(f, p->ranking != NULL ? findings_first(r->findings)
                                    : r->verdict.text);
    print_where(f, r);
    if (p->ranking != NULL)
        html_findings(f, r->findings, FINDINGS_TOLD);
    fputs("</div>\n<div class=\"tiles\">\n", f);
    snprintf(b, sizeof b, "= %.4g us",
             (double)s->cycles / gpu->chip.sm_clock_mhz);
    html_tile(f, "cycles", with_commas(s->cycles, c), b);
    snprintf(a, sizeof a, "%.2f", ipc);
    snprintf(b, sizeof b, "of %.0f issue slots a cycle", slots);
    html_tile(f, "warp instructions a cycle", a, b);
    snprintf(a, sizeof a, "%u of %u", s->occupancy.warps_per_sm,
             gpu->sm.warps_max);
    snprintf(b, sizeof b, "%u block%s, limited by %s",
             s->occupancy.blocks_per_sm,
             s->occupancy.blocks_per_sm == 1 ? "" : "s",
             teg_occupancy_limit_name(s->occupancy.limit));
    html_tile(f, "warps an SM", a, b);
    snprintf(a, sizeof a, "%u of %u", s->active_sms, gpu->chip.sms);
    html_tile(f, "SMs with work", a, "");
    if (s->memory.global_requests != 0) {
        snprintf(a, sizeof a, "%.4g GB/s", dram_gbs(s, gpu));
        snprintf(b, sizeof b, "of %.4g", gpu->dram.bandwidth_gbs);
        html_tile(f, "DRAM", a, gpu->dram.bandwidth_gbs > 0 ? b : "");
    }
    fputs("</div>\n", f);
}
