/* What changed between two results as a page, one file: `teg diff --html`. */
#ifndef TEG_TOOLS_TEG_COMMANDS_DIFF_PAGE_H
#define TEG_TOOLS_TEG_COMMANDS_DIFF_PAGE_H

#include <jansson.h>
#include <stdint.h>

struct metric {
    char name[96];
    double a, b; /* NaN: not there, or null */
};

/* All borrowed. */
struct diff_page {
    const json_t *a, *b;
    const struct metric *metric; /* [metrics] */
    uint32_t metrics;
};

/* An exit status; what is wrong has been said. */
int diff_page_write(const struct diff_page *p, const char *path);

#endif
