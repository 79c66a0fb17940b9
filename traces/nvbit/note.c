#include "traces/nvbit/note.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

void nvbit_note(struct teg_kernel *kernel, const char *kind, const char *path,
                uint64_t line, const char *format, ...)
{
    char where[256] = "", what[320] = "";
    va_list arguments;

    /* Only the first text is kept: do not compose the others. */
    if (teg_notes_count(&kernel->notes, kind) == 0) {
        if (line != 0)
            snprintf(where, sizeof where, "%.200s:%" PRIu64, path, line);
        else
            snprintf(where, sizeof where, "%.200s", path);
        va_start(arguments, format);
        vsnprintf(what, sizeof what, format, arguments);
        va_end(arguments);
    }
    teg_notes_add(&kernel->notes, kind, where, "%s", what);
}
