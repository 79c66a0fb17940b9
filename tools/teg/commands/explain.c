/*
 * teg explain TERM: the help texts of all tables in one place.
 *
 *     $ teg explain long_scoreboard
 *     long_scoreboard (stall reason)
 *         waits for a result from global, local or texture memory
 */
#include "config/param.h"
#include "isa/inst/opcode.h"
#include "sim/collect/counters.h"
#include "sim/models/efficiency.h"
#include "sim/models/power_model.h"
#include "sim/models/sgemm_bound.h"
#include "tools/teg/cli/gpu_path.h"
#include "tools/teg/cli/options.h"
#include "tools/teg/cli/output.h"
#include "tools/teg/cli/teg.h"
#include "tools/teg/compare/metrics.h"
#include "tools/teg/report/findings.h"
#include "traces/study/features.h"
#include "traces/study/lint.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Words of the reports that stand in no other table. */
static const struct term {
    const char *name, *help;
} words[] = {
    {"ipc", "warp instructions per cycle, all SMs together"},
    {"what to change", "findings, the most promising first: where, what the "
                       "simulator measured that it gains, what people do"},
    {"to change", "what people do about the first finding; --why measures what "
                  "it gains, and says where"},
    {"compared", "how far times that teg says of the chip were from measured "
                 "ones, in the mean, and of what; docs/accuracy.md has more"},
    {"would help most", "of all what-ifs those that gain most; what to change "
                        "has where, too"},
    {"at least", "of a bound: cycles that the busiest part of the chip takes "
                 "for what the kernel asks of it, whatever waits"},
    {"cycles at least", "of a bound: what a part of the chip takes for what "
                        "the kernel asks of it, whatever waits"},
    {"resource", "of a bound: a part of the chip that takes time for what the "
                 "kernel asks of it"},
    {"busy", "of a bound: its cycles over the simulated ones"},
    {"arithmetic", "of a bound: what of it floating-point arithmetic and DRAM "
                   "alone would take; of features: instructions that compute"},
    {"data stage", "the part of an SM that L1 and shared memory share; held "
                   "for each pass of an access to either, for factors that "
                   "products of warp groups read and lines that copies move"},
    {"way out", "of an SM, for what its warps store and add; a line takes the "
                "same time whatever is written of it (memory.store_interval), "
                "and so does each sector that is added to, again for each "
                "further lane at a word of it"},
    {"l2 port", "an SM's way to L2 and back; busy by the bytes that go through "
                "it, lines that a neighbor's copy brings along among them"},
    {"cp.async", "asynchronous copies of a warp (LDGSTS), in groups that it "
                 "commits (LDGDEPBAR) and waits for (DEPBAR)"},
    {"bulk copy", "a copy by the unit for them (UBLKCP; TMA), of which an "
                  "mbarrier or a group hears"},
    {"tensor map", "what tells a bulk copy (UTMALDG, UTMASTG) the shape of a "
                   "tensor and of the box that it moves"},
    {"multicast", "a bulk copy that comes to several blocks of a cluster and "
                  "is read once"},
    {"mbarrier", "a barrier in shared memory that counts arrivals and bytes; "
                 "a warp that tries a phase waits for it (long_scoreboard)"},
    {"named barrier", "one of a block's 16, for as many threads as it is "
                      "given; BAR.ARV comes to it and goes on"},
    {"wgmma", "a product of a warp group: four warps, factors in shared "
              "memory, done in order behind their backs (gmma)"},
    {"group", "asynchronous copies or products that are waited for together"},
    {"cluster", "blocks that are on SMs of one group at the same time and "
                "reach each other's shared memory; also SMs that share a way "
                "to memory"},
    {"distributed shared memory", "that of the other blocks of a cluster, "
                                  "across the network between SMs"},
    {"proxy fence", "orders a warp's own accesses to shared memory with those "
                    "of copies and products (FENCE.VIEW.ASYNC)"},
    {"shared-memory passes", "cycles of shared memory for all passes, "
                             "conflicts included"},
    {"global transactions", "cycles of the load/store units for what "
                            "coalescing made of global accesses"},
    {"link to L2 and DRAM", "cycles of the link between SMs and L2 for the "
                            "bytes that cross it"},
    {"blocking", "of bound sgemm: B_R, T_B, L and the width of shared loads"},
    {"residence", "of bound sgemm: blocks on an SM and what they take of it"},
    {"registers", "32-bit registers of a thread"},
    {"P_SM", "of bound sgemm: Gflop/s that the SMs allow"},
    {"P_mem", "of bound sgemm: Gflop/s that DRAM allows"},
    {"of peak", "share of the chip's arithmetic peak"},
    {"P_mem of peak", "of bound sgemm: Gflop/s that DRAM allows, and what the "
                      "better bound is of the chip's peak"},
    {"patterns", "of a .flow file: ways to move less, here together"},
    {"none", "of patterns: nothing is kept nearer to the lanes"},
    {"predicted", "by a trained forest: time, or power"},
    {"one deviation", "of a prediction: one standard deviation of the trees to "
                      "either side"},
    {"sample", "mean error of a forest on samples left out of its training"},
    {"kernel", "what is launched; of a prediction: mean error on kernels left "
               "out of training"},
    {"as measured", "time with what ncu, nsys or events add to a launch "
                    "(--as-measured)"},
    {"sub-core", "scheduler of an SM with its units"},
    {"place on", "SMs that the power model takes as active, by TPC"},
    {"W", "watts; of a component: what it draws"},
    {"time", "seconds of a launch: cycles over the clock"},
    {"in order", "launches as the program made them"},
    {"us each", "microseconds of one launch"},
    {"best SMs", "number of SMs that has least of what --goal says"},
    {"component", "of the power model: a part of the chip with a share of the "
                  "power"},
    {"idle", "power: drawn whether a kernel runs or not"},
    {"W of GPU", "watts of a component in all SMs together"},
    {"bound by", "what one would change first: the first finding (teg run "
                 "--why)"},
    {"limited by", "of occupancy: the resource that lets no more blocks onto "
                   "an SM; of a model: its limiter"},
    {"warps per SM", "warps that are resident in one SM at once"},
    {"warps time", "cycles summed over resident warps: each is an issue or a "
                   "stall for one reason"},
    {"other reasons", "stalls too short to have a line of their own (-f json "
                      "has all)"},
    {"issue", "of what was used: the share of issue slots that issued"},
    {"issue slots", "chances of the schedulers to issue a warp instruction: "
                    "cycles x schedulers"},
    {"atomics", "of what was used: the share of time that atomics held the "
                "slice of L2 that they held longest"},
    {"dram", "memory of the GPU; of what was used: the share of its "
             "bandwidth; in a report: bytes it moved, bandwidth, skew"},
    {"global", "memory that all threads share, through L1, L2 and DRAM; in a "
               "report: requests, transactions, bytes"},
    {"shared memory (MIO)", "memory of a block in its SM, reached through the "
                            "memory input/output pipeline as are shuffles "
                            "and special registers"},
    {"shared memory", "memory of a block in its SM"},
    {"carveouts", "of a description: what shared memory may be set to; L1 has "
                  "the rest"},
    {"default_for", "of a description: the architectures that it stands for "
                    "where no -g is given"},
    {"architecture", "compute capability of the code: sm_80 is 8.0"},
    {"bytes moved", "that cross between two parts of the chip, asked for or "
                    "not"},
    {"functional units", "parts of an SM that execute instructions, each of "
                         "some operation classes"},
    {"memory chart", "the parts of the chip that move data and the ways "
                     "between them, with bytes, hit rates and load"},
    {"models side by side", "what each analytical model estimates, over what "
                            "the replay took"},
    {"source lines", "the lines of the program by the warps' time at their "
                     "instructions (-lineinfo)"},
    {"n/a", "not there: nothing of that kind happened, or what it is a share "
            "of is 0"},
    {"stall", "a cycle in which a resident warp does not issue, charged to one "
              "reason"},
    {"warp state", "Nsight Compute's name for what warps' time goes to: issues "
                   "and stalls by reason"},
    {"for", "of an instruction: the one whose result was waited for longest"},
    {"cold", "of caches: a launch finds nothing in them (--caches)"},
    {"warm", "of caches: a launch finds what it has left itself (--caches)"},
    {"carry", "of caches: a launch finds what launches and copies before it "
              "have left (--caches)"},
    {"carve-out", "the part of an SM's data memory that is shared memory; L1 "
                  "has the rest"},
    {"active", "of a unit: the share of the kernel's cycles in which it could "
               "take no other instruction"},
    {"warp instruction", "one instruction executed by one warp, whatever its "
                         "active mask"},
    {"active_percent", "of a unit: the share of the kernel's cycles in which "
                       "its instances could take no other instruction "
                       "(initiation intervals)"},
    {"mean_load", "of a unit: instructions in flight in one SM, averaged over "
                  "the kernel"},
    {"conflict",
     "lanes that want different words of one bank of shared memory, "
     "one word of an atomic, several addresses of a constant load: "
     "they are served one after the other"},
    {"latency", "cycles from a request to its result"},
    {"global memory", "memory that all threads share, through L1, L2 and DRAM"},
    {"of time", "share of the warps' time: of all cycles of resident warps"},
    {"most of it", "the stall reason that takes most of an instruction's time"},
    {"conflict degree", "passes a shared-memory request needs; 1 is free of "
                        "conflicts"},
    {"transaction", "what coalescing makes of a warp's global request"},
    {"channel_skew", "bytes of the busiest DRAM channel over the mean of all; "
                     "1 is even"},
    {"occupancy", "blocks and warps that fit an SM at once, and the resource "
                  "that allows no more"},
    {"execution latency", "cycles from issue until the result is usable"},
    {"initiation interval", "cycles until a unit takes the next warp "
                            "instruction"},
    {"access rate", "of a component of the power model: warp instructions of "
                    "an SM that access it, per power.issue_norm cycles; 1 is "
                    "all that can be issued"},
    {"effective", "effective rate: share of a component's maximum power that "
                  "its access rate draws"},
    {"effective rate", "share of a component's maximum power that its access "
                       "rate draws; power_unit says by which function"},
    {"EDP", "energy-delay product: energy x time"},
    {"gated", "power or energy if idle SMs were switched off: power is then "
              "linear in the active SMs"},
    {"rule (63)", "best number of SMs by the bandwidth alone: Mem_Bandwidth / "
                  "(BW_per_warp x N) where it limits, else all (Hong 2012)"},
    {"const_sm", "power of an active SM that follows no access rate: "
                 "instruction cache, frame buffer and the like"},
    {"activation", "power of the chip being active at all"},
    {"TPC", "SMs that share an instruction cache and a scheduler; opening one "
            "costs power"},
    {"same-warp interval", "cycles until the same warp may issue again"},
};

