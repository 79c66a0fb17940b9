#include "sim/models/parameter.h"

#include "isa/base/nearest.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    double least, most;
    int least_allowed, infinity_allowed;
    const char *expected;
} rules[] = {
    [MODEL_RULE_POSITIVE] = {0, HUGE_VAL, 0, 0, "a number above 0"},
    [MODEL_RULE_UNLIMITED] = {0, HUGE_VAL, 0, 1, "a number above 0"},
    [MODEL_RULE_COUNT] = {0, HUGE_VAL, 1, 0, "a number of at least 0"},
    [MODEL_RULE_FACTOR] = {1, HUGE_VAL, 1, 0, "a number of at least 1"},
    [MODEL_RULE_SHARE] = {0, 1, 1, 0, "a number from 0 to 1"},
};

teg_status model_check(const char *name, enum teg_model_rule rule, double value,
                       struct teg_diag *d)
{
    int fits = value > rules[rule].least ||
               (value == rules[rule].least && rules[rule].least_allowed);

    if (isnan(value))
        return teg_fail(d, TEG_LIMIT, name, "expected %s, found none",
                        rules[rule].expected);
    if (!fits || value > rules[rule].most ||
        (isinf(value) && !rules[rule].infinity_allowed))
        return teg_fail(d, TEG_LIMIT, name, "expected %s, found %g",
                        rules[rule].expected, value);
    return TEG_OK;
}

double model_input(const void *inputs, const struct teg_parameter *p)
{
    return *(const double *)((const char *)inputs + p->offset);
}

static void put(void *inputs, const struct teg_parameter *p, double value)
{
    *(double *)((char *)inputs + p->offset) = value;
}

void model_inputs_init(void *inputs, const struct teg_parameter *p,
                       uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        put(inputs, &p[i], p[i].fallback);
}

teg_status model_inputs_check(const void *inputs, const struct teg_parameter *p,
                              uint32_t count, struct teg_diag *d)
{
    for (uint32_t i = 0; i < count; i++)
        TRY(model_check(p[i].name, p[i].rule, model_input(inputs, &p[i]), d));
    return TEG_OK;
}

static teg_status set_value(void *inputs, const struct teg_parameter *p,
                            const char *text, struct teg_diag *d)
{
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end != '\0' || isnan(value))
        return teg_fail(d, TEG_FORMAT, p->name, "expected a number, found '%s'",
                        text);
    put(inputs, p, value);
    return TEG_OK;
}

teg_status model_inputs_set(void *inputs, const struct teg_parameter *p,
                            uint32_t count, const char *key, const char *value,
                            struct teg_diag *d)
{
    struct teg_nearest nearest;

    teg_nearest_init(&nearest, key);
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(p[i].name, key) == 0)
            return set_value(inputs, &p[i], value, d);
        teg_nearest_offer(&nearest, p[i].name);
    }
    return teg_fail(d, TEG_UNKNOWN, "",
                    "unknown parameter '%s'; did you mean '%s'?", key,
                    nearest.best);
}
