/* When two moments of a play are one. */
#ifndef TEG_SIM_PROGRAM_MOMENT_H
#define TEG_SIM_PROGRAM_MOMENT_H

#include <float.h>
#include <math.h>

/* Microseconds: what ends within so many is over.  Late in a long program a
 * moment that is closer cannot be told from `now`, and nothing would go on. */
static inline double moment_width(double now)
{
    return fmax(1e-9, 4 * DBL_EPSILON * now);
}

#endif