/* Units of measure. */
static const struct term measures[] = {
    {"us", "microseconds"},
    {"ns", "nanoseconds"},
    {"s", "seconds"},
    {"MHz", "million cycles a second, of the clock that stands beside it"},
    {"KB", "1,024 bytes, as what a chip holds; kB is 1,000"},
    {"MB", "million bytes, of what was moved; of what a chip holds 1,024 KB"},
    {"GB", "of what a chip has 1,024 x 1,024 KB; of what was moved a billion "
           "bytes"},
    {"GB/s", "billion bytes a second"},
    {"B/cycle", "bytes per cycle of the SM clock"},
    {"flop/cycle", "floating-point operations per cycle of the SM clock; a "
                   "multiply-add is two"},
    {"FMA/cycle", "fused multiply-adds per cycle of the SM clock"},
    {"pJ", "picojoules: of one access or instruction"},
    {"pJ/B", "picojoules per byte"},
    {"C", "degrees Celsius; of a value of a description: a setting of another "
          "simulator"},
    {"C/W", "degrees Celsius per watt"},
    {"W/C", "watts per degree Celsius"},
    {"x10", "ten times the number: compute capability 80 is 8.0"},
    {"ways", "lines of a cache that one address may be in"},
    {"slots", "places: of warps or blocks on an SM, of instructions to issue"},
    {"passes", "turns that an access takes at the banks of shared memory"},
    {"banks", "parts of shared memory, or of registers, each of which gives "
              "one word a cycle"},
    {"words", "of 4 bytes"},
    {"sectors", "of 32 bytes, four to a line: what L2 and DRAM move"},
    {"lines", "of 128 bytes: what a cache looks up"},
    {"pages", "of memory, as the TLB maps them"},
    {"queues", "places before a unit, for what has issued and waits"},
    {"slices", "parts of L2, each with some of the addresses"},
    {"channels", "ways to DRAM, each with some of the addresses"},
};

