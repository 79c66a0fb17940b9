/*
 * A program that calls what cuBLAS has for systems of equations, linked with a
 * library of its name whose functions all fail: what it computes is teg's
 * (tests/cli/cublas_systems.sh).  Argument: which test; the exit status is 0 if
 * it holds.
 */
#include "tests/cli/algebra.h"

/* The API's, of which only what is needed. */
int cublasCreate_v2(void **b);
int cublasDestroy_v2(void *b);
int cublasSetPointerMode_v2(void *b, int mode);
int cublasSetMathMode(void *b, int mode);
#define TRSM(name)                                                         \
    int name(void *b, int side, int upper, int op, int unit, int m, int n, \
             const void *alpha, const void *a, int lda, void *x, int ldx)
TRSM(cublasStrsm_v2);
TRSM(cublasDtrsm_v2);
#define TRSM_BATCHED(name)                                                 \
    int name(void *b, int side, int upper, int op, int unit, int m, int n, \
             const void *alpha, const void *a, int lda, void *x, int ldx,  \
             int count)
TRSM_BATCHED(cublasStrsmBatched);
TRSM_BATCHED(cublasDtrsmBatched);
#define SYRK(name)                                                        \
    int name(void *b, int upper, int op, int n, int k, const void *alpha, \
             const void *a, int lda, const void *beta, void *c, int ldc)
SYRK(cublasSsyrk_v2);
SYRK(cublasDsyrk_v2);
#define GETRF(name)                                                    \
    int name(void *b, int n, void *a, int lda, int *pivots, int *info, \
             int count)
GETRF(cublasSgetrfBatched);
GETRF(cublasDgetrfBatched);
#define GETRI(name)                                                     \
    int name(void *b, int n, const void *a, int lda, const int *pivots, \
             void *c, int ldc, int *info, int count)
GETRI(cublasSgetriBatched);
GETRI(cublasDgetriBatched);
#define GETRS(name)                                                       \
    int name(void *b, int op, int n, int columns, const void *a, int lda, \
             const int *pivots, void *x, int ldx, int *info, int count)
GETRS(cublasSgetrsBatched);
GETRS(cublasDgetrsBatched);
#define GEQRF(name)                                                         \
    int name(void *b, int m, int n, void *a, int lda, void *tau, int *info, \
             int count)
GEQRF(cublasSgeqrfBatched);
GEQRF(cublasDgeqrfBatched);
#define GELS(name)                                                         \
    int name(void *b, int op, int m, int n, int columns, void *a, int lda, \
             void *c, int ldc, int *info, int *device_info, int count)
GELS(cublasSgelsBatched);
GELS(cublasDgelsBatched);

enum {
    NOT_INITIALIZED = 1,
    INVALID_VALUE = 7,
    NOT_SUPPORTED = 15,
};

/* A number as a type has it. */
union scale {
    double d;
    float f;
};
static union scale scale(const struct type *t, double x)
{
    return t->is_double ? (union scale){.d = x} : (union scale){.f = (float)x};
}

/* ---- triangles --------------------------------------------------------------------- */

/* op(T) X or X op(T), which has to be alpha B. */
static struct matrix product_of(const struct matrix *t, const struct matrix *x,
                                int side, int op)
{
    return side == 0 ? multiply(t, op, x, 0) : multiply(x, 0, t, op);
}

static int one_triangle(void *b, const struct type *t, int side, int upper,
                        int op, int unit, int m, int n)
{
    const union scale alpha = scale(t, 0.5);
    const int order = side == 0 ? m : n;
    struct matrix a = symmetric(order, 0.1), x = random_matrix(m, n), got, of;
    struct matrix triangle = triangle_of(&a, upper, unit), solved;
    void *da, *dx;

    if (unit) /* else numbers grow without end */
        for (int i = 0; i < order * order; i++)
            a.x[i] = (float)(a.x[i] / order);
    triangle = triangle_of(&a, upper, unit);
    da = device_of(t, &a);
    dx = device_of(t, &x);
    OK(OF(t, cublasStrsm_v2, cublasDtrsm_v2)(
        b, side, upper, op, unit, m, n, &alpha, da, ld_of(&a), dx, ld_of(&x)));
    solved = back(t, dx, m, n);
    got = product_of(&triangle, &solved, side, op != 0);
    of = copy_of(&x);
    for (int i = 0; i < m * n; i++)
        of.x[i] *= 0.5;
    NEAR("trsm", apart(&got, &of), 10 * t->near);
    return 0;
}

