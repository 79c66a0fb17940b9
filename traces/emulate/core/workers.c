#include "traces/emulate/core/workers.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "isa/base/mix.h"
#include "traces/block/block.h"
#include "traces/emulate/core/flow.h"
#include "traces/emulate/core/share.h"
#include "traces/emulate/core/tensor_memory.h"
#include "traces/emulate/core/told.h"
#include "traces/emulate/core/view.h"

enum {
    AHEAD = 2,     /* stretches in the making for each thread */
    TRIES_MIN = 8, /* before running ahead may be found useless */
    /* Gangs of a stretch at most, and thread instructions by which that is
     * enough: small blocks side by side share pages, and a thread that waits
     * for its turn costs as much as thousands of instructions. */
    STRETCH_GANGS = 16,
    STRETCH_INSTS = 1 << 18,
    STRETCHES_MIN = 8, /* for each thread, so that none is left with the rest */
    JOBS_MAX = 256,
};

/* What a stretch of gangs in the making needs, one after the other. */
struct slot {
    struct emu_gang gang;                /* blocks owned */
    struct recorded {                    /* by block */
        struct teg_block_builder *trace; /* owned */
        struct teg_block *traced;        /* owned until it is handed out */
    } * recorded;                        /* owned */
    struct emu_view *view;               /* owned; NULL: one thread */
    /* Of the gangs that ended well, block after block. */
    struct emu_result *result; /* owned, [STRETCH_GANGS][blocks] */
    uint32_t results;
    uint32_t gangs; /* that it is to make */
    uint64_t insts; /* thread instructions of those made */
    struct teg_diag d;
    teg_status status;
    int done;
};

/* A block that has ended before those it is handed out behind. */
struct ended {
    struct emu_result result;
    int is_there;
};

struct emu_workers {
    struct emu_work work;
    uint64_t gangs;
    struct slot *slot;  /* owned; stretch n is made in n mod slots */
    size_t slots;       /* in use: 1 until there are threads */
    uint32_t stretch;   /* gangs, from `first` on: 1 until there are threads */
    uint64_t first;     /* gang */
    struct slot *given; /* has had its turn; NULL: the next has not */
    uint32_t handed;    /* blocks of it that were handed out */
    pthread_t *thread;  /* owned */
    unsigned threads;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    pthread_rwlock_t memory;  /* of the device */
    uint64_t begun, taken;    /* gangs */
    uint64_t tried, repeated; /* stretches */
    uint64_t insts, pages;    /* thread instructions of those, pages touched */
    uint64_t heap_used;       /* bytes, by the launch's malloc */
    struct emu_told told;     /* if work.awaits */
    /* Of blocks that share work, by grid order: `gone` were handed out. */
    struct emu_share share;
    struct ended *ended; /* owned, [ended_room]: block n in n mod that */
    uint64_t ended_room, gone;
    int called; /* a gang allocated, freed or printed in its turn */
    int stop;
    int alone; /* no gang is begun ahead any more */
};

static uint64_t volume(const uint32_t box[3])
{
    return (uint64_t)box[0] * box[1] * box[2];
}

/* ---- a gang ------------------------------------------------------------------- */

static teg_status init_block(const struct emu_workers *c, struct emu_gang *g,
                             uint32_t number, struct recorded *r,
                             struct teg_diag *d)
{
    const struct teg_program *program = &c->work.kernel->program;
    struct emu_block *b = &g->block[number];

    *b = *c->work.like;
    b->gang = g;
    b->cluster_blocks = (uint32_t)volume(c->work.cluster);
    b->rank = number % b->cluster_blocks;
    b->cluster = b - b->rank;
    b->warp =
        aligned_alloc(_Alignof(struct emu_warp), b->warps * sizeof *b->warp);
    b->shared = calloc(1, b->shared_bytes + EMU_WIDEST);
    b->local = calloc(b->warps * EMU_LANES, b->local_bytes);
    if (b->has_tensor_memory)
        b->tensor = calloc(1, sizeof *b->tensor);
    if (b->warp == NULL || b->shared == NULL || b->local == NULL ||
        (b->has_tensor_memory && b->tensor == NULL))
        return teg_fail_memory(d);
    TRY(teg_block_builder_new(program, &r->trace, d));
    b->trace = r->trace;
    return TEG_OK;
}

