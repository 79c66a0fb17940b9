# packages: torch==2.15.0 numpy
"""torch.compile: fused pointwise, reductions, Triton's GEMM, a training step."""
import torch
import torch._inductor.config as inductor
import torch.nn.functional as F
from client import run, same, step

inductor.force_disable_caches = True
inductor.compile_threads = 1
inductor.max_autotune_gemm_backends = "TRITON"
inductor.max_autotune_conv_backends = "TRITON"
torch.manual_seed(1)
x = torch.randn(16, 64)


def alike(function, *tensors, relative=1e-4, absolute=1e-5, **options):
    want = function(*tensors)
    torch._dynamo.reset()
    got = torch.compile(function, **options)(*(t.cuda() for t in tensors))
    same(got.detach().cpu(), want.detach(), relative, absolute)


@step
def pointwise():
    alike(lambda t: F.gelu(t * 2 + 1) * t.sigmoid(), x)


@step
def reduction():
    alike(lambda t: F.softmax(t, -1).sum(0), x)
    alike(lambda t: F.layer_norm(t, (64,)), x)


@step
def matmul():
    alike(lambda a, b: F.relu(a @ b), x, torch.randn(64, 32),
          mode="max-autotune-no-cudagraphs", relative=1e-2, absolute=2e-2)


@step
def convolution():
    alike(lambda a, w: F.conv2d(a, w, padding=1), torch.randn(1, 16, 8, 8),
          torch.randn(16, 16, 3, 3), mode="max-autotune-no-cudagraphs",
          relative=1e-2, absolute=5e-2)


@step
def training():
    def gradient(device):
        t = x.to(device).requires_grad_()
        torch._dynamo.reset()
        loss = torch.compile(lambda u: F.gelu(u).softmax(-1).pow(2).sum())
        loss(t).backward()
        return t.grad.cpu()
    want = x.clone().requires_grad_()
    F.gelu(want).softmax(-1).pow(2).sum().backward()
    same(gradient("cuda"), want.grad, 1e-4, 1e-6)


run()
