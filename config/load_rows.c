#include "config/load.h"

#include <stdio.h>
#include <string.h>

/* ---- units -------------------------------------------------------------- */

static const char *const unit_keys[] = {"name",     "scope", "count",
                                        "capacity", "queue", "source"};

static teg_status check_unit_keys(const struct load_file *a, load_setting s)
{
    for (int i = 0; i < config_setting_length(s); i++) {
        load_setting field = config_setting_get_elem(s, (unsigned)i);
        struct teg_nearest nearest;
        size_t count = sizeof unit_keys / sizeof unit_keys[0], k = 0;

        while (k < count && strcmp(unit_keys[k], load_name(field)) != 0)
            k++;
        if (k < count)
            continue;
        teg_nearest_init(&nearest, load_name(field));
        for (k = 0; k < count; k++)
            teg_nearest_offer(&nearest, unit_keys[k]);
        return load_unknown(a, field, "field", &nearest);
    }
    return TEG_OK;
}

static teg_status member(const struct load_file *a, load_setting s,
                         const char *key, load_setting *out)
{
    *out = config_setting_get_member(s, key);
    if (*out == NULL)
        return load_fail(a, s, "units: expected '%s'", key);
    return TEG_OK;
}

static teg_status check_unit_name(const struct load_file *a, load_setting s,
                                  const char *name)
{
    if (strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != strlen(name))
        return load_fail(
            a, s,
            "units: expected a name of lower-case letters, digits and "
            "_, found \"%s\"",
            name);
    return TEG_OK;
}

/* Finds the place of unit `name`: the family's, or a new one. */
static teg_status unit_place(const struct load_file *a, load_setting s,
                             const char *name, uint32_t *place)
{
    struct teg_gpu *gpu = a->l->gpu;

    for (*place = 0; *place < gpu->unit_count; ++*place) {
        if (strcmp(gpu->unit[*place].name, name) != 0)
            continue;
        if (a->l->unit_depth[*place] == a->l->depth)
            return load_fail(a, s, "units: '%s' is given twice", name);
        return TEG_OK;
    }
    if (gpu->unit_count == TEG_MAX_UNITS)
        return load_fail(a, s, "units: expected at most %d units",
                         TEG_MAX_UNITS);
    gpu->unit_count++;
    return TEG_OK;
}

static teg_status read_scope(const struct load_file *a, load_setting s,
                             enum teg_unit_scope *scope)
{
    const char *text = "";

    TRY(load_string(a, s, "scope", LOAD_UNIT_NAME_SIZE, &text));
    if (strcmp(text, "sm") == 0)
        *scope = UNIT_SCOPE_SM;
    else if (strcmp(text, "scheduler") == 0)
        *scope = UNIT_SCOPE_SCHEDULER;
    else
        return load_fail(
            a, s, "scope: expected \"sm\" or \"scheduler\", found \"%s\"",
            text);
    return TEG_OK;
}

static teg_status read_unit(const struct load_file *a, load_setting s)
{
    struct teg_unit unit = {.capacity = 0};
    load_setting name, scope, count, source, capacity, queue;
    struct teg_fact fact = {.unit = ""};
    const char *text = "";
    uint32_t place;

    TRY(load_expect_group(a, s));
    TRY(check_unit_keys(a, s));
    TRY(member(a, s, "name", &name));
    TRY(member(a, s, "scope", &scope));
    TRY(member(a, s, "count", &count));
    TRY(member(a, s, "source", &source));
    capacity = config_setting_get_member(s, "capacity");
    queue = config_setting_get_member(s, "queue");
    TRY(load_string(a, name, "name", LOAD_UNIT_NAME_SIZE, &text));
    TRY(check_unit_name(a, name, text));
    TRY(read_scope(a, scope, &unit.scope));
    TRY(load_whole(a, count, "count", 1, 64, &unit.count));
    if (capacity != NULL)
        TRY(load_whole(a, capacity, "capacity", 0, 4096, &unit.capacity));
    if (queue != NULL)
        TRY(load_whole(a, queue, "queue", 0, TEG_QUEUE_MAX, &unit.queue));
    TRY(load_source(a, source, "source", &fact));
    TRY(unit_place(a, name, text, &place));
    snprintf(unit.name, sizeof unit.name, "%s", text);
    a->l->gpu->unit[place] = unit;
    a->l->unit_depth[place] = a->l->depth;
    snprintf(fact.key, sizeof fact.key, "unit.%s", text);
    teg_unit_text(&unit, fact.value, sizeof fact.value);
    a->l->unit_fact[place] = fact;
    return TEG_OK;
}

