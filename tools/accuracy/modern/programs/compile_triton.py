"""Compiles one Triton kernel for a chip that is not here.

    PYTHON compile_triton.py <REQUEST       PYTHON has a release of Triton

The request is JSON on standard input:

    program     a kernel of triton_kernels.py, or of the release itself:
                "ops.matmul", "ops.flash_attention" (2.0 to 2.3)
    capability  80 for sm_80
    types       of each parameter that is not a constant: "*fp16", "fp32",
                "i32", "i32/" (a multiple of 16, as pointers are), "one" (a
                stride that the launcher finds to be 1)
    constants   of the others; "fp32" and "int32" stand for the types
    warps, stages
    out         path of the cubin

Prints JSON: "shared" bytes that the launcher asks for, "params", the names of
the parameters that are left, in order, and "scratch", how many pointers to
scratch space follow them.

Releases up to 2.3 come with a launcher that is compiled, loaded and asked for
a GPU as soon as a kernel is; and they import torch.  Neither is needed for the
code, so both are stood in for.
"""
import importlib
import importlib.machinery
import json
import os
import sys
import types as python_types


class Anything:
    """Stands for what of torch is only named."""

    def __init__(self, *_, **__):
        pass

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()

    def __call__(self, *_, **__):
        return Anything()


class Function:
    """torch.autograd.Function: what operators derive from."""

    apply = None


def torch_stand_in():
    torch = python_types.ModuleType("torch")
    torch.__spec__ = importlib.machinery.ModuleSpec("torch", None)
    torch.__version__ = "2.0"
    torch.version = python_types.SimpleNamespace(hip=None, cuda="12.0")
    torch.autograd = python_types.SimpleNamespace(Function=Function)

    def named(name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()
    torch.__getattr__ = named
    return torch


def old_program(name):
    """The function of an operator, without its tuner, and its module."""
    package, _, module = name.partition(".")
    if package != "ops":
        import triton_kernels
        return triton_kernels.KERNELS[name]
    module = importlib.import_module("triton.ops." + module)
    f = getattr(module, {"matmul": "_kernel",
                         "flash_attention": "_fwd_kernel"}[
                             name.partition(".")[2]])
    while hasattr(f, "fn") and not hasattr(f, "cache_key"):
        f = f.fn
    return f


def values(constants):
    import triton.language as tl
    names = {"fp32": tl.float32, "int32": tl.int32}
    return {k: names.get(v, v) if isinstance(v, str) else v
            for k, v in constants.items()}


def compile_old(r):
    """Releases 2.0 to 2.3."""
    import triton.compiler
    try:
        compiler = importlib.import_module("triton.compiler.compiler")
    except ImportError:
        compiler = triton.compiler  # 2.0: no package yet

    class Compiled:
        """Instead of what would load the launcher."""

        def __init__(self, *args):
            self.metadata, self.asm = args[-2:]
    compiler.make_stub = lambda *_, **__: None
    compiler.CompiledKernel = Compiled
    f = old_program(r["program"])
    names, types = f.arg_names, r["types"]
    ones = [i for i, n in enumerate(names) if types.get(n) == "one"]
    even = [i for i, n in enumerate(names)
            if types.get(n, "")[:1] == "*" or types.get(n, "")[-1:] == "/"]
    constants = {names.index(k): v for k, v in values(r["constants"]).items()
                 if k in names}
    signature = {i: "i32" if i in ones else types[n].rstrip("/")
                 for i, n in enumerate(names) if i not in constants}
    built = compiler.compile(
        f, signature=signature,
        constants={**constants, **{i: 1 for i in ones}},
        num_warps=r["warps"], num_stages=r["stages"], cc=r["capability"],
        configs=[compiler.instance_descriptor(divisible_by_16=set(even),
                                              equal_to_1=set(ones))])
    left = [n for i, n in enumerate(names)
            if i not in constants and i not in ones]
    return built.asm["cubin"], built.metadata["shared"], left, 0


def compile_new(r):
    """Releases from 3.0 on."""
    import triton
    import triton_kernels
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    f, types = triton_kernels.KERNELS[r["program"]], r["types"]
    kinds, attrs = {}, {}
    for i, name in enumerate(f.arg_names):
        text = types.get(name, "constexpr")
        if text[0] == "*" or text.endswith("/"):
            attrs[(i,)] = [["tt.divisibility", 16]]
        kinds[name] = text.rstrip("/")
    built = triton.compile(
        ASTSource(f, kinds, values(r["constants"]), attrs),
        target=GPUTarget("cuda", r["capability"], 32),
        options={"num_warps": r["warps"], "num_stages": r["stages"]})
    left = [n for n in f.arg_names if n in types]
    # pointers to scratch space follow: two, or in 3.2 and 3.3 one
    head = built.asm["ptx"].partition(".entry")[2].partition(")")[0]
    return (built.asm["cubin"], built.metadata.shared, left,
            head.count(".param") - len(left))


def main():
    r = json.load(sys.stdin)
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    try:
        import torch
        del torch
    except ImportError:
        sys.modules["torch"] = torch_stand_in()
    import triton
    old = int(triton.__version__.split(".")[0]) < 3
    cubin, shared, params, scratch = (compile_old if old else compile_new)(r)
    with open(r["out"], "wb") as f:
        f.write(cubin)
    print(json.dumps({"shared": shared, "params": params,
                      "scratch": scratch}))


if __name__ == "__main__":
    main()
