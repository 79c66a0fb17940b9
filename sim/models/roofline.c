#include "sim/models/roofline.h"

#include <stdio.h>

#include "sim/models/peak.h"

double roofline(double peak_gflops, double bandwidth_gbs, double intensity)
{
    return fmin(peak_gflops, bandwidth_gbs * intensity);
}

double roofline_ridge(double peak_gflops, double bandwidth_gbs)
{
    return peak_gflops / bandwidth_gbs;
}

enum term {
    TERM_FLOPS,
    TERM_TRAFFIC,
    TERM_INTENSITY,
    TERM_PEAK,
    TERM_PEAK_ISSUED,
    TERM_PEAK_NO_FMA,
    TERM_PEAK_MIX,
    TERM_BW_DRAM,
    TERM_BW_L2,
    TERM_BW_LINK,
    TERM_BW_SHARED,
    TERM_INTENSITY_L2,
    TERM_RIDGE,
    TERM_P_UPPER,
    TERM_P_CEILING,
    TERM_CYCLES,
    TERMS
};

enum {
    ROOFLINE_TERMS = 16
};

_Static_assert((int)TERMS == (int)ROOFLINE_TERMS, "a row for each term");

static const struct teg_term_facts roofline_terms[ROOFLINE_TERMS] = {
    [TERM_FLOPS] = {"Flops", "flop",
                    "active lanes x operations of their "
                    "class; a multiply-add has two; tensor products 2 m n k",
                    "floating-point operations of the kernel, and all of its "
                    "tensor products'"},
    [TERM_TRAFFIC] = {"Traffic", "bytes",
                      "DRAM bytes; without a replay those of all "
                      "transactions, as if no cache hit",
                      "between caches and DRAM"},
    [TERM_INTENSITY] = {"Intensity", "flop/B", "Flops / Traffic",
                        "operational intensity"},
    [TERM_PEAK] = {"P_peak", "Gflop/s",
                   "2 x multiply-adds a cycle x SMs x clock, or "
                   "sm.peak_flops; of tensor products in the kernel's shapes "
                   "and types",
                   "roof: the chip's stated peak in the kernel's precision"},
    [TERM_PEAK_ISSUED] = {"P_issued", "Gflop/s",
                          "2 x multiply-adds issued a cycle x SMs x clock",
                          "ceiling: what of the peak can be issued"},
    [TERM_PEAK_NO_FMA] = {"P_no_FMA", "Gflop/s", "P_issued / 2",
                          "ceiling without multiply-adds"},
    [TERM_PEAK_MIX] = {"P_mix", "Gflop/s", "Flops x issue rate / instructions",
                       "ceiling: what is left when every instruction of this "
                       "mix takes its issue slot"},
    [TERM_BW_DRAM] = {"B_peak", "GB/s", "dram.bandwidth_gbs",
                      "roof: bandwidth of the DRAM"},
    [TERM_BW_L2] = {"B_L2", "GB/s", "l2.bytes_per_cycle x clock",
                    "roof of traffic that hits L2"},
    [TERM_BW_LINK] = {"B_link", "GB/s",
                      "memory.cluster_bytes_per_cycle x clusters x clock",
                      "ceiling: what the SMs can take from L2 and DRAM"},
    [TERM_BW_SHARED] = {"B_shared", "GB/s",
                        "banks x bank_bytes / pass_interval x SMs x clock",
                        "roof of traffic in shared memory"},
    [TERM_INTENSITY_L2] = {"Intensity_L2", "flop/B",
                           "Flops / bytes of all transactions",
                           "the same at the SM's edge"},
    [TERM_RIDGE] = {"Ridge", "flop/B", "P_peak / B_peak",
                    "intensity from which arithmetic is the limit"},
    [TERM_P_UPPER] = {"P_upper", "Gflop/s", "min(P_peak, B_peak x Intensity)",
                      "what the roofs allow; Lai 2013, 1.7"},
    [TERM_P_CEILING] = {"P_ceiling", "Gflop/s",
                        "min(P_mix, P_issued, B_link x Intensity_L2, P_upper)",
                        "what the lowest ceiling allows: a lower one must be "
                        "broken first"},
    [TERM_CYCLES] = {"Roof_cycles", "cycles",
                     "Flops / P_upper; Traffic / B_peak without arithmetic",
                     "of the kernel under the roofs"},
};

