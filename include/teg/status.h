/*
 * How every call that can fail ends: a status, and a sentence.
 *
 * Such a call returns a teg_status and takes, as its last parameter, a struct
 * teg_diag of the caller's (or NULL), which is filled on failure only: where
 * the fault is, what was expected, what was found.  Results leave through
 * pointers, which hold NULL after a failure unless it says otherwise.
 *
 *     teg: kernel.traceg:12: expected a mask of 8 digits, found 'zz'
 *
 * The library prints nothing, ends no process, handles no signal and keeps
 * nothing between calls but what its handles hold.
 */
#ifndef TEG_PUBLIC_STATUS_H
#define TEG_PUBLIC_STATUS_H

#include "api.h"

TEG_BEGIN

typedef enum teg_status {
    TEG_OK = 0,
    TEG_IO,          /* a file cannot be opened, read or written */
    TEG_FORMAT,      /* bytes or text that are not what the format says */
    TEG_CONFIG,      /* a GPU description with a missing or impossible value */
    TEG_LIMIT,       /* well-formed, but beyond what the chip or teg can hold */
    TEG_DEADLOCK,    /* a simulation in which nothing can ever happen again */
    TEG_UNKNOWN,     /* a name that nothing is registered under */
    TEG_MEMORY,      /* out of memory */
    TEG_INTERRUPTED, /* the caller asked to stop */
} teg_status;

struct teg_diag {
    teg_status status;
    char where[384]; /* "file:12", "file+0x4f20", "block 3 warp 1"; may be "" */
    char what[512];
};

/* "format", "limit": the enumerator's name, static. */
TEG_API const char *teg_status_name(teg_status status);

TEG_END

#endif
