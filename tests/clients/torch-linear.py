# packages: torch==2.15.0 numpy
"""PyTorch's products by cuBLAS and cuBLASLt, for which teg's kernels stand:
layers forwards and backwards, against PyTorch's CPU code."""
import torch
import torch.nn.functional as F
from client import refused, run, same, step

torch.manual_seed(1)
# How far a result of each type may be off: a few of its last digits.
TYPES = {torch.float32: 1e-5, torch.float64: 1e-12, torch.float16: 4e-3,
         torch.bfloat16: 3e-2}


def alike(function, shapes):
    "The same on the device as on the CPU, for every type of element."
    for type_, off in TYPES.items():
        tensors = [torch.randn(s).to(type_) for s in shapes]
        want = function(*tensors)
        got = function(*(t.cuda() for t in tensors))
        same(got.cpu().double(), want.double(), off,
             off * want.abs().max().item())


class Layers(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(96, 256)
        self.second = torch.nn.Linear(256, 64)
        self.last = torch.nn.Linear(64, 10, bias=False)

    def forward(self, x):
        return self.last(F.relu(self.second(F.gelu(self.first(x)))))


def trained(device, type_):
    "Losses of three steps, and the last gradients."
    torch.manual_seed(2)
    layers = Layers().to(device)
    x, y = torch.randn(128, 96).to(device), torch.randint(10, (128,)).to(device)
    optimizer = torch.optim.SGD(layers.parameters(), lr=0.05, momentum=0.9)
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        with torch.autocast(device, type_, enabled=type_ != torch.float32):
            loss = F.cross_entropy(layers(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, [p.grad.cpu() for p in layers.parameters()]


@step
def training_step():
    losses, gradients = trained("cuda", torch.float32)
    want, there = trained("cpu", torch.float32)
    same(losses, want, 1e-5)
    for g, w in zip(gradients, there):
        same(g, w, 1e-3, 1e-5)


@step
def training_step_in_bfloat16():
    losses, gradients = trained("cuda", torch.bfloat16)
    want, there = trained("cpu", torch.bfloat16)
    same(losses, want, 1e-2)
    for g, w in zip(gradients, there):
        same(g, w, 0.1, 2e-3)


@step
def products():
    alike(lambda a, b: a @ b, ((33, 70), (70, 45)))
    alike(lambda a, b: a.T @ b, ((70, 33), (70, 45)))
    alike(lambda a, b: a @ b.T, ((64, 72), (48, 72)))
    alike(lambda a, b: a.T @ b.T, ((72, 40), (48, 72)))
    alike(lambda a, b: a[:, 3:50] @ b[3:50], ((33, 70), (70, 45)))
    alike(lambda a, b: a @ b, ((33, 70), (70,)))
    alike(lambda a, b: a @ b, ((700,), (700,)))
    alike(lambda a, b: a @ b, ((16, 2000), (2000, 24)))


@step
def sums_and_products():
    alike(lambda c, a, b: torch.addmm(c, a, b, beta=0.5, alpha=2),
          ((33, 45), (33, 70), (70, 45)))
    alike(F.linear, ((64, 96), (128, 96), (128,)))
    alike(lambda x, w, b: F.linear(x, w, b), ((2, 7, 96), (40, 96), (40,)))
    alike(lambda c, a, b: torch.baddbmm(c, a, b),
          ((5, 33, 45), (5, 33, 70), (5, 70, 45)))


@step
def batches():
    alike(torch.bmm, ((5, 33, 70), (5, 70, 45)))
    alike(lambda a, b: a @ b.transpose(1, 2), ((8, 24, 32), (8, 40, 32)))
    alike(lambda a, b: torch.einsum("bhik,bhjk->bhij", a, b),
          ((2, 3, 24, 32), (2, 3, 40, 32)))


@step
def tf32():
    a, b = torch.randn(64, 96), torch.randn(96, 80)
    torch.backends.cuda.matmul.allow_tf32 = True
    got = (a.cuda() @ b.cuda()).cpu()
    torch.backends.cuda.matmul.allow_tf32 = False
    exact = (a.cuda() @ b.cuda()).cpu()
    want = a @ b
    same(exact, want, 1e-5, 1e-5)
    same(got, want, 1e-2, 3e-2)
    assert (got != exact).any()


@step
def attention_by_products():
    from torch.nn.attention import SDPBackend, sdpa_kernel
    q, k, v = torch.randn(3, 2, 2, 40, 32)
    want = F.scaled_dot_product_attention(q, k, v)
    with sdpa_kernel(SDPBackend.MATH):
        got = F.scaled_dot_product_attention(q.cuda(), k.cuda(), v.cuda())
    same(got.cpu(), want, 1e-4, 1e-5)


@step
def a_graph():
    w, x = torch.randn(64, 64).cuda(), torch.randn(32, 64).cuda()
    for _ in range(2):
        F.linear(x, w)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = F.linear(x, w)
    x.copy_(x * 2)
    graph.replay()
    same(result.cpu(), (x @ w.T).cpu(), 1e-5, 1e-5)


@step
def what_there_is_not():
    refused(lambda: (torch.randn(4, 4, dtype=torch.complex64).cuda() @
                     torch.randn(4, 4, dtype=torch.complex64).cuda()).cpu(),
            "CUBLAS_STATUS_NOT_SUPPORTED")


run()
