#include "sim/models/dataflow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/models/peak.h"

/* ---- evaluation ------------------------------------------------------------ */

static double factor_of(const struct dataflow *d, uint32_t set, uint32_t flow)
{
    double factor = 1;

    for (uint32_t p = 0; p < d->patterns; p++) {
        const struct dataflow_pattern *pattern = &d->pattern[p];

        for (uint32_t i = 0; (set >> p & 1) != 0 && i < pattern->edits; i++) {
            if (pattern->edit[i].flow == flow)
                factor *= pattern->edit[i].factor;
        }
    }
    return factor;
}

/* The unknown flows of a group are together what its known ones leave; that
 * is enough while they are treated alike.  Their first stands for all. */
static double unknown_bytes(const struct dataflow *d, uint32_t set,
                            uint32_t flow)
{
    uint32_t group = d->flow[flow].group;
    double factor = factor_of(d, set, flow), left = d->group_bytes[group];
    int first = 1;

    for (uint32_t f = 0; f < d->flows; f++) {
        if (d->flow[f].group != group)
            continue;
        if (!isnan(d->flow[f].bytes))
            left -= d->flow[f].bytes;
        else if (factor_of(d, set, f) != factor)
            return nan("");
        else if (f < flow)
            first = 0;
    }
    return first ? left : 0;
}

static void add_flows(const struct dataflow *d, struct dataflow_result *r)
{
    for (uint32_t f = 0; f < d->flows; f++) {
        double factor = factor_of(d, r->set, f), bytes = d->flow[f].bytes;

        if (isnan(bytes) && d->flow[f].group != 0)
            bytes = unknown_bytes(d, r->set, f);
        /* What stays local need not be known. */
        if (factor > 0)
            r->bytes[d->flow[f].link] += bytes * factor;
    }
}

static void find_bottleneck(const struct dataflow *d, struct dataflow_result *r)
{
    double next = HUGE_VAL;

    r->potential = d->peak_gflops;
    r->bottleneck = DATAFLOW_PEAK;
    for (uint32_t l = 0; l < d->links; l++) {
        if (isnan(r->gflops[l])) {
            r->potential = r->gap = nan("");
            return;
        }
        if (r->gflops[l] < r->potential) {
            next = r->potential;
            r->potential = r->gflops[l];
            r->bottleneck = (int)l;
        } else {
            next = fmin(next, r->gflops[l]);
        }
    }
    r->gap = next / r->potential;
}

/* What the cores exchange with others (Lai 2013, 2.3): on a machine whose cores
 * reach each other it is what the patterns keep from memory, as the source
 * counts it for Cell; else all that memory sees. */
static void core_terms(const struct dataflow *d, struct dataflow_result *r)
{
    r->core_bytes = d->has_cores ? d->direct ? 0 : r->bytes[0] : nan("");
    for (uint32_t p = 0; d->direct && p < d->patterns; p++) {
        if (r->set >> p & 1)
            r->core_bytes += d->pattern[p].moved;
    }
    r->core_ratio = d->ops / r->core_bytes;
}

void dataflow_evaluate(const struct dataflow *d, uint32_t set,
                       struct dataflow_result *r)
{
    *r = (struct dataflow_result){.set = set};
    add_flows(d, r);
    core_terms(d, r);
    for (uint32_t l = 0; l < d->links; l++) {
        const struct dataflow_link *link = &d->link[l];

        r->ratio[l] = r->bytes[l] == 0 ? HUGE_VAL : d->ops / r->bytes[l];
        r->gflops[l] = link->bandwidth_gbs * link->efficiency * r->ratio[l];
    }
    find_bottleneck(d, r);
}

static int by_potential(const void *a, const void *b)
{
    const struct dataflow_result *x = a, *y = b;
    int few = __builtin_popcount(x->set) - __builtin_popcount(y->set);

    if (isnan(x->potential) != isnan(y->potential))
        return isnan(x->potential) ? 1 : -1;
    if (x->potential != y->potential && !isnan(x->potential))
        return x->potential < y->potential ? 1 : -1;
    return few != 0 ? few : (x->set > y->set) - (x->set < y->set);
}

uint32_t dataflow_rank(const struct dataflow *d, int feasible_only,
                       struct dataflow_result *r)
{
    uint32_t allowed = 0, count = 0;

    for (uint32_t p = 0; p < d->patterns; p++)
        allowed |= (uint32_t)(d->pattern[p].feasible != 0) << p;
    for (uint32_t set = 0; set < 1u << d->patterns; set++) {
        if (!feasible_only || (set & ~allowed) == 0)
            dataflow_evaluate(d, set, &r[count++]);
    }
    qsort(r, count, sizeof *r, by_potential);
    return count;
}

/* ---- Lattice QCD ------------------------------------------------------------ */

