/*
 * Teg's kernels for matrix products, in place of those of cuBLAS.  Compiled by
 * tools/make_kernels.sh; which one a product gets: tools/cublas/product.c.
 *
 *   sum   D = A B by a thread's own multiply-adds: tiles through registers into
 *         shared memory, two buffers; float, double, bytes, and what a
 *         generation has no tensor instruction for
 *   mma   by tensor instructions: tiles of 64 bytes of k, swizzled so that
 *         ldmatrix has no bank conflicts; three buffers by cp.async, or two
 *         through registers on sm_75
 *
 * The rows of D lie side by side in memory, so its transpose is what the tensor
 * instructions make: their rows are D's columns.
 * An operand is `rows` if its rows (of op(A), or columns of op(B)) lie side by
 * side in memory, else its k does.
 */
#include "../../vendor/kernels/matrix.cuh"

/* ---- kernels: one for each type, tile and pair of operations ------------------------------- */

/* `blocks` is for how many an SM has registers. */
#define KERNEL(name, threads, blocks, ...)                        \
    extern "C" __global__ void __launch_bounds__(threads, blocks) \
        teg_cublas_##name(const __grid_constant__ Args g)         \
    {                                                             \
        __VA_ARGS__(g);                                           \
    }
#define OPERATIONS(name, threads, blocks, function, ...)                    \
    KERNEL(name##_nn, threads, blocks, function<__VA_ARGS__, true, false>)  \
    KERNEL(name##_nt, threads, blocks, function<__VA_ARGS__, true, true>)   \
    KERNEL(name##_tn, threads, blocks, function<__VA_ARGS__, false, false>) \
    KERNEL(name##_tt, threads, blocks, function<__VA_ARGS__, false, true>)

OPERATIONS(sgemm_128x128, 256, 2, by_sums, float, float, 128, 128, 8, 8, 8)
OPERATIONS(sgemm_64x64, 128, 4, by_sums, float, float, 64, 64, 16, 4, 8)
OPERATIONS(sgemm_32x32, 64, 8, by_sums, float, float, 32, 32, 16, 4, 4)
OPERATIONS(dgemm_64x64, 128, 3, by_sums, double, double, 64, 64, 8, 4, 8)
OPERATIONS(igemm_64x64, 128, 4, by_sums, int8_t, int, 64, 64, 16, 4, 8)
OPERATIONS(hgemm_128x128, 128, 2, by_tensors, __half, 128, 128, 64, 64)
OPERATIONS(hgemm_64x64, 128, 4, by_tensors, __half, 64, 64, 32, 32)
#if __CUDA_ARCH__ >= 800 || !defined __CUDA_ARCH__
OPERATIONS(bgemm_128x128, 128, 2, by_tensors, __nv_bfloat16, 128, 128, 64, 64)
OPERATIONS(bgemm_64x64, 128, 4, by_tensors, __nv_bfloat16, 64, 64, 32, 32)
OPERATIONS(tf32gemm_128x128, 128, 2, by_tensors, float, 128, 128, 64, 64)
OPERATIONS(tf32gemm_64x64, 128, 4, by_tensors, float, 64, 64, 32, 32)
#else
OPERATIONS(bgemm_64x64, 128, 4, by_sums, __nv_bfloat16, float, 64, 64, 16, 4, 8)
#endif

/* The slices of a product's k, added up and finished. */
extern "C" __global__ void __launch_bounds__(64)
    teg_cublas_add_slices(const __grid_constant__ Args g)
{
    const int batch = g.first + blockIdx.z;
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    const float *part = (const float *)g.a +
                        (long long)blockIdx.z * g.slices * g.m * g.n + row;
    Output<float> out(g, batch, batch);
    float sum[4] = {};

    if (row >= g.m)
        return;
    for (long long n = blockIdx.y; n < g.n; n += gridDim.y) {
        for (int i = 0; i < 4; i++)
            sum[i] = 0;
        for (int slice = 0; slice < g.slices; slice++)
            for (int i = 0; i < 4; i++)
                if (row + i < g.m)
                    sum[i] += part[((long long)slice * g.n + n) * g.m + i];
        out.put(row, (int)n, sum);
    }
}
