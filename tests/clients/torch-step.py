# packages: torch==2.15.0 numpy
"""A training step of a small transformer: torch.compile, products by Triton.

Two layers of width 128, two heads, 64 tokens, a batch of two, bfloat16 by
autocast; forward, backward, AdamW.  The first two steps compile and fill what
is made once, the third begins behind a synchronisation, the last but one of the
program: from there on its score is that of a warm step.
"""
import torch
import torch._inductor.config as inductor
import torch.nn as nn
import torch.nn.functional as F
from client import run, same, step

WIDTH, HEADS, TOKENS, BATCH, LAYERS, WORDS = 128, 2, 64, 2, 2, 256

inductor.compile_threads = 1
inductor.max_autotune_gemm = True
inductor.max_autotune_gemm_backends = "TRITON"
# What is measured in the emulator is no reason to choose: the first of each.
inductor.test_configs.max_mm_configs = 1


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.before = nn.LayerNorm(WIDTH)
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.behind = nn.LayerNorm(WIDTH)
        self.wide = nn.Linear(WIDTH, 4 * WIDTH)
        self.narrow = nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        q, k, v = (t.view(BATCH, TOKENS, HEADS, -1).transpose(1, 2)
                   for t in self.qkv(self.before(x)).chunk(3, -1))
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(a.transpose(1, 2).reshape(BATCH, TOKENS, WIDTH))
        return x + self.narrow(F.gelu(self.wide(self.behind(x))))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.places = nn.Parameter(torch.randn(TOKENS, WIDTH) * 0.02)
        self.layers = nn.Sequential(*(Layer() for _ in range(LAYERS)))
        self.last = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, WORDS)

    def forward(self, words, wanted):
        x = self.layers(self.words(words) + self.places)
        return F.cross_entropy(self.head(self.last(x)).flatten(0, 1).float(),
                               wanted.flatten())


def trained(device, mixed):
    "The losses of three steps, and the gradients of the first."
    torch.manual_seed(1)
    model = Transformer().to(device)
    words = torch.randint(0, WORDS, (BATCH, TOKENS + 1)).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    loss_of = torch.compile(model) if device == "cuda" else model
    losses, gradients = [], []
    for _ in range(3):
        if device == "cuda":
            torch.cuda.synchronize()
        with torch.autocast(device, torch.bfloat16, enabled=mixed):
            loss = loss_of(words[:, :-1], words[:, 1:])
        loss.backward()
        optimizer.step()
        if device == "cuda":
            torch.cuda.synchronize()
        if not losses:
            gradients = [p.grad.cpu().clone() for p in model.parameters()]
        losses.append(loss.item())
        optimizer.zero_grad()
    return losses, gradients


@step
def training():
    want, of_cpu = trained("cpu", False)
    got, of_gpu = trained("cuda", True)
    print("losses", *(f"{x:.4f}" for x in got), "on the CPU",
          *(f"{x:.4f}" for x in want))
    same(got, want, relative=1e-3)
    assert got[2] < got[1] < got[0]
    for g, w in zip(of_gpu, of_cpu):
        assert (g - w).norm() < 0.03 * w.norm() + 1e-6


run()
