#!/usr/bin/env python3
"""Times and resident warps under several scheduling policies.

    policies.py SOURCES [SET ...] [--policies P,P] [--half A|B] [--points]
                [--most N] [--measured DIR] [--work DIR] [--jobs N]

SOURCES holds a checkout of KTT (HiPerCoRe/KTT), DIR what its variants took
on an RTX 2080 Ti (default ../shared/measured).  Of each set the N variants
whose names hash lowest are compiled for sm_75, emulated in two sizes, some
and three times as many waves of blocks on one or two SMs, and simulated under
every policy; the difference is the steady state.  The names' hash also deals
them to two halves: one to choose by, one to check with.  Says `skipped:`
where nvcc, sources or times are missing.

    n         variants
    err       mean error of the time; ratio: simulated over measured,
              geometric mean; spread: mean error around that
    resident  warps over those that fit, median: measured, simulated
    off       mean difference of the resident warps
    ipc       simulated over measured, geometric mean
"""
import argparse
import concurrent.futures
import csv
import json
import math
import os
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(
    __file__))))
import autotune  # noqa: E402
from common import (ROOT, Refused, TEG, ceil_div, command,  # noqa: E402
                    geometric, half, sha)

SMS = 68
WARPS = "sm__warps_active.avg.pct_of_peak_sustained_active"
ISSUE = "smsp__issue_active.avg.pct_of_peak_sustained_active"
LOCAL = "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"


def lowest(rows, named, most):
    """Without local memory, which needs L2 of the whole chip."""
    rows = [r for r in rows if float(r[LOCAL]) == 0]
    return sorted(rows, key=lambda r: sha(named(r)))[:most]


