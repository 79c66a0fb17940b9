#include "config/gpu.h"

#include "config/param.h"
#include "isa/base/nearest.h"
#include "isa/inst/inst.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void teg_gpu_free(struct teg_gpu *gpu)
{
    if (gpu == NULL)
        return;
    free(gpu->fact);
    free(gpu);
}

teg_status teg_gpu_copy(const struct teg_gpu *from, struct teg_gpu **to,
                        struct teg_diag *d)
{
    struct teg_gpu *copy = malloc(sizeof *copy);
    size_t size = from->fact_count * sizeof *from->fact;

    *to = NULL;
    if (copy == NULL)
        return teg_fail_memory(d);
    *copy = *from;
    copy->fact = malloc(size + 1);
    if (copy->fact == NULL) {
        free(copy);
        return teg_fail_memory(d);
    }
    if (size != 0)
        memcpy(copy->fact, from->fact, size);
    *to = copy;
    return TEG_OK;
}

/* The fact of that key says what was set. */
static void note(struct teg_gpu *gpu, const char *key, const char *value)
{
    for (uint32_t i = 0; i < gpu->fact_count; i++) {
        struct teg_fact *f = &gpu->fact[i];

        if (strcmp(f->key, key) != 0)
            continue;
        snprintf(f->value, sizeof f->value, "%s", value);
        snprintf(f->source, sizeof f->source, "set by the user");
        f->where[0] = '\0';
    }
}

/* Reads the whole of `text` as a number. */
static int read_number(const char *text, double *value)
{
    char *end;

    errno = 0;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*value);
}

static teg_status set_param(struct teg_gpu *gpu, const struct param *p,
                            const char *text, struct teg_diag *d)
{
    char expected[256], value[64];
    double number = -1;

    if (p->kind == PARAM_CHOICE)
        number = param_choice(p, text);
    else if (!read_number(text, &number))
        number = -1;
    if (number < p->min || number > p->max ||
        (p->kind == PARAM_WHOLE && floor(number) < number))
        return teg_fail(d, TEG_CONFIG, p->key, "%s, found '%s'",
                        param_expected(p, expected), text);
    param_put(p, gpu, number);
    note(gpu, p->key, param_format(p, gpu, value));
    return TEG_OK;
}

static teg_status read_whole(const char *key, const char *text, double min,
                             double max, uint32_t *out, struct teg_diag *d)
{
    double number;

    if (!read_number(text, &number) || floor(number) < number || number < min ||
        number > max)
        return teg_fail(d, TEG_CONFIG, key,
                        "expected a whole number, %g to %g, found '%s'", min,
                        max, text);
    *out = (uint32_t)number;
    return TEG_OK;
}

static teg_status unknown_key(const char *key, const struct teg_nearest *n,
                              struct teg_diag *d)
{
    return teg_fail(d, TEG_UNKNOWN, key,
                    "expected a key of a GPU description, found '%s'%s%s", key,
                    n->best != NULL ? "; nearest is " : "",
                    n->best != NULL ? n->best : "");
}

/* Splits "timing.fadd.latency" behind its group into name and member. */
static int split(const char *key, const char *group, char name[32],
                 const char **member)
{
    size_t skip = strlen(group), length;

    if (strncmp(key, group, skip) != 0 || key[skip] != '.')
        return 0;
    length = strcspn(key + skip + 1, ".");
    if (length >= 32)
        return 0;
    memcpy(name, key + skip + 1, length);
    name[length] = '\0';
    *member = key + skip + 1 + length;
    *member += **member == '.';
    return 1;
}

/* Members of a unit and of a row of `timing`. */
static const struct member {
    const char *name;
    size_t offset; /* in struct teg_unit or struct teg_timing */
    double min, max;
} unit_members[] =
    {
        {"count", offsetof(struct teg_unit, count), 1, 64},
        {"capacity", offsetof(struct teg_unit, capacity), 0, 4096},
        {"queue", offsetof(struct teg_unit, queue), 0, TEG_QUEUE_MAX},
},
  timing_members[] = {
      {"latency", offsetof(struct teg_timing, latency), 0, 100000},
      {"interval", offsetof(struct teg_timing, interval), 0, 10000},
      {"same_warp", offsetof(struct teg_timing, same_warp), 1, 10000},
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static teg_status set_member(void *row, const struct member *members,
                             size_t count, const char *key, const char *name,
                             const char *text, struct teg_diag *d)
{
    struct teg_nearest nearest;

    teg_nearest_init(&nearest, name);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(members[i].name, name) == 0)
            return read_whole(key, text, members[i].min, members[i].max,
                              (void *)((char *)row + members[i].offset), d);
        teg_nearest_offer(&nearest, members[i].name);
    }
    return unknown_key(key, &nearest, d);
}

