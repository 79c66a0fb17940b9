/* Entry points that add nodes to graphs, look at them and change them. */
#include "tools/cudart/graph_nodes.h"
#include "tools/cudart/condition.h"
#include "tools/cudart/graph_exec.h"
#include "tools/cudart/memory.h"
#include "tools/cudart/say.h"
#include "tools/cudart/stream.h"

#include <string.h>

/* ---- operations --------------------------------------------------------------- */

int kernel_operation(struct runtime *r, const struct cuda_kernel_node *k,
                     struct operation *o)
{
    int error = cudaErrorInvalidValue;
    struct function *f =
        k != NULL ? function_find(r, k->function, &error) : NULL;

    if (f == NULL)
        return error;
    if (k->args == NULL && k->extra != NULL) {
        runtime_say("", "arguments of a graph's kernel in one buffer are not "
                        "implemented");
        return cudaErrorNotSupported;
    }
    *o = (struct operation){
        .kind = OPERATION_KERNEL,
        .kernel = {
            .function = f,
            .shape = {.grid = k->grid, .block = k->block, .shared = k->shared},
            .args = k->args}};
    return cudaSuccess;
}

int symbol_operation(struct runtime *r, void *to, const void *from,
                     const void *symbol, size_t offset, size_t bytes, int kind,
                     struct operation *o)
{
    int error = cudaSuccess;
    size_t size = 0;
    uint64_t at = variable_find(r, symbol, &size, &error);

    if (at == 0)
        return error;
    if (offset > size || bytes > size - offset)
        return cudaErrorInvalidValue;
    *o = operation_copy(to != NULL ? to : (void *)(at + offset),
                        from != NULL ? from : (void *)(at + offset), bytes,
                        kind);
    return cudaSuccess;
}

static int allocation(struct runtime *r, struct cuda_allocation_node *a,
                      struct operation *o)
{
    int error = memory_graph_allocate(r, &a->address, a->bytes);

    *o = (struct operation){.kind = OPERATION_ALLOCATE,
                            .memory = {a->address, a->bytes}};
    return error;
}

