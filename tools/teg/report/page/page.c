#include "tools/teg/report/page/page.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tools/teg/report/chart.h"
#include "tools/teg/report/instructions.h"

static const char *const script_lines[] = {
#include "page.js.inc"
};
static const char *const style_lines[] = {
#include "page.css.inc"
};

static void print_lines(FILE *f, const char *const *line, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fputs(line[i], f);
}

/* ---- small pieces -------------------------------------------------------------- */

static void heading(FILE *f, const char *text)
{
    fputs("<h2>", f);
    html_text(f, text);
    fputs("</h2>\n", f);
}

static void text_cell(FILE *f, const char *text)
{
    fputs("<td>", f);
    html_text(f, text);
    fputs("</td>", f);
}

/* A number with the value to sort by. */
static void number_cell(FILE *f, double value, const char *text)
{
    fprintf(f, "<td class=\"n\" data-v=\"%.10g\">%s</td>", value, text);
}

static void count_cell(FILE *f, uint64_t v)
{
    char text[28];

    number_cell(f, (double)v, with_commas(v, text));
}

static void percent_cell(FILE *f, double part, double whole)
{
    char text[32] = "n/a";

    if (whole > 0)
        snprintf(text, sizeof text, "%.1f %%", 100 * part / whole);
    number_cell(f, whole > 0 ? part / whole : -1, text);
}

static void ratio_cell(FILE *f, double part, double whole)
{
    char text[32] = "";

    if (whole > 0)
        snprintf(text, sizeof text, "%.2f", part / whole);
    number_cell(f, whole > 0 ? part / whole : -1, text);
}

static void bar_cell(FILE *f, double share)
{
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    fprintf(f,
            "<td class=\"barcell\"><span class=\"bar\" "
            "style=\"width:%.1f%%\"></span></td>",
            100 * share);
}

static void fact(FILE *f, const char *name, const char *format, ...)
    TEG_PRINTF(3, 4);

static void fact(FILE *f, const char *name, const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fputs("<tr>", f);
    text_cell(f, name);
    text_cell(f, text);
    fputs("</tr>\n", f);
}

static void tile(FILE *f, const char *name, const char *value,
                 const char *remark)
{
    fputs("<div>", f);
    html_text(f, name);
    fprintf(f, "<b>%s</b><span class=\"dim\">", value);
    html_text(f, remark);
    fputs("</span></div>\n", f);
}

/* ---- sections -------------------------------------------------------------------- */

static void print_head(FILE *f, const struct page *p)
{
    const struct teg_statistics *s = p->result->replay->s;
    char name[TEG_NAME_MAX];

    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, "
          "initial-scale=1\">\n<link rel=\"icon\" href=\"data:,\">\n<title>",
          f);
    html_text(f, kernel_title(s->name, name));
    fputs(" on ", f);
    html_text(f, p->result->replay->gpu->name);
    fputs(" - teg</title>\n<style>\n", f);
    if (p->style != NULL)
        fputs(p->style, f);
    print_lines(f, style_lines, sizeof style_lines / sizeof style_lines[0]);
    fputs("</style></head><body>\n", f);
}

/* "axpy.cu:12", the whole path when pointed at; "line 12" of no known file. */
static void print_position(FILE *f, const struct teg_program *p,
                           const struct teg_inst *inst)
{
    const char *path = teg_program_file(p, inst);
    const char *slash = strrchr(path, '/');

    if (*path == '\0') {
        fprintf(f, "line %" PRIu32, inst->line);
        return;
    }
    fputs("<span title=\"", f);
    html_text(f, path);
    fputs("\">", f);
    html_text(f, slash != NULL ? slash + 1 : path);
    fprintf(f, ":%" PRIu32 "</span>", inst->line);
}

/* The cell of a table; sorts by line. */
static void position_cell(FILE *f, const struct teg_program *p,
                          const struct teg_inst *inst)
{
    if (inst->line == 0) {
        number_cell(f, -1, "");
        return;
    }
    fprintf(f, "<td class=\"n\" data-v=\"%" PRIu32 "\">", inst->line);
    if (*teg_program_file(p, inst) != '\0')
        print_position(f, p, inst);
    else
        fprintf(f, "%" PRIu32, inst->line);
    fputs("</td>", f);
}

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
        print_position(f, b->program, inst);
        fputc(')', f);
    }
}

