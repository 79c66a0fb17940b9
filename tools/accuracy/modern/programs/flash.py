"""Sixteen kernels of attention, of sonnyli/flash_attention_from_scratch,
compiled by nvcc, beside its times on an A100 and an RTX 3090.

Clocks were locked (its benchmark: 1110 and 1680 MHz).  Its README gives each
kernel's share of the throughput of FlashAttention-2, and that throughput, for
16 x 16 heads of 128 and 4096 keys.  It also shows the code that was timed:
ours has as many instructions and registers.
"""
import os
import shutil

from launch import (Failed, Kernel, command, in_waves, keep, options, point)

KEYS, D, HEADS, BATCH = 4096, 128, 16, 16
OPERATIONS = BATCH * HEADS * (4 * KEYS**2 * D + 6 * KEYS**2)
SHORT = (512, 1024)
# chip's description, what is different, MHz, teraflops of the reference
CHIPS = {
    "a100": ("a100_80", ("chip.sm_clock_mhz=1110",), 1110, 186.4),
    # an A6000 less two SMs, with GDDR6X of 936 GB/s, of which as much of the
    # peak is reached, and halves summed in 32 bits at half the rate, as on all
    # GeForce chips (71 TFLOP/s)
    "rtx3090": ("a6000", ("chip.sm_clock_mhz=1680", "chip.sms=82",
                          "dram.bandwidth_gbs=936", "tensor.f16_f32=64"),
                1680, 67.29),
}
# Rows and keys of a tile, whether loads are eager and swizzled, tiles of Q, K
# and V loaded at once, whether twice buffered, whether the scale is folded
FIRST = {1: (64, 64, 0, 0, 0, 0, 0, 0, 0), 2: (64, 64, 0, 1, 0, 0, 0, 0, 0),
         3: (64, 64, 1, 1, 0, 0, 0, 0, 0), 4: (64, 64, 1, 1, 2, 2, 2, 0, 0),
         5: (64, 64, 1, 1, 2, 2, 2, 1, 0), 6: (64, 64, 1, 1, 2, 2, 2, 1, 1)}
CONFIG = {
    "a100": {
        **FIRST, 7: (64, 64, 1, 1, 0, 2, 2, 0, 1),
        8: (128, 64, 1, 1, 2, 2, 2, 0, 0), 9: (128, 64, 1, 1, 2, 2, 2, 0, 0),
        10: (128, 64, 1, 1, 2, 2, 2, 0, 1), 11: (128, 64, 1, 1, 2, 2, 2, 0, 0),
        12: (128, 64, 1, 1, 2, 2, 2, 0, 1), 13: (128, 64, 1, 1, 2, 2, 0, 0, 0),
        14: (128, 64, 1, 1, 2, 2, 0, 0, 0), 15: (128, 64, 1, 1, 2, 2, 0, 0, 0),
        16: (128, 64, 1, 1, 2, 2, 0, 1, 0)},
    "rtx3090": {
        **FIRST, 7: (128, 32, 1, 1, 2, 2, 2, 1, 1),
        8: (128, 32, 1, 1, 2, 2, 0, 1, 0), 9: (128, 32, 1, 1, 2, 2, 2, 1, 0),
        10: (128, 32, 1, 1, 2, 2, 0, 0, 0), 11: (128, 32, 1, 1, 2, 2, 0, 0, 1),
        12: (128, 32, 1, 1, 2, 2, 0, 0, 1), 13: (128, 32, 1, 1, 2, 2, 2, 1, 0),
        14: (128, 32, 1, 1, 2, 2, 0, 1, 0), 15: (128, 32, 1, 1, 2, 2, 2, 1, 1),
        16: (128, 32, 1, 1, 2, 2, 0, 1, 1)},
}
PERCENT = {
    "a100": (15.8, 72.6, 77.6, 77.6, 76.8, 78.1, 80.3, 87.8, 95.3, 93.9, 95.2,
             95.3, 97.6, 97.7, 97.9, 99.2),
    "rtx3090": (49.5, 98.3, 99.4, 100.0, 99.7, 99.9, 101.5, 101.7, 97.5, 102.9,
                102.8, 102.8, 101.5, 101.5, 101.5, 100.9),
}
# what its headers want of torch
TORCH = """#pragma once
namespace torch { enum ScalarType { kFloat16 = 5, kBFloat16 = 15 }; }
"""
SOURCE = """#include <bit>
#include "flash_attention.cuh"
#include "forward_kernel.cuh"
using namespace flash;
template __global__ void flash::flash_forward_kernel<StaticForwardKernelConfig<
    FlashForwardKernelConfig{%s}>>(__grid_constant__ const ForwardKernelArgs);
"""


