"""Small kernels whose repositories hold tables of their times: of a student's
project on three chips, of a course on six, matrix products on an A100.

The times are read from the checkouts.  All are many launches in a row between
two events, after some to warm up (suites.py, "loop").  Which sizes are run is
a rule: those whose time is more than FLOOR times the shortest of the chip,
below which a table says how fast a host launches, and of a course's benchmark
the LARGEST of them that take a core about COST seconds.
"""
import csv
import os
import types

from published import GITHUB, SETUP, build, run
from suites import Job, Time

FLOOR = 1.3
LARGEST = 1
COST = 6


def cost(instructions):
    """Seconds of a core, roughly: `teg run` samples large launches."""
    return 0.2 + min(0.6e-6 * instructions, 3) + 0.1e-6 * instructions


def table(*path):
    with open(os.path.join(*path), encoding="utf-8", newline="") as f:
        yield from csv.DictReader(f)


def made(chip, checkout, sources, *what, words=(), **more):
    """A run of a program that published.py builds."""
    row = {"gpu": chip, "checkout": checkout}
    return run(row, build(row, sources, *what, **more), *words)


def slower(jobs):
    """Without those that are as fast as a launch."""
    jobs = list(jobs)
    shortest = min((j.times[0].us for j in jobs), default=0)
    return [j for j in jobs if j.times[0].us > FLOOR * shortest]


# ---- Kernel_Performance_Prediction ------------------------------------------

PREDICTION = "Kernel_Performance_Prediction"

# chip: whose table, its base clock, at which these boards ran by all that is
# bound by their SMs (docs/accuracy.md, "Tables in repositories")
BOARDS = {"rtx4070": ("4070", 1920), "titanv": ("titanv", 1200),
          "rtx2080ti": ("2080ti", 1350)}

# kernel: what its size is called, threads, warp instructions of a thread
LINE = ("--N",)
SQUARE = ("--rows", "--cols")
IMAGE = ("--H", "--W")
KERNELS = {
    "vector_add": (LINE, lambda n: n, lambda n: 16),
    "saxpy": (LINE, lambda n: n, lambda n: 16),
    "strided_copy_8": (LINE, lambda n: n / 8, lambda n: 40),
    "random_access": (LINE, lambda n: n, lambda n: 16),
    "vector_add_divergent": (LINE, lambda n: n, lambda n: 430),
    "reduce_sum": (LINE, lambda n: n / 2, lambda n: 100),
    "dot_product": (LINE, lambda n: n / 2, lambda n: 110),
    "histogram": (LINE, lambda n: n, lambda n: 50),
    "atomic_hotspot": (LINE, lambda n: n, lambda n: 250),
    "naive_transpose": (SQUARE, lambda n: n * n, lambda n: 20),
    "shared_transpose": (SQUARE, lambda n: n * n, lambda n: 30),
    "conv2d_3x3": (IMAGE, lambda n: n * n, lambda n: 50),
    "conv2d_7x7": (IMAGE, lambda n: n * n, lambda n: 175),
    "matmul_naive": (("--matN",), lambda n: n * n, lambda n: 4.7 * n),
    "matmul_tiled": (("--matN",), lambda n: n * n, lambda n: 3.5 * n),
}


def iterations(chip, row):
    """Of the atomics: where the table has the mean over 50 and 100 of them,
    as many as take that long."""
    return row["iters"] if chip == "rtx2080ti" else "75"


def prediction(sources, gpus):
    """shared_bank_conflict is left out: its 1,024 threads of 206 registers
    fit no SM, and what was timed is a launch that fails."""
    for chip in gpus:
        jobs, (whose, mhz) = [], BOARDS[chip]
        for row in table(sources, PREDICTION, "predict-kernel-perf", "data",
                         f"runs_{whose}_final.csv"):
            name = row["kernel"]
            if name not in KERNELS:
                continue
            options, threads, each = KERNELS[name]
            size = row["N"] if options == LINE else row["rows"]
            words = ["--kernel", name, "--warmup", "0", "--reps", "1"]
            for option in options:
                words += [option, size]
            case = f"{name} {size}"
            if name == "atomic_hotspot":
                n = iterations(chip, row)
                words += ["--iters", n]
                case += f" {n}"
            how = made(chip, PREDICTION, sources, "prediction", ("gpu-perf",),
                       ("gpu-perf/runner/main.cu",),
                       ("-std=c++14", "-O3", "-lineinfo", "-DTILE=32"),
                       words=words)
            n = int(size)
            jobs.append(Job(chip, name, case, case, "loop", how,
                            (Time(name, (1000 * float(row["mean_ms"]),)),),
                            cost(threads(n) / 32 * each(n)),
                            ("--clock", str(mhz))))
        yield from slower(jobs)


