"""Attention in Triton: cycles of a launch, and published throughputs.

Launches of unequal blocks (causal attention) are extended linearly in the
number of heads.
"""
from kernels import is_old, triton_kernel, version_key
from launch import Failed, in_waves, replay, tflops, wave_of


def operator(release, d, causal, config):
    """The release's own triton.ops.flash_attention, of 2.0 (always causal) or
    2.1 (2.2 names its strides otherwise): its name, types and constants."""
    if version_key(release) >= (2, 2):
        raise Failed(f"the operator of Triton {release} is not called here")
    bm, bn = config[:2]
    types = dict(Q="*fp16", K="*fp16", V="*fp16", sm_scale="fp32", L="*fp32",
                 Out="*fp16", Z="i32", H="i32/", N_CTX="i32/")
    if version_key(release) < (2, 1):
        types["M"] = "*fp32"
    for tensor, unit in (("q", "k"), ("k", "k"), ("v", "n"), ("o", "n")):
        row = {"q": "m", "k": "n", "v": "k", "o": "m"}[tensor]
        types |= {f"stride_{tensor}{axis}": "i32/" for axis in ("z", "h", row)}
        types[f"stride_{tensor}{unit}"] = "one"
    return "ops.flash_attention", types, dict(
        BLOCK_M=bm, BLOCK_N=bn, BLOCK_DMODEL=d, IS_CAUSAL=causal)


def ours(_, d, causal, config):
    bm, bn = config[:2]
    return "attention", dict(
        q="*fp16", k="*fp16", v="*fp16", out="*fp16", scale="fp32",
        N="i32/"), dict(D=d, BM=bm, BN=bn, CAUSAL=causal)


def config_of(release, d):
    """Rows and keys of a tile, stages and warps: the launcher's, of those
    releases that have one."""
    keys, stages = ((128, 2) if version_key(release) < (2, 1) else
                    (64, 4) if is_old(release) else (64, 3))
    return 128, keys, stages, d // 16


def attention_kernel(release, capability, d, causal, config):
    program = operator if is_old(release) else ours
    name, types, constants = program(release, d, causal, config)
    stages, warps = config[2:]
    kernel = triton_kernel(release, name, capability, types, constants, warps,
                           stages)
    if version_key(release) < (2, 1):
        # its maxima across warps reach beyond what its launcher asks for,
        # into what hardware gives in whole units; no block less fits
        kernel.shared += 512
    return kernel


def attention_args(d, keys, heads, scale, buffers, rows):
    """By the names that any of the programs has for them."""
    q, k, v, out = buffers
    args = {"q": q, "Q": q, "k": k, "K": k, "v": v, "V": v, "out": out,
            "Out": out, "L": rows, "M": rows, "scale": f"f32:{scale}",
            "sm_scale": f"f32:{scale / 1.442695}", "N": f"i32:{keys}",
            "N_CTX": f"i32:{keys}", "Z": "i32:1", "H": f"i32:{heads}"}
    for tensor, row in (("q", "m"), ("k", "n"), ("v", "k"), ("o", "m")):
        args |= {f"stride_{tensor}z": f"i32:{heads * keys * d}",
                 f"stride_{tensor}h": f"i32:{keys * d}",
                 f"stride_{tensor}{row}": f"i32:{d}"}
    return args


def attention_trace(kernel, d, keys, tiles, heads, count=None):
    buffers = 4 * (f"buf:u16:{keys * d * heads}:zeros",)
    return kernel.trace((tiles, heads), attention_args(
        d, keys, heads, 0.18, buffers, f"buf:f32:{keys * heads}:zeros"), count)


def attention_cycles(release, gpu, capability, settings, d, n, heads, causal,
                     config):
    kernel = attention_kernel(release, capability, d, causal, config)
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


def attention_points(release, gpu, capability, d, heads, causal, config,
                     rates):
    points = []
    for n, rate in rates.items():
        operations = 4.0 * n * n * d * heads / (2 if causal else 1)
        points.append(tflops(
            gpu, capability, operations, rate,
            f"{gpu} {'causal ' if causal else ''}{n} keys of {d}",
            lambda g, c, s, n=n: attention_cycles(release, g, c, s, d, n,
                                                  heads, causal, config)))
    return points


# triton-lang/triton, pull request 1917 (July 2023): 4 x 48 heads of 64; the
# chip is not named there, the tutorial's figures were an A100's
A100_CAUSAL = {1024: 86.9, 2048: 108.9}
A100_FULL = {1024: 122.5, 2048: 136.6, 4096: 143.0, 8192: 145.8, 16384: 146.8}
# Dao-AILab/flash-attention, issue 1777 (July 2025): 16 x 32 heads of 64, H100
# PCIe, Triton
PCIE_FULL = {1024: 230, 2048: 233, 4096: 239, 8192: 248}
# facebookexperimental/triton, pull request 205: 4 x 32 heads of 128, the
# tutorial (whose tiles come through tensor maps) on a Hopper chip
HOPPER_FULL = {1024: 406.8, 2048: 427.8, 4096: 459.6, 8192: 464.4,
               16384: 487.0}


def attention_a100(release):
    config = config_of(release, 64)
    return [*attention_points(release, "a100", 80, 64, 192, True, config,
                              A100_CAUSAL),
            *attention_points(release, "a100", 80, 64, 192, False, config,
                              A100_FULL)]


def attention_pcie(release):
    return attention_points(release, "h100pcie", 90, 64, 512, False,
                            config_of(release, 64), PCIE_FULL)


def attention_h100(release):
    return attention_points(release, "h100", 90, 128, 128, False,
                            config_of(release, 128), HOPPER_FULL)
