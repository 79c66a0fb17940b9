/*
 * Results from files: one of `teg run -f json`, or a trace, which is replayed.
 */
#ifndef TEG_TOOLS_TEG_REPORT_STORED_H
#define TEG_TOOLS_TEG_REPORT_STORED_H

#include "tools/teg/replay/job.h"

#include <jansson.h>

/* Whether the file at `path` is JSON and no list of traces. */
bool stored_is_result(const char *path);
/* The result in it, of one kernel or with "kernels".  Each says what is wrong
 * and returns an exit status. */
int stored_load(const char *path, json_t **result);
/* The results of the chosen kernels of a trace that the job has opened, with
 * its GPU, as a new array. */
int stored_replay(const struct job *job, json_t **results);

#endif
