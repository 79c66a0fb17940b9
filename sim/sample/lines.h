/*
 * Which lines of memory blocks share: blocks are shown in grid order, and of
 * each is said how many lines it touches and how many of them none before it
 * did.
 *
 * Lines are drawn by a hash of their address, fewer as more come up, so memory
 * is bounded; a number is therefore an estimate.  Global memory only.
 */
#ifndef TEG_SIM_SAMPLE_LINES_H
#define TEG_SIM_SAMPLE_LINES_H

#include "traces/block/cursor.h"

struct sample_lines;

struct sample_touched {
    double lines;   /* of this block */
    double first;   /* of these, touched by no block before */
    double written; /* of `lines`, by the access that came first */
};

/* NULL out of memory. */
struct sample_lines *sample_lines_new(void);
void sample_lines_free(struct sample_lines *l);
void sample_lines_block(struct sample_lines *l, const struct teg_kernel *kernel,
                        struct teg_block *block, struct sample_touched *t);

#endif
