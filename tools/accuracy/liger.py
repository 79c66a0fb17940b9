#!/usr/bin/env python3
"""How far training kernels written in Triton, and PyTorch's for the same, are from
published times on five chips (docs/accuracy.md).

    liger.py --pythons FOLDER [--teg build/release/teg] [--half A|B] [--points]
             [-j N] [WORD ...]

The times are those of Liger-Kernel's benchmarks (github.com/linkedin/Liger-Kernel,
benchmark/data/all_benchmark_data.csv, ead96b61): medians of events around a call,
behind a set of 256 MB, its clocks as they were.  Shapes, operands and what is
called are in its benchmark/scripts; SETUP has them in a few lines each.

The same is run under `teg exec --time`, by the PyTorch and Triton that were current
(OF_THE_TIME; they are installed below FOLDER, 5 GB each, where they are not), and
what is compared is what the program prints: the second call.  Halves are by kernel,
provider and mode.  WORD: only rows that have it.
"""
import collections
import concurrent.futures
import os
import subprocess
import sys
import tempfile

import common

# GPU | commit of Liger-Kernel that brought the times | kernel, provider, mode |
# size:milliseconds ...
BENCH = """
a100_80 | b5672a15 | cross_entropy torch forward | 4096:.8751
a100_80 | b5672a15 | cross_entropy torch full | 4096:2.226
a100_80 | b5672a15 | cross_entropy liger forward | 4096:.5324
a100_80 | b5672a15 | cross_entropy liger full | 8192:1.462
a100_80 | b5672a15 | embedding_768 torch forward | 16384:.1667
a100_80 | b5672a15 | embedding_768 torch full | 16384:.8057
a100_80 | b5672a15 | embedding_768 liger forward | 1024:.04262 8192:.05558
a100_80 | b5672a15 | embedding_768 liger full | 65536:1.003
a100_80 | b5672a15 | embedding_4096 torch forward | 4096:.8446
a100_80 | b5672a15 | embedding_4096 liger forward | 1024:.1896 16384:.2851
a100_80 | b5672a15 | layer_norm torch forward | 1024:.03414 4096:.1218 16384:.5067
a100_80 | b5672a15 | layer_norm torch full | 4096:.4314
a100_80 | b5672a15 | layer_norm liger forward | 1024:.03027 4096:.08816 16384:.3223
a100_80 | b5672a15 | layer_norm liger full | 16384:1.149
a100_80 | b5672a15 | rms_norm torch forward | 2048:.1363 8192:.519
a100_80 | b5672a15 | rms_norm torch backward | 4096:.7404
a100_80 | b5672a15 | rms_norm liger forward | 1024:.0136 4096:.03107 16384:.09526
a100_80 | b5672a15 | rms_norm liger backward | 8192:.178 32768:1.056
a100_80 | b5672a15 | rope torch forward | 1024:.2808 4096:.9948
a100_80 | b5672a15 | rope torch backward | 4096:1.187
a100_80 | b5672a15 | rope liger forward | 1024:.03443 4096:.109 16384:.4105
a100_80 | b5672a15 | rope liger backward | 16384:.4102
h100pcie | a307eac8 | kl_div torch forward | 4096:1.33
h100pcie | a307eac8 | kl_div torch full | 4096:2.855
h100pcie | a307eac8 | kl_div liger forward | 4096:.3064 8192:.5763
h100pcie | a307eac8 | kl_div liger full | 4096:2.04
h100pcie | 6817c2d3 | jsd torch forward | 4096:2.474
h100pcie | 6817c2d3 | jsd torch full | 4096:5.397
h100pcie | 6817c2d3 | jsd liger forward | 4096:.4652 8192:.9279
h100pcie | 6817c2d3 | jsd liger full | 4096:1.207
h100 | 5c9cecc8 | tvd torch forward | 4096:.7288
h100 | 5c9cecc8 | tvd torch backward | 4096:1.399
h100 | 5c9cecc8 | tvd liger forward | 4096:.2757
h100 | 5c9cecc8 | tvd liger backward | 4096:.8502
h100 | b7025a70 | fused_add_rms_norm torch forward | 4096:.1491 16384:.5092
h100 | b7025a70 | fused_add_rms_norm torch backward | 4096:.3927
h100 | b7025a70 | fused_add_rms_norm liger forward | 1024:.02053 4096:.04954 16384:.1838
h100 | b7025a70 | fused_add_rms_norm liger backward | 16384:.3005
h100 | b7025a70 | add_rms_norm liger forward | 8192:.1771
h100 | b7025a70 | add_rms_norm liger backward | 8192:.3857
h100 | 6a2c4913 | layer_norm torch forward | 1024:.02358 4096:.06618 16384:.3068
h100 | 6a2c4913 | layer_norm torch backward | 1024:.06051 4096:.1788 16384:.6424
h100 | 6a2c4913 | layer_norm liger forward | 1024:.01885 4096:.05104 16384:.1848
h100 | 6a2c4913 | layer_norm liger backward | 4096:.1663 16384:.5776
h100 | 10b6cdec | llama4_rope torch forward | 2048:.2066 8192:.7412
h100 | 10b6cdec | llama4_rope torch backward | 4096:.3974
h100 | 10b6cdec | llama4_rope liger forward | 16384:.4176
h100 | 10b6cdec | llama4_rope liger backward | 16384:.4175
h100 | 27fe47e2 | megatron_rms_norm torch forward | 1024:.01277 4096:.03248 8192:.0745 16384:.1492
h100 | 27fe47e2 | megatron_rms_norm torch full | 4096:.1629 16384:.6435
h100 | 27fe47e2 | megatron_rms_norm liger forward | 1024:.01216 4096:.02918 16384:.09501
h100 | 2120862b | megatron_swiglu torch forward | 1024:.05782 4096:.1976
h100 | 2120862b | megatron_swiglu torch full | 2048:.318 4096:.6033
h100 | 2120862b | megatron_swiglu liger forward | 1024:.02333 4096:.07251
h100 | 2120862b | megatron_swiglu liger full | 4096:.2668
h100 | 39a1f454 | relu_squared torch forward | 128:.008672 1024:.01693 8192:.09792
h100 | 39a1f454 | relu_squared torch backward | 1024:.03549 8192:.2355
h100 | 39a1f454 | relu_squared liger forward | 128:.007328 1024:.01126 8192:.05021
h100 | 39a1f454 | relu_squared liger backward | 128:.007936 1024:.01466 8192:.07235
rtx3090 | 5d25e468 | softmax_f torch forward | 128:.006144 1024:.02253 4096:.08323
rtx3090 | 5d25e468 | softmax_f torch full | 1024:.08397 4096:.3308
rtx3090 | 5d25e468 | softmax_f liger forward | 128:.007168 1024:.0215 4096:.07987
rtx3090 | 5d25e468 | softmax_b torch forward | 128:.006144 1024:.01434 4096:.06758
rtx3090 | 5d25e468 | softmax_b liger forward | 128:.006336 1024:.01331 4096:.04096
rtx3090 | e71b1e43 | sparsemax torch forward | 1024:.4229 4096:1.494
rtx3090 | e71b1e43 | sparsemax torch backward | 1024:.1812 4096:.6717
rtx3090 | e71b1e43 | sparsemax liger forward | 1024:.4147 4096:1.456
rtx3090 | e71b1e43 | sparsemax liger backward | 1024:.04403 4096:.1884
b200 | dea3a772 | group_norm torch forward | 32:.03069 128:.07168 512:.2581
b200 | dea3a772 | group_norm torch backward | 128:.1332 512:.3748
b200 | dea3a772 | group_norm liger forward | 32:.01754 128:.02662 512:.06352
b200 | dea3a772 | group_norm liger backward | 512:.127
"""
# What was current then.
OF_THE_TIME = {"b5672a15": "24", "a307eac8": "24", "6817c2d3": "24", "e71b1e43": "25",
               "5d25e468": "25", "6a2c4913": "25", "10b6cdec": "25", "dea3a772": "26",
               "5c9cecc8": "26", "39a1f454": "26", "b7025a70": "26", "27fe47e2": "26",
               "2120862b": "26"}