/* The instruction before which the warps waited longest, and for what. */
static void print_where(FILE *f, const struct result *r)
{
    const struct by_pc *b = r->by_pc;
    struct by_pc_producer producer;
    uint32_t most = 0;
    uint64_t stalled;

    for (uint32_t i = 1; i < b->count; i++) {
        if (by_pc_stalled(&b->row[i]) > by_pc_stalled(&b->row[most]))
            most = i;
    }
    stalled = b->count != 0 ? by_pc_stalled(&b->row[most]) : 0;
    if (stalled == 0)
        return;
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

static void print_gains(FILE *f, const struct whatif *w)
{
    enum {
        TOP = 3
    };
    const struct toggle *best[TOP];
    uint32_t count = whatif_best(w, TOP, best);

    fputs("<p>Would help most: ", f);
    for (uint32_t i = 0; i < count; i++)
        fprintf(f, "%s%s %.2fx", i > 0 ? ", " : "", best[i]->name,
                (double)w->baseline_cycles / (double)best[i]->cycles);
    fputs(count == 0 ? "nothing that was tried</p>\n" : "</p>\n", f);
}

static void print_summary(FILE *f, const struct page *p)
{
    const struct result *r = p->result;
    const struct teg_statistics *s = r->replay->s;
    const struct teg_gpu *gpu = r->replay->gpu;
    double slots = issue_slots(s, gpu);
    double ipc =
        s->cycles > 0 ? (double)s->warp_instructions / (double)s->cycles : 0;
    char a[128], b[64], c[28], name[TEG_NAME_MAX];

    fputs("<h1>", f);
    html_text(f, kernel_title(s->name, name));
    fputs("</h1>\n<p class=\"dim\">", f);
    html_text(f, gpu->title);
    snprintf(a, sizeof a,
             ", %u SMs, %.0f MHz · grid %ux%ux%u, block %ux%ux%u · simulated",
             gpu->chip.sms, gpu->chip.sm_clock_mhz, s->grid[0], s->grid[1],
             s->grid[2], s->block[0], s->block[1], s->block[2]);
    html_text(f, a);
    fputs("</p>\n", f);
    if (r->replay->incomplete)
        fputs("<p class=\"verdict warn\">Incomplete: the simulation was "
              "interrupted; this is the part that was simulated.</p>\n",
              f);
    fputs("<div class=\"verdict\">Bound by ", f);
    html_text(f, r->verdict.text);
    print_where(f, r);
    if (p->ranking != NULL)
        print_gains(f, p->ranking);
    fputs("</div>\n<div class=\"tiles\">\n", f);
    snprintf(b, sizeof b, "= %.4g us",
             (double)s->cycles / gpu->chip.sm_clock_mhz);
    tile(f, "cycles", with_commas(s->cycles, c), b);
    snprintf(a, sizeof a, "%.2f", ipc);
    snprintf(b, sizeof b, "of %.0f issue slots a cycle", slots);
    tile(f, "warp instructions a cycle", a, b);
    snprintf(a, sizeof a, "%u of %u", s->occupancy.warps_per_sm,
             gpu->sm.warps_max);
    snprintf(b, sizeof b, "%u block%s, limited by %s",
             s->occupancy.blocks_per_sm,
             s->occupancy.blocks_per_sm == 1 ? "" : "s",
             teg_occupancy_limit_name(s->occupancy.limit));
    tile(f, "warps an SM", a, b);
    snprintf(a, sizeof a, "%u of %u", s->active_sms, gpu->chip.sms);
    tile(f, "SMs with work", a, "");
    if (s->memory.global_requests != 0) {
        snprintf(a, sizeof a, "%.4g GB/s", dram_gbs(s, gpu));
        snprintf(b, sizeof b, "of %.4g", gpu->dram.bandwidth_gbs);
        tile(f, "DRAM", a, gpu->dram.bandwidth_gbs > 0 ? b : "");
    }
    fputs("</div>\n", f);
}

static void print_used(FILE *f, const struct result *r)
{
    const struct verdict *v = &r->verdict;

    fputs("<div>", f);
    heading(f, "How much of each throughput was used");
    fputs("<table>\n", f);
    for (uint32_t i = 0; i < v->share_count; i++) {
        fputs("<tr>", f);
        text_cell(f, v->share[i].name);
        percent_cell(f, v->share[i].share, 1);
        bar_cell(f, v->share[i].share);
        fputs("</tr>\n", f);
    }
    fputs("</table></div>\n", f);
}

static void print_stall_row(FILE *f, const struct teg_statistics *s,
                            const char *label, uint64_t cycles,
                            const char *help)
{
    fputs("<tr title=\"", f);
    html_text(f, help);
    fputs("\">", f);
    text_cell(f, label);
    percent_cell(f, (double)cycles, (double)s->resident_warp_cycles);
    bar_cell(f, s->resident_warp_cycles != 0
                    ? (double)cycles / (double)s->resident_warp_cycles
                    : 0);
    fputs("</tr>\n", f);
}

/* The longest first; they are few. */
static int next_stall(const struct teg_statistics *s, uint32_t *shown)
{
    int next = -1;

    for (int r = 0; r < TEG_STALLS; r++) {
        if (s->stall[r] != 0 && (*shown & 1u << r) == 0 &&
            (next < 0 || s->stall[r] > s->stall[next]))
            next = r;
    }
    if (next >= 0)
        *shown |= 1u << next;
    return next;
}

static void print_stalls(FILE *f, const struct teg_statistics *s)
{
    uint32_t shown = 0;

    fputs("<div>", f);
    heading(f, "What the warps' time went into");
    fputs("<table>\n", f);
    print_stall_row(f, s, "issued", s->warp_instructions,
                    "an instruction left");
    for (int r; (r = next_stall(s, &shown)) >= 0;)
        print_stall_row(f, s, teg_stall_label(r), s->stall[r],
                        teg_stall_help(r));
    fputs("</table></div>\n", f);
}

static void print_units(FILE *f, const struct result *r)
{
    const struct teg_statistics *s = r->replay->s;

    heading(f, "Functional units");
    fputs("<div class=\"scroll\"><table class=\"sort\"><thead><tr>"
          "<th>unit<th class=\"n\">issued<th class=\"n\">active"
          "<th class=\"n\">mean load<th class=\"n\">peak load</tr></thead>"
          "<tbody>\n",
          f);
    for (uint32_t i = 0; i < s->unit_count; i++) {
        const struct teg_unit_statistics *u = &s->unit[i];

        fputs("<tr>", f);
        text_cell(f, r->replay->gpu->unit[i].name);
        count_cell(f, u->issued);
        percent_cell(f, (double)u->busy_cycles,
                     (double)s->cycles * u->instances);
        ratio_cell(f, (double)u->load_cycles, (double)s->cycles * s->sms);
        count_cell(f, u->peak_load);
        fputs("</tr>\n", f);
    }
    fputs("</tbody></table></div>\n", f);
}

static void cache_fact(FILE *f, const char *name, uint32_t bytes, uint64_t hits,
                       uint64_t sectors)
{
    if (bytes == 0)
        fact(f, name, "n/a");
    else if (sectors == 0)
        fact(f, name, "not used");
    else
        fact(f, name, "%.1f %% of %" PRIu64 " sectors",
             100 * (double)hits / (double)sectors, sectors);
}

static void print_memory(FILE *f, const struct result *r)
{
    const struct teg_statistics *s = r->replay->s;
    const struct teg_memory_statistics *m = &s->memory;
    const struct teg_gpu *gpu = r->replay->gpu;
    char a[28], b[28];

    if (m->global_requests + m->shared_requests == 0)
        return;
    fputs("<div>", f);
    heading(f, "Memory");
    fputs("<table>\n", f);
    if (m->shared_requests != 0)
        fact(f, "shared requests", "%s, conflict degree %.2f",
             with_commas(m->shared_requests, a),
             m->shared_groups != 0
                 ? (double)m->shared_passes / (double)m->shared_groups
                 : 1.0);
    if (m->global_requests != 0) {
        fact(f, "global requests", "%s, %.2f transactions each",
             with_commas(m->global_requests, a),
             (double)m->transactions / (double)m->global_requests);
        fact(f, "bytes moved", "%s, %s asked for", with_commas(m->bytes, a),
             with_commas(m->useful_bytes, b));
        cache_fact(f, "L1 hits", gpu->l1.bytes, m->l1_hits, m->l1_sectors);
        cache_fact(f, "L2 hits", gpu->l2.bytes, m->l2_hits, m->l2_sectors);
        fact(f, "DRAM", "%s bytes, %.4g GB/s", with_commas(m->dram_bytes, a),
             dram_gbs(s, gpu));
        if (s->channel_bytes_sum != 0)
            fact(f, "channel skew", "%.2f",
                 (double)s->channel_bytes_max * s->channels /
                     (double)s->channel_bytes_sum);
    }
    fputs("</table></div>\n", f);
}

static void print_models(FILE *f, const struct result *r)
{
    double simulated = (double)r->replay->s->cycles;

    heading(f, "Models side by side");
    fputs("<div class=\"scroll\"><table><thead><tr><th>model<th "
          "class=\"n\">cycles"
          "<th class=\"n\">ratio<th>limited by</tr></thead><tbody>\n<tr>"
          "<td>simulated</td>",
          f);
    count_cell(f, r->replay->s->cycles);
    fputs("<td></td>", f);
    text_cell(f, r->verdict.bound);
    fputs("</tr>\n", f);
    for (uint32_t i = 0; i < r->estimate_count; i++) {
        const struct teg_estimate *e = &r->estimate[i];

        fputs("<tr>", f);
        text_cell(f, e->model);
        if (e->applicable && !isnan(e->cycles)) {
            count_cell(f, (uint64_t)(e->cycles + 0.5));
            ratio_cell(f, e->cycles, simulated);
        } else {
            fputs("<td class=\"n\">n/a</td><td></td>", f);
        }
        fputs("<td>", f);
        html_text(f, e->applicable ? e->limiter : e->why);
        if (e->applicable && e->advice[0] != '\0') {
            fputs("<br><span class=\"dim\">", f);
            html_text(f, e->advice);
            fputs("</span>", f);
        }
        fputs("</td></tr>\n", f);
    }
    fputs("</tbody></table></div>\n", f);
}

static bool gains(const struct whatif *w, const struct toggle *t)
{
    return fabs((double)t->cycles - (double)w->baseline_cycles) >=
           0.001 * (double)w->baseline_cycles;
}

/* Those that change next to nothing are only named. */
static void print_ranking(FILE *f, const struct whatif *w)
{
    const char *comma = "Next to no change: ";

    fputs("<div>", f);
    heading(f, "What if a bottleneck were gone");
    fputs("<table class=\"sort\"><thead><tr><th>what if<th class=\"n\">cycles"
          "<th class=\"n\">speedup<th>cycles saved</tr></thead><tbody>\n",
          f);
    for (uint32_t i = 0; i < w->done; i++) {
        const struct toggle *t = &w->toggle[i];

        if (!gains(w, t))
            continue;
        fputs("<tr>", f);
        text_cell(f, t->name);
        count_cell(f, t->cycles);
        ratio_cell(f, (double)w->baseline_cycles, (double)t->cycles);
        bar_cell(f, 1 - (double)t->cycles / (double)w->baseline_cycles);
        fputs("</tr>\n", f);
    }
    fputs("</tbody></table><p class=\"dim\">", f);
    for (uint32_t i = 0; i < w->done; i++) {
        if (gains(w, &w->toggle[i]))
            continue;
        fprintf(f, "%s%s", comma, w->toggle[i].name);
        comma = ", ";
    }
    if (w->incomplete)
        fprintf(f, " Interrupted after %u of %u.", w->done, w->count);
    fputs("</p></div>\n", f);
}

/* ---- instructions ------------------------------------------------------------------ */

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
    position_cell(f, b->program, inst);
    count_cell(f, row->issued);
    count_cell(f, stalled);
    percent_cell(f, (double)stalled,
                 (double)p->result->replay->s->resident_warp_cycles);
    fprintf(f, "<td title=\"%s\">%s</td>", stalls,
            stalled != 0 ? teg_stall_label(most) : "");
    if (producer.cycles != 0)
        fprintf(
            f, "<td class=\"n mono\" data-v=\"%" PRIu64 "\">%04" PRIx64 "</td>",
            b->program->inst[producer.inst].pc,
            b->program->inst[producer.inst].pc);
    else
        number_cell(f, -1, "");
    ratio_cell(f, (double)row->lanes, (double)row->issued);
    ratio_cell(f, (double)row->transactions, (double)row->requests);
    ratio_cell(f, (double)row->passes, (double)row->groups);
    fputs("</tr>\n", f);
}

