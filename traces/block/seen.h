/*
 * Which blocks of a grid came by: a trace that was put together from pieces can
 * hold one twice, and its replay would count it twice.
 */
#ifndef TEG_TRACES_BLOCK_SEEN_H
#define TEG_TRACES_BLOCK_SEEN_H

#include "traces/block/cursor.h"

enum {
    SEEN_BLOCKS_MAX = 1 << 26, /* larger grids are not watched: 8 MiB of bits */
};

struct teg_seen {
    uint8_t *bit; /* owned: of each block of the grid; NULL: not watched */
    uint32_t grid[3];
};

/* A grid that is not known, or too large, is not watched. */
teg_status teg_seen_init(struct teg_seen *s, const uint32_t grid[3],
                         struct teg_diag *d);
void teg_seen_release(struct teg_seen *s);
/* Takes note of a block; 1 if it came by before.  One outside the grid never
 * did. */
int teg_seen_again(struct teg_seen *s, const uint32_t position[3]);

/* Puts itself between `launch` and its blocks: those that come again are a note
 * "block-repeated" of the kernel.  The launch is closed, and zero, on failure.
 */
teg_status teg_watch_blocks(struct teg_launch *launch, struct teg_diag *d);

#endif
