/* Distributions that kernels of the program's draw from (curand_discrete). */
#ifndef TEG_TOOLS_CURAND_DISCRETE_H
#define TEG_TOOLS_CURAND_DISCRETE_H

#include "tools/curand/rand.h"

/* In device memory, as the API's header lays it out. */
enum rand_status discrete_make_poisson(void **out, double lambda);
enum rand_status discrete_free(void *distribution);

#endif
