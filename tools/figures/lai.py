"""J. Lai, PhD thesis, Rennes 2013."""

import csv
import functools
import json
import os
import subprocess

from kit import GT200, ROOT, TEG, Failed, cycles, result, side_by_side, teg

MIX = "tests/kernels/micro/mix.sketch"


@functools.cache
def accuracy():
    """The points of `make accuracy`."""
    tool = os.path.join(os.path.dirname(TEG), "accuracy")
    path = os.path.join(ROOT, "build/accuracy/gtx280.json")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    done = subprocess.run([tool, f"--json={path}",
                           "tools/accuracy/gtx280.csv"], cwd=ROOT,
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise Failed(f"{tool}: {done.stderr.strip()} (make accuracy)")
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def of_table(number):
    return [p for p in accuracy()["points"] if p["table"] == number]


def rows_of(*args):
    """The rows of a command's CSV."""
    return list(csv.DictReader(teg(*args, "-f", "csv").splitlines()))


def table_1_1(kit):
    """Table 1.1: peaks that the rooflines have"""
    rows = []
    for gpu, peak in (("gtx280", 933), ("gtx580", 1581), ("gtx680", 3090)):
        r = result("model", GT200 + "fmad_stream.sketch", "-m", "roofline",
                   "-g", gpu)
        terms = r["models"][0]["terms"]
        rows.append((gpu, peak, terms["P_peak"], terms["P_issued"]))
        kit.compare(f"{gpu}: Gflop/s, single precision", peak, terms["P_peak"])
    kit.table(("gpu", "published", "stated_gflops", "issued_gflops"), rows)


def tables_3(kit):
    """Tables 3.2 to 3.6 and Fig. 3.3: cycles of two programs on a GTX 280"""
    rows = []
    for t in ("3.2", "3.3", "3.4", "3.5", "3.6"):
        points = of_table(t)
        for p in points:
            rows.append((f"{t}: {p['warps']}", p["measured"], p["predicted"],
                         p["simulated"], p["predicted_error_percent"],
                         p["error_percent"]))
        errors = [abs(r[5]) for r in rows[-len(points):]]
        theirs = [abs(r[4]) for r in rows[-len(points):]]
        kit.compare(f"Table {t}, mean error of {len(points)} points, %",
                    f"{sum(theirs) / len(theirs):.2f} (TEG)",
                    f"{sum(errors) / len(errors):.2f}")
    path = kit.table(("table and warps", "measured", "teg_published",
                      "simulated", "teg_error_percent", "error_percent"), rows)
    kit.plot(path, "Errors of Fig. 3.3, its 21 points that are printed", "",
             "percent", [(5, "TEG, published"), (6, "simulated here")],
             style="histograms",
             extra="set style fill solid\nset yrange [*:*]\n"
                   "set xtics rotate by -60\n")
    theirs = [abs(r[4]) for r in rows]
    ours = [abs(r[5]) for r in rows]
    kit.compare("all, mean error, %", f"{sum(theirs) / len(theirs):.2f} (TEG)",
                f"{sum(ours) / len(ours):.2f}")
    kit.compare("all, largest, %", f"{max(theirs):.2f} (TEG)",
                f"{max(ours):.2f}")


def speedups(kit):
    """Figs. 3.4 to 3.7: speed-up over warps, by the work done"""
    names = {"3.2": "with conflicts", "3.6": "without", "3.4": "uncoalesced",
             "3.5": "coalesced"}
    warps, columns, errors = (1, 2, 4, 8, 16), [], []
    for t in names:
        points = {int(p["warps"]): p for p in of_table(t)}
        for what in ("measured", "simulated"):
            columns.append([w * points[1][what] / points[w][what]
                            if w in points else None for w in warps])
        errors += [abs(s / m - 1) for m, s in zip(*columns[-2:])
                   if m is not None and m != 1]
    labels = [f"{name}, {what}" for name in names.values()
              for what in ("measured", "simulated")]
    path = kit.table(("warps", *labels), list(zip(warps, *columns)))
    kit.plot(path, "Speed-up over one warp, by the work done", "warps",
             "speed-up", [(i + 2, label, "lines" if i % 2 else "points pt 7")
                          for i, label in enumerate(labels)],
             extra="set logscale x 2\n")
    kit.compare("speed-up over 1 warp, mean error of "
                f"{len(errors)} points, %", "0",
                f"{100 * sum(errors) / len(errors):.1f}")


def fig_4_2(kit):
    """Fig. 4.2: thread instructions a cycle over the share of FFMA"""
    published = {("gtx580", 4, 3): 31.3, ("gtx580", 8, 6): 30.4,
                 ("gtx580", 16, 12): 24.5, ("gtx680", 8, 6): 122.4,
                 ("gtx680", 16, 12): 119.9}
    ratios = (1, 2, 3, 4, 6, 8, 12)
    columns = [(g, w) for g in ("gtx580", "gtx680") for w in (4, 8, 16)]

    def rate(gpu, width, ratio):
        n = 128
        return n * 1024 * (ratio + 1) / cycles(MIX, gpu, WIDTH=width,
                                               RATIO=ratio, N=n)

    # 63 registers and 1024 threads leave 32 a thread on a GTX 580.
    points = [(g, w, r) for r in ratios for g, w in columns]
    rates = dict(zip(points, side_by_side(rate, points)))
    path = kit.table(("ffma_per_load", *(f"{g} LDS{'' if w == 4 else f'.{8*w}'}"
                                         for g, w in columns)),
                     [(r, *(rates[g, w, r] for g, w in columns))
                      for r in ratios])
    kit.plot(path, "FFMA and LDS mixed, 1024 threads", "FFMA to a load",
             "thread instructions a cycle and SM",
             [(i + 2, f"{g}, {8 * w} bits") for i, (g, w) in
              enumerate(columns)])
    for (g, w, r), value in published.items():
        kit.compare(f"{g}: {r} FFMA to a load of {8 * w} bits", value,
                    rates[g, w, r])
    for g, w in columns:
        row = [rates[g, w, r] for r in ratios]
        falls = sum(b < 0.99 * a for a, b in zip(row, row[1:]))
        if falls:
            kit.compare(f"{g}, {8 * w} bits: falls where the share rises",
                        "nowhere", f"{falls} times")


def sgemm(kit):
    """4.3.5: bounds of SGEMM"""
    rows = []
    for gpu, loads, published in (("gtx580", "LDS.64", 82.5),
                                  ("gtx680", "LDS.64", 54.6),
                                  ("gtx680", "LDS.128", 57.6)):
        row = next(r for r in rows_of("bound", "sgemm", "-g", gpu)
                   if r["load"] == loads)
        rows.append((gpu, loads, published, float(row["Percent"])))
        kit.compare(f"{gpu} with {loads}, % of peak", published,
                    float(row["Percent"]))
    kit.table(("gpu", "loads", "published_percent", "percent"), rows)


def lattice(kit):
    """2.4: Lattice QCD on Cell and GTX 280"""
    rows = []
    for machine, sets, patterns, published in (
            ("cell", ("--set", "beta=0.1"), "P2 P3 P4 P5", 35.2),
            ("gtx280", (), "P1", 75.6),
            ("gtx280", ("--set", "io_gbs=8"), "P1", 44.0)):
        best = next(r for r in rows_of("bound", "lattice-qcd", "-g", machine,
                                       *sets) if r["feasible"] == "1")
        rows.append((machine, best["patterns"], published,
                     float(best["gflops"])))
        where = "over PCI Express" if sets[1:] == ("io_gbs=8",) else ""
        kit.compare(f"{machine} {where}: Gflop/s with {best['patterns']} "
                    f"(text: {patterns})", published, float(best["gflops"]))
    kit.table(("machine", "patterns", "published_gflops", "gflops"), rows)


FIGURES = (table_1_1, tables_3, speedups, fig_4_2, sgemm, lattice)
MISSING = (
    ("Figs. 4.5 to 4.7: SGEMM", "no kernel for these chips yet"),
    ("Figs. 3.8 to 3.15", "`make example-scaling`"),
    ("Table 3.1", "`make accuracy`: constants of the description"),
)
