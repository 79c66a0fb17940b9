#include "tools/curand/generator.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cudart/say.h"
#include "tools/curand/host.h"
#include "tools/curand/poisson.h"
#include "tools/curand/seed.h"
#include "tools/curand/sobol.h"
#include "tools/curand/twister.h"

/* Made by tools/make_kernels.sh. */
VENDOR_FATBIN(rand, "tools/curand/kernels/rand.fatbin")

enum {
    PAIRS = 1,  /* normals come in pairs */
    QUASI = 2,  /* Sobol' */
    WIDE = 4,   /* words of 64 bits */
    BLOCKS = 8, /* MT19937's: words are made many at once */
    FOURS = 16, /* Philox': a stream's results come four at once */
    NO_OFFSET = 32,
    SOBOL_THREADS_LEAST_LOG = 6, /* a block takes 64 vectors to shared memory */
};

#define ABOVE_8000 (8000 * (1 + DBL_EPSILON))

/* How many words of a stream a unit takes, by distribution. */
#define WORDS(bits, uniform, uniform_64, normal, normal_64)         \
    {                                                               \
        [RAND_BITS] = bits, [RAND_UNIFORM] = uniform,               \
        [RAND_UNIFORM_64] = uniform_64, [RAND_NORMAL] = normal,     \
        [RAND_NORMAL_64] = normal_64, [RAND_LOG_NORMAL] = normal,   \
        [RAND_LOG_NORMAL_64] = normal_64, [RAND_POISSON] = bits,    \
        [RAND_POISSON_SEARCH] = bits, [RAND_POISSON_NORMAL] = bits, \
    }

/* One for each generator:
 *   name                   in its kernels' names
 *   streams, legacy        of them, by order
 *   state                  bytes of a stream's
 *   search_from, normal_from
 *                          lambda from which Poisson numbers are searched for,
 *                          and rounded from normals */
static const struct kind {
    enum rand_type type;
    const char *name;
    unsigned flags, streams, legacy;
    size_t state;
    int (*seed)(void *states, unsigned streams, unsigned long long seed,
                unsigned long long offset);
    void (*host)(const struct rand_run *r, enum rand_distribution d);
    double search_from, normal_from;
    unsigned char words[RAND_DISTRIBUTION_COUNT];
} kinds[] = {
    {RAND_XORWOW, "xorwow", PAIRS, RAND_STREAMS_XORWOW, RAND_STREAMS_XORWOW,
     sizeof(struct rand_xorwow), seed_xorwow, host_xorwow, HUGE_VAL, 2000,
     WORDS(1, 1, 2, 2, 4)},
    {RAND_MRG32K3A, "mrg32k3a", PAIRS, RAND_STREAMS_MRG,
     RAND_STREAMS_MRG_LEGACY, sizeof(struct rand_mrg), seed_mrg, host_mrg,
     HUGE_VAL, 2000, WORDS(1, 1, 1, 2, 2)},
    {RAND_PHILOX, "philox", PAIRS | FOURS, RAND_STREAMS_PHILOX,
     RAND_STREAMS_PHILOX, sizeof(struct rand_philox), seed_philox, host_philox,
     HUGE_VAL, 2000, WORDS(1, 1, 1, 1, 1)},
    {RAND_MT19937, "mt19937", BLOCKS | NO_OFFSET, RAND_STREAMS_MT,
     RAND_STREAMS_MT, RAND_MT_WORDS * sizeof(unsigned), twister_seed, host_mt,
     HUGE_VAL, 2000, WORDS(1, 1, 1, 1, 1)},
    {RAND_SOBOL_32, "sobol32", QUASI, 1, 1, 0, NULL, host_sobol_32, 10,
     ABOVE_8000, WORDS(1, 1, 1, 1, 1)},
    {RAND_SCRAMBLED_SOBOL_32, "sobol32", QUASI, 1, 1, 0, NULL, host_sobol_32,
     10, ABOVE_8000, WORDS(1, 1, 1, 1, 1)},
    {RAND_SOBOL_64, "sobol64", QUASI | WIDE, 1, 1, 0, NULL, host_sobol_64, 0,
     2000, WORDS(1, 1, 1, 1, 1)},
    {RAND_SCRAMBLED_SOBOL_64, "sobol64", QUASI | WIDE, 1, 1, 0, NULL,
     host_sobol_64, 0, 2000, WORDS(1, 1, 1, 1, 1)},
};

