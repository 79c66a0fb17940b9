/*
 * A program that calls cuRAND's host API, linked with a library of its name whose
 * functions fail: what it computes is teg's (tests/cli/curand.sh).  Argument:
 * which test; the exit status is 0 if it holds.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cli/vendor.h"

typedef void *generator;

/* The API's, of which only what is needed. */
int curandCreateGenerator(generator *g, int type);
int curandCreateGeneratorHost(generator *g, int type);
int curandDestroyGenerator(generator g);
int curandGetVersion(int *version);
int curandSetStream(generator g, void *stream);
int curandSetPseudoRandomGeneratorSeed(generator g, unsigned long long seed);
int curandSetGeneratorOffset(generator g, unsigned long long offset);
int curandSetGeneratorOrdering(generator g, int order);
int curandSetQuasiRandomGeneratorDimensions(generator g, unsigned n);
int curandGenerateSeeds(generator g);
int curandGenerate(generator g, unsigned *out, size_t n);
int curandGenerateLongLong(generator g, unsigned long long *out, size_t n);
int curandGenerateUniform(generator g, float *out, size_t n);
int curandGenerateUniformDouble(generator g, double *out, size_t n);
int curandGenerateNormal(generator g, float *out, size_t n, float mean,
                         float deviation);
int curandGenerateNormalDouble(generator g, double *out, size_t n, double mean,
                               double deviation);
int curandGenerateLogNormal(generator g, float *out, size_t n, float mean,
                            float deviation);
int curandGenerateLogNormalDouble(generator g, double *out, size_t n,
                                  double mean, double deviation);
int curandGeneratePoisson(generator g, unsigned *out, size_t n, double lambda);
int curandGenerateBinomial(generator g, unsigned *out, size_t n, unsigned m,
                           double p);
int curandCreatePoissonDistribution(double lambda, void **out);
int curandDestroyDistribution(void *distribution);

enum {
    XORWOW = 101,
    MRG = 121,
    MTGP = 141,
    MT = 142,
    PHILOX = 161,
    SOBOL_32 = 201,
    SCRAMBLED_32 = 202,
    SOBOL_64 = 203,
    SCRAMBLED_64 = 204,
    LEGACY = 103,
    NOT_INITIALIZED = 101,
    TYPE_ERROR = 103,
    OUT_OF_RANGE = 104,
    LENGTH_NOT_MULTIPLE = 105,
    SEED = 1234,
};

enum what {
    BITS,
    BITS_64,
    UNIFORM,
    UNIFORM_64,
    NORMAL,
    NORMAL_64,
    LOG_NORMAL,
    LOG_NORMAL_64,
    POISSON,
    POISSON_NORMAL,
    WHATS,
};

/* What they are: of which type, and of what mean and deviation. */
static const struct {
    const char *name;
    size_t bytes;
    int is_float, is_normal;
    double mean, deviation;
} whats[WHATS] = {
    [BITS] = {"words", 4, 0, 0, 2147483647.5, 1239850262.25},
    [BITS_64] = {"long words", 8, 0, 0, 0, 0},
    [UNIFORM] = {"uniform", 4, 1, 0, 0.5, 0.288675},
    [UNIFORM_64] = {"uniform doubles", 8, 1, 0, 0.5, 0.288675},
    [NORMAL] = {"normal", 4, 1, 1, 1.5, 2},
    [NORMAL_64] = {"normal doubles", 8, 1, 1, 1.5, 2},
    /* exp(1/4 + 1/8), times the root of exp(1/4) - 1 */
    [LOG_NORMAL] = {"log-normal", 4, 1, 1, 1.454991, 0.775420},
    [LOG_NORMAL_64] = {"log-normal doubles", 8, 1, 1, 1.454991, 0.775420},
    [POISSON] = {"Poisson, 20", 4, 0, 0, 20, 4.472136},
    [POISSON_NORMAL] = {"Poisson, 10000", 4, 0, 0, 10000, 100},
};