static int print_instructions_table(FILE *f, const struct page *p)
{
    const struct by_pc *b = p->result->by_pc;
    uint32_t *order = calloc(b->count + 1u, sizeof *order);
    uint32_t count;

    if (order == NULL)
        return say_memory();
    count = by_pc_rank(b, order);
    heading(f, "Instructions, most stalled first");
    fprintf(f,
            "<p><input id=\"filter\" hidden placeholder=\"filter: ldg "
            "long_scoreboard\" aria-label=\"filter\"></p>\n<div "
            "class=\"scroll\"><table class=\"sort\" id=\"instructions\">"
            "<thead><tr><th class=\"n\">pc<th>instruction<th "
            "class=\"n\">line<th class=\"n\">issued<th class=\"n\" "
            "aria-sort=\"descending\">stalled<th class=\"n\">of time<th>most "
            "of it<th class=\"n\">waits for<th class=\"n\">lanes<th "
            "class=\"n\">transactions<th "
            "class=\"n\">conflict</tr></thead><tbody>\n");
    for (uint32_t i = 0; i < count && i < PAGE_ROWS_MAX; i++)
        print_instruction(f, p, order[i]);
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

/* The chain of instructions that bounds the warp which is done last. */
static void print_critical(FILE *f, const struct critical_sequence *q)
{
    enum {
        STEPS_MAX = 40
    };
    const struct critical *c = &q->critical;
    const struct teg_program *program = q->points.program;
    char a[28], b[28], d[28];

    heading(f, "Critical sequence");
    fprintf(f,
            "<p class=\"dim\">Warp %" PRIu32 " of block %" PRIu64
            " on SM %" PRIu32
            " is done last, in cycle %s. What it could not do without: %s of "
            "its instructions, %s cycles.</p>\n<div class=\"scroll\"><table "
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
        position_cell(f, program, inst);
        count_cell(f, step->times);
        count_cell(f, step->cycles);
        percent_cell(f, (double)step->cycles, (double)(c->done - c->first));
        text_cell(f, critical_reason(step));
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

/* ---- roofline ---------------------------------------------------------------------- */

/* Logarithmic axes: x is warp instructions per byte of DRAM traffic, y warp
 * instructions a second.  (An instruction roofline, after Ding and Williams
 * 2019, with bytes for their transactions.) */
struct roof {
    double x0, x1, y0, y1; /* decades */
};

static double roof_x(const struct roof *r, double x)
{
    return 50 + 650 * (log10(x) - r->x0) / (r->x1 - r->x0);
}

static double roof_y(const struct roof *r, double y)
{
    return 10 + 190 * (1 - (log10(y) - r->y0) / (r->y1 - r->y0));
}

static void print_roof_axes(FILE *f, const struct roof *r)
{
    for (double d = r->x0; d <= r->x1; d++) {
        double x = roof_x(r, pow(10, d));

        fprintf(f,
                "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"10\" "
                "y2=\"200\"/><text x=\"%.1f\" y=\"214\" "
                "text-anchor=\"middle\">%g</text>\n",
                x, x, x, pow(10, d));
    }
    for (double d = r->y0; d <= r->y1; d++) {
        double y = roof_y(r, pow(10, d));

        fprintf(f,
                "<line class=\"grid\" x1=\"50\" x2=\"700\" y1=\"%.1f\" "
                "y2=\"%.1f\"/><text x=\"46\" y=\"%.1f\" "
                "text-anchor=\"end\">%g</text>\n",
                y, y, y + 4, pow(10, d));
    }
}

static void print_roofline(FILE *f, const struct result *r)
{
    const struct teg_statistics *s = r->replay->s;
    const struct teg_gpu *gpu = r->replay->gpu;
    double seconds = (double)s->cycles / (gpu->chip.sm_clock_mhz * 1e6);
    double peak = (double)gpu->chip.sms * gpu->sm.schedulers /
                  gpu->sm.issue_period * gpu->chip.sm_clock_mhz * 1e-3;
    double bandwidth = gpu->dram.bandwidth_gbs, x, y, ridge;
    struct roof roof;

    if (s->memory.dram_bytes == 0 || bandwidth <= 0 || seconds <= 0 ||
        s->warp_instructions == 0)
        return;
    x = (double)s->warp_instructions / (double)s->memory.dram_bytes;
    y = (double)s->warp_instructions / seconds * 1e-9;
    ridge = peak / bandwidth;
    roof = (struct roof){
        floor(log10(fmin(x, ridge)) - 0.5), ceil(log10(fmax(x, ridge)) + 0.5),
        floor(log10(fmin(y, peak)) - 0.3), ceil(log10(peak) + 0.1)};
    heading(f, "Roofline");
    fputs("<figure><figcaption>10<sup>9</sup> warp instructions a second, by "
          "warp instructions per byte of DRAM traffic</figcaption><svg "
          "viewBox=\"0 0 720 220\" id=\"roofline\">\n",
          f);
    print_roof_axes(f, &roof);
    fprintf(f,
            "<clipPath id=\"plot\"><rect x=\"50\" y=\"10\" width=\"650\" "
            "height=\"190\"/></clipPath><g clip-path=\"url(#plot)\">"
            "<polyline fill=\"none\" stroke=\"#0072b2\" stroke-width=\"2\" "
            "points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f\"/>\n"
            "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"#d55e00\"/></g>\n",
            roof_x(&roof, pow(10, roof.x0)),
            roof_y(&roof, pow(10, roof.x0) * bandwidth), roof_x(&roof, ridge),
            roof_y(&roof, peak), 700.0, roof_y(&roof, peak), roof_x(&roof, x),
            roof_y(&roof, y));
    fprintf(f,
            "<text x=\"696\" y=\"%.1f\" text-anchor=\"end\">issue: %.4g</text>"
            "</svg><p class=\"dim\">The dot is this kernel: %.3g instructions "
            "a byte, %.4g x 10<sup>9</sup> a second; the roof at that point is "
            "%.4g.</p></figure>\n",
            roof_y(&roof, peak) - 4, peak, x, y, fmin(peak, x * bandwidth));
}

/* ---- charts ------------------------------------------------------------------------ */

static bool begin_chart(struct chart *c, const struct timeline *t,
                        const char *id, const char *title, const char *unit)
{
    if (!chart_init(c, timeline_bins(t), CHART_SERIES_MAX))
        return false;
    c->series = 0;
    c->id = id;
    c->title = title;
    c->unit = unit;
    c->first_cycle = t->choice.from;
    c->bin_cycles = t->bin_cycles;
    c->end = t->end;
    return true;
}

/* Each bin's sum over its cycles and `each`; without values none is added. */
static void add_series(struct chart *c, const struct timeline *t,
                       const char *label, const uint64_t *bin, double each)
{
    double *value = &c->value[(size_t)c->series * c->bins];
    bool any = false;

    if (c->series == CHART_SERIES_MAX)
        return;
    for (uint32_t i = 0; i < c->bins; i++) {
        value[i] = (double)bin[i] / ((double)timeline_width(t, i) * each);
        any |= bin[i] != 0;
    }
    if (any)
        snprintf(c->label[c->series++], sizeof c->label[0], "%s", label);
}

static bool states_chart(struct chart *c, const struct timeline *t,
                         const char *id, const char *title, double each)
{
    if (!begin_chart(c, t, id, title, "warps an SM"))
        return false;
    c->stacked = true;
    add_series(c, t, "issued", t->issued, each);
    for (int r = 0; r < TEG_STALLS; r++)
        add_series(c, t, teg_stall_label(r), t->stall[r], each);
    return true;
}

static bool units_chart(struct chart *c, const struct timeline *t,
                        const struct teg_gpu *gpu, const char *id,
                        const char *title)
{
    if (!begin_chart(c, t, id, title, "% of time"))
        return false;
    for (uint32_t u = 0; u < t->unit_count; u++)
        add_series(c, t, gpu->unit[u].name, t->busy[u],
                   t->instances[u] / 100.0);
    return true;
}

static bool load_chart(struct chart *c, const struct timeline *t,
                       const struct teg_gpu *gpu, const char *id,
                       const char *title, double each)
{
    if (!begin_chart(c, t, id, title, "instructions an SM"))
        return false;
    for (uint32_t u = 0; u < t->unit_count; u++)
        add_series(c, t, gpu->unit[u].name, t->load[u], each);
    return true;
}

/* How evenly the warps are spread over the schedulers. */
static bool sub_cores_chart(struct chart *c, const struct page *p)
{
    const struct teg_gpu *gpu = p->result->replay->gpu;
    char label[24];

    if (!begin_chart(c, p->one, "sub-cores", "Issue slots used, by sub-core",
                     "% of its own"))
        return false;
    for (uint32_t i = 0; i < p->sub_cores; i++) {
        snprintf(label, sizeof label, "sub-core %u", i);
        add_series(c, &p->sub[i], label, p->sub[i].issued,
                   0.01 / gpu->sm.issue_period);
    }
    return true;
}

enum {
    CHARTS = 6
};

static bool make_charts(struct chart chart[CHARTS], const struct page *p)
{
    const struct teg_gpu *gpu = p->result->replay->gpu;
    const struct teg_statistics *s = p->result->replay->s;
    double sms = s->active_sms != 0 ? s->active_sms : 1;

    return states_chart(&chart[0], p->chip, "states-chip",
                        "Warps by state, all SMs", sms) &&
           states_chart(&chart[1], p->one, "states-sm",
                        "Warps by state, one SM", 1) &&
           units_chart(&chart[2], p->chip, gpu, "units-chip",
                       "Busy units, whole chip") &&
           units_chart(&chart[3], p->one, gpu, "units-sm",
                       "Busy units, one SM") &&
           sub_cores_chart(&chart[4], p) &&
           load_chart(&chart[5], p->chip, gpu, "load-chip",
                      "Instructions in flight, all SMs", sms);
}

/*
 * Every SM's issue slots over time, a row each: a path for each shade, so that
 * 144 SMs of 128 bins take tens of kilobytes.
 */
static void print_sms(FILE *f, const struct page *p)
{
    enum {
        SHADES = 8,
        TOP = 4,
        LEFT = 44,
        WIDTH = 676
    };
    const struct sm_load *l = p->sms;
    const struct teg_gpu *gpu = p->result->replay->gpu;
    double slots = (double)gpu->sm.schedulers / gpu->sm.issue_period;
    uint32_t bins = sm_load_bins(l);
    double row = l->sms > 40 ? 2 : l->sms > 10 ? 5 : 12;
    double height = row * l->sms;

    if (bins == 0 || l->sms == 0)
        return;
    fprintf(f,
            "<figure><figcaption>Issue slots used, every SM (one row each, "
            "number 0 at the top; the darker the more)</figcaption><svg "
            "viewBox=\"0 0 720 %.0f\" id=\"sms\">\n",
            TOP + height + 20);
    for (int shade = 1; shade <= SHADES; shade++) {
        fprintf(f,
                "<path class=\"cell\" stroke-width=\"%.1f\" "
                "stroke-opacity=\"%.2f\" d=\"",
                row, 0.12 + 0.88 * shade / SHADES);
        for (uint32_t sm = 0; sm < l->sms; sm++) {
            double x = -1;

            for (uint32_t i = 0; i < bins; i++) {
                double used = (double)sm_load_at(l, sm, i) /
                              ((double)sm_load_width(l, i) * slots);
                int level = used > 0 ? (int)ceil(used * SHADES) : 0;
                double from = LEFT + (double)WIDTH * i / bins;

                if ((level > SHADES ? SHADES : level) != shade)
                    continue;
                if (fabs(from - x) < 0.01)
                    fprintf(f, "h%.4g", (double)WIDTH / bins);
                else
                    fprintf(f, "M%.4g %.4gh%.4g", from, TOP + row * (sm + 0.5),
                            (double)WIDTH / bins);
                x = from + (double)WIDTH / bins;
            }
        }
        fputs("\"/>\n", f);
    }
    fprintf(f,
            "<text x=\"%d\" y=\"12\" text-anchor=\"end\">SM 0</text><text "
            "x=\"%d\" y=\"%.0f\" text-anchor=\"end\">%u</text><text x=\"%d\" "
            "y=\"%.0f\">0</text><text x=\"720\" y=\"%.0f\" "
            "text-anchor=\"end\">cycle %" PRIu64 "</text></svg></figure>\n",
            LEFT - 4, LEFT - 4, TOP + height, l->sms - 1, LEFT,
            TOP + height + 14, TOP + height + 14, l->end);
}

static void print_charts(FILE *f, const struct page *p,
                         const struct chart chart[CHARTS])
{
    heading(f, "Over time");
    fprintf(f, "<p class=\"dim\">The SM shown is number %u. %s</p>\n",
            p->one->choice.sm,
            p->script != NULL
                ? "Drag across to zoom (all charts follow), double-click to "
                  "go back."
                : "The charts are static: dygraphs was not installed where "
                  "this page was made.");
    for (int i = 0; i < CHARTS; i++)
        chart_html(f, &chart[i]);
    print_sms(f, p);
}

/* ---- facts ------------------------------------------------------------------------- */

static void print_kernel_facts(FILE *f, const struct page *p)
{
    const struct teg_statistics *s = p->result->replay->s;
    const struct teg_gpu *gpu = p->result->replay->gpu;
    char a[28], name[TEG_NAME_MAX];

    fputs("<div>", f);
    heading(f, "Kernel");
    fputs("<table>\n", f);
    fact(f, "name", "%s", teg_name_readable(s->name, NAME_FULL, name));
    if (teg_name_is_mangled(s->name))
        fact(f, "symbol", "%s", s->name);
    fact(f, "grid", "%u x %u x %u blocks", s->grid[0], s->grid[1], s->grid[2]);
    fact(f, "block", "%u x %u x %u threads", s->block[0], s->block[1],
         s->block[2]);
    if (s->registers != 0)
        fact(f, "registers", "%u a thread", s->registers);
    fact(f, "shared memory", "%s bytes a block",
         with_commas(s->shared_bytes, a));
    if (s->isa != 0)
        fact(f, "architecture", "sm_%u", s->isa);
    fact(f, "blocks", "%s", with_commas(s->blocks, a));
    fact(f, "warps", "%s", with_commas(s->warps, a));
    fact(f, "warp instructions", "%s", with_commas(s->warp_instructions, a));
    if (s->warp_instructions != 0)
        fact(f, "active lanes", "%.1f of 32",
             (double)s->thread_instructions / (double)s->warp_instructions);
    fact(f, "occupancy", "%u warps in %u block%s an SM, limited by %s",
         s->occupancy.warps_per_sm, s->occupancy.blocks_per_sm,
         s->occupancy.blocks_per_sm == 1 ? "" : "s",
         teg_occupancy_limit_name(s->occupancy.limit));
    if (gpu->l1.unified_bytes != 0)
        fact(f, "carve-out", "%.4g KB for shared memory, L1 has %.4g",
             s->occupancy.carveout_bytes / 1024.0,
             s->occupancy.l1_bytes / 1024.0);
    fputs("</table></div>\n", f);
}

static void print_gpu_facts(FILE *f, const struct teg_gpu *gpu)
{
    heading(f, "GPU");
    fputs("<details><summary>", f);
    html_text(f, gpu->title);
    fprintf(f,
            ": %u values and their sources</summary>\n<div "
            "class=\"scroll\"><table class=\"sort\"><thead><tr>"
            "<th>key<th>value<th>unit<th>source</tr></thead><tbody>\n",
            gpu->fact_count);
    for (uint32_t i = 0; i < gpu->fact_count; i++) {
        fputs("<tr>", f);
        text_cell(f, gpu->fact[i].key);
        text_cell(f, gpu->fact[i].value);
        text_cell(f, gpu->fact[i].unit);
        text_cell(f, gpu->fact[i].source);
        fputs("</tr>\n", f);
    }
    fputs("</tbody></table></div></details>\n", f);
}

static void print_notes(FILE *f, const char *kind,
                        const struct teg_notes *notes)
{
    for (size_t i = 0; notes != NULL && i < notes->count; i++) {
        fputs("<li>", f);
        html_text(f, kind);
        html_text(f, notes->note[i].where);
        fputs(notes->note[i].where[0] != '\0' ? ": " : "", f);
        html_text(f, notes->note[i].what);
        if (notes->note[i].count > 1)
            fprintf(f, " (%" PRIu64 " times)", notes->note[i].count);
        fputs("</li>\n", f);
    }
}

static void print_remark(FILE *f, const char *text)
{
    fputs("<li>", f);
    html_text(f, text);
    fputs("</li>\n", f);
}

static void print_remarks(FILE *f, const struct result *r)
{
    char text[256];

    fputs("<ul>\n", f);
    if (result_unknown_opcodes(r, text, sizeof text))
        print_remark(f, text);
    if (result_generation(r, text, sizeof text))
        print_remark(f, text);
    print_notes(f, "", &r->replay->launch.kernel->notes);
    print_notes(f, "", r->trace_notes);
    for (uint32_t i = 0; r->what_ifs != NULL && i < r->what_ifs->count; i++) {
        fputs("<li>simulated as if: ", f);
        html_text(f, r->what_ifs->item[i]);
        fputs("</li>\n", f);
    }
    fputs("</ul>\n", f);
}

static void print_foot(FILE *f, const struct page *p)
{
    char a[28];

    fputs("<hr><p class=\"dim\">teg " TEG_VERSION " · trace ", f);
    html_text(f, p->trace);
    fprintf(f, ", %s bytes, CRC-32 %08" PRIx32 ", kernel %u · GPU ",
            with_commas(p->trace_bytes, a), p->crc, p->result->number);
    html_text(f, p->result->replay->gpu->name);
    fputs(" · cycles are simulated, not measured</p>\n", f);
}

/* ---- the page ---------------------------------------------------------------------- */

static void print_scripts(FILE *f, const struct page *p,
                          const struct chart chart[CHARTS])
{
    fputs("<script type=\"application/json\" id=\"data\">{\"charts\":[\n", f);
    for (int i = 0; i < CHARTS; i++) {
        fputs(i > 0 ? ",\n" : "", f);
        chart_json(f, &chart[i]);
    }
    fputs("]}</script>\n", f);
    if (p->script != NULL) {
        fputs("<script>", f);
        fputs(p->script, f);
        fputs("\n</script>\n", f);
    }
    fputs("<script>\n", f);
    print_lines(f, script_lines, sizeof script_lines / sizeof script_lines[0]);
    fputs("</script>\n", f);
}

static int print_body(FILE *f, const struct page *p,
                      const struct chart chart[CHARTS])
{
    const struct result *r = p->result;
    int status;

    print_summary(f, p);
    fputs("<div class=\"two\">\n", f);
    print_stalls(f, r->replay->s);
    print_used(f, r);
    if (p->ranking != NULL)
        print_ranking(f, p->ranking);
    print_memory(f, r);
    print_kernel_facts(f, p);
    fputs("</div>\n", f);
    print_charts(f, p, chart);
    status = print_instructions_table(f, p);
    if (p->critical != NULL)
        print_critical(f, p->critical);
    print_roofline(f, r);
    print_models(f, r);
    print_units(f, r);
    print_gpu_facts(f, r->replay->gpu);
    print_remarks(f, r);
    print_foot(f, p);
    return status;
}

int page_write(FILE *f, const struct page *p)
{
    struct chart chart[CHARTS] = {{0}};
    int status = make_charts(chart, p) ? EXIT_DONE : say_memory();

    if (status == EXIT_DONE) {
        print_head(f, p);
        status = print_body(f, p, chart);
        print_scripts(f, p, chart);
        fputs("</body></html>\n", f);
    }
    for (int i = 0; i < CHARTS; i++)
        chart_release(&chart[i]);
    return status;
}
