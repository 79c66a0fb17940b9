/* What nvcc makes of templates, <<<>>>, variables of every kind, streams and
 * events, and the headers' inline functions: run under teg exec. */
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

__constant__ float factor[2];
__device__ int counter;
__managed__ int managed = 5;

template <class T>
__global__ void axpy(T *y, const T *x, T a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        y[i] = a * x[i] * factor[1] + y[i];
        atomicAdd(&counter, 1);
    }
    if (i == 0)
        managed += 1;
}

#define CHECK(condition)                                   \
    do {                                                   \
        if (!(condition)) {                                \
            printf("line %d: %s\n", __LINE__, #condition); \
            failures++;                                    \
        }                                                  \
    } while (0)

int main()
{
    const int n = 1000;
    const float set[2] = {1, 3};
    int failures = 0, blocks, grid, block, major, count;
    float *x, *y, ms;
    cudaDeviceProp p;
    cudaFuncAttributes a;
    cudaPointerAttributes where;
    cudaStream_t s;
    cudaEvent_t from, to;

    CHECK(cudaGetDeviceProperties(&p, 0) == cudaSuccess);
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
    CHECK(p.major == major && p.warpSize == 32 && p.maxThreadsPerBlock == 1024);
    CHECK(strstr(p.name, "(teg)") != nullptr);
    CHECK(p.multiProcessorCount > 1 && p.maxThreadsDim[2] == 64);
    CHECK(p.sharedMemPerMultiprocessor >= p.sharedMemPerBlockOptin);
    CHECK(p.maxBlocksPerMultiProcessor >= 16 && p.managedMemory == 1);
    CHECK(cudaMallocManaged(&x, n * sizeof *x) == cudaSuccess);
    CHECK(cudaMallocManaged(&y, n * sizeof *y) == cudaSuccess);
    CHECK(cudaPointerGetAttributes(&where, x) == cudaSuccess);
    CHECK(where.type == cudaMemoryTypeManaged && where.devicePointer == x);
    for (int i = 0; i < n; i++)
        x[i] = (float)i, y[i] = 1;
    CHECK(cudaMemcpyToSymbol(factor, set, sizeof set) == cudaSuccess);
    cudaStreamCreate(&s);
    cudaEventCreate(&from);
    cudaEventCreate(&to);
    cudaEventRecord(from, s);
    for (int i = 0; i < 3; i++)
        axpy<float><<<4, 256, 0, s>>>(y, x, 2, n);
    cudaEventRecord(to, s);
    CHECK(cudaEventSynchronize(to) == cudaSuccess);
    CHECK(cudaEventElapsedTime(&ms, from, to) == cudaSuccess && ms > 0);
    for (int i = 0; i < n; i++)
        CHECK(y[i] == 1 + 3 * 6.0f * (float)i);
    CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof count) == cudaSuccess);
    CHECK(count == 3 * n && managed == 5 + 3);
    CHECK(cudaFuncGetAttributes(&a, axpy<float>) == cudaSuccess);
    CHECK(a.numRegs > 4 && a.binaryVersion / 10 == major);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
              &blocks, axpy<float>, 256, 0) == cudaSuccess);
    CHECK(blocks >= 4);
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, axpy<float>) ==
          cudaSuccess);
    CHECK(block >= 256 && grid >= p.multiProcessorCount);
    axpy<float><<<1, 2000>>>(y, x, 2, n);
    CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
    axpy<float><<<4, 256>>>(nullptr, x, 2, n);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    return failures != 0;
}
