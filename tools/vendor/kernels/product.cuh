/* What kernels of products share: numbers, what becomes of sums, a block's
 * part. */
#ifndef TEG_TOOLS_VENDOR_KERNELS_PRODUCT_CUH
#define TEG_TOOLS_VENDOR_KERNELS_PRODUCT_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

#include "product.h"

typedef struct product_args Args;

/* ---- numbers ------------------------------------------------------------------ */

template <class T> struct alignas(4 * sizeof(T)) Four {
    T x[4];
};
/* Two loads of 16 bytes. */
template <> struct alignas(16) Four<double> {
    double x[4];
};

/* Sixteen bytes at a time at most, from global memory. */
template <class Word, class T> __device__ Four<T> fetch_by(const T *p)
{
    union {
        Word word[sizeof(Four<T>) / sizeof(Word)];
        Four<T> four;
    } u;

#pragma unroll
    for (int i = 0; i < sizeof u / sizeof(Word); i++)
        u.word[i] = __ldg((const Word *)p + i);
    return u.four;
}
template <class T> __device__ Four<T> fetch(const T *p)
{
    if constexpr (sizeof(Four<T>) >= 16)
        return fetch_by<uint4>(p);
    else if constexpr (sizeof(Four<T>) == 8)
        return fetch_by<uint2>(p);
    else
        return fetch_by<unsigned>(p);
}
template <class T> __device__ T fetch_one(const T *p)
{
    return __ldg(p);
}

template <class To, class From> __device__ To to(From x)
{
    return (To)x;
}
template <> __device__ __half to(float x)
{
    return __float2half(x);
}
template <> __device__ __nv_bfloat16 to(float x)
{
    return __float2bfloat16(x);
}
template <> __device__ float to(__half x)
{
    return __half2float(x);
}
template <> __device__ float to(__nv_bfloat16 x)
{
    return __bfloat162float(x);
}
template <class T> __device__ T zero()
{
    T x;

    memset(&x, 0, sizeof x);
    return x;
}

__device__ float value_of(const product_scale &s, float)
{
    return s.value.f;
}
__device__ double value_of(const product_scale &s, double)
{
    return s.value.d;
}
__device__ int value_of(const product_scale &s, int)
{
    return s.value.i;
}

template <class Sum> __device__ Sum scale_of(const product_scale &s, int type)
{
    if (s.at == nullptr)
        return value_of(s, Sum());
    switch (type) {
    case PRODUCT_F16: return (Sum)__half2float(*(const __half *)s.at);
    case PRODUCT_F64: return (Sum) * (const double *)s.at;
    case PRODUCT_S32: return (Sum) * (const int *)s.at;
    default: return (Sum) * (const float *)s.at;
    }
}

/* ---- what becomes of sums ------------------------------------------------------ */

template <class Sum> __device__ Sum bias_of(const Args &g, int row)
{
    switch (g.bias_type) {
    case PRODUCT_F16: return (Sum)__half2float(((const __half *)g.bias)[row]);
    case PRODUCT_BF16:
        return (Sum)__bfloat162float(((const __nv_bfloat16 *)g.bias)[row]);
    case PRODUCT_F64: return (Sum)((const double *)g.bias)[row];
    default: return (Sum)((const float *)g.bias)[row];
    }
}

/* By tanh, as cuBLASLt says it does. */
__device__ float gelu(float x)
{
    float u = 0.7978845608f * (x + 0.044715f * x * x * x);

    return x - x / (1.0f + __expf(2.0f * u));
}
__device__ double gelu(double x)
{
    return 0.5 * x *
           (1 + tanh(0.79788456080286536 * (x + 0.044715 * x * x * x)));
}