/* Lai 2013, 2.2.1 and 2.2.2. */
static const struct lattice_machine machines[] = {
    {"cell",
     "Cell Broadband Engine",
     102.4,
     25.6,
     0,
     1,
     1,
     {"the source takes it where much arithmetic is to spare, which it does "
      "not say of this machine"}},
    /* 30 SMs with one double-precision unit of 2 operations at 1.296 GHz; the
     * peak behind the printed percentages cannot be found. */
    {"gtx280",
     "GeForce GTX 280 (GT200)",
     77.76,
     140,
     0,
     1,
     0,
     {NULL, LATTICE_NO_GAUGE, LATTICE_NO_SPINORS, LATTICE_NO_IO,
      LATTICE_NO_PATH}},
};

const struct lattice_machine *lattice_machine(const char *name)
{
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        if (strcmp(machines[i].name, name) == 0)
            return &machines[i];
    }
    return NULL;
}

/* Per site, double precision: 2.3 and 2.4.1. */
static const double lattice_ops = 1320, spinor_bytes = 384, gauge_bytes = 1152,
                    half_spinor_bytes = 1536;

enum {
    FLOW_SPINOR,
    FLOW_GAUGE,
    FLOW_INNER,
    FLOW_PROCESSOR,
    FLOW_CORE,
    FLOW_IO,
    LATTICE_FLOWS
};

void lattice_qcd(struct dataflow *d, const struct lattice_machine *m,
                 double alpha, double beta)
{
    double h = half_spinor_bytes;

    *d = (struct dataflow){
        .name = "Hopping_Matrix of Lattice QCD, double precision",
        .unit = "site",
        .ops = lattice_ops,
        .peak_gflops = m->peak_gflops,
        .link = {{"main memory", m->memory_gbs, 1},
                 {"I/O", m->io_gbs, m->io_efficiency}},
        .links = m->io_gbs > 0 ? 2 : 1,
        .flow = {[FLOW_SPINOR] = {"spinors", 0, spinor_bytes, 0},
                 [FLOW_GAUGE] = {"gauge matrices", 0, gauge_bytes, 0},
                 [FLOW_INNER] = {"half spinors inside", 0,
                                 h * (1 - alpha - beta), 1},
                 [FLOW_PROCESSOR] = {"half spinors to processors", 0, h * alpha,
                                     1},
                 [FLOW_CORE] = {"half spinors to cores", 0, h * beta, 1},
                 [FLOW_IO] = {"half spinors over I/O", 1, h * alpha, 0}},
        .flows = m->io_gbs > 0 ? LATTICE_FLOWS : FLOW_IO,
        .group_bytes = {0, h},
        .pattern = {{"P1",
                     "rebuild gauge matrices from 8 of 18 numbers",
                     {{FLOW_GAUGE, 8.0 / 18}},
                     1,
                     0,
                     NULL,
                     0},
                    {"P2",
                     "share each gauge matrix between its two sites",
                     {{FLOW_GAUGE, 0.5}},
                     1,
                     0,
                     NULL,
                     0},
                    {"P3",
                     "keep intermediate half spinors local",
                     {{FLOW_INNER, 0}},
                     1,
                     0,
                     NULL,
                     0},
                    {"P4",
                     "keep those at processor boundaries out of main memory",
                     {{FLOW_PROCESSOR, 0}},
                     1,
                     0,
                     NULL,
                     0},
                    {"P5",
                     "keep those at core boundaries out of main memory",
                     {{FLOW_CORE, 0}},
                     1,
                     0,
                     NULL,
                     0}},
        .patterns = 5,
        .has_cores = 1,
        .direct = m->direct,
    };
    d->pattern[3].moved = h * alpha;
    d->pattern[4].moved = h * beta;
    for (uint32_t p = 0; p < d->patterns; p++) {
        d->pattern[p].feasible = m->why_not[p] == NULL;
        d->pattern[p].why = m->why_not[p];
    }
}

/* ---- as a model of a trace -------------------------------------------------- */

enum {
    LINK_SHARED,
    LINK_SM,
    LINK_L2,
    LINK_DRAM,
    TRACE_LINKS
};

enum {
    DATAFLOW_TERMS = 9
};

static const struct teg_term_facts dataflow_terms[DATAFLOW_TERMS] = {
    {"B_shared_memory", "bytes", "shared_passes x bytes of a pass",
     "over the link between registers and shared memory"},
    {"B_SM_link", "bytes",
     "bytes of all transactions; after a replay those "
     "beyond L1",
     "over the link between the SMs and L2 or memory"},
    {"B_L2_cache", "bytes", "L2 sectors x 32",
     "that L2 delivers; after a "
     "replay only"},
    {"B_DRAM", "bytes",
     "DRAM bytes; without a replay those of all "
     "transactions",
     "over the link to DRAM"},
    {"R_shared_memory", "flop/B", "operations / bytes of the link",
     "operations per byte of shared memory; Lai 2013, 2.3"},
    {"R_SM_link", "flop/B", "operations / bytes of the link",
     "operations per byte of the SMs' link (R_A/C)"},
    {"R_L2_cache", "flop/B", "operations / bytes of the link",
     "operations per byte of L2"},
    {"R_DRAM", "flop/B", "operations / bytes of the link",
     "operations per byte of DRAM (R_A/M); Lai 2013, 2.2"},
    {"P_flow", "Gflop/s", "min(P_peak, min over links of bandwidth x ratio)",
     "what the slowest link allows"},
};

