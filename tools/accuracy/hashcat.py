#!/usr/bin/env python3
"""Launches of hashcat's benchmark, beside what they took on hardware
(docs/accuracy.md).

    hashcat.py --results FOLDER [--work FOLDER] [--budget N] [GPU[/MODE] ...]

FOLDER is a checkout of github.com/javydekoning/aws-hashcat: what `hashcat -b` printed on
six chips.  `hashcat` on $PATH (6.2.6, as Debian has it) runs under `teg exec` with the
chip as its device, the published vector width and threads a block, one wave of blocks
and two, and two numbers of loops so that a launch of a wave has about N instructions of
a warp; the benchmark's first launch, of words as it draws them, is played; the times are
extended linearly in waves and loops to the published launch, whose milliseconds they
are compared with.  A V100 needs a CUDA 12: its NVRTC where the loader looks, its ptxas on
$PATH.  FOLDER of --work keeps the traces, some 100 MB a row.
"""
import argparse
import json
import os
import re
import signal
import subprocess
import sys
import time

import common

FILES = {
    "a100": "p4d.24xlarge.v6.2.6-591-g4734d112b.cuda.txt",
    "h100": "p5.48xlarge.v6.2.6.cuda.txt",
    "l40s": "g6e.12xlarge.v6.2.6.cuda.txt",
    "a10g": "g5.12xlarge.v6.2.6-587-g32517211a.cuda.txt",
    "t4": "g4dn.xlarge.v6.2.5-50-gf1bcb6e05.cuda.txt",
    "v100": "p3.16xlarge.v6.2.6.cuda.txt",
}
# The chip's boost clock, where the description has another.
CLOCKS = {"v100": 1530}
MODES = (0, 100, 500, 1000, 1400, 1700, 3200, 5500, 5600, 7100, 7500, 13100,
         15300, 22000)

MODE = re.compile(r"(?:\* Hash-Mode|Hashmode:) (\d+)(?: -)? \(?(.*)")
SPEED = re.compile(r"Speed\.#\d+\.*: .*\(([\d.]+)ms\) @ "
                   r"Accel:(\d+) Loops:(\d+) Thr:(\d+) Vec:(\d+)")
MAIN = re.compile(r"m\d+_(?:[ms](?:\d\d|xx)|loop)$")


class Row:
    """What was printed for a mode; ms: of each of the devices."""

    def __init__(self, mode, title):
        self.mode = mode
        self.name = re.split(r",| [\[(/]|\)", title)[0]
        self.slow = "Iterations:" in title
        self.ms = []

    def read(self, m):
        shape = [int(x) for x in m.groups()[1:]]
        if not self.ms:
            self.shape = shape
            self.accel, self.loops, self.threads, self.vector = shape
        if shape == self.shape:
            self.ms.append(float(m[1]))


def published(path):
    rows = {}
    row = None
    try:
        with open(path, errors="replace") as f:
            for line in f:
                m = MODE.match(line)
                if m:
                    row = rows[int(m[1])] = Row(int(m[1]), m[2].strip())
                m = SPEED.match(line)
                if m and row:
                    row.read(m)
    except OSError as e:
        raise common.Refused(f"{path}: {e.strerror}") from None
    return {mode: row for mode, row in rows.items() if row.ms}


def first(launches, slow):
    """The benchmark's first launch of the kernel that counts, or None: before that,
    hashcat warms up with memory as it comes.  `launches`: numbers and names."""
    drawn = begun = False
    for launch, name in sorted(launches):
        drawn |= name == "l_markov"
        begun |= drawn and (not slow or name.endswith("_init"))
        if begun and MAIN.match(name):
            return launch
    return None


def written(folder):
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return [(int(n[:4]), n[5:-5]) for n in names if n.endswith(".tegt")]


def enough(folder, slow):
    """Whether the launch is there, or was run and equals one before it."""
    launches = written(folder)
    return (first(launches, slow) is not None or
            [name for _, name in launches].count("r_markov") > 1)


