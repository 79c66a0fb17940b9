#include "include/teg/model.h"

#include <stdlib.h>

#include "isa/base/nearest.h"
#include "libteg/result.h"
#include "sim/models/model.h"

static const struct teg_model *model(uint32_t i)
{
    uint32_t count;
    const struct teg_model *const *all = teg_models(&count);

    return i < count ? all[i] : NULL;
}

uint32_t teg_model_count(void)
{
    uint32_t count;

    teg_models(&count);
    return count;
}

const char *teg_model_name(uint32_t i)
{
    return model(i) != NULL ? model(i)->name : NULL;
}

const char *teg_model_title(uint32_t i)
{
    return model(i) != NULL ? model(i)->title : NULL;
}

static teg_status unknown(const char *name, struct teg_diag *d)
{
    struct teg_nearest nearest;

    teg_nearest_init(&nearest, name);
    for (uint32_t i = 0; i < teg_model_count(); i++)
        teg_nearest_offer(&nearest, teg_model_name(i));
    return teg_fail(d, TEG_UNKNOWN, "",
                    "unknown model '%.200s'; did you mean '%s'?", name,
                    nearest.best);
}

teg_status teg_result_estimate(const struct teg_result *result,
                               const char *name, struct teg_estimate **estimate,
                               struct teg_diag *d)
{
    const struct teg_model *m = teg_model_find(name);

    *estimate = NULL;
    if (m == NULL)
        return unknown(name, d);
    *estimate = calloc(1, sizeof **estimate);
    if (*estimate == NULL)
        return teg_fail_memory(d);
    m->estimate(&result->s, result->gpu, *estimate);
    return TEG_OK;
}

void teg_estimate_free(struct teg_estimate *estimate)
{
    free(estimate);
}

int teg_estimate_applies(const struct teg_estimate *estimate)
{
    return estimate->applicable;
}

const char *teg_estimate_why(const struct teg_estimate *estimate)
{
    return estimate->why;
}

double teg_estimate_cycles(const struct teg_estimate *estimate)
{
    return estimate->cycles;
}

const char *teg_estimate_limiter(const struct teg_estimate *estimate)
{
    return estimate->limiter;
}

const char *teg_estimate_advice(const struct teg_estimate *estimate)
{
    return estimate->advice;
}

uint32_t teg_estimate_terms(const struct teg_estimate *estimate)
{
    return estimate->term_count;
}

const char *teg_estimate_term_name(const struct teg_estimate *estimate,
                                   uint32_t i)
{
    return i < estimate->term_count ? estimate->term[i].name : NULL;
}

const char *teg_estimate_term_unit(const struct teg_estimate *estimate,
                                   uint32_t i)
{
    return i < estimate->term_count ? estimate->term[i].unit : NULL;
}

double teg_estimate_term_value(const struct teg_estimate *estimate, uint32_t i)
{
    return i < estimate->term_count ? estimate->term[i].value : 0;
}
