/*
 * Teg's kernels for triangles, in place of those of cuBLAS.  Compiled by
 * tools/make_kernels.sh; launched by tools/cublas/triangle.c.
 *
 *   trsm  X = alpha inverse(L) B: a block has 32 columns of B and goes down L by
 *         rows of tiles.  From a tile of B it takes the product of the tiles of
 *         L to the left and the X above; then each lane of a warp has a row
 *         and hands its X to those below.  Sides, transposes and upper
 *         triangles are steps from row to row and column to column that the
 *         host chooses.
 *   syrk  one triangle of C = alpha A A' + beta C: tiles of a product, those
 *         across the diagonal left out
 */
#include "../../vendor/kernels/factor.cuh"
#include "../../vendor/kernels/matrix.cuh"

enum {
    TILE = 32,
    EACH = TRIANGLE_COLUMNS / (TRIANGLE_THREADS / 32), /* columns of a warp */
};

/* ---- solving ------------------------------------------------------------------ */

/* Threads go along what lies side by side in memory.  What is outside is 0. */
template <class T, class Move>
__device__ void each_of_tile(const dense &d, Move move)
{
    const bool rows = d.row == 1 || d.row == -1;

    for (int i = threadIdx.x; i < TILE * TILE; i += TRIANGLE_THREADS)
        move(rows ? i % TILE : i / TILE, rows ? i / TILE : i % TILE);
}

template <class T>
__device__ void bring(T (*tile)[TILE + 1], const T *at, const dense &d, int row,
                      int rows, int column, int columns)
{
    each_of_tile<T>(d, [&](int r, int c) {
        tile[r][c] = row + r < rows && column + c < columns
                         ? at[(row + r) * d.row + (column + c) * d.column]
                         : T(0);
    });
}

template <class T>
__device__ void solve(const triangle_args &g, const T *a, T *b, T alpha)
{
    __shared__ T tile[TILE][TILE + 1], x[TILE][TILE + 1];
    const int lane = lane_of(), own = warp_of() * EACH;
    const int column = blockIdx.y * TRIANGLE_COLUMNS;
    T sum[EACH];

    for (int row = 0; row < g.n; row += TILE) {
        T scale = 1;

        bring(x, b, g.b, row, g.n, column, g.columns);
        __syncthreads();
#pragma unroll
        for (int c = 0; c < EACH; c++)
            sum[c] = alpha != T(0) ? alpha * x[lane][own + c] : T(0);
        __syncthreads();
        for (int k = 0; k < row && alpha != T(0); k += TILE) {
            bring(tile, a, g.a, row, g.n, k, g.n);
            bring(x, b, g.b, k, g.n, column, g.columns);
            __syncthreads();
#pragma unroll 8
            for (int i = 0; i < TILE; i++)
#pragma unroll
                for (int c = 0; c < EACH; c++)
                    sum[c] -= tile[lane][i] * x[i][own + c];
            __syncthreads();
        }
        bring(tile, a, g.a, row, g.n, row, g.n);
        __syncthreads();
        if (!g.unit && row + lane < g.n)
            scale = 1 / tile[lane][lane];
#pragma unroll 4
        for (int i = 0; i < TILE && alpha != T(0); i++) {
            const T from = lane > i ? tile[lane][i] : T(0);

#pragma unroll
            for (int c = 0; c < EACH; c++) {
                if (lane == i)
                    sum[c] *= scale;
                sum[c] -= from * __shfl_sync(~0u, sum[c], i);
            }
        }
#pragma unroll
        for (int c = 0; c < EACH; c++)
            x[lane][own + c] = sum[c];
        __syncthreads();
        each_of_tile<T>(g.b, [&](int r, int c) {
            if (row + r < g.n && column + c < g.columns)
                b[(row + r) * g.b.row + (column + c) * g.b.column] = x[r][c];
        });
        __syncthreads();
    }
}

template <class T> __device__ void trsm(const triangle_args &g)
{
    const T alpha = scale_of<T>(
        g.alpha, sizeof(T) == sizeof(double) ? PRODUCT_F64 : PRODUCT_F32);

    solve(g, matrix_of<T>(g.a, blockIdx.x), matrix_of<T>(g.b, blockIdx.x),
          alpha);
}

/* ---- a triangle of a product ------------------------------------------------------ */

/* Sums of one triangle are stored. */
template <class T> struct Triangle {
    const Args &g;
    const InOrder place_of;
    const T alpha, beta;

    __device__ Triangle(const Args &g)
        : g(g), place_of{g.n}, alpha(scale_of<T>(g.alpha, g.scale)),
          beta(scale_of<T>(g.beta, g.scale))
    {
    }
    __device__ void put(int row, int column, const T *sum)
    {
        T *d = (T *)g.d + row + column * g.ldd;

        for (int i = 0; i < 4 && row + i < g.m; i++)
            if (g.finish ? row + i <= column : row + i >= column)
                d[i] = alpha * sum[i] + (beta != T(0) ? beta * d[i] : T(0));
    }
};

/* `finish`: it is the upper one. */
template <class T, int TILE, int BK, int TM, int TN, bool ROWS>
__device__ void syrk(const Args &g)
{
    constexpr int THREADS = TILE / TM * (TILE / TN);
    const Part<TILE, TILE> part(g);

    if (g.finish ? part.row > part.column : part.row < part.column)
        return;
    Share<T, TILE, BK, THREADS, ROWS> a((const T *)g.a, g.lda, part.row, g.m, 0,
                                        g.k);
    Share<T, TILE, BK, THREADS, ROWS> b((const T *)g.a, g.lda, part.column, g.n,
                                        0, g.k);

    sums<T, TILE, TILE, BK, TM, TN>(a, b, g.k, part.row, part.column,
                                    [&] { return Triangle<T>(g); });
}

#define KERNEL(name, threads, Given, function)                               \
    extern "C" __global__ void __launch_bounds__(threads)                    \
        teg_cublas_##name(const __grid_constant__ Given g)                   \
    {                                                                        \
        function(g);                                                         \
    }
KERNEL(strsm, TRIANGLE_THREADS, triangle_args, trsm<float>)
KERNEL(dtrsm, TRIANGLE_THREADS, triangle_args, trsm<double>)
#define SYRK(letter, T, BK)                                              \
    KERNEL(letter##syrk_64x64_n, 128, Args, (syrk<T, 64, BK, 4, 8, true>)) \
    KERNEL(letter##syrk_64x64_t, 128, Args, (syrk<T, 64, BK, 4, 8, false>))
SYRK(s, float, 16)
SYRK(d, double, 8)
