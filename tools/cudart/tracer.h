/* Which launches are traced, and their traces. */
#ifndef TEG_TOOLS_CUDART_TRACER_H
#define TEG_TOOLS_CUDART_TRACER_H

#include <jansson.h>

#include "tools/cudart/simulated.h"
#include "tools/cudart/timeline.h"
#include "traces/block/block.h"

struct range {
    uint64_t from, to; /* to: behind the last; UINT64_MAX: no end */
};

/* Bytes of device memory that something other than a kernel touches. */
struct touched {
    const char *what; /* static; NULL: none */
    uint64_t address, bytes;
    int pinned; /* a copy's other side is host memory that stays in place */
    int part;   /* of the operation that touched the ones before */
};

/* What the call under way does belongs to. */
struct tracer_place {
    uint64_t stream;
    int async, dependent;
    const char *touched; /* what the operation has touched so far; or NULL */
};

/* The graph that is being launched. */
struct tracer_graph {
    int depth;     /* graphs in graphs; 0: none */
    json_t *after; /* borrowed: of the node that runs; NULL: it has a line */
    json_t *lets;  /* borrowed: of them, those that may let it come early */
    uint64_t lines, node; /* of the launch so far; first of the node */
    json_t *brought;      /* borrowed; or NULL: ends of what the node's kernel
                        launches are added */
};

struct tracer {
    const char *directory; /* NULL: no traces */
    const char *kernel;    /* pattern, NULL: all */
    struct range launches, blocks;
    uint64_t left;    /* launches to trace before the process ends */
    uint32_t process; /* number of this process among those of the run */
    struct written *written;
    struct simulated *clock;   /* owned; NULL: time is nominal */
    struct timeline *timeline; /* owned; likewise */
    struct touched event;      /* the latest, not noted yet */
    struct tracer_place at;
    struct tracer_graph graph;
    int times_host;      /* the host's own time is noted */
    double host_us;      /* of it, since the last line */
    uint64_t untraced;   /* launches since the latest that was */
    int launch_has_line; /* the one that runs */
    int lost;            /* why a line could not be written, an errno */
};

int tracer_init(struct tracer *t);
/* `what` has touched the bytes; ranges of an operation that follow on each
 * other are one, others are parts of it. */
void tracer_event(struct tracer *t, const char *what, const void *address,
                  size_t bytes, int pinned);
/* What is noted from here to the end of the call is of that stream. */
void tracer_in(struct tracer *t, uint64_t stream, int async);
/* The end of an entry point. */
void tracer_end(struct tracer *t);
/* A stream that is not as others are. */
void tracer_stream(struct tracer *t, uint64_t stream, int priority,
                   int nonblocking);
/* "wait", "synchronize", "host"; of an event, if that is not 0. */
void tracer_say(struct tracer *t, const char *what, uint64_t event);
void tracer_record(struct tracer *t, uint64_t event, int untimed);
/* A synchronisation of that stream. */
void tracer_say_stream(struct tracer *t, uint64_t stream);
/* The program asks whether the event, or the stream, is done. */
void tracer_ask(struct tracer *t, uint64_t event);
void tracer_ask_stream(struct tracer *t, uint64_t stream);
/* A graph's launch: nodes one by one, each after others, some of which may let
 * it come early (borrowed, arrays of their numbers); returns the node's number. */
void tracer_graph_begin(struct tracer *t);
void tracer_node_begin(struct tracer *t, json_t *after, json_t *lets);
uint64_t tracer_node_end(struct tracer *t);
void tracer_graph_end(struct tracer *t);
/* A launch is not traced. */
void tracer_pass(struct tracer *t);
/* True if launch `number` of a kernel of that name is to be traced. */
int tracer_wants(const struct tracer *t, const char *name, uint64_t number);
/* Runs the launch to its end, writing its trace.  `*kept` is the file that has
 * it, the tracer's as long as it lives. */
teg_status tracer_write(struct tracer *t, struct teg_launch *launch,
                        uint64_t number, struct written **kept,
                        struct teg_diag *d);
/* A line about the launch, which has that trace. */
teg_status tracer_repeat(struct tracer *t, const struct written *kept,
                         const uint32_t grid[3], const uint32_t block[3],
                         uint64_t number, struct teg_diag *d);
/* What the latest launch of that trace takes, by the tracer's clock: the first
 * and the second are simulated, unless an earlier one stands for them, the second
 * stands for all later ones.
 * `*launch` is the tracer's. */
teg_status tracer_time(struct tracer *t, struct written *kept,
                       struct timeline_launch **launch, struct teg_diag *d);
/* Ends the process (SIGTERM) if the launch that has run was the last that is to
 * be traced; DIR/.enough says that it was so. */
void tracer_end_process(const struct tracer *t);
/* A launch has run, on the timeline. */
void tracer_pass_time(struct tracer *t, struct timeline_launch *launch);

#endif
