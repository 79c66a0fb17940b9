#include "sim/models/power_model.h"

#include "sim/models/mwp_cwp_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- parameters by name ------------------------------------------------ */

static const struct teg_parameter parameters[] = {
#define MACHINE(field, rule, fallback, unit, help) \
    MODEL_ROW(field, rule, fallback, unit, help,   \
              offsetof(struct power_inputs, machine.field)),
#define LAUNCH(field, rule, fallback, unit, help) \
    MODEL_ROW(field, rule, fallback, unit, help,  \
              offsetof(struct power_inputs, launch.field)),
#define COUNTS(field, rule, fallback, unit, help) \
    MODEL_ROW(field, rule, fallback, unit, help,  \
              offsetof(struct power_inputs, counts.field)),
#define TRAFFIC(field, rule, fallback, unit, help) \
    MODEL_ROW(field, rule, fallback, unit, help,   \
              offsetof(struct power_inputs, traffic.field)),
#include "sim/models/power.def"
/* The run-time power and intensity of the temperature are results here. */
#define MACHINE(field, rule, fallback, unit, help) \
    MODEL_ROW(field, rule, fallback, unit, help,   \
              offsetof(struct power_inputs, thermal.field)),
#include "sim/models/thermal.def"
    MODEL_ROW(start_temp, COUNT, REQUIRED, "C",
              "when the kernel begins; idle if not given",
              offsetof(struct power_inputs, run.start_temp)),
    MODEL_ROW(t_s, COUNT, REQUIRED, "s",
              "that the kernel is repeated for; one run if not given",
              offsetof(struct power_inputs, run.t_s)),
};

static const struct teg_term_facts terms[] = {
#define RESULT(field, unit, equation, help) {#field, unit, equation, help},
#include "sim/models/power.def"
#define RESULT(field, unit, equation, help) {#field, unit, equation, help},
#include "sim/models/thermal.def"
};

#define LENGTH(array) (uint32_t)(sizeof(array) / sizeof(array)[0])

const struct teg_parameter *power_parameters(uint32_t *count)
{
    *count = LENGTH(parameters);
    return parameters;
}

const struct teg_term_facts *power_terms(uint32_t *count)
{
    *count = LENGTH(terms);
    return terms;
}

void power_inputs_init(struct power_inputs *in)
{
    *in = (struct power_inputs){.machine.scaling = CORE_SCALING_LINEAR};
    model_inputs_init(in, parameters, LENGTH(parameters));
    /* These follow from `traffic` unless someone sets them. */
    in->counts.dac_gmem = in->counts.dac_lmem = nan("");
    in->counts.dac_l1 = in->counts.dac_l2 = nan("");
    in->counts.mem_insts = in->counts.nonmem_insts = nan("");
}

teg_status power_inputs_set(struct power_inputs *in, const char *key,
                            const char *value, struct teg_diag *d)
{
    return model_inputs_set(in, parameters, LENGTH(parameters), key, value, d);
}

/* ---- from a description -------------------------------------------------- */

static teg_status check_section(const struct teg_gpu *gpu, struct teg_diag *d)
{
    int units = gpu->power.instruction_pj > 0;

    for (uint32_t u = 0; u < TEG_POWER_UNITS; u++)
        units += gpu->power_unit[u].given;
    if (units > 0 && gpu->power.issue_norm > 0 && gpu->power.idle_watts > 0)
        return TEG_OK;
    return teg_fail(d, TEG_LIMIT, gpu->name,
                    "the description's power section lacks%s%s%s",
                    gpu->power.idle_watts > 0 ? "" : " power.idle_watts",
                    gpu->power.issue_norm > 0 ? "" : " power.issue_norm",
                    units > 0 ? ""
                              : " power_unit (watts and access function of "
                                "fp, reg, alu, ...)");
}

