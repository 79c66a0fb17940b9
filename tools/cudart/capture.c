#include "tools/cudart/capture.h"
#include "tools/cudart/graph.h"

#include <stdlib.h>
#include <string.h>

/* enum cudaStreamCaptureStatus */
enum {
    CAPTURE_NONE = 0,
    CAPTURE_ACTIVE = 1,
};

/* enum cudaStreamUpdateCaptureDependenciesFlags */
enum {
    ADD_DEPENDENCIES = 0,
    SET_DEPENDENCIES = 1,
};

struct capture {
    uint64_t id;
    struct graph *graph;   /* given to the program when it ends */
    struct stream *origin; /* where it began */
    struct capture *next;
};

/* ---- frontiers ---------------------------------------------------------------- */

/* A frontier may be older than the end of its capture. */
struct capture *capture_of(struct runtime *r, const struct frontier *f)
{
    if (f->capture == NULL)
        return NULL;
    for (struct capture *c = r->captures; c != NULL; c = c->next) {
        if (c == f->capture && c->id == f->id)
            return c;
    }
    return NULL;
}

void capture_forget(struct frontier *f)
{
    free(f->node);
    *f = (struct frontier){0};
}

static int reserve(struct frontier *f, size_t nodes)
{
    struct node **more = realloc(f->node, (nodes + 1) * sizeof *more);

    if (more == NULL)
        return cudaErrorMemoryAllocation;
    f->node = more;
    return cudaSuccess;
}

static void frontier_add(struct frontier *f, struct node *n)
{
    for (size_t i = 0; i < f->nodes; i++) {
        if (f->node[i] == n)
            return;
    }
    f->node[f->nodes++] = n;
}

static int merge(struct frontier *to, struct node *const *node, size_t nodes)
{
    int error = reserve(to, to->nodes + nodes);

    for (size_t i = 0; i < nodes && error == cudaSuccess; i++)
        frontier_add(to, node[i]);
    return error;
}

int capture_copy(struct frontier *to, const struct frontier *from)
{
    to->capture = from->capture;
    to->id = from->id;
    to->nodes = 0;
    return merge(to, from->node, from->nodes);
}

int capture_join(struct runtime *r, struct frontier *to,
                 const struct frontier *from)
{
    struct capture *now = capture_of(r, to), *other = capture_of(r, from);

    if (other == NULL)
        return now == NULL ? cudaSuccess : cudaErrorStreamCaptureMerge;
    if (now == NULL)
        return capture_copy(to, from);
    if (now != other)
        return cudaErrorStreamCaptureMerge;
    return merge(to, from->node, from->nodes);
}

/* A dependent launch comes programmatically after the kernel before it. */
static int add_early(const struct frontier *f, struct node *made)
{
    static const struct cuda_graph_edge early = {.from_port = EDGE_PORT_TRIGGER,
                                                 .type = EDGE_PROGRAMMATIC};
    int error = cudaSuccess;

    for (size_t i = 0; i < f->nodes && error == cudaSuccess; i++)
        error = graph_add_edge(
            f->node[i], made,
            f->node[i]->operation.kind == OPERATION_KERNEL ? &early : NULL);
    return error;
}

int capture_add(struct runtime *r, struct stream *s, const struct operation *o)
{
    struct frontier *f = &s->frontier;
    struct capture *c = capture_of(r, f);
    struct node *made = NULL;
    int early = o->kind == OPERATION_KERNEL && o->kernel.shape.dependent;
    int error =
        graph_add(c->graph, o, f->node, NULL, early ? 0 : f->nodes, &made);

    if (error == cudaSuccess && early)
        error = add_early(f, made);
    f->nodes = error == cudaSuccess ? 0 : f->nodes;
    return error == cudaSuccess ? merge(f, &made, 1) : error;
}

/* ---- entry points ------------------------------------------------------------- */

static int begin(struct runtime *r, struct stream *s, struct graph *graph,
                 struct node *const *from, size_t froms)
{
    static uint64_t made;
    struct capture *c;

