/*
 * Reads a description with libconfig, family first: what the chip's own file
 * says then replaces what its family says.  Every value passes through one of
 * the read_* functions, which know the setting and so the line.
 */
#include "config/gpu.h"
#include "config/param.h"
#include "config/text.h"
#include "isa/base/nearest.h"

#include <libconfig.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PATH_LIMIT = 4096,
    FAMILIES_LIMIT = 4, /* a family may have a family */
    WHERE_SIZE = 384,   /* as in struct teg_diag */
    NAME_SIZE = 16,     /* of a unit */
};

/* A row of `timing` whose unit names are looked up when all files are read. */
struct pending {
    uint8_t given;
    uint8_t unit_count;
    char unit[2][NAME_SIZE];
    char where[WHERE_SIZE];
};

struct loader {
    struct teg_gpu *gpu;
    struct teg_diag *d;
    unsigned opened;             /* files of families, one inside another */
    unsigned depth;              /* files read, the outermost family first */
    struct teg_fact *param_fact; /* owned, [params] */
    struct teg_fact unit_fact[TEG_MAX_UNITS];
    unsigned unit_depth[TEG_MAX_UNITS]; /* file that named it last */
    struct teg_fact timing_fact[TEG_CLASSES];
    struct teg_fact m_fact[TEG_CLASSES];
    struct teg_fact power_fact[TEG_POWER_UNITS];
    struct teg_fact use_fact[TEG_CLASSES];
    struct teg_fact default_fact;
    struct teg_fact carveout_fact;
    struct pending timing[TEG_CLASSES];
    struct pending operand; /* one unit */
};

/* One file and its includes, open. */
struct layer {
    struct loader *l;
    const char *path;
    char directory[PATH_LIMIT];
    config_t config;
};

typedef const config_setting_t *setting;

/* ---- saying where ------------------------------------------------------- */

static const char *where_of(const struct layer *a, setting s,
                            char out[WHERE_SIZE])
{
    const char *file = config_setting_source_file(s);
    unsigned line = config_setting_source_line(s);

    if (file == NULL)
        file = a->path;
    /* libconfig names an included file as @include does */
    if (strcmp(file, a->path) == 0 || strcmp(a->directory, ".") == 0)
        snprintf(out, WHERE_SIZE, "%.360s:%u", file, line);
    else
        snprintf(out, WHERE_SIZE, "%.180s/%.180s:%u", a->directory, file, line);
    return out;
}

static teg_status fail(const struct layer *a, setting s, const char *format,
                       ...) TEG_PRINTF(3, 4);

static teg_status fail(const struct layer *a, setting s, const char *format,
                       ...)
{
    char where[WHERE_SIZE], text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return teg_fail(a->l->d, TEG_CONFIG, where_of(a, s, where), "%s", text);
}

static const char *name_of(setting s)
{
    const char *name = config_setting_name(s);

    return name != NULL ? name : "";
}

static teg_status unknown(const struct layer *a, setting s, const char *what,
                          const struct teg_nearest *n)
{
    return fail(a, s, "unknown %s '%s'%s%s%s", what, n->typed,
                n->best != NULL ? "; did you mean '" : "",
                n->best != NULL ? n->best : "", n->best != NULL ? "'?" : "");
}

/* "gtx280.cfg:31" */
static void fill_where(const struct layer *a, setting s, struct teg_fact *f)
{
    char where[WHERE_SIZE];
    const char *slash;

    where_of(a, s, where);
    slash = strrchr(where, '/');
    snprintf(f->where, sizeof f->where, "%.95s",
             slash != NULL ? slash + 1 : where);
}

/* ---- values ------------------------------------------------------------- */

static int is_number(setting s)
{
    int type = config_setting_type(s);

    return type == CONFIG_TYPE_INT || type == CONFIG_TYPE_INT64 ||
           type == CONFIG_TYPE_FLOAT;
}

static double number_of(setting s)
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
static const char *found(setting s, char out[64])
{
    static const char *const types[] = {
        [CONFIG_TYPE_GROUP] = "a group",
        [CONFIG_TYPE_BOOL] = "a boolean",
        [CONFIG_TYPE_ARRAY] = "an array",
        [CONFIG_TYPE_LIST] = "a list",
    };
    int type = config_setting_type(s);

    if (is_number(s))
        snprintf(out, 64, "%.10g", number_of(s));
    else if (type == CONFIG_TYPE_STRING)
        snprintf(out, 64, "\"%.40s\"", config_setting_get_string(s));
    else
        snprintf(out, 64, "%s", types[type] != NULL ? types[type] : "nothing");
    return out;
}

