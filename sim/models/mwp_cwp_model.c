#include "sim/models/mwp_cwp_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A share of the estimate from which barriers are worth a word. */
static const double synch_share_worth_telling = 0.2;

/* ---- parameters by name ------------------------------------------------ */

static const struct teg_parameter parameters[] = {
#define MACHINE(field, rule, fallback, unit, help) \
    MODEL_ROW(field, rule, fallback, unit, help,   \
              offsetof(struct mwp_cwp_inputs, machine.field)),
#define LAUNCH(field, rule, fallback, unit, help) \
    MODEL_ROW(field, rule, fallback, unit, help,  \
              offsetof(struct mwp_cwp_inputs, launch.field)),
#define LONG_OP STATS
#define STATS(field, rule, fallback, unit, help) \
    MODEL_ROW(field, rule, fallback, unit, help, \
              offsetof(struct mwp_cwp_inputs, stats.field)),
#include "sim/models/mwp_cwp.def"
};

enum {
    PARAMETERS = sizeof parameters / sizeof *parameters
};

const struct teg_parameter *mwp_cwp_parameters(uint32_t *count)
{
    *count = PARAMETERS;
    return parameters;
}

void mwp_cwp_inputs_init(struct mwp_cwp_inputs *in)
{
    model_inputs_init(in, parameters, PARAMETERS);
}

teg_status mwp_cwp_inputs_set(struct mwp_cwp_inputs *in, const char *key,
                              const char *value, struct teg_diag *d)
{
    return model_inputs_set(in, parameters, PARAMETERS, key, value, d);
}

/* ---- parameters from a description and a trace ------------------------- */

teg_status mwp_cwp_inputs_machine(struct mwp_cwp_inputs *in,
                                  const struct teg_gpu *gpu, struct teg_diag *d)
{
    int has_group = gpu->mwp_cwp.mem_ld > 0;

    in->machine = (struct mwp_cwp_machine){
        .clock_ghz = gpu->chip.sm_clock_mhz / 1000,
        .mem_bw_gbs =
            gpu->dram.bandwidth_gbs > 0 ? gpu->dram.bandwidth_gbs : HUGE_VAL,
        .mem_ld = has_group ? gpu->mwp_cwp.mem_ld : nan(""),
        .dep_del_uncoal =
            has_group ? gpu->mwp_cwp.departure_del_uncoal : nan(""),
        .dep_del_coal = has_group ? gpu->mwp_cwp.departure_del_coal : nan(""),
        .issue_cycles = gpu->mwp_cwp.issue_cycles,
    };
    if (!has_group)
        return teg_fail(d, TEG_LIMIT, gpu->name,
                        "the description has no mwp_cwp group");
    return TEG_OK;
}

/* A header that does not know its block size is stood in for by the warps
 * that the blocks have. */
static double threads_per_block(const struct teg_statistics *s)
{
    double threads = (double)s->block[0] * s->block[1] * s->block[2];

    if (threads > 0 || s->blocks == 0)
        return threads;
    return TEG_LANES * ceil((double)s->warps / (double)s->blocks);
}

static void measure_launch(struct mwp_cwp_launch *l,
                           const struct teg_statistics *s,
                           const struct teg_gpu *gpu)
{
    uint64_t sms = s->sms != 0 ? s->sms : gpu->chip.sms;
    uint64_t active_sms = s->blocks < sms ? s->blocks : sms;

    *l = (struct mwp_cwp_launch){
        .active_sms = (double)active_sms,
        .threads_per_block = threads_per_block(s),
        .blocks = (double)s->blocks,
        .active_blocks_per_sm = s->occupancy.blocks_per_sm,
    };
    /* A small grid has no more blocks than this for an SM; N must not count
     * warps that do not exist. */
    if (active_sms != 0)
        l->active_blocks_per_sm =
            fmin(l->active_blocks_per_sm, ceil(l->blocks / l->active_sms));
}

/* Mean over all instructions of the classes' factors; memory accesses of any
 * kind count 1, their time is Mem_cycles.  ([T] 30 and Table 6) */
static double mean_factor(const struct teg_statistics *s,
                          const struct teg_gpu *gpu)
{
    double sum = 0, insts = 0;

    for (enum teg_op_class c = 0; c < TEG_CLASSES; c++) {
        int is_memory = teg_op_class_facts(c)->kind == RESULT_LONG;
        double issued = (double)s->class_[c].issued;

        sum += issued * (is_memory ? 1 : gpu->m_factor[c]);
        insts += issued;
    }
    return insts > 0 ? sum / insts : 1;
}

