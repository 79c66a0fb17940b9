#include "sim/models/bound.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim/models/peak.h"

/* Warp instructions x initiation interval, by the units that may take them. */
struct work {
    double cycles, arithmetic;
};

static int counts_as_arithmetic(enum teg_op_class c)
{
    return is_floating(c) || is_tensor(c);
}

static void add_class(struct work *w, const struct teg_statistics *s,
                      enum teg_op_class c, double interval)
{
    double cycles = (double)s->class_[c].issued * interval;

    w->cycles += cycles;
    if (counts_as_arithmetic(c))
        w->arithmetic += cycles;
}

static void add(struct bound *b, enum bound_kind kind, const char *name,
                double cycles, double arithmetic)
{
    struct bound_resource *r = &b->resource[b->count];

    if (cycles <= 0 || b->count == BOUND_RESOURCES_MAX)
        return;
    *r = (struct bound_resource){
        .kind = kind, .cycles = cycles, .arithmetic = arithmetic};
    snprintf(r->name, sizeof r->name, "%s", name);
    b->count++;
}

static void add_issue(struct bound *b, const struct teg_statistics *s,
                      const struct teg_gpu *gpu, double sms)
{
    struct work w = {0};

    for (enum teg_op_class c = 0; c < TEG_CLASSES; c++)
        add_class(&w, s, c, 1 / peak_issue(gpu));
    add(b, BOUND_ISSUE, "issue", w.cycles / sms, w.arithmetic / sms);
}

/* Units `x` and `y` (the same: one unit) take whatever may go nowhere else. */
static struct work work_of(const struct teg_statistics *s,
                           const struct teg_gpu *gpu, uint32_t x, uint32_t y)
{
    struct work w = {0};

    for (enum teg_op_class c = 0; c < TEG_CLASSES; c++) {
        const struct teg_timing *t = &gpu->timing[c];
        int here = 1;

        for (uint8_t i = 0; i < t->unit_count; i++)
            here &= t->unit[i] == x || t->unit[i] == y;
        if (here)
            add_class(&w, s, c, mean_interval(s, gpu, c));
    }
    return w;
}

static int is_pair(const struct teg_gpu *gpu, uint32_t x, uint32_t y)
{
    for (enum teg_op_class c = 0; c < TEG_CLASSES; c++) {
        const struct teg_timing *t = &gpu->timing[c];

        if (t->unit_count == 2 && ((t->unit[0] == x && t->unit[1] == y) ||
                                   (t->unit[0] == y && t->unit[1] == x)))
            return 1;
    }
    return 0;
}

static void add_units(struct bound *b, const struct teg_statistics *s,
                      const struct teg_gpu *gpu, double sms)
{
    for (uint32_t x = 0; x < gpu->unit_count; x++) {
        for (uint32_t y = x; y < gpu->unit_count; y++) {
            struct work w = work_of(s, gpu, x, y);
            double instances = peak_instances(gpu, x);
            char name[40];

            if (x != y && !is_pair(gpu, x, y))
                continue;
            if (x == y) {
                snprintf(name, sizeof name, "unit %s", gpu->unit[x].name);
            } else {
                instances += peak_instances(gpu, y);
                snprintf(name, sizeof name, "units %s and %s",
                         gpu->unit[x].name, gpu->unit[y].name);
            }
            add(b, x == y ? BOUND_UNIT : BOUND_PAIR, name,
                w.cycles / (instances * sms), w.arithmetic / (instances * sms));
        }
    }
}

/* Whether shared and global accesses go through one unit. */
static int is_one_data_stage(const struct teg_gpu *gpu)
{
    const struct teg_timing *lds = &gpu->timing[CLASS_LDS];
    const struct teg_timing *ldg = &gpu->timing[CLASS_LDG];

    return lds->unit_count == 1 && ldg->unit_count == 1 &&
           lds->unit[0] == ldg->unit[0];
}

/* The least time of a transaction in the unit that looks up lines: a load may
 * find each bank of tags as busy as the others. */
static double transaction_cycles(const struct teg_gpu *gpu)
{
    double each = gpu->memory.transaction_interval;

    return gpu->l1.tag_banks != 0 ? fmin(each, 1.0 / gpu->l1.tag_banks) : each;
}

