#include "sim/models/model.h"

#include "sim/models/bound.h"
#include "sim/models/dataflow.h"
#include "sim/models/extended.h"
#include "sim/models/mwp_cwp_model.h"
#include "sim/models/roofline.h"
#include "sim/models/ryoo.h"
#include "sim/models/three_component.h"
#include "sim/models/throughput_model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* One row, one model. */
static const struct teg_model models[] = {
    {"mwp-cwp", "memory and computation warp parallelism",
     "Hong & Kim 2009; Hong 2012, chapter II", mwp_cwp_estimate,
     &mwp_cwp_inputs_kind, mwp_cwp_terms, MWP_CWP_TERMS},
    {"throughput", "throughput model: useful share of the peak",
     "Hong 2012, chapter V", throughput_estimate, &throughput_inputs_kind,
     throughput_terms, THROUGHPUT_TERMS},
    {"mwp-cwp-extended", "extended MWP-CWP: what overlaps and what does not",
     "Sim et al. 2012; Lai 2013, 1.3.2", extended_estimate,
     &extended_inputs_kind, extended_terms, EXTENDED_TERMS},
    {"three-component", "quantitative throughput model of three components",
     "Zhang & Owens 2011; Lai 2013, 1.3.3", three_component_estimate, NULL,
     three_component_terms, THREE_COMPONENT_TERMS},
    {"roofline", "roofline with ceilings",
     "Williams et al. 2009; Lai 2013, 1.4.2", roofline_estimate, NULL,
     roofline_terms, ROOFLINE_TERMS},
    {"data-flow", "traffic over each link", "Lai 2013, chapter 2",
     dataflow_estimate, NULL, dataflow_terms, DATAFLOW_TERMS},
    {"ryoo", "efficiency and utilization of a configuration",
     "Ryoo et al. 2008; Lai 2013, 1.4.1", ryoo_estimate, NULL, ryoo_terms,
     RYOO_TERMS},
    {"bound", "lower bound on the cycles of the instruction mix",
     "after Lai 2013, chapter 4", bound_estimate, NULL, bound_terms,
     BOUND_TERMS},
};

const struct teg_model *teg_models(uint32_t *count)
{
    *count = sizeof models / sizeof *models;
    return models;
}

const struct teg_model *teg_model_find(const char *name)
{
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        if (strcmp(models[i].name, name) == 0)
            return &models[i];
    }
    return NULL;
}

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
