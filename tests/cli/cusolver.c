/*
 * A program that calls cuSOLVER, linked with a library of its name whose functions
 * all fail: what it computes is teg's (tests/cli/cusolver.sh).  Argument: which
 * test; the exit status is 0 if it holds.
 */
#include "tests/cli/algebra.h"

/* The API's, of which only what is needed. */
int cusolverGetVersion(int *version);
int cusolverGetProperty(int which, int *value);
int cusolverDnCreate(void **s);
int cusolverDnDestroy(void *s);
int cusolverDnSetStream(void *s, void *stream);
int cusolverDnGetStream(void *s, void **stream);
int cusolverDnCreateParams(void **p);
int cusolverDnDestroyParams(void *p);
int cusolverDnSetAdvOptions(void *p, int function, int algorithm);
int cusolverDnSetDeterministicMode(void *s, int mode);
int cusolverDnGetDeterministicMode(void *s, int *mode);
/* Both types of one that is declared as NAME(letter). */
#define BOTH(NAME) \
    int NAME(S);   \
    int NAME(D)
#define POTRF_ROOM(x)                                                   \
    cusolverDn##x##potrf_bufferSize(void *s, int upper, int n, void *a, \
                                    int lda, int *count)
#define POTRF(x)                                                      \
    cusolverDn##x##potrf(void *s, int upper, int n, void *a, int lda, \
                         void *work, int count, int *info)
#define POTRS(x)                                                 \
    cusolverDn##x##potrs(void *s, int upper, int n, int columns, \
                         const void *a, int lda, void *b, int ldb, int *info)
#define POTRI_ROOM(x)                                                   \
    cusolverDn##x##potri_bufferSize(void *s, int upper, int n, void *a, \
                                    int lda, int *count)
#define POTRI(x)                                                      \
    cusolverDn##x##potri(void *s, int upper, int n, void *a, int lda, \
                         void *work, int count, int *info)
#define POTRF_BATCHED(x)                                                     \
    cusolverDn##x##potrfBatched(void *s, int upper, int n, void *a, int lda, \
                                int *info, int batch)
#define POTRS_BATCHED(x)                                                       \
    cusolverDn##x##potrsBatched(void *s, int upper, int n, int columns,        \
                                void *a, int lda, void *b, int ldb, int *info, \
                                int batch)
#define GETRF_ROOM(x)                                                        \
    cusolverDn##x##getrf_bufferSize(void *s, int m, int n, void *a, int lda, \
                                    int *count)
#define GETRF(x)                                                              \
    cusolverDn##x##getrf(void *s, int m, int n, void *a, int lda, void *work, \
                         int *pivots, int *info)
#define GETRS(x)                                                             \
    cusolverDn##x##getrs(void *s, int op, int n, int columns, const void *a, \
                         int lda, const int *pivots, void *b, int ldb,       \
                         int *info)
#define GEQRF_ROOM(x)                                                        \
    cusolverDn##x##geqrf_bufferSize(void *s, int m, int n, void *a, int lda, \
                                    int *count)
#define GEQRF(x)                                                             \
    cusolverDn##x##geqrf(void *s, int m, int n, void *a, int lda, void *tau, \
                         void *work, int count, int *info)
#define ORGQR_ROOM(x)                                                        \
    cusolverDn##x##orgqr_bufferSize(void *s, int m, int n, int k,            \
                                    const void *a, int lda, const void *tau, \
                                    int *count)
#define ORGQR(x)                                                         \
    cusolverDn##x##orgqr(void *s, int m, int n, int k, void *a, int lda, \
                         const void *tau, void *work, int count, int *info)
#define ORMQR_ROOM(x)                                                  \
    cusolverDn##x##ormqr_bufferSize(                                   \
        void *s, int side, int op, int m, int n, int k, const void *a, \
        int lda, const void *tau, const void *c, int ldc, int *count)
#define ORMQR(x)                                                           \
    cusolverDn##x##ormqr(void *s, int side, int op, int m, int n, int k,   \
                         const void *a, int lda, const void *tau, void *c, \
                         int ldc, void *work, int count, int *info)
#define SYEVD_ROOM(x)                                                       \
    cusolverDn##x##syevd_bufferSize(void *s, int vectors, int upper, int n, \
                                    const void *a, int lda, const void *w,  \
                                    int *count)
#define SYEVD(x)                                                          \
    cusolverDn##x##syevd(void *s, int vectors, int upper, int n, void *a, \
                         int lda, void *w, void *work, int count, int *info)
#define SYEVJ_ROOM(x)                                                       \
    cusolverDn##x##syevj_bufferSize(void *s, int vectors, int upper, int n, \
                                    const void *a, int lda, const void *w,  \
                                    int *count, void *how)
#define SYEVJ(x)                                                             \
    cusolverDn##x##syevj(void *s, int vectors, int upper, int n, void *a,    \
                         int lda, void *w, void *work, int count, int *info, \
                         void *how)
#define SYEVJ_BATCHED_ROOM(x)                                           \
    cusolverDn##x##syevjBatched_bufferSize(                             \
        void *s, int vectors, int upper, int n, const void *a, int lda, \
        const void *w, int *count, void *how, int batch)
#define SYEVJ_BATCHED(x)                                                \
    cusolverDn##x##syevjBatched(void *s, int vectors, int upper, int n, \
                                void *a, int lda, void *w, void *work,  \
                                int count, int *info, void *how, int batch)
#define GESVD_ROOM(x) \
    cusolverDn##x##gesvd_bufferSize(void *s, int m, int n, int *count)
#define GESVD(x)                                                               \
    cusolverDn##x##gesvd(void *s, signed char job_u, signed char job_v, int m, \
                         int n, void *a, int lda, void *w, void *u, int ldu,   \
                         void *v, int ldv, void *work, int count, void *more,  \
                         int *info)
#define GESVDJ_ROOM(x)                                                  \
    cusolverDn##x##gesvdj_bufferSize(                                   \
        void *s, int vectors, int economy, int m, int n, const void *a, \
        int lda, const void *w, const void *u, int ldu, const void *v,  \
        int ldv, int *count, void *how)
#define GESVDJ(x)                                                             \
    cusolverDn##x##gesvdj(void *s, int vectors, int economy, int m, int n,    \
                          void *a, int lda, void *w, void *u, int ldu,        \
                          void *v, int ldv, void *work, int count, int *info, \
                          void *how)
#define GESVDJ_BATCHED_ROOM(x)                                         \
    cusolverDn##x##gesvdjBatched_bufferSize(                           \
        void *s, int vectors, int m, int n, const void *a, int lda,    \
        const void *w, const void *u, int ldu, const void *v, int ldv, \
        int *count, void *how, int batch)
#define GESVDJ_BATCHED(x)                                                     \
    cusolverDn##x##gesvdjBatched(void *s, int vectors, int m, int n, void *a, \
                                 int lda, void *w, void *u, int ldu, void *v, \
                                 int ldv, void *work, int count, int *info,   \
                                 void *how, int batch)
#define GESVDA_ROOM(x)                                                         \
    cusolverDn##x##gesvdaStridedBatched_bufferSize(                            \
        void *s, int vectors, int rank, int m, int n, const void *a, int lda,  \
        long long by_a, const void *w, long long by_w, const void *u, int ldu, \
        long long by_u, const void *v, int ldv, long long by_v, int *count,    \
        int batch)
