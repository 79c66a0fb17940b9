#include "tools/cusolver/jacobi.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum {
    SWEEPS_DEFAULT = 100,
};

double jacobi_tolerance(const struct jacobi_info *info, int type, int64_t m)
{
    const double epsilon = type == DATA_64F ? DBL_EPSILON : (double)FLT_EPSILON;
    const double least = epsilon * sqrt((double)(m > 1 ? m : 1));

    return info != NULL && info->tolerance > least ? info->tolerance : least;
}

static int create(struct jacobi_info **out)
{
    struct jacobi_info *info;

    if (out == NULL)
        return SOLVER_INVALID_VALUE;
    info = calloc(1, sizeof *info);
    if (info == NULL ||
        cudaMalloc((void **)&info->report, sizeof *info->report) != 0) {
        free(info);
        return SOLVER_ALLOC_FAILED;
    }
    info->sweeps = SWEEPS_DEFAULT;
    info->sort = 1;
    *out = info;
    return SOLVER_SUCCESS;
}

static int destroy(struct jacobi_info *info)
{
    if (info != NULL)
        cudaFree(info->report);
    free(info);
    return SOLVER_SUCCESS;
}

#define INFO(Kind, kind)                                                      \
    CALL(cusolverDnCreate##Kind##Info, struct jacobi_info **out)              \
    {                                                                         \
        return create(out);                                                   \
    }                                                                         \
    CALL(cusolverDnDestroy##Kind##Info, struct jacobi_info *info)             \
    {                                                                         \
        return destroy(info);                                                 \
    }                                                                         \
    CALL(cusolverDnX##kind##SetTolerance, struct jacobi_info *info,           \
         double tolerance)                                                    \
    {                                                                         \
        if (info == NULL)                                                     \
            return SOLVER_INVALID_VALUE;                                      \
        info->tolerance = tolerance;                                          \
        return SOLVER_SUCCESS;                                                \
    }                                                                         \
    CALL(cusolverDnX##kind##SetMaxSweeps, struct jacobi_info *info,           \
         int sweeps)                                                          \
    {                                                                         \
        if (info == NULL || sweeps < 1)                                       \
            return SOLVER_INVALID_VALUE;                                      \
        info->sweeps = sweeps;                                                \
        return SOLVER_SUCCESS;                                                \
    }                                                                         \
    CALL(cusolverDnX##kind##SetSortEig, struct jacobi_info *info, int sort)   \
    {                                                                         \
        if (info == NULL)                                                     \
            return SOLVER_INVALID_VALUE;                                      \
        info->sort = sort != 0;                                               \
        return SOLVER_SUCCESS;                                                \
    }                                                                         \
    CALL(cusolverDnX##kind##GetSweeps, const struct solver *s,                \
         const struct jacobi_info *info, int *sweeps)                         \
    {                                                                         \
        struct jacobi_report report;                                          \
                                                                              \
        if (s == NULL || info == NULL || sweeps == NULL)                      \
            return s == NULL ? SOLVER_NOT_INITIALIZED : SOLVER_INVALID_VALUE; \
        NEED(solver_fetch(s, &report, info->report, sizeof report));          \
        *sweeps = report.sweeps;                                              \
        return SOLVER_SUCCESS;                                                \
    }
INFO(Syevj, syevj)
INFO(Gesvdj, gesvdj)

CALL(cusolverDnXsyevjGetResidual, const struct solver *s,
     const struct jacobi_info *info, double *residual)
{
    struct jacobi_report report;

    if (s == NULL || info == NULL || residual == NULL)
        return s == NULL ? SOLVER_NOT_INITIALIZED : SOLVER_INVALID_VALUE;
    NEED(solver_fetch(s, &report, info->report, sizeof report));
    *residual = report.residual;
    return SOLVER_SUCCESS;
}
