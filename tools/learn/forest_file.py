"""Writes trained forests as teg reads them: docs/forest-format.md.

Thresholds are rounded down to 32-bit floats.  scikit-learn compares a 32-bit
feature x with a 64-bit threshold t, and x <= t exactly when x is not above
the greatest 32-bit float that is not above t: no decision changes.
"""
import math
import os
import struct
import zlib

import numpy as np

MAGIC = b"tegtrees"
VERSION, VERSION_OVER = 1, 2  # the second once a model is over an estimate


def varint(v):
    out = bytearray()
    while v > 0x7F:
        out.append(v & 0x7F | 0x80)
        v >>= 7
    out.append(v)
    return bytes(out)


def text(s):
    raw = s.encode()
    return varint(len(raw)) + raw


def floor32(t):
    """The greatest 32-bit float that is not above each of `t`."""
    near = t.astype(np.float32)
    return np.where(near.astype(np.float64) > t,
                    np.nextafter(near, np.float32(-np.inf)), near)


def _tree(tree, number_of):
    """The nodes of a scikit-learn tree in preorder."""
    left, right, feature = tree.children_left, tree.children_right, tree.feature
    threshold = floor32(tree.threshold)
    value = tree.value[:, 0, 0]
    out, todo = [], [0]
    while todo:
        i = todo.pop()
        if left[i] < 0:
            out.append(b"\0" + varint(number_of[value[i]]))
        else:
            out.append(struct.pack("<Bf", feature[i] + 1, threshold[i]))
            todo += [right[i], left[i]]
    return varint(len(out)) + b"".join(out)


class Model:
    """One forest with what is said about it.

    regressor   a fitted scikit-learn forest
    x, y        what it was fitted to; y in `unit`, not its logarithm
    is_log      it was fitted to the natural logarithm of y
    sample_out, kernel_out   MAPE in percent, None: not measured
    over        [(coefficient, (number of a feature, ...))]: the logarithm is of y
                over this sum of products; None: of y
    """

    def __init__(self, gpu, target, unit, regressor, x, y, is_log,
                 sample_out=None, kernel_out=None, over=None):
        self.gpu, self.target, self.unit = gpu, target, unit
        self.regressor, self.is_log = regressor, is_log
        self.x = np.asarray(x, dtype=np.float32)
        self.y = np.asarray(y, dtype=np.float64)
        self.sample_out = math.nan if sample_out is None else sample_out
        self.kernel_out = math.nan if kernel_out is None else kernel_out
        self.over = over

    def _estimate(self):
        if self.over is None:
            return b""
        return varint(len(self.over)) + b"".join(
            struct.pack("<d", c) + varint(len(t)) + b"".join(map(varint, t))
            for c, t in self.over)

    def packed(self):
        trees = [e.tree_ for e in self.regressor.estimators_]
        leaves = np.unique(np.concatenate(
            [t.value[t.children_left < 0, 0, 0] for t in trees]))
        number_of = {v: i for i, v in enumerate(leaves)}
        out = [text(self.gpu), text(self.target), text(self.unit),
               bytes([2 if self.over else self.is_log]), varint(len(self.y)),
               struct.pack("<4d", self.y.min(), self.y.max(), self.sample_out,
                           self.kernel_out)]
        for column in self.x.astype(np.float64).T:
            out.append(struct.pack("<2d", column.min(), column.max()))
        out.append(self._estimate())
        out.append(varint(len(leaves)))
        out.append(leaves.astype("<f8").tobytes())
        out.append(varint(len(trees)))
        out += [_tree(t, number_of) for t in trees]
        return b"".join(out)


def pack(trained_on, features, models):
    """The bytes of a file.  All models have the same features."""
    usual = np.median(np.concatenate([m.x for m in models]).astype(np.float64),
                      axis=0)
    payload = [text(trained_on), varint(len(features))]
    for name, v in zip(features, usual):
        payload.append(text(name) + struct.pack("<d", v))
    payload.append(varint(len(models)))
    payload += [m.packed() for m in models]
    payload = b"".join(payload)
    packed = zlib.compress(payload, 9)
    checked = struct.pack("<2Q", len(packed), len(payload)) + packed
    version = VERSION_OVER if any(m.over for m in models) else VERSION
    return MAGIC + struct.pack("<2I", version, zlib.crc32(checked)) + checked


def write(path, trained_on, features, models):
    """Replaces `path` once the file is complete."""
    temporary = path + ".partial"
    with open(temporary, "wb") as f:
        f.write(pack(trained_on, features, models))
    os.replace(temporary, path)
