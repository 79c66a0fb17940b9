/*
 * Temperature of the chip over time, and the static power that follows it.
 *
 * Models: one body that approaches the temperature which run-time power and
 * memory intensity give it, exponentially; static power linear in the rise;
 * which SMs to use so that they heat each other least.
 * Leaves out: where on the chip power is drawn, the fan, feedback of the
 * static power on the temperature.
 *
 * [T] S. Hong, PhD thesis, 2012, 3.2.6, 3.2.7 and chapter IV.
 */
#ifndef TEG_SIM_MODELS_THERMAL_H
#define TEG_SIM_MODELS_THERMAL_H

#include "isa/base/status.h"

#define THERMAL_FIELD(field, rule, fallback, unit, help) double field;
struct thermal_machine {
#define MACHINE THERMAL_FIELD
#include "sim/models/thermal.def"
};

struct thermal_run {
#define RUN THERMAL_FIELD
#include "sim/models/thermal.def"
};
#undef THERMAL_FIELD

struct thermal_result {
#define RESULT(field, unit, equation, help) double field;
#include "sim/models/thermal.def"
};

/* TEG_LIMIT, with the input's name in the diagnostic, for impossible
 * values. */
teg_status thermal(const struct thermal_machine *machine,
                   const struct thermal_run *run, struct thermal_result *result,
                   struct teg_diag *d);

/* Temperature `seconds` after `start` on the way to `target`. */
double thermal_at(const struct thermal_machine *m, double start, double target,
                  double seconds);
/* Seconds from `start` on the way to `target` until `temp` is reached: 0 if
 * it is `start` or behind it, HUGE_VAL if it is never reached. */
double thermal_seconds_to(const struct thermal_machine *m, double start,
                          double target, double temp);

/* ---- which SMs ---------------------------------------------------------- */

enum {
    THERMAL_SMS_MAX = 1024,
    THERMAL_TPCS_PLACED_MAX = 24 /* with positions: all sets are tried */
};

struct thermal_topology {
    uint32_t sms, tpcs;
    const uint32_t *tpc_of;      /* [sms], each below tpcs; borrowed */
    const double (*position)[2]; /* [tpcs] on the die; NULL: unknown */
};

/*
 * Chooses `k` SMs to use: few TPCs first, because an open TPC costs power;
 * then, where positions are known, the TPCs whose least distance is largest,
 * because idle ones between them spread heat; then the lowest numbers.
 * ([T] 4.6, 4.7)  `sm` [k] rises.  `*tpcs` is how many are used.
 * TEG_LIMIT if there are not so many SMs, or too many TPCs with positions.
 */
teg_status thermal_pick_sms(const struct thermal_topology *t, uint32_t k,
                            uint32_t *sm, uint32_t *tpcs, struct teg_diag *d);
/* TPCs that a set of SMs uses. */
uint32_t thermal_tpcs_of(const struct thermal_topology *t, const uint32_t *sm,
                         uint32_t count);

#endif
