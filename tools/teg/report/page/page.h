/*
 * One page about one replayed kernel: a single HTML file that needs no network
 * and, for all but zooming and sorting, no script.
 *
 * Bounded whatever the kernel: series have at most 512 bins, the table of
 * instructions PAGE_ROWS_MAX rows (the most stalled).
 */
#ifndef TEG_TOOLS_TEG_REPORT_PAGE_PAGE_H
#define TEG_TOOLS_TEG_REPORT_PAGE_PAGE_H

#include "sim/collect/by_pc.h"
#include "sim/collect/sm_load.h"
#include "sim/collect/timeline.h"
#include "tools/teg/replay/ranking.h"
#include "tools/teg/report/critical.h"
#include "tools/teg/report/report.h"

#define PAGE_ROWS_MAX 1500
#define PAGE_TEXT_MAX 120 /* characters of an instruction */

struct page {
    const struct result *result; /* borrowed; with by_pc */
    const struct timeline *chip; /* borrowed */
    const struct timeline *one;  /* borrowed: of one SM */
    const struct timeline *sub;  /* borrowed, [sub_cores] of that SM */
    uint32_t sub_cores;
    const struct sm_load *sms;    /* borrowed: all of them */
    const struct whatif *ranking; /* borrowed; NULL: not asked for */
    const struct critical_sequence *critical; /* likewise */
    const char *trace;                        /* path as given */
    uint32_t crc;                             /* CRC-32 of the trace file */
    uint64_t trace_bytes;
    /* Of dygraphs, borrowed; NULL: the charts stay static. */
    const char *script, *style;
};

/* Returns an exit status. */
int page_write(FILE *f, const struct page *page);

#endif
