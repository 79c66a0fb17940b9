// Pairs of kernels that do the same work: X_flaw has one known flaw, X_fixed
// is without it. `flaws.list` says how each is launched and which finding the
// flaw has to be.
// ---- shared memory ----------------------------------------------------------

template <int PITCH>
__device__ void transpose(const float *in, float *out)
{
    __shared__ float tile[32][PITCH];
    int x = threadIdx.x % 32, y0 = threadIdx.x / 32, n = gridDim.x * 32;

    for (int y = y0; y < 32; y += 8)
        tile[y][x] = in[y * n + blockIdx.x * 32 + x];
    __syncthreads();
    for (int y = y0; y < 32; y += 8)
        out[(blockIdx.x * 32 + y) * 32 + x] = tile[x][y];
}

extern "C" __global__ void transpose_flaw(const float *in, float *out)
{
    transpose<32>(in, out);
}

extern "C" __global__ void transpose_fixed(const float *in, float *out)
{
    transpose<33>(in, out);
}

// A reduction whose strides double: lanes two, four, eight words apart.
extern "C" __global__ void strided_flaw(const float *in, float *out)
{
    __shared__ float part[8192];
    int t = threadIdx.x;

    for (int i = t; i < 8192; i += 256)
        part[i] = in[blockIdx.x * 256 + i % 256];
    __syncthreads();
    float sum = 0;
#pragma unroll 8
    for (int i = 0; i < 32; i++)
        sum += part[t * 32 + i];
    out[blockIdx.x * 256 + t] = sum;
}

extern "C" __global__ void strided_fixed(const float *in, float *out)
{
    __shared__ float part[8192];
    int t = threadIdx.x;

    for (int i = t; i < 8192; i += 256)
        part[i] = in[blockIdx.x * 256 + i % 256];
    __syncthreads();
    float sum = 0;
#pragma unroll 8
    for (int i = 0; i < 32; i++)
        sum += part[i * 256 + t];
    out[blockIdx.x * 256 + t] = sum;
}

// All lanes of a warp add to one bin, or each to its own copy.
extern "C" __global__ void histogram_flaw(const float *in, int *out)
{
    __shared__ int bin[1024];
    int t = threadIdx.x;

    for (int i = t; i < 1024; i += 256)
        bin[i] = 0;
    __syncthreads();
    for (int i = 0; i < 32; i++) {
        int v = (int)(in[blockIdx.x * 256 + t] * 2) + (i & 15);
        atomicAdd(&bin[v], v + 1);
    }
    __syncthreads();
    for (int i = t; i < 1024; i += 256)
        out[blockIdx.x * 1024 + i] = bin[i];
}

extern "C" __global__ void histogram_fixed(const float *in, int *out)
{
    __shared__ int bin[1024];
    int t = threadIdx.x;

    for (int i = t; i < 1024; i += 256)
        bin[i] = 0;
    __syncthreads();
    for (int i = 0; i < 32; i++) {
        int v = (int)(in[blockIdx.x * 256 + t] * 2) + (i & 15);
        atomicAdd(&bin[v * 32 + t % 32], v + 1);
    }
    __syncthreads();
    for (int i = t; i < 1024; i += 256)
        out[blockIdx.x * 1024 + i] = bin[i];
}

// ---- global memory ----------------------------------------------------------

// Each thread walks a row of its own, or the warp walks rows together.
extern "C" __global__ void rows_flaw(const float *in, float *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

#pragma unroll 8
    for (int i = 0; i < 32; i++)
        sum += __ldcg(&in[t * 8 + i * 8 * gridDim.x * blockDim.x]);
    out[t] = sum;
}

extern "C" __global__ void rows_fixed(const float *in, float *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

#pragma unroll 8
    for (int i = 0; i < 32; i++)
        sum += __ldcg(&in[t + i * gridDim.x * blockDim.x]);
    out[t] = sum;
}

// One member of a structure of eight.
struct body {
    float x, y, z, mass, vx, vy, vz, age;
};

