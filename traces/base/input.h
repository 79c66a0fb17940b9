/*
 * A stream of bytes or lines from a file or from memory, decompressed on the
 * way: gzip, xz and zstd are recognised by their first bytes, everything else
 * passes unchanged.
 *
 * Memory is bounded whatever the file holds: a line may have TEG_INPUT_LINE_MAX
 * bytes, a compressed file may ask its decoder for 256 MiB.
 */
#ifndef TEG_TRACES_BASE_INPUT_H
#define TEG_TRACES_BASE_INPUT_H

#include "isa/base/status.h"

enum {
    TEG_INPUT_LINE_MAX = 1 << 20,
    TEG_INPUT_PEEK_MAX = 1 << 18,
};

/* Where bytes come from.  All borrowed; outlives whoever reads. */
struct teg_source {
    const char *path;     /* for opening and for diagnostics */
    const uint8_t *bytes; /* not NULL: the contents, no file is opened */
    size_t size;
};

enum teg_packing {
    PACKING_NONE,
    PACKING_GZIP,
    PACKING_XZ,
    PACKING_ZSTD,
    TEG_PACKINGS
};

struct teg_input;

/* Refuses what is not a regular file: a directory, a device, a pipe (which
 * could not be read a second time). */
teg_status teg_input_open(const struct teg_source *source,
                          struct teg_input **in, struct teg_diag *d);
void teg_input_close(struct teg_input *in); /* NULL is harmless */

enum teg_packing teg_input_packing(const struct teg_input *in);
const char *teg_packing_name(enum teg_packing packing);

/* The next bytes, up to TEG_INPUT_PEEK_MAX, fewer only where the stream ends;
 * takes none of them.  `*bytes` stays valid until the next call. */
teg_status teg_input_peek(struct teg_input *in, const uint8_t **bytes,
                          size_t *size, struct teg_diag *d);

/* The next line without its end ("\n" or "\r\n"), followed by a NUL; `*line`
 * is NULL after the last.  It may be changed and stays valid until the next
 * call. */
teg_status teg_input_line(struct teg_input *in, char **line, size_t *length,
                          struct teg_diag *d);
/* Number of the line handed out last, from 1. */
uint64_t teg_input_line_number(const struct teg_input *in);
/* True if the line handed out last ended with the stream, not with "\n". */
int teg_input_line_cut(const struct teg_input *in);

#endif
