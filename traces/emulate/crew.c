#include "traces/emulate/crew.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "traces/block.h"
#include "traces/emulate/flow.h"
#include "traces/emulate/view.h"

enum {
    AHEAD = 2,     /* blocks in the making for each thread */
    TRIES_MIN = 8, /* before running ahead may be found useless */
    JOBS_MAX = 256,
};

/* What one block in the making needs. */
struct slot {
    struct emu_block block;
    struct teg_block_builder **stream; /* owned, [warps]: each warp's trace */
    struct teg_block_builder *whole;   /* owned */
    struct emu_view *view;             /* owned; NULL: one thread */
    struct teg_block *traced;          /* owned until it is handed out */
    struct teg_diag d;
    teg_status status;
    int done;
};

struct emu_crew {
    struct emu_work work;
    struct slot *slot; /* owned, [slots]; block n is made in n mod slots */
    size_t slots;
    pthread_t *thread; /* owned */
    unsigned threads;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    pthread_rwlock_t memory; /* of the device */
    uint64_t begun, taken;   /* blocks */
    uint64_t tried, repeated;
    int stop;
    int alone; /* no block is begun ahead any more */
};

/* ---- a block ------------------------------------------------------------------ */

static teg_status init_slot(struct emu_crew *c, struct slot *s,
                            struct teg_diag *d)
{
    const struct teg_program *program = &c->work.kernel->program;
    struct emu_block *b = &s->block;

    *b = *c->work.like;
    b->warp =
        aligned_alloc(_Alignof(struct emu_warp), b->warps * sizeof *b->warp);
    b->shared = calloc(1, b->shared_bytes + 16);
    b->local = calloc(b->warps * EMU_LANES, b->local_bytes);
    s->stream = calloc(b->warps, sizeof(struct teg_block_builder *));
    if (b->warp == NULL || b->shared == NULL || b->local == NULL ||
        s->stream == NULL)
        return teg_fail_memory(d);
    for (uint32_t i = 0; i < b->warps; i++)
        TRY(teg_block_builder_new(program, &s->stream[i], d));
    TRY(teg_block_builder_new(program, &s->whole, d));
    b->stream = s->stream;
    b->whole = s->whole;
    if (c->work.jobs > 1)
        return emu_view_new(&s->view, b->device, &c->memory, d);
    return TEG_OK;
}

static void release_slot(struct slot *s)
{
    for (uint32_t i = 0; s->stream != NULL && i < s->block.warps; i++)
        teg_block_builder_free(s->stream[i]);
    free(s->stream);
    teg_block_builder_free(s->whole);
    emu_view_free(s->view);
    if (s->traced != NULL)
        teg_block_free(s->traced);
    free(s->block.shared);
    free(s->block.local);
    free(s->block.warp);
}

/* Where warps ran interleaved, each has a builder of its own; the block has
 * their streams one after the other. */
static teg_status join_streams(struct slot *s, const struct teg_kernel *k,
                               struct teg_diag *d)
{
    const uint8_t *bytes;
    size_t size;

    for (uint32_t i = 0; i < s->block.warps && !s->block.in_turn; i++) {
        struct teg_block *one;
        struct teg_cursor c;
        struct teg_access a;

        if (i == 0)
            teg_block_builder_begin(s->whole, s->block.position);
        TRY(teg_block_builder_end(s->stream[i], &bytes, &size, d));
        TRY(teg_block_open(&k->program, bytes, size, k->name, 0, &one, d));
        teg_block_builder_warp(s->whole, i);
        teg_cursor_init(&c, one, 0);
        while (teg_cursor_next(&c)) {
            uint32_t inst = c.inst, mask = c.mask;

            if (teg_cursor_access(&c, &a))
                teg_block_builder_access(s->whole, inst, &a);
            else
                teg_block_builder_inst(s->whole, inst, mask, NULL);
        }
        teg_block_free(one);
    }
    TRY(teg_block_builder_end(s->whole, &bytes, &size, d));
    return teg_block_open(&k->program, bytes, size, k->name, 0, &s->traced, d);
}

/* Runs block `n` on `view`, NULL: on device memory itself. */
static void run_slot(const struct emu_crew *c, struct slot *s, uint64_t n,
                     struct emu_view *view)
{
    struct emu_block *b = &s->block;

    if (s->traced != NULL)
        teg_block_free(s->traced);
    s->traced = NULL;
    s->d = (struct teg_diag){0};
    b->position[0] = (uint32_t)(n % b->grid[0]);
    b->position[1] = (uint32_t)(n / b->grid[0] % b->grid[1]);
    b->position[2] = (uint32_t)(n / b->grid[0] / b->grid[1]);
    b->status = TEG_OK;
    b->d = &s->d;
    b->view = view;
    b->records = n >= c->work.from && n < c->work.to;
    if (c->work.clears_local)
        memset(b->local, 0, b->warps * EMU_LANES * b->local_bytes);
    emu_block_run(b);
    s->status = b->status;
    if (s->status == TEG_OK && b->records)
        s->status = join_streams(s, c->work.kernel, &s->d);
}

