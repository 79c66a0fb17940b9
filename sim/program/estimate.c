#include "sim/program/floor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "isa/base/array.h"
#include "sim/program/moment.h"

/* Steps in which the blocks of a launch that is beside another come at most:
 * where it has more waves, blocks that follow each other in a place are one
 * step, and its last wave is off by a part in so many of its time. */
enum {
    STEPS_MAX = 128
};

/* Blocks that were placed at once on one SM, and end at once. */
struct batch {
    double end; /* in the launch's own time */
    uint32_t sm, count;
};

struct launch {
    uint32_t task;
    struct sim_program_kernel kernel;
    double us, block_us; /* alone: all of it, one block */
    int32_t priority;
    uint64_t sequence;
    uint64_t blocks;   /* each several of its own where it has very many */
    uint64_t left;     /* of them without a place yet */
    uint64_t resident; /* of them */
    uint64_t full;     /* that are resident alone, at most */
    double at, speed;  /* its own time, and how fast that goes */
    int started;
    struct batch *batch; /* owned ring, [capacity] */
    size_t first, batches, capacity;
};

struct sm {
    uint32_t warps, registers, shared_bytes, blocks; /* taken */
};

struct estimate {
    struct sim_floor floor;
    const struct teg_gpu *gpu; /* borrowed */
    struct sim_floor_news news;
    int infinite;
    struct sm *sm;          /* owned */
    struct launch **launch; /* owned, as are they, [launches]: in the order in
                             which blocks are placed */
    uint32_t launches;
    size_t capacity;
    uint32_t reach; /* behind the last that has started */
    uint64_t sequence;
    uint32_t turn;
    double now, copies;
    /* A launch that is alone ends when it does alone: nothing is placed. */
    int alone;
    uint32_t last_left; /* task whose blocks have */
};

static struct estimate *of(struct sim_floor *floor)
{
    return (struct estimate *)floor;
}

static void launch_free(struct launch *l)
{
    free(l->batch);
    free(l);
}

static void estimate_free(struct sim_floor *floor)
{
    struct estimate *f = of(floor);

    for (uint32_t i = 0; i < f->launches; i++)
        launch_free(f->launch[i]);
    free(f->launch);
    free(f->sm);
    free(f);
}

/* ---- places ---------------------------------------------------------------
 */

static uint32_t warps_of(const struct teg_gpu *gpu)
{
    uint32_t by_threads = gpu->sm.threads_max / 32;

    return by_threads < gpu->sm.warps_max ? by_threads : gpu->sm.warps_max;
}

/* Blocks that the SM has room for. */
static uint32_t room(const struct estimate *f, const struct sm *sm,
                     const struct sim_program_kernel *k)
{
    const struct teg_gpu *gpu = f->gpu;
    uint32_t most = gpu->sm.blocks_max - sm->blocks, by;

    if (most > k->blocks_per_sm)
        most = k->blocks_per_sm;
    by = k->needs.warps != 0 ? (warps_of(gpu) - sm->warps) / k->needs.warps
                             : most;
    most = by < most ? by : most;
    by = k->needs.registers != 0
             ? (gpu->sm.registers - sm->registers) / k->needs.registers
             : most;
    most = by < most ? by : most;
    by = k->needs.shared_bytes != 0
             ? (gpu->sm.shared_bytes - sm->shared_bytes) / k->needs.shared_bytes
             : most;
    return by < most ? by : most;
}

static void watch(const struct estimate *f, uint32_t task, uint32_t sm,
                  int blocks)
{
    if (f->news.watch.places != NULL)
        f->news.watch.places(f->news.watch.self, task, sm, blocks, f->now);
}

/* Alone it has its places without their being dealt out. */
static void watch_alone(const struct estimate *f, const struct launch *l,
                        int sign)
{
    uint32_t sms = f->gpu->chip.sms;

    for (uint32_t i = 0; i < sms && f->news.watch.places != NULL; i++) {
        uint64_t blocks = l->full / sms + (i < l->full % sms);

        if (blocks != 0)
            watch(f, l->task, i, sign * (int)blocks);
    }
}

static void take(struct sm *sm, const struct sim_program_kernel *k,
                 uint32_t count)
{
    sm->blocks += count;
    sm->warps += count * k->needs.warps;
    sm->registers += count * k->needs.registers;
    sm->shared_bytes += count * k->needs.shared_bytes;
}

