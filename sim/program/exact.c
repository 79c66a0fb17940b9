#include "sim/program/floor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "isa/base/array.h"
#include "sim/together.h"

/* A launch that has not ended. */
struct launch {
    uint32_t task;
    uint32_t number;              /* as those on the chip are counted */
    uint64_t from;                /* cycle in which it may come */
    uint32_t primary;             /* task */
    uint32_t blocks;              /* with a place */
    int over;                     /* has ended: to be closed */
    struct exact *of;             /* borrowed */
    struct teg_launch launch;     /* owned */
    struct sim_listener listener; /* where somebody watches */
};

struct exact {
    struct sim_floor floor;
    const struct teg_gpu *gpu;               /* borrowed */
    const struct sim_program_source *source; /* borrowed */
    struct sim_floor_news news;
    double mhz;
    uint32_t l1_bytes;         /* that all kernels leave */
    uint32_t chip_l1_bytes;    /* that the chip has */
    struct teg_together *chip; /* owned; NULL: nothing has run */
    uint64_t base;          /* cycle of the program in which its time began */
    uint64_t now;           /* cycle of the program */
    uint32_t added;         /* to the chip */
    struct launch **launch; /* owned, as are they, [launches]: in the order
                                  in which they came */
    uint32_t launches;
    size_t capacity;
    struct report {
        uint32_t task, after;
        uint64_t cycle;
        int ended;
    } * report; /* owned, [reports]: not told yet */
    uint32_t reports;
    size_t report_capacity;
    uint32_t last_ended; /* task */
    uint64_t last_ended_at;
    double copies;
    int failed; /* no memory in a callback */
};

static struct exact *of(struct sim_floor *floor)
{
    return (struct exact *)floor;
}

/* ---- launches --------------------------------------------------------------- */

static void close_launch(const struct teg_launch *launch)
{
    if (launch->close != NULL)
        launch->close(launch->self);
}

static void launch_free(struct launch *l)
{
    close_launch(&l->launch);
    free(l);
}

static void exact_free(struct sim_floor *floor)
{
    struct exact *f = of(floor);

    teg_together_free(f->chip);
    for (uint32_t i = 0; i < f->launches; i++)
        launch_free(f->launch[i]);
    free(f->launch);
    free(f->report);
    free(f);
}

static struct launch *find(const struct exact *f, uint32_t number)
{
    for (uint32_t i = 0; i < f->launches; i++) {
        if (f->launch[i]->number == number)
            return f->launch[i];
    }
    return NULL;
}

static struct launch *find_task(const struct exact *f, uint32_t task)
{
    for (uint32_t i = 0; i < f->launches; i++) {
        if (f->launch[i]->task == task)
            return f->launch[i];
    }
    return NULL;
}

/* ---- what happens ----------------------------------------------------------- */

static void note(struct exact *f, uint32_t task, uint64_t cycle, uint32_t after,
                 int ended)
{
    struct report *room = teg_array_room(f->report, f->reports,
                                         &f->report_capacity, sizeof *room);

    f->failed |= room == NULL;
    if (room == NULL)
        return;
    f->report = room;
    f->report[f->reports++] = (struct report){task, after, cycle, ended};
}

/* Whom a launch that begins late has waited for: what it depends on, the one
 * that has just ended, else the oldest on the chip. */
static uint32_t room_of(const struct exact *f, const struct launch *l,
                        uint64_t cycle)
{
    if (l->primary != TEG_SCORE_NONE)
        return l->primary;
    if (cycle <= l->from)
        return TEG_SCORE_NONE;
    if (f->last_ended_at == cycle)
        return f->last_ended;
    for (uint32_t i = 0; i < f->launches && f->launch[i] != l; i++) {
        if (!f->launch[i]->over)
            return f->launch[i]->task;
    }
    return f->last_ended;
}

static void on_begun(void *self, uint32_t number, uint64_t cycle)
{
    struct exact *f = self;
    const struct launch *l = find(f, number);

    cycle += f->base;
    note(f, l->task, cycle, room_of(f, l, cycle), 0);
}

static void on_ended(void *self, uint32_t number, uint64_t cycle)
{
    struct exact *f = self;
    struct launch *l = find(f, number);

    l->over = 1;
    f->last_ended = l->task;
    f->last_ended_at = cycle + f->base;
    note(f, l->task, cycle + f->base, TEG_SCORE_NONE, 1);
}

