#!/usr/bin/env python3
"""What a sector costs that a store writes in part, from times measured by
others: GEMM and SYRK of KLARAPTOR (orcca-uwo/KLARAPTOR) on an RTX 2070 SUPER.

    partial_writes.py KLARAPTOR [SIDE ...]

KLARAPTOR is a checkout.  Both kernels read and write L2 in every iteration
(their loads pass L1 by), and the width of a block says how many sectors of 32
bytes a warp moves.  Prints for each side of the matrices (default 2048 and
4096) the cycles of an SM per warp and iteration, measured and as

    sector * (sectors read and written) + besides * (sectors written in part)

with the two coefficients that fit both kernels with the least squares of
relative errors, and the worst of these with and without the second.
"""
import argparse
import glob
import os
import re
import statistics

SMS, CLOCK_MHZ = 40, 1770

# Per warp and iteration by block width: sectors read, written, of these in
# part.
# GEMM reads a[i][k] and b[k][j], SYRK a[i][k] and a[j][k]; both write c[i][j].
MOVED = {
    ("GEMM", "gemm_kernel"): {1: (33, 32, 32), 2: (17, 16, 16), 4: (9, 8, 8),
                              8: (5, 4, 0), 16: (4, 4, 0), 32: (5, 4, 0)},
    ("SYRK", "syrk_kernel"): {1: (33, 32, 32), 2: (18, 16, 16), 4: (12, 8, 8),
                              8: (12, 4, 0), 16: (18, 4, 0), 32: (33, 4, 0)},
}


def cycles(sources, program, kernel, n):
    """{block width: cycles}, medians over repeats and heights from 8 on."""
    repeats, widths = {}, {}
    pattern = os.path.join(sources, "tests", "results", "polybench_" + program,
                           "cuda_results_geforcertx2070super*.txt")
    for path in glob.glob(pattern):
        with open(path, encoding="utf-8", errors="replace") as f:
            for m in re.finditer(
                    rf"n={n}, bx=(\d+), by=(\d+), elapsed_{kernel}=([\d.]+) "
                    r"\(ms\)\].*PASS", f.read()):
                repeats.setdefault((int(m[1]), int(m[2])), []).append(
                    float(m[3]))
    for (bx, by), ms in repeats.items():
        if by >= 8 and bx * by >= 32:
            widths.setdefault(bx, []).append(
                statistics.median(ms) * 1e3 * CLOCK_MHZ * SMS * 32 / n ** 3)
    return {bx: statistics.median(v) for bx, v in widths.items()}


def fit(points):
    """(sector, besides) of points (sectors, in part, cycles)."""
    a, b, c, u, v = (sum(f(s / t, p / t) for s, p, t in points) for f in (
        lambda s, p: s * s, lambda s, p: s * p, lambda s, p: p * p,
        lambda s, p: s, lambda s, p: p))
    return (u * c - v * b) / (a * c - b * b), (v * a - u * b) / (a * c - b * b)


def worst(points, sector, besides):
    return max(abs((sector * s + besides * p) / t - 1) for s, p, t in points)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("sources", metavar="KLARAPTOR")
    parser.add_argument("sides", nargs="*", type=int, default=[2048, 4096])
    options = parser.parse_args()
    if not os.path.isdir(os.path.join(options.sources, "tests", "results")):
        print(f"skipped: no {options.sources}")
        return
    for n in options.sides:
        rows = []
        for (program, kernel), moved in MOVED.items():
            measured = cycles(options.sources, program, kernel, n)
            rows += [(program, bx, (r + w, part, measured[bx]))
                     for bx, (r, w, part) in moved.items()]
        points = [p for _, _, p in rows]
        sector, besides = fit(points)
        alone = (sum(s / t for s, _, t in points) /
                 sum((s / t) ** 2 for s, _, t in points))
        print(f"side {n}: {sector:.2f} cycles a sector, {besides:.2f} besides "
              f"({besides / sector:.2f} sectors); worst "
              f"{worst(points, sector, besides):.0%}, without "
              f"{worst(points, alone, 0):.0%}")
        for program, bx, (s, p, t) in rows:
            print(f"  {program} {bx:>2} columns  {t:6.1f} measured "
                  f"{sector * s + besides * p:6.1f} by the rule")


if __name__ == "__main__":
    main()
