/*
 * Integrated power and performance (IPP) as pure functions.
 *
 * Models: a component draws its maximum power times its access rate, which
 * follows from the instructions that access it and the cycles they had;
 * power over the active SMs; energy; the number of SMs that costs least.
 * Leaves out: operand counts, data-dependent switching, voltage and clock
 * changes, clock gating.  Temperature: thermal.h.
 *
 * [T] S. Hong, PhD thesis, 2012, chapter III.
 * docs/power.md tells the equations and how misprints are read.
 */
#ifndef TEG_SIM_MODELS_POWER_H
#define TEG_SIM_MODELS_POWER_H

#include "config/gpu.h"

#define POWER_FIELD(field, rule, fallback, unit, help) double field;
struct power_machine {
#define MACHINE POWER_FIELD
#include "sim/models/power.def"
    enum teg_core_scaling scaling;
    /* One not given draws nothing. */
    struct teg_power_unit unit[TEG_POWER_UNITS];
};

struct power_launch {
#define LAUNCH POWER_FIELD
#include "sim/models/power.def"
};

/* Counts per thread: of warp instructions, divided by the warps. */
struct power_counts {
#define COUNTS POWER_FIELD
#include "sim/models/power.def"
};
#undef POWER_FIELD

struct power_result {
#define RESULT(field, unit, equation, help) double field;
#include "sim/models/power.def"
    double rate[TEG_POWER_UNITS]; /* raw; above 1: wrong counts or cycles */
    double
        effective[TEG_POWER_UNITS]; /* what the access function makes of it */
    double watts[TEG_POWER_UNITS];  /* of one SM for components of SMs */
    double share[TEG_POWER_UNITS];  /* W of the whole GPU at that many SMs;
                                          with const_sm_share and
                                          activation_power their sum is
                                          runtime_power_0 */
    double const_sm_share;          /* the same of Const_SM */
};

/* Instructions of a thread that access component `u`. */
double power_count_of(const struct power_counts *counts,
                      enum teg_power_unit_id u);

/* `rate` as the curve of the component has it. */
double power_effective_rate(const struct teg_power_curve *curve, double rate);

/* Share of full run-time power that `active` of `sms` SMs draw. */
double power_core_scale(enum teg_core_scaling scaling, double beta,
                        double active, double sms);

/* TEG_LIMIT, with the input's name in the diagnostic, for values no machine,
 * launch or kernel can have. */
teg_status power(const struct power_machine *machine,
                 const struct power_launch *launch,
                 const struct power_counts *counts, struct power_result *result,
                 struct teg_diag *d);

/* ---- number of SMs ------------------------------------------------------ */

/* The kernel on one number of SMs. */
struct power_point {
    double active_sms, exec_cycles;
    double time_s, warp_gips;
    double runtime_power_w, gpu_power_w, gated_power_w;
    double gips_per_w, edp_js;
    double energy_total_j, energy_runtime_j, energy_powergated_j;
};

void power_point_fill(struct power_point *p, const struct power_launch *launch,
                      const struct power_result *r);
/*
 * Projects power gating: power is linear in the active SMs and meets that of
 * the point with the most of them.  ([T] 3.5.6)
 */
void power_gate(struct power_point *points, uint32_t count);

enum power_goal {
    POWER_GOAL_ENERGY,  /* least energy, idle power included; the work is
                           constant, so most GIPS/W too */
    POWER_GOAL_RUNTIME, /* least energy above idle */
    POWER_GOAL_GATED,   /* least energy if idle SMs were gated */
    POWER_GOAL_EDP,     /* least energy x time */
    POWER_GOAL_TIME,
    POWER_GOALS
};
/* "energy" */
const char *power_goal_name(enum power_goal goal);
/* What the goal wants small. */
double power_goal_value(const struct power_point *p, enum power_goal goal);
/* Index of the best point; of equal ones (to 1e-9) the one with the fewest SMs.
 * `count` must not be 0. */
uint32_t power_best(const struct power_point *points, uint32_t count,
                    enum power_goal goal);

/* How condition (1) of [T] 63 is read. */
enum power_cores_cond {
    POWER_CORES_RESOLVED, /* MWP == N and CWP == N, as the text tells it */
    POWER_CORES_LITERAL,  /* or, as printed */
};

struct power_cores {
    int bandwidth_limited; /* 0: all SMs */
    double exact;          /* Mem_Bandwidth / (BW_per_warp x N), or all */
    uint32_t advised;      /* the nearest whole number, 1 to all */
};

/* [T] 63.  MWP or MWP_peak_BW may be NAN: no memory instruction. */
struct power_cores power_cores_rule(double mwp, double cwp, double n,
                                    double mwp_peak_bw, double mem_bw_gbs,
                                    double bw_per_warp_gbs, uint32_t sms,
                                    enum power_cores_cond cond);

#endif
