# packages: torch==2.15.0 numpy
"""Triton's JIT: elementwise, softmax, dot, atomics, scan, autotune."""
import numpy as np
import torch
import triton
import triton.language as tl
from client import run, same, step

rng = np.random.default_rng(1)


def device(a):
    return torch.from_numpy(a).cuda()


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask) + tl.load(y + i, mask), mask)


@step
def elementwise():
    x, y = rng.random((2, 3000), dtype=np.float32)
    out = torch.empty(3000, device="cuda")
    add_kernel[(3,)](device(x), device(y), out, 3000, BLOCK=1024)
    same(out.cpu(), x + y)


@triton.jit
def softmax_kernel(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + i, i < columns, -float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(out + row * columns + i, e / tl.sum(e, 0), i < columns)


@step
def softmax():
    x = rng.standard_normal((10, 300), dtype=np.float32)
    out = torch.empty(10, 300, device="cuda")
    softmax_kernel[(10,)](device(x), out, 300, BLOCK=512)
    e = np.exp(x - x.max(1, keepdims=True))
    same(out.cpu(), e / e.sum(1, keepdims=True), 1e-5)


@triton.jit
def scan_kernel(x, out, total, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    tl.store(out + i, tl.cumsum(v, 0))
    tl.atomic_add(total + i % 4, v)


@step
def scan_and_atomics():
    x = rng.integers(0, 100, 512).astype(np.int32)
    out = torch.empty(512, device="cuda", dtype=torch.int32)
    total = torch.zeros(4, device="cuda", dtype=torch.int32)
    scan_kernel[(1,)](device(x), out, total, BLOCK=512)
    same(out.cpu(), np.cumsum(x))
    same(total.cpu(), x.reshape(-1, 4).sum(0))


@triton.autotune(
    configs=[triton.Config({"M": 32, "N": 32, "K": 32}, num_warps=2),
             triton.Config({"M": 64, "N": 32, "K": 32}, num_warps=4),
             triton.Config({"M": 64, "N": 64, "K": 32}, num_warps=4,
                           num_stages=3)],
    key=["m", "n", "k"])
@triton.jit
def matmul_kernel(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr,
                  K: tl.constexpr):
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    total = tl.zeros((M, N), tl.float32)
    for at in range(0, k, K):
        inner = at + tl.arange(0, K)
        left = tl.load(a + rows[:, None] * k + inner[None, :])
        right = tl.load(b + inner[:, None] * n + columns[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + rows[:, None] * n + columns[None, :], total)


@step
def autotuned_matmul():
    a = rng.standard_normal((128, 96), dtype=np.float32).astype(np.float16)
    b = rng.standard_normal((96, 64), dtype=np.float32).astype(np.float16)
    c = torch.empty(128, 64, device="cuda")
    matmul_kernel[lambda meta: (128 // meta["M"], 64 // meta["N"])](
        device(a), device(b), c, 128, 64, 96)
    same(c.cpu(), a.astype(np.float32) @ b.astype(np.float32), 1e-4, 1e-4)
    print("chosen:", matmul_kernel.best_config)


@triton.jit
def beyond_kernel(x):
    tl.store(x + tl.arange(0, 32) + 1000000000, 1)


@step
def fault():
    from client import refused
    x = torch.zeros(32, device="cuda")

    def go():
        beyond_kernel[(1,)](x)
        torch.cuda.synchronize()
    refused(go, "illegal memory access")


run()
