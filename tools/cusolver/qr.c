/* Entry points of cuSOLVER: QR factors, and their Q. */
#include "tools/cusolver/reflect.h"

static int check(const struct solver *s, int64_t m, int64_t n, int64_t ld)
{
    if (s == NULL)
        return SOLVER_NOT_INITIALIZED;
    return is_matrix(m, n, ld) ? SOLVER_SUCCESS : SOLVER_INVALID_VALUE;
}

/* ---- factors ----------------------------------------------------------------------- */

static int geqrf(const struct solver *s, int type, int64_t m, int64_t n,
                 struct mat a, void *tau, void *work, size_t bytes, int *info)
{
    struct room counted = {0}, r = {.at = work};
    struct reflector h = {0};

    NEED(check(s, m, n, a.ld));
    reflector_room(&h, type, m, n, &counted);
    if (!room_holds(&counted, work, bytes))
        return SOLVER_INVALID_VALUE;
    reflector_room(&h, type, m, n, &r);
    NEED(solver_clear(s, info, sizeof *info));
    return reflect_factor(s, &h, m, n, a, tau);
}

/* ---- Q ------------------------------------------------------------------------------ */

/* Q takes the place of what it is made of, of which there has to be a copy. */
static struct mat orgqr_room(int type, int64_t m, int64_t n, int64_t k,
                             struct room *r, struct reflector *h)
{
    reflector_room(h, type, m, n, r);
    return (struct mat){room_part(r, (size_t)(m * k) * solver_bytes(type)),
                        m > 1 ? m : 1};
}

static int orgqr_check(const struct solver *s, int64_t m, int64_t n, int64_t k,
                       int64_t ld)
{
    NEED(check(s, m, n, ld));
    return n <= m && k >= 0 && k <= n ? SOLVER_SUCCESS : SOLVER_INVALID_VALUE;
}

static int orgqr(const struct solver *s, int type, int64_t m, int64_t n,
                 int64_t k, struct mat a, const void *tau, void *work,
                 size_t bytes, int *info)
{
    struct room counted = {0}, r = {.at = work};
    struct reflector h = {0};
    struct mat copy;

    NEED(orgqr_check(s, m, n, k, a.ld));
    orgqr_room(type, m, n, k, &counted, &h);
    if (!room_holds(&counted, work, bytes))
        return SOLVER_INVALID_VALUE;
    copy = orgqr_room(type, m, n, k, &r, &h);
    NEED(solver_clear(s, info, sizeof *info));
    NEED(solver_shape(s, type, m, k, a, copy, SHAPE_KEEP, SHAPE_KEEP,
                      SHAPE_COPY));
    return reflect_form(s, &h, m, n, k, copy, tau, a);
}

static int ormqr_check(const struct solver *s, int side, int op, int64_t m,
                       int64_t n, int64_t k, int64_t lda, int64_t ldc)
{
    const int64_t rows = side == LEFT ? m : n;

    NEED(check(s, m, n, ldc));
    return (side == LEFT || side == RIGHT) && op >= OP_N && op <= OP_C &&
                   k >= 0 && k <= rows && lda >= (rows > 1 ? rows : 1)
               ? SOLVER_SUCCESS
               : SOLVER_INVALID_VALUE;
}

static void ormqr_room(int type, int side, int64_t m, int64_t n, struct room *r,
                       struct reflector *h)
{
    reflector_room(h, type, side == LEFT ? m : n, side == LEFT ? n : m, r);
}

static int ormqr(const struct solver *s, int type, int side, int op, int64_t m,
                 int64_t n, int64_t k, struct mat a, const void *tau,
                 struct mat c, void *work, size_t bytes, int *info)
{
    struct room counted = {0}, r = {.at = work};
    struct reflector h = {0};

    NEED(ormqr_check(s, side, op, m, n, k, a.ld, c.ld));
    ormqr_room(type, side, m, n, &counted, &h);
    if (!room_holds(&counted, work, bytes))
        return SOLVER_INVALID_VALUE;
    ormqr_room(type, side, m, n, &r, &h);
    NEED(solver_clear(s, info, sizeof *info));
    return reflect_all(s, &h, side, op, m, n, k, a, tau, c);
}

/* ---- entry points --------------------------------------------------------------------- */

#define BYTES(elements, type) ((size_t)(elements)*solver_bytes(type))

