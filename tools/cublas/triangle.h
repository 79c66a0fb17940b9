/* Triangles: systems that they are the matrix of, and products of which one is
 * wanted. */
#ifndef TEG_TOOLS_CUBLAS_TRIANGLE_H
#define TEG_TOOLS_CUBLAS_TRIANGLE_H

#include "tools/cublas/blas.h"

enum blas_side {
    BLAS_LEFT,
    BLAS_RIGHT,
};

/* op(A) X = alpha B or X op(A) = alpha B; X takes B's place. */
struct triangle {
    int type; /* DATA_32F or DATA_64F */
    int side, upper, op, unit;
    int64_t m, n; /* of B */
    const void *alpha;
    const void *a;
    int64_t lda;
    void *b;
    int64_t ldb;
    int arrays; /* a, b are arrays of pointers, on the device */
    int64_t batch;
};

/* BLAS_INVALID_VALUE for sizes that are none. */
enum blas_status triangle_solve(const struct blas *b, const struct triangle *t);

#endif
