/*
 * Which number of a result is what a profiler measures (metrics.def).
 *
 *     struct metric m;
 *
 *     if (metric_find(&m, "lts__t_sector_hit_rate.pct", "%") &&
 *         metric_teg(&m, numbers, &v)) ...
 */
#ifndef TEG_TOOLS_TEG_COMPARE_METRICS_H
#define TEG_TOOLS_TEG_COMPARE_METRICS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    METRIC_NAME_MAX = 96
};

struct metric {
    char vendor[METRIC_NAME_MAX]; /* "": the result's own name, as measured */
    const char *label, *unit, *base, *but; /* borrowed */
    char number[METRIC_NAME_MAX], over[METRIC_NAME_MAX];
    double factor;
    double scale; /* of a measurement: into `unit` */
};

/* Every metric in the order of the table, stall reasons in theirs; false
 * behind the last. */
/* How many come before those of stall reasons, whose label is the reason's. */
uint32_t metric_rows(void);
bool metric_at(struct metric *m, uint32_t index);
/* The metric that a profiler calls `name`, measured in `unit` ("": not said);
 * false if there is none, or it is not measured in such a unit. */
bool metric_find(struct metric *m, const char *name, const char *unit);
/* What a result says of it, from its row of numbers (flat_row); false if
 * nothing. */
bool metric_teg(const struct metric *m, json_t *numbers, double *v);

#endif
