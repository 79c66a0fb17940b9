/*
 * Teg's kernels for factorizations, in place of those of cuSOLVER: panels of
 * large matrices and batches of small ones.  Compiled by tools/make_kernels.sh;
 * launched by tools/cusolver.  What lies between panels are cuBLAS's products
 * and triangles.
 */
#include "panel.h"

#include "../../vendor/kernels/factor.cuh"

/* T of a block of reflections I - V T V', from V' V: column by column, a thread
 * has a row. */
template <class T> __device__ void larft(const larft_args &g)
{
    __shared__ T t[PANEL][PANEL + 1];
    const T *products = (const T *)g.products, *tau = (const T *)g.tau;
    const int row = threadIdx.x;

    for (int k = 0; k < g.k; k++) {
        T sum = 0;

        if (row < k)
            for (int i = row; i < k; i++)
                sum += t[row][i] * products[i + k * PANEL];
        if (row < g.k)
            t[row][k] = row < k ? -tau[k] * sum : row == k ? tau[k] : T(0);
        __syncwarp();
    }
    if (row < g.k)
        for (int k = 0; k < g.k; k++)
            ((T *)g.t)[row + k * PANEL] = t[row][k];
}

/* Pivots become as wide as calls of any type have them. */
extern "C" __global__ void __launch_bounds__(FACTOR_THREADS)
    teg_cusolver_spivots(const __grid_constant__ pivot_args g)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < g.n)
        g.wide[i] = g.narrow[i];
}

#define KERNELS(letter, T)                                            \
    KERNEL(letter##getf2, FACTOR_THREADS, factor_args, factor_lu<T>)  \
    KERNEL(letter##laswp, FACTOR_THREADS, swap_args, swap_rows<T>)    \
    KERNEL(letter##potf2, FACTOR_THREADS, factor_args,                \
           factor_cholesky<T>)                                        \
    KERNEL(letter##geqr2, FACTOR_THREADS, factor_args, factor_qr<T>)  \
    KERNEL(letter##larft, PANEL, larft_args, larft<T>)                \
    KERNEL(letter##orm2r, FACTOR_THREADS, reflect_args, reflect<T>)   \
    KERNEL(letter##shape, FACTOR_THREADS, shape_args, make_shape<T>)
#define KERNEL(name, threads, Given, function)              \
    extern "C" __global__ void __launch_bounds__(threads)   \
        teg_cusolver_##name(const __grid_constant__ Given g) \
    {                                                       \
        function(g);                                        \
    }
KERNELS(s, float)
KERNELS(d, double)
