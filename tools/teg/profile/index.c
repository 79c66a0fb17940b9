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
    char a[256], b[32];

    fputs("<h1>", f);
    html_text(f, p->title);
    fputs("</h1>\n<p class=\"dim\">", f);
    html_text(f, p->job.gpu->title);
    fprintf(f, ", %u SMs, %.0f MHz · simulated, caches %s</p>\n",
            p->job.gpu->chip.sms, p->job.gpu->chip.sm_clock_mhz,
            caches_names[p->job.caches]);
    compared_text(p->job.gpu, a, sizeof a);
    fputs("<p class=\"dim\">Compared ", f);
    html_text(f, a);
    fputs("</p>\n", f);
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
    html_text(f, g->findings != NULL ? findings_first(g->findings)
                                     : step->verdict.text);
    fputs("</p>", f);
    if (g->waiting[0] != '\0') {
        fputs("<p>Most waiting: before ", f);
        html_text(f, g->waiting);
        fputs("</p>", f);
    }
    if (g->findings != NULL)
        html_findings(f, g->findings, profile_findings(p, g));
}

static void print_top(FILE *f, const struct profile *p)
{
    for (uint32_t i = 0; i < p->groups && i < p->top; i++) {
        const struct profile_group *g = &p->group[p->rank[i]];

        if (i == 0)
            html_heading(f, "What takes the time, and why");
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

enum {
    WIDTH = 800,
    ROW = 34, /* of a stream */
    LABEL = 12,
    LANES_MAX = 16, /* streams that have a row */
};

static void print_span(FILE *f, const struct profile *p, double from, double to,
                       uint32_t first, uint32_t last, uint32_t y)
{
    const struct profile_step *s = &p->step[first];
    uint32_t color = 0;
    char name[TEG_NAME_MAX];

    while (p->rank[color] != s->group)
        color++;
    fprintf(f,
            "<rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" "
            "fill=\"%s\"><title>",
            WIDTH * from, y, WIDTH * (to - from), ROW,
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

static double width_of(const struct profile *p, uint32_t step)
{
    return profile_share(p, p->step[step].launches * p->step[step].us);
}

/* The launches of a stream in their places, those of no width together. */
static void print_lane(FILE *f, const struct profile *p, uint32_t stream,
                       bool all, uint32_t y)
{
    double at = 0, from = 0;
    uint32_t first = UINT32_MAX, last = 0;

    for (uint32_t i = 0; i < p->steps; i++) {
        const double next = at + width_of(p, i);
        bool own = all || p->step[i].stream == stream;
        bool wide = (next - at) * WIDTH >= pixels_min;

        if (first != UINT32_MAX && (!own || wide)) {
            print_span(f, p, from, at, first, last, y);
            first = UINT32_MAX;
        }
        if (own && first == UINT32_MAX) {
            first = i;
            from = at;
        }
        last = i;
        if (own && (next - from) * WIDTH >= pixels_min) {
            print_span(f, p, from, next, first, i, y);
            first = UINT32_MAX;
        }
        at = next;
    }
    if (first != UINT32_MAX)
        print_span(f, p, from, at, first, last, y);
}

/* What a stream has of the launches; `heaviest`: its step that takes most. */
struct lane {
    uint32_t stream;
    uint64_t launches;
    double us;
    uint32_t heaviest;
};

/* Those with launches, [LANES_MAX], in the order of the program; returns how
 * many there are, 0 where there are more. */
static uint32_t find_lanes(const struct profile *p, struct lane *lane)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < p->steps; i++) {
        const struct profile_step *s = &p->step[i];
        uint32_t k = 0;

        while (k < count && lane[k].stream != s->stream)
            k++;
        if (k == LANES_MAX)
            return 0;
        if (k == count)
            lane[count++] = (struct lane){.stream = s->stream, .heaviest = i};
        lane[k].launches += s->launches;
        lane[k].us += s->launches * s->us;
        if (width_of(p, i) > width_of(p, lane[k].heaviest))
            lane[k].heaviest = i;
    }
    return count;
}

static void print_streams(FILE *f, const struct profile *p,
                          const struct lane *lane, uint32_t count)
{
    fputs("<div class=\"scroll\"><table class=\"sort\" id=\"streams\"><thead>"
          "<tr><th>stream</th><th class=\"n\">launches</th><th class=\"n\">us"
          "</th><th class=\"n\">share</th><th></th><th>mostly</th>"
          "<th>bound by</th></tr></thead><tbody>\n",
          f);
    for (uint32_t i = 0; i < count; i++) {
        const struct profile_step *s = &p->step[lane[i].heaviest];
        char text[96];

        fputs("<tr>", f);
        profile_stream_name(p, lane[i].stream, text, sizeof text);
        html_text_cell(f, text);
        html_count_cell(f, lane[i].launches);
        snprintf(text, sizeof text, "%.4g", lane[i].us);
        html_number_cell(f, lane[i].us, text);
        html_percent_cell(f, lane[i].us, p->us);
        html_bar_cell(f, profile_share(p, lane[i].us));
        fputs("<td>", f);
        print_name(f, &p->group[s->group]);
        fputs("</td>", f);
        html_text_cell(f, s->verdict.bound);
        fputs("</tr>\n", f);
    }
    fputs("</tbody></table></div>\n", f);
}

/* One after the other, as they are replayed, a row for each stream. */
static void print_time(FILE *f, const struct profile *p)
{
    struct lane lane[LANES_MAX];
    uint32_t lanes = p->streams > 1 ? find_lanes(p, lane) : 0;
    uint32_t rows = lanes > 1 ? lanes : 1;
    uint32_t each = ROW + (lanes > 1 ? LABEL : 0), height = rows * each;

    if (p->us <= 0)
        return;
    html_heading(f, "Over time");
    fprintf(f,
            "<figure><figcaption>Launches one after the other, as wide as they "
            "take long%s; grey are several short ones</figcaption><svg "
            "viewBox=\"0 0 %d %u\" id=\"time\">\n",
            lanes > 1 ? ", in the rows of their streams, which may overlap on "
                        "hardware"
                      : "",
            WIDTH, height + 16);
    for (uint32_t i = 0; i < rows; i++) {
        char name[64];

        if (lanes > 1) {
            profile_stream_name(p, lane[i].stream, name, sizeof name);
            fprintf(f, "<text x=\"0\" y=\"%u\">", i * each + LABEL - 2);
            html_text(f, name);
            fprintf(f, ", %.1f %%</text>\n",
                    100 * profile_share(p, lane[i].us));
        }
        print_lane(f, p, lanes > 1 ? lane[i].stream : 0, lanes <= 1,
                   i * each + (each - ROW));
    }
    fprintf(f,
            "<text x=\"0\" y=\"%u\">0</text><text x=\"%d\" y=\"%u\" "
            "text-anchor=\"end\">%.4g us</text></svg></figure>\n",
            height + 12, WIDTH, height + 12, p->us);
    if (lanes > 1)
        print_streams(f, p, lane, lanes);
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
    print_time(out.file, p);
    print_top(out.file, p);
    print_kernels(out.file, p);
    print_steps(out.file, p);
    fputs("<hr><p class=\"dim\">teg " TEG_VERSION
          " · times are simulated, not measured</p>\n",
          out.file);
    html_frame_close(out.file, NULL);
    return output_close(&out);
}