#define GESVDA(x)                                                             \
    cusolverDn##x##gesvdaStridedBatched(                                      \
        void *s, int vectors, int rank, int m, int n, const void *a, int lda, \
        long long by_a, void *w, long long by_w, void *u, int ldu,            \
        long long by_u, void *v, int ldv, long long by_v, void *work,         \
        int count, int *info, double *norms, int batch)
#define SYTRF_ROOM(x)                                                 \
    cusolverDn##x##sytrf_bufferSize(void *s, int n, void *a, int lda, \
                                    int *count)
#define SYTRF(x)                                                      \
    cusolverDn##x##sytrf(void *s, int upper, int n, void *a, int lda, \
                         int *pivots, void *work, int count, int *info)
BOTH(SYTRF_ROOM);
BOTH(SYTRF);
int cusolverDnXsytrs_bufferSize(void *s, int upper, int64_t n, int64_t columns,
                                int type, const void *a, int64_t lda,
                                const int64_t *pivots, int type_b,
                                const void *b, int64_t ldb, size_t *device,
                                size_t *host);
int cusolverDnXsytrs(void *s, int upper, int64_t n, int64_t columns, int type,
                     const void *a, int64_t lda, const int64_t *pivots,
                     int type_b, void *b, int64_t ldb, void *on_device,
                     size_t device, void *on_host, size_t host, int *info);
BOTH(POTRF_ROOM);
BOTH(POTRF);
BOTH(POTRS);
BOTH(POTRI_ROOM);
BOTH(POTRI);
BOTH(POTRF_BATCHED);
BOTH(POTRS_BATCHED);
BOTH(GETRF_ROOM);
BOTH(GETRF);
BOTH(GETRS);
BOTH(GEQRF_ROOM);
BOTH(GEQRF);
BOTH(ORGQR_ROOM);
BOTH(ORGQR);
BOTH(ORMQR_ROOM);
BOTH(ORMQR);
BOTH(SYEVD_ROOM);
BOTH(SYEVD);
BOTH(SYEVJ_ROOM);
BOTH(SYEVJ);
BOTH(SYEVJ_BATCHED_ROOM);
BOTH(SYEVJ_BATCHED);
BOTH(GESVD_ROOM);
BOTH(GESVD);
BOTH(GESVDJ_ROOM);
BOTH(GESVDJ);
BOTH(GESVDJ_BATCHED_ROOM);
BOTH(GESVDJ_BATCHED);
BOTH(GESVDA_ROOM);
BOTH(GESVDA);
int cusolverDnCreateSyevjInfo(void **how);
int cusolverDnDestroySyevjInfo(void *how);
int cusolverDnXsyevjSetMaxSweeps(void *how, int sweeps);
int cusolverDnXsyevjSetTolerance(void *how, double tolerance);
int cusolverDnXsyevjGetSweeps(void *s, void *how, int *sweeps);
int cusolverDnXsyevjGetResidual(void *s, void *how, double *residual);
int cusolverDnCreateGesvdjInfo(void **how);
int cusolverDnDestroyGesvdjInfo(void *how);
int cusolverDnXgesvdjSetMaxSweeps(void *how, int sweeps);
int cusolverDnXgesvdjGetSweeps(void *s, void *how, int *sweeps);
/* Those of any type. */
int cusolverDnXpotrf_bufferSize(void *s, void *p, int upper, int64_t n,
                                int type, const void *a, int64_t lda,
                                int compute, size_t *device, size_t *host);
int cusolverDnXpotrf(void *s, void *p, int upper, int64_t n, int type, void *a,
                     int64_t lda, int compute, void *on_device, size_t device,
                     void *on_host, size_t host, int *info);
int cusolverDnXpotrs(void *s, void *p, int upper, int64_t n, int64_t columns,
                     int type, const void *a, int64_t lda, int type_b, void *b,
                     int64_t ldb, int *info);
int cusolverDnXgetrf_bufferSize(void *s, void *p, int64_t m, int64_t n,
                                int type, const void *a, int64_t lda,
                                int compute, size_t *device, size_t *host);
int cusolverDnXgetrf(void *s, void *p, int64_t m, int64_t n, int type, void *a,
                     int64_t lda, int64_t *pivots, int compute, void *on_device,
                     size_t device, void *on_host, size_t host, int *info);
int cusolverDnXgetrs(void *s, void *p, int op, int64_t n, int64_t columns,
                     int type, const void *a, int64_t lda,
                     const int64_t *pivots, int type_b, void *b, int64_t ldb,
                     int *info);
int cusolverDnXgeqrf_bufferSize(void *s, void *p, int64_t m, int64_t n,
                                int type, const void *a, int64_t lda,
                                int type_tau, const void *tau, int compute,
                                size_t *device, size_t *host);
int cusolverDnXgeqrf(void *s, void *p, int64_t m, int64_t n, int type, void *a,
                     int64_t lda, int type_tau, void *tau, int compute,
                     void *on_device, size_t device, void *on_host, size_t host,
                     int *info);
int cusolverDnXsyevd_bufferSize(void *s, void *p, int vectors, int upper,
                                int64_t n, int type, const void *a, int64_t lda,
                                int type_w, const void *w, int compute,
                                size_t *device, size_t *host);
int cusolverDnXsyevd(void *s, void *p, int vectors, int upper, int64_t n,
                     int type, void *a, int64_t lda, int type_w, void *w,
                     int compute, void *on_device, size_t device, void *on_host,
                     size_t host, int *info);
int cusolverDnXsyevBatched_bufferSize(void *s, void *p, int vectors, int upper,
                                      int64_t n, int type, const void *a,
                                      int64_t lda, int type_w, const void *w,
                                      int compute, size_t *device, size_t *host,
                                      int64_t batch);
int cusolverDnXsyevBatched(void *s, void *p, int vectors, int upper, int64_t n,
                           int type, void *a, int64_t lda, int type_w, void *w,
                           int compute, void *on_device, size_t device,
                           void *on_host, size_t host, int *info,
                           int64_t batch);
int cusolverDnXgesvd_bufferSize(void *s, void *p, signed char job_u,
                                signed char job_v, int64_t m, int64_t n,
                                int type, const void *a, int64_t lda,
                                int type_w, const void *w, int type_u,
                                const void *u, int64_t ldu, int type_v,
                                const void *v, int64_t ldv, int compute,
                                size_t *device, size_t *host);
int cusolverDnXgesvd(void *s, void *p, signed char job_u, signed char job_v,
                     int64_t m, int64_t n, int type, void *a, int64_t lda,
                     int type_w, void *w, int type_u, void *u, int64_t ldu,
                     int type_v, void *v, int64_t ldv, int compute,
                     void *on_device, size_t device, void *on_host, size_t host,
                     int *info);
/* What teg has not. */
int cusolverDnZpotrf(void *s, int upper, int n, void *a, int lda, void *work,
                     int count, int *info);
int cusolverDnDsygvd(void *s);
int cusolverSpCreate(void **s);

enum {
    NOT_INITIALIZED = 1,
    INVALID_VALUE = 3,
    NOT_SUPPORTED = 9,
    C_64F = 5,
};