/* As many bodies as the kind may have. */
static int condition_check(const struct condition_node *c)
{
    static const uint32_t most[] = {
        [CONDITION_IF] = 2, [CONDITION_WHILE] = 1, [CONDITION_SWITCH] = 1024};

    return c->kind >= CONDITION_IF && c->kind <= CONDITION_SWITCH &&
                   c->bodies > 0 && c->bodies <= most[c->kind]
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

int node_operation(struct runtime *r, const struct cuda_node *n,
                   struct operation *o)
{
    *o = (struct operation){.kind = (enum operation_kind)n->type};
    switch (n->type) {
    case OPERATION_KERNEL:
        return kernel_operation(r, &n->kernel, o);
    case OPERATION_COPY:
        o->copy = n->copy.copy;
        return cudaSuccess;
    case OPERATION_SET:
        o->set = n->set;
        return cudaSuccess;
    case OPERATION_HOST:
        o->host = n->host;
        return cudaSuccess;
    case OPERATION_GRAPH:
        o->graph = n->handle;
        return o->graph != NULL ? cudaSuccess : cudaErrorInvalidValue;
    case OPERATION_WAIT:
    case OPERATION_RECORD:
        o->event = n->handle;
        return o->event != NULL ? cudaSuccess : cudaErrorInvalidValue;
    case OPERATION_FREE:
        o->memory.address = n->handle;
        return cudaSuccess;
    case OPERATION_EMPTY:
        return cudaSuccess;
    case OPERATION_CONDITION:
        o->condition = (struct condition_node){
            n->condition.handle, n->condition.kind, n->condition.bodies, NULL};
        return condition_check(&o->condition);
    default:
        runtime_say("", "nodes of type %d in a graph are not implemented",
                    n->type);
        return cudaErrorNotSupported;
    }
}

int node_set(struct node *n, const struct operation *o)
{
    struct operation kept;
    int error;

    if (n == NULL || n->operation.kind != o->kind)
        return cudaErrorInvalidValue;
    error = operation_keep(&kept, o);
    if (error != cudaSuccess)
        return error;
    operation_release(&n->operation);
    n->operation = kept;
    return cudaSuccess;
}

/* ---- adding ------------------------------------------------------------------- */

#define WHERE \
    struct node **made, struct graph *g, struct node *const *from, size_t froms

static int add_behind(struct runtime *r, int error, const struct operation *o,
                      const struct cuda_graph_edge *how, WHERE)
{
    if (made == NULL || g == NULL || (froms > 0 && from == NULL))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = graph_add(g, o, from, how, froms, made);
    return runtime_end(r, error);
}

static int add(struct runtime *r, int error, const struct operation *o, WHERE)
{
    return add_behind(r, error, o, NULL, made, g, from, froms);
}

/* Of one kind, by a pointer to what it does or a handle. */
#define ADD(name, number, field, value, ...)                  \
    CALL(name, WHERE, __VA_ARGS__)                            \
    {                                                         \
        BEGIN(r);                                             \
        struct operation o = {.kind = number};                \
                                                              \
        if (p == NULL)                                        \
            return runtime_end(r, cudaErrorInvalidValue);     \
        o.field = value;                                      \
        return add(r, cudaSuccess, &o, made, g, from, froms); \
    }                                                         \
    struct expects_a_semicolon
ADD(cudaGraphAddMemcpyNode, OPERATION_COPY, copy, *p,
    const struct cuda_copy3d *p);
ADD(cudaGraphAddMemsetNode, OPERATION_SET, set, *p, const struct cuda_set *p);
ADD(cudaGraphAddHostNode, OPERATION_HOST, host, *p,
    const struct cuda_host_node *p);
ADD(cudaGraphAddChildGraphNode, OPERATION_GRAPH, graph, p, struct graph *p);
ADD(cudaGraphAddEventRecordNode, OPERATION_RECORD, event, p, struct event *p);
ADD(cudaGraphAddEventWaitNode, OPERATION_WAIT, event, p, struct event *p);
ADD(cudaGraphAddMemFreeNode, OPERATION_FREE, memory.address, p, void *p);

CALL(cudaGraphAddEmptyNode, WHERE)
{
    BEGIN(r);
    struct operation o = {.kind = OPERATION_EMPTY};

    return add(r, cudaSuccess, &o, made, g, from, froms);
}

CALL(cudaGraphAddKernelNode, WHERE, const struct cuda_kernel_node *k)
{
    BEGIN(r);
    struct operation o;
    int error = kernel_operation(r, k, &o);

    return add(r, error, &o, made, g, from, froms);
}

CALL(cudaGraphAddMemcpyNode1D, WHERE, void *to, const void *source,
     size_t bytes, int kind)
{
    BEGIN(r);
    struct operation o = operation_copy(to, source, bytes, kind);

    return add(r, cudaSuccess, &o, made, g, from, froms);
}

CALL(cudaGraphAddMemcpyNodeToSymbol, WHERE, const void *symbol,
     const void *source, size_t bytes, size_t offset, int kind)
{
    BEGIN(r);
    struct operation o;
    int error =
        symbol_operation(r, NULL, source, symbol, offset, bytes, kind, &o);

    return add(r, error, &o, made, g, from, froms);
}

CALL(cudaGraphAddMemcpyNodeFromSymbol, WHERE, void *to, const void *symbol,
     size_t bytes, size_t offset, int kind)
{
    BEGIN(r);
    struct operation o;
    int error = symbol_operation(r, to, NULL, symbol, offset, bytes, kind, &o);

    return add(r, error, &o, made, g, from, froms);
}

CALL(cudaGraphAddMemAllocNode, WHERE, struct cuda_allocation_node *a)
{
    BEGIN(r);
    struct operation o;
    int error;

    if (a == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    error = allocation(r, a, &o);
    return add(r, error, &o, made, g, from, froms);
}

CALL(cudaGraphAddNode, struct node **made, struct graph *g,
     struct node *const *from, const struct cuda_graph_edge *how, size_t froms,
     struct cuda_node *n)
{
    BEGIN(r);
    struct operation o;
    int error;

    if (n == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    error = n->type == OPERATION_ALLOCATE ? allocation(r, &n->allocation, &o)
                                          : node_operation(r, n, &o);
    error = add_behind(r, error, &o, how, made, g, from, froms);
    /* The program fills the node's own. */
    if (error == cudaSuccess && n->type == OPERATION_CONDITION)
        n->condition.body = (*made)->operation.condition.body;
    return error;
}

/* ---- looking ------------------------------------------------------------------ */

static struct operation *of_kind(struct node *n, enum operation_kind kind,
                                 const void *out)
{
    return n != NULL && out != NULL && n->operation.kind == kind ? &n->operation
                                                                 : NULL;
}

#define GET(name, number, field, type)                                       \
    CALL(name, struct node *n, type *out)                                    \
    {                                                                        \
        BEGIN(r);                                                            \
        const struct operation *o = of_kind(n, number, out);                 \
                                                                             \
        if (o != NULL)                                                       \
            *out = o->field;                                                 \
        return runtime_end(r,                                                \
                           o != NULL ? cudaSuccess : cudaErrorInvalidValue); \
    }                                                                        \
    struct expects_a_semicolon
GET(cudaGraphMemcpyNodeGetParams, OPERATION_COPY, copy, struct cuda_copy3d);
GET(cudaGraphMemsetNodeGetParams, OPERATION_SET, set, struct cuda_set);
GET(cudaGraphHostNodeGetParams, OPERATION_HOST, host, struct cuda_host_node);
GET(cudaGraphChildGraphNodeGetGraph, OPERATION_GRAPH, graph, struct graph *);
GET(cudaGraphEventRecordNodeGetEvent, OPERATION_RECORD, event, struct event *);
GET(cudaGraphEventWaitNodeGetEvent, OPERATION_WAIT, event, struct event *);
GET(cudaGraphMemFreeNodeGetParams, OPERATION_FREE, memory.address, void *);

CALL(cudaGraphKernelNodeGetParams, struct node *n, struct cuda_kernel_node *out)
{
    BEGIN(r);
    const struct operation *o = of_kind(n, OPERATION_KERNEL, out);
    const struct launch_shape *s;

    if (o == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    s = &o->kernel.shape;
    *out = (struct cuda_kernel_node){.function =
                                         o->kernel.function->host != NULL
                                             ? o->kernel.function->host
                                             : (const void *)o->kernel.function,
                                     .grid = s->grid,
                                     .block = s->block,
                                     .shared = (unsigned)s->shared,
                                     .args = o->kernel.args};
    return runtime_end(r, cudaSuccess);
}

CALL(cudaGraphMemAllocNodeGetParams, struct node *n,
     struct cuda_allocation_node *out)
{
    BEGIN(r);
    const struct operation *o = of_kind(n, OPERATION_ALLOCATE, out);

    if (o == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    *out = (struct cuda_allocation_node){.bytes = o->memory.bytes,
                                         .address = o->memory.address};
    return runtime_end(r, cudaSuccess);
}

CALL(cudaGraphNodeGetType, struct node *n, int *type)
{
    BEGIN(r);
    if (n == NULL || type == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    *type = (int)n->operation.kind;
    return runtime_end(r, cudaSuccess);
}

/* ---- changing: a node of a graph, or of an executable one by its node there ----- */

#define CHANGED      struct node *n
#define CHANGED_EXEC struct graph_exec *e, struct node *n
#define NODE         n
#define NODE_EXEC    graph_exec_node(e, n)

#define SET(name, changed, node, prepare, ...)          \
    CALL(name, changed, __VA_ARGS__)                    \
    {                                                   \
        BEGIN(r);                                       \
        struct operation o = {.kind = OPERATION_EMPTY}; \
        int error = prepare;                            \
                                                        \
        if (error == cudaSuccess)                       \
            error = node_set(node, &o);                 \
        return runtime_end(r, error);                   \
    }                                                   \
    struct expects_a_semicolon

/* In two entry points each. */
#define SETS(name, exec_name, prepare, ...)         \
    SET(name, CHANGED, NODE, prepare, __VA_ARGS__); \
    SET(exec_name, CHANGED_EXEC, NODE_EXEC, prepare, __VA_ARGS__)

static int plain(struct runtime *r, int type, const void *p, size_t bytes,
                 struct operation *o)
{
    struct cuda_node n = {.type = type};

    if (p == NULL)
        return cudaErrorInvalidValue;
    memcpy(type == OPERATION_COPY ? (void *)&n.copy.copy : (void *)&n.room, p,
           bytes);
    return node_operation(r, &n, o);
}

static int plain_copy(void *to, const void *from, size_t bytes, int kind,
                      struct operation *o)
{
    *o = operation_copy(to, from, bytes, kind);
    return cudaSuccess;
}

SETS(cudaGraphKernelNodeSetParams, cudaGraphExecKernelNodeSetParams,
     kernel_operation(r, p, &o), const struct cuda_kernel_node *p);
SETS(cudaGraphMemcpyNodeSetParams, cudaGraphExecMemcpyNodeSetParams,
     plain(r, OPERATION_COPY, p, sizeof *p, &o), const struct cuda_copy3d *p);
SETS(cudaGraphMemsetNodeSetParams, cudaGraphExecMemsetNodeSetParams,
     plain(r, OPERATION_SET, p, sizeof *p, &o), const struct cuda_set *p);
SETS(cudaGraphHostNodeSetParams, cudaGraphExecHostNodeSetParams,
     plain(r, OPERATION_HOST, p, sizeof *p, &o),
     const struct cuda_host_node *p);
SETS(cudaGraphEventRecordNodeSetEvent, cudaGraphExecEventRecordNodeSetEvent,
     plain(r, OPERATION_RECORD, &p, sizeof p, &o), struct event *p);
SETS(cudaGraphEventWaitNodeSetEvent, cudaGraphExecEventWaitNodeSetEvent,
     plain(r, OPERATION_WAIT, &p, sizeof p, &o), struct event *p);
SET(cudaGraphExecChildGraphNodeSetParams, CHANGED_EXEC, NODE_EXEC,
    plain(r, OPERATION_GRAPH, &p, sizeof p, &o), struct graph *p);
SETS(cudaGraphMemcpyNodeSetParams1D, cudaGraphExecMemcpyNodeSetParams1D,
     plain_copy(to, from, bytes, kind, &o), void *to, const void *from,
     size_t bytes, int kind);
SETS(cudaGraphMemcpyNodeSetParamsToSymbol,
     cudaGraphExecMemcpyNodeSetParamsToSymbol,
     symbol_operation(r, NULL, from, symbol, offset, bytes, kind, &o),
     const void *symbol, const void *from, size_t bytes, size_t offset,
     int kind);
SETS(cudaGraphMemcpyNodeSetParamsFromSymbol,
     cudaGraphExecMemcpyNodeSetParamsFromSymbol,
     symbol_operation(r, to, NULL, symbol, offset, bytes, kind, &o), void *to,
     const void *symbol, size_t bytes, size_t offset, int kind);
SETS(cudaGraphNodeSetParams, cudaGraphExecNodeSetParams,
     p != NULL ? node_operation(r, p, &o) : cudaErrorInvalidValue,
     const struct cuda_node *p);

/* ---- a kernel's attributes ---------------------------------------------------- */

CALL(cudaGraphKernelNodeSetAttribute, struct node *n, int id, const void *value)
{
    BEGIN(r);
    struct cuda_launch_attribute a = {.id = id};

    if (of_kind(n, OPERATION_KERNEL, value) == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    memcpy(a.value, value, sizeof a.value);
    launch_read_attributes(&n->operation.kernel.shape, &a, 1);
    return runtime_end(r, cudaSuccess);
}

CALL(cudaGraphKernelNodeGetAttribute, struct node *n, int id, void *value)
{
    BEGIN(r);
    struct cuda_launch_attribute a;

    if (of_kind(n, OPERATION_KERNEL, value) == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    launch_write_attribute(&n->operation.kernel.shape, id, &a);
    memcpy(value, a.value, sizeof a.value);
    return runtime_end(r, cudaSuccess);
}

CALL(cudaGraphKernelNodeCopyAttributes, struct node *to, struct node *from)
{
    BEGIN(r);
    if (of_kind(to, OPERATION_KERNEL, from) == NULL ||
        of_kind(from, OPERATION_KERNEL, to) == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    to->operation.kernel.shape.cooperative =
        from->operation.kernel.shape.cooperative;
    to->operation.kernel.shape.cluster = from->operation.kernel.shape.cluster;
    return runtime_end(r, cudaSuccess);
}
