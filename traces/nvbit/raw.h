/*
 * Raw NVBit text (.trace): what the tracer writes while the kernel runs, the
 * lines of all resident blocks interleaved, each beginning with its block and
 * warp.  Grouped here with bounded memory; blocks come in grid order.
 */
#ifndef TEG_TRACES_NVBIT_RAW_H
#define TEG_TRACES_NVBIT_RAW_H

#include "traces/base/input.h"
#include "traces/base/options.h"
#include "traces/block/cursor.h"

#define NVBIT_RAW_BUDGET ((size_t)256 << 20)

/* Opens the launch; the file is grouped when the first block is asked for.
 * `source` and `options` (may be NULL) are borrowed until it is closed.
 * `budget` bytes of grouped instructions stay in memory. */
teg_status nvbit_raw_launch(const struct teg_source *source,
                            const struct teg_trace_options *options,
                            size_t budget, struct teg_launch *launch,
                            struct teg_diag *d);

#endif
