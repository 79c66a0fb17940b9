"""The ladder of pranjalssh/fast.cu on an H100: products of bfloat16 by tensor
copies and warp groups, compiled by nvcc and run by `teg exec`.

4096 cubed.  Two short K are replayed whole and extended linearly.  Against the
author's times, whose clock is not published, and against cycles that an H200's
counters say, less those of an empty kernel.
"""
import os
import shutil
import tempfile

from launch import (KEPT, ROOT, SHORT, TEG, Failed, command, fact, keep,
                    options, point, replay)
import profiled as profiler  # launch says where

GPU = "h100"
N = 4096
# The vendor's peak of 989.4 TFLOP/s is at this clock, not at the highest.
TENSOR_MHZ = 1830
# An H200's under such products (tools/measure/results/h200/README.md)
H200_MHZ = 1800
# What each kernel adds, and TFLOP/s of the author's work log ("Outperforming
# cuBLAS on H100", its table as A. Gordic's "Inside NVIDIA GPUs" has it; the
# fifth kernel's registers are dealt anew, which brought it from 610 to 631)
KERNELS = {
    2: ("tensor copies and products", 317),
    3: ("larger tiles", 423),
    4: ("producer and consumer", 498),
    5: ("two consumers", 631),
    6: ("blocks that stay", 660),
    7: ("faster barriers", 704),
    8: ("clusters, multicast", 734),
    9: ("smaller changes", 747),
    10: ("stores by tensor map", 758),
    11: ("along a Hilbert curve", 764),
}
HEAD = """#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include <cuda.h>
#include <cuda/barrier>
#include <cuda_bf16.h>
#include <cuda_runtime.h>
typedef __nv_bfloat16 bf16;
#define CEIL_DIV(M, N) (((M) + (N) - 1) / (N))
static void cudaCheck(cudaError_t e)
{
    if (e != cudaSuccess) {
        fprintf(stderr, "%s\\n", cudaGetErrorString(e));
        exit(1);
    }
}
"""
MAIN = """int main(int argc, char **argv)
{
    int number = atoi(argv[1]), n = atoi(argv[2]), k = atoi(argv[3]);
    bf16 *a, *b, *c;
    cudaCheck(cudaMalloc(&a, 2l * n * k));
    cudaCheck(cudaMalloc(&b, 2l * n * k));
    cudaCheck(cudaMalloc(&c, 2l * n * n));
%s    cudaCheck(cudaDeviceSynchronize());
}
"""


def source(number):
    return os.path.join(options["fast"], "examples", "matmul",
                        f"matmul_{number}.cuh")


def program():
    """The path of a program that launches kernel argv[1] once."""
    lines = [HEAD]
    lines += [f'#include "{source(n)}"\n' for n in KERNELS]
    calls = [f"    if (number == {n})\n"
             f"        runKernel{n}(n, n, k, a, b, c"
             f"{', nullptr' if n > 2 else ''});\n" for n in KERNELS]
    text = "".join(lines) + MAIN % "".join(calls)

    def make(path):
        name = path + ".cu"
        with open(name, "w", encoding="ascii") as f:
            f.write(text)
        try:
            # its Makefile's options
            command("nvcc", "-gencode", "arch=compute_90a,code=sm_90a",
                    "-std=c++17", "-O3", "-DNDEBUG", "-w",
                    "--expt-relaxed-constexpr", "--expt-extended-lambda",
                    "--use_fast_math", "-o", path, name, "-lcuda")
        finally:
            os.remove(name)
    return keep("fast", "exe", text, make)


def trace(number, k):
    exe = program()

    def make(path):
        with tempfile.TemporaryDirectory(dir=KEPT) as at:
            # loose: the last arrivals of 8 and 9 at their neighbor may find it
            # ended, for the emulator's warps are not side by side
            command(TEG, "exec", "--config-dir", os.path.join(ROOT, "config"),
                    "-g", GPU, "--loose", "-o", at, "--", exe, str(number),
                    str(N), str(k))
            found = [f for f in os.listdir(at) if f.endswith(".tegt")]
            if len(found) != 1:
                raise Failed(f"kernel {number}: one launch expected, found "
                             f"{len(found)}")
            os.rename(os.path.join(at, found[0]), path)
    return keep(f"fast{number}", "tegt", (exe, number, N, k), make)


def cycles(gpu, number, settings):
    low, high = SHORT
    first, second = (replay(gpu, trace(number, k), settings)["cycles"]
                     for k in SHORT)
    return second + (second - first) * (N - high) / (high - low)


def needs():
    if options["fast"] is None:
        raise Failed("no --fast FOLDER (a copy of pranjalssh/fast.cu)")
    if shutil.which("nvcc") is None:
        raise Failed("nvcc is not on the PATH")
    for number in KERNELS:
        if not os.path.exists(source(number)):
            raise Failed(f"there is no {source(number)}")


def ladder(mhz):
    needs()
    mhz = mhz or fact(GPU, "chip.sm_clock_mhz")
    settings = (f"chip.sm_clock_mhz={mhz:g}",)
    return [point(f"{number}: {what}", 2e-6 * N**3 / rate,
                  lambda n=number: cycles(GPU, n, settings) / mhz, "us")
            for number, (what, rate) in KERNELS.items()]


def profiled():
    needs()
    settings = (f"chip.sm_clock_mhz={H200_MHZ}",)
    took = {int(name): profiler.elapsed(rows[0])
            for (suite, name, _), rows in profiler.measured("h200").items()
            if suite == "fast.cu"}
    return [point(f"{number}: {what}", took[number],
                  lambda n=number: cycles("h200", n, settings), "cycles")
            for number, (what, _) in KERNELS.items()]