# ---- Programming-Massively-Parallel-Processors ------------------------------

COURSE = "Programming-Massively-Parallel-Processors"
AT = "Performance-Tests-NvBench"

# chip: whose results, the clock that a kernel of theirs shows (docs/accuracy.md,
# "Tables in repositories"), what else differs from the description
CARDS = {
    "rtx3080": ("3080", 1995, ()),
    "rtx3070ti": ("3070ti", 1995, ()),
    "rtx3060ti": ("3060ti", 1995, ()),
    "rtx3060": ("3060", 1995, ()),
    "rtx2060": ("2060", 1770, ()),
    # a card with GDDR6
    "gtx1650": ("1650", 1900, ("--set", "dram.bandwidth_gbs=192",
                               "--set", "dram.reached_gbs=176",
                               "--set", "dram.channels=8",
                               "--set", "dram.row_ns=3.8")),
}

# of each folder, main's body; argv[1] is which of its kernels
HOSTS = {
    "array_add": """
    int n = atoi(argv[2]), g = (n + 15) / 16;
    float *a = device<float>(n * n), *b = device<float>(n * n);
    float *c = device<float>(n * n);
    if (which == 0)
        array_add_not_coalesced<<<dim3(g, g), dim3(16, 16)>>>(a, b, c, n, n);
    else
        array_add_coalesced<<<dim3(g, g), dim3(16, 16)>>>(a, b, c, n, n);
""",
    "image_to_grayscale": """
    int n = atoi(argv[2]), t = atoi(argv[3]), g = (n + t - 1) / t;
    uint8_t *in = device<uint8_t>(3 * n * n), *out = device<uint8_t>(n * n);
    color_to_grayscale_conversion<<<dim3(g, g), dim3(t, t)>>>(in, out, n, n);
""",
    "histogram": """
    int n = atoi(argv[2]), t = atoi(argv[3]), bins = 512, g = (n + t - 1) / t;
    unsigned *in = device<unsigned>(n), *out = device<unsigned>(bins);
    if (which == 0)
        simple_histogram<<<g, t>>>(in, out, n, bins);
    else
        histogram_shared<<<g, t, bins * 4>>>(in, out, n, bins);
""",
    "mat_mat_mul": """
    int n = atoi(argv[2]), t = atoi(argv[3]), g = (n + t - 1) / t;
    uint32_t *a = device<uint32_t>(n * n), *b = device<uint32_t>(n * n);
    uint32_t *c = device<uint32_t>(n * n);
    dim3 block(t, t);
    if (which == 0)
        mat_mat_mul<<<dim3(g, g), block>>>(a, b, c, n, n, n, n);
    else if (which == 1)
        mat_mat_mul_tiles<<<dim3(g, g), block, 2 * t * t * 4>>>(a, b, c, n, n,
                                                                n, n);
    else
        mat_mat_mul_rec_tiles<<<dim3((n + t / 2 - 1) / (t / 2), g), block,
                                3 * t * t * 4>>>(a, b, c, n, n, n, n);
""",
    "mat_vec_mul": """
    int n = atoi(argv[2]), t = atoi(argv[3]), g = (n + t - 1) / t;
    uint32_t *a = device<uint32_t>(n * n), *x = device<uint32_t>(n);
    uint32_t *y = device<uint32_t>(n);
    if (which == 0)
        mat_vec_mul<<<g, t>>>(y, a, x, n, n);
    else
        mat_vec_mul_tiles<<<g, t, t * 4>>>(y, a, x, n, n);
""",
    "convolution": """
    int n = atoi(argv[2]), m = atoi(argv[3]), t = atoi(argv[4]);
    int g = (n + t - 1) / t, l = which < 4 ? n : n * n, d = t - m + 1;
    int o = (n + t - m) / d;
    float *in = device<float>(l), *mask = device<float>(m * m);
    float *out = device<float>(l);
    dim3 grid(g, g), block(t, t);
    if (which == 0)
        convolution_1D_basic_kernel<<<g, t>>>(in, mask, out, m, n);
    else if (which == 1)
        convolution_1D_constant_memory_kernel<<<g, t>>>(in, out, m, n);
    else if (which == 2)
        convolution_1D_tiled_kernel<<<g, t, (t + m - 1) * 4>>>(in, out, m, n);
    else if (which == 3)
        convolution_1D_tiled_caching_kernel<<<g, t, t * 4>>>(in, out, m, n);
    else if (which == 4)
        convolution_2D_basic_kernel<<<grid, block>>>(in, mask, out, m, m, n, n,
                                                     1);
    else if (which == 5)
        convolution_2D_constant_memory_kernel<<<grid, block>>>(in, out, m, m,
                                                               n, n, 1);
    else
        convolution_2D_tiled_kernel<<<dim3(o, o), block, t * t * 4>>>(
            in, out, m, m, n, n, 1);
""",
}

