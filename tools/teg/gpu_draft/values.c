#include "tools/teg/gpu_draft/values.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

enum {
    WARP = 32
};

bool draft_is_own(const struct draft *a, const struct teg_fact *f)
{
    size_t length = strlen(a->like_file);

    return strncmp(f->where, a->like_file, length) == 0 &&
           f->where[length] == ':';
}

/* ---- scalars -------------------------------------------------------------- */

static void give(struct draft *a, const char *key, double value,
                 const char *format, ...) TEG_PRINTF(4, 5);

/* The loader's range check applies again; a value beyond it is kept to it. */
static void give(struct draft *a, const char *key, double value,
                 const char *format, ...)
{
    const struct param *p = param_find(key);
    struct given *g = &a->param[p - params(&(uint32_t){0})];
    va_list arguments;

    if (p->kind == PARAM_WHOLE)
        value = floor(value + 0.5);
    g->set = true;
    g->value = fmin(fmax(value, p->min), p->max);
    va_start(arguments, format);
    vsnprintf(g->source, sizeof g->source, format, arguments);
    va_end(arguments);
}

const char *draft_source(const struct draft *a, char out[DRAFT_SOURCE_SIZE])
{
    snprintf(out, DRAFT_SOURCE_SIZE,
             "M tools/measure on %.60s%s, driver %.16s%s", a->m.name,
             a->m.synthetic ? " (synthetic)" : "", a->m.driver,
             a->m.sass_checked ? "" : ", instructions not checked");
    return out;
}

static const struct {
    const char *key, *attribute;
    double scale;
} reported[] = {
    {"chip.compute_capability", "compute_capability", 1},
    {"chip.sms", "sms", 1},
    {"sm.warps_max", "threads_per_sm", 1.0 / WARP},
    {"sm.threads_max", "threads_per_sm", 1},
    {"sm.blocks_max", "blocks_per_sm", 1},
    {"sm.threads_per_block_max", "threads_per_block", 1},
    {"sm.registers", "registers_per_sm", 1},
    {"sm.shared_bytes", "shared_bytes_per_sm", 1},
    {"sm.shared_reserved", "shared_bytes_reserved", 1},
    {"l2.bytes", "l2_bytes", 1},
};

static void give_reported(struct draft *a)
{
    double value;

    for (size_t i = 0; i < sizeof reported / sizeof reported[0]; i++) {
        if (measured_fact(&a->m, reported[i].attribute, &value))
            give(a, reported[i].key, value * reported[i].scale,
                 "V the driver (%.16s) of %.60s reports %s = %.10g",
                 a->m.driver, a->m.name, reported[i].attribute, value);
    }
}

/* Bits of a channel: stacked memory has a bus of at least 1024 bits and
 * channels of 128, GDDR6 16, GDDR5 and older 32; config/ has it so. */
static void give_channels(struct draft *a)
{
    double bus;
    int bits;

    if (!measured_fact(&a->m, "memory_bus_bits", &bus))
        return;
    bits = bus >= 1024 ? 128 : a->m.capability >= 75 ? 16 : 32;
    if (bus >= bits)
        give(a, "dram.channels", floor(bus / bits),
             "D bus of %.10g bits (the driver) by channels of %d", bus, bits);
}

/* One result that is one value. */
static const struct {
    const char *key;
    const char *section, *name, *quantity, *unit;
    struct measured_at at;
} singles[] = {
    {"chip.sm_clock_mhz", "clock", "sm", "clock", "MHz", {NULL, 0}},
    {"chip.dispatch_interval",
     "dispatch",
     "empty_block",
     "interval",
     "cycles",
     {"threads", 32}},
};

static void give_singles(struct draft *a)
{
    char source[DRAFT_SOURCE_SIZE];

    draft_source(a, source);
    for (size_t i = 0; i < sizeof singles / sizeof singles[0]; i++) {
        const json_t *r =
            measured_find(&a->m, singles[i].section, singles[i].name,
                          singles[i].quantity, singles[i].unit, singles[i].at);

        if (r != NULL)
            give(a, singles[i].key, measured_median(r), "%s: %s %s %s %.5g",
                 source, singles[i].section, singles[i].name,
                 singles[i].quantity, measured_median(r));
    }
}

double draft_instances(const struct draft *a, const struct teg_timing *t)
{
    double sum = 0;

    for (uint8_t i = 0; i < t->unit_count; i++) {
        const struct teg_unit *u = &a->like->unit[t->unit[i]];

        sum +=
            u->count * (u->scope == UNIT_SCOPE_SM ? 1 : a->like->sm.schedulers);
    }
    return sum;
}

#define RATE "warp instructions/cycle/SM"

/* Tensor products; of two for a key the later, if the chip has it; keys
 * that the similar chip goes without stay so.  The rate is what makes a whole
 * interval of the throughput.  Where warp groups multiply,
 * a warp's products do not reach it. */
