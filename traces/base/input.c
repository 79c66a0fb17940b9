#include "traces/base/input.h"

#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

enum {
    CHUNK_BYTES = 1 << 18, /* read or decompressed at once */
    OUT_BYTES = TEG_INPUT_LINE_MAX + CHUNK_BYTES,
    DECODER_BYTES_MAX = 1 << 28,
    ZSTD_WINDOW_LOG_MAX = 27, /* 128 MiB; the zstd tool's own limit */
};

struct unpacker;

struct teg_input {
    const char *path; /* borrowed */
    int fd;           /* -1: memory */
    const uint8_t *memory;
    size_t memory_left;
    const struct unpacker *unpacker;

    /* what the file holds, when it is compressed */
    uint8_t *raw; /* owned, [CHUNK_BYTES] */
    size_t raw_at, raw_end;
    uint64_t raw_taken; /* bytes of the file before raw[raw_at] */
    int raw_ended;
    int between; /* a member is complete: the stream may end here */
    z_stream gzip;
    lzma_stream xz;
    ZSTD_DStream *zstd;

    /* what the reader sees */
    uint8_t *out; /* owned, [OUT_BYTES + 1] */
    size_t out_at, out_end;
    int ended;
    uint64_t lines;
    int cut;
};

/* One way to decompress.  `step` takes raw bytes and adds to `out`, at most
 * `room`; it sets `ended` when nothing can follow. */
struct unpacker {
    const char *name;
    uint8_t magic[6];
    uint8_t magic_size;
    teg_status (*begin)(struct teg_input *in, struct teg_diag *d);
    teg_status (*step)(struct teg_input *in, size_t room, size_t *made,
                       struct teg_diag *d);
    void (*end)(struct teg_input *in);
};

/* ---- the file's own bytes ------------------------------------------------ */

static teg_status read_bytes(struct teg_input *in, uint8_t *to, size_t room,
                             size_t *got, struct teg_diag *d)
{
    ssize_t n;

    if (in->fd < 0) {
        *got = in->memory_left < room ? in->memory_left : room;
        if (*got != 0)
            memcpy(to, in->memory, *got);
        in->memory += *got;
        in->memory_left -= *got;
        return TEG_OK;
    }
    do
        n = read(in->fd, to, room);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return teg_fail_errno(d, in->path, "read");
    *got = (size_t)n;
    return TEG_OK;
}

/* Makes sure that raw bytes are there, unless the file has ended. */
static teg_status fill_raw(struct teg_input *in, struct teg_diag *d)
{
    size_t got;

    if (in->raw_at != in->raw_end || in->raw_ended)
        return TEG_OK;
    TRY(read_bytes(in, in->raw, CHUNK_BYTES, &got, d));
    in->raw_at = 0;
    in->raw_end = got;
    in->raw_ended = got == 0;
    return TEG_OK;
}

static void take_raw(struct teg_input *in, size_t n)
{
    in->raw_at += n;
    in->raw_taken += n;
}

static teg_status damaged(struct teg_input *in, const char *found,
                          struct teg_diag *d)
{
    return teg_fail_byte(d, TEG_FORMAT, in->path, in->raw_taken,
                         "expected %s data, found %s", in->unpacker->name,
                         found);
}

static teg_status truncated(struct teg_input *in, struct teg_diag *d)
{
    return damaged(in, "the end of the file in the middle of it", d);
}

/* ---- gzip ------------------------------------------------------------------ */

static teg_status gzip_begin(struct teg_input *in, struct teg_diag *d)
{
    enum {
        GZIP_ONLY = 16
    };

    if (inflateInit2(&in->gzip, MAX_WBITS + GZIP_ONLY) != Z_OK)
        return teg_fail_memory(d);
    return TEG_OK;
}

/* After a member another may follow, or padding, which is ignored. */
static void gzip_next_member(struct teg_input *in)
{
    if (in->raw_ended || in->raw[in->raw_at] != 0x1f)
        in->ended = 1;
    else
        inflateReset(&in->gzip);
}

