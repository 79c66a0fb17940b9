/*
 * How long blocks of known lengths take on so many places, each going to the
 * one that is free first, in the order of the grid: list scheduling (Graham
 * 1966), which is what the hardware does.
 */
#ifndef TEG_SIM_SAMPLE_SCHEDULE_H
#define TEG_SIM_SAMPLE_SCHEDULE_H

#include "isa/base/status.h"

/* Sets `*idle` to how much longer all take than their sum over `places`: until
 * the last is done, places fall idle.  In the unit of `length`, [count]. */
teg_status sample_schedule_idle(const double *length, uint64_t count,
                                uint64_t places, double *idle,
                                struct teg_diag *d);

#endif
