/* Tables of Poisson distributions. */
#ifndef TEG_TOOLS_CURAND_POISSON_H
#define TEG_TOOLS_CURAND_POISSON_H

#include "tools/curand/rand.h"

enum {
    POISSON_MOST = 400000, /* lambda */
};

/* A table on the host, whose `level` and `other` are to be freed: a square
 * histogram, or shares to be searched.  0: no memory. */
int poisson_make(struct rand_poisson *p, double lambda, int is_searched);

#endif
