#include "tools/cudart/operation.h"
#include "tools/cudart/array.h"
#include "tools/cudart/graph.h"
#include "tools/cudart/memory.h"
#include "tools/cudart/stream.h"

#include <stdlib.h>
#include <string.h>

struct operation operation_copy_2d(void *to, size_t to_pitch, const void *from,
                                   size_t from_pitch, size_t width,
                                   size_t height, int kind)
{
    return (struct operation){
        .kind = OPERATION_COPY,
        .copy = {.from = {(void *)from, from_pitch, width, height},
                 .to = {to, to_pitch, width, height},
                 .extent = {width, height, 1},
                 .kind = kind}};
}

struct operation operation_copy(void *to, const void *from, size_t bytes,
                                int kind)
{
    return operation_copy_2d(to, bytes, from, bytes, bytes, 1, kind);
}

struct operation operation_set(void *to, size_t pitch, unsigned value,
                               unsigned element_bytes, size_t width,
                               size_t height)
{
    return (struct operation){
        .kind = OPERATION_SET,
        .set = {to, pitch, value, element_bytes, width, height}};
}

/* ---- keeping ------------------------------------------------------------------ */

static int keep_arguments(struct operation *kept, const struct operation *o)
{
    const struct teg_cubin_kernel *k = o->kernel.function->kernel;
    uint32_t most = 0;

    for (uint32_t i = 0; i < k->param_count; i++)
        most = k->param[i].ordinal >= most ? k->param[i].ordinal + 1 : most;
    kept->kernel.own = calloc(1, k->param_bytes + 1);
    kept->kernel.args = calloc(most + 1, sizeof(void *));
    if (kept->kernel.own == NULL || kept->kernel.args == NULL ||
        (k->param_count > 0 && o->kernel.args == NULL)) {
        operation_release(kept);
        return k->param_count > 0 && o->kernel.args == NULL
                   ? cudaErrorInvalidValue
                   : cudaErrorMemoryAllocation;
    }
    for (uint32_t i = 0; i < k->param_count; i++) {
        const struct teg_cubin_param *p = &k->param[i];
        void *at = kept->kernel.own + p->offset;

        memcpy(at, o->kernel.args[p->ordinal], p->size);
        kept->kernel.args[p->ordinal] = at;
    }
    return cudaSuccess;
}

/* Copies; of a new node, which has none yet, empty graphs. */
static int keep_bodies(struct operation *kept, const struct operation *o)
{
    struct condition_node *c = &kept->condition;
    const struct condition_node *from = &o->condition;

    c->body = calloc(c->bodies + (size_t)1, sizeof *c->body);
    for (uint32_t i = 0; c->body != NULL && i < c->bodies; i++) {
        c->body[i] =
            from->body != NULL ? graph_clone(from->body[i]) : graph_new();
        if (c->body[i] == NULL) {
            operation_release(kept);
            return cudaErrorMemoryAllocation;
        }
    }
    return c->body != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
}

int operation_keep(struct operation *kept, const struct operation *o)
{
    *kept = *o;
    if (o->kind == OPERATION_KERNEL)
        return keep_arguments(kept, o);
    if (o->kind == OPERATION_GRAPH) {
        kept->graph = graph_clone(o->graph);
        return kept->graph != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
    }
    if (o->kind == OPERATION_CONDITION)
        return keep_bodies(kept, o);
    return cudaSuccess;
}

void operation_release(struct operation *o)
{
    if (o->kind == OPERATION_KERNEL) {
        free(o->kernel.own);
        free(o->kernel.args);
    }
    if (o->kind == OPERATION_GRAPH)
        graph_free(o->graph);
    if (o->kind == OPERATION_CONDITION) {
        for (uint32_t i = 0;
             o->condition.body != NULL && i < o->condition.bodies; i++)
            graph_free(o->condition.body[i]);
        free(o->condition.body);
    }
    *o = (struct operation){.kind = OPERATION_EMPTY};
}

/* ---- running ------------------------------------------------------------------ */

static int set_rows(struct runtime *r, const struct cuda_set *s)
{
    size_t bytes = s->element_bytes;
    int error = cudaSuccess;

    if (bytes != 1 && bytes != 2 && bytes != 4)
        return cudaErrorInvalidValue;
    r->nominal_us += 1;
    for (size_t y = 0; y < s->height && error == cudaSuccess; y++)
        error = memory_set(r, (char *)s->to + y * s->pitch, s->value, bytes,
                           s->width);
    return error;
}

/* The program may call back meanwhile; the lock is the thread's. */
static int call_host(const struct cuda_host_node *h)
{
    if (h->call == NULL)
        return cudaErrorInvalidValue;
    h->call(h->data);
    return cudaSuccess;
}

/* Not done behind a kernel's fault; others, which check their arguments all the
 * same, see to that themselves. */
static int is_skipped(enum operation_kind kind)
{
    return kind == OPERATION_HOST || kind == OPERATION_RECORD;
}

int operation_run(struct runtime *r, const struct operation *o)
{
    if (r->fault != cudaSuccess && is_skipped(o->kind))
        return cudaSuccess;
    switch (o->kind) {
    case OPERATION_KERNEL:
        return function_launch(r, o->kernel.function, &o->kernel.shape,
                               o->kernel.args);
    case OPERATION_COPY:
        return array_copy_3d(r, &o->copy);
    case OPERATION_SET:
        return set_rows(r, &o->set);
    case OPERATION_HOST:
        tracer_say(&r->tracer, "host", 0);
        return call_host(&o->host);
    case OPERATION_GRAPH:
        return graph_run(r, o->graph);
    case OPERATION_CONDITION:
        return graph_run_bodies(r, &o->condition);
    case OPERATION_RECORD:
        return event_record(r, o->event);
    case OPERATION_ALLOCATE:
        return memory_graph_use(r, o->memory.address, 1);
    case OPERATION_FREE:
        return memory_graph_use(r, o->memory.address, 0);
    case OPERATION_EMPTY:
    case OPERATION_WAIT:
        return cudaSuccess;
    }
    return cudaErrorNotSupported;
}
