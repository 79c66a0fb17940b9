"""Kernels that people publish beside their times: sums, copies, products,
attention, in repositories of their own (published.csv names who, where and
how).

A program is built as its commit has it, and where its own host program does
more than call the kernel, calls libraries or is an extension of PyTorch, a
host of ours calls it.  What would take the emulator too long is run on two
smaller problems and extended linearly (replay.Grown).  Nobody says at which
clock a chip ran: it is the description's, but under Nsight Compute, which
locks the base clock unless told not to (suites.BASE).
"""
import csv
import os
import re
import types

from replay import Build, Grown, Run
from suites import BASE, Job, Time

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                     "published.csv")

GITHUB = "https://github.com/"
# checkout: whose repository of that name, the commit that was compared
WHERE = {
    "CUDA-GEMM-Optimization": ("leimao", "747e49b"),
    "CUDA_SGEMM_Optimization": ("ivijayvjn", "b180a07"),
    "Cuda-Softmax-Benchmark": ("lucasbassem", "db9767f"),
    "Fast-CUDA-Kernels": ("annanyapr", "60912a0"),
    "HeCBench": ("zjin-lcf", "f27000a"),
    "How_to_optimize_in_GPU": ("Liu-xiandong", "5d2def3"),
    "NVIDIA_SGEMM_PRACTICE": ("wangzyon", "d6068b1"),
    "Optimized-CUDA-Matrix-Multiplication": ("ManoPriya28", "9248f9c"),
    "ParallelReductionsBenchmark": ("ashvardanian", "97d0e36"),
    "SGEMM_Optimization": ("Tingwei-Jen", "25f6f2c"),
    "cuda-softmax-bench": ("intelav", "474973b"),
    "cuda-to-sycl-nbody": ("codeplaysoftware", "c8f013a"),
    "flash-attention-minimal": ("tspeterkim", "00f8f46"),
    "how-to-optim-algorithm-in-cuda": ("BBuf", "10a3a8d"),
    "learn-cuda": ("gau-nernst", "1454f8b"),
    "llm.c": ("karpathy", "f1e2ace"),
}

# What code is compiled for, whose device the program finds, with how many SMs.
DEVICES = {
    "v100": (75, "t4", 80),
    "t4": (75, "t4", 0),
    "titanv": (75, "rtx2080ti", 0),
    "gtx1650": (75, "rtx2060", 0),
    "rtx2060": (75, "rtx2060", 0),
    "rtx2070super": (75, "rtx2070super", 0),
    "rtx2080ti": (75, "rtx2080ti", 0),
    "a100": (80, "a100", 0),
    "a100_80": (80, "a100_80", 0),
    "rtx3060": (86, "rtx3070", 0),
    "rtx3060ti": (86, "rtx3070", 0),
    "rtx3070": (86, "rtx3070", 0),
    "rtx3070ti": (86, "rtx3070", 0),
    "rtx3080": (86, "rtx3070", 0),
    "rtx3090": (86, "rtx3090", 0),
    "l4": (89, "l4", 0),
    "rtx4070": (89, "rtx4070", 0),
    "rtx4090": (89, "rtx4090", 0),
    "h100": (90, "h100", 0),
    "h200": (90, "h200", 0),
    "b200": ("100a", "b200", 0),
}

# What some programs compare themselves with, and is never called here.
BLAS = ("-lcublas", "-lcublasLt")


def build(row, sources, name, folders, files, flags=("-O3", "-std=c++17"),
          edits=(), added=(), version=""):
    arch = DEVICES[row["gpu"]][0]
    return Build(f"{name}-{arch}", os.path.join(sources, row["checkout"]),
                 folders, files, arch, flags, edits, added=added,
                 version=version)


def run(row, made, *arguments, interleave=""):
    _, device, sms = DEVICES[row["gpu"]]
    return Run(made, device, tuple(str(a) for a in arguments), sms=sms,
               interleave=interleave)


