/*
 * What-if no-tail: a launch as if its blocks filled the SMs a whole number of
 * times.  Those of the last wave, which does not, are not simulated; what the
 * others took is scaled to the work of all.  Of a long launch a part of the
 * whole waves is simulated, as of any other (sim/sample/sample.c).
 *
 * Leaves out: what only the first blocks do, such as to find caches cold, is
 * scaled with the rest.
 */
#ifndef TEG_SIM_SAMPLE_WHOLE_WAVES_H
#define TEG_SIM_SAMPLE_WHOLE_WAVES_H

#include "sim/collect/statistics.h"
#include "traces/block/cursor.h"

struct whole_waves {
    struct teg_launch *from; /* borrowed */
    uint64_t blocks;         /* to hand out */
    uint64_t done, work;     /* blocks handed out and their instructions */
    uint64_t rest, rest_warps, rest_work; /* of those that are not */
};

/* Blocks in whole waves: of all places, or, of a launch that does not fill
 * them, of one block on each SM; all `blocks` where there are fewer still.
 * `cluster` blocks stay together. */
uint64_t whole_waves_blocks(uint64_t blocks, uint32_t sms,
                            uint32_t blocks_per_sm, uint32_t cluster);

/* Hands out the first `blocks` of `from` and then nothing. */
void whole_waves_init(struct whole_waves *w, struct teg_launch *from,
                      uint64_t blocks, struct teg_launch *part);
/* Reads what was not handed out; then `s`, which is of the part, is of all. */
teg_status whole_waves_finish(struct whole_waves *w, struct teg_statistics *s,
                              struct teg_diag *d);

#endif
