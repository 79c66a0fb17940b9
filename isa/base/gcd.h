/* The greatest number that divides both. */
#ifndef TEG_ISA_BASE_GCD_H
#define TEG_ISA_BASE_GCD_H

#include <stdint.h>

/* Of `a` and 0 it is `a`. */
static inline uint32_t teg_gcd(uint32_t a, uint32_t b)
{
    while (b != 0) {
        uint32_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

#endif