static void give(struct sm *sm, const struct sim_program_kernel *k,
                 uint32_t count)
{
    sm->blocks -= count;
    sm->warps -= count * k->needs.warps;
    sm->registers -= count * k->needs.registers;
    sm->shared_bytes -= count * k->needs.shared_bytes;
}

static teg_status add_batch(struct launch *l, struct batch b,
                            struct teg_diag *d)
{
    if (l->batches == l->capacity) {
        size_t capacity = 2 * l->capacity + 16;
        struct batch *more = malloc(capacity * sizeof *more);

        if (more == NULL)
            return teg_fail_memory(d);
        for (size_t i = 0; i < l->batches; i++)
            more[i] = l->batch[(l->first + i) % l->capacity];
        free(l->batch);
        l->batch = more;
        l->first = 0;
        l->capacity = capacity;
    }
    l->batch[(l->first + l->batches++) % l->capacity] = b;
    return TEG_OK;
}

/* Blocks for each SM, one to an SM after the other, as the hardware deals them
 * out: count[], up to the places[] that it has. */
static void deal(struct estimate *f, uint64_t blocks, const uint32_t *places,
                 uint32_t *count)
{
    const uint32_t sms = f->gpu->chip.sms;
    uint32_t at = f->turn;

    for (uint32_t full = 0; blocks != 0 && full < sms; at = (at + 1) % sms) {
        if (count[at] == places[at]) {
            full++;
            continue;
        }
        full = 0;
        count[at]++;
        blocks--;
        f->turn = (at + 1) % sms;
    }
}

/* Places as many blocks of the launch as there is room for; on SMs without end
 * as many as it has places alone. */
static teg_status place(struct estimate *f, struct launch *l,
                        struct teg_diag *d)
{
    const uint32_t sms = f->gpu->chip.sms;
    const uint64_t more = l->full - l->resident;
    uint32_t *count = calloc(2 * (size_t)sms, sizeof *count);
    uint32_t *places = count + sms;
    teg_status status = TEG_OK;

    if (count == NULL)
        return teg_fail_memory(d);
    for (uint32_t i = 0; i < sms; i++)
        places[i] = f->infinite ? UINT32_MAX : room(f, &f->sm[i], &l->kernel);
    deal(f, f->infinite && more < l->left ? more : l->left, places, count);
    for (uint32_t i = 0; i < sms && status == TEG_OK; i++) {
        if (count[i] == 0)
            continue;
        take(&f->sm[i], &l->kernel, count[i]);
        watch(f, l->task, i, (int)count[i]);
        l->left -= count[i];
        l->resident += count[i];
        status =
            add_batch(l, (struct batch){l->at + l->block_us, i, count[i]}, d);
    }
    free(count);
    return status;
}

static void start(struct estimate *f, struct launch *l)
{
    if (l->started)
        return;
    l->started = 1;
    f->news.started(f->news.self, l->task, f->now, f->last_left);
}

/* The oldest launch has its places first; none comes before it that has as
 * much right to them. */
static teg_status place_all(struct estimate *f, struct teg_diag *d)
{
    uint32_t active = 0;

    for (uint32_t i = 0; i < f->launches; i++) {
        struct launch *l = f->launch[i];

        if (++active > f->gpu->launch.grids_max && !f->infinite)
            return TEG_OK;
        if (l->left == 0)
            continue;
        TRY(place(f, l, d));
        if (l->resident != 0 && f->reach < i + 1)
            f->reach = i + 1;
        if (l->resident != 0)
            start(f, l);
        if (l->left != 0 && !f->infinite)
            return TEG_OK;
    }
    return TEG_OK;
}

/* ---- speeds ---------------------------------------------------------------
 */

/* The share of its places alone that the launch has. */
static double filled(const struct launch *l)
{
    return (double)l->resident / (double)l->full;
}

/* The same of the places that it would have alone now: its last blocks have
 * fewer beside them there too. */
static double held(const struct launch *l)
{
    uint64_t alone = l->resident + l->left;

    return (double)l->resident / (double)(alone < l->full ? alone : l->full);
}

/* A block with fewer beside it is faster by what they contend for. */
static double speed_of(const struct launch *l)
{
    double most = 0;

    for (int u = 0; u < SIM_USES; u++)
        most = fmax(most, l->kernel.use[u]);
    most = fmin(most, 1);
    return 1 / (1 - most + most * held(l));
}

static double wanted(const struct launch *l, int use)
{
    return filled(l) * l->kernel.use[use] * speed_of(l);
}

/* The most that one may have of the resource so that all together have
 * `limit`: those that want less leave theirs to the others. */
