/*
 * Where the power model's inputs come from: a trace's statistics, a GPU
 * description, a person; cycles are simulated or any model's.
 */
#ifndef TEG_SIM_MODELS_POWER_MODEL_H
#define TEG_SIM_MODELS_POWER_MODEL_H

#include "sim/models/model.h"
#include "sim/models/power.h"
#include "sim/models/thermal.h"

struct power_traffic {
#define TRAFFIC(field, rule, fallback, unit, help) double field;
#include "sim/models/power.def"
};

struct power_inputs {
    struct power_machine machine;
    struct power_launch launch;
    struct power_counts counts; /* NAN where `traffic` says it */
    struct power_traffic traffic;
    struct thermal_machine thermal;
    struct thermal_run run; /* start_temp NAN: idle; t_s NAN: one run */
};

/* What may be set by hand: rows of power.def and thermal.def. */
const struct teg_parameter *power_parameters(uint32_t *count);
/* What is computed from it, for `teg explain`. */
const struct teg_term_facts *power_terms(uint32_t *count);

void power_inputs_init(struct power_inputs *in);
/* TEG_UNKNOWN, with the nearest known name, or TEG_FORMAT. */
teg_status power_inputs_set(struct power_inputs *in, const char *key,
                            const char *value, struct teg_diag *d);
/* Takes machine and temperature parameters.  TEG_LIMIT, naming what is
 * missing, if the description has no usable power section. */
teg_status power_inputs_machine(struct power_inputs *in,
                                const struct teg_gpu *gpu, struct teg_diag *d);
/*
 * Takes counts, caches' hits and launch of a simulation or a walk; cycles,
 * too, of a simulation.  Which components a class accesses follows the
 * description.  TEG_LIMIT if there are no warps.
 */
teg_status power_inputs_measure(struct power_inputs *in,
                                const struct teg_statistics *s,
                                const struct teg_gpu *gpu, struct teg_diag *d);

struct power_estimate {
    struct power_counts counts; /* complete */
    struct power_result power;
    int has_thermal; /* 0: the description has no thermal section */
    struct thermal_run run;
    struct thermal_result thermal;
    double energy_j; /* over run.t_s, the power that the temperature adds
                        included; without temperature energy_total_j per
                        time_s */
};

/* Resolves what was not given and evaluates.  Fails as power() and
 * thermal(). */
teg_status power_evaluate(const struct power_inputs *in,
                          struct power_estimate *e, struct teg_diag *d);

/*
 * What `model` predicts for the kernel of `s` on the first `sms` SMs of
 * `gpu`.  TEG_LIMIT, with the model's reason, if it does not apply.
 */
teg_status power_predict_cycles(const struct teg_model *model,
                                const struct teg_statistics *s,
                                const struct teg_gpu *gpu, uint32_t sms,
                                double *cycles, struct teg_diag *d);
/* Rule 63 with MWP and CWP of the kernel.  TEG_LIMIT as MWP-CWP fails. */
teg_status power_rule_cores(const struct teg_statistics *s,
                            const struct teg_gpu *gpu,
                            enum power_cores_cond cond,
                            struct power_cores *cores, struct teg_diag *d);
/* thermal_pick_sms on the clusters of a description. */
teg_status power_place(const struct teg_gpu *gpu, uint32_t k, uint32_t *sm,
                       uint32_t *tpcs, struct teg_diag *d);

#endif
