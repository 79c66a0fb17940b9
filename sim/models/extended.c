#include "sim/models/extended.h"

#include <stdio.h>

#include "sim/models/peak.h"
#include "sim/models/throughput_model.h"

static const struct teg_parameter parameters[] = {
#define INPUT(field, rule, fallback, unit, help) \
    MODEL_ROW(field, rule, fallback, unit, help, \
              offsetof(struct extended_inputs, field)),
#include "sim/models/extended.def"
};

enum {
    PARAMETERS = sizeof parameters / sizeof *parameters
};

static const struct teg_term_facts extended_terms[EXTENDED_TERMS] = {
#define RESULT(field, symbol, unit, equation, help) \
    {symbol, unit, equation, help},
#include "sim/models/extended.def"
};

/* ---- equations ------------------------------------------------------------ */

double extended_exec(double comp, double mem, double overlap)
{
    return comp + mem - fmin(fmax(overlap, 0), mem);
}

static void comp_terms(const struct extended_inputs *in,
                       struct extended_result *r)
{
    /* Even a unit slower than its latency holds one instruction. */
    double most = fmax(in->inst_lat / in->slot_cycles, 1);

    r->itilp = fmin(in->ilp * in->n, most);
    r->w_parallel = in->insts * in->warps_per_core *
                    fmax(in->inst_lat, in->slot_cycles) / r->itilp;
    r->w_serial = in->o_sync + in->o_sfu + in->o_div + in->o_bank;
    r->t_comp = r->w_parallel + r->w_serial;
}

static void mem_terms(const struct extended_inputs *in,
                      struct extended_result *r)
{
    double comp = in->insts * in->slot_cycles;
    double mem = in->mem_insts * in->amat;

    r->cwp = fmin((mem + comp) / comp, in->n);
    r->mwp = fmin(in->mwp_without_bw, in->n);
    r->mwp_cp = fmin(fmax(1, r->cwp - 1), r->mwp);
    r->itmlp = fmin(in->mlp * r->mwp_cp, in->mwp_peak_bw);
    r->t_mem = mem * in->warps_per_core / r->itmlp;
    r->f_overlap = r->cwp <= r->mwp ? (in->n - 1) / in->n : 1;
    r->t_overlap = fmin(r->t_comp * r->f_overlap, r->t_mem);
}

teg_status extended(const struct extended_inputs *in, struct extended_result *r,
                    struct teg_diag *d)
{
    TRY(model_inputs_check(in, parameters, PARAMETERS, d));
    if (in->insts <= 0)
        return teg_fail(d, TEG_LIMIT, "insts",
                        "expected at least one instruction, found none");
    *r = (struct extended_result){0};
    comp_terms(in, r);
    if (in->mem_insts > 0)
        mem_terms(in, r);
    else
        r->cwp = r->mwp = r->mwp_cp = r->itmlp = r->f_overlap = nan("");
    r->t_exec = extended_exec(r->t_comp, r->t_mem, r->t_overlap);
    r->t_least = r->t_comp;
    r->t_most = r->t_comp + r->t_mem;
    return TEG_OK;
}

/* ---- from a trace ---------------------------------------------------------- */

/* Warp instructions of one SM x the time its units need for them. */
static double unit_time(const struct teg_statistics *s,
                        const struct teg_gpu *gpu, enum teg_op_class first,
                        enum teg_op_class last)
{
    double sum = 0;

    for (enum teg_op_class c = first; c <= last; c++)
        sum += (double)s->class_[c].issued / peak_class_of(s, gpu, c);
    return sum / busy_sms(s, gpu);
}

/* Barriers as in MWP-CWP ([T] 25): the last of a block's warps departs that
 * much later. */
static double barrier_time(const struct extended_inputs *in,
                           const struct throughput_inputs *t,
                           const struct teg_statistics *s)
{
    double of_block = (double)s->warps / (double)s->blocks;
    double blocks = (double)s->blocks / t->device.active_cores;
    double behind = fmax(fmin(in->mwp_without_bw, of_block) - 1, 0);

    return t->device.departure_delay * behind * blocks * (double)s->barriers /
           (double)s->warps;
}

static void measure_serial(struct extended_inputs *in,
                           const struct throughput_inputs *t,
                           const struct teg_statistics *s,
                           const struct teg_gpu *gpu)
{
    double all = in->insts * in->warps_per_core * in->slot_cycles;
    const struct teg_memory_statistics *m = &s->memory;

    in->o_sync = s->memory.global_requests > 0 ? barrier_time(in, t, s) : 0;
    /* What the special functions need beyond the time of all the others. */
    in->o_sfu = fmax(unit_time(s, gpu, CLASS_SFU, CLASS_CONVERT64) - all, 0);
    in->o_bank = (double)(m->shared_passes - m->shared_groups) *
                 gpu->shared.pass_interval / busy_sms(s, gpu);
}

