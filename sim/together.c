#include "sim/together.h"

#include <stdlib.h>
#include <string.h>

#include "isa/base/array.h"

/* A launch's statistics, in its own time. */
struct own_time {
    const uint64_t *begun;     /* borrowed */
    struct sim_listener inner; /* the statistics', or a part of theirs */
};

struct member {
    uint64_t begun; /* cycle of the chip */
    struct own_time time;
    struct collect_statistics *collect; /* owned; NULL: nobody wants them */
    struct teg_statistics *s;           /* borrowed */
    const struct teg_kernel *kernel;    /* borrowed */
    struct teg_occupancy occupancy;
    struct sim_listener listener[2];
};

struct teg_together {
    struct teg_together_setup setup;
    struct sim_engine_setup engine_setup;
    struct sim_engine_news news;
    struct sim_engine *engine; /* owned */
    struct member **member;    /* owned, as are they; NULL: it has ended */
    uint32_t members;
    size_t capacity;
    struct teg_diag failed; /* of the statistics of one that has ended */
};

/* ---- in the launch's own time ---------------------------------------------- */

static void on_issue(void *self, const struct sim_issue *e)
{
    const struct own_time *t = self;
    struct sim_issue own = *e;

    own.cycle -= *t->begun;
    own.done -= *t->begun;
    own.arrived -= *t->begun;
    t->inner.on_issue(t->inner.self, &own);
}

static void on_start(void *self, const struct teg_gpu *gpu,
                     const struct teg_program *program, uint32_t sms)
{
    const struct own_time *t = self;

    t->inner.on_start(t->inner.self, gpu, program, sms);
}

/* The first blocks get places before it is known that it has begun. */
static void on_block_start(void *self, uint64_t cycle, uint32_t sm,
                           uint64_t block, uint32_t warps)
{
    const struct own_time *t = self;

    t->inner.on_block_start(t->inner.self,
                            cycle > *t->begun ? cycle - *t->begun : 0, sm,
                            block, warps);
}

static void on_block_end(void *self, uint64_t cycle, uint32_t sm,
                         uint64_t block)
{
    const struct own_time *t = self;

    t->inner.on_block_end(t->inner.self, cycle - *t->begun, sm, block);
}

static void on_finish(void *self, uint64_t cycles)
{
    const struct own_time *t = self;

    t->inner.on_finish(t->inner.self,
                       cycles > *t->begun ? cycles - *t->begun : 0);
}

static void *split(void *self)
{
    const struct own_time *t = self;
    struct own_time *part = malloc(sizeof *part);

    if (part == NULL)
        return NULL;
    *part = *t;
    part->inner.self = t->inner.split(t->inner.self);
    if (part->inner.self != NULL)
        return part;
    free(part);
    return NULL;
}

static void join(void *self, void *part)
{
    const struct own_time *t = self;
    struct own_time *other = part;

    t->inner.join(t->inner.self, other->inner.self);
    free(other);
}

static struct sim_listener in_own_time(struct own_time *t)
{
    return (struct sim_listener){
        .self = t,
        .on_start = on_start,
        .on_issue = on_issue,
        .on_block_start = on_block_start,
        .on_block_end = on_block_end,
        .on_finish = on_finish,
        .split = split,
        .join = join,
    };
}

/* ---- the launches ----------------------------------------------------------- */

static void member_free(struct member *m)
{
    if (m == NULL)
        return;
    collect_statistics_free(m->collect);
    free(m);
}

/* What the engine does not know of. */
static void fill_facts(const struct member *m, uint32_t sms)
{
    teg_statistics_describe(m->s, m->kernel, &m->occupancy, sms);
    m->s->simulated = 1;
    m->s->units_felt = UINT32_MAX;
    m->s->reading_cycles = UINT64_MAX;
}

static void on_begun(void *self, uint32_t launch, uint64_t cycle)
{
    struct teg_together *t = self;

    t->member[launch]->begun = cycle;
    if (t->setup.news.begun != NULL)
        t->setup.news.begun(t->setup.news.self, launch, cycle);
}

static void on_ended(void *self, uint32_t launch, uint64_t cycle)
{
    struct teg_together *t = self;
    struct member *m = t->member[launch];

    if (m->collect != NULL) {
        if (t->failed.status == TEG_OK)
            collect_statistics_check(m->collect, &t->failed);
        fill_facts(m, t->engine_setup.sms);
    }
    t->member[launch] = NULL;
    member_free(m);
    if (t->setup.news.ended != NULL)
        t->setup.news.ended(t->setup.news.self, launch, cycle);
}