/* Of a unit, for all passes; an atomic's may take longer. */
static double shared_cycles(const struct teg_memory_statistics *m,
                            const struct teg_gpu *gpu)
{
    double atomic = gpu->shared.atomic_interval > 0
                        ? gpu->shared.atomic_interval
                        : gpu->shared.pass_interval;
    double others = (double)(m->shared_passes - m->shared_atomic_passes);

    return others * gpu->shared.pass_interval +
           (double)m->shared_atomic_passes * atomic;
}

/* What both kinds of accesses move, if one unit moves it. */
static void add_data_stage(struct bound *b, const struct teg_statistics *s,
                           const struct teg_gpu *gpu, double units)
{
    const struct teg_memory_statistics *m = &s->memory;
    double rate = gpu->memory.lane_bytes_per_cycle;

    if (is_one_data_stage(gpu) && rate > 0)
        add(b, BOUND_DATA, "data stage",
            (shared_cycles(m, gpu) + (double)m->useful_bytes / rate) / units,
            0);
}

/* What is still under way at the kernel's end did not delay it: stores,
 * reductions, write-backs, loads that nobody read. */
static double until_end(const struct teg_statistics *s, double cycles)
{
    return s->simulated && s->cycles > 0 ? fmin(cycles, (double)s->cycles)
                                         : cycles;
}

/* Of all units that may have taken the requests of the kinds `c`, `count` of
 * them, and of `own`, for statistics do not say which took what.  On a chip
 * whose accesses share a unit that is this one. */
static double request_instances(const struct teg_statistics *s,
                                const struct teg_gpu *gpu,
                                const enum teg_op_class *c, uint32_t count,
                                uint8_t own)
{
    uint8_t is_counted[TEG_MAX_UNITS] = {0};
    double instances = 0;

    if (own != TEG_NO_UNIT) {
        instances = peak_instances(gpu, own);
        is_counted[own] = 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct teg_timing *t = &gpu->timing[c[i]];

        for (uint8_t u = 0; s->class_[c[i]].issued != 0 && u < t->unit_count;
             u++) {
            if (!is_counted[t->unit[u]])
                instances += peak_instances(gpu, t->unit[u]);
            is_counted[t->unit[u]] = 1;
        }
    }
    return fmax(instances, 1);
}

/* Loads and stores through generic addresses, copies and reductions go either
 * way. */
static const enum teg_op_class global_classes[] = {
    CLASS_LDG, CLASS_STG, CLASS_ATOMG, CLASS_RED, CLASS_LDGSTS, CLASS_BULK,
    CLASS_LDL, CLASS_STL, CLASS_LD,    CLASS_ST,  CLASS_TEX,    CLASS_SURFACE,
};

static const enum teg_op_class shared_classes[] = {
    CLASS_LDS,    CLASS_STS,  CLASS_ATOMS, CLASS_LDSM,
    CLASS_LDGSTS, CLASS_BULK, CLASS_LD,    CLASS_ST,
};

#define COUNT(table) ((uint32_t)(sizeof(table) / sizeof(table)[0]))

/* A request holds its unit for the longer of the interval and its
 * transactions or passes; the sum of either is a bound. */
static void add_requests(struct bound *b, const struct teg_statistics *s,
                         const struct teg_gpu *gpu, double sms)
{
    const struct teg_memory_statistics *m = &s->memory;
    /* Operands in shared memory go through a port of their own. */
    double lds = request_instances(s, gpu, shared_classes,
                                   COUNT(shared_classes), gpu->operand_unit);
    double ldg = gpu->tag_unit != TEG_NO_UNIT
                     ? peak_instances(gpu, gpu->tag_unit)
                     : request_instances(s, gpu, global_classes,
                                         COUNT(global_classes), TEG_NO_UNIT);

    add(b, BOUND_TRANSACTIONS, "global transactions",
        until_end(s, (double)m->transactions * transaction_cycles(gpu) /
                         (ldg * sms)),
        0);
    add(b, BOUND_SHARED, "shared-memory passes",
        until_end(s, shared_cycles(m, gpu) / (lds * sms)), 0);
    add_data_stage(b, s, gpu, lds * sms);
    add(b, BOUND_ATOMICS, "atomics in l2", peak_atomic_cycles(s, gpu), 0);
}

/* Without a replay nothing is known of what the caches keep away from DRAM;
 * only a chip without caches sends everything there. */