static double level(const struct estimate *f, int use, double limit)
{
    double at = 0, next = 0;

    do {
        double given = 0;
        uint32_t above = 0;

        at = next;
        for (uint32_t i = 0; i < f->reach; i++) {
            const struct launch *l = f->launch[i];

            if (l->resident == 0)
                continue;
            if (wanted(l, use) <= at)
                given += wanted(l, use);
            else
                above++;
        }
        next = above != 0 ? (limit - given) / above : at;
    } while (next > at);
    return at;
}

static void slow_down(struct estimate *f, int use)
{
    double limit = use == SIM_USE_DRAM ? fmax(1 - f->copies, 0.05) : 1, sum = 0;
    double most;

    for (uint32_t i = 0; i < f->reach; i++) {
        if (f->launch[i]->resident != 0)
            sum += wanted(f->launch[i], use);
    }
    if (sum <= limit)
        return;
    most = level(f, use, limit);
    for (uint32_t i = 0; i < f->reach; i++) {
        struct launch *l = f->launch[i];
        double want = wanted(l, use);

        if (l->resident != 0 && want > most)
            l->speed = fmin(l->speed, speed_of(l) * most / want);
    }
}

static void set_speeds(struct estimate *f)
{
    for (uint32_t i = 0; i < f->reach; i++)
        f->launch[i]->speed =
            f->launch[i]->resident != 0 ? speed_of(f->launch[i]) : 0;
    for (int u = 0; u < SIM_USES && !f->infinite; u++)
        slow_down(f, u);
}

/* ---- a launch alone -------------------------------------------------------
 */

static uint64_t parts_of(uint64_t blocks, uint64_t size)
{
    return blocks / size + (blocks % size != 0);
}

static uint64_t waves_of(const struct launch *l)
{
    return parts_of(l->blocks, l->full);
}

/* Another launch comes: the blocks of the wave that runs get their places. */
static teg_status end_solitude(struct estimate *f, struct teg_diag *d)
{
    struct launch *l = f->launch[0];
    double at = l->at;
    uint64_t wave = l->block_us > 0
                        ? (uint64_t)((at + moment_width(f->now)) / l->block_us)
                        : 0;
    uint64_t later, left = l->blocks;

    f->alone = 0;
    watch_alone(f, l, -1);
    if (wave >= waves_of(l))
        wave = waves_of(l) - 1;
    left -= wave * l->full;
    later = left > l->full ? left - l->full : 0;
    l->left = left - later;
    l->at = (double)wave * l->block_us;
    TRY(place(f, l, d));
    l->left += later;
    l->at = at;
    return TEG_OK;
}

/* ---- launches -------------------------------------------------------------
 */

/* Behind those that come no later and have no lower a priority. */
static void insert(struct estimate *f, struct launch *l)
{
    uint32_t at = f->launches++;

    for (; at > 0 && f->launch[at - 1]->priority > l->priority; at--)
        f->launch[at] = f->launch[at - 1];
    f->launch[at] = l;
    f->reach += at < f->reach;
}

static teg_status estimate_add(struct sim_floor *floor,
                               const struct sim_floor_launch *how, double now,
                               struct teg_diag *d)
{
    struct estimate *f = of(floor);
    const struct sim_program_kernel *kernel = how->kernel;
    uint64_t most = (uint64_t)f->gpu->chip.sms * kernel->blocks_per_sm;
    struct launch **room =
        teg_array_room(f->launch, f->launches, &f->capacity, sizeof *room);
    struct launch *l;

    if (room == NULL)
        return teg_fail_memory(d);
    f->launch = room;
    l = calloc(1, sizeof *l);
    if (l == NULL)
        return teg_fail_memory(d);
    *l = (struct launch){.task = how->task,
                         .kernel = *kernel,
                         .us = how->us,
                         .priority = how->priority,
                         .sequence = f->sequence++,
                         .full = kernel->blocks < most ? kernel->blocks : most,
                         .speed = 1};
    l->blocks = parts_of(
        kernel->blocks, parts_of(parts_of(kernel->blocks, l->full), STEPS_MAX));
    l->left = l->blocks;
    l->block_us = how->us / (double)waves_of(l);
    f->now = now;
    if (f->launches == 0) {
        f->alone = 1;
        f->launch[f->launches++] = l;
        start(f, l);
        watch_alone(f, l, 1);
        f->reach = 1;
        l->left = 0;
        return TEG_OK;
    }
    if (f->alone)
        TRY(end_solitude(f, d));
    insert(f, l);
    TRY(place_all(f, d));
    set_speeds(f);
    return TEG_OK;
}

