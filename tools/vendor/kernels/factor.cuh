/*
 * Factorizations of a matrix by one block, column after column, and what else
 * the kernels of cuBLAS for batches of small matrices share with those of
 * cuSOLVER for panels of large ones.  Unless said otherwise a warp has a column,
 * whose elements its lanes go down.
 */
#ifndef TEG_TOOLS_VENDOR_KERNELS_FACTOR_CUH
#define TEG_TOOLS_VENDOR_KERNELS_FACTOR_CUH

#include "factor.h"

template <class T> __device__ T *matrix_of(const dense &d, int batch)
{
    return d.arrays ? ((T *const *)d.at)[batch] + d.first
                    : (T *)d.at + batch * d.batch;
}

__device__ inline int lane_of()
{
    return threadIdx.x % 32;
}
__device__ inline int warp_of()
{
    return threadIdx.x / 32;
}
__device__ inline int warps_of()
{
    return blockDim.x / 32;
}

template <class T> __device__ T warp_sum(T x)
{
    for (int i = 16; i > 0; i /= 2)
        x += __shfl_xor_sync(~0u, x, i);
    return x;
}

/* What the first lanes of warps have, one each, by every warp; others: `x`. */
template <class T> __device__ T each_warp(T *part, T own, T x)
{
    __syncthreads();
    if (lane_of() == 0)
        part[warp_of()] = own;
    __syncthreads();
    return lane_of() < warps_of() ? part[lane_of()] : x;
}

/* Of all threads, to all; in an order that is always the same. */
template <class T> __device__ T block_sum(T x)
{
    __shared__ T part[32];

    return warp_sum(each_warp(part, warp_sum(x), T(0)));
}

template <class T> __device__ T warp_most(T x)
{
    for (int i = 16; i > 0; i /= 2)
        x = max(x, __shfl_xor_sync(~0u, x, i));
    return x;
}

/* The largest number of all threads', to all; none is less than -1. */
template <class T> __device__ T block_most(T x)
{
    __shared__ T part[32];

    return warp_most(each_warp(part, warp_most(x), T(-1)));
}

/* Where the largest number is; of equal ones the first. */
template <class T> struct Largest {
    T x;
    int at;

    __device__ void of_warp()
    {
        for (int i = 16; i > 0; i /= 2) {
            const T other = __shfl_xor_sync(~0u, x, i);
            const int there = __shfl_xor_sync(~0u, at, i);

            if (other > x || (other == x && there < at)) {
                x = other;
                at = there;
            }
        }
    }
};
template <class T> __device__ int block_largest(T x, int at)
{
    __shared__ Largest<T> part[32];
    Largest<T> own = {x, at};

    own.of_warp();
    own = each_warp(part, own, {T(-2), 0x7fffffff});
    own.of_warp();
    return own.at;
}

/* ---- a block's matrix, on the SM if it fits ------------------------------------- */

/* `Work` is given the matrix and its steps. */
template <class T, class Work>
__device__ void on_matrix(const factor_args &g, Work work)
{
    extern __shared__ double shared_matrix[];
    T *a = matrix_of<T>(g.a, blockIdx.x), *s = (T *)shared_matrix;
    const int ld = g.m | 1;

    if (!g.staged)
        return work(a, g.a.row, g.a.column);
    for (int i = threadIdx.x; i < g.m * g.n; i += blockDim.x)
        s[i % g.m + i / g.m * ld] =
            a[i % g.m * g.a.row + i / g.m * g.a.column];
    __syncthreads();
    work(s, 1, ld);
    __syncthreads();
    for (int i = threadIdx.x; i < g.m * g.n; i += blockDim.x)
        a[i % g.m * g.a.row + i / g.m * g.a.column] =
            s[i % g.m + i / g.m * ld];
}

enum {
    AT_ONCE = 4, /* elements of a lane that are loaded before one is stored */
};

/* A warp's column less x times another, from row `i` on. */
template <class T>
__device__ void take(T *to, const T *from, T x, int i, int m)
{
    for (i += lane_of(); i < m; i += 32 * AT_ONCE) {
        T y[AT_ONCE], z[AT_ONCE];

#pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
            if (i + 32 * k < m) {
                y[k] = to[i + 32 * k];
                z[k] = from[i + 32 * k];
            }
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
            if (i + 32 * k < m)
                to[i + 32 * k] = y[k] - z[k] * x;
    }
}

/* ---- LU --------------------------------------------------------------------------- */

/* Rows change so that each pivot is the largest of its column; a column's elements
 * lie side by side.  Returns the first column whose pivot is 0, from 1; 0: there is
 * none. */
