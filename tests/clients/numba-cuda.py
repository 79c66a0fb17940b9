# packages: numba-cuda[cu13]==0.30.4
"""numba-cuda: kernels, shared memory, atomics, reduce, a fault."""
import numpy as np
from client import refused, run, same, step
from numba import cuda, float32, int32

numbers = np.random.default_rng(1).random(5000, dtype=np.float32)


@cuda.jit
def scale(x, y, a):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = a * x[i] + y[i]


@step
def kernel():
    y = np.ones_like(numbers)
    scale[20, 256](numbers, y, np.float32(2))
    same(y, np.float32(2) * numbers + 1, 1e-6)


@cuda.jit
def multiply(a, b, c):
    left = cuda.shared.array((16, 16), float32)
    right = cuda.shared.array((16, 16), float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for k in range(a.shape[1] // 16):
        left[tx, ty] = a[x, ty + k * 16]
        right[tx, ty] = b[tx + k * 16, y]
        cuda.syncthreads()
        for j in range(16):
            total += left[tx, j] * right[j, ty]
        cuda.syncthreads()
    c[x, y] = total


@step
def shared_memory():
    a, b = numbers[:2048].reshape(32, 64), numbers[2048:4096].reshape(64, 32)
    c = cuda.device_array((32, 32), np.float32)
    multiply[(2, 2), (16, 16)](cuda.to_device(a), cuda.to_device(b), c)
    same(c.copy_to_host(), a @ b, 1e-5)


@cuda.jit
def histogram(x, bins):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(bins, int(x[i] * 16), 1)


@step
def atomics():
    bins = np.zeros(16, np.int32)
    histogram[20, 256](numbers, bins)
    same(bins, np.histogram(numbers, 16, (0, 1))[0])


@step
def reduce():
    add = cuda.reduce(lambda a, b: a + b)
    same(add(np.arange(5000, dtype=np.int64)), 5000 * 4999 // 2)
    same(cuda.reduce(lambda a, b: max(a, b))(numbers, init=0.0), numbers.max())


@cuda.jit
def shuffled(x, y):
    i = cuda.grid(1)
    v = x[i]
    for d in (16, 8, 4, 2, 1):
        v += cuda.shfl_xor_sync(-1, v, d)
    y[i] = v


@step
def shuffle():
    x = np.arange(128, dtype=np.int32)
    y = np.zeros_like(x)
    shuffled[1, 128](x, y)
    same(y, np.repeat(x.reshape(4, 32).sum(1), 32))


@cuda.vectorize("float32(float32, float32)", target="cuda")
def hypotenuse(a, b):
    return (a * a + b * b) ** 0.5


@step
def vectorize():
    same(hypotenuse(numbers, numbers[::-1].copy()),
         np.hypot(numbers, numbers[::-1]), 1e-5)


@step
def streams_and_events():
    stream = cuda.stream()
    begin, end = cuda.event(), cuda.event()
    x = cuda.to_device(numbers, stream)
    y = cuda.to_device(np.zeros_like(numbers), stream)
    begin.record(stream)
    scale[20, 256, stream](x, y, np.float32(3))
    end.record(stream)
    stream.synchronize()
    same(y.copy_to_host(), np.float32(3) * numbers, 1e-6)
    assert begin.elapsed_time(end) > 0


@cuda.jit
def beyond(x):
    x[cuda.grid(1) + 100000000] = 1


@step
def fault():
    x = cuda.to_device(np.zeros(10, np.int32))

    def go():
        beyond[1, 32](x)
        cuda.synchronize()
    refused(go, "ILLEGAL_ADDRESS")


run()
