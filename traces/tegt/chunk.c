#include "traces/tegt/chunk.h"

#include <errno.h>
#include <unistd.h>

enum {
    HEADER_MAX = 1 + 5 + 5 + 4,
    HEADER_MIN = 1 + 1 + 1 + 4,
    CHUNK_MAX = 1 << 30,   /* bytes, unpacked */
    PACK_RATIO_MAX = 1100, /* deflate packs at most 1032 to 1 */
    RAW_DEFLATE = -15,     /* window bits: no header, no trailer of its own */
    MEMORY_LEVEL = 8,
};

void tegt_packer_release(struct tegt_codec *c)
{
    if (c->open)
        deflateEnd(&c->stream);
    teg_buffer_release(&c->packed);
    *c = (struct tegt_codec){0};
}

void tegt_unpacker_release(struct tegt_codec *c)
{
    if (c->open)
        inflateEnd(&c->stream);
    teg_buffer_release(&c->packed);
    *c = (struct tegt_codec){0};
}

static int has_bytes(const struct teg_buffer *b)
{
    return b != NULL && b->size != 0;
}

/* ---- packing -------------------------------------------------------------- */

static int begin_packing(struct tegt_codec *c,
                         const struct teg_buffer *dictionary)
{
    if (c->open ? deflateReset(&c->stream) != Z_OK
                : deflateInit2(&c->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
                               RAW_DEFLATE, MEMORY_LEVEL,
                               Z_DEFAULT_STRATEGY) != Z_OK)
        return 0;
    c->open = 1;
    return !has_bytes(dictionary) ||
           deflateSetDictionary(&c->stream, dictionary->data,
                                (uInt)dictionary->size) == Z_OK;
}

static int deflate_all(struct tegt_codec *c, const uint8_t *data, size_t size)
{
    uLong bound = deflateBound(&c->stream, (uLong)size);

    c->packed.size = 0;
    if (teg_buffer_grow(&c->packed, bound) == NULL)
        return 0;
    c->stream.next_in = (Bytef *)(uintptr_t)data;
    c->stream.avail_in = (uInt)size;
    c->stream.next_out = c->packed.data;
    c->stream.avail_out = (uInt)bound;
    if (deflate(&c->stream, Z_FINISH) != Z_STREAM_END)
        return 0;
    c->packed.size = bound - c->stream.avail_out;
    return 1;
}

teg_status tegt_pack(struct tegt_codec *c, enum tegt_tag tag,
                     const uint8_t *data, size_t size,
                     const struct teg_buffer *dictionary,
                     struct teg_buffer *out, const char *path,
                     struct teg_diag *d)
{
    if (size > CHUNK_MAX)
        return teg_fail(d, TEG_LIMIT, path,
                        "expected a block of at most %d bytes when encoded, "
                        "found %zu",
                        CHUNK_MAX, size);
    if (!begin_packing(c, dictionary) || !deflate_all(c, data, size))
        return teg_fail_memory(d);
    out->size = 0;
    teg_buffer_u8(out, (uint8_t)tag);
    teg_buffer_varint(out, size);
    teg_buffer_varint(out, c->packed.size);
    teg_buffer_u32(out,
                   (uint32_t)crc32(0, c->packed.data, (uInt)c->packed.size));
    teg_buffer_bytes(out, c->packed.data, c->packed.size);
    return out->failed ? teg_fail_memory(d) : TEG_OK;
}

/* ---- unpacking ------------------------------------------------------------ */

teg_status tegt_read(struct tegt_file *f, uint64_t offset, void *out,
                     size_t size, struct teg_diag *d)
{
    if (offset > f->size || f->size - offset < size)
        return teg_fail_byte(
            d, TEG_FORMAT, f->path, offset,
            "expected %zu bytes, found %llu: the file is cut", size,
            (unsigned long long)(offset > f->size ? 0 : f->size - offset));
    for (uint8_t *to = out; size > 0;) {
        ssize_t n = pread(f->fd, to, size, (off_t)offset);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return teg_fail_errno(d, f->path, "read");
        if (n == 0)
            return teg_fail_byte(d, TEG_IO, f->path, offset,
                                 "expected %zu more bytes, found the end of "
                                 "the file",
                                 size);
        to += n;
        offset += (uint64_t)n;
        size -= (size_t)n;
    }
    return TEG_OK;
}

