/* teg model --vliw: how a launch would fill a five-slot VLIW core. */
#ifndef TEG_TOOLS_VLIW_REPORT_H
#define TEG_TOOLS_VLIW_REPORT_H

#include "tools/teg/job.h"

/* Opens the trace at `path` and reports on each chosen kernel; `set` are
 * KEY=VALUE[,KEY=VALUE] with the keys of struct teg_vliw_power. */
int vliw_report(struct job *job, const char *path, const struct opt_list *set);

#endif
