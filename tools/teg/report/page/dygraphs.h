/* The chart library, whose text goes into the pages so that charts zoom. */
#ifndef TEG_TOOLS_TEG_REPORT_PAGE_DYGRAPHS_H
#define TEG_TOOLS_TEG_REPORT_PAGE_DYGRAPHS_H

#include <stdbool.h>

/* Where Debian's libjs-dygraphs puts it. */
#define DYGRAPHS "/usr/share/javascript/dygraphs"

struct dygraphs {
    const char *directory; /* as given; NULL: DYGRAPHS */
    bool looked;
    char *script, *style; /* owned; NULL: not there, charts stay static */
};

/* Reads it the first time; says if it is not there. */
int dygraphs_find(struct dygraphs *d);
void dygraphs_release(struct dygraphs *d);

#endif
