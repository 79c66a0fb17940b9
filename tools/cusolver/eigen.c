/*
 * Entry points of cuSOLVER: eigenvalues of symmetric matrices.  Batches, and
 * matrices that Jacobi's method is asked for, are turned by a block each, up to
 * JACOBI_MOST rows; others become tridiagonal first.
 */
#include "tools/cusolver/jacobi.h"
#include "tools/cusolver/reflect.h"

enum {
    JACOBI_MOST = 256, /* rows */
};

/* What all calls come to: W and, in A's place, vectors. */
struct eigen {
    int type, vectors, upper;
    int64_t n, batch;
    struct mat a;
    int64_t stride;                /* of A, from one matrix to the next */
    void *values;                  /* n of each matrix */
    int *info;                     /* one of each matrix */
    const struct jacobi_info *how; /* NULL: as well as can be */
};

static int check(const struct solver *s, const struct eigen *e)
{
    if (s == NULL)
        return SOLVER_NOT_INITIALIZED;
    return (e->vectors == 0 || e->vectors == 1) &&
                   (e->upper == LOWER || e->upper == UPPER) && e->batch >= 0 &&
                   e->batch <= INT32_MAX && is_matrix(e->n, e->n, e->a.ld)
               ? SOLVER_SUCCESS
               : SOLVER_INVALID_VALUE;
}

/* Both triangles become what one is. */
static int mirror(const struct solver *s, const struct eigen *e)
{
    struct shape_args args = {
        .from = solver_dense(e->a),
        .m = (int)e->n,
        .n = (int)e->n,
        .above = e->upper ? SHAPE_KEEP : SHAPE_MIRROR,
        .diagonal = SHAPE_KEEP,
        .below = e->upper ? SHAPE_MIRROR : SHAPE_KEEP,
    };

    args.from.batch = e->stride;
    args.to = args.from;
    return solver_launch_each(s, "shape", e->type, e->batch, e->n * e->n,
                              &args);
}

/* Values from `values`, a column of each matrix, and their vectors into A. */
static int put_in_order(const struct solver *s, const struct eigen *e,
                        struct dense values, void *vectors)
{
    const int warps = FACTOR_THREADS / 32;
    struct order_args args = {
        .values = values,
        .out = {.at = e->values, .row = 1, .batch = e->n},
        .from = {.at = vectors, .row = 1, .column = e->n, .batch = e->n * e->n},
        .to = solver_dense(e->a),
        .n = (int)e->n,
        .m = e->vectors ? (int)e->n : 0,
        .kept = (int)e->n,
        .keep = e->how != NULL && !e->how->sort,
    };

    args.to.batch = e->stride;
    return solver_launch(s, KERNELS_EIGEN, "order", e->type, e->batch,
                         (e->n + warps - 1) / warps, FACTOR_THREADS, 0, &args);
}

/* ---- Jacobi ------------------------------------------------------------------------- */

struct jacobi_parts {
    void *vectors, *diagonal;
    struct jacobi_report *report; /* that is not the program's */
};

static struct jacobi_parts jacobi_room(const struct eigen *e, struct room *r)
{
    const size_t all = (size_t)(e->n * e->batch) * solver_bytes(e->type);

    return (struct jacobi_parts){
        .vectors = room_part(r, e->vectors ? all * (size_t)e->n : 0),
        .diagonal = room_part(r, all),
        .report =
            room_part(r, sizeof *(struct jacobi_report *)0 * (size_t)e->batch),
    };
}

static int by_jacobi(const struct solver *s, const struct eigen *e,
                     struct room *r)
{
    const struct jacobi_parts parts = jacobi_room(e, r);
    const int64_t n = e->n, bytes = (int64_t)solver_bytes(e->type);
    const int64_t plan = (n + 1) / 2 * (4 * bytes + 2 * (int64_t)sizeof(int));
    const int64_t own = (e->vectors ? 2 : 1) * n * (n | 1) * bytes;
    const int staged = plan + own <= FACTOR_SHARED;
    struct jacobi_args args = {
        .a = solver_dense(e->a),
        .v = {.at = e->vectors ? parts.vectors : NULL,
              .row = 1,
              .column = n,
              .batch = n * n},
        .tolerance = jacobi_tolerance(e->how, e->type, 1),
        .n = (int)n,
        .sweeps = e->how != NULL ? e->how->sweeps : 100,
        .staged = staged,
        .report =
            e->how != NULL && e->batch == 1 ? e->how->report : parts.report,
        .info = e->info,
    };
    struct eigen diagonal = *e;
    static const struct jacobi_info as_it_is = {.sort = 0};

