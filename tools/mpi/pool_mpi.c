/*
 * tools/teg/pool.h over the ranks of an MPI job, for `teg-mpi sweep`.
 *
 * Rank 0 hands out one job at a time and takes the replies; the others work.
 * With one rank the workers are processes, as in teg.  If a rank dies mpirun
 * ends the job; the journal of rank 0 holds every finished point.
 */
#include "tools/teg/pool.h"

#include "tools/teg/teg.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    TAG_JOB,
    TAG_REPLY,
};

#define NO_JOB UINT64_MAX

/* pool_run of tools/teg/pool.c, compiled under this name. */
int pool_run_local(const struct pool *pool);

/* Goes before every reply. */
struct head {
    uint64_t job;
    int64_t status;
};

static int rank, ranks;
static int busy, dismissed; /* of rank 0: workers with a job; told to end */

static void send_job(int to, uint64_t job)
{
    MPI_Send(&job, 1, MPI_UINT64_T, to, TAG_JOB, MPI_COMM_WORLD);
}

/* At exit: workers still wait for a job, unless something went wrong while
 * they had one. */
static void end_mpi(void)
{
    if (rank == 0 && busy > 0)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAULT);
    if (rank == 0 && !dismissed) {
        for (int i = 1; i < ranks; i++)
            send_job(i, NO_JOB);
    }
    MPI_Finalize();
}

bool pool_is_worker(void)
{
    int started;

    MPI_Initialized(&started);
    if (!started) {
        MPI_Init(NULL, NULL);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &ranks);
        atexit(end_mpi);
        /* What is wrong with the command line rank 0 says. */
        if (rank > 0 && freopen("/dev/null", "w", stderr) == NULL)
            MPI_Abort(MPI_COMM_WORLD, EXIT_FAULT);
    }
    return rank > 0;
}

int pool_serve(const struct pool *pool)
{
    for (;;) {
        struct teg_buffer reply = {0};
        struct head head = {0};
        uint64_t job;

        MPI_Recv(&job, 1, MPI_UINT64_T, 0, TAG_JOB, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        if (job == NO_JOB)
            return EXIT_DONE;
        teg_buffer_bytes(&reply, &head, sizeof head);
        head.job = job;
        head.status = pool->work(pool->self, job, &reply);
        if (reply.failed)
            MPI_Abort(MPI_COMM_WORLD, EXIT_FAULT);
        memcpy(reply.data, &head, sizeof head);
        MPI_Send(reply.data, (int)reply.size, MPI_BYTE, 0, TAG_REPLY,
                 MPI_COMM_WORLD);
        teg_buffer_release(&reply);
    }
}

/* Gives the worker the next job, or none. */
static void feed(const struct pool *pool, int worker)
{
    uint64_t job;

    if (pool->next(pool->self, &job))
        busy++;
    else
        job = NO_JOB;
    send_job(worker, job);
}

static int take_reply(const struct pool *pool, const MPI_Status *from)
{
    struct head head;
    uint8_t *bytes;
    int size, status;

    MPI_Get_count(from, MPI_BYTE, &size);
    bytes = malloc((size_t)size);
    if (bytes == NULL)
        return say_memory();
    MPI_Recv(bytes, size, MPI_BYTE, from->MPI_SOURCE, TAG_REPLY, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    busy--;
    memcpy(&head, bytes, sizeof head);
    if (head.status == EXIT_DONE) {
        status = pool->done(pool->self, head.job, bytes + sizeof head,
                            (size_t)size - sizeof head);
    } else {
        pool->lost(pool->self, head.job, "its rank could not do it");
        status = EXIT_DONE;
    }
    free(bytes);
    feed(pool, from->MPI_SOURCE);
    return status;
}

int pool_run(const struct pool *pool)
{
    const struct timespec pause = {.tv_nsec = 200000};
    int status = EXIT_DONE;

    if (ranks < 2)
        return pool_run_local(pool);
    for (int i = 1; i < ranks; i++)
        feed(pool, i);
    dismissed = 1;
    while (status == EXIT_DONE && busy > 0) {
        MPI_Status from;
        int there;

        MPI_Iprobe(MPI_ANY_SOURCE, TAG_REPLY, MPI_COMM_WORLD, &there, &from);
        if (there)
            status = take_reply(pool, &from);
        else
            nanosleep(&pause, NULL);
        if (pool->tick != NULL)
            pool->tick(pool->self);
        if (status == EXIT_DONE && interrupted())
            status = EXIT_INTERRUPTED;
    }
    return status;
}
