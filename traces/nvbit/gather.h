/*
 * Collects what belongs together from a file that interleaves it: a stream of
 * bytes per (block, warp), appended to in any order, read back whole.
 *
 * Bytes stay in memory up to a budget and go to an unlinked temporary file
 * beyond.  Besides the budget a stream takes about 80 bytes.
 */
#ifndef TEG_TRACES_NVBIT_GATHER_H
#define TEG_TRACES_NVBIT_GATHER_H

#include "isa/base/buffer.h"

enum {
    NVBIT_STREAMS_MAX = 1 << 25
};

struct nvbit_stream {
    uint32_t block[3];
    uint32_t warp;
    uint64_t last_address; /* for the reader's own use, here and below */
    uint32_t last_inst, last_mask;
    uint32_t chunk_first, chunk_last; /* 1 + index; 0 = none in memory */
    uint32_t piece_first, piece_last; /* likewise, in the temporary file */
};

struct nvbit_group {
    const char *directory; /* borrowed; for the temporary file */
    size_t budget;         /* bytes of `chunk` */
    int fd;                /* temporary file, -1 = none yet */
    uint64_t spilled;      /* bytes in it */

    struct nvbit_stream *stream; /* owned */
    uint32_t streams, stream_capacity;
    uint32_t *bucket; /* owned; 1 + stream, open addressing */
    uint32_t bucket_bits;
    struct chunk **slab; /* owned, each of SLAB_CHUNKS chunks */
    uint32_t slabs, chunks;
    struct piece *piece; /* owned */
    uint32_t pieces, piece_capacity;
};

void nvbit_group_init(struct nvbit_group *g, const char *directory,
                      size_t budget);
void nvbit_group_release(struct nvbit_group *g);

/* The stream of a warp, made on first use; valid until the next call. */
teg_status nvbit_group_find(struct nvbit_group *g, const uint32_t block[3],
                            uint32_t warp, struct nvbit_stream **stream,
                            struct teg_diag *d);
/* Adds to a stream of this group. */
teg_status nvbit_group_append(struct nvbit_group *g,
                              struct nvbit_stream *stream, const uint8_t *bytes,
                              size_t size, struct teg_diag *d);
/* Puts the streams into grid order, x fastest, and a block's warps in
 * ascending order; none can be found or appended to after that. */
void nvbit_group_sort(struct nvbit_group *g);
/* Replaces `out` by the bytes of `stream`. */
teg_status nvbit_group_read(const struct nvbit_group *g,
                            const struct nvbit_stream *stream,
                            struct teg_buffer *out, struct teg_diag *d);

#endif
