"""Random forest on counters, after (Zhang et al. 2011, III and IV): which of
them explain the throughput."""
import re

import numpy as np

import table

SAMPLES_MIN = 10

# Columns of known tables.  A counter matches a row of `features`; the first
# row decides whether it grows with time ("rate": it is divided by the time) or
# not ("level").  Responses: instructions over time; where they are counted per
# work-item, times `work_items`, a column and how many are in one of it.
PRESETS = {
    "nsight": dict(
        time="duration_us",
        instructions=r"smsp__sass_thread_inst_executed_op_.*\.sum$",
        group="kernel",
        features=[
            (r"smsp__inst_executed\.sum$", None),
            (r".*\.sum$", "rate"),
            (r".*\.(pct.*|ratio)$", "level"),
            (r"regs$|smem$", "level")]),
    "sweep": dict(
        time="time_us", instructions=r"kernel\.thread_instructions$",
        group="kernel.name",
        features=[
            (r"units\..*\.issued$", "rate"),
            (r"units\..*\.(active_percent|mean_load)$", "level"),
            (r"stalls\..*\.percent$", "level"),
            (r"memory\.(.*_bytes|bytes|global_requests|shared_requests|"
             r"transactions)$", "rate"),
            (r"memory\.(.*percent|transactions_per_request|"
             r"shared_conflict_degree|channel_skew)$", "level"),
            (r"occupancy\.(blocks|warps)_per_sm$", "level"),
            (r"kernel\.(registers|shared_bytes)$", "level")]),
    "zhang": dict(  # Table I, with the classes of the specification
        time="Time", instructions=r"(ALU|Fetch|Write|LDSFetch|LDSWrite)Insts$",
        work_items=("Wavefronts", 64), group="kernel",
        features=[
            (r"(Wavefronts|ALUInsts|FetchInsts|WriteInsts|LDSFetchInsts|"
             r"LDSWriteInsts|FetchSize|CompletePath|FastPath)$", "rate"),
            (r"(LDSSize|GPR|ScratchRegs|FCStacks|ALUBusy|ALUFetchRatio|"
             r"ALUPacking|CacheHit|FetchUnitBusy|FetchUnitStalled|"
             r"WriteUnitStalled|PathUtilization|ALUStalled|LDSBankConflict)$",
             "level")]),
}


class Observations:
    """Preprocessed: names, x [row][feature], y [row], group [row], and what
    was left out: (name, why)."""

    def __init__(self, names, x, y, group, left_out):
        self.names, self.group, self.left_out = names, group, left_out
        self.x = np.asarray(x, dtype=float)
        self.y = np.asarray(y, dtype=float)


def classes(data, preset, rates, levels):
    """{column: "rate" or "level"} in the table's order."""
    if rates or levels:
        data.need(rates + levels)
        return {c: "rate" if c in rates else "level"
                for c in data.columns if c in rates or c in levels}
    out = {}
    for c in data.columns:
        for pattern, kind in preset["features"]:
            if re.match(pattern, c):
                if kind is not None:
                    out[c] = kind
                break
    if not out:
        raise table.Fault("%s: no counters found; there are: %s" %
                          (data.path, ", ".join(data.columns)))
    return out


def column(data, name, kind, time):
    """The column as numbers, or None and why it is left out."""
    cells = [r[name] for r in data.rows]
    empty = sum(c == "" for c in cells)
    if empty == len(cells):
        return None, "empty"
    if empty:
        return None, "empty in %d of %d rows" % (empty, len(cells))
    v = np.array(data.numbers(name))
    return (v / time if kind == "rate" else v), ""


def is_constant(v, least):
    """Hardly changes across the rows: the standard deviation is less than
    `least` of the greatest magnitude."""
    return np.std(v) <= least * np.max(np.abs(v))


