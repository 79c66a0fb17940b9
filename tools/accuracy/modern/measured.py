#!/usr/bin/env python3
"""Measured times and curves beside the simulator.

    measured.py [--points] [--all] [SECTION ...]

Reads ../shared/measured and ../shared/traces, which are not part of the
project; says `skipped:` where they are missing.  Prints, for each section,
mean, median and maximum error; --points prints every point.  Long curves
take minutes: without --all every 16th of their points is taken.
build/accuracy/measured.json holds all of them.

One description per chip serves every section.  What was fitted to which
points, and is therefore no check of them, stands in the description and in
docs/accuracy-modern.md.
"""
import csv
import os
import re
import sys

from bench import (ROOT, Failed, cycles, fact, in_parallel, report, slope,
                   summary, write_json)
from micro import chase

SHARED = os.path.join(ROOT, "..", "shared")
MEASURED = os.path.join(SHARED, "measured")
TRACES = os.path.join(SHARED, "traces", "sm_90")
NSYS_MHZ = 1755  # the clock of the H100 PCIe under nsys


def point(what, measured, ours):
    """`ours` is a function without arguments, called later."""
    return {"what": what, "measured": measured, "run": ours}


def curve(folder, gpu, pattern):
    """Matches of `pattern` in a raw curve, one for each footprint."""
    path = os.path.join(MEASURED, "curves", folder, gpu + ".txt")
    with open(path, encoding="utf-8") as f:
        found = [m.groups() for m in map(re.compile(pattern).search, f) if m]
    return list({m[0]: [float(x) for x in m] for m in found}.values())


# ---- latency and bandwidth over footprint (gpu-benches) --------------------

NUMBER = r"([\d.]+)"


def latencies(gpu):
    rows = curve("gpu-latency", gpu,
                 rf"^\s*\d+\s+\d+\s+{NUMBER}\s+[\d.]+\s+{NUMBER}")
    return [point(f"{kb:.0f} kB", c, lambda kb=kb: chase(gpu, max(kb, 1)))
            for kb, c in rows]