static int call(generator g, enum what w, void *out, size_t n)
{
    switch (w) {
    case BITS:
        return curandGenerate(g, out, n);
    case BITS_64:
        return curandGenerateLongLong(g, out, n);
    case UNIFORM:
        return curandGenerateUniform(g, out, n);
    case UNIFORM_64:
        return curandGenerateUniformDouble(g, out, n);
    case NORMAL:
        return curandGenerateNormal(g, out, n, 1.5f, 2);
    case NORMAL_64:
        return curandGenerateNormalDouble(g, out, n, 1.5, 2);
    case LOG_NORMAL:
        return curandGenerateLogNormal(g, out, n, 0.25f, 0.5f);
    case LOG_NORMAL_64:
        return curandGenerateLogNormalDouble(g, out, n, 0.25, 0.5);
    case POISSON:
        return curandGeneratePoisson(g, out, n, 20);
    default:
        return curandGeneratePoisson(g, out, n, 10000);
    }
}

/* n results from the device, which the caller frees; NULL: the call failed. */
static void *made(generator g, enum what w, size_t n)
{
    size_t bytes = n * whats[w].bytes;
    void *device = NULL, *host = malloc(bytes);

    if (cudaMalloc(&device, bytes) != 0 || call(g, w, device, n) != 0 ||
        cudaMemcpy(host, device, bytes, TO_HOST) != 0) {
        fprintf(stderr, "%s: failed\n", whats[w].name);
        exit(1);
    }
    cudaFree(device);
    return host;
}

static generator new_generator(int type)
{
    generator g = NULL;

    if (curandCreateGenerator(&g, type) != 0 ||
        (type < SOBOL_32 && curandSetPseudoRandomGeneratorSeed(g, SEED) != 0)) {
        fprintf(stderr, "generator %d: not made\n", type);
        exit(1);
    }
    return g;
}

static double value(enum what w, const void *x, size_t i)
{
    if (whats[w].is_float)
        return whats[w].bytes == 8 ? ((const double *)x)[i]
                                   : (double)((const float *)x)[i];
    return whats[w].bytes == 8 ? (double)((const unsigned long long *)x)[i]
                               : ((const unsigned *)x)[i];
}

/* ---- words ---------------------------------------------------------------------------- */

enum {
    GOLDEN = 7,
};

/* Of seed 1234, as cuRAND 10.4's own host generators (CUDA 13.0) have them; the
 * first three of XORWOW and of MRG32k3a are also what the device API has after
 * curand_init(1234, stream, 0) of streams 0, 1 and 4095, run in the emulator. */
static const size_t golden_at[GOLDEN] = {0,     1,     4095,  4096,
                                         65536, 81920, 199999};
static const struct golden {
    int type, order;
    unsigned word[GOLDEN];
} golden[] = {
    {XORWOW,
     LEGACY,
     {0x253d5e15, 0xd1f7605a, 0xe5dcbada, 0x6f558604, 0x245d7680, 0xc5ab68df,
      0x721e8bfa}},
    {MRG,
     101,
     {0xc96891f0, 0x26f0d612, 0xa85b4ff8, 0x9dda211d, 0xb444facf, 0x9650c684,
      0x979db50c}},
    {MRG,
     LEGACY,
     {0xc96891f0, 0x26f0d612, 0xa85b4ff8, 0x9650c684, 0x69c12dff, 0x7b5ff62d,
      0xc8299952}},
    {PHILOX,
     101,
     {0x2090b348, 0xda7cf0ab, 0x3aad5500, 0x7a6635c0, 0xdf22962d, 0xc0712926,
      0x94e97877}},
    {MT,
     101,
     {0x31076b2f, 0x116e000a, 0x533e267a, 0x240f5e65, 0x7f66e2d3, 0x7a8a2465,
      0xf30b0272}},
};

static int words_are(const struct golden *t)
{
    generator g = new_generator(t->type);
    unsigned *x;
    int bad = curandSetGeneratorOrdering(g, t->order) != 0;

    x = made(g, BITS, golden_at[GOLDEN - 1] + 1);
    for (int i = 0; i < GOLDEN && !bad; i++) {
        if (x[golden_at[i]] != t->word[i])
            bad = failed("word", x[golden_at[i]], t->word[i]);
    }
    free(x);
    curandDestroyGenerator(g);
    return bad;
}

static int words(void)
{
    for (size_t i = 0; i < sizeof golden / sizeof golden[0]; i++) {
        if (golden[i].type != MT && words_are(&golden[i]))
            return 1;
    }
    return 0;
}

/* Its first stream is the sequence that everybody has of that seed: words 0 and
 * 1 to 7 lie 65536 apart, and word 624 is 78 of these on. */
