#include "traces/nvbit/gather.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    CHUNK_DATA = 122,
    SLAB_CHUNKS = 8192, /* 1 MiB */
    FIRST_BUCKET_BITS = 12,
    WRITE_BYTES = 1 << 20,
};

struct chunk {
    uint32_t next; /* 1 + index; 0 = last */
    uint16_t used;
    uint8_t data[CHUNK_DATA];
};

/* What one spilling wrote of a stream. */
struct piece {
    uint64_t at;
    uint32_t next; /* 1 + index; 0 = last */
    uint32_t size;
};

void nvbit_group_init(struct nvbit_group *g, const char *directory,
                      size_t budget)
{
    *g = (struct nvbit_group){
        .directory = directory, .budget = budget, .fd = -1};
}

void nvbit_group_release(struct nvbit_group *g)
{
    for (uint32_t i = 0; i < g->slabs; i++)
        free(g->slab[i]);
    free(g->slab);
    free(g->stream);
    free(g->bucket);
    free(g->piece);
    if (g->fd >= 0)
        close(g->fd);
    *g = (struct nvbit_group){.fd = -1};
}

static struct chunk *chunk_at(const struct nvbit_group *g, uint32_t number)
{
    return &g->slab[(number - 1) / SLAB_CHUNKS][(number - 1) % SLAB_CHUNKS];
}

/* ---- finding streams ------------------------------------------------------- */

static uint32_t bucket_of(const struct nvbit_group *g, const uint32_t block[3],
                          uint32_t warp)
{
    uint64_t h = (uint64_t)block[2] << 32 | block[1];

    h = h * 0x9e3779b97f4a7c15u + ((uint64_t)block[0] << 32 | warp);
    h = (h ^ h >> 29) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(h >> (64 - g->bucket_bits));
}

static int is_stream(const struct nvbit_stream *s, const uint32_t block[3],
                     uint32_t warp)
{
    return s->block[0] == block[0] && s->block[1] == block[1] &&
           s->block[2] == block[2] && s->warp == warp;
}

/* Returns where the stream is, or where it belongs. */
static uint32_t *find_bucket(struct nvbit_group *g, const uint32_t block[3],
                             uint32_t warp)
{
    uint32_t mask = (1u << g->bucket_bits) - 1;
    uint32_t i = bucket_of(g, block, warp);

    while (g->bucket[i] != 0 &&
           !is_stream(&g->stream[g->bucket[i] - 1], block, warp))
        i = (i + 1) & mask;
    return &g->bucket[i];
}

/* Keeps at least half of the buckets empty. */
static teg_status reserve_stream(struct nvbit_group *g, struct teg_diag *d)
{
    uint32_t bits;

    if (g->streams == NVBIT_STREAMS_MAX)
        return teg_fail(d, TEG_LIMIT, "",
                        "expected at most %d warps in the trace, found more",
                        NVBIT_STREAMS_MAX);
    if (g->streams < g->stream_capacity)
        return TEG_OK;
    bits = g->bucket_bits == 0 ? FIRST_BUCKET_BITS : g->bucket_bits + 1;
    {
        uint32_t *bucket = calloc((size_t)1 << bits, sizeof *bucket);
        struct nvbit_stream *stream =
            realloc(g->stream, ((size_t)1 << (bits - 1)) * sizeof *stream);

        if (stream != NULL)
            g->stream = stream;
        if (bucket == NULL || stream == NULL) {
            free(bucket);
            return teg_fail_memory(d);
        }
        free(g->bucket);
        g->bucket = bucket;
    }
    g->bucket_bits = bits;
    g->stream_capacity = 1u << (bits - 1);
    for (uint32_t i = 0; i < g->streams; i++)
        *find_bucket(g, g->stream[i].block, g->stream[i].warp) = i + 1;
    return TEG_OK;
}

teg_status nvbit_group_find(struct nvbit_group *g, const uint32_t block[3],
                            uint32_t warp, struct nvbit_stream **stream,
                            struct teg_diag *d)
{
    uint32_t *bucket;

    TRY(reserve_stream(g, d));
    bucket = find_bucket(g, block, warp);
    if (*bucket == 0) {
        struct nvbit_stream *s = &g->stream[g->streams];

        *s = (struct nvbit_stream){.warp = warp};
        memcpy(s->block, block, sizeof s->block);
        *bucket = ++g->streams;
    }
    *stream = &g->stream[*bucket - 1];
    return TEG_OK;
}

/* ---- the temporary file ----------------------------------------------------- */

static teg_status open_file(struct nvbit_group *g, struct teg_diag *d)
{
    char path[512];
    int n = snprintf(path, sizeof path, "%s/teg-XXXXXX", g->directory);

    if (n < 0 || (size_t)n >= sizeof path)
        return teg_fail(d, TEG_IO, g->directory,
                        "expected a shorter name of a directory for "
                        "temporary files");
    g->fd = mkstemp(path);
    if (g->fd < 0)
        return teg_fail_errno(d, g->directory, "make a temporary file in");
    unlink(path);
    return TEG_OK;
}

static teg_status write_out(struct nvbit_group *g, struct teg_buffer *b,
                            struct teg_diag *d)
{
    size_t done = 0;

    if (b->failed)
        return teg_fail_memory(d);
    while (done < b->size) {
        ssize_t n = write(g->fd, b->data + done, b->size - done);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return teg_fail_errno(d, g->directory, "write a temporary file in");
        done += (size_t)n;
    }
    g->spilled += b->size;
    b->size = 0;
    return TEG_OK;
}

