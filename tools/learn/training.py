"""Trains forests that predict time or power from portable features.

    tools/learn/train DATA.csv --target time_us [-o FILE.forest] [OPTION]...

DATA.csv has a row per launch: the features as `teg features` names them, the
target in microseconds (time) or watts (power), `kernel`, and where there are
such: `gpu` (a model each), `application` and `size`.  Rows that differ in the
target alone are repeats and become one, of their median.

Prints for each GPU the scores of a nested cross-validation, of leaving each
sample out and of leaving each kernel out, beside two baselines.  Needs the
distribution's python3-sklearn; plots need python3-matplotlib.
"""
import argparse
import json
import os

import numpy as np

import estimate
import forest_file
import pictures
import procedure
import table

# The features of (Braun et al. 2020), in the order of traces/study/features.def.
PAPER = ("instructions,arithmetic,special,logic,control,global_bytes,"
         "shared_bytes,parameter_bytes,local_bytes,intensity,blocks,"
         "threads_per_block,shared_allocation").split(",")

SAMPLES_MIN = 20


def options():
    p = argparse.ArgumentParser(
        description=__doc__.split("\n")[0],
        epilog="docs/learning.md says what the output means")
    p.add_argument("data", nargs="+", metavar="DATA.csv")
    p.add_argument("--target", default="time_us", metavar="COLUMN")
    p.add_argument("--power", action="store_true",
                   help="the target is power in watts: no logarithm, folds "
                   "without the custom split")
    p.add_argument("--features", help="columns instead of the paper's 13; "
                   "+NAME adds to those")
    p.add_argument("--over", metavar="COLUMN",
                   help="learn by what factor the target differs from this "
                   "estimate of it (tools/learn/roofline makes one)")
    p.add_argument("--estimate", action="store_true",
                   help="learn by what factor the target differs from a sum "
                   "of products of features, fitted first")
    p.add_argument("--gpu", action="append", help="only these")
    p.add_argument("--per-group", type=table.whole(1), default=100, metavar="N",
                   help="at most N samples per application, size and kernel")
    p.add_argument("--samples", type=table.whole(1), metavar="N",
                   help="at most N samples per GPU, chosen at random")
    p.add_argument("--folds", type=table.whole(2), default=5)
    p.add_argument("--iterations", type=table.whole(1), default=5, metavar="N",
                   help="of the cross-validation (the paper: 30)")
    p.add_argument("--worded", action="store_true",
                   help="choose parameters on the splits that are scored, as "
                   "the paper words it")
    p.add_argument("--parameters", metavar="CRITERION,FEATURES,TREES",
                   help="no search: e.g. mse,max,512")
    p.add_argument("--trees", help="numbers of trees searched, e.g. 128,256")
    p.add_argument("--leave-out", type=table.whole(1), default=200, metavar="N",
                   help="leave out at most N samples, one at a time")
    p.add_argument("--seed", type=table.whole(0), default=1)
    p.add_argument("--jobs", type=table.whole(1), default=1)
    p.add_argument("--plots", metavar="DIR",
                   help="targets, repeats, folds' errors, importance, true "
                   "against predicted, as SVG")
    p.add_argument("--trained-on", default="", metavar="TEXT",
                   help="what the data is, for the forest file")
    p.add_argument("--json", metavar="FILE")
    p.add_argument("-o", "--output", metavar="FILE.forest")
    return p


def chosen_features(a):
    if a.features is None:
        return PAPER
    names = a.features.split(",")
    if names[0].startswith("+"):
        return PAPER + [n.lstrip("+") for n in names]
    return names


