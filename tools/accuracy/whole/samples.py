"""CUDA samples and a Rodinia program on an H100 PCIe, as nsys adds up the
kernels of a run.

The measured programs took sizes that the published samples fix, so a host of
our own calls the sample's kernels in its order.  Which of the transposition's
kernels `kernelID=1` is follows from the sample's loop over them: the copy
through shared memory.
"""
import os

from replay import Build, Run
from suites import Job, Time, rows

SOURCES = {"cuda-samples": "https://github.com/NVIDIA/cuda-samples",
           "gpu-rodinia": "https://github.com/yuhc/gpu-rodinia"}
FILES = ("h100-pcie-programs.csv",)
GPUS = ("h100pcie",)

HEAD = """#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
typedef unsigned int uint;

template <class T> T *filled(size_t n)
{
    std::vector<T> host(n);
    T *device;
    srand(1);
    for (T &x : host)
        x = (T)(rand() % 65536);
    if (cudaMalloc((void **)&device, n * sizeof(T)) != cudaSuccess)
        exit(1);
    cudaMemcpy(device, host.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    return device;
}
"""
TAIL = "    return cudaDeviceSynchronize() != cudaSuccess;\n}\n"

WALSH = HEAD + """#include <helper_cuda.h>
#include "fastWalshTransform_kernel.cuh"

int main(int argc, char **argv)
{
    int n = atoi(argv[1]);
    float *data = filled<float>(1 << n), *kernel = filled<float>(1 << n);
    fwtBatchGPU(data, 1, n);
    fwtBatchGPU(kernel, 1, n);
    modulateGPU(data, kernel, 1 << n);
    fwtBatchGPU(data, 1, n);
""" + TAIL

SCAN = HEAD + """#include "scan_common.h"

int main(int argc, char **argv)
{
    uint n = atoi(argv[1]), length = atoi(argv[2]);
    uint *in = filled<uint>(n), *out = filled<uint>(n);
    initScan();
    scanExclusiveLarge(out, in, n / length, length);
""" + TAIL

SORT = HEAD + """#include "mergeSort_common.h"

int main(int argc, char **argv)
{
    uint n = atoi(argv[1]), *at[6];
    for (uint *&a : at)
        a = filled<uint>(n);
    initMergeSort();
    mergeSort(at[0], at[1], at[2], at[3], at[4], at[5], n, 1);
""" + TAIL

TRANSPOSE = HEAD + """#define main sample_main
#include "transpose.cu"
#undef main

int main(int argc, char **argv)
{
    int n = atoi(argv[1]);
    float *in = filled<float>((size_t)n * n);
    float *out = filled<float>((size_t)n * n);
    dim3 grid(n / TILE_DIM, n / TILE_DIM), block(TILE_DIM, BLOCK_ROWS);
    copySharedMem<<<grid, block>>>(out, in, n, n);
""" + TAIL

# What a sample was when it was measured: until February 2025 tiles, and so
# blocks, of the transposition were 16 x 16.
EDITS = {
    "transpose": (("transpose.cu", r"#define TILE_DIM +32",
                   "#define TILE_DIM 16"),),
}

# benchmark: half's name, folder, sources beside the host, host, parameters
# that are its arguments, seconds of a core for a thousand elements
PROGRAMS = {
    "fastwalshtransform": ("5_Domain_Specific/fastWalshTransform", (), WALSH,
                           ("log2data",), lambda q: 2 ** int(q["log2data"])
                           * 3e-5),
    "scan-long": ("2_Concepts_and_Techniques/scan", ("scan.cu",), SCAN,
                  ("size", "arrayLength"), lambda q: int(q["size"]) * 3e-6),
    "mergesort": ("0_Introduction/mergeSort", ("mergeSort.cu", "bitonic.cu"),
                  SORT, ("size",), lambda q: int(q["size"]) * 1e-4),
    "transpose": ("6_Performance/transpose", (), TRANSPOSE, ("dimX",),
                  lambda q: int(q["dimX"]) ** 2 * 5e-7),
}


def sample(sources, name):
    folder, beside, host, _, _ = PROGRAMS[name]
    at = f"Samples/{folder}"
    return Build(name, os.path.join(sources, "cuda-samples"), (at, "Common"),
                 ("host.cu", *(f"{at}/{s}" for s in beside)), 90,
                 ("-O3", "-std=c++17", "-ICommon", f"-I{at}"),
                 tuple((f"{at}/{file}", *change)
                       for file, *change in EDITS.get(name, ())),
                 added=(("host.cu", host),))


def lud(sources):
    return Build("lud", os.path.join(sources, "gpu-rodinia", "cuda"), ("lud",),
                 ("lud/cuda/lud.cu", "lud/cuda/lud_kernel.cu",
                  "lud/common/common.c"), 90, ("-O3", "-Ilud/common"))


def jobs(sources, measured, gpus):
    del gpus
    builds = {name: sample(sources, name) for name in PROGRAMS}
    for r in rows(measured, FILES[0]):
        name = r["benchmark"]
        q = dict(p.split("=") for p in r["params"].split())
        if name == "lud":
            how = Run(lud(sources), "h100pcie", ("-s", q["size"]),
                      True)  # a matrix of 8 in blocks of 16
            cost = 1.0
        elif name in PROGRAMS:
            *_, words, price = PROGRAMS[name]
            how = Run(builds[name], "h100pcie", tuple(q[w] for w in words))
            cost = 0.5 + price(q)
        else:
            continue
        yield Job("h100pcie", name, r["params"], r["params"], "nsys", how,
                  (Time(name, (float(r["time_us"]),)),), cost)
