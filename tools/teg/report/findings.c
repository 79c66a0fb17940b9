#include "tools/teg/report/findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/teg/report/findings_rules.h"
#include "tools/teg/report/instructions.h"
#include "tools/teg/report/mixture.h"
#include "tools/teg/report/subjects.h"
#include "tools/teg/report/verdict.h"

#define GAIN_MIN     1.01 /* one percent is no gain to point at */
#define TOLD_MIN     1.02 /* nor two where something gains more */
#define REPEATED_MIN 0.9  /* of a gain: as much, to what both are measured */
#define USED_MIN     0.01 /* of its time: what is idle is not used up */
#define BINDS_MIN    0.8  /* of its time: what is as busy binds, unless ... */
#define LITTLE_MAX   1.1  /* ... something gains more than this */
#define NONE         ""

static const struct row {
    const char *name;
    enum finding_tier tier;
    const char *what_if;
    rule *share, *figure;
    const char *text, *cure, *advice;
} rows[] = {
#define FINDING(name, tier, what_if, share, figure, text, cure, advice) \
    {name, TIER_##tier, what_if, share_##share, figure_##figure,        \
     text, cure,        advice},
#include "tools/teg/report/findings.def"
};

/* What of the chip is used up, by the name of its share in the verdict. */
static const struct used {
    const char *share; /* "unit " stands for each */
    const char *what_if;
    bool does_less; /* the program, besides of this: it gains elsewhere, too */
    const char *cure, *advice;
} used_up[] = {
    {"issue", "half-instructions", true, "with half of them",
     "have the warps execute fewer instructions"},
    {"dram", "unlimited-bandwidth", false, "with any bandwidth",
     "move fewer bytes: smaller types, or data used again from a cache"},
    {"l2 port", "unlimited-bandwidth", false, "with any bandwidth",
     "move fewer bytes to an SM: larger tiles, or data used again from shared "
     "memory"},
    {"way out", "unlimited-bandwidth", false, "with any bandwidth",
     "store whole lines: neighboring lanes to neighboring words, by way of "
     "shared memory if need be; add up in the warp or block before atomics"},
    {"l2", "unlimited-bandwidth", false, "with any bandwidth",
     "move fewer bytes: use data again from L1 or shared memory"},
    {"atomics", "free-atomics", false, "as fast as stores",
     "add up in the warp or block first, or update more words"},
    {"unit fp64", "floats", true, "with floats",
     "use floats where they do, and constants of theirs: 0.1f, not 0.1"},
    {"unit sfu", "cheap-functions", true, "as single instructions",
     "fewer roots, exponentials, divisions and conversions: a double constant "
     "among floats converts each of them"},
    {FINDING_STAGE, "a-in-registers", false,
     "with the products' A in registers",
     "read less of shared memory: larger products, whose factors serve more of "
     "it, A in registers, results not by way of it"},
    {"unit lsu", "double:lsu", false, "with twice as many",
     "load more at once (float4), and use it several times from registers"},
    {"unit tensor", "double:", false, "with twice as many",
     "multiply in a smaller type, or sparse"},
    {"unit tcgen", "double:", false, "with twice as many",
     "multiply in a smaller type, or sparse"},
    {"unit ", "double:", false, "with twice as many",
     "let other units do it, or do less of it"},
};

enum {
    ROWS = sizeof rows / sizeof *rows,
    USED = sizeof used_up / sizeof *used_up
};

/* Where what-ifs were measured, and where none was: a wait is then supposed to
 * gain no more than a change of the program may bring. */
static const struct {
    double measured, supposed;
} weights[TIERS] = {
    [TIER_CAUSE] = {1, 1},
    [TIER_RESOURCE] = {0.5, 0.5},
    [TIER_WAIT] = {0.25, 0.5},
};

/* ---- gains ---------------------------------------------------------------- */

