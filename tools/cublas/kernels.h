/* Teg's kernels for cuBLAS on the device. */
#ifndef TEG_TOOLS_CUBLAS_KERNELS_H
#define TEG_TOOLS_CUBLAS_KERNELS_H

#include "tools/cublas/blas.h"
#include "tools/cublas/kernels/product.h"

/* Files of kernels (kernels/). */
enum blas_kernels {
    KERNELS_PRODUCT,
    KERNELS_HOPPER,
    KERNELS_VECTOR,
    KERNELS,
};

struct blas_grid {
    unsigned x, y, z, threads;
    unsigned shared; /* bytes besides the kernel's own */
};

/* Launches a kernel by its file and name; `args` is its one parameter. */
enum blas_status kernel_launch(const struct blas *b, enum blas_kernels file,
                               const char *name, const struct blas_grid *grid,
                               void *args);

/* What kernels are given of a type (enum data_type): an enum product_type. */
int kernel_element(int type);
/* And of a scale, which lies where the handle's pointer mode says. */
struct product_scale kernel_scale(const struct blas *b, const void *value,
                                  int type);

/* The device's. */
struct blas_device {
    int sms;
    int generation; /* 80: compute capability 8.0 */
};
const struct blas_device *blas_device(void);

#endif
