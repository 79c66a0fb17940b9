/* Entry points that make graphs, look at them as a whole and run them. */
#include "tools/cudart/graph_exec.h"
#include "tools/cudart/graph_nodes.h"
#include "tools/cudart/say.h"
#include "tools/cudart/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* enum cudaGraphExecUpdateResult */
enum {
    UPDATE_SUCCESS = 0,
    UPDATE_TOPOLOGY_CHANGED = 2,
    UPDATE_TYPE_CHANGED = 3,
};

/* ---- graphs ------------------------------------------------------------------- */

CALL(cudaGraphCreate, struct graph **graph, unsigned flags)
{
    BEGIN(r);
    (void)flags;
    if (graph == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    *graph = graph_new();
    return runtime_end(r, *graph != NULL ? cudaSuccess
                                         : cudaErrorMemoryAllocation);
}

CALL(cudaGraphDestroy, struct graph *graph)
{
    BEGIN(r);
    graph_free(graph);
    return runtime_end(r, graph != NULL ? cudaSuccess : cudaErrorInvalidValue);
}

CALL(cudaGraphDestroyNode, struct node *n)
{
    BEGIN(r);
    if (n == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    graph_remove(n);
    return runtime_end(r, cudaSuccess);
}

CALL(cudaGraphClone, struct graph **copy, const struct graph *graph)
{
    BEGIN(r);
    if (copy == NULL || graph == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    *copy = graph_clone(graph);
    return runtime_end(r,
                       *copy != NULL ? cudaSuccess : cudaErrorMemoryAllocation);
}

CALL(cudaGraphNodeFindInClone, struct node **found, const struct node *n,
     const struct graph *copy)
{
    BEGIN(r);
    if (found == NULL || copy == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    *found = graph_find(copy, n);
    return runtime_end(r, *found != NULL ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- lists: without an array, how many there are ---------------------------------- */

/* Where a list goes: at most *count elements, NULL: none. */
struct list {
    struct node **to;
    size_t room, count;
    struct cuda_graph_edge *how; /* of edges; NULL: not asked for */
    int lossy;                   /* one is not as others are */
};

static void list_add(struct list *l, struct node *n)
{
    if (l->to != NULL && l->count < l->room)
        l->to[l->count] = n;
    l->count++;
}

static void list_add_edge(struct list *l, struct node *n,
                          const struct cuda_graph_edge *how)
{
    if (l->how != NULL && l->to != NULL && l->count < l->room)
        l->how[l->count] = *how;
    l->lossy |= l->how == NULL && how->type != 0;
    list_add(l, n);
}

static int list_end(struct runtime *r, const struct list *l, size_t *count)
{
    for (size_t i = l->count; l->to != NULL && i < l->room; i++)
        l->to[i] = NULL;
    *count = l->to != NULL && l->count > l->room ? l->room : l->count;
    return runtime_end(r, l->lossy ? cudaErrorLossyQuery : cudaSuccess);
}

CALL(cudaGraphGetNodes, const struct graph *g, struct node **out, size_t *count)
{
    BEGIN(r);
    struct list l = {.to = out, .room = count != NULL ? *count : 0};

    if (g == NULL || count == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    for (size_t i = 0; i < g->nodes; i++)
        list_add(&l, g->node[i]);
    return list_end(r, &l, count);
}

CALL(cudaGraphGetRootNodes, const struct graph *g, struct node **out,
     size_t *count)
{
    BEGIN(r);
    struct list l = {.to = out, .room = count != NULL ? *count : 0};

    if (g == NULL || count == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    for (size_t i = 0; i < g->nodes; i++) {
        if (g->node[i]->froms == 0)
            list_add(&l, g->node[i]);
    }
    return list_end(r, &l, count);
}

CALL(cudaGraphNodeGetDependencies, const struct node *n, struct node **out,
     void *edges, size_t *count)
{
    BEGIN(r);
    struct list l = {
        .to = out, .room = count != NULL ? *count : 0, .how = edges};

    if (n == NULL || count == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    for (size_t i = 0; i < n->froms; i++)
        list_add_edge(&l, n->from[i].node, &n->from[i].how);
    return list_end(r, &l, count);
}

CALL(cudaGraphNodeGetDependentNodes, const struct node *n, struct node **out,
     void *edges, size_t *count)
{
    BEGIN(r);
    struct list l = {
        .to = out, .room = count != NULL ? *count : 0, .how = edges};

    if (n == NULL || count == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    for (size_t i = 0; i < n->graph->nodes; i++) {
        struct node *other = n->graph->node[i];

        for (size_t f = 0; f < other->froms; f++) {
            if (other->from[f].node == n)
                list_add_edge(&l, other, &other->from[f].how);
        }
    }
    return list_end(r, &l, count);
}

CALL(cudaGraphGetEdges, const struct graph *g, struct node **from,
     struct node **to, void *edges, size_t *count)
{
    BEGIN(r);
    struct list a = {.to = from,
                     .room = count != NULL ? *count : 0,
                     .how = edges},
                b = a;

    if (g == NULL || count == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    b.to = to;
    for (size_t i = 0; i < g->nodes; i++) {
        for (size_t f = 0; f < g->node[i]->froms; f++) {
            list_add_edge(&a, g->node[i]->from[f].node,
                          &g->node[i]->from[f].how);
            list_add(&b, g->node[i]);
        }
    }
    *count = from != NULL && a.count > a.room ? a.room : a.count;
    return runtime_end(r, a.lossy ? cudaErrorLossyQuery : cudaSuccess);
}

CALL(cudaGraphAddDependencies, const struct graph *g, struct node *const *from,
     struct node *const *to, const struct cuda_graph_edge *how, size_t count)
{
    BEGIN(r);
    int error = g != NULL && (count == 0 || (from != NULL && to != NULL))
                    ? cudaSuccess
                    : cudaErrorInvalidValue;

    for (size_t i = 0; i < count && error == cudaSuccess; i++)
        error = graph_add_edge(from[i], to[i], how != NULL ? &how[i] : NULL);
    return runtime_end(r, error);
}

CALL(cudaGraphRemoveDependencies, const struct graph *g,
     struct node *const *from, struct node *const *to, const void *edges,
     size_t count)
{
    BEGIN(r);
    int error = g != NULL && (count == 0 || (from != NULL && to != NULL))
                    ? cudaSuccess
                    : cudaErrorInvalidValue;

    (void)edges;
    for (size_t i = 0; i < count && error == cudaSuccess; i++)
        error = graph_remove_edge(from[i], to[i]);
    return runtime_end(r, error);
}

/* Nodes by the order they were added in, and what each does. */
CALL(cudaGraphDebugDotPrint, const struct graph *g, const char *path,
     unsigned flags)
{
    BEGIN(r);
    FILE *f = g != NULL && path != NULL ? fopen(path, "w") : NULL;

    (void)flags;
    if (f == NULL)
        return runtime_end(r, cudaErrorOperatingSystem);
    fprintf(f, "digraph graph_1 {\n");
    for (size_t i = 0; i < g->nodes; i++) {
        const struct node *n = g->node[i];

        fprintf(f, "\"%p\" [label=\"%zu: type %d\"];\n", (void *)n, i,
                (int)n->operation.kind);
        for (size_t k = 0; k < n->froms; k++)
            fprintf(f, "\"%p\" -> \"%p\";\n", (void *)n->from[k].node,
                    (void *)n);
    }
    fprintf(f, "}\n");
    return runtime_end(r,
                       fclose(f) == 0 ? cudaSuccess : cudaErrorOperatingSystem);
}

/* ---- executable graphs -------------------------------------------------------- */

struct node *graph_exec_node(const struct graph_exec *e, const struct node *n)
{
    return e != NULL && n != NULL ? graph_find(e->graph, n) : NULL;
}

static int instantiate(struct graph_exec **made, const struct graph *g,
                       uint64_t flags)
{
    struct graph_exec *e;

    if (made == NULL || g == NULL)
        return cudaErrorInvalidValue;
    e = calloc(1, sizeof *e);
    if (e == NULL || (e->graph = graph_clone(g)) == NULL) {
        free(e);
        return cudaErrorMemoryAllocation;
    }
    e->flags = flags;
    if (!graph_sort(e->graph)) {
        graph_free(e->graph);
        free(e);
        return cudaErrorInvalidValue;
    }
    *made = e;
    return cudaSuccess;
}

CALL(cudaGraphInstantiate, struct graph_exec **made, const struct graph *g,
     uint64_t flags)
{
    BEGIN(r);
    return runtime_end(r, instantiate(made, g, flags));
}

CALL(cudaGraphInstantiateWithFlags, struct graph_exec **made,
     const struct graph *g, uint64_t flags)
{
    return cudaGraphInstantiate(made, g, flags);
}

struct instantiate_params {
    uint64_t flags;
    void *stream;
    struct node *error_node;
    int result;
};

CALL(cudaGraphInstantiateWithParams, struct graph_exec **made,
     const struct graph *g, struct instantiate_params *p)
{
    int error;

    if (p == NULL)
        return cudaErrorInvalidValue;
    error = cudaGraphInstantiate(made, g, p->flags);
    p->error_node = NULL;
    p->result = error != cudaSuccess;
    return error;
}
ALSO(cudaGraphInstantiateWithParams, cudaGraphInstantiateWithParams_ptsz);

CALL(cudaGraphExecDestroy, struct graph_exec *e)
{
    BEGIN(r);
    if (e == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    graph_free(e->graph);
    free(e);
    return runtime_end(r, cudaSuccess);
}

CALL(cudaGraphExecGetFlags, const struct graph_exec *e, uint64_t *flags)
{
    BEGIN(r);
    if (e == NULL || flags == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    *flags = e->flags;
    return runtime_end(r, cudaSuccess);
}

CALL(cudaGraphUpload, struct graph_exec *e, void *stream)
{
    BEGIN(r);
    (void)stream;
    return runtime_end(r, e != NULL ? cudaSuccess : cudaErrorInvalidValue);
}
ALSO(cudaGraphUpload, cudaGraphUpload_ptsz);

CALL(cudaGraphLaunch, struct graph_exec *e, void *stream)
{
    BEGIN(r);
    if (e == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    SUBMIT(r, stream, {.kind = OPERATION_GRAPH, .graph = e->graph});
}
ALSO(cudaGraphLaunch, cudaGraphLaunch_ptsz);

CALL(cudaGraphNodeSetEnabled, struct graph_exec *e, const struct node *n,
     unsigned enabled)
{
    BEGIN(r);
    struct node *copy = graph_exec_node(e, n);

    if (copy != NULL)
        copy->disabled = !enabled;
    return runtime_end(r, copy != NULL ? cudaSuccess : cudaErrorInvalidValue);
}

CALL(cudaGraphNodeGetEnabled, struct graph_exec *e, const struct node *n,
     unsigned *enabled)
{
    BEGIN(r);
    const struct node *copy = graph_exec_node(e, n);

    if (copy != NULL && enabled != NULL)
        *enabled = !copy->disabled;
    return runtime_end(r, copy != NULL ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- an update by another graph ----------------------------------------------- */

struct update_result {
    int result;
    const struct node *node, *from;
};

/* Place of a node in its graph. */
static size_t place_of(const struct node *n)
{
    size_t i = 0;

    while (n->graph->node[i] != n)
        i++;
    return i;
}

static int same_edges(const struct node *a, const struct node *b)
{
    if (a->froms != b->froms)
        return 0;
    for (size_t i = 0; i < a->froms; i++) {
        if (place_of(a->from[i].node) != place_of(b->from[i].node) ||
            memcmp(&a->from[i].how, &b->from[i].how, sizeof a->from[i].how) !=
                0)
            return 0;
    }
    return 1;
}

static int compare(const struct graph *now, const struct graph *next,
                   struct update_result *u)
{
    *u = (struct update_result){.result = UPDATE_SUCCESS};
    if (now->nodes != next->nodes)
        u->result = UPDATE_TOPOLOGY_CHANGED;
    for (size_t i = 0; i < next->nodes && u->result == UPDATE_SUCCESS; i++) {
        const struct node *a = now->node[i], *b = next->node[i];

        if (a->operation.kind != b->operation.kind)
            u->result = UPDATE_TYPE_CHANGED;
        else if (!same_edges(a, b))
            u->result = UPDATE_TOPOLOGY_CHANGED;
        if (u->result != UPDATE_SUCCESS)
            u->node = b->origin;
    }
    return u->result == UPDATE_SUCCESS;
}

/* Nodes correspond by the order they run in. */
CALL(cudaGraphExecUpdate, struct graph_exec *e, const struct graph *g,
     struct update_result *result)
{
    BEGIN(r);
    struct graph *next = g != NULL ? graph_clone(g) : NULL;
    struct update_result u;
    int error = cudaSuccess;

    if (e == NULL || next == NULL || !graph_sort(next)) {
        graph_free(next);
        return runtime_end(r, cudaErrorInvalidValue);
    }
    if (!compare(e->graph, next, &u))
        error = cudaErrorGraphExecUpdateFailure;
    /* The program's handles stay those of the first graph. */
    for (size_t i = 0; i < next->nodes && error == cudaSuccess; i++)
        error = node_set(e->graph->node[i], &next->node[i]->operation);
    graph_free(next);
    if (result != NULL)
        *result = u;
    return runtime_end(r, error);
}
