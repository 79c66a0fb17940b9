/*
 * What the floating-point rooms share: bits, rounding modes, comparisons.
 */
#ifndef TEG_TRACES_EMULATE_OPS_FLOAT_H
#define TEG_TRACES_EMULATE_OPS_FLOAT_H

#include <fenv.h>
#include <math.h>

#include "traces/emulate/core/bits.h"
#include "traces/emulate/core/operand.h"

/* A function that computes in the rounding mode that is set: the compiler must
 * neither look into it nor move it. */
#ifdef __clang__
#define AS_SET __attribute__((noinline, optnone))
#else
#define AS_SET __attribute__((noipa))
#endif

/* The mode of bits 79:78: 0 nearest, 1 down, 2 up, 3 to zero. */
static inline int round_mode(unsigned code)
{
    static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD,
                                FE_TOWARDZERO};

    return modes[code & 3];
}

/* All bits of `yes` in the lanes for which the comparison holds; the code's
 * bits are less, equal, greater and not comparable. */
static inline void compare_floats(unsigned code, const float *a, const float *b,
                                  uint32_t yes[EMU_LANES])
{
    uint32_t less = -(code & 1), equal = -(code >> 1 & 1);
    uint32_t greater = -(code >> 2 & 1), neither = -(code >> 3 & 1);

    LANES yes[l] = (isless(a[l], b[l]) ? less : 0) |
                   (a[l] == b[l] ? equal : 0) |
                   (isgreater(a[l], b[l]) ? greater : 0) |
                   (isunordered(a[l], b[l]) ? neither : 0);
}

/* 0 AND, 1 OR, 2 XOR */
static inline uint32_t join(unsigned how, uint32_t a, uint32_t b)
{
    return how == 0 ? a & b : how == 1 ? a | b : a ^ b;
}

#endif
