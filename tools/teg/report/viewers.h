/*
 * Timelines for other people's viewers:
 *   Perfetto  JSON of trace events (ui.perfetto.dev, chrome://tracing): a
 *             counter for each unit and warp state, of the chip and of one SM,
 *             one for the issue slots of every SM, and a track of slices for each warp slot; 1 us there is 1 cycle
 *   Konata    a pipeline log, version 0004: an instruction a row with the
 *             stages W (waits), I (issues), X (under way)
 */
#ifndef TEG_TOOLS_TEG_REPORT_VIEWERS_H
#define TEG_TOOLS_TEG_REPORT_VIEWERS_H

#include "sim/collect/pc_trace.h"
#include "sim/collect/sm_load.h"
#include "sim/collect/timeline.h"
#include "tools/teg/replay/simulate.h"

/* Each writes `path` in one step and returns an exit status; both say so if
 * the points are not all there.  A path in .gz is compressed. */
int write_perfetto(const char *path, const struct replay *r,
                   const struct timeline *chip, const struct timeline *one,
                   const struct sm_load *sms, const struct pc_trace *points);
int write_konata(const char *path, const struct pc_trace *points);

#endif