static teg_status read_whole(const struct layer *a, setting s, const char *what,
                             double min, double max, uint32_t *out)
{
    char text[64];
    double value = is_number(s) ? number_of(s) : -1;

    if (!is_number(s) || config_setting_type(s) == CONFIG_TYPE_FLOAT ||
        value < min || value > max)
        return fail(a, s,
                    "%s: expected a whole number, %.10g to %.10g, found "
                    "%s",
                    what, min, max, found(s, text));
    *out = (uint32_t)value;
    return TEG_OK;
}

static teg_status read_string(const struct layer *a, setting s,
                              const char *what, size_t size, const char **out)
{
    char text[64];

    if (config_setting_type(s) != CONFIG_TYPE_STRING)
        return fail(a, s, "%s: expected a string, found %s", what,
                    found(s, text));
    *out = config_setting_get_string(s);
    if ((*out)[0] == '\0' || strlen(*out) >= size)
        return fail(a, s, "%s: expected 1 to %zu characters, found %zu", what,
                    size - 1, strlen(*out));
    return TEG_OK;
}

/* Classes of evidence; docs/gpu-description.md says what they mean. */
static const char evidence_classes[] = "MVCDRI";

/* "M Lai13 Table 3.1" */
static teg_status read_source(const struct layer *a, setting s,
                              const char *what, struct teg_fact *f)
{
    const char *text = "";

    TRY(read_string(a, s, what, sizeof f->source, &text));
    if (strchr(evidence_classes, text[0]) == NULL || text[1] != ' ' ||
        text[2] == ' ' || text[2] == '\0')
        return fail(a, s,
                    "%s: expected a class of evidence (one of %s), a blank and "
                    "a source, found \"%.40s\"",
                    what, evidence_classes, text);
    snprintf(f->source, sizeof f->source, "%s", text);
    fill_where(a, s, f);
    return TEG_OK;
}

/* ( ..., "CLASS source" ) of `length` elements */
static teg_status check_list(const struct layer *a, setting s, const char *what,
                             int length, const char *form)
{
    if (config_setting_type(s) != CONFIG_TYPE_LIST ||
        config_setting_length(s) != length)
        return fail(a, s, "%s: expected ( %s, \"CLASS source\" )", what, form);
    return TEG_OK;
}

/* ---- scalars ------------------------------------------------------------ */

static teg_status read_param(const struct layer *a, setting s,
                             const struct param *p)
{
    struct teg_fact *f = &a->l->param_fact[p - params(&(uint32_t){0})];
    char expected[256], text[64];
    double number = -1;
    setting value;

    TRY(check_list(a, s, p->key, 2, "value"));
    value = config_setting_get_elem(s, 0);
    if (p->kind == PARAM_CHOICE) {
        if (config_setting_type(value) == CONFIG_TYPE_STRING)
            number = param_choice(p, config_setting_get_string(value));
    } else if (is_number(value)) {
        number = number_of(value);
        if (p->kind == PARAM_WHOLE &&
            config_setting_type(value) == CONFIG_TYPE_FLOAT)
            number = -1;
    }
    if (!(number >= p->min && number <= p->max))
        return fail(a, value, "%s: %s, found %s", p->key,
                    param_expected(p, expected), found(value, text));
    TRY(read_source(a, config_setting_get_elem(s, 1), p->key, f));
    param_put(p, a->l->gpu, number);
    snprintf(f->key, sizeof f->key, "%s", p->key);
    snprintf(f->unit, sizeof f->unit, "%s", p->unit);
    param_format(p, a->l->gpu, f->value);
    return TEG_OK;
}

static teg_status expect_group(const struct layer *a, setting s)
{
    if (config_setting_type(s) != CONFIG_TYPE_GROUP)
        return fail(a, s, "%s: expected a group { ... }", name_of(s));
    return TEG_OK;
}

static teg_status read_group(const struct layer *a, setting s)
{
    const char *group = name_of(s);
    uint32_t count;
    const struct param *p = params(&count);

    TRY(expect_group(a, s));
    for (int i = 0; i < config_setting_length(s); i++) {
        setting field = config_setting_get_elem(s, (unsigned)i);
        struct teg_nearest nearest;
        uint32_t k;

        teg_nearest_init(&nearest, name_of(field));
        for (k = 0; k < count; k++) {
            if (strcmp(p[k].group, group) != 0)
                continue;
            if (strcmp(p[k].field, name_of(field)) == 0)
                break;
            teg_nearest_offer(&nearest, p[k].field);
        }
        if (k == count)
            return unknown(a, field, "field", &nearest);
        TRY(read_param(a, field, &p[k]));
    }
    return TEG_OK;
}

