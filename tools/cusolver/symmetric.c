/*
 * Entry points of cuSOLVER: factors of symmetric matrices that need not be positive
 * definite, L D L' and U D U', and what is solved by them.  A block has the
 * matrix; U is what L is from the matrix's end.
 */
#include "tools/cusolver/kernels/panel.h"
#include "tools/cusolver/solver.h"

static int check(const struct solver *s, int upper, int64_t n, int64_t ld)
{
    if (s == NULL)
        return SOLVER_NOT_INITIALIZED;
    return (upper == LOWER || upper == UPPER) && is_matrix(n, n, ld)
               ? SOLVER_SUCCESS
               : SOLVER_INVALID_VALUE;
}

/* From its end, if that is what makes it a lower triangle. */
static struct dense seen(int type, struct mat m, int64_t rows, int64_t columns,
                         int upper)
{
    struct dense d = solver_dense(m);

    if (!upper)
        return d;
    d.at = solver_at(type, m.at, (rows - 1) + (columns - 1) * m.ld);
    d.row = -d.row;
    d.column = -d.column;
    return d;
}

static int sytrf(const struct solver *s, int type, int upper, int64_t n,
                 struct mat a, int *pivots, int *info)
{
    NEED(check(s, upper, n, a.ld));
    if (info == NULL)
        return SOLVER_INVALID_VALUE;
    NEED(solver_clear(s, info, sizeof *info));
    if (n == 0)
        return SOLVER_SUCCESS;
    return solver_launch(
        s, KERNELS_FACTOR, "sytf2", type, 1, 1, FACTOR_THREADS, 0,
        &(struct symmetric_args){.a = seen(type, a, n, n, upper),
                                 .pivots = pivots,
                                 .info = info,
                                 .n = (int)n,
                                 .backwards = upper});
}

static int sytrs(const struct solver *s, int type, int upper, int64_t n,
                 int64_t columns, struct mat a, const int64_t *pivots,
                 struct mat b, int *info)
{
    const int64_t warps = FACTOR_THREADS / 32;

    NEED(check(s, upper, n, a.ld));
    if (!is_matrix(n, columns, b.ld))
        return SOLVER_INVALID_VALUE;
    NEED(solver_clear(s, info, sizeof *info));
    if (n == 0 || columns == 0)
        return SOLVER_SUCCESS;
    return solver_launch(
        s, KERNELS_FACTOR, "sytrs", type, 1, (columns + warps - 1) / warps,
        FACTOR_THREADS, 0,
        &(struct symmetric_args){.a = seen(type, a, n, n, upper),
                                 .b = seen(type, b, n, columns, upper),
                                 .pivots = (void *)pivots,
                                 .n = (int)n,
                                 .columns = (int)columns,
                                 .wide = 1,
                                 .backwards = upper});
}

/* ---- entry points --------------------------------------------------------------------- */

#define CALLS(letter, type)                                                   \
    CALL(cusolverDn##letter##sytrf_bufferSize, const struct solver *s, int n, \
         void *a, int lda, int *elements)                                     \
    {                                                                         \
        (void)a;                                                              \
        NEED(check(s, LOWER, n, lda));                                        \
        if (elements == NULL)                                                 \
            return SOLVER_INVALID_VALUE;                                      \
        *elements = 1; /* none is wanted */                                   \
        return SOLVER_SUCCESS;                                                \
    }                                                                         \
    CALL(cusolverDn##letter##sytrf, const struct solver *s, int upper, int n, \
         void *a, int lda, int *pivots, void *work, int elements, int *info)  \
    {                                                                         \
        (void)work, (void)elements;                                           \
        return sytrf(s, type, upper, n, (struct mat){a, lda}, pivots, info);  \
    }
CALLS(S, DATA_32F)
CALLS(D, DATA_64F)

CALL(cusolverDnXsytrs_bufferSize, const struct solver *s, int upper, int64_t n,
     int64_t columns, int type, const void *a, int64_t lda,
     const int64_t *pivots, int type_b, const void *b, int64_t ldb,
     size_t *device, size_t *host)
{
    (void)a, (void)pivots, (void)b;
    NEED(check(s, upper, n, lda));
    if (!is_matrix(n, columns, ldb))
        return SOLVER_INVALID_VALUE;
    if (!type_is_known("cusolverDnXsytrs", type) || type_b != type)
        return SOLVER_NOT_SUPPORTED;
    return room_bytes(&(struct room){0}, device, host);
}

CALL(cusolverDnXsytrs, const struct solver *s, int upper, int64_t n,
     int64_t columns, int type, const void *a, int64_t lda,
     const int64_t *pivots, int type_b, void *b, int64_t ldb, void *on_device,
     size_t device, void *on_host, size_t host, int *info)
{
    (void)on_device, (void)device, (void)on_host, (void)host;
    if (!type_is_known("cusolverDnXsytrs", type) || type_b != type)
        return SOLVER_NOT_SUPPORTED;
    return sytrs(s, type, upper, n, columns, (struct mat){(void *)a, lda},
                 pivots, (struct mat){b, ldb}, info);
}
