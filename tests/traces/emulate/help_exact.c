#include "tests/traces/emulate/help_exact.h"

const struct exact_format exact_half = {10, 5}, exact_bfloat = {7, 8},
                          exact_single = {23, 8}, exact_double = {52, 11};

enum {
    TOP = 126 /* where the leading bit of a sum's terms is put */
};

static uint64_t ones(unsigned n)
{
    return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

static int bias_of(const struct exact_format *f)
{
    return (1 << (f->exponent - 1)) - 1;
}

struct exact exact_of(uint64_t bits, const struct exact_format *f)
{
    uint64_t fraction = bits & ones(f->fraction);
    uint64_t exponent = bits >> f->fraction & ones(f->exponent);
    struct exact v = {.negative =
                          (int)(bits >> (f->fraction + f->exponent) & 1)};

    if (exponent == ones(f->exponent)) {
        v.kind = fraction != 0 ? EXACT_NAN : EXACT_INFINITE;
        return v;
    }
    v.significand =
        exponent != 0 ? fraction | UINT64_C(1) << f->fraction : fraction;
    v.exponent =
        (exponent != 0 ? (int)exponent : 1) - bias_of(f) - (int)f->fraction;
    return v;
}

struct exact exact_of_integer(uint64_t magnitude, int negative)
{
    return (struct exact){.negative = negative, .significand = magnitude};
}

static int is_zero(const struct exact *v)
{
    return v->kind == EXACT_FINITE && v->significand == 0;
}

struct exact exact_product(struct exact a, struct exact b)
{
    struct exact v = {.negative = a.negative ^ b.negative};

    if (a.kind == EXACT_NAN || b.kind == EXACT_NAN) {
        v.kind = EXACT_NAN;
    } else if (a.kind == EXACT_INFINITE || b.kind == EXACT_INFINITE) {
        v.kind = is_zero(&a) || is_zero(&b) ? EXACT_NAN : EXACT_INFINITE;
    } else {
        v.significand = a.significand * b.significand;
        v.exponent = a.exponent + b.exponent;
    }
    return v;
}

static int top_bit(exact_wide v)
{
    uint64_t high = (uint64_t)(v >> 64);

    return high != 0 ? 127 - __builtin_clzll(high)
                     : 63 - __builtin_clzll((uint64_t)v);
}

/* Down to exponent `e`; what is lost is noted. */
static void lower(struct exact *v, int e)
{
    int by = e - v->exponent;

    if (by > TOP) {
        v->more |= v->significand != 0;
        v->significand = 0;
    } else if (by > 0) {
        v->more |= (v->significand & (((exact_wide)1 << by) - 1)) != 0;
        v->significand >>= by;
    }
    v->exponent = e;
}

/* The leading bit at TOP. */
static void normalize(struct exact *v)
{
    int shift = TOP - top_bit(v->significand);

    if (shift < 0) {
        lower(v, v->exponent - shift);
        return;
    }
    v->significand <<= shift;
    v->exponent -= shift;
}

static int magnitude_less(const struct exact *a, const struct exact *b)
{
    return a->exponent != b->exponent ? a->exponent < b->exponent
                                      : a->significand < b->significand;
}

static struct exact special_sum(struct exact a, struct exact b)
{
    struct exact v = {.kind = EXACT_NAN};

    if (a.kind == EXACT_NAN || b.kind == EXACT_NAN)
        return v;
    if (a.kind == EXACT_INFINITE && b.kind == EXACT_INFINITE)
        return a.negative == b.negative ? a : v;
    return a.kind == EXACT_INFINITE ? a : b;
}

struct exact exact_sum(struct exact a, struct exact b, enum exact_rounding r)
{
    struct exact v;

    if (a.kind != EXACT_FINITE || b.kind != EXACT_FINITE)
        return special_sum(a, b);
    if (is_zero(&a) && is_zero(&b)) {
        a.negative = a.negative == b.negative ? a.negative : r == EXACT_DOWN;
        return a;
    }
    if (is_zero(&a) || is_zero(&b))
        return is_zero(&a) ? b : a;
    normalize(&a);
    normalize(&b);
    if (magnitude_less(&a, &b)) {
        v = a;
        a = b;
        b = v;
    }
    lower(&b, a.exponent);
    v = a;
    if (a.negative == b.negative) {
        v.significand += b.significand;
        v.more = b.more;
    } else { /* what was lost is borrowed */
        v.significand -= b.significand + (exact_wide)b.more;
        v.more = b.more;
    }
    if (v.significand == 0 && !v.more)
        v.negative = r == EXACT_DOWN;
    return v;
}

int exact_compare(struct exact a, struct exact b)
{
    struct exact apart;

    if (a.kind == EXACT_NAN || b.kind == EXACT_NAN)
        return 2;
    if (a.kind == EXACT_INFINITE && b.kind == EXACT_INFINITE)
        return a.negative == b.negative ? 0 : a.negative ? -1 : 1;
    if (a.kind == EXACT_INFINITE)
        return a.negative ? -1 : 1;
    if (b.kind == EXACT_INFINITE)
        return b.negative ? 1 : -1;
    b.negative = !b.negative;
    apart = exact_sum(a, b, EXACT_NEAREST);
    if (apart.significand == 0 && !apart.more)
        return 0;
    return apart.negative ? -1 : 1;
}

/* Whether a significand with `half` and `rest` behind it goes up. */
static int goes_up(enum exact_rounding r, int negative, int odd, int half,
                   int rest)
{
    if (!half && !rest)
        return 0;
    switch (r) {
    case EXACT_NEAREST:
        return half && (rest || odd);
    case EXACT_DOWN:
        return negative;
    case EXACT_UP:
        return !negative;
    default:
        return 0;
    }
}

/* Cuts to exponent `e` and rounds. */
static exact_wide rounded(struct exact v, int e, enum exact_rounding r)
{
    struct exact half = v;
    int above, rest;

    if (v.exponent >= e) {
        int by = v.exponent - e;

        v.significand <<= by;
        return v.significand + (exact_wide)goes_up(r, v.negative, 0, 0, v.more);
    }
    lower(&half, e - 1);
    above = (int)(half.significand & 1);
    rest = half.more;
    half.significand >>= 1;
    return half.significand + (exact_wide)goes_up(r, v.negative,
                                                  (int)(half.significand & 1),
                                                  above, rest);
}

uint64_t exact_round(struct exact v, const struct exact_format *f,
                     enum exact_rounding r)
{
    uint64_t sign = (uint64_t)v.negative << (f->fraction + f->exponent);
    uint64_t infinite = ones(f->exponent) << f->fraction;
    int least = 1 - bias_of(f) - (int)f->fraction, e;
    exact_wide significand;

    if (v.kind == EXACT_NAN)
        return infinite | ones(f->fraction);
    if (v.kind == EXACT_INFINITE)
        return sign | infinite;
    if (is_zero(&v) && !v.more)
        return sign;
    normalize(&v);
    e = v.exponent + TOP - (int)f->fraction;
    e = e < least ? least : e;
    significand = rounded(v, e, r);
    if (significand >> (f->fraction + 1) != 0) {
        significand >>= 1;
        e++;
    }
    if (e + (int)f->fraction > bias_of(f)) {
        int away = r == EXACT_NEAREST || (r == EXACT_UP && !v.negative) ||
                   (r == EXACT_DOWN && v.negative);

        return sign | (away ? infinite : infinite - 1);
    }
    if (significand >> f->fraction == 0)
        return sign | (uint64_t)significand; /* denormal */
    return sign | (uint64_t)(e - least + 1) << f->fraction |
           ((uint64_t)significand & ones(f->fraction));
}

uint64_t exact_integer(struct exact v, enum exact_rounding r, int *beyond)
{
    exact_wide whole;

    *beyond = v.kind == EXACT_INFINITE;
    if (v.kind != EXACT_FINITE)
        return UINT64_MAX;
    if (is_zero(&v))
        return 0;
    normalize(&v);
    *beyond = v.exponent + TOP >= 64;
    if (*beyond)
        return UINT64_MAX;
    whole = rounded(v, 0, r);
    *beyond = whole >> 64 != 0;
    return *beyond ? UINT64_MAX : (uint64_t)whole;
}

int exact_is_nan(uint64_t bits, const struct exact_format *f)
{
    return exact_of(bits, f).kind == EXACT_NAN;
}

uint64_t exact_flushed(uint64_t bits, const struct exact_format *f)
{
    uint64_t sign = UINT64_C(1) << (f->fraction + f->exponent);

    return (bits >> f->fraction & ones(f->exponent)) == 0 ? bits & sign : bits;
}
