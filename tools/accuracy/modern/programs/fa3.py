"""FlashAttention-3 (Dao-AILab/flash-attention, hopper/) on an H100 at 1500 MHz,
compiled by nvcc, run by `teg exec`, beside the times that FlashGPU-Sim's
docs/sass-frontend.md gives (Nsight Compute, clock locked, caches cold).

Forward, halves.  Not causal: a persistent block takes one tile of queries
after the other, so what a block of keys costs follows from the launches of
2048, 4096 and 8192 keys by their differences; here from one tile for every SM
with fewer and more keys.  The tiles of causal launches come from a counter,
which blocks share in the emulator.
"""
import dataclasses
import os
import shutil
import tempfile

from launch import (KEPT, ROOT, TEG, Failed, command, keep, options, point,
                    replay)

GPU, MHZ = "h100", 1500
SETTINGS = (f"chip.sm_clock_mhz={MHZ}",)
SMS = 132
REVISION = "0251105"


@dataclasses.dataclass
class Width:
    heads: int
    cluster: int
    tile: tuple       # rows of queries and of keys, of its tile_size.h
    times: dict       # keys: microseconds, of 32,768 / keys batches
    short: tuple      # (keys, heads) of two launches of a tile for each SM


WIDTHS = {
    64: Width(32, 1, (192, 192), {2048: 1240.0, 4096: 2350.0, 8192: 4380.0},
              ((1152, 22), (2048, 12))),
    128: Width(16, 2, (128, 176), {2048: 842.72, 4096: 1610.0, 8192: 3110.0},
               ((1024, 16), (2048, 8))),
}
# batches, keys, heads of 64, whether causal; microseconds
WHOLE = ((16, 512, 32, False, 124.93), (16, 512, 32, True, 93.09))
# what a causal launch has otherwise
CAUSAL = (("p.window_size_left = p.window_size_right = -1;",
           "p.window_size_left = -1; p.window_size_right = 0; "
           "p.is_causal = true;"),
          ("cutlass::half_t,\n                  false,",
           "cutlass::half_t,\n                  true,"))

SOURCE = """#include "flash_fwd_launch_template.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>

void prepare_varlen_num_blocks(Flash_fwd_params &, cudaStream_t, bool, int, int,
                               bool)
{
}

static void *zeros(size_t bytes)
{
    void *p;

    if (cudaMalloc(&p, bytes) != cudaSuccess)
        exit(1);
    cudaMemset(p, 0, bytes);
    return p;
}

int main(int, char **argv)
{
    constexpr int d = %(width)d;
    int batches = atoi(argv[1]), keys = atoi(argv[2]), heads = atoi(argv[3]);
    size_t rows = size_t(batches) * keys * heads;
    cudaDeviceProp device;
    Flash_fwd_params p;

    cudaGetDeviceProperties(&device, 0);
    memset((void *)&p, 0, sizeof p);
    p.q_ptr = zeros(2 * rows * d);
    p.k_ptr = zeros(2 * rows * d);
    p.v_ptr = zeros(2 * rows * d);
    p.o_ptr = zeros(2 * rows * d);
    p.softmax_lse_ptr = zeros(4 * rows);
    p.tile_count_semaphore = (int *)zeros(256);
    p.q_row_stride = p.k_row_stride = p.v_row_stride = p.o_row_stride =
        heads * d;
    p.q_head_stride = p.k_head_stride = p.v_head_stride = p.o_head_stride = d;
    p.q_batch_stride = p.k_batch_stride = p.v_batch_stride = p.o_batch_stride =
        int64_t(keys) * heads * d;
    p.v_dim_stride = 1;
    p.b = p.b_k = batches;
    p.h = p.h_k = heads;
    p.seqlen_q = p.seqlen_k = p.seqlen_q_rounded = p.seqlen_k_rounded = keys;
    p.total_q = p.total_k = batches * keys;
    p.d = p.d_rounded = p.dv = p.dv_rounded = d;
    p.scale_softmax = 0.125f;
    p.p_dropout = 1;
    p.window_size_left = p.window_size_right = -1;
    p.num_splits = 1;
    p.arch = 90;
    p.num_sm = device.multiProcessorCount;
    run_flash_fwd<90, d, d, %(cluster)d, cutlass::half_t, cutlass::half_t,
                  false, false, false, false, false, false, false, false,
                  false, false>(p, 0);
    return cudaDeviceSynchronize() != cudaSuccess;
}
"""


