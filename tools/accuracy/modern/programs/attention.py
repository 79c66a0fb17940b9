"""Attention in Triton: cycles of a launch, and published throughputs.

Launches of unequal blocks (causal attention) are extended linearly in the
number of heads.
"""
from kernels import triton_kernel
from launch import in_waves, replay, tflops, wave_of


def attention_kernel(capability, d, causal, config):
    bm, bn, stages, warps = config
    return triton_kernel("attention", capability, dict(
        q="*fp16", k="*fp16", v="*fp16", out="*fp16", scale="fp32", N="i32/"),
        dict(D=d, BM=bm, BN=bn, CAUSAL=causal), warps, stages)


def attention_trace(kernel, d, keys, tiles, heads, count=None):
    buffers = 4 * (f"buf:u16:{keys * d * heads}:zeros",)
    return kernel.trace((tiles, heads), (*buffers, "f32:0.18", f"i32:{keys}"),
                        count)


def attention_cycles(gpu, capability, settings, d, n, heads, causal, config):
    kernel = attention_kernel(capability, d, causal, config)
    tiles = n // config[0]
    if not causal:
        def trace(keys, count):
            # as many tiles as there are queries: a head's keys are shared
            some = max(keys // config[0], 1)
            return attention_trace(kernel, d, keys, some, -(-count // some),
                                   count)
        return in_waves(gpu, settings, tiles * heads, trace, n)
    wave = wave_of(gpu, attention_trace(kernel, d, 256, 256 // config[0], 1),
                   settings)
    few = max(wave // tiles, 1)
    # the next wave fills up behind the short blocks of the one before
    low, high = (replay(gpu, attention_trace(kernel, d, n, tiles, h),
                        settings)["cycles"] for h in (few, 3 * few))
    return high + (high - low) / (2 * few) * (heads - 3 * few)


def attention_points(gpu, capability, d, heads, causal, config, rates):
    points = []
    for n, rate in rates.items():
        operations = 4.0 * n * n * d * heads / (2 if causal else 1)
        points.append(tflops(
            gpu, capability, operations, rate,
            f"{gpu} {'causal ' if causal else ''}{n} keys of {d}",
            lambda g, c, s, n=n: attention_cycles(g, c, s, d, n, heads,
                                                  causal, config)))
    return points


# triton-lang/triton, pull request 1917 (July 2023): 4 x 48 heads of 64; the
# chip is not named there, the tutorial's figures were an A100's
A100_CAUSAL = {1024: 86.9, 2048: 108.9}
A100_FULL = {1024: 122.5, 2048: 136.6, 4096: 143.0, 8192: 145.8, 16384: 146.8}
# Dao-AILab/flash-attention, issue 1777: 16 x 32 heads of 64, H100 PCIe, Triton
PCIE_FULL = {1024: 230, 2048: 233, 4096: 239, 8192: 248}
# facebookexperimental/triton, pull request 205: 4 x 32 heads of 128, the
# tutorial (whose tiles come through tensor maps) on a Hopper chip
HOPPER_FULL = {1024: 406.8, 2048: 427.8, 4096: 459.6, 8192: 464.4,
               16384: 487.0}

def attention_a100():
    return (attention_points("a100", 80, 64, 192, True, (128, 64, 3, 4),
                             A100_CAUSAL) +
            attention_points("a100", 80, 64, 192, False, (128, 64, 3, 4),
                             A100_FULL))


def attention_h100():
    return (attention_points("h100pcie", 90, 64, 512, False, (128, 64, 3, 4),
                             PCIE_FULL) +
            attention_points("h100", 90, 128, 128, False, (128, 64, 3, 8),
                             HOPPER_FULL))