static int *new_info(int count)
{
    int *info = room(sizeof(int) * count), wrong[16];

    memset(wrong, -1, sizeof wrong);
    cudaMemcpy(info, wrong, sizeof(int) * count, TO_DEVICE);
    return info;
}

/* ---- Cholesky ----------------------------------------------------------------------- */

static struct matrix positive(int m, int n)
{
    (void)m;
    return symmetric(n, 1.0);
}

/* The other triangle stays as it is. */
static int potrf_of(void *s, const struct type *t, int upper, int n)
{
    struct matrix a = positive(n, n), x = random_matrix(n, 3), e = identity(n);
    struct matrix factor, triangle, got, other, kept, solved;
    void *da = device_of(t, &a), *dx = device_of(t, &x), *work;
    int *info = new_info(1), count;

    OK(OF(t, cusolverDnSpotrf_bufferSize,
          cusolverDnDpotrf_bufferSize)(s, upper, n, da, ld_of(&a), &count));
    work = room(t->bytes * count);
    OK(OF(t, cusolverDnSpotrf, cusolverDnDpotrf)(s, upper, n, da, ld_of(&a),
                                                 work, count, info));
    SAME("info", int_at(info), 0);
    factor = back(t, da, n, n);
    triangle = triangle_of(&factor, upper, 0);
    got = multiply(&triangle, upper, &triangle, !upper);
    NEAR("L L'", apart(&got, &a), t->near);
    other = triangle_of(&factor, !upper, 0);
    kept = triangle_of(&a, !upper, 0);
    for (int i = 0; i < n; i++)
        *at(&other, i, i) = *at(&kept, i, i);
    NEAR("the other triangle", apart(&other, &kept), t->is_double ? 0 : 1e-7);
    OK(OF(t, cusolverDnSpotrs, cusolverDnDpotrs)(s, upper, n, 3, da, ld_of(&a),
                                                 dx, ld_of(&x), info));
    solved = back(t, dx, n, 3);
    got = multiply(&a, 0, &solved, 0);
    NEAR("A X", apart(&got, &x), t->near);

    OK(OF(t, cusolverDnSpotri_bufferSize,
          cusolverDnDpotri_bufferSize)(s, upper, n, da, ld_of(&a), &count));
    work = room(t->bytes * count);
    OK(OF(t, cusolverDnSpotri, cusolverDnDpotri)(s, upper, n, da, ld_of(&a),
                                                 work, count, info));
    factor = back(t, da, n, n);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < k; i++)
            *(upper ? at(&factor, k, i) : at(&factor, i, k)) =
                *(upper ? at(&factor, i, k) : at(&factor, k, i));
    got = multiply(&a, 0, &factor, 0);
    NEAR("A inverse(A)", apart(&got, &e), t->near);
    return 0;
}

static int xpotrf_of(void *s, const struct type *t, int upper, int n)
{
    struct matrix a = positive(n, n), x = random_matrix(n, 2), solved, got;
    void *da = device_of(t, &a), *dx = device_of(t, &x);
    int *info = new_info(1);
    size_t device, host;

    OK(cusolverDnXpotrf_bufferSize(s, NULL, upper, n, t->data, da, ld_of(&a),
                                   t->data, &device, &host));
    OK(cusolverDnXpotrf(s, NULL, upper, n, t->data, da, ld_of(&a), t->data,
                        room(device), device, NULL, host, info));
    OK(cusolverDnXpotrs(s, NULL, upper, n, 2, t->data, da, ld_of(&a), t->data,
                        dx, ld_of(&x), info));
    SAME("info", int_at(info), 0);
    solved = back(t, dx, n, 2);
    got = multiply(&a, 0, &solved, 0);
    NEAR("A X", apart(&got, &x), t->near);
    return 0;
}

