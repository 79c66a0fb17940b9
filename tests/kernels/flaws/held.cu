// Pairs of kernels as in flaws.cu, written after the rules of findings were
// settled and with what the first finding has to be (held.list) set down
// before any of them was run.
#include <cuda_fp16.h>

// ---- shared memory ----------------------------------------------------------

// The first two steps of every lecture on reductions: threads that are a
// multiple of the stride add, ...
extern "C" __global__ void modulo_flaw(const float *in, float *out)
{
    __shared__ float part[256];
    int t = threadIdx.x;
    float v = in[blockIdx.x * 256 + t];

    for (int round = 0; round < 8; round++) {
        part[t] = v;
        __syncthreads();
        for (int s = 1; s < 256; s *= 2) {
            if (t % (2 * s) == 0)
                part[t] += part[t + s];
            __syncthreads();
        }
        v += part[0];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = v;
}

extern "C" __global__ void modulo_fixed(const float *in, float *out)
{
    __shared__ float part[256];
    int t = threadIdx.x;
    float v = in[blockIdx.x * 256 + t];

    for (int round = 0; round < 8; round++) {
        part[t] = v;
        __syncthreads();
        for (int s = 128; s > 0; s /= 2) {
            if (t < s)
                part[t] += part[t + s];
            __syncthreads();
        }
        v += part[0];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = v;
}

// ... or the first threads add what is a stride apart.
extern "C" __global__ void steps_flaw(const float *in, float *out)
{
    __shared__ float part[2048];
    int t = threadIdx.x;

    for (int i = t; i < 2048; i += 1024)
        part[i] = in[blockIdx.x * 2048 + i];
    __syncthreads();
    for (int s = 1; s < 2048; s *= 2) {
        int i = 2 * s * t;

        if (i < 2048)
            part[i] += part[i + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

extern "C" __global__ void steps_fixed(const float *in, float *out)
{
    __shared__ float part[2048];
    int t = threadIdx.x;

    for (int i = t; i < 2048; i += 1024)
        part[i] = in[blockIdx.x * 2048 + i];
    __syncthreads();
    for (int s = 1024; s > 0; s /= 2) {
        if (t < s)
            part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

// A product out of tiles whose second operand lies along its columns.
template <int PITCH>
__device__ __forceinline__ void product(const float *a, const float *b,
                                        float *c, int n)
{
    __shared__ float left[16][17], right[16][PITCH];
    int x = threadIdx.x % 16, y = threadIdx.x / 16;
    int row = blockIdx.x / (n / 16) * 16, column = blockIdx.x % (n / 16) * 16;
    float sum = 0;

    for (int k = 0; k < n; k += 16) {
        left[y][x] = a[(row + y) * n + k + x];
        right[y][x] = b[(column + y) * n + k + x];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i++)
            sum += left[y][i] * right[x][i];
        __syncthreads();
    }
    c[(row + y) * n + column + x] = sum;
}

extern "C" __global__ void product_flaw(const float *a, const float *b,
                                        float *c, int n)
{
    product<16>(a, b, c, n);
}

extern "C" __global__ void product_fixed(const float *a, const float *b,
                                         float *c, int n)
{
    product<17>(a, b, c, n);
}

// Two loads from shared memory for each multiply-add, or half a load.
template <int TILE>
__device__ __forceinline__ void registers(float *out)
{
    __shared__ float a[64 * 16], b[64 * 16];
    int t = threadIdx.x, x = t % 16, y = t / 16;
    float sum[TILE][TILE] = {};

    for (int i = t; i < 64 * 16; i += 256)
        a[i] = i, b[i] = i + 1;
    __syncthreads();
    for (int pass = 0; pass < 16 / TILE / TILE; pass++)
#pragma unroll 4
        for (int k = 0; k < 16 * 4; k++) {
            float l[TILE], r[TILE];
#pragma unroll
            for (int i = 0; i < TILE; i++)
                l[i] = a[k % 16 * 64 + y + 16 * i],
                r[i] = b[k % 16 * 64 + x + 16 * i];
#pragma unroll
            for (int i = 0; i < TILE; i++)
#pragma unroll
                for (int j = 0; j < TILE; j++)
                    sum[i][j] += l[i] * r[j];
        }
    float all = 0;
    for (int i = 0; i < TILE; i++)
        for (int j = 0; j < TILE; j++)
            all += sum[i][j];
    out[blockIdx.x * 256 + t] = all;
}

extern "C" __global__ void registers_flaw(float *out)
{
    registers<1>(out);
}

extern "C" __global__ void registers_fixed(float *out)
{
    registers<4>(out);
}

// ---- global memory ----------------------------------------------------------

// Elements by an index without order, or in order.
extern "C" __global__ void gather_flaw(const float *in, float *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;

#pragma unroll 8
    for (int i = 0; i < 16; i++) {
        unsigned at = (unsigned)(t + i * n) * 2654435761u;
        out[t + i * n] = __ldcg(&in[at % (1u << 20)]);
    }
}

extern "C" __global__ void gather_fixed(const float *in, float *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;

#pragma unroll 8
    for (int i = 0; i < 16; i++)
        out[t + i * n] = __ldcg(&in[(t + i * n) % (1u << 20)]);
}

// A row for each thread, word by word, or a row for each warp.
extern "C" __global__ void walk_flaw(const float *in, float *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

#pragma unroll 4
    for (int i = 0; i < 64; i++)
        sum += in[t * 64 + i];
    out[t] = sum;
}

extern "C" __global__ void walk_fixed(const float *in, float *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    float sum = 0;

#pragma unroll 4
    for (int i = 0; i < 64; i++)
        sum += in[t + i * n];
    out[t] = sum;
}

// One load in flight for each warp, of few, or eight.
extern "C" __global__ void serial_flaw(const float *in, float *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    float sum = 0;

#pragma unroll 1
    for (int i = 0; i < 64; i++)
        sum += in[t + i * n];
    out[t] = sum;
}

extern "C" __global__ void serial_fixed(const float *in, float *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    float sum = 0;

#pragma unroll 16
    for (int i = 0; i < 64; i++)
        sum += in[t + i * n];
    out[t] = sum;
}

// Loads a tile, waits, computes; or loads the next tile meanwhile.
extern "C" __global__ void stages_flaw(const float *in, float *out, float f)
{
    __shared__ float tile[256];
    int t = threadIdx.x;
    float sum = 0;

    for (int k = 0; k < 16; k++) {
        tile[t] = in[(blockIdx.x * 16 + k) * 256 + t];
        __syncthreads();
#pragma unroll 8
        for (int i = 0; i < 64; i++)
            sum = sum * f + tile[(t + i) % 256];
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = sum;
}

extern "C" __global__ void stages_fixed(const float *in, float *out, float f)
{
    __shared__ float tile[256];
    int t = threadIdx.x;
    float sum = 0, next = in[blockIdx.x * 16 * 256 + t];

    for (int k = 0; k < 16; k++) {
        tile[t] = next;
        __syncthreads();
        if (k < 15)
            next = in[(blockIdx.x * 16 + k + 1) * 256 + t];
#pragma unroll 8
        for (int i = 0; i < 64; i++)
            sum = sum * f + tile[(t + i) % 256];
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = sum;
}

// Reads all of what is stored once more, from L2, or keeps it.
extern "C" __global__ void twice_flaw(const float4 *in, float4 *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float4 sum = {};

    for (int i = 0; i < 32; i++) {
        float4 v = __ldcg(&in[(t + i * 256) % 65536]);
        sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
    }
    out[t] = sum;
}

extern "C" __global__ void twice_fixed(const float4 *in, float4 *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = __ldcg(&in[t % 65536]), sum = {};

    for (int i = 0; i < 32; i++)
        sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
    out[t] = sum;
}

// A histogram of few bins in global memory, or in shared memory first.
extern "C" __global__ void bins_flaw(const int *in, int *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;

    for (int i = 0; i < 8; i++)
        atomicAdd(&out[in[t + i * n] & 15], 1);
}

extern "C" __global__ void bins_fixed(const int *in, int *out)
{
    __shared__ int bin[16 * 32];
    int t = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;

    for (int i = threadIdx.x; i < 16 * 32; i += blockDim.x)
        bin[i] = 0;
    __syncthreads();
    for (int i = 0; i < 8; i++)
        atomicAdd(&bin[(in[t + i * n] & 15) * 32 + threadIdx.x % 32], 1);
    __syncthreads();
    if (threadIdx.x < 16) {
        int sum = 0;
        for (int i = 0; i < 32; i++)
            sum += bin[threadIdx.x * 32 + (i + threadIdx.x) % 32];
        atomicAdd(&out[threadIdx.x], sum);
    }
}

// More registers wanted than the bounds of the launch leave.
__device__ __forceinline__ void many(const float *in, float *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float v[48];

#pragma unroll
    for (int i = 0; i < 48; i++)
        v[i] = in[(t + i * 64) % 65536];
    for (int k = 0; k < 8; k++)
#pragma unroll
        for (int i = 0; i < 48; i++)
            v[i] = v[i] * v[(i * 7 + 1) % 48] + v[(i * 5 + 3) % 48];
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 48; i++)
        sum += v[i];
    out[t] = sum;
}

extern "C" __global__ void __launch_bounds__(1024, 2)
    bounds_flaw(const float *in, float *out)
{
    many(in, out);
}

extern "C" __global__ void __launch_bounds__(256)
    bounds_fixed(const float *in, float *out)
{
    many(in, out);
}

// ---- constants --------------------------------------------------------------

__constant__ float weights[16000];

// Constants that no cache of an SM holds, from another place for each warp, or
// the same for all.
extern "C" __global__ void weights_flaw(float *out)
{
    int warp = threadIdx.x / 32 + blockIdx.x * 8;
    float sum = 0;

    for (int i = 0; i < 64; i++)
        sum += weights[(warp * 1031 + i * 64) % 16000];
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}

extern "C" __global__ void weights_fixed(float *out)
{
    int warp = threadIdx.x / 32 + blockIdx.x * 8;
    float sum = 0;

    for (int i = 0; i < 64; i++)
        sum += weights[(warp % 4 * 8 + i) % 256];
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}

// ---- arithmetic -------------------------------------------------------------

// Divides by what only the launch knows, or by a power of two.
extern "C" __global__ void divide_flaw(int *out, int width)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;

    for (int i = 0; i < 16; i++) {
        int at = t + i * 4099;
        sum += at / width + at % width;
    }
    out[t] = sum;
}

extern "C" __global__ void divide_fixed(int *out, int width)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    int shift = 31 - __clz(width);

    for (int i = 0; i < 16; i++) {
        int at = t + i * 4099;
        sum += (at >> shift) + (at & (width - 1));
    }
    out[t] = sum;
}

// A double that nobody meant: 0.1 for 0.1f.
extern "C" __global__ void literal_flaw(float *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float a = t, b = t + 1;

#pragma unroll 4
    for (int i = 0; i < 64; i++)
        a = a * 0.1 + 1.3, b = b * 0.1 + 1.3;
    out[t] = a + b;
}

extern "C" __global__ void literal_fixed(float *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float a = t, b = t + 1;

#pragma unroll 4
    for (int i = 0; i < 64; i++)
        a = a * 0.1f + 1.3f, b = b * 0.1f + 1.3f;
    out[t] = a + b;
}

// Points that take longer lie between others, or beside each other.
__device__ __forceinline__ int escape(int rounds)
{
    float x = 0, y = 0;
    int i = 0;

    while (i < rounds)
        x = x * y + 0.3f, y = y * x + 0.2f, i++;
    return i + (int)(x + y);
}

extern "C" __global__ void escape_flaw(int *out, int most)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;

    out[t] = escape(most >> (t * 7 % 8));
}

extern "C" __global__ void escape_fixed(int *out, int most)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;

    out[t] = escape(most >> (t / 32 * 7 % 8));
}

// Powers by their logarithm, or by multiplication.
extern "C" __global__ void power_flaw(float *out, float f)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float a = t, b = t + 1, c = t + 2, d = t + 3;

    for (int i = 0; i < 32; i++)
        a = __powf(a, f) + 1, b = __powf(b, f) + 1, c = __powf(c, f) + 1,
        d = __powf(d, f) + 1;
    out[t] = a + b + c + d;
}

extern "C" __global__ void power_fixed(float *out, float f)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float a = t, b = t + 1, c = t + 2, d = t + 3;

    for (int i = 0; i < 32; i++)
        a = a * a * a + 1, b = b * b * b + 1, c = c * c * c + 1,
        d = d * d * d + 1;
    out[t] = a + b + c + d;
}

// ---- the launch -------------------------------------------------------------

// Waits for the whole block after each step, or for the warp.
extern "C" __global__ void sync_flaw(float *out, float f)
{
    __shared__ float part[1024];
    int t = threadIdx.x;
    float v = t;

    for (int i = 0; i < 64; i++) {
        part[t] = v;
        __syncthreads();
        v = v * f + part[t ^ 1];
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + t] = v;
}

extern "C" __global__ void sync_fixed(float *out, float f)
{
    __shared__ float part[1024];
    int t = threadIdx.x;
    float v = t;

    for (int i = 0; i < 64; i++) {
        part[t] = v;
        __syncwarp();
        v = v * f + part[t ^ 1];
        __syncwarp();
    }
    out[blockIdx.x * blockDim.x + t] = v;
}

// A block for all elements, or one for each 256.
extern "C" __global__ void alone_flaw(const float *in, float *out, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = in[i] * 2 + 1;
}

extern "C" __global__ void alone_fixed(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = in[i] * 2 + 1;
}

// Row b of a triangle has b elements; or rows b and n - 1 - b for one block.
__device__ __forceinline__ float row(float v, float f, int n)
{
    float a = v, b = v + 1, c = v + 2, d = v + 3;

    for (int i = 0; i < n; i++)
        a = a * f + 1, b = b * f + 1, c = c * f + 1, d = d * f + 1;
    return a + b + c + d;
}

extern "C" __global__ void triangle_flaw(float *out, float f)
{
    int b = blockIdx.x;

    out[b * blockDim.x + threadIdx.x] =
        row(threadIdx.x, f, b * 16) + row(threadIdx.x, f, b);
}

extern "C" __global__ void triangle_fixed(float *out, float f)
{
    int b = blockIdx.x, n = gridDim.x;

    out[b * blockDim.x + threadIdx.x] =
        row(threadIdx.x, f, n * 8) + row(threadIdx.x, f, b);
}

// A block for each 32 elements, or for all that one has room for.
extern "C" __global__ void tiny_flaw(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = in[i % 4096] * 2;
}

extern "C" __global__ void tiny_fixed(const float *__restrict__ in,
                                      float *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x * 16 + threadIdx.x;

#pragma unroll
    for (int k = 0; k < 16; k++)
        out[i + k * blockDim.x] = in[(i + k * blockDim.x) % 4096] * 2;
}

// Registers for one block on an SM, while memory is waited for; or for four.
extern "C" __global__ void __launch_bounds__(256, 1)
    pressure_flaw(const float *in, float *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float v[160];

#pragma unroll
    for (int i = 0; i < 160; i++)
        v[i] = t + i;
    for (int k = 0; k < 4; k++) {
        float w = in[(t * 32 + k * 8192) % 1048576];
#pragma unroll
        for (int i = 0; i < 160; i++)
            v[i] = v[i] * w + v[(i * 7 + 1) % 160];
    }
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 160; i++)
        sum += v[i];
    out[t] = sum;
}

extern "C" __global__ void __launch_bounds__(256, 4)
    pressure_fixed(const float *in, float *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

    for (int part = 0; part < 4; part++) {
        float v[40];
#pragma unroll
        for (int i = 0; i < 40; i++)
            v[i] = t + i + part * 40;
        for (int k = 0; k < 4; k++) {
            float w = in[(t * 32 + k * 8192) % 1048576];
#pragma unroll
            for (int i = 0; i < 40; i++)
                v[i] = v[i] * w + v[(i * 7 + 1) % 40];
        }
#pragma unroll
        for (int i = 0; i < 40; i++)
            sum += v[i];
    }
    out[t] = sum;
}

// Blocks of one warp, of which an SM has no more than 32 at a time, while
// memory is waited for; or of eight.
extern "C" __global__ void narrow_flaw(const int *next, int *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, at = t & 16383;

    for (int i = 0; i < 16; i++)
        at = __ldcg(&next[at]);
    out[t] = at;
}

extern "C" __global__ void narrow_fixed(const int *next, int *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, at = t & 16383;

    for (int i = 0; i < 16; i++)
        at = __ldcg(&next[at]);
    out[t] = at;
}
