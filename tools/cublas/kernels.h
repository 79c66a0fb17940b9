/* Teg's kernels for cuBLAS on the device. */
#ifndef TEG_TOOLS_CUBLAS_KERNELS_H
#define TEG_TOOLS_CUBLAS_KERNELS_H

#include "tools/cublas/blas.h"
#include "tools/vendor/kernels/product.h"
#include "tools/vendor/launch.h"

/* Files of kernels (kernels/). */
enum blas_kernels {
    KERNELS_PRODUCT,
    KERNELS_HOPPER,
    KERNELS_VECTOR,
    KERNELS_TRIANGLE,
    KERNELS_FACTOR,
    KERNELS,
};

/* Launches a kernel by its file and name; `args` is its one parameter. */
enum blas_status kernel_launch(const struct blas *b, enum blas_kernels file,
                               const char *name, const struct vendor_grid *grid,
                               void *args);

/* What kernels are given of a type (enum data_type): an enum product_type. */
int kernel_element(int type);
/* And of a scale, which lies where the handle's pointer mode says. */
struct product_scale kernel_scale(const struct blas *b, const void *value,
                                  int type);

#endif
