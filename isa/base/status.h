/*
 * Status codes and diagnostics: how every fallible call of the library ends.
 * What users see of them stands in include/teg/status.h.
 *
 * A fallible function returns a teg_status and takes, as its last parameter,
 * a struct teg_diag that the function which finds the fault fills with one
 * sentence: where, what was expected, what was found.  Callers above return
 * the status unchanged.  Nothing here prints; tools/ does.
 */
#ifndef TEG_ISA_BASE_STATUS_H
#define TEG_ISA_BASE_STATUS_H

#include "include/teg/status.h"

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
