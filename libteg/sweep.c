/*
 * Many points of one launch.  Workers take the next point each, in order; the
 * first is the calling thread with the replay's own source, the others open
 * theirs, because blocks are handed out to one reader at a time.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "libteg/replay.h"

enum {
    WORKERS_MAX = 256
};

struct sweep {
    struct teg_replay *replay;
    const struct teg_gpu *gpu;
    const char *const *point; /* [points] */
    uint32_t points;
    struct manner manner; /* the replay's, but that `stop` ends it */
    uint64_t budget;      /* of a worker's source */
    teg_point_done *done;
    void *self;
    atomic_int stop;
    pthread_mutex_t lock; /* of what follows, and of calls of `done` */
    uint32_t next;
    teg_status status;
    struct teg_diag fault;
};

struct worker {
    struct sweep *sweep;
    pthread_t thread;
};

static int on_progress(void *self, uint64_t blocks, uint64_t cycle)
{
    const struct sweep *s = self;
    const struct manner *m = &s->replay->manner;

    if (atomic_load(&s->stop))
        return 1;
    return m->progress != NULL ? m->progress(m->progress_self, blocks, cycle)
                               : 0;
}

/* Ends the sweep; the first reason counts.  The lock is held. */
static void stop(struct sweep *s, teg_status status, const struct teg_diag *d)
{
    if (s->status == TEG_OK) {
        s->status = status;
        s->fault = *d;
    }
    atomic_store(&s->stop, 1);
}

static int take(struct sweep *s, uint32_t *i)
{
    int more;

    pthread_mutex_lock(&s->lock);
    more = s->next < s->points && !atomic_load(&s->stop);
    if (more)
        *i = s->next++;
    pthread_mutex_unlock(&s->lock);
    return more;
}

static void tell(struct sweep *s, uint32_t i, teg_status status,
                 const struct teg_result *result, const struct teg_diag *d)
{
    struct teg_diag wished;

    pthread_mutex_lock(&s->lock);
    if (status == TEG_INTERRUPTED) {
        stop(s, status, d);
    } else if (!atomic_load(&s->stop) &&
               s->done(s->self, i, status == TEG_OK ? result : NULL, d) != 0) {
        teg_fail(&wished, TEG_INTERRUPTED, "", "interrupted");
        stop(s, TEG_INTERRUPTED, &wished);
    }
    pthread_mutex_unlock(&s->lock);
}

static void work_on(struct sweep *s, struct source *source)
{
    uint32_t i;

    while (take(s, &i)) {
        struct teg_diag d = {.status = TEG_OK};
        struct teg_result *result;
        teg_status status =
            point_run(source, &s->manner, s->gpu, s->point[i], &result, &d);

        tell(s, i, status, result, &d);
        teg_result_free(result);
    }
}

static void *work(void *self)
{
    struct sweep *s = ((struct worker *)self)->sweep;
    const struct source *own = &s->replay->source;
    struct source source;
    struct teg_diag d;
    teg_status status =
        source_init(&source, own->trace, own->number, s->budget, &d);

    if (status == TEG_OK) {
        work_on(s, &source);
        source_release(&source);
        return NULL;
    }
    pthread_mutex_lock(&s->lock);
    stop(s, status, &d);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* A host that refuses threads has fewer workers; the result is the same. */
static teg_status run(struct sweep *s, uint32_t workers, struct teg_diag *d)
{
    struct worker *other = calloc(workers, sizeof *other);
    uint32_t started = 0;

    if (other == NULL)
        return teg_fail_memory(d);
    for (; started + 1 < workers; started++) {
        other[started].sweep = s;
        if (pthread_create(&other[started].thread, NULL, work,
                           &other[started]) != 0)
            break;
    }
    work_on(s, &s->replay->source);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(other[i].thread, NULL);
    free(other);
    if (s->status != TEG_OK && d != NULL)
        *d = s->fault;
    return s->status;
}

teg_status teg_replay_sweep(struct teg_replay *replay,
                            const struct teg_gpu *gpu, const char *const *point,
                            uint32_t points, uint32_t workers,
                            teg_point_done *done, void *self,
                            struct teg_diag *d)
{
    struct sweep s = {
        .replay = replay,
        .gpu = gpu,
        .point = point,
        .points = points,
        .manner = replay->manner,
        .done = done,
        .self = self,
        .lock = PTHREAD_MUTEX_INITIALIZER,
    };
    teg_status status;

    if (workers > points)
        workers = points;
    if (workers > WORKERS_MAX)
        workers = WORKERS_MAX;
    if (workers < 1)
        workers = 1;
    s.budget = replay->source.budget / workers;
    s.manner.progress = on_progress;
    s.manner.progress_self = &s;
    status = run(&s, workers, d);
    pthread_mutex_destroy(&s.lock);
    return status;
}
