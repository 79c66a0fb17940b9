/*
 * Stores of a warp that are sent as one.
 *
 * Models: what a warp stores to a sector that is among the last ones that it has
 * stored in part, having loaded nothing since, joins that and is not sent.
 * (tools/measure/corpus/stores.cu on an H200: two and three words of a thread,
 * stored one by one, reach L2 as often as if stored at once, also a thousand
 * cycles apart; four less often and eight no longer, whose requests are of four
 * and eight lines; none with a load in between)
 * Leaves out: that what has been joined goes later, and whole.
 */
#ifndef TEG_SIM_MEMORY_MERGE_H
#define TEG_SIM_MEMORY_MERGE_H

#include <stdint.h>

enum {
    SIM_STORED_MAX = 32, /* l1.merged_sectors, at most */
};

/* What a warp has stored in part since it loaded last, a row of recent.h.
 * Zeroed is nothing. */
struct sim_stored {
    uint64_t sector[SIM_STORED_MAX];
    uint64_t count;
};

#endif
