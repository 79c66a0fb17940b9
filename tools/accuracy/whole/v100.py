"""CUDA samples and a Rodinia program on two boards with a GV100, as ncu timed
their kernels: the mean of a kernel's launches, caches flushed before each.

nvcc 13 starts at sm_75, so that code stands for sm_70's.  Sizes follow from
the files' counters: hotspot reads 262,144 sectors, two grids of 1024 x 1024.
Whatever values it reads, it does the same.
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
        ("-O3", "-std=c++17", "-ICommon"))


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


# benchmark of the file: half's name, program, checkout, arguments, seconds
PROGRAMS = {
    "dct8x8": ("dct8x8", dct8x8, "cuda-samples", (), 15),
    "sobolQRNG": ("sobolqrng", sobol, "cuda-samples", (), 15),
    "mergeSort": ("mergesort", merge_sort, "cuda-samples",
                  (str(4 * 1024 ** 2),), 120),
    "hotspot-rodinia-3.1": ("hotspot", hotspot, "gpu-rodinia", (
        "1024", "2", "2", "temperature", "power", "out"), 15),
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
            for k, boards in cycles.get(name, {}).items())
        yield Job("v100", half, "published size", "one", "ncu", Run(
            build(os.path.join(sources, checkout)), "t4", arguments,
            sms=SMS), times,
            cost, ("--set", f"chip.sm_clock_mhz={MHZ}"))


def short(kernel):
    """The source's name in a mangled one."""
    digits = kernel.removeprefix("_Z")
    length = int("".join(c for c in digits[:3] if c.isdigit()))
    return digits[len(str(length)):][:length]