static teg_status init_slot(struct emu_workers *c, struct slot *s,
                            struct teg_diag *d)
{
    uint32_t blocks = (uint32_t)volume(c->work.gang);

    if (c->work.places != 0)
        blocks *= c->work.places;
    s->gang.block = calloc(blocks, sizeof *s->gang.block);
    s->recorded = calloc(blocks, sizeof *s->recorded);
    s->result = calloc((size_t)STRETCH_GANGS * blocks, sizeof *s->result);
    if (s->gang.block == NULL || s->recorded == NULL || s->result == NULL)
        return teg_fail_memory(d);
    s->gang.heap_used = &c->heap_used;
    s->gang.told = c->work.awaits ? &c->told : NULL;
    s->gang.order = c->work.order;
    while (s->gang.blocks < blocks && c->work.places == 0) {
        uint32_t i = s->gang.blocks++;

        TRY(init_block(c, &s->gang, i, &s->recorded[i], d));
    }
    return TEG_OK;
}

/* Forgets what the stretch has made and not handed out. */
static void drop_results(struct slot *s)
{
    for (uint32_t i = 0; i < s->results; i++) {
        if (s->result[i].traced != NULL)
            teg_block_free(s->result[i].traced);
    }
    s->results = 0;
    s->insts = 0;
}

static void release_slot(struct slot *s)
{
    drop_results(s);
    free(s->result);
    for (uint32_t i = 0; i < s->gang.blocks; i++) {
        struct emu_block *b = &s->gang.block[i];
        struct recorded *r = &s->recorded[i];

        teg_block_builder_free(r->trace);
        if (r->traced != NULL)
            teg_block_free(r->traced);
        free(b->shared);
        free(b->tensor);
        free(b->local);
        free(b->warp);
    }
    emu_view_free(s->view);
    free(s->recorded);
    free(s->gang.block);
}

/* The `n`-th box of `inner` that fill `outer`: where it begins. */
static void set_position(uint64_t n, const uint32_t outer[3],
                         const uint32_t inner[3], uint32_t at[3])
{
    for (int i = 0; i < 3; i++) {
        uint32_t boxes = outer[i] / inner[i];

        at[i] += (uint32_t)(n % boxes) * inner[i];
        n /= boxes;
    }
}

/* Where block `number` of gang `n` stands in the grid. */
static void position_block(const struct emu_work *work, uint64_t n,
                           uint32_t number, struct emu_block *b)
{
    static const uint32_t one[3] = {1, 1, 1};
    uint64_t at;

    memset(b->position, 0, sizeof b->position);
    set_position(n, b->grid, work->gang, b->position);
    set_position(number / b->cluster_blocks, work->gang, work->cluster,
                 b->position);
    set_position(b->rank, work->cluster, one, b->position);
    at = teg_grid_number(b->grid, b->position);
    b->records = at >= work->from && at < work->to;
}

/* Where the random numbers of gang `n` begin: by its number, so that threads
 * change nothing; never 0. */
static uint64_t first_random(uint64_t seed, uint64_t n)
{
    uint64_t v = teg_mix(seed * TEG_MIX_STEP + n + 1);

    return v != 0 ? v : 1;
}

/* Makes block `i` of the slot that of gang `n` and that number in it. */
static void place_block(const struct emu_workers *c, struct slot *s, uint32_t i,
                        uint64_t n, uint32_t number, struct emu_view *view)
{
    struct emu_block *b = &s->gang.block[i];

    if (s->recorded[i].traced != NULL)
        teg_block_free(s->recorded[i].traced);
    s->recorded[i].traced = NULL;
    position_block(&c->work, n, number, b);
    b->status = TEG_OK;
    b->d = &s->d;
    b->view = view;
    if (c->work.clears_local)
        memset(b->local, 0, b->warps * EMU_LANES * b->local_bytes);
}

