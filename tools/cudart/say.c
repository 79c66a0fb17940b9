#include "tools/cudart/say.h"

#include <stdarg.h>
#include <stdio.h>

void runtime_say(const char *where, const char *format, ...)
{
    char line[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    fflush(stdout);
    fprintf(stderr, "teg: %s%s%s\n", where, where[0] != '\0' ? ": " : "", line);
}

void runtime_say_fault(const struct teg_diag *d)
{
    runtime_say(d->where, "%s", d->what);
}