/* ---- units -------------------------------------------------------------- */

static const char *const unit_keys[] = {"name", "scope", "count", "capacity",
                                        "source"};

static teg_status check_unit_keys(const struct layer *a, setting s)
{
    for (int i = 0; i < config_setting_length(s); i++) {
        setting field = config_setting_get_elem(s, (unsigned)i);
        struct teg_nearest nearest;
        int known = 0;

        teg_nearest_init(&nearest, name_of(field));
        for (size_t k = 0; k < sizeof unit_keys / sizeof unit_keys[0]; k++) {
            known |= strcmp(unit_keys[k], name_of(field)) == 0;
            teg_nearest_offer(&nearest, unit_keys[k]);
        }
        if (!known)
            return unknown(a, field, "field", &nearest);
    }
    return TEG_OK;
}

static teg_status member(const struct layer *a, setting s, const char *key,
                         setting *out)
{
    *out = config_setting_get_member(s, key);
    if (*out == NULL)
        return fail(a, s, "units: expected '%s'", key);
    return TEG_OK;
}

static teg_status check_unit_name(const struct layer *a, setting s,
                                  const char *name)
{
    if (strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != strlen(name))
        return fail(a, s,
                    "units: expected a name of lower-case letters, digits and "
                    "_, found \"%s\"",
                    name);
    return TEG_OK;
}

/* Finds the place of unit `name`: the family's, or a new one. */
static teg_status unit_place(const struct layer *a, setting s, const char *name,
                             uint32_t *place)
{
    struct teg_gpu *gpu = a->l->gpu;

    for (*place = 0; *place < gpu->unit_count; ++*place) {
        if (strcmp(gpu->unit[*place].name, name) != 0)
            continue;
        if (a->l->unit_depth[*place] == a->l->depth)
            return fail(a, s, "units: '%s' is given twice", name);
        return TEG_OK;
    }
    if (gpu->unit_count == TEG_MAX_UNITS)
        return fail(a, s, "units: expected at most %d units", TEG_MAX_UNITS);
    gpu->unit_count++;
    return TEG_OK;
}

static teg_status read_scope(const struct layer *a, setting s,
                             enum teg_unit_scope *scope)
{
    const char *text = "";

    TRY(read_string(a, s, "scope", NAME_SIZE, &text));
    if (strcmp(text, "sm") == 0)
        *scope = UNIT_SCOPE_SM;
    else if (strcmp(text, "scheduler") == 0)
        *scope = UNIT_SCOPE_SCHEDULER;
    else
        return fail(a, s,
                    "scope: expected \"sm\" or \"scheduler\", found \"%s\"",
                    text);
    return TEG_OK;
}

static teg_status read_unit(const struct layer *a, setting s)
{
    struct teg_unit unit = {.capacity = 0};
    setting name, scope, count, source, capacity;
    struct teg_fact fact = {.unit = ""};
    const char *text = "";
    uint32_t place;

    TRY(expect_group(a, s));
    TRY(check_unit_keys(a, s));
    TRY(member(a, s, "name", &name));
    TRY(member(a, s, "scope", &scope));
    TRY(member(a, s, "count", &count));
    TRY(member(a, s, "source", &source));
    capacity = config_setting_get_member(s, "capacity");
    TRY(read_string(a, name, "name", NAME_SIZE, &text));
    TRY(check_unit_name(a, name, text));
    TRY(read_scope(a, scope, &unit.scope));
    TRY(read_whole(a, count, "count", 1, 64, &unit.count));
    if (capacity != NULL)
        TRY(read_whole(a, capacity, "capacity", 0, 4096, &unit.capacity));
    TRY(read_source(a, source, "source", &fact));
    TRY(unit_place(a, name, text, &place));
    snprintf(unit.name, sizeof unit.name, "%s", text);
    a->l->gpu->unit[place] = unit;
    a->l->unit_depth[place] = a->l->depth;
    snprintf(fact.key, sizeof fact.key, "unit.%s", text);
    snprintf(fact.value, sizeof fact.value, "%u per %s, capacity %u",
             unit.count, unit.scope == UNIT_SCOPE_SM ? "SM" : "scheduler",
             unit.capacity);
    a->l->unit_fact[place] = fact;
    return TEG_OK;
}

