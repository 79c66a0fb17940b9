#include "sim/models/flow_value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/base/nearest.h"
#include "isa/base/printable.h"

enum {
    DEPTH_LIMIT = 32 /* of parentheses in an expression */
};

/* The root of a file stands in no line. */
const char *flow_where(const struct flow_file *f, flow_setting s,
                       char out[FLOW_PATH_SIZE])
{
    unsigned line = config_setting_source_line(s);

    if (line == 0)
        snprintf(out, FLOW_PATH_SIZE, "%s", f->path);
    else
        snprintf(out, FLOW_PATH_SIZE, "%.4000s:%u", f->path, line);
    return out;
}

static const char *flow_key(flow_setting s)
{
    const char *name = config_setting_name(s);

    return name != NULL ? name : "an item";
}

/* ---- expressions ------------------------------------------------------------
 *
 *   sum     = product {("+" | "-") product}
 *   product = factor {("*" | "/") factor}
 *   factor  = NUMBER | NAME | "-" factor | "(" sum ")"
 */

struct expression {
    const struct flow_file *f;
    const char *at;
    const char *wrong; /* what is, or NULL */
    char name[FLOW_NAME_SIZE];
    unsigned depth;
};

static double sum(struct expression *e);

static void skip(struct expression *e)
{
    e->at += strspn(e->at, " \t");
}

static int take(struct expression *e, char c)
{
    skip(e);
    if (*e->at != c)
        return 0;
    e->at++;
    return 1;
}

static double parameter(struct expression *e)
{
    size_t length = strspn(e->at, "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");

    snprintf(e->name, sizeof e->name, "%.*s", (int)length, e->at);
    e->at += length;
    for (uint32_t i = 0; i < e->f->parameters; i++) {
        if (strcmp(e->f->parameter[i].name, e->name) == 0)
            return e->f->parameter[i].value;
    }
    e->wrong = "a name that is no parameter";
    return 0;
}

static double factor(struct expression *e)
{
    double v = 0;
    char *end;

    skip(e);
    if (++e->depth > DEPTH_LIMIT) {
        e->wrong = "too many parentheses";
    } else if (take(e, '-')) {
        v = -factor(e);
    } else if (take(e, '(')) {
        v = sum(e);
        if (e->wrong == NULL && !take(e, ')'))
            e->wrong = "no ')'";
    } else if ((*e->at >= '0' && *e->at <= '9') || *e->at == '.') {
        v = strtod(e->at, &end);
        e->at = end;
    } else if (*e->at == '_' || (*e->at >= 'a' && *e->at <= 'z') ||
               (*e->at >= 'A' && *e->at <= 'Z')) {
        v = parameter(e);
    } else {
        e->wrong = *e->at == '\0' ? "an end" : "an unknown character";
    }
    e->depth--;
    return v;
}

static double product(struct expression *e)
{
    double v = factor(e);

    while (e->wrong == NULL) {
        if (take(e, '*'))
            v *= factor(e);
        else if (take(e, '/'))
            v /= factor(e);
        else
            break;
    }
    return v;
}

static double sum(struct expression *e)
{
    double v = product(e);

    while (e->wrong == NULL) {
        if (take(e, '+'))
            v += product(e);
        else if (take(e, '-'))
            v -= product(e);
        else
            break;
    }
    return v;
}

static teg_status flow_evaluate(const struct flow_file *f, flow_setting s,
                                double *out, struct teg_diag *d)
{
    const char *text = config_setting_get_string(s);
    struct expression e = {.f = f, .at = text};

    *out = sum(&e);
    skip(&e);
    if (e.wrong == NULL && *e.at != '\0')
        e.wrong = "more than an expression";
    if (e.wrong == NULL)
        return TEG_OK;
    return FLOW_FAIL(
        f, s, d, "%s: expected an expression, found %s in \"%.60s\"%s%s",
        flow_key(s), e.wrong, text, e.name[0] != '\0' ? ": " : "", e.name);
}

/* A number or an expression of at least `least`; NAN if a parameter is
 * unknown. */
teg_status flow_value(const struct flow_file *f, flow_setting s, double least,
                      double *out, struct teg_diag *d)
{
    switch (config_setting_type(s)) {
    case CONFIG_TYPE_INT:
        *out = config_setting_get_int(s);
        break;
    case CONFIG_TYPE_INT64:
        *out = (double)config_setting_get_int64(s);
        break;
    case CONFIG_TYPE_FLOAT:
        *out = config_setting_get_float(s);
        break;
    case CONFIG_TYPE_STRING:
        TRY(flow_evaluate(f, s, out, d));
        break;
    default:
        return FLOW_FAIL(f, s, d, "%s: expected a number or an expression",
                         flow_key(s));
    }
    if (!isnan(*out) && (isinf(*out) || *out < least))
        return FLOW_FAIL(f, s, d, "%s: expected at least %g, found %g",
                         flow_key(s), least, *out);
    return TEG_OK;
}

