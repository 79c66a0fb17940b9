#include "config/power.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct teg_power_unit_facts facts[] = {
#define POWER_UNIT(name, key, scope, help) {key, help, POWER_SCOPE_##scope},
#include "config/power_units.def"
#undef POWER_UNIT
};

const struct teg_power_unit_facts *teg_power_unit_facts(
    enum teg_power_unit_id u)
{
    return &facts[u];
}

static enum teg_power_unit_id find(const char *key, size_t length)
{
    enum teg_power_unit_id u;

    for (u = 0; u < TEG_POWER_UNITS; u++) {
        if (strlen(facts[u].key) == length &&
            memcmp(facts[u].key, key, length) == 0)
            break;
    }
    return u;
}

enum teg_power_unit_id teg_power_unit_find(const char *key)
{
    return find(key, strlen(key));
}

/* ---- access functions --------------------------------------------------- */

const char teg_power_curve_expected[] =
    "identity, log, \"log A B\" with A above 0, or \"table X:Y X:Y ...\" with "
    "2 to 8 points from 0, X rising and Y not falling";

static int is_word(const char *text, const char *word)
{
    size_t length = strlen(word);

    return strncmp(text, word, length) == 0 &&
           (text[length] == '\0' || text[length] == ' ');
}

static int read_number(const char **at, double *value)
{
    char *end;

    *value = strtod(*at, &end);
    if (end == *at || !isfinite(*value))
        return 0;
    *at = end;
    return 1;
}

static int parse_log(const char *at, struct teg_power_curve *out)
{
    /* (Hong 2012, 3.2.4) */
    struct teg_power_curve f = {.kind = CURVE_LOG, .a = 0.1365, .b = 1.001375};

    at += strspn(at, " ");
    if (*at != '\0' && (!read_number(&at, &f.a) || !read_number(&at, &f.b)))
        return 0;
    if (at[strspn(at, " ")] != '\0' || !(f.a > 0))
        return 0;
    *out = f;
    return 1;
}

static int fits_behind(const struct teg_power_curve *f, double x, double y)
{
    uint32_t n = f->points;

    if (n == TEG_POWER_CURVE_POINTS || x < 0 || y < 0)
        return 0;
    return n == 0 || (x > f->x[n - 1] && y >= f->y[n - 1]);
}

static int parse_table(const char *at, struct teg_power_curve *out)
{
    struct teg_power_curve f = {.kind = CURVE_TABLE};

    at += strspn(at, " ");
    while (*at != '\0') {
        double x, y;

        if (!read_number(&at, &x) || *at++ != ':' || !read_number(&at, &y) ||
            !fits_behind(&f, x, y))
            return 0;
        f.x[f.points] = x;
        f.y[f.points++] = y;
        at += strspn(at, " ");
    }
    if (f.points < 2)
        return 0;
    *out = f;
    return 1;
}

int teg_power_curve_parse(const char *text, struct teg_power_curve *out)
{
    if (strcmp(text, "identity") == 0) {
        *out = (struct teg_power_curve){.kind = CURVE_IDENTITY};
        return 1;
    }
    if (is_word(text, "log"))
        return parse_log(text + 3, out);
    if (is_word(text, "table"))
        return parse_table(text + 5, out);
    return 0;
}

/* ---- which components a class accesses ---------------------------------- */

uint32_t teg_power_use_parse(const char *text)
{
    uint32_t mask = 0;

    for (text += strspn(text, " "); *text != '\0'; text += strspn(text, " ")) {
        size_t length = strcspn(text, " ");
        enum teg_power_unit_id u = find(text, length);

        if (u == TEG_POWER_UNITS)
            return 0;
        mask |= 1u << u;
        text += length;
    }
    return mask;
}

uint32_t teg_power_use_default(enum teg_op_class c, int printed)
{
    static const struct {
        const char *decided, *printed;
    } use[TEG_CLASSES] = {
#define USE(class, units, printed) [CLASS_##class] = {units, printed},
#include "config/power_use.def"
#undef USE
    };

    return teg_power_use_parse(printed ? use[c].printed : use[c].decided);
}
