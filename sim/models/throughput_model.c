#include "sim/models/throughput_model.h"

#include <stdio.h>

#include "sim/models/peak.h"

/* ---- parameters by name ------------------------------------------------ */

static const struct teg_parameter parameters[THROUGHPUT_INPUTS] = {
#define DEVICE(field, rule, fallback, unit, help) \
    MODEL_ROW(field, rule, fallback, unit, help,  \
              offsetof(struct throughput_inputs, device.field)),
#define KERNEL(field, rule, fallback, unit, help) \
    MODEL_ROW(field, rule, fallback, unit, help,  \
              offsetof(struct throughput_inputs, kernel.field)),
#include "sim/models/throughput.def"
};

static const struct teg_term_facts throughput_terms[THROUGHPUT_TERMS] = {
#define RESULT(field, symbol, unit, equation, help) \
    {symbol, unit, equation, help},
#include "sim/models/throughput.def"
};

/* ---- from a description and a trace ------------------------------------ */

/* Without published departure delays: what the SM's own memory pipeline needs
 * between two accesses of `transactions` and `bytes`. */
static double pipeline_delay(const struct teg_gpu *gpu, double transactions,
                             double bytes)
{
    double unit = fmax(gpu->timing[CLASS_LDG].interval,
                       gpu->memory.transaction_interval * transactions);

    return fmax(unit, bytes / peak_link_bytes(gpu));
}

static void measure_device(struct throughput_device *dev,
                           const struct teg_gpu *gpu)
{
    double lanes = TEG_LANES * peak_class(gpu, CLASS_FMAD);

    *dev = (struct throughput_device){
        .clock_ghz = gpu->chip.sm_clock_mhz / 1000,
        .active_cores = gpu->chip.sms,
        .fp_units = lanes,
        .fma = 1,
        .mem_bw_gbs =
            gpu->dram.bandwidth_gbs > 0 ? gpu->dram.bandwidth_gbs : HUGE_VAL,
        .dram_lat =
            gpu->mwp_cwp.mem_ld > 0 ? gpu->mwp_cwp.mem_ld : gpu->dram.latency,
        .l2_lat = gpu->l2.bytes > 0 ? gpu->l2.latency : 0,
        .l1_lat = gpu->l1.bytes > 0 ? gpu->l1.latency : 0,
        .departure_delay = gpu->mwp_cwp.mem_ld > 0
                               ? gpu->mwp_cwp.departure_del_coal
                               : pipeline_delay(gpu, 1, 128),
        .inst_latency = fmax(gpu->timing[CLASS_FMAD].latency, 1),
        .slot_cycles = TEG_LANES / lanes,
    };
}

/* Which input an instruction of class `c` counts for. */
static double *counter_of(struct throughput_kernel *k, enum teg_op_class c)
{
    if (c == CLASS_FMAD || c == CLASS_DFMA)
        return &k->fp_fused;
    if (is_floating(c))
        return &k->fp;
    return c <= CLASS_IMAD_HIGH ? &k->int_insts : &k->br_misc;
}

/* Memory accesses are counted by requests; what had no active lane or went
 * elsewhere is left among the others. */
static void measure_counts(struct throughput_kernel *k,
                           const struct teg_statistics *s)
{
    double warps = (double)s->warps;

    k->fp = k->fp_fused = k->int_insts = k->br_misc = 0;
    for (enum teg_op_class c = 0; c < TEG_CLASSES; c++)
        *counter_of(k, c) += (double)s->class_[c].issued / warps;
    k->mem = (double)s->memory.global_requests / warps;
    k->br_misc = fmax(k->br_misc - k->mem, 0);
}

/* Mean time in the units over that of a multiply-add; what is issued takes at
 * least an issue slot. */
