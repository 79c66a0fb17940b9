/*
 * tools/teg/pool.h over the ranks of an MPI job, for `teg-mpi sweep`.
 *
 * Rank 0 hands out one job at a time and takes the replies.  Every other rank
 * is a guard: it forks the process that works, as teg does without MPI, and
 * speaks for it.  So a worker that dies costs its job, is replaced, and no
 * rank ends.  With one rank there is no MPI in it.
 *
 * A rank that dies itself ends the job, unless `mpirun --enable-recovery` lets
 * the others go on.  Open MPI tells nobody then, so every rank says once a
 * second that it is alive; of one that is silent for too long the job is lost
 * and no more is given to it.  MPI_Finalize would wait for the dead, so the
 * others end without it.
 */
#include "tools/teg/pool.h"

#include "tools/teg/job.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    TAG_JOB,   /* to a guard: a number */
    TAG_REPLY, /* to rank 0: struct head, what the worker replied */
    TAG_LOST,  /* to rank 0: struct head, why */
    TAG_ALIVE, /* both ways: nothing */
    SILENCE_SECONDS = 30,
    HELLO_TIMES = 10, /* as long until a rank is first heard of: it reads the
                         traces */
};

#define NO_JOB   UINT64_MAX       /* the end; all ranks finalize */
#define NO_RANKS (UINT64_MAX - 1) /* the end; some rank cannot */

/* Goes before every reply. */
struct head {
    uint64_t job;
};

/* A rank as rank 0 knows it, and rank 0 as the others do. */
struct peer {
    bool here, dead, busy;
    uint64_t job;    /* when busy */
    double heard_at; /* job_clock(), of the start if never */
};

struct guard {
    const struct pool *pool;
    struct peer chief; /* rank 0 */
};

static int rank, ranks;
static double silence = SILENCE_SECONDS;
static double said_at;    /* job_clock() when this rank said it is alive */
static struct peer *peer; /* of rank 0: owned, [ranks] */
static const uint64_t no_job = NO_JOB, no_ranks = NO_RANKS;
static bool dismissed, cut; /* of rank 0: all told to end; some are dead */

/* ---- messages -------------------------------------------------------------- */

