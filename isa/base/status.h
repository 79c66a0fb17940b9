/*
 * Status codes and diagnostics: how every fallible call of the library ends.
 *
 * A fallible function returns a teg_status and takes, as its last parameter,
 * a struct teg_diag that the function which finds the fault fills with one
 * sentence: where, what was expected, what was found.  Callers above return
 * the status unchanged.  Nothing here prints; tools/ does.
 */
#ifndef TEG_ISA_BASE_STATUS_H
#define TEG_ISA_BASE_STATUS_H

#include <stddef.h>
#include <stdint.h>

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

#define TEG_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))

/* Each fills `d` (which may be NULL) and returns `status`. */
teg_status teg_fail(struct teg_diag *d, teg_status status, const char *where,
                    const char *format, ...) TEG_PRINTF(4, 5);
teg_status teg_fail_line(struct teg_diag *d, teg_status status,
                         const char *path, uint64_t line, const char *format,
                         ...) TEG_PRINTF(5, 6);
teg_status teg_fail_byte(struct teg_diag *d, teg_status status,
                         const char *path, uint64_t byte, const char *format,
                         ...) TEG_PRINTF(5, 6);
/* TEG_IO with the text of errno: "path: cannot VERB: No such file ...". */
teg_status teg_fail_errno(struct teg_diag *d, const char *path,
                          const char *verb);
teg_status teg_fail_memory(struct teg_diag *d);

/* Returns the failing status of `call` from the enclosing function. */
#define TRY(call)                        \
    do {                                 \
        teg_status try_status_ = (call); \
        if (try_status_ != TEG_OK)       \
            return try_status_;          \
    } while (0)

#endif
