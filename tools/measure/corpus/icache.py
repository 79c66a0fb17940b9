#!/usr/bin/env python3
"""Prints a CUDA program that times loops of 4 KB to 512 KB of FFMA.

    icache.py >icache.cu && nvcc -O3 -arch=sm_90 icache.cu -o icache && ./icache

A line for each loop and launch: cycles of the first round, whose instructions
come from L2, and of seven more.
"""
SIZES = (256, 512, 1024, 1536, 2048, 3072, 4096, 6144, 7168, 8192, 9216, 10240,
         12288, 16384, 24576, 32768)
KERNEL = """__global__ void k%d(unsigned *out, float *r, float x, float y, int rounds)
{
    float a0 = threadIdx.x, a1 = 1, a2 = 2, a3 = 3;
#pragma unroll 1
    for (int i = 0; i < rounds; i++) {
        unsigned t0 = clock();
%s        unsigned t1 = clock();
        if (threadIdx.x %% 32 == 0)
            out[(blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * rounds + i] =
                t1 - t0;
    }
    r[threadIdx.x] = a0 + a1 + a2 + a3;
}
"""
MAIN = """
template <class F> void go(F f, int n, int blocks, int warps)
{
    static unsigned *out, h[4096];
    static float *r;
    if (!out) {
        cudaMalloc(&out, 1 << 22);
        cudaMalloc(&r, 1 << 20);
    }
    f<<<blocks, 32 * warps>>>(out, r, 1.0f, 0.5f, 8);
    cudaMemcpy(h, out, 4 * 8 * warps, cudaMemcpyDeviceToHost);
    std::sort(h + 1, h + 8);
    printf("icache bytes %%d blocks %%d warps %%d first %%u median %%u least %%u "
           "most %%u per_instr %%.3f %%s\\n", 16 * n, blocks, warps, h[0], h[4],
           h[1], h[7], (double)h[4] / n, cudaGetErrorString(cudaGetLastError()));
}
int main()
{
    int shapes[][2] = {{1, 1}, {1, 4}, {1, 16}, {132, 1}, {132, 4}, {132, 8}};
    for (auto &s : shapes) {
%s    }
}
"""
print("#include <cstdio>\n#include <algorithm>\n#include <cuda_runtime.h>")
for size in SIZES:
    print(KERNEL % (size, "".join(f"        a{i % 4} = fmaf(a{i % 4}, x, y);\n"
                                  for i in range(size))))
print(MAIN % "".join(f"        go(k{n}, {n}, s[0], s[1]);\n" for n in SIZES))
