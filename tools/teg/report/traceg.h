/*
 * Writes a kernel as NVBit text (grouped, tracer version 5), for other
 * simulators and for benchmarks.
 *
 * Predicates, uniform registers and control codes have no place in that
 * format and are left out; of a register pair only the first is named, as the
 * tracer does.
 */
#ifndef TEG_TOOLS_TEG_REPORT_TRACEG_H
#define TEG_TOOLS_TEG_REPORT_TRACEG_H

#include "traces/block/cursor.h"

#include <stdio.h>

/* Writes all blocks of `launch`; faults of `f` are left to its owner. */
teg_status traceg_write(FILE *f, struct teg_launch *launch, struct teg_diag *d);

#endif
