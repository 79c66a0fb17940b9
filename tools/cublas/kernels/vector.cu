/*
 * Teg's kernels for vectors, and for a matrix and a vector, in place of those
 * of cuBLAS.  Compiled by tools/make_kernels.sh; launched by
 * tools/cublas/vector.c.  Results of a whole vector are made of parts, one of
 * each block, which a last block adds in their order: they are the same in
 * every run.
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "vector.h"

typedef struct vector_args Args;

enum {
    THREADS = 256
};

template <class T> __device__ T scale_of(const product_scale &s)
{
    if (sizeof(T) == sizeof(double))
        return s.at != nullptr ? *(const T *)s.at : (T)s.value.d;
    return s.at != nullptr ? *(const T *)s.at : (T)s.value.f;
}

/* ---- each element by itself ------------------------------------------------------ */

__device__ long long first()
{
    return blockIdx.x * (long long)THREADS + threadIdx.x;
}
__device__ long long step()
{
    return gridDim.x * (long long)THREADS;
}

template <class T> __device__ void axpy(const Args &g)
{
    T alpha = scale_of<T>(g.alpha);

    for (long long i = first(); i < g.n; i += step())
        ((T *)g.y)[i * g.incy] += alpha * ((const T *)g.a)[i * g.incx];
}
template <class T> __device__ void scal(const Args &g)
{
    T alpha = scale_of<T>(g.alpha);

    for (long long i = first(); i < g.n; i += step())
        ((T *)g.x)[i * g.incx] *= alpha;
}
template <class T> __device__ void copy(const Args &g)
{
    for (long long i = first(); i < g.n; i += step())
        ((T *)g.y)[i * g.incy] = ((const T *)g.a)[i * g.incx];
}
template <class T> __device__ void swap(const Args &g)
{
    for (long long i = first(); i < g.n; i += step()) {
        T x = ((T *)g.x)[i * g.incx];

        ((T *)g.x)[i * g.incx] = ((T *)g.y)[i * g.incy];
        ((T *)g.y)[i * g.incy] = x;
    }
}

/* ---- results of whole vectors ------------------------------------------------------ */

/* The block's sum, in thread 0. */
template <class Sum> __device__ Sum block_sum(Sum x)
{
    __shared__ Sum of_warp[THREADS / 32];

#pragma unroll
    for (int away = 16; away > 0; away /= 2)
        x += __shfl_down_sync(~0u, x, away);
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = x;
    __syncthreads();
    x = threadIdx.x < THREADS / 32 ? of_warp[threadIdx.x] : Sum(0);
#pragma unroll
    for (int away = THREADS / 64; away > 0; away /= 2)
        x += __shfl_down_sync(~0u, x, away);
    return x;
}

template <class Sum, class T> __device__ Sum number(T x)
{
    return (Sum)x;
}
template <> __device__ float number(__half x)
{
    return __half2float(x);
}
template <> __device__ float number(__nv_bfloat16 x)
{
    return __bfloat162float(x);
}

template <class T, class Sum> __device__ void dot(const Args &g)
{
    Sum sum = 0;

    for (long long i = first(); i < g.n; i += step())
        sum += number<Sum>(((const T *)g.a)[i * g.incx]) *
               number<Sum>(((const T *)g.y)[i * g.incy]);
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        ((Sum *)g.out)[blockIdx.x] = sum;
}
/* In double precision, whose range holds a float's square. */
template <class T> __device__ void nrm2(const Args &g)
{
    double sum = 0;

    for (long long i = first(); i < g.n; i += step()) {
        double x = ((const T *)g.a)[i * g.incx];

        sum += x * x;
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        ((double *)g.out)[blockIdx.x] = sum;
}
template <class T> __device__ void asum(const Args &g)
{
    T sum = 0;

    for (long long i = first(); i < g.n; i += step())
        sum += fabs(((const T *)g.a)[i * g.incx]);
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        ((T *)g.out)[blockIdx.x] = sum;
}

/* One block: the parts' sum. */
template <class Sum> __device__ void total(const Args &g)
{
    Sum sum = 0;

    for (int i = threadIdx.x; i < g.parts; i += THREADS)
        sum += ((const Sum *)g.a)[i];
    sum = block_sum(sum);
    if (threadIdx.x != 0)
        return;
    if (g.root)
        sum = sqrt(sum);
    switch (g.out_type) {
    case PRODUCT_F64: *(double *)g.out = sum; break;
    case PRODUCT_F16: *(__half *)g.out = __float2half(sum); break;
    case PRODUCT_BF16:
        *(__nv_bfloat16 *)g.out = __float2bfloat16((float)sum);
        break;
    default: *(float *)g.out = sum;
    }
}

/* Which of two is further to the front; `SIGN` 1: the largest, -1. */
template <int SIGN>
__device__ void keep(vector_place &best, double value, long long index)
{
    if (index >= 0 &&
        (best.index < 0 || SIGN * value > SIGN * best.value ||
         (value == best.value && index < best.index))) {
        best.value = value;
        best.index = index;
    }
}

template <int SIGN> __device__ vector_place block_best(vector_place best)
{
    __shared__ vector_place of[THREADS];

    of[threadIdx.x] = best;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            keep<SIGN>(of[threadIdx.x], of[threadIdx.x + half].value,
                       of[threadIdx.x + half].index);
    }
    return of[0];
}

