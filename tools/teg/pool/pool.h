/*
 * Worker processes that share one queue of jobs.
 *
 * Workers are forked, so they see what the caller has opened (descriptions,
 * traces) without reading it again.  Each takes one job at a time; what it
 * replies comes back in the order in which jobs end.  A worker that dies costs
 * its job and is replaced.
 *
 * Under mpirun (tools/mpi) workers are the other ranks, which run the same
 * program: where rank 0 comes to pool_run they come to pool_serve, and all to
 * the same calls of pool_share, in the same order.
 */
#ifndef TEG_TOOLS_TEG_POOL_POOL_H
#define TEG_TOOLS_TEG_POOL_POOL_H

#include "isa/base/buffer.h"

#include <stdbool.h>
#include <stdint.h>

struct pool {
    uint32_t workers; /* at least 1 */
    uint32_t cores;   /* that they divide among themselves */
    void *self;
    /* The next job, for `worker` of pool_workers(); false if there is none. */
    bool (*next)(void *self, uint32_t worker, uint64_t *job);
    /* In a worker: does the job, on as many threads as the worker has `cores`
     * (at least 1), and appends what is to be said of it.  EXIT_INTERRUPTED:
     * not done; any other fault, already said, ends everything. */
    int (*work)(void *self, uint64_t job, uint32_t cores,
                struct teg_buffer *reply);
    /* In the caller: takes the reply; a fault ends everything. */
    int (*done)(void *self, uint64_t job, const uint8_t *reply, size_t size);
    /* In the caller: the job's worker died, `why`. */
    void (*lost)(void *self, uint64_t job, const char *why);
    /* In the caller, a few times a second; may be NULL. */
    void (*tick)(void *self);
};

/* Whether the workers of pool_run are forked from this process. */
bool pool_is_here(void);
/* Workers of a pool_run that asks for so many. */
uint32_t pool_workers(uint32_t workers);
/* Runs every job.  EXIT_INTERRUPTED after a Ctrl-C; jobs under way are thrown
 * away then. */
int pool_run(const struct pool *pool);
/* The same with processes of this machine, also under mpirun. */
int pool_run_here(const struct pool *pool);

/* Finds out who else takes part; before anything is said. */
void pool_join(void);
/* Whether this process only does the jobs of another one's pool_run.  False
 * before pool_join. */
bool pool_is_worker(void);
/* Does jobs with `work` and `cores` until there are no more. */
int pool_serve(const struct pool *pool);
/* In a worker: `bytes` become those of who hands out the jobs.  A fault: they
 * are not of the same size there. */
int pool_share(void *bytes, size_t size);

/* Processes that this one is to start unless told: cores of the machine, 1 for
 * a rank of several. */
uint32_t pool_cores(void);
uint32_t pool_cores_here(void);

#endif