def record(gpu, row, accel, loops, path):
    """Runs hashcat until what is to be played is traced."""
    args = (common.TEG, "exec", "-g", gpu, "-k", "*m*", "-o", path, "--",
            "hashcat", "-b", "-m", str(row.mode), "-d", "1", "-n", str(accel),
            "-u", str(loops), "-T", str(row.threads),
            f"--backend-vector-width={row.vector}", "--force",
            "--self-test-disable", "--backend-ignore-opencl",
            f"--session=teg-{os.getpid()}")  # beside others
    with subprocess.Popen(args, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True,
                          start_new_session=True) as done:
        while done.poll() is None:
            time.sleep(.2)
            if enough(path, row.slow):
                os.killpg(done.pid, signal.SIGTERM)
                break
        said = done.communicate()[0].strip().splitlines()
    if not any(MAIN.match(name) for _, name in written(path)):
        raise common.Refused(" ".join(said[-3:]))


def play(a, gpu, row, accel, loops):
    """What teg says about the launch."""
    path = common.keep(
        a.work, f"{gpu}-{row.mode}-{accel}-{loops}",
        lambda path: record(gpu, row, accel, loops, path))
    with open(os.path.join(path, "kernels.json")) as f:
        kernels = [k for k in json.load(f)["kernels"] if "_markov" in k["name"]
                   or k["name"].endswith("_init") or MAIN.match(k["name"])]
    launch = first([(k["launch"], k["name"]) for k in kernels], row.slow)
    of = [k for k in kernels if MAIN.match(k["name"]) and
          (launch is None or k["launch"] == launch)]
    if not of:
        raise common.Refused(f"{path} has no launch of the benchmark")
    clock = (f"--clock={CLOCKS[gpu]}",) if gpu in CLOCKS else ()
    return json.loads(common.command(
        common.TEG, "run", "-g", gpu, *clock, "-f", "json",
        os.path.join(path, of[-1]["trace"])))


def extended(one, two, loops, waves):
    """What `waves` waves of blocks with `loops` loops take, where one and two waves
    take so long by their loops: linear in waves and, each by itself, in loops."""
    us = []
    for took in (one, two):
        low, high = min(took), max(took)
        us.append(took[high] + (loops - high) * (took[high] - took[low]) /
                  max(high - low, 1))
    return us[0] + (waves - 1) * (us[1] - us[0])


def milliseconds(a, gpu, row):
    """What a launch of the published shape takes."""
    # what counts loops in words of several candidates needs whole ones
    step = row.vector
    small = min(row.loops, 2 if row.slow else 2 * step)
    run = play(a, gpu, row, 1, small)
    if run["kernel"]["grid"][0] != run["gpu"]["sms"]:
        raise common.Refused("its blocks are not so many for each SM")
    wave = min(run["occupancy"]["places"], row.accel)
    waves = row.accel / wave
    each = run["kernel"]["warp_instructions"] / small * wave
    if row.mode == 500:
        step = 42  # iterations differ by what divides them: 2, 3 and 7
    high = min(row.loops, max(2, int(a.budget / each) // step // 2 * 2) * step)
    low = high // 2 // step * step if high < row.loops else high
    one, two = ({n: play(a, gpu, row, wave * k, n)["time_us"]
                 for n in {low, high}} for k in (1, min(2, row.accel // wave)))
    return extended(one, two, row.loops, waves) / 1e3


def main():
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("--results", required=True)
    p.add_argument("--work", default="build/hashcat")
    p.add_argument("--budget", type=float, default=1e8)
    p.add_argument("rows", nargs="*", metavar="GPU[/MODE]")
    a = p.parse_args()
    print("| GPU | mode | | blocks an SM, threads, loops | published, ms | here | "
          "error |\n| --- | ---: | --- | --- | ---: | ---: | ---: |")
    errors = []
    try:
        for gpu, name in FILES.items():
            rows = published(os.path.join(a.results, name))
            for mode in MODES:
                if mode not in rows or (
                        a.rows and not {gpu, f"{gpu}/{mode}"} & set(a.rows)):
                    continue
                row = rows[mode]
                try:
                    here = milliseconds(a, gpu, row)
                except common.Refused as e:
                    print(f"hashcat.py: {gpu}/{mode}: {e}", file=sys.stderr)
                    continue
                there = sorted(row.ms)[len(row.ms) // 2]
                errors.append(here / there - 1)
                print(f"| {gpu} | {mode} | {row.name} | {row.accel}, "
                      f"{row.threads}, {row.loops} | {there:.2f} | {here:.2f} | "
                      f"{errors[-1]:+.1%} |".replace("%", " %"), flush=True)
    except common.Refused as e:
        sys.exit(f"hashcat.py: {e}")
    common.print_mean(errors, "launches")


if __name__ == "__main__":
    main()
