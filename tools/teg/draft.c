#include "tools/teg/draft.h"

#include "config/param.h"
#include "tools/teg/gpu_path.h"
#include "tools/teg/measured.h"
#include "tools/teg/output.h"
#include "tools/teg/teg.h"

#include <ctype.h>
#include <libconfig.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PARAMS_MAX = 256,
    SOURCE_SIZE = 192, /* as in struct teg_fact */
    WARP = 32,
};

/* A scalar that the draft gives. */
struct given {
    bool set;
    double value; /* an enumerator for a choice */
    char source[SOURCE_SIZE];
};

struct draft {
    struct measured m;
    struct teg_gpu *like; /* owned; the most similar known chip */
    char like_file[128];  /* "a100.cfg" */
    char like_directory[PATH_MAX];
    char family[256];               /* as that chip names it, or "" */
    struct given param[PARAMS_MAX]; /* in the order of params.def */
    bool timing[TEG_CLASSES];       /* has a row in the draft */
    FILE *f;
};

/* ---- the most similar chip ------------------------------------------------ */

/* Smaller is more similar: the same compute capability, else an older one,
 * else a newer one; the one that stands for its capability before others. */
static double difference(const struct teg_gpu *gpu, uint32_t capability)
{
    double step = (double)gpu->chip.compute_capability - (double)capability;
    double other = gpu->default_for == gpu->chip.compute_capability ? 0 : 0.5;

    return (step > 0 ? 1000 + step : -step) + other;
}

static int find_like(struct draft *a, const struct gpu_list *list)
{
    const struct gpu_entry *entry = NULL;
    double best = HUGE_VAL;
    const char *slash;

    for (size_t i = 0; i < list->count; i++) {
        struct teg_gpu *gpu = NULL;
        struct teg_diag d;

        if (teg_gpu_load(list->entry[i].path, &gpu, &d) != TEG_OK)
            continue;
        if (difference(gpu, a->m.capability) < best) {
            struct teg_gpu *worse = a->like;

            best = difference(gpu, a->m.capability);
            entry = &list->entry[i];
            a->like = gpu;
            gpu = worse;
        }
        teg_gpu_free(gpu);
    }
    if (entry == NULL) {
        say("", "no GPU description to inherit from; set TEG_CONFIG_PATH");
        return EXIT_FAULT;
    }
    slash = strrchr(entry->path, '/');
    snprintf(a->like_file, sizeof a->like_file, "%.120s",
             slash != NULL ? slash + 1 : entry->path);
    snprintf(a->like_directory, sizeof a->like_directory, "%.*s",
             slash != NULL ? (int)(slash - entry->path) : 1,
             slash != NULL ? entry->path : ".");
    if (a->like->chip.compute_capability != a->m.capability)
        say("", "no description of compute capability %u: inheriting from %s",
            a->m.capability, a->like->name);
    return EXIT_DONE;
}

static int open_like(struct draft *a, const char *config_dir)
{
    struct gpu_list list;
    const char *family;
    config_t config;
    char path[PATH_MAX + 160];
    int status = gpu_list_init(&list, config_dir);

    if (status != EXIT_DONE)
        return status;
    status = find_like(a, &list);
    gpu_list_release(&list);
    if (status != EXIT_DONE)
        return status;
    snprintf(path, sizeof path, "%s/%s", a->like_directory, a->like_file);
    config_init(&config);
    config_set_include_dir(&config, a->like_directory);
    if (config_read_file(&config, path) &&
        config_lookup_string(&config, "family", &family))
        snprintf(a->family, sizeof a->family, "%s", family);
    config_destroy(&config);
    return EXIT_DONE;
}

/* Does a fact stand in the similar chip's own file, not in its family's? */
static bool is_own(const struct draft *a, const struct teg_fact *f)
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

