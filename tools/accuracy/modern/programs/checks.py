"""Whether the kernels compute what they should: small inputs, beside numpy.
"""
import os

from attention import attention_kernel
from bench import TEG, Failed
from common import command
from gemm import SIZES, TYPES
from kernels import triton_kernel
from launch import options


def right(kernel, grid, args, out, want, tolerance):
    """Whether the emulator's result is within tolerance of the largest."""
    import numpy
    import tempfile
    with tempfile.TemporaryDirectory() as at:
        words = []
        for i, a in enumerate((*args, *kernel.extra)):
            if not isinstance(a, str):
                path = os.path.join(at, f"{i}.raw")
                a.tofile(path)
                a = f"buf:u8:{a.nbytes}:file={path}"
            words += ["-a", a]
        path = os.path.join(at, "out.raw")
        command(TEG, "trace", kernel.cubin, "-j", "1", "--grid",
                 ",".join(map(str, grid)), "--block", str(kernel.threads[0]),
                 *(["--shared", str(kernel.shared)] if kernel.shared else []),
                 *words, f"--dump={out}={path}")
        found = numpy.fromfile(path, args[out].dtype)
    worst = numpy.abs(found.astype(float) - want.ravel()).max()
    return worst <= tolerance * numpy.abs(want).max(), worst


def check_matmul(capability, dtype, rng):
    import numpy
    m, n, k = 256, 256, 192
    np_type = {"float16": numpy.float16, "float32": numpy.float32,
               "int8": numpy.int8}[dtype]
    element, acc, result, _, _ = TYPES[dtype]
    by_column = dtype == "int8"
    draw = ((lambda *s: rng.integers(-128, 128, s).astype(np_type))
            if by_column else
            (lambda *s: rng.standard_normal(s).astype(np_type)))
    a, b = draw(m, k), draw(n, k) if by_column else draw(k, n)
    kernel = triton_kernel(
        "matmul", capability, dict(a=element, b=element, c=result, **SIZES),
        dict(BM=128, BN=128, BK=64 if by_column else 32, GROUP=8, SPLIT=1,
             B_BY_COLUMN=by_column, ACC=acc), 4, 3)
    if by_column:
        want = (a.astype(int) @ b.T.astype(int)).astype(np_type).astype(float)
    else:
        want = a.astype(float) @ b.astype(float)
    pitch = k if by_column else n
    return right(kernel, (4,), (
        a, b, numpy.zeros((m, n), np_type), f"i32:{m}", f"i32:{n}", f"i32:{k}",
        f"i32:{k}", f"i32:{pitch}", f"i32:{n}"), 2, want,
        0 if by_column else 2e-3)


def check_split(capability, rng):
    import numpy
    m, n, k, half = 16, 128, 512, numpy.float16
    a, b = (rng.standard_normal(s).astype(half) for s in ((m, k), (k, n)))
    kernel = triton_kernel(
        "matmul", capability, dict(a="*fp16", b="*fp16", c="*fp16", **SIZES),
        dict(BM=16, BN=64, BK=64, GROUP=8, SPLIT=4, B_BY_COLUMN=False,
             ACC="fp32"), 4, 3)
    return right(kernel, (2, 4), (
        a, b, numpy.zeros((m, n), half), f"i32:{m}", f"i32:{n}", f"i32:{k}",
        f"i32:{k}", f"i32:{n}", f"i32:{n}"), 2,
        a.astype(float) @ b.astype(float), 4e-3)


def check_attention(capability, d, causal, rng):
    import numpy
    n, heads, half = 256, 2, numpy.float16
    q, k, v = (rng.standard_normal((heads, n, d)).astype(half)
               for _ in range(3))
    s = numpy.einsum("hid,hjd->hij", q.astype(float), k.astype(float)) / d**0.5
    if causal:
        s = numpy.where(numpy.tril(numpy.ones((n, n))) > 0, s, -1e30)
    p = numpy.exp(s - s.max(2, keepdims=True))
    want = numpy.einsum("hij,hjd->hid", p / p.sum(2, keepdims=True),
                        v.astype(float))
    kernel = attention_kernel(capability, d, causal, (128, 64, 3, d // 16))
    return right(kernel, (n // 128, heads), (
        q, k, v, numpy.zeros((heads, n, d), half), f"f32:{1.442695 / d**0.5}",
        f"i32:{n}"), 3, want, 2e-3)


def check_rows(capability, name, rng):
    import numpy
    rows, columns, pitch = 64, 781, 1024
    x = rng.standard_normal((rows, pitch)).astype(numpy.float32)
    want = numpy.zeros((rows, pitch))
    v = x[:, :columns].astype(float)
    sizes = (f"i32:{pitch}", f"i32:{columns}")
    signature = dict(x="*fp32", out="*fp32", stride="i32/", columns="i32")
    if name == "softmax":
        e = numpy.exp(v - v.max(1, keepdims=True))
        want[:, :columns] = e / e.sum(1, keepdims=True)
        args, out = (x, numpy.zeros_like(x), *sizes), 1
    else:
        w, b = (rng.standard_normal(pitch).astype(numpy.float32)
                for _ in range(2))
        want[:, :columns] = ((v - v.mean(1, keepdims=True)) /
                             numpy.sqrt(v.var(1, keepdims=True) + 1e-5) *
                             w[:columns] + b[:columns])
        args, out = (x, w, b, numpy.zeros_like(x), *sizes, "f32:1e-5"), 3
        signature |= dict(weight="*fp32", bias="*fp32", eps="fp32")
    kernel = triton_kernel(name, capability, signature, dict(BLOCK=1024), 4, 3)
    return right(kernel, (rows,), args, out, want, 1e-5)


def checks():
    """Every kernel on small inputs, beside numpy."""
    import numpy
    rng = numpy.random.default_rng(1)
    cases = []
    for c in (75, 80, 86, 90):
        for name in ("softmax", "layer_norm"):
            cases.append((f"sm_{c} {name}",
                          lambda c=c, n=name: check_rows(c, n, rng)))
        for t in TYPES if c >= 80 else ("float16", "float32"):
            cases.append((f"sm_{c} matmul of {t}",
                          lambda c=c, t=t: check_matmul(c, t, rng)))
        cases.append((f"sm_{c} matmul, K split",
                      lambda c=c: check_split(c, rng)))
        for d in (64, 128):
            for causal in (False, True):
                cases.append((
                    f"sm_{c} {'causal ' if causal else ''}attention of {d}",
                    lambda c=c, d=d, u=causal: check_attention(c, d, u, rng)))
    wrong = 0
    for what, case in cases:
        try:
            good, worst = case()
            text = "right" if good else f"WRONG by {worst:g}"
        except Failed as e:
            good, text = False, str(e)
        wrong += not good
        if not good or options["points"]:
            print(f"  {what:<34} {text}")
    print(f"results: {len(cases) - wrong} of {len(cases)} kernels agree with "
          "numpy")
    return []
