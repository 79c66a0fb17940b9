#include "tools/cublas/kernels.h"

#include <string.h>

#include "traces/emulate/core/half.h"

/* Made by tools/make_kernels.sh. */
VENDOR_FATBIN(product, "tools/cublas/kernels/product.fatbin")
VENDOR_FATBIN(hopper, "tools/cublas/kernels/hopper.fatbin")
VENDOR_FATBIN(vector, "tools/cublas/kernels/vector.fatbin")
VENDOR_FATBIN(triangle, "tools/cublas/kernels/triangle.fatbin")
VENDOR_FATBIN(factor, "tools/cublas/kernels/factor.fatbin")

enum blas_status kernel_launch(const struct blas *b, enum blas_kernels file,
                               const char *name, const struct vendor_grid *grid,
                               void *args)
{
    static const char whose[] =
        "teg's own kernels (teg_cublas_...) stand for the library's; their "
        "times are their own, 1 to 27 % off its published ones (docs/exec.md)";
    static struct vendor_file files[KERNELS] = {
        [KERNELS_PRODUCT] = {.library = "cuBLAS", .fatbin = product_fatbin},
        [KERNELS_HOPPER] = {.library = "cuBLAS", .fatbin = hopper_fatbin},
        [KERNELS_VECTOR] = {.library = "cuBLAS", .fatbin = vector_fatbin},
        [KERNELS_TRIANGLE] = {.library = "cuBLAS", .fatbin = triangle_fatbin},
        [KERNELS_FACTOR] = {.library = "cuBLAS", .fatbin = factor_fatbin},
    };

    switch (vendor_launch(&files[file], whose, name, grid, b->stream, args)) {
    case VENDOR_OK:
        return BLAS_SUCCESS;
    case VENDOR_NO_CODE:
        return BLAS_ARCH_MISMATCH;
    default:
        return BLAS_EXECUTION_FAILED;
    }
}

int kernel_element(int type)
{
    static const struct {
        int data, element;
    } of[] = {
        {DATA_32F, PRODUCT_F32}, {DATA_64F, PRODUCT_F64},
        {DATA_16F, PRODUCT_F16}, {DATA_16BF, PRODUCT_BF16},
        {DATA_8I, PRODUCT_S8},   {DATA_32I, PRODUCT_S32},
    };

    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        if (of[i].data == type)
            return of[i].element;
    }
    return PRODUCT_F32;
}

/* Sums are floats where scales are halves. */
struct product_scale kernel_scale(const struct blas *b, const void *value,
                                  int type)
{
    struct product_scale s = {0};
    uint16_t half;

    if (b->scalars_on_device) {
        s.at = value;
    } else if (type == DATA_16F) {
        memcpy(&half, value, sizeof half);
        s.value.f = half_value(half);
    } else {
        memcpy(&s.value, value, data_bytes(type));
    }
    return s;
}