/* One launch is the unit of work. */
static void describe(struct dataflow *d, const struct teg_statistics *s,
                     const struct teg_gpu *gpu)
{
    const struct teg_memory_statistics *m = &s->memory;
    double ghz = gpu->chip.sm_clock_mhz / 1000, sms = gpu->chip.sms;
    double pass = gpu->shared.pass_interval > 0
                      ? peak_shared_bytes(gpu) * gpu->shared.pass_interval
                      : 0;
    double hits = s->simulated ? 32 * (double)m->l1_hits : 0;

    double peak = peak_operations(s, gpu, peak_multiply_add(s));

    *d = (struct dataflow){
        .unit = "launch",
        .ops = count_flops(s),
        .peak_gflops = peak * sms * ghz,
        .link = {[LINK_SHARED] = {"shared memory",
                                  peak_shared_bytes(gpu) * sms * ghz, 1},
                 [LINK_SM] = {"link of the SMs",
                              peak_link_bytes(gpu) * sms * ghz, 1},
                 [LINK_L2] = {"L2", peak_l2_bytes(gpu) * ghz, 1},
                 [LINK_DRAM] = {"DRAM", peak_dram_bytes(gpu) * ghz, 1}},
        .links = TRACE_LINKS,
        .flow = {{"shared", LINK_SHARED, (double)m->shared_passes * pass, 0},
                 {"link", LINK_SM, (double)m->bytes - hits, 0},
                 {"l2", LINK_L2, 32 * (double)m->l2_sectors, 0},
                 {"dram", LINK_DRAM, dram_traffic(s), 0}},
        .flows = TRACE_LINKS,
    };
}

/* Seconds x 1e9; works without arithmetic, where ratios do not. */
static double slowest(const struct dataflow *d, uint32_t *link)
{
    double most = 0;

    for (uint32_t l = 0; l < d->links; l++) {
        double time = d->flow[l].bytes > 0
                          ? d->flow[l].bytes / d->link[l].bandwidth_gbs
                          : 0;

        if (time > most) {
            most = time;
            *link = l;
        }
    }
    return most;
}

static void add_terms(struct teg_estimate *e, const struct dataflow *d)
{
    struct dataflow_result r;

    dataflow_evaluate(d, 0, &r);
    for (uint32_t l = 0; l < TRACE_LINKS; l++) {
        if (r.bytes[l] > 0)
            teg_estimate_term(e, dataflow_terms[l].name, r.bytes[l], "bytes");
    }
    for (uint32_t l = 0; d->ops > 0 && l < TRACE_LINKS; l++)
        teg_estimate_finite_term(e, dataflow_terms[TRACE_LINKS + l].name,
                                 r.ratio[l], "flop/B");
    if (d->ops > 0)
        teg_estimate_term(e, "P_flow", r.potential, "Gflop/s");
}

/* Links of the description, traffic of the trace. */
static void dataflow_estimate(const struct teg_statistics *s,
                              const struct teg_gpu *gpu, struct teg_estimate *e)
{
    struct dataflow d;
    uint32_t link = 0;
    double links, arithmetic;

    *e = (struct teg_estimate){.model = "data-flow", .cycles = nan("")};
    describe(&d, s, gpu);
    links = slowest(&d, &link);
    arithmetic = d.ops / d.peak_gflops;
    if (links == 0 && arithmetic == 0) {
        snprintf(e->why, sizeof e->why,
                 "no floating-point operation and no memory access");
        return;
    }
    e->applicable = 1;
    e->cycles = fmax(links, arithmetic) * gpu->chip.sm_clock_mhz / 1000;
    snprintf(e->limiter, sizeof e->limiter, "%s",
             links > arithmetic ? d.link[link].name : "peak arithmetic");
    if (links > arithmetic)
        snprintf(
            e->advice, sizeof e->advice,
            "keep data nearer to the lanes: every flow that does not cross "
            "the %s is gain",
            d.link[link].name);
    else
        snprintf(e->advice, sizeof e->advice,
                 "no link limits: fewer operations only");
    add_terms(e, &d);
}

const struct teg_model dataflow_model = {
    .name = "data-flow",
    .title = "traffic over each link",
    .source = "Lai 2013, chapter 2",
    .estimate = dataflow_estimate,
    .terms = dataflow_terms,
    .term_count = DATAFLOW_TERMS,
};
