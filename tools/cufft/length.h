/* How a transform's length is taken apart. */
#ifndef TEG_TOOLS_CUFFT_LENGTH_H
#define TEG_TOOLS_CUFFT_LENGTH_H

#include "tools/cufft/fft.h"

enum {
    FFT_STEPS = 3,
};

/* Whether radices make it up. */
int length_is_smooth(unsigned n);

/* Radices of a smooth length, at most FFT_RADICES; returns how many. */
int length_radices(unsigned n, unsigned radix[FFT_RADICES]);

/* Factors of a smooth length, each at most `most` and as near each other as
 * goes; returns how many, 0: more than FFT_STEPS would be needed. */
int length_steps(unsigned n, unsigned most, unsigned step[FFT_STEPS]);

/* Power of two in whose transform that of any n is found (Bluestein). */
unsigned length_around(unsigned n);

#endif
