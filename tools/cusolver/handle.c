/* Entry points of cuSOLVER: handles, parameters, what is said of the library. */
#include "tools/cusolver/solver.h"

#include <stdlib.h>

#include "tools/cudart/say.h"

/* cuBLAS's, which are teg's. */
int cublasCreate_v2(void **);
int cublasDestroy_v2(void *);
int cublasSetStream_v2(void *, void *stream);

/* In place of every entry point that teg does not have. */
int teg_cusolver_lacks(const char *name);
__attribute__((visibility("default"))) int teg_cusolver_lacks(const char *name)
{
    runtime_say("", "%s is not implemented", name);
    return SOLVER_NOT_SUPPORTED;
}

/* ---- versions --------------------------------------------------------------------- */

static const int *version(void)
{
    static const int of_12[] = {11, 7, 5}, of_13[] = {12, 0, 4};

    return vendor_version("libcusolver.so.11", of_12, of_13);
}

CALL(cusolverGetVersion, int *out)
{
    if (out == NULL)
        return SOLVER_INVALID_VALUE;
    *out = version()[0] * 1000 + version()[1] * 100 + version()[2];
    return SOLVER_SUCCESS;
}

CALL(cusolverGetProperty, int which, int *out)
{
    if (out == NULL || which < 0 || which >= VENDOR_PARTS)
        return SOLVER_INVALID_VALUE;
    *out = version()[which];
    return SOLVER_SUCCESS;
}

/* ---- handles ---------------------------------------------------------------------- */

CALL(cusolverDnCreate, struct solver **out)
{
    struct solver *s;

    if (out == NULL)
        return SOLVER_INVALID_VALUE;
    if (vendor_device()->sms == 0)
        return SOLVER_NOT_INITIALIZED;
    s = calloc(1, sizeof *s);
    if (s == NULL || cublasCreate_v2(&s->blas) != 0) {
        free(s);
        return SOLVER_ALLOC_FAILED;
    }
    s->deterministic = s->math = 1;
    *out = s;
    return SOLVER_SUCCESS;
}

CALL(cusolverDnDestroy, struct solver *s)
{
    if (s == NULL)
        return SOLVER_NOT_INITIALIZED;
    cublasDestroy_v2(s->blas);
    free(s);
    return SOLVER_SUCCESS;
}

CALL(cusolverDnSetStream, struct solver *s, void *stream)
{
    if (s == NULL)
        return SOLVER_NOT_INITIALIZED;
    s->stream = stream;
    cublasSetStream_v2(s->blas, stream);
    return SOLVER_SUCCESS;
}

CALL(cusolverDnGetStream, const struct solver *s, void **stream)
{
    if (s == NULL || stream == NULL)
        return s == NULL ? SOLVER_NOT_INITIALIZED : SOLVER_INVALID_VALUE;
    *stream = s->stream;
    return SOLVER_SUCCESS;
}

/* A setting is 1 or 2: results are the same in every run, floats as they are,
 * whichever. */
#define SETTING(set, get, field)                                              \
    CALL(set, struct solver *s, int value)                                    \
    {                                                                         \
        if (s == NULL || value < 1 || value > 2)                              \
            return s == NULL ? SOLVER_NOT_INITIALIZED : SOLVER_INVALID_VALUE; \
        s->field = value;                                                     \
        return SOLVER_SUCCESS;                                                \
    }                                                                         \
    CALL(get, const struct solver *s, int *value)                             \
    {                                                                         \
        if (s == NULL || value == NULL)                                       \
            return s == NULL ? SOLVER_NOT_INITIALIZED : SOLVER_INVALID_VALUE; \
        *value = s->field;                                                    \
        return SOLVER_SUCCESS;                                                \
    }
SETTING(cusolverDnSetDeterministicMode, cusolverDnGetDeterministicMode,
        deterministic)
SETTING(cusolverDnSetMathMode, cusolverDnGetMathMode, math)

/* ---- parameters of the calls of any type ------------------------------------------------ */

CALL(cusolverDnCreateParams, void **out)
{
    if (out == NULL)
        return SOLVER_INVALID_VALUE;
    *out = calloc(1, 1);
    return *out != NULL ? SOLVER_SUCCESS : SOLVER_ALLOC_FAILED;
}

CALL(cusolverDnDestroyParams, void *params)
{
    free(params);
    return SOLVER_SUCCESS;
}

/* There is one algorithm of each. */
CALL(cusolverDnSetAdvOptions, void *params, int function, int algorithm)
{
    (void)function;
    return params != NULL && algorithm >= 0 && algorithm <= 2
               ? SOLVER_SUCCESS
               : SOLVER_INVALID_VALUE;
}

/* Nothing is logged. */
CALL(cusolverDnLoggerSetCallback, void *callback)
{
    (void)callback;
    return SOLVER_SUCCESS;
}
ALSO(cusolverDnLoggerSetCallback, cusolverDnLoggerSetFile);
ALSO(cusolverDnLoggerSetCallback, cusolverDnLoggerOpenFile);

CALL(cusolverDnLoggerSetLevel, int level)
{
    (void)level;
    return SOLVER_SUCCESS;
}
ALSO(cusolverDnLoggerSetLevel, cusolverDnLoggerSetMask);

CALL(cusolverDnLoggerForceDisable, void)
{
    return SOLVER_SUCCESS;
}
