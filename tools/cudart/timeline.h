/*
 * The program's own time (teg exec --time): where its host is, and when what it
 * has asked the device for begins and ends.
 *
 * Models: what `teg program` does of the list that the run leaves, as it is
 * written (sim/program/live.h): the lines of the list go in one by one, launches
 * with what the simulator says of them alone.  The host's own work between
 * calls takes what it takes on this machine: on the clocks that the program
 * reads always, for the device, which has to be the same in every run, only with
 * --host-time.  A wait holds the host until what it waits for is done, and a
 * question whether it is waits, too.
 * Leaves out: launches beside each other are estimated, not simulated together;
 * what calls cost that neither launch, copy nor wait.
 */
#ifndef TEG_TOOLS_CUDART_TIMELINE_H
#define TEG_TOOLS_CUDART_TIMELINE_H

#include <jansson.h>

#include "config/gpu.h"
#include "sim/program/program.h"

struct timeline;

/* A launch alone. */
struct timeline_launch {
    struct sim_program_kernel kernel; /* us = 0: not known yet */
    uint32_t number; /* that the timeline has for it, from 1; 0: none yet */
};

/* `gpu` is borrowed and outlives it.  NULL: no memory.  Of these, all but this
 * and timeline_event take NULL and do nothing: time is nominal then. */
struct timeline *timeline_new(const struct teg_gpu *gpu);
/* The host's own work delays the device, too (--host-time). */
void timeline_count_host(struct timeline *t);
/* A call of the program's begins: the host's clock stands still.  It goes on
 * from where the call has brought it when it ends. */
void timeline_enter(struct timeline *t);
void timeline_leave(struct timeline *t);
/* The host's own work that delays the device, since this was last asked. */
double timeline_take_host_us(struct timeline *t);
/* A stream that is not as others are. */
void timeline_stream(struct timeline *t, uint32_t process, uint64_t stream,
                     int priority, int nonblocking);
/* A line of the list (tracer.c): an entry of the order, a node of the graph that
 * is being launched, or where that begins or ends.  A launch's is followed by
 * timeline_run. */
void timeline_line(struct timeline *t, const json_t *line);
/* What the launch of the line is alone; of one that has no line, `process` and
 * `stream` are what it belongs to. */
void timeline_run(struct timeline *t, struct timeline_launch *launch,
                  int has_line, uint32_t process, uint64_t stream);
/* Whether the latest record of the event, or all that a stream has, is over. */
int timeline_event_over(struct timeline *t, uint64_t event);
int timeline_stream_over(struct timeline *t, uint32_t process, uint64_t stream);
/* Microseconds at which the event was recorded; < 0: it was not yet. */
double timeline_event(struct timeline *t, uint64_t event);
/* Launches so far whose time beside others is an estimate. */
uint64_t timeline_beside(const struct timeline *t);

#endif
