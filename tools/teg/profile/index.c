/* The page of a program: its kernels with their pages, its launches in order. */
#include "tools/teg/profile/profile.h"

#include <inttypes.h>
#include <limits.h>

#include "tools/teg/report/chart.h"
#include "tools/teg/report/page/frame.h"
#include "tools/teg/report/page/pieces.h"

enum {
    ROWS_MAX = 2000
};

static void print_title(FILE *f, const struct profile *p)
{
    char a[64], b[32];

    fputs("<h1>", f);
    html_text(f, p->title);
    fputs("</h1>\n<p class=\"dim\">", f);
    html_text(f, p->job.gpu->title);
    fprintf(f, ", %u SMs, %.0f MHz · simulated, caches %s</p>\n",
            p->job.gpu->chip.sms, p->job.gpu->chip.sm_clock_mhz,
            caches_names[p->job.caches]);
    if (p->incomplete)
        fputs("<p class=\"verdict warn\">Incomplete: interrupted; this is what "
              "was simulated.</p>\n",
              f);
    fputs("<div class=\"tiles\">\n", f);
    snprintf(a, sizeof a, "%.4g us", p->us);
    html_tile(f, "in kernels", a, "the gaps between launches are not in it");
    html_tile(f, "launches", with_commas(p->launches, b), "");
    html_tile(f, "kernels", with_commas(p->groups, b), "");
    fputs("</div>\n", f);
}

static void print_name(FILE *f, const struct profile_group *g)
{
    char name[TEG_NAME_MAX];

    if (g->page[0] != '\0')
        fprintf(f, "<a href=\"%s\">", g->page);
    html_text(f, kernel_title(g->name, name));
    if (g->page[0] != '\0')
        fputs("</a>", f);
}

/* What bounds it, where, and what would help. */
static void print_why(FILE *f, const struct profile *p,
                      const struct profile_group *g)
{
    const struct profile_step *step = &p->step[g->heaviest];
    char shape[96];

    profile_shape(step, shape, sizeof shape);
    fputs("<p>", f);
    html_text(f, shape);
    fputs(": bound by ", f);
    html_text(f, step->verdict.text);
    fputs("</p>", f);
    if (g->waiting[0] != '\0') {
        fputs("<p>Most waiting: before ", f);
        html_text(f, g->waiting);
        fputs("</p>", f);
    }
    if (g->findings != NULL)
        html_findings(f, g->findings);
}

static void print_top(FILE *f, const struct profile *p)
{
    for (uint32_t i = 0; i < p->groups && i < p->top; i++) {
        const struct profile_group *g = &p->group[p->rank[i]];

        fprintf(f, "<div class=\"verdict\"><b>%.1f %%</b> ",
                100 * profile_share(p, g->us));
        print_name(f, g);
        print_why(f, p, g);
        fputs("</div>\n", f);
    }
}

static void print_kernels(FILE *f, const struct profile *p)
{
    html_heading(f, "Kernels");
    fputs("<div class=\"scroll\"><table class=\"sort\"><thead><tr><th>kernel"
          "</th><th class=\"n\">share</th><th></th><th class=\"n\">us</th>"
          "<th class=\"n\">launches</th></tr></thead><tbody>\n",
          f);
    for (uint32_t i = 0; i < p->groups && i < ROWS_MAX; i++) {
        const struct profile_group *g = &p->group[p->rank[i]];
        char us[32];

        fprintf(f,
                "<tr><td><span class=\"key\"><i style=\"background:%s\"></i>"
                "</span>",
                chart_color(i));
        print_name(f, g);
        fputs("</td>", f);
        html_percent_cell(f, g->us, p->us);
        html_bar_cell(f, profile_share(p, g->us));
        snprintf(us, sizeof us, "%.4g", g->us);
        html_number_cell(f, g->us, us);
        html_count_cell(f, g->launches);
        fputs("</tr>\n", f);
    }
    fputs("</tbody></table></div>\n", f);
}