/* 0: not measured. */
static double measured(const struct evidence *e, const char *what_if)
{
    const struct whatif *w = e->ranking;

    if (w == NULL || what_if[0] == '\0' || w->baseline_cycles == 0)
        return 0;
    for (uint32_t i = 0; i < w->done; i++) {
        const struct toggle *t = &w->toggle[i];

        if (strcmp(t->name, what_if) == 0 && t->cycles > 0)
            return (double)w->baseline_cycles / (double)t->cycles;
    }
    return 0;
}

static double gain_of_share(double share)
{
    return 1 / (1 - fmin(share, 0.95));
}

/* What nobody measured is supposed: of a wait no more than the busiest part of
 * the chip leaves, of that part, which is never used to the last cycle, by
 * the cube of its share, and the less of others, which it hides. */
static double supposed(const struct finding *f, double busiest)
{
    switch (f->tier) {
    case TIER_RESOURCE:
        return gain_of_share(0.9 * pow(f->share, 3) *
                             fmin(f->share / busiest, 1));
    case TIER_WAIT:
        return gain_of_share(f->share * (1 - fmin(busiest, 1)));
    default:
        return gain_of_share(f->share);
    }
}

/* ---- one finding ---------------------------------------------------------- */

/* Returns the place for a new one. */
static struct finding *begin(struct findings *f, const char *name,
                             enum finding_tier tier, const char *what_if)
{
    struct finding *item = &f->item[f->count];

    *item =
        (struct finding){.tier = tier, .inst = UINT32_MAX, .order = f->count};
    snprintf(item->name, sizeof item->name, "%s", name);
    snprintf(item->what_if, sizeof item->what_if, "%s", what_if);
    return item;
}

/* The figure for the #. */
static void fill_in(const char *text, double figure, char *out, size_t size)
{
    size_t before = strcspn(text, "#");
    const char *after = text + before + (text[before] != '\0');

    snprintf(out, size, "%.*s", (int)before, text);
    if (text[before] != '\0')
        snprintf(out + before, size - before,
                 figure < 999.5 ? "%.3g%s" : "%.0f%s", figure, after);
}

static void add_gain(struct finding *f, const char *cure)
{
    size_t length = strlen(f->text);

    if (f->speedup > 0 && cure[0] != '\0')
        snprintf(f->text + length, sizeof f->text - length, "; %s %s%.2fx",
                 cure, f->at_most ? "about " : "", f->speedup);
}

/* What a change of the program may bring of what its what-if takes away
 * whole. */
static const struct step_towards {
    const char *what_if, *step, *cure;
} steps_towards[] = {
    {"no-memory-latency", "more-loads", "four times the loads in flight"},
};

enum {
    STEPS_TOWARDS = sizeof steps_towards / sizeof *steps_towards
};

static void add_step(struct finding *f, const struct evidence *e)
{
    size_t length = strlen(f->text);

    for (size_t i = 0; f->speedup > 0 && i < STEPS_TOWARDS; i++) {
        const struct step_towards *s = &steps_towards[i];
        double gain =
            strcmp(f->what_if, s->what_if) == 0 ? measured(e, s->step) : 0;

        if (gain > 0)
            snprintf(f->text + length, sizeof f->text - length,
                     ", with %s %.2fx", s->cure, gain);
    }
}

/* What of its what-if's gain is the finding's: waits for results of loads and
 * of shared memory are gone with those of arithmetic, but are others; bytes
 * that nobody asked for are a matter of coalescing. */
static double own_part(const struct finding *item, const struct evidence *e)
{
    const struct teg_memory_statistics *m = &e->s->memory;
    double all = 0;

    if (strcmp(item->what_if, "unlimited-bandwidth") == 0 && m->bytes > 0)
        return fmin((double)m->useful_bytes / (double)m->bytes, 1);
    if (strcmp(item->what_if, "no-dependences") != 0)
        return 1;
    for (int r = 0; r < TEG_STALL_RESULTS; r++)
        all += (double)e->s->stall[TEG_STALL_RESULT_FIRST + r];
    return all > 0 ? (double)e->s->stall[STALL_WAIT] / all : 0;
}