/* Does not wait for the receiver, which may be dead; `bytes` must stay. */
static void send(const void *bytes, int size, int to, int tag)
{
    MPI_Request request;

    if (MPI_Isend(bytes, size, MPI_BYTE, to, tag, MPI_COMM_WORLD, &request) ==
        MPI_SUCCESS)
        MPI_Request_free(&request);
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

/* At exit: workers still wait for a job, unless something went wrong while
 * they had one. */
static void end_mpi(void)
{
    for (int i = 1; rank == 0 && i < ranks && peer != NULL; i++) {
        if (peer[i].busy && !peer[i].dead)
            MPI_Abort(MPI_COMM_WORLD, EXIT_FAULT);
    }
    for (int i = 1; rank == 0 && i < ranks && !dismissed; i++)
        send(&no_job, sizeof no_job, i, TAG_JOB);
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

bool pool_is_worker(void)
{
    int started;

    MPI_Initialized(&started);
    if (!started) {
        MPI_Init(NULL, NULL);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &ranks);
        read_silence();
        atexit(end_mpi);
        /* What is wrong with the command line rank 0 says. */
        if (rank > 0 && freopen("/dev/null", "w", stderr) == NULL)
            MPI_Abort(MPI_COMM_WORLD, EXIT_FAULT);
    }
    return rank > 0;
}

uint32_t pool_cores(void)
{
    return ranks > 1 ? 1 : pool_cores_here();
}

/* ---- a guard --------------------------------------------------------------- */

/* Asked for the next job: whatever rank 0 sends.  Without a word from it the
 * job is over. */
static bool receive_job(void *self, uint64_t *job)
{
    const struct timespec pause = {.tv_nsec = 500000};
    struct guard *g = self;

    for (;;) {
        MPI_Status from;
        int there = 0;

        say_alive();
        MPI_Iprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &from);
        if (!there) {
            if (silent(&g->chief))
                _exit(EXIT_FAULT);
            nanosleep(&pause, NULL);
            continue;
        }
        g->chief.heard_at = job_clock();
        g->chief.here = true;
        if (from.MPI_TAG == TAG_ALIVE) {
            MPI_Recv(NULL, 0, MPI_BYTE, 0, TAG_ALIVE, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            continue;
        }
        MPI_Recv(job, sizeof *job, MPI_BYTE, 0, TAG_JOB, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        if (*job == NO_RANKS)
            _exit(EXIT_DONE);
        return *job != NO_JOB;
    }
}

static int send_reply(const struct guard *g, int tag, uint64_t job,
                      const void *bytes, size_t size)
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
    if (!wait_for(&request, &g->chief))
        _exit(EXIT_FAULT);
    teg_buffer_release(&reply);
    return EXIT_DONE;
}

static int guard_done(void *self, uint64_t job, const uint8_t *reply,
                      size_t size)
{
    return send_reply(self, TAG_REPLY, job, reply, size);
}

static void guard_lost(void *self, uint64_t job, const char *why)
{
    send_reply(self, TAG_LOST, job, why, strlen(why) + 1);
}

/* In the worker: a fault that would end everything without MPI ends it. */
static int guard_work(void *self, uint64_t job, uint32_t cores,
                      struct teg_buffer *reply)
{
    const struct guard *g = self;
    int status = g->pool->work(g->pool->self, job, cores, reply);

    if (status != EXIT_DONE && status != EXIT_INTERRUPTED)
        _exit(status);
    return status;
}

/* While the worker is busy.  What rank 0 has said meanwhile is read between
 * jobs; here it is enough that it has. */
static void guard_tick(void *self)
{
    struct guard *g = self;
    MPI_Status from;
    int there = 0;

    say_alive();
    for (;;) {
        MPI_Iprobe(0, TAG_ALIVE, MPI_COMM_WORLD, &there, &from);
        if (!there)
            break;
        MPI_Recv(NULL, 0, MPI_BYTE, 0, TAG_ALIVE, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        g->chief.heard_at = job_clock();
    }
    if (silent(&g->chief))
        _exit(EXIT_FAULT);
}

int pool_serve(const struct pool *pool)
{
    struct guard guard = {.pool = pool, .chief = {.heard_at = job_clock()}};
    const struct pool own = {
        .workers = 1,
        .cores = pool->cores,
        .self = &guard,
        .next = receive_job,
        .work = guard_work,
        .done = guard_done,
        .lost = guard_lost,
        .tick = guard_tick,
    };

    return pool_run_here(&own);
}

/* ---- rank 0 ---------------------------------------------------------------- */

/* Gives the rank the next job, if there is one. */
static void feed(const struct pool *pool, int to)
{
    struct peer *p = &peer[to];

    p->busy = !p->dead && pool->next(pool->self, &p->job);
    if (p->busy)
        send(&p->job, sizeof p->job, to, TAG_JOB);
}

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
    p->heard_at = job_clock();
    p->here = true;
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

    while (cut && pool->next(pool->self, &job))
        pool->lost(pool->self, job, "no rank is left");
}

static void dismiss(void)
{
    for (int i = 1; i < ranks; i++) {
        if (!peer[i].dead)
            send(cut ? &no_ranks : &no_job, sizeof no_job, i, TAG_JOB);
    }
    dismissed = true;
}

int pool_run(const struct pool *pool)
{
    const struct timespec pause = {.tv_nsec = 200000};
    int status = EXIT_DONE;

    if (ranks < 2)
        return pool_run_here(pool);
    peer = calloc((size_t)ranks, sizeof *peer);
    if (peer == NULL)
        return say_memory();
    for (int i = 1; i < ranks; i++)
        peer[i].heard_at = job_clock();
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
    if (status == EXIT_DONE) {
        lose_rest(pool);
        dismiss();
    }
    return status;
}
