/*
 * tools/teg/pool/pool.h over the ranks of an MPI job, for `teg-mpi sweep`.
 *
 * Rank 0 hands out one job at a time and takes the replies.  Every other rank
 * is a guard: it forks the process that works, as teg does without MPI, and
 * speaks for it.  So a worker that dies costs its job, is replaced, and no
 * rank ends.  What rank 0 says comes in its order: jobs, then something else
 * (shared bytes, the end), which tells that there are no more of these jobs.
 * With one rank there is no MPI in it.
 *
 * A rank that dies itself ends the job, unless `mpirun --enable-recovery` lets
 * the others go on.  Open MPI tells nobody then, so every rank says once a
 * second that it is alive; of one that is silent for too long the job is lost
 * and no more is given to it.  MPI_Finalize would wait for the dead, so the
 * others end without it.
 */
#include "tools/teg/pool/pool.h"

#include "tools/teg/replay/job.h"

#include <assert.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    TAG_JOB,    /* to a guard: a number */
    TAG_SHARED, /* to a guard: bytes of pool_share */
    TAG_END,    /* to a guard: nothing; all ranks finalize */
    TAG_CUT,    /* to a guard: nothing; the end, but some rank cannot */
    TAG_REPLY,  /* to rank 0: struct head, what the worker replied */
    TAG_LOST,   /* to rank 0: struct head, why */
    TAG_ALIVE,  /* both ways: nothing */
    SILENCE_SECONDS = 30,
    HELLO_TIMES = 10, /* as long where a rank may be reading traces: before its
                         first word, and rank 0 before it hands out jobs */
};

/* Goes before every reply. */
struct head {
    uint64_t job;
};

/* A rank as rank 0 knows it, and rank 0 as the others do. */
struct peer {
    bool here, dead, busy;
    uint64_t job;       /* when busy */
    double heard_at;    /* job_clock(), of the start if never */
    MPI_Request shared; /* bytes under way to it */
};

static int rank, ranks;
static double silence = SILENCE_SECONDS;
static double said_at;    /* job_clock() when this rank said it is alive */
static struct peer *peer; /* of rank 0: owned, [ranks] */
static struct peer chief; /* of the others: rank 0 */
static bool cut;          /* of rank 0: some ranks are dead */

/* ---- messages -------------------------------------------------------------- */

/* Does not wait for the receiver, which may be dead; `bytes` must stay. */
static void send(const void *bytes, int size, int to, int tag)
{
    MPI_Request request;

    if (MPI_Isend(bytes, size, MPI_BYTE, to, tag, MPI_COMM_WORLD, &request) ==
        MPI_SUCCESS)
        MPI_Request_free(&request);
}

static void hear(struct peer *p)
{
    p->heard_at = job_clock();
    p->here = true;
}

static bool silent(const struct peer *p)
{
    double most = p->here ? silence : HELLO_TIMES * silence;

    return job_clock() - p->heard_at > most;
}

/* To all others, as rank 0, or to rank 0. */
static void say_alive(void)
{
    double now = job_clock();

    if (now - said_at < 1)
        return;
    said_at = now;
    for (int i = rank == 0 ? 1 : 0; i < (rank == 0 ? ranks : 1); i++) {
        if (rank > 0 || !peer[i].dead)
            send(NULL, 0, i, TAG_ALIVE);
    }
}

/* Waits for the other side to take or bring the bytes; false if it is dead. */
static bool wait_for(MPI_Request *request, const struct peer *p)
{
    const struct timespec pause = {.tv_nsec = 50000};
    double since = job_clock();
    int done = 0;

    while (MPI_Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS &&
           !done) {
        if (job_clock() - since > silence && silent(p))
            return false;
        say_alive();
        nanosleep(&pause, NULL);
    }
    return done != 0;
}

/* ---- start and end --------------------------------------------------------- */

/* At exit: the others wait for what rank 0 says next, unless something went
 * wrong while they had a job. */
static void end_mpi(void)
{
    for (int i = 1; rank == 0 && i < ranks; i++) {
        if (peer[i].busy && !peer[i].dead)
            MPI_Abort(MPI_COMM_WORLD, EXIT_FAULT);
    }
    for (int i = 1; rank == 0 && i < ranks; i++) {
        if (!peer[i].dead)
            send(NULL, 0, i, cut ? TAG_CUT : TAG_END);
    }
    free(peer);
    if (!cut)
        MPI_Finalize();
}

/* TEG_RANK_SILENCE: seconds. */
static void read_silence(void)
{
    const char *text = getenv("TEG_RANK_SILENCE");
    double seconds = text != NULL ? strtod(text, NULL) : 0;

    if (seconds >= 2)
        silence = seconds;
}

void pool_join(void)
{
    MPI_Init(NULL, NULL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    read_silence();
    peer = calloc((size_t)ranks, sizeof *peer);
    /* What is wrong with the command line rank 0 says. */
    if (peer == NULL || (rank > 0 && freopen("/dev/null", "w", stderr) == NULL))
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAULT);
    for (int i = 0; i < ranks; i++)
        peer[i].heard_at = job_clock();
    atexit(end_mpi);
}