/* What of the gain of its what-if is the finding's own. */
static void take_part(struct finding *item, double part)
{
    if (item->speedup <= 1 || part >= 1)
        return;
    item->speedup = 1 / (1 - (1 - 1 / item->speedup) * part);
    item->at_most = true;
}

/* Next to measured gains: what gains more than little, and what was not
 * measured but for a large share. */
static bool is_told(const struct finding *item, const struct evidence *e)
{
    static const double share_min[TIERS] = {
        [TIER_CAUSE] = 0.1, [TIER_RESOURCE] = 0.6, [TIER_WAIT] = 0.3};
    /* What is idle most of the time hardly is used up; and waits by their
     * reason stand for what takes more away than that (cache misses). */
    static const double least[TIERS] = {
        [TIER_RESOURCE] = 0.25, [TIER_WAIT] = 0.02};

    if (e->ranking == NULL)
        return true;
    if (item->share < (item->does_less ? share_min : least)[item->tier])
        return false;
    return item->speedup > 0 ? item->speedup >= TOLD_MIN
                             : item->share >= share_min[item->tier];
}

/* Nothing that the launch does with it would be done much faster. */
static bool binds(const struct finding *item)
{
    return item->tier == TIER_RESOURCE && item->share >= BINDS_MIN;
}

static void keep(struct findings *f, struct finding *item,
                 const struct evidence *e, double busiest)
{
    double part = item->speedup > 0 ? 1 : own_part(item, e);
    double gain = item->speedup > 0 ? item->speedup : supposed(item, busiest);

    /* A part of the chip is used up as far as it is busy, and what a program
     * that does less gains is its doing the less. */
    if (item->tier == TIER_RESOURCE && item->speedup > 0)
        part = pow(fmin(item->share, 1), item->does_less ? 3 : 1);
    item->told = is_told(item, e);
    item->score = log(gain) * part *
                  (e->ranking != NULL ? weights[item->tier].measured
                                      : weights[item->tier].supposed);
    f->count += gain >= GAIN_MIN || binds(item);
}

/* Says the instruction that has most of it instead of the whole's figure. */
static void place(struct finding *item, const struct subjects *subjects)
{
    char where[sizeof item->where];

    item->inst = subject_find(subjects, item->what_if, where, sizeof where);
    memcpy(item->where, where, sizeof where);
    if (where[0] != '\0')
        snprintf(item->text, sizeof item->text, "%s", where);
}

static void try_row(struct findings *f, const struct row *row,
                    const struct evidence *e, const struct subjects *subjects,
                    double busiest)
{
    struct finding *item = begin(f, row->name, row->tier, row->what_if);

    item->share = row->share(e);
    item->advice = row->advice;
    item->speedup = measured(e, row->what_if);
    take_part(item, own_part(item, e));
    if (item->share <= 0 && (row->share != share_never || item->speedup <= 0))
        return;
    if (row->what_if[0] == '\0' && row->cure[0] != '\0') {
        item->speedup = gain_of_share(item->share);
        item->at_most = true;
    }
    fill_in(row->text, row->figure(e), item->text, sizeof item->text);
    if (subjects != NULL)
        place(item, subjects);
    add_gain(item, row->cure);
    add_step(item, e);
    keep(f, item, e, busiest);
}

static const struct used *used_of(const char *share)
{
    for (size_t i = 0; i < USED; i++) {
        if (strncmp(share, used_up[i].share, strlen(used_up[i].share)) == 0)
            return &used_up[i];
    }
    return NULL;
}

/* Says what it is busy with. */
static void add_mixture(struct finding *item, const char *part,
                        const struct evidence *e)
{
    char what[sizeof item->where];
    size_t length = strlen(item->text);

    item->inst = mixture_find(e->by_pc, e->gpu, part, what, sizeof what);
    if (what[0] != '\0')
        snprintf(item->text + length, sizeof item->text - length, "; %s", what);
}

/* Of two parts that one what-if relieves, what the far busier one gains is not
 * the other's. */