static teg_status gzip_step(struct teg_input *in, size_t room, size_t *made,
                            struct teg_diag *d)
{
    size_t before = in->raw_end - in->raw_at;
    int result;

    if (in->between)
        gzip_next_member(in);
    if (in->ended)
        return TEG_OK;
    if (in->raw_ended)
        return truncated(in, d);
    in->gzip.next_in = in->raw + in->raw_at;
    in->gzip.avail_in = (uInt)before;
    in->gzip.next_out = in->out + in->out_end;
    in->gzip.avail_out = (uInt)room;
    result = inflate(&in->gzip, Z_NO_FLUSH);
    *made = room - in->gzip.avail_out;
    take_raw(in, before - in->gzip.avail_in);
    in->between = result == Z_STREAM_END;
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
        return damaged(in, in->gzip.msg != NULL ? in->gzip.msg : "damage", d);
    return TEG_OK;
}

static void gzip_end(struct teg_input *in)
{
    inflateEnd(&in->gzip);
}

/* ---- xz -------------------------------------------------------------------- */

static teg_status xz_begin(struct teg_input *in, struct teg_diag *d)
{
    in->xz = (lzma_stream)LZMA_STREAM_INIT;
    if (lzma_stream_decoder(&in->xz, DECODER_BYTES_MAX, LZMA_CONCATENATED) !=
        LZMA_OK)
        return teg_fail_memory(d);
    return TEG_OK;
}

static teg_status xz_step(struct teg_input *in, size_t room, size_t *made,
                          struct teg_diag *d)
{
    size_t before = in->raw_end - in->raw_at;
    lzma_ret result;

    in->xz.next_in = in->raw + in->raw_at;
    in->xz.avail_in = before;
    in->xz.next_out = in->out + in->out_end;
    in->xz.avail_out = room;
    result = lzma_code(&in->xz, in->raw_ended ? LZMA_FINISH : LZMA_RUN);
    *made = room - in->xz.avail_out;
    take_raw(in, before - in->xz.avail_in);
    switch (result) {
    case LZMA_OK:
        return TEG_OK;
    case LZMA_STREAM_END:
        in->ended = 1;
        return TEG_OK;
    case LZMA_BUF_ERROR:
        return in->raw_ended ? truncated(in, d) : TEG_OK;
    case LZMA_MEMLIMIT_ERROR:
        return teg_fail(d, TEG_LIMIT, in->path,
                        "expected xz data that 256 MiB of memory can unpack, "
                        "found a larger dictionary");
    case LZMA_MEM_ERROR:
        return teg_fail_memory(d);
    default:
        return damaged(in, "damage", d);
    }
}

static void xz_end(struct teg_input *in)
{
    lzma_end(&in->xz);
}

/* ---- zstd ------------------------------------------------------------------ */

static teg_status zstd_begin(struct teg_input *in, struct teg_diag *d)
{
    in->zstd = ZSTD_createDStream();
    if (in->zstd == NULL)
        return teg_fail_memory(d);
    ZSTD_DCtx_setParameter(in->zstd, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG_MAX);
    return TEG_OK;
}

static teg_status zstd_step(struct teg_input *in, size_t room, size_t *made,
                            struct teg_diag *d)
{
    ZSTD_inBuffer raw = {in->raw + in->raw_at, in->raw_end - in->raw_at, 0};
    ZSTD_outBuffer out = {in->out + in->out_end, room, 0};
    size_t result;

    if (in->raw_ended && in->between) {
        in->ended = 1;
        return TEG_OK;
    }
    result = ZSTD_decompressStream(in->zstd, &out, &raw);
    if (ZSTD_isError(result))
        return damaged(in, ZSTD_getErrorName(result), d);
    *made = out.pos;
    take_raw(in, raw.pos);
    in->between = result == 0;
    if (in->raw_ended && !in->between && *made == 0)
        return truncated(in, d);
    return TEG_OK;
}

