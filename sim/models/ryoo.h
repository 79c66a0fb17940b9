/*
 * Efficiency and utilization of a configuration, and the pruning of a set of
 * configurations to those worth trying.
 *
 * They rank configurations of one kernel; they predict no time.  Only where
 * the global bandwidth is not the limit.
 *
 * S. Ryoo et al., CGO 2008, as told by J. Lai, PhD thesis, 2013, 1.4.1.
 */
#ifndef TEG_SIM_MODELS_RYOO_H
#define TEG_SIM_MODELS_RYOO_H

#include "sim/models/model.h"

/* Of `instr` instructions per thread and `threads` threads in all.  (1.5) */
double ryoo_efficiency(double instr, double threads);
/* `regions`: intervals of a thread's instructions between blocking ones;
 * `w_tb` warps of a block, `b_sm` blocks on an SM.  (1.6) */
double ryoo_utilization(double instr, double regions, double w_tb, double b_sm);

struct ryoo_point {
    double efficiency, utilization;
};

/* Sets keep[i] to 1 for each point that no other dominates: at least as good
 * in both and better in one.  Returns how many are kept. */
uint32_t ryoo_pareto(const struct ryoo_point *point, uint32_t count,
                     uint8_t *keep);

/* The point of a trace, for a sweep to collect. */
struct ryoo_point ryoo_measure(const struct teg_statistics *s,
                               const struct teg_gpu *gpu);
#endif