PYTHONS = {"24": ("torch==2.4.1", "transformers==4.44.2", "numpy<2"),
           "25": ("torch==2.7.1", "transformers==4.52.4"),
           "26": ("torch==2.10.0", "transformers==4.57.1")}
SETUP = r"""
import importlib, sys, types, torch
from torch import nn
F = nn.functional
b, f = torch.bfloat16, torch.float32

def r(*shape, t=f, grad=False):
    return torch.randn(shape).to(t).cuda().requires_grad_(grad)

def name(module, what):
    return getattr(importlib.import_module("liger_kernel." + module), what)

# Each gives what makes the outputs, the operands whose gradients are forgotten before
# a call (others are added to) and the gradients of the outputs: None, the output is a
# loss; "sum", its sum is one; "new", each call makes them.  A fourth: the operands that
# gradients are asked for.
def cross_entropy(liger, v):
    loss = name("transformers.cross_entropy", "LigerCrossEntropyLoss")() if liger \
        else nn.CrossEntropyLoss()
    x, target = r(16384, v, grad=True), torch.randint(v, (16384,)).cuda()
    return lambda: loss(x, target), [], None

def embedding(liger, v, b, t, d):
    table = name("transformers.experimental.embedding", "LigerEmbedding") if liger \
        else nn.Embedding
    table = table(v, d).cuda()
    ids = torch.randint(0, v, (b, t)).cuda()
    return lambda: table(ids), [], "new"

def embedding_768(liger, v): return embedding(liger, v, 32, 512, 768)
def embedding_4096(liger, v): return embedding(liger, v, 8, 2048, 4096)

def norm(layer, x):
    return lambda: layer(x), [x], [torch.randn_like(x)]

def layer_norm(liger, n):
    layer = name("transformers.layer_norm", "LigerLayerNorm")(hidden_size=n) if liger \
        else nn.LayerNorm(n, eps=1e-6)
    return norm(layer.cuda(), r(4096, n, grad=True))

class LlamaRMSNorm(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(n))
    def forward(self, x):
        y = x.to(f)
        y = y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + 1e-6)
        return self.weight * y.to(x.dtype)

def rms_norm(liger, n):
    layer = name("transformers.rms_norm", "LigerRMSNorm")(hidden_size=n, eps=1e-6) \
        if liger else LlamaRMSNorm(n)
    return norm(layer.cuda(), r(2048, n, t=b, grad=True))

def heads(seq, dim):
    return [r(1, seq, n, dim, t=b, grad=True) for n in (32, 8)]

def rope(liger, seq):
    q, k = (x.transpose(1, 2) for x in heads(seq, 256))
    angle = torch.outer(torch.arange(seq).float(),
                        10000 ** -(torch.arange(0, 256, 2) / 256)).repeat(1, 2)
    cos, sin = (y(angle)[None].to(b).cuda() for y in (torch.cos, torch.sin))
    ids = torch.arange(seq)[None].cuda()
    def turned(x):
        half = x.shape[-1] // 2
        return torch.cat((-x[..., half:], x[..., :half]), dim=-1)
    def plain():
        c, s = cos.unsqueeze(1), sin.unsqueeze(1)
        return q * c + turned(q) * s, k * c + turned(k) * s
    if liger:
        turn = name("transformers.rope", "liger_rotary_pos_emb")
    return (lambda: turn(q, k, cos, sin, ids)) if liger else plain, [], \
        [torch.randn_like(q), torch.randn_like(k)], (q, k)

def llama4_rope(liger, seq):
    q, k = heads(seq, 256)
    angle = torch.outer(torch.arange(seq).float(),
                        10000 ** -(torch.arange(0, 256, 2) / 256))
    turns = torch.polar(torch.ones_like(angle), angle)[None].cuda()
    def one(x):
        y = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
        return torch.view_as_real(y * turns[:, :, None, :]).flatten(3).type_as(x)
    if liger:
        turn = name("transformers.llama4_rope", "liger_llama4_text_rotary_pos_emb")
    return (lambda: turn(q, k, turns)) if liger else lambda: (one(q), one(k)), [], \
        [torch.randn_like(q), torch.randn_like(k)], (q, k)

# Gradients go on to what the first was made of.
def pair(loss, rows, v, log_x, log_y):
    x, y = (z.log_softmax(-1) if log else z.softmax(-1) for z, log in
            ((r(rows, v, grad=True), log_x), (r(rows, v), log_y)))
    return lambda: loss(x, y), [], None

def kl_div(liger, v):
    loss = name("transformers.kl_div", "LigerKLDIVLoss") if liger else nn.KLDivLoss
    return pair(loss(reduction="batchmean"), 16384, v, True, False)

def plain_jsd(q, p):
    kl = nn.KLDivLoss(reduction="batchmean", log_target=True)
    m = torch.lerp(torch.exp(p), torch.exp(q), 0.5)
    return 0.5 * kl(torch.log(m), p) + 0.5 * kl(torch.log(m), q)

def jsd(liger, v):
    return pair(name("transformers.jsd", "LigerJSD")() if liger else plain_jsd,
                8192, v, True, True)

def tvd(liger, v):
    loss = name("transformers.tvd", "LigerTVDLoss")(reduction="batchmean") if liger \
        else lambda p, q: torch.sum(torch.abs(p - q) / 2.0) / p.size(0)
    return pair(loss, 16384, v, False, False)

def plus_norm(layer, n):
    layer = layer.cuda()
    x, y = r(2048, n, grad=True), r(2048, n, grad=True)
    return lambda: layer(x, y), [x, y], [torch.randn_like(x), torch.randn_like(y)]

class AddNorm(nn.Module):
    def __init__(self, n, inner=None):
        super().__init__()
        self.weight, self.inner = nn.Parameter(torch.ones(n)), inner
    def forward(self, x, residual):
        residual = x.to(f) + residual.to(f)
        y = self.inner(residual) if self.inner else residual * torch.rsqrt(
            residual.pow(2).mean(-1, keepdim=True) + 1e-6)
        return self.weight * y.to(x.dtype), residual.to(x.dtype)

def fused_add_rms_norm(liger, n):
    return plus_norm(name("transformers.fused_add_rms_norm", "LigerFusedAddRMSNorm")(
        hidden_size=n, eps=1e-6) if liger else AddNorm(n), n)

def add_rms_norm(liger, n):
    return plus_norm(AddNorm(n, name("transformers.rms_norm", "LigerRMSNorm")(
        n, 1e-6, in_place=False)), n)

def megatron_rms_norm(liger, n):
    config = types.SimpleNamespace(
        normalization="RMSNorm", sequence_parallel=False,
        layernorm_zero_centered_gamma=False, persist_layer_norm=False,
        memory_efficient_layer_norm=False)
    layer = name("megatron", "LigerMegatronRMSNorm")(
        config=config, hidden_size=n, eps=1e-6) if liger else nn.RMSNorm(n, eps=1e-6)
    layer, x = layer.cuda().to(b), r(4096, 1, n, t=b, grad=True)
    return lambda: layer(x), [x], "sum"

def megatron_swiglu(liger, n):
    x = r(2048, 4, 2 * n, t=b, grad=True)
    def plain():
        y, z = torch.chunk(x, 2, -1)
        return F.silu(y) * z
    if liger:
        module = name("megatron", "LigerMegatronSwiGLU")()
    return (lambda: module(x, None, False, False)) if liger else plain, [x], "sum"

def relu_squared(liger, n):
    layer = name("transformers.relu_squared", "LigerReLUSquared")() if liger \
        else lambda x: torch.square(F.relu(x))
    return norm(layer, r(4096, n, t=b, grad=True))

def softmax(liger, n, t):
    layer = name("transformers.softmax", "LigerKernelSoftmax")() if liger else nn.Softmax(-1)
    return norm(layer, r(2048, n, t=t, grad=True))

def softmax_f(liger, n): return softmax(liger, n, f)
def softmax_b(liger, n): return softmax(liger, n, b)

def plain_sparsemax(x):
    ordered, _ = torch.sort(x, dim=-1, descending=True)
    sums = torch.cumsum(ordered, dim=-1)
    count = torch.arange(1, x.size(-1) + 1, device=x.device, dtype=x.dtype)[None]
    support = 1 + count * ordered > sums
    k = support.sum(dim=-1, keepdim=True).clamp(min=1)
    tau = ((ordered * support).sum(dim=-1, keepdim=True) - 1) / k
    return torch.clamp(x - tau, min=0)

def sparsemax(liger, n):
    layer = name("transformers.sparsemax", "LigerSparsemax")(dim=-1) if liger \
        else plain_sparsemax
    return norm(layer, r(2048, n, grad=True))

def group_norm(liger, c):
    layer = name("transformers.group_norm", "LigerGroupNorm")(
        num_channels=c, num_groups=c // 4, eps=1e-6) if liger \
        else nn.GroupNorm(num_groups=c // 4, num_channels=c, eps=1e-6)
    return norm(layer.cuda(), r(128, c, 512, grad=True))

def back(outputs, grads, of):
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    if grads == "sum":
        outputs, grads = (outputs[0].sum(),), None
    elif grads == "new":
        grads = [torch.randn_like(outputs[0])]
    if of:
        torch.autograd.grad(outputs, of, grads, retain_graph=True)
    else:
        torch.autograd.backward(outputs, grads, retain_graph=True)

def call_of(mode, forward, grads, of=None):
    if mode == "forward":
        return forward
    if mode == "full":
        return lambda: back(forward(), grads, of)
    outputs = forward()
    return lambda: back(outputs, grads, of)

flush = torch.empty(64_000_000, dtype=torch.int32, device="cuda")

for line in open(sys.argv[1]):
    kernel, provider, mode, size = line.split()
    forward, forgotten, *rest = globals()[kernel](provider == "liger", int(size))
    call = call_of(mode, forward, *rest)
    for _ in range(2):
        for x in forgotten:
            x.grad = None
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        flush.zero_()
        start.record()
        call()
        end.record()
        torch.cuda.synchronize()
    print("took", start.elapsed_time(end), flush=True)
    del forward, forgotten, rest, call
"""