teg_status power_inputs_machine(struct power_inputs *in,
                                const struct teg_gpu *gpu, struct teg_diag *d)
{
    int has_thermal = gpu->thermal.rc_rise > 0;

    in->machine = (struct power_machine){
        .sms = gpu->chip.sms,
        .clock_ghz = gpu->chip.sm_clock_mhz / 1000,
        .idle_watts = gpu->power.idle_watts,
        .activation_watts = gpu->power.activation_watts,
        .const_sm_watts = gpu->power.const_sm_watts,
        .issue_norm = gpu->power.issue_norm,
        .instruction_pj = gpu->power.instruction_pj,
        .dram_pj = gpu->power.dram_pj,
        .core_beta = gpu->power.core_beta,
        .scaling = gpu->power.core_scaling,
    };
    memcpy(in->machine.unit, gpu->power_unit, sizeof gpu->power_unit);
    if (has_thermal)
        in->thermal = (struct thermal_machine){
            .idle_temp = gpu->thermal.idle_celsius,
            .mu = gpu->thermal.mu,
            .lambda = gpu->thermal.lambda,
            .rho = gpu->thermal.rho,
            .rc_rise = gpu->thermal.rc_rise,
            .rc_decay = gpu->thermal.rc_decay > 0 ? gpu->thermal.rc_decay
                                                  : gpu->thermal.rc_rise,
            .sigma = gpu->thermal.sigma,
        };
    return check_section(gpu, d);
}

/* ---- from a trace --------------------------------------------------------- */

static uint32_t use_of(const struct teg_gpu *gpu, enum teg_op_class c)
{
    if (gpu->power_use[c] != 0)
        return gpu->power_use[c];
    return teg_power_use_default(c, gpu->power.table7 == TABLE7_PRINTED);
}

/* Warp instructions that access each component. */
static void count_accesses(const struct teg_statistics *s,
                           const struct teg_gpu *gpu,
                           double accesses[TEG_POWER_UNITS])
{
    double shared = (double)s->memory.shared_requests;

    memset(accesses, 0, TEG_POWER_UNITS * sizeof *accesses);
    for (enum teg_op_class c = 0; c < TEG_CLASSES; c++) {
        uint32_t use = use_of(gpu, c);

        for (uint32_t u = 0; u < TEG_POWER_UNITS; u++) {
            if (use >> u & 1)
                accesses[u] += (double)s->class_[c].issued;
        }
    }
    /* Arithmetic with an operand in shared memory shows only here. */
    accesses[POWER_SHM] = fmax(accesses[POWER_SHM], shared);
}

static void measure_counts(struct power_inputs *in,
                           const struct teg_statistics *s,
                           const struct teg_gpu *gpu)
{
    struct power_counts *c = &in->counts;
    double accesses[TEG_POWER_UNITS], warps = (double)s->warps;

    count_accesses(s, gpu, accesses);
    c->dac_fp = accesses[POWER_FP] / warps;
    c->dac_reg = accesses[POWER_REG] / warps;
    c->dac_alu = accesses[POWER_ALU] / warps;
    c->dac_sfu = accesses[POWER_SFU] / warps;
    c->dac_int = accesses[POWER_INT] / warps;
    c->dac_fds = accesses[POWER_FDS] / warps;
    c->dac_shm = accesses[POWER_SHM] / warps;
    c->dac_tex = accesses[POWER_TEX] / warps;
    c->dac_const = accesses[POWER_CONST] / warps;
    in->traffic.global_insts = accesses[POWER_GMEM] / warps;
    in->traffic.local_insts = accesses[POWER_LMEM] / warps;
}

static double share_of(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0;
}

/* Loads look into the first level; stores write through it. */
static void measure_caches(struct power_traffic *t,
                           const struct teg_memory_statistics *m,
                           const struct teg_gpu *gpu)
{
    t->l1_share =
        m->l1_sectors > 0 ? share_of(m->global_loads, m->global_requests) : 0;
    t->l1_hit = share_of(m->l1_hits, m->l1_sectors);
    t->l2_share = gpu->l2.bytes > 0;
    t->l2_hit = share_of(m->l2_hits, m->l2_sectors);
}

