"""Pictures of training and explaining, drawn when all results are written: a
picture that cannot be drawn takes nothing away.  SVG, the same bytes for the
same data.  Needs python3-matplotlib; without it, says so once.
"""
import os

import numpy as np


def pyplot():
    """matplotlib's pyplot, or None."""
    try:
        import matplotlib
        matplotlib.use("svg")
        matplotlib.rcParams["svg.hashsalt"] = "teg"
        import matplotlib.pyplot as plt
    except ImportError:
        print("  no plot: install python3-matplotlib")
        return None
    return plt


def draw(folder, pictures):
    """Draws each (name, function of a pyplot that returns a figure)."""
    plt = pyplot() if pictures else None
    if plt is None:
        return
    os.makedirs(folder, exist_ok=True)
    for name, make in pictures:
        figure = make(plt)
        figure.savefig(os.path.join(folder, name + ".svg"),
                       metadata={"Date": None})
        plt.close(figure)


def folds(reports):
    """Errors of all folds, a box per GPU: the median, the quartiles, whiskers
    of 1.5 times their distance (Braun et al. 2020, Figs. 5 and 9)."""
    def make(plt):
        figure, axis = plt.subplots(figsize=(2 + len(reports), 4))
        axis.boxplot([np.ravel(r["fold_mape"]) for r in reports],
                     showfliers=False)
        axis.set_xticks(range(1, len(reports) + 1))
        axis.set_xticklabels([r["gpu"] for r in reports], fontsize=6)
        axis.set_ylabel("MAPE of a fold, %")
        return figure
    return make


def fold_histogram(report):
    """How often folds are off by how much (Braun et al. 2020, Fig. 10)."""
    def make(plt):
        figure, axis = plt.subplots(figsize=(5, 3.5))
        axis.hist(np.ravel(report["fold_mape"]), bins=30)
        axis.set_xlabel("MAPE of a fold, %")
        axis.set_ylabel("folds")
        axis.set_title(report["gpu"])
        return figure
    return make


def targets(title, y, what, is_log):
    """How many samples have which time or power (Braun et al. 2020, Fig. 2)."""
    def make(plt):
        figure, axis = plt.subplots(figsize=(5, 3.5))
        bins = (np.logspace(np.log10(min(y)), np.log10(max(y)), 31) if is_log
                else 30)
        axis.hist(y, bins=bins)
        if is_log:
            axis.set_xscale("log")
        axis.set_xlabel(what)
        axis.set_ylabel("samples")
        axis.set_title(title)
        return figure
    return make


def repeats(title, pairs, what, is_log):
    """Standard deviation over the median of repeats: of time both logarithmic
    (Braun et al. 2020, Fig. 3), of power as a share (Fig. 4)."""
    def make(plt):
        figure, axis = plt.subplots(figsize=(5, 3.5))
        medians = [m for m, _ in pairs]
        if is_log:
            axis.plot(medians, [max(s, 1e-6 * m) for m, s in pairs], ".")
            axis.set_xscale("log")
            axis.set_yscale("log")
            axis.set_ylabel("standard deviation")
        else:
            axis.plot(medians, [100 * s / m for m, s in pairs], ".")
            axis.set_ylabel("standard deviation, % of the median")
        axis.set_xlabel("median %s of repeats" % what)
        axis.set_title(title)
        return figure
    return make


def bars(title, names, values, what):
    """Importances, the greatest on top (Braun et al. 2020, Fig. 6; Zhang et
    al. 2011, Figs. 3 and 7)."""
    def make(plt):
        at = np.arange(len(names))[::-1]
        figure, axis = plt.subplots(figsize=(6, 1 + 0.25 * len(names)))
        axis.barh(at, values)
        axis.set_yticks(at)
        axis.set_yticklabels(names, fontsize=7)
        axis.set_xlabel(what)
        axis.set_title(title)
        figure.tight_layout()
        return figure
    return make


def scatter(title, problem, test, predicted):
    """True and predicted values, a color per kernel (Braun et al. 2020, Figs. 7,
    8, 11 and 12)."""
    def make(plt):
        figure, axes = plt.subplots(figsize=(5, 5))
        kernels = sorted(set(problem.kernel))
        for k in kernels:
            these = problem.kernel[test] == k
            axes.plot(problem.y[test][these], predicted[these], ".", label=k)
        ends = [min(problem.y.min(), predicted.min()),
                max(problem.y.max(), predicted.max())]
        axes.plot(ends, ends, "k-", linewidth=0.5)
        if problem.is_log:
            axes.set_xscale("log")
            axes.set_yscale("log")
        axes.set_xlabel("true")
        axes.set_ylabel("predicted")
        axes.set_title(title)
        if len(kernels) <= 20:
            axes.legend(fontsize=6)
        return figure
    return make


def dependence(curves):
    """Partial dependence of up to six variables, each (name, x, y), with one
    vertical axis (Zhang et al. 2011, Figs. 4 and 8)."""
    def make(plt):
        figure, axes = plt.subplots(2, 3, figsize=(9, 6), sharey=True)
        for axis, (name, x, y) in zip(axes.flat, curves):
            axis.plot(x, y)
            axis.set_xlabel(name, fontsize=7)
            axis.tick_params(labelsize=6)
        figure.tight_layout()
        return figure
    return make
