# packages: cupy-cuda13x[ctk]==14.2.0
"""CuPy: elementwise, reductions, sort, indexing, transforms, RawKernel, random, graphs."""
import cupy as cp
import numpy as np
from client import refused, run, same, step

x = np.random.default_rng(1).random((30, 100)).astype(np.float32)
on_device = cp.asarray(x)


@step
def elementwise():
    same(cp.sqrt(on_device * 2 + 1).get(), np.sqrt(x * 2 + 1), 1e-6)
    same((on_device > 0.5).get(), x > 0.5)
    same(cp.where(on_device > 0.5, on_device, 0).get(), np.where(x > 0.5, x, 0))


@step
def reductions():
    same(on_device.sum().get(), x.sum(), 1e-5)
    same(on_device.mean(axis=0).get(), x.mean(axis=0), 1e-5)
    same(on_device.max(axis=1).get(), x.max(axis=1))
    same(on_device.argmin().get(), x.argmin())
    same(on_device.std().get(), x.std(), 1e-5)


@step
def scans():
    same(cp.cumsum(on_device.ravel()).get(), np.cumsum(x.astype(float)), 1e-4)


@step
def sort():
    same(cp.sort(on_device.ravel()).get(), np.sort(x.ravel()))
    same(cp.argsort(on_device[0]).get(), np.argsort(x[0]))


@step
def indexing():
    i = np.arange(29, -1, -3)
    same(on_device[cp.asarray(i)].get(), x[i])
    same(on_device[on_device > 0.9].get(), x[x > 0.9])
    same(cp.unique(cp.asarray(i % 7)).get(), np.unique(i % 7))
    same(cp.bincount(cp.asarray(i % 7)).get(), np.bincount(i % 7))


@step
def transforms():
    y = np.random.default_rng(2).random((12, 30, 97))
    same(cp.fft.fftn(cp.asarray(y)).get().view(float),
         np.fft.fftn(y).view(float), 1e-10, 1e-10)
    same(cp.fft.irfft(cp.fft.rfft(cp.asarray(y)), n=97).get(), y, 1e-10, 1e-10)


@step
def raw_kernel():
    kernel = cp.RawKernel(r"""
        extern "C" __global__ void twice(const float *x, float *y, int n)
        {
            int i = blockDim.x * blockIdx.x + threadIdx.x;
            if (i < n) y[i] = 2 * x[i];
        }""", "twice")
    y = cp.empty_like(on_device)
    kernel((12,), (256,), (on_device, y, np.int32(x.size)))
    same(y.get(), 2 * x)


@step
def fused():
    @cp.fuse()
    def f(a, b):
        return cp.exp(-a) * b + 1
    same(f(on_device, on_device).get(), np.exp(-x) * x + 1, 1e-6)


@step
def streams_and_events():
    with cp.cuda.Stream() as stream:
        begin, end = cp.cuda.Event(), cp.cuda.Event()
        begin.record()
        y = on_device + 1
        end.record()
        stream.synchronize()
        assert cp.cuda.get_elapsed_time(begin, end) > 0
    same(y.get(), x + 1)


@step
def matrix_products():
    # By cuBLAS, for which teg's kernels stand.
    for type_, off in ((np.float32, 1e-5), (np.float64, 1e-12),
                       (np.float16, 4e-3)):
        a, b = x.astype(type_), x.T[:, :17].astype(type_)
        same((cp.asarray(a) @ cp.asarray(b)).get(), a @ b, off, off)
        same((cp.asarray(a) @ cp.asarray(a).T).get(), a @ a.T, off, off)
        same(cp.matmul(cp.asarray(np.stack([a, 2 * a])), cp.asarray(b)).get(),
             np.stack([a @ b, 2 * (a @ b)]), off, off)
    same(cp.dot(on_device[0], on_device[1]).get(), x[0] @ x[1], 1e-5)
    same((on_device @ on_device[3]).get(), x @ x[3], 1e-5)
    same(cp.outer(on_device[0], on_device[1]).get(), np.outer(x[0], x[1]), 1e-6)
    same(cp.linalg.norm(on_device).get(), np.linalg.norm(x), 1e-5)


@step
def linear_algebra():
    "By cuSOLVER and cuBLAS's batches."
    for type_, off in ((np.float32, 1e-4), (np.float64, 1e-11)):
        a = x[:20, :20].astype(type_)
        s, tall = a @ a.T + 20 * np.eye(20, dtype=type_), x[:, :20].astype(type_)
        on, spd, high = map(cp.asarray, (a, s, tall))
        same(cp.linalg.cholesky(spd).get(), np.linalg.cholesky(s), off, off)
        same(cp.linalg.inv(spd).get(), np.linalg.inv(s), off, off)
        same((on @ cp.linalg.solve(on, spd)).get(), s, 10 * off, 10 * off)
        same(cp.linalg.slogdet(spd)[1].get(), np.linalg.slogdet(s)[1], off)
        same(cp.linalg.eigh(spd)[0].get(), np.linalg.eigh(s)[0], off, off)
        q, r = cp.linalg.qr(high)
        same((q @ r).get(), tall, off, off)
        for full in (False, True):
            u, w, v = cp.linalg.svd(high, full_matrices=full)
            same(w.get(), np.linalg.svd(tall)[1], off, off)
            same((u[:, :20] * w @ v).get(), tall, off, off)
        same(cp.linalg.pinv(high).get(), np.linalg.pinv(tall), 10 * off, 10 * off)
        same(cp.linalg.inv(cp.stack([spd, spd]))[1].get(), np.linalg.inv(s), off, off)


@step
def fault():
    kernel = cp.RawKernel(r"""
        extern "C" __global__ void beyond(float *x)
        { x[threadIdx.x + 1000000000] = 1; }""", "beyond")

    def go():
        kernel((1,), (32,), (on_device,))
        cp.cuda.Device().synchronize()
    refused(go, "cudaErrorIllegalAddress|illegal memory access")


run()
