/*
 * MWP-CWP as a row of the model registry: where its inputs come from (a
 * trace's statistics, a GPU description, a person) and what its result says
 * in plain words.
 */
#ifndef TEG_SIM_MODELS_MWP_CWP_MODEL_H
#define TEG_SIM_MODELS_MWP_CWP_MODEL_H

#include "sim/models/model.h"
#include "sim/models/mwp_cwp.h"

struct mwp_cwp_inputs {
    struct mwp_cwp_machine machine;
    struct mwp_cwp_launch launch;
    struct mwp_cwp_stats stats;
};

const struct teg_parameter *mwp_cwp_parameters(uint32_t *count);

/* Fallbacks; NAN where there is none, which mwp_cwp refuses. */
void mwp_cwp_inputs_init(struct mwp_cwp_inputs *in);
/* Sets the parameter named `key`.  TEG_UNKNOWN, with the nearest known name,
 * or TEG_FORMAT if `value` is no number. */
teg_status mwp_cwp_inputs_set(struct mwp_cwp_inputs *in, const char *key,
                              const char *value, struct teg_diag *d);
/* Takes the machine from a description.  TEG_LIMIT if it has no mwp_cwp
 * group; what that would have said is then NAN, for a person to give. */
teg_status mwp_cwp_inputs_machine(struct mwp_cwp_inputs *in,
                                  const struct teg_gpu *gpu,
                                  struct teg_diag *d);
/* Takes launch and counts from the statistics of a simulation or a walk, and
 * the machine as above.  On failure all that is known is filled in. */
teg_status mwp_cwp_inputs_measure(struct mwp_cwp_inputs *in,
                                  const struct teg_statistics *s,
                                  const struct teg_gpu *gpu,
                                  struct teg_diag *d);

/* Evaluates and fills `e`: not applicable, and why, if mwp_cwp refuses. */
void mwp_cwp_evaluate(const struct mwp_cwp_inputs *in,
                      const struct mwp_cwp_options *options,
                      struct teg_estimate *e);

/* The results, by number. */
enum {
#define RESULT(field, column, symbol, unit, equation, help) \
    MWP_CWP_TERM_##field,
#include "sim/models/mwp_cwp.def"
    MWP_CWP_TERMS
};

#endif