static const char *const names[RAND_DISTRIBUTION_COUNT] = {
#define DISTRIBUTION(NAME, name) [RAND_##NAME] = #name,
    RAND_QUASI_DISTRIBUTIONS(DISTRIBUTION)
#undef DISTRIBUTION
};

static int is(const struct generator *g, unsigned flag)
{
    return (g->kind->flags & flag) != 0;
}

int generator_is_wide(const struct generator *g)
{
    return is(g, WIDE);
}

/* ---- memory ------------------------------------------------------------------------ */

static void discard(const struct generator *g, const void *p)
{
    if (g->on_host)
        free((void *)p);
    else if (p != NULL)
        cudaFree((void *)p);
}

/* A copy where the generator is; NULL: no memory. */
static void *place(const struct generator *g, const void *from, size_t bytes)
{
    void *to = NULL;

    if (g->on_host) {
        to = malloc(bytes);
        if (to != NULL)
            memcpy(to, from, bytes);
    } else if (cudaMalloc(&to, bytes) != 0 ||
               cudaMemcpy(to, from, bytes, COPY_HOST_TO_DEVICE) != 0) {
        discard(g, to);
        to = NULL;
    }
    return to;
}

static void forget_table(struct generator *g)
{
    discard(g, g->run.poisson.level);
    discard(g, g->run.poisson.other);
    g->run.poisson = (struct rand_poisson){0};
    g->lambda = 0;
}

/* The streams begin anew when they are wanted. */
static void forget_streams(struct generator *g)
{
    discard(g, g->run.state);
    discard(g, g->run.vectors);
    discard(g, g->run.scramble);
    g->run.state = NULL;
    g->run.vectors = g->run.scramble = NULL;
    g->is_ready = 0;
}

/* ---- options ------------------------------------------------------------------------ */

enum rand_status generator_make(struct generator *g, int type, int on_host)
{
    if (type == RAND_PSEUDO_DEFAULT)
        type = RAND_XORWOW;
    if (type == RAND_QUASI_DEFAULT)
        type = RAND_SOBOL_32;
    if (type == RAND_MTGP32)
        runtime_say("", "cuRAND: the generator MTGP32 is not implemented");
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if ((int)kinds[i].type != type)
            continue;
        *g = (struct generator){
            .kind = &kinds[i], .on_host = on_host, .order = RAND_ORDER_DEFAULT};
        if (is(g, QUASI))
            g->order = RAND_ORDER_QUASI;
        g->run.dimensions = 1;
        return RAND_SUCCESS;
    }
    return RAND_TYPE_ERROR;
}

void generator_clear(struct generator *g)
{
    forget_streams(g);
    forget_table(g);
}

/* The streams go on where they are, but MT19937's, which cannot be told to. */
enum rand_status generator_set_seed(struct generator *g,
                                    unsigned long long seed)
{
    if (is(g, QUASI))
        return RAND_TYPE_ERROR;
    if (seed == g->seed)
        return RAND_SUCCESS;
    g->seed = seed;
    if (is(g, NO_OFFSET))
        g->offset = 0;
    forget_streams(g);
    return RAND_SUCCESS;
}

enum rand_status generator_set_offset(struct generator *g,
                                      unsigned long long offset)
{
    if (is(g, NO_OFFSET))
        return RAND_TYPE_ERROR;
    g->offset = offset;
    forget_streams(g);
    return RAND_SUCCESS;
}

enum rand_status generator_set_order(struct generator *g, int order)
{
    int is_pseudo = !is(g, QUASI);
    int is_known =
        order == RAND_ORDER_DEFAULT || order == RAND_ORDER_LEGACY ||
        (order == RAND_ORDER_BEST && !is(g, BLOCKS)) ||
        (order == RAND_ORDER_DYNAMIC && !g->on_host && !is(g, BLOCKS));

    if (order == RAND_ORDER_SEEDED && g->kind->type == RAND_XORWOW)
        runtime_say("", "curandSetGeneratorOrdering: "
                        "CURAND_ORDERING_PSEUDO_SEEDED is not implemented");
    if (is_pseudo ? !is_known : order != RAND_ORDER_QUASI)
        return RAND_OUT_OF_RANGE;
    if (order != (int)g->order)
        forget_streams(g);
    g->order = (enum rand_order)order;
    return RAND_SUCCESS;
}

