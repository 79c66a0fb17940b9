#include <cstdio>
#include <algorithm>
#include <cuda_runtime.h>
/* COUNT words of WIDTH a thread, next to each other, with GAP additions
 * between two stores; or with a load that is waited for. */
__device__ __forceinline__ void st(unsigned *p, unsigned v) { asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory"); }
template <int COUNT, int GAP, int LOADS> __global__ void merge_stores(unsigned *to, const unsigned *from, unsigned x)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, v = x;
#pragma unroll
    for (int n = 0; n < COUNT; n++) {
        st(to + (size_t)COUNT * i + n, v);
#pragma unroll
        for (int g = 0; g < GAP; g++) asm volatile("mad.lo.u32 %0, %0, %1, 7;" : "+r"(v) : "r"(x));
        if (LOADS) { unsigned w; asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(w) : "l"(from + i)); v += w; }
    }
    if (v == 0x12345) to[0] = v;
}
/* A word of each BYTES. */
template <int BYTES, int WIDTH> __global__ void spread_stores(unsigned *to, unsigned x)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    char *p = (char *)to + BYTES * i;
    if (WIDTH == 4) asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(x) : "memory");
    if (WIDTH == 8) asm volatile("st.global.v2.u32 [%0], {%1, %1};" ::"l"(p), "r"(x) : "memory");
    if (WIDTH == 16) asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(p), "r"(x) : "memory");
    if (WIDTH == 1) asm volatile("st.global.u8 [%0], %1;" ::"l"(p), "r"(x) : "memory");
}
template <int WIDTH> __global__ void spread_loads(unsigned *to, const unsigned *from, int bytes)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; unsigned a = 0, b = 0, c = 0, d = 0;
    const char *p = (const char *)from + bytes * i;
    if (WIDTH == 4) asm volatile("ld.global.u32 %0, [%1];" : "=r"(a) : "l"(p));
    if (WIDTH == 16) asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p));
    if (a + b + c + d == 0x12345) to[0] = a;
}
__global__ void where(unsigned long long *out)
{
    unsigned sm; unsigned long long t;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm)); asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    unsigned c0 = clock();
    if (threadIdx.x == 0) { out[2 * blockIdx.x] = sm; out[2 * blockIdx.x + 1] = t; }
    while (clock() - c0 < 20000) ;
}
__global__ void nothing() {}
__global__ void clustered() {}
int main(int argc, char **argv)
{
    unsigned *a, *b; cudaMalloc(&a, 1 << 28); cudaMalloc(&b, 1 << 28); cudaMemset(b, 0, 1 << 28);
    nothing<<<1, 32>>>(); nothing<<<132, 1024>>>(); nothing<<<1320, 256>>>();
    const int g = 2048, t = 256;
    merge_stores<1, 0, 0><<<g, t>>>(a, b, 3);
    merge_stores<2, 0, 0><<<g, t>>>(a, b, 3);
    merge_stores<3, 0, 0><<<g, t>>>(a, b, 3);
    merge_stores<4, 0, 0><<<g, t>>>(a, b, 3);
    merge_stores<8, 0, 0><<<g, t>>>(a, b, 3);
    merge_stores<2, 4, 0><<<g, t>>>(a, b, 3);
    merge_stores<2, 16, 0><<<g, t>>>(a, b, 3);
    merge_stores<2, 64, 0><<<g, t>>>(a, b, 3);
    merge_stores<2, 256, 0><<<g, t>>>(a, b, 3);
    merge_stores<2, 0, 1><<<g, t>>>(a, b, 3);
    merge_stores<4, 16, 0><<<g, t>>>(a, b, 3);
    merge_stores<3, 16, 0><<<g, t>>>(a, b, 3);
    merge_stores<2, 0, 0><<<132, 32>>>(a, b, 3);
    merge_stores<2, 256, 0><<<132, 32>>>(a, b, 3);
    merge_stores<2, 0, 1><<<132, 32>>>(a, b, 3);
    spread_stores<4, 4><<<4 * g, t>>>(a, 3);
    spread_stores<8, 8><<<4 * g, t>>>(a, 3);
    spread_stores<16, 16><<<4 * g, t>>>(a, 3);
    spread_stores<32, 4><<<4 * g, t>>>(a, 3);
    spread_stores<32, 1><<<4 * g, t>>>(a, 3);
    spread_stores<32, 16><<<4 * g, t>>>(a, 3);
    spread_stores<64, 4><<<4 * g, t>>>(a, 3);
    spread_stores<128, 4><<<4 * g, t>>>(a, 3);
    spread_stores<128, 16><<<4 * g, t>>>(a, 3);
    spread_stores<1, 1><<<4 * g, t>>>(a, 3);
    spread_loads<4><<<4 * g, t>>>(a, b, 4);
    spread_loads<16><<<4 * g, t>>>(a, b, 16);
    spread_loads<4><<<4 * g, t>>>(a, b, 32);
    spread_loads<4><<<4 * g, t>>>(a, b, 128);
    cudaDeviceSynchronize();
    if (argc > 1) {
        static unsigned long long h[2 * 4096]; unsigned long long *o; cudaMalloc(&o, sizeof h);
        where<<<132 * 2 + 40, 1024>>>(o); cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost);
        for (int i = 0; i < 132 * 2 + 40; i++) printf("where %d sm %llu t %llu\n", i, h[2 * i], h[2 * i + 1] - h[1]);
        for (int c : {1, 2, 4, 8, 16}) {
            cudaLaunchConfig_t l = {}; cudaLaunchAttribute at; int n = 0;
            cudaFuncSetAttribute(clustered, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
            cudaFuncSetAttribute(clustered, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10);
            l.gridDim = dim3(132 * 16); l.blockDim = dim3(1024); l.dynamicSmemBytes = 200 << 10;
            at.id = cudaLaunchAttributeClusterDimension; at.val.clusterDim.x = c; at.val.clusterDim.y = at.val.clusterDim.z = 1; l.attrs = &at; l.numAttrs = 1;
            cudaError_t e = cudaOccupancyMaxActiveClusters(&n, clustered, &l);
            printf("clusters of %d: %d active %s\n", c, n, cudaGetErrorString(e));
        }
        /* L2: repeated stores and copies over a footprint */
        cudaEvent_t s, e; cudaEventCreate(&s); cudaEventCreate(&e);
        for (size_t mb : {2, 4, 8, 16, 24, 32, 48, 64, 128}) {
            size_t words = mb << 18; float ms;
            auto time = [&](const char *name, auto f) { f(); cudaEventRecord(s); for (int i = 0; i < 50; i++) f(); cudaEventRecord(e); cudaEventSynchronize(e); cudaEventElapsedTime(&ms, s, e); printf("footprint %zu MB %s %.2f us\n", mb, name, 1e3 * ms / 50); };
            time("store16", [&] { spread_stores<16, 16><<<words / 4 / 256, 256>>>(a, 3); });
            time("store4", [&] { spread_stores<4, 4><<<words / 256, 256>>>(a, 3); });
            time("store4of32", [&] { spread_stores<32, 4><<<words / 8 / 256, 256>>>(a, 3); });
            time("load16", [&] { spread_loads<16><<<words / 4 / 256, 256>>>(a, b, 16); });
            time("load4", [&] { spread_loads<4><<<words / 256, 256>>>(a, b, 4); });
        }
        printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    }
}