extern "C" __global__ void structure_flaw(const body *in, float *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    float m[8];

    for (int i = 0; i < 8; i++)
        m[i] = in[t + i * n].mass;
    for (int i = 0; i < 8; i++)
        out[t + i * n] = m[i] * 2;
}

extern "C" __global__ void structure_fixed(const float *in, float *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    float m[8];

    for (int i = 0; i < 8; i++)
        m[i] = in[t + i * n];
    for (int i = 0; i < 8; i++)
        out[t + i * n] = m[i] * 2;
}

// Stores a column, or a row.
extern "C" __global__ void column_flaw(float *out)
{
    int t = threadIdx.x;

    for (int i = 0; i < 16; i++)
        out[(blockIdx.x * 256 + t) * 16 + i * 256 * 16 * gridDim.x] = t + i;
}

extern "C" __global__ void column_fixed(float *out)
{
    int t = threadIdx.x;

    for (int i = 0; i < 16; i++)
        out[blockIdx.x * 256 + t + i * 256 * gridDim.x] = t + i;
}

// All threads add to one word, or one thread of a block does.
extern "C" __global__ void sum_flaw(const float *in, float *out)
{
    atomicAdd(out, in[blockIdx.x * 256 + threadIdx.x]);
}

extern "C" __global__ void sum_fixed(const float *in, float *out)
{
    __shared__ float part[8];
    float v = in[blockIdx.x * 256 + threadIdx.x];

    for (int i = 16; i > 0; i /= 2)
        v += __shfl_down_sync(0xffffffff, v, i);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < 8; i++)
            v += part[i];
        atomicAdd(out, v);
    }
}

// Each load's address comes from the load before.
extern "C" __global__ void chase_flaw(const int *next, int *out)
{
    int at = blockIdx.x * 64 + threadIdx.x;

    for (int i = 0; i < 24; i++)
        at = next[at] + 64;
    out[blockIdx.x * 64 + threadIdx.x] = at;
}

extern "C" __global__ void chase_fixed(const int *next, int *out)
{
    int at = blockIdx.x * 64 + threadIdx.x, sum = 0;

#pragma unroll
    for (int i = 0; i < 24; i++)
        sum += next[at + i * 64];
    out[at] = sum;
}

// Loads and stores more bytes than it needs to.
extern "C" __global__ void wide_flaw(const double *in, double *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;

#pragma unroll 16
    for (int i = 0; i < 16; i++)
        out[t + i * n] = in[t + i * n];
}

extern "C" __global__ void wide_fixed(const float *in, float *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;

#pragma unroll 16
    for (int i = 0; i < 16; i++)
        out[t + i * n] = in[t + i * n];
}

// A fence behind every store.
extern "C" __global__ void fence_flaw(float *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;

    for (int i = 0; i < 16; i++) {
        out[t + i * n] = i;
        __threadfence();
    }
}

extern "C" __global__ void fence_fixed(float *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;

    for (int i = 0; i < 16; i++)
        out[t + i * n] = i;
}

// An array by an index that only the launch knows: it lives in memory.
extern "C" __global__ void spill_flaw(const float *in, float *out, int m)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float kept[32], v = in[t];

    for (int i = 0; i < 32; i++)
        kept[(i * m) & 31] = v + i;
    for (int i = 0; i < 32; i++)
        v += kept[(i * 5 * m) & 31];
    out[t] = v;
}

extern "C" __global__ void spill_fixed(const float *in, float *out, int m)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float kept[32], v = in[t];

#pragma unroll
    for (int i = 0; i < 32; i++)
        kept[i] = v + i * m;
#pragma unroll
    for (int i = 0; i < 32; i++)
        v += kept[(i * 5) & 31];
    out[t] = v;
}

// ---- constants --------------------------------------------------------------

__constant__ float table[1024];

// Lanes ask for 32 constants, or for one.
extern "C" __global__ void constant_flaw(float *out)
{
    int t = threadIdx.x;
    float sum = 0;

    for (int i = 0; i < 32; i++)
        sum += table[(t * 4 + i) & 127];
    out[blockIdx.x * 256 + t] = sum;
}

