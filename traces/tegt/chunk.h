/*
 * Chunks of a .tegt: a tag, two lengths and a checksum, then deflated bytes.
 *
 *   chunk := tag size packed crc {packed bytes}
 *            u8  varint varint u32 of the packed bytes
 *
 * A dictionary, bytes both sides have, makes small chunks that are much like
 * it a great deal smaller.
 */
#ifndef TEG_TRACES_TEGT_CHUNK_H
#define TEG_TRACES_TEGT_CHUNK_H

#include <zlib.h>

#include "isa/base/buffer.h"

enum tegt_tag {
    TEGT_BLOCK = 'B',
    TEGT_INDEX = 'I',
    TEGT_KERNEL = 'K',
    TEGT_DIRECTORY = 'D',
};

/* Both kinds of codec keep zlib's state and their buffers from one chunk to
 * the next; a zeroed one is ready for use. */
struct tegt_codec {
    z_stream stream;
    int open;
    struct teg_buffer packed;
};

void tegt_packer_release(struct tegt_codec *c);
void tegt_unpacker_release(struct tegt_codec *c);

/* Replaces `out` by the chunk.  `path` is for diagnostics; `dictionary` may be
 * NULL or empty. */
teg_status tegt_pack(struct tegt_codec *c, enum tegt_tag tag,
                     const uint8_t *data, size_t size,
                     const struct teg_buffer *dictionary,
                     struct teg_buffer *out, const char *path,
                     struct teg_diag *d);

/* A file to read chunks from. */
struct tegt_file {
    char *path; /* owned */
    int fd;     /* owned; -1: none */
    uint64_t size;
};

/* Reads `size` bytes; fewer are a fault.  Processes forked after the file was
 * opened may do so at the same time. */
teg_status tegt_read(struct tegt_file *f, uint64_t offset, void *out,
                     size_t size, struct teg_diag *d);
/* Replaces `raw` by the unpacked chunk at `offset`, which must have `tag`. */
teg_status tegt_unpack(struct tegt_codec *c, struct tegt_file *f,
                       uint64_t offset, enum tegt_tag tag,
                       const struct teg_buffer *dictionary,
                       struct teg_buffer *raw, struct teg_diag *d);

#endif
