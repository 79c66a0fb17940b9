#include "tools/cudart/names.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAME_MAX_ = 512
};

void plain_name(const char *symbol, char *out, size_t size)
{
    const char *at = symbol, *found = symbol;
    size_t length = strlen(symbol);

    if (strncmp(symbol, "_Z", 2) == 0) {
        at += 2;
        at += strspn(at, "NKVLSt");
        /* <length><identifier>, one after the other in a nested name */
        while (isdigit((unsigned char)*at)) {
            char *end;
            unsigned long n = strtoul(at, &end, 10);

            if (n == 0 || n > strlen(end))
                break;
            found = end;
            length = n;
            at = end + n;
        }
    }
    snprintf(out, size, "%.*s", (int)(length < size ? length : size - 1),
             found);
}

int name_matches(const char *pattern, const char *symbol)
{
    char plain[NAME_MAX_];

    plain_name(symbol, plain, sizeof plain);
    return fnmatch(pattern, symbol, 0) == 0 || fnmatch(pattern, plain, 0) == 0;
}
