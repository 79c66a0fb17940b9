/*
 * A growable byte buffer to write into, and a checked walk over bytes to read.
 *
 * Integers are little endian; varint is LEB128 (7 bits a byte, low first);
 * signed ones are zigzag-coded.  The walk never passes its end: a read beyond
 * it, or a varint longer than ten bytes, fails with the byte's position.
 */
#ifndef TEG_ISA_BASE_BUFFER_H
#define TEG_ISA_BASE_BUFFER_H

#include "isa/base/status.h"

struct teg_buffer {
    uint8_t *data; /* owned */
    size_t size, capacity;
    int failed; /* set when memory ran out; appends then do nothing */
};

void teg_buffer_release(struct teg_buffer *b);
/* Returns room for `n` more bytes and counts them in, NULL out of memory. */
uint8_t *teg_buffer_grow(struct teg_buffer *b, size_t n);
void teg_buffer_bytes(struct teg_buffer *b, const void *data, size_t n);
void teg_buffer_u8(struct teg_buffer *b, uint8_t v);
void teg_buffer_u32(struct teg_buffer *b, uint32_t v);
void teg_buffer_u64(struct teg_buffer *b, uint64_t v);
void teg_buffer_varint(struct teg_buffer *b, uint64_t v);
void teg_buffer_zigzag(struct teg_buffer *b, int64_t v);
/* varint length, then the bytes */
void teg_buffer_string(struct teg_buffer *b, const char *s);
/* Appends the whole regular file at `path`; the buffer is released on
 * failure. */
teg_status teg_buffer_file(struct teg_buffer *b, const char *path,
                           struct teg_diag *d);

struct teg_walk {
    const uint8_t *at, *end; /* borrowed */
    const char *path;        /* for diagnostics; borrowed */
    uint64_t origin;         /* file offset of `start` */
    const uint8_t *start;
};

void teg_walk_init(struct teg_walk *w, const void *data, size_t size,
                   const char *path, uint64_t origin);
uint64_t teg_walk_position(const struct teg_walk *w);
size_t teg_walk_left(const struct teg_walk *w);
teg_status teg_walk_u8(struct teg_walk *w, uint8_t *v, struct teg_diag *d);
teg_status teg_walk_u32(struct teg_walk *w, uint32_t *v, struct teg_diag *d);
teg_status teg_walk_u64(struct teg_walk *w, uint64_t *v, struct teg_diag *d);
teg_status teg_walk_varint(struct teg_walk *w, uint64_t *v, struct teg_diag *d);
/* Passes `n` varints unread and returns 1; 0, and the walk stays, if one is too long
 * or all could not be of the greatest length: then each must be looked at. */
int teg_walk_pass_varints(struct teg_walk *w, size_t n);
/* A varint that must not exceed `max`; `what` names it in the diagnostic. */
teg_status teg_walk_bounded(struct teg_walk *w, uint64_t max, const char *what,
                            uint64_t *v, struct teg_diag *d);
teg_status teg_walk_zigzag(struct teg_walk *w, int64_t *v, struct teg_diag *d);
/* `*data` points into the walked bytes. */
teg_status teg_walk_bytes(struct teg_walk *w, size_t n, const uint8_t **data,
                          struct teg_diag *d);
/* A length-prefixed string copied into `out`, cut to `size - 1` characters,
 * with escapes for what no name holds (isa/base/printable.h). */
teg_status teg_walk_string(struct teg_walk *w, char *out, size_t size,
                           struct teg_diag *d);

#endif
