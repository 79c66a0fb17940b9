/*
 * The page: what binds either, time, what the warps waited for beside each
 * other, kernels of a program, what to change then and now, every number.
 */
#include "tools/teg/commands/diff_page.h"

#include <math.h>
#include <string.h>

#include "tools/teg/cli/teg.h"
#include "tools/teg/report/chart.h"
#include "tools/teg/report/page/frame.h"
#include "tools/teg/report/page/pieces.h"

enum {
    FINDINGS = 5, /* of each side */
};

static const char *text_at(const json_t *value, const char *group,
                           const char *key)
{
    const char *text =
        json_string_value(json_object_get(json_object_get(value, group), key));

    return text != NULL ? text : "";
}

static const char *number_text(double v, char out[28])
{
    if (!isfinite(v))
        snprintf(out, 28, "n/a");
    else if (v >= 0 && v < 1e15 && v <= floor(v))
        with_commas((uint64_t)v, out);
    else
        snprintf(out, 28, "%.4g", v);
    return out;
}

static double percent_of(const struct metric *m)
{
    return 100 * (m->b - m->a) / fabs(m->a);
}

static const struct metric *find(const struct diff_page *p, const char *name)
{
    for (uint32_t i = 0; i < p->metrics; i++) {
        if (strcmp(p->metric[i].name, name) == 0)
            return &p->metric[i];
    }
    return NULL;
}

/* ---- head ----------------------------------------------------------------- */

static void print_side(FILE *f, const char *letter, const json_t *side)
{
    char name[TEG_NAME_MAX];

    fprintf(f, "<p><b>%s</b> ", letter);
    html_text(f, kernel_title(text_at(side, "kernel", "name"), name));
    fputs(" on ", f);
    html_text(f, text_at(side, "gpu", "name"));
    if (text_at(side, "verdict", "text")[0] != '\0') {
        fputs(": bound by ", f);
        html_text(f, text_at(side, "verdict", "text"));
    }
    fputs("</p>\n", f);
}

static void print_tile(FILE *f, const struct diff_page *p, const char *name,
                       const char *title)
{
    const struct metric *m = find(p, name);
    char a[28], b[28], value[32], remark[80];

    if (m == NULL)
        return;
    if (isfinite(percent_of(m)))
        snprintf(value, sizeof value, "%+.1f %%", percent_of(m));
    else
        snprintf(value, sizeof value, "n/a");
    snprintf(remark, sizeof remark, "%s to %s", number_text(m->a, a),
             number_text(m->b, b));
    html_tile(f, title, value, remark);
}

static void print_head(FILE *f, const struct diff_page *p)
{
    fputs("<h1>What changed</h1>\n<div class=\"verdict\">", f);
    print_side(f, "a", p->a);
    print_side(f, "b", p->b);
    fputs("</div>\n<div class=\"tiles\">", f);
    print_tile(f, p, "cycles", "cycles");
    print_tile(f, p, "total.cycles", "cycles");
    print_tile(f, p, "time_us", "microseconds");
    print_tile(f, p, "total.time_us", "microseconds");
    print_tile(f, p, "ipc", "warp instructions a cycle");
    print_tile(f, p, "total.ipc", "warp instructions a cycle");
    print_tile(f, p, "memory.dram_bytes", "DRAM bytes");
    fputs("</div>\n", f);
}

/* ---- tables ---------------------------------------------------------------- */

/* "barrier" of "stalls.barrier.warp_cycles". */
static bool is_between(const char *name, const char *before, const char *after,
                       char out[96])
{
    size_t all = strlen(name), b = strlen(before), a = strlen(after);

    if (all <= b + a || strncmp(name, before, b) != 0 ||
        strcmp(name + all - a, after) != 0)
        return false;
    snprintf(out, 96, "%.*s", (int)(all - a - b), name + b);
    return true;
}

static void print_number(FILE *f, double v)
{
    char text[28];

    html_number_cell(f, v, number_text(v, text));
}

static void print_change(FILE *f, const struct metric *m)
{
    char text[28] = "-";

    if (isfinite(percent_of(m)))
        snprintf(text, sizeof text, "%+.1f %%", percent_of(m));
    html_number_cell(f, isfinite(percent_of(m)) ? percent_of(m) : 0, text);
}

