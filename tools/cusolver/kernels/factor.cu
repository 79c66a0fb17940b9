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

/* ---- symmetric matrices: L D L' ------------------------------------------------- */

/* The number of a row, from 1, as the matrix is stored. */
__device__ int stored(const symmetric_args &g, int row)
{
    return g.backwards ? g.n - row : row + 1;
}

/* By Bunch's and Kaufman's rule: a pivot of one row unless it is small beside what
 * stands below it, or beside another row's; else of two.  Returns how many rows it
 * has; `*with` is what the last of them changes with. */
template <class T>
__device__ int choose_pivot(const T *a, const dense &d, int n, int k, int *with,
                            bool *is_zero)
{
    const T alpha = (T)0.6403882032022076; /* (1 + sqrt(17)) / 8 */
    const T own = fabs(a[k * (d.row + d.column)]);
    T most = -1, row = -1, below;
    int where = k + 1;

    *with = k;
    for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x) {
        const T x = fabs(a[i * d.row + k * d.column]);

        if (x > most) {
            most = x;
            where = i;
        }
    }
    where = block_largest(most, where);
    below = k + 1 < n ? fabs(a[where * d.row + k * d.column]) : T(0);
    *is_zero = max(own, below) == 0;
    if (*is_zero || own >= alpha * below)
        return 1;
    for (int i = k + threadIdx.x; i < n; i += blockDim.x) {
        const T x = i == where  ? T(0)
                    : i < where ? fabs(a[where * d.row + i * d.column])
                                : fabs(a[i * d.row + where * d.column]);

        row = max(row, x);
    }
    row = block_most(row);
    if (own >= alpha * below * (below / row))
        return 1;
    *with = where;
    return fabs(a[where * (d.row + d.column)]) >= alpha * row ? 1 : 2;
}

template <class T> __device__ void change(T &a, T &b)
{
    const T x = a;

    a = b;
    b = x;
}

/* Row and column `k` of what is left with `other`, which is further down. */
template <class T>
__device__ void change_both(T *a, const dense &d, int n, int k, int other)
{
    for (int i = k + threadIdx.x; i < n; i += blockDim.x) {
        if (i == k)
            change(a[k * (d.row + d.column)],
                   a[other * (d.row + d.column)]);
        else if (i < other)
            change(a[i * d.row + k * d.column],
                   a[other * d.row + i * d.column]);
        else if (i > other)
            change(a[i * d.row + k * d.column],
                   a[i * d.row + other * d.column]);
    }
}

/* What a row of L has of a pivot's rows: of two, by the inverse of their block. */
template <class T> struct Block {
    T d11, d22, d21;

    __device__ Block(const T *at, const dense &d, int rows)
    {
        const T first = at[0];

        if (rows == 1) {
            d11 = 1 / first;
            return;
        }
        const T beside = at[d.row], second = at[d.row + d.column];

        d11 = second / beside;
        d22 = first / beside;
        d21 = 1 / (d11 * d22 - 1) / beside;
    }
    __device__ T first(T x, T y, int rows) const
    {
        return rows == 1 ? x * d11 : d21 * (d11 * x - y);
    }
    __device__ T second(T x, T y) const
    {
        return d21 * (d22 * y - x);
    }
};

