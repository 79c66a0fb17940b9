# packages: torch==2.15.0 torchvision==0.29.2 numpy
"""PyTorch's convolutions and batch normalization by cuDNN, for which teg's kernels
stand: forwards and backwards, against PyTorch's CPU code."""
import torch
import torch.nn.functional as F
import torchvision
from client import run, same, step

torch.manual_seed(1)
LAYOUTS = (torch.contiguous_format, torch.channels_last)
# How far a result of each type may be off: a few of its last digits (floats: TF32's).
TYPES = {torch.float32: 2e-3, torch.float64: 1e-12, torch.float16: 4e-3,
         torch.bfloat16: 3e-2}


def near(got, want, off):
    same(got.detach().cpu().double(), want.detach().double(), off,
         off * want.abs().max().item())


def alike(shape, filters, type_, layout, *how):
    "A convolution and what it leaves of a gradient, on the device as on the CPU."
    x, w = torch.randn(shape).to(type_), torch.randn(filters).to(type_)
    dx, dw = (t.cuda().to(memory_format=layout).requires_grad_() for t in (x, w))
    cx, cw = (t.double().requires_grad_() for t in (x, w))
    got, want = F.conv2d(dx, dw, None, *how), F.conv2d(cx, cw, None, *how)
    gradient = torch.randn_like(want).to(type_)
    got.backward(gradient.cuda())
    want.backward(gradient.double())
    for g, w in ((got, want), (dx.grad, cx.grad), (dw.grad, cw.grad)):
        near(g, w, TYPES[type_])


@step
def types_and_layouts():
    for type_ in TYPES:
        for layout in LAYOUTS:
            alike((2, 16, 14, 13), (24, 16, 3, 3), type_, layout, 1, 1)
            alike((2, 8, 15, 13), (12, 8, 3, 5), type_, layout, 2, (1, 2))
            alike((2, 8, 9, 8), (16, 8, 1, 1), type_, layout)


@step
def groups_and_dilations():
    alike((2, 32, 12, 12), (64, 8, 3, 3), torch.float16, LAYOUTS[1], 1, 1, 1, 4)
    alike((2, 12, 12, 12), (12, 1, 3, 3), torch.float32, LAYOUTS[1], 2, 1, 1, 12)
    alike((2, 16, 14, 14), (16, 16, 3, 3), torch.float32, LAYOUTS[0], (2, 1), 2, 2)


@step
def lines_and_rooms():
    x, w = torch.randn(2, 8, 300), torch.randn(16, 8, 9)
    near(F.conv1d(x.cuda(), w.cuda(), None, 2, 4), F.conv1d(x, w, None, 2, 4), 2e-3)
    x, w = torch.randn(2, 8, 6, 7, 8), torch.randn(8, 4, 3, 3, 2)
    near(F.conv_transpose3d(x.cuda(), w.cuda(), None, 2, 1),
         F.conv_transpose3d(x, w, None, 2, 1), 2e-3)


@step
def exact_floats():
    torch.backends.cudnn.allow_tf32 = False
    x, w = torch.randn(2, 16, 14, 14), torch.randn(32, 16, 3, 3)
    near(F.conv2d(x.cuda(), w.cuda(), None, 1, 1), F.conv2d(x, w, None, 1, 1), 1e-5)


def network(layout):
    "Gradients of a small ResNet, floats not rounded."
    torch.backends.cudnn.allow_tf32 = False
    torch.manual_seed(2)
    net = torchvision.models.resnet.ResNet(
        torchvision.models.resnet.BasicBlock, [1, 1, 1, 1])
    there = torchvision.models.resnet.ResNet(
        torchvision.models.resnet.BasicBlock, [1, 1, 1, 1]).double()
    there.load_state_dict(net.state_dict())
    net = net.cuda().to(memory_format=layout)
    x, y = torch.randn(4, 3, 48, 48), torch.tensor([3, 5, 7, 9])
    F.cross_entropy(net(x.cuda().to(memory_format=layout)), y.cuda()).backward()
    F.cross_entropy(there(x.double()), y).backward()
    for g, w in zip(net.parameters(), there.parameters()):
        near(g.grad, w.grad, 1e-3)
    net.eval(), there.eval()
    with torch.no_grad():
        near(net(x.cuda()), there(x.double()), 1e-4)


@step
def residual_network():
    network(LAYOUTS[0])


@step
def residual_network_channels_last():
    network(LAYOUTS[1])


run()
