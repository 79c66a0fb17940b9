"""The procedure of (Braun et al. 2020, 3.3, 4.2.3, 5): extremely randomised
trees, the search of their parameters, and how far predictions are off.

Samples are rows of x (features) and y (the target, positive, not its
logarithm).  Where `is_log`, trees are fitted to the natural logarithm of y, or
of y / over where there is an estimate of it, and errors are computed after exp.
The estimate is given with the samples, `over`, or fitted like the trees to those
they are grown from, `terms`.  Everything follows from its seed.
"""
import itertools
import math

import numpy as np

import estimate

# 3 x 2 x 4 = 24 combinations (3.3)
MAX_FEATURES = {"max": 1.0, "log2": "log2", "sqrt": "sqrt"}
CRITERIA = {"mse": "squared_error", "mae": "absolute_error"}
TREES = (128, 256, 512, 1024)

LONGEST_IN_TRAINING = 5
SHORT_US, LONG_US = 1e3, 1e5  # classes of the custom split

BUCKETS = (5, 10, 25, 50, 100)  # percent (5.1, 5.2)


class Parameters:
    def __init__(self, max_features, criterion, trees):
        self.max_features, self.criterion = max_features, criterion
        self.trees = trees

    def __str__(self):
        return "%s, %s features, %d trees" % (
            self.criterion.upper(), self.max_features, self.trees)


def grid(max_features=MAX_FEATURES, criteria=CRITERIA, trees=TREES):
    return [Parameters(*p)
            for p in itertools.product(max_features, criteria, trees)]


def candidates(parameters, features):
    """Features tried at each split, as scikit-learn counts them."""
    share = {"max": features, "log2": math.log2(features),
             "sqrt": math.sqrt(features)}[parameters.max_features]
    return max(1, int(share))


def forest(parameters, seed, jobs=1):
    # here, because it takes a second and bad input needs no forest
    from sklearn.ensemble import ExtraTreesRegressor
    return ExtraTreesRegressor(
        parameters.trees, criterion=CRITERIA[parameters.criterion],
        max_features=MAX_FEATURES[parameters.max_features], random_state=seed,
        n_jobs=jobs)


class Grown:
    """A forest, and the estimate that it is over."""

    def __init__(self, regressor, coefficients, least):
        self.regressor = regressor
        self.coefficients, self.least = coefficients, least


class Problem:
    """Samples with what is needed to split them."""

    def __init__(self, x, y, kernel, is_log=True, is_time=True, jobs=1,
                 over=None, terms=None):
        self.x = np.asarray(x, dtype=np.float32)
        self.y = np.asarray(y, dtype=float)
        self.over = np.ones(len(self.y)) if over is None else np.asarray(
            over, dtype=float)
        self.columns = estimate.columns(self.x, terms) if terms else None
        self.kernel = np.asarray(kernel)
        self.is_log, self.is_time, self.jobs = is_log, is_time, jobs

    def __len__(self):
        return len(self.y)

    def begun(self, train):
        """The estimate alone, fitted to samples `train` if it is not given."""
        return Grown(None, None if self.columns is None else estimate.fitted(
            self.columns[train], self.y[train]), self.y[train].min())

    def fit(self, parameters, train, seed):
        grown = self.begun(train)
        y = self.y[train] / self.estimated(grown, train)
        y = np.log(y) if self.is_log else y
        grown.regressor = forest(parameters, seed, self.jobs).fit(
            self.x[train], y)
        return grown

    def estimated(self, grown, rows):
        """What the trees' factors are of."""
        if self.columns is None:
            return self.over[rows]
        return estimate.values(self.columns[rows], grown.coefficients,
                               grown.least)

    def unscaled(self, grown, v, rows):
        """What the trees say of samples `rows`, `v`, as the target."""
        return (np.exp(v) if self.is_log else v) * self.estimated(grown, rows)

    def predicted(self, grown, rows):
        return self.unscaled(grown, grown.regressor.predict(self.x[rows]), rows)

    def errors(self, predicted, test):
        """Absolute percentage errors."""
        return 100 * np.abs(predicted - self.y[test]) / np.abs(self.y[test])


# ---- splits ------------------------------------------------------------------


def random_split(problem, subset, folds, rng):
    order = rng.permutation(subset)
    return [np.sort(order[i::folds]) for i in range(folds)]


def custom_split(problem, subset, folds, rng):
    """The longest samples are in no fold, so always trained on; short, medium
    and long ones are dealt out evenly (3.3)."""
    y = problem.y[subset]
    longest = set(subset[np.argsort(-y, kind="stable")[:LONGEST_IN_TRAINING]])
    rest = np.array([i for i in subset if i not in longest])
    kind = np.searchsorted([SHORT_US, LONG_US], problem.y[rest], side="right")
    dealt = [[] for _ in range(folds)]
    at = 0
    for k in range(3):
        for i in rng.permutation(rest[kind == k]):
            dealt[at % folds].append(i)
            at += 1
    return [np.sort(np.array(d, dtype=int)) for d in dealt]


def split(problem, subset, folds, rng):
    deal = custom_split if problem.is_time else random_split
    return [(np.setdiff1d(subset, test), test)
            for test in deal(problem, subset, folds, rng) if len(test)]


# ---- search ------------------------------------------------------------------


