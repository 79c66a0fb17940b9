/*
 * Teg's kernels for singular values, in place of those of cuSOLVER.  Compiled by
 * tools/make_kernels.sh; launched by tools/cusolver/singular.c.
 *
 * One-sided Jacobi: pairs of columns of A are turned until all stand at right
 * angles; then their lengths are the singular values, and what V has become by
 * the same rotations are the right vectors.  Columns no longer than what
 * rounding leaves of A are left alone, for they have no direction.
 */
#include "jacobi.cuh"

/* Of a pair: whether it has to be turned, by the products of its columns. */
template <class T>
__device__ bool is_askew(T pp, T qq, T pq, T tolerance, T least)
{
    return min(pp, qq) > least && fabs(pq) > tolerance * sqrt(pp) * sqrt(qq);
}

/* A block has a matrix, a warp a pair. */
template <class T> __device__ void gesvj(const jacobi_args &g)
{
    const Pairs pairs(g.n);
    T *a = matrix_of<T>(g.a, blockIdx.x);
    T *v = g.v.at != nullptr ? matrix_of<T>(g.v, blockIdx.x) : nullptr;
    const T tolerance = (T)g.tolerance;
    const T least = (T)(g.square[blockIdx.x] * g.tolerance * g.tolerance);
    int sweeps = 0, turned = 1;

    while (turned != 0 && sweeps < g.sweeps) {
        turned = 0;
        for (int round = 0; round < pairs.rounds(); round++) {
            int mine = 0;

            for (int i = warp_of(); i < pairs.count(); i += warps_of()) {
                T pp = 0, qq = 0, pq = 0;
                int p, q;

                if (!pairs.find(round, i, p, q))
                    continue;
                T *x = a + p * g.a.column, *y = a + q * g.a.column;
                for (int r = lane_of(); r < g.m; r += 32) {
                    pp += x[r] * x[r];
                    qq += y[r] * y[r];
                    pq += x[r] * y[r];
                }
                pp = warp_sum(pp);
                qq = warp_sum(qq);
                pq = warp_sum(pq);
                if (!is_askew(pp, qq, pq, tolerance, least))
                    continue;
                const Turn<T> turn(pp, qq, pq);
                mine = 1;
                for (int r = lane_of(); r < g.m; r += 32)
                    turn(x[r], y[r]);
                if (v != nullptr)
                    for (int r = lane_of(); r < g.n; r += 32)
                        turn(v[r + p * g.v.column], v[r + q * g.v.column]);
            }
            turned += __syncthreads_count(mine);
        }
        sweeps++;
    }
    if (threadIdx.x == 0) {
        if (g.info != nullptr)
            g.info[blockIdx.x] = turned != 0 ? g.n + 1 : 0;
        if (g.report != nullptr)
            g.report[blockIdx.x] = {0, sweeps, turned};
    }
}

/* Of a large matrix, one round: a block has a pair. */
template <class T> __device__ void gesvj_round(const jacobi_args &g)
{
    const T tolerance = (T)g.tolerance;
    const T least = (T)(*g.square * g.tolerance * g.tolerance);
    T pp = 0, qq = 0, pq = 0;
    int p, q;

    if (!Pairs(g.n).find(g.round, blockIdx.x, p, q))
        return;
    T *x = (T *)g.a.at + p * g.a.column, *y = (T *)g.a.at + q * g.a.column;
    for (int r = threadIdx.x; r < g.m; r += blockDim.x) {
        pp += x[r] * x[r];
        qq += y[r] * y[r];
        pq += x[r] * y[r];
    }
    pp = block_sum(pp);
    qq = block_sum(qq);
    pq = block_sum(pq);
    if (!is_askew(pp, qq, pq, tolerance, least))
        return;
    const Turn<T> turn(pp, qq, pq);
    for (int r = threadIdx.x; r < g.m; r += blockDim.x)
        turn(x[r], y[r]);
    if (g.v.at != nullptr) {
        T *v = (T *)g.v.at;

        for (int r = threadIdx.x; r < g.n; r += blockDim.x)
            turn(v[r + p * g.v.column], v[r + q * g.v.column]);
    }
    if (threadIdx.x == 0)
        atomicAdd(&g.report->turns, 1);
}

template <class T> __device__ void square(const square_args &g)
{
    const T *a = matrix_of<T>(g.a, blockIdx.x);
    double sum = 0;

    for (int c = warp_of(); c < g.n; c += warps_of())
        for (int r = lane_of(); r < g.m; r += 32) {
            const double x = a[r * g.a.row + c * g.a.column];

            sum += x * x;
        }
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        g.square[blockIdx.x] = sum;
}

template <class T> __device__ void norms(const norm_args &g)
{
    const int c = blockIdx.y * warps_of() + warp_of();
    T *a = matrix_of<T>(g.a, blockIdx.x) + c * g.a.column;
    double sum = 0;

    if (c >= g.n)
        return;
    for (int r = lane_of(); r < g.m; r += 32)
        sum += (double)a[r] * a[r];
    sum = sqrt(warp_sum(sum));
    if (lane_of() == 0)
        matrix_of<T>(g.norms, blockIdx.x)[c * g.norms.row] = (T)sum;
    sum = sum > g.least * sqrt(g.square[blockIdx.x]) ? 1 / sum : 0;
    for (int r = lane_of(); r < g.m; r += 32)
        a[r] = (T)(a[r] * sum);
}

template <class T> __device__ void signs(const sign_args &g)
{
    const int c = blockIdx.y * warps_of() + warp_of();

    if (c >= g.n ||
        !(matrix_of<T>(g.r, blockIdx.x)[c * (g.r.row + g.r.column)] < 0))
        return;
    T *q = matrix_of<T>(g.q, blockIdx.x) + c * g.q.column;
    for (int r = lane_of(); r < g.m; r += 32)
        q[r * g.q.row] = -q[r * g.q.row];
}

template <class T> __device__ void rest(const rest_args &g)
{
    const T *a = matrix_of<T>(g.a, blockIdx.x), *u = matrix_of<T>(g.u, blockIdx.x);
    const T *s = matrix_of<T>(g.s, blockIdx.x), *v = matrix_of<T>(g.v, blockIdx.x);
    double sum = 0;

    for (int i = threadIdx.x; i < g.m * g.n; i += blockDim.x) {
        const int r = i % g.m, c = i / g.m;
        double x = a[r * g.a.row + c * g.a.column];

        for (int k = 0; k < g.rank; k++)
            x -= (double)u[r * g.u.row + k * g.u.column] * s[k * g.s.row] *
                 v[c * g.v.row + k * g.v.column];
        sum += x * x;
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        g.norm[blockIdx.x] = sqrt(sum);
}

#define KERNELS(letter, T)                                             \
    KERNEL(letter##gesvj, FACTOR_THREADS, jacobi_args, gesvj<T>)       \
    KERNEL(letter##gesvj_round, TURN_THREADS, jacobi_args,             \
           gesvj_round<T>)                                             \
    KERNEL(letter##square, FACTOR_THREADS, square_args, square<T>)     \
    KERNEL(letter##norms, FACTOR_THREADS, norm_args, norms<T>)         \
    KERNEL(letter##signs, FACTOR_THREADS, sign_args, signs<T>)         \
    KERNEL(letter##rest, FACTOR_THREADS, rest_args, rest<T>)
#define KERNEL(name, threads, Given, function)               \
    extern "C" __global__ void __launch_bounds__(threads)    \
        teg_cusolver_##name(const __grid_constant__ Given g) \
    {                                                        \
        function(g);                                         \
    }
KERNELS(s, float)
KERNELS(d, double)
