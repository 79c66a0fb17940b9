/* Numbers of every type a layer may have, and what sums of them are. */
#ifndef TEG_TOOLS_CUDNN_KERNELS_NUMBER_CUH
#define TEG_TOOLS_CUDNN_KERNELS_NUMBER_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <class T> struct Of {
    typedef float Sum;
};
template <> struct Of<double> {
    typedef double Sum;
};

__device__ inline float value(__half x)
{
    return __half2float(x);
}
__device__ inline float value(__nv_bfloat16 x)
{
    return __bfloat162float(x);
}
__device__ inline float value(float x)
{
    return x;
}
__device__ inline double value(double x)
{
    return x;
}
__device__ inline void set(__half *to, float x)
{
    *to = __float2half(x);
}
__device__ inline void set(__nv_bfloat16 *to, float x)
{
    *to = __float2bfloat16(x);
}
template <class T> __device__ void set(T *to, T x)
{
    *to = x;
}

#endif