static void find(double *t, const struct teg_statistics *s,
                 const struct teg_gpu *gpu)
{
    double clock_ghz = gpu->chip.sm_clock_mhz / 1000, sms = gpu->chip.sms;
    enum teg_op_class fma = peak_multiply_add(s);

    t[TERM_FLOPS] = count_flops(s);
    t[TERM_TRAFFIC] = dram_traffic(s);
    t[TERM_INTENSITY] = t[TERM_FLOPS] / t[TERM_TRAFFIC];
    t[TERM_INTENSITY_L2] = t[TERM_FLOPS] / (double)s->memory.bytes;
    t[TERM_PEAK] = peak_stated(s, gpu, fma) * sms * clock_ghz;
    t[TERM_PEAK_ISSUED] = peak_operations(s, gpu, fma) * sms * clock_ghz;
    /* A tensor core does nothing but multiply and add. */
    t[TERM_PEAK_NO_FMA] = is_tensor(fma) ? nan("") : t[TERM_PEAK_ISSUED] / 2;
    t[TERM_PEAK_MIX] = t[TERM_FLOPS] / (double)s->warp_instructions *
                       peak_issue(gpu) * sms * clock_ghz;
    t[TERM_BW_DRAM] = peak_dram_bytes(gpu) * clock_ghz;
    t[TERM_BW_L2] = peak_l2_bytes(gpu) * clock_ghz;
    t[TERM_BW_LINK] = peak_link_bytes(gpu) * sms * clock_ghz;
    t[TERM_BW_SHARED] = peak_shared_bytes(gpu) * sms * clock_ghz;
    t[TERM_RIDGE] = roofline_ridge(t[TERM_PEAK], t[TERM_BW_DRAM]);
    t[TERM_P_UPPER] =
        t[TERM_TRAFFIC] > 0
            ? roofline(t[TERM_PEAK], t[TERM_BW_DRAM], t[TERM_INTENSITY])
            : t[TERM_PEAK];
    t[TERM_P_CEILING] =
        fmin(fmin(t[TERM_PEAK_MIX], t[TERM_PEAK_ISSUED]), t[TERM_P_UPPER]);
    if (s->memory.bytes > 0)
        t[TERM_P_CEILING] =
            fmin(t[TERM_P_CEILING], t[TERM_BW_LINK] * t[TERM_INTENSITY_L2]);
    t[TERM_CYCLES] = t[TERM_FLOPS] > 0
                         ? t[TERM_FLOPS] / t[TERM_P_UPPER] * clock_ghz
                         : t[TERM_TRAFFIC] / peak_dram_bytes(gpu);
}

static const char *refusal(const struct teg_statistics *s)
{
    if (s->tensor_uncounted > 0)
        return "it has tensor products whose opcode does not say their shape "
               "and types, so that their operations are not known";
    if (count_flops(s) == 0 && dram_traffic(s) == 0)
        return "no floating-point operation and no DRAM traffic";
    return NULL;
}

/* Far below the roof something else is to be changed first; without a replay
 * nobody knows. */
static int is_far(const struct teg_statistics *s, const double *t)
{
    return s->simulated && t[TERM_CYCLES] < 0.5 * (double)s->cycles;
}

static void say(struct teg_estimate *e, const struct teg_statistics *s,
                const double *t)
{
    int memory = t[TERM_FLOPS] == 0 || t[TERM_P_UPPER] < t[TERM_PEAK];

    if (t[TERM_FLOPS] == 0)
        snprintf(e->limiter, sizeof e->limiter,
                 "memory bandwidth; no floating-point operation");
    else if (t[TERM_TRAFFIC] == 0)
        snprintf(e->limiter, sizeof e->limiter,
                 "peak arithmetic; no DRAM traffic");
    else
        snprintf(e->limiter, sizeof e->limiter, "%s (%.3g flop/B, ridge %.3g)",
                 memory ? "memory bandwidth" : "peak arithmetic",
                 t[TERM_INTENSITY], t[TERM_RIDGE]);
    if (is_far(s, t) && t[TERM_P_CEILING] >= t[TERM_P_UPPER] / 2)
        snprintf(e->advice, sizeof e->advice,
                 "at %.0f %% of the roof, and no ceiling in between: latency "
                 "or too few warps, not throughput",
                 100 * t[TERM_CYCLES] / (double)s->cycles);
    else if (memory)
        snprintf(e->advice, sizeof e->advice,
                 "fewer bytes per operation: reuse in shared memory, registers "
                 "or caches");
    else if (t[TERM_P_CEILING] < t[TERM_P_UPPER] / 2)
        snprintf(e->advice, sizeof e->advice,
                 "below the roof: %s leaves %.3g of %.3g Gflop/s",
                 t[TERM_P_CEILING] < t[TERM_PEAK_MIX] ? "the SMs' link"
                                                      : "issuing this mix",
                 t[TERM_P_CEILING], t[TERM_P_UPPER]);
    else
        snprintf(e->advice, sizeof e->advice,
                 "no ceiling below the roof: near it, only another algorithm "
                 "does better");
}

static void roofline_estimate(const struct teg_statistics *s,
                              const struct teg_gpu *gpu, struct teg_estimate *e)
{
    const char *why = refusal(s);
    double t[TERMS];

    *e = (struct teg_estimate){.model = "roofline", .cycles = nan("")};
    if (why != NULL) {
        snprintf(e->why, sizeof e->why, "%s", why);
        return;
    }
    find(t, s, gpu);
    e->applicable = 1;
    e->cycles = t[TERM_CYCLES];
    say(e, s, t);
    for (int i = 0; i < TERMS; i++)
        teg_estimate_finite_term(e, roofline_terms[i].name, t[i],
                                 roofline_terms[i].unit);
}

const struct teg_model roofline_model = {
    .name = "roofline",
    .title = "roofline with ceilings",
    .source = "Williams et al. 2009; Lai 2013, 1.4.2",
    .estimate = roofline_estimate,
    .terms = roofline_terms,
    .term_count = ROOFLINE_TERMS,
};
