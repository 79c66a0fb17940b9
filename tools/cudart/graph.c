#include "tools/cudart/graph.h"
#include "tools/cudart/condition.h"

#include <stdlib.h>
#include <string.h>

struct graph *graph_new(void)
{
    return calloc(1, sizeof(struct graph));
}

static void node_free(struct node *n)
{
    operation_release(&n->operation);
    free(n->from);
    free(n);
}

void graph_free(struct graph *g)
{
    if (g == NULL)
        return;
    for (size_t i = 0; i < g->nodes; i++)
        node_free(g->node[i]);
    free(g->node);
    free(g);
}

/* ---- building ----------------------------------------------------------------- */

/* One more element of an array of pointers. */
static int append(struct node ***array, size_t *count, struct node *n)
{
    struct node **more = realloc(*array, (*count + 1) * sizeof *more);

    if (more == NULL)
        return cudaErrorMemoryAllocation;
    more[(*count)++] = n;
    *array = more;
    return cudaSuccess;
}

static int has_edge(const struct node *from, const struct node *to)
{
    for (size_t i = 0; i < to->froms; i++) {
        if (to->from[i].node == from)
            return 1;
    }
    return 0;
}

/* Programmatic are edges between kernels, from a port that says when. */
static int may_be(const struct node *from, const struct node *to,
                  const struct cuda_graph_edge *how)
{
    if (how->type == 0)
        return how->from_port == 0 && how->to_port == 0;
    return how->type == EDGE_PROGRAMMATIC && how->to_port == 0 &&
           (how->from_port == EDGE_PORT_TRIGGER ||
            how->from_port == EDGE_PORT_STARTED) &&
           from->operation.kind == OPERATION_KERNEL &&
           to->operation.kind == OPERATION_KERNEL;
}

int graph_add_edge(struct node *from, struct node *to,
                   const struct cuda_graph_edge *how)
{
    static const struct cuda_graph_edge full;
    struct edge *more;

    how = how != NULL ? how : &full;
    if (from == NULL || to == NULL || from == to || from->graph != to->graph ||
        !may_be(from, to, how))
        return cudaErrorInvalidValue;
    if (has_edge(from, to))
        return cudaSuccess;
    more = realloc(to->from, (to->froms + 1) * sizeof *more);
    if (more == NULL)
        return cudaErrorMemoryAllocation;
    more[to->froms++] = (struct edge){from, *how};
    to->from = more;
    return cudaSuccess;
}

int graph_remove_edge(const struct node *from, struct node *to)
{
    if (from == NULL || to == NULL || !has_edge(from, to))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < to->froms; i++) {
        if (to->from[i].node == from)
            to->from[i--] = to->from[--to->froms];
    }
    return cudaSuccess;
}

int graph_add(struct graph *g, const struct operation *o,
              struct node *const *from, const struct cuda_graph_edge *how,
              size_t froms, struct node **made)
{
    struct node *n = calloc(1, sizeof *n);
    int error = n != NULL ? operation_keep(&n->operation, o)
                          : cudaErrorMemoryAllocation;

    if (error != cudaSuccess) {
        free(n);
        return error;
    }
    n->graph = g;
    for (size_t i = 0; i < froms && error == cudaSuccess; i++)
        error = graph_add_edge(from[i], n, how != NULL ? &how[i] : NULL);
    if (error == cudaSuccess)
        error = append(&g->node, &g->nodes, n);
    if (error != cudaSuccess)
        node_free(n);
    else if (made != NULL)
        *made = n;
    return error;
}

void graph_remove(struct node *n)
{
    struct graph *g = n->graph;
    size_t kept = 0;

    for (size_t i = 0; i < g->nodes; i++) {
        if (has_edge(n, g->node[i]))
            graph_remove_edge(n, g->node[i]);
        if (g->node[i] != n)
            g->node[kept++] = g->node[i];
    }
    g->nodes = kept;
    node_free(n);
}

