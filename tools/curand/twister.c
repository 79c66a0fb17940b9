/*
 * Skipping words: MT19937's state is a linear function of the one before, whose
 * characteristic polynomial p has degree 19937.  So 2^2048 steps are those of
 * t^(2^2048) mod p, a sum of at most 19937 steps (Haramoto, Matsumoto,
 * Nishimura, Panneton, L'Ecuyer 2008, "Efficient jump ahead for F2-linear random
 * number generators").  p is known in closed form (Matsumoto, Nishimura 1998,
 * appendix A):
 *
 *     (t^n + t^m)^(w-r) (t^(n-1) + t^(m-1))^r
 *         + sum over i < r of a_i (t^n + t^m)^(w-r) (t^(n-1) + t^(m-1))^(r-1-i)
 *         + sum over r <= i < w of a_i (t^n + t^m)^(w-1-i)
 *
 * with n = 624, m = 397, w = 32, r = 31.
 */
#include "tools/curand/twister.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tools/curand/kernels/streams.h"

enum {
    N = RAND_MT_WORDS,
    M = 397,
    W = 32,
    R = 31,
    DEGREE = 19937,
    WORDS = DEGREE / 64 + 1, /* of a polynomial below p */
    DOUBLE = 2 * WORDS,
    JUMP_LOG = 2048,
    TERMS = 1024, /* p has 135 */
    WINDOW = 7,   /* steps at a time */
    WINDOWS = (DEGREE + WINDOW - 1) / WINDOW,
};

#define A 0x9908b0dfu

/* ---- polynomials over two elements ------------------------------------------------- */

struct polynomial {
    uint64_t bit[DOUBLE];
};

static void flip(struct polynomial *p, unsigned i)
{
    p->bit[i / 64] ^= UINT64_C(1) << i % 64;
}

static int has(const struct polynomial *p, unsigned i)
{
    return (int)(p->bit[i / 64] >> i % 64 & 1);
}

/* p * (t^high + t^low) */
static void times(struct polynomial *p, unsigned high, unsigned low)
{
    struct polynomial out = {{0}};

    for (unsigned i = 0; i + high < 64 * DOUBLE; i++) {
        if (has(p, i)) {
            flip(&out, i + high);
            flip(&out, i + low);
        }
    }
    *p = out;
}

static void add(struct polynomial *p, const struct polynomial *q)
{
    for (int i = 0; i < DOUBLE; i++)
        p->bit[i] ^= q->bit[i];
}

/* (t^N + t^M)^wide (t^(N-1) + t^(M-1))^narrow */
static struct polynomial product(int wide, int narrow)
{
    struct polynomial p = {{1}};

    for (int i = 0; i < wide; i++)
        times(&p, N, M);
    for (int i = 0; i < narrow; i++)
        times(&p, N - 1, M - 1);
    return p;
}

/* Exponents of p but its degree; returns how many. */
static unsigned characteristic(unsigned exponent[TERMS])
{
    struct polynomial p = product(W - R, R);
    unsigned count = 0;

    for (int i = 0; i < W; i++) {
        struct polynomial q;

        if ((A >> i & 1) == 0)
            continue;
        q = i < R ? product(W - R, R - 1 - i) : product(W - 1 - i, 0);
        add(&p, &q);
    }
    for (unsigned i = 0; i < DEGREE && count < TERMS; i++) {
        if (has(&p, i))
            exponent[count++] = i;
    }
    return count;
}

/* 64 bits, of which none is another's neighbor, from 32. */
static uint64_t spread(uint64_t x)
{
    static const uint64_t mask[] = {0x0000ffff0000ffff, 0x00ff00ff00ff00ff,
                                    0x0f0f0f0f0f0f0f0f, 0x3333333333333333,
                                    0x5555555555555555};

    for (int i = 0; i < 5; i++)
        x = (x | x << (16 >> i)) & mask[i];
    return x;
}

/* p + bits * t^at */
static void add_bits(struct polynomial *p, uint64_t bits, unsigned at)
{
    p->bit[at / 64] ^= bits << at % 64;
    if (at % 64 != 0)
        p->bit[at / 64 + 1] ^= bits >> (64 - at % 64);
}

/* p^2 mod the polynomial with those exponents, of which the largest is far below
 * the degree: 64 coefficients at once do not meet each other.  The square of a
 * sum is that of the squares. */