/*
 * Units of the bundled descriptions. A description may name others; `teg gpus
 * NAME` lists each unit's count and the operation classes it takes.
 */
static const struct term units[] = {
    {"fp32", "pipe for 32-bit floating-point instructions and integer "
             "multiply-adds"},
    {"fmaheavy", "pipe of Hopper for 32-bit floating-point instructions and "
                 "integer multiply-adds"},
    {"fmalite", "pipe of Hopper for 32-bit floating-point instructions alone"},
    {"int", "pipe for 32-bit integer instructions; on GA10x and Ada it takes "
            "floating-point ones too"},
    {"fp64", "pipe for double precision"},
    {"dpu", "double-precision unit of Tesla and Fermi"},
    {"sp", "arithmetic lanes of Tesla and Fermi, integer and float"},
    {"alu", "arithmetic lanes of Kepler and Pascal, integer and float"},
    {"sfu", "special function unit: reciprocals, square roots, logarithms, "
            "sines; on Tesla also multiplies"},
    {"tensor", "tensor core: matrix multiply-accumulate"},
    {"tcgen",
     "the SM's tensor cores of sm_100 together, which one thread feeds "
     "(tcgen05.mma)"},
    {"tmem", "a sub-core's way to tensor memory and back (tcgen05.ld and st)"},
    {"uniform", "datapath for values all lanes of a warp share"},
    {"branch", "branches, barriers, exits and no-operations; takes an issue "
               "slot, computes nothing"},
    {"control", "branches, barriers, exits and no-operations; takes an issue "
                "slot, computes nothing"},
    {"lsu",
     "load/store unit: global, local and texture accesses; from Volta "
     "on shared memory, shuffles, special registers and constants too, as "
     "the one data stage of L1 and shared memory; held for each pass of a "
     "warp's access, each address of a constant load"},
    {"tex", "fetches from textures, accesses to surfaces; held for each four "
            "lanes by their samples, or for the lines"},
    {"tags", "looks up the lines of global and local accesses in L1; held for "
             "each transaction of a warp's access"},
    {"ldst", "load/store unit of Tesla and Fermi; on Fermi shared memory "
             "goes through it too"},
    {"shared", "the shared memory's port on Tesla; held for each pass of a "
               "bank conflict"},
    {"mio", "memory input/output of Pascal: constants, shared memory, "
            "shuffles and special registers; held for each pass of a bank "
            "conflict"},
};

