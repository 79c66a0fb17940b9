"""Two kernels of AutoTuningAssociation/benchmark_hub on an RTX A6000, an RTX
A4000 and, of one kernel, an A100 PCIe: tuning variants, timed by events over 32
repeats.

Some waves of blocks of a few SMs are run, along the rows of the grid, and
extended linearly (replay.Waves).  Of the dedispersion a 32nd of the channels:
its loop over them is all of the kernel but for a store.  The convolution's
stored source has no variant without shared memory; those rows are left out.
"""
import array
import dataclasses
import gzip
import json
import os
import statistics

from common import ceil_div, keep
from replay import KEPT, Waves
from suites import Job, Time, rows

SOURCES = {"benchmark_hub":
           "https://github.com/AutoTuningAssociation/benchmark_hub"}
FILES = ("a6000-convolution.csv", "a6000-dedispersion.csv")


@dataclasses.dataclass(frozen=True)
class Chip:
    sms: int
    arch: int
    mhz: int       # docs/accuracy.md, "Clocks of the hub's cards"
    stored: str    # whose times are in the repository itself; else in FILES
    kernels: tuple = ("convolution", "dedispersion")


CHIPS = {"a6000": Chip(84, 86, 1410, None),
         "a4000": Chip(48, 86, 1560, "A4000"),
         "a100": Chip(108, 80, 1410, "A100", ("dedispersion",))}
GPUS = tuple(CHIPS)
PART = 4  # SMs that are run of a kernel that is not bound by DRAM

CHANNELS, CUT = 1536, 32
SAMPLES, SHIFT, TRIALS = 25000, 650, 2048
SIDE, FILTER = 4096, 15


COST = {"convolution": 3.0, "dedispersion": 100.0}  # seconds


def defines(row):
    return tuple(f"-D{k}={v}" for k, v in row.items() if k != "time_ms")


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
    text = text.replace("__global__ void", 'extern "C" __global__ void')
    side = SIDE + around
    return (text, "convolution_kernel", (bx, by, 1), grid,
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
    return (text, "dedispersion_kernel", (bx, by, 1), grid,
            (f"buf:u8:{samples}:zeros", f"buf:f32:{TRIALS * SAMPLES}:zeros",
             f"buf:f32:{CHANNELS // CUT}:file={shifts()}"), CUT)


# Source, folder of the stored times, and whether it is bound by DRAM.
KERNELS = {
    "convolution": ("convolution_milo.cu", convolution, False),
    "dedispersion": ("dedisp_milo/dedispersion.cu", dedispersion, True),
}


def measured_rows(sources, measured, gpu, name):
    """Tuning parameters as text, with milliseconds."""
    stored = CHIPS[gpu].stored
    if stored is None:
        yield from rows(measured, f"{gpu}-{name}.csv")
        return
    path = os.path.join(sources, "benchmark_hub", "cachefiles",
                        f"{name}_milo", f"{stored}.json.gz")
    with gzip.open(path) as f:
        stored = json.load(f)
    for variant in stored["cache"].values():
        if isinstance(variant["time"], float):
            row = {k: str(variant[k]) for k in stored["tune_params_keys"]}
            yield {**row, "time_ms": str(statistics.median(variant["times"]))}


def jobs(sources, measured, gpus):
    for gpu in gpus:
        chip = CHIPS[gpu]
        for name in chip.kernels:
            source, variant, by_dram = KERNELS[name]
            path = os.path.join(sources, "benchmark_hub", "kernels", source)
            with open(path, encoding="utf-8") as f:
                text = f.read()
            run = chip.sms if by_dram else PART
            for row in measured_rows(sources, measured, gpu, name):
                found = variant(text, row)
                if found is None:
                    continue
                code, kernel, block, grid, arguments, cut = found
                how = Waves(name, code, chip.arch, defines(row), kernel, block,
                            arguments, grid, run, chip.sms, factor=cut)
                shape = " ".join(v for k, v in row.items() if k != "time_ms")
                yield Job(gpu, name, shape, "all", "events", how, (Time(
                    name, (1000 * float(row["time_ms"]),)),), COST[name],
                    ("--sms", str(run), "--exact", "--set",
                     f"chip.sm_clock_mhz={chip.mhz}"))