/* Warps count, however full they are. */
static void measure_launch(struct power_launch *l,
                           const struct teg_statistics *s,
                           const struct teg_gpu *gpu)
{
    uint64_t sms = s->sms != 0 ? s->sms : gpu->chip.sms;

    *l = (struct power_launch){
        .threads_per_block = TEG_LANES * (double)s->warps / (double)s->blocks,
        .blocks = (double)s->blocks,
        .active_sms = s->active_sms != 0
                          ? s->active_sms
                          : (double)(s->blocks < sms ? s->blocks : sms),
        .dram_bytes =
            (double)(s->simulated ? s->memory.dram_bytes : s->memory.bytes),
        .exec_cycles = s->simulated ? (double)s->cycles : nan(""),
    };
}

teg_status power_inputs_measure(struct power_inputs *in,
                                const struct teg_statistics *s,
                                const struct teg_gpu *gpu, struct teg_diag *d)
{
    if (s->warps == 0 || s->blocks == 0)
        return teg_fail(d, TEG_LIMIT, "", "the trace has no warps");
    measure_launch(&in->launch, s, gpu);
    measure_counts(in, s, gpu);
    measure_caches(&in->traffic, &s->memory, gpu);
    return TEG_OK;
}

/* ---- evaluation ----------------------------------------------------------- */

static void fill(double *value, double derived)
{
    if (isnan(*value))
        *value = derived;
}

/* An access that the caches serve reaches nothing behind them. */
static void resolve_counts(struct power_counts *c,
                           const struct power_traffic *t)
{
    double memory = t->global_insts + t->local_insts;
    double l1 = memory * t->l1_share;
    double missed = memory - l1 * t->l1_hit;
    double l2 = missed * t->l2_share;
    double reach = missed - l2 * t->l2_hit;

    fill(&c->dac_l1, l1);
    fill(&c->dac_l2, l2);
    fill(&c->dac_gmem, memory > 0 ? reach * t->global_insts / memory : 0);
    fill(&c->dac_lmem, memory > 0 ? reach * t->local_insts / memory : 0);
    fill(&c->mem_insts, memory);
    fill(&c->nonmem_insts, fmax(c->dac_fds - c->mem_insts, 0));
}