static void zstd_end(struct teg_input *in)
{
    ZSTD_freeDStream(in->zstd);
}

static const struct unpacker unpackers[TEG_PACKINGS] = {
    [PACKING_NONE] = {.name = "plain"},
    [PACKING_GZIP] = {"gzip", {0x1f, 0x8b}, 2, gzip_begin, gzip_step, gzip_end},
    [PACKING_XZ] =
        {"xz", {0xfd, '7', 'z', 'X', 'Z', 0}, 6, xz_begin, xz_step, xz_end},
    [PACKING_ZSTD] =
        {"zstd", {0x28, 0xb5, 0x2f, 0xfd}, 4, zstd_begin, zstd_step, zstd_end},
};

const char *teg_packing_name(enum teg_packing packing)
{
    return unpackers[packing].name;
}

enum teg_packing teg_input_packing(const struct teg_input *in)
{
    return (enum teg_packing)(in->unpacker - unpackers);
}

/* ---- opening --------------------------------------------------------------- */

static const char *kind_of(mode_t mode)
{
    static const struct {
        mode_t type;
        const char *name;
    } kinds[] = {
        {S_IFDIR, "a directory"},       {S_IFCHR, "a device"},
        {S_IFBLK, "a block device"},    {S_IFIFO, "a pipe"},
        {S_IFSOCK, "a network socket"},
    };

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if ((mode & S_IFMT) == kinds[i].type)
            return kinds[i].name;
    }
    return "something else";
}