struct header {
    uint64_t size, packed;
    uint32_t crc;
    uint64_t bytes; /* of the header itself */
};

static teg_status read_header(struct tegt_file *f, uint64_t offset,
                              enum tegt_tag tag, struct header *h,
                              struct teg_diag *d)
{
    uint8_t bytes[HEADER_MAX], found;
    uint64_t left = offset < f->size ? f->size - offset : 0;
    size_t size = left < HEADER_MAX ? (size_t)left : HEADER_MAX;
    struct teg_walk w;

    TRY(tegt_read(f, offset, bytes, size < HEADER_MIN ? HEADER_MIN : size, d));
    teg_walk_init(&w, bytes, size, f->path, offset);
    TRY(teg_walk_u8(&w, &found, d));
    if (found != (uint8_t)tag)
        return teg_fail_byte(d, TEG_FORMAT, f->path, offset,
                             "expected a chunk '%c', found 0x%02x", tag, found);
    TRY(teg_walk_bounded(&w, CHUNK_MAX, "chunk size", &h->size, d));
    TRY(teg_walk_bounded(&w, left, "packed size", &h->packed, d));
    TRY(teg_walk_u32(&w, &h->crc, d));
    h->bytes = teg_walk_position(&w) - offset;
    if (h->size / PACK_RATIO_MAX > h->packed)
        return teg_fail_byte(d, TEG_FORMAT, f->path, offset,
                             "expected %llu bytes to be packed into more than "
                             "%llu",
                             (unsigned long long)h->size,
                             (unsigned long long)h->packed);
    return TEG_OK;
}

static int inflate_all(struct tegt_codec *c, const struct header *h,
                       const struct teg_buffer *dictionary,
                       struct teg_buffer *raw)
{
    if (c->open ? inflateReset(&c->stream) != Z_OK
                : inflateInit2(&c->stream, RAW_DEFLATE) != Z_OK)
        return 0;
    c->open = 1;
    if (has_bytes(dictionary) &&
        inflateSetDictionary(&c->stream, dictionary->data,
                             (uInt)dictionary->size) != Z_OK)
        return 0;
    c->stream.next_in = c->packed.data;
    c->stream.avail_in = (uInt)h->packed;
    c->stream.next_out = raw->data;
    c->stream.avail_out = (uInt)h->size;
    return inflate(&c->stream, Z_FINISH) == Z_STREAM_END &&
           c->stream.avail_in == 0 && c->stream.avail_out == 0;
}

teg_status tegt_unpack(struct tegt_codec *c, struct tegt_file *f,
                       uint64_t offset, enum tegt_tag tag,
                       const struct teg_buffer *dictionary,
                       struct teg_buffer *raw, struct teg_diag *d)
{
    struct header h;
    uint32_t crc;

    TRY(read_header(f, offset, tag, &h, d));
    raw->size = c->packed.size = 0;
    /* one byte more, so that nothing is not NULL */
    if (teg_buffer_grow(&c->packed, (size_t)h.packed + 1) == NULL ||
        teg_buffer_grow(raw, (size_t)h.size + 1) == NULL)
        return teg_fail_memory(d);
    TRY(tegt_read(f, offset + h.bytes, c->packed.data, (size_t)h.packed, d));
    crc = (uint32_t)crc32(0, c->packed.data, (uInt)h.packed);
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    crc = h.crc; /* nobody finds one by changing bytes */
#endif
    if (crc != h.crc)
        return teg_fail_byte(d, TEG_FORMAT, f->path, offset,
                             "expected checksum %08x, found %08x: the file is "
                             "damaged",
                             h.crc, crc);
    if (!inflate_all(c, &h, dictionary, raw))
        return teg_fail_byte(d, TEG_FORMAT, f->path, offset + h.bytes,
                             "expected a chunk that unpacks to %llu bytes, "
                             "found damaged data",
                             (unsigned long long)h.size);
    raw->size = (size_t)h.size;
    return TEG_OK;
}