def fitting(threads, registers, shared):
    """Blocks on an SM of Turing."""
    warps = ceil_div(threads, 32)
    each = ceil_div(registers, 8) * 8 * 32
    fit = min(16, 32 // warps, 65536 // each // warps)
    return max(min(fit, 65536 // shared) if shared else fit, 1)


def variant(name, row, registers, **rest):
    return {"name": name, "half": half(name), "registers": registers,
            "measured_us": float(row["duration_us"]),
            "resident": float(row[WARPS]) / 100 * 32,
            "ipc": float(row[ISSUE]) / 100 * 4,
            "instructions": float(row["smsp__inst_executed.sum"]),
            "clock": round(autotune.clock_mhz(row)), **rest}


def text_of(sources, folder, kernel):
    path = os.path.join(sources, "KTT", "Examples", folder, folder + ".cu")
    with open(path, encoding="utf-8") as f:
        return f.read().replace(f"__global__ void {kernel}",
                                f'extern "C" __global__ void {kernel}')


# A third of the vertices: the loop is the same, and all of the kernel.
def pnpoly(sources, measured, most):
    keys = ("BLOCK_SIZE_X", "TILE_SIZE", "BETWEEN_METHOD", "USE_METHOD")
    text = text_of(sources, "KernelTunerPnpoly", "Pnpoly")
    path = os.path.join(measured, "rtx2080ti-pnpoly.csv")
    with open(path, encoding="utf-8") as f:
        rows = list(csv.DictReader(f))

    def named(r):
        return "pnpoly " + " ".join(r[k] for k in keys)
    for r in lowest(rows, named, most):
        block, tile = int(r["BLOCK_SIZE_X"]), int(r["TILE_SIZE"])
        fit = fitting(block, int(r["registers"]), 0)
        n = 9 * fit * block * tile + 1000
        yield variant(
            named(r), r, int(r["registers"]), sms=1, text=text,
            kernel="Pnpoly", block=(block, 1, 1),
            flags=["-DVERTICES=200"] + [f"-D{k}={r[k]}" for k in keys],
            arguments=[f"buf:i32:{n}:zeros", f"buf:f32:{2 * n}:random",
                       "buf:f32:8:zeros", "i32:20000000"],
            grids=[(3 * fit, 1, 1), (9 * fit, 1, 1)],
            blocks=ceil_div(20000000, block * tile))


def tuned(r):
    return [f"-D{k[2:]}={r[k]}" for k in r if k.startswith("p_")]


def with_grids(r, name, grids, whole, **rest):
    return variant(name, r, int(r["regs"]), sms=2, grids=grids, blocks=whole,
                   block=tuple(int(r[k]) for k in ("bx", "by", "bz")), **rest)


def fits(r):
    threads = math.prod(int(r[k]) for k in ("bx", "by", "bz"))
    return fitting(threads, int(r["regs"]), int(r["smem"]))


def coulomb(sources, measured, most):
    text = text_of(sources, "CoulombSum3d", "directCoulombSum")
    rows = autotune.ktt_rows(measured, "rtx2080ti-coulomb.csv")

    def named(r):
        return "coulomb " + " ".join(r[k] for k in r if k.startswith("p_"))
    for r in lowest(rows, named, most):
        gx, gy, gz = (int(r[k]) for k in ("gx", "gy", "gz"))
        grids = []
        for waves in (4, 12):
            rows_of = ceil_div(2 * fits(r) * waves, gx)
            grids.append((gx, min(rows_of, gy),
                          ceil_div(rows_of, gy)))
        yield with_grids(
            r, named(r), grids, gx * gy * gz, kernel="directCoulombSum",
            text=text.replace("unroll INNER_UNROLL_FACTOR", "unroll " +
                              r["p_INNER_UNROLL_FACTOR"]),
            flags=["-use_fast_math"] + tuned(r),
            arguments=["buf:f32:256:random"] + 4 * ["buf:f32:64:random"] +
            ["i32:64", "f32:0.5", "i32:256", "buf:f32:16777216:zeros"])


def convolution(sources, measured, most):
    text = text_of(sources, "KernelTunerConvolution", "Convolution")
    rows = autotune.ktt_rows(measured, "rtx2080ti-convolution.csv.gz")
    side = 4096 + 14

    def named(r):
        return "conv " + " ".join(r[k] for k in r if k.startswith("p_"))
    for r in lowest(rows, named, most):
        gx, gy = (ceil_div(4096, int(r["b" + d]) *
                                    int(r["p_TILE_SIZE_" + d.upper()]))
                  for d in "xy")
        grids = []
        for blocks in (8 * fits(r), 24 * fits(r)):
            wide = min(gx, blocks)
            grids.append((wide, ceil_div(blocks, wide), 1))
        yield with_grids(
            r, named(r), grids, gx * gy, kernel="Convolution", text=text,
            flags=["-use_fast_math"] + tuned(r),
            arguments=["buf:f32:16777216:zeros", f"buf:f32:{side * side}:zeros",
                       "buf:f32:225:zeros"])


SETS = {"pnpoly": pnpoly, "coulomb": coulomb, "convolution": convolution}


def simulated(trace, v, policy):
    done = command(
        TEG, "run", trace, "-g", "rtx2080ti", "--exact", "--jobs",
        "1", "-f", "json", "--config-dir", os.path.join(ROOT, "config"),
        "--sms", str(v["sms"]), "--set", f"chip.sm_clock_mhz={v['clock']}",
        "--set", f"sm.policy={policy}")
    return json.loads(done)


def point(v, few, many):
    """The whole grid on the whole chip, from two sizes on some SMs."""
    blocks = [math.prod(g) for g in v["grids"]]
    more = ((v["blocks"] * v["sms"] / SMS - blocks[1]) /
            (blocks[1] - blocks[0]))

    def grown(part):
        a, b = part(few), part(many)
        return b + (b - a) * more
    work = (grown(lambda r: r["kernel"]["warp_instructions"]) * SMS /
            v["sms"])
    # fewer vertices are fewer instructions in proportion
    scale = v["instructions"] / work if v["kernel"] == "Pnpoly" else 1
    cycles = (many["cycles"] - few["cycles"]) * v["sms"]
    return {"time": grown(lambda r: r["time_us"]) * scale,
            "same": 0.9 < work * scale / v["instructions"] < 1.1,
            "fit": many["occupancy"]["warps_per_sm"],
            "resident": (many["resident_warp_cycles"] -
                         few["resident_warp_cycles"]) / cycles,
            "ipc": (many["kernel"]["warp_instructions"] -
                    few["kernel"]["warp_instructions"]) / cycles}


def run_one(job):
    v, number, work, policies = job
    try:
        traces = autotune.traced((v, work, number))
        if isinstance(traces, str):
            return traces
        found = {p: point(v, *(simulated(t, v, p) for t in traces))
                 for p in policies}
        for t in traces:
            os.unlink(t)
        return found
    except Refused as e:
        return str(e)


def row(name, policy, part, found):
    pairs = [(v, f[policy]) for v, f in found if v["half"] in part]
    if not pairs:
        return
    ratios = [f["time"] / v["measured_us"] for v, f in pairs]
    ratio = geometric(ratios)
    print(f"{name:<12} {policy:<7} {part:<4} {len(pairs):>3} "
          f"{100 * statistics.fmean(abs(x - 1) for x in ratios):>5.1f} % "
          f"{ratio:>6.3f} "
          f"{100 * statistics.fmean(abs(x / ratio - 1) for x in ratios):>5.1f}"
          f" % {statistics.median(v['resident'] / f['fit'] for v, f in pairs):>6.3f}"
          f" {statistics.median(f['resident'] / f['fit'] for v, f in pairs):>6.3f}"
          f" {statistics.fmean(abs(f['resident'] - v['resident']) for v, f in pairs):>5.1f}"
          f" {geometric([f['ipc'] / v['ipc'] for v, f in pairs]):>6.3f}")


def run_set(name, options, policies):
    work = os.path.join(options.work, name)
    os.makedirs(work, exist_ok=True)
    variants = [v for v in SETS[name](options.sources, options.measured,
                                      options.most)
                if v["half"] in (options.half or "AB")]
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        results = list(pool.map(run_one, [(v, i, work, policies)
                                          for i, v in enumerate(variants)]))
    found = []
    for v, r in zip(variants, results):
        if isinstance(r, str):
            print(f"{v['name']}: {r}")
        elif not r[policies[0]]["same"]:
            print(f"{v['name']}: another program than was measured")
        else:
            found.append((v, r))
    for part in [options.half] if options.half else ["A", "B", "AB"]:
        for policy in policies:
            row(name, policy, part, found)
    if options.points:
        for v, r in found:
            print(f"{v['name']:<46} {v['half']} {v['resident']:5.1f} warps",
                  " ".join(f"{p} {r[p]['time'] / v['measured_us']:.2f} "
                           f"{r[p]['resident']:.1f}" for p in policies))
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(
        description="Compare scheduling policies with measured times and "
        "resident warps.")
    parser.add_argument("--policies", default="gty,gto,lrr,lri,glri")
    parser.add_argument("--half", choices=("A", "B"))
    parser.add_argument("--most", type=int, default=60, metavar="N")
    parser.add_argument("--points", action="store_true")
    options = autotune.parse(parser, SETS, "policies")
    why = autotune.missing(options, ("KTT",))
    if why is not None:
        print(f"skipped: {why}")
        return 0
    print(f"{'set':<12} {'policy':<7} {'half':<4} {'n':>3} {'err':>7} "
          f"{'ratio':>6} {'spread':>7} {'resident':>13} {'off':>5} {'ipc':>6}")
    for name in options.sets or list(SETS):
        run_set(name, options, options.policies.split(","))
    return 0


if __name__ == "__main__":
    sys.exit(main())
