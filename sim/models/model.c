#include "sim/models/model.h"

#include "sim/models/mwp_cwp_model.h"

/* One row, one model. */
static const struct teg_model models[] = {
    {"mwp-cwp", "memory and computation warp parallelism",
     "Hong & Kim 2009; Hong 2012, chapter II", mwp_cwp_estimate},
};

const struct teg_model *teg_models(uint32_t *count)
{
    *count = sizeof models / sizeof *models;
    return models;
}

void teg_estimate_term(struct teg_estimate *e, const char *name, double value,
                       const char *unit)
{
    if (e->term_count < TEG_MODEL_TERMS_MAX)
        e->term[e->term_count++] = (struct teg_term){name, value, unit};
}
