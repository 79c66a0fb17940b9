/*
 * Half precision and bfloat16 as bits: values, and rounding to nearest from
 * double precision, which holds every product of two and the sums formed here
 * closely enough for that to be one rounding.
 */
#ifndef TEG_TRACES_EMULATE_HALF_H
#define TEG_TRACES_EMULATE_HALF_H

#include <stdint.h>
#include <string.h>

static inline uint32_t float_bits(float f)
{
    uint32_t bits;

    memcpy(&bits, &f, 4);
    return (bits & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : bits;
}

static inline float float_of_bits(uint32_t bits)
{
    float f;

    memcpy(&f, &bits, 4);
    return f;
}

static inline uint64_t double_bits(double d)
{
    uint64_t bits;

    memcpy(&bits, &d, 8);
    return bits;
}

static inline double double_of_bits(uint64_t bits)
{
    double d;

    memcpy(&d, &bits, 8);
    return d;
}

/* Exponent and fraction in a float's place make 2^-112 of the value; infinity
 * and NaN keep a full exponent. */
static inline float half_value(uint32_t h)
{
    uint32_t sign = (h & 0x8000) << 16, rest = (h & 0x7fff) << 13;
    float scaled = float_of_bits(rest) * 0x1p112f;
    uint32_t special = float_bits(scaled) | 0x7f800000;

    return float_of_bits(
        (rest >= 0x7c00u << 13 ? special : float_bits(scaled)) | sign);
}

static inline float bf16_value(uint32_t h)
{
    return float_of_bits(h << 16);
}

/* NaN becomes 0x7fff.  A double added to 2^28 drops what is below 2^-24, the
 * least half. */
static inline uint32_t half_bits(double d)
{
    uint64_t bits = double_bits(d), sign = bits >> 48 & 0x8000;
    uint64_t size = bits & (UINT64_MAX >> 1);
    uint64_t small =
        double_bits(double_of_bits(size) + 0x1p28) - double_bits(0x1p28);
    uint64_t normal =
        ((size + (UINT64_C(1) << 41) - 1 + (size >> 42 & 1)) >> 42) -
        ((1023 - 15) << 10);
    uint64_t half = size < UINT64_C(0x3f10000000000000) ? small : normal;

    half = size >= UINT64_C(0x40effe0000000000) ? 0x7c00 : half;
    return (uint32_t)(size > UINT64_C(0x7ff0000000000000) ? 0x7fff
                                                          : half | sign);
}

/* By way of a float rounded to odd, which keeps what decides. */
static inline uint32_t bf16_bits(double d)
{
    uint64_t bits = double_bits(d);
    uint32_t sign = (uint32_t)(bits >> 48) & 0x8000;
    double size = double_of_bits(bits & (UINT64_MAX >> 1));
    float near = (float)size;
    uint32_t odd;

    if (size != size)
        return 0x7fff;
    memcpy(&odd, &near, 4);
    odd -= (double)near > size;
    odd |= (double)float_of_bits(odd) != size;
    if (size > 0x1.fffffep127)
        odd = size == double_of_bits(UINT64_C(0x7ff0000000000000)) ? 0x7f800000
                                                                   : 0x7f7fffff;
    return ((odd + 0x7fff + (odd >> 16 & 1)) >> 16) | sign;
}

#endif