/* Names in JSON. */
static const struct json_word {
    const char *name, *where, *help;
} json_words[] = {
#define WORD(name, where, help) {name, where, help},
#include "tools/teg/report/json_words.def"
#undef WORD
};

struct search {
    const char *term; /* NULL: everything */
    bool all;         /* with what it means, else names only */
    struct teg_nearest nearest;
    int found;
};

static const char *skip_between(const char *text)
{
    return text + strspn(text, " _-'\t\n");
}

/* Case, apostrophes and what stands between words do not count: "Long
 * scoreboard", "warps'  time", "longScoreboard". */
static bool same_words(const char *a, const char *b)
{
    a = skip_between(a);
    b = skip_between(b);
    for (; *a != '\0' && *b != '\0';
         a = skip_between(a + 1), b = skip_between(b + 1)) {
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
            return false;
    }
    return *a == *b;
}

/* Whether "stalls.barrier.percent" is of `name`: the item of a list, or the
 * last of all. */
static bool is_number_of(const char *number, const char *name)
{
    const char *dot = strchr(number, '.');
    size_t length;

    if (dot == NULL)
        return strcmp(number, name) == 0;
    length = strcspn(dot + 1, ".");
    return strncmp(dot + 1, name, length) == 0 && name[length] == '\0';
}

