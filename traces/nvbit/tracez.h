/*
 * Binary NVBit traces (.tracez): the text of each warp in zstd frames, and an
 * index of the blocks at the end (docs/nvbit.md).  Blocks are handed out in
 * the order of the index, which is read along with them: memory is what one
 * block takes.
 */
#ifndef TEG_TRACES_NVBIT_TRACEZ_H
#define TEG_TRACES_NVBIT_TRACEZ_H

#include "traces/base/input.h"
#include "traces/base/options.h"
#include "traces/block/cursor.h"

/* True if the first bytes are header lines only, ended by a NUL. */
int tracez_recognise(const uint8_t *bytes, size_t size);

/* `source` and `options` (may be NULL) are borrowed until the launch is
 * closed. */
teg_status tracez_launch(const struct teg_source *source,
                         const struct teg_trace_options *options,
                         struct teg_launch *launch, struct teg_diag *d);

#endif