static double transactions_of_uncoalesced(const struct teg_memory_statistics *m,
                                          const struct teg_gpu *gpu)
{
    uint64_t uncoalesced = m->global_requests - m->coalesced_requests;

    if (gpu->mwp_cwp.uncoal_per_mw > 0)
        return gpu->mwp_cwp.uncoal_per_mw;
    if (uncoalesced == 0)
        return 1;
    return (double)m->uncoalesced_transactions / (double)uncoalesced;
}

/* One record of a warp trace is one instruction of a warp whatever its mask,
 * so records / warps is the count of a thread with all sides of its branches
 * added, as [T] 2.6.5 wants it. */
static void measure_counts(struct mwp_cwp_stats *to,
                           const struct teg_statistics *s,
                           const struct teg_gpu *gpu)
{
    const struct teg_memory_statistics *m = &s->memory;
    double warps = (double)s->warps, requests = (double)m->global_requests;

    to->coal_mem_insts = (double)m->coalesced_requests / warps;
    to->uncoal_mem_insts =
        (double)(m->global_requests - m->coalesced_requests) / warps;
    to->comp_insts = ((double)s->warp_instructions - requests) / warps;
    to->synch_insts = (double)s->barriers / warps;
    to->ind_mem_req = (double)m->independent_loads / warps;
    to->m_factor = mean_factor(s, gpu);
    to->uncoal_per_mw = transactions_of_uncoalesced(m, gpu);
    /* Else the fallback stays. */
    if (m->useful_bytes != 0)
        to->load_bytes_per_warp = (double)m->useful_bytes / requests;
}

teg_status mwp_cwp_inputs_measure(struct mwp_cwp_inputs *in,
                                  const struct teg_statistics *s,
                                  const struct teg_gpu *gpu, struct teg_diag *d)
{
    mwp_cwp_inputs_init(in);
    if (s->warps != 0) {
        measure_launch(&in->launch, s, gpu);
        measure_counts(&in->stats, s, gpu);
    }
    TRY(mwp_cwp_inputs_machine(in, gpu, d));
    if (s->warps == 0)
        return teg_fail(d, TEG_LIMIT, "", "the trace has no warps");
    return TEG_OK;
}

/* ---- the result in words ----------------------------------------------- */

enum verdict {
    VERDICT_BARRIERS,
    VERDICT_ISSUE,     /* memory is hidden, or there is none */
    VERDICT_FEW_WARPS, /* Case 1: everything waits, nothing to switch to */
    VERDICT_BANDWIDTH,
    VERDICT_UNCOALESCED, /* departure delay of the uncoalesced accesses */
    VERDICT_DEPARTURE,   /* of the coalesced ones */
};

static const struct {
    const char *limiter, *advice;
} verdicts[] = {
    [VERDICT_BARRIERS] = {"waiting at barriers",
                          "fewer barriers, or smaller blocks with more of "
                          "them resident"},
    [VERDICT_ISSUE] = {"issuing instructions",
                       "memory is hidden behind computation: only fewer or "
                       "cheaper instructions help"},
    [VERDICT_FEW_WARPS] = {"memory latency, too few warps to hide it",
                           "more resident warps (registers, shared memory, "
                           "grid size) or more independent accesses per warp"},
    [VERDICT_BANDWIDTH] = {"memory bandwidth",
                           "move fewer bytes: keep what is used again in "
                           "shared memory or registers; more warps will not "
                           "help"},
    [VERDICT_UNCOALESCED] = {"transactions of uncoalesced accesses",
                             "coalesce: let neighbouring lanes touch "
                             "neighbouring words; more warps will not help"},
    [VERDICT_DEPARTURE] = {"the rate of memory transactions",
                           "fewer, wider accesses; more warps will not help"},
};

static enum verdict memory_verdict(const struct mwp_cwp_inputs *in,
                                   const struct mwp_cwp_result *r)
{
    double coalesced = in->machine.dep_del_coal * r->weight_coal;

    switch (r->limiter) {
    case MWP_CWP_LIMITER_PEAK_BW:
        return VERDICT_BANDWIDTH;
    case MWP_CWP_LIMITER_WITHOUT_BW:
        return coalesced < r->departure_delay / 2 ? VERDICT_UNCOALESCED
                                                  : VERDICT_DEPARTURE;
    default:
        return VERDICT_FEW_WARPS;
    }
}

static enum verdict verdict_of(const struct mwp_cwp_inputs *in,
                               const struct mwp_cwp_result *r)
{
    if (r->synch_cost > r->exec_cycles_app)
        return VERDICT_BARRIERS;
    if (r->case_number == 3)
        return VERDICT_ISSUE;
    return memory_verdict(in, r);
}

