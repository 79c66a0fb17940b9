/*
 * What is said of the what-ifs ranked by gain (replay/ranking.h):
 *
 *     what if                          cycles   speedup
 *     (as it is)                      123,456
 *     all                              12,345    10.00x
 *     no-memory-latency                61,728     2.00x
 *     no-bank-conflicts               123,456     no change
 */
#ifndef TEG_TOOLS_TEG_REPORT_RANKING_H
#define TEG_TOOLS_TEG_REPORT_RANKING_H

#include "tools/teg/replay/ranking.h"

/* {"baseline_cycles", "toggles"} with `incomplete`: docs/json.md. */
json_t *ranking_json(const struct whatif *w);

/* Writes the whole list to the job's output; returns an exit status. */
int ranking_write(const struct whatif *w);

#endif