def combinations(a):
    if a.parameters:
        parts = a.parameters.split(",")
        if len(parts) != 3 or parts[0] not in procedure.CRITERIA or \
                parts[1] not in procedure.MAX_FEATURES or \
                not parts[2].isdigit() or int(parts[2]) < 1:
            raise table.Fault("--parameters: expected mse|mae,max|log2|sqrt,"
                              "TREES, found '%s'" % a.parameters)
        return [procedure.Parameters(parts[1], parts[0], int(parts[2]))]
    if a.trees:
        trees = a.trees.split(",")
        if not all(t.isdigit() and int(t) > 0 for t in trees):
            raise table.Fault("--trees: expected numbers, found '%s'" % a.trees)
        return procedure.grid(trees=[int(t) for t in trees])
    return procedure.grid()


def feature(data, row, name):
    """A number that a forest's 32-bit floats hold."""
    v = data.number(row, name)
    if abs(v) > np.finfo(np.float32).max:
        raise table.Fault("%s:%d: column '%s': expected at most %.3g, found "
                          "'%s'" % (data.path, row[None], name,
                                    np.finfo(np.float32).max, row[name]))
    return v


def merged(data, target):
    """Rows that differ in nothing but the target become one with its median,
    as the repeats of a measurement (4.2.1); and medians and standard deviations
    of those that were more than one."""
    others = [c for c in data.columns if c != target]
    groups = {}
    for row in data.rows:
        groups.setdefault(tuple(row[c] for c in others), []).append(row)
    rows, repeats = [], []
    for same in groups.values():
        if len(same) > 1:
            values = [data.number(r, target) for r in same]
            median = np.median(values)
            repeats.append((float(median), float(np.std(values, ddof=1))))
            same[0] = dict(same[0], **{target: repr(float(median))})
        rows.append(same[0])
    return table.Table(data.path, data.columns, rows), repeats


def positive(data, rows, name):
    out = [data.number(r, name) for r in rows]
    for r, v in zip(rows, out):
        if v <= 0:
            raise table.Fault("%s:%d: column '%s': expected more than 0, found "
                              "%g" % (data.path, r[None], name, v))
    return out


class Samples:
    """Rows of one GPU as arrays."""

    def __init__(self, a, data, features):
        self.given = len(data.rows)
        data, self.repeats = merged(data, a.target)
        label = [c for c in ("application", "size", "kernel")
                 if c in data.columns]
        keep = procedure.thin([tuple(r[c] for c in label) for r in data.rows],
                              a.per_group, a.seed)
        if a.samples and len(keep) > a.samples:
            rng = np.random.default_rng([a.seed, 2])
            keep = np.sort(rng.choice(keep, a.samples, replace=False))
        rows = [data.rows[i] for i in keep]
        self.x = [[feature(data, r, f) for f in features] for r in rows]
        self.y = positive(data, rows, a.target)
        self.over = positive(data, rows, a.over) if a.over else None
        self.kernel = [r["kernel"] for r in rows]


def quartiles(values):
    return [float(v) for v in np.percentile(values, [0, 25, 50, 75, 100])]


def spread_line(name, errors, sure=0.0):
    q = quartiles(errors)
    print("  %-26s MAPE %7.2f%s   quartiles %6.2f %6.2f %6.2f" %
          (name, float(np.mean(errors)), " +- %.2f" % sure if sure else "",
           q[1], q[2], q[3]))


def show_left_out(problem, test, predicted, name, result):
    errors = problem.errors(predicted, test)
    sure = procedure.uncertainty(errors, len(problem))
    spread_line(name, errors, sure)
    inside = procedure.buckets(errors)
    result.update(mape=float(errors.mean()), quartiles=quartiles(errors),
                  samples=len(errors), of=len(problem), uncertainty=sure,
                  buckets=inside)
    edges = ["<=%d" % b for b in procedure.BUCKETS] + [
        ">%d" % procedure.BUCKETS[-1]]
    print("    off by, %           " + "".join("%8s" % e for e in edges))
    print("    samples, %          " + "".join("%8.1f" % v for v in inside))
    return errors


