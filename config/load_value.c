#include "config/load.h"

#include "isa/base/printable.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *load_where(const struct load_file *a, load_setting s,
                       char out[LOAD_WHERE_SIZE])
{
    const char *file = config_setting_source_file(s);
    unsigned line = config_setting_source_line(s);

    if (file == NULL)
        file = a->path;
    /* libconfig names an included file as @include does */
    if (strcmp(file, a->path) == 0 || strcmp(a->directory, ".") == 0)
        snprintf(out, LOAD_WHERE_SIZE, "%.360s:%u", file, line);
    else
        snprintf(out, LOAD_WHERE_SIZE, "%.180s/%.180s:%u", a->directory, file,
                 line);
    return out;
}

teg_status load_fail(const struct load_file *a, load_setting s,
                     const char *format, ...)
{
    char where[LOAD_WHERE_SIZE], text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return teg_fail(a->l->d, TEG_CONFIG, load_where(a, s, where), "%s", text);
}

const char *load_name(load_setting s)
{
    const char *name = config_setting_name(s);

    return name != NULL ? name : "";
}

teg_status load_unknown(const struct load_file *a, load_setting s,
                        const char *what, const struct teg_nearest *n)
{
    return load_fail(a, s, "unknown %s '%s'%s%s%s", what, n->typed,
                     n->best != NULL ? "; did you mean '" : "",
                     n->best != NULL ? n->best : "",
                     n->best != NULL ? "'?" : "");
}

/* "gtx280.cfg:31" */
static void fill_where(const struct load_file *a, load_setting s,
                       struct teg_fact *f)
{
    char where[LOAD_WHERE_SIZE];
    const char *slash;

    load_where(a, s, where);
    slash = strrchr(where, '/');
    snprintf(f->where, sizeof f->where, "%.95s",
             slash != NULL ? slash + 1 : where);
}

/* ---- values ------------------------------------------------------------- */

int load_is_number(load_setting s)
{
    int type = config_setting_type(s);

    return type == CONFIG_TYPE_INT || type == CONFIG_TYPE_INT64 ||
           type == CONFIG_TYPE_FLOAT;
}

double load_number(load_setting s)
{
    switch (config_setting_type(s)) {
    case CONFIG_TYPE_INT:
        return config_setting_get_int(s);
    case CONFIG_TYPE_INT64:
        return (double)config_setting_get_int64(s);
    default:
        return config_setting_get_float(s);
    }
}

/* What stands there, for a diagnostic. */
const char *load_found(load_setting s, char out[64])
{
    static const char *const types[] = {
        [CONFIG_TYPE_GROUP] = "a group",
        [CONFIG_TYPE_BOOL] = "a boolean",
        [CONFIG_TYPE_ARRAY] = "an array",
        [CONFIG_TYPE_LIST] = "a list",
    };
    int type = config_setting_type(s);

    if (load_is_number(s))
        snprintf(out, 64, "%.10g", load_number(s));
    else if (type == CONFIG_TYPE_STRING)
        snprintf(out, 64, "\"%.40s\"", config_setting_get_string(s));
    else
        snprintf(out, 64, "%s", types[type] != NULL ? types[type] : "nothing");
    return out;
}

teg_status load_whole(const struct load_file *a, load_setting s,
                      const char *what, double min, double max, uint32_t *out)
{
    char text[64];
    double value = load_is_number(s) ? load_number(s) : -1;

    if (!load_is_number(s) || config_setting_type(s) == CONFIG_TYPE_FLOAT ||
        value < min || value > max)
        return load_fail(a, s,
                         "%s: expected a whole number, %.10g to %.10g, found "
                         "%s",
                         what, min, max, load_found(s, text));
    *out = (uint32_t)value;
    return TEG_OK;
}

teg_status load_string(const struct load_file *a, load_setting s,
                       const char *what, size_t size, const char **out)
{
    char text[64];

    if (config_setting_type(s) != CONFIG_TYPE_STRING)
        return load_fail(a, s, "%s: expected a string, found %s", what,
                         load_found(s, text));
    *out = config_setting_get_string(s);
    if ((*out)[0] == '\0' || strlen(*out) >= size)
        return load_fail(a, s, "%s: expected 1 to %zu characters, found %zu",
                         what, size - 1, strlen(*out));
    if (!teg_is_printable(*out))
        return load_fail(a, s,
                         "%s: expected text, found a control character "
                         "or bytes that are not UTF-8",
                         what);
    return TEG_OK;
}