template <class T> __device__ void sytf2(const symmetric_args &g)
{
    const dense &d = g.a;
    const int n = g.n;
    T *a = matrix_of<T>(d, 0);
    int *pivots = (int *)g.pivots, info = 0, rows;

    for (int k = 0; k < n; k += rows) {
        T *at = a + k * (d.row + d.column);
        bool is_zero = false;
        int with = k;

        rows = 1;
        if (pivots != nullptr)
            rows = choose_pivot(a, d, n, k, &with, &is_zero);
        else
            is_zero = *at == 0;
        if (threadIdx.x < rows && pivots != nullptr)
            pivots[g.backwards ? n - 1 - k - (int)threadIdx.x
                               : k + (int)threadIdx.x] =
                rows == 1 ? stored(g, with) : -stored(g, with);
        __syncthreads();
        if (is_zero) {
            info = info == 0 ? stored(g, k) : info;
            continue;
        }
        if (with != k + rows - 1) {
            change_both(a, d, n, k + rows - 1, with);
            if (rows == 2 && threadIdx.x == 0)
                change(at[d.row], a[with * d.row + k * d.column]);
            __syncthreads();
        }
        const Block<T> block(at, d, rows);
        for (int c = k + rows + warp_of(); c < n; c += warps_of()) {
            T *to = a + c * d.column;
            const T *from = a + k * d.column;
            const T x = from[c * d.row];
            const T y = rows == 2 ? from[c * d.row + d.column] : T(0);
            const T first = block.first(x, y, rows);
            const T second = rows == 2 ? block.second(x, y) : T(0);

            for (int i = c + lane_of(); i < n; i += 32) {
                T sum = from[i * d.row] * first;

                if (rows == 2)
                    sum += from[i * d.row + d.column] * second;
                to[i * d.row] -= sum;
            }
        }
        __syncthreads();
        for (int i = k + rows + threadIdx.x; i < n; i += blockDim.x) {
            T *to = a + i * d.row + k * d.column;
            const T x = *to, y = rows == 2 ? to[d.column] : T(0);

            *to = block.first(x, y, rows);
            if (rows == 2)
                to[d.column] = block.second(x, y);
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *g.info = info;
}

/* The pivot of a row: the row that it changes with, and whether it has two. */
__device__ int pivot_of(const symmetric_args &g, int k, bool *two)
{
    const int at = g.backwards ? g.n - 1 - k : k;
    const int x = g.pivots == nullptr ? stored(g, k)
                  : g.wide            ? (int)((const long long *)g.pivots)[at]
                                      : ((const int *)g.pivots)[at];

    *two = x < 0;
    return g.backwards ? g.n - abs(x) : abs(x) - 1;
}

template <class T> __device__ void swap_of_column(T *b, long long row, int k, int other)
{
    __syncwarp();
    if (lane_of() == 0 && other != k)
        change(b[k * row], b[other * row]);
    __syncwarp();
}

/* The products of what is below with columns k and, of two, k - 1 of L. */
template <class T> __device__ void sytrs(const symmetric_args &g)
{
    const int c = blockIdx.y * warps_of() + warp_of(), n = g.n;
    const dense &d = g.a;
    const T *a = matrix_of<T>(d, 0);
    T *b = matrix_of<T>(g.b, 0) + c * g.b.column;
    bool two;

    if (c >= g.columns)
        return;
    for (int k = 0; k < n; k += two ? 2 : 1) {
        const int with = pivot_of(g, k, &two), last = two ? k + 1 : k;
        const T *at = a + k * (d.row + d.column);

        swap_of_column(b, g.b.row, last, with);
        const T x = b[k * g.b.row], y = two ? b[last * g.b.row] : T(0);
        for (int i = last + 1 + lane_of(); i < n; i += 32) {
            const T *l = a + i * d.row + k * d.column;

            b[i * g.b.row] -= l[0] * x + (two ? l[d.column] * y : T(0));
        }
        __syncwarp();
        if (lane_of() == 0) {
            const Block<T> block(at, d, two ? 2 : 1);

            b[k * g.b.row] = block.first(x, y, two ? 2 : 1);
            if (two)
                b[last * g.b.row] = block.second(x, y);
        }
        __syncwarp();
    }
    for (int k = n - 1; k >= 0; k -= two ? 2 : 1) {
        const int with = pivot_of(g, k, &two), first = two ? k - 1 : k;
        T sum = 0, other = 0;

        for (int i = k + 1 + lane_of(); i < n; i += 32) {
            const T *l = a + i * d.row + first * d.column;

            other += l[0] * b[i * g.b.row];
            if (two)
                sum += l[d.column] * b[i * g.b.row];
        }
        other = warp_sum(other);
        sum = warp_sum(sum);
        __syncwarp();
        if (lane_of() == 0) {
            b[first * g.b.row] -= other;
            if (two)
                b[k * g.b.row] -= sum;
        }
        swap_of_column(b, g.b.row, k, with);
    }
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
    KERNEL(letter##getf2, PANEL_THREADS, factor_args, factor_lu<T>)  \
    KERNEL(letter##laswp, FACTOR_THREADS, swap_args, swap_rows<T>)    \
    KERNEL(letter##potf2, FACTOR_THREADS, factor_args,                \
           factor_cholesky<T>)                                        \
    KERNEL(letter##geqr2, PANEL_THREADS, factor_args, factor_qr<T>)  \
    KERNEL(letter##larft, PANEL, larft_args, larft<T>)                \
    KERNEL(letter##orm2r, FACTOR_THREADS, reflect_args, reflect<T>)   \
    KERNEL(letter##shape, FACTOR_THREADS, shape_args, make_shape<T>)  \
    KERNEL(letter##sytf2, FACTOR_THREADS, symmetric_args, sytf2<T>)   \
    KERNEL(letter##sytrs, FACTOR_THREADS, symmetric_args, sytrs<T>)
#define KERNEL(name, threads, Given, function)              \
    extern "C" __global__ void __launch_bounds__(threads)   \
        teg_cusolver_##name(const __grid_constant__ Given g) \
    {                                                       \
        function(g);                                        \
    }
KERNELS(s, float)
KERNELS(d, double)