template <class Sum> __device__ Sum finished(const Args &g, Sum x, int row)
{
    if (g.finish & PRODUCT_BIAS)
        x += bias_of<Sum>(g, row);
    if (g.finish & PRODUCT_RELU)
        x = x > Sum(0) ? x : Sum(0);
    if (g.finish & PRODUCT_GELU)
        x = gelu(x);
    return x;
}
/* cuBLAS has nothing for whole numbers. */
template <> __device__ int finished(const Args &, int x, int)
{
    return x;
}

/* Four rows of a column; `wide`: four elements may be moved at once. */
template <class Out, class Sum, class Columns>
__device__ void store(const Args &g, Out *d, const Out *c, Sum alpha, Sum beta,
                      bool wide, int row, int column, const Columns &place_of,
                      Sum *sum)
{
    const long long place = place_of(column);
    Four<Out> out;

    d += row + place * g.ldd;
    c += row + place * g.ldc;
    wide = wide && row + 4 <= g.m;
    if (beta != Sum(0)) {
        if (wide) {
            out = *(const Four<Out> *)c;
        } else {
#pragma unroll
            for (int i = 0; i < 4; i++)
                out.x[i] = row + i < g.m ? c[i] : zero<Out>();
        }
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
        sum[i] *= alpha;
    if (beta != Sum(0))
#pragma unroll
        for (int i = 0; i < 4; i++)
            sum[i] += beta * to<Sum>(out.x[i]);
    if (g.finish != 0)
#pragma unroll
        for (int i = 0; i < 4; i++)
            if (row + i < g.m)
                sum[i] = finished(g, sum[i], place_of.biased(row + i, column));
#pragma unroll
    for (int i = 0; i < 4; i++)
        out.x[i] = to<Out>(sum[i]);
    if (wide) {
        *(Four<Out> *)d = out;
    } else {
#pragma unroll
        for (int i = 0; i < 4; i++)
            if (row + i < g.m)
                d[i] = out.x[i];
    }
}

/* Columns of D that lie one behind the other; a row's bias is of its number. */
struct InOrder {
    const int n;

    __device__ long long operator()(int column) const
    {
        return column;
    }
    __device__ int biased(int row, int) const
    {
        return row;
    }
};

/* Where a block's sums go; `Columns` says which of D's columns one is, and which
 * bias one has. */
template <class Sum, class Columns = InOrder> struct Output {
    const Args &g;
    const Columns place_of;
    void *d;
    const void *c;
    Sum alpha, beta;
    bool wide;
    bool whole; /* sixteen bytes at a time, as they are */

    template <class Out>
    __device__ void place(int batch, long long slot)
    {
        if (g.arrays) {
            d = ((void **)g.d)[batch];
            c = ((const void **)g.c)[batch];
        } else {
            d = (Out *)g.d + slot * g.stride_d;
            c = (const Out *)g.c + batch * g.stride_c;
        }
        wide = (uintptr_t)d % sizeof(Four<Out>) == 0 && g.ldd % 4 == 0 &&
               (uintptr_t)c % sizeof(Four<Out>) == 0 && g.ldc % 4 == 0;
        whole = (uintptr_t)d % 16 == 0 && (g.ldd | g.m) % 8 == 0 &&
                g.finish == 0 && beta == Sum(0);
    }

    __device__ Output(const Args &g, int batch, long long slot)
        : Output(g, batch, slot, Columns{g.n})
    {
    }
    __device__ Output(const Args &g, int batch, long long slot, Columns columns)
        : g(g), place_of(columns)
    {
        alpha = scale_of<Sum>(g.alpha, g.scale);
        beta = scale_of<Sum>(g.beta, g.scale);
        switch (g.out) {
        case PRODUCT_F16:
        case PRODUCT_BF16: place<__half>(batch, slot); break;
        case PRODUCT_F64: place<double>(batch, slot); break;
        default: place<float>(batch, slot);
        }
    }

    /* COUNT columns of BM rows each, from shared memory, where they lie LINE
     * apart, by a warp. */
    template <int BM, int LINE, int COUNT = 16>
    __device__ void lines(const float *from, int row, int column)
    {
        if (whole && g.out == PRODUCT_F16)
            return whole_lines<__half, BM, LINE, COUNT>(from, row, column);
        if (whole && g.out == PRODUCT_BF16)
            return whole_lines<__nv_bfloat16, BM, LINE, COUNT>(from, row, column);
        if (whole)
            return whole_lines<float, BM, LINE, COUNT>(from, row, column);
#pragma unroll 1
        for (int i = threadIdx.x % 32; i < COUNT * BM / 4; i += 32) {
            int c = i / (BM / 4), r = i % (BM / 4) * 4;
            Four<float> four = *(const Four<float> *)&from[c * LINE + r];

            if (row + r < g.m && column + c < place_of.n)
                put(row + r, column + c, four.x);
        }
    }

    template <class Out, int BM, int LINE, int COUNT>
    __device__ void whole_lines(const float *from, int row, int column)
    {
        constexpr int EACH = 16 / sizeof(Out), ACROSS = BM / EACH;

#pragma unroll
        for (int i = 0; i < COUNT * ACROSS / 32; i++) {
            const int at = i * 32 + threadIdx.x % 32;
            const int c = column + at / ACROSS, r = at % ACROSS * EACH;
            union {
                Out x[EACH];
                uint4 all;
            } u;

#pragma unroll
            for (int j = 0; j < EACH; j += 4) {
                Four<float> four = *(const Four<float> *)&from[at / ACROSS *
                                                                   LINE +
                                                               r + j];
#pragma unroll
                for (int k = 0; k < 4; k++)
                    u.x[j + k] = to<Out>(four.x[k] * alpha);
            }
            if (row + r < g.m && c < place_of.n)
                *(uint4 *)((Out *)d + row + r + place_of(c) * g.ldd) = u.all;
        }
    }

    __device__ void put(int row, int column, float *sum)
    {
        if (g.out == PRODUCT_F16)
            store(g, (__half *)d, (const __half *)c, alpha, beta, wide, row,
                  column, place_of, sum);
        else if (g.out == PRODUCT_BF16)
            store(g, (__nv_bfloat16 *)d, (const __nv_bfloat16 *)c, alpha, beta,
                  wide, row, column, place_of, sum);
        else
            store(g, (float *)d, (const float *)c, alpha, beta, wide, row,
                  column, place_of, sum);
    }
    __device__ void put(int row, int column, double *sum)
    {
        store(g, (double *)d, (const double *)c, alpha, beta, wide, row, column,
              place_of, sum);
    }
    __device__ void put(int row, int column, int *sum)
    {
        store(g, (int *)d, (const int *)c, alpha, beta, wide, row, column,
              place_of, sum);
    }
};

/* ---- a block's part ------------------------------------------------------------- */

/* Tiles of D in groups of eight columns of tiles, so that blocks that run at
 * the same time share what they read; z is the batch, and its slice of k. */
template <int BM, int BN> struct Part {
    int row, column, batch, from, to;
    long long slot;

    __device__ Part(const Args &g) : Part(g, g.n, g.k)
    {
    }
    __device__ Part(const Args &g, int n, int k)
    {
        const int rows = (g.m + BM - 1) / BM, columns = (n + BN - 1) / BN;
        const int group = blockIdx.x / (8 * rows);
        const int wide = min(8, columns - group * 8);
        const int within = blockIdx.x - group * 8 * rows;

        row = within / wide * BM;
        column = (group * 8 + within % wide) * BN;
        batch = g.first + blockIdx.z / g.slices;
        slot = g.slices > 1 ? (long long)blockIdx.z : batch;
        from = blockIdx.z % g.slices * g.slice;
        to = min(k, from + g.slice);
    }
};

template <class In>
__device__ const In *operand(const void *p, const Args &g, int batch,
                             long long stride)
{
    return g.arrays ? ((const In *const *)p)[batch]
                    : (const In *)p + batch * stride;
}

#endif