static int triangles(void *b)
{
    static const int sizes[][2] = {{1, 1}, {5, 40}, {70, 3}, {33, 65}};

    for (int i = 0; i < 2 * 2 * 2 * 3 * 2; i++) {
        const struct type *t = &types[i % 2];

        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
            if (one_triangle(b, t, i / 2 % 2, i / 4 % 2, i / 16, i / 8 % 2,
                             sizes[s][0], sizes[s][1]) != 0)
                return 1;
        /* larger than what is solved at once */
        if (i / 8 % 2 == 0 && i / 16 < 2 &&
            one_triangle(b, t, i / 2 % 2, i / 4 % 2, i / 16, 0,
                         i / 2 % 2 == 0 ? 150 : 20,
                         i / 2 % 2 == 0 ? 20 : 150) != 0)
            return 1;
    }
    return 0;
}

/* A scale that lies on the device; nothing is made of none. */
static int scales(void *b)
{
    const struct type *t = &types[1];
    struct matrix a = symmetric(6, 1), x = random_matrix(6, 2), e = identity(1);
    struct matrix zeros = matrix(6, 2), solved, triangle, got;
    double zero = 0, one = 1;
    void *da = device_of(t, &a), *dx = device_of(t, &x), *scale;

    scale = device(t, &e, 1, 1);
    OK(cublasSetPointerMode_v2(b, 1));
    OK(cublasDtrsm_v2(b, 0, 1, 0, 0, 6, 2, scale, da, 9, dx, 9));
    OK(cublasSetPointerMode_v2(b, 0));
    solved = back(t, dx, 6, 2);
    triangle = triangle_of(&a, 1, 0);
    got = multiply(&triangle, 0, &solved, 0);
    NEAR("by a scale on the device", apart(&got, &x), t->near);
    OK(cublasDtrsm_v2(b, 0, 1, 0, 0, 6, 2, &zero, da, 9, dx, 9));
    solved = back(t, dx, 6, 2);
    NEAR("of nothing", apart(&solved, &zeros), 0);
    OK(cublasDtrsm_v2(b, 0, 0, 0, 0, 0, 2, &one, da, 9, dx, 9));
    OK(cublasDtrsm_v2(b, 1, 0, 0, 0, 2, 0, &one, da, 9, dx, 9));
    SAME("no handle",
         cublasDtrsm_v2(NULL, 0, 0, 0, 0, 1, 1, &one, da, 9, dx, 9),
         NOT_INITIALIZED);
    SAME("a side", cublasDtrsm_v2(b, 2, 0, 0, 0, 1, 1, &one, da, 9, dx, 9),
         INVALID_VALUE);
    SAME("columns too short",
         cublasDtrsm_v2(b, 0, 0, 0, 0, 10, 1, &one, da, 9, dx, 10),
         INVALID_VALUE);
    return 0;
}

static int squares(void *b)
{
    for (int i = 0; i < 8; i++) {
        const struct type *t = &types[i % 2];
        const int upper = i / 2 % 2, op = i / 4, n = 71, k = 19;
        const union scale alpha = scale(t, -1), beta = scale(t, 2);
        struct matrix a = op ? random_matrix(k, n) : random_matrix(n, k);
        struct matrix c = random_matrix(n, n), all = multiply(&a, op, &a, !op);
        struct matrix want = copy_of(&c), got;
        void *da = device_of(t, &a), *dc = device_of(t, &c);

        for (int x = 0; x < n * n; x++)
            if (upper ? x % n <= x / n : x % n >= x / n)
                want.x[x] = 2 * c.x[x] - all.x[x];
        OK(OF(t, cublasSsyrk_v2, cublasDsyrk_v2)(
            b, upper, op, n, k, &alpha, da, ld_of(&a), &beta, dc, ld_of(&c)));
        got = back(t, dc, n, n);
        NEAR("syrk", apart(&got, &want), t->near);
    }
    return 0;
}

/* ---- batches ------------------------------------------------------------------------ */

/* A = L U with rows as the pivots have changed them. */
static double lu_is_off(const struct type *t, const struct batch *x,
                        const int *pivots, int i)
{
    const int n = x->of[i].n;
    struct matrix factors = found(t, x, i), a = copy_of(&x->of[i]);
    struct matrix l = triangle_of(&factors, 0, 1);
    struct matrix u = triangle_of(&factors, 1, 0), got;

    got = multiply(&l, 0, &u, 0);
    for (int k = 0; k < n && pivots != NULL; k++)
        for (int c = 0; c < n; c++) {
            double *p = at(&a, k, c), *q = at(&a, pivots[k] - 1, c), x = *p;

            *p = *q;
            *q = x;
        }
    return apart(&got, &a);
}

