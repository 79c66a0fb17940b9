#include "isa/base/decimal.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

/* A product as a double and what that leaves out, together exact. */
struct product {
    double near, rest;
};

static struct product multiply(double a, double b)
{
    double near = a * b;

    return (struct product){near, fma(a, b, -near)};
}

/* The nearest whole number, the even one of two, as printf rounds.  `p` is less
 * than 2^52: what its rest is matters on the middle between two only. */
static uint64_t nearest(struct product p)
{
    double whole = floor(p.near), part = p.near - whole;
    uint64_t n = (uint64_t)whole;
    int up = part > 0.5 ||
             (part == 0.5 && (p.rest > 0 || (p.rest == 0 && n % 2 == 1)));

    return n + (uint64_t)up;
}

/* n / 10^decimals. */
static size_t print(char *out, uint64_t n, unsigned decimals)
{
    char digits[24];
    size_t count = 0, length = 0;

    do {
        digits[count++] = (char)('0' + n % 10);
        n /= 10;
    } while (n != 0 || count <= decimals);
    while (count > 0) {
        if (count == decimals)
            out[length++] = '.';
        out[length++] = digits[--count];
    }
    out[length] = '\0';
    return length;
}

size_t teg_decimal_tenths(char out[TEG_DECIMAL_SIZE], double value)
{
    if (!(value >= 0 && value < 1e12) || signbit(value))
        return (size_t)snprintf(out, TEG_DECIMAL_SIZE, "%.1f", value);
    return print(out, nearest(multiply(value, 10)), 1);
}

/* Finds how many decimals make four digits of `value`: up to seven, of 0.0001
 * and more.  Returns 0 for what is less. */
static int find_decimals(double value, unsigned *decimals, struct product *p)
{
    static const double power[] = {1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7};

    for (unsigned i = 0; i < sizeof power / sizeof *power; i++) {
        *p = multiply(value, power[i]);
        *decimals = i;
        if (p->near > 1000 || (p->near == 1000 && p->rest >= 0))
            return 1;
    }
    return 0;
}

size_t teg_decimal_short(char out[TEG_DECIMAL_SIZE], double value)
{
    unsigned decimals;
    struct product p;
    uint64_t n;

    if (value == 0 && !signbit(value))
        return print(out, 0, 0);
    if (!(value > 0 && value < 9999) || !find_decimals(value, &decimals, &p))
        return (size_t)snprintf(out, TEG_DECIMAL_SIZE, "%.4g", value);
    n = nearest(p);
    for (; decimals > 0 && n % 10 == 0; decimals--)
        n /= 10;
    return print(out, n, decimals);
}