static teg_status add_piece(struct nvbit_group *g, struct nvbit_stream *s,
                            uint64_t at, uint64_t size, struct teg_diag *d)
{
    if (g->pieces == g->piece_capacity) {
        uint32_t capacity = g->piece_capacity * 2 + 1024;
        struct piece *piece = realloc(g->piece, capacity * sizeof *piece);

        if (piece == NULL)
            return teg_fail_memory(d);
        g->piece = piece;
        g->piece_capacity = capacity;
    }
    g->piece[g->pieces++] = (struct piece){.at = at, .size = (uint32_t)size};
    if (s->piece_last != 0)
        g->piece[s->piece_last - 1].next = g->pieces;
    else
        s->piece_first = g->pieces;
    s->piece_last = g->pieces;
    return TEG_OK;
}

static teg_status spill_streams(struct nvbit_group *g, struct teg_buffer *b,
                                struct teg_diag *d)
{
    for (uint32_t i = 0; i < g->streams; i++) {
        struct nvbit_stream *s = &g->stream[i];
        uint64_t at = g->spilled + b->size;

        if (s->chunk_first == 0)
            continue;
        for (uint32_t c = s->chunk_first; c != 0; c = chunk_at(g, c)->next)
            teg_buffer_bytes(b, chunk_at(g, c)->data, chunk_at(g, c)->used);
        TRY(add_piece(g, s, at, g->spilled + b->size - at, d));
        s->chunk_first = s->chunk_last = 0;
        if (b->size >= WRITE_BYTES)
            TRY(write_out(g, b, d));
    }
    return write_out(g, b, d);
}

/* Moves everything in memory to the file. */
static teg_status spill(struct nvbit_group *g, struct teg_diag *d)
{
    struct teg_buffer b = {0};
    teg_status status = TEG_OK;

    if (g->fd < 0)
        status = open_file(g, d);
    if (status == TEG_OK)
        status = spill_streams(g, &b, d);
    teg_buffer_release(&b);
    g->chunks = 0;
    return status;
}

/* ---- bytes in memory ----------------------------------------------------------- */

static teg_status new_chunk(struct nvbit_group *g, struct nvbit_stream *s,
                            struct teg_diag *d)
{
    struct chunk *c;

    if ((uint64_t)(g->chunks + 1) * sizeof(struct chunk) > g->budget &&
        g->chunks != 0)
        TRY(spill(g, d));
    if (g->chunks == g->slabs * SLAB_CHUNKS) {
        struct chunk **slab = realloc(g->slab, (g->slabs + 1) * sizeof *slab);

        if (slab == NULL)
            return teg_fail_memory(d);
        g->slab = slab;
        g->slab[g->slabs] = malloc(SLAB_CHUNKS * sizeof(struct chunk));
        if (g->slab[g->slabs] == NULL)
            return teg_fail_memory(d);
        g->slabs++;
    }
    g->chunks++;
    c = chunk_at(g, g->chunks);
    c->next = 0;
    c->used = 0;
    if (s->chunk_last != 0)
        chunk_at(g, s->chunk_last)->next = g->chunks;
    else
        s->chunk_first = g->chunks;
    s->chunk_last = g->chunks;
    return TEG_OK;
}

teg_status nvbit_group_append(struct nvbit_group *g, struct nvbit_stream *s,
                              const uint8_t *bytes, size_t size,
                              struct teg_diag *d)
{
    while (size != 0) {
        struct chunk *c;
        size_t n;

        if (s->chunk_last == 0 ||
            chunk_at(g, s->chunk_last)->used == CHUNK_DATA)
            TRY(new_chunk(g, s, d));
        c = chunk_at(g, s->chunk_last);
        n = CHUNK_DATA - (size_t)c->used;
        if (n > size)
            n = size;
        memcpy(c->data + c->used, bytes, n);
        c->used = (uint16_t)(c->used + n);
        bytes += n;
        size -= n;
    }
    return TEG_OK;
}

/* ---- reading back --------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const struct nvbit_stream *s = a, *t = b;

    for (int i = 2; i >= 0; i--) {
        if (s->block[i] != t->block[i])
            return s->block[i] < t->block[i] ? -1 : 1;
    }
    return s->warp < t->warp ? -1 : s->warp > t->warp;
}

void nvbit_group_sort(struct nvbit_group *g)
{
    free(g->bucket);
    g->bucket = NULL;
    if (g->streams != 0)
        qsort(g->stream, g->streams, sizeof *g->stream, compare);
}

static teg_status read_piece(const struct nvbit_group *g,
                             const struct piece *piece, struct teg_buffer *out,
                             struct teg_diag *d)
{
    uint8_t *to = teg_buffer_grow(out, piece->size);
    size_t done = 0;

    if (to == NULL)
        return teg_fail_memory(d);
    while (done < piece->size) {
        ssize_t n = pread(g->fd, to + done, piece->size - done,
                          (off_t)(piece->at + done));

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return teg_fail_errno(d, g->directory, "read a temporary file in");
        done += (size_t)n;
    }
    return TEG_OK;
}

teg_status nvbit_group_read(const struct nvbit_group *g,
                            const struct nvbit_stream *s,
                            struct teg_buffer *out, struct teg_diag *d)
{
    out->size = 0;
    for (uint32_t p = s->piece_first; p != 0; p = g->piece[p - 1].next)
        TRY(read_piece(g, &g->piece[p - 1], out, d));
    for (uint32_t c = s->chunk_first; c != 0; c = chunk_at(g, c)->next)
        teg_buffer_bytes(out, chunk_at(g, c)->data, chunk_at(g, c)->used);
    return out->failed ? teg_fail_memory(d) : TEG_OK;
}
