/* Entry points of cuRAND's host API.  Those that show the library's version and
 * tables (curandGet...) are its own (tools/cudart/loader/patch.c). */
#include <stdlib.h>

#include "tools/cudart/say.h"
#include "tools/curand/discrete.h"
#include "tools/curand/generator.h"

/* In place of every entry point that teg does not have. */
int teg_curand_lacks(const char *name);
__attribute__((visibility("default"))) int teg_curand_lacks(const char *name)
{
    runtime_say("", "%s is not implemented", name);
    return RAND_INTERNAL_ERROR;
}

/* ---- generators ---------------------------------------------------------------------- */

static int create(struct generator **out, int type, int on_host)
{
    struct generator *g;
    enum rand_status status;

    if (out == NULL)
        return RAND_NOT_INITIALIZED;
    if (!on_host && vendor_device()->sms == 0)
        return RAND_INITIALIZATION_FAILED;
    g = malloc(sizeof *g);
    if (g == NULL)
        return RAND_ALLOCATION_FAILED;
    status = generator_make(g, type, on_host);
    if (status == RAND_SUCCESS)
        *out = g;
    else
        free(g);
    return (int)status;
}

CALL(curandCreateGenerator, struct generator **out, int type)
{
    return create(out, type, 0);
}

CALL(curandCreateGeneratorHost, struct generator **out, int type)
{
    return create(out, type, 1);
}

CALL(curandDestroyGenerator, struct generator *g)
{
    if (g == NULL)
        return RAND_NOT_INITIALIZED;
    generator_clear(g);
    free(g);
    return RAND_SUCCESS;
}

CALL(curandSetStream, struct generator *g, void *stream)
{
    if (g == NULL)
        return RAND_NOT_INITIALIZED;
    g->stream = stream;
    return RAND_SUCCESS;
}

CALL(curandSetPseudoRandomGeneratorSeed, struct generator *g,
     unsigned long long seed)
{
    return g != NULL ? (int)generator_set_seed(g, seed) : RAND_NOT_INITIALIZED;
}

CALL(curandSetGeneratorOffset, struct generator *g, unsigned long long offset)
{
    return g != NULL ? (int)generator_set_offset(g, offset)
                     : RAND_NOT_INITIALIZED;
}

CALL(curandSetGeneratorOrdering, struct generator *g, int order)
{
    return g != NULL ? (int)generator_set_order(g, order)
                     : RAND_NOT_INITIALIZED;
}

CALL(curandSetQuasiRandomGeneratorDimensions, struct generator *g, unsigned n)
{
    return g != NULL ? (int)generator_set_dimensions(g, n)
                     : RAND_NOT_INITIALIZED;
}

CALL(curandGenerateSeeds, struct generator *g)
{
    return g != NULL ? (int)generator_prepare(g) : RAND_NOT_INITIALIZED;
}

/* ---- results ------------------------------------------------------------------------- */

static int run(struct generator *g, enum rand_distribution d, void *out,
               size_t n, double mean, double deviation)
{
    if (g == NULL)
        return RAND_NOT_INITIALIZED;
    if (out == NULL && n > 0)
        return RAND_LAUNCH_FAILURE;
    return (int)generator_run(g, d, out, n, mean, deviation);
}

CALL(curandGenerate, struct generator *g, unsigned *out, size_t n)
{
    if (g != NULL && generator_is_wide(g))
        return RAND_TYPE_ERROR;
    return run(g, RAND_BITS, out, n, 0, 0);
}

CALL(curandGenerateLongLong, struct generator *g, unsigned long long *out,
     size_t n)
{
    if (g != NULL && !generator_is_wide(g))
        return RAND_TYPE_ERROR;
    return run(g, RAND_BITS, out, n, 0, 0);
}

CALL(curandGenerateUniform, struct generator *g, float *out, size_t n)
{
    return run(g, RAND_UNIFORM, out, n, 0, 0);
}

CALL(curandGenerateUniformDouble, struct generator *g, double *out, size_t n)
{
    return run(g, RAND_UNIFORM_64, out, n, 0, 0);
}

CALL(curandGenerateNormal, struct generator *g, float *out, size_t n,
     float mean, float deviation)
{
    return run(g, RAND_NORMAL, out, n, (double)mean, (double)deviation);
}

CALL(curandGenerateNormalDouble, struct generator *g, double *out, size_t n,
     double mean, double deviation)
{
    return run(g, RAND_NORMAL_64, out, n, mean, deviation);
}

CALL(curandGenerateLogNormal, struct generator *g, float *out, size_t n,
     float mean, float deviation)
{
    return run(g, RAND_LOG_NORMAL, out, n, (double)mean, (double)deviation);
}

CALL(curandGenerateLogNormalDouble, struct generator *g, double *out, size_t n,
     double mean, double deviation)
{
    return run(g, RAND_LOG_NORMAL_64, out, n, mean, deviation);
}

CALL(curandGeneratePoisson, struct generator *g, unsigned *out, size_t n,
     double lambda)
{
    if (g == NULL)
        return RAND_NOT_INITIALIZED;
    if (out == NULL && n > 0)
        return RAND_LAUNCH_FAILURE;
    return (int)generator_run_poisson(g, out, n, lambda);
}

/* ---- distributions for the program's kernels ----------------------------------------- */

CALL(curandCreatePoissonDistribution, double lambda, void **out)
{
    return out != NULL ? (int)discrete_make_poisson(out, lambda)
                       : RAND_NOT_INITIALIZED;
}

CALL(curandDestroyDistribution, void *distribution)
{
    return distribution != NULL ? (int)discrete_free(distribution)
                                : RAND_NOT_INITIALIZED;
}