/* ---- members ---------------------------------------------------------------- */

flow_setting flow_member(flow_setting s, const char *key)
{
    return config_setting_get_member(s, key);
}

/* A misspelt key must not pass for a default. */
teg_status flow_check_keys(const struct flow_file *f, flow_setting s,
                           const char *const *known, struct teg_diag *d)
{
    if (config_setting_type(s) != CONFIG_TYPE_GROUP)
        return FLOW_FAIL(f, s, d, "%s: expected a group { ... }", flow_key(s));
    for (int i = 0; i < config_setting_length(s); i++) {
        flow_setting m = config_setting_get_elem(s, (unsigned)i);
        struct teg_nearest nearest;
        int found = 0;

        teg_nearest_init(&nearest, flow_key(m));
        for (const char *const *k = known; *k != NULL; k++) {
            teg_nearest_offer(&nearest, *k);
            found |= strcmp(*k, flow_key(m)) == 0;
        }
        if (!found)
            return FLOW_FAIL(f, m, d, "unknown key '%.60s'; did you mean '%s'?",
                             flow_key(m), nearest.best);
    }
    return TEG_OK;
}

/* `fallback` NULL: must be there. */
teg_status flow_text(const struct flow_file *f, flow_setting s, const char *key,
                     const char *fallback, const char **out, struct teg_diag *d)
{
    flow_setting m = flow_member(s, key);

    *out = fallback;
    if (m == NULL && fallback != NULL)
        return TEG_OK;
    if (m == NULL)
        return FLOW_FAIL(f, s, d, "%s: expected '%s'", flow_key(s), key);
    if (config_setting_type(m) != CONFIG_TYPE_STRING)
        return FLOW_FAIL(f, m, d, "%s: expected a string", key);
    *out = config_setting_get_string(m);
    if ((*out)[0] == '\0' || strlen(*out) >= FLOW_NAME_SIZE + 16)
        return FLOW_FAIL(f, m, d, "%s: expected 1 to %d characters", key,
                         FLOW_NAME_SIZE + 15);
    if (!teg_is_printable(*out))
        return FLOW_FAIL(f, m, d,
                         "%s: expected text, found a control character or "
                         "bytes that are not UTF-8",
                         key);
    return TEG_OK;
}

/* `fallback` NAN: must be there. */
teg_status flow_number(const struct flow_file *f, flow_setting s,
                       const char *key, double fallback, double least,
                       double *out, struct teg_diag *d)
{
    flow_setting m = flow_member(s, key);

    *out = fallback;
    if (m != NULL)
        return flow_value(f, m, least, out, d);
    if (isnan(fallback))
        return FLOW_FAIL(f, s, d, "%s: expected '%s'", flow_key(s), key);
    return TEG_OK;
}

teg_status flow_flag(const struct flow_file *f, flow_setting s, const char *key,
                     int *out, struct teg_diag *d)
{
    flow_setting m = flow_member(s, key);

    *out = 0;
    if (m == NULL)
        return TEG_OK;
    if (config_setting_type(m) != CONFIG_TYPE_BOOL)
        return FLOW_FAIL(f, m, d, "%s: expected true or false", key);
    *out = config_setting_get_bool(m);
    return TEG_OK;
}

/* The list `key` of at most `most` items; NULL in `*out` if it is not there. */
teg_status flow_list(const struct flow_file *f, flow_setting s, const char *key,
                     int most, flow_setting *out, struct teg_diag *d)
{
    *out = flow_member(s, key);
    if (*out == NULL)
        return TEG_OK;
    if (config_setting_type(*out) != CONFIG_TYPE_LIST)
        return FLOW_FAIL(f, *out, d, "%s: expected a list ( { ... }, ... )",
                         key);
    if (config_setting_length(*out) > most)
        return FLOW_FAIL(f, *out, d, "%s: expected at most %d, found %d", key,
                         most, config_setting_length(*out));
    return TEG_OK;
}

int flow_length(flow_setting list)
{
    return list != NULL ? config_setting_length(list) : 0;
}

flow_setting flow_root(const struct flow_file *f)
{
    return config_root_setting(&f->config);
}