static teg_status read_units(const struct layer *a, setting s)
{
    if (config_setting_type(s) != CONFIG_TYPE_LIST)
        return fail(a, s, "units: expected a list ( { ... }, ... )");
    for (int i = 0; i < config_setting_length(s); i++)
        TRY(read_unit(a, config_setting_get_elem(s, (unsigned)i)));
    return TEG_OK;
}

/* ---- timing and m_factor ------------------------------------------------ */

static teg_status class_of(const struct layer *a, setting s,
                           enum teg_op_class *c)
{
    struct teg_nearest nearest;

    *c = teg_op_class_find(name_of(s));
    if (*c != TEG_CLASSES)
        return TEG_OK;
    teg_nearest_init(&nearest, name_of(s));
    for (enum teg_op_class k = 0; k < TEG_CLASSES; k++)
        teg_nearest_offer(&nearest, teg_op_class_facts(k)->key);
    return unknown(a, s, "operation class", &nearest);
}

/* "sp" or "sp sfu" */
static teg_status read_unit_names(const struct layer *a, setting s,
                                  const char *what, unsigned max,
                                  struct pending *p)
{
    const char *text = "";

    TRY(read_string(a, s, what, 2 * NAME_SIZE, &text));
    *p = (struct pending){.given = 1};
    text += strspn(text, " ");
    while (*text != '\0') {
        size_t length = strcspn(text, " ");

        if (p->unit_count == max || length >= NAME_SIZE)
            return fail(a, s,
                        "%s: expected %s of at most %d characters, found "
                        "\"%s\"",
                        what, max == 1 ? "a unit" : "one or two units",
                        NAME_SIZE - 1, config_setting_get_string(s));
        memcpy(p->unit[p->unit_count], text, length);
        p->unit[p->unit_count++][length] = '\0';
        text += length;
        text += strspn(text, " ");
    }
    if (p->unit_count == 0)
        return fail(a, s, "%s: expected a unit", what);
    where_of(a, s, p->where);
    return TEG_OK;
}

static teg_status read_timing_row(const struct layer *a, setting s)
{
    enum teg_op_class c;
    struct teg_timing t = {.unit_count = 0};
    char what[40];

    TRY(class_of(a, s, &c));
    snprintf(what, sizeof what, "timing.%s", teg_op_class_facts(c)->key);
    TRY(check_list(a, s, what, 5,
                   "\"units\", latency, interval, same-warp interval"));
    TRY(read_unit_names(a, config_setting_get_elem(s, 0), what, 2,
                        &a->l->timing[c]));
    TRY(read_whole(a, config_setting_get_elem(s, 1), what, 0, 100000,
                   &t.latency));
    TRY(read_whole(a, config_setting_get_elem(s, 2), what, 0, 10000,
                   &t.interval));
    TRY(read_whole(a, config_setting_get_elem(s, 3), what, 1, 10000,
                   &t.same_warp));
    TRY(read_source(a, config_setting_get_elem(s, 4), what,
                    &a->l->timing_fact[c]));
    a->l->gpu->timing[c] = t;
    return TEG_OK;
}

static teg_status read_m_row(const struct layer *a, setting s)
{
    struct teg_fact *f;
    enum teg_op_class c;
    setting value;
    char what[40], text[64];

    TRY(class_of(a, s, &c));
    f = &a->l->m_fact[c];
    snprintf(what, sizeof what, "m_factor.%s", teg_op_class_facts(c)->key);
    TRY(check_list(a, s, what, 2, "factor"));
    value = config_setting_get_elem(s, 0);
    if (!is_number(value) ||
        !(number_of(value) >= 0 && number_of(value) <= 1e6))
        return fail(a, value, "%s: expected a factor, 0 to 1000000, found %s",
                    what, found(value, text));
    TRY(read_source(a, config_setting_get_elem(s, 1), what, f));
    a->l->gpu->m_factor[c] = number_of(value);
    snprintf(f->key, sizeof f->key, "%s", what);
    snprintf(f->value, sizeof f->value, "%.10g", number_of(value));
    return TEG_OK;
}

/* ---- power -------------------------------------------------------------- */

static teg_status power_unit_of(const struct layer *a, setting s,
                                enum teg_power_unit_id *u)
{
    struct teg_nearest nearest;

