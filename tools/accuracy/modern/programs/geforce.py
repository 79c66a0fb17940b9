"""An RTX 5090: what FlashGPU-Sim measured with Nsight Compute, and the ladder
of gau-nernst/learn-cuda (02c_matmul_sm120), products by mma.sync.

FlashGPU-Sim's cycles are elapsed ones: ours have the profiler's start
(start.ncu_cycles) added.
"""
import os
import shutil
import tempfile

from kernels import triton_kernel
from launch import (KEPT, ROOT, TEG, Failed, Kernel, command, fact, keep,
                    options, point, replay)

GPU, CAPABILITY = "rtx5090", 120
# FlashGPU-Sim locks the clocks; its configuration says at what.  Of what it
# measured for instruction caches 24,600 cycles took 12,288 ns.
LOCKED = 2580
BASE = 2002

# tests/ci/perf/cases.toml: M, N, K, cycles, MHz, tiles (BM, BN, BK, stages,
# warps).  The first and the last are told by what was captured; of the others
# nobody says what the tuner chose, and the fastest replay counts.
TUNED = [(128, 128, 64, 3, 8), (64, 128, 64, 4, 4), (128, 64, 64, 4, 4),
         (64, 64, 64, 4, 4), (128, 128, 32, 4, 4)]
SMALL = [(64, 64, 64, 4, 4)]
GEMMS = [(2560, 64, 2560, 77190.74, LOCKED, SMALL),
         (4096, 128, 4096, 119636, LOCKED, TUNED),
         (512, 6000, 1536, 169861, LOCKED, TUNED),
         (512, 16, 512, 24600.54, BASE, SMALL)]
ATTENTION = 797247.12  # 32 x 32 heads, 512 keys of 64, causal, tiles of 64
MAP_BYTES = 128

ADD = """extern "C" __global__ void add(const float *a, const float *b, float *c,
                               int n)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;

    if (i < n)
        c[i] = a[i] + b[i] + 0.0f;
}
"""
ADDED = 2000000
ADD_CYCLES = 29642.67


def elapsed(mhz, trace):
    """As Nsight Compute counts."""
    return (replay(GPU, trace, (f"chip.sm_clock_mhz={mhz}",))["cycles"] +
            fact(GPU, "start.ncu_cycles"))


