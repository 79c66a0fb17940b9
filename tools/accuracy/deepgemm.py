#!/usr/bin/env python3
"""DeepGEMM's products of FP8 with scales on an H800, beside what its developers
measured (docs/accuracy.md).

    deepgemm.py --source DEEPGEMM --cutlass CUTLASS
                (--cuobjdump PROGRAM | --plain) [--ptxas PTXAS]
                [--work FOLDER] [ROW ...]

DEEPGEMM is a checkout of github.com/deepseek-ai/DeepGEMM at a6d97a1, its first commit,
whose README has the times, CUTLASS one of CUTLASS 3.6 or later.  Its kernel is compiled
for each shape as its JIT does, with the blocks, stages and clusters that its Python
chooses; PTXAS is CUDA 12.8's, which was used (PyPI's nvidia-cuda-nvcc-cu12; without it
nvcc's own), and DeepGEMM's script then changes bits of the code that PROGRAM, any
release of cuobjdump, shows; not with --plain.  deepgemm.cu runs each product under `teg exec`
behind a cast of its right factor, as DeepGEMM's test does, `teg run` replays both,
caches carried.  ROW: those whose number is named, from 1.  FOLDER keeps programs and traces.
"""
import argparse
import json
import os
import re
import sys
import types

import common

GPU, SMS = "h100", 132  # an H800 is one, but for links and FP64
SHARED = 232448  # bytes of an SM that a block may have
HERE = os.path.dirname(os.path.abspath(__file__))
TYPES = ("Normal", "GroupedContiguous", "GroupedMasked")
# Type, groups, rows of each, N, K, TFLOP/s.
ROWS = [
    ("Normal", 1, 64, 2112, 7168, 206),
    ("Normal", 1, 64, 24576, 1536, 289),
    ("Normal", 1, 64, 32768, 512, 219),
    ("Normal", 1, 64, 7168, 16384, 336),
    ("Normal", 1, 64, 4096, 7168, 287),
    ("Normal", 1, 64, 7168, 2048, 295),
    ("Normal", 1, 128, 2112, 7168, 352),
    ("Normal", 1, 128, 24576, 1536, 535),
    ("Normal", 1, 128, 32768, 512, 358),
    ("Normal", 1, 128, 7168, 16384, 645),
    ("Normal", 1, 128, 4096, 7168, 533),
    ("Normal", 1, 128, 7168, 2048, 510),
    ("Normal", 1, 4096, 2112, 7168, 1058),
    ("Normal", 1, 4096, 24576, 1536, 990),
    ("Normal", 1, 4096, 32768, 512, 590),
    ("Normal", 1, 4096, 7168, 16384, 1358),
    ("Normal", 1, 4096, 4096, 7168, 1304),
    ("Normal", 1, 4096, 7168, 2048, 1025),
    ("GroupedContiguous", 4, 8192, 4096, 7168, 1297),
    ("GroupedContiguous", 4, 8192, 7168, 2048, 1099),
    ("GroupedContiguous", 8, 4096, 4096, 7168, 1288),
    ("GroupedContiguous", 8, 4096, 7168, 2048, 1093),
    ("GroupedMasked", 1, 1024, 4096, 7168, 1233),
    ("GroupedMasked", 1, 1024, 7168, 2048, 925),
    ("GroupedMasked", 2, 512, 4096, 7168, 1040),
    ("GroupedMasked", 2, 512, 7168, 2048, 916),
    ("GroupedMasked", 4, 256, 4096, 7168, 932),
    ("GroupedMasked", 4, 256, 7168, 2048, 815),
]
KERNEL = """
#include <cudaTypedefs.h>
#ifndef PFN_cuTensorMapEncodeTiled
#define PFN_cuTensorMapEncodeTiled PFN_cuTensorMapEncodeTiled_v12000
#endif
#include "deep_gemm/fp8_gemm.cuh"
using namespace deep_gemm;
void *kernel()
{{
    return (void *)fp8_gemm_kernel<{n}, {k}, {block_m}, {block_n}, 128, {groups},
                                   {stages}, 128, 128, {multicast},
                                   GemmType::{type}>;
}}
"""


class Product:
    """A row, and the shape that DeepGEMM's Python chooses for it."""

    def __init__(self, kind, groups, rows, n, k, tflops):
        self.type, self.groups, self.rows = kind, groups, rows
        self.n, self.k = n, k
        self.us = 2 * groups * rows * n * k / tflops / 1e6
        # groups in one matrix are chosen for as one
        one = kind == "GroupedContiguous"
        m, self.apart = (groups * rows, 1) if one else (rows, groups)
        self.block_m = 64 if m <= 64 and not one else 128
        self.block_n = max(range(16, 129, 8), key=self.waves_of(m))
        self.stages = next(
            s for s in ((8, 7, 6, 5, 4) if 128 % self.block_n == 0 else (6, 5, 4))
            if self.shared(s) <= SHARED)
        self.multicast = 1 + (m >= 1024 and self.apart == 1 and
                              n % (2 * self.block_n) == 0)

    def waves_of(self, m):
        def key(block_n):
            blocks = (common.ceil_div(m, self.block_m) *
                      common.ceil_div(self.n, block_n) * self.apart)
            return (-common.ceil_div(blocks, SMS), blocks % SMS or SMS, block_n)
        return key

    def shared(self, stages):
        factors = common.ceil_div(self.k, 128) * (2 - (128 % self.block_n == 0))
        return (2 * self.block_m * self.block_n + 4 * factors + stages *
                (132 * self.block_m + 128 * self.block_n + 16))

    def name(self):
        return f"{self.type}-{self.groups}-{self.rows}-{self.n}-{self.k}"


