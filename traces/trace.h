/*
 * A trace file of any readable format, recognised by content:
 *   .tegt container, NVBit text (.traceg, raw .trace) plain or compressed,
 *   .tracez, kernelslist.g, kernels.json, kernel sketch.
 * It holds one or more kernel launches, opened one at a time.
 */
#ifndef TEG_TRACES_TRACE_H
#define TEG_TRACES_TRACE_H

#include "traces/base/options.h"
#include "traces/block/cursor.h"

struct teg_trace;

enum teg_trace_format {
    TRACE_TEGT,
    TRACE_NVBIT_TEXT, /* grouped text */
    TRACE_NVBIT_RAW,  /* text with blocks interleaved */
    TRACE_TRACEZ,
    TRACE_SKETCH,
    TRACE_LIST, /* kernelslist.g */
    TRACE_JSON, /* kernels.json */
};

/* Opens `path`.  `options` may be NULL. */
teg_status teg_trace_open(const char *path,
                          const struct teg_trace_options *options,
                          struct teg_trace **trace, struct teg_diag *d);
/* The same from memory, which is borrowed until the trace is closed; `name`
 * stands for the file.  Not for a .tegt. */
teg_status teg_trace_open_memory(const char *name, const uint8_t *bytes,
                                 size_t size,
                                 const struct teg_trace_options *options,
                                 struct teg_trace **trace, struct teg_diag *d);
void teg_trace_close(struct teg_trace *trace);

enum teg_trace_format teg_trace_format(const struct teg_trace *trace);
const char *teg_trace_format_name(enum teg_trace_format format);
/* Launches in the trace, at least 1. */
uint32_t teg_trace_kernels(const struct teg_trace *trace);
/* Name without opening where it is known (a list's file name), else "". */
const char *teg_trace_kernel_label(const struct teg_trace *trace, uint32_t i);
/* The file that holds launch `i`: a list's, or the trace itself. */
const char *teg_trace_kernel_path(const struct teg_trace *trace, uint32_t i);
/* Identical launches that launch `i` stands for, at least 1. */
uint32_t teg_trace_kernel_launches(const struct teg_trace *trace, uint32_t i);
/* Whether the launches are files of their own. */
int teg_trace_is_list(const struct teg_trace *trace);
/* Remarks about the trace as a whole (a list's missing file). */
const struct teg_notes *teg_trace_notes(const struct teg_trace *trace);

/* Opens launch `i` from its first block; can be done again and again.
 * `launch->close(launch->self)` ends it.  The header facts of
 * `launch->kernel` are valid at once. */
teg_status teg_trace_launch(struct teg_trace *trace, uint32_t i,
                            struct teg_launch *launch, struct teg_diag *d);

#endif