    *u = teg_power_unit_find(name_of(s));
    if (*u != TEG_POWER_UNITS)
        return TEG_OK;
    teg_nearest_init(&nearest, name_of(s));
    for (enum teg_power_unit_id k = 0; k < TEG_POWER_UNITS; k++)
        teg_nearest_offer(&nearest, teg_power_unit_facts(k)->key);
    return unknown(a, s, "component", &nearest);
}

/* fp = ( 0.2, "log", "C Hong12 Table 8" ); */
static teg_status read_power_row(const struct layer *a, setting s)
{
    struct teg_power_unit *unit;
    enum teg_power_unit_id u;
    struct teg_fact *f;
    setting watts;
    const char *access;
    char what[40], text[64];

    TRY(power_unit_of(a, s, &u));
    unit = &a->l->gpu->power_unit[u];
    f = &a->l->power_fact[u];
    snprintf(what, sizeof what, "power_unit.%s", teg_power_unit_facts(u)->key);
    TRY(check_list(a, s, what, 3, "watts, \"access function\""));
    watts = config_setting_get_elem(s, 0);
    if (!is_number(watts) ||
        !(number_of(watts) >= 0 && number_of(watts) <= 10000))
        return fail(a, watts, "%s: expected watts, 0 to 10000, found %s", what,
                    found(watts, text));
    TRY(read_string(a, config_setting_get_elem(s, 1), what, sizeof f->source,
                    &access));
    if (!teg_power_curve_parse(access, &unit->curve))
        return fail(a, s, "%s: expected %s, found \"%.60s\"", what,
                    teg_power_curve_expected, access);
    TRY(read_source(a, config_setting_get_elem(s, 2), what, f));
    unit->max_watts = number_of(watts);
    unit->given = 1;
    snprintf(f->key, sizeof f->key, "%s", what);
    snprintf(f->value, sizeof f->value, "%.10g %.45s", unit->max_watts, access);
    snprintf(f->unit, sizeof f->unit, "W");
    return TEG_OK;
}

/* lds = ( "shm reg fds", "I as on ..." ); */
static teg_status read_use_row(const struct layer *a, setting s)
{
    enum teg_op_class c;
    struct teg_fact *f;
    const char *units;
    char what[40];

    TRY(class_of(a, s, &c));
    f = &a->l->use_fact[c];
    snprintf(what, sizeof what, "power_use.%s", teg_op_class_facts(c)->key);
    TRY(check_list(a, s, what, 2, "\"components\""));
    TRY(read_string(a, config_setting_get_elem(s, 0), what, sizeof f->value,
                    &units));
    a->l->gpu->power_use[c] = teg_power_use_parse(units);
    if (a->l->gpu->power_use[c] == 0)
        return fail(a, s,
                    "%s: expected components of the power model, found "
                    "\"%.60s\"",
                    what, units);
    TRY(read_source(a, config_setting_get_elem(s, 1), what, f));
    snprintf(f->key, sizeof f->key, "%s", what);
    snprintf(f->value, sizeof f->value, "%s", units);
    return TEG_OK;
}

/* ---- groups of rows ----------------------------------------------------- */

static teg_status read_rows(const struct layer *a, setting s,
                            teg_status (*read)(const struct layer *, setting))
{
    TRY(expect_group(a, s));
    for (int i = 0; i < config_setting_length(s); i++)
        TRY(read(a, config_setting_get_elem(s, (unsigned)i)));
    return TEG_OK;
}

static teg_status read_timing(const struct layer *a, setting s)
{
    return read_rows(a, s, read_timing_row);
}

static teg_status read_m_factor(const struct layer *a, setting s)
{
    return read_rows(a, s, read_m_row);
}

static teg_status read_power_unit(const struct layer *a, setting s)
{
    return read_rows(a, s, read_power_row);
}

static teg_status read_power_use(const struct layer *a, setting s)
{
    return read_rows(a, s, read_use_row);
}

/* ---- the rest of the top level ------------------------------------------ */

static teg_status read_name(const struct layer *a, setting s)
{
    const char *text = "";

    TRY(read_string(a, s, "name", sizeof a->l->gpu->name, &text));
    snprintf(a->l->gpu->name, sizeof a->l->gpu->name, "%s", text);
    return TEG_OK;
}

static teg_status read_title(const struct layer *a, setting s)
{
    const char *text = "";

    TRY(read_string(a, s, "title", sizeof a->l->gpu->title, &text));
    snprintf(a->l->gpu->title, sizeof a->l->gpu->title, "%s", text);
    return TEG_OK;
}