def check(a, gpu, samples):
    if len(samples.y) < SAMPLES_MIN:
        raise table.Fault("%s: expected at least %d samples, found %d" %
                          (gpu, SAMPLES_MIN, len(samples.y)))
    if min(samples.y) == max(samples.y):
        raise table.Fault("%s: %s is %g in every sample: nothing to learn" %
                          (gpu, a.target, samples.y[0]))
    combinations(a)


def study(a, gpu, samples, features):
    """All scores of one GPU; returns the report, a forest_file.Model and its
    pictures, not yet drawn."""
    terms = estimate.usable(list(features)) if a.estimate else None
    problem = procedure.Problem(samples.x, samples.y, samples.kernel,
                                is_log=not a.power, is_time=not a.power,
                                jobs=a.jobs, over=samples.over, terms=terms)
    everything = np.arange(len(problem))
    combos = combinations(a)
    shared, floor = procedure.duplicates(problem)
    print("%s: %d samples (of %d), %d kernels, %s %.4g to %.4g" %
          (gpu, len(problem), samples.given, len(set(samples.kernel)),
           a.target, problem.y.min(), problem.y.max()))
    same = [f for f, column in zip(features, problem.x.T)
            if column.min() == column.max()]
    if same:
        print("  the same in all samples: " + ", ".join(same))
    if shared > 0:
        print("  %d samples share all features with another that differs in "
              "%s:\n  no model of these features has a MAPE below %.2f" %
              (shared, a.target, floor))
    scores, chosen = procedure.nested(problem, combos, a.folds, a.iterations,
                                      a.seed, a.worded)
    flat = [v for row in scores for v in row]
    q = quartiles(flat)
    print("  %s cross-validation, %d iterations of %d folds, %d combinations" %
          ("worded" if a.worded else "nested", a.iterations, a.folds,
           len(combos)))
    print("  %-26s median %5.2f   quartiles %6.2f %6.2f   iterations %.2f "
          "to %.2f" % ("fold MAPE", q[2], q[1], q[3],
                       min(np.mean(r) for r in scores),
                       max(np.mean(r) for r in scores)))
    splits = procedure.split(problem, everything, a.folds,
                             np.random.default_rng([a.seed, 0]))
    median, linear = procedure.baselines(problem, splits)
    print("  %-26s %5.2f" % ("fold MAPE of the median", median))
    print("  %-26s %5.2f" % ("... of a linear model", linear))
    if terms:
        print("  %-26s %5.2f" % ("... of the estimate alone", float(np.mean(
            [problem.errors(problem.estimated(
                problem.begun(train), test), test).mean()
             for train, test in splits]))))
    p = procedure.best(problem, splits, combos, a.seed)
    if a.over:
        print("  %-26s %5.2f" % ("MAPE of %s" % a.over, float(np.mean(
            problem.errors(problem.over, everything)))))
    print("  parameters: %s (chosen in the folds: %s)" % (
        p, "; ".join("%dx %s" % (n, t) for t, n in
                     count([str(c) for c in chosen]))))
    report = dict(gpu=gpu, samples=len(problem), parameters=str(p),
                  fold_mape=scores, fold_median=q[2], median_baseline=median,
                  linear_baseline=linear, duplicates=shared, floor=floor)
    report["sample_out"], report["kernel_out"] = {}, None
    test, predicted = procedure.leave_one_out(problem, p, a.seed, a.leave_out)
    show_left_out(problem, test, predicted, "a sample left out (%s)" % (
        "all" if len(test) == len(problem) else len(test)),
        report["sample_out"])
    drawn = [("targets-%s" % slug(gpu),
              pictures.targets(gpu, problem.y, a.target, problem.is_log)),
             ("fold-errors-%s" % slug(gpu), pictures.fold_histogram(report)),
             ("sample-out-%s" % slug(gpu),
              pictures.scatter("%s: each sample left out" % gpu, problem, test,
                               predicted))]
    if samples.repeats:
        drawn.append(("repeats-%s" % slug(gpu), pictures.repeats(
            gpu, samples.repeats, a.target, problem.is_log)))
    drawn += kernel_out(gpu, problem, p, a.seed, report)
    grown = problem.fit(p, everything, a.seed)
    model = grown.regressor
    order = np.argsort(-model.feature_importances_, kind="stable")
    print("  importance, %: " + ", ".join(
        "%s %.1f" % (features[i], 100 * model.feature_importances_[i])
        for i in order[:8]))
    report["importance"] = {features[i]: 100 * float(
        model.feature_importances_[i]) for i in order}
    drawn.append(("importance-%s" % slug(gpu), pictures.bars(
        gpu, list(report["importance"]), list(report["importance"].values()),
        "importance, %")))
    print()
    left = report["kernel_out"]
    return report, forest_file.Model(
        gpu, "power" if a.power else "time", "W" if a.power else "us", model,
        samples.x, samples.y, not a.power, report["sample_out"]["mape"],
        left["mape"] if left else None,
        list(zip(grown.coefficients, terms)) if terms else None), drawn


