#include "tools/curand/seed.h"

#include <string.h>

#include "tools/curand/kernels/streams.h"

enum {
    WORDS = 5,
    BITS = 32 * WORDS,
    MRG_ORDER = 3,
    APART_XORWOW = 67, /* streams are 2^67 words from each other */
    APART_MRG = 76,    /* likewise */
};

/* How many words of a stream come before result `offset`, a word each, of all
 * streams in turn. */
static unsigned long long words_before(unsigned long long offset,
                                       unsigned streams, unsigned stream)
{
    return offset / streams + (stream < offset % streams);
}

/* ---- XORWOW: its five words are multiplied by a matrix of bits ------------------- */

struct bits {
    uint32_t of[BITS][WORDS]; /* what each bit becomes */
};

static void apply(const struct bits *m, uint32_t v[WORDS])
{
    uint32_t out[WORDS] = {0};

    for (int i = 0; i < BITS; i++) {
        if ((v[i / 32] >> i % 32 & 1) == 0)
            continue;
        for (int j = 0; j < WORDS; j++)
            out[j] ^= m->of[i][j];
    }
    memcpy(v, out, sizeof out);
}

static void square(struct bits *m)
{
    const struct bits old = *m;

    for (int i = 0; i < BITS; i++)
        apply(&old, m->of[i]);
}

static void one_step(struct bits *m)
{
    for (int i = 0; i < BITS; i++) {
        struct rand_xorwow s = {.d = 0};

        s.v[i / 32] = 1u << i % 32;
        rand_xorwow_next(&s);
        memcpy(m->of[i], s.v, sizeof s.v);
    }
}

static void skip_xorwow(struct rand_xorwow *s, unsigned long long words)
{
    struct bits m;

    one_step(&m);
    s->d += 362437 * (unsigned)words;
    for (; words > 0; words >>= 1) {
        if ((words & 1) != 0)
            apply(&m, s->v);
        square(&m);
    }
}

int seed_xorwow(void *states, unsigned streams, unsigned long long seed,
                unsigned long long offset)
{
    struct rand_xorwow *to = states;
    uint32_t low = 1099087573 * ((uint32_t)seed ^ 0xaad26b49);
    uint32_t high = 2591861531 * ((uint32_t)(seed >> 32) ^ 0xf7dcefdd);
    struct rand_xorwow s = {
        .v = {123456789 + low, 362436069 ^ low, 521288629 + high,
              88675123 ^ high, 5783321 + low},
        .d = 6615241 + low + high,
    };
    struct bits jump;

    skip_xorwow(&s, offset / streams);
    one_step(&jump);
    for (int i = 0; i < APART_XORWOW; i++)
        square(&jump);
    for (unsigned i = 0; i < streams; i++) {
        to[i] = s;
        if (words_before(offset, streams, i) > offset / streams)
            rand_xorwow_next(&to[i]);
        apply(&jump, s.v); /* d returns to what it was */
    }
    return 1;
}

/* ---- MRG32K3A: its two triples are multiplied by a matrix each ------------------- */

struct matrix {
    uint64_t of[MRG_ORDER][MRG_ORDER];
    uint64_t modulus;
};

static void square_matrix(struct matrix *m)
{
    const struct matrix old = *m;

    for (int i = 0; i < MRG_ORDER; i++) {
        for (int j = 0; j < MRG_ORDER; j++) {
            uint64_t sum = 0;

            for (int k = 0; k < MRG_ORDER; k++)
                sum += old.of[i][k] * old.of[k][j] % m->modulus;
            m->of[i][j] = sum % m->modulus;
        }
    }
}

static void transform(const struct matrix *m, unsigned v[MRG_ORDER])
{
    uint64_t out[MRG_ORDER] = {0};

    for (int i = 0; i < MRG_ORDER; i++) {
        for (int k = 0; k < MRG_ORDER; k++)
            out[i] += m->of[i][k] * v[k] % m->modulus;
    }
    for (int i = 0; i < MRG_ORDER; i++)
        v[i] = (unsigned)(out[i] % m->modulus);
}

static const struct matrix steps[2] = {
    {{{0, 1, 0}, {0, 0, 1}, {RAND_MRG_1 - 810728, 1403580, 0}}, RAND_MRG_1},
    {{{0, 1, 0}, {0, 0, 1}, {RAND_MRG_2 - 1370589, 0, 527612}}, RAND_MRG_2},
};

static void skip_mrg(struct matrix m, unsigned v[MRG_ORDER],
                     unsigned long long words)
{
    for (; words > 0; words >>= 1) {
        if ((words & 1) != 0)
            transform(&m, v);
        square_matrix(&m);
    }
}

int seed_mrg(void *states, unsigned streams, unsigned long long seed,
             unsigned long long offset)
{
    struct rand_mrg *to = states;
    struct rand_mrg s = {.s1 = {12345, 12345, 12345},
                         .s2 = {12345, 12345, 12345}};
    struct matrix jump[2] = {steps[0], steps[1]};

    if (seed != 0) {
        uint64_t x[2] = {(uint32_t)seed ^ 0x55555555,
                         (uint32_t)(seed >> 32) ^ 0xaaaaaaaa};

        for (int i = 0; i < MRG_ORDER; i++) {
            s.s1[i] = (unsigned)(x[i % 2] * s.s1[i] % RAND_MRG_1);
            s.s2[i] = (unsigned)(x[(i + 1) % 2] * s.s2[i] % RAND_MRG_2);
        }
    }
    skip_mrg(steps[0], s.s1, offset / streams);
    skip_mrg(steps[1], s.s2, offset / streams);
    for (int i = 0; i < APART_MRG; i++) {
        square_matrix(&jump[0]);
        square_matrix(&jump[1]);
    }
    for (unsigned i = 0; i < streams; i++) {
        to[i] = s;
        if (words_before(offset, streams, i) > offset / streams)
            rand_mrg_next(&to[i]);
        transform(&jump[0], s.s1);
        transform(&jump[1], s.s2);
    }
    return 1;
}

/* ---- Philox: each stream counts ---------------------------------------------------- */

int seed_philox(void *states, unsigned streams, unsigned long long seed,
                unsigned long long offset)
{
    struct rand_philox *to = states;

    (void)seed;
    for (unsigned i = 0; i < streams; i++)
        to[i].block = words_before(offset / RAND_PHILOX_WORDS, streams, i);
    return 1;
}