static void square(struct polynomial *p, const unsigned *exponent,
                   unsigned count)
{
    struct polynomial out = {{0}};

    for (int i = 0; i < WORDS; i++) {
        out.bit[2 * i] = spread((uint32_t)p->bit[i]);
        out.bit[2 * i + 1] = spread(p->bit[i] >> 32);
    }
    for (unsigned i = DOUBLE; i-- > DEGREE / 64;) {
        unsigned low = i > DEGREE / 64 ? 0 : DEGREE % 64;
        uint64_t bits = out.bit[i] >> low;

        out.bit[i] ^= bits << low;
        for (unsigned j = 0; j < count; j++)
            add_bits(&out, bits, 64 * i + low - DEGREE + exponent[j]);
    }
    *p = out;
}

/* ---- words --------------------------------------------------------------------------- */

static void step(uint32_t *oldest)
{
    oldest[N] = rand_mt_next(oldest[0], oldest[1], oldest[M]);
}

static void add_words(uint32_t *restrict to, const uint32_t *restrict words)
{
    for (int i = 0; i < N; i++)
        to[i] ^= words[i];
}

struct room {
    uint32_t sum[1 << WINDOW][N];         /* of the words after 0 to 6 steps */
    uint32_t words[N + WINDOWS * WINDOW]; /* and all that follow */
};

/* `words` become p of them, by Horner's scheme, WINDOW coefficients at once. */
static void jump(const struct polynomial *p, uint32_t words[N],
                 struct room *room)
{
    uint32_t *at = room->words;

    memcpy(at, words, N * sizeof *at);
    memset(room->sum[0], 0, sizeof room->sum[0]);
    for (unsigned k = 0; k < WINDOW; k++, at++) {
        for (unsigned i = 0; i < 1u << k; i++) {
            memcpy(room->sum[i + (1u << k)], room->sum[i], sizeof room->sum[i]);
            add_words(room->sum[i + (1u << k)], at);
        }
        step(at);
    }
    at = room->words;
    memset(at, 0, N * sizeof *at);
    for (unsigned window = WINDOWS; window-- > 0;) {
        unsigned which = 0;

        for (unsigned k = 0; k < WINDOW; k++) {
            step(at++);
            which |= (unsigned)has(p, window * WINDOW + k) << k;
        }
        add_words(at, room->sum[which]);
    }
    memcpy(words, at, N * sizeof *at);
}

void twister_next(unsigned words[RAND_MT_WORDS])
{
    for (unsigned i = 0; i < N; i++)
        words[i] =
            rand_mt_next(words[i], words[(i + 1) % N], words[(i + M) % N]);
}

/* Streams of a seed, one jump after the other. */
static int make_streams(unsigned *words, unsigned streams, uint32_t seed)
{
    struct room *room = malloc(sizeof *room);
    struct polynomial p = {{2}}; /* t */
    unsigned exponent[TERMS], count = characteristic(exponent);
    uint32_t s[N] = {seed};

    if (room == NULL)
        return 0;
    for (unsigned i = 1; i < N; i++)
        s[i] = 1812433253 * (s[i - 1] ^ s[i - 1] >> 30) + i;
    for (int i = 0; i < JUMP_LOG; i++)
        square(&p, exponent, count);
    for (unsigned k = 0; k < streams; k++) {
        memcpy(words + k * N, s, sizeof s);
        twister_next(words + k * N);
        if (k + 1 < streams)
            jump(&p, s, room);
    }
    free(room);
    return 1;
}

/* It takes seconds, so the last seed's streams are kept: programs make several
 * generators of one. */
int twister_seed(void *states, unsigned streams, unsigned long long seed,
                 unsigned long long offset)
{
    static struct {
        pthread_mutex_t lock;
        unsigned *words, streams;
        uint32_t seed;
    } kept = {.lock = PTHREAD_MUTEX_INITIALIZER};
    const size_t bytes = (size_t)streams * N * sizeof *kept.words;
    int made = 1;

    (void)offset;
    pthread_mutex_lock(&kept.lock);
    if (kept.words == NULL || kept.seed != (uint32_t)seed ||
        kept.streams != streams) {
        free(kept.words);
        kept.words = malloc(bytes);
        kept.streams = streams;
        kept.seed = (uint32_t)seed;
        made = kept.words != NULL &&
               make_streams(kept.words, streams, kept.seed);
        if (!made) {
            free(kept.words);
            kept.words = NULL;
        }
    }
    if (made)
        memcpy(states, kept.words, bytes);
    pthread_mutex_unlock(&kept.lock);
    return made;
}
