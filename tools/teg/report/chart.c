#include "tools/teg/report/chart.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "isa/base/decimal.h"

enum {
    WIDTH = 720,
    HEIGHT = 200,
    LEFT = 44,  /* of the plot, for the scale */
    BOTTOM = 20 /* below it, for the cycles */
};

/* Far apart for the eye, also for most who are color blind (after Okabe and
 * Ito 2008, and darker and lighter ones of the same). */
static const char *const colors[] = {
    "#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7",
    "#56b4e9", "#b5a800", "#7f7f7f", "#004c78", "#8c6100",
    "#00664b", "#8f3f00", "#8a5071", "#2f7fa8", "#666000",
};

const char *chart_color(uint32_t series)
{
    return colors[series % (sizeof colors / sizeof colors[0])];
}

bool chart_init(struct chart *c, uint32_t bins, uint32_t series)
{
    *c = (struct chart){.bins = bins, .series = series};
    c->value = calloc((size_t)bins * series + 1, sizeof *c->value);
    return c->value != NULL;
}

void chart_release(struct chart *c)
{
    free(c->value);
    *c = (struct chart){0};
}

/* ---- escaping ---------------------------------------------------------------- */

void html_text(FILE *f, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '<':
            fputs("&lt;", f);
            break;
        case '>':
            fputs("&gt;", f);
            break;
        case '&':
            fputs("&amp;", f);
            break;
        case '"':
            fputs("&quot;", f);
            break;
        case '\'':
            fputs("&#39;", f);
            break;
        default:
            /* Control characters have no place in HTML. */
            fputc((unsigned char)*text < ' ' ? ' ' : *text, f);
        }
    }
}

void html_json_string(FILE *f, const char *text)
{
    fputc('"', f);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;

        if (c < ' ' || strchr("\"\\<>&", c) != NULL)
            fprintf(f, "\\u%04x", c);
        else
            fputc(c, f);
    }
    fputc('"', f);
}

void html_short(FILE *f, char before, double value)
{
    char text[1 + TEG_DECIMAL_SIZE];

    text[0] = before;
    fwrite(text, 1, 1 + teg_decimal_short(text + 1, value), f);
}

/* ---- SVG --------------------------------------------------------------------- */

static double value_at(const struct chart *c, uint32_t series, uint32_t bin)
{
    return c->value[(size_t)series * c->bins + bin];
}

/* The sum of the series below, where they stand on each other. */
static double base_at(const struct chart *c, uint32_t series, uint32_t bin)
{
    double sum = 0;

    for (uint32_t i = 0; c->stacked && i < series; i++)
        sum += value_at(c, i, bin);
    return sum;
}

static double highest(const struct chart *c)
{
    double top = 0;

    for (uint32_t b = 0; b < c->bins; b++) {
        for (uint32_t i = 0; i < c->series; i++) {
            double v = base_at(c, i, b) + value_at(c, i, b);

            if (v > top)
                top = v;
        }
    }
    return top > 0 ? top : 1;
}

static double x_of(const struct chart *c, uint32_t bin)
{
    return LEFT + (double)(WIDTH - LEFT) * bin / (c->bins > 0 ? c->bins : 1);
}

static double y_of(double value, double top)
{
    return 4 + (HEIGHT - BOTTOM - 4) * (1 - value / top);
}

static void print_point(FILE *f, double x, double y)
{
    char text[2 * TEG_DECIMAL_SIZE];
    size_t length = teg_decimal_tenths(text, x);

    text[length++] = ',';
    length += teg_decimal_tenths(text + length, y);
    text[length++] = ' ';
    fwrite(text, 1, length, f);
}

/* Bins are steps: each value from its first cycle to its last. */
static void print_steps(FILE *f, const struct chart *c, uint32_t series,
                        double top)
{
    for (uint32_t b = 0; b < c->bins; b++) {
        double y = y_of(base_at(c, series, b) + value_at(c, series, b), top);

        print_point(f, x_of(c, b) + 0.5 * (x_of(c, 1) - x_of(c, 0)), y);
    }
}