static teg_status read_default_for(const struct layer *a, setting s)
{
    struct teg_fact *f = &a->l->default_fact;

    TRY(check_list(a, s, "default_for", 2, "compute capability x10"));
    TRY(read_whole(a, config_setting_get_elem(s, 0), "default_for", 10, 999,
                   &a->l->gpu->default_for));
    TRY(read_source(a, config_setting_get_elem(s, 1), "default_for", f));
    snprintf(f->key, sizeof f->key, "default_for");
    snprintf(f->value, sizeof f->value, "%u", a->l->gpu->default_for);
    return TEG_OK;
}

/* carveouts = ( "0 8 16 32 64 96", "V ..." );  kilobytes, rising */
static teg_status read_carveouts(const struct layer *a, setting s)
{
    struct teg_fact *f = &a->l->carveout_fact;
    struct teg_gpu *gpu = a->l->gpu;
    const char *text = "";
    char *end;

    TRY(check_list(a, s, "carveouts", 2, "\"kilobytes ...\""));
    TRY(read_string(a, config_setting_get_elem(s, 0), "carveouts",
                    sizeof f->value, &text));
    gpu->carveout_count = 0;
    for (const char *at = text; *at != '\0'; at = end + strspn(end, " ")) {
        unsigned long kilobytes = strtoul(at, &end, 10);
        uint32_t n = gpu->carveout_count;

        if (end == at || *at == '-' || (*end != '\0' && *end != ' ') ||
            n == TEG_MAX_CARVEOUTS || kilobytes > 1024 ||
            (n != 0 && kilobytes * 1024 <= gpu->carveout[n - 1]))
            return fail(a, s,
                        "carveouts: expected at most %d rising numbers of "
                        "kilobytes up to 1024, found \"%s\"",
                        TEG_MAX_CARVEOUTS, text);
        gpu->carveout[gpu->carveout_count++] = (uint32_t)kilobytes * 1024;
    }
    TRY(read_source(a, config_setting_get_elem(s, 1), "carveouts", f));
    snprintf(f->key, sizeof f->key, "carveouts");
    snprintf(f->value, sizeof f->value, "%s", text);
    snprintf(f->unit, sizeof f->unit, "KB");
    return TEG_OK;
}

static teg_status read_operand_unit(const struct layer *a, setting s)
{
    return read_unit_names(a, s, "operand_unit", 1, &a->l->operand);
}

/* Read before all others, see read_layer. */
static teg_status read_nothing(const struct layer *a, setting s)
{
    (void)a;
    (void)s;
    return TEG_OK;
}

static const struct top {
    const char *key;
    teg_status (*read)(const struct layer *, setting);
} tops[] = {
    {"family", read_nothing},
    {"name", read_name},
    {"title", read_title},
    {"default_for", read_default_for},
    {"operand_unit", read_operand_unit},
    {"carveouts", read_carveouts},
    {"units", read_units},
    {"timing", read_timing},
    {"m_factor", read_m_factor},
    {"power_unit", read_power_unit},
    {"power_use", read_power_use},
#define GROUP(group) {#group, read_group},
#define END(group)
#define NUMBER(group, field, type, min, max, fallback, unit, help)
#define CHOICE(group, field, choice, fallback, help)
#include "config/params.def"
#undef GROUP
#undef END
#undef NUMBER
#undef CHOICE
};

static teg_status read_top(const struct layer *a, setting s)
{
    struct teg_nearest nearest;

    teg_nearest_init(&nearest, name_of(s));
    for (size_t i = 0; i < sizeof tops / sizeof tops[0]; i++) {
        if (strcmp(tops[i].key, name_of(s)) == 0)
            return tops[i].read(a, s);
        teg_nearest_offer(&nearest, tops[i].key);
    }
    return unknown(a, s, "key", &nearest);
}

/* ---- files -------------------------------------------------------------- */

static teg_status read_layer(struct loader *l, const char *path);

static teg_status read_family(const struct layer *a, setting s)
{
    char path[PATH_LIMIT];
    const char *text = "";

    TRY(read_string(a, s, "family", 256, &text));
    if (++a->l->opened > FAMILIES_LIMIT)
        return fail(a, s, "family: expected at most %d families of families",
                    FAMILIES_LIMIT);
    if (snprintf(path, sizeof path, "%s%s%s",
                 text[0] == '/' ? "" : a->directory, text[0] == '/' ? "" : "/",
                 text) >= (int)sizeof path)
        return fail(a, s, "family: the path is too long");
    return read_layer(a->l, path);
}

