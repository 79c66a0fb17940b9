"""The times that Triton's regression test is held to, on V100 and A100:
addition, products of matrices and attention at a locked clock.
"""
import csv
import functools
import os

from attention import attention_cycles, config_of
from gemm import TYPES, best_matmul, configs_for
from kernels import newest, triton_kernel
from launch import ROOT, behind_set, point, replay

SHARED = os.path.join(ROOT, "..", "shared")
MEASURED = os.path.join(SHARED, "measured", "triton-v100-a100.csv")
CLOCK = 1350  # MHz, what Triton's regression test locked both chips to
GENERATION = {"v100": 70, "a100": 80}
CLOCKED = (f"chip.sm_clock_mhz={CLOCK}",)
BUS = {"v100": 898.0, "a100": 1555.2}  # GB/s at 877 and 1215 MHz
SMS = {"v100": 80, "a100": 108}
FLUSHED = 256 << 20  # bytes, set before each launch so that L2 has none of its data


def flushed(trace):
    return behind_set(trace, FLUSHED)


def add_cycles(gpu, capability, settings, n):
    kernel = triton_kernel(newest(), "add", capability, dict(
        x="*fp16", y="*fp16", out="*fp16", n="i32/"), dict(BLOCK=1024), 4, 3)
    half = f"buf:u16:{n}:zeros"
    return replay(gpu, flushed(kernel.trace((n // 1024,), {
        "x": half, "y": half, "out": half, "n": f"i32:{n}"})),
        settings)["cycles"]


def measured_rows(kernel):
    with open(MEASURED, encoding="utf-8", newline="") as f:
        return [r for r in csv.DictReader(f) if r["kernel"] == kernel]


def add_time(row):
    return 6.0 * int(row["n"]) / float(row["utilization"]) / BUS[row["gpu"]]


@functools.lru_cache(maxsize=None)
def start_cycles(gpu):
    """What a timed launch holds besides the kernel: the second smallest add,
    less ours.  Added to all others."""
    row = next(r for r in measured_rows("add")
               if r["gpu"] == gpu and r["n"] == "65536")
    return (add_time(row) * CLOCK / 1e3 -
            add_cycles(gpu, GENERATION[gpu], CLOCKED, 65536))


def adds(_):
    return [point(f"{r['gpu']} {int(r['n']) // 1024} K halves",
                  add_time(r) / 1e3, lambda r=r: (
                      start_cycles(r["gpu"]) +
                      add_cycles(r["gpu"], GENERATION[r["gpu"]], CLOCKED,
                                 int(r["n"]))) / CLOCK, "us")
            for r in measured_rows("add") if r["n"] != "65536"]


def peak(dtype, gpu):
    """Multiply-adds a microsecond."""
    return TYPES[dtype][4][GENERATION[gpu]] * SMS[gpu] * CLOCK


def matmuls(release, dtype, gpu="a100"):
    def ours(shape):
        cycles, config = best_matmul(release, gpu, GENERATION[gpu], CLOCKED,
                                     dtype, shape, configs_for(shape, dtype),
                                     by_column=dtype == "int8",
                                     behind=flushed)
        return ((cycles + start_cycles(gpu)) / CLOCK,
                "x".join(map(str, config[:3])))
    points = []
    for r in measured_rows("matmul"):
        if r["gpu"] != gpu or r["dtype"] != dtype:
            continue
        shape = tuple(int(r[c]) for c in "mnk")
        time = (shape[0] * shape[1] * shape[2] / peak(dtype, gpu) /
                float(r["utilization"]))
        points.append(point("x".join(map(str, shape)), time,
                            lambda s=shape: ours(s), "us"))
    return points


def attention_regression(release):
    r = next(r for r in measured_rows("attention-forward"))
    operations = 2.0 * 4096**2 * 64 * 192
    time = operations / 2 / peak("float16", "a100") / float(r["utilization"])
    return [point("a100 causal 4096 keys of 64", time, lambda: (
        attention_cycles(release, "a100", 80, CLOCKED, 64, 4096, 192, True,
                         config_of(release, 64)) + start_cycles("a100")) /
        CLOCK, "us")]
