/*
 * Series over time as CSV files, next to the result of `teg run`:
 *
 *   --pc-trace FILE   a row per instruction issued by the chosen warps
 *       cycle,sm,block,warp,pc,instruction,active_lanes,done,stalled,reason
 *   --timeline FILE   a row per bin of time
 *       cycle,<unit>_active_percent,<unit>_load,...
 *     "-" is standard output.
 */
#ifndef TEG_TOOLS_SERIES_H
#define TEG_TOOLS_SERIES_H

#include "sim/collect/pc_trace.h"
#include "tools/teg/simulate.h"

/* Reads "BLOCK:WARP", each a number or a range like 0-7, or only WARP (of
 * block 0), into `choice`; NULL means all warps of block 0.  Says what is
 * wrong and returns an exit status. */
int pc_choice_parse(const char *text, struct pc_trace_choice *choice);

/* Reads "N" or "N-M" up to `end`, first <= last; false if it is neither. */
bool range_parse(const char *text, const char *end, uint64_t *first,
                 uint64_t *last);

int write_pc_trace(const char *path, const struct pc_trace *t);
int write_timeline(const char *path, const struct replay *r);

#endif
