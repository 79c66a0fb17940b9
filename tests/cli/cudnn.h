/* What the programs that call cuDNN share: numbers of every type. */
#ifndef TEG_TESTS_CLI_CUDNN_H
#define TEG_TESTS_CLI_CUDNN_H

#include <math.h>
#include <string.h>

#include "tests/cli/vendor.h"

int cudnnCreate(void **handle);
int cudnnDestroy(void *handle);

enum {
    FLOAT = 0,
    DOUBLE = 1,
    HALF = 2,
    BFLOAT16 = 9,
    FMA = 3, /* floats are not rounded to TF32 */
    BAD_PARAM = 2000,
    TOO_SMALL = 2006,
    NOT_SUPPORTED = 3000,
};

static inline size_t bytes_of(int type)
{
    return type == DOUBLE ? 8 : type == FLOAT ? 4 : 2;
}

/* To the nearest, of numbers that halves have. */
static inline uint16_t half_of(double x)
{
    int exponent;

    if (x == 0)
        return 0;
    frexp(x, &exponent);
    exponent = exponent - 1 < -14 ? -14 : exponent - 1;
    return (uint16_t)((x < 0 ? 0x8000 : 0) + ((exponent + 14) << 10) +
                      (int)nearbyint(ldexp(fabs(x), 10 - exponent)));
}

static inline double half_value(uint16_t h)
{
    int exponent = h >> 10 & 31, digits = h & 1023;
    double x = exponent == 31  ? NAN
               : exponent == 0 ? ldexp(digits, -24)
                               : ldexp(1024 + digits, exponent - 25);

    return h & 0x8000 ? -x : x;
}

static inline void put(int type, void *to, double x)
{
    float f = (float)x;
    uint16_t h = half_of(x);
    uint32_t bits;

    switch (type) {
    case DOUBLE:
        memcpy(to, &x, sizeof x);
        break;
    case FLOAT:
        memcpy(to, &f, sizeof f);
        break;
    case HALF:
        memcpy(to, &h, sizeof h);
        break;
    default:
        memcpy(&bits, &f, sizeof bits);
        bits = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
        memcpy(to, &bits, 2);
    }
}

static inline double get(int type, const void *from)
{
    double d;
    float f;
    uint16_t h;
    uint32_t bits = 0;

    switch (type) {
    case DOUBLE:
        memcpy(&d, from, sizeof d);
        return d;
    case FLOAT:
        memcpy(&f, from, sizeof f);
        return (double)f;
    case HALF:
        memcpy(&h, from, sizeof h);
        return half_value(h);
    default:
        memcpy((char *)&bits + 2, from, 2);
        memcpy(&f, &bits, sizeof f);
        return (double)f;
    }
}

#endif