enum rand_status generator_set_dimensions(struct generator *g, unsigned n)
{
    if (!is(g, QUASI))
        return RAND_TYPE_ERROR;
    if (n < 1 || n > RAND_DIMENSIONS_MOST)
        return RAND_OUT_OF_RANGE;
    if (n != g->run.dimensions)
        forget_streams(g);
    g->run.dimensions = n;
    return RAND_SUCCESS;
}

/* ---- streams ------------------------------------------------------------------------ */

static enum rand_status prepare_sobol(struct generator *g)
{
    size_t word = is(g, WIDE) ? sizeof(uint64_t) : sizeof(uint32_t);
    size_t bytes = g->run.dimensions * word;
    struct sobol s;

    if (!sobol_find(&s, g->kind->type))
        return RAND_INITIALIZATION_FAILED;
    g->run.vectors = place(g, s.vectors, bytes * word * 8);
    if (s.scramble != NULL)
        g->run.scramble = place(g, s.scramble, bytes);
    return g->run.vectors != NULL &&
                   (s.scramble == NULL || g->run.scramble != NULL)
               ? RAND_SUCCESS
               : RAND_ALLOCATION_FAILED;
}

static enum rand_status prepare_streams(struct generator *g)
{
    const struct kind *k = g->kind;
    unsigned streams = g->order == RAND_ORDER_LEGACY ? k->legacy : k->streams;
    void *states = calloc(streams, k->state);

    if (states != NULL && k->seed(states, streams, g->seed, g->offset))
        g->run.state = place(g, states, streams * k->state);
    free(states);
    g->run.streams = streams;
    g->run.seed = g->seed;
    g->run.blocks = 1;
    return g->run.state != NULL ? RAND_SUCCESS : RAND_ALLOCATION_FAILED;
}

enum rand_status generator_prepare(struct generator *g)
{
    enum rand_status status;

    if (g->is_ready)
        return RAND_SUCCESS;
    status = is(g, QUASI) ? prepare_sobol(g) : prepare_streams(g);
    if (status == RAND_SUCCESS) {
        g->run.first = g->offset;
        g->is_ready = 1;
    } else {
        forget_streams(g);
    }
    return status;
}

/* ---- results ------------------------------------------------------------------------ */

static unsigned long long least(unsigned long long a, unsigned long long b)
{
    return a < b ? a : b;
}

/* A thread for each stream whose turn comes. */
static struct vendor_grid grid_of(const struct generator *g,
                                  unsigned long long units)
{
    unsigned long long each = units / g->run.dimensions;
    unsigned skipped = (unsigned)(g->run.first % RAND_PHILOX_WORDS);
    unsigned long long threads;
    unsigned log = SOBOL_THREADS_LEAST_LOG;
    struct vendor_grid grid = {.y = 1, .z = 1, .threads = RAND_THREADS};

    if (is(g, FOURS))
        units = (skipped + units + RAND_PHILOX_WORDS - 1) / RAND_PHILOX_WORDS;
    threads = is(g, BLOCKS) ? RAND_MT_ROW : least(units, g->run.streams);
    if (is(g, QUASI)) {
        while (log < RAND_SOBOL_THREADS_LOG && each >> log != 0)
            log++;
        threads = 1ull << log;
        grid.threads = (unsigned)least(threads, RAND_THREADS);
        grid.y = g->run.dimensions;
    }
    grid.x = (unsigned)((threads + grid.threads - 1) / grid.threads);
    return grid;
}

static enum rand_status launch(const struct generator *g,
                               enum rand_distribution d,
                               unsigned long long units)
{
    static const char whose[] =
        "teg's own kernels (teg_curand_...) stand for the library's; their "
        "times are their own and have been compared with nothing "
        "(docs/exec.md)";
    static struct vendor_file file = {.library = "cuRAND",
                                      .fatbin = rand_fatbin};
    struct vendor_grid grid = grid_of(g, units);
    struct rand_run run = g->run;
    char name[64];

    snprintf(name, sizeof name, "teg_curand_%s_%s", g->kind->name, names[d]);
    switch (vendor_launch(&file, whose, name, &grid, g->stream, &run)) {
    case VENDOR_OK:
        return RAND_SUCCESS;
    case VENDOR_NO_CODE:
        return RAND_ARCH_MISMATCH;
    default:
        return RAND_LAUNCH_FAILURE;
    }
}