static void give_products(struct draft *a)
{
    enum {
        WARP_GROUPS = 90 /* compute capability x10 */
    };
    static const struct {
        const char *key, *name, *quantity, *unit;
        double multiply_adds; /* 0: a latency */
        uint8_t op_class;
    } rows[] = {
        {"tensor.latency_128", "hmma_1688", "latency", "cycles", 0, CLASS_HMMA},
        {"tensor.latency_256", "hmma_16816", "latency", "cycles", 0,
         CLASS_HMMA},
        {"tensor.f16_f32", "hmma_1688", "throughput", RATE, 1024, CLASS_HMMA},
        {"tensor.f16_f32", "hmma_16816", "throughput", RATE, 2048, CLASS_HMMA},
        {"tensor.f16", "hmma_16816_f16", "throughput", RATE, 2048, CLASS_HMMA},
        {"tensor.tf32", "hmma_1688_tf32", "throughput", RATE, 1024, CLASS_HMMA},
        {"tensor.s8", "imma_8816", "throughput", RATE, 1024, CLASS_IMMA},
        {"tensor.s8", "imma_16832", "throughput", RATE, 4096, CLASS_IMMA},
        {"tensor.f64", "dmma_884", "throughput", RATE, 256, CLASS_DMMA},
    };
    char source[DRAFT_SOURCE_SIZE];

    draft_source(a, source);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const json_t *r =
            measured_find(&a->m, "ops", rows[i].name, rows[i].quantity,
                          rows[i].unit, (struct measured_at){NULL, 0});
        double value, interval;

        if (r == NULL || param_get(param_find(rows[i].key), a->like) == 0 ||
            (rows[i].multiply_adds > 0 && a->m.capability >= WARP_GROUPS))
            continue;
        value = measured_median(r);
        interval = fmax(
            1, floor(draft_instances(a, &a->like->timing[rows[i].op_class]) /
                         value +
                     0.5));
        give(a, rows[i].key,
             rows[i].multiply_adds > 0 ? rows[i].multiply_adds / interval
                                       : floor(value + 0.5),
             "%s: %s %s %.5g", source, rows[i].name, rows[i].quantity, value);
    }
}

/* From barrier to barrier of a warp and of a whole block: what each warp's arrival
 * adds, and what is left of a single one's. */
static void give_barriers(struct draft *a)
{
    const json_t *one =
        measured_find(&a->m, "barrier", "bar_sync", "interval", "cycles",
                      (struct measured_at){"warps", 1});
    const json_t *all =
        measured_find(&a->m, "barrier", "bar_sync", "interval", "cycles",
                      (struct measured_at){"warps", WARP});
    char source[DRAFT_SOURCE_SIZE];
    double each;

    if (one == NULL || all == NULL)
        return;
    draft_source(a, source);
    each = fmax(
        0, floor((measured_median(all) - measured_median(one)) / (WARP - 1) +
                 0.5));
    give(a, "sm.barrier_interval", each,
         "%s: bar_sync interval of 1 warp %.5g, of %d %.5g", source,
         measured_median(one), WARP, measured_median(all));
    give(a, "sm.barrier_latency",
         fmax(1, floor(measured_median(one) - each + 0.5)), "%s: the same",
         source);
}

/* Cycles that each pass beyond the first adds: the slope from conflict degree
 * 1 to 32. */
static void give_conflicts(struct draft *a)
{
    static const struct {
        const char *key, *quantity, *unit;
    } rows[] = {
        {"shared.conflict_latency", "latency", "cycles"},
        {"shared.pass_interval", "interval", "cycles/warp instruction"},
    };
    char source[DRAFT_SOURCE_SIZE];

    draft_source(a, source);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const json_t *one =
            measured_find(&a->m, "shared", "lds_conflict", rows[i].quantity,
                          rows[i].unit, (struct measured_at){"degree", 1});
        const json_t *all =
            measured_find(&a->m, "shared", "lds_conflict", rows[i].quantity,
                          rows[i].unit, (struct measured_at){"degree", WARP});
        double slope;

        if (one == NULL || all == NULL)
            continue;
        slope = (measured_median(all) - measured_median(one)) / (WARP - 1);
        if (slope > 0)
            give(a, rows[i].key, slope,
                 "%s: LDS %s from conflict degree 1 (%.5g) to 32 (%.5g)",
                 source, rows[i].quantity, measured_median(one),
                 measured_median(all));
    }
}

/* The result of the least (or, up to it, the greatest) median among those
 * with at.bytes from `low` to `high`. */
