/* Generators of the host's (curandCreateGeneratorHost): the same streams. */
#ifndef TEG_TOOLS_CURAND_HOST_H
#define TEG_TOOLS_CURAND_HOST_H

#include "tools/curand/rand.h"

void host_xorwow(const struct rand_run *r, enum rand_distribution d);
void host_mrg(const struct rand_run *r, enum rand_distribution d);
void host_philox(const struct rand_run *r, enum rand_distribution d);
void host_mt(const struct rand_run *r, enum rand_distribution d);
void host_sobol_32(const struct rand_run *r, enum rand_distribution d);
void host_sobol_64(const struct rand_run *r, enum rand_distribution d);

#endif
