/*
 * What a description says of power, besides the scalars of params.def: the
 * components with their watts and access functions, and which components the
 * operation classes access.
 */
#ifndef TEG_CONFIG_POWER_H
#define TEG_CONFIG_POWER_H

#include "isa/inst/op_class.h"

enum teg_power_unit_id {
#define POWER_UNIT(name, key, scope, help) POWER_##name,
#include "config/power_units.def"
#undef POWER_UNIT
    TEG_POWER_UNITS
};

enum teg_power_scope {
    POWER_SCOPE_SM,
    POWER_SCOPE_MEMORY,
    POWER_SCOPE_CHIP,
};

/* How an access rate becomes the share of the maximum power. */
enum teg_power_curve_kind {
    CURVE_IDENTITY, /* x */
    CURVE_LOG,      /* a ln x + b, at least 0; 0 at 0 */
    CURVE_TABLE,    /* straight between points, level outside */
};

enum {
    TEG_POWER_CURVE_POINTS = 8
};

struct teg_power_curve {
    enum teg_power_curve_kind kind;
    double a, b;
    uint32_t points;
    double x[TEG_POWER_CURVE_POINTS],
        y[TEG_POWER_CURVE_POINTS]; /* x rises, y never
                                                          falls */
};

struct teg_power_unit {
    int given;
    double max_watts; /* at an effective rate of 1 */
    struct teg_power_curve curve;
};

struct teg_power_unit_facts {
    const char *key, *help;
    enum teg_power_scope scope;
};

/* Never NULL; `u` must be below TEG_POWER_UNITS. */
const struct teg_power_unit_facts *teg_power_unit_facts(
    enum teg_power_unit_id u);
/* Returns the component with that key, or TEG_POWER_UNITS. */
enum teg_power_unit_id teg_power_unit_find(const char *key);

/*
 * "identity", "log" (the 0.1365 ln x + 1.001375 of Hong 2012, 3.2.4),
 * "log A B", or "table X:Y X:Y ...".  Returns 0 if `text` is none of them;
 * `out` is then unchanged.
 */
int teg_power_curve_parse(const char *text, struct teg_power_curve *out);
extern const char teg_power_curve_expected[];

/* "shm reg fds" as a mask of 1 << enum teg_power_unit_id; returns 0 where a
 * word is no component or there is none. */
uint32_t teg_power_use_parse(const char *text);
/* power_use.def's, as decided (printed 0) or as printed. */
uint32_t teg_power_use_default(enum teg_op_class c, int printed);

#endif
