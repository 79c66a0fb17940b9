#include "isa/base/status.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 3, 0))) static void fill(struct teg_diag *d,
                                                       teg_status status,
                                                       const char *format,
                                                       va_list arguments)
{
    d->status = status;
    vsnprintf(d->what, sizeof d->what, format, arguments);
}

int teg_diag_text(struct teg_diag *d, teg_status status, const char *where,
                  const char *format, ...)
{
    va_list arguments;

    if (d == NULL)
        return 0;
    snprintf(d->where, sizeof d->where, "%s", where);
    va_start(arguments, format);
    fill(d, status, format, arguments);
    va_end(arguments);
    return 0;
}

int teg_diag_line(struct teg_diag *d, teg_status status, const char *path,
                  uint64_t line, const char *format, ...)
{
    va_list arguments;

    if (d == NULL)
        return 0;
    snprintf(d->where, sizeof d->where, "%s:%" PRIu64, path, line);
    va_start(arguments, format);
    fill(d, status, format, arguments);
    va_end(arguments);
    return 0;
}

int teg_diag_byte(struct teg_diag *d, teg_status status, const char *path,
                  uint64_t byte, const char *format, ...)
{
    va_list arguments;

    if (d == NULL)
        return 0;
    snprintf(d->where, sizeof d->where, "%s+0x%" PRIx64, path, byte);
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
