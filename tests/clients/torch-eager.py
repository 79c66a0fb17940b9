# packages: torch==2.15.0 numpy
"""PyTorch, eager: what its own kernels compute, against numpy or its CPU code."""
import numpy as np
import torch
import torch.nn.functional as F
from client import refused, run, same, step

torch.manual_seed(1)
x = torch.randn(8, 12, 40)


def alike(function, *tensors, relative=1e-5, absolute=1e-6):
    "The same on the device as on the CPU."
    want = function(*tensors)
    got = function(*(t.cuda() for t in tensors))
    same(got.detach().cpu(), want.detach(), relative, absolute)


@step
def elementwise():
    same((x.cuda() * 2 + 1).cpu(), x.numpy() * 2 + 1, 1e-6)
    same(torch.exp(x.cuda()).cpu(), np.exp(x.numpy()), 1e-5)
    alike(F.gelu, x)
    alike(torch.sigmoid, x)
    alike(lambda t: t.half().float() + t.bfloat16().float(), x)
    alike(lambda t: torch.where(t > 0, t, t * 0.1), x)


@step
def reductions():
    same(x.cuda().sum().cpu(), x.numpy().sum(), 1e-4, 1e-4)
    alike(lambda t: t.mean(0), x)
    alike(lambda t: t.var(-1), x)
    alike(lambda t: t.amax((0, 2)), x)
    alike(lambda t: t.argmax(1), x)
    alike(lambda t: t.cumsum(2), x, absolute=1e-5)
    alike(lambda t: t.norm(), x)
    alike(lambda t: torch.logsumexp(t, 1), x)


@step
def sort():
    same(torch.sort(x.cuda()).values.cpu(), np.sort(x.numpy()))
    alike(lambda t: torch.sort(t.flatten(), descending=True).values, x)
    alike(lambda t: t.topk(5).values, x)
    alike(lambda t: torch.unique((t * 3).int()), x)


@step
def indexing():
    i = torch.tensor([3, 0, 7, 3])
    same(x.cuda()[i.cuda()].cpu(), x.numpy()[i.numpy()])
    alike(lambda t: t[t > 1], x)
    alike(lambda t, j: t.gather(0, j), x, torch.randint(0, 8, (8, 12, 40)))
    alike(lambda t, j: torch.zeros_like(t).index_add(0, j, t[:4]), x, i)
    alike(lambda t, j: torch.zeros_like(t).scatter_add(0, j, t), x,
          torch.randint(0, 8, (8, 12, 40)))
    alike(lambda t: torch.cat([t, t.flip(0)], 1).transpose(0, 2).contiguous(), x)
    alike(lambda t: t.nonzero(), (x > 1).int())


@step
def normalization():
    alike(lambda t: F.softmax(t, -1), x)
    alike(lambda t: F.layer_norm(t, (40,)), x)
    alike(lambda t: F.rms_norm(t, (40,)), x)
    alike(lambda t: F.group_norm(t, 3), x)
    with torch.backends.cudnn.flags(enabled=False):
        alike(lambda t: F.batch_norm(t, None, None, training=True), x)


@step
def pooling_and_loss():
    alike(lambda t: F.max_pool2d(t, 2), x)
    alike(lambda t: F.avg_pool2d(t, 2), x)
    alike(lambda t: F.interpolate(t[None], scale_factor=2, mode="bilinear"), x)
    alike(lambda t, j: F.cross_entropy(t[0], j), x, torch.randint(0, 40, (12,)))
    alike(lambda t, j: F.embedding(j, t[0]), x, torch.randint(0, 12, (5, 3)))


@step
def random_numbers():
    # Philox, which depends on the size of the launch; so their moments.
    torch.cuda.manual_seed(1)
    r = torch.rand(20000, device="cuda").cpu()
    assert 0 <= r.min() and r.max() < 1 and abs(r.mean() - 0.5) < 0.01
    n = torch.randn(20000, device="cuda").cpu()
    assert abs(n.mean()) < 0.03 and abs(n.std() - 1) < 0.03
    p = torch.randperm(1000, device="cuda").cpu()
    same(p.sort().values, np.arange(1000))
    torch.cuda.manual_seed(1)
    same(torch.rand(20000, device="cuda").cpu(), r)
    dropped = F.dropout(torch.ones(20000, device="cuda"), 0.25)
    assert abs((dropped == 0).float().mean().item() - 0.25) < 0.02