static void on_block_start(void *self, uint64_t cycle, uint32_t sm,
                           uint64_t block, uint32_t warps)
{
    const struct launch *l = self;
    const struct exact *f = l->of;

    (void)block;
    (void)warps;
    f->news.watch.places(f->news.watch.self, l->task, sm, 1,
                         (double)(cycle + f->base) / f->mhz);
}

static void on_block_end(void *self, uint64_t cycle, uint32_t sm,
                         uint64_t block)
{
    const struct launch *l = self;
    const struct exact *f = l->of;

    (void)block;
    f->news.watch.places(f->news.watch.self, l->task, sm, -1,
                         (double)(cycle + f->base) / f->mhz);
}

/* ---- the chip --------------------------------------------------------------- */

/* Whenever nothing is on the chip, L1 and shared memory can be divided anew: a
 * chip with another L1 takes over what L2 and TLBs have.  What is in L1 only the
 * launches that have ended would find. */
static teg_status make_chip(struct exact *f, uint32_t l1_bytes,
                            struct teg_diag *d)
{
    struct teg_together *before = f->chip;
    const struct teg_together_setup setup = {
        .gpu = f->gpu,
        .l1_bytes = l1_bytes,
        .before = before != NULL && !f->source->cold
                      ? teg_together_memory(before)
                      : NULL,
        .threads = f->source->threads,
        .news = {f, on_begun, on_ended},
        .progress = f->source->progress,
        .progress_self = f->source->progress_self,
    };

    teg_status status;

    f->chip = NULL;
    f->chip_l1_bytes = l1_bytes;
    f->base = f->now;
    f->added = 0;
    status = teg_together_new(&setup, &f->chip, d);
    teg_together_free(before);
    TRY(status);
    teg_together_copies(f->chip, f->copies);
    return TEG_OK;
}

/* The cycle that has begun at `us`, as far as its digits tell. */
static uint64_t cycle_of(const struct exact *f, double us)
{
    uint64_t cycle = (uint64_t)ceil(us * f->mhz - 1e-4);

    return cycle > f->now ? cycle : f->now;
}

/* The chip being idle. */
static int wants_other(const struct exact *f,
                       const struct sim_floor_launch *how)
{
    return f->source->cold ||
           (how->l1_bytes != 0 && how->l1_bytes != f->chip_l1_bytes);
}

static teg_status put_on_chip(struct exact *f, struct launch *l,
                              const struct sim_floor_launch *how,
                              struct teg_diag *d)
{
    const struct launch *primary = find_task(f, how->primary);
    const struct teg_together_launch launch = {
        .launch = &l->launch,
        .code = f->source->code(f->source->self, how->number),
        .priority = -how->priority,
        .from = l->from - f->base,
        .primary =
            primary != NULL && !primary->over ? primary->number : SIM_NO_LAUNCH,
        .gap = (uint64_t)ceil(f->gpu->launch.dependent_gap_us * f->mhz),
        .listener = f->news.watch.places != NULL ? &l->listener : NULL,
    };

    l->number = f->added++;
    return teg_together_add(f->chip, &launch, d);
}

static teg_status exact_add(struct sim_floor *floor,
                            const struct sim_floor_launch *how, double now,
                            struct teg_diag *d)
{
    struct exact *f = of(floor);
    struct launch **room =
        teg_array_room(f->launch, f->launches, &f->capacity, sizeof *room);
    struct launch *l = room != NULL ? calloc(1, sizeof *l) : NULL;

    if (room != NULL)
        f->launch = room;
    if (l == NULL)
        return teg_fail_memory(d);
    l->of = f;
    l->task = how->task;
    l->primary = how->primary;
    l->number = SIM_NO_LAUNCH;
    l->listener = (struct sim_listener){
        .self = l,
        .on_block_start = on_block_start,
        .on_block_end = on_block_end,
    };
    f->launch[f->launches++] = l;
    f->now = l->from = cycle_of(f, now);
    TRY(f->source->open(f->source->self, how->number, &l->launch, d));
    if (f->chip == NULL || (f->launches == 1 && wants_other(f, how)))
        TRY(make_chip(f, how->l1_bytes != 0 ? how->l1_bytes : f->l1_bytes, d));
    return put_on_chip(f, l, how, d);
}