/* ---- copies ------------------------------------------------------------------- */

struct node *graph_find(const struct graph *g, const struct node *of)
{
    for (size_t i = 0; i < g->nodes; i++) {
        if (g->node[i]->origin == of)
            return g->node[i];
    }
    return NULL;
}

struct graph *graph_clone(const struct graph *g)
{
    struct graph *copy = graph_new();
    int error = copy != NULL ? cudaSuccess : cudaErrorMemoryAllocation;

    for (size_t i = 0; i < g->nodes && error == cudaSuccess; i++) {
        struct node *made;

        error = graph_add(copy, &g->node[i]->operation, NULL, NULL, 0, &made);
        if (error == cudaSuccess)
            made->origin = g->node[i];
    }
    for (size_t i = 0; i < g->nodes && error == cudaSuccess; i++) {
        const struct node *n = g->node[i];

        for (size_t f = 0; f < n->froms && error == cudaSuccess; f++)
            error = graph_add_edge(graph_find(copy, n->from[f].node),
                                   graph_find(copy, n), &n->from[f].how);
    }
    if (error == cudaSuccess)
        return copy;
    graph_free(copy);
    return NULL;
}

/* ---- order -------------------------------------------------------------------- */

static int is_among(const struct node *n, struct node *const *some,
                    size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (some[i] == n)
            return 1;
    }
    return 0;
}

/* All that `n` comes after are among the first `done` nodes. */
static int may_come(const struct graph *g, const struct node *n, size_t done)
{
    for (size_t i = 0; i < n->froms; i++) {
        if (!is_among(n->from[i].node, g->node, done))
            return 0;
    }
    return 1;
}

/* Graphs that a node holds. */
static int sort_within(const struct operation *o)
{
    if (o->kind == OPERATION_GRAPH)
        return graph_sort(o->graph);
    for (uint32_t i = 0;
         o->kind == OPERATION_CONDITION && i < o->condition.bodies; i++) {
        if (!graph_sort(o->condition.body[i]))
            return 0;
    }
    return 1;
}

int graph_sort(struct graph *g)
{
    for (size_t done = 0; done < g->nodes; done++) {
        size_t next = done;
        struct node *n;

        while (next < g->nodes && !may_come(g, g->node[next], done))
            next++;
        if (next == g->nodes)
            return 0;
        n = g->node[next];
        memmove(&g->node[done + 1], &g->node[done],
                (next - done) * sizeof *g->node);
        g->node[done] = n;
    }
    for (size_t i = 0; i < g->nodes; i++) {
        if (!sort_within(&g->node[i]->operation))
            return 0;
    }
    return 1;
}

/* ---- running ------------------------------------------------------------------ */

/* What a node comes after; where that is nothing in its graph, `before`. */
static json_t *after_of(struct node *n, const json_t *before)
{
    json_t *after = json_array();

    for (size_t i = 0; i < n->froms; i++) {
        n->from[i].node->followed = 1;
        json_array_extend(after, n->from[i].node->ends);
    }
    if (n->froms == 0)
        json_array_extend(after, (json_t *)before);
    return after;
}

/* Those of them that may let it come early. */
static json_t *lets_of(const struct node *n)
{
    json_t *lets = json_array();

    for (size_t i = 0; i < n->froms; i++) {
        if (n->from[i].how.type == EDGE_PROGRAMMATIC && !n->disabled &&
            !n->from[i].node->disabled)
            json_array_extend(lets, n->from[i].node->ends);
    }
    return lets;
}

static int run_nodes(struct runtime *r, const struct graph *g,
                     const json_t *before, json_t *ends);

/* The body that the condition names; -1: none. */
static int body_of(const struct runtime *r, const struct condition_node *c)
{
    uint32_t value = condition_value(r, c->handle), body = value;

    if (c->kind == CONDITION_IF)
        body = value != 0 ? 0 : 1;
    else if (c->kind == CONDITION_WHILE)
        body = value != 0 ? 0 : c->bodies;
    return body < c->bodies ? (int)body : -1;
}

