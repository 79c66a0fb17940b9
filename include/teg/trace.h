/*
 * Traces: files of any readable format, recognised by content, with one or
 * more kernel launches in them.
 *
 *     struct teg_trace *trace;
 *
 *     if (teg_trace_open("kernel.tegt", NULL, &trace, &d) == TEG_OK)
 *         ... teg_replay_new(trace, 0, &replay, &d) ...
 *     teg_trace_close(trace);
 *
 * A trace is used by one thread at a time.
 */
#ifndef TEG_PUBLIC_TRACE_H
#define TEG_PUBLIC_TRACE_H

#include "status.h"

TEG_BEGIN

struct teg_trace;

/* What may be said about a trace when it is opened. */
struct teg_trace_options;

TEG_API teg_status teg_trace_options_new(struct teg_trace_options **options,
                                         struct teg_diag *d);
TEG_API void teg_trace_options_free(struct teg_trace_options *options);
/* Where the trace is wrong: the architecture of the code (70 for sm_70) and
 * registers per thread; 0: as the trace says. */
TEG_API void teg_trace_options_isa(struct teg_trace_options *options,
                                   uint32_t isa);
TEG_API void teg_trace_options_registers(struct teg_trace_options *options,
                                         uint32_t registers);
/* Where raw traces are sorted; NULL: /tmp. */
TEG_API teg_status teg_trace_options_spill(struct teg_trace_options *options,
                                           const char *directory,
                                           struct teg_diag *d);
/* "N=1024": a parameter of a kernel sketch, once each. */
TEG_API teg_status teg_trace_options_param(struct teg_trace_options *options,
                                           const char *setting,
                                           struct teg_diag *d);

/* Opens `path`, or the list (kernels.json, kernelslist.g, kernelslist) in the
 * folder `path`.  `options` may be NULL, and may be freed afterwards. */
TEG_API teg_status teg_trace_open(const char *path,
                                  const struct teg_trace_options *options,
                                  struct teg_trace **trace, struct teg_diag *d);
/* The same from memory, which is borrowed until the trace is closed and all
 * replays of it are freed; `name` stands for the file.  Not for a .tegt. */
TEG_API teg_status
teg_trace_open_memory(const char *name, const uint8_t *bytes, size_t size,
                      const struct teg_trace_options *options,
                      struct teg_trace **trace, struct teg_diag *d);
TEG_API void teg_trace_close(struct teg_trace *trace); /* NULL is harmless */

/* The file that was opened: `path`, or the list in that folder; the trace's. */
TEG_API const char *teg_trace_path(const struct teg_trace *trace);
/* "tegt", "nvbit", "nvbit-raw", "tracez", "sketch", "kernelslist" or
 * "kernels.json"; static. */
TEG_API const char *teg_trace_format_text(const struct teg_trace *trace);
/* Launches in the trace, at least 1. */
TEG_API uint32_t teg_trace_kernels(const struct teg_trace *trace);
/* Of launch `i`, which must be below teg_trace_kernels: its name where it is
 * known without opening (a list's file name), else ""; */
TEG_API const char *teg_trace_kernel_label(const struct teg_trace *trace,
                                           uint32_t i);
/* the file that holds it: a list's, or the trace itself; */
TEG_API const char *teg_trace_kernel_path(const struct teg_trace *trace,
                                          uint32_t i);
/* identical launches that it stands for, at least 1. */
TEG_API uint32_t teg_trace_kernel_launches(const struct teg_trace *trace,
                                           uint32_t i);

TEG_END

#endif
