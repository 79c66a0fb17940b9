/* teg model --vliw: how a launch would fill a five-slot VLIW core. */
#ifndef TEG_TOOLS_TEG_REPORT_VLIW_H
#define TEG_TOOLS_TEG_REPORT_VLIW_H

#include "tools/teg/replay/job.h"

/* Opens the trace at `path` and reports on each chosen kernel; `set` are
 * KEY=VALUE[,KEY=VALUE] with the keys of struct teg_vliw_power. */
int vliw_report(struct job *job, const char *path, const struct opt_list *set);

#endif
