#include "traces/nvbit/tracez.h"

#include "traces/nvbit/feed.h"
#include "traces/nvbit/header.h"
#include "traces/nvbit/line.h"
#include "traces/nvbit/note.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

enum {
    HEADER_MAX = 1 << 18,
    DICTIONARY_MAX = 1 << 26,
    FRAME_MAX = 1 << 26, /* of one sub-chunk, compressed or not */
    TRAILER_BYTES = 8,
    BLOCK_RECORD_BYTES = 44, /* ten numbers and the warp count */
    WARP_RECORD_BYTES = 16,
    WARP_HEADER_BYTES = 8,
};

struct tracez {
    struct teg_kernel kernel;
    struct teg_source source;
    int fd; /* -1: memory */
    uint64_t size;
    struct nvbit_lines lines;
    char lines_path[320]; /* "file block (x,y,z) warp w" */
    struct nvbit_feed feed;
    ZSTD_DCtx *unpacker;
    ZSTD_DDict *dictionary; /* NULL: none */
    struct teg_buffer packed, text, index;
    uint64_t data_end; /* where the index begins */
    uint64_t index_at; /* of the next block's record */
    uint64_t index_end;
    uint32_t blocks_left;
    struct teg_block *ahead; /* owned; read before it was asked for */
};

/* ---- bytes at a place -------------------------------------------------------- */

