"""What was measured, and what has to be run for it.

A suite gives Jobs: something to replay on one GPU (replay.Run or
replay.Grids), the times that its kernels took there, and about how many
seconds of one core that costs.
"""
import csv
import dataclasses
import gzip
import os
import statistics


# To fit by, and to check with: the programs in the order of the SHA-1 of their
# names, dealt by turns.  A new one goes to the end of the shorter half.
HALVES = {
    "A": ("transpose", "b+tree", "mvt", "2mm", "gemm", "cfd", "sobolqrng",
          "syr2k", "scan-long", "histogram", "pathfinder", "lud", "bfs",
          "fdtd2d", "3dconv", "srad_v1", "pnpoly", "additions",
          "matmul_backward_bias-bf16", "sgemm-practice", "tcgen05-steps",
          "reductions", "layernorm_forward", "sgemv", "gemm-steps",
          "residual_forward", "conv2d_3x3", "image_to_grayscale",
          "matmul_naive", "mat_mat_mul", "saxpy", "bins", "atomic_hotspot",
          "array_add", "strided_copy_8", "dot_product", "fast-softmax",
          "softmax-rows", "softmax-vector"),
    "B": ("cudatensorcoregemm", "hotspot", "fastwalshtransform", "backprop",
          "kmeans", "bicg", "syrk", "dedispersion", "corr", "sad", "mergesort",
          "coulomb", "dct8x8", "mri-q", "convolution", "atax", "2dconv",
          "encoder_forward", "elementwise", "black-scholes", "cub-sum",
          "atomics", "flash-minimal", "bodies", "matmul_backward_bias",
          "vector_add_divergent", "masks", "conv2d_7x7", "random_access",
          "vector_add", "mat_vec_mul", "matmul_tiled", "naive_transpose",
          "reduce_sum", "shared_transpose", "products", "fast-gemm",
          "sgemm-optimization", "matmul-tiles", "sgemm-l4"),
}


# Of these, those that came after the deal; published.py's and then stored.py's
# were dealt by turns in the order of their SHA-1, too, the first to B.
LATER = ("additions", "encoder_forward", "matmul_backward_bias-bf16",
         "elementwise", "sgemm-practice", "black-scholes", "tcgen05-steps",
         "cub-sum", "reductions", "atomics", "layernorm_forward",
         "flash-minimal", "sgemv", "bodies", "gemm-steps",
         "matmul_backward_bias", "residual_forward", "vector_add_divergent",
         "conv2d_3x3", "masks", "image_to_grayscale", "conv2d_7x7",
         "matmul_naive", "random_access", "mat_mat_mul", "vector_add", "saxpy",
         "mat_vec_mul", "bins", "matmul_tiled", "atomic_hotspot",
         "naive_transpose", "array_add", "reduce_sum", "strided_copy_8",
         "shared_transpose", "dot_product", "products", "fast-gemm",
         "fast-softmax", "sgemm-optimization", "softmax-rows", "matmul-tiles",
         "softmax-vector", "sgemm-l4")


@dataclasses.dataclass(frozen=True)
class Time:
    """A measured time: of the kernels of a run that `kernel` names, or of all
    of them.  `repeats` are microseconds; `traced` of `launches` launches are
    run here."""
    row: str
    repeats: tuple
    kernel: str = None
    first: bool = False  # of the process
    launches: int = 1
    traced: int = 1
    each: bool = False   # the mean of its launches

    @property
    def us(self):
        return statistics.median(self.repeats)


@dataclasses.dataclass(frozen=True)
class Job:
    gpu: str
    program: str         # one of HALVES
    case: str
    group: str           # the same problem in other shapes
    method: str          # how it was measured, one of STARTS
    how: object
    times: tuple
    cost: float          # seconds of one core, roughly
    words: tuple = ()    # for `teg run`

    @property
    def half(self):
        return next(h for h, names in HALVES.items() if self.program in names)


def launched(kernels):
    return sum(k["launches"] for k in kernels)


# What a pair of events carries, in microseconds: the first of its process, a
# later one, one of many around launches that go on repeating, and each launch
# within a pair beyond its first.  The third is of FDTD's smallest problems, the
# fourth of the 3D convolution (docs/accuracy.md), both of half A; the others
# as the RTX 2070 SUPER.
EVENTS = {
    "rtx2070super": (12.0, 3.5, 2.9, 1.05),
    "gtx1080ti": (12.0, 3.5, 2.5, 1.05),
    "a6000": (12.0, 3.5, 2.9, 1.05),
    "a4000": (12.0, 3.5, 2.9, 1.05),
    "a100": (12.0, 3.5, 2.9, 1.05),
}


