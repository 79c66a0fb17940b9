"""Whether the kernels compute what they should: small inputs, beside numpy.
"""
import os

from attention import attention_args, attention_kernel, config_of
from geforce import with_maps
from gemm import TYPES, matmul_args, matmul_kernel, tiles
from kernels import is_old, releases, triton_kernel, version_key
from launch import TEG, Failed, command, options


def right(kernel, grid, args, out, want, tolerance):
    """Whether the emulator's result, of the parameter that is one of the names
    `out`, is within tolerance of the largest."""
    import numpy
    import tempfile
    with tempfile.TemporaryDirectory() as at:
        words = []
        at_out = next(i for i, p in enumerate(kernel.params) if p in out)
        kind = args[kernel.params[at_out]].dtype
        for i, a in enumerate(kernel.arguments(args)):
            if not isinstance(a, str):
                path = os.path.join(at, f"{i}.raw")
                a.tofile(path)
                a = f"buf:u8:{a.nbytes}:file={path}"
            words += ["-a", a]
        path = os.path.join(at, "out.raw")
        command(TEG, "trace", kernel.cubin, "-j", "1", "--grid",
                 ",".join(map(str, grid)), "--block", str(kernel.threads[0]),
                 *(["--shared", str(kernel.shared)] if kernel.shared else []),
                 *words, f"--dump={at_out}={path}")
        found = numpy.fromfile(path, kind)
    worst = numpy.abs(found.astype(float) - want.ravel()).max()
    return worst <= tolerance * numpy.abs(want).max(), worst


def check_matmul(release, capability, dtype, rng, by_column=False,
                 program=None):
    import numpy
    m, n, k = 256, 256, 192
    np_type = {"float16": numpy.float16, "float32": numpy.float32,
               "int8": numpy.int8}[dtype]
    whole = dtype == "int8"
    draw = ((lambda *s: rng.integers(-128, 128, s).astype(np_type)) if whole
            else (lambda *s: rng.standard_normal(s).astype(np_type)))
    a, b = draw(m, k), draw(n, k) if by_column else draw(k, n)
    kernel = matmul_kernel(release, capability, dtype,
                           (128, 128, 64 if whole else 32, 3, 4), program,
                           by_column=by_column)
    kind = int if whole else float
    want = a.astype(kind) @ (b.T if by_column else b).astype(kind)
    if whole:
        want = want.astype(np_type).astype(float)
    c = numpy.zeros((m, n), numpy.float32 if program else np_type)
    return right(kernel, (4,), matmul_args(
        m, n, k, k if by_column else n, (a, b, c)), "cC", want,
        0 if whole else 2e-3)


def check_maps(release, capability, rng):
    """A product through tensor maps that the kernel makes; on sm_100 in tensor
    memory."""
    import numpy
    m, n, k, half = 256, 256, 192, numpy.float16
    a, b = (rng.standard_normal(s).astype(half) for s in ((m, k), (n, k)))
    kernel = with_maps(triton_kernel(
        release, "matmul_maps", capability,
        dict(a="*fp16", b="*fp16", c="*fp16", M="i32/", N="i32/", K="i32/"),
        dict(BM=128, BN=128, BK=64, GROUP=8), 4, 3), 4, 3)
    return right(kernel, (4,), matmul_args(
        m, n, k, k, (a, b, numpy.zeros((m, n), half))), "c",
        a.astype(float) @ b.T.astype(float), 2e-3)