static double least_dram_bytes(const struct teg_statistics *s,
                               const struct teg_gpu *gpu)
{
    if (s->simulated)
        return (double)s->memory.dram_bytes;
    return gpu->l1.bytes == 0 && gpu->l2.bytes == 0 ? (double)s->memory.bytes
                                                    : 0;
}

/* Bytes past L1 that the clusters' links move in one queue at least: where
 * stores and atomics have a way of their own, half of all. */
static double least_link_bytes(const struct teg_statistics *s,
                               const struct teg_gpu *gpu)
{
    const struct teg_memory_statistics *m = &s->memory;
    double hits = s->simulated ? (double)m->l1_hits * TEG_SECTOR_BYTES : 0;
    int ways = gpu->memory.store_interval > 0 ? 2 : 1;

    return gpu->l1.bytes != 0 && !s->simulated
               ? 0
               : ((double)m->bytes - hits) / ways;
}

static void add_memories(struct bound *b, const struct teg_statistics *s,
                         const struct teg_gpu *gpu, double sms)
{
    double clusters = ceil(gpu->chip.sms / fmax(gpu->chip.sms_per_cluster, 1));
    double cluster_bytes = peak_cluster_bytes(gpu);
    double dram = least_dram_bytes(s, gpu) / peak_dram_bytes(gpu);
    double l2 = l2_work(s, gpu) / peak_l2_bytes(gpu);

    dram = until_end(s, dram);

    /* Of few SMs each may have a cluster's link for itself. */
    if (isfinite(cluster_bytes))
        add(b, BOUND_LINK, "link to L2 and DRAM",
            least_link_bytes(s, gpu) / (cluster_bytes * fmin(clusters, sms)),
            0);
    add(b, BOUND_L2, "l2", until_end(s, l2), 0);
    add(b, BOUND_DRAM, "dram", dram, dram);
}

static int longest_first(const void *a, const void *b)
{
    const struct bound_resource *x = a, *y = b;

    return (x->cycles < y->cycles) - (x->cycles > y->cycles);
}

static double find_arithmetic(const struct bound *b,
                              const struct teg_statistics *s)
{
    double most = 0, executed = 0;

    for (enum teg_op_class c = 0; c < TEG_CLASSES; c++)
        executed += counts_as_arithmetic(c) ? (double)s->class_[c].issued : 0;
    for (uint32_t i = 0; i < b->count; i++)
        most = fmax(most, b->resource[i].arithmetic);
    return executed > 0 ? most : nan("");
}

teg_status bound_find(struct bound *b, const struct teg_statistics *s,
                      const struct teg_gpu *gpu, struct teg_diag *d)
{
    double sms = busy_sms(s, gpu);

    *b = (struct bound){0};
    if (s->warp_instructions == 0)
        return teg_fail(d, TEG_LIMIT, "", "the trace has no instructions");
    add_issue(b, s, gpu, sms);
    add_units(b, s, gpu, sms);
    add_requests(b, s, gpu, sms);
    add_memories(b, s, gpu, sms);
    qsort(b->resource, b->count, sizeof *b->resource, longest_first);
    b->cycles = b->resource[0].cycles;
    b->arithmetic_cycles = find_arithmetic(b, s);
    return TEG_OK;
}

/* ---- as a model ------------------------------------------------------------ */

enum {
    BOUND_TERMS = BOUND_KINDS + 2
};

