/*
 * How addresses are dealt to equal parts: slices, channels, sets of a half.
 */
#ifndef TEG_SIM_MEMORY_INTERLEAVE_H
#define TEG_SIM_MEMORY_INTERLEAVE_H

#include "sim/memory/divisor.h"

/* A fixed mixing of the bits, so that strides spread. */
static inline uint64_t sim_fold(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdu;
    x ^= x >> 33;
    return x;
}

/* The part that has number `number`, of `parts`.  With `hash` each aligned
 * run of as many numbers as parts is turned by an amount that the upper bits
 * give: a footprint without gaps fills all parts alike, as it does on hardware
 * up to the last kilobytes of a cache, and a stride still spreads.  `run` is the
 * number of the run that `number` is in. */
static inline uint64_t sim_interleave_in(uint64_t number, uint64_t run,
                                         const struct sim_divisor *parts,
                                         uint32_t hash)
{
    uint64_t part = number - run * parts->by;

    if (!hash)
        return part;
    part += sim_remainder(sim_fold(run), parts);
    return part < parts->by ? part : part - parts->by;
}

static inline uint64_t sim_interleave(uint64_t number,
                                      const struct sim_divisor *parts,
                                      uint32_t hash)
{
    return sim_interleave_in(number, sim_quotient(number, parts), parts, hash);
}

/* The same of the sets of a small cache, which a footprint hardly larger than it
 * must fill alike wherever that begins: of SIM_RUNS_TURNED runs side by side each
 * is turned by one more than the one before it, and upper bits turn all of
 * these, so that rows of any power of two spread, and streams through two
 * arrays do not stay beside each other. */
enum {
    SIM_RUNS_TURNED = 16
};

static inline uint64_t sim_interleave_sets(uint64_t number,
                                           const struct sim_divisor *sets,
                                           uint32_t hash)
{
    uint64_t run = sim_quotient(number, sets);

    if (!hash)
        return number - run * sets->by;
    return sim_remainder(
        number + run + sim_remainder(sim_fold(run / SIM_RUNS_TURNED), sets),
        sets);
}

#endif