@step
def flash_attention():
    q, k, v = torch.randn(3, 1, 2, 64, 32).half()
    want = F.scaled_dot_product_attention(q.float(), k.float(), v.float(),
                                          is_causal=True)
    from torch.nn.attention import SDPBackend, sdpa_kernel
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        got = F.scaled_dot_product_attention(q.cuda(), k.cuda(), v.cuda(),
                                             is_causal=True)
    same(got.cpu().float(), want, 1e-2, 2e-3)


@step
def efficient_attention():
    q, k, v = torch.randn(3, 1, 2, 64, 32)
    from torch.nn.attention import SDPBackend, sdpa_kernel
    want = F.scaled_dot_product_attention(q, k, v)
    with sdpa_kernel(SDPBackend.EFFICIENT_ATTENTION):
        got = F.scaled_dot_product_attention(q.cuda(), k.cuda(), v.cuda())
    same(got.cpu(), want, 1e-2, 2e-3)


def gradients(function, *tensors):
    leaves = [t.clone().requires_grad_() for t in tensors]
    function(*leaves).backward()
    return [t.grad.cpu() for t in leaves]


@step
def backward():
    def loss(t, w):
        h = F.layer_norm(F.gelu(t), (40,), w)
        return F.softmax(h, -1).pow(2).sum() + t.abs().mean()
    w = torch.rand(40)
    want = gradients(loss, x, w)
    got = gradients(loss, x.cuda(), w.cuda())
    for g, t in zip(got, want):
        same(g, t, 1e-4, 1e-5)


@step
def flash_attention_backward():
    q, k, v = torch.randn(3, 1, 2, 64, 32).half()
    from torch.nn.attention import SDPBackend, sdpa_kernel

    def loss(*qkv):
        return F.scaled_dot_product_attention(*qkv).float().pow(2).sum()
    want = gradients(loss, q.float(), k.float(), v.float())
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        got = gradients(loss, q.cuda(), k.cuda(), v.cuda())
    for g, t in zip(got, want):
        same(g.float(), t, 2e-2, 1e-2)


def stepped(optimizer, device, **options):
    p = torch.nn.Parameter(x.clone().to(device))
    o = optimizer([p], lr=0.1, **options)
    for _ in range(2):
        o.zero_grad()
        (p.sin() ** 2).sum().backward()
        o.step()
    return p.detach().cpu()


@step
def optimizers():
    for optimizer, options in ((torch.optim.SGD, {"momentum": 0.9}),
                               (torch.optim.AdamW, {}),
                               (torch.optim.AdamW, {"fused": True})):
        same(stepped(optimizer, "cuda", **options),
             stepped(optimizer, "cpu", **options), 1e-4, 1e-5)


@step
def graphs():
    static = x.cuda()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = (static * 3).sum(0)
    static.copy_(x * 2)
    graph.replay()
    same(result.cpu(), (x * 6).sum(0), 1e-5, 1e-5)


@step
def transforms():
    for n in (64, 97):
        y = torch.randn(3, 12, n)
        same(torch.view_as_real(torch.fft.rfft2(y.cuda()).cpu()),
             torch.view_as_real(torch.fft.rfft2(y)), 1e-4, 1e-4)
        same(torch.fft.irfft(torch.fft.rfft(y.cuda()), n=n).cpu(), y, 1e-5, 1e-5)
        same(torch.view_as_real(torch.fft.fft(y.cuda().double(), dim=1).cpu()),
             torch.view_as_real(torch.fft.fft(y.double(), dim=1)), 1e-12, 1e-12)


@step
def library_calls_are_refused():
    # What needs cuDNN; cuBLAS is in torch-linear.py.
    refused(lambda: F.conv2d(x[None].cuda(), torch.ones(4, 8, 3, 3).cuda()).cpu(),
            "CUDNN|cuDNN")


@step
def fault():
    def go():
        x.cuda()[torch.tensor([100]).cuda()]
        torch.cuda.synchronize()
    refused(go, "device-side assert")


run()