static void print_area(FILE *f, const struct chart *c, uint32_t series,
                       double top)
{
    fprintf(f, "<polygon fill=\"%s\" points=\"", chart_color(series));
    print_steps(f, c, series, top);
    for (uint32_t b = c->bins; b-- > 0;)
        print_point(f, x_of(c, b) + 0.5 * (x_of(c, 1) - x_of(c, 0)),
                    y_of(base_at(c, series, b), top));
    fputs("\"/>\n", f);
}

static void print_line(FILE *f, const struct chart *c, uint32_t series,
                       double top)
{
    fprintf(f, "<polyline fill=\"none\" stroke=\"%s\" points=\"",
            chart_color(series));
    print_steps(f, c, series, top);
    fputs("\"/>\n", f);
}

/* 1, 2 or 5 times a power of ten, of which `span` has at most six. */
static double round_step(double span)
{
    double step = pow(10, floor(log10(span / 6)));
    static const double times[] = {2, 2.5, 2};

    for (int i = 0; span / step > 6; i++)
        step *= times[i % 3];
    return step;
}

static void print_scale(FILE *f, const struct chart *c, double top)
{
    double first = (double)c->first_cycle, span = (double)c->end - first;
    double step = round_step(top);

    for (double v = 0; v <= top; v += step)
        fprintf(f,
                "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" "
                "class=\"grid\"/><text x=\"%d\" y=\"%.1f\" "
                "text-anchor=\"end\">%.3g</text>\n",
                LEFT, WIDTH, y_of(v, top), y_of(v, top), LEFT - 4,
                y_of(v, top) + 4, v);
    step = span > 0 ? round_step(span) : 1;
    for (double v = ceil(first / step) * step; v <= first + span; v += step) {
        double x = LEFT + (WIDTH - LEFT) * (span > 0 ? (v - first) / span : 0);

        fprintf(f, "<text x=\"%.0f\" y=\"%d\" text-anchor=\"%s\">%.0f</text>\n",
                x, HEIGHT - 4,
                x < LEFT + 20    ? "start"
                : x > WIDTH - 20 ? "end"
                                 : "middle",
                v);
    }
}

static void print_legend(FILE *f, const struct chart *c)
{
    fputs("<figcaption>", f);
    html_text(f, c->title);
    fputs(" (", f);
    html_text(f, c->unit);
    fputs(" by cycle)<br>", f);
    for (uint32_t i = 0; i < c->series; i++) {
        fprintf(f, "<span class=\"key\"><i style=\"background:%s\"></i>",
                chart_color(i));
        html_text(f, c->label[i]);
        fputs("</span> ", f);
    }
    fputs("</figcaption>", f);
}

void chart_html(FILE *f, const struct chart *c)
{
    double top = highest(c);

    fputs("<figure>", f);
    print_legend(f, c);
    fprintf(f, "<div class=\"chart\" id=\"%s\"><svg viewBox=\"0 0 %d %d\">\n",
            c->id, WIDTH, HEIGHT);
    print_scale(f, c, top);
    for (uint32_t i = 0; i < c->series; i++) {
        if (c->stacked)
            print_area(f, c, i, top);
        else
            print_line(f, c, i, top);
    }
    fputs("</svg></div></figure>\n", f);
}

/* ---- JSON -------------------------------------------------------------------- */

void chart_json(FILE *f, const struct chart *c)
{
    fputs("{\"id\":", f);
    html_json_string(f, c->id);
    fprintf(f, ",\"stacked\":%s,\"labels\":[\"cycle\"",
            c->stacked ? "true" : "false");
    for (uint32_t i = 0; i < c->series; i++) {
        fputc(',', f);
        html_json_string(f, c->label[i]);
    }
    fputs("],\"colors\":[", f);
    for (uint32_t i = 0; i < c->series; i++)
        fprintf(f, "%s\"%s\"", i > 0 ? "," : "", chart_color(i));
    fputs("],\"rows\":[", f);
    for (uint32_t b = 0; b < c->bins; b++) {
        fprintf(f, "%s[%" PRIu64, b > 0 ? "," : "",
                c->first_cycle + b * c->bin_cycles + c->bin_cycles / 2);
        for (uint32_t i = 0; i < c->series; i++)
            html_short(f, ',', value_at(c, i, b));
        fputc(']', f);
    }
    fputs("]}", f);
}