def arguments():
    p = common.call_parser(__doc__)
    p.add_argument("--pythons", metavar="FOLDER", required=True)
    p.add_argument("-j", type=int, default=os.cpu_count(), metavar="N", dest="jobs")
    return p.parse_args()


def rows_of(a):
    """(GPU, commit, call, size, ms) of what was asked for."""
    for line in BENCH.strip().split("\n"):
        gpu, commit, call, points = (x.strip() for x in line.split("|"))
        if a.half in (None, common.half(call)) and \
                (not a.words or any(w in line for w in a.words)):
            for point in points.split():
                size, ms = point.split(":")
                yield gpu, commit, call, size, float(ms)


def pip(python, *what):
    subprocess.run([python, "-m", "pip", "install", "-q", *what], check=True)


def installed(folder, commit):
    """The interpreter for a commit of Liger-Kernel, and where that is."""
    def environment(path):
        subprocess.run([sys.executable, "-m", "venv", path], check=True)
        pip(os.path.join(path, "bin", "python"), "setuptools", *PYTHONS[year])
    year = OF_THE_TIME[commit]
    python = os.path.join(common.keep(folder, f"torch-{year}", environment),
                          "bin", "python")
    return python, common.keep(folder, f"liger-{commit}", lambda path: pip(
        python, "--no-deps", "--target", path,
        f"git+https://github.com/linkedin/Liger-Kernel@{commit}"))


