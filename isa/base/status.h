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

/* Each fills `d` (which may be NULL) and returns `status`:
 *   teg_fail(d, status, where, format, ...)
 *   teg_fail_line(d, status, path, line, format, ...)
 *   teg_fail_byte(d, status, path, byte, format, ...)
 *   teg_fail_errno(d, path, verb)   TEG_IO with the text of errno:
 *                                   "path: cannot VERB: No such file ..."
 *   teg_fail_memory(d)              TEG_MEMORY
 * Macros, so that the compiler sees which status comes back and does not
 * suspect results of being used after a failure. */
#define teg_fail(d, status, ...) \
    teg_status_is(status, teg_diag_text(d, status, __VA_ARGS__))
#define teg_fail_line(d, status, ...) \
    teg_status_is(status, teg_diag_line(d, status, __VA_ARGS__))
#define teg_fail_byte(d, status, ...) \
    teg_status_is(status, teg_diag_byte(d, status, __VA_ARGS__))
#define teg_fail_errno(d, path, verb) \
    teg_status_is(TEG_IO, teg_diag_errno(d, path, verb))
#define teg_fail_memory(d) teg_fail(d, TEG_MEMORY, "", "%s", "out of memory")

int teg_diag_text(struct teg_diag *d, teg_status status, const char *where,
                  const char *format, ...) TEG_PRINTF(4, 5);
int teg_diag_line(struct teg_diag *d, teg_status status, const char *path,
                  uint64_t line, const char *format, ...) TEG_PRINTF(5, 6);
int teg_diag_byte(struct teg_diag *d, teg_status status, const char *path,
                  uint64_t byte, const char *format, ...) TEG_PRINTF(5, 6);
int teg_diag_errno(struct teg_diag *d, const char *path, const char *verb);

static inline teg_status teg_status_is(teg_status status, int filled)
{
    (void)filled;
    return status;
}

/* Returns the failing status of `call` from the enclosing function. */
#define TRY(call)                        \
    do {                                 \
        teg_status try_status_ = (call); \
        if (try_status_ != TEG_OK)       \
            return try_status_;          \
    } while (0)

#endif
