/*
 * The clocks of a program under `teg exec --time`: what they show goes on
 * while the program computes and jumps by what its calls would take on the
 * device, so a program that times itself by the host's clocks prints what it
 * would print there.  Preloaded; before the runtime has begun, and in programs
 * that never call it, clocks are the machine's.
 * Leaves out: clocks read without the C library (rdtsc, system calls by hand),
 * getrusage and times.  Waits until a point in time (pthread_cond_timedwait)
 * end early, for the machine's clock is ahead.
 */
#define _GNU_SOURCE
#include "tools/cudart/program_time.h"

#include <stddef.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SHOWN __attribute__((visibility("default")))

enum {
    NS = 1000000000
};

SHOWN struct teg_program_time teg_program_time;

/* Where the program began, by its own clock. */
static int64_t began;

static int64_t machine_ns(clockid_t clock)
{
    struct timespec t = {0};

    syscall(SYS_clock_gettime, clock, &t);
    return (int64_t)t.tv_sec * NS + t.tv_nsec;
}

static int64_t shift_ns(void)
{
    int64_t frozen = atomic_load(&teg_program_time.frozen_ns);

    return frozen != 0 ? frozen - machine_ns(CLOCK_MONOTONIC)
                       : atomic_load(&teg_program_time.shift_ns);
}

__attribute__((constructor)) static void begin(void)
{
    began = machine_ns(CLOCK_MONOTONIC);
}

/* A wait for the device is spent at work on most machines: the processor's
 * time is time. */
static int64_t spent_ns(void)
{
    return machine_ns(CLOCK_MONOTONIC) + shift_ns() - began;
}

static int64_t show_ns(clockid_t clock)
{
    if (clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID)
        return spent_ns();
    return machine_ns(clock) + shift_ns();
}

SHOWN int clock_gettime(clockid_t clock, struct timespec *t)
{
    int64_t ns;
    int status = (int)syscall(SYS_clock_gettime, clock, t);

    if (status != 0)
        return status; /* and errno */
    ns = show_ns(clock);
    *t = (struct timespec){.tv_sec = ns / NS, .tv_nsec = ns % NS};
    return 0;
}

SHOWN int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
    int64_t us = show_ns(CLOCK_REALTIME) / 1000;

    (void)zone;
    *t = (struct timeval){.tv_sec = us / 1000000, .tv_usec = us % 1000000};
    return 0;
}

SHOWN int timespec_get(struct timespec *t, int base)
{
    return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, t) == 0 ? base : 0;
}

SHOWN time_t time(time_t *t)
{
    time_t s = show_ns(CLOCK_REALTIME) / NS;

    if (t != NULL)
        *t = s;
    return s;
}

SHOWN clock_t clock(void)
{
    return spent_ns() / (NS / CLOCKS_PER_SEC);
}
