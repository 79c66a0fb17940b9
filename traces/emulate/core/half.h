/*
 * Half precision, bfloat16 and 8-bit floats as bits: values, and rounding to nearest from
 * double precision, which holds every product of two and the sums formed here
 * closely enough for that to be one rounding.
 */
#ifndef TEG_TRACES_EMULATE_CORE_HALF_H
#define TEG_TRACES_EMULATE_CORE_HALF_H

#include <math.h>

#include "traces/emulate/core/bits.h"

/* Of the one NaN that the hardware makes. */
static inline uint32_t float_bits(float f)
{
    uint32_t bits = bits_of(f);

    return (bits & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : bits;
}

/* Exponent and fraction in a float's place make 2^-112 of the value; infinity
 * and NaN keep a full exponent. */
static inline float half_value(uint32_t h)
{
    uint32_t sign = (h & 0x8000) << 16, rest = (h & 0x7fff) << 13;
    float scaled = float_of(rest) * 0x1p112f;
    uint32_t special = float_bits(scaled) | 0x7f800000;

    return float_of((rest >= 0x7c00u << 13 ? special : float_bits(scaled)) |
                    sign);
}

static inline float bf16_value(uint32_t h)
{
    return float_of(h << 16);
}

/* Four exponent bits, no infinities.  (OCP 8-bit floating point) */
static inline float e4m3_value(uint32_t v)
{
    float size = float_of((v & 0x7f) << 20) * 0x1p120f;

    if ((v & 0x7f) == 0x7f)
        return float_of(0x7fffffff);
    return v & 0x80 ? -size : size;
}

/* The upper half of a half. */
static inline float e5m2_value(uint32_t v)
{
    return half_value(v << 8);
}

/* Floats without infinities and NaN: a sign, `exponent` bits, `fraction` bits.
 * (OCP microscaling formats) */
static inline double small_float_value(uint32_t v, unsigned exponent,
                                       unsigned fraction)
{
    uint32_t e = v >> fraction & ((1u << exponent) - 1);
    uint32_t f = v & ((1u << fraction) - 1);
    int bias = (1 << (exponent - 1)) - 1;
    double size = e != 0 ? ldexp((double)(f + (1u << fraction)),
                                 (int)e - bias - (int)fraction)
                         : ldexp((double)f, 1 - bias - (int)fraction);

    return v >> (exponent + fraction) & 1 ? -size : size;
}

/* A block's scale: UE4M3, or UE8M0, whose 255 is NaN.  (PTX ISA, alternate
 * formats) */
static inline double scale_value(uint32_t v, int is_e4m3)
{
    if (is_e4m3)
        return (double)e4m3_value(v & 0x7f);
    return v == 0xff ? (double)NAN : ldexp(1, (int)v - 127);
}

/* NaN becomes 0x7fff.  A double added to 2^28 drops what is below 2^-24, the
 * least half. */
static inline uint32_t half_bits(double d)
{
    uint64_t bits = bits_of_double(d), sign = bits >> 48 & 0x8000;
    uint64_t size = bits & (UINT64_MAX >> 1);
    uint64_t small =
        bits_of_double(double_of(size) + 0x1p28) - bits_of_double(0x1p28);
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
    uint64_t bits = bits_of_double(d);
    uint32_t sign = (uint32_t)(bits >> 48) & 0x8000;
    double size = double_of(bits & (UINT64_MAX >> 1));
    float near = (float)size;
    uint32_t odd;

    if (size != size)
        return 0x7fff;
    memcpy(&odd, &near, 4);
    odd -= (double)near > size;
    odd |= (double)float_of(odd) != size;
    if (size > 0x1.fffffep127)
        odd = size == double_of(UINT64_C(0x7ff0000000000000)) ? 0x7f800000
                                                              : 0x7f7fffff;
    return ((odd + 0x7fff + (odd >> 16 & 1)) >> 16) | sign;
}

#endif