static int twister(void)
{
    static uint32_t s[624 + 8];
    const size_t apart = 65536, n = 79 * apart;
    generator g = new_generator(MT);
    unsigned *x = made(g, BITS, 100), *rest;
    int bad;

    for (size_t i = 0; i < sizeof golden / sizeof golden[0]; i++) {
        if (golden[i].type == MT && words_are(&golden[i]))
            return 1;
    }
    rest = made(g, BITS, n - 100);
    s[0] = SEED;
    for (unsigned i = 1; i < 624; i++)
        s[i] = 1812433253 * (s[i - 1] ^ s[i - 1] >> 30) + i;
    for (unsigned block = 0; block < 2; block++) {
        for (unsigned i = 0; i < 624; i++) {
            uint32_t y = (s[i] & 0x80000000) | (s[(i + 1) % 624] & 0x7fffffff);

            s[i] = s[(i + 397) % 624] ^ y >> 1 ^ (y & 1 ? 0x9908b0df : 0);
        }
        for (unsigned i = 0; i < (block == 0 ? 8 : 1); i++) {
            size_t at = (i + 78 * block) * apart;
            uint32_t y = s[i], found = at < 100 ? x[at] : rest[at - 100];

            y ^= y >> 11;
            y ^= y << 7 & 0x9d2c5680;
            y ^= y << 15 & 0xefc60000;
            y ^= y >> 18;
            if (found != y)
                return failed("the standard's word", found, y);
        }
    }
    /* a seed is 32 bits, and begins anew */
    bad = curandSetPseudoRandomGeneratorSeed(g, 1) != 0 ||
          curandSetPseudoRandomGeneratorSeed(g, SEED + (1ull << 32)) != 0;
    free(rest);
    rest = made(g, BITS, 100);
    bad |= memcmp(x, rest, 400) != 0;
    free(x);
    free(rest);
    curandDestroyGenerator(g);
    return bad;
}

/* ---- many calls are one ------------------------------------------------------------- */

static int continued_of(int type, enum what w)
{
    static const size_t pieces[] = {2, 4, 6, 4094, 130, 12000, 262146, 8};
    size_t all = 0, at = 0, bytes = whats[w].bytes;
    generator one = new_generator(type), many = new_generator(type);
    char *whole, *piece;
    int bad = 0;

    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++)
        all += pieces[i];
    whole = made(one, w, all);
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        piece = made(many, w, pieces[i]);
        if (memcmp(whole + at * bytes, piece, pieces[i] * bytes) != 0)
            bad = failed(whats[w].name, (double)i, (double)type);
        at += pieces[i];
        free(piece);
    }
    if (w == BITS &&
        type != MT) { /* and where another seed or offset goes on */
        curandSetGeneratorOffset(one, 4099);
        piece = made(one, w, 1000);
        bad |= memcmp(whole + 4099 * bytes, piece, 1000 * bytes) != 0;
        free(piece);
        if (type < SOBOL_32 && type != PHILOX) {
            curandSetPseudoRandomGeneratorSeed(many, 1);
            curandSetPseudoRandomGeneratorSeed(many, SEED);
            curandSetPseudoRandomGeneratorSeed(one, 1);
            curandSetGeneratorOffset(one, 0);
            curandSetPseudoRandomGeneratorSeed(one, SEED);
            free(made(one, w, all));
            whole = realloc(whole, 64 * bytes);
            piece = made(one, w, 64);
            memcpy(whole, piece, 64 * bytes);
            free(piece);
            piece = made(many, w, 64);
            bad |= memcmp(whole, piece, 64 * bytes) != 0;
            free(piece);
        }
    }
    free(whole);
    curandDestroyGenerator(one);
    curandDestroyGenerator(many);
    if (bad)
        fprintf(stderr, "generator %d\n", type);
    return bad;
}

static int continued(void)
{
    static const int types[] = {XORWOW, MRG, PHILOX};

    for (int i = 0; i < 3; i++) {
        for (int w = 0; w < WHATS; w++) {
            if (w != BITS_64 && continued_of(types[i], (enum what)w))
                return 1;
        }
    }
    return continued_of(SOBOL_32, NORMAL) || continued_of(SOBOL_64, BITS_64);
}

/* ---- distributions -------------------------------------------------------------------- */

/* Mean and deviation to 5 standard errors, what one result says of the next,
 * and the bounds. */
