/*
 * A launch that leaves caches as the next one like it finds them.
 *
 * Models: what a program that repeats a kernel sees from the second time on,
 * and what benchmarks that warm up measure.  A long launch is sampled here as
 * it is when it counts, so that L2 holds what its sample has touched.
 */
#ifndef TEG_SIM_SAMPLE_WARM_UP_H
#define TEG_SIM_SAMPLE_WARM_UP_H

#include "sim/sample/sample.h"

/* Of `instructions_min`: the launch is simulated in full. */
#define TEG_SAMPLE_NEVER UINT64_MAX

/*
 * Simulates what `open` opens as teg_sample_simulate or, where that uses no
 * sample, teg_simulate would, heard by nobody.  `*after` is what it leaves, the
 * caller's to free, whatever `options` say of that; `s` gets the statistics, of
 * a run that was interrupted too.
 */
teg_status teg_warm_up(teg_sample_open *open, void *self,
                       const struct teg_gpu *gpu,
                       const struct teg_simulation_options *options,
                       uint64_t instructions_min,
                       struct teg_sample_facts **facts,
                       struct teg_statistics *s, struct sim_memory **after,
                       struct teg_diag *d);

#endif
