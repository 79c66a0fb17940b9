"""Two kernels of HiPerCoRe/KTT on an RTX 3090: tuning variants with durations
that AutoTuningAssociation/benchmark_hub stores, without counters.

Some waves of blocks of an SM are run and extended linearly (replay.Waves).
Variants with local memory are left out: it needs L2 of the whole chip.
"""
import gzip
import json
import os

from common import ceil_div
from replay import Waves
from suites import Job, Time

SOURCES = {"KTT": "https://github.com/HiPerCoRe/KTT",
           "benchmark_hub":
           "https://github.com/AutoTuningAssociation/benchmark_hub"}
FILES = ()
GPUS = ("rtx3090",)
SMS, ARCH = 82, 86
POINTS, VERTICES = 20000000, 600
SIDE, FILTER = 4096, 15
MOST = 16  # blocks on an SM


def text_of(sources, folder, kernel):
    path = os.path.join(sources, "KTT", "Examples", folder, folder + ".cu")
    with open(path, encoding="utf-8") as f:
        return f.read().replace(f"__global__ void {kernel}",
                                f'extern "C" __global__ void {kernel}')


def pnpoly(v):
    """Grid and arguments: points of the blocks that are run."""
    each = v["BLOCK_SIZE_X"] * v["TILE_SIZE"]
    n = (Waves.WAVES[-1] * MOST + 1) * each
    return ((ceil_div(POINTS, each), 1, 1),
            (f"buf:i32:{n}:zeros", f"buf:f32:{2 * n}:random",
             f"buf:f32:{2 * VERTICES}:zeros", f"i32:{POINTS}"), ())


def convolution(v):
    around = SIDE + FILTER - 1
    return (tuple(ceil_div(SIDE, v[f"BLOCK_SIZE_{d}"] * v[f"TILE_SIZE_{d}"])
                  for d in "XY") + (1,),
            (f"buf:f32:{SIDE * SIDE}:zeros", f"buf:f32:{around * around}:zeros",
             f"buf:f32:{FILTER * FILTER}:zeros"), ("-use_fast_math",))


# Folder of the source, kernel, stored times, launch, seconds.
KERNELS = {
    "pnpoly": ("KernelTunerPnpoly", "Pnpoly", "KTPnpolyOutput_3090", pnpoly,
               3.0),
    "convolution": ("KernelTunerConvolution", "Convolution",
                    "KTConvolutionOutput_3090", convolution, 3.0),
}


def stored(sources, name):
    path = os.path.join(sources, "benchmark_hub", "currently_unused",
                        "cachefiles", "KTT data", name + ".json.gz")
    with gzip.open(path) as f:
        for result in json.load(f)["Results"]:
            if result["Status"] != "Ok":
                continue
            done = result["ComputationResults"][0]
            if done["CompilationData"]["PrivateMemorySize"] == 0:
                yield ({p["Name"]: p["Value"]
                        for p in result["Configuration"]}, done)


def jobs(sources, measured, gpus):
    del measured
    for gpu in gpus:
        for name, (folder, kernel, file, launch, cost) in KERNELS.items():
            text = text_of(sources, folder, kernel)
            for v, done in stored(sources, file):
                grid, arguments, flags = launch(v)
                how = Waves(name, text, ARCH, flags + tuple(
                    f"-D{k}={v[k]}" for k in sorted(v)), kernel,
                    tuple(done["LocalSize"][d] for d in "XYZ"), arguments,
                    grid, 1, SMS)
                shape = " ".join(str(v[k]) for k in sorted(v))
                yield Job(gpu, name, shape, "all", "cupti", how,
                          (Time(name, (done["Duration"],)),), cost,
                          ("--sms", "1", "--exact"))
