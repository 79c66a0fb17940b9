/* MT19937's streams, which begin 2^2048 words from each other. */
#ifndef TEG_TOOLS_CURAND_TWISTER_H
#define TEG_TOOLS_CURAND_TWISTER_H

#include "tools/curand/rand.h"

/* The first block of words of each stream; there is no other offset than 0.  0:
 * no memory.  Takes some seconds for all of RAND_STREAMS_MT. */
int twister_seed(void *states, unsigned streams, unsigned long long seed,
                 unsigned long long offset);

/* A stream's words, that many later. */
void twister_next(unsigned words[RAND_MT_WORDS]);

#endif
