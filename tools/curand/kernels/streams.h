/*
 * Generators and distributions, for the device and for the host, whose results
 * are the same but for the last bits of logarithms, sines and cosines.
 *
 * XORWOW: Marsaglia 2003, "Xorshift RNGs", 3.1.  MRG32K3A: L'Ecuyer 1999, "Good
 * parameters and implementations for combined multiple recursive random number
 * generators".  Philox: Salmon, Moraes, Dror, Shaw 2011, "Parallel random
 * numbers: as easy as 1, 2, 3".  MT19937: Matsumoto, Nishimura 1998, "Mersenne
 * Twister".  Sobol' by Gray code: Antonov, Saleev 1979.  How words become
 * results, and which, is what the library's documentation says.
 */
#ifndef TEG_TOOLS_CURAND_KERNELS_STREAMS_H
#define TEG_TOOLS_CURAND_KERNELS_STREAMS_H

#include "rand.h"

#ifdef __CUDACC__
#define RAND_BOTH static __host__ __device__ __forceinline__
#else
#include <math.h>
#define RAND_BOTH static inline __attribute__((always_inline, unused))
#endif

/* ---- distributions ------------------------------------------------------------- */

#define RAND_2_32 2.3283064365386963e-10 /* 2^-32 */
#define RAND_2_53 1.1102230246251565e-16
#define RAND_PI   3.14159265358979323846

RAND_BOTH float rand_uniform(unsigned x)
{
    return (float)x * (float)RAND_2_32 + (float)RAND_2_32 / 2;
}

/* Of two words. */
RAND_BOTH double rand_uniform_64(unsigned x, unsigned y)
{
    unsigned long long z = x ^ (unsigned long long)y << 21;

    return (double)z * RAND_2_53 + RAND_2_53 / 2;
}

/* Box, Muller 1958: two normals of two uniform numbers. */
RAND_BOTH void rand_pair(float u, float v, float out[2])
{
    float s = sqrtf(-2 * logf(u));

    v *= 2 * (float)RAND_PI;
#ifdef __CUDA_ARCH__
    __sincosf(v, &out[0], &out[1]);
#else
    out[0] = sinf(v);
    out[1] = cosf(v);
#endif
    out[0] *= s;
    out[1] *= s;
}

RAND_BOTH void rand_pair_64(double u, double v, double out[2])
{
    double s = sqrt(-2 * log(u));

#ifdef __CUDA_ARCH__
    sincospi(2 * v, &out[0], &out[1]);
#else
    out[0] = sin(2 * v * RAND_PI);
    out[1] = cos(2 * v * RAND_PI);
#endif
    out[0] *= s;
    out[1] *= s;
}

RAND_BOTH void rand_pair_of(const unsigned x[2], float out[2])
{
    rand_pair(rand_uniform(x[0]), rand_uniform(x[1]), out);
}

RAND_BOTH void rand_pair_64_of(const unsigned x[4], double out[2])
{
    rand_pair_64(rand_uniform_64(x[0], x[1]), rand_uniform_64(x[2], x[3]), out);
}

/* The normal below which a share `u` of all are: of the smaller half, whose
 * share is exact. */
#ifdef __CUDA_ARCH__
__device__ __forceinline__ double rand_inverse_64(double u)
{
    return -1.41421356237309504880 * erfcinv(2 * u);
}
__device__ __forceinline__ float rand_inverse(float u)
{
    return -1.41421356f * erfcinvf(2 * u);
}
#else
double rand_inverse_64(double u);
float rand_inverse(float u);
#endif

RAND_BOTH float rand_normal_of(unsigned x)
{
    return x > 0x80000000u ? -rand_inverse(rand_uniform(~x))
                           : rand_inverse(rand_uniform(x));
}

/* `half`: of the spacing of `z`'s shares, which are 2 * half apart. */
RAND_BOTH double rand_normal_64_of(unsigned long long z,
                                   unsigned long long most, double half)
{
    return z > most / 2 + 1
               ? -rand_inverse_64((double)(most - z) * 2 * half + half)
               : rand_inverse_64((double)z * 2 * half + half);
}

