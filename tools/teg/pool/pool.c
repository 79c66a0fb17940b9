#include "tools/teg/pool/pool.h"

#include "tools/teg/cli/heap.h"
#include "tools/teg/cli/teg.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum {
    WORKERS_MAX = 1024,
    TICK_MS = 200,
    READ_BYTES = 1 << 16,
};

/* What goes before every reply. */
struct reply_head {
    uint64_t job, size;
    int64_t status; /* exit status of the work */
};

struct worker {
    pid_t pid;    /* 0: none */
    int to, from; /* pipes: jobs, replies */
    bool busy;
    uint64_t job;          /* when busy */
    struct teg_buffer got; /* owned: of the reply, so far */
};

struct workers {
    const struct pool *pool;
    struct worker *worker; /* owned, [count] */
    uint32_t count;
    bool exhausted; /* no further job */
};

#ifndef TEG_MPI
void pool_join(void)
{
}

bool pool_is_worker(void)
{
    return false;
}

int pool_serve(const struct pool *pool)
{
    (void)pool;
    return EXIT_DONE;
}

int pool_share(void *bytes, size_t size)
{
    (void)bytes;
    (void)size;
    return EXIT_DONE;
}

int pool_run(const struct pool *pool)
{
    return pool_run_here(pool);
}

bool pool_is_here(void)
{
    return true;
}

uint32_t pool_workers(uint32_t workers)
{
    return workers < WORKERS_MAX ? workers : WORKERS_MAX;
}

uint32_t pool_cores(void)
{
    return pool_cores_here();
}
#endif

uint32_t pool_cores_here(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);

    return n < 1 ? 1 : n > WORKERS_MAX ? WORKERS_MAX : (uint32_t)n;
}

/* Reads or writes all of it; false if the other side is gone. */
static bool read_all(int fd, void *to, size_t size)
{
    for (char *at = to; size > 0;) {
        ssize_t n = read(fd, at, size);

        if (n <= 0 && !(n < 0 && errno == EINTR))
            return false;
        if (n > 0) {
            at += n;
            size -= (size_t)n;
        }
    }
    return true;
}

static bool write_all(int fd, const void *from, size_t size)
{
    for (const char *at = from; size > 0;) {
        ssize_t n = write(fd, at, size);

        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0) {
            at += n;
            size -= (size_t)n;
        }
    }
    return true;
}

/* ---- the worker ----------------------------------------------------------- */

/* Until the caller closes the queue or is gone. */
static void serve(const struct pool *pool, uint32_t cores, int jobs,
                  int replies)
{
    uint64_t job;

    while (read_all(jobs, &job, sizeof job)) {
        struct teg_buffer reply = {0};
        struct reply_head head = {.job = job};
        bool sent;

        head.status = pool->work(pool->self, job, cores, &reply);
        if (reply.failed && head.status == EXIT_DONE)
            head.status = say_memory();
        head.size = reply.failed ? 0 : reply.size;
        sent = write_all(replies, &head, sizeof head) &&
               write_all(replies, reply.data, head.size);
        teg_buffer_release(&reply);
        if (!sent)
            return;
    }
}

/* ---- the caller ----------------------------------------------------------- */

static void close_pipes(struct worker *w)
{
    close(w->to);
    close(w->from);
}

static uint32_t number_of(const struct workers *workers, const struct worker *w)
{
    return (uint32_t)(w - workers->worker);
}

/* Of the cores, what falls to the worker: the first ones get the rest. */
static uint32_t cores_of(const struct workers *workers, const struct worker *w)
{
    uint32_t cores = workers->pool->cores, i = number_of(workers, w);
    uint32_t own = cores / workers->count + (i < cores % workers->count);

    return own > 0 ? own : 1;
}

/* Nobody takes the reply of a worker whose caller is dead.  Where the kernel
 * does not end it, it finds out by its pipes, after the job. */
static void end_with(pid_t caller)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != caller)
        _exit(0);
}

/* The child must not hold its siblings' pipes: they end when the caller
 * does. */
static void become_worker(const struct workers *workers, uint32_t cores,
                          const int jobs[2], const int replies[2])
{
    for (uint32_t i = 0; i < workers->count; i++) {
        if (workers->worker[i].pid != 0)
            close_pipes(&workers->worker[i]);
    }
    close(jobs[1]);
    close(replies[0]);
    serve(workers->pool, cores, jobs[0], replies[1]);
    fflush(stderr);
    _exit(0);
}

static int no_worker(const char *verb)
{
    struct teg_diag d;

    teg_fail_errno(&d, "worker process", verb);
    return say_fault(&d);
}

static int start(struct workers *workers, struct worker *w)
{
    int jobs[2], replies[2];
    pid_t caller = getpid(), pid;

    if (pipe(jobs) != 0)
        return no_worker("start");
    if (pipe(replies) != 0) {
        close(jobs[0]);
        close(jobs[1]);
        return no_worker("start");
    }
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        end_with(caller);
        heap_renew();
        become_worker(workers, cores_of(workers, w), jobs, replies);
    }
    close(jobs[0]);
    close(replies[1]);
    if (pid < 0) {
        close(jobs[1]);
        close(replies[0]);
        return no_worker("start");
    }
    *w = (struct worker){.pid = pid, .to = jobs[1], .from = replies[0]};
    return EXIT_DONE;
}

