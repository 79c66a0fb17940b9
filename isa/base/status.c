#include "isa/base/status.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 3, 0))) static void
fill(struct teg_diag *d, teg_status status, const char *format,
     va_list arguments)
{
    d->status = status;
    vsnprintf(d->what, sizeof d->what, format, arguments);
}

teg_status teg_fail(struct teg_diag *d, teg_status status, const char *where,
                    const char *format, ...)
{
    va_list arguments;

    if (d == NULL)
        return status;
    snprintf(d->where, sizeof d->where, "%s", where);
    va_start(arguments, format);
    fill(d, status, format, arguments);
    va_end(arguments);
    return status;
}

teg_status teg_fail_line(struct teg_diag *d, teg_status status,
                         const char *path, uint64_t line, const char *format,
                         ...)
{
    va_list arguments;

    if (d == NULL)
        return status;
    snprintf(d->where, sizeof d->where, "%s:%" PRIu64, path, line);
    va_start(arguments, format);
    fill(d, status, format, arguments);
    va_end(arguments);
    return status;
}

teg_status teg_fail_byte(struct teg_diag *d, teg_status status,
                         const char *path, uint64_t byte, const char *format,
                         ...)
{
    va_list arguments;

    if (d == NULL)
        return status;
    snprintf(d->where, sizeof d->where, "%s+0x%" PRIx64, path, byte);
    va_start(arguments, format);
    fill(d, status, format, arguments);
    va_end(arguments);
    return status;
}

teg_status teg_fail_errno(struct teg_diag *d, const char *path,
                          const char *verb)
{
    return teg_fail(d, TEG_IO, path, "cannot %s: %s", verb, strerror(errno));
}

teg_status teg_fail_memory(struct teg_diag *d)
{
    return teg_fail(d, TEG_MEMORY, "", "out of memory");
}
