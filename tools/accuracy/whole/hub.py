"""Two kernels of AutoTuningAssociation/benchmark_hub on an RTX A6000: tuning
variants, timed by events over 32 repeats.

One wave of blocks of the whole chip and two are run, along the rows of the
grid, and extended linearly.  Of the dedispersion a 32nd of the channels:
its loop over them is all of the kernel but for a store.  The convolution's
stored source has no variant without shared memory; those rows are left out.
"""
import array
import math
import os

from common import ceil_div, keep
from replay import KEPT, Grids
from suites import Job, Time, rows

SOURCES = {"benchmark_hub":
           "https://github.com/AutoTuningAssociation/benchmark_hub"}
FILES = ("a6000-convolution.csv", "a6000-dedispersion.csv")
GPUS = ("a6000",)
SMS, THREADS, BLOCKS, SHARED = 84, 1536, 16, 100 * 1024  # of an SM of GA102

CHANNELS, CUT = 1536, 32
SAMPLES, SHIFT, TRIALS = 25000, 650, 2048
SIDE, FILTER = 4096, 15


COST = {"convolution": 7.0, "dedispersion": 50.0}  # seconds


def defines(row):
    return tuple(f"-D{k}={v}" for k, v in row.items() if k != "time_ms")


def two_waves(grid, block, shared):
    """Grids of one and two waves along a row, or of at least that in whole
    rows; or all."""
    fit = min(BLOCKS, THREADS // (32 * ceil_div(math.prod(block), 32)))
    wave = SMS * max(min(fit, SHARED // (shared + 1024)), 1)
    if 2 * wave <= grid[0]:
        return ((wave, 1, 1), (2 * wave, 1, 1))
    few = ceil_div(wave, grid[0])
    if 2 * few >= grid[1]:
        return (grid,)
    return ((grid[0], few, 1), (grid[0], 2 * few, 1))


def shifts():
    """A file of what a unit of dispersion delays each of the channels, in
    samples: 4148.808 s MHz^2 times the difference of the inverse squares of
    its frequency and the highest, every CUTth channel."""
    def make(path):
        step, lowest, each = 0.1953125, 1425.0, 0.00004096
        last = (lowest + (CHANNELS - 1) * step) ** -2
        delays = array.array("f", (
            4148.808 * ((lowest + c * step) ** -2 - last) / each
            for c in range(0, CHANNELS, CUT)))
        with open(path, "wb") as f:
            delays.tofile(f)
    return keep(KEPT, f"shifts-{CHANNELS}-{CUT}.raw", make)


def convolution(text, row):
    bx, by, tx, ty = (int(row[k]) for k in ("block_size_x", "block_size_y",
                                            "tile_size_x", "tile_size_y"))
    if row["use_shmem"] != "1":
        return None
    grid = (ceil_div(SIDE, bx * tx), ceil_div(SIDE, by * ty), 1)
    around = FILTER // 2 * 2
    shared = 4 * (by * ty + around) * (bx * tx + around + 32)
    text = text.replace("__global__ void", 'extern "C" __global__ void')
    side = SIDE + around
    return (text, "convolution_kernel", (bx, by, 1), grid, shared,
            (f"buf:f32:{SIDE * SIDE}:zeros", f"buf:f32:{side * side}:zeros",
             f"buf:f32:{FILTER * FILTER}:zeros"), 1)


def dedispersion(text, row):
    bx, by, tx, ty = (int(row[k]) for k in ("block_size_x", "block_size_y",
                                            "tile_size_x", "tile_size_y"))
    grid = (ceil_div(SAMPLES, bx * tx), ceil_div(TRIALS, by * ty), 1)
    head = "\n".join((
        f"#define nr_dms {TRIALS}", f"#define nr_samples {SAMPLES}",
        f"#define nr_channels {CHANNELS // CUT}",
        f"#define nr_samples_per_channel {SAMPLES + SHIFT}",
        "#define dm_first 0.0f", "#define dm_step 0.02f", ""))
    # the tuner takes the pragma of a factor of 0 away
    text = head + text.replace('#include "dedispersion.h"', "").replace(
        "#pragma unroll loop_unroll_factor_channel", "")
    samples = (SAMPLES + SHIFT) * (CHANNELS // CUT)
    return (text, "dedispersion_kernel", (bx, by, 1), grid, 0,
            (f"buf:u8:{samples}:zeros", f"buf:f32:{TRIALS * SAMPLES}:zeros",
             f"buf:f32:{CHANNELS // CUT}:file={shifts()}"), CUT)


KERNELS = {
    "convolution": ("convolution_milo.cu", "a6000-convolution.csv",
                    convolution),
    "dedispersion": ("dedisp_milo/dedispersion.cu", "a6000-dedispersion.csv",
                     dedispersion),
}


def jobs(sources, measured, gpus):
    del gpus
    for name, (source, file, variant) in KERNELS.items():
        path = os.path.join(sources, "benchmark_hub", "kernels", source)
        with open(path, encoding="utf-8") as f:
            text = f.read()
        for row in rows(measured, file):
            found = variant(text, row)
            if found is None:
                continue
            code, kernel, block, grid, shared, arguments, cut = found
            how = Grids(name, code, 86, defines(row), kernel, block,
                        arguments, two_waves(grid, block, shared),
                        math.prod(grid), factor=cut)
            shape = " ".join(v for k, v in row.items() if k != "time_ms")
            yield Job("a6000", name, shape, "all", "events", how, (Time(
                name, (1000 * float(row["time_ms"]),)),), COST[name])
