/*
 * A program as a page: how long it takes, what runs when in which stream, on
 * which SM and over the link, what the critical path is made of, what would make
 * it shorter.
 */
#include "tools/teg/program/program.h"

#include <inttypes.h>
#include <math.h>

#include "tools/teg/cli/output.h"
#include "tools/teg/report/chart.h"
#include "tools/teg/report/page/frame.h"
#include "tools/teg/report/page/pieces.h"

enum {
    WIDTH = 1100,
    LEFT = 110, /* of the names */
    ROW = 16,   /* of a stream */
    SM_ROW = 3,
    STREAMS_MAX = 64,
    TASKS_MAX = 500,
};

/* Of the drawing; less is not seen. */
static const double LEAST = 0.2;

static const char *us_text(double us, char out[28])
{
    snprintf(out, 28, "%.4g", us);
    return out;
}

static void us_cell(FILE *f, double us)
{
    char text[28];

    html_number_cell(f, us, us >= 0 ? us_text(us, text) : "");
}

/* ---- head ----------------------------------------------------------------- */

static void us_tile(FILE *f, const char *name, double us, const char *remark)
{
    char text[28];

    html_tile(f, name, us_text(us, text), remark);
}

static void print_head(FILE *f, const struct timed *p)
{
    char title[TEG_NAME_MAX], busy[48];

    fputs("<h1>", f);
    html_text(f, path_title(p->title, title));
    fputs(" on ", f);
    html_text(f, p->job.gpu->name);
    fputs("</h1>\n<div class=\"verdict\">", f);
    html_text(f, p->measured ? "Each launch and copy as measured."
                 : p->together
                     ? "Simulated; launches beside each other together "
                       "on one chip."
                     : "Simulated, each kernel alone; what launches "
                       "take beside each other is estimated.");
    fputs("</div>\n<div class=\"tiles\">", f);
    snprintf(busy, sizeof busy, "something runs %.0f %% of it",
             p->result.us > 0 ? 100 * p->result.busy_us / p->result.us : 0);
    us_tile(f, "microseconds", p->result.us, busy);
    us_tile(f, "one after the other", p->serial_us, "microseconds");
    us_tile(f, "if nothing waited", p->least_us, "for SMs or the link");
    us_tile(f, "in launches", p->result.launch_us, "microseconds, added up");
    us_tile(f, "in copies and sets", p->result.copy_us,
            "microseconds, added up");
    fputs("</div>\n", f);
}

/* ---- the time line ---------------------------------------------------------- */

struct drawing {
    FILE *f;
    double scale; /* pixels a microsecond */
    double y;
    double drawn; /* up to there in this row */
};

static void row_begin(struct drawing *g, const char *name, double height)
{
    g->drawn = LEFT - 1;
    if (name == NULL)
        return;
    fprintf(g->f, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", LEFT - 6,
            g->y + height - 4);
    html_text(g->f, name);
    fputs("</text>\n", g->f);
}

/* What is narrower than can be seen is drawn as far as it shows behind what is
 * there. */
static void draw(struct drawing *g, double from, double to, double height,
                 const char *color, const char *name)
{
    double x = LEFT + from * g->scale, end = LEFT + to * g->scale;

    if (end - g->drawn < LEAST)
        return;
    fprintf(g->f,
            "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" "
            "fill=\"%s\"><title>",
            x, g->y, fmax(end - x, LEAST), height - 1, color);
    html_text(g->f, name);
    fprintf(g->f, ": %.4g to %.4g us</title></rect>\n", from, to);
    g->drawn = fmax(end, g->drawn);
}

static const char *color_of(const struct sim_program_task *t)
{
    return t->kind == SIM_TASK_LAUNCH ? chart_color(t->kernel / 2)
           : t->kind == SIM_TASK_HOST ? "var(--line)"
                                      : "var(--dim)";
}

static void draw_stream(struct drawing *g, const struct timed *p,
                        uint32_t stream)
{
    char name[TEG_NAME_MAX];

    snprintf(name, sizeof name, "stream %" PRId64,
             p->score->stream[stream].name);
    row_begin(g, name, ROW);
    for (uint32_t i = 0; i < p->tasks.tasks; i++) {
        const struct sim_program_task *t = &p->tasks.task[i];

        if (t->stream == stream && t->kind != SIM_TASK_MARK)
            draw(g, t->start, t->end, ROW, color_of(t),
                 timed_task_title(p, i, name));
    }
    g->y += ROW;
}