def preprocess(data, kinds, time_name, response, group_name, least=1e-3):
    """`response` is ("column", name) or ("per-time", [names], work_items)."""
    if len(data.rows) < SAMPLES_MIN:
        raise table.Fault("%s: expected at least %d rows, found %d" % (
            data.path, SAMPLES_MIN, len(data.rows)))
    data.need(list(kinds))
    needs_time = "rate" in kinds.values() or response[0] == "per-time"
    time = np.array(data.numbers(time_name)) if needs_time else np.ones(
        len(data.rows))
    if np.any(time <= 0):
        raise table.Fault("%s: column '%s': expected times above 0" % (
            data.path, time_name))
    if response[0] == "per-time":
        y = sum(np.array(data.numbers(n)) for n in response[1]) / time
        if response[2] is not None:
            y = y * np.array(data.numbers(response[2][0])) * response[2][1]
    else:
        y = np.array(data.numbers(response[1]))
    if np.std(y) == 0:
        raise table.Fault("%s: the response is %g in every row: nothing to "
                          "explain" % (data.path, y[0]))
    names, columns, left_out = [], [], []
    for name, kind in kinds.items():
        v, why = column(data, name, kind, time)
        if v is not None and is_constant(v, least):
            v, why = None, "hardly changes"
        if v is None:
            left_out.append((name, why))
            continue
        names.append(name + (" /time" if kind == "rate" else ""))
        columns.append(v)
    if not names:
        raise table.Fault("%s: no counter changes across the rows" % data.path)
    if group_name in data.columns:
        group = [r[group_name] for r in data.rows]
    else:
        group = [""] * len(data.rows)
    return Observations(names, np.column_stack(columns), y, np.array(group),
                        left_out)


class Forest:
    """Settings of the random forest; the paper gives none."""

    def __init__(self, trees=500, candidates=1 / 3, min_leaf=1, seed=1, jobs=1):
        self.settings = dict(n_estimators=trees, max_features=candidates,
                             min_samples_leaf=min_leaf, random_state=seed,
                             n_jobs=jobs)

    def fit(self, x, y):
        # here, because it takes a second and bad input needs no forest
        from sklearn.ensemble import RandomForestRegressor
        return RandomForestRegressor(**self.settings).fit(x, y)


def importance(forest):
    """Gain of each variable's splits, averaged over trees, scaled to 100
    (III.B; "squared improvement" read as the reduction of squared error)."""
    gain = np.mean([e.tree_.compute_feature_importances(normalize=False)
                    for e in forest.estimators_], axis=0)
    total = gain.sum()
    return 100 * gain / total if total > 0 else gain


def partial_dependence(forest, x, v, points=20):
    """Mean prediction with variable `v` set to quantiles of its values."""
    at = np.unique(np.quantile(x[:, v], np.linspace(0, 1, points)))
    out = []
    for value in at:
        moved = x.copy()
        moved[:, v] = value
        out.append(float(forest.predict(moved).mean()))
    return at, np.array(out)


def leave_one_out(f, o, at_most, seed):
    test = np.arange(len(o.y))
    if at_most is not None and len(test) > at_most:
        test = np.sort(np.random.default_rng(seed).choice(
            test, at_most, replace=False))
    everything = np.arange(len(o.y))
    out = []
    for i in test:
        train = np.delete(everything, i)
        out.append(f.fit(o.x[train], o.y[train]).predict(o.x[i:i + 1])[0])
    return test, np.array(out)


def leave_group_out(f, o):
    groups = sorted(set(o.group))
    if len(groups) < 2:
        return None
    out = np.zeros(len(o.y))
    for g in groups:
        test = o.group == g
        out[test] = f.fit(o.x[~test], o.y[~test]).predict(o.x[test])
    return out


def r_square(y, predicted):
    return 1 - np.sum((y - predicted) ** 2) / np.sum((y - y.mean()) ** 2)


def median_error(y, predicted):
    return 100 * float(np.median(np.abs(predicted - y) / np.abs(y)))