extern "C" __global__ void constant_fixed(float *out)
{
    int t = threadIdx.x;
    float sum = 0;

    for (int i = 0; i < 32; i++)
        sum += table[((t >> 5) * 4 + i) & 127];
    out[blockIdx.x * 256 + t] = sum;
}

// ---- arithmetic -------------------------------------------------------------

__device__ __forceinline__ float work(float v, int n)
{
    for (int i = 0; i < n; i++)
        v = v * v + 0.5f;
    return v;
}

// Every other lane, or every other warp.
extern "C" __global__ void branch_flaw(float *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float a = t, b = t + 1, c = t + 2, d = t + 3;

    if (t & 1)
        for (int i = 0; i < 64; i++)
            a = a * a + 1, b = b * b + 1, c = c * c + 1, d = d * d + 1;
    else
        for (int i = 0; i < 64; i++)
            a = a * a + 2, b = b * b + 2, c = c * c + 2, d = d * d + 2;
    out[t] = a + b + c + d;
}

extern "C" __global__ void branch_fixed(float *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float a = t, b = t + 1, c = t + 2, d = t + 3;

    if (t & 32)
        for (int i = 0; i < 64; i++)
            a = a * a + 1, b = b * b + 1, c = c * c + 1, d = d * d + 1;
    else
        for (int i = 0; i < 64; i++)
            a = a * a + 2, b = b * b + 2, c = c * c + 2, d = d * d + 2;
    out[t] = a + b + c + d;
}

// One chain of dependent multiply-adds in few warps, or four.
extern "C" __global__ void chain_flaw(float *out, float f)
{
    float a = threadIdx.x;

#pragma unroll 16
    for (int i = 0; i < 1024; i++)
        a = a * f + 1;
    out[blockIdx.x * blockDim.x + threadIdx.x] = a;
}

extern "C" __global__ void chain_fixed(float *out, float f)
{
    float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;

#pragma unroll 4
    for (int i = 0; i < 256; i++)
        a = a * f + 1, b = b * f + 1, c = c * f + 1, d = d * f + 1;
    out[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d;
}

// Doubles where floats would do.
extern "C" __global__ void double_flaw(float *out, float f)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    double a = t, b = t + 1, c = t + 2, d = t + 3;

#pragma unroll 4
    for (int i = 0; i < 128; i++)
        a = a * f + 1, b = b * f + 1, c = c * f + 1, d = d * f + 1;
    out[t] = (float)(a + b + c + d);
}

extern "C" __global__ void double_fixed(float *out, float f)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float a = t, b = t + 1, c = t + 2, d = t + 3;

#pragma unroll 4
    for (int i = 0; i < 128; i++)
        a = a * f + 1, b = b * f + 1, c = c * f + 1, d = d * f + 1;
    out[t] = a + b + c + d;
}

// Special functions where arithmetic would do.
extern "C" __global__ void special_flaw(float *out, float f)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float a = t, b = t + 1, c = t + 2, d = t + 3;

#pragma unroll 4
    for (int i = 0; i < 64; i++) {
        a = __expf(a), b = __expf(b), c = __expf(c), d = __expf(d);
    }
    out[t] = a + b + c + d;
}

extern "C" __global__ void special_fixed(float *out, float f)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float a = t, b = t + 1, c = t + 2, d = t + 3;

#pragma unroll 4
    for (int i = 0; i < 64; i++) {
        a = a * f + 1, b = b * f + 1, c = c * f + 1, d = d * f + 1;
    }
    out[t] = a + b + c + d;
}

// Recomputes for every element what is the same for all.
extern "C" __global__ void issue_flaw(int *out, int m)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int a = t, b = t + 1;
    float c = t, d = t + 1;

#pragma unroll 8
    for (int i = 0; i < 128; i++) {
        a = (a ^ m) + b;
        c = c * d + 1;
        b = (b ^ a) + m;
        d = d * c + 1;
    }
    out[t] = a + b + (int)(c + d);
}

extern "C" __global__ void issue_fixed(int *out, int m)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int a = t, b = t + 1;
    float c = t, d = t + 1;

