/*
 * A trace file of any readable format, recognised by content:
 *   .tegt container, NVBit text (.traceg, raw .trace) plain or compressed,
 *   .tracez, kernelslist.g, kernels.json, kernel sketch.
 * It holds one or more kernel launches, opened one at a time.  How it is opened
 * and closed stands in include/teg/trace.h.
 */
#ifndef TEG_TRACES_TRACE_H
#define TEG_TRACES_TRACE_H

#include "include/teg/trace.h"
#include "traces/base/options.h"
#include "traces/block/cursor.h"
#include "traces/list/score.h"
#include "traces/list/step.h"

enum teg_trace_format {
    TRACE_TEGT,
    TRACE_NVBIT_TEXT, /* grouped text */
    TRACE_NVBIT_RAW,  /* text with blocks interleaved */
    TRACE_TRACEZ,
    TRACE_SKETCH,
    TRACE_LIST, /* kernelslist.g */
    TRACE_JSON, /* kernels.json */
};

enum teg_trace_format teg_trace_format(const struct teg_trace *trace);
const char *teg_trace_format_name(enum teg_trace_format format);
/* What the program did, in order, [*count]; none: the launches, one after the
 * other. */
const struct teg_step *teg_trace_steps(const struct teg_trace *trace,
                                       size_t *count);
/* All of it, with streams, events and graphs; NULL: it has not been said. */
const struct teg_score *teg_trace_score(const struct teg_trace *trace);
/* The first launch that `i` differs from in nothing but where its buffers are, as far
 * as a list says; `i` itself. */
uint32_t teg_trace_kernel_alike(const struct teg_trace *trace, uint32_t i);
/* Whether the launches are files of their own. */
int teg_trace_is_list(const struct teg_trace *trace);
/* Remarks about the trace as a whole (a list's missing file). */
const struct teg_notes *teg_trace_notes(const struct teg_trace *trace);

/* Opens launch `i` from its first block; can be done again and again.
 * `launch->close(launch->self)` ends it.  The header facts of
 * `launch->kernel` are valid at once. */
teg_status teg_trace_launch(struct teg_trace *trace, uint32_t i,
                            struct teg_launch *launch, struct teg_diag *d);
/* Opens the file that holds launch `i` once more, with the same options, as a
 * trace of its own; `*number` is the launch's there. */
teg_status teg_trace_reopen(const struct teg_trace *trace, uint32_t i,
                            struct teg_trace **again, uint32_t *number,
                            struct teg_diag *d);

#endif
