#!/usr/bin/env python3
"""Whole programs, compiled here, beside their published times.

    programs.py [--points] [--set KEY=VALUE]... [--ladder FOLDER] [SECTION ...]

Compiles Triton kernels (triton_kernels.py; needs the `triton` package, no GPU)
and, with --ladder, the FP32 kernels of a copy of siboehm/SGEMM_CUDA (nvcc),
traces them on the emulator, replays the traces and compares with published
times.  Says `skipped:` for what is not there.  Prints for each section mean,
median and maximum error of the time; --points prints every point.
build/accuracy/programs.json holds all of them; build/programs (or $KEPT) keeps
cubins and traces (remove it after a change of the emulator).

Large launches are not replayed whole.  A launch of equal blocks takes its
whole waves, each as long as the first one alone, and what the rest takes
alone; a wave is what the SMs hold at once.  Where the inner length (K, or the
keys of attention) is large, two short ones are replayed, longer than what is copied
ahead, and extended linearly.
Launches of unequal blocks (causal attention) are extended linearly in the
number of heads.
"""
import csv
import hashlib
import os
import shutil
import sys

from bench import (ROOT, TEG, Failed, fact, in_parallel, report, summary,
                   write_json)
import common  # bench says where it is
from common import command

SHARED = os.path.join(ROOT, "..", "shared")
MEASURED = os.path.join(SHARED, "measured", "triton-v100-a100.csv")
KEPT = os.environ.get("KEPT", os.path.join(ROOT, "build", "programs"))
SHORT = (512, 1024)        # inner lengths that stand for longer ones; or of
                           # kernels that copy more ahead, multiples of these
LADDER_SHORT = (256, 512)  # of kernels that do not run ahead
WHOLE = 1.1e9              # multiply-adds of a launch that is replayed whole

options = {"settings": (), "ladder": None, "points": False}


# ---- compiling and tracing -------------------------------------------------

def named(name, suffix, key):
    return (f"{name}-{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}."
            f"{suffix}")


def keep(name, suffix, key, make):
    """Path of the kept file that `make(path)` writes, made once for a key."""
    return common.keep(KEPT, named(name, suffix, key), make)


class Kernel:
    """A kernel of a cubin and how it is launched."""

    def __init__(self, cubin, threads, shared=0, name=None, extra=()):
        self.cubin, self.threads, self.shared = cubin, threads, shared
        self.name, self.extra = name, extra

    def trace(self, grid, args, blocks=None):
        """Of the first `blocks` blocks in grid order, or all of them."""
        words = ["--grid", ",".join(map(str, grid)),
                 "--block", ",".join(map(str, self.threads))]
        words += ["--shared", str(self.shared)] if self.shared else []
        words += ["-k", self.name] if self.name else []
        for a in (*args, *self.extra):
            words += ["-a", a]
        words += ["--blocks", f"0:{blocks}"] if blocks else []
        name = os.path.basename(self.cubin).split("-")[0]
        return keep(name, "tegt", (self.cubin, words), lambda path: command(
            TEG, "trace", self.cubin, "-j", "1", "-o", path, *words))


def triton_kernel(name, capability, signature, constants, warps, stages):
    import triton
    import triton_kernels
    with open(triton_kernels.__file__, "rb") as f:
        key = (triton.__version__, f.read(), name, capability, signature,
               constants, warps, stages)
    name = f"{name}_{capability}"
    # the launcher's, beside the code
    facts = os.path.join(KEPT, named(name, "shared", key))

    def make(path):
        cubin, meta = triton_kernels.build(*key[2:])
        with open(path, "wb") as f:
            f.write(cubin)
        with open(facts, "w", encoding="ascii") as f:
            f.write(str(meta.shared))
    cubin = keep(name, "cubin", key, make)
    with open(facts, encoding="ascii") as f:
        shared = int(f.read())
    # two pointers to scratch space follow the parameters
    return Kernel(cubin, (32 * warps,), shared, extra=("i64:0", "i64:0"))