static double mean_cost(const struct teg_statistics *s,
                        const struct teg_gpu *gpu)
{
    double plain = 1 / peak_class(gpu, CLASS_FMAD), sum = 0;

    for (enum teg_op_class c = 0; c < TEG_CLASSES; c++)
        sum += (double)s->class_[c].issued / peak_class_of(s, gpu, c);
    return s->warp_instructions > 0 ? sum / plain / (double)s->warp_instructions
                                    : 1;
}

/* Distances add up as waiting time, so their mean is the harmonic one. */
static double mean_distance(const struct teg_statistics *s)
{
    double waits = 0;

    for (uint32_t i = 1; i < TEG_DEPENDENCE_MAX; i++)
        waits += (double)s->dependence[i] / i;
    return waits > 0 ? fmax((double)s->warp_instructions / waits, 1)
                     : TEG_DEPENDENCE_MAX;
}

double throughput_group_wait(const struct throughput_inputs *in,
                             const struct teg_gpu *gpu)
{
    double share = peak_dram_bytes(gpu) / in->device.active_cores;
    double each =
        fmax(in->device.departure_delay, in->kernel.bytes_per_warp / share);

    return (in->kernel.mstr - 1) * each;
}

/* Transactions of one access beyond the first come one departure delay
 * later.  (Hong 2012, 12 to 15) */
static void measure_memory(struct throughput_inputs *in,
                           const struct teg_statistics *s,
                           const struct teg_gpu *gpu)
{
    const struct teg_memory_statistics *m = &s->memory;
    struct throughput_kernel *k = &in->kernel;
    double requests = (double)m->global_requests;
    double each = (double)m->transactions / requests;
    double between = gpu->mwp_cwp.mem_ld > 0 ? gpu->mwp_cwp.departure_del_uncoal
                                             : gpu->memory.transaction_interval;

    k->mstr = fmax(requests / (double)m->access_groups, 1);
    k->bytes_per_warp = (double)m->bytes / requests;
    k->bytes_lat = in->device.dram_lat + (each - 1) * between;
    in->device.departure_delay =
        gpu->mwp_cwp.mem_ld > 0
            ? (each > 1 ? between * each : gpu->mwp_cwp.departure_del_coal)
            : pipeline_delay(gpu, each, k->bytes_per_warp);
    k->eff_mem = k->bytes_lat + throughput_group_wait(in, gpu);
}

/* Hit ratios are known after a replay only; else nothing hits. */
static void measure_caches(struct throughput_inputs *in,
                           const struct teg_statistics *s)
{
    const struct teg_memory_statistics *m = &s->memory;
    struct throughput_kernel *k = &in->kernel;
    double l1 = 0, l2 = 0;

    if (!s->simulated || m->bytes == 0)
        return;
    if (m->l1_sectors > 0)
        l1 = (double)m->l1_hits / (double)m->l1_sectors;
    if (m->l2_sectors > 0)
        l2 = (1 - l1) * (double)m->l2_hits / (double)m->l2_sectors;
    k->dram_share = fmin((double)m->dram_bytes / (double)m->bytes, 1);
    k->eff_mem += l1 * (in->device.l1_lat - in->device.dram_lat) +
                  l2 * (in->device.l2_lat - in->device.dram_lat);
}

teg_status throughput_measure(struct throughput_inputs *in,
                              const struct teg_statistics *s,
                              const struct teg_gpu *gpu, struct teg_diag *d)
{
    struct throughput_kernel *k = &in->kernel;

    model_inputs_init(in, parameters, THROUGHPUT_INPUTS);
    measure_device(&in->device, gpu);
    if (s == NULL)
        return TEG_OK;
    if (s->warps == 0)
        return teg_fail(d, TEG_LIMIT, "", "the trace has no warps");
    in->device.active_cores = busy_sms(s, gpu);
    measure_counts(k, s);
    k->n = resident_warps(s, gpu);
    k->warps_per_core = (double)s->warps / in->device.active_cores;
    k->cost = mean_cost(s, gpu);
    k->dep = mean_distance(s);
    k->dep_hidden = 1;
    if (s->memory.global_requests > 0) {
        measure_memory(in, s, gpu);
        measure_caches(in, s);
    }
    return TEG_OK;
}

