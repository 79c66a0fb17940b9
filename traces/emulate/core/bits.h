/* Floating-point values and their bits. */
#ifndef TEG_TRACES_EMULATE_CORE_BITS_H
#define TEG_TRACES_EMULATE_CORE_BITS_H

#include <stdint.h>
#include <string.h>

static inline uint32_t bits_of(float f)
{
    uint32_t bits;

    memcpy(&bits, &f, 4);
    return bits;
}

static inline float float_of(uint32_t bits)
{
    float f;

    memcpy(&f, &bits, 4);
    return f;
}

static inline uint64_t bits_of_double(double d)
{
    uint64_t bits;

    memcpy(&bits, &d, 8);
    return bits;
}

static inline double double_of(uint64_t bits)
{
    double d;

    memcpy(&d, &bits, 8);
    return d;
}

#endif
