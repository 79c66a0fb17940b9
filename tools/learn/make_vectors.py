#!/usr/bin/python3
"""Forests as scikit-learn grows them and what they predict, for tests.

    tools/learn/make_vectors.py DIR

writes DIR/small.forest, two models of features that a trace has, and
DIR/sklearn.forest with DIR/sklearn.csv: model number, the features and
scikit-learn's prediction (the trees' mean, before any exp), as the bits of
floats and doubles.  The rows have features that lie exactly on thresholds,
one float beside them, and beyond the training data.
"""
import os
import struct
import sys

import numpy as np
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor

import forest_file

NAMES = ["instructions", "global_bytes", "blocks", "warmth"]


def training(rng, n):
    x = np.exp(rng.uniform(0, 20, size=(n, len(NAMES)))).astype(np.float32)
    x[:, 3] = rng.integers(0, 3, n)
    y = 1e-3 * x[:, 0] ** 0.8 + 1e-4 * x[:, 1] + 5 * (x[:, 3] == 1) + 1
    return x, y.astype(np.float64)


def probes(rng, model, x):
    """Rows of `x`, on and beside thresholds, and outside."""
    rows = [x[:20], x[:5] * np.float32(1e4), -x[:5]]
    for e in model.estimators_[:4]:
        t = e.tree_
        for i in np.flatnonzero(t.children_left >= 0)[:6]:
            at = forest_file.floor32(t.threshold[i:i + 1])[0]
            for v in (at, np.nextafter(at, np.float32(np.inf)),
                      np.nextafter(at, np.float32(-np.inf))):
                row = x[rng.integers(len(x))].copy()
                row[t.feature[i]] = v
                rows.append(row[None])
    return np.concatenate(rows)


def small(path):
    """Ranges that tests rely on: blocks 10 to 1000, parameters 100 usual."""
    names = ["instructions", "parameter_bytes", "blocks"]
    n = 16
    x = np.column_stack([np.geomspace(100, 1e6, n), np.full(n, 100),
                         np.geomspace(10, 1000, n)]).astype(np.float32)
    models = []
    for gpu, target, unit, y in (("here", "time", "us", 0.01 * x[:, 0] + 3),
                                 ("there", "power", "W", 50 + x[:, 2] / 10)):
        is_log = target == "time"
        y = y.astype(np.float64)
        forest = ExtraTreesRegressor(8, random_state=1).fit(
            x, np.log(y) if is_log else y)
        models.append(forest_file.Model(gpu, target, unit, forest, x, y,
                                        is_log, 20.0, 60.0))
    forest_file.write(path, "made-up points", names, models)


def main():
    small(os.path.join(sys.argv[1], "small.forest"))
    rng = np.random.default_rng(9)
    x, y = training(rng, 60)
    grown = [
        ("a", True, ExtraTreesRegressor(24, max_features=1.0, random_state=1)),
        ("b", False, ExtraTreesRegressor(17, max_features="sqrt",
                                         random_state=2)),
        ("c", True, ExtraTreesRegressor(5, criterion="absolute_error",
                                        random_state=3)),
        ("d", False, RandomForestRegressor(33, min_samples_leaf=3,
                                           random_state=4)),
        ("e", False, ExtraTreesRegressor(3, random_state=5)),
    ]
    models, lines = [], ["model," + ",".join(NAMES) + ",prediction"]
    for number, (gpu, is_log, forest) in enumerate(grown):
        target = np.full(len(y), 7.25) if gpu == "e" else y
        forest.fit(x, np.log(target) if is_log else target)
        models.append(forest_file.Model(gpu, "time", "us", forest, x, target,
                                        is_log, 12.5, None))
        points = probes(rng, forest, x)
        for row, p in zip(points, forest.predict(points)):
            bits = struct.unpack("<4I", row.astype("<f4").tobytes())
            lines.append("%d,%s,%016x" % (
                number, ",".join("%08x" % b for b in bits),
                struct.unpack("<Q", struct.pack("<d", p))[0]))
    forest_file.write(os.path.join(sys.argv[1], "sklearn.forest"),
                      "sixty made-up points", NAMES, models)
    with open(os.path.join(sys.argv[1], "sklearn.csv"), "w") as f:
        f.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
