/*
 * The program's own time (teg exec --time): where its host is, and until when
 * the device is busy.
 *
 * Models: calls take what launch.* of the description says, whatever they
 * emulate.  The host's own work between them takes what it takes on this
 * machine: on the clocks that the program reads always, for the device, which
 * has to be the same in every run, only with --host-time.
 * Operations of a stream run one after the other, those of others beside them:
 * launches while the chip has places for all their blocks, in the order of the
 * calls; copies one at a time in each direction.  A wait holds the host until
 * what it waits for is done, and a question whether it is waits, too.
 * Leaves out: what launches beside each other cost one another, priorities,
 * queues and the edges of graphs, whose nodes run one after the other (`teg
 * program` has these); what calls cost that neither launch, copy nor wait.
 */
#ifndef TEG_TOOLS_CUDART_TIMELINE_H
#define TEG_TOOLS_CUDART_TIMELINE_H

#include "config/gpu.h"

struct timeline;

/* A launch alone. */
struct timeline_launch {
    double us;
    double share; /* 0 to 1: of the places for its blocks that it fills */
};

/* What an operation belongs to. */
struct timeline_place {
    uint64_t stream; /* 0: the default one */
    int async, dependent, in_graph;
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
/* A stream that does not wait for the default one, nor that for it. */
void timeline_detach(struct timeline *t, uint64_t stream);
void timeline_run(struct timeline *t, const struct timeline_place *at,
                  const struct timeline_launch *launch);
/* `what` as kernels.json names it; `part`: the copy before goes on. */
void timeline_touch(struct timeline *t, const struct timeline_place *at,
                    const char *what, uint64_t bytes, int pinned, int part);
/* "record", "wait", "synchronize" of an event (0: of all), "host". */
void timeline_say(struct timeline *t, const struct timeline_place *at,
                  const char *what, uint64_t event);
void timeline_synchronize(struct timeline *t, uint64_t stream);
/* Microseconds at which the event is recorded; -1: it never was. */
double timeline_event(const struct timeline *t, uint64_t event);

#endif
