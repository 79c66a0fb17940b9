#include "tools/cufft/length.h"

static const unsigned char odd[] = {
    3,  5,  7,  11, 13, 17, 19, 23, 29, 31,  37,  41,  43,  47,  53,
    59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113, 127};

int length_is_smooth(unsigned n)
{
    while (n % 2 == 0)
        n /= 2;
    for (size_t i = 0; i < sizeof odd; i++) {
        while (n % odd[i] == 0)
            n /= odd[i];
    }
    return n == 1;
}

int length_radices(unsigned n, unsigned radix[FFT_RADICES])
{
    int count = 0, twos = 0;

    for (; n % 2 == 0; n /= 2)
        twos++;
    for (size_t i = 0; i < sizeof odd && odd[i] <= FFT_RADIX_HELD; i++) {
        for (; n % odd[i] == 0; n /= odd[i])
            radix[count++] = odd[i];
    }
    /* as few as go, and near each other */
    for (int steps = (twos + 2) / 3; steps > 0; steps--) {
        int bits = (twos + steps - 1) / steps;

        radix[count++] = 1u << bits;
        twos -= bits;
    }
    /* what these read is in shared memory: a step brings it there */
    if (count == 0 && n > 1)
        radix[count++] = 1;
    for (size_t i = 0; i < sizeof odd; i++) {
        for (; n % odd[i] == 0; n /= odd[i])
            radix[count++] = odd[i];
    }
    if (count == 0)
        radix[count++] = 1;
    return count;
}

/* The two factors nearest each other. */
static int halve(unsigned n, unsigned most, unsigned step[2])
{
    int found = 0;

    for (unsigned d = 1; d <= most && (unsigned long long)d * d <= n; d++) {
        if (n % d == 0 && n / d <= most) {
            step[0] = n / d;
            step[1] = d;
            found = 1;
        }
    }
    return found;
}

int length_steps(unsigned n, unsigned most, unsigned step[FFT_STEPS])
{
    unsigned rest[2], least = 0;

    step[0] = n;
    if (n <= most)
        return 1;
    if (halve(n, most, step))
        return 2;
    for (unsigned d = 2; d <= most; d++) {
        unsigned largest;

        if (n % d != 0 || !halve(n / d, most, rest))
            continue;
        largest = d > rest[0] ? d : rest[0];
        if (least == 0 || largest < least) {
            least = largest;
            step[0] = d;
            step[1] = rest[0];
            step[2] = rest[1];
        }
    }
    return least != 0 ? 3 : 0;
}

unsigned length_around(unsigned n)
{
    unsigned around = 1;

    while (around < 2 * n - 1)
        around *= 2;
    return around;
}
