#!/usr/bin/env python3
"""Kernels of HeCBench that others profiled on an RTX 3080 beside what teg says
of them.

    flopbench.py --sources CHECKOUT --cuda TOOLKIT [--clang CLANG++]
                 [--half a|b] [--points] [--set KEY=VALUE]... [--out FOLDER]
                 [PROGRAM ...]

CHECKOUT is github.com/Scientific-Computing-Lab/gpuFLOPBench: sources, the
commands that compiled them and cuda-profiling/profiling-data.csv, of each kernel
(by its function's name) the first two launches that Nsight Compute saw, with the
SMs at their base clock and caches flushed before each.  What was timed was built
by clang 18 with CUDA 12.6, the versions of its container; TOOLKIT is such a
toolkit, nvcc not needed.  Each program is traced by `teg exec`, ended after
--seconds: what it has launched by then is compared.  FOLDER,
build/accuracy/flopbench, keeps programs and traces.

Compared is what the profiler says a launch takes, in cycles of that clock, with
what `teg run --as-measured ncu` says.  A function in one
block shape counts once, by the mean of its launches' logarithms.
"""
import argparse
import collections
import concurrent.futures
import csv
import dataclasses
import hashlib
import json
import os
import re
import shlex
import statistics
import subprocess
import sys

import common
import profiled

GPU = "rtx3080"
CLOCK = 1440  # MHz: the base clock, at which Nsight Compute holds the SMs
THERE = "/home/gbolet/hecbench-roofline"  # where their checkout was
TIMES = (5000, 20000, 100000, 1000000)  # cycles
MUCH = 2e7  # bytes


def rows_of(checkout):
    "{program: {function: [row]}}, CUDA's only"
    path = os.path.join(checkout, "cuda-profiling", "profiling-data.csv")
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    with open(path, newline="", encoding="utf-8") as f:
        for r in csv.DictReader(f):
            if r["targetName"].endswith("-cuda"):
                found[r["targetName"][:-5]][r["kernelName"]].append(r)
    return found


def half_of(names):
    "{program: 'a' or 'b'}: by the order of their SHA-1, by turns"
    order = sorted(names, key=lambda n: hashlib.sha1(n.encode()).hexdigest())
    return {n: "ab"[i % 2] for i, n in enumerate(order)}


def compile_commands(checkout):
    "{program: [words]}"
    path = os.path.join(checkout, "cuda-profiling", "compile_commands.json")
    found = collections.defaultdict(list)
    with open(path, encoding="utf-8") as f:
        for c in json.load(f):
            target = re.search(r"([^/]+)-cuda\.dir/", c["output"])
            if target:
                found[target[1]].append(c["command"])
    return found


def build(a, name, made):
    "Compiles and links a program to `made`."
    objects = []
    os.makedirs(made + ".o", exist_ok=True)
    for i, words in enumerate(a.commands[name]):
        words = shlex.split(words.replace(THERE, a.sources))
        out = os.path.join(made + ".o", f"{i}.o")
        words[words.index("-o") + 1] = out
        words = [f"--cuda-path={a.cuda}" if w.startswith("--cuda-path=") else w
                 for w in words[1:]]
        # a system's own CUDA headers would be found before the toolkit's
        common.command(a.clang, "-w", "-isystem",
                       os.path.join(a.cuda, "include"), *words, limit=600)
        objects.append(out)
    lib = os.path.join(a.cuda, "lib")
    common.command("g++", "-o", made, *objects, "-no-pie", "-fopenmp",
                   f"-L{lib}", f"-Wl,-rpath,{lib}", "-lcudart", "-lpthread",
                   "-lm", limit=300)


def functions(mangled):
    "[name of the function], as the profiler's filter sees it"
    said = subprocess.run(["c++filt"], input="\n".join(mangled), text=True,
                          stdout=subprocess.PIPE, check=True).stdout
    # up to its parameters or template arguments
    return [re.split(r"[\s:*&]+", re.match(r"[^<(]*", s)[0])[-1]
            for s in said.replace("(anonymous namespace)::", "").splitlines()]


def launches(a, name, rows):
    "[(function, which launch of it, path of its trace, kernel)]"
    at = os.path.join(a.out, name)
    listed = os.path.join(at, "kernels.json")
    if not os.path.exists(listed):
        program = common.keep(a.out, name + ".exe",
                              lambda made: build(a, name, made))
        arguments = next(iter(rows.values()))[0]["exeArgs"]
        try:
            common.command("timeout", "-s", "INT", "-k", "60", str(a.seconds),
                           common.TEG, "exec", "-g", GPU, "--loose",
                           "-j", "1", "-o", at, "--", program,
                           *shlex.split(arguments), limit=a.seconds + 70,
                           cwd=os.path.join(a.sources, "src", name + "-cuda"))
        except common.Refused as e:
            if not os.path.exists(listed):
                raise
            print(f"{name}: {e}", file=sys.stderr)
    kernels, order = profiled.launched(listed)
    names = functions([k["name"] for k in kernels])
    seen = collections.Counter()
    found = []
    for k in order:
        found.append((names[k], seen[names[k]],
                      os.path.join(at, kernels[k]["trace"]), kernels[k]))
        seen[names[k]] += 1
    return found


