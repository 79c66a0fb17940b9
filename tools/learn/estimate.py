"""An estimate of a launch's time as a sum of products of its features, none of
which takes time away: what a kernel's time grows by, far beyond the samples.

Each term is what a part of the chip has to do; a chip of its own has its own
coefficients, which are fitted to the samples' times (non-negative least squares
of relative errors).  Trees then learn by what factor it is off.
"""
import numpy as np

# Features whose product a part of the chip takes time for.
TERMS = (
    (),  # a launch
    ("blocks",),
    ("warp_cycles",),  # what is waited for by one warp, by all in turn ...
    ("warp_cycles", "blocks", "threads_per_block"),
    ("longest_warp",),
    ("warp_instructions",),  # issue
    ("block_issues",),
    ("block_passes",),  # what an SM's accesses go through
    ("block_passes", "blocks"),
    ("doubles",),
    ("special",),
    ("tensor",),
    ("shared_bytes", "conflict_degree"),
    ("atomic_turns",),
    ("global_bytes", "sector_degree"),  # caches
    ("touched_bytes",),  # DRAM
    ("hottest_word",),
)


def usable(features):
    """The terms whose features are all there, as numbers of features."""
    return [tuple(features.index(n) for n in t) for t in TERMS
            if all(n in features for n in t)]


def columns(x, terms):
    """A column for each term, of the 32-bit features that a forest's reader has."""
    x = np.asarray(x, dtype=np.float32).astype(float)
    return np.column_stack([np.prod(x[:, list(t)], axis=1) for t in terms])


def fitted(a, y):
    """A coefficient for each column of `a`, none below 0."""
    from scipy.optimize import nnls
    scale = a.max(axis=0)
    scale[scale == 0] = 1
    return nnls(a / scale / y[:, None], np.ones(len(y)))[0] / scale


def values(a, coefficients, least):
    """What it says of rows of columns, never less than `least`."""
    return np.maximum(a @ coefficients, least)
