/*
 * Small matrices of doubles, column after column, for the programs that call
 * solvers (tests/cli/cusolver.c, cublas_systems.c): made on the host, brought to
 * the device as floats or doubles with rows of another's between their columns,
 * and compared by definitions.
 */
#ifndef TEG_TESTS_CLI_ALGEBRA_H
#define TEG_TESTS_CLI_ALGEBRA_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cli/vendor.h"

enum {
    PAD = 3,   /* rows behind those of a matrix, which nobody may write */
    COUNT = 3, /* matrices of a batch */
};
static const double padding = 777;

#define OK(call)                                                          \
    do {                                                                  \
        int status_ = (int)(call);                                        \
                                                                          \
        if (status_ != 0)                                                 \
            return fprintf(stderr, "%s: status %d\n", #call, status_), 1; \
    } while (0)
/* Goes on if a number is less than what is allowed. */
#define NEAR(what, got, most)                                               \
    do {                                                                    \
        double got_ = (got);                                                \
                                                                            \
        if (!(got_ <= (most)))                                              \
            return fprintf(stderr, "%s:%d: %s: %g is more than %g\n",       \
                           __FILE__, __LINE__, what, got_, (double)(most)), \
                   1;                                                       \
    } while (0)
#define SAME(what, got, want)                                      \
    do {                                                           \
        double got_ = (double)(got), want_ = (double)(want);       \
                                                                   \
        if (got_ != want_)                                         \
            return fprintf(stderr, "%s:%d: ", __FILE__, __LINE__), \
                   failed(what, got_, want_);                      \
    } while (0)

/* ---- types -------------------------------------------------------------------- */

struct type {
    int data, is_double; /* cudaDataType */
    size_t bytes;
    double near; /* what a result of order 1 may be off */
};
static const struct type types[] = {
    {0, 0, sizeof(float), 3e-5},
    {1, 1, sizeof(double), 1e-13},
};
/* Of two functions of the same arguments that of a type. */
#define OF(t, s, d) ((t)->is_double ? (d) : (s))

/* ---- on the host ----------------------------------------------------------------- */

struct matrix {
    int m, n;
    double *x;
};

static inline struct matrix matrix(int m, int n)
{
    return (struct matrix){m, n, calloc((size_t)m * n + 1, sizeof(double))};
}

static inline double *at(const struct matrix *a, int i, int k)
{
    return &a->x[i + (size_t)k * a->m];
}

static inline struct matrix copy_of(const struct matrix *a)
{
    struct matrix b = matrix(a->m, a->n);

    memcpy(b.x, a->x, sizeof(double) * a->m * a->n);
    return b;
}

static inline struct matrix identity(int n)
{
    struct matrix a = matrix(n, n);

    for (int i = 0; i < n; i++)
        *at(&a, i, i) = 1;
    return a;
}

/* Numbers that a float has, too. */
static inline struct matrix random_matrix(int m, int n)
{
    struct matrix a = matrix(m, n);

    for (int i = 0; i < m * n; i++)
        a.x[i] = (float)drawn(1);
    return a;
}

static inline struct matrix transpose(const struct matrix *a)
{
    struct matrix b = matrix(a->n, a->m);

    for (int k = 0; k < a->n; k++)
        for (int i = 0; i < a->m; i++)
            *at(&b, k, i) = *at(a, i, k);
    return b;
}

/* op(A) op(B) */
static inline struct matrix multiply(const struct matrix *a, int turned_a,
                                     const struct matrix *b, int turned_b)
{
    struct matrix x = turned_a ? transpose(a) : copy_of(a);
    struct matrix y = turned_b ? transpose(b) : copy_of(b);
    struct matrix c = matrix(x.m, y.n);

    for (int k = 0; k < y.n; k++)
        for (int j = 0; j < x.n; j++)
            for (int i = 0; i < x.m; i++)
                *at(&c, i, k) += *at(&x, i, j) * *at(&y, j, k);
    free(x.x);
    free(y.x);
    return c;
}

/* Symmetric; positive definite, if `least` is more than 0. */
static inline struct matrix symmetric(int n, double least)
{
    struct matrix a = random_matrix(n, n);

    for (int k = 0; k < n; k++)
        for (int i = 0; i <= k; i++)
            *at(&a, i, k) = *at(&a, k, i) += i == k ? least * n : 0;
    return a;
}

/* A triangle of it, with ones on the diagonal if `unit`. */
static inline struct matrix triangle_of(const struct matrix *a, int upper,
                                        int unit)
{
    struct matrix b = copy_of(a);

    for (int k = 0; k < a->n; k++)
        for (int i = 0; i < a->m; i++)
            if (upper ? i > k : i < k)
                *at(&b, i, k) = 0;
            else if (unit && i == k)
                *at(&b, i, k) = 1;
    return b;
}

/* The first columns. */
static inline struct matrix columns_of(const struct matrix *a, int n)
{
    struct matrix b = *a;

    b.n = n;
    return copy_of(&b);
}

/* The largest difference, of the largest element or 1. */
static inline double apart(const struct matrix *a, const struct matrix *b)
{
    double most = 0, size = 1;

    if (a->m != b->m || a->n != b->n)
        return INFINITY;
    for (int i = 0; i < a->m * a->n; i++) {
        if (!(fabs(a->x[i] - b->x[i]) <= most))
            most = fabs(a->x[i] - b->x[i]);
        if (fabs(b->x[i]) > size)
            size = fabs(b->x[i]);
    }
    return isnan(most) ? INFINITY : most / size;
}

/* How far Q' Q is from the identity. */
static inline double askew(const struct matrix *q)
{
    struct matrix p = multiply(q, 1, q, 0), e = identity(q->n);

    return apart(&p, &e);
}

/* ---- on the device ------------------------------------------------------------------ */

static inline void *room(size_t bytes)
{
    void *p = NULL;

    return cudaMalloc(&p, bytes > 0 ? bytes : 1) == 0 ? p : NULL;
}

static inline int ld_of(const struct matrix *a)
{
    return a->m + PAD;
}

/* Matrices of one shape, side by side, `ld` apart. */
static inline void *device(const struct type *t, const struct matrix *a,
                           int count, int ld)
{
    size_t all = (size_t)ld * a->n, bytes = all * count * t->bytes;
    char *host = malloc(bytes + 1);
    void *p = room(bytes);

    for (size_t i = 0; i < all * count; i++) {
        const struct matrix *from = &a[i / all];
        size_t row = i % all % ld, column = i % all / ld;
        double x =
            row < (size_t)from->m ? from->x[row + column * from->m] : padding;

        if (t->is_double)
            ((double *)host)[i] = x;
        else
            ((float *)host)[i] = (float)x;
    }
    cudaMemcpy(p, host, bytes, TO_DEVICE);
    free(host);
    return p;
}

/* One of them back; an element that is NaN says that padding was written. */
static inline struct matrix from_device(const struct type *t, const void *p,
                                        int m, int n, int ld, int which)
{
    size_t all = (size_t)ld * n, bytes = all * t->bytes;
    char *host = malloc(bytes + 1);
    struct matrix a = matrix(m, n);

    cudaMemcpy(host, (const char *)p + bytes * which, bytes, TO_HOST);
    for (size_t i = 0; i < all; i++) {
        double x = t->is_double ? ((double *)host)[i] : ((float *)host)[i];

        if (i % ld < (size_t)m)
            a.x[i % ld + i / ld * m] = x;
        else if (x != padding)
            a.x[0] = NAN;
    }
    free(host);
    return a;
}

static inline void *device_of(const struct type *t, const struct matrix *a)
{
    return device(t, a, 1, ld_of(a));
}

static inline struct matrix back(const struct type *t, const void *p, int m,
                                 int n)
{
    return from_device(t, p, m, n, m + PAD, 0);
}

/* Addresses of `count` matrices of so many bytes each, on the device. */
static inline void *pointers(void *first, size_t bytes, int count)
{
    void **host = malloc(sizeof(void *) * count), *p;

    for (int i = 0; i < count; i++)
        host[i] = (char *)first + bytes * i;
    p = room(sizeof(void *) * count);
    cudaMemcpy(p, host, sizeof(void *) * count, TO_DEVICE);
    free(host);
    return p;
}

/* Matrices and their columns on the device, and where they are. */
struct batch {
    struct matrix of[COUNT];
    int ld;
    void *at, *pointers;
};

static inline struct batch batch(const struct type *t, int m, int n,
                                 struct matrix (*make)(int, int))
{
    struct batch x = {.ld = m + PAD};

    for (int i = 0; i < COUNT; i++)
        x.of[i] = make(m, n);
    x.at = device(t, x.of, COUNT, x.ld);
    x.pointers = pointers(x.at, (size_t)x.ld * n * t->bytes, COUNT);
    return x;
}

static inline struct matrix found(const struct type *t, const struct batch *x,
                                  int i)
{
    return from_device(t, x->at, x->of[i].m, x->of[i].n, x->ld, i);
}

static inline int int_at(const int *p)
{
    int x = -1;

    cudaMemcpy(&x, p, sizeof x, TO_HOST);
    return x;
}

#endif
