/* What the library that tests/cli/curand.sh links with has besides functions that
 * fail: direction vectors of Sobol' in three dimensions, by the recurrences of
 * x, x + 1 and x^2 + x + 1 (first numbers 1; 1; 1, 3). */
enum {
    DIMENSIONS = 3,
};

static unsigned vectors_32[DIMENSIONS][32], scramble_32[DIMENSIONS];
static unsigned long long vectors_64[DIMENSIONS][64], scramble_64[DIMENSIONS];

static void fill(void)
{
    for (int k = 0; k < 64; k++) {
        unsigned long long bit = 1ull << (63 - k), *v0 = vectors_64[0],
                           *v1 = vectors_64[1], *v2 = vectors_64[2];

        v0[k] = bit;
        v1[k] = k < 1 ? bit : v1[k - 1] ^ v1[k - 1] >> 1;
        v2[k] = k < 2 ? (k == 0 ? bit : 3 * bit)
                      : v2[k - 1] ^ v2[k - 2] ^ v2[k - 2] >> 2;
    }
    for (int i = 0; i < DIMENSIONS; i++) {
        scramble_64[i] = 0x9e3779b97f4a7c15 * (i + 1);
        scramble_32[i] = (unsigned)(scramble_64[i] >> 32);
        for (int k = 0; k < 32; k++)
            vectors_32[i][k] = (unsigned)(vectors_64[i][k] >> 32);
    }
}

int curandGetDirectionVectors32(const void **out, int set)
{
    fill();
    *out = vectors_32;
    return set == 101 || set == 102 ? 0 : 104;
}

int curandGetDirectionVectors64(const void **out, int set)
{
    fill();
    *out = vectors_64;
    return set == 103 || set == 104 ? 0 : 104;
}

int curandGetScrambleConstants32(const void **out)
{
    *out = scramble_32;
    return 0;
}

int curandGetScrambleConstants64(const void **out)
{
    *out = scramble_64;
    return 0;
}

int curandGetVersion(int *out)
{
    *out = 10499;
    return 0;
}
