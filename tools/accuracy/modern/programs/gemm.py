"""Products of matrices in Triton: cycles by configuration, and times of an
H100.
"""
from kernels import is_old, triton_kernel
from launch import SHORT, in_waves, replay, tflops

WHOLE = 4.4e9  # multiply-adds of a launch that is replayed whole
# element, sums, result, bytes, multiply-adds of an SM and cycle by generation
TYPES = {
    "float16": ("*fp16", "fp32", "*fp16", 2, {70: 512, 80: 1024, 90: 2048}),
    "float32": ("*fp32", "fp32", "*fp32", 4, {80: 512, 90: 1024}),
    "int8": ("*i8", "int32", "*i8", 1, {80: 2048, 90: 4096}),
}
GROUP = 8
# BM, BN, BK, stages, warps, of the list that the tuner had.  Of a launch's
# configurations the fastest replay counts, as it had it.
WIDE_BYTES = [(128, 256, 128, 3, 8), (128, 128, 128, 4, 4),
              (64, 128, 64, 4, 4), (64, 32, 64, 5, 2)]
WIDE = [(128, 256, 32, 3, 8), (128, 128, 32, 4, 4), (64, 128, 32, 4, 4),
        (64, 32, 32, 5, 2)]
FLAT = [(16, 64, 64, 5, 2), (16, 32, 64, 5, 2)]
SLIM = [(32, 64, 64, 5, 2), (64, 32, 32, 5, 2), (64, 64, 64, 4, 4)]
HOPPER = [(128, 256, 64, 3, 8), (128, 128, 64, 4, 8), (128, 128, 32, 4, 4)]


def operator(element, acc, result, by_column, split, config):
    """The release's own triton.ops.matmul: its name, types and constants."""
    bm, bn, bk = config[:3]
    even = "i32/"
    return "ops.matmul", dict(
        A=element, B=element, C=result, M=even, N=even, K=even,
        stride_am=even, stride_ak="one",
        stride_bk="one" if by_column else even,
        stride_bn=even if by_column else "one",
        stride_cm=even, stride_cn="one"), dict(
            BLOCK_M=bm, BLOCK_N=bn, BLOCK_K=bk, GROUP_M=GROUP, SPLIT_K=split,
            EVEN_K=True, ACC_TYPE=acc, dot_out_dtype=acc,
            # of 2.2 and 2.3: as operands come, and TF32 as before
            allow_tf32=True, fp8_fast_accum=False, AB_DTYPE=None)


def ours(element, acc, result, by_column, split, config):
    bm, bn, bk = config[:3]
    sizes = {k: "i32/" for k in ("M", "N", "K", "stride_a", "stride_b",
                                 "stride_c")}
    return "matmul", dict(a=element, b=element, c=result, **sizes), dict(
        BM=bm, BN=bn, BK=bk, GROUP=GROUP, SPLIT=split, B_BY_COLUMN=by_column,
        ACC=acc)


def tiles(element, acc, _, by_column, split, config):
    """By block pointers, with sums of 32 bits as the result."""
    assert by_column and split == 1
    bm, bn, bk = config[:3]
    return "matmul_tiles", dict(
        a=element, b=element, c="*" + acc, M="i32/", N="i32/", K="i32/"), dict(
            BM=bm, BN=bn, BK=bk, GROUP=GROUP)


def matmul_kernel(release, capability, dtype, config, program=None, split=1,
                  by_column=False):
    element, acc, result = TYPES[dtype][:3]
    program = program or (operator if is_old(release) else ours)
    name, types, constants = program(element, acc, result, by_column, split,
                                     config)
    stages, warps = config[3:]
    return triton_kernel(release, name, capability, types, constants, warps,
                         stages)


def matmul_args(m, n, k, pitch, buffers):
    """By the names that any of the programs has for them."""
    a, b, c = buffers
    return {"a": a, "A": a, "b": b, "B": b, "c": c, "C": c,
            "M": f"i32:{m}", "N": f"i32:{n}", "K": f"i32:{k}",
            "stride_a": f"i32:{k}", "stride_am": f"i32:{k}",
            "stride_b": f"i32:{pitch}", "stride_bk": f"i32:{pitch}",
            "stride_bn": f"i32:{pitch}", "stride_c": f"i32:{n}",
            "stride_cm": f"i32:{n}"}


def matmul_cycles(release, gpu, capability, settings, dtype, shape, config,
                  program=None, by_column=False, behind=lambda trace: trace):
    """`behind` makes of the trace of a whole launch what is replayed."""
    m, n, k = shape
    bm, bn, bk, stages, _ = config
    size = TYPES[dtype][3]
    across = n // bn
    kernel = matmul_kernel(release, capability, dtype, config, program,
                           by_column=by_column)
    blocks = m // bm * across

    def trace(length, count):
        # whole groups of rows, so that the blocks are the launch's first
        rows = min(-(-count // (GROUP * across)) * GROUP * bm, m)
        bytes_of = (rows * length * size, length * n * size,
                    rows * n * max(size, 4 if program else 0))
        return kernel.trace((rows // bm * across,), matmul_args(
            rows, n, length, length if by_column else n,
            [f"buf:u8:{v}:zeros" for v in bytes_of]), count)
    if m * n * k <= WHOLE:
        return replay(gpu, behind(trace(k, blocks)), settings)["cycles"]
    ahead = -(-bk * stages // SHORT[0])
    return in_waves(gpu, settings, blocks, trace, k,
                    tuple(ahead * s for s in SHORT))


def best_matmul(release, gpu, capability, settings, dtype, shape, configs,
                **how):
    """(cycles, configuration) of the fastest."""
    found = []
    for config in configs:
        if shape[0] % config[0] == 0 and shape[1] % config[1] == 0:
            found.append((matmul_cycles(release, gpu, capability, settings,
                                        dtype, shape, config, **how), config))
    return min(found)


def configs_for(shape, dtype):
    return (FLAT if shape[0] == 16 else
            SLIM if min(shape[:2]) == 64 else
            WIDE_BYTES if dtype == "int8" else WIDE)


# triton-lang/triton, issue 2339 (September 2023), H100: cuBLAS; Triton, then
# in its first version with GMMA, without tensor maps.  The program is that
# release's tutorial 10: one configuration, B by column, sums stored as they
# are.
HOPPER_MATMUL = {(2048, 512, 512): (102.6, 77.9),
                 (2048, 1024, 1024): (243.1, 206.8),
                 (2048, 2048, 2048): (515.2, 295.1),
                 (2048, 4096, 4096): (613.7, 346.3),
                 (2048, 8192, 8192): (721.6, 369.8)}
TUTORIAL = [(128, 128, 64, 7, 4)]


def matmul_h100(release, who=1):
    """`who` 0: beside cuBLAS, another program."""
    how = (dict(program=tiles, by_column=True) if is_old(release) else {})
    configs = TUTORIAL if is_old(release) else HOPPER
    return [tflops("h100", 90, 2.0 * m * n * k, rates[who], f"{m}x{n}x{k}",
                   lambda g, c, s, shape=(m, n, k): best_matmul(
                       release, g, c, s, "float16", shape, configs, **how)[0])
            for (m, n, k), rates in HOPPER_MATMUL.items()]


def cublas_h100(release):
    return matmul_h100(release, 0)