/* Those of a group, with bars of what they are of the largest. */
static void print_group(FILE *f, const struct diff_page *p, const char *title,
                        const char *before, const char *after)
{
    double most = 0;
    char name[96];

    for (uint32_t i = 0; i < p->metrics; i++) {
        if (is_between(p->metric[i].name, before, after, name))
            most = fmax(most, fmax(p->metric[i].a, p->metric[i].b));
    }
    if (most <= 0)
        return;
    html_heading(f, title);
    fputs("<div class=\"scroll\"><table class=\"sort\"><thead><tr><th>name"
          "<th class=\"n\">a<th><th class=\"n\">b<th><th class=\"n\">change"
          "</tr></thead><tbody>\n",
          f);
    for (uint32_t i = 0; i < p->metrics; i++) {
        const struct metric *m = &p->metric[i];

        if (!is_between(m->name, before, after, name) ||
            (!(m->a > 0) && !(m->b > 0)))
            continue;
        fputs("<tr>", f);
        html_text_cell(f, name);
        print_number(f, m->a);
        html_bar_cell(f, m->a > 0 ? m->a / most : 0);
        print_number(f, m->b);
        html_bar_cell(f, m->b > 0 ? m->b / most : 0);
        print_change(f, m);
        fputs("</tr>\n", f);
    }
    fputs("</tbody></table></div>\n", f);
}

static void print_findings(FILE *f, const char *title, const json_t *side)
{
    const json_t *list = json_object_get(side, "findings");

    fputs("<div>", f);
    html_heading(f, title);
    fputs("<ol>", f);
    for (size_t i = 0; i < json_array_size(list) && i < FINDINGS; i++) {
        const json_t *item = json_array_get(list, i);
        const char *text = json_string_value(json_object_get(item, "text"));

        fputs("<li><b>", f);
        html_text(f, json_string_value(json_object_get(item, "name")) != NULL
                         ? json_string_value(json_object_get(item, "name"))
                         : "");
        fputs("</b>: ", f);
        html_text(f, text != NULL ? text : "");
        fputs("</li>\n", f);
    }
    fputs("</ol></div>\n", f);
}

static void print_all(FILE *f, const struct diff_page *p)
{
    html_heading(f, "All that differs");
    fputs("<div class=\"scroll box\"><table class=\"sort\"><thead><tr><th>what"
          "<th class=\"n\">a<th class=\"n\">b<th class=\"n\">change</tr>"
          "</thead><tbody>\n",
          f);
    for (uint32_t i = 0; i < p->metrics; i++) {
        const struct metric *m = &p->metric[i];

        if ((m->a <= m->b && m->a >= m->b) || (isnan(m->a) && isnan(m->b)))
            continue;
        fputs("<tr>", f);
        html_text_cell(f, m->name);
        print_number(f, m->a);
        print_number(f, m->b);
        print_change(f, m);
        fputs("</tr>\n", f);
    }
    fputs("</tbody></table></div>\n", f);
}

static void print_page(FILE *f, const struct diff_page *p)
{
    html_frame_open(f, "what changed", text_at(p->b, "gpu", "name"), NULL);
    print_head(f, p);
    print_group(f, p, "Kernels, cycles", "kernels.", ".cycles");
    print_group(f, p, "What the warps' time went into, warp cycles", "stalls.",
                ".warp_cycles");
    print_group(f, p, "How busy units were, percent", "units.",
                ".active_percent");
    if (json_object_get(p->a, "findings") != NULL) {
        fputs("<div class=\"two\">\n", f);
        print_findings(f, "What to change in a", p->a);
        print_findings(f, "What to change in b", p->b);
        fputs("</div>\n", f);
    }
    print_all(f, p);
    fputs("<hr><p class=\"dim\">teg " TEG_VERSION
          " · cycles are simulated, not measured</p>\n",
          f);
    html_frame_close(f, NULL);
}

int diff_page_write(const struct diff_page *p, const char *path)
{
    struct output out;
    int status = output_open(&out, path);

    if (status != EXIT_DONE)
        return status;
    print_page(out.file, p);
    return output_close(&out);
}