@dataclasses.dataclass
class Point(profiled.Point):
    bytes: float  # that DRAM moved, as measured
    moved: int  # here


def compare(a, name, rows):
    points = []
    said = {}
    for function, nth, path, kernel in launches(a, name, rows):
        known = rows.get(function, ())
        if nth >= len(known):
            continue
        r = known[nth]
        grid, block = (profiled.shape(kernel[w]) for w in ("grid", "block"))
        if (grid, block) != (r["Grid Size"], r["Block Size"]):
            print(f"{name}, {function}: {grid} of {block}, measured "
                  f"{r['Grid Size']} of {r['Block Size']}", file=sys.stderr)
            continue
        if path not in said:
            try:
                said[path] = profiled.replayed(
                    GPU, path, a.set, a.replay, f"--clock={CLOCK}",
                    "--as-measured", "ncu")
            except common.Refused as e:
                print(f"{name}, {function}: {e}", file=sys.stderr)
                said[path] = None
        if said[path] is None:
            continue
        ns = float(r["xtime"])
        points.append(Point(
            "HeCBench", name, function, block, grid, ns * CLOCK / 1000,
            said[path]["as_measured_us"] * CLOCK, 1,
            float(r["traffic"]) * ns / 1e9,
            said[path]["memory"]["dram_bytes"]))
    return points


def table(points, half):
    profiled.heading()
    for h in "ab":
        profiled.row("half " + h, [q for q in points if half[q.program] == h])
    profiled.row("all", points)
    first = {}  # launch of a function in a block shape: how long it is
    for q in points:
        first.setdefault(q.name(), q.took)
    for low, high in zip((0, *TIMES), (*TIMES, float("inf"))):
        profiled.row(f"{low:,} to {high:,} cycles",
                     [q for q in points if low <= first[q.name()] < high])
    ratios = profiled.by_kernel(points).values()
    print(f"within 10 %: {sum(abs(r - 1) < .1 for r in ratios)} of "
          f"{len(ratios)}")
    moved = [q.moved / q.bytes for q in points if q.bytes > MUCH]
    if moved:
        print(f"DRAM's bytes within 10 %: {sum(.9 < m < 1.1 for m in moved)} "
              f"of {len(moved)} launches that move more than {MUCH / 1e6:g} "
              f"MB, {100 * statistics.median(moved):.0f} % in the middle")


def main():
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("--sources", required=True, metavar="CHECKOUT")
    p.add_argument("--cuda", required=True, metavar="TOOLKIT")
    p.add_argument("--clang", default="clang++", metavar="CLANG++")
    p.add_argument("--half", choices="ab")
    p.add_argument("--points", action="store_true")
    p.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    p.add_argument("--out", default=os.path.join(
        common.ROOT, "build", "accuracy", "flopbench"))
    p.add_argument("--seconds", type=int, default=60,
                   help="what a program may run")
    p.add_argument("--replay", type=float, default=120,
                   help="a replay that takes more seconds is left out")
    p.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    p.add_argument("names", nargs="*", metavar="PROGRAM")
    a = p.parse_args()
    a.sources, a.cuda, a.out = map(os.path.abspath,
                                   (a.sources, a.cuda, a.out))
    os.makedirs(a.out, exist_ok=True)
    try:
        a.commands = compile_commands(a.sources)
        rows = rows_of(a.sources)
    except OSError as e:
        p.error(f"{e.filename}: {e.strerror}")
    half = half_of(rows)
    unknown = set(a.names) - set(rows)
    if unknown:
        p.error("not a program of profiling-data.csv: " +
                ", ".join(sorted(unknown)))
    wanted = [n for n in sorted(rows) if (n in a.names or not a.names) and
              (a.half is None or half[n] == a.half)]

    def one(name):
        try:
            return compare(a, name, rows[name])
        except (common.Refused, OSError) as e:
            print(f"{name}: {e}", file=sys.stderr)
            return []

    points = []
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        for found in pool.map(one, wanted):
            points += found
            for q in found if a.points else ():
                print(f"{q.program:20s} {q.kernel[:36]:36s} {q.grid:18s} "
                      f"{q.block:14s} {q.took:9.0f} {q.said:9.0f} "
                      f"{q.said / q.took:.2f}", flush=True)
    table(points, half)


if __name__ == "__main__":
    main()
