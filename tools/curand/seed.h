/* Where the streams of a generator begin. */
#ifndef TEG_TOOLS_CURAND_SEED_H
#define TEG_TOOLS_CURAND_SEED_H

#include "tools/curand/rand.h"

/* States of all streams, in which result `offset` comes next: those of XORWOW
 * and MRG32K3A begin 2^67 words from each other, those of Philox are counters.
 * Returns 1. */
int seed_xorwow(void *states, unsigned streams, unsigned long long seed,
                unsigned long long offset);
int seed_mrg(void *states, unsigned streams, unsigned long long seed,
             unsigned long long offset);
int seed_philox(void *states, unsigned streams, unsigned long long seed,
                unsigned long long offset);

#endif