def events(gpu, time, kernels):
    first, later, repeated, next_one = EVENTS[gpu]
    further = launched(kernels) * time.launches / time.traced - time.launches
    if time.launches > 1:
        return repeated * time.launches
    return (first if time.first else later) + further * next_one


# What a launch of Triton's test holds, in microseconds: the addition of 64 K
# halves, less ours, which is none of the points.
TRITON = {"v100": 4.2, "a100": 6.0}


# Between launches of a row, in microseconds, as the descriptions have it
# (launch.gap_us; Hopper's for the B200, above for Turing).
GAPS = {"a100": 2.18, "a100_80": 2.18, "rtx3060": 1.46, "rtx3060ti": 1.46,
        "rtx3070": 1.46, "rtx3070ti": 1.46, "rtx3080": 1.46, "rtx3090": 1.46,
        "l4": 1.21, "rtx4070": 1.21, "b200": 2.0, "gtx1650": 1.05, "t4": 1.05,
        "rtx2060": 1.05, "rtx2070super": 1.05, "rtx2080ti": 1.05, "titanv": 1.05,
        "v100": 1.05}


def gap(gpu, time, kernels):
    return GAPS[gpu] * launched(kernels)


def pair(gpu, time, kernels):
    """A pair of events with what is between the launches in it."""
    _, later, _, next_one = EVENTS["rtx2070super"]
    return later + (launched(kernels) - 1) * next_one


# Base clocks, which Nsight Compute locks unless it is told not to.
BASE = {"a100": 765}  # NVIDIA, product brief of the A100 40GB PCIe


# Microseconds that a time holds besides its kernels, by how it was measured,
# and never by program (what the measured files' notes say of each): what events
# carry, 1.12 a launch under nsys, under ncu 3,390 cycles of a V100 at 1380 MHz.  Of
# CUPTI's durations nothing is known, nor of what a host waits for.
STARTS = {
    "events": events,
    "nsys": lambda gpu, time, kernels: 1.12 * launched(kernels),
    "ncu": lambda gpu, time, kernels: 3390 / 1380,
    "cupti": lambda gpu, time, kernels: 0.0,
    "triton": lambda gpu, time, kernels: TRITON[gpu],
    # what others publish (published.py): many launches in a row, and what was
    # timed; the same, each of other buffers; a warm launch between two events,
    # or one after L2 was written; a profiler's mean of many, or one; ncu, which
    # locked the clock; the host's time of one and of fetching its result
    "loop": gap,
    "rotating": gap,
    "pair": pair,
    "scrubbed": pair,
    "repeated": lambda gpu, time, kernels: 1.12 * launched(kernels),
    "nsight": lambda gpu, time, kernels: 1.12 * launched(kernels),
    "ncu-base": lambda gpu, time, kernels: 3390 / BASE[gpu],
    "host": lambda gpu, time, kernels: 0.0,
}


# What launches found in caches, likewise: ncu flushes them; events, nsys and
# Triton see a program as it runs.  Of CUPTI's kernels single launches are
# replayed.
CACHES = {"events": "carry", "nsys": "carry", "ncu": "cold",
          "triton": "carry", "loop": "warm", "rotating": "cold",
          "pair": "warm", "scrubbed": "carry", "repeated": "warm",
          "nsight": "carry", "ncu-base": "cold", "host": "warm"}


def kernels_of(time, kernels):
    return [k for k in kernels if time.kernel is None or
            time.kernel in k["name"]]


def summed(time, kernels, get):
    """Microseconds of all launches of the time, or None."""
    parts = [get(k) for k in kernels]
    if None in parts:
        return None
    us = sum(p * k["launches"] for p, k in zip(parts, kernels))
    return us * time.launches / (launched(kernels) if time.each else
                                 time.traced)


def rows(measured, name):
    path = os.path.join(measured, name)
    opened = (gzip.open(path, "rt", encoding="utf-8", newline="")
              if path.endswith(".gz") else
              open(path, encoding="utf-8", newline=""))
    with opened as f:
        yield from csv.DictReader(f)
