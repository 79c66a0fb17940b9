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

void timeline_add_part(struct timeline *t, struct timeline *part)
{
    part->like = t->like != NULL ? t->like : t;
    part->next_part = t->parts;
    t->parts = part;
}

static void on_start(void *self, const struct teg_gpu *gpu,
                     const struct teg_program *program, uint32_t sms)
{
    struct timeline *t = self;
    struct timeline_choice choice = t->choice;
    const struct timeline *like = t->like;
    struct timeline *parts = t->parts, *next_part = t->next_part;

    timeline_init(t, choice.sm);
    t->choice = choice;
    t->like = like;
    t->parts = parts;
    t->next_part = next_part;
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
    for (struct timeline *p = parts; p != NULL; p = p->next_part)
        on_start(p, gpu, program, sms);
}

static void settle(struct timeline *t)
{
    for (int r = 0; r < TEG_STALLS; r++)
        bins_settle(t->stall[r], &t->stalled[r], t->bin_log2);
    for (uint32_t u = 0; u < t->unit_count; u++) {
        bins_settle(t->busy[u], &t->taken[u], t->bin_log2);
        bins_settle(t->load[u], &t->loaded[u], t->bin_log2);
    }
}

static void widen(struct timeline *t)
{
    settle(t);
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
 * the chip are alike: whoever is not chosen is only seen, by whom `like` is if
 * there is one, and covered by the time that it matters. */
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

/* Where a cycle lies in the window, or where it begins or ends. */
static uint64_t in_window(const struct timeline *t, uint64_t cycle)
{
    return teg_min(teg_max(cycle, t->choice.from), t->choice.to) -
           t->choice.from;
}

static struct bins_edge edge_of(const struct timeline *t, uint64_t cycle)
{
    return bins_edge_of(t->bin_log2, in_window(t, cycle));
}

/* The first reason from `r` on that there was, or TEG_STALLS.  Most are none: two
 * are looked at at once. */
static int next_stall(const struct sim_issue *e, int r)
{
    uint64_t two;

    for (; r + 1 < TEG_STALLS; r += 2) {
        memcpy(&two, &e->stall[r], sizeof two);
        if (two != 0)
            return e->stall[r] != 0 ? r : r + 1;
    }
    return r < TEG_STALLS && e->stall[r] == 0 ? TEG_STALLS : r;
}

/* The reasons follow one another in the order of sim/stalls.def; of the last
 * ones, which take turns, only the sums are right. */
static void add_stalls(struct timeline *t, const struct sim_issue *e)
{
    uint64_t at = e->arrived;
    struct bins_edge from = edge_of(t, at);

    for (int r = next_stall(e, 0); r < TEG_STALLS; r = next_stall(e, r + 1)) {
        struct bins_edge to = edge_of(t, at += e->stall[r]);

        bins_cover(&t->stalled[r], &from, &to);
        from = to;
    }
}

static void add_issue(struct timeline *t, uint64_t cycle)
{
    if (cycle >= t->choice.from && cycle < t->choice.to)
        t->issued[(cycle - t->choice.from) >> t->bin_log2]++;
}

/* Apart, so that who is not chosen costs next to nothing. */
APART static void add_chosen(struct timeline *t, const struct sim_issue *e)
{
    struct bins_edge cycle, begin, end;

    cover(t);
    add_stalls(t, e);
    add_issue(t, e->cycle);
    cycle = begin = edge_of(t, e->cycle);
    if (e->queued != 0)
        begin = edge_of(t, e->cycle + e->queued);
    end = edge_of(t, e->cycle + e->queued + e->busy);
    bins_cover(&t->taken[e->unit], &begin, &end);
    end = edge_of(t, e->done);
    bins_cover(&t->loaded[e->unit], &cycle, &end);
    if (e->lines == 0)
        return;
    end = edge_of(t, e->cycle + e->lines);
    bins_cover(&t->taken[t->tag_unit], &cycle, &end);
}

static void on_issue(void *self, const struct sim_issue *e)
{
    struct timeline *t = self;

    if (!is_chosen(&t->choice, e)) {
        if (t->like == NULL)
            see(t, e);
        return;
    }
    see(t, e);
    add_chosen(t, e);
    for (struct timeline *p = t->parts; p != NULL; p = p->next_part) {
        if (is_chosen(&p->choice, e))
            on_issue(p, e);
    }
}

static void release_split(struct timeline *part)
{
    while (part != NULL) {
        struct timeline *next = part->next_part;

        release_split(part->parts);
        free(part);
        part = next;
    }
}

static void *split(void *self)
{
    const struct timeline *whole = self;
    struct timeline *part = calloc(1, sizeof *part), **end;

    if (part == NULL)
        return NULL;
    part->choice = whole->choice;
    part->like = whole->like;
    part->unit_count = whole->unit_count;
    part->tag_unit = whole->tag_unit;
    part->bin_cycles = 1;
    end = &part->parts;
    for (struct timeline *p = whole->parts; p != NULL; p = p->next_part) {
        *end = split(p);
        if (*end == NULL) {
            release_split(part);
            return NULL;
        }
        end = &(*end)->next_part;
    }
    return part;
}

/* Adds what `part` of it heard. */
static void add_heard(struct timeline *t, struct timeline *part)
{
    t->seen = teg_max(t->seen, part->seen);
    cover(t);
    while (t->bin_log2 < part->bin_log2)
        widen(t);
    while (part->bin_log2 < t->bin_log2)
        widen(part);
    settle(t);
    settle(part);
    bins_join(t->issued, part->issued);
    for (int r = 0; r < TEG_STALLS; r++)
        bins_join(t->stall[r], part->stall[r]);
    for (uint32_t u = 0; u < t->unit_count; u++) {
        bins_join(t->busy[u], part->busy[u]);
        bins_join(t->load[u], part->load[u]);
    }
    for (struct timeline *p = t->parts, *q = part->parts; p != NULL;
         p = p->next_part, q = q->next_part)
        add_heard(p, q);
}

static void join(void *self, void *other)
{
    add_heard(self, other);
    release_split(other);
}

static void on_finish(void *self, uint64_t cycles)
{
    struct timeline *t = self;

    if (t->like != NULL)
        t->seen = teg_max(t->seen, t->like->seen);
    cover(t);
    settle(t);
    t->end = cycles < t->choice.to ? cycles : t->choice.to;
    for (struct timeline *p = t->parts; p != NULL; p = p->next_part)
        on_finish(p, cycles);
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