/* What Nsight Compute calls the same. */
static void print_vendors(const char *name)
{
    struct metric m;

    for (uint32_t i = 0; metric_at(&m, i); i++) {
        const bool labeled = i < metric_rows() && m.label[0] != '\0';

        if (is_number_of(m.number, name))
            printf("    Nsight Compute: %s%s%s%s\n", m.vendor,
                   labeled ? " (" : "", labeled ? m.label : "",
                   labeled ? ")" : "");
    }
}

static void offer(struct search *s, const char *kind, const char *name,
                  const char *help)
{
    if (s->term == NULL && !s->all) {
        printf("  %s\n", name);
        return;
    }
    if (s->term == NULL) {
        printf("%s (%s)\n    %s\n", name, kind, help);
        return;
    }
    teg_nearest_offer(&s->nearest, name);
    if (!same_words(s->term, name))
        return;
    s->found++;
    printf("%s (%s)\n    %s\n", name, kind, help);
    print_vendors(name);
}

static void heading(const struct search *s, const char *text)
{
    if (s->term == NULL)
        printf("%s\n", text);
}

static void offer_words(struct search *s)
{
    heading(s, "words of the reports");
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        offer(s, "report", words[i].name, words[i].help);
    heading(s, "units of measure");
    for (size_t i = 0; i < sizeof measures / sizeof measures[0]; i++)
        offer(s, "unit of measure", measures[i].name, measures[i].help);
    heading(s, "units");
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        offer(s, "unit", units[i].name, units[i].help);
}

/* Those that have a name. */
static void offer_counters(struct search *s)
{
    uint32_t count;
    const struct teg_counter *c = teg_counters(&count);

    heading(s, "counters");
    for (uint32_t i = 0; i < count; i++) {
        char kind[80], help[320];

        snprintf(kind, sizeof kind, "counter; in JSON: %s",
                 teg_counter_kind_name(c[i].kind));
        snprintf(help, sizeof help, "%s\n    unit: %s", c[i].help,
                 c[i].measure);
        if (c[i].json[0] != '\0')
            offer(s, kind, c[i].json, help);
    }
}

static void offer_json(struct search *s)
{
    heading(s, "names in JSON");
    for (size_t i = 0; i < sizeof json_words / sizeof json_words[0]; i++) {
        char kind[80];

        snprintf(kind, sizeof kind, "in JSON: %s", json_words[i].where);
        offer(s, kind, json_words[i].name, json_words[i].help);
    }
}

static void offer_stalls(struct search *s)
{
    heading(s, "stall reasons");
    for (uint32_t i = 0; i < TEG_STALLS; i++)
        offer(s, "stall reason", teg_stall_label(i), teg_stall_help(i));
}

static void offer_classes(struct search *s)
{
    heading(s, "operation classes");
    for (uint32_t i = 0; i < TEG_CLASSES; i++) {
        const struct teg_op_class_facts *facts = teg_op_class_facts(i);

        offer(s, "operation class", facts->key, facts->help);
    }
}