def check_attention_maps(release, capability, d, causal, rng):
    import numpy
    n, heads, rows, half = 256, 2, 128, numpy.float16
    q, k, v = (rng.standard_normal((heads, n, d)).astype(half)
               for _ in range(3))
    kernel = with_maps(triton_kernel(
        release, "attention_maps", capability,
        dict(q="*fp16", k="*fp16", v="*fp16", out="*fp16", scale="fp32"),
        dict(N=n, D=d, BM=rows, BN=64, CAUSAL=causal), 4, 3),
        n // rows * heads, 4)
    return right(kernel, (n // rows, heads), dict(
        q=q, k=k, v=v, out=numpy.zeros((heads, n, d), half),
        scale=f"f32:{d**-0.5}"), ("out",), attended(q, k, v, causal), 2e-3)


def check_split(release, capability, rng):
    import numpy
    m, n, k, half = 16, 128, 512, numpy.float16
    a, b = (rng.standard_normal(s).astype(half) for s in ((m, k), (k, n)))
    kernel = matmul_kernel(release, capability, "float16", (16, 64, 64, 3, 4),
                           split=4)
    return right(kernel, (2, 4), matmul_args(
        m, n, k, n, (a, b, numpy.zeros((m, n), half))), "cC",
        a.astype(float) @ b.astype(float), 4e-3)


def attended(q, k, v, causal):
    """Heads, keys and width of a head, by numpy."""
    import numpy
    q, k, v = (x.astype(float) for x in (q, k, v))
    n, d = q.shape[1:]
    s = numpy.einsum("hid,hjd->hij", q, k) / d**0.5
    if causal:
        s = numpy.where(numpy.tril(numpy.ones((n, n))) > 0, s, -1e30)
    p = numpy.exp(s - s.max(2, keepdims=True))
    return numpy.einsum("hij,hjd->hid", p / p.sum(2, keepdims=True), v)


def check_attention(release, capability, d, causal, rng):
    import numpy
    n, heads, half = 256, 2, numpy.float16
    q, k, v = (rng.standard_normal((heads, n, d)).astype(half)
               for _ in range(3))
    kernel = attention_kernel(release, capability, d, causal,
                              config_of(release, d))
    return right(kernel, (n // 128, heads), attention_args(
        d, n, heads, 1.442695 / d**0.5,
        (q, k, v, numpy.zeros((heads, n, d), half)),
        f"buf:f32:{n * heads}:zeros"), ("out", "Out"),
        attended(q, k, v, causal), 2e-3)


def check_rows(release, capability, name, rng):
    import numpy
    rows, columns, pitch = 64, 781, 1024
    x = rng.standard_normal((rows, pitch)).astype(numpy.float32)
    want = numpy.zeros((rows, pitch))
    v = x[:, :columns].astype(float)
    types = dict(x="*fp32", out="*fp32", stride="i32/", columns="i32")
    args = {"x": x, "out": numpy.zeros_like(x), "stride": f"i32:{pitch}",
            "columns": f"i32:{columns}"}
    if name == "softmax":
        e = numpy.exp(v - v.max(1, keepdims=True))
        want[:, :columns] = e / e.sum(1, keepdims=True)
    else:
        w, b = (rng.standard_normal(pitch).astype(numpy.float32)
                for _ in range(2))
        want[:, :columns] = ((v - v.mean(1, keepdims=True)) /
                             numpy.sqrt(v.var(1, keepdims=True) + 1e-5) *
                             w[:columns] + b[:columns])
        args |= {"weight": w, "bias": b, "eps": "f32:1e-5"}
        types |= dict(weight="*fp32", bias="*fp32", eps="fp32")
    kernel = triton_kernel(release, name, capability, types,
                           dict(BLOCK=1024), 4, 3)
    return right(kernel, (rows,), args, ("out",), want, 1e-5)


def attention_widths(release):
    """That of 2.0 does not compile for 128 (an assertion of its compiler), and
    attention.operator calls those of 2.0 and 2.1."""
    version = version_key(release)
    return (() if is_old(release) and version >= (2, 2) else
            (64,) if version < (2, 1) else (64, 128))


def cases_of(release, rng):
    """(what, whether it agrees) of every kernel that a release compiles."""
    def case(what, check, *args, **how):
        return (f"{release} {what}",
                lambda: check(release, *args, rng, **how))
    chips = ((80,) if is_old(release) else
             (75, 80, 86, 90) if version_key(release) < (3, 4) else
             (75, 80, 86, 90, 100, 120))
    for c in chips:
        for name in () if is_old(release) else ("softmax", "layer_norm"):
            yield case(f"sm_{c} {name}", check_rows, c, name)
        for t in TYPES if c >= 80 else ("float16", "float32"):
            yield case(f"sm_{c} matmul of {t}", check_matmul, c, t,
                       by_column=t == "int8")
        yield case(f"sm_{c} matmul, K split", check_split, c)
        if c >= 90 and version_key(release) >= (3, 4):
            yield case(f"sm_{c} matmul by tensor maps", check_maps, c)
            for d, causal in ((64, False), (64, True), (128, True)):
                yield case(f"sm_{c} {'causal ' if causal else ''}attention "
                           f"of {d} by tensor maps", check_attention_maps, c,
                           d, causal)
        for d in attention_widths(release):
            # that of 2.0 is always causal
            for causal in ((True,) if release == "2.0.0" else (False, True)):
                yield case(f"sm_{c} {'causal ' if causal else ''}attention "
                           f"of {d}", check_attention, c, d, causal)
    if release == "2.2.0":
        yield case("sm_90 matmul, block pointers", check_matmul, 90, "float16",
                   by_column=True, program=tiles)


def checks(_):
    """Every kernel on small inputs, beside numpy."""
    import numpy
    rng = numpy.random.default_rng(1)
    cases = [c for r in releases() for c in cases_of(r, rng)]
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
