#include "sim/collect/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "isa/base/minmax.h"

#define APART __attribute__((noinline))

void timeline_init(struct timeline *t, uint32_t sm)
{
    memset(t, 0, sizeof *t);
    t->choice = (struct timeline_choice){sm, TIMELINE_ALL, 0, UINT64_MAX};
    t->bin_cycles = 1;
}

static void on_start(void *self, const struct teg_gpu *gpu,
                     const struct teg_program *program, uint32_t sms)
{
    struct timeline *t = self;
    struct timeline_choice choice = t->choice;

    (void)program;
    timeline_init(t, choice.sm);
    t->choice = choice;
    t->unit_count = gpu->unit_count;
    t->tag_unit = gpu->tag_unit;
    for (uint32_t u = 0; u < gpu->unit_count; u++) {
        uint32_t schedulers = gpu->unit[u].scope == UNIT_SCOPE_SM ||
                                      choice.scheduler != TIMELINE_ALL
                                  ? 1
                                  : gpu->sm.schedulers;

        t->instances[u] = gpu->unit[u].count * schedulers *
                          (choice.sm == TIMELINE_ALL ? sms : 1);
    }
}

static void widen(struct timeline *t)
{
    bins_halve(t->issued);
    for (int r = 0; r < TEG_STALLS; r++)
        bins_halve(t->stall[r]);
    for (uint32_t u = 0; u < t->unit_count; u++) {
        bins_halve(t->busy[u]);
        bins_halve(t->load[u]);
    }
    t->bin_log2++;
    t->bin_cycles *= 2;
}

/* Bins follow everyone's time, chosen or not, so that those of an SM and of
 * the chip are alike: whoever is not chosen is only seen, and covered by the
 * time that it matters. */
static void see(struct timeline *t, const struct sim_issue *e)
{
    uint64_t free_from = e->cycle + e->queued + e->busy;

    t->seen = teg_max(t->seen, teg_max(free_from, e->done));
    t->seen = teg_max(t->seen, e->cycle + e->lines);
}

static void cover(struct timeline *t)
{
    uint64_t end = teg_min(t->seen, t->choice.to);

    while (end > t->choice.from &&
           end - t->choice.from > (uint64_t)TEG_TIMELINE_BINS << t->bin_log2)
        widen(t);
}

static int is_chosen(const struct timeline_choice *c, const struct sim_issue *e)
{
    return (c->sm == TIMELINE_ALL || c->sm == e->sm) &&
           (c->scheduler == TIMELINE_ALL || c->scheduler == e->scheduler);
}

/* The part of [from, to) that lies in the window. */
static void add(const struct timeline *t, uint64_t *bin, uint64_t from,
                uint64_t to)
{
    from = teg_max(from, t->choice.from);
    to = teg_min(to, t->choice.to);
    if (from >= to)
        return;
    bins_add(bin, t->bin_log2, from - t->choice.from, to - t->choice.from);
}

/* The reasons follow one another in the order of sim/stalls.def; of the last
 * ones, which take turns, only the sums are right. */
static void add_stalls(struct timeline *t, const struct sim_issue *e)
{
    uint64_t at = e->arrived;

    for (int r = 0; r < TEG_STALLS; r++) {
        /* Most are none. */
        if (e->stall[r] == 0)
            continue;
        add(t, t->stall[r], at, at + e->stall[r]);
        at += e->stall[r];
    }
}

/* Apart, so that who is not chosen costs next to nothing. */
APART static void add_chosen(struct timeline *t, const struct sim_issue *e)
{
    cover(t);
    add_stalls(t, e);
    add(t, t->issued, e->cycle, e->cycle + 1);
    add(t, t->busy[e->unit], e->cycle + e->queued,
        e->cycle + e->queued + e->busy);
    if (e->lines != 0)
        add(t, t->busy[t->tag_unit], e->cycle, e->cycle + e->lines);
    add(t, t->load[e->unit], e->cycle, e->done);
}

static void on_issue(void *self, const struct sim_issue *e)
{
    struct timeline *t = self;

    see(t, e);
    if (is_chosen(&t->choice, e))
        add_chosen(t, e);
}

static void *split(void *self)
{
    const struct timeline *whole = self;
    struct timeline *part = calloc(1, sizeof *part);

    if (part == NULL)
        return NULL;
    part->choice = whole->choice;
    part->unit_count = whole->unit_count;
    part->tag_unit = whole->tag_unit;
    part->bin_cycles = 1;
    return part;
}

static void join(void *self, void *other)
{
    struct timeline *t = self, *part = other;

    t->seen = teg_max(t->seen, part->seen);
    cover(t);
    while (t->bin_log2 < part->bin_log2)
        widen(t);
    while (part->bin_log2 < t->bin_log2)
        widen(part);
    bins_join(t->issued, part->issued);
    for (int r = 0; r < TEG_STALLS; r++)
        bins_join(t->stall[r], part->stall[r]);
    for (uint32_t u = 0; u < t->unit_count; u++) {
        bins_join(t->busy[u], part->busy[u]);
        bins_join(t->load[u], part->load[u]);
    }
    free(part);
}

static void on_finish(void *self, uint64_t cycles)
{
    struct timeline *t = self;

    cover(t);
    t->end = cycles < t->choice.to ? cycles : t->choice.to;
}

struct sim_listener timeline_listener(struct timeline *t)
{
    return (struct sim_listener){.self = t,
                                 .on_start = on_start,
                                 .on_issue = on_issue,
                                 .on_finish = on_finish,
                                 .split = split,
                                 .join = join};
}

uint32_t timeline_bins(const struct timeline *t)
{
    uint64_t cycles = t->end > t->choice.from ? t->end - t->choice.from : 0;
    uint64_t bins = (cycles + t->bin_cycles - 1) / t->bin_cycles;

    /* A unit may be busy beyond the last result. */
    return bins < TEG_TIMELINE_BINS ? (uint32_t)bins : TEG_TIMELINE_BINS;
}

uint64_t timeline_width(const struct timeline *t, uint32_t bin)
{
    uint64_t from = t->choice.from + bin * t->bin_cycles;

    return from + t->bin_cycles > t->end ? t->end - from : t->bin_cycles;
}