#pragma unroll 8
    for (int i = 0; i < 64; i++) {
        a = (a ^ m) + b;
        c = c * d + 1;
        b = (b ^ a) + m;
        d = d * c + 1;
    }
    out[t] = a + b + (int)(c + d);
}

// Straight-line code of more than the instruction caches hold, or a loop.
template <int N>
__device__ __forceinline__ float unrolled(float a, float b, float f)
{
    float c = a + 1, d = b + 1;
#pragma unroll N
    for (int i = 0; i < 2048; i++)
        a = a * f + 1, b = b * f + 2, c = c * f + 3, d = d * f + 4;
    return a + b + c + d;
}

extern "C" __global__ void code_flaw(float *out, float f)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] =
        unrolled<2048>(threadIdx.x, blockIdx.x, f);
}

extern "C" __global__ void code_fixed(float *out, float f)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] =
        unrolled<16>(threadIdx.x, blockIdx.x, f);
}

// ---- the launch -------------------------------------------------------------

// One warp of the block works while the others wait, or all of them do.
extern "C" __global__ void barrier_flaw(float *out, float f)
{
    __shared__ float part[256];
    int t = threadIdx.x;

    for (int round = 0; round < 8; round++) {
        if (t < 32)
            for (int i = 0; i < 8; i++)
                part[t + 32 * i] = work(t + i + f + round, 32);
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = part[t];
}

extern "C" __global__ void barrier_fixed(float *out, float f)
{
    __shared__ float part[256];
    int t = threadIdx.x;

    for (int round = 0; round < 8; round++) {
        part[t] = work(t % 32 + t / 32 + f + round, 32);
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = part[t];
}

// A few large blocks, or many small ones, by the launch.
extern "C" __global__ void launch_flaw(float *out, float f, int rounds)
{
    float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;

    for (int i = 0; i < 8 * rounds; i++)
        a = a * f + 1, b = b * f + 1, c = c * f + 1, d = d * f + 1;
    out[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d;
}

extern "C" __global__ void launch_fixed(float *out, float f, int rounds)
{
    float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;

    for (int i = 0; i < rounds; i++)
        a = a * f + 1, b = b * f + 1, c = c * f + 1, d = d * f + 1;
    out[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d;
}

// Blocks that fill the chip once and a bit, or far smaller ones.
extern "C" __global__ void tail_flaw(float *out, float f, int rounds)
{
    float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;

    for (int i = 0; i < 8 * rounds; i++)
        a = a * f + 1, b = b * f + 1, c = c * f + 1, d = d * f + 1;
    out[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d;
}

extern "C" __global__ void tail_fixed(float *out, float f, int rounds)
{
    float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;

    for (int i = 0; i < rounds; i++)
        a = a * f + 1, b = b * f + 1, c = c * f + 1, d = d * f + 1;
    out[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d;
}

// The first blocks have all the work, or each has its part.
extern "C" __global__ void balance_flaw(float *out, float f, int rounds)
{
    float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
    int n = blockIdx.x % 8 == 0 && blockIdx.x / 8 % 8 == 0
                ? 36 * rounds : rounds / 8;

    for (int i = 0; i < n; i++)
        a = a * f + 1, b = b * f + 1, c = c * f + 1, d = d * f + 1;
    out[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d;
}

extern "C" __global__ void balance_fixed(float *out, float f, int rounds)
{
    float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
    int n = (36 * rounds + 63 * (rounds / 8)) / 64;

    for (int i = 0; i < n; i++)
        a = a * f + 1, b = b * f + 1, c = c * f + 1, d = d * f + 1;
    out[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d;
}

// Shared memory that lets few blocks reside, while results are waited for.
template <int BYTES>
__device__ void resident(float *out, float f)
{
    __shared__ float part[BYTES / 4];
    float a = threadIdx.x;

#pragma unroll 16
    for (int i = 0; i < 256; i++)
        a = a * f + 1;
    part[threadIdx.x] = a;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = part[threadIdx.x ^ 1];
}

extern "C" __global__ void resident_flaw(float *out, float f)
{
    resident<48 * 1024>(out, f);
}

extern "C" __global__ void resident_fixed(float *out, float f)
{
    resident<256>(out, f);
}
