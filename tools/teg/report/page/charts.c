#include "tools/teg/report/page/sections.h"

#include <inttypes.h>
#include <math.h>

enum {
    CHART_STATES = 0 /* the one that is not folded */
};

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

bool page_charts_init(struct chart chart[PAGE_CHARTS], const struct page *p)
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
    double row = l->sms > 10 ? fmin(5, 110.0 / l->sms) : 11;
    double height = row * l->sms;

    if (bins == 0 || l->sms == 0)
        return;
    fprintf(f,
            "<figure><figcaption>Issue slots used, every SM (one row each, "
            "number 0 at the top; the stronger the more)</figcaption><svg "
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
                if (fabs(from - x) >= 0.01) {
                    html_short(f, 'M', from);
                    html_short(f, ' ', TOP + row * (sm + 0.5));
                }
                html_short(f, 'h', (double)WIDTH / bins);
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

void page_charts(FILE *f, const struct page *p,
                 const struct chart chart[PAGE_CHARTS])
{
    html_heading(f, "Over time");
    fprintf(f, "<p class=\"dim\">The SM shown is number %u. %s</p>\n",
            p->one->choice.sm,
            "Drag across to zoom (all charts follow), double-click to go "
            "back.");
    chart_html(f, &chart[CHART_STATES]);
    print_sms(f, p);
    fputs("<details class=\"charts\"><summary>busy units, instructions in "
          "flight, and one SM with its sub-cores</summary>\n",
          f);
    for (int i = CHART_STATES + 1; i < PAGE_CHARTS; i++)
        chart_html(f, &chart[i]);
    fputs("</details>\n", f);
}