template <class T, class Step>
__device__ int lu(T *a, Step column, int m, int n, int *pivots, int first)
{
    int zero = 0;

    for (int k = 0; k < m && k < n; k++) {
        T *at = a + k * column;
        T pivot, scale;

        if (pivots != nullptr) {
            T most = -1;
            int where = k;

            for (int i = k + threadIdx.x; i < m; i += blockDim.x) {
                T x = fabs(at[i]);

                if (x > most) {
                    most = x;
                    where = i;
                }
            }
            where = block_largest(most, where);
            if (threadIdx.x == 0)
                pivots[k] = first + where + 1;
            if (where != k)
                for (int c = threadIdx.x; c < n; c += blockDim.x) {
                    T x = a[k + c * column];

                    a[k + c * column] = a[where + c * column];
                    a[where + c * column] = x;
                }
            __syncthreads();
        }
        pivot = at[k];
        if (pivot == 0) {
            zero = zero == 0 ? k + 1 : zero;
            continue;
        }
        scale = 1 / pivot;
        for (int i = k + 1 + threadIdx.x; i < m; i += blockDim.x)
            at[i] *= scale;
        __syncthreads();
        for (int c = k + 1 + warp_of(); c < n; c += warps_of()) {
            T *to = a + c * column;

            take(to, at, to[k], k + 1, m);
        }
        __syncthreads();
    }
    return zero;
}

template <class T> __device__ void factor_lu(const factor_args &g)
{
    int *pivots = g.pivots != nullptr
                      ? g.pivots + blockIdx.x * g.pivots_batch
                      : nullptr;
    int zero = 0;

    on_matrix<T>(g, [&](T *a, auto, auto column) {
        zero = lu(a, column, g.m, g.n, pivots, g.first);
    });
    if (threadIdx.x == 0 && g.info != nullptr &&
        (g.first == 0 || (zero != 0 && g.info[blockIdx.x] == 0)))
        g.info[blockIdx.x] = zero != 0 ? g.first + zero : 0;
}

/* Row after row, as the pivots were chosen. */
template <class T> __device__ void swap_rows(const swap_args &g)
{
    const int c = blockIdx.y * blockDim.x + threadIdx.x;
    const int *pivots = (const int *)g.pivots + blockIdx.x * g.pivots_batch;
    const long long *wide = (const long long *)g.pivots;
    T *a = matrix_of<T>(g.a, blockIdx.x) + c * g.a.column;

    if (c >= g.columns)
        return;
    for (int i = g.from; i < g.to; i++) {
        const int k = g.backwards ? g.to - 1 - (i - g.from) : i;
        const int other = (g.wide ? (int)wide[k] : pivots[k]) - 1;

        if (other != k) {
            T x = a[k * g.a.row];

            a[k * g.a.row] = a[other * g.a.row];
            a[other * g.a.row] = x;
        }
    }
}

/* ---- Cholesky ---------------------------------------------------------------------- */

enum {
    STRIP = 16, /* columns that are taken from all behind them at once */
};

/* The square on a strip's diagonal, by a warp whose lanes have a row each.  Returns
 * the first column that is not positive, from 1; it and what is behind it stay as
 * they have become. */
template <class T, class Step>
__device__ int cholesky_square(T *a, Step row, Step column, int n)
{
    const int lane = lane_of();
    T x[STRIP];
    int bad = 0;

#pragma unroll
    for (int k = 0; k < STRIP; k++)
        x[k] = lane < n && k <= lane ? a[lane * row + k * column]
               : lane == k           ? T(1)
                                     : T(0);
#pragma unroll
    for (int k = 0; k < STRIP; k++) {
        const T square = __shfl_sync(~0u, x[k], k);

        if (bad == 0 && !(square > 0))
            bad = k + 1;
        if (bad != 0)
            continue;
        x[k] *= rsqrt(square);
        if (lane == k)
            x[k] = sqrt(square);
#pragma unroll
        for (int c = k + 1; c < STRIP; c++)
            x[c] -= x[k] * __shfl_sync(~0u, x[k], c);
    }
#pragma unroll
    for (int k = 0; k < STRIP; k++)
        if (lane < n && k <= lane)
            a[lane * row + k * column] = x[k];
    return bad;
}

/* Of the lower triangle, strip by strip.  Returns the first column that is not
 * positive, from 1. */
template <class T, class Step>
__device__ int cholesky(T *a, Step row, Step column, int n)
{
    __shared__ int failed;

    for (int k = 0; k < n; k += STRIP) {
        const int width = min((int)STRIP, n - k), end = k + width;
        T *square = a + k * (row + column);

        if (warp_of() == 0) {
            const int bad = cholesky_square(square, row, column, width);

            if (lane_of() == 0)
                failed = bad != 0 ? k + bad : 0;
        }
        __syncthreads();
        if (failed != 0 || end == n)
            return failed;
        /* a thread has a row of the strip */
        for (int i = end + threadIdx.x; i < n; i += blockDim.x) {
            T *at = a + i * row + k * column;
            T x[STRIP];

#pragma unroll
            for (int c = 0; c < STRIP; c++)
                x[c] = at[c * column];
#pragma unroll
            for (int c = 0; c < STRIP; c++) {
#pragma unroll
                for (int j = 0; j < c; j++)
                    x[c] -= x[j] * square[c * row + j * column];
                x[c] /= square[c * (row + column)];
            }
#pragma unroll
            for (int c = 0; c < STRIP; c++)
                at[c * column] = x[c];
        }
        __syncthreads();
        for (int c = end + warp_of(); c < n; c += warps_of()) {
            const T *own = a + c * row + k * column;

            for (int i = c + lane_of(); i < n; i += 32) {
                const T *at = a + i * row + k * column;
                T sum = 0;

#pragma unroll 8
                for (int j = 0; j < STRIP; j++)
                    sum += at[j * column] * own[j * column];
                a[i * row + c * column] -= sum;
            }
        }
        __syncthreads();
    }
    return 0;
}

