/*
 * The steps of reduction.sketch and transpose.sketch for today's compilers, to
 * climb the same ladders on today's chips (tools/ladders): what each step
 * changes is in the sketches.  Written anew; of the reduction's last warp the
 * steps add by shuffles, since warps no longer run in step.
 */
enum { THREADS = 128 };

/* ---- reduction -------------------------------------------------------------- */

__device__ int last_warp(int sum)
{
    for (int k = 16; k > 0; k /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, k);
    return sum;
}

extern "C" __global__ void reduce_1(const int *in, int *out, int n)
{
    __shared__ int s[THREADS];
    unsigned tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;

    s[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned k = 1; k < blockDim.x; k *= 2) {
        if (tid % (2 * k) == 0)
            s[tid] += s[tid + k];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}

extern "C" __global__ void reduce_2(const int *in, int *out, int n)
{
    __shared__ int s[THREADS];
    unsigned tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;

    s[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned k = 1; k < blockDim.x; k *= 2) {
        unsigned at = 2 * k * tid;

        if (at < blockDim.x)
            s[at] += s[at + k];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}

__device__ void tree(int *s, unsigned tid)
{
    for (unsigned k = blockDim.x / 2; k > 0; k /= 2) {
        if (tid < k)
            s[tid] += s[tid + k];
        __syncthreads();
    }
}

extern "C" __global__ void reduce_3(const int *in, int *out, int n)
{
    __shared__ int s[THREADS];
    unsigned tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;

    s[tid] = i < n ? in[i] : 0;
    __syncthreads();
    tree(s, tid);
    if (tid == 0)
        out[blockIdx.x] = s[0];
}

/* Two elements, added while they are loaded. */
__device__ int both(const int *in, unsigned i, unsigned apart, int n)
{
    int sum = i < n ? in[i] : 0;

    if (i + apart < n)
        sum += in[i + apart];
    return sum;
}

extern "C" __global__ void reduce_4(const int *in, int *out, int n)
{
    __shared__ int s[THREADS];
    unsigned tid = threadIdx.x, i = 2 * blockIdx.x * blockDim.x + tid;

    s[tid] = both(in, i, blockDim.x, n);
    __syncthreads();
    tree(s, tid);
    if (tid == 0)
        out[blockIdx.x] = s[0];
}

extern "C" __global__ void reduce_5(const int *in, int *out, int n)
{
    __shared__ int s[THREADS];
    unsigned tid = threadIdx.x, i = 2 * blockIdx.x * blockDim.x + tid;

    s[tid] = both(in, i, blockDim.x, n);
    __syncthreads();
    for (unsigned k = blockDim.x / 2; k > 32; k /= 2) {
        if (tid < k)
            s[tid] += s[tid + k];
        __syncthreads();
    }
    if (tid < 32) {
        int sum = last_warp(s[tid] + s[tid + 32]);

        if (tid == 0)
            out[blockIdx.x] = sum;
    }
}

/* Steps 6 and 7: the size of a block is known, no loop is left. */
__device__ void tree_unrolled(int *s, unsigned tid, int *out)
{
    if (tid < 64)
        s[tid] += s[tid + 64];
    __syncthreads();
    if (tid < 32) {
        int sum = last_warp(s[tid] + s[tid + 32]);

        if (tid == 0)
            out[blockIdx.x] = sum;
    }
}

extern "C" __global__ void reduce_6(const int *in, int *out, int n)
{
    __shared__ int s[THREADS];
    unsigned tid = threadIdx.x, i = 2 * THREADS * blockIdx.x + tid;

    s[tid] = both(in, i, THREADS, n);
    __syncthreads();
    tree_unrolled(s, tid, out);
}

extern "C" __global__ void reduce_7(const int *in, int *out, int n)
{
    __shared__ int s[THREADS];
    unsigned tid = threadIdx.x;
    int sum = 0;

    for (unsigned i = 2 * THREADS * blockIdx.x + tid; i < n;
         i += 2 * THREADS * gridDim.x)
        sum += both(in, i, THREADS, n);
    s[tid] = sum;
    __syncthreads();
    tree_unrolled(s, tid, out);
}

/* ---- transpose --------------------------------------------------------------- */

/* Tiles of TILE x TILE elements by TILE x ROWS threads. */
template <int TILE, int ROWS>
__device__ void copy(float *out, const float *in, int width)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    int at = y * width + x;

    for (int i = 0; i < TILE; i += ROWS)
        out[at + i * width] = in[at + i * width];
}

/* Through a tile: which blocks' tiles change places, and elements in a tile. */
template <int TILE, int ROWS, int PITCH, bool TILES, bool ELEMENTS,
          bool DIAGONAL>
__device__ void through_tile(float *out, const float *in, int width)
{
    __shared__ float tile[TILE][PITCH];
    int bx = DIAGONAL ? (blockIdx.x + blockIdx.y) % gridDim.x : blockIdx.x;
    int by = DIAGONAL ? blockIdx.x : blockIdx.y;
    int tx = threadIdx.x, ty = threadIdx.y;
    int from = (by * TILE + ty) * width + bx * TILE + tx;
    int to = ((TILES ? bx : by) * TILE + ty) * width +
             (TILES ? by : bx) * TILE + tx;

    for (int i = 0; i < TILE; i += ROWS)
        tile[ty + i][tx] = in[from + i * width];
    __syncthreads();
    for (int i = 0; i < TILE; i += ROWS)
        out[to + i * width] = ELEMENTS ? tile[tx][ty + i] : tile[ty + i][tx];
}

template <int TILE, int ROWS>
__device__ void naive(float *out, const float *in, int width)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;

    for (int i = 0; i < TILE; i += ROWS)
        out[x * width + y + i] = in[(y + i) * width + x];
}

