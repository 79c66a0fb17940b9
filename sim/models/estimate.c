#include "sim/models/estimate.h"

#include <math.h>
#include <stdio.h>

void teg_estimate_term(struct teg_estimate *e, const char *name, double value,
                       const char *unit)
{
    if (e->term_count < TEG_MODEL_TERMS_MAX)
        e->term[e->term_count++] = (struct teg_term){name, value, unit};
}

void teg_estimate_finite_term(struct teg_estimate *e, const char *name,
                              double value, const char *unit)
{
    if (isfinite(value))
        teg_estimate_term(e, name, value, unit);
}

void teg_estimate_inputs(struct teg_estimate *e,
                         const struct teg_model_inputs *kind,
                         const void *inputs)
{
    for (uint32_t i = 0; i < kind->count; i++) {
        const struct teg_parameter *p = &kind->parameter[i];

        teg_estimate_finite_term(e, p->name, model_input(inputs, p), p->unit);
    }
}

void teg_estimate_refuse(struct teg_estimate *e, const struct teg_diag *d)
{
    e->applicable = 0;
    e->cycles = nan("");
    snprintf(e->why, sizeof e->why, "%.60s%s%.90s", d->where,
             d->where[0] != '\0' ? ": " : "", d->what);
}