/* What the block did, and its trace. */
static struct emu_result result_of(const struct emu_block *b,
                                   struct recorded *r)
{
    struct emu_result result = {.traced = r->traced, .called = b->gang->called};

    r->traced = NULL;
    for (uint32_t i = 0; i < b->warps; i++) {
        result.warp_insts += b->warp[i].issued;
        result.thread_insts += b->warp[i].lanes_executed;
        for (int u = 0; u < EMU_UNDEFINED; u++)
            result.undefined[u] += b->warp[i].undefined[u];
    }
    return result;
}

static uint64_t lanes_executed(const struct emu_gang *g)
{
    uint64_t insts = 0;

    for (uint32_t k = 0; k < g->blocks; k++) {
        for (uint32_t i = 0; i < g->block[k].warps; i++)
            insts += g->block[k].warp[i].lanes_executed;
    }
    return insts;
}

/* Thread instructions of the stretch so far, while a gang of it runs. */
static uint64_t insts_so_far(const void *slot)
{
    const struct slot *s = slot;

    return s->insts + lanes_executed(&s->gang);
}

/* Runs gang `n` on `view`, NULL: on device memory itself. */
static void run_gang(const struct emu_workers *c, struct slot *s, uint64_t n,
                     struct emu_view *view)
{
    s->d = (struct teg_diag){0};
    for (uint32_t i = 0; i < s->gang.blocks; i++)
        place_block(c, s, i, n, i, view);
    s->gang.random = first_random(c->work.order.seed, n);
    s->status = emu_gang_run(&s->gang);
    for (uint32_t i = 0; i < s->gang.blocks && s->status == TEG_OK; i++) {
        if (s->gang.block[i].records)
            s->status = teg_block_builder_open(s->recorded[i].trace,
                                               c->work.kernel->name,
                                               &s->recorded[i].traced, &s->d);
    }
}

/* Runs the stretch that begins with gang `n`, up to a fault. */
static void run_slot(const struct emu_workers *c, struct slot *s, uint64_t n,
                     struct emu_view *view)
{
    drop_results(s);
    s->status = TEG_OK;
    for (uint32_t k = 0; k < s->gangs && s->status == TEG_OK; k++) {
        run_gang(c, s, n + k, view);
        s->insts += lanes_executed(&s->gang);
        for (uint32_t i = 0; i < s->gang.blocks && s->status == TEG_OK; i++)
            s->result[s->results++] =
                result_of(&s->gang.block[i], &s->recorded[i]);
    }
}

/* ---- threads ---------------------------------------------------------------------- */

/* Where the stretch that gang `n` begins, or is in, is made. */
static struct slot *slot_of(const struct emu_workers *c, uint64_t n)
{
    return &c->slot[(n - c->first) / c->stretch % c->slots];
}

static struct slot *begin_stretch(struct emu_workers *c, uint64_t n)
{
    struct slot *s = slot_of(c, n);

    s->gangs =
        c->gangs - n < c->stretch ? (uint32_t)(c->gangs - n) : c->stretch;
    c->begun += s->gangs;
    return s;
}