teg_status teg_together_room(const struct teg_kernel *kernel,
                             const struct teg_gpu *gpu, uint32_t *l1_bytes,
                             struct teg_diag *d)
{
    struct teg_occupancy o;

    TRY(teg_kernel_occupancy(kernel, gpu, &o, d));
    if (o.l1_bytes < *l1_bytes)
        *l1_bytes = o.l1_bytes;
    return TEG_OK;
}

teg_status teg_together_new(const struct teg_together_setup *setup,
                            struct teg_together **together, struct teg_diag *d)
{
    struct teg_together *t = calloc(1, sizeof *t);
    teg_status status;

    *together = NULL;
    if (t == NULL)
        return teg_fail_memory(d);
    t->setup = *setup;
    t->engine_setup = (struct sim_engine_setup){
        .gpu = setup->gpu,
        .sms = setup->gpu->chip.sms,
        .l1_bytes = setup->l1_bytes != UINT32_MAX ? setup->l1_bytes : 0,
        .threads = setup->threads,
        .before = setup->before,
        .progress = setup->progress,
        .progress_self = setup->progress_self,
    };
    t->news = (struct sim_engine_news){t, on_begun, on_ended};
    status = sim_engine_new(&t->engine_setup, &t->news, &t->engine, d);
    if (status != TEG_OK)
        teg_together_free(t);
    else
        *together = t;
    return status;
}

void teg_together_free(struct teg_together *t)
{
    if (t == NULL)
        return;
    sim_engine_free(t->engine);
    for (uint32_t i = 0; i < t->members; i++)
        member_free(t->member[i]);
    free(t->member);
    free(t);
}

/* Who hears the launch; returns how many. */
static teg_status find_listeners(struct member *m,
                                 const struct teg_together_launch *l,
                                 uint32_t *listeners, struct teg_diag *d)
{
    *listeners = 0;
    if (l->statistics != NULL) {
        memset(l->statistics, 0, sizeof *l->statistics);
        TRY(collect_statistics_new(l->statistics, &m->collect, d));
        m->s = l->statistics;
        m->time.begun = &m->begun;
        m->time.inner = collect_statistics_listener(m->collect);
        m->listener[(*listeners)++] = in_own_time(&m->time);
    }
    if (l->listener != NULL)
        m->listener[(*listeners)++] = *l->listener;
    return TEG_OK;
}

static teg_status add(struct teg_together *t, struct member *m,
                      const struct teg_together_launch *l, struct teg_diag *d)
{
    const struct teg_kernel *k = l->launch->kernel;
    struct sim_engine_launch launch = {
        .launch = l->launch,
        .listener = m->listener,
        .code = l->code,
        .priority = l->priority,
        .from = l->from,
        .primary = l->primary,
        .gap = l->gap,
    };

    m->kernel = k;
    TRY(teg_kernel_occupancy(k, t->setup.gpu, &m->occupancy, d));
    TRY(find_listeners(m, l, &launch.listeners, d));
    launch.blocks_per_sm = m->occupancy.places;
    teg_block_needs(t->setup.gpu, teg_kernel_threads(k), k->registers,
                    k->shared_bytes, &launch.needs);
    teg_block_needs_fit(t->setup.gpu, m->occupancy.places, &launch.needs);
    return sim_engine_add(t->engine, &launch, d);
}

teg_status teg_together_add(struct teg_together *t,
                            const struct teg_together_launch *launch,
                            struct teg_diag *d)
{
    struct member **room =
        teg_array_room(t->member, t->members, &t->capacity, sizeof *room);

    if (room == NULL)
        return teg_fail_memory(d);
    t->member = room;
    t->member[t->members] = calloc(1, sizeof *t->member[0]);
    if (t->member[t->members] == NULL)
        return teg_fail_memory(d);
    return add(t, t->member[t->members++], launch, d);
}

teg_status teg_together_advance(struct teg_together *t, uint64_t until,
                                uint64_t *now, struct teg_diag *d)
{
    TRY(sim_engine_advance(t->engine, until, now, d));
    if (t->failed.status != TEG_OK && d != NULL)
        *d = t->failed;
    return t->failed.status;
}

void teg_together_write(struct teg_together *t, uint64_t address,
                        uint64_t bytes)
{
    sim_memory_write(sim_engine_memory(t->engine), address, bytes);
}

void teg_together_copies(struct teg_together *t, double share)
{
    sim_memory_leave(sim_engine_memory(t->engine), share);
}

const struct sim_memory *teg_together_memory(const struct teg_together *t)
{
    return sim_engine_memory(t->engine);
}

void teg_together_finish(struct teg_together *t,
                         struct sim_engine_outcome *outcome)
{
    sim_engine_finish(t->engine, outcome);
}
