/*
 * What kernels of products are given, by the host and on the device:
 * D = finish(alpha op(A) op(B) + beta C), column after column as BLAS has them.
 */
#ifndef TEG_TOOLS_VENDOR_KERNELS_PRODUCT_H
#define TEG_TOOLS_VENDOR_KERNELS_PRODUCT_H

/* What elements are. */
enum product_type {
    PRODUCT_F32,
    PRODUCT_F64,
    PRODUCT_F16,
    PRODUCT_BF16,
    PRODUCT_S8,
    PRODUCT_S32,
};

/* What is done with a sum before it is stored, in this order. */
enum product_finish {
    PRODUCT_BIAS = 1, /* one for each row of D is added */
    PRODUCT_RELU = 2,
    PRODUCT_GELU = 4,
};

/* A number that the host knows, or that the device finds at `at`. */
struct product_scale {
    const void *at; /* NULL: `value` */
    union {
        double d;
        float f;
        int i;
    } value; /* as sums are */
};

struct product_args {
    const void *a, *b, *c, *bias;
    void *d;
    struct product_scale alpha, beta;
    long long lda, ldb, ldc, ldd;                     /* elements */
    long long stride_a, stride_b, stride_c, stride_d; /* batch to batch */
    int m, n, k;
    int slice;  /* of k that a block adds up */
    int slices; /* more than 1: sums go to D as they are, slice after slice */
    int first;  /* batch of the launch */
    int arrays; /* a, b, c, d are arrays of pointers */
    int out, scale, bias_type; /* enum product_type: of C and D, of alpha and
                                  beta on the device, of the bias */
    int finish;                /* enum product_finish */
};

/* A tensor map, as the driver makes it. */
struct product_map {
#ifdef __cplusplus
    alignas(64)
#else
    _Alignas(64)
#endif
        unsigned long long word[16];
};

/* Of a product whose operands tensor maps bring. */
struct product_mapped {
    struct product_map a, b;
    struct product_args args;
};

enum {
    PRODUCT_MAPPED_SHARED = 2048, /* bytes besides the tiles */
};

#endif