static void *run_ahead(void *self)
{
    struct emu_workers *c = self;

    pthread_mutex_lock(&c->lock);
    while (!c->stop && !c->alone) {
        struct slot *s;
        uint64_t n;

        if (c->begun == c->gangs ||
            c->begun - c->taken >= c->slots * c->stretch) {
            pthread_cond_wait(&c->changed, &c->lock);
            continue;
        }
        n = c->begun;
        s = begin_stretch(c, n);
        emu_view_begin(s->view);
        pthread_mutex_unlock(&c->lock);
        run_slot(c, s, n, s->view);
        pthread_mutex_lock(&c->lock);
        s->done = 1;
        pthread_cond_broadcast(&c->changed);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* A thread leaves the program's signals to the program's own. */
static int start_thread(struct emu_workers *c, pthread_t *thread)
{
    sigset_t all, before;
    int failed;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    failed = pthread_create(thread, NULL, run_ahead, c);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return !failed;
}

/* As many gangs as are worth a turn, by what the first has executed if it has;
 * but enough stretches that all threads have the same to do. */
static uint32_t stretch_of(const struct emu_workers *c)
{
    uint64_t one = c->slot[0].insts;
    uint64_t most = (c->gangs - c->first) / (STRETCHES_MIN * c->work.jobs);
    uint64_t enough = one != 0 ? STRETCH_INSTS / one : STRETCH_GANGS;
    uint64_t gangs = most < enough ? most : enough;

    return gangs < 1               ? 1
           : gangs < STRETCH_GANGS ? (uint32_t)gangs
                                   : STRETCH_GANGS;
}

/* Makes room for gangs from `first` on and starts the threads; without memory
 * for that one thread goes on alone. */
static void hire(struct emu_workers *c, uint64_t first)
{
    size_t slots = (size_t)AHEAD * c->work.jobs;

    for (size_t i = 0; i < slots; i++) {
        struct slot *s = &c->slot[i];

        if ((i >= c->slots && init_slot(c, s, NULL) != TEG_OK) ||
            emu_view_new(&s->view, c->work.like->device, &c->memory,
                         insts_so_far, s, NULL) != TEG_OK)
            return;
    }
    c->slots = slots;
    c->first = first;
    c->stretch = stretch_of(c);
    c->alone = 0;
    while (c->threads < c->work.jobs && start_thread(c, &c->thread[c->threads]))
        c->threads++;
    if (c->threads == 0)
        c->alone = 1;
}

teg_status emu_workers_new(struct emu_workers **workers,
                           const struct emu_work *work, struct teg_diag *d)
{
    struct emu_workers *c = calloc(1, sizeof *c);

    *workers = c;
    if (c == NULL)
        return teg_fail_memory(d);
    c->work = *work;
    c->work.jobs = work->jobs < JOBS_MAX ? work->jobs : JOBS_MAX;
    if (work->awaits || work->places != 0)
        c->work.jobs = 1;
    c->gangs = volume(work->like->grid) / volume(work->gang);
    if (c->gangs < c->work.jobs)
        c->work.jobs = (unsigned)c->gangs;
    c->alone = 1;
    c->slots = 1;
    c->stretch = 1;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
    pthread_rwlock_init(&c->memory, NULL);
    c->slot = calloc((size_t)AHEAD * c->work.jobs + 1, sizeof *c->slot);
    c->thread = calloc(c->work.jobs + 1, sizeof *c->thread);
    if (c->slot == NULL || c->thread == NULL)
        return teg_fail_memory(d);
    TRY(init_slot(c, &c->slot[0], d));
    if (work->places != 0)
        TRY(emu_share_init(&c->share, &c->slot[0].gang, work->places,
                           (uint32_t)volume(work->cluster), d));
    if (c->work.jobs > 1 && c->work.alone_up_to == 0)
        hire(c, 0);
    return TEG_OK;
}

void emu_workers_free(struct emu_workers *c)
{
    if (c == NULL)
        return;
    pthread_mutex_lock(&c->lock);
    c->stop = 1;
    for (size_t i = 0; c->threads != 0 && i < c->slots; i++)
        emu_view_cancel(c->slot[i].view);
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    for (unsigned i = 0; i < c->threads; i++)
        pthread_join(c->thread[i], NULL);
    for (size_t i = 0; c->slot != NULL && i < (size_t)AHEAD * c->work.jobs + 1;
         i++)
        release_slot(&c->slot[i]);
    for (uint64_t i = 0; i < c->ended_room; i++) {
        if (c->ended[i].is_there && c->ended[i].result.traced != NULL)
            teg_block_free(c->ended[i].result.traced);
    }
    free(c->ended);
    emu_share_release(&c->share);
    emu_told_release(&c->told);
    pthread_rwlock_destroy(&c->memory);
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->lock);
    free(c->slot);
    free(c->thread);
    free(c);
}

/* Most gangs ran again, or each lane is somewhere else in memory (a hash
 * table), so that the pages take longer than what is done with them. */
static int is_useless(const struct emu_workers *c)
{
    if (c->pages >= EMU_PAGES_MANY && c->pages * EMU_PAGE_INSTS > c->insts)
        return 1;
    return c->tried >= TRIES_MIN &&
           (2 * c->repeated > c->tried || c->pages * EMU_PAGE_INSTS > c->insts);
}

/* Waits for gang `n`, which a thread has begun, and makes what it did count,
 * or runs it again: always after a call, for buffers may be gone that a view
 * has pages of. */
static void take_turn(struct emu_workers *c, struct slot *s, uint64_t n)
{
    int counts;

    pthread_mutex_lock(&c->lock);
    if (c->called)
        emu_view_cancel(s->view);
    else
        emu_view_turn(s->view);
    while (!s->done)
        pthread_cond_wait(&c->changed, &c->lock);
    s->done = 0;
    pthread_mutex_unlock(&c->lock);
    c->insts += s->insts;
    c->pages += emu_view_pages(s->view);
    pthread_rwlock_wrlock(&c->memory);
    counts = !c->called && emu_view_commit(s->view);
    if (!counts)
        run_slot(c, s, n, NULL);
    c->called |= s->gang.called;
    pthread_rwlock_unlock(&c->memory);
    c->tried++;
    c->repeated += !counts;
    if (c->called || is_useless(c)) {
        pthread_mutex_lock(&c->lock);
        c->alone = 1;
        pthread_cond_broadcast(&c->changed);
        pthread_mutex_unlock(&c->lock);
    }
}

/* Whether what is left, if it is like the first gang, is worth the threads. */
static int is_worth(const struct emu_workers *c)
{
    const struct slot *s = &c->slot[0];

    return !s->gang.called && s->insts > c->work.alone_up_to / (c->gangs - 1);
}

/* Gives the stretch that begins with gang `n` its turn. */
static struct slot *turn_of(struct emu_workers *c, uint64_t n)
{
    struct slot *s;
    int ahead;

    if (n == 1 && c->work.jobs > 1 && c->threads == 0 && is_worth(c))
        hire(c, n);
    pthread_mutex_lock(&c->lock);
    while (!c->alone && n >= c->begun)
        pthread_cond_wait(&c->changed, &c->lock);
    ahead = n < c->begun;
    s = ahead ? slot_of(c, n) : begin_stretch(c, n);
    pthread_mutex_unlock(&c->lock);
    if (ahead)
        take_turn(c, s, n);
    else
        run_slot(c, s, n, NULL);
    return s;
}

/* Gives the next stretch its turn; 0 if there is none. */
static int next_stretch(struct emu_workers *c)
{
    if (c->taken == c->gangs)
        return 0;
    c->given = turn_of(c, c->taken);
    c->handed = 0;
    if (c->given->status == TEG_OK && c->told.failed)
        c->given->status = teg_fail_memory(&c->given->d);
    return 1;
}

/* All of the stretch has been handed out. */
static void end_stretch(struct emu_workers *c)
{
    pthread_mutex_lock(&c->lock);
    c->taken += c->given->gangs;
    c->given->results = 0;
    c->given = NULL;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
}

/* ---- blocks that share work ------------------------------------------------------- */

/* Room for block `n` among those that wait to be handed out. */
static struct ended *room_for(struct emu_workers *c, uint64_t n)
{
    enum {
        ROOM_MIN = 64
    };
    uint64_t room = c->ended_room != 0 ? c->ended_room : ROOM_MIN;
    struct ended *more;

    while (n - c->gone >= room)
        room *= 2;
    if (room != c->ended_room) {
        more = calloc(room, sizeof *more);
        if (more == NULL)
            return NULL;
        for (uint64_t i = c->gone; i < c->gone + c->ended_room; i++)
            more[i % room] = c->ended[i % c->ended_room];
        free(c->ended);
        c->ended = more;
        c->ended_room = room;
    }
    return &c->ended[n % room];
}

/* The next cluster of the grid begins at the place. */
static teg_status begin_cluster(struct emu_workers *c, uint32_t place)
{
    struct slot *s = &c->slot[0];
    uint32_t size = c->share.cluster_blocks;

    for (uint32_t rank = 0; rank < size; rank++) {
        uint32_t i = place * size + rank;

        /* Places are taken one after the other at first. */
        if (i == s->gang.blocks) {
            s->gang.blocks++;
            TRY(init_block(c, &s->gang, i, &s->recorded[i], &s->d));
        }
        place_block(c, s, i, c->begun, rank, NULL);
    }
    emu_share_begin(&c->share, place, c->begun++);
    return TEG_OK;
}

static teg_status end_cluster(struct emu_workers *c, uint32_t place)
{
    struct slot *s = &c->slot[0];
    struct emu_block *first = emu_share_block(&c->share, place);
    uint32_t size = c->share.cluster_blocks;

    for (uint32_t rank = 0; rank < size; rank++) {
        struct recorded *r = &s->recorded[place * size + rank];
        struct ended *e =
            room_for(c, c->share.place[place].number * size + rank);

        if (e == NULL)
            return teg_fail_memory(&s->d);
        TRY(emu_block_end(&first[rank]));
        if (first[rank].records)
            TRY(teg_block_builder_open(r->trace, c->work.kernel->name,
                                       &r->traced, &s->d));
        *e = (struct ended){result_of(&first[rank], r), 1};
    }
    return TEG_OK;
}

static teg_status run_place(struct emu_workers *c, uint32_t place)
{
    struct emu_block *first = emu_share_block(&c->share, place);
    int has_ended = emu_share_run(&c->share, place);

    for (uint32_t k = 0; k < c->share.cluster_blocks; k++)
        TRY(first[k].status);
    return has_ended ? end_cluster(c, place) : TEG_OK;
}

/* Gives one of the places its turn. */
static teg_status give_turn(struct emu_workers *c)
{
    uint32_t place = emu_share_next(&c->share);
    struct emu_gang *g = &c->slot[0].gang;

    for (uint32_t i = 0; i < g->blocks && place == EMU_NO_PLACE; i++)
        TRY(emu_block_end(&g->block[i]));
    assert(place != EMU_NO_PLACE); /* there is one that waits, or one is free */
    if (c->share.place[place].state != PLACE_FREE)
        return run_place(c, place);
    /* Else nobody is left for it. */
    return c->begun < c->gangs ? begin_cluster(c, place) : TEG_OK;
}

/* As emu_workers_next. */
static int next_shared(struct emu_workers *c, struct emu_result *result,
                       teg_status *status, struct teg_diag *d)
{
    struct ended *e;

    if (c->gone == c->gangs * c->share.cluster_blocks)
        return 0;
    while (*status == TEG_OK &&
           (c->ended_room == 0 || !c->ended[c->gone % c->ended_room].is_there))
        *status = give_turn(c);
    if (*status == TEG_OK && c->told.failed)
        *status = teg_fail_memory(&c->slot[0].d);
    if (*status != TEG_OK) {
        if (d != NULL)
            *d = c->slot[0].d;
        return -1;
    }
    e = &c->ended[c->gone++ % c->ended_room];
    *result = e->result;
    e->is_there = 0;
    return 1;
}

int emu_workers_next(struct emu_workers *c, struct emu_result *result,
                     teg_status *status, struct teg_diag *d)
{
    struct slot *s;

    if (c->work.places != 0)
        return next_shared(c, result, status, d);
    if (c->given == NULL && !next_stretch(c))
        return 0;
    s = c->given;
    if (c->handed == s->results) {
        *status = s->status;
        if (d != NULL)
            *d = s->d;
        return -1;
    }
    *result = s->result[c->handed];
    s->result[c->handed++].traced = NULL;
    if (c->handed == s->results && s->status == TEG_OK)
        end_stretch(c);
    return 1;
}
