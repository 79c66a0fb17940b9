"""Triton's kernels, compiled for a chip that is not here, and kept.
"""
import os

from launch import KEPT, Kernel, keep, named


def triton_kernel(name, capability, signature, constants, warps, stages):
    import triton
    import triton_kernels
    with open(triton_kernels.__file__, "rb") as f:
        key = (triton.__version__, f.read(), name, capability, signature,
               constants, warps, stages)
    name = f"{name}_{capability}"
    # the launcher's, beside the code
    facts = os.path.join(KEPT, named(name, "shared", key))

    def make(path):
        cubin, meta = triton_kernels.build(*key[2:])
        with open(path, "wb") as f:
            f.write(cubin)
        with open(facts, "w", encoding="ascii") as f:
            f.write(str(meta.shared))
    cubin = keep(name, "cubin", key, make)
    with open(facts, encoding="ascii") as f:
        shared = int(f.read())
    # two pointers to scratch space follow the parameters
    return Kernel(cubin, (32 * warps,), shared, extra=("i64:0", "i64:0"))
