# packages: torch==2.15.0 torchvision==0.29.2 numpy
"""PyTorch's recurrent layers by cuDNN, for which teg's kernels stand: forwards and
backwards, against PyTorch's CPU code."""
import torch
from client import refused, run, same, step

torch.manual_seed(1)
# How far a result of each type may be off: a few of its last digits (floats: TF32's).
TYPES = {torch.float32: 4e-3, torch.float64: 1e-12, torch.float16: 8e-3,
         torch.bfloat16: 6e-2}


def near(got, want, off):
    same(got.detach().cpu().double(), want.detach().double(), off,
         off * want.abs().max().item())


def pair(kind, type_, *sizes, **how):
    "A layer there and on the CPU, with the same weights."
    there = kind(*sizes, **how).to(type_)
    here = kind(*sizes, **how).double()
    here.load_state_dict(there.state_dict())
    return there.cuda(), here


def alike(kind, type_, x, *sizes, lengths=None, **how):
    "What a layer gives and what it leaves of a gradient, states too."
    off = TYPES[type_]
    there, here = pair(kind, type_, *sizes, **how)
    x = x.to(type_)
    dx, cx = x.cuda().requires_grad_(), x.double().requires_grad_()
    if lengths is None:
        got, want = there(dx), here(cx)
    else:
        pack = torch.nn.utils.rnn.pack_padded_sequence
        got = there(pack(dx, lengths, enforce_sorted=False))
        want = here(pack(cx, lengths, enforce_sorted=False))
    flat = [[o[0] if lengths is None else o[0].data,
             *(o[1] if isinstance(o[1], tuple) else [o[1]])] for o in (got, want)]
    weights = [torch.randn(w.shape).to(type_) for w in flat[1]]
    sum((g * w.cuda()).sum() for g, w in zip(flat[0], weights)).backward()
    sum((g * w.double()).sum() for g, w in zip(flat[1], weights)).backward()
    for g, w in zip(*flat):
        near(g, w, off)
    near(dx.grad, cx.grad, off)
    for g, w in zip(there.parameters(), here.parameters()):
        near(g.grad, w.grad, off)


LAYERS = (torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN)


@step
def types():
    for type_ in TYPES:
        for kind in LAYERS:
            alike(kind, type_, torch.randn(5, 3, 16), 16, 24)


@step
def both_ways_and_layers():
    for kind in LAYERS:
        alike(kind, torch.float64, torch.randn(4, 3, 6), 6, 5, num_layers=3,
              bidirectional=True)
    alike(torch.nn.LSTM, torch.float16, torch.randn(6, 4, 32), 32, 64, num_layers=2,
          bidirectional=True)
    alike(torch.nn.RNN, torch.float32, torch.randn(4, 3, 8), 8, 16,
          nonlinearity="relu")


@step
def batch_first_and_no_bias():
    alike(torch.nn.GRU, torch.float64, torch.randn(3, 6, 7), 7, 9, batch_first=True,
          bias=False)
    alike(torch.nn.LSTM, torch.float64, torch.randn(6, 7), 7, 9)


@step
def packed_sequences():
    lengths = torch.tensor([3, 6, 1, 4])
    for kind in LAYERS:
        alike(kind, torch.float64, torch.randn(6, 4, 5), 5, 8, lengths=lengths,
              num_layers=2, bidirectional=True)


@step
def projections():
    for how in ({}, {"bias": False}):
        alike(torch.nn.LSTM, torch.float64, torch.randn(5, 3, 6), 6, 10, proj_size=4,
              num_layers=2, bidirectional=True, **how)
    alike(torch.nn.LSTM, torch.float64, torch.randn(5, 3, 6), 6, 10, proj_size=4,
          lengths=torch.tensor([5, 2, 3]))


@step
def exact_floats():
    torch.backends.cudnn.allow_tf32 = False
    there, here = pair(torch.nn.LSTM, torch.float32, 16, 24, num_layers=2)
    x = torch.randn(5, 3, 16)
    with torch.no_grad():
        near(there(x.cuda())[0], here(x.double())[0], 1e-5)
        near(there.eval()(x.cuda())[0], here(x.double())[0], 1e-5)
    torch.backends.cudnn.allow_tf32 = True


@step
def states_that_are_given():
    there, here = pair(torch.nn.LSTM, torch.float64, 6, 8, bidirectional=True)
    x, h, c = torch.randn(4, 3, 6), torch.randn(2, 3, 8), torch.randn(2, 3, 8)
    got = there(x.cuda().double(), (h.cuda().double(), c.cuda().double()))
    want = here(x.double(), (h.double(), c.double()))
    for g, w in ((got[0], want[0]), (got[1][0], want[1][0]), (got[1][1], want[1][1])):
        near(g, w, 1e-12)


@step
def dropout():
    "A quarter of what a layer hands on is 0, the rest more by a third, each call anew."
    net = torch.nn.RNN(64, 64, num_layers=2, dropout=0.25, bias=False,
                       nonlinearity="relu").cuda().double()
    with torch.no_grad():
        net.weight_ih_l0.copy_(torch.eye(64))
        net.weight_ih_l1.copy_(torch.eye(64))
        net.weight_hh_l0.zero_()
        net.weight_hh_l1.zero_()
    x = torch.rand(20, 8, 64, dtype=torch.double).cuda() + 1
    x.requires_grad_()
    y, again = net(x)[0], net(x)[0]
    y.sum().backward()
    kept = y.detach().cpu() > 0
    near(y, torch.where(kept, x.detach().cpu() / 0.75, 0), 1e-12)
    near(x.grad, kept.double() / 0.75, 1e-12)
    assert 0.73 < kept.double().mean() < 0.77, kept.double().mean()
    assert not torch.equal(y, again)
    near(net.eval()(x)[0], x.detach().cpu(), 1e-12)


@step
def what_is_refused():
    logits = torch.randn(12, 2, 5).cuda().log_softmax(2)
    length = torch.tensor([12, 12], dtype=torch.int32)
    refused(lambda: torch.nn.functional.ctc_loss(
        logits, torch.tensor([1, 2, 3, 4], dtype=torch.int32), length,
        torch.tensor([2, 2], dtype=torch.int32)), "NOT_SUPPORTED")


run()
