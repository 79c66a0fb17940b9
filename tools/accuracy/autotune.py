#!/usr/bin/env python3
"""Orders tuning variants by simulated time and compares with measured times.

    autotune.py SOURCES [SET ...] [--list] [--measured DIR] [--work DIR]
                [--points N] [--jobs N]

SOURCES holds checkouts of the kernels' repositories, KTT (HiPerCoRe/KTT) and
KLARAPTOR (orcca-uwo/KLARAPTOR); DIR the measured times (default
../shared/measured).  Each variant is compiled by nvcc for sm_75, run on the
emulator, and its trace replayed by `teg sweep`; the whole takes two hours.
Says `skipped:` where nvcc, sources or times are missing.  Prints a row per
set; DIR/autotune.json gets every point.

    points    variants compared
    rho, tau  rank correlation of simulated and measured times (Spearman,
              Kendall tau-b); `again` is rho of one half of the measured
              repeats with the other: more is not to be had
    regret    measured time of the variant simulated as fastest, over that of
              the one measured as fastest; `of 5`: of the best of the five
              simulated as fastest; `median`: of a variant picked at random
    ratio     simulated over measured time: geometric mean, and the factor
              within which two thirds of the variants lie around it

Grids of many waves are emulated in part: one and two waves, whose difference
is the time of each further block.  Of the Coulomb sum they are waves of a
quarter of the SMs, with a quarter of the blocks and the whole memory system:
variants without local memory use at most 26 % of the DRAM's bandwidth
(dram__throughput of the measurement).  Those with local memory are simulated
whole, since theirs fills L2 and its bandwidth.

A row is of the clock that it was measured at, as far as counters tell: the
2080 Ti's Coulomb sums ran at 1.34 GHz, its convolutions at 1.79 GHz.
"""
import argparse
import concurrent.futures
import csv
import gzip
import json
import math
import os
import random
import re
import shutil
import statistics
import subprocess
import sys

from common import (ROOT, TEG, Refused, ceil_div, command, digest, keep,
                    kendall, regret, spearman)

# ---- what is measured -------------------------------------------------------

def polybench_rows(measured, kernel, n):
    """{(bx, by): [milliseconds of each repeat]} on the RTX 2070 SUPER."""
    times = {}
    path = os.path.join(measured, "polybench-times.csv")
    with open(path, encoding="utf-8") as f:
        for r in csv.DictReader(f):
            if ("SUPER" in r["device"] and r["kernel"] == kernel and
                    int(r["n"]) == n and r["status"] == "PASS"):
                times.setdefault((int(r["bx"]), int(r["by"])), []).append(
                    float(r["elapsed_ms"]))
    return times


SCHEDULERS = 4 * 68  # of the RTX 2080 Ti


def clock_mhz(row):
    """Of the SMs: instructions over issue slots used."""
    active = (float(row["smsp__issue_active.avg.pct_of_peak_sustained_active"])
              * float(row["smsp__cycles_active.avg.pct_of_peak_sustained_"
                          "elapsed"]) / 1e4)
    return (float(row["smsp__inst_executed.sum"]) / SCHEDULERS / active /
            float(row["duration_us"]))


def ktt_rows(measured, name):
    path = os.path.join(measured, name)
    opened = gzip.open(path, "rt") if path.endswith(".gz") else open(path)
    with opened as f:
        return [r for r in csv.DictReader(f) if r["status"] == "Ok"]


# ---- variants ---------------------------------------------------------------
#
# A variant: source text, nvcc flags, kernel, block, arguments, the grids to
# emulate, the SMs to simulate and the share of the blocks that they run (where
# not all), the blocks of the whole grid, measured microseconds of each repeat,
# and at what clock (where known).

def global_functions(path, names):
    """The named __global__ functions of a CUDA source, without its host
    code."""
    with open(path, encoding="utf-8", errors="replace") as f:
        text = f.read()
    found = []
    for m in re.finditer(r"__global__\s+void\s+(\w+)\s*\(", text):
        at = text.index("{", m.end())
        depth, end = 1, at + 1
        while depth > 0:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        if m[1] in names:
            found.append('extern "C" ' + text[m.start():end])
    return "\n".join(found)


