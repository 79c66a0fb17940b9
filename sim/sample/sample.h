/*
 * Cycles of a long launch from a part of it.
 *
 * Once the chip is full, a kernel of many waves of blocks repeats itself: SMs do
 * alike, and a wave takes as long as the one before.  So
 *
 *   - a few SMs are stepped with the whole memory system behind them, and the
 *     others' requests follow theirs (sim/sample/led.h);
 *   - or, where that is less, the grid's first waves are simulated on the whole
 *     chip, all over the grid if blocks differ, and at its end as many blocks
 *     of the last, unfinished wave as there are:
 *
 *       cycles = cycles of the sample + (all work - work of the sample) / rate
 *
 *     with warp instructions as work and the rate of the waves after caches
 *     have filled: those that leave the least marginal standard error (MSER;
 *     White, Simulation 69(6), 1997).  Sampling of homogeneous intervals as in
 *     TBPoint (Huang et al., IPDPS 2014).
 *
 * The second bound is the 95 % confidence interval of those waves' rate, or the
 * drift from the first half of the waves to the second if that is more, and
 * what the rate may change because the rest of the grid touches other shares
 * of lines for the first time, and 2 % of it for what later waves may do, over
 * what was extrapolated; plus a quarter of a wave, because waves of the whole
 * grid may drift apart before the last, or half of the longest block where blocks
 * differ; plus what a lonely long warp takes, and the work of kinds of blocks
 * (sim/sample/kinds.h) that no sampled wave holds.  Waves whose pace DRAM could
 * not keep up with say nothing.
 */
#ifndef TEG_SIM_SAMPLE_SAMPLE_H
#define TEG_SIM_SAMPLE_SAMPLE_H

#include "sim/teg.h"

/* Waves below which a launch is simulated in full. */
#define TEG_SAMPLE_WAVES_MIN 20
/* Share of the SMs, or of the blocks, that is simulated at most. */
#define TEG_SAMPLE_SHARE 0.049
/* Warp instructions below which it is not worth it unless asked for: a few
 * seconds of simulation. */
#define TEG_SAMPLE_INSTRUCTIONS_MIN 20000000u

struct teg_sample {
    int used;     /* 0: too small, or no part says enough of it */
    double waves; /* of the whole grid */
    uint32_t waves_simulated, sms_simulated;
    uint32_t kinds; /* of blocks, by the instruction counts of their
                              warps */
    uint64_t blocks, blocks_simulated;
    uint64_t instructions, instructions_simulated; /* warp instructions */
    double error_bound;                            /* of the cycles, relative */
};

/* What a sum over the part stands for in the whole, as a factor: by work.  1 if
 * no sample was used. */
double teg_sample_scale(const struct teg_sample *sample);

/* What the blocks of a launch are, whatever the GPU: for the second way. */
struct teg_sample_facts;

void teg_sample_facts_free(struct teg_sample_facts *facts); /* NULL: nothing */

/* Opens the launch at its first block, each time it is called. */
typedef teg_status teg_sample_open(void *self, struct teg_launch *launch,
                                   struct teg_diag *d);

/* Fills `*facts` for teg_sample_simulate, which does so itself where they are
 * NULL.  They stay NULL if the launch has too few waves. */
teg_status teg_sample_look(teg_sample_open *open, void *self,
                           const struct teg_gpu *gpu,
                           const struct teg_simulation_options *options,
                           struct teg_sample_facts **facts, struct teg_diag *d);

/*
 * Simulates a sample of what `open` opens and fills `s` with statistics of the
 * whole launch: totals scaled by work, cycles as above.  If the launch has
 * fewer waves or, by its first blocks, warp instructions than the minimum, or
 * would get a bound beyond 25 %, `sample->used` is 0 and `s` undefined.
 *
 * `*facts` is NULL, or what an earlier call for the same blocks left there; it
 * is filled when needed, the caller's to free.  `options` as for teg_simulate:
 * listeners hear what is simulated, and nothing is scaled for them
 * (teg_sample_scale); if no sample is used they may have heard one that was
 * given up, and start anew with the next simulation.
 */
teg_status teg_sample_simulate(teg_sample_open *open, void *self,
                               const struct teg_gpu *gpu,
                               const struct teg_simulation_options *options,
                               uint64_t instructions_min,
                               struct teg_sample_facts **facts,
                               struct teg_statistics *s,
                               struct teg_sample *sample, struct teg_diag *d);

#endif