/* Ends the worker; `why` says how it ended. */
static void finish(struct worker *w, int kill_with, char *why, size_t size)
{
    int status = 0;

    close_pipes(w);
    if (kill_with != 0)
        kill(w->pid, kill_with);
    while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (why != NULL && WIFSIGNALED(status))
        snprintf(why, size, "its worker was killed by signal %d",
                 WTERMSIG(status));
    else if (why != NULL)
        snprintf(why, size, "its worker ended with status %d",
                 WEXITSTATUS(status));
    teg_buffer_release(&w->got);
    *w = (struct worker){0};
}

/* Gives `w` the next job, if there is one. */
static void feed(struct workers *workers, struct worker *w)
{
    const struct pool *pool = workers->pool;

    if (workers->exhausted ||
        !pool->next(pool->self, number_of(workers, w), &w->job)) {
        workers->exhausted = true;
        return;
    }
    w->busy = true;
    /* If the worker is gone, its reply pipe says so. */
    write_all(w->to, &w->job, sizeof w->job);
}

static int worker_died(struct workers *workers, struct worker *w)
{
    uint64_t job = w->job;
    bool busy = w->busy;
    char why[96];
    int status;

    finish(w, 0, why, sizeof why);
    if (busy)
        workers->pool->lost(workers->pool->self, job, why);
    if (workers->exhausted)
        return EXIT_DONE;
    status = start(workers, w);
    if (status == EXIT_DONE)
        feed(workers, w);
    return status;
}

static int take_reply(struct workers *workers, struct worker *w)
{
    const struct pool *pool = workers->pool;
    struct reply_head head;
    uint64_t job = w->job;
    int status;

    memcpy(&head, w->got.data, sizeof head);
    w->busy = false;
    status = (int)head.status;
    if (status == EXIT_DONE)
        status =
            pool->done(pool->self, job, w->got.data + sizeof head, head.size);
    else if (status == EXIT_INTERRUPTED && !interrupted()) {
        pool->lost(pool->self, job, "its worker was interrupted");
        status = EXIT_DONE;
    }
    w->got.size = 0;
    if (status == EXIT_DONE)
        feed(workers, w);
    return status;
}

static bool complete(const struct teg_buffer *got)
{
    struct reply_head head;

    if (got->size < sizeof head)
        return false;
    memcpy(&head, got->data, sizeof head);
    return got->size == sizeof head + head.size;
}

static int read_reply(struct workers *workers, struct worker *w)
{
    uint8_t bytes[READ_BYTES];
    ssize_t n = read(w->from, bytes, sizeof bytes);

    if (n < 0 && errno == EINTR)
        return EXIT_DONE;
    if (n <= 0)
        return worker_died(workers, w);
    teg_buffer_bytes(&w->got, bytes, (size_t)n);
    if (w->got.failed)
        return say_memory();
    return complete(&w->got) ? take_reply(workers, w) : EXIT_DONE;
}

/* Waits for replies and takes them; `*any` false: nobody is busy. */
static int attend(struct workers *workers, struct pollfd *fds, bool *any)
{
    nfds_t count = 0;
    int status = EXIT_DONE;

    for (uint32_t i = 0; i < workers->count; i++) {
        fds[i] = (struct pollfd){.fd = -1, .events = POLLIN};
        if (workers->worker[i].busy) {
            fds[i].fd = workers->worker[i].from;
            count++;
        }
    }
    *any = count > 0;
    if (!*any || poll(fds, workers->count, TICK_MS) <= 0)
        return EXIT_DONE;
    for (uint32_t i = 0; status == EXIT_DONE && i < workers->count; i++) {
        if (fds[i].fd >= 0 && fds[i].revents != 0)
            status = read_reply(workers, &workers->worker[i]);
    }
    return status;
}

static int run(struct workers *workers, struct pollfd *fds)
{
    int status = EXIT_DONE;
    bool any = true;

    for (uint32_t i = 0; status == EXIT_DONE && i < workers->count; i++) {
        status = start(workers, &workers->worker[i]);
        if (status == EXIT_DONE)
            feed(workers, &workers->worker[i]);
    }
    while (status == EXIT_DONE && any) {
        status = attend(workers, fds, &any);
        if (workers->pool->tick != NULL)
            workers->pool->tick(workers->pool->self);
        if (status == EXIT_DONE && interrupted())
            status = EXIT_INTERRUPTED;
    }
    for (uint32_t i = 0; i < workers->count; i++) {
        if (workers->worker[i].pid != 0)
            finish(&workers->worker[i], status != EXIT_DONE ? SIGKILL : 0, NULL,
                   0);
    }
    return status;
}

int pool_run_here(const struct pool *pool)
{
    struct workers workers = {.pool = pool, .count = pool->workers};
    struct pollfd *fds;
    int status;

    if (workers.count > WORKERS_MAX)
        workers.count = WORKERS_MAX;
    workers.worker = calloc(workers.count, sizeof *workers.worker);
    fds = calloc(workers.count, sizeof *fds);
    status = workers.worker != NULL && fds != NULL ? run(&workers, fds)
                                                   : say_memory();
    free(workers.worker);
    free(fds);
    return status;
}
