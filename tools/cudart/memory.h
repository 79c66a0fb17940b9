/* Device memory, host memory the device sees, copies. */
#ifndef TEG_TOOLS_CUDART_MEMORY_H
#define TEG_TOOLS_CUDART_MEMORY_H

#include "tools/cudart/runtime.h"

/* Host pointer of device memory to be written; NULL if it is none. */
void *device_bytes(struct runtime *r, const void *address, size_t bytes);
/* The same to be read. */
const void *device_peek(const struct runtime *r, const void *address,
                        size_t bytes);
int memory_copy(struct runtime *r, void *to, const void *from, size_t bytes,
                int kind);
/* As a call of the program's: it counts a nominal microsecond besides its
 * bytes. */
int memory_copy_alone(struct runtime *r, void *to, const void *from,
                      size_t bytes, int kind);
int memory_allocate(struct runtime *r, void **address, size_t bytes);
int memory_free(struct runtime *r, void *address);
/* `count` elements of `width` bytes: 1, 2 or 4. */
int memory_set(struct runtime *r, void *to, uint32_t value, size_t width,
               size_t count);
/* The program's own way of setting memory has set it. */
void memory_note_set(struct runtime *r, const void *to, size_t bytes);
/* Memory of a graph's node: it has one address as long as the program runs, and
 * is in use from the node that allocates it to the one that frees it. */
int memory_graph_allocate(struct runtime *r, void **address, size_t bytes);
/* By a node, or by the program itself; cudaErrorInvalidValue: none such. */
int memory_graph_use(struct runtime *r, void *address, int used);
int memory_is_graph(const struct runtime *r, const void *address);
/* It has been freed: its pool has it no more. */
void memory_forget_pooled(struct runtime *r, const void *address);
/* Host memory that the device sees, at the same address. */
struct shared_memory {
    void *data;
    size_t bytes;
    enum cuda_memory kind;
    int ours;                /* to be unmapped when freed */
    struct managed *managed; /* owned; where its pages are, or NULL */
    struct shared_memory *next;
};

/* Host memory that the device sees, by any address in it; NULL: none. */
struct shared_memory *shared_find(const struct runtime *r, const void *address);

/* The buffer an address lies in; 0: none that the device sees. */
struct memory_range {
    void *base;
    size_t bytes;
    enum cuda_memory kind;
};
int memory_range_of(struct runtime *r, const void *address,
                    struct memory_range *range);

/* Planes of rows; a pitch is bytes from row to row. */
struct copy_box {
    char *to;
    const char *from;
    size_t to_pitch, from_pitch, to_plane, from_plane;
    size_t width, height, depth;
};
int memory_copy_box(struct runtime *r, const struct copy_box *b, int kind);
/* What the device could still allocate, and all of it. */
void memory_left(struct runtime *r, size_t *left, size_t *total);

#endif