/* ---- the result in words ----------------------------------------------- */

static void limit(struct teg_estimate *e, const struct throughput_inputs *in,
                  const struct throughput_result *r)
{
    const struct throughput_category *c;

    if (r->bw_bound > 0 && r->cycles == r->bw_bound) {
        snprintf(e->limiter, sizeof e->limiter,
                 "memory bandwidth, groups of %.3g accesses; category %.0f",
                 in->kernel.mstr, r->category);
        return;
    }

    if (r->limiter == THROUGHPUT_LIMITER_NONE) {
        snprintf(e->limiter, sizeof e->limiter, "%s",
                 r->dep_effect > 1 ? "dependences, too few warps to hide them"
                                   : "issuing instructions");
        return;
    }
    c = throughput_category((uint32_t)r->category);
    snprintf(e->limiter, sizeof e->limiter, "category %.0f: %s", r->category,
             c->finding);
}

static void advise(struct teg_estimate *e, const struct throughput_inputs *in,
                   const struct throughput_result *r)
{
    if (r->limiter == THROUGHPUT_LIMITER_NONE)
        snprintf(e->advice, sizeof e->advice, "%s",
                 r->dep_effect > 1
                     ? "more resident warps or more independent instructions"
                     : "fewer or cheaper instructions; there is no memory "
                       "access to wait for");
    else if (r->cores_suggested_real < in->device.active_cores)
        snprintf(e->advice, sizeof e->advice,
                 "%s; %.0f of %.0f cores saturate the bandwidth",
                 throughput_category((uint32_t)r->category)->advice,
                 fmax(round(r->cores_suggested_real), 1),
                 in->device.active_cores);
    else
        snprintf(e->advice, sizeof e->advice, "%s",
                 throughput_category((uint32_t)r->category)->advice);
}

void throughput_evaluate(const struct throughput_inputs *in,
                         struct teg_estimate *e)
{
    struct throughput_result r;
    struct teg_diag d;

    *e = (struct teg_estimate){.model = "throughput", .cycles = nan("")};
    if (throughput(&in->device, &in->kernel, &r, &d) != TEG_OK) {
        teg_estimate_refuse(e, &d);
        return;
    }
    e->applicable = 1;
    e->cycles = r.cycles;
    limit(e, in, &r);
    advise(e, in, &r);
    teg_estimate_inputs(e, &throughput_inputs_kind, in);
#define RESULT(field, symbol, unit, equation, help) \
    teg_estimate_finite_term(e, symbol, r.field, unit);
#include "sim/models/throughput.def"
}

void throughput_estimate(const struct teg_statistics *s,
                         const struct teg_gpu *gpu, struct teg_estimate *e)
{
    struct throughput_inputs in;
    struct teg_diag d;

    *e = (struct teg_estimate){.model = "throughput", .cycles = nan("")};
    if (throughput_measure(&in, s, gpu, &d) == TEG_OK)
        throughput_evaluate(&in, e);
    else
        teg_estimate_refuse(e, &d);
}

static teg_status measure_any(void *in, const struct teg_statistics *s,
                              const struct teg_gpu *gpu, struct teg_diag *d)
{
    return throughput_measure(in, s, gpu, d);
}

static void evaluate_any(const void *in, struct teg_estimate *e)
{
    throughput_evaluate(in, e);
}

const struct teg_model_inputs throughput_inputs_kind = {
    .size = sizeof(struct throughput_inputs),
    .parameter = parameters,
    .count = THROUGHPUT_INPUTS,
    .measure = measure_any,
    .evaluate = evaluate_any,
};

const struct teg_model throughput_model = {
    .name = "throughput",
    .title = "throughput model: useful share of the peak",
    .source = "Hong 2012, chapter V",
    .estimate = throughput_estimate,
    .inputs = &throughput_inputs_kind,
    .terms = throughput_terms,
    .term_count = THROUGHPUT_TERMS,
};
