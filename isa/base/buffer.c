#include "isa/base/buffer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "isa/base/printable.h"

enum {
    VARINT_MAX_BYTES = 10
};

void teg_buffer_release(struct teg_buffer *b)
{
    free(b->data);
    *b = (struct teg_buffer){0};
}

uint8_t *teg_buffer_grow(struct teg_buffer *b, size_t n)
{
    uint8_t *place;

    if (b->failed)
        return NULL;
    if (n > b->capacity - b->size) {
        size_t capacity = b->capacity * 2;
        uint8_t *data;

        if (capacity < b->size + n)
            capacity = b->size + n + 64;
        data = realloc(b->data, capacity);
        if (data == NULL) {
            b->failed = 1;
            return NULL;
        }
        b->data = data;
        b->capacity = capacity;
    }
    place = b->data + b->size;
    b->size += n;
    return place;
}

void teg_buffer_bytes(struct teg_buffer *b, const void *data, size_t n)
{
    uint8_t *place = n != 0 ? teg_buffer_grow(b, n) : NULL;

    if (place != NULL)
        memcpy(place, data, n);
}

void teg_buffer_u8(struct teg_buffer *b, uint8_t v)
{
    uint8_t *place = teg_buffer_grow(b, 1);

    if (place != NULL)
        *place = v;
}

void teg_buffer_u32(struct teg_buffer *b, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        teg_buffer_u8(b, (uint8_t)(v >> (8 * i)));
}

void teg_buffer_u64(struct teg_buffer *b, uint64_t v)
{
    for (int i = 0; i < 8; i++)
        teg_buffer_u8(b, (uint8_t)(v >> (8 * i)));
}

