"""The FP32 ladder of siboehm/SGEMM_CUDA on an A6000, compiled by nvcc.
"""
import os
import shutil

from launch import (Failed, Kernel, command, fact, in_waves, keep, options,
                    point)


LADDER_GPU = "a6000"
LADDER_N = 4096
LADDER_SHORT = (256, 512)  # of kernels that do not run ahead
# number: kernel, template arguments, pointers const, threads, tile of rows and
# columns, whether x counts rows; GFLOP/s of the repository's README
LADDER = [
    (1, "sgemm_naive", None, 1, (32, 32), 32, 32, 1, 309.0),
    (2, "sgemm_global_mem_coalesce", "32", 1, (1024,), 32, 32, 1, 1986.5),
    (3, "sgemm_shared_mem_block", "32", 1, (1024,), 32, 32, 1, 2980.3),
    (4, "sgemm1DBlocktiling", "64, 64, 8, 8", 1, (512,), 64, 64, 0, 8474.7),
    (5, "sgemm2DBlocktiling", "128, 128, 8, 8, 8", 1, (256,), 128, 128, 0,
     15971.7),
    (6, "sgemmVectorize", "128, 128, 8, 8, 8", 0, (256,), 128, 128, 0,
     18237.3),
    (7, "sgemmResolveBankConflicts", "128, 128, 8, 8, 8", 0, (256,), 128, 128,
     0, 16213.4),
    (8, "sgemmResolveBankExtraCol", "128, 128, 8, 8, 8", 0, (256,), 128, 128,
     0, 16459.2),
    (9, "sgemmAutotuned", "128, 128, 16, 8, 8", 0, (256,), 128, 128, 0,
     19721.0),
    (10, "sgemmWarptiling", "128, 128, 16, 64, 64, 4, 8, 4, 128", 0, (128,),
     128, 128, 0, 21779.3),
    (11, "sgemmDoubleBuffering", "128, 256, 16, 32, 128, 1, 8, 8, 256", 0,
     (256,), 128, 256, 0, 17278.3),
]


def ladder_cubin(arch="sm_86"):
    folder = os.path.join(options["ladder"], "src", "kernels")
    files = sorted((f for f in os.listdir(folder) if f.endswith(".cuh")),
                   key=lambda f: int(f.split("_")[0]))
    lines = ["#include <cstdio>", "#include <cstdlib>",
             "#include <cuda_runtime.h>",
             "#define CEIL_DIV(M, N) (((M) + (N)-1) / (N))"]
    lines += [f'#include "{os.path.join(folder, f)}"' for f in files
              if not f.startswith("12_")]
    for _, name, args, const, *_ in LADDER:
        in_type = "const float *" if const else "float *"
        if args:
            lines.append(f"template __global__ void {name}<{args}>(int, int, "
                         f"int, float, {in_type}, {in_type}, float, float *);")

    def make(path):
        source = path + ".cu"
        with open(source, "w", encoding="utf-8") as f:
            f.write("\n".join(lines) + "\n")
        try:
            command("nvcc", "-cubin", f"-arch={arch}", "-std=c++17", "-O3",
                    "-o", path, source)
        finally:
            os.remove(source)
    return keep("ladder", "cubin", lines + [arch] * (arch != "sm_86"), make)


def ladder_launch(cubin, name, threads, rows, columns, x_rows):
    """How many blocks a launch has, and what traces the first of them."""
    n = LADDER_N
    across = n // (rows if x_rows else columns)
    kernel = Kernel(cubin, threads, name=name)

    def trace(k, count):
        down = -(-count // across)
        # the width is C's and B's pitch, so it is that of the whole launch
        height, width = n if x_rows else down * rows, n
        return kernel.trace((across, down), (
            f"i32:{height}", f"i32:{width}", f"i32:{k}", "f32:0.5",
            f"buf:f32:{height * k}:zeros", f"buf:f32:{k * width}:zeros",
            "f32:3", f"buf:f32:{height * width}:zeros"), count)
    return n // rows * (n // columns), trace


def ladder_cycles(*kernel):
    return in_waves(LADDER_GPU, (), *ladder_launch(*kernel), LADDER_N,
                    LADDER_SHORT)


def ladder_needs():
    if options["ladder"] is None:
        raise Failed("no --ladder FOLDER (a copy of siboehm/SGEMM_CUDA)")
    if shutil.which("nvcc") is None:
        raise Failed("nvcc is not on the PATH")
    if not os.path.isdir(os.path.join(options["ladder"], "src", "kernels")):
        raise Failed(f"there is no src/kernels in {options['ladder']}")


def ladder():
    ladder_needs()
    cubin = ladder_cubin()
    mhz = fact(LADDER_GPU, "chip.sm_clock_mhz")
    return [point(f"{number}: {name}", 2e-3 * LADDER_N**3 / gflops,
                  lambda a=(cubin, name, threads, rows, columns, x_rows):
                  ladder_cycles(*a) / mhz, "us")
            for number, name, _, _, threads, rows, columns, x_rows, gflops
            in LADDER]
