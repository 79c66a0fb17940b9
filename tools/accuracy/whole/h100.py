"""PolyBench of EnzeXu/GPU_Benchmarks on an H100 PCIe, as nsys adds up the
kernels of a run.  The flags of the measured programs are not published; -O3
is what the makefiles have, and the code here is sm_90's."""
import os

from replay import Build, Run
from suites import Job, Time, rows

SOURCES = {"GPU_Benchmarks": "https://github.com/EnzeXu/GPU_Benchmarks"}
FILES = ("h100-pcie-programs.csv", "h100-pcie-times.csv")
GPUS = ("h100pcie",)

# folder, source, warp instructions of a run over n to a power
PROGRAMS = {
    "2mm": ("2MM", "2mm", 0.5, 3),
    "bicg": ("BICG", "bicg", 2, 2),
    "mvt": ("MVT", "mvt", 2, 2),
    "syrk": ("SYRK", "syrk", 0.4, 3),
    "2dconv": ("2DCONV", "2DConvolution", 1.5, 2),
    "3dconv": ("3DCONV", "3DConvolution", 2.4, 3),
    "atax": ("ATAX", "atax", 2, 2),
    "gemm": ("GEMM", "gemm", 0.25, 3),
}
SPEED = 2e6


def measured_times(measured):
    """{(benchmark, size, block): [us]}"""
    found = {}
    for name in FILES:
        for r in rows(measured, name):
            if r["suite"] == "polybench" and r["profiler"] == "nsys":
                q = dict(p.split("=") for p in r["params"].split())
                us = (float(r["time_us"]) if "time_us" in r else
                      float(r["time_ns"]) / 1000)
                found.setdefault((r["benchmark"], int(q["size"]),
                                  int(q["blockDimX"])), []).append(us)
    return found


def jobs(sources, measured, gpus):
    del gpus
    root = os.path.join(sources, "GPU_Benchmarks", "polybench")
    for (name, n, block), us in sorted(measured_times(measured).items()):
        folder, source, work, power = PROGRAMS[name]
        build = Build(name + "-h100", root,
                      (folder, "polybenchUtilFuncts.h"),
                      (f"{folder}/{source}.cu",), 90)
        yield Job("h100pcie", name, f"size={n} block={block}", f"size={n}",
                  "nsys", Run(build, "h100pcie", (
                      "-size", str(n), "-blockDimX", str(block))),
                  (Time(name, tuple(us)),), work * n ** power / SPEED + 0.5)
