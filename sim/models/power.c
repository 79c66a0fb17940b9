#include "sim/models/power.h"

#include "sim/models/parameter.h"

#include <assert.h>
#include <math.h>

static const double threads_per_warp = 32;

static const struct teg_parameter machine_rows[] = {
#define MACHINE(field, rule, fallback, unit, help) \
    MODEL_ROW(field, rule, fallback, unit, help,   \
              offsetof(struct power_machine, field)),
#include "sim/models/power.def"
};
static const struct teg_parameter launch_rows[] = {
#define LAUNCH(field, rule, fallback, unit, help) \
    MODEL_ROW(field, rule, fallback, unit, help,  \
              offsetof(struct power_launch, field)),
#include "sim/models/power.def"
};
static const struct teg_parameter count_rows[] = {
#define COUNTS(field, rule, fallback, unit, help) \
    MODEL_ROW(field, rule, fallback, unit, help,  \
              offsetof(struct power_counts, field)),
#include "sim/models/power.def"
};

#define LENGTH(array) (uint32_t)(sizeof(array) / sizeof(array)[0])

double power_count_of(const struct power_counts *counts,
                      enum teg_power_unit_id u)
{
    const double dac[TEG_POWER_UNITS] = {
        [POWER_FP] = counts->dac_fp,       [POWER_REG] = counts->dac_reg,
        [POWER_ALU] = counts->dac_alu,     [POWER_SFU] = counts->dac_sfu,
        [POWER_INT] = counts->dac_int,     [POWER_FDS] = counts->dac_fds,
        [POWER_SHM] = counts->dac_shm,     [POWER_TEX] = counts->dac_tex,
        [POWER_CONST] = counts->dac_const, [POWER_GMEM] = counts->dac_gmem,
        [POWER_LMEM] = counts->dac_lmem,   [POWER_L1] = counts->dac_l1,
        [POWER_L2] = counts->dac_l2,
    };

    assert(u < TEG_POWER_UNITS);
    return dac[u];
}

/* ---- components --------------------------------------------------------- */

static double rate_of_table(const struct teg_power_curve *c, double rate)
{
    uint32_t i = 1;

    if (rate <= c->x[0])
        return c->y[0];
    while (i < c->points && c->x[i] < rate)
        i++;
    if (i == c->points)
        return c->y[i - 1];
    return c->y[i - 1] + (c->y[i] - c->y[i - 1]) * (rate - c->x[i - 1]) /
                             (c->x[i] - c->x[i - 1]);
}

double power_effective_rate(const struct teg_power_curve *curve, double rate)
{
    switch (curve->kind) {
    case CURVE_LOG: /* [T] 3.2.4; undefined at 0 and negative near it */
        return rate > 0 ? fmax(curve->a * log(rate) + curve->b, 0) : 0;
    case CURVE_TABLE:
        return rate_of_table(curve, rate);
    case CURVE_IDENTITY:
        break;
    }
    return rate;
}

double power_core_scale(enum teg_core_scaling scaling, double beta,
                        double active, double sms)
{
    if (scaling == CORE_SCALING_LINEAR)
        return active / sms;
    /* [T] 44, 46; a small beta must not make few SMs give power back */
    return fmax(log10((10 - beta) / sms * active + beta), 0);
}

/* [T] 39-41 */
static void component_terms(const struct power_machine *m,
                            const struct power_launch *l,
                            const struct power_counts *c,
                            struct power_result *r)
{
    r->warps_per_sm =
        l->threads_per_block / threads_per_warp * (l->blocks / l->active_sms);
    for (enum teg_power_unit_id u = 0; u < TEG_POWER_UNITS; u++) {
        const struct teg_power_unit *unit = &m->unit[u];

        r->rate[u] = power_count_of(c, u) * r->warps_per_sm /
                     (l->exec_cycles / m->issue_norm);
        if (!unit->given)
            continue;
        r->effective[u] = power_effective_rate(&unit->curve, r->rate[u]);
        r->watts[u] = unit->max_watts * r->effective[u];
    }
}

