/* Numbers: what is in memory, what sums are of. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "sparse.h"

template <class R> struct __align__(2 * sizeof(R)) Complex
{
    R x, y;
};
typedef Complex<float> C32;
typedef Complex<double> C64;

template <class T> struct Of {
    typedef T Sum;
};
template <> struct Of<__half> {
    typedef float Sum;
};
template <> struct Of<__nv_bfloat16> {
    typedef float Sum;
};
template <class T> using Sum = typename Of<T>::Sum;

__device__ __forceinline__ float widen(__half x)
{
    return __half2float(x);
}
__device__ __forceinline__ float widen(__nv_bfloat16 x)
{
    return __bfloat162float(x);
}
template <class T> __device__ __forceinline__ T widen(T x)
{
    return x;
}

__device__ __forceinline__ void put(__half *to, float x)
{
    *to = __float2half(x);
}
__device__ __forceinline__ void put(__nv_bfloat16 *to, float x)
{
    *to = __float2bfloat16(x);
}
template <class T> __device__ __forceinline__ void put(T *to, T x)
{
    *to = x;
}

template <class S> struct Zero {
    static __device__ __forceinline__ S get()
    {
        return 0;
    }
};
template <class R> struct Zero<Complex<R>> {
    static __device__ __forceinline__ Complex<R> get()
    {
        return Complex<R>{0, 0};
    }
};
template <class S> __device__ __forceinline__ S zero()
{
    return Zero<S>::get();
}

template <class S> __device__ __forceinline__ S plus(S a, S b)
{
    return a + b;
}
template <class R>
__device__ __forceinline__ Complex<R> plus(Complex<R> a, Complex<R> b)
{
    return {a.x + b.x, a.y + b.y};
}
template <class S> __device__ __forceinline__ S minus(S a, S b)
{
    return a - b;
}
template <class R>
__device__ __forceinline__ Complex<R> minus(Complex<R> a, Complex<R> b)
{
    return {a.x - b.x, a.y - b.y};
}
template <class S> __device__ __forceinline__ S times(S a, S b)
{
    return a * b;
}
template <class R>
__device__ __forceinline__ Complex<R> times(Complex<R> a, Complex<R> b)
{
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
template <class S> __device__ __forceinline__ S over(S a, S b)
{
    return a / b;
}
template <class R>
__device__ __forceinline__ Complex<R> over(Complex<R> a, Complex<R> b)
{
    R d = b.x * b.x + b.y * b.y;

    return {(a.x * b.x + a.y * b.y) / d, (a.y * b.x - a.x * b.y) / d};
}
template <class S> __device__ __forceinline__ S mirrored(S a)
{
    return a;
}
template <class R> __device__ __forceinline__ Complex<R> mirrored(Complex<R> a)
{
    return {a.x, -a.y};
}
template <class S> __device__ __forceinline__ bool is_zero(S a)
{
    return a == 0;
}
template <class R> __device__ __forceinline__ bool is_zero(Complex<R> a)
{
    return a.x == 0 && a.y == 0;
}
__device__ __forceinline__ double size(float a)
{
    return fabsf(a);
}
__device__ __forceinline__ double size(double a)
{
    return fabs(a);
}
template <class R> __device__ __forceinline__ double size(Complex<R> a)
{
    return sqrt((double)a.x * a.x + (double)a.y * a.y);
}
template <class S> struct Root {
    static __device__ __forceinline__ S of(double a)
    {
        return (S)sqrt(a);
    }
};
template <class R> struct Root<Complex<R>> {
    static __device__ __forceinline__ Complex<R> of(double a)
    {
        return {(R)sqrt(a), 0};
    }
};
template <class S> __device__ __forceinline__ S root_of(double a)
{
    return Root<S>::of(a);
}
__device__ __forceinline__ double real_part(double a)
{
    return a;
}
template <class R> __device__ __forceinline__ double real_part(Complex<R> a)
{
    return a.x;
}

template <class S> __device__ __forceinline__ S swapped(S a, int mask)
{
    return __shfl_xor_sync(~0u, a, mask);
}
template <class R>
__device__ __forceinline__ Complex<R> swapped(Complex<R> a, int mask)
{
    return {__shfl_xor_sync(~0u, a.x, mask), __shfl_xor_sync(~0u, a.y, mask)};
}
template <class S> __device__ __forceinline__ S from_below(S a, int lanes)
{
    return __shfl_up_sync(~0u, a, lanes);
}
template <class R>
__device__ __forceinline__ Complex<R> from_below(Complex<R> a, int lanes)
{
    return {__shfl_up_sync(~0u, a.x, lanes), __shfl_up_sync(~0u, a.y, lanes)};
}
template <class S> __device__ __forceinline__ S from_lane(S a, int lane)
{
    return __shfl_sync(~0u, a, lane);
}
template <class R>
__device__ __forceinline__ Complex<R> from_lane(Complex<R> a, int lane)
{
    return {__shfl_sync(~0u, a.x, lane), __shfl_sync(~0u, a.y, lane)};
}
template <class S> __device__ __forceinline__ S lanes_sum(S a, int lanes)
{
    for (int i = lanes >> 1; i > 0; i >>= 1)
        a = plus(a, swapped(a, i));
    return a;
}

template <class S> __device__ __forceinline__ void add_to(S *to, S x)
{
    atomicAdd(to, x);
}
template <class R>
__device__ __forceinline__ void add_to(Complex<R> *to, Complex<R> x)
{
    atomicAdd(&to->x, x.x);
    atomicAdd(&to->y, x.y);
}

template <class S>
__device__ __forceinline__ S scale(const struct sparse_scale &s)
{
    return s.at != nullptr ? *(const S *)s.at : *(const S *)&s.value;
}

/* ---- indices -------------------------------------------------------------------- */

/* ANY: of either width, which is asked; else of 32 bits. */
template <bool ANY> struct Width {
    typedef int Int;
};
template <> struct Width<true> {
    typedef long long Int;
};
template <bool ANY> using Int = typename Width<ANY>::Int;

template <bool ANY>
__device__ __forceinline__ Int<ANY> index_at(const void *at, Int<ANY> i,
                                             int wide)
{
    if (ANY && wide)
        return (Int<ANY>)((const long long *)at)[i];
    return ((const int *)at)[i];
}
__device__ __forceinline__ void set_index(void *at, long long i, int wide,
                                          long long index)
{
    if (wide)
        ((long long *)at)[i] = index;
    else
        ((int *)at)[i] = (int)index;
}

__device__ __forceinline__ long long thread_at()
{
    return (long long)blockIdx.x * blockDim.x + threadIdx.x;
}
__device__ __forceinline__ long long threads()
{
    return (long long)gridDim.x * blockDim.x;
}

/* Of all types of elements: TYPES(kernel by which a name and type). */
#define TYPES_OF_SUMS(KERNEL) \
    KERNEL(s, float)          \
    KERNEL(d, double)         \
    KERNEL(c, C32)            \
    KERNEL(z, C64)
#define TYPES(KERNEL)     \
    TYPES_OF_SUMS(KERNEL) \
    KERNEL(h, __half)     \
    KERNEL(b, __nv_bfloat16)