static void draw_host(struct drawing *g, const struct timed *p)
{
    row_begin(g, "host", ROW);
    for (uint32_t i = 0; i < p->tasks.calls; i++) {
        const struct sim_program_call *c = &p->tasks.call[i];
        int waits = c->wait != TEG_SCORE_NONE;

        if (c->end > c->start)
            draw(g, c->start, c->end, ROW,
                 waits ? "var(--line)" : "var(--accent)",
                 waits ? "waits" : "calls");
    }
    g->y += ROW;
}

static bool has_copies(const struct timed *p, enum sim_task_kind kind)
{
    for (uint32_t i = 0; i < p->tasks.tasks; i++) {
        if (p->tasks.task[i].kind == kind)
            return true;
    }
    return false;
}

static void draw_copies(struct drawing *g, const struct timed *p,
                        enum sim_task_kind kind)
{
    char text[64];

    if (!has_copies(p, kind))
        return;
    row_begin(g, sim_task_name(kind), ROW);
    for (uint32_t i = 0; i < p->tasks.tasks; i++) {
        const struct sim_program_task *t = &p->tasks.task[i];

        if (t->kind != kind)
            continue;
        snprintf(text, sizeof text, "%.0f bytes", t->bytes);
        draw(g, t->start, t->end, ROW, "var(--dim)", text);
    }
    g->y += ROW;
}

static void draw_sms(struct drawing *g, const struct timed *p)
{
    const struct timed_places *on = &p->on;
    char name[TEG_NAME_MAX];

    for (size_t i = 0; i < on->places; i++) {
        const struct timed_place *a = &on->place[i];

        if (i == 0 || on->place[i - 1].sm != a->sm) {
            g->y += i == 0 ? 0 : SM_ROW;
            snprintf(name, sizeof name, "SM %" PRIu32, a->sm);
            row_begin(g, a->sm % 16 == 0 ? name : NULL, SM_ROW + 7);
        }
        draw(g, a->from, a->to, SM_ROW + 0.5, color_of(&p->tasks.task[a->task]),
             timed_task_title(p, a->task, name));
    }
    g->y += on->places != 0 ? SM_ROW + 8 : 0;
}

static double height_of(const struct timed *p, uint32_t streams)
{
    uint32_t rows = 1 + streams;

    for (int kind = SIM_TASK_TO_DEVICE; kind <= SIM_TASK_SET; kind++)
        rows += has_copies(p, (enum sim_task_kind)kind);
    return rows * ROW + 24 +
           (p->on.places != 0 ? SM_ROW * (double)p->on.sms + 8 : 0);
}

static void print_keys(FILE *f, const struct timed *p)
{
    char name[TEG_NAME_MAX];

    fputs("<figcaption>", f);
    for (uint32_t i = 0; i < p->kernels; i += 2) {
        if (p->kernel[i].name == NULL)
            continue;
        fprintf(f, "<span class=\"key\"><i style=\"background:%s\"></i>",
                chart_color(i / 2));
        html_text(f, kernel_title(p->kernel[i].name, name));
        fputs("</span> ", f);
    }
    fputs("</figcaption>\n", f);
}

static void print_time_line(FILE *f, const struct timed *p)
{
    uint32_t shown[STREAMS_MAX], streams = 0, more = 0;
    struct drawing g = {.f = f, .y = 4};

    if (p->result.us <= 0)
        return;
    g.scale = (WIDTH - LEFT) / p->result.us;
    for (uint32_t i = 0; i < p->score->streams; i++) {
        if (!timed_has_tasks(p, i))
            continue;
        if (streams < STREAMS_MAX)
            shown[streams++] = i;
        else
            more++;
    }
    html_heading(f, "What runs when");
    fprintf(f, "<figure id=\"time\">\n");
    print_keys(f, p);
    fprintf(f, "<svg viewBox=\"0 0 %d %.0f\" role=\"img\">\n", WIDTH,
            height_of(p, streams));
    draw_host(&g, p);
    for (uint32_t i = 0; i < streams; i++)
        draw_stream(&g, p, shown[i]);
    for (int kind = SIM_TASK_TO_DEVICE; kind <= SIM_TASK_SET; kind++)
        draw_copies(&g, p, (enum sim_task_kind)kind);
    g.y += 4;
    draw_sms(&g, p);
    fprintf(f, "<text x=\"%d\" y=\"%.1f\">0</text>", LEFT, g.y + 10);
    fprintf(f,
            "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.4g us</text>\n"
            "</svg></figure>\n",
            WIDTH, g.y + 10, p->result.us);
    if (more != 0)
        fprintf(f, "<p class=\"dim\">... and %" PRIu32 " more streams</p>\n",
                more);
}