static const struct teg_term_facts bound_terms[BOUND_TERMS] = {
    [BOUND_ISSUE] = {"Issue_cycles_min", "cycles",
                     "warp instructions / (schedulers / issue_period) / SMs",
                     "least time to issue them"},
    [BOUND_UNIT] = {"Unit_cycles_min", "cycles",
                    "warp instructions x initiation interval / instances / "
                    "SMs, of the busiest unit",
                    "least time in that unit"},
    [BOUND_PAIR] = {"Units_cycles_min", "cycles",
                    "the same of two units that a class may choose between",
                    "least time in both together"},
    [BOUND_TRANSACTIONS] = {"Transaction_cycles_min", "cycles",
                            "transactions x the less of transaction_interval "
                            "and 1 / tag_banks / load/store units / SMs",
                            "least time of the transactions"},
    [BOUND_SHARED] = {"Shared_cycles_min", "cycles",
                      "passes x pass_interval, or atomic_interval, / ports / "
                      "SMs",
                      "least time in shared memory, conflicts included"},
    [BOUND_DATA] = {"Data_cycles_min", "cycles",
                    "(passes x pass_interval + lanes' bytes of global and "
                    "local accesses / lane_bytes_per_cycle) / units / SMs",
                    "least time in the data stage, where shared memory and L1 "
                    "have one"},
    [BOUND_ATOMICS] = {"Atomic_cycles_min", "cycles",
                       "steps x atomic_interval, of the slice that has most",
                       "least time of global atomics in L2; without a replay "
                       "as if all slices had as many"},
    [BOUND_LINK] = {"Link_cycles_min", "cycles",
                    "bytes beyond L1, or half of them if stores have a way of "
                    "their own, / cluster_bytes_per_cycle / clusters",
                    "least time on the way from the SMs to L2 and DRAM"},
    [BOUND_L2] = {"L2_cycles_min", "cycles", "sector bytes / bytes_per_cycle",
                  "least time in L2"},
    [BOUND_DRAM] = {"DRAM_cycles_min", "cycles",
                    "DRAM bytes / (bandwidth / clock)",
                    "least time in DRAM; without a replay only where there is "
                    "no cache"},
    [BOUND_KINDS] = {"Bound", "cycles", "the longest of the above",
                     "no schedule is faster with this instruction mix"},
    [BOUND_KINDS + 1] = {"Bound_arithmetic", "cycles",
                         "the longest of the above, of floating-point and "
                         "tensor instructions and DRAM traffic alone",
                         "no kernel with this arithmetic is faster"},
};

static const char *const advice[BOUND_KINDS] = {
    [BOUND_ISSUE] = "fewer instructions: wider accesses, unrolling, less "
                    "address arithmetic",
    [BOUND_UNIT] = "move work to other units or use cheaper instructions",
    [BOUND_PAIR] = "move work to other units or use cheaper instructions",
    [BOUND_TRANSACTIONS] = "coalesce: fewer transactions for the same bytes",
    [BOUND_SHARED] = "keep more in registers; remove bank conflicts; wider "
                     "shared accesses",
    [BOUND_DATA] = "keep more in registers; wider shared accesses; remove "
                   "bank conflicts",
    [BOUND_ATOMICS] = "combine what a warp or block has for one word before "
                      "it goes to memory; spread words over more lines",
    [BOUND_LINK] = "move fewer bytes to the SMs: reuse in shared memory, "
                   "registers or L1",
    [BOUND_L2] = "move fewer bytes through L2: reuse in shared memory or L1",
    [BOUND_DRAM] = "move fewer bytes: reuse in caches or shared memory",
};

static void add_terms(struct teg_estimate *e, const struct bound *b)
{
    for (enum bound_kind kind = 0; kind < BOUND_KINDS; kind++) {
        double most = 0;

        for (uint32_t i = 0; i < b->count; i++) {
            if (b->resource[i].kind == kind)
                most = fmax(most, b->resource[i].cycles);
        }
        if (most > 0)
            teg_estimate_term(e, bound_terms[kind].name, most,
                              bound_terms[kind].unit);
    }
    teg_estimate_term(e, "Bound", b->cycles, "cycles");
    teg_estimate_finite_term(e, "Bound_arithmetic", b->arithmetic_cycles,
                             "cycles");
}

void bound_estimate(const struct teg_statistics *s, const struct teg_gpu *gpu,
                    struct teg_estimate *e)
{
    struct bound b;
    struct teg_diag d;

    *e = (struct teg_estimate){.model = "bound", .cycles = nan("")};
    if (bound_find(&b, s, gpu, &d) != TEG_OK) {
        teg_estimate_refuse(e, &d);
        return;
    }
    e->applicable = 1;
    e->cycles = b.cycles;
    snprintf(e->limiter, sizeof e->limiter, "at least: %s", b.resource[0].name);
    snprintf(e->advice, sizeof e->advice, "%s", advice[b.resource[0].kind]);
    add_terms(e, &b);
}

const struct teg_model bound_model = {
    .name = "bound",
    .title = "lower bound on the cycles of the instruction mix",
    .source = "after Lai 2013, chapter 4",
    .estimate = bound_estimate,
    .terms = bound_terms,
    .term_count = BOUND_TERMS,
};
