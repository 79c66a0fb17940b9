/*
 * `teg power --placement 0-7-1-8,0-1-2-3`: how many TPCs sets of SMs open.
 *
 *   SMs       TPCs  fewest
 *   0-7-1-8      2       2
 *   0-1-2-3      4       2
 *
 * Fewest first: an open TPC costs power and heat (Hong 2012, 4.6 and 4.7).
 */
#ifndef TEG_TOOLS_TEG_POWER_PLACEMENT_H
#define TEG_TOOLS_TEG_POWER_PLACEMENT_H

#include "tools/teg/cli/options.h"
#include "tools/teg/replay/job.h"

/* Prints to the job's output, for its open GPU; returns an exit status. */
int placement(const struct job *job, const struct opt_list *sets);

#endif
