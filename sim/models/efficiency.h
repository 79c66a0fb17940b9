/*
 * A CPU and a GPU together: how to split work, and what the split does to
 * energy.  Pure functions.
 *
 * Models: both devices work at the same time on their share; power over
 * cores, frequency and a characteristic of the benchmark.
 * Leaves out: overlap of transfer and computation, voltage, idle states.
 *
 * [T] S. Hong, PhD thesis, 2012, 5.9 and appendix A.
 */
#ifndef TEG_SIM_MODELS_EFFICIENCY_H
#define TEG_SIM_MODELS_EFFICIENCY_H

#include "sim/models/parameter.h"

#define EFFICIENCY_FIELD(field, rule, fallback, unit, help) double field;
#define EFFICIENCY_RESULT(field, unit, equation, help)      double field;
struct efficiency_split {
#define SPLIT EFFICIENCY_FIELD
#include "sim/models/efficiency.def"
};

struct efficiency_split_result {
#define SPLIT_RESULT EFFICIENCY_RESULT
#include "sim/models/efficiency.def"
};

struct efficiency_mix {
#define MIX EFFICIENCY_FIELD
#include "sim/models/efficiency.def"
};

struct efficiency_mix_result {
#define MIX_RESULT EFFICIENCY_RESULT
#include "sim/models/efficiency.def"
};
#undef EFFICIENCY_FIELD
#undef EFFICIENCY_RESULT

/* Rows of the input structs. */
const struct teg_parameter *efficiency_split_inputs(uint32_t *count);
const struct teg_parameter *efficiency_mix_inputs(uint32_t *count);

/* The split at which both devices finish together.  TEG_LIMIT, with the
 * input's name in the diagnostic, for impossible values. */
teg_status efficiency_split(const struct efficiency_split *in,
                            struct efficiency_split_result *r,
                            struct teg_diag *d);

/*
 * Speed-up and energy efficiency of a split, over the CPU alone.  A device
 * without work draws its dynamic power only if `idle_draws`, as [T] 114 has
 * it.  TEG_LIMIT as above.
 */
teg_status efficiency_mix(const struct efficiency_mix *in, int idle_draws,
                          struct efficiency_mix_result *r, struct teg_diag *d);

#endif