/* ---- threads ---------------------------------------------------------------------- */

static void *run_ahead(void *self)
{
    struct emu_crew *c = self;

    pthread_mutex_lock(&c->lock);
    while (!c->stop && !c->alone) {
        struct slot *s;
        uint64_t n;

        if (c->begun == c->work.blocks || c->begun - c->taken >= c->slots) {
            pthread_cond_wait(&c->changed, &c->lock);
            continue;
        }
        n = c->begun++;
        s = &c->slot[n % c->slots];
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

teg_status emu_crew_new(struct emu_crew **crew, const struct emu_work *work,
                        struct teg_diag *d)
{
    struct emu_crew *c = calloc(1, sizeof *c);

    *crew = c;
    if (c == NULL)
        return teg_fail_memory(d);
    c->work = *work;
    c->work.jobs = work->jobs < JOBS_MAX ? work->jobs : JOBS_MAX;
    if (work->blocks < c->work.jobs)
        c->work.jobs = (unsigned)work->blocks;
    c->alone = c->work.jobs <= 1;
    c->slots = c->alone ? 1 : (size_t)AHEAD * c->work.jobs;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
    pthread_rwlock_init(&c->memory, NULL);
    c->slot = calloc(c->slots, sizeof *c->slot);
    c->thread = calloc(c->work.jobs + 1, sizeof *c->thread);
    if (c->slot == NULL || c->thread == NULL)
        return teg_fail_memory(d);
    for (size_t i = 0; i < c->slots; i++)
        TRY(init_slot(c, &c->slot[i], d));
    while (!c->alone && c->threads < c->work.jobs) {
        if (pthread_create(&c->thread[c->threads], NULL, run_ahead, c) != 0)
            break;
        c->threads++;
    }
    if (c->threads == 0)
        c->alone = 1;
    return TEG_OK;
}

void emu_crew_free(struct emu_crew *c)
{
    if (c == NULL)
        return;
    pthread_mutex_lock(&c->lock);
    c->stop = 1;
    for (size_t i = 0; c->slot != NULL && i < c->slots && c->threads != 0; i++)
        emu_view_cancel(c->slot[i].view);
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    for (unsigned i = 0; i < c->threads; i++)
        pthread_join(c->thread[i], NULL);
    for (size_t i = 0; c->slot != NULL && i < c->slots; i++)
        release_slot(&c->slot[i]);
    pthread_rwlock_destroy(&c->memory);
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->lock);
    free(c->slot);
    free(c->thread);
    free(c);
}

/* Waits for block `n`, which a thread has begun, and makes what it did count,
 * or runs it again. */
static void take_turn(struct emu_crew *c, struct slot *s, uint64_t n)
{
    int counts;

    pthread_mutex_lock(&c->lock);
    emu_view_turn(s->view);
    while (!s->done)
        pthread_cond_wait(&c->changed, &c->lock);
    s->done = 0;
    pthread_mutex_unlock(&c->lock);
    pthread_rwlock_wrlock(&c->memory);
    counts = emu_view_commit(s->view);
    if (!counts)
        run_slot(c, s, n, NULL);
    pthread_rwlock_unlock(&c->memory);
    c->tried++;
    c->repeated += !counts;
    if (c->tried >= TRIES_MIN && 2 * c->repeated > c->tried) {
        pthread_mutex_lock(&c->lock);
        c->alone = 1;
        pthread_cond_broadcast(&c->changed);
        pthread_mutex_unlock(&c->lock);
    }
}

/* Gives block `n` its turn. */
static struct slot *turn_of(struct emu_crew *c, uint64_t n)
{
    struct slot *s = &c->slot[n % c->slots];
    int ahead;

    pthread_mutex_lock(&c->lock);
    while (!c->alone && n >= c->begun)
        pthread_cond_wait(&c->changed, &c->lock);
    ahead = n < c->begun;
    if (!ahead)
        c->begun++;
    pthread_mutex_unlock(&c->lock);
    if (ahead)
        take_turn(c, s, n);
    else
        run_slot(c, s, n, NULL);
    return s;
}

int emu_crew_next(struct emu_crew *c, struct emu_result *result,
                  teg_status *status, struct teg_diag *d)
{
    uint64_t n = c->taken;
    struct slot *s;

    if (n == c->work.blocks)
        return 0;
    s = turn_of(c, n);
    *status = s->status;
    if (s->status != TEG_OK) {
        if (d != NULL)
            *d = s->d;
        return -1;
    }
    *result = (struct emu_result){.traced = s->traced};
    s->traced = NULL;
    for (uint32_t i = 0; i < s->block.warps; i++) {
        result->warp_insts += s->block.warp[i].executed;
        result->thread_insts += s->block.warp[i].lanes_executed;
    }
    pthread_mutex_lock(&c->lock);
    c->taken++;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    return 1;
}

uint64_t emu_crew_repeated(const struct emu_crew *c)
{
    return c->repeated;
}
