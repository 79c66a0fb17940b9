#include "sim/models/thermal.h"

#include "sim/models/parameter.h"

#include <math.h>

static const struct teg_parameter machine_rows[] = {
#define MACHINE(field, rule, fallback, unit, help) \
    MODEL_ROW(field, rule, fallback, unit, help,   \
              offsetof(struct thermal_machine, field)),
#include "sim/models/thermal.def"
};
static const struct teg_parameter run_rows[] = {
#define RUN(field, rule, fallback, unit, help)   \
    MODEL_ROW(field, rule, fallback, unit, help, \
              offsetof(struct thermal_run, field)),
#include "sim/models/thermal.def"
};

#define LENGTH(array) (uint32_t)(sizeof(array) / sizeof(array)[0])

/* ---- temperature over time ---------------------------------------------- */

static double time_constant(const struct thermal_machine *m, double start,
                            double target)
{
    return target > start ? m->rc_rise : m->rc_decay;
}

/* [T] 49 and 50 are the cases start = idle and target = idle. */
double thermal_at(const struct thermal_machine *m, double start, double target,
                  double seconds)
{
    double rc = time_constant(m, start, target);

    return target + (start - target) * exp(-seconds / rc);
}

double thermal_seconds_to(const struct thermal_machine *m, double start,
                          double target, double temp)
{
    double rc = time_constant(m, start, target);

    if (temp == start || (target > start && temp < start) ||
        (target < start && temp > start))
        return 0;
    if (target > start ? temp >= target : temp <= target)
        return HUGE_VAL;
    return -rc * log((temp - target) / (start - target));
}

/* Integral of the rise over idle. */
static double degree_seconds(const struct thermal_machine *m, double start,
                             double target, double seconds)
{
    double rc = time_constant(m, start, target);

    return (target - m->idle_temp) * seconds -
           (start - target) * rc * expm1(-seconds / rc);
}

teg_status thermal(const struct thermal_machine *machine,
                   const struct thermal_run *run, struct thermal_result *result,
                   struct teg_diag *d)
{
    const struct thermal_machine *m = machine;
    struct thermal_result *r = result;

    TRY(model_inputs_check(m, machine_rows, LENGTH(machine_rows), d));
    TRY(model_inputs_check(run, run_rows, LENGTH(run_rows), d));
    r->delta_temp_max =
        m->mu * run->runtime_power_0 + m->lambda + m->rho * run->mem_intensity;
    r->max_temp = m->idle_temp + r->delta_temp_max;
    r->temp_t = thermal_at(m, run->start_temp, r->max_temp, run->t_s);
    r->runtime_power_t =
        run->runtime_power_0 + m->sigma * (r->temp_t - m->idle_temp);
    r->runtime_power_steady =
        run->runtime_power_0 + m->sigma * r->delta_temp_max;
    r->static_energy_j =
        m->sigma * degree_seconds(m, run->start_temp, r->max_temp, run->t_s);
    return TEG_OK;
}

/* ---- which SMs ---------------------------------------------------------- */

struct picking {
    const struct thermal_topology *t;
    uint32_t size[THERMAL_SMS_MAX]; /* SMs of each TPC */
    uint32_t k;
    uint32_t tpcs; /* how many are opened */
    /* The set being tried, and the best one so far. */
    uint32_t set[THERMAL_SMS_MAX], best[THERMAL_SMS_MAX];
    double best_distance; /* below 0: none yet */
};

/* Most SMs that `count` of the TPCs from `from` on have. */
static uint32_t most_sms(const struct picking *p, uint32_t from, uint32_t count)
{
    uint32_t sum = 0, above = UINT32_MAX;

    while (count > 0) {
        uint32_t size = 0, equal = 0;

        for (uint32_t i = from; i < p->t->tpcs; i++) {
            if (p->size[i] < above && p->size[i] > size) {
                size = p->size[i];
                equal = 0;
            }
            equal += p->size[i] == size;
        }
        if (size == 0)
            break;
        equal = equal < count ? equal : count;
        sum += equal * size;
        count -= equal;
        above = size;
    }
    return sum;
}