/* "M tools/measure on NVIDIA A100, driver 12.4" */
static const char *measured_source(const struct draft *a, char out[SOURCE_SIZE])
{
    snprintf(out, SOURCE_SIZE, "M tools/measure on %.60s%s, driver %.16s%s",
             a->m.name, a->m.synthetic ? " (synthetic)" : "", a->m.driver,
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
    {"sm.barrier_latency",
     "barrier",
     "bar_sync",
     "interval",
     "cycles",
     {"warps", 4}},
};

static void give_singles(struct draft *a)
{
    char source[SOURCE_SIZE];

    measured_source(a, source);
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
    char source[SOURCE_SIZE];

    measured_source(a, source);
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
    char source[SOURCE_SIZE];

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
             measured_source(a, source), fails);
}

static void give_latencies(struct draft *a)
{
    double l2_bytes = 0;
    const json_t *l1, *l2, *dram;
    char source[SOURCE_SIZE];

    measured_source(a, source);
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
    char source[SOURCE_SIZE];

    measured_source(a, source);
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
    double l2_bytes = 0, line;
    const json_t *l1, *l2 = NULL, *dram = NULL;
    char source[SOURCE_SIZE];

    measured_source(a, source);
    line = a->like->l1.line_bytes;
    l1 = pick(a, "bandwidth", "read_l1", "bytes/cycle/SM", 0, 65536, 1);
    if (measured_fact(&a->m, "l2_bytes", &l2_bytes)) {
        l2 = pick(a, "bandwidth", "read", "bytes/cycle", 0, l2_bytes / 2, 1);
        dram = pick(a, "bandwidth", "read", "GB/s", 4 * l2_bytes, HUGE_VAL, 1);
    }
    if (l1 != NULL)
        give(a, "memory.transaction_interval", line / measured_median(l1),
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
    char source[SOURCE_SIZE];

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
             measured_source(a, source));
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
    double way = value_of(a, "l2.line_bytes") * value_of(a, "l2.ways");
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

/* A chip whose like has L2 in halves has halves too, of the same part of it;
 * loads over more than a half show the far one's latency. */
static void fit_halves(struct draft *a)
{
    double way = value_of(a, "l2.line_bytes") * value_of(a, "l2.ways");
    double bytes = value_of(a, "l2.bytes"), near = a->like->l2.near_bytes;
    double far = value_of(a, "l2.far_latency");
    char source[SOURCE_SIZE];
    const json_t *r;

    if (near <= 0 || a->like->l2.bytes == 0)
        return;
    near = floor(bytes * near / a->like->l2.bytes / way) * way;
    give(a, "l2.near_bytes", near, "I the part of L2 that it is on %s",
         a->like->name);
    r = pick(a, "chase", "load_cg", "cycles", 1.2 * near, 0.8 * bytes, 1);
    if (r != NULL && measured_median(r) >= value_of(a, "l2.latency"))
        give(a, "l2.far_latency", measured_median(r),
             "%s: chase past L1 over %.10g bytes", measured_source(a, source),
             measured_condition(r, "bytes"));
    else
        give(a, "l2.far_latency", fmax(far, value_of(a, "l2.latency")),
             "I as %s, at least l2.latency", a->like->name);
    if (value_of(a, "l2.far_latency") > value_of(a, "dram.latency"))
        give(a, "l2.far_latency", value_of(a, "dram.latency"),
             "I at most dram.latency");
}

/* What the similar chip's own file says becomes an inference.  Its power is
 * its own. */
static void inherit(struct draft *a)
{
    for (uint32_t i = 0; i < a->like->fact_count; i++) {
        const struct teg_fact *f = &a->like->fact[i];
        const struct param *p = param_find(f->key);

        if (p == NULL || !is_own(a, f) || strcmp(p->group, "power") == 0 ||
            strcmp(p->group, "thermal") == 0 ||
            a->param[p - params(&(uint32_t){0})].set)
            continue;
        give(a, f->key, param_get(p, a->like), "I as %s: %.140s", a->like->name,
             f->source);
    }
}

/* ---- writing -------------------------------------------------------------- */

/* A string of libconfig: names of devices are not ours. */
static void put_string(FILE *f, const char *text)
{
    fputc('"', f);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', f);
        fputc(iscntrl((unsigned char)*text) ? ' ' : *text, f);
    }
    fputc('"', f);
}

