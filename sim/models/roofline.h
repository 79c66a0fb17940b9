/*
 * Roofline: the lesser of peak arithmetic and of bandwidth times operational
 * intensity, with ceilings below both.
 *
 * Leaves out: latency, caches between SMs and DRAM, other instructions.
 *
 * S. Williams, A. Waterman and D. Patterson, CACM 2009, as told by J. Lai, PhD
 * thesis, 2013, 1.4.2.
 */
#ifndef TEG_SIM_MODELS_ROOFLINE_H
#define TEG_SIM_MODELS_ROOFLINE_H

#include "sim/models/model.h"

/* Gflop/s, with `intensity` in operations per byte.  (Lai 2013, 1.7) */
double roofline(double peak_gflops, double bandwidth_gbs, double intensity);
/* Intensity at which both meet. */
double roofline_ridge(double peak_gflops, double bandwidth_gbs);

#endif
