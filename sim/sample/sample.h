/*
 * Cycles of a long launch from a part of it.
 *
 * Once the chip is full, a kernel of many waves of blocks repeats itself: a
 * wave takes as long as the one before.  So a few waves are simulated and the
 * rest is counted.  What is simulated:
 *
 *   - a smaller chip where few waves of the whole one would be too many: m of
 *     M SMs with m/M of the DRAM bandwidth and channels and of the L2, which
 *     runs m/M of the grid;
 *   - runs of neighbouring blocks, a wave each, evenly spread over the grid,
 *     and at its end as many blocks of the last, unfinished wave as the grid
 *     has.
 *
 *   cycles = cycles of the sample
 *          + (work of m/M of the grid - work of the sample) / rate
 *
 * with warp instructions as work and the rate of the waves after caches have
 * filled: those that leave the least marginal standard error (MSER; White,
 * Simulation 69(6), 1997).  Sampling of homogeneous intervals as in TBPoint (Huang et
 * al., IPDPS 2014), with a scaled chip besides.
 *
 * The bound is twice the standard error of those waves' rate, or the drift from
 * the first half of the waves to the second if that is more, over what was
 * extrapolated; plus a quarter of a wave, because waves of the whole grid may
 * drift apart before the last; plus the work of kinds of blocks (instruction
 * counts of the warps) that no sampled wave holds.
 *
 * Leaves out: reuse in the L2 between blocks that are far apart in the grid,
 * and what the scaling of the chip itself changes.
 */
#ifndef TEG_SIM_SAMPLE_SAMPLE_H
#define TEG_SIM_SAMPLE_SAMPLE_H

#include "sim/teg.h"

/* Waves below which a launch is simulated in full. */
#define TEG_SAMPLE_WAVES_MIN 20
/* Share of the blocks that is simulated at most. */
#define TEG_SAMPLE_SHARE 0.049
/* Warp instructions below which it is not worth it unless asked for: a few
 * seconds of simulation. */
#define TEG_SAMPLE_INSTRUCTIONS_MIN 20000000u

struct teg_sample {
    int used;     /* 0: too small or too different from any part */
    double waves; /* of the whole grid */
    uint32_t waves_simulated, sms_simulated;
    uint32_t kinds; /* of blocks, by the instruction counts of their
                              warps */
    uint64_t blocks, blocks_simulated;
    uint64_t instructions, instructions_simulated; /* warp instructions */
    double error_bound;                            /* of the cycles, relative */
};

/* Opens the launch at its first block, each time it is called. */
typedef teg_status teg_sample_open(void *self, struct teg_launch *launch,
                                   struct teg_diag *d);

/*
 * Simulates a sample of what `open` opens and fills `s` with statistics of the
 * whole launch: totals scaled by work, cycles as above.  If the launch has
 * fewer waves or warp instructions than the minimum, or fills the L2 with
 * written lines as its sample does not, `sample->used` is 0 and `s` undefined.
 * `options` as for teg_simulate, listeners are not called.
 */
teg_status teg_sample_simulate(teg_sample_open *open, void *self,
                               const struct teg_gpu *gpu,
                               const struct teg_simulation_options *options,
                               uint64_t instructions_min,
                               struct teg_statistics *s,
                               struct teg_sample *sample, struct teg_diag *d);

#endif
