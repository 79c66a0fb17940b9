/*
 * Teg's kernels for batches of small systems, in place of those of cuBLAS.
 * Compiled by tools/make_kernels.sh; launched by tools/cublas/factor.c.
 */
#include "../../vendor/kernels/factor.cuh"

/* Which pivot of a factor is 0, from 1: a warp for each matrix. */
template <class T> __device__ void find_zero(const factor_args &g)
{
    const T *a = matrix_of<T>(g.a, blockIdx.x);
    int first = g.n;

    for (int i = lane_of(); i < g.n; i += 32)
        if (a[i * (g.a.row + g.a.column)] == 0 && i < first)
            first = i;
    for (int i = 16; i > 0; i /= 2)
        first = min(first, __shfl_xor_sync(~0u, first, i));
    if (lane_of() == 0)
        g.info[blockIdx.x] = first < g.n ? first + 1 : 0;
}

#define KERNELS(letter, T)                              \
    KERNEL(letter##getrf, factor_args, factor_lu<T>)    \
    KERNEL(letter##laswp, swap_args, swap_rows<T>)      \
    KERNEL(letter##geqrf, factor_args, factor_qr<T>)    \
    KERNEL(letter##ormqr, reflect_args, reflect<T>)     \
    KERNEL(letter##shape, shape_args, make_shape<T>)    \
    KERNEL(letter##zero, factor_args, find_zero<T>)
#define KERNEL(name, Given, function)                       \
    extern "C" __global__ void __launch_bounds__(FACTOR_THREADS) \
        teg_cublas_##name(const __grid_constant__ Given g)  \
    {                                                       \
        function(g);                                        \
    }
KERNELS(s, float)
KERNELS(d, double)