/* Classes of evidence; docs/gpu-description.md says what they mean. */
static const char evidence_classes[] = "MVCDRI";

/* "M Lai13 Table 3.1" */
teg_status load_source(const struct load_file *a, load_setting s,
                       const char *what, struct teg_fact *f)
{
    const char *text = "";

    TRY(load_string(a, s, what, sizeof f->source, &text));
    if (strchr(evidence_classes, text[0]) == NULL || text[1] != ' ' ||
        text[2] == ' ' || text[2] == '\0')
        return load_fail(
            a, s,
            "%s: expected a class of evidence (one of %s), a blank and "
            "a source, found \"%.40s\"",
            what, evidence_classes, text);
    snprintf(f->source, sizeof f->source, "%s", text);
    fill_where(a, s, f);
    return TEG_OK;
}

/* ( ..., "CLASS source" ) of `length` elements */
teg_status load_check_list(const struct load_file *a, load_setting s,
                           const char *what, int length, const char *form)
{
    if (config_setting_type(s) != CONFIG_TYPE_LIST ||
        config_setting_length(s) != length)
        return load_fail(a, s, "%s: expected ( %s, \"CLASS source\" )", what,
                         form);
    return TEG_OK;
}

/* ---- scalars ------------------------------------------------------------ */

static teg_status read_param(const struct load_file *a, load_setting s,
                             const struct param *p)
{
    struct teg_fact *f = &a->l->param_fact[p - params(&(uint32_t){0})];
    char expected[256], text[64];
    double number = -1;
    load_setting value;

    TRY(load_check_list(a, s, p->key, 2, "value"));
    value = config_setting_get_elem(s, 0);
    if (p->kind == PARAM_CHOICE) {
        if (config_setting_type(value) == CONFIG_TYPE_STRING)
            number = param_choice(p, config_setting_get_string(value));
    } else if (load_is_number(value)) {
        number = load_number(value);
        if (p->kind == PARAM_WHOLE &&
            config_setting_type(value) == CONFIG_TYPE_FLOAT)
            number = -1;
    }
    if (!(number >= p->min && number <= p->max))
        return load_fail(a, value, "%s: %s, found %s", p->key,
                         param_expected(p, expected), load_found(value, text));
    TRY(load_source(a, config_setting_get_elem(s, 1), p->key, f));
    param_put(p, a->l->gpu, number);
    snprintf(f->key, sizeof f->key, "%s", p->key);
    snprintf(f->unit, sizeof f->unit, "%s", p->unit);
    param_format(p, a->l->gpu, f->value);
    return TEG_OK;
}

teg_status load_expect_group(const struct load_file *a, load_setting s)
{
    if (config_setting_type(s) != CONFIG_TYPE_GROUP)
        return load_fail(a, s, "%s: expected a group { ... }", load_name(s));
    return TEG_OK;
}

/* Of that group: the nearest is looked for when a name is not found only. */
static teg_status unknown_field(const struct load_file *a, load_setting field,
                                const char *group)
{
    struct teg_nearest nearest;
    uint32_t count;
    const struct param *p = params(&count);

    teg_nearest_init(&nearest, load_name(field));
    for (uint32_t k = 0; k < count; k++) {
        if (strcmp(p[k].group, group) == 0)
            teg_nearest_offer(&nearest, p[k].field);
    }
    return load_unknown(a, field, "field", &nearest);
}

teg_status load_group(const struct load_file *a, load_setting s)
{
    const char *group = load_name(s);
    uint32_t count;
    const struct param *p = params(&count);

    TRY(load_expect_group(a, s));
    for (int i = 0; i < config_setting_length(s); i++) {
        load_setting field = config_setting_get_elem(s, (unsigned)i);
        uint32_t k = 0;

        while (k < count && (strcmp(p[k].field, load_name(field)) != 0 ||
                             strcmp(p[k].group, group) != 0))
            k++;
        if (k == count)
            return unknown_field(a, field, group);
        TRY(read_param(a, field, &p[k]));
    }
    return TEG_OK;
}
