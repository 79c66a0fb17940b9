/*
 * Analytical models: functions from (statistics, GPU) to an estimate and its
 * terms.  No model knows the engine.  A model is one file and one row in the
 * registry (model.c).
 */
#ifndef TEG_SIM_MODELS_MODEL_H
#define TEG_SIM_MODELS_MODEL_H

#include "config/gpu.h"
#include "sim/collect/statistics.h"

enum {
    TEG_MODEL_TERMS_MAX = 64
};

/* An intermediate of a model, so that a report can say which one dominated. */
struct teg_term {
    const char *name; /* "MWP_peak_BW"; static */
    double value;
    const char *unit; /* "warps", "cycles"; static */
};

struct teg_estimate {
    const char *model; /* name in the registry */
    int applicable;    /* 0: `why` says what is missing */
    char why[160];
    double cycles;    /* of the whole kernel */
    char limiter[96]; /* what bounds it, in plain words */
    char advice[200]; /* one line, may be empty */
    uint32_t term_count;
    struct teg_term term[TEG_MODEL_TERMS_MAX];
};

struct teg_model {
    const char *name, *title, *source;
    void (*estimate)(const struct teg_statistics *s, const struct teg_gpu *gpu,
                     struct teg_estimate *e);
};

/* All models; `*count` of them. */
const struct teg_model *teg_models(uint32_t *count);
void teg_estimate_term(struct teg_estimate *e, const char *name, double value,
                       const char *unit);

#endif
