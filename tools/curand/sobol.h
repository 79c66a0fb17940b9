/* Sobol' sequences' vectors (Joe, Kuo 2008), which the vendor's library in the
 * process shows by calls of its own. */
#ifndef TEG_TOOLS_CURAND_SOBOL_H
#define TEG_TOOLS_CURAND_SOBOL_H

#include "tools/curand/rand.h"

struct sobol {
    const void *vectors;  /* [dimension][32 or 64]; borrowed, as long as the
                             library */
    const void *scramble; /* [dimension]; NULL: not scrambled */
};

/* 0: the library has none, which is said. */
int sobol_find(struct sobol *s, enum rand_type type);

#endif