# ---- cycles of a launch ----------------------------------------------------

def replay(gpu, trace, settings=()):
    return report(gpu, trace, settings=(*settings, *options["settings"]))


def wave_of(gpu, trace, settings):
    r = replay(gpu, trace, settings)
    return r["occupancy"]["places"] * r["gpu"]["sms"]


def in_waves(gpu, settings, blocks, trace, length, short=SHORT):
    """Cycles of `blocks` equal blocks of inner length `length`;
    `trace(length, count)` is the trace of the first `count` blocks."""
    low, high = short

    def once(count):
        if length <= high:
            return replay(gpu, trace(length, count), settings)["cycles"]
        first, second = (replay(gpu, trace(n, count), settings)["cycles"]
                         for n in short)
        return second + (second - first) * (length - high) / (high - low)
    whole, rest = divmod(blocks, wave_of(gpu, trace(low, 1), settings))
    wave = (blocks - rest) // max(whole, 1)
    return ((whole * once(wave) if whole else 0) +
            (once(rest) if rest else 0))


# ---- the FP32 ladder of siboehm/SGEMM_CUDA ---------------------------------

LADDER_GPU = "a6000"
LADDER_N = 4096
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


def ladder_cubin():
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
        command("nvcc", "-cubin", "-arch=sm_86", "-std=c++17", "-O3", "-o",
                 path, source)
        os.remove(source)
    return keep("ladder", "cubin", lines, make)


def ladder_cycles(cubin, name, threads, rows, columns, x_rows):
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
    return in_waves(LADDER_GPU, (), n // rows * (n // columns), trace, n,
                    LADDER_SHORT)


def ladder():
    if options["ladder"] is None:
        print("skipped: SGEMM ladder: no --ladder FOLDER (a copy of "
              "siboehm/SGEMM_CUDA)")
        return []
    if shutil.which("nvcc") is None:
        print("skipped: SGEMM ladder: nvcc is not on the PATH")
        return []
    if not os.path.isdir(os.path.join(options["ladder"], "src", "kernels")):
        print("skipped: SGEMM ladder: there is no src/kernels in "
              f"{options['ladder']}")
        return []
    cubin = ladder_cubin()
    mhz = fact(LADDER_GPU, "chip.sm_clock_mhz")
    return [point(f"{number}: {name}", 2e-3 * LADDER_N**3 / gflops,
                  lambda a=(cubin, name, threads, rows, columns, x_rows):
                  ladder_cycles(*a) / mhz, "us")
            for number, name, _, _, threads, rows, columns, x_rows, gflops
            in LADDER]


# ---- Triton ----------------------------------------------------------------

SIZES = {k: "i32/" for k in ("M", "N", "K", "stride_a", "stride_b",
                             "stride_c")}
# element, sums, result, bytes, multiply-adds of an SM and cycle by generation
TYPES = {
    "float16": ("*fp16", "fp32", "*fp16", 2, {80: 1024, 90: 2048}),
    "float32": ("*fp32", "fp32", "*fp32", 4, {80: 512, 90: 1024}),
    "int8": ("*i8", "int32", "*i8", 1, {80: 2048, 90: 4096}),
}
# BM, BN, BK, stages, warps, of the list that the tuner had.  Of a launch's
# configurations the fastest replay counts, as it had it.
WIDE_BYTES = [(128, 256, 128, 3, 8), (128, 128, 128, 4, 4),
              (64, 128, 64, 4, 4), (64, 32, 64, 5, 2)]
WIDE = [(128, 256, 32, 3, 8), (128, 128, 32, 4, 4), (64, 128, 32, 4, 4),
        (64, 32, 32, 5, 2)]
FLAT = [(16, 64, 64, 5, 2), (16, 32, 64, 5, 2)]
SLIM = [(32, 64, 64, 5, 2), (64, 32, 32, 5, 2), (64, 64, 64, 4, 4)]
HOPPER = [(128, 256, 64, 3, 8), (128, 128, 64, 4, 8), (128, 128, 32, 4, 4)]


