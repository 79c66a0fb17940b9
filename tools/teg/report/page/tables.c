#include "tools/teg/report/page/sections.h"

#include <inttypes.h>
#include <math.h>

#define USED_MIN 0.0005 /* is 0.0 % */

void page_used(FILE *f, const struct result *r)
{
    const struct verdict *v = &r->verdict;
    const char *before = "<p class=\"dim\">not used: ";

    fputs("<div>", f);
    html_heading(f, "How much of each throughput was used");
    fputs("<table>\n", f);
    for (uint32_t i = 0; i < v->share_count; i++) {
        if (v->share[i].share < USED_MIN)
            continue;
        fputs("<tr>", f);
        html_text_cell(f, v->share[i].name);
        html_percent_cell(f, v->share[i].share, 1);
        html_bar_cell(f, v->share[i].share);
        fputs("</tr>\n", f);
    }
    fputs("</table>", f);
    for (uint32_t i = 0; i < v->share_count; i++) {
        if (v->share[i].share >= USED_MIN)
            continue;
        fputs(before, f);
        html_text(f, v->share[i].name);
        before = ", ";
    }
    fputs(before[0] == ',' ? "</p></div>\n" : "</div>\n", f);
}

static void print_stall_row(FILE *f, const struct teg_statistics *s,
                            const char *label, uint64_t cycles,
                            const char *help)
{
    fputs("<tr title=\"", f);
    html_text(f, help);
    fputs("\">", f);
    html_text_cell(f, label);
    html_percent_cell(f, (double)cycles, (double)s->resident_warp_cycles);
    html_bar_cell(f, s->resident_warp_cycles != 0
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

void page_stalls(FILE *f, const struct teg_statistics *s)
{
    uint32_t shown = 0;

    fputs("<div>", f);
    html_heading(f, "What the warps' time went into");
    fputs("<table>\n", f);
    print_stall_row(f, s, "issued", s->warp_instructions,
                    "an instruction left");
    for (int r; (r = next_stall(s, &shown)) >= 0;)
        print_stall_row(f, s, teg_stall_label(r), s->stall[r],
                        teg_stall_help(r));
    fputs("</table></div>\n", f);
}

void page_units(FILE *f, const struct result *r)
{
    const struct teg_statistics *s = r->replay->s;

    html_heading(f, "Functional units");
    fputs("<details><summary>what each issued and how busy it was</summary>\n"
          "<div class=\"scroll\"><table class=\"sort\"><thead><tr>"
          "<th>unit<th class=\"n\">issued<th class=\"n\">active"
          "<th class=\"n\">mean load<th class=\"n\">peak load</tr></thead>"
          "<tbody>\n",
          f);
    for (uint32_t i = 0; i < s->unit_count; i++) {
        const struct teg_unit_statistics *u = &s->unit[i];

        fputs("<tr>", f);
        html_text_cell(f, r->replay->gpu->unit[i].name);
        html_count_cell(f, u->issued);
        html_percent_cell(f, (double)u->busy_cycles,
                          (double)s->cycles * u->instances);
        html_ratio_cell(f, (double)u->load_cycles, (double)s->cycles * s->sms);
        html_count_cell(f, u->peak_load);
        fputs("</tr>\n", f);
    }
    fputs("</tbody></table></div></details>\n", f);
}

static void cache_fact(FILE *f, const char *name, uint32_t bytes, uint64_t hits,
                       uint64_t sectors)
{
    if (bytes == 0)
        html_fact(f, name, "n/a");
    else if (sectors == 0)
        html_fact(f, name, "not used");
    else
        html_fact(f, name, "%.1f %% of %" PRIu64 " sectors",
                  100 * (double)hits / (double)sectors, sectors);
}

void page_memory(FILE *f, const struct result *r)
{
    const struct teg_statistics *s = r->replay->s;
    const struct teg_memory_statistics *m = &s->memory;
    const struct teg_gpu *gpu = r->replay->gpu;
    char a[28], b[28];

    if (m->global_requests + m->shared_requests + m->constant_requests +
            m->constant_lookups ==
        0)
        return;
    fputs("<div>", f);
    html_heading(f, "Memory");
    fputs("<table>\n", f);
    if (m->shared_requests != 0)
        html_fact(f, "shared requests", "%s, conflict degree %.2f",
                  with_commas(m->shared_requests, a),
                  m->shared_groups != 0
                      ? (double)m->shared_passes / (double)m->shared_groups
                      : 1.0);
    if (m->constant_requests != 0)
        html_fact(f, "constant requests", "%s, %.2f addresses each",
                  with_commas(m->constant_requests, a),
                  (double)m->constant_addresses / (double)m->constant_requests);
    if (m->constant_lookups != 0)
        html_fact(
            f, "constants in L1, L1.5", "%.1f %%, %.1f %% of %s lookups",
            100 * (double)m->constant_l1_hits / (double)m->constant_lookups,
            100 * (double)m->constant_l15_hits / (double)m->constant_lookups,
            with_commas(m->constant_lookups, a));
    if (m->texture_requests != 0)
        html_fact(f, "texture requests", "%s, %.1f %% of their sectors hit",
                  with_commas(m->texture_requests, a),
                  m->texture_sectors != 0 ? 100 * (double)m->texture_hits /
                                                (double)m->texture_sectors
                                          : 0.0);
    if (m->global_requests != 0) {
        html_fact(f, "global requests", "%s, %.2f transactions each",
                  with_commas(m->global_requests, a),
                  (double)m->transactions / (double)m->global_requests);
        html_fact(f, "bytes moved", "%s, %s asked for",
                  with_commas(m->bytes, a), with_commas(m->useful_bytes, b));
        cache_fact(f, "L1 hits", gpu->l1.bytes, m->l1_hits, m->l1_sectors);
        cache_fact(f, "L2 hits", gpu->l2.bytes, m->l2_hits, m->l2_sectors);
        html_fact(f, "DRAM", "%s bytes, %.4g GB/s",
                  with_commas(m->dram_bytes, a), dram_gbs(s, gpu));
        if (s->channel_bytes_sum != 0)
            html_fact(f, "channel skew", "%.2f",
                      (double)s->channel_bytes_max * s->channels /
                          (double)s->channel_bytes_sum);
    }
    fputs("</table></div>\n", f);
}

void page_models(FILE *f, const struct result *r)
{
    double simulated = (double)r->replay->s->cycles;

    html_heading(f, "Models side by side");
    fputs("<details><summary>what analytical models say beside the "
          "simulation</summary>\n<div "
          "class=\"scroll\"><table><thead><tr><th>model<th "
          "class=\"n\">cycles"
          "<th class=\"n\">ratio<th>limited by</tr></thead><tbody>\n<tr>"
          "<td>simulated</td>",
          f);
    html_count_cell(f, r->replay->s->cycles);
    fputs("<td></td>", f);
    html_text_cell(f, r->verdict.bound);
    fputs("</tr>\n", f);
    for (uint32_t i = 0; i < r->estimate_count; i++) {
        const struct teg_estimate *e = &r->estimate[i];

        fputs("<tr>", f);
        html_text_cell(f, e->model);
        if (e->applicable && !isnan(e->cycles)) {
            html_count_cell(f, (uint64_t)(e->cycles + 0.5));
            html_ratio_cell(f, e->cycles, simulated);
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
    fputs("</tbody></table></div></details>\n", f);
}

static bool gains(const struct whatif *w, const struct toggle *t)
{
    return fabs((double)t->cycles - (double)w->baseline_cycles) >=
           0.001 * (double)w->baseline_cycles;
}

/* Those that change next to nothing are only named. */
void page_ranking(FILE *f, const struct whatif *w)
{
    const char *comma = "Next to no change: ";

    html_heading(f, "What if a bottleneck were gone");
    fputs("<details><summary>all that was tried</summary>\n<table "
          "class=\"sort\"><thead><tr><th>what if<th class=\"n\">cycles"
          "<th class=\"n\">speedup<th>cycles saved</tr></thead><tbody>\n",
          f);
    for (uint32_t i = 0; i < w->done; i++) {
        const struct toggle *t = &w->toggle[i];

        if (!gains(w, t))
            continue;
        fputs("<tr>", f);
        html_text_cell(f, t->name);
        html_count_cell(f, t->cycles);
        html_ratio_cell(f, (double)w->baseline_cycles, (double)t->cycles);
        html_bar_cell(f, 1 - (double)t->cycles / (double)w->baseline_cycles);
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
    fputs("</p></details>\n", f);
}
