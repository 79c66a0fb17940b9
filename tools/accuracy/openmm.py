#!/usr/bin/env python3
"""What a step of molecular dynamics takes by OpenMM, beside what its developers
publish (docs/accuracy.md).

    openmm.py --source OPENMM [--python PYTHON] [--work FOLDER] [--steps N]
              [--kernels] [GPU[/TEST] ...]

SOURCE is a checkout of github.com/openmm/openmm, whose examples/benchmarks/benchmark.py
makes the systems; PYTHON has OpenMM and its CUDA platform (`pip install
openmm[cuda12]==8.4.0 openmm-cuda-12==8.4.0`).  What its NVRTC writes is compiled by the
ptxas on $PATH, which a V100 needs of CUDA 12.  Benchmarks run for a minute, so the
system is brought near to equilibrium by the CPU platform; every 250 steps OpenMM orders
atoms by where they are, so here the order is that of 125 steps before.  From there
OpenMM runs under `teg exec` with the chip as its device, `teg program` plays N+1 steps,
and the last N, from each integrateLangevinMiddlePart1 to the next, are the mean that
stands beside the published one.  Left out: the ordering itself, 1 ms or more of the
host's in 250 steps of rf.  --kernels prints what a step has of each kernel and of gaps.
FOLDER keeps states and traces, some 5 MB a step.
"""
import argparse
import collections
import json
import os
import sys

import common

# ns a day in steps of 4 fs by openmm.org/benchmarks (github.com/openmm/openmm-org,
# data/benchmarks.json: 8.4 of 2026-01 c883d4b, 8.0 of 2023-07 999355b, 7.7 of 2022-01
# ce96174), the RTX 5090 by github.com/openmm/openmm/issues/4854, the T4 by issue 2971;
# single precision, hydrogens of 1.5 u.
PUBLISHED = {
    "rf": {
        "h200": (1927.92, "8.4"), "h100": (1873.16, "8.4"),
        "a100": (1460.62, "8.4"), "b200": (1802.26, "8.4"),
        "l40s": (2313.96, "8.4"), "l40": (2297.56, "8.4"),
        "rtx4080": (2256.34, "8.4"), "rtx5070ti": (2206.91, "8.4"),
        "gb10": (1480.81, "8.4"), "rtx5090": (2571.3, "8.2"),
        "rtx4090": (2638.22, "8.0"), "rtx3090": (1727.79, "8.0"),
        "a10": (1301.09, "7.7"), "a40": (1552.76, "7.7"),
        "v100": (1426.73, "7.7"), "rtx2080ti": (1379.31, "7.7"),
        "rtx2080": (1078.5, "7.7"), "t4": (663.5, "7.5"),
    },
    "gbsa": {
        "h200": (2572.26, "8.4"), "h100": (2498.57, "8.4"),
        "a100": (1942.2, "8.4"), "b200": (2268.42, "8.4"),
        "l40s": (3286.88, "8.4"), "l40": (3227.83, "8.4"),
        "rtx4080": (3314.65, "8.4"), "rtx5070ti": (3031.58, "8.4"),
        "gb10": (1942.76, "8.4"), "rtx5090": (3599.49, "8.2"),
        "rtx4090": (3813.99, "8.0"), "rtx3090": (2582.84, "8.0"),
        "a10": (2190.43, "7.7"), "a40": (2365.99, "7.7"),
        "v100": (2191.26, "7.7"), "rtx2080ti": (2452.08, "7.7"),
        "rtx2080": (1849.58, "7.7"), "t4": (1323.0, "7.5"),
    },
    "pme": {
        "h200": (1719.87, "8.4"), "h100": (1704.5, "8.4"),
        "a100": (1286.64, "8.4"), "b200": (1658.71, "8.4"),
        "l40s": (2059.5, "8.4"), "l40": (2014.83, "8.4"),
        "rtx4080": (2037.67, "8.4"), "rtx5070ti": (1840.4, "8.4"),
        "gb10": (1165.12, "8.4"), "rtx5090": (2258.28, "8.2"),
        "rtx4090": (2250.01, "8.0"), "rtx3090": (1529.87, "8.0"),
        "a10": (1109.49, "7.7"), "a40": (1353.54, "7.7"),
        "rtx2080ti": (1134.62, "7.7"), "rtx2080": (879.296, "7.7"),
    },
}
# Steps to play: rf builds its list of neighbors in every second one, gbsa in every 13th,
# and how many tiles that list has, modulo 4, decides which schedulers have work.
STEPS = {"rf": 12, "pme": 12, "gbsa": 39}
FIRST = "integrateLangevinMiddlePart1"  # of a step
WARM = 4  # steps before those that are played

# Runs in examples/benchmarks: TEST PLATFORM STEPS TO [FROM ...], a step from each state
# but the last.
DRIVER = r"""
import sys
import openmm, openmm.unit as unit
test, platform, steps, to, *states = sys.argv[1:]
ns = {}
with open("benchmark.py") as f:
    exec(f.read().split("# Parse the command line options.")[0], ns)
system, positions, _ = ns["retrieveTestSystem"](test)
integrator = openmm.LangevinMiddleIntegrator(
    300 * unit.kelvin, (91 if test == "gbsa" else 1) / unit.picoseconds,
    .004 * unit.picoseconds)
integrator.setConstraintTolerance(1e-5)
integrator.setRandomNumberSeed(1)
context = openmm.Context(
    system, integrator, openmm.Platform.getPlatform(platform),
    {"Precision": "single"} if platform == "CUDA" else {})
if not states:
    context.setPositions(positions)
    context.setVelocitiesToTemperature(300 * unit.kelvin, 1)
for i, path in enumerate(states):
    if i:
        integrator.step(1)
    with open(path) as f:
        context.setState(openmm.XmlSerializer.deserialize(f.read()))
integrator.step(int(steps))
if to:
    with open(to, "w") as f:
        f.write(openmm.XmlSerializer.serialize(
            context.getState(positions=True, velocities=True)))
"""