static teg_status open_file(struct teg_input *in, struct teg_diag *d)
{
    struct stat facts;

    /* Not blocking, or opening a pipe would wait for its writer. */
    in->fd = open(in->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (in->fd < 0)
        return teg_fail_errno(d, in->path, "open");
    if (fstat(in->fd, &facts) != 0)
        return teg_fail_errno(d, in->path, "inspect");
    if (!S_ISREG(facts.st_mode))
        return teg_fail(d, TEG_IO, in->path,
                        "expected a regular file, found %s",
                        kind_of(facts.st_mode));
    return TEG_OK;
}

/* Reads the first bytes and finds out how they are packed. */
static teg_status recognise_packing(struct teg_input *in, struct teg_diag *d)
{
    size_t got;

    while (in->raw_end < CHUNK_BYTES) {
        TRY(read_bytes(in, in->raw + in->raw_end, CHUNK_BYTES - in->raw_end,
                       &got, d));
        if (got == 0)
            break;
        in->raw_end += got;
    }
    for (size_t i = PACKING_NONE + 1; i < TEG_PACKINGS; i++) {
        const struct unpacker *u = &unpackers[i];

        if (in->raw_end >= u->magic_size &&
            memcmp(in->raw, u->magic, u->magic_size) == 0) {
            TRY(u->begin(in, d));
            in->unpacker = u;
            return TEG_OK;
        }
    }
    memcpy(in->out, in->raw, in->raw_end);
    in->out_end = in->raw_end;
    return TEG_OK;
}

teg_status teg_input_open(const struct teg_source *source,
                          struct teg_input **in, struct teg_diag *d)
{
    struct teg_input *it = calloc(1, sizeof *it);
    teg_status status = TEG_OK;

    *in = NULL;
    if (it == NULL)
        return teg_fail_memory(d);
    it->path = source->path;
    it->fd = -1;
    it->memory = source->bytes;
    it->memory_left = source->size;
    it->unpacker = &unpackers[PACKING_NONE];
    it->raw = malloc(CHUNK_BYTES);
    it->out = malloc(OUT_BYTES + 1);
    if (it->raw == NULL || it->out == NULL)
        status = teg_fail_memory(d);
    if (status == TEG_OK && source->bytes == NULL)
        status = open_file(it, d);
    if (status == TEG_OK)
        status = recognise_packing(it, d);
    if (status != TEG_OK) {
        teg_input_close(it);
        return status;
    }
    *in = it;
    return TEG_OK;
}

void teg_input_close(struct teg_input *in)
{
    if (in == NULL)
        return;
    if (in->unpacker->end != NULL)
        in->unpacker->end(in);
    if (in->fd >= 0)
        close(in->fd);
    free(in->raw);
    free(in->out);
    free(in);
}

/* ---- reading --------------------------------------------------------------- */

static teg_status unpack(struct teg_input *in, size_t room, size_t *made,
                         struct teg_diag *d)
{
    *made = 0;
    while (*made == 0 && !in->ended) {
        TRY(fill_raw(in, d));
        TRY(in->unpacker->step(in, room, made, d));
    }
    return TEG_OK;
}

/* Adds to `out`, which must have room, or sets `ended`. */
static teg_status fill(struct teg_input *in, struct teg_diag *d)
{
    size_t room = OUT_BYTES - in->out_end, got;

    if (room > CHUNK_BYTES)
        room = CHUNK_BYTES;
    if (in->unpacker->step != NULL) {
        TRY(unpack(in, room, &got, d));
    } else {
        TRY(read_bytes(in, in->out + in->out_end, room, &got, d));
        in->ended = got == 0;
    }
    in->out_end += got;
    return TEG_OK;
}

static void move_to_front(struct teg_input *in)
{
    if (in->out_at == 0)
        return;
    memmove(in->out, in->out + in->out_at, in->out_end - in->out_at);
    in->out_end -= in->out_at;
    in->out_at = 0;
}

teg_status teg_input_peek(struct teg_input *in, const uint8_t **bytes,
                          size_t *size, struct teg_diag *d)
{
    move_to_front(in);
    while (in->out_end < TEG_INPUT_PEEK_MAX && !in->ended)
        TRY(fill(in, d));
    *bytes = in->out;
    *size = in->out_end < TEG_INPUT_PEEK_MAX ? in->out_end : TEG_INPUT_PEEK_MAX;
    return TEG_OK;
}

/* Finds the line's end, reading on as needed; the stream's end is one. */
static teg_status find_line_end(struct teg_input *in, size_t *length,
                                struct teg_diag *d)
{
    size_t searched = 0;

    for (;;) {
        const uint8_t *start = in->out + in->out_at;
        size_t have = in->out_end - in->out_at;
        const uint8_t *end =
            have == searched ? NULL
                             : memchr(start + searched, '\n', have - searched);

        if (end != NULL) {
            *length = (size_t)(end - start);
            return TEG_OK;
        }
        if (have > TEG_INPUT_LINE_MAX)
            return teg_fail_line(d, TEG_FORMAT, in->path, in->lines + 1,
                                 "expected a line of at most %d bytes, found "
                                 "a longer one",
                                 TEG_INPUT_LINE_MAX);
        if (in->ended) {
            *length = have;
            in->cut = 1;
            return TEG_OK;
        }
        searched = have;
        move_to_front(in);
        TRY(fill(in, d));
    }
}

teg_status teg_input_line(struct teg_input *in, char **line, size_t *length,
                          struct teg_diag *d)
{
    char *start;

    in->cut = 0;
    *line = NULL;
    TRY(find_line_end(in, length, d));
    if (in->cut && *length == 0)
        return TEG_OK;
    start = (char *)in->out + in->out_at;
    in->out_at += *length + (in->cut ? 0 : 1);
    in->lines++;
    start[*length] = '\0';
    if (*length != 0 && start[*length - 1] == '\r')
        start[--*length] = '\0';
    *line = start;
    return TEG_OK;
}

uint64_t teg_input_line_number(const struct teg_input *in)
{
    return in->lines;
}

int teg_input_line_cut(const struct teg_input *in)
{
    return in->cut;
}