void teg_unit_text(const struct teg_unit *unit, char *text, size_t size)
{
    int n = snprintf(text, size, "%u per %s, capacity %u", unit->count,
                     unit->scope == UNIT_SCOPE_SM ? "SM" : "scheduler",
                     unit->capacity);

    if (unit->queue != 0 && n > 0 && (size_t)n < size)
        snprintf(text + n, size - (size_t)n, ", queue %u", unit->queue);
}

static teg_status set_unit(struct teg_gpu *gpu, const char *key,
                           const char *name, const char *member,
                           const char *text, struct teg_diag *d)
{
    struct teg_nearest nearest;

    teg_nearest_init(&nearest, name);
    for (uint32_t i = 0; i < gpu->unit_count; i++) {
        struct teg_unit *u = &gpu->unit[i];
        char fact[32], value[64];

        teg_nearest_offer(&nearest, u->name);
        if (strcmp(u->name, name) != 0)
            continue;
        TRY(set_member(u, unit_members, COUNT(unit_members), key, member, text,
                       d));
        snprintf(fact, sizeof fact, "unit.%s", u->name);
        teg_unit_text(u, value, sizeof value);
        note(gpu, fact, value);
        return TEG_OK;
    }
    return unknown_key(key, &nearest, d);
}

static teg_status set_timing(struct teg_gpu *gpu, const char *key,
                             const char *name, const char *member,
                             const char *text, struct teg_diag *d)
{
    enum teg_op_class c = teg_op_class_find(name);
    struct teg_nearest nearest;
    struct teg_timing *t;
    char fact[64], value[64];

    if (c == TEG_CLASSES) {
        teg_nearest_init(&nearest, name);
        for (c = 0; c < TEG_CLASSES; c++)
            teg_nearest_offer(&nearest, teg_op_class_facts(c)->key);
        return unknown_key(key, &nearest, d);
    }
    t = &gpu->timing[c];
    TRY(set_member(t, timing_members, COUNT(timing_members), key, member, text,
                   d));
    snprintf(fact, sizeof fact, "timing.%s", name);
    snprintf(value, sizeof value, "%s%s%s %u %u %u", gpu->unit[t->unit[0]].name,
             t->unit_count > 1 ? " or " : "",
             t->unit_count > 1 ? gpu->unit[t->unit[1]].name : "", t->latency,
             t->interval, t->same_warp);
    note(gpu, fact, value);
    return TEG_OK;
}

static teg_status set_m_factor(struct teg_gpu *gpu, const char *key,
                               const char *name, const char *text,
                               struct teg_diag *d)
{
    enum teg_op_class c = teg_op_class_find(name);
    struct teg_nearest nearest;
    double value;

    teg_nearest_init(&nearest, name);
    if (c == TEG_CLASSES) {
        for (c = 0; c < TEG_CLASSES; c++)
            teg_nearest_offer(&nearest, teg_op_class_facts(c)->key);
        return unknown_key(key, &nearest, d);
    }
    if (!read_number(text, &value) || value < 0 || value > 1e6)
        return teg_fail(d, TEG_CONFIG, key,
                        "expected a factor, 0 to 1000000, found '%s'", text);
    gpu->m_factor[c] = value;
    note(gpu, key, text);
    return TEG_OK;
}

static teg_status set_power_unit(struct teg_gpu *gpu, const char *key,
                                 const char *name, const char *member,
                                 const char *text, struct teg_diag *d)
{
    enum teg_power_unit_id u = teg_power_unit_find(name);
    int is_watts = strcmp(member, "watts") == 0;
    struct teg_nearest nearest;
    double watts;

    if (u == TEG_POWER_UNITS) {
        teg_nearest_init(&nearest, name);
        for (u = 0; u < TEG_POWER_UNITS; u++)
            teg_nearest_offer(&nearest, teg_power_unit_facts(u)->key);
        return unknown_key(key, &nearest, d);
    }
    if (!is_watts && strcmp(member, "access") != 0) {
        teg_nearest_init(&nearest, member);
        teg_nearest_offer(&nearest, "watts");
        teg_nearest_offer(&nearest, "access");
        return unknown_key(key, &nearest, d);
    }
    if (is_watts) {
        if (!read_number(text, &watts) || watts < 0 || watts > 10000)
            return teg_fail(d, TEG_CONFIG, key,
                            "expected watts, 0 to 10000, found '%s'", text);
        gpu->power_unit[u].max_watts = watts;
        gpu->power_unit[u].given = 1;
    } else if (!teg_power_curve_parse(text, &gpu->power_unit[u].curve)) {
        return teg_fail(d, TEG_CONFIG, key, "expected %s, found '%s'",
                        teg_power_curve_expected, text);
    }
    return TEG_OK;
}