    args.a.batch = e->stride;
    NEED(mirror(s, e));
    NEED(solver_launch(s, KERNELS_EIGEN, "syevj", e->type, e->batch, 1,
                       FACTOR_THREADS, (unsigned)(plan + (staged ? own : 0)),
                       &args));
    /* Vectors take the place of what the values lie in. */
    diagonal.values = parts.diagonal;
    diagonal.vectors = 0;
    diagonal.how = &as_it_is;
    args.a.row = e->a.ld + 1;
    NEED(put_in_order(s, &diagonal, args.a, NULL));
    return put_in_order(
        s, e, (struct dense){.at = parts.diagonal, .row = 1, .batch = n},
        parts.vectors);
}

/* ---- by way of a tridiagonal matrix ---------------------------------------------------- */

struct tridiagonal {
    struct mat v, w, z;
    void *d, *e, *tau, *product, *dots, *values, *room;
    struct reflector h;
};

static void tridiagonal_room(const struct eigen *e, struct room *r,
                             struct tridiagonal *t)
{
    const size_t bytes = solver_bytes(e->type), n = (size_t)e->n;
    const size_t numbers = bytes * ROTATE_NUMBERS * n;
    const size_t blocks = e->vectors ? (n + ROTATE_ROWS - 1) / ROTATE_ROWS : 1;
    const int64_t ld = e->n > 1 ? e->n : 1;

    t->v = (struct mat){room_part(r, bytes * n * PANEL), ld};
    t->w = (struct mat){room_part(r, bytes * n * PANEL), ld};
    t->d = room_part(r, bytes * n);
    t->e = room_part(r, bytes * n);
    t->tau = room_part(r, bytes * n);
    t->product = room_part(r, bytes * n);
    t->dots = room_part(r, bytes * 2 * PANEL);
    t->values = room_part(r, bytes * n);
    t->room = room_part(r, numbers > FACTOR_SHARED ? numbers * blocks : 0);
    t->z = (struct mat){room_part(r, e->vectors ? bytes * n * n : 0), ld};
    if (e->vectors)
        reflector_room(&t->h, e->type, e->n, e->n, r);
}

/* A panel of columns at a time, for which the rest of A is left as it is. */
static int make_tridiagonal(const struct solver *s, const struct eigen *e,
                            const struct tridiagonal *t)
{
    const int64_t n = e->n, warps = FACTOR_THREADS / 32;

    for (int64_t first = 0; first < n; first += PANEL) {
        const int64_t left = n - first;
        struct tridiagonal_args args = {
            .a = solver_dense(e->a),
            .v = solver_dense(t->v),
            .w = solver_dense(t->w),
            .d = t->d,
            .e = t->e,
            .tau = t->tau,
            .product = t->product,
            .dots = t->dots,
            .n = (int)n,
            .first = (int)first,
            .columns = left < PANEL ? (int)left : PANEL,
        };
        const int64_t end = first + args.columns;
        const struct mat rest = solver_part(e->type, e->a, end, end);
        const struct mat v = solver_part(e->type, t->v, end, 0);
        const struct mat w = solver_part(e->type, t->w, end, 0);

        for (; args.column < args.columns; args.column++) {
            const int64_t rows = left - args.column - 1;

            NEED(solver_launch(s, KERNELS_EIGEN, "sytrd_column", e->type, 1, 1,
                               FACTOR_THREADS, 0, &args));
            NEED(solver_launch(
                s, KERNELS_EIGEN, "sytrd_product", e->type,
                rows > 0 ? (rows + 2 * args.column + warps - 1) / warps : 0, 1,
                FACTOR_THREADS, 0, &args));
        }
        if (end == n)
            break;
        NEED(solver_launch(s, KERNELS_EIGEN, "sytrd_column", e->type, 1, 1,
                           FACTOR_THREADS, 0, &args));
        NEED(solver_multiply(s, e->type, OP_N, OP_T, n - end, n - end, PANEL,
                             -1, v, w, 1, rest));
        NEED(solver_multiply(s, e->type, OP_N, OP_T, n - end, n - end, PANEL,
                             -1, w, v, 1, rest));
    }
    return SOLVER_SUCCESS;
}

static int by_tridiagonal(const struct solver *s, const struct eigen *e,
                          struct room *r)
{
    const int64_t n = e->n;
    const size_t numbers = solver_bytes(e->type) * ROTATE_NUMBERS * (size_t)n;
    struct tridiagonal t;
    struct rotate_args rotate;