/* [T] 37, 43, 45 and the second-level cache of 3.11.1 */
static void sum_terms(const struct power_machine *m, struct power_result *r)
{
    r->sm_component_sum = m->const_sm_watts;
    for (enum teg_power_unit_id u = 0; u < TEG_POWER_UNITS; u++) {
        double *const sums[] = {
            [POWER_SCOPE_SM] = &r->sm_component_sum,
            [POWER_SCOPE_MEMORY] = &r->rp_memory,
            [POWER_SCOPE_CHIP] = &r->rp_chip,
        };

        *sums[teg_power_unit_facts(u)->scope] += r->watts[u];
    }
    r->max_sm = m->sms * r->sm_component_sum;
}

/* Energies of events where a fit has these instead of components. */
static void event_terms(const struct power_machine *m,
                        const struct power_launch *l,
                        const struct power_counts *c, struct power_result *r)
{
    double insts = c->dac_fds * r->warps_per_sm * l->active_sms;

    r->time_s = l->exec_cycles / (m->clock_ghz * 1e9);
    r->rp_instructions = m->instruction_pj * 1e-12 * insts / r->time_s;
    r->rp_dram = m->dram_pj * 1e-12 * l->dram_bytes / r->time_s;
}

/* [T] 35, 48 */
static void board_terms(const struct power_machine *m,
                        const struct power_launch *l, struct power_result *r)
{
    r->core_scale =
        power_core_scale(m->scaling, m->core_beta, l->active_sms, m->sms);
    r->activation_power = m->activation_watts;
    r->runtime_power_0 =
        r->activation_power +
        (r->max_sm + r->rp_memory + r->rp_chip) * r->core_scale +
        r->rp_instructions + r->rp_dram;
    r->idle_power = m->idle_watts;
    r->gpu_power_0 = r->runtime_power_0 + r->idle_power;
    r->const_sm_share = m->sms * m->const_sm_watts * r->core_scale;
    for (enum teg_power_unit_id u = 0; u < TEG_POWER_UNITS; u++) {
        int is_sm = teg_power_unit_facts(u)->scope == POWER_SCOPE_SM;

        r->share[u] = r->watts[u] * (is_sm ? m->sms : 1) * r->core_scale;
    }
}

static void energy_terms(const struct power_launch *l,
                         const struct power_counts *c, struct power_result *r)
{
    double warp_insts = c->dac_fds * r->warps_per_sm * l->active_sms;

    r->energy_total_j = r->gpu_power_0 * r->time_s;
    r->energy_runtime_j = r->runtime_power_0 * r->time_s;
    r->edp_js = r->energy_total_j * r->time_s;
    r->warp_gips = warp_insts / r->time_s * 1e-9;
    r->gips_per_w = r->gpu_power_0 > 0 ? r->warp_gips / r->gpu_power_0 : 0;
}

static teg_status check_inputs(const struct power_machine *m,
                               const struct power_launch *l,
                               const struct power_counts *c, struct teg_diag *d)
{
    TRY(model_inputs_check(m, machine_rows, LENGTH(machine_rows), d));
    TRY(model_inputs_check(l, launch_rows, LENGTH(launch_rows), d));
    TRY(model_inputs_check(c, count_rows, LENGTH(count_rows), d));
    if (l->active_sms > m->sms)
        return teg_fail(d, TEG_LIMIT, "active_sms",
                        "expected at most the %g SMs of the chip, found %g",
                        m->sms, l->active_sms);
    if (!(m->core_beta < 10))
        return teg_fail(d, TEG_LIMIT, "core_beta",
                        "expected a number below 10, found %g", m->core_beta);
    return TEG_OK;
}

teg_status power(const struct power_machine *machine,
                 const struct power_launch *launch,
                 const struct power_counts *counts, struct power_result *result,
                 struct teg_diag *d)
{
    struct power_result *r = result;

    TRY(check_inputs(machine, launch, counts, d));
    *r = (struct power_result){0};
    component_terms(machine, launch, counts, r);
    sum_terms(machine, r);
    event_terms(machine, launch, counts, r);
    board_terms(machine, launch, r);
    if (counts->nonmem_insts > 0)
        r->mem_intensity = counts->mem_insts / counts->nonmem_insts;
    energy_terms(launch, counts, r);
    return TEG_OK;
}