RAND_BOTH unsigned rand_poisson_of(const struct rand_poisson *p, double u)
{
    unsigned j = (unsigned)(p->length * u);

    if (j >= p->length)
        j = p->length - 1;
    return p->shift + (u < p->level[j] ? j : p->other[j]);
}

RAND_BOTH unsigned rand_poisson_search(const struct rand_poisson *p, double u)
{
    unsigned low = 0, high = p->length - 1;

    while (low < high) {
        unsigned middle = (low + high) / 2;

        if (u <= p->level[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return p->shift + low;
}

/* `mean` is lambda, `deviation` its root. */
RAND_BOTH unsigned rand_poisson_normal(const struct rand_run *r, double normal)
{
    return (unsigned)(r->deviation * normal + r->mean + 0.5);
}

RAND_BOTH float rand_scale(const struct rand_run *r, float normal, int is_log)
{
    normal = (float)r->mean + (float)r->deviation * normal;
    return is_log ? expf(normal) : normal;
}

RAND_BOTH double rand_scale_64(const struct rand_run *r, double normal,
                               int is_log)
{
    normal = r->mean + r->deviation * normal;
    return is_log ? exp(normal) : normal;
}

/* ---- generators that have a state for each stream ------------------------------- */

RAND_BOTH unsigned rand_xorwow_next(struct rand_xorwow *s)
{
    unsigned t = s->v[0] ^ s->v[0] >> 2;

    s->v[0] = s->v[1];
    s->v[1] = s->v[2];
    s->v[2] = s->v[3];
    s->v[3] = s->v[4];
    s->v[4] = s->v[4] ^ s->v[4] << 4 ^ t ^ t << 1;
    s->d += 362437;
    return s->v[4] + s->d;
}

#define RAND_MRG_1 4294967087u
#define RAND_MRG_2 4294944443u

/* From 1 to RAND_MRG_1. */
RAND_BOTH unsigned rand_mrg_next(struct rand_mrg *s)
{
    const unsigned long long m1 = RAND_MRG_1, m2 = RAND_MRG_2;
    unsigned long long p, q;

    p = (1403580 * (unsigned long long)s->s1[1] + 810728 * (m1 - s->s1[0])) %
        m1;
    q = (527612 * (unsigned long long)s->s2[2] + 1370589 * (m2 - s->s2[0])) %
        m2;
    s->s1[0] = s->s1[1];
    s->s1[1] = s->s1[2];
    s->s1[2] = (unsigned)p;
    s->s2[0] = s->s2[1];
    s->s2[1] = s->s2[2];
    s->s2[2] = (unsigned)q;
    return (unsigned)(p > q ? p - q : p - q + m1);
}

/* 2^32 / m1, 1 / m1. */
RAND_BOTH unsigned rand_mrg_bits(unsigned z)
{
    return (unsigned)((double)z * 1.000000048662);
}
RAND_BOTH double rand_mrg_uniform(unsigned z)
{
    return (double)z * 2.3283065498378288e-10;
}

RAND_BOTH void rand_philox_block(unsigned long long seed,
                                 unsigned long long block,
                                 unsigned long long stream,
                                 unsigned out[RAND_PHILOX_WORDS])
{
    unsigned x = (unsigned)block, y = (unsigned)(block >> 32);
    unsigned z = (unsigned)stream, w = (unsigned)(stream >> 32);
    unsigned k = (unsigned)seed, l = (unsigned)(seed >> 32);

    for (int i = 0; i < 10; i++) {
        unsigned long long a = 0xd2511f53ull * x, b = 0xcd9e8d57ull * z;

        x = (unsigned)(b >> 32) ^ y ^ k;
        y = (unsigned)b;
        z = (unsigned)(a >> 32) ^ w ^ l;
        w = (unsigned)a;
        k += 0x9e3779b9;
        l += 0xbb67ae85;
    }
    out[0] = x;
    out[1] = y;
    out[2] = z;
    out[3] = w;
}

/* Thread `thread` of those of the streams in turn, r->start before the others. */
RAND_BOTH unsigned rand_stream(const struct rand_run *r, unsigned thread)
{
    return (r->start + thread) % r->streams;
}

/* Where its results are, so many at a time. */
#define RAND_UNITS(r, thread, unit)                                    \
    for (unsigned long long i = (unsigned long long)(thread) * (unit); \
         i < (r)->n; i += (unsigned long long)(r)->streams * (unit))

RAND_BOTH void rand_xorwow_run(const struct rand_run *r, int distribution,
                               unsigned thread)
{
    struct rand_xorwow *state =
        (struct rand_xorwow *)r->state + rand_stream(r, thread);
    struct rand_xorwow s = *state;
    unsigned *bits = (unsigned *)r->out, x[4];
    float *out = (float *)r->out, pair[2];
    double *out_64 = (double *)r->out, pair_64[2];

    switch (distribution) {
    case RAND_BITS:
        RAND_UNITS(r, thread, 1)
        bits[i] = rand_xorwow_next(&s);
        break;
    case RAND_UNIFORM:
        RAND_UNITS(r, thread, 1)
        out[i] = rand_uniform(rand_xorwow_next(&s));
        break;
    case RAND_UNIFORM_64:
        RAND_UNITS(r, thread, 1)
        {
            x[0] = rand_xorwow_next(&s);
            out_64[i] = rand_uniform_64(x[0], rand_xorwow_next(&s));
        }
        break;
    case RAND_NORMAL:
    case RAND_LOG_NORMAL:
        RAND_UNITS(r, thread, 2)
        {
            x[0] = rand_xorwow_next(&s);
            x[1] = rand_xorwow_next(&s);
            rand_pair_of(x, pair);
            for (int j = 0; j < 2; j++)
                out[i + j] =
                    rand_scale(r, pair[j], distribution == RAND_LOG_NORMAL);
        }
        break;
    case RAND_NORMAL_64:
    case RAND_LOG_NORMAL_64:
        RAND_UNITS(r, thread, 2)
        {
            for (int j = 0; j < 4; j++)
                x[j] = rand_xorwow_next(&s);
            rand_pair_64_of(x, pair_64);
            for (int j = 0; j < 2; j++)
                out_64[i + j] = rand_scale_64(
                    r, pair_64[j], distribution == RAND_LOG_NORMAL_64);
        }
        break;
    case RAND_POISSON:
        RAND_UNITS(r, thread, 1)
        bits[i] = rand_poisson_of(&r->poisson,
                                  rand_xorwow_next(&s) * RAND_2_32 + RAND_2_32);
        break;
    case RAND_POISSON_NORMAL:
        RAND_UNITS(r, thread, 1)
        {
            pair[0] = s.extra;
            if (!s.has_extra) {
                x[0] = rand_xorwow_next(&s);
                x[1] = rand_xorwow_next(&s);
                rand_pair_of(x, pair);
                s.extra = pair[1];
            }
            bits[i] = rand_poisson_normal(r, (double)pair[0]);
            s.has_extra = !s.has_extra;
        }
        break;
    default:
        break;
    }
    *state = s;
}

RAND_BOTH void rand_mrg_run(const struct rand_run *r, int distribution,
                            unsigned thread)
{
    struct rand_mrg *state =
        (struct rand_mrg *)r->state + rand_stream(r, thread);
    struct rand_mrg s = *state;
    unsigned *bits = (unsigned *)r->out;
    float *out = (float *)r->out, pair[2], v;
    double *out_64 = (double *)r->out, pair_64[2], u;

    switch (distribution) {
    case RAND_BITS:
        RAND_UNITS(r, thread, 1)
        bits[i] = rand_mrg_bits(rand_mrg_next(&s));
        break;
    case RAND_UNIFORM:
        RAND_UNITS(r, thread, 1)
        out[i] = (float)rand_mrg_uniform(rand_mrg_next(&s));
        break;
    case RAND_UNIFORM_64:
        RAND_UNITS(r, thread, 1)
        out_64[i] = rand_mrg_uniform(rand_mrg_next(&s));
        break;
    case RAND_NORMAL:
    case RAND_LOG_NORMAL:
        RAND_UNITS(r, thread, 2)
        {
            v = (float)rand_mrg_uniform(rand_mrg_next(&s));
            rand_pair(v, (float)rand_mrg_uniform(rand_mrg_next(&s)), pair);
            for (int j = 0; j < 2; j++)
                out[i + j] =
                    rand_scale(r, pair[j], distribution == RAND_LOG_NORMAL);
        }
        break;
    case RAND_NORMAL_64:
    case RAND_LOG_NORMAL_64:
        RAND_UNITS(r, thread, 2)
        {
            u = rand_mrg_uniform(rand_mrg_next(&s));
            rand_pair_64(u, rand_mrg_uniform(rand_mrg_next(&s)), pair_64);
            for (int j = 0; j < 2; j++)
                out_64[i + j] = rand_scale_64(
                    r, pair_64[j], distribution == RAND_LOG_NORMAL_64);
        }
        break;
    case RAND_POISSON:
        RAND_UNITS(r, thread, 1)
        bits[i] =
            rand_poisson_of(&r->poisson, rand_mrg_uniform(rand_mrg_next(&s)));
        break;
    case RAND_POISSON_NORMAL:
        RAND_UNITS(r, thread, 1)
        {
            pair_64[0] = s.extra;
            if (!s.has_extra) {
                u = rand_mrg_uniform(rand_mrg_next(&s));
                rand_pair_64(u, rand_mrg_uniform(rand_mrg_next(&s)), pair_64);
                s.extra = pair_64[1];
            }
            bits[i] = rand_poisson_normal(r, pair_64[0]);
            s.has_extra = !s.has_extra;
        }
        break;
    default:
        break;
    }
    *state = s;
}

/* ---- Philox --------------------------------------------------------------------- */

/* Result `lane` of those of one block, two if they are doubles. */
RAND_BOTH void rand_philox_put(const struct rand_run *r, int distribution,
                               const unsigned x[2 * RAND_PHILOX_WORDS],
                               unsigned lane, unsigned long long to)
{
    unsigned *bits = (unsigned *)r->out;
    float *out = (float *)r->out, pair[2];
    double *out_64 = (double *)r->out, pair_64[2];
    unsigned half = lane & 1, even = lane & ~1u;

    switch (distribution) {
    case RAND_BITS:
        bits[to] = x[lane];
        break;
    case RAND_UNIFORM:
        out[to] = rand_uniform(x[lane]);
        break;
    case RAND_UNIFORM_64:
        out_64[to] = rand_uniform_64(x[2 * lane], x[2 * lane + 1]);
        break;
    case RAND_NORMAL:
    case RAND_LOG_NORMAL:
        rand_pair_of(x + even, pair);
        out[to] = rand_scale(r, pair[half], distribution == RAND_LOG_NORMAL);
        break;
    case RAND_NORMAL_64:
    case RAND_LOG_NORMAL_64:
        rand_pair_64_of(x + 2 * even, pair_64);
        out_64[to] =
            rand_scale_64(r, pair_64[half], distribution == RAND_LOG_NORMAL_64);
        break;
    case RAND_POISSON:
        bits[to] =
            rand_poisson_of(&r->poisson, x[lane] * RAND_2_32 + RAND_2_32);
        break;
    case RAND_POISSON_NORMAL:
        rand_pair_of(x + even, pair);
        bits[to] = rand_poisson_normal(r, (double)pair[half]);
        break;
    default:
        break;
    }
}

/* A stream's four results at once, of which a call may want the last ones only,
 * or the first: then the stream stays where it is. */
RAND_BOTH void rand_philox_run(const struct rand_run *r, int distribution,
                               unsigned thread)
{
    unsigned stream = rand_stream(r, thread);
    struct rand_philox *state = (struct rand_philox *)r->state + stream;
    unsigned long long block = state->block;
    unsigned skipped = (unsigned)(r->first % RAND_PHILOX_WORDS);
    unsigned long long end = r->n + skipped;
    unsigned long long at = (unsigned long long)thread * RAND_PHILOX_WORDS;
    int is_64 = distribution == RAND_UNIFORM_64 ||
                distribution == RAND_NORMAL_64 ||
                distribution == RAND_LOG_NORMAL_64;

    for (; at < end; at += (unsigned long long)r->streams * RAND_PHILOX_WORDS) {
        unsigned x[2 * RAND_PHILOX_WORDS];

        rand_philox_block(r->seed, block, stream, x);
        if (is_64)
            rand_philox_block(r->seed, block + 1, stream,
                              x + RAND_PHILOX_WORDS);
#ifdef __CUDACC__
#pragma unroll
#endif
        for (unsigned lane = 0; lane < RAND_PHILOX_WORDS; lane++) {
            if (at + lane >= skipped && at + lane < end)
                rand_philox_put(r, distribution, x, lane, at + lane - skipped);
        }
        if (at + RAND_PHILOX_WORDS <= end)
            block += is_64 ? 2 : 1;
    }
    state->block = block;
}

/* ---- one word, one result --------------------------------------------------------- */

/* `is_mt`: MT19937's words, of which a double is in the middle between one and
 * the next, of others the next; and its Poisson numbers are rounded in floats. */
RAND_BOTH void rand_put_32(const struct rand_run *r, int distribution,
                           unsigned x, unsigned long long to, int is_mt)
{
    unsigned *bits = (unsigned *)r->out;
    float *out = (float *)r->out;
    double *out_64 = (double *)r->out;
    double u = x * RAND_2_32 + RAND_2_32;

    switch (distribution) {
    case RAND_BITS:
        bits[to] = x;
        break;
    case RAND_UNIFORM:
        out[to] =
            is_mt ? (float)(x * RAND_2_32 + RAND_2_32 / 2) : rand_uniform(x);
        break;
    case RAND_UNIFORM_64:
        out_64[to] = is_mt ? x * RAND_2_32 + RAND_2_32 / 2 : u;
        break;
    case RAND_NORMAL:
    case RAND_LOG_NORMAL:
        out[to] =
            rand_scale(r, rand_normal_of(x), distribution == RAND_LOG_NORMAL);
        break;
    case RAND_NORMAL_64:
    case RAND_LOG_NORMAL_64:
        out_64[to] =
            rand_scale_64(r, rand_normal_64_of(x, 0xffffffff, RAND_2_32 / 2),
                          distribution == RAND_LOG_NORMAL_64);
        break;
    case RAND_POISSON:
        bits[to] = rand_poisson_of(&r->poisson, u);
        break;
    case RAND_POISSON_SEARCH:
        bits[to] = rand_poisson_search(&r->poisson, u);
        break;
    case RAND_POISSON_NORMAL:
        bits[to] =
            is_mt ? (unsigned)((float)r->deviation * rand_normal_of(x) +
                               (float)r->mean + 0.5f)
                  : rand_poisson_normal(
                        r, rand_normal_64_of(x, 0xffffffff, RAND_2_32 / 2));
        break;
    default:
        break;
    }
}

RAND_BOTH void rand_put_64(const struct rand_run *r, int distribution,
                           unsigned long long x, unsigned long long to)
{
    const unsigned long long most = (1ull << 53) - 1;
    unsigned *bits = (unsigned *)r->out;
    double *out_64 = (double *)r->out;
    double u = (double)(x >> 11) * RAND_2_53 + RAND_2_53 / 2;

    switch (distribution) {
    case RAND_BITS:
        ((unsigned long long *)r->out)[to] = x;
        break;
    case RAND_UNIFORM_64:
        out_64[to] = u;
        break;
    case RAND_NORMAL_64:
    case RAND_LOG_NORMAL_64:
        out_64[to] =
            rand_scale_64(r, rand_normal_64_of(x >> 11, most, RAND_2_53 / 2),
                          distribution == RAND_LOG_NORMAL_64);
        break;
    case RAND_POISSON_SEARCH:
        bits[to] = rand_poisson_search(&r->poisson, u);
        break;
    default: /* floats, and what comes from them */
        rand_put_32(r, distribution, (unsigned)(x >> 32), to, 0);
        break;
    }
}

/* ---- Mersenne Twister ------------------------------------------------------------ */

/* Which of a stream's words thread `lane` of its eight makes in its row: the
 * first ones lie apart, then seven at a time. */
RAND_BOTH unsigned rand_mt_word(unsigned lane, unsigned row)
{
    static const unsigned short firsts[RAND_MT_LANES] = {0,   113, 170, 283,
                                                         340, 397, 510, 567};
    static const unsigned short groups[] = {1,   57,  114, 171, 227, 284,
                                            341, 398, 454, 511, 568};

    if (row == 0)
        return firsts[lane];
    return groups[(row - 1) / 7] + 7 * lane + (row - 1) % 7;
}

/* The word 624 after `a`, which `b` follows; `c` is 397 after it. */
RAND_BOTH unsigned rand_mt_next(unsigned a, unsigned b, unsigned c)
{
    unsigned y = (a & 0x80000000) | (b & 0x7fffffff);

    return c ^ y >> 1 ^ ((y & 1) != 0 ? 0x9908b0df : 0);
}

RAND_BOTH unsigned rand_mt_temper(unsigned y)
{
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680;
    y ^= y << 15 & 0xefc60000;
    return y ^ y >> 18;
}

/* The results of row `row` in column `column`. */
RAND_BOTH void rand_mt_put(const struct rand_run *r, int distribution,
                           const unsigned *words, unsigned long long row,
                           unsigned column)
{
    unsigned long long at = row * RAND_MT_ROW + column;

    if (at >= r->first && at < r->first + r->n)
        rand_put_32(
            r, distribution,
            rand_mt_temper(words[rand_mt_word(column % RAND_MT_LANES,
                                              (unsigned)(row % RAND_MT_ROWS))]),
            at - r->first, 1);
}

/* ---- Sobol' --------------------------------------------------------------------- */

/* One dimension's results `start`, start + 2^leap ...: x_i is the exclusive or
 * of vectors where the Gray code of i has ones.  From i to i + 2^leap that code
 * changes in bit leap - 1 and where i >> leap has its last 0. */
#define RAND_SOBOL(width, word)                                                \
    RAND_BOTH void rand_sobol_##width##_run(                                   \
        const struct rand_run *r, int distribution, const word vectors[width], \
        unsigned dimension, unsigned start, unsigned leap)                     \
    {                                                                          \
        unsigned long long n = r->n / r->dimensions, at = n * dimension;       \
        word i = (word)(r->first + start), gray = i ^ i >> 1, x = 0;           \
        word low = leap > 0 ? vectors[leap - 1] : 0;                           \
                                                                               \
        if (r->scramble != 0)                                                  \
            x = ((const word *)r->scramble)[dimension];                        \
        for (unsigned k = 0; k < width; k++)                                   \
            x ^= (gray >> k & 1) != 0 ? vectors[k] : 0;                        \
        for (unsigned long long to = start; to < n; to += 1ull << leap) {      \
            word high = i >> leap;                                             \
            unsigned zero = leap;                                              \
                                                                               \
            rand_put_##width(r, distribution, x, at + to RAND_SOBOL_##width);  \
            for (; (high & 1) != 0; high >>= 1)                                \
                zero++;                                                        \
            x ^= low ^ vectors[zero < width ? zero : width - 1];               \
            i += (word)1 << leap;                                              \
        }                                                                      \
    }
#define RAND_SOBOL_32 , 0
#define RAND_SOBOL_64
RAND_SOBOL(32, unsigned)
RAND_SOBOL(64, unsigned long long)

#endif