static teg_status set_power_use(struct teg_gpu *gpu, const char *key,
                                const char *name, const char *text,
                                struct teg_diag *d)
{
    enum teg_op_class c = teg_op_class_find(name);
    struct teg_nearest nearest;
    uint32_t use = teg_power_use_parse(text);

    teg_nearest_init(&nearest, name);
    if (c == TEG_CLASSES) {
        for (c = 0; c < TEG_CLASSES; c++)
            teg_nearest_offer(&nearest, teg_op_class_facts(c)->key);
        return unknown_key(key, &nearest, d);
    }
    if (use == 0)
        return teg_fail(d, TEG_CONFIG, key,
                        "expected components of the power model, found '%s'",
                        text);
    gpu->power_use[c] = use;
    note(gpu, key, text);
    return TEG_OK;
}

teg_status teg_gpu_set(struct teg_gpu *gpu, const char *key, const char *value,
                       struct teg_diag *d)
{
    const struct param *p = param_find(key);
    struct teg_nearest nearest;
    const char *member;
    uint32_t count;
    char name[32];

    if (p != NULL)
        return set_param(gpu, p, value, d);
    if (split(key, "unit", name, &member))
        return set_unit(gpu, key, name, member, value, d);
    if (split(key, "timing", name, &member))
        return set_timing(gpu, key, name, member, value, d);
    if (split(key, "m_factor", name, &member))
        return set_m_factor(gpu, key, name, value, d);
    if (split(key, "power_unit", name, &member))
        return set_power_unit(gpu, key, name, member, value, d);
    if (split(key, "power_use", name, &member))
        return set_power_use(gpu, key, name, value, d);
    teg_nearest_init(&nearest, key);
    p = params(&count);
    for (uint32_t i = 0; i < count; i++)
        teg_nearest_offer(&nearest, p[i].key);
    return unknown_key(key, &nearest, d);
}

teg_status teg_gpu_set_pair(struct teg_gpu *gpu, const char *pair,
                            struct teg_diag *d)
{
    size_t key = strcspn(pair, "="), length = strcspn(pair, "\n");
    char text[TEG_GPU_PAIR_SIZE];

    if (key >= length || length >= sizeof text)
        return teg_fail(d, TEG_FORMAT, "", "expected KEY=VALUE, found '%.60s'",
                        pair);
    memcpy(text, pair, length);
    text[key] = text[length] = '\0';
    return teg_gpu_set(gpu, text, text + key + 1, d);
}

teg_status teg_gpu_vary(struct teg_gpu *gpu, const char *key, const char *value,
                        struct teg_diag *d)
{
    uint32_t threads;

    TRY(teg_gpu_set(gpu, key, value, d));
    if (strcmp(key, "sm.warps_max") != 0)
        return TEG_OK;
    threads = gpu->sm.warps_max * TEG_LANES;
    if (gpu->sm.threads_max > threads)
        gpu->sm.threads_max = threads;
    if (gpu->sm.threads_per_block_max > threads)
        gpu->sm.threads_per_block_max = threads;
    return TEG_OK;
}

/* As teg_gpu_set, whose range a changed clock may leave. */
static teg_status set_number(struct teg_gpu *gpu, const char *key, double value,
                             struct teg_diag *d)
{
    char text[32];

    snprintf(text, sizeof text, "%.10g", value);
    return teg_gpu_set(gpu, key, text, d);
}

teg_status teg_gpu_set_clock(struct teg_gpu *gpu, const char *mhz,
                             struct teg_diag *d)
{
    double before = gpu->chip.sm_clock_mhz, ratio;
    double on_chip = gpu->l2.bytes != 0 ? gpu->l2.latency : 0;