static void offer_whatifs(struct search *s)
{
    uint32_t count, findings;
    const struct teg_whatif *w = teg_whatifs(&count);

    const struct finding_facts *f = findings_facts(&findings);

    heading(s, "findings");
    for (uint32_t i = 0; i < findings; i++)
        offer(s, "finding", f[i].name, f[i].advice);
    heading(s, "what-ifs");
    for (uint32_t i = 0; i < count; i++)
        offer(s, "what-if", w[i].name, w[i].help);
    offer(s, "what-if", "double:<unit>", "twice as many of that unit");
}

/* Inputs and results of the model or bound `owner`. */
static void offer_terms(struct search *s, const char *owner,
                        const struct teg_model_inputs *in,
                        const struct teg_term_facts *t, uint32_t count)
{
    char kind[80], help[640];

    snprintf(kind, sizeof kind, "input of %s", owner);
    for (uint32_t i = 0; in != NULL && i < in->count; i++) {
        const struct teg_parameter *p = &in->parameter[i];

        snprintf(help, sizeof help, "%s%s%s", p->help,
                 p->unit[0] != '\0' ? "\n    unit: " : "", p->unit);
        offer(s, kind, p->name, help);
    }
    snprintf(kind, sizeof kind, "term of %s", owner);
    for (uint32_t i = 0; i < count; i++) {
        snprintf(help, sizeof help, "%s%s%s%s%s", t[i].help,
                 t[i].unit[0] != '\0' ? "\n    unit: " : "", t[i].unit,
                 t[i].equation[0] != '\0' ? "\n    = " : "", t[i].equation);
        offer(s, kind, t[i].name, help);
    }
}

static void offer_models(struct search *s)
{
    uint32_t count;
    const struct teg_model *const *m = teg_models(&count);

    heading(s, "analytical models");
    for (uint32_t i = 0; i < count; i++) {
        char help[400];

        snprintf(help, sizeof help, "%s (%s)", m[i]->title, m[i]->source);
        offer(s, "analytical model", m[i]->name, help);
        offer_terms(s, m[i]->name, m[i]->inputs, m[i]->terms, m[i]->term_count);
    }
    offer_terms(s, "bound sgemm", &sgemm_inputs_kind, sgemm_terms, SGEMM_TERMS);
}

static void offer_inputs(struct search *s, const struct teg_parameter *p,
                         uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        char help[256];

        snprintf(help, sizeof help, "%.200s%s%s", p[i].help,
                 p[i].unit[0] != '\0' ? "; in " : "", p[i].unit);
        offer(s, "power: input", p[i].name, help);
    }
}

static void offer_results(struct search *s, const struct teg_term_facts *t,
                          uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        char help[512];

        snprintf(help, sizeof help, "%.200s%s%s%s%.200s", t[i].help,
                 t[i].unit[0] != '\0' ? "; in " : "", t[i].unit,
                 t[i].equation[0] != '\0' ? "\n    = " : "", t[i].equation);
        offer(s, "power: result", t[i].name, help);
    }
}

