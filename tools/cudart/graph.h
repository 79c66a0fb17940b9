/*
 * Graphs of operations.  A program's operations run one after the other, so a
 * graph is run in an order that its edges allow: of the nodes that may come
 * next, the one that was added first.
 */
#ifndef TEG_TOOLS_CUDART_GRAPH_H
#define TEG_TOOLS_CUDART_GRAPH_H

#include "tools/cudart/operation.h"

/* How a node comes after another; all zeros: when that has ended. */
struct cuda_graph_edge {
    uint8_t from_port, to_port;
    uint8_t type; /* enum cudaGraphDependencyType */
    uint8_t reserved[5];
};

enum {
    EDGE_PROGRAMMATIC = 1, /* type: between kernels; may come early */
    EDGE_PORT_TRIGGER = 1, /* when all blocks of that let it */
    EDGE_PORT_STARTED = 2, /* when all of them have begun */
};

struct edge {
    struct node *node; /* borrowed */
    struct cuda_graph_edge how;
};

struct node {
    struct graph *graph;
    struct operation operation; /* owned */
    struct edge *from;          /* owned array: what it comes after */
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
/* Keeps the operation as a node behind `from`, each in its way (NULL: all when
 * those have ended). */
int graph_add(struct graph *g, const struct operation *o,
              struct node *const *from, const struct cuda_graph_edge *how,
              size_t froms, struct node **made);
/* `how` may be NULL: all zeros. */
int graph_add_edge(struct node *from, struct node *to,
                   const struct cuda_graph_edge *how);
int graph_remove_edge(const struct node *from, struct node *to);
void graph_remove(struct node *n);
/* The node whose origin is `of`; NULL if there is none. */
struct node *graph_find(const struct graph *g, const struct node *of);
/* Nodes in an order in which they can run, those of graphs in it too; false if
 * edges form a circle. */
int graph_sort(struct graph *g);
/* Runs the nodes in the order they are in. */
int graph_run(struct runtime *r, const struct graph *g);
/* The bodies of a conditional node, as its condition says, without a list. */
int graph_run_bodies(struct runtime *r, const struct condition_node *c);

#endif
