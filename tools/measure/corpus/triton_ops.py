import torch, triton, triton.language as tl
torch.manual_seed(1)

@triton.jit
def add_kernel(x, y, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    tl.store(o + i, tl.load(x + i, mask=m) + tl.load(y + i, mask=m), mask=m)

@triton.jit
def softmax_kernel(o, x, rows, stride, cols, B: tl.constexpr):
    for r in range(tl.program_id(0), rows, tl.num_programs(0)):
        c = tl.arange(0, B)
        m = c < cols
        v = tl.load(x + r * stride + c, mask=m, other=-float("inf"))
        v = tl.exp(v - tl.max(v, 0))
        tl.store(o + r * stride + c, v / tl.sum(v, 0), mask=m)

@triton.jit
def norm_kernel(x, o, w, bias, n, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    m = c < n
    v = tl.load(x + r * n + c, mask=m, other=0.).to(tl.float32)
    mean = tl.sum(v, 0) / n
    d = tl.where(m, v - mean, 0.)
    s = 1 / tl.sqrt(tl.sum(d * d, 0) / n + 1e-5)
    tl.store(o + r * n + c, d * s * tl.load(w + c, mask=m) + tl.load(bias + c, mask=m), mask=m)

@triton.jit
def matmul_kernel(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, G: tl.constexpr):
    pid = tl.program_id(0)
    pm, pn = tl.cdiv(M, BM), tl.cdiv(N, BN)
    group = pid // (G * pn)
    first = group * G
    size = min(pm - first, G)
    i = first + (pid % (G * pn)) % size
    j = (pid % (G * pn)) // size
    rm = i * BM + tl.arange(0, BM)
    rn = j * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    pa = a + rm[:, None] * K + rk[None, :]
    pb = b + rk[:, None] * N + rn[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        acc = tl.dot(tl.load(pa), tl.load(pb), acc)
        pa += BK
        pb += BK * N
    tl.store(c + rm[:, None] * N + rn[None, :], acc.to(tl.float16))

@triton.jit
def attention_kernel(q, k, v, o, L, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    head = tl.program_id(1) * L * D
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rd = tl.arange(0, D)
    Q = tl.load(q + head + rm[:, None] * D + rd[None, :])
    mi = tl.full((BM,), -float("inf"), tl.float32)
    li = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for n in range(0, L, BN):
        rn = n + tl.arange(0, BN)
        K = tl.load(k + head + rn[None, :] * D + rd[:, None])
        s = tl.dot(Q, K) * scale
        m = tl.maximum(mi, tl.max(s, 1))
        p = tl.exp2(s - m[:, None])
        f = tl.exp2(mi - m)
        li = li * f + tl.sum(p, 1)
        acc = acc * f[:, None]
        V = tl.load(v + head + rn[:, None] * D + rd[None, :])
        acc = tl.dot(p.to(tl.float16), V, acc)
        mi = m
    tl.store(o + head + rm[:, None] * D + rd[None, :], (acc / li[:, None]).to(tl.float16))

d = "cuda"
n = 1 << 24
x = torch.randn(n, device=d); y = torch.randn(n, device=d); o = torch.empty_like(x)
add_kernel[(triton.cdiv(n, 1024),)](x, y, o, n, B=1024)
s = torch.randn(4096, 1500, device=d); so = torch.empty_like(s)
softmax_kernel[(132 * 4,)](so, s, 4096, 1500, 1500, B=2048, num_warps=8)
h = torch.randn(4096, 4096, device=d, dtype=torch.float16); ho = torch.empty_like(h)
w = torch.randn(4096, device=d, dtype=torch.float16)
norm_kernel[(4096,)](h, ho, w, w, 4096, B=4096, num_warps=8)
for N in (1024, 2048, 4096):
    a = torch.randn(N, N, device=d, dtype=torch.float16); b = torch.randn(N, N, device=d, dtype=torch.float16); c = torch.empty_like(a)
    for BM, BN, BK, warps, stages in ((128, 128, 64, 4, 3), (128, 256, 64, 8, 3), (64, 64, 32, 4, 4)):
        matmul_kernel[(triton.cdiv(N, BM) * triton.cdiv(N, BN),)](a, b, c, N, N, N, BM=BM, BN=BN, BK=BK, G=8, num_warps=warps, num_stages=stages)
for D, L, H in ((64, 2048, 16), (128, 2048, 16)):
    q = torch.randn(H, L, D, device=d, dtype=torch.float16); k = torch.randn_like(q); v = torch.randn_like(q); oo = torch.empty_like(q)
    for warps, stages in ((4, 2), (8, 3)):
        attention_kernel[(L // 128, H)](q, k, v, oo, L, 1.4426950408889634 / D ** .5, D=D, BM=128, BN=64, num_warps=warps, num_stages=stages)
torch.cuda.synchronize()
print("done")