static void offer_power(struct search *s)
{
    static const struct teg_term_facts together[] = {
#define SPLIT_RESULT(field, unit, equation, help) \
    {#field, unit, equation, help},
#define MIX_RESULT(field, unit, equation, help) {#field, unit, equation, help},
#include "sim/models/efficiency.def"
    };
    uint32_t count;
    const struct teg_parameter *p = power_parameters(&count);
    const struct teg_term_facts *t;

    heading(s, "power and temperature");
    for (uint32_t u = 0; u < TEG_POWER_UNITS; u++)
        offer(s, "component of the power model", teg_power_unit_facts(u)->key,
              teg_power_unit_facts(u)->help);
    offer_inputs(s, p, count);
    t = power_terms(&count);
    offer_results(s, t, count);
    p = efficiency_split_inputs(&count);
    offer_inputs(s, p, count);
    p = efficiency_mix_inputs(&count);
    offer_inputs(s, p, count);
    offer_results(s, together, sizeof together / sizeof together[0]);
}

/* The other way: what a result has of a vendor's metric. */
static void offer_metrics(struct search *s)
{
    struct metric m;

    heading(s, "metrics of Nsight Compute that teg compare knows");
    for (uint32_t i = 0; metric_at(&m, i); i++) {
        char help[320];

        snprintf(help, sizeof help, "in a result: %s%s%s%s%s%s%s", m.number,
                 m.over[0] != '\0' ? " / " : "", m.over,
                 m.unit[0] != '\0' ? "\n    unit: " : "", m.unit,
                 m.but[0] != '\0' ? "\n    " : "", m.but);
        offer(s, "Nsight Compute", m.vendor, help);
        if (m.label[0] != '\0' && i < metric_rows())
            offer(s, "Nsight Compute", m.label, help);
    }
}

static void offer_choices(struct search *s, const struct param *p)
{
    char help[320];

    snprintf(help, sizeof help, "a value of %s: %s", p->key, p->help);
    for (uint32_t i = 0; i < p->choice_count; i++)
        offer(s, "GPU description", p->choice[i], help);
}

static void offer_keys(struct search *s)
{
    uint32_t count;
    const struct param *p = params(&count);

    heading(s, "keys of a GPU description");
    for (uint32_t i = 0; i < count; i++)
        offer(s, "GPU description", p[i].key, p[i].help);
    heading(s, "values of such keys");
    for (uint32_t i = 0; i < count; i++)
        offer_choices(s, &p[i]);
}

static void offer_features(struct search *s)
{
    heading(s, "features");
    for (uint32_t i = 0; i < TEG_FEATURES; i++) {
        const struct teg_feature_facts *facts = teg_feature_facts(i);
        char help[320];

        snprintf(help, sizeof help, "%s\n    unit: %s", facts->help,
                 facts->unit);
        offer(s, "feature of a launch", facts->name, help);
    }
}

static void offer_findings(struct search *s)
{
    const char *kind;

    heading(s, "findings of teg check");
    for (size_t i = 0; (kind = teg_lint_kind(i)) != NULL; i++)
        offer(s, "finding of teg check", kind, teg_lint_help(kind));
}

static void offer_all(struct search *s)
{
    offer_words(s);
    offer_findings(s);
    offer_counters(s);
    offer_stalls(s);
    offer_classes(s);
    offer_whatifs(s);
    offer_models(s);
    offer_power(s);
    offer_keys(s);
    offer_features(s);
    offer_json(s);
    offer_metrics(s);
}

static void offer_gpus(struct search *s)
{
    struct teg_gpu_list list;
    struct teg_gpu *gpu;

    if (gpu_list_find_all(&list, NULL) != EXIT_DONE)
        return;
    if (teg_gpu_list_find(&list, s->term) != NULL &&
        gpu_open(s->term, NULL, &gpu) == EXIT_DONE) {
        offer(s, "GPU", s->term, gpu->title);
        teg_gpu_free(gpu);
    }
    teg_gpu_list_release(&list);
}

/* Words that go on as they like. */
static const struct term named[] = {
    {"sm_", "compute capability of the code or the chip: generation and "
            "version (sm_80 is 8.0)"},
    {"V ", "of a value: the vendor says so (white paper, manual, tool)"},
    {"M ", "of a value: measured, by whom"},
    {"C ", "of a value: a setting of another simulator"},
    {"D ", "of a value: arithmetic on other values, formula given"},
    {"R ", "of a value: recalled from a named document that was not reopened"},
    {"I ", "of a value: inferred, from what"},
};

static void offer_as(struct search *s, const struct term *t, const char *term)
{
    s->found++;
    printf("%s (report)\n    %s\n", term, t->help);
}

/* "LDG.E.64 R4, [R2]": what class of which instructions it is of. */
static void offer_instruction(struct search *s)
{
    static const uint32_t generations[] = {90, 100, 80, 61, 35, 13};
    const char *term = s->term;
    char mnemonic[48];

    if (term[0] == '@')
        term += strcspn(term, " ");
    term += strspn(term, " ");
    snprintf(mnemonic, sizeof mnemonic, "%.*s", (int)strcspn(term, " "), term);
    for (size_t i = 0; mnemonic[0] != '\0' && s->found == 0 &&
                       i < sizeof generations / sizeof generations[0];
         i++) {
        const struct teg_operands none = {0};
        struct teg_inst inst = {0};
        const struct teg_op_class_facts *facts;

        teg_inst_from_opcode(&inst, mnemonic, generations[i], &none);
        if ((inst.flags & INST_UNKNOWN) != 0)
            continue;
        facts = teg_op_class_facts(inst.op_class);
        s->found++;
        printf("%s (instruction)\n    of the operation class %s: %s\n",
               mnemonic, facts->key, facts->help);
    }
}

/* "unit lsu", "double:lsu", "LDS.128", "sub-core 2": what stands behind or
 * before what a report adds. */
static void offer_parts(struct search *s)
{
    static const char *const before[] = {"double:", "unit ", "timing.",
                                         "power_unit."};
    const char *term = s->term;
    char part[80];

    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) {
        if (strncmp(term, before[i], strlen(before[i])) != 0)
            continue;
        s->term = i == 0 ? "double:<unit>" : term + strlen(before[i]);
        offer_all(s);
    }
    for (size_t i = 0; s->found == 0 && i < sizeof named / sizeof named[0];
         i++) {
        if (strncmp(term, named[i].name, strlen(named[i].name)) == 0)
            offer_as(s, &named[i], term);
    }
    if (s->found == 0) {
        snprintf(part, sizeof part, "%.*s", (int)strcspn(term, "."), term);
        part[strcspn(part, "0123456789")] = '\0';
        if (part[0] != '\0' && part[strlen(part) - 1] == ' ')
            part[strlen(part) - 1] = '\0';
        s->term = part;
        if (part[0] != '\0' && strcmp(part, term) != 0)
            offer_all(s);
    }
    s->term = term;
}