static void put_params(struct draft *a)
{
    uint32_t count;
    const struct param *p = params(&count);
    const char *group = "";

    for (uint32_t i = 0; i < count; i++) {
        const struct given *g = &a->param[i];

        if (!g->set)
            continue;
        if (strcmp(group, p[i].group) != 0) {
            fprintf(a->f, "%s\n%s: {\n", group[0] != '\0' ? "};\n" : "",
                    p[i].group);
            group = p[i].group;
        }
        fprintf(a->f, "    %-16s = ( ", p[i].field);
        if (p[i].kind == PARAM_CHOICE)
            put_string(a->f, p[i].choice[(uint32_t)g->value]);
        else
            fprintf(a->f, p[i].kind == PARAM_WHOLE ? "%.0f" : "%.5g", g->value);
        fprintf(a->f, ", ");
        put_string(a->f, g->source);
        fprintf(a->f, " );\n");
    }
    fprintf(a->f, "%s", group[0] != '\0' ? "};\n" : "");
}

static void put_inherited_source(struct draft *a, const struct teg_fact *f)
{
    char source[SOURCE_SIZE];

    snprintf(source, sizeof source, "I as %s: %.140s", a->like->name,
             f->source);
    put_string(a->f, source);
}

static const struct teg_fact *fact_of(const struct teg_gpu *gpu,
                                      const char *group, const char *name)
{
    char key[64];

    snprintf(key, sizeof key, "%s.%.40s", group, name);
    for (uint32_t i = 0; i < gpu->fact_count; i++) {
        if (strcmp(gpu->fact[i].key, key) == 0)
            return &gpu->fact[i];
    }
    return NULL;
}

static void put_units(struct draft *a)
{
    const char *before = "\nunits = (\n";

    for (uint32_t i = 0; i < a->like->unit_count; i++) {
        const struct teg_unit *u = &a->like->unit[i];
        const struct teg_fact *f = fact_of(a->like, "unit", u->name);

        if (f == NULL || !is_own(a, f))
            continue;
        fprintf(a->f,
                "%s    { name = \"%s\"; scope = \"%s\"; count = %u; capacity = "
                "%u; source = ",
                before, u->name, u->scope == UNIT_SCOPE_SM ? "sm" : "scheduler",
                u->count, u->capacity);
        put_inherited_source(a, f);
        fprintf(a->f, "; }");
        before = ",\n";
    }
    if (before[0] == ',')
        fprintf(a->f, "\n);\n");
}

/* Instances of a class's units on an SM. */
static double instances(const struct draft *a, const struct teg_timing *t)
{
    double sum = 0;

    for (uint8_t i = 0; i < t->unit_count; i++) {
        const struct teg_unit *u = &a->like->unit[t->unit[i]];

        sum +=
            u->count * (u->scope == UNIT_SCOPE_SM ? 1 : a->like->sm.schedulers);
    }
    return sum;
}

static double rounded(const json_t *result)
{
    return floor(measured_median(result) + 0.5);
}

/* Replaces what was measured in the similar chip's timing and says so;
 * returns false if nothing was. */
static bool measure_timing(const struct draft *a, enum teg_op_class c,
                           struct teg_timing *t, char source[SOURCE_SIZE])
{
    const struct teg_op_class_facts *facts = teg_op_class_facts(c);
    const json_t *latency = measured_of_class(&a->m, facts->key, "latency");
    const json_t *rate = measured_of_class(&a->m, facts->key, "throughput");
    const json_t *same = measured_of_class(&a->m, facts->key, "same_warp");
    char by[SOURCE_SIZE];
    size_t used;

    /* Global memory's latencies are those of the caches, a barrier's is
     * sm.barrier_latency. */
    if (facts->kind == RESULT_LONG || c == CLASS_BARRIER ||
        (latency == NULL && rate == NULL && same == NULL))
        return false;
    snprintf(source, SOURCE_SIZE, "%.150s:", measured_source(a, by));
    if (latency != NULL) {
        t->latency = (uint32_t)rounded(latency);
        used = strlen(source);
        snprintf(source + used, SOURCE_SIZE - used, " %.16s %.4g cycles",
                 measured_name(latency), measured_median(latency));
    }
    if (rate != NULL) {
        t->interval = (uint32_t)fmax(
            1, floor(instances(a, t) / measured_median(rate) + 0.5));
        used = strlen(source);
        snprintf(source + used, SOURCE_SIZE - used, "%s %.4g/cycle/SM",
                 latency != NULL ? "," : "", measured_median(rate));
    }
    if (latency == NULL || rate == NULL) {
        used = strlen(source);
        snprintf(source + used, SOURCE_SIZE - used, "; %s as %s",
                 latency == NULL ? "latency" : "interval", a->like->name);
    }
    /* Independent instructions of one warp wait for the longer of both. */
    if (same != NULL && rounded(same) > t->interval)
        t->same_warp = (uint32_t)rounded(same);
    return true;
}