    TRY(teg_gpu_set(gpu, "chip.sm_clock_mhz", mhz, d));
    ratio = gpu->chip.sm_clock_mhz / before;
    TRY(set_number(gpu, "dram.turnaround", gpu->dram.turnaround * ratio, d));
    return set_number(
        gpu, "dram.latency",
        floor(on_chip + (gpu->dram.latency - on_chip) * ratio + 0.5), d);
}

/* ---- reading ------------------------------------------------------------- */

/* Puts the member of that name into `value`; 0: there is none. */
static int get_member(const void *row, const struct member *members,
                      size_t count, const char *name, double *value)
{
    uint32_t whole;

    for (size_t i = 0; i < count; i++) {
        if (strcmp(members[i].name, name) != 0)
            continue;
        memcpy(&whole, (const char *)row + members[i].offset, sizeof whole);
        *value = whole;
        return 1;
    }
    return 0;
}

/* Values that no fact states as they are set. */
static int get_row(const struct teg_gpu *gpu, const char *key, double *value)
{
    enum teg_power_unit_id power;
    enum teg_op_class c;
    const char *member;
    char name[32];

    if (split(key, "unit", name, &member)) {
        for (uint32_t i = 0; i < gpu->unit_count; i++) {
            if (strcmp(gpu->unit[i].name, name) == 0)
                return get_member(&gpu->unit[i], unit_members,
                                  COUNT(unit_members), member, value);
        }
    } else if (split(key, "timing", name, &member)) {
        c = teg_op_class_find(name);
        return c != TEG_CLASSES &&
               get_member(&gpu->timing[c], timing_members,
                          COUNT(timing_members), member, value);
    } else if (split(key, "m_factor", name, &member)) {
        c = teg_op_class_find(name);
        *value = c != TEG_CLASSES ? gpu->m_factor[c] : 0;
        return c != TEG_CLASSES;
    } else if (split(key, "power_unit", name, &member)) {
        power = teg_power_unit_find(name);
        if (power == TEG_POWER_UNITS || strcmp(member, "watts") != 0 ||
            !gpu->power_unit[power].given)
            return 0;
        *value = gpu->power_unit[power].max_watts;
        return 1;
    }
    return 0;
}

/* The components that a class accesses; 0: the description does not say. */
static int get_power_use(const struct teg_gpu *gpu, const char *key,
                         char *value, size_t size)
{
    enum teg_op_class c;
    const char *member;
    size_t used = 0;
    char name[32];

    if (!split(key, "power_use", name, &member))
        return 0;
    c = teg_op_class_find(name);
    if (c == TEG_CLASSES || gpu->power_use[c] == 0)
        return 0;
    for (enum teg_power_unit_id u = 0; u < TEG_POWER_UNITS; u++) {
        if ((gpu->power_use[c] >> u & 1) != 0 && used < size)
            used += (size_t)snprintf(value + used, size - used, "%s%s",
                                     used > 0 ? " " : "",
                                     teg_power_unit_facts(u)->key);
    }
    return 1;
}

teg_status teg_gpu_get(const struct teg_gpu *gpu, const char *key, char *value,
                       size_t size, struct teg_diag *d)
{
    const struct param *p = param_find(key);
    struct teg_nearest nearest;
    char text[64];
    double number;

    if (p != NULL) {
        snprintf(value, size, "%s", param_format(p, gpu, text));
        return TEG_OK;
    }
    if (get_row(gpu, key, &number)) {
        snprintf(value, size, "%.10g", number);
        return TEG_OK;
    }
    if (get_power_use(gpu, key, value, size))
        return TEG_OK;
    teg_nearest_init(&nearest, key);
    for (uint32_t i = 0; i < gpu->fact_count; i++) {
        teg_nearest_offer(&nearest, gpu->fact[i].key);
        if (strcmp(gpu->fact[i].key, key) != 0)
            continue;
        snprintf(value, size, "%s", gpu->fact[i].value);
        return TEG_OK;
    }
    return unknown_key(key, &nearest, d);
}

teg_status teg_gpu_number(const struct teg_gpu *gpu, const char *key,
                          double *value, struct teg_diag *d)
{
    char text[64];

    *value = (double)NAN;
    TRY(teg_gpu_get(gpu, key, text, sizeof text, d));
    if (read_number(text, value))
        return TEG_OK;
    return teg_fail(d, TEG_CONFIG, key, "expected a number, found '%s'", text);
}
