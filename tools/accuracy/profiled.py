#!/usr/bin/env python3
"""Launches under a profiler (tools/measure/results/GPU/profiled.csv.gz) beside
what teg says of them, kernel by kernel.

    profiled.py [--hecbench SOURCES] [--torch PYTHON] [--polybench SOURCES]
                [--rodinia SOURCES] [--points] [--set KEY=VALUE]...
                [--out FOLDER] [PROGRAM ...]

SOURCES are checkouts of github.com/zjin-lcf/HeCBench, cavazos-lab/PolyBench-ACC
and yuhc/gpu-rodinia, PYTHON one that has the PyTorch and Triton that were
measured (2.11.0, 3.6.0); a suite whose checkout is not given is left out, and
said so.  Each program is built for the chip, traced by `teg exec` (an hour and
a half of a core in all; FOLDER, build/accuracy/profiled, keeps programs and
traces), and each launch whose grid is as measured replayed with cold caches, as
the profiler flushes them.  Compared are the profiler's elapsed cycles less
START, what it counts of an empty kernel beyond its cycles here.  A kernel of a
program in one block shape counts once, by the mean of its launches' logarithms.

fast.cu's launches are compared by modern/programs/programs.py ladder-h200, those
of cuBLAS (program "products") and of corpus/stores.cu not at all.
"""
import argparse
import collections
import concurrent.futures
import csv
import dataclasses
import fnmatch
import gzip
import json
import math
import os
import shutil
import statistics
import sys

import common

START = 2640  # cycles: stores.cu's `nothing`, 1 to 1320 blocks: 2573 to 2677
LAUNCHES = 12
HERE = os.path.dirname(os.path.abspath(__file__))
MEASURE = os.path.join(HERE, "..", "measure")

# What is not compared, and why.
LEFT_OUT = {
    "atomicCAS": "who wins a race for words is chance; ask for it by its name",
}
# Programs that nobody had run here when what they would have shown was built.
UNSEEN = ("f16atomic", "histogram", "scel", "simpleSpmv", "bilateral", "filter",
          "blockScan")
# Kernels that a number of the description was fit to (l2.fill_interval).
FITTED = "*vectorized_elementwise*"


# A call that CUDA 13 has no more and that two suites make.
OLD = "-DcudaThreadSynchronize=cudaDeviceSynchronize"


def measured(gpu):
    "{(suite, program, arguments): [row]}"
    path = os.path.join(MEASURE, "results", gpu, "profiled.csv.gz")
    found = collections.defaultdict(list)
    with gzip.open(path, "rt", newline="") as f:
        for r in csv.DictReader(f):
            found[r["suite"], r["program"], r["arguments"]].append(r)
    return found


def elapsed(row):
    "Cycles of a launch without what the profiler counts of an empty one."
    return float(row["gpc__cycles_elapsed.max"]) - START


# ---- building ---------------------------------------------------------------

def hecbench(a, name, arguments):
    source = os.path.join(a.hecbench, "src", name + "-cuda")
    program = "main"
    with open(os.path.join(source, "Makefile"), encoding="utf-8") as f:
        for line in f:
            if line.startswith("program") and "=" in line:
                program = line.split("=")[1].strip()
    common.command("make", "-s", "-C", source, f"ARCH=sm_{a.arch}",
                   "EXTRA_CFLAGS=-w", limit=300)
    return source, ["./" + program, *arguments.split()], LAUNCHES


def polybench(a, name, _):
    root = os.path.join(a.polybench, "CUDA")
    source = next((os.path.join(at, name + ".cu")
                   for at, _, files in os.walk(root) if name + ".cu" in files),
                  None)
    if source is None:
        raise common.Refused(f"there is no {name}.cu in {root}")
    program = os.path.join(os.path.dirname(source), name + ".exe")
    common.command("nvcc", "-O3", "-w", OLD, f"-arch=sm_{a.arch}",
                   "-I", os.path.join(root, "utilities"), "-o", program, source,
                   limit=300)
    return os.path.dirname(source), [program], 8


def toolkit(a):
    """A toolkit whose compiler takes a.arch, whatever a Makefile names."""
    at = os.path.join(a.out, "toolkit")
    real = os.path.dirname(os.path.dirname(
        os.path.realpath(shutil.which("nvcc"))))
    os.makedirs(os.path.join(at, "bin"), exist_ok=True)
    for name in ("include", "lib64"):
        if not os.path.islink(os.path.join(at, name)):
            os.symlink(os.path.join(real, name), os.path.join(at, name))
    path = os.path.join(at, "bin", "nvcc")
    with open(path, "w", encoding="ascii") as f:
        f.write(f"""#!/bin/bash
said=()
while [ $# -gt 0 ]; do
    case $1 in
    -arch|-gencode|--gpu-architecture) shift ;;
    -arch=*|-gencode=*|--gpu-architecture=*) ;;
    *) said+=("$1") ;;
    esac
    shift
done
exec {real}/bin/nvcc -arch=sm_{a.arch} -w {OLD} "${{said[@]}}"
""")
    os.chmod(path, 0o755)
    return at