static void exact_copies(struct sim_floor *floor, double share)
{
    struct exact *f = of(floor);

    if (fabs(share - f->copies) < 1e-9)
        return;
    f->copies = share;
    if (f->chip != NULL)
        teg_together_copies(f->chip, share);
}

static void exact_written(struct sim_floor *floor, uint64_t address,
                          uint64_t bytes)
{
    struct exact *f = of(floor);
    struct teg_diag d;

    /* What the first launch finds, copies have left. */
    if (f->source->cold || bytes == 0)
        return;
    if (f->chip == NULL)
        f->failed |= make_chip(f, f->l1_bytes, &d) != TEG_OK;
    if (f->chip != NULL)
        teg_together_write(f->chip, address, bytes);
}

/* ---- time ------------------------------------------------------------------- */

/* The chip runs up to `limit` or until something happens, which is told when
 * time has gone on to then. */
static teg_status exact_next(struct sim_floor *floor, double limit, double *at,
                             struct teg_diag *d)
{
    struct exact *f = of(floor);
    uint64_t until = isfinite(limit) ? cycle_of(f, limit) : UINT64_MAX, now;

    *at = limit;
    if (f->reports != 0) {
        *at = fmin(limit, (double)f->report[0].cycle / f->mhz);
        return TEG_OK;
    }
    if (f->launches == 0 || until == f->now)
        return TEG_OK;
    TRY(teg_together_advance(
        f->chip, until != UINT64_MAX ? until - f->base : until, &now, d));
    if (f->failed)
        return teg_fail_memory(d);
    if (now == UINT64_MAX && f->reports == 0)
        return TEG_OK;
    f->now = now + f->base;
    if (f->reports != 0)
        *at = fmin(limit, (double)f->now / f->mhz);
    return TEG_OK;
}

static void close_ended(struct exact *f)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < f->launches; i++) {
        if (f->launch[i]->over)
            launch_free(f->launch[i]);
        else
            f->launch[kept++] = f->launch[i];
    }
    f->launches = kept;
}

static teg_status exact_advance(struct sim_floor *floor, double now,
                                struct teg_diag *d)
{
    struct exact *f = of(floor);

    if (f->failed)
        return teg_fail_memory(d);
    if (f->reports == 0 || (double)f->now / f->mhz > now + 1e-4 / f->mhz)
        return TEG_OK;
    for (uint32_t i = 0; i < f->reports; i++) {
        const struct report *r = &f->report[i];

        if (r->ended)
            f->news.ended(f->news.self, r->task, now);
        else
            f->news.started(f->news.self, r->task, now, r->after);
    }
    f->reports = 0;
    close_ended(f);
    return TEG_OK;
}

/* ---- making it -------------------------------------------------------------- */

/* What all kernels leave to L1. */
static teg_status find_l1(struct exact *f, struct teg_diag *d)
{
    f->l1_bytes = UINT32_MAX;
    for (uint32_t i = 0; i < f->source->kernels; i++) {
        struct teg_launch launch = {0};
        teg_status status;

        TRY(f->source->open(f->source->self, i, &launch, d));
        status = teg_together_room(launch.kernel, f->gpu, &f->l1_bytes, d);
        close_launch(&launch);
        TRY(status);
    }
    return TEG_OK;
}

teg_status sim_floor_exact(const struct teg_gpu *gpu,
                           const struct sim_program_source *source,
                           const struct sim_floor_news *news,
                           struct sim_floor **floor, struct teg_diag *d)
{
    static const struct sim_floor_kind kind = {
        .free = exact_free,
        .add = exact_add,
        .copies = exact_copies,
        .written = exact_written,
        .next = exact_next,
        .advance = exact_advance,
    };
    struct exact *f = calloc(1, sizeof *f);
    teg_status status;

    *floor = NULL;
    if (f == NULL)
        return teg_fail_memory(d);
    *f = (struct exact){.floor = {&kind},
                        .gpu = gpu,
                        .source = source,
                        .news = *news,
                        .mhz = gpu->chip.sm_clock_mhz,
                        .last_ended = TEG_SCORE_NONE};
    status = find_l1(f, d);
    if (status != TEG_OK)
        exact_free(&f->floor);
    else
        *floor = &f->floor;
    return status;
}
