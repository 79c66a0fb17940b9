# packages: warp-lang==1.19.0 numpy
# fails: warp.so carries the vendor's runtime inside
"""Warp: kernels, vectors, reductions by tile and by atomic, gradients."""
import numpy as np
import warp as wp
from client import run, same, step

wp.init()
x = np.random.default_rng(1).random(2000).astype(np.float32)


@wp.kernel
def scale(a: wp.array(dtype=float), b: wp.array(dtype=float), s: float):
    i = wp.tid()
    b[i] = s * a[i] + wp.sin(a[i])


@step
def kernel():
    a = wp.array(x, dtype=float, device="cuda")
    b = wp.zeros_like(a)
    wp.launch(scale, dim=x.size, inputs=[a, b, 2.0], device="cuda")
    same(b.numpy(), 2 * x + np.sin(x), 1e-5)


@wp.kernel
def lengths(a: wp.array(dtype=wp.vec3), total: wp.array(dtype=float)):
    wp.atomic_add(total, 0, wp.length(a[wp.tid()]))


@step
def vectors_and_atomics():
    v = x[:999].reshape(333, 3)
    total = wp.zeros(1, dtype=float, device="cuda")
    wp.launch(lengths, dim=333,
              inputs=[wp.array(v, dtype=wp.vec3, device="cuda"), total],
              device="cuda")
    same(total.numpy()[0], np.linalg.norm(v, axis=1).sum(), 1e-5)


@wp.kernel
def squares(a: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, a[i] * a[i])


@step
def gradient():
    a = wp.array(x, dtype=float, device="cuda", requires_grad=True)
    loss = wp.zeros(1, dtype=float, device="cuda", requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(squares, dim=x.size, inputs=[a, loss], device="cuda")
    tape.backward(loss)
    same(a.grad.numpy(), 2 * x, 1e-6)


@step
def scan_and_sort():
    a = wp.array(x, dtype=float, device="cuda")
    out = wp.zeros_like(a)
    wp.utils.array_scan(a, out)
    same(out.numpy(), np.cumsum(x.astype(float)), 1e-4)


run()