def rodinia(a, name, _):
    with open(os.path.join(MEASURE, "corpus", "rodinia.txt"),
              encoding="ascii") as f:
        rows = (line.split() for line in f)
        folder, program, *arguments = next(r[1:] for r in rows if r[0] == name)
    source = os.path.join(a.rodinia, "cuda", folder)
    at = toolkit(a)
    common.command("env", f"PATH={at}/bin:{os.environ['PATH']}", "make", "-s",
                   "-B", "-C", source, f"CUDA_DIR={at}",
                   # some are linked as C, which CUDA's objects no longer are
                   f"CUDA_LIB_DIR={at}/lib64 -lstdc++", limit=300)
    for file in arguments:
        if file.startswith("../../data/") and \
                not os.path.exists(os.path.join(source, file)):
            raise common.Refused(f"there is no {file[6:]} in {a.rodinia}")
    return source, ["./" + program, *arguments], LAUNCHES


def scripted(a, name, _):
    script = {"operators": "torch_ops.py", "kernels": "triton_ops.py"}[name]
    corpus = os.path.join(MEASURE, "corpus")
    return corpus, [a.torch, os.path.join(corpus, script)], 400


@dataclasses.dataclass
class Suite:
    option: str  # that says where it is
    build: object  # (options, program, arguments): folder, words, launches


SUITES = {
    "HeCBench": Suite("hecbench", hecbench),
    "PyTorch": Suite("torch", scripted),
    "Triton": Suite("torch", scripted),
    "PolyBench-ACC": Suite("polybench", polybench),
    "Rodinia": Suite("rodinia", rodinia),
}


# ---- replaying --------------------------------------------------------------

def launched(listed):
    "kernels of a kernels.json, and which of them each launch was, in order"
    with open(listed, encoding="utf-8") as f:
        made = json.load(f)
    order = []
    for step in made["order"]:
        if step.get("kernel") is not None:
            order += [step["kernel"]] * step.get("launches", 1)
    return made["kernels"], order


def shape(extent):
    "As the profiler prints grids and blocks."
    return "(" + ", ".join(map(str, extent)) + ")"


def traces(a, key):
    "[(launch, path, grid)] of a program, each different one once."
    suite, name, _ = key
    at = os.path.join(a.out, f"{suite}-{name}-{common.digest(key)[:6]}")
    listed = os.path.join(at, "kernels.json")
    if not os.path.exists(listed):
        folder, words, launches = SUITES[suite].build(a, *key[1:])
        common.command(common.TEG, "exec", "-g", a.gpu, "--loose",
                       f"--launches=0:{launches}", "-o", at, "--", *words,
                       cwd=folder, limit=a.seconds)
    kernels, order = launched(listed)
    return [(i, os.path.join(at, kernels[k]["trace"]), kernels[k]["grid"])
            for i, k in enumerate(order) if k not in order[:i]]


def replayed(gpu, path, settings, limit, *words):
    "What `teg run` says of a launch that finds caches flushed."
    settings = [w for s in settings for w in ("--set", s)]
    return json.loads(common.command(
        common.TEG, "run", "-g", gpu, "--config-dir", common.CONFIG,
        "--caches", "cold", "-f", "json", "-j", "1", *words, *settings, path,
        limit=limit))


def replay(a, path):
    "(cycles, warp instructions)"
    said = replayed(a.gpu, path, a.set, a.seconds)
    return said["cycles"], said["kernel"]["warp_instructions"]


@dataclasses.dataclass
class Point:
    """A launch, as measured and as simulated."""
    suite: str
    program: str
    kernel: str
    block: str
    grid: str
    took: float
    said: float
    instructions: float  # simulated ones for each one counted

    def name(self):
        return self.program, self.kernel, self.block


