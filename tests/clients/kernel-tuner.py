# packages: kernel-tuner==1.5.0 cupy-cuda13x[ctk]==14.2.0
"""Kernel Tuner, CuPy backend: tunes one kernel end to end."""
import tempfile

import kernel_tuner
import numpy as np
from client import run, step

SOURCE = """
extern "C" __global__ void add(float *c, const float *a, const float *b, int n)
{
    int i = (blockIdx.x * block_size_x + threadIdx.x) * PER_THREAD;
    for (int k = 0; k < PER_THREAD; k++)
        if (i + k < n)
            c[i + k] = a[i + k] + b[i + k];
}
"""


@step
def tune():
    n = np.int32(10000)
    a, b = np.random.default_rng(1).random((2, n), dtype=np.float32)
    c = np.zeros_like(a)
    parameters = {"block_size_x": [64, 128, 256], "PER_THREAD": [1, 4]}
    with tempfile.TemporaryDirectory() as directory:
        results, environment = kernel_tuner.tune_kernel(
            "add", SOURCE, n, [c, a, b, n], parameters, lang="cupy",
            grid_div_x=["block_size_x", "PER_THREAD"], iterations=3,
            answer=[a + b, None, None, None],
            cache=directory + "/cache.json")
    assert len(results) == 6, results
    for r in results:
        assert r["time"] > 0, r
    assert "A100" in environment["device_name"], environment


run()
