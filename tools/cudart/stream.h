/*
 * Streams and events.  Everything is done when its call returns, so a stream
 * is where captures are kept: calls between cudaStreamBeginCapture and
 * cudaStreamEndCapture become nodes of a graph.
 */
#ifndef TEG_TOOLS_CUDART_STREAM_H
#define TEG_TOOLS_CUDART_STREAM_H

#include "tools/cudart/operation.h"

struct node;

/* What further work of a stream comes after: the latest nodes of a capture. */
struct frontier {
    struct capture *capture; /* borrowed; NULL: none */
    uint64_t id;             /* of the capture: it may have ended since */
    struct node **node;      /* owned array, borrowed nodes */
    size_t nodes;
};

struct stream {
    unsigned flags;
    int priority;
    uint64_t id;
    struct frontier frontier;
};

struct event {
    int recorded;
    int untimed;     /* its time is of no interest (cudaEventDisableTiming) */
    double at_us;    /* nominal */
    uint64_t number; /* among the program's, from 1 */
    struct frontier frontier;
};

/* The stream behind a handle: those of the program's, or the one stream that
 * stands for the default ones. */
struct stream *stream_of(struct runtime *r, void *handle);
/* What is noted until the end of the call is of that stream. */
void stream_enter(struct runtime *r, void *handle);
/* Runs the operation, or keeps it where the stream is being captured. */
int stream_submit(struct runtime *r, void *handle, const struct operation *o);
/* Waits for it, unless it is being captured. */
int stream_wait(struct runtime *r, void *handle);
/* True, and said, if the stream is being captured: `name` cannot be kept. */
int stream_is_captured(struct runtime *r, void *handle, const char *name);
int event_record(struct runtime *r, struct event *e);
/* The event stands for what the stream has been given so far. */
int stream_record(struct runtime *r, void *handle, struct event *e);
/* The most a stream's priority can be: 0 or less. */
int stream_priority_greatest(const struct runtime *r);

/* stream_submit, between BEGIN and the end of an entry point. */
#define SUBMIT(r, stream, ...)                                       \
    do {                                                             \
        struct operation submitted = __VA_ARGS__;                    \
        return runtime_end(r, stream_submit(r, stream, &submitted)); \
    } while (0)

#endif