#define TRANSPOSE(NAME, ...)                                                   \
    extern "C" __global__ void NAME(float *out, const float *in, int width)    \
    {                                                                          \
        __VA_ARGS__(out, in, width);                                           \
    }
#define TRANSPOSES(NAME, T, R)                                                 \
    TRANSPOSE(NAME##_1, copy<T, R>)                                            \
    TRANSPOSE(NAME##_2, through_tile<T, R, T, false, false, false>)            \
    TRANSPOSE(NAME##_3, naive<T, R>)                                           \
    TRANSPOSE(NAME##_4, through_tile<T, R, T, true, true, false>)              \
    TRANSPOSE(NAME##_5, through_tile<T, R, T + 1, true, true, false>)          \
    TRANSPOSE(NAME##_6, through_tile<T, R, T + 1, false, true, false>)         \
    TRANSPOSE(NAME##_7, through_tile<T, R, T + 1, true, false, false>)         \
    TRANSPOSE(NAME##_8, through_tile<T, R, T + 1, true, true, true>)

TRANSPOSES(transpose, 32, 8)
TRANSPOSES(transpose16, 16, 16) /* as the CUDA sample had it until 2025 */

/* ---- streams ---------------------------------------------------------------- */

/* An element a thread, as BabelStream's kernels up to version 5 have it; of its
 * sum of products a fixed grid takes what is left in turns. */
extern "C" __global__ void stream_copy(const double *a, double *c)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    c[i] = a[i];
}

extern "C" __global__ void stream_mul(double *b, const double *c)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    b[i] = 0.4 * c[i];
}

extern "C" __global__ void stream_add(const double *a, const double *b, double *c)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    c[i] = a[i] + b[i];
}

extern "C" __global__ void stream_triad(double *a, const double *b,
                                        const double *c)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    a[i] = b[i] + 0.4 * c[i];
}

extern "C" __global__ void stream_dot(const double *a, const double *b,
                                      double *sums, int n)
{
    __shared__ double s[1024];
    unsigned tid = threadIdx.x;

    s[tid] = 0;
    for (int i = blockIdx.x * blockDim.x + tid; i < n;
         i += blockDim.x * gridDim.x)
        s[tid] += a[i] * b[i];
    for (unsigned k = blockDim.x / 2; k > 0; k /= 2) {
        __syncthreads();
        if (tid < k)
            s[tid] += s[tid + k];
    }
    if (tid == 0)
        sums[blockIdx.x] = s[0];
}
