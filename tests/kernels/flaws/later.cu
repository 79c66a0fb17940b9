// Pairs of kernels as in flaws.cu and held.cu, written later still: what the
// first finding has to be (later.list) was set down before any was run.
#include <cuda_fp16.h>
#include <mma.h>

// ---- global memory ----------------------------------------------------------

// The softmax of a row of 128 by a thread, or by a warp.
extern "C" __global__ void softmax_flaw(const float *in, float *out)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    const float *a = in + row * 128;
    float most = a[0], sum = 0;

    for (int i = 1; i < 128; i++)
        most = fmaxf(most, a[i]);
    for (int i = 0; i < 128; i++)
        sum += __expf(a[i] - most);
    for (int i = 0; i < 128; i++)
        out[row * 128 + i] = __expf(a[i] - most) / sum;
}

extern "C" __global__ void softmax_fixed(const float *in, float *out)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    const float *a = in + row * 128;
    float v[4], most, sum = 0;

    for (int i = 0; i < 4; i++)
        v[i] = a[lane + 32 * i];
    most = fmaxf(fmaxf(v[0], v[1]), fmaxf(v[2], v[3]));
    for (int k = 16; k > 0; k /= 2)
        most = fmaxf(most, __shfl_xor_sync(~0u, most, k));
    for (int i = 0; i < 4; i++)
        sum += v[i] = __expf(v[i] - most);
    for (int k = 16; k > 0; k /= 2)
        sum += __shfl_xor_sync(~0u, sum, k);
    for (int i = 0; i < 4; i++)
        out[row * 128 + lane + 32 * i] = v[i] / sum;
}

// Counts in four words for all, or in four for each warp first.
extern "C" __global__ void few_flaw(const float *in, float *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;

    for (int i = 0; i < 4; i++)
        atomicAdd(&out[t % 4], in[t + i * 65536]);
}

extern "C" __global__ void few_fixed(const float *in, float *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

    for (int i = 0; i < 4; i++)
        sum += in[t + i * 65536];
    for (int k = 16; k >= 4; k /= 2)
        sum += __shfl_down_sync(~0u, sum, k);
    if (threadIdx.x % 32 < 4)
        atomicAdd(&out[t % 4], sum);
}

// ---- shared memory ----------------------------------------------------------

// Particles of eight floats, a structure each, or an array for each member.
struct particle {
    float x, y, z, m, u, v, w, r;
};

extern "C" __global__ void members_flaw(float *out)
{
    __shared__ particle p[256];
    int t = threadIdx.x;
    float sum = 0;

    p[t].x = t, p[t].y = 2 * t, p[t].m = t + 1;
    __syncthreads();
    for (int i = 0; i < 64; i++) {
        const particle &q = p[(t + i * 32) % 256];
        sum += q.x * q.m + q.y;
    }
    out[blockIdx.x * 256 + t] = sum;
}

extern "C" __global__ void members_fixed(float *out)
{
    __shared__ float x[256], y[256], m[256];
    int t = threadIdx.x;
    float sum = 0;

    x[t] = t, y[t] = 2 * t, m[t] = t + 1;
    __syncthreads();
    for (int i = 0; i < 64; i++) {
        int q = (t + i * 32) % 256;
        sum += x[q] * m[q] + y[q];
    }
    out[blockIdx.x * 256 + t] = sum;
}

// Fragments of halves out of rows of 128 bytes, or of 144.
template <int PITCH>
__device__ __forceinline__ void fragments(float *out)
{
    using namespace nvcuda;
    __shared__ __align__(128) __half a[64 * PITCH], b[64 * PITCH];
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    int warp = threadIdx.x / 32;

    for (int i = threadIdx.x; i < 64 * PITCH; i += blockDim.x)
        a[i] = b[i] = __float2half(i % 7);
    __syncthreads();
    wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < 32; k++) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> l;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> r;

        wmma::load_matrix_sync(l, a + warp % 4 * 16 * PITCH + k % 4 * 16,
                               PITCH);
        wmma::load_matrix_sync(r, b + (warp + k) % 4 * 16 * PITCH + k % 4 * 16,
                               PITCH);
        wmma::mma_sync(sum, l, r, sum);
    }
    wmma::store_matrix_sync(out + (blockIdx.x * 8 + warp) * 256, sum, 16,
                            wmma::mem_row_major);
}

extern "C" __global__ void fragments_flaw(float *out)
{
    fragments<64>(out);
}

extern "C" __global__ void fragments_fixed(float *out)
{
    fragments<72>(out);
}

// Prefix sums of a block step by step, or of its warps by shuffles.
extern "C" __global__ void scan_flaw(float *out, float f)
{
    __shared__ float part[2][1024];
    int t = threadIdx.x, from = 0;
    float v = t;

    for (int round = 0; round < 4; round++) {
        part[from][t] = v * f;
        __syncthreads();
        for (int k = 1; k < 1024; k *= 2) {
            float sum = part[from][t] + (t >= k ? part[from][t - k] : 0);

            from ^= 1;
            part[from][t] = sum;
            __syncthreads();
        }
        v = part[from][t];
    }
    out[blockIdx.x * 1024 + t] = v;
}

