/* What a launch of teg's generators is told; shared by host and device. */
#ifndef TEG_TOOLS_CURAND_KERNELS_RAND_H
#define TEG_TOOLS_CURAND_KERNELS_RAND_H

/* A generator is so many streams, whose results lie side by side. */
enum {
    RAND_STREAMS_XORWOW = 4096,
    RAND_STREAMS_MRG = 81920,
    RAND_STREAMS_MRG_LEGACY = 4096,
    RAND_STREAMS_PHILOX = 65536,
    RAND_STREAMS_MT = 8192,
    RAND_PHILOX_WORDS = 4, /* of a stream, one behind the other */
    RAND_MT_WORDS = 624,
    RAND_MT_LANES = 8, /* threads of a stream */
    RAND_MT_ROW = RAND_STREAMS_MT * RAND_MT_LANES,
    RAND_MT_ROWS = RAND_MT_WORDS / RAND_MT_LANES,
    RAND_THREADS = 256,          /* of a block */
    RAND_SOBOL_THREADS_LOG = 14, /* of a dimension, at most */
};

/* DISTRIBUTION(NAME, name): what there are kernels of. */
#define RAND_DISTRIBUTIONS(DISTRIBUTION)           \
    DISTRIBUTION(BITS, bits)                       \
    DISTRIBUTION(UNIFORM, uniform)                 \
    DISTRIBUTION(UNIFORM_64, uniform_double)       \
    DISTRIBUTION(NORMAL, normal)                   \
    DISTRIBUTION(NORMAL_64, normal_double)         \
    DISTRIBUTION(LOG_NORMAL, log_normal)           \
    DISTRIBUTION(LOG_NORMAL_64, log_normal_double) \
    DISTRIBUTION(POISSON, poisson)                 \
    DISTRIBUTION(POISSON_NORMAL, poisson_normal)
/* Of quasirandom generators, too. */
#define RAND_QUASI_DISTRIBUTIONS(DISTRIBUTION) \
    RAND_DISTRIBUTIONS(DISTRIBUTION)           \
    DISTRIBUTION(POISSON_SEARCH, poisson_search)

enum rand_distribution {
#define DISTRIBUTION(NAME, name) RAND_##NAME,
    RAND_QUASI_DISTRIBUTIONS(DISTRIBUTION)
#undef DISTRIBUTION
    RAND_DISTRIBUTION_COUNT,
};

struct rand_xorwow {
    unsigned v[5], d;
    float extra; /* the second of a pair of normals */
    int has_extra;
};

struct rand_mrg {
    unsigned s1[3], s2[3];
    double extra;
    int has_extra;
};

struct rand_philox {
    unsigned long long block; /* of its counter, the next */
};

/* Numbers of a Poisson distribution from `shift` on.  Of a square histogram:
 * in column j of `length`, number j below level[j], other[j] from there on.  To
 * be searched: number j up to level[j]. */
struct rand_poisson {
    const double *level;
    const unsigned *other;
    unsigned length, shift;
};

struct rand_run {
    void *state; /* one for each stream; of MT19937 its words */
    void *out;
    unsigned long long n;     /* results */
    unsigned long long first; /* where they are among all of the generator's; of
                                 those of Sobol', in each dimension */
    unsigned long long seed;  /* of PHILOX4_32_10 */
    unsigned streams, start;  /* the one whose turn it is */
    unsigned blocks;          /* of MT19937's words that have been made */
    unsigned dimensions;
    double mean, deviation; /* of the normal distribution */
    struct rand_poisson poisson;
    const void *vectors;  /* of Sobol', [dimension][bit] */
    const void *scramble; /* [dimension]; NULL: not scrambled */
};

#endif