def extended(few, many, small, large, size, factor=1.0):
    """From two problems to one of `size`, linear in it."""
    more = (size - large) / (large - small)
    return Grown((few, many), (-more * factor, (1 + more) * factor))


# ---- hosts of ours ----------------------------------------------------------

SETUP = """#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

template <class T> T *device(size_t n)
{
    T *at;
    if (cudaMalloc((void **)&at, n * sizeof(T)) != cudaSuccess)
        exit(1);
    cudaMemset(at, 0, n * sizeof(T));
    return at;
}

template <class T> T *filled(size_t n)
{
    std::vector<T> host(n);
    T *at = device<T>(n);
    for (size_t i = 0; i < n; i++)
        host[i] = (T)(float)(i * 7919 % 1024 / 512.0 - 1);
    cudaMemcpy(at, host.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    return at;
}
"""


def host(include, body):
    """Its main is ours, and the file's own another function."""
    return (f'{SETUP}#define main its_main\n#include "{include}"\n'
            "#undef main\n\nint main(int argc, char **argv)\n{\n"
            f"{body}    return cudaDeviceSynchronize() != cudaSuccess;\n}}\n")


# ---- sums, element by element, matrix times vector --------------------------

STEPS = "cuda-kernels/reduce/reduce_{}.cu"
STEPS_V100 = "reduce/reduce_{}.cu"
WHOLE = 32  # million elements


def reductions(row, sources):
    """The first three are run on 4 and 8 million elements."""
    bbuf = row["checkout"].startswith("how-to")
    path = (STEPS if bbuf else STEPS_V100).format(row["case"])
    size = (r"#define N 32 ?\* ?1024 ?\* ?1024" if bbuf else
            r"const int N=32\*1024\*1024")

    def of(millions):
        text = ("#define N (%d * 1024 * 1024)" if bbuf else
                "const int N = %d * 1024 * 1024") % millions
        # nvcc is called without options there
        return run(row, build(row, sources, f"sum-{row['case']}-{millions}",
                              (path,), (path,), (),
                              ((path, size, text),
                               (path, "iter = 2000", "iter = 1"))
                              if "iter = 2000" in source(sources, row, path)
                              else ((path, size, text),)))
    if re.match("v[0-2]_", row["case"]):
        return extended(of(4), of(8), 4, 8, WHOLE)
    return of(WHOLE)


def source(sources, row, path):
    with open(os.path.join(sources, row["checkout"], path), encoding="utf-8",
              errors="replace") as f:
        return f.read()


ELEMENTWISE = """    size_t n = 32 << 20;
    if (atoi(argv[1]) == 16) {
        half *x = filled<half>(n), *y = filled<half>(n), *z = device<half>(n);
        if (atoi(argv[2]))
            Binary(MultiplyFunctor<half>(), n, z, x, y);
        else
            mul<half><<<n / 256, 256>>>(x, y, z);
    } else {
        float *x = filled<float>(n), *y = filled<float>(n);
        float *z = device<float>(n);
        if (atoi(argv[2]))
            Binary(MultiplyFunctor<float>(), n, z, x, y);
        else
            mul<float><<<n / 256, 256>>>(x, y, z);
    }
"""

ADD = """    int n = 32 << 20, width = atoi(argv[1]);
    float *a = filled<float>(n), *b = filled<float>(n), *c = device<float>(n);
    dim3 grid(n / THREAD_PER_BLOCK / width), block(THREAD_PER_BLOCK);
    if (width == 1)
        add<<<grid, block>>>(a, b, c);
    else if (width == 2)
        vec2_add<<<grid, block>>>(a, b, c);
    else
        vec4_add<<<grid, block>>>(a, b, c);
"""


def elementwise(row, sources):
    if row["checkout"].startswith("how-to"):
        path = "cuda-kernels/elementwise/elementwise.cu"
        kind, bits = row["case"].split()
        words, text = (bits, int(kind == "oneflow")), ELEMENTWISE
    else:
        path, words, text = ("elementwise/elementwise_add.cu",
                             (row["case"],), ADD)
    return run(row, build(row, sources, "elementwise", (path,), ("host.cu",),
                          added=(("host.cu", host(path, text)),)), *words)