/* ---- time -----------------------------------------------------------------
 */

static void estimate_copies(struct sim_floor *floor, double share)
{
    struct estimate *f = of(floor);

    f->copies = share;
    if (!f->alone) {
        set_speeds(f);
        return;
    }
    f->launch[0]->resident = f->launch[0]->full;
    set_speeds(f);
    f->launch[0]->resident = 0;
}

/* Until the next of its blocks end, or, alone, all of it. */
static double left_of(const struct estimate *f, const struct launch *l)
{
    if (f->alone)
        return fmax(l->us - l->at, 0) / l->speed;
    if (l->batches == 0)
        return (double)INFINITY;
    return fmax(l->batch[l->first].end - l->at, 0) / l->speed;
}

static teg_status estimate_next(struct sim_floor *floor, double limit,
                                double *at, struct teg_diag *d)
{
    const struct estimate *f = of(floor);
    double left = (double)INFINITY;

    (void)d;
    for (uint32_t i = 0; i < f->reach; i++)
        left = fmin(left, left_of(f, f->launch[i]));
    *at = fmin(limit, f->now + left);
    return TEG_OK;
}

/* The blocks of the launch that have ended. */
static int retire(struct estimate *f, struct launch *l)
{
    double same = moment_width(f->now);
    int ended = 0;

    while (l->batches != 0 && l->batch[l->first].end <= l->at + same) {
        const struct batch *b = &l->batch[l->first];

        f->last_left = l->task;
        give(&f->sm[b->sm], &l->kernel, b->count);
        watch(f, l->task, b->sm, -(int)b->count);
        l->resident -= b->count;
        l->first = (l->first + 1) % l->capacity;
        l->batches--;
        ended = 1;
    }
    return ended;
}

static void end_launch(struct estimate *f, uint32_t i)
{
    struct launch *l = f->launch[i];
    uint32_t task = l->task;

    memmove(&f->launch[i], &f->launch[i + 1],
            (--f->launches - i) * sizeof *f->launch);
    launch_free(l);
    f->reach -= i < f->reach;
    f->news.ended(f->news.self, task, f->now);
}

static teg_status estimate_advance(struct sim_floor *floor, double now,
                                   struct teg_diag *d)
{
    struct estimate *f = of(floor);
    double passed = now - f->now;
    int changed = 0;

    for (uint32_t i = 0; i < f->reach; i++)
        f->launch[i]->at += passed * f->launch[i]->speed;
    f->now = now;
    if (f->alone) {
        if (f->launch[0]->at + moment_width(now) >= f->launch[0]->us) {
            f->alone = 0;
            watch_alone(f, f->launch[0], -1);
            f->last_left = f->launch[0]->task;
            end_launch(f, 0);
        }
        return TEG_OK;
    }
    for (uint32_t i = 0; i < f->reach; i++)
        changed |= retire(f, f->launch[i]);
    if (!changed)
        return TEG_OK;
    for (uint32_t i = f->reach; i > 0; i--) {
        if (f->launch[i - 1]->resident == 0 && f->launch[i - 1]->left == 0)
            end_launch(f, i - 1);
    }
    TRY(place_all(f, d));
    set_speeds(f);
    return TEG_OK;
}

static void estimate_written(struct sim_floor *floor, uint64_t address,
                             uint64_t bytes)
{
    (void)floor;
    (void)address;
    (void)bytes;
}

teg_status sim_floor_estimated(const struct teg_gpu *gpu, int infinite,
                               const struct sim_floor_news *news,
                               struct sim_floor **floor, struct teg_diag *d)
{
    static const struct sim_floor_kind kind = {
        .free = estimate_free,
        .add = estimate_add,
        .copies = estimate_copies,
        .written = estimate_written,
        .next = estimate_next,
        .advance = estimate_advance,
    };
    struct estimate *f = calloc(1, sizeof *f);

    if (f == NULL)
        return teg_fail_memory(d);
    f->floor.kind = &kind;
    f->gpu = gpu;
    f->infinite = infinite;
    f->news = *news;
    f->last_left = TEG_SCORE_NONE;
    f->sm = calloc(gpu->chip.sms, sizeof *f->sm);
    if (f->sm == NULL) {
        free(f);
        return teg_fail_memory(d);
    }
    *floor = &f->floor;
    return TEG_OK;
}
