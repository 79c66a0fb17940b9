/* Entry points of cuSOLVER: LU factors, and what is solved by them. */
#include "tools/cusolver/solver.h"

#include "tools/cusolver/kernels/panel.h"

static int check(const struct solver *s, int64_t m, int64_t n, int64_t ld)
{
    if (s == NULL)
        return SOLVER_NOT_INITIALIZED;
    return is_matrix(m, n, ld) ? SOLVER_SUCCESS : SOLVER_INVALID_VALUE;
}

/* Rows' numbers from 1, of 32 or 64 bits; `at` NULL: rows stay. */
struct pivots {
    const void *at;
    int wide;
};

/* Rows `from` to `to` change as their pivots say. */
static int swap_rows(const struct solver *s, int type, struct mat a,
                     int64_t columns, struct pivots pivots, int64_t from,
                     int64_t to, int backwards)
{
    struct swap_args args = {
        .a = solver_dense(a),
        .pivots = pivots.at,
        .wide = pivots.wide,
        .from = (int)from,
        .to = (int)to,
        .columns = (int)columns,
        .backwards = backwards,
    };

    return from < to && pivots.at != NULL
               ? solver_launch(s, KERNELS_FACTOR, "laswp", type, 1,
                               (columns + FACTOR_THREADS - 1) / FACTOR_THREADS,
                               FACTOR_THREADS, 0, &args)
               : SOLVER_SUCCESS;
}

/* Panel by panel: its rows change, then those beside it, then what it has to do
 * with what is right of it is taken away there.  `pivots` NULL: rows stay. */
static int getrf(const struct solver *s, int type, int64_t m, int64_t n,
                 struct mat a, int *pivots, int *info)
{
    const int64_t least = m < n ? m : n;
    const struct pivots narrow = {pivots, 0};

    NEED(check(s, m, n, a.ld));
    if (info == NULL)
        return SOLVER_INVALID_VALUE;
    NEED(solver_clear(s, info, sizeof *info));
    for (int64_t k = 0; k < least; k += PANEL) {
        const int64_t width = least - k < PANEL ? least - k : PANEL;
        const int64_t end = k + width;
        const struct mat right = solver_part(type, a, k, end);
        const struct mat square = solver_part(type, a, k, k);

        NEED(solver_factor(
            s, "getf2", type, 1, PANEL_THREADS,
            &(struct factor_args){.a = solver_dense(square),
                                  .pivots = pivots != NULL ? pivots + k : NULL,
                                  .info = info,
                                  .m = (int)(m - k),
                                  .n = (int)width,
                                  .first = (int)k}));
        NEED(swap_rows(s, type, a, k, narrow, k, end, 0));
        NEED(swap_rows(s, type, solver_part(type, a, 0, end), n - end, narrow,
                       k, end, 0));
        if (end == n)
            break;
        NEED(solver_triangle(s, type, LEFT, LOWER, OP_N, 1, width, n - end,
                             square, right));
        NEED(solver_multiply(s, type, OP_N, OP_N, m - end, n - end, width, -1,
                             solver_part(type, a, end, k), right, 1,
                             solver_part(type, a, end, end)));
    }
    return SOLVER_SUCCESS;
}

static int getrs(const struct solver *s, int type, int op, int64_t n,
                 int64_t columns, struct mat a, struct pivots pivots,
                 struct mat b, int *info)
{
    const int turned = op != OP_N;

    NEED(check(s, n, n, a.ld));
    if (op < OP_N || op > OP_C || !is_matrix(n, columns, b.ld))
        return SOLVER_INVALID_VALUE;
    NEED(solver_clear(s, info, sizeof *info));
    if (!turned)
        NEED(swap_rows(s, type, b, columns, pivots, 0, n, 0));
    NEED(solver_triangle(s, type, LEFT, turned, op, !turned, n, columns, a, b));
    NEED(solver_triangle(s, type, LEFT, !turned, op, turned, n, columns, a, b));
    if (turned)
        NEED(swap_rows(s, type, b, columns, pivots, 0, n, 1));
    return SOLVER_SUCCESS;
}

/* ---- pivots of 64 bits -------------------------------------------------------------- */