#define CALLS(letter, type)                                                    \
    CALL(cusolverDn##letter##geqrf_bufferSize, const struct solver *s, int m,  \
         int n, void *a, int lda, int *elements)                               \
    {                                                                          \
        struct room r = {0};                                                   \
        struct reflector h;                                                    \
                                                                               \
        (void)a, (void)lda; /* CuPy gives n, which the library takes */        \
        NEED(check(s, m, n, m > 1 ? m : 1));                                   \
        if (elements == NULL)                                                  \
            return SOLVER_INVALID_VALUE;                                       \
        reflector_room(&h, type, m, n, &r);                                    \
        return room_elements(&r, type, elements);                              \
    }                                                                          \
    CALL(cusolverDn##letter##geqrf, const struct solver *s, int m, int n,      \
         void *a, int lda, void *tau, void *work, int elements, int *info)     \
    {                                                                          \
        return geqrf(s, type, m, n, (struct mat){a, lda}, tau, work,           \
                     BYTES(elements, type), info);                             \
    }                                                                          \
    CALL(cusolverDn##letter##orgqr_bufferSize, const struct solver *s, int m,  \
         int n, int k, const void *a, int lda, const void *tau, int *elements) \
    {                                                                          \
        struct room r = {0};                                                   \
        struct reflector h;                                                    \
                                                                               \
        (void)a, (void)tau;                                                    \
        NEED(orgqr_check(s, m, n, k, lda));                                    \
        if (elements == NULL)                                                  \
            return SOLVER_INVALID_VALUE;                                       \
        orgqr_room(type, m, n, k, &r, &h);                                     \
        return room_elements(&r, type, elements);                              \
    }                                                                          \
    CALL(cusolverDn##letter##orgqr, const struct solver *s, int m, int n,      \
         int k, void *a, int lda, const void *tau, void *work, int elements,   \
         int *info)                                                            \
    {                                                                          \
        return orgqr(s, type, m, n, k, (struct mat){a, lda}, tau, work,        \
                     BYTES(elements, type), info);                             \
    }                                                                          \
    CALL(cusolverDn##letter##ormqr_bufferSize, const struct solver *s,         \
         int side, int op, int m, int n, int k, const void *a, int lda,        \
         const void *tau, const void *c, int ldc, int *elements)               \
    {                                                                          \
        struct room r = {0};                                                   \
        struct reflector h;                                                    \
                                                                               \
        (void)a, (void)tau, (void)c;                                           \
        NEED(ormqr_check(s, side, op, m, n, k, lda, ldc));                     \
        if (elements == NULL)                                                  \
            return SOLVER_INVALID_VALUE;                                       \
        ormqr_room(type, side, m, n, &r, &h);                                  \
        return room_elements(&r, type, elements);                              \
    }                                                                          \
    CALL(cusolverDn##letter##ormqr, const struct solver *s, int side, int op,  \
         int m, int n, int k, const void *a, int lda, const void *tau,         \
         void *c, int ldc, void *work, int elements, int *info)                \
    {                                                                          \
        return ormqr(s, type, side, op, m, n, k, (struct mat){(void *)a, lda}, \
                     tau, (struct mat){c, ldc}, work, BYTES(elements, type),   \
                     info);                                                    \
    }
CALLS(S, DATA_32F)
CALLS(D, DATA_64F)

CALL(cusolverDnXgeqrf_bufferSize, const struct solver *s, const void *params,
     int64_t m, int64_t n, int type, const void *a, int64_t lda, int type_tau,
     const void *tau, int compute, size_t *device, size_t *host)
{
    struct room r = {0};
    struct reflector h;

    (void)params, (void)a, (void)tau, (void)compute;
    NEED(check(s, m, n, lda));
    if (!type_is_known("cusolverDnXgeqrf", type) || type_tau != type)
        return SOLVER_NOT_SUPPORTED;
    reflector_room(&h, type, m, n, &r);
    return room_bytes(&r, device, host);
}

CALL(cusolverDnXgeqrf, const struct solver *s, const void *params, int64_t m,
     int64_t n, int type, void *a, int64_t lda, int type_tau, void *tau,
     int compute, void *on_device, size_t device, void *on_host, size_t host,
     int *info)
{
    (void)params, (void)compute, (void)on_host, (void)host;
    if (!type_is_known("cusolverDnXgeqrf", type) || type_tau != type)
        return SOLVER_NOT_SUPPORTED;
    return geqrf(s, type, m, n, (struct mat){a, lda}, tau, on_device, device,
                 info);
}