def folder(*names):
    return os.path.join(options["fa3"], *names)


def program(width, causal):
    """The path of a program that launches the kernel once."""
    text = SOURCE % {"width": width,
                     "cluster": 1 if causal else WIDTHS[width].cluster}
    for old, new in CAUSAL if causal else ():
        text = text.replace(old, new)

    def make(path):
        name = path + ".cu"
        with open(name, "w", encoding="ascii") as f:
            f.write(text)
        try:
            # its setup.py's options
            command("nvcc", "-gencode", "arch=compute_90a,code=sm_90a",
                    "-std=c++17", "-O3", "-DNDEBUG", "-w", "--use_fast_math",
                    "--expt-relaxed-constexpr", "--expt-extended-lambda",
                    "-DCUTE_SM90_EXTENDED_MMA_SHAPES_ENABLED",
                    "-DCUTLASS_ENABLE_GDC_FOR_SM90",
                    "-DCUTLASS_DEBUG_TRACE_LEVEL=0", "-cudart", "shared",
                    "-I", folder("hopper"),
                    "-I", folder("csrc", "cutlass", "include"),
                    "-o", path, name, "-lcuda")
        finally:
            os.remove(name)
    return keep(f"fa3_{width}", "exe", (text, REVISION), make)


def trace(width, batches, keys, heads, causal=False):
    exe = program(width, causal)

    def make(path):
        with tempfile.TemporaryDirectory(dir=KEPT) as at:
            command(TEG, "exec", "--config-dir", os.path.join(ROOT, "config"),
                    "-g", GPU, "-j", "1", "-o", at, "--", exe,
                    str(batches), str(keys), str(heads))
            found = [f for f in os.listdir(at) if f.endswith(".tegt")]
            if len(found) != 1:
                raise Failed(f"{keys} keys of {width}: one launch expected, "
                             f"found {len(found)}")
            os.rename(os.path.join(at, found[0]), path)
    return keep(f"fa3_{width}", "tegt", (exe, batches, keys, heads), make)


def cycles(width, *launch):
    return replay(GPU, trace(width, *launch), SETTINGS)["cycles"]


def blocks(width, keys, tiles):
    """Blocks of keys of the SM that has most tiles of queries."""
    return -(-tiles // SMS) * -(-keys // WIDTHS[width].tile[1])


def measured(width):
    """Cycles of a block of keys between each two launches."""
    w, done = WIDTHS[width], []
    for keys, us in w.times.items():
        tiles = 32768 // keys * w.heads * -(-keys // w.tile[0])
        done.append((blocks(width, keys, tiles), us * MHZ))
    return [(b[1] - a[1]) / (b[0] - a[0]) for a, b in zip(done, done[1:])]


def ours(width):
    few, many = (
        (blocks(width, keys, 1), cycles(width, 1, keys, heads))
        for keys, heads in WIDTHS[width].short)
    return (many[1] - few[1]) / (many[0] - few[0])


def fa3():
    if options["fa3"] is None:
        raise Failed("no --fa3 FOLDER (a copy of Dao-AILab/flash-attention at "
                     f"{REVISION} with its csrc/cutlass)")
    if shutil.which("nvcc") is None:
        raise Failed("nvcc is not on the PATH")
    for name in (("hopper", "tile_size.h"),
                 ("csrc", "cutlass", "include", "cute")):
        if not os.path.exists(folder(*name)):
            raise Failed(f"there is no {folder(*name)}")
    points = []
    for width, w in WIDTHS.items():
        each = measured(width)
        points.append(point(
            f"a block of {w.tile[0]} x {w.tile[1]}, {width} wide",
            sum(each) / len(each), lambda n=width: ours(n), "cycles"))
    for *launch, us in WHOLE:
        batches, keys, heads, causal = launch
        points.append(point(
            f"{batches} x {heads} x {keys} keys of 64"
            f"{', causal' if causal else ''}", us,
            lambda w=launch: cycles(64, *w) / MHZ, "us"))
    return points
