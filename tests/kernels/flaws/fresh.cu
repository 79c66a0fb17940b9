// Pairs of kernels as in flaws.cu, held.cu and later.cu, the last to be written:
// what the first finding has to be (fresh.list) was set down, and committed,
// before any was run.
#include <cuda_fp16.h>

// ---- global memory ----------------------------------------------------------

// Products of a sparse matrix's rows, 32 to a row, with a vector: a thread a
// row, or a warp.
extern "C" __global__ void sparse_flaw(const int *column, const float *value,
                                       const float *x, float *y)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

    for (int i = row * 32; i < row * 32 + 32; i++)
        sum += value[i] * x[column[i] & 1023];
    y[row] = sum;
}

extern "C" __global__ void sparse_fixed(const int *column, const float *value,
                                        const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = value[i] * x[column[i] & 1023];

    for (int k = 16; k > 0; k /= 2)
        sum += __shfl_xor_sync(~0u, sum, k);
    if (threadIdx.x % 32 == 0)
        y[i / 32] = sum;
}

// Stores that go to another line for each lane, or side by side.
extern "C" __global__ void deal_flaw(const float *in, float *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;

    for (int i = 0; i < 8; i++)
        out[(t % 64) * (n / 64) + t / 64 + i * n] = in[t + i * n];
}

extern "C" __global__ void deal_fixed(const float *in, float *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;

    for (int i = 0; i < 8; i++)
        out[t + i * n] = in[t + i * n];
}

// A byte at a time by each thread, or sixteen.
extern "C" __global__ void bytes_flaw(const unsigned char *in,
                                      unsigned char *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;

#pragma unroll 1
    for (int i = 0; i < 16; i++)
        out[t + i * n] = in[t + i * n] ^ 0x55;
}

extern "C" __global__ void bytes_fixed(const uint4 *in, uint4 *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 v = in[t];

    v.x ^= 0x55555555, v.y ^= 0x55555555, v.z ^= 0x55555555;
    v.w ^= 0x55555555;
    out[t] = v;
}

// ---- atomics ----------------------------------------------------------------

// What passes is kept, behind what is there: a place by each thread, or by
// each warp for all of its own.
extern "C" __global__ void compact_flaw(const int *in, int *out, int *count)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int n = in[t] & 3;

    if (n != 0) {
        int at = atomicAdd(count, n);

        for (int i = 0; i < n; i++)
            out[at + i] = t;
    }
}

extern "C" __global__ void compact_fixed(const int *in, int *out, int *count)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    int n = in[t] & 3, before = n, at = 0;

    for (int k = 1; k < 32; k *= 2) {
        int other = __shfl_up_sync(~0u, before, k);

        before += lane >= k ? other : 0;
    }
    if (lane == 31)
        at = atomicAdd(count, before);
    at = __shfl_sync(~0u, at, 31) + before - n;
    for (int i = 0; i < n; i++)
        out[at + i] = t;
}

// ---- arithmetic -------------------------------------------------------------

// Integers that become floats again in each turn, or once.
extern "C" __global__ void widen_flaw(const signed char *in, float *out,
                                      float factor)
{
    __shared__ signed char tile[256];
    int t = threadIdx.x;
    float sum = 0;

    tile[t] = in[t];
    __syncthreads();
    for (int turn = 0; turn < 16; turn++)
#pragma unroll
        for (int i = 0; i < 16; i++)
            sum = sum * factor + (float)((volatile signed char *)tile)[i * 16];
    out[blockIdx.x * blockDim.x + t] = sum;
}

extern "C" __global__ void widen_fixed(const signed char *in, float *out,
                                       float factor)
{
    __shared__ float tile[256];
    int t = threadIdx.x;
    float sum = 0;

    tile[t] = (float)in[t];
    __syncthreads();
    for (int turn = 0; turn < 16; turn++)
#pragma unroll
        for (int i = 0; i < 16; i++)
            sum = sum * factor + ((volatile float *)tile)[i * 16];
    out[blockIdx.x * blockDim.x + t] = sum;
}

// Multiply-adds of floats, or of pairs of halves.
extern "C" __global__ void halves_flaw(float *out, float factor)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float a[8];

    for (int i = 0; i < 8; i++)
        a[i] = t + i;
#pragma unroll 8
    for (int turn = 0; turn < 64; turn++)
        for (int i = 0; i < 8; i++)
            a[i] = a[i] * factor + factor;
    out[t] = a[0] + a[1] + a[2] + a[3] + a[4] + a[5] + a[6] + a[7];
}

extern "C" __global__ void halves_fixed(float *out, float factor)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    __half2 a[4], f = __float2half2_rn(factor), sum;

    for (int i = 0; i < 4; i++)
        a[i] = __floats2half2_rn(t + i, t + i + 4);
#pragma unroll 8
    for (int turn = 0; turn < 64; turn++)
        for (int i = 0; i < 4; i++)
            a[i] = __hfma2(a[i], f, f);
    sum = __hadd2(__hadd2(a[0], a[1]), __hadd2(a[2], a[3]));
    out[t] = __low2float(sum) + __high2float(sum);
}

// What is the same for a whole block is computed by each thread, or by one
// warp.
static __device__ float horner(float x, float factor)
{
    float sum = 0;

#pragma unroll 4
    for (int i = 0; i < 256; i++)
        sum = sum * factor + x;
    return sum;
}