def search(problem, splits, combinations, seed):
    """Mean over the splits of the MAPE of each combination.

    A forest's first trees are the smaller forest of the same seed, so one
    forest serves all numbers of trees of its family, and also both names of
    one number of features: log2 and sqrt of the paper's 13 are 3."""
    score = {id(p): [] for p in combinations}
    families = {}
    for p in combinations:
        families.setdefault((candidates(p, problem.x.shape[1]), p.criterion),
                            []).append(p)
    for train, test in splits:
        for members in families.values():
            largest = max(members, key=lambda p: p.trees)
            grown = problem.fit(largest, train, seed)
            each = np.array([e.tree_.predict(problem.x[test])[:, 0]
                             for e in grown.regressor.estimators_])
            mean = np.cumsum(each, axis=0)
            for p in members:
                predicted = problem.unscaled(
                    grown, mean[p.trees - 1] / p.trees, test)
                score[id(p)].append(problem.errors(predicted, test).mean())
    return [float(np.mean(score[id(p)])) for p in combinations]


def best(problem, splits, combinations, seed):
    if len(combinations) == 1:
        return combinations[0]
    return combinations[int(np.argmin(search(problem, splits, combinations,
                                             seed)))]


def nested(problem, combinations, folds, iterations, seed, worded=False):
    """MAPE of every outer fold, [iteration][fold], and the parameters chosen.

    Proper form: chosen by an inner cross-validation within each outer training
    part.  `worded`: as the paper words it, chosen on the very splits that are
    then scored."""
    everything = np.arange(len(problem))
    scores, chosen = [], []
    for i in range(iterations):
        rng = np.random.default_rng([seed, i])
        outer = split(problem, everything, folds, rng)
        if worded:
            p = best(problem, outer, combinations, seed + i)
        row = []
        for train, test in outer:
            if not worded:
                inner = split(problem, train, folds, rng)
                p = best(problem, inner, combinations, seed + i)
            chosen.append(p)
            predicted = problem.predicted(
                problem.fit(p, train, seed + i), test)
            row.append(float(problem.errors(predicted, test).mean()))
        scores.append(row)
    return scores, chosen


# ---- leaving out ---------------------------------------------------------------


def leave_one_out(problem, parameters, seed, at_most=None):
    """Indices and predictions; of a random choice where there are more."""
    test = np.arange(len(problem))
    if at_most is not None and len(test) > at_most:
        rng = np.random.default_rng([seed, len(test)])
        test = np.sort(rng.choice(test, at_most, replace=False))
    everything = np.arange(len(problem))
    out = [problem.predicted(
        problem.fit(parameters, np.delete(everything, i), seed), [i])[0]
           for i in test]
    return test, np.array(out)


def leave_kernel_out(problem, parameters, seed):
    """Predictions of all samples, each kernel's by the others alone; None if
    there is one kernel only."""
    kernels = sorted(set(problem.kernel))
    if len(kernels) < 2:
        return None
    out = np.zeros(len(problem))
    for k in kernels:
        test = np.flatnonzero(problem.kernel == k)
        train = np.flatnonzero(problem.kernel != k)
        out[test] = problem.predicted(
            problem.fit(parameters, train, seed), test)
    return out


# ---- baselines (specification 10.4) --------------------------------------------


def baselines(problem, splits):
    """MAPE of the median, and of a linear model in log features."""
    median, linear = [], []
    z = np.column_stack([np.log1p(np.maximum(problem.x.astype(float), 0)),
                         np.ones(len(problem))])
    for train, test in splits:
        y = np.log(problem.y[train])
        median.append(problem.errors(np.exp(np.median(y)), test).mean())
        w = np.linalg.lstsq(z[train], y, rcond=None)[0]
        p = np.exp(np.clip(z[test] @ w, y.min(), y.max()))
        linear.append(problem.errors(p, test).mean())
    return float(np.mean(median)), float(np.mean(linear))


def duplicates(problem):
    """Samples that share all features with another of another target, and the
    MAPE that the best prediction per group of equals would have: no model of
    these features can do better (the srad case, 7.4)."""
    groups = {}
    for i, row in enumerate(problem.x):
        groups.setdefault(row.tobytes(), []).append(i)
    shared, total = 0, 0.0
    for members in groups.values():
        y = problem.y[members]
        if len(set(y)) > 1:
            shared += len(members)
            # The sum of |p - y| / y is least at a weighted median of y.
            total += min(float(np.sum(np.abs(p - y) / y)) for p in y)
    return shared, 100 * total / len(problem)


def thin(keys, most, seed):
    """Indices: at most `most` per key, chosen at random (4.2.3)."""
    rng = np.random.default_rng(seed)
    groups = {}
    for i, key in enumerate(keys):
        groups.setdefault(key, []).append(i)
    keep = []
    for key in sorted(groups, key=str):
        g = groups[key]
        keep += g if len(g) <= most else list(
            rng.choice(g, most, replace=False))
    return np.array(sorted(keep), dtype=int)


def uncertainty(errors, of):
    """Half the 95 % interval of the mean of `of` samples, when these are the
    errors of a random choice of them."""
    n = len(errors)
    if n >= of or n < 2:
        return 0.0
    return 1.96 * float(np.std(errors, ddof=1)) * math.sqrt(
        (of - n) / (of - 1) / n)


def buckets(errors):
    """Percent of the errors up to each of BUCKETS, and above the last."""
    edges = (0,) + BUCKETS
    inside = [100 * float(np.mean((errors > a) & (errors <= b)))
              for a, b in zip(edges, BUCKETS)]
    inside[0] += 100 * float(np.mean(errors == 0))
    return inside + [100 * float(np.mean(errors > BUCKETS[-1]))]
