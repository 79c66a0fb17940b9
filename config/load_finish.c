#include "config/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static teg_status finish_params(struct load *l, const char *path)
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

static teg_status find_unit(const struct load *l,
                            const struct load_units_named *p, const char *what,
                            unsigned i, uint8_t *unit)
{
    struct teg_nearest nearest;

    for (uint8_t u = 0; u < l->gpu->unit_count; u++) {
        if (strcmp(l->gpu->unit[u].name, p->unit[i]) == 0) {
            *unit = u;
            return TEG_OK;
        }
    }
    teg_nearest_init(&nearest, p->unit[i]);
    for (uint8_t u = 0; u < l->gpu->unit_count; u++)
        teg_nearest_offer(&nearest, l->gpu->unit[u].name);
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
static teg_status finish_timing(struct load *l, const char *path)
{
    struct teg_gpu *gpu = l->gpu;

    for (enum teg_op_class c = 0; c < TEG_CLASSES; c++) {
        const struct teg_op_class_facts *facts = teg_op_class_facts(c);
        const struct load_units_named *p = &l->timing[c];
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
    return TEG_OK;
}

static teg_status finish_second_unit(const struct load *l,
                                     const struct load_units_named *named,
                                     const char *what, uint8_t *unit)
{
    *unit = TEG_NO_UNIT;
    return named->given ? find_unit(l, named, what, 0, unit) : TEG_OK;
}

static teg_status finish_second_units(struct load *l)
{
    struct teg_gpu *gpu = l->gpu;

    TRY(finish_second_unit(l, &l->operand, "operand_unit", &gpu->operand_unit));
    return finish_second_unit(l, &l->tags, "tag_unit", &gpu->tag_unit);
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
static teg_status finish_facts(struct load *l)
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

teg_status load_finish(struct load *l, const char *path)
{
    if (l->gpu->name[0] == '\0')
        return teg_fail(l->d, TEG_CONFIG, path, "missing name");
    TRY(finish_params(l, path));
    if (l->gpu->unit_count == 0)
        return teg_fail(l->d, TEG_CONFIG, path, "missing units");
    TRY(finish_timing(l, path));
    TRY(finish_second_units(l));
    TRY(finish_facts(l));
    return teg_gpu_check(l->gpu, l->d);
}
