/* Entry points of cuSOLVER: Cholesky factors, and what is solved by them. */
#include "tools/cusolver/solver.h"

enum {
    BLOCK = 64, /* columns of a panel, whose square is one block's */
};

int cublasStrsmBatched(void *, int side, int upper, int op, int unit, int m,
                       int n, const void *alpha, const void *a, int lda,
                       void *b, int ldb, int count);
int cublasDtrsmBatched(void *, int side, int upper, int op, int unit, int m,
                       int n, const void *alpha, const void *a, int lda,
                       void *b, int ldb, int count);

/* A lower triangle, whichever is there. */
static struct dense lower(struct mat a, int upper)
{
    return (struct dense){
        .at = a.at, .row = upper ? a.ld : 1, .column = upper ? 1 : a.ld};
}

static int check(const struct solver *s, int upper, int64_t n, int64_t ld)
{
    if (s == NULL)
        return SOLVER_NOT_INITIALIZED;
    return (upper == LOWER || upper == UPPER) && is_matrix(n, n, ld)
               ? SOLVER_SUCCESS
               : SOLVER_INVALID_VALUE;
}

/* Panel by panel, each taken from all that is to its right. */
static int potrf(const struct solver *s, int type, int upper, int64_t n,
                 struct mat a, int *info)
{
    NEED(check(s, upper, n, a.ld));
    if (info == NULL)
        return SOLVER_INVALID_VALUE;
    NEED(solver_clear(s, info, sizeof *info));
    for (int64_t k = 0; k < n; k += BLOCK) {
        const int64_t width = n - k < BLOCK ? n - k : BLOCK, end = k + width;
        const struct mat square = solver_part(type, a, k, k);
        const struct mat panel =
            upper ? solver_part(type, a, k, end) : solver_part(type, a, end, k);

        NEED(solver_factor(s, "potf2", type, 1, FACTOR_THREADS,
                           &(struct factor_args){.a = lower(square, upper),
                                                 .info = info,
                                                 .m = (int)width,
                                                 .n = (int)width,
                                                 .first = (int)k}));
        if (end == n)
            break;
        NEED(solver_triangle(s, type, upper ? LEFT : RIGHT, upper, OP_T, 0,
                             upper ? width : n - end, upper ? n - end : width,
                             square, panel));
        NEED(solver_square(s, type, upper, upper ? OP_T : OP_N, n - end, width,
                           panel, solver_part(type, a, end, end)));
    }
    return SOLVER_SUCCESS;
}

static int potrs(const struct solver *s, int type, int upper, int64_t n,
                 int64_t columns, struct mat a, struct mat b, int *info)
{
    NEED(check(s, upper, n, a.ld));
    if (!is_matrix(n, columns, b.ld))
        return SOLVER_INVALID_VALUE;
    NEED(solver_clear(s, info, sizeof *info));
    NEED(solver_triangle(s, type, LEFT, upper, upper ? OP_T : OP_N, 0, n,
                         columns, a, b));
    return solver_triangle(s, type, LEFT, upper, upper ? OP_N : OP_T, 0, n,
                           columns, a, b);
}

/* The inverse is what is solved with ones; its triangle takes that of the
 * factor. */
static int potri_room(int type, int64_t n, struct room *r, struct mat *inverse)
{
    inverse->ld = n > 1 ? n : 1;
    inverse->at = room_part(r, (size_t)(n * n) * solver_bytes(type));
    return SOLVER_SUCCESS;
}

static int potri(const struct solver *s, int type, int upper, int64_t n,
                 struct mat a, void *work, int elements, int *info)
{
    struct room counted = {0}, r = {.at = work};
    struct mat inverse;

    NEED(check(s, upper, n, a.ld));
    potri_room(type, n, &counted, &inverse);
    if (info == NULL ||
        !room_holds(&counted, work, (size_t)elements * solver_bytes(type)))
        return SOLVER_INVALID_VALUE;
    potri_room(type, n, &r, &inverse);
    NEED(solver_shape(s, type, n, n, a, inverse, SHAPE_ZERO, SHAPE_ONE,
                      SHAPE_ZERO));
    NEED(potrs(s, type, upper, n, n, a, inverse, info));
    return solver_shape(s, type, n, n, inverse, a,
                        upper ? SHAPE_COPY : SHAPE_KEEP, SHAPE_COPY,
                        upper ? SHAPE_KEEP : SHAPE_COPY);
}

/* A block for each matrix. */
static int potrf_batched(const struct solver *s, int type, int upper, int n,
                         void *const *a, int ld, int *info, int batch)
{
    struct dense d = lower((struct mat){(void *)a, ld}, upper);

    NEED(check(s, upper, n, ld));
    if (batch < 0 || info == NULL || a == NULL)
        return SOLVER_INVALID_VALUE;
    d.arrays = 1;
    return solver_factor(
        s, "potf2", type, batch, FACTOR_THREADS,
        &(struct factor_args){.a = d, .info = info, .m = n, .n = n});
}

