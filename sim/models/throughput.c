#include "sim/models/throughput.h"

#include "sim/models/parameter.h"

#include <assert.h>

/* Saturation within 15 % of what the kernel asks for costs little.
 * (Hong 2012, 5.4.4) */
static const double slight_saturation = 0.85;

static teg_status check_inputs(const struct throughput_device *dev,
                               const struct throughput_kernel *k,
                               struct teg_diag *d)
{
#define CHECK(part, field, rule) \
    TRY(model_check(#field, MODEL_RULE_##rule, (part)->field, d));
#define DEVICE(field, rule, fallback, unit, help) CHECK(dev, field, rule)
#define KERNEL(field, rule, fallback, unit, help) CHECK(k, field, rule)
#include "sim/models/throughput.def"
#undef CHECK
    if (k->fp + k->fp_fused + k->fp_vec + k->fp_vec_fused + k->int_insts +
            k->br_misc + k->mem ==
        0)
        return teg_fail(d, TEG_LIMIT, "fp",
                        "expected at least one instruction, found none");
    return TEG_OK;
}

/* Useful instructions: `narrow` on the plain units, `wide` fused or on the
 * vector units. */
struct useful {
    double narrow, wide;
};

/* A CPU splits multiply-adds and has vector units; a GPU has neither.
 * (Hong 2012, 5.3.4 and 5.7) */
static struct useful count_useful(const struct throughput_device *dev,
                                  const struct throughput_kernel *k)
{
    if (dev->cpu != 0)
        return (struct useful){k->fp + (dev->fma != 0 ? 1 : 2) * k->fp_fused,
                               k->fp_vec +
                                   (dev->fma != 0 ? 1 : 2) * k->fp_vec_fused};
    if (dev->fma != 0)
        return (struct useful){k->fp + k->fp_vec,
                               k->fp_fused + k->fp_vec_fused};
    return (struct useful){
        k->fp + k->fp_vec + 2 * (k->fp_fused + k->fp_vec_fused), 0};
}

static void peak_terms(const struct throughput_device *dev,
                       const struct useful *u, struct throughput_result *r)
{
    double chip = dev->clock_ghz * dev->active_cores;

    r->dev_peak_fp = chip * dev->fp_units;
    r->dev_peak_wide = dev->cpu != 0 ? chip * dev->vec_units * dev->vec_width
                                     : (dev->fma != 0 ? 2 : 1) * r->dev_peak_fp;
    r->useful = u->narrow + u->wide;
    r->peak_achi =
        r->useful > 0
            ? (r->dev_peak_fp * u->narrow + r->dev_peak_wide * u->wide) /
                  r->useful
            : nan("");
}

static void ratio_terms(const struct throughput_device *dev,
                        const struct throughput_kernel *k,
                        const struct useful *u, struct throughput_result *r)
{
    double vector_ilp = dev->cpu != 0 && k->sse_ilp > 0 ? k->sse_ilp : k->ilp;
    double distance =
        dev->slot_cycles * k->dep * (k->dep_hidden != 0 ? k->n : 1);

    r->total = r->useful + k->int_insts + k->br_misc + k->mem;
    r->dep_effect = fmax(dev->inst_latency / distance, 1);
    r->perf_cycles = u->narrow / k->ilp + u->wide / vector_ilp;
    r->total_cycles = ((r->total - u->wide) / k->ilp + u->wide / vector_ilp) *
                      k->cost * r->dep_effect;
    r->eff_ratio_comp_only = r->perf_cycles / r->total_cycles;
    r->perf_comp_only = r->peak_achi * r->eff_ratio_comp_only;
}

static void period_terms(const struct throughput_device *dev,
                         const struct throughput_kernel *k,
                         struct throughput_result *r)
{
    r->periods = k->mem / k->mstr;
    r->eff_perf = r->perf_cycles / r->periods;
    r->eff_comp = dev->slot_cycles * r->total_cycles / r->periods;
    r->eff_mem = k->eff_mem > 0 ? k->eff_mem : dev->dram_lat;
}

static void overlap_terms(const struct throughput_device *dev,
                          const struct throughput_kernel *k,
                          struct throughput_result *r)
{
    double bytes_lat = k->bytes_lat > 0 ? k->bytes_lat : dev->dram_lat;

    r->mwp_app_infin = fmax(r->eff_mem / r->eff_comp, 1);
    r->mwp_app_onememwarp = fmin(r->mwp_app_infin, k->n);
    r->mwp_app = r->mwp_app_onememwarp * k->mstr;
    r->bw_per_warp =
        dev->clock_ghz * k->bytes_per_warp * k->dram_share / bytes_lat;
    r->mwp_bw = dev->mem_bw_gbs / (r->bw_per_warp * dev->active_cores);
    r->mwp_proc = bytes_lat / dev->departure_delay;
    r->mwp = fmin(fmin(r->mwp_app, r->mwp_bw), fmin(r->mwp_proc, k->n));
    if (dev->cpu != 0)
        r->mwp = 1;
    /* The tests are exact: MWP is the result of a minimum with each. */
    r->limiter = r->mwp == k->n         ? THROUGHPUT_LIMITER_N
                 : r->mwp == r->mwp_app ? THROUGHPUT_LIMITER_APP
                 : r->mwp == r->mwp_bw  ? THROUGHPUT_LIMITER_BW
                                        : THROUGHPUT_LIMITER_PROC;
}

static void idle_terms(const struct throughput_device *dev,
                       const struct throughput_kernel *k,
                       struct throughput_result *r)
{
    r->mem_serial_n = r->eff_mem * k->n;
    r->mem_divided_n = r->mem_serial_n / r->mwp;
    /* MWP below 1, a starved device, must not earn cycles back. */
    r->mem_n = r->mem_divided_n + r->eff_comp * fmax(r->mwp - 1, 0);
    r->comp_cycles_n = r->eff_comp * k->n;
    r->idle_mem_cycles = fmax(0, r->mem_n - r->comp_cycles_n);
    r->hidden_memory = r->idle_mem_cycles / r->mem_serial_n;
    r->eff_ratio = r->eff_perf * dev->slot_cycles * k->n /
                   (r->comp_cycles_n + r->idle_mem_cycles);
}

static uint32_t category_of(const struct throughput_kernel *k,
                            const struct throughput_result *r)
{
    uint32_t group = k->n < r->mwp_app_infin ? 1 : 6;

    if (r->mwp_proc < r->mwp_app)
        return group + (r->mwp_bw < r->mwp_app ? 0 : 1);
    if (r->mwp_bw < slight_saturation * r->mwp_app)
        return group + 2;
    return group + (r->mwp_bw < r->mwp_app ? 3 : 4);
}

static void advice_terms(const struct throughput_device *dev,
                         const struct throughput_kernel *k,
                         struct throughput_result *r)
{
    int saturated = r->mwp_app > r->mwp_bw;

    r->category = category_of(k, r);
    r->alpha_bw = r->mwp_app / r->mwp_bw;
    r->alpha_app = r->mwp_bw / r->mwp_app;
    r->cores_suggested_real = dev->active_cores;
    r->n_suggested_real = r->n_suggested_exact = k->n;
    if (saturated) {
        r->cores_suggested_real *= r->alpha_app;
        r->n_suggested_real *= r->alpha_app;
        /* (90) holds for any MWP_App_InfiN; at least one warp must be. */
        r->n_suggested_exact = fmax(floor(r->mwp_bw / k->mstr), 1);
    }
    r->core_reduction_factor = r->mwp_app_infin > k->n && k->n > 1
                                   ? (r->mwp_app_infin - 1) / (k->n - 1)
                                   : nan("");
}

/* No memory instruction: neither periods nor MWP exist. */
static void no_memory_terms(struct throughput_result *r)
{
    r->eff_ratio = r->eff_ratio_comp_only;
    r->limiter = THROUGHPUT_LIMITER_NONE;
}

/* The source has no equation for time.  It counts accesses in MWP_App and
 * warps in MWP, so the bytes of a group may come out too fast: not here. */
static void cycles_terms(const struct throughput_device *dev,
                         const struct throughput_kernel *k,
                         struct throughput_result *r)
{
    double rounds = k->warps_per_core / k->n;

    r->bw_bound = k->warps_per_core * k->mem * k->bytes_per_warp *
                  k->dram_share * dev->active_cores * dev->clock_ghz /
                  dev->mem_bw_gbs;
    r->cycles =
        k->mem == 0
            ? dev->slot_cycles * r->total_cycles * k->warps_per_core
            : (r->comp_cycles_n + r->idle_mem_cycles) * r->periods * rounds;
    r->cycles = fmax(r->cycles, r->bw_bound);
}

/* One evaluation with given memory behaviour. */
static void solve(const struct throughput_device *dev,
                  const struct throughput_kernel *k,
                  struct throughput_result *r)
{
    struct useful useful = count_useful(dev, k);

#define RESULT(field, symbol, unit, equation, help) r->field = nan("");
#include "sim/models/throughput.def"
    peak_terms(dev, &useful, r);
    ratio_terms(dev, k, &useful, r);
    r->periods = 0;
    if (k->mem == 0) {
        no_memory_terms(r);
    } else {
        period_terms(dev, k, r);
        overlap_terms(dev, k, r);
        idle_terms(dev, k, r);
        advice_terms(dev, k, r);
    }
    r->perf = r->peak_achi * r->eff_ratio;
    if (k->warps_per_core > 0)
        cycles_terms(dev, k, r);
}

/* Perf with `share` of the accesses from DRAM and the others from a memory of
 * latency `lat`; NAN without that. */
static double bounding_line(const struct throughput_device *dev,
                            struct throughput_kernel k, double lat,
                            double share)
{
    struct throughput_result r;

    if (k.mem == 0 || (lat <= 0 && share < 1))
        return nan("");
    k.eff_mem = share * dev->dram_lat + (1 - share) * lat;
    k.dram_share = share;
    solve(dev, &k, &r);
    return r.perf;
}

teg_status throughput(const struct throughput_device *device,
                      const struct throughput_kernel *kernel,
                      struct throughput_result *result, struct teg_diag *d)
{
    double near = device->l2_lat > 0 ? device->l2_lat : device->l1_lat;

    TRY(check_inputs(device, kernel, d));
    solve(device, kernel, result);
    result->perf_l1 = bounding_line(device, *kernel, device->l1_lat, 0);
    result->perf_high_dram =
        bounding_line(device, *kernel, near, kernel->high_dram);
    result->perf_dram = bounding_line(device, *kernel, near, 1);
    return TEG_OK;
}

const char *throughput_limiter_name(enum throughput_limiter limiter)
{
    static const char *const names[THROUGHPUT_LIMITERS] = {
        [THROUGHPUT_LIMITER_NONE] = "",
        [THROUGHPUT_LIMITER_N] = "N",
        [THROUGHPUT_LIMITER_APP] = "app",
        [THROUGHPUT_LIMITER_BW] = "bw",
        [THROUGHPUT_LIMITER_PROC] = "proc"};

    assert(limiter < THROUGHPUT_LIMITERS);
    return names[limiter];
}

const struct throughput_category *throughput_category(uint32_t category)
{
    static const struct throughput_category categories[] = {
        {"too few warps; bandwidth and internal memory cycles both short",
         "little but compiler optimization: more warps would saturate memory; "
         "the core clock may be lowered"},
        {"too few warps; internal memory cycles limit",
         "coalesce the accesses; fewer cores or more warps help little; the "
         "core clock may be lowered"},
        {"slightly too few warps; bandwidth limits",
         "more bandwidth, fewer active cores or less data per thread; more "
         "warps help little"},
        {"slightly too few warps; bandwidth nearly sufficient",
         "more bandwidth, fewer active cores or less data per thread; more "
         "warps help little"},
        {"too few warps; memory does not limit",
         "more resident warps help for certain; the core clock may be "
         "lowered"},
        {"enough warps; bandwidth and internal memory cycles both short",
         "memory adds idle cycles: improve access and data volume; fewer "
         "resident warps would do"},
        {"enough warps; internal memory cycles limit",
         "enough computation, but memory adds idle cycles: coalesce the "
         "accesses"},
        {"enough warps; bandwidth limits",
         "more bandwidth, fewer active cores or less data per thread"},
        {"enough warps; bandwidth nearly sufficient",
         "second best: what remains is compiler optimization"},
        {"enough warps; memory does not limit",
         "best: what remains is compiler optimization"},
    };

    assert(category >= 1 && category <= 10);
    return &categories[category - 1];
}