/* Returns an exit status. */
static int explain(const char *term)
{
    struct search search = {.term = term};
    char hint[96];

    teg_nearest_init(&search.nearest, term);
    offer_all(&search);
    if (search.found == 0)
        offer_gpus(&search);
    if (search.found == 0)
        offer_parts(&search);
    if (search.found == 0)
        offer_instruction(&search);
    return search.found > 0
               ? EXIT_DONE
               : say_usage("explain", "unknown term '%s'%s", term,
                           did_you_mean(&search.nearest, "", hint));
}

int cmd_explain(int argc, char **argv)
{
    struct search search = {0};
    const struct opt options[] = {
        {"all", 0, OPT_FLAG, &search.all, NULL,
         "without TERM: what each of them means, not only its name", NULL},
        {0}};
    const struct usage usage = {
        .command = "explain",
        .operands = "[TERM]...",
        .summary = "Says what a unit, stall reason, operation class, what-if, "
                   "model, term of a model, key of a GPU description, name "
                   "in JSON or another word of a report means, with unit and "
                   "equation. Without TERM lists them all.",
        .options = options,
        .operands_max = INT_MAX,
        .examples = "  teg explain long_scoreboard\n"};
    struct operands operands;
    int status;

    if (!options_parse(&usage, argc, argv, &operands, &status))
        return status;
    if (operands.count == 0)
        offer_all(&search);
    for (int i = 0; i < operands.count; i++) {
        const int one = explain(operands.item[i]);

        status = status == EXIT_DONE ? one : status;
    }
    return status;
}
