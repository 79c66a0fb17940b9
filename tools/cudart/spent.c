#define _GNU_SOURCE /* syscall */
#include "tools/cudart/spent.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int spent_open(const char *path)
{
    return path != NULL && path[0] != '\0'
               ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
               : -1;
}

static uint64_t us(const struct timeval *t)
{
    return (uint64_t)t->tv_sec * 1000000 + (uint64_t)t->tv_usec;
}

/* The clocks of the C library are the program's (loader/time.c). */
uint64_t spent_now(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return us(&usage.ru_utime) + us(&usage.ru_stime);
}

void spent_add(int file, const char *what, uint64_t before,
               uint64_t thread_insts)
{
    if (file >= 0)
        dprintf(file, "%s %" PRIu64 " %" PRIu64 "\n", what,
                spent_now() - before, thread_insts);
}

double spent_clock(void)
{
    struct timespec t = {0};

    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
