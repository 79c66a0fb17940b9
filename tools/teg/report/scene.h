/*
 * What warps and units of one SM did over time, in letters: `teg timeline`.
 *
 *     matmul on v100, SM 0, cycles 0 to 4,800: a column is 100 cycles
 *
 *     warps                         |
 *      0                            |LLLLLLLL#bbbbLLLLL
 *     share of the SM's warps       |
 *      issued                       |    1
 *      L long_scoreboard            |@@@@95555
 *     busy units of the SM          |
 *      fp32                         |  123  3
 *     busy units of the chip        |
 *      fp32                         |  222  3
 *
 * A letter says what a warp did for most of the column, a digit how many
 * tenths.  Below the SM's warps stand the issue slots of its sub-cores; with
 * --sub-core N states and units are those of one.  With --cycles come the instructions, one in a row: the letters of
 * what it waited for, `#` its issue, `=` until its result can be used, `E`.
 * (After llvm-mca's timeline view.)
 */
#ifndef TEG_TOOLS_TEG_REPORT_SCENE_H
#define TEG_TOOLS_TEG_REPORT_SCENE_H

#include "sim/collect/timeline.h"
#include "tools/teg/replay/simulate.h"
#include "tools/teg/report/series.h"

struct scene {
    const struct teg_gpu *gpu; /* borrowed */
    struct window window;
    uint32_t sub_cores;          /* of an SM: its schedulers */
    struct timeline *chip, *one; /* owned */
    struct timeline *sub;        /* owned, [sub_cores] of that SM */
    const struct timeline *near; /* `one`, or the sub-core asked for */
    struct pc_trace points;
    const struct replay *replay; /* borrowed; whose the points are */
};

/* Returns an exit status. */
int scene_write(const struct scene *v, uint32_t format, const char *path);

#endif
