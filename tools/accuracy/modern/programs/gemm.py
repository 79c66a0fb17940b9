"""Products of matrices in Triton: cycles by configuration, and an H100's times.
"""
from kernels import triton_kernel
from launch import SHORT, in_waves, replay, tflops


WHOLE = 1.1e9              # multiply-adds of a launch that is replayed whole
SIZES = {k: "i32/" for k in ("M", "N", "K", "stride_a", "stride_b",
                             "stride_c")}
# element, sums, result, bytes, multiply-adds of an SM and cycle by generation
TYPES = {
    "float16": ("*fp16", "fp32", "*fp16", 2, {80: 1024, 90: 2048}),
    "float32": ("*fp32", "fp32", "*fp32", 4, {80: 512, 90: 1024}),
    "int8": ("*i8", "int32", "*i8", 1, {80: 2048, 90: 4096}),
}
# BM, BN, BK, stages, warps, of the list that the tuner had.  Of a launch's
# configurations the fastest replay counts, as it had it.
WIDE_BYTES = [(128, 256, 128, 3, 8), (128, 128, 128, 4, 4),
              (64, 128, 64, 4, 4), (64, 32, 64, 5, 2)]
WIDE = [(128, 256, 32, 3, 8), (128, 128, 32, 4, 4), (64, 128, 32, 4, 4),
        (64, 32, 32, 5, 2)]
FLAT = [(16, 64, 64, 5, 2), (16, 32, 64, 5, 2)]
SLIM = [(32, 64, 64, 5, 2), (64, 32, 32, 5, 2), (64, 64, 64, 4, 4)]
HOPPER = [(128, 256, 64, 3, 8), (128, 128, 64, 4, 8), (128, 128, 32, 4, 4)]


def matmul_cycles(gpu, capability, settings, dtype, shape, config):
    m, n, k = shape
    bm, bn, bk, stages, warps = config
    element, acc, result, size, _ = TYPES[dtype]
    group, across = 8, n // bn
    by_column = int(dtype == "int8")
    kernel = triton_kernel(
        "matmul", capability, dict(a=element, b=element, c=result, **SIZES),
        dict(BM=bm, BN=bn, BK=bk, GROUP=group, SPLIT=1,
             B_BY_COLUMN=bool(by_column), ACC=acc), warps, stages)
    blocks = m // bm * across

    def trace(length, count):
        # whole groups of rows, so that the blocks are the launch's first
        rows = min(-(-count // (group * across)) * group * bm, m)
        pitch = length if by_column else n
        bytes_of = {"a": rows * length, "b": length * n, "c": rows * n}
        buffers = [f"buf:u8:{v * size}:zeros" for v in bytes_of.values()]
        return kernel.trace((rows // bm * across,), (
            *buffers, f"i32:{rows}", f"i32:{n}", f"i32:{length}",
            f"i32:{length}", f"i32:{pitch}", f"i32:{n}"), count)
    if m * n * k <= WHOLE:
        return replay(gpu, trace(k, blocks), settings)["cycles"]
    ahead = -(-bk * stages // SHORT[0])
    return in_waves(gpu, settings, blocks, trace, k,
                    tuple(ahead * s for s in SHORT))


def best_matmul(gpu, capability, settings, dtype, shape, configs):
    """(cycles, configuration) of the fastest."""
    found = []
    for config in configs:
        if shape[0] % config[0] == 0 and shape[1] % config[1] == 0:
            found.append((matmul_cycles(gpu, capability, settings, dtype,
                                        shape, config), config))
    return min(found)


def configs_for(shape, dtype):
    return (FLAT if shape[0] == 16 else
            SLIM if min(shape[:2]) == 64 else
            WIDE_BYTES if dtype == "int8" else WIDE)


# triton-lang/triton, issue 2339 (September 2023), H100: cuBLAS; Triton, then
# in its first version with GMMA, without tensor maps
HOPPER_MATMUL = {(2048, 512, 512): (102.6, 77.9),
                 (2048, 1024, 1024): (243.1, 206.8),
                 (2048, 2048, 2048): (515.2, 295.1),
                 (2048, 4096, 4096): (613.7, 346.3),
                 (2048, 8192, 8192): (721.6, 369.8)}


def matmul_h100():
    return [tflops("h100", 90, 2.0 * m * n * k, rates[who],
                   f"{m}x{n}x{k}, {('cuBLAS', 'Triton')[who]}",
                   lambda g, c, s, shape=(m, n, k): best_matmul(
                       g, c, s, "float16", shape, HOPPER)[0])
            for who in (0, 1) for (m, n, k), rates in HOPPER_MATMUL.items()]