/* ---- tables ----------------------------------------------------------------- */

static void print_part(FILE *f, const struct timed *p, const char *name,
                       double us, double without_us)
{
    fputs("<tr>", f);
    html_text_cell(f, name);
    us_cell(f, us);
    html_percent_cell(f, us, p->result.us);
    html_bar_cell(f, p->result.us > 0 ? us / p->result.us : 0);
    us_cell(f, without_us);
    fputs("</tr>\n", f);
}

static void print_path(FILE *f, const struct timed *p)
{
    char name[TEG_NAME_MAX], text[TEG_NAME_MAX + 16];

    html_heading(f, "On the critical path");
    fputs("<div class=\"scroll\"><table class=\"sort\"><thead><tr><th>what"
          "<th class=\"n\">us<th class=\"n\">share<th>"
          "<th class=\"n\">total without</tr></thead><tbody>\n",
          f);
    for (uint32_t i = 0; i < p->kernels; i++) {
        const struct timed_kernel *k = &p->kernel[i];

        if (k->path_us <= 0)
            continue;
        snprintf(text, sizeof text, "%s%s", kernel_title(k->name, name),
                 k->later ? " (later)" : "");
        print_part(f, p, text, k->path_us, p->no_ranking ? -1 : k->without_us);
    }
    for (int i = 0; i < TIMED_PARTS; i++) {
        if (p->part_us[i] > 0)
            print_part(f, p, timed_part_name((enum timed_part)i), p->part_us[i],
                       i == PART_COPIES && !p->no_ranking ? p->copies_without_us
                                                          : -1);
    }
    fputs("</tbody></table></div>\n", f);
}

static void print_whatifs(FILE *f, const struct timed *p)
{
    if (p->whatifs == 0)
        return;
    html_heading(f, "What if");
    fputs("<div class=\"scroll\"><table class=\"sort\"><thead><tr><th>what if"
          "<th class=\"n\">us<th class=\"n\">speedup</tr></thead><tbody>\n",
          f);
    for (uint32_t i = 0; i < p->whatifs; i++) {
        fputs("<tr>", f);
        html_text_cell(f, p->whatif[i].name);
        us_cell(f, p->whatif[i].us);
        html_ratio_cell(f, p->result.us, p->whatif[i].us);
        fputs("</tr>\n", f);
    }
    fputs("</tbody></table></div>\n", f);
}

static void print_tasks(FILE *f, const struct timed *p)
{
    uint32_t told = 0, more = 0;
    char name[TEG_NAME_MAX], stream[24];

    html_heading(f, "In order");
    fputs("<div class=\"scroll box\"><table class=\"sort\"><thead><tr><th>what"
          "<th class=\"n\">start, us<th class=\"n\">us<th>stream"
          "<th>waited for</tr></thead><tbody>\n",
          f);
    for (uint32_t i = 0; i < p->tasks.tasks; i++) {
        const struct sim_program_task *t = &p->tasks.task[i];

        if (t->kind == SIM_TASK_MARK)
            continue;
        if (told++ >= TASKS_MAX) {
            more++;
            continue;
        }
        fputs("<tr>", f);
        html_text_cell(f, timed_task_title(p, i, name));
        us_cell(f, t->start);
        us_cell(f, t->end - t->start);
        snprintf(stream, sizeof stream, "%" PRId64,
                 p->score->stream[t->stream].name);
        html_text_cell(f, stream);
        html_text_cell(f, sim_wait_name((enum sim_wait)t->why));
        fputs("</tr>\n", f);
    }
    fputs("</tbody></table></div>\n", f);
    if (more != 0)
        fprintf(f, "<p class=\"dim\">... and %" PRIu32 " more: -f csv</p>\n",
                more);
}

int timed_write_page(const struct timed *p)
{
    char title[TEG_NAME_MAX];
    struct output out;
    int status = output_open(&out, p->page);

    if (status != EXIT_DONE)
        return status;
    html_frame_open(out.file, path_title(p->title, title), p->job.gpu->name,
                    NULL);
    print_head(out.file, p);
    print_time_line(out.file, p);
    print_path(out.file, p);
    print_whatifs(out.file, p);
    print_tasks(out.file, p);
    fprintf(out.file, "<hr><p class=\"dim\">teg " TEG_VERSION " · %s</p>\n",
            p->measured ? "times are measured"
                        : "times are simulated, not measured");
    html_frame_close(out.file, NULL);
    return output_close(&out);
}
