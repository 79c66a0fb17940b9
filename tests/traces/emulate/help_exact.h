/*
 * Floating-point arithmetic on bits, slowly and without the host's: numbers are
 * integers times powers of two, computed exactly as far as rounding can tell,
 * and rounded once.  (IEEE 754; NaN, flushing and saturation as the PTX ISA
 * describes them)
 */
#ifndef TEG_TESTS_TRACES_EMULATE_HELP_EXACT_H
#define TEG_TESTS_TRACES_EMULATE_HELP_EXACT_H

#include <stdint.h>

enum exact_rounding {
    EXACT_NEAREST,
    EXACT_DOWN,
    EXACT_UP,
    EXACT_ZERO
};

/* Bits of the fraction and of the exponent. */
struct exact_format {
    unsigned fraction, exponent;
};

extern const struct exact_format exact_half, exact_bfloat, exact_single,
    exact_double;

enum exact_kind {
    EXACT_FINITE,
    EXACT_INFINITE,
    EXACT_NAN
};

__extension__ typedef unsigned __int128 exact_wide;

/* (-1)^negative * significand * 2^exponent; `more`: and a little more. */
struct exact {
    enum exact_kind kind;
    int negative, more;
    exact_wide significand;
    int exponent;
};

struct exact exact_of(uint64_t bits, const struct exact_format *f);
struct exact exact_of_integer(uint64_t magnitude, int negative);
struct exact exact_product(struct exact a, struct exact b);
/* A sum of zero is -0 if both are, or if rounding goes down. */
struct exact exact_sum(struct exact a, struct exact b, enum exact_rounding r);
/* -1, 0, 1; 2: one is NaN. */
int exact_compare(struct exact a, struct exact b);

/* Bits of the nearest number that way; NaN has all bits of the fraction set and
 * no sign. */
uint64_t exact_round(struct exact v, const struct exact_format *f,
                     enum exact_rounding r);
/* To an integer: magnitude of the result, at most 2^64 - 1 (then `*beyond`). */
uint64_t exact_integer(struct exact v, enum exact_rounding r, int *beyond);

int exact_is_nan(uint64_t bits, const struct exact_format *f);
/* Denormals become zeros of their sign. */
uint64_t exact_flushed(uint64_t bits, const struct exact_format *f);

#endif