/* What comes first comes behind `before`, what has run last is added to
 * `ends`. */
static int run_bodies(struct runtime *r, const struct condition_node *c,
                      const json_t *before, json_t *ends)
{
    json_t *last = json_copy((json_t *)before);
    int body = body_of(r, c), error = cudaSuccess;

    while (body >= 0 && error == cudaSuccess && r->fault == cudaSuccess) {
        json_t *next = json_array();

        error = run_nodes(r, c->body[body], last, next);
        json_decref(last);
        last = next;
        body = c->kind == CONDITION_WHILE ? body_of(r, c) : -1;
    }
    json_array_extend(ends, last);
    json_decref(last);
    return error;
}

static int run_node(struct runtime *r, struct node *n, const json_t *before)
{
    json_t *after = after_of(n, before), *lets = lets_of(n);
    uint64_t number;
    int error = cudaSuccess;

    n->ends = json_array();
    if (n->operation.kind == OPERATION_GRAPH && !n->disabled) {
        error = run_nodes(r, n->operation.graph, after, n->ends);
    } else if (n->operation.kind == OPERATION_CONDITION && !n->disabled) {
        error = run_bodies(r, &n->operation.condition, after, n->ends);
    } else {
        r->tracer.graph.brought = n->ends;
        tracer_node_begin(&r->tracer, after, lets);
        if (!n->disabled && r->fault == cudaSuccess)
            error = operation_run(r, &n->operation);
        number = tracer_node_end(&r->tracer);
        if (json_array_size(n->ends) == 0)
            json_array_append_new(n->ends, json_integer((json_int_t)number));
        r->tracer.graph.brought = NULL;
    }
    json_decref(after);
    json_decref(lets);
    return error;
}

/* A graph ends with the nodes that no other comes after. */
static int run_nodes(struct runtime *r, const struct graph *g,
                     const json_t *before, json_t *ends)
{
    int error = cudaSuccess;

    for (size_t i = 0; i < g->nodes && error == cudaSuccess; i++)
        error = run_node(r, g->node[i], before);
    if (g->nodes == 0)
        json_array_extend(ends, (json_t *)before);
    for (size_t i = 0; i < g->nodes; i++) {
        struct node *n = g->node[i];

        if (!n->followed)
            json_array_extend(ends, n->ends);
        n->followed = 0;
        json_decref(n->ends);
        n->ends = NULL;
    }
    return error;
}

int graph_run_bodies(struct runtime *r, const struct condition_node *c)
{
    return run_bodies(r, c, NULL, NULL);
}

/* The conditions of its nodes, wherever they are. */
static void begin_conditions(struct runtime *r, const struct graph *g)
{
    for (size_t i = 0; i < g->nodes; i++) {
        const struct operation *o = &g->node[i]->operation;

        if (o->kind == OPERATION_GRAPH)
            begin_conditions(r, o->graph);
        if (o->kind != OPERATION_CONDITION)
            continue;
        condition_begin(r, o->condition.handle);
        for (uint32_t b = 0; b < o->condition.bodies; b++)
            begin_conditions(r, o->condition.body[b]);
    }
}

int graph_run(struct runtime *r, const struct graph *g)
{
    json_t *before, *ends;
    int error = cudaSuccess;

    begin_conditions(r, g);
    for (size_t i = 0; r->tracer.directory == NULL && i < g->nodes; i++) {
        if (!g->node[i]->disabled && error == cudaSuccess &&
            r->fault == cudaSuccess)
            error = operation_run(r, &g->node[i]->operation);
    }
    if (r->tracer.directory == NULL)
        return error;
    before = json_array();
    ends = json_array();
    tracer_graph_begin(&r->tracer);
    error = run_nodes(r, g, before, ends);
    tracer_graph_end(&r->tracer);
    json_decref(before);
    json_decref(ends);
    return error;
}