template <class T> __device__ void factor_cholesky(const factor_args &g)
{
    int bad = 0;

    if (g.first != 0 && g.info[blockIdx.x] != 0)
        return; /* an earlier panel has failed */
    on_matrix<T>(g, [&](T *a, auto row, auto column) {
        bad = cholesky(a, row, column, g.n);
    });
    if (threadIdx.x == 0)
        g.info[blockIdx.x] = bad != 0 ? g.first + bad : 0;
}

/* ---- QR ------------------------------------------------------------------------------ */

/* By reflections I - tau v v', whose v begins with a 1 that is not stored and
 * lies below the diagonal; a column's elements lie side by side. */
template <class T, class Step>
__device__ void qr(T *a, Step column, int m, int n, T *tau,
                   long long tau_step)
{
    for (int k = 0; k < m && k < n; k++) {
        T *at = a + k * column;
        const double head = at[k];
        double square = 0, beta, scale;
        T t;

        for (int i = k + 1 + threadIdx.x; i < m; i += blockDim.x) {
            const double x = at[i];

            square += x * x;
        }
        square = block_sum(square);
        if (square == 0) {
            if (threadIdx.x == 0)
                tau[k * tau_step] = 0;
            continue; /* it is triangular there already */
        }
        beta = sqrt(head * head + square);
        beta = head > 0 ? -beta : beta;
        t = (T)((beta - head) / beta);
        scale = 1 / (head - beta);
        for (int i = k + 1 + threadIdx.x; i < m; i += blockDim.x)
            at[i] = (T)(at[i] * scale);
        __syncthreads();
        for (int c = k + 1 + warp_of(); c < n; c += warps_of()) {
            T *to = a + c * column;
            T sum = 0;

#pragma unroll 4
            for (int i = k + 1 + lane_of(); i < m; i += 32)
                sum += at[i] * to[i];
            sum = t * (warp_sum(sum) + to[k]);
            take(to, at, sum, k + 1, m);
            __syncwarp();
            if (lane_of() == 0)
                to[k] -= sum;
        }
        if (threadIdx.x == 0) {
            at[k] = (T)beta;
            tau[k * tau_step] = t;
        }
        __syncthreads();
    }
}

template <class T> __device__ void factor_qr(const factor_args &g)
{
    T *tau = matrix_of<T>(g.tau, blockIdx.x);

    on_matrix<T>(g, [&](T *a, auto, auto column) {
        qr(a, column, g.m, g.n, tau, g.tau.row);
    });
    if (threadIdx.x == 0 && g.info != nullptr)
        g.info[blockIdx.x] = 0;
}

/* One after the other, on a warp's column of B. */
template <class T> __device__ void reflect(const reflect_args &g)
{
    const int c = blockIdx.y * warps_of() + warp_of();
    const T *a = matrix_of<T>(g.a, blockIdx.x);
    const T *tau = matrix_of<T>(g.tau, blockIdx.x);
    T *b = matrix_of<T>(g.b, blockIdx.x) + c * g.b.column;

    if (c >= g.columns)
        return;
    for (int i = 0; i < g.k; i++) {
        const int k = g.backwards ? g.k - 1 - i : i;
        const T *v = a + k * g.a.column;
        T sum = 0;

        for (int r = k + 1 + lane_of(); r < g.m; r += 32)
            sum += v[r * g.a.row] * b[r * g.b.row];
        sum = tau[k * g.tau.row] * (warp_sum(sum) + b[k * g.b.row]);
        __syncwarp();
        for (int r = k + 1 + lane_of(); r < g.m; r += 32)
            b[r * g.b.row] -= v[r * g.a.row] * sum;
        if (lane_of() == 0)
            b[k * g.b.row] -= sum;
        __syncwarp();
    }
}

/* ---- a matrix that is made of another ---------------------------------------------------- */

template <class T> __device__ void make_shape(const shape_args &g)
{
    const T *from = matrix_of<T>(g.from, blockIdx.x);
    T *to = matrix_of<T>(g.to, blockIdx.x);
    const long long all = (long long)g.m * g.n;

    for (long long i = blockIdx.y * (long long)blockDim.x + threadIdx.x;
         i < all; i += (long long)gridDim.y * blockDim.x) {
        const long long r = i % g.m, c = i / g.m;
        const int what = r < c    ? g.above
                         : r == c ? g.diagonal
                                  : g.below;
        T *x = to + r * g.to.row + c * g.to.column;

        if (what == SHAPE_COPY)
            *x = from[r * g.from.row + c * g.from.column];
        else if (what == SHAPE_MIRROR)
            *x = from[c * g.from.row + r * g.from.column];
        else if (what != SHAPE_KEEP)
            *x = what == SHAPE_ONE;
    }
}

#endif