static int is_distributed(int type, enum what w)
{
    const size_t n = 100000;
    generator g = new_generator(type);
    void *x = made(g, w, n);
    double sum = 0, squares = 0, next = 0, d = whats[w].deviation, last = 0;
    double skew = w == LOG_NORMAL || w == LOG_NORMAL_64 ? 3 : 1;

    for (size_t i = 0; i < n; i++) {
        double v = value(w, x, i) - whats[w].mean;

        if ((w == UNIFORM || w == UNIFORM_64) &&
            !(value(w, x, i) > 0 && value(w, x, i) <= 1))
            return failed("a uniform number", value(w, x, i), 0.5);
        sum += v;
        squares += v * v;
        next += v * last;
        last = v;
    }
    free(x);
    curandDestroyGenerator(g);
    if (!(fabs(sum / n) < 5 * d / sqrt(n)))
        return failed(whats[w].name, sum / n + whats[w].mean, whats[w].mean);
    if (!(fabs(squares / n / (d * d) - 1) < skew * 5 * sqrt(2. / n)))
        return failed(whats[w].name, sqrt(squares / n), d);
    if (!(fabs(next / n / (d * d)) < 5 / sqrt(n)))
        return failed("neighbors", next / n / (d * d), 0);
    return 0;
}

static int distributions(void)
{
    static const int types[] = {XORWOW, MRG, PHILOX, MT};

    for (int i = 0; i < 4; i++) {
        for (int w = 0; w < WHATS; w++) {
            if (w != BITS_64 && is_distributed(types[i], (enum what)w)) {
                fprintf(stderr, "generator %d\n", types[i]);
                return 1;
            }
        }
    }
    return 0;
}

/* ---- quasirandom ones ----------------------------------------------------------------- */

/* Of three dimensions, the vectors of tests/cli/curand_vectors.c: dimension 0 is
 * the Gray code read backwards; the others hit each 2^-12 once. */
static int quasi_of(int type)
{
    enum {
        N = 4096,
        DIMENSIONS = 3,
    };
    static char hit[DIMENSIONS][N];
    int is_wide = type >= SOBOL_64, is_scrambled = (type - SOBOL_32) % 2;
    generator g = new_generator(type);
    unsigned *x;
    double *u;

    memset(hit, 0, sizeof hit);
    if (curandSetQuasiRandomGeneratorDimensions(g, DIMENSIONS) != 0)
        return failed("dimensions", 0, DIMENSIONS);
    x = made(g, is_wide ? BITS_64 : BITS, N * DIMENSIONS);
    for (unsigned i = 0; i < N * DIMENSIONS; i++) {
        unsigned high = is_wide ? (unsigned)(((uint64_t *)x)[i] >> 32) : x[i];
        unsigned gray = i ^ i >> 1, back = is_scrambled ? 0x9e3779b9 : 0;

        for (int k = 0; k < 32; k++)
            back ^= (gray >> k & 1) << (31 - k);
        if (i < N && high != back)
            return failed("the first dimension", high, back);
        if (hit[i / N][high >> 20]++)
            return failed("hit once", i, type);
    }
    free(x);
    u = made(g, UNIFORM_64, 3); /* the next one of each */
    if (!is_scrambled &&
        !(u[0] > 0.000366 && u[0] < 0.000367)) /* 4096 is 3 * 2^11 in Gray's */
        return failed("the next", u[0], 3. / 8192);
    free(u);
    curandDestroyGenerator(g);
    return 0;
}

static int quasi(void)
{
    float *x;
    generator g = new_generator(SOBOL_32);
    int version = 0;

    x = made(g, NORMAL, 4); /* 0, 1/2, 3/4, 1/4 */
    if (!(fabs(x[1] - 1.5) < 1e-6 && fabs(x[2] - 2.8489795) < 1e-6 &&
          fabs(x[3] - 0.1510205) < 1e-6 && x[0] < -10))
        return failed("normal", x[2], 2.8489795);
    free(x);
    curandDestroyGenerator(g);
    /* the library's own */
    if (curandGetVersion(&version) != 0 || version != 10499)
        return failed("version", version, 10499);
    return quasi_of(SOBOL_32) || quasi_of(SCRAMBLED_32) || quasi_of(SOBOL_64) ||
           quasi_of(SCRAMBLED_64);
}

/* ---- Poisson numbers -------------------------------------------------------------------- */

