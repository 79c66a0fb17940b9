#include "tools/cudart/names.h"

#include <fnmatch.h>
#include <stdio.h>

#include "isa/base/name.h"

const char *plain_name(const char *symbol, char *out, size_t size)
{
    char name[TEG_NAME_MAX];

    snprintf(out, size, "%s", teg_name_readable(symbol, NAME_SHORT, name));
    return out;
}

int name_matches(const char *pattern, const char *symbol)
{
    char name[TEG_NAME_MAX];

    return fnmatch(pattern, symbol, 0) == 0 ||
           fnmatch(pattern, teg_name_readable(symbol, NAME_SHORT, name), 0) ==
               0 ||
           teg_name_matches(symbol, pattern);
}
