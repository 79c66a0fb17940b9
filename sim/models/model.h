/*
 * Analytical models: functions from (statistics, GPU) to an estimate and its
 * terms.  No model knows the engine.  A model is one file, which ends with its
 * struct teg_model, and one row of models.def.
 */
#ifndef TEG_SIM_MODELS_MODEL_H
#define TEG_SIM_MODELS_MODEL_H

#include "sim/models/estimate.h"

struct teg_model {
    const char *name, *title, *source;
    void (*estimate)(const struct teg_statistics *s, const struct teg_gpu *gpu,
                     struct teg_estimate *e);
    const struct teg_model_inputs *inputs; /* NULL: none by hand */
    /* Results; the inputs explain themselves. */
    const struct teg_term_facts *terms;
    uint32_t term_count;
};

#define MODEL(name) extern const struct teg_model name##_model;
#include "sim/models/models.def"
#undef MODEL

/* All models; `*count` of them. */
const struct teg_model *const *teg_models(uint32_t *count);
/* The row of that name, or NULL. */
const struct teg_model *teg_model_find(const char *name);

#endif
