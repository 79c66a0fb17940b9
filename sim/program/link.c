#include "sim/program/link.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/program/moment.h"

enum {
    TO,
    FROM,
    ON,
    PEER,
    BYTES_PER_US = 1000, /* a GB/s */
};

void sim_link_init(struct sim_link *l, const struct teg_gpu *gpu, int infinite)
{
    *l = (struct sim_link){.gpu = gpu, .infinite = infinite};
    l->way[TO].gbs = gpu->link.to_device_gbs;
    l->way[FROM].gbs = gpu->link.from_device_gbs;
    l->way[ON].gbs = teg_gpu_dram_gbs(gpu);
    l->way[PEER].gbs = gpu->link.peer_gbs;
    for (int w = 0; w < SIM_LINK_WAYS; w++) {
        l->way[w].engines = infinite ? UINT32_MAX : gpu->link.engines;
        l->way[w].last_ended = TEG_SCORE_NONE;
    }
    l->way[ON].engines = UINT32_MAX; /* kernels of the driver's do it */
}

void sim_link_release(struct sim_link *l)
{
    for (int w = 0; w < SIM_LINK_WAYS; w++)
        free(l->way[w].copy);
}

static int way_of(enum sim_task_kind kind)
{
    return kind == SIM_TASK_TO_DEVICE     ? TO
           : kind == SIM_TASK_FROM_DEVICE ? FROM
           : kind == SIM_TASK_PEER        ? PEER
                                          : ON;
}

/* ---- rates ---------------------------------------------------------------- */

/* Copies of a way share it; one that may have less leaves the rest. */
static double share(const struct sim_link *l, struct way *w)
{
    double left = w->gbs > 0 ? w->gbs * BYTES_PER_US : HUGE_VAL, sum = 0;
    uint32_t others = w->active;

    for (uint32_t i = 0; i < w->active; i++) {
        struct sim_link_copy *c = &w->copy[i];

        c->rate = l->infinite ? c->most : fmin(c->most, left / others);
        left -= c->rate;
        others--;
        sum += c->rate;
    }
    return sum;
}

static void set_rates(struct sim_link *l)
{
    double both = l->gpu->link.both_gbs * BYTES_PER_US;
    double to = share(l, &l->way[TO]), from = share(l, &l->way[FROM]);
    double less =
        both > 0 && to + from > both && !l->infinite ? both / (to + from) : 1;

    for (int w = TO; w <= FROM; w++) {
        for (uint32_t i = 0; i < l->way[w].active; i++)
            l->way[w].copy[i].rate *= less;
    }
    l->rate =
        (to + from) * less + share(l, &l->way[ON]) + share(l, &l->way[PEER]);
}

double sim_link_dram_share(const struct sim_link *l)
{
    double most = teg_gpu_dram_gbs(l->gpu) * BYTES_PER_US;

    return most > 0 && isfinite(l->rate) ? l->rate / most : 0;
}

/* ---- copies --------------------------------------------------------------- */

static void begin(struct sim_link *l, struct way *w)
{
    while (w->active < w->copies && w->active < w->engines) {
        struct sim_link_copy *c = &w->copy[w->active++];

        l->started(l->self, c->task, l->now, w->last_ended);
    }
}

/* Bytes and bandwidth as the task has them: a copy on the device reads and
 * writes, one of pageable memory goes through a buffer. */
static struct sim_link_copy describe(const struct sim_link *l, uint32_t task,
                                     const struct sim_program_task *t)
{
    const struct teg_gpu *gpu = l->gpu;
    int way = way_of(t->kind);
    double gbs = l->way[way].gbs;
    struct sim_link_copy c = {task, t->bytes, (double)INFINITY,
                              gpu->link.latency_us, 0};

    if (t->kind == SIM_TASK_ON_DEVICE)
        c.bytes *= 2;
    if (t->kind == SIM_TASK_SET)
        c.wait = gpu->link.set_us;
    if (!t->pinned && (way == TO || way == FROM))
        gbs = gpu->link.pageable_gbs;
    if (t->faults) {
        gbs = gpu->link.fault_gbs;
        c.wait = gpu->link.fault_us;
    }
    if (gbs > 0)
        c.most = gbs * BYTES_PER_US;
    if (t->us >= 0) {
        c.wait = 0;
        c.most = t->us > 0 ? c.bytes / t->us : HUGE_VAL;
    }
    return c;
}

teg_status sim_link_add(struct sim_link *l, uint32_t task,
                        const struct sim_program_task *t, double now,
                        struct teg_diag *d)
{
    struct way *w = &l->way[way_of(t->kind)];

    if (w->copies == w->capacity) {
        uint32_t capacity = 2 * w->capacity + 16;
        struct sim_link_copy *more = realloc(w->copy, capacity * sizeof *more);

        if (more == NULL)
            return teg_fail_memory(d);
        w->copy = more;
        w->capacity = capacity;
    }
    l->now = now;
    w->copy[w->copies++] = describe(l, task, t);
    begin(l, w);
    set_rates(l);
    return TEG_OK;
}

static double left_of(const struct sim_link_copy *c)
{
    return c->wait + (isfinite(c->rate) ? c->bytes / c->rate : 0);
}

double sim_link_next(const struct sim_link *l)
{
    double left = (double)INFINITY;

    for (int w = 0; w < SIM_LINK_WAYS; w++) {
        for (uint32_t i = 0; i < l->way[w].active; i++)
            left = fmin(left, left_of(&l->way[w].copy[i]));
    }
    return l->now + left;
}

static void go_on(struct sim_link_copy *c, double us, double same)
{
    double waited = fmin(us, c->wait);

    c->wait -= waited;
    if (us > waited || c->wait <= same)
        c->bytes =
            isfinite(c->rate) ? fmax(c->bytes - (us - waited) * c->rate, 0) : 0;
}

static int end_copies(struct sim_link *l, struct way *w)
{
    uint32_t kept = 0, active = w->active;
    uint32_t ended = 0;
    double same = moment_width(l->now);

    for (uint32_t i = 0; i < w->copies; i++) {
        struct sim_link_copy c = w->copy[i];

        if (i < active && left_of(&c) <= same) {
            w->last_ended = c.task;
            ended++;
            l->ended(l->self, c.task, l->now);
            continue;
        }
        w->copy[kept++] = c;
    }
    w->copies = kept;
    w->active = active - ended;
    return ended != 0;
}

void sim_link_advance(struct sim_link *l, double now)
{
    int changed = 0;

    for (int w = 0; w < SIM_LINK_WAYS; w++) {
        for (uint32_t i = 0; i < l->way[w].active; i++)
            go_on(&l->way[w].copy[i], now - l->now, moment_width(now));
    }
    l->now = now;
    for (int w = 0; w < SIM_LINK_WAYS; w++)
        changed |= end_copies(l, &l->way[w]);
    if (!changed)
        return;
    for (int w = 0; w < SIM_LINK_WAYS; w++)
        begin(l, &l->way[w]);
    set_rates(l);
}