def patch(a, path):
    """Has DeepGEMM change which FFMA yield, in the code at `path`."""
    tools = os.path.join(a.work, "cuda")
    os.makedirs(os.path.join(tools, "bin"), exist_ok=True)
    link = os.path.join(tools, "bin", "cuobjdump")
    if not os.path.lexists(link):
        os.symlink(os.path.abspath(a.cuobjdump), link)
    # it asks PyTorch where CUDA is
    for name in ("torch", "torch.utils", "torch.utils.cpp_extension"):
        sys.modules.setdefault(name, types.ModuleType(name))
    sys.modules["torch.utils.cpp_extension"].CUDA_HOME = tools
    folder = os.path.join(a.source, "deep_gemm", "jit")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        import interleave_ffma  # pylint: disable=import-error
        interleave_ffma.process(path)
    except (ImportError, OSError, AssertionError) as e:
        raise common.Refused(
            f"DeepGEMM's interleave_ffma, with {a.cuobjdump}: "
            f"{e or 'cuobjdump failed'}") from None


def compile_kernel(a, p, path):
    text = KERNEL.format(type=p.type, n=p.n, k=p.k, block_m=p.block_m,
                         block_n=p.block_n, groups=p.groups, stages=p.stages,
                         multicast=p.multicast)
    base = os.path.splitext(path)[0]
    with open(base + ".cu", "w") as f:
        f.write(text)
    common.command(
        "nvcc", "-std=c++17", "-O3", "--expt-relaxed-constexpr",
        "--expt-extended-lambda", "-arch=sm_90a", "-ptx", "-o", base + ".ptx",
        f"-I{a.source}/deep_gemm/include", f"-I{a.cutlass}/include",
        base + ".cu")
    if a.ptxas:  # reads none of CUDA 13
        with open(base + ".ptx") as f:
            ptx = re.sub(r"^\.version .*$", ".version 8.7", f.read(), flags=re.M)
        with open(base + ".ptx", "w") as f:
            f.write(ptx)
    common.command(a.ptxas or "ptxas", "-arch=sm_90a", "-O3",
                   "--register-usage-level=10", "-o", path, base + ".ptx")
    if not a.plain:
        patch(a, path)
    for suffix in (".cu", ".ptx"):
        os.remove(base + suffix)


def trace(a, p, host, cubin, path):
    with open(cubin, "rb") as f:
        kernel = re.search(rb"\.text\.(_ZN\w+fp8_gemm_kernel\w+)", f.read())
    common.command(
        common.TEG, "exec", "-g", GPU, "--limit=1000000", "-o", path, "--",
        host, cubin, kernel[1].decode(), str(TYPES.index(p.type)),
        *map(str, (p.groups, p.rows, p.n, p.k, p.block_m, p.block_n,
                   p.multicast, p.shared(p.stages), SMS)))


def microseconds(a, p):
    host = common.keep(a.work, "deepgemm", lambda path: common.command(
        "nvcc", "-O2", "-arch=sm_90a", "-o", path,
        os.path.join(HERE, "deepgemm.cu"), "-lcuda"))
    what = p.name() + ("-plain" if a.plain else "")
    cubin = common.keep(a.work, what + ".cubin",
                        lambda path: compile_kernel(a, p, path))
    folder = common.keep(a.work, what + ".teg",
                         lambda path: trace(a, p, host, cubin, path))
    run = json.loads(common.command(
        common.TEG, "run", "-g", GPU, "--caches=carry", "-f", "json", "-k",
        "fp8_gemm_kernel", os.path.join(folder, "kernels.json")))
    return run["time_us"]


def main():
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("--source", required=True)
    p.add_argument("--cutlass", required=True)
    p.add_argument("--cuobjdump")
    p.add_argument("--ptxas")
    p.add_argument("--plain", action="store_true")
    p.add_argument("--work", default="build/accuracy/deepgemm")
    p.add_argument("rows", nargs="*", metavar="ROW", type=int)
    a = p.parse_args()
    if a.cuobjdump is None and not a.plain:
        p.error("needs --cuobjdump, or --plain")
    for number in a.rows:
        if not 1 <= number <= len(ROWS):
            p.error(f"ROW: 1 to {len(ROWS)}, found {number}")
    print("| groups | rows of each | N | K | block, stages, cluster | measured, us "
          "| here | error |\n"
          "| ---: | ---: | ---: | ---: | --- | ---: | ---: | ---: |", flush=True)
    errors = []
    for number in a.rows or range(1, len(ROWS) + 1):
        row = Product(*ROWS[number - 1])
        try:
            here = microseconds(a, row)
        except common.Refused as e:
            print(f"deepgemm.py: {number}: {e}", file=sys.stderr)
            continue
        errors.append(here / row.us - 1)
        kind = {"GroupedMasked": " masked"}.get(row.type, "")
        print(f"| {row.groups}{kind} | {row.rows} | {row.n} | {row.k} | "
              f"{row.block_m} x {row.block_n}, {row.stages}, {row.multicast} | "
              f"{row.us:.1f} | {here:.1f} | {errors[-1]:+.1%} |".replace(
                  "%", " %"), flush=True)
    common.print_mean(errors, "products")


if __name__ == "__main__":
    main()
