/* Bits mixed so that neighboring numbers have nothing in common (Steele et al.
 * 2014, SplitMix64, OOPSLA). */
#ifndef TEG_ISA_BASE_MIX_H
#define TEG_ISA_BASE_MIX_H

#include <stdint.h>

#define TEG_MIX_STEP 0x9e3779b97f4a7c15u /* 2^64 over the golden ratio */

static inline uint64_t teg_mix(uint64_t v)
{
    v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9u;
    v = (v ^ v >> 27) * 0x94d049bb133111ebu;
    return v ^ v >> 31;
}

#endif