static teg_status measure(void *inputs, const struct teg_statistics *s,
                          const struct teg_gpu *gpu, struct teg_diag *d)
{
    struct extended_inputs *in = inputs;
    struct throughput_inputs t;
    struct throughput_result r;

    model_inputs_init(in, parameters, PARAMETERS);
    TRY(throughput_measure(&t, s, gpu, d));
    in->inst_lat = t.device.inst_latency;
    in->slot_cycles = t.device.slot_cycles;
    if (s == NULL)
        return TEG_OK;
    TRY(throughput(&t.device, &t.kernel, &r, d));
    in->insts = r.total * t.kernel.cost;
    in->mem_insts = t.kernel.mem;
    in->warps_per_core = t.kernel.warps_per_core;
    in->n = t.kernel.n;
    in->ilp = t.kernel.dep;
    in->mlp = t.kernel.mstr;
    /* Of one access, not of a group. */
    in->amat = t.device.dram_lat;
    if (t.kernel.eff_mem > 0)
        in->amat = t.kernel.eff_mem - throughput_group_wait(&t, gpu);
    in->mwp_without_bw = isfinite(r.mwp_proc) ? r.mwp_proc : in->n;
    in->mwp_peak_bw = isnan(r.mwp_bw) ? HUGE_VAL : r.mwp_bw;
    measure_serial(in, &t, s, gpu);
    return TEG_OK;
}

static void say(struct teg_estimate *e, const struct extended_result *r)
{
    if (r->t_mem > r->t_comp) {
        snprintf(e->limiter, sizeof e->limiter,
                 "memory time, %.0f %% of it hidden",
                 100 * r->t_overlap / r->t_mem);
        snprintf(e->advice, sizeof e->advice,
                 "fewer or faster accesses gain up to %.0f %%",
                 100 * (r->t_exec - r->t_comp) / r->t_exec);
    } else if (r->w_serial > r->w_parallel) {
        snprintf(e->limiter, sizeof e->limiter, "serialized work");
        snprintf(e->advice, sizeof e->advice,
                 "barriers, special functions or bank conflicts cost %.0f %%",
                 100 * r->w_serial / r->t_exec);
    } else {
        snprintf(e->limiter, sizeof e->limiter, "computation");
        snprintf(e->advice, sizeof e->advice,
                 "fewer or cheaper instructions; unhidden memory time is "
                 "%.0f %%",
                 100 * (r->t_exec - r->t_comp) / r->t_exec);
    }
}

static void evaluate(const void *inputs, struct teg_estimate *e)
{
    struct extended_result r;
    struct teg_diag d;

    *e = (struct teg_estimate){.model = "mwp-cwp-extended", .cycles = nan("")};
    if (extended(inputs, &r, &d) != TEG_OK) {
        teg_estimate_refuse(e, &d);
        return;
    }
    e->applicable = 1;
    e->cycles = r.t_exec;
    say(e, &r);
    teg_estimate_inputs(e, extended_model.inputs, inputs);
#define RESULT(field, symbol, unit, equation, help) \
    teg_estimate_finite_term(e, symbol, r.field, unit);
#include "sim/models/extended.def"
}

static void extended_estimate(const struct teg_statistics *s,
                              const struct teg_gpu *gpu, struct teg_estimate *e)
{
    struct extended_inputs in;
    struct teg_diag d;

    *e = (struct teg_estimate){.model = "mwp-cwp-extended", .cycles = nan("")};
    if (measure(&in, s, gpu, &d) == TEG_OK)
        evaluate(&in, e);
    else
        teg_estimate_refuse(e, &d);
}

static const struct teg_model_inputs extended_inputs_kind = {
    .size = sizeof(struct extended_inputs),
    .parameter = parameters,
    .count = PARAMETERS,
    .measure = measure,
    .evaluate = evaluate,
};

const struct teg_model extended_model = {
    .name = "mwp-cwp-extended",
    .title = "extended MWP-CWP: what overlaps and what does not",
    .source = "Sim et al. 2012; Lai 2013, 1.3.2",
    .estimate = extended_estimate,
    .inputs = &extended_inputs_kind,
    .terms = extended_terms,
    .term_count = EXTENDED_TERMS,
};