bool pool_is_worker(void)
{
    return rank > 0;
}

bool pool_is_here(void)
{
    return ranks < 2;
}

uint32_t pool_workers(uint32_t workers)
{
    return ranks > 1 ? (uint32_t)ranks - 1 : workers;
}

uint32_t pool_cores(void)
{
    return ranks > 1 ? 1 : pool_cores_here();
}

/* ---- a guard --------------------------------------------------------------- */

/* Takes one sign of life of rank 0 if there is one. */
static bool hear_alive(void)
{
    int there = 0;

    MPI_Iprobe(0, TAG_ALIVE, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    if (!there)
        return false;
    MPI_Recv(NULL, 0, MPI_BYTE, 0, TAG_ALIVE, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    hear(&chief);
    return true;
}

/* The tag of what rank 0 says next; it stays there to be received.  Without a
 * word from rank 0, or if there are ranks that cannot finalize, this is the
 * end. */
static int await(MPI_Status *next)
{
    const struct timespec pause = {.tv_nsec = 500000};

    for (int there = 0;; there = 0) {
        say_alive();
        if (hear_alive())
            continue;
        MPI_Iprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &there, next);
        if (there && next->MPI_TAG == TAG_CUT)
            _exit(EXIT_DONE);
        if (there)
            hear(&chief);
        if (there && next->MPI_TAG != TAG_ALIVE)
            return next->MPI_TAG;
        if (silent(&chief))
            _exit(EXIT_FAULT);
        if (!there)
            nanosleep(&pause, NULL);
    }
}

/* Rank 0 may be busy with something else than jobs; see HELLO_TIMES. */
static void await_chief(void)
{
    chief = (struct peer){.heard_at = job_clock()};
}

/* Asked for the next job: whatever rank 0 sends, unless it is no job. */
static bool receive_job(void *self, uint32_t worker, uint64_t *job)
{
    MPI_Status next;

    (void)self;
    (void)worker;
    if (await(&next) != TAG_JOB)
        return false;
    MPI_Recv(job, sizeof *job, MPI_BYTE, 0, TAG_JOB, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    return true;
}

static int send_reply(int tag, uint64_t job, const void *bytes, size_t size)
{
    struct teg_buffer reply = {0};
    const struct head head = {.job = job};
    MPI_Request request;

    teg_buffer_bytes(&reply, &head, sizeof head);
    teg_buffer_bytes(&reply, bytes, size);
    if (reply.failed)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAULT);
    MPI_Isend(reply.data, (int)reply.size, MPI_BYTE, 0, tag, MPI_COMM_WORLD,
              &request);
    if (!wait_for(&request, &chief))
        _exit(EXIT_FAULT);
    teg_buffer_release(&reply);
    return EXIT_DONE;
}

static int guard_done(void *self, uint64_t job, const uint8_t *reply,
                      size_t size)
{
    (void)self;
    return send_reply(TAG_REPLY, job, reply, size);
}

static void guard_lost(void *self, uint64_t job, const char *why)
{
    (void)self;
    send_reply(TAG_LOST, job, why, strlen(why) + 1);
}

/* In the worker: a fault that would end everything without MPI ends it. */
static int guard_work(void *self, uint64_t job, uint32_t cores,
                      struct teg_buffer *reply)
{
    const struct pool *pool = self;
    int status = pool->work(pool->self, job, cores, reply);

    if (status != EXIT_DONE && status != EXIT_INTERRUPTED)
        _exit(status);
    return status;
}

/* While the worker is busy.  What rank 0 has said meanwhile is read between
 * jobs; here it is enough that it has. */
static void guard_tick(void *self)
{
    (void)self;
    say_alive();
    while (hear_alive())
        ;
    if (silent(&chief))
        _exit(EXIT_FAULT);
}

int pool_serve(const struct pool *pool)
{
    const struct pool own = {
        .workers = 1,
        .cores = pool->cores,
        .self = (void *)pool,
        .next = receive_job,
        .work = guard_work,
        .done = guard_done,
        .lost = guard_lost,
        .tick = guard_tick,
    };

    await_chief();
    return pool_run_here(&own);
}

/* In a guard.  If rank 0 ends instead it has said why. */
static int take_shared(void *bytes, size_t size)
{
    MPI_Request request;
    MPI_Status next;
    int found;

    await_chief();
    if (await(&next) != TAG_SHARED)
        exit(EXIT_DONE);
    MPI_Get_count(&next, MPI_BYTE, &found);
    if ((size_t)found != size)
        return EXIT_FAULT;
    MPI_Irecv(bytes, found, MPI_BYTE, 0, TAG_SHARED, MPI_COMM_WORLD, &request);
    if (!wait_for(&request, &chief))
        _exit(EXIT_FAULT);
    return EXIT_DONE;
}

/* ---- rank 0 ---------------------------------------------------------------- */

/* Gives the rank the next job, if there is one. */
static void feed(const struct pool *pool, int to)
{
    struct peer *p = &peer[to];

    p->busy = !p->dead && pool->next(pool->self, (uint32_t)to - 1, &p->job);
    if (p->busy)
        send(&p->job, sizeof p->job, to, TAG_JOB);
}

/* `pool` is NULL while there are no jobs. */
static void bury(const struct pool *pool, int dead)
{
    struct peer *p = &peer[dead];
    char why[96];

    snprintf(why, sizeof why, "rank %d was not heard of for %.0f s", dead,
             p->here ? silence : HELLO_TIMES * silence);
    if (p->busy)
        pool->lost(pool->self, p->job, why);
    else
        say("", "%s", why);
    p->dead = cut = true;
    p->busy = false;
}

static int take_reply(const struct pool *pool, MPI_Message *message,
                      const MPI_Status *from)
{
    int size, status = EXIT_DONE, by = from->MPI_SOURCE;
    struct peer *p = &peer[by];
    MPI_Request request;
    uint8_t *bytes;
    struct head head;

    MPI_Get_count(from, MPI_BYTE, &size);
    bytes = malloc((size_t)size + 1);
    if (bytes == NULL)
        return say_memory();
    MPI_Imrecv(bytes, size, MPI_BYTE, message, &request);
    if (!wait_for(&request, p)) {
        /* the bytes may still be written to */
        bury(pool, by);
        return EXIT_DONE;
    }
    if (from->MPI_TAG == TAG_ALIVE || p->dead) {
        free(bytes);
        return EXIT_DONE;
    }
    memcpy(&head, bytes, sizeof head);
    p->busy = false;
    if (from->MPI_TAG == TAG_REPLY) {
        status = pool->done(pool->self, head.job, bytes + sizeof head,
                            (size_t)size - sizeof head);
    } else {
        bytes[size] = '\0';
        pool->lost(pool->self, head.job, (const char *)bytes + sizeof head);
    }
    free(bytes);
    feed(pool, by);
    return status;
}

/* One message, if there is one. */
static int listen(const struct pool *pool, bool *any)
{
    MPI_Message message;
    MPI_Status from;
    struct peer *p;
    bool first;
    int there = 0, status;

    MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &message,
                &from);
    *any = there != 0;
    if (!there)
        return EXIT_DONE;
    p = &peer[from.MPI_SOURCE];
    first = !p->here && !p->dead;
    hear(p);
    status = take_reply(pool, &message, &from);
    if (first && status == EXIT_DONE)
        feed(pool, from.MPI_SOURCE);
    return status;
}