static bool is_anothers(const struct load_share *share, const struct used *used,
                        const struct verdict *v)
{
    for (uint32_t i = 0; i < v->share_count; i++) {
        const struct used *other = used_of(v->share[i].name);

        if (other != NULL && strcmp(other->what_if, used->what_if) == 0 &&
            strchr(used->what_if, ':') == NULL && used->what_if[0] != '\0' &&
            v->share[i].share > 2 * share->share)
            return true;
    }
    return false;
}

static void try_share(struct findings *f, const struct load_share *share,
                      const struct evidence *e, const struct verdict *v,
                      const struct subjects *subjects)
{
    const struct used *used = used_of(share->name);
    const char *unit = strchr(share->name, ' ');
    char what_if[2 * sizeof share->name], where[sizeof f->item[0].where];
    struct finding *item;
    size_t length;

    if (used == NULL || share->share < USED_MIN || is_anothers(share, used, v))
        return;
    length = strlen(used->what_if);
    snprintf(what_if, sizeof what_if, "%s%s", used->what_if,
             length > 0 && used->what_if[length - 1] == ':' ? unit + 1 : "");
    item = begin(f, share->name, TIER_RESOURCE, what_if);
    item->share = share->share;
    item->does_less = used->does_less;
    item->advice = used->advice;
    item->speedup = measured(e, what_if);
    take_part(item, own_part(item, e));
    verdict_share_text(share, e->s, item->text, sizeof item->text);
    if (e->by_pc != NULL)
        add_mixture(item, share->name, e);
    if (subjects != NULL && item->inst == UINT32_MAX)
        item->inst = subject_find(subjects, what_if, where, sizeof where);
    add_gain(item, used->cure);
    keep(f, item, e, v->share[0].share);
}

/* Those that people are told first; ties in the order of the table. */
static int by_score(const void *a, const void *b)
{
    const struct finding *x = a, *y = b;

    if (x->told != y->told)
        return x->told ? -1 : 1;
    if (x->score != y->score)
        return x->score < y->score ? 1 : -1;
    return (x->order > y->order) - (x->order < y->order);
}

/* What of the chip a line uses up is not told again where its cause is, which
 * gains as much. */
static bool is_repeated(const struct findings *f, const struct finding *item,
                        const struct by_pc *b)
{
    for (uint32_t i = 0; i < f->count; i++) {
        const struct finding *cause = &f->item[i];

        if (cause->tier == TIER_CAUSE && cause->told &&
            cause->inst != UINT32_MAX && cause->speedup > 0 &&
            cause->speedup >= REPEATED_MIN * item->speedup &&
            subjects_of_one_line(b, cause->inst, item->inst))
            return true;
    }
    return false;
}

static void drop_repeated(struct findings *f, const struct by_pc *b)
{
    for (uint32_t i = 0; i < f->count; i++) {
        struct finding *item = &f->item[i];

        if (item->tier == TIER_RESOURCE && item->inst != UINT32_MAX &&
            is_repeated(f, item, b))
            item->told = false;
    }
}

/* Where a part of the chip is busy nearly all the time and nothing gains more
 * than little, it is what binds. If twice as much of it gains nothing, another
 * is as busy. */
static void put_busiest_first(struct findings *f, const struct verdict *v)
{
    struct finding first;
    size_t length;
    uint32_t at = 0;

    if (f->count == 0 || v->share_count == 0 ||
        (f->item[0].told && f->item[0].speedup >= LITTLE_MAX))
        return;
    while (at < f->count && (!binds(&f->item[at]) ||
                             strcmp(f->item[at].name, v->share[0].name) != 0))
        at++;
    if (at == f->count)
        return;
    first = f->item[at];
    first.told = true;
    length = strlen(first.text);
    if (v->share_count > 1 && v->share[1].share >= BINDS_MIN)
        snprintf(first.text + length, sizeof first.text - length,
                 "; %s is %.0f %% busy, too", v->share[1].name,
                 100 * v->share[1].share);
    memmove(f->item + 1, f->item, at * sizeof f->item[0]);
    f->item[0] = first;
}