extern "C" __global__ void shared_result_flaw(float *out, float factor)
{
    float same = horner(blockIdx.x, factor);

    out[blockIdx.x * blockDim.x + threadIdx.x] = same * threadIdx.x;
}

extern "C" __global__ void shared_result_fixed(float *out, float factor)
{
    __shared__ float same;

    if (threadIdx.x == 0)
        same = horner(blockIdx.x, factor);
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = same * threadIdx.x;
}

// One step in a turn of the loop, or sixteen.
extern "C" __global__ void loop_flaw(int *out, int factor)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, sum = t;

#pragma unroll 1
    for (int i = 0; i < 512; i++)
        sum = (sum ^ factor) + i;
    out[t] = sum;
}

extern "C" __global__ void loop_fixed(int *out, int factor)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, sum = t;

#pragma unroll 16
    for (int i = 0; i < 512; i++)
        sum = (sum ^ factor) + i;
    out[t] = sum;
}

// ---- shared memory and what goes its way ------------------------------------

// A sum that is in shared memory all the time, or in a register.
extern "C" __global__ void kept_flaw(float *out, float factor)
{
    __shared__ float sum[256];
    volatile float *mine = &sum[threadIdx.x];

    *mine = threadIdx.x;
#pragma unroll 8
    for (int i = 0; i < 64; i++)
        *mine = *mine * factor + i;
    out[blockIdx.x * blockDim.x + threadIdx.x] = *mine;
}

extern "C" __global__ void kept_fixed(float *out, float factor)
{
    float mine = threadIdx.x;

#pragma unroll 8
    for (int i = 0; i < 64; i++)
        mine = mine * factor + i;
    out[blockIdx.x * blockDim.x + threadIdx.x] = mine;
}

// Sums over the lanes of 32 values each: five shuffles for each value, or 31
// for all, which halves them at each step.
extern "C" __global__ void lanes_flaw(float *out, float factor)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    float a[32], sum = 0;

#pragma unroll
    for (int i = 0; i < 32; i++)
        a[i] = t * factor + i;
#pragma unroll
    for (int i = 0; i < 32; i++) {
        for (int k = 16; k > 0; k /= 2)
            a[i] += __shfl_xor_sync(~0u, a[i], k);
        sum = lane == i ? a[i] : sum;
    }
    out[t] = sum;
}

extern "C" __global__ void lanes_fixed(float *out, float factor)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    float a[32];

#pragma unroll
    for (int i = 0; i < 32; i++)
        a[i] = t * factor + i;
#pragma unroll
    for (int k = 16; k > 0; k /= 2) {
#pragma unroll
        for (int i = 0; i < 16; i++) {
            if (i < k) {
                bool up = (lane & k) != 0;
                float give = up ? a[i] : a[i + k];

                a[i] = (up ? a[i + k] : a[i]) + __shfl_xor_sync(~0u, give, k);
            }
        }
    }
    out[t] = a[0];
}

// Sums of 17 neighbors: each read anew for each place, or once for 16 places.
extern "C" __global__ void taps_flaw(const float *in, float *out)
{
    __shared__ float tile[16 * 128 + 16];
    int t = threadIdx.x;

    for (int i = t; i < 16 * 128 + 16; i += 128)
        tile[i] = in[i];
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < 16; i++) {
        float sum = 0;

#pragma unroll
        for (int k = 0; k < 17; k++)
            sum += tile[i * 128 + t + k];
        out[(blockIdx.x * 16 + i) * 128 + t] = sum;
    }
}

extern "C" __global__ void taps_fixed(const float *in, float *out)
{
    __shared__ float tile[17 * 129];
    int t = threadIdx.x;
    float sum = 0;

    for (int i = t; i < 16 * 128 + 16; i += 128)
        tile[i + i / 16] = in[i];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; k++)
        sum += tile[t * 17 + k];
#pragma unroll
    for (int i = 0; i < 16; i++) {
        sum += tile[t * 17 + i + 17];
        out[(blockIdx.x * 16 + i) * 128 + t] = sum;
        sum -= tile[t * 17 + i];
    }
}

// ---- the launch -------------------------------------------------------------

// Blocks that ask for shared memory that they never use, or do not (by the
// launch).
extern "C" __global__ void spare_flaw(const int *next, int *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, at = t;

    for (int i = 0; i < 16; i++)
        at = next[at];
    out[t] = at;
}

extern "C" __global__ void spare_fixed(const int *next, int *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, at = t;

    for (int i = 0; i < 16; i++)
        at = next[at];
    out[t] = at;
}

// The longest blocks begin last, or first.
static __device__ void long_sum(float *out, float factor, int n)
{
    float sum = threadIdx.x;

#pragma unroll 1
    for (int i = 0; i < n; i++)
        sum = sum * factor + i;
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

extern "C" __global__ void heavy_flaw(float *out, float factor)
{
    long_sum(out, factor, blockIdx.x < gridDim.x - 4 ? 64 : 2048);
}

extern "C" __global__ void heavy_fixed(float *out, float factor)
{
    long_sum(out, factor, blockIdx.x < 4 ? 2048 : 64);
}
