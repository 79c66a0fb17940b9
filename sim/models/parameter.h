/*
 * Inputs of the models by name: one table per model (a .def file) feeds the
 * struct, the range checks, `teg model --set` and `teg explain`.
 */
#ifndef TEG_SIM_MODELS_PARAMETER_H
#define TEG_SIM_MODELS_PARAMETER_H

#include "isa/base/status.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* What values of an input make sense. */
enum teg_model_rule {
    MODEL_RULE_POSITIVE,  /* above 0 */
    MODEL_RULE_UNLIMITED, /* above 0, infinity included */
    MODEL_RULE_COUNT,     /* 0 or more */
    MODEL_RULE_FACTOR,    /* 1 or more */
    MODEL_RULE_SHARE,     /* 0 to 1 */
};

/* Fallback of an input that must be given. */
#define MODEL_REQUIRED ((double)NAN)

/* An input as a person sees it; a row of the model's .def. */
struct teg_parameter {
    const char *name, *unit, *help;
    enum teg_model_rule rule;
    double fallback; /* MODEL_REQUIRED: must be given */
    size_t offset;   /* of a double in the model's struct of inputs */
};

/*
 * The row that a line of a .def becomes, with `offset` into the inputs:
 *     #define LAUNCH(field, rule, fallback, unit, help) \
 *         MODEL_ROW(field, rule, fallback, unit, help,  \
 *                   offsetof(struct power_launch, field)),
 * REQUIRED in a .def is MODEL_REQUIRED.
 */
#define MODEL_ROW(field, rule, fallback, unit, help, offset)    \
    {                                                           \
#field, unit, help, MODEL_RULE_##rule, fallback, offset \
    }
#define REQUIRED MODEL_REQUIRED

/* TEG_LIMIT with the input's name if the rule refuses `value`. */
teg_status model_check(const char *name, enum teg_model_rule rule, double value,
                       struct teg_diag *d);
/* Fallbacks; NAN where there is none, which the models refuse. */
void model_inputs_init(void *inputs, const struct teg_parameter *p,
                       uint32_t count);
/* Checks all of them. */
teg_status model_inputs_check(const void *inputs, const struct teg_parameter *p,
                              uint32_t count, struct teg_diag *d);
/* Sets the parameter named `key`.  TEG_UNKNOWN, with the nearest known name,
 * or TEG_FORMAT if `value` is no number. */
teg_status model_inputs_set(void *inputs, const struct teg_parameter *p,
                            uint32_t count, const char *key, const char *value,
                            struct teg_diag *d);
double model_input(const void *inputs, const struct teg_parameter *p);

#endif