static void put_timing_row(struct draft *a, enum teg_op_class c,
                           const struct teg_timing *t)
{
    char units[40];

    snprintf(units, sizeof units, "\"%s%s%s\"", a->like->unit[t->unit[0]].name,
             t->unit_count > 1 ? " " : "",
             t->unit_count > 1 ? a->like->unit[t->unit[1]].name : "");
    fprintf(a->f, "    %-9s = ( %-10s %3u, %3u, %u, ",
            teg_op_class_facts(c)->key, strcat(units, ","), t->latency,
            t->interval, t->same_warp);
}

static void put_timing(struct draft *a)
{
    fprintf(a->f, "\n/* class    units       EL   ML  SL  source */\ntiming: "
                  "{\n");
    for (enum teg_op_class c = 0; c < TEG_CLASSES; c++) {
        const struct teg_fact *f =
            fact_of(a->like, "timing", teg_op_class_facts(c)->key);
        struct teg_timing t = a->like->timing[c];
        char source[SOURCE_SIZE];

        a->timing[c] = measure_timing(a, c, &t, source);
        if (a->timing[c]) {
            put_timing_row(a, c, &t);
            put_string(a->f, source);
        } else if (f != NULL && is_own(a, f)) {
            a->timing[c] = true;
            put_timing_row(a, c, &t);
            put_inherited_source(a, f);
        } else {
            continue;
        }
        fprintf(a->f, " );\n");
    }
    fprintf(a->f, "};\n");
}

/* Comments: what the family says and nobody measured. */
static void put_family(struct draft *a)
{
    fprintf(a->f, "\n# Inherited from %s, not measured:\n", a->family);
    for (uint32_t i = 0; i < a->like->fact_count; i++) {
        const struct teg_fact *f = &a->like->fact[i];
        const struct param *p = param_find(f->key);

        if (f->where[0] == '\0' || is_own(a, f) ||
            (p != NULL && a->param[p - params(&(uint32_t){0})].set))
            continue;
        if (strncmp(f->key, "timing.", 7) == 0 &&
            a->timing[teg_op_class_find(f->key + 7)])
            continue;
        fprintf(a->f, "#   %s = %s: %s (%s)\n", f->key, f->value, f->source,
                f->where);
    }
}

/* "NVIDIA A100-SXM4-40GB" -> "a100-sxm4-40gb"; "dir/mychip.cfg" ->
 * "mychip" */
static void make_name(const struct draft *a, const char *out, char name[32])
{
    static const char *const brands[] = {"nvidia ", "geforce ", "tesla "};
    const char *slash = out != NULL ? strrchr(out, '/') : NULL;
    char text[256];
    size_t length = 0;
    const char *from = text;

    snprintf(text, sizeof text, "%s",
             out == NULL     ? a->m.name
             : slash != NULL ? slash + 1
                             : out);
    if (out != NULL && strstr(text, ".cfg") != NULL)
        *strstr(text, ".cfg") = '\0';
    for (char *c = text; *c != '\0'; c++)
        *c = (char)tolower((unsigned char)*c);
    for (size_t i = 0; i < sizeof brands / sizeof brands[0]; i++) {
        if (strncmp(from, brands[i], strlen(brands[i])) == 0)
            from += strlen(brands[i]);
    }
    for (; *from != '\0' && length < 31; from++) {
        if (isalnum((unsigned char)*from) || strchr("_-", *from) != NULL)
            name[length++] = *from;
        else if (length > 0 && name[length - 1] != '-')
            name[length++] = '-';
    }
    name[length] = '\0';
    if (length == 0)
        snprintf(name, 32, "measured");
}