    tridiagonal_room(e, r, &t);
    NEED(mirror(s, e));
    NEED(make_tridiagonal(s, e, &t));
    if (e->vectors)
        NEED(solver_shape(s, e->type, n, n, t.z, t.z, SHAPE_ZERO, SHAPE_ONE,
                          SHAPE_ZERO));
    rotate = (struct rotate_args){
        .d = t.d,
        .e = t.e,
        .values = t.values,
        .room = t.room,
        .z = solver_dense(t.z),
        .n = (int)n,
        .rows = e->vectors ? (int)n : 0,
        .info = e->info,
        .staged = numbers <= FACTOR_SHARED,
    };
    NEED(solver_launch(s, KERNELS_EIGEN, "steqr", e->type,
                       e->vectors ? (n + ROTATE_ROWS - 1) / ROTATE_ROWS : 1, 1,
                       e->vectors ? ROTATE_ROWS + 32 : 32,
                       rotate.staged ? (unsigned)numbers : 0, &rotate));
    if (e->vectors && n > 1)
        NEED(reflect_all(s, &t.h, LEFT, OP_N, n - 1, n, n - 1,
                         solver_part(e->type, e->a, 1, 0), t.tau,
                         solver_part(e->type, t.z, 1, 0)));
    return put_in_order(s, e, (struct dense){.at = t.values, .row = 1}, t.z.at);
}

/* ---- both ------------------------------------------------------------------------------ */

static int is_small(const struct eigen *e)
{
    return e->n <= JACOBI_MOST && (e->how != NULL || e->batch != 1);
}

static struct room eigen_room(const struct eigen *e)
{
    struct room r = {0};
    struct tridiagonal t;

    if (is_small(e))
        jacobi_room(e, &r);
    else
        tridiagonal_room(e, &r, &t);
    return r;
}

/* Large ones one after the other, in the same room. */
static int solve(const struct solver *s, const struct eigen *e, void *work,
                 size_t bytes)
{
    const struct room counted = eigen_room(e);

    if (e->info == NULL || !room_holds(&counted, work, bytes))
        return SOLVER_INVALID_VALUE;
    NEED(solver_clear(s, e->info, sizeof *e->info * (size_t)e->batch));
    if (e->n == 0 || e->batch == 0)
        return SOLVER_SUCCESS;
    if (is_small(e))
        return by_jacobi(s, e, &(struct room){.at = work});
    if (e->how != NULL)
        NEED(solver_clear(s, e->how->report, sizeof *e->how->report));
    for (int64_t i = 0; i < e->batch; i++) {
        struct eigen one = *e;

        one.batch = 1;
        one.a.at = solver_at(e->type, e->a.at, i * e->stride);
        one.values = solver_at(e->type, e->values, i * e->n);
        one.info = e->info + i;
        NEED(by_tridiagonal(s, &one, &(struct room){.at = work}));
    }
    return SOLVER_SUCCESS;
}

/* ---- entry points --------------------------------------------------------------------- */

static int count_elements(const struct solver *s, const struct eigen *e,
                          int *elements)
{
    struct room r;

    NEED(check(s, e));
    if (elements == NULL)
        return SOLVER_INVALID_VALUE;
    r = eigen_room(e);
    return room_elements(&r, e->type, elements);
}

static int run(const struct solver *s, const struct eigen *e, void *work,
               int elements)
{
    NEED(check(s, e));
    return solve(s, e, work, (size_t)elements * solver_bytes(e->type));
}

/* syevd: one matrix; syevj: by Jacobi, syevjBatched: many, side by side. */
#define ONE(type, a, w, info, how)     \
    (&(struct eigen){type,             \
                     vectors,          \
                     upper,            \
                     n,                \
                     1,                \
                     {(void *)a, lda}, \
                     0,                \
                     (void *)w,        \
                     info,             \
                     how})
#define MANY(type, a, w, info, how)    \
    (&(struct eigen){type,             \
                     vectors,          \
                     upper,            \
                     n,                \
                     batch,            \
                     {(void *)a, lda}, \
                     (int64_t)lda * n, \
                     (void *)w,        \
                     info,             \
                     how})