def run(a, prefix, *args):
    common.command(*prefix, a.python, "-c", DRIVER, *args,
                   cwd=os.path.join(a.source, "examples", "benchmarks"))


def states(a, test):
    """Files of the state that atoms are ordered by, and of the one to begin with."""
    early = common.keep(a.work, f"{test}-500.xml", lambda path: run(
        a, (), test, "CPU", "500", path))
    return early, common.keep(a.work, f"{test}-625.xml", lambda path: run(
        a, (), test, "CPU", "125", path, early))


def trim(path, steps):
    """Leaves the launches of the last steps, and one more, in the list."""
    name = os.path.join(path, "kernels.json")
    with open(name) as f:
        whole = json.load(f)
    kernels = whole["kernels"]
    order = [dict(e, launches=1) if "kernel" in e else e for e in whole["order"]
             for _ in range(e.get("launches", 1))]
    firsts = [i for i, e in enumerate(order) if "kernel" in e and
              kernels[e["kernel"]]["name"].startswith(FIRST)]
    if len(firsts) < steps + 1:
        raise common.Refused(f"{path} has {len(firsts)} launches of {FIRST}")
    begin, end = firsts[-steps - 1], firsts[-1]
    order = [{"untraced": 1} if i < begin and "kernel" in e else e
             for i, e in enumerate(order[:end + 1])]
    count = collections.Counter(e["kernel"] for e in order if "kernel" in e)
    number = {k: i for i, k in enumerate(sorted(count))}
    for e in order:
        if "kernel" in e:
            e["kernel"] = number[e["kernel"]]
    for i, k in enumerate(kernels):
        if i not in count:
            os.remove(os.path.join(path, k["trace"]))
    whole.update(order=order, kernels=[
        dict(kernels[k], launches=count[k]) for k in sorted(count)])
    with open(name, "w") as f:
        json.dump(whole, f)


def record(a, gpu, test, steps, path):
    path = os.path.abspath(path)
    run(a, (common.TEG, "exec", "-g", gpu, "-o", path, "--"), test, "CUDA",
        str(WARM + steps + 2), "", *map(os.path.abspath, states(a, test)))
    trim(path, steps + 1)


def show(tasks, steps):
    """What a step has of each kernel, and of gaps before it."""
    took, gaps = collections.defaultdict(list), collections.Counter()
    for before, t in zip(tasks, tasks[1:]):
        name = t["name"] or t["what"]
        took[name].append(t["end_us"] - t["start_us"])
        gaps[name] += t["start_us"] - before["end_us"]
    print("\n| | each step | us a step | least | most | gaps before |\n"
          "| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, us in took.items():
        print(f"| {name} | {len(us) / steps:.1f} | {sum(us) / steps:.2f} | "
              f"{min(us):.2f} | {max(us):.2f} | {gaps[name] / steps:.2f} |")
    print(flush=True)


def step_us(a, gpu, test):
    """The mean step."""
    steps = a.steps or STEPS[test]
    path = common.keep(a.work, f"{gpu}-{test}-{steps}",
                       lambda path: record(a, gpu, test, steps, path))
    tasks = json.loads(common.command(
        common.TEG, "program", path, "-g", gpu, "-f", "json"))["tasks"]
    firsts = [i for i, t in enumerate(tasks)
              if (t["name"] or "").startswith(FIRST)][-steps - 1:]
    if a.kernels:
        show(tasks[firsts[0]:firsts[-1] + 1], steps)
    return (tasks[firsts[-1]]["start_us"] -
            tasks[firsts[0]]["start_us"]) / steps


def main():
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("--source", required=True)
    p.add_argument("--python", default=sys.executable)
    p.add_argument("--work", default="build/openmm")
    p.add_argument("--steps", type=int)
    p.add_argument("--kernels", action="store_true")
    p.add_argument("rows", nargs="*", metavar="GPU[/TEST]")
    a = p.parse_args()
    print("| GPU | test | by OpenMM | published, us a step | here | error |\n"
          "| --- | --- | --- | ---: | ---: | ---: |")
    errors = []
    for test, by_gpu in PUBLISHED.items():
        for gpu, (ns_day, version) in by_gpu.items():
            if a.rows and not {gpu, f"{gpu}/{test}"} & set(a.rows):
                continue
            there = 86400e6 * 4e-6 / ns_day  # a day, 4 fs in ns
            try:
                here = step_us(a, gpu, test)
            except common.Refused as e:
                print(f"openmm.py: {gpu}/{test}: {e}", file=sys.stderr)
                continue
            errors.append(here / there - 1)
            print(f"| {gpu} | {test} | {version} | {there:.1f} | {here:.1f} | "
                  f"{errors[-1]:+.1%} |".replace("%", " %"), flush=True)
    common.print_mean(errors, "points")


if __name__ == "__main__":
    main()