extern "C" __global__ void scan_fixed(float *out, float f)
{
    __shared__ float part[32];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    float v = t;

    for (int round = 0; round < 4; round++) {
        v *= f;
        for (int k = 1; k < 32; k *= 2) {
            float w = __shfl_up_sync(~0u, v, k);
            v += lane >= k ? w : 0;
        }
        if (lane == 31)
            part[warp] = v;
        __syncthreads();
        float all = part[lane];
        for (int k = 1; k < 32; k *= 2) {
            float w = __shfl_up_sync(~0u, all, k);
            all += lane >= k ? w : 0;
        }
        all = __shfl_sync(~0u, all, warp > 0 ? warp - 1 : 0);
        v += warp > 0 ? all : 0;
        __syncthreads();
    }
    out[blockIdx.x * 1024 + t] = v;
}

// The first thread adds up what the others made, or all do in a tree.
extern "C" __global__ void leader_flaw(float *out, float f)
{
    __shared__ float part[256];
    int t = threadIdx.x;
    float v = t;

    for (int round = 0; round < 8; round++) {
        part[t] = v * f;
        __syncthreads();
        if (t == 0) {
            float sum = 0;
            for (int i = 0; i < 256; i++)
                sum += part[i];
            part[0] = sum;
        }
        __syncthreads();
        v += part[0];
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = v;
}

extern "C" __global__ void leader_fixed(float *out, float f)
{
    __shared__ float part[8];
    int t = threadIdx.x;
    float v = t;

    for (int round = 0; round < 8; round++) {
        float sum = v * f;

        for (int k = 16; k > 0; k /= 2)
            sum += __shfl_xor_sync(~0u, sum, k);
        if (t % 32 == 0)
            part[t / 32] = sum;
        __syncthreads();
        sum = 0;
        for (int i = 0; i < 8; i++)
            sum += part[i];
        v += sum;
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = v;
}

// ---- arithmetic -------------------------------------------------------------

// Rows of 8 elements, but every thirty-second of 256; or those side by side.
__device__ __forceinline__ float series(int n, float f)
{
    float a = 1, b = 2, c = 3, d = 4;

    for (int i = 0; i < n; i++)
        a = a * f + 1, b = b * f + 1, c = c * f + 1, d = d * f + 1;
    return a + b + c + d;
}

extern "C" __global__ void lengths_flaw(float *out, float f)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;

    out[t] = series(t % 32 == 0 ? 256 : 8, f);
}

extern "C" __global__ void lengths_fixed(float *out, float f)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;

    out[t] = series(t / 32 % 32 == 0 ? 256 : 8, f);
}

// Quotients to the last bit, or by the reciprocal.
extern "C" __global__ void quotient_flaw(float *out, float f)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float a = t + 1, b = t + 2, c = t + 3, d = t + 4;

    for (int i = 0; i < 32; i++)
        a = f / a + 1, b = f / b + 1, c = f / c + 1, d = f / d + 1;
    out[t] = a + b + c + d;
}

extern "C" __global__ void quotient_fixed(float *out, float f)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float a = t + 1, b = t + 2, c = t + 3, d = t + 4;

    for (int i = 0; i < 32; i++)
        a = __fdividef(f, a) + 1, b = __fdividef(f, b) + 1,
        c = __fdividef(f, c) + 1, d = __fdividef(f, d) + 1;
    out[t] = a + b + c + d;
}

// An array by an index that only the data know, or kept in shared memory.
extern "C" __global__ void index_flaw(const int *in, float *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float bin[32];

    for (int i = 0; i < 32; i++)
        bin[i] = i;
    for (int i = 0; i < 64; i++)
        bin[(in[t % 1024] + i * 5) & 31] += 1;
    float sum = 0;
    for (int i = 0; i < 32; i++)
        sum += bin[i] * i;
    out[t] = sum;
}

extern "C" __global__ void index_fixed(const int *in, float *out)
{
    __shared__ float bin[32][128];
    int t = blockIdx.x * blockDim.x + threadIdx.x, own = threadIdx.x;

    for (int i = 0; i < 32; i++)
        bin[i][own] = i;
    for (int i = 0; i < 64; i++)
        bin[(in[t % 1024] + i * 5) & 31][own] += 1;
    float sum = 0;
    for (int i = 0; i < 32; i++)
        sum += bin[i][own] * i;
    out[t] = sum;
}

// ---- the launch -------------------------------------------------------------

// Half as many blocks more than fit at a time, or twice those that fit, each
// with less to do.
extern "C" __global__ void waves_flaw(float *out, float f, int n)
{
    extern __shared__ float room[];

    room[threadIdx.x] = series(n, f);
    out[blockIdx.x * blockDim.x + threadIdx.x] = room[threadIdx.x];
}

extern "C" __global__ void waves_fixed(float *out, float f, int n)
{
    extern __shared__ float room[];

    room[threadIdx.x] = series(n, f);
    out[blockIdx.x * blockDim.x + threadIdx.x] = room[threadIdx.x];
}

// Shared memory for one block on an SM, of which little is used, or for many.
template <int WORDS>
__device__ __forceinline__ void rooms(const int *next, int *out)
{
    __shared__ int room[WORDS];
    int t = blockIdx.x * blockDim.x + threadIdx.x, at = t & 16383;

    room[threadIdx.x] = t;
    __syncthreads();
    for (int i = 0; i < 16; i++)
        at = (__ldcg(&next[at]) + room[(threadIdx.x + i) % 128]) & 16383;
    out[t] = at;
}

extern "C" __global__ void rooms_flaw(const int *next, int *out)
{
    rooms<12000>(next, out);
}

extern "C" __global__ void rooms_fixed(const int *next, int *out)
{
    rooms<128>(next, out);
}