def kernel_out(gpu, problem, p, seed, report):
    """Scores of kernels left out; returns their picture, if there is one."""
    predicted = procedure.leave_kernel_out(problem, p, seed)
    if predicted is None:
        print("  one kernel only: none can be left out")
        return []
    report["kernel_out"] = {}
    everything = np.arange(len(problem))
    errors = show_left_out(problem, everything, predicted, "a kernel left out",
                           report["kernel_out"])
    each = {k: float(errors[problem.kernel == k].mean())
            for k in sorted(set(problem.kernel))}
    report["kernel_out"]["kernels"] = each
    print("    " + ", ".join("%s %.0f" % (k, v) for k, v in each.items()))
    return [("kernel-out-%s" % slug(gpu), pictures.scatter(
        "%s: each kernel left out" % gpu, problem, everything, predicted))]


def count(texts):
    """Distinct texts with their number, the most frequent first."""
    return sorted(((t, texts.count(t)) for t in set(texts)),
                  key=lambda p: (-p[1], p[0]))


def slug(text):
    return "".join(c if c.isalnum() else "-" for c in text.lower())


def main():
    a = options().parse_args()
    features = list(chosen_features(a))
    if a.over and a.output:
        raise table.Fault("--over: a forest file has no estimates but those "
                          "of --estimate: leave out either this or -o")
    if a.estimate and (a.over or a.power):
        raise table.Fault("--estimate: expected times, and no estimate of "
                          "another column (--over)")
    reports, models, drawn = [], [], []
    for path in (a.output, a.json):
        table.check_output(path)
    if a.plots:
        os.makedirs(a.plots, exist_ok=True)
    for path in a.data:
        data = table.read(path)
        data.need(features + [a.target, "kernel"] + [c for c in [a.over] if c])
        gpus = sorted({r["gpu"] for r in data.rows}) \
            if "gpu" in data.columns else ["gpu"]
        for g in a.gpu or []:
            if g not in gpus:
                raise table.Fault("%s: no rows of GPU '%s'; there are: %s" %
                                  (path, g, ", ".join(gpus)))
        for g in gpus:
            if a.gpu and g not in a.gpu:
                continue
            rows = data.where(lambda r: r.get("gpu", g) == g)
            samples = Samples(a, rows, features)
            check(a, g, samples)
            if not reports:
                print("scikit-learn %s; seed %d; errors in percent" %
                      (table.sklearn_version(), a.seed))
            report, model, of_gpu = study(a, g, samples, features)
            reports.append(report)
            models.append(model)
            drawn += of_gpu
    if not models:
        raise table.Fault("%s: no samples" % a.data[0])
    if a.output:
        forest_file.write(a.output, a.trained_on or ", ".join(a.data),
                          features, models)
    if a.json:
        with open(a.json, "w") as f:
            json.dump(reports, f, indent=2)
            f.write("\n")
    if a.plots:
        pictures.draw(a.plots, [("folds", pictures.folds(reports))] + drawn)
