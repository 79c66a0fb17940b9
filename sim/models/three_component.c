#include "sim/models/three_component.h"

#include <stdio.h>

#include "sim/models/peak.h"

static const double threads_per_warp = 32;

double pipeline_throughput(double units, double frequency, double sms)
{
    return units * frequency * sms / threads_per_warp;
}

double throughput_table_at(const struct throughput_table *t, double warps)
{
    const struct throughput_point *p = t->point;
    uint32_t i = 1;

    if (t->count == 0)
        return nan("");
    if (warps <= p[0].warps || t->count == 1)
        return p[0].throughput;
    while (i < t->count - 1 && p[i].warps < warps)
        i++;
    if (warps >= p[i].warps)
        return p[i].throughput;
    return p[i - 1].throughput + (warps - p[i - 1].warps) /
                                     (p[i].warps - p[i - 1].warps) *
                                     (p[i].throughput - p[i - 1].throughput);
}

/* Nothing to do takes no time, whatever the throughput. */
static double time_of(double work, double throughput)
{
    return work > 0 ? work / throughput : 0;
}

static void rank(struct three_component_result *r)
{
    r->bottleneck = COMPONENT_PIPELINE;
    for (int i = 1; i < COMPONENTS; i++)
        if (r->time[i] > r->time[r->bottleneck])
            r->bottleneck = (enum three_component)i;
    r->second = r->bottleneck == COMPONENT_PIPELINE ? COMPONENT_SHARED
                                                    : COMPONENT_PIPELINE;
    for (int i = 0; i < COMPONENTS; i++)
        if (i != (int)r->bottleneck && r->time[i] > r->time[r->second])
            r->second = (enum three_component)i;
    r->total = r->time[r->bottleneck];
    r->ratio_to_second =
        r->time[r->second] > 0 ? r->total / r->time[r->second] : nan("");
}

void three_component(const struct three_component_inputs *in,
                     struct three_component_result *r)
{
    *r = (struct three_component_result){0};
    for (int c = 0; c < TEG_CLASSES; c++)
        r->time[COMPONENT_PIPELINE] += time_of(in->count[c], in->rate[c]);
    r->time[COMPONENT_SHARED] = time_of(
        in->shared_transactions, throughput_table_at(&in->shared, in->warps));
    r->time[COMPONENT_GLOBAL] = time_of(
        in->global_transactions, throughput_table_at(&in->global, in->warps));
    rank(r);
}

/* ---- from a trace ---------------------------------------------------------- */

/* `peak` per cycle; one warp has `each` under way for `latency` cycles. */
static struct throughput_table little(double peak, double each, double latency)
{
    double one = each / fmax(latency, 1);

    if (!(one < peak))
        return (struct throughput_table){{{1, peak}}, 1};
    return (struct throughput_table){{{1, one}, {peak / one, peak}}, 2};
}

static int is_memory(enum teg_op_class c)
{
    return teg_op_class_facts(c)->kind == RESULT_LONG ||
           (c >= CLASS_STS && c <= CLASS_LDSM) || c == CLASS_LDS;
}

static void measure(struct three_component_inputs *in,
                    const struct teg_statistics *s, const struct teg_gpu *gpu)
{
    const struct teg_memory_statistics *m = &s->memory;
    double sms = busy_sms(s, gpu), traffic = dram_traffic(s);
    double requests = fmax((double)m->global_requests, 1);
    double groups = fmax((double)m->access_groups, 1);
    double pass = gpu->shared.pass_interval;

    *in = (struct three_component_inputs){.warps = resident_warps(s, gpu)};
    for (enum teg_op_class c = 0; c < TEG_CLASSES; c++) {
        in->count[c] = is_memory(c) ? 0 : (double)s->class_[c].issued;
        in->rate[c] =
            pipeline_throughput(TEG_LANES * peak_class_of(s, gpu, c), 1, sms);
    }
    in->shared_transactions = (double)m->shared_passes;
    in->shared = little(pass > 0 ? sms / pass : HUGE_VAL, sms,
                        gpu->timing[CLASS_LDS].latency);
    in->global_transactions = traffic;
    in->global = little(fmin(peak_dram_bytes(gpu), peak_link_bytes(gpu) * sms),
                        sms * traffic / requests * (requests / groups),
                        gpu->dram.latency);
}

enum {
    THREE_COMPONENT_TERMS = 6
};

static const struct teg_term_facts
    three_component_terms[THREE_COMPONENT_TERMS] = {
        {"T_pipeline", "cycles",
         "sum of instructions / T_I; T_I = units x "
         "frequency x SMs / 32",
         "time of all but memory instructions; Lai 2013, 1.4"},
        {"T_shared", "cycles", "passes / throughput at the active warps",
         "time of shared memory, conflicts included"},
        {"T_global", "cycles", "DRAM bytes / throughput at the active warps",
         "time of global memory"},
        {"Active_warps", "warps", "resident on an SM",
         "what the throughputs are "
         "looked up by"},
        {"Throughput_global", "B/cycle",
         "min(B_peak, warps x bytes under way / "
         "dram.latency)",
         "of global memory with so many warps"},
        {"Ratio_to_second", "", "slowest / second slowest component",
         "what removing the bottleneck can gain at most"},
};

/* Instead of benchmarks: peaks of the description, which
 * as many warps reach as Little's law asks for. */
static void three_component_estimate(const struct teg_statistics *s,
                                     const struct teg_gpu *gpu,
                                     struct teg_estimate *e)
{
    static const struct {
        const char *limiter, *advice;
    } words[COMPONENTS] = {
        {"the instruction pipeline", "fewer instructions, or types that more "
                                     "units execute"},
        {"shared memory", "fewer shared accesses or bank conflicts: keep more "
                          "in registers"},
        {"global memory", "fewer bytes, coalesced accesses, more warps or "
                          "independent accesses"},
    };
    struct three_component_inputs in;
    struct three_component_result r;

    *e = (struct teg_estimate){.model = "three-component", .cycles = nan("")};
    if (s->warp_instructions == 0) {
        snprintf(e->why, sizeof e->why, "the trace has no instructions");
        return;
    }
    measure(&in, s, gpu);
    three_component(&in, &r);
    e->applicable = 1;
    e->cycles = r.total;
    snprintf(e->limiter, sizeof e->limiter, "%s", words[r.bottleneck].limiter);
    snprintf(e->advice, sizeof e->advice, "%s", words[r.bottleneck].advice);
    if (isfinite(r.ratio_to_second))
        snprintf(e->advice, sizeof e->advice,
                 "%s; at most %.2g times faster "
                 "until %s is slower",
                 words[r.bottleneck].advice, r.ratio_to_second,
                 words[r.second].limiter);
    for (int i = 0; i < COMPONENTS; i++)
        teg_estimate_term(e, three_component_terms[i].name, r.time[i],
                          "cycles");
    teg_estimate_term(e, "Active_warps", in.warps, "warps");
    if (in.global_transactions > 0)
        teg_estimate_finite_term(e, "Throughput_global",
                                 throughput_table_at(&in.global, in.warps),
                                 "B/cycle");
    teg_estimate_finite_term(e, "Ratio_to_second", r.ratio_to_second, "");
}

const struct teg_model three_component_model = {
    .name = "three-component",
    .title = "quantitative throughput model of three components",
    .source = "Zhang & Owens 2011; Lai 2013, 1.3.3",
    .estimate = three_component_estimate,
    .terms = three_component_terms,
    .term_count = THREE_COMPONENT_TERMS,
};