static teg_status check_traffic(const struct power_traffic *t,
                                struct teg_diag *d)
{
#define TRAFFIC(field, rule, fallback, unit, help) \
    TRY(model_check(#field, MODEL_RULE_##rule, t->field, d));
#include "sim/models/power.def"
    return TEG_OK;
}

teg_status power_evaluate(const struct power_inputs *in,
                          struct power_estimate *e, struct teg_diag *d)
{
    *e = (struct power_estimate){.counts = in->counts, .run = in->run};
    TRY(check_traffic(&in->traffic, d));
    resolve_counts(&e->counts, &in->traffic);
    TRY(power(&in->machine, &in->launch, &e->counts, &e->power, d));
    fill(&e->run.t_s, e->power.time_s);
    e->energy_j = e->power.gpu_power_0 * e->run.t_s;
    e->has_thermal = !isnan(in->thermal.rc_rise);
    if (!e->has_thermal)
        return TEG_OK;
    fill(&e->run.start_temp, in->thermal.idle_temp);
    e->run.runtime_power_0 = e->power.runtime_power_0;
    e->run.mem_intensity = e->power.mem_intensity;
    TRY(thermal(&in->thermal, &e->run, &e->thermal, d));
    e->energy_j += e->thermal.static_energy_j;
    return TEG_OK;
}

/* ---- other numbers of SMs -------------------------------------------------- */

/* The facts that models read of a launch on `sms` SMs. */
static teg_status limit_sms(struct teg_statistics *s, struct teg_gpu *gpu,
                            uint32_t sms, struct teg_diag *d)
{
    struct teg_block_asks asks = teg_statistics_asks(s);
    uint64_t each = (s->blocks + sms - 1) / sms;
    struct teg_occupancy o;

    TRY(teg_occupancy(gpu, &asks, &o, d));
    if (each < o.blocks_per_sm) {
        o.warps_per_sm = o.warps_per_sm / o.blocks_per_sm * (uint32_t)each;
        o.blocks_per_sm = (uint32_t)each;
    }
    s->occupancy = o;
    s->sms = sms;
    s->active_sms = s->blocks < sms ? (uint32_t)s->blocks : sms;
    gpu->chip.sms = sms;
    return TEG_OK;
}

static teg_status predict(const struct teg_model *model,
                          const struct teg_statistics *s,
                          const struct teg_gpu *gpu, double *cycles,
                          struct teg_diag *d)
{
    struct teg_estimate *e = malloc(sizeof *e);
    teg_status status = TEG_OK;

    if (e == NULL)
        return teg_fail_memory(d);
    model->estimate(s, gpu, e);
    *cycles = e->cycles;
    if (!e->applicable || !(e->cycles > 0))
        status = teg_fail(d, TEG_LIMIT, model->name, "%s",
                          e->applicable ? "predicts no cycles" : e->why);
    free(e);
    return status;
}

teg_status power_predict_cycles(const struct teg_model *model,
                                const struct teg_statistics *s,
                                const struct teg_gpu *gpu, uint32_t sms,
                                double *cycles, struct teg_diag *d)
{
    /* Large; the facts of the GPU's copy stay the original's. */
    struct teg_statistics *of = malloc(sizeof *of);
    struct teg_gpu *on = malloc(sizeof *on);
    teg_status status = TEG_OK;

    if (of == NULL || on == NULL) {
        status = teg_fail_memory(d);
    } else {
        *of = *s;
        *on = *gpu;
        status = limit_sms(of, on, sms, d);
        if (status == TEG_OK)
            status = predict(model, of, on, cycles, d);
    }
    free(of);
    free(on);
    return status;
}

/* With all SMs, whatever the run had. */
static teg_status mwp_cwp_of_all(const struct teg_statistics *s,
                                 const struct teg_gpu *gpu,
                                 struct mwp_cwp_inputs *in,
                                 struct mwp_cwp_result *r, struct teg_diag *d)
{
    TRY(mwp_cwp_inputs_measure(in, s, gpu, d));
    in->launch.active_sms = fmin(in->launch.blocks, gpu->chip.sms);
    in->launch.active_blocks_per_sm =
        fmin(in->launch.active_blocks_per_sm,
             ceil(in->launch.blocks / in->launch.active_sms));
    return mwp_cwp(&in->machine, &in->launch, &in->stats, NULL, r, d);
}

teg_status power_rule_cores(const struct teg_statistics *s,
                            const struct teg_gpu *gpu,
                            enum power_cores_cond cond,
                            struct power_cores *cores, struct teg_diag *d)
{
    struct mwp_cwp_inputs in;
    struct mwp_cwp_result r;

    TRY(mwp_cwp_of_all(s, gpu, &in, &r, d));
    *cores = power_cores_rule(r.mwp, r.cwp, r.n, r.mwp_peak_bw,
                              in.machine.mem_bw_gbs, r.bw_per_warp_gbs,
                              gpu->chip.sms, cond);
    return TEG_OK;
}

teg_status power_place(const struct teg_gpu *gpu, uint32_t k, uint32_t *sm,
                       uint32_t *tpcs, struct teg_diag *d)
{
    uint32_t sms = gpu->chip.sms;
    uint32_t tpc[THERMAL_SMS_MAX];
    const struct thermal_topology t = {
        .sms = sms, .tpcs = teg_gpu_clusters(gpu), .tpc_of = tpc};

    if (sms > THERMAL_SMS_MAX)
        return teg_fail(d, TEG_LIMIT, gpu->name,
                        "expected at most %d SMs, found %u", THERMAL_SMS_MAX,
                        sms);
    for (uint32_t i = 0; i < sms; i++)
        tpc[i] = teg_gpu_cluster_of(gpu, i);
    return thermal_pick_sms(&t, k, sm, tpcs, d);
}