def compare(a, key, rows):
    points = []
    for launch, path, grid in traces(a, key):
        if launch >= len(rows):
            continue
        r = rows[launch]
        if r["grid"] != shape(grid):
            print(f"{key[1]}, launch {launch}: another grid than measured",
                  file=sys.stderr)
            break
        try:
            said, issued = replay(a, path)
        except common.Refused as e:
            print(f"{key[1]}, launch {launch}: {e}", file=sys.stderr)
            continue
        points.append(Point(
            key[0], key[1], r["kernel"], r["block"], r["grid"],
            elapsed(r), said,
            issued / float(r["smsp__inst_executed.sum"])))
    return points


# ---- printing ---------------------------------------------------------------

def by_kernel(points):
    "{kernel: simulated over measured}"
    logs = collections.defaultdict(list)
    for p in points:
        logs[p.name()].append(math.log(p.said / p.took))
    return {k: math.exp(statistics.mean(v)) for k, v in logs.items()}


def row(what, points):
    ratios = by_kernel(points).values()
    if not ratios:
        return
    errors = [abs(r - 1) for r in ratios]
    bias = statistics.mean(map(math.log, ratios))
    print(f"| {what} | {len(errors)} | {100 * statistics.mean(errors):.1f} % | "
          f"{100 * statistics.median(errors):.1f} % | "
          f"{100 * (math.exp(bias) - 1):+.1f} % | "
          f"{sum(e < .25 for e in errors)} |")


def is_fitted(p):
    return p.suite == "PyTorch" and fnmatch.fnmatch(p.kernel, FITTED)


def is_unseen(p):
    return p.program in UNSEEN or p.suite in ("PolyBench-ACC", "Rodinia")


def heading():
    print("| | kernels | mean | median | bias | within 25 % |\n"
          "| --- | ---: | ---: | ---: | ---: | ---: |")


def table(points):
    heading()
    for suite in SUITES:
        row(suite, [p for p in points if p.suite == suite])
    row("a number was fit to them",
        [p for p in points if is_fitted(p)])
    row("looked at when mechanisms were sought",
        [p for p in points if not is_fitted(p) and not is_unseen(p)])
    row("not seen before", [p for p in points if is_unseen(p)])
    row("all", points)
    shapes = {}
    for p in points:
        shapes.setdefault((p.name(), p.grid), p)
    same = sum(abs(p.instructions - 1) < .01 for p in shapes.values())
    print(f"warp instructions within 1 %: {same} of {len(shapes)} kernels and "
          "shapes")


def main():
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    for option in dict.fromkeys(s.option for s in SUITES.values()):
        p.add_argument("--" + option, metavar="PYTHON" if option == "torch"
                       else "SOURCES")
    p.add_argument("--points", action="store_true")
    p.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    p.add_argument("--out", default=os.path.join(
        common.ROOT, "build", "accuracy", "profiled"))
    p.add_argument("--gpu", default="h200")
    p.add_argument("--arch", default="90")
    p.add_argument("--seconds", type=float, default=900,
                   help="a program or replay that takes longer is left out")
    p.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    p.add_argument("names", nargs="*", metavar="PROGRAM")
    a = p.parse_args()
    for option in {s.option for s in SUITES.values()}:
        if getattr(a, option):
            setattr(a, option, os.path.abspath(getattr(a, option)))
    a.out = os.path.abspath(a.out)
    os.makedirs(a.out, exist_ok=True)

    def one(item):
        key, rows = item
        try:
            return compare(a, key, rows)
        except (common.Refused, OSError) as e:
            print(f"{key[1]}: {e}", file=sys.stderr)
            return []

    wanted, absent = [], set()
    launches = measured(a.gpu)
    unknown = set(a.names) - {key[1] for key in launches}
    if unknown:
        p.error("no program of profiled.csv.gz: " + ", ".join(sorted(unknown)))
    for key, rows in launches.items():
        suite = SUITES.get(key[0])
        if suite is None or key[1] == "products" or \
                (a.names and key[1] not in a.names):
            continue
        if key[1] in LEFT_OUT and key[1] not in a.names:
            print(f"{key[1]} is left out: {LEFT_OUT[key[1]]}", file=sys.stderr)
        elif getattr(a, suite.option) is None:
            absent.add(key[0])
        else:
            wanted.append((key, rows))
    for name in sorted(absent):
        print(f"{name} is left out: no --{SUITES[name].option}",
              file=sys.stderr)
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        points = []
        for found in pool.map(one, wanted):
            points += found
            for q in found if a.points else ():
                print(f"{q.program:20s} {q.kernel[:36]:36s} {q.grid:18s} "
                      f"{q.block:14s} {q.took:9.0f} {q.said:9d} "
                      f"{q.said / q.took:.2f} {q.instructions:.3f}", flush=True)
    table(points)


if __name__ == "__main__":
    main()