/* Counts what has been made. */
static void advance(struct generator *g, enum rand_distribution d,
                    unsigned long long units)
{
    struct rand_run *r = &g->run;
    unsigned long long rows;

    if (is(g, BLOCKS)) {
        rows = (r->first + units - 1) / RAND_MT_ROW / RAND_MT_ROWS + 1;
        r->blocks = rows > r->blocks ? (unsigned)rows : r->blocks;
    }
    if (is(g, FOURS)) {
        /* in fours, where results are meant: that is how the library counts
         * for a later seed */
        g->offset += (r->first % RAND_PHILOX_WORDS + units) / RAND_PHILOX_WORDS;
    } else if (is(g, PAIRS)) {
        rows = (r->first % r->streams + units) / r->streams;
        g->offset =
            (g->offset / r->streams + rows * g->kind->words[d]) * r->streams +
            (r->first + units) % r->streams;
    } else {
        units /= r->dimensions;
        g->offset += units;
    }
    r->first += units;
}

enum rand_status generator_run(struct generator *g, enum rand_distribution d,
                               void *out, size_t n, double mean,
                               double deviation)
{
    int is_normal = d == RAND_NORMAL || d == RAND_NORMAL_64 ||
                    d == RAND_LOG_NORMAL || d == RAND_LOG_NORMAL_64;
    unsigned long long units = n;
    struct rand_run *r = &g->run;
    enum rand_status status;

    if (is_normal && is(g, PAIRS) && n % 2 != 0)
        return RAND_LENGTH_NOT_MULTIPLE;
    if (n % g->run.dimensions != 0)
        return RAND_LENGTH_NOT_MULTIPLE;
    status = n > 0 ? generator_prepare(g) : RAND_SUCCESS;
    if (n == 0 || status != RAND_SUCCESS)
        return status;
    if (is_normal && is(g, PAIRS) && !is(g, FOURS))
        units /= 2;
    r->out = out;
    r->n = n;
    r->mean = mean;
    r->deviation = deviation;
    if (is(g, PAIRS))
        r->start =
            (unsigned)(r->first / (is(g, FOURS) ? RAND_PHILOX_WORDS : 1) %
                       r->streams);
    if (g->on_host)
        g->kind->host(r, d);
    else
        status = launch(g, d, units);
    if (status == RAND_SUCCESS)
        advance(g, d, units);
    return status;
}

/* The table of lambda, which is kept for the next call. */
static enum rand_status prepare_table(struct generator *g, double lambda)
{
    int is_searched = lambda >= g->kind->search_from;
    struct rand_poisson made, *p = &g->run.poisson;

    if (g->lambda > 0 && g->lambda >= lambda && g->lambda <= lambda)
        return RAND_SUCCESS;
    forget_table(g);
    if (!poisson_make(&made, lambda, is_searched))
        return RAND_ALLOCATION_FAILED;
    *p = made;
    p->level = place(g, made.level, made.length * sizeof *made.level);
    p->other = place(g, made.other, made.length * sizeof *made.other);
    free((void *)made.level);
    free((void *)made.other);
    g->lambda = lambda;
    if (p->level != NULL && p->other != NULL)
        return RAND_SUCCESS;
    forget_table(g);
    return RAND_ALLOCATION_FAILED;
}

enum rand_status generator_run_poisson(struct generator *g, unsigned *out,
                                       size_t n, double lambda)
{
    enum rand_status status;

    if (!(lambda > 0 && lambda <= POISSON_MOST))
        return RAND_OUT_OF_RANGE;
    if (lambda >= g->kind->normal_from)
        return generator_run(g, RAND_POISSON_NORMAL, out, n, lambda,
                             sqrt(lambda));
    status = prepare_table(g, lambda);
    if (status != RAND_SUCCESS)
        return status;
    return generator_run(
        g, lambda >= g->kind->search_from ? RAND_POISSON_SEARCH : RAND_POISSON,
        out, n, 0, 0);
}
