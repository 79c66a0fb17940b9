/*
 * Teg's kernels for dropout, in place of those of cuDNN.  Compiled by
 * tools/make_kernels.sh.  Numbers are Philox's of ten rounds (Salmon 2011): of
 * four elements, by their place, in one call.
 */
#include "dropout.h"
#include "number.cuh"

typedef struct dropout Args;

__device__ uint4 numbers(unsigned long long seed, unsigned long long call,
                         unsigned long long place)
{
    unsigned key[2] = {(unsigned)seed, (unsigned)(seed >> 32)};
    uint4 c = make_uint4((unsigned)place, (unsigned)(place >> 32),
                         (unsigned)call, (unsigned)(call >> 32));

    for (int round = 0; round < 10; round++) {
        const unsigned a = 0xD2511F53, b = 0xCD9E8D57;

        c = make_uint4(__umulhi(b, c.z) ^ c.y ^ key[0], b * c.z,
                       __umulhi(a, c.x) ^ c.w ^ key[1], a * c.x);
        key[0] += 0x9E3779B9;
        key[1] += 0xBB67AE85;
    }
    return c;
}

/* Where a thread's elements begin. */
__device__ long long first()
{
    return ((long long)blockIdx.x * DROPOUT_THREADS + threadIdx.x) *
           DROPOUT_EACH;
}

template <class T> __device__ void scaled(const Args &p, long long i)
{
    typedef typename Of<T>::Sum Sum;
    const Sum scale = Sum(1) / (Sum)(1 - p.share);

    set((T *)p.y + i,
        p.kept[i] ? (Sum)value(((const T *)p.x)[i]) * scale : Sum(0));
}

template <class T> __device__ void dropout_forward(const Args &p)
{
    const long long from = first();
    const dropout_states at = *p.states;
    const uint4 u = numbers(at.seed, at.calls, from / DROPOUT_EACH);
    const unsigned x[DROPOUT_EACH] = {u.x, u.y, u.z, u.w};

#pragma unroll
    for (int i = 0; i < DROPOUT_EACH; i++)
        if (from + i < p.count) {
            p.kept[from + i] = x[i] >= p.share * 4294967296.0;
            scaled<T>(p, from + i);
        }
}

template <class T> __device__ void dropout_backward(const Args &p)
{
    const long long from = first();

    for (int i = 0; i < DROPOUT_EACH && from + i < p.count; i++)
        scaled<T>(p, from + i);
}

extern "C" __global__ void teg_cudnn_dropout_begin(
    const __grid_constant__ Args p)
{
    p.states->seed = p.seed;
    p.states->calls = 0;
}

/* A launch of its own: all blocks of a call read its number. */
extern "C" __global__ void teg_cudnn_dropout_next(
    const __grid_constant__ Args p)
{
    p.states->calls++;
}

#define KERNEL(kind, type, name)                                  \
    extern "C" __global__ void __launch_bounds__(DROPOUT_THREADS) \
        teg_cudnn_##kind##name(const __grid_constant__ Args p)    \
    {                                                             \
        name<type>(p);                                            \
    }
#define KERNELS(kind, type)             \
    KERNEL(kind, type, dropout_forward) \
    KERNEL(kind, type, dropout_backward)

KERNELS(s, float)
KERNELS(d, double)
KERNELS(h, __half)
KERNELS(b, __nv_bfloat16)