static int widen(const struct solver *s, const int *narrow, int64_t *wide,
                 int64_t n)
{
    return solver_launch(
        s, KERNELS_FACTOR, "pivots", DATA_32F,
        (n + FACTOR_THREADS - 1) / FACTOR_THREADS, 1, FACTOR_THREADS, 0,
        &(struct pivot_args){
            .narrow = narrow, .wide = (long long *)wide, .n = (int)n});
}

CALL(cusolverDnXgetrf_bufferSize, const struct solver *s, const void *params,
     int64_t m, int64_t n, int type, const void *a, int64_t lda, int compute,
     size_t *device, size_t *host)
{
    struct room r = {0};

    (void)params, (void)a, (void)compute;
    NEED(check(s, m, n, lda));
    if (!type_is_known("cusolverDnXgetrf", type))
        return SOLVER_NOT_SUPPORTED;
    room_part(&r, sizeof(int) * (size_t)(m < n ? m : n));
    return room_bytes(&r, device, host);
}

CALL(cusolverDnXgetrf, const struct solver *s, const void *params, int64_t m,
     int64_t n, int type, void *a, int64_t lda, int64_t *pivots, int compute,
     void *on_device, size_t device, void *on_host, size_t host, int *info)
{
    const int64_t least = m < n ? m : n;
    struct room counted = {0};

    (void)params, (void)compute, (void)on_host, (void)host;
    NEED(check(s, m, n, lda));
    if (!type_is_known("cusolverDnXgetrf", type))
        return SOLVER_NOT_SUPPORTED;
    room_part(&counted, sizeof(int) * (size_t)least);
    if (!room_holds(&counted, on_device, device))
        return SOLVER_INVALID_VALUE;
    NEED(getrf(s, type, m, n, (struct mat){a, lda},
               pivots != NULL ? on_device : NULL, info));
    return pivots != NULL ? widen(s, on_device, pivots, least) : SOLVER_SUCCESS;
}

CALL(cusolverDnXgetrs, const struct solver *s, const void *params, int op,
     int64_t n, int64_t columns, int type, const void *a, int64_t lda,
     const int64_t *pivots, int type_b, void *b, int64_t ldb, int *info)
{
    (void)params;
    if (!type_is_known("cusolverDnXgetrs", type) || type_b != type)
        return SOLVER_NOT_SUPPORTED;
    return getrs(s, type, op, n, columns, (struct mat){(void *)a, lda},
                 (struct pivots){pivots, 1}, (struct mat){b, ldb}, info);
}

/* ---- entry points --------------------------------------------------------------------- */

#define CALLS(letter, type)                                                   \
    CALL(cusolverDn##letter##getrf_bufferSize, const struct solver *s, int m, \
         int n, void *a, int lda, int *elements)                              \
    {                                                                         \
        (void)a;                                                              \
        NEED(check(s, m, n, lda));                                            \
        if (elements == NULL)                                                 \
            return SOLVER_INVALID_VALUE;                                      \
        *elements = 1; /* none is wanted */                                   \
        return SOLVER_SUCCESS;                                                \
    }                                                                         \
    CALL(cusolverDn##letter##getrf, const struct solver *s, int m, int n,     \
         void *a, int lda, void *work, int *pivots, int *info)                \
    {                                                                         \
        (void)work;                                                           \
        return getrf(s, type, m, n, (struct mat){a, lda}, pivots, info);      \
    }                                                                         \
    CALL(cusolverDn##letter##laswp, const struct solver *s, int n, void *a,   \
         int lda, int k1, int k2, const int *pivots, int step)                \
    {                                                                         \
        NEED(check(s, 1, n, lda));                                            \
        if (k1 < 1 || k2 < k1 || (step != 1 && step != -1))                   \
            return SOLVER_INVALID_VALUE;                                      \
        return swap_rows(s, type, (struct mat){a, lda}, n,                    \
                         (struct pivots){pivots, 0}, k1 - 1, k2, step < 0);   \
    }                                                                         \
    CALL(cusolverDn##letter##getrs, const struct solver *s, int op, int n,    \
         int columns, const void *a, int lda, const int *pivots, void *b,     \
         int ldb, int *info)                                                  \
    {                                                                         \
        return getrs(s, type, op, n, columns, (struct mat){(void *)a, lda},   \
                     (struct pivots){pivots, 0}, (struct mat){b, ldb}, info); \
    }
CALLS(S, DATA_32F)
CALLS(D, DATA_64F)
