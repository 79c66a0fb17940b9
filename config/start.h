/*
 * What a measured time holds besides the kernel: the start of a launch, as its
 * tool sees it.
 *
 * Models: a constant of the chip for each tool.
 * Leaves out: what the host takes longer where its queue is empty, and what
 * the arguments' size and the grid add.
 */
#ifndef TEG_CONFIG_START_H
#define TEG_CONFIG_START_H

#include "config/gpu.h"

enum teg_measured_by {
    TEG_MEASURED_BY_NOBODY,
    TEG_MEASURED_BY_NCU,
    TEG_MEASURED_BY_NSYS,
    TEG_MEASURED_BY_EVENTS,
};

/* Microseconds; `first`: of the process.  0 where the description does not
 * say. */
double teg_start_us(const struct teg_gpu *gpu, enum teg_measured_by by,
                    int first);

#endif
