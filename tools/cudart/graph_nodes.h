/* What a program says a node does, as an operation. */
#ifndef TEG_TOOLS_CUDART_GRAPH_NODES_H
#define TEG_TOOLS_CUDART_GRAPH_NODES_H

#include "tools/cudart/graph.h"

/* Each fills `o`; returns an error number. */
int kernel_operation(struct runtime *r, const struct cuda_kernel_node *k,
                     struct operation *o);
int symbol_operation(struct runtime *r, void *to, const void *from,
                     const void *symbol, size_t offset, size_t bytes, int kind,
                     struct operation *o);
int node_operation(struct runtime *r, const struct cuda_node *n,
                   struct operation *o);
/* Another operation of the same kind. */
int node_set(struct node *n, const struct operation *o);

#endif