static double least_distance(const struct picking *p)
{
    double least = HUGE_VAL;

    for (uint32_t i = 0; p->t->position != NULL && i < p->tpcs; i++) {
        for (uint32_t j = 0; j < i; j++) {
            const double *a = p->t->position[p->set[i]];
            const double *b = p->t->position[p->set[j]];

            least = fmin(least, hypot(a[0] - b[0], a[1] - b[1]));
        }
    }
    return least;
}

/* Tries all sets that continue the `chosen` TPCs, which have `sms` SMs, with
 * those from `from` on, lowest first; without positions the first one that
 * holds enough SMs is the best. */
static void try_sets(struct picking *p, uint32_t chosen, uint32_t from,
                     uint32_t sms)
{
    if (chosen == p->tpcs) {
        double distance = least_distance(p);

        if (distance > p->best_distance) {
            p->best_distance = distance;
            for (uint32_t i = 0; i < chosen; i++)
                p->best[i] = p->set[i];
        }
        return;
    }
    for (uint32_t i = from; i < p->t->tpcs; i++) {
        if (p->t->position == NULL && p->best_distance >= 0)
            return;
        if (sms + p->size[i] + most_sms(p, i + 1, p->tpcs - chosen - 1) < p->k)
            continue;
        p->set[chosen] = i;
        try_sets(p, chosen + 1, i + 1, sms + p->size[i]);
    }
}

/* The k lowest-numbered SMs of the best set; no smaller set holds k, so they
 * use all of it. */
static void take_sms(const struct picking *p, uint32_t *sm)
{
    uint32_t taken = 0;

    for (uint32_t i = 0; i < p->t->sms && taken < p->k; i++) {
        for (uint32_t j = 0; j < p->tpcs; j++) {
            if (p->t->tpc_of[i] != p->best[j])
                continue;
            sm[taken++] = i;
            break;
        }
    }
}

static teg_status check_topology(const struct thermal_topology *t, uint32_t k,
                                 struct teg_diag *d)
{
    if (t->sms > THERMAL_SMS_MAX || t->tpcs > t->sms)
        return teg_fail(d, TEG_LIMIT, "topology",
                        "expected at most %d SMs and as many TPCs, found %u "
                        "and %u",
                        THERMAL_SMS_MAX, t->sms, t->tpcs);
    if (t->position != NULL && t->tpcs > THERMAL_TPCS_PLACED_MAX)
        return teg_fail(d, TEG_LIMIT, "topology",
                        "expected at most %d TPCs with positions, found %u",
                        THERMAL_TPCS_PLACED_MAX, t->tpcs);
    if (k < 1 || k > t->sms)
        return teg_fail(d, TEG_LIMIT, "active_sms",
                        "expected 1 to %u SMs, found %u", t->sms, k);
    for (uint32_t i = 0; i < t->sms; i++) {
        if (t->tpc_of[i] >= t->tpcs)
            return teg_fail(d, TEG_LIMIT, "topology",
                            "SM %u: expected a TPC below %u, found %u", i,
                            t->tpcs, t->tpc_of[i]);
    }
    return TEG_OK;
}

teg_status thermal_pick_sms(const struct thermal_topology *t, uint32_t k,
                            uint32_t *sm, uint32_t *tpcs, struct teg_diag *d)
{
    struct picking p = {.t = t, .k = k, .best_distance = -1};

    TRY(check_topology(t, k, d));
    for (uint32_t i = 0; i < t->sms; i++)
        p.size[t->tpc_of[i]]++;
    for (p.tpcs = 1; most_sms(&p, 0, p.tpcs) < k;)
        p.tpcs++;
    try_sets(&p, 0, 0, 0);
    take_sms(&p, sm);
    *tpcs = p.tpcs;
    return TEG_OK;
}

uint32_t thermal_tpcs_of(const struct thermal_topology *t, const uint32_t *sm,
                         uint32_t count)
{
    uint32_t tpcs = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t earlier = 0;

        while (earlier < i && t->tpc_of[sm[earlier]] != t->tpc_of[sm[i]])
            earlier++;
        tpcs += earlier == i;
    }
    return tpcs;
}