static void print_step(FILE *f, const struct profile *p, uint32_t i)
{
    const struct profile_step *s = &p->step[i];
    char text[96];

    fputs("<tr>", f);
    html_count_cell(f, i + 1);
    fputs("<td>", f);
    print_name(f, &p->group[s->group]);
    fputs("</td>", f);
    profile_shape(s, text, sizeof text);
    html_text_cell(f, text);
    html_count_cell(f, s->launches);
    snprintf(text, sizeof text, "%.4g", s->us);
    html_number_cell(f, s->us, text);
    html_percent_cell(f, s->launches * s->us, p->us);
    html_bar_cell(f, profile_share(p, s->launches * s->us));
    html_text_cell(f, s->verdict.bound);
    fputs("</tr>\n", f);
}

static void print_steps(FILE *f, const struct profile *p)
{
    html_heading(f, "Launches in order");
    fputs("<div class=\"scroll\"><table class=\"sort\"><thead><tr>"
          "<th class=\"n\">#</th><th>kernel</th><th>shape</th>"
          "<th class=\"n\">launches</th><th class=\"n\">us each</th>"
          "<th class=\"n\">share</th><th></th><th>bound by</th></tr></thead>"
          "<tbody>\n",
          f);
    for (uint32_t i = 0; i < p->steps && i < ROWS_MAX; i++)
        print_step(f, p, i);
    fputs("</tbody></table></div>\n", f);
    if (p->steps > ROWS_MAX)
        fprintf(f, "<p class=\"dim\">... and %" PRIu32 " more</p>\n",
                p->steps - ROWS_MAX);
}

/* Launches that are narrower than this are drawn as one, of no kernel. */
static const double pixels_min = 0.5;

static void print_span(FILE *f, const struct profile *p, double from, double to,
                       uint32_t first, uint32_t last)
{
    enum {
        WIDTH = 800,
        HEIGHT = 34
    };
    const struct profile_step *s = &p->step[first];
    uint32_t color = 0;
    char name[TEG_NAME_MAX];

    while (p->rank[color] != s->group)
        color++;
    fprintf(f,
            "<rect x=\"%.2f\" y=\"0\" width=\"%.2f\" height=\"%d\" "
            "fill=\"%s\"><title>",
            WIDTH * from, WIDTH * (to - from), HEIGHT,
            first == last ? chart_color(color) : "var(--dim)");
    if (first == last) {
        html_text(f, kernel_title(p->group[s->group].name, name));
        fprintf(f, ", step %u, %.4g us: ", first + 1, s->launches * s->us);
        html_text(f, s->verdict.bound);
    } else {
        fprintf(f, "steps %u to %u, %.4g us", first + 1, last + 1,
                (to - from) * p->us);
    }
    fputs("</title></rect>\n", f);
}

/* One after the other, as they are replayed: streams do not overlap. */
static void print_time(FILE *f, const struct profile *p)
{
    double at = 0, from = 0;
    uint32_t first = 0;

    if (p->us <= 0)
        return;
    html_heading(f, "Over time");
    fputs("<figure><figcaption>Launches one after the other, as wide as they "
          "take long; grey are several short ones</figcaption><svg viewBox=\"0 "
          "0 800 50\" id=\"time\">\n",
          f);
    for (uint32_t i = 0; i < p->steps; i++) {
        const double next =
            at + profile_share(p, p->step[i].launches * p->step[i].us);

        if ((next - at) * 800 >= pixels_min && first < i) {
            print_span(f, p, from, at, first, i - 1);
            first = i;
            from = at;
        }
        if ((next - from) * 800 >= pixels_min || i + 1 == p->steps) {
            print_span(f, p, from, next, first, i);
            first = i + 1;
            from = next;
        }
        at = next;
    }
    fprintf(f,
            "<text x=\"0\" y=\"46\">0</text><text x=\"800\" y=\"46\" "
            "text-anchor=\"end\">%.4g us</text></svg></figure>\n",
            p->us);
}

int profile_write_page(const struct profile *p)
{
    char path[PATH_MAX];
    struct output out;
    int status;

    snprintf(path, sizeof path, "%.4000s/index.html", p->directory);
    status = output_open(&out, path);
    if (status != EXIT_DONE)
        return status;
    html_frame_open(out.file, p->title, p->job.gpu->name, NULL);
    print_title(out.file, p);
    print_top(out.file, p);
    print_time(out.file, p);
    print_kernels(out.file, p);
    print_steps(out.file, p);
    fputs("<hr><p class=\"dim\">teg " TEG_VERSION
          " · times are simulated, not measured</p>\n",
          out.file);
    html_frame_close(out.file, NULL);
    return output_close(&out);
}
