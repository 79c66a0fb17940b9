#!/usr/bin/env python3
"""Launches under a profiler (tools/measure/results/GPU/profiled.csv.gz) beside
what teg says of them, kernel by kernel.

    profiled.py [--hecbench SOURCES] [--torch PYTHON] [--half A|B] [--points]
                [--set KEY=VALUE]... [--out FOLDER] [NAME ...]

SOURCES is a checkout of github.com/zjin-lcf/HeCBench, PYTHON one that has the
PyTorch and Triton that were measured (2.11.0, 3.6.0).  Each program is built for
the chip, traced by `teg exec` (an hour of a core in all; FOLDER,
build/accuracy/profiled, keeps programs and traces), and each launch whose grid is as measured replayed with
cold caches, as the profiler flushes them.  Compared are the profiler's elapsed
cycles less START, what it counts of an empty kernel beyond its cycles here.  A
kernel of a program in one block shape counts once, by the mean of its launches'
logarithms.  Half A was looked at when mechanisms were sought, half B is checked: a
program is in the one that its name's hash says.
"""
import argparse
import collections
import concurrent.futures
import csv
import gzip
import hashlib
import json
import math
import os
import statistics
import sys

import common

START = 2500  # cycles: stores.cu's `nothing`, 1 to 1320 blocks: 2433 to 2537
LAUNCHES = 12
HERE = os.path.dirname(os.path.abspath(__file__))
MEASURE = os.path.join(HERE, "..", "measure")


def measured(gpu):
    "{(suite, program, arguments): [row]}"
    path = os.path.join(MEASURE, "results", gpu, "profiled.csv.gz")
    found = collections.defaultdict(list)
    with gzip.open(path, "rt", newline="") as f:
        for r in csv.DictReader(f):
            found[r["suite"], r["program"], r["arguments"]].append(r)
    return found


def half_of(name):
    return "AB"[hashlib.md5(name.encode()).digest()[0] & 1]


def build(a, name):
    source = os.path.join(a.hecbench, "src", name + "-cuda")
    makefile = os.path.join(source, "Makefile")
    program = "main"
    with open(makefile, encoding="utf-8") as f:
        for line in f:
            if line.startswith("program") and "=" in line:
                program = line.split("=")[1].strip()
    common.command("make", "-s", "-C", source, f"ARCH=sm_{a.arch}",
                   "EXTRA_CFLAGS=-w", limit=300)
    return source, ["./" + program]


def command_of(a, suite, name, arguments):
    "(folder, words, launches), or None without what it takes."
    corpus = os.path.join(MEASURE, "corpus")
    if suite == "HeCBench" and a.hecbench:
        folder, words = build(a, name)
        return folder, words + arguments.split(), LAUNCHES
    script = {"operators": "torch_ops.py", "kernels": "triton_ops.py"}.get(name)
    if a.torch and script and suite in ("PyTorch", "Triton"):
        return corpus, [a.torch, os.path.join(corpus, script)], 400
    return None


def traces(a, key):
    "[(launch, path, grid)] of a program, each different one once."
    suite, name, arguments = key
    at = os.path.join(a.out, f"{suite}-{name}-{common.digest(key)[:6]}")
    listed = os.path.join(at, "kernels.json")
    if not os.path.exists(listed):
        found = command_of(a, *key)
        if found is None:
            return None
        folder, words, launches = found
        common.command(common.TEG, "exec", "-g", a.gpu, "--loose",
                       f"--launches=0:{launches}", "-o", at, "--", *words,
                       cwd=folder, limit=a.seconds)
    with open(listed, encoding="utf-8") as f:
        made = json.load(f)
    order = []
    for step in made["order"]:
        if step.get("kernel") is not None:
            order += [step["kernel"]] * step.get("launches", 1)
    kernels = made["kernels"]
    return [(i, os.path.join(at, kernels[k]["trace"]), kernels[k]["grid"])
            for i, k in enumerate(order) if k not in order[:i]]


def cycles(a, path):
    words = [w for s in a.set for w in ("--set", s)]
    said = common.command(common.TEG, "run", "-g", a.gpu, "--config-dir",
                          common.CONFIG, "--caches", "cold", "-f", "json",
                          "-j", "1", *words, path, limit=a.seconds)
    return json.loads(said)["cycles"]


def compare(a, key, rows):
    "[(kernel, block, grid, measured, simulated)]"
    points = []
    for launch, path, grid in traces(a, key) or ():
        if launch >= len(rows):
            continue
        r = rows[launch]
        if r["grid"] != "(" + ", ".join(map(str, grid)) + ")":
            print(f"{key[1]}, launch {launch}: another grid than measured",
                  file=sys.stderr)
            break
        spent = float(r["gpc__cycles_elapsed.max"]) - START
        try:
            points.append((r["kernel"], r["block"], r["grid"], spent,
                           cycles(a, path)))
        except common.Refused as e:
            print(f"{key[1]}, launch {launch}: {e}", file=sys.stderr)
    return points


def summary(logs, what):
    means = [statistics.mean(v) for v in logs.values()]
    errors = [abs(math.exp(m) - 1) for m in means]
    if not errors:
        return f"| {what} | 0 | | | | |"
    return (f"| {what} | {len(errors)} | {100 * statistics.mean(errors):.1f} % |"
            f" {100 * statistics.median(errors):.1f} % | "
            f"{100 * (math.exp(statistics.mean(means)) - 1):+.1f} % | "
            f"{sum(e < .25 for e in errors)} |")


def main():
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("--hecbench", metavar="SOURCES")
    p.add_argument("--torch", metavar="PYTHON")
    p.add_argument("--half", choices="AB")
    p.add_argument("--points", action="store_true")
    p.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    p.add_argument("--out", default=os.path.join(
        common.ROOT, "build", "accuracy", "profiled"))
    p.add_argument("--gpu", default="h200")
    p.add_argument("--arch", default="90")
    p.add_argument("--seconds", type=float, default=900,
                   help="a program or replay that takes longer is left out")
    p.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    p.add_argument("names", nargs="*", metavar="NAME")
    a = p.parse_args()
    os.makedirs(a.out, exist_ok=True)
    halves = {"A": collections.defaultdict(list),
              "B": collections.defaultdict(list)}

    def one(item):
        key, rows = item
        try:
            return key, compare(a, key, rows)
        except (common.Refused, OSError) as e:
            print(f"{key[1]}: {e}", file=sys.stderr)
            return key, []

    wanted = [(k, r) for k, r in measured(a.gpu).items()
              if (not a.names or k[1] in a.names) and
              (not a.half or half_of(k[1]) == a.half)]
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        for key, points in pool.map(one, wanted):
            for kernel, block, grid, spent, said in points:
                # PyTorch's operators are programs of their own
                name = kernel if key[0] in ("PyTorch", "Triton") else key[1]
                halves[half_of(name)][key[1], kernel, block].append(
                    math.log(said / spent))
                if a.points:
                    print(f"{key[1]:20s} {kernel[:36]:36s} {grid:18s} {block:14s} "
                          f"{spent:9.0f} {said:9d} {said / spent:.2f}")
    print("| half | kernels | mean | median | bias | within 25 % |\n"
          "| --- | ---: | ---: | ---: | ---: | ---: |")
    for h, logs in halves.items():
        print(summary(logs, h))
    print(summary({**halves["A"], **halves["B"]}, "both"))


if __name__ == "__main__":
    main()
