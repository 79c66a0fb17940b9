#include "tools/curand/host.h"

#include "tools/curand/kernels/streams.h"
#include "tools/curand/twister.h"

/* The normal below which a share `u` of all are, 0 < u <= 1/2: from an estimate
 * to 0.0005 (Hastings 1955, in Abramowitz, Stegun 26.2.23) by Halley's method,
 * which triples the digits each time. */
double rand_inverse_64(double u)
{
    const double root = sqrt(2 * RAND_PI);
    double t = sqrt(-2 * log(u));
    double x = (2.515517 + t * (0.802853 + t * 0.010328)) /
                   (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) -
               t;

    for (int i = 0; i < 3; i++) {
        double step = (erfc(-x / sqrt(2)) / 2 - u) * root * exp(x * x / 2);

        x -= step / (1 + x * step / 2);
    }
    return x;
}

float rand_inverse(float u)
{
    return (float)rand_inverse_64((double)u);
}

static unsigned threads(const struct rand_run *r, unsigned results)
{
    return r->n / results < r->streams ? (unsigned)(r->n / results) + 2
                                       : r->streams;
}

void host_xorwow(const struct rand_run *r, enum rand_distribution d)
{
    for (unsigned i = 0; i < threads(r, 1) && i < r->streams; i++)
        rand_xorwow_run(r, d, i);
}

void host_mrg(const struct rand_run *r, enum rand_distribution d)
{
    for (unsigned i = 0; i < threads(r, 1) && i < r->streams; i++)
        rand_mrg_run(r, d, i);
}

void host_philox(const struct rand_run *r, enum rand_distribution d)
{
    for (unsigned i = 0; i < threads(r, RAND_PHILOX_WORDS) && i < r->streams;
         i++)
        rand_philox_run(r, d, i);
}

void host_mt(const struct rand_run *r, enum rand_distribution d)
{
    unsigned long long row = r->first / RAND_MT_ROW, blocks = r->blocks;
    unsigned *words = r->state;

    for (; row * RAND_MT_ROW < r->first + r->n; row++) {
        if (row / RAND_MT_ROWS >= blocks) {
            for (unsigned i = 0; i < RAND_STREAMS_MT; i++)
                twister_next(words + i * RAND_MT_WORDS);
            blocks++;
        }
        for (unsigned i = 0; i < RAND_MT_ROW; i++)
            rand_mt_put(r, d, words + i / RAND_MT_LANES * RAND_MT_WORDS, row,
                        i);
    }
}

void host_sobol_32(const struct rand_run *r, enum rand_distribution d)
{
    const unsigned *vectors = r->vectors;

    for (unsigned i = 0; i < r->dimensions; i++)
        rand_sobol_32_run(r, d, vectors + 32 * i, i, 0, 0);
}

void host_sobol_64(const struct rand_run *r, enum rand_distribution d)
{
    const unsigned long long *vectors = r->vectors;

    for (unsigned i = 0; i < r->dimensions; i++)
        rand_sobol_64_run(r, d, vectors + 64 * i, i, 0, 0);
}
