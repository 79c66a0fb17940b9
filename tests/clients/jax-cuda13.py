# packages: jax[cuda13]==0.10.2 numpy
# fails: libcupti.so.13 carries the vendor's runtime inside
"""JAX: what XLA compiles of elementwise work, reductions, products."""
import jax
import jax.numpy as jnp
import numpy as np
from client import run, same, step

x = np.random.default_rng(1).random((20, 50)).astype(np.float32)


@step
def device():
    assert jax.devices()[0].platform == "gpu", jax.devices()


@step
def elementwise():
    same(jax.jit(lambda t: jnp.sin(t) * 2 + 1)(x), np.sin(x) * 2 + 1, 1e-6)


@step
def reduction():
    same(jax.jit(jnp.sum)(x), x.sum(), 1e-5)
    same(jax.nn.softmax(x), np.exp(x) / np.exp(x).sum(1, keepdims=True), 1e-5)


@step
def sort():
    same(jnp.sort(x.ravel()), np.sort(x.ravel()))


@step
def gradient():
    same(jax.grad(lambda t: jnp.sum(t ** 3))(x), 3 * x ** 2, 1e-5)


run()
