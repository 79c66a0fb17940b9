/* The name a person knows a kernel by. */
#ifndef TEG_TOOLS_CUDART_NAMES_H
#define TEG_TOOLS_CUDART_NAMES_H

#include <stddef.h>

enum {
    PLAIN_MAX = 64, /* room that is enough for most */
};

/*
 * Writes the last identifier of a C++ symbol's name into `out`, cut to its
 * room: "saxpy" of "_Z5saxpyifPKfPf", "run" of "_ZN3app3runEv".  Any other name
 * is copied.  Returns `out`.
 */
const char *plain_name(const char *symbol, char *out, size_t size);

/* True if the shell pattern matches the symbol or its plain name, or is any of
 * its names (isa/base/name.h). */
int name_matches(const char *pattern, const char *symbol);

#endif
