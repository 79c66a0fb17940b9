"""CUDA samples and Rodinia programs on two boards with a GV100, as ncu timed
their kernels: the mean of a kernel's launches, caches flushed before each.

nvcc 13 starts at sm_75, so that code stands for sm_70's.  Sizes follow from
the files' counters: hotspot reads 262,144 sectors, two grids of 1024 x 1024;
kmeans' turning of its input writes 3,481,600 sectors for 26,448,266 and some
hits read, 819,200 points of 34 numbers.  Whatever values they read, they do the
same; srad is given an image that it once wrote, of the size of the one it
read (100 rounds are 2 here, as caches are flushed before each).  kmeans is not
compiled by nvcc 13, so that this one kernel is written anew.  The loop over
bits of Sobol's numbers is not unrolled: its 1,899,700 accesses to shared memory
were counted, nvcc 13 would read four words at a time (978,100).
"""
import os

from replay import Build, Run
from samples import SORT
from suites import Job, Time, rows

SOURCES = {"cuda-samples": "https://github.com/NVIDIA/cuda-samples",
           "gpu-rodinia": "https://github.com/yuhc/gpu-rodinia"}
FILES = ("v100-kernels.csv",)
GPUS = ("v100",)

SMS = 80
MHZ = 1380  # cycles are what was measured, and what is compared

DCT = "Samples/2_Concepts_and_Techniques/dct8x8"
SOBOL = "Samples/5_Domain_Specific/SobolQRNG"
MERGE = "Samples/0_Introduction/mergeSort"
HISTOGRAM = "Samples/2_Concepts_and_Techniques/histogram"
SRAD = "srad/srad_v1"


def dct8x8(samples):
    main = f"{DCT}/dct8x8.cu"
    return Build("dct8x8", samples, (DCT, "Common"), (
        main, f"{DCT}/BmpUtil.cpp", f"{DCT}/DCT8x8_Gold.cpp"), 75,
        ("-O3", "-std=c++17", "-ICommon"), (
            (main, "numIterations = 100", "numIterations = 1"),
            (main, '"teapot512.bmp"', f'"{DCT}/data/teapot512.bmp"')))


def sobol(samples):
    return Build("sobolqrng", samples, (SOBOL, "Common"), tuple(
        f"{SOBOL}/{s}" for s in ("sobol.cpp", "sobol_gold.cpp",
                                 "sobol_primitives.cpp", "sobol_gpu.cu")), 75,
        ("-O3", "-std=c++17", "-ICommon"), (
            (f"{SOBOL}/sobol_gpu.cu", r"^ *for \(unsigned int k = 0;",
             r"#pragma unroll 1\n\g<0>"),))


def histogram(samples):
    main = f"{HISTOGRAM}/main.cpp"
    return Build("histogram", samples, (HISTOGRAM, "Common"), (
        main, *(f"{HISTOGRAM}/{s}" for s in (
            "histogram_gold.cpp", "histogram64.cu", "histogram256.cu"))), 75,
        ("-O3", "-std=c++17", "-ICommon"), (
            (main, "numRuns    = 16", "numRuns    = 1"),))


def merge_sort(samples):
    return Build("mergesort-v100", samples, (MERGE, "Common"), (
        "host.cu", f"{MERGE}/mergeSort.cu", f"{MERGE}/bitonic.cu"), 75,
        ("-O3", "-std=c++17", "-ICommon", f"-I{MERGE}"),
        added=(("host.cu", SORT),))


def hotspot(rodinia):
    return Build("hotspot", os.path.join(rodinia, "cuda"), ("hotspot",),
                 ("hotspot/hotspot.cu",), 75,
                 added=(("temperature", "323.5\n" * 1024 ** 2),
                        ("power", "0.001\n" * 1024 ** 2)))


def srad(rodinia):
    main = f"{SRAD}/main.cu"
    return Build("srad_v1", os.path.join(rodinia, "cuda"), ("srad",), (main,),
                 75, edits=((main, '"../../../data/srad/image.pgm"',
                             f'"{SRAD}/image_out.pgm"'),))


TURN = """#include <cstdlib>

__global__ void invert_mapping(float *input, float *output, int points,
                               int features)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;

    if (p < points)
        for (int f = 0; f < features; f++)
            output[p + points * f] = input[p * features + f];
}

int main(int argc, char **argv)
{
    int points = atoi(argv[1]), features = atoi(argv[2]);
    size_t bytes = sizeof(float) * points * features;
    float *at[2];

    for (int i = 0; i < 2; i++)
        if (cudaMalloc((void **)&at[i], bytes) != cudaSuccess)
            return 1;
    invert_mapping<<<(points + 255) / 256, 256>>>(at[0], at[1], points,
                                                  features);
    return cudaDeviceSynchronize() != cudaSuccess;
}
"""


def kmeans(rodinia):
    del rodinia
    return Build("kmeans-turn", "", (), ("host.cu",), 75,
                 added=(("host.cu", TURN),))


# Of these not all kernels are run.
ONLY = {"kmeans-rodinia-3.1": ("invert_mapping",)}

# benchmark of the file: half's name, program, checkout, arguments, seconds
PROGRAMS = {
    "dct8x8": ("dct8x8", dct8x8, "cuda-samples", (), 15),
    "sobolQRNG": ("sobolqrng", sobol, "cuda-samples", (), 15),
    "mergeSort": ("mergesort", merge_sort, "cuda-samples",
                  (str(4 * 1024 ** 2),), 120),
    "histogram": ("histogram", histogram, "cuda-samples", (), 15),
    "srad_v1-rodinia-3.1": ("srad_v1", srad, "gpu-rodinia", (
        "2", "0.5", "502", "458"), 15),
    "hotspot-rodinia-3.1": ("hotspot", hotspot, "gpu-rodinia", (
        "1024", "2", "2", "temperature", "power", "out"), 15),
    "kmeans-rodinia-3.1": ("kmeans", kmeans, "gpu-rodinia",
                           ("819200", "34"), 15),
}


def jobs(sources, measured, gpus):
    del gpus
    cycles = {}  # by program and kernel: of each board
    for r in rows(measured, FILES[0]):
        kernel = r["Kernel"].removesuffix("y")  # one name is spelled so
        cycles.setdefault(r["Benchmark"], {}).setdefault(kernel, []).append(
            float(r["Elapsed_Cycles"]))
    for name, (half, build, checkout, arguments, cost) in PROGRAMS.items():
        times = tuple(Time(f"{half}: {short(k)}", tuple(
            c / MHZ for c in boards), short(k), each=True)
            for k, boards in cycles.get(name, {}).items()
            if short(k) in ONLY.get(name, (short(k),)))
        yield Job("v100", half, "published size", "one", "ncu", Run(
            build(os.path.join(sources, checkout)), "t4", arguments,
            sms=SMS), times,
            cost, ("--set", f"chip.sm_clock_mhz={MHZ}"))


def short(kernel):
    """The source's name in a mangled one."""
    digits = kernel.removeprefix("_Z")
    length = int("".join(c for c in digits[:3] if c.isdigit()))
    return digits[len(str(length)):][:length]