int findings_find(struct findings *f, const struct evidence *e,
                  const struct verdict *v)
{
    double busiest = v->share_count > 0 ? v->share[0].share : 0;
    struct subjects subjects;
    bool placed = e->by_pc != NULL;

    f->count = 0;
    if (placed && subjects_init(&subjects, e->by_pc, e->gpu,
                                e->s->resident_warp_cycles) != EXIT_DONE)
        return EXIT_FAULT;
    for (size_t i = 0; i < ROWS; i++)
        try_row(f, &rows[i], e, placed ? &subjects : NULL, busiest);
    for (uint32_t i = 0; i < v->share_count && f->count < FINDINGS_MAX; i++)
        try_share(f, &v->share[i], e, v, placed ? &subjects : NULL);
    if (placed && e->ranking != NULL)
        drop_repeated(f, e->by_pc);
    qsort(f->item, f->count, sizeof f->item[0], by_score);
    if (e->ranking != NULL)
        put_busiest_first(f, v);
    if (placed)
        subjects_release(&subjects);
    return EXIT_DONE;
}

static bool is_tried(const struct trials *t, const char *name)
{
    for (uint32_t i = 0; i < t->count; i++) {
        if (strcmp(t->name[i], name) == 0)
            return true;
    }
    return false;
}

void findings_trials(const struct findings *f, struct trials *t)
{
    t->count = 0;
    for (uint32_t i = 0; i < f->count && t->count < WHATIF_FIRST_MAX; i++) {
        const char *name = f->item[i].what_if;

        if (name[0] != '\0' && !is_tried(t, name))
            memcpy(t->name[t->count++], name, sizeof t->name[0]);
    }
    for (size_t i = 0; i < STEPS_TOWARDS && t->count < WHATIF_FIRST_MAX; i++) {
        if (is_tried(t, steps_towards[i].what_if))
            snprintf(t->name[t->count++], sizeof t->name[0], "%s",
                     steps_towards[i].step);
    }
}

/* ---- for others ----------------------------------------------------------- */

const struct finding_facts *findings_facts(uint32_t *count)
{
    static const struct finding_facts facts[] = {
#define FINDING(name, tier, what_if, share, figure, text, cure, advice) \
    {name, advice},
#include "tools/teg/report/findings.def"
    };

    *count = ROWS;
    return facts;
}

uint32_t findings_told(const struct findings *f)
{
    uint32_t told = f->count != 0;

    while (told < f->count && told < FINDINGS_TOLD && f->item[told].told)
        told++;
    return told;
}

const char *findings_first(const struct findings *f)
{
    return f->count > 0 ? f->item[0].name : "nothing that teg knows of";
}

static json_t *place_json(const struct finding *f, const struct by_pc *b,
                          json_t *(*of)(const struct teg_program *,
                                        const struct teg_inst *))
{
    if (b == NULL || f->inst == UINT32_MAX)
        return json_null();
    return of(b->program, &b->program->inst[f->inst]);
}

static json_t *line_of(const struct teg_program *p, const struct teg_inst *inst)
{
    (void)p;
    return line_json(inst);
}

static json_t *text_of(const struct teg_program *p, const struct teg_inst *inst)
{
    return json_string(teg_program_text(p, inst));
}

static json_t *finding_json(const struct finding *f, const struct by_pc *b)
{
    static const char *const tiers[TIERS] = {"cause", "resource", "wait"};

    return json_pack(
        "{s:s, s:s, s:s, s:s, s:o, s:o, s:b, s:f, s:o, s:o, s:o}", "name",
        f->name, "tier", tiers[f->tier], "text", f->text, "advice", f->advice,
        "what_if",
        f->what_if[0] != '\0' ? json_string(f->what_if) : json_null(),
        "speedup", f->speedup > 0 ? json_real(f->speedup) : json_null(),
        "at_most", f->at_most, "share_percent", 100 * f->share, "instruction",
        place_json(f, b, text_of), "line", place_json(f, b, line_of), "file",
        place_json(f, b, file_json));
}

json_t *findings_json(const struct findings *f, const struct by_pc *b)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < f->count; i++)
        json_array_append_new(array, finding_json(&f->item[i], b));
    return array;
}