teg_status load_units(const struct load_file *a, load_setting s)
{
    if (config_setting_type(s) != CONFIG_TYPE_LIST)
        return load_fail(a, s, "units: expected a list ( { ... }, ... )");
    for (int i = 0; i < config_setting_length(s); i++)
        TRY(read_unit(a, config_setting_get_elem(s, (unsigned)i)));
    return TEG_OK;
}

/* ---- timing and m_factor ------------------------------------------------ */

static teg_status class_of(const struct load_file *a, load_setting s,
                           enum teg_op_class *c)
{
    struct teg_nearest nearest;

    *c = teg_op_class_find(load_name(s));
    if (*c != TEG_CLASSES)
        return TEG_OK;
    teg_nearest_init(&nearest, load_name(s));
    for (enum teg_op_class k = 0; k < TEG_CLASSES; k++)
        teg_nearest_offer(&nearest, teg_op_class_facts(k)->key);
    return load_unknown(a, s, "operation class", &nearest);
}

/* "sp" or "sp sfu" */
teg_status load_unit_names(const struct load_file *a, load_setting s,
                           const char *what, unsigned max,
                           struct load_units_named *p)
{
    const char *text = "";

    TRY(load_string(a, s, what, 2 * LOAD_UNIT_NAME_SIZE, &text));
    *p = (struct load_units_named){.given = 1};
    text += strspn(text, " ");
    while (*text != '\0') {
        size_t length = strcspn(text, " ");

        if (p->unit_count == max || length >= LOAD_UNIT_NAME_SIZE)
            return load_fail(a, s,
                             "%s: expected %s of at most %d characters, found "
                             "\"%s\"",
                             what, max == 1 ? "a unit" : "one or two units",
                             LOAD_UNIT_NAME_SIZE - 1,
                             config_setting_get_string(s));
        memcpy(p->unit[p->unit_count], text, length);
        p->unit[p->unit_count++][length] = '\0';
        text += length;
        text += strspn(text, " ");
    }
    if (p->unit_count == 0)
        return load_fail(a, s, "%s: expected a unit", what);
    load_where(a, s, p->where);
    return TEG_OK;
}

static teg_status read_timing_row(const struct load_file *a, load_setting s)
{
    enum teg_op_class c;
    struct teg_timing t = {.unit_count = 0};
    char what[40];

    TRY(class_of(a, s, &c));
    snprintf(what, sizeof what, "timing.%s", teg_op_class_facts(c)->key);
    TRY(load_check_list(a, s, what, 5,
                        "\"units\", latency, interval, same-warp interval"));
    TRY(load_unit_names(a, config_setting_get_elem(s, 0), what, 2,
                        &a->l->timing[c]));
    TRY(load_whole(a, config_setting_get_elem(s, 1), what, 0, 100000,
                   &t.latency));
    TRY(load_whole(a, config_setting_get_elem(s, 2), what, 0, 10000,
                   &t.interval));
    TRY(load_whole(a, config_setting_get_elem(s, 3), what, 1, 10000,
                   &t.same_warp));
    TRY(load_source(a, config_setting_get_elem(s, 4), what,
                    &a->l->timing_fact[c]));
    a->l->gpu->timing[c] = t;
    return TEG_OK;
}

static teg_status read_m_row(const struct load_file *a, load_setting s)
{
    struct teg_fact *f;
    enum teg_op_class c;
    load_setting value;
    char what[40], text[64];

    TRY(class_of(a, s, &c));
    f = &a->l->m_fact[c];
    snprintf(what, sizeof what, "m_factor.%s", teg_op_class_facts(c)->key);
    TRY(load_check_list(a, s, what, 2, "factor"));
    value = config_setting_get_elem(s, 0);
    if (!load_is_number(value) ||
        !(load_number(value) >= 0 && load_number(value) <= 1e6))
        return load_fail(a, value,
                         "%s: expected a factor, 0 to 1000000, found %s", what,
                         load_found(value, text));
    TRY(load_source(a, config_setting_get_elem(s, 1), what, f));
    a->l->gpu->m_factor[c] = load_number(value);
    snprintf(f->key, sizeof f->key, "%s", what);
    snprintf(f->value, sizeof f->value, "%.10g", load_number(value));
    return TEG_OK;
}