static teg_status read_settings(const struct layer *a)
{
    setting root = config_root_setting(&a->config);
    setting family = config_setting_get_member(root, "family");

    if (family != NULL)
        TRY(read_family(a, family));
    a->l->depth++;
    for (int i = 0; i < config_setting_length(root); i++)
        TRY(read_top(a, config_setting_get_elem(root, (unsigned)i)));
    return TEG_OK;
}

/* Where @include and `family` look: beside the file. */
static teg_status find_directory(struct layer *a)
{
    const char *slash = strrchr(a->path, '/');
    size_t length = slash != NULL ? (size_t)(slash - a->path) : 0;

    if (length >= sizeof a->directory)
        return teg_fail(a->l->d, TEG_CONFIG, "", "the path is too long");
    memcpy(a->directory, a->path, length);
    a->directory[length] = '\0';
    if (length == 0)
        snprintf(a->directory, sizeof a->directory, "%s",
                 slash != NULL ? "/" : ".");
    return TEG_OK;
}

static teg_status parse(struct layer *a)
{
    const char *file;

    config_set_include_dir(&a->config, a->directory);
    if (config_read_file(&a->config, a->path))
        return TEG_OK;
    if (config_error_type(&a->config) == CONFIG_ERR_FILE_IO)
        return teg_fail_errno(a->l->d, a->path, "read");
    file = config_error_file(&a->config);
    return teg_fail_line(a->l->d, TEG_CONFIG, file != NULL ? file : a->path,
                         (uint64_t)config_error_line(&a->config), "%s",
                         config_error_text(&a->config));
}

static teg_status read_layer(struct loader *l, const char *path)
{
    struct layer *a = calloc(1, sizeof *a);
    teg_status status;

    if (a == NULL)
        return teg_fail_memory(l->d);
    a->l = l;
    a->path = path;
    config_init(&a->config);
    status = find_directory(a);
    if (status == TEG_OK)
        status = config_text_check(path, a->directory, l->d);
    if (status == TEG_OK)
        status = parse(a);
    if (status == TEG_OK)
        status = read_settings(a);
    config_destroy(&a->config);
    free(a);
    return status;
}

/* ---- when all files are read -------------------------------------------- */

static teg_status finish_params(struct loader *l, const char *path)
{
    uint32_t count;
    const struct param *p = params(&count);

    for (uint32_t i = 0; i < count; i++) {
        struct teg_fact *f = &l->param_fact[i];
        char expected[256];

        if (f->key[0] != '\0')
            continue;
        if (p[i].fallback < 0)
            return teg_fail(l->d, TEG_CONFIG, path, "missing %s: %s, %s",
                            p[i].key, param_expected(&p[i], expected),
                            p[i].help);
        param_put(&p[i], l->gpu, p[i].fallback);
        snprintf(f->key, sizeof f->key, "%s", p[i].key);
        snprintf(f->unit, sizeof f->unit, "%s", p[i].unit);
        param_format(&p[i], l->gpu, f->value);
    }
    return TEG_OK;
}

static teg_status find_unit(const struct loader *l, const struct pending *p,
                            const char *what, unsigned i, uint8_t *unit)
{
    struct teg_nearest nearest;

    teg_nearest_init(&nearest, p->unit[i]);
    for (uint8_t u = 0; u < l->gpu->unit_count; u++) {
        if (strcmp(l->gpu->unit[u].name, p->unit[i]) == 0) {
            *unit = u;
            return TEG_OK;
        }
        teg_nearest_offer(&nearest, l->gpu->unit[u].name);
    }
    return teg_fail(l->d, TEG_CONFIG, p->where, "%s: unknown unit '%s'%s%s%s",
                    what, p->unit[i],
                    nearest.best != NULL ? "; did you mean '" : "",
                    nearest.best != NULL ? nearest.best : "",
                    nearest.best != NULL ? "'?" : "");
}

static void describe_timing(const struct teg_gpu *gpu, enum teg_op_class c,
                            const char *as, struct teg_fact *f)
{
    const struct teg_timing *t = &gpu->timing[c];

    snprintf(f->key, sizeof f->key, "timing.%s", teg_op_class_facts(c)->key);
    snprintf(f->unit, sizeof f->unit, "cycles");
    snprintf(f->value, sizeof f->value, "%s%s%s %u %u %u%s%s",
             gpu->unit[t->unit[0]].name, t->unit_count > 1 ? " " : "",
             t->unit_count > 1 ? gpu->unit[t->unit[1]].name : "", t->latency,
             t->interval, t->same_warp, as[0] != '\0' ? " as " : "", as);
}

