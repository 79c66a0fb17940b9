/*
 * `teg timeline --critical`: the chain of instructions that bounds the warp
 * which is done last.
 *
 *     saxpy on v100: warp 1 of block 1 on SM 1 is done last, in cycle 452
 *     its critical sequence: 6 instructions, 450 cycles
 *
 *     instruction                    times      cycles  of it   held by
 *     0x020 LDG.E.SYS R5, R8             1         430   95.6 %  long_scoreboard
 *
 * An instruction "held by" a scoreboard made others wait for its result.
 */
#ifndef TEG_TOOLS_TEG_REPORT_CRITICAL_H
#define TEG_TOOLS_TEG_REPORT_CRITICAL_H

#include "sim/collect/critical.h"
#include "tools/teg/replay/simulate.h"

struct critical_sequence {
    struct slowest_warp slowest;
    struct pc_trace points; /* of that warp */
    struct critical critical;
    struct replay replay; /* whose program the points are of */
};

/* Replays the job's first kernel twice: to find the warp, and to follow it.
 * Says what is wrong and returns an exit status; only on EXIT_DONE there is
 * something to release. */
int critical_measure(struct critical_sequence *q, const struct job *job,
                     const struct opt_list *what_ifs);
void critical_sequence_release(struct critical_sequence *q);

/* "long_scoreboard", or "-" if nothing held it. */
const char *critical_reason(const struct critical_step *step);

/* Measures and writes. */
int report_critical(const struct job *job, const struct opt_list *what_ifs);

#endif
