/* Whole numbers in every type that reductions are of. */
#ifndef TEG_TESTS_TRACES_EMULATE_NUMBERS_H
#define TEG_TESTS_TRACES_EMULATE_NUMBERS_H

#include <string.h>

#include "traces/emulate/core/tensor_map.h"

/* Bits of a whole number from -64 to 64, which every type has. */
static inline uint64_t bits_of_number(uint32_t type, int v)
{
    float f = (float)v;
    double g = v;
    uint32_t word;
    uint64_t bits = 0;

    memcpy(&word, &f, 4);
    switch (type) {
    case MAP_F16: /* 8 bits of exponent to 5, 23 of fraction to 10 */
        return v == 0 ? 0
                      : (word >> 16 & 0x8000) |
                            ((word >> 13 & 0x3ffff) - (112 << 10));
    case MAP_BF16:
        return word >> 16;
    case MAP_F32:
    case MAP_F32_FTZ:
        return word;
    case MAP_F64:
        memcpy(&bits, &g, 8);
        return bits;
    case MAP_U32:
    case MAP_S32:
        return (uint32_t)v;
    default:
        return (uint64_t)(int64_t)v;
    }
}

static inline int reduce_numbers(int r, int old, int v)
{
    switch (r) {
    case 0:
        return old + v;
    case 1:
        return v < old ? v : old;
    case 2:
        return v > old ? v : old;
    case 3:
        return old >= v ? 0 : old + 1;
    case 4:
        return old == 0 || old > v ? v : old - 1;
    case 5:
        return old & v;
    case 6:
        return old | v;
    default:
        return old ^ v;
    }
}

#endif