# Benchmark: its folder, which kernel of the host's, what it is called here,
# its parameters, warp instructions of all threads by the first of them.
SIZES = " (Different Array Sizes)"
ROWS = " (Different Rows and Columns sizes)"
MATRIX = ("Num Rows 1", "Num Threads")
VECTOR = ("Num Rows", "Num Threads")
BINS = ("Array Size", "Num Threads")
MASK_1D = ("Array size", "Mask width", "Block dim")
MASK_2D = ("Axis size", "Mask width", "Block axis dim")
SHAPES = "Matrix Vector Multiplication with Shared Memory (Different Grid " \
         "and Block sizes)"
BENCHMARKS = {
    "Not Coalesced" + SIZES:
        ("array_add", 0, "add by columns", ("Axis Size",),
         lambda n: n * n / 32 * 20),
    "Coalesced" + SIZES:
        ("array_add", 1, "add by rows", ("Axis Size",),
         lambda n: n * n / 32 * 20),
    "Image to Grayscale (Different Input sizes)":
        ("image_to_grayscale", 0, "grayscale", ("Axis Size", "Num Threads"),
         lambda n: n * n / 32 * 35),
    "Simple Histogram (Different Array sizes)":
        ("histogram", 0, "histogram", BINS, lambda n: n / 32 * 40),
    "Histogram Shared Bins (Different Array sizes)":
        ("histogram", 1, "shared histogram", BINS, lambda n: n / 32 * 60),
    "Simple Matrix Matrix Multiplication" + ROWS:
        ("mat_mat_mul", 0, "product", MATRIX, lambda n: n ** 3 / 32 * 4.7),
    "Matrix Matrix Multiplication with Tiles" + ROWS:
        ("mat_mat_mul", 1, "tiled product", MATRIX, lambda n: n ** 3 / 32 * 5),
    "Matrix Matrix Multiplication with Rectangular Tiles" + ROWS:
        ("mat_mat_mul", 2, "wide product", MATRIX, lambda n: n ** 3 / 32 * 12),
    "Simple Matrix Vector Multiplication" + ROWS:
        ("mat_vec_mul", 0, "matrix vector", VECTOR,
         lambda n: n * n / 32 * 15),
    "Matrix Vector Multiplication with Shared Memory" + ROWS:
        ("mat_vec_mul", 1, "tiled matrix vector", VECTOR,
         lambda n: n * n / 32 * 15),
    SHAPES:
        ("mat_vec_mul", 1, "tiled matrix vector", VECTOR,
         lambda n: n * n / 32 * 15),
    "Convolution 1D Basic" + SIZES:
        ("convolution", 0, "1D", MASK_1D, lambda n: n / 32 * 90),
    "Convolution 1D Constant Memory" + SIZES:
        ("convolution", 1, "1D constant", MASK_1D, lambda n: n / 32 * 90),
    "Convolution 1D Tiled" + SIZES:
        ("convolution", 2, "1D tiled", MASK_1D, lambda n: n / 32 * 90),
    "Convolution 1D Tiled and Caching" + SIZES:
        ("convolution", 3, "1D tiled, cached", MASK_1D,
         lambda n: n / 32 * 110),
    "Convolution 2D Basic" + SIZES:
        ("convolution", 4, "2D", MASK_2D, lambda n: n * n / 32 * 300),
    "Convolution 2D Constant Memory" + SIZES:
        ("convolution", 5, "2D constant", MASK_2D,
         lambda n: n * n / 32 * 300),
    "Convolution 2D Tiled" + SIZES:
        ("convolution", 6, "2D tiled", MASK_2D, lambda n: n * n / 32 * 300),
}
# whose names others had
NAMES = {"convolution": "masks", "histogram": "bins"}