static const json_t *pick(const struct draft *a, const char *section,
                          const char *name, const char *unit, double low,
                          double high, int greatest)
{
    const char *quantity =
        strcmp(section, "chase") == 0 ? "latency" : "bandwidth";
    const json_t *best = NULL;

    for (size_t i = 0; i < json_array_size(a->m.results); i++) {
        const json_t *r = json_array_get(a->m.results, i);
        double bytes = measured_condition(r, "bytes");

        if (!measured_is(r, section, name, quantity, unit) || bytes < low ||
            bytes > high)
            continue;
        if (best == NULL ||
            (measured_median(r) > measured_median(best)) == (greatest != 0))
            best = r;
    }
    return best;
}

/* The largest footprint from which loads still come as fast as from L1. */
static void give_l1_bytes(struct draft *a, double l1, double l2)
{
    double fits = 0, fails = HUGE_VAL;
    char source[DRAFT_SOURCE_SIZE];

    for (size_t i = 0; i < json_array_size(a->m.results); i++) {
        const json_t *r = json_array_get(a->m.results, i);
        double bytes = measured_condition(r, "bytes");

        if (!measured_is(r, "chase", "load_ca", "latency", "cycles"))
            continue;
        if (measured_median(r) > l1 + 0.25 * (l2 - l1))
            fails = fmin(fails, bytes);
        else
            fits = fmax(fits, bytes);
    }
    if (fits > 0 && fits < fails && fails < HUGE_VAL)
        give(a, "l1.bytes", fits,
             "%s: loads over these bytes hit, over %.10g no longer",
             draft_source(a, source), fails);
}

static void give_latencies(struct draft *a)
{
    double l2_bytes = 0;
    const json_t *l1, *l2, *dram;
    char source[DRAFT_SOURCE_SIZE];

    draft_source(a, source);
    measured_fact(&a->m, "l2_bytes", &l2_bytes);
    l1 = pick(a, "chase", "load_ca", "cycles", 0, 8192, 0);
    l2 = pick(a, "chase", "load_cg", "cycles", 0,
              l2_bytes > 0 ? l2_bytes / 4 : 262144, 0);
    dram = l2_bytes > 0 ? pick(a, "chase", "load_cg", "cycles", 4 * l2_bytes,
                               HUGE_VAL, 0)
                        : NULL;
    if (l1 != NULL)
        give(a, "l1.latency", measured_median(l1), "%s: chase over %.10g bytes",
             source, measured_condition(l1, "bytes"));
    if (l2 != NULL)
        give(a, "l2.latency", measured_median(l2),
             "%s: chase past L1 over %.10g bytes", source,
             measured_condition(l2, "bytes"));
    if (dram != NULL) {
        give(a, "dram.latency", measured_median(dram),
             "%s: chase over %.10g bytes, TLB as it comes", source,
             measured_condition(dram, "bytes"));
        give(a, "mwp_cwp.mem_ld", measured_median(dram), "D dram.latency");
    }
    if (l1 != NULL && l2 != NULL && measured_median(l1) < measured_median(l2))
        give_l1_bytes(a, measured_median(l1), measured_median(l2));
}

/* The peak is what the bus could move: two transfers a clock, as drivers
 * count it.  Where it is not reported, what was reached stands for it. */
static void give_dram(struct draft *a, double reached_gbs, double bytes)
{
    double khz, bits, peak = 0;
    char source[DRAFT_SOURCE_SIZE];

    draft_source(a, source);
    if (measured_fact(&a->m, "reported_memory_clock_khz", &khz) &&
        measured_fact(&a->m, "memory_bus_bits", &bits))
        peak = 2 * khz * 1e3 * bits / 8 / 1e9;
    if (peak >= reached_gbs)
        give(a, "dram.bandwidth_gbs", peak,
             "D 2 transfers at %.10g MHz over %.10g bits (the driver)",
             khz / 1e3, bits);
    else
        give(a, "dram.bandwidth_gbs", reached_gbs,
             "%s: reached, the peak is not known", source);
    give(a, "dram.reached_gbs", reached_gbs, "%s: read over %.10g bytes",
         source, bytes);
}

static void give_bandwidths(struct draft *a)
{
    double l2_bytes = 0;
    const json_t *l1, *l2 = NULL, *dram = NULL;
    char source[DRAFT_SOURCE_SIZE];

    draft_source(a, source);
    l1 = pick(a, "bandwidth", "read_l1", "bytes/cycle/SM", 0, 65536, 1);
    if (measured_fact(&a->m, "l2_bytes", &l2_bytes)) {
        l2 = pick(a, "bandwidth", "read", "bytes/cycle", 0, l2_bytes / 2, 1);
        dram = pick(a, "bandwidth", "read", "GB/s", 4 * l2_bytes, HUGE_VAL, 1);
    }
    if (l1 != NULL)
        give(a, "memory.transaction_interval",
             TEG_LINE_BYTES / measured_median(l1),
             "%s: a line at %.5g bytes/cycle/SM of L1", source,
             measured_median(l1));
    if (l2 != NULL)
        give(a, "l2.bytes_per_cycle", measured_median(l2),
             "%s: read over %.10g bytes", source,
             measured_condition(l2, "bytes"));
    if (dram != NULL)
        give_dram(a, measured_median(dram), measured_condition(dram, "bytes"));
}

