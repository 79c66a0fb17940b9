/*
 * Matrix products: D = finish(alpha op(A) op(B) + beta C), of columns that lie
 * side by side, for a batch.  Chooses the kernel and launches it.
 */
#ifndef TEG_TOOLS_CUBLAS_PRODUCT_H
#define TEG_TOOLS_CUBLAS_PRODUCT_H

#include "tools/cublas/blas.h"

struct product_matrix {
    const void *data;   /* or an array of pointers, on the device */
    int type;           /* enum data_type */
    int64_t ld, stride; /* elements: column to column, one to the next */
};

struct product {
    const char *name; /* of the call */
    int op_a, op_b;   /* enum blas_operation */
    int64_t m, n, k, batch;
    int compute; /* enum blas_compute */
    const void *alpha, *beta;
    int scale_type; /* of both; -1: that of the computation */
    struct product_matrix a, b, c, d;
    int arrays; /* a, b, c, d are arrays of pointers */
    int finish; /* enum product_finish */
    const void *bias;
    int bias_type;
};

/* Whether there is a kernel for it: BLAS_SUCCESS, BLAS_INVALID_VALUE for sizes
 * that are none, BLAS_NOT_SUPPORTED, which a line says. */
enum blas_status product_check(const struct blas *b, const struct product *p);
/* The same, and launched. */
enum blas_status product_launch(const struct blas *b, const struct product *p);

#endif