/* Chi-square of numbers with at least 20 expected, to five deviations. */
static int is_poisson(int type, double lambda)
{
    enum {
        N = 60000,
    };
    generator g = new_generator(type);
    void *device;
    unsigned *x = malloc(N * sizeof *x), *count = calloc(20000, sizeof *count);
    double sum = 0, degrees = -1;

    if (cudaMalloc(&device, N * 4) != 0 ||
        curandGeneratePoisson(g, device, N, lambda) != 0 ||
        cudaMemcpy(x, device, N * 4, TO_HOST) != 0)
        return failed("poisson", 1, 0);
    for (int i = 0; i < N; i++) {
        if (x[i] >= 20000)
            return failed("a Poisson number", x[i], lambda);
        count[x[i]]++;
    }
    for (int k = 0; k < 20000; k++) {
        double want = N * exp(k * log(lambda) - lambda - lgamma(k + 1.));

        if (want < 20)
            continue;
        sum += (count[k] - want) * (count[k] - want) / want;
        degrees++;
    }
    free(x);
    free(count);
    cudaFree(device);
    curandDestroyGenerator(g);
    return sum > degrees + 5 * sqrt(2 * degrees + 2) + 10
               ? failed("chi square", sum, degrees)
               : 0;
}

static int poisson(void)
{
    static const double lambda[] = {0.01, 0.5,  9.5,  10,  40,
                                    200,  1999, 2000, 7000};

    for (size_t i = 0; i < sizeof lambda / sizeof lambda[0]; i++) {
        if (is_poisson(XORWOW, lambda[i]) || is_poisson(PHILOX, lambda[i]) ||
            is_poisson(SOBOL_32, lambda[i]) ||
            is_poisson(SOBOL_64, lambda[i])) {
            fprintf(stderr, "lambda %g\n", lambda[i]);
            return 1;
        }
    }
    return is_poisson(MRG, 100) || is_poisson(MT, 100);
}

/* ---- on the host ------------------------------------------------------------------------ */

/* The same streams; logarithms and the like are those of the C library. */
static int host_of(int type, enum what w)
{
    const size_t n = 9000;
    generator d = new_generator(type), h = NULL;
    void *x, *y = malloc(n * whats[w].bytes);
    int bad =
        curandCreateGeneratorHost(&h, type) != 0 ||
        (type < SOBOL_32 && curandSetPseudoRandomGeneratorSeed(h, SEED) != 0);

    free(made(d, w, 6));
    bad |= call(h, w, y, 6) != 0;
    x = made(d, w, n);
    bad |= call(h, w, y, n) != 0;
    for (size_t i = 0; i < n && !bad; i++) {
        double a = value(w, x, i), b = value(w, y, i);
        double most =
            !whats[w].is_normal
                ? (w == POISSON_NORMAL ? 1 : 0)
                : (whats[w].bytes == 8 ? 1e-13 : 2e-5) * (1 + fabs(b));

        if (!(fabs(a - b) <= most)) {
            fprintf(stderr, "generator %d, %zu\n", type, i);
            bad = failed(whats[w].name, a, b);
        }
    }
    free(x);
    free(y);
    curandDestroyGenerator(d);
    curandDestroyGenerator(h);
    return bad;
}

static int host(void)
{
    static const int types[] = {XORWOW, MRG, PHILOX, SOBOL_32, SCRAMBLED_32};

    for (int i = 0; i < 5; i++) {
        for (int w = 0; w < WHATS; w++) {
            if (w != BITS_64 && host_of(types[i], (enum what)w))
                return 1;
        }
    }
    return host_of(SOBOL_64, BITS_64) || host_of(SCRAMBLED_64, NORMAL_64) ||
           host_of(MT, NORMAL);
}

/* ---- the rest --------------------------------------------------------------------------- */

/* As the API's header lays it out. */
static int discrete(void)
{
    struct {
        void *self, *m2, *host_m2;
        double deviation, mean;
        int method;
    } d;
    struct {
        void *histogram, *host;
        unsigned shift, length;
    } m2;
    void *p = NULL;

    if (curandCreatePoissonDistribution(20, &p) != 0 ||
        cudaMemcpy(&d, p, sizeof d, TO_HOST) != 0 || d.method != 5 ||
        cudaMemcpy(&m2, d.m2, sizeof m2, TO_HOST) != 0)
        return failed("a distribution", d.method, 5);
    if (m2.shift != 0 || m2.length != 374) /* 20^374 / 374! e^-20 is 0 */
        return failed("its length", m2.length, 374);
    if (curandDestroyDistribution(p) != 0 ||
        curandCreatePoissonDistribution(3000, &p) != 0 ||
        cudaMemcpy(&d, p, sizeof d, TO_HOST) != 0 || d.method == 5 ||
        d.mean != 3000)
        return failed("its mean", d.mean, 3000);
    return curandDestroyDistribution(p) != 0;
}

