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
the cycles here and the launch's start (start.ncu_cycles).  A function in one
block shape counts once, by the mean of its launches' logarithms.
"""
import argparse
import collections
import concurrent.futures
import csv
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys

import common
import profiled

GPU = "rtx3080"
CLOCK = 1440  # MHz: the base clock, at which Nsight Compute holds the SMs
THERE = "/home/gbolet/hecbench-roofline"  # where their checkout was



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


def start_of_launches():
    "What the profiler counts of a launch besides its cycles here."
    said = common.command(common.TEG, "gpus", GPU, "--config-dir",
                          common.CONFIG)
    return float(re.search(r"^start\.ncu_cycles\s+(\S+)", said, re.M)[1])


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
    with open(listed, encoding="utf-8") as f:
        made = json.load(f)
    kernels = made["kernels"]
    names = functions([k["name"] for k in kernels])
    seen = collections.Counter()
    found = []
    for step in made["order"]:
        k = step.get("kernel")
        for _ in range(min(step.get("launches", 1), 2) if k is not None else 0):
            found.append((names[k], seen[names[k]],
                          os.path.join(at, kernels[k]["trace"]), kernels[k]))
            seen[names[k]] += 1
    return found


def shape(kernel, what):
    return "(" + ", ".join(map(str, kernel[what])) + ")"


def compare(a, name, rows):
    points = []
    said = {}
    for function, nth, path, kernel in launches(a, name, rows):
        known = rows.get(function, ())
        if nth >= len(known):
            continue
        r = known[nth]
        if (shape(kernel, "grid"), shape(kernel, "block")) != \
                (r["Grid Size"], r["Block Size"]):
            print(f"{name}, {function}: {shape(kernel, 'grid')} of "
                  f"{shape(kernel, 'block')}, measured {r['Grid Size']} of "
                  f"{r['Block Size']}", file=sys.stderr)
            continue
        if path not in said:
            try:
                said[path] = common.command(
                    common.TEG, "run", "-g", GPU, "--config-dir", common.CONFIG,
                    "--caches", "cold", "-f", "json", "-j", "1",
                    f"--clock={CLOCK}",
                    *(w for s in a.set for w in ("--set", s)), path,
                    limit=a.replay)
            except common.Refused as e:
                print(f"{name}, {function}: {e}", file=sys.stderr)
                said[path] = None
        if said[path] is None:
            continue
        ours = json.loads(said[path])
        p = profiled.Point("HeCBench", name, function, r["Block Size"],
                           r["Grid Size"], float(r["xtime"]) * CLOCK / 1000,
                           ours["cycles"] + a.start, 1)
        p.ours = ours
        p.row = r
        points.append(p)
    return points


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
    p.add_argument("--dump", metavar="FILE", help="points as JSON lines")
    p.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    p.add_argument("names", nargs="*", metavar="PROGRAM")
    a = p.parse_args()
    a.sources, a.cuda, a.out = map(os.path.abspath,
                                   (a.sources, a.cuda, a.out))
    os.makedirs(a.out, exist_ok=True)
    a.commands = compile_commands(a.sources)
    a.start = start_of_launches()
    rows = rows_of(a.sources)
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
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool, \
            open(a.dump or os.devnull, "w", encoding="utf-8") as dump:
        for found in pool.map(one, wanted):
            points += found
            for q in found:
                if a.points:
                    print(f"{q.program:20s} {q.kernel[:36]:36s} {q.grid:18s} "
                          f"{q.block:14s} {q.took:9.0f} {q.said:9.0f} "
                          f"{q.said / q.took:.2f}", flush=True)
                json.dump({"program": q.program, "half": half[q.program],
                           "row": q.row, "ours": q.ours}, dump)
                dump.write("\n")
                dump.flush()
    print("| | kernels | mean | median | bias | within 25 % |\n"
          "| --- | ---: | ---: | ---: | ---: | ---: |")
    for h in "ab":
        profiled.row("half " + h, [q for q in points if half[q.program] == h])
    profiled.row("all", points)


if __name__ == "__main__":
    main()