def cache_gbs(gpu, kilobytes):
    # the A40 was measured with floats: doubles would wait for its two lanes
    width = 4 if gpu == "a40" else 8
    sms = int(fact(gpu, "chip.sms"))
    per_sm = 1024
    size = max(int(kilobytes * 1024) // 256 * 256, 256)
    # where one SM holds it all, one SM shows it
    alone = size <= 0.8 * fact(gpu, "l1.bytes")
    blocks = 1 if alone else sms
    each = slope(gpu, "cache", "ROUNDS", 4, 12, sms=1 if alone else 0,
                 BLOCKS=blocks, BYTES=size, WIDTH=width)
    moved = sms * per_sm * 8 * width
    return moved / each * fact(gpu, "chip.sm_clock_mhz") / 1e3


def cache(gpu):
    rows = curve("gpu-cache", gpu,
                 rf"^\s*{NUMBER} kB.*?%\s+{NUMBER} GB/s")
    # beyond L2 the benchmark's blocks no longer share what they read
    top = fact(gpu, "l2.bytes") / 1024
    return [point(f"{kb:.0f} kB", gbs, lambda kb=kb: cache_gbs(gpu, kb))
            for kb, gbs in rows if 8 <= kb <= top]


def l2_cache(gpu, name):
    rows = curve("gpu-l2-cache", name,
                 rf"^\s*\d+ kB\s+{NUMBER} kB.*?%\s+{NUMBER} ?GB/s")
    top = 1.2 * fact(gpu, "l2.bytes") / 1024
    return [point(f"{kb:.0f} kB", gbs, lambda kb=kb: cache_gbs(gpu, kb))
            for kb, gbs in rows if kb <= top]


def blocks(gpu, name):
    """The benchmark's own blocks at the edge of L2: as many at once as SMs."""
    rows = curve("gpu-l2-cache", name,
                 rf"^\s*\d+ kB\s+{NUMBER} kB.*?%\s+{NUMBER} ?GB/s")
    sms = int(fact(gpu, "chip.sms"))
    size = fact(gpu, "l2.bytes") / 1024

    def gbs(kilobytes):
        each = slope(gpu, "blocks", "BLOCKS", 6 * sms, 14 * sms,
                     RUN=int(kilobytes) // 512)
        return 524288 / each * fact(gpu, "chip.sm_clock_mhz") / 1e3
    return [point(f"{kb:.0f} kB", measured, lambda kb=kb: gbs(kb))
            for kb, measured in rows if 0.65 * size <= kb <= 1.25 * size]


def strides(gpu):
    """Cycles per warp instruction of one SM, loads of floats that hit L1."""
    rows = curve("gpu-strides", gpu, rf"^float stride\s+(\d+)\s+\d+\s+{NUMBER}")
    return [point(f"stride of {int(s)} floats", each,
                  lambda s=s: slope(gpu, "strides", "N", 16, 48, sms=1,
                                    STRIDE=int(s)) / (32 * 8))
            for s, each in rows]


def stream_gbs(gpu, threads, per_sm):
    """The benchmark asks for a small carve-out and fills it with what leaves
    room for `per_sm` blocks."""
    carveout = 32768 // per_sm
    shared = carveout - int(fact(gpu, "sm.shared_reserved"))
    each = slope(gpu, "stream", "BLOCKS", 2 * 10**6 // threads,
                 4 * 10**6 // threads, THREADS=threads, SHARED=shared,
                 settings=(f"l1.carveout_bytes={32768}",))
    return threads * 8 / each * fact(gpu, "chip.sm_clock_mhz") / 1e3


def streams(gpu):
    rows = curve("gpu-stream", gpu,
                 rf"^\s*(\d+)\s+\d+\s+(\d+)\s+[\d.]+%\s+\|\s+GB/s:\s+\d+\s+"
                 rf"{NUMBER}")
    return [point(f"{int(b)} blocks of {int(t)}", gbs,
                  lambda t=t, b=b: stream_gbs(gpu, int(t), int(b)))
            for t, b, gbs in rows]


# ---- H100 PCIe: kernels (sarchlab) -----------------------------------------

GPU = "h100pcie"


def times():
    with open(os.path.join(MEASURED, "h100-pcie-times.csv"),
              encoding="utf-8", newline="") as f:
        for row in csv.DictReader(f):
            params = dict(p.split("=") for p in row["params"].split())
            nsys = row["profiler"] == "nsys"
            took = (float(row["time_ns"]) * NSYS_MHZ / 1e3 if nsys
                    else float(row["cycles_recorded"]))
            yield (row["benchmark"], row["profiler"],
                   {k: int(v) for k, v in params.items()}, took)


def start_cycles(profiler):
    """What a profiler's times hold besides the kernel: an empty kernel of one
    block, less ours."""
    one = [took for b, p, params, took in times()
           if b == "emptykernel" and p == profiler and params["block"] == 1]
    return sum(one) / len(one) - cycles(GPU, "empty", BLOCKS=1, THREADS=32)


def empties():
    start = start_cycles("nsys")

    def ours(q):
        return start + cycles(GPU, "empty", BLOCKS=q["block"],
                              THREADS=q["thread"])
    return [point(f"{q['block']} blocks of {q['thread']}", took,
                  lambda q=q: ours(q))
            for b, p, q, took in times()
            if b == "emptykernel" and p == "nsys" and
            (q["block"] <= 16384 or q["thread"] % 128 == 0)]


def loops(profiler):
    start = start_cycles(profiler) if profiler == "nsys" else None

    def ours(q):
        return start + cycles(GPU, "ffma_loop", BLOCKS=q["block"],
                              THREADS=q["thread"], ITERS=q["iters"])
    return [point(f"{q['block']} blocks of {q['thread']}, {q['iters']} rounds",
                  took, lambda q=q: ours(q))
            for b, p, q, took in times()
            if b.startswith("ffmakernel") and p == profiler and "iters" in q]


def slopes():
    """Cycles per round of the FFMA loop, both profilers, small grids."""
    shapes = {}
    for b, p, q, took in times():
        if b in ("ffmakernel", "ffmakernel-large") and "iters" in q:
            key = (p, q["block"], q["thread"])
            shapes.setdefault(key, {})[q["iters"]] = took

    def ours(block, thread, low, high):
        return slope(GPU, "ffma_loop", "ITERS", low, high, BLOCKS=block,
                     THREADS=thread)
    points = []
    for (p, block, thread), by in shapes.items():
        low, high = min(by), max(by)
        if low < high:
            points.append(point(
                f"{block} blocks of {thread}, {p}",
                (by[high] - by[low]) / (high - low),
                lambda b=block, t=thread, l=low, h=high: ours(b, t, l, h)))
    return points


def vector_adds():
    start = start_cycles("nsys")
    return [point(f"{q['size']} floats", took,
                  lambda q=q: start + cycles(GPU, "vectoradd", N=q["size"]))
            for b, p, q, took in times() if b == "vectoradd"]


def traces():
    start = start_cycles("nsys")

    def trace(name):
        r = report(GPU, os.path.join(TRACES, name))
        return r["total"]["cycles"] if "total" in r else r["cycles"]
    return [
        point("FFMA loop, 40 less 10 rounds, per round", 529.0,
              lambda: (trace("ffma-1x32-40.traceg") -
                       trace("ffma-1x32-10.traceg")) / 30),
        point("ffma-4096x16", 6608,
              lambda: start + trace("ffma-4096x16.traceg")),
        point("b+tree, two launches", 31768,
              lambda: 2 * start + trace("btree-1000/kernelslist.g")),
    ]


SECTIONS = {
    "latency-v100": lambda: latencies("v100"),
    "latency-a40": lambda: latencies("a40"),
    "latency-a100_80": lambda: latencies("a100_80"),
    "cache-v100": lambda: cache("v100"),
    "cache-a40": lambda: cache("a40"),
    "cache-a100_80": lambda: cache("a100_80"),
    "l2-a100_80": lambda: l2_cache("a100_80", "a100_80"),
    "l2-h100pcie": lambda: l2_cache("h100pcie", "h100_pcie"),
    "blocks-a100_80": lambda: blocks("a100_80", "a100_80"),
    "blocks-h100pcie": lambda: blocks("h100pcie", "h100_pcie"),
    "strides-a40": lambda: strides("a40"),
    "strides-a100": lambda: strides("a100"),
    "stream-v100": lambda: streams("v100"),
    "stream-a40": lambda: streams("a40"),
    "stream-a100_80": lambda: streams("a100_80"),
    "h100-loop-slope": slopes,
    "h100-loop-time": lambda: loops("nsys"),
    "h100-empty": empties,
    "h100-vectoradd": vector_adds,
    "h100-traces": traces,
}


def run(p):
    ours = p.pop("run")
    try:
        p["ours"] = ours()
        p["error"] = 100 * (p["ours"] / p["measured"] - 1)
    except Failed as e:
        p["failed"] = str(e)
    return p


def main(argv):
    chosen = [a for a in argv if not a.startswith("--")] or SECTIONS
    everything = {}

    if not os.path.isdir(MEASURED):
        print("skipped: measured times and curves: ../shared/measured is "
              "missing")
        return 0
    for name in chosen:
        points = SECTIONS[name]()
        points = points[::1 if "--all" in argv or len(points) < 40 else 16]
        points = in_parallel(run, points)
        everything[name] = points
        for p in points if "--points" in argv else []:
            print(f"  {p['what']:<34} {p['measured']:>10.1f} " + (
                f"{p['ours']:>10.1f} {p['error']:+8.1f} %" if "ours" in p
                else p["failed"]))
        print(f"{name}: {summary([p['error'] for p in points if 'error' in p])}"
              , flush=True)
    if len(chosen) == len(SECTIONS):
        write_json("measured.json", everything)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