static int potrs_batched(const struct solver *s, int type, int upper, int n,
                         int columns, const void *a, int ld, void *b, int ldb,
                         int *info, int batch)
{
    static const double one_d = 1;
    static const float one_s = 1;
    const void *one = type == DATA_64F ? (const void *)&one_d : &one_s;

    NEED(check(s, upper, n, ld));
    if (columns != 1 || batch < 0 || !is_matrix(n, columns, ldb))
        return SOLVER_INVALID_VALUE; /* as the library: one column */
    NEED(solver_clear(s, info, sizeof *info));
    for (int second = 0; second < 2; second++) {
        if ((type == DATA_64F ? cublasDtrsmBatched : cublasStrsmBatched)(
                s->blas, LEFT, upper, upper == second ? OP_N : OP_T, 0, n,
                columns, one, a, ld, b, ldb, batch) != 0)
            return SOLVER_EXECUTION_FAILED;
    }
    return SOLVER_SUCCESS;
}

/* No room is wanted: the least that programs allocate. */
static int potrf_room(const struct solver *s, int upper, int64_t n, int64_t ld,
                      int *elements)
{
    NEED(check(s, upper, n, ld));
    if (elements == NULL)
        return SOLVER_INVALID_VALUE;
    *elements = 1;
    return SOLVER_SUCCESS;
}

static int potri_elements(const struct solver *s, int type, int upper, int n,
                          int ld, int *elements)
{
    struct room r = {0};
    struct mat inverse;

    NEED(check(s, upper, n, ld));
    if (elements == NULL)
        return SOLVER_INVALID_VALUE;
    potri_room(type, n, &r, &inverse);
    return room_elements(&r, type, elements);
}

/* ---- entry points --------------------------------------------------------------------- */

#define CALLS(letter, type)                                                    \
    CALL(cusolverDn##letter##potrf_bufferSize, const struct solver *s,         \
         int upper, int n, void *a, int lda, int *elements)                    \
    {                                                                          \
        (void)a;                                                               \
        return potrf_room(s, upper, n, lda, elements);                         \
    }                                                                          \
    CALL(cusolverDn##letter##potrf, const struct solver *s, int upper, int n,  \
         void *a, int lda, void *work, int elements, int *info)                \
    {                                                                          \
        (void)work, (void)elements;                                            \
        return potrf(s, type, upper, n, (struct mat){a, lda}, info);           \
    }                                                                          \
    CALL(cusolverDn##letter##potrs, const struct solver *s, int upper, int n,  \
         int columns, const void *a, int lda, void *b, int ldb, int *info)     \
    {                                                                          \
        return potrs(s, type, upper, n, columns, (struct mat){(void *)a, lda}, \
                     (struct mat){b, ldb}, info);                              \
    }                                                                          \
    CALL(cusolverDn##letter##potri_bufferSize, const struct solver *s,         \
         int upper, int n, void *a, int lda, int *elements)                    \
    {                                                                          \
        (void)a;                                                               \
        return potri_elements(s, type, upper, n, lda, elements);               \
    }                                                                          \
    CALL(cusolverDn##letter##potri, const struct solver *s, int upper, int n,  \
         void *a, int lda, void *work, int elements, int *info)                \
    {                                                                          \
        return potri(s, type, upper, n, (struct mat){a, lda}, work, elements,  \
                     info);                                                    \
    }                                                                          \
    CALL(cusolverDn##letter##potrfBatched, const struct solver *s, int upper,  \
         int n, void **a, int lda, int *info, int batch)                       \
    {                                                                          \
        return potrf_batched(s, type, upper, n, a, lda, info, batch);          \
    }                                                                          \
    CALL(cusolverDn##letter##potrsBatched, const struct solver *s, int upper,  \
         int n, int columns, const void *a, int lda, void *b, int ldb,         \
         int *info, int batch)                                                 \
    {                                                                          \
        return potrs_batched(s, type, upper, n, columns, a, lda, b, ldb, info, \
                             batch);                                           \
    }
CALLS(S, DATA_32F)
CALLS(D, DATA_64F)

CALL(cusolverDnXpotrf_bufferSize, const struct solver *s, const void *params,
     int upper, int64_t n, int type, const void *a, int64_t lda, int compute,
     size_t *device, size_t *host)
{
    (void)params, (void)a, (void)compute;
    NEED(check(s, upper, n, lda));
    if (!type_is_known("cusolverDnXpotrf", type))
        return SOLVER_NOT_SUPPORTED;
    return room_bytes(&(struct room){0}, device, host);
}

CALL(cusolverDnXpotrf, const struct solver *s, const void *params, int upper,
     int64_t n, int type, void *a, int64_t lda, int compute, void *on_device,
     size_t device, void *on_host, size_t host, int *info)
{
    (void)params, (void)compute, (void)on_device, (void)device;
    (void)on_host, (void)host;
    return type_is_known("cusolverDnXpotrf", type)
               ? potrf(s, type, upper, n, (struct mat){a, lda}, info)
               : SOLVER_NOT_SUPPORTED;
}

CALL(cusolverDnXpotrs, const struct solver *s, const void *params, int upper,
     int64_t n, int64_t columns, int type, const void *a, int64_t lda,
     int type_b, void *b, int64_t ldb, int *info)
{
    (void)params;
    if (!type_is_known("cusolverDnXpotrs", type) || type_b != type)
        return SOLVER_NOT_SUPPORTED;
    return potrs(s, type, upper, n, columns, (struct mat){(void *)a, lda},
                 (struct mat){b, ldb}, info);
}
