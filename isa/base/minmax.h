/* The earlier and the later of two cycles, and of anything else that counts. */
#ifndef TEG_ISA_BASE_MINMAX_H
#define TEG_ISA_BASE_MINMAX_H

#include <stdint.h>

static inline uint64_t teg_max(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline uint64_t teg_min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

#endif
