/* Device memory, host memory the device sees, copies. */
#ifndef TEG_TOOLS_CUDART_MEMORY_H
#define TEG_TOOLS_CUDART_MEMORY_H

#include "tools/cudart/runtime.h"

/* Host pointer of device memory; NULL if it is none. */
void *device_bytes(struct runtime *r, const void *address, size_t bytes);
int memory_copy(struct runtime *r, void *to, const void *from, size_t bytes,
                int kind);
/* As a call of the program's: it counts a nominal microsecond besides its
 * bytes. */
int memory_copy_alone(struct runtime *r, void *to, const void *from,
                      size_t bytes, int kind);
int memory_allocate(struct runtime *r, void **address, size_t bytes);
int memory_free(struct runtime *r, void *address);
int memory_set(struct runtime *r, void *to, int value, size_t bytes);
/* The program's own way of setting memory has set it. */
void memory_note_set(struct runtime *r, const void *to, size_t bytes);
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
