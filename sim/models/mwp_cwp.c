#include "sim/models/mwp_cwp.h"

#include "sim/models/parameter.h"

#include <assert.h>
#include <math.h>

static const double threads_per_warp = 32;

/* #Mem_insts.  Zero is a case of its own throughout. */
static double memory_insts(const struct mwp_cwp_stats *s)
{
    return s->uncoal_mem_insts + s->coal_mem_insts;
}

static teg_status check_independent(const struct mwp_cwp_stats *s,
                                    const struct mwp_cwp_options *o,
                                    struct teg_diag *d)
{
    if (o->npw == MWP_CWP_NPW_OFF || memory_insts(s) == 0)
        return TEG_OK;
    if (s->ind_mem_req >= memory_insts(s))
        return teg_fail(d, TEG_LIMIT, "ind_mem_req",
                        "expected fewer than the %g memory instructions, "
                        "found %g",
                        memory_insts(s), s->ind_mem_req);
    /* [T] 28 would make MWP 0. */
    if (o->npw == MWP_CWP_NPW_PRINTED && s->ind_mem_req == 0)
        return teg_fail(d, TEG_LIMIT, "ind_mem_req",
                        "expected a number above 0 with npw 'printed', "
                        "found 0");
    return TEG_OK;
}

static teg_status check_inputs(const struct mwp_cwp_machine *m,
                               const struct mwp_cwp_launch *l,
                               const struct mwp_cwp_stats *s,
                               const struct mwp_cwp_options *o,
                               struct teg_diag *d)
{
#define CHECK(part, field, rule) \
    TRY(model_check(#field, MODEL_RULE_##rule, (part)->field, d));
#define MACHINE(field, rule, fallback, unit, help) CHECK(m, field, rule)
#define LAUNCH(field, rule, fallback, unit, help)  CHECK(l, field, rule)
#define LONG_OP                                    STATS
#define STATS(field, rule, fallback, unit, help)   CHECK(s, field, rule)
#include "sim/models/mwp_cwp.def"
#undef CHECK
    if (s->comp_insts + memory_insts(s) == 0)
        return teg_fail(d, TEG_LIMIT, "comp_insts",
                        "expected at least one instruction, found none");
    return check_independent(s, o, d);
}

static void launch_terms(const struct mwp_cwp_launch *l,
                         const struct mwp_cwp_options *o,
                         struct mwp_cwp_result *r)
{
    r->warps_per_block = ceil(l->threads_per_block / threads_per_warp);
    r->n = l->active_blocks_per_sm * r->warps_per_block;
    r->rep = l->blocks / (l->active_blocks_per_sm * l->active_sms);
    if (o->rep == MWP_CWP_REP_CEIL)
        r->rep = ceil(r->rep);
}

static void latency_terms(const struct mwp_cwp_machine *m,
                          const struct mwp_cwp_stats *s,
                          const struct mwp_cwp_options *o,
                          struct mwp_cwp_result *r)
{
    r->mem_l_uncoal = m->mem_ld + (s->uncoal_per_mw - 1) * m->dep_del_uncoal;
    r->mem_l_coal = m->mem_ld;
    if (o->eqset == MWP_CWP_THESIS)
        r->mem_l_coal += m->dep_del_coal;
}

/* What long operations take beyond others, in instructions.  (Hong 2012, Table
 * 6, by experiment) */
static double long_operations(const struct mwp_cwp_stats *s)
{
    return (4.2 - 1) * s->fdiv_insts + (4.3 - 1) * s->imul_insts +
           (30 - 1) * s->idiv_insts + (35 - 1) * s->imod_insts;
}

static void cycles_terms(const struct mwp_cwp_machine *m,
                         const struct mwp_cwp_stats *s,
                         struct mwp_cwp_result *r)
{
    r->total_insts = s->comp_insts + memory_insts(s);
    r->comp_cycles =
        m->issue_cycles * (s->m_factor * r->total_insts + long_operations(s));
    r->mem_cycles = r->mem_l_uncoal * s->uncoal_mem_insts +
                    r->mem_l_coal * s->coal_mem_insts;
    r->cwp_full = (r->mem_cycles + r->comp_cycles) / r->comp_cycles;
    r->cwp = fmin(r->cwp_full, r->n);
    r->issue_bound = r->comp_cycles * r->n * r->rep;
}

static double effective_warps(const struct mwp_cwp_stats *s,
                              const struct mwp_cwp_options *o, double n)
{
    double requests = memory_insts(s);

    switch (o->npw) {
    case MWP_CWP_NPW_PRINTED:
        return n * s->ind_mem_req / (requests - s->ind_mem_req);
    case MWP_CWP_NPW_CORRECTED:
        return n * requests / (requests - s->ind_mem_req);
    case MWP_CWP_NPW_OFF:
        break;
    }
    return n;
}

/* Mixes the two kinds of access by how often each happens. */
static void weigh(const struct mwp_cwp_machine *m,
                  const struct mwp_cwp_stats *s, struct mwp_cwp_result *r)
{
    r->weight_uncoal = s->uncoal_mem_insts / memory_insts(s);
    r->weight_coal = s->coal_mem_insts / memory_insts(s);
    r->mem_l =
        r->mem_l_uncoal * r->weight_uncoal + r->mem_l_coal * r->weight_coal;
    r->departure_delay =
        m->dep_del_uncoal * s->uncoal_per_mw * r->weight_uncoal +
        m->dep_del_coal * r->weight_coal;
}

/* The tests are exact: MWP is the result of a minimum with each. */
static enum mwp_cwp_limiter limiter_of(const struct mwp_cwp_options *o,
                                       const struct mwp_cwp_result *r)
{
    if (r->mwp == r->npw)
        return o->npw == MWP_CWP_NPW_OFF ? MWP_CWP_LIMITER_N
                                         : MWP_CWP_LIMITER_NPW;
    return r->mwp == r->mwp_peak_bw ? MWP_CWP_LIMITER_PEAK_BW
                                    : MWP_CWP_LIMITER_WITHOUT_BW;
}

static void mwp_terms(const struct mwp_cwp_machine *m,
                      const struct mwp_cwp_launch *l,
                      const struct mwp_cwp_stats *s,
                      const struct mwp_cwp_options *o, struct mwp_cwp_result *r)
{
    weigh(m, s, r);
    r->comp_p = r->comp_cycles / memory_insts(s);
    r->npw = effective_warps(s, o, r->n);
    r->mwp_without_bw_full = r->mem_l / r->departure_delay;
    r->mwp_without_bw = fmin(r->mwp_without_bw_full, r->npw);
    r->bw_per_warp_gbs = m->clock_ghz * s->load_bytes_per_warp / r->mem_l;
    r->mwp_peak_bw = m->mem_bw_gbs / (r->bw_per_warp_gbs * l->active_sms);
    r->mwp = fmin(fmin(r->mwp_without_bw, r->mwp_peak_bw), r->npw);
    r->limiter = limiter_of(o, r);
}

/* No memory instruction: weights, Mem_L, MWP and Comp_p do not exist. */
static void no_mwp_terms(struct mwp_cwp_result *r)
{
    r->weight_uncoal = r->weight_coal = nan("");
    r->mem_l = r->departure_delay = nan("");
    r->mwp_without_bw_full = r->mwp_without_bw = nan("");
    r->bw_per_warp_gbs = r->mwp_peak_bw = nan("");
    r->npw = r->n;
    r->mwp = r->comp_p = r->npwb = nan("");
    r->limiter = MWP_CWP_LIMITER_NONE;
}

static int case_of(const struct mwp_cwp_options *o,
                   const struct mwp_cwp_result *r)
{
    int computes_longer = r->comp_cycles > r->mem_cycles;

    if (r->mwp >= r->n && r->cwp >= r->n)
        return 1;
    if (o->cond == MWP_CWP_LITERAL)
        return r->cwp >= r->mwp || computes_longer ? 2 : 3;
    return computes_longer || r->mwp > r->cwp ? 3 : 2;
}

/* (x - 1) of the equations; a machine so slow that x is below 1 must not
 * earn cycles back. */
static double beyond_one(double x)
{
    return fmax(x - 1, 0);
}

static double cycles_of_case(const struct mwp_cwp_result *r)
{
    double periods = r->comp_p * beyond_one(r->mwp);

    switch ((int)r->case_number) {
    case 1: /* [T] 21; its general form, first line of [T] 4, where
               independent requests raise MWP above N */
        return (r->mem_cycles + r->comp_cycles) * r->n / r->mwp + periods;
    case 2: /* [T] 22 */
        return r->mem_cycles * r->n / r->mwp + periods;
    default: /* [T] 23 */
        return r->mem_l + r->comp_cycles * r->n;
    }
}

static void synchronization_terms(const struct mwp_cwp_launch *l,
                                  const struct mwp_cwp_stats *s,
                                  const struct mwp_cwp_options *o,
                                  struct mwp_cwp_result *r)
{
    r->npwb = r->mwp;
    if (o->eqset == MWP_CWP_THESIS)
        r->npwb = fmin(r->mwp, r->warps_per_block);
    r->synch_cost = r->departure_delay * beyond_one(r->npwb) * s->synch_insts *
                    l->active_blocks_per_sm * r->rep;
}

static void final_terms(const struct mwp_cwp_machine *m,
                        const struct mwp_cwp_launch *l,
                        struct mwp_cwp_result *r)
{
    /* Warp instructions of one SM, with the plain quotients of [T] 24. */
    double insts = r->total_insts * (l->threads_per_block / threads_per_warp) *
                   (l->blocks / l->active_sms);

    r->exec_cycles_with_synch = r->exec_cycles_app + r->synch_cost;
    r->cpi_app = r->exec_cycles_app / insts;
    r->cpi_with_synch = r->exec_cycles_with_synch / insts;
    r->time_us_with_synch = r->exec_cycles_with_synch / (m->clock_ghz * 1e3);
}

teg_status mwp_cwp(const struct mwp_cwp_machine *machine,
                   const struct mwp_cwp_launch *launch,
                   const struct mwp_cwp_stats *stats,
                   const struct mwp_cwp_options *options,
                   struct mwp_cwp_result *result, struct teg_diag *d)
{
    static const struct mwp_cwp_options defaults = {0};
    struct mwp_cwp_result *r = result;

    if (options == NULL)
        options = &defaults;
    TRY(check_inputs(machine, launch, stats, options, d));
    *r = (struct mwp_cwp_result){0};
    launch_terms(launch, options, r);
    latency_terms(machine, stats, options, r);
    cycles_terms(machine, stats, r);
    if (memory_insts(stats) == 0) {
        no_mwp_terms(r);
        r->case_number = 3;
        r->exec_cycles_app = r->issue_bound;
    } else {
        mwp_terms(machine, launch, stats, options, r);
        r->case_number = case_of(options, r);
        r->exec_cycles_app = cycles_of_case(r) * r->rep;
        synchronization_terms(launch, stats, options, r);
    }
    final_terms(machine, launch, r);
    return TEG_OK;
}

const char *mwp_cwp_limiter_name(enum mwp_cwp_limiter limiter)
{
    static const char *const names[MWP_CWP_LIMITERS] = {
        [MWP_CWP_LIMITER_NONE] = "none",
        [MWP_CWP_LIMITER_WITHOUT_BW] = "without_bw",
        [MWP_CWP_LIMITER_PEAK_BW] = "peak_bw",
        [MWP_CWP_LIMITER_N] = "N",
        [MWP_CWP_LIMITER_NPW] = "npw",
    };

    assert(limiter < MWP_CWP_LIMITERS);
    return names[limiter];
}
