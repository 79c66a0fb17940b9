/*
 * What a call puts into a stream: done at once, or kept as a node of a graph
 * when the stream is being captured.
 */
#ifndef TEG_TOOLS_CUDART_OPERATION_H
#define TEG_TOOLS_CUDART_OPERATION_H

#include "tools/cudart/launch.h"

struct graph;
struct event;

/* Numbers of enum cudaGraphNodeType. */
enum operation_kind {
    OPERATION_KERNEL,
    OPERATION_COPY,
    OPERATION_SET,
    OPERATION_HOST,
    OPERATION_GRAPH,
    OPERATION_EMPTY,
    OPERATION_WAIT,
    OPERATION_RECORD,
    OPERATION_ALLOCATE = 10,
    OPERATION_FREE,
    OPERATION_CONDITION = 13,
};

/* A node that runs bodies by a condition (condition.h). */
struct condition_node {
    uint64_t handle;
    int kind; /* enum condition_kind */
    uint32_t bodies;
    struct graph **body; /* owned once kept */
};

struct operation {
    enum operation_kind kind;
    union {
        struct {
            struct function *function; /* borrowed from the registry */
            struct launch_shape shape;
            void **args;  /* owned once kept; else borrowed */
            uint8_t *own; /* owned: the arguments' values; NULL: not kept */
        } kernel;
        struct cuda_copy3d copy;
        struct cuda_set set;
        struct cuda_host_node host;
        struct graph *graph; /* owned once kept */
        struct condition_node condition;
        struct event *event; /* borrowed; outlives the operation */
        struct {
            void *address;
            size_t bytes;
        } memory;
    };
};

/* Bytes one behind the other. */
struct operation operation_copy(void *to, const void *from, size_t bytes,
                                int kind);
/* Rows. */
struct operation operation_copy_2d(void *to, size_t to_pitch, const void *from,
                                   size_t from_pitch, size_t width,
                                   size_t height, int kind);
struct operation operation_set(void *to, size_t pitch, unsigned value,
                               unsigned element_bytes, size_t width,
                               size_t height);
/* Takes the arguments' values as they are now; a kept operation is to be
 * released. */
int operation_keep(struct operation *kept, const struct operation *o);
void operation_release(struct operation *o);
int operation_run(struct runtime *r, const struct operation *o);

#endif