/* What `first` of the section scheduler means; docs/measuring.md. */
static void give_policy(struct draft *a)
{
    enum {
        OLD = 1,
        YOUNG = 2,
        TOGETHER = 3
    };
    const json_t *first = measured_find(&a->m, "scheduler", "order", "first",
                                        "1: old, 2: young, 3: together",
                                        (struct measured_at){NULL, 0});
    const json_t *kept =
        measured_find(&a->m, "scheduler", "order", "uninterrupted",
                      "part of the pieces", (struct measured_at){NULL, 0});
    bool greedy = kept != NULL && measured_median(kept) > 0.5;
    const char *policy = NULL;
    char source[DRAFT_SOURCE_SIZE];

    if (first == NULL)
        return;
    switch ((int)measured_median(first)) {
    case OLD:
        policy = greedy ? "gto" : "oldest";
        break;
    case YOUNG:
        policy = greedy ? "gty" : NULL; /* the engine has no other */
        break;
    case TOGETHER:
        policy = "lrr";
        break;
    }
    if (policy != NULL)
        give(a, "sm.policy", param_choice(param_find("sm.policy"), policy),
             "%s: order in which 16 equal warps issue",
             draft_source(a, source));
}

static double value_of(const struct draft *a, const char *key)
{
    const struct param *p = param_find(key);
    const struct given *g = &a->param[p - params(&(uint32_t){0})];

    return g->set ? g->value : param_get(p, a->like);
}

/* Slices are guessed after the similar chip's; they must divide L2. */
static void fit_slices(struct draft *a)
{
    double bytes = value_of(a, "l2.bytes");
    double way = TEG_LINE_BYTES * value_of(a, "l2.ways");
    double slices = value_of(a, "l2.slices"), wanted = slices;

    if (bytes <= 0)
        return;
    while (slices > 1 && fmod(bytes, way * slices) > 0)
        slices--;
    if (slices < wanted)
        give(a, "l2.slices", slices, "I the %.10g of %s do not divide L2",
             wanted, a->like->name);
    if (fmod(bytes, way * slices) > 0)
        give(a, "l2.ways", 1, "I the %.10g of %s do not divide L2",
             value_of(a, "l2.ways"), a->like->name);
}

/* A chip whose like has L2 in halves has halves too.  One SM's loads over more
 * than a half drive out of it what belongs there, so half of them come from
 * DRAM, near, and half from the far one (sim/memory/l2.h). */
static void fit_halves(struct draft *a)
{
    double bytes = value_of(a, "l2.bytes"), near = value_of(a, "l2.latency");
    double far = value_of(a, "l2.far_latency");
    double dram = value_of(a, "dram.latency");
    char source[DRAFT_SOURCE_SIZE];
    const json_t *r;

    if (a->like->l2.far_latency == 0)
        return;
    r = pick(a, "chase", "load_cg", "cycles", 0.6 * bytes, 0.8 * bytes, 1);
    if (r != NULL) {
        far = floor(4 * measured_median(r) - near - 2 * dram + 0.5);
        give(a, "l2.far_latency", far,
             "D %s: 4 x chase past L1 over %.10g bytes, half of it from DRAM, "
             "less l2.latency and 2 x dram.latency",
             draft_source(a, source), measured_condition(r, "bytes"));
    } else {
        give(a, "l2.far_latency", far, "I as %s", a->like->name);
    }
    if (far < near)
        give(a, "l2.far_latency", near, "I at least l2.latency");
    if (far > dram)
        give(a, "l2.far_latency", dram, "I at most dram.latency");
}

/* What the similar chip's own file says becomes an inference.  Its power is
 * its own. */
static void inherit(struct draft *a)
{
    for (uint32_t i = 0; i < a->like->fact_count; i++) {
        const struct teg_fact *f = &a->like->fact[i];
        const struct param *p = param_find(f->key);

        if (p == NULL || !draft_is_own(a, f) ||
            strcmp(p->group, "power") == 0 ||
            strcmp(p->group, "thermal") == 0 ||
            a->param[p - params(&(uint32_t){0})].set)
            continue;
        give(a, f->key, param_get(p, a->like), "I as %s: %.140s", a->like->name,
             f->source);
    }
}

void draft_gather(struct draft *a)
{
    give_reported(a);
    give_channels(a);
    give_singles(a);
    give_products(a);
    give_barriers(a);
    give_conflicts(a);
    give_latencies(a);
    give_bandwidths(a);
    give_policy(a);
    inherit(a);
    fit_slices(a);
    fit_halves(a);
}