static int lu_of(void *b, const struct type *t, int n)
{
    struct batch a = batch(t, n, n, random_matrix);
    struct batch x = batch(t, n, 3, random_matrix);
    struct batch y = batch(t, n, 3, random_matrix);
    struct batch c = batch(t, n, n, random_matrix);
    int *pivots = room(sizeof(int) * n * COUNT), info;
    int *infos = room(sizeof(int) * COUNT), *host = malloc(sizeof(int) * n);

    OK(OF(t, cublasSgetrfBatched, cublasDgetrfBatched)(b, n, a.pointers, a.ld,
                                                       pivots, infos, COUNT));
    OK(OF(t, cublasSgetrsBatched, cublasDgetrsBatched)(
        b, 0, n, 3, a.pointers, a.ld, pivots, x.pointers, x.ld, &info, COUNT));
    SAME("info of getrs", info, 0);
    OK(OF(t, cublasSgetrsBatched, cublasDgetrsBatched)(
        b, 1, n, 3, a.pointers, a.ld, pivots, y.pointers, y.ld, &info, COUNT));
    OK(OF(t, cublasSgetriBatched, cublasDgetriBatched)(
        b, n, a.pointers, a.ld, pivots, c.pointers, c.ld, infos, COUNT));
    for (int i = 0; i < COUNT; i++) {
        struct matrix e = identity(n), solved, got;

        cudaMemcpy(host, pivots + i * n, sizeof(int) * n, TO_HOST);
        SAME("info", int_at(infos + i), 0);
        NEAR("LU", lu_is_off(t, &a, host, i), t->near);
        solved = found(t, &x, i);
        got = multiply(&a.of[i], 0, &solved, 0);
        NEAR("A X", apart(&got, &x.of[i]), 100 * t->near);
        solved = found(t, &y, i);
        got = multiply(&a.of[i], 1, &solved, 0);
        NEAR("A' X", apart(&got, &y.of[i]), 100 * t->near);
        solved = found(t, &c, i);
        got = multiply(&a.of[i], 0, &solved, 0);
        NEAR("A inverse(A)", apart(&got, &e), 100 * t->near);
    }
    return 0;
}

static struct matrix singular_matrix(int m, int n)
{
    struct matrix a = random_matrix(m, n);

    for (int i = 0; i < m; i++)
        *at(&a, i, 2) = 0;
    return a;
}

static struct matrix dominant_matrix(int m, int n)
{
    struct matrix a = random_matrix(m, n);

    for (int i = 0; i < n; i++)
        *at(&a, i, i) += n;
    return a;
}

static int lu(void *b)
{
    const struct type *t = &types[1];
    struct batch a = batch(t, 6, 6, singular_matrix);
    struct batch c = batch(t, 6, 6, dominant_matrix);
    struct batch x = batch(t, 6, 6, random_matrix);
    int *pivots = room(sizeof(int) * 6 * COUNT);
    int *infos = room(sizeof(int) * COUNT), info = 0;

    for (int i = 0; i < 2; i++)
        if (lu_of(b, &types[i], 1) != 0 || lu_of(b, &types[i], 20) != 0 ||
            lu_of(b, &types[i], 90) != 0)
            return 1;
    OK(cublasDgetrfBatched(b, 6, a.pointers, a.ld, pivots, infos, COUNT));
    SAME("a pivot of 0", int_at(infos + 1), 3);
    OK(cublasDgetriBatched(b, 6, a.pointers, a.ld, pivots, x.pointers, x.ld,
                           infos, COUNT));
    SAME("that has no inverse", int_at(infos + 1), 3);
    OK(cublasDgetrfBatched(b, 6, c.pointers, c.ld, NULL, infos, COUNT));
    NEAR("LU as rows stand", lu_is_off(t, &c, NULL, 1), t->near);
    OK(cublasDgetrfBatched(b, 0, a.pointers, a.ld, pivots, infos, COUNT));
    OK(cublasDgetrfBatched(b, 6, a.pointers, a.ld, pivots, infos, 0));
    SAME("a size", cublasDgetrfBatched(b, -1, a.pointers, 6, NULL, infos, 1),
         INVALID_VALUE);
    SAME("columns too short",
         cublasDgetrsBatched(b, 0, 6, 1, a.pointers, 5, pivots, x.pointers, 6,
                             &info, 1),
         INVALID_VALUE);
    SAME("which argument", info, -5);
    return 0;
}

