/*
 * `teg power --split` and `--efficiency`: a CPU and a GPU together, from
 * numbers given by hand.
 */
#ifndef TEG_TOOLS_TEG_POWER_HETERO_H
#define TEG_TOOLS_TEG_POWER_HETERO_H

#include "tools/teg/cli/settings.h"
#include "tools/teg/replay/job.h"

/* Each prints to the job's output; returns an exit status. */
int hetero_split(const struct job *job, const struct settings *s);
/* Without gpu_share: eleven points from all CPU to all GPU. */
int hetero_efficiency(const struct job *job, const struct settings *s);

#endif