/* The family beside `out` if it is there, else where it was found. */
static void find_family(const struct draft *a, const char *out,
                        char path[PATH_MAX])
{
    const char *slash = out != NULL ? strrchr(out, '/') : NULL;
    char found[3 * PATH_MAX];
    size_t used;
    FILE *f;

    snprintf(path, PATH_MAX, "%s", a->family);
    if (out == NULL || a->family[0] == '/')
        return;
    snprintf(found, sizeof found, "%.*s%s",
             slash != NULL ? (int)(slash + 1 - out) : 0, out, a->family);
    f = fopen(found, "r");
    if (f != NULL) {
        fclose(f);
        return;
    }
    if (a->like_directory[0] != '/' && getcwd(found, PATH_MAX) == NULL)
        return;
    used = a->like_directory[0] != '/' ? strlen(found) : 0;
    snprintf(found + used, sizeof found - used, "%s%s/%s", used > 0 ? "/" : "",
             a->like_directory, a->family);
    if (strlen(found) < PATH_MAX)
        snprintf(path, PATH_MAX, "%.*s", PATH_MAX - 1, found);
}

static void put_head(struct draft *a, const char *out)
{
    char name[32], family[PATH_MAX], title[96];

    make_name(a, out, name);
    find_family(a, out, family);
    snprintf(title, sizeof title, "%.70s%s", a->m.name,
             a->m.synthetic ? " (synthetic)" : "");
    fprintf(a->f,
            "# A draft by `teg gpus --from-measurements`: read it before you "
            "trust it.\n"
            "# M was measured, V the driver reports, D follows from others; I "
            "is taken\n"
            "# over from %s and stands to be measured.\n"
            "name   = \"%s\";\ntitle  = ",
            a->like->name, name);
    put_string(a->f, title);
    fprintf(a->f, ";\n");
    if (a->family[0] != '\0') {
        fprintf(a->f, "family = ");
        put_string(a->f, family);
        fprintf(a->f, ";\n");
    }
}

/* ---- the whole ------------------------------------------------------------ */

static void gather(struct draft *a)
{
    give_reported(a);
    give_channels(a);
    give_singles(a);
    give_conflicts(a);
    give_latencies(a);
    give_bandwidths(a);
    give_policy(a);
    inherit(a);
    fit_slices(a);
    fit_halves(a);
}

static int put_all(struct draft *a, const char *out)
{
    struct output o;
    int status = output_open(&o, out);

    if (status != EXIT_DONE)
        return status;
    a->f = o.file;
    put_head(a, out);
    put_params(a);
    put_units(a);
    put_timing(a);
    put_family(a);
    return output_close(&o);
}

static void warn(const struct draft *a)
{
    if (a->m.synthetic)
        say("", "these measurements are synthetic: the draft describes no GPU");
    for (size_t i = 0; i < json_array_size(a->m.results); i++) {
        const json_t *r = json_array_get(a->m.results, i);

        if (measured_is_doubtful(r))
            say("", "%s: not used, its kernel holds other instructions",
                measured_name(r));
    }
}

/* Does what was written load? */
static int try_load(const char *out)
{
    struct teg_gpu *gpu = NULL;
    struct teg_diag d;

    if (out == NULL)
        return EXIT_DONE;
    if (teg_gpu_load(out, &gpu, &d) != TEG_OK)
        return say_fault(&d);
    teg_gpu_free(gpu);
    return EXIT_DONE;
}

int draft_write(const char *measurements, const char *config_dir,
                const char *out)
{
    struct draft *a = calloc(1, sizeof *a);
    struct teg_diag d;
    int status;

    if (a == NULL)
        return say_memory();
    if (measured_read(measurements, &a->m, &d) != TEG_OK) {
        free(a);
        return say_fault(&d);
    }
    warn(a);
    status = open_like(a, config_dir);
    if (status == EXIT_DONE) {
        gather(a);
        status = put_all(a, out);
    }
    if (status == EXIT_DONE)
        status = try_load(out);
    teg_gpu_free(a->like);
    measured_release(&a->m);
    free(a);
    return status;
}