def add_cycles():
    if shutil.which("nvcc") is None:
        raise Failed("nvcc is not on the PATH")

    def make(path):
        name = path + ".cu"
        with open(name, "w", encoding="ascii") as f:
            f.write(ADD)
        try:
            command("nvcc", "-cubin", "-arch=sm_120a", "-o", path, name)
        finally:
            os.remove(name)
    buffer = f"buf:f32:{ADDED}:zeros"
    kernel = Kernel(keep("add_120", "cubin", ADD, make), (256,))
    return elapsed(LOCKED, kernel.trace(
        (-(-ADDED // 256),), [*[buffer] * 3, f"i32:{ADDED}"]))


def with_maps(kernel, blocks, maps):
    """The first pointer to scratch space holds each block's maps."""
    kernel.extra = [f"buf:u8:{blocks * maps * MAP_BYTES}:zeros",
                    *kernel.extra[1:]]
    return kernel


def gemm_cycles(release, m, n, k, mhz, configs):
    def once(config):
        bm, bn, bk, stages, warps = config
        blocks = -(-m // bm) * -(-n // bn)
        kernel = with_maps(triton_kernel(
            release, "matmul_maps", CAPABILITY,
            dict(a="*fp16", b="*fp16", c="*fp16", M="i32/", N="i32/",
                 K="i32/"), dict(BM=bm, BN=bn, BK=bk, GROUP=8), warps,
            stages), blocks, 3)
        args = {name: f"buf:u16:{size}:zeros" for name, size in
                (("a", m * k), ("b", n * k), ("c", m * n))}
        args |= {"M": f"i32:{m}", "N": f"i32:{n}", "K": f"i32:{k}"}
        return elapsed(mhz, kernel.trace((blocks,), args)), str(config)
    return min(once(c) for c in configs)


def attention_cycles(release, heads=1024, tiles=8):
    """From two numbers of heads, of two and four waves."""
    kernel = triton_kernel(
        release, "attention_maps", CAPABILITY,
        dict(q="*fp16", k="*fp16", v="*fp16", out="*fp16", scale="fp32"),
        dict(N=512, D=64, BM=64, BN=64, CAUSAL=True), 4, 3)

    def once(count):
        with_maps(kernel, tiles * count, 4)
        args = {name: f"buf:u16:{count * 512 * 64}:zeros"
                for name in ("q", "k", "v", "out")}
        return elapsed(LOCKED, kernel.trace(
            (tiles, count), args | {"scale": "f32:0.125"}))
    low, high = 85, 170
    first, second = once(low), once(high)
    return second + (second - first) * (heads - high) / (high - low)


def profiled(release):
    points = [point(f"vectorAdd of {ADDED}", ADD_CYCLES, add_cycles,
                    "cycles")]
    points += [point(f"product {m} x {n} x {k}", cycles,
                     lambda a=(m, n, k, mhz, configs): gemm_cycles(
                         release, *a), "cycles")
               for m, n, k, cycles, mhz, configs in GEMMS]
    return [*points, point("attention, causal, 512 keys of 64", ATTENTION,
                           lambda: attention_cycles(release), "cycles")]


# The README's TFLOP/s at 2048 cubed (March 2026, nvbench, a limit of 400 W),
# by kernel: bfloat16, bytes.  At what clock is not said; more than the
# vendor's boost, for it reaches more than the vendor's peak elsewhere.
LADDER = {"v0": (158.24, 401.87), "v1": (164.27, 440.57),
          "v2": (164.41, 439.72)}
SIZE = 2048
MAIN = """#include "%s"
int main()
{
    %s *a, *b;
    %s *c;
    cudaMalloc(&a, %d * sizeof *a);
    cudaMalloc(&b, %d * sizeof *b);
    cudaMalloc(&c, %d * sizeof *c);
    matmul_%s(a, b, c, %d, %d, %d);
    cudaDeviceSynchronize();
}
"""


def ladder_trace(kernel, wide):
    path = os.path.join(options["sm120"], f"matmul_{kernel}.cu")
    of, to, name = (("nv_bfloat16", "nv_bfloat16", "bf16") if wide else
                    ("int8_t", "int", "int8"))
    text = MAIN % (path, of, to, *3 * [SIZE * SIZE], f"{kernel}_{name}",
                   *3 * [SIZE])

    def make(trace):
        with tempfile.TemporaryDirectory(dir=KEPT) as at:
            exe = os.path.join(at, "program")
            with open(exe + ".cu", "w", encoding="ascii") as f:
                f.write(text)
            command("nvcc", "-O3", "--expt-relaxed-constexpr",
                    "-gencode=arch=compute_120a,code=sm_120a", "-o", exe,
                    exe + ".cu", "-lcuda")
            command(TEG, "exec", "--config-dir", os.path.join(ROOT, "config"),
                    "-g", GPU, "-o", at, "--", exe)
            found = [f for f in os.listdir(at) if f.endswith(".tegt")]
            if len(found) != 1:
                raise Failed(f"{kernel}: one launch expected, found "
                             f"{len(found)}")
            os.rename(os.path.join(at, found[0]), trace)
    return keep(f"sm120{kernel}", "tegt", text, make)


def ladder():
    if options["sm120"] is None:
        raise Failed("no --sm120 FOLDER (02c_matmul_sm120 of "
                     "gau-nernst/learn-cuda)")
    if shutil.which("nvcc") is None:
        raise Failed("nvcc is not on the PATH")
    mhz = fact(GPU, "chip.sm_clock_mhz")
    return [point(f"{kernel}, {'bfloat16' if wide else 'bytes'}",
                  2e-6 * SIZE**3 / rates[0 if wide else 1],
                  lambda k=kernel, w=wide: replay(
                      GPU, ladder_trace(k, w))["cycles"] / mhz, "us")
            for wide in (True, False) for kernel, rates in LADDER.items()]
