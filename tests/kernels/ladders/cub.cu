/*
 * Sums, scans, sorts and histograms of CUB (the toolkit's), timed by events as
 * CUB's own benchmarks are: behind a set as large as L2, so that nothing of the
 * input is there.  For tools/ladders, which compiles it and runs it under
 * `teg exec --time`.
 *
 *     nvcc -std=c++17 -arch=sm_90 -DRUN='sum<float>' -o cub cub.cu
 *     cub NUMBERS             prints the microseconds
 */
#include <cub/cub.cuh>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void need(cudaError_t status)
{
    if (status != cudaSuccess) {
        fprintf(stderr, "cub: %s\n", cudaGetErrorString(status));
        exit(1);
    }
}

template <class T> static T *buffer(size_t n)
{
    T *p;
    need(cudaMalloc(&p, n * sizeof(T)));
    return p;
}

/* `n` random numbers; of `ands` draws the bits that all have. */
template <class T> static T *input(size_t n, int ands = 1)
{
    std::vector<T> host(n);
    uint64_t s = 88172645463325252u;
    for (T &x : host) {
        uint64_t bits = ~0ull;
        for (int i = 0; i < ands; i++) {
            s ^= s << 13, s ^= s >> 7, s ^= s << 17;
            bits &= s;
        }
        x = (T)(bits >> 8);
    }
    T *device = buffer<T>(n);
    need(cudaMemcpy(device, host.data(), n * sizeof(T),
                    cudaMemcpyHostToDevice));
    return device;
}

template <class F> static void timed(F run)
{
    size_t bytes = 0;
    need(run(nullptr, bytes));
    void *room = buffer<char>(bytes + 1);
    int l2;
    need(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0));
    need(cudaMemset(buffer<char>(l2), 0, l2));
    cudaEvent_t begin, end;
    need(cudaEventCreate(&begin));
    need(cudaEventCreate(&end));
    need(cudaEventRecord(begin));
    need(run(room, bytes));
    need(cudaEventRecord(end));
    need(cudaDeviceSynchronize());
    float ms;
    need(cudaEventElapsedTime(&ms, begin, end));
    printf("%.3f\n", 1000 * ms);
}

template <class T> static void sum(int n)
{
    T *in = input<T>(n), *out = buffer<T>(1);
    timed([=](void *room, size_t &bytes) {
        return cub::DeviceReduce::Sum(room, bytes, in, out, n);
    });
}

template <class T> static void least(int n)
{
    T *in = input<T>(n), *out = buffer<T>(1);
    timed([=](void *room, size_t &bytes) {
        return cub::DeviceReduce::Min(room, bytes, in, out, n);
    });
}

template <class T> static void scan(int n)
{
    T *in = input<T>(n), *out = buffer<T>(n);
    timed([=](void *room, size_t &bytes) {
        return cub::DeviceScan::ExclusiveSum(room, bytes, in, out, n);
    });
}

template <class T> static void scan_inclusive(int n)
{
    T *in = input<T>(n), *out = buffer<T>(n);
    timed([=](void *room, size_t &bytes) {
        return cub::DeviceScan::InclusiveSum(room, bytes, in, out, n);
    });
}

struct larger {
    template <class T> __host__ __device__ T operator()(T a, T b) const
    {
        return a < b ? b : a;
    }
};

template <class T> static void scan_larger(int n)
{
    T *in = input<T>(n), *out = buffer<T>(n);
    timed([=](void *room, size_t &bytes) {
        return cub::DeviceScan::ExclusiveScan(room, bytes, in, out, larger(),
                                              T(), n);
    });
}

/* One of CUB's functions that need no room. */
template <class F> static void timed_at_once(F run)
{
    timed([=](void *room, size_t &bytes) {
        bytes = 0;
        return room == nullptr ? cudaSuccess : run();
    });
}

struct twice {
    template <class T> __host__ __device__ T operator()(T a) const
    {
        return (T)(a + a);
    }
};

template <class T> static void doubled(int n)
{
    T *in = input<T>(n), *out = buffer<T>(n);
    timed_at_once([=] {
        return cub::DeviceTransform::Transform(in, out, n, twice());
    });
}

/* Of two arrays the larger number at each place. */
template <class T> static void larger_of_two(int n)
{
    T *a = input<T>(n), *b = input<T>(n), *out = buffer<T>(n);
    timed_at_once([=] {
        return cub::DeviceTransform::Transform(::cuda::std::make_tuple(a, b),
                                               out, n, larger());
    });
}

template <class T> static void sort(int n)
{
    T *in = input<T>(n), *out = buffer<T>(n);
    timed([=](void *room, size_t &bytes) {
        return cub::DeviceRadixSort::SortKeys(room, bytes, in, out, n);
    });
}

template <class T> static void histogram(int n)
{
    T *in = input<T>(n, 5);
    int *bins = buffer<int>(32);
    timed([=](void *room, size_t &bytes) {
        return cub::DeviceHistogram::HistogramEven(room, bytes, in, bins, 33, 0,
                                                   256, n);
    });
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: cub NUMBERS\n");
        return 1;
    }
    RUN(atoi(argv[1]));
    return 0;
}