/* "memory bandwidth (MWP 4.5 by bandwidth)" */
static void limit(struct teg_estimate *e, const struct mwp_cwp_result *r,
                  enum verdict verdict)
{
    static const char *const words[MWP_CWP_LIMITERS] = {
        [MWP_CWP_LIMITER_WITHOUT_BW] = "departure delay",
        [MWP_CWP_LIMITER_PEAK_BW] = "bandwidth",
        [MWP_CWP_LIMITER_N] = "warps",
        [MWP_CWP_LIMITER_NPW] = "warps and independent accesses",
    };

    if (r->limiter == MWP_CWP_LIMITER_NONE)
        snprintf(e->limiter, sizeof e->limiter, "%s",
                 verdicts[verdict].limiter);
    else
        snprintf(e->limiter, sizeof e->limiter, "%s (MWP %.3g by %s)",
                 verdicts[verdict].limiter, r->mwp, words[r->limiter]);
}

static void advise(struct teg_estimate *e, const struct mwp_cwp_result *r,
                   enum verdict verdict)
{
    double synch_share = r->synch_cost / r->exec_cycles_with_synch;

    if (r->exec_cycles_with_synch < r->issue_bound)
        snprintf(e->advice, sizeof e->advice,
                 "below the issue bound of %.0f cycles: do not trust this "
                 "estimate",
                 r->issue_bound);
    else if (verdict != VERDICT_BARRIERS &&
             synch_share > synch_share_worth_telling)
        snprintf(e->advice, sizeof e->advice, "%s; barriers cost %.0f %%",
                 verdicts[verdict].advice, 100 * synch_share);
    else
        snprintf(e->advice, sizeof e->advice, "%s", verdicts[verdict].advice);
}

static void add_terms(struct teg_estimate *e, const struct mwp_cwp_inputs *in,
                      const struct mwp_cwp_result *r)
{
    teg_estimate_inputs(e, mwp_cwp_model.inputs, in);
#define RESULT(field, column, symbol, unit, equation, help) \
    teg_estimate_finite_term(e, symbol, r->field, unit);
#include "sim/models/mwp_cwp.def"
}

void mwp_cwp_evaluate(const struct mwp_cwp_inputs *in,
                      const struct mwp_cwp_options *options,
                      struct teg_estimate *e)
{
    struct mwp_cwp_result r;
    enum verdict verdict;
    struct teg_diag d;

    *e = (struct teg_estimate){.model = "mwp-cwp", .cycles = nan("")};
    if (mwp_cwp(&in->machine, &in->launch, &in->stats, options, &r, &d) !=
        TEG_OK) {
        teg_estimate_refuse(e, &d);
        return;
    }
    verdict = verdict_of(in, &r);
    e->applicable = 1;
    e->cycles = r.exec_cycles_with_synch;
    limit(e, &r, verdict);
    advise(e, &r, verdict);
    add_terms(e, in, &r);
}

/* Measures, then evaluates with the default options. */
static void mwp_cwp_estimate(const struct teg_statistics *s,
                             const struct teg_gpu *gpu, struct teg_estimate *e)
{
    struct mwp_cwp_inputs in;
    struct teg_diag d;

    *e = (struct teg_estimate){.model = "mwp-cwp", .cycles = nan("")};
    if (mwp_cwp_inputs_measure(&in, s, gpu, &d) == TEG_OK)
        mwp_cwp_evaluate(&in, NULL, e);
    else
        teg_estimate_refuse(e, &d);
}

/* ---- the row's tables --------------------------------------------------- */

static teg_status measure_any(void *in, const struct teg_statistics *s,
                              const struct teg_gpu *gpu, struct teg_diag *d)
{
    if (s == NULL)
        return mwp_cwp_inputs_machine(in, gpu, d);
    return mwp_cwp_inputs_measure(in, s, gpu, d);
}

static void evaluate_any(const void *in, struct teg_estimate *e)
{
    mwp_cwp_evaluate(in, NULL, e);
}

static const struct teg_model_inputs mwp_cwp_inputs_kind = {
    .size = sizeof(struct mwp_cwp_inputs),
    .parameter = parameters,
    .count = PARAMETERS,
    .measure = measure_any,
    .evaluate = evaluate_any,
};

static const struct teg_term_facts mwp_cwp_terms[MWP_CWP_TERMS] = {
#define RESULT(field, column, symbol, unit, equation, help) \
    {symbol, unit, equation, help},
#include "sim/models/mwp_cwp.def"
};

const struct teg_model mwp_cwp_model = {
    .name = "mwp-cwp",
    .title = "memory and computation warp parallelism",
    .source = "Hong & Kim 2009; Hong 2012, chapter II",
    .estimate = mwp_cwp_estimate,
    .inputs = &mwp_cwp_inputs_kind,
    .terms = mwp_cwp_terms,
    .term_count = MWP_CWP_TERMS,
};
