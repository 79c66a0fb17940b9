#include "tools/teg/cli/color.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    COLOR_AUTO,
    COLOR_ALWAYS,
    COLOR_NEVER
};

uint32_t color_when = COLOR_AUTO;
const char *const color_names[] = {"auto", "always", "never", NULL};

/* A set but empty NO_COLOR does not count. */
static bool refused(void)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

    return (no_color != NULL && no_color[0] != '\0') || term == NULL ||
           strcmp(term, "dumb") == 0;
}

static bool shows(FILE *f)
{
    if (color_when != COLOR_AUTO)
        return color_when == COLOR_ALWAYS;
    return isatty(fileno(f)) == 1 && !refused();
}

const char *tint(FILE *f, enum tint t)
{
    static const char *const escape[] = {
        [TINT_OFF] = "\033[0m",    [TINT_STRONG] = "\033[1m",
        [TINT_DIM] = "\033[2m",    [TINT_GOOD] = "\033[32m",
        [TINT_BAD] = "\033[1;31m", [TINT_NOTICE] = "\033[33m",
    };

    return shows(f) ? escape[t] : "";
}
