#include "isa/base/status.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "isa/base/printable.h"

__attribute__((format(printf, 3, 0))) static void fill(struct teg_diag *d,
                                                       teg_status status,
                                                       const char *format,
                                                       va_list arguments)
{
    char what[sizeof d->what];

    d->status = status;
    vsnprintf(what, sizeof what, format, arguments);
    teg_printable(d->what, sizeof d->what, what);
}

int teg_diag_text(struct teg_diag *d, teg_status status, const char *where,
                  const char *format, ...)
{
    va_list arguments;

    if (d == NULL)
        return 0;
    teg_printable(d->where, sizeof d->where, where);
    va_start(arguments, format);
    fill(d, status, format, arguments);
    va_end(arguments);
    return 0;
}

int teg_diag_line(struct teg_diag *d, teg_status status, const char *path,
                  uint64_t line, const char *format, ...)
{
    char where[sizeof d->where];
    va_list arguments;

    if (d == NULL)
        return 0;
    snprintf(where, sizeof where, "%s:%" PRIu64, path, line);
    teg_printable(d->where, sizeof d->where, where);
    va_start(arguments, format);
    fill(d, status, format, arguments);
    va_end(arguments);
    return 0;
}

int teg_diag_byte(struct teg_diag *d, teg_status status, const char *path,
                  uint64_t byte, const char *format, ...)
{
    char where[sizeof d->where];
    va_list arguments;

    if (d == NULL)
        return 0;
    snprintf(where, sizeof where, "%s+0x%" PRIx64, path, byte);
    teg_printable(d->where, sizeof d->where, where);
    va_start(arguments, format);
    fill(d, status, format, arguments);
    va_end(arguments);
    return 0;
}

int teg_diag_errno(struct teg_diag *d, const char *path, const char *verb)
{
    return teg_diag_text(d, TEG_IO, path, "cannot %s: %s", verb,
                         strerror(errno));
}
