#include "tools/cudart/say.h"

#include <stdarg.h>
#include <stdio.h>

#include "isa/base/printable.h"

void runtime_say(const char *where, const char *format, ...)
{
    char raw[1024], line[1024], place[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(raw, sizeof raw, format, arguments);
    va_end(arguments);
    fflush(stdout);
    fprintf(stderr, "teg: %s%s%s\n", teg_printable(place, sizeof place, where),
            where[0] != '\0' ? ": " : "",
            teg_printable(line, sizeof line, raw));
}

void runtime_say_fault(const struct teg_diag *d)
{
    runtime_say(d->where, "%s", d->what);
}
