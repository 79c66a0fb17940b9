/* Executable graphs: copies of graphs, in order. */
#ifndef TEG_TOOLS_CUDART_GRAPH_EXEC_H
#define TEG_TOOLS_CUDART_GRAPH_EXEC_H

#include "tools/cudart/graph.h"

struct graph_exec {
    struct graph *graph; /* owned; its nodes' origins are the program's nodes */
    uint64_t flags;
};

/* The copy of the program's node `n`; NULL if there is none. */
struct node *graph_exec_node(const struct graph_exec *e, const struct node *n);

#endif
