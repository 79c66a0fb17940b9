/* What a model says of a launch, and how it says it. */
#ifndef TEG_SIM_MODELS_ESTIMATE_H
#define TEG_SIM_MODELS_ESTIMATE_H

#include "config/gpu.h"
#include "sim/collect/statistics.h"
#include "sim/models/parameter.h"

enum {
    TEG_MODEL_TERMS_MAX = 96
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
    double cycles;    /* of the whole kernel; NAN: the model predicts none */
    char limiter[96]; /* what bounds it, in plain words */
    char advice[200]; /* one line, may be empty */
    uint32_t term_count;
    struct teg_term term[TEG_MODEL_TERMS_MAX];
};

/* What a term means, for `teg explain`. */
struct teg_term_facts {
    const char *name, *unit;
    const char *equation; /* "" for an input or where there is none */
    const char *help;
};

/* Inputs that a person may give by hand instead of a trace. */
struct teg_model_inputs {
    size_t size; /* of the struct of doubles */
    const struct teg_parameter *parameter;
    uint32_t count;
    /* From statistics (NULL: none) and a description.  On failure all that
     * is known is filled in. */
    teg_status (*measure)(void *inputs, const struct teg_statistics *s,
                          const struct teg_gpu *gpu, struct teg_diag *d);
    void (*evaluate)(const void *inputs, struct teg_estimate *e);
};

/* ---- for the models themselves ---- */

void teg_estimate_term(struct teg_estimate *e, const char *name, double value,
                       const char *unit);
/* The same, but a term without a finite value is left out. */
void teg_estimate_finite_term(struct teg_estimate *e, const char *name,
                              double value, const char *unit);
/* Makes `e` one that does not apply, for what `d` says. */
void teg_estimate_refuse(struct teg_estimate *e, const struct teg_diag *d);
/* Adds all inputs. */
void teg_estimate_inputs(struct teg_estimate *e,
                         const struct teg_model_inputs *kind,
                         const void *inputs);

#endif
