/*
 * Series over time as CSV files, next to the result of `teg run`:
 *
 *   --pc-trace FILE   a row per instruction issued by the chosen warps
 *       cycle,sm,block,warp,pc,instruction,active_lanes,done,stalled,reason
 *   --timeline FILE   a row per bin of time
 *       cycle,<unit>_active_percent,<unit>_load,...
 *     "-" is standard output.
 */
#ifndef TEG_TOOLS_TEG_REPORT_SERIES_H
#define TEG_TOOLS_TEG_REPORT_SERIES_H

#include "sim/collect/pc_trace.h"
#include "tools/teg/replay/simulate.h"

/* Reads "BLOCK:WARP", each a number or a range like 0-7, or only WARP (of
 * block 0), into `choice`; NULL means all warps of block 0.  Says what is
 * wrong and returns an exit status. */
int pc_choice_parse(const char *text, struct pc_trace_choice *choice);

/* Reads "N" or "N-M" up to `end`, first <= last; false if it is neither. */
bool range_parse(const char *text, const char *end, uint64_t *first,
                 uint64_t *last);

/* The SM, warp slots and cycles a view is limited to, as given (NULL: not)
 * and as read. */
struct window {
    const char *sm_text, *warp_text, *cycles_text;
    uint32_t sm, warp_first, warp_last;
    uint64_t from, to; /* [from, to) */
};

/* Without the options: SM 0, `warps` slots, all cycles. */
int window_parse(struct window *w, const struct teg_gpu *gpu, uint32_t warps);
struct pc_trace_choice window_choice(const struct window *w, size_t points_max);

/* clang-format off */
#define WINDOW_OPTIONS(w, warps)                                               \
    {"sm", 0, OPT_TEXT, &(w).sm_text, "N", "look at this SM (default: 0)",     \
     NULL},                                                                    \
    {"warp", 0, OPT_TEXT, &(w).warp_text, "A-B",                               \
     "at these warp slots of it (default: " warps ")", NULL},                  \
    {"cycles", 0, OPT_TEXT, &(w).cycles_text, "A:B",                           \
     "from cycle A up to B", NULL}
/* clang-format on */

int write_pc_trace(const char *path, const struct pc_trace *t);
int write_timeline(const char *path, const struct replay *r);

#endif
