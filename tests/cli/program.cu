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

__global__ void smooth(cudaTextureObject_t in, cudaSurfaceObject_t out, int w)
{
    int x = threadIdx.x, y = blockIdx.x;

    surf2Dwrite(tex2D<float>(in, (x + 1.0f) / w, (y + 0.5f) / w), out,
                x * (int)sizeof(float), y);
}

#define CHECK(condition)                                   \
    do {                                                   \
        if (!(condition)) {                                \
            printf("line %d: %s\n", __LINE__, #condition); \
            failures++;                                    \
        }                                                  \
    } while (0)

/* What a program sets holds for the launches behind it. */
__device__ __noinline__ int sum(int n)
{
    return n == 0 ? 0 : n + sum(n - 1);
}

__global__ void large(int n, int *out)
{
    void *room = malloc(1 << 20);

    out[2 * threadIdx.x] = room != nullptr;
    out[2 * threadIdx.x + 1] = sum(n);
    __syncthreads();
    free(room);
}

static int limits()
{
    int failures = 0, rooms[2] = {0};
    size_t stack;
    int *out;

    CHECK(cudaMallocManaged(&out, 24 * sizeof *out) == cudaSuccess);
    for (int i = 0; i < 2; i++) {
        large<<<1, 12>>>(4000 * i, out);
        CHECK(cudaDeviceSynchronize() == cudaSuccess);
        for (int l = 0; l < 12; l++) {
            rooms[i] += out[2 * l];
            CHECK(out[2 * l + 1] == 4000 * i * (4000 * i + 1) / 2);
        }
        CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20) ==
              cudaSuccess);
        CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 400 << 10) == cudaSuccess);
    }
    CHECK(rooms[0] == 8 && rooms[1] == 12);
    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 1 << 20) != cudaSuccess);
    CHECK(cudaDeviceGetLimit(&stack, cudaLimitStackSize) == cudaSuccess);
    CHECK(stack == 400 << 10);
    cudaDeviceSetLimit(cudaLimitStackSize, 1024);
    cudaFree(out);
    return failures;
}

/* Each the mean of two neighbors, the last and the first among them. */
static int textures()
{
    const int w = 8;
    int failures = 0;
    float host[w][w];
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t in, out;
    cudaResourceDesc what = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    cudaSurfaceObject_t surface;

    for (int i = 0; i < w * w; i++)
        host[i / w][i % w] = (float)(i * i % 50);
    CHECK(cudaMallocArray(&in, &format, w, w) == cudaSuccess);
    CHECK(cudaMallocArray(&out, &format, w, w, cudaArraySurfaceLoadStore) ==
          cudaSuccess);
    CHECK(cudaMemcpy2DToArray(in, 0, 0, host, sizeof *host, sizeof *host, w,
                              cudaMemcpyHostToDevice) == cudaSuccess);
    what.resType = cudaResourceTypeArray;
    what.res.array.array = in;
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeWrap;
    how.filterMode = cudaFilterModeLinear;
    how.readMode = cudaReadModeElementType;
    how.normalizedCoords = 1;
    CHECK(cudaCreateTextureObject(&texture, &what, &how, nullptr) ==
          cudaSuccess);
    what.res.array.array = out;
    CHECK(cudaCreateSurfaceObject(&surface, &what) == cudaSuccess);
    smooth<<<w, w>>>(texture, surface, w);
    CHECK(cudaMemcpy2DFromArray(host, sizeof *host, out, 0, 0, sizeof *host, w,
                                cudaMemcpyDeviceToHost) == cudaSuccess);
    for (int i = 0; i < w * w; i++) {
        int next = i / w * w + (i + 1) % w;

        CHECK(host[i / w][i % w] == (i * i % 50 + next * next % 50) / 2.0f);
    }
    cudaDestroyTextureObject(texture);
    cudaDestroySurfaceObject(surface);
    cudaFreeArray(in);
    cudaFreeArray(out);
    return failures;
}

__global__ void detail(cudaTextureObject_t in, float *out)
{
    out[threadIdx.x] = tex2DLod<float>(in, 0.5f, 0.5f, threadIdx.x / 2.0f);
}

/* Each level is full of its number. */
static int levels()
{
    int failures = 0;
    float host[8][8], *out;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t map;
    cudaArray_t level;
    cudaExtent size;
    cudaResourceDesc what = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;

    CHECK(cudaMallocMipmappedArray(&map, &format, make_cudaExtent(8, 8, 0),
                                   3) == cudaSuccess);
    for (int l = 0; l < 3; l++) {
        for (int i = 0; i < 64; i++)
            host[i / 8][i % 8] = (float)l;
        CHECK(cudaGetMipmappedArrayLevel(&level, map, l) == cudaSuccess);
        CHECK(cudaArrayGetInfo(&format, &size, nullptr, level) == cudaSuccess);
        CHECK(size.width == 8 >> l && size.height == 8 >> l);
        CHECK(cudaMemcpy2DToArray(level, 0, 0, host, sizeof *host,
                                  size.width * sizeof **host, size.height,
                                  cudaMemcpyHostToDevice) == cudaSuccess);
    }
    CHECK(cudaGetMipmappedArrayLevel(&level, map, 3) == cudaErrorInvalidValue);
    what.resType = cudaResourceTypeMipmappedArray;
    what.res.mipmap.mipmap = map;
    how.mipmapFilterMode = cudaFilterModeLinear;
    how.maxMipmapLevelClamp = 2;
    CHECK(cudaCreateTextureObject(&texture, &what, &how, nullptr) ==
          cudaErrorInvalidValue);
    how.normalizedCoords = 1;
    CHECK(cudaCreateTextureObject(&texture, &what, &how, nullptr) ==
          cudaSuccess);
    CHECK(cudaMallocManaged(&out, 6 * sizeof *out) == cudaSuccess);
    detail<<<1, 6>>>(texture, out);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    for (int i = 0; i < 6; i++)
        CHECK(out[i] == (i < 4 ? i / 2.0f : 2));
    cudaDestroyTextureObject(texture);
    CHECK(cudaFreeMipmappedArray(map) == cudaSuccess);
    format = cudaCreateChannelDesc(8, 8, 8, 0, cudaChannelFormatKindNV12);
    CHECK(cudaMallocArray(&level, &format, 8, 8) == cudaErrorNotSupported);
    cudaGetLastError();
    cudaFree(out);
    return failures;
}

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
    failures += textures();
    failures += limits();
    failures += levels();
    axpy<float><<<1, 2000>>>(y, x, 2, n);
    CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
    axpy<float><<<4, 256>>>(nullptr, x, 2, n);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    return failures != 0;
}