ATOMS = 2 << 20


def atomics(row, sources):
    """One number that every thread adds to: of a 32nd and a 16th of them."""
    path = f"cuda-kernels/fast-atomic-add/{row['case']}.cu"

    def of(n):
        return run(row, build(
            row, sources, f"{row['case']}-{n}", (path,), (path,),
            edits=((path, r"#define N 32\*1024\*1024", f"#define N {n}"),)))
    return extended(of(ATOMS // 2), of(ATOMS), ATOMS // 2, ATOMS, 32 << 20)


SGEMV = """    int m = atoi(argv[1]), n = atoi(argv[2]);
    float *a = filled<float>((size_t)m * n), *x = filled<float>(n);
    float *y = device<float>(m);
#if VERSION == 2
    Sgemv_v2<ROW_PER_WARP><<<m / ROW_PER_BLOCK,
                             dim3(32, THREAD_PER_BLOCK / WARP_SIZE)>>>(
        a, x, y, m, n);
#elif VERSION == 1
    Sgemv_v1<<<m / 4, dim3(32, 4)>>>(a, x, y, m, n);
#else
    Sgemv_v0<<<m / 4, dim3(32, 4)>>>(a, x, y, m, n);
#endif
"""


def sgemv(row, sources):
    version, width = row["case"].split()
    path = f"sgemv/Sgemv_{version}.cu"
    text = host(path, SGEMV.replace(
        "#if VERSION == 2", "    const int ROW_PER_WARP = 2, "
        "ROW_PER_BLOCK = 4 * ROW_PER_WARP;\n    const int THREAD_PER_BLOCK = "
        "128, WARP_SIZE = 32;\n#if VERSION == 2"))
    return run(row, build(row, sources, f"sgemv-{version}", (path,),
                          ("host.cu",), ("-O3", f"-DVERSION={version[1]}",
                                         *BLAS),
                          added=(("host.cu", text),)), 16384, width)


CUB = """#include <cub/cub.cuh>

int main(int, char **argv)
{
    int n = atoi(argv[1]);
    float *in = device<float>(n), *out = device<float>(1);
    void *room = nullptr;
    size_t bytes = 0;
    cub::DeviceReduce::Sum(room, bytes, in, out, n);
    cudaMalloc(&room, bytes);
    cub::DeviceReduce::Sum(room, bytes, in, out, n);
    return cudaDeviceSynchronize() != cudaSuccess;
}
"""


def cub_sum(row, sources):
    made = build(row, sources, "cub-sum", (), ("host.cu",),
                 added=(("host.cu", SETUP + CUB),))
    few, many = 32 << 20, 64 << 20
    return extended(run(row, made, few), run(row, made, many), few, many,
                    256 << 20)


# ---- llm.c ------------------------------------------------------------------

# file: version (commit before which the times were posted), body of main
LLM = {
    "encoder_forward": ("327eef3", """
    int kernel = atoi(argv[1]), block = atoi(argv[2]);
    int B = 8, T = 1024, C = 768, V = 50257;
    int *words = make_random_int(B * T, V), *inp = device<int>(B * T);
    cudaMemcpy(inp, words, B * T * sizeof(int), cudaMemcpyHostToDevice);
    float *out = device<float>(B * T * C), *wpe = device<float>(T * C);
    float *wte = device<float>((size_t)V * C);
    encoder_forward(kernel, out, inp, wte, wpe, B, T, C, block);
"""),
    "residual_forward": ("4ffcf5b^", """
    int kernel = atoi(argv[1]), block = atoi(argv[2]), n = 8 * 1024 * 768;
    float *out = device<float>(n), *a = device<float>(n), *b = device<float>(n);
    residual_forward(kernel, out, a, b, n, block);
"""),
    "matmul_backward_bias": ("9884895", """
    int kernel = atoi(argv[1]), block = atoi(argv[2]);
    int B = 8, T = 1024, C = 768, OC = 4 * C;
    float *sums = device<float>(OC), *dout = device<float>((size_t)B * T * OC);
    matmul_backward_bias(kernel, NULL, NULL, sums, dout, NULL, NULL, NULL, B,
                         T, C, OC, block);
"""),
    "matmul_backward_bias-bf16": ("858c6e6", """
    int kernel = atoi(argv[1]), block = atoi(argv[2]);
    int B = 8, T = 1024, C = 768, OC = 4 * C;
    cudaDeviceProp chip;
    cudaGetDeviceProperties(&chip, 0);
    cuda_num_SMs = chip.multiProcessorCount;
    cuda_threads_per_SM = chip.maxThreadsPerMultiProcessor;
    floatX *sums = device<floatX>(OC);
    floatX *dout = device<floatX>((size_t)B * T * OC);
    dbias_buffer = device<float>(OC * 64);
    flush();
    matmul_backward_bias(kernel, sums, dout, B, T, OC, block);
"""),
    "layernorm_forward": ("d5601d1", """
    int kernel = atoi(argv[1]), block = atoi(argv[2]);
    int B = 8, T = 1024, C = 768, n = B * T * C;
    float *out = device<float>(n), *mean = device<float>(B * T);
    float *rstd = device<float>(B * T), *inp = device<float>(n);
    float *weight = device<float>(C), *bias = device<float>(C);
    flush();
    layernorm_forward(kernel, out, mean, rstd, inp, weight, bias, B, T, C,
                      block);
"""),
}

FLUSH = """
static void flush(void)
{
    cudaDeviceProp chip;
    cudaGetDeviceProperties(&chip, 0);
    cudaMemset(device<char>(chip.l2CacheSize), 0, chip.l2CacheSize);
}
"""


def llm(row, sources):
    kernel, block = row["case"].split()
    version, body = LLM[row["program"]]
    name = row["program"].split("-")[0]
    text = host(f"dev/cuda/{name}.cu", body)
    if "flush();" in body:
        text = text.replace("\nint main(", FLUSH + "\nint main(")
    return run(row, build(row, sources, f"llmc-{row['program']}",
                          ("dev/cuda",), ("host.cu",),
                          ("-O3", "-Xcompiler", "-fopenmp", *BLAS),
                          added=(("host.cu", text),), version=version),
               kernel, block)


# ---- bodies, options, attention ---------------------------------------------

BODIES = """#include <string>
#include <vector>
#include "src/sim_param.hpp"
#include "src/simulator.cuh"

int main(int, char **argv)
{
    SimParam params;
    params.numParticles = 50 * 256;
    params.simIterationsPerFrame = 1;
    params.damping = 0.999998f;
    params.dt = 0.005f;
    params.distEps = 1.0e-7f;
    params.G = 2;
    params.gwSize = atoi(argv[1]);
    params.calcMethod = argv[2] == std::string("branch")
                            ? CalculationMethod::BRANCH
                            : CalculationMethod::PREDICATED;
    simulation::DiskGalaxySimulator sim(params);
    sim.stepSim();
    return 0;
}
"""


def bodies(row, sources):
    return run(row, build(
        row, sources, "bodies", ("src",),
        ("host.cu", "src/simulator.cu", "src/sim_param.cpp"),
        ("-O3", "-std=c++17", "-use_fast_math", "-lcuda"),
        added=(("host.cu", BODIES),)), 128, row["case"])


def black_scholes(row, sources):
    """50 million options: 3 and 6 of them are run."""
    at = "src/black-scholes-cuda"
    main = f"{at}/blackScholesAnalyticEngine.cu"

    def of(millions):
        return run(row, build(
            row, sources, f"black-scholes-{millions}", (at,), (main,),
            edits=((main, "numberOfSamples = 50000000",
                    f"numberOfSamples = {millions}000000"),)), 1)
    return extended(of(3), of(6), 3, 6, 50)


FLASH = """    int heads = 12, batch = 16, n = 64, d = 64;
    size_t count = (size_t)heads * batch * n * d;
    float *q = filled<float>(count), *k = filled<float>(count);
    float *v = filled<float>(count), *o = device<float>(count);
    float *l = device<float>(heads * batch * n);
    float *m = filled<float>(heads * batch * n);
    forward_kernel<<<dim3(batch, heads), 32,
                     (3 * 32 * d + 32 * 32) * sizeof(float)>>>(
        q, k, v, n, d, n / 32, n / 32, 32, 32, 0.125f, l, m, o);
"""


def flash(row, sources):
    return run(row, build(
        row, sources, "flash-minimal", ("flash.cu",), ("host.cu",), ("-O2",),
        (("flash.cu", "#include <torch/types.h>", ""),
         ("flash.cu", r"torch::Tensor forward(.|\n)*", "")),
        (("host.cu", host("flash.cu", FLASH)),)))


# ---- products ---------------------------------------------------------------

GEMM = """#include <cuda_fp16.h>
#include "cuda_gemm.hpp"

int main(int, char **argv)
{
    size_t n = 4096, k = atoi(argv[1]), m = atoi(argv[2]);
    NUMBER *a = device<NUMBER>(n * n), *b = device<NUMBER>(n * n);
    NUMBER *c = device<NUMBER>(n * n), one = 1, zero = 0;
    LAUNCH<NUMBER>(m, n, k, &one, a, n, b, n, &zero, c, n, 0);
    return cudaDeviceSynchronize() != cudaSuccess;
}
"""

# by version: its file's name behind the number, the depths that are run and the
# rows, of which small blocks need no more than a quarter
NAIVE, TILED = (32, 64, 1024), (64, 128, 4096)
GEMMS = {
    "00": ("non_coalesced_global_memory_access", NAIVE),
    "01": ("coalesced_global_memory_access", NAIVE),
    "02": ("2d_block_tiling", NAIVE),
    "02_vectorized": ("2d_block_tiling_vectorized_memory_access", NAIVE),
    "03": ("2d_block_tiling_1d_thread_tiling", TILED),
    "03_vectorized": ("2d_block_tiling_1d_thread_tiling_vectorized_memory_"
                      "access", TILED),
    "04": ("2d_block_tiling_2d_thread_tiling", TILED),
    "04_vectorized": ("2d_block_tiling_2d_thread_tiling_vectorized_memory_"
                      "access", TILED),
    "05": ("2d_block_tiling_2d_thread_tiling_matrix_transpose", TILED),
    "05_vectorized": ("2d_block_tiling_2d_thread_tiling_matrix_transpose_"
                      "vectorized_memory_access", TILED),
    "06": ("2d_block_tiling_2d_warp_tiling_2d_thread_tiling_matrix_transpose",
           TILED),
    "06_vectorized": ("2d_block_tiling_2d_warp_tiling_2d_thread_tiling_matrix"
                      "_transpose_vectorized_memory_access", TILED),
    "07": ("2d_block_tiling_2d_warp_tiling_2d_thread_tiling_matrix_transpose_"
           "wmma", TILED),
    "07_vectorized": ("2d_block_tiling_2d_warp_tiling_2d_thread_tiling_matrix"
                      "_transpose_wmma_vectorized_memory_access", TILED),
}


def gemm_steps(row, sources):
    """4096 cubed, at two depths of few steps."""
    number, version = row["case"].split()
    name, (few, many, rows_run) = GEMMS[version]
    path = f"src/{version[:2]}_{name}.cu"
    made = build(row, sources, f"gemm-{version}-{number}",
                 ("include", "src/cuda_gemm_utils.cu", path),
                 ("host.cu", path, "src/cuda_gemm_utils.cu"),
                 ("-O3", "-std=c++17", "-Iinclude", f"-DNUMBER={number}",
                  f"-DLAUNCH=launch_gemm_kernel_v{version}"),
                 added=(("host.cu", SETUP + GEMM),))
    return extended(run(row, made, few, rows_run),
                    run(row, made, many, rows_run), few, many, 4096,
                    4096 / rows_run)


SGEMM = """#include "src/kernel.cuh"

int main(int, char **argv)
{
    int n = atoi(argv[2]);
    float *a = device<float>((size_t)n * n), *b = device<float>((size_t)n * n);
    float *c = device<float>((size_t)n * n);
#define CALL(NUMBER, KERNEL, TILE, THREADS)                                    \\
    if (atoi(argv[1]) == NUMBER)                                               \\
        KERNEL<<<dim3((n + TILE - 1) / TILE, (n + TILE - 1) / TILE),           \\
                 THREADS>>>(n, n, n, 1.f, a, b, 0.f, c)
    CALL(1, mysgemm_v1, 32, dim3(32, 32));
    CALL(2, mysgemm_v2<32>, 32, 1024);
    CALL(3, (mysgemm_v3<64, 64, 8, 8>), 64, 512);
    CALL(4, (mysgemm_v4<128, 128, 8, 8, 8>), 128, 256);
    CALL(5, (mysgemm_v5<128, 128, 8, 8, 8>), 128, 256);
    CALL(6, (mysgemm_v6<128, 128, 8, 8, 8>), 128, 256);
    CALL(7, (mysgemm_v7<128, 128, 8, 8, 8>), 128, 256);
    return cudaDeviceSynchronize() != cudaSuccess;
}
"""


def sgemm_practice(row, sources):
    version, size = row["case"].split()
    return run(row, build(row, sources, "sgemm-practice", ("src",),
                          ("host.cu",),
                          added=(("host.cu", SETUP + SGEMM),)),
               version[1:], size)


FAST = """    int n = 4096, columns = atoi(argv[1]);
    size_t size = (size_t)n * n;
    float *a = device<float>(size), *b = device<float>(size);
    float *c = device<float>(size);
    KERNEL<<<dim3(n / TILE, columns / TILE), THREADS>>>(n, n, n, 0.5f, a, b,
                                                        3.0f, c);
"""
# by case: its kernel, side of a block's tile, threads
FAST_GEMMS = {
    "naive": ("gemm_naive", 32, "dim3(32, 32)"),
    "memory_coalesce": ("gemm_memory_coalesce", 32, "dim3(32, 32)"),
    "memory_blocking": ("gemm_memory_blocking", 32, "1024"),
    "memory_blocktiling": ("gemm_2D_blocktiling", 64, "64"),
}


def fast_gemm(row, sources):
    """4096 cubed: a wave of blocks and two where a block fills an SM, else
    one of the four waves.  Compiled without options."""
    kernel, tile, threads = FAST_GEMMS[row["case"]]
    path = f"GEMM/gemm_{row['case']}.cu"
    text = host(path, FAST.replace("KERNEL", kernel)
                .replace("TILE", str(tile)).replace("THREADS", threads))

    made = build(row, sources, f"fast-{row['case']}", (path,), ("host.cu",),
                 BLAS, added=(("host.cu", text),))

    if tile == 64:
        return Grown((run(row, made, 1024),), (4,))
    return extended(run(row, made, 32), run(row, made, 64), 32, 64, 4096)


SOFTMAX_ROWS = (256, 512)


def fast_softmax(row, sources):
    """1,024 rows of 65,536, of which a quarter and half are run; a thread for
    each row of the naive one, whose four blocks run beside each other."""
    path = f"softmax/softmax_{row['case']}.cu"

    def of(rows):
        return run(row, build(
            row, sources, f"fast-{row['case']}-{rows}", (path,), (path,),
            ("-include", "ctime", "--expt-relaxed-constexpr"),
            ((path, "size_t rows = 1024", f"size_t rows = {rows}"),)))
    if row["case"] == "online_naive":
        return of(1024)
    few, many = SOFTMAX_ROWS
    return extended(of(few), of(many), few, many, 1024)


# by case: its file, whether rows of blocks are of 16
TILED = {
    "naive": ("1_kernel_naive", True),
    "shared": ("2_kernel_shared", True),
    "tile2d": ("3_kernel_tile2d", False),
    "padding": ("4_kernel_padding", False),
    "register": ("5_kernel_register", False),
    "float4": ("6_kernel_float4", False),
    "float4_prefetch": ("7_kernel_float4_prefetch", False),
}
TILED_CALL = """    int n = 4096, rows = atoi(argv[1]);
    float *a = filled<float>((size_t)rows * n), *b = filled<float>((size_t)n * n);
    sgemm_{}(a, b, device<float>((size_t)rows * n), rows, n, n, 1, 0);
"""


def sgemm_optimization(row, sources):
    """4096 cubed: the first rows of the product, some waves of blocks and as
    many more."""
    file, is_small = TILED[row["case"]]
    made = build(row, sources, f"sgemm-optimization-{row['case']}",
                 ("src", "include"), ("host.cu",), ("-O3", "-Iinclude"),
                 added=(("host.cu", host(f"src/{file}.cu",
                                         TILED_CALL.format(row["case"]))),))
    few, many = (32, 64) if is_small else (384, 768)
    return extended(run(row, made, few), run(row, made, many), few, many, 4096)


def sgemm_1024(row, sources):
    """The program as it is but for its warming up."""
    path = {"naive": "01.Naive_implementation/SGEMM_Naive_matmul.cu",
            "mapped": "02_Thread_Mapping_Coalescing_Study/"
                      "Thread_Mapping_Coalescing_Study.cu",
            "tiled": "03.Shared_Memory_tiling/shmem_sgemm.cu"}[row["case"]]
    return run(row, build(row, sources, f"sgemm-1024-{row['case']}", (path,),
                          (path,), (),
                          ((path, r"(\w+_sgemm<<<[^;]*;)\s*"
                            r"cudaDeviceSynchronize\(\);", ""),)))


MATMUL_TILES = """    int n = 2048, rows = atoi(argv[1]);
    float *a = filled<float>((size_t)rows * n), *b = filled<float>((size_t)n * n);
    matMulTiled<32><<<dim3(n / 32, rows / 32), dim3(32, 32)>>>(
        device<float>((size_t)rows * n), a, b, rows, n, n);
"""


def matmul_tiles(row, sources):
    """2048 cubed: 8 waves of blocks and 16."""
    path = "matrix_mul_experiment.cu"
    made = build(row, sources, "matmul-tiles", (path,), ("host.cu",), (),
                 added=(("host.cu", host(path, MATMUL_TILES)),))
    return extended(run(row, made, 160), run(row, made, 320), 160, 320, 2048)


def softmax_rows(row, sources):
    """Both kernels in one program, each once."""
    made = build(row, sources, "softmax-rows", ("src", "include"),
                 ("src/main.cu", "src/cpu_softmax.cpp",
                  "src/softmax_kernels.cu"),
                 ("-O3", "-std=c++17", "-Iinclude", "--use_fast_math", "-rdc=true",
                  "--expt-relaxed-constexpr", "-DSOFTMAX_FAST_MATH=1",
                  "-include", "math_constants.h"))
    return run(row, made, "--sizes", row["case"].split()[1], "--warmup", 0,
               "--iterations", 1, "--output", "out.csv")


def softmax_vector(row, sources):
    """One of its six kernels, the sums' and the quotients' at one size."""
    variant, size = row["case"].split()
    path = "softmax_optimized.cu"
    return run(row, build(
        row, sources, f"softmax-vector-{variant}-{size}", (path,), (path,),
        ("-O3", "--use_fast_math", "-I."),
        ((path, "variant = 0; variant < numVariants",
          f"variant = {variant}; variant <= {variant}"),
         (path, r"n = \(1 << 10\)", f"n = {size}")),
        (("helper_cuda.h", "#define checkCudaErrors(call) (void)(call)\n"),
         ("helper_functions.h", "#include <cstdlib>\n"))), size)


TENSOR = """#include <cuda_bf16.h>

void KERNEL(const nv_bfloat16 *, const nv_bfloat16 *, nv_bfloat16 *, int, int,
            int);

int main(int, char **argv)
{
    int n = 4096, k = atoi(argv[1]);
    nv_bfloat16 *a = device<nv_bfloat16>((size_t)n * k);
    nv_bfloat16 *b = device<nv_bfloat16>((size_t)n * k);
    nv_bfloat16 *c = device<nv_bfloat16>((size_t)n * n);
    KERNEL(a, b, c, n, n, k);
    return cudaDeviceSynchronize() != cudaSuccess;
}
"""
TENSOR_DEPTHS = (512, 1024)


def tensor_steps(row, sources):
    """4096 cubed: all of the grid, an eighth and a quarter of the depth."""
    at = "02e_matmul_sm100"
    path = f"{at}/matmul_{row['case'][:2]}.cu"
    made = build(row, sources, f"tcgen05-{row['case']}", (at,),
                 ("host.cu", path),
                 ("-O3", "-std=c++17", "--expt-relaxed-constexpr", f"-I{at}",
                  "-lcuda",
                  f"-DKERNEL=matmul_{row['case']}"),
                 ((f"{at}/common.h", "#include <torch/library.h>",
                   "#include <tuple>\n#include <cuda.h>\n#include <cuda_bf16.h>\n"
                   "#define TORCH_CHECK(...)"),),
                 (("host.cu", SETUP + TENSOR),))
    few, many = TENSOR_DEPTHS
    # copies and products tell one barrier, and no warp may miss a phase of it
    turns = "steps" if row["case"] in ("v1b", "v2b") else ""
    return extended(run(row, made, few, interleave=turns),
                    run(row, made, many, interleave=turns), few, many, 4096)


# ---- jobs -------------------------------------------------------------------

# program: how it is made, seconds of a core
PROGRAMS = {
    "reductions": (reductions, 15),
    "elementwise": (elementwise, 10),
    "atomics": (atomics, 5),
    "sgemv": (sgemv, 2),
    "cub-sum": (cub_sum, 10),
    **{name: (llm, 5) for name in LLM},
    "bodies": (bodies, 50),
    "black-scholes": (black_scholes, 20),
    "flash-minimal": (flash, 3),
    "gemm-steps": (gemm_steps, 60),
    "sgemm-practice": (sgemm_practice, 30),
    "tcgen05-steps": (tensor_steps, 60),
    "fast-gemm": (fast_gemm, 200),
    "fast-softmax": (fast_softmax, 30),
    "sgemm-optimization": (sgemm_optimization, 150),
    "sgemm-l4": (sgemm_1024, 30),
    "matmul-tiles": (matmul_tiles, 20),
    "softmax-rows": (softmax_rows, 20),
    "softmax-vector": (softmax_vector, 20),
}

def rows():
    with open(TABLE, encoding="utf-8", newline="") as f:
        return list(csv.DictReader(s for s in f if not s.startswith("#")))


def job(row, sources):
    make, cost = PROGRAMS[row["program"]]
    mhz = BASE[row["gpu"]] if row["method"] == "ncu-base" else None
    return Job(row["gpu"], row["program"], row["case"], row["group"],
               row["method"], make(row, sources),
               (Time(row["program"], (float(row["us"]),),
                     row["kernel"] or None),), cost,
               ("--clock", str(mhz)) if mhz else ())


def suite(checkout):
    """What a checkout gives; without it the others run."""
    mine = [r for r in rows() if r["checkout"] == checkout]

    def jobs(sources, measured, gpus):
        del measured, gpus
        for row in mine:
            yield job(row, sources)
    return types.SimpleNamespace(
        SOURCES={checkout: f"{GITHUB}{WHERE[checkout][0]}/{checkout}"},
        FILES=(), GPUS=tuple(dict.fromkeys(r["gpu"] for r in mine)),
        jobs=jobs)


SUITES = tuple(suite(c) for c in WHERE)