def definitions(path):
    """ALPHA, BETA and DATA_TYPE of a benchmark's header."""
    with open(path, encoding="utf-8", errors="replace") as f:
        return "".join(x for x in f if re.match(
            r"#define (ALPHA|BETA)\b|typedef \w+ DATA_TYPE", x))


POLYBENCH = {
    # folder, source, header, buffers as powers of n, scalars, dimensions of
    # the grid, launches that the time is of
    "gemm_kernel": ("GEMM", "gemm", "gemm", (2, 2, 2), 3, 2),
    "Convolution2D_kernel": ("2DCONV", "2DConvolution", "2dconv", (2, 2), 2,
                             2),
    "convolution3D_kernel": ("3d_conv", "3DConvolution", "3dconv", (3, 3), 3,
                             2),
    "atax_kernel1": ("ATAX", "atax", "atax", (2, 1, 1), 2, 1),
    "atax_kernel2": ("ATAX", "atax", "atax", (2, 1, 1), 2, 1),
}


# The measured programs were compiled with loads that pass L1 by
# (tests/cuda_l1_cache.mk).
NO_L1 = ["-O3", "-Xptxas=-dlcm=cg"]


def polybench(sources, measured, kernel, n, limit):
    folder, source, header, buffers, scalars, dims = POLYBENCH[kernel]
    at = os.path.join(sources, "KLARAPTOR", "tests",
                      f"polybench_{folder}_llvm")
    text = (definitions(os.path.join(at, header + "_utils.h")) +
            global_functions(os.path.join(at, source + ".cu"), [kernel]))
    arguments = [f"buf:f32:{n ** p}:random" for p in buffers]
    if kernel == "convolution3D_kernel":
        arguments.append(f"i32:{n // 2}")  # one plane of n - 2 alike
    arguments += [f"i32:{n}"] * scalars
    launches = n - 2 if kernel == "convolution3D_kernel" else 1
    for (bx, by), ms in sorted(
            polybench_rows(measured, kernel, n).items())[:limit]:
        grid = (ceil_div(n, bx), ceil_div(n, by) if dims == 2 else 1, 1)
        yield {"name": f"{bx}x{by}", "text": text, "flags": NO_L1,
               "kernel": kernel, "block": (bx, by, 1), "arguments": arguments,
               "grids": [grid], "blocks": grid[0] * grid[1],
               "measured": [1000 * t / launches for t in ms]}


