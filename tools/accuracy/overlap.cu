// Copies and kernels one after the other, and in four streams in two orders,
// timed by events: what NVIDIA's "How to Overlap Data Transfers in CUDA C/C++"
// (2012) does, for docs/accuracy.md.
#include <cstdio>
#include <cstring>

enum { STREAMS = 4, THREADS = 256, N = 4 * 1024 * THREADS * STREAMS };

__global__ void circle(float *a, int from)
{
    int i = from + blockIdx.x * blockDim.x + threadIdx.x;
    float x = (float)i, s = sinf(x), c = cosf(x);

    a[i] += sqrtf(s * s + c * c);
}

static float *host, *device;
static cudaStream_t stream[STREAMS];
static const int part = N / STREAMS;

static void to_device(int i)
{
    cudaMemcpyAsync(device + i * part, host + i * part, part * sizeof(float),
                    cudaMemcpyHostToDevice, stream[i]);
}

static void to_host(int i)
{
    cudaMemcpyAsync(host + i * part, device + i * part, part * sizeof(float),
                    cudaMemcpyDeviceToHost, stream[i]);
}

static void compute(int i)
{
    circle<<<part / THREADS, THREADS, 0, stream[i]>>>(device, i * part);
}

static void in_turn()
{
    cudaMemcpy(device, host, N * sizeof(float), cudaMemcpyHostToDevice);
    circle<<<N / THREADS, THREADS>>>(device, 0);
    cudaMemcpy(host, device, N * sizeof(float), cudaMemcpyDeviceToHost);
}

static void by_stream()
{
    for (int i = 0; i < STREAMS; i++) {
        to_device(i);
        compute(i);
        to_host(i);
    }
}

static void by_kind()
{
    for (int i = 0; i < STREAMS; i++)
        to_device(i);
    for (int i = 0; i < STREAMS; i++)
        compute(i);
    for (int i = 0; i < STREAMS; i++)
        to_host(i);
}

static void measure(const char *name, void (*run)())
{
    cudaEvent_t from, to;
    float ms = -1;

    memset(host, 0, N * sizeof(float));
    cudaEventCreate(&from);
    cudaEventCreate(&to);
    cudaEventRecord(from);
    run();
    cudaEventRecord(to);
    cudaEventSynchronize(to);
    cudaEventElapsedTime(&ms, from, to);
    printf("%s %.4f ms\n", name, ms);
}

int main()
{
    cudaMallocHost(&host, N * sizeof(float));
    cudaMalloc(&device, N * sizeof(float));
    for (int i = 0; i < STREAMS; i++)
        cudaStreamCreate(&stream[i]);
    measure("in turn", in_turn);
    measure("by stream", by_stream);
    measure("by kind", by_kind);
    return cudaGetLastError() != cudaSuccess;
}