    if (s == stream_of(r, NULL))
        return cudaErrorStreamCaptureUnsupported;
    if (capture_of(r, &s->frontier) != NULL)
        return cudaErrorIllegalState;
    c = calloc(1, sizeof *c);
    if (c == NULL || graph == NULL) {
        free(c);
        return cudaErrorMemoryAllocation;
    }
    *c = (struct capture){++made, graph, s, r->captures};
    r->captures = c;
    s->frontier.capture = c;
    s->frontier.id = c->id;
    s->frontier.nodes = 0;
    return merge(&s->frontier, from, froms);
}

CALL(cudaStreamBeginCapture, void *stream, int mode)
{
    BEGIN(r);
    struct graph *graph = graph_new();
    int error;

    (void)mode;
    error = begin(r, stream_of(r, stream), graph, NULL, 0);
    if (error != cudaSuccess)
        graph_free(graph);
    return runtime_end(r, error);
}
ALSO(cudaStreamBeginCapture, cudaStreamBeginCapture_ptsz);

CALL(cudaStreamBeginCaptureToGraph, void *stream, struct graph *graph,
     struct node *const *from, const void *edges, size_t froms, int mode)
{
    BEGIN(r);
    (void)mode, (void)edges;
    return runtime_end(
        r, graph != NULL ? begin(r, stream_of(r, stream), graph, from, froms)
                         : cudaErrorInvalidValue);
}
ALSO(cudaStreamBeginCaptureToGraph, cudaStreamBeginCaptureToGraph_ptsz);

/* Streams and events that belonged to it find that it is gone. */
CALL(cudaStreamEndCapture, void *stream, struct graph **graph)
{
    BEGIN(r);
    struct stream *s = stream_of(r, stream);
    struct capture *c = capture_of(r, &s->frontier), **at = &r->captures;

    if (c == NULL)
        return runtime_end(r, cudaErrorIllegalState);
    if (c->origin != s)
        return runtime_end(r, cudaErrorStreamCaptureUnmatched);
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    if (graph != NULL)
        *graph = c->graph;
    free(c);
    capture_forget(&s->frontier);
    return runtime_end(r, cudaSuccess);
}
ALSO(cudaStreamEndCapture, cudaStreamEndCapture_ptsz);

CALL(cudaStreamIsCapturing, void *stream, int *status)
{
    BEGIN(r);
    if (status == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    *status = capture_of(r, &stream_of(r, stream)->frontier) != NULL
                  ? CAPTURE_ACTIVE
                  : CAPTURE_NONE;
    return runtime_end(r, cudaSuccess);
}
ALSO(cudaStreamIsCapturing, cudaStreamIsCapturing_ptsz);

CALL(cudaStreamGetCaptureInfo, void *stream, int *status, uint64_t *id,
     struct graph **graph, struct node *const **from, const void **edges,
     size_t *froms)
{
    BEGIN(r);
    const struct frontier *f = &stream_of(r, stream)->frontier;
    const struct capture *c = capture_of(r, f);

    if (status == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    *status = c != NULL ? CAPTURE_ACTIVE : CAPTURE_NONE;
    if (c != NULL && id != NULL)
        *id = c->id;
    if (c != NULL && graph != NULL)
        *graph = c->graph;
    if (c != NULL && from != NULL)
        *from = f->node;
    if (edges != NULL)
        *edges = NULL;
    if (c != NULL && froms != NULL)
        *froms = f->nodes;
    return runtime_end(r, cudaSuccess);
}
ALSO(cudaStreamGetCaptureInfo, cudaStreamGetCaptureInfo_ptsz);

CALL(cudaStreamUpdateCaptureDependencies, void *stream,
     struct node *const *from, const void *edges, size_t froms, unsigned flags)
{
    BEGIN(r);
    struct frontier *f = &stream_of(r, stream)->frontier;

    (void)edges;
    if (capture_of(r, f) == NULL)
        return runtime_end(r, cudaErrorIllegalState);
    if (flags == SET_DEPENDENCIES)
        f->nodes = 0;
    return runtime_end(r, merge(f, from, froms));
}
ALSO(cudaStreamUpdateCaptureDependencies,
     cudaStreamUpdateCaptureDependencies_ptsz);

CALL(cudaThreadExchangeStreamCaptureMode, int *mode)
{
    static _Thread_local int now;
    int before = now;

    if (mode == NULL)
        return cudaErrorInvalidValue;
    now = *mode;
    *mode = before;
    return cudaSuccess;
}
