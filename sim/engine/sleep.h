/* Warps that sleep.  NANOSLEEP of t ns takes anything from 0 to 2 t (PTX ISA):
 * here t, the middle of that. */
#ifndef TEG_SIM_ENGINE_SLEEP_H
#define TEG_SIM_ENGINE_SLEEP_H

#include <math.h>
#include <stdint.h>

#include "config/gpu.h"
#include "isa/base/minmax.h"
#include "isa/inst/sleep.h"

/* Of the chip's SM clock, rounded up. */
static inline uint32_t sim_sleep_cycles(const struct teg_gpu *gpu, uint64_t ns)
{
    double asked = (double)teg_min(ns, TEG_SLEEP_MAX);

    return (uint32_t)ceil(asked * gpu->chip.sm_clock_mhz / 1e3);
}

#endif
