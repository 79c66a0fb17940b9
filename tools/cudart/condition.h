/*
 * Conditions of graphs: numbers that kernels set, and by which a graph's nodes
 * run one of their bodies, none, or one again and again.
 */
#ifndef TEG_TOOLS_CUDART_CONDITION_H
#define TEG_TOOLS_CUDART_CONDITION_H

#include "tools/cudart/runtime.h"

/* enum cudaGraphConditionalNodeType */
enum condition_kind {
    CONDITION_IF,
    CONDITION_WHILE,
    CONDITION_SWITCH,
};

/* 0: there is none of that handle. */
int condition_set(struct runtime *r, uint64_t handle, uint32_t value);
/* 0 of one that is not there. */
uint32_t condition_value(const struct runtime *r, uint64_t handle);
/* A graph that has a node of it is launched. */
void condition_begin(struct runtime *r, uint64_t handle);

#endif