void teg_buffer_varint(struct teg_buffer *b, uint64_t v)
{
    uint8_t *place = teg_buffer_grow(b, VARINT_MAX_BYTES), *at = place;

    if (place == NULL)
        return;
    while (v >= 0x80) {
        *at++ = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    *at++ = (uint8_t)v;
    b->size -= VARINT_MAX_BYTES - (size_t)(at - place);
}

void teg_buffer_zigzag(struct teg_buffer *b, int64_t v)
{
    teg_buffer_varint(b, ((uint64_t)v << 1) ^ (uint64_t)(v >> 63));
}

void teg_buffer_string(struct teg_buffer *b, const char *s)
{
    size_t n = strlen(s);

    teg_buffer_varint(b, n);
    teg_buffer_bytes(b, s, n);
}

/* Reads what is left of `f`. */
static teg_status read_rest(struct teg_buffer *b, FILE *f, const char *path,
                            struct teg_diag *d)
{
    enum {
        PIECE = 1 << 16
    };
    size_t got;

    do {
        uint8_t *room = teg_buffer_grow(b, PIECE);

        if (room == NULL)
            return teg_fail_memory(d);
        got = fread(room, 1, PIECE, f);
        b->size -= PIECE - got;
    } while (got == PIECE);
    return ferror(f) ? teg_fail_errno(d, path, "read") : TEG_OK;
}

teg_status teg_buffer_file(struct teg_buffer *b, const char *path,
                           struct teg_diag *d)
{
    FILE *f = fopen(path, "rb");
    teg_status status;
    struct stat st;

    if (f == NULL)
        return teg_fail_errno(d, path, "open");
    /* A device need not end. */
    if (fstat(fileno(f), &st) == 0 && !S_ISREG(st.st_mode))
        status = teg_fail(d, TEG_IO, path,
                          "expected a regular file, found something else");
    else
        status = read_rest(b, f, path, d);
    fclose(f);
    if (status != TEG_OK)
        teg_buffer_release(b);
    return status;
}

void teg_walk_init(struct teg_walk *w, const void *data, size_t size,
                   const char *path, uint64_t origin)
{
    *w = (struct teg_walk){
        .at = data,
        .start = data,
        .end = (const uint8_t *)data + size,
        .path = path,
        .origin = origin,
    };
}

uint64_t teg_walk_position(const struct teg_walk *w)
{
    return w->origin + (uint64_t)(w->at - w->start);
}

size_t teg_walk_left(const struct teg_walk *w)
{
    return (size_t)(w->end - w->at);
}

teg_status teg_walk_bytes(struct teg_walk *w, size_t n, const uint8_t **data,
                          struct teg_diag *d)
{
    if (teg_walk_left(w) < n)
        return teg_fail_byte(d, TEG_FORMAT, w->path, teg_walk_position(w),
                             "expected %zu more bytes, found %zu", n,
                             teg_walk_left(w));
    *data = w->at;
    w->at += n;
    return TEG_OK;
}

teg_status teg_walk_u8(struct teg_walk *w, uint8_t *v, struct teg_diag *d)
{
    const uint8_t *p = NULL;

    TRY(teg_walk_bytes(w, 1, &p, d));
    *v = *p;
    return TEG_OK;
}

static teg_status fixed(struct teg_walk *w, size_t n, uint64_t *v,
                        struct teg_diag *d)
{
    const uint8_t *p = NULL;

    TRY(teg_walk_bytes(w, n, &p, d));
    *v = 0;
    for (size_t i = 0; i < n; i++)
        *v |= (uint64_t)p[i] << (8 * i);
    return TEG_OK;
}

teg_status teg_walk_u32(struct teg_walk *w, uint32_t *v, struct teg_diag *d)
{
    uint64_t wide;

    TRY(fixed(w, 4, &wide, d));
    *v = (uint32_t)wide;
    return TEG_OK;
}

teg_status teg_walk_u64(struct teg_walk *w, uint64_t *v, struct teg_diag *d)
{
    return fixed(w, 8, v, d);
}

int teg_walk_pass_varints(struct teg_walk *w, size_t n)
{
    const uint8_t *p = w->at;

    if (teg_walk_left(w) / VARINT_MAX_BYTES < n)
        return 0;
    for (; n != 0; n--) {
        const uint8_t *start = p;

        while (*p++ & 0x80) {
            if (p - start == VARINT_MAX_BYTES)
                return 0;
        }
    }
    w->at = p;
    return 1;
}

teg_status teg_walk_varint(struct teg_walk *w, uint64_t *v, struct teg_diag *d)
{
    uint64_t position = teg_walk_position(w);
    uint8_t byte = 0x80;

    if (w->at != w->end && *w->at < 0x80) {
        *v = *w->at++;
        return TEG_OK;
    }
    *v = 0;
    for (unsigned shift = 0; byte & 0x80; shift += 7) {
        if (shift == 7 * VARINT_MAX_BYTES)
            return teg_fail_byte(d, TEG_FORMAT, w->path, position,
                                 "expected a number of at most %d bytes, "
                                 "found a longer one",
                                 VARINT_MAX_BYTES);
        TRY(teg_walk_u8(w, &byte, d));
        *v |= (uint64_t)(byte & 0x7f) << shift;
    }
    return TEG_OK;
}

teg_status teg_walk_bounded(struct teg_walk *w, uint64_t max, const char *what,
                            uint64_t *v, struct teg_diag *d)
{
    uint64_t position = teg_walk_position(w);

    TRY(teg_walk_varint(w, v, d));
    if (*v > max)
        return teg_fail_byte(d, TEG_FORMAT, w->path, position,
                             "expected %s of at most %llu, found %llu", what,
                             (unsigned long long)max, (unsigned long long)*v);
    return TEG_OK;
}

teg_status teg_walk_zigzag(struct teg_walk *w, int64_t *v, struct teg_diag *d)
{
    uint64_t raw;

    TRY(teg_walk_varint(w, &raw, d));
    *v = (int64_t)(raw >> 1) ^ -(int64_t)(raw & 1);
    return TEG_OK;
}

teg_status teg_walk_string(struct teg_walk *w, char *out, size_t size,
                           struct teg_diag *d)
{
    const uint8_t *p = NULL;
    uint64_t n;

    TRY(teg_walk_bounded(w, teg_walk_left(w), "string length", &n, d));
    TRY(teg_walk_bytes(w, (size_t)n, &p, d));
    teg_printable_of(out, size, (const char *)p, (size_t)n);
    return TEG_OK;
}