/* ---- power -------------------------------------------------------------- */

static teg_status power_unit_of(const struct load_file *a, load_setting s,
                                enum teg_power_unit_id *u)
{
    struct teg_nearest nearest;

    *u = teg_power_unit_find(load_name(s));
    if (*u != TEG_POWER_UNITS)
        return TEG_OK;
    teg_nearest_init(&nearest, load_name(s));
    for (enum teg_power_unit_id k = 0; k < TEG_POWER_UNITS; k++)
        teg_nearest_offer(&nearest, teg_power_unit_facts(k)->key);
    return load_unknown(a, s, "component", &nearest);
}

/* fp = ( 0.2, "log", "C Hong12 Table 8" ); */
static teg_status read_power_row(const struct load_file *a, load_setting s)
{
    struct teg_power_unit *unit;
    enum teg_power_unit_id u;
    struct teg_fact *f;
    load_setting watts;
    const char *access;
    char what[40], text[64];

    TRY(power_unit_of(a, s, &u));
    unit = &a->l->gpu->power_unit[u];
    f = &a->l->power_fact[u];
    snprintf(what, sizeof what, "power_unit.%s", teg_power_unit_facts(u)->key);
    TRY(load_check_list(a, s, what, 3, "watts, \"access function\""));
    watts = config_setting_get_elem(s, 0);
    if (!load_is_number(watts) ||
        !(load_number(watts) >= 0 && load_number(watts) <= 10000))
        return load_fail(a, watts, "%s: expected watts, 0 to 10000, found %s",
                         what, load_found(watts, text));
    TRY(load_string(a, config_setting_get_elem(s, 1), what, sizeof f->source,
                    &access));
    if (!teg_power_curve_parse(access, &unit->curve))
        return load_fail(a, s, "%s: expected %s, found \"%.60s\"", what,
                         teg_power_curve_expected, access);
    TRY(load_source(a, config_setting_get_elem(s, 2), what, f));
    unit->max_watts = load_number(watts);
    unit->given = 1;
    snprintf(f->key, sizeof f->key, "%s", what);
    snprintf(f->value, sizeof f->value, "%.10g %.45s", unit->max_watts, access);
    snprintf(f->unit, sizeof f->unit, "W");
    return TEG_OK;
}

/* lds = ( "shm reg fds", "I as on ..." ); */
static teg_status read_use_row(const struct load_file *a, load_setting s)
{
    enum teg_op_class c;
    struct teg_fact *f;
    const char *units;
    char what[40];

    TRY(class_of(a, s, &c));
    f = &a->l->use_fact[c];
    snprintf(what, sizeof what, "power_use.%s", teg_op_class_facts(c)->key);
    TRY(load_check_list(a, s, what, 2, "\"components\""));
    TRY(load_string(a, config_setting_get_elem(s, 0), what, sizeof f->value,
                    &units));
    a->l->gpu->power_use[c] = teg_power_use_parse(units);
    if (a->l->gpu->power_use[c] == 0)
        return load_fail(a, s,
                         "%s: expected components of the power model, found "
                         "\"%.60s\"",
                         what, units);
    TRY(load_source(a, config_setting_get_elem(s, 1), what, f));
    snprintf(f->key, sizeof f->key, "%s", what);
    snprintf(f->value, sizeof f->value, "%s", units);
    return TEG_OK;
}

/* ---- groups of rows ----------------------------------------------------- */

static teg_status read_rows(const struct load_file *a, load_setting s,
                            teg_status (*read)(const struct load_file *,
                                               load_setting))
{
    TRY(load_expect_group(a, s));
    for (int i = 0; i < config_setting_length(s); i++)
        TRY(read(a, config_setting_get_elem(s, (unsigned)i)));
    return TEG_OK;
}

teg_status load_timing(const struct load_file *a, load_setting s)
{
    return read_rows(a, s, read_timing_row);
}

teg_status load_m_factor(const struct load_file *a, load_setting s)
{
    return read_rows(a, s, read_m_row);
}

teg_status load_power_unit(const struct load_file *a, load_setting s)
{
    return read_rows(a, s, read_power_row);
}

teg_status load_power_use(const struct load_file *a, load_setting s)
{
    return read_rows(a, s, read_use_row);
}
