/*
 * Grouped NVBit text (.traceg): a header, then thread block after thread
 * block, each warp's lines together.  docs/nvbit.md says what is accepted.
 */
#ifndef TEG_TRACES_NVBIT_GROUPED_H
#define TEG_TRACES_NVBIT_GROUPED_H

#include "traces/base/input.h"
#include "traces/base/options.h"
#include "traces/block/cursor.h"

enum nvbit_kind {
    NVBIT_NO,
    NVBIT_GROUPED,
    NVBIT_RAW, /* see traces/nvbit/raw.h */
};

/* What the first bytes of a text are. */
enum nvbit_kind nvbit_recognise(const uint8_t *bytes, size_t size);

/* Opens the launch of a grouped text; `options` may be NULL.  `source` is
 * borrowed until the launch is closed. */
teg_status nvbit_launch(const struct teg_source *source,
                        const struct teg_trace_options *options,
                        struct teg_launch *launch, struct teg_diag *d);

#endif