/* A class without a row of its own takes its fallback's, which stands above
 * it in op_class.def. */
static teg_status finish_timing(struct loader *l, const char *path)
{
    struct teg_gpu *gpu = l->gpu;

    for (enum teg_op_class c = 0; c < TEG_CLASSES; c++) {
        const struct teg_op_class_facts *facts = teg_op_class_facts(c);
        const struct pending *p = &l->timing[c];
        const char *as = "";
        char what[40];

        snprintf(what, sizeof what, "timing.%s", facts->key);
        if (p->given) {
            gpu->timing[c].unit_count = p->unit_count;
            for (unsigned i = 0; i < p->unit_count; i++)
                TRY(find_unit(l, p, what, i, &gpu->timing[c].unit[i]));
        } else if (facts->fallback == c) {
            return teg_fail(l->d, TEG_CONFIG, path,
                            "missing %s (%s), which stands for no other class",
                            what, facts->help);
        } else {
            gpu->timing[c] = gpu->timing[facts->fallback];
            as = teg_op_class_facts(facts->fallback)->key;
        }
        describe_timing(gpu, c, as, &l->timing_fact[c]);
    }
    gpu->operand_unit = TEG_NO_UNIT;
    if (l->operand.given)
        return find_unit(l, &l->operand, "operand_unit", 0, &gpu->operand_unit);
    return TEG_OK;
}

/* Copies the facts that were given behind the `n` that are there. */
static uint32_t add_given(struct teg_fact *to, uint32_t n,
                          const struct teg_fact *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (from[i].key[0] != '\0')
            to[n++] = from[i];
    }
    return n;
}

/* In the order params, units, timing, m_factor, power, default, carve-outs. */
static teg_status finish_facts(struct loader *l)
{
    struct teg_gpu *gpu = l->gpu;
    uint32_t count, n;
    struct teg_fact *f;

    params(&count);
    f = calloc(count + TEG_MAX_UNITS + 3 * TEG_CLASSES + TEG_POWER_UNITS + 2,
               sizeof *f);
    if (f == NULL)
        return teg_fail_memory(l->d);
    gpu->fact = f;
    memcpy(f, l->param_fact, count * sizeof *f);
    n = count;
    memcpy(f + n, l->unit_fact, gpu->unit_count * sizeof *f);
    n += gpu->unit_count;
    memcpy(f + n, l->timing_fact, sizeof l->timing_fact);
    n += TEG_CLASSES;
    n = add_given(f, n, l->m_fact, TEG_CLASSES);
    n = add_given(f, n, l->power_fact, TEG_POWER_UNITS);
    n = add_given(f, n, l->use_fact, TEG_CLASSES);
    n = add_given(f, n, &l->default_fact, 1);
    n = add_given(f, n, &l->carveout_fact, 1);
    gpu->fact_count = n;
    return TEG_OK;
}

static teg_status finish(struct loader *l, const char *path)
{
    if (l->gpu->name[0] == '\0')
        return teg_fail(l->d, TEG_CONFIG, path, "missing name");
    TRY(finish_params(l, path));
    if (l->gpu->unit_count == 0)
        return teg_fail(l->d, TEG_CONFIG, path, "missing units");
    TRY(finish_timing(l, path));
    TRY(finish_facts(l));
    return teg_gpu_check(l->gpu, l->d);
}

teg_status teg_gpu_load(const char *path, struct teg_gpu **gpu,
                        struct teg_diag *d)
{
    struct loader *l = calloc(1, sizeof *l);
    teg_status status = TEG_MEMORY;
    uint32_t count;

    *gpu = NULL;
    params(&count);
    if (l != NULL) {
        l->d = d;
        l->gpu = calloc(1, sizeof *l->gpu);
        l->param_fact = calloc(count, sizeof *l->param_fact);
    }
    if (l == NULL || l->gpu == NULL || l->param_fact == NULL) {
        teg_fail_memory(d);
        goto out;
    }
    for (enum teg_op_class c = 0; c < TEG_CLASSES; c++)
        l->gpu->m_factor[c] = 1;
    status = read_layer(l, path);
    if (status == TEG_OK)
        status = finish(l, path);
out:
    if (l != NULL) {
        if (status == TEG_OK)
            *gpu = l->gpu;
        else
            teg_gpu_free(l->gpu);
        free(l->param_fact);
    }
    free(l);
    return status;
}
