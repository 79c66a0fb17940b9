/*
 * Graphs of operations.  A program's operations run one after the other, so a
 * graph is run in an order that its edges allow: of the nodes that may come
 * next, the one that was added first.
 */
#ifndef TEG_TOOLS_CUDART_GRAPH_H
#define TEG_TOOLS_CUDART_GRAPH_H

#include "tools/cudart/operation.h"

struct node {
    struct graph *graph;
    struct operation operation; /* owned */
    struct node **from;         /* owned array: what it comes after */
    size_t froms;
    const struct node *origin; /* that this one was cloned from; may be gone */
    int disabled;
    int followed; /* while it is launched: another node comes after it */
    json_t *ends; /* owned while the graph is launched: numbers of its trace's
                     nodes that others come after */
};

struct graph {
    struct node **node; /* owned, as they were added */
    size_t nodes;
};

struct graph *graph_new(void); /* NULL: out of memory */
void graph_free(struct graph *g);
struct graph *graph_clone(const struct graph *g); /* NULL: out of memory */
/* Keeps the operation as a node behind `from`. */
int graph_add(struct graph *g, const struct operation *o,
              struct node *const *from, size_t froms, struct node **made);
int graph_add_edge(struct node *from, struct node *to);
int graph_remove_edge(const struct node *from, struct node *to);
void graph_remove(struct node *n);
/* The node whose origin is `of`; NULL if there is none. */
struct node *graph_find(const struct graph *g, const struct node *of);
/* Nodes in an order in which they can run; false if edges form a circle. */
int graph_sort(struct graph *g);
/* Runs the nodes in the order they are in. */
int graph_run(struct runtime *r, const struct graph *g);

#endif
