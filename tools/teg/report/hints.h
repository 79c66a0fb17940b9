/*
 * What would help most, and at which instruction: the what-ifs that gain most,
 * each joined with the instruction that has most of what it takes away.
 *
 *     no-bank-conflicts 2.46x: LDS R7, [R0] at transpose.cu:9, 32-way bank conflicts
 */
#ifndef TEG_TOOLS_TEG_REPORT_HINTS_H
#define TEG_TOOLS_TEG_REPORT_HINTS_H

#include "sim/collect/by_pc.h"
#include "tools/teg/replay/ranking.h"

enum {
    HINTS_MAX = 3
};

struct hint {
    char what_if[TEG_WHATIF_NAME_SIZE];
    double speedup;
    /* "LDS R7, [R0] at transpose.cu:9, 32-way bank conflicts"; "": of no one
     * instruction. */
    char where[400];
};

struct hints {
    struct hint hint[HINTS_MAX]; /* largest gain first */
    uint32_t count;
};

/* `resident`: warp-cycles of the kernel.  An exit status; what is wrong has
 * been said. */
int hints_find(struct hints *h, const struct whatif *w, const struct by_pc *b,
               uint64_t resident);

#endif
