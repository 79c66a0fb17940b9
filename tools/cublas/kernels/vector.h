/*
 * What the kernels of vectors are given, by the host (tools/cublas/vector.c)
 * and on the device (vector.cu).
 */
#ifndef TEG_TOOLS_CUBLAS_KERNELS_VECTOR_H
#define TEG_TOOLS_CUBLAS_KERNELS_VECTOR_H

#include "../../vendor/kernels/product.h"

struct vector_args {
    const void *a; /* a matrix, or another vector that is not changed */
    void *x, *y;
    void *out; /* a result, or the parts of one */
    struct product_scale alpha, beta;
    long long m, n, incx, incy, lda; /* rows, columns or elements */
    int scale;    /* enum product_type of alpha and beta on the device */
    int out_type; /* enum product_type */
    int parts;    /* of a result */
    int root;     /* it is the square root of their sum */
};

/* The largest or smallest element so far. */
struct vector_place {
    double value;
    long long index; /* from 0 */
};

#endif