/* ---- number of SMs ------------------------------------------------------ */

void power_point_fill(struct power_point *p, const struct power_launch *launch,
                      const struct power_result *r)
{
    *p = (struct power_point){
        .active_sms = launch->active_sms,
        .exec_cycles = launch->exec_cycles,
        .time_s = r->time_s,
        .warp_gips = r->warp_gips,
        .runtime_power_w = r->runtime_power_0,
        .gpu_power_w = r->gpu_power_0,
        .gated_power_w = r->gpu_power_0,
        .gips_per_w = r->gips_per_w,
        .edp_js = r->edp_js,
        .energy_total_j = r->energy_total_j,
        .energy_runtime_j = r->energy_runtime_j,
        .energy_powergated_j = r->energy_total_j,
    };
}

void power_gate(struct power_point *points, uint32_t count)
{
    const struct power_point *full = points;
    double watts_per_sm;

    for (uint32_t i = 1; i < count; i++) {
        if (points[i].active_sms > full->active_sms)
            full = &points[i];
    }
    if (count == 0)
        return;
    watts_per_sm = full->gpu_power_w / full->active_sms;
    for (uint32_t i = 0; i < count; i++) {
        points[i].gated_power_w = watts_per_sm * points[i].active_sms;
        points[i].energy_powergated_j =
            points[i].gated_power_w * points[i].time_s;
    }
}

static const struct {
    const char *name;
    size_t offset; /* in struct power_point */
} goals[POWER_GOALS] = {
    [POWER_GOAL_ENERGY] = {"energy",
                           offsetof(struct power_point, energy_total_j)},
    [POWER_GOAL_RUNTIME] = {"runtime_energy",
                            offsetof(struct power_point, energy_runtime_j)},
    [POWER_GOAL_GATED] = {"gated_energy",
                          offsetof(struct power_point, energy_powergated_j)},
    [POWER_GOAL_EDP] = {"edp", offsetof(struct power_point, edp_js)},
    [POWER_GOAL_TIME] = {"time", offsetof(struct power_point, time_s)},
};

const char *power_goal_name(enum power_goal goal)
{
    assert(goal < POWER_GOALS);
    return goals[goal].name;
}

double power_goal_value(const struct power_point *p, enum power_goal goal)
{
    assert(goal < POWER_GOALS);
    return *(const double *)((const char *)p + goals[goal].offset);
}

/* Rounding must not choose between points that cost the same. */
static int is_better(const struct power_point *a, const struct power_point *b,
                     enum power_goal goal)
{
    double x = power_goal_value(a, goal), y = power_goal_value(b, goal);
    double same = 1e-9 * fmax(fabs(x), fabs(y));

    if (fabs(x - y) <= same)
        return a->active_sms < b->active_sms;
    return x < y;
}

uint32_t power_best(const struct power_point *points, uint32_t count,
                    enum power_goal goal)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < count; i++) {
        if (is_better(&points[i], &points[best], goal))
            best = i;
    }
    return best;
}

static int never_saturates(double mwp, double cwp, double n, double mwp_peak_bw,
                           enum power_cores_cond cond)
{
    int few = cond == POWER_CORES_LITERAL ? mwp >= n || cwp >= n
                                          : mwp >= n && cwp >= n;

    /* Comparisons with NAN are false. */
    return isnan(mwp) || isnan(mwp_peak_bw) || few || mwp > cwp ||
           mwp < mwp_peak_bw;
}

struct power_cores power_cores_rule(double mwp, double cwp, double n,
                                    double mwp_peak_bw, double mem_bw_gbs,
                                    double bw_per_warp_gbs, uint32_t sms,
                                    enum power_cores_cond cond)
{
    struct power_cores cores = {.exact = sms, .advised = sms};

    if (never_saturates(mwp, cwp, n, mwp_peak_bw, cond))
        return cores;
    cores.bandwidth_limited = 1;
    cores.exact = mem_bw_gbs / (bw_per_warp_gbs * n);
    cores.advised = (uint32_t)fmin(fmax(round(cores.exact), 1), sms);
    return cores;
}
