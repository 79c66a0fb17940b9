#include "tools/teg/compare/metrics.h"

#include "sim/teg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- units -------------------------------------------------------------------- */

/* What a unit measures, and how much of it: "usecond" is 1e-6 of seconds. */
struct scale {
    const char *of; /* "": counts, ratios, what has no unit */
    double factor;
};

static bool cut_prefix(const char *text, const char *base, double *factor)
{
    static const struct {
        const char *prefix;
        double factor;
    } prefixes[] = {{"", 1},     {"n", 1e-9}, {"u", 1e-6},
                    {"m", 1e-3}, {"K", 1e3},  {"k", 1e3},
                    {"M", 1e6},  {"G", 1e9},  {"T", 1e12}};

    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        const size_t length = strlen(prefixes[i].prefix);

        if (strncmp(text, prefixes[i].prefix, length) == 0 &&
            strcmp(text + length, base) == 0) {
            *factor = prefixes[i].factor;
            return true;
        }
    }
    return false;
}

static struct scale scale_of(const char *unit)
{
    static const struct {
        const char *text, *of;
    } bases[] = {{"second", "time"},
                 {"s", "time"},
                 {"sec", "time"},
                 {"byte", "bytes"},
                 {"B", "bytes"},
                 {"byte/second", "bytes a second"},
                 {"byte/s", "bytes a second"},
                 {"B/s", "bytes a second"},
                 {"hz", "frequency"},
                 {"Hz", "frequency"},
                 {"inst", ""},
                 {"cycle", ""}};
    struct scale s = {.of = "", .factor = 1};

    if (strcmp(unit, "%") == 0)
        return (struct scale){.of = "percent", .factor = 1};
    for (size_t i = 0; i < sizeof bases / sizeof bases[0]; i++) {
        if (cut_prefix(unit, bases[i].text, &s.factor)) {
            s.of = bases[i].of;
            break;
        }
    }
    return s;
}

/* ---- the table ---------------------------------------------------------------- */

static const struct metric_row {
    const char *vendor, *label, *unit, *base, *number, *over, *but;
    double factor;
} rows[] = {
#define METRIC(vendor, label, unit, base, number, over, factor, but) \
    {vendor, label, unit, base, number, over, but, factor},
#include "tools/teg/compare/metrics.def"
};

static const struct {
    const char *vendor, *unit, *number, *over; /* %s: the reason */
} stall_rows[] = {
#define STALL_METRIC(vendor, unit, number, over) {vendor, unit, number, over},
#include "tools/teg/compare/metrics.def"
};

static const struct {
    const char *name, *vendor;
} aliases[] = {
#define ALIAS(name, vendor) {name, vendor},
#include "tools/teg/compare/metrics.def"
};

enum {
    ROWS = sizeof rows / sizeof rows[0],
    STALL_ROWS = sizeof stall_rows / sizeof stall_rows[0]
};

/* "a%sb" with the reason's name in it. */
static void fill_in(char out[METRIC_NAME_MAX], const char *text,
                    const char *reason)
{
    const char *gap = strstr(text, "%s");

    if (gap == NULL)
        snprintf(out, METRIC_NAME_MAX, "%s", text);
    else
        snprintf(out, METRIC_NAME_MAX, "%.*s%s%s", (int)(gap - text), text,
                 reason, gap + 2);
}

/* What these two mean, nobody else measures. */
static bool is_vendors(uint32_t reason)
{
    return reason != STALL_DISPATCH && reason != STALL_SAME_WARP;
}

uint32_t metric_rows(void)
{
    return ROWS;
}

bool metric_at(struct metric *m, uint32_t index)
{
    uint32_t left = index;

    if (index < ROWS) {
        const struct metric_row *row = &rows[index];

        *m = (struct metric){.label = row->label,
                             .unit = row->unit,
                             .base = row->base,
                             .but = row->but,
                             .factor = row->factor,
                             .scale = 1};
        snprintf(m->vendor, sizeof m->vendor, "%s", row->vendor);
        snprintf(m->number, sizeof m->number, "%s", row->number);
        snprintf(m->over, sizeof m->over, "%s", row->over);
        return true;
    }
    left -= ROWS;
    for (uint32_t s = 0; s < TEG_STALLS; s++) {
        for (uint32_t i = 0; i < STALL_ROWS && is_vendors(s); i++) {
            if (left-- != 0)
                continue;
            *m = (struct metric){.label = teg_stall_label(s),
                                 .unit = stall_rows[i].unit,
                                 .base = "",
                                 .but = "",
                                 .factor = 1,
                                 .scale = 1};
            fill_in(m->vendor, stall_rows[i].vendor, teg_stall_label(s));
            fill_in(m->number, stall_rows[i].number, teg_stall_label(s));
            fill_in(m->over, stall_rows[i].over, teg_stall_label(s));
            return true;
        }
    }
    return false;
}

static bool is_called(const struct metric *m, const char *name)
{
    return strcasecmp(m->vendor, name) == 0 ||
           (m->label[0] != '\0' && strcasecmp(m->label, name) == 0);
}

/* Of one label there may be several, told apart by the unit. */
static bool takes_unit(struct metric *m, const char *unit)
{
    const struct scale to = scale_of(m->unit);
    const struct scale from = scale_of(unit[0] != '\0' ? unit : m->base);

    m->scale = from.factor / to.factor;
    return (unit[0] == '\0' && m->base[0] == '\0') ||
           strcmp(from.of, to.of) == 0;
}

bool metric_find(struct metric *m, const char *name, const char *unit)
{
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++) {
        if (strcasecmp(aliases[i].name, name) == 0)
            name = aliases[i].vendor;
    }
    for (uint32_t i = 0; metric_at(m, i); i++) {
        if (is_called(m, name) && takes_unit(m, unit))
            return true;
    }
    return false;
}

/* The first of "a|b" that is a number. */
static bool number_of(json_t *numbers, const char *names, double *v)
{
    while (*names != '\0') {
        const size_t length = strcspn(names, "|");
        char name[METRIC_NAME_MAX];
        json_t *value;

        snprintf(name, sizeof name, "%.*s", (int)length, names);
        value = json_object_get(numbers, name);
        if (json_is_number(value)) {
            *v = json_number_value(value);
            return true;
        }
        names += length + (names[length] == '|');
    }
    return false;
}

bool metric_teg(const struct metric *m, json_t *numbers, double *v)
{
    double over = 1;

    if (!number_of(numbers, m->number, v))
        return false;
    if (m->over[0] != '\0' && !number_of(numbers, m->over, &over))
        return false;
    *v *= m->factor / over;
    return isfinite(*v);
}