def folder(number):
    name = ("src" if number == 16 else
            f"previous_kernels/src_{'1-7' if number < 8 else number}")
    return os.path.join(options["attention"], name, "include")


def cubin(number, config):
    rows, keys, *rest = config
    source = SOURCE % ", ".join(map(str, ("torch::kFloat16", D, rows, keys, 4,
                                          1, *rest)))
    include = folder(number)

    def make(path):
        text, stub = path + ".cu", path + ".include"
        os.makedirs(os.path.join(stub, "torch"), exist_ok=True)
        with open(os.path.join(stub, "torch", "torch.h"), "w",
                  encoding="ascii") as f:
            f.write(TORCH)
        with open(text, "w", encoding="ascii") as f:
            f.write(source)
        try:
            # its setup.py's options; sm_80, for both chips
            command("nvcc", "-cubin", "-arch=sm_80", "-std=c++20", "-w", "-O3",
                    "--use_fast_math", "--expt-relaxed-constexpr", "-I", stub,
                    "-I", include, "-o", path, text)
        finally:
            os.remove(text)
            shutil.rmtree(stub)
    return keep(f"flash{number}", "cubin", (source, include), make)


def kernel(number, config):
    rows, keys = config[:2]
    return Kernel(cubin(number, config), (128,), (rows + 2 * keys) * D * 2)


def args(config, n, buffers):
    """The struct: four tensors, strides of batch, key and head, lengths."""
    rows, keys = config[:2]
    return [buffers[0], *("+" + b for b in buffers[1:]),
            f"+i64:{n * HEADS * D}", f"+i64:{HEADS * D}", f"+i64:{D}",
            f"+i64:{n}", f"+i64:{HEADS}", f"+i32:{n // rows}",
            f"+i32:{n // keys}"]


def cycles(chip, number):
    gpu, settings = CHIPS[chip][:2]
    config = CONFIG[chip][number]
    rows = config[0]
    run = kernel(number, config)

    def trace(n, count):
        tiles = n // rows
        heads = -(-count // tiles)
        batch = -(-heads // HEADS)
        buffers = 4 * [f"buf:u16:{batch * n * HEADS * D}:zeros"]
        return run.trace((tiles, min(heads, HEADS), batch),
                         args(config, n, buffers), count)
    return in_waves(gpu, settings, KEYS // rows * HEADS * BATCH, trace, KEYS,
                    SHORT)


def flash(chip):
    if options["attention"] is None:
        raise Failed("no --attention FOLDER (a copy of "
                     "sonnyli/flash_attention_from_scratch)")
    if shutil.which("nvcc") is None:
        raise Failed("nvcc is not on the PATH")
    for number in CONFIG[chip]:
        if not os.path.isdir(folder(number)):
            raise Failed(f"there is no {folder(number)}")
    mhz, reference = CHIPS[chip][2:]
    return [point(f"kernel {number}",
                  OPERATIONS / (reference * percent / 100) / 1e6,
                  lambda n=number: cycles(chip, n) / mhz, "us")
            for number, percent in enumerate(PERCENT[chip], 1)]
