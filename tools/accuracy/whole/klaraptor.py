"""PolyBench of orcca-uwo/KLARAPTOR: RTX 2070 SUPER and GTX 1080 Ti.

Times are of pairs of events around each kernel; the 3D convolution's pair is
around all its launches, FDTD's 500 pairs are added up and five steps stand
for them.  The GTX 1080 Ti replays code of sm_75: nvcc 13 has no sm_61, and the
emulator starts at sm_70.
"""
import os

from replay import Build, Run
from suites import Job, Time, rows

SOURCES = {"KLARAPTOR": "https://github.com/orcca-uwo/KLARAPTOR"}
FILES = ("polybench-times.csv", "polybench-times-2.csv.gz")
GPUS = ("rtx2070super", "gtx1080ti")

# The measured programs' flags (tests/opt_level.mk, tests/cuda_l1_cache.mk):
# loads pass L1 by.
FLAGS = ("-O3", "-Xptxas=-dlcm=cg")
STEPS = 5  # of FDTD's 500

# benchmark of the files: name, folder, source, kernels in their order, warp
# instructions of a run over n to a power
PROGRAMS = {
    "GEMM": ("gemm", "GEMM", "gemm", ("gemm_kernel",), 0.2, 3),
    "2DCONV": ("2dconv", "2DCONV", "2DConvolution", ("Convolution2D_kernel",),
               1.5, 2),
    "3d_conv": ("3dconv", "3d_conv", "3DConvolution",
                ("convolution3D_kernel",), 2.4, 3),
    "ATAX": ("atax", "ATAX", "atax", ("atax_kernel1", "atax_kernel2"), 2, 2),
    "MVT": ("mvt", "MVT", "mvt", ("mvt_kernel1", "mvt_kernel2"), 2, 2),
    "BICG": ("bicg", "BICG", "bicg", ("bicg_kernel1", "bicg_kernel2"), 2, 2),
    "SYR2K": ("syr2k", "SYR2K", "syr2k", ("syr2k_kernel",), 0.4, 3),
    "CORR": ("corr", "CORR", "correlation",
             ("mean_kernel", "std_kernel", "reduce_kernel", "corr_kernel"),
             1.2, 3),
    "FDTD_2D": ("fdtd2d", "FDTD_2D", "fdtd2d",
                ("fdtd_step1_kernel", "fdtd_step2_kernel",
                 "fdtd_step3_kernel"), 15, 2),
}
DEVICES = {"RTX 2070 SUPER": "rtx2070super", "GTX 1080 Ti": "gtx1080ti"}
SPEED = 2e6  # warp instructions a second, of narrow blocks


def measured_times(measured):
    """{(gpu, benchmark, n, bx, by): {kernel: [us of each repeat]}}"""
    found = {}
    for name in FILES:
        for r in rows(measured, name):
            gpu = next((g for d, g in DEVICES.items() if d in r["device"]),
                       None)
            if gpu is None or r.get("status", "PASS") != "PASS":
                continue
            key = (gpu, r["benchmark"].removeprefix("polybench_"),
                   int(r["n"]), int(r["bx"]), int(r["by"]))
            found.setdefault(key, {}).setdefault(r["kernel"], []).append(
                1000 * float(r["elapsed_ms"]))
    return found


def build(sources, name, folder, source):
    root = os.path.join(sources, "KLARAPTOR", "tests")
    at = f"polybench_{folder}_llvm"
    edits = ()
    if name == "fdtd2d":
        edits = ((f"{at}/fdtd2d_utils.h", r"^#define tmax 500",
                  f"#define tmax {STEPS}"),)
    return Build(name, root, (at, "polybench_common", "cuda_utils"),
                 (f"{at}/{source}.cu",), 75, FLAGS, edits)


def launches(name, n):
    """Those that a time is of, and those that are run."""
    return {"fdtd2d": (500, STEPS)}.get(name, (1, 1))


def jobs(sources, measured, gpus):
    for (gpu, benchmark, n, bx, by), by_kernel in sorted(
            measured_times(measured).items()):
        if gpu not in gpus or n < 64:
            continue
        name, folder, source, kernels, work, power = PROGRAMS[benchmark]
        whole, traced = launches(name, n)
        times = tuple(Time(k, tuple(by_kernel[k]), k, k == kernels[0] and
                           whole == 1, whole, traced)
                      for k in kernels if k in by_kernel)
        yield Job(gpu, name, f"n={n} {bx}x{by}", f"n={n}",
                  "events", Run(
                      build(sources, name, folder, source), "rtx2070super",
                      (str(n), str(bx), str(by))), times,
                  work * n ** power / SPEED + 0.5)
