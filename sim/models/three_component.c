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

/* ---- inputs -------------------------------------------------------------- */

/* `warps` active ones for which a benchmark may say the throughput. */
#define BENCHMARKS(row) row(1) row(2) row(4) row(8) row(16) row(32) row(64)

struct component_inputs {
    double active_warps, pipeline_cycles, shared_passes, global_bytes;
    double shared_one, shared_peak, global_one, global_peak;
#define AT(n) double shared_at_##n, global_at_##n;
    BENCHMARKS(AT)
#undef AT
};

#define INPUT(field, rule, fallback, unit, help) \
    MODEL_ROW(field, rule, fallback, unit, help, \
              offsetof(struct component_inputs, field)),
#define AT(n)                                                                  \
    INPUT(shared_at_##n, COUNT, 0, "passes/cycle",                             \
          "benchmarked throughput of shared memory, the SMs that work "         \
          "together, with " #n " active warps on each; 0: not benchmarked")                         \
    INPUT(global_at_##n, COUNT, 0, "B/cycle",                                  \
          "benchmarked throughput of global memory, the SMs that work "         \
          "together, with " #n " active warps on each; 0: not benchmarked")
static const struct teg_parameter parameters[] = {
    INPUT(active_warps, POSITIVE, REQUIRED, "warps", "resident on an SM")
    INPUT(pipeline_cycles, COUNT, 0, "cycles",
          "sum of instructions / T_I (Lai 2013, 1.4), memory left out")
    INPUT(shared_passes, COUNT, 0, "passes",
          "of shared memory, conflicts included")
    INPUT(global_bytes, COUNT, 0, "B", "to and from global memory")
    INPUT(shared_one, COUNT, 0, "passes/cycle",
          "throughput of shared memory with a warp on each SM, where nothing "
          "was benchmarked")
    INPUT(shared_peak, UNLIMITED, HUGE_VAL, "passes/cycle",
          "the most that many warps reach")
    INPUT(global_one, COUNT, 0, "B/cycle",
          "throughput of global memory with a warp on each SM, where nothing "
          "was benchmarked")
    INPUT(global_peak, UNLIMITED, HUGE_VAL, "B/cycle",
          "the most that many warps reach")
    BENCHMARKS(AT)
};
#undef AT
#undef INPUT

enum {
    PARAMETERS = sizeof parameters / sizeof *parameters
};

/* `peak` per cycle, of which one warp alone has `one`. */
static struct throughput_table little(double peak, double one)
{
    if (!(one < peak))
        return (struct throughput_table){{{1, peak}}, 1};
    return (struct throughput_table){{{1, one}, {peak / one, peak}}, 2};
}

static void add_point(struct throughput_table *t, double warps, double value)
{
    if (value > 0)
        t->point[t->count++] = (struct throughput_point){warps, value};
}

/* What was benchmarked; else what Little's law says. */
static struct three_component_inputs look_up(const struct component_inputs *in)
{
    struct three_component_inputs out = {
        .shared_transactions = in->shared_passes,
        .global_transactions = in->global_bytes,
        .warps = in->active_warps,
    };

    /* All instructions as one class of one a cycle. */
    out.count[0] = in->pipeline_cycles;
    out.rate[0] = 1;
#define AT(n)                                    \
    add_point(&out.shared, n, in->shared_at_##n); \
    add_point(&out.global, n, in->global_at_##n);
    BENCHMARKS(AT)
#undef AT
    if (out.shared.count == 0)
        out.shared = little(in->shared_peak, in->shared_one);
    if (out.global.count == 0)
        out.global = little(in->global_peak, in->global_one);
    return out;
}

/* ---- from a trace ---------------------------------------------------------- */

static int is_memory(enum teg_op_class c)
{
    return teg_op_class_facts(c)->kind == RESULT_LONG ||
           (c >= CLASS_STS && c <= CLASS_LDSM) || c == CLASS_LDS;
}

/* Instead of benchmarks: peaks of the description, which as many warps reach as
 * Little's law asks for. */
static teg_status measure(void *inputs, const struct teg_statistics *s,
                          const struct teg_gpu *gpu, struct teg_diag *d)
{
    struct component_inputs *in = inputs;
    const struct teg_memory_statistics *m;
    double sms, traffic, requests, groups, pass;

    model_inputs_init(in, parameters, PARAMETERS);
    if (s == NULL)
        return TEG_OK;
    if (s->warp_instructions == 0)
        return teg_fail(d, TEG_LIMIT, "", "the trace has no instructions");
    m = &s->memory;
    sms = busy_sms(s, gpu);
    traffic = dram_traffic(s);
    requests = fmax((double)m->global_requests, 1);
    groups = fmax((double)m->access_groups, 1);
    pass = gpu->shared.pass_interval;
    in->active_warps = resident_warps(s, gpu);
    for (enum teg_op_class c = 0; c < TEG_CLASSES; c++)
        in->pipeline_cycles += time_of(
            is_memory(c) ? 0 : (double)s->class_[c].issued,
            pipeline_throughput(TEG_LANES * peak_class_of(s, gpu, c), 1, sms));
    in->shared_passes = (double)m->shared_passes;
    in->shared_peak = pass > 0 ? sms / pass : HUGE_VAL;
    in->shared_one = sms / fmax(gpu->timing[CLASS_LDS].latency, 1);
    in->global_bytes = traffic;
    in->global_peak = fmin(peak_dram_bytes(gpu), peak_link_bytes(gpu) * sms);
    in->global_one = sms * traffic / requests * (requests / groups) /
                     fmax(gpu->dram.latency, 1);
    return TEG_OK;
}

enum {
    THREE_COMPONENT_TERMS = 7
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
         "by the benchmarks, or min(B_peak, warps x bytes under way / "
         "dram.latency)",
         "of global memory with so many warps"},
        {"Throughput_shared", "passes/cycle", "by the benchmarks or Little's law",
         "of shared memory with so many warps"},
        {"Ratio_to_second", "", "slowest / second slowest component",
         "what removing the bottleneck can gain at most"},
};

static void say(struct teg_estimate *e, const struct three_component_result *r)
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

    snprintf(e->limiter, sizeof e->limiter, "%s", words[r->bottleneck].limiter);
    snprintf(e->advice, sizeof e->advice, "%s", words[r->bottleneck].advice);
    if (isfinite(r->ratio_to_second))
        snprintf(e->advice, sizeof e->advice,
                 "%s; at most %.2g times faster "
                 "until %s is slower",
                 words[r->bottleneck].advice, r->ratio_to_second,
                 words[r->second].limiter);
}

/* Work without a throughput would take for ever. */
static teg_status check(const struct component_inputs *in,
                        const struct three_component_result *r,
                        struct teg_diag *d)
{
    TRY(model_inputs_check(in, parameters, PARAMETERS, d));
    if (!isfinite(r->time[COMPONENT_SHARED]))
        return teg_fail(d, TEG_LIMIT, "shared_passes",
                        "expected a throughput, shared_at_1 or another");
    if (!isfinite(r->time[COMPONENT_GLOBAL]))
        return teg_fail(d, TEG_LIMIT, "global_bytes",
                        "expected a throughput, global_at_1 or another");
    return TEG_OK;
}

static void evaluate(const void *inputs, struct teg_estimate *e)
{
    const struct component_inputs *given = inputs;
    struct three_component_inputs in = look_up(given);
    struct three_component_result r;
    struct teg_diag d;

    *e = (struct teg_estimate){.model = "three-component", .cycles = nan("")};
    three_component(&in, &r);
    if (check(given, &r, &d) != TEG_OK) {
        teg_estimate_refuse(e, &d);
        return;
    }
    e->applicable = 1;
    e->cycles = r.total;
    say(e, &r);
    for (int i = 0; i < COMPONENTS; i++)
        teg_estimate_term(e, three_component_terms[i].name, r.time[i],
                          "cycles");
    teg_estimate_term(e, "Active_warps", in.warps, "warps");
    if (in.global_transactions > 0)
        teg_estimate_finite_term(e, "Throughput_global",
                                 throughput_table_at(&in.global, in.warps),
                                 "B/cycle");
    if (in.shared_transactions > 0)
        teg_estimate_finite_term(e, "Throughput_shared",
                                 throughput_table_at(&in.shared, in.warps),
                                 "passes/cycle");
    teg_estimate_finite_term(e, "Ratio_to_second", r.ratio_to_second, "");
}

static void three_component_estimate(const struct teg_statistics *s,
                                     const struct teg_gpu *gpu,
                                     struct teg_estimate *e)
{
    struct component_inputs in;
    struct teg_diag d;

    *e = (struct teg_estimate){.model = "three-component", .cycles = nan("")};
    if (measure(&in, s, gpu, &d) == TEG_OK)
        evaluate(&in, e);
    else
        teg_estimate_refuse(e, &d);
}

static const struct teg_model_inputs three_component_inputs_kind = {
    .size = sizeof(struct component_inputs),
    .parameter = parameters,
    .count = PARAMETERS,
    .measure = measure,
    .evaluate = evaluate,
};

const struct teg_model three_component_model = {
    .name = "three-component",
    .title = "quantitative throughput model of three components",
    .source = "Zhang & Owens 2011; Lai 2013, 1.3.3",
    .estimate = three_component_estimate,
    .inputs = &three_component_inputs_kind,
    .terms = three_component_terms,
    .term_count = THREE_COMPONENT_TERMS,
};
