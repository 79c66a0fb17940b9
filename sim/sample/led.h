/*
 * A launch on a few SMs of the chip and the whole of its memory system: the
 * other SMs' requests come from the blocks they would run, behind the blocks of
 * those SMs (sim/sample/follow.h).
 *
 * The bound of the cycles adds up
 *   - 95 % of the mean of what leaders' blocks take, of which their length is
 *     no part: from differences between neighbours, because the grid is led
 *     from end to end;
 *   - by how much the share of L2 hits differs between leaders and followers,
 *     times what a miss takes longer, of the time that leaders wait for memory;
 *   - by how much leaders have more or less work than their share;
 *   - at the grid's end a quarter of a wave, and where blocks differ how much
 *     longer places fall idle on the chip than where leaders run, by list
 *     scheduling of all blocks (sim/sample/schedule.h); where nearly all are
 *     alike, what the longest warp of any would make one of them last longer;
 *   - 6 % for followers that keep in step, over the root of the number of
 *     leading SMs.
 */
#ifndef TEG_SIM_SAMPLE_LED_H
#define TEG_SIM_SAMPLE_LED_H

#include "sim/sample/sample.h"

/* SMs of `sms` that lead the others; 0: too few to leave any out. */
uint32_t sample_leading_sms(const struct teg_gpu *gpu, uint32_t sms);

/* Simulates `launch` so, all of it, on a chip of `sms` SMs of `gpu` with
 * `blocks_per_sm` blocks each.  Fills `s` with statistics of the whole launch,
 * and `sample` but for `used` and `waves`.  `options` as for teg_simulate;
 * listeners hear the leading SMs.  Fails as teg_simulate does. */
teg_status sample_led(struct teg_launch *launch, const struct teg_gpu *gpu,
                      uint32_t sms, uint32_t blocks_per_sm,
                      const struct teg_simulation_options *options,
                      struct teg_statistics *s, struct teg_sample *sample,
                      struct teg_diag *d);

#endif
