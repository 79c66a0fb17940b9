/* Kernels for tools/sampling.sh, compiled and run on the emulator: how far is
 * a sample of them off? */
enum { TILE = 16, BINS = 1024 };

extern "C" __global__ void convolve(const float *in, float *out, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        out[y * n + x] =
            0.2f * in[(y - 1) * n + x - 1] - 0.3f * in[(y - 1) * n + x] +
            0.4f * in[(y - 1) * n + x + 1] + 0.5f * in[y * n + x - 1] +
            0.6f * in[y * n + x] + 0.7f * in[y * n + x + 1] -
            0.8f * in[(y + 1) * n + x - 1] - 0.9f * in[(y + 1) * n + x] +
            0.1f * in[(y + 1) * n + x + 1];
}

extern "C" __global__ void multiply(const float *a, const float *b, float *c,
                                    int n, int depth)
{
    __shared__ float left[TILE][TILE], right[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;

    for (int t = 0; t < depth; t += TILE) {
        left[threadIdx.y][threadIdx.x] = a[row * depth + t + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + column];
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += left[threadIdx.y][i] * right[i][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

/* Uncoalesced stores. */
extern "C" __global__ void transpose(const float *in, float *out, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    out[x * n + y] = in[y * n + x];
}

extern "C" __global__ void histogram(const int *in, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        atomicAdd(&count[in[i] * 2654435761u % BINS], 1);
}
