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
    KERNEL(letter##getrf, PANEL_THREADS, factor_args, factor_lu<T>)    \
    KERNEL(letter##laswp, FACTOR_THREADS, swap_args, swap_rows<T>)      \
    KERNEL(letter##geqrf, PANEL_THREADS, factor_args, factor_qr<T>)    \
    KERNEL(letter##ormqr, FACTOR_THREADS, reflect_args, reflect<T>)     \
    KERNEL(letter##shape, FACTOR_THREADS, shape_args, make_shape<T>)    \
    KERNEL(letter##zero, FACTOR_THREADS, factor_args, find_zero<T>)
#define KERNEL(name, threads, Given, function)                       \
    extern "C" __global__ void __launch_bounds__(threads) \
        teg_cublas_##name(const __grid_constant__ Given g)  \
    {                                                       \
        function(g);                                        \
    }
KERNELS(s, float)
KERNELS(d, double)