def shares(grid, axis, block, row, sms=68):
    """At least a wave of `sms` SMs of the RTX 2080 Ti along `axis` of the
    grid, and twice as many; or all."""
    warps = ceil_div(math.prod(block), 32)
    registers = ceil_div(int(row["regs"]), 8) * 8 * 32
    fit = min(16, 32 // warps, 65536 // registers // warps)
    if int(row["smem"]) > 0:
        fit = min(fit, 65536 // int(row["smem"]))
    few = ceil_div(sms * max(fit, 1), math.prod(grid) // grid[axis])
    if 2 * few >= grid[axis]:
        return [grid]
    return [tuple(k if i == axis else g for i, g in enumerate(grid))
            for k in (few, 2 * few)]


def chosen(rows, limit):
    """Evenly from the fastest to the slowest."""
    rows = sorted(rows, key=lambda r: float(r["duration_us"]))
    if limit is None or limit >= len(rows):
        return rows
    return [rows[i * (len(rows) - 1) // (limit - 1)] for i in range(limit)]


QUARTER = 17  # SMs of the 68


def coulomb(sources, measured, limit):
    path = os.path.join(sources, "KTT", "Examples", "CoulombSum3d",
                        "CoulombSum3d.cu")
    with open(path, encoding="utf-8") as f:
        text = f.read()
    arguments = (["buf:f32:256:random"] + 4 * ["buf:f32:64:random"] +
                 ["i32:64", "f32:0.5", "i32:256", "buf:f32:16777216:zeros"])
    for r in chosen(ktt_rows(measured, "rtx2080ti-coulomb.csv"), limit):
        grid = tuple(int(r[k]) for k in ("gx", "gy", "gz"))
        block = tuple(int(r[k]) for k in ("bx", "by", "bz"))
        # a slice is more than two waves of a quarter of the chip
        local = float(r["l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"]) > 0
        part = ([grid] if local else
                shares((grid[0], grid[1], 1), 1, block, r, QUARTER))
        yield {"name": f"{block[0]}x{block[1]} z{r['p_Z_ITERATIONS']} "
                       f"u{r['p_INNER_UNROLL_FACTOR']} soa{r['p_USE_SOA']}",
               # a preprocessor leaves names in pragmas alone
               "text": text.replace("unroll INNER_UNROLL_FACTOR", "unroll " +
                                    r["p_INNER_UNROLL_FACTOR"]),
               "kernel": "directCoulombSum", "block": block,
               "flags": ["-use_fast_math"] +
               [f"-D{k[2:]}={r[k]}" for k in r if k.startswith("p_")],
               "arguments": arguments, "grids": part,
               "blocks": math.prod(grid), "measured":
               [float(r["duration_us"])], "clock": clock_mhz(r),
               "share": 1 if local else QUARTER / 68,
               "sms": None if local else QUARTER, "registers": int(r["regs"]),
               "instructions": float(r["smsp__inst_executed.sum"])}


def convolution(sources, measured, limit):
    path = os.path.join(sources, "KTT", "Examples", "KernelTunerConvolution",
                        "KernelTunerConvolution.cu")
    with open(path, encoding="utf-8") as f:
        text = f.read().replace("__global__ void Convolution",
                                'extern "C" __global__ void Convolution')
    side = 4096 + 14
    arguments = ["buf:f32:16777216:zeros", f"buf:f32:{side * side}:zeros",
                 "buf:f32:225:zeros"]
    for r in chosen(ktt_rows(measured, "rtx2080ti-convolution.csv.gz"),
                    limit):
        grid = tuple(int(r[k]) for k in ("gx", "gy", "gz"))
        block = tuple(int(r[k]) for k in ("bx", "by", "bz"))
        # the file's grid counts threads where the launch counted blocks
        grid = (ceil_div(4096, block[0] * int(r["p_TILE_SIZE_X"])),
                ceil_div(4096, block[1] * int(r["p_TILE_SIZE_Y"])), 1)
        yield {"name": f"{block[0]}x{block[1]} "
                       f"t{r['p_TILE_SIZE_X']}x{r['p_TILE_SIZE_Y']} "
                       f"p{r['p_PADDING']} r{r['p_READ_ONLY']}",
               "text": text, "kernel": "Convolution", "block": block,
               "flags": ["-use_fast_math"] +
               [f"-D{k[2:]}={r[k]}" for k in r if k.startswith("p_")],
               "arguments": arguments, "grids": shares(grid, 1, block, r),
               "blocks": math.prod(grid), "measured":
               [float(r["duration_us"])], "clock": clock_mhz(r),
               "registers": int(r["regs"]),
               "shared": int(r["smem"]),
               "instructions": float(r["smsp__inst_executed.sum"])}


SETS = {
    "gemm-256": ("rtx2070super", polybench, "gemm_kernel", 256),
    "gemm-512": ("rtx2070super", polybench, "gemm_kernel", 512),
    "2dconv-1024": ("rtx2070super", polybench, "Convolution2D_kernel", 1024),
    "2dconv-2048": ("rtx2070super", polybench, "Convolution2D_kernel", 2048),
    "3dconv-256": ("rtx2070super", polybench, "convolution3D_kernel", 256),
    "3dconv-512": ("rtx2070super", polybench, "convolution3D_kernel", 512),
    "atax1-512": ("rtx2070super", polybench, "atax_kernel1", 512),
    "atax1-1024": ("rtx2070super", polybench, "atax_kernel1", 1024),
    "atax2-512": ("rtx2070super", polybench, "atax_kernel2", 512),
    "atax2-1024": ("rtx2070super", polybench, "atax_kernel2", 1024),
    "coulomb": ("rtx2080ti", coulomb),
    "convolution": ("rtx2080ti", convolution),
}


# ---- from a variant to traces -----------------------------------------------

def compiled(variant, work):
    def make(path):
        source = path + ".cu"
        with open(source, "w", encoding="utf-8") as f:
            f.write(variant["text"])
        command("nvcc", "-cubin", "-arch=sm_75", *variant["flags"], "-o",
                path, source)
        os.unlink(source)
    return keep(work, digest(variant["text"], variant["flags"]) + ".cubin",
                make)


def traced(job):
    """Emulates the variant's grids; returns the traces, or why not."""
    variant, work, number = job
    try:
        cubin = compiled(variant, work)
        traces = []
        for i, grid in enumerate(variant["grids"]):
            out = os.path.join(work, f"{number:04d}-{i}.tegt")
            args = [f"--grid={','.join(map(str, grid))}",
                    f"--block={','.join(map(str, variant['block']))}"]
            for a in variant["arguments"]:
                args += ["-a", a]
            command(TEG, "trace", cubin, "-k", variant["kernel"], *args, "-o",
                    out)
            traces.append(out)
        return traces
    except Refused as e:
        return str(e)


def swept(traces, gpu, work, jobs, sms, clock):
    """{trace: row} of one sweep over all traces."""
    if not traces:
        return {}
    part = ["--sms", str(sms)] if sms is not None else []
    if clock is not None:
        part += ["--set", f"chip.sm_clock_mhz={clock}"]
    listed = os.path.join(work, "rows.json")
    if os.path.exists(listed):
        os.unlink(listed)
    subprocess.run([TEG, "sweep", *traces, "-g", gpu, "--exact", *part, "-f",
                    "json", "-o", listed, "--jobs", str(jobs), "--config-dir",
                    os.path.join(ROOT, "config")], check=False)
    with open(listed, encoding="utf-8") as f:
        return {r["trace"]: r for r in map(json.loads, f)}


def predicted(variant, rows):
    """Microseconds and warp instructions of the whole grid, or why not.  Where
    a share of the SMs is simulated it runs that share of the blocks."""
    for r in rows:
        if r["status"] != "ok":
            return r["reason"]
    times = [r["time_us"] for r in rows]
    work = [r["kernel"]["warp_instructions"] for r in rows]
    if len(rows) == 1:
        return times[0], work[0]
    blocks = [math.prod(g) for g in variant["grids"]]
    share = variant.get("share", 1)
    left = (variant["blocks"] * share - blocks[1]) / (blocks[1] - blocks[0])
    return (times[1] + (times[1] - times[0]) * left,
            (work[1] + (work[1] - work[0]) * left) / share)


def run_set(name, options):
    gpu, make, *args = SETS[name]
    variants = list(make(options.sources, options.measured, *args,
                         options.points))
    work = os.path.join(options.work, name)
    os.makedirs(work, exist_ok=True)
    points, failed = [], []
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        traces = list(pool.map(
            traced, [(v, work, i) for i, v in enumerate(variants)]))
    clocks = [v["clock"] for v in variants if "clock" in v]
    clock = round(statistics.median(clocks)) if clocks else None
    rows = {}
    for sms in {v.get("sms") for v in variants}:
        rows |= swept([t for v, ts in zip(variants, traces)
                       if isinstance(ts, list) and v.get("sms") == sms
                       for t in ts], gpu, work, options.jobs, sms, clock)
    for variant, ts in zip(variants, traces):
        said = (ts if isinstance(ts, str) else
                predicted(variant, [rows[t] for t in ts]))
        if isinstance(said, str):
            failed.append({"variant": variant["name"], "why": said})
            continue
        last = rows[ts[-1]]
        points.append({
            "variant": variant["name"], "simulated_us": said[0],
            "measured_us": statistics.median(variant["measured"]),
            "repeats_us": variant["measured"], "warp_instructions": said[1],
            "measured_instructions": variant.get("instructions"),
            "registers": last["kernel"]["registers"],
            "measured_registers": variant.get("registers"),
            "shared": last["kernel"]["shared_bytes"],
            "measured_shared": variant.get("shared"),
            "warps_per_sm": last["occupancy"]["warps_per_sm"],
            "bound": last["verdict"]["bound"]})
    shutil.rmtree(work)
    return {"set": name, "gpu": gpu, "clock_mhz": clock, "points": points,
            "failed": failed}


# ---- the comparison ---------------------------------------------------------

def again(points):
    """Of the medians of odd and even repeats; None with fewer than two."""
    if any(len(p["repeats_us"]) < 2 for p in points):
        return None
    return spearman([statistics.median(p["repeats_us"][::2]) for p in points],
                    [statistics.median(p["repeats_us"][1::2]) for p in points])


def compare(result):
    points = result["points"]
    ours = [p["simulated_us"] for p in points]
    real = [p["measured_us"] for p in points]
    best = min(real)
    by_ours = sorted(range(len(points)), key=lambda i: ours[i])
    logs = sorted(math.log(o / r) for o, r in zip(ours, real))
    mean = statistics.fmean(logs)
    off = sorted(abs(x - mean) for x in logs)
    return {"set": result["set"], "gpu": result["gpu"],
            "points": len(points), "rho": spearman(ours, real),
            "tau": kendall(ours, real), "again": again(points),
            "regret": regret(ours, real),
            "regret_of_5": min(real[i] for i in by_ours[:5]) / best,
            "median": statistics.median(real) / best,
            "ratio": math.exp(mean),
            "spread": math.exp(off[(2 * len(off)) // 3]),
            "failed": len(result["failed"])}


def print_table(rows):
    print(f"{'set':<13} {'GPU':<13} {'points':>6} {'rho':>6} {'tau':>6} "
          f"{'again':>6} {'regret':>7} {'of 5':>6} {'median':>7} "
          f"{'ratio':>6} {'within':>7} {'failed':>6}")
    for r in rows:
        repeat = f"{r['again']:6.2f}" if r["again"] is not None else "   n/a"
        print(f"{r['set']:<13} {r['gpu']:<13} {r['points']:>6} "
              f"{r['rho']:>6.2f} {r['tau']:>6.2f} {repeat} "
              f"{r['regret']:>6.2f}x {r['regret_of_5']:>5.2f}x "
              f"{r['median']:>6.2f}x {r['ratio']:>6.2f} {r['spread']:>6.2f}x "
              f"{r['failed']:>6}")
    print(f"{sum(r['points'] for r in rows)} points")


def missing(options, checkouts):
    """What of it is not there, or None."""
    if shutil.which("nvcc") is None:
        return "no nvcc"
    for path in [os.path.join(options.sources, c) for c in checkouts] + [
            options.measured]:
        if not os.path.isdir(path):
            return f"no {path}"
    return None


def parse(parser, sets, work):
    """What all who compile tuning variants are told, besides their own."""
    parser.add_argument("sources")
    parser.add_argument("sets", nargs="*", metavar="SET")
    parser.add_argument("--measured", default=os.path.join(
        ROOT, "..", "shared", "measured"))
    parser.add_argument("--work", default=os.path.join(ROOT, "build", work))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    unknown = [s for s in options.sets if s not in sets]
    if unknown:
        parser.error(f"unknown set '{unknown[0]}': expected one of "
                     f"{', '.join(sets)}")
    return options


def main():
    parser = argparse.ArgumentParser(
        description="Order tuning variants by simulated time and compare "
        "with measured times.")
    parser.add_argument("--points", type=int, metavar="N",
                        help="of a set at most (default: all)")
    options = parse(parser, SETS, "autotune")
    why = missing(options, ("KTT", "KLARAPTOR"))
    if why is not None:
        print(f"skipped: {why}")
        return 0
    os.makedirs(options.work, exist_ok=True)
    path = os.path.join(options.work, "autotune.json")
    results = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            results = {r["set"]: r for r in json.load(f)}
    for name in options.sets or list(SETS):
        results[name] = run_set(name, options)
        with open(path, "w", encoding="utf-8") as f:
            json.dump(list(results.values()), f, indent=1)
        print_table([compare(results[name])])
        sys.stdout.flush()
    print()
    print_table([compare(results[s]) for s in SETS if s in results])
    return 0


if __name__ == "__main__":
    sys.exit(main())