def simulate(a, gpu, commit, rows):
    """What each row prints, ms; None where the program ended before."""
    python, packages = installed(os.path.abspath(a.pythons), commit)
    with tempfile.TemporaryDirectory() as work:
        script, bench = (os.path.join(work, x) for x in ("call.py", "bench"))
        with open(script, "w") as f:
            f.write(SETUP)
        with open(bench, "w") as f:
            f.writelines(f"{call} {size}\n" for _, _, call, size, _ in rows)
        done = subprocess.run(
            [a.teg, "exec", "--time", "-j", "1", "-g", gpu,
             "-o", os.path.join(work, "traces"), "--", python, script, bench],
            capture_output=True, text=True, env=dict(os.environ, PYTHONPATH=packages))
    took = [float(x.split()[1]) for x in done.stdout.splitlines() if x.startswith("took ")]
    if len(took) < len(rows):
        print(f"{gpu} {' '.join(rows[len(took)][2:4])}: {done.stderr[-2000:]}",
              file=sys.stderr)
    return took + [None] * (len(rows) - len(took))


def main():
    a = arguments()
    together = collections.defaultdict(list)
    for row in rows_of(a):
        together[row[0], row[1], row[2].split()[0]].append(row)
    errors = []
    if a.points:
        print("| GPU | call | size | half | published, us | here, us | error |")
        print("| --- | --- | ---: | --- | ---: | ---: | ---: |", flush=True)
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        groups = [(rows, pool.submit(simulate, a, *key[:2], rows))
                  for key, rows in together.items()]
        for rows, took in groups:
            for (gpu, _, call, size, published), ms in zip(rows, took.result()):
                if ms is None:
                    continue
                errors.append(ms / published - 1)
                if a.points:
                    print(f"| {gpu} | {call} | {size} | {common.half(call)} | "
                          f"{published * 1e3:.1f} | {ms * 1e3:.1f} | {errors[-1]:+.1%} |"
                          .replace("%", " %"), flush=True)
    common.print_mean(errors, "calls")
    return 0 if errors else 1


if __name__ == "__main__":
    sys.exit(main())
