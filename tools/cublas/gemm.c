/* Entry points of cuBLAS: matrix products. */
#include "tools/cublas/product.h"

static int gemm(const struct blas *b, struct product *p)
{
    if (b == NULL)
        return BLAS_NOT_INITIALIZED;
    p->d = p->c;
    return (int)product_launch(b, p);
}

#define INT     int
#define NAME(x) x
#define GEMM(x) cublas##x##gemm_v2
#include "tools/cublas/gemm.inc"
#undef INT
#undef NAME
#undef GEMM

#define INT     int64_t
#define NAME(x) x##_64
#define GEMM(x) cublas##x##gemm_v2_64
#include "tools/cublas/gemm.inc"

/* Which have no second version. */
ALSO(cublasHgemm_v2, cublasHgemm);
ALSO(cublasHgemm_v2_64, cublasHgemm_64);