/* R' R = A' A, and least squares at right angles to A. */
static int qr_of(void *b, const struct type *t, int m, int n)
{
    struct batch a = batch(t, m, n, random_matrix);
    struct batch again = batch(t, m, n, random_matrix);
    struct batch x = batch(t, m, 2, random_matrix);
    struct batch tau = batch(t, n, 1, random_matrix);
    int info, *infos = room(sizeof(int) * COUNT);

    OK(OF(t, cublasSgeqrfBatched, cublasDgeqrfBatched)(
        b, m, n, a.pointers, a.ld, tau.pointers, &info, COUNT));
    SAME("info", info, 0);
    OK(OF(t, cublasSgelsBatched,
          cublasDgelsBatched)(b, 0, m, n, 2, again.pointers, again.ld,
                              x.pointers, x.ld, &info, infos, COUNT));
    for (int i = 0; i < COUNT; i++) {
        struct matrix q = found(t, &a, i), r = triangle_of(&q, 1, 0);
        struct matrix got = multiply(&r, 1, &r, 0), rest, nothing;
        struct matrix want = multiply(&a.of[i], 1, &a.of[i], 0);
        struct matrix solved = found(t, &x, i);

        NEAR("R' R", apart(&got, &want), 10 * t->near);
        SAME("info", int_at(infos + i), 0);
        solved.m = n; /* the first rows of each column */
        for (int k = 0; k < 2; k++)
            memmove(at(&solved, 0, k), &solved.x[k * m], sizeof(double) * n);
        rest = multiply(&again.of[i], 0, &solved, 0);
        for (int k = 0; k < 2 * m; k++)
            rest.x[k] -= x.of[i].x[k];
        got = multiply(&again.of[i], 1, &rest, 0);
        nothing = matrix(n, 2);
        NEAR("A' (A X - B)", apart(&got, &nothing), 100 * t->near);
    }
    return 0;
}

static int qr(void *b)
{
    const struct type *t = &types[0];
    struct batch a = batch(t, 7, 5, random_matrix);
    struct batch x = batch(t, 7, 5, random_matrix);
    int info;

    for (int i = 0; i < 2; i++)
        if (qr_of(b, &types[i], 1, 1) != 0 ||
            qr_of(b, &types[i], 20, 12) != 0 ||
            qr_of(b, &types[i], 110, 70) != 0)
            return 1;
    SAME("fewer equations than unknowns",
         cublasSgelsBatched(b, 0, 5, 7, 1, a.pointers, a.ld, x.pointers, x.ld,
                            &info, NULL, COUNT),
         NOT_SUPPORTED);
    SAME("transposed",
         cublasSgelsBatched(b, 1, 7, 5, 1, a.pointers, a.ld, x.pointers, x.ld,
                            &info, NULL, COUNT),
         NOT_SUPPORTED);
    return 0;
}

static int batches(void *b)
{
    for (int i = 0; i < 4; i++) {
        const struct type *t = &types[i % 2];
        const union scale one = scale(t, 1);
        struct batch a = batch(t, 40, 40, dominant_matrix);
        struct batch x = batch(t, 40, 7, random_matrix);
        const int upper = i / 2;

        OK(OF(t, cublasStrsmBatched,
              cublasDtrsmBatched)(b, 0, upper, 0, 0, 40, 7, &one, a.pointers,
                                  a.ld, x.pointers, x.ld, COUNT));
        for (int k = 0; k < COUNT; k++) {
            struct matrix solved = found(t, &x, k);
            struct matrix triangle = triangle_of(&a.of[k], upper, 0);
            struct matrix got = multiply(&triangle, 0, &solved, 0);

            NEAR("trsmBatched", apart(&got, &x.of[k]), t->near);
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*test)(void *);
    } tests[] = {
        {"triangles", triangles},
        {"scales", scales},
        {"squares", squares},
        {"lu", lu},
        {"qr", qr},
        {"batches", batches},
    };
    void *b;
    int status;

    if (cublasCreate_v2(&b) != 0)
        return failed("cublasCreate", 1, 0);
    for (size_t i = 0; argc > 1 && i < sizeof tests / sizeof tests[0]; i++) {
        if (strcmp(argv[1], tests[i].name) == 0) {
            status = tests[i].test(b);
            return status != 0 || cudaDeviceSynchronize() != 0 ||
                   cublasDestroy_v2(b) != 0;
        }
    }
    return 2;
}