#define CALLS(letter, type)                                                    \
    CALL(cusolverDn##letter##syevd_bufferSize, const struct solver *s,         \
         int vectors, int upper, int n, const void *a, int lda, const void *w, \
         int *elements)                                                        \
    {                                                                          \
        return count_elements(s, ONE(type, a, w, NULL, NULL), elements);       \
    }                                                                          \
    CALL(cusolverDn##letter##syevd, const struct solver *s, int vectors,       \
         int upper, int n, void *a, int lda, void *w, void *work,              \
         int elements, int *info)                                              \
    {                                                                          \
        return run(s, ONE(type, a, w, info, NULL), work, elements);            \
    }                                                                          \
    CALL(cusolverDn##letter##syevj_bufferSize, const struct solver *s,         \
         int vectors, int upper, int n, const void *a, int lda, const void *w, \
         int *elements, const struct jacobi_info *how)                         \
    {                                                                          \
        if (how == NULL)                                                       \
            return SOLVER_INVALID_VALUE;                                       \
        return count_elements(s, ONE(type, a, w, NULL, how), elements);        \
    }                                                                          \
    CALL(cusolverDn##letter##syevj, const struct solver *s, int vectors,       \
         int upper, int n, void *a, int lda, void *w, void *work,              \
         int elements, int *info, const struct jacobi_info *how)               \
    {                                                                          \
        if (how == NULL)                                                       \
            return SOLVER_INVALID_VALUE;                                       \
        return run(s, ONE(type, a, w, info, how), work, elements);             \
    }                                                                          \
    CALL(cusolverDn##letter##syevjBatched_bufferSize, const struct solver *s,  \
         int vectors, int upper, int n, const void *a, int lda, const void *w, \
         int *elements, const struct jacobi_info *how, int batch)              \
    {                                                                          \
        if (how == NULL)                                                       \
            return SOLVER_INVALID_VALUE;                                       \
        return count_elements(s, MANY(type, a, w, NULL, how), elements);       \
    }                                                                          \
    CALL(cusolverDn##letter##syevjBatched, const struct solver *s,             \
         int vectors, int upper, int n, void *a, int lda, void *w, void *work, \
         int elements, int *info, const struct jacobi_info *how, int batch)    \
    {                                                                          \
        if (how == NULL)                                                       \
            return SOLVER_INVALID_VALUE;                                       \
        return run(s, MANY(type, a, w, info, how), work, elements);            \
    }
CALLS(S, DATA_32F)
CALLS(D, DATA_64F)

static int count_bytes(const struct solver *s, const char *call,
                       const struct eigen *e, int type_w, size_t *device,
                       size_t *host)
{
    struct room r;

    NEED(check(s, e));
    if (!type_is_known(call, e->type) || type_w != e->type)
        return SOLVER_NOT_SUPPORTED;
    r = eigen_room(e);
    return room_bytes(&r, device, host);
}

static int run_any(const struct solver *s, const char *call,
                   const struct eigen *e, int type_w, void *work, size_t bytes)
{
    NEED(check(s, e));
    if (!type_is_known(call, e->type) || type_w != e->type)
        return SOLVER_NOT_SUPPORTED;
    return solve(s, e, work, bytes);
}

CALL(cusolverDnXsyevd_bufferSize, const struct solver *s, const void *params,
     int vectors, int upper, int64_t n, int type, const void *a, int64_t lda,
     int type_w, const void *w, int compute, size_t *device, size_t *host)
{
    (void)params, (void)compute;
    return count_bytes(s, "cusolverDnXsyevd", ONE(type, a, w, NULL, NULL),
                       type_w, device, host);
}

CALL(cusolverDnXsyevd, const struct solver *s, const void *params, int vectors,
     int upper, int64_t n, int type, void *a, int64_t lda, int type_w, void *w,
     int compute, void *on_device, size_t device, void *on_host, size_t host,
     int *info)
{
    (void)params, (void)compute, (void)on_host, (void)host;
    return run_any(s, "cusolverDnXsyevd", ONE(type, a, w, info, NULL), type_w,
                   on_device, device);
}

CALL(cusolverDnXsyevBatched_bufferSize, const struct solver *s,
     const void *params, int vectors, int upper, int64_t n, int type,
     const void *a, int64_t lda, int type_w, const void *w, int compute,
     size_t *device, size_t *host, int64_t batch)
{
    (void)params, (void)compute;
    return count_bytes(s, "cusolverDnXsyevBatched",
                       MANY(type, a, w, NULL, NULL), type_w, device, host);
}

CALL(cusolverDnXsyevBatched, const struct solver *s, const void *params,
     int vectors, int upper, int64_t n, int type, void *a, int64_t lda,
     int type_w, void *w, int compute, void *on_device, size_t device,
     void *on_host, size_t host, int *info, int64_t batch)
{
    (void)params, (void)compute, (void)on_host, (void)host;
    return run_any(s, "cusolverDnXsyevBatched", MANY(type, a, w, info, NULL),
                   type_w, on_device, device);
}
