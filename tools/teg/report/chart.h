/*
 * A chart of series over time for a web page: the same data as a static SVG
 * figure, which needs nothing, and as JSON for a library that can zoom.
 */
#ifndef TEG_TOOLS_TEG_REPORT_CHART_H
#define TEG_TOOLS_TEG_REPORT_CHART_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
    CHART_SERIES_MAX = 20
};

struct chart {
    const char *id, *title;
    const char *unit; /* of the values */
    bool stacked;
    uint32_t bins, series;
    uint64_t first_cycle, bin_cycles, end;
    char label[CHART_SERIES_MAX][24];
    double *value; /* owned, [series][bins] */
};

/* Room for `series` of `bins` values; returns false out of memory. */
bool chart_init(struct chart *c, uint32_t bins, uint32_t series);
void chart_release(struct chart *c);
/* A color in CSS, another for each series. */
const char *chart_color(uint32_t series);

/* `<figure>` with the SVG and a legend. */
void chart_html(FILE *f, const struct chart *c);
/* {"id": ..., "rows": [[cycle, value, ...], ...], ...}, safe inside a
 * script element. */
void chart_json(FILE *f, const struct chart *c);

/* Text with <, >, &, " and ' as entities. */
void html_text(FILE *f, const char *text);
/* A JSON string, quotes included, without <, > and & in it. */
void html_json_string(FILE *f, const char *text);
/* `before` and `value`, which is most of a page, as "%c%.4g" has them. */
void html_short(FILE *f, char before, double value);

#endif