def course_build(chip, sources, folder, words):
    file = ("img_to_gray" if folder == "image_to_grayscale" else folder)
    text = (SETUP + "#include <cstdint>\n#define MAX_MASK_WIDTH 121\n"
            "__constant__ float M[MAX_MASK_WIDTH];\n"
            f'#include "{AT}/{folder}/{file}_kernels.cuh"\n\n'
            "int main(int, char **argv)\n{\n    int which = atoi(argv[1]);\n"
            f"{HOSTS[folder]}"
            "    return cudaDeviceSynchronize() != cudaSuccess;\n}\n")
    return made(chip, COURSE, sources, f"course-{folder}",
                (f"{AT}/{folder}/{file}_kernels.cuh",), ("host.cu",),
                added=(("host.cu", text),), words=words)


def benchmarks(sources, chip, folder):
    whose, mhz, more = CARDS[chip]
    for row in table(sources, COURSE, AT, folder, "BenchResults",
                     f"BenchResults{whose}.csv"):
        benchmark = BENCHMARKS.get(row["Benchmark"])
        if benchmark is None or row["Skipped"] != "No":
            continue
        _, which, name, parameters, instructions = benchmark
        size, *others = (row[p] for p in parameters)
        group = f"{name} {size}"
        lanes = int(others[0]) if folder == "mat_vec_mul" else 32
        how = course_build(chip, sources, folder, (which, size, *others))
        yield Job(chip, NAMES.get(folder, folder),
                  f"{name} {' '.join((size, *others))}", group, "loop", how,
                  (Time(name, (1e6 * float(row["Batch GPU (sec)"]),)),),
                  cost(instructions(int(size)) * 32 / min(lanes, 32)),
                  ("--clock", str(mhz), *more))


def course(sources, gpus):
    """Sums and scans are left out, whose times hold allocations."""
    for chip in gpus:
        jobs = slower(j for folder in HOSTS
                      for j in benchmarks(sources, chip, folder))
        sizes = {}
        for job in jobs:
            if job.cost <= COST:
                sizes.setdefault(job.times[0].row, {}).setdefault(
                    int(job.group.split()[-1]), []).append(job)
        for found in sizes.values():
            for size in sorted(found)[-LARGEST:]:
                # a shape that two benchmarks have is one point
                yield from {j.case: j for j in found[size]}.values()


# ---- gpu-perf-model ---------------------------------------------------------

PRODUCTS = "gpu-perf-model"
PRODUCT = """#include "src/cuda/gemm_naive.cu"

int main(int, char **argv)
{
    std::size_t n = std::atoi(argv[1]);
    gpu_perf::Matrix a(n, n), b(n, n);
    gpu_perf::KERNEL(a, b, 0, 1);
    return 0;
}
"""
# table: function, warp instructions of a thread and step of the depth
STEPS = {"naive": ("benchmark_cuda_naive", 4.7),
         "tiled16": ("benchmark_cuda_tiled", 4.6),
         "microtile2x2": ("benchmark_cuda_microtile_2x2", 2.4),
         "microtile4x1": ("benchmark_cuda_microtile_4x1", 2.5)}


def products(sources, gpus):
    del gpus
    jobs = []
    for kernel, (function, each) in STEPS.items():
        for row in table(sources, PRODUCTS, "results",
                         f"{kernel}_a100_80gb_baseline.csv"):
            n = int(row["n"])
            how = made("a100_80", PRODUCTS, sources, f"steps-{kernel}",
                       ("src", "include"),
                       ("host.cu", "src/reference/gemm_cpu.cpp"),
                       ("-O3", "-std=c++17", "-Iinclude",
                        f"-DKERNEL={function}"),
                       added=(("host.cu", "#include <cstdlib>\n" + PRODUCT),),
                       words=(n,))
            jobs.append(Job("a100_80", "products", f"{kernel} {n}",
                            f"n={n}", "loop", how,
                            (Time(kernel, (1000 * float(
                                row["average_kernel_time_ms"]),)),),
                            cost(n ** 3 / 32 * each)))
    yield from slower(jobs)


# ---- suites -----------------------------------------------------------------

# checkout: whose, its GPUs, its jobs
WHERE = {PREDICTION: ("Debdeep23", tuple(BOARDS), prediction),
         COURSE: ("R100001", tuple(CARDS), course),
         PRODUCTS: ("vaughaningram", ("a100_80",), products)}


def suite(checkout):
    who, gpus, make = WHERE[checkout]
    return types.SimpleNamespace(
        SOURCES={checkout: f"{GITHUB}{who}/{checkout}"}, FILES=(), GPUS=gpus,
        jobs=lambda sources, measured, chips: make(sources, chips))


SUITES = tuple(suite(c) for c in WHERE)