/* Ranks that work or may yet come. */
static int ranks_left(void)
{
    int left = 0;

    for (int i = 1; i < ranks; i++)
        left += !peer[i].dead && (peer[i].busy || !peer[i].here);
    return left;
}

static void find_dead(const struct pool *pool)
{
    for (int i = 1; i < ranks; i++) {
        if (!peer[i].dead && silent(&peer[i]))
            bury(pool, i);
    }
}

/* What no rank is left for. */
static void lose_rest(const struct pool *pool)
{
    uint64_t job;

    while (cut && pool->next(pool->self, 0, &job))
        pool->lost(pool->self, job, "no rank is left");
}

static int give_shared(const void *bytes, size_t size)
{
    for (int i = 1; i < ranks; i++) {
        if (!peer[i].dead &&
            MPI_Isend(bytes, (int)size, MPI_BYTE, i, TAG_SHARED, MPI_COMM_WORLD,
                      &peer[i].shared) != MPI_SUCCESS)
            bury(NULL, i);
    }
    for (int i = 1; i < ranks; i++) {
        if (!peer[i].dead && !wait_for(&peer[i].shared, &peer[i]))
            bury(NULL, i);
    }
    return EXIT_DONE;
}

int pool_share(void *bytes, size_t size)
{
    assert(size <= INT_MAX);
    if (ranks < 2)
        return EXIT_DONE;
    return rank > 0 ? take_shared(bytes, size) : give_shared(bytes, size);
}

int pool_run(const struct pool *pool)
{
    const struct timespec pause = {.tv_nsec = 200000};
    int status = EXIT_DONE;

    if (ranks < 2)
        return pool_run_here(pool);
    for (int i = 1; i < ranks; i++) {
        peer[i].heard_at = job_clock();
        if (peer[i].here)
            feed(pool, i);
    }
    while (status == EXIT_DONE && ranks_left() > 0) {
        bool any;

        say_alive();
        status = listen(pool, &any);
        if (!any) {
            find_dead(pool);
            nanosleep(&pause, NULL);
        }
        if (pool->tick != NULL)
            pool->tick(pool->self);
        if (status == EXIT_DONE && interrupted())
            status = EXIT_INTERRUPTED;
    }
    if (status == EXIT_DONE)
        lose_rest(pool);
    return status;
}
