/*
 * Teg's kernels for matrix products on Hopper: tensor maps bring tiles, groups
 * of four warps multiply them out of shared memory (wgmma).  Compiled by
 * tools/make_kernels.sh for sm_90a; the rest is in product.cu.
 */
#include "../../vendor/kernels/wgmma.cuh"

#if __CUDA_ARCH__ >= 900

/* A block's product, and what brings its tiles. */
template <int BM, bool A_ROWS, bool B_ROWS> struct Tiles {
    typedef Operand<BM, A_ROWS> A;
    typedef Operand<BN, B_ROWS> B;
    const product_mapped &h;
    const Part<BM, BN> part;

    __device__ Tiles(const product_mapped &h) : h(h), part(h.args)
    {
    }
    __device__ void operator()(unsigned a, unsigned b, int step,
                               unsigned barrier)
    {
        int k = part.from + step * BK;

        A::load(a, &h.a, part.row, k, part.batch, barrier);
        B::load(b, &h.b, part.column, k, part.batch, barrier);
    }
};

template <class T, int BM, int STAGES, bool A_ROWS, bool B_ROWS>
__device__ void groups(const product_mapped &h)
{
    typedef Tiles<BM, A_ROWS, B_ROWS> Load;
    constexpr int LINE = BM + 4; /* words */
    const Load tiles(h);
    const auto &part = tiles.part;

    by_groups<T, BM, typename Load::A, typename Load::B, Load>(
        STAGES, (part.to - part.from + BK - 1) / BK, tiles,
        [&](char *s, float(&sum)[BM / 2]) {
            const int warp = threadIdx.x / 32;
            float(*lines)[LINE] = (float(*)[LINE])(s + warp * 16 * LINE * 4);
            Output<float> out(h.args, part.batch, part.slot);

            put_columns<BM, LINE>(lines, threadIdx.x % 32 / 4, sum);
            __syncwarp();
            out.lines<BM, LINE>(&lines[0][0], part.row,
                                part.column + warp * 16);
        });
}

#define KERNEL(name, blocks, ...)                                   \
    extern "C" __global__ void __launch_bounds__(THREADS, blocks)   \
        teg_cublas_##name(const __grid_constant__ product_mapped h) \
    {                                                               \
        groups<__VA_ARGS__>(h);                                     \
    }
#else
#define KERNEL(name, blocks, ...)
#endif

#define OPERATIONS(name, blocks, ...)                    \
    KERNEL(name##_nn, blocks, __VA_ARGS__, true, false)  \
    KERNEL(name##_nt, blocks, __VA_ARGS__, true, true)   \
    KERNEL(name##_tn, blocks, __VA_ARGS__, false, false) \
    KERNEL(name##_tt, blocks, __VA_ARGS__, false, true)

OPERATIONS(hgemm_wgmma_256x128, 1, __half, 256, 4)
OPERATIONS(hgemm_wgmma_128x128, 2, __half, 128, 3)
OPERATIONS(bgemm_wgmma_256x128, 1, __nv_bfloat16, 256, 4)
OPERATIONS(bgemm_wgmma_128x128, 2, __nv_bfloat16, 128, 3)
