/* Statistics of a part as those of a whole that has `factor` times its work
 * and `warp_instructions`: what sim/collect/counters.def calls SCALED and
 * SET. */
#ifndef TEG_SIM_SAMPLE_SCALE_H
#define TEG_SIM_SAMPLE_SCALE_H

#include "sim/collect/statistics.h"

void sample_scale(struct teg_statistics *s, double factor,
                  uint64_t warp_instructions);

#endif
