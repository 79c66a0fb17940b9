/*
 * The header of an NVBit trace: lines "-key = value" (docs/nvbit.md).
 *
 * Values that no GPU can have become "unknown" with a note, as do lines that
 * are missing: a trace with a damaged header can still be replayed.
 */
#ifndef TEG_TRACES_NVBIT_HEADER_H
#define TEG_TRACES_NVBIT_HEADER_H

#include "traces/base/kernel.h"
#include "traces/base/options.h"

struct nvbit_header {
    struct teg_kernel *kernel; /* borrowed; filled as lines come */
    const char *path;          /* borrowed */
    uint64_t line;             /* of the last header line */
    unsigned seen;             /* bit per known key */
};

void nvbit_header_init(struct nvbit_header *h, struct teg_kernel *kernel,
                       const char *path);
/* Takes one line that begins with '-'; unknown keys are ignored. */
teg_status nvbit_header_line(struct nvbit_header *h, const char *text,
                             uint64_t line, struct teg_diag *d);
/* Notes what is missing and applies what the user overrides (may be NULL). */
void nvbit_header_finish(struct nvbit_header *h,
                         const struct teg_trace_options *options);

/* True if the first bytes hold a header line with a known key. */
int nvbit_header_recognise(const uint8_t *bytes, size_t size);

#endif