static int stream(void)
{
    enum {
        N = 10000,
    };
    static float x[N], y[2 * N];
    void *s, *graph, *exec, *device;
    generator g = new_generator(XORWOW), h = new_generator(XORWOW);
    float *want = made(h, UNIFORM, 2 * N);

    if (cudaStreamCreate(&s) != 0 || curandSetStream(g, s) != 0 ||
        cudaMalloc(&device, sizeof x) != 0 || curandGenerateSeeds(g) != 0 ||
        cudaStreamBeginCapture(s, 0) != 0 ||
        curandGenerateUniform(g, device, N) != 0 ||
        cudaStreamEndCapture(s, &graph) != 0 ||
        cudaGraphInstantiate(&exec, graph, 0) != 0 ||
        cudaGraphLaunch(exec, s) != 0 || cudaStreamSynchronize(s) != 0 ||
        cudaMemcpy(x, device, sizeof x, TO_HOST) != 0)
        return failed("a captured call", 1, 0);
    return memcmp(x, want, sizeof x) != 0 ? failed("captured", x[0], want[0])
                                          : 0;
}

static int is(const char *what, int got, int want)
{
    return got == want ? 0 : failed(what, got, want);
}

static int refusals(void)
{
    static double room[16];
    generator x = new_generator(XORWOW), t = new_generator(MT), none = NULL;
    generator p = new_generator(PHILOX), q = new_generator(SOBOL_32);
    generator w = new_generator(SOBOL_64);
    void *out = NULL;

    cudaMalloc(&out, 1024);
    return is("no generator", curandGenerate(NULL, out, 2), NOT_INITIALIZED) ||
           is("destroyed", curandDestroyGenerator(NULL), NOT_INITIALIZED) ||
           is("type", curandCreateGenerator(&none, 102), TYPE_ERROR) ||
           is("type", curandCreateGenerator(&none, MTGP), TYPE_ERROR) ||
           is("odd", curandGenerateNormal(x, out, 3, 0, 1),
              LENGTH_NOT_MULTIPLE) ||
           is("odd", curandGenerateLogNormalDouble(p, out, 3, 0, 1),
              LENGTH_NOT_MULTIPLE) ||
           is("one at a time", curandGenerateNormal(t, out, 3, 0, 1), 0) ||
           is("none", curandGenerate(x, NULL, 0), 0) ||
           is("long words", curandGenerateLongLong(x, out, 2), TYPE_ERROR) ||
           is("words", curandGenerate(w, out, 2), TYPE_ERROR) ||
           is("offset", curandSetGeneratorOffset(t, 1), TYPE_ERROR) ||
           is("seed", curandSetPseudoRandomGeneratorSeed(q, 1), TYPE_ERROR) ||
           is("dimensions", curandSetQuasiRandomGeneratorDimensions(x, 2),
              TYPE_ERROR) ||
           is("dimensions", curandSetQuasiRandomGeneratorDimensions(q, 20001),
              OUT_OF_RANGE) ||
           is("dimensions", curandSetQuasiRandomGeneratorDimensions(q, 3), 0) ||
           is("multiple", curandGenerate(q, out, 4), LENGTH_NOT_MULTIPLE) ||
           is("lambda", curandGeneratePoisson(x, out, 2, 0), OUT_OF_RANGE) ||
           is("lambda", curandGeneratePoisson(x, out, 2, 400001),
              OUT_OF_RANGE) ||
           is("order", curandSetGeneratorOrdering(x, 201), OUT_OF_RANGE) ||
           is("order", curandSetGeneratorOrdering(q, 101), OUT_OF_RANGE) ||
           is("seeded", curandSetGeneratorOrdering(x, 102), OUT_OF_RANGE) ||
           is("lacks", curandGenerateBinomial(x, out, 2, 3, 0.5), 999);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } tests[] = {
        {"words", words},         {"twister", twister},
        {"continued", continued}, {"distributions", distributions},
        {"quasi", quasi},         {"poisson", poisson},
        {"host", host},           {"discrete", discrete},
        {"stream", stream},       {"refusals", refusals},
    };

    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        if (argc == 2 && strcmp(argv[1], tests[i].name) == 0)
            return tests[i].run() != 0;
    }
    return 2;
}