def matmul_cycles(gpu, capability, settings, dtype, shape, config):
    m, n, k = shape
    bm, bn, bk, stages, warps = config
    element, acc, result, size, _ = TYPES[dtype]
    group, across = 8, n // bn
    by_column = int(dtype == "int8")
    kernel = triton_kernel(
        "matmul", capability, dict(a=element, b=element, c=result, **SIZES),
        dict(BM=bm, BN=bn, BK=bk, GROUP=group, SPLIT=1,
             B_BY_COLUMN=bool(by_column), ACC=acc), warps, stages)
    blocks = m // bm * across

    def trace(length, count):
        # whole groups of rows, so that the blocks are the launch's first
        rows = min(-(-count // (group * across)) * group * bm, m)
        pitch = length if by_column else n
        bytes_of = {"a": rows * length, "b": length * n, "c": rows * n}
        buffers = [f"buf:u8:{v * size}:zeros" for v in bytes_of.values()]
        return kernel.trace((rows // bm * across,), (
            *buffers, f"i32:{rows}", f"i32:{n}", f"i32:{length}",
            f"i32:{length}", f"i32:{pitch}", f"i32:{n}"), count)
    if m * n * k <= WHOLE:
        return replay(gpu, trace(k, blocks), settings)["cycles"]
    ahead = -(-bk * stages // SHORT[0])
    return in_waves(gpu, settings, blocks, trace, k,
                    tuple(ahead * s for s in SHORT))


def best_matmul(gpu, capability, settings, dtype, shape, configs):
    """(cycles, configuration) of the fastest."""
    found = []
    for config in configs:
        if shape[0] % config[0] == 0 and shape[1] % config[1] == 0:
            found.append((matmul_cycles(gpu, capability, settings, dtype,
                                        shape, config), config))
    return min(found)


def configs_for(shape, dtype):
    return (FLAT if shape[0] == 16 else
            SLIM if min(shape[:2]) == 64 else
            WIDE_BYTES if dtype == "int8" else WIDE)


def add_cycles(gpu, capability, settings, n):
    kernel = triton_kernel("add", capability, dict(
        x="*fp16", y="*fp16", out="*fp16", n="i32/"), dict(BLOCK=1024), 4, 3)
    return replay(gpu, kernel.trace((n // 1024,), (
        *3 * (f"buf:u16:{n}:zeros",), f"i32:{n}")), settings)["cycles"]


def attention_kernel(capability, d, causal, config):
    bm, bn, stages, warps = config
    return triton_kernel("attention", capability, dict(
        q="*fp16", k="*fp16", v="*fp16", out="*fp16", scale="fp32", N="i32/"),
        dict(D=d, BM=bm, BN=bn, CAUSAL=causal), warps, stages)


def attention_trace(kernel, d, keys, tiles, heads, count=None):
    buffers = 4 * (f"buf:u16:{keys * d * heads}:zeros",)
    return kernel.trace((tiles, heads), (*buffers, "f32:0.18", f"i32:{keys}"),
                        count)


def attention_cycles(gpu, capability, settings, d, n, heads, causal, config):
    kernel = attention_kernel(capability, d, causal, config)
    tiles = n // config[0]
    if not causal:
        def trace(keys, count):
            # as many tiles as there are queries: a head's keys are shared
            some = max(keys // config[0], 1)
            return attention_trace(kernel, d, keys, some, -(-count // some),
                                   count)
        return in_waves(gpu, settings, tiles * heads, trace, n)
    wave = wave_of(gpu, attention_trace(kernel, d, 256, 256 // config[0], 1),
                   settings)
    few = max(wave // tiles, 1)
    # the next wave fills up behind the short blocks of the one before
    low, high = (replay(gpu, attention_trace(kernel, d, n, tiles, h),
                        settings)["cycles"] for h in (few, 3 * few))
    return high + (high - low) / (2 * few) * (heads - 3 * few)


# ---- published times -------------------------------------------------------

def point(what, measured, ours, unit):
    """`ours` is a function without arguments, called later: a time in `unit`,
    or that and a remark."""
    return {"what": what, "measured": measured, "run": ours, "unit": unit}


CLOCK = 1350  # MHz, what Triton's regression test locked both chips to
GENERATION = {"v100": 70, "a100": 80}
CLOCKED = (f"chip.sm_clock_mhz={CLOCK}",)
BUS = {"v100": 898.0, "a100": 1555.2}  # GB/s at 877 and 1215 MHz
SMS = {"v100": 80, "a100": 108}


def measured_rows(kernel):
    with open(MEASURED, encoding="utf-8", newline="") as f:
        return [r for r in csv.DictReader(f) if r["kernel"] == kernel]


def add_time(row):
    return 6.0 * int(row["n"]) / float(row["utilization"]) / BUS[row["gpu"]]


def start_cycles(gpu):
    """What a timed launch holds besides the kernel: the second smallest add,
    less ours.  Added to all others."""
    row = next(r for r in measured_rows("add")
               if r["gpu"] == gpu and r["n"] == "65536")
    return (add_time(row) * CLOCK / 1e3 -
            add_cycles(gpu, GENERATION[gpu], CLOCKED, 65536))


def adds():
    return [point(f"{r['gpu']} {int(r['n']) // 1024} K halves",
                  add_time(r) / 1e3, lambda r=r: (
                      start_cycles(r["gpu"]) +
                      add_cycles(r["gpu"], GENERATION[r["gpu"]], CLOCKED,
                                 int(r["n"]))) / CLOCK, "us")
            for r in measured_rows("add") if r["n"] != "65536"]


def peak(dtype, gpu):
    """Multiply-adds a microsecond."""
    return TYPES[dtype][4][GENERATION[gpu]] * SMS[gpu] * CLOCK


def matmuls(dtype):
    def ours(shape):
        cycles, config = best_matmul("a100", 80, CLOCKED, dtype, shape,
                                     configs_for(shape, dtype))
        return ((cycles + start_cycles("a100")) / CLOCK,
                "x".join(map(str, config[:3])))
    points = []
    for r in measured_rows("matmul"):
        if r["gpu"] != "a100" or r["dtype"] != dtype:
            continue
        shape = tuple(int(r[c]) for c in "mnk")
        time = (shape[0] * shape[1] * shape[2] / peak(dtype, "a100") /
                float(r["utilization"]))
        points.append(point("x".join(map(str, shape)), time,
                            lambda s=shape: ours(s), "us"))
    return points


def tflops(gpu, capability, operations, measured, what, cycles, settings=()):
    """A point whose published figure is a rate; compared as times."""
    mhz = fact(gpu, "chip.sm_clock_mhz")
    return point(what, operations / measured / 1e6,
                 lambda: cycles(gpu, capability, settings) / mhz, "us")


def attention_points(gpu, capability, d, heads, causal, config, rates):
    points = []
    for n, rate in rates.items():
        operations = 4.0 * n * n * d * heads / (2 if causal else 1)
        points.append(tflops(
            gpu, capability, operations, rate,
            f"{gpu} {'causal ' if causal else ''}{n} keys of {d}",
            lambda g, c, s, n=n: attention_cycles(g, c, s, d, n, heads,
                                                  causal, config)))
    return points


# triton-lang/triton, pull request 1917 (July 2023): 4 x 48 heads of 64; the
# chip is not named there, the tutorial's figures were an A100's
A100_CAUSAL = {1024: 86.9, 2048: 108.9}
A100_FULL = {1024: 122.5, 2048: 136.6, 4096: 143.0, 8192: 145.8, 16384: 146.8}
# Dao-AILab/flash-attention, issue 1777: 16 x 32 heads of 64, H100 PCIe, Triton
PCIE_FULL = {1024: 230, 2048: 233, 4096: 239, 8192: 248}
# facebookexperimental/triton, pull request 205: 4 x 32 heads of 128, the
# tutorial (whose tiles come through tensor maps) on a Hopper chip
HOPPER_FULL = {1024: 406.8, 2048: 427.8, 4096: 459.6, 8192: 464.4,
               16384: 487.0}
# triton-lang/triton, issue 2339 (September 2023), H100: cuBLAS; Triton, then
# in its first version with GMMA, without tensor maps
HOPPER_MATMUL = {(2048, 512, 512): (102.6, 77.9),
                 (2048, 1024, 1024): (243.1, 206.8),
                 (2048, 2048, 2048): (515.2, 295.1),
                 (2048, 4096, 4096): (613.7, 346.3),
                 (2048, 8192, 8192): (721.6, 369.8)}


def attention_a100():
    return (attention_points("a100", 80, 64, 192, True, (128, 64, 3, 4),
                             A100_CAUSAL) +
            attention_points("a100", 80, 64, 192, False, (128, 64, 3, 4),
                             A100_FULL))


def attention_regression():
    r = next(r for r in measured_rows("attention-forward"))
    operations = 2.0 * 4096**2 * 64 * 192
    time = operations / 2 / peak("float16", "a100") / float(r["utilization"])
    return [point("a100 causal 4096 keys of 64", time, lambda: (
        attention_cycles("a100", 80, CLOCKED, 64, 4096, 192, True,
                         (128, 64, 3, 4)) + start_cycles("a100")) / CLOCK,
                  "us")]


def attention_h100():
    return (attention_points("h100pcie", 90, 64, 512, False, (128, 64, 3, 4),
                             PCIE_FULL) +
            attention_points("h100", 90, 128, 128, False, (128, 64, 3, 8),
                             HOPPER_FULL))


def matmul_h100():
    return [tflops("h100", 90, 2.0 * m * n * k, rates[who],
                   f"{m}x{n}x{k}, {('cuBLAS', 'Triton')[who]}",
                   lambda g, c, s, shape=(m, n, k): best_matmul(
                       g, c, s, "float16", shape, HOPPER)[0])
            for who in (0, 1) for (m, n, k), rates in HOPPER_MATMUL.items()]


# ---- do they compute what they should? -------------------------------------

def right(kernel, grid, args, out, want, tolerance):
    """Whether the emulator's result is within tolerance of the largest."""
    import numpy
    import tempfile
    with tempfile.TemporaryDirectory() as at:
        words = []
        for i, a in enumerate((*args, *kernel.extra)):
            if not isinstance(a, str):
                path = os.path.join(at, f"{i}.raw")
                a.tofile(path)
                a = f"buf:u8:{a.nbytes}:file={path}"
            words += ["-a", a]
        path = os.path.join(at, "out.raw")
        command(TEG, "trace", kernel.cubin, "-j", "1", "--grid",
                 ",".join(map(str, grid)), "--block", str(kernel.threads[0]),
                 *(["--shared", str(kernel.shared)] if kernel.shared else []),
                 *words, f"--dump={out}={path}")
        found = numpy.fromfile(path, args[out].dtype)
    worst = numpy.abs(found.astype(float) - want.ravel()).max()
    return worst <= tolerance * numpy.abs(want).max(), worst


def check_matmul(capability, dtype, rng):
    import numpy
    m, n, k = 256, 256, 192
    np_type = {"float16": numpy.float16, "float32": numpy.float32,
               "int8": numpy.int8}[dtype]
    element, acc, result, _, _ = TYPES[dtype]
    by_column = dtype == "int8"
    draw = ((lambda *s: rng.integers(-128, 128, s).astype(np_type))
            if by_column else
            (lambda *s: rng.standard_normal(s).astype(np_type)))
    a, b = draw(m, k), draw(n, k) if by_column else draw(k, n)
    kernel = triton_kernel(
        "matmul", capability, dict(a=element, b=element, c=result, **SIZES),
        dict(BM=128, BN=128, BK=64 if by_column else 32, GROUP=8, SPLIT=1,
             B_BY_COLUMN=by_column, ACC=acc), 4, 3)
    if by_column:
        want = (a.astype(int) @ b.T.astype(int)).astype(np_type).astype(float)
    else:
        want = a.astype(float) @ b.astype(float)
    pitch = k if by_column else n
    return right(kernel, (4,), (
        a, b, numpy.zeros((m, n), np_type), f"i32:{m}", f"i32:{n}", f"i32:{k}",
        f"i32:{k}", f"i32:{pitch}", f"i32:{n}"), 2, want,
        0 if by_column else 2e-3)


def check_split(capability, rng):
    import numpy
    m, n, k, half = 16, 128, 512, numpy.float16
    a, b = (rng.standard_normal(s).astype(half) for s in ((m, k), (k, n)))
    kernel = triton_kernel(
        "matmul", capability, dict(a="*fp16", b="*fp16", c="*fp16", **SIZES),
        dict(BM=16, BN=64, BK=64, GROUP=8, SPLIT=4, B_BY_COLUMN=False,
             ACC="fp32"), 4, 3)
    return right(kernel, (2, 4), (
        a, b, numpy.zeros((m, n), half), f"i32:{m}", f"i32:{n}", f"i32:{k}",
        f"i32:{k}", f"i32:{n}", f"i32:{n}"), 2,
        a.astype(float) @ b.astype(float), 4e-3)


def check_attention(capability, d, causal, rng):
    import numpy
    n, heads, half = 256, 2, numpy.float16
    q, k, v = (rng.standard_normal((heads, n, d)).astype(half)
               for _ in range(3))
    s = numpy.einsum("hid,hjd->hij", q.astype(float), k.astype(float)) / d**0.5
    if causal:
        s = numpy.where(numpy.tril(numpy.ones((n, n))) > 0, s, -1e30)
    p = numpy.exp(s - s.max(2, keepdims=True))
    want = numpy.einsum("hij,hjd->hid", p / p.sum(2, keepdims=True),
                        v.astype(float))
    kernel = attention_kernel(capability, d, causal, (128, 64, 3, d // 16))
    return right(kernel, (n // 128, heads), (
        q, k, v, numpy.zeros((heads, n, d), half), f"f32:{1.442695 / d**0.5}",
        f"i32:{n}"), 3, want, 2e-3)


def check_rows(capability, name, rng):
    import numpy
    rows, columns, pitch = 64, 781, 1024
    x = rng.standard_normal((rows, pitch)).astype(numpy.float32)
    want = numpy.zeros((rows, pitch))
    v = x[:, :columns].astype(float)
    sizes = (f"i32:{pitch}", f"i32:{columns}")
    signature = dict(x="*fp32", out="*fp32", stride="i32/", columns="i32")
    if name == "softmax":
        e = numpy.exp(v - v.max(1, keepdims=True))
        want[:, :columns] = e / e.sum(1, keepdims=True)
        args, out = (x, numpy.zeros_like(x), *sizes), 1
    else:
        w, b = (rng.standard_normal(pitch).astype(numpy.float32)
                for _ in range(2))
        want[:, :columns] = ((v - v.mean(1, keepdims=True)) /
                             numpy.sqrt(v.var(1, keepdims=True) + 1e-5) *
                             w[:columns] + b[:columns])
        args, out = (x, w, b, numpy.zeros_like(x), *sizes, "f32:1e-5"), 3
        signature |= dict(weight="*fp32", bias="*fp32", eps="fp32")
    kernel = triton_kernel(name, capability, signature, dict(BLOCK=1024), 4, 3)
    return right(kernel, (rows,), args, out, want, 1e-5)


def checks():
    """Every kernel on small inputs, beside numpy."""
    import numpy
    rng = numpy.random.default_rng(1)
    cases = []
    for c in (75, 80, 86, 90):
        for name in ("softmax", "layer_norm"):
            cases.append((f"sm_{c} {name}",
                          lambda c=c, n=name: check_rows(c, n, rng)))
        for t in TYPES if c >= 80 else ("float16", "float32"):
            cases.append((f"sm_{c} matmul of {t}",
                          lambda c=c, t=t: check_matmul(c, t, rng)))
        cases.append((f"sm_{c} matmul, K split",
                      lambda c=c: check_split(c, rng)))
        for d in (64, 128):
            for causal in (False, True):
                cases.append((
                    f"sm_{c} {'causal ' if causal else ''}attention of {d}",
                    lambda c=c, d=d, u=causal: check_attention(c, d, u, rng)))
    wrong = 0
    for what, case in cases:
        try:
            good, worst = case()
            text = "right" if good else f"WRONG by {worst:g}"
        except Failed as e:
            good, text = False, str(e)
        wrong += not good
        if not good or options["points"]:
            print(f"  {what:<34} {text}")
    print(f"results: {len(cases) - wrong} of {len(cases)} kernels agree with "
          "numpy")
    return []


SECTIONS = {
    "results": checks,
    "ladder-a6000": ladder,
    "add": adds,
    "matmul-a100-float16": lambda: matmuls("float16"),
    "matmul-a100-float32": lambda: matmuls("float32"),
    "matmul-a100-int8": lambda: matmuls("int8"),
    "attention-a100-regression": attention_regression,
    "attention-a100": attention_a100,
    "matmul-h100": matmul_h100,
    "attention-h100": attention_h100,
}
ALONE = ("ladder-a6000",)  # needs neither Triton nor the measured times


def run(p):
    ours = p.pop("run")
    try:
        found = ours()
        p["ours"], p["remark"] = (found if isinstance(found, tuple)
                                  else (found, ""))
        p["error"] = 100 * (p["ours"] / p["measured"] - 1)
    except Failed as e:
        p["failed"] = str(e)
    return p


def available(name):
    if name in ALONE:
        return True
    try:
        import numpy
        import triton
        del numpy, triton
    except ImportError as e:
        print(f"skipped: {name}: {e.name} is not installed")
        return False
    if not os.path.exists(MEASURED):
        print(f"skipped: {name}: ../shared/measured is missing")
        return False
    return True


def refuse(what):
    print(f"programs.py: {what}", file=sys.stderr)
    sys.exit(2)


def parse(argv):
    chosen, words = [], iter(argv)
    for word in words:
        if word in ("--ladder", "--set"):
            value = next(words, None)
            if value is None:
                refuse(f"option '{word}' wants a value")
            if word == "--set":
                options["settings"] += (value,)
            else:
                options["ladder"] = value
        elif word == "--points":
            options["points"] = True
        elif word.startswith("-"):
            refuse(f"no option '{word}'")
        elif word not in SECTIONS:
            refuse(f"no section '{word}'")
        else:
            chosen.append(word)
    return chosen or list(SECTIONS)


def show(p):
    if "ours" not in p:
        print(f"  {p['what']:<34} {p['failed']}")
        return
    print(f"  {p['what']:<34} {p['measured']:>11.1f} {p['ours']:>11.1f} "
          f"{p['unit']} {p['error']:+7.1f} %  {p['remark']}")


def main(argv):
    everything = {}
    for name in parse(argv):
        try:
            points = SECTIONS[name]() if available(name) else []
        except Failed as e:
            print(f"{name}: {e}")
            continue
        if not points:
            continue
        points = in_parallel(run, points)
        everything[name] = points
        for p in points if options["points"] else []:
            show(p)
        errors = [p["error"] for p in points if "error" in p]
        print(f"{name}: {summary(errors)}", flush=True)
    if everything:
        write_json("programs.json", everything)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
