/*
 * Entry points of cuBLAS: batches of small systems, a block for each of their
 * matrices.  All are told by arrays of pointers on the device.
 */
#include <limits.h>
#include <stdio.h>

#include "tools/cublas/kernels.h"
#include "tools/cublas/triangle.h"
#include "tools/vendor/kernels/factor.h"

enum {
    PARTS_MOST = 65535, /* of a grid, in y */
};

/* What all of them are given. */
struct systems {
    int type;
    int m, n; /* of A */
    const void *a;
    int lda;
    int batch;
};

static int64_t over(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static struct dense pointed(const void *pointers, int ld)
{
    return (struct dense){
        .at = (void *)pointers, .row = 1, .column = ld, .arrays = 1};
}

/* `parts` blocks of so many threads for each matrix. */
static int launch_of(const struct blas *b, const struct systems *s,
                     const char *what, int64_t parts, unsigned threads,
                     int shared, void *args)
{
    const struct vendor_grid grid = {.x = (unsigned)s->batch,
                                     .y = (unsigned)parts,
                                     .z = 1,
                                     .threads = threads,
                                     .shared = (unsigned)shared};
    char name[64];

    if (parts > PARTS_MOST)
        return BLAS_NOT_SUPPORTED;
    if (parts == 0 || s->batch == 0)
        return BLAS_SUCCESS;
    snprintf(name, sizeof name, "teg_cublas_%c%s",
             s->type == DATA_64F ? 'd' : 's', what);
    return (int)kernel_launch(b, KERNELS_FACTOR, name, &grid, args);
}

static int launch(const struct blas *b, const struct systems *s,
                  const char *what, int64_t parts, void *args)
{
    return launch_of(b, s, what, parts, FACTOR_THREADS, 0, args);
}

static int factor(const struct blas *b, const struct systems *s,
                  const char *what, struct factor_args *args)
{
    const int64_t bytes =
        (int64_t)(s->m | 1) * s->n * (int64_t)data_bytes(s->type);

    args->a = pointed(s->a, s->lda);
    args->m = s->m;
    args->n = s->n;
    args->staged = bytes <= FACTOR_SHARED;
    return launch_of(b, s, what, 1,
                     factor_threads(s->m, s->n, s->batch, PANEL_THREADS),
                     args->staged ? (int)bytes : 0, args);
}

/* 0, or which argument is wrong, from 1: those of a matrix are `m` and so on. */
static int wrong(const struct systems *s, int m, int n, int a, int lda,
                 int batch)
{
    return s->m < 0                         ? m
           : s->n < 0                       ? n
           : s->a == NULL && s->batch > 0   ? a
           : s->lda < (s->m > 1 ? s->m : 1) ? lda
           : s->batch < 0                   ? batch
                                            : 0;
}

/* Also tells the host, which such calls do for their arguments. */
static int refused(int argument, int *info)
{
    if (info != NULL)
        *info = -argument;
    return argument != 0 ? BLAS_INVALID_VALUE : BLAS_SUCCESS;
}

/* ---- LU -------------------------------------------------------------------------- */

static int getrf(const struct blas *b, const struct systems *s, int *pivots,
                 int *info)
{
    if (b == NULL)
        return BLAS_NOT_INITIALIZED;
    if (wrong(s, 2, 2, 3, 4, 7) != 0 || info == NULL)
        return BLAS_INVALID_VALUE;
    return factor(b, s, "getrf",
                  &(struct factor_args){
                      .pivots = pivots, .pivots_batch = s->n, .info = info});
}

static int swap_rows(const struct blas *b, const struct systems *s,
                     const int *pivots, void *x, int ldx, int columns,
                     int backwards)
{
    struct swap_args args = {
        .a = pointed(x, ldx),
        .pivots = pivots,
        .pivots_batch = s->n,
        .to = s->n,
        .columns = columns,
        .backwards = backwards,
    };

    return pivots != NULL
               ? launch(b, s, "laswp", over(columns, FACTOR_THREADS), &args)
               : BLAS_SUCCESS;
}

/* By a factor of A: one triangle. */
static int solve(const struct blas *b, const struct systems *s, int upper,
                 int op, void *x, int ldx, int columns)
{
    static const double one_d = 1;
    static const float one_s = 1;
    struct blas host = *b;

    host.scalars_on_device = 0;
    return (int)triangle_solve(
        &host, &(struct triangle){
                   .type = s->type,
                   .side = BLAS_LEFT,
                   .upper = upper,
                   .op = op,
                   .unit = !upper,
                   .m = s->n,
                   .n = columns,
                   .alpha = s->type == DATA_64F ? (const void *)&one_d : &one_s,
                   .a = s->a,
                   .lda = s->lda,
                   .b = x,
                   .ldb = ldx,
                   .arrays = 1,
                   .batch = s->batch});
}

/* A = P L U */
static int solve_lu(const struct blas *b, const struct systems *s, int op,
                    const int *pivots, void *x, int ldx, int columns)
{
    const int turned = op != BLAS_N;
    int status =
        turned ? BLAS_SUCCESS : swap_rows(b, s, pivots, x, ldx, columns, 0);

    if (status == BLAS_SUCCESS)
        status = solve(b, s, turned, op, x, ldx, columns);
    if (status == BLAS_SUCCESS)
        status = solve(b, s, !turned, op, x, ldx, columns);
    return status == BLAS_SUCCESS && turned
               ? swap_rows(b, s, pivots, x, ldx, columns, 1)
               : status;
}

static int getrs(const struct blas *b, const struct systems *s, int op,
                 int columns, const int *pivots, void *x, int ldx, int *info)
{
    int argument = op < BLAS_N || op > BLAS_C                 ? 1
                   : columns < 0                              ? 3
                   : x == NULL && s->batch > 0 && columns > 0 ? 7
                   : ldx < (s->n > 1 ? s->n : 1)              ? 8
                                                 : wrong(s, 2, 2, 4, 5, 10);

    if (b == NULL)
        return BLAS_NOT_INITIALIZED;
    if (info == NULL || refused(argument, info) != BLAS_SUCCESS)
        return BLAS_INVALID_VALUE;
    if (s->n == 0 || columns == 0)
        return BLAS_SUCCESS;
    return solve_lu(b, s, op, pivots, x, ldx, columns);
}

static int getri(const struct blas *b, const struct systems *s,
                 const int *pivots, void *c, int ldc, int *info)
{
    struct shape_args identity = {
        .to = pointed(c, ldc),
        .m = s->n,
        .n = s->n,
        .above = SHAPE_ZERO,
        .diagonal = SHAPE_ONE,
        .below = SHAPE_ZERO,
    };
    int status;

    if (b == NULL)
        return BLAS_NOT_INITIALIZED;
    if (wrong(s, 2, 2, 3, 4, 9) != 0 || ldc < (s->n > 1 ? s->n : 1) ||
        info == NULL)
        return BLAS_INVALID_VALUE;
    status = launch(b, s, "zero", 1,
                    &(struct factor_args){
                        .a = pointed(s->a, s->lda), .n = s->n, .info = info});
    if (status == BLAS_SUCCESS)
        status =
            launch(b, s, "shape",
                   over((int64_t)s->n * s->n, FACTOR_THREADS * 4), &identity);
    return status == BLAS_SUCCESS && s->n > 0
               ? solve_lu(b, s, BLAS_N, pivots, c, ldc, s->n)
               : status;
}

/* ---- QR -------------------------------------------------------------------------- */

static int geqrf(const struct blas *b, const struct systems *s, void *tau,
                 int *info)
{
    int argument = wrong(s, 1, 2, 3, 4, 7);

    if (b == NULL)
        return BLAS_NOT_INITIALIZED;
    if (info == NULL || refused(argument, info) != BLAS_SUCCESS)
        return BLAS_INVALID_VALUE;
    return factor(b, s, "geqrf", &(struct factor_args){.tau = pointed(tau, 0)});
}

/* Least squares: R X = Q' B.  The scales of reflections lie in the handle's own
 * workspace, so many matrices at a time. */
static int gels_some(const struct blas *b, const struct systems *s, void *c,
                     int ldc, int columns, int *info)
{
    const struct dense tau = {.at = b->own_workspace, .row = 1, .batch = s->n};
    struct reflect_args turn = {
        .a = pointed(s->a, s->lda),
        .tau = tau,
        .b = pointed(c, ldc),
        .m = s->m,
        .columns = columns,
        .k = s->n,
    };
    int status = factor(b, s, "geqrf", &(struct factor_args){.tau = tau});

    if (status == BLAS_SUCCESS && info != NULL)
        status =
            launch(b, s, "zero", 1,
                   &(struct factor_args){
                       .a = pointed(s->a, s->lda), .n = s->n, .info = info});
    if (status == BLAS_SUCCESS)
        status =
            launch(b, s, "ormqr", over(columns, FACTOR_THREADS / 32), &turn);
    return status == BLAS_SUCCESS ? solve(b, s, 1, BLAS_N, c, ldc, columns)
                                  : status;
}

static int gels(const struct blas *b, const struct systems *s, int op,
                int columns, void *c, int ldc, int *info, int *device_info)
{
    int argument = op != BLAS_N  ? 1
                   : columns < 0 ? 4
                   : s->m < s->n ? 2 /* more unknowns than equations */
                   : c == NULL && s->batch > 0   ? 7
                   : ldc < (s->m > 1 ? s->m : 1) ? 8
                                                 : wrong(s, 2, 3, 5, 6, 11);
    int most, status = BLAS_SUCCESS;

    if (b == NULL)
        return BLAS_NOT_INITIALIZED;
    if (info == NULL || refused(argument, info) != BLAS_SUCCESS)
        return op == BLAS_T || op == BLAS_C || (argument == 2 && s->m >= 0)
                   ? BLAS_NOT_SUPPORTED
                   : BLAS_INVALID_VALUE;
    if (s->n == 0 || columns == 0)
        return BLAS_SUCCESS;
    most = BLAS_WORKSPACE / (s->n * (int)sizeof(double));
    for (int i = 0; i < s->batch && status == BLAS_SUCCESS; i += most) {
        struct systems part = *s;

        part.a = (void *const *)s->a + i;
        part.batch = s->batch - i < most ? s->batch - i : most;
        status = gels_some(b, &part, (void **)c + i, ldc, columns,
                           device_info != NULL ? device_info + i : NULL);
    }
    return status;
}

/* ---- entry points ------------------------------------------------------------------ */

#define CALLS(letter, data)                                                   \
    CALL(cublas##letter##getrfBatched, const struct blas *b, int n,           \
         const void *x, int ldx, int *pivots, int *info, int count)           \
    {                                                                         \
        return getrf(b, &(struct systems){data, n, n, x, ldx, count}, pivots, \
                     info);                                                   \
    }                                                                         \
    CALL(cublas##letter##getrsBatched, const struct blas *b, int op, int n,   \
         int columns, const void *x, int ldx, const int *pivots, void *y,     \
         int ldy, int *info, int count)                                       \
    {                                                                         \
        return getrs(b, &(struct systems){data, n, n, x, ldx, count}, op,     \
                     columns, pivots, y, ldy, info);                          \
    }                                                                         \
    CALL(cublas##letter##getriBatched, const struct blas *b, int n,           \
         const void *x, int ldx, const int *pivots, void *y, int ldy,         \
         int *info, int count)                                                \
    {                                                                         \
        return getri(b, &(struct systems){data, n, n, x, ldx, count}, pivots, \
                     y, ldy, info);                                           \
    }                                                                         \
    CALL(cublas##letter##geqrfBatched, const struct blas *b, int m, int n,    \
         const void *x, int ldx, void *tau, int *info, int count)             \
    {                                                                         \
        return geqrf(b, &(struct systems){data, m, n, x, ldx, count}, tau,    \
                     info);                                                   \
    }                                                                         \
    CALL(cublas##letter##gelsBatched, const struct blas *b, int op, int m,    \
         int n, int columns, const void *x, int ldx, void *y, int ldy,        \
         int *info, int *device_info, int count)                              \
    {                                                                         \
        return gels(b, &(struct systems){data, m, n, x, ldx, count}, op,      \
                    columns, y, ldy, info, device_info);                      \
    }
CALLS(S, DATA_32F)
CALLS(D, DATA_64F)