static int cholesky(void *s)
{
    static const int sizes[] = {1, 5, 64, 65, 150};
    struct matrix bad = positive(80, 80);
    int *info = new_info(1);
    void *d;

    for (int i = 0; i < 4; i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            if (potrf_of(s, &types[i % 2], i / 2, sizes[k]) != 0 ||
                (k < 4 && xpotrf_of(s, &types[i % 2], i / 2, sizes[k]) != 0))
                return 1;
    for (int upper = 0; upper < 2; upper++)
        for (int place = 3; place < 80; place += 66) {
            *at(&bad, place, place) = -1;
            d = device_of(&types[1], &bad);
            OK(cusolverDnDpotrf(s, upper, 80, d, 83, NULL, 0, info));
            SAME("where it is not positive", int_at(info), place + 1);
            *at(&bad, place, place) = 80;
        }
    OK(cusolverDnDpotrf(s, 0, 0, NULL, 1, NULL, 0, info));
    SAME("info of nothing", int_at(info), 0);
    return 0;
}

static int potrf_batched_of(void *s, const struct type *t, int upper, int n)
{
    struct batch a = batch(t, n, n, positive);
    struct batch x = batch(t, n, 1, random_matrix);
    int *info = new_info(COUNT);

    OK(OF(t, cusolverDnSpotrfBatched,
          cusolverDnDpotrfBatched)(s, upper, n, a.pointers, a.ld, info, COUNT));
    OK(OF(t, cusolverDnSpotrsBatched,
          cusolverDnDpotrsBatched)(s, upper, n, 1, a.pointers, a.ld, x.pointers,
                                   x.ld, new_info(1), COUNT));
    for (int i = 0; i < COUNT; i++) {
        struct matrix factor = found(t, &a, i), solved = found(t, &x, i);
        struct matrix triangle = triangle_of(&factor, upper, 0);
        struct matrix got = multiply(&triangle, upper, &triangle, !upper);

        SAME("info", int_at(info + i), 0);
        NEAR("L L'", apart(&got, &a.of[i]), t->near);
        got = multiply(&a.of[i], 0, &solved, 0);
        NEAR("A x", apart(&got, &x.of[i]), t->near);
    }
    return 0;
}

static int cholesky_batched(void *s)
{
    static const int sizes[] = {1, 8, 33, 120}; /* the last in global memory */
    struct batch bad = batch(&types[0], 5, 5, random_matrix);
    int *info = new_info(COUNT);

    for (int i = 0; i < 4; i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            if ((sizes[k] < 100 || i == 1) &&
                potrf_batched_of(s, &types[i % 2], i / 2, sizes[k]) != 0)
                return 1;
    *at(&bad.of[2], 0, 0) = -1;
    bad.at = device(&types[0], bad.of, COUNT, bad.ld);
    bad.pointers = pointers(bad.at, sizeof(float) * 5 * bad.ld, COUNT);
    OK(cusolverDnSpotrfBatched(s, 0, 5, bad.pointers, bad.ld, info, COUNT));
    SAME("which is not positive", int_at(info + 2), 1);
    SAME("more than one column",
         cusolverDnSpotrsBatched(s, 0, 5, 2, bad.pointers, bad.ld, bad.pointers,
                                 bad.ld, info, COUNT),
         INVALID_VALUE);
    return 0;
}

/* ---- LU ------------------------------------------------------------------------------- */

/* Of an m x n matrix: whether L U has its rows as the pivots say, and no element of
 * L is larger than 1. */
static int lu_holds(const struct type *t, const struct matrix *a,
                    const struct matrix *factors, const int *pivots)
{
    const int least = a->m < a->n ? a->m : a->n;
    struct matrix l = columns_of(factors, least), u = transpose(factors), got;
    struct matrix rows = copy_of(a);

    u = columns_of(&u, least);
    u = transpose(&u);
    l = triangle_of(&l, 0, 1);
    u = triangle_of(&u, 1, 0);
    got = multiply(&l, 0, &u, 0);
    for (int k = 0; k < least && pivots != NULL; k++) {
        if (pivots[k] <= k || pivots[k] > a->m)
            return failed("a pivot", pivots[k], k + 1);
        for (int c = 0; c < a->n; c++) {
            double *p = at(&rows, k, c), *q = at(&rows, pivots[k] - 1, c);
            double x = *p;

            *p = *q;
            *q = x;
        }
    }
    for (int i = 0; i < l.m * l.n && pivots != NULL; i++)
        NEAR("L", fabs(l.x[i]), 1 + 1e-6);
    NEAR("L U", apart(&got, &rows), t->near);
    return 0;
}

static int getrf_of(void *s, const struct type *t, int m, int n)
{
    const int least = m < n ? m : n;
    struct matrix a = random_matrix(m, n), factors;
    void *da = device_of(t, &a), *work;
    int *pivots = room(sizeof(int) * least), *info = new_info(1), count;
    int *host = malloc(sizeof(int) * least);

    OK(OF(t, cusolverDnSgetrf_bufferSize,
          cusolverDnDgetrf_bufferSize)(s, m, n, da, ld_of(&a), &count));
    work = room(t->bytes * count);
    OK(OF(t, cusolverDnSgetrf, cusolverDnDgetrf)(s, m, n, da, ld_of(&a), work,
                                                 pivots, info));
    SAME("info", int_at(info), 0);
    cudaMemcpy(host, pivots, sizeof(int) * least, TO_HOST);
    factors = back(t, da, m, n);
    if (lu_holds(t, &a, &factors, host) != 0)
        return 1;
    for (int op = 0; op < 3 && m == n; op++) {
        struct matrix x = random_matrix(n, 4), solved, got;
        void *dx = device_of(t, &x);

        OK(OF(t, cusolverDnSgetrs, cusolverDnDgetrs)(
            s, op, n, 4, da, ld_of(&a), pivots, dx, ld_of(&x), info));
        solved = back(t, dx, n, 4);
        got = multiply(&a, op != 0, &solved, 0);
        NEAR("op(A) X", apart(&got, &x), 300 * t->near);
    }
    return 0;
}

static int xgetrf_of(void *s, const struct type *t, int n)
{
    struct matrix a = random_matrix(n, n), x = random_matrix(n, 2), solved, got;
    void *da = device_of(t, &a), *dx = device_of(t, &x);
    int64_t *pivots = room(sizeof(int64_t) * n);
    int *info = new_info(1);
    size_t device, host;

    OK(cusolverDnXgetrf_bufferSize(s, NULL, n, n, t->data, da, ld_of(&a),
                                   t->data, &device, &host));
    OK(cusolverDnXgetrf(s, NULL, n, n, t->data, da, ld_of(&a), pivots, t->data,
                        room(device), device, NULL, host, info));
    OK(cusolverDnXgetrs(s, NULL, 0, n, 2, t->data, da, ld_of(&a), pivots,
                        t->data, dx, ld_of(&x), info));
    solved = back(t, dx, n, 2);
    got = multiply(&a, 0, &solved, 0);
    NEAR("A X", apart(&got, &x), 300 * t->near);
    return 0;
}

static int lu(void *s)
{
    static const int sizes[][2] = {{1, 1},   {5, 5},   {33, 33}, {100, 100},
                                   {90, 40}, {40, 90}, {1, 9},   {9, 1}};
    const struct type *t = &types[1];
    struct matrix a = random_matrix(70, 70), factors;
    int *pivots = room(sizeof(int) * 70), *info = new_info(1);
    void *d;

    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            if (getrf_of(s, &types[i], sizes[k][0], sizes[k][1]) != 0 ||
                xgetrf_of(s, &types[i], sizes[k][0]) != 0)
                return 1;
    for (int i = 0; i < 70; i++) /* a column in the third panel */
        *at(&a, i, 66) = 0;
    d = device_of(t, &a);
    OK(cusolverDnDgetrf(s, 70, 70, d, 73, NULL, pivots, info));
    SAME("a pivot of 0", int_at(info), 67);
    for (int i = 0; i < 70; i++)
        *at(&a, i, i) += 70;
    d = device_of(t, &a);
    OK(cusolverDnDgetrf(s, 70, 70, d, 73, NULL, NULL, info));
    SAME("info", int_at(info), 0);
    factors = back(t, d, 70, 70);
    return lu_holds(t, &a, &factors, NULL);
}

/* ---- symmetric matrices ------------------------------------------------------------------ */

/* With rows whose own element is far too small to be a pivot. */
static int sytrf_of(void *s, const struct type *t, int upper, int n,
                    int has_pivots)
{
    struct matrix a = symmetric(n, has_pivots ? 0 : 1), x = random_matrix(n, 3);
    struct matrix half, solved, got;
    int *pivots = has_pivots ? room(sizeof(int) * n) : NULL, *info, count;
    int *host = malloc(sizeof(int) * n), twos = 0;
    int64_t *wide = malloc(sizeof(int64_t) * n), *on_device = NULL;
    size_t device_bytes, host_bytes;
    void *da, *dx = device_of(t, &x);

    for (int i = 0; i < n && has_pivots && n > 1; i++)
        *at(&a, i, i) = i % 4 ? 0 : 2;
    half = triangle_of(&a, upper, 0);
    da = device_of(t, &half);
    info = new_info(1);
    OK(OF(t, cusolverDnSsytrf_bufferSize,
          cusolverDnDsytrf_bufferSize)(s, n, da, ld_of(&a), &count));
    OK(OF(t, cusolverDnSsytrf, cusolverDnDsytrf)(s, upper, n, da, ld_of(&a),
                                                 pivots, room(t->bytes * count),
                                                 count, info));
    SAME("info", int_at(info), 0);
    if (has_pivots) {
        cudaMemcpy(host, pivots, sizeof(int) * n, TO_HOST);
        for (int i = 0; i < n; i++) {
            wide[i] = host[i];
            twos += host[i] < 0;
        }
        if (n > 4 && (twos == 0 || twos % 2 != 0))
            return failed("pivots of two rows", twos, 2);
        on_device = room(sizeof(int64_t) * n);
        cudaMemcpy(on_device, wide, sizeof(int64_t) * n, TO_DEVICE);
    }
    OK(cusolverDnXsytrs_bufferSize(s, upper, n, 3, t->data, da, ld_of(&a),
                                   on_device, t->data, dx, ld_of(&x),
                                   &device_bytes, &host_bytes));
    OK(cusolverDnXsytrs(s, upper, n, 3, t->data, da, ld_of(&a), on_device,
                        t->data, dx, ld_of(&x), room(device_bytes),
                        device_bytes, NULL, host_bytes, info));
    solved = back(t, dx, n, 3);
    got = multiply(&a, 0, &solved, 0);
    NEAR("A X", apart(&got, &x), 300 * t->near);
    return 0;
}

static int symmetric_systems(void *s)
{
    static const int sizes[] = {1, 2, 9, 75};
    struct matrix zeros = matrix(5, 5);
    int *pivots = room(sizeof(int) * 5), *info = new_info(1);

    for (int i = 0; i < 8; i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            if (sytrf_of(s, &types[i % 2], i / 2 % 2, sizes[k], i / 4) != 0)
                return 1;
    for (int upper = 0; upper < 2; upper++) { /* LAPACK's U begins at its end */
        void *d = device_of(&types[0], &zeros);

        OK(cusolverDnSsytrf(s, upper, 5, d, 8, pivots, NULL, 0, info));
        SAME("a pivot of 0", int_at(info), upper ? 5 : 1);
    }
    return 0;
}

/* ---- QR -------------------------------------------------------------------------------- */

static int qr_of(void *s, const struct type *t, int m, int n, int any)
{
    const int k = m < n ? m : n;
    struct matrix a = random_matrix(m, n), tau = matrix(k, 1), factors, r, got;
    struct matrix full, part;
    void *da = device_of(t, &a), *dtau = device_of(t, &tau), *work, *dq;
    int *info = new_info(1), count;
    size_t device_bytes, host_bytes;

    if (any) {
        OK(cusolverDnXgeqrf_bufferSize(s, NULL, m, n, t->data, da, ld_of(&a),
                                       t->data, dtau, t->data, &device_bytes,
                                       &host_bytes));
        OK(cusolverDnXgeqrf(s, NULL, m, n, t->data, da, ld_of(&a), t->data,
                            dtau, t->data, room(device_bytes), device_bytes,
                            NULL, host_bytes, info));
    } else {
        OK(OF(t, cusolverDnSgeqrf_bufferSize,
              cusolverDnDgeqrf_bufferSize)(s, m, n, da, ld_of(&a), &count));
        work = room(t->bytes * count);
        OK(OF(t, cusolverDnSgeqrf, cusolverDnDgeqrf)(s, m, n, da, ld_of(&a),
                                                     dtau, work, count, info));
    }
    SAME("info", int_at(info), 0);
    factors = back(t, da, m, n);
    r = triangle_of(&factors, 1, 0);

    /* all of Q, of which the first columns are what is made for fewer */
    full = matrix(m, m);
    memcpy(full.x, factors.x, sizeof(double) * m * k);
    dq = device_of(t, &full);
    OK(OF(t, cusolverDnSorgqr_bufferSize, cusolverDnDorgqr_bufferSize)(
        s, m, m, k, dq, ld_of(&full), dtau, &count));
    work = room(t->bytes * count);
    OK(OF(t, cusolverDnSorgqr, cusolverDnDorgqr)(s, m, m, k, dq, ld_of(&full),
                                                 dtau, work, count, info));
    full = back(t, dq, m, m);
    NEAR("Q' Q", askew(&full), t->near);
    got = multiply(&full, 0, &r, 0);
    NEAR("Q R", apart(&got, &a), t->near);
    part = columns_of(&factors, k);
    dq = device_of(t, &part);
    OK(OF(t, cusolverDnSorgqr, cusolverDnDorgqr)(s, m, k, k, dq, ld_of(&part),
                                                 dtau, work, count, info));
    part = back(t, dq, m, k);
    got = columns_of(&full, k);
    NEAR("Q of fewer columns", apart(&part, &got), t->near);

    for (int i = 0; i < 4; i++) {
        const int side = i % 2, op = i / 2;
        struct matrix c = side ? random_matrix(7, m) : random_matrix(m, 7);
        struct matrix want =
            side ? multiply(&c, 0, &full, op) : multiply(&full, op, &c, 0);
        void *dc = device_of(t, &c);

        OK(OF(t, cusolverDnSormqr_bufferSize, cusolverDnDormqr_bufferSize)(
            s, side, op, c.m, c.n, k, da, ld_of(&a), dtau, dc, ld_of(&c),
            &count));
        work = room(t->bytes * count);
        OK(OF(t, cusolverDnSormqr,
              cusolverDnDormqr)(s, side, op, c.m, c.n, k, da, ld_of(&a), dtau,
                                dc, ld_of(&c), work, count, info));
        got = back(t, dc, c.m, c.n);
        NEAR("op(Q) C", apart(&got, &want), t->near);
    }
    return 0;
}

static int qr(void *s)
{
    static const int sizes[][2] = {{1, 1},   {6, 6}, {40, 40}, {100, 70},
                                   {45, 80}, {1, 5}, {5, 1}};
    int *info = new_info(1), count;
    void *d = room(4096);

    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            if (qr_of(s, &types[i], sizes[k][0], sizes[k][1], k % 2) != 0)
                return 1;
    SAME("more columns than rows",
         cusolverDnSorgqr_bufferSize(s, 3, 4, 3, d, 3, d, &count),
         INVALID_VALUE);
    OK(cusolverDnSgeqrf_bufferSize(s, 30, 30, d, 30, &count));
    SAME("not enough room",
         cusolverDnSgeqrf(s, 30, 30, d, 30, d, d, count - 1, info),
         INVALID_VALUE);
    return 0;
}

/* ---- eigenvalues --------------------------------------------------------------------- */

/* A V = V W, V at right angles, W in order. */
static int eigen_holds(const struct type *t, const struct matrix *a,
                       const struct matrix *w, const struct matrix *v)
{
    struct matrix got = multiply(a, 0, v, 0), want = copy_of(v);

    for (int k = 0; k < v->n; k++)
        for (int i = 0; i < v->m; i++)
            *at(&want, i, k) *= w->x[k];
    for (int i = 1; i < w->m; i++)
        NEAR("values in order", w->x[i - 1], w->x[i]);
    NEAR("A V", apart(&got, &want), 3 * t->near);
    NEAR("V' V", askew(v), 3 * t->near);
    return 0;
}

static int same_values(const struct type *t, const struct matrix *a,
                       const struct matrix *b)
{
    NEAR("values", apart(a, b), 3 * t->near);
    return 0;
}

enum way {
    SYEVD,
    SYEVJ,
    XSYEVD,
    WAYS,
};

/* Values into `w`, for which `n` numbers of the type are read. */
static int run_eigen(void *s, enum way way, const struct type *t, int vectors,
                     int upper, int n, void *da, int ld, void *dw)
{
    int *info = new_info(1), count;
    size_t device, host;
    void *how;

    OK(cusolverDnCreateSyevjInfo(&how));
    switch (way) {
    case SYEVD:
        OK(OF(t, cusolverDnSsyevd_bufferSize, cusolverDnDsyevd_bufferSize)(
            s, vectors, upper, n, da, ld, dw, &count));
        OK(OF(t, cusolverDnSsyevd,
              cusolverDnDsyevd)(s, vectors, upper, n, da, ld, dw,
                                room(t->bytes * count), count, info));
        break;
    case SYEVJ:
        OK(OF(t, cusolverDnSsyevj_bufferSize, cusolverDnDsyevj_bufferSize)(
            s, vectors, upper, n, da, ld, dw, &count, how));
        OK(OF(t, cusolverDnSsyevj,
              cusolverDnDsyevj)(s, vectors, upper, n, da, ld, dw,
                                room(t->bytes * count), count, info, how));
        break;
    default:
        OK(cusolverDnXsyevd_bufferSize(s, NULL, vectors, upper, n, t->data, da,
                                       ld, t->data, dw, t->data, &device,
                                       &host));
        OK(cusolverDnXsyevd(s, NULL, vectors, upper, n, t->data, da, ld,
                            t->data, dw, t->data, room(device), device, NULL,
                            host, info));
    }
    SAME("info", int_at(info), 0);
    OK(cusolverDnDestroySyevjInfo(how));
    return 0;
}

static int eigen_by(void *s, enum way way, const struct type *t, int n,
                    struct matrix (*make)(int, int))
{
    for (int upper = 0; upper < 2; upper++) {
        struct matrix a = make(n, n), w = matrix(n, 1), v;
        struct matrix half = triangle_of(&a, upper, 0), alone;
        void *da, *dw = device(t, &w, 1, n);

        for (int i = 0; i < n * n; i++) /* what must not be looked at */
            if (upper ? i % n > i / n : i % n < i / n)
                half.x[i] = 1000;
        da = device_of(t, &half);
        if (run_eigen(s, way, t, 1, upper, n, da, ld_of(&a), dw) != 0)
            return 1;
        v = back(t, da, n, n);
        w = from_device(t, dw, n, 1, n, 0);
        if (eigen_holds(t, &a, &w, &v) != 0)
            return 1;
        da = device_of(t, &half);
        if (run_eigen(s, way, t, 0, upper, n, da, ld_of(&a), dw) != 0)
            return 1;
        alone = from_device(t, dw, n, 1, n, 0);
        if (same_values(t, &alone, &w) != 0)
            return 1;
    }
    return 0;
}

/* By all ways, but for what takes seconds here. */
static int eigen_of(void *s, const struct type *t, int n,
                    struct matrix (*make)(int, int))
{
    for (int way = 0; way < WAYS; way++)
        if (n < 40 || way == SYEVD) {
            if (eigen_by(s, way, t, n, make) != 0)
                return 1;
        }
    return 0;
}

static struct matrix plain_symmetric(int m, int n)
{
    (void)m;
    return symmetric(n, 0);
}

/* All values but one are 0. */
static struct matrix of_ones(int m, int n)
{
    struct matrix a = matrix(m, n);

    for (int i = 0; i < m * n; i++)
        a.x[i] = 1;
    return a;
}

/* It is diagonal already, with equal values. */
static struct matrix diagonal(int m, int n)
{
    struct matrix a = matrix(m, n);

    for (int i = 0; i < m && i < n; i++)
        *at(&a, i, i) = i % 3;
    return a;
}

static int eigen(void *s)
{
    for (int i = 0; i < 2; i++) {
        const struct type *t = &types[i];

        if (eigen_of(s, t, 1, plain_symmetric) != 0 ||
            eigen_of(s, t, 2, plain_symmetric) != 0 ||
            eigen_of(s, t, 19, plain_symmetric) != 0 ||
            eigen_of(s, t, i == 0 ? 70 : 130, plain_symmetric) != 0 ||
            eigen_of(s, t, 20, of_ones) != 0 ||
            eigen_of(s, t, 12, diagonal) != 0)
            return 1;
    }
    return 0;
}

static int eigen_batched(void *s)
{
    static const int sizes[] = {1, 6, 32, 55}; /* the last in global memory */
    double residual;
    void *how;
    int sweeps;

    OK(cusolverDnCreateSyevjInfo(&how));
    for (int i = 0; i < 4 * 2 * 2; i++) {
        const struct type *t = &types[i % 2];
        const int n = sizes[i / 4], any = i / 2 % 2;

        if (n > 32 && (any || !t->is_double))
            continue; /* once: it takes a second here */
        struct batch a = batch(t, n, n, plain_symmetric);
        void *dw = room(t->bytes * n * COUNT);
        int *info = new_info(COUNT), count;
        size_t device, host;

        if (any) {
            OK(cusolverDnXsyevBatched_bufferSize(
                s, NULL, 1, 0, n, t->data, a.at, a.ld, t->data, dw, t->data,
                &device, &host, COUNT));
            OK(cusolverDnXsyevBatched(s, NULL, 1, 0, n, t->data, a.at, a.ld,
                                      t->data, dw, t->data, room(device),
                                      device, NULL, host, info, COUNT));
        } else {
            OK(OF(t, cusolverDnSsyevjBatched_bufferSize,
                  cusolverDnDsyevjBatched_bufferSize)(s, 1, 0, n, a.at, a.ld,
                                                      dw, &count, how, COUNT));
            OK(OF(t, cusolverDnSsyevjBatched, cusolverDnDsyevjBatched)(
                s, 1, 0, n, a.at, a.ld, dw, room(t->bytes * count), count, info,
                how, COUNT));
        }
        for (int k = 0; k < COUNT; k++) {
            struct matrix v = found(t, &a, k);
            struct matrix w = from_device(t, dw, n, 1, n, k);

            SAME("info", int_at(info + k), 0);
            if (eigen_holds(t, &a.of[k], &w, &v) != 0)
                return 1;
        }
    }
    for (int i = 0; i < 2; i++) { /* one sweep is not enough */
        struct batch a = batch(&types[1], 30, 30, plain_symmetric);
        void *dw = room(sizeof(double) * 30);
        int *info = new_info(1), count;

        OK(cusolverDnXsyevjSetMaxSweeps(how, i == 0 ? 1 : 50));
        OK(cusolverDnDsyevj_bufferSize(s, 1, 0, 30, a.at, a.ld, dw, &count,
                                       how));
        OK(cusolverDnDsyevj(s, 1, 0, 30, a.at, a.ld, dw,
                            room(sizeof(double) * count), count, info, how));
        SAME("info", int_at(info), i == 0 ? 31 : 0);
        OK(cusolverDnXsyevjGetSweeps(s, how, &sweeps));
        OK(cusolverDnXsyevjGetResidual(s, how, &residual));
        NEAR("sweeps", sweeps, i == 0 ? 1 : 12);
        NEAR("what is left", i == 0 ? -residual : residual,
             i == 0 ? -1e-3 : 1e-12);
    }
    OK(cusolverDnDestroySyevjInfo(how));
    return 0;
}

/* ---- singular values ---------------------------------------------------------------------- */

/* A = U S V', both at right angles, S in order; U and V may be whole. */
static int svd_holds(const struct type *t, const struct matrix *a,
                     const struct matrix *w, const struct matrix *u,
                     const struct matrix *v)
{
    struct matrix left = columns_of(u, w->m), right = columns_of(v, w->m), got;

    for (int k = 0; k < w->m; k++)
        for (int i = 0; i < left.m; i++)
            *at(&left, i, k) *= w->x[k];
    got = multiply(&left, 0, &right, 1);
    for (int i = 1; i < w->m; i++)
        NEAR("values in order", w->x[i], w->x[i - 1]);
    NEAR("U S V'", apart(&got, a), 3 * t->near);
    NEAR("U' U", askew(u), 3 * t->near);
    NEAR("V' V", askew(v), 3 * t->near);
    return 0;
}

static int gesvdj_of(void *s, const struct type *t, int economy, int m, int n,
                     struct matrix (*make)(int, int))
{
    const int least = m < n ? m : n;
    struct matrix a = make(m, n), w = matrix(least, 1), alone;
    struct matrix u = matrix(m, economy ? least : m);
    struct matrix v = matrix(n, economy ? least : n);
    void *da = device_of(t, &a), *dw = room(t->bytes * least), *how;
    void *du = device_of(t, &u), *dv = device_of(t, &v);
    int *info = new_info(1), count;

    OK(cusolverDnCreateGesvdjInfo(&how));
    OK(OF(t, cusolverDnSgesvdj_bufferSize, cusolverDnDgesvdj_bufferSize)(
        s, 1, economy, m, n, da, ld_of(&a), dw, du, ld_of(&u), dv, ld_of(&v),
        &count, how));
    OK(OF(t, cusolverDnSgesvdj, cusolverDnDgesvdj)(
        s, 1, economy, m, n, da, ld_of(&a), dw, du, ld_of(&u), dv, ld_of(&v),
        room(t->bytes * count), count, info, how));
    SAME("info", int_at(info), 0);
    w = from_device(t, dw, least, 1, least, 0);
    u = back(t, du, u.m, u.n);
    v = back(t, dv, v.m, v.n);
    if (svd_holds(t, &a, &w, &u, &v) != 0)
        return 1;
    da = device_of(t, &a);
    OK(OF(t, cusolverDnSgesvdj, cusolverDnDgesvdj)(
        s, 0, economy, m, n, da, ld_of(&a), dw, NULL, ld_of(&u), NULL,
        ld_of(&v), room(t->bytes * count), count, info, how));
    alone = from_device(t, dw, least, 1, least, 0);
    OK(cusolverDnDestroyGesvdjInfo(how));
    return same_values(t, &alone, &w);
}

static int gesvd_of(void *s, const struct type *t, int all, int m, int n)
{
    struct matrix a = random_matrix(m, n), w, v = matrix(n, n);
    struct matrix u = matrix(m, all ? m : n);
    void *da = device_of(t, &a), *dw = room(t->bytes * n);
    void *du = device_of(t, &u), *dv = device_of(t, &v);
    const signed char job = all ? 'A' : 'S';
    int *info = new_info(1), count;
    size_t device, host;

    if (all) {
        OK(cusolverDnXgesvd_bufferSize(s, NULL, job, job, m, n, t->data, da,
                                       ld_of(&a), t->data, dw, t->data, du,
                                       ld_of(&u), t->data, dv, ld_of(&v),
                                       t->data, &device, &host));
        OK(cusolverDnXgesvd(s, NULL, job, job, m, n, t->data, da, ld_of(&a),
                            t->data, dw, t->data, du, ld_of(&u), t->data, dv,
                            ld_of(&v), t->data, room(device), device, NULL,
                            host, info));
    } else {
        OK(OF(t, cusolverDnSgesvd_bufferSize,
              cusolverDnDgesvd_bufferSize)(s, m, n, &count));
        OK(OF(t, cusolverDnSgesvd, cusolverDnDgesvd)(
            s, job, job, m, n, da, ld_of(&a), dw, du, ld_of(&u), dv, ld_of(&v),
            room(t->bytes * count), count, NULL, info));
    }
    SAME("info", int_at(info), 0);
    w = from_device(t, dw, n, 1, n, 0);
    u = back(t, du, u.m, u.n);
    v = back(t, dv, n, n);
    v = transpose(&v);
    return svd_holds(t, &a, &w, &u, &v);
}

/* The vectors of one side where A was. */
static int gesvd_in_place(void *s, const struct type *t, int m, int n,
                          int is_left)
{
    struct matrix a = random_matrix(m, n), w, u = matrix(m, n);
    struct matrix v = matrix(n, n);
    void *da = device_of(t, &a), *dw = room(t->bytes * n);
    void *du = device_of(t, &u), *dv = device_of(t, &v);
    int *info = new_info(1), count;

    OK(OF(t, cusolverDnSgesvd_bufferSize, cusolverDnDgesvd_bufferSize)(s, m, n,
                                                                       &count));
    OK(OF(t, cusolverDnSgesvd,
          cusolverDnDgesvd)(s, is_left ? 'O' : 'S', is_left ? 'S' : 'O', m, n,
                            da, ld_of(&a), dw, du, ld_of(&u), dv, ld_of(&v),
                            room(t->bytes * count), count, NULL, info));
    w = from_device(t, dw, n, 1, n, 0);
    u = back(t, is_left ? da : du, m, n);
    v = from_device(t, is_left ? dv : da, is_left ? n : m, n,
                    is_left ? ld_of(&v) : ld_of(&a), 0);
    v = transpose(&v);
    v = columns_of(&v, n);
    return svd_holds(t, &a, &w, &u, &v);
}

/* Of half its rank. */
static struct matrix thin(int m, int n)
{
    const int rank = (m < n ? m : n) / 2 + 1;
    struct matrix x = random_matrix(m, rank), y = random_matrix(rank, n);
    struct matrix a = multiply(&x, 0, &y, 0);

    for (int i = 0; i < m * n; i++)
        a.x[i] = (float)a.x[i];
    return a;
}

static int singular(void *s)
{
    static const int sizes[][2] = {{1, 1}, {7, 7}, {20, 9}, {9, 20}, {130, 65}};

    for (int i = 0; i < 4; i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            const struct type *t = &types[i % 2];
            const int m = sizes[k][0], n = sizes[k][1];

            if (k == 4 && i != 1)
                continue; /* a second each */
            if (gesvdj_of(s, t, i / 2, m, n, random_matrix) != 0 ||
                (m >= n && k < 4 && gesvd_of(s, t, i / 2, m, n) != 0) ||
                (m >= n && k < 4 && gesvd_in_place(s, t, m, n, i / 2) != 0))
                return 1;
            if (k == 2 && gesvdj_of(s, t, i / 2, m, n, thin) != 0)
                return 1;
            if (k == 3 && gesvdj_of(s, t, i / 2, m, n, matrix) != 0)
                return 1;
        }
    return 0;
}

static int singular_batched(void *s)
{
    void *how;

    OK(cusolverDnCreateGesvdjInfo(&how));
    for (int i = 0; i < 4; i++) {
        const struct type *t = &types[i % 2];
        const int m = i < 2 ? 9 : 14, n = i < 2 ? 14 : 9, least = 9, rank = 4;
        struct batch a = batch(t, m, n, random_matrix);
        struct batch u = batch(t, m, m, random_matrix);
        struct batch v = batch(t, n, n, random_matrix);
        void *dw = room(t->bytes * least * COUNT);
        int *info = new_info(COUNT), count;
        double norms[COUNT];

        OK(OF(t, cusolverDnSgesvdjBatched_bufferSize,
              cusolverDnDgesvdjBatched_bufferSize)(s, 1, m, n, a.at, a.ld, dw,
                                                   u.at, u.ld, v.at, v.ld,
                                                   &count, how, COUNT));
        OK(OF(t, cusolverDnSgesvdjBatched, cusolverDnDgesvdjBatched)(
            s, 1, m, n, a.at, a.ld, dw, u.at, u.ld, v.at, v.ld,
            room(t->bytes * count), count, info, how, COUNT));
        for (int k = 0; k < COUNT; k++) {
            struct matrix w = from_device(t, dw, least, 1, least, k);
            struct matrix left = found(t, &u, k), right = found(t, &v, k);

            SAME("info", int_at(info + k), 0);
            if (svd_holds(t, &a.of[k], &w, &left, &right) != 0)
                return 1;
        }
        /* the first values: what is left of A are the others */
        OK(OF(t, cusolverDnSgesvdaStridedBatched_bufferSize,
              cusolverDnDgesvdaStridedBatched_bufferSize)(
            s, 1, rank, m, n, a.at, a.ld, (long long)a.ld * n, dw, rank, u.at,
            u.ld, (long long)u.ld * m, v.at, v.ld, (long long)v.ld * n, &count,
            COUNT));
        {
            void *few = room(t->bytes * rank * COUNT);

            OK(OF(t, cusolverDnSgesvdaStridedBatched,
                  cusolverDnDgesvdaStridedBatched)(
                s, 1, rank, m, n, a.at, a.ld, (long long)a.ld * n, few, rank,
                u.at, u.ld, (long long)u.ld * m, v.at, v.ld,
                (long long)v.ld * n, room(t->bytes * count), count, info, norms,
                COUNT));
            for (int k = 0; k < COUNT; k++) {
                struct matrix w = from_device(t, dw, least, 1, least, k);
                struct matrix x = from_device(t, few, rank, 1, rank, k);
                double rest = 0;

                for (int j = rank; j < least; j++)
                    rest += w.x[j] * w.x[j];
                NEAR("what is left", fabs(norms[k] - sqrt(rest)), 3 * t->near);
                w.m = rank;
                if (same_values(t, &x, &w) != 0)
                    return 1;
            }
        }
    }
    OK(cusolverDnDestroyGesvdjInfo(how));
    return 0;
}

/* ---- handles, refusals -------------------------------------------------------------------- */

static int handles(void *s)
{
    const struct type *t = &types[1];
    struct matrix a = positive(70, 70), factor, triangle, got;
    int *info = new_info(1), version, part, mode;
    void *da = device_of(t, &a), *stream, *is, *graph, *exec, *params;

    OK(cusolverGetVersion(&version));
    OK(cusolverGetProperty(0, &part));
    SAME("a part of the version", part, version / 1000);
    OK(cusolverDnCreateParams(&params));
    OK(cusolverDnSetAdvOptions(params, 0, 0));
    OK(cusolverDnDestroyParams(params));
    OK(cusolverDnSetDeterministicMode(s, 2));
    OK(cusolverDnGetDeterministicMode(s, &mode));
    SAME("a mode", mode, 2);
    OK(cudaStreamCreate(&stream));
    OK(cusolverDnSetStream(s, stream));
    OK(cusolverDnGetStream(s, &is));
    SAME("a stream", is == stream, 1);
    /* captured, it runs when its graph does */
    OK(cudaStreamBeginCapture(stream, 0));
    OK(cusolverDnDpotrf(s, 0, 70, da, ld_of(&a), NULL, 0, info));
    OK(cudaStreamEndCapture(stream, &graph));
    factor = back(t, da, 70, 70);
    NEAR("nothing has run", apart(&factor, &a), 0);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    factor = back(t, da, 70, 70);
    triangle = triangle_of(&factor, 0, 0);
    got = multiply(&triangle, 0, &triangle, 1);
    NEAR("L L'", apart(&got, &a), t->near);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cusolverDnSetStream(s, NULL));
    OK(cudaStreamDestroy(stream));
    return 0;
}

static int refusals(void *s)
{
    void *d = room(1 << 12), *sp;
    int *info = new_info(1), count;
    size_t device, host;

    SAME("no handle", cusolverDnSpotrf(NULL, 0, 4, d, 4, d, 1, info),
         NOT_INITIALIZED);
    SAME("a triangle", cusolverDnSpotrf(s, 2, 4, d, 4, d, 1, info),
         INVALID_VALUE);
    SAME("a size", cusolverDnSgetrf(s, -1, 4, d, 4, d, NULL, info),
         INVALID_VALUE);
    SAME("columns too short", cusolverDnSgetrf(s, 5, 4, d, 4, d, NULL, info),
         INVALID_VALUE);
    SAME("an operation", cusolverDnSgetrs(s, 3, 4, 1, d, 4, NULL, d, 4, info),
         INVALID_VALUE);
    SAME("a side",
         cusolverDnSormqr(s, 2, 0, 4, 4, 4, d, 4, d, d, 4, d, 1, info),
         INVALID_VALUE);
    SAME("nowhere to say it",
         cusolverDnSsyevd_bufferSize(s, 1, 0, 4, d, 4, d, NULL), INVALID_VALUE);
    SAME("no parameters",
         cusolverDnSsyevj_bufferSize(s, 1, 0, 4, d, 4, d, &count, NULL),
         INVALID_VALUE);
    SAME("wider than high", cusolverDnSgesvd_bufferSize(s, 4, 5, &count),
         INVALID_VALUE);
    SAME("another type",
         cusolverDnXpotrf_bufferSize(s, NULL, 0, 4, C_64F, d, 4, C_64F, &device,
                                     &host),
         NOT_SUPPORTED);
    OK(cusolverDnSgesvd_bufferSize(s, 5, 4, &count));
    SAME("both in A's place",
         cusolverDnSgesvd(s, 'O', 'O', 5, 4, d, 5, d, d, 5, d, 4,
                          room(4 * count), count, NULL, info),
         INVALID_VALUE);
    SAME("other vectors",
         cusolverDnSgesvd(s, 'X', 'S', 5, 4, d, 5, d, d, 5, d, 4,
                          room(4 * count), count, NULL, info),
         INVALID_VALUE);
    SAME("complex numbers", cusolverDnZpotrf(s, 0, 4, d, 4, d, 1, info),
         NOT_SUPPORTED);
    SAME("what teg has not", cusolverDnDsygvd(s), NOT_SUPPORTED);
    SAME("sparse systems", cusolverSpCreate(&sp), NOT_SUPPORTED);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*test)(void *);
    } tests[] = {
        {"cholesky", cholesky},
        {"cholesky_batched", cholesky_batched},
        {"lu", lu},
        {"symmetric_systems", symmetric_systems},
        {"qr", qr},
        {"eigen", eigen},
        {"eigen_batched", eigen_batched},
        {"singular", singular},
        {"singular_batched", singular_batched},
        {"handles", handles},
        {"refusals", refusals},
    };
    void *s;
    int status;

    if (cusolverDnCreate(&s) != 0)
        return failed("cusolverDnCreate", 1, 0);
    for (size_t i = 0; argc > 1 && i < sizeof tests / sizeof tests[0]; i++) {
        if (strcmp(argv[1], tests[i].name) == 0) {
            status = tests[i].test(s);
            return status != 0 || cudaDeviceSynchronize() != 0 ||
                   cusolverDnDestroy(s) != 0;
        }
    }
    return 2;
}