template <class T, int SIGN> __device__ void extreme(const Args &g)
{
    vector_place best = {0, -1};

    for (long long i = first(); i < g.n; i += step())
        keep<SIGN>(best, fabs(((const T *)g.a)[i * g.incx]), i);
    best = block_best<SIGN>(best);
    if (threadIdx.x == 0)
        ((vector_place *)g.out)[blockIdx.x] = best;
}

/* Counted from 1. */
template <int SIGN> __device__ void place(const Args &g)
{
    vector_place best = {0, -1};

    for (int i = threadIdx.x; i < g.parts; i += THREADS)
        keep<SIGN>(best, ((const vector_place *)g.a)[i].value,
                   ((const vector_place *)g.a)[i].index);
    best = block_best<SIGN>(best);
    if (threadIdx.x == 0) {
        if (g.out_type == PRODUCT_F64) /* 8 bytes */
            *(long long *)g.out = best.index + 1;
        else
            *(int *)g.out = (int)best.index + 1;
    }
}

/* ---- a matrix and a vector ------------------------------------------------------------ */

template <class T>
__device__ void put(const Args &g, long long i, T alpha, T beta, T sum)
{
    T *y = (T *)g.y + i * g.incy;

    *y = beta != T(0) ? alpha * sum + beta * *y : alpha * sum;
}

/* y = alpha A x + beta y: 32 rows of a block, of which each warp adds an
 * eighth of the columns. */
template <class T> __device__ void gemv_n(const Args &g)
{
    __shared__ T part[8][33];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const long long row = blockIdx.x * 32LL + lane;
    const T *a = (const T *)g.a + row, *x = (const T *)g.x;
    T alpha = scale_of<T>(g.alpha), beta = scale_of<T>(g.beta), sum = 0;

    if (row < g.m)
#pragma unroll 4
        for (long long j = warp; j < g.n; j += 8)
            sum += a[j * g.lda] * x[j * g.incx];
    part[warp][lane] = sum;
    __syncthreads();
    if (warp != 0 || row >= g.m)
        return;
    for (int i = 1; i < 8; i++)
        sum += part[i][lane];
    put(g, row, alpha, beta, sum);
}

/* y = alpha A' x + beta y: a block for each column. */
template <class T> __device__ void gemv_t(const Args &g)
{
    const T *x = (const T *)g.x;
    T alpha = scale_of<T>(g.alpha), beta = scale_of<T>(g.beta);

    for (long long j = blockIdx.x; j < g.n; j += gridDim.x) {
        const T *a = (const T *)g.a + j * g.lda;
        T sum = 0;

#pragma unroll 4
        for (long long i = threadIdx.x; i < g.m; i += THREADS)
            sum += a[i] * x[i * g.incx];
        sum = block_sum(sum);
        if (threadIdx.x == 0)
            put(g, j, alpha, beta, sum);
        __syncthreads();
    }
}

/* A += alpha x y': a block has 256 rows of some columns. */
template <class T> __device__ void ger(const Args &g)
{
    const long long row = first();
    T alpha = scale_of<T>(g.alpha);

    if (row >= g.m)
        return;
    alpha *= ((const T *)g.x)[row * g.incx];
    for (long long j = blockIdx.y; j < g.n; j += gridDim.y)
        ((T *)g.out)[row + j * g.lda] += alpha * ((const T *)g.y)[j * g.incy];
}

/* ---- kernels ------------------------------------------------------------------------------ */

#define KERNEL(name, ...)                                 \
    extern "C" __global__ void __launch_bounds__(THREADS) \
        teg_cublas_##name(const __grid_constant__ Args g) \
    {                                                     \
        __VA_ARGS__(g);                                   \
    }
#define BOTH(name)               \
    KERNEL(s##name, name<float>) \
    KERNEL(d##name, name<double>)
BOTH(axpy)
BOTH(scal)
BOTH(copy)
BOTH(swap)
BOTH(nrm2)
BOTH(asum)
BOTH(gemv_n)
BOTH(gemv_t)
BOTH(ger)
KERNEL(sdot, dot<float, float>)
KERNEL(ddot, dot<double, double>)
KERNEL(hdot, dot<__half, float>)
KERNEL(bdot, dot<__nv_bfloat16, float>)
KERNEL(stotal, total<float>)
KERNEL(dtotal, total<double>)
KERNEL(isamax, extreme<float, 1>)
KERNEL(idamax, extreme<double, 1>)
KERNEL(isamin, extreme<float, -1>)
KERNEL(idamin, extreme<double, -1>)
KERNEL(max_place, place<1>)
KERNEL(min_place, place<-1>)
