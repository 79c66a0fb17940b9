/* What stands around every page: head with styles, scripts, end. */
#ifndef TEG_TOOLS_TEG_REPORT_PAGE_FRAME_H
#define TEG_TOOLS_TEG_REPORT_PAGE_FRAME_H

#include <stdio.h>

/* Up to the body; `style` of a chart library before teg's own, or NULL. */
void html_frame_open(FILE *f, const char *title, const char *gpu,
                     const char *style);
/* After the charts' data (id "data"); `script` of that library, or NULL. */
void html_frame_close(FILE *f, const char *script);

#endif