static teg_status open_file(struct tracez *z, struct teg_diag *d)
{
    struct stat facts;

    if (z->source.bytes != NULL) {
        z->size = z->source.size;
        return TEG_OK;
    }
    z->fd = open(z->source.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (z->fd < 0)
        return teg_fail_errno(d, z->source.path, "open");
    if (fstat(z->fd, &facts) != 0)
        return teg_fail_errno(d, z->source.path, "inspect");
    z->size = (uint64_t)facts.st_size;
    return TEG_OK;
}

static teg_status read_fully(struct tracez *z, uint64_t at, uint8_t *to,
                             size_t n, struct teg_diag *d)
{
    size_t done = 0;

    if (z->fd < 0) {
        memcpy(to, z->source.bytes + at, n);
        return TEG_OK;
    }
    while (done < n) {
        ssize_t got = pread(z->fd, to + done, n - done, (off_t)(at + done));

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return teg_fail_errno(d, z->source.path, "read");
        if (got == 0)
            return teg_fail_byte(d, TEG_IO, z->source.path, at + done,
                                 "expected %zu more bytes, found the end of "
                                 "the file",
                                 n - done);
        done += (size_t)got;
    }
    return TEG_OK;
}

/* Fills `b` with the `n` bytes at `at`, which must lie before `end`. */
static teg_status read_at(struct tracez *z, uint64_t at, uint64_t n,
                          uint64_t end, struct teg_buffer *b,
                          struct teg_diag *d)
{
    uint8_t *to;

    if (at > end || n > end - at)
        return teg_fail_byte(d, TEG_FORMAT, z->source.path, at,
                             "expected %" PRIu64 " bytes before +0x%" PRIx64
                             ", found %" PRIu64,
                             n, end, at > end ? 0 : end - at);
    b->size = 0;
    to = teg_buffer_grow(b, (size_t)n);
    if (to == NULL)
        return teg_fail_memory(d);
    return n != 0 ? read_fully(z, at, to, (size_t)n, d) : TEG_OK;
}

static uint32_t u32_at(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
           (uint32_t)p[3] << 24;
}

static uint64_t u64_at(const uint8_t *p)
{
    return u32_at(p) | (uint64_t)u32_at(p + 4) << 32;
}

/* ---- one warp ------------------------------------------------------------------ */

/* Where a warp's instructions are, by the index. */
struct warp_record {
    uint32_t number;
    uint32_t insts, pieces;
    uint64_t at;
};

static teg_status unpack(struct tracez *z, uint64_t at, struct teg_diag *d)
{
    const uint8_t *data = z->packed.data;
    size_t size = z->packed.size, made;
    unsigned long long length = ZSTD_getFrameContentSize(data, size);
    uint8_t *to;

    if (length == ZSTD_CONTENTSIZE_ERROR || length == ZSTD_CONTENTSIZE_UNKNOWN)
        return teg_fail_byte(d, TEG_FORMAT, z->source.path, at,
                             "expected a zstd frame that states its size, "
                             "found none");
    if (length > FRAME_MAX)
        return teg_fail_byte(d, TEG_LIMIT, z->source.path, at,
                             "expected at most %d bytes of text in a "
                             "sub-chunk, found %llu",
                             FRAME_MAX, length);
    z->text.size = 0;
    to = teg_buffer_grow(&z->text, (size_t)length + 1);
    if (to == NULL)
        return teg_fail_memory(d);
    made =
        z->dictionary != NULL
            ? ZSTD_decompress_usingDDict(z->unpacker, to, (size_t)length, data,
                                         size, z->dictionary)
            : ZSTD_decompressDCtx(z->unpacker, to, (size_t)length, data, size);
    if (ZSTD_isError(made))
        return teg_fail_byte(d, TEG_FORMAT, z->source.path, at,
                             "expected a zstd frame, found damage: %s",
                             ZSTD_getErrorName(made));
    z->text.size = made;
    to[made] = '\0';
    return TEG_OK;
}

static teg_status feed_text(struct tracez *z, uint32_t *insts,
                            struct teg_diag *d)
{
    char *at = (char *)z->text.data, *end = at + z->text.size;

    while (at < end) {
        char *eol = memchr(at, '\n', (size_t)(end - at));
        struct nvbit_inst inst;

        if (eol == NULL)
            eol = end;
        *eol = '\0';
        z->lines.line++;
        if (*at != '\0' && *at != '\r' && *at != '#') {
            TRY(nvbit_lines_parse(&z->lines, at, &inst, d));
            nvbit_feed_inst(&z->feed, &inst, 0);
            ++*insts;
        }
        at = eol + 1;
    }
    return TEG_OK;
}

static teg_status read_piece(struct tracez *z, uint64_t *at, uint32_t *insts,
                             struct teg_diag *d)
{
    uint32_t size;

    TRY(read_at(z, *at, 4, z->data_end, &z->packed, d));
    size = u32_at(z->packed.data);
    if (size > FRAME_MAX)
        return teg_fail_byte(d, TEG_LIMIT, z->source.path, *at,
                             "expected a sub-chunk of at most %d bytes, found "
                             "%u",
                             FRAME_MAX, size);
    TRY(read_at(z, *at + 4, size, z->data_end, &z->packed, d));
    TRY(unpack(z, *at + 4, d));
    *at += 4 + (uint64_t)size;
    return feed_text(z, insts, d);
}

static teg_status read_warp(struct tracez *z, const struct warp_record *warp,
                            struct teg_diag *d)
{
    const uint32_t *position = z->feed.position;
    uint64_t at = warp->at;
    uint32_t insts = 0, pieces;

    snprintf(z->lines_path, sizeof z->lines_path,
             "%.200s block (%u,%u,%u) warp %u", z->source.path, position[0],
             position[1], position[2], warp->number);
    z->lines.line = 0;
    TRY(nvbit_feed_warp(&z->feed, warp->number, 0, d));
    TRY(read_at(z, at, WARP_HEADER_BYTES, z->data_end, &z->packed, d));
    pieces = u32_at(z->packed.data + 4);
    if (pieces != warp->pieces)
        return teg_fail_byte(d, TEG_FORMAT, z->source.path, at,
                             "expected %u sub-chunks as the index says, found "
                             "%u",
                             warp->pieces, pieces);
    at += WARP_HEADER_BYTES;
    for (uint32_t i = 0; i < pieces; i++)
        TRY(read_piece(z, &at, &insts, d));
    if (insts != warp->insts)
        nvbit_note(&z->kernel, "insts-count", z->lines_path, z->lines.line,
                   "expected %u instructions as declared, found %u",
                   warp->insts, insts);
    return TEG_OK;
}

/* ---- the index ------------------------------------------------------------------ */

static teg_status take_index(struct tracez *z, uint64_t n, struct teg_diag *d)
{
    TRY(read_at(z, z->index_at, n, z->index_end, &z->index, d));
    z->index_at += n;
    return TEG_OK;
}

static teg_status take_warp(struct tracez *z, uint32_t number,
                            struct teg_diag *d)
{
    struct warp_record warp = {.number = number};
    uint64_t position = z->index_at;

    TRY(take_index(z, WARP_RECORD_BYTES, d));
    warp.insts = u32_at(z->index.data);
    warp.pieces = u32_at(z->index.data + 4);
    warp.at = u64_at(z->index.data + 8);
    if (warp.pieces > (z->index_end - z->index_at) / 4)
        return teg_fail_byte(d, TEG_FORMAT, z->source.path, position,
                             "expected the counts of %u sub-chunks, found the "
                             "end of the index",
                             warp.pieces);
    /* Their counts add up to the warp's: nothing to learn from them. */
    z->index_at += (uint64_t)warp.pieces * 4;
    return read_warp(z, &warp, d);
}

static teg_status take_block(struct tracez *z, struct teg_block **block,
                             struct teg_diag *d)
{
    uint64_t position = z->index_at;
    uint32_t at[3], warps;

    TRY(take_index(z, BLOCK_RECORD_BYTES, d));
    for (int i = 0; i < 3; i++)
        at[i] = u32_at(z->index.data + 4 * i);
    warps = u32_at(z->index.data + BLOCK_RECORD_BYTES - 4);
    if (warps > NVBIT_WARPS_MAX)
        return teg_fail_byte(d, TEG_FORMAT, z->source.path, position,
                             "expected at most %d warps in a block, found %u",
                             NVBIT_WARPS_MAX, warps);
    nvbit_feed_block(&z->feed, at);
    for (uint32_t i = 0; i < warps; i++)
        TRY(take_warp(z, i, d));
    return nvbit_feed_end(&z->feed, 0, block, d);
}

static teg_status find_block(struct tracez *z, struct teg_block **block,
                             struct teg_diag *d)
{
    *block = NULL;
    while (*block == NULL && z->blocks_left != 0) {
        z->blocks_left--;
        TRY(take_block(z, block, d));
    }
    return *block == NULL ? nvbit_feed_finish(&z->feed, d) : TEG_OK;
}

static teg_status tracez_next(void *self, struct teg_block **block,
                              struct teg_diag *d)
{
    struct tracez *z = self;

    if (z->ahead != NULL) {
        *block = z->ahead;
        z->ahead = NULL;
        return TEG_OK;
    }
    return find_block(z, block, d);
}

static void tracez_close(void *self)
{
    struct tracez *z = self;

    teg_block_free(z->ahead);
    if (z->fd >= 0)
        close(z->fd);
    nvbit_lines_release(&z->lines);
    nvbit_feed_release(&z->feed);
    ZSTD_freeDCtx(z->unpacker);
    ZSTD_freeDDict(z->dictionary);
    teg_buffer_release(&z->packed);
    teg_buffer_release(&z->text);
    teg_buffer_release(&z->index);
    teg_kernel_release(&z->kernel);
    free(z);
}

/* ---- opening ------------------------------------------------------------------------ */

int tracez_recognise(const uint8_t *bytes, size_t size)
{
    const uint8_t *at = bytes, *end = memchr(bytes, '\0', size);

    if (end == NULL || size == 0 || *bytes != '-' ||
        !nvbit_header_recognise(bytes, (size_t)(end - bytes)))
        return 0;
    while (at < end) {
        const uint8_t *eol = memchr(at, '\n', (size_t)(end - at));

        if (*at != '-' && *at != '#' && *at != '\n' && *at != '\r')
            return 0;
        at = eol != NULL ? eol + 1 : end;
    }
    return 1;
}

/* Reads the header lines; `*behind` is where the bytes after the NUL begin. */
static teg_status read_header(struct tracez *z,
                              const struct teg_trace_options *options,
                              uint64_t *behind, struct teg_diag *d)
{
    struct nvbit_header header;
    uint64_t n = z->size < HEADER_MAX ? z->size : HEADER_MAX, line = 0;
    char *at, *end;

    nvbit_header_init(&header, &z->kernel, z->source.path);
    TRY(read_at(z, 0, n, z->size, &z->text, d));
    at = (char *)z->text.data;
    end = n != 0 ? memchr(at, '\0', (size_t)n) : NULL;
    if (end == NULL)
        return teg_fail(d, TEG_FORMAT, z->source.path,
                        "expected a header ended by a NUL within %d bytes, "
                        "found none",
                        HEADER_MAX);
    *behind = (uint64_t)(end + 1 - (char *)z->text.data);
    while (at < end) {
        char *eol = memchr(at, '\n', (size_t)(end - at));

        if (eol == NULL)
            eol = end;
        *eol = '\0';
        if (eol > at && eol[-1] == '\r')
            eol[-1] = '\0';
        line++;
        if (*at == '-')
            TRY(nvbit_header_line(&header, at, line, d));
        at = eol + 1;
    }
    nvbit_header_finish(&header, options);
    return TEG_OK;
}

static teg_status read_dictionary(struct tracez *z, uint64_t at,
                                  struct teg_diag *d)
{
    uint32_t size;

    TRY(read_at(z, at, 8, z->size, &z->packed, d));
    size = u32_at(z->packed.data);
    if (size > DICTIONARY_MAX)
        return teg_fail_byte(d, TEG_LIMIT, z->source.path, at,
                             "expected a dictionary of at most %d bytes, "
                             "found %u",
                             DICTIONARY_MAX, size);
    TRY(read_at(z, at + 8, size, z->size, &z->packed, d));
    z->unpacker = ZSTD_createDCtx();
    if (size != 0)
        z->dictionary = ZSTD_createDDict(z->packed.data, size);
    if (z->unpacker == NULL || (size != 0 && z->dictionary == NULL))
        return teg_fail_byte(d, TEG_FORMAT, z->source.path, at + 8,
                             "expected a zstd dictionary, found damage");
    return TEG_OK;
}

static teg_status read_index(struct tracez *z, struct teg_diag *d)
{
    if (z->size < TRAILER_BYTES)
        return teg_fail(d, TEG_FORMAT, z->source.path,
                        "expected the index's offset at the end, found only "
                        "%" PRIu64 " bytes",
                        z->size);
    z->index_end = z->size - TRAILER_BYTES;
    TRY(read_at(z, z->index_end, TRAILER_BYTES, z->size, &z->index, d));
    z->data_end = z->index_at = u64_at(z->index.data);
    if (z->index_at > z->index_end || z->index_end - z->index_at < 4)
        return teg_fail_byte(d, TEG_FORMAT, z->source.path, z->index_end,
                             "expected the offset of an index inside the "
                             "file, found 0x%" PRIx64,
                             z->index_at);
    TRY(take_index(z, 4, d));
    z->blocks_left = u32_at(z->index.data);
    if (z->blocks_left > (z->index_end - z->index_at) / BLOCK_RECORD_BYTES)
        return teg_fail_byte(d, TEG_FORMAT, z->source.path, z->data_end,
                             "expected an index of %u blocks, found only "
                             "%" PRIu64 " bytes",
                             z->blocks_left, z->index_end - z->index_at);
    return TEG_OK;
}

/* A header without dimensions leaves them to the index and the first block. */
static teg_status derive_dimensions(struct tracez *z, struct teg_diag *d)
{
    struct teg_kernel *k = &z->kernel;

    if (k->grid[0] == 0) {
        /* All that is known without walking the index. */
        k->grid[0] = z->blocks_left != 0 ? z->blocks_left : 1;
        k->grid[1] = k->grid[2] = 1;
    }
    if (k->block[0] != 0)
        return TEG_OK;
    TRY(find_block(z, &z->ahead, d));
    k->block[0] = (z->feed.warp_last + 1) * TEG_LANES;
    k->block[1] = k->block[2] = 1;
    return TEG_OK;
}

static teg_status tracez_open(struct tracez *z,
                              const struct teg_trace_options *options,
                              struct teg_diag *d)
{
    uint64_t behind = 0;

    z->kernel.name = strdup("");
    if (z->kernel.name == NULL)
        return teg_fail_memory(d);
    nvbit_lines_init(&z->lines, &z->kernel, z->lines_path);
    TRY(nvbit_feed_init(&z->feed, &z->kernel, z->source.path, d));
    TRY(open_file(z, d));
    TRY(read_header(z, options, &behind, d));
    TRY(read_dictionary(z, behind, d));
    TRY(read_index(z, d));
    return derive_dimensions(z, d);
}

teg_status tracez_launch(const struct teg_source *source,
                         const struct teg_trace_options *options,
                         struct teg_launch *launch, struct teg_diag *d)
{
    struct tracez *z = calloc(1, sizeof *z);
    teg_status status;

    if (z == NULL)
        return teg_fail_memory(d);
    z->fd = -1;
    z->source = *source;
    status = tracez_open(z, options, d);
    if (status != TEG_OK) {
        tracez_close(z);
        return status;
    }
    *launch = (struct teg_launch){
        .kernel = &z->kernel,
        .self = z,
        .next = tracez_next,
        .close = tracez_close,
    };
    return TEG_OK;
}
