"""The figures of a set of points: how far off, and how well ordered.

A point is a dict: `gpu`, `program`, `row` (what is shown in one row: the
program or one of its kernels), `half`, `case`, `group` (points that differ in
nothing but the shape of the launch), `measured_us`, `sampled`, and `ours`,
microseconds by predictor (None where one says nothing).

    mean, median, worst   magnitude of the error of the time
    bias                  geometric mean of ours over measured, less one
    rho                   Spearman's rank correlation over all points
    of shapes             the same inside each group of SHAPES or more, mean
    regret                measured time of the shape that we would pick over
                          the best of its group: mean and worst of the groups
"""
import math
import statistics

import common

SHAPES = 3  # fewer shapes of a problem say nothing about their order


def groups(points, predictor):
    """Of the points that the predictor speaks of: [(ours, measured)]."""
    by = {}
    for p in points:
        ours, real = by.setdefault(p["group"], ([], []))
        ours.append(p["ours"][predictor])
        real.append(p["measured_us"])
    return [g for g in by.values() if len(g[0]) >= SHAPES]


def figures(points, predictor):
    """None where the predictor speaks of none of the points."""
    points = [p for p in points if p["ours"].get(predictor) is not None]
    if not points:
        return None
    ratios = [p["ours"][predictor] / p["measured_us"] for p in points]
    errors = [abs(r - 1) for r in ratios]
    sets = groups(points, predictor)
    regrets = [common.regret(*g) for g in sets]
    orders = [r for r in (common.spearman(*g) for g in sets)
              if not math.isnan(r)]
    return {"points": len(points),
            "sampled": sum(bool(p["sampled"]) for p in points),
            "mean": statistics.fmean(errors),
            "median": statistics.median(errors),
            "bias": common.geometric(ratios) - 1,
            "worst": max(errors),
            "rho": common.spearman([p["ours"][predictor] for p in points],
                                   [p["measured_us"] for p in points])
            if len(points) >= SHAPES else math.nan,
            "groups": len(sets),
            "order": statistics.fmean(orders) if orders else math.nan,
            "regret": statistics.fmean(regrets) if regrets else math.nan,
            "regret_worst": max(regrets) if regrets else math.nan}


# ---- tables -----------------------------------------------------------------

HEAD = ("points | sampled | mean | median | bias | worst | rho | of shapes | "
        "regret (worst)")


def number(value, form):
    return "–" if math.isnan(value) else format(value, form)


def cells(f):
    if f is None:
        return "0 " + 8 * "| – "
    regret = ("–" if math.isnan(f["regret"]) else
              f"{f['regret']:.2f}x ({f['regret_worst']:.2f}x)")
    return " | ".join((
        str(f["points"]), str(f["sampled"]), f"{100 * f['mean']:.1f} %",
        f"{100 * f['median']:.1f} %", f"{100 * f['bias']:+.1f} %",
        f"{100 * f['worst']:.0f} %", number(f["rho"], ".2f"),
        number(f["order"], ".2f"), regret))


def table(first, rows):
    """Markdown; a row is (names, figures)."""
    names = " | ".join(first)
    lines = [f"| {names} | {HEAD} |",
             "|" + " --- |" * len(first) + " ---: |" * (HEAD.count("|") + 1)]
    lines += [f"| {' | '.join(names)} | {cells(f)} |" for names, f in rows]
    return "\n".join(lines) + "\n"


def keyed(points, *keys):
    """[((value of each key), points)] in the order of the points."""
    found = {}
    for p in points:
        found.setdefault(tuple(p[k] for k in keys), []).append(p)
    return list(found.items())


def by_program(points, predictor):
    return table(("GPU", "program", "half"),
                 [(key, figures(part, predictor)) for key, part in
                  keyed(points, "gpu", "row", "half")])


def by_gpu(points, predictors):
    rows = []
    for (gpu,), part in keyed(points, "gpu"):
        for name in predictors:
            f = figures(part, name)
            if f is not None:
                rows.append(((gpu, name), f))
    return table(("GPU", "predictor"), rows)


def by_half(points, predictor):
    return table(("GPU", "half"),
                 [(key, figures(part, predictor)) for key, part in
                  sorted(keyed(points, "gpu", "half"))])
