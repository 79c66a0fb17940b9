/*
 * more-blocks: a launch of fewer blocks than the chip has places is cut into
 * as many as fill it, each with a piece of every segment between barriers.
 */
#ifndef TEG_SIM_WHATIF_SPREAD_H
#define TEG_SIM_WHATIF_SPREAD_H

#include "config/gpu.h"
#include "traces/block/cursor.h"

/* Into how many pieces a block is cut; clusters stay together, and so do blocks
 * with mbarriers and those that wait for each other. */
uint32_t spread_pieces(const struct teg_gpu *gpu,
                       const struct teg_kernel *kernel);
/* Replaces `launch`, which stays as it is where nothing is to be cut; on failure
 * it is as before. */
teg_status spread_wrap(const struct teg_gpu *gpu, struct teg_launch *launch,
                       struct teg_diag *d);

#endif
